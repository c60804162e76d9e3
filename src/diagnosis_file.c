#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "fail.h"
#include "rerun_parts.h"

/* --- numbers that are none --- */

static bool look(const ph_episode *episode, ph_column col, int64_t step, double *row,
                 ph_none *out) {
  size_t width = ph_schema_width(col, &ph_episode_meta_of(episode)->dims);
  if (step < 0 || !ph_episode_has(episode, col) || step >= ph_episode_rows(episode, col) ||
      ph_episode_read(episode, col, step, 1, row) != PH_OK)
    return false;
  for (size_t i = 0; i < width; i++)
    if (!isfinite(row[i])) {
      if (out->col == PH_COL_COUNT || step < out->step)
        out->col = col, out->step = step, out->element = i;
      return true;
    }
  return false;
}

/* Whether one is where a step begins, or ends. */
static bool look_around(const ph_episode *episode, int64_t to, double *row, ph_none *out) {
  return look(episode, PH_COL_ACTIONS, to - 1, row, out) ||
         look(episode, PH_COL_STATES, to - 1, row, out) ||
         look(episode, PH_COL_WARMSTART, to - 1, row, out) ||
         look(episode, PH_COL_STATES, to, row, out);
}

ph_status ph_bench_none(ph_bench *b, const ph_evidence *e, ph_none *out) {
  const ph_dims *dims = &ph_episode_meta_of(b->episode)->dims;
  size_t width = ph_schema_width(PH_COL_STATES, dims) + (size_t)dims->action_dim + 1;
  double *row = malloc(width * sizeof *row);
  *out = (ph_none){.col = PH_COL_COUNT};
  if (!row)
    return ph_fail(PH_ENOMEM, "diagnosis: no memory");
  for (size_t i = 0; i < e->nspikes; i++)
    out->n += look_around(b->episode, e->spike[i], row, out);
  for (size_t i = 0; i < e->ngaps; i++)
    out->gaps += look_around(b->episode, e->gap[i], row, out);
  free(row);
  return PH_OK;
}

/* What is wrong after it has to be a warmstart's. */
bool ph_findings_part(const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  const ph_solver_part *solver = &f->solver;
  const ph_trial *t = &f->as_is;
  if (f->parting.state == 0 || t->free_same < t->free_n ||
      (f->best.same > t->same && f->best.same == f->best.n))
    return false;
  return e->bad == 0 || (solver->all && solver->n > 0 && solver->moved * 4 >= solver->n * 3);
}

bool ph_findings_lack_warmstart(const ph_findings *f, const ph_trial *t) {
  return !f->warmstart && t->free_n < t->n;
}

bool ph_findings_hold_none(const ph_findings *f) {
  const ph_evidence *e = f->evidence;
  return f->none.n + f->none.gaps > 0 && f->none.n == e->bad && e->equal + e->bad == e->transitions;
}

size_t ph_findings_steps(const ph_findings *f, int64_t out[PH_SPIKES]) {
  const ph_evidence *e = f->evidence;
  size_t n = 0, i = 0, k = 0;
  while (n < PH_SPIKES && (i < e->nspikes || k < e->ngaps)) {
    bool spike = k == e->ngaps || (i < e->nspikes && e->spike[i] < e->gap[k]);
    out[n++] = spike ? e->spike[i++] : e->gap[k++];
  }
  return n;
}

/* --- what the engine refuses --- */

/* Beyond what it takes as a ctrl. */
static bool too_large(double x) {
  return !(fabs(x) <= 1e10);
}

/* The action of a step, where it is what the engine refuses. */
static ph_status find_action(ph_bench *b, int64_t row, int64_t *out) {
  size_t n = (size_t)b->run->dims.action_dim;
  if (b->run->substeps || row < 0 || row >= ph_episode_rows(b->episode, PH_COL_ACTIONS))
    return PH_OK;
  double *action = malloc((n + 1) * sizeof *action);
  if (!action)
    return ph_fail(PH_ENOMEM, "diagnosis: no memory");
  if (ph_episode_read(b->episode, PH_COL_ACTIONS, row, 1, action) == PH_OK)
    for (size_t i = 0; i < n && *out < 0; i++)
      *out = too_large(action[i]) ? row : -1;
  free(action);
  return PH_OK;
}

ph_status ph_bench_refused(ph_bench *b, const ph_variant *v, const ph_evidence *e,
                           ph_refused *out) {
  ph_pick pick[PH_SPIKES];
  *out = (ph_refused){.action = -1};
  for (size_t i = 0; i < e->nstops; i++)
    pick[i] = (ph_pick){.step = e->stop[i] - 1, .bad = true};
  ph_status status = ph_bench_try(b, v, pick, e->nstops, &out->trial);
  if (status == PH_OK && out->trial.stops > 0)
    status = find_action(b, out->trial.worst_step - 1 + v->shift, &out->action);
  return status;
}

bool ph_findings_refused(const ph_findings *f) {
  const ph_trial *t = &f->refused.trial;
  return t->stops > 0 && t->stops == t->n && f->evidence->stopped == f->evidence->bad;
}

/* --- the solver's part --- */

/* A step of the plain sim from a recorded state, with a warmstart in place of what it has. */
static ph_status step_from(ph_bench *b, const ph_row *row, const double *warmstart,
                           const double *ctrl, int steps, double *state) {
  ph_row from = *row;
  bool warned;
  from.warmstart = warmstart;
  ph_status status = ph_sim_set_row(b->sim, &from);
  if (status == PH_OK)
    status = ph_sim_step(b->sim, ctrl, steps, &warned);
  if (status == PH_OK)
    status = ph_sim_get_row(b->sim, &from);
  if (status == PH_OK)
    memcpy(state, from.state, ph_schema_width(PH_COL_STATES, &b->run->dims) * sizeof *state);
  return status;
}

/* The accelerations of a recorded state: a warmstart that is as good as the one before it. */
static ph_status solved(ph_bench *b, const ph_row *row, double *warmstart) {
  ph_status status = ph_sim_set_row(b->sim, row);
  if (status == PH_OK)
    status = ph_sim_forward(b->sim);
  if (status == PH_OK)
    memcpy(warmstart, b->sim->d->qacc, (size_t)b->run->dims.nv * sizeof *warmstart);
  return status;
}

static ph_status apart(ph_bench *b, const double *x, const double *y, double *out) {
  ph_difference d;
  ph_row rows[2] = {{.state = x}, {.state = y}};
  ph_status status =
      ph_divergence_compare(b->divergence, &rows[0], &rows[1], false, b->tolerance, &d);
  *out = status == PH_OK ? ph_ratio(&d, b->tolerance) : INFINITY;
  return status;
}

/* Whether two warmstarts lead apart by a part of the error: else that is another's. buffer: three
 * states and two warmstarts. PH_ENOTFOUND: it cannot be told. */
static ph_status moves(ph_bench *b, const ph_variant *v, int64_t to, double *buffer, bool *out) {
  size_t width = ph_schema_width(PH_COL_STATES, &b->run->dims), nv = (size_t)b->run->dims.nv;
  double *recorded = buffer, *one = buffer + width, *other = one + width, *zero = other + width;
  double *warm = zero + nv, error, way;
  ph_row row;
  ph_status status = ph_rerun_row(b->cursor, to, &row);
  if (status == PH_OK)
    memcpy(recorded, row.state, width * sizeof *recorded);
  if (status == PH_OK)
    status = ph_cursor_one_row(b->cursor, to - 1);
  const double *ctrl = status == PH_OK ? ph_cursor_now(b->cursor)->row.ctrl : NULL;
  if (status == PH_OK)
    status = ph_rerun_row(b->cursor, to - 1, &row);
  if (status == PH_OK)
    status = solved(b, &row, warm);
  if (status == PH_OK)
    status = step_from(b, &row, warm, ctrl, v->control_steps, other);
  memset(zero, 0, nv * sizeof *zero);
  if (status == PH_OK)
    status = step_from(b, &row, row.warmstart ? row.warmstart : zero, ctrl, v->control_steps, one);
  if (status == PH_OK)
    status = apart(b, recorded, one, &error);
  if (status == PH_OK)
    status = apart(b, one, other, &way);
  if (status != PH_OK && b->sim->invalid && ph_sim_reset(b->sim) != PH_OK)
    return ph_fail_in(PH_ESIM, "diagnosis");
  if (status != PH_OK)
    return ph_rerun_of_step(status) ? PH_ENOTFOUND : status;
  *out = way >= 0.02 * error;
  return PH_OK;
}

static ph_status count_moved(ph_bench *b, const ph_variant *v, const ph_evidence *e,
                             ph_solver_part *out) {
  size_t width = ph_schema_width(PH_COL_STATES, &b->run->dims), nv = (size_t)b->run->dims.nv;
  double *buffer = calloc(3 * width + 2 * nv + 1, sizeof *buffer);
  ph_status status = buffer ? PH_OK : ph_fail(PH_ENOMEM, "diagnosis: no memory");
  int64_t worst = ph_evidence_worst(e, b->tolerance);
  bool moved = false;
  for (size_t i = 0; status == PH_OK && i < e->ncandidates && out->n < PH_PROBES; i++) {
    status = moves(b, v, e->candidate[i].step + 1, buffer, &moved);
    out->n += status == PH_OK;
    out->moved += status == PH_OK && moved;
    status = status == PH_ENOTFOUND ? PH_OK : status;
  }
  if (status == PH_OK && worst > 0)
    status = moves(b, v, worst, buffer, &moved);
  out->worst = worst <= 0 || (status == PH_OK && moved);
  free(buffer);
  return status == PH_ENOTFOUND ? PH_OK : status;
}

ph_status ph_bench_solver(ph_bench *b, const ph_variant *v, ph_evidence *e, ph_solver_part *out) {
  ph_pick spike[PH_SPIKES];
  *out = (ph_solver_part){.all = true, .worst = true};
  for (size_t i = 0; i < e->nspikes; i++)
    spike[i] = (ph_pick){.step = e->spike[i] - 1, .bad = true};
  ph_status status = ph_bench_mark_free(b, spike, e->nspikes);
  for (size_t i = 0; i < e->nspikes; i++)
    out->all = out->all && !spike[i].free;
  for (size_t i = 0; i < e->ncandidates; i++)
    out->all = out->all && !e->candidate[i].free;
  if (status != PH_OK || !out->all || e->bad == 0)
    return status;
  return count_moved(b, v, e, out);
}

/* --- what drives physics --- */

/* It may have been another already before the state that is the first to be off. */
ph_status ph_bench_turned(ph_bench *b, int64_t state, ph_column *out) {
  static const ph_column drives[] = {PH_COL_EQ_ACTIVE, PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED,
                                     PH_COL_USERDATA};
  const ph_dims *dims = &ph_episode_meta_of(b->episode)->dims;
  *out = PH_COL_COUNT;
  for (size_t i = 0; i < sizeof drives / sizeof *drives && *out == PH_COL_COUNT; i++) {
    size_t size =
        ph_schema_width(drives[i], dims) * ph_type_size(ph_schema_column(drives[i])->type);
    if (state < 1 || size == 0 || !ph_episode_has(b->episode, drives[i]) ||
        state >= ph_episode_rows(b->episode, drives[i]))
      continue;
    uint8_t *rows = malloc(2 * size);
    if (!rows)
      return ph_fail(PH_ENOMEM, "diagnosis: no memory");
    if (ph_episode_read(b->episode, drives[i], state - 1, 2, rows) == PH_OK &&
        memcmp(rows, rows + size, size) != 0)
      *out = drives[i];
    free(rows);
  }
  return PH_OK;
}
