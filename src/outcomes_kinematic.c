#include "outcomes_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis_parts.h"
#include "episode.h"
#include "fail.h"
#include "replay_fit.h"
#include "rerun_parts.h"

/* A walk along the recorded states. The referee never latches: what a task says of a state does
 * not depend on the hold, and success outranks the other ends at the row of a latch alone. */
struct walk {
  const ph_taking *t;
  const uint8_t *bits; /* of a judge from outside, in place of the predicate; NULL */
  ph_sim *sim;
  ph_rows_ahead rows;
  ph_block actions;
  ph_referee referee;
};

static void walk_clear(struct walk *w) {
  ph_referee_end(&w->referee);
  ph_block_free(&w->actions);
  ph_rows_ahead_clear(&w->rows);
  ph_sim_free(w->sim);
}

static ph_status walk_make(struct walk *w) {
  const ph_taking *t = w->t;
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(t->episode, &n);
  double dt = t->meta->control_dt > 0 ? t->meta->control_dt : ph_model_timestep(t->model);
  w->actions.col = PH_COL_ACTIONS;
  ph_status status = ph_replay_fit(t->episode, t->model, t->task);
  if (status == PH_OK)
    status = ph_sim_create(&w->sim, t->model);
  if (status == PH_OK)
    status = ph_sim_edit(w->sim, edits, n);
  if (status == PH_OK)
    status = ph_rows_ahead_make(&w->rows, t->episode);
  if (status == PH_OK)
    status = ph_referee_init(&w->referee, t->task, 0, dt);
  w->referee.hold_steps = INT64_MAX;
  return status == PH_OK ? ph_referee_begin(&w->referee) : status;
}

/* The row's state in the sim, derived. */
static ph_status put(struct walk *w, int64_t row) {
  ph_row recorded;
  ph_status status = ph_rows_ahead_get(&w->rows, row, &recorded);
  if (status == PH_OK && !recorded.state)
    status = ph_fail(PH_EFORMAT, "no state is stored for step %lld", (long long)row);
  if (status == PH_OK)
    status = ph_sim_set_row(w->sim, &recorded);
  return status == PH_OK ? ph_sim_forward(w->sim) : status;
}

static ph_status judge(struct walk *w, int64_t row, ph_ruling *ruling) {
  const ph_taking *t = w->t;
  const void *action = NULL;
  *ruling = (ph_ruling){.end = PH_END_UNKNOWN};
  if (row == 0)
    return ph_referee_start(&w->referee, w->sim);
  ph_status status = ph_block_row(&w->actions, t->episode, &t->meta->dims, row - 1, &action);
  if (status != PH_OK)
    return status;
  return ph_referee_judge(&w->referee, w->sim, action, t->meta->dims.action_dim, ruling);
}

/* *over: nothing is known of this row, nor behind it. */
static ph_status take_row(struct walk *w, int64_t row, bool *over) {
  ph_ruling ruling;
  ph_status status = put(w, row);
  if (status == PH_ESIM && !w->sim->invalid && row > 0) {
    *over = true;
    ph_take_end(w->t, row, PH_END_NAN, ph_take_error(w->t));
    return PH_OK;
  }
  if (status == PH_OK)
    status = judge(w, row, &ruling);
  if (status == PH_OK)
    return ph_take_ruling(w->t, row, w->bits ? w->bits[row] : w->referee.predicate, ruling.end,
                          w->referee.detail, over);
  if (status == PH_ENOMEM)
    return status;
  char text[300];
  snprintf(text, sizeof text, "%s", ph_take_error(w->t));
  *over = true;
  return ph_fail(status, "step %lld: %s", (long long)row, text);
}

static ph_status walk_all(struct walk *w) {
  bool over = false;
  for (int64_t row = 0; row < w->t->meta->states && !over; row++) {
    ph_status status = row % 64 == 0 ? ph_take_go_on(w->t, row) : PH_OK;
    if (status == PH_OK)
      status = take_row(w, row, &over);
    if (status != PH_OK)
      return over ? ph_take_stop(w->t, status, row) : status;
  }
  return ph_take_known(w->t);
}

static ph_status walk(const ph_taking *t, const uint8_t *bits) {
  struct walk w = {.t = t, .bits = bits};
  ph_status status = walk_make(&w);
  if (status == PH_OK)
    status = walk_all(&w);
  else if (status != PH_ENOMEM)
    status = ph_take_unknown(t, PH_LACK_OTHER, "%s", ph_take_error(t));
  walk_clear(&w);
  return status;
}

/* --- what judges --- */

static bool has_model(const ph_taking *t) {
  return t->model && !t->episode->no_model[0] && ph_model_compiled(t->model);
}

/* The judge says what the predicate is; what else ends an episode is the task's. */
static ph_status ask_judge(const ph_taking *t) {
  const ph_task_info *info = t->task ? ph_task_info_of(t->task) : NULL;
  size_t n = t->meta->states > 0 ? (size_t)t->meta->states : 0;
  uint8_t *bits = calloc(n + 1, 1);
  ph_status status = bits ? ph_judge_episode(bits, t->opt->judge, t->episode, t->model)
                          : ph_fail(PH_ENOMEM, "%s: out of memory", t->meta->id);
  bool ends = info && (info->has_failure || info->has_reward || info->max_steps > 0);
  if (status == PH_OK && ends && has_model(t))
    status = walk(t, bits);
  if (status == PH_OK && !t->out->known) {
    t->out->why[0] = 0;
    status = ph_intervals_add(&t->out->intervals, bits, n);
    ph_take_known(t);
  }
  free(bits);
  return status;
}

ph_status ph_take_kinematic(const ph_taking *t) {
  if (t->meta->states < 1)
    return ph_take_unknown(t, PH_LACK_OTHER, "it has no states");
  if (t->opt->judge)
    return ask_judge(t);
  if (t->episode->no_model[0])
    return ph_take_unknown(t, ph_take_lack(t), "%s", t->episode->no_model);
  if (!t->model)
    return ph_take_unknown(t, ph_take_lack(t), "no model");
  if (!ph_model_compiled(t->model))
    return ph_take_unknown(t, PH_LACK_OTHER, "%s", ph_model_error(t->model));
  if (!t->task || !ph_task_info_of(t->task)->has_success)
    return ph_take_unknown(t, PH_LACK_TASK, "no task with a success condition");
  return walk(t, NULL);
}
