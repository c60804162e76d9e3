/* One episode while it is recorded: its rows, what its reset changed, how it ended.
 *
 * Words: a `take` is DESIGN's episode before its commit (after it, a ph_episode); a `slot` is the
 * place of one env in the recorder; a `record` of the row log is one row with the transition that
 * led to it; the `origin` is what all episodes of the run share. */
#ifndef PLAYHEAD_TAKE_H
#define PLAYHEAD_TAKE_H

#include "rows.h"
#include "sink.h"

/* An episode: running, or ended and waiting for a second try. */
typedef struct ph_take {
  ph_rowlog *log;
  ph_edit *edits; /* owned */
  size_t nedits;
  uint64_t seed;
  int64_t episode;
  int env_id;
  ph_end reason;
  int success;
  char detail[200];
} ph_take;

/* Copies edits and row 0 into a fresh take. columns: those of the row log. PH_ENOMEM. */
ph_status ph_take_start(ph_take *take, const ph_dims *dims, uint32_t columns, const ph_edit *edits,
                        size_t n, const ph_row *row0);
void ph_take_clear(ph_take *take); /* frees and zeroes */

/* Writes it as one episode of the sink; origin says what all episodes share. Parts of the state
 * that never left the model's reset value are left out. The take stays as it was, so that it can be
 * tried again. Any error of the sink, with env and episode in front. */
ph_status ph_take_commit(const ph_take *take, ph_sink *sink, const ph_episode_meta *origin,
                         const ph_model *model);

#endif
