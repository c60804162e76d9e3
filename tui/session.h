/* The engine behind the screen, synchronous: opens paths, serves requests. Used by the worker
 * thread, by `screen`, and by tests. Belongs to one thread. */
#ifndef TUI_SESSION_H
#define TUI_SESSION_H

#include "snapshot.h"

struct session;

struct session_options {
  const char *const *paths;
  size_t npaths;
  ph_store_options store; /* what it points to is the caller's, until session_free */
  const char *task_path;  /* Nullable: judge by this task instead of the recorded one */
  const char *success;    /* Nullable: an expression, instead of the task's success */
  const char *predicate;  /* Nullable: a command that judges, instead of both */
  const char *group;      /* Nullable: begin with the episodes of this group alone */
  /* A live env of the one path, a task, instead of files: a preview. */
  bool live;
  double hold;           /* in force; negative: the task's */
  const char *policy;    /* Nullable: a command that chooses actions, instead of the task's */
  double policy_timeout; /* [s] */
  const char *model;
};

ph_status session_open(struct session **out, const struct session_options *opt);
void session_free(struct session *s); /* Nullable */
/* Serves one request; *out is the caller's. Engine errors are in snapshot.error; a status other
 * than PH_OK means that there is no snapshot at all. */
ph_status session_serve(struct session *s, const struct request *req, struct snapshot **out);

/* One small piece of what can wait: plots that the last request wants, then the lengths of episodes
 * that were not looked at yet; where a run is followed, a look for new episodes now and then.
 * `interrupted` (nullable) is asked now and then: the piece ends early
 * when a request waits. *out gets a new answer to the last request when there is news, at a bounded
 * rate, else NULL. False: nothing is left to do. */
bool session_work(struct session *s, bool (*interrupted)(void *arg), void *arg,
                  struct snapshot **out);
/* After how many ms session_work has something to do again where nothing was left; UINT64_MAX: not
 * before the next request. */
uint64_t session_wait(const struct session *s);
/* All of it at once, but for looks beyond `looks`; *out is NULL if nothing was to be done. */
ph_status session_settle(struct session *s, size_t looks, struct snapshot **out);
/* A snapshot with the catalog alone, before anything is opened; NULL: out of memory. */
struct snapshot *session_first(const struct session *s);
/* The group's first episode; SIZE_MAX: there is none of that name, or it is empty. */
size_t session_group_first(const struct session *s, const char *name);
/* The first of the paths that is no run, to which nothing is ever added; NULL: all are runs. */
const char *session_no_run(const struct session *s);
size_t session_count(const struct session *s);
size_t session_find(const struct session *s, const char *id); /* SIZE_MAX: none */

#endif
