#include "rerun_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* --- life --- */

/* Building terms is not thread safe. */
ph_status ph_cursor_actions(ph_actions **out, const ph_rerun *run) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  ph_status status = ph_actions_create(out, run->task, run->model);
  pthread_mutex_unlock(&lock);
  return status;
}

static ph_status buffers(ph_cursor *c) {
  const ph_dims *dims = &c->run->dims;
  c->action = calloc((size_t)dims->action_dim + 1, sizeof(double));
  c->led_here = calloc((size_t)dims->action_dim + 1, sizeof(double));
  c->ctrl = calloc((size_t)dims->nu + 1, sizeof(double));
  c->memory = calloc((size_t)dims->action_state + 1, sizeof(double));
  c->blob = malloc(c->run->blob + 1);
  if (!c->action || !c->led_here || !c->ctrl || !c->memory || !c->blob)
    return ph_fail(PH_ENOMEM, "%s: no memory to run it", ph_episode_meta_of(c->run->episode)->id);
  return PH_OK;
}

ph_status ph_cursor_fresh(ph_cursor *c) {
  ph_sim_free(c->sim);
  c->sim = __atomic_exchange_n(&c->run->spare, NULL, __ATOMIC_ACQ_REL);
  ph_status status = c->sim ? PH_OK : ph_sim_create(&c->sim, c->run->model);
  return status == PH_OK ? ph_rerun_prepare(c) : status;
}

ph_status ph_cursor_judge(ph_cursor *c) {
  if (!c->run->judges)
    return PH_OK;
  ph_referee_end(&c->referee);
  return ph_referee_init(&c->referee, c->run->task, c->run->hold_seconds, c->run->control_dt);
}

ph_status ph_cursor_new(ph_cursor **out, ph_rerun *run) {
  *out = NULL;
  ph_cursor *c = calloc(1, sizeof *c);
  if (!c)
    return ph_fail(PH_ENOMEM, "rerun: out of memory");
  c->run = run;
  c->stray = true;
  ph_status status = ph_cursor_fresh(c);
  if (status == PH_OK && run->managed)
    status = ph_cursor_actions(&c->actions, run);
  if (status == PH_OK)
    status = buffers(c);
  if (status == PH_OK)
    *out = c;
  else
    ph_cursor_delete(c);
  return status;
}

void ph_cursor_delete(ph_cursor *c) {
  if (!c)
    return;
  c->referee.start = NULL; /* the run's */
  ph_referee_end(&c->referee);
  ph_actions_free(c->actions);
  ph_sim_free(c->sim);
  ph_block_free(&c->action_rows);
  ph_block_free(&c->substep_rows);
  for (int i = 0; i < PH_COL_COUNT; i++)
    ph_block_free(&c->rows[i]);
  free(c->action);
  free(c->led_here);
  free(c->ctrl);
  free(c->memory);
  free(c->blob);
  free(c);
}

/* --- where it stands --- */

/* The action that led to this step, or is under way; NULL: none did. */
static void show_action(ph_cursor *c) {
  int64_t step = c->substep > 0 ? c->step : c->step - 1;
  if (step < (c->alone ? c->put : c->run->opt.anchor))
    return;
  if (ph_rerun_action(c, step) != PH_OK)
    return;
  memcpy(c->led_here, c->action, (size_t)c->run->dims.action_dim * sizeof(double));
  c->now.action = c->led_here;
}

static void show_judged(ph_cursor *c) {
  const ph_rerun *run = c->run;
  ph_instant *now = &c->now;
  now->judged = run->judges && !c->alone && c->substep == 0;
  now->reward = NAN;
  now->end = PH_END_UNKNOWN;
  now->detail = run->judges ? "" : run->unjudged;
  if (run->judges && !c->alone)
    now->stages = c->referee.stages;
  if (c->substep > 0)
    return;
  now->flags = c->mark.flags;
  if (!now->judged)
    return;
  ph_referee_tell(&c->referee, (ph_end)c->mark.end);
  if (c->mark.end == PH_END_NAN)
    ph_referee_tell_nan(&c->referee, "reward is not finite");
  now->predicate = c->mark.predicate;
  now->hold = c->referee.hold;
  now->reward = c->mark.reward;
  now->end = (ph_end)c->mark.end;
  now->detail = c->referee.detail;
  c->predicate = c->mark.predicate;
  if (ph_task_info_of(run->task)->has_success)
    now->row.predicate = &c->predicate;
}

static ph_status show(ph_cursor *c) {
  memset(&c->now, 0, sizeof c->now);
  c->now.step = c->step;
  c->now.substep = c->substep;
  c->now.sim = c->sim;
  ph_status status = ph_sim_get_row(c->sim, &c->now.row);
  if (c->actions && c->run->dims.action_state > 0) {
    ph_actions_get_state(c->actions, c->memory);
    c->now.row.action_state = c->memory;
  }
  show_judged(c);
  show_action(c);
  return status;
}

ph_status ph_cursor_open(ph_cursor **out, ph_rerun *run) {
  ph_cursor *c = NULL;
  *out = NULL;
  ph_status status = ph_cursor_new(&c, run);
  if (status == PH_OK)
    status = ph_cursor_judge(c);
  if (status == PH_OK && run->judges)
    status = ph_referee_begin(&c->referee);
  if (status == PH_OK) {
    c->referee.start = run->start;
    status = ph_rerun_back(c, run->opt.anchor);
  }
  if (status == PH_OK)
    status = show(c);
  if (status != PH_OK) {
    ph_cursor_delete(c);
    return status;
  }
  ph_rerun_ref(run);
  *out = c;
  return PH_OK;
}

void ph_cursor_close(ph_cursor *cursor) {
  if (!cursor)
    return;
  ph_rerun *run = cursor->run;
  ph_cursor_delete(cursor);
  ph_rerun_unref(run);
}

const ph_instant *ph_cursor_now(const ph_cursor *cursor) {
  return &cursor->now;
}

int64_t ph_cursor_cost(const ph_cursor *cursor) {
  return cursor->cost;
}

/* --- seek --- */

/* Whether it costs least to go on from where it stands. */
static bool stands_well(const ph_cursor *c, int64_t step, int substep) {
  if (c->stray || c->step > step || (c->step == step && c->substep > substep))
    return false;
  return ph_state_cache_nearest(c->run->cache, step) <= c->step;
}

static ph_status walk(ph_cursor *c, int64_t step, int substep, bool (*cancel)(void *arg), void *arg,
                      int64_t *reached) {
  ph_status status = PH_OK;
  *reached = c->step;
  while (status == PH_OK && (c->step < step || c->substep < substep)) {
    if (cancel && cancel(arg))
      return ph_fail(PH_ECANCELED, "%s: canceled at step %lld",
                     ph_episode_meta_of(c->run->episode)->id, (long long)c->step);
    if (c->step == step)
      return ph_rerun_part(c, substep - c->substep);
    status = ph_rerun_advance(c);
    if (status == PH_OK)
      status = ph_rerun_keep(c);
    if (status == PH_OK)
      *reached = c->step;
  }
  return status;
}

/* After an error: the last whole step that physics came to. */
static ph_status recover(ph_cursor *c, int64_t step, ph_status status) {
  char text[400];
  int64_t cost = c->cost, reached = 0;
  snprintf(text, sizeof text, "%s", ph_error());
  ph_status back = ph_rerun_back(c, step);
  if (back == PH_OK)
    back = walk(c, step, 0, NULL, NULL, &reached);
  c->stray = back != PH_OK;
  c->cost = cost;
  show(c);
  return ph_fail(status, "%s", text);
}

ph_status ph_cursor_seek(ph_cursor *cursor, int64_t step, int substep, bool (*cancel)(void *arg),
                         void *arg) {
  const ph_rerun *run = cursor->run;
  int64_t reached = run->opt.anchor;
  int most = run->dims.control_steps - 1;
  ph_status status = PH_OK;
  cursor->cost = 0;
  step = step >= run->states ? run->states - 1 : step;
  if (step < run->opt.anchor) {
    step = run->opt.anchor;
    substep = 0;
  }
  substep = step == run->states - 1 || substep < 0 ? 0 : substep < most ? substep : most;
  if (!stands_well(cursor, step, substep))
    status = ph_rerun_back(cursor, step);
  if (status == PH_OK)
    status = walk(cursor, step, substep, cancel, arg, &reached);
  if (status != PH_OK && status != PH_ECANCELED)
    return recover(cursor, reached, status);
  ph_status shown = show(cursor);
  return status == PH_OK ? shown : status;
}

/* --- single steps --- */

static ph_status put_recorded(ph_cursor *c, int64_t step) {
  ph_row row;
  ph_status status = ph_rerun_row(c, step, &row);
  if (status == PH_OK && c->run->opt.cold && step == c->run->opt.anchor)
    row.warmstart = NULL;
  return status == PH_OK ? ph_rerun_put(c, step, &row) : status;
}

static ph_status step_alone(ph_cursor *cursor, int64_t step, bool plain) {
  const ph_episode_meta *meta = ph_episode_meta_of(cursor->run->episode);
  if (step < 0 || step >= meta->states)
    return ph_fail(PH_EINVAL, "%s: step %lld: its states are 0 to %lld", meta->id, (long long)step,
                   (long long)meta->states - 1);
  cursor->cost = 0;
  cursor->stray = cursor->alone = true;
  cursor->put = step;
  ph_status status = put_recorded(cursor, step);
  bool put = status == PH_OK;
  cursor->plain = plain;
  if (put)
    status = ph_rerun_advance(cursor);
  cursor->plain = false;
  if (status == PH_OK)
    return show(cursor);
  if (!put)
    return recover(cursor, cursor->run->opt.anchor, status);
  char text[400];
  snprintf(text, sizeof text, "%s", ph_error());
  if (put_recorded(cursor, step) == PH_OK)
    ph_sim_forward(cursor->sim);
  show(cursor);
  return ph_fail(status, "%s", text);
}

ph_status ph_cursor_one_step(ph_cursor *cursor, int64_t step) {
  return step_alone(cursor, step, false);
}

ph_status ph_cursor_one_row(ph_cursor *cursor, int64_t step) {
  return step_alone(cursor, step, true);
}

ph_status ph_cursor_derive(ph_cursor *cursor) {
  return cursor->sim->stale ? ph_sim_forward(cursor->sim) : PH_OK;
}
