/* What is in a damaged file, as far as its lists go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "salvage_dig.h"

enum { DEEPEST = 32, MOST = 1 << 20 };

const char *ph_dig_name(const ph_found *f) {
  const char *slash = strrchr(f->path, '/');
  return slash ? slash + 1 : f->path;
}

const char *ph_dig_within(const ph_dig *dig, const ph_found *f) {
  if (f->unit == SIZE_MAX)
    return f->path;
  const char *within = f->path + strlen(dig->at[dig->unit[f->unit].root].path);
  return *within == '/' ? within + 1 : within;
}

ph_found *ph_dig_below(const ph_dig *dig, size_t root, const char *path) {
  size_t n = strlen(dig->at[root].path);
  for (size_t i = root + 1; i < dig->n; i++) {
    const char *p = dig->at[i].path;
    if (strncmp(p, dig->at[root].path, n) != 0 || p[n] != '/')
      break;
    if (strcmp(p + n + 1, path) == 0)
      return &dig->at[i];
  }
  return NULL;
}

static ph_found *add(ph_dig *dig, size_t parent, const char *name) {
  char path[PH_DIG_PATH];
  const char *above = parent == SIZE_MAX ? "" : dig->at[parent].path;
  if (dig->n == MOST)
    return NULL;
  if (dig->n == dig->room) {
    size_t room = dig->room ? dig->room * 2 : 256;
    ph_found *more = realloc(dig->at, room * sizeof *more);
    if (!more)
      return NULL;
    dig->at = more;
    dig->room = room;
  }
  ph_found *f = &dig->at[dig->n];
  memset(f, 0, sizeof *f);
  if ((size_t)snprintf(path, sizeof path, "%s%s%s", above, *name ? "/" : "", name) >= sizeof path)
    path[sizeof path - 1] = 0;
  f->path = strdup(path);
  f->parent = parent;
  f->twin = f->unit = SIZE_MAX;
  f->address = UINT64_MAX;
  f->keep = -1;
  if (!f->path)
    return NULL;
  dig->n++;
  return f;
}

/* --- objects that were found before --- */

struct seen {
  uint64_t address; /* + 1; 0: free */
  size_t at;
};

typedef struct table {
  struct seen *slot;
  size_t size, n;
} table;

static size_t place(const table *t, uint64_t address) {
  size_t i = (size_t)((address + 1) * 0x9e3779b97f4a7c15u >> 20) & (t->size - 1);
  while (t->slot[i].address && t->slot[i].address != address + 1)
    i = (i + 1) & (t->size - 1);
  return i;
}

static bool grow(table *t) {
  table more = {calloc(t->size ? t->size * 2 : 1024, sizeof *more.slot),
                t->size ? t->size * 2 : 1024, t->n};
  if (!more.slot)
    return false;
  for (size_t i = 0; i < t->size; i++)
    if (t->slot[i].address)
      more.slot[place(&more, t->slot[i].address - 1)] = t->slot[i];
  free(t->slot);
  *t = more;
  return true;
}

/* The first object with that header; SIZE_MAX: this one is. */
static bool note(table *t, uint64_t address, size_t at, size_t *twin) {
  if (2 * t->n >= t->size && !grow(t))
    return false;
  struct seen *slot = &t->slot[place(t, address)];
  *twin = slot->address ? slot->at : SIZE_MAX;
  if (!slot->address) {
    *slot = (struct seen){address + 1, at};
    t->n++;
  }
  return true;
}

static bool known(const table *t, uint64_t address) {
  return t->slot[place(t, address)].address != 0;
}

/* --- the walk --- */

static ph_status walk(ph_dig *dig, table *seen, size_t at, hid_t group, int depth);

static void measure(ph_dig *dig, size_t at) {
  hid_t dataset;
  ph_found *f = &dig->at[at];
  if (ph_h5_at(&dataset, dig->from, f->address) != PH_OK) {
    snprintf(f->why, sizeof f->why, "it cannot be opened");
    return;
  }
  ph_h5_measure(&f->extent, dataset, ph_dig_tick, dig);
  ph_h5_close(dataset);
  snprintf(f->why, sizeof f->why, "%s", f->extent.why);
}

static ph_status enter(ph_dig *dig, table *seen, size_t at, int depth) {
  hid_t group;
  ph_found *f = &dig->at[at];
  if (depth == DEEPEST) {
    snprintf(f->why, sizeof f->why, "its groups are nested too deeply");
    f->broken = true;
    return PH_OK;
  }
  if (ph_h5_at(&group, dig->from, f->address) != PH_OK) {
    snprintf(f->why, sizeof f->why, "it cannot be opened");
    f->kind = PH_H5_BROKEN;
    return PH_OK;
  }
  ph_status status = walk(dig, seen, at, group, depth + 1);
  ph_h5_close(group);
  return status;
}

static ph_status take_member(ph_dig *dig, table *seen, size_t parent, const ph_h5_member *m,
                             int depth) {
  size_t at = dig->n;
  ph_found *f = add(dig, parent, m->name);
  if (!f)
    return ph_fail(PH_ENOMEM, "%s: it holds too many objects", dig->path);
  f->kind = m->kind;
  f->address = m->address;
  snprintf(f->why, sizeof f->why, "%s", m->why);
  if (m->kind == PH_H5_OTHER)
    snprintf(f->why, sizeof f->why, "a type that is shared by name is not copied");
  if (strlen(f->path) >= PH_DIG_PATH - 1 || !*m->name) {
    snprintf(f->why, sizeof f->why, "its name makes no sense");
    f->kind = PH_H5_BROKEN;
  }
  if (f->kind != PH_H5_GROUP && f->kind != PH_H5_DATASET)
    return PH_OK;
  if (!note(seen, f->address, at, &f->twin))
    return ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
  if (f->twin != SIZE_MAX)
    return PH_OK;
  if (!ph_dig_at(dig, f)) {
    f->broken = f->kind == PH_H5_GROUP;
    return PH_OK;
  }
  f->mended = ph_h5_is_mended(dig->from, f->address);
  if (f->kind == PH_H5_DATASET)
    measure(dig, at);
  return f->kind == PH_H5_GROUP ? enter(dig, seen, at, depth) : PH_OK;
}

static ph_status walk(ph_dig *dig, table *seen, size_t at, hid_t group, int depth) {
  ph_h5_member *members = NULL;
  size_t n = 0;
  bool whole = true;
  ph_status status = ph_h5_members(&members, &n, &whole, group);
  if (!whole) {
    dig->at[at].broken = true;
    snprintf(dig->at[at].why, sizeof dig->at[at].why, "the list of what it holds breaks off");
  }
  for (size_t i = 0; i < n && !status; i++)
    status = take_member(dig, seen, at, &members[i], depth);
  ph_dig_at_none(dig);
  ph_h5_members_free(members, n);
  return status;
}

/* --- episodes that no list leads to any more --- */

static size_t data_of(const ph_dig *dig) {
  for (size_t i = 0; i < dig->n; i++)
    if (strcmp(dig->at[i].path, "/data") == 0 && dig->at[i].kind == PH_H5_GROUP)
      return i;
  return SIZE_MAX;
}

/* What is in a group: the names that are known, and the groups in the order in which they lie. */
struct listing {
  char **name; /* owned, theirs too: sorted */
  uint64_t *address;
  size_t nnames, naddresses;
};

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void listing_clear(struct listing *l) {
  for (size_t i = 0; i < l->nnames; i++)
    free(l->name[i]);
  free(l->name);
  free(l->address);
}

static ph_status listing_of(struct listing *l, const ph_dig *dig, size_t parent) {
  size_t n = 0;
  for (size_t i = parent + 1; i < dig->n; i++)
    n += dig->at[i].parent == parent;
  *l = (struct listing){calloc(n + 1, sizeof *l->name), calloc(n + 1, sizeof *l->address), 0, 0};
  bool ok = l->name && l->address;
  for (size_t i = parent + 1; ok && i < dig->n; i++) {
    const ph_found *f = &dig->at[i];
    if (f->parent != parent)
      continue;
    if (f->kind == PH_H5_GROUP)
      l->address[l->naddresses++] = f->address;
    if (!f->stray && (ok = (l->name[l->nnames] = strdup(ph_dig_name(f))) != NULL))
      l->nnames++;
  }
  if (ok && l->nnames > 1)
    qsort(l->name, l->nnames, sizeof *l->name, by_text);
  if (ok && l->naddresses > 1)
    qsort(l->address, l->naddresses, sizeof *l->address, by_number);
  return ok ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
}

static bool named(const struct listing *l, const char *name) {
  return l->nnames > 0 && bsearch(&name, l->name, l->nnames, sizeof *l->name, by_text);
}

/* Episodes lie in the order in which they were written, and are numbered so. */
static size_t before(const struct listing *l, uint64_t address) {
  size_t low = 0, high = l->naddresses;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (l->address[middle] < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static ph_status take_stray(ph_dig *dig, table *seen, size_t data, uint64_t address, hid_t group) {
  ph_h5_member *members = NULL;
  size_t n = 0, arrays = 0;
  bool whole;
  char name[64];
  ph_status status = ph_h5_members(&members, &n, &whole, group);
  for (size_t i = 0; i < n; i++)
    arrays += members[i].kind == PH_H5_DATASET && strcmp(members[i].name, "actions") == 0;
  ph_h5_members_free(members, n);
  if (status || arrays == 0)
    return status;
  snprintf(name, sizeof name, "stray_%llu", (unsigned long long)address);
  ph_h5_member m = {.name = name, .kind = PH_H5_GROUP, .address = address};
  size_t at = dig->n;
  status = take_member(dig, seen, data, &m, 1);
  if (!status && at < dig->n)
    dig->at[at].stray = true;
  return status;
}

static ph_status look_at(ph_dig *dig, table *seen, size_t data, uint64_t address) {
  hid_t object;
  char name[64];
  snprintf(name, sizeof name, PH_DIG_STRAY "%llu", (unsigned long long)address);
  ph_found probe = {.path = name};
  if (!ph_dig_at(dig, &probe) || ph_h5_at(&object, dig->from, address) != PH_OK)
    return PH_OK;
  ph_status status = PH_OK;
  if (ph_h5_is_group(object))
    status = take_stray(dig, seen, data, address, object);
  ph_h5_close(object);
  return status;
}

/* Whether the names that are known are those by place, from `first` on. */
static bool numbered_from(const ph_dig *dig, size_t data, const struct listing *l, size_t first) {
  char name[64];
  for (size_t i = data + 1; i < dig->n; i++) {
    const ph_found *f = &dig->at[i];
    if (f->parent != data || f->kind != PH_H5_GROUP || f->stray)
      continue;
    snprintf(name, sizeof name, "demo_%zu", before(l, f->address) + first);
    if (strcmp(name, ph_dig_name(f)) != 0)
      return false;
  }
  return true;
}

static ph_status rename_all(ph_dig *dig, size_t at, size_t data, const char *name) {
  size_t old = strlen(dig->at[at].path);
  for (size_t i = at + 1; i < dig->n && dig->at[i].parent >= at; i++) {
    char *path = NULL, *rest = dig->at[i].path + old;
    if (asprintf(&path, "%s/%s%s", dig->at[data].path, name, rest) < 0)
      return ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
    free(dig->at[i].path);
    dig->at[i].path = path;
  }
  char *path = NULL;
  if (asprintf(&path, "%s/%s", dig->at[data].path, name) < 0)
    return ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
  free(dig->at[at].path);
  dig->at[at].path = path;
  return PH_OK;
}

/* By their places, where those names that are known agree with that; else by what they are. */
static ph_status name_strays(ph_dig *dig, size_t data) {
  struct listing l;
  ph_status status = listing_of(&l, dig, data);
  size_t first = !status && numbered_from(dig, data, &l, 0) ? 0 : 1, n = 0;
  bool by_place = first == 0 || (!status && numbered_from(dig, data, &l, 1));
  for (size_t i = data + 1; i < dig->n && !status; i++) {
    char name[64];
    if (!dig->at[i].stray)
      continue;
    size_t k = by_place ? before(&l, dig->at[i].address) + first : n;
    snprintf(name, sizeof name, by_place ? "demo_%zu" : "found_%zu", k);
    if (!named(&l, name))
      status = rename_all(dig, i, data, name);
    n++;
  }
  listing_clear(&l);
  return status;
}

/* Where the list of episodes is not whole. */
static ph_status find_strays(ph_dig *dig, table *seen) {
  uint64_t *address = NULL;
  size_t n = 0, data = data_of(dig);
  if (data == SIZE_MAX || !(dig->at[data].broken || dig->at[data].mended))
    return PH_OK;
  ph_status status = ph_h5_carve(&address, &n, dig->from, ph_dig_tick, dig);
  for (size_t i = 0; i < n && !status; i++)
    if (!known(seen, address[i]))
      status = look_at(dig, seen, data, address[i]);
  ph_dig_at_none(dig);
  free(address);
  return status ? status : name_strays(dig, data);
}

ph_status ph_dig_find(ph_dig *dig) {
  table seen = {0};
  uint64_t address = 0;
  size_t twin;
  ph_found *root = add(dig, SIZE_MAX, "");
  if (!root)
    return ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
  root->kind = PH_H5_GROUP;
  ph_status status = ph_h5_address(&address, dig->from);
  root->address = address;
  root->mended = !status && ph_h5_is_mended(dig->from, address);
  if (!status && !note(&seen, address, 0, &twin))
    status = ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
  if (!status)
    status = walk(dig, &seen, 0, dig->from, 0);
  if (!status)
    status = find_strays(dig, &seen);
  free(seen.slot);
  return status;
}
