/* What a path holds: a run directory, a dataset, an episode file, a file of another recorder
 * (robosuite, robomimic and their family, any HDF5 with arrays), or several of them. Opening locks
 * nothing and reads names, counts and outcomes only; of foreign files names alone. A store belongs
 * to one thread; the episodes and models that it gives out may be shared. */
#ifndef PLAYHEAD_STORE_H
#define PLAYHEAD_STORE_H

#include <playhead/episode.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_store ph_store;

/* One line of the list of episodes. Plain data. */
typedef struct ph_entry {
  char id[64]; /* "demo_17"; in a run "env003_ep000012" */
  char file[512];
  char group[128]; /* object path in the file */
  int env_id;
  int64_t episode;
  int64_t actions, states; /* -1: not looked at yet, see ph_store_look */
  bool uninterpreted;      /* arrays of an unknown layout: states counts rows, nothing is taken for
                              actions */
  char seed[24];
  ph_end end_reason;
  int success; /* 1, 0, -1 not known */
  char determinism[48];
  char model_sha256[PH_SHA256_SIZE], task_sha256[PH_SHA256_SIZE];
  char oddity[160]; /* "" or what is wrong with it, in a sentence */
} ph_entry;

typedef struct ph_store_options {
  ph_model_options model; /* where a model may read besides its embedded assets */
  const char *model_path; /* Nullable: use this MJCF instead of the recorded model */
} ph_store_options;

/* Opens all paths, in order; entries are in natural order within each (demo_10 after demo_2).
 * opt is nullable. PH_EIO, PH_EFORMAT, PH_EREFUSED, PH_ECORRUPT (the child
 * that tried it first died of it) with the path in ph_error(). */
PH_API ph_status ph_store_open(ph_store **out, const char *const *paths, size_t n,
                               const ph_store_options *opt);
PH_API void ph_store_free(ph_store *store); /* Nullable */

/* "run", "dataset", "episode file", or that of a foreign file: "robomimic", ... */
PH_API const char *ph_store_layout(const ph_store *store);
PH_API const char *ph_store_path(const ph_store *store); /* the first path */
PH_API size_t ph_store_count(const ph_store *store);
PH_API const ph_entry *ph_store_entry(const ph_store *store, size_t i); /* Borrowed */
/* Looks for episodes that a recorder has added to the runs among the paths since. They come behind
 * those that are there, whose places and ids stay; *added counts them. Costs a look at the folder
 * where nothing has changed. Nothing is locked: no recorder waits. An entry that was borrowed
 * before is not valid any more. PH_EIO: a folder cannot be read, or holds another run by now; its
 * episodes stay as they were, other runs are looked at nevertheless. */
PH_API ph_status ph_store_refresh(ph_store *store, size_t *added);

/* Who writes into one of the opened paths. */
typedef enum ph_activity {
  PH_NO_RUN,    /* it is no run directory: nothing is ever added to it */
  PH_IDLE,      /* no recorder has the run open */
  PH_RECORDING, /* one has */
  PH_UNKNOWN,   /* the system does not say */
} ph_activity;
/* Asks the system who holds the run's lock, which is not touched: no recorder waits or is refused.
 * A recorder on another machine is not seen. */
PH_API ph_activity ph_store_activity(const ph_store *store, size_t home);
/* Which of the opened paths holds the i-th episode: its place among them; SIZE_MAX if none. */
PH_API size_t ph_store_home(const ph_store *store, size_t i);

/* Index of the episode with that id, or a bare number as its place from 0; SIZE_MAX if none. */
PH_API size_t ph_store_find(const ph_store *store, const char *id);

/* What to open where a folder is given: one that is neither a run nor a raw folder stands for its
 * .h5 and .hdf5 files, in natural order; other paths are taken as they are. *out and each of them
 * are the caller's (ph_store_expand_free), also on failure. PH_ENOMEM, PH_EIO. */
PH_API ph_status ph_store_expand(char ***out, size_t *n, const char *const *paths, size_t npaths);
PH_API void ph_store_expand_free(char **paths, size_t n);

/* Looks at an entry whose lengths and flags were not read yet; what is wrong becomes its oddity.
 * PH_OK also where there was nothing to do. */
PH_API ph_status ph_store_look(ph_store *store, size_t i);
/* How many entries were not looked at yet. */
PH_API size_t ph_store_unseen(const ph_store *store);

/* Named groups of episodes that the files hold (robomimic's filter keys under /mask). */
PH_API size_t ph_store_groups(const ph_store *store);
PH_API const char *ph_store_group(const ph_store *store, size_t group); /* NULL past the last */
PH_API bool ph_store_in_group(const ph_store *store, size_t group, size_t i);
/* Place of a group by name; SIZE_MAX if none. */
PH_API size_t ph_store_find_group(const ph_store *store, const char *name);

/* Names of the files that the model of a foreign episode asks for and that cannot be had, all of
 * them, a line each; "" where there are none, or where its model was left as it is for another
 * reason. *out is the caller's (free). PH_ENOMEM; errors of opening the episode. */
PH_API ph_status ph_store_missing(char **out, ph_store *store, size_t i);

/* Opens the i-th episode; the caller's. A foreign one finds its model now: it is known under
 * meta.model_sha256 from then on. PH_EINVAL: there is no such episode. PH_ECORRUPT: damaged, or the
 * child that tried it first died of it. PH_EFORMAT, PH_EREFUSED, PH_EIO: it cannot be read.
 * PH_EMISMATCH: it is of another run than the run.h5 beside it, or that lacks its model or task. */
PH_API ph_status ph_store_episode(ph_episode **out, ph_store *store, size_t i);

/* The model with that hash (or the override), compiled and cached; a reference for the caller.
 * A model that does not compile, or whose source is damaged or refused, is given with its names and
 * ph_model_error where the file has the names. Else: PH_ENOTFOUND: not stored, or "" is asked for.
 * PH_ECORRUPT, PH_EFORMAT, PH_EREFUSED, PH_EIO: stored, and cannot be read. PH_EMODEL: it does not
 * compile. PH_EMISMATCH: the names are not those of the source, or the override does not fit. */
PH_API ph_status ph_store_model(ph_model **out, ph_store *store, const char *sha256);

/* Source text of a task; borrowed from the store. PH_ENOTFOUND: it holds none by that hash.
 * PH_ECORRUPT, PH_EFORMAT, PH_EREFUSED, PH_EIO: it does, and it cannot be read. */
PH_API ph_status ph_store_task(const char **out, ph_store *store, const char *sha256);

/* The distinct hashes of models and tasks in the store; i from 0, NULL past the last. */
PH_API const char *ph_store_model_hash(const ph_store *store, size_t i);
PH_API const char *ph_store_task_hash(const ph_store *store, size_t i);

/* SHA-256 over what the episodes are, in (episode, env_id) order: equal content, equal hash,
 * whatever the file is called and however it is stored. In: num_samples, number of states, env_id,
 * episode, seed, end_reason, end_detail, success, the hashes of model and task, hold, env_name,
 * control_steps, recipe, derived, engine, model edits, and the checksums of every column and of the
 * final state. Out: created, run_id, writer, substrate, determinism, parent, provenance, names and
 * paths. "" where there is no episode. Opens every episode; no row is read. */
PH_API ph_status ph_store_content_hash(ph_store *store, char out[PH_SHA256_SIZE]);

/* The same where the episodes are opened anyway: each is noted, and the hash opens only those that
 * were not. Of the episodes that the store has at the start; the store outlives it. */
typedef struct ph_content ph_content;
/* PH_ENOMEM. */
PH_API ph_status ph_content_new(ph_content **out, ph_store *store);
PH_API void ph_content_free(ph_content *content); /* Nullable */
/* The i-th episode of the store, as it was opened; a few hundred bytes of it are kept. */
PH_API void ph_content_note(ph_content *content, size_t i, const ph_episode *episode);
/* As ph_store_content_hash. */
PH_API ph_status ph_content_hash(ph_content *content, char out[PH_SHA256_SIZE]);

/* Name order in which digits compare as numbers; <0, 0, >0. */
PH_API int ph_natural_compare(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
