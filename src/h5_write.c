#include "h5_door.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "hash.h"

#define CHUNK_ROWS 64

static int64_t product(int rank, const int64_t *dim) {
  int64_t n = 1;
  for (int i = 0; i < rank; i++)
    n *= dim[i];
  return n;
}

/* Contiguous and allocated at once, so that pread finds every row. Made once, under the door's
 * lock, until the library ends; borrowed. */
static hid_t contiguous_list(void) {
  static hid_t kept = H5I_INVALID_HID;
  if (H5Iis_valid(kept) > 0)
    return kept;
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (list >= 0 && H5Pset_obj_track_times(list, 0) >= 0 &&
      H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0 &&
      H5Pset_layout(list, H5D_CONTIGUOUS) >= 0 &&
      H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0)
    return kept = list;
  ph_h5_close(list);
  return H5I_INVALID_HID;
}

static hid_t chunked_list(int rank, const int64_t *dim) {
  hsize_t chunk[4];
  for (int i = 0; i < rank; i++)
    chunk[i] = (hsize_t)(i == 0 && dim[0] > CHUNK_ROWS ? CHUNK_ROWS : dim[i]);
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (list >= 0 && H5Pset_obj_track_times(list, 0) >= 0 &&
      H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0 && H5Pset_chunk(list, rank, chunk) >= 0 &&
      H5Pset_shuffle(list) >= 0 && H5Pset_deflate(list, 4) >= 0 && H5Pset_fletcher32(list) >= 0)
    return list;
  ph_h5_close(list);
  return H5I_INVALID_HID;
}

/* Creates the groups above the last part of a path. */
static ph_status create_parents(hid_t loc, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash || slash == path)
    return PH_OK;
  char *parent = strndup(path, (size_t)(slash - path));
  if (!parent)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  hid_t group = H5I_INVALID_HID;
  ph_status status = ph_h5_exists(loc, parent) ? PH_OK : ph_h5_group_create(&group, loc, parent);
  ph_h5_close(group);
  free(parent);
  return status;
}

static ph_status create(hid_t *out, hid_t loc, const char *path, hid_t type, int rank,
                        const int64_t *dim, bool compress) {
  hid_t space = H5I_INVALID_HID;
  hsize_t size[4];
  bool chunked = compress && rank > 0 && product(rank, dim) > 0;
  for (int i = 0; i < rank; i++)
    size[i] = (hsize_t)dim[i];
  hid_t list = chunked ? chunked_list(rank, dim) : contiguous_list();
  ph_status status = list < 0 ? ph_h5_error(PH_EIO, loc, "dataset properties") : PH_OK;
  if (!status)
    status = create_parents(loc, path);
  if (!status) {
    space = rank > 0 ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    *out = H5Dcreate2(loc, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (space < 0 || *out < 0)
      status = ph_h5_error(PH_EIO, loc, path);
  }
  ph_h5_close(space);
  if (chunked)
    ph_h5_close(list);
  return status;
}

ph_status ph_h5_dataset_create(hid_t *out, hid_t loc, const char *path, ph_type type, int rank,
                               const int64_t *dim, bool compress) {
  *out = H5I_INVALID_HID;
  if (rank < 0 || rank > 4 || type == PH_STRING)
    return ph_fail(PH_EINVAL, "%s: dataset: cannot be of that type and rank", path);
  for (int i = 0; i < rank; i++)
    if (dim[i] < 0)
      return ph_fail(PH_EINVAL, "%s: dataset: a negative size", path);
  ph_h5_enter();
  ph_status status = create(out, loc, path, ph_h5_type(type), rank, dim, compress);
  ph_h5_leave();
  return status;
}

static ph_status write_rows(hid_t dataset, hid_t type, int64_t first, int64_t n, const void *data) {
  hsize_t start[4] = {0}, dim[4], total = 1;
  hid_t memory = H5I_INVALID_HID, space = H5Dget_space(dataset);
  int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  bool ok = rank >= 0 && rank <= 4 && H5Sget_simple_extent_dims(space, dim, NULL) >= 0;
  if (ok && rank > 0) {
    ok = first >= 0 && n >= 0 && (hsize_t)first <= dim[0] && (hsize_t)n <= dim[0] - (hsize_t)first;
    start[0] = (hsize_t)first;
    dim[0] = (hsize_t)n;
  }
  for (int i = 0; ok && i < rank; i++)
    total *= dim[i];
  if (ok && total > 0) {
    memory = H5Screate_simple(1, &total, NULL);
    ok = memory >= 0 &&
         (rank == 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dim, NULL) >= 0) &&
         H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, data) >= 0;
  }
  ph_status status = ok ? PH_OK : ph_h5_error(PH_EIO, dataset, "rows");
  ph_h5_close(memory);
  ph_h5_close(space);
  return status;
}

ph_status ph_h5_write(hid_t dataset, ph_type type, int64_t first, int64_t n, const void *data) {
  ph_h5_enter();
  ph_status status = write_rows(dataset, ph_h5_type(type), first, n, data);
  ph_h5_leave();
  return status;
}

/* One whole dataset with its crc. */
static ph_status put_whole(hid_t loc, const char *path, hid_t type, size_t element, int rank,
                           const int64_t *dim, const void *data) {
  hid_t dataset = H5I_INVALID_HID;
  ph_status status = create(&dataset, loc, path, type, rank, dim, false);
  if (!status)
    status = write_rows(dataset, type, 0, rank > 0 ? dim[0] : 1, data);
  if (!status)
    status = ph_h5_put_u32(dataset, "crc", ph_crc32(data, (size_t)product(rank, dim) * element));
  ph_h5_close(dataset);
  return status;
}

ph_status ph_h5_put_array(hid_t loc, const char *path, ph_type type, int rank, const int64_t *dim,
                          const void *data) {
  if (rank < 0 || rank > 4 || type == PH_STRING)
    return ph_fail(PH_EINVAL, "%s: dataset: cannot be of that type and rank", path);
  ph_h5_enter();
  ph_status status = put_whole(loc, path, ph_h5_type(type), ph_type_size(type), rank, dim, data);
  ph_h5_leave();
  return status;
}

ph_status ph_h5_put_bytes(hid_t loc, const char *path, const void *data, size_t size) {
  int64_t dim = (int64_t)size;
  return ph_h5_put_array(loc, path, PH_U8, 1, &dim, data);
}

ph_status ph_h5_put_strings(hid_t loc, const char *path, char *const *text, int64_t n) {
  size_t size = 1;
  for (int64_t i = 0; i < n; i++)
    if (strlen(text[i]) > size)
      size = strlen(text[i]);
  char *cells = calloc((size_t)n + 1, size);
  if (!cells)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  for (int64_t i = 0; i < n; i++)
    memcpy(cells + (size_t)i * size, text[i], strlen(text[i]));
  ph_h5_enter();
  hid_t type = ph_h5_string_type(size);
  ph_status status =
      type < 0 ? ph_h5_error(PH_EIO, loc, path) : put_whole(loc, path, type, size, 1, &n, cells);
  ph_h5_close(type);
  ph_h5_leave();
  free(cells);
  return status;
}
