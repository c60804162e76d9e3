/* Opens a ghost's file and finds its episode, on a thread of its own: nobody waits for it but in
 * ghost_job_end. */
#ifndef TUI_GHOST_OPEN_H
#define TUI_GHOST_OPEN_H

#include "ghost.h"

struct ghost_job;

/* What is looked for. */
struct ghost_search {
  char path[GHOST_PATH];    /* as wished */
  ph_store_options options; /* all that it points to is borrowed until ghost_job_end */
  ph_store *store;          /* of that path, open already, and taken; NULL: it is opened */
  ph_model *model;          /* of the shown episode; referenced; NULL */
  /* The shown episode: */
  char id[64];
  int env_id;
  int64_t episode;
  bool ours; /* of playhead's own files, where env and number tell which one it is */
};

/* What was found; all of it is the caller's. */
struct ghost_found {
  ph_store *store; /* NULL: it does not open */
  ph_episode *episode;
  ph_model *model; /* NULL: none can be had */
  ph_model_diff diff;
  char error[400]; /* "" or why there is no episode */
};

/* NULL: out of memory, or of threads; store is freed then. */
struct ghost_job *ghost_job_start(const struct ghost_search *search);
bool ghost_job_ended(const struct ghost_job *job);
/* Ends it soon. */
void ghost_job_cancel(struct ghost_job *job);
/* Waits, gives what was found (nullable: it is freed), and frees the job. */
void ghost_job_end(struct ghost_job *job, struct ghost_found *out);
void ghost_found_clear(struct ghost_found *found);

#endif
