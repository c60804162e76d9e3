#include "cut_job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <playhead/store.h>

#include "pass.h"

struct cut_job {
  pthread_t thread;
  struct cut_order order;
  atomic_bool cancel, ended;
  atomic_size_t at, all;
  atomic_bool trying; /* nothing is written yet */
  /* the thread's until it has ended */
  bool done;
  size_t bad;          /* episodes that could not be cut, the first of them: */
  char first_bad[400]; /* "demo_3: why" */
  char text[HELD_SAID];
};

static bool look(void *arg, size_t done, size_t all) {
  struct cut_job *j = arg;
  atomic_store(&j->at, done);
  atomic_store(&j->all, all);
  return !atomic_load(&j->cancel);
}

/* --- episodes that cannot be cut --- */

static void leave_out(struct cut_job *j, ph_cut_episode *e, const ph_entry *entry) {
  const char *why = ph_text_without(ph_text_without(ph_error(), j->order.source), entry->file);
  why = ph_text_without(ph_text_without(why, entry->group), entry->id);
  snprintf(e->reason, sizeof e->reason, "%s", why);
  e->dropped = true;
  e->from = e->to = 0;
  if (j->bad++ == 0)
    snprintf(j->first_bad, sizeof j->first_bad, "%.127s: %.250s", e->id, why);
}

static ph_cut_episode *planned(const struct cut_order *o, const char *id) {
  for (size_t i = 0; i < o->n; i++)
    if (strcmp(o->plan[i].id, id) == 0)
      return &o->plan[i];
  return NULL;
}

/* Each is read as cutting reads it, before anything is written: a bad one does not end the rest.
 * What is wrong with the whole is left to the cut, which says so. */
static ph_status try_all(struct cut_job *j, const ph_cut_options *opt) {
  const struct cut_order *o = &j->order;
  const ph_store_options usual = {0};
  const char *source = o->source;
  ph_store *store = NULL;
  if (ph_store_open(&store, &source, 1, &usual) != PH_OK)
    return PH_OK;
  size_t n = ph_store_count(store);
  bool more = true;
  for (size_t i = 0; i < n && (more = look(j, i, n)); i++) {
    const ph_entry *entry = ph_store_entry(store, i);
    bool same = i < o->n && strcmp(o->plan[i].id, entry->id) == 0;
    ph_cut_episode *e = same ? &o->plan[i] : planned(o, entry->id);
    if (e && !e->dropped && ph_cut_try(store, i, e, opt) != PH_OK &&
        (more = !atomic_load(&j->cancel)))
      leave_out(j, e, entry);
    if (!more)
      break;
  }
  ph_store_free(store);
  return more ? PH_OK : PH_ECANCELED;
}

static void say_done(struct cut_job *j, const ph_cut_tally *tally) {
  const struct cut_order *o = &j->order;
  char hold[48] = "each its own hold";
  if (o->hold_seconds >= 0)
    snprintf(hold, sizeof hold, "a hold of %.9g s", o->hold_seconds);
  snprintf(j->text, sizeof j->text,
           "%zu of %zu episodes are in %s: ends by %s at %s, %lld..%lld steps cut", tally->kept,
           tally->kept + tally->dropped, o->out, o->method, hold, (long long)tally->least,
           (long long)tally->most);
  size_t at = strlen(j->text);
  if (j->bad == 1)
    snprintf(j->text + at, sizeof j->text - at, "; left out: %.300s", j->first_bad);
  else if (j->bad > 1)
    snprintf(j->text + at, sizeof j->text - at, "; left out: %.300s, and %zu more", j->first_bad,
             j->bad - 1);
}

/* The reason before the path: of a line that is cut short it is what is left. */
static void say_failed(struct cut_job *j, const char *why) {
  const char *reason = ph_text_without(why, j->order.out);
  if (reason != why)
    snprintf(j->text, sizeof j->text, "not cut: %.140s: %s", reason, j->order.out);
  else
    snprintf(j->text, sizeof j->text, "not cut: %.1900s", why);
}

static void *work(void *arg) {
  struct cut_job *j = arg;
  const struct cut_order *o = &j->order;
  ph_cut_options opt = PH_CUT_OPTIONS_INIT;
  ph_cut_tally tally = {0};
  opt.hold_seconds = o->hold_seconds;
  opt.method = o->method;
  opt.fingerprint = o->fingerprint;
  opt.judge = o->judge;
  opt.progress = look;
  opt.arg = j;
  ph_status status = try_all(j, &opt);
  atomic_store(&j->trying, false);
  if (status == PH_OK)
    status = ph_cut(o->out, o->source, o->plan, o->n, &opt, &tally);
  j->done = status == PH_OK;
  if (status == PH_OK)
    say_done(j, &tally);
  else if (status == PH_ECANCELED)
    snprintf(j->text, sizeof j->text, "not cut: canceled; there is no %s", o->out);
  else
    say_failed(j, status == PH_ENOMEM ? ph_status_message(status) : ph_error());
  atomic_store_explicit(&j->ended, true, memory_order_release);
  return NULL;
}

static void clear_order(const struct cut_order *o) {
  free(o->plan);
  free(o->fingerprint);
  ph_task_unref(o->task);
}

struct cut_job *cut_job_start(const struct cut_order *order) {
  struct cut_job *j = calloc(1, sizeof *j);
  if (!j) {
    clear_order(order);
    return NULL;
  }
  j->order = *order;
  atomic_init(&j->cancel, false);
  atomic_init(&j->ended, false);
  atomic_init(&j->at, 0);
  atomic_init(&j->trying, true);
  atomic_init(&j->all, order->n);
  if (pass_thread(&j->thread, work, j))
    return j;
  clear_order(order);
  free(j);
  return NULL;
}

void cut_job_cancel(struct cut_job *j) {
  atomic_store(&j->cancel, true);
}

void cut_job_free(struct cut_job *j) {
  if (!j)
    return;
  cut_job_cancel(j);
  pthread_join(j->thread, NULL);
  clear_order(&j->order);
  free(j);
}

void cut_job_wait(const struct cut_job *j) {
  const struct timespec nap = {0, 1000000};
  while (!cut_job_ended(j))
    nanosleep(&nap, NULL);
}

bool cut_job_ended(const struct cut_job *j) {
  return atomic_load_explicit(&((struct cut_job *)j)->ended, memory_order_acquire);
}

bool cut_job_done(const struct cut_job *j) {
  return cut_job_ended(j) && j->done;
}

void cut_job_text(const struct cut_job *j, char *out, size_t size) {
  struct cut_job *mine = (struct cut_job *)j; /* atomics alone */
  if (cut_job_ended(j))
    snprintf(out, size, "%s", j->text);
  else
    snprintf(out, size, "%s %s: %zu/%zu", atomic_load(&mine->trying) ? "trying" : "cutting",
             atomic_load(&mine->trying) ? j->order.source : j->order.out, atomic_load(&mine->at),
             atomic_load(&mine->all));
}
