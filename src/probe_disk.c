/* Verdicts on disk: records of 32 bytes, appended one by one by any number of processes:
 *   0 magic[8]   8 print[16]   24 late[4]   28 CRC-32 of the 28 bytes before it
 * late: 0, it was good; else it gave no answer in so many seconds, and the print has the limits.
 * The print has the program's version in it. Where anything is not as it should be, there is no
 * file: verdicts only spare work. */
#include "probe_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "hash.h"

enum { RECORD = 32, AT_PRINT = 8, AT_LATE = 24, AT_CRC = 28, SIZE_MAX_BYTES = 2 << 20 };

static const char magic[8] = {'P', 'H', 'V', 'R', 'D', '0', '1', '\n'};

/* A folder of ours in which nobody else writes; -1: there is none. */
static int open_own(int at, const char *name) {
  struct stat st;
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 022) == 0)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

static int make_own(int at, const char *name) {
  mkdirat(at, name, 0700);
  int fd = open_own(at, name);
  close(at);
  return fd;
}

static int open_folder(void) {
  const char *base = secure_getenv("XDG_CACHE_HOME");
  int fd = -1;
  if (base && base[0] == '/') {
    fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } else {
    base = secure_getenv("HOME");
    if (base && base[0] == '/')
      fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
      fd = make_own(fd, ".cache");
  }
  return fd < 0 ? -1 : make_own(fd, "playhead");
}

/* Opens the file; -1: it is not to be had, or not ours. */
static int open_verdicts(int folder, int flags) {
  struct stat st;
  int fd = openat(folder, "verdicts", flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
  if (fd < 0)
    return -1;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
      (st.st_mode & 022) == 0)
    return fd;
  close(fd);
  return -1;
}

static void pack(unsigned char out[RECORD], const ph_print *print, int late) {
  int32_t seconds = late;
  memset(out, 0, RECORD);
  memcpy(out, magic, sizeof magic);
  memcpy(out + AT_PRINT, print->bytes, sizeof print->bytes);
  memcpy(out + AT_LATE, &seconds, sizeof seconds);
  uint32_t crc = ph_crc32(out, AT_CRC);
  memcpy(out + AT_CRC, &crc, sizeof crc);
}

static bool unpack(ph_print *print, int32_t *late, const unsigned char *record) {
  uint32_t crc;
  memcpy(late, record + AT_LATE, sizeof *late);
  memcpy(&crc, record + AT_CRC, sizeof crc);
  memcpy(print->bytes, record + AT_PRINT, sizeof print->bytes);
  return memcmp(record, magic, sizeof magic) == 0 && crc == ph_crc32(record, AT_CRC);
}

static size_t read_all(int fd, unsigned char *out, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t n = pread(fd, out + done, size - done, (off_t)done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    done += (size_t)n;
  }
  return done;
}

/* Replaces the file by the newer half of its good records: it has grown too long, or a torn record
 * has shifted what follows. */
static void rewrite(int folder, const unsigned char *records, size_t n) {
  char name[64];
  snprintf(name, sizeof name, "verdicts.%ld", (long)getpid());
  int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    if (errno == EEXIST)
      unlinkat(folder, name, 0);
    return;
  }
  bool ok = ph_file_write(fd, 0, records, n * RECORD) == 0;
  ok = close(fd) == 0 && ok;
  if (!ok || renameat(folder, name, folder, "verdicts") != 0)
    unlinkat(folder, name, 0);
}

/* Hands out the good records and packs them together; returns how many. */
static size_t take_records(unsigned char *bytes, size_t size,
                           void (*add)(const ph_print *print, int late)) {
  size_t n = 0;
  for (size_t at = 0; at + RECORD <= size; at += RECORD) {
    ph_print print;
    int32_t late;
    if (!unpack(&print, &late, bytes + at))
      continue;
    add(&print, late);
    memmove(bytes + n++ * RECORD, bytes + at, RECORD);
  }
  return n;
}

void ph_disk_load(void (*add)(const ph_print *print, int late)) {
  int folder = open_folder();
  int fd = folder < 0 ? -1 : open_verdicts(folder, O_RDONLY);
  struct stat st;
  bool there = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0;
  size_t size = there && st.st_size < 2 * SIZE_MAX_BYTES ? (size_t)st.st_size : 0;
  unsigned char *bytes = size ? malloc(size) : NULL;
  if (bytes) {
    size = read_all(fd, bytes, size);
    size_t n = take_records(bytes, size, add), keep = n;
    if (size > SIZE_MAX_BYTES)
      keep = n / 2;
    if (keep * RECORD != size)
      rewrite(folder, bytes + (n - keep) * RECORD, keep);
  } else if (there) {
    rewrite(folder, NULL, 0);
  }
  free(bytes);
  if (fd >= 0)
    close(fd);
  if (folder >= 0)
    close(folder);
}

void ph_disk_append(const ph_print *print, int late) {
  unsigned char record[RECORD];
  struct stat st;
  int folder = open_folder();
  int fd = folder < 0 ? -1 : open_verdicts(folder, O_WRONLY | O_APPEND | O_CREAT);
  pack(record, print, late);
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size + RECORD <= 2 * SIZE_MAX_BYTES)
    ph_file_write(fd, (uint64_t)st.st_size, record, sizeof record);
  if (fd >= 0)
    close(fd);
  if (folder >= 0)
    close(folder);
}
