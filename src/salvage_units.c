/* What is given back as one: episodes, models, tasks. What is in one lies together in the list of
 * what was found.
 *
 * An episode is a group below /data (robosuite and its family, ours); else a group in the root that
 * holds arrays; else the root itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "salvage_dig.h"

/* Behind the last object that is below one: what is in a group follows it. */
static size_t end_of(const ph_dig *dig, size_t root) {
  size_t end = root + 1;
  while (end < dig->n && dig->at[end].parent != SIZE_MAX && dig->at[end].parent >= root)
    end++;
  return end;
}

static ph_unit *add_unit(ph_dig *dig, size_t root) {
  if (dig->nunits == dig->units_room) {
    size_t room = dig->units_room ? dig->units_room * 2 : 64;
    ph_unit *more = realloc(dig->unit, room * sizeof *more);
    if (!more)
      return NULL;
    dig->unit = more;
    dig->units_room = room;
  }
  ph_unit *u = &dig->unit[dig->nunits++];
  memset(u, 0, sizeof *u);
  u->root = root;
  u->end = end_of(dig, root);
  u->rows = -1;
  snprintf(u->id, sizeof u->id, "%s", ph_dig_name(&dig->at[root]));
  for (size_t i = root; i < u->end; i++)
    dig->at[i].unit = dig->nunits - 1;
  return u;
}

static bool is_dataset(const ph_found *f) {
  return f->kind == PH_H5_DATASET;
}

static bool is_group(const ph_found *f) {
  return f->kind == PH_H5_GROUP || f->kind == PH_H5_BROKEN;
}

static size_t place_of(const ph_dig *dig, const char *path) {
  for (size_t i = 0; i < dig->n; i++)
    if (strcmp(dig->at[i].path, path) == 0)
      return i;
  return SIZE_MAX;
}

static bool holds_arrays(const ph_dig *dig, size_t group) {
  for (size_t i = group + 1; i < dig->n && dig->at[i].parent >= group; i++)
    if (is_dataset(&dig->at[i]) && dig->at[i].parent == group && dig->at[i].extent.rank > 0)
      return true;
  return false;
}

static bool holds_groups(const ph_dig *dig, size_t group) {
  for (size_t i = group + 1; i < dig->n; i++)
    if (dig->at[i].parent == group && is_group(&dig->at[i]))
      return true;
  return false;
}

static ph_status add_episodes(ph_dig *dig, size_t parent, bool own) {
  for (size_t i = parent + 1; i < dig->n; i++) {
    const ph_found *f = &dig->at[i];
    if (f->parent != parent || !is_group(f) || f->twin != SIZE_MAX)
      continue;
    ph_unit *u = add_unit(dig, i);
    if (!u)
      return ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
    u->episode = true;
    u->own = own;
    i = u->end - 1;
  }
  return PH_OK;
}

/* Models and tasks of ours are known by what is in them. */
static ph_status add_together(ph_dig *dig, const char *path) {
  size_t group = place_of(dig, path), first = dig->nunits;
  ph_status status = group == SIZE_MAX ? PH_OK : add_episodes(dig, group, false);
  for (size_t i = first; i < dig->nunits; i++) {
    ph_unit *u = &dig->unit[i];
    u->episode = false;
    u->together = true;
    snprintf(u->id, sizeof u->id, "%.5s %.12s", path + 1, ph_dig_name(&dig->at[u->root]));
  }
  return status;
}

static bool known_apart(const char *name) {
  return strcmp(name, "mask") == 0 || strcmp(name, "metadata") == 0;
}

/* Groups in the root that are episodes each; false: none is. */
static ph_status add_top_groups(ph_dig *dig, bool *any) {
  for (size_t i = 1; i < dig->n; i++) {
    const ph_found *f = &dig->at[i];
    if (f->parent != 0 || f->twin != SIZE_MAX || known_apart(ph_dig_name(f)) ||
        !(holds_arrays(dig, i) || f->kind == PH_H5_BROKEN))
      continue;
    ph_unit *u = add_unit(dig, i);
    if (!u)
      return ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
    u->episode = *any = true;
    i = u->end - 1;
  }
  return PH_OK;
}

ph_status ph_dig_units(ph_dig *dig) {
  size_t data = place_of(dig, "/data");
  bool any = false;
  ph_status status = PH_OK;
  if (data != SIZE_MAX && (dig->own || holds_groups(dig, data)))
    status = add_episodes(dig, data, dig->own);
  else if (!dig->own && !holds_arrays(dig, 0))
    status = add_top_groups(dig, &any);
  if (!status && dig->own)
    status = add_together(dig, "/models");
  if (!status && dig->own)
    status = add_together(dig, "/tasks");
  if (!status && !dig->own && dig->nunits == 0) {
    ph_unit *u = add_unit(dig, 0);
    if (!u)
      return ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
    u->episode = true;
    u->id[0] = 0;
  }
  return status;
}
