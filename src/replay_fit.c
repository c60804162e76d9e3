#include "replay_fit.h"

#include <math.h>
#include <stdio.h>

#include <playhead/action.h>
#include <playhead/model_diff.h>
#include <playhead/number.h>

#include "episode.h"
#include "fail.h"
#include "task.h"

static ph_status fit_size(const ph_episode_meta *meta, const char *what, int mine, int models) {
  if (mine == models)
    return PH_OK;
  return ph_fail(PH_EMISMATCH, "%s: %s is %d in the episode, %d in the model", meta->id, what, mine,
                 models);
}

/* Sizes that only matter where the episode stores the column. */
static ph_status fit_stored(const ph_episode *episode, const ph_dims *model) {
  static const ph_column columns[] = {PH_COL_MOCAP_POS,    PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,
                                      PH_COL_EQ_ACTIVE,    PH_COL_PLUGIN_STATE, PH_COL_QFRC_APPLIED,
                                      PH_COL_XFRC_APPLIED, PH_COL_WARMSTART,    PH_COL_CTRL};
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_status status = PH_OK;
  for (size_t i = 0; status == PH_OK && i < sizeof columns / sizeof *columns; i++)
    if (ph_episode_has(episode, columns[i]))
      status = fit_size(meta, ph_schema_column(columns[i])->path,
                        (int)ph_schema_width(columns[i], &meta->dims),
                        (int)ph_schema_width(columns[i], model));
  return status;
}

static ph_status fit_model(const ph_episode *episode, const ph_model *model) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  const ph_dims *dims = ph_model_dims(model);
  ph_status status = fit_size(meta, "nq", meta->dims.nq, dims->nq);
  if (status == PH_OK)
    status = fit_size(meta, "nv", meta->dims.nv, dims->nv);
  if (status == PH_OK)
    status = fit_size(meta, "nu", meta->dims.nu, dims->nu);
  if (status == PH_OK)
    status = fit_size(meta, "na", meta->dims.na, dims->na);
  /* Mocap bodies that are not stored are shown as the engine has them. */
  if (status == PH_OK && meta->dims.nmocap > 0)
    status = fit_size(meta, "nmocap", meta->dims.nmocap, dims->nmocap);
  if (status == PH_OK)
    status = fit_stored(episode, dims);
  double timestep = ph_model_timestep(model);
  char recorded[PH_NUMBER_SIZE], given[PH_NUMBER_SIZE];
  if (status == PH_OK && meta->timestep > 0 && fabs(meta->timestep - timestep) > 1e-9 * timestep)
    status =
        ph_fail(PH_EMISMATCH, "%s: timestep is %s s in the episode, %s s in the model", meta->id,
                ph_number_word(recorded, meta->timestep), ph_number_word(given, timestep));
  return status;
}

static ph_status fit_actions(const ph_episode_meta *meta, const ph_model *model,
                             const ph_task *task) {
  ph_actions *actions = NULL;
  ph_status status = ph_actions_create(&actions, task, model);
  if (status != PH_OK)
    return ph_fail_in(status, "%s", meta->id);
  int dim = ph_actions_dim(actions), memory = ph_actions_state_dim(actions);
  ph_actions_free(actions);
  if (meta->dims.action_dim != dim)
    return ph_fail(PH_EMISMATCH, "%s: an action has %d numbers in the episode, %d in task %s",
                   meta->id, meta->dims.action_dim, dim, ph_task_called(task));
  if (meta->dims.action_state > 0 && meta->dims.action_state != memory)
    return ph_fail(PH_EMISMATCH,
                   "%s: the action terms remember %d numbers in the episode, %d in task %s",
                   meta->id, meta->dims.action_state, memory, ph_task_called(task));
  return PH_OK;
}

static ph_status fit_task(const ph_episode_meta *meta, const ph_model *model, const ph_task *task) {
  const ph_task_info *info = ph_task_info_of(task);
  if (info->control_steps > 0 && meta->dims.control_steps > 0 &&
      info->control_steps != meta->dims.control_steps)
    return ph_fail(PH_EMISMATCH, "%s: a step has %d substeps in the episode, %d in task %s",
                   meta->id, meta->dims.control_steps, info->control_steps, ph_task_called(task));
  /* A file with only a success condition says nothing of actions. */
  if (info->nterms > 0 && model)
    return fit_actions(meta, model, task);
  return PH_OK;
}

bool ph_replay_model_change(const ph_episode *episode, const ph_model *model, char *out,
                            size_t size) {
  ph_model_diff diff;
  if (!episode->recorded || episode->recorded == model ||
      ph_model_compare(&diff, episode->recorded, model, 1) != PH_OK)
    return false;
  bool other = diff.kept > 0;
  if (diff.n > 1)
    snprintf(out, size, "%s, and %zu more", diff.change[0].text, diff.n - 1);
  else if (other)
    snprintf(out, size, "%s", diff.change[0].text);
  ph_model_diff_clear(&diff);
  return other;
}

/* Sizes alone do not tell what is other. */
static ph_status name_change(const ph_episode *episode, const ph_model *model, ph_status status) {
  char change[300], text[400];
  if (status != PH_EMISMATCH)
    return status;
  snprintf(text, sizeof text, "%s", ph_error());
  if (ph_replay_model_change(episode, model, change, sizeof change))
    return ph_fail(status, "%s: %s", text, change);
  return ph_fail(status, "%s", text);
}

ph_status ph_replay_fit(const ph_episode *episode, const ph_model *model, const ph_task *task) {
  const ph_model *compiled = model && ph_model_compiled(model) ? model : NULL;
  ph_status status =
      compiled ? name_change(episode, compiled, fit_model(episode, compiled)) : PH_OK;
  if (status == PH_OK && task)
    status = fit_task(ph_episode_meta_of(episode), compiled, task);
  return status;
}
