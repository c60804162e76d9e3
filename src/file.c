#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

int ph_file_limit(uint64_t end) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                 end > limit.rlim_cur
             ? EFBIG
             : 0;
}

int ph_file_write(int fd, uint64_t at, const void *data, size_t size) {
  const char *from = data;
  int error = ph_file_limit(at + size);
  while (!error && size > 0) {
    ssize_t n = pwrite(fd, from, size, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : ENOSPC;
    from += n;
    at += (uint64_t)n;
    size -= (size_t)n;
  }
  return error;
}

int ph_file_whole(void **out, size_t *size, int fd, size_t limit) {
  struct stat st;
  *out = NULL;
  *size = 0;
  if (fstat(fd, &st) != 0)
    return errno;
  if (!S_ISREG(st.st_mode))
    return ENOTSUP;
  if ((uint64_t)st.st_size > limit)
    return EFBIG;
  size_t room = (size_t)st.st_size, got = 0;
  char *bytes = malloc(room + 1);
  if (!bytes)
    return ENOMEM;
  while (got < room) {
    ssize_t n = pread(fd, bytes + got, room - got, (off_t)got);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      int error = errno;
      free(bytes);
      return error;
    }
    if (n == 0)
      break;
    got += (size_t)n;
  }
  bytes[got] = 0;
  *out = bytes;
  *size = got;
  return 0;
}

int ph_file_rename_new(const char *from, const char *to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
  /* File systems without the flag get a link instead. */
  if (link(from, to) != 0)
    return errno;
  unlink(from);
  return 0;
}

static int open_regular(const char *path, struct stat *st) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode))
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

bool ph_file_same(const char *a, const char *b) {
  enum { BLOCK = 1 << 16 };
  struct stat of[2];
  int fd[2] = {open_regular(a, &of[0]), open_regular(b, &of[1])};
  char *bytes = malloc(2 * BLOCK);
  bool same = bytes && fd[0] >= 0 && fd[1] >= 0 && of[0].st_size == of[1].st_size;
  for (off_t at = 0; same && at < of[0].st_size; at += BLOCK) {
    ssize_t want = of[0].st_size - at < BLOCK ? (ssize_t)(of[0].st_size - at) : BLOCK;
    same = pread(fd[0], bytes, BLOCK, at) == want && pread(fd[1], bytes + BLOCK, BLOCK, at) == want;
    same = same && memcmp(bytes, bytes + BLOCK, (size_t)want) == 0;
  }
  free(bytes);
  for (int i = 0; i < 2; i++)
    if (fd[i] >= 0)
      close(fd[i]);
  return same;
}

int ph_file_sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  int error = fd < 0 || (fsync(fd) != 0 && errno != EINVAL) ? errno : 0;
  if (fd >= 0)
    close(fd);
  free(folder);
  return error;
}

char *ph_file_temporary(const char *path, int n) {
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  char *name = NULL;
  if (asprintf(&name, "%.*s.%s.%ld-%d.part", folder, path, path + folder, (long)getpid(), n) < 0)
    return NULL;
  return name;
}

/* A descriptor, or -1 and errno: EEXIST where somebody has the name. */
static int make_file(const char *name) {
  return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int make_folder(const char *name) {
  return mkdir(name, 0777);
}

static ph_status create_hidden(char **name, int *made, int make(const char *), const char *path) {
  enum { NAMES = 1000 };
  *name = NULL;
  *made = -1;
  errno = EEXIST;
  for (int n = 0; *made < 0 && errno == EEXIST && n < NAMES; n++) {
    free(*name);
    *name = ph_file_temporary(path, n);
    if (!*name)
      return ph_fail(PH_ENOMEM, "%s: out of memory", path);
    *made = make(*name);
  }
  if (*made >= 0)
    return PH_OK;
  int error = errno;
  free(*name);
  *name = NULL;
  return ph_fail(PH_EIO, "%s: cannot be created: %s", path, strerror(error));
}

ph_status ph_file_create_hidden(char **name, int *fd, const char *path) {
  return create_hidden(name, fd, make_file, path);
}

ph_status ph_folder_create_hidden(char **name, const char *path) {
  int made;
  return create_hidden(name, &made, make_folder, path);
}

/* --- new files --- */

static ph_status exists(const char *path) {
  return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", path);
}

ph_status ph_new_file_create(ph_new_file *out, const char *path) {
  struct stat st;
  *out = PH_NEW_FILE_NONE;
  if (lstat(path, &st) == 0)
    return exists(path);
  ph_status status = ph_file_create_hidden(&out->temporary, &out->fd, path);
  if (status || (out->final = strdup(path)))
    return status;
  ph_new_file_drop(out);
  return ph_fail(PH_ENOMEM, "%s: out of memory", path);
}

ph_status ph_new_file_publish(ph_new_file *file) {
  int error = fsync(file->fd) != 0 ? errno : 0;
  if (close(file->fd) != 0 && !error)
    error = errno;
  file->fd = -1;
  if (error)
    return ph_fail(PH_EIO, "%s: cannot be written: %s", file->final, strerror(error));
  error = ph_file_rename_new(file->temporary, file->final);
  if (error == EEXIST)
    return exists(file->final);
  if (error)
    return ph_fail(PH_EIO, "%s: cannot be put into place: %s", file->final, strerror(error));
  free(file->temporary);
  file->temporary = NULL;
  ph_file_sync_folder(file->final);
  return PH_OK;
}

void ph_new_file_drop(ph_new_file *file) {
  if (file->fd >= 0)
    close(file->fd);
  if (file->temporary)
    unlink(file->temporary);
  free(file->temporary);
  free(file->final);
  *file = PH_NEW_FILE_NONE;
}

/* --- folders --- */

ph_status ph_folder_create(const char *path, bool *made) {
  char *part = strdup(path);
  *made = false;
  if (!part || !*part) {
    free(part);
    return ph_fail(PH_EINVAL, "folder: no name");
  }
  int error = 0;
  for (size_t i = 1, n = strlen(path); i <= n; i++) {
    if (path[i] != '/' && path[i] != 0)
      continue;
    part[i] = 0;
    *made = mkdir(part, 0777) == 0;
    error = *made ? 0 : errno;
    part[i] = path[i];
    if (error && error != EEXIST && path[i] == 0)
      break;
  }
  struct stat st;
  if (error == EEXIST)
    error = stat(path, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
  free(part);
  return error ? ph_fail(PH_EIO, "%s: cannot be created: %s", path, strerror(error)) : PH_OK;
}
