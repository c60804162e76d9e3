/* What the parts of `verify` share. The main thread asks for results in the order of the files,
 * prints and counts; threads make them. */
#ifndef CLI_VERIFY_PARTS_H
#define CLI_VERIFY_PARTS_H

#include <pthread.h>

#include "each.h"
#include "report.h"

struct verify_found {
  int64_t step; /* -1: the whole episode */
  char text[1200];
};

/* What is checked where an episode has what it takes. */
enum verify_part {
  PART_TIME,
  PART_QUATERNIONS,
  PART_MODEL,
  PART_PREDICATE,
  PART_HOLD,
  PART_CTRL,
  VERIFY_PARTS
};

enum { VERIFY_NOTES = PH_FLAW_ROOM + 4 };

struct verify_result {
  size_t place; /* in the store */
  ph_entry entry;
  int status; /* EXIT_FINE; else the check itself did not finish, and error says why */
  char error[600];
  char unkept[300]; /* why the answers of the judge are not kept */
  bool opened, foreign, no_checksums;
  ph_verdict verdict;
  ph_guarantee guarantee;
  char reason[240];
  bool part[VERIFY_PARTS];
  bool dynamic; /* physics was run again, or was to be: */
  ph_dynamics run;
  char worst[600]; /* of it, with names, the worst first */
  char worst_name[64];
  bool rewards_set; /* by a cut: those of physics are others */
  size_t nfound;
  struct verify_found
      found[PH_FLAW_ROOM + 8]; /* the list, model, task and physics have their own */
  size_t nnotes;
  char note[VERIFY_NOTES][320]; /* by which no row is wrong */
};

struct verify {
  const struct options *opt;
  ph_store *store;
  ph_task *task;   /* of --task; NULL: the recorded one */
  ph_judge *judge; /* of --predicate-command; NULL: the task judges */
  bool dynamic;
  ph_tolerance tolerance;
  int expect; /* ph_class; -1: an EXACT episode is to be bitwise, others anything */
  struct each each;
  int jobs_each;

  pthread_mutex_t desk; /* store and judge */

  json_t *episodes; /* NULL without --json */
  bool titled, unkept, bare;
  size_t checked, wrong, noted, rewards_set, classes[PH_CLASS_COUNT], not_run;
  size_t part[VERIFY_PARTS]; /* episodes in which it was checked */
  char first[64];            /* the first that is wrong, and how */
  struct verify_found fault;
};

/* One episode from its first to its last state (verify_check.c). Called by several threads. */
void verify_check(struct verify *v, struct verify_result *r);
/* Physics of it, into r (verify_physics.c). */
ph_status verify_physics(struct verify *v, struct verify_result *r, const ph_episode *episode,
                         const ph_model *model, const ph_task *task);
/* Whether there are errors to show: it was run again, and not stopped while all was equal. */
bool verify_measured(const struct verify_result *r);
/* Largest errors as they are shown: NaN where one is not known, or is no number. */
void verify_errors(const double *max, double *out);
/* What is furthest beyond the tolerance; PH_MEASURE_COUNT: nothing. */
ph_measure verify_worst(const struct verify *v, const struct verify_result *r);
/* Without the episode's id in front: it stands before what is found. */
void verify_say(struct verify_result *r, int64_t step, const char *text);
void verify_note(struct verify_result *r, const char *text);

/* For people (verify_table.c), and for programs (verify_json.c). */
void verify_print(struct verify *v, const struct verify_result *r);
void verify_print_end(const struct verify *v);
void verify_add(struct verify *v, const struct verify_result *r);

#endif
