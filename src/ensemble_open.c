#include "ensemble_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "fail.h"
#include "store.h"

/* --- the round --- */

/* Length of the folder of a path. */
static size_t folder(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) : 0;
}

/* Episode files given one by one are of one run where they lie in one folder. */
static bool same_run(const ph_store *store, size_t a, size_t b) {
  const ph_home *home = &store->homes[store->home_of[a]], *other = &store->homes[store->home_of[b]];
  const char *x = store->entries[a].file, *y = store->entries[b].file;
  if (home == other)
    return true;
  return !strcmp(home->layout, "episode file") && !strcmp(other->layout, "episode file") &&
         folder(x) == folder(y) && strncmp(x, y, folder(x)) == 0;
}

/* Place of an env among those that are sorted by env_id; where it belongs if it is not there. */
static size_t place_of(const ph_store *store, const size_t *sorted, size_t n, int env_id) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (store->entries[sorted[mid]].env_id < env_id)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static size_t apart(size_t a, size_t b) {
  return a < b ? b - a : a - b;
}

/* One of each env: where several runs lie in one dataset, the one nearest to entry i, beside which
 * those of its own run are. */
static size_t add(const ph_store *store, size_t *sorted, size_t n, size_t j, size_t i) {
  int env_id = store->entries[j].env_id;
  size_t at = place_of(store, sorted, n, env_id);
  if (at < n && store->entries[sorted[at]].env_id == env_id) {
    sorted[at] = apart(j, i) < apart(sorted[at], i) ? j : sorted[at];
    return n;
  }
  memmove(sorted + at + 1, sorted + at, (n - at) * sizeof *sorted);
  sorted[at] = j;
  return n + 1;
}

size_t ph_ensemble_round(const ph_store *store, size_t i, size_t *out, size_t room) {
  size_t n = 0;
  if (i >= store->n || room == 0)
    return 0;
  size_t *sorted = malloc((store->n + 1) * sizeof *sorted);
  for (size_t j = 0; sorted && j < store->n; j++)
    if (store->entries[j].episode == store->entries[i].episode && same_run(store, i, j))
      n = add(store, sorted, n, j, i);
  size_t written = n < room ? n : room;
  if (written > 0)
    memcpy(out, sorted, written * sizeof *out);
  size_t at = n > 0 ? place_of(store, sorted, n, store->entries[i].env_id) : 0;
  if (at >= written)
    out[room - 1] = i;
  free(sorted);
  if (n > 0)
    return n;
  out[0] = i; /* no memory to look at the others */
  return 1;
}

/* --- one env of a store --- */

/* An env that is opened; all of it is owned. */
struct opened {
  ph_episode *episode;
  ph_model *model;
  ph_task *task;
  char task_sha256[PH_SHA256_SIZE]; /* the recorded one's that it was made from */
  char reason[300];
};

static void clear(struct opened *o) {
  ph_episode_free(o->episode);
  ph_model_unref(o->model);
  ph_task_unref(o->task);
  *o = (struct opened){0};
}

static const char *error_of(const ph_entry *entry) {
  return ph_text_without(ph_error(), entry->id);
}

static void say(struct opened *o, const char *text) {
  size_t n = strlen(o->reason);
  snprintf(o->reason + n, sizeof o->reason - n, "%s%s", n ? "; " : "", text);
}

/* That none is named, or does not compile, is said where the guarantee is given. */
static ph_status take_model(struct opened *o, ph_store *store, const ph_entry *entry) {
  const ph_episode_meta *meta = ph_episode_meta_of(o->episode);
  ph_status status = ph_store_model(&o->model, store, meta->model_sha256);
  if (status != PH_OK && meta->model_sha256[0])
    say(o, error_of(entry));
  return status == PH_ENOMEM ? status : PH_OK;
}

static ph_status take_recorded_task(struct opened *o, ph_store *store, const ph_entry *entry) {
  const ph_episode_meta *meta = ph_episode_meta_of(o->episode);
  const char *text = NULL;
  if (!meta->task_sha256[0])
    return PH_OK;
  ph_status status = ph_store_task(&text, store, meta->task_sha256);
  if (status == PH_OK)
    status = ph_task_parse(&o->task, text, strlen(text), meta->env_name);
  if (status == PH_ENOTFOUND)
    say(o, "the file does not hold the task that it names");
  else if (status != PH_OK)
    say(o, error_of(entry));
  return status == PH_ENOMEM ? status : PH_OK;
}

static void exchange(struct opened *o, ph_task *task) {
  ph_task_unref(o->task);
  o->task = task;
}

/* As where one episode is on show: a task that only judges leaves the recorded one to say what
 * actions are. */
static ph_status take_task(struct opened *o, ph_store *store, const ph_entry *entry,
                           const ph_ensemble_options *opt) {
  ph_task *other = NULL;
  ph_status status = PH_OK;
  if (!opt->task || ph_task_info_of(opt->task)->judges_only)
    status = take_recorded_task(o, store, entry);
  if (status == PH_OK && opt->task) {
    status = ph_task_with_judge(&other, o->task, opt->task);
    if (status == PH_OK)
      exchange(o, other);
  }
  if (status == PH_OK && opt->success) {
    status = ph_task_with_success(&other, o->task, opt->success);
    if (status == PH_OK)
      exchange(o, other);
  }
  return status;
}

/* The task of the env before serves too where it is made from the same one. */
static ph_status share_task(struct opened *o, ph_store *store, const ph_entry *entry,
                            const ph_ensemble_options *opt, const struct opened *before) {
  const char *sha256 = ph_episode_meta_of(o->episode)->task_sha256;
  ph_status status = PH_OK;
  memcpy(o->task_sha256, sha256, sizeof o->task_sha256);
  if (before && before->task && !strcmp(before->task_sha256, sha256))
    o->task = ph_task_ref(before->task);
  else
    status = take_task(o, store, entry, opt);
  return status;
}

/* What cannot be had is a reason. PH_ENOMEM; PH_ETASK: the expression. */
static ph_status take(struct opened *o, ph_store *store, size_t i, const ph_ensemble_options *opt,
                      const struct opened *before) {
  const ph_entry *entry = ph_store_entry(store, i);
  ph_status status = ph_store_episode(&o->episode, store, i);
  if (status != PH_OK) {
    o->episode = NULL;
    say(o, error_of(entry));
    return status == PH_ENOMEM ? status : PH_OK;
  }
  status = take_model(o, store, entry);
  return status == PH_OK ? share_task(o, store, entry, opt, before) : status;
}

/* --- all of them --- */

static ph_status check_entries(ph_store *store, const size_t *entry, size_t n) {
  if (n > PH_ENSEMBLE_MAX)
    return ph_fail(PH_EINVAL, "envs: from 1 to %d of them can be shown together", PH_ENSEMBLE_MAX);
  for (size_t i = 0; i < n; i++)
    if (entry[i] >= ph_store_count(store))
      return ph_fail(PH_EINVAL, "envs: there is no episode %zu", entry[i]);
  return PH_OK;
}

size_t ph_ensemble_room(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= 2 * PH_ENSEMBLE_MAX)
    return PH_ENSEMBLE_MAX;
  return (size_t)limit.rlim_cur / 2;
}

struct ph_ensemble_opening {
  ph_store *store; /* borrowed */
  size_t *entry;
  size_t n, done, files;
  struct opened *opened; /* (n) */
  ph_ensemble_options opt;
  ph_task *task; /* referenced; NULL */
  char *success; /* NULL */
};

void ph_ensemble_opening_free(ph_ensemble_opening *o) {
  if (!o)
    return;
  for (size_t i = 0; o->opened && i < o->n; i++)
    clear(&o->opened[i]);
  ph_task_unref(o->task);
  free(o->success);
  free(o->opened);
  free(o->entry);
  free(o);
}

ph_status ph_ensemble_opening_begin(ph_ensemble_opening **out, ph_store *store, const size_t *entry,
                                    size_t n, const ph_ensemble_options *opt) {
  const ph_ensemble_options usual = PH_ENSEMBLE_OPTIONS_INIT;
  *out = NULL;
  ph_status status = check_entries(store, entry, n);
  if (status != PH_OK)
    return status;
  ph_ensemble_opening *o = calloc(1, sizeof *o);
  if (!o)
    return ph_fail(PH_ENOMEM, "envs: no memory for them");
  o->store = store;
  o->n = n;
  o->files = ph_ensemble_room();
  o->opt = opt ? *opt : usual;
  o->task = o->opt.task ? ph_task_ref(o->opt.task) : NULL;
  o->opt.task = o->task;
  o->success = o->opt.success ? strdup(o->opt.success) : NULL;
  bool ok = o->success || !o->opt.success;
  o->opt.success = o->success;
  o->entry = calloc(n + 1, sizeof *o->entry);
  o->opened = calloc(n + 1, sizeof *o->opened);
  if (!ok || !o->entry || !o->opened) {
    ph_ensemble_opening_free(o);
    return ph_fail(PH_ENOMEM, "envs: no memory for them");
  }
  if (n > 0)
    memcpy(o->entry, entry, n * sizeof *entry);
  *out = o;
  return PH_OK;
}

size_t ph_ensemble_opening_done(const ph_ensemble_opening *o) {
  return o->done;
}

ph_status ph_ensemble_opening_next(ph_ensemble_opening *o) {
  size_t i = o->done;
  ph_status status = PH_OK;
  if (i == o->n)
    return PH_END;
  if (i < o->files || i == o->opt.lead)
    status = take(&o->opened[i], o->store, o->entry[i], &o->opt, i > 0 ? &o->opened[i - 1] : NULL);
  else
    snprintf(o->opened[i].reason, sizeof o->opened[i].reason,
             "this process may have no more files open: raise `ulimit -n` above %zu", 2 * o->n);
  o->done += status == PH_OK;
  return status == PH_OK && o->done == o->n ? PH_END : status;
}

static void describe(ph_ensemble_source *to, const struct opened *o, const ph_entry *entry) {
  *to = (ph_ensemble_source){.episode = o->episode,
                             .model = o->model,
                             .task = o->task,
                             .reason = o->reason[0] ? o->reason : NULL,
                             .id = entry->id,
                             .env_id = entry->env_id,
                             .number = entry->episode};
}

/* The episodes become the ensemble's own. */
static void give(ph_ensemble *e, ph_episode **owned, struct opened *o, size_t n) {
  e->owned = owned;
  e->nowned = n;
  for (size_t i = 0; i < n; i++) {
    owned[i] = o[i].episode;
    o[i].episode = NULL;
  }
}

ph_status ph_ensemble_opening_end(ph_ensemble **out, ph_ensemble_opening *o) {
  *out = NULL;
  ph_ensemble_source *source = calloc(o->n + 1, sizeof *source);
  ph_episode **owned = calloc(o->n + 1, sizeof *owned);
  ph_status status = PH_OK;
  if (!source || !owned)
    status = ph_fail(PH_ENOMEM, "envs: no memory for them");
  for (size_t i = 0; status == PH_OK && i < o->n; i++)
    describe(&source[i], &o->opened[i], ph_store_entry(o->store, o->entry[i]));
  if (status == PH_OK)
    status = ph_ensemble_create(out, source, o->n, &o->opt);
  if (status == PH_OK) {
    give(*out, owned, o->opened, o->n);
    owned = NULL;
  }
  free(owned);
  free(source);
  return status;
}

ph_status ph_ensemble_open(ph_ensemble **out, ph_store *store, const size_t *entry, size_t n,
                           const ph_ensemble_options *opt, bool (*cancel)(void *arg), void *arg) {
  ph_ensemble_opening *o = NULL;
  *out = NULL;
  ph_status status = ph_ensemble_opening_begin(&o, store, entry, n, opt);
  while (status == PH_OK) {
    if (cancel && cancel(arg))
      status = ph_fail(PH_ECANCELED, "envs: canceled");
    else
      status = ph_ensemble_opening_next(o);
  }
  if (status == PH_END)
    status = ph_ensemble_opening_end(out, o);
  ph_ensemble_opening_free(o);
  return status;
}
