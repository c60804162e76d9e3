/* What is asked of arrays whoever holds them: their first numbers, the step between times, whether
 * they are pictures. */
#include "foreign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define BLOCK_NUMBERS 131072 /* read at a time */
#define TOGETHER_MOST                                                                              \
  ((int64_t)4 << 20)    /* numbers that are read at once because they are packed so */
#define JPEG_ROW 100    /* bytes; no encoded picture is smaller */
#define PICTURE_SIDE 16 /* pixels; a matrix of bytes can be smaller, a picture not */

/* --- numbers --- */

const char *ph_array_fault(const ph_array *array) {
  const ph_channel *c = &array->channel;
  if (!array->read || c->kind != PH_CHANNEL_NUMBERS)
    return c->note[0] ? c->note : "it is not of numbers";
  return c->width == 0 ? "its rows are empty" : NULL;
}

ph_status ph_array_shifted(const ph_array *array, int64_t first, int64_t n, double *out) {
  size_t width = array->channel.width;
  for (; n > 0 && first < 0; first++, n--)
    for (size_t i = 0; i < width; i++)
      *out++ = NAN;
  return n > 0 ? array->read(array, first, n, out) : PH_OK;
}

ph_status ph_array_first(const ph_array *array, int64_t n, double *out) {
  size_t width = array->channel.width;
  int64_t block = (int64_t)(BLOCK_NUMBERS / width) + 1;
  if (array->together > block && array->together <= TOGETHER_MOST / (int64_t)width)
    block = array->together;
  block = block < n ? block : n;
  double *buffer = width < SIZE_MAX / 16 / (size_t)(block + 1)
                       ? malloc(((size_t)block * width + 1) * sizeof *buffer)
                       : NULL;
  ph_status status = buffer ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", array->channel.name);
  for (int64_t at = 0; status == PH_OK && at < n; at += block) {
    int64_t here = n - at < block ? n - at : block;
    status = array->read(array, at, here, buffer);
    for (int64_t i = 0; status == PH_OK && i < here; i++)
      out[at + i] = buffer[(size_t)i * width];
  }
  free(buffer);
  return status;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double ph_median_gap(double *gaps, const double *time, int64_t n) {
  size_t count = 0;
  for (int64_t i = 1; i < n; i++) {
    double gap = time[i] - time[i - 1];
    if (isfinite(gap) && gap > 0)
      gaps[count++] = gap;
  }
  qsort(gaps, count, sizeof *gaps, compare);
  return count > 0 ? gaps[(count - 1) / 2] : 0;
}

/* --- pictures --- */

static bool holds_word(const char *name, const char *word) {
  for (size_t n = strlen(word); *name; name++)
    if (strncasecmp(name, word, n) == 0)
      return true;
  return false;
}

static bool named_like_picture(const char *path) {
  static const char *const words[] = {"image", "img", "rgb", "pixel", "camera", "frame", "picture"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (holds_word(path, words[i]))
      return true;
  return false;
}

static bool is_depth(int64_t n) {
  return n == 1 || n == 3 || n == 4;
}

bool ph_is_picture(const char *name, const char *type, int rank, const int64_t dim[4],
                   const char **note) {
  bool encoded = strcmp(type, "list") == 0 && rank == 1, bytes = strcmp(type, "uint8") == 0;
  for (int i = 1; i < rank && i < 4; i++)
    bytes = bytes && dim[i] > 0;
  encoded = encoded || (bytes && rank == 2 && dim[1] >= JPEG_ROW);
  if (encoded && named_like_picture(name)) {
    *note = "encoded pictures, not decoded";
    return true;
  }
  return bytes && ((rank == 4 && (is_depth(dim[3]) || is_depth(dim[1]))) ||
                   (rank == 3 && dim[1] >= PICTURE_SIDE && dim[2] >= PICTURE_SIDE &&
                    named_like_picture(name)));
}

/* --- words --- */

void ph_say_also(char *out, size_t size, const char *sentence) {
  size_t n = strlen(out);
  int more = snprintf(out + n, size - n, "%s%s", n ? "; " : "", sentence);
  size_t end = size > 4 ? size - 4 : 0;
  while (end > 0 && (out[end] & 0xc0) == 0x80) /* not within a letter */
    end--;
  if (more >= 0 && (size_t)more >= size - n && size > 4)
    memcpy(out + end, "...", 4);
}
