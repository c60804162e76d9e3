/* Joins the chunks of a raw folder. Every array keeps in step with the states, or with the actions:
 * where a chunk lacks it, or it is damaged there, its rows are NaN and a finding says so. */
#include "read_raw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define SERIES_MAX 1000 /* arrays of an episode */

/* --- one chunk --- */

typedef struct chunk {
  const ph_npz *npz;
  const char *name;
  int64_t states, actions;
} chunk;

/* Reads the states. *fault: why the chunk cannot be joined, in words; "". */
static ph_status read_states(double **data, chunk *c, const ph_raw_rows *rows, size_t *width,
                             char *fault, size_t size) {
  size_t i = ph_npz_find(c->npz, "states");
  *data = NULL;
  if (i == SIZE_MAX) {
    snprintf(fault, size, "%s: it holds no states", c->name);
    return PH_OK;
  }
  const ph_npy *info = ph_npz_info(c->npz, i);
  if (!ph_raw_is_states(info, &c->states, width)) {
    snprintf(fault, size, "%s: states: %s", c->name,
             info->why[0] ? info->why : "it is no matrix of numbers");
    return PH_OK;
  }
  if (c->states > 0 && rows->width > 0 && *width != rows->width) {
    snprintf(fault, size, "%s: a state has %zu numbers; in the chunks before it has %zu", c->name,
             *width, rows->width);
    return PH_OK;
  }
  ph_status status = ph_npz_numbers(data, c->npz, i, ph_raw_left(rows, NULL));
  if (status == PH_ENOMEM || status == PH_EREFUSED || status == PH_OK)
    return status;
  snprintf(fault, size, "%s", ph_raw_error(rows->folder));
  return PH_OK;
}

/* The times within the chunk, and from the one before to this. */
static void check_times(ph_raw_rows *rows, ph_foreign *f, const chunk *c, const double *data) {
  size_t width = rows->width;
  for (int64_t r = 1; r < c->states; r++)
    rows->longest = fmax(rows->longest, data[(size_t)r * width] - data[(size_t)(r - 1) * width]);
  double leap = c->states > 0 ? data[0] - rows->end : 0;
  bool before = rows->states > 0 && c->states > 0 && !rows->hole;
  if (before && leap < 0) {
    f->time_back = rows->states;
    ph_foreign_find(f, PH_FINDING_ODDITY, rows->states, "the time goes back by %g s from %s to %s",
                    -leap, rows->last, c->name);
  } else if (before && rows->longest > 0 && leap > 1.5 * rows->longest) {
    ph_foreign_find(
        f, PH_FINDING_ODDITY, rows->states,
        "the time leaps by %g s from %s to %s, where a step takes at most %g s: a chunk "
        "may be missing",
        leap, rows->last, c->name, rows->longest);
  }
  if (c->states > 0)
    rows->end = data[(size_t)(c->states - 1) * width];
}

/* How many actions there are for the states of a chunk. */
static void check_actions(ph_raw_rows *rows, ph_foreign *f, chunk *c) {
  bool first = rows->states == 0 && !rows->hole && c->states > 0;
  c->actions = ph_raw_actions(c->npz, true);
  bool known = c->actions >= 0;
  if (!known) {
    c->actions = c->states - first;
    ph_foreign_find(f, PH_FINDING_MISSING, rows->states,
                    "%s: how many actions it holds is not known: %lld are assumed", c->name,
                    (long long)c->actions);
  } else if (first && c->actions == c->states) {
    ph_foreign_find(f, PH_FINDING_ODDITY, 0,
                    "%s: %lld states for as many actions: the state before the first action was "
                    "not recorded, or a chunk before it is missing",
                    c->name, (long long)c->states);
  } else if (c->actions + first != c->states) {
    ph_foreign_find(f, PH_FINDING_ODDITY, rows->states, "%s: %lld states for %lld actions", c->name,
                    (long long)c->states, (long long)c->actions);
  }
}

static bool is_action(const char *name) {
  return strcmp(name, "actions") == 0 || strcmp(name, "action_infos") == 0;
}

/* "float64, 3 x 4" */
static const char *shape_text(const ph_npy *info, char *out, size_t size) {
  size_t n = (size_t)snprintf(out, size, "%s", info->type);
  for (int i = 0; i < info->rank && i < 4 && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%lld", i == 0 ? ", " : " x ",
                          (long long)info->dim[i]);
  if (info->rank > 4 && n < size)
    snprintf(out + n, size - n, " x ...");
  return out;
}

/* What an array is that no chunk before has. */
static void settle_series(ph_raw_series *s, ph_foreign *f, const chunk *c) {
  const ph_npy *info = &s->shape;
  char shape[96];
  int64_t rows = info->rank > 0 ? info->dim[0] : -1;
  s->per_action = rows == c->actions && (rows != c->states || is_action(info->name));
  if (rows < 0 || (rows != c->states && rows != c->actions)) {
    s->kind = PH_RAW_APART;
    ph_foreign_find(f, PH_FINDING_MISSING, -1, "%s: %s (%s): its rows are no steps: not shown",
                    c->name, info->name, shape_text(info, shape, sizeof shape));
    return;
  }
  const char *note = info->why;
  s->image = ph_is_picture(info->name, info->type, info->rank, info->dim, &note);
  if (!info->numeric || s->image)
    snprintf(s->note, sizeof s->note, "%s", note);
  else if (s->width == 0)
    snprintf(s->note, sizeof s->note, "its rows are empty");
  else
    s->kind = PH_RAW_NUMBERS;
}

static bool same_row(const ph_npy *a, const ph_npy *b) {
  if (a->rank != b->rank || a->numeric != b->numeric)
    return false;
  for (int i = 1; i < a->rank && i < 4; i++)
    if (a->dim[i] != b->dim[i])
      return false;
  return true;
}

/* The array's series; NULL without an error: one too many. */
static ph_status meet_series(ph_raw_series **out, ph_raw_rows *rows, ph_foreign *f, const chunk *c,
                             const ph_npy *info) {
  *out = ph_raw_find(rows, info->name);
  if (*out)
    return PH_OK;
  if (rows->n == SERIES_MAX)
    return rows->dropped++, PH_OK;
  ph_raw_series *s = *out = ph_raw_add(rows, info);
  if (!s)
    return ph_fail(PH_ENOMEM, "%s: out of memory", c->name);
  settle_series(s, f, c);
  int64_t missed = s->per_action ? rows->actions : rows->states;
  if (s->kind == PH_RAW_APART || missed == 0)
    return PH_OK;
  ph_foreign_find(f, PH_FINDING_MISSING, 0, "%s: the first %lld rows are in no chunk", info->name,
                  (long long)missed);
  return ph_raw_append_side(rows, s, NULL, missed);
}

/* Appends a chunk's rows of one array; what cannot be had is left to keep_step. */
static ph_status join_member(ph_raw_rows *rows, ph_foreign *f, const chunk *c, size_t i) {
  const ph_npy *info = ph_npz_info(c->npz, i);
  double *data = NULL;
  ph_raw_series *s = NULL;
  ph_status status = meet_series(&s, rows, f, c, info);
  if (status || !s || s->kind == PH_RAW_APART)
    return status;
  int64_t expected = s->per_action ? c->actions : c->states;
  if (info->rank < 1 || info->dim[0] != expected || !same_row(info, &s->shape))
    return PH_OK;
  if (s->kind == PH_RAW_NAMED)
    return ph_raw_append(rows, s, NULL, expected);
  status = ph_npz_numbers(&data, c->npz, i, ph_raw_left(rows, s));
  if (status == PH_EREFUSED) {
    ph_raw_give_up(rows, s);
    status = ph_raw_append(rows, s, NULL, expected);
  } else if (status == PH_OK) {
    status = ph_raw_append_side(rows, s, &data, expected);
  }
  free(data);
  return status == PH_ENOMEM ? status : PH_OK;
}

/* Every array gets the rows that this chunk should have given. */
static ph_status keep_step(ph_raw_rows *rows, ph_foreign *f, const chunk *c) {
  for (size_t i = 0; i < rows->n; i++) {
    ph_raw_series *s = &rows->at[i];
    int64_t total = s->per_action ? rows->actions : rows->states;
    if (s->kind == PH_RAW_APART || s->rows >= total)
      continue;
    ph_foreign_find(f, PH_FINDING_MISSING, s->rows,
                    "%s: %s: rows %lld to %lld are not there, or damaged, or of another shape",
                    c->name, s->shape.name, (long long)s->rows, (long long)(total - 1));
    ph_status status = ph_raw_append_side(rows, s, NULL, total - s->rows);
    if (status)
      return status;
  }
  return PH_OK;
}

static void join_outcome(ph_raw_rows *rows, ph_foreign *f, const chunk *c) {
  char env[sizeof rows->env] = "";
  size_t i = ph_npz_find(c->npz, "env");
  int success = ph_raw_success(c->npz);
  rows->silent = rows->silent || success < 0;
  rows->success = success > rows->success ? success : rows->success;
  if (i == SIZE_MAX || ph_npz_text(c->npz, i, env, sizeof env) != PH_OK || !env[0])
    return;
  if (!rows->env[0])
    memcpy(rows->env, env, sizeof env);
  else if (strcmp(rows->env, env) != 0)
    ph_foreign_find(f, PH_FINDING_ODDITY, rows->states,
                    "%s: it is of %s; the chunks before are of %s", c->name, env, rows->env);
}

/* Whether it is one of those that are not joined as a channel of its own. */
static bool is_known(const char *name) {
  return strcmp(name, "states") == 0 || strcmp(name, "env") == 0 || strcmp(name, "successful") == 0;
}

/* The states first: all else is measured by them. */
static ph_status join_states(ph_raw_rows *rows, ph_foreign *f, const chunk *c, double **data,
                             size_t width) {
  ph_raw_series *s = ph_raw_find(rows, "states");
  if (!s) {
    s = ph_raw_add(rows, ph_npz_info(c->npz, ph_npz_find(c->npz, "states")));
    if (!s)
      return ph_fail(PH_ENOMEM, "%s: out of memory", c->name);
    s->kind = PH_RAW_NUMBERS;
    rows->width = width;
  }
  check_times(rows, f, c, *data);
  return ph_raw_append(rows, s, data, c->states);
}

static ph_status join_chunk(ph_raw_rows *rows, ph_foreign *f, chunk *c, char *fault, size_t size) {
  double *data = NULL;
  size_t width = 0;
  ph_status status = read_states(&data, c, rows, &width, fault, size);
  if (status || fault[0])
    return status;
  if (c->states > 0)
    status = join_states(rows, f, c, &data, width);
  free(data);
  if (status)
    return status;
  check_actions(rows, f, c);
  join_outcome(rows, f, c);
  for (size_t i = 0; status == PH_OK && i < ph_npz_count(c->npz); i++)
    if (!is_known(ph_npz_info(c->npz, i)->name))
      status = join_member(rows, f, c, i);
  rows->states += c->states;
  rows->actions += c->actions;
  if (status == PH_OK)
    status = keep_step(rows, f, c);
  rows->chunks += c->states > 0;
  return status;
}

/* --- all of them --- */

/* A chunk that cannot be joined leaves a hole; memory that is out ends it all. */
static ph_status join_or_leave(ph_raw_rows *rows, ph_foreign *f, const char *name) {
  char fault[300] = "";
  ph_npz *npz = NULL;
  ph_status status = ph_raw_chunk_open(&npz, rows->folder, name);
  if (status && status != PH_ENOMEM) {
    snprintf(fault, sizeof fault, "%s", ph_raw_error(rows->folder));
    status = PH_OK;
  }
  if (npz) {
    chunk c = {.npz = npz, .name = name};
    status = join_chunk(rows, f, &c, fault, sizeof fault);
  }
  ph_npz_close(npz);
  if (fault[0])
    ph_foreign_find(f, PH_FINDING_MISSING, rows->states, "%s: its steps are left out", fault);
  rows->silent = rows->silent || fault[0];
  rows->hole = fault[0];
  snprintf(rows->last, sizeof rows->last, "%s", name);
  return status;
}

ph_status ph_raw_join(ph_raw_rows *out, ph_foreign *findings, const char *folder,
                      const ph_raw_chunks *chunks) {
  ph_status status = PH_OK;
  *out = (ph_raw_rows){.folder = folder, .success = -1};
  for (size_t i = 0; i < chunks->n && status == PH_OK; i++)
    status = join_or_leave(out, findings, chunks->name[i]);
  if (out->success == 0 && out->silent)
    out->success = -1;
  if (out->dropped > 0)
    ph_foreign_find(findings, PH_FINDING_MISSING, -1, "%zu more arrays are not shown: %d at most",
                    out->dropped, SERIES_MAX);
  if (status)
    ph_raw_rows_clear(out);
  return status;
}
