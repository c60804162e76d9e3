/* Opens one episode with all that stands around it, and tells what belongs to the whole of it. */
#ifndef TUI_EPISODE_REEL_H
#define TUI_EPISODE_REEL_H

#include "snapshot.h"

struct dynamic;
struct held;

/* Everything that an open episode holds; freed by opened_close. Belongs to one thread. */
struct opened {
  size_t place; /* in the catalog */
  ph_episode *episode;
  ph_model *model; /* NULL: none could be had; reel->model_note says why */
  ph_task *task;   /* NULL likewise */
  ph_replay *replay;
  struct stages_known stages;
  ph_tracks *tracks;       /* made when something is to be plotted; NULL before */
  struct reel *reel;       /* one reference */
  struct dynamic *dynamic; /* physics run again; made when it is first answered; NULL before */
  struct held *held;       /* what its hold comes to; made when it is first answered; NULL before */
  uint8_t *bits;           /* what a command says of each state; NULL: none judges, or none could */
  char judge[64];          /* "by CMD"; "": none judges */
  bool live;               /* the episode is of a live env, and its states grow: borrowed */
  bool running;            /* ... and has not ended */
};

/* task is nullable: judge by it instead of the recorded one; so is success, an expression: judge by
 * it instead of the task's own; and judge, a command: judge by it instead of both. What is missing
 * besides the episode itself (model, task, predicate) is said in the reel's notes and is no error.
 */
ph_status opened_open(struct opened *o, ph_store *store, size_t place, ph_task *task,
                      const char *success, ph_judge *judge);
/* The episode of a live env; all but the episode is referenced. */
ph_status opened_live(struct opened *o, const ph_episode *episode, ph_model *model, ph_task *task,
                      const char *success);
/* A new reel, after the live episode has got more states or has ended. PH_ENOMEM: it is the old
 * one. */
ph_status opened_renew(struct opened *o, bool running, const char *success);
/* Whether states are still to be judged for the task's stages; judges at most `most` of them. */
bool opened_wants_stages(const struct opened *o);
void opened_judge_stages(struct opened *o, int64_t most);
void opened_close(struct opened *o);

/* --- its hold (episode_hold.c) --- */

/* The reel is one of the hold that is wished for: the same but for hold, latch and events. Live
 * episodes keep theirs. PH_ENOMEM: it is the old one. */
ph_status opened_hold(struct opened *o, const struct hold_wish *wish);
/* Counts the hold along the predicate, and adds its edges and the latch; *ok stays true while there
 * is memory. */
void reel_count_hold(struct reel *reel, size_t *room, bool *ok);
/* False: out of memory. room: of events. */
bool reel_add_event(struct reel *reel, size_t *room, int64_t step, enum event_kind kind);
void reel_sort_events(struct reel *reel);
void held_close(struct held *h); /* session_held.c. Nullable */

/* --- a command that judges (episode_judge.c) --- */

/* Has it judge all states, before the reel is filled; that it could not is in the reel's note.
 * PH_ENOMEM, PH_ECANCELED. */
ph_status opened_ask_judge(struct opened *o, ph_judge *judge);

#endif
