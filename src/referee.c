#include "referee.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"

ph_status ph_referee_init(ph_referee *r, const ph_task *task, double hold_seconds,
                          double control_dt) {
  const ph_task_info *info = ph_task_info_of(task);
  memset(r, 0, sizeof *r);
  r->task = task;
  ph_status status = ph_stages_begin(&r->plain, task, control_dt);
  bool counts = info->has_success || !isfinite(hold_seconds); /* which is refused in any case */
  if (status != PH_OK || !counts)
    return status;
  return ph_hold_steps(&r->hold_steps, hold_seconds < 0.0 ? info->hold_seconds : hold_seconds,
                       control_dt);
}

void ph_referee_end(ph_referee *r) {
  ph_script_free(r->script);
  ph_start_free(r->start);
  r->script = NULL;
  r->start = NULL;
}

ph_status ph_referee_begin(ph_referee *r) {
  ph_referee_end(r);
  r->step = 0;
  r->predicate = false;
  r->detail[0] = 0;
  r->hold = (ph_hold){.steps = r->hold_steps};
  r->stages = r->plain;
  return ph_task_script(&r->script, r->task);
}

ph_status ph_referee_start(ph_referee *r, const ph_sim *sim) {
  r->start = ph_start_new(sim);
  if (!r->start)
    return ph_fail(PH_ENOMEM, "referee: out of memory");
  return ph_referee_look(r, sim, NULL, 0);
}

/* --- judging --- */

ph_scene ph_referee_scene(const ph_referee *r, const ph_sim *sim, const double *action,
                          int naction) {
  ph_scene scene = {
      .sim = sim,
      .step = r->step,
      .action = action,
      .naction = naction,
      .start = r->start,
      .stages = &r->stages,
      .predicate = r->predicate,
      .latched = r->hold.latched,
  };
  return scene;
}

ph_status ph_referee_look(ph_referee *r, const ph_sim *sim, const double *action, int naction) {
  r->predicate = false;
  ph_scene scene = ph_referee_scene(r, sim, action, naction);
  ph_status status = ph_script_stages(r->script, &scene, &r->stages);
  if (status != PH_OK || !ph_task_info_of(r->task)->has_success)
    return status;
  return ph_script_success(r->script, &scene, &r->predicate, NULL);
}

/* The first of success > terminated > truncated that holds; flags tell of all. */
static ph_status find_end(ph_referee *r, const ph_sim *sim, const double *action, int naction,
                          ph_ruling *out) {
  const ph_task_info *info = ph_task_info_of(r->task);
  bool failed = false;
  out->success = info->has_success && ph_hold_update(&r->hold, r->step, r->predicate);
  out->truncated = info->max_steps > 0 && r->step >= info->max_steps;
  ph_scene scene = ph_referee_scene(r, sim, action, naction);
  ph_status status = PH_OK;
  if (info->has_failure)
    status = ph_script_failure(r->script, &scene, &failed);
  if (status == PH_OK && info->has_reward)
    status = ph_script_reward(r->script, &scene, &out->reward);
  if (status != PH_OK || !isfinite(out->reward))
    return status;
  out->terminated = out->success || failed;
  out->flags = (uint8_t)((out->terminated ? PH_FLAG_TERMINATED : 0) |
                         (out->truncated ? PH_FLAG_TRUNCATED : 0));
  out->end = out->success     ? PH_END_SUCCESS
             : failed         ? PH_END_TERMINATED
             : out->truncated ? PH_END_TRUNCATED
                              : PH_END_UNKNOWN;
  ph_referee_tell(r, out->end);
  return PH_OK;
}

ph_status ph_referee_judge(ph_referee *r, const ph_sim *sim, const double *action, int naction,
                           ph_ruling *out) {
  ph_hold hold = r->hold;
  ph_stages stages = r->stages;
  bool predicate = r->predicate;
  *out = (ph_ruling){.end = PH_END_UNKNOWN};
  r->step++;
  ph_status status = ph_referee_look(r, sim, action, naction);
  if (status == PH_OK)
    status = find_end(r, sim, action, naction, out);
  if (status != PH_OK || isfinite(out->reward))
    return status;
  r->hold = hold;
  r->stages = stages;
  r->predicate = predicate;
  r->step--;
  *out = (ph_ruling){.truncated = true, .end = PH_END_NAN};
  ph_referee_tell_nan(r, "reward is not finite");
  return PH_OK;
}

/* --- the sentence --- */

void ph_referee_tell(ph_referee *r, ph_end end) {
  size_t size = sizeof r->detail;
  r->detail[0] = 0;
  if (end == PH_END_SUCCESS)
    snprintf(r->detail, size, "held for %" PRId64 " steps", r->hold.count);
  else if (end == PH_END_TERMINATED)
    snprintf(r->detail, size, "failure");
  else if (end == PH_END_TRUNCATED)
    snprintf(r->detail, size, "max_steps %" PRId64, ph_task_info_of(r->task)->max_steps);
}

void ph_referee_tell_nan(ph_referee *r, const char *what) {
  snprintf(r->detail, sizeof r->detail, "step %" PRId64 ": %s", r->step, what);
}
