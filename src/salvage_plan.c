/* Which rows of which episode go together.
 *
 * Arrays with as many rows as it has steps, or one more, are cut to the last row that all of them
 * have; one without a single whole row is left out. Of ours only what the state needs cuts; what
 * may be absent is left out where it is not whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/schema.h>

#include "fail.h"
#include "salvage_dig.h"

/* --- rows --- */

static bool is_dataset(const ph_found *f) {
  return f->kind == PH_H5_DATASET;
}

static ph_found *member(ph_dig *dig, const ph_unit *u, const char *name) {
  ph_found *f = ph_dig_below(dig, u->root, name);
  return f && is_dataset(f) && f->extent.rank > 0 ? f : NULL;
}

struct length {
  int64_t rows;
  size_t at;
};

static int by_length(const void *a, const void *b) {
  const struct length *x = a, *y = b;
  return x->rows != y->rows ? (x->rows > y->rows) - (x->rows < y->rows)
                            : (x->at > y->at) - (x->at < y->at);
}

/* The length that most arrays have; of several the first's. -1: there is none, or no memory. */
static int64_t common_rows(const ph_dig *dig, const ph_unit *u) {
  struct length *all = calloc(u->end - u->root, sizeof *all);
  size_t n = 0, most = 0, best = 0;
  for (size_t i = u->root; all && i < u->end; i++)
    if (is_dataset(&dig->at[i]) && dig->at[i].extent.rank > 0 && dig->at[i].extent.rows > 0)
      all[n++] = (struct length){dig->at[i].extent.rows, i};
  if (n > 1)
    qsort(all, n, sizeof *all, by_length);
  for (size_t i = 0, next; i < n; i = next) {
    for (next = i; next < n && all[next].rows == all[i].rows;)
      next++;
    if (next - i > most || (next - i == most && all[i].at < all[best].at)) {
      most = next - i;
      best = i;
    }
  }
  int64_t rows = n > 0 ? all[best].rows : -1;
  free(all);
  return rows;
}

static int64_t steps_of(ph_dig *dig, const ph_unit *u) {
  hid_t group;
  int64_t rows = -1;
  ph_found *f = &dig->at[u->root];
  if (f->kind == PH_H5_GROUP && ph_dig_at(dig, f) &&
      ph_h5_at(&group, dig->from, f->address) == PH_OK) {
    if (!ph_h5_has_attr(group, "num_samples") ||
        ph_h5_attr_i64(group, "num_samples", &rows) != PH_OK)
      rows = -1;
    ph_h5_close(group);
  }
  const ph_found *actions = member(dig, u, "actions");
  if (rows <= 0 && actions)
    rows = actions->extent.rows;
  return rows > 0 ? rows : common_rows(dig, u);
}

static bool per_step(const ph_found *f, const ph_unit *u) {
  return is_dataset(f) && f->twin == SIZE_MAX && f->extent.rank > 0 && u->rows > 0 &&
         (f->extent.rows == u->rows || f->extent.rows == u->rows + 1);
}

/* Whole steps that an array has. */
static int64_t steps_there(const ph_found *f, const ph_unit *u) {
  const ph_h5_extent *e = &f->extent;
  if (e->good == e->rows)
    return u->rows;
  return e->rows > u->rows ? e->good - 1 : e->good;
}

/* Of ours: the state after the last action is one step more; a column without its first rows is
 * none at all. */
static int64_t own_steps(ph_dig *dig, ph_unit *u) {
  const ph_found *states = member(dig, u, "states"), *final;
  final = ph_dig_below(dig, u->root, "playhead/final_state");
  if (!states)
    return u->rows;
  int64_t n = states->extent.good;
  return n == u->rows && final && !final->why[0] ? n : n - 1;
}

bool ph_dig_needs(ph_column col) {
  switch (col) {
  case PH_COL_ACTIONS:
  case PH_COL_STATES:
  case PH_COL_CTRL_SUBSTEPS:
  case PH_COL_ACTION_STATE:
  case PH_COL_MOCAP_POS:
  case PH_COL_MOCAP_QUAT:
  case PH_COL_USERDATA:
  case PH_COL_EQ_ACTIVE:
  case PH_COL_PLUGIN_STATE:
  case PH_COL_QFRC_APPLIED:
  case PH_COL_XFRC_APPLIED:
    return true;
  default:
    return false;
  }
}

/* Rows before which it ends the episode. */
static bool cuts(const ph_dig *dig, const ph_unit *u, const ph_found *f) {
  return per_step(f, u) && (!u->own || ph_dig_needs(ph_schema_find(ph_dig_within(dig, f))));
}

static void cut_rows(ph_dig *dig, ph_unit *u) {
  u->keep = u->rows;
  for (size_t i = u->root; i < u->end; i++) {
    const ph_found *f = &dig->at[i];
    int64_t n = cuts(dig, u, f) ? steps_there(f, u) : u->keep;
    if (n < u->keep && (n > 0 || u->own))
      u->keep = n > 0 ? n : 0;
  }
  if (u->own && own_steps(dig, u) < u->keep)
    u->keep = own_steps(dig, u);
}

static void keep_rows(ph_dig *dig, ph_unit *u) {
  for (size_t i = u->root; i < u->end; i++) {
    ph_found *f = &dig->at[i];
    if (!is_dataset(f) || f->twin != SIZE_MAX)
      continue;
    const ph_h5_extent *e = &f->extent;
    if (e->good == e->rows && !f->why[0])
      f->keep = e->rows;
    if (per_step(f, u) && u->keep < u->rows)
      f->keep = steps_there(f, u) >= u->keep ? u->keep + (e->rows > u->rows) : -1;
  }
}

/* --- what is lost --- */

static bool sound(const ph_dig *dig, const ph_unit *u) {
  for (size_t i = u->root; i < u->end; i++)
    if (dig->at[i].mended || (dig->at[i].why[0] && dig->at[i].kind != PH_H5_LINK))
      return false;
  return !u->why[0];
}

static void lose(ph_unit *u, const char *what, const char *why) {
  u->lost = true;
  u->keep = 0;
  snprintf(u->why, sizeof u->why, "%s%s%s", what, *what ? ": " : "", why);
}

/* What an episode cannot be without: rows of those arrays that such files have. */
static void need(ph_dig *dig, ph_unit *u, const char *name, bool required) {
  const ph_found *f = ph_dig_below(dig, u->root, name);
  if (u->lost)
    return;
  if (!f && required)
    lose(u, name, dig->at[u->root].broken ? dig->at[u->root].why : "it is not there");
  else if (f && (f->keep < 0 || (f->extent.rank > 0 && f->keep == 0 && f->extent.rows > 0)))
    lose(u, name, f->why[0] ? f->why : "no whole row of it is there");
}

/* The column that ends an episode of ours before its first step is the one to name. */
static void need_columns(ph_dig *dig, ph_unit *u) {
  for (int col = 0; col < PH_COL_COUNT && !u->lost; col++) {
    const char *path = ph_schema_column((ph_column)col)->path;
    const ph_found *f = ph_dig_needs((ph_column)col) ? ph_dig_below(dig, u->root, path) : NULL;
    if (f && per_step(f, u) && steps_there(f, u) <= 0)
      lose(u, path, f->why[0] ? f->why : "no whole row of it is there");
    else if (f && !per_step(f, u))
      need(dig, u, path, false);
  }
}

static bool below_data(const ph_dig *dig, const ph_unit *u) {
  return strncmp(dig->at[u->root].path, "/data/", 6) == 0;
}

static bool keeps_anything(const ph_dig *dig, const ph_unit *u) {
  for (size_t i = u->root; i < u->end; i++)
    if (dig->at[i].keep > 0)
      return true;
  return false;
}

static void plan_episode(ph_dig *dig, ph_unit *u) {
  const ph_found *root = &dig->at[u->root];
  u->rows = steps_of(dig, u);
  if (root->kind == PH_H5_BROKEN) {
    lose(u, "", root->why);
    return;
  }
  if (u->own)
    ph_dig_check(dig, u);
  u->whole = sound(dig, u);
  cut_rows(dig, u);
  keep_rows(dig, u);
  if (u->whole && !below_data(dig, u))
    return;
  if (u->own)
    need_columns(dig, u);
  need(dig, u, "actions", below_data(dig, u));
  need(dig, u, "states", u->own);
  if (!u->lost && !u->whole && !keeps_anything(dig, u))
    lose(u, "", "no whole row of it is there");
  if (!u->lost && u->own && u->keep <= 0)
    lose(u, "", "no complete transition of it is there");
  u->whole = u->whole && !u->lost;
}

static void plan_together(ph_dig *dig, ph_unit *u) {
  u->whole = sound(dig, u);
  for (size_t i = u->root; i < u->end && !u->whole && !u->lost; i++)
    if (dig->at[i].why[0])
      lose(u, ph_dig_within(dig, &dig->at[i]), dig->at[i].why);
  for (size_t i = u->root; i < u->end && u->whole; i++)
    dig->at[i].keep = dig->at[i].extent.rows;
}

ph_status ph_dig_plan(ph_dig *dig) {
  ph_status status = ph_dig_units(dig);
  for (size_t i = 0; i < dig->nunits && !status; i++)
    if (dig->unit[i].together)
      plan_together(dig, &dig->unit[i]);
    else
      plan_episode(dig, &dig->unit[i]);
  for (size_t i = 0; i < dig->n; i++)
    if (dig->at[i].unit == SIZE_MAX && is_dataset(&dig->at[i]) && !dig->at[i].why[0])
      dig->at[i].keep = dig->at[i].extent.rows;
  return status;
}

/* --- saying it --- */

/* The array that ends an episode. */
static const char *first_why(const ph_dig *dig, const ph_unit *u, const ph_found **which) {
  *which = NULL;
  for (size_t i = u->root; i < u->end; i++) {
    const ph_found *f = &dig->at[i];
    if (per_step(f, u) && f->extent.good < f->extent.rows && f->keep >= 0 &&
        (!*which || steps_there(f, u) < steps_there(*which, u)))
      *which = f;
  }
  return *which ? (*which)->why : "";
}

static const char *about_name(const ph_found *root) {
  if (!root->stray)
    return "";
  return strncmp(ph_dig_name(root), "demo_", 5) == 0
             ? "its name is lost: it has one by its place in the file"
             : "its name is lost: it has another";
}

static void say_episode(ph_dig *dig, ph_unit *u) {
  const ph_found *which;
  const char *name = about_name(&dig->at[u->root]);
  if (u->lost) {
    ph_dig_say(dig, u->id, PH_SALVAGE_LOST, 0, "%s", u->why);
  } else if (u->keep < u->rows) {
    const char *why = first_why(dig, u, &which);
    ph_dig_say(dig, u->id, PH_SALVAGE_SAVED, u->keep,
               "%s%ssteps from %lld of %lld are lost: %s%s%s", name, *name ? "; " : "",
               (long long)u->keep, (long long)u->rows, which ? ph_dig_within(dig, which) : u->why,
               *why ? ": " : "", why);
  } else {
    ph_dig_say(dig, u->id, PH_SALVAGE_SAVED, u->keep > 0 ? u->keep : 0, "%s%s%s", name,
               *name && u->why[0] ? "; " : "", u->why);
  }
}

/* An object that is left out of what is given back. */
static void say_object(ph_dig *dig, const ph_found *f) {
  const char *id = f->unit == SIZE_MAX ? "" : dig->unit[f->unit].id;
  const char *within = *f->path ? ph_dig_within(dig, f) : "/";
  if (f->mended)
    ph_dig_say(dig, id, PH_SALVAGE_LOST, 0, "%s: a part of its attributes is lost: %s", within,
               "the file ends before them");
  if (f->why[0] && (!is_dataset(f) || f->keep < 0))
    ph_dig_say(dig, id, PH_SALVAGE_LOST, 0, "%s: %s", within, f->why);
}

/* Objects without a name of which a child has died. */
static bool say_deadly(ph_dig *dig) {
  const ph_dig_board *board = dig->board;
  bool any = false;
  for (size_t i = 0; i < board->ndeadly; i++) {
    if (strncmp(board->deadly[i], PH_DIG_STRAY, strlen(PH_DIG_STRAY)) != 0)
      continue;
    ph_dig_say(dig, "", PH_SALVAGE_LOST, 0, "%s: %s", board->deadly[i], board->died[i]);
    any = true;
  }
  return any;
}

bool ph_dig_report(ph_dig *dig) {
  bool lost = say_deadly(dig);
  for (size_t i = 0; i < dig->nunits; i++) {
    ph_unit *u = &dig->unit[i];
    lost = lost || !u->whole;
    u->first_item = dig->board->nitems;
    if (u->episode)
      say_episode(dig, u);
    else if (u->lost)
      ph_dig_say(dig, u->id, PH_SALVAGE_LOST, 0, "%s", u->why);
    for (size_t k = u->root; k < u->end && !u->lost; k++)
      say_object(dig, &dig->at[k]);
    u->end_item = dig->board->nitems;
  }
  for (size_t i = 0; i < dig->n; i++) {
    const ph_found *f = &dig->at[i];
    if (f->unit != SIZE_MAX)
      continue;
    lost = lost || (f->why[0] && f->kind != PH_H5_LINK);
    say_object(dig, f);
  }
  dig->planned = dig->board->nitems;
  return lost;
}
