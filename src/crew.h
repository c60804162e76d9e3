/* Threads that do numbered pieces of work together with the one that calls, again and again. */
#ifndef PLAYHEAD_CREW_H
#define PLAYHEAD_CREW_H

#include <playhead/status.h>

typedef struct ph_crew ph_crew;

/* `threads` from 1, the caller's among them; fewer where the system has no more. PH_ENOMEM. */
ph_status ph_crew_new(ph_crew **out, int threads);
void ph_crew_free(ph_crew *crew); /* Nullable */

/* Calls work(arg, i) for each i below n, once, from any of the threads, and returns when all have
 * returned. One at a time. */
void ph_crew_run(ph_crew *crew, void (*work)(void *arg, int i), void *arg, int n);

#endif
