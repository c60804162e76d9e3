#include "analysis_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fail.h"
#include "rerun_parts.h"
#include "thread.h"

enum { THREADS_MAX = 256 };

struct start {
  ph_analysis *a;
  bool first;
};

static void *work(void *arg) {
  struct start start = *(struct start *)arg;
  ph_analysis *a = start.a;
  free(arg);
  ph_analysis_work(a, start.first);
  pthread_mutex_lock(&a->lock);
  if (--a->alive == 0)
    pthread_cond_broadcast(&a->done);
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

/* --- life --- */

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Recorded actions lead no further than to state A: what is held or zero has no end. */
static void set_range(ph_analysis *a) {
  const ph_episode *episode = ph_rerun_episode(a->run);
  bool recorded = a->run->opt.feed == PH_FEED_RECORDED;
  a->states = ph_episode_meta_of(episode)->states;
  int64_t led_to = least(a->states, ph_episode_rows(episode, PH_COL_ACTIONS) + 1);
  a->end = least(recorded ? led_to : a->states, ph_rerun_states(a->run));
  a->last_step = a->opt.no_one_step ? 0 : led_to - 1;
  atomic_init(&a->free_run, ph_rerun_anchor(a->run));
}

static ph_status analysis_fill(ph_analysis *a) {
  const ph_model *model = ph_rerun_model(a->run);
  bool bodies = !a->opt.no_bodies;
  set_range(a);
  ph_status status = ph_facts_make(&a->freely, a->states, &a->opt);
  if (status == PH_OK)
    status = ph_facts_make(&a->single, a->states, &a->opt);
  if (status == PH_OK)
    status = ph_run_facts_make(&a->ran, a->states);
  if (status == PH_OK)
    status = ph_tally_make(&a->fresh, model, bodies);
  if (status == PH_OK)
    status = ph_tally_make(&a->freely_sum, model, bodies);
  if (status == PH_OK)
    status = ph_tally_make(&a->single_sum, model, bodies);
  a->stopped = a->latch = a->longest = a->longest_step = a->end_step = -1;
  a->reward = NAN;
  a->end_of = PH_END_UNKNOWN;
  return status;
}

static bool start_thread(ph_analysis *a, bool first) {
  struct start *start = malloc(sizeof *start);
  if (!start)
    return false;
  *start = (struct start){a, first};
  pthread_mutex_lock(&a->lock);
  bool started = ph_thread_start(&a->threads[a->nthreads], work, start);
  if (started) {
    a->nthreads++;
    a->alive++;
  }
  pthread_mutex_unlock(&a->lock);
  if (!started)
    free(start);
  return started;
}

/* No more than there is work for: the free run, and a block of single steps each. */
static int threads_wanted(const ph_analysis *a) {
  int jobs = a->opt.jobs > 0 ? a->opt.jobs : ph_thread_cores();
  int64_t useful = 1 + (a->last_step > 0 ? a->last_step / PH_FACTS_BLOCK + 1 : 0);
  return (int)least(jobs, least(useful, THREADS_MAX));
}

ph_status ph_analysis_start(ph_analysis **out, ph_rerun *run, const ph_analysis_options *opt) {
  const ph_analysis_options usual = {.tolerance = ph_tolerance_default()};
  const ph_tolerance none = {{0}};
  *out = NULL;
  ph_analysis *a = calloc(1, sizeof *a);
  if (!a)
    return ph_fail(PH_ENOMEM, "analysis: no memory");
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->done, NULL);
  a->run = ph_rerun_ref(run);
  a->opt = opt ? *opt : usual;
  if (memcmp(&a->opt.tolerance, &none, sizeof none) == 0)
    a->opt.tolerance = usual.tolerance;
  ph_status status = analysis_fill(a);
  int jobs = threads_wanted(a);
  if (status == PH_OK) {
    a->threads = calloc((size_t)jobs, sizeof *a->threads);
    if (!a->threads || !start_thread(a, true))
      status = ph_fail(PH_ENOMEM, "analysis: no memory, or no thread to be had");
  }
  while (status == PH_OK && a->nthreads < jobs && start_thread(a, false))
    ;
  if (status == PH_OK)
    *out = a;
  else
    ph_analysis_free(a);
  return status;
}

void ph_analysis_cancel(ph_analysis *a) {
  atomic_store(&a->cancel, true);
}

void ph_analysis_free(ph_analysis *a) {
  if (!a)
    return;
  ph_analysis_cancel(a);
  for (int i = 0; i < a->nthreads; i++)
    pthread_join(a->threads[i], NULL);
  free(a->threads);
  ph_tally_clear(&a->single_sum);
  ph_tally_clear(&a->freely_sum);
  ph_tally_clear(&a->fresh);
  ph_run_facts_clear(&a->ran);
  ph_facts_clear(&a->single);
  ph_facts_clear(&a->freely);
  ph_rerun_unref(a->run);
  pthread_cond_destroy(&a->done);
  pthread_mutex_destroy(&a->lock);
  free(a);
}

ph_rerun *ph_analysis_rerun(const ph_analysis *a) {
  return a->run;
}

const ph_tolerance *ph_analysis_tolerance(const ph_analysis *a) {
  return &a->opt.tolerance;
}

/* --- how far it is --- */

static void soon(struct timespec *at) {
  clock_gettime(CLOCK_REALTIME, at);
  at->tv_nsec += 50 * 1000 * 1000;
  at->tv_sec += at->tv_nsec / 1000000000;
  at->tv_nsec %= 1000000000;
}

/* The lock is held. */
static ph_status pass_status(const ph_analysis *a) {
  return a->failed != PH_OK ? a->failed : a->cut ? PH_ECANCELED : PH_OK;
}

ph_status ph_analysis_wait(ph_analysis *a, bool (*progress)(void *arg), void *arg) {
  pthread_mutex_lock(&a->lock);
  while (a->alive > 0) {
    struct timespec at;
    soon(&at);
    int timed_out = pthread_cond_timedwait(&a->done, &a->lock, &at) == ETIMEDOUT;
    if (!timed_out || !progress)
      continue;
    pthread_mutex_unlock(&a->lock);
    if (!progress(arg))
      ph_analysis_cancel(a);
    pthread_mutex_lock(&a->lock);
  }
  ph_status status = pass_status(a);
  if (status == PH_ECANCELED)
    ph_fail(status, "analysis: canceled");
  else if (status != PH_OK)
    ph_fail(status, "%s", a->text);
  pthread_mutex_unlock(&a->lock);
  return status;
}

static void say_more(char *text, size_t size, const char *before, const ph_unread *what,
                     const char *after) {
  size_t n = strlen(text);
  if (what->n == 0 || n + 1 >= size || (what->n == 1 && what->text[0] && strstr(text, what->text)))
    return;
  char more[40] = "";
  if (what->n > 1)
    snprintf(more, sizeof more, ", as %lld more", (long long)what->n - 1);
  snprintf(text + n, size - n, "%s%s %lld%s%s: %s", n > 0 ? "; " : "", before,
           (long long)what->first, after, more, what->text);
}

void ph_analysis_look(const ph_analysis *a, ph_analysis_progress *out) {
  ph_analysis *mine = (ph_analysis *)a; /* the lock alone */
  memset(out, 0, sizeof *out);
  pthread_mutex_lock(&mine->lock);
  out->states = a->states;
  out->anchor = ph_rerun_anchor(a->run);
  out->free_run = atomic_load_explicit(&a->free_run, memory_order_acquire);
  out->one_step = atomic_load_explicit(&a->one_step, memory_order_acquire);
  out->ended = a->alive == 0;
  out->status = pass_status(a) != PH_OK ? pass_status(a) : a->stop;
  out->stopped = a->stopped;
  memcpy(out->text, a->text, sizeof out->text);
  say_more(out->text, sizeof out->text, "recorded state", &a->unread_state, " cannot be compared");
  say_more(out->text, sizeof out->text, "the step to", &a->unread_step, " cannot be taken");
  pthread_mutex_unlock(&mine->lock);
}
