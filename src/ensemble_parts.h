/* What the files of an ensemble share.
 *   ensemble.c       life, names and facts   ensemble_open.c   envs of a store
 *   ensemble_place.c alignment, lockstep     ensemble_seek.c   what each env shows
 *   ensemble_pass.c  the pass behind         ensemble_lane.c   what is known, as a lane
 *
 * A member is an env. What one thread shows of it at a time (rows, cursor, frame) stands beside
 * what the pass finds, which is under the member's lock. */
#ifndef PLAYHEAD_ENSEMBLE_PARTS_H
#define PLAYHEAD_ENSEMBLE_PARTS_H

#include <playhead/ensemble.h>

#include <pthread.h>
#include <stdatomic.h>

#include "analysis_parts.h"
#include "crew.h"

enum { PH_ENSEMBLE_BINS = 2048 }; /* of a lane that is kept */

typedef struct ph_member {
  ph_ensemble_env env;
  const ph_episode *episode; /* borrowed from the ensemble or its caller; NULL */
  ph_model *model;           /* referenced; NULL */
  ph_task *task;             /* likewise */
  int64_t span;              /* states of its rerun: whatever the alignment, it goes so far */

  /* lockstep */
  double rate;
  int64_t offset; /* of its steps to a common axis; to the lead: less the lead's */
  bool by_step;
  char note[120];

  /* seeks */
  ph_ensemble_frame frame;
  ph_rows_ahead rows;
  bool has_rows;
  uint8_t predicate;
  ph_cursor *cursor; /* NULL: not yet */

  pthread_mutex_t making; /* the rerun is made by one */
  pthread_mutex_t lock;   /* for all below */
  ph_rerun *run;          /* NULL: not yet, or: */
  ph_status failed;       /* it cannot be made */
  char why[300];
  ph_analysis *analysis;     /* while it is measured */
  ph_ensemble_result result; /* what is known without that; the recorded latch is constant */
  float *bin;                /* (bins) after that; NULL */
  int64_t bins;
} ph_member;

struct ph_ensemble {
  ph_ensemble_options opt; /* task and success are nobody's: */
  size_t n;
  ph_member *member;
  ph_episode **owned; /* episodes; NULL: the caller's */
  size_t nowned;
  int64_t playhead;

  /* seeks */
  ph_crew *crew;
  pthread_mutex_t asking; /* for cancel */
  bool (*cancel)(void *arg);
  void *arg;
  int substep;
  bool dynamic;
  atomic_bool stopped, no_memory;

  /* the pass */
  pthread_t *threads;
  int nthreads;
  size_t *order;
  atomic_size_t next;
  atomic_bool canceled;
  pthread_mutex_t lock; /* for all below */
  pthread_cond_t done;
  int alive;
  bool begun;
};

/* Threads that there is work for. */
int ph_ensemble_jobs(const ph_ensemble *e);

/* A text without the env's id in front: who shows it says whose it is. */
const char *ph_member_text(const ph_member *m, const char *text);
/* What is not known of an env yet. */
void ph_ensemble_result_none(ph_ensemble_result *r);
/* The member's rerun, made by whoever asks first; a reference for the caller. PH_ENOTFOUND: it
 * cannot be run again, env.refused or why says it. Else errors of ph_rerun_create. Thread safe. */
ph_status ph_member_run(ph_rerun **out, ph_ensemble *e, ph_member *m);

/* Finds the recorded latch of each; nothing else runs yet. */
void ph_ensemble_recorded_latches(ph_ensemble *e);

/* Step of a member at a playhead, with states on and on. */
int64_t ph_member_wanted(const ph_ensemble *e, const ph_member *m, int64_t playhead);

/* Keeps the lane of an analysis that has ended. PH_ENOMEM. The lock is held. */
ph_status ph_member_keep_lane(ph_member *m, const ph_analysis *a);

#endif
