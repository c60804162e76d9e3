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
  ph_edits_free(take->edits, take->nedits);
  memset(take, 0, sizeof *take);
}

ph_status ph_take_start(ph_take *take, const ph_dims *dims, uint32_t columns, const ph_edit *edits,
                        size_t n, const ph_row *row0) {
  memset(take, 0, sizeof *take);
  ph_status status = ph_edits_copy(&take->edits, edits, n);
  if (status == PH_OK) {
    take->nedits = n;
    status = ph_rowlog_create(&take->log, dims, columns);
  }
  if (status == PH_OK)
    status = ph_rowlog_reserve(take->log);
  if (status != PH_OK) {
    ph_take_clear(take);
    return status;
  }
  ph_rowlog_push(take->log, NULL, row0);
  return PH_OK;
}

/* Whether an optional part of the state never left the model's reset value. */
static bool left_out(const ph_take *take, const ph_dims *dims, const ph_model *model,
                     ph_column col) {
  const ph_column_info *info = ph_schema_column(col);
  if (!model->m || info->required || col == PH_COL_PREDICATE || col == PH_COL_ACTION_STATE ||
      col == PH_COL_CTRL_SUBSTEPS)
    return false;
  void *value = calloc(ph_schema_width(col, dims), ph_type_size(info->type));
  bool all = false;
  if (value) {
    ph_mj_reset_value(model->m, col, value);
    all = ph_rowlog_all(take->log, col, value);
  }
  free(value);
  return all;
}

static uint32_t commit_columns(const ph_take *take, const ph_dims *dims, const ph_model *model) {
  uint32_t columns = ph_rowlog_columns(take->log);
  for (ph_column col = 0; col < PH_COL_COUNT; col++)
    if ((columns & PH_COL_BIT(col)) != 0 && left_out(take, dims, model, col))
      columns &= ~PH_COL_BIT(col);
  return columns | PH_COL_BIT(PH_COL_DONES);
}

static void read_block(const ph_take *take, ph_column col, int64_t first, int64_t n, void *out) {
  if (col != PH_COL_DONES) {
    ph_rowlog_read(take->log, col, first, n, out);
    return;
  }
  uint8_t *dones = out;
  ph_rowlog_read(take->log, PH_COL_FLAGS, first, n, dones);
  for (int64_t i = 0; i < n; i++)
    dones[i] = (dones[i] & (PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED)) != 0;
}

static ph_status write_column(const ph_take *take, ph_sink *sink, ph_column col, void *block) {
  int64_t states = ph_rowlog_states(take->log);
  int64_t rows = states;
  if (col != PH_COL_STATES && ph_schema_column(col)->rows == PH_ROWS_A)
    rows = states - 1;
  ph_status status = PH_OK;
  for (int64_t first = 0; status == PH_OK && first < rows; first += BLOCK_ROWS) {
    int64_t n = rows - first < BLOCK_ROWS ? rows - first : BLOCK_ROWS;
    read_block(take, col, first, n, block);
    status = sink->rows(sink, col, first, n, block);
  }
  return status;
}

static size_t block_size(const ph_dims *dims, uint32_t columns) {
  size_t size = 1;
  for (ph_column col = 0; col < PH_COL_COUNT; col++) {
    size_t row = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
    if ((columns & PH_COL_BIT(col)) != 0 && row > size)
      size = row;
  }
  return size * BLOCK_ROWS;
}

static ph_status write_rows(const ph_take *take, ph_sink *sink, const ph_dims *dims,
                            uint32_t columns) {
  void *block = malloc(block_size(dims, columns));
  if (!block)
    return ph_fail(PH_ENOMEM, "recorder: out of memory");
  ph_status status = PH_OK;
  for (ph_column col = 0; status == PH_OK && col < PH_COL_COUNT; col++)
    if ((columns & PH_COL_BIT(col)) != 0)
      status = write_column(take, sink, col, block);
  free(block);
  return status;
}

ph_status ph_take_commit(const ph_take *take, ph_sink *sink, const ph_episode_meta *origin,
                         const ph_model *model) {
  ph_episode_meta meta = *origin;
  uint32_t columns = commit_columns(take, &origin->dims, model);
  ph_begin begin = {&meta, columns, take->edits, take->nedits};
  meta.actions = ph_rowlog_states(take->log) - 1;
  meta.states = meta.actions + 1;
  meta.env_id = take->env_id;
  meta.episode = take->episode;
  meta.end_reason = take->reason;
  meta.success = take->success;
  snprintf(meta.seed, sizeof meta.seed, "%" PRIu64, take->seed);
  snprintf(meta.end_detail, sizeof meta.end_detail, "%s", take->detail);
  ph_status status = sink->begin(sink, &begin);
  if (status == PH_OK)
    status = write_rows(take, sink, &origin->dims, columns);
  if (status == PH_OK)
    status = sink->end(sink);
  if (status != PH_OK)
    return ph_fail_in(status, "recorder: env %d episode %" PRId64, take->env_id, take->episode);
  return PH_OK;
}
