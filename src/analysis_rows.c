#include "analysis_parts.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

static const ph_column compared[] = {
    PH_COL_STATES,       PH_COL_WARMSTART,    PH_COL_CTRL,         PH_COL_ACTION_STATE,
    PH_COL_MOCAP_POS,    PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,     PH_COL_EQ_ACTIVE,
    PH_COL_PLUGIN_STATE, PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED,
};
enum { COMPARED = sizeof compared / sizeof *compared };

ph_status ph_rows_ahead_make(ph_rows_ahead *ahead, const ph_episode *episode) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  *ahead = (ph_rows_ahead){.episode = episode, .states = meta->states};
  for (int i = 0; i < COMPARED; i++) {
    ph_column col = compared[i];
    size_t size = ph_schema_width(col, &meta->dims) * ph_type_size(ph_schema_column(col)->type);
    if (!ph_episode_has(episode, col) || size == 0)
      continue;
    ahead->rows[col] = ph_episode_rows(episode, col);
    ahead->size[col] = size;
    ahead->column[col] = calloc(PH_FACTS_BLOCK, size);
    if (!ahead->column[col])
      return ph_fail(PH_ENOMEM, "%s: no memory to analyse it", meta->id);
  }
  return PH_OK;
}

void ph_rows_ahead_clear(ph_rows_ahead *ahead) {
  for (int i = 0; i < PH_COL_COUNT; i++)
    free(ahead->column[i]);
  *ahead = (ph_rows_ahead){0};
}

static ph_status read_rows(ph_rows_ahead *ahead, int64_t first, int64_t n) {
  ahead->n = 0;
  for (int i = 0; i < COMPARED; i++) {
    ph_column col = compared[i];
    int64_t there = ahead->rows[col] - first;
    if (!ahead->column[col] || there <= 0)
      continue;
    ph_status status =
        ph_episode_read(ahead->episode, col, first, there < n ? there : n, ahead->column[col]);
    if (status != PH_OK)
      return status;
  }
  ahead->first = first;
  ahead->n = n;
  return PH_OK;
}

ph_status ph_rows_ahead_get(ph_rows_ahead *ahead, int64_t step, ph_row *row) {
  ph_status status = PH_OK;
  *row = (ph_row){0};
  if (step < ahead->first || step >= ahead->first + ahead->n) {
    int64_t n = ahead->states - step;
    status = read_rows(ahead, step, n < PH_FACTS_BLOCK ? n : PH_FACTS_BLOCK);
    if (status != PH_OK)
      status = read_rows(ahead, step, 1); /* one of the others may be damaged */
  }
  if (status != PH_OK)
    return status;
  for (int i = 0; i < COMPARED; i++) {
    ph_column col = compared[i];
    if (ahead->column[col] && step < ahead->rows[col])
      ph_row_set_column(row, col,
                        (const char *)ahead->column[col] +
                            (size_t)(step - ahead->first) * ahead->size[col]);
  }
  return PH_OK;
}
