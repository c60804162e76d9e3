/* One episode while it is recorded: its rows, what its reset changed, how it ended.
 *
 * Words: a `take` is DESIGN's episode before its commit (after it, a ph_episode); a `slot` is the
 * place of one env in the recorder; a `record` of the row log is one row with the transition that
 * led to it; the `origin` is what all episodes of the run share. */
#ifndef PLAYHEAD_TAKE_H
#define PLAYHEAD_TAKE_H

#include "rows.h"
#include "sink.h"

/* An episode: running, ended and waiting for a second try, or left by a killed recorder. */
typedef struct ph_take {
  ph_rowlog *log;
  ph_journal *journal; /* owned, from ph_take_start on: log borrows it; NULL: rows are in memory */
  ph_edit *edits;      /* owned */
  size_t nedits;
  char *provenance; /* owned; what the origin of an opened take points to */
  uint64_t seed;
  int64_t episode;
  int env_id;
  ph_end reason;
  int success;
  char detail[200];
  char determinism[48]; /* what running it again came to; "": as the origin says */
} ph_take;

/* What starts one. */
typedef struct ph_take_begin {
  const ph_dims *dims;
  const ph_model *model; /* for the values that a reset leaves */
  uint32_t columns;      /* of the row log */
  const ph_edit *edits;
  size_t nedits;
  ph_journal *journal; /* Nullable: started with these columns; the take's where it succeeds, else
                          still the caller's */
} ph_take_begin;

/* Copies edits and row 0 into a fresh take. PH_ENOMEM. */
ph_status ph_take_start(ph_take *take, const ph_take_begin *begin, const ph_row *row0);
/* The take that a journal holds, with end_reason `salvaged` and what its head says of the run; only
 * read: it stays where and as it is. success is 0 with a predicate, else -1. Errors of
 * ph_journal_open. origin is good until ph_take_clear. */
ph_status ph_take_open(ph_take *take, ph_episode_meta *origin, const char *journal_path);
void ph_take_clear(ph_take *take); /* frees and zeroes; the journal's file stays */

/* Writes it as one episode of the sink; origin says what all episodes share. Parts of the state
 * that never left the model's reset value are left out. The take stays as it was, so that it can be
 * tried again. Reads each record once, in blocks. Any error of the sink or the journal, with env
 * and episode in front. */
ph_status ph_take_commit(const ph_take *take, ph_sink *sink, const ph_episode_meta *origin,
                         const ph_model *model);

#endif
