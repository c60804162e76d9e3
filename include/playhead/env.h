/* One simulation slot that runs a task: reset, policy, step. Owns a ph_sim, the action manager, the
 * task's script state, hold and stages, and the random streams. Belongs to one thread at a time.
 * Many of them at once: <playhead/envs.h>. */
#ifndef PLAYHEAD_ENV_H
#define PLAYHEAD_ENV_H

#include <playhead/action.h>
#include <playhead/episode.h>
#include <playhead/latch.h>
#include <playhead/stage.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_env ph_env;

typedef struct ph_env_options {
  double hold_seconds; /* hold in force; negative: the task's */
} ph_env_options;
#define PH_ENV_OPTIONS_INIT                                                                        \
  { -1.0 }

/* What one step led to. Pointers are the env's, valid until its next call. */
typedef struct ph_outcome {
  ph_row row;    /* state after the step, before any reset */
  double reward; /* the task's; 0 where it has none */
  uint8_t flags; /* PH_FLAG_* */
  bool done;     /* the episode has ended; end and detail say how */
  ph_end end;
  const char *detail;
  bool terminated; /* by success or failure */
  bool truncated;  /* by max_steps, or a number that is not finite; done is one of the two */
  bool success;    /* has been held for long enough, with this step */
} ph_outcome;

/* References task and model. opt is nullable. PH_EMODEL: the model did not compile. PH_EMISMATCH:
 * an action term does not fit it. PH_EINVAL: the hold is no number, or
 * cannot be counted in steps. PH_ENOMEM. */
PH_API ph_status ph_env_create(ph_env **out, const ph_task *task, const ph_model *model,
                               const ph_env_options *opt);
PH_API void ph_env_free(ph_env *env); /* Nullable */

/* seed = mix(run seed, env_id, episode): a function of the three alone. */
PH_API uint64_t ph_env_seed(uint64_t run_seed, int env_id, int64_t episode);

/* Starts an episode from its own seed: reset state, the task's reset, streams, counters. *row0 is
 * row 0 (borrowed). PH_EINVAL: the script left values that are not finite, or that no engine takes;
 * the element is named, and the episode has no row 0 (ph_recorder_skip counts it). PH_ETASK: the
 * script failed. PH_ESIM: a fatal error of the engine. After an error no episode runs. */
PH_API ph_status ph_env_reset(ph_env *env, uint64_t seed, ph_row *row0);

/* What the reset changed in the model; borrowed until the next reset. */
PH_API const ph_edit *ph_env_edits(const ph_env *env, size_t *n);

/* Asks the task's policy for an action (action_dim). PH_ENOTFOUND: the task has none. A non-finite
 * action is PH_EINVAL with its element named, as is asking while no episode runs or within a
 * control step. PH_ETASK. */
PH_API ph_status ph_env_policy(ph_env *env, double *action);

/* One control step. A non-finite action or outcome is no error: out->done with PH_END_NAN, detail
 * names step and element, and out->row is not a row to record. PH_EINVAL: no episode runs.
 * PH_ETASK: the script failed. PH_ESIM: a fatal error of the engine. After an error no episode
 * runs. */
PH_API ph_status ph_env_step(ph_env *env, const double *action, ph_outcome *out);

/* --- a control step in parts ---
 *
 * ph_env_act and then ph_env_substeps, control_steps in all, come to the outcome of ph_env_step bit
 * for bit, whatever the parts are. Errors are those of ph_env_step; another step or policy cannot
 * be asked for until the last substep is done, a reset can. */

/* Begins a control step: the action manager runs and ctrl is in force, physics has not moved. *out
 * is empty but where the episode ends as nan. PH_EINVAL: one has begun already. */
PH_API ph_status ph_env_act(ph_env *env, const double *action, ph_outcome *out);
/* n more substeps (from 1), no more than are left. The last one takes the outcome; before it *out
 * is empty: row.state is NULL. Derived quantities belong to the state that is reached. PH_EINVAL:
 * no control step has begun, or n is below 1. */
PH_API ph_status ph_env_substeps(ph_env *env, int n, ph_outcome *out);
/* Whether one has begun and not ended, and how many substeps of it are done; 0 between. */
PH_API bool ph_env_acting(const ph_env *env);
PH_API int ph_env_substep(const ph_env *env);
/* How often element i of the action was cut since the reset, the step under way with it. */
PH_API int64_t ph_env_clip_count(const ph_env *env, int i);

/* --- the present state ---
 *
 * Borrowed from the env; nothing here changes what the episode comes to. */

PH_API const ph_dims *
ph_env_dims(const ph_env *env); /* with action_dim, action_state, control_steps */
PH_API double ph_env_control_dt(const ph_env *env); /* [s] */
PH_API const ph_hold *ph_env_hold(const ph_env *env);
PH_API const ph_stages *ph_env_stages(const ph_env *env);
PH_API int64_t ph_env_step_index(const ph_env *env); /* actions taken since reset */
PH_API bool ph_env_running(const ph_env *env);       /* an episode has begun and not ended */
PH_API bool ph_env_predicate(const ph_env *env);     /* of the last whole step */
PH_API const ph_sim *ph_env_sim(const ph_env *env);  /* for ph_sim_get_row and names */
PH_API const ph_actions *ph_env_actions(const ph_env *env);
PH_API const ph_task *ph_env_task(const ph_env *env);
PH_API const ph_model *ph_env_model(const ph_env *env);

/* What each condition of success says, in the order of ph_task_condition; *n is 0 where the task
 * has none. Valid until the env's next call. PH_ETASK: a condition failed. PH_EINVAL: there was no
 * reset. PH_ESIM: the state is not finite. Like the next one it may be asked for after the end. */
PH_API ph_status ph_env_conditions(ph_env *env, const ph_condition **out, size_t *n);
/* The task's readouts (nreadouts), in the order of ph_task_readout. Errors likewise. */
PH_API ph_status ph_env_readouts(ph_env *env, double *out);

#ifdef __cplusplus
}
#endif
#endif
