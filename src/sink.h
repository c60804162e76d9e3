/* Where episodes are written to. Whatever writes (recorder, cut, pack) knows only this; run
 * directories, datasets and memory are sinks. Order of calls:
 *   model, task (once per hash, before the first episode that names them)
 *   { begin, rows..., end | cancel } per episode
 *   finish
 * An error in begin, rows or end leaves nothing of that episode behind; the sink goes on.
 *
 * A sink belongs to one thread at a time: who has several (the recorder) calls it under a lock of
 * its own. Only ph_sink_run_in_place, ph_sink_run_origin and ph_sink_run_next, once a run has
 * started, may be called beside the other calls and without that lock. */
#ifndef PLAYHEAD_SINK_H
#define PLAYHEAD_SINK_H

#include <playhead/episode.h>
#include <playhead/recorder.h>
#include <playhead/task.h>

#include "model.h"

typedef struct ph_sink ph_sink;

/* What begins: everything of the episode but its rows. columns: PH_COL_BIT of those that will be
 * written; PH_COL_STATES takes S rows, the last of S = A+1 becomes final_state. */
typedef struct ph_begin {
  const ph_episode_meta *meta;
  uint32_t columns;
  const ph_edit *edits;
  size_t nedits;
} ph_begin;

struct ph_sink {
  ph_status (*model)(ph_sink *sink, const ph_model *model);
  ph_status (*task)(ph_sink *sink, const ph_task *task);
  ph_status (*begin)(ph_sink *sink, const ph_begin *begin);
  /* Rows of one column arrive in order, without gaps; columns in any order. */
  ph_status (*rows)(ph_sink *sink, ph_column col, int64_t first, int64_t n, const void *data);
  ph_status (*end)(ph_sink *sink);
  void (*cancel)(ph_sink *sink); /* drops the episode that has begun */
  /* No episode may be open. After a failure a dataset is gone, and finishing again fails again. */
  ph_status (*finish)(ph_sink *sink);
  /* Drops the episode that has begun. A dataset that was not finished leaves nothing behind; the
   * episodes of a run that have ended stay. */
  void (*free)(ph_sink *sink);
};

typedef struct ph_sink_options {
  bool compress;
  ph_existing existing;
  bool salvage; /* with PH_EXISTING_APPEND: journals that are in the folder are the caller's
                   business */
} ph_sink_options;

/* A run directory: run.h5 appears with `ph_sink_run_start`, else with the first `begin` or
 * `finish`; each `end` verifies, syncs and renames one file env<III>_ep<NNNNNN>_<A>.h5 and appends
 * its index record. origin says what all episodes share. The folder is locked while the sink lives.
 * A file that has its place already with the very bytes that an episode would get is that episode.
 *
 * Before each episode the path is compared with the folder that is locked: one that is gone, or in
 * whose place there is an empty one, is made anew with its run.h5 (ph_sink_run_news); what else is
 * in its place is PH_EIO, and nothing is written into it. `finish` is PH_EIO where an episode that
 * was put into its place is not there any more (ph_sink_run_missing).
 *
 * Model and task are given also where a run is appended to: a run.h5 that is taken away is written
 * again from them, and cannot be without (PH_EIO).
 *
 * What is in the folder, by opt->existing (opt is nullable: REFUSE):
 *   REFUSE     episodes, journals, or anything that no recorder has written: PH_EEXIST; the run.h5
 *              of a run without an episode gives way
 *   APPEND     its run.h5 must be there (PH_ENOTFOUND, PH_EFORMAT) and of the same model and task,
 *              its episodes of the same control_steps and action_dim (PH_EMISMATCH names both).
 *              Unless opt->salvage: journals are PH_EEXIST, and every episode is opened, no row of
 *              it read: one that the index names and that is not there, that cannot be opened, or
 *              that has an oddity is PH_EMISMATCH and named
 *   OVERWRITE  a run is taken away when the new run.h5 is ready to take its place
 *              (ph_sink_run_taken); anything that no recorder has written, a journal with a
 *              finished step, or one that cannot be read: PH_EEXIST names it
 *
 * PH_EEXIST too: another process records into it. PH_EINVAL: files in it would have paths that are
 * too long to be opened again. PH_EIO, PH_ENOMEM. */
ph_status ph_sink_run(ph_sink **out, const char *dir, const ph_episode_meta *origin,
                      const ph_sink_options *opt);
/* Writes run.h5 of a run directory now; all models and tasks must be known. After an error it is
 * tried again by `begin`. */
ph_status ph_sink_run_start(ph_sink *sink);
/* The origin of the run: that of the options, or what an appended run.h5 says (its run_id). */
const ph_episode_meta *ph_sink_run_origin(const ph_sink *sink);
/* One more than the highest number of an episode, or of a record in the index, of that env that was
 * in the folder when it was opened; 0 where there is none. */
int64_t ph_sink_run_next(const ph_sink *sink, int env_id);
/* Whether the path still leads to the folder that is held; from any thread. Where it does not,
 * nothing may be written by its name until a `begin` has put that right. */
bool ph_sink_run_in_place(ph_sink *sink);
/* What befell the folder since the last call, in one line; false: nothing. */
bool ph_sink_run_news(ph_sink *sink, char *line, size_t size);
/* How many episodes were taken away since the last call, and of which run, in one line; false:
 * none. */
bool ph_sink_run_taken(ph_sink *sink, char *line, size_t size);
/* After `finish`: episodes that this sink has put into their place and that are not there. */
size_t ph_sink_run_missing(const ph_sink *sink);
/* Takes the run.h5 of a run without an episode away again, and with it the folder if that was not
 * there before. Nothing but `free` may follow. */
void ph_sink_run_undo(ph_sink *sink);
/* One dataset file: temporary sibling, renamed by `finish`. PH_EEXIST: something is there. */
ph_status ph_sink_dataset(ph_sink **out, const char *path, const ph_episode_meta *origin,
                          const ph_sink_options *opt);
/* Episodes in memory. ph_sink_memory_take gives the i-th ended one to the caller, once. */
ph_status ph_sink_memory(ph_sink **out);
ph_status ph_sink_memory_take(ph_sink *sink, size_t i, ph_episode **out);

/* Writes a whole episode into a sink in blocks of rows. */
ph_status ph_sink_copy(ph_sink *sink, const ph_episode *episode);

#endif
