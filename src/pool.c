/* How envs are shared out: every env that has episodes left is either in the hands of one worker or
 * in the queue. A worker takes the env that is furthest behind its share, moves it on by a slice of
 * steps and puts it back; the share of an env in the threads is its share in the episodes that are
 * left. So all envs are under way, short episodes make room for long ones, and few envs are left
 * over at the end. A worker that finds the queue empty is done for good: whoever holds an env takes
 * it up again. The worker that has an env first makes it, all of them at the same time; the one
 * that ends its share frees it.
 *
 * Words: a `slot` is one env and its place in the recording. */
#include <playhead/pool.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disk_use.h"
#include "fail.h"
#include "index.h"
#include "task.h"
#include "thread.h"

enum { SLICE = 64, ENVS_MAX = 1 << 20, JOBS_MAX = 1024 };

typedef struct slot {
  int env_id;
  ph_env *env; /* NULL: not begun, or its share has ended */
  double *action;
  double time;     /* steps taken, each counted by what was left: the queue's order */
  int64_t left;    /* episodes still to end, the running one included */
  int64_t episode; /* its number in the run, of the one that runs */
  int64_t actions; /* rows recorded of it */
  uint64_t seed;
  bool active;      /* an episode runs */
  bool failed;      /* an error of this env stops the run */
  char *error;      /* that error with env and episode in front; NULL: none, or no memory for it */
  char detail[200]; /* of an episode that its policy or an error ended */
  _Atomic int64_t steps, ended; /* written by its worker */
} slot;

struct ph_pool {
  ph_task *task;   /* referenced */
  ph_model *model; /* referenced */
  ph_pool_options opt;
  int n, jobs;
  ph_dims dims;
  slot *slots;
  ph_recorder *rec;            /* of the run that is under way; borrowed */
  _Atomic(ph_disk_use *) disk; /* of its folder; NULL before, and without memory */

  pthread_mutex_t lock; /* of the queue and of the first error */
  slot **queue;         /* a heap, the least time first */
  int queued;
  ph_status status; /* the first error of an env */
  int culprit;      /* that env; -1: none */
  char error[1200];

  pthread_mutex_t telling; /* one episode at a time */
  _Atomic int64_t successes, errors;
  _Atomic int stop; /* read by every worker at every step; written by signal handlers too */
};

/* --- the queue --- */

static bool before(const slot *a, const slot *b) {
  return a->time < b->time || (a->time <= b->time && a->env_id < b->env_id);
}

static void queue_put(ph_pool *pool, slot *s) {
  int i = pool->queued++;
  for (; i > 0 && before(s, pool->queue[(i - 1) / 2]); i = (i - 1) / 2)
    pool->queue[i] = pool->queue[(i - 1) / 2];
  pool->queue[i] = s;
}

/* NULL: it is empty. */
static slot *queue_take(ph_pool *pool) {
  if (pool->queued == 0)
    return NULL;
  slot *first = pool->queue[0], *last = pool->queue[--pool->queued];
  int i = 0;
  for (int child = 1; child < pool->queued; child = 2 * i + 1) {
    if (child + 1 < pool->queued && before(pool->queue[child + 1], pool->queue[child]))
      child++;
    if (!before(pool->queue[child], last))
      break;
    pool->queue[i] = pool->queue[child];
    i = child;
  }
  pool->queue[i] = last;
  return first;
}

/* --- life --- */

static ph_status check_options(const ph_task *task, const ph_pool_options *opt) {
  const ph_task_info *info = ph_task_info_of(task);
  if (opt->envs < 1 || opt->envs > ENVS_MAX)
    return ph_fail(PH_EINVAL, "pool: envs %d: not from 1 to %d", opt->envs, ENVS_MAX);
  if (opt->episodes < 0)
    return ph_fail(PH_EINVAL, "pool: episodes %" PRId64 ": not from 0", opt->episodes);
  if (opt->jobs < 0 || opt->jobs > JOBS_MAX)
    return ph_fail(PH_EINVAL, "pool: jobs %d: not from 0 to %d", opt->jobs, JOBS_MAX);
  if (!info->has_policy && !opt->policy)
    return ph_fail(PH_EINVAL, "%s: no policy: recording needs one to choose actions",
                   ph_task_called(task));
  if (opt->only_success && !info->has_success)
    return ph_fail(PH_EINVAL, "%s: no success condition: none of its episodes would be saved",
                   ph_task_called(task));
  return PH_OK;
}

/* Episodes that env i records. */
static int64_t quota(const ph_pool *pool, int i) {
  return pool->opt.episodes / pool->n + (i < pool->opt.episodes % pool->n);
}

static ph_status make_env(const ph_pool *pool, slot *s) {
  ph_env_options opt = PH_ENV_OPTIONS_INIT;
  opt.hold_seconds = pool->opt.hold_seconds;
  ph_status status = ph_env_create(&s->env, pool->task, pool->model, &opt);
  if (status != PH_OK)
    return status;
  s->action = calloc((size_t)ph_env_dims(s->env)->action_dim + 1, sizeof *s->action);
  return s->action ? PH_OK : ph_fail(PH_ENOMEM, "pool: out of memory");
}

static void free_env(slot *s) {
  ph_env_free(s->env);
  free(s->action);
  s->env = NULL;
  s->action = NULL;
}

/* The first env is made here: it shows whether task and model go together. */
static ph_status make_slots(ph_pool *pool) {
  pool->slots = calloc((size_t)pool->n, sizeof *pool->slots);
  pool->queue = calloc((size_t)pool->n, sizeof *pool->queue);
  if (!pool->slots || !pool->queue)
    return ph_fail(PH_ENOMEM, "pool: out of memory");
  for (int i = 0; i < pool->n; i++) {
    pool->slots[i].env_id = i;
    pool->slots[i].left = quota(pool, i);
  }
  ph_status status = make_env(pool, &pool->slots[0]);
  if (status == PH_OK)
    pool->dims = *ph_env_dims(pool->slots[0].env);
  return status;
}

ph_status ph_pool_create(ph_pool **out, const ph_task *task, const ph_model *model,
                         const ph_pool_options *opt) {
  *out = NULL;
  ph_status status = check_options(task, opt);
  if (status != PH_OK)
    return status;
  ph_pool *pool = calloc(1, sizeof *pool);
  if (!pool)
    return ph_fail(PH_ENOMEM, "pool: out of memory");
  pthread_mutex_init(&pool->lock, NULL);
  pthread_mutex_init(&pool->telling, NULL);
  pool->task = ph_task_ref(task);
  pool->model = ph_model_ref(model);
  pool->opt = *opt;
  pool->culprit = -1;
  if (pool->opt.episodes == 0)
    pool->opt.episodes = opt->envs;
  pool->n = opt->envs < pool->opt.episodes ? opt->envs : (int)pool->opt.episodes;
  pool->jobs = opt->jobs ? opt->jobs : ph_thread_cores();
  if (pool->jobs > pool->n)
    pool->jobs = pool->n;
  status = make_slots(pool);
  if (status == PH_OK)
    *out = pool;
  else
    ph_pool_free(pool);
  return status;
}

void ph_pool_free(ph_pool *pool) {
  if (!pool)
    return;
  for (int i = 0; pool->slots && i < pool->n; i++) {
    free_env(&pool->slots[i]);
    free(pool->slots[i].error);
  }
  free(pool->slots);
  free(pool->queue);
  ph_disk_use_free(atomic_load(&pool->disk));
  ph_model_unref(pool->model);
  ph_task_unref(pool->task);
  pthread_mutex_destroy(&pool->telling);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

const ph_dims *ph_pool_dims(const ph_pool *pool) {
  return &pool->dims;
}

/* --- one episode --- */

/* An error of this env, in ph_error(), stops the run. */
static void fail(ph_pool *pool, slot *s, ph_status status) {
  snprintf(s->detail, sizeof s->detail, "%s", ph_error());
  ph_fail_in(status, "env %d episode %" PRId64, s->env_id, s->episode);
  s->failed = true;
  s->error = strdup(ph_error());
  pthread_mutex_lock(&pool->lock);
  if (pool->culprit < 0) {
    pool->culprit = s->env_id;
    pool->status = status;
    snprintf(pool->error, sizeof pool->error, "%s", ph_error());
  }
  pthread_mutex_unlock(&pool->lock);
  atomic_fetch_add(&pool->errors, 1);
  atomic_store(&pool->stop, 1);
}

/* Numbers that are not finite end the episode, not the run: they are in ph_error(). */
static ph_status end_nan(slot *s, ph_outcome *out) {
  snprintf(s->detail, sizeof s->detail, "%s", ph_error());
  *out = (ph_outcome){.done = true, .end = PH_END_NAN, .detail = s->detail};
  return PH_OK;
}

/* out->done: the episode has ended before it had a row, and is not active. */
static ph_status begin(ph_pool *pool, slot *s, ph_outcome *out) {
  ph_row row0;
  size_t nedits = 0;
  s->episode = ph_recorder_next_episode(pool->rec, s->env_id);
  s->seed = ph_env_seed(pool->opt.seed, s->env_id, s->episode);
  s->actions = 0;
  ph_status status = s->env ? PH_OK : make_env(pool, s);
  if (status != PH_OK)
    return status;
  status = ph_env_reset(s->env, s->seed, &row0);
  if (status == PH_EINVAL)
    return end_nan(s, out);
  if (status != PH_OK)
    return status;
  const ph_edit *edits = ph_env_edits(s->env, &nedits);
  status = ph_recorder_begin(pool->rec, s->env_id, s->seed, edits, nedits, &row0);
  s->active = status == PH_OK;
  return status;
}

static ph_status choose(const ph_pool *pool, const slot *s) {
  if (!pool->opt.policy)
    return ph_env_policy(s->env, s->action);
  return pool->opt.policy(pool->opt.policy_user, s->env_id, s->episode, s->env, s->action);
}

/* Asks the policy, steps and records. */
static ph_status step(ph_pool *pool, slot *s, ph_outcome *out) {
  ph_status status = choose(pool, s);
  if (status == PH_EINVAL)
    return end_nan(s, out);
  if (status == PH_OK)
    status = ph_env_step(s->env, s->action, out);
  if (status != PH_OK || (out->done && out->end == PH_END_NAN))
    return status;
  const double *action = s->action;
  status = ph_recorder_rows(pool->rec, &s->env_id, 1, &action, NULL, &out->reward, &out->flags,
                            &out->row);
  if (status == PH_OK) {
    s->actions++;
    atomic_fetch_add_explicit(&s->steps, 1, memory_order_relaxed);
  }
  return status;
}

static void tell(ph_pool *pool, const ph_pool_episode *episode) {
  if (!pool->opt.ended)
    return;
  pthread_mutex_lock(&pool->telling);
  pool->opt.ended(pool->opt.user, episode);
  pthread_mutex_unlock(&pool->telling);
}

/* An episode that never was active had no row 0. */
static ph_status end_in_recorder(ph_pool *pool, const slot *s, ph_end end, int success,
                                 const char *detail, bool unwanted) {
  if (!s->active)
    return ph_recorder_skip(pool->rec, s->env_id);
  if (unwanted)
    return ph_recorder_discard(pool->rec, s->env_id);
  return ph_recorder_end(pool->rec, s->env_id, end, success, detail);
}

static void name(ph_pool_episode *e, char file[PH_INDEX_NAME_SIZE], char id[PH_INDEX_NAME_SIZE]) {
  ph_index_file_name(file, PH_INDEX_NAME_SIZE, e->env_id, e->episode, e->actions);
  snprintf(id, PH_INDEX_NAME_SIZE, "%.*s", (int)(strrchr(file, '_') - file), file);
  e->file = file;
  e->id = id;
}

/* Of an episode with rows, once its commit was tried. Only the last one of an env can have been
 * ended by an error of it. */
static void recorded(void *user, const ph_recorded *r) {
  ph_pool *pool = user;
  char file[PH_INDEX_NAME_SIZE], id[PH_INDEX_NAME_SIZE];
  const slot *s = &pool->slots[r->env_id];
  ph_pool_episode e = {.env_id = r->env_id,
                       .episode = r->episode,
                       .actions = r->actions,
                       .seed = r->seed,
                       .end = r->end,
                       .success = r->success,
                       .fate = r->status == PH_OK ? PH_POOL_SAVED : PH_POOL_KEPT,
                       .detail = r->detail,
                       .error = r->end == PH_END_ABORTED && s->failed ? s->error : r->error};
  name(&e, file, id);
  if (r->status != PH_OK)
    atomic_fetch_add(&pool->errors, 1);
  tell(pool, &e);
}

/* The recorder tells of those that it commits. */
static void tell_dropped(ph_pool *pool, const slot *s, ph_end reason, int success,
                         const char *detail, const char *error) {
  char file[PH_INDEX_NAME_SIZE], id[PH_INDEX_NAME_SIZE];
  ph_pool_episode e = {.env_id = s->env_id,
                       .episode = s->episode,
                       .actions = s->actions,
                       .seed = s->seed,
                       .end = reason,
                       .success = success,
                       .fate = s->actions == 0 ? PH_POOL_DISCARDED : PH_POOL_UNSUCCESSFUL,
                       .detail = detail,
                       .error = s->error ? s->error : error};
  if (error)
    atomic_fetch_add(&pool->errors, 1);
  name(&e, file, id);
  tell(pool, &e);
}

/* Ends the episode that the env is in: in the recorder, in the counters, and tells of it. */
static void end(ph_pool *pool, slot *s, ph_end reason, const char *detail) {
  bool judged = ph_task_info_of(pool->task)->has_success;
  int success = judged ? reason == PH_END_SUCCESS : -1;
  bool unwanted = pool->opt.only_success && success != 1 && s->actions > 0;
  ph_status status = end_in_recorder(pool, s, reason, success, detail, unwanted);
  s->active = false;
  s->left--;
  if (success == 1)
    atomic_fetch_add(&pool->successes, 1);
  atomic_fetch_add(&s->ended, 1);
  if (s->actions > 0 && !unwanted)
    ph_disk_use_add(atomic_load(&pool->disk), s->env_id, s->episode, s->actions);
  else
    tell_dropped(pool, s, reason, success, detail, status == PH_OK ? NULL : ph_error());
}

/* --- workers --- */

static bool stopped(const ph_pool *pool) {
  return atomic_load_explicit(&pool->stop, memory_order_relaxed) != 0;
}

/* Moves an env on by some steps. False: it has ended its share, or an error of it stops the run. */
static bool slice(ph_pool *pool, slot *s) {
  for (int k = 0; k < SLICE && s->left > 0 && !stopped(pool); k++) {
    ph_outcome out = {0};
    ph_status status = s->active ? PH_OK : begin(pool, s, &out);
    if (status == PH_OK && s->active)
      status = step(pool, s, &out);
    if (status == PH_ECANCELED) {
      atomic_store(&pool->stop, 1);
      return true;
    }
    if (status != PH_OK) {
      fail(pool, s, status);
      return false;
    }
    s->time += 1.0 / (double)s->left;
    if (out.done)
      end(pool, s, out.end, out.detail);
  }
  return s->left > 0;
}

static void *work(void *arg) {
  ph_pool *pool = arg;
  slot *s = NULL;
  bool more = false;
  do {
    pthread_mutex_lock(&pool->lock);
    if (s && more)
      queue_put(pool, s);
    s = stopped(pool) ? NULL : queue_take(pool);
    pthread_mutex_unlock(&pool->lock);
    more = s && slice(pool, s);
    if (s && !more)
      free_env(s);
  } while (s);
  return NULL;
}

/* The caller is one of the workers: where no thread can be had, it does all. */
static void run_workers(ph_pool *pool) {
  pthread_t *threads = calloc((size_t)pool->jobs, sizeof *threads);
  int n = 0;
  while (threads && n < pool->jobs - 1 && ph_thread_start(&threads[n], work, pool))
    n++;
  work(pool);
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  free(threads);
}

/* --- the run --- */

/* Unfinished episodes become `aborted`; with no row at all they are discarded. */
static void abort_all(ph_pool *pool) {
  char why[80] = "interrupted";
  if (pool->culprit >= 0)
    snprintf(why, sizeof why, "the run ended with an error of env %d", pool->culprit);
  for (int i = 0; i < pool->n; i++) {
    slot *s = &pool->slots[i];
    if (s->active)
      end(pool, s, PH_END_ABORTED, s->failed ? s->detail : why);
  }
}

ph_status ph_pool_run(ph_pool *pool, ph_recorder *rec) {
  pool->rec = rec;
  if (!atomic_load(&pool->disk))
    atomic_store(&pool->disk, ph_disk_use_new(ph_recorder_path(rec), pool->n));
  pool->queued = 0;
  for (int i = 0; i < pool->n; i++)
    if (pool->slots[i].left > 0)
      queue_put(pool, &pool->slots[i]);
  ph_recorder_watch(rec, recorded, pool);
  run_workers(pool);
  abort_all(pool);
  ph_recorder_flush(rec);
  ph_recorder_watch(rec, NULL, NULL);
  pool->rec = NULL;
  return pool->culprit < 0 ? PH_OK : ph_fail(pool->status, "%s", pool->error);
}

void ph_pool_stop(ph_pool *pool) {
  atomic_store(&pool->stop, 1);
}

void ph_pool_progress_of(const ph_pool *pool, ph_pool_progress *out) {
  *out = (ph_pool_progress){.wanted = pool->opt.episodes,
                            .successes = atomic_load(&pool->successes),
                            .errors = atomic_load(&pool->errors),
                            .fewest = INT64_MAX,
                            .envs = pool->n,
                            .jobs = pool->jobs};
  for (int i = 0; i < pool->n; i++) {
    const slot *s = &pool->slots[i];
    int64_t ended = atomic_load(&s->ended);
    out->steps += atomic_load_explicit(&s->steps, memory_order_relaxed);
    out->ended += ended;
    out->running += ended < quota(pool, i);
    out->fewest = ended < out->fewest ? ended : out->fewest;
    out->most = ended > out->most ? ended : out->most;
  }
}

int64_t ph_pool_env_ended(const ph_pool *pool, int env_id) {
  return env_id >= 0 && env_id < pool->n ? atomic_load(&pool->slots[env_id].ended) : 0;
}

int64_t ph_pool_disk_use(const ph_pool *pool) {
  return ph_disk_use_now(atomic_load(&pool->disk));
}
