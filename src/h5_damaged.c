#include "h5_damaged.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "h5_door.h"
#include "sniff.h"

/* --- how much there is --- */

enum { ZEROS = 4096 }; /* fewer at the end of a file are its own */

static bool all_zero(const unsigned char *bytes, size_t n) {
  return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* Behind the last byte that is not zero. Holes are skipped. */
static uint64_t end_of_data(int fd, uint64_t size) {
  static unsigned char block[1 << 16];
  off_t hole = lseek(fd, 0, SEEK_DATA), last = 0;
  while (hole >= 0) { /* the last stretch that is not a hole */
    last = hole;
    hole = lseek(fd, hole, SEEK_HOLE);
    hole = hole < 0 ? -1 : lseek(fd, hole, SEEK_DATA);
  }
  off_t stop = lseek(fd, last, SEEK_HOLE);
  uint64_t at = stop > 0 && (uint64_t)stop < size ? (uint64_t)stop : size;
  while (at > 0) {
    size_t n = at % sizeof block ? (size_t)(at % sizeof block) : sizeof block;
    if (ph_h5_read_at(fd, at - n, block, n) != n)
      return size;
    if (!all_zero(block, n)) {
      while (block[n - 1] == 0)
        n--, at--;
      return at;
    }
    at -= n;
  }
  return 0;
}

ph_status ph_h5_cut_of(ph_h5_cut *out, const char *path) {
  ph_superblock block;
  struct stat st;
  int fd;
  memset(out, 0, sizeof *out);
  ph_status status = ph_file_regular(&fd, path);
  if (status)
    return status;
  if (fstat(fd, &st) != 0)
    status = ph_fail(PH_EIO, "%s: cannot be read: %s", path, strerror(errno));
  else if (!ph_superblock_find(&block, fd, st.st_size))
    status = ph_file_sniff(fd, path);
  else if (!block.known)
    status = ph_fail(PH_EFORMAT, "%s: its first block, by which all else is found, is %s", path,
                     block.version > 3 ? "of a kind that is not known" : "not all there");
  if (!status) {
    out->size = (uint64_t)st.st_size;
    out->end = end_of_data(fd, out->size);
    if (out->size - out->end < ZEROS)
      out->end = out->size;
    out->wants = block.version >= 2 && block.end < 96 ? UINT64_MAX : block.end;
    out->marked = block.marked && block.version >= 3;
  }
  close(fd);
  return status;
}

/* --- opening --- */

static ph_status mend_of(ph_h5_mend *mend, int fd, const char *path, const ph_h5_cut *cut) {
  ph_superblock block;
  memset(mend, 0, sizeof *mend);
  bool found = ph_superblock_find(&block, fd, (int64_t)cut->size);
  uint64_t more = found ? ph_superblock_extension(&block, fd) : UINT64_MAX;
  bool extension = more != UINT64_MAX && !ph_h5_header_fault(fd, block.at, more);
  if (found)
    mend->size =
        ph_superblock_mend(mend->bytes, &mend->base, &mend->root, &block, fd, cut->end, extension);
  if (mend->size == 0)
    return ph_fail(PH_EFORMAT, "%s: its first block, by which all else is found, is not all there",
                   path);
  mend->at = block.at;
  mend->end = cut->end;
  const char *fault = ph_h5_header_fault(fd, mend->base, mend->root);
  ph_h5_patch *patches = fault ? ph_h5_mend_header(fd, mend->base, mend->end, mend->root) : NULL;
  if (patches)
    fault = NULL;
  ph_h5_patch_free(patches);
  return fault ? ph_fail(PH_EFORMAT, "%s: nothing of it can be found: the root group: %s", path,
                         fault)
               : PH_OK;
}

ph_status ph_h5_open_cut(hid_t *out, const char *path, const ph_h5_cut *cut) {
  ph_h5_mend mend;
  ph_h5_ticket ticket = {.fd = -1, .mend = &mend};
  hid_t access = H5I_INVALID_HID;
  *out = H5I_INVALID_HID;
  ph_status status = ph_file_regular(&ticket.fd, path);
  if (!status)
    status = mend_of(&mend, ticket.fd, path, cut);
  ph_h5_enter();
  if (!status)
    status = ph_h5_access(&access, &ticket);
  if (!status && (*out = H5Fopen(path, H5F_ACC_RDONLY, access)) < 0) {
    status = ph_h5_error(PH_EFORMAT, H5I_INVALID_HID, "");
    status = ph_fail_in(status, "%s: nothing of it can be found", path);
  }
  ph_h5_close(access);
  ph_h5_leave();
  if (ticket.fd >= 0)
    close(ticket.fd);
  return status;
}

/* --- members --- */

struct members {
  ph_h5_member *at;
  size_t n, room;
};

static ph_h5_kind kind_at(hid_t group, const char *name) {
  H5O_info_t info;
#if H5_VERSION_GE(1, 12, 0)
  bool known = H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0;
#else
  bool known = H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0;
#endif
  if (!known)
    ph_h5_error(PH_EFORMAT, group, name);
  return !known                          ? PH_H5_BROKEN
         : info.type == H5O_TYPE_GROUP   ? PH_H5_GROUP
         : info.type == H5O_TYPE_DATASET ? PH_H5_DATASET
                                         : PH_H5_OTHER;
}

static uint64_t address_of(hid_t group, const char *name) {
  H5L_info_t link;
  haddr_t address = HADDR_UNDEF;
  if (H5Lget_info(group, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
    return UINT64_MAX;
#if H5_VERSION_GE(1, 12, 0)
  if (H5VLnative_token_to_addr(group, link.u.token, &address) < 0)
    return UINT64_MAX;
#else
  address = link.u.address;
#endif
  return address == HADDR_UNDEF ? UINT64_MAX : address;
}

static herr_t add_member(hid_t group, const char *name, const H5L_info_t *link, void *arg) {
  struct members *list = arg;
  if (list->n == list->room) {
    size_t room = list->room ? list->room * 2 : 16;
    ph_h5_member *more = realloc(list->at, room * sizeof *more);
    if (!more)
      return 1;
    list->at = more;
    list->room = room;
  }
  ph_h5_member *m = &list->at[list->n];
  *m = (ph_h5_member){.name = strdup(name), .kind = PH_H5_LINK, .address = UINT64_MAX};
  if (!m->name)
    return 1;
  list->n++;
  ph_status status;
  const char *fault = ph_h5_link_fault(group, name, &status);
  snprintf(m->why, sizeof m->why, "%s", fault ? fault : "");
  if (link->type != H5L_TYPE_HARD)
    return 0;
  m->address = address_of(group, name);
  m->kind = fault ? PH_H5_BROKEN : kind_at(group, name);
  if (m->kind == PH_H5_BROKEN && !fault)
    snprintf(m->why, sizeof m->why, "%s", ph_error());
  return 0;
}

static int by_name(const void *a, const void *b) {
  return ph_natural_compare(((const ph_h5_member *)a)->name, ((const ph_h5_member *)b)->name);
}

ph_status ph_h5_members(ph_h5_member **out, size_t *n, bool *whole, hid_t group) {
  struct members list = {0};
  hsize_t at = 0;
  ph_h5_enter();
  /* In the order in which they lie: a list that breaks off gives those before. */
  herr_t result = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, add_member, &list);
  H5Eclear2(H5E_DEFAULT);
  ph_h5_leave();
  *out = list.at;
  *n = list.n;
  *whole = result >= 0;
  if (list.n > 1)
    qsort(list.at, list.n, sizeof *list.at, by_name);
  return result > 0 ? ph_fail(PH_ENOMEM, "HDF5: out of memory") : PH_OK;
}

void ph_h5_members_free(ph_h5_member *members, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(members[i].name);
  free(members);
}

bool ph_h5_is_group(hid_t object) {
  ph_h5_enter();
  bool yes = H5Iget_type(object) == H5I_GROUP;
  ph_h5_leave();
  return yes;
}

ph_status ph_h5_at(hid_t *out, hid_t file, uint64_t address) {
  *out = H5I_INVALID_HID;
  ph_h5_enter();
  const char *fault = ph_h5_check_header(file, address);
  ph_status status = fault ? ph_h5_refuse(PH_EFORMAT, file, "", fault) : PH_OK;
  if (!status) {
#if H5_VERSION_GE(1, 12, 0)
    H5O_token_t token;
    if (H5VLnative_addr_to_token(file, address, &token) >= 0)
      *out = H5Oopen_by_token(file, token);
#else
    *out = H5Oopen_by_addr(file, address);
#endif
    if (*out < 0)
      status = ph_h5_error(PH_EFORMAT, file, "");
  }
  ph_h5_leave();
  return status;
}
