/* Episodes on threads, their results given back in order: the calling thread prints and counts. */
#ifndef CLI_EACH_H
#define CLI_EACH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct each {
  const char *verb;
  int jobs;
  void *arg;
  /* Called by several threads: what the place of a store comes to. NULL: no memory. */
  void *(*make)(void *arg, size_t place);
  /* On the calling thread, in order, until it returns another status than EXIT_FINE. */
  int (*take)(void *arg, void *result);
  void (*drop)(void *result); /* frees one, whether it was taken or not */

  atomic_bool stop;
  atomic_llong step, states; /* where one of the threads is */
};

/* As many threads as the machine has cores. */
int each_cores(void);
/* Sets how many threads there are for n episodes, of `jobs` (0: each core has one). Returns how
 * many each of them may have of its own, where there are fewer episodes than jobs. */
int each_share(struct each *e, int jobs, size_t n);
/* Makes and takes results of n places. An exit status; a line is said. */
int each_run(struct each *e, const size_t *places, size_t n);
/* For the progress of what a thread does; arg is a struct each. */
bool each_progress(void *arg, int64_t step, int64_t states);

#endif
