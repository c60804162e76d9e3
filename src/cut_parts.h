/* Internal: what the layouts that can be cut share. */
#ifndef PH_CUT_PARTS_H
#define PH_CUT_PARTS_H

#include <playhead/cut.h>

#include "store.h"

/* A folder of BiGym batches: metadata.json beside <timestamp>_<index>_<length>.npz. */
bool ph_cut_is_batch(const char *source);

/* As ph_cut; ids of the plan are names of files. The caller has checked the name of the result
 * (ph_cut_check_out), but not the list. */
ph_status ph_cut_batch(const char *out, const char *source, const ph_cut_episode *plan, size_t n,
                       const ph_cut_options *opt, ph_cut_tally *tally);

/* As ph_cut_try; plan NULL: what is of no episode. */
ph_status ph_cut_try_batch(const char *source, const ph_cut_episode *plan,
                           const ph_cut_options *opt);

/* A cut while it is made. */
typedef struct ph_cutting {
  const char *out, *source;
  const ph_cut_options *opt;
  ph_store *store;
  const ph_cut_episode **at;  /* owned: the plan's line of each entry of the store */
  size_t done, all;           /* episodes that are kept */
  const ph_cut_episode *list; /* of a try of what is of no episode, where all count as left out:
                                 what really is; nullable */
  ph_cut_tally tally;
} ph_cutting;

/* The line of each entry of the store into c->at. compared: nullable; how many names were compared
 * beyond one for each line. PH_EINVAL: one is not named, or twice, or there is none by a name. */
ph_status ph_cut_place(ph_cutting *c, const ph_cut_episode *plan, size_t n, size_t *compared);
/* The folder that a path would be in, without links (PATH_MAX); "" where there is none. */
void ph_cut_folder(char *out, const char *path);
/* Places of the store's entries in the order of the result; the caller's (free). NULL: no memory.
 */
size_t *ph_cut_order(const ph_store *store);

/* PH_ECANCELED where progress says so. */
ph_status ph_cut_go_on(const ph_cutting *c);
/* After an episode that was written: counts it, and asks. */
ph_status ph_cut_count(ph_cutting *c, const ph_cut_episode *plan, int64_t actions);
/* PH_EINVAL: the rows are not in an episode of so many actions, or less than 2 states. */
ph_status ph_cut_check(const ph_cut_episode *plan, int64_t actions);
/* The hold in force in the result: that of the options, the source's, or none (negative): of a
 * latch whose hold is not said. PH_EINVAL. */
ph_status ph_cut_hold(double *seconds, int64_t *steps, const ph_cut_options *opt,
                      const ph_episode_meta *source);
/* The source's provenance (nullable: "[]") with this cut at its end; the caller's (free).
 * PH_EFORMAT: it is no list. PH_ENOMEM. */
ph_status ph_cut_provenance(char **out, const char *before, const ph_cut_episode *plan,
                            const ph_cut_options *opt, const ph_episode_meta *source);

/* What is stored of who judged. */
typedef struct ph_cut_judged {
  uint8_t *predicate; /* owned: of the result's states; NULL: the recorded one stays */
  ph_task *task;      /* owned; NULL: the recorded one stays */
  bool without_task;  /* the recorded task does not: there is nothing but its success in it */
  bool given; /* no predicate that is known latches there: nothing but a word says that it does */
} ph_cut_judged;

/* By whom `result`, which is cut as planned, latches at its last state. Of a range nobody is asked.
 * PH_ENOMEM, PH_ECANCELED;
 * errors of reading the predicate and the recorded task. */
ph_status ph_cut_judge(ph_cut_judged *out, const ph_cutting *c, const ph_cut_episode *plan,
                       const ph_episode *episode, const ph_episode_meta *result);
void ph_cut_judged_clear(ph_cut_judged *judged);

/* The hold that the last cut of a provenance left; false: there is none. before: nullable. */
bool ph_cut_hold_before(double *seconds, int64_t *steps, const char *before);

/* Of our own layouts; of the family of robosuite's demos. The list was checked. */
ph_status ph_cut_own(ph_cutting *c);
ph_status ph_cut_demos(ph_cutting *c);
/* What ph_cut_demos would say of one entry; behind the last one: of what is in none. */
ph_status ph_cut_try_demo(ph_cutting *c, size_t entry);

#endif
