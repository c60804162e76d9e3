#include <playhead/env.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "finite.h"
#include "mj.h"
#include "scene.h"
#include "task.h"

struct ph_env {
  ph_task *task;   /* referenced */
  ph_model *model; /* referenced */
  ph_sim *sim;
  ph_actions *actions;
  ph_dims dims;
  double control_dt;
  int64_t hold_steps;
  ph_stages plain; /* before row 0 */

  /* of the episode */
  ph_script *script; /* NULL before the first reset, and after one that failed */
  struct ph_start *start;
  ph_edit *edits; /* owned */
  size_t nedits;
  ph_rng rng; /* the policy's */
  ph_hold hold;
  ph_stages stages;
  int64_t step;
  bool done;
  bool predicate;
  char detail[200];

  /* buffers that rows and scenes point into */
  uint8_t predicate_row;
  double *action; /* the action that led here, for scenes */
  double *ctrl;
  double *action_state;
};

static const ph_task_info *info_of(const ph_env *env) {
  return ph_task_info_of(env->task);
}

uint64_t ph_env_seed(uint64_t run_seed, int env_id, int64_t episode) {
  return ph_rng_mix(run_seed, (uint64_t)env_id, (uint64_t)episode);
}

/* --- life --- */

static ph_status env_hold(ph_env *env, const ph_env_options *opt) {
  double seconds = info_of(env)->hold_seconds;
  if (opt && opt->hold_seconds >= 0.0)
    seconds = opt->hold_seconds;
  ph_status status = ph_stages_begin(&env->plain, env->task, env->control_dt);
  if (status != PH_OK || !info_of(env)->has_success)
    return status;
  return ph_hold_steps(&env->hold_steps, seconds, env->control_dt);
}

static ph_status env_sizes(ph_env *env) {
  env->dims = *ph_model_dims(env->model);
  env->dims.action_dim = ph_actions_dim(env->actions);
  env->dims.action_state = ph_actions_state_dim(env->actions);
  env->dims.control_steps = info_of(env)->control_steps > 0 ? info_of(env)->control_steps : 1;
  env->control_dt = env->dims.control_steps * ph_model_timestep(env->model);
  env->action = calloc((size_t)env->dims.action_dim + 1, sizeof(double));
  env->ctrl = calloc((size_t)env->dims.nu + 1, sizeof(double));
  env->action_state = calloc((size_t)env->dims.action_state + 1, sizeof(double));
  if (!env->action || !env->ctrl || !env->action_state)
    return ph_fail(PH_ENOMEM, "env: out of memory");
  return PH_OK;
}

ph_status ph_env_create(ph_env **out, const ph_task *task, const ph_model *model,
                        const ph_env_options *opt) {
  *out = NULL;
  ph_env *env = calloc(1, sizeof *env);
  if (!env)
    return ph_fail(PH_ENOMEM, "env: out of memory");
  env->task = ph_task_ref(task);
  env->model = ph_model_ref(model);
  env->done = true;
  ph_status status = ph_sim_create(&env->sim, model);
  if (status == PH_OK)
    status = ph_actions_create(&env->actions, task, model);
  if (status == PH_OK)
    status = env_sizes(env);
  if (status == PH_OK)
    status = env_hold(env, opt);
  if (status != PH_OK) {
    ph_env_free(env);
    return status;
  }
  *out = env;
  return PH_OK;
}

static void end_episode(ph_env *env) {
  ph_script_free(env->script);
  ph_start_free(env->start);
  ph_edits_free(env->edits, env->nedits);
  env->script = NULL;
  env->start = NULL;
  env->edits = NULL;
  env->nedits = 0;
  env->done = true;
}

void ph_env_free(ph_env *env) {
  if (!env)
    return;
  end_episode(env);
  ph_actions_free(env->actions);
  ph_sim_free(env->sim);
  ph_model_unref(env->model);
  ph_task_unref(env->task);
  free(env->action);
  free(env->ctrl);
  free(env->action_state);
  free(env);
}

/* --- what rows and scripts see --- */

static ph_scene scene_of(const ph_env *env) {
  ph_scene scene = {
      .sim = env->sim,
      .step = env->step,
      .action = env->step > 0 ? env->action : NULL,
      .naction = env->dims.action_dim,
      .start = env->start,
      .stages = &env->stages,
      .predicate = env->predicate,
      .latched = env->hold.latched,
  };
  return scene;
}

/* The row of the sim with what the sim does not know; pointers live until the env's next call. */
static ph_status env_row(ph_env *env, ph_row *row) {
  ph_status status = ph_sim_get_row(env->sim, row);
  if (status != PH_OK)
    return status;
  if (env->dims.action_state > 0) {
    ph_actions_get_state(env->actions, env->action_state);
    row->action_state = env->action_state;
  }
  if (info_of(env)->has_success) {
    env->predicate_row = env->predicate;
    row->predicate = &env->predicate_row;
  }
  return PH_OK;
}

/* Stages, then the predicate, which may ask for them. */
static ph_status update_predicate(ph_env *env) {
  env->predicate = false;
  ph_scene scene = scene_of(env);
  ph_status status = ph_script_stages(env->script, &scene, &env->stages);
  if (status != PH_OK || !info_of(env)->has_success)
    return status;
  return ph_script_success(env->script, &scene, &env->predicate, NULL);
}

/* --- reset --- */

static ph_status reset_scene(ph_env *env, uint64_t seed) {
  ph_rng rng;
  ph_rng_seed(&rng, seed, 0);
  ph_rng_seed(&env->rng, seed, 1);
  ph_status status = ph_sim_reset(env->sim);
  if (status == PH_OK)
    status = ph_sim_forward(env->sim); /* a reset may read where things are */
  if (status == PH_OK && info_of(env)->has_reset)
    status = ph_script_reset(env->script, env->sim, &rng);
  return status;
}

static ph_status check_reset(ph_env *env) {
  ph_row row = {0};
  char what[120];
  ph_status status = ph_sim_get_row(env->sim, &row);
  if (status == PH_OK && !ph_finite_row(&row, &env->dims, env->model, what, sizeof what))
    status = ph_fail(PH_EINVAL, "%s: reset: %s is not finite", info_of(env)->name, what);
  return status;
}

/* Derived values of what the reset left; numbers that no engine takes are not the engine's fault.
 */
static ph_status forward_reset(ph_env *env) {
  ph_status status = ph_sim_forward(env->sim);
  if (status == PH_ESIM && !env->sim->invalid)
    status = ph_fail_in(PH_EINVAL, "%s: reset", info_of(env)->name);
  return status;
}

/* Everything after the script's reset: what it changed, derived values, row 0. */
static ph_status start_episode(ph_env *env, ph_row *row0) {
  ph_status status = check_reset(env);
  if (status == PH_OK)
    status = ph_sim_diff_model(env->sim, &env->edits, &env->nedits);
  if (status == PH_OK)
    status = forward_reset(env);
  if (status != PH_OK)
    return status;
  ph_actions_reset(env->actions, env->sim);
  env->start = ph_start_new(env->sim);
  if (!env->start)
    return ph_fail(PH_ENOMEM, "env: out of memory");
  status = update_predicate(env);
  return status == PH_OK ? env_row(env, row0) : status;
}

ph_status ph_env_reset(ph_env *env, uint64_t seed, ph_row *row0) {
  end_episode(env);
  memset(row0, 0, sizeof *row0);
  env->step = 0;
  env->predicate = false;
  env->detail[0] = 0;
  env->hold = (ph_hold){.steps = env->hold_steps};
  env->stages = env->plain;
  ph_status status = ph_task_script(&env->script, env->task);
  if (status == PH_OK)
    status = reset_scene(env, seed);
  if (status == PH_OK)
    status = start_episode(env, row0);
  if (status != PH_OK) {
    end_episode(env);
    return status;
  }
  env->done = false;
  return PH_OK;
}

/* --- policy and step --- */

static ph_status running(const ph_env *env) {
  if (env->done)
    return ph_fail(PH_EINVAL, "env: no episode runs: reset it first");
  return PH_OK;
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
  if (!info_of(env)->has_policy)
    return ph_fail(PH_ENOTFOUND, "%s: the task has no policy", info_of(env)->name);
  ph_status status = running(env);
  if (status != PH_OK)
    return status;
  ph_scene scene = scene_of(env);
  status = ph_script_policy(env->script, &scene, &env->rng, action, (size_t)env->dims.action_dim);
  if (status == PH_OK && !finite_action(env, action, what, sizeof what)) {
    status = ph_fail(PH_EINVAL, "%s: policy: step %" PRId64 ": %s is not finite",
                     info_of(env)->name, env->step, what);
  }
  return status;
}

static void end_nan(ph_env *env, ph_outcome *out, const char *what) {
  snprintf(env->detail, sizeof env->detail, "step %" PRId64 ": %s", env->step, what);
  memset(out, 0, sizeof *out);
  out->done = true;
  out->end = PH_END_NAN;
  out->detail = env->detail;
  env->done = true;
}

/* Runs the physics of one control step. The episode ends as nan where a number is not finite. */
static ph_status advance(ph_env *env, const double *action, ph_outcome *out, bool *clipped,
                         bool *warned) {
  char what[120], text[160];
  ph_row row = {0};
  size_t at = 0;
  ph_status status = ph_sim_get_row(env->sim, &row);
  if (status != PH_OK)
    return status;
  if (!finite_action(env, action, what, sizeof what)) {
    snprintf(text, sizeof text, "%s is not finite", what);
    end_nan(env, out, text);
    return PH_OK;
  }
  memcpy(env->action, action, (size_t)env->dims.action_dim * sizeof(double));
  memcpy(env->ctrl, row.ctrl, (size_t)env->dims.nu * sizeof(double));
  status = ph_actions_apply(env->actions, env->sim, action, env->ctrl, clipped);
  if (status != PH_OK)
    return status;
  if (!ph_finite(env->ctrl, (size_t)env->dims.nu, &at)) {
    snprintf(text, sizeof text, "ctrl[%zu] (%s) is not finite", at,
             ph_model_name(env->model, PH_ACTUATOR, (int)at));
    end_nan(env, out, text);
    return PH_OK;
  }
  status = ph_sim_step(env->sim, env->ctrl, env->dims.control_steps, warned);
  if (status == PH_ESIM && !env->sim->invalid) {
    end_nan(env, out, ph_error());
    return PH_OK;
  }
  return status;
}

/* The first of nan > success > terminated > truncated that holds; flags tell of all. */
static ph_status update_end(ph_env *env, ph_outcome *out) {
  const ph_task_info *info = info_of(env);
  bool failed = false;
  ph_hold before = env->hold;
  bool latched = info->has_success && ph_hold_update(&env->hold, env->step, env->predicate);
  bool truncated = info->max_steps > 0 && env->step >= info->max_steps;
  ph_scene scene = scene_of(env);
  ph_status status = PH_OK;
  if (info->has_failure)
    status = ph_script_failure(env->script, &scene, &failed);
  if (status == PH_OK && info->has_reward)
    status = ph_script_reward(env->script, &scene, &out->reward);
  if (status != PH_OK)
    return status;
  if (!isfinite(out->reward)) { /* the step is no row, so it was not taken */
    env->hold = before;
    env->step--;
    end_nan(env, out, "reward is not finite");
    return PH_OK;
  }
  out->flags |= latched || failed ? PH_FLAG_TERMINATED : 0;
  out->flags |= truncated ? PH_FLAG_TRUNCATED : 0;
  out->done = env->done = latched || failed || truncated;
  out->end = latched  ? PH_END_SUCCESS
             : failed ? PH_END_TERMINATED
                      : (truncated ? PH_END_TRUNCATED : PH_END_UNKNOWN);
  if (out->end == PH_END_SUCCESS)
    snprintf(env->detail, sizeof env->detail, "held for %" PRId64 " steps", env->hold.count);
  else if (out->end == PH_END_TERMINATED)
    snprintf(env->detail, sizeof env->detail, "failure");
  else if (out->end == PH_END_TRUNCATED)
    snprintf(env->detail, sizeof env->detail, "max_steps %" PRId64, info->max_steps);
  out->detail = env->detail;
  return PH_OK;
}

/* Takes the outcome of a step that physics has done. */
static ph_status observe(ph_env *env, ph_outcome *out) {
  char what[120], text[160];
  ph_status status = ph_sim_get_row(env->sim, &out->row);
  if (status != PH_OK)
    return status;
  if (!ph_finite_row(&out->row, &env->dims, env->model, what, sizeof what)) {
    snprintf(text, sizeof text, "%s is not finite", what);
    end_nan(env, out, text);
    return PH_OK;
  }
  status = ph_sim_forward(env->sim);
  env->step++;
  if (status == PH_OK)
    status = update_predicate(env);
  if (status == PH_OK)
    status = update_end(env, out);
  bool row = status == PH_OK && out->end != PH_END_NAN;
  return row ? env_row(env, &out->row) : status;
}

ph_status ph_env_step(ph_env *env, const double *action, ph_outcome *out) {
  bool clipped = false, warned = false;
  memset(out, 0, sizeof *out);
  out->end = PH_END_UNKNOWN;
  out->detail = env->detail;
  ph_status status = running(env);
  if (status == PH_OK)
    status = advance(env, action, out, &clipped, &warned);
  if (status == PH_OK && !out->done) {
    out->flags = (uint8_t)((clipped ? PH_FLAG_CLIPPED : 0) | (warned ? PH_FLAG_WARNED : 0));
    status = observe(env, out);
  }
  if (status != PH_OK) {
    env->done = true;
    return ph_fail_in(status, "%s: step %" PRId64, info_of(env)->name, env->step);
  }
  return PH_OK;
}

/* --- readers --- */

const ph_edit *ph_env_edits(const ph_env *env, size_t *n) {
  *n = env->nedits;
  return env->edits;
}

const ph_dims *ph_env_dims(const ph_env *env) {
  return &env->dims;
}
double ph_env_control_dt(const ph_env *env) {
  return env->control_dt;
}
const ph_hold *ph_env_hold(const ph_env *env) {
  return &env->hold;
}
int64_t ph_env_step_index(const ph_env *env) {
  return env->step;
}
