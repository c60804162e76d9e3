#include "branch_save.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass.h"

struct branch_save {
  pthread_t thread;
  ph_rerun *run;
  char path[BRANCH_PATH];
  int64_t steps; /* that it may take, twice: to its end, then into the file */
  atomic_bool cancel, ended;
  atomic_llong at;
  char text[660]; /* the thread's until it has ended */
};

/* Asked once for each control step of either time. */
static bool asked_to_end(void *arg) {
  struct branch_save *s = arg;
  atomic_fetch_add(&s->at, 1);
  return atomic_load(&s->cancel);
}

/* The reason before the path: of a line that is cut short it is what is left. */
static void say_failed(struct branch_save *s, const char *why) {
  const char *reason = ph_text_without(why, s->path);
  if (reason != why)
    snprintf(s->text, sizeof s->text, "not saved: %.230s: %s", reason, s->path);
  else
    snprintf(s->text, sizeof s->text, "not saved: %s", why);
}

static void *work(void *arg) {
  struct branch_save *s = arg;
  ph_status status = ph_rerun_save(s->run, s->path, asked_to_end, s);
  if (status == PH_OK)
    snprintf(s->text, sizeof s->text, "the branch is in %s", s->path);
  else if (status == PH_ECANCELED)
    snprintf(s->text, sizeof s->text, "not saved: canceled; there is no %s", s->path);
  else
    say_failed(s, ph_error());
  atomic_store_explicit(&s->ended, true, memory_order_release);
  return NULL;
}

struct branch_save *branch_save_start(ph_rerun *run, const char *path) {
  struct branch_save *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  snprintf(s->path, sizeof s->path, "%s", path);
  s->run = ph_rerun_ref(run);
  s->steps = ph_rerun_states(run) - 1 - ph_rerun_anchor(run);
  atomic_init(&s->cancel, false);
  atomic_init(&s->ended, false);
  atomic_init(&s->at, 0);
  if (pass_thread(&s->thread, work, s))
    return s;
  ph_rerun_unref(s->run);
  free(s);
  return NULL;
}

void branch_save_cancel(struct branch_save *s) {
  atomic_store(&s->cancel, true);
}

void branch_save_free(struct branch_save *s) {
  if (!s)
    return;
  branch_save_cancel(s);
  pthread_join(s->thread, NULL);
  ph_rerun_unref(s->run);
  free(s);
}

bool branch_save_ended(const struct branch_save *s) {
  return atomic_load_explicit(&((struct branch_save *)s)->ended, memory_order_acquire);
}

void branch_save_text(const struct branch_save *s, char *out, size_t size) {
  long long at = atomic_load(&((struct branch_save *)s)->at) / 2, steps = s->steps;
  if (branch_save_ended(s))
    snprintf(out, size, "%s", s->text);
  else
    snprintf(out, size, "writing %s: %lld/%lld", s->path, at < steps ? at : steps, steps);
}
