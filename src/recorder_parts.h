/* What the parts of the recorder share.
 *
 * Locks, in the order in which they are taken: `commits` (the sink and what is kept: one commit at
 * a time), `lock` (the table of slots, which of them are unsafe, the tally), `warning` (causes, and
 * the callback). What is in a slot belongs to the thread that records its env, but for what is said
 * to be under `lock`. */
#ifndef PLAYHEAD_RECORDER_PARTS_H
#define PLAYHEAD_RECORDER_PARTS_H

#include <pthread.h>

#include "recorder.h"
#include "take.h"

/* An episode that has ended: in line for its commit, or kept after one that failed. */
typedef struct ph_kept {
  ph_take take;
  struct ph_kept *next;
} ph_kept;

typedef struct ph_slot {
  int env_id;
  int64_t next;         /* number of the next episode */
  bool running;         /* written under `lock`, read by its own thread without */
  bool unsafe;          /* its last episode is not, or not wholly, in a journal; under `lock` */
  size_t waits;         /* under `lock`: episodes that others began safely since that one ended */
  uint64_t call;        /* under `lock`: the last call of ph_recorder_rows that named it */
  struct ph_slot *then; /* the next one of that call */
  ph_take take;
  ph_journal *journal; /* void, for the next episode; NULL while an episode has it */
  ph_kept *spare;      /* so that a failed commit can always be kept */
} ph_slot;

/* What can be kept from the disk: bits. */
typedef enum ph_trouble { PH_TROUBLE_COMMIT = 1, PH_TROUBLE_JOURNAL = 2 } ph_trouble;

enum {
  PH_CAUSES = 16, /* that are told apart */
  PH_AWAKE = 32,  /* kept journals that stay open, so that their rows outlive their folder */
  PH_BEHIND = 8   /* episodes that are in line at most */
};

/* One errno, or that the folder is not in its place: whatever it keeps from the disk, it is told of
 * once, and once when it is over. */
typedef struct ph_in_the_way {
  unsigned now, ever; /* ph_trouble */
  bool place;         /* the folder is not in its place; why is how that was found */
  char why[160];
} ph_in_the_way;

/* Commits behind the envs (recorder_behind.c). Under `lock`, but for what is set at open. */
typedef struct ph_behind {
  bool wanted;    /* set at open */
  bool on, tried; /* there is a thread; it was tried to start one */
  bool stop, busy;
  pthread_t thread;
  pthread_cond_t more, less; /* in line */
  ph_kept *first, **last;
  int n;
  ph_journal *spare[PH_BEHIND + 1]; /* void, and named as the episodes that had them */
  int nspare;
} ph_behind;

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
  void (*unverified)(void *user, const char *line); /* NULL: episodes are not run again */
  void (*ended)(void *user, const ph_recorded *episode);
  void *ended_user;

  pthread_mutex_t lock;
  ph_slot **slots; /* owned, each by itself: they stay where they are; in order of env_id */
  size_t nslots;
  size_t unsafe;  /* slots that are */
  uint64_t calls; /* of ph_recorder_rows */
  ph_tally tally;

  ph_behind behind;

  pthread_mutex_t commits;
  ph_kept *kept; /* oldest first */
  int awake;     /* of those: journals that hold their descriptor */
  int patience;  /* commits that succeed before what is kept is tried again */
  int waited;

  pthread_mutex_t warning;
  ph_in_the_way causes[PH_CAUSES];
  size_t ncauses;
};

/* NULL: it is not known. The first under `lock`, the second takes it. */
ph_slot *ph_slot_at(const ph_recorder *rec, int env_id);
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
/* The journal of an episode that has ended gets that episode's name, and rows that are in memory go
 * to it as far as it takes them. True: all of them are there. */
bool ph_take_to_journal(const ph_recorder *rec, ph_take *take);

/* --- kept episodes --- */

/* Counts and frees an episode that is in its place. Under `commits`. */
void ph_recorder_committed(ph_recorder *rec, const ph_take *take);
/* Keeps an episode for another try. Under `commits`. */
void ph_recorder_keep(ph_recorder *rec, ph_kept *ended);
/* Tries all that is kept again, in this sink; the first error. Under `commits`. */
ph_status ph_recorder_try_kept(ph_recorder *rec, ph_sink *sink);
/* The same after a commit that succeeded, if it is time. Under `commits`. */
void ph_recorder_try_later(ph_recorder *rec);
/* Commits an episode that has ended, and tells of it. PH_OK: it is still the caller's, with its
 * journal; else it is kept. */
ph_status ph_recorder_commit(ph_recorder *rec, ph_kept *ended);
/* Ends the slot's episode. */
ph_status ph_slot_end(ph_recorder *rec, ph_slot *slot, ph_end reason, int success,
                      const char *detail);

/* --- physics run again (recorder_verify.c) --- */

/* Stamps an episode that has ended, where that is wanted; it is saved whatever comes of it. Without
 * a lock. */
void ph_recorder_verify(ph_recorder *rec, ph_take *take);

/* --- commits behind (recorder_behind.c) --- */

void ph_behind_init(ph_recorder *rec, bool wanted);
/* Takes an episode that has ended into the line. False: there is none. */
bool ph_behind_put(ph_recorder *rec, ph_kept *ended);
/* A void journal that goes by this name now; NULL: there is none. */
ph_journal *ph_behind_journal(ph_recorder *rec, const char *path);
/* Commits what is in line and ends the thread. */
void ph_behind_stop(ph_recorder *rec);
void ph_behind_destroy(ph_recorder *rec);

/* --- warnings (recorder_warn.c) --- */

/* The slot's rows are in memory from here on, or in no file that has a name; why says what is in
 * the way. It stays so until its next episode is safe. */
void ph_slot_unsafe(ph_recorder *rec, ph_slot *slot, const char *why);
/* The slot's new episode is in a journal. Where every slot's is, that is said; those whose env has
 * begun no other while all the rest went on do not count. */
void ph_slot_safe(ph_recorder *rec, ph_slot *slot);
/* Warns once of a cause; text is an error's line, whose end is the cause. */
void ph_recorder_trouble(ph_recorder *rec, ph_trouble kind, const char *text);
/* Nothing of the kinds (bits of ph_trouble) is kept from the disk any more: says so of each cause
 * of which nothing else is left. */
void ph_recorder_relief(ph_recorder *rec, unsigned kinds);
/* One line, whatever was said before. */
void ph_recorder_say(ph_recorder *rec, const char *line);
/* Tells what befell the folder. Where it was made anew, what runs is unsafe: its journals went with
 * the old one. Under `commits`. */
void ph_recorder_news(ph_recorder *rec);

void ph_recorder_free_all(ph_recorder *rec);

#endif
