#include "h5_door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "hash.h"

#define CHUNK_LIMIT ((hsize_t)1 << 30) /* bytes that one chunk may unpack to */

hid_t ph_h5_type(ph_type type) {
  switch (type) {
  case PH_F64:
    return H5T_IEEE_F64LE;
  case PH_F32:
    return H5T_IEEE_F32LE;
  case PH_I64:
    return H5T_STD_I64LE;
  case PH_I32:
    return H5T_STD_I32LE;
  case PH_U32:
    return H5T_STD_U32LE;
  case PH_U8:
    return H5T_STD_U8LE;
  case PH_STRING:
    break;
  }
  return H5I_INVALID_HID;
}

hid_t ph_h5_string_type(size_t size) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 &&
      (H5Tset_size(type, size ? size : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
       H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
    ph_h5_close(type);
    return H5I_INVALID_HID;
  }
  return type;
}

static ph_type nearest_integer(hid_t type, size_t size) {
  bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  if (size > 4)
    return PH_I64;
  if (is_signed)
    return PH_I32;
  return size == 1 ? PH_U8 : PH_U32;
}

ph_status ph_h5_describe_type(hid_t type, hid_t where, ph_h5_array *info) {
  size_t size = H5Tget_size(type);
  H5T_class_t class = H5Tget_class(type);
  if (H5Tcommitted(type) > 0)
    return ph_h5_refuse(PH_EREFUSED, where, "type", "a committed type is not read");
  info->string_size = 0;
  ph_h5_type_name(type, info->name);
  if (class == H5T_STRING) {
    if (H5Tis_variable_str(type) != 0)
      return ph_h5_refuse(PH_EREFUSED, where, "type", "variable-length strings are not read");
    info->type = PH_STRING;
    info->string_size = size;
    info->native = true;
    return size > 0 ? PH_OK : ph_h5_refuse(PH_EFORMAT, where, "type", "strings of no size");
  }
  if (class == H5T_FLOAT && size <= 16)
    info->type = size > 4 ? PH_F64 : PH_F32;
  else if (class == H5T_ENUM && size <= 8)
    info->type = size == 1 ? PH_U8 : PH_I64;
  else if (class == H5T_INTEGER && size <= 8)
    info->type = nearest_integer(type, size);
  else
    return ph_h5_refuse(PH_EREFUSED, where, "type",
                        "only numbers and fixed-length strings are read");
  info->native = H5Tequal(type, ph_h5_type(info->type)) > 0;
  return PH_OK;
}

static ph_status check_filters(hid_t creation, hid_t dataset) {
  int n = H5Pget_nfilters(creation);
  if (n < 0)
    return ph_h5_error(PH_EFORMAT, dataset, "filters");
  for (unsigned i = 0; i < (unsigned)n; i++) {
    unsigned flags, config;
    size_t none = 0;
    H5Z_filter_t filter = H5Pget_filter2(creation, i, &flags, &none, NULL, 0, NULL, &config);
    char why[64];
    snprintf(why, sizeof why, "filter %d is never run", (int)filter);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      return ph_h5_refuse(PH_EREFUSED, dataset, "", why);
  }
  return PH_OK;
}

/* Before anything else is asked of a dataset: where its bytes are. */
static ph_status check_storage(hid_t dataset, bool *contiguous) {
  hid_t creation = H5Dget_create_plist(dataset);
  H5D_layout_t layout = creation < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(creation);
  ph_status status = PH_OK;
  *contiguous = layout == H5D_CONTIGUOUS;
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation) != 0)
    status = ph_h5_refuse(PH_EREFUSED, dataset, "", "external storage is never read");
  else if (layout == H5D_VIRTUAL)
    status = ph_h5_refuse(PH_EREFUSED, dataset, "", "a virtual dataset is never read");
  else if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT)
    status = ph_h5_error(PH_EFORMAT, dataset, "layout");
  else
    status = check_filters(creation, dataset);
  hid_t type = !status && layout == H5D_CHUNKED ? H5Dget_type(dataset) : H5I_INVALID_HID;
  hsize_t chunk[H5S_MAX_RANK], bytes = type >= 0 ? H5Tget_size(type) : 1;
  ph_h5_close(type);
  int rank = !status && layout == H5D_CHUNKED ? H5Pget_chunk(creation, H5S_MAX_RANK, chunk) : 0;
  for (int i = 0; i < rank && !status; i++)
    if (chunk[i] == 0 || __builtin_mul_overflow(bytes, chunk[i], &bytes) || bytes > CHUNK_LIMIT)
      status = ph_h5_refuse(PH_EREFUSED, dataset, "", "its chunks are too large");
  ph_h5_close(creation);
  return status;
}

ph_status ph_h5_check_storage(hid_t dataset) {
  bool contiguous;
  return check_storage(dataset, &contiguous);
}

static size_t element_size(const ph_h5_array *info) {
  return info->type == PH_STRING ? info->string_size : ph_type_size(info->type);
}

static ph_status read_shape(hid_t dataset, ph_h5_array *info) {
  hid_t space = H5Dget_space(dataset);
  hsize_t dim[H5S_MAX_RANK] = {0};
  H5S_class_t kind = space < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(space);
  int rank = kind == H5S_SIMPLE ? H5Sget_simple_extent_dims(space, dim, NULL) : 0;
  ph_h5_close(space);
  if ((kind != H5S_SIMPLE && kind != H5S_SCALAR) || rank < 0)
    return ph_h5_refuse(PH_EFORMAT, dataset, "shape", "it has none");
  if (rank > 4)
    return ph_h5_refuse(PH_EFORMAT, dataset, "shape", "more than 4 dimensions");
  info->rank = rank;
  info->width = 1;
  hsize_t total = element_size(info);
  for (int i = 0; i < 4; i++) {
    info->dim[i] = i < rank ? (int64_t)dim[i] : 1;
    if (i < rank && dim[i] > 0 && (dim[i] > INT64_MAX / 16 || total > INT64_MAX / 16 / dim[i]))
      return ph_h5_refuse(PH_EFORMAT, dataset, "shape", "it is too large");
    total *= i < rank && dim[i] > 0 ? dim[i] : 1;
    info->width *= i > 0 ? info->dim[i] : 1;
  }
  return PH_OK;
}

/* Where pread finds the rows; the file must be long enough to hold them. */
static ph_status find_offset(hid_t dataset, bool contiguous, ph_h5_array *info) {
  info->offset = -1;
  int64_t bytes = info->dim[0] * info->width * (int64_t)element_size(info);
  haddr_t offset = contiguous && bytes > 0 ? H5Dget_offset(dataset) : HADDR_UNDEF;
  if (offset == HADDR_UNDEF)
    return PH_OK;
  struct stat st;
  uint64_t base;
  int fd = ph_h5_file_bytes(dataset, &base);
  if (fd < 0 || fstat(fd, &st) != 0 || H5Dget_storage_size(dataset) < (hsize_t)bytes)
    return PH_OK;
  if (offset > (haddr_t)st.st_size || (haddr_t)bytes > (haddr_t)st.st_size - offset)
    return info->native
               ? ph_h5_refuse(PH_EFORMAT, dataset, "", "the file ends before its data does")
               : PH_OK;
  info->offset = (int64_t)offset;
  return PH_OK;
}

ph_status ph_h5_describe(hid_t dataset, ph_h5_array *info) {
  bool contiguous = false;
  hid_t type = H5I_INVALID_HID;
  ph_status status = check_storage(dataset, &contiguous);
  if (!status && (type = H5Dget_type(dataset)) < 0)
    status = ph_h5_error(PH_EFORMAT, dataset, "type");
  if (!status)
    status = ph_h5_describe_type(type, dataset, info);
  if (!status)
    status = read_shape(dataset, info);
  if (!status)
    status = find_offset(dataset, contiguous, info);
  ph_h5_close(type);
  return status;
}

ph_status ph_h5_dataset(hid_t *out, ph_h5_array *info, hid_t loc, const char *path) {
  hid_t dataset = H5I_INVALID_HID;
  *out = H5I_INVALID_HID;
  ph_h5_enter();
  ph_status status = ph_h5_path(loc, path);
  if (!status && (dataset = H5Dopen2(loc, path, H5P_DEFAULT)) < 0)
    status = ph_h5_error(PH_EFORMAT, loc, path);
  if (!status)
    status = ph_h5_describe(dataset, info);
  if (status)
    ph_h5_close(dataset);
  else
    *out = dataset;
  ph_h5_leave();
  return status;
}

/* Type in memory: ours, or the file's own string type so that character sets agree. */
static hid_t memory_type(hid_t dataset, ph_type type) {
  if (type != PH_STRING)
    return H5Tcopy(ph_h5_type(type));
  hid_t copy = H5Dget_type(dataset);
  return copy;
}

static ph_status select_rows(hid_t *file_space, hid_t *memory_space, hid_t dataset,
                             const ph_h5_array *info, int64_t first, int64_t n) {
  hsize_t start[4] = {(hsize_t)first}, count[4] = {(hsize_t)n};
  hsize_t total = (hsize_t)(n * info->width);
  for (int i = 1; i < info->rank; i++)
    count[i] = (hsize_t)info->dim[i];
  *file_space = H5Dget_space(dataset);
  *memory_space = H5Screate_simple(1, &total, NULL);
  if (*file_space < 0 || *memory_space < 0 ||
      (info->rank > 0 &&
       H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, NULL, count, NULL) < 0))
    return ph_h5_error(PH_EFORMAT, dataset, "rows");
  return PH_OK;
}

/* memory is closed. */
static ph_status read_as(hid_t dataset, const ph_h5_array *info, hid_t memory, int64_t first,
                         int64_t n, void *out) {
  hid_t file_space = H5I_INVALID_HID, memory_space = H5I_INVALID_HID;
  ph_status status = memory < 0 ? ph_h5_error(PH_EFORMAT, dataset, "type") : PH_OK;
  if (!status)
    status = select_rows(&file_space, &memory_space, dataset, info, first, n);
  if (!status && H5Dread(dataset, memory, memory_space, file_space, H5P_DEFAULT, out) < 0)
    status = ph_h5_error(PH_ECORRUPT, dataset, "");
  ph_h5_close(memory_space);
  ph_h5_close(file_space);
  ph_h5_close(memory);
  return status;
}

static ph_status check_rows(hid_t dataset, const ph_h5_array *info, int64_t first, int64_t n) {
  if (first < 0 || n < 0 || first > info->dim[0] || n > info->dim[0] - first)
    return ph_h5_refuse(PH_EINVAL, dataset, "rows", "outside of the dataset");
  return PH_OK;
}

static ph_status read_rows(hid_t dataset, const ph_h5_array *info, ph_type type, int64_t first,
                           int64_t n, void *out) {
  if ((type == PH_STRING) != (info->type == PH_STRING))
    return ph_h5_refuse(PH_EFORMAT, dataset, "type", "text and numbers do not mix");
  ph_status status = check_rows(dataset, info, first, n);
  if (status || n == 0 || info->width == 0)
    return status;
  return read_as(dataset, info, memory_type(dataset, type), first, n, out);
}

ph_status ph_h5_read_whole(hid_t dataset, const ph_h5_array *info, int64_t first, int64_t n,
                           uint64_t *out) {
  ph_h5_enter();
  ph_status status = check_rows(dataset, info, first, n);
  bool is_signed = info->name[0] != 'u'; /* "uint64" */
  hid_t memory = H5I_INVALID_HID;
  if (!status && n > 0 && info->width > 0) {
    memory = H5Tcopy(is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64);
    status = read_as(dataset, info, memory, first, n, out);
  }
  ph_h5_leave();
  return status;
}

ph_status ph_h5_read(hid_t dataset, const ph_h5_array *info, ph_type type, int64_t first, int64_t n,
                     void *out) {
  ph_h5_enter();
  ph_status status = read_rows(dataset, info, type, first, n, out);
  ph_h5_leave();
  return status;
}

static ph_status check_crc(hid_t dataset, const ph_h5_array *info, const void *data, size_t size) {
  int64_t crc;
  if (!info->native || !ph_h5_has_attr(dataset, "crc"))
    return PH_OK;
  ph_status status = ph_h5_attr_i64(dataset, "crc", &crc);
  if (!status && crc != (int64_t)ph_crc32(data, size))
    status = ph_h5_refuse(PH_ECORRUPT, dataset, "", "the bytes do not match their checksum");
  return status;
}

ph_status ph_h5_read_all(void **out, size_t *size, hid_t loc, const char *path, size_t limit) {
  hid_t dataset;
  ph_h5_array info;
  *out = NULL;
  *size = 0;
  ph_h5_enter();
  ph_status status = ph_h5_dataset(&dataset, &info, loc, path);
  size_t bytes = status ? 0 : (size_t)(info.dim[0] * info.width) * element_size(&info);
  if (!status && bytes > limit)
    status = ph_h5_refuse(PH_EFORMAT, dataset, "", "it is larger than such a dataset can be");
  if (!status && !(*out = calloc(1, bytes + 1)))
    status = ph_fail(PH_ENOMEM, "%s: %zu bytes: out of memory", path, bytes);
  if (!status)
    status = read_rows(dataset, &info, info.type, 0, info.dim[0], *out);
  if (!status)
    status = check_crc(dataset, &info, *out, bytes);
  ph_h5_close(dataset);
  ph_h5_leave();
  if (status) {
    free(*out);
    *out = NULL;
    return status;
  }
  *size = bytes;
  return PH_OK;
}
