/* What the probe's child does in its parent's place: opens a path, or an episode and the ends of
 * all that it stores. */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "episode_file.h"
#include "fail.h"

#define ROW_MAX ((size_t)64 << 20) /* a wider row is not read as numbers either [B] */

ph_status ph_store_try_path(const char *path) {
  ph_store *store = NULL;
  ph_status status = ph_store_open(&store, &path, 1, NULL);
  ph_store_free(store);
  return status;
}

/* --- rows --- */

/* First and last row of a column. Damage is for the reader of the rows to say. */
static ph_status try_column(const ph_episode *episode, ph_column col) {
  const ph_episode_meta *m = ph_episode_meta_of(episode);
  size_t size = ph_schema_width(col, &m->dims) * ph_type_size(ph_schema_column(col)->type);
  int64_t rows = ph_episode_rows(episode, col);
  if (rows == 0 || size == 0 || size > ROW_MAX)
    return PH_OK;
  void *row = malloc(size);
  if (!row)
    return ph_fail(PH_ENOMEM, "%s: out of memory", m->id);
  ph_status status = ph_episode_read(episode, col, 0, 1, row);
  if (status != PH_ENOMEM)
    status = ph_episode_read(episode, col, rows - 1, 1, row);
  free(row);
  return status == PH_ENOMEM ? status : PH_OK;
}

static ph_status try_channel(const ph_episode *episode, size_t i, const ph_channel *c) {
  if (c->kind != PH_CHANNEL_NUMBERS || c->rows == 0 || c->width > ROW_MAX / sizeof(double))
    return PH_OK;
  double *row = malloc(c->width * sizeof *row);
  if (!row)
    return ph_fail(PH_ENOMEM, "%s: %s: out of memory", ph_episode_meta_of(episode)->id, c->name);
  ph_status status = ph_episode_channel_read(episode, i, 0, 1, row);
  if (status != PH_ENOMEM)
    status = ph_episode_channel_read(episode, i, c->rows - 1, 1, row);
  free(row);
  return status == PH_ENOMEM ? status : PH_OK;
}

static ph_status try_rows(const ph_episode *episode) {
  size_t n = 0;
  ph_status status = PH_OK;
  const ph_channel *channels = ph_episode_channels(episode, &n);
  for (int col = 0; status == PH_OK && col < PH_COL_COUNT; col++)
    if (ph_episode_has(episode, (ph_column)col))
      status = try_column(episode, (ph_column)col);
  for (size_t i = 0; status == PH_OK && i < n; i++)
    status = try_channel(episode, i, &channels[i]);
  return status;
}

/* --- indices of chunks --- */

/* Walks the index of each dataset that a reading of rows would walk piece by piece. */
static void try_chunks(hid_t group, const char *name) {
  hid_t dataset = H5I_INVALID_HID;
  ph_h5_array info;
  const char *why = "";
  if (ph_h5_exists(group, name) && ph_h5_dataset_any(&dataset, &info, &why, group, name) == PH_OK &&
      !*why)
    ph_h5_check_chunks(dataset);
  ph_h5_close(dataset);
}

/* --- episodes --- */

static ph_status try_foreign(const ph_reader *reader, const char *file, const char *group,
                             hid_t h5) {
  ph_foreign f = {0};
  ph_episode *episode = NULL;
  hid_t at = H5I_INVALID_HID;
  ph_status status = reader->open(&f, file, group, h5);
  if (status == PH_OK && h5 >= 0 && ph_h5_group(&at, h5, group) == PH_OK)
    for (size_t i = 0; i < f.narrays; i++)
      try_chunks(at, f.arrays[i].channel.name);
  ph_h5_close(at);
  if (status == PH_OK)
    status = ph_foreign_episode(&episode, &f, NULL, "");
  else
    ph_foreign_clear(&f);
  if (status == PH_OK)
    status = try_rows(episode);
  ph_episode_free(episode);
  return ph_file_fail(status, file, group);
}

static ph_status try_own(const char *file, const char *group, hid_t h5) {
  ph_episode *episode = NULL;
  hid_t at = H5I_INVALID_HID;
  ph_status status = ph_episode_open(&episode, file, group);
  if (status == PH_OK && ph_h5_group(&at, h5, group) == PH_OK)
    for (int col = 0; col < PH_COL_COUNT; col++)
      if (ph_episode_has(episode, (ph_column)col))
        try_chunks(at, ph_schema_column((ph_column)col)->path);
  ph_h5_close(at);
  if (status == PH_OK)
    status = try_rows(episode);
  ph_episode_free(episode);
  return status;
}

ph_status ph_store_try_episode(const char *file, const char *group) {
  hid_t h5 = H5I_INVALID_HID;
  struct stat st;
  bool folder = stat(file, &st) == 0 && S_ISDIR(st.st_mode);
  ph_status status = folder ? PH_OK : ph_file_open(&h5, file);
  if (status)
    return status;
  const ph_reader *reader = ph_store_reader(file, folder, h5);
  if (reader)
    status = try_foreign(reader, file, group, h5);
  else if (folder)
    status = ph_fail(PH_EFORMAT, "%s: no episode is a folder of this kind", file);
  else
    status = try_own(file, group, h5);
  ph_h5_close(h5);
  return status;
}

/* --- looks --- */

ph_status ph_store_try_looks(const char *file, const char *const *groups, size_t n) {
  hid_t h5 = H5I_INVALID_HID;
  struct stat st;
  bool folder = stat(file, &st) == 0 && S_ISDIR(st.st_mode);
  ph_status status = folder ? PH_OK : ph_file_open(&h5, file);
  const ph_reader *reader = status ? NULL : ph_store_reader(file, folder, h5);
  for (size_t i = 0; reader && status != PH_ENOMEM && i < n; i++) {
    ph_entry entry = {.actions = -1, .states = -1, .success = -1};
    const char *slash = strrchr(groups[i], '/');
    snprintf(entry.id, sizeof entry.id, "%s", slash ? slash + 1 : groups[i]);
    snprintf(entry.file, sizeof entry.file, "%s", file);
    snprintf(entry.group, sizeof entry.group, "%s", groups[i]);
    status = reader->look(&entry, h5);
  }
  ph_h5_close(h5);
  return status == PH_ENOMEM ? status : PH_OK;
}
