/* What stands behind a ph_store. A home is one path that was opened: where its episodes are and
 * which file holds their models and tasks. */
#ifndef PLAYHEAD_STORE_PRIVATE_H
#define PLAYHEAD_STORE_PRIVATE_H

#include <time.h>

#include <playhead/store.h>
#include <playhead/task.h>

#include "foreign.h"
#include "model.h"

/* An episode file of a run by what its name says. */
typedef struct ph_run_file {
  int env_id;
  int64_t episode, actions;
} ph_run_file;

/* How far a run was followed. Zero: not at all. */
typedef struct ph_run_seen {
  bool settled;            /* what the folder was when it was listed last, it shows by its time */
  struct timespec changed; /* the folder's, then */
  uint64_t inode, device;
  uint64_t facts[3];   /* inode, size and change [ns] of run.h5 */
  uint64_t index;      /* inode of the index */
  size_t record;       /* of the index that comes next */
  ph_run_file *known;  /* owned, sorted: files that have an entry */
  size_t nknown, room; /* of known */
} ph_run_seen;

typedef struct ph_home {
  char layout[24];         /* "run", "dataset", "episode file", "robomimic", ... */
  const ph_reader *reader; /* of a foreign path; NULL: our own format */
  hid_t h5;                /* of a foreign file, open as long as the store; else H5I_INVALID_HID */
  ph_group_list *groups;   /* owned, until the store has made its own of them */
  size_t ngroups;
  char *path;       /* owned, as given */
  char *facts;      /* owned: file with /models and /tasks; NULL: there is none */
  char fault[200];  /* why facts cannot be used, one line; "" */
  ph_status failed; /* where there is a fault; PH_ENOTFOUND: there are no facts */
  char run_id[64];  /* what facts says; "" */
  ph_run_seen seen; /* of a run */
} ph_home;

typedef struct ph_known_model {
  char sha256[PH_SHA256_SIZE];
  size_t home;  /* that stores it; SIZE_MAX: an episode names it, nobody has it */
  size_t entry; /* the foreign episode whose text it is; SIZE_MAX: /models has it, or nobody */
  ph_model_facts facts;
  ph_model *model; /* compiled and cached, referenced; NULL: not yet, or no longer */
  uint64_t used;   /* when, for those that can be compiled again */
} ph_known_model;

/* What became of the text of a foreign model. */
typedef struct ph_known_text {
  char key[PH_SHA256_SIZE];   /* of the text and the folder that it may read */
  char model[PH_SHA256_SIZE]; /* "": it cannot be used */
  char *why;                  /* owned: then why not */
  bool passing;               /* that may be otherwise the next time */
} ph_known_text;

typedef struct ph_store_group_list {
  char name[64];
  uint8_t *member; /* owned: a bit for each entry */
} ph_store_group_list;

typedef struct ph_known_task {
  char sha256[PH_SHA256_SIZE];
  size_t home;
  char *source; /* owned; NULL: not read yet */
} ph_known_task;

struct ph_store {
  ph_home *homes;
  size_t nhomes;
  ph_entry *entries;
  size_t *home_of; /* per entry */
  uint8_t *listed; /* per entry: how long its oddity was when it was listed */
  size_t n, room;  /* room for entries */
  ph_known_model *models;
  size_t nmodels;
  ph_known_task *tasks;
  size_t ntasks;
  char **assets; /* copies of the options */
  size_t nassets;
  char *model_path;
  ph_model *override; /* from model_path, referenced */
  bool drop_missing;
  size_t unseen;           /* entries that were not looked at */
  size_t tried, tried_end; /* entries that the probe has looked at, and the end of those that it
                              must take one by one */
  size_t singly_end;
  ph_store_group_list *groups;
  size_t ngroups;
  ph_known_text *texts;
  size_t ntexts;
  uint64_t clock; /* of ph_known_model.used */
};

/* Entries of one home, without its models and tasks; *entries and what is set in home are the
 * caller's. */
ph_status ph_store_scan(ph_home *home, ph_entry **entries, size_t *n, const char *path);

/* Appends the entries of a home; takes them. PH_ENOMEM: none was added. */
ph_status ph_store_add(ph_store *store, ph_entry *entries, size_t n, size_t home);
/* After the facts of the home were learned: the hashes that its entries from `first` on name become
 * known, and what is wrong with the facts is odd of them. PH_ENOMEM. */
ph_status ph_store_settle(ph_store *store, size_t home, size_t first);
/* The folder of a run whose path may be that of its run.h5; the caller's. NULL: out of memory. */
char *ph_store_folder(const ph_home *home);
/* What tells a run.h5 from the one before it; zero where there is none. */
void ph_run_print(uint64_t out[3], const char *path);

/* --- foreign paths --- */

/* Who reads a path: NULL: it is ours, or nobody's. h5 is H5I_INVALID_HID for a folder. */
const ph_reader *ph_store_reader(const char *path, bool folder, hid_t h5);

/* Entries and groups of a path whose reader is home->reader; takes h5, which is H5I_INVALID_HID for
 * a folder. */
ph_status ph_store_scan_foreign(ph_home *home, ph_entry **entries, size_t *n, hid_t h5);
/* Looks at an entry of a foreign home; what is wrong is its oddity. */
void ph_store_look_foreign(ph_store *store, size_t i);
ph_status ph_store_episode_foreign(ph_episode **out, ph_store *store, size_t i);
/* A model of a foreign episode that was compiled once and is no longer cached. */
ph_status ph_store_recall_model(ph_model **out, ph_store *store, const char *sha256);
/* The model with that hash as it was recorded, whatever the options say. As ph_store_model. */
ph_status ph_store_recorded(ph_model **out, ph_store *store, const char *sha256);
/* The model of the options, compiled once. */
ph_status ph_store_override(const ph_model **out, ph_store *store);
/* Closes and frees what a home has. */
void ph_home_clear(ph_home *home);

/* Makes the store's groups from those of its homes, which are freed. PH_ENOMEM. */
ph_status ph_store_make_groups(ph_store *store);
void ph_store_free_groups(ph_store *store);
/* Room for n entries in each; those that are new are in none. PH_ENOMEM. */
ph_status ph_store_widen_groups(ph_store *store, size_t n);

/* What the probe's child does: the calls that ph_store_open makes for one path; those of
 * ph_store_episode, and reads of the rows: index of the chunks, every row of narrow arrays up to
 * 32 MiB in all, first and last row of the others. */
ph_status ph_store_try_path(const char *path);
ph_status ph_store_try_episode(const char *file, const char *group);
/* Those of a look at each of n entries, and those that read a stored model or task:
 * "/models/<sha256>", "/tasks/<sha256>". What is merely wrong is PH_OK here: the parent says it. */
ph_status ph_store_try_looks(const char *file, const char *const *groups, size_t n);
ph_status ph_store_try_stored(const char *file, const char *group);

/* Adds the models and tasks that the home stores. A file that cannot be read becomes home->fault.
 */
ph_status ph_store_learn(ph_store *store, size_t home);
/* Adds the hash of a model or task unless it is known; PH_ENOMEM. */
ph_status ph_store_know_model(ph_store *store, const char *sha256, size_t home);
ph_status ph_store_know_task(ph_store *store, const char *sha256, size_t home);
/* NULL: not known. */
ph_known_model *ph_store_find_model(ph_store *store, const char *sha256);
ph_known_task *ph_store_find_task(ph_store *store, const char *sha256);

#endif
