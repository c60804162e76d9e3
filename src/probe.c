#include "probe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <playhead/store.h>

#include "fail.h"
#include "probe_cache.h"
#include "probe_child.h"

/* --- limits --- */

static const ph_probe_limits for_files = {(size_t)1 << 30, 20, 60};
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

/* --- files --- */

static ph_status probe_file(const ph_question *question) {
  ph_print before, after;
  ph_status status = PH_OK;
  bool lasts = false;
  if (ph_probe_inside())
    return PH_OK;
  bool steady = ph_print_of_file(&before, question);
  if (steady && ph_cache_find(&before, question->path, &status))
    return status;
  status = ph_server_ask(&lasts, question);
  if (steady && lasts && ph_print_of_file(&after, question) &&
      memcmp(&before, &after, sizeof before) == 0)
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
  ph_status status = ph_child_fork(&child, &limits, where, run_in_child, &c);
  if (status)
    return status;
  ph_child_receive(&child, &reply);
  ph_child_end(&child);
  return ph_reply_status(&reply, &limits, PH_ECORRUPT, where, "HDF5");
}

void ph_probe_reset(void) {
  ph_server_end();
  ph_cache_forget();
}
