/* Datasets whose episodes end where success latches: a new file beside the source, which is never
 * written to. Who decides on the rows is not this: see outcomes.h. */
#ifndef PLAYHEAD_CUT_H
#define PLAYHEAD_CUT_H

#include <playhead/outcomes.h>
#include <playhead/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is kept of one episode. States from .. to are kept, and the actions between them: to - from
 * of them. `to` becomes the last state; outcome rows from+1 .. to. */
typedef struct ph_cut_episode {
  char id[128]; /* the episode's id; of a batch of BiGym files the file's name */
  int64_t from, to;
  bool dropped;            /* leave it out, for this reason: */
  char reason[400];        /* "" where it is kept whole or cut as asked */
  int64_t states, actions; /* what the source has of it */
  /* Who judged, of our own layouts; both borrowed, nullable. */
  const ph_task *task;      /* stored in place of the recorded one if it is another */
  const uint8_t *predicate; /* of states 0 .. to, by a judge that is no task: stored in place of the
                               recorded one, with a task that has no success */
} ph_cut_episode;

typedef struct ph_cut_options {
  bool keep_rewards;   /* else 0, and 1 on the last row */
  bool compress;       /* of our own layouts: as pack */
  bool latched;        /* the episodes end at a latch: success, done and the last reward say so.
                          false: a range; rewards and flags stay as they are */
  bool no_hold;        /* they do at a hold that nobody says: none is in force in the result */
  double hold_seconds; /* in force in the result; negative: as in the source */
  const char *method;  /* "recorded", "kinematic", "dynamic", "range", "trim-idle", "steps" */
  /* Nullable: who judged, for provenance; NULL: the source itself, whose word is taken. Else, and
     with no_hold, a success that neither what is stored nor the plan's task or predicate shows is
     "given": success_source names the judge (or the method) and the hold, and the predicate, the
     task's success and the hold in force are left out, of our own layouts. */
  const char *judge;
  const char *fingerprint; /* nullable: JSON, as ph_latch_fingerprint has it */
  const char *date;        /* nullable: now. ISO 8601, for tests */
  const char *out;         /* nullable, of ph_cut_try alone: where the result is to be */
  /* Nullable: after each episode and often in a long one; false stops it: PH_ECANCELED. */
  bool (*progress)(void *arg, size_t done, size_t all);
  void *arg;
} ph_cut_options;
#define PH_CUT_OPTIONS_INIT                                                                        \
  { false, false, true, false, -1, "steps", NULL, NULL, NULL, NULL, NULL, NULL }

/* What a plan comes to. Start from PH_CUT_TALLY_NONE. */
typedef struct ph_cut_tally {
  size_t kept, dropped;
  int64_t least, most;      /* steps cut off of a kept episode; -1 where none is kept */
  int64_t actions, removed; /* that are left, and that are not */
  size_t models;            /* files of models/ beside the source that were copied beside out */
} ph_cut_tally;
#define PH_CUT_TALLY_NONE                                                                          \
  { 0, 0, -1, -1, 0, 0, 0 }

/* Counts a line of a plan, of an episode of so many actions. */
PH_API void ph_cut_tally_add(ph_cut_tally *tally, const ph_cut_episode *plan, int64_t actions);

/* The name for a result where none is given: "<source>_hold0p5s" beside it. PH_EINVAL: it is too
 * long, or the hold is negative or no number. */
PH_API ph_status ph_cut_name(char *out, size_t size, const char *source, double hold_seconds);

/* Whether a result may be called so: PH_EEXIST: it is there; PH_EINVAL: it would be in the source;
 * PH_EIO: there is no folder for it, or none that can be written to. */
PH_API ph_status ph_cut_check_out(const char *out, const char *source);

/* Whether episodes of the first path can be cut at all. PH_EFORMAT: its layout cannot, which the
 * line names, or the metadata.json of a batch cannot be read. No episode is read. PH_ENOMEM. */
PH_API ph_status ph_cut_can(const ph_store *store);

/* The id that each episode gets in the result, "" where it is left out. plan: a line for each entry
 * of the store, in its order; ids: as many, the caller's. A run's episodes become demo_0, demo_1,
 * ... by episode, then env, as pack has it; a dataset's by their order; demos of others keep their
 * names; a file of a batch is named by its new length. PH_ENOMEM. */
PH_API ph_status ph_cut_ids(char (*ids)[128], const ph_store *store, const ph_cut_episode *plan);

/* Whether an episode can be cut as that line of a plan says: all that would be read is read, and
 * nothing is written. i behind the last episode: what is of none of them; plan is then the whole
 * list, a line for each entry, or NULL: none is left out. The first path of the store is the
 * source. Of opt: latched, keep_rewards, progress, out. The errors are those that ph_cut would end
 * with.
 */
PH_API ph_status ph_cut_try(ph_store *store, size_t i, const ph_cut_episode *plan,
                            const ph_cut_options *opt);

/* Reads all rows of an episode and gives nothing: whether they can be believed. Errors of
 * ph_episode_read. */
PH_API ph_status ph_cut_read(const ph_episode *episode);

/* Writes `out` from `source`: a run directory, a dataset or an episode file of ours gives a
 * dataset; a file of the robosuite family gives one of the same layout, whose bytes, types, filters
 * and attributes are those of the source but for what is cut; a folder of BiGym batches gives a
 * folder. Episodes that `plan` does not name are an error, as are names that the source has not:
 * the two lists have to match. It is made as a temporary sibling, checked, synced and renamed;
 * after an error nothing is left, and `source` stays bit for bit. Files of models/ beside the
 * source that kept demos name are copied to models/ beside out, where that is another folder.
 *
 * PH_EEXIST: out is there, or another model by the name of one that belongs to it. PH_EINVAL: a
 * list that does not match, fewer than 2 frames left or more than there are, out is in the source.
 * PH_EFORMAT: a layout that cannot be cut, a name that is not of the pattern. PH_ENOTFOUND: no
 * episode is kept, or there was none. PH_EIO (a disk that is full among them), PH_ECORRUPT,
 * PH_ECANCELED, PH_ENOMEM. */
PH_API ph_status ph_cut(const char *out, const char *source, const ph_cut_episode *plan, size_t n,
                        const ph_cut_options *opt, ph_cut_tally *tally);

/* Without the rows at both ends in which nothing moves: states *from .. *to of an episode, for
 * ph_cut_episode. One moves where a position or an element of the action differs from that of the
 * row before by more than eps (>= 0), or is no number. *from = *to = 0: nothing does. Errors of
 * ph_episode_read. */
PH_API ph_status ph_cut_busy(int64_t *from, int64_t *to, const ph_episode *episode, double eps);

#ifdef __cplusplus
}
#endif
#endif
