/* What the files of a rerun share.
 *   rerun.c         life and facts           rerun_feed.c    rows and actions of the episode
 *   rerun_change.c  numbers of the model     rerun_step.c    one control step, in parts
 *   rerun_blob.c    checkpoints              rerun_trust.c   the self-test
 *   rerun_anchor.c  where it starts, and what is judged there
 *   rerun_save.c    a rerun as an episode    cursor.c        going through it
 *   cursor_ctrl.c   what an action makes of ctrl */
#ifndef PLAYHEAD_RERUN_PARTS_H
#define PLAYHEAD_RERUN_PARTS_H

#include <playhead/rerun.h>

#include "mj.h"
#include "referee.h"
#include "state_cache.h"

/* Some rows of a column, read together. */
typedef struct ph_block {
  ph_column col;
  int64_t first, n, room; /* rows that are here, and that fit */
  size_t row;             /* bytes */
  char *data;
} ph_block;

/* Components of the state that physics changes, and those that it never does: they are those of
 * the file's row where it has them, else the anchor's all along. */
enum { PH_MOVING = 6, PH_STILL = 4 };
extern const ph_column ph_moving[PH_MOVING], ph_still[PH_STILL];

/* What a checkpoint begins with; the moving components, the memory of the action terms and the
 * latches of stages follow. No byte of it is undefined. */
typedef struct ph_mark_head {
  double reward;
  int64_t hold_count, latch;
  int64_t stages_done, stages_count;
  int32_t end;
  uint8_t predicate, latched, flags, spare;
} ph_mark_head;

struct ph_rerun {
  ph_refs refs;
  const ph_episode *episode; /* borrowed */
  ph_model *model;           /* referenced */
  ph_task *task;             /* referenced; NULL */
  ph_rerun_options opt;      /* its pointers are not the caller's any more: */
  double *override;          /* NULL */
  ph_change *changes;
  ph_recipe recipe;
  ph_dims dims; /* the model's, with what is in force */
  double timestep, control_dt;
  int64_t actions, states;
  bool given;    /* it started from another state than the recorded one */
  bool managed;  /* the task's terms make ctrl of an action; else it is ctrl */
  bool derived;  /* its terms need derived quantities */
  bool substeps; /* the file's ctrl of each substep is fed */
  /* judging */
  double hold_seconds; /* negative: the task's */
  bool judges;
  char unjudged[300];     /* why not */
  struct ph_start *start; /* values at step 0; NULL */
  /* checkpoints */
  size_t blob;           /* bytes */
  void *still[PH_STILL]; /* owned; NULL where the model has none */
  bool full;             /* copies of the engine's data go with them */
  bool lossy;            /* a fault, for tests: restoring loses the warmstart */
  ph_state_cache *cache;
  ph_sim *spare; /* the one that it was tried with, for the first cursor that asks; NULL. Atomic */
};

struct ph_cursor {
  ph_rerun *run; /* referenced, but not by the one that ph_rerun_create works with */
  ph_sim *sim;
  ph_actions *actions; /* NULL: the action is ctrl */
  ph_referee referee;  /* where the run judges */
  ph_block action_rows, substep_rows, rows[PH_COL_COUNT];
  int64_t step;
  int substep;
  bool stray;  /* it does not stand on the run */
  bool alone;  /* a single step: nothing is judged */
  bool plain;  /* and nothing is derived where it led */
  int64_t put; /* from this recorded state */
  bool clipped, warned;
  int64_t cost;
  ph_mark_head mark; /* how the step was judged that led here */
  double *action;    /* fed */
  double *led_here;  /* what instants show */
  double *ctrl;
  double *memory;
  uint8_t predicate;
  void *blob;
  ph_instant now;
};

/* --- rerun_feed.c --- */

void ph_block_free(ph_block *block);
/* *out: the row's bytes, until the next call; NULL: the episode has none. PH_ECORRUPT, PH_ENOMEM.
 */
ph_status ph_block_row(ph_block *block, const ph_episode *episode, const ph_dims *dims,
                       int64_t step, const void **out);
/* Recorded row of a step: what is stored of it. */
ph_status ph_rerun_row(ph_cursor *c, int64_t step, ph_row *row);
/* The action that is fed at a step, into c->action. */
ph_status ph_rerun_action(ph_cursor *c, int64_t step);
/* What the file says drives physics from outside at a step after the anchor (mocap, applied forces,
 * equality constraints, userdata), into the sim: derived quantities are stale then. Past the last
 * state it stays. */
ph_status ph_rerun_drive(ph_cursor *c, int64_t step);
/* Whether a component is fed so. */
bool ph_rerun_drives(const ph_rerun *run, ph_column col);
/* ctrl of each substep that is fed there: (control_steps of the file, nu). */
ph_status ph_rerun_substeps(ph_cursor *c, int64_t step, const double **out);

/* --- rerun_change.c --- */

/* Makes them to the sim's private model, which has those of the episode's reset. PH_EMISMATCH: one
 * names nothing. */
ph_status ph_rerun_apply(ph_sim *sim, const ph_change *changes, size_t n);

/* --- rerun_step.c --- */

/* The sim's model as the run has it, in its reset state. */
ph_status ph_rerun_prepare(ph_cursor *c);
/* What env.c does with an action: that of the cursor's step makes c->ctrl and moves the terms'
 * memory; terms that drive no actuator leave its ctrl as it is. */
ph_status ph_rerun_act(ph_cursor *c);
/* Finishes the control step that is under way, or takes one. c stands at the next whole step then,
 * derived and judged; nothing is kept. PH_ESIM, PH_ECORRUPT, PH_ETASK: it stands nowhere. */
ph_status ph_rerun_advance(ph_cursor *c);
/* n more substeps of it, not the last. */
ph_status ph_rerun_part(ph_cursor *c, int n);
/* Whether an error is of one step alone (its physics, its script, its rows in the file), and others
 * may go well. */
bool ph_rerun_of_step(ph_status status);

/* --- rerun_blob.c --- */

size_t ph_rerun_blob_size(const ph_rerun *run);
/* The cursor's whole step into a checkpoint, and back: derived quantities are fresh then. data is
 * the engine's own, nullable. */
ph_status ph_rerun_pack(ph_cursor *c, void *blob);
ph_status ph_rerun_unpack(ph_cursor *c, int64_t step, const void *blob);
/* Keeps the state where the cursor stands, if it is to be kept. */
ph_status ph_rerun_keep(ph_cursor *c);
/* Goes to the nearest kept state at or before a step. */
ph_status ph_rerun_back(ph_cursor *c, int64_t step);
ph_status ph_rerun_cache_make(ph_rerun *run);

/* --- rerun_anchor.c --- */

/* Whether and how the task judges. */
ph_status ph_rerun_judge_init(ph_rerun *run);
/* Puts the cursor where the run starts; *still and start of the run become known. */
ph_status ph_rerun_anchor_set(ph_cursor *c);
/* Puts a recorded state into the sim: memory of the terms with it. */
ph_status ph_rerun_put(ph_cursor *c, int64_t step, const ph_row *row);

/* --- rerun_trust.c --- */

/* Whether restoring a checkpoint and stepping gives the bits of the run that was not interrupted.
 * The cursor stands anywhere then. */
ph_status ph_rerun_trust(ph_cursor *c, bool *trusted);
/* For tests: reruns that this thread makes from now on lose the warmstart where they restore. */
void ph_rerun_lose_warmstart(bool lose);
bool ph_rerun_loses_warmstart(void);

/* --- cursor.c --- */

ph_status ph_cursor_new(ph_cursor **out, ph_rerun *run);
void ph_cursor_delete(ph_cursor *c); /* without the reference to the run */
/* A simulation of its own, in the reset state. */
ph_status ph_cursor_fresh(ph_cursor *c);
/* A referee, where the run judges. */
ph_status ph_cursor_judge(ph_cursor *c);
ph_status ph_cursor_actions(ph_actions **out, const ph_rerun *run);
/* As ph_cursor_one_step, but that derived quantities of the state where it leads are stale: who
 * finds the bits that were recorded there needs no more. ph_cursor_derive makes up for it: its
 * errors are those of the step. */
ph_status ph_cursor_one_row(ph_cursor *cursor, int64_t step);
ph_status ph_cursor_derive(ph_cursor *cursor);

#endif
