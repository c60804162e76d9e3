#include "h5_door.h"

#include <string.h>

#include "fail.h"

#define PATH_SIZE 1024

/* Looks at the header of the object before the library does. */
static const char *target_fault(hid_t loc, const H5L_info_t *link) {
  haddr_t address = HADDR_UNDEF;
#if H5_VERSION_GE(1, 12, 0)
  if (H5VLnative_token_to_addr(loc, link->u.token, &address) < 0)
    return "its address cannot be found";
#else
  address = link->u.address;
#endif
  return ph_h5_check_header(loc, address);
}

const char *ph_h5_link_fault(hid_t loc, const char *path, ph_status *status) {
  H5L_info_t link;
  *status = PH_ENOTFOUND;
  if (H5Lexists(loc, path, H5P_DEFAULT) <= 0 || H5Lget_info(loc, path, &link, H5P_DEFAULT) < 0)
    return "there is no such object";
  *status = PH_EREFUSED;
  const char *fault;
  switch (link.type) {
  case H5L_TYPE_HARD:
    fault = target_fault(loc, &link);
    *status = fault ? PH_EFORMAT : PH_OK;
    return fault;
  case H5L_TYPE_SOFT:
    return "a soft link is never followed";
  case H5L_TYPE_EXTERNAL:
    return "an external link is never followed";
  default:
    return "a user-defined link is never followed";
  }
}

/* The same for a whole path; part gets the piece that is at fault. */
static const char *path_fault(hid_t loc, const char *path, ph_status *status,
                              char part[PATH_SIZE]) {
  const char *fault = NULL;
  size_t n = strnlen(path, PATH_SIZE);
  memcpy(part, path, n < PATH_SIZE ? n + 1 : PATH_SIZE);
  part[PATH_SIZE - 1] = 0;
  *status = n == 0 || n >= PATH_SIZE ? PH_ENOTFOUND : PH_OK;
  if (*status)
    return n ? "the path is too long" : "the path is empty";
  if (strcmp(path, "/") == 0 || strcmp(path, ".") == 0)
    return NULL;
  for (size_t i = 1; i <= n && !fault; i++) {
    if (path[i] != '/' && path[i] != 0)
      continue;
    part[i] = 0;
    fault = ph_h5_link_fault(loc, part, status);
    if (!fault)
      part[i] = path[i];
  }
  return fault;
}

ph_status ph_h5_path(hid_t loc, const char *path) {
  ph_status status;
  char part[PATH_SIZE];
  const char *fault = path_fault(loc, path, &status, part);
  return fault ? ph_h5_refuse(status, loc, part, fault) : PH_OK;
}

bool ph_h5_exists(hid_t loc, const char *path) {
  ph_status status;
  char part[PATH_SIZE];
  ph_h5_enter();
  bool yes = !path_fault(loc, path, &status, part);
  ph_h5_leave();
  return yes;
}

ph_status ph_h5_group(hid_t *out, hid_t loc, const char *path) {
  *out = H5I_INVALID_HID;
  ph_h5_enter();
  ph_status status = ph_h5_path(loc, path);
  if (!status) {
    *out = H5Gopen2(loc, path, H5P_DEFAULT);
    if (*out < 0)
      status = ph_h5_error(PH_EFORMAT, loc, path);
  }
  ph_h5_leave();
  return status;
}

static ph_status create_one(hid_t *out, hid_t loc, const char *path, hid_t creation) {
  *out = H5Gcreate2(loc, path, H5P_DEFAULT, creation, H5P_DEFAULT);
  return *out < 0 ? ph_h5_error(PH_EIO, loc, path) : PH_OK;
}

ph_status ph_h5_group_create(hid_t *out, hid_t loc, const char *path) {
  char part[PATH_SIZE];
  size_t n = strlen(path);
  *out = H5I_INVALID_HID;
  if (n == 0 || n >= sizeof part)
    return ph_fail(PH_EINVAL, "HDF5: group: bad path \"%s\"", path);
  memcpy(part, path, n + 1);
  ph_h5_enter();
  hid_t creation = ph_h5_creation(H5P_GROUP_CREATE);
  ph_status status = creation < 0 ? ph_h5_error(PH_EIO, loc, path) : PH_OK;
  for (size_t i = 1; i <= n && !status; i++) {
    if (path[i] != '/' && path[i] != 0)
      continue;
    part[i] = 0;
    hid_t group = H5I_INVALID_HID;
    bool last = path[i] == 0, there = H5Lexists(loc, part, H5P_DEFAULT) > 0;
    if (there)
      status =
          last ? ph_h5_refuse(PH_EEXIST, loc, path, "it exists already") : ph_h5_path(loc, part);
    else
      status = create_one(&group, loc, part, creation);
    if (last)
      *out = group;
    else
      ph_h5_close(group);
    part[i] = path[i];
  }
  ph_h5_close(creation);
  ph_h5_leave();
  return status;
}

ph_status ph_h5_remove(hid_t loc, const char *path) {
  ph_h5_enter();
  ph_status status = PH_OK;
  if (ph_h5_exists(loc, path) && H5Ldelete(loc, path, H5P_DEFAULT) < 0)
    status = ph_h5_error(PH_EIO, loc, path);
  ph_h5_leave();
  return status;
}

struct walk {
  ph_h5_visit *fn;
  void *arg;
  ph_status status;
};

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *link, void *arg) {
  struct walk *walk = arg;
  (void)link;
  ph_status status;
  const char *fault = ph_h5_link_fault(group, name, &status);
  walk->status = fault ? ph_h5_refuse(status, group, name, fault) : PH_OK;
  if (walk->status)
    return 1;
  hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  if (object < 0) {
    walk->status = ph_h5_error(PH_EFORMAT, group, name);
    return 1;
  }
  bool is_group = H5Iget_type(object) == H5I_GROUP;
  ph_h5_close(object);
  walk->status = walk->fn(walk->arg, name, is_group);
  return walk->status != PH_OK;
}

ph_status ph_h5_list(hid_t group, ph_h5_visit *fn, void *arg) {
  struct walk walk = {fn, arg, PH_OK};
  hsize_t at = 0;
  ph_h5_enter();
  herr_t result = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, visit_link, &walk);
  if (result < 0 && !walk.status)
    walk.status = ph_h5_error(PH_EFORMAT, group, "listing");
  ph_h5_leave();
  return walk.status;
}

ph_status ph_h5_count(hid_t group, size_t *n) {
  H5G_info_t info;
  ph_h5_enter();
  ph_status status =
      H5Gget_info(group, &info) < 0 ? ph_h5_error(PH_EFORMAT, group, "counting") : PH_OK;
  *n = status ? 0 : (size_t)info.nlinks;
  ph_h5_leave();
  return status;
}
