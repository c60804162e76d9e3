/* Many envs on a pool of threads, recorded through the rows of ph_recorder. Each env has its own
 * sim, model copy where its reset changes the model, script state, random streams, counters and
 * journal; env i records ceil((M-i)/N) episodes and goes on with its next one while the others are
 * in theirs. What is recorded is a function of (task, seed, envs, episodes) alone: neither jobs nor
 * chance changes a bit of it. With a policy of the caller's that holds as long as its action is a
 * function of the env's episode so far. */
#ifndef PLAYHEAD_POOL_H
#define PLAYHEAD_POOL_H

#include <playhead/recorder.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_pool ph_pool;

/* What became of an episode that has ended. */
typedef enum ph_pool_fate {
  PH_POOL_SAVED,       /* whole on disk */
  PH_POOL_KEPT,        /* could not be written, is tried again */
  PH_POOL_DISCARDED,   /* it had no step */
  PH_POOL_UNSUCCESSFUL /* only successful ones are wanted */
} ph_pool_fate;

/* One episode that has ended, as it is told of. Strings are valid during the call. */
typedef struct ph_pool_episode {
  int env_id;
  int64_t episode;  /* its number in the run */
  const char *id;   /* that it has in the run */
  const char *file; /* name of its file in the run's folder; not there unless it is saved */
  int64_t actions;  /* rows recorded of it */
  uint64_t seed;
  ph_end end;
  int success; /* 1, 0, -1: no task condition */
  ph_pool_fate fate;
  const char *detail; /* how it ended, in words */
  const char *error;  /* NULL, or why it is kept or why its env stopped the run */
} ph_pool_episode;

typedef struct ph_pool_options {
  int envs;            /* N, from 1 */
  int64_t episodes;    /* M of all envs together; 0: one for each env */
  uint64_t seed;       /* of the run */
  int jobs;            /* threads; 0: as many as the machine has cores; never more than envs */
  double hold_seconds; /* in force; negative: the task's */
  bool only_success;   /* others are discarded and counted */
  /* Nullable. Told of every episode that ended, one at a time, from any thread of the pool. */
  void (*ended)(void *user, const ph_pool_episode *episode);
  void *user;
  /* Nullable. Chooses the actions in place of the task's policy, which need not be there then; from
   * any thread of the pool, also from several at a time, for one env from one. The env is at the
   * state to act in and may only be read; action has room for action_dim. PH_EINVAL ends the
   * episode as nan (an action that is not finite), PH_ECANCELED the run as ph_pool_stop does, any
   * other failure as an error of that env. */
  ph_status (*policy)(void *policy_user, int env_id, int64_t episode, ph_env *env, double *action);
  void *policy_user;
} ph_pool_options;
#define PH_POOL_OPTIONS_INIT                                                                       \
  { 1, 0, 0, 0, -1.0, false, NULL, NULL, NULL, NULL }

/* What a run has come to, as a snapshot. */
typedef struct ph_pool_progress {
  int64_t steps, ended, wanted, successes, errors; /* ended: episodes, however they ended */
  int running;                                     /* envs that have not finished their share */
  int64_t fewest, most;                            /* episodes that one env has ended */
  int envs;                                        /* that there are: no more than episodes */
  int jobs;                                        /* threads that share the envs out */
} ph_pool_progress;

/* None of the envs is idle: no more than episodes. The first is made here, each of the others by
 * the thread that begins its first episode; it is freed when its share has ended. Every env is
 * begun before one goes on past its first steps, so all whose episodes are long live at the same
 * time. One costs the engine's data of its model (some MB also of a small one, most of it the room
 * that <size memory> or nstack gives it), a copy of the model where that has equality constraints
 * or a reset changes it, a state of Lua, and an open journal of the recorder: one file descriptor
 * and its running episode on disk.
 *
 * Errors of ph_env_create; PH_EINVAL: there is no policy, or with only_success no success
 * condition, or a number is out of range. Task and model are referenced. */
PH_API ph_status ph_pool_create(ph_pool **out, const ph_task *task, const ph_model *model,
                                const ph_pool_options *opt);
PH_API void ph_pool_free(ph_pool *pool);                 /* Nullable; not while it runs */
PH_API const ph_dims *ph_pool_dims(const ph_pool *pool); /* as ph_env_dims; for the recorder */

/* Records all episodes and returns when every env has ended its share, or after ph_pool_stop, or
 * after an error. Episode numbers go on from what the recorder has (ph_recorder_next_episode), and
 * seeds are of those numbers. Unfinished episodes are saved as `aborted`.
 *
 * An error of one env (its script's, the engine's, or one of making it) stops the run in order: the
 * others finish their step and are saved as aborted, the env's own episode too, with the error as
 * its end_detail. PH_ETASK, PH_ESIM, PH_ENOMEM, PH_EINVAL: that error. A recorder that cannot write
 * is no such error: the rows are kept and ph_recorder_close says so. */
PH_API ph_status ph_pool_run(ph_pool *pool, ph_recorder *rec);
/* Ends a run after the step that each env is in; one that has not started begins nothing. From any
 * thread, and from a signal handler. */
PH_API void ph_pool_stop(ph_pool *pool);
/* From any thread, while it runs too. */
PH_API void ph_pool_progress_of(const ph_pool *pool, ph_pool_progress *out);
/* Episodes that one env has ended; 0: there is no such env. From any thread. */
PH_API int64_t ph_pool_env_ended(const ph_pool *pool, int env_id);
/* What the run's folder takes on disk [B]: episodes, also those written later, and journals. Costs
 * some tens of `stat` whatever there is: of more than 64 envs the journals are looked at in turns.
 * 0 before ph_pool_run. From any thread. */
PH_API int64_t ph_pool_disk_use(const ph_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
