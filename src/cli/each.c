#include "each.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { AHEAD = 4, BAR = 20 }; /* results of each thread that wait to be taken */

struct line {
  struct each *e;
  const size_t *places;
  size_t n, begun, taken, room;
  void **ready; /* (n) NULL: not made, or taken */
  pthread_mutex_t lock;
  pthread_cond_t made, wanted;
};

static bool next_place(struct line *line, size_t *i) {
  pthread_mutex_lock(&line->lock);
  while (!atomic_load(&line->e->stop) && line->begun < line->n &&
         line->begun >= line->taken + line->room)
    pthread_cond_wait(&line->wanted, &line->lock);
  bool more = !atomic_load(&line->e->stop) && line->begun < line->n;
  *i = more ? line->begun++ : 0;
  pthread_mutex_unlock(&line->lock);
  return more;
}

static void *work(void *arg) {
  struct line *line = arg;
  for (size_t i; next_place(line, &i);) {
    void *r = line->e->make(line->e->arg, line->places[i]);
    pthread_mutex_lock(&line->lock);
    line->ready[i] = r;
    if (!r)
      atomic_store(&line->e->stop, true);
    pthread_cond_broadcast(&line->made);
    pthread_mutex_unlock(&line->lock);
  }
  return NULL;
}

static void show(const struct line *line) {
  char bar[BAR + 1];
  size_t full = line->n > 0 ? line->taken * BAR / line->n : 0;
  for (size_t i = 0; i < BAR; i++)
    bar[i] = i < full ? '#' : '.';
  bar[BAR] = 0;
  cli_progress("%s [%s] %zu of %zu, %d thread%s; step %lld of %lld", line->e->verb, bar,
               line->taken, line->n, line->e->jobs, line->e->jobs == 1 ? "" : "s",
               (long long)atomic_load(&line->e->step), (long long)atomic_load(&line->e->states));
}

/* The i-th result once it is there; NULL: there was no memory for one. */
static void *await(struct line *line, size_t i) {
  pthread_mutex_lock(&line->lock);
  while (!line->ready[i] && !atomic_load(&line->e->stop)) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 100 * 1000 * 1000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&line->made, &line->lock, &at);
    show(line);
  }
  void *r = line->ready[i];
  line->ready[i] = NULL;
  if (r)
    line->taken++;
  pthread_cond_broadcast(&line->wanted);
  pthread_mutex_unlock(&line->lock);
  return r;
}

static int take_all(struct line *line) {
  int status = EXIT_FINE;
  for (size_t i = 0; i < line->n && status == EXIT_FINE; i++) {
    void *r = await(line, i);
    status =
        r ? line->e->take(line->e->arg, r) : cli_fail(EXIT_ERROR, "%s: no memory", line->e->verb);
    if (r)
      line->e->drop(r);
  }
  return status;
}

static int run(struct line *line, pthread_t *threads) {
  int started = 0, status = EXIT_FINE, why = 0;
  while (started < line->e->jobs &&
         (why = pthread_create(&threads[started], NULL, work, line)) == 0)
    started++;
  if (started > 0)
    status = take_all(line);
  else if (line->n > 0)
    status = cli_fail(EXIT_ERROR, "%s: no thread to be had: %s", line->e->verb, strerror(why));
  pthread_mutex_lock(&line->lock);
  atomic_store(&line->e->stop, true);
  pthread_cond_broadcast(&line->wanted);
  pthread_mutex_unlock(&line->lock);
  while (started > 0)
    pthread_join(threads[--started], NULL);
  return status;
}

int each_run(struct each *e, const size_t *places, size_t n) {
  struct line line = {.e = e, .places = places, .n = n};
  int status;
  line.room = (size_t)e->jobs * AHEAD;
  line.ready = calloc(n + 1, sizeof *line.ready);
  pthread_t *threads = calloc((size_t)e->jobs, sizeof *threads);
  pthread_mutex_init(&line.lock, NULL);
  pthread_cond_init(&line.made, NULL);
  pthread_cond_init(&line.wanted, NULL);
  if (line.ready && threads)
    status = run(&line, threads);
  else
    status = cli_fail(EXIT_ERROR, "%s: no memory", e->verb);
  for (size_t i = 0; line.ready && i < n; i++)
    if (line.ready[i])
      e->drop(line.ready[i]);
  free(line.ready);
  free(threads);
  pthread_cond_destroy(&line.wanted);
  pthread_cond_destroy(&line.made);
  pthread_mutex_destroy(&line.lock);
  cli_progress_end();
  return status;
}

int each_cores(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? n < 1024 ? (int)n : 1024 : 1;
}

int each_share(struct each *e, int jobs, size_t n) {
  jobs = jobs > 0 ? jobs : each_cores();
  e->jobs = n < (size_t)jobs ? n > 0 ? (int)n : 1 : jobs;
  return jobs / e->jobs;
}

bool each_progress(void *arg, int64_t step, int64_t states) {
  struct each *e = arg;
  atomic_store(&e->step, step);
  atomic_store(&e->states, states);
  return !atomic_load(&e->stop);
}
