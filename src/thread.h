/* Threads of the library's own. */
#ifndef PLAYHEAD_THREAD_H
#define PLAYHEAD_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Signals are for the host's own threads: this one takes none but those that it raises itself.
 * False: the system has no thread for it. */
bool ph_thread_start(pthread_t *out, void *(*work)(void *arg), void *arg);

/* Cores that this process may use, from 1. */
int ph_thread_cores(void);

#endif
