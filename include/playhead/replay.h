/* A cursor over one episode. The episode is const; a ph_replay holds all that changes: its own
 * ph_sim and the current frame. Belongs to one thread. */
#ifndef PLAYHEAD_REPLAY_H
#define PLAYHEAD_REPLAY_H

#include <playhead/episode.h>
#include <playhead/stage.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_replay ph_replay;

typedef enum ph_mode { PH_KINEMATIC } ph_mode;

/* What may be promised about re-simulating an episode here. */
typedef enum ph_guarantee { PH_EXACT, PH_NOT_EXACT, PH_STATES_ONLY } ph_guarantee;
PH_API const char *ph_guarantee_name(ph_guarantee g); /* "EXACT", "NOT EXACT", "STATES ONLY" */

/* Judges an episode against model and task that are in use (each nullable: none could be had);
 * writes the true reason, one sentence, into reason. An episode that names a task is STATES ONLY
 * without one: what its actions do to ctrl is not known. */
PH_API ph_guarantee ph_episode_guarantee(const ph_episode *episode, const ph_model *model,
                                         const ph_task *task, char *reason, size_t size);

/* Names a stored or derived number of the frame. */
typedef enum ph_signal_kind {
  PH_SIGNAL_QPOS,
  PH_SIGNAL_QVEL,
  PH_SIGNAL_ACT,
  PH_SIGNAL_CTRL,
  PH_SIGNAL_MOCAP,
  PH_SIGNAL_SENSOR,
  PH_SIGNAL_BODY,    /* world position of a body */
  PH_SIGNAL_CHANNEL, /* of a channel of a foreign file, as its row for the step has it */
  PH_SIGNAL_READOUT, /* of the task, in the order of ph_task_readout; NaN where it fails */
} ph_signal_kind;

typedef struct ph_signal {
  char name[160];   /* "arm_elbow", "cup.z", "arm_elbow.v", "act.muscle", "obs/eef_pos[2]" */
  const char *unit; /* "rad", "m", "rad/s", "" ... */
  ph_signal_kind kind;
  int index;   /* in its array; of mocap body i: 7 i + 0..2 for its position, + 3..6 for its quat */
  int channel; /* of PH_SIGNAL_CHANNEL; else -1 */
} ph_signal;

typedef struct ph_contact {
  const char *geom[2]; /* names, "geom 12" where they have none; borrowed from the replay */
  double dist;         /* [m] negative: penetration */
  double force;        /* [N] normal */
} ph_contact;

/* One instant, complete. Borrowed from the replay until its next seek. The row holds the file's
 * bits; derived values come from a pure forward of it under the ctrl in force. */
typedef struct ph_frame {
  int64_t step;
  double time; /* [s] */
  ph_row row;
  const double *action; /* (action_dim) raw action taken here; NULL at the last state */
  const double *reward; /* of the transition that led here; NULL at step 0 or not stored */
  const uint8_t *flags; /* likewise */
  const double *values; /* parallel to the signals; NaN where not known */
  size_t ncontact;
  const ph_contact *contact;
  bool forward;   /* derived values are there: the model compiled and fits */
  char note[400]; /* "" or which columns are damaged here and so NULL, why the engine derives
                     nothing from the state, and which readout failed, in a sentence */
} ph_frame;

/* Checks model and task against the episode before anything runs: names and order of joints and
 * actuators, sizes, action size, decimation, timestep. PH_EMISMATCH names both sides. model is
 * nullable or uncompiled: then only stored columns are shown. task is nullable. All are referenced
 * or borrowed: the episode must outlive the replay. */
PH_API ph_status ph_replay_create(ph_replay **out, const ph_episode *episode, const ph_model *model,
                                  const ph_task *task);
PH_API void ph_replay_free(ph_replay *replay); /* Nullable */

/* Goes to a step in O(1), clamped to the episode's states. Recorded states alone are here:
 * PH_EINVAL for another mode than PH_KINEMATIC or a substep other than 0, which are a ph_cursor's
 * (<playhead/rerun.h>), and for an episode without states. PH_EFORMAT: no state is stored there.
 * PH_ECORRUPT: states or ctrl are damaged there, and there is no frame. Damage of any other column
 * leaves that one NULL and is in the frame's note; where the engine would need it, nothing is
 * derived. A readout of the task that fails is NaN and in the note. */
PH_API ph_status ph_replay_seek(ph_replay *replay, int64_t step, int substep, ph_mode mode);

/* Shows a row that the episode does not have: one between two of its steps, under the action that
 * is in force there (nullable). PH_EINVAL: no state. PH_ESIM as above. */
PH_API ph_status ph_replay_show(ph_replay *replay, int64_t step, const ph_row *row,
                                const double *action);
/* The same of another run than the recorded one: the task's conditions and readouts see its stages.
 * stages is copied; NULL: the recorded ones. */
PH_API ph_status ph_replay_show_judged(ph_replay *replay, int64_t step, const ph_row *row,
                                       const double *action, const ph_stages *stages);

PH_API const ph_frame *
ph_replay_frame(const ph_replay *replay); /* never NULL; step -1 before a seek */
PH_API const ph_signal *ph_replay_signals(const ph_replay *replay, size_t *n);
/* The sim at the frame, for callers that read more; NULL without a model. Borrowed. */
PH_API const ph_sim *ph_replay_sim(const ph_replay *replay);

/* Evaluates the task's predicate on the current frame. *conditions (nullable) gets nconditions
 * entries, borrowed until the next call. PH_ENOTFOUND: no task, no condition or no model; or it
 * asks for stages, and the states before this one, more than some thousand, were not judged yet.
 * PH_EINVAL: no seek has succeeded yet. PH_ESIM: the engine cannot take the state. PH_ETASK: the
 * script failed. */
PH_API ph_status ph_replay_predicate(ph_replay *replay, bool *value,
                                     const ph_condition **conditions);

/* From now on ph_replay_predicate gives what another has judged of each state, as in
 * <playhead/judge.h>, in place of the task, with one condition called `by`. bits (as many as the
 * episode has states) and by are copied; NULL: the task judges again. PH_ENOMEM. */
PH_API ph_status ph_replay_judged(ph_replay *replay, const uint8_t *bits, const char *by);

/* The task's stages along the recorded states: judges at most `most` more of them, in order from
 * the first on, and gives what is known then. *rows: states that were judged; once it is that of
 * the episode nothing more comes. The frame stays, or costs a seek to it. PH_ENOTFOUND: no task, no
 * stages or no model. PH_EINVAL: a hold that cannot be counted. Else a state that cannot be judged
 * (damaged, or the script failed): the text names the step, and *rows ends there for good; what is
 * before it is given all the same. */
PH_API ph_status ph_replay_stages(ph_replay *replay, int64_t most, ph_stages *stages,
                                  int64_t *rows);

#ifdef __cplusplus
}
#endif
#endif
