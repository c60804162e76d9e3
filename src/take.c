#include "take.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "mj.h"

enum { BLOCK_ROWS = PH_CRC_BLOCK_ROWS };

void ph_take_clear(ph_take *take) {
  ph_rowlog_free(take->log);
  ph_journal_close(take->journal, false);
  ph_edits_free(take->edits, take->nedits);
  free(take->provenance);
  memset(take, 0, sizeof *take);
}

/* --- start --- */

/* Whether the column is left out where it never left the model's reset value. */
static bool is_optional(ph_column col) {
  const ph_column_info *info = ph_schema_column(col);
  return !info->required && info->rows == PH_ROWS_S && col != PH_COL_PREDICATE &&
         col != PH_COL_ACTION_STATE;
}

/* Watches which parts of the state never leave the model's reset value. */
static ph_status watch(ph_rowlog *log, const ph_model *model) {
  void *value[PH_COL_COUNT] = {NULL};
  const ph_record_layout *layout = ph_rowlog_layout(log);
  ph_status status = PH_OK;
  for (ph_column col = 0; model->m && col < PH_COL_COUNT; col++) {
    if (!is_optional(col) || (layout->columns & PH_COL_BIT(col)) == 0)
      continue;
    value[col] = calloc(1, layout->size[col] + 1);
    if (value[col])
      ph_mj_reset_value(model->m, col, value[col]);
    else
      status = ph_fail(PH_ENOMEM, "recorder: out of memory");
  }
  if (status == PH_OK)
    status = ph_rowlog_watch(log, (const void *const *)value);
  for (int col = 0; col < PH_COL_COUNT; col++)
    free(value[col]);
  return status;
}

ph_status ph_take_start(ph_take *take, const ph_take_begin *begin, const ph_row *row0) {
  memset(take, 0, sizeof *take);
  ph_status status = ph_edits_copy(&take->edits, begin->edits, begin->nedits);
  if (status == PH_OK) {
    take->nedits = begin->nedits;
    status = ph_rowlog_create(&take->log, begin->dims, begin->columns, begin->journal);
  }
  if (status == PH_OK)
    status = watch(take->log, begin->model);
  if (status == PH_OK)
    status = ph_rowlog_reserve(take->log);
  if (status != PH_OK) {
    ph_take_clear(take);
    return status;
  }
  take->journal = begin->journal;
  ph_rowlog_push(take->log, NULL, row0);
  return PH_OK;
}

ph_status ph_take_open(ph_take *take, ph_episode_meta *origin, const char *journal_path) {
  ph_journal_head head;
  memset(take, 0, sizeof *take);
  ph_status status = ph_journal_open(&take->journal, &head, journal_path);
  if (status == PH_OK)
    status = ph_rowlog_open(&take->log, take->journal, &head);
  if (status != PH_OK) {
    ph_journal_head_clear(&head);
    ph_take_clear(take);
    return status;
  }
  *origin = head.meta;
  snprintf(origin->id, sizeof origin->id, "demo_0");
  snprintf(origin->group, sizeof origin->group, "/data/demo_0");
  take->edits = head.edits;
  take->nedits = head.nedits;
  take->provenance = head.provenance;
  take->seed = strtoull(head.meta.seed, NULL, 10);
  take->episode = head.meta.episode;
  take->env_id = head.meta.env_id;
  take->reason = PH_END_SALVAGED;
  take->success = (head.columns & PH_COL_BIT(PH_COL_PREDICATE)) != 0 ? 0 : -1;
  return PH_OK;
}

/* --- commit --- */

static uint32_t commit_columns(const ph_take *take) {
  uint32_t columns = ph_rowlog_layout(take->log)->columns;
  for (ph_column col = 0; col < PH_COL_COUNT; col++)
    if (is_optional(col) && ph_rowlog_all(take->log, col))
      columns &= ~PH_COL_BIT(col);
  return columns | PH_COL_BIT(PH_COL_DONES);
}

/* A block of rows on its way: BLOCK_ROWS records and the one before them, and a column of it. */
typedef struct block {
  const ph_take *take;
  unsigned char *records, *column;
  size_t payload;
} block;

static ph_status block_new(block *b, const ph_take *take) {
  const ph_record_layout *layout = ph_rowlog_layout(take->log);
  size_t widest = 1;
  for (int col = 0; col < PH_COL_COUNT; col++)
    widest = layout->size[col] > widest ? layout->size[col] : widest;
  b->take = take;
  b->payload = layout->payload;
  b->records = malloc((BLOCK_ROWS + 1) * layout->payload + 1);
  b->column = malloc(BLOCK_ROWS * widest);
  return b->records && b->column ? PH_OK : ph_fail(PH_ENOMEM, "recorder: out of memory");
}

static void block_free(block *b) {
  free(b->records);
  free(b->column);
}

/* Rows [first, first + n) of a column; n is 1 less at the end for those with a row per action. */
static ph_status write_column(const block *b, ph_sink *sink, ph_column col, int64_t first,
                              int64_t records) {
  bool per_action = col != PH_COL_STATES && ph_schema_column(col)->rows == PH_ROWS_A;
  const unsigned char *from = b->records + (per_action ? b->payload : 0);
  int64_t n = records < BLOCK_ROWS ? records : BLOCK_ROWS;
  if (per_action)
    n = records - 1;
  if (n <= 0)
    return PH_OK;
  ph_rowlog_pick(b->take->log, col == PH_COL_DONES ? PH_COL_FLAGS : col, from, n, b->column);
  for (int64_t i = 0; col == PH_COL_DONES && i < n; i++)
    b->column[i] = (b->column[i] & (PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED)) != 0;
  return sink->rows(sink, col, first, n, b->column);
}

/* A block has one record more than rows: action t is in record t+1. */
static ph_status write_rows(const ph_take *take, ph_sink *sink, uint32_t columns) {
  block b = {NULL, NULL, NULL, 0};
  int64_t states = ph_rowlog_states(take->log);
  ph_status status = block_new(&b, take);
  for (int64_t first = 0; status == PH_OK && first < states; first += BLOCK_ROWS) {
    int64_t n = states - first < BLOCK_ROWS + 1 ? states - first : BLOCK_ROWS + 1;
    int64_t kept = first > 0 ? 1 : 0;
    if (kept > 0)
      memcpy(b.records, b.records + BLOCK_ROWS * b.payload, b.payload);
    status =
        ph_rowlog_records(take->log, first + kept, n - kept, b.records + (size_t)kept * b.payload);
    for (ph_column col = 0; status == PH_OK && col < PH_COL_COUNT; col++)
      if ((columns & PH_COL_BIT(col)) != 0)
        status = write_column(&b, sink, col, first, n);
  }
  block_free(&b);
  return status;
}

static ph_status commit(const ph_take *take, ph_sink *sink, const ph_episode_meta *origin,
                        const ph_model *model) {
  ph_episode_meta meta = *origin;
  ph_status status = ph_rowlog_watched(take->log) ? PH_OK : watch(take->log, model);
  if (status != PH_OK)
    return status;
  uint32_t columns = commit_columns(take);
  ph_begin begin = {&meta, columns, take->edits, take->nedits};
  meta.actions = ph_rowlog_states(take->log) - 1;
  meta.states = meta.actions + 1;
  meta.env_id = take->env_id;
  meta.episode = take->episode;
  meta.end_reason = take->reason;
  meta.success = take->success;
  snprintf(meta.seed, sizeof meta.seed, "%" PRIu64, take->seed);
  snprintf(meta.end_detail, sizeof meta.end_detail, "%s", take->detail);
  if (take->determinism[0])
    memcpy(meta.determinism, take->determinism, sizeof meta.determinism);
  status = sink->begin(sink, &begin);
  if (status != PH_OK)
    return status;
  status = write_rows(take, sink, columns);
  if (status == PH_OK)
    return sink->end(sink);
  sink->cancel(sink); /* nothing where it was the sink's own error */
  return status;
}

ph_status ph_take_commit(const ph_take *take, ph_sink *sink, const ph_episode_meta *origin,
                         const ph_model *model) {
  ph_status status = commit(take, sink, origin, model);
  if (status != PH_OK)
    return ph_fail_in(status, "recorder: env %d episode %" PRId64, take->env_id, take->episode);
  return PH_OK;
}
