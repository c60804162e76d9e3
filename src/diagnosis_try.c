#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "fail.h"
#include "rerun_parts.h"

/* --- what the states themselves say --- */

enum { ROWS = 24 };

static bool canceled(const ph_bench *b) {
  return b->cancel && b->cancel(b->arg);
}

static ph_status stop(void) {
  return ph_fail(PH_ECANCELED, "diagnosis: canceled");
}

/* Whether a float32 holds the number; *fine: with more digits than a round number has. */
static bool single(double x, bool *fine) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  *fine = (bits & 0xff) != 0;
  return (double)f == x;
}

struct digits {
  int64_t fine, more;
};

static void count_digits(struct digits *digits, const double *state, size_t n) {
  for (size_t i = 1; i < n; i++) {
    bool fine;
    bool fits = single(state[i], &fine);
    digits->more += !fits;
    digits->fine += fits && fine;
  }
}

static int by_value(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static double median_of(double *values, size_t n) {
  if (n == 0)
    return NAN;
  qsort(values, n, sizeof *values, by_value);
  return values[n / 2];
}

/* How long a step is by the times of the states: the median, where most agree with it. */
static void read_dt(ph_bench *b, double *dts, size_t n) {
  double timestep = b->run->timestep, dt = median_of(dts, n);
  size_t agree = 0;
  for (size_t i = 0; i < n; i++)
    agree += fabs(dts[i] - dt) <= 1e-6 * fabs(dt) + 1e-9;
  if (n == 0 || !(dt > 0) || agree * 2 < n)
    return;
  b->dt = dt;
  double k = dt / timestep;
  if (k > 0.5 && k < 10000 && fabs(k - rint(k)) < 1e-4 * k)
    b->implied = (int)rint(k);
}

static ph_status read_states(ph_bench *b) {
  size_t width = ph_schema_width(PH_COL_STATES, &ph_episode_meta_of(b->episode)->dims);
  int64_t states = ph_episode_meta_of(b->episode)->states;
  double *rows = malloc(2 * width * sizeof *rows), dts[ROWS];
  struct digits digits = {0, 0};
  size_t ndts = 0;
  if (!rows)
    return ph_fail(PH_ENOMEM, "diagnosis: no memory");
  for (int64_t i = 0; i < ROWS && i + 1 < states; i++) {
    int64_t at = states <= ROWS ? i : i * (states - 2) / (ROWS - 1);
    if (ph_episode_read(b->episode, PH_COL_STATES, at, 2, rows) != PH_OK)
      continue;
    count_digits(&digits, rows, width);
    dts[ndts++] = rows[width] - rows[0];
  }
  free(rows);
  b->float32 = ph_episode_stored_type(b->episode, PH_COL_STATES) == PH_F32 ||
               (digits.more == 0 && digits.fine >= 16);
  read_dt(b, dts, ndts);
  return PH_OK;
}

/* --- life --- */

static ph_status plain_sim(ph_bench *b) {
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(b->episode, &n);
  ph_status status = ph_sim_create(&b->sim, b->run->model);
  if (status == PH_OK)
    status = ph_sim_edit(b->sim, edits, n);
  if (status == PH_OK)
    status = ph_rerun_apply(b->sim, b->run->changes, b->run->opt.nchanges);
  if (status == PH_OK)
    status = ph_divergence_create(&b->divergence, b->run->model, edits, n);
  return status;
}

ph_status ph_bench_open(ph_bench *out, const ph_analysis *a, bool (*cancel)(void *), void *arg) {
  const ph_rerun *run = ph_analysis_rerun(a);
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  memset(out, 0, sizeof *out);
  out->analysis = a;
  out->episode = ph_rerun_episode(run);
  out->tolerance = ph_analysis_tolerance(a);
  out->cancel = cancel;
  out->arg = arg;
  opt.changes = run->changes;
  opt.nchanges = run->opt.nchanges;
  opt.recipe = (int)run->recipe;
  opt.control_steps = ph_rerun_control_steps(run);
  opt.budget = 1; /* no state of it is kept for long */
  ph_status status = ph_rerun_create(&out->run, out->episode, run->model, run->task, &opt);
  if (status == PH_OK)
    status = ph_cursor_open(&out->cursor, out->run);
  if (status == PH_OK)
    status = plain_sim(out);
  if (status == PH_OK)
    status = read_states(out);
  if (status != PH_OK) {
    ph_bench_close(out);
    return status;
  }
  out->warmstart =
      ph_model_dims(run->model)->nv == 0 || ph_episode_has(out->episode, PH_COL_WARMSTART);
  return PH_OK;
}

void ph_bench_close(ph_bench *b) {
  ph_divergence_free(b->divergence);
  ph_sim_free(b->sim);
  ph_cursor_close(b->cursor);
  ph_rerun_unref(b->run);
  memset(b, 0, sizeof *b);
}

/* --- single steps --- */

static bool is_free(ph_bench *b, int64_t state) {
  ph_row row;
  return ph_rerun_row(b->cursor, state, &row) == PH_OK && ph_sim_set_row(b->sim, &row) == PH_OK &&
         ph_sim_forward(b->sim) == PH_OK && b->sim->d->nefc == 0;
}

ph_status ph_bench_mark_free(ph_bench *b, ph_pick *picks, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (canceled(b))
      return stop();
    picks[i].begins_free = is_free(b, picks[i].step);
    picks[i].free = picks[i].begins_free && is_free(b, picks[i].step + 1);
    if (b->sim->invalid && ph_sim_reset(b->sim) != PH_OK)
      return ph_fail_in(PH_ESIM, "diagnosis");
  }
  return PH_OK;
}

double ph_ratio(const ph_difference *d, const ph_tolerance *tolerance) {
  double worst = 0;
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    if (m == PH_MEASURE_CTRL || m == PH_MEASURE_BODY_PLACE || m == PH_MEASURE_BODY_ANGLE)
      continue;
    double e = d->max[m];
    if (isnan(e) || isinf(e))
      return INFINITY;
    double of = tolerance->of[m] > 0 ? tolerance->of[m] : 1e-3;
    worst = fmax(worst, e / of);
  }
  return worst;
}

static bool within_rounding(const ph_difference *d) {
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (m != PH_MEASURE_CTRL && m != PH_MEASURE_BODY_PLACE && m != PH_MEASURE_BODY_ANGLE &&
        !(d->max[m] < PH_ROUNDING_ERROR))
      return false;
  return true;
}

/* "demo_0: step 60: simulation: WHY" */
static void note_stop(ph_trial *out, int64_t step) {
  static const char simulation[] = "simulation: ";
  char head[40];
  const char *why = ph_error();
  snprintf(head, sizeof head, "step %lld: ", (long long)step);
  const char *at = strstr(why, head);
  why = at ? at + strlen(head) : why;
  why += strncmp(why, simulation, strlen(simulation)) == 0 ? strlen(simulation) : 0;
  if (out->stops++ == 0)
    snprintf(out->stop, sizeof out->stop, "%.*s", (int)sizeof out->stop - 1, why);
}

/* Takes what a step came to; dynamic is NULL where the engine stopped. */
static ph_status take(ph_bench *b, const ph_pick *pick, const ph_row *dynamic, double *errors,
                      ph_trial *out) {
  const ph_dims *dims = &b->run->dims;
  ph_row recorded;
  ph_difference d = {.unequal = PH_COL_COUNT, .cls = PH_DIVERGED};
  double error = INFINITY;
  size_t width = ph_schema_width(PH_COL_STATES, dims), nv = (size_t)dims->nv;
  if (ph_rerun_row(b->cursor, pick->step + 1, &recorded) != PH_OK)
    return PH_OK;
  if (dynamic) {
    ph_status status =
        ph_divergence_compare(b->divergence, &recorded, dynamic, false, b->tolerance, &d);
    if (status != PH_OK)
      return status;
    error = ph_ratio(&d, b->tolerance);
  }
  bool fits = dynamic && within_rounding(&d);
  bool same = dynamic && memcmp(recorded.state, dynamic->state, width * sizeof(double)) == 0;
  errors[out->n++] = error;
  out->fits += fits;
  out->same += same;
  out->timely += dynamic && fabs(recorded.state[0] - dynamic->state[0]) < 1e-9;
  out->free_n += pick->free;
  out->free_fits += pick->free && fits;
  out->free_same += pick->free && same;
  if (!fits && out->nleft < PH_SPIKES)
    out->left[out->nleft++] = pick->step + 1;
  if (same && recorded.warmstart && dynamic->warmstart && nv > 0) {
    out->warm_n++;
    out->warm_unequal += memcmp(recorded.warmstart, dynamic->warmstart, nv * sizeof(double)) != 0;
  }
  if (out->n == 1 || error > out->worst) {
    out->worst = error;
    out->worst_step = pick->step + 1;
    out->difference = d;
  }
  return PH_OK;
}

/* Of the cursor's model alone. */
static ph_status set_timestep(ph_bench *b, double timestep) {
  ph_sim *sim = b->cursor->sim;
  if (timestep <= 0 && !sim->private_model)
    return PH_OK;
  ph_status status = sim->invalid ? ph_rerun_prepare(b->cursor) : PH_OK;
  if (status == PH_OK)
    status = ph_sim_private_model(sim);
  if (status == PH_OK)
    sim->m->opt.timestep = timestep > 0 ? timestep : b->run->timestep;
  return status;
}

static void vary(ph_bench *b, const ph_variant *v) {
  b->run->recipe = v->recipe;
  b->run->dims.control_steps = v->control_steps;
  b->run->opt.shift = v->shift;
  b->run->opt.cold = v->cold;
}

static ph_status try_one(ph_bench *b, const ph_variant *v, const ph_pick *pick, double *errors,
                         ph_trial *out) {
  b->run->opt.anchor = v->cold ? pick->step : 0; /* that is where it is cold */
  ph_status status = set_timestep(b, v->timestep);
  if (status == PH_OK)
    status = ph_cursor_one_row(b->cursor, pick->step);
  if (status != PH_OK && !ph_rerun_of_step(status))
    return status;
  if (status != PH_OK && status != PH_ESIM)
    return PH_OK; /* the file's fault, not the variant's */
  if (status == PH_ESIM)
    note_stop(out, pick->step);
  return take(b, pick, status == PH_OK ? &ph_cursor_now(b->cursor)->row : NULL, errors, out);
}

ph_status ph_bench_try(ph_bench *b, const ph_variant *v, const ph_pick *picks, size_t n,
                       ph_trial *out) {
  double *errors = malloc((n + 1) * sizeof *errors);
  ph_status status = errors ? PH_OK : ph_fail(PH_ENOMEM, "diagnosis: no memory");
  memset(out, 0, sizeof *out);
  out->variant = *v;
  vary(b, v);
  for (size_t i = 0; i < n && status == PH_OK; i++)
    status = canceled(b) ? stop() : try_one(b, v, &picks[i], errors, out);
  if (status == PH_OK)
    out->median = median_of(errors, (size_t)out->n);
  free(errors);
  return status;
}
static bool copy_ctrl(ph_bench *b, int64_t state, double *ctrl) {
  ph_row row;
  if (ph_rerun_row(b->cursor, state, &row) != PH_OK || !row.ctrl)
    return false;
  memcpy(ctrl, row.ctrl, (size_t)b->run->dims.nu * sizeof *ctrl);
  return true;
}

static ph_status own_step(ph_bench *b, const ph_variant *v, const ph_pick *pick, double *ctrl,
                          ph_row *row) {
  bool warned;
  if (!copy_ctrl(b, pick->step + 1, ctrl))
    return PH_ECORRUPT;
  ph_status status = ph_rerun_row(b->cursor, pick->step, row);
  if (status == PH_OK)
    status = ph_sim_set_row(b->sim, row);
  if (status == PH_OK)
    status = ph_sim_step(b->sim, ctrl, v->control_steps, &warned);
  if (status == PH_OK)
    status = ph_sim_get_row(b->sim, row);
  return status;
}

ph_status ph_bench_own_ctrl(ph_bench *b, const ph_variant *v, const ph_pick *picks, size_t n,
                            ph_trial *out) {
  double errors[PH_CHECKS], *ctrl = calloc((size_t)b->run->dims.nu + 1, sizeof *ctrl);
  ph_status status = ctrl ? PH_OK : ph_fail(PH_ENOMEM, "diagnosis: no memory");
  memset(out, 0, sizeof *out);
  out->variant = *v;
  for (size_t i = 0; status == PH_OK && i < n && i < PH_CHECKS; i++) {
    ph_row row;
    if (canceled(b)) {
      status = stop();
      break;
    }
    ph_status stepped = own_step(b, v, &picks[i], ctrl, &row);
    if (stepped != PH_OK && b->sim->invalid)
      status = ph_sim_reset(b->sim);
    if (status == PH_OK && (stepped == PH_OK || stepped == PH_ESIM))
      status = take(b, &picks[i], stepped == PH_OK ? &row : NULL, errors, out);
  }
  out->median = median_of(errors, (size_t)out->n);
  free(ctrl);
  return status;
}

ph_status ph_bench_ctrl(ph_bench *b, const ph_variant *v, int64_t state, ph_findings *out) {
  ph_row recorded;
  out->ctrl_step = -1;
  vary(b, v);
  b->run->opt.anchor = 0;
  ph_status status = state > 0 ? set_timestep(b, v->timestep) : PH_ENOTFOUND;
  if (status == PH_OK)
    status = ph_cursor_one_row(b->cursor, state - 1);
  if (status == PH_OK)
    status = ph_rerun_row(b->cursor, state, &recorded);
  const double *ctrl = status == PH_OK ? ph_cursor_now(b->cursor)->row.ctrl : NULL;
  if (!ctrl || !recorded.ctrl)
    return ph_rerun_of_step(status) || status == PH_ENOTFOUND ? PH_OK : status;
  for (int i = 0; i < b->run->dims.nu; i++)
    if (memcmp(&ctrl[i], &recorded.ctrl[i], sizeof *ctrl)) {
      out->ctrl_step = state;
      out->ctrl_element = i;
      out->ctrl_file = recorded.ctrl[i];
      out->ctrl_run = ctrl[i];
      break;
    }
  return PH_OK;
}

/* Bits of the state do not hide so much of what led to it: it is no rounding. */
static void note_parting(const double *file, const double *run, int n, int64_t state,
                         ph_parting *out) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double error = fabs(file[i] - run[i]) / (1 + fabs(run[i]));
    if (error > 1e-9 && error > most) {
      most = error;
      *out = (ph_parting){state, i, file[i], run[i]};
    }
  }
}

ph_status ph_bench_parting(ph_bench *b, const ph_variant *v, const ph_evidence *e,
                           ph_parting *out) {
  int64_t state = e->unequal_first, span = e->unequal_last - state + 1;
  ph_row recorded;
  *out = (ph_parting){0};
  if (state < 2 || !ph_episode_has(b->episode, PH_COL_WARMSTART) ||
      (e->transitions - e->equal) * 4 < span * 3 || span < 5)
    return PH_OK;
  vary(b, v);
  b->run->opt.anchor = 0;
  ph_status status = set_timestep(b, v->timestep);
  if (status == PH_OK)
    status = ph_cursor_one_row(b->cursor, state - 1);
  if (status == PH_OK)
    status = ph_rerun_row(b->cursor, state, &recorded);
  if (status != PH_OK)
    return ph_rerun_of_step(status) ? PH_OK : status;
  const ph_row *run = &ph_cursor_now(b->cursor)->row;
  size_t width = ph_schema_width(PH_COL_STATES, &b->run->dims);
  if (recorded.warmstart && run->warmstart &&
      memcmp(recorded.state, run->state, width * sizeof(double)) == 0)
    note_parting(recorded.warmstart, run->warmstart, b->run->dims.nv, state, out);
  return PH_OK;
}

bool ph_trial_better(const ph_trial *x, const ph_trial *y) {
  if (x->n == 0 || y->n == 0)
    return x->n > 0;
  if (x->fits != y->fits)
    return x->fits > y->fits;
  if (x->same != y->same)
    return x->same > y->same;
  if (x->timely != y->timely && x->fits > 0)
    return x->timely > y->timely;
  return x->median < y->median;
}

bool ph_trial_right_when_free(const ph_trial *x, const ph_trial *y) {
  return x->free_n >= 4 && x->free_fits == x->free_n && y->free_fits * 4 <= y->free_n &&
         x->median < y->median;
}
