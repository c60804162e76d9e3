/* Many runs, episode files and datasets become one dataset. */
#ifndef PLAYHEAD_PACK_H
#define PLAYHEAD_PACK_H

#include <playhead/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_pack_options {
  bool compress;  /* 64-row chunks with shuffle, deflate and fletcher32 */
  bool overwrite; /* replace `out` once the new one is whole */
  /* Nullable: called often, at least after each episode, with how many of how many are done; false
   * stops it, also while the whole file is read back, until it gets its name. */
  bool (*progress)(void *user, size_t done, size_t all);
  void *user;
} ph_pack_options;
#define PH_PACK_OPTIONS_INIT                                                                       \
  { false, false, NULL, NULL }

typedef struct ph_pack_tally {
  int64_t episodes, steps;
  int models, tasks; /* shared by their hashes */
} ph_pack_tally;

/* Writes all episodes of the paths (our own layouts) as demo_0, demo_1, ... of one dataset with
 * /index, numbered by path, then (episode, env_id). Streams in blocks of rows: memory does not
 * depend on how much there is. Bytes of rows, and every fact of an episode, stay; provenance gets
 * one more step that names the source. PH_EMISMATCH: their actions differ in size, both are named;
 * or a run has a file whose name does not fit what it holds. PH_EEXIST: out is there, or is no
 * dataset that may be overwritten. PH_EFORMAT: a path is of another recorder. PH_ENOTFOUND: there
 * is no episode, or a model or task is not stored. PH_EMODEL: the source of a model is damaged.
 * PH_ECORRUPT, PH_EIO. PH_EINVAL: progress stopped it, a source is given twice, an episode is
 * there twice (run, env, episode and seed are the same; both files are named), or out is one.
 * After an error nothing is left behind, and what was at out stays. */
PH_API ph_status ph_pack(const char *out, const char *const *paths, size_t n,
                         const ph_pack_options *opt, ph_pack_tally *tally);

#ifdef __cplusplus
}
#endif
#endif
