/* Whether an episode is what it says: checksums, shapes, finite numbers, the clock, quaternions,
 * ends, model and task that fit, the predicate recomputed from the recorded states, and the
 * ctrl that the task's action terms make of each action there: nothing is integrated for that. And
 * whether physics run again from its first state comes to the same: ph_verify_dynamic. */
#ifndef PLAYHEAD_VERIFY_H
#define PLAYHEAD_VERIFY_H

#include <playhead/diagnosis.h>
#include <playhead/judge.h>
#include <playhead/latch.h>
#include <playhead/replay.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Something that is wrong, in a sentence with numbers. */
typedef struct ph_flaw {
  int64_t step; /* the first step that it concerns; -1: the whole episode */
  char text[240];
} ph_flaw;

#define PH_FLAW_ROOM 24

/* Plain data. */
typedef struct ph_verdict {
  int64_t states, actions;
  int64_t checked; /* states that were read and checked */
  size_t columns;  /* columns that were read to their end */
  size_t blocks;   /* blocks of 256 rows in them that were read, each against its checksum if any */
  bool checksums;  /* false: the file is of another recorder and has none */
  bool latch_known; /* the predicate is stored and was read to its end */
  size_t nflaws;    /* 0: all is well */
  ph_flaw flaw[PH_FLAW_ROOM];
  double time_error;      /* [s] largest difference of a step's duration from control_dt */
  double quat_error;      /* largest | |q| - 1 | after step 0 */
  bool predicate_checked; /* recomputed at every state */
  bool ctrl_checked;      /* what the actions give by the task's terms, against the stored ctrl */
  char note[240];         /* "" or why the predicate was not recomputed */
  int64_t latch_recorded; /* row at which the hold completes by the stored predicate; -1 */
  int64_t latch_computed; /* by the recomputed one; -1 */
  double reward;          /* sum of the recorded rewards; NaN where not stored */
} ph_verdict;

typedef struct ph_verify_options {
  /* Nullable: called now and then; false ends the check with PH_ECANCELED. */
  bool (*progress)(void *arg, int64_t step, int64_t states);
  void *arg;
  ph_judge *judge; /* Nullable: says what the predicate is in place of the task, without a model
                      too. Its errors are those of the check: it did not finish then */
} ph_verify_options;

/* Checks one episode from its first to its last state. model is nullable or uncompiled (then the
 * note says so), task and opt are nullable. What is wrong with the episode is a flaw in *out and
 * PH_OK; other codes (PH_ENOMEM, PH_ECANCELED) mean that the check itself did not finish, as does
 * PH_ETASK: a task that is not the one that was recorded cannot judge its states. An oddity
 * of another recorder's file that concerns no step, as a count in an attribute that its arrays do
 * not bear out, is no flaw: ph_episode_findings has it. */
PH_API ph_status ph_verify_episode(ph_verdict *out, const ph_episode *episode,
                                   const ph_model *model, const ph_task *task,
                                   const ph_verify_options *opt);

/* --- physics run again --- */

/* What became of it, from the first recorded state on. Plain data. */
typedef struct ph_dynamics {
  bool ran;        /* false: it could not be run, and why says it; the rest is not known */
  char why[320];   /* also why it stopped before the last recorded state; "" where it did not */
  int64_t stopped; /* the step at which physics, the task's script or damage stopped it; -1 */
  int64_t states;  /* recorded states that the free run was compared with */
  int64_t single;  /* transitions that were compared one by one, each from its recorded state */
  ph_class cls;    /* worst of all steps; PH_DIVERGED too where physics left the numbers */
  ph_analysis_summary sum; /* where they were left, `stopped` is the first step of each class that
                              came to none before */
  /* Recorded beside dynamic: the dynamic ones are in sum. -1, NaN where not known. */
  double reward;
  int64_t latch;
  bool latch_known; /* the predicate is stored and could be read */
  ph_end end;
  ph_diagnosis diagnosis;
  bool diagnosed; /* only where bits differ */
} ph_dynamics;

typedef struct ph_dynamics_options {
  ph_tolerance tolerance;
  int jobs;         /* threads; 0: as many as there are processors */
  bool no_one_step; /* nor a diagnosis, then */
  bool no_diagnosis;
  /* Nullable: asked now and then; false ends it with PH_ECANCELED. */
  bool (*progress)(void *arg, int64_t step, int64_t states);
  void *arg;
} ph_dynamics_options;

/* Feeds the recorded actions from the first recorded state on, compares every state, and says what
 * explains a difference. model and task are nullable, opt too. PH_OK also where it could not be
 * run, or stopped: that is in *out. PH_ENOMEM, PH_ECANCELED. */
PH_API ph_status ph_verify_dynamic(ph_dynamics *out, const ph_episode *episode,
                                   const ph_model *model, const ph_task *task,
                                   const ph_dynamics_options *opt);

/* As the attribute `determinism` has it: "bitwise", "tol(1.2e-7)" with the largest error of a
 * position in m or rad, "fails(31)" with the first step beyond the tolerance or the one that
 * stopped it; "unchecked" where it did not run. */
PH_API void ph_dynamics_stamp(const ph_dynamics *d, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
