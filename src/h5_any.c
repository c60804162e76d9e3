/* Datasets of other writers: any type, any rank. What cannot be read as numbers is described and
 * the reason is given, because it must be named on the screen. */
#include "h5_door.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* --- types in words --- */

/* h5py writes a bool as an enum of FALSE and TRUE. */
static bool is_bool(hid_t type) {
  int8_t value[2] = {-1, -1};
  return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 &&
         H5Tenum_valueof(type, "FALSE", &value[0]) >= 0 &&
         H5Tenum_valueof(type, "TRUE", &value[1]) >= 0 && value[0] == 0 && value[1] == 1;
}

void ph_h5_type_name(hid_t type, char out[24]) {
  unsigned bits = (unsigned)H5Tget_size(type) * 8 % 10000;
  switch (H5Tget_class(type)) {
  case H5T_FLOAT:
    snprintf(out, 24, "float%u", bits);
    break;
  case H5T_INTEGER:
    snprintf(out, 24, "%s%u", H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int", bits);
    break;
  case H5T_ENUM:
    snprintf(out, 24, "%s", is_bool(type) ? "bool" : "enum");
    break;
  case H5T_STRING:
    snprintf(out, 24, "string");
    break;
  case H5T_COMPOUND:
    snprintf(out, 24, "compound");
    break;
  case H5T_VLEN:
    snprintf(out, 24, "list");
    break;
  case H5T_ARRAY:
    snprintf(out, 24, "array");
    break;
  case H5T_REFERENCE:
    snprintf(out, 24, "reference");
    break;
  default:
    snprintf(out, 24, "opaque");
  }
}

/* Why a type is not one of numbers; "": it is. */
static const char *type_why(hid_t type) {
  size_t size = H5Tget_size(type);
  if (H5Tcommitted(type) > 0)
    return "of a type that is shared by name, which is not read";
  switch (H5Tget_class(type)) {
  case H5T_FLOAT:
    return size <= 16 ? "" : "numbers of an odd size";
  case H5T_INTEGER:
  case H5T_ENUM:
    return size <= 8 ? "" : "numbers of an odd size";
  case H5T_STRING:
    return "text, not numbers";
  case H5T_COMPOUND:
    return "records of several fields, which are not read";
  case H5T_VLEN:
    return "rows of varying length, which are not read";
  case H5T_REFERENCE:
    return "references, which are not followed";
  case H5T_ARRAY:
    return "small arrays within an array, which are not read";
  default:
    return "bytes without a meaning";
  }
}

/* --- storage --- */

static const char *filter_why(hid_t creation) {
  int n = H5Pget_nfilters(creation);
  if (n < 0)
    return "its filters are damaged";
  for (int i = 0; i < n; i++) {
    unsigned flags, config;
    size_t none = 0;
    switch (H5Pget_filter2(creation, (unsigned)i, &flags, &none, NULL, 0, NULL, &config)) {
    case H5Z_FILTER_DEFLATE:
    case H5Z_FILTER_SHUFFLE:
    case H5Z_FILTER_FLETCHER32:
      break;
    case H5Z_FILTER_SZIP:
      return "compressed with szip, which is never run";
    case 32000:
      return "compressed with lzf, which is never run";
    case 32001:
      return "compressed with blosc, which is never run";
    case 32015:
      return "compressed with zstd, which is never run";
    default:
      return "compressed with a filter that is never run";
    }
  }
  return "";
}

/* Why the bytes of a dataset are not read; "": they are. */
static const char *storage_why(hid_t dataset) {
  if (ph_h5_check_storage(dataset) == PH_OK)
    return "";
  hid_t creation = H5Dget_create_plist(dataset);
  H5D_layout_t layout = creation < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(creation);
  const char *why = "its storage is damaged";
  if (layout == H5D_VIRTUAL)
    why = "a virtual dataset, which is never read";
  else if (layout == H5D_CONTIGUOUS)
    why = "its bytes are in another file, which is never read";
  else if (layout == H5D_CHUNKED)
    why = filter_why(creation)[0] ? filter_why(creation) : "its chunks are too large";
  ph_h5_close(creation);
  H5Eclear2(H5E_DEFAULT);
  return why;
}

/* Shape of anything: the first 4 sizes. */
static const char *shape_why(hid_t dataset, ph_h5_array *info) {
  hid_t space = H5Dget_space(dataset);
  hsize_t dim[H5S_MAX_RANK] = {0};
  H5S_class_t kind = space < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(space);
  int rank = kind == H5S_SIMPLE ? H5Sget_simple_extent_dims(space, dim, NULL) : 0;
  ph_h5_close(space);
  info->rank = rank < 0 ? 0 : rank;
  info->width = 0;
  for (int i = 0; i < 4; i++)
    info->dim[i] = i < rank ? dim[i] < INT64_MAX ? (int64_t)dim[i] : INT64_MAX : 1;
  if (kind == H5S_NULL)
    info->dim[0] = 0;
  if (kind != H5S_SIMPLE && kind != H5S_SCALAR)
    return kind == H5S_NULL ? "it holds nothing" : "its shape is damaged";
  return rank > 4 ? "more than 4 dimensions" : rank < 0 ? "its shape is damaged" : "";
}

/* --- opening --- */

static ph_status describe(ph_h5_array *info, const char **why, hid_t dataset) {
  hid_t type = H5Dget_type(dataset);
  if (type < 0)
    return ph_h5_error(PH_EFORMAT, dataset, "type");
  *info = (ph_h5_array){.type = PH_U8, .offset = -1};
  ph_h5_type_name(type, info->name);
  const char *shape = shape_why(dataset, info), *bytes = storage_why(dataset);
  *why = type_why(type);
  if (!**why)
    *why = shape[0] ? shape : bytes;
  if (H5Tget_class(type) == H5T_STRING) {
    info->type = PH_STRING;
    info->string_size = H5Tis_variable_str(type) > 0 ? 0 : H5Tget_size(type);
  }
  ph_h5_close(type);
  return PH_OK;
}

ph_status ph_h5_dataset_any(hid_t *out, ph_h5_array *info, const char **why, hid_t loc,
                            const char *path) {
  hid_t dataset = H5I_INVALID_HID;
  *out = H5I_INVALID_HID;
  *why = "";
  ph_h5_enter();
  ph_status status = ph_h5_path(loc, path);
  if (!status && (dataset = H5Dopen2(loc, path, H5P_DEFAULT)) < 0)
    status = ph_h5_error(PH_EFORMAT, loc, path);
  if (!status)
    status = describe(info, why, dataset);
  if (!status && !**why)
    status = ph_h5_describe(dataset, info);
  if (status)
    ph_h5_close(dataset);
  else
    *out = dataset;
  ph_h5_leave();
  return status;
}

int64_t ph_h5_chunk_rows(hid_t dataset) {
  hsize_t chunk[H5S_MAX_RANK] = {0};
  ph_h5_enter();
  hid_t creation = H5Dget_create_plist(dataset);
  if (creation < 0 || H5Pget_layout(creation) != H5D_CHUNKED ||
      H5Pget_chunk(creation, H5S_MAX_RANK, chunk) < 1)
    chunk[0] = 0;
  ph_h5_close(creation);
  ph_h5_leave();
  return chunk[0] < INT64_MAX ? (int64_t)chunk[0] : 0;
}

ph_status ph_h5_check_chunks(hid_t dataset) {
  struct stat st;
  uint64_t base;
  ph_h5_enter();
  hid_t creation = H5Dget_create_plist(dataset), space = H5Dget_space(dataset);
  hsize_t n = 0;
  ph_status status = creation < 0 || space < 0 ? ph_h5_error(PH_EFORMAT, dataset, "layout") : PH_OK;
  if (!status && H5Pget_layout(creation) == H5D_CHUNKED) {
    int fd = ph_h5_file_bytes(dataset, &base);
    if (H5Dget_num_chunks(dataset, space, &n) < 0)
      status = ph_h5_error(PH_ECORRUPT, dataset, "index of chunks");
    else if (fd >= 0 && fstat(fd, &st) == 0 && H5Dget_storage_size(dataset) > (hsize_t)st.st_size)
      status = ph_h5_refuse(PH_ECORRUPT, dataset, "index of chunks", "longer than the file");
  }
  ph_h5_close(space);
  ph_h5_close(creation);
  ph_h5_leave();
  return status;
}
