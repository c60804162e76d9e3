#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

struct ph_rowlog {
  uint32_t columns;
  size_t offset[PH_COL_COUNT]; /* in a record */
  size_t size[PH_COL_COUNT];   /* bytes of one row */
  size_t stride;
  unsigned char *records;
  int64_t count, room;
};

static const uint32_t always =
    PH_COL_BIT(PH_COL_STATES) | PH_COL_BIT(PH_COL_REWARDS) | PH_COL_BIT(PH_COL_FLAGS);
static const uint32_t never = PH_COL_BIT(PH_COL_FINAL_STATE) | PH_COL_BIT(PH_COL_DONES);

static bool has(const ph_rowlog *log, ph_column col) {
  return (log->columns & PH_COL_BIT(col)) != 0;
}

static bool per_action(ph_column col) {
  return col != PH_COL_STATES && ph_schema_column(col)->rows == PH_ROWS_A;
}

ph_status ph_rowlog_create(ph_rowlog **out, const ph_dims *dims, uint32_t columns) {
  ph_rowlog *log = calloc(1, sizeof *log);
  *out = log;
  if (!log)
    return ph_fail(PH_ENOMEM, "rows: out of memory");
  log->columns = (columns | always) & ~never;
  for (ph_column col = 0; col < PH_COL_COUNT; col++) {
    if (has(log, col)) {
      log->offset[col] = log->stride;
      log->size[col] = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
      log->stride += log->size[col];
    }
  }
  return PH_OK;
}

void ph_rowlog_free(ph_rowlog *log) {
  if (log) {
    free(log->records);
    free(log);
  }
}

ph_status ph_rowlog_reserve(ph_rowlog *log) {
  if (log->count < log->room)
    return PH_OK;
  int64_t room = log->room < 256 ? 256 : log->room * 2;
  unsigned char *records = NULL;
  if ((uint64_t)room <= (SIZE_MAX / 2) / log->stride)
    records = realloc(log->records, (size_t)room * log->stride);
  if (!records) {
    return ph_fail(PH_ENOMEM, "rows: out of memory for %lld records of %zu bytes", (long long)room,
                   log->stride);
  }
  log->records = records;
  log->room = room;
  return PH_OK;
}

static const void *value_of(ph_column col, const ph_transition *how, const ph_row *row) {
  switch (col) {
  case PH_COL_ACTIONS:
    return how ? how->action : NULL;
  case PH_COL_CTRL_SUBSTEPS:
    return how ? how->ctrl_substeps : NULL;
  case PH_COL_REWARDS:
    return how ? &how->reward : NULL;
  case PH_COL_FLAGS:
    return how ? &how->flags : NULL;
  default:
    return ph_row_column(row, col);
  }
}

void ph_rowlog_push(ph_rowlog *log, const ph_transition *how, const ph_row *row) {
  unsigned char *record = log->records + (size_t)log->count * log->stride;
  for (ph_column col = 0; col < PH_COL_COUNT; col++) {
    if (!has(log, col) || log->size[col] == 0)
      continue;
    const void *value = value_of(col, how, row);
    if (value)
      memcpy(record + log->offset[col], value, log->size[col]);
    else
      memset(record + log->offset[col], 0, log->size[col]);
  }
  log->count++;
}

uint32_t ph_rowlog_columns(const ph_rowlog *log) {
  return log->columns;
}
int64_t ph_rowlog_states(const ph_rowlog *log) {
  return log->count;
}

static const unsigned char *at(const ph_rowlog *log, ph_column col, int64_t row) {
  int64_t record = row + (per_action(col) ? 1 : 0);
  return log->records + (size_t)record * log->stride + log->offset[col];
}

void ph_rowlog_read(const ph_rowlog *log, ph_column col, int64_t first, int64_t n, void *out) {
  unsigned char *to = out;
  for (int64_t i = 0; i < n; i++)
    memcpy(to + (size_t)i * log->size[col], at(log, col, first + i), log->size[col]);
}

bool ph_rowlog_all(const ph_rowlog *log, ph_column col, const void *value) {
  int64_t rows = log->count - (per_action(col) ? 1 : 0);
  for (int64_t i = 0; i < rows; i++)
    if (memcmp(at(log, col, i), value, log->size[col]) != 0)
      return false;
  return true;
}
