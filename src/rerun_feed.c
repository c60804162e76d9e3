#include "rerun_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* Blocks of rows begin where those of the checksums do; wide rows come fewer at once. */
enum { ROWS = PH_CRC_BLOCK_ROWS, BLOCK_MAX = 1 << 18 };

void ph_block_free(ph_block *block) {
  free(block->data);
  *block = (ph_block){0};
}

static ph_status block_room(ph_block *block, const ph_episode *episode, const ph_dims *dims) {
  block->row = ph_schema_width(block->col, dims) * ph_type_size(ph_schema_column(block->col)->type);
  block->room = ROWS;
  while (block->room > 1 && (size_t)block->room * block->row > BLOCK_MAX)
    block->room /= 2;
  block->data = malloc((size_t)block->room * block->row + 1);
  if (!block->data)
    return ph_fail(PH_ENOMEM, "%s: no memory to run it", ph_episode_meta_of(episode)->id);
  return PH_OK;
}

ph_status ph_block_row(ph_block *block, const ph_episode *episode, const ph_dims *dims,
                       int64_t step, const void **out) {
  int64_t rows = ph_episode_rows(episode, block->col);
  ph_status status = PH_OK;
  *out = NULL;
  if (step < 0 || step >= rows || ph_schema_width(block->col, dims) == 0)
    return PH_OK;
  if (!block->data)
    status = block_room(block, episode, dims);
  if (status != PH_OK)
    return status;
  if (step < block->first || step >= block->first + block->n) {
    block->first = step - step % block->room;
    block->n = rows - block->first < block->room ? rows - block->first : block->room;
    status = ph_episode_read(episode, block->col, block->first, block->n, block->data);
    if (status != PH_OK) { /* a row of it may be whole */
      block->first = step;
      block->n = 1;
      status = ph_episode_read(episode, block->col, step, 1, block->data);
    }
    if (status != PH_OK)
      block->n = 0;
  }
  if (status == PH_OK)
    *out = block->data + (size_t)(step - block->first) * block->row;
  return status;
}

ph_status ph_rerun_row(ph_cursor *c, int64_t step, ph_row *row) {
  static const ph_column columns[] = {
      PH_COL_STATES,       PH_COL_WARMSTART,    PH_COL_CTRL,         PH_COL_MOCAP_POS,
      PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,     PH_COL_EQ_ACTIVE,    PH_COL_PLUGIN_STATE,
      PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED, PH_COL_ACTION_STATE,
  };
  const ph_episode *episode = c->run->episode;
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_status status = PH_OK;
  memset(row, 0, sizeof *row);
  for (size_t i = 0; status == PH_OK && i < sizeof columns / sizeof *columns; i++) {
    const void *at = NULL;
    ph_block *block = &c->rows[columns[i]];
    block->col = columns[i];
    if (!ph_episode_has(episode, columns[i]))
      continue;
    status = ph_block_row(block, episode, &meta->dims, step, &at);
    ph_row_set_column(row, columns[i], at);
  }
  if (status == PH_OK && !row->state)
    status = ph_fail(PH_EFORMAT, "%s: no state is stored for step %lld", meta->id, (long long)step);
  return status;
}

/* What drives physics from outside beside ctrl: physics itself never changes it. */
static const ph_column outside[] = {PH_COL_MOCAP_POS, PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,
                                    PH_COL_EQ_ACTIVE, PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED};

bool ph_rerun_drives(const ph_rerun *run, ph_column col) {
  bool is_outside = false;
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
    is_outside = is_outside || outside[i] == col;
  return is_outside && ph_episode_has(run->episode, col);
}

ph_status ph_rerun_drive(ph_cursor *c, int64_t step) {
  const ph_episode_meta *meta = ph_episode_meta_of(c->run->episode);
  ph_status status = PH_OK;
  if (step <= c->run->opt.anchor && !c->alone)
    return PH_OK;
  for (size_t i = 0; status == PH_OK && i < sizeof outside / sizeof *outside; i++) {
    const void *at = NULL;
    ph_block *block = &c->rows[outside[i]];
    if (step >= meta->states || !ph_rerun_drives(c->run, outside[i]))
      continue;
    block->col = outside[i];
    status = ph_block_row(block, c->run->episode, &meta->dims, step, &at);
    if (at)
      ph_mj_set(c->sim->m, c->sim->d, outside[i], at);
  }
  return status;
}

/* The row of the episode's actions that is fed at a step; -1: there is none. */
static int64_t fed(const ph_rerun *run, int64_t step) {
  int64_t last = run->actions - 1;
  int64_t i = run->opt.feed == PH_FEED_HELD ? run->opt.anchor - 1 : step + run->opt.shift;
  i = i < 0 ? 0 : i;
  return i < last ? i : last;
}

ph_status ph_rerun_action(ph_cursor *c, int64_t step) {
  const ph_rerun *run = c->run;
  size_t n = (size_t)run->dims.action_dim;
  const void *row = NULL;
  ph_status status = PH_OK;
  c->action_rows.col = PH_COL_ACTIONS;
  if (run->opt.feed != PH_FEED_ZERO)
    status = ph_block_row(&c->action_rows, run->episode, &ph_episode_meta_of(run->episode)->dims,
                          fed(run, step), &row);
  if (status != PH_OK)
    return status;
  if (row)
    memcpy(c->action, row, n * sizeof(double));
  else
    memset(c->action, 0, n * sizeof(double));
  for (size_t i = 0; run->override && i < n; i++)
    if (!isnan(run->override[i]))
      c->action[i] = run->override[i];
  return PH_OK;
}

ph_status ph_rerun_substeps(ph_cursor *c, int64_t step, const double **out) {
  const ph_rerun *run = c->run;
  const ph_episode_meta *meta = ph_episode_meta_of(run->episode);
  const void *row = NULL;
  c->substep_rows.col = PH_COL_CTRL_SUBSTEPS;
  ph_status status =
      ph_block_row(&c->substep_rows, run->episode, &meta->dims, fed(run, step), &row);
  *out = row;
  if (status == PH_OK && !row && run->dims.nu > 0)
    status = ph_fail(PH_EFORMAT, "%s: no ctrl of substeps is stored for step %lld", meta->id,
                     (long long)step);
  return status;
}
