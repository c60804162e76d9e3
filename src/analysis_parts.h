/* An analysis pass in parts: its life (analysis.c), the work of its threads (analysis_pass.c), what
 * is known of each step, packed (analysis_store.c), sums (analysis_sum.c), recorded rows
 * (analysis_rows.c).
 *
 * What is known of a step is written in place by the one thread that found it, then its byte of
 * bits is published; a reader looks at the byte first. Errors are kept where there are any: steps
 * with equal bits cost a byte. */
#ifndef PLAYHEAD_ANALYSIS_PARTS_H
#define PLAYHEAD_ANALYSIS_PARTS_H

#include <playhead/analysis.h>

#include <pthread.h>
#include <stdatomic.h>

#include "divergence_parts.h"

enum { PH_FACTS_BLOCK = 32 }; /* steps: room for errors comes in these, one thread fills one */

typedef struct ph_fact_errors {
  float max[PH_MEASURE_COUNT];
  int16_t worst[PH_MEASURE_COUNT];
} ph_fact_errors;

/* One kind of divergence over the steps. */
typedef struct ph_facts {
  _Atomic uint8_t *bits;            /* (states) */
  _Atomic(ph_fact_errors *) *block; /* NULL: no error in it */
  _Atomic float *ratio;             /* (blocks) largest of what is known in it; NaN: nothing is */
  int64_t states, blocks;
  ph_tolerance tolerance;
  bool bodies;
} ph_facts;

/* What else the dynamic run came to at each step. */
typedef struct ph_run_facts {
  _Atomic uint8_t *bits; /* (states) */
  uint8_t *flags;
  uint16_t *contacts;
  double *reward;
} ph_run_facts;

ph_status ph_facts_make(ph_facts *facts, int64_t states, const ph_analysis_options *opt);
void ph_facts_clear(ph_facts *facts);
/* Once for a step. PH_ENOMEM. */
ph_status ph_facts_put(ph_facts *facts, int64_t step, const ph_difference *d);
/* Whether it is known that a step's bits are equal, all that are stored. */
bool ph_facts_bitwise(const ph_facts *facts, int64_t step);
ph_status ph_run_facts_make(ph_run_facts *facts, int64_t states);
void ph_run_facts_clear(ph_run_facts *facts);
/* whole: a single step from the recorded state would begin with these very bits, if those that are
 * stored are equal. */
void ph_run_facts_put(ph_run_facts *facts, int64_t step, const ph_instant *now, size_t contacts,
                      bool changed, bool whole);
bool ph_run_facts_whole(const ph_run_facts *facts, int64_t step);

/* --- sums --- */

typedef struct ph_joint_worst {
  double rad, m; /* NaN: none of it, or a number that is none */
  int64_t rad_step, m_step;
  double rad_s, m_s; /* likewise of its velocity */
  int64_t rad_s_step, m_s_step;
} ph_joint_worst;

/* One kind of divergence over some steps. */
typedef struct ph_tally {
  ph_class cls;
  int64_t first[PH_CLASS_COUNT], count[PH_CLASS_COUNT];
  double max[PH_MEASURE_COUNT];
  int64_t max_step[PH_MEASURE_COUNT];
  int worst[PH_MEASURE_COUNT];
  int64_t ctrl_unequal, ctrl_first;
  ph_joint_worst *joint; /* (njoint) owned */
  size_t njoint;
} ph_tally;

ph_status ph_tally_make(ph_tally *tally, const ph_model *model, bool bodies);
void ph_tally_clear(ph_tally *tally); /* frees */
void ph_tally_empty(ph_tally *tally,
                    const ph_tally *new); /* as `new`, which nothing was added to */
void ph_tally_add(ph_tally *tally, int64_t step, const ph_difference *d,
                  const ph_joint_error *joints);
/* Order does not matter: the earlier of two equal ones stays. */
void ph_tally_merge(ph_tally *tally, const ph_tally *other);

/* --- recorded rows, ahead --- */

typedef struct ph_rows_ahead {
  const ph_episode *episode;
  int64_t states, first, n;
  void *column[PH_COL_COUNT]; /* PH_FACTS_BLOCK rows; NULL: not compared */
  size_t size[PH_COL_COUNT];  /* of a row */
  int64_t rows[PH_COL_COUNT];
} ph_rows_ahead;

ph_status ph_rows_ahead_make(ph_rows_ahead *ahead, const ph_episode *episode);
void ph_rows_ahead_clear(ph_rows_ahead *ahead);
/* The recorded row of a step, borrowed until the next call. Errors of ph_episode_read. */
ph_status ph_rows_ahead_get(ph_rows_ahead *ahead, int64_t step, ph_row *row);

/* --- the pass --- */

/* Steps that could not be compared. */
typedef struct ph_unread {
  int64_t n, first;
  char text[160];
} ph_unread;

struct ph_analysis {
  ph_rerun *run; /* referenced */
  ph_analysis_options opt;
  int64_t states;
  int64_t end;       /* of the free run: as far as there are states and actions */
  int64_t last_step; /* of single steps: transitions 1 .. last_step are tried */
  ph_facts freely, single;
  ph_run_facts ran;
  ph_tally fresh; /* empty */
  atomic_bool cancel;
  atomic_llong free_run, one_step; /* as in the progress */
  atomic_llong next;               /* block of single steps */

  pthread_mutex_t lock; /* for all below */
  pthread_cond_t done;
  int alive; /* threads */
  bool cut;  /* canceled with work left */
  ph_status failed, stop;
  char text[300];
  int64_t stopped;
  ph_unread unread_state, unread_step;
  ph_tally freely_sum, single_sum;
  bool judged;
  int64_t latch, longest, longest_step, end_step;
  double reward;
  ph_end end_of;
  char end_detail[200];

  pthread_t *threads;
  int nthreads;
};

/* What a thread does; the first one runs freely. */
void ph_analysis_work(ph_analysis *a, bool first);

#endif
