#include "ghost_open.h"

#include <playhead/store.h>
#include <playhead/wait.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ghost_job {
  pthread_t thread;
  atomic_bool cancel, ended;
  struct ghost_search search; /* the thread's */
  struct ghost_found found;   /* likewise, until it has ended */
};

void ghost_found_clear(struct ghost_found *found) {
  ph_episode_free(found->episode);
  ph_model_unref(found->model);
  ph_model_diff_clear(&found->diff);
  ph_store_free(found->store);
  memset(found, 0, sizeof *found);
}

/* --- the thread --- */

static bool fail(struct ghost_job *job, ph_status status) {
  snprintf(job->found.error, sizeof job->found.error, "%s",
           status == PH_ENOMEM ? ph_status_message(status) : ph_error());
  return false;
}

static bool open_store(struct ghost_job *job, const char *path) {
  char **paths = NULL;
  size_t n = 0;
  if (job->found.store)
    return true;
  ph_status status = ph_store_expand(&paths, &n, &path, 1);
  if (status == PH_OK)
    status = ph_store_open(&job->found.store, (const char *const *)paths, n, &job->search.options);
  if (status != PH_OK)
    job->found.store = NULL;
  bool ok = status == PH_OK || fail(job, status);
  ph_store_expand_free(paths, n);
  return ok;
}

static bool is_run(const ph_store *store) {
  return strcmp(ph_store_layout(store), "run") == 0;
}

static bool is_ours(const ph_store *store) {
  const char *layout = ph_store_layout(store);
  return is_run(store) || strcmp(layout, "dataset") == 0 || strcmp(layout, "episode file") == 0;
}

/* The episode that is the shown one's; SIZE_MAX: none. */
static size_t match(const struct ghost_search *search, const ph_store *store) {
  bool numbers = search->ours && is_ours(store);
  for (size_t i = 0; i < ph_store_count(store); i++) {
    const ph_entry *e = ph_store_entry(store, i);
    if (numbers ? e->env_id == search->env_id && e->episode == search->episode
                : strcmp(e->id, search->id) == 0)
      return i;
  }
  return SIZE_MAX;
}

/* A file of one episode is beside all; a run's are where they belong. */
static size_t choose(struct ghost_job *job, const char *path, const char *id) {
  const struct ghost_search *search = &job->search;
  const ph_store *store = job->found.store;
  size_t n = ph_store_count(store);
  size_t at = *id ? ph_store_find(store, id) : match(search, store);
  if (!*id && at == SIZE_MAX && n == 1 && !(search->ours && is_run(store)))
    at = 0;
  if (at < n)
    return at;
  if (*id)
    snprintf(job->found.error, sizeof job->found.error, "%.250s: no episode is called \"%.60s\"",
             path, id);
  else if (search->ours && is_ours(store))
    snprintf(job->found.error, sizeof job->found.error,
             "%.250s: it has no episode %lld of env %d; PATH:ID names another", path,
             (long long)search->episode, search->env_id);
  else
    snprintf(job->found.error, sizeof job->found.error,
             "%.250s: none of its %zu episodes is called \"%.60s\"; PATH:ID names another", path, n,
             search->id);
  return SIZE_MAX;
}

/* A model that cannot be had is none; what is compared then is what has names all the same. */
static void open_model(struct ghost_job *job) {
  struct ghost_found *found = &job->found;
  const char *sha256 = ph_episode_meta_of(found->episode)->model_sha256;
  if (ph_store_model(&found->model, found->store, sha256) != PH_OK)
    found->model = NULL;
  const ph_model *a = job->search.model, *b = found->model;
  if (!a || !b || strcmp(ph_model_sha256(a), ph_model_sha256(b)) == 0)
    return;
  if (ph_model_compare(&found->diff, a, b, GHOST_CHANGES) != PH_OK)
    memset(&found->diff, 0, sizeof found->diff);
}

static void look(struct ghost_job *job) {
  char path[GHOST_PATH], id[64];
  if (!ghost_split(job->search.path, path, sizeof path, id, sizeof id)) {
    snprintf(job->found.error, sizeof job->found.error, "%.250s: the id is too long",
             job->search.path);
    return;
  }
  if (!open_store(job, path))
    return;
  size_t at = choose(job, path, id);
  if (at == SIZE_MAX)
    return;
  ph_status status = ph_store_episode(&job->found.episode, job->found.store, at);
  if (status != PH_OK) {
    job->found.episode = NULL;
    fail(job, status);
    return;
  }
  open_model(job);
}

static bool asked_to_end(void *arg, const ph_wait *wait) {
  struct ghost_job *job = arg;
  (void)wait;
  return atomic_load(&job->cancel);
}

static void *work(void *arg) {
  struct ghost_job *job = arg;
  ph_wait_watch(asked_to_end, job);
  look(job);
  ph_wait_watch(NULL, NULL);
  atomic_store_explicit(&job->ended, true, memory_order_release);
  return NULL;
}

/* --- from outside --- */

static bool start_thread(struct ghost_job *job) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int failed = pthread_create(&job->thread, NULL, work, job);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !failed;
}

struct ghost_job *ghost_job_start(const struct ghost_search *search) {
  struct ghost_job *job = calloc(1, sizeof *job);
  if (!job) {
    ph_store_free(search->store);
    return NULL;
  }
  job->search = *search;
  job->search.model = search->model ? ph_model_ref(search->model) : NULL;
  job->found.store = search->store;
  atomic_init(&job->cancel, false);
  atomic_init(&job->ended, false);
  if (start_thread(job))
    return job;
  ph_model_unref(job->search.model);
  ph_store_free(search->store);
  free(job);
  return NULL;
}

bool ghost_job_ended(const struct ghost_job *job) {
  return atomic_load_explicit(&((struct ghost_job *)job)->ended, memory_order_acquire);
}

void ghost_job_cancel(struct ghost_job *job) {
  atomic_store(&job->cancel, true);
}

void ghost_job_end(struct ghost_job *job, struct ghost_found *out) {
  pthread_join(job->thread, NULL);
  if (out)
    *out = job->found;
  else
    ghost_found_clear(&job->found);
  ph_model_unref(job->search.model);
  free(job);
}
