/* A file of robosuite's family, object by object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut_demos.h"
#include "fail.h"

enum { PATH = 1024, DEPTH = 32 };
#define MASK_LIMIT ((size_t)64 << 20) /* bytes of one group's names */

/* An object that has more than one name keeps them where all of it is kept the same way. */
struct ph_cut_twin {
  uint64_t address;
  int64_t first, n; /* rows that are kept; n -1: all; of groups what they are cut by */
  char *path;       /* owned */
};

/* A place in both files. */
struct place {
  ph_cut_file *f;
  const ph_cut_demo *demo; /* NULL: of none */
  int64_t entry;           /* of the store, where it is of one */
  const char *below;       /* path below the demo */
  char path[PATH];
  int depth;
};

/* --- attributes --- */

struct lost {
  bool any;
  char text[200];
};

static void on_lost(void *arg, const char *name, const char *why) {
  struct lost *lost = arg;
  if (!lost->any)
    snprintf(lost->text, sizeof lost->text, "attribute %.80s: %.100s", name, why);
  lost->any = true;
}

static ph_status copy_attrs(const struct place *p, hid_t made, hid_t from) {
  struct lost lost = {0};
  ph_status status = ph_h5_copy_attrs(made, from, on_lost, &lost);
  if (!status && lost.any)
    status = ph_fail(PH_EFORMAT, "%s: %s: %s: it cannot be copied", p->f->c->source,
                     p->path[0] ? p->path : "/", lost.text);
  return status;
}

/* --- datasets --- */

static ph_status add_twin(ph_cut_file *f, uint64_t address, int64_t first, int64_t n,
                          const char *path) {
  if (f->ntwins == f->twins_room) {
    size_t room = f->twins_room ? 2 * f->twins_room : 64;
    struct ph_cut_twin *more = realloc(f->twin, room * sizeof *more);
    if (!more)
      return ph_fail(PH_ENOMEM, "%s: out of memory", f->c->source);
    f->twin = more;
    f->twins_room = room;
  }
  char *copy = strdup(path);
  f->twin[f->ntwins++] = (struct ph_cut_twin){address, first, n, copy};
  return copy ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", f->c->source);
}

static const char *find_twin(const ph_cut_file *f, uint64_t address, int64_t first, int64_t n) {
  for (size_t i = 0; i < f->ntwins; i++)
    if (f->twin[i].address == address && f->twin[i].first == first && f->twin[i].n == n)
      return f->twin[i].path;
  return NULL;
}

/* Only of objects that have several: there may be very many of one. */
static ph_status link_twin(bool *done, const struct place *p, hid_t dataset, int64_t first,
                           int64_t n) {
  uint64_t address;
  *done = false;
  if (ph_h5_names_of(dataset) < 2)
    return PH_OK;
  ph_status status = ph_h5_address(&address, dataset);
  const char *twin = status ? NULL : find_twin(p->f, address, first, n);
  *done = twin;
  if (status)
    return status;
  return twin ? ph_h5_link(p->f->to, p->path, twin) : add_twin(p->f, address, first, n, p->path);
}

/* --- demos that are left out --- */

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entry of a name below /data; SIZE_MAX: none. */
static size_t entry_of(ph_cut_file *f, const char *name) {
  char group[sizeof f->c->store->entries->group];
  int n = snprintf(group, sizeof group, "/data/%s", name);
  return n < (int)sizeof group ? ph_id_index_find(&f->groups, group) : SIZE_MAX;
}

/* There is room for it. */
static void note_alias(ph_cut_file *f, hid_t group) {
  uint64_t address;
  if (ph_h5_names_of(group) > 1 && ph_h5_address(&address, group) == PH_OK)
    f->alias[f->naliases++] = address;
}

/* What is at another place would be whole there. */
static ph_status find_aliases(ph_cut_file *f, hid_t data, char *const *names, size_t n) {
  hid_t demo;
  f->alias = calloc(n + 1, sizeof *f->alias);
  if (!f->alias)
    return ph_fail(PH_ENOMEM, "%s: out of memory", f->c->source);
  note_alias(f, data);
  for (size_t i = 0; i < n; i++)
    if (ph_h5_kind_of(data, names[i]) == PH_H5_GROUP && !ph_h5_group(&demo, data, names[i])) {
      note_alias(f, demo);
      ph_h5_close(demo);
    }
  return PH_OK;
}

static bool is_alias(const ph_cut_file *f, uint64_t address) {
  for (size_t i = 0; i < f->naliases; i++)
    if (f->alias[i] == address)
      return true;
  return false;
}

/* A demo whose name is too long for an entry is of none. */
static ph_status find_left_out(ph_cut_file *f) {
  char **names = NULL;
  hid_t data;
  size_t n = 0, kept = 0;
  f->drops = !f->dry && f->c->tally.dropped > 0;
  for (size_t i = 0; f->c->list && i < f->c->store->n; i++)
    f->drops = f->drops || f->c->list[i].dropped;
  ph_status status = ph_h5_group(&data, f->from, "/data");
  if (!status)
    status = ph_demo_names(&names, &n, data);
  if (!status)
    status = find_aliases(f, data, names, n);
  for (size_t i = 0; i < n && !status; i++) {
    size_t entry = entry_of(f, names[i]);
    f->drops = f->drops || entry == SIZE_MAX;
    if (entry == SIZE_MAX || f->c->at[entry]->dropped)
      names[kept++] = names[i];
    else
      free(names[i]);
  }
  if (kept > 1)
    qsort(names, kept, sizeof *names, compare_names);
  f->left_out = names;
  f->nleft_out = kept;
  ph_h5_close(data);
  return status;
}

static bool is_left_out(const ph_cut_file *f, const char *name) {
  return f->nleft_out > 0 &&
         bsearch(&name, f->left_out, f->nleft_out, sizeof *f->left_out, compare_names);
}

static bool is_mask(const struct place *p) {
  return strncmp(p->path, "/mask/", 6) == 0;
}

static ph_status copy_slice(const struct place *p, hid_t dataset, int64_t first, int64_t n) {
  return p->f->dry ? ph_h5_try_slice(p->f->to, p->path, dataset, first, n, ph_cut_tick, p->f)
                   : ph_h5_copy_slice(p->f->to, p->path, dataset, first, n, ph_cut_tick, p->f);
}

/* A group of names without the demos that are left out. */
static ph_status copy_mask(const struct place *p, hid_t group, const char *name, hid_t dataset) {
  char **ids = NULL;
  size_t n = 0, kept = 0;
  ph_h5_extent e;
  ph_h5_extent_of(&e, dataset);
  if (p->f->nleft_out == 0)
    return copy_slice(p, dataset, 0, -1);
  ph_status status = e.rank == 1 ? ph_h5_texts(&ids, &n, group, name, MASK_LIMIT)
                                 : ph_fail(PH_EFORMAT, "it is no list");
  if (status && !p->f->drops) /* only in a try the others count as left out */
    return copy_slice(p, dataset, 0, -1);
  if (status)
    return ph_fail_in(status, "%s: %s: it may name demos that are left out, and cannot be read",
                      p->f->c->source, p->path);
  int64_t *rows = calloc(n + 1, sizeof *rows);
  for (size_t i = 0; rows && i < n; i++)
    if (!is_left_out(p->f, ids[i]))
      rows[kept++] = (int64_t)i;
  ph_h5_names_free(ids, n);
  status = rows ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", p->f->c->source);
  if (!status)
    status = kept < n ? ph_h5_copy_picked(p->f->to, p->path, dataset, &e, rows, (int64_t)kept)
                      : copy_slice(p, dataset, 0, -1);
  free(rows);
  return status;
}

static ph_status copy_rows(bool *linked, const struct place *p, hid_t group, const char *name,
                           hid_t dataset) {
  int64_t first = 0, n = -1;
  *linked = false;
  if (is_mask(p))
    return copy_mask(p, group, name, dataset);
  if (p->demo && !ph_cut_demo_rows(p->demo, p->below, dataset, &first, &n)) {
    first = 0;
    n = -1;
  }
  ph_status status = link_twin(linked, p, dataset, first, n);
  if (status || *linked)
    return status;
  return copy_slice(p, dataset, first, n);
}

static ph_status copy_dataset(const struct place *p, hid_t group, const char *name) {
  hid_t dataset, made = H5I_INVALID_HID;
  ph_h5_array info;
  const char *why;
  bool linked;
  ph_status status = ph_h5_dataset_any(&dataset, &info, &why, group, name);
  if (status)
    return status;
  status = copy_rows(&linked, p, group, name, dataset);
  if (!status && !linked)
    status = ph_h5_dataset_any(&made, &info, &why, p->f->to, p->path);
  if (!status && !linked)
    status = copy_attrs(p, made, dataset);
  ph_h5_close(made);
  ph_h5_close(dataset);
  return status;
}

/* --- groups --- */

static ph_status copy_group(const struct place *p, hid_t from, hid_t made);

static ph_status copy_demo(struct place *p, hid_t data, hid_t from, hid_t made, size_t entry) {
  ph_cut_demo demo;
  const char *path = p->f->c->store->entries[entry].group;
  ph_status status = ph_cut_demo_read(&demo, from, path, p->f->c->at[entry]);
  if (status)
    return ph_fail_in(status, "%s", p->f->c->source);
  p->demo = &demo;
  p->entry = (int64_t)entry;
  p->below = "";
  status = copy_group(p, from, made);
  if (!status)
    status = ph_cut_demo_settle(p->f, &demo, data, made, path);
  if (!status)
    status = ph_cut_models_add(p->f, from);
  if (!status)
    ph_cut_demo_done(p->f);
  p->demo = NULL;
  return status;
}

static const char *name_below_data(const struct place *p) {
  const char *name = strncmp(p->path, "/data/", 6) == 0 ? p->path + 6 : NULL;
  return name && !strchr(name, '/') ? name : NULL;
}

/* How rows below a group are cut depends on the demo that it is in, and on its name there. */
static ph_status copy_new_group(struct place *p, hid_t group, hid_t from, size_t entry) {
  hid_t made;
  ph_status status = ph_h5_group_same(&made, p->f->to, p->path, from);
  if (status)
    return status;
  status = entry != SIZE_MAX ? copy_demo(p, group, from, made, entry) : copy_group(p, from, made);
  ph_h5_close(made);
  return status;
}

/* Once for all its names in a demo, or outside of all; it is known when it is complete, so that one
 * that leads to itself is too deep. */
static ph_status copy_below(struct place *p, hid_t group, const char *name) {
  hid_t from;
  const char *child = p->demo ? NULL : name_below_data(p);
  size_t entry = child ? entry_of(p->f, child) : SIZE_MAX;
  int64_t apart = p->demo && ph_cut_demo_apart(p->below), of = p->demo ? -2 - p->entry : -1;
  uint64_t address = 0;
  ph_status status = ph_h5_group(&from, group, name);
  if (status)
    return status;
  bool several = entry == SIZE_MAX && ph_h5_names_of(from) > 1;
  if (several)
    status = ph_h5_address(&address, from);
  if (several && !status && is_alias(p->f, address) && strcmp(p->path, "/data") != 0)
    status = ph_fail(PH_EFORMAT, "%s: %s: it is another name of /data or of a demo that is cut",
                     p->f->c->source, p->path);
  const char *twin = several && !status ? find_twin(p->f, address, apart, of) : NULL;
  if (twin)
    status = ph_h5_link(p->f->to, p->path, twin);
  else if (!status)
    status = copy_new_group(p, group, from, entry);
  if (several && !twin && !status)
    status = add_twin(p->f, address, apart, of, p->path);
  ph_h5_close(from);
  return status;
}

static ph_status copy_link(const struct place *p, hid_t group, const char *name) {
  if (!p->demo)
    return ph_h5_link_same(p->f->to, p->path, group, name);
  return ph_fail(PH_EFORMAT, "%s: %s: a link is never followed, so what it leads to is not cut",
                 p->f->c->source, p->path);
}

static ph_status copy_member(const struct place *in, hid_t group, const char *name) {
  struct place p = *in;
  bool in_data = !in->demo && strcmp(in->path, "/data") == 0;
  if (in_data && is_left_out(in->f, name))
    return PH_OK;
  int length = snprintf(p.path, sizeof p.path, "%s/%s", in->path, name);
  char below[PATH];
  if (length < 0 || (size_t)length >= sizeof p.path || ++p.depth > DEPTH)
    return ph_fail(PH_EFORMAT, "%s: %.80s...: too deep to be copied", p.f->c->source, p.path);
  if (in->demo) {
    snprintf(below, sizeof below, "%s%s%s", in->below, in->below[0] ? "/" : "", name);
    p.below = below;
  }
  ph_cut_tick(p.f, 4096);
  switch (ph_h5_kind_of(group, name)) {
  case PH_H5_GROUP:
    return copy_below(&p, group, name);
  case PH_H5_DATASET:
    return copy_dataset(&p, group, name);
  case PH_H5_LINK:
    return copy_link(&p, group, name);
  case PH_H5_OTHER:
  case PH_H5_BROKEN:
    break;
  }
  return ph_fail(PH_EFORMAT, "%s: %s: it is damaged, or of a kind that cannot be copied",
                 p.f->c->source, p.path);
}

static ph_status copy_group(const struct place *p, hid_t from, hid_t made) {
  char **names = NULL;
  size_t n = 0;
  ph_status status = copy_attrs(p, made, from);
  if (!status)
    status = ph_h5_names_made(&names, &n, from);
  for (size_t i = 0; i < n && !status; i++) {
    status = copy_member(p, from, names[i]);
    if (!status)
      status = ph_h5_check(p->f->to);
  }
  ph_h5_names_free(names, n);
  return status;
}

/* --- all of it --- */

static ph_status settle_totals(ph_cut_file *f) {
  hid_t data;
  ph_status status = ph_h5_group(&data, f->to, "/data");
  if (status)
    return status;
  status = ph_h5_set_whole(data, "total", f->total);
  if (!status)
    status = ph_h5_set_whole(data, "num_demos", (int64_t)f->done);
  ph_h5_close(data);
  return status;
}

static void clear_twins(ph_cut_file *f) {
  for (size_t i = 0; i < f->ntwins; i++)
    free(f->twin[i].path);
  free(f->twin);
  f->twin = NULL;
  f->ntwins = f->twins_room = 0;
}

ph_status ph_cut_copy(ph_cut_file *f) {
  struct place root = {.f = f, .below = ""};
  hid_t from = H5I_INVALID_HID, made = H5I_INVALID_HID;
  const ph_store *store = f->c->store;
  ph_status status =
      ph_id_index_make(&f->groups, store->entries->group, sizeof *store->entries, store->n);
  if (!status)
    status = find_left_out(f);
  if (!status)
    status = ph_h5_group(&from, f->from, "/");
  if (!status)
    status = ph_h5_group(&made, f->to, "/");
  if (!status)
    status = copy_group(&root, from, made);
  if (!status)
    status = settle_totals(f);
  ph_h5_close(made);
  ph_h5_close(from);
  clear_twins(f);
  ph_h5_names_free(f->left_out, f->nleft_out);
  free(f->alias);
  ph_id_index_clear(&f->groups);
  return status;
}

ph_status ph_cut_copy_entry(ph_cut_file *f, size_t entry) {
  struct place p = {.f = f, .below = ""};
  const char *path = f->c->store->entries[entry].group;
  hid_t data = H5I_INVALID_HID, from = data, above = data, made = data;
  snprintf(p.path, sizeof p.path, "%s", path);
  ph_status status = ph_h5_group(&data, f->from, "/data");
  if (!status)
    status = ph_h5_group(&from, f->from, path);
  if (!status)
    status = ph_h5_group_create(&above, f->to, "/data");
  if (!status)
    status = ph_h5_group_same(&made, f->to, path, from);
  if (!status)
    status = copy_demo(&p, data, from, made, entry);
  ph_h5_close(made);
  ph_h5_close(above);
  ph_h5_close(from);
  ph_h5_close(data);
  clear_twins(f);
  return status;
}
