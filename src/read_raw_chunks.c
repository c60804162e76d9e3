/* The chunks of a raw folder, one by one. */
#include "read_raw.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

static bool is_chunk(const char *name) {
  size_t n = strlen(name);
  return n > 10 && strncmp(name, "state_", 6) == 0 && strcmp(name + n - 4, ".npz") == 0;
}

/* state_<seconds>_<digits after the point>.npz */
static bool is_time(const char *name) {
  const char *at = name + 6;
  for (int part = 0; part < 2; part++) {
    if (!isdigit((unsigned char)*at))
      return false;
    while (isdigit((unsigned char)*at))
      at++;
    if (*at++ != (part == 0 ? '_' : '.'))
      return false;
  }
  return strcmp(at, "npz") == 0;
}

/* The second part of a time is a fraction: 12345 is before 5. */
static int compare_times(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  unsigned long long p = strtoull(x + 6, NULL, 10), q = strtoull(y + 6, NULL, 10);
  return p != q ? (p < q ? -1 : 1) : strcmp(x, y);
}

static int compare_names(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  int order = ph_natural_compare(x, y);
  return order ? order : strcmp(x, y);
}

static ph_status add_chunk(ph_raw_chunks *out, const char *name) {
  if ((out->n & (out->n - 1)) == 0) {
    char **all = realloc(out->name, (out->n ? 2 * out->n : 1) * sizeof *all);
    if (!all)
      return ph_fail(PH_ENOMEM, "%s: out of memory", name);
    out->name = all;
  }
  out->name[out->n] = strdup(name);
  return out->name[out->n] ? (out->n++, PH_OK) : ph_fail(PH_ENOMEM, "%s: out of memory", name);
}

ph_status ph_raw_chunks_list(ph_raw_chunks *out, const char *folder) {
  *out = (ph_raw_chunks){0};
  DIR *dir = opendir(folder);
  if (!dir)
    return ph_fail(PH_EIO, "%s: cannot be opened: %s", folder, strerror(errno));
  ph_status status = PH_OK;
  bool times = true;
  for (struct dirent *entry; status == PH_OK && (entry = readdir(dir));) {
    if (!is_chunk(entry->d_name))
      continue;
    times = times && is_time(entry->d_name);
    status = add_chunk(out, entry->d_name);
  }
  closedir(dir);
  if (out->n > 1)
    qsort(out->name, out->n, sizeof *out->name, times ? compare_times : compare_names);
  if (status)
    ph_raw_chunks_clear(out);
  return status;
}

void ph_raw_chunks_clear(ph_raw_chunks *chunks) {
  for (size_t i = 0; i < chunks->n; i++)
    free(chunks->name[i]);
  free(chunks->name);
  *chunks = (ph_raw_chunks){0};
}

ph_status ph_raw_chunk_open(ph_npz **out, const char *folder, const char *name) {
  char path[1024];
  *out = NULL;
  if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
    return ph_fail(PH_EINVAL, "%.80s...: the path is too long", folder);
  return ph_npz_open(out, path);
}

bool ph_raw_is_states(const ph_npy *info, int64_t *rows, size_t *width) {
  bool none = info->numeric && info->count == 0 && info->dim[0] == 0;
  bool matrix = info->numeric && info->rank == 2 && info->count > 0;
  *rows = matrix ? info->dim[0] : 0;
  *width = matrix ? (size_t)info->dim[1] : 0;
  return matrix || (none && info->rank > 0);
}

int64_t ph_raw_actions(const ph_npz *npz, bool sure) {
  static const char *const names[] = {"action_infos", "actions"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    size_t i = ph_npz_find(npz, names[k]);
    if (i == SIZE_MAX || ph_npz_info(npz, i)->rank < 1)
      continue;
    if (!sure || ph_npz_check(npz, i) == PH_OK)
      return ph_npz_info(npz, i)->dim[0];
  }
  return -1;
}

int ph_raw_success(const ph_npz *npz) {
  size_t i = ph_npz_find(npz, "successful");
  double *value = NULL;
  int success = -1;
  if (i == SIZE_MAX || ph_npz_info(npz, i)->count != 1)
    return -1;
  if (ph_npz_numbers(&value, npz, i, sizeof *value) == PH_OK)
    success = *value == 0 ? 0 : *value == 1 ? 1 : -1;
  free(value);
  return success;
}

const char *ph_raw_error(const char *folder) {
  const char *text = ph_error();
  size_t n = strlen(folder);
  return strncmp(text, folder, n) == 0 && text[n] == '/' ? text + n + 1 : text;
}
