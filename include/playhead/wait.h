/* Waiting for the child that tries a file or a model first (see playhead.h), or for a command that
 * judges or chooses (<playhead/judge.h>, <playhead/policy.h>): who waits may show that, and may
 * stop it. */
#ifndef PLAYHEAD_WAIT_H
#define PLAYHEAD_WAIT_H

#include <stdbool.h>

#include <playhead/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_wait {
  const char *where; /* the file or model, as messages name it, escaped; borrowed during the call */
  bool model;        /* a model is collected and compiled; else a file is opened and read */
  double seconds;    /* so far */
  int limit;         /* [s] after which there is no more waiting */
  bool command;      /* a command was asked: `where` is the command; else as model says */
} ph_wait;

/* Called in the thread that waits, every 50 ms. true: the child is ended, and the call that waits
 * gives PH_ECANCELED. Nothing of that is remembered: the next call tries the same anew. It must not
 * call this library. */
typedef bool ph_wait_fn(void *arg, const ph_wait *wait);

/* From now on fn is called with arg while the calling thread waits; other threads have their own.
 * fn is nullable: nobody watches. */
PH_API void ph_wait_watch(ph_wait_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
