/* The general fallback: any HDF5 file whose arrays mostly share a first dimension is one raw
 * episode. Nothing is known of its layout: every array is a channel, and what is no row per step is
 * named. */
#include "read_demos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define TIMES_MAX 65536

/* --- which dimension --- */

static bool has_rows(const ph_channel *c) {
  return c->rank > 0 && c->rows > 1;
}

static int compare_rows(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* The first dimension of more than half of the arrays that have rows; those with one row less count
 * too, as actions have one less than states. 0: there is none. */
static int64_t shared_rows(const ph_foreign *f) {
  int64_t *rows = malloc((f->narrays + 1) * sizeof *rows), best = 0, last = 0;
  size_t n = 0, most = 0, count = 0, less = 0;
  for (size_t i = 0; rows && i < f->narrays; i++)
    if (has_rows(&f->arrays[i].channel))
      rows[n++] = f->arrays[i].channel.rows;
  if (n > 0)
    qsort(rows, n, sizeof *rows, compare_rows);
  for (size_t i = 0; i < n; i++) {
    if (rows[i] != last)
      less = rows[i] - 1 == last ? count : 0;
    count = rows[i] == last ? count + 1 : 1;
    last = rows[i];
    if (count + less >= most) {
      most = count + less;
      best = last;
    }
  }
  free(rows);
  return 2 * most > n ? best : 0;
}

static ph_status gather(ph_foreign *f, int64_t *rows, hid_t h5) {
  hid_t root = H5I_INVALID_HID;
  ph_status status = ph_h5_group(&root, h5, "/");
  if (status == PH_OK)
    status = ph_foreign_gather(f, root);
  ph_h5_close(root);
  *rows = status == PH_OK ? shared_rows(f) : 0;
  return status;
}

static bool arrays_detect(const char *path, hid_t h5) {
  ph_foreign f = {0};
  int64_t rows;
  (void)path;
  bool yes = gather(&f, &rows, h5) == PH_OK && rows > 0;
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

/* --- the reader --- */

static ph_status no_rows(const char *path) {
  return ph_fail(PH_EFORMAT, "%s: its arrays share no first dimension: it is no episode", path);
}

static ph_status arrays_scan(ph_scan *out, const char *path, hid_t h5) {
  (void)h5;
  memset(out, 0, sizeof *out);
  snprintf(out->layout, sizeof out->layout, "arrays");
  out->entries = calloc(1, sizeof *out->entries);
  if (!out->entries)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  out->n = 1;
  ph_entry *e = out->entries;
  snprintf(e->id, sizeof e->id, "arrays");
  snprintf(e->file, sizeof e->file, "%s", path);
  snprintf(e->group, sizeof e->group, "/");
  e->actions = e->states = -1;
  e->success = -1;
  e->end_reason = PH_END_UNKNOWN;
  return PH_OK;
}

static ph_status arrays_look(ph_entry *entry, hid_t h5) {
  ph_foreign f = {0};
  int64_t rows;
  ph_status status = gather(&f, &rows, h5);
  ph_foreign_clear(&f);
  if (status == PH_OK && rows == 0)
    status = no_rows(entry->file);
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
  snprintf(meta->id, sizeof meta->id, "arrays");
  snprintf(meta->layout, sizeof meta->layout, "arrays");
  snprintf(meta->file, sizeof meta->file, "%s", file);
  snprintf(meta->group, sizeof meta->group, "%s", group);
  meta->success = -1;
}

static ph_status arrays_open(ph_foreign *out, const char *file, const char *group, hid_t h5) {
  int64_t rows;
  begin(out, file, group);
  ph_status status = gather(out, &rows, h5);
  if (status == PH_OK && rows == 0)
    status = no_rows(file);
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
  return PH_OK;
}

const ph_reader ph_read_arrays = {
    .name = "arrays",
    .detect = arrays_detect,
    .scan = arrays_scan,
    .look = arrays_look,
    .open = arrays_open,
};
