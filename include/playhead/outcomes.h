/* The predicate of an episode by three sources: what the file stores, the task on its recorded
 * states, and the task on states that physics comes to when it is run again. They are taken once;
 * every hold is asked of them afterwards. DESIGN: latch. */
#ifndef PLAYHEAD_OUTCOMES_H
#define PLAYHEAD_OUTCOMES_H

#include <playhead/divergence.h>
#include <playhead/judge.h>
#include <playhead/latch.h>
#include <playhead/replay.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a source has no predicate for want of. */
typedef enum ph_lack {
  PH_LACK_NONE,  /* it has one */
  PH_LACK_MODEL, /* there is no model, and the episode does not say why */
  PH_LACK_TASK,  /* nothing that knows success */
  PH_LACK_OTHER  /* anything else */
} ph_lack;

/* By one source; the dynamic one is strict: as long as every state is bit for bit the recorded
 * one. */
typedef struct ph_outcomes {
  bool known;             /* false: this source has no predicate, and `why` says it */
  char why[320];          /* one sentence without the episode's id; where it is known: "", or why
                             outcomes are missing behind those that are, or what they tell of */
  ph_lack lack;           /* where it is not known */
  bool damaged;           /* stored rows do not carry their checksum: nothing behind them counts */
  char judge[65];         /* SHA-256 of the task whose predicate it is; "": of none that is known. A
                             command is to say what the file's own does, and has its */
  ph_intervals intervals; /* owned */
  int64_t rows;           /* outcomes that are known: rows 1 .. rows */
  /* A hold that is in the outcomes already: at it the first true row is the latch. Others store
   * that success has held, and so do cuts of theirs. 0: none is. */
  int64_t held_steps;
  int64_t actions; /* A: outcomes that there are */
  /* Dynamic: the first row at which physics leaves the recording; nothing behind it counts. -1. */
  int64_t left;
  char left_text[240]; /* "arm_wrist, 4.1e-3 rad" */
  /* The first row at which the env ends the episode for another reason than success (a failure of
   * the task, a bad number, the task's max_steps, what the file says); nothing behind a bad number
   * counts. -1 */
  int64_t ended;
  char ended_text[240]; /* "terminated: failure", "truncated: max_steps 500" */
} ph_outcomes;

PH_API void ph_outcomes_free(ph_outcomes *o); /* and zero; what it points to, not itself */

typedef struct ph_outcomes_options {
  ph_judge *judge; /* nullable: says what the predicate is in place of the task; kinematic alone */
  const ph_tolerance *tolerance; /* nullable: strict. Else dynamic goes on until that is exceeded */
  /* Nullable: asked now and then; false ends it with PH_ECANCELED. */
  bool (*progress)(void *arg, int64_t step, int64_t states);
  void *arg;
} ph_outcomes_options;

/* Takes an episode by one source into *out, whose old contents are not looked at. model and task
 * are nullable, opt too. PH_OK also where the source has none: that is in *out. PH_ENOMEM,
 * PH_ECANCELED; PH_EIO, PH_EFORMAT of a judge. */
PH_API ph_status ph_outcomes_take(ph_outcomes *out, ph_latch_source source,
                                  const ph_episode *episode, const ph_model *model,
                                  const ph_task *task, const ph_outcomes_options *opt);

/* The strictest source that has something to say of an episode: dynamic where what is run again is
 * promised to be exact, or where `anyway`; kinematic where a model and a task that knows success
 * are there; else recorded. model and task are nullable. A judge makes it kinematic at most, which
 * is the caller's to say. */
PH_API ph_latch_source ph_outcomes_strictest(const ph_episode *episode, const ph_model *model,
                                             const ph_task *task, bool anyway);

/* Why there is no latch row: the one that comes first in time. An end at the very row of the latch
 * is none: success outranks it. */
typedef enum ph_refusal {
  PH_REFUSAL_NONE,    /* it latches */
  PH_REFUSAL_UNKNOWN, /* the source has no predicate */
  PH_REFUSAL_LEFT,    /* the replay leaves the recording at row t (joint, size) */
  PH_REFUSAL_ENDED,   /* the env ends the episode at row t without success (reason) */
  PH_REFUSAL_NEVER    /* success does not latch within the A recorded steps */
} ph_refusal;

typedef struct ph_latch_answer {
  ph_refusal refusal;
  ph_latching latching; /* latching.latch is -1 unless refusal is NONE */
  int64_t row;          /* of the refusal; -1 */
  char text[400];       /* "" or one sentence: "the replay leaves the recording at row 213
                           (arm_wrist, 4.1e-3 rad)" */
} ph_latch_answer;

PH_API void ph_outcomes_latch(const ph_outcomes *o, int64_t hold_steps, ph_latch_answer *out);

/* Two sources that tell of different rows. */
typedef struct ph_disagreement {
  ph_latch_source a, b;
  bool both;          /* latch; else one of them has no row, and its answer says why */
  ph_finding finding; /* PH_FINDING_DISAGREEMENT */
} ph_disagreement;

/* Those of an episode at a hold: returns how many were written, at most room. A source that is not
 * known is no disagreement, nor are two whose predicates are of different judges: each is held
 * against the first one of its own. */
PH_API size_t ph_outcomes_compare(const ph_outcomes o[PH_LATCH_SOURCES], int64_t hold_steps,
                                  ph_disagreement *out, size_t room);

/* The same as findings. */
PH_API size_t ph_outcomes_findings(const ph_outcomes o[PH_LATCH_SOURCES], int64_t hold_steps,
                                   ph_finding *out, size_t room);

/* Which conditions of success do not hold at a recorded row, by the replay's task, with what they
 * read there: "near false (dist(hand,cup) 0.104 m), open false". "": it holds, or nobody says. The
 * replay is at that row then. */
PH_API void ph_replay_broke(ph_replay *replay, int64_t row, char *out, size_t size);

/* What a latch row depends on beside the rows of its episode. */
typedef struct ph_latch_inputs {
  const ph_episode_meta *meta;
  const ph_model *model;         /* nullable: that of meta, which nobody compiled */
  const ph_task *task;           /* nullable: that of meta, which nobody read */
  const char *command;           /* nullable: says what the predicate is in place of the task */
  const ph_tolerance *tolerance; /* nullable: strict */
  double hold_seconds;           /* negative: none is known */
  int64_t hold_steps;            /* likewise */
} ph_latch_inputs;

/* That as JSON in one line with sorted keys (DESIGN: fingerprint): playhead and engine version,
 * arch, substrate, hashes of model source, compiled model and task, the command, the tolerance,
 * timestep, control_steps, integrator, solver and its settings, hold; null is what is not known or
 * not there. It is the same for all episodes of one model and task; what else is an episode's own
 * is ph_latch_edits. The caller frees *out. PH_ENOMEM. */
PH_API ph_status ph_latch_fingerprint(char **out, const ph_latch_inputs *in);

/* SHA-256 over what the episode's reset changed in its model: each field by name, with its shape
 * and its numbers, in order of names. "": nothing. PH_ENOMEM. */
PH_API ph_status ph_latch_edits(char hex[65], const ph_episode *episode);

#ifdef __cplusplus
}
#endif
#endif
