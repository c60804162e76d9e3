#include "h5_door.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "sniff.h"

/* --- inside and outside --- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

/* All under the lock. */
static int depth;
static struct {
  locale_t locale;
  H5E_auto2_t print;
  void *print_data;
  bool has_print;
  unsigned plugins;
} host;

static void start(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void ph_h5_enter(void) {
  pthread_once(&once, start);
  pthread_mutex_lock(&lock);
  if (depth++ > 0)
    return;
  host.locale = uselocale(c_locale);
  host.has_print = H5Eget_auto2(H5E_DEFAULT, &host.print, &host.print_data) >= 0;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLget_loading_state(&host.plugins);
  H5PLset_loading_state(0);
  H5Eclear2(H5E_DEFAULT);
}

void ph_h5_leave(void) {
  if (--depth == 0) {
    H5PLset_loading_state(host.plugins);
    if (host.has_print)
      H5Eset_auto2(H5E_DEFAULT, host.print, host.print_data);
    uselocale(host.locale);
  }
  pthread_mutex_unlock(&lock);
}

void ph_h5_fork_begin(void) {
  ph_h5_enter();
}

void ph_h5_fork_end(bool child) {
  static const pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  if (!child) {
    ph_h5_leave();
    return;
  }
  lock = fresh; /* it was a thread of the parent that held it */
  depth = 1;
}

/* --- error text --- */

static herr_t first_description(unsigned n, const H5E_error2_t *error, void *out) {
  (void)n;
  if (!error->desc || !error->desc[0])
    return 0;
  snprintf(out, 300, "%s", error->desc);
  return 1;
}

static void where_is(char *out, size_t size, hid_t id) {
  char file[512] = "", object[256] = "";
  if (H5Iis_valid(id) > 0 && H5Fget_name(id, file, sizeof file) >= 0)
    ph_h5_name(id, object, sizeof object);
  bool inside = object[0] && strcmp(object, "/") != 0;
  snprintf(out, size, "%s%s%s", file[0] ? file : "HDF5", inside ? ": " : "", inside ? object : "");
}

ph_status ph_h5_refuse(ph_status status, hid_t id, const char *what, const char *why) {
  char where[800];
  where_is(where, sizeof where, id);
  return ph_fail(status, "%s: %s%s%s", where, what, what[0] ? ": " : "", why);
}

static void reason(char out[300], ph_status status) {
  out[0] = 0;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_description, out);
  H5Eclear2(H5E_DEFAULT);
  if (!out[0])
    snprintf(out, 300, "%s", ph_status_message(status));
}

ph_status ph_h5_error(ph_status status, hid_t id, const char *what) {
  char why[300];
  reason(why, status);
  return ph_h5_refuse(status, id, what, why);
}

const char *ph_h5_name(hid_t id, char *buf, size_t size) {
  ph_h5_enter();
  H5I_type_t type = H5Iget_type(id);
  buf[0] = 0;
  if (type == H5I_FILE)
    snprintf(buf, size, "/");
  else if ((type == H5I_GROUP || type == H5I_DATASET) && H5Iget_name(id, buf, size) < 0)
    buf[0] = 0;
  ph_h5_leave();
  return buf;
}

/* --- files --- */

ph_status ph_h5_open(hid_t *out, const char *path) {
  *out = H5I_INVALID_HID;
  ph_h5_ticket ticket = {.fd = -1};
  ph_status status = ph_file_regular(&ticket.fd, path);
  if (status)
    return status;
  const char *fault = ph_h5_root_fault(ticket.fd);
  if (fault) {
    close(ticket.fd);
    return ph_fail(PH_EFORMAT, "%s: not a readable HDF5 file: %s", path, fault);
  }
  ph_h5_enter();
  hid_t access = H5I_INVALID_HID;
  status = ph_h5_access(&access, &ticket);
  if (!status) {
    *out = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (*out < 0) {
      char why[300];
      reason(why, PH_EFORMAT);
      status = ph_fail(PH_EFORMAT, "%s: not a readable HDF5 file: %s", path, why);
    }
  }
  ph_h5_close(access);
  ph_h5_leave();
  if (ticket.fd >= 0)
    close(ticket.fd);
  return status;
}

/* Groups and root without times, attributes in the object header: small and the same each time. */
hid_t ph_h5_creation(hid_t kind) {
  hid_t list = H5Pcreate(kind);
  if (list >= 0 &&
      (H5Pset_obj_track_times(list, 0) < 0 || H5Pset_attr_phase_change(list, 64, 48) < 0 ||
       H5Pset_link_phase_change(list, 32, 24) < 0)) {
    ph_h5_close(list);
    return H5I_INVALID_HID;
  }
  return list;
}

ph_status ph_h5_create_in(hid_t *out, int fd, const char *path) {
  ph_h5_ticket ticket = {.fd = fd, .writable = true};
  *out = H5I_INVALID_HID;
  ph_h5_enter();
  hid_t access = H5I_INVALID_HID, creation = ph_h5_creation(H5P_FILE_CREATE);
  ph_status status = ph_h5_access(&access, &ticket);
  if (!status) {
    *out = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    if (*out < 0)
      status = ph_h5_error(PH_EIO, H5I_INVALID_HID, path);
  }
  ph_h5_close(access);
  ph_h5_close(creation);
  ph_h5_leave();
  if (ticket.fd >= 0)
    close(ticket.fd);
  return status;
}

ph_status ph_h5_create(hid_t *out, const char *path) {
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  *out = H5I_INVALID_HID;
  if (fd < 0)
    return ph_fail(errno == EEXIST ? PH_EEXIST : PH_EIO, "%s: cannot be created: %s", path,
                   strerror(errno));
  ph_status status = ph_h5_create_in(out, fd, path);
  if (status)
    unlink(path);
  return status;
}

ph_status ph_h5_create_scratch(hid_t *out, const char *name) {
  int fd = memfd_create("playhead", MFD_CLOEXEC);
  *out = H5I_INVALID_HID;
  return fd < 0 ? ph_fail(PH_EIO, "%s: no file in memory: %s", name, strerror(errno))
                : ph_h5_create_in(out, fd, name);
}

ph_status ph_h5_check(hid_t file) {
  ph_h5_enter();
  int error = ph_h5_file_errno(file);
  ph_status status = error ? ph_h5_refuse(PH_EIO, file, "writing failed", strerror(error)) : PH_OK;
  ph_h5_leave();
  return status;
}

ph_status ph_h5_finish(hid_t file, const char *path) {
  int error = 0;
  ph_h5_enter();
  ph_status status = ph_h5_file_report(file, &error);
  if (!status && H5Fclose(file) < 0)
    status = ph_h5_error(PH_EIO, H5I_INVALID_HID, path);
  ph_h5_leave();
  return status || !error ? status
                          : ph_fail(PH_EIO, "%s: writing failed: %s", path, strerror(error));
}

void ph_h5_close(hid_t id) {
  if (id < 0)
    return;
  ph_h5_enter();
  if (H5Iget_type(id) == H5I_FILE)
    H5Fclose(id);
  else
    H5Idec_ref(id);
  ph_h5_leave();
}

ph_status ph_h5_hold(hid_t *file, int *fd, hid_t object) {
  uint64_t base;
  ph_h5_enter();
  *file = H5Iget_file_id(object);
  *fd = ph_h5_file_bytes(object, &base);
  ph_status status = *file < 0 ? ph_h5_error(PH_EFORMAT, object, "its file") : PH_OK;
  ph_h5_leave();
  return status;
}

size_t ph_h5_open_ids(void) {
  ph_h5_enter();
  ssize_t n = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
  ph_h5_leave();
  return n < 0 ? 0 : (size_t)n;
}
