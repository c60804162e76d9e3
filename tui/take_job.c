#include "take_job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pass.h"

struct take_job {
  pthread_t thread;
  struct take_wish wish;
  atomic_bool cancel, ended;
  atomic_llong at;
  /* the thread's until it has ended */
  ph_status status;
  ph_outcomes outcomes;
};

static bool look(void *arg, int64_t step, int64_t states) {
  struct take_job *t = arg;
  (void)states;
  atomic_store(&t->at, step);
  return !atomic_load(&t->cancel);
}

static void *work(void *arg) {
  struct take_job *t = arg;
  const struct take_wish *w = &t->wish;
  const ph_outcomes_options opt = {.judge = w->judge, .progress = look, .arg = t};
  t->status = ph_outcomes_take(&t->outcomes, w->source, w->episode, w->model, w->task, &opt);
  if (t->status != PH_OK) {
    t->outcomes = (ph_outcomes){.left = -1, .ended = -1};
    snprintf(t->outcomes.why, sizeof t->outcomes.why, "%s",
             t->status == PH_ENOMEM ? ph_status_message(t->status) : ph_error());
  }
  atomic_store_explicit(&t->ended, true, memory_order_release);
  return NULL;
}

static void clear(struct take_job *t) {
  ph_outcomes_free(&t->outcomes);
  ph_task_unref(t->wish.task);
  ph_model_unref(t->wish.model);
  free(t);
}

struct take_job *take_start(const struct take_wish *wish) {
  struct take_job *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->wish = *wish;
  t->wish.model = wish->model ? ph_model_ref(wish->model) : NULL;
  t->wish.task = wish->task ? ph_task_ref(wish->task) : NULL;
  atomic_init(&t->cancel, false);
  atomic_init(&t->ended, false);
  atomic_init(&t->at, 0);
  if (pass_thread(&t->thread, work, t))
    return t;
  clear(t);
  return NULL;
}

void take_free(struct take_job *t) {
  if (!t)
    return;
  atomic_store(&t->cancel, true);
  pthread_join(t->thread, NULL);
  clear(t);
}

void take_wait(const struct take_job *t) {
  const struct timespec nap = {0, 1000000};
  while (!take_ended(t))
    nanosleep(&nap, NULL);
}

bool take_ended(const struct take_job *t) {
  return atomic_load_explicit(&((struct take_job *)t)->ended, memory_order_acquire);
}

int64_t take_at(const struct take_job *t) {
  return atomic_load(&((struct take_job *)t)->at);
}

ph_status take_result(struct take_job *t, ph_outcomes *out) {
  *out = t->outcomes;
  t->outcomes = (ph_outcomes){0};
  return t->status == PH_ENOMEM ? PH_ENOMEM : PH_OK;
}
