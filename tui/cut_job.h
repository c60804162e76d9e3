/* A cut on its way into a new file, on a thread of its own: whoever asked for it looks at how far
 * it is, and never waits but in cut_job_free. */
#ifndef TUI_CUT_JOB_H
#define TUI_CUT_JOB_H

#include <playhead/cut.h>

#include "held.h"

struct cut_job;

struct cut_order {
  char out[HELD_PATH], source[HELD_PATH];
  ph_cut_episode *plan; /* taken: freed with the job, and where there is none */
  size_t n;
  double hold_seconds;
  const char *method;
  char *fingerprint; /* taken likewise; NULL */
  const char *judge; /* who judged in place of the file; NULL: nobody */
  ph_task *task;     /* taken: what the plan's episodes latch by; NULL */
};

/* NULL: out of memory, or of threads. */
struct cut_job *cut_job_start(const struct cut_order *order);
void cut_job_cancel(struct cut_job *j); /* soon; nothing is left of the output */
void cut_job_free(struct cut_job *j);   /* Nullable; cancels, and waits */
void cut_job_wait(const struct cut_job *j);

/* Nothing of it will change any more. */
bool cut_job_ended(const struct cut_job *j);
/* Whether the output is there. */
bool cut_job_done(const struct cut_job *j);
/* "cutting OUT: 3/8", "6 of 8 episodes are in OUT ...", "not cut: ...". */
void cut_job_text(const struct cut_job *j, char *out, size_t size);

#endif
