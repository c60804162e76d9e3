#include "ensemble_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "thread.h"

enum { THREADS_MAX = 256, RATE_MAX = 1000, ENGINES = 64 };
static const size_t usual_budget = (size_t)64 << 20;

static const char *const aligns[PH_ALIGN_COUNT] = {"step", "time", "latch", "dynamic"};

const char *ph_align_name(ph_align a) {
  return (unsigned)a < PH_ALIGN_COUNT ? aligns[a] : "unknown";
}

bool ph_align_from_name(const char *name, ph_align *out) {
  for (int i = 0; i < PH_ALIGN_COUNT; i++)
    if (!strcmp(aligns[i], name)) {
      *out = (ph_align)i;
      return true;
    }
  return false;
}

/* --- members --- */

static void set_episode(ph_member *m, const ph_ensemble_source *source) {
  const ph_episode_meta *meta = ph_episode_meta_of(source->episode);
  ph_ensemble_env *env = &m->env;
  m->episode = source->episode;
  m->model = source->model ? ph_model_ref(source->model) : NULL;
  m->task = source->task ? ph_task_ref(source->task) : NULL;
  memcpy(env->id, meta->id, sizeof env->id);
  env->env_id = meta->env_id;
  env->number = meta->episode;
  env->states = meta->states;
  env->actions = ph_episode_rows(source->episode, PH_COL_ACTIONS);
  env->control_dt = meta->control_dt > 0 && isfinite(meta->control_dt) ? meta->control_dt : 0;
  env->end_reason = meta->end_reason;
  env->success = meta->success;
  env->guarantee =
      ph_episode_guarantee(m->episode, m->model, m->task, env->refused, sizeof env->refused);
  size_t n = strlen(env->refused);
  if (env->guarantee != PH_STATES_ONLY)
    env->refused[0] = 0;
  else if (source->reason && source->reason[0] && !strstr(env->refused, source->reason))
    snprintf(env->refused + n, sizeof env->refused - n, "%s%s", n ? "; " : "", source->reason);
  if (env->states < 1)
    snprintf(env->reason, sizeof env->reason, "it has no states");
}

static void set_unreadable(ph_member *m, const ph_ensemble_source *source) {
  ph_ensemble_env *env = &m->env;
  snprintf(env->id, sizeof env->id, "%s", source->id ? source->id : "");
  env->env_id = source->env_id;
  env->number = source->number;
  env->end_reason = PH_END_UNKNOWN;
  env->success = -1;
  env->guarantee = PH_STATES_ONLY;
  snprintf(env->reason, sizeof env->reason, "%s",
           source->reason && source->reason[0] ? source->reason : "it cannot be read");
}

void ph_ensemble_result_none(ph_ensemble_result *r) {
  *r = (ph_ensemble_result){.stopped = -1, .cls = PH_BITWISE};
  ph_analysis_summary *sum = &r->sum;
  for (int c = 0; c < PH_CLASS_COUNT; c++)
    sum->first[c] = sum->one_first[c] = -1;
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    sum->max[m] = sum->one_max[m] = NAN;
    sum->max_step[m] = sum->one_max_step[m] = -1;
    sum->worst[m] = sum->one_worst[m] = -1;
  }
  sum->ctrl_first = sum->latch = sum->longest_hold = sum->longest_hold_step = -1;
  sum->reward = NAN;
  sum->end = PH_END_UNKNOWN;
  sum->end_step = -1;
  for (int s = 0; s < PH_LATCH_SOURCES; s++)
    r->latch[s] = PH_LATCH_UNKNOWN;
}

static void member_make(ph_member *m, const ph_ensemble_source *source) {
  pthread_mutex_init(&m->making, NULL);
  pthread_mutex_init(&m->lock, NULL);
  m->rate = 1;
  ph_ensemble_result_none(&m->result);
  m->frame.at.step = -1;
  m->frame.equal = -1;
  if (source->episode)
    set_episode(m, source);
  else
    set_unreadable(m, source);
}

static void member_clear(ph_member *m) {
  ph_cursor_close(m->cursor);
  if (m->has_rows)
    ph_rows_ahead_clear(&m->rows);
  ph_rerun_unref(m->run);
  ph_task_unref(m->task);
  ph_model_unref(m->model);
  free(m->bin);
  pthread_mutex_destroy(&m->lock);
  pthread_mutex_destroy(&m->making);
}

/* How far any alignment takes each of them: by steps twice the longest, by time as long as that. */
static void set_spans(ph_ensemble *e) {
  int64_t most = 0;
  double seconds = 0;
  for (size_t i = 0; i < e->n; i++) {
    const ph_ensemble_env *env = &e->member[i].env;
    most = env->states > most ? env->states : most;
    seconds = fmax(seconds, (double)env->states * env->control_dt);
  }
  for (size_t i = 0; i < e->n; i++) {
    ph_member *m = &e->member[i];
    double dt = m->env.control_dt, steps = dt > 0 ? seconds / dt + 2 : 0;
    m->span = 2 * most;
    if (steps > (double)m->span)
      m->span = (int64_t)fmin(steps, (double)RATE_MAX * (double)most);
  }
}

/* --- life --- */

static ph_status check(const ph_ensemble_options *opt, size_t n) {
  int copies = opt->broadcast;
  if (n == 0)
    return ph_fail(PH_EINVAL, "envs: there is no episode");
  if (n > PH_ENSEMBLE_MAX || copies > PH_ENSEMBLE_MAX || copies < 0)
    return ph_fail(PH_EINVAL, "envs: from 1 to %d of them can be shown together", PH_ENSEMBLE_MAX);
  if (copies > 0 && n > 1)
    return ph_fail(PH_EINVAL, "envs: one episode can be broadcast, not %zu", n);
  if (opt->lead >= (copies > 0 ? (size_t)copies : n) || (unsigned)opt->align >= PH_ALIGN_COUNT)
    return ph_fail(PH_EINVAL, "envs: there is no such env to lead, or alignment");
  return PH_OK;
}

static ph_status members_make(ph_ensemble *e, const ph_ensemble_source *source) {
  bool copies = e->opt.broadcast > 0;
  e->member = calloc(e->n, sizeof *e->member);
  e->order = calloc(e->n, sizeof *e->order);
  if (!e->member || !e->order) {
    e->n = 0;
    return ph_fail(PH_ENOMEM, "envs: no memory for them");
  }
  for (size_t i = 0; i < e->n; i++) {
    member_make(&e->member[i], &source[copies ? 0 : i]);
    if (copies)
      e->member[i].env.env_id = (int)i;
    e->order[i] = i;
  }
  set_spans(e);
  return PH_OK;
}

static void options_take(ph_ensemble *e, const ph_ensemble_options *opt) {
  const ph_tolerance none = {{0}};
  e->opt = *opt;
  e->opt.task = NULL;
  e->opt.success = NULL;
  if (e->opt.engines <= 0)
    e->opt.engines = ENGINES;
  if (e->opt.budget == 0)
    e->opt.budget = usual_budget;
  if (memcmp(&e->opt.tolerance, &none, sizeof none) == 0)
    e->opt.tolerance = ph_tolerance_default();
}

ph_status ph_ensemble_create(ph_ensemble **out, const ph_ensemble_source *source, size_t n,
                             const ph_ensemble_options *opt) {
  const ph_ensemble_options usual = PH_ENSEMBLE_OPTIONS_INIT;
  opt = opt ? opt : &usual;
  *out = NULL;
  ph_status status = check(opt, n);
  if (status != PH_OK)
    return status;
  ph_ensemble *e = calloc(1, sizeof *e);
  if (!e)
    return ph_fail(PH_ENOMEM, "envs: no memory for them");
  pthread_mutex_init(&e->lock, NULL);
  pthread_mutex_init(&e->asking, NULL);
  pthread_cond_init(&e->done, NULL);
  options_take(e, opt);
  e->n = opt->broadcast > 0 ? (size_t)opt->broadcast : n;
  status = members_make(e, source);
  if (status == PH_OK) {
    ph_ensemble_recorded_latches(e);
    ph_ensemble_align(e, opt->align);
    *out = e;
  } else {
    ph_ensemble_free(e);
  }
  return status;
}

void ph_ensemble_free(ph_ensemble *e) {
  if (!e)
    return;
  ph_ensemble_cancel(e);
  for (int i = 0; i < e->nthreads; i++)
    pthread_join(e->threads[i], NULL);
  ph_crew_free(e->crew);
  for (size_t i = 0; i < e->n; i++)
    member_clear(&e->member[i]);
  for (size_t i = 0; i < e->nowned; i++)
    ph_episode_free(e->owned[i]);
  free(e->owned);
  free(e->threads);
  free(e->order);
  free(e->member);
  pthread_cond_destroy(&e->done);
  pthread_mutex_destroy(&e->asking);
  pthread_mutex_destroy(&e->lock);
  free(e);
}

int ph_ensemble_jobs(const ph_ensemble *e) {
  int jobs = e->opt.jobs > 0 ? e->opt.jobs : ph_thread_cores();
  jobs = jobs < THREADS_MAX ? jobs : THREADS_MAX;
  return (size_t)jobs < e->n ? jobs : (int)e->n;
}

/* --- facts --- */

size_t ph_ensemble_count(const ph_ensemble *e) {
  return e->n;
}

const ph_ensemble_env *ph_ensemble_env_of(const ph_ensemble *e, size_t i) {
  return i < e->n ? &e->member[i].env : NULL;
}

const ph_episode *ph_ensemble_episode(const ph_ensemble *e, size_t i) {
  return i < e->n ? e->member[i].episode : NULL;
}

/* --- reruns --- */

const char *ph_member_text(const ph_member *m, const char *text) {
  return ph_text_without(text, m->env.id);
}

/* The rerun is being made by nobody else. */
static ph_status make_run(ph_ensemble *e, ph_member *m) {
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  ph_rerun *run = NULL;
  opt.budget = e->opt.budget / e->n + 1;
  opt.states = m->span;
  ph_status status = ph_rerun_create(&run, m->episode, m->model, m->task, &opt);
  pthread_mutex_lock(&m->lock);
  m->run = run;
  if (status != PH_OK && status != PH_ENOMEM) {
    m->failed = status;
    snprintf(m->why, sizeof m->why, "%s", ph_member_text(m, ph_error()));
  }
  pthread_mutex_unlock(&m->lock);
  return status;
}

ph_status ph_member_run(ph_rerun **out, ph_ensemble *e, ph_member *m) {
  const ph_ensemble_env *env = &m->env;
  *out = NULL;
  if (env->reason[0] || env->refused[0])
    return ph_fail(PH_ENOTFOUND, "%s", env->reason[0] ? env->reason : env->refused);
  pthread_mutex_lock(&m->making);
  ph_status status = m->run ? PH_OK : m->failed;
  if (!m->run)
    status = m->failed != PH_OK ? ph_fail(m->failed, "%s", m->why) : make_run(e, m);
  if (status == PH_OK)
    *out = ph_rerun_ref(m->run);
  pthread_mutex_unlock(&m->making);
  return status;
}

void ph_ensemble_cached(const ph_ensemble *e, ph_rerun_cache *out) {
  *out = (ph_rerun_cache){.every = 1};
  for (size_t i = 0; i < e->n; i++) {
    ph_member *m = &e->member[i];
    ph_rerun_cache its = {0};
    pthread_mutex_lock(&m->lock);
    if (m->run)
      ph_rerun_cached(m->run, &its);
    pthread_mutex_unlock(&m->lock);
    out->every = its.every > out->every ? its.every : out->every;
    out->cached += its.cached;
    out->wanted += its.wanted;
    out->bytes += its.bytes;
    out->full_copies = out->full_copies || its.full_copies;
  }
}
