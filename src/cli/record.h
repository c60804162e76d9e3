/* The verb `record` in parts: the run (record.c), its folder, what is told of it. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <pthread.h>
#include <time.h>

#include "report.h"

enum { RECORD_RATES = 16 };

/* The main thread waits and tells; another one runs the pool, whose threads call record_ended and
 * record_warn. What they share is under the lock. */
struct record {
  const struct options *opt;
  ph_task *task;
  ph_model *model;
  ph_policy *policy; /* NULL: the task's */
  ph_pool *pool;
  ph_recorder *recorder;
  char path[4096];

  pthread_mutex_t lock;
  pthread_cond_t news;
  json_t *episodes;
  json_t *errors, *notices; /* faults; what else there is to say */
  json_t *lines;            /* both, in their order */
  json_t *unwritten;        /* episodes that the recorder tries again */
  size_t told;              /* lines that are on stderr */
  int64_t unsuccessful;
  int status; /* of the run so far */
  bool ended; /* nothing moves any more */

  /* steps at the last ticks, for their rate */
  struct record_rate {
    double at;
    int64_t steps;
  } rates[RECORD_RATES];
  size_t ticks;
};

/* --- the folder --- */

/* The folder of the run into r->path; what may be in it is for ph_recorder_open to say. Where there
 * is none, a line on stderr. */
int record_folder(struct record *r, const char *run_id);
/* The path as one word of a shell. */
void record_print_word(FILE *out, const char *path);

/* --- what is told --- */

/* A line for stderr and errors[], from any thread; the status is that of the run unless a worse one
 * is known. */
void record_report(struct record *r, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, unless the line is told of already. */
void record_error(struct record *r, int status, const char *line);
void record_ended(void *user, const ph_pool_episode *episode); /* for the pool */
void record_warn(void *user, const char *line);                /* for the recorder */
void record_unverified(void *user, const char *line);          /* likewise, with --verify */
void record_notice(void *user, const char *line);              /* the same, of good news */
/* Tells what there is to tell and shows progress until `ended`; the main thread. */
void record_watch(struct record *r);
void record_tell(struct record *r); /* what has not been told yet */
/* The last lines, or the JSON object; the status. */
int record_print(struct record *r, const char *run_id, const ph_tally *tally);

#endif
