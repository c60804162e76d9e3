/* Models and tasks of a store, by hash. */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "episode_file.h"
#include "fail.h"
#include "mjcf.h"
#include "probe.h"

#define TEXT_MAX ((int64_t)64 << 20) /* of one XML or task [B] */

/* --- what is known --- */

ph_known_model *ph_store_find_model(ph_store *store, const char *sha256) {
  for (size_t i = 0; i < store->nmodels; i++)
    if (strcmp(store->models[i].sha256, sha256) == 0)
      return &store->models[i];
  return NULL;
}

ph_known_task *ph_store_find_task(ph_store *store, const char *sha256) {
  for (size_t i = 0; i < store->ntasks; i++)
    if (strcmp(store->tasks[i].sha256, sha256) == 0)
      return &store->tasks[i];
  return NULL;
}

ph_status ph_store_know_model(ph_store *store, const char *sha256, size_t home) {
  ph_known_model *known = ph_store_find_model(store, sha256);
  if (!known) {
    ph_known_model *all = realloc(store->models, (store->nmodels + 1) * sizeof *all);
    if (!all)
      return ph_fail(PH_ENOMEM, "model %.12s: out of memory", sha256);
    store->models = all;
    known = &all[store->nmodels++];
    memset(known, 0, sizeof *known);
    memcpy(known->sha256, sha256, sizeof known->sha256);
    known->home = known->entry = SIZE_MAX;
  }
  if (known->home == SIZE_MAX)
    known->home = home;
  return PH_OK;
}

ph_status ph_store_know_task(ph_store *store, const char *sha256, size_t home) {
  ph_known_task *known = ph_store_find_task(store, sha256);
  if (!known) {
    ph_known_task *all = realloc(store->tasks, (store->ntasks + 1) * sizeof *all);
    if (!all)
      return ph_fail(PH_ENOMEM, "task %.12s: out of memory", sha256);
    store->tasks = all;
    known = &all[store->ntasks++];
    memset(known, 0, sizeof *known);
    memcpy(known->sha256, sha256, sizeof known->sha256);
    known->home = SIZE_MAX;
  }
  if (known->home == SIZE_MAX)
    known->home = home;
  return PH_OK;
}

const char *ph_store_model_hash(const ph_store *store, size_t i) {
  return i < store->nmodels ? store->models[i].sha256 : NULL;
}

const char *ph_store_task_hash(const ph_store *store, size_t i) {
  return i < store->ntasks ? store->tasks[i].sha256 : NULL;
}

typedef struct learner {
  ph_store *store;
  size_t home;
  hid_t h5;
} learner;

static ph_status learn_model(void *arg, const char *name, bool is_group) {
  learner *l = arg;
  char path[96];
  hid_t group = H5I_INVALID_HID;
  ph_model_facts facts;
  if (!is_group || !ph_meta_is_sha256(name))
    return ph_fail(PH_EFORMAT, "/models/%.80s: its name is no SHA-256", name);
  snprintf(path, sizeof path, "/models/%s", name);
  ph_status status = ph_h5_group(&group, l->h5, path);
  if (status == PH_OK)
    status = ph_meta_model(&facts, group);
  ph_h5_close(group);
  if (status)
    return status;
  ph_known_model *known = ph_store_find_model(l->store, name);
  if (known && known->home != SIZE_MAX)
    return PH_OK;
  status = ph_store_know_model(l->store, name, l->home);
  if (status == PH_OK)
    ph_store_find_model(l->store, name)->facts = facts;
  return status;
}

static ph_status learn_task(void *arg, const char *name, bool is_group) {
  learner *l = arg;
  if (!is_group || !ph_meta_is_sha256(name))
    return ph_fail(PH_EFORMAT, "/tasks/%.80s: its name is no SHA-256", name);
  return ph_store_know_task(l->store, name, l->home);
}

static ph_status learn_group(learner *l, const char *path, ph_h5_visit *visit) {
  hid_t group = H5I_INVALID_HID;
  ph_status status = ph_file_group(&group, l->h5, path);
  if (group >= 0)
    status = ph_h5_list(group, visit, l);
  ph_h5_close(group);
  return status;
}

ph_status ph_store_learn(ph_store *store, size_t home) {
  ph_home *h = &store->homes[home];
  ph_episode_meta origin = {0};
  learner l = {store, home, H5I_INVALID_HID};
  ph_status status = ph_file_open(&l.h5, h->facts);
  if (status == PH_OK)
    status = ph_meta_root(&origin, l.h5);
  if (status == PH_OK)
    status = learn_group(&l, "/models", learn_model);
  if (status == PH_OK)
    status = learn_group(&l, "/tasks", learn_task);
  ph_h5_close(l.h5);
  memcpy(h->run_id, origin.run_id, sizeof h->run_id);
  if (status == PH_OK || status == PH_ENOMEM)
    return status;
  ph_file_fail(status, h->facts, NULL);
  snprintf(h->fault, sizeof h->fault, "%.190s", ph_error());
  h->failed = status;
  return PH_OK;
}

/* A home that cannot be read may be the one that holds it. */
static ph_status not_stored(const ph_store *store, const char *what, const char *sha256) {
  for (size_t i = 0; i < store->nhomes; i++)
    if (store->homes[i].fault[0])
      return ph_fail(store->homes[i].failed, "%s: %s %.12s: %s", ph_store_path(store), what, sha256,
                     store->homes[i].fault);
  return ph_fail(PH_ENOTFOUND, "%s: %s %.12s is not stored", ph_store_path(store), what, sha256);
}

/* --- sources --- */

typedef struct blob_list {
  hid_t group;
  int64_t limit;
  ph_blob *at;
  size_t n;
} blob_list;

static ph_status read_blob(void *arg, const char *name, bool is_group) {
  blob_list *list = arg;
  size_t size = 0;
  void *data = NULL;
  if (is_group)
    return ph_fail(PH_EFORMAT, "%s: a group where a file is expected", name);
  ph_blob *at = realloc(list->at, (list->n + 1) * sizeof *at);
  if (!at)
    return ph_fail(PH_ENOMEM, "%s: out of memory", name);
  list->at = at;
  ph_status status = ph_file_checked(&data, &size, NULL, list->group, name, list->limit);
  if (status)
    return status;
  ph_blob *blob = &list->at[list->n];
  memset(blob, 0, sizeof *blob);
  blob->name = strdup(name);
  blob->data = data;
  blob->size = size;
  list->n++;
  return blob->name ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", name);
}

/* Originals are numbered datasets whose path is an attribute. */
static ph_status read_original(void *arg, const char *name, bool is_group) {
  blob_list *list = arg;
  hid_t dataset = H5I_INVALID_HID;
  ph_h5_array info;
  char *path = NULL;
  ph_status status = read_blob(arg, name, is_group);
  if (status)
    return status;
  status = ph_h5_dataset(&dataset, &info, list->group, name);
  if (status == PH_OK && ph_h5_has_attr(dataset, "path"))
    status = ph_h5_attr_text(dataset, "path", &path);
  ph_h5_close(dataset);
  if (path) {
    ph_blob *blob = &list->at[list->n - 1];
    free(blob->name);
    blob->name = path;
  }
  return status;
}

static ph_status read_blobs(ph_blob **out, size_t *n, hid_t model, const char *path, int64_t limit,
                            ph_h5_visit *visit) {
  blob_list list = {H5I_INVALID_HID, limit, NULL, 0};
  ph_status status = ph_file_group(&list.group, model, path);
  if (list.group >= 0)
    status = ph_h5_list(list.group, visit, &list);
  ph_h5_close(list.group);
  *out = list.at;
  *n = list.n;
  return status;
}

static ph_status read_source(ph_source **out, hid_t model, int64_t limit, const char *sha256) {
  ph_source *source = calloc(1, sizeof *source);
  void *xml = NULL;
  *out = NULL;
  if (!source)
    return ph_fail(PH_ENOMEM, "model %.12s: out of memory", sha256);
  ph_status status = ph_file_checked(&xml, &source->xml_size, NULL, model, "xml",
                                     limit < TEXT_MAX ? limit : TEXT_MAX);
  source->xml = xml;
  if (status == PH_OK)
    status = read_blobs(&source->assets, &source->nassets, model, "assets", limit, read_blob);
  if (status == PH_OK)
    status =
        read_blobs(&source->originals, &source->noriginals, model, "source", limit, read_original);
  if (status == PH_OK) {
    ph_source_hash(source);
    if (strcmp(source->sha256, sha256) != 0)
      status = ph_fail(PH_ECORRUPT, "/models/%s: its source and assets hash to %.12s...", sha256,
                       source->sha256);
  }
  if (status == PH_OK)
    status = ph_mjcf_check(source);
  if (status)
    ph_source_free(source);
  else
    *out = source;
  return status;
}

/* --- models --- */

/* A source that cannot be used is no reason to lose the names; an error of the disk may pass. */
static bool names_suffice(ph_status status, const ph_names *names) {
  return (status == PH_ECORRUPT || status == PH_EFORMAT || status == PH_EREFUSED ||
          status == PH_EMODEL || status == PH_ENOTFOUND) &&
         names->count[PH_BODY] > 0;
}

static ph_status read_model(ph_model **out, const ph_store *store, const ph_known_model *known) {
  const ph_home *h = &store->homes[known->home];
  hid_t h5 = H5I_INVALID_HID, group = H5I_INVALID_HID;
  ph_source *source = NULL;
  ph_names names = {0};
  bool named = false;
  char path[96];
  struct stat st;
  snprintf(path, sizeof path, "/models/%s", known->sha256);
  ph_status status = ph_probe_stored(h->facts, path);
  if (status == PH_OK)
    status = ph_file_open(&h5, h->facts);
  if (status == PH_OK && stat(h->facts, &st) != 0)
    status = ph_fail(PH_EIO, "%s: it is gone", h->facts);
  if (status == PH_OK)
    status = ph_h5_group(&group, h5, path);
  if (status == PH_OK)
    status = ph_names_read(&names, group, &known->facts.dims, st.st_size);
  if (status == PH_OK) {
    status = read_source(&source, group, st.st_size, known->sha256);
    named = names_suffice(status, &names);
  }
  ph_h5_close(group);
  ph_h5_close(h5);
  if (named) {
    ph_file_fail(status, h->facts, path);
    status = ph_model_from_names(out, known->sha256, &known->facts, &names, ph_error());
  } else if (status == PH_OK) {
    status = ph_model_from_source(out, source, &known->facts, &names);
  }
  ph_names_clear(&names);
  return ph_file_fail(status, h->facts, path);
}

/* Somebody else's model is mended where a foreign episode needs it; our own are as they were. */
ph_status ph_store_override(const ph_model **out, ph_store *store) {
  bool foreign = false;
  for (size_t i = 0; i < store->nhomes; i++)
    foreign = foreign || store->homes[i].reader;
  ph_model_options opt = {.assets = (const char *const *)store->assets,
                          .nassets = store->nassets,
                          .drop_missing = store->drop_missing,
                          .mend = foreign};
  ph_status status =
      store->override ? PH_OK : ph_model_open(&store->override, store->model_path, &opt);
  *out = store->override;
  return status;
}

ph_status ph_store_recorded(ph_model **out, ph_store *store, const char *sha256) {
  ph_status status = PH_OK;
  *out = NULL;
  if (!sha256[0])
    return ph_fail(PH_ENOTFOUND, "%s: the episode names no model", ph_store_path(store));
  ph_known_model *known = ph_store_find_model(store, sha256);
  if (!known || known->home == SIZE_MAX)
    return not_stored(store, "model", sha256);
  if (!known->model && known->entry != SIZE_MAX)
    return ph_store_recall_model(out, store, known->sha256);
  if (!known->model)
    status = read_model(&known->model, store, known);
  if (status == PH_OK)
    *out = ph_model_ref(known->model);
  return status;
}

/* Another model may have other numbers, not other joints: columns would get wrong names. What the
 * file says of its own model may be missing or damaged; then sizes decide, in ph_replay_create. */
static ph_status override_model(ph_model **out, ph_store *store, const char *sha256) {
  ph_model *recorded = NULL;
  const ph_model *given = NULL;
  bool foreign = true;
  for (size_t i = 0; i < store->nhomes; i++)
    foreign = foreign && store->homes[i].reader;
  if (foreign && !sha256[0]) /* what fits an episode is known by its hash */
    return ph_fail(PH_EMISMATCH, "%s: it does not fit the states of the episode",
                   store->model_path);
  ph_status status = ph_store_override(&given, store);
  bool itself = status == PH_OK && strcmp(sha256, ph_model_sha256(given)) == 0;
  if (status == PH_OK && !itself && ph_store_recorded(&recorded, store, sha256) == PH_OK &&
      ph_model_fits(recorded, given) != PH_OK)
    status = ph_fail_in(PH_EMISMATCH, "%s", store->model_path);
  ph_model_unref(recorded);
  if (status == PH_OK)
    *out = ph_model_ref(given);
  return status;
}

ph_status ph_store_model(ph_model **out, ph_store *store, const char *sha256) {
  *out = NULL;
  return store->model_path ? override_model(out, store, sha256)
                           : ph_store_recorded(out, store, sha256);
}

/* --- tasks --- */

static ph_status read_task(char **out, const ph_store *store, const ph_known_task *known) {
  const ph_home *h = &store->homes[known->home];
  hid_t h5 = H5I_INVALID_HID;
  char path[96], hex[PH_SHA256_SIZE];
  void *text = NULL;
  size_t size = 0;
  snprintf(path, sizeof path, "/tasks/%s/source", known->sha256);
  ph_status status = ph_probe_stored(h->facts, path);
  if (status == PH_OK)
    status = ph_file_open(&h5, h->facts);
  if (status == PH_OK)
    status = ph_file_checked(&text, &size, NULL, h5, path, TEXT_MAX);
  ph_h5_close(h5);
  if (status == PH_OK)
    ph_sha256_of(text, size, hex);
  if (status == PH_OK && strcmp(hex, known->sha256) != 0)
    status = ph_fail(PH_ECORRUPT, "%s: %s: its text hashes to %.12s...", h->facts, path, hex);
  if (status == PH_OK && memchr(text, 0, size))
    status = ph_fail(PH_EFORMAT, "%s: %s: it is no text", h->facts, path);
  if (status == PH_OK)
    *out = text;
  else
    free(text);
  return ph_file_fail(status, h->facts, path);
}

ph_status ph_store_task(const char **out, ph_store *store, const char *sha256) {
  ph_status status = PH_OK;
  *out = NULL;
  ph_known_task *known = ph_store_find_task(store, sha256);
  if (!known || known->home == SIZE_MAX)
    return not_stored(store, "task", sha256);
  if (!known->source)
    status = read_task(&known->source, store, known);
  if (status == PH_OK)
    *out = known->source;
  return status;
}

/* --- the probe's part --- */

static ph_status try_model(hid_t h5, const char *path, int64_t size) {
  hid_t group = H5I_INVALID_HID;
  ph_model_facts facts;
  ph_names names = {0};
  ph_source *source = NULL;
  ph_status status = ph_h5_group(&group, h5, path);
  if (status == PH_OK)
    status = ph_meta_model(&facts, group);
  if (status == PH_OK)
    status = ph_names_read(&names, group, &facts.dims, size);
  if (status == PH_OK)
    status = read_source(&source, group, size, path + strlen("/models/"));
  ph_source_free(source);
  ph_names_clear(&names);
  ph_h5_close(group);
  return status;
}

ph_status ph_store_try_stored(const char *file, const char *group) {
  hid_t h5 = H5I_INVALID_HID;
  void *text = NULL;
  size_t size = 0;
  struct stat st;
  ph_status status = ph_file_open(&h5, file);
  if (status == PH_OK && stat(file, &st) != 0)
    status = ph_fail(PH_EIO, "%s: it is gone", file);
  if (status == PH_OK && strncmp(group, "/models/", strlen("/models/")) == 0)
    status = try_model(h5, group, st.st_size);
  else if (status == PH_OK)
    status = ph_file_checked(&text, &size, NULL, h5, group, TEXT_MAX);
  free(text);
  ph_h5_close(h5);
  return status == PH_ENOMEM ? status : PH_OK;
}
