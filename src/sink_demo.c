/* One demo group: attributes, columns with their block checksums, model edits. */
#include "sink_h5.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "hash.h"

#define BYTES_LIMIT ((size_t)1 << 40)

/* --- attributes --- */

static ph_status put_texts(hid_t group, const ph_episode_meta *m) {
  const struct {
    const char *name, *text;
  } texts[] = {
      {"seed", m->seed},
      {"end_reason", ph_end_name(m->end_reason)},
      {"end_detail", m->end_detail},
      {"determinism", m->determinism},
      {"model_sha256", m->model_sha256},
      {"task_sha256", m->task_sha256},
      {"recipe", m->recipe},
      {"derived", m->derived},
      {"engine", m->engine},
      {"parent", m->parent},
      {"provenance", m->provenance && *m->provenance ? m->provenance : "[]"},
  };
  ph_status status = PH_OK;
  for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
    status = ph_h5_put_string(group, texts[i].name, texts[i].text);
  return status;
}

static ph_status put_attrs(hid_t group, const ph_episode_meta *m) {
  ph_status status = ph_h5_put_i64(group, "num_samples", m->actions);
  if (!status)
    status = ph_h5_put_i64(group, "env_id", m->env_id);
  if (!status)
    status = ph_h5_put_i64(group, "episode", m->episode);
  if (!status && m->success >= 0)
    status = ph_h5_put_u8(group, "success", m->success > 0);
  if (!status && m->success >= 0 && m->success_source[0])
    status = ph_h5_put_string(group, "success_source", m->success_source);
  if (!status && m->hold_seconds >= 0)
    status = ph_h5_put_f64(group, "hold_seconds", m->hold_seconds);
  if (!status && m->hold_seconds >= 0)
    status = ph_h5_put_i64(group, "hold_steps", m->hold_steps);
  return status ? status : put_texts(group, m);
}

static ph_status put_edits(hid_t group, const ph_edit *edits, size_t n) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < n && !status; i++) {
    char path[80];
    snprintf(path, sizeof path, "playhead/model/%s", edits[i].field);
    status = ph_h5_put_array(group, path, edits[i].type, 2, edits[i].shape, edits[i].data);
  }
  return status;
}

/* --- columns --- */

/* Rows in the column's dataset: the last of S = A+1 states is in final_state. */
static int64_t stored_rows(const ph_episode_meta *meta, ph_column col) {
  return col == PH_COL_STATES ? meta->actions : ph_begin_rows(meta, col);
}

static ph_status create_column(ph_demo *demo, ph_column col) {
  const ph_column_info *column = ph_schema_column(col);
  int64_t dim[4] = {stored_rows(&demo->meta, col)};
  int rank = 1 + ph_schema_shape(col, &demo->meta.dims, dim + 1);
  demo->col[col].row_bytes = ph_schema_width(col, &demo->meta.dims) * ph_type_size(column->type);
  return ph_h5_dataset_create(&demo->col[col].dataset, demo->group, column->path, column->type,
                              rank, dim, demo->compress);
}

static bool is_stored(const ph_demo *demo, int col) {
  return col != PH_COL_FINAL_STATE && (demo->columns & PH_COL_BIT(col));
}

ph_status ph_demo_begin(ph_demo *demo, hid_t file, const char *path, const ph_begin *begin,
                        bool compress) {
  *demo = (ph_demo){.open = true,
                    .compress = compress,
                    .group = H5I_INVALID_HID,
                    .columns = begin->columns,
                    .meta = *begin->meta};
  demo->meta.provenance = NULL;
  demo->blocks = (demo->meta.actions + PH_CRC_BLOCK_ROWS) / PH_CRC_BLOCK_ROWS;
  for (int i = 0; i < PH_COL_COUNT; i++)
    demo->col[i].dataset = H5I_INVALID_HID;
  demo->crc = calloc((size_t)demo->blocks * PH_COL_COUNT, sizeof *demo->crc);
  ph_status status = demo->crc ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", path);
  if (!status)
    status = ph_h5_group_create(&demo->group, file, path);
  if (!status)
    status = put_attrs(demo->group, begin->meta);
  for (int i = 0; i < PH_COL_COUNT && !status; i++)
    if (is_stored(demo, i))
      status = create_column(demo, (ph_column)i);
  return status ? status : put_edits(demo->group, begin->edits, begin->nedits);
}

static void add_crc(ph_demo *demo, ph_column col, int64_t first, int64_t n, const char *data) {
  size_t row = demo->col[col].row_bytes;
  while (n > 0) {
    int64_t block = first / PH_CRC_BLOCK_ROWS, here = (block + 1) * PH_CRC_BLOCK_ROWS - first;
    here = here < n ? here : n;
    uint32_t *crc = &demo->crc[(int64_t)col * demo->blocks + block];
    if (row > 0) { /* a column of no width has no data */
      *crc = ph_crc32_add(*crc, data, (size_t)here * row);
      data += (size_t)here * row;
    }
    first += here;
    n -= here;
  }
}

static ph_status put_final(ph_demo *demo, const void *row) {
  const ph_column_info *column = ph_schema_column(PH_COL_FINAL_STATE);
  int64_t shape[3];
  int rank = ph_schema_shape(PH_COL_FINAL_STATE, &demo->meta.dims, shape);
  return ph_h5_put_array(demo->group, column->path, column->type, rank, shape, row);
}

ph_status ph_demo_rows(ph_demo *demo, ph_column col, int64_t first, int64_t n, const void *data) {
  if (!demo->open)
    return ph_fail(PH_EINVAL, "episode: rows before it has begun");
  int64_t next = (unsigned)col < PH_COL_COUNT ? demo->col[col].next : 0;
  ph_status status = ph_begin_check_rows(&demo->meta, demo->columns, col, next, first, n);
  if (status)
    return status;
  int64_t stored = stored_rows(&demo->meta, col) - first;
  stored = stored < n ? stored : n;
  if (stored > 0) {
    status = ph_h5_write(demo->col[col].dataset, ph_schema_column(col)->type, first, stored, data);
    add_crc(demo, col, first, stored, data);
  }
  if (!status && stored < n)
    status = put_final(demo, (const char *)data + (size_t)stored * demo->col[col].row_bytes);
  demo->col[col].next += n;
  return status;
}

/* --- end --- */

/* Closes the gaps between the lines of columns that are not stored, and lists those that are. */
static int pack_crc(ph_demo *demo, char *list, size_t size) {
  int lines = 0;
  size_t length = 0;
  list[0] = 0;
  for (int i = 0; i < PH_COL_COUNT; i++) {
    if (!is_stored(demo, i))
      continue;
    memmove(demo->crc + lines * demo->blocks, demo->crc + i * demo->blocks,
            (size_t)demo->blocks * sizeof *demo->crc);
    length += (size_t)snprintf(list + length, size - length, "%s%s", lines ? "," : "",
                               ph_schema_column((ph_column)i)->path);
    lines++;
  }
  return lines;
}

static ph_status put_crc(ph_demo *demo) {
  char list[PH_COL_COUNT * 40];
  int64_t dim[2] = {pack_crc(demo, list, sizeof list), demo->blocks};
  ph_h5_array info;
  hid_t dataset = H5I_INVALID_HID;
  ph_status status = ph_h5_put_array(demo->group, "playhead/crc", PH_U32, 2, dim, demo->crc);
  if (!status)
    status = ph_h5_dataset(&dataset, &info, demo->group, "playhead/crc");
  if (!status)
    status = ph_h5_put_string(dataset, "columns", list);
  ph_h5_close(dataset);
  return status;
}

ph_status ph_demo_end(ph_demo *demo) {
  ph_status status = demo->open ? PH_OK : ph_fail(PH_EINVAL, "episode: ends before it has begun");
  for (int i = 0; i < PH_COL_COUNT && !status; i++) {
    int64_t rows = ph_begin_rows(&demo->meta, (ph_column)i);
    if (is_stored(demo, i) && demo->col[i].next != rows)
      status = ph_fail(PH_EINVAL, "episode: column %s: it ends after %lld of %lld rows",
                       ph_schema_column((ph_column)i)->path, (long long)demo->col[i].next,
                       (long long)rows);
  }
  if (!status)
    status = put_crc(demo);
  ph_demo_close(demo);
  return status;
}

void ph_demo_close(ph_demo *demo) {
  for (int i = 0; demo->open && i < PH_COL_COUNT; i++)
    ph_h5_close(demo->col[i].dataset);
  if (demo->open)
    ph_h5_close(demo->group);
  free(demo->crc);
  *demo = (ph_demo){.group = H5I_INVALID_HID};
}

/* --- reading back --- */

/* Where datasets are read back from: a demo, and the group `playhead` in it. */
typedef struct place {
  int fd; /* of its file */
  hid_t demo, own;
} place;

/* As they are in the file; through the library only where they are packed. */
static ph_status read_back(int fd, hid_t dataset, const ph_h5_array *info, int64_t first, int64_t n,
                           char *data) {
  size_t row = (size_t)info->width * ph_type_size(info->type), size = (size_t)n * row, done = 0;
  if (!info->native || info->offset < 0 || fd < 0)
    return ph_h5_read(dataset, info, info->type, first, n, data);
  while (done < size) {
    off_t at = (off_t)((size_t)info->offset + (size_t)first * row + done);
    ssize_t got = pread(fd, data + done, size - done, at);
    if (got == 0 || (got < 0 && errno != EINTR))
      return ph_fail(PH_EIO, "rows from %lld: %s", (long long)first,
                     got == 0 ? "the file ends before its data does" : strerror(errno));
    done += got > 0 ? (size_t)got : 0;
  }
  return PH_OK;
}

static ph_status verify_column(const place *in, const char *path, const uint32_t *crc,
                               int64_t blocks) {
  static const char prefix[] = "playhead/";
  hid_t dataset;
  ph_h5_array info;
  bool own = strncmp(path, prefix, sizeof prefix - 1) == 0;
  ph_status status = ph_h5_dataset(&dataset, &info, own ? in->own : in->demo,
                                   own ? path + sizeof prefix - 1 : path);
  size_t row = status ? 0 : (size_t)info.width * ph_type_size(info.type);
  char *data = malloc(row * PH_CRC_BLOCK_ROWS + 1);
  if (!status && !data)
    status = ph_fail(PH_ENOMEM, "%s: out of memory", path);
  for (int64_t block = 0; block < blocks && !status; block++) {
    int64_t first = block * PH_CRC_BLOCK_ROWS, n = info.dim[0] - first;
    n = n < 0 ? 0 : n < PH_CRC_BLOCK_ROWS ? n : PH_CRC_BLOCK_ROWS;
    if (n > 0)
      status = read_back(in->fd, dataset, &info, first, n, data);
    if (!status && ph_crc32(data, (size_t)n * row) != crc[block])
      status =
          ph_fail(PH_ECORRUPT, "%s: rows from %lld: what was read back is not what was written",
                  path, (long long)first);
  }
  free(data);
  ph_h5_close(dataset);
  return status;
}

static ph_status verify_other(void *arg, const char *name, bool is_group) {
  const hid_t *group = arg;
  void *data;
  size_t size;
  if (is_group || ph_schema_find(name) != PH_COL_COUNT)
    return PH_OK;
  ph_status status = ph_h5_read_all(&data, &size, *group, name, BYTES_LIMIT);
  free(data);
  return status;
}

static ph_status verify_edits(hid_t demo) {
  hid_t edits = H5I_INVALID_HID;
  if (!ph_h5_exists(demo, "playhead/model"))
    return PH_OK;
  ph_status status = ph_h5_group(&edits, demo, "playhead/model");
  if (!status)
    status = ph_h5_list(edits, verify_other, &edits);
  ph_h5_close(edits);
  return status;
}

static ph_status verify_final(hid_t demo) {
  void *data;
  size_t size;
  const char *path = ph_schema_column(PH_COL_FINAL_STATE)->path;
  if (!ph_h5_exists(demo, path))
    return PH_OK;
  ph_status status = ph_h5_read_all(&data, &size, demo, path, BYTES_LIMIT);
  free(data);
  return status;
}

static ph_status verify_columns(hid_t demo, int fd) {
  place in = {.fd = fd, .demo = demo, .own = H5I_INVALID_HID};
  hid_t table = H5I_INVALID_HID;
  ph_h5_array info = {0};
  char *list = NULL, *rest = NULL;
  void *crc = NULL;
  size_t size = 0;
  ph_status status = ph_h5_group(&in.own, demo, "playhead");
  if (!status)
    status = ph_h5_dataset(&table, &info, in.own, "crc");
  if (!status)
    status = ph_h5_attr_text(table, "columns", &list);
  if (!status)
    status = ph_h5_read_all(&crc, &size, in.own, "crc", BYTES_LIMIT);
  int64_t line = 0;
  for (char *path = list ? strtok_r(list, ",", &rest) : NULL; path && !status;
       path = strtok_r(NULL, ",", &rest), line++)
    status = line < info.dim[0]
                 ? verify_column(&in, path, (uint32_t *)crc + line * info.width, info.width)
                 : ph_fail(PH_ECORRUPT, "playhead/crc: a line is missing");
  if (!status && line != info.dim[0])
    status = ph_fail(PH_ECORRUPT, "playhead/crc: its list of columns is not whole");
  free(crc);
  free(list);
  ph_h5_close(table);
  ph_h5_close(in.own);
  return status;
}

ph_status ph_demo_verify(hid_t file, const char *path) {
  hid_t demo;
  ph_status status = ph_h5_group(&demo, file, path);
  if (!status)
    status = verify_columns(demo, ph_h5_fd(file));
  if (!status)
    status = verify_final(demo);
  if (!status)
    status = verify_edits(demo);
  ph_h5_close(demo);
  return status;
}
