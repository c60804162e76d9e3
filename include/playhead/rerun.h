/* Physics run again: from a recorded state on (the anchor), the recorded actions are fed, and what
 * else the file says drives physics from outside (mocap bodies, applied forces, equality
 * constraints, userdata: row t from state t on), and the engine goes its own way. A ph_rerun is
 * what is shared: the episode, where it starts, what is fed, and a cache of states. It may be used
 * by several threads; each goes through it with a ph_cursor of its own. States are kept every step
 * while the byte budget lasts, then every K-th: from then on a seek costs at most K-1 control steps
 * of physics.
 *
 * A checkpoint is one flat blob: the complete state, the memory of the action terms, hold and
 * stages. When a rerun is made, a self-test restores one and steps, and compares bits with the run
 * that was not interrupted; a model that fails it gets full copies of the engine's data. */
#ifndef PLAYHEAD_RERUN_H
#define PLAYHEAD_RERUN_H

#include <playhead/env.h>
#include <playhead/replay.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_rerun ph_rerun;
typedef struct ph_cursor ph_cursor;

/* How physics is advanced by one substep. DESIGN: the file's `recipe`. */
typedef enum ph_recipe {
  PH_RECIPE_STEP,         /* mj_step */
  PH_RECIPE_FORWARD_STEP, /* mj_forward, then mj_step: the warmstart is that of the forward */
  PH_RECIPE_STEP1_STEP2,  /* mj_step1, ctrl, mj_step2 */
  PH_RECIPE_COUNT
} ph_recipe;
PH_API const char *ph_recipe_name(ph_recipe r); /* "step", "forward_step", "step1_step2" */
PH_API bool ph_recipe_from_name(const char *name, ph_recipe *out);

/* Which actions are fed from the anchor on. */
typedef enum ph_feed {
  PH_FEED_RECORDED, /* those of the episode; after the last one it is held */
  PH_FEED_HELD,     /* the one before the anchor (at step 0 the first) over and over */
  PH_FEED_ZERO,     /* all elements 0 */
  PH_FEED_COUNT
} ph_feed;
PH_API const char *ph_feed_name(ph_feed f); /* "recorded", "held", "zero" */

/* A number of the model that is other than recorded: "timestep", "solver", "iterations",
 * "ls_iterations", "tolerance", "integrator", "cone", "gravity.z", "friction" (of all geoms,
 * times the value), "friction:NAME" (of the geoms of that geom or body; the sliding one is set; of
 * two geoms that touch the engine takes the larger one). "gravity.x" and "gravity.y" likewise. */
typedef struct ph_change {
  char name[96];
  double value; /* of solver, integrator, cone: the engine's enum */
} ph_change;
/* Reads "solver=CG", "timestep=0.001", "friction=x0.5", "friction:cup=0.2". PH_EINVAL says what
 * there is. */
PH_API ph_status ph_change_parse(ph_change *out, const char *text);
/* The same text of a change. */
PH_API void ph_change_text(const ph_change *change, char *out, size_t size);

typedef struct ph_rerun_options {
  int64_t anchor;     /* the recorded step that it starts from */
  const ph_row *from; /* Nullable: a state to start from there, instead of the recorded one; with
                         its warmstart, ctrl and action_state. Copied. What it lacks of ctrl and of
                         what acts from outside (mocap, welds, forces, ...) is the recorded one's;
                         without a warmstart that is zero, without action_state it is taken from
                         the state */
  ph_feed feed;
  const double *override; /* Nullable: (action_dim) NaN where the feed's own stands. Copied */
  const ph_change *changes;
  size_t nchanges;
  int64_t states; /* how far it goes, as a number of states from step 0; 0: as far as recorded */
  size_t budget;  /* bytes of cached states; 0: 64 MiB */
  /* What the episode says is overruled: */
  int recipe;        /* ph_recipe; -1: the episode's */
  int control_steps; /* substeps of a step; 0: the episode's */
  int shift;         /* action t + shift is fed at step t */
  bool cold;         /* warmstart is put to zero at the anchor */
} ph_rerun_options;
#define PH_RERUN_OPTIONS_INIT                                                                      \
  { 0, NULL, PH_FEED_RECORDED, NULL, NULL, 0, 0, 0, -1, 0, 0, false }

/* Episode is borrowed, model and task referenced; task and opt are nullable. *out is the caller's.
 * Hold and stages go on from what the recorded rows before the anchor came to (of the last 2000,
 * where the file does not hold this task's predicate, or there are stages). A task that cannot
 * judge at the anchor judges nothing, and instants say why.
 * PH_ENOTFOUND: STATES ONLY, ph_error() is the reason. PH_EMISMATCH: model or task do not fit, both
 * sides named; or a change names nothing. PH_EINVAL: no such anchor, feed or recipe, or `from` has
 * no state. PH_ECORRUPT, PH_EFORMAT, PH_EIO: rows of the file that are needed at once cannot be
 * read. PH_ENOMEM, PH_ESIM. */
PH_API ph_status ph_rerun_create(ph_rerun **out, const ph_episode *episode, const ph_model *model,
                                 const ph_task *task, const ph_rerun_options *opt);
PH_API ph_rerun *ph_rerun_ref(ph_rerun *run);
PH_API void ph_rerun_unref(ph_rerun *run); /* Nullable */

/* Facts. Borrowed. */
PH_API const ph_episode *ph_rerun_episode(const ph_rerun *run);
PH_API const ph_model *ph_rerun_model(const ph_rerun *run);
PH_API const ph_task *ph_rerun_task(const ph_rerun *run); /* NULL: none */
PH_API int64_t ph_rerun_anchor(const ph_rerun *run);
PH_API int64_t ph_rerun_states(const ph_rerun *run); /* steps anchor .. states-1 can be had */
PH_API int ph_rerun_control_steps(const ph_rerun *run);
PH_API double ph_rerun_control_dt(const ph_rerun *run); /* [s] */

typedef struct ph_rerun_cache {
  int64_t every;  /* K: a state is kept every K-th step */
  int64_t cached; /* states that are kept now */
  int64_t wanted; /* states that would be kept, were all of it run */
  size_t bytes;
  bool full_copies; /* of the engine's data: the self-test failed with blobs */
} ph_rerun_cache;
/* Thread safe. */
PH_API void ph_rerun_cached(const ph_rerun *run, ph_rerun_cache *out);

/* Writes the run, from its anchor to its first end or its last action, as the one episode of a new
 * dataset that names the one it was made from (parent, provenance: the step, what is fed, what is
 * changed). Numbers of the model that are changed make a model of its own, whose text says them.
 * It is gone through twice, to its end and into the file, and never in memory as a whole; cancel is
 * asked once for each control step of either time. PH_EEXIST: path is there. PH_EINVAL: ctrl is fed
 * substep by substep. PH_EMISMATCH: no text compiles to the changed model. Errors of
 * ph_cursor_seek, PH_EIO; nothing is left then. */
PH_API ph_status ph_rerun_save(ph_rerun *run, const char *path, bool (*cancel)(void *arg),
                               void *arg);

/* --- cursors --- */

/* Where a cursor is. Pointers are good until its next call. */
typedef struct ph_instant {
  int64_t step;
  int substep;          /* done of the control step that is under way; 0: at a whole step */
  ph_row row;           /* complete; predicate is NULL without a task */
  const double *action; /* (action_dim) that led here; NULL at the anchor */
  const ph_sim *sim;    /* in that state, derived quantities fresh */
  bool judged;          /* the following are known: there is a task that judges, and substep is 0 */
  bool predicate;
  ph_hold hold;       /* after this step */
  ph_stages stages;   /* likewise; within a step those before it */
  double reward;      /* of the transition that led here; NaN at the anchor or without a task */
  uint8_t flags;      /* PH_FLAG_*, likewise */
  ph_end end;         /* PH_END_UNKNOWN: goes on; a rerun goes on after an end too */
  const char *detail; /* of the end, "" without one; or why the task judges nothing */
} ph_instant;

/* References the rerun. *out is the caller's and stands at the anchor. PH_ENOMEM, PH_ESIM. */
PH_API ph_status ph_cursor_open(ph_cursor **out, ph_rerun *run);
PH_API void ph_cursor_close(ph_cursor *cursor); /* Nullable */

/* Goes to a step and a substep in it (0 .. control_steps-1), clamped to what there is, from the
 * nearest state at or before it: its own or a kept one. cancel (nullable) is asked at every control
 * step: PH_ECANCELED, and the cursor stands where it came to; what it passed is kept. PH_ESIM: the
 * physics left the numbers that the engine takes; the text names step and element, and the cursor
 * stands at the last step before. PH_ECORRUPT, PH_EFORMAT, PH_EIO: an action, or what drives
 * physics beside it, cannot be read. PH_ETASK: the script failed. */
PH_API ph_status ph_cursor_seek(ph_cursor *cursor, int64_t step, int substep,
                                bool (*cancel)(void *arg), void *arg);
PH_API const ph_instant *ph_cursor_now(const ph_cursor *cursor); /* never NULL */
/* Control steps of physics that the last seek took. */
PH_API int64_t ph_cursor_cost(const ph_cursor *cursor);

/* ctrl (nu) that the next control step begins with: what the action that is fed there comes to.
 * Nothing moves; *ctrl is good until the cursor's next call. PH_EINVAL: it stands within a step or
 * on the last, or took a single step. PH_ENOTFOUND: the file's ctrl of each substep is fed. Errors
 * of the action as ph_cursor_seek has them. */
PH_API ph_status ph_cursor_ctrl(ph_cursor *cursor, const double **ctrl);

/* One step from the *recorded* state `step`, with the action that is fed there: the one-step
 * successor, to be compared with recorded state step+1. The cursor stands there then, not judged,
 * and no state of it is kept; the next seek starts from a kept one. Errors as above; PH_ECORRUPT
 * also where the recorded state cannot be read, and the cursor stands at the anchor then. */
PH_API ph_status ph_cursor_one_step(ph_cursor *cursor, int64_t step);

#ifdef __cplusplus
}
#endif
#endif
