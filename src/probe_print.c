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

/* Adds folder/name where it is there. */
static bool add_named(tally *t, const char *folder, const char *name) {
  char path[4200];
  struct stat st;
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  bool there = n > 0 && n < (int)sizeof path && stat(path, &st) == 0;
  if (there)
    add_file(t, &st, name);
  return there;
}

/* A run is opened by run.h5 and its list; episodes that the list lacks are probed one by one. The
 * folder's own times tell of files that come and go. */
static bool add_run(tally *t, const char *folder) {
  struct stat st;
  if (stat(folder, &st) != 0 || !add_named(t, folder, "run.h5"))
    return false;
  add_file(t, &st, ".");
  add_named(t, folder, "index");
  return true;
}

/* What else is opened with a file: run.h5 beside an episode, the whole run for its run.h5. */
static bool add_beside(tally *t, const char *path) {
  const char *slash = strrchr(path, '/');
  char folder[4096] = ".";
  if (slash && (size_t)(slash - path) + 2 > sizeof folder)
    return false;
  if (slash)
    snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
  if (strcmp(slash ? slash + 1 : path, "run.h5") == 0)
    return add_run(t, folder);
  add_named(t, folder, "run.h5");
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
  static const char *const kinds[] = {"path", "episode", "look", "stored", "model", "object"};
  clock_gettime(CLOCK_REALTIME, &now);
  if (stat(path, &st) != 0)
    return false;
  add_file(&t, &st, "");
  if (S_ISDIR(st.st_mode)) {
    if (!add_run(&t, path) && !add_folder(&t, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0))
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

void ph_print_mix(ph_print *print, const ph_probe_limits *limits) {
  const uint64_t values[] = {limits->memory, (uint64_t)limits->cpu, (uint64_t)limits->wall};
  uint64_t half[2];
  memcpy(half, print->bytes, sizeof half);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    half[0] = mix(half[0] ^ values[i]);
    half[1] = mix(half[1] + values[i]);
  }
  memcpy(print->bytes, half, sizeof half);
}

void ph_print_of_model(ph_print *out, const char *sha256) {
  print_of(out, "model", sha256);
}

void ph_print_of_collecting(ph_print *out, const char *sha256) {
  print_of(out, "collecting", sha256);
}
