/* What stands behind a ph_store. A home is one path that was opened: where its episodes are and
 * which file holds their models and tasks. */
#ifndef PLAYHEAD_STORE_PRIVATE_H
#define PLAYHEAD_STORE_PRIVATE_H

#include <playhead/store.h>
#include <playhead/task.h>

#include "model.h"

typedef struct ph_home {
  char layout[24];    /* "run", "dataset", "episode file", "robomimic", ... */
  const struct ph_reader *reader; /* of a foreign path; NULL: our own format */
  char *path;         /* owned, as given */
  char *facts;        /* owned: file with /models and /tasks; NULL: there is none */
  char fault[200];    /* why facts cannot be used, one line; "" */
  ph_status failed;   /* where there is a fault; PH_ENOTFOUND: there are no facts */
  char run_id[64];    /* what facts says; "" */
} ph_home;

typedef struct ph_known_model {
  char sha256[PH_SHA256_SIZE];
  size_t home; /* that stores it; SIZE_MAX: an episode names it, nobody has it */
  ph_model_facts facts;
  ph_model *model; /* compiled and cached, referenced; NULL: not yet */
} ph_known_model;

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
  size_t n;
  ph_known_model *models;
  size_t nmodels;
  ph_known_task *tasks;
  size_t ntasks;
  char **assets; /* copies of the options */
  size_t nassets;
  char *model_path;
  ph_model *override; /* from model_path, referenced */
};

/* Entries of one home, without its models and tasks; *entries and what is set in home are the
 * caller's. */
ph_status ph_store_scan(ph_home *home, ph_entry **entries, size_t *n, const char *path);

/* What the probe's child does: the calls that ph_store_open makes for one path; those of
 * ph_store_episode and the first read of every column: index of the chunks, first and last row. */
ph_status ph_store_try_path(const char *path);
ph_status ph_store_try_episode(const char *file, const char *group);

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
