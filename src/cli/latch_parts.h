/* What the parts of `latch` share: options and the end (latch.c), holds (latch_holds.c), one
 * episode (latch_take.c), and how it is said (latch_table.c, latch_json.c). */
#ifndef CLI_LATCH_PARTS_H
#define CLI_LATCH_PARTS_H

#include <pthread.h>

#include "each.h"
#include "report.h"

/* Which conditions were false at a row; "": not known. */
struct latch_broke {
  int64_t row;
  char text[200];
};

struct latch_result {
  size_t place; /* in the store */
  ph_entry entry;
  int status; /* EXIT_FINE; else it could not be finished, and error says why */
  char error[600];
  char unkept[300]; /* why the answers of the judge are not kept */
  bool unjudged;    /* the judge failed for it: it has no answers */
  bool opened;
  char why[400];        /* why it is not, or "" */
  char refused[2][320]; /* why its model and its task cannot be had, or "" */
  char run_id[64];
  int64_t states, actions;
  ph_hold_recorded recorded;
  double in_force;                  /* [s] its hold */
  bool no_hold;                     /* nothing says one: 0 is taken */
  ph_outcomes of[PH_LATCH_SOURCES]; /* owned */
  ph_latch_source strictest;        /* that it allows, as cut has it; where it is opened */
  char *fingerprint;                /* owned; of the one hold; NULL */
  char edits[65];                   /* what its reset changed in the model; "": nothing */
  struct latch_broke *broke;        /* (nbroke) owned; in order of rows */
  size_t nbroke;
};

/* What one hold came to over all episodes. */
struct latch_count {
  double seconds; /* negative: the one in force */
  int64_t steps;  /* -1: not the same in all episodes; -2: none was looked at */
  double shown;   /* [s] likewise -1, -2 */
  size_t latched[PH_LATCH_SOURCES];
  int64_t least[PH_LATCH_SOURCES], most[PH_LATCH_SOURCES]; /* rows; -1 */
  char refused[400];                                       /* why it is none in an episode, or "" */
};

struct latch {
  const struct options *opt;
  ph_store *store;
  ph_task *task;   /* of --task; NULL: the recorded one */
  ph_judge *judge; /* of --predicate-command; NULL */
  ph_tolerance tolerance;
  bool asked[PH_LATCH_SOURCES];
  bool sweep, intervals;
  struct latch_count *hold; /* (nholds) owned */
  size_t nholds;
  struct each each;
  pthread_mutex_t desk; /* store and judge */

  json_t *episodes; /* NULL without --json */
  bool titled, unkept;
  char said[PH_LATCH_SOURCES][320];  /* why a source is not known, of the episode before */
  size_t checked, without, disagree; /* episodes; without a latch, of sources that disagree */
  size_t unknown_all;                /* of which no source is known */
  size_t apart;                      /* whose recorded predicate is another judge's than --task */
  size_t damaged;                    /* with rows that do not carry their checksum */
  size_t unjudged;                   /* for which the judge failed */
  size_t known[PH_LATCH_SOURCES];
  char unknown[PH_LATCH_SOURCES][320]; /* why a source is not known of the first such episode */
  size_t no_hold;                      /* episodes that say none */
  int64_t most_actions; /* of an episode; and what a step of it lasts, 0: not known */
  double control_dt;
  int wide; /* columns of the longest id */
};

/* --hold into v->hold. An exit status; a line is said. */
int latch_holds(struct latch *v);
/* The i-th hold in steps of an episode. False: it is none there, and why says it. */
bool latch_steps(const struct latch *v, const struct latch_result *r, size_t i, double *seconds,
                 int64_t *steps, char *why, size_t size);
/* The source whose intervals are told of: the first that is known; -1: none. */
int latch_base(const struct latch *v, const struct latch_result *r);

/* One episode; called by several threads. NULL: no memory. */
void *latch_make(void *v, size_t place);
void latch_drop(void *result);
/* What broke the predicate at a row; "" where that is not known. */
const char *latch_why(const struct latch_result *r, int64_t row);

void latch_print(struct latch *v, const struct latch_result *r);
void latch_print_end(const struct latch *v);
void latch_add(struct latch *v, const struct latch_result *r);
/* *root gets what is said of all. An exit status. */
int latch_write(const struct latch *v, json_t *root);

#endif
