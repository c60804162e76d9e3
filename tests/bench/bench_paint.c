/* Key to painted frame: idle (no request under way) against a storm of seeks served by the worker
 * at the same moment. A paint is: key, command, newest snapshot taken, all panels drawn. Usage:
 * bench_paint PATH. Prints JSON lines; exit 1 when a ratio misses its goal. */
#include "app.h"
#include "worker.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAINTS = 2000, ROUNDS = 5 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(double *times, int n, double q) {
  qsort(times, (size_t)n, sizeof *times, compare);
  return times[(int)(q * (n - 1))];
}

static void wait_idle(struct app *app, struct worker *worker) {
  while (!app->snap || app->snap->serial != app->want.serial) {
    struct pollfd fd = {worker_fd(worker), POLLIN, 0};
    poll(&fd, 1, 1000);
    struct snapshot *snap = worker_take(worker);
    if (snap)
      app_take(app, snap);
  }
}

static double paint(struct app *app, struct worker *worker, struct surface *surface, uint32_t key) {
  double start = now();
  unsigned react = app_key(app, key, (uint64_t)(start * 1000));
  if (react & REACT_SEEK)
    worker_ask(worker, &app->want);
  struct snapshot *snap = worker_take(worker);
  if (snap)
    app_take(app, snap);
  app_draw(app, surface);
  return now() - start;
}

int main(int argc, char **argv) {
  static double idle[PAINTS * ROUNDS], storm[PAINTS * ROUNDS];
  if (argc != 2)
    return 2;
  const char *paths[] = {argv[1]};
  struct session_options opt = {.paths = paths, .npaths = 1};
  struct session *session = NULL;
  struct worker *worker = NULL;
  struct surface surface = {0};
  struct app app;
  app_init(&app);
  app_resize(&app, 40, 120);
  if (session_open(&session, &opt) != PH_OK || worker_start(&worker, session) != PH_OK) {
    fprintf(stderr, "bench_paint: %s\n", ph_error());
    return 3;
  }
  worker_ask(worker, &app.want);
  wait_idle(&app, worker);
  int n = 0;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < PAINTS; i++) {
      idle[n + i] = paint(&app, worker, &surface, 'j');
    }
    for (int i = 0; i < PAINTS; i++)
      storm[n + i] = paint(&app, worker, &surface, i % 97 == 96 ? KEY_HOME_ : 'n');
    wait_idle(&app, worker);
    n += PAINTS;
  }
  double idle50 = quantile(idle, n, 0.5), storm99 = quantile(storm, n, 0.99);
  double storm50 = quantile(storm, n, 0.5), ratio = storm50 / idle50;
  printf("{\"bench\":\"paint_under_storm\",\"idle_p50_ms\":%.4f,\"storm_p50_ms\":%.4f,"
         "\"storm_p99_ms\":%.4f,\"goal_p99_ms\":16,\"ratio\":%.3f,\"goal\":4,\"p99_ratio\":%.2f}\n",
         1e3 * idle50, 1e3 * storm50, 1e3 * storm99, ratio, storm99 / idle50);
  worker_stop(worker);
  surface_free(&surface);
  app_free(&app);
  return ratio > 4 ? 1 : 0;
}
