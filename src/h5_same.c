#include "h5_same.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "h5_extent.h"

#define VALUE_MAX 16 /* bytes of one number */

/* --- groups and links --- */

ph_status ph_h5_group_same(hid_t *out, hid_t to, const char *path, hid_t group) {
  ph_h5_enter();
  hid_t creation = H5Gget_create_plist(group);
  *out = creation < 0 ? H5I_INVALID_HID : H5Gcreate2(to, path, H5P_DEFAULT, creation, H5P_DEFAULT);
  ph_status status = *out < 0 ? ph_h5_error(PH_EIO, to, path) : PH_OK;
  ph_h5_close(creation);
  ph_h5_leave();
  return status;
}

void ph_h5_extent_of(ph_h5_extent *out, hid_t dataset) {
  ph_h5_shape shape;
  ph_h5_enter();
  const char *fault = ph_h5_shape_read(&shape, out, dataset);
  out->good = fault ? 0 : out->rows;
  ph_h5_shape_clear(&shape);
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
}

size_t ph_h5_names_of(hid_t object) {
  ph_h5_enter();
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t info;
  bool known = H5Oget_info3(object, &info, H5O_INFO_BASIC) >= 0;
#else
  H5O_info_t info;
  bool known = H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0;
#endif
  ph_h5_leave();
  return known ? info.rc : 1;
}

static ph_status make_link(hid_t to, const char *path, const H5L_info_t *link, const void *value) {
  const char *file, *object;
  herr_t result = -1;
  if (link->type == H5L_TYPE_SOFT)
    result = H5Lcreate_soft(value, to, path, H5P_DEFAULT, H5P_DEFAULT);
  else if (link->type == H5L_TYPE_EXTERNAL &&
           H5Lunpack_elink_val(value, link->u.val_size, NULL, &file, &object) >= 0)
    result = H5Lcreate_external(file, object, to, path, H5P_DEFAULT, H5P_DEFAULT);
  return result < 0 ? ph_h5_error(PH_EIO, to, path) : PH_OK;
}

ph_status ph_h5_link_same(hid_t to, const char *path, hid_t group, const char *name) {
  H5L_info_t link;
  void *value = NULL;
  ph_status status = PH_OK;
  ph_h5_enter();
  if (H5Lget_info(group, name, &link, H5P_DEFAULT) < 0 ||
      (link.type != H5L_TYPE_SOFT && link.type != H5L_TYPE_EXTERNAL))
    status = ph_h5_refuse(PH_EFORMAT, group, name, "a link that is not known cannot be copied");
  if (!status && !(value = calloc(1, link.u.val_size + 1)))
    status = ph_h5_refuse(PH_ENOMEM, group, name, "out of memory");
  if (!status && H5Lget_val(group, name, value, link.u.val_size, H5P_DEFAULT) < 0)
    status = ph_h5_error(PH_EFORMAT, group, name);
  if (!status)
    status = make_link(to, path, &link, value);
  free(value);
  ph_h5_leave();
  return status;
}

/* --- values --- */

/* One value as the type has it in a file, which may be an enum (h5py's bool). false: it is no type
 * of numbers. */
static bool encode(unsigned char out[VALUE_MAX], hid_t type, int64_t value) {
  H5T_class_t class = H5Tget_class(type);
  hid_t base = class == H5T_ENUM ? H5Tget_super(type) : H5Tcopy(type);
  size_t size = base < 0 ? 0 : H5Tget_size(base);
  bool ok = (class == H5T_ENUM || class == H5T_INTEGER || class == H5T_FLOAT) && size > 0 &&
            size <= VALUE_MAX;
  memset(out, 0, VALUE_MAX);
  memcpy(out, &value, sizeof value);
  ok = ok && H5Tconvert(H5T_NATIVE_INT64, base, 1, out, NULL, H5P_DEFAULT) >= 0;
  ph_h5_close(base);
  return ok;
}

ph_status ph_h5_set_whole(hid_t loc, const char *name, int64_t value) {
  unsigned char bytes[VALUE_MAX];
  ph_status status = PH_OK;
  ph_h5_enter();
  if (H5Aexists(loc, name) <= 0) {
    ph_h5_leave();
    return PH_OK;
  }
  hid_t attr = H5Aopen(loc, name, H5P_DEFAULT), type = H5I_INVALID_HID, space = H5I_INVALID_HID;
  if (attr >= 0) {
    type = H5Aget_type(attr);
    space = H5Aget_space(attr);
  }
  if (attr < 0 || type < 0 || space < 0)
    status = ph_h5_error(PH_EIO, loc, name);
  else if (H5Sget_simple_extent_npoints(space) == 1 && encode(bytes, type, value) &&
           H5Awrite(attr, type, bytes) < 0)
    status = ph_h5_error(PH_EIO, loc, name);
  ph_h5_close(space);
  ph_h5_close(type);
  ph_h5_close(attr);
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
  return status;
}

/* n rows of one value each from `first` on, all the same. */
static bool fill_rows(hid_t dataset, const ph_h5_shape *s, const ph_h5_extent *e, int64_t first,
                      int64_t n, const unsigned char *value) {
  hsize_t start[H5S_MAX_RANK] = {(hsize_t)first}, count[H5S_MAX_RANK], total = (hsize_t)n;
  unsigned char *rows = n > 0 ? malloc((size_t)n * s->element) : NULL;
  for (int i = 0; i < e->rank; i++)
    count[i] = i == 0 ? (hsize_t)n : 1;
  for (int64_t i = 0; rows && i < n; i++)
    memcpy(rows + (size_t)i * s->element, value, s->element);
  hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &total, NULL);
  bool ok = n == 0 || (rows && space >= 0 && memory >= 0 &&
                       H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                       H5Dwrite(dataset, s->type, memory, space, H5P_DEFAULT, rows) >= 0);
  ph_h5_close(memory);
  ph_h5_close(space);
  free(rows);
  return ok;
}

ph_status ph_h5_mark_last(hid_t loc, const char *path, bool keep) {
  unsigned char zero[VALUE_MAX], one[VALUE_MAX];
  ph_h5_shape shape;
  ph_h5_extent extent;
  ph_status status = PH_OK;
  ph_h5_enter();
  hid_t dataset = H5Dopen2(loc, path, H5P_DEFAULT);
  const char *fault = dataset < 0 ? "" : ph_h5_shape_read(&shape, &extent, dataset);
  if (dataset < 0)
    status = ph_h5_error(PH_EIO, loc, path);
  else if (!fault && extent.rank > 0 && extent.rows > 0 && extent.row_bytes == shape.element &&
           encode(zero, shape.type, 0) && encode(one, shape.type, 1) &&
           ((!keep && !fill_rows(dataset, &shape, &extent, 0, extent.rows - 1, zero)) ||
            !fill_rows(dataset, &shape, &extent, extent.rows - 1, 1, one)))
    status = ph_h5_error(PH_EIO, loc, path);
  if (dataset >= 0)
    ph_h5_shape_clear(&shape);
  ph_h5_close(dataset);
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
  return status;
}
