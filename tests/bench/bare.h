/* The floor of physics run again: what was recorded, by the engine alone. */
#ifndef PLAYHEAD_TESTS_BENCH_BARE_H
#define PLAYHEAD_TESTS_BENCH_BARE_H

#include "thing.h"

enum { THREADS_MAX = 64 };

/* A simulation that goes through recorded transitions by mj_step and a pure forward alone. */
struct bare {
  const struct thing *thing;
  ph_sim *sim;
  int64_t first, n; /* transitions */
};
void bare_open(struct bare *b, const struct thing *thing);
void bare_close(struct bare *b);
/* n threads share the steps out, each with a bare of its own. [s] on the clock of the wall. */
double bare_threads(struct bare *bare, int n);
/* Processor time of the whole of it in a thread of its own. */
double bare_cpu(struct bare *bare);
/* Cores to be had, THREADS_MAX at most. */
int bench_cores(void);

#endif
