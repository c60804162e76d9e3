/* Datasets and attributes of other writers, copied as they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "h5_extent.h"
#include "h5_same.h"

#define BLOCK ((size_t)4 << 20)     /* that are copied at once [B] */
#define CHUNKS ((size_t)256 << 20)  /* at most, of rows that are packed together [B] */
#define ATTR_MAX ((size_t)64 << 20) /* of one attribute [B] */

/* --- attributes --- */

static const char *copy_value(hid_t to, hid_t attr, const char *name) {
  const char *fault = NULL;
  hid_t stored = H5Aget_type(attr), space = H5Aget_space(attr), made = H5I_INVALID_HID;
  hid_t type = stored < 0 ? H5I_INVALID_HID : H5Tcopy(stored);
  size_t element = type < 0 ? 0 : H5Tget_size(type), bytes;
  hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  void *value = NULL;
  if (element == 0 || n < 0)
    fault = "it is damaged";
  else if (ph_h5_pointers(type) == 2)
    fault = "its references mean nothing in another file";
  else if (__builtin_mul_overflow((size_t)n, element, &bytes) || bytes > ATTR_MAX)
    fault = "it is too large";
  else if (!(value = calloc(1, bytes + 1)))
    fault = "out of memory";
  else if (H5Aread(attr, type, value) < 0)
    fault = "it cannot be read";
  if (!fault) {
    made = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made < 0 || H5Awrite(made, type, value) < 0)
      fault = "it cannot be written";
    if (ph_h5_pointers(type) == 1)
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, value);
  }
  free(value);
  ph_h5_close(made);
  ph_h5_close(type);
  ph_h5_close(space);
  ph_h5_close(stored);
  H5Eclear2(H5E_DEFAULT);
  return fault;
}

struct copying {
  hid_t to;
  ph_h5_lost_attr *lost;
  void *arg;
};

static herr_t copy_one(hid_t from, const char *name, const H5A_info_t *info, void *arg) {
  const struct copying *c = arg;
  (void)info;
  hid_t attr = H5Aopen(from, name, H5P_DEFAULT);
  const char *fault = attr < 0 ? "it is damaged" : copy_value(c->to, attr, name);
  ph_h5_close(attr);
  if (fault)
    c->lost(c->arg, name, fault);
  return 0;
}

/* The order in which they were made, where the object keeps that. */
static H5_index_t order_of(hid_t object) {
  unsigned order = 0;
  bool group = H5Iget_type(object) == H5I_GROUP;
  hid_t list = group ? H5Gget_create_plist(object) : H5Dget_create_plist(object);
  bool kept =
      list >= 0 && H5Pget_attr_creation_order(list, &order) >= 0 && (order & H5P_CRT_ORDER_INDEXED);
  ph_h5_close(list);
  return kept ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

ph_status ph_h5_copy_attrs(hid_t to, hid_t from, ph_h5_lost_attr *lost, void *arg) {
  struct copying copying = {to, lost, arg};
  hsize_t at = 0;
  ph_h5_enter();
  H5_index_t index = order_of(from);
  H5_iter_order_t way = index == H5_INDEX_NAME ? H5_ITER_NATIVE : H5_ITER_INC;
  herr_t result = H5Aiterate2(from, index, way, &at, copy_one, &copying);
  if (result < 0)
    lost(arg, "", "the list of attributes breaks off");
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
  return PH_OK;
}

ph_status ph_h5_link(hid_t to, const char *path, const char *present) {
  ph_h5_enter();
  ph_status status = H5Lcreate_hard(to, present, to, path, H5P_DEFAULT, H5P_DEFAULT) < 0
                         ? ph_h5_error(PH_EIO, to, path)
                         : PH_OK;
  ph_h5_leave();
  return status;
}

/* --- datasets --- */

/* A limit to growth that is finite is taken over of a file that is whole alone: the index of the
 * chunks would have room for all of it, however much damage has made of it. What cannot be made is
 * said of the source's. */
static ph_status create_same(hid_t *out, hid_t to, const char *path, hid_t dataset,
                             const ph_h5_shape *s, const ph_h5_extent *e, int64_t n, bool limits) {
  hsize_t dim[H5S_MAX_RANK], most[H5S_MAX_RANK];
  memcpy(dim, s->dim, sizeof dim);
  dim[0] = (hsize_t)n;
  for (int i = 0; i < e->rank; i++)
    most[i] = e->chunked && (limits || s->most[i] == H5S_UNLIMITED) ? s->most[i] : dim[i];
  hid_t space = s->empty       ? H5Screate(H5S_NULL)
                : e->rank == 0 ? H5Screate(H5S_SCALAR)
                               : H5Screate_simple(e->rank, dim, most);
  *out = H5Dcreate2(to, path, s->type, space, H5P_DEFAULT, s->creation, H5P_DEFAULT);
  ph_status status =
      *out < 0 ? ph_h5_error(PH_EFORMAT, dataset, "none like it can be made") : PH_OK;
  ph_h5_close(space);
  return status;
}

static ph_status copy_chunks(hid_t made, hid_t from, const ph_h5_shape *s, const ph_h5_extent *e,
                             int64_t n, ph_h5_tick *tick, void *arg) {
  hsize_t at[H5S_MAX_RANK] = {0}, size, room = 0;
  void *chunk = NULL;
  ph_status status = PH_OK;
  if (n == 0 || e->row_bytes == 0 || ph_h5_unwritten(from))
    return PH_OK;
  do {
    uint32_t mask = 0;
    if (H5Dget_chunk_storage_size(from, at, &size) < 0)
      status = ph_h5_error(PH_EFORMAT, from, "list of chunks");
    if (!status && size > room) {
      free(chunk);
      chunk = malloc(room = size);
      status = chunk ? PH_OK : ph_h5_refuse(PH_ENOMEM, from, "", "out of memory");
    }
    if (!status && size > 0 && H5Dread_chunk(from, H5P_DEFAULT, at, &mask, chunk) < 0)
      status = ph_h5_error(PH_EFORMAT, from, "chunk");
    if (!status && size > 0 && made >= 0 &&
        H5Dwrite_chunk(made, H5P_DEFAULT, mask, at, size, chunk) < 0)
      status = ph_h5_error(PH_EIO, made, "chunk");
    tick(arg, status ? 0 : size);
  } while (!status && ph_h5_next_chunk(s, e->rank, (hsize_t)n, at));
  free(chunk);
  return status;
}

static bool write_block(hid_t made, const ph_h5_shape *s, const ph_h5_extent *e, int64_t first,
                        int64_t n, const void *data) {
  hsize_t start[H5S_MAX_RANK] = {(hsize_t)first}, count[H5S_MAX_RANK], total = 1;
  memcpy(count, s->dim, sizeof count);
  count[0] = (hsize_t)n;
  for (int i = 0; i < e->rank; i++)
    total *= count[i];
  hid_t space = H5Dget_space(made), memory = H5Screate_simple(1, &total, NULL);
  bool ok =
      space >= 0 && memory >= 0 &&
      (e->rank == 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0) &&
      H5Dwrite(made, s->type, memory, space, H5P_DEFAULT, data) >= 0;
  ph_h5_close(memory);
  ph_h5_close(space);
  return ok;
}

/* Rows that are copied at once: whole chunks, which are packed several times otherwise. */
static int64_t rows_of_block(const ph_h5_shape *s, const ph_h5_extent *e, int64_t n) {
  int64_t block = e->row_bytes < BLOCK ? (int64_t)(BLOCK / e->row_bytes) : 1;
  if (e->text)
    return 1;
  if (e->chunked && s->chunk[0] > 0) {
    int64_t chunk = s->chunk[0] < (hsize_t)n ? (int64_t)s->chunk[0] : n;
    if (block > chunk)
      block -= block % chunk;
    else if ((size_t)chunk <= CHUNKS / e->row_bytes)
      block = chunk;
  }
  return block < n ? block : n;
}

/* Through memory, in blocks of rows: n of them from the row `skip` on. Without `made` they are read
 * only. */
static ph_status copy_blocks(hid_t made, hid_t from, const ph_h5_shape *s, const ph_h5_extent *e,
                             int64_t skip, int64_t n, ph_h5_tick *tick, void *arg) {
  bool lies = s->layout == H5D_CONTIGUOUS && !e->text;
  ph_status status = PH_OK;
  if (n == 0 || e->row_bytes == 0 || (!e->chunked && ph_h5_unwritten(from)))
    return PH_OK;
  int64_t block = rows_of_block(s, e, n);
  void *rows = malloc((size_t)block * e->row_bytes);
  if (!rows)
    return ph_h5_refuse(PH_ENOMEM, from, "", "out of memory");
  for (int64_t first = 0; first < n && !status; first += block) {
    int64_t count = n - first < block ? n - first : block;
    if (!(lies ? ph_h5_rows_there(from, e, skip + first, count, rows)
               : ph_h5_read_rows(from, s, e, skip + first, count, rows))) {
      status = ph_h5_refuse(PH_EFORMAT, from, "", "its rows cannot be read");
      break;
    }
    if (made >= 0 && !write_block(made, s, e, first, count, rows))
      status = ph_h5_error(PH_EIO, made, "rows");
    if (e->text)
      ph_h5_reclaim(s, e, count, rows);
    tick(arg, (uint64_t)count * e->row_bytes);
  }
  free(rows);
  return status;
}

ph_status ph_h5_copy_rows(hid_t to, const char *path, hid_t dataset, const ph_h5_extent *extent,
                          int64_t n, ph_h5_tick *tick, void *arg) {
  ph_h5_shape shape;
  ph_h5_extent again;
  hid_t made = H5I_INVALID_HID;
  ph_status status = PH_OK;
  ph_h5_enter();
  const char *fault = ph_h5_shape_read(&shape, &again, dataset);
  if (fault || n > extent->good)
    status = ph_h5_refuse(PH_EFORMAT, dataset, "", fault ? fault : "its rows are not there");
  if (!status)
    status = create_same(&made, to, path, dataset, &shape, extent, n, false);
  if (!status)
    status = extent->chunked && !extent->text
                 ? copy_chunks(made, dataset, &shape, extent, n, tick, arg)
                 : copy_blocks(made, dataset, &shape, extent, 0, n, tick, arg);
  ph_h5_close(made);
  ph_h5_shape_clear(&shape);
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
  return status;
}

/* Chunks whose filters are not run here are taken as they are, or not at all. */
static const char *slice_fault(const ph_h5_shape *s, const ph_h5_extent *e, int64_t first,
                               int64_t n) {
  bool all = first == 0 && n == e->rows;
  if (first < 0 || n < 0 || first > e->rows || n > e->rows - first || (e->rank == 0 && !all))
    return "its rows are not there";
  return e->chunked && !s->unpacked && !all
             ? "a filter that is not run here packs it, so its rows cannot be cut"
             : NULL;
}

static ph_status take_slice(hid_t to, const char *path, hid_t dataset, int64_t first, int64_t n,
                            bool write, ph_h5_tick *tick, void *arg) {
  ph_h5_shape shape;
  ph_h5_extent extent;
  hid_t made = H5I_INVALID_HID;
  ph_status status = PH_OK;
  ph_h5_enter();
  const char *fault = ph_h5_shape_read(&shape, &extent, dataset);
  n = n < 0 ? extent.rows : n;
  if (!fault)
    fault = slice_fault(&shape, &extent, first, n);
  if (fault)
    status = ph_h5_refuse(PH_EFORMAT, dataset, "", fault);
  if (!status)
    status = create_same(&made, to, path, dataset, &shape, &extent, n, true);
  hid_t written = write ? made : H5I_INVALID_HID;
  if (!status && !(extent.chunked && ph_h5_unwritten(dataset)))
    status = extent.chunked && !extent.text && n == extent.rows
                 ? copy_chunks(written, dataset, &shape, &extent, n, tick, arg)
                 : copy_blocks(written, dataset, &shape, &extent, first, n, tick, arg);
  ph_h5_close(made);
  ph_h5_shape_clear(&shape);
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
  return status;
}

ph_status ph_h5_copy_slice(hid_t to, const char *path, hid_t dataset, int64_t first, int64_t n,
                           ph_h5_tick *tick, void *arg) {
  return take_slice(to, path, dataset, first, n, true, tick, arg);
}

ph_status ph_h5_try_slice(hid_t to, const char *path, hid_t dataset, int64_t first, int64_t n,
                          ph_h5_tick *tick, void *arg) {
  return take_slice(to, path, dataset, first, n, false, tick, arg);
}

ph_status ph_h5_copy_picked(hid_t to, const char *path, hid_t dataset, const ph_h5_extent *extent,
                            const int64_t *rows, int64_t n) {
  ph_h5_shape shape;
  ph_h5_extent again;
  hid_t made = H5I_INVALID_HID;
  ph_status status = PH_OK;
  void *row = malloc(extent->row_bytes + 1);
  ph_h5_enter();
  const char *fault = ph_h5_shape_read(&shape, &again, dataset);
  if (fault || !row)
    status = ph_h5_refuse(PH_EFORMAT, dataset, "", fault ? fault : "out of memory");
  if (!status)
    status = create_same(&made, to, path, dataset, &shape, extent, n, false);
  for (int64_t i = 0; i < n && !status; i++) {
    if (!ph_h5_read_rows(dataset, &shape, extent, rows[i], 1, row))
      status = ph_h5_error(PH_EFORMAT, dataset, "rows");
    else if (!write_block(made, &shape, extent, i, 1, row))
      status = ph_h5_error(PH_EIO, made, "rows");
    if (!status && extent->text)
      ph_h5_reclaim(&shape, extent, 1, row);
  }
  ph_h5_close(made);
  ph_h5_shape_clear(&shape);
  ph_h5_leave();
  free(row);
  return status;
}
