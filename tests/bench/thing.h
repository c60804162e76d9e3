/* What the benchmarks of physics run: a humanoid and an arm, each recorded by its task with its
 * policy, 10 substeps a step. */
#ifndef PLAYHEAD_TESTS_BENCH_THING_H
#define PLAYHEAD_TESTS_BENCH_THING_H

#include "bench.h"

enum { THINGS = 2 };
extern const char *const thing_names[THINGS];
extern int thing_substeps; /* of a step, in place of the task's; 0 */

struct thing {
  const char *name;
  ph_task *task;
  ph_model *model;
  ph_store *store; /* from here on: NULL before thing_record */
  ph_episode *episode;
  const ph_episode_meta *meta;
  double *ctrl;      /* (states x nu) in force */
  double *state;     /* (states x (1+nq+nv+na)) */
  double *warmstart; /* (states x nv) */
};

/* Task and model; nothing ends its episodes before `steps`. root: of the sources. */
void thing_open(struct thing *thing, int which, const char *root, long steps);
/* Records one episode into dir; unverified as of ph_recorder_options, nullable. */
void thing_write(const struct thing *thing, const char *dir, long steps,
                 void (*unverified)(void *user, const char *line));
/* The same, opened. */
void thing_record(struct thing *thing, const char *dir, long steps);
void thing_close(struct thing *thing);
/* All rows of a column of doubles; the caller's. */
double *thing_column(const struct thing *thing, ph_column col);

#endif
