/* Opens one episode with all that stands around it, and tells what belongs to the whole of it. */
#ifndef TUI_EPISODE_REEL_H
#define TUI_EPISODE_REEL_H

#include "snapshot.h"

/* Everything that an open episode holds; freed by opened_close. Belongs to one thread. */
struct opened {
  size_t place; /* in the catalog */
  ph_episode *episode;
  ph_model *model; /* NULL: none could be had; reel->model_note says why */
  ph_task *task;   /* NULL likewise */
  ph_replay *replay;
  ph_tracks *tracks; /* made when something is to be plotted; NULL before */
  struct reel *reel; /* one reference */
};

/* task is nullable: judge by it instead of the recorded one. What is missing besides the episode
 * itself (model, task, predicate) is said in the reel's notes and is no error. */
ph_status opened_open(struct opened *o, ph_store *store, size_t place, ph_task *task);
void opened_close(struct opened *o);

#endif
