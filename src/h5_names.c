/* What is in a group, without a word on whether it can be read: names alone, or each link with the
 * kind of what it leads to. */
#include "h5_door.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "h5_same.h"

/* --- names alone --- */

struct names {
  char **name;
  size_t n, capacity;
};

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *link, void *arg) {
  struct names *names = arg;
  (void)group, (void)link;
  if (names->n == names->capacity) {
    size_t capacity = names->capacity ? names->capacity * 2 : 64;
    char **more = realloc(names->name, capacity * sizeof *more);
    if (!more)
      return 1;
    names->name = more;
    names->capacity = capacity;
  }
  names->name[names->n] = strdup(name);
  return names->name[names->n] ? (names->n++, 0) : 1;
}

static ph_status list(char ***out, size_t *n, hid_t group, H5_index_t index) {
  struct names names = {0};
  hsize_t at = 0;
  *out = NULL;
  *n = 0;
  ph_h5_enter();
  herr_t result = H5Literate(group, index, H5_ITER_INC, &at, add_name, &names);
  ph_status status = result < 0 ? ph_h5_error(PH_EFORMAT, group, "listing") : PH_OK;
  if (result > 0)
    status = ph_h5_refuse(PH_ENOMEM, group, "listing", "out of memory");
  ph_h5_leave();
  if (status) {
    ph_h5_names_free(names.name, names.n);
    return status;
  }
  *out = names.name;
  *n = names.n;
  return PH_OK;
}

ph_status ph_h5_names(char ***out, size_t *n, hid_t group) {
  return list(out, n, group, H5_INDEX_NAME);
}

ph_status ph_h5_names_made(char ***out, size_t *n, hid_t group) {
  unsigned order = 0;
  ph_h5_enter();
  hid_t creation = H5Gget_create_plist(group);
  bool kept = creation >= 0 && H5Pget_link_creation_order(creation, &order) >= 0 &&
              (order & H5P_CRT_ORDER_INDEXED);
  ph_h5_close(creation);
  ph_h5_leave();
  return list(out, n, group, kept ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME);
}

void ph_h5_names_free(char **names, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(names[i]);
  free(names);
}

/* --- with kinds --- */

static ph_h5_kind kind_of_object(hid_t group, const char *name) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t info;
  herr_t result = H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
#else
  H5O_info_t info;
  herr_t result = H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
#endif
  if (result < 0) {
    H5Eclear2(H5E_DEFAULT);
    return PH_H5_BROKEN;
  }
  return info.type == H5O_TYPE_GROUP     ? PH_H5_GROUP
         : info.type == H5O_TYPE_DATASET ? PH_H5_DATASET
                                         : PH_H5_OTHER;
}

ph_h5_kind ph_h5_kind_of(hid_t group, const char *name) {
  H5L_info_t link;
  ph_status status;
  ph_h5_kind kind = PH_H5_BROKEN;
  ph_h5_enter();
  if (H5Lget_info(group, name, &link, H5P_DEFAULT) < 0)
    H5Eclear2(H5E_DEFAULT);
  else if (link.type != H5L_TYPE_HARD)
    kind = PH_H5_LINK;
  else if (!ph_h5_link_fault(group, name, &status))
    kind = kind_of_object(group, name);
  ph_h5_leave();
  return kind;
}

struct look {
  ph_h5_look *fn;
  void *arg;
  ph_status status;
};

static herr_t look_at(hid_t group, const char *name, const H5L_info_t *link, void *arg) {
  struct look *look = arg;
  ph_status status;
  ph_h5_kind kind = PH_H5_LINK;
  if (link->type == H5L_TYPE_HARD)
    kind = ph_h5_link_fault(group, name, &status) ? PH_H5_BROKEN : kind_of_object(group, name);
  look->status = look->fn(look->arg, name, kind);
  return look->status != PH_OK;
}

ph_status ph_h5_walk(hid_t group, ph_h5_look *fn, void *arg) {
  struct look look = {fn, arg, PH_OK};
  hsize_t at = 0;
  ph_h5_enter();
  herr_t result = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, look_at, &look);
  if (result < 0 && !look.status)
    look.status = ph_h5_error(PH_EFORMAT, group, "listing");
  ph_h5_leave();
  return look.status;
}

ph_status ph_h5_address(uint64_t *out, hid_t object) {
  haddr_t address = HADDR_UNDEF;
  ph_h5_enter();
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t info;
  bool known = H5Oget_info3(object, &info, H5O_INFO_BASIC) >= 0 &&
               H5VLnative_token_to_addr(object, info.token, &address) >= 0;
#else
  H5O_info_t info;
  bool known = H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0;
  address = known ? info.addr : address;
#endif
  ph_status status = known ? PH_OK : ph_h5_error(PH_EFORMAT, object, "address");
  ph_h5_leave();
  *out = address;
  return status;
}
