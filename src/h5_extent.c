/* Which rows of a dataset are there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "h5_damaged.h"
#include "h5_extent.h"

#define CHUNK_MAX ((hsize_t)256 << 20) /* [B] of one, unpacked */

/* --- type and shape --- */

static int worse(int a, int b) {
  return a > b ? a : b;
}

/* What cannot be copied as bytes: 0 nothing, 1 texts and lists of their own length, 2 what is never
 * followed. */
static int pointers(hid_t type, int depth) {
  int worst = 0;
  hid_t part;
  if (type < 0 || depth > 16)
    return 2;
  switch (H5Tget_class(type)) {
  case H5T_REFERENCE:
    return 2;
  case H5T_STRING:
    return H5Tis_variable_str(type) != 0;
  case H5T_VLEN:
  case H5T_ARRAY:
    part = H5Tget_super(type);
    worst = pointers(part, depth + 1);
    worst = H5Tget_class(type) == H5T_VLEN ? worse(worst, 1) : worst;
    ph_h5_close(part);
    return worst;
  case H5T_COMPOUND:
    for (int i = 0; i < H5Tget_nmembers(type) && worst < 2; i++) {
      part = H5Tget_member_type(type, (unsigned)i);
      worst = worse(worst, pointers(part, depth + 1));
      ph_h5_close(part);
    }
    return worst;
  case H5T_NO_CLASS:
  case H5T_NCLASSES:
    return 2;
  default:
    return 0;
  }
}

int ph_h5_pointers(hid_t type) {
  return pointers(type, 0);
}

static const char *read_space(ph_h5_shape *s, ph_h5_extent *e, hid_t dataset) {
  hid_t space = H5Dget_space(dataset);
  H5S_class_t kind = space < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(space);
  int rank = kind == H5S_SIMPLE ? H5Sget_simple_extent_dims(space, s->dim, s->most) : 0;
  ph_h5_close(space);
  if ((kind != H5S_SIMPLE && kind != H5S_SCALAR && kind != H5S_NULL) || rank < 0)
    return "its shape is damaged";
  s->empty = kind == H5S_NULL;
  e->rank = rank;
  hsize_t bytes = s->element, all;
  for (int i = 1; i < rank; i++)
    if (__builtin_mul_overflow(bytes, s->dim[i], &bytes))
      return "its shape is too large";
  hsize_t rows = s->empty ? 0 : rank > 0 ? s->dim[0] : 1;
  if (__builtin_mul_overflow(bytes, rows, &all) || all > INT64_MAX / 4 || rows > INT64_MAX / 4)
    return "its shape is too large";
  e->rows = (int64_t)rows;
  e->row_bytes = (size_t)bytes;
  return NULL;
}

static bool known_filters(hid_t creation) {
  int n = H5Pget_nfilters(creation);
  for (int i = 0; i < n; i++) {
    unsigned flags, config;
    size_t none = 0;
    H5Z_filter_t f = H5Pget_filter2(creation, (unsigned)i, &flags, &none, NULL, 0, NULL, &config);
    if (f != H5Z_FILTER_DEFLATE && f != H5Z_FILTER_SHUFFLE && f != H5Z_FILTER_FLETCHER32)
      return false;
  }
  return n >= 0;
}

static const char *read_chunks(ph_h5_shape *s, const ph_h5_extent *e) {
  int rank = H5Pget_chunk(s->creation, H5S_MAX_RANK, s->chunk);
  s->chunk_bytes = s->element;
  if (rank != e->rank || rank < 1)
    return "its layout is damaged";
  for (int i = 0; i < rank; i++)
    if (s->chunk[i] == 0 || __builtin_mul_overflow(s->chunk_bytes, s->chunk[i], &s->chunk_bytes) ||
        s->chunk_bytes > CHUNK_MAX)
      return "its chunks are too large";
  s->unpacked = known_filters(s->creation);
  return NULL;
}

const char *ph_h5_shape_read(ph_h5_shape *s, ph_h5_extent *e, hid_t dataset) {
  memset(s, 0, sizeof *s);
  memset(e, 0, sizeof *e);
  hid_t stored = H5Dget_type(dataset);
  s->type = stored < 0 ? H5I_INVALID_HID : H5Tcopy(stored);
  ph_h5_close(stored);
  s->creation = H5Dget_create_plist(dataset);
  s->layout = s->creation < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(s->creation);
  s->element = s->type < 0 ? 0 : H5Tget_size(s->type);
  int kind = s->type < 0 ? 2 : ph_h5_pointers(s->type);
  if (s->type < 0 || s->element == 0)
    return "its type is damaged";
  if (kind == 2)
    return "its references mean nothing in another file";
  const char *fault = read_space(s, e, dataset);
  e->text = kind == 1;
  e->chunked = s->layout == H5D_CHUNKED;
  if (fault)
    return fault;
  if (s->layout == H5D_VIRTUAL)
    return "a virtual dataset, which is never read";
  if (s->layout == H5D_CONTIGUOUS && H5Pget_external_count(s->creation) != 0)
    return "its bytes are in another file, which is never read";
  if (s->layout == H5D_CHUNKED)
    return read_chunks(s, e);
  return s->layout == H5D_CONTIGUOUS || s->layout == H5D_COMPACT ? NULL : "its layout is damaged";
}

void ph_h5_shape_clear(ph_h5_shape *s) {
  ph_h5_close(s->creation);
  ph_h5_close(s->type);
  s->creation = s->type = H5I_INVALID_HID;
}

/* --- reading --- */

/* The block of elements from start on, as the file has them; as the library says. */
static bool read_box(hid_t dataset, hid_t type, int rank, const hsize_t *start,
                     const hsize_t *count, void *out) {
  hsize_t total = 1;
  for (int i = 0; i < rank; i++)
    total *= count[i];
  hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(1, &total, NULL);
  bool ok =
      file >= 0 && memory >= 0 &&
      (rank == 0 || H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0) &&
      H5Dread(dataset, type, memory, file, H5P_DEFAULT, out) >= 0;
  ph_h5_close(memory);
  ph_h5_close(file);
  return ok;
}

bool ph_h5_read_rows(hid_t dataset, const ph_h5_shape *s, const ph_h5_extent *e, int64_t first,
                     int64_t n, void *out) {
  hsize_t start[H5S_MAX_RANK] = {(hsize_t)first}, count[H5S_MAX_RANK];
  memcpy(count, s->dim, sizeof count);
  count[0] = (hsize_t)n;
  return read_box(dataset, s->type, e->rank, start, count, out);
}

void ph_h5_reclaim(const ph_h5_shape *s, const ph_h5_extent *e, int64_t n, void *data) {
  hsize_t total = (hsize_t)n;
  for (int i = 1; i < e->rank; i++)
    total *= s->dim[i];
  hid_t memory = H5Screate_simple(1, &total, NULL);
  if (memory >= 0)
    H5Dvlen_reclaim(s->type, memory, H5P_DEFAULT, data);
  ph_h5_close(memory);
  H5Eclear2(H5E_DEFAULT);
}

/* --- measuring --- */

static void say(ph_h5_extent *e, int64_t good, const char *why) {
  e->good = good;
  snprintf(e->why, sizeof e->why, "%s", why);
}

/* That its storage cannot be asked for is another thing than that there is none. */
bool ph_h5_unwritten(hid_t dataset) {
  H5D_space_status_t storage = H5D_SPACE_STATUS_ERROR;
  bool known = H5Dget_space_status(dataset, &storage) >= 0;
  H5Eclear2(H5E_DEFAULT);
  return known && storage == H5D_SPACE_STATUS_NOT_ALLOCATED;
}

static void measure_contiguous(ph_h5_extent *e, hid_t dataset) {
  haddr_t at = H5Dget_offset(dataset);
  hsize_t stored = H5Dget_storage_size(dataset), end = ph_h5_file_end(dataset);
  H5Eclear2(H5E_DEFAULT);
  if (e->row_bytes == 0 || e->rows == 0 || (at == HADDR_UNDEF && ph_h5_unwritten(dataset))) {
    e->good = e->rows; /* never written */
    return;
  }
  if (at == HADDR_UNDEF) {
    say(e, 0, "its place is not known");
    return;
  }
  e->end = at + (uint64_t)e->rows * e->row_bytes;
  hsize_t there = at < end ? end - at : 0;
  int64_t rows = (int64_t)((there < stored ? there : stored) / e->row_bytes);
  e->good = rows < e->rows ? rows : e->rows;
  if (e->good < e->rows)
    say(e, e->good, "the file ends before them");
}

bool ph_h5_next_chunk(const ph_h5_shape *s, int rank, hsize_t limit, hsize_t *at) {
  for (int i = rank - 1; i >= 0; i--) {
    at[i] += s->chunk[i];
    if (at[i] < (i == 0 ? limit : s->dim[i]))
      return true;
    at[i] = 0;
  }
  return false;
}

/* NULL: the chunk is there, or was never written. */
static const char *chunk_fault(hid_t dataset, const ph_h5_shape *s, int rank, const hsize_t *at,
                               void *buffer, hsize_t *size) {
  hsize_t count[H5S_MAX_RANK];
  *size = 0;
  if (H5Dget_chunk_storage_size(dataset, at, size) < 0)
    return "the list of its chunks breaks off";
  if (*size == 0)
    return NULL;
  if (!s->unpacked) {
    uint32_t mask;
    return *size > CHUNK_MAX ? "its chunks are too large"
           : H5Dread_chunk(dataset, H5P_DEFAULT, at, &mask, buffer) < 0
               ? "the file ends before them"
               : NULL;
  }
  for (int i = 0; i < rank; i++)
    count[i] = s->dim[i] - at[i] < s->chunk[i] ? s->dim[i] - at[i] : s->chunk[i];
  return read_box(dataset, s->type, rank, at, count, buffer)
             ? NULL
             : "the file ends before them, or they do not match their checksum";
}

static void measure_chunks(ph_h5_extent *e, const ph_h5_shape *s, hid_t dataset, ph_h5_tick *tick,
                           void *arg) {
  hsize_t at[H5S_MAX_RANK] = {0}, size = 0;
  e->good = e->rows;
  e->checked = s->unpacked && H5Pget_nfilters(s->creation) > 0;
  if (e->rows == 0 || e->row_bytes == 0 || ph_h5_unwritten(dataset))
    return;
  void *buffer = malloc(s->unpacked ? s->chunk_bytes : CHUNK_MAX);
  const char *fault = buffer ? NULL : "out of memory";
  do {
    if (!fault)
      fault = chunk_fault(dataset, s, e->rank, at, buffer, &size);
    if (fault)
      break;
    tick(arg, size);
  } while (ph_h5_next_chunk(s, e->rank, (hsize_t)e->rows, at));
  H5Eclear2(H5E_DEFAULT);
  free(buffer);
  if (fault)
    say(e, (int64_t)at[0], fault);
}

/* Texts are behind addresses: each row is read. */
static void measure_texts(ph_h5_extent *e, const ph_h5_shape *s, hid_t dataset, ph_h5_tick *tick,
                          void *arg) {
  if (e->row_bytes == 0 || e->rows == 0 || e->row_bytes > CHUNK_MAX) {
    e->good = e->row_bytes > CHUNK_MAX ? 0 : e->rows;
    return;
  }
  void *row = calloc(1, e->row_bytes);
  int64_t limit = e->good;
  for (e->good = 0; row && e->good < limit; e->good++) {
    if (!ph_h5_read_rows(dataset, s, e, e->good, 1, row)) {
      say(e, e->good, "the file ends before what they say");
      break;
    }
    ph_h5_reclaim(s, e, 1, row);
    tick(arg, e->row_bytes);
  }
  H5Eclear2(H5E_DEFAULT);
  free(row);
}

void ph_h5_measure(ph_h5_extent *out, hid_t dataset, ph_h5_tick *tick, void *arg) {
  ph_h5_shape shape;
  ph_h5_enter();
  const char *fault = ph_h5_shape_read(&shape, out, dataset);
  if (fault)
    say(out, 0, fault);
  else if (shape.layout == H5D_CONTIGUOUS)
    measure_contiguous(out, dataset);
  else if (shape.layout == H5D_COMPACT)
    out->good = out->rows;
  else
    measure_chunks(out, &shape, dataset, tick, arg);
  if (!fault && out->text && out->good > 0)
    measure_texts(out, &shape, dataset, tick, arg);
  ph_h5_shape_clear(&shape);
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
}

bool ph_h5_has_type(hid_t dataset, ph_type type) {
  ph_h5_enter();
  hid_t stored = H5Dget_type(dataset);
  bool same = stored >= 0 && type != PH_STRING && H5Tequal(stored, ph_h5_type(type)) > 0;
  ph_h5_close(stored);
  ph_h5_leave();
  return same;
}

/* The bytes of rows that lie in the file as they are; the library would read behind them. */
bool ph_h5_rows_there(hid_t dataset, const ph_h5_extent *e, int64_t first, int64_t n, void *out) {
  uint64_t base;
  haddr_t at = H5Dget_offset(dataset);
  int fd = ph_h5_file_bytes(dataset, &base);
  size_t size = (size_t)n * e->row_bytes;
  return at != HADDR_UNDEF && fd >= 0 &&
         ph_h5_read_at(fd, at + (uint64_t)first * e->row_bytes, out, size) == size;
}

ph_status ph_h5_extent_read(hid_t dataset, const ph_h5_extent *e, ph_type type, int64_t first,
                            int64_t n, void *out) {
  ph_h5_shape shape;
  ph_h5_extent again;
  if (first < 0 || n < 0 || first > e->good || n > e->good - first ||
      !ph_h5_has_type(dataset, type))
    return ph_h5_refuse(PH_EINVAL, dataset, "rows", "they are not there");
  if (n == 0 || e->row_bytes == 0)
    return PH_OK;
  ph_h5_enter();
  ph_status status = PH_OK;
  const char *fault = ph_h5_shape_read(&shape, &again, dataset);
  bool lies = !fault && shape.layout == H5D_CONTIGUOUS && !ph_h5_unwritten(dataset);
  bool ok = !fault && (lies ? ph_h5_rows_there(dataset, e, first, n, out)
                            : ph_h5_read_rows(dataset, &shape, e, first, n, out));
  if (!ok)
    status = ph_h5_refuse(PH_ECORRUPT, dataset, "", fault ? fault : "its rows cannot be read");
  ph_h5_shape_clear(&shape);
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
  return status;
}
