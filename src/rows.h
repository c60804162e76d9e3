/* The rows of one running episode: a log of fixed-size records that only grows. Record t holds row
 * t and, from t = 1, the transition that led to it, so a record is either there whole or not at
 * all. Records are in a journal while there is one and it takes them, else in memory: what a
 * journal refuses goes to memory from there on, and the log is one all the same. Belongs to one
 * thread. */
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
 * DONES are not columns of a log. PH_ENOMEM. The caller's. */
ph_status ph_rowlog_create(ph_rowlog **out, const ph_dims *dims, uint32_t columns);
void ph_rowlog_free(ph_rowlog *log); /* Nullable */

/* Makes room for one more record; a push after it cannot fail. PH_ENOMEM. */
ph_status ph_rowlog_reserve(ph_rowlog *log);
/* Appends row 0 (how NULL) or a transition and its row; every column of the log must be there. */
void ph_rowlog_push(ph_rowlog *log, const ph_transition *how, const ph_row *row);

uint32_t ph_rowlog_columns(const ph_rowlog *log);
int64_t ph_rowlog_states(const ph_rowlog *log); /* records: A+1 */

/* Copies n rows of a column, from first, counted as in the episode (row 0 of a per-action column is
 * action 0). The caller checks the bounds. */
void ph_rowlog_read(const ph_rowlog *log, ph_column col, int64_t first, int64_t n, void *out);
/* Whether every row of the column has these bytes. */
bool ph_rowlog_all(const ph_rowlog *log, ph_column col, const void *value);

#endif
