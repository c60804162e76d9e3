/* The table /index of a dataset: one packed row per episode. */
#include "h5_door.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "hash.h"

#define ROWS_LIMIT 10000000

#pragma pack(push, 1)
struct row {
  char id[64];
  int32_t env_id;
  int64_t episode, A, S;
  char seed[24];
  char end_reason[16];
  int32_t success;
  char determinism[48];
  char model[64], task[64];
};
#pragma pack(pop)

static const struct {
  const char *name;
  size_t offset;
  ph_type type;
  size_t size; /* of strings */
} members[] = {
#define MEMBER(name, type)                                                                         \
  { #name, offsetof(struct row, name), type, sizeof((struct row *)0)->name }
    MEMBER(id, PH_STRING),
    MEMBER(env_id, PH_I32),
    MEMBER(episode, PH_I64),
    MEMBER(A, PH_I64),
    MEMBER(S, PH_I64),
    MEMBER(seed, PH_STRING),
    MEMBER(end_reason, PH_STRING),
    MEMBER(success, PH_I32),
    MEMBER(determinism, PH_STRING),
    MEMBER(model, PH_STRING),
    MEMBER(task, PH_STRING),
#undef MEMBER
};

static hid_t row_type(void) {
  hid_t row = H5Tcreate(H5T_COMPOUND, sizeof(struct row));
  for (size_t i = 0; row >= 0 && i < sizeof members / sizeof *members; i++) {
    bool text = members[i].type == PH_STRING;
    hid_t type = text ? ph_h5_string_type(members[i].size) : H5Tcopy(ph_h5_type(members[i].type));
    herr_t ok = type < 0 ? -1 : H5Tinsert(row, members[i].name, members[i].offset, type);
    ph_h5_close(type);
    if (ok < 0) {
      ph_h5_close(row);
      row = H5I_INVALID_HID;
    }
  }
  return row;
}

/* Null-padded: no ending zero where the text fills the field. */
static void pack(char *field, size_t size, const char *text) {
  memcpy(field, text, strnlen(text, size));
}

static void to_row(struct row *row, const ph_entry *entry) {
  memset(row, 0, sizeof *row);
  pack(row->id, sizeof row->id, entry->id);
  row->env_id = entry->env_id;
  row->episode = entry->episode;
  row->A = entry->actions;
  row->S = entry->states;
  pack(row->seed, sizeof row->seed, entry->seed);
  pack(row->end_reason, sizeof row->end_reason, ph_end_name(entry->end_reason));
  row->success = entry->success;
  pack(row->determinism, sizeof row->determinism, entry->determinism);
  pack(row->model, sizeof row->model, entry->model_sha256);
  pack(row->task, sizeof row->task, entry->task_sha256);
}

static void unpack(char *out, size_t size, const char *field, size_t n) {
  ph_escape(out, size, field, strnlen(field, n));
}

static void from_row(ph_entry *entry, const struct row *row) {
  char text[sizeof row->end_reason + 1];
  memset(entry, 0, sizeof *entry);
  unpack(entry->id, sizeof entry->id, row->id, sizeof row->id);
  snprintf(entry->group, sizeof entry->group, "/data/%s", entry->id);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): count + 1 is never zero */
  entry->env_id = row->env_id;
  entry->episode = row->episode;
  entry->actions = row->A;
  entry->states = row->S;
  unpack(entry->seed, sizeof entry->seed, row->seed, sizeof row->seed);
  unpack(text, sizeof text, row->end_reason, sizeof row->end_reason);
  entry->end_reason = ph_end_from_name(text);
  entry->success = row->success;
  unpack(entry->determinism, sizeof entry->determinism, row->determinism, sizeof row->determinism);
  unpack(entry->model_sha256, sizeof entry->model_sha256, row->model, sizeof row->model);
  unpack(entry->task_sha256, sizeof entry->task_sha256, row->task, sizeof row->task);
}

static ph_status put_rows(hid_t file, const struct row *rows, size_t n) {
  hsize_t dim = n;
  hid_t type = row_type(), space = H5Screate_simple(1, &dim, NULL);
  hid_t list = H5Pcreate(H5P_DATASET_CREATE), dataset = H5I_INVALID_HID;
  bool ok = type >= 0 && space >= 0 && list >= 0 && H5Pset_obj_track_times(list, 0) >= 0 &&
            H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 &&
            H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
  if (ok)
    dataset = H5Dcreate2(file, "index", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (dataset >= 0 && n > 0)
    ok = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0;
  ph_status status = ok && dataset >= 0 ? PH_OK : ph_h5_error(PH_EIO, file, "/index");
  if (!status)
    status = ph_h5_put_u32(dataset, "crc", ph_crc32(rows, n * sizeof *rows));
  ph_h5_close(dataset);
  ph_h5_close(list);
  ph_h5_close(space);
  ph_h5_close(type);
  return status;
}

ph_status ph_h5_put_index(hid_t file, const ph_entry *entries, size_t n) {
  struct row *rows = calloc(n + 1, sizeof *rows);
  if (!rows)
    return ph_fail(PH_ENOMEM, "/index: out of memory");
  for (size_t i = 0; i < n; i++)
    to_row(&rows[i], &entries[i]);
  ph_h5_enter();
  ph_status status = put_rows(file, rows, n);
  ph_h5_leave();
  free(rows);
  return status;
}

/* Reads the rows of an open dataset whose type is exactly ours. */
static ph_status read_rows(struct row **out, size_t *n, hid_t dataset) {
  hid_t type = H5Dget_type(dataset), ours = row_type(), space = H5I_INVALID_HID;
  int64_t crc = 0;
  hssize_t count = -1;
  ph_status status = PH_OK;
  if (type < 0 || ours < 0 || H5Tequal(type, ours) <= 0)
    status = ph_h5_refuse(PH_EFORMAT, dataset, "", "its columns are not those of an index");
  if (!status && (space = H5Dget_space(dataset)) >= 0)
    count = H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) : -1;
  if (!status && (count < 0 || count > ROWS_LIMIT))
    status = ph_h5_refuse(PH_EFORMAT, dataset, "", "its number of rows is out of range");
  if (!status && !(*out = calloc((size_t)count + 1, sizeof **out)))
    status = ph_fail(PH_ENOMEM, "/index: out of memory");
  if (!status && count > 0 && H5Dread(dataset, ours, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0)
    status = ph_h5_error(PH_ECORRUPT, dataset, "");
  if (!status)
    status = ph_h5_attr_i64(dataset, "crc", &crc);
  if (!status && crc != (int64_t)ph_crc32(*out, (size_t)count * sizeof **out))
    status = ph_h5_refuse(PH_ECORRUPT, dataset, "", "the bytes do not match their checksum");
  *n = status ? 0 : (size_t)count;
  ph_h5_close(space);
  ph_h5_close(ours);
  ph_h5_close(type);
  return status;
}

static ph_status open_index(hid_t *out, hid_t file) {
  ph_status status = ph_h5_path(file, "index");
  if (status)
    return status;
  *out = H5Dopen2(file, "index", H5P_DEFAULT);
  return *out < 0 ? ph_h5_error(PH_EFORMAT, file, "/index") : ph_h5_check_storage(*out);
}

ph_status ph_h5_index(ph_entry **out, size_t *n, hid_t file) {
  struct row *rows = NULL;
  hid_t dataset = H5I_INVALID_HID;
  *out = NULL;
  *n = 0;
  ph_h5_enter();
  ph_status status = open_index(&dataset, file);
  if (!status)
    status = read_rows(&rows, n, dataset);
  if (!status && !(*out = calloc(*n + 1, sizeof **out)))
    status = ph_fail(PH_ENOMEM, "/index: out of memory");
  for (size_t i = 0; i < *n && !status; i++)
    from_row(&(*out)[i], &rows[i]);
  ph_h5_close(dataset);
  ph_h5_leave();
  free(rows);
  return status;
}
