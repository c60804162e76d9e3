#include "probe.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <playhead/store.h>

#include "fail.h"
#include "probe_cache.h"
#include "probe_child.h"

/* --- limits --- */

static const ph_probe_limits for_files = {(size_t)1 << 30, 20, 60};
enum { LEAST_CPU = 2, WALL_TIMES = 10 }; /* [s]; of a small file */
#define PER_SECOND ((size_t)32 << 20)    /* bytes of a file for which there is a second more */

static const ph_probe_limits for_models = {(size_t)4 << 30, 60, 180};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ph_probe_limits changed; /* under the lock; 0: as above */

ph_probe_limits ph_probe_limits_now(ph_probe_kind kind) {
  ph_probe_limits limits = kind == PH_PROBE_MODEL ? for_models : for_files;
  pthread_mutex_lock(&lock);
  limits.memory = changed.memory ? changed.memory : limits.memory;
  limits.cpu = changed.cpu ? changed.cpu : limits.cpu;
  limits.wall = changed.wall ? changed.wall : limits.wall;
  pthread_mutex_unlock(&lock);
  return limits;
}

void ph_probe_limit(const ph_probe_limits *limits) {
  pthread_mutex_lock(&lock);
  changed = limits ? *limits : (ph_probe_limits){0};
  pthread_mutex_unlock(&lock);
}

/* Bytes of a file and of what may be opened with it; SIZE_MAX: of a folder, it is not known. */
static size_t size_of(const char *path) {
  static const char *const beside[] = {"", "run.h5", "index"};
  const char *slash = strrchr(path, '/');
  size_t size = 0;
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
    char name[4400];
    struct stat st;
    if (i == 0)
      snprintf(name, sizeof name, "%s", path);
    else
      snprintf(name, sizeof name, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, beside[i]);
    bool there = stat(name, &st) == 0;
    if (there && i == 0 && !S_ISREG(st.st_mode))
      return SIZE_MAX;
    size += there && S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 0;
  }
  return size;
}

/* The machine may be busy with other things: it may wait for far longer than it may compute. */
ph_probe_limits ph_probe_limits_of(const ph_question *question) {
  const ph_probe_limits now = ph_probe_limits_now(question->kind);
  ph_probe_limits limits = now;
  size_t more = size_of(question->path) / PER_SECOND;
  int cpu = more < (size_t)for_files.cpu ? LEAST_CPU + (int)more : for_files.cpu;
  int wall = LEAST_CPU * WALL_TIMES + cpu * WALL_TIMES / 2;
  pthread_mutex_lock(&lock);
  if (!changed.cpu && cpu < now.cpu)
    limits.cpu = cpu;
  if (!changed.wall && wall < now.wall)
    limits.wall = wall;
  pthread_mutex_unlock(&lock);
  return limits;
}

/* --- files --- */

static ph_status probe_file(const ph_question *question) {
  ph_print before, after;
  ph_status status = PH_OK;
  ph_reply reply;
  if (ph_probe_inside())
    return PH_OK;
  bool steady = ph_print_of_file(&before, question);
  if (steady && ph_cache_find(&before, question->path, &status))
    return status;
  ph_probe_limits limits = ph_probe_limits_of(question);
  if (steady && ph_late_find(&status, question, &limits))
    return status;
  status = ph_server_ask(&reply, question, &limits);
  if (steady && ph_reply_lasts(&reply) && ph_print_of_file(&after, question) &&
      memcmp(&before, &after, sizeof before) == 0 && !ph_late_keep(&reply, question, &limits))
    ph_cache_keep(&before, question->path, status);
  return status;
}

ph_status ph_probe_path(const char *path) {
  return probe_file(&(ph_question){PH_PROBE_PATH, path, NULL, 0});
}

ph_status ph_probe_episode(const char *file, const char *group) {
  return probe_file(&(ph_question){PH_PROBE_EPISODE, file, group, strlen(group) + 1});
}

ph_status ph_probe_stored(const char *file, const char *group) {
  return probe_file(&(ph_question){PH_PROBE_STORED, file, group, strlen(group) + 1});
}

ph_status ph_probe_looks(const char *file, const char *const *groups, size_t n) {
  char names[PH_PROBE_LOOKS * sizeof((ph_entry *)0)->group];
  size_t size = 0;
  for (size_t i = 0; i < n; i++) {
    size_t length = strlen(groups[i]) + 1;
    if (i >= PH_PROBE_LOOKS || length > sizeof names - size)
      return ph_fail(PH_EINVAL, "%s: %zu groups at once", file, n);
    memcpy(names + size, groups[i], length);
    size += length;
  }
  return probe_file(&(ph_question){PH_PROBE_LOOK, file, names, size});
}

/* --- once --- */

typedef struct call {
  ph_probe_fn *fn;
  void *arg;
} call;

static void run_in_child(int fd, void *arg) {
  const call *c = arg;
  ph_child_begin();
  ph_child_answer(fd, c->fn(c->arg));
  _exit(0);
}

ph_status ph_probe_run(const char *where, ph_probe_fn *fn, void *arg) {
  ph_child child;
  ph_reply reply = {0};
  call c = {fn, arg};
  if (ph_probe_inside())
    return fn(arg);
  ph_probe_limits limits = ph_probe_limits_now(PH_PROBE_PATH);
  ph_status status = ph_child_ask(&child, &reply, &limits, where, run_in_child, &c, false);
  if (status)
    return status;
  ph_child_end(&child);
  return ph_reply_status(&reply, &limits, PH_ECORRUPT, where, "HDF5");
}

void ph_probe_reset(void) {
  ph_server_end();
  ph_cache_forget();
}
