/* The rows of one running episode: a log of fixed-size records that only grows. Record t holds row
 * t and, from t = 1, the transition that led to it, so a record is either there whole or not at
 * all. Records are in a journal while there is one and it takes them, else in memory: what a
 * journal refuses goes to memory from there on, and the log is one all the same. The log only
 * borrows its journal: the take that owns the log owns that too, and frees it after the log.
 * Belongs to one thread. */
#ifndef PLAYHEAD_ROWS_H
#define PLAYHEAD_ROWS_H

#include <playhead/sim.h>

#include "journal.h"

typedef struct ph_rowlog ph_rowlog;

/* What led to a row. ctrl_substeps is NULL unless the log has that column. */
typedef struct ph_transition {
  const double *action;
  const double *ctrl_substeps;
  double reward;
  uint8_t flags;
} ph_transition;

/* columns: PH_COL_BIT of what records hold; REWARDS, FLAGS and STATES always are. FINAL_STATE and
 * DONES are not columns of a log. journal: started with these columns, borrowed; NULL: all records
 * are in memory. PH_ENOMEM. The caller's. */
ph_status ph_rowlog_create(ph_rowlog **out, const ph_dims *dims, uint32_t columns,
                           ph_journal *journal);
/* A log of what an opened journal holds, to be read only. Both stay the caller's. PH_ENOMEM. */
ph_status ph_rowlog_open(ph_rowlog **out, ph_journal *journal, const ph_journal_head *head);
void ph_rowlog_free(ph_rowlog *log); /* Nullable */

/* From here on it is known whether every row of these columns (of those with S rows) has these
 * bytes; NULL where it is not asked. Reads what is in the log already, once. PH_ENOMEM, and errors
 * of ph_rowlog_records. */
ph_status ph_rowlog_watch(ph_rowlog *log, const void *const value[PH_COL_COUNT]);
bool ph_rowlog_watched(const ph_rowlog *log);
/* Whether every row of the column has the bytes that were given for it. */
bool ph_rowlog_all(const ph_rowlog *log, ph_column col);

/* Makes room for one more record; a push after it cannot fail. PH_ENOMEM. */
ph_status ph_rowlog_reserve(ph_rowlog *log);
/* Appends row 0 (how NULL) or a transition and its row; every column of the log must be there. */
void ph_rowlog_push(ph_rowlog *log, const ph_transition *how, const ph_row *row);
/* NULL, or why the journal takes no more records; borrowed. */
const char *ph_rowlog_trouble(const ph_rowlog *log);
/* A journal for a log that has none: started with its columns, borrowed. */
void ph_rowlog_attach(ph_rowlog *log, ph_journal *journal);
/* Moves what is in memory into the journal, which is woken for that, as far as it takes it; true:
 * all of it is there. */
bool ph_rowlog_settle(ph_rowlog *log);

const ph_record_layout *ph_rowlog_layout(const ph_rowlog *log);
int64_t ph_rowlog_states(const ph_rowlog *log); /* records: A+1 */

/* Copies n records (payloads) from first. The caller checks the bounds. PH_EIO, PH_ECORRUPT,
 * PH_ENOMEM: as ph_journal_read. */
ph_status ph_rowlog_records(const ph_rowlog *log, int64_t first, int64_t n, void *out);
/* Takes one column out of n records. */
void ph_rowlog_pick(const ph_rowlog *log, ph_column col, const void *records, int64_t n, void *out);

#endif
