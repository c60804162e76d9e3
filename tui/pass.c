#include "pass.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 256, SHARE = 8 }; /* findings take no more than one part in so many of the time */

enum state { MAKING, RUNNING, ENDED };

struct pass {
  pthread_t thread;
  atomic_bool cancel;
  atomic_int state;
  atomic_ullong news;
  struct pass_wish wish; /* copied; the thread's */
  double *override;
  ph_change *changes;
  ph_row from;
  void *from_column[PH_COL_COUNT];

  /* of the thread until `state` says that it is there */
  ph_rerun *run;
  ph_analysis *analysis;
  char refused[400];
  bool diagnosed;
  ph_diagnosis diagnosis;

  /* by step, written once each; those below `judged` are there */
  bool judges;
  ph_hold hold; /* after the anchor, and from there on */
  int64_t first;
  uint8_t *predicate;
  int32_t *count;
  atomic_llong judged;

  uint64_t found_at, found_cost; /* us */
  atomic_llong held;             /* the hold that is wanted; -1 */
  pthread_t finder;              /* after the thread: what is found by another hold */
  bool has_finder;               /* ... which is to be joined */
  pthread_mutex_t lock;          /* for: */
  bool refinding;                /* the finder is not done */
  int64_t found_held;            /* the hold that this was found by: */
  size_t nfindings;
  ph_finding finding[PASS_FINDINGS];
  bool breaks;
  ph_broke broke;
};

static uint64_t micros(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static bool asked_to_end(void *arg) {
  struct pass *p = arg;
  return atomic_load(&p->cancel);
}

static void tell(struct pass *p) {
  atomic_fetch_add(&p->news, 1);
}

/* --- what is copied of the wish --- */

/* As long as the model and the recorded rows say. */
static bool copy_from(struct pass *p, const ph_row *from, const ph_dims *dims) {
  for (int i = 0; i < PH_COL_COUNT; i++) {
    ph_column col = (ph_column)i;
    const void *data = ph_row_column(from, col);
    size_t size = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
    if (!data || size == 0)
      continue;
    p->from_column[i] = malloc(size);
    if (!p->from_column[i])
      return false;
    memcpy(p->from_column[i], data, size);
    ph_row_set_column(&p->from, col, p->from_column[i]);
  }
  return true;
}

static bool copy_options(struct pass *p) {
  ph_rerun_options *opt = &p->wish.run;
  const ph_episode_meta *meta = ph_episode_meta_of(p->wish.episode);
  ph_dims dims = p->wish.model ? *ph_model_dims(p->wish.model) : meta->dims;
  size_t n = (size_t)(meta->dims.action_dim > 0 ? meta->dims.action_dim : 0);
  dims.action_state = meta->dims.action_state;
  if (opt->override) {
    p->override = malloc((n + 1) * sizeof *p->override);
    if (!p->override)
      return false;
    memcpy(p->override, opt->override, n * sizeof *p->override);
    opt->override = p->override;
  }
  if (opt->nchanges) {
    p->changes = malloc(opt->nchanges * sizeof *p->changes);
    if (!p->changes)
      return false;
    memcpy(p->changes, opt->changes, opt->nchanges * sizeof *p->changes);
    opt->changes = p->changes;
  }
  if (opt->from && !copy_from(p, opt->from, &dims))
    return false;
  opt->from = opt->from ? &p->from : NULL;
  return true;
}

/* --- the thread --- */

static void refuse(struct pass *p, ph_status status) {
  snprintf(p->refused, sizeof p->refused, "%s",
           status == PH_ENOMEM ? ph_status_message(status) : ph_error());
}

/* What is judged where it starts: from there on the hold is counted. */
static ph_status look_at_anchor(struct pass *p) {
  ph_cursor *cursor = NULL;
  ph_status status = ph_cursor_open(&cursor, p->run);
  if (status != PH_OK)
    return status;
  const ph_instant *now = ph_cursor_now(cursor);
  p->judges = now->judged && now->row.predicate;
  p->hold = now->hold;
  p->first = now->step;
  bool predicate = now->predicate;
  ph_cursor_close(cursor);
  atomic_store(&p->judged, p->first);
  if (!p->judges)
    return PH_OK;
  size_t n = (size_t)ph_rerun_states(p->run) + 1;
  p->predicate = calloc(n, sizeof *p->predicate);
  p->count = calloc(n, sizeof *p->count);
  if (!p->predicate || !p->count)
    return PH_ENOMEM;
  p->predicate[p->first] = predicate;
  p->count[p->first] = (int32_t)p->hold.count;
  atomic_store(&p->judged, p->first + 1);
  return PH_OK;
}

/* False: the next step is not known yet, or nothing judged it. */
static bool judge_one(struct pass *p, int64_t step, const ph_step_facts *facts) {
  if (!facts->judged)
    return false;
  ph_hold_update(&p->hold, step, facts->predicate);
  p->predicate[step] = facts->predicate;
  p->count[step] = p->hold.count < INT32_MAX ? (int32_t)p->hold.count : INT32_MAX;
  atomic_store_explicit(&p->judged, step + 1, memory_order_release);
  return true;
}

static void judge(struct pass *p) {
  ph_step_facts facts[CHUNK];
  ph_analysis_progress now;
  int64_t at = atomic_load_explicit(&p->judged, memory_order_relaxed);
  if (!p->judges)
    return;
  ph_analysis_look(p->analysis, &now);
  while (at < now.free_run) {
    int64_t n = now.free_run - at < CHUNK ? now.free_run - at : CHUNK;
    if (ph_analysis_read(p->analysis, at, n, facts) != PH_OK)
      return;
    for (int64_t i = 0; i < n; i++, at++)
      if (!judge_one(p, at, &facts[i]))
        return;
  }
}

static void find(struct pass *p) {
  ph_finding found[PASS_FINDINGS];
  uint64_t before = micros();
  int64_t held = atomic_load(&p->held);
  size_t n = ph_analysis_findings_held(p->analysis, p->diagnosed ? &p->diagnosis : NULL, held,
                                       found, PASS_FINDINGS);
  n = n < PASS_FINDINGS ? n : PASS_FINDINGS;
  ph_broke broke;
  bool breaks = ph_analysis_broke(p->analysis, held, &broke);
  pthread_mutex_lock(&p->lock);
  memcpy(p->finding, found, n * sizeof *found);
  p->nfindings = n;
  p->breaks = breaks;
  p->broke = broke;
  p->found_held = held;
  pthread_mutex_unlock(&p->lock);
  p->found_at = micros();
  p->found_cost = p->found_at - before;
}

static bool watch(void *arg) {
  struct pass *p = arg;
  if (asked_to_end(p))
    return false;
  judge(p);
  if (!p->wish.branch && micros() - p->found_at >= SHARE * p->found_cost)
    find(p);
  tell(p);
  return true;
}

static ph_status make(struct pass *p) {
  const ph_analysis_options how = {.jobs = p->wish.branch ? 1 : 0,
                                   .tolerance = p->wish.tolerance,
                                   .no_one_step = p->wish.branch};
  ph_status status =
      ph_rerun_create(&p->run, p->wish.episode, p->wish.model, p->wish.task, &p->wish.run);
  if (status != PH_OK) {
    p->run = NULL;
    refuse(p, status);
    return status;
  }
  status = look_at_anchor(p);
  if (status == PH_OK)
    status = ph_analysis_start(&p->analysis, p->run, &how);
  if (status != PH_OK) {
    p->analysis = NULL;
    refuse(p, status);
  }
  return status;
}

static void *work(void *arg) {
  struct pass *p = arg;
  ph_status status = make(p);
  if (status == PH_OK) {
    atomic_store_explicit(&p->state, RUNNING, memory_order_release);
    tell(p);
    ph_analysis_wait(p->analysis, watch, p);
    judge(p);
    if (!p->wish.branch)
      find(p);
    tell(p);
  }
  if (status == PH_OK && !p->wish.branch && !asked_to_end(p)) {
    p->diagnosed = ph_diagnose(&p->diagnosis, p->analysis, asked_to_end, p) == PH_OK;
    if (p->diagnosed)
      find(p);
  }
  atomic_store_explicit(&p->state, ENDED, memory_order_release);
  tell(p);
  return NULL;
}

/* --- another hold --- */

static void *find_again(void *arg) {
  struct pass *p = arg;
  bool more = true;
  while (more) {
    find(p);
    pthread_mutex_lock(&p->lock);
    more = p->found_held != atomic_load(&p->held) && !asked_to_end(p);
    p->refinding = more;
    pthread_mutex_unlock(&p->lock);
  }
  tell(p);
  return NULL;
}

static bool is_finding(struct pass *p) {
  pthread_mutex_lock(&p->lock);
  bool finding = p->refinding;
  pthread_mutex_unlock(&p->lock);
  return finding;
}

void pass_hold(struct pass *p, int64_t steps) {
  atomic_store(&p->held, steps < 0 ? -1 : steps);
  pthread_mutex_lock(&p->lock);
  bool begin = pass_run(p) && pass_analysis(p) && !p->wish.branch && !p->refinding &&
               p->found_held != atomic_load(&p->held) &&
               atomic_load_explicit(&p->state, memory_order_acquire) == ENDED;
  p->refinding = p->refinding || begin;
  pthread_mutex_unlock(&p->lock);
  if (!begin)
    return;
  if (p->has_finder)
    pthread_join(p->finder, NULL);
  p->has_finder = pass_thread(&p->finder, find_again, p);
  if (p->has_finder)
    return;
  pthread_mutex_lock(&p->lock);
  p->refinding = false; /* another time */
  pthread_mutex_unlock(&p->lock);
}

/* --- life --- */

static void clear(struct pass *p) {
  ph_analysis_free(p->analysis);
  ph_rerun_unref(p->run);
  ph_task_unref(p->wish.task);
  ph_model_unref(p->wish.model);
  for (int i = 0; i < PH_COL_COUNT; i++)
    free(p->from_column[i]);
  free(p->override);
  free(p->changes);
  free(p->predicate);
  free(p->count);
  pthread_mutex_destroy(&p->lock);
  free(p);
}

/* Signals are the loop's business, but a fault belongs to the thread that made it. */
bool pass_thread(pthread_t *out, void *(*fn)(void *arg), void *arg) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int failed = pthread_create(out, NULL, fn, arg);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !failed;
}

struct pass *pass_start(const struct pass_wish *wish) {
  struct pass *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->wish = *wish;
  p->wish.model = wish->model ? ph_model_ref(wish->model) : NULL;
  p->wish.task = wish->task ? ph_task_ref(wish->task) : NULL;
  pthread_mutex_init(&p->lock, NULL);
  atomic_init(&p->cancel, false);
  atomic_init(&p->state, MAKING);
  atomic_init(&p->news, 1);
  atomic_init(&p->judged, 0);
  atomic_init(&p->held, -1);
  p->found_held = -1;
  if (copy_options(p) && pass_thread(&p->thread, work, p))
    return p;
  clear(p);
  return NULL;
}

static int state_of(const struct pass *p) {
  return atomic_load_explicit(&((struct pass *)p)->state, memory_order_acquire);
}

void pass_cancel(struct pass *p) {
  atomic_store(&p->cancel, true);
  if (state_of(p) == RUNNING)
    ph_analysis_cancel(p->analysis);
}

void pass_free(struct pass *p) {
  if (!p)
    return;
  pass_cancel(p);
  pthread_join(p->thread, NULL);
  if (p->has_finder)
    pthread_join(p->finder, NULL);
  clear(p);
}

void pass_wait(const struct pass *p) {
  const struct timespec nap = {0, 1000000};
  while (!pass_ended(p))
    nanosleep(&nap, NULL);
}

/* --- looking --- */

bool pass_ended(const struct pass *p) {
  return state_of(p) == ENDED && !is_finding((struct pass *)p);
}

uint64_t pass_news(const struct pass *p) {
  return atomic_load(&((struct pass *)p)->news);
}

ph_rerun *pass_run(const struct pass *p) {
  return state_of(p) == MAKING ? NULL : p->run;
}

const char *pass_refused(const struct pass *p) {
  return state_of(p) == ENDED && p->refused[0] ? p->refused : NULL;
}

const ph_analysis *pass_analysis(const struct pass *p) {
  return state_of(p) == MAKING ? NULL : p->analysis;
}

bool pass_diagnosis(const struct pass *p, ph_diagnosis *out) {
  if (state_of(p) != ENDED || !p->diagnosed)
    return false;
  *out = p->diagnosis;
  return true;
}

void pass_judged(const struct pass *p, struct pass_judged *out) {
  *out = (struct pass_judged){0};
  if (state_of(p) == MAKING || !p->judges || !p->predicate || !p->count)
    return;
  out->on = true;
  out->hold_steps = p->hold.steps;
  out->first = p->first;
  out->end = atomic_load_explicit(&((struct pass *)p)->judged, memory_order_acquire);
  out->predicate = p->predicate;
  out->hold = p->count;
}

size_t pass_findings(const struct pass *p, ph_finding *out) {
  struct pass *mine = (struct pass *)p; /* the lock alone */
  pthread_mutex_lock(&mine->lock);
  size_t n = p->nfindings;
  memcpy(out, p->finding, n * sizeof *out);
  pthread_mutex_unlock(&mine->lock);
  return n;
}

bool pass_broke(const struct pass *p, ph_broke *out) {
  struct pass *mine = (struct pass *)p; /* the lock alone */
  pthread_mutex_lock(&mine->lock);
  bool breaks = p->breaks;
  *out = p->broke;
  pthread_mutex_unlock(&mine->lock);
  return breaks;
}
