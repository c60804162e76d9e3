#include "id_index.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

static int compare(ph_id_index *index, const char *name, size_t place) {
  index->compared++;
  return strcmp(name, index->first + place * index->stride);
}

static int compare_places(const void *a, const void *b, void *arg) {
  ph_id_index *index = arg;
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  int order = compare(index, index->first + x * index->stride, y);
  return order ? order : x < y ? -1 : x > y;
}

ph_status ph_id_index_make(ph_id_index *out, const char *first, size_t stride, size_t n) {
  *out = (ph_id_index){.first = first, .stride = stride, .n = n};
  out->at = calloc(n + 1, sizeof *out->at);
  if (!out->at)
    return ph_fail(PH_ENOMEM, "out of memory");
  for (size_t i = 0; i < n; i++)
    out->at[i] = i;
  qsort_r(out->at, n, sizeof *out->at, compare_places, out);
  return PH_OK;
}

size_t ph_id_index_find(ph_id_index *index, const char *name) {
  size_t low = 0, high = index->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(index, name, index->at[middle]) <= 0)
      high = middle;
    else
      low = middle + 1;
  }
  bool found = low < index->n && compare(index, name, index->at[low]) == 0;
  return found ? index->at[low] : SIZE_MAX;
}

void ph_id_index_clear(ph_id_index *index) {
  free(index->at);
  *index = (ph_id_index){0};
}
