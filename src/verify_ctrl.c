#include "verify_ctrl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/action.h>
#include <playhead/number.h>

#include "episode.h"
#include "fail.h"

struct ph_ctrl_check {
  const ph_model *model; /* borrowed */
  ph_actions *actions;
  int nu;
  bool exact; /* the same engine and machine: every bit counts */
  double *made;
  bool has_made; /* for the next frame */
  int64_t rows, differ, first;
  int element;
  double stored, gave;
};

/* A condition alone says nothing of actions, unless it was recorded so. */
static bool is_mapped(const ph_episode_meta *meta, const ph_task *task) {
  return ph_task_info_of(task)->nterms > 0 || strcmp(meta->task_sha256, ph_task_sha256(task)) == 0;
}

static bool can_check(const ph_episode *episode, const ph_model *model, const ph_task *task) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  return model && ph_model_compiled(model) && task && !meta->layout[0] &&
         strcmp(meta->derived, "stale") != 0 && is_mapped(meta, task) &&
         ph_episode_has(episode, PH_COL_ACTIONS) && ph_episode_has(episode, PH_COL_CTRL) &&
         !ph_episode_has(episode, PH_COL_CTRL_SUBSTEPS);
}

static bool fits(const ph_episode *episode, const ph_actions *actions) {
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  int memory = ph_actions_state_dim(actions);
  return ph_actions_dim(actions) == dims->action_dim && memory == dims->action_state &&
         (memory == 0 || ph_episode_has(episode, PH_COL_ACTION_STATE));
}

ph_status ph_ctrl_check_begin(ph_ctrl_check **out, const ph_episode *episode, const ph_model *model,
                              const ph_task *task) {
  char why[400];
  *out = NULL;
  if (!can_check(episode, model, task))
    return PH_OK;
  ph_guarantee guarantee = ph_episode_guarantee(episode, model, task, why, sizeof why);
  if (guarantee == PH_STATES_ONLY)
    return PH_OK;
  ph_ctrl_check *c = calloc(1, sizeof *c);
  if (!c)
    return ph_fail(PH_ENOMEM, "%s: out of memory", ph_episode_meta_of(episode)->id);
  ph_status status = ph_actions_create(&c->actions, task, model);
  c->model = model;
  c->nu = ph_model_dims(model)->nu;
  c->exact = guarantee == PH_EXACT;
  c->first = -1;
  c->made = calloc((size_t)c->nu + 1, sizeof *c->made);
  if (status == PH_OK && c->made && fits(episode, c->actions)) {
    *out = c;
    return PH_OK;
  }
  bool memory = !c->made || status == PH_ENOMEM;
  ph_ctrl_check_free(c);
  return memory ? ph_fail(PH_ENOMEM, "%s: out of memory", ph_episode_meta_of(episode)->id) : PH_OK;
}

void ph_ctrl_check_free(ph_ctrl_check *check) {
  if (!check)
    return;
  ph_actions_free(check->actions);
  free(check->made);
  free(check);
}

static bool is_same(const ph_ctrl_check *c, double stored, double gave) {
  if (c->exact)
    return memcmp(&stored, &gave, sizeof stored) == 0;
  return fabs(stored - gave) <= 1e-6 * fmax(1, fabs(stored));
}

static void compare(ph_ctrl_check *c, int64_t step, const double *ctrl) {
  c->rows++;
  for (int i = 0; i < c->nu; i++) {
    if (!isfinite(ctrl[i]) || !isfinite(c->made[i]) || is_same(c, ctrl[i], c->made[i]))
      continue; /* numbers that are none have a finding of their own */
    if (c->differ++ == 0) {
      c->first = step;
      c->element = i;
      c->stored = ctrl[i];
      c->gave = c->made[i];
    }
    return;
  }
}

void ph_ctrl_check_frame(ph_ctrl_check *check, const ph_replay *replay) {
  const ph_frame *frame = ph_replay_frame(replay);
  const ph_sim *sim = ph_replay_sim(replay);
  const ph_row *row = &frame->row;
  bool clipped;
  if (check->has_made && row->ctrl)
    compare(check, frame->step, row->ctrl);
  check->has_made = false;
  if (!sim || !frame->forward || !frame->action || !row->ctrl)
    return;
  if (ph_actions_state_dim(check->actions) > 0) {
    if (!row->action_state)
      return;
    ph_actions_set_state(check->actions, row->action_state);
  }
  memcpy(check->made, row->ctrl, (size_t)check->nu * sizeof *check->made);
  check->has_made =
      ph_actions_apply(check->actions, sim, frame->action, check->made, &clipped) == PH_OK;
}

int64_t ph_ctrl_check_rows(const ph_ctrl_check *check) {
  return check->rows;
}

int64_t ph_ctrl_check_first(const ph_ctrl_check *check, char *text, size_t size) {
  if (check->differ == 0)
    return -1;
  const char *name = ph_model_name(check->model, PH_ACTUATOR, check->element);
  char stored[PH_NUMBER_SIZE], gave[PH_NUMBER_SIZE];
  snprintf(text, size,
           "ctrl: step %lld: ctrl[%d] (%.60s) is %s, action %lld gives %s by the task's "
           "terms; %lld such",
           (long long)check->first, check->element, name, ph_number_word(stored, check->stored),
           (long long)check->first - 1, ph_number_word(gave, check->gave),
           (long long)check->differ);
  return check->first;
}
