#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "episode_file.h"
#include "fail.h"
#include "probe.h"

/* --- natural order --- */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Compares the numbers that begin at *a and *b and steps over them. */
static int compare_numbers(const char **a, const char **b) {
  const char *x = *a + strspn(*a, "0"), *y = *b + strspn(*b, "0");
  size_t nx = strspn(x, "0123456789"), ny = strspn(y, "0123456789");
  *a = x + nx;
  *b = y + ny;
  if (nx != ny)
    return nx < ny ? -1 : 1;
  return memcmp(x, y, nx);
}

int ph_natural_compare(const char *a, const char *b) {
  const char *x = a, *y = b;
  while (*x && *y) {
    if (is_digit(*x) && is_digit(*y)) {
      int order = compare_numbers(&x, &y);
      if (order)
        return order;
    } else if (*x != *y) {
      return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
    } else {
      x++;
      y++;
    }
  }
  if (*x || *y)
    return *x ? 1 : -1;
  return strcmp(a, b);
}

/* --- open --- */

static ph_status copy_options(ph_store *store, const ph_store_options *opt) {
  if (!opt)
    return PH_OK;
  store->assets = calloc(opt->model.nassets + 1, sizeof *store->assets);
  if (!store->assets)
    return ph_fail(PH_ENOMEM, "store: out of memory");
  for (size_t i = 0; i < opt->model.nassets; i++) {
    store->assets[i] = strdup(opt->model.assets[i]);
    if (!store->assets[i])
      return ph_fail(PH_ENOMEM, "store: out of memory");
    store->nassets++;
  }
  store->drop_missing = opt->model.drop_missing;
  if (opt->model_path && !(store->model_path = strdup(opt->model_path)))
    return ph_fail(PH_ENOMEM, "store: out of memory");
  return PH_OK;
}

/* Room for more entries than are asked for. A large block is copied into large pages: in small ones
 * their first touch would take ten times as long. */
static bool make_room(ph_store *store, size_t n) {
  const size_t page = (size_t)2 << 20;
  size_t room = n + n / 8 + 64, size = room * sizeof *store->entries;
  if (n <= store->room)
    return true;
  ph_entry *all = NULL;
  if (size < page) {
    all = realloc(store->entries, size);
  } else if ((all = aligned_alloc(page, (size + page - 1) / page * page))) {
    madvise(all, size, MADV_HUGEPAGE);
    memcpy(all, store->entries, store->n * sizeof *all);
    free(store->entries);
  }
  if (!all)
    return false;
  store->entries = all;
  store->room = room;
  return true;
}

/* Those of the first path are taken as they are. */
static bool append(ph_store *store, ph_entry **entries, size_t n) {
  if (store->entries && !make_room(store, store->n + n))
    return false;
  if (store->entries) {
    memcpy(store->entries + store->n, *entries, n * sizeof **entries);
    return true;
  }
  store->entries = *entries;
  store->room = n;
  *entries = NULL;
  return true;
}

ph_status ph_store_add(ph_store *store, ph_entry *entries, size_t n, size_t home) {
  size_t *homes = realloc(store->home_of, (store->n + n + 1) * sizeof *homes);
  uint8_t *listed = homes ? realloc(store->listed, store->n + n + 1) : NULL;
  if (homes)
    store->home_of = homes;
  if (listed)
    store->listed = listed;
  for (size_t i = 0; listed && i < n; i++) {
    homes[store->n + i] = home;
    listed[store->n + i] = (uint8_t)strlen(entries[i].oddity);
  }
  bool ok = listed && (n == 0 || append(store, &entries, n));
  store->n += ok ? n : 0;
  free(entries);
  return ok ? PH_OK : ph_fail(PH_ENOMEM, "store: %zu episodes: out of memory", n);
}

/* Hashes that episodes name. Neighbours mostly name the same one. */
static ph_status know_named(ph_store *store, size_t first) {
  const char *model = "", *task = "";
  ph_status status = PH_OK;
  for (size_t i = first; i < store->n && status == PH_OK; i++) {
    ph_entry *e = &store->entries[i];
    if (e->model_sha256[0] && strcmp(e->model_sha256, model) != 0)
      status = ph_store_know_model(store, model = e->model_sha256, SIZE_MAX);
    if (status == PH_OK && e->task_sha256[0] && strcmp(e->task_sha256, task) != 0)
      status = ph_store_know_task(store, task = e->task_sha256, SIZE_MAX);
  }
  return status;
}

ph_status ph_store_settle(ph_store *store, size_t home, size_t first) {
  const ph_home *h = &store->homes[home];
  ph_status status = know_named(store, first);
  for (size_t i = first; status == PH_OK && h->fault[0] && i < store->n; i++)
    if (!store->entries[i].oddity[0])
      ph_escape(store->entries[i].oddity, sizeof store->entries[i].oddity, h->fault,
                strlen(h->fault));
  return status;
}

static ph_status add_path(ph_store *store, size_t home, const char *path) {
  ph_entry *entries = NULL;
  size_t n = 0, first = store->n;
  ph_home *h = &store->homes[home];
  ph_status status = ph_probe_path(path);
  if (status == PH_OK)
    status = ph_store_scan(h, &entries, &n, path);
  if (status) {
    free(entries);
    return status;
  }
  status = ph_store_add(store, entries, n, home);
  for (size_t i = first; status == PH_OK && h->reader && i < store->n; i++)
    store->unseen += store->entries[i].actions < 0;
  if (status || h->reader)
    return status;
  ph_run_print(h->seen.facts, h->facts);
  if (h->facts)
    status = ph_store_learn(store, home);
  else {
    snprintf(h->fault, sizeof h->fault, "run.h5 is missing beside it: no model, no task");
    h->failed = PH_ENOTFOUND;
  }
  return status == PH_OK ? ph_store_settle(store, home, first) : status;
}

ph_status ph_store_open(ph_store **out, const char *const *paths, size_t n,
                        const ph_store_options *opt) {
  *out = NULL;
  if (n == 0)
    return ph_fail(PH_EINVAL, "store: no path is given");
  ph_store *store = calloc(1, sizeof *store);
  if (store)
    store->homes = calloc(n, sizeof *store->homes);
  ph_status status =
      store && store->homes ? copy_options(store, opt) : ph_fail(PH_ENOMEM, "store: out of memory");
  for (size_t i = 0; status == PH_OK && i < n; i++) {
    store->nhomes = i + 1;
    store->homes[i].h5 = H5I_INVALID_HID;
    status = add_path(store, i, paths[i]);
  }
  if (status == PH_OK)
    status = ph_store_make_groups(store);
  if (status == PH_OK)
    *out = store;
  else
    ph_store_free(store);
  return status;
}

void ph_store_free(ph_store *store) {
  if (!store)
    return;
  for (size_t i = 0; i < store->nhomes; i++)
    ph_home_clear(&store->homes[i]);
  for (size_t i = 0; i < store->nmodels; i++)
    ph_model_unref(store->models[i].model);
  for (size_t i = 0; i < store->ntasks; i++)
    free(store->tasks[i].source);
  for (size_t i = 0; i < store->nassets; i++)
    free(store->assets[i]);
  for (size_t i = 0; i < store->ntexts; i++)
    free(store->texts[i].why);
  ph_store_free_groups(store);
  ph_model_unref(store->override);
  free(store->texts);
  free(store->homes);
  free(store->entries);
  free(store->home_of);
  free(store->listed);
  free(store->models);
  free(store->tasks);
  free(store->assets);
  free(store->model_path);
  free(store);
}

/* --- what is there --- */

const char *ph_store_layout(const ph_store *store) {
  return store->homes[0].layout;
}
const char *ph_store_path(const ph_store *store) {
  return store->homes[0].path;
}
size_t ph_store_count(const ph_store *store) {
  return store->n;
}

const ph_entry *ph_store_entry(const ph_store *store, size_t i) {
  return i < store->n ? &store->entries[i] : NULL;
}

size_t ph_store_home(const ph_store *store, size_t i) {
  return i < store->n ? store->home_of[i] : SIZE_MAX;
}

size_t ph_store_find(const ph_store *store, const char *id) {
  for (size_t i = 0; i < store->n; i++)
    if (strcmp(store->entries[i].id, id) == 0)
      return i;
  size_t digits = strspn(id, "0123456789"), place = 0;
  if (digits == 0 || id[digits])
    return SIZE_MAX;
  for (; *id; id++)
    if (__builtin_mul_overflow(place, 10, &place) ||
        __builtin_add_overflow(place, (size_t)(*id - '0'), &place))
      return SIZE_MAX;
  return place < store->n ? place : SIZE_MAX;
}

/* --- episodes --- */

/* An episode of a run belongs to the run.h5 beside it. */
static ph_status check_origin(ph_store *store, size_t home, const ph_episode_meta *m) {
  const ph_home *h = &store->homes[home];
  if (!h->facts || h->fault[0])
    return PH_OK;
  if (strcmp(h->layout, "dataset") != 0 && strcmp(m->run_id, h->run_id) != 0)
    return ph_fail(PH_EMISMATCH, "%s: it is of run %s: %s is of run %s", m->file, m->run_id,
                   h->facts, h->run_id);
  const ph_known_model *model = ph_store_find_model(store, m->model_sha256);
  if (m->model_sha256[0] && (!model || model->home == SIZE_MAX))
    return ph_fail(PH_EMISMATCH, "%s: it names model %.12s: %s does not hold it", m->file,
                   m->model_sha256, h->facts);
  const ph_known_task *task = ph_store_find_task(store, m->task_sha256);
  if (m->task_sha256[0] && (!task || task->home == SIZE_MAX))
    return ph_fail(PH_EMISMATCH, "%s: it names task %.12s: %s does not hold it", m->file,
                   m->task_sha256, h->facts);
  return PH_OK;
}

/* The episode's own attributes are right; what the list said otherwise is said. */
static void correct_entry(ph_entry *e, const ph_episode_meta *m) {
  const char *what = NULL;
  if (e->actions != m->actions)
    what = "number of actions";
  else if (e->states != m->states)
    what = "number of states";
  else if (e->env_id != m->env_id || e->episode != m->episode)
    what = "env and episode";
  else if (e->end_reason != m->end_reason)
    what = "end";
  else if (e->success != m->success)
    what = "success";
  else if (strcmp(e->seed, m->seed) != 0)
    what = "seed";
  else if (strcmp(e->model_sha256, m->model_sha256) != 0)
    what = "model";
  else if (strcmp(e->task_sha256, m->task_sha256) != 0)
    what = "task";
  if (!e->oddity[0])
    memcpy(e->oddity, m->oddity, sizeof e->oddity);
  if (!what)
    return;
  ph_entry right;
  ph_entry_from_meta(&right, m);
  memcpy(right.id, e->id, sizeof right.id);
  memcpy(right.oddity, e->oddity, sizeof right.oddity);
  *e = right;
  if (!e->oddity[0])
    snprintf(e->oddity, sizeof e->oddity, "the list of episodes had another %s than the episode",
             what);
}

static const ph_model_facts *facts_of(void *store, const char *sha256) {
  const ph_known_model *model = ph_store_find_model(store, sha256);
  return model && model->home != SIZE_MAX ? &model->facts : NULL;
}

ph_status ph_store_episode(ph_episode **out, ph_store *store, size_t i) {
  *out = NULL;
  if (i >= store->n)
    return ph_fail(PH_EINVAL, "%s: episode %zu of %zu", ph_store_path(store), i, store->n);
  if (store->homes[store->home_of[i]].reader)
    return ph_store_episode_foreign(out, store, i);
  ph_entry *e = &store->entries[i];
  ph_episode *episode = NULL;
  ph_status status = ph_probe_episode(e->file, e->group);
  if (status == PH_OK)
    status = ph_episode_open_with(&episode, e->file, e->group, facts_of, store);
  if (status == PH_OK)
    status = check_origin(store, store->home_of[i], &episode->meta);
  if (status) {
    if (status != PH_ECANCELED && (status != PH_EIO || !e->oddity[0]))
      ph_oddity(e->oddity, sizeof e->oddity, e->file);
    ph_episode_free(episode);
    return status;
  }
  memcpy(episode->meta.id, e->id, sizeof e->id);
  correct_entry(e, &episode->meta);
  /* What is other in the model of the options can be said then. */
  if (store->model_path)
    ph_store_recorded(&episode->recorded, store, episode->meta.model_sha256);
  *out = episode;
  return PH_OK;
}

/* --- looks --- */

ph_status ph_store_look(ph_store *store, size_t i) {
  if (i >= store->n)
    return ph_fail(PH_EINVAL, "%s: episode %zu of %zu", ph_store_path(store), i, store->n);
  if (store->entries[i].actions < 0 && store->homes[store->home_of[i]].reader)
    ph_store_look_foreign(store, i);
  return PH_OK;
}

size_t ph_store_unseen(const ph_store *store) {
  return store->unseen;
}
