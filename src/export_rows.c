/* Rows of an array as NumPy has them, in the type and shape of the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "fail.h"
#include "foreign.h"

/* --- types --- */

enum kind { REAL, HALF, SINGLE, WHOLE };

/* A type of NumPy's; the least and the greatest of whole numbers. */
struct type {
  const char *name, *descr;
  size_t size;
  enum kind kind;
  double least, most;
};

#define LARGEST 9007199254740992.0 /* 2^53: doubles beyond may have been rounded on the way */

static const struct type types[] = {
    {"float64", "<f8", 8, REAL, 0, 0},          {"float32", "<f4", 4, SINGLE, 0, 0},
    {"float16", "<f2", 2, HALF, 0, 0},          {"bool", "|b1", 1, WHOLE, 0, 1},
    {"uint8", "|u1", 1, WHOLE, 0, UINT8_MAX},   {"int8", "|i1", 1, WHOLE, INT8_MIN, INT8_MAX},
    {"uint16", "<u2", 2, WHOLE, 0, UINT16_MAX}, {"int16", "<i2", 2, WHOLE, INT16_MIN, INT16_MAX},
    {"uint32", "<u4", 4, WHOLE, 0, UINT32_MAX}, {"int32", "<i4", 4, WHOLE, INT32_MIN, INT32_MAX},
    {"uint64", "<u8", 8, WHOLE, 0, LARGEST},    {"int64", "<i8", 8, WHOLE, -LARGEST, LARGEST},
};

static const struct type *type_named(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, name) == 0)
      return &types[i];
  return &types[0];
}

/* What the file says; of columns that are no array of it what is read. */
static const struct type *wanted_type(const ph_episode *episode, const ph_track *array) {
  int64_t first;
  const ph_array *own = ph_track_behind(episode, array, &first);
  size_t n;
  if (own)
    return type_named(own->channel.type);
  if (array->channel >= 0)
    return type_named(ph_episode_channels(episode, &n)[array->channel].type);
  if (ph_schema_column(array->column)->type == PH_U8)
    return type_named("uint8");
  return type_named(ph_episode_stored_type(episode, array->column) == PH_F32 ? "float32"
                                                                             : "float64");
}

/* --- numbers --- */

/* The bits of a half; false: it is none. */
static bool half_of(double value, uint16_t *out) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  int exponent;
  if (isnan(value) || isinf(value))
    return *out = (uint16_t)(sign | (isnan(value) ? 0x7e00 : 0x7c00)), true;
  frexp(size, &exponent); /* size = f 2^exponent, f from 1/2 to below 1 */
  if (size == 0 || exponent < -13)
    exponent = -13; /* the least step there is: 2^-24 */
  double steps = ldexp(size, 11 - exponent);
  if (exponent > 16 || steps != trunc(steps))
    return false;
  /* steps has the leading 1 of a normal number, which adds one to the exponent. */
  *out = (uint16_t)(sign | (uint16_t)(((exponent + 13) << 10) + (int)steps));
  return true;
}

/* A number as the type has it; false: the type does not have it. */
static bool convert(const struct type *type, double value, void *out) {
  float single = (float)value;
  uint16_t half = 0;
  switch (type->kind) {
  case REAL:
    memcpy(out, &value, sizeof value);
    return true;
  case SINGLE:
    memcpy(out, &single, sizeof single);
    return isnan(value) || (double)single == value;
  case HALF: {
    bool is_half = half_of(value, &half);
    memcpy(out, &half, sizeof half);
    return is_half;
  }
  case WHOLE:
    break;
  }
  if (!(value >= type->least && value <= type->most) || value != trunc(value) ||
      (value == 0 && signbit(value)))
    return false;
  int64_t whole = (int64_t)value;
  memcpy(out, &whole, type->size); /* little-endian */
  return true;
}

/* n doubles to `type` where they lie, or left as they are where it does not hold them all. */
static const struct type *narrow(double *rows, size_t n, const struct type *type) {
  char *to = (char *)rows, element[8];
  for (size_t i = 0; i < n; i++)
    if (!convert(type, rows[i], element))
      return &types[0];
  for (size_t i = 0; i < n; i++) {
    convert(type, rows[i], element);
    memcpy(to + i * type->size, element, type->size);
  }
  return type;
}

/* --- arrays --- */

static int shape_of(const ph_episode *episode, const ph_track *array, int64_t dim[4]) {
  int64_t first;
  size_t n;
  const ph_array *own = ph_track_behind(episode, array, &first);
  const ph_channel *channel = own ? &own->channel : NULL;
  if (array->column == PH_COL_STATES && !ph_track_divided(episode))
    return 1;
  if (!channel && array->channel >= 0)
    channel = &ph_episode_channels(episode, &n)[array->channel];
  if (!channel)
    return 1 + ph_schema_shape(array->column, &ph_episode_meta_of(episode)->dims, dim + 1);
  memcpy(dim, channel->dim, sizeof channel->dim);
  return channel->rank;
}

ph_status ph_export_rows(ph_npz_writer *npz, const ph_episode *episode, const ph_track *array,
                         int64_t first, int64_t n, bool alone) {
  int64_t dim[4];
  int rank = shape_of(episode, array, dim);
  bool is_signed, whole = ph_track_whole(episode, array, &is_signed);
  size_t width = ph_track_width(episode, array), size;
  dim[0] = n;
  if (__builtin_mul_overflow((size_t)n, width * sizeof(double), &size))
    return ph_fail(PH_ENOMEM, "%s: out of memory", array->name);
  void *rows = malloc(size > 0 ? size : 1);
  if (!rows)
    return ph_fail(PH_ENOMEM, "%s: %zu bytes: out of memory", array->name, size);
  const struct type *type = wanted_type(episode, array);
  ph_status status = whole ? ph_track_whole_rows(episode, array, first, n, rows)
                           : ph_track_rows(episode, array, first, n, rows);
  if (status == PH_OK && !whole)
    type = narrow(rows, (size_t)n * width, type);
  if (status == PH_OK)
    status =
        ph_npz_add_as(npz, array->name, type->descr, type->size, rank - alone, dim + alone, rows);
  free(rows);
  return status;
}
