#include "sink_h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* A column without elements has nothing to store: a model without actuators has no ctrl. */
static bool required(const ph_column_info *column, const ph_dims *dims) {
  return column->required && column->rows != PH_ROWS_ONE && ph_schema_width(column->id, dims) > 0;
}

static ph_status check_edit(const ph_edit *edit) {
  size_t n = strnlen(edit->field, sizeof edit->field);
  if (n == 0 || n == sizeof edit->field || strchr(edit->field, '/') || edit->field[0] == '.')
    return ph_fail(PH_EINVAL, "episode: model edit \"%.40s\": not the name of a field",
                   edit->field);
  if (ph_type_size(edit->type) == 0 || edit->shape[0] < 0 || edit->shape[1] < 0 || !edit->data)
    return ph_fail(PH_EINVAL, "episode: model edit %s: it has no array", edit->field);
  return PH_OK;
}

static ph_status check_columns(const ph_begin *begin, bool in_file) {
  for (int i = 0; i < PH_COL_COUNT; i++) {
    const ph_column_info *column = ph_schema_column((ph_column)i);
    bool given = begin->columns & PH_COL_BIT(i);
    if (!given && (i == PH_COL_STATES || (in_file && required(column, &begin->meta->dims))))
      return ph_fail(PH_EINVAL, "episode: column %s: it is required and not given", column->path);
    if (given && ph_schema_width((ph_column)i, &begin->meta->dims) > INT32_MAX)
      return ph_fail(PH_EINVAL, "episode: column %s: its rows are too large", column->path);
  }
  return PH_OK;
}

ph_status ph_begin_check(const ph_begin *begin, bool in_file) {
  const ph_episode_meta *m = begin->meta;
  if (m->actions < 0 || (m->states != m->actions && m->states != m->actions + 1))
    return ph_fail(PH_EINVAL, "episode: %lld actions and %lld states do not go together",
                   (long long)m->actions, (long long)m->states);
  if (in_file && m->actions == 0)
    return ph_fail(PH_EINVAL, "episode: no action: an empty episode is not written");
  if (m->env_id < 0 || m->episode < 0)
    return ph_fail(PH_EINVAL, "episode: env %d, episode %lld: a negative number", m->env_id,
                   (long long)m->episode);
  ph_status status = check_columns(begin, in_file);
  for (size_t i = 0; i < begin->nedits && !status; i++)
    status = check_edit(&begin->edits[i]);
  return status;
}

int64_t ph_begin_rows(const ph_episode_meta *meta, ph_column col) {
  return col == PH_COL_STATES || ph_schema_column(col)->rows == PH_ROWS_S ? meta->states
                                                                          : meta->actions;
}

ph_status ph_begin_check_rows(const ph_episode_meta *meta, uint32_t columns, ph_column col,
                              int64_t next, int64_t first, int64_t n) {
  if ((unsigned)col >= PH_COL_COUNT || col == PH_COL_FINAL_STATE || !(columns & PH_COL_BIT(col)))
    return ph_fail(PH_EINVAL, "episode: rows of a column that it did not begin with");
  int64_t rows = ph_begin_rows(meta, col);
  if (first != next || n < 0 || n > rows - first)
    return ph_fail(PH_EINVAL,
                   "episode: column %s: %lld rows from %lld where %lld of %lld come next",
                   ph_schema_column(col)->path, (long long)n, (long long)first, (long long)next,
                   (long long)rows);
  return PH_OK;
}

#define COPY(to, from) snprintf(to, sizeof to, "%s", from)

void ph_begin_entry(ph_entry *entry, const ph_episode_meta *meta) {
  memset(entry, 0, sizeof *entry);
  entry->env_id = meta->env_id;
  entry->episode = meta->episode;
  entry->actions = meta->actions;
  entry->states = meta->states;
  entry->end_reason = meta->end_reason;
  entry->success = meta->success;
  COPY(entry->seed, meta->seed);
  COPY(entry->determinism, meta->determinism);
  COPY(entry->model_sha256, meta->model_sha256);
  COPY(entry->task_sha256, meta->task_sha256);
}

/* --- copying --- */

static size_t block_bytes(const ph_episode *episode, uint32_t columns) {
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  size_t most = 1;
  for (int i = 0; i < PH_COL_COUNT; i++) {
    size_t row =
        ph_schema_width((ph_column)i, dims) * ph_type_size(ph_schema_column((ph_column)i)->type);
    if ((columns & PH_COL_BIT(i)) && row > most)
      most = row;
  }
  return most * PH_CRC_BLOCK_ROWS;
}

static ph_status copy_column(ph_sink *sink, const ph_episode *episode, ph_column col, void *block) {
  int64_t rows = ph_episode_rows(episode, col);
  ph_status status = PH_OK;
  for (int64_t first = 0; first < rows && !status; first += PH_CRC_BLOCK_ROWS) {
    int64_t n = rows - first < PH_CRC_BLOCK_ROWS ? rows - first : PH_CRC_BLOCK_ROWS;
    status = ph_episode_read(episode, col, first, n, block);
    if (!status)
      status = sink->rows(sink, col, first, n, block);
  }
  return status;
}

ph_status ph_sink_copy(ph_sink *sink, const ph_episode *episode) {
  ph_begin begin = {.meta = ph_episode_meta_of(episode)};
  begin.edits = ph_episode_edits(episode, &begin.nedits);
  for (int i = 0; i < PH_COL_COUNT; i++)
    if (i != PH_COL_FINAL_STATE && ph_episode_has(episode, (ph_column)i))
      begin.columns |= PH_COL_BIT(i);
  void *block = malloc(block_bytes(episode, begin.columns));
  if (!block)
    return ph_fail(PH_ENOMEM, "episode %s: out of memory", begin.meta->id);
  ph_status status = sink->begin(sink, &begin);
  if (!status) {
    for (int i = 0; i < PH_COL_COUNT && !status; i++)
      if (begin.columns & PH_COL_BIT(i))
        status = copy_column(sink, episode, (ph_column)i, block);
    if (!status)
      status = sink->end(sink);
    else
      sink->cancel(sink);
  }
  free(block);
  return status;
}
