#include "ensemble_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fail.h"
#include "hold_scan.h"
#include "thread.h"

/* --- latches --- */

void ph_ensemble_recorded_latches(ph_ensemble *e) {
  for (size_t i = 0; i < e->n; i++) {
    ph_hold_scan scan;
    int64_t *latch = e->member[i].result.latch;
    if (e->opt.broadcast > 0 && i > 0)
      latch[PH_LATCH_RECORDED] = e->member[0].result.latch[PH_LATCH_RECORDED];
    else if (e->member[i].episode && ph_hold_scan_recorded(&scan, e->member[i].episode, -1))
      latch[PH_LATCH_RECORDED] = scan.hold.latched ? scan.hold.latch : PH_LATCH_NEVER;
  }
}

/* The hold in force: the recorded one where this task recorded it, as reruns have it. */
static ph_status hold_of(const ph_member *m, ph_hold *hold) {
  const ph_episode_meta *meta = ph_episode_meta_of(m->episode);
  *hold = (ph_hold){.steps = meta->hold_steps};
  bool named = meta->task_sha256[0] != 0;
  if (named && meta->hold_seconds >= 0 && strcmp(meta->task_sha256, ph_task_sha256(m->task)) == 0)
    return PH_OK;
  return ph_hold_steps(&hold->steps, ph_task_info_of(m->task)->hold_seconds, meta->control_dt);
}

static bool judges(const ph_member *m) {
  return m->task && ph_task_info_of(m->task)->has_success;
}

static bool canceled(ph_ensemble *e) {
  return atomic_load_explicit(&e->canceled, memory_order_relaxed);
}

/* By the task on the recorded states, up to the latch. PH_ECANCELED. */
static ph_status find_kinematic(ph_ensemble *e, ph_member *m) {
  ph_replay *replay = NULL;
  ph_hold hold;
  bool value = false;
  ph_status status = hold_of(m, &hold);
  if (status == PH_OK)
    status = ph_replay_create(&replay, m->episode, m->model, m->task);
  for (int64_t t = 0; status == PH_OK && t < m->env.states && !hold.latched; t++) {
    status = canceled(e) ? PH_ECANCELED : ph_replay_seek(replay, t, 0, PH_KINEMATIC);
    if (status == PH_OK)
      status = ph_replay_predicate(replay, &value, NULL);
    if (status == PH_OK)
      ph_hold_update(&hold, t, value);
  }
  ph_replay_free(replay);
  if (status != PH_OK)
    return status == PH_ECANCELED ? status : PH_OK; /* it stays unknown */
  pthread_mutex_lock(&m->lock);
  m->result.latch[PH_LATCH_KINEMATIC] = hold.latched ? hold.latch : PH_LATCH_NEVER;
  pthread_mutex_unlock(&m->lock);
  return PH_OK;
}

/* --- one env --- */

/* What an analysis knows, into r. */
static void take(ph_ensemble_result *r, const ph_member *m, const ph_analysis *a) {
  ph_analysis_progress at;
  ph_analysis_look(a, &at);
  ph_analysis_sum(a, &r->sum);
  bool final = at.ended && at.status != PH_ECANCELED;
  r->ran = true;
  r->known = at.free_run;
  r->status = at.status;
  r->stopped = at.stopped;
  snprintf(r->text, sizeof r->text, "%s", ph_member_text(m, at.text));
  r->cls = at.status == PH_ESIM ? PH_DIVERGED : r->sum.cls;
  if (judges(m) && r->sum.longest_hold >= 0 && (r->sum.latch >= 0 || final))
    r->latch[PH_LATCH_DYNAMIC] = r->sum.latch >= 0 ? r->sum.latch : PH_LATCH_NEVER;
}

static bool go_on(void *arg) {
  return !canceled(arg);
}

/* Publishes the analysis while it runs, and keeps what it came to. */
static ph_status watch(ph_ensemble *e, ph_member *m, ph_analysis *a) {
  pthread_mutex_lock(&m->lock);
  m->analysis = a;
  pthread_mutex_unlock(&m->lock);
  ph_status status = ph_analysis_wait(a, go_on, e);
  pthread_mutex_lock(&m->lock);
  take(&m->result, m, a);
  ph_status kept = ph_member_keep_lane(m, a);
  m->analysis = NULL;
  pthread_mutex_unlock(&m->lock);
  return status == PH_OK ? kept : status;
}

static ph_status run_freely(ph_ensemble *e, ph_member *m) {
  const ph_analysis_options how = {
      .jobs = 1, .tolerance = e->opt.tolerance, .no_one_step = true, .no_bodies = false};
  ph_rerun *run = NULL;
  ph_analysis *a = NULL;
  ph_status status = ph_member_run(&run, e, m);
  if (status == PH_OK)
    status = ph_analysis_start(&a, run, &how);
  if (status == PH_OK)
    status = watch(e, m, a);
  ph_analysis_free(a);
  ph_rerun_unref(run);
  return status;
}

/* Why it is not all that it could be, the first reason. */
static void blame(ph_member *m, ph_status status) {
  ph_ensemble_result *r = &m->result;
  pthread_mutex_lock(&m->lock);
  if (status != PH_OK && r->status == PH_OK) {
    r->status = status;
    snprintf(r->text, sizeof r->text, "%s",
             status == PH_ECANCELED ? "" : ph_member_text(m, ph_error()));
  }
  pthread_mutex_unlock(&m->lock);
}

static void measure(ph_ensemble *e, ph_member *m) {
  pthread_mutex_lock(&m->lock);
  m->result.begun = true;
  pthread_mutex_unlock(&m->lock);
  blame(m, run_freely(e, m));
  if (!m->env.reason[0] && m->model && ph_model_compiled(m->model) && judges(m))
    blame(m, find_kinematic(e, m));
  pthread_mutex_lock(&m->lock);
  m->result.ended = true;
  pthread_mutex_unlock(&m->lock);
}

/* --- all of them --- */

static void *work(void *arg) {
  ph_ensemble *e = arg;
  size_t k = 0;
  while (!canceled(e) && (k = atomic_fetch_add(&e->next, 1)) < e->n)
    measure(e, &e->member[e->order[k]]);
  pthread_mutex_lock(&e->lock);
  if (--e->alive == 0)
    pthread_cond_broadcast(&e->done);
  pthread_mutex_unlock(&e->lock);
  return NULL;
}

static bool start_thread(ph_ensemble *e) {
  pthread_mutex_lock(&e->lock);
  bool started = ph_thread_start(&e->threads[e->nthreads], work, e);
  if (started) {
    e->nthreads++;
    e->alive++;
  }
  pthread_mutex_unlock(&e->lock);
  return started;
}

static void lead_first(ph_ensemble *e) {
  size_t k = 0;
  e->order[k++] = e->opt.lead;
  for (size_t i = 0; i < e->n; i++)
    if (i != e->opt.lead)
      e->order[k++] = i;
}

ph_status ph_ensemble_start(ph_ensemble *e) {
  int jobs = ph_ensemble_jobs(e);
  if (e->threads)
    return ph_fail(PH_EINVAL, "envs: the pass was begun already");
  e->threads = calloc((size_t)jobs, sizeof *e->threads);
  if (!e->threads)
    return ph_fail(PH_ENOMEM, "envs: no memory for the pass");
  lead_first(e);
  while (e->nthreads < jobs && start_thread(e))
    ;
  if (e->nthreads == 0) {
    free(e->threads);
    e->threads = NULL;
    return ph_fail(PH_ENOMEM, "envs: no thread to be had for the pass");
  }
  pthread_mutex_lock(&e->lock);
  e->begun = true;
  pthread_mutex_unlock(&e->lock);
  return PH_OK;
}

void ph_ensemble_cancel(ph_ensemble *e) {
  atomic_store(&e->canceled, true);
  for (size_t i = 0; i < e->n; i++) {
    ph_member *m = &e->member[i];
    pthread_mutex_lock(&m->lock);
    if (m->analysis)
      ph_analysis_cancel(m->analysis);
    pthread_mutex_unlock(&m->lock);
  }
}

static void soon(struct timespec *at) {
  clock_gettime(CLOCK_REALTIME, at);
  at->tv_nsec += 50 * 1000 * 1000;
  at->tv_sec += at->tv_nsec / 1000000000;
  at->tv_nsec %= 1000000000;
}

/* Whether every env has ended of itself. */
static bool all_ended(ph_ensemble *e) {
  bool all = true;
  for (size_t i = 0; i < e->n; i++) {
    ph_member *m = &e->member[i];
    pthread_mutex_lock(&m->lock);
    all = all && m->result.ended && m->result.status != PH_ECANCELED;
    pthread_mutex_unlock(&m->lock);
  }
  return all;
}

ph_status ph_ensemble_wait(ph_ensemble *e, bool (*progress)(void *arg), void *arg) {
  pthread_mutex_lock(&e->lock);
  while (e->alive > 0) {
    struct timespec at;
    soon(&at);
    if (pthread_cond_timedwait(&e->done, &e->lock, &at) != ETIMEDOUT || !progress)
      continue;
    pthread_mutex_unlock(&e->lock);
    if (!progress(arg))
      ph_ensemble_cancel(e);
    pthread_mutex_lock(&e->lock);
  }
  bool begun = e->begun;
  pthread_mutex_unlock(&e->lock);
  return !begun || all_ended(e) ? PH_OK : ph_fail(PH_ECANCELED, "envs: canceled");
}

/* --- what is known --- */

void ph_ensemble_result_of(const ph_ensemble *e, size_t i, ph_ensemble_result *out) {
  if (i >= e->n) {
    ph_ensemble_result_none(out);
    return;
  }
  ph_member *m = &e->member[i];
  pthread_mutex_lock(&m->lock);
  *out = m->result;
  if (m->analysis)
    take(out, m, m->analysis);
  pthread_mutex_unlock(&m->lock);
}

/* States that its free run has to come to. */
static int64_t states_to_run(const ph_member *m) {
  int64_t led_to = m->env.actions + 1;
  if (m->env.reason[0] || m->env.refused[0])
    return 0;
  return led_to < m->env.states ? led_to : m->env.states;
}

static void count(ph_ensemble_progress *p, const ph_member *m, const ph_ensemble_result *r) {
  int64_t states = states_to_run(m);
  p->states += states;
  p->known += r->ended && r->status != PH_ECANCELED ? states
              : r->known < states                   ? r->known
                                                    : states;
  if (r->ended) {
    p->ended++;
    if (r->ran && r->status != PH_ECANCELED)
      p->class_of[r->cls]++;
  }
  if (states == 0 || (r->ended && !r->ran && r->status != PH_ECANCELED))
    p->refused++;
}

void ph_ensemble_look(const ph_ensemble *e, ph_ensemble_progress *out) {
  ph_ensemble *mine = (ph_ensemble *)e; /* the lock alone */
  *out = (ph_ensemble_progress){.envs = e->n};
  pthread_mutex_lock(&mine->lock);
  out->begun = e->begun;
  out->over = e->begun && e->alive == 0;
  pthread_mutex_unlock(&mine->lock);
  for (size_t i = 0; i < e->n; i++) {
    ph_ensemble_result r;
    ph_ensemble_result_of(e, i, &r);
    count(out, &e->member[i], &r);
  }
}
