/* What the rows of a journal say: whether the episode in its place has them, whether the predicate
 * latched. */
#include "salvage_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/latch.h>

#include "fail.h"

enum { BLOCK_ROWS = PH_CRC_BLOCK_ROWS };

/* Records of the take, and a column of them from either side. */
typedef struct sides {
  const ph_take *take;
  const ph_episode *episode;
  unsigned char *records, *mine, *theirs;
} sides;

static ph_status sides_new(sides *s) {
  const ph_record_layout *layout = ph_rowlog_layout(s->take->log);
  size_t widest = 1;
  for (int col = 0; col < PH_COL_COUNT; col++)
    widest = layout->size[col] > widest ? layout->size[col] : widest;
  s->records = malloc(BLOCK_ROWS * layout->payload + 1);
  s->mine = malloc(BLOCK_ROWS * widest);
  s->theirs = malloc(BLOCK_ROWS * widest);
  return s->records && s->mine && s->theirs ? PH_OK : ph_rescue_no_memory();
}

static void sides_free(sides *s) {
  free(s->records);
  free(s->mine);
  free(s->theirs);
}

/* Of n records from first on; action t is in record t+1. */
static ph_status same_column(bool *same, const sides *s, ph_column col, int64_t first, int64_t n) {
  const ph_record_layout *layout = ph_rowlog_layout(s->take->log);
  bool per_action = col != PH_COL_STATES && ph_schema_column(col)->rows == PH_ROWS_A;
  const unsigned char *records = s->records;
  if (per_action && first == 0) {
    records += layout->payload;
    n--;
  } else if (per_action) {
    first--;
  }
  if (n == 0 || layout->size[col] == 0)
    return PH_OK;
  if (first + n > ph_episode_rows(s->episode, col)) {
    *same = false;
    return PH_OK;
  }
  ph_rowlog_pick(s->take->log, col, records, n, s->mine);
  ph_status status = ph_episode_read(s->episode, col, first, n, s->theirs);
  *same = !status && memcmp(s->mine, s->theirs, (size_t)n * layout->size[col]) == 0;
  return status;
}

ph_status ph_rescue_same(bool *same, const ph_take *take, const ph_episode *episode) {
  sides s = {take, episode, NULL, NULL, NULL};
  char seed[24];
  const ph_record_layout *layout = ph_rowlog_layout(take->log);
  int64_t states = ph_rowlog_states(take->log);
  snprintf(seed, sizeof seed, "%" PRIu64, take->seed);
  *same = strcmp(seed, ph_episode_meta_of(episode)->seed) == 0;
  ph_status status = sides_new(&s);
  for (int64_t first = 0; first < states && *same && !status; first += BLOCK_ROWS) {
    int64_t n = states - first < BLOCK_ROWS ? states - first : BLOCK_ROWS;
    status = ph_rowlog_records(take->log, first, n, s.records);
    for (ph_column col = 0; col < PH_COL_COUNT && *same && !status; col++)
      if ((layout->columns & PH_COL_BIT(col)) != 0 && ph_episode_has(episode, col))
        status = same_column(same, &s, col, first, n);
  }
  sides_free(&s);
  return status;
}

ph_status ph_rescue_whole(const ph_episode *episode) {
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  ph_status status = PH_OK;
  for (ph_column col = 0; col < PH_COL_COUNT && !status; col++) {
    int64_t rows = ph_episode_has(episode, col) ? ph_episode_rows(episode, col) : 0;
    size_t row = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
    unsigned char *block = malloc(BLOCK_ROWS * row + 1);
    status = block ? PH_OK : ph_rescue_no_memory();
    for (int64_t first = 0; first < rows && !status; first += BLOCK_ROWS)
      status = ph_episode_read(episode, col, first,
                               rows - first < BLOCK_ROWS ? rows - first : BLOCK_ROWS, block);
    free(block);
  }
  return status;
}

ph_status ph_rescue_success(ph_take *take, const ph_episode_meta *origin) {
  const ph_record_layout *layout = ph_rowlog_layout(take->log);
  ph_hold hold = {.steps = origin->hold_steps};
  int64_t states = ph_rowlog_states(take->log);
  if (layout->size[PH_COL_PREDICATE] == 0 || origin->hold_seconds < 0)
    return PH_OK;
  unsigned char predicate[BLOCK_ROWS];
  unsigned char *records = malloc(BLOCK_ROWS * layout->payload);
  ph_status status = records ? PH_OK : ph_rescue_no_memory();
  for (int64_t first = 1; first < states && !status; first += BLOCK_ROWS) {
    int64_t n = states - first < BLOCK_ROWS ? states - first : BLOCK_ROWS;
    status = ph_rowlog_records(take->log, first, n, records);
    if (!status)
      ph_rowlog_pick(take->log, PH_COL_PREDICATE, records, n, predicate);
    for (int64_t i = 0; i < n && !status; i++)
      ph_hold_update(&hold, first + i, predicate[i] != 0);
  }
  free(records);
  take->success = !status && hold.latched ? 1 : take->success;
  return status;
}
