/* What the parts of the recorder share.
 *
 * Locks, in the order in which they are taken: `commits` (the sink and what is kept: one commit at
 * a time), `lock` (the table of slots and the tally), `warning` (causes, and the callback). What is
 * in a slot belongs to the thread that records its env. */
#ifndef PLAYHEAD_RECORDER_PARTS_H
#define PLAYHEAD_RECORDER_PARTS_H

#include <pthread.h>

#include "recorder.h"
#include "take.h"

/* An episode whose commit failed. */
typedef struct ph_kept {
  ph_take take;
  struct ph_kept *next;
} ph_kept;

typedef struct ph_slot {
  int env_id;
  int64_t next; /* number of the next episode */
  bool running;
  bool unsafe; /* its last episode was not, or not wholly, in a journal */
  ph_take take;
  ph_journal *journal; /* void, for the next episode; NULL while an episode has it */
  ph_kept *spare;      /* so that a failed commit can always be kept */
} ph_slot;

/* What can keep rows from the disk. */
typedef enum ph_trouble { PH_TROUBLE_COMMIT, PH_TROUBLE_JOURNAL } ph_trouble;

enum {
  PH_CAUSES = 16, /* that are told apart */
  PH_AWAKE = 32   /* kept journals that stay open, so that their rows outlive their folder */
};

typedef struct ph_cause {
  ph_trouble kind;
  char why[160];
} ph_cause;

struct ph_recorder {
  ph_sink *sink;
  ph_model *model; /* referenced */
  ph_task *task;   /* referenced; NULL none */
  ph_episode_meta origin;
  char *provenance;
  char path[512];
  bool substeps, compress;
  bool run;          /* the sink is a run directory that was started here */
  uint32_t required; /* columns that every row 0 must have */
  void (*warn)(void *user, const char *line);
  void (*relief)(void *user, const char *line); /* NULL where warn is */
  void *user;

  pthread_mutex_t lock;
  ph_slot **slots; /* owned, each by itself: they stay where they are */
  size_t nslots;
  int unsafe; /* slots that are */
  ph_tally tally;

  pthread_mutex_t commits;
  ph_kept *kept; /* oldest first */
  int awake;     /* of those: journals that hold their descriptor */
  int patience;  /* commits that succeed before what is kept is tried again */
  int waited;

  pthread_mutex_t warning;
  ph_cause causes[PH_CAUSES];
  size_t ncauses;
};

/* NULL: it is not known. */
ph_slot *ph_slot_find(const ph_recorder *rec, int env_id);
ph_status ph_slot_running(ph_slot **out, const ph_recorder *rec, int env_id);

/* A row must have exactly the columns of `columns`, all finite. */
ph_status ph_row_check(const ph_recorder *rec, int env_id, int64_t step, uint32_t columns,
                       const ph_row *row);
uint32_t ph_row_columns(const ph_row *row, const ph_dims *dims);

/* --- journals --- */

/* The slot's journal, started for an episode; NULL: rows go to memory, and it was told why. */
ph_journal *ph_slot_journal(ph_recorder *rec, ph_slot *slot, const ph_take_begin *begin,
                            uint64_t seed);
/* Takes the journal back from a take that needs it no more. */
void ph_slot_journal_back(ph_slot *slot, ph_take *take);
/* The slot's rows are in memory from here on, for what ph_error() says. */
void ph_slot_unsafe(ph_recorder *rec, ph_slot *slot, const char *why);
/* The journal of an episode that has ended gets that episode's name, and rows that are in memory go
 * to it as far as it takes them. True: all of them are there. */
bool ph_take_to_journal(const ph_recorder *rec, ph_take *take);

/* --- kept episodes --- */

/* Counts and frees an episode that is in its place. Under `commits`. */
void ph_recorder_committed(ph_recorder *rec, const ph_take *take);
/* Keeps the slot's take for another try. Under `commits`. */
void ph_recorder_keep(ph_recorder *rec, ph_slot *slot);
/* Tries all that is kept again; the first error. Under `commits`. */
ph_status ph_recorder_try_kept(ph_recorder *rec);
/* The same after a commit that succeeded, if it is time. Under `commits`. */
void ph_recorder_try_later(ph_recorder *rec);
/* Ends the slot's episode. */
ph_status ph_slot_end(ph_recorder *rec, ph_slot *slot, ph_end reason, int success,
                      const char *detail);

/* --- warnings --- */

/* Warns once of a cause; text is an error's line, whose end is the cause. */
void ph_recorder_trouble(ph_recorder *rec, ph_trouble kind, const char *text);
/* Says that all causes of the kind are gone, where there are any. */
void ph_recorder_relief(ph_recorder *rec, ph_trouble kind);

void ph_recorder_free_all(ph_recorder *rec);

#endif
