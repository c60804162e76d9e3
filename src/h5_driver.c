/* The file driver of both directions. Reading locks nothing. Writing absorbs errors: HDF5 cannot
 * close a file on a full disk (H5Fclose fails, the file stays open inside the library, which then
 * crashes at exit), so the driver keeps the first errno, answers "ok", and from then on keeps what
 * would have been written in memory, because the library may read it back before it closes. */
#include "h5_door.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#else
#include <H5FDpublic.h>
#endif

#include "file.h"
#include "h5_damaged.h"

#define KEPT_LIMIT ((size_t)64 << 20)
#define METADATA_KEPT ((size_t)1 << 20)
#define SOUND_KEPT 1024 /* headers */

struct lost {
  struct lost *next; /* older */
  haddr_t addr;
  size_t size;
  unsigned char data[];
};

struct file {
  H5FD_t pub;
  int fd;
  bool writable;
  haddr_t eoa, eof;
  int error;                  /* first errno of a write */
  struct lost *lost;          /* newest first */
  size_t kept;                /* bytes in lost */
  int *report;                /* Nullable: where close leaves the errno */
  ph_h5_window *window;       /* owned; NULL: writable */
  ph_h5_mend mend;            /* of a damaged file that is read; size 0: none */
  ph_h5_patch *patches;       /* owned; of such a file */
  uint64_t sound[SOUND_KEPT]; /* 1 + address of headers that were found without fault */
};

static herr_t push(const char *why, int number) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR, "%s",
           number ? strerror(number) : why);
  return -1;
}

static H5FD_t *file_open(const char *name, unsigned flags, hid_t access, haddr_t maxaddr) {
  (void)name, (void)flags, (void)maxaddr;
  ph_h5_ticket *const *info = H5Pget_driver_info(access);
  struct file *file = info ? calloc(1, sizeof *file) : NULL;
  if (!file)
    return NULL;
  if (!(*info)->writable && !(file->window = calloc(1, sizeof *file->window))) {
    free(file);
    return NULL;
  }
  off_t end = lseek((*info)->fd, 0, SEEK_END);
  file->fd = (*info)->fd;
  file->writable = (*info)->writable;
  file->eof = end < 0 ? 0 : (haddr_t)end;
  if (file->window)
    file->window->fd = file->fd;
  if ((*info)->mend) {
    file->mend = *(*info)->mend;
    file->eof = file->mend.end;
    file->patches = ph_h5_mend_header(file->fd, file->mend.base, file->mend.end, file->mend.root);
  }
  (*info)->fd = -1;
  return &file->pub;
}

static herr_t file_close(H5FD_t *pub) {
  struct file *file = (struct file *)pub;
  if (file->report && !file->error && fsync(file->fd) != 0)
    file->error = errno;
  if (close(file->fd) != 0 && file->writable && !file->error)
    file->error = errno;
  if (file->report)
    *file->report = file->error;
  while (file->lost) {
    struct lost *next = file->lost->next;
    free(file->lost);
    file->lost = next;
  }
  ph_h5_patch_free(file->patches);
  free(file->window);
  free(file);
  return 0;
}

static herr_t file_query(const H5FD_t *pub, unsigned long *flags) {
  (void)pub;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

static haddr_t file_get_eoa(const H5FD_t *pub, H5FD_mem_t type) {
  (void)type;
  return ((const struct file *)pub)->eoa;
}

static herr_t file_set_eoa(H5FD_t *pub, H5FD_mem_t type, haddr_t eoa) {
  (void)type;
  ((struct file *)pub)->eoa = eoa;
  return 0;
}

static haddr_t file_get_eof(const H5FD_t *pub, H5FD_mem_t type) {
  (void)type;
  return ((const struct file *)pub)->eof;
}

static herr_t file_get_handle(H5FD_t *pub, hid_t access, void **handle) {
  (void)access;
  *handle = pub;
  return 0;
}

/* Lays what was lost over what was read, oldest first. */
static void overlay(const struct lost *lost, haddr_t addr, size_t size, unsigned char *out) {
  if (!lost)
    return;
  overlay(lost->next, addr, size, out);
  haddr_t from = lost->addr > addr ? lost->addr : addr;
  haddr_t to = lost->addr + lost->size < addr + size ? lost->addr + lost->size : addr + size;
  if (from < to)
    memcpy(out + (from - addr), lost->data + (from - lost->addr), to - from);
}

static void mend(const ph_h5_mend *by, haddr_t addr, size_t size, unsigned char *out) {
  haddr_t from = by->at > addr ? by->at : addr;
  haddr_t to = by->at + by->size < addr + size ? by->at + by->size : addr + size;
  if (from < to)
    memcpy(out + (from - addr), by->bytes + (from - by->at), to - from);
}

static herr_t file_read(H5FD_t *pub, H5FD_mem_t type, hid_t transfer, haddr_t addr, size_t size,
                        void *buffer) {
  (void)transfer;
  struct file *file = (struct file *)pub;
  size_t done = file->window && type != H5FD_MEM_DRAW
                    ? ph_h5_window_read(file->window, addr, buffer, size)
                    : ph_h5_read_at(file->fd, addr, buffer, size);
  if (done < size && errno)
    return push(NULL, errno);
  if (done < size && !file->writable && type == H5FD_MEM_DRAW)
    return push("the file ends before its data does", 0);
  memset((char *)buffer + done, 0, size - done);
  mend(&file->mend, addr, size, buffer);
  ph_h5_patch_lay(file->patches, addr, size, buffer);
  overlay(file->lost, addr, size, buffer);
  return 0;
}

static void keep(struct file *file, haddr_t addr, size_t size, const void *data) {
  struct lost *lost = size <= KEPT_LIMIT - file->kept ? malloc(sizeof *lost + size) : NULL;
  if (!lost)
    return;
  *lost = (struct lost){.next = file->lost, .addr = addr, .size = size};
  memcpy(lost->data, data, size);
  file->lost = lost;
  file->kept += size;
}

static herr_t file_write(H5FD_t *pub, H5FD_mem_t type, hid_t transfer, haddr_t addr, size_t size,
                         const void *data) {
  (void)type, (void)transfer;
  struct file *file = (struct file *)pub;
  if (!file->error)
    file->error = ph_file_write(file->fd, addr, data, size);
  if (file->error)
    keep(file, addr, size, data);
  if (addr + size > file->eof)
    file->eof = addr + size;
  return 0;
}

static herr_t file_truncate(H5FD_t *pub, hid_t transfer, hbool_t closing) {
  (void)transfer, (void)closing;
  struct file *file = (struct file *)pub;
  if (!file->writable || file->eoa == file->eof)
    return 0;
  if (!file->error)
    file->error = ph_file_limit(file->eoa);
  if (!file->error && ftruncate(file->fd, (off_t)file->eoa) != 0)
    file->error = errno;
  file->eof = file->eoa;
  return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600,
#endif
    .name = "playhead",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_SEMI,
    .fapl_size = sizeof(ph_h5_ticket *),
    .open = file_open,
    .close = file_close,
    .query = file_query,
    .get_eoa = file_get_eoa,
    .set_eoa = file_set_eoa,
    .get_eof = file_get_eof,
    .get_handle = file_get_handle,
    .read = file_read,
    .write = file_write,
    .truncate = file_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Whenever a dataset is closed the library (1.10) walks all metadata that it keeps, so that writing
 * or looking at n groups would take n^2: it keeps little. That a closed object's part goes at once
 * (evict_on_close) is such a walk too. */
static bool keep_little(hid_t access) {
  H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  if (H5Pget_mdc_config(access, &config) < 0)
    return false;
  config.set_initial_size = 1;
  config.initial_size = config.min_size = config.max_size = METADATA_KEPT;
  return H5Pset_mdc_config(access, &config) >= 0;
}

ph_status ph_h5_access(hid_t *out, ph_h5_ticket *ticket) {
  static hid_t id = H5I_INVALID_HID; /* under the door's lock, until the library ends */
  if (H5Iis_valid(id) <= 0)
    id = H5FDregister(&driver);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  bool ok = access >= 0 && H5Pset_driver(access, id, &ticket) >= 0 &&
            H5Pset_fclose_degree(access, H5F_CLOSE_SEMI) >= 0 && keep_little(access);
  if (ok && ticket->writable)
    ok = H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0;
  if (ok) {
    *out = access;
    return PH_OK;
  }
  ph_status status = ph_h5_error(PH_EIO, access, "file driver");
  ph_h5_close(access);
  return status;
}

static struct file *file_of(hid_t id) {
  void *handle = NULL;
  return H5Fget_vfd_handle(id, H5P_DEFAULT, &handle) < 0 ? NULL : handle;
}

int ph_h5_file_bytes(hid_t id, uint64_t *base) {
  hid_t owner = H5Iget_file_id(id);
  const struct file *file = owner < 0 ? NULL : file_of(owner);
  int fd = file && !file->writable ? file->fd : -1;
  *base = file && file->pub.base_addr != HADDR_UNDEF ? file->pub.base_addr : 0;
  ph_h5_close(owner);
  return fd;
}

/* Whether the header can be read without what is lost of it. */
static bool mend_object(struct file *file, uint64_t base, uint64_t address) {
  if (ph_h5_patch_has(file->patches, address))
    return true;
  ph_h5_patch *more = ph_h5_mend_header(file->fd, base, file->eof, address), *last = more;
  while (last && last->next)
    last = last->next;
  if (!last)
    return false;
  last->next = file->patches;
  file->patches = more;
  return true;
}

bool ph_h5_is_mended(hid_t id, uint64_t address) {
  ph_h5_enter();
  hid_t owner = H5Iget_file_id(id);
  const struct file *file = owner < 0 ? NULL : file_of(owner);
  bool mended = file && ph_h5_patch_has(file->patches, address);
  ph_h5_close(owner);
  ph_h5_leave();
  return mended;
}

const char *ph_h5_check_header(hid_t id, uint64_t address) {
  hid_t owner = H5Iget_file_id(id);
  struct file *file = owner < 0 ? NULL : file_of(owner);
  const char *fault = NULL;
  if (file && !file->writable) {
    uint64_t base = file->pub.base_addr != HADDR_UNDEF ? file->pub.base_addr : 0;
    uint64_t *sound = &file->sound[address / 8 % SOUND_KEPT];
    if (*sound != address + 1)
      fault = ph_h5_window_fault(file->window, file->eof, base, address);
    if (fault && file->mend.size > 0 && mend_object(file, base, address))
      fault = NULL;
    if (!fault)
      *sound = address + 1;
  }
  ph_h5_close(owner);
  return fault;
}

uint64_t ph_h5_file_end(hid_t id) {
  hid_t owner = H5Iget_file_id(id);
  const struct file *file = owner < 0 ? NULL : file_of(owner);
  uint64_t end = file ? file->eof : 0;
  ph_h5_close(owner);
  return end;
}

int ph_h5_file_errno(hid_t id) {
  const struct file *file = file_of(id);
  return file ? file->error : 0;
}

ph_status ph_h5_file_report(hid_t id, int *report) {
  struct file *file = file_of(id);
  if (!file)
    return ph_h5_error(PH_EIO, id, "not an open file");
  file->report = report;
  return PH_OK;
}

int ph_h5_fd(hid_t id) {
  ph_h5_enter();
  const struct file *file = H5Iget_type(id) == H5I_FILE ? file_of(id) : NULL;
  int fd = file ? file->fd : -1;
  ph_h5_leave();
  return fd;
}
