/* A model as files that another program can load: its text and its assets in one folder. Its owner
 * holds a lock on the folder: a folder without one is of a process that was killed, and is taken
 * away by the next that looks. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file.h"
#include "model.h"
#include "predicate_parts.h"

static const char text_name[] = "model.xml";
static const char folder_name[] = "playhead-model-";
enum { RANDOM = 6, TRIES = 100 };

/* 0 or an errno. */
static int write_one(const char *folder, const char *name, const void *data, size_t size) {
  char path[4200];
  if (strchr(name, '/') ||
      (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
    return EINVAL;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return errno;
  int error = ph_file_write(fd, 0, data, size);
  if (close(fd) != 0 && !error)
    error = errno;
  return error;
}

static ph_status write_all(ph_model_files *files, const ph_source *source) {
  int error = write_one(files->folder, text_name, source->xml, source->xml_size);
  for (size_t i = 0; i < source->nassets && !error; i++)
    error = write_one(files->folder, source->assets[i].name, source->assets[i].data,
                      source->assets[i].size);
  if (error)
    return ph_fail(PH_EIO, "%s: the model cannot be written there: %s", files->folder,
                   strerror(error));
  snprintf(files->path, sizeof files->path, "%s/%s", files->folder, text_name);
  return PH_OK;
}

/* --- the folder --- */

static const char *temporary(void) {
  const char *tmp = getenv("TMPDIR");
  return tmp && *tmp == '/' ? tmp : "/tmp";
}

/* Whether the name is that folder still. */
static bool is_there(int at, const char *name, int fd) {
  struct stat here, there;
  return fstat(fd, &here) == 0 && fstatat(at, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* A folder of a process that is gone, with its lock; -1: it is none, or somebody has it. */
static int lock_left(int at, const char *name) {
  struct stat st;
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return -1;
  if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700 &&
      flock(fd, LOCK_EX | LOCK_NB) == 0 && is_there(at, name, fd))
    return fd;
  close(fd);
  return -1;
}

/* Where the file system has no locks for folders there are none for others either, who leave it
 * alone then. -1: another process has swept it away, or an error. */
static int lock_own(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return -1;
  bool swept = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!swept && is_there(AT_FDCWD, path, fd))
    return fd;
  errno = ENOENT;
  close(fd);
  return -1;
}

/* What is no folder in it, then the folder, under its lock. */
static void take_away(int lock, int at, const char *name) {
  int fd = openat(lock, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (!folder && fd >= 0)
    close(fd);
  for (struct dirent *e; folder && (e = readdir(folder));)
    unlinkat(dirfd(folder), e->d_name, 0);
  if (folder)
    closedir(folder);
  unlinkat(at, name, AT_REMOVEDIR);
}

/* As make_folder names it: the owner's number and what mkdtemp put there. */
static bool is_name(const char *name) {
  size_t n = sizeof folder_name - 1, digits = 0;
  if (strncmp(name, folder_name, n) != 0)
    return false;
  while (isdigit((unsigned char)name[n + digits]))
    digits++;
  n += digits;
  if (digits == 0 || name[n] != '-' || strlen(name + n + 1) != RANDOM)
    return false;
  for (name += n + 1; *name; name++)
    if (!isalnum((unsigned char)*name))
      return false;
  return true;
}

void ph_model_files_sweep(void) {
  DIR *tmp = opendir(temporary());
  for (struct dirent *e; tmp && (e = readdir(tmp));) {
    int lock = is_name(e->d_name) ? lock_left(dirfd(tmp), e->d_name) : -1;
    if (lock < 0)
      continue;
    take_away(lock, dirfd(tmp), e->d_name);
    close(lock);
  }
  if (tmp)
    closedir(tmp);
}

/* One that another process swept away before it had its lock is made anew. */
static ph_status make_folder(ph_model_files *files) {
  char path[4000];
  int lock = -1, error = ENOENT;
  for (int i = 0; i < TRIES && error == ENOENT; i++) {
    int n =
        snprintf(path, sizeof path, "%s/%s%ld-XXXXXX", temporary(), folder_name, (long)getpid());
    bool made = n < (int)sizeof path && mkdtemp(path);
    if (!made)
      return ph_fail(PH_EIO, "%s: no temporary folder for the model: %s", path,
                     strerror(n < (int)sizeof path ? errno : ENAMETOOLONG));
    lock = lock_own(path);
    error = lock < 0 ? errno : 0;
    if (error)
      rmdir(path);
  }
  if (error)
    return ph_fail(PH_EIO, "%s: the model's folder: %s", path, strerror(error));
  files->folder = strdup(path);
  files->lock = lock;
  if (files->folder)
    return PH_OK;
  rmdir(path);
  close(lock);
  return ph_fail(PH_ENOMEM, "predicate: out of memory");
}

void ph_model_files_remove(ph_model_files *files) {
  if (files->folder) {
    take_away(files->lock, AT_FDCWD, files->folder);
    close(files->lock);
  }
  free(files->folder);
  *files = (ph_model_files){0};
}

ph_status ph_model_files_make(ph_model_files *files, const ph_model *model) {
  const char *sha256 = model ? ph_model_sha256(model) : "";
  if (strcmp(files->sha256, sha256) == 0)
    return PH_OK;
  ph_model_files_remove(files);
  if (!model || !model->source || !model->source->xml || model->source->xml_size == 0)
    return PH_OK;
  ph_status status = make_folder(files);
  if (status == PH_OK)
    status = write_all(files, model->source);
  if (status == PH_OK)
    snprintf(files->sha256, sizeof files->sha256, "%s", sha256);
  else
    ph_model_files_remove(files);
  return status;
}
