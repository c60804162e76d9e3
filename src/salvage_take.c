/* Writes what was found as a new file of the same layout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json.h"
#include "salvage_dig.h"
#include "sink_h5.h"

enum { TEXT_ROOM = 48000 }; /* of an attribute; more has no place in a header [B] */

static ph_unit *unit_of(ph_dig *dig, const ph_found *f) {
  return f->unit == SIZE_MAX ? NULL : &dig->unit[f->unit];
}

/* --- objects --- */

struct attrs {
  ph_dig *dig;
  const ph_found *of;
};

static void lost_attr(void *arg, const char *name, const char *why) {
  const struct attrs *a = arg;
  const ph_unit *u = unit_of(a->dig, a->of);
  const char *within = ph_dig_within(a->dig, a->of);
  ph_dig_say(a->dig, u ? u->id : "", PH_SALVAGE_LOST, 0, "%s%sattribute %s: %s", within,
             *within ? ": " : "", name, why);
}

static ph_status copy_attrs(ph_dig *dig, const ph_found *f, hid_t from, hid_t to) {
  struct attrs arg = {dig, f};
  return ph_h5_copy_attrs(to, from, lost_attr, &arg);
}

static ph_status open_made(hid_t *made, const ph_dig *dig, const ph_found *f) {
  hid_t loc = dig->to;
  ph_h5_array info;
  const char *why;
  if (f->kind == PH_H5_DATASET)
    return ph_h5_dataset_any(made, &info, &why, loc, f->path);
  return ph_h5_group(made, loc, *f->path ? f->path : "/");
}

/* Failing here leaves this object out; only a disk that takes no more ends it all. */
static ph_status leave_out(ph_dig *dig, ph_found *f, ph_status status) {
  ph_unit *u = unit_of(dig, f);
  if (status != PH_EFORMAT && status != PH_ECORRUPT)
    return status;
  if (u && u->episode && f == &dig->at[u->root])
    ph_dig_lose(dig, u, ph_error());
  else
    ph_dig_say(dig, u ? u->id : "", PH_SALVAGE_LOST, 0, "%s", ph_error());
  f->keep = -1;
  ph_h5_remove(dig->to, f->path);
  return PH_OK;
}

static ph_status take_object(ph_dig *dig, ph_found *f) {
  hid_t from = H5I_INVALID_HID, made = H5I_INVALID_HID;
  if (!ph_dig_at(dig, f))
    return leave_out(dig, f, ph_fail(PH_EFORMAT, "%s: %s", ph_dig_within(dig, f), f->why));
  ph_status status = ph_h5_at(&from, dig->from, f->address);
  if (!status && f->kind == PH_H5_DATASET)
    status = ph_h5_copy_rows(dig->to, f->path, from, &f->extent, f->keep, ph_dig_tick, dig);
  else if (!status && *f->path) {
    status = ph_h5_group_create(&made, dig->to, f->path);
    ph_h5_close(made);
  }
  if (!status)
    status = open_made(&made, dig, f);
  if (!status) {
    status = copy_attrs(dig, f, from, made);
    ph_h5_close(made);
  }
  ph_h5_close(from);
  return leave_out(dig, f, status);
}

/* A second name of what was taken by its first. */
static ph_status take_twin(ph_dig *dig, const ph_found *f) {
  const ph_found *first = &dig->at[f->twin];
  bool above = strncmp(first->path, f->path, strlen(first->path)) == 0;
  if (!*first->path || above || !ph_h5_exists(dig->to, first->path))
    return PH_OK;
  return ph_h5_link(dig->to, f->path, first->path);
}

static bool parent_taken(const ph_dig *dig, const ph_found *f) {
  return f->parent == SIZE_MAX || dig->at[f->parent].parent == SIZE_MAX ||
         ph_h5_exists(dig->to, dig->at[f->parent].path);
}

static bool is_mask(const ph_dig *dig, const ph_found *f) {
  return !dig->own && strncmp(f->path, "/mask/", 6) == 0;
}

static ph_status take_one(ph_dig *dig, ph_found *f) {
  const ph_unit *u = unit_of(dig, f);
  if ((u && u->lost) || !parent_taken(dig, f) || (u && u->own && !u->whole))
    return PH_OK;
  if (dig->own && strcmp(f->path, "/index") == 0)
    return PH_OK;
  if (f->twin != SIZE_MAX)
    return take_twin(dig, f);
  if (f->kind == PH_H5_DATASET && f->keep >= 0 && !is_mask(dig, f))
    return take_object(dig, f);
  return f->kind == PH_H5_GROUP ? take_object(dig, f) : PH_OK;
}

/* --- what must be right again --- */

/* The names of the episodes that are given back, sorted. */
struct given {
  const char **name; /* owned, not the names */
  size_t n;
};

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool list_given(struct given *given, const ph_dig *dig) {
  *given = (struct given){calloc(dig->nunits + 1, sizeof *given->name), 0};
  for (size_t i = 0; given->name && i < dig->nunits; i++)
    if (dig->unit[i].episode && !dig->unit[i].lost)
      given->name[given->n++] = ph_dig_name(&dig->at[dig->unit[i].root]);
  if (given->n > 1)
    qsort(given->name, given->n, sizeof *given->name, by_text);
  return given->name != NULL;
}

static bool is_given(const struct given *given, const char *name) {
  return given->n > 0 && bsearch(&name, given->name, given->n, sizeof *given->name, by_text);
}

/* The names of a filter, but for those of episodes that are lost. */
static ph_status take_mask(ph_dig *dig, ph_found *f, const struct given *given) {
  hid_t from, made;
  char **names = NULL;
  size_t n = 0;
  int64_t kept = 0;
  if (f->keep < 0 || f->extent.rank != 1 || !ph_dig_at(dig, f) || !parent_taken(dig, f))
    return PH_OK;
  ph_status status = ph_h5_texts(&names, &n, dig->from, f->path, 64 << 20);
  int64_t *rows = calloc(n + 1, sizeof *rows);
  for (size_t i = 0; rows && i < n; i++)
    if (is_given(given, names[i]))
      rows[kept++] = (int64_t)i;
  ph_h5_names_free(names, n);
  if (!status && !rows)
    status = ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
  if (!status)
    status = ph_h5_at(&from, dig->from, f->address);
  if (!status) {
    status = ph_h5_copy_picked(dig->to, f->path, from, &f->extent, rows, kept);
    if (!status && !(status = open_made(&made, dig, f))) {
      status = copy_attrs(dig, f, from, made);
      ph_h5_close(made);
    }
    ph_h5_close(from);
  }
  free(rows);
  return leave_out(dig, f, status);
}

static ph_status take_masks(ph_dig *dig) {
  struct given given;
  ph_status status =
      list_given(&given, dig) ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
  for (size_t i = 0; i < dig->n && !status; i++)
    if (is_mask(dig, &dig->at[i]) && dig->at[i].kind == PH_H5_DATASET)
      status = take_mask(dig, &dig->at[i], &given);
  ph_dig_at_none(dig);
  free(given.name);
  return status;
}

static ph_status set_count(hid_t at, const char *name, int64_t value) {
  return ph_h5_has_attr(at, name) ? ph_h5_put_i64(at, name, value) : PH_OK;
}

static size_t add_lost(json_t *lost, const ph_dig *dig, size_t first, size_t end, const char *id,
                       size_t size) {
  const ph_dig_board *board = dig->board;
  for (size_t i = first; i < end && size < TEXT_ROOM / 2; i++) {
    const ph_salvaged *item = &board->items[i];
    if (!item->why[0] || (id && strcmp(item->id, id) != 0))
      continue;
    json_array_append_new(lost, json_pack("{s:s,s:s}", "id", item->id, "why", item->why));
    size += 24 + strlen(item->id) + 2 * strlen(item->why);
  }
  return size;
}

/* Of one episode (nullable): its lines of the plan, and those that came with the taking. */
static char *lost_json(const ph_dig *dig, const ph_unit *u) {
  const char *slash = strrchr(dig->path, '/');
  json_t *lost = json_array();
  json_t *object = json_pack("{s:s,s:o,s:o}", "by", "playhead " PH_VERSION, "source",
                             ph_json_text(slash ? slash + 1 : dig->path), "lost", lost);
  size_t size = 0, first = u ? dig->planned : 0;
  if (object && u)
    size = add_lost(lost, dig, u->first_item, u->end_item, NULL, 0);
  if (object)
    add_lost(lost, dig, first, dig->board->nitems, u ? u->id : NULL, size);
  char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  return text;
}

static ph_status put_salvaged(const ph_dig *dig, hid_t at, const ph_unit *u) {
  char *text = lost_json(dig, u);
  if (!text)
    return ph_fail(PH_ENOMEM, "%s: out of memory", dig->path);
  ph_status status = ph_h5_put_string(at, "salvaged", text);
  free(text);
  return status;
}

static ph_status mend_unit(ph_dig *dig, const ph_unit *u) {
  hid_t group;
  const char *path = dig->at[u->root].path;
  if (!u->episode || u->lost || u->own || u->whole || !*path)
    return PH_OK;
  ph_status status = ph_h5_group(&group, dig->to, path);
  if (status)
    return status;
  if (u->keep < u->rows)
    status = set_count(group, "num_samples", u->keep);
  if (!status && u->keep < u->rows)
    status = set_count(group, "total_steps", u->keep);
  if (!status)
    status = put_salvaged(dig, group, u);
  ph_h5_close(group);
  return status;
}

static ph_status mend_data(ph_dig *dig) {
  hid_t data;
  int64_t total = 0, n = 0;
  if (!ph_h5_exists(dig->to, "/data"))
    return PH_OK;
  for (size_t i = 0; i < dig->nunits; i++)
    if (dig->unit[i].episode && !dig->unit[i].lost) {
      total += dig->unit[i].keep;
      n++;
    }
  ph_status status = ph_h5_group(&data, dig->to, "/data");
  if (status == PH_EFORMAT || status == PH_ENOTFOUND)
    return PH_OK; /* an array of that name */
  if (!status)
    status = set_count(data, "total", total);
  if (!status)
    status = set_count(data, "num_demos", n);
  ph_h5_close(data);
  return status;
}

/* --- all of it --- */

static ph_status take_own_episodes(ph_dig *dig) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < dig->nunits && !status; i++) {
    ph_unit *u = &dig->unit[i];
    if (!u->own || u->lost || u->whole)
      continue;
    status = ph_dig_take_own(dig, u);
    ph_dig_at_none(dig);
    if (status == PH_EFORMAT || status == PH_ECORRUPT || status == PH_ENOTFOUND) {
      ph_dig_lose(dig, u, ph_error());
      ph_h5_remove(dig->to, dig->at[u->root].path);
      status = PH_OK;
    }
  }
  return status;
}

static bool is_dataset_of_ours(const ph_dig *dig) {
  for (size_t i = 0; i < dig->n; i++)
    if (dig->own &&
        (strcmp(dig->at[i].path, "/index") == 0 || strcmp(dig->at[i].path, "/models") == 0))
      return true;
  return false;
}

ph_status ph_dig_take(ph_dig *dig) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < dig->n && !status; i++) {
    status = take_one(dig, &dig->at[i]);
    if (!status)
      status = ph_h5_check(dig->to);
  }
  ph_dig_at_none(dig);
  if (!status)
    status = take_own_episodes(dig);
  if (!status)
    status = take_masks(dig);
  for (size_t i = 0; i < dig->nunits && !status; i++) {
    status = mend_unit(dig, &dig->unit[i]);
    ph_dig_tick(dig, PH_DIG_OBJECT);
  }
  if (!status)
    status = mend_data(dig);
  if (!status && is_dataset_of_ours(dig))
    status = ph_dig_put_index(dig);
  return status ? status : put_salvaged(dig, dig->to, NULL);
}
