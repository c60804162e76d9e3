/* Episodes on threads, given back in their order. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "verify_parts.h"

enum { AHEAD = 4, BAR = 20 }; /* results of each thread that wait to be taken */

struct line {
  struct verify *v;
  const size_t *places;
  size_t n, begun, taken, room;
  struct verify_result **ready; /* (n) NULL: not made, or taken */
  pthread_mutex_t lock;
  pthread_cond_t made, wanted;
};

static bool next_place(struct line *line, size_t *i) {
  pthread_mutex_lock(&line->lock);
  while (!atomic_load(&line->v->stop) && line->begun < line->n &&
         line->begun >= line->taken + line->room)
    pthread_cond_wait(&line->wanted, &line->lock);
  bool more = !atomic_load(&line->v->stop) && line->begun < line->n;
  *i = more ? line->begun++ : 0;
  pthread_mutex_unlock(&line->lock);
  return more;
}

static void *work(void *arg) {
  struct line *line = arg;
  for (size_t i; next_place(line, &i);) {
    struct verify_result *r = calloc(1, sizeof *r);
    if (r) {
      r->place = line->places[i];
      verify_check(line->v, r);
    }
    pthread_mutex_lock(&line->lock);
    line->ready[i] = r;
    if (!r)
      atomic_store(&line->v->stop, true);
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
  cli_progress("%s [%s] %zu of %zu, %d thread%s; step %lld of %lld", line->v->opt->verb, bar,
               line->taken, line->n, line->v->jobs, line->v->jobs == 1 ? "" : "s",
               (long long)atomic_load(&line->v->step), (long long)atomic_load(&line->v->states));
}

/* The i-th result once it is there; NULL: there was no memory for one. */
static struct verify_result *await(struct line *line, size_t i) {
  pthread_mutex_lock(&line->lock);
  while (!line->ready[i] && !atomic_load(&line->v->stop)) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 100 * 1000 * 1000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&line->made, &line->lock, &at);
    show(line);
  }
  struct verify_result *r = line->ready[i];
  line->ready[i] = NULL;
  if (r)
    line->taken++;
  pthread_cond_broadcast(&line->wanted);
  pthread_mutex_unlock(&line->lock);
  return r;
}

static int take_all(struct line *line,
                    int (*take)(struct verify *v, const struct verify_result *r)) {
  int status = EXIT_FINE;
  for (size_t i = 0; i < line->n && status == EXIT_FINE; i++) {
    struct verify_result *r = await(line, i);
    status = r ? take(line->v, r) : cli_fail(EXIT_ERROR, "%s: no memory", line->v->opt->verb);
    free(r);
  }
  return status;
}

static int run(struct line *line, pthread_t *threads,
               int (*take)(struct verify *v, const struct verify_result *r)) {
  int started = 0, status = EXIT_FINE, why = 0;
  while (started < line->v->jobs &&
         (why = pthread_create(&threads[started], NULL, work, line)) == 0)
    started++;
  if (started > 0)
    status = take_all(line, take);
  else if (line->n > 0)
    status = cli_fail(EXIT_ERROR, "%s: no thread to be had: %s", line->v->opt->verb, strerror(why));
  pthread_mutex_lock(&line->lock);
  atomic_store(&line->v->stop, true);
  pthread_cond_broadcast(&line->wanted);
  pthread_mutex_unlock(&line->lock);
  while (started > 0)
    pthread_join(threads[--started], NULL);
  return status;
}

int verify_each(struct verify *v, const size_t *places, size_t n,
                int (*take)(struct verify *v, const struct verify_result *r)) {
  struct line line = {.v = v, .places = places, .n = n};
  int status;
  line.room = (size_t)v->jobs * AHEAD;
  line.ready = calloc(n + 1, sizeof *line.ready);
  pthread_t *threads = calloc((size_t)v->jobs, sizeof *threads);
  pthread_mutex_init(&line.lock, NULL);
  pthread_cond_init(&line.made, NULL);
  pthread_cond_init(&line.wanted, NULL);
  if (line.ready && threads)
    status = run(&line, threads, take);
  else
    status = cli_fail(EXIT_ERROR, "%s: no memory", v->opt->verb);
  for (size_t i = 0; line.ready && i < n; i++)
    free(line.ready[i]);
  free(line.ready);
  free(threads);
  pthread_cond_destroy(&line.wanted);
  pthread_cond_destroy(&line.made);
  pthread_mutex_destroy(&line.lock);
  return status;
}
