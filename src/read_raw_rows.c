/* Arrays of a raw folder that grow chunk by chunk, within limits of memory. */
#include "read_raw.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

void ph_raw_rows_clear(ph_raw_rows *rows) {
  for (size_t i = 0; i < rows->n; i++)
    free(rows->at[i].data);
  free(rows->at);
  *rows = (ph_raw_rows){.success = -1};
}

/* --- one array --- */

ph_raw_series *ph_raw_find(const ph_raw_rows *rows, const char *name) {
  for (size_t i = 0; i < rows->n; i++)
    if (strcmp(rows->at[i].shape.name, name) == 0)
      return &rows->at[i];
  return NULL;
}

ph_raw_series *ph_raw_add(ph_raw_rows *rows, const ph_npy *shape) {
  ph_raw_series *all = realloc(rows->at, (rows->n + 1) * sizeof *all);
  if (!all)
    return NULL;
  rows->at = all;
  ph_raw_series *s = &all[rows->n++];
  *s = (ph_raw_series){.shape = *shape, .kind = PH_RAW_NAMED, .width = 1};
  s->side = strcmp(shape->name, "states") != 0 && strcmp(shape->name, "actions") != 0;
  for (int i = 1; i < shape->rank && i < 4; i++)
    s->width *= (size_t)shape->dim[i];
  return s;
}

static size_t most_bytes(bool side) {
  return side ? PH_RAW_SIDE_MAX : PH_RAW_STATES_MAX;
}

size_t ph_raw_left(const ph_raw_rows *rows, const ph_raw_series *s) {
  bool side = s && s->side;
  return most_bytes(side) - rows->bytes[side];
}

/* Place for n more rows. PH_EREFUSED: there is none for so many. */
static ph_status make_room(ph_raw_rows *rows, ph_raw_series *s, int64_t n) {
  size_t row = s->width * sizeof *s->data;
  if (s->rows + n <= s->room || row == 0)
    return PH_OK;
  size_t most = (ph_raw_left(rows, s) + (size_t)s->room * row) / row;
  if ((size_t)(s->rows + n) > most)
    return ph_fail(PH_EREFUSED, "%s: %s: the arrays take more than %zu MiB", rows->folder,
                   s->shape.name, most_bytes(s->side) >> 20);
  int64_t room = s->rows + n + s->rows / 2;
  if ((size_t)room > most)
    room = s->rows + n;
  double *data = realloc(s->data, (size_t)room * row);
  if (!data)
    return ph_fail(PH_ENOMEM, "%s: %s: out of memory", rows->folder, s->shape.name);
  rows->bytes[s->side] += (size_t)(room - s->room) * row;
  s->data = data;
  s->room = room;
  return PH_OK;
}

/* The first rows of all, whose memory becomes the array's. */
static bool adopt(ph_raw_rows *rows, ph_raw_series *s, double **data, int64_t n) {
  size_t size = (size_t)n * s->width * sizeof **data;
  if (s->rows > 0 || s->data || !*data || size == 0 || size > ph_raw_left(rows, s))
    return false;
  rows->bytes[s->side] += size;
  s->data = *data;
  s->rows = s->room = n;
  *data = NULL;
  return true;
}

void ph_raw_give_up(ph_raw_rows *rows, ph_raw_series *s) {
  rows->bytes[s->side] -= (size_t)s->room * s->width * sizeof *s->data;
  free(s->data);
  s->data = NULL;
  s->room = 0;
  s->kind = PH_RAW_NAMED;
  snprintf(s->note, sizeof s->note, "too large: %s take more than %zu MiB",
           s->side ? "the arrays beside states and actions" : "states and actions",
           most_bytes(s->side) >> 20);
}

ph_status ph_raw_append(ph_raw_rows *rows, ph_raw_series *s, double **data, int64_t n) {
  if (s->kind != PH_RAW_NUMBERS)
    return s->rows += n, PH_OK;
  if (data && adopt(rows, s, data, n))
    return PH_OK;
  ph_status status = make_room(rows, s, n);
  if (status)
    return status;
  size_t at = (size_t)s->rows * s->width, count = (size_t)n * s->width;
  if (data && count > 0)
    memcpy(s->data + at, *data, count * sizeof **data);
  for (size_t i = 0; !data && i < count; i++)
    s->data[at + i] = NAN;
  s->rows += n;
  return PH_OK;
}

ph_status ph_raw_append_side(ph_raw_rows *rows, ph_raw_series *s, double **data, int64_t n) {
  ph_status status = ph_raw_append(rows, s, data, n);
  if (status != PH_EREFUSED)
    return status;
  ph_raw_give_up(rows, s);
  return ph_raw_append(rows, s, NULL, n);
}

/* --- as arrays --- */

static ph_status read_rows(const ph_array *array, int64_t first, int64_t n, double *out) {
  size_t width = array->channel.width;
  assert(first >= 0 && n >= 0 && first + n <= array->channel.rows);
  const double *data = array->source;
  if (n > 0 && width > 0)
    memcpy(out, data + (size_t)first * width, (size_t)n * width * sizeof *out);
  return PH_OK;
}

static void describe(ph_array *array, ph_raw_series *s, bool late) {
  ph_channel *c = &array->channel;
  bool numbers = s->kind == PH_RAW_NUMBERS;
  c->kind = numbers ? PH_CHANNEL_NUMBERS : s->image ? PH_CHANNEL_IMAGE : PH_CHANNEL_OTHER;
  snprintf(c->type, sizeof c->type, "%s", s->shape.type);
  c->rank = s->shape.rank;
  memcpy(c->dim, s->shape.dim, sizeof c->dim);
  c->dim[0] = c->rows = s->rows;
  c->width = numbers ? s->width : 0;
  c->shift = s->per_action && late ? -1 : 0;
  snprintf(c->note, sizeof c->note, "%s", s->note);
  array->stored = s->shape.stored;
  array->read = numbers ? read_rows : NULL;
  array->close = free;
  array->source = s->data;
  s->data = NULL;
}

static int compare_series(const void *a, const void *b) {
  return strcmp(((const ph_raw_series *)a)->shape.name, ((const ph_raw_series *)b)->shape.name);
}

ph_status ph_raw_hand_over(ph_foreign *out, ph_raw_rows *rows) {
  bool late = rows->states > 0 && rows->actions == rows->states;
  if (rows->n > 1)
    qsort(rows->at, rows->n, sizeof *rows->at, compare_series);
  for (size_t i = 0; i < rows->n; i++) {
    ph_raw_series *s = &rows->at[i];
    if (s->kind == PH_RAW_APART)
      continue;
    ph_array *array = ph_foreign_add(out, s->shape.name);
    if (!array)
      return PH_ENOMEM;
    describe(array, s, late);
    int place = (int)out->narrays - 1;
    if (strcmp(s->shape.name, "states") == 0)
      out->states = place;
    if (strcmp(s->shape.name, "actions") == 0 && s->kind == PH_RAW_NUMBERS)
      out->actions = place;
  }
  out->action_shift = late ? 1 : 0;
  return PH_OK;
}
