/* One file with many episodes, models and tasks: complete when it appears. */
#include "sink_dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "sink_h5.h"

/* HDF5 keeps all metadata of a file that is read, and walks it whenever a dataset is closed: demos
 * by the thousand would take hours from one opening. */
enum { VERIFIED_AT_ONCE = 200 };

struct dataset {
  ph_sink base;
  ph_part part;
  ph_demo demo;
  ph_episode_meta origin;
  bool compress, overwrite, finished;
  ph_status outcome; /* of finishing */
  char *path;        /* owned */
  ph_entry *entries;
  size_t n;
  int64_t total;
  ph_sink_go_on *go_on; /* NULL: nobody asks */
  void *user;
};

static ph_status may_go_on(const struct dataset *d) {
  return d->go_on ? d->go_on(d->user) : PH_OK;
}

static ph_status dataset_model(ph_sink *sink, const ph_model *model) {
  struct dataset *d = (struct dataset *)sink;
  return ph_sink_put_model(d->part.h5, model);
}

static ph_status dataset_task(ph_sink *sink, const ph_task *task) {
  struct dataset *d = (struct dataset *)sink;
  return ph_sink_put_task(d->part.h5, task);
}

static void demo_path(char out[64], size_t k) {
  snprintf(out, 64, "data/demo_%zu", k);
}

static void dataset_cancel(ph_sink *sink) {
  struct dataset *d = (struct dataset *)sink;
  char path[64];
  if (!d->demo.open)
    return;
  ph_demo_close(&d->demo);
  demo_path(path, d->n);
  ph_h5_remove(d->part.h5, path);
}

static ph_status dataset_begin(ph_sink *sink, const ph_begin *begin) {
  struct dataset *d = (struct dataset *)sink;
  char path[64];
  if (d->demo.open)
    return ph_fail(PH_EINVAL, "episode: begins before the last one has ended");
  if (d->finished)
    return ph_fail(PH_EINVAL, "dataset: it is finished");
  ph_status status = ph_begin_check(begin, true);
  if (status)
    return status;
  ph_entry *entries = realloc(d->entries, (d->n + 1) * sizeof *entries);
  if (!entries)
    return ph_fail(PH_ENOMEM, "dataset: out of memory");
  d->entries = entries;
  demo_path(path, d->n);
  status = ph_demo_begin(&d->demo, d->part.h5, path, begin, d->compress);
  if (!status)
    status = ph_sink_put_own(d->demo.group, begin->meta, &d->origin);
  if (status)
    dataset_cancel(sink);
  return status;
}

static ph_status dataset_rows(ph_sink *sink, ph_column col, int64_t first, int64_t n,
                              const void *data) {
  struct dataset *d = (struct dataset *)sink;
  ph_status status = ph_demo_rows(&d->demo, col, first, n, data);
  if (status)
    dataset_cancel(sink);
  return status;
}

static ph_status dataset_end(ph_sink *sink) {
  struct dataset *d = (struct dataset *)sink;
  ph_entry entry;
  char path[64];
  ph_begin_entry(&entry, &d->demo.meta);
  snprintf(entry.id, sizeof entry.id, "demo_%zu", d->n);
  bool begun = d->demo.open;
  ph_status status = ph_demo_end(&d->demo);
  if (!status)
    status = ph_h5_check(d->part.h5);
  if (status) {
    demo_path(path, d->n);
    if (begun)
      ph_h5_remove(d->part.h5, path);
    return status;
  }
  d->entries[d->n++] = entry;
  d->total += entry.actions;
  return PH_OK;
}

/* Reads the demos from first on back, as many as are worth one opening. */
static ph_status verify_demos(const struct dataset *d, size_t first) {
  hid_t file;
  ph_status status = ph_h5_open(&file, d->part.temporary);
  for (size_t k = first; k < d->n && k < first + VERIFIED_AT_ONCE && !status; k++) {
    char path[64];
    demo_path(path, k);
    status = ph_demo_verify(file, path);
    if (!status)
      status = may_go_on(d);
  }
  ph_h5_close(file);
  return status;
}

/* Reads everything back before it gets its name. */
static ph_status verify(const struct dataset *d) {
  hid_t file;
  ph_entry *entries = NULL;
  size_t n = 0;
  ph_status status = ph_h5_open(&file, d->part.temporary);
  if (!status)
    status = ph_h5_index(&entries, &n, file);
  if (!status && n != d->n)
    status = ph_fail(PH_ECORRUPT, "%s: /index: %zu of %zu episodes were read back", d->part.final,
                     n, d->n);
  free(entries);
  ph_h5_close(file);
  for (size_t k = 0; k < d->n && !status; k += VERIFIED_AT_ONCE)
    status = verify_demos(d, k);
  return status;
}

static ph_status dataset_finish(ph_sink *sink) {
  struct dataset *d = (struct dataset *)sink;
  if (d->demo.open)
    return ph_fail(PH_EINVAL, "episode: it has not ended");
  if (d->finished)
    return d->outcome ? ph_fail(d->outcome, "%s: it could not be written", d->path) : PH_OK;
  ph_status status = ph_sink_put_data(d->part.h5, &d->origin, d->total);
  if (!status)
    status = ph_h5_put_index(d->part.h5, d->entries, d->n);
  d->finished = true;
  if (!status)
    status = ph_part_finish(&d->part);
  if (!status)
    status = verify(d);
  if (!status)
    status = may_go_on(d);
  if (!status)
    status = d->overwrite ? ph_part_publish_over(&d->part) : ph_part_publish(&d->part);
  d->outcome = status;
  ph_part_drop(&d->part);
  return status;
}

static void dataset_free(ph_sink *sink) {
  struct dataset *d = (struct dataset *)sink;
  if (!sink)
    return;
  ph_demo_close(&d->demo);
  ph_part_drop(&d->part);
  free(d->entries);
  free(d->path);
  free(d);
}

ph_status ph_sink_dataset(ph_sink **out, const char *path, const ph_episode_meta *origin,
                          const ph_sink_options *opt) {
  struct dataset *d = calloc(1, sizeof *d);
  *out = NULL;
  if (!d)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  d->base = (ph_sink){dataset_model, dataset_task,   dataset_begin,  dataset_rows,
                      dataset_end,   dataset_cancel, dataset_finish, dataset_free};
  d->origin = *origin;
  d->origin.provenance = NULL;
  d->compress = opt && opt->compress;
  d->overwrite = opt && opt->existing == PH_EXISTING_OVERWRITE;
  d->path = strdup(path);
  ph_status status =
      d->path ? ph_sink_check_path(path, 1) : ph_fail(PH_ENOMEM, "%s: out of memory", path);
  if (!status)
    status = d->overwrite ? ph_part_create_over(&d->part, path) : ph_part_create(&d->part, path);
  if (!status)
    status = ph_sink_put_root(d->part.h5, origin);
  if (!status)
    status = ph_sink_put_data(d->part.h5, origin, 0);
  if (status)
    dataset_free(&d->base);
  else
    *out = &d->base;
  return status;
}

void ph_sink_dataset_ask(ph_sink *sink, ph_sink_go_on *go_on, void *user) {
  struct dataset *d = (struct dataset *)sink;
  d->go_on = go_on;
  d->user = user;
}
