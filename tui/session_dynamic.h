/* Physics run again behind the screen: of each open episode one pass in the background, a cursor
 * for the frame that is wanted, and a branch. Belongs to the session's thread; passes have their
 * own. */
#ifndef TUI_SESSION_DYNAMIC_H
#define TUI_SESSION_DYNAMIC_H

#include "episode_reel.h"
#include "pass.h"

enum { DYNAMIC_LEFT = 4 }; /* passes that were canceled and may still run */

/* What is asked of one seek: it ends early when either is used up. */
struct dynamic_budget {
  int64_t steps;  /* control steps; negative: as many as it takes */
  uint64_t until; /* ms of session_clock; 0: as long as it takes */
  bool (*interrupted)(void *arg);
  void *arg;
};

/* A "what if" (session_branch.c). */
struct branch {
  uint64_t serial; /* of the wish; 0: none */
  struct branch_wish wish;
  struct pass *pass; /* NULL: the state that it leaves is not there yet, or it failed: */
  char failed[400];
  uint64_t saves; /* done */
  char saved[500];
  struct branch_save *save; /* under way; NULL */
  uint64_t saving;          /* of the wish's saves */
};

struct dynamic {
  /* the whole */
  bool aimed; /* there is a pass, or it was refused */
  int64_t anchor;
  ph_tolerance tolerance;
  struct pass *pass; /* NULL */
  char refused[400];
  struct pass *left[DYNAMIC_LEFT];
  uint64_t since; /* ms at which the episode came on show */
  uint64_t told;  /* pass_news that was answered */
  uint64_t told_branch;

  /* the frame, made when one is first wanted */
  ph_cursor *cursor;
  ph_replay *replay;
  ph_divergence *divergence;
  char broken[400]; /* "" or why there is none of these */
  bool sought;      /* the cursor was asked for: */
  int64_t step;
  int substep;
  bool there;      /* and stands there, or cannot: */
  char error[400]; /* why */

  struct lanes *lanes;
  int64_t lanes_first, lanes_last;
  uint64_t lanes_news, lanes_ghost;
  int64_t lanes_free, lanes_one;

  struct branch branch;
};

/* Ends all of it. */
void dynamic_close(struct dynamic *d); /* Nullable */
/* Its episode is left: what goes on is canceled, and only little memory stays. */
void dynamic_leave(struct dynamic *d);

/* Where a wish wants another pass than there is, the old one is canceled. False: out of memory. */
bool dynamic_aim(struct opened *o, const struct dynamic_wish *wish, uint64_t now);
/* Cancels a pass (nullable) and takes it: nobody waits for it. */
void dynamic_leave_pass(struct dynamic *d, struct pass *p);
/* Starts the pass, if there is none. */
void dynamic_begin(struct dynamic *d, struct opened *o);
/* Whether that is still to be done. */
bool dynamic_idle(const struct dynamic *d);

/* --- the frame (dynamic_frame.c) --- */

/* Whether a frame is wanted and not there, and can be worked at now. */
bool dynamic_wants_frame(const struct dynamic *d);
/* Makes cursor and replay. False: it cannot, or not yet; d->broken says why. */
bool dynamic_ready(struct dynamic *d, struct opened *o);
/* The cursor is asked for that instant of the wish. */
void dynamic_aim_frame(struct dynamic *d, const struct dynamic_wish *wish, int64_t step,
                       int64_t states);
/* Goes towards it. */
void dynamic_seek(struct dynamic *d, const struct dynamic_budget *budget);
/* The frame where the cursor stands into the answer. `recorded` (nullable): that of the same step.
 * PH_ENOMEM. */
ph_status dynamic_take_frame(struct dynamic_answer *out, struct dynamic *d, struct opened *o,
                             const ph_frame *recorded);
void dynamic_drop_frame(struct dynamic *d);

/* --- lanes (dynamic_lanes.c) --- */

/* The steps that lanes are wanted of, within the episode; returns how many columns. */
int lanes_window(const struct dynamic_wish *wish, int64_t states, int64_t *first, int64_t *last);
/* The steps that a column stands for, as the timeline has them: at least one. */
void lanes_steps(const struct lanes *l, int col, int64_t *first, int64_t *last);

/* PH_ENOMEM. */
ph_status dynamic_make_lanes(struct dynamic *d, const struct opened *o,
                             const struct dynamic_wish *wish);

/* --- a branch (session_branch.c) --- */

void branch_clear(struct branch *b);
/* Takes the wish; what it replaces goes. */
void branch_aim(struct dynamic *d, const struct branch_wish *wish);
/* Whether it waits for something that can be done now. */
bool branch_wants(const struct dynamic *d);
/* Whether it is on its way into a file. */
bool branch_saving(const struct dynamic *d);
/* One piece: goes to the state that it leaves, starts it, begins or ends saving it. */
void branch_work(struct dynamic *d, struct opened *o, const struct dynamic_budget *budget);
void branch_answer(struct dynamic_answer *out, struct dynamic *d, const struct opened *o);

#endif
