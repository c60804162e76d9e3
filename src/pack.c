#include <playhead/pack.h>

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "episode_file.h"
#include "fail.h"
#include "json.h"
#include "probe.h"
#include "sink_dataset.h"
#include "store.h"

/* One episode and its place among all. */
struct place {
  size_t home;
  int64_t episode;
  int env_id;
  size_t i; /* in the store */
};

/* Where an episode lies, whatever its path is called. */
struct origin {
  dev_t device;
  ino_t inode;
  size_t i;
};

/* What tells an episode from all others, by what it says itself. */
struct identity {
  char run_id[64], seed[24];
  int env_id;
  int64_t episode;
  size_t i;
};

struct pack {
  ph_sink base; /* what episodes are copied into: hands on what it gets, with one more provenance */
  ph_sink *sink;
  const ph_pack_options *opt;
  ph_store *store;
  struct place *order;
  struct identity *self; /* (n) */
  size_t n, done;
  bool *models, *tasks; /* per hash of the store: it is in the sink */
  char *provenance;     /* owned: of the episode that is copied */
  ph_pack_tally tally;
};

static ph_status out_of_memory(void) {
  return ph_fail(PH_ENOMEM, "pack: out of memory");
}

static ph_status go_on(const struct pack *p) {
  bool more = !p->opt->progress || p->opt->progress(p->opt->user, p->done, p->n);
  return more ? PH_OK : ph_fail(PH_EINVAL, "pack: it was stopped");
}

static const char *home_path(const struct pack *p, size_t i) {
  return p->store->homes[p->store->home_of[i]].path;
}

/* --- the output --- */

/* Whether a dataset of ours is at the path; a run's files are none. */
static bool is_dataset(const char *path) {
  hid_t h5 = H5I_INVALID_HID;
  ph_episode_meta meta = {0};
  bool index = false;
  ph_status status = ph_probe_path(path);
  if (!status)
    status = ph_file_open(&h5, path);
  if (!status)
    status = ph_meta_root(&meta, h5);
  if (!status)
    status = ph_file_has(&index, h5, "/index");
  ph_h5_close(h5);
  return !status && index;
}

/* Said before anything is read, and of the path that was given. */
static ph_status check_folder(const char *out) {
  char *copy = strdup(out);
  if (!copy)
    return out_of_memory();
  bool ok = access(dirname(copy), W_OK | X_OK) == 0;
  int error = errno;
  free(copy);
  return ok ? PH_OK : ph_fail(PH_EIO, "%s: its folder: %s", out, strerror(error));
}

static ph_status check_output(const char *out, const char *const *paths, size_t n, bool overwrite) {
  struct stat mine, theirs;
  if (lstat(out, &mine) != 0)
    return check_folder(out);
  if (!overwrite)
    return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", out);
  for (size_t i = 0; i < n; i++)
    if (stat(paths[i], &theirs) == 0 && theirs.st_dev == mine.st_dev &&
        theirs.st_ino == mine.st_ino)
      return ph_fail(PH_EINVAL, "%s: it is one of the sources: they are never written to", out);
  if (!S_ISREG(mine.st_mode) || !is_dataset(out))
    return ph_fail(PH_EEXIST, "%s: it is no dataset of playhead, and is left as it is", out);
  return PH_OK;
}

/* --- what there is --- */

static ph_status refuse_foreign(const ph_store *store) {
  for (size_t i = 0; i < store->nhomes; i++)
    if (store->homes[i].reader)
      return ph_fail(PH_EFORMAT,
                     "%s: it is of another recorder (%s): only runs, datasets and episode files of "
                     "playhead are packed",
                     store->homes[i].path, store->homes[i].layout);
  if (store->n == 0)
    return ph_fail(PH_ENOTFOUND, "%s: it holds no episode: there is nothing to pack",
                   ph_store_path(store));
  return PH_OK;
}

static int compare_origins(const void *a, const void *b) {
  const struct origin *x = a, *y = b;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->inode != y->inode)
    return x->inode < y->inode ? -1 : 1;
  return x->i < y->i ? -1 : x->i > y->i;
}

/* Files are seldom there twice, and groups of one file only where the file is. */
static ph_status refuse_twice(const struct pack *p) {
  const ph_store *store = p->store;
  struct origin *at = calloc(p->n, sizeof *at);
  struct stat st = {0};
  ph_status status = at ? PH_OK : out_of_memory();
  for (size_t i = 0; i < p->n && !status; i++) {
    const ph_entry *e = &store->entries[i];
    bool same = i > 0 && strcmp(e->file, store->entries[i - 1].file) == 0;
    if (!same && stat(e->file, &st) != 0)
      status = ph_fail(PH_EIO, "%s: cannot be opened: %s", e->file, strerror(errno));
    at[i] = (struct origin){st.st_dev, st.st_ino, i};
  }
  if (!status)
    qsort(at, p->n, sizeof *at, compare_origins);
  for (size_t i = 1; i < p->n && !status; i++)
    if (at[i].device == at[i - 1].device && at[i].inode == at[i - 1].inode &&
        store->home_of[at[i].i] != store->home_of[at[i - 1].i])
      status = ph_fail(PH_EINVAL, "%s: %s: it is there twice: by %s, and by %s",
                       store->entries[at[i].i].file, store->entries[at[i].i].id,
                       home_path(p, at[i - 1].i), home_path(p, at[i].i));
  free(at);
  return status;
}

static ph_status refuse_other_size(const struct pack *p, size_t i, int dim, int first) {
  bool same = p->store->home_of[i] == p->store->home_of[0];
  const ph_entry *e = &p->store->entries[i], *other = &p->store->entries[0];
  return ph_fail(PH_EMISMATCH,
                 "%s%s%s: its actions have %d numbers, those of %s%s%s have %d: they do not go "
                 "into one dataset",
                 home_path(p, i), same ? " " : "", same ? e->id : "", dim, home_path(p, 0),
                 same ? " " : "", same ? other->id : "", first);
}

static int compare_places(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->home != y->home)
    return x->home < y->home ? -1 : 1;
  if (x->episode != y->episode)
    return x->episode < y->episode ? -1 : 1;
  if (x->env_id != y->env_id)
    return x->env_id < y->env_id ? -1 : 1;
  return x->i < y->i ? -1 : x->i > y->i;
}

static int compare_selves(const struct identity *x, const struct identity *y) {
  int order = strcmp(x->run_id, y->run_id);
  if (order == 0 && x->env_id != y->env_id)
    order = x->env_id < y->env_id ? -1 : 1;
  if (order == 0 && x->episode != y->episode)
    order = x->episode < y->episode ? -1 : 1;
  return order ? order : strcmp(x->seed, y->seed);
}

static int compare_identities(const void *a, const void *b) {
  const struct identity *x = a, *y = b;
  int order = compare_selves(x, y);
  return order ? order : x->i < y->i ? -1 : x->i > y->i;
}

/* Copies of one episode, wherever they lie; one that names no run is told from none. */
static ph_status refuse_copies(const struct pack *p) {
  qsort(p->self, p->n, sizeof *p->self, compare_identities);
  for (size_t k = 1; k < p->n; k++) {
    const struct identity *one = &p->self[k - 1], *other = &p->self[k];
    if (!one->run_id[0] || compare_selves(one, other) != 0)
      continue;
    const ph_entry *e = &p->store->entries[one->i], *copy = &p->store->entries[other->i];
    return ph_fail(PH_EINVAL,
                   "%s: %s: it is the same episode as %s of %s: env %d, episode %" PRId64
                   ", seed %s of run %s",
                   copy->file, copy->id, e->id, e->file, one->env_id, one->episode, one->seed,
                   one->run_id);
  }
  return PH_OK;
}

/* A file that is not what its run's list of episodes takes it for. */
static ph_status refuse_odd(const struct pack *p) {
  const ph_store *store = p->store;
  for (size_t i = 0; i < p->n; i++)
    if (store->listed[i] && strcmp(store->homes[store->home_of[i]].layout, "run") == 0)
      return ph_fail(PH_EMISMATCH, "%s: %s", store->entries[i].file, store->entries[i].oddity);
  return PH_OK;
}

static void note_episode(struct pack *p, size_t i, const ph_episode_meta *m) {
  struct identity *self = &p->self[i];
  p->order[i] = (struct place){p->store->home_of[i], m->episode, m->env_id, i};
  *self = (struct identity){.env_id = m->env_id, .episode = m->episode, .i = i};
  memcpy(self->run_id, m->run_id, sizeof self->run_id);
  memcpy(self->seed, m->seed, sizeof self->seed);
}

/* Opens every episode once before anything is written, and puts them in order. */
static ph_status survey(struct pack *p) {
  int first = 0;
  ph_status status = PH_OK;
  for (size_t i = 0; i < p->n && !status; i++) {
    ph_episode *episode;
    status = ph_store_episode(&episode, p->store, i);
    if (status)
      break;
    const ph_episode_meta *m = ph_episode_meta_of(episode);
    note_episode(p, i, m);
    if (i == 0)
      first = m->dims.action_dim;
    if (m->dims.action_dim != first)
      status = refuse_other_size(p, i, m->dims.action_dim, first);
    ph_episode_free(episode);
    if (!status)
      status = go_on(p);
  }
  if (!status)
    status = refuse_copies(p);
  if (!status)
    status = refuse_odd(p);
  if (!status)
    qsort(p->order, p->n, sizeof *p->order, compare_places);
  return status;
}

/* --- models and tasks --- */

static ph_status put_model(struct pack *p, const char *sha256) {
  ph_model *model = NULL;
  size_t i = 0;
  const char *known;
  while ((known = ph_store_model_hash(p->store, i)) && strcmp(known, sha256) != 0)
    i++;
  if (!sha256[0] || (known && p->models[i]))
    return PH_OK;
  ph_status status = ph_store_model(&model, p->store, sha256);
  if (!status)
    status = p->sink->model(p->sink, model);
  ph_model_unref(model);
  p->models[i] = !status;
  p->tally.models += !status;
  return status;
}

static ph_status put_task(struct pack *p, const char *sha256) {
  ph_task *task = NULL;
  const char *source = NULL, *known;
  size_t i = 0;
  while ((known = ph_store_task_hash(p->store, i)) && strcmp(known, sha256) != 0)
    i++;
  if (!sha256[0] || (known && p->tasks[i]))
    return PH_OK;
  ph_status status = ph_store_task(&source, p->store, sha256);
  if (!status)
    status = ph_task_parse(&task, source, strlen(source), "recorded task");
  if (!status)
    status = p->sink->task(p->sink, task);
  ph_task_unref(task);
  p->tasks[i] = !status;
  p->tally.tasks += !status;
  return status;
}

static size_t count(const char *hash(const ph_store *, size_t), const ph_store *store) {
  size_t n = 0;
  while (hash(store, n))
    n++;
  return n;
}

/* --- episodes --- */

/* The source by its path, its place in it, and the run that it was recorded in. */
static ph_status add_provenance(char **out, const ph_episode_meta *m) {
  json_error_t error;
  json_t *array = json_loads(m->provenance, 0, &error);
  json_t *step = json_pack("{s:s, s:s, s:o, s:o, s:o}", "op", "pack", "by", "playhead " PH_VERSION,
                           "file", ph_json_text(m->file), "group", ph_json_text(m->group), "run_id",
                           ph_json_text(m->run_id));
  bool ok = array && step && json_array_append(array, step) == 0;
  *out = ok ? json_dumps(array, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(step);
  json_decref(array);
  return *out ? PH_OK
              : ph_fail(PH_EFORMAT, "%s: %s: its provenance cannot be added to", m->file, m->id);
}

static ph_status tap_begin(ph_sink *sink, const ph_begin *begin) {
  struct pack *p = (struct pack *)sink;
  ph_episode_meta meta = *begin->meta;
  ph_begin more = *begin;
  free(p->provenance);
  ph_status status = add_provenance(&p->provenance, &meta);
  meta.provenance = p->provenance;
  more.meta = &meta;
  return status ? status : p->sink->begin(p->sink, &more);
}

static ph_status tap_rows(ph_sink *sink, ph_column col, int64_t first, int64_t n,
                          const void *data) {
  struct pack *p = (struct pack *)sink;
  ph_status status = p->sink->rows(p->sink, col, first, n, data);
  return status ? status : go_on(p);
}

static ph_status tap_end(ph_sink *sink) {
  struct pack *p = (struct pack *)sink;
  return p->sink->end(p->sink);
}

static void tap_cancel(ph_sink *sink) {
  struct pack *p = (struct pack *)sink;
  p->sink->cancel(p->sink);
}

static ph_status finish_may_go_on(void *user) {
  return go_on(user);
}

static ph_status open_sink(struct pack *p, const char *out, const ph_episode_meta *first) {
  ph_sink_options opt = {.compress = p->opt->compress,
                         .existing =
                             p->opt->overwrite ? PH_EXISTING_OVERWRITE : PH_EXISTING_REFUSE};
  ph_status status = ph_sink_dataset(&p->sink, out, first, &opt);
  if (!status)
    ph_sink_dataset_ask(p->sink, finish_may_go_on, p);
  return status;
}

static ph_status put_episode(struct pack *p, const char *out, size_t i) {
  ph_episode *episode;
  ph_status status = ph_store_episode(&episode, p->store, i);
  if (status)
    return status;
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  if (!p->sink)
    status = open_sink(p, out, m);
  if (!status)
    status = put_model(p, m->model_sha256);
  if (!status)
    status = put_task(p, m->task_sha256);
  if (!status)
    status = ph_sink_copy(&p->base, episode);
  if (!status) {
    p->done++;
    p->tally.episodes++;
    p->tally.steps += m->actions;
    status = go_on(p);
  }
  ph_episode_free(episode);
  return status;
}

static ph_status prepare(struct pack *p) {
  p->base.begin = tap_begin;
  p->base.rows = tap_rows;
  p->base.end = tap_end;
  p->base.cancel = tap_cancel;
  p->n = p->store->n;
  p->order = calloc(p->n, sizeof *p->order);
  p->self = calloc(p->n, sizeof *p->self);
  p->models = calloc(count(ph_store_model_hash, p->store) + 1, sizeof *p->models);
  p->tasks = calloc(count(ph_store_task_hash, p->store) + 1, sizeof *p->tasks);
  return p->order && p->self && p->models && p->tasks ? PH_OK : out_of_memory();
}

ph_status ph_pack(const char *out, const char *const *paths, size_t n, const ph_pack_options *opt,
                  ph_pack_tally *tally) {
  static const ph_pack_options none = PH_PACK_OPTIONS_INIT;
  struct pack p = {.opt = opt ? opt : &none};
  ph_status status = check_output(out, paths, n, p.opt->overwrite);
  if (!status)
    status = ph_store_open(&p.store, paths, n, NULL);
  if (!status)
    status = refuse_foreign(p.store);
  if (!status)
    status = prepare(&p);
  if (!status)
    status = refuse_twice(&p);
  if (!status)
    status = survey(&p);
  for (size_t k = 0; k < p.n && !status; k++)
    status = put_episode(&p, out, p.order[k].i);
  if (!status)
    status = p.sink->finish(p.sink);
  if (p.sink)
    p.sink->free(p.sink);
  if (tally && !status)
    *tally = p.tally;
  ph_store_free(p.store);
  free(p.order);
  free(p.self);
  free(p.models);
  free(p.tasks);
  free(p.provenance);
  return status;
}
