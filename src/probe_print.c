#include "probe_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <playhead/sim.h>

#include "h5.h"
#include "hash.h"

enum { FILES_MAX = 200000, DEPTH_MAX = 4 };

/* The kernel's clock for files moves in ticks: within one a file may change and look the same. Some
 * file systems count whole seconds. */
static const int64_t tick_ns = 100000000, coarse_ns = 3000000000;

typedef struct tally {
  uint64_t a, b; /* sums over the files, so that their order in the folder is nothing */
  int64_t newest;
  int files;
} tally;

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static void add_file(tally *t, const struct stat *st, const char *name) {
  const uint64_t values[] = {st->st_dev,
                             st->st_ino,
                             (uint64_t)st->st_size,
                             st->st_mode & S_IFMT,
                             (uint64_t)st->st_mtim.tv_sec,
                             (uint64_t)st->st_mtim.tv_nsec,
                             (uint64_t)st->st_ctim.tv_sec,
                             (uint64_t)st->st_ctim.tv_nsec};
  uint64_t a = 0x9e3779b97f4a7c15u, b = 0xd1b54a32d192ed03u;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    a = mix(a ^ values[i]);
    b = mix(b + values[i]);
  }
  for (const char *c = name; *c; c++)
    a = mix(a ^ (unsigned char)*c);
  t->a += a;
  t->b += mix(b ^ a);
  t->files++;
  int64_t last = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec +
                 (st->st_ctim.tv_nsec ? tick_ns : coarse_ns);
  t->newest = last > t->newest ? last : t->newest;
}

/* Everything below a folder; false: too much, or it cannot be listed. */
static bool add_folder(tally *t, int fd, int depth) {
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  bool ok = folder != NULL;
  if (!folder && fd >= 0)
    close(fd);
  for (struct dirent *e; ok && (e = readdir(folder));) {
    struct stat st;
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    ok = t->files < FILES_MAX && (fstatat(dirfd(folder), e->d_name, &st, 0) == 0 ||
                                  fstatat(dirfd(folder), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0);
    if (ok)
      add_file(t, &st, e->d_name);
    if (ok && S_ISDIR(st.st_mode))
      ok = depth < DEPTH_MAX &&
           add_folder(t, openat(dirfd(folder), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                      depth + 1);
  }
  if (folder)
    closedir(folder);
  return ok;
}

static bool is_run_file(const char *name) {
  return strcmp(name, "run.h5") == 0;
}

/* What else is opened with a path: run.h5 beside an episode, the whole run for its run.h5. */
static bool add_beside(tally *t, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t length = (size_t)(name - path);
  char folder[4096];
  struct stat st;
  if (length + sizeof "run.h5" > sizeof folder)
    return false;
  memcpy(folder, path, length);
  snprintf(folder + length, sizeof folder - length, "%s", is_run_file(name) ? "." : "run.h5");
  if (is_run_file(name))
    return add_folder(t, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
  if (stat(folder, &st) == 0)
    add_file(t, &st, "run.h5");
  return true;
}

static void finish(ph_print *out, struct ph_sha256 *sha) {
  char hex[PH_SHA256_SIZE];
  ph_sha256_add_string(sha, PH_VERSION);
  ph_sha256_add_string(sha, H5_VERS_INFO);
  ph_sha256_add_string(sha, ph_engine_version());
  ph_sha256_end(sha, hex);
  for (size_t i = 0; i < sizeof out->bytes; i++) {
    const char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
    out->bytes[i] = (unsigned char)strtoul(two, NULL, 16);
  }
}

bool ph_print_of_file(ph_print *out, const ph_question *question) {
  tally t = {0};
  const char *path = question->path;
  struct stat st;
  struct timespec now;
  static const char *const kinds[] = {"path", "episode", "look", "stored", "model"};
  clock_gettime(CLOCK_REALTIME, &now);
  if (stat(path, &st) != 0)
    return false;
  add_file(&t, &st, "");
  if (S_ISDIR(st.st_mode)) {
    if (!add_folder(&t, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0))
      return false;
  } else if (question->kind == PH_PROBE_PATH && !add_beside(&t, path)) {
    return false;
  }
  if (t.newest > (int64_t)now.tv_sec * 1000000000 + now.tv_nsec)
    return false;
  struct ph_sha256 *sha = ph_sha256_new();
  if (!sha)
    return false;
  ph_sha256_add_string(sha, kinds[question->kind]);
  ph_sha256_add(sha, &question->size, sizeof question->size);
  if (question->size)
    ph_sha256_add(sha, question->names, question->size);
  ph_sha256_add(sha, &t.a, sizeof t.a);
  ph_sha256_add(sha, &t.b, sizeof t.b);
  finish(out, sha);
  return true;
}

static void print_of(ph_print *out, const char *kind, const char *sha256) {
  struct ph_sha256 *sha = ph_sha256_new();
  memset(out, 0, sizeof *out);
  if (!sha)
    return;
  ph_sha256_add_string(sha, kind);
  ph_sha256_add_string(sha, sha256);
  finish(out, sha);
}

void ph_print_of_model(ph_print *out, const char *sha256) {
  print_of(out, "model", sha256);
}

void ph_print_of_collecting(ph_print *out, const char *sha256) {
  print_of(out, "collecting", sha256);
}
