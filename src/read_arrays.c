/* The general fallback: any HDF5 file whose arrays mostly share a first dimension is one raw
 * episode, or one for each of its groups where they look alike. Nothing is known of its layout:
 * every array is a channel, and what is no row per step is named. */
#include "read_arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define TIMES_MAX 65536
#define LOOKED_AT ((size_t)1 << 18) /* numbers of an episode that are looked at */

/* A file whose arrays share their last dimension is no episode, and scan says so. */
static bool arrays_detect(const char *path, hid_t h5) {
  ph_array_groups groups;
  ph_foreign f = {0};
  int64_t rows;
  (void)path;
  bool yes = ph_array_groups_find(&groups, h5) == PH_OK && groups.n > 0;
  ph_array_groups_clear(&groups);
  if (!yes)
    yes =
        ph_arrays_gather(&f, &rows, h5, "/") == PH_OK && (rows > 0 || ph_arrays_last_axis(&f) > 0);
  ph_foreign_clear(&f);
  return yes;
}

/* --- the rate --- */

static bool is_time_name(const char *name) {
  static const char *const names[] = {"time", "timestamp", "timestamps", "t"};
  const char *slash = strrchr(name, '/');
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(slash ? slash + 1 : name, names[i]) == 0)
      return true;
  return false;
}

static int depth_of(const char *name) {
  int depth = 0;
  for (; *name; name++)
    depth += *name == '/';
  return depth;
}

/* The array of times that lies least deep; NULL: there is none. */
static const ph_array *find_time(const ph_foreign *f) {
  const ph_array *best = NULL;
  for (size_t i = 0; i < f->narrays; i++) {
    const ph_array *a = &f->arrays[i];
    if (!ph_array_fault(a) && a->channel.width == 1 && a->channel.rows == f->meta.states &&
        is_time_name(a->channel.name) &&
        (!best || depth_of(a->channel.name) < depth_of(best->channel.name)))
      best = a;
  }
  return best;
}

static void take_rate(ph_foreign *f) {
  const ph_array *array = find_time(f);
  int64_t n = array && array->channel.rows < TIMES_MAX ? array->channel.rows : TIMES_MAX;
  double *time = array ? malloc((size_t)n * sizeof *time) : NULL;
  if (time && array->read(array, 0, n, time) == PH_OK)
    f->dt = ph_median_gap(time, time, n);
  if (f->dt > 0)
    snprintf(f->dt_source, sizeof f->dt_source, "median of the differences in %.60s",
             array->channel.name);
  free(time);
}

/* --- what is odd --- */

/* Numbers that are none; an array of nothing else is only named. */
static void find_not_finite(ph_foreign *f, ph_array *array, double *room) {
  ph_channel *c = &array->channel;
  size_t count = (size_t)c->rows * c->width, n = 0, first = 0;
  if (array->read(array, 0, c->rows, room) != PH_OK)
    return; /* the reader of the rows is told */
  for (size_t i = 0; i < count; i++)
    if (!isfinite(room[i]) && n++ == 0)
      first = i;
  if (n == count && n > 0)
    ph_channel_note(c, "none of its numbers is finite");
  else if (n > 0)
    ph_foreign_find(f, PH_FINDING_ODDITY, (int64_t)(first / c->width),
                    "%s: element %zu is not finite; %zu such", c->name, first % c->width, n);
}

/* The narrow arrays that come first: what is there to be looked at is bounded. */
static void look_at_numbers(ph_foreign *f) {
  size_t left = LOOKED_AT;
  double *room = malloc(left * sizeof *room);
  for (size_t i = 0; room && i < f->narrays; i++) {
    const ph_channel *c = &f->arrays[i].channel;
    if (ph_array_fault(&f->arrays[i]) || c->kind != PH_CHANNEL_NUMBERS || c->width == 0 ||
        (size_t)c->rows > left / c->width)
      continue;
    left -= (size_t)c->rows * c->width;
    find_not_finite(f, &f->arrays[i], room);
  }
  free(room);
}

/* --- the reader --- */

static ph_status no_rows(const char *path, const ph_foreign *f) {
  int64_t last = ph_arrays_last_axis(f);
  if (last > 0)
    return ph_fail(PH_EFORMAT,
                   "%s: its arrays share their last dimension, %lld, and not their first: a time "
                   "that runs along the last one is not read",
                   path, (long long)last);
  return ph_fail(PH_EFORMAT, "%s: its arrays share no first dimension: it is no episode", path);
}

/* "arrays", or the name of the group. */
static void name_of(char *id, size_t size, const char *group) {
  const char *slash = strrchr(group, '/'), *name = slash ? slash + 1 : group;
  ph_escape(id, size, name[0] ? name : "arrays", strlen(name[0] ? name : "arrays"));
}

static void fill_entry(ph_entry *e, const char *path, const char *parent, const char *name,
                       size_t place) {
  const char *below = strcmp(parent, "/") == 0 ? "" : parent;
  ph_escape(e->id, sizeof e->id, name[0] ? name : "arrays", strlen(name[0] ? name : "arrays"));
  snprintf(e->file, sizeof e->file, "%s", path);
  if (strlen(below) + strlen(name) + 2 <= sizeof e->group)
    snprintf(e->group, sizeof e->group, "%s/%s", below, name);
  else
    snprintf(e->oddity, sizeof e->oddity, "its name has %zu bytes: it is too long to be opened",
             strlen(name));
  e->episode = ph_demo_number(name, place);
  e->actions = e->states = -1;
  e->uninterpreted = true;
  e->success = -1;
  e->end_reason = PH_END_UNKNOWN;
}

/* That the file is an episode, where no group of it is. */
static ph_status check_whole(const char *path, hid_t h5) {
  ph_foreign f = {0};
  int64_t rows;
  ph_status status = ph_arrays_gather(&f, &rows, h5, "/");
  if (status == PH_OK && rows == 0)
    status = no_rows(path, &f);
  ph_foreign_clear(&f);
  return status;
}

static ph_status arrays_scan(ph_scan *out, const char *path, hid_t h5) {
  ph_array_groups groups;
  memset(out, 0, sizeof *out);
  snprintf(out->layout, sizeof out->layout, "arrays");
  ph_status status = ph_array_groups_find(&groups, h5);
  if (status == PH_OK && groups.n == 0)
    status = check_whole(path, h5);
  if (status == PH_OK) {
    out->n = groups.n > 0 ? groups.n : 1;
    out->entries = calloc(out->n, sizeof *out->entries);
    if (!out->entries)
      status = ph_fail(PH_ENOMEM, "%s: %zu episodes: out of memory", path, out->n);
  }
  for (size_t i = 0; status == PH_OK && i < out->n; i++)
    fill_entry(&out->entries[i], path, groups.n > 0 ? groups.parent : "/",
               groups.n > 0 ? groups.names[i] : "", i);
  ph_array_groups_clear(&groups);
  return status;
}

static ph_status arrays_look(ph_entry *entry, hid_t h5) {
  ph_foreign f = {0};
  int64_t rows;
  if (!entry->group[0])
    return ph_fail(PH_EINVAL, "%s", entry->oddity);
  ph_status status = ph_arrays_gather(&f, &rows, h5, entry->group);
  if (status == PH_OK && rows == 0)
    status = no_rows(entry->id, &f);
  ph_foreign_clear(&f);
  if (status == PH_OK) {
    entry->states = rows;
    entry->actions = 0;
  }
  return status;
}

static void begin(ph_foreign *f, const char *file, const char *group) {
  ph_episode_meta *meta = &f->meta;
  memset(f, 0, sizeof *f);
  f->states = f->actions = f->rewards = f->dones = f->success = -1;
  name_of(meta->id, sizeof meta->id, group);
  snprintf(meta->layout, sizeof meta->layout, "arrays");
  snprintf(meta->file, sizeof meta->file, "%s", file);
  snprintf(meta->group, sizeof meta->group, "%s", group);
  meta->episode = ph_demo_number(meta->id, 0);
  meta->success = -1;
}

static ph_status arrays_open(ph_foreign *out, const char *file, const char *group, hid_t h5) {
  int64_t rows;
  begin(out, file, group);
  if (!group[0])
    return ph_fail(PH_EINVAL, "%s: the name of its group is too long to be opened", file);
  ph_status status = ph_arrays_gather(out, &rows, h5, group);
  if (status == PH_OK && rows == 0)
    status = no_rows(out->meta.id, out);
  if (status) {
    ph_foreign_clear(out);
    return status;
  }
  out->meta.states = rows;
  for (size_t i = 0; i < out->narrays; i++) {
    ph_channel *c = &out->arrays[i].channel;
    if (c->rank == 0 || c->rows < rows - 1 || c->rows > rows + 1)
      ph_channel_apart(c, rows);
  }
  take_rate(out);
  look_at_numbers(out);
  return PH_OK;
}

const ph_reader ph_read_arrays = {
    .name = "arrays",
    .detect = arrays_detect,
    .scan = arrays_scan,
    .look = arrays_look,
    .open = arrays_open,
};
