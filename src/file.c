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
