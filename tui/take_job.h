/* Outcomes of one episode, taken on a thread of its own: whoever asked for them looks at how far it
 * is, and never waits but in take_free. */
#ifndef TUI_TAKE_JOB_H
#define TUI_TAKE_JOB_H

#include <playhead/outcomes.h>

struct take_job;

struct take_wish {
  const ph_episode *episode; /* borrowed until take_free */
  ph_model *model;           /* referenced; NULL */
  ph_task *task;             /* likewise */
  ph_judge *judge;           /* Nullable: the thread's alone until take_free */
  ph_latch_source source;
};

/* NULL: out of memory, or of threads. */
struct take_job *take_start(const struct take_wish *wish);
void take_free(struct take_job *t);       /* Nullable; cancels, and waits for a step of it */
void take_wait(const struct take_job *t); /* until it has ended */

bool take_ended(const struct take_job *t);
/* States of the episode that were judged. */
int64_t take_at(const struct take_job *t);
/* What has ended came to, once: *out is the caller's, also where nothing is known. PH_ENOMEM. */
ph_status take_result(struct take_job *t, ph_outcomes *out);

#endif
