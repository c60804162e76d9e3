/* An archive that appears whole or not at all. libzip writes through a source of our own, so that
 * every byte goes by way of ph_file_write and the first errno is kept. */
#include "npz_door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "npy.h"

typedef struct ph_npz_target {
  int fd; /* borrowed */
  uint64_t at, size;
  int failed; /* the first errno */
  zip_error_t error;
} target;

/* --- the source --- */

static zip_int64_t target_write(target *t, const void *data, zip_uint64_t size) {
  int error = ph_file_write(t->fd, t->at, data, size);
  if (error) {
    t->failed = t->failed ? t->failed : error;
    zip_error_set(&t->error, ZIP_ER_WRITE, error);
    return -1;
  }
  t->at += size;
  t->size = t->at > t->size ? t->at : t->size;
  return (zip_int64_t)size;
}

static zip_int64_t target_seek(target *t, void *data, zip_uint64_t size) {
  zip_int64_t at = zip_source_seek_compute_offset(t->at, t->size, data, size, &t->error);
  if (at >= 0)
    t->at = (uint64_t)at;
  return at < 0 ? -1 : 0;
}

/* There is nothing to read: the archive is new. */
static zip_int64_t target_stat(void *data, zip_uint64_t size) {
  if (size < sizeof(zip_stat_t))
    return -1;
  zip_stat_init(data);
  return sizeof(zip_stat_t);
}

static zip_int64_t target_call(void *arg, void *data, zip_uint64_t size, zip_source_cmd_t cmd) {
  target *t = arg;
  switch (cmd) {
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(
        ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
        ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
        ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE,
        ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, ZIP_SOURCE_SUPPORTS, -1);
  case ZIP_SOURCE_STAT:
    return target_stat(data, size);
  case ZIP_SOURCE_WRITE:
    return target_write(t, data, size);
  case ZIP_SOURCE_SEEK_WRITE:
    return target_seek(t, data, size);
  case ZIP_SOURCE_TELL_WRITE:
    return (zip_int64_t)t->at;
  case ZIP_SOURCE_ERROR:
    return zip_error_to_data(&t->error, data, size);
  case ZIP_SOURCE_FREE:
    zip_error_fini(&t->error);
    free(t);
    return 0;
  default:
    return 0;
  }
}

/* --- a new archive --- */

static ph_status create_zip(ph_npz_writer *npz) {
  zip_error_t error;
  zip_source_t *source = NULL;
  zip_error_init(&error);
  target *t = calloc(1, sizeof *t);
  if (t) {
    t->fd = npz->file.fd;
    zip_error_init(&t->error);
    source = zip_source_function_create(target_call, t, &error);
  }
  if (source)
    npz->zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (npz->zip)
    npz->target = t;
  else if (source)
    zip_source_free(source);
  else
    free(t);
  zip_error_fini(&error);
  return npz->zip ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", npz->file.final);
}

ph_status ph_npz_create(ph_npz_writer **out, const char *path) {
  *out = NULL;
  ph_npz_writer *npz = calloc(1, sizeof *npz);
  if (!npz)
    return ph_fail(PH_ENOMEM, "%s: out of memory", path);
  ph_status status = ph_new_file_create(&npz->file, path);
  if (status == PH_OK)
    status = create_zip(npz);
  if (status)
    ph_npz_drop(npz);
  else
    *out = npz;
  return status;
}

void ph_npz_drop(ph_npz_writer *npz) {
  if (!npz)
    return;
  if (npz->zip)
    zip_discard(npz->zip);
  ph_new_file_drop(&npz->file);
  free(npz);
}

/* --- arrays --- */

/* Bytes of all elements. */
static bool array_size(size_t *out, size_t element, int rank, const int64_t *dim) {
  *out = element;
  if (rank < 0 || rank > 4 || *out == 0)
    return false;
  for (int i = 0; i < rank; i++)
    if (dim[i] < 0 || __builtin_mul_overflow(*out, (size_t)dim[i], out))
      return false;
  return *out <= SIZE_MAX / 2;
}

static ph_status not_added(const ph_npz_writer *npz, const char *file) {
  const zip_error_t *error = zip_get_error(npz->zip);
  char name[sizeof((ph_npy *)0)->name];
  snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(".npy")), file);
  switch (zip_error_code_zip(error)) {
  case ZIP_ER_EXISTS:
    return ph_fail(PH_EINVAL, "%s: %s: there is an array of that name already", npz->file.final,
                   name);
  case ZIP_ER_INVAL:
    return ph_fail(PH_EINVAL, "%s: %s: that cannot be the name of an array", npz->file.final, name);
  default:
    return ph_fail(PH_ENOMEM, "%s: %s: out of memory", npz->file.final, name);
  }
}

ph_status ph_npz_put(ph_npz_writer *npz, const char *name, zip_flags_t encoding,
                     zip_source_t *source, zip_int32_t method) {
  zip_int64_t place = zip_file_add(npz->zip, name, source, encoding);
  if (place < 0) {
    zip_source_free(source);
    return not_added(npz, name);
  }
  /* The date of NumPy's own archives: the same arrays give the same bytes. */
  if (zip_set_file_compression(npz->zip, (zip_uint64_t)place, method, 0) != 0 ||
      zip_file_set_dostime(npz->zip, (zip_uint64_t)place, 0, 1 << 5 | 1, 0) != 0)
    return not_added(npz, name);
  npz->n++;
  return PH_OK;
}

/* Puts a member in, which owns bytes from then on, also on failure. */
static ph_status put_member(ph_npz_writer *npz, const char *name, void *bytes, size_t size) {
  char file[sizeof((ph_npy *)0)->name + 8];
  zip_error_t error;
  zip_error_init(&error);
  snprintf(file, sizeof file, "%s.npy", name);
  zip_source_t *source = zip_source_buffer_create(bytes, size, 1, &error);
  zip_error_fini(&error);
  if (!source) {
    free(bytes);
    return ph_fail(PH_ENOMEM, "%s: %s: out of memory", npz->file.final, name);
  }
  return ph_npz_put(npz, file, ZIP_FL_ENC_UTF_8, source, ZIP_CM_STORE);
}

static ph_status add(ph_npz_writer *npz, const char *name, const char *descr, ph_type type,
                     size_t element, int rank, const int64_t *dim, const void *data) {
  unsigned char head[PH_NPY_HEAD];
  size_t bytes = 0;
  if (!*name || strlen(name) >= sizeof((ph_npy *)0)->name)
    return ph_fail(PH_EINVAL, "%s: %.80s: a name has 1 to %zu bytes", npz->file.final, name,
                   sizeof((ph_npy *)0)->name - 1);
  if (!array_size(&bytes, element, rank, dim))
    return ph_fail(PH_EINVAL, "%s: %s: that is no shape of an array", npz->file.final, name);
  size_t n = descr ? ph_npy_head_of(head, descr, rank, dim) : ph_npy_head(head, type, rank, dim);
  char *all = malloc(n + bytes);
  if (!all)
    return ph_fail(PH_ENOMEM, "%s: %s: out of memory", npz->file.final, name);
  memcpy(all, head, n);
  if (bytes > 0)
    memcpy(all + n, data, bytes);
  return put_member(npz, name, all, n + bytes); /* NOLINT(clang-analyzer-unix.Malloc): owns it */
}

ph_status ph_npz_add(ph_npz_writer *npz, const char *name, ph_type type, int rank,
                     const int64_t *dim, const void *data) {
  return add(npz, name, NULL, type, ph_type_size(type), rank, dim, data);
}

ph_status ph_npz_add_as(ph_npz_writer *npz, const char *name, const char *descr, size_t element,
                        int rank, const int64_t *dim, const void *data) {
  return add(npz, name, descr, PH_F64, element, rank, dim, data);
}

/* --- putting it into place --- */

static ph_status write_archive(ph_npz_writer *npz) {
  if (npz->n == 0)
    return ph_fail(PH_EINVAL, "%s: there is no array to write", npz->file.final);
  if (zip_close(npz->zip) == 0) {
    npz->zip = NULL;
    return PH_OK;
  }
  int error = npz->target->failed;
  if (npz->fault)
    return npz->fault;
  if (error)
    return ph_fail(PH_EIO, "%s: cannot be written: %s", npz->file.final, strerror(error));
  return ph_fail(PH_EIO, "%s: cannot be written: %s", npz->file.final, zip_strerror(npz->zip));
}

ph_status ph_npz_finish(ph_npz_writer *npz) {
  ph_status status = write_archive(npz);
  if (status == PH_OK)
    status = ph_new_file_publish(&npz->file);
  ph_npz_drop(npz);
  return status;
}
