/* A live env whose past stays in memory as an episode: what a preview shows. Nothing of it is
 * recorded. The head is the state that physics has come to; what is before it is history, read as
 * any other episode is. Belongs to one thread. */
#ifndef PLAYHEAD_LIVE_H
#define PLAYHEAD_LIVE_H

#include <playhead/env.h>
#include <playhead/policy.h>
#include <playhead/replay.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_live ph_live;

/* Where actions come from. */
typedef enum ph_drive {
  PH_DRIVE_POLICY, /* the task's, or the command of the options */
  PH_DRIVE_ZERO,   /* all elements 0 */
  PH_DRIVE_HELD,   /* those of the step before; 0 at first */
  PH_DRIVE_COUNT
} ph_drive;
PH_API const char *ph_drive_name(ph_drive drive); /* "policy", "zero", "held" */

typedef struct ph_live_options {
  double hold_seconds; /* in force; negative: the task's */
  size_t room;         /* bytes that the history may take; 0: 256 MiB */
  ph_policy *policy; /* Nullable: in place of the task's, as env 0, whose episodes are counted from
                        the first reset on; borrowed */
} ph_live_options;
#define PH_LIVE_OPTIONS_INIT                                                                       \
  { -1.0, 0, NULL }

/* References task and model; opt is nullable. No episode runs before ph_live_reset. Errors of
 * ph_env_create. */
PH_API ph_status ph_live_open(ph_live **out, const ph_task *task, const ph_model *model,
                              const ph_live_options *opt);
PH_API void ph_live_free(ph_live *live); /* Nullable */

/* Begins an episode from its own seed, as `record` would from it; the history begins anew, and what
 * ph_live_episode gave is freed. Errors of ph_env_reset: no episode runs then, and there is no
 * history. */
PH_API ph_status ph_live_reset(ph_live *live, uint64_t seed);

/* n more substeps from the head (from 1), no more than the control step has left; where none is
 * under way one begins. override is nullable: action_dim numbers, NaN where the drive's own stands.
 * A policy where the task has none drives with zeros.
 *
 * An action or state that is not finite ends the episode as nan, and is no error. PH_EINVAL: no
 * episode runs. PH_ENOMEM: the history has no room; the env stays at its head. Other errors are
 * those of ph_env_step, ph_env_policy and ph_policy_ask; the episode has ended then. */
PH_API ph_status ph_live_advance(ph_live *live, int n, ph_drive drive, const double *override);

typedef struct ph_live_state {
  bool running;         /* the episode has begun and not ended */
  int substep;          /* done of the control step that is under way; 0: none is */
  const double *action; /* (action_dim) in force in it; NULL: none is under way */
  uint64_t seed;
  ph_end end;         /* how it ended; PH_END_UNKNOWN while it runs */
  const char *detail; /* of the end, or "" */
} ph_live_state;
/* Pointers are good until the next call that moves it. */
PH_API void ph_live_now(const ph_live *live, ph_live_state *out);

/* The history, up to the head's last whole step; it grows. NULL before the first reset. Borrowed
 * until the next one. */
PH_API const ph_episode *ph_live_episode(const ph_live *live);
PH_API const ph_env *ph_live_env(const ph_live *live);

#ifdef __cplusplus
}
#endif
#endif
