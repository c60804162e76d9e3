/* One rerun in the background, on a thread of its own: it is made, gone through once, and then the
 * difference is explained. Whoever started it looks at how far it is, and never waits for it but in
 * pass_free and pass_wait. Apart from pass_start everything may be called at any time, by the one
 * thread that started it. */
#ifndef TUI_PASS_H
#define TUI_PASS_H

#include <pthread.h>

#include "dynamic.h"

#define PASS_FINDINGS 64 /* kept, the worst ones */

struct pass;

struct pass_wish {
  const ph_episode *episode; /* borrowed until pass_free */
  ph_model *model;           /* referenced; NULL */
  ph_task *task;             /* likewise */
  ph_rerun_options run;      /* all that it points to is copied */
  ph_tolerance tolerance;
  bool branch; /* neither single steps nor a diagnosis, and one thread */
};

/* A thread to work in the background, that takes no signals but its own faults. */
bool pass_thread(pthread_t *out, void *(*fn)(void *arg), void *arg);
/* NULL: out of memory, or of threads. */
struct pass *pass_start(const struct pass_wish *wish);
/* Ends it soon. */
void pass_cancel(struct pass *p);
void pass_free(struct pass *p); /* Nullable; cancels, and waits */
/* Until it has ended. */
void pass_wait(const struct pass *p);

/* Nothing of it will change any more. */
bool pass_ended(const struct pass *p);
/* Rises with whatever there is to see. */
uint64_t pass_news(const struct pass *p);

/* What latches, misses and breaks is told of this hold; negative: of the one in force. Of a pass
 * that has ended that is found anew in the background, and pass_ended is false till then. To be
 * called again whenever it is looked at. */
void pass_hold(struct pass *p, int64_t steps);

/* NULL: it is still being made, or: */
ph_rerun *pass_run(const struct pass *p);
/* Why there is none, in one line; NULL: there is one, or it is being made. */
const char *pass_refused(const struct pass *p);
/* NULL: it has not begun. */
const ph_analysis *pass_analysis(const struct pass *p);
/* False: it is not known, or was not looked for. */
bool pass_diagnosis(const struct pass *p, ph_diagnosis *out);

/* What the task says of the dynamic states so far. */
struct pass_judged {
  bool on;                  /* a task judges */
  int64_t hold_steps;       /* of its hold */
  int64_t first, end;       /* of steps first .. end-1 it is known: */
  const uint8_t *predicate; /* by step */
  const int32_t *hold;      /* count after each step */
};
void pass_judged(const struct pass *p, struct pass_judged *out);
/* Copies at most PASS_FINDINGS, worst first. */
size_t pass_findings(const struct pass *p, ph_finding *out);
/* Where the dynamic hold broke. False: as far as is known it did not, or it latched. */
bool pass_broke(const struct pass *p, ph_broke *out);

#endif
