/* Who holds a lock on a file, from the kernel's list: asking by a lock of our own could be in the
 * writer's way. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sniff.h"
#include "superblock.h"

/* A line of the kernel's list. */
typedef struct file_lock {
  char type[16];
  unsigned major, minor;
  unsigned long long inode;
  int pid;
} file_lock;

/* "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"; those that wait have "->" behind the colon.
 * Whether it is one for writing. */
static bool parse(file_lock *out, const char *line) {
  char mode[16];
  return sscanf(line, "%*d: %15s %*15s %15s %d %x:%x:%llu", out->type, mode, &out->pid, &out->major,
                &out->minor, &out->inode) == 6 &&
         strcmp(mode, "WRITE") == 0;
}

static bool same_device(const file_lock *lock, const struct stat *st) {
  return lock->major == major(st->st_dev) && lock->minor == minor(st->st_dev);
}

static bool holds(const char *line, const struct stat *st, int *pid) {
  file_lock lock;
  if (!parse(&lock, line) || lock.inode != st->st_ino || !same_device(&lock, st) ||
      lock.pid == (int)getpid())
    return false;
  *pid = lock.pid;
  return true;
}

static bool find_lock(char *out, size_t size, const struct stat *st) {
  char line[256];
  int pid = -1;
  bool found = false;
  FILE *locks = fopen("/proc/locks", "re");
  while (locks && !found && fgets(line, sizeof line, locks))
    found = holds(line, st, &pid);
  if (locks)
    fclose(locks);
  if (found && pid > 0)
    snprintf(out, size, "process %d holds a write lock on it", pid);
  else if (found)
    snprintf(out, size, "another process holds a write lock on it");
  return found;
}

void ph_file_writer(char *out, size_t size, int fd) {
  ph_superblock block;
  struct stat st;
  out[0] = 0;
  if (fstat(fd, &st) != 0 || find_lock(out, size, &st))
    return;
  if (ph_superblock_find(&block, fd, st.st_size) && block.marked && block.version < 3)
    snprintf(out, size, "its writer has it open still, or never closed it");
}

/* --- folders --- */

/* Whether a process has it open. One whose files may not be listed could have. */
static bool has_open(int pid, const struct stat *st) {
  char path[300];
  struct stat other;
  bool found = false;
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *fds = opendir(path);
  if (!fds)
    return errno == EACCES || errno == EPERM;
  for (struct dirent *entry; !found && (entry = readdir(fds));) {
    snprintf(path, sizeof path, "/proc/%d/fd/%s", pid, entry->d_name);
    found = stat(path, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
  }
  closedir(fds);
  return found;
}

/* Some file systems (btrfs) show another device in the list than in stat: both are numbers without
 * hardware then, and whoever holds the lock is asked for what he has open. */
static bool locks_folder(const char *line, const struct stat *st) {
  file_lock lock;
  if (!parse(&lock, line) || strcmp(lock.type, "FLOCK") != 0 || lock.inode != st->st_ino)
    return false;
  return same_device(&lock, st) ||
         (lock.major == 0 && major(st->st_dev) == 0 && has_open(lock.pid, st));
}

int ph_folder_locked(const char *path) {
  char line[256];
  struct stat st;
  bool found = false;
  FILE *locks = stat(path, &st) == 0 ? fopen("/proc/locks", "re") : NULL;
  if (!locks)
    return -1;
  while (!found && fgets(line, sizeof line, locks))
    found = locks_folder(line, &st);
  bool failed = ferror(locks);
  fclose(locks);
  return found ? 1 : failed ? -1 : 0;
}
