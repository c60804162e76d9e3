#include "rerun_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "sim_check.h"

/* States before the anchor that are judged where the file does not say what they came to. */
enum { WALK_MAX = 2000 };

/* Whether the file's predicate, hold and stages are those of the task in use. */
static bool recorded_task(const ph_rerun *run) {
  const ph_episode_meta *meta = ph_episode_meta_of(run->episode);
  return run->task && meta->task_sha256[0] &&
         strcmp(meta->task_sha256, ph_task_sha256(run->task)) == 0;
}

ph_status ph_rerun_judge_init(ph_rerun *run) {
  const ph_episode_meta *meta = ph_episode_meta_of(run->episode);
  ph_referee r;
  run->hold_seconds = recorded_task(run) && meta->hold_seconds >= 0 ? meta->hold_seconds : -1.0;
  run->judges = run->task != NULL;
  snprintf(run->unjudged, sizeof run->unjudged, "no task judges it");
  if (run->task && ph_referee_init(&r, run->task, run->hold_seconds, run->control_dt) != PH_OK) {
    run->judges = false;
    snprintf(run->unjudged, sizeof run->unjudged, "%s", ph_error());
  }
  return PH_OK;
}

ph_status ph_rerun_put(ph_cursor *c, int64_t step, const ph_row *row) {
  c->stray = true;
  ph_status status = c->sim->invalid ? ph_rerun_prepare(c) : PH_OK;
  if (status == PH_OK)
    status = ph_sim_set_row(c->sim, row);
  if (status == PH_OK) /* a single step needs no more than it does */
    status = c->alone && !c->run->derived ? ph_sim_check_state(c->sim) : ph_sim_forward(c->sim);
  if (status != PH_OK)
    return ph_fail_in(status, "%s: step %lld", ph_episode_meta_of(c->run->episode)->id,
                      (long long)step);
  if (c->actions && row->action_state)
    ph_actions_set_state(c->actions, row->action_state);
  else if (c->actions)
    ph_actions_reset(c->actions, c->sim);
  c->step = step;
  c->substep = 0;
  memset(&c->mark, 0, sizeof c->mark);
  c->mark.reward = NAN;
  c->mark.end = PH_END_UNKNOWN;
  return PH_OK;
}

/* The row that it starts from. A given state that does not say what physics never changes, or ctrl,
 * is lent the recorded one's. */
static ph_status anchor_row(ph_cursor *c, ph_row *row) {
  static const ph_column lent[] = {PH_COL_CTRL,         PH_COL_MOCAP_POS,   PH_COL_MOCAP_QUAT,
                                   PH_COL_USERDATA,     PH_COL_EQ_ACTIVE,   PH_COL_PLUGIN_STATE,
                                   PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED};
  const ph_row *from = c->run->opt.from;
  ph_status status = ph_rerun_row(c, c->run->opt.anchor, row);
  if (status == PH_OK && from) {
    ph_row recorded = *row;
    *row = *from;
    for (size_t i = 0; i < sizeof lent / sizeof *lent; i++)
      if (!ph_row_column(row, lent[i]))
        ph_row_set_column(row, lent[i], ph_row_column(&recorded, lent[i]));
  }
  if (c->run->opt.cold)
    row->warmstart = NULL;
  return status;
}

/* --- what was judged before it --- */

static ph_status judge_row(ph_cursor *c, int64_t step, const ph_row *row, bool put) {
  const void *action = NULL;
  ph_status status = PH_OK;
  c->referee.step = step;
  if (put)
    status = ph_rerun_put(c, step, row);
  c->action_rows.col = PH_COL_ACTIONS;
  if (status == PH_OK)
    status = ph_block_row(&c->action_rows, c->run->episode,
                          &ph_episode_meta_of(c->run->episode)->dims, step - 1, &action);
  if (status == PH_OK)
    status = ph_referee_look(&c->referee, c->sim, action, c->run->dims.action_dim);
  if (status == PH_OK && ph_task_info_of(c->run->task)->has_success)
    ph_hold_update(&c->referee.hold, step, c->referee.predicate);
  return status;
}

/* The recorded rows before the anchor: by what the file says, else judged again. */
static ph_status judge_before(ph_cursor *c) {
  const ph_rerun *run = c->run;
  int64_t anchor = run->opt.anchor;
  bool told = recorded_task(run) && ph_task_info_of(run->task)->nstages == 0 &&
              ph_episode_has(run->episode, PH_COL_PREDICATE);
  ph_block block = {.col = PH_COL_PREDICATE};
  ph_row row;
  ph_status status = PH_OK;
  int64_t first = told || anchor <= WALK_MAX ? 1 : anchor - WALK_MAX;
  for (int64_t t = first; status == PH_OK && t < anchor; t++) {
    const void *value = NULL;
    if (told)
      status = ph_block_row(&block, run->episode, &run->dims, t, &value);
    else
      status = ph_rerun_row(c, t, &row);
    if (status == PH_OK && told)
      ph_hold_update(&c->referee.hold, t, value && *(const uint8_t *)value);
    else if (status == PH_OK)
      status = judge_row(c, t, &row, true);
  }
  ph_block_free(&block);
  return status;
}

/* Values at step 0, once. */
static ph_status find_start(ph_cursor *c, const ph_row *at_anchor) {
  ph_rerun *run = c->run;
  ph_row row = *at_anchor;
  ph_status status = run->opt.anchor > 0 ? ph_rerun_row(c, 0, &row) : PH_OK;
  if (status == PH_OK)
    status = ph_rerun_put(c, 0, &row);
  ph_start_free(run->start);
  run->start = status == PH_OK ? ph_start_new(c->sim) : NULL;
  if (status == PH_OK && !run->start)
    status = ph_fail(PH_ENOMEM, "%s: no memory to judge it", ph_episode_meta_of(run->episode)->id);
  return status;
}

static ph_status judge_all(ph_cursor *c) {
  ph_row row;
  ph_status status = anchor_row(c, &row);
  c->referee.start = NULL; /* the run's */
  if (status == PH_OK)
    status = ph_referee_begin(&c->referee);
  if (status == PH_OK)
    status = find_start(c, &row);
  c->referee.start = c->run->start;
  if (status == PH_OK)
    status = judge_before(c);
  if (status == PH_OK)
    status = anchor_row(c, &row);
  return status == PH_OK ? judge_row(c, c->run->opt.anchor, &row, true) : status;
}

/* --- where it starts --- */

static ph_status keep_still(ph_cursor *c) {
  ph_row row;
  ph_status status = ph_sim_get_row(c->sim, &row);
  for (int i = 0; status == PH_OK && i < PH_STILL; i++) {
    size_t size = ph_schema_width(ph_still[i], &c->run->dims) *
                  ph_type_size(ph_schema_column(ph_still[i])->type);
    const void *from = ph_row_column(&row, ph_still[i]);
    if (size == 0 || !from || c->run->still[i])
      continue;
    c->run->still[i] = malloc(size);
    if (!c->run->still[i])
      return ph_fail(PH_ENOMEM, "rerun: out of memory");
    memcpy(c->run->still[i], from, size);
  }
  return status;
}

/* A task that cannot judge where it starts does not keep physics from running. */
ph_status ph_rerun_anchor_set(ph_cursor *c) {
  ph_rerun *run = c->run;
  ph_row row;
  ph_status status = run->judges ? judge_all(c) : PH_OK;
  if (status == PH_ENOMEM)
    return status;
  if (status != PH_OK) {
    run->judges = false;
    snprintf(run->unjudged, sizeof run->unjudged, "%s", ph_error());
  }
  uint8_t predicate = run->judges && c->referee.predicate;
  status = anchor_row(c, &row);
  if (status == PH_OK)
    status = ph_rerun_put(c, run->opt.anchor, &row);
  if (status == PH_OK)
    status = keep_still(c);
  c->mark.predicate = predicate;
  c->stray = c->alone = false;
  return status;
}
