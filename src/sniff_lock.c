/* Who holds a lock on a file, from the kernel's list: asking by a lock of our own could be in the
 * writer's way. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sniff.h"
#include "superblock.h"

/* "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"; those that wait have "->" behind the colon. */
static bool holds(const char *line, const struct stat *st, int *pid) {
  char type[16], mode[16];
  unsigned major, minor;
  unsigned long long inode;
  return sscanf(line, "%*d: %*15s %15s %15s %d %x:%x:%llu", type, mode, pid, &major, &minor,
                &inode) == 6 &&
         strcmp(mode, "WRITE") == 0 && inode == st->st_ino && major == major(st->st_dev) &&
         minor == minor(st->st_dev) && *pid != (int)getpid();
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
