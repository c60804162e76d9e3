#include "foreign_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define BLOCK_BYTES ((size_t)1 << 20)

/* One state of the schema from one of the file, or from its place alone. */
static void make_state(const ph_foreign_backend *b, int64_t step, const double *in, double *out) {
  const ph_foreign_row *r = &b->row;
  out[0] = r->timed ? in[0] : (double)step * r->dt;
  if (r->raw)
    return;
  size_t skip = r->timed ? 1 : 0, n = b->state_width - 1 - r->act;
  memcpy(out + 1, in + skip, n * sizeof *out);
  for (size_t i = 0; i < r->act; i++)
    out[1 + n + i] = 0;
}

static ph_status read_states(const ph_foreign_backend *b, int64_t first, int64_t n, double *out) {
  const ph_foreign_row *r = &b->row;
  if (r->raw && !r->timed) {
    for (int64_t i = 0; i < n; i++)
      make_state(b, first + i, NULL, out + i);
    return PH_OK;
  }
  const ph_array *array = &b->foreign.arrays[b->foreign.states];
  if (r->timed && r->width == b->state_width)
    return array->read(array, first, n, out);
  int64_t block = (int64_t)(BLOCK_BYTES / sizeof *out / r->width) + 1;
  block = block < n ? block : n;
  double *rows = malloc((size_t)block * r->width * sizeof *rows);
  ph_status status = rows ? PH_OK : ph_fail(PH_ENOMEM, "states: out of memory");
  for (int64_t at = 0; status == PH_OK && at < n; at += block) {
    int64_t here = n - at < block ? n - at : block;
    status = array->read(array, first + at, here, rows);
    for (int64_t i = 0; status == PH_OK && i < here; i++)
      make_state(b, first + at + i, rows + (size_t)i * r->width,
                 out + (size_t)(at + i) * b->state_width);
  }
  free(rows);
  return status;
}

/* Bytes of 0 and 1 from numbers: whether each is what is asked for. */
static ph_status read_bytes(const ph_array *array, bool (*is)(double), int64_t first, int64_t n,
                            uint8_t *out) {
  int64_t block = (int64_t)(BLOCK_BYTES / sizeof(double));
  block = block < n ? block : n;
  double *rows = malloc((size_t)(block + 1) * sizeof *rows);
  ph_status status = rows ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", array->channel.name);
  for (int64_t at = 0; status == PH_OK && at < n; at += block) {
    int64_t here = n - at < block ? n - at : block;
    status = ph_array_shifted(array, first + at, here, rows);
    for (int64_t i = 0; status == PH_OK && i < here; i++)
      out[at + i] = first + at + i >= 0 && is(rows[i]);
  }
  free(rows);
  return status;
}

/* What is no number is not "not done". */
static bool is_set(double x) {
  return x != 0;
}

static bool is_one(double x) {
  return x == 1;
}

static bool is_near_one(double x) {
  return fabs(x - 1) <= PH_SUCCESS_NEAR;
}

/* Row 0 has no outcome; row t+1 is that of action t. */
static ph_status read_predicate(const ph_foreign *f, int64_t first, int64_t n, uint8_t *out) {
  if (first == 0 && n > 0) {
    *out++ = 0;
    first++;
    n--;
  }
  return n > 0 ? read_bytes(&f->arrays[f->success], f->success_near ? is_near_one : is_one,
                            first - 1 + f->action_shift, n, out)
               : PH_OK;
}

ph_status ph_foreign_read(const ph_backend *backend, ph_column col, int64_t first, int64_t n,
                          void *out) {
  const ph_foreign_backend *b = (const ph_foreign_backend *)backend;
  const ph_foreign *f = &b->foreign;
  switch (col) {
  case PH_COL_STATES:
    return read_states(b, first, n, out);
  case PH_COL_ACTIONS:
    return ph_array_shifted(&f->arrays[f->actions], first + f->action_shift, n, out);
  case PH_COL_REWARDS:
    return ph_array_shifted(&f->arrays[f->rewards], first + f->action_shift, n, out);
  case PH_COL_DONES:
    return read_bytes(&f->arrays[f->dones], is_set, first + f->action_shift, n, out);
  case PH_COL_PREDICATE:
    return read_predicate(f, first, n, out);
  default:
    return ph_fail(PH_ENOTFOUND, "%s: it stores no %s", f->meta.id, ph_schema_column(col)->path);
  }
}

ph_status ph_foreign_read_channel(const ph_backend *backend, size_t channel, int64_t first,
                                  int64_t n, double *out) {
  const ph_foreign_backend *b = (const ph_foreign_backend *)backend;
  const ph_array *array = &b->foreign.arrays[b->channel[channel]];
  return array->read(array, first, n, out);
}

const ph_array *ph_foreign_behind(const ph_backend *backend, ph_column col, size_t channel,
                                  int64_t *first) {
  const ph_foreign_backend *b = (const ph_foreign_backend *)backend;
  const ph_foreign *f = &b->foreign;
  *first =
      col == PH_COL_ACTIONS || col == PH_COL_REWARDS || col == PH_COL_DONES ? f->action_shift : 0;
  switch (col) {
  case PH_COL_STATES:
    return !b->row.raw && b->row.timed && b->row.width == b->state_width ? &f->arrays[f->states]
                                                                         : NULL;
  case PH_COL_ACTIONS:
    return &f->arrays[f->actions];
  case PH_COL_REWARDS:
    return &f->arrays[f->rewards];
  case PH_COL_DONES:
    return &f->arrays[f->dones];
  case PH_COL_COUNT:
    return &f->arrays[b->channel[channel]];
  default:
    return NULL;
  }
}

void ph_foreign_free(ph_backend *backend) {
  ph_foreign_backend *b = (ph_foreign_backend *)backend;
  ph_foreign_clear(&b->foreign);
  free(b->channel);
  free(b);
}
