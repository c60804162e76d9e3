/* Who watches a thread that waits for a child. */
#include <playhead/wait.h>

#include <string.h>

#include "fail.h"
#include "probe_child.h"
#include "waiting.h"

static _Thread_local ph_wait_fn *watcher;
static _Thread_local void *watcher_arg;

void ph_wait_watch(ph_wait_fn *fn, void *arg) {
  watcher = fn;
  watcher_arg = arg;
}

bool ph_wait_goes_on(const ph_child *child, int64_t ms) {
  if (!watcher)
    return true;
  char where[1200];
  const char *raw = child->where ? child->where : "";
  ph_escape(where, sizeof where, raw, strlen(raw));
  const ph_wait wait = {where, child->model, (double)ms / 1e3, child->may.wall, false};
  return !watcher(watcher_arg, &wait);
}

bool ph_wait_command(const char *command, double seconds, int limit) {
  if (!watcher)
    return true;
  char where[1200];
  ph_escape(where, sizeof where, command, strlen(command));
  const ph_wait wait = {where, false, seconds, limit, true};
  return !watcher(watcher_arg, &wait);
}
