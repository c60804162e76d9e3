#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

struct ph_rowlog {
  ph_record_layout layout;
  ph_journal *journal;    /* Nullable, borrowed */
  bool refused;           /* the journal takes no more */
  unsigned char *place;   /* room for the next record; NULL: not made yet */
  unsigned char *records; /* in memory: those behind the journal's */
  int64_t count, room;    /* of those in memory */
  bool watched;
  uint32_t all; /* columns whose rows are all the value */
  unsigned char *value[PH_COL_COUNT];
  char trouble[400];
};

enum { BLOCK_ROWS = PH_CRC_BLOCK_ROWS };

static ph_status no_memory(const char *what) {
  return ph_fail(PH_ENOMEM, "rows: out of memory for %s", what);
}

ph_status ph_rowlog_create(ph_rowlog **out, const ph_dims *dims, uint32_t columns,
                           ph_journal *journal) {
  ph_rowlog *log = calloc(1, sizeof *log);
  *out = log;
  if (!log)
    return no_memory("a log");
  ph_record_layout_of(&log->layout, dims, columns);
  log->journal = journal;
  return PH_OK;
}

ph_status ph_rowlog_open(ph_rowlog **out, ph_journal *journal, const ph_journal_head *head) {
  ph_status status = ph_rowlog_create(out, &head->meta.dims, head->columns, journal);
  if (status == PH_OK)
    (*out)->refused = true;
  return status;
}

void ph_rowlog_free(ph_rowlog *log) {
  if (log) {
    for (int col = 0; col < PH_COL_COUNT; col++)
      free(log->value[col]);
    free(log->records);
    free(log);
  }
}

const ph_record_layout *ph_rowlog_layout(const ph_rowlog *log) {
  return &log->layout;
}
const char *ph_rowlog_trouble(const ph_rowlog *log) {
  return log->trouble[0] ? log->trouble : NULL;
}

static int64_t in_journal(const ph_rowlog *log) {
  return log->journal ? ph_journal_count(log->journal) : 0;
}

int64_t ph_rowlog_states(const ph_rowlog *log) {
  return in_journal(log) + log->count;
}

/* --- what never changed --- */

static void compare(ph_rowlog *log, const unsigned char *record) {
  for (ph_column col = 0; log->all != 0 && col < PH_COL_COUNT; col++)
    if ((log->all & PH_COL_BIT(col)) != 0 &&
        memcmp(record + log->layout.offset[col], log->value[col], log->layout.size[col]) != 0)
      log->all &= ~PH_COL_BIT(col);
}

static ph_status compare_all(ph_rowlog *log) {
  int64_t states = ph_rowlog_states(log);
  unsigned char *records = malloc(BLOCK_ROWS * log->layout.payload + 1);
  ph_status status = records ? PH_OK : no_memory("a block of rows");
  for (int64_t first = 0; log->all != 0 && first < states && !status; first += BLOCK_ROWS) {
    int64_t n = states - first < BLOCK_ROWS ? states - first : BLOCK_ROWS;
    status = ph_rowlog_records(log, first, n, records);
    for (int64_t i = 0; i < n && !status; i++)
      compare(log, records + (size_t)i * log->layout.payload);
  }
  free(records);
  return status;
}

ph_status ph_rowlog_watch(ph_rowlog *log, const void *const value[PH_COL_COUNT]) {
  log->all = 0;
  for (ph_column col = 0; col < PH_COL_COUNT; col++) {
    free(log->value[col]);
    log->value[col] = NULL;
    if (!value[col] || (log->layout.columns & PH_COL_BIT(col)) == 0)
      continue;
    log->value[col] = malloc(log->layout.size[col] + 1);
    if (!log->value[col])
      return no_memory("a row");
    memcpy(log->value[col], value[col], log->layout.size[col]);
    log->all |= PH_COL_BIT(col);
  }
  ph_status status = compare_all(log);
  log->watched = status == PH_OK;
  return status;
}

bool ph_rowlog_watched(const ph_rowlog *log) {
  return log->watched;
}
bool ph_rowlog_all(const ph_rowlog *log, ph_column col) {
  return (log->all & PH_COL_BIT(col)) != 0;
}

/* --- writing --- */

static ph_status reserve_memory(ph_rowlog *log) {
  if (log->count < log->room)
    return PH_OK;
  int64_t room = log->room < 256 ? 256 : log->room * 2;
  unsigned char *records = NULL;
  if ((uint64_t)room <= (SIZE_MAX / 2) / log->layout.payload)
    records = realloc(log->records, (size_t)room * log->layout.payload);
  if (!records) {
    return ph_fail(PH_ENOMEM, "rows: out of memory for %lld records of %zu bytes", (long long)room,
                   log->layout.payload);
  }
  log->records = records;
  log->room = room;
  return PH_OK;
}

ph_status ph_rowlog_reserve(ph_rowlog *log) {
  if (log->place)
    return PH_OK;
  if (log->journal && !log->refused) {
    log->place = ph_journal_next(log->journal);
    if (log->place)
      return PH_OK;
    log->refused = true;
    snprintf(log->trouble, sizeof log->trouble, "%s", ph_error());
  }
  return reserve_memory(log);
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
  const ph_record_layout *at = &log->layout;
  unsigned char *record = log->place ? log->place : log->records + (size_t)log->count * at->payload;
  for (ph_column col = 0; col < PH_COL_COUNT; col++) {
    if (at->size[col] == 0)
      continue;
    const void *value = value_of(col, how, row);
    if (value)
      memcpy(record + at->offset[col], value, at->size[col]);
    else
      memset(record + at->offset[col], 0, at->size[col]);
  }
  compare(log, record);
  if (log->place)
    ph_journal_seal(log->journal);
  else
    log->count++;
  log->place = NULL;
}

void ph_rowlog_attach(ph_rowlog *log, ph_journal *journal) {
  log->journal = journal;
  log->refused = true;
}

bool ph_rowlog_settle(ph_rowlog *log) {
  int64_t done = 0;
  void *place = NULL;
  if (log->count == 0 || !log->journal)
    return log->count == 0;
  if (ph_journal_wake(log->journal) != PH_OK)
    return false;
  while (done < log->count && (place = ph_journal_next(log->journal))) {
    memcpy(place, log->records + (size_t)done++ * log->layout.payload, log->layout.payload);
    ph_journal_seal(log->journal);
  }
  log->count -= done;
  if (done > 0)
    memmove(log->records, log->records + (size_t)done * log->layout.payload,
            (size_t)log->count * log->layout.payload);
  log->place = NULL;
  return log->count == 0;
}

/* --- reading --- */

ph_status ph_rowlog_records(const ph_rowlog *log, int64_t first, int64_t n, void *out) {
  int64_t there = in_journal(log);
  int64_t left = first >= there ? 0 : there - first < n ? there - first : n;
  ph_status status = left > 0 ? ph_journal_read(log->journal, first, left, out) : PH_OK;
  if (status == PH_OK && left < n)
    memcpy((unsigned char *)out + (size_t)left * log->layout.payload,
           log->records + (size_t)(first + left - there) * log->layout.payload,
           (size_t)(n - left) * log->layout.payload);
  return status;
}

void ph_rowlog_pick(const ph_rowlog *log, ph_column col, const void *records, int64_t n,
                    void *out) {
  const unsigned char *from = (const unsigned char *)records + log->layout.offset[col];
  size_t size = log->layout.size[col];
  for (int64_t i = 0; i < n; i++)
    memcpy((unsigned char *)out + (size_t)i * size, from + (size_t)i * log->layout.payload, size);
}
