/* Many envs of one task at once, on threads: for learning, for sampling. What each of them does is
 * what a ph_env of the same seed does alone, bit for bit, whatever the number of threads.
 *
 * Arrays are of all envs, in their order, row after row. Those that are given out are the envs'
 * own and change with the next call. One call at a time, from any thread. */
#ifndef PLAYHEAD_ENVS_H
#define PLAYHEAD_ENVS_H

#include <playhead/env.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_envs ph_envs;

typedef struct ph_envs_options {
  double hold_seconds; /* hold in force; negative: the task's */
  int threads;         /* the caller's among them; 0: one for each core; never more than envs */
  bool autoreset;      /* where an episode ends, the next one begins within the same call */
  bool no_readouts;    /* they are not asked for: an env's step costs less */
} ph_envs_options;
#define PH_ENVS_OPTIONS_INIT                                                                       \
  { -1.0, 0, false, false }

/* What a step led to, n of each. An env in which no episode ran took no step: its reward is 0 and
 * the rest stays as it was. Where an error ended the episode, it is truncated, as `aborted`. */
typedef struct ph_envs_outcome {
  const double *states;      /* (n x width) after the step, before any reset: of an episode that has
                                ended its last one; of one that ended as nan the last that was one */
  const double *readouts;    /* (n x nreadouts) of these states */
  const double *rewards;     /* (n) */
  const uint8_t *flags;      /* (n) PH_FLAG_* */
  const uint8_t *terminated; /* (n) 0 or 1, as in ph_outcome; these three too */
  const uint8_t *truncated;
  const uint8_t *success;
  const uint8_t *stepped; /* (n) 0: no episode ran */
  const ph_end *ends;     /* (n) PH_END_UNKNOWN: goes on */
} ph_envs_outcome;

/* n envs (from 1), which reference task and model; no episode runs yet. opt is nullable. Errors of
 * ph_env_create; PH_EINVAL: n or threads is out of range. Where the system has no more threads, it
 * goes on with those it has. */
PH_API ph_status ph_envs_create(ph_envs **out, int n, const ph_task *task, const ph_model *model,
                                const ph_envs_options *opt);
PH_API void ph_envs_free(ph_envs *envs); /* Nullable */

PH_API int ph_envs_count(const ph_envs *envs);
PH_API const ph_dims *ph_envs_dims(const ph_envs *envs); /* as ph_env_dims */
PH_API int ph_envs_width(const ph_envs *envs);           /* of a state: 1+nq+nv+na */
PH_API size_t ph_envs_nreadouts(const ph_envs *envs);    /* 0 where they are not asked for */
/* The i-th, to be read only. Borrowed. */
PH_API ph_env *ph_envs_env(ph_envs *envs, int i);

/* Begins episodes: of all envs, or of those whose byte in `which` (n, nullable) is not 0, each from
 * its own seed. An error of one touches no other: see ph_envs_status. Returns the first error by
 * number, with "env 3" in front, after all have been reset. */
PH_API ph_status ph_envs_reset(ph_envs *envs, const uint64_t *seeds, const uint8_t *which);

/* Asks the task's policy of every env in which an episode runs; the actions (n x action_dim) of
 * others are 0. An error of one ends its episode as an error of a step does. Returns likewise.
 * PH_ENOTFOUND: the task has none. */
PH_API ph_status ph_envs_policy(ph_envs *envs, double *actions);

/* One control step of every env in which an episode runs; actions (n x action_dim). *out is valid
 * also after an error. With autoreset the k-th episode that follows (from 1) has the seed
 * ph_env_seed(seed given to ph_envs_reset, i, k). Returns the first error of this call by number;
 * where one failed no episode runs until it is reset, while the others go on. */
PH_API ph_status ph_envs_step(ph_envs *envs, const double *actions, ph_envs_outcome *out);

/* What each is at now, after any reset: to choose the next actions by. */
PH_API const double *ph_envs_states(const ph_envs *envs);   /* (n x width) */
PH_API const double *ph_envs_readouts(const ph_envs *envs); /* (n x nreadouts) */
/* Seed of the episode that each is in, or was in last. */
PH_API const uint64_t *ph_envs_seeds(const ph_envs *envs); /* (n) */

/* PH_OK, or the error that env i has had since its last reset, and its sentence ("" for PH_OK). */
PH_API ph_status ph_envs_status(const ph_envs *envs, int i);
PH_API const char *ph_envs_error(const ph_envs *envs, int i);

#ifdef __cplusplus
}
#endif
#endif
