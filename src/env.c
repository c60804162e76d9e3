#include "env_parts.h"

#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "finite.h"
#include "mj.h"

const ph_task_info *ph_env_info(const ph_env *env) {
  return ph_task_info_of(env->task);
}

uint64_t ph_env_seed(uint64_t run_seed, int env_id, int64_t episode) {
  return ph_rng_mix(run_seed, (uint64_t)env_id, (uint64_t)episode);
}

/* --- life --- */

static ph_status env_hold(ph_env *env, const ph_env_options *opt) {
  return ph_referee_init(&env->referee, env->task, opt ? opt->hold_seconds : -1.0, env->control_dt);
}

static ph_status env_sizes(ph_env *env) {
  env->dims = *ph_model_dims(env->model);
  env->dims.action_dim = ph_actions_dim(env->actions);
  env->dims.action_state = ph_actions_state_dim(env->actions);
  env->dims.control_steps =
      ph_env_info(env)->control_steps > 0 ? ph_env_info(env)->control_steps : 1;
  env->control_dt = env->dims.control_steps * ph_model_timestep(env->model);
  env->action = calloc((size_t)env->dims.action_dim + 1, sizeof(double));
  env->ctrl = calloc((size_t)env->dims.nu + 1, sizeof(double));
  env->action_state = calloc((size_t)env->dims.action_state + 1, sizeof(double));
  env->conditions = calloc(ph_env_info(env)->nconditions + 1, sizeof *env->conditions);
  if (!env->action || !env->ctrl || !env->action_state || !env->conditions)
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
  ph_referee_end(&env->referee);
  ph_edits_free(env->edits, env->nedits);
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
  free(env->conditions);
  free(env);
}

/* --- what rows and scripts see --- */

ph_scene ph_env_scene(const ph_env *env) {
  bool led = env->referee.step > 0 || env->acting;
  return ph_referee_scene(&env->referee, env->sim, led ? env->action : NULL, env->dims.action_dim);
}

ph_status ph_env_row(ph_env *env, ph_row *row) {
  ph_status status = ph_sim_get_row(env->sim, row);
  if (status != PH_OK)
    return status;
  if (env->dims.action_state > 0) {
    ph_actions_get_state(env->actions, env->action_state);
    row->action_state = env->action_state;
  }
  if (ph_env_info(env)->has_success) {
    env->predicate_row = env->referee.predicate;
    row->predicate = &env->predicate_row;
  }
  return PH_OK;
}

/* --- reset --- */

static ph_status reset_scene(ph_env *env, uint64_t seed) {
  ph_rng rng;
  ph_rng_seed(&rng, seed, 0);
  ph_rng_seed(&env->rng, seed, 1);
  ph_status status = ph_sim_reset(env->sim);
  if (status == PH_OK)
    status = ph_sim_forward(env->sim); /* a reset may read where things are */
  if (status == PH_OK && ph_env_info(env)->has_reset)
    status = ph_script_reset(env->referee.script, env->sim, &rng);
  return status;
}

static ph_status check_reset(ph_env *env) {
  ph_row row = {0};
  char what[120];
  ph_status status = ph_sim_get_row(env->sim, &row);
  if (status == PH_OK && !ph_finite_row(&row, &env->dims, env->model, what, sizeof what))
    status = ph_fail(PH_EINVAL, "%s: reset: %s is not finite", ph_task_called(env->task), what);
  return status;
}

/* Derived values of what the reset left; numbers that no engine takes are not the engine's fault.
 */
static ph_status forward_reset(ph_env *env) {
  ph_status status = ph_sim_forward(env->sim);
  if (status == PH_ESIM && !env->sim->invalid)
    status = ph_fail_in(PH_EINVAL, "%s: reset", ph_task_called(env->task));
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
  status = ph_referee_start(&env->referee, env->sim);
  return status == PH_OK ? ph_env_row(env, row0) : status;
}

ph_status ph_env_reset(ph_env *env, uint64_t seed, ph_row *row0) {
  end_episode(env);
  memset(row0, 0, sizeof *row0);
  env->acting = false;
  ph_status status = ph_referee_begin(&env->referee);
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
int64_t ph_env_clip_count(const ph_env *env, int i) {
  return ph_actions_clip_count(env->actions, i);
}

const ph_hold *ph_env_hold(const ph_env *env) {
  return &env->referee.hold;
}
const ph_stages *ph_env_stages(const ph_env *env) {
  return &env->referee.stages;
}
int64_t ph_env_step_index(const ph_env *env) {
  return env->referee.step;
}
bool ph_env_running(const ph_env *env) {
  return !env->done;
}
bool ph_env_predicate(const ph_env *env) {
  return env->referee.predicate;
}
const ph_sim *ph_env_sim(const ph_env *env) {
  return env->sim;
}
const ph_actions *ph_env_actions(const ph_env *env) {
  return env->actions;
}
const ph_task *ph_env_task(const ph_env *env) {
  return env->task;
}
const ph_model *ph_env_model(const ph_env *env) {
  return env->model;
}

/* Whether scripts may look at the state: derived quantities belong to it. */
static ph_status can_look(ph_env *env) {
  if (!env->referee.script)
    return ph_fail(PH_EINVAL, "env: no episode runs: reset it first");
  return env->sim->stale ? ph_sim_forward(env->sim) : PH_OK;
}

ph_status ph_env_conditions(ph_env *env, const ph_condition **out, size_t *n) {
  bool all;
  *out = env->conditions;
  *n = 0;
  ph_status status = can_look(env);
  if (status != PH_OK || !ph_env_info(env)->has_success)
    return status;
  ph_scene scene = ph_env_scene(env);
  status = ph_script_success(env->referee.script, &scene, &all, env->conditions);
  *n = status == PH_OK ? ph_env_info(env)->nconditions : 0;
  return status;
}

ph_status ph_env_readouts(ph_env *env, double *out) {
  ph_status status = can_look(env);
  if (status != PH_OK || ph_env_info(env)->nreadouts == 0)
    return status;
  ph_scene scene = ph_env_scene(env);
  return ph_script_readouts(env->referee.script, &scene, out);
}
