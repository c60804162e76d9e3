#include "worker.h"

#include <playhead/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STACK_SIZE = 1 << 16 };

struct worker {
  pthread_t thread;
  struct session *session; /* the thread's, until it is joined */
  int pipe[2];
  void *stack;          /* on which a signal of the thread is handled when its own has overflowed */
  pthread_mutex_t lock; /* guards all below */
  pthread_cond_t wake;
  struct request request;
  bool asked, quit;
  bool starved; /* a request was dropped since worker_starved asked: no memory */
  struct waiting waiting;
  struct snapshot *snapshot; /* newest that was not taken; NULL none */
};

static void wake_loop(struct worker *w) {
  while (write(w->pipe[1], "", 1) < 0 && errno == EINTR) {
  } /* a full pipe wakes the loop just as well */
}

static void publish(struct worker *w, struct snapshot *snap) {
  pthread_mutex_lock(&w->lock);
  struct snapshot *old = w->snapshot;
  w->snapshot = snap;
  pthread_mutex_unlock(&w->lock);
  snapshot_free(old);
  wake_loop(w);
}

static void drop_request(struct worker *w) {
  pthread_mutex_lock(&w->lock);
  w->starved = true;
  pthread_mutex_unlock(&w->lock);
  wake_loop(w);
}

static bool interrupted(void *arg) {
  struct worker *w = arg;
  pthread_mutex_lock(&w->lock);
  bool yes = w->asked || w->quit;
  pthread_mutex_unlock(&w->lock);
  return yes;
}

/* A file or model that hangs must not hold up the end. */
static bool watch(void *arg, const ph_wait *wait) {
  struct worker *w = arg;
  const struct waiting now = {true, wait->model, (int)wait->seconds, wait->command};
  pthread_mutex_lock(&w->lock);
  const struct waiting *old = &w->waiting;
  bool news =
      !old->on || old->model != now.model || old->judge != now.judge || old->seconds != now.seconds;
  bool quit = w->quit;
  w->waiting = now;
  pthread_mutex_unlock(&w->lock);
  if (news)
    wake_loop(w);
  return quit;
}

/* A request comes before what can wait; *more: something of that is left. */
static void work(struct worker *w, bool asked, const struct request *request, bool *more) {
  struct snapshot *snap = NULL;
  if (!asked) {
    *more = session_work(w->session, interrupted, w, &snap);
    if (snap)
      publish(w, snap);
    return;
  }
  *more = true;
  if (session_serve(w->session, request, &snap) == PH_OK)
    publish(w, snap);
  else
    drop_request(w);
}

/* Until there is something to do: a request, or what is due by time. The lock is held. */
static void sleep_till_due(struct worker *w, bool *more) {
  struct timespec until;
  uint64_t wait = session_wait(w->session);
  if (wait == UINT64_MAX) {
    pthread_cond_wait(&w->wake, &w->lock);
    return;
  }
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)(wait / 1000);
  until.tv_nsec += (long)(wait % 1000) * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  *more = pthread_cond_timedwait(&w->wake, &w->lock, &until) == ETIMEDOUT;
}

static void *run(void *arg) {
  struct worker *w = arg;
  bool more = false;
  stack_t stack = {.ss_sp = w->stack, .ss_size = STACK_SIZE}, none = {.ss_flags = SS_DISABLE};
  sigaltstack(&stack, NULL);
  ph_wait_watch(watch, w);
  for (;;) {
    pthread_mutex_lock(&w->lock);
    while (!w->asked && !w->quit && !more)
      sleep_till_due(w, &more);
    bool quit = w->quit, asked = w->asked;
    struct request request = w->request;
    w->asked = false;
    w->waiting.on = false;
    pthread_mutex_unlock(&w->lock);
    if (quit)
      break;
    work(w, asked, &request, &more);
  }
  sigaltstack(&none, NULL);
  return NULL;
}

/* Signals are the loop's business, but a fault belongs to the thread that made it. */
static void block_signals(sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  sigset_t all;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, before);
}

ph_status worker_start(struct worker **out, struct session *session) {
  sigset_t before;
  pthread_condattr_t clock;
  struct worker *w = calloc(1, sizeof *w);
  *out = NULL;
  if (w)
    w->stack = malloc(STACK_SIZE);
  if (!w || !w->stack || pipe2(w->pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    if (w)
      free(w->stack);
    free(w);
    session_free(session);
    return PH_ENOMEM;
  }
  w->session = session;
  pthread_mutex_init(&w->lock, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&w->wake, &clock);
  pthread_condattr_destroy(&clock);
  block_signals(&before);
  int failed = pthread_create(&w->thread, NULL, run, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!failed) {
    *out = w;
    return PH_OK;
  }
  close(w->pipe[0]);
  close(w->pipe[1]);
  session_free(session);
  free(w->stack);
  free(w);
  return PH_ENOMEM;
}

void worker_ask(struct worker *w, const struct request *req) {
  pthread_mutex_lock(&w->lock);
  w->request = *req;
  w->asked = true;
  pthread_cond_signal(&w->wake);
  pthread_mutex_unlock(&w->lock);
}

struct snapshot *worker_take(struct worker *w) {
  char bytes[64];
  while (read(w->pipe[0], bytes, sizeof bytes) > 0) {
  }
  pthread_mutex_lock(&w->lock);
  struct snapshot *snap = w->snapshot;
  w->snapshot = NULL;
  pthread_mutex_unlock(&w->lock);
  return snap;
}

bool worker_starved(struct worker *w) {
  pthread_mutex_lock(&w->lock);
  bool starved = w->starved;
  w->starved = false;
  pthread_mutex_unlock(&w->lock);
  return starved;
}

struct waiting worker_waiting(struct worker *w) {
  pthread_mutex_lock(&w->lock);
  struct waiting waiting = w->waiting;
  pthread_mutex_unlock(&w->lock);
  return waiting;
}

int worker_fd(const struct worker *w) {
  return w->pipe[0];
}

void worker_stop(struct worker *w) {
  if (!w)
    return;
  pthread_mutex_lock(&w->lock);
  w->quit = true;
  pthread_cond_signal(&w->wake);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  session_free(w->session);
  snapshot_free(w->snapshot);
  close(w->pipe[0]);
  close(w->pipe[1]);
  pthread_mutex_destroy(&w->lock);
  pthread_cond_destroy(&w->wake);
  free(w->stack);
  free(w);
}
