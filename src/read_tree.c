/* Every array below a group of an HDF5 file. */
#include "read_demos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { DEPTH_MAX = 8, ARRAYS_MAX = 4096, LINKS_MAX = 65536 };

typedef struct tree {
  ph_foreign *out;
  hid_t root;
  char path[1024]; /* of the group that is walked, "" or "obs/" */
  size_t length;
  int depth;
  size_t links;
} tree;

static ph_status add_array(tree *t, const char *path, const char *shown) {
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

static ph_h5_look look_at;

/* path is that of the group, t->path that of the one above it. */
static ph_status add_group(tree *t, const char *path, const char *shown) {
  hid_t group;
  size_t length = t->length, n = strlen(path);
  ph_status status = PH_OK;
  if (t->depth == DEPTH_MAX) {
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1,
                    "%s is nested more than %d groups deep: "
                    "what is in it is not listed",
                    shown, DEPTH_MAX);
    return PH_OK;
  }
  if (ph_h5_group(&group, t->root, path) == PH_OK) {
    snprintf(t->path, sizeof t->path, "%s/", path);
    t->length = n + 1;
    t->depth++;
    status = ph_h5_walk(group, look_at, t);
    t->depth--;
    t->length = length;
    t->path[length] = 0;
    ph_h5_close(group);
  } else {
    status = PH_EFORMAT;
  }
  if (status == PH_OK || status == PH_END || status == PH_ENOMEM)
    return status;
  ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s cannot be read: %s", shown, ph_error());
  return PH_OK;
}

static ph_status look_at(void *arg, const char *name, ph_h5_kind kind) {
  tree *t = arg;
  char path[sizeof t->path], shown[sizeof((ph_channel *)0)->name];
  if (++t->links > LINKS_MAX || t->out->narrays == ARRAYS_MAX) {
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1,
                    "it holds more than %zu arrays: the rest is not listed", t->out->narrays);
    return PH_END;
  }
  size_t length = strlen(name), n = t->length + length;
  if (n + 2 > sizeof path) {
    ph_escape(shown, sizeof shown, name, length);
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s: its path has %zu bytes, which is too long",
                    shown, n);
    return PH_OK;
  }
  memcpy(path, t->path, t->length);
  memcpy(path + t->length, name, length + 1);
  ph_escape(shown, sizeof shown, path, n);
  switch (kind) {
  case PH_H5_GROUP:
    return add_group(t, path, shown);
  case PH_H5_DATASET:
    return add_array(t, path, shown);
  case PH_H5_LINK:
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s is a link, which is never followed", shown);
    return PH_OK;
  case PH_H5_BROKEN:
    ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s is damaged and cannot be read", shown);
    return PH_OK;
  case PH_H5_OTHER:
    break;
  }
  ph_foreign_find(t->out, PH_FINDING_MISSING, -1, "%s is neither an array nor a group", shown);
  return PH_OK;
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
  ph_status status = ph_h5_walk(group, look_at, t);
  free(t);
  if (out->narrays > 1)
    qsort(out->arrays, out->narrays, sizeof *out->arrays, compare_arrays);
  return status == PH_END ? PH_OK : status;
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
