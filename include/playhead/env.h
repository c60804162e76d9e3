/* One simulation slot that runs a task: reset, policy, step. Owns a ph_sim, the action manager, the
 * task's script state, the hold counter and the random streams. Belongs to one thread. */
#ifndef PLAYHEAD_ENV_H
#define PLAYHEAD_ENV_H

#include <playhead/action.h>
#include <playhead/episode.h>
#include <playhead/latch.h>

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
} ph_outcome;

/* References task and model. opt is nullable. PH_EMODEL: the model did not compile. PH_EMISMATCH:
 * an action term does not fit it. PH_EINVAL: the hold cannot be counted in steps. PH_ENOMEM. */
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
 * action is PH_EINVAL with its element named, as is asking while no episode runs. PH_ETASK. */
PH_API ph_status ph_env_policy(ph_env *env, double *action);

/* One control step. A non-finite action or outcome is no error: out->done with PH_END_NAN, detail
 * names step and element, and out->row is not a row to record. PH_EINVAL: no episode runs.
 * PH_ETASK: the script failed. PH_ESIM: a fatal error of the engine. After an error no episode
 * runs. */
PH_API ph_status ph_env_step(ph_env *env, const double *action, ph_outcome *out);

PH_API const ph_dims *
ph_env_dims(const ph_env *env); /* with action_dim, action_state, control_steps */
PH_API double ph_env_control_dt(const ph_env *env); /* [s] */
PH_API const ph_hold *ph_env_hold(const ph_env *env);
PH_API int64_t ph_env_step_index(const ph_env *env); /* actions taken since reset */

#ifdef __cplusplus
}
#endif
#endif
