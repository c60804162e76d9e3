/* Every array below a group of an HDF5 file. */
#include "read_demos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { DEPTH_MAX = 8, ARRAYS_MAX = 4096, LINKS_MAX = 65536, PLACES = 2 * LINKS_MAX };

typedef struct tree {
  ph_foreign *out;
  hid_t root;
  char path[1024]; /* of the group that is walked, "" or "obs/" */
  size_t length;
  int depth;
  size_t links;
  size_t unlisted; /* arrays beyond the limit, and links that were not looked at */
  size_t again;    /* links to groups that were walked already */
  char first[sizeof((ph_channel *)0)->name]; /* of these, as it is shown */
  uint64_t walked[PLACES];                   /* addresses of groups + 1, hashed; 0: none */
} tree;

/* Groups of the group that is walked: they come behind its arrays. */
typedef struct level {
  tree *t;
  char **groups; /* owned, each of them too */
  size_t n, seen;
} level;

/* What an episode is made of comes before all else, however much there is. */
static const char *const vital[] = {"states", "actions", "rewards", "dones", "success"};

static bool is_vital(const tree *t, const char *path) {
  for (size_t i = 0; i < sizeof vital / sizeof *vital; i++)
    if (t->depth == 0 && strcmp(path, vital[i]) == 0)
      return true;
  return false;
}

static ph_status add_array(tree *t, const char *path, const char *shown) {
  if (t->out->narrays >= ARRAYS_MAX) {
    t->unlisted++;
    return PH_OK;
  }
  ph_array *array = ph_foreign_add(t->out, shown);
  if (!array)
    return PH_ENOMEM;
  ph_status status = ph_array_h5(array, t->root, path);
  if (status == PH_OK || status == PH_ENOMEM)
    return status;
  t->out->narrays--;
  ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s cannot be read: %s", shown, ph_error());
  return PH_OK;
}

/* Whether a group was walked before, by whatever name; it is from now on. */
static bool is_walked(tree *t, hid_t group) {
  uint64_t address;
  if (ph_h5_address(&address, group) != PH_OK)
    return false;
  size_t at = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % PLACES;
  while (t->walked[at] && t->walked[at] != address + 1)
    at = (at + 1) % PLACES;
  bool yes = t->walked[at] != 0;
  t->walked[at] = address + 1;
  return yes;
}

static ph_status walk(tree *t, hid_t group);

static void note_again(tree *t, const char *shown) {
  if (t->again++ == 0)
    snprintf(t->first, sizeof t->first, "%s", shown);
}

/* path is that of the group, t->path that of the one above it. */
static ph_status add_group(tree *t, const char *path, const char *shown) {
  hid_t group;
  size_t length = t->length, n = strlen(path);
  ph_status status = PH_OK;
  if (ph_h5_group(&group, t->root, path) != PH_OK) {
    status = PH_EFORMAT;
  } else if (is_walked(t, group)) {
    note_again(t, shown);
    ph_h5_close(group);
  } else if (t->depth == DEPTH_MAX) {
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1,
                    "%s is nested more than %d groups deep: what is in it is not listed", shown,
                    DEPTH_MAX);
    ph_h5_close(group);
  } else {
    memcpy(t->path, path, n); /* name_link leaves room for the two */
    memcpy(t->path + n, "/", 2);
    t->length = n + 1;
    t->depth++;
    status = walk(t, group);
    t->depth--;
    t->length = length;
    t->path[length] = 0;
    ph_h5_close(group);
  }
  if (status == PH_OK || status == PH_END || status == PH_ENOMEM)
    return status;
  ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s cannot be read: %s", shown, ph_error());
  return PH_OK;
}

/* The path of a link into path and as it may be shown; false: it is too long, which is said. */
static bool name_link(char *path, size_t size, char *shown, size_t shown_size, tree *t,
                      const char *name) {
  size_t length = strlen(name), n = t->length + length;
  if (n + 2 > size) {
    ph_escape(shown, shown_size, name, length);
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s: its path has %zu bytes, which is too long",
                    shown, n);
    return false;
  }
  memcpy(path, t->path, t->length);
  memcpy(path + t->length, name, length + 1);
  ph_escape(shown, shown_size, path, n);
  return true;
}

static ph_status defer(level *l, const char *name) {
  if ((l->n & (l->n - 1)) == 0) {
    char **more = realloc(l->groups, (l->n ? 2 * l->n : 1) * sizeof *more);
    if (!more)
      return ph_fail(PH_ENOMEM, "%s: out of memory", name);
    l->groups = more;
  }
  l->groups[l->n] = strdup(name);
  return l->groups[l->n] ? (l->n++, PH_OK) : ph_fail(PH_ENOMEM, "%s: out of memory", name);
}

static ph_status look_at(void *arg, const char *name, ph_h5_kind kind) {
  level *l = arg;
  tree *t = l->t;
  const char *what = kind == PH_H5_LINK     ? "is a link, which is never followed"
                     : kind == PH_H5_BROKEN ? "is damaged and cannot be read"
                                            : "is neither an array nor a group";
  char path[sizeof t->path], shown[sizeof t->first];
  if (t->links == LINKS_MAX)
    return PH_END;
  t->links++;
  l->seen++;
  if (kind == PH_H5_GROUP)
    return defer(l, name);
  if (!name_link(path, sizeof path, shown, sizeof shown, t, name))
    return PH_OK;
  if (kind == PH_H5_DATASET)
    return is_vital(t, path) ? PH_OK : add_array(t, path, shown);
  ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s %s", shown, what);
  return PH_OK;
}

/* The arrays of a group, then those of the groups in it. */
static ph_status walk(tree *t, hid_t group) {
  level l = {.t = t};
  size_t all = 0;
  char path[sizeof t->path], shown[sizeof t->first];
  ph_status status = ph_h5_walk(group, look_at, &l);
  if (status == PH_END && ph_h5_count(group, &all) == PH_OK && all > l.seen)
    t->unlisted += all - l.seen;
  if (status == PH_END)
    status = PH_OK;
  for (size_t i = 0; i < l.n; i++) {
    if (status == PH_OK && name_link(path, sizeof path, shown, sizeof shown, t, l.groups[i]))
      status = add_group(t, path, shown);
    free(l.groups[i]);
  }
  free(l.groups);
  return status;
}

static ph_status add_vital(tree *t) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < sizeof vital / sizeof *vital && status == PH_OK; i++) {
    hid_t group;
    bool there = ph_h5_exists(t->root, vital[i]);
    if (there && ph_h5_group(&group, t->root, vital[i]) == PH_OK)
      ph_h5_close(group);
    else if (there)
      status = add_array(t, vital[i], vital[i]);
  }
  return status;
}

static void find_unlisted(tree *t) {
  if (t->again > 0)
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1,
                    "%s is one more link to a group that was met before%s", t->first,
                    t->again > 1 ? "" : ": it is not listed again");
  if (t->again > 1)
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1,
                    "%zu more link%s to groups that were met before", t->again - 1,
                    t->again == 2 ? " leads" : "s lead");
  if (t->unlisted > 0)
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1,
                    "it holds more than %zu arrays: %s%zu more %s not listed", t->out->narrays,
                    t->links == LINKS_MAX ? "at least " : "", t->unlisted,
                    t->unlisted == 1 ? "is" : "are");
}

static int compare_arrays(const void *a, const void *b) {
  const char *x = ((const ph_array *)a)->channel.name, *y = ((const ph_array *)b)->channel.name;
  int order = ph_natural_compare(x, y);
  return order ? order : strcmp(x, y);
}

ph_status ph_foreign_gather(ph_foreign *out, hid_t group) {
  tree *t = calloc(1, sizeof *t);
  if (!t)
    return ph_fail(PH_ENOMEM, "an episode: out of memory");
  t->out = out;
  t->root = group;
  is_walked(t, group);
  ph_status status = add_vital(t);
  if (status == PH_OK)
    status = walk(t, group);
  find_unlisted(t);
  free(t);
  if (out->narrays > 1)
    qsort(out->arrays, out->narrays, sizeof *out->arrays, compare_arrays);
  return status;
}

int ph_foreign_place(const ph_foreign *foreign, const char *name) {
  for (size_t i = 0; i < foreign->narrays; i++)
    if (strcmp(foreign->arrays[i].channel.name, name) == 0)
      return (int)i;
  return -1;
}

void ph_channel_note(ph_channel *channel, const char *sentence) {
  ph_say_also(channel->note, sizeof channel->note, sentence);
}

void ph_channel_apart(ph_channel *channel, int64_t rows) {
  char why[100];
  snprintf(why, sizeof why, "%lld row%s for %lld steps", (long long)channel->rows,
           channel->rows == 1 ? "" : "s", (long long)rows);
  if (channel->rank > 0) /* else its note says what it is */
    ph_channel_note(channel, why);
  if (channel->kind == PH_CHANNEL_NUMBERS)
    channel->kind = PH_CHANNEL_OTHER;
  channel->width = 0;
}
