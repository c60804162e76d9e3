/* Many envs under one playhead: episodes that are shown, run again and measured in lockstep. Each
 * env has an episode, model and task of its own, and its own length; one that cannot be read is an
 * env with a reason, and the others go on. A recording of one env is broadcast: so many reruns of
 * it, which stay equal bit for bit.
 *
 * The playhead p is a step of the lead, one of the envs; env i shows step rint(p * rate) + shift,
 * which the alignment chooses. In lockstep it goes as far as every env has states; with `hold_last`
 * as far as one has: an env that has ended keeps its last recorded state, and its dynamic run goes
 * on under its last action. Both are said to be held.
 *
 * A pass behind measures every env over its whole length, on threads of its own. */
#ifndef PLAYHEAD_ENSEMBLE_H
#define PLAYHEAD_ENSEMBLE_H

#include <playhead/analysis.h>
#include <playhead/latch.h>
#include <playhead/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_ensemble ph_ensemble;

#define PH_ENSEMBLE_MAX 4096 /* envs */

typedef enum ph_align {
  PH_ALIGN_STEP,    /* step t of each */
  PH_ALIGN_TIME,    /* by seconds since the first state of each */
  PH_ALIGN_LATCH,   /* latches meet: the recorded one, else by the task on the recorded states */
  PH_ALIGN_DYNAMIC, /* latches of the dynamic runs meet */
  PH_ALIGN_COUNT
} ph_align;
PH_API const char *ph_align_name(ph_align a); /* "step", "time", "latch", "dynamic" */
PH_API bool ph_align_from_name(const char *name, ph_align *out);

#define PH_LATCH_NEVER (-1)
#define PH_LATCH_UNKNOWN (-2) /* not known yet, or nothing judges: see ph_ensemble_result.ended */

typedef struct ph_ensemble_options {
  int jobs;               /* threads, of the pass and of a seek; 0: as many as processors */
  int broadcast;          /* the one episode so many times; 0: no */
  size_t budget;          /* bytes of cached states of all envs together; 0: 64 MiB */
  ph_tolerance tolerance; /* all zero: the default one */
  bool hold_last;
  ph_align align;
  size_t lead; /* place among the envs */
  /* Of the envs of a store, as where one episode is on show: */
  const ph_task *task; /* Nullable: in place of the recorded one; one that only judges, beside it */
  const char *success; /* Nullable: an expression that is the condition of success */
  int engines;         /* envs that show a dynamic state at a time, each with engine data of its own
                          (some MB): the lead and those beside it; 0: 64 */
} ph_ensemble_options;
#define PH_ENSEMBLE_OPTIONS_INIT                                                                   \
  { 0, 0, 0, {{0}}, false, PH_ALIGN_STEP, 0, NULL, NULL, 0 }

/* An env as it is given. */
typedef struct ph_ensemble_source {
  const ph_episode *episode; /* borrowed; NULL: it cannot be read */
  const ph_model *model;     /* Nullable. Referenced */
  const ph_task *task;       /* Nullable. Referenced */
  const char *reason;        /* why there is no episode, or no model or task; NULL. Copied */
  /* Only where there is no episode: */
  const char *id;
  int env_id;
  int64_t number;
} ph_ensemble_source;

/* The round of entry i: episodes of the same number over the envs of its run, by env_id, one of
 * each env, entry i among them; alone where there are no others. At most `room` (from 1) are
 * written; returns how many there are. */
PH_API size_t ph_ensemble_round(const ph_store *store, size_t i, size_t *out, size_t room);

/* How many episodes this process should have open together: each keeps its file open, and half of
 * the files that it may have are left to others. At most PH_ENSEMBLE_MAX. */
PH_API size_t ph_ensemble_room(void);

/* Opens these entries of a store with the models and tasks that it has of them; owns all of it, and
 * the store is not needed any more. cancel (nullable) is asked before each. opt is nullable. *out
 * is the caller's. PH_EINVAL: no entry or too many, a broadcast of several, no such lead.
 * PH_ECANCELED; PH_ETASK: the task or expression that is to judge does not; PH_ENOMEM. What cannot
 * be read is a reason of that env, as is that there is no room for it. */
PH_API ph_status ph_ensemble_open(ph_ensemble **out, ph_store *store, const size_t *entry, size_t n,
                                  const ph_ensemble_options *opt, bool (*cancel)(void *arg),
                                  void *arg);

/* The same in pieces, for who shows how far it is and answers in between. The store must outlive
 * it; *out is the caller's, free is always legal. Begin: PH_EINVAL, PH_ENOMEM. */
typedef struct ph_ensemble_opening ph_ensemble_opening;
PH_API ph_status ph_ensemble_opening_begin(ph_ensemble_opening **out, ph_store *store,
                                           const size_t *entry, size_t n,
                                           const ph_ensemble_options *opt);
PH_API void ph_ensemble_opening_free(ph_ensemble_opening *o); /* Nullable */
/* Entries that are open, or have a reason, of all. */
PH_API size_t ph_ensemble_opening_done(const ph_ensemble_opening *o);
/* Opens one more. PH_END: all are, and the ensemble can be had. PH_ENOMEM, PH_ETASK: the task or
 * the expression that judges. */
PH_API ph_status ph_ensemble_opening_next(ph_ensemble_opening *o);
/* Of all that are open: once, after PH_END. PH_EINVAL, PH_ENOMEM. */
PH_API ph_status ph_ensemble_opening_end(ph_ensemble **out, ph_ensemble_opening *o);

/* Likewise of what the caller has. The episodes must outlive it. PH_EINVAL, PH_ENOMEM. */
PH_API ph_status ph_ensemble_create(ph_ensemble **out, const ph_ensemble_source *source, size_t n,
                                    const ph_ensemble_options *opt);
/* Cancels the pass and waits. Nullable. */
PH_API void ph_ensemble_free(ph_ensemble *e);

/* --- the envs --- */

/* Plain data, known from the first on. */
typedef struct ph_ensemble_env {
  char id[64];
  int env_id;
  int64_t number;          /* of the episode */
  int64_t states, actions; /* 0: it cannot be read */
  double control_dt;       /* [s] 0: not known */
  ph_end end_reason;       /* recorded */
  int success;             /* recorded: 1, 0, -1 */
  char reason[300];        /* "" or why it cannot be read: nothing is shown of it */
  char refused[400];       /* "" or why physics cannot be run again: its recording is shown */
  ph_guarantee guarantee;
} ph_ensemble_env;

PH_API size_t ph_ensemble_count(const ph_ensemble *e);
PH_API const ph_ensemble_env *ph_ensemble_env_of(const ph_ensemble *e, size_t i); /* Borrowed */
/* The episode of an env, borrowed; NULL: it cannot be read. */
PH_API const ph_episode *ph_ensemble_episode(const ph_ensemble *e, size_t i);

/* --- lockstep: these calls, and seeks, are one thread's at a time --- */

/* How an env lies to the lead. */
typedef struct ph_alignment {
  double rate;    /* its steps to one of the lead; 1 but where time is aligned */
  int64_t shift;  /* its step at p = 0 */
  bool by_step;   /* what was asked for cannot be had: it is aligned by step */
  char note[120]; /* "" or why: "no recorded latch: aligned by step" */
} ph_alignment;
PH_API ph_alignment ph_ensemble_alignment(const ph_ensemble *e, size_t i);

/* Aligns by what is known now: while latches are still being found, call it again. The lead's shift
 * is 0. An env without a latch lies to the first one that has one as by step. */
PH_API void ph_ensemble_align(ph_ensemble *e, ph_align align);
/* Another env leads: no env moves when the playhead goes to the step that it shows, but for what is
 * rounded by time. PH_EINVAL. */
PH_API ph_status ph_ensemble_set_lead(ph_ensemble *e, size_t lead);
PH_API void ph_ensemble_set_hold(ph_ensemble *e, bool hold_last);
PH_API ph_align ph_ensemble_align_of(const ph_ensemble *e);
PH_API size_t ph_ensemble_lead(const ph_ensemble *e);
PH_API bool ph_ensemble_holds(const ph_ensemble *e);

/* The last step of the playhead: aligned by step, the least number of states - 1; with hold_last
 * the largest - 1. 0 where nothing can be read. */
PH_API int64_t ph_ensemble_last(const ph_ensemble *e);

/* What an env shows under a playhead, without going there. */
typedef struct ph_ensemble_place {
  int64_t step;   /* recorded step on show; -1: nothing, it cannot be read */
  int64_t wanted; /* where it would be with states on and on; its dynamic run is there */
  bool held;      /* it has ended before: its last state stays */
  bool waits;     /* it has not begun: its first state stays */
} ph_ensemble_place;
PH_API ph_ensemble_place ph_ensemble_place_of(const ph_ensemble *e, size_t i, int64_t playhead);

/* What an env shows. Pointers are good until the next seek. */
typedef struct ph_ensemble_frame {
  ph_ensemble_place at;
  ph_row recorded; /* row at.step, of what is stored; without a state: it cannot be read */
  const ph_instant *dynamic; /* at step at.wanted (0 where it waits); NULL: not asked for, or: */
  int equal;      /* bits of all components that both have: 1, 0; -1: not both states are there, or
                     it is held */
  char note[300]; /* "" or why there is no recorded or no dynamic state */
} ph_ensemble_frame;

/* All envs go to a playhead, clamped to 0 .. last; with `dynamic` their reruns too, and `substep`
 * steps into the control step, clamped to what each has. An env's rerun costs its own engine data
 * from the first such seek on, as long as it is among the `engines` beside the lead. cancel
 * (nullable) is asked from any thread, one at a time: PH_ECANCELED, and envs that did not get there
 * have no dynamic state. What fails in one env is its note. PH_ENOMEM. */
PH_API ph_status ph_ensemble_seek(ph_ensemble *e, int64_t playhead, int substep, bool dynamic,
                                  bool (*cancel)(void *arg), void *arg);
PH_API int64_t ph_ensemble_playhead(const ph_ensemble *e); /* of the last seek; 0 at first */
PH_API const ph_ensemble_frame *ph_ensemble_frame_of(const ph_ensemble *e, size_t i);

/* --- the pass --- */

/* Begins it, once: the lead first, then the others in their order. PH_EINVAL: it was begun.
 * PH_ENOMEM. */
PH_API ph_status ph_ensemble_start(ph_ensemble *e);

/* What follows is thread safe, while it runs too. */

PH_API void ph_ensemble_cancel(ph_ensemble *e); /* at once; does not wait */
/* Waits until it has ended; progress (nullable) is asked now and then, false cancels. PH_OK also
 * where envs failed: their results say so. PH_ECANCELED. */
PH_API ph_status ph_ensemble_wait(ph_ensemble *e, bool (*progress)(void *arg), void *arg);

typedef struct ph_ensemble_progress {
  size_t envs, ended;              /* that are measured to their end, or cannot be */
  int64_t states, known;           /* of all that can be run, together; those of an env that has
                                      ended count as known, also where it was stopped */
  size_t class_of[PH_CLASS_COUNT]; /* envs that came to it, of those that have ended */
  size_t refused;                  /* that cannot be read or run again */
  bool begun, over;                /* over: no more will come */
} ph_ensemble_progress;
PH_API void ph_ensemble_look(const ph_ensemble *e, ph_ensemble_progress *out);

/* What is known of one env. Plain data. */
typedef struct ph_ensemble_result {
  bool begun, ended;
  bool ran;         /* its dynamic run has begun; else the env's `refused` or text says why */
  int64_t known;    /* states 0 .. known-1 are measured */
  ph_status status; /* PH_OK, PH_ECANCELED, or why it stopped before its end: */
  char text[300];   /* a sentence */
  int64_t stopped;  /* at this step; -1 */
  ph_class cls;     /* worst so far */
  ph_analysis_summary sum;         /* accumulated, so far; one-step is left out */
  int64_t latch[PH_LATCH_SOURCES]; /* row, PH_LATCH_NEVER, PH_LATCH_UNKNOWN */
} ph_ensemble_result;
PH_API void ph_ensemble_result_of(const ph_ensemble *e, size_t i, ph_ensemble_result *out);

/* States that are kept of all envs together; every: the largest K of one of them. */
PH_API void ph_ensemble_cached(const ph_ensemble *e, ph_rerun_cache *out);

#define PH_LANE_NONE (-1.0)
/* Divergence of an env under n bins of nearly equal length over the playheads first ..
 * first+steps-1: the largest error in it in tolerances, 0 for equal bits, PH_LANE_BITS where they
 * differ and no error was measured, NaN not known yet,
 * PH_LANE_NONE where the env has no state or cannot be run. An episode of more than 2048 states is
 * kept in so many bins of its own. Reads the alignment: one thread's at a time with what sets that.
 */
PH_API void ph_ensemble_lane(const ph_ensemble *e, size_t i, int64_t first, int64_t steps,
                             double *out, size_t n);

#ifdef __cplusplus
}
#endif
#endif
