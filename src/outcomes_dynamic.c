#include "outcomes_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis_parts.h"
#include "episode.h"
#include "fail.h"
#include "rerun_parts.h"

enum { CACHE = 1 << 20 }; /* nobody seeks */

/* Physics from the first recorded state on, beside the recording. */
struct pass {
  const ph_taking *t;
  ph_rerun *run;
  ph_cursor *cursor;
  ph_divergence *divergence;
  ph_rows_ahead rows;
  int64_t step;
};

static void pass_clear(struct pass *p) {
  ph_rows_ahead_clear(&p->rows);
  ph_divergence_free(p->divergence);
  ph_cursor_close(p->cursor);
  ph_rerun_unref(p->run);
}

static ph_status pass_make(struct pass *p) {
  const ph_taking *t = p->t;
  ph_rerun_options ro = PH_RERUN_OPTIONS_INIT;
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(t->episode, &n);
  ro.budget = CACHE;
  ph_status status = ph_rerun_create(&p->run, t->episode, t->model, t->task, &ro);
  if (status == PH_OK)
    status = ph_cursor_open(&p->cursor, p->run);
  if (status == PH_OK)
    status = ph_divergence_create(&p->divergence, t->model, edits, n);
  if (status == PH_OK)
    status = ph_rows_ahead_make(&p->rows, t->episode);
  if (status != PH_OK)
    return status;
  /* As in the kinematic walk: it never latches, so that no hold is in what it says. */
  p->cursor->referee.hold_steps = p->cursor->referee.hold.steps = INT64_MAX;
  return PH_OK;
}

/* --- leaving the recording --- */

/* "arm_wrist, 4.1e-3 rad" */
static void left_text(const struct pass *p, const ph_difference *d, char *out, size_t size) {
  char name[160], text[240];
  ph_measure m = ph_difference_worst(d, p->t->opt->tolerance);
  if (m == PH_MEASURE_COUNT) {
    const char *path = d->unequal < PH_COL_COUNT ? ph_schema_column(d->unequal)->path : "state";
    snprintf(out, size, "%s[%d], other bits", path, d->element);
    return;
  }
  ph_difference_name(d, p->t->model, m, name, sizeof name);
  ph_difference_text(d, p->t->model, m, text, sizeof text);
  size_t n = strlen(name);
  bool named = strncmp(text, name, n) == 0 && text[n] == ' ';
  if (named && isnan(d->max[m]))
    snprintf(out, size, "%s, no number", name);
  else
    snprintf(out, size, "%s%s%s", name, named ? ", " : "", named ? text + n + 1 : "");
}

static ph_status compare(struct pass *p, bool *left) {
  const ph_tolerance *tolerance = p->t->opt->tolerance;
  const ph_instant *now = ph_cursor_now(p->cursor);
  ph_row recorded;
  ph_difference d;
  *left = false;
  ph_status status = ph_rows_ahead_get(&p->rows, p->step, &recorded);
  if (status == PH_OK && !recorded.state)
    status = ph_fail(PH_EFORMAT, "step %" PRId64 ": no state is stored", p->step);
  if (status == PH_OK)
    status = ph_divergence_compare_with(p->divergence, &recorded, &now->row, now->sim,
                                        tolerance != NULL, tolerance, &d);
  if (status != PH_OK)
    return status;
  *left = tolerance ? d.cls == PH_DIVERGED : !d.equal;
  if (*left) {
    p->t->out->left = p->step;
    left_text(p, &d, p->t->out->left_text, sizeof p->t->out->left_text);
  }
  return PH_OK;
}

/* --- the pass --- */

static bool is_canceled(void *arg) {
  const struct pass *p = arg;
  return ph_take_go_on(p->t, p->step) != PH_OK;
}

static ph_status take_step(struct pass *p, bool *over) {
  ph_status status = ph_cursor_seek(p->cursor, p->step, 0, is_canceled, p);
  const ph_instant *now = ph_cursor_now(p->cursor);
  if (status == PH_ESIM) {
    ph_take_end(p->t, p->step, PH_END_NAN, ph_take_error(p->t));
    *over = true;
    return PH_OK;
  }
  if (status == PH_OK && p->step > 0)
    status = compare(p, over);
  if (status != PH_OK || *over)
    return status;
  if (!now->judged)
    return ph_fail(PH_ETASK, "%s", now->detail);
  return ph_take_ruling(p->t, p->step, now->predicate, now->end, now->detail, over);
}

/* States that there are actions for. */
static int64_t states_of(const struct pass *p) {
  int64_t states = ph_rerun_states(p->run), fed = ph_episode_rows(p->t->episode, PH_COL_ACTIONS);
  return states < fed + 1 ? states : fed + 1;
}

static ph_status run_all(struct pass *p) {
  int64_t states = states_of(p);
  bool over = false;
  for (p->step = 0; p->step < states && !over; p->step++) {
    ph_status status = take_step(p, &over);
    if (status == PH_ENOMEM || status == PH_ECANCELED)
      return status;
    if (status != PH_OK)
      return ph_take_stop(p->t, status, p->step);
  }
  return ph_take_known(p->t);
}

ph_status ph_take_dynamic(const ph_taking *t) {
  struct pass p = {.t = t};
  char reason[300];
  if (!t->model || ph_episode_guarantee(t->episode, t->model, t->task, reason, sizeof reason) ==
                       PH_STATES_ONLY) {
    if (!t->model)
      snprintf(reason, sizeof reason, "%.290s",
               t->episode->no_model[0] ? t->episode->no_model : "no model");
    return ph_take_unknown(t, ph_take_lack(t), "%s: %s", ph_guarantee_name(PH_STATES_ONLY), reason);
  }
  if (!t->task || !ph_task_info_of(t->task)->has_success)
    return ph_take_unknown(t, PH_LACK_TASK, "no task with a success condition");
  ph_status status = pass_make(&p);
  if (status == PH_OK)
    status = run_all(&p);
  else if (status != PH_ENOMEM)
    status = ph_take_unknown(t, PH_LACK_OTHER, "%s", ph_take_error(t));
  pass_clear(&p);
  return status;
}
