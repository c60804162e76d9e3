/* Foreign paths of a store: what a reader lists, looks at and opens, and the models that come with
 * its episodes. */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/model_diff.h>

#include "episode_file.h"
#include "fail.h"
#include "finding.h"
#include "hash.h"
#include "mjcf.h"
#include "probe.h"
#include "sniff.h"

#define MODELS_MAX 8 /* compiled models of foreign episodes that are kept */

/* --- homes --- */

/* What can be read of a file that is being written is read, and labelled. */
static void find_writer(char *out, size_t size, hid_t h5) {
  out[0] = 0;
  if (h5 >= 0)
    ph_file_writer(out, size, ph_h5_fd(h5));
}

static void say_writer(ph_entry *entries, size_t n, hid_t h5) {
  char writer[100];
  find_writer(writer, sizeof writer, h5);
  for (size_t i = 0; writer[0] && i < n; i++)
    ph_say_also(entries[i].oddity, sizeof entries[i].oddity, writer);
}

ph_status ph_store_scan_foreign(ph_home *home, ph_entry **entries, size_t *n, hid_t h5) {
  ph_scan scan = {0};
  home->h5 = h5;
  ph_status status = home->reader->scan(&scan, home->path, h5);
  if (status) {
    ph_scan_clear(&scan);
    return ph_file_fail(status, home->path, NULL);
  }
  snprintf(home->layout, sizeof home->layout, "%s", scan.layout);
  home->groups = scan.groups;
  home->ngroups = scan.ngroups;
  *entries = scan.entries;
  *n = scan.n;
  say_writer(*entries, *n, h5);
  return PH_OK;
}

void ph_home_clear(ph_home *home) {
  ph_scan scan = {.groups = home->groups, .ngroups = home->ngroups};
  if (home->groups)
    ph_scan_clear(&scan);
  if (home->reader)
    ph_h5_close(home->h5);
  free(home->path);
  free(home->facts);
  free(home->seen.known);
}

/* --- a look --- */

static void set_seen(ph_store *store, ph_entry *e) {
  if (e->actions >= 0 && e->states >= 0)
    return;
  store->unseen -= store->unseen > 0;
  e->actions = e->actions < 0 ? 0 : e->actions;
  e->states = e->states < 0 ? 0 : e->states;
}

/* The probe takes an entry together with those behind it; when it dies of one, one by one. */
static ph_status probe_look(ph_store *store, size_t i) {
  const char *groups[PH_PROBE_LOOKS];
  const ph_entry *e = &store->entries[i];
  size_t n = 0, end = i;
  if (i >= store->tried && i < store->tried_end)
    return PH_OK;
  while (end < store->n && n < PH_PROBE_LOOKS && store->home_of[end] == store->home_of[i] &&
         strcmp(store->entries[end].file, e->file) == 0)
    groups[n++] = store->entries[end++].group;
  ph_status status = i >= store->singly_end ? ph_probe_looks(e->file, groups, n) : PH_ECORRUPT;
  if (status == PH_OK) {
    store->tried = i;
    store->tried_end = end;
  }
  if (status == PH_OK || status == PH_ECANCELED)
    return status;
  if (i >= store->singly_end)
    store->singly_end = end;
  return ph_probe_looks(e->file, groups, 1);
}

/* What is odd of an entry from now on, beside what was odd when it was listed. */
static void set_oddity(ph_store *store, size_t i, const char *sentence) {
  ph_entry *e = &store->entries[i];
  e->oddity[store->listed[i]] = 0;
  if (sentence[0] && !strstr(e->oddity, sentence))
    ph_say_also(e->oddity, sizeof e->oddity, sentence);
}

static void set_failed(ph_store *store, size_t i) {
  char why[sizeof((ph_entry *)0)->oddity];
  ph_oddity(why, sizeof why, store->entries[i].file);
  set_oddity(store, i, why);
  set_seen(store, &store->entries[i]);
}

void ph_store_look_foreign(ph_store *store, size_t i) {
  ph_entry *e = &store->entries[i];
  const ph_home *h = &store->homes[store->home_of[i]];
  ph_entry seen = *e;
  ph_status status = probe_look(store, i);
  if (status == PH_ECANCELED)
    return;
  if (status == PH_OK && h->reader->look(&seen, h->h5) == PH_OK) {
    seen.actions = seen.actions < 0 ? 0 : seen.actions;
    seen.states = seen.states < 0 ? 0 : seen.states;
    *e = seen;
    store->unseen -= store->unseen > 0;
    return;
  }
  set_failed(store, i);
}

/* --- models --- */

/* The folder of the file is read too, so equal texts in other folders are others. */
static ph_status text_key(char key[PH_SHA256_SIZE], const ph_foreign *f) {
  struct ph_sha256 *sha = ph_sha256_new();
  const char *slash = strrchr(f->model_path, '/');
  if (!sha)
    return ph_fail(PH_ENOMEM, "model: out of memory");
  ph_sha256_add(sha, f->model_path, slash ? (size_t)(slash - f->model_path) : 0);
  ph_sha256_add(sha, "", 1);
  ph_sha256_add(sha, f->model_text, f->model_size);
  ph_sha256_end(sha, key);
  return PH_OK;
}

static ph_known_text *find_text(ph_store *store, const char *key) {
  for (size_t i = 0; i < store->ntexts; i++)
    if (strcmp(store->texts[i].key, key) == 0)
      return &store->texts[i];
  return NULL;
}

static ph_known_text *add_text(ph_store *store, const char *key) {
  ph_known_text *all = realloc(store->texts, (store->ntexts + 1) * sizeof *all);
  if (!all)
    return NULL;
  store->texts = all;
  ph_known_text *text = &all[store->ntexts++];
  memset(text, 0, sizeof *text);
  memcpy(text->key, key, sizeof text->key);
  return text;
}

/* Lets go of the model that was not used for longest, when there are too many. */
static void make_room(ph_store *store) {
  ph_known_model *oldest = NULL;
  size_t n = 0;
  for (size_t i = 0; i < store->nmodels; i++) {
    ph_known_model *m = &store->models[i];
    if (!m->model || m->entry == SIZE_MAX)
      continue;
    n++;
    if (!oldest || m->used < oldest->used)
      oldest = m;
  }
  if (n < MODELS_MAX)
    return;
  ph_model_unref(oldest->model);
  oldest->model = NULL;
}

/* Keeps a model that the i-th episode brought; takes it. */
static ph_status keep_model(ph_store *store, ph_model *model, size_t i) {
  const char *sha256 = ph_model_sha256(model);
  ph_known_model *known = ph_store_find_model(store, sha256);
  if (!known || !known->model)
    make_room(store);
  ph_status status = ph_store_know_model(store, sha256, store->home_of[i]);
  if (status) {
    ph_model_unref(model);
    return status;
  }
  known = ph_store_find_model(store, sha256);
  known->used = ++store->clock;
  if (known->model) {
    ph_model_unref(model);
    return PH_OK;
  }
  known->facts = model->facts;
  known->entry = i;
  known->model = model;
  return PH_OK;
}

static ph_model_options options_of(const ph_store *store) {
  return (ph_model_options){.assets = (const char *const *)store->assets,
                            .nassets = store->nassets,
                            .drop_missing = store->drop_missing,
                            .mend = true};
}

static ph_status open_text(ph_model **out, const ph_store *store, const ph_foreign *f) {
  ph_model_options opt = options_of(store);
  return ph_model_open_text(out, f->model_text, f->model_size, f->model_path, &opt);
}

/* Compiles the text and remembers what became of it. */
static ph_status learn_text(ph_store *store, const ph_foreign *f, const char *key, size_t i) {
  ph_model *model = NULL;
  ph_known_text *text = find_text(store, key);
  ph_status status = open_text(&model, store, f);
  char sha256[PH_SHA256_SIZE] = "", why[400] = "";
  bool passing = status == PH_EIO; /* no process or file could be had: that may pass */
  if (status == PH_ENOMEM)
    return status;
  if (status)
    ph_oddity(why, sizeof why, f->model_path);
  else
    memcpy(sha256, ph_model_sha256(model), sizeof sha256);
  status = model ? keep_model(store, model, i) : PH_OK;
  if (status == PH_OK && !text && !(text = add_text(store, key)))
    status = ph_fail(PH_ENOMEM, "model: out of memory");
  if (status)
    return status;
  free(text->why);
  memcpy(text->model, sha256, sizeof sha256);
  text->passing = passing;
  text->why = strdup(why);
  return text->why ? PH_OK : ph_fail(PH_ENOMEM, "model: out of memory");
}

/* The model of an episode that is being opened; *model is borrowed from the store, NULL: *why says
 * why there is none (borrowed too). */
static ph_status find_model(const ph_model **model, const char **why, ph_store *store,
                            const ph_foreign *f, size_t i) {
  char key[PH_SHA256_SIZE];
  *model = NULL;
  *why = NULL;
  if (!f->model_text)
    return PH_OK;
  ph_status status = text_key(key, f);
  if (status)
    return status;
  const ph_known_text *text = find_text(store, key);
  ph_known_model *known = text && text->model[0] ? ph_store_find_model(store, text->model) : NULL;
  if (!text || text->passing || (text->model[0] && (!known || !known->model)))
    status = learn_text(store, f, key, i);
  if (status)
    return status;
  text = find_text(store, key);
  known = text->model[0] ? ph_store_find_model(store, text->model) : NULL;
  if (known)
    known->used = ++store->clock;
  *model = known ? known->model : NULL;
  *why = text->why;
  return PH_OK;
}

ph_status ph_store_recall_model(ph_model **out, ph_store *store, const char *sha256) {
  ph_foreign f = {0};
  const ph_known_model *known = ph_store_find_model(store, sha256);
  char wanted[PH_SHA256_SIZE]; /* the list that sha256 may be of can move */
  const ph_model *model = NULL;
  const char *why = NULL;
  size_t i = known->entry;
  memcpy(wanted, known->sha256, sizeof wanted);
  const ph_entry *e = &store->entries[i];
  const ph_home *h = &store->homes[store->home_of[i]];
  ph_status status = ph_probe_episode(e->file, e->group);
  if (status == PH_OK)
    status = h->reader->open(&f, e->file, e->group, h->h5);
  if (status == PH_OK)
    status = find_model(&model, &why, store, &f, i);
  ph_foreign_clear(&f);
  if (status)
    return status;
  if (!model || strcmp(ph_model_sha256(model), wanted) != 0)
    return ph_fail(PH_ENOTFOUND, "%s: %s: its model is no longer what it was%s%s", e->file, e->id,
                   why && *why ? ": " : "", why ? why : "");
  *out = ph_model_ref(model);
  return PH_OK;
}

/* --- episodes --- */

/* What was odd when the episode was listed is a finding of it as well. */
static void find_listed(ph_foreign *f, const ph_store *store, size_t i) {
  char listed[sizeof((ph_entry *)0)->oddity];
  snprintf(listed, sizeof listed, "%.*s", (int)store->listed[i], store->entries[i].oddity);
  const char *unsaid = ph_unsaid(listed, f->findings, f->nfindings);
  if (unsaid[0])
    ph_foreign_find(f, PH_FINDING_ODDITY, -1, "%s", unsaid);
}

/* The first finding that the list had not; NULL: there is none. */
static const char *first_new(const ph_episode *episode, const char *listed, size_t n) {
  for (size_t k = 0; k < episode->nfindings; k++) {
    const ph_finding *f = &episode->findings[k];
    const char *at = strstr(listed, f->text);
    if (f->kind == PH_FINDING_ODDITY && (!at || at >= listed + n))
      return f->text;
  }
  return NULL;
}

/* The episode is right: what the list said before was a quick look. */
static void fill_entry(ph_store *store, size_t i, const ph_episode *episode) {
  ph_entry *e = &store->entries[i];
  const ph_episode_meta *m = &episode->meta;
  const char *sentence = first_new(episode, e->oddity, store->listed[i]);
  set_seen(store, e);
  e->actions = m->actions;
  e->states = m->states;
  e->env_id = m->env_id;
  e->episode = m->episode;
  e->end_reason = m->end_reason;
  e->success = m->success;
  memcpy(e->seed, m->seed, sizeof e->seed);
  memcpy(e->determinism, m->determinism, sizeof e->determinism);
  memcpy(e->model_sha256, m->model_sha256, sizeof e->model_sha256);
  if (sentence)
    set_oddity(store, i, sentence);
}

static const char *given_name(const ph_store *store) {
  const char *slash = strrchr(store->model_path, '/');
  return slash ? slash + 1 : store->model_path;
}

/* Of a file whose own model cannot be compared. */
static void say_unread(char *out, size_t size, const ph_store *store) {
  snprintf(out, size, "model %.80s is given, the file's own is not loaded", given_name(store));
}

/* The same joints, other numbers: the worst of them in words. */
static void say_numbers(char *out, size_t size, const char *name, const ph_model *own,
                        const ph_model *given) {
  ph_model_diff diff;
  if (ph_model_compare(&diff, own, given, 1) != PH_OK)
    return;
  if (diff.kept > 0 && diff.n > 1)
    snprintf(out, size, "model %.60s is used instead of the recorded one: %.180s, and %zu more",
             name, diff.change[0].text, diff.n - 1);
  else if (diff.kept > 0)
    snprintf(out, size, "model %.60s is used instead of the recorded one: %.200s", name,
             diff.change[0].text);
  ph_model_diff_clear(&diff);
}

/* What the given model is beside the file's own, a sentence; "": the same. */
static void compare_models(char *out, size_t size, const ph_store *store, const ph_foreign *f,
                           const ph_model *given) {
  const char *name = given_name(store);
  ph_model *own = NULL;
  char joints[190];
  ph_status status = open_text(&own, store, f);
  out[0] = 0;
  if (status != PH_OK)
    say_unread(out, size, store);
  else if (strcmp(ph_model_sha256(own), ph_model_sha256(given)) == 0)
    ;
  else if (ph_model_other_joints(joints, sizeof joints, own, given))
    snprintf(out, size, "model %.60s is used instead of the recorded one: its joints differ: %s",
             name, joints);
  else if (ph_model_fits(own, given) != PH_OK)
    snprintf(out, size, "model %.60s is used instead of the recorded one: %.200s", name,
             strncmp(ph_error(), "model: ", 7) == 0 ? ph_error() + 7 : ph_error());
  else
    say_numbers(out, size, name, own, given);
  ph_model_unref(own);
}

/* The given model, and what it is beside the file's own: compared once for each text. */
static ph_status give_model(const ph_model **model, const char **other, ph_store *store,
                            const ph_foreign *f) {
  char key[PH_SHA256_SIZE], sentence[320];
  ph_status status = ph_store_override(model, store);
  if (status == PH_OK && f->model_text)
    status = text_key(key, f);
  if (status || !f->model_text)
    return status;
  ph_known_text *text = find_text(store, key);
  if (!text) {
    compare_models(sentence, sizeof sentence, store, f, *model);
    text = add_text(store, key);
  }
  if (text && !text->why)
    text->why = strdup(sentence);
  if (!text || !text->why)
    return ph_fail(PH_ENOMEM, "model: out of memory");
  *other = text->why;
  return PH_OK;
}

/* Which model it gets: that of the options, else its own. other: a copy is made of what is odd of
 * that of the options. */
static ph_status choose_model(const ph_model **model, const char **why, char other[320],
                              ph_store *store, ph_foreign *f, size_t i) {
  const char *said = "";
  *why = NULL;
  other[0] = 0;
  if (!store->model_path)
    return find_model(model, why, store, f, i);
  ph_status status = give_model(model, &said, store, f);
  snprintf(other, 320, "%s", said);
  if (!f->model_text && f->model_fault[0]) /* it names one that cannot be had */
    say_unread(other, 320, store);
  free(f->model_text);
  f->model_text = NULL;
  return status;
}

/* Says so of an episode that has the given model, which is one of the store's from then on. */
static ph_status keep_given(ph_store *store, size_t i, ph_episode *e, const char *other) {
  const char *sha256 = e->meta.model_sha256;
  if (!store->model_path || !sha256[0])
    return PH_OK;
  ph_escape(e->other_model, sizeof e->other_model, other, strlen(other));
  ph_status status = ph_store_know_model(store, sha256, store->home_of[i]);
  ph_finding *all =
      other[0] && status == PH_OK ? realloc(e->findings, (e->nfindings + 1) * sizeof *all) : NULL;
  if (!all)
    return status;
  e->findings = all;
  ph_finding *finding = &all[e->nfindings++];
  *finding = (ph_finding){.kind = PH_FINDING_MISSING, .step = -1};
  ph_escape(finding->text, sizeof finding->text, other, strlen(other));
  return PH_OK;
}

ph_status ph_store_episode_foreign(ph_episode **out, ph_store *store, size_t i) {
  ph_entry *e = &store->entries[i];
  const ph_home *h = &store->homes[store->home_of[i]];
  ph_foreign f = {0};
  const ph_model *model = NULL;
  const char *why = NULL;
  char writer[100], other[320];
  ph_status status = ph_probe_episode(e->file, e->group);
  if (status == PH_OK)
    status = h->reader->open(&f, e->file, e->group, h->h5);
  if (status == PH_OK) {
    find_writer(writer, sizeof writer, h->h5);
    if (writer[0])
      ph_foreign_find(&f, PH_FINDING_ODDITY, -1, "%s", writer);
    find_listed(&f, store, i);
    status = choose_model(&model, &why, other, store, &f, i);
  }
  if (status) {
    ph_foreign_clear(&f);
  } else {
    memcpy(f.meta.id, e->id, sizeof e->id);
    status = ph_foreign_episode(out, &f, model, why);
  }
  if (status == PH_OK && (status = keep_given(store, i, *out, other)) != PH_OK) {
    ph_episode_free(*out);
    *out = NULL;
  }
  if (status == PH_OK) {
    fill_entry(store, i, *out);
    return PH_OK;
  }
  if (status != PH_ECANCELED)
    set_failed(store, i);
  return ph_file_fail(status, e->file, e->group);
}

ph_status ph_store_missing(char **out, ph_store *store, size_t i) {
  ph_foreign f = {0};
  ph_episode *episode = NULL;
  ph_model_options opt = options_of(store);
  *out = NULL;
  ph_status status = ph_store_episode(&episode, store, i); /* the probe has seen all of it then */
  const ph_home *h = status == PH_OK ? &store->homes[store->home_of[i]] : NULL;
  if (h && h->reader && !store->model_path && !ph_episode_meta_of(episode)->model_sha256[0])
    status = h->reader->open(&f, store->entries[i].file, store->entries[i].group, h->h5);
  if (status == PH_OK && f.model_text)
    status = ph_mjcf_missing(out, f.model_text, f.model_size, f.model_path, &opt);
  ph_foreign_clear(&f);
  ph_episode_free(episode);
  if (status == PH_OK && !*out && !(*out = strdup("")))
    status = ph_fail(PH_ENOMEM, "%s: out of memory", ph_store_path(store));
  return status;
}
