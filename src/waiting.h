/* Who watches a thread that waits, asked by those that wait for something else than the probe. */
#ifndef PLAYHEAD_WAITING_H
#define PLAYHEAD_WAITING_H

#include <stdbool.h>

/* Whether whoever watches the calling thread (ph_wait_watch) lets it wait on for a command's
 * answer; seconds so far, of at most `limit`. */
bool ph_wait_command(const char *command, double seconds, int limit);

#endif
