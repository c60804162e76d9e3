/* Files that appear whole or not at all. */
#include "sink_h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

static ph_status sync_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  int error = fd < 0 || (fsync(fd) != 0 && errno != EINVAL) ? errno : 0;
  if (fd >= 0)
    close(fd);
  free(folder);
  return error ? ph_fail(PH_EIO, "%s: its folder cannot be synced: %s", path, strerror(error))
               : PH_OK;
}

/* ".name.<pid>-<n>.part" in the same folder. */
static char *temporary_name(const char *path, int n) {
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  char *name = NULL;
  if (asprintf(&name, "%.*s.%s.%ld-%d.part", folder, path, path + folder, (long)getpid(), n) < 0)
    return NULL;
  return name;
}

ph_status ph_part_create(ph_part *part, const char *path) {
  struct stat st;
  *part = (ph_part){.h5 = H5I_INVALID_HID, .final = strdup(path)};
  if (lstat(path, &st) == 0) {
    ph_part_drop(part);
    return ph_fail(PH_EEXIST, "%s: it exists already and is left as it is", path);
  }
  ph_status status = part->final ? PH_EEXIST : ph_fail(PH_ENOMEM, "%s: out of memory", path);
  for (int n = 0; status == PH_EEXIST && n < 100; n++) {
    free(part->temporary);
    part->temporary = temporary_name(path, n);
    status = part->temporary ? ph_h5_create(&part->h5, part->temporary)
                             : ph_fail(PH_ENOMEM, "%s: out of memory", path);
  }
  if (status) { /* whatever has that name is not ours */
    free(part->temporary);
    part->temporary = NULL;
    ph_part_drop(part);
  }
  return status;
}

ph_status ph_part_finish(ph_part *part) {
  hid_t h5 = part->h5;
  part->h5 = H5I_INVALID_HID;
  return ph_h5_finish(h5, part->final);
}

/* 0, or an errno. Never replaces; file systems without the flag get a link instead. */
static int rename_new(const char *from, const char *to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
  if (link(from, to) != 0)
    return errno;
  unlink(from);
  return 0;
}

ph_status ph_part_publish(ph_part *part) {
  int error = rename_new(part->temporary, part->final);
  if (error)
    return ph_fail(error == EEXIST ? PH_EEXIST : PH_EIO, "%s: cannot be put into place: %s",
                   part->final, strerror(error));
  free(part->temporary);
  part->temporary = NULL;
  ph_status status = sync_folder_of(part->final);
  if (status)
    unlink(part->final);
  return status;
}

void ph_part_drop(ph_part *part) {
  ph_h5_close(part->h5);
  if (part->temporary)
    unlink(part->temporary);
  free(part->temporary);
  free(part->final);
  *part = (ph_part){.h5 = H5I_INVALID_HID};
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
