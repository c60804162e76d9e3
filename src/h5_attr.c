#include "h5_door.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define TEXT_LIMIT ((size_t)16 << 20)  /* of one attribute */
#define EXACT_LIMIT 9007199254740992.0 /* 2^53: whole numbers below it are exact as doubles */
#define PUT_LIMIT 60000                /* an object header message ends at 64 kB */

bool ph_h5_has_attr(hid_t loc, const char *name) {
  ph_h5_enter();
  bool yes = H5Aexists(loc, name) > 0;
  ph_h5_leave();
  return yes;
}

static ph_status attr_fault(ph_status status, hid_t loc, const char *name, const char *why) {
  char what[120];
  snprintf(what, sizeof what, "attribute %s", name);
  return why ? ph_h5_refuse(status, loc, what, why) : ph_h5_error(status, loc, what);
}

/* Opens an attribute of one element. */
static ph_status open_scalar(hid_t *attr, hid_t *type, hid_t loc, const char *name) {
  *attr = *type = H5I_INVALID_HID;
  htri_t there = H5Aexists(loc, name);
  if (there <= 0)
    return attr_fault(there < 0 ? PH_EFORMAT : PH_ENOTFOUND, loc, name,
                      there < 0 ? NULL : "there is none");
  *attr = H5Aopen(loc, name, H5P_DEFAULT);
  if (*attr < 0)
    return attr_fault(PH_EFORMAT, loc, name, NULL);
  *type = H5Aget_type(*attr);
  hid_t space = H5Aget_space(*attr);
  hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  ph_h5_close(space);
  if (*type < 0 || n < 0)
    return attr_fault(PH_EFORMAT, loc, name, NULL);
  if (H5Tcommitted(*type) > 0)
    return attr_fault(PH_EREFUSED, loc, name, "a committed type is not read");
  return n == 1 ? PH_OK : attr_fault(PH_EFORMAT, loc, name, "it is not one value");
}

/* Our files hold no variable-length string; in one of ours it is damage or an attack. */
static bool own_file(hid_t id) {
  hid_t file = H5Iget_file_id(id), attr = H5I_INVALID_HID, type = H5I_INVALID_HID;
  char text[16] = "";
  if (file >= 0 && H5Aexists_by_name(file, "/", "format", H5P_DEFAULT) > 0)
    attr = H5Aopen_by_name(file, "/", "format", H5P_DEFAULT, H5P_DEFAULT);
  if (attr >= 0)
    type = H5Aget_type(attr);
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
      H5Tget_size(type) == strlen(PH_FORMAT_NAME) && H5Aget_storage_size(attr) < sizeof text)
    H5Aread(attr, type, text);
  ph_h5_close(type);
  ph_h5_close(attr);
  ph_h5_close(file);
  return strcmp(text, PH_FORMAT_NAME) == 0;
}

static ph_status read_variable(hid_t attr, hid_t type, hid_t loc, const char *name, char **out) {
  char *text = NULL;
  if (own_file(loc))
    return attr_fault(PH_EREFUSED, loc, name, "variable-length strings are not read");
  if (H5Aread(attr, type, &text) < 0)
    return attr_fault(PH_EFORMAT, loc, name, NULL);
  size_t n = text ? strnlen(text, TEXT_LIMIT) : 0;
  *out = strndup(text ? text : "", n);
  if (text)
    H5free_memory(text);
  return *out ? PH_OK : ph_fail(PH_ENOMEM, "attribute %s: out of memory", name);
}

static ph_status read_fixed(hid_t attr, hid_t type, hid_t loc, const char *name, char **out) {
  size_t size = H5Tget_size(type);
  if (size > TEXT_LIMIT)
    return attr_fault(PH_EFORMAT, loc, name, "it is too long");
  char *text = calloc(1, size + 1);
  if (!text)
    return ph_fail(PH_ENOMEM, "attribute %s: out of memory", name);
  if (H5Aread(attr, type, text) < 0) {
    free(text);
    return attr_fault(PH_EFORMAT, loc, name, NULL);
  }
  if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
    while (size > 0 && text[size - 1] == ' ')
      text[--size] = 0;
  *out = text;
  return PH_OK;
}

ph_status ph_h5_attr_text(hid_t loc, const char *name, char **out) {
  hid_t attr, type;
  *out = NULL;
  ph_h5_enter();
  ph_status status = open_scalar(&attr, &type, loc, name);
  if (!status && H5Tget_class(type) != H5T_STRING)
    status = attr_fault(PH_EFORMAT, loc, name, "it is not a string");
  if (!status)
    status = H5Tis_variable_str(type) > 0 ? read_variable(attr, type, loc, name, out)
                                          : read_fixed(attr, type, loc, name, out);
  ph_h5_close(type);
  ph_h5_close(attr);
  ph_h5_leave();
  return status;
}

ph_status ph_h5_attr_string(hid_t loc, const char *name, char *out, size_t size) {
  char *text;
  out[0] = 0;
  ph_status status = ph_h5_attr_text(loc, name, &text);
  if (!status)
    ph_escape(out, size, text, strlen(text));
  free(text);
  return status;
}

/* A number of any type, as a double and, unless it is a fraction, as an integer; enums (h5py's
 * bool) are integers. */
static ph_status read_number(hid_t loc, const char *name, bool *fraction, int64_t *whole,
                             double *real) {
  hid_t attr, type;
  ph_status status = open_scalar(&attr, &type, loc, name);
  if (!status) {
    H5T_class_t class = H5Tget_class(type);
    *fraction = class == H5T_FLOAT;
    if (!*fraction && class != H5T_INTEGER && class != H5T_ENUM)
      status = attr_fault(PH_EFORMAT, loc, name, "it is not a number");
    else if (H5Tget_size(type) > 16)
      status = attr_fault(PH_EFORMAT, loc, name, "a number of an odd size");
    else if (H5Aread(attr, H5T_NATIVE_DOUBLE, real) < 0 ||
             (!*fraction && H5Aread(attr, H5T_NATIVE_INT64, whole) < 0))
      status = attr_fault(PH_EFORMAT, loc, name, NULL);
  }
  ph_h5_close(type);
  ph_h5_close(attr);
  return status;
}

ph_status ph_h5_attr_i64(hid_t loc, const char *name, int64_t *out) {
  bool fraction = false;
  double real = 0;
  int64_t whole = 0;
  ph_h5_enter();
  ph_status status = read_number(loc, name, &fraction, &whole, &real);
  if (!status && fraction && !(fabs(real) < EXACT_LIMIT && real == trunc(real)))
    status = attr_fault(PH_EFORMAT, loc, name, "it is not an integer");
  if (!status)
    *out = fraction ? (int64_t)real : whole;
  ph_h5_leave();
  return status;
}

ph_status ph_h5_attr_f64(hid_t loc, const char *name, double *out) {
  bool fraction;
  double real;
  int64_t whole;
  ph_h5_enter();
  ph_status status = read_number(loc, name, &fraction, &whole, &real);
  if (!status)
    *out = real;
  ph_h5_leave();
  return status;
}

/* Writes one value, instead of one of that name. */
static ph_status put(hid_t loc, const char *name, hid_t type, const void *value) {
  ph_status status = PH_OK;
  hid_t space = H5Screate(H5S_SCALAR), attr = H5I_INVALID_HID;
  if (H5Aexists(loc, name) > 0 && H5Adelete(loc, name) < 0)
    status = attr_fault(PH_EIO, loc, name, NULL);
  if (!status)
    attr = H5Acreate2(loc, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (!status && (attr < 0 || H5Awrite(attr, type, value) < 0))
    status = attr_fault(PH_EIO, loc, name, NULL);
  ph_h5_close(attr);
  ph_h5_close(space);
  return status;
}

ph_status ph_h5_put_string(hid_t loc, const char *name, const char *text) {
  size_t n = strlen(text);
  ph_h5_enter();
  ph_status status =
      n > PUT_LIMIT ? attr_fault(PH_EINVAL, loc, name, "text over 60000 bytes has no place here")
                    : PH_OK;
  hid_t type = status ? H5I_INVALID_HID : ph_h5_string_type(n);
  if (!status)
    status = put(loc, name, type, text);
  ph_h5_close(type);
  ph_h5_leave();
  return status;
}

static ph_status put_number(hid_t loc, const char *name, ph_type type, const void *value) {
  ph_h5_enter();
  ph_status status = put(loc, name, ph_h5_type(type), value);
  ph_h5_leave();
  return status;
}

ph_status ph_h5_put_i64(hid_t loc, const char *name, int64_t value) {
  return put_number(loc, name, PH_I64, &value);
}

ph_status ph_h5_put_f64(hid_t loc, const char *name, double value) {
  return put_number(loc, name, PH_F64, &value);
}

ph_status ph_h5_put_u8(hid_t loc, const char *name, uint8_t value) {
  return put_number(loc, name, PH_U8, &value);
}

ph_status ph_h5_put_u32(hid_t loc, const char *name, uint32_t value) {
  return put_number(loc, name, PH_U32, &value);
}
