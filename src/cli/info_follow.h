/* info --follow: goes on when all is said, and shows each episode that a recorder adds. */
#ifndef CLI_INFO_FOLLOW_H
#define CLI_INFO_FOLLOW_H

#include <signal.h>

#include "cli.h"

struct follow {
  const struct options *opt;
  ph_store *store;
  /* Prints the i-th episode, on one line; false: the output is gone. */
  bool (*show)(void *arg, size_t i);
  void *arg;
};

/* EXIT_FINE: every path is a run. Another one is a line on stderr. */
int follow_check(const struct follow *follow);
/* Until no recorder has a run open, or a signal says that it is enough. Goes to sleep between two
 * episodes: the system wakes it, or half a second is over. */
int follow_run(const struct follow *follow);

#endif
