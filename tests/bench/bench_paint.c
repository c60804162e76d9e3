/* Key to painted screen, through the app, its worker and a session, without a terminal.
 *   paint_under_storm     a key, its command, the newest snapshot taken, all panels drawn; while
 *                         seeks are served at the same moment, against none under way
 *   paint_under_analysis  the same while a pass over a humanoid of 3000 steps runs on all cores,
 *                         its results drawn as they are made
 *   frame_under_analysis  a key held at 30 a second, until the frame that it asks for is painted;
 *                         while the pass runs, against the same once it has ended
 * Usage: bench_paint SOURCE_ROOT; it records in TMPDIR. Prints JSON lines; exit 1 when a ratio
 * misses its goal. */
#include "app.h"
#include "worker.h"

#include "thing.h"

#include <poll.h>

enum { PAINTS = 2000, ROUNDS = 5, STEPS = 3000, FRAMES = 60, PERIOD_MS = 33 };
static const double goal = 4, goal_ms = 16;

struct screen {
  struct app app;
  struct worker *worker;
  struct surface surface;
  int64_t anchor;
};

static void screen_open(struct screen *s, const char *path) {
  const char *paths[] = {path};
  struct session_options opt = {.paths = paths, .npaths = 1};
  struct session *session = NULL;
  memset(s, 0, sizeof *s);
  app_init(&s->app);
  app_resize(&s->app, 40, 120);
  bench_need(session_open(&session, &opt), path);
  bench_need(worker_start(&s->worker, session), path);
  worker_ask(s->worker, &s->app.want);
}

static void screen_close(struct screen *s) {
  worker_stop(s->worker);
  surface_free(&s->surface);
  app_free(&s->app);
}

static void take(struct screen *s) {
  struct snapshot *snap = worker_take(s->worker);
  if (snap)
    app_take(&s->app, snap);
}

static bool answered(const struct screen *s) {
  return s->app.snap && s->app.snap->serial == s->app.want.serial;
}

static bool is_running(const struct screen *s) {
  const struct dynamic_answer *d = s->app.snap ? s->app.snap->dyn : NULL;
  return d && d->pass.free_run > d->pass.anchor && !d->pass.ended;
}

static bool is_over(const struct screen *s) {
  return answered(s) && s->app.snap->dyn && s->app.snap->dyn->pass.ended;
}

static void wait_until(struct screen *s, bool (*there)(const struct screen *s)) {
  while (take(s), !there(s)) {
    struct pollfd fd = {worker_fd(s->worker), POLLIN, 0};
    poll(&fd, 1, 1000);
  }
}

static void press(struct screen *s, uint32_t key) {
  if (app_key(&s->app, key, (uint64_t)(bench_now() * 1000)) & REACT_SEEK)
    worker_ask(s->worker, &s->app.want);
}

/* A pass anew, from another step, unless one runs. */
static void run_pass(struct screen *s) {
  char line[40];
  take(s);
  if (answered(s) && is_running(s))
    return;
  s->anchor = s->anchor % 50 + 1;
  snprintf(line, sizeof line, "anchor %lld", (long long)s->anchor);
  if (app_line(&s->app, line) & REACT_SEEK)
    worker_ask(s->worker, &s->app.want);
  wait_until(s, answered);
  wait_until(s, is_running);
}

/* --- paints --- */

static double paint(struct screen *s, uint32_t key) {
  double start = bench_now();
  press(s, key);
  take(s);
  app_draw(&s->app, &s->surface);
  return bench_now() - start;
}

static int paints(struct screen *s, const char *bench, uint32_t key, bool pass) {
  static double idle[PAINTS * ROUNDS], busy[PAINTS * ROUNDS];
  int n = 0, nbusy = 0;
  for (int round = 0; round < ROUNDS; round++) {
    wait_until(s, pass ? is_over : answered);
    for (int i = 0; i < PAINTS; i++)
      idle[n++] = paint(s, 'j');
    for (int i = 0; i < PAINTS; i++) {
      if (pass && i % 100 == 0)
        run_pass(s);
      busy[nbusy++] = paint(s, !pass && i % 97 == 96 ? KEY_HOME_ : key);
    }
  }
  double idle50 = bench_median(idle, n), busy99 = bench_quantile(busy, nbusy, 0.99);
  double busy50 = bench_median(busy, nbusy);
  bench_begin(bench);
  bool missed = bench_at_most(busy50 / idle50, goal);
  bench_number("idle_p50_ms", 1e3 * idle50, 4);
  bench_number("p50_ms", 1e3 * busy50, 4);
  bench_number("p99_ms", 1e3 * busy99, 4);
  bench_number("goal_p99_ms", goal_ms, 0);
  bench_number("p99_ratio", busy99 / bench_quantile(idle, n, 0.99), 2);
  bench_end();
  return missed;
}

/* --- frames --- */

static double frame(struct screen *s, uint32_t key) {
  double start = bench_now();
  press(s, key);
  wait_until(s, answered);
  app_draw(&s->app, &s->surface);
  return bench_now() - start;
}

/* What remains of a period is slept, as between keys that repeat. */
static void rest(double spent) {
  double left = 1e-3 * PERIOD_MS - spent;
  struct timespec t = {.tv_nsec = (long)(1e9 * left)};
  if (left > 0)
    nanosleep(&t, NULL);
}

static int frames(struct screen *s) {
  static double idle[FRAMES * ROUNDS], busy[FRAMES * ROUNDS];
  int n = 0;
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t key = round % 2 ? 'p' : 'n';
    wait_until(s, is_over);
    for (int i = 0; i < FRAMES; i++)
      rest(idle[n + i] = frame(s, key));
    for (int i = 0; i < FRAMES; i++) {
      run_pass(s);
      rest(busy[n + i] = frame(s, key));
    }
    n += FRAMES;
  }
  double idle50 = bench_median(idle, n), busy50 = bench_median(busy, n);
  double busy99 = bench_quantile(busy, n, 0.99);
  bench_begin("frame_under_analysis");
  bool missed = bench_at_most(busy50 / idle50, goal);
  bench_number("idle_p50_ms", 1e3 * idle50, 4);
  bench_number("p50_ms", 1e3 * busy50, 4);
  bench_number("p99_ms", 1e3 * busy99, 4);
  bench_number("goal_p99_ms", goal_ms, 0);
  bench_number("p99_ratio", busy99 / bench_quantile(idle, n, 0.99), 2);
  bench_end();
  return missed;
}

/* --- what is on show --- */

static int storm(const char *root) {
  char path[1000];
  struct screen s;
  snprintf(path, sizeof path, "%.900s/data/runs/drawer_close", root);
  screen_open(&s, path);
  int missed = paints(&s, "paint_under_storm", 'n', false);
  screen_close(&s);
  return missed;
}

static int analysis(const char *root) {
  char dir[300], run[400];
  struct thing thing;
  struct screen s;
  bench_folder(dir, sizeof dir);
  snprintf(run, sizeof run, "%s/run", dir);
  thing_open(&thing, 0, root, STEPS);
  thing_record(&thing, run, STEPS);
  thing_close(&thing);
  screen_open(&s, run);
  wait_until(&s, answered);
  press(&s, 'B');
  int missed = paints(&s, "paint_under_analysis", 'j', true);
  missed += frames(&s);
  screen_close(&s);
  bench_folder_remove(dir);
  return missed;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  int missed = storm(argv[1]);
  missed += analysis(argv[1]);
  return missed ? 1 : 0;
}
