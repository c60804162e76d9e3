/* What the probe's child does in its parent's place: opens a path, or an episode and the rows that
 * it stores, so that their chunks are unpacked here first. */
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "episode_file.h"
#include "fail.h"
#include "probe.h"

#define ROW_MAX ((size_t)64 << 20)    /* a wider row is not read as numbers either [B] */
#define NARROW_MAX ((size_t)64 << 10) /* arrays of wider rows are tried at their ends only [B] */
#define TRIED_MAX ((size_t)32 << 20)  /* of rows in all: 0.1 s where they are packed [B] */
#define BLOCK ((size_t)256 << 10)     /* that are read at once [B] */

ph_status ph_store_try_path(const char *path) {
  ph_store *store = NULL;
  ph_status status = ph_store_open(&store, &path, 1, NULL);
  ph_store_free(store);
  return status;
}

/* --- rows --- */

/* Reads n rows from `first` on into room for them. */
typedef ph_status read_rows(const ph_episode *episode, size_t which, int64_t first, int64_t n,
                            void *out);

static ph_status read_column(const ph_episode *episode, size_t which, int64_t first, int64_t n,
                             void *out) {
  return ph_episode_read(episode, (ph_column)which, first, n, out);
}

static ph_status read_channel(const ph_episode *episode, size_t which, int64_t first, int64_t n,
                              void *out) {
  return ph_episode_channel_read(episode, which, first, n, out);
}

/* HDF5 takes a chunk for damaged that there was no memory for. */
static bool no_memory(ph_status status) {
  return status == PH_ENOMEM || (status == PH_ECORRUPT && errno == ENOMEM);
}

/* Every row of narrow ones as long as *left bytes last, and the last row. Damage is for the reader
 * of the rows to say. */
static ph_status try_array(const ph_episode *episode, read_rows *read, size_t which, int64_t rows,
                           size_t size, size_t *left) {
  if (rows <= 0 || size == 0 || size > ROW_MAX)
    return PH_OK;
  int64_t block = size < BLOCK ? (int64_t)(BLOCK / size) : 1, most = 1;
  if (size <= NARROW_MAX && (int64_t)(*left / size) > most)
    most = (int64_t)(*left / size);
  block = block < most ? block : most;
  void *out = malloc((size_t)block * size);
  if (!out)
    return ph_fail(PH_ENOMEM, "%s: out of memory", ph_episode_meta_of(episode)->id);
  ph_status status = PH_OK;
  errno = 0;
  for (int64_t at = 0; !no_memory(status) && at < rows && at < most; at += block) {
    int64_t end = rows < most ? rows : most, n = end - at < block ? end - at : block;
    status = read(episode, which, at, n, out);
    *left -= (size_t)n * size < *left ? (size_t)n * size : *left;
  }
  if (!no_memory(status))
    status = read(episode, which, rows - 1, 1, out);
  bool memory = no_memory(status);
  free(out);
  return memory ? PH_ENOMEM : PH_OK;
}

static ph_status try_rows(const ph_episode *episode) {
  size_t n = 0, left = TRIED_MAX;
  ph_status status = PH_OK;
  const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
  const ph_channel *channels = ph_episode_channels(episode, &n);
  for (int i = 0; status == PH_OK && i < PH_COL_COUNT; i++) {
    ph_column col = (ph_column)i;
    size_t size = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
    if (ph_episode_has(episode, col))
      status =
          try_array(episode, read_column, (size_t)i, ph_episode_rows(episode, col), size, &left);
  }
  for (size_t i = 0; status == PH_OK && i < n; i++)
    if (channels[i].kind == PH_CHANNEL_NUMBERS && channels[i].width <= ROW_MAX / sizeof(double))
      status = try_array(episode, read_channel, i, channels[i].rows,
                         channels[i].width * sizeof(double), &left);
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
  const ph_reader *reader = folder ? NULL : ph_reader_plain(file);
  ph_status status = folder || reader ? PH_OK : ph_file_open(&h5, file);
  if (status)
    return status;
  reader = reader ? reader : ph_store_reader(file, folder, h5);
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

static ph_status try_look(const ph_reader *reader, const char *file, const char *group, hid_t h5) {
  ph_entry entry = {.actions = -1, .states = -1, .success = -1};
  const char *slash = strrchr(group, '/');
  snprintf(entry.id, sizeof entry.id, "%s", slash ? slash + 1 : group);
  snprintf(entry.file, sizeof entry.file, "%s", file);
  snprintf(entry.group, sizeof entry.group, "%s", group);
  return reader ? reader->look(&entry, h5) : ph_episode_peek_in(&entry, h5, file, group);
}

ph_status ph_store_try_looks(const char *file, const char *const *groups, size_t n) {
  hid_t h5 = H5I_INVALID_HID;
  ph_episode_meta origin = {0};
  struct stat st;
  bool folder = stat(file, &st) == 0 && S_ISDIR(st.st_mode);
  const ph_reader *reader = folder ? NULL : ph_reader_plain(file);
  ph_status status = folder || reader ? PH_OK : ph_file_open(&h5, file);
  if (!status && !reader)
    reader = ph_store_reader(file, folder, h5);
  if (status == PH_OK && !reader)
    status = folder ? PH_EFORMAT : ph_meta_root(&origin, h5);
  bool opened = status == PH_OK;
  for (size_t i = 0; opened && status != PH_ENOMEM && i < n; i++) {
    if (n > 1)
      ph_probe_at(groups[i]);
    status = try_look(reader, file, groups[i], h5);
  }
  ph_h5_close(h5);
  return status == PH_ENOMEM ? status : PH_OK;
}
