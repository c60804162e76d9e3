#include "env_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "finite.h"
#include "mj.h"

static ph_status running(const ph_env *env, bool acting) {
  if (env->done)
    return ph_fail(PH_EINVAL, "env: no episode runs: reset it first");
  if (env->acting != acting)
    return ph_fail(PH_EINVAL, "env: %s",
                   acting ? "no control step has begun" : "a control step has begun: end it first");
  return PH_OK;
}

static void empty(ph_env *env, ph_outcome *out) {
  memset(out, 0, sizeof *out);
  out->end = PH_END_UNKNOWN;
  out->detail = env->referee.detail;
}

/* An error leaves no episode to go on with. */
static ph_status fail_step(ph_env *env, ph_status status) {
  env->done = true;
  env->acting = false;
  return ph_fail_in(status, "%s: step %" PRId64, ph_task_called(env->task), env->referee.step);
}

/* "action[3] (arm_elbow)" of the first element that is not finite. */
static bool finite_action(const ph_env *env, const double *action, char *what, size_t size) {
  size_t at = 0;
  if (ph_finite(action, (size_t)env->dims.action_dim, &at))
    return true;
  const ph_action_element *element = ph_actions_element(env->actions, (int)at);
  snprintf(what, size, "action[%zu] (%s)", at, element->name);
  return false;
}

ph_status ph_env_policy(ph_env *env, double *action) {
  char what[120];
  if (!ph_env_info(env)->has_policy)
    return ph_fail(PH_ENOTFOUND, "%s: the task has no policy", ph_task_called(env->task));
  ph_status status = running(env, false);
  if (status != PH_OK)
    return status;
  ph_scene scene = ph_env_scene(env);
  status = ph_script_policy(env->referee.script, &scene, &env->rng, action,
                            (size_t)env->dims.action_dim);
  if (status == PH_OK && !finite_action(env, action, what, sizeof what)) {
    status = ph_fail(PH_EINVAL, "%s: policy: step %" PRId64 ": %s is not finite",
                     ph_task_called(env->task), env->referee.step, what);
  }
  return status;
}

/* The detail is there already. */
static void end_as_told(ph_env *env, ph_outcome *out) {
  memset(out, 0, sizeof *out);
  out->done = true;
  out->truncated = true;
  out->end = PH_END_NAN;
  out->detail = env->referee.detail;
  env->done = true;
  env->acting = false;
}

static void end_nan(ph_env *env, ph_outcome *out, const char *what) {
  ph_referee_tell_nan(&env->referee, what);
  end_as_told(env, out);
}

/* --- physics --- */

/* n more substeps; the episode ends as nan where a number is not one that the engine takes. */
static ph_status advance(ph_env *env, int n, ph_outcome *out) {
  bool last = env->substep + n == env->dims.control_steps;
  ph_status status = ph_sim_part(env->sim, env->ctrl, env->substep, n, last, &env->warned);
  env->substep += n;
  if (status == PH_ESIM && !env->sim->invalid) {
    end_nan(env, out, ph_error());
    return PH_OK;
  }
  return status;
}

/* Runs the action manager; its ctrl is in force then. */
static ph_status act(ph_env *env, const double *action, ph_outcome *out) {
  char what[120], text[160];
  ph_row row = {0};
  size_t at = 0;
  ph_status status = ph_sim_get_row(env->sim, &row);
  if (status != PH_OK)
    return status;
  env->acting = true;
  env->substep = 0;
  env->clipped = false;
  if (!finite_action(env, action, what, sizeof what)) {
    snprintf(text, sizeof text, "%s is not finite", what);
    end_nan(env, out, text);
    return PH_OK;
  }
  memcpy(env->action, action, (size_t)env->dims.action_dim * sizeof(double));
  memcpy(env->ctrl, row.ctrl, (size_t)env->dims.nu * sizeof(double));
  status = ph_actions_apply(env->actions, env->sim, action, env->ctrl, &env->clipped);
  if (status != PH_OK)
    return status;
  if (!ph_finite(env->ctrl, (size_t)env->dims.nu, &at)) {
    snprintf(text, sizeof text, "ctrl[%zu] (%s) is not finite", at,
             ph_model_name(env->model, PH_ACTUATOR, (int)at));
    end_nan(env, out, text);
  }
  return PH_OK;
}

/* Derived quantities within a control step. A state that is none ends the episode with the next
 * substep. */
static ph_status derive(ph_env *env) {
  ph_status status = ph_sim_forward(env->sim);
  return status == PH_ESIM && !env->sim->invalid ? PH_OK : status;
}

/* --- outcomes --- */

/* What the task says of the step; one whose reward is no number is no row. */
static ph_status judge(ph_env *env, ph_outcome *out) {
  ph_ruling verdict;
  ph_status status =
      ph_referee_judge(&env->referee, env->sim, env->action, env->dims.action_dim, &verdict);
  if (status != PH_OK)
    return status;
  if (verdict.end == PH_END_NAN) {
    end_as_told(env, out);
    return PH_OK;
  }
  out->reward = verdict.reward;
  out->flags |= verdict.flags;
  out->success = verdict.success;
  out->terminated = verdict.terminated;
  out->truncated = verdict.truncated;
  out->done = env->done = verdict.terminated || verdict.truncated;
  out->end = verdict.end;
  return PH_OK;
}

/* Takes the outcome of a step that physics has done. */
static ph_status observe(ph_env *env, ph_outcome *out) {
  char what[120], text[160];
  env->acting = false;
  env->substep = 0;
  out->flags = (uint8_t)((env->clipped ? PH_FLAG_CLIPPED : 0) | (env->warned ? PH_FLAG_WARNED : 0));
  ph_status status = ph_sim_get_row(env->sim, &out->row);
  if (status != PH_OK)
    return status;
  if (!ph_finite_row(&out->row, &env->dims, env->model, what, sizeof what)) {
    snprintf(text, sizeof text, "%s is not finite", what);
    end_nan(env, out, text);
    return PH_OK;
  }
  status = ph_sim_forward(env->sim);
  if (status == PH_OK)
    status = judge(env, out);
  else
    env->referee.step++; /* the text names the state that nothing could be derived of */
  bool row = status == PH_OK && out->end != PH_END_NAN;
  return row ? ph_env_row(env, &out->row) : status;
}

/* --- steps --- */

ph_status ph_env_step(ph_env *env, const double *action, ph_outcome *out) {
  empty(env, out);
  ph_status status = running(env, false);
  if (status != PH_OK)
    return status;
  status = act(env, action, out);
  if (status == PH_OK && !out->done)
    status = advance(env, env->dims.control_steps, out);
  if (status == PH_OK && !out->done)
    status = observe(env, out);
  return status == PH_OK ? PH_OK : fail_step(env, status);
}

ph_status ph_env_act(ph_env *env, const double *action, ph_outcome *out) {
  empty(env, out);
  ph_status status = running(env, false);
  if (status != PH_OK)
    return status;
  status = act(env, action, out);
  if (status == PH_OK && !out->done)
    status = advance(env, 0, out);
  if (status == PH_OK && !out->done)
    status = derive(env);
  return status == PH_OK ? PH_OK : fail_step(env, status);
}

ph_status ph_env_substeps(ph_env *env, int n, ph_outcome *out) {
  empty(env, out);
  ph_status status = running(env, true);
  if (status != PH_OK)
    return status;
  if (n < 1)
    return ph_fail(PH_EINVAL, "env: %d substeps: not from 1", n);
  int left = env->dims.control_steps - env->substep;
  status = advance(env, n < left ? n : left, out);
  if (status == PH_OK && !out->done)
    status = n < left ? derive(env) : observe(env, out);
  return status == PH_OK ? PH_OK : fail_step(env, status);
}

bool ph_env_acting(const ph_env *env) {
  return env->acting;
}
int ph_env_substep(const ph_env *env) {
  return env->acting ? env->substep : 0;
}
