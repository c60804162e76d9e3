/* Physics run again against its floors, on a humanoid and an arm, 10 substeps a step, judged by
 * their tasks. The free pass against a bare loop (mj_step and a pure forward) over the same
 * trajectory; single steps on all cores against as many threads that run bare loops; a seek in the
 * kept states of the pass against a kinematic one. All in turns; medians are compared.
 * Usage: bench_rerun SOURCE_ROOT [STEPS]; it records in TMPDIR. Prints JSON lines; exit 1 when a
 * ratio misses its goal. */
#include "mj.h"

#include <playhead/playhead.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, SEEKS = 4000, THREADS_MAX = 64 };

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, compare);
  return x[n / 2];
}

static void need(ph_status status, const char *what) {
  if (status == PH_OK)
    return;
  fprintf(stderr, "bench_rerun: %s: %s\n", what, ph_error());
  exit(3);
}

/* --- what is run again --- */

struct thing {
  const char *name;
  ph_task *task;
  ph_model *model;
  ph_store *store;
  ph_episode *episode;
  const ph_episode_meta *meta;
  double *ctrl;      /* (states x nu) in force */
  double *state;     /* (states x (1+nq+nv+na)) */
  double *warmstart; /* (states x nv) */
};

/* The task of a file, but that nothing ends its episodes before `steps`. */
static void task_open(struct thing *thing, const char *root, const char *path, long steps) {
  static char source[1 << 16], text[1 << 17];
  char file[1000];
  ph_task *named = NULL;
  snprintf(file, sizeof file, "%s/%s", root, path);
  FILE *f = fopen(file, "r");
  size_t n = f ? fread(source, 1, sizeof source - 1, f) : 0;
  source[n] = 0;
  if (!f || fclose(f) != 0)
    exit(3);
  snprintf(text, sizeof text,
           "local t = (function()\n%s\nend)()\nt.max_steps, t.hold_seconds, t.failure = %ld, 1e5, "
           "nil\nreturn t\n",
           source, steps);
  need(ph_task_parse(&thing->task, text, strlen(text), path), "task");
  need(ph_task_open(&named, file), "task");
  need(ph_task_model(&thing->model, named, NULL), "model");
  ph_task_unref(named);
}

static void record(const struct thing *thing, const char *dir, long steps) {
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  ph_recorder *rec = NULL;
  ph_env *env = NULL;
  ph_row row;
  ph_outcome out = {.done = false};
  double action[64];
  const double *actions = action;
  const int env_id = 0;
  size_t n;
  opt.task = thing->task;
  need(ph_recorder_open(&rec, dir, thing->model, &opt), "recorder");
  need(ph_env_create(&env, thing->task, thing->model, NULL), "env");
  need(ph_env_reset(env, 3, &row), "reset");
  const ph_edit *edits = ph_env_edits(env, &n);
  need(ph_recorder_begin(rec, 0, 3, edits, n, &row), "begin");
  for (long t = 0; t < steps && !out.done; t++) {
    need(ph_env_policy(env, action), "policy");
    need(ph_env_step(env, action, &out), "step");
    need(ph_recorder_rows(rec, &env_id, 1, &actions, NULL, &out.reward, &out.flags, &out.row),
         "rows");
  }
  need(ph_recorder_end(rec, 0, PH_END_TRUNCATED, 0, ""), "end");
  need(ph_recorder_close(rec, NULL), "close");
  ph_env_free(env);
}

static double *column(const struct thing *thing, ph_column col) {
  size_t width = ph_schema_width(col, &thing->meta->dims);
  double *all = calloc((size_t)thing->meta->states * width + 1, sizeof *all);
  if (!all)
    exit(3);
  need(ph_episode_read(thing->episode, col, 0, thing->meta->states, all), "read");
  return all;
}

static void thing_open(struct thing *thing, const char *name, const char *root, const char *path,
                       const char *dir, long steps) {
  *thing = (struct thing){.name = name};
  task_open(thing, root, path, steps);
  record(thing, dir, steps);
  need(ph_store_open(&thing->store, &dir, 1, NULL), "store");
  need(ph_store_episode(&thing->episode, thing->store, 0), "episode");
  thing->meta = ph_episode_meta_of(thing->episode);
  thing->ctrl = column(thing, PH_COL_CTRL);
  thing->state = column(thing, PH_COL_STATES);
  thing->warmstart = column(thing, PH_COL_WARMSTART);
}

static void thing_close(struct thing *thing) {
  free(thing->warmstart);
  free(thing->state);
  free(thing->ctrl);
  ph_episode_free(thing->episode);
  ph_store_free(thing->store);
  ph_model_unref(thing->model);
  ph_task_unref(thing->task);
}

/* --- the bare loop --- */

struct bare {
  const struct thing *thing;
  ph_sim *sim;
  int64_t first, n; /* transitions */
};

static void bare_open(struct bare *b, const struct thing *thing) {
  size_t n;
  const ph_edit *edits = ph_episode_edits(thing->episode, &n);
  *b = (struct bare){.thing = thing, .n = thing->meta->actions};
  need(ph_sim_create(&b->sim, thing->model), "sim");
  need(ph_sim_edit(b->sim, edits, n), "edits");
}

static void *bare_loop(void *arg) {
  const struct bare *b = arg;
  const struct thing *thing = b->thing;
  ph_sim *sim = b->sim;
  size_t nu = (size_t)sim->m->nu, width = (size_t)ph_mj_width(sim->m, PH_COL_STATES);
  ph_row row = {.state = thing->state + (size_t)b->first * width,
                .warmstart = thing->warmstart + (size_t)b->first * (size_t)sim->m->nv,
                .ctrl = thing->ctrl + (size_t)b->first * nu};
  need(ph_sim_set_row(sim, &row), "row");
  for (int64_t t = b->first; t < b->first + b->n; t++) {
    memcpy(sim->d->ctrl, thing->ctrl + (size_t)(t + 1) * nu, nu * sizeof(double));
    for (int k = 0; k < thing->meta->dims.control_steps; k++)
      mj_step(sim->m, sim->d);
    ph_mj_pure_forward(sim->m, sim->d, sim->scratch);
  }
  return NULL;
}

/* As many threads as given share the steps out. [s] */
static double bare_threads(struct bare *bare, int n) {
  pthread_t threads[THREADS_MAX];
  double begun = seconds(CLOCK_MONOTONIC);
  for (int i = 0; i < n; i++) {
    bare[i].first = i * bare[i].thing->meta->actions / n;
    bare[i].n = (i + 1) * bare[i].thing->meta->actions / n - bare[i].first;
    if (pthread_create(&threads[i], NULL, bare_loop, &bare[i]) != 0)
      exit(3);
  }
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  return seconds(CLOCK_MONOTONIC) - begun;
}

/* --- passes --- */

static ph_rerun *rerun_of(const struct thing *thing, int64_t anchor, size_t budget) {
  ph_rerun *run = NULL;
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.anchor = anchor;
  opt.budget = budget;
  need(ph_rerun_create(&run, thing->episode, thing->model, thing->task, &opt), "rerun");
  return run;
}

/* Wall and processor time of a pass. It has to be bitwise. */
static void pass(ph_rerun *run, int jobs, bool one_step, double *wall, double *cpu) {
  ph_analysis *a = NULL;
  ph_analysis_summary sum;
  ph_analysis_options opt = {jobs, ph_tolerance_default(), !one_step, false};
  double begun = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
  need(ph_analysis_start(&a, run, &opt), "start");
  need(ph_analysis_wait(a, NULL, NULL), "wait");
  *wall = seconds(CLOCK_MONOTONIC) - begun;
  *cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
  ph_analysis_sum(a, &sum);
  ph_analysis_free(a);
  if (sum.cls == PH_BITWISE && sum.one_cls == PH_BITWISE)
    return;
  fprintf(stderr, "bench_rerun: not bitwise from step %lld on, single steps %lld\n",
          (long long)sum.first[PH_ROUNDING], (long long)sum.one_first[PH_ROUNDING]);
  exit(3);
}

/* Runs again after a pass find its states: each round has a rerun of its own. */
static int free_pass(const struct thing *thing) {
  double wall[ROUNDS], cpu[ROUNDS], step[ROUNDS];
  struct bare bare;
  bare_open(&bare, thing);
  for (int r = 0; r < ROUNDS; r++) {
    double ours, ours_cpu, begun, used;
    ph_rerun *run = rerun_of(thing, 0, 0);
    pass(run, 1, false, &ours, &ours_cpu);
    ph_rerun_unref(run);
    begun = seconds(CLOCK_MONOTONIC);
    used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    bare_loop(&bare);
    step[r] = (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) / (double)thing->meta->actions;
    wall[r] = (seconds(CLOCK_MONOTONIC) - begun) / ours;
    cpu[r] = step[r] * (double)thing->meta->actions / ours_cpu;
  }
  ph_sim_free(bare.sim);
  double ratio = median(cpu, ROUNDS);
  printf("{\"bench\":\"free_pass\",\"model\":\"%s\",\"steps\":%lld,\"ratio\":%.4f,\"goal\":0.95,"
         "\"wall_ratio\":%.4f,\"bare_step_us\":%.1f}\n",
         thing->name, (long long)thing->meta->actions, ratio, median(wall, ROUNDS),
         1e6 * median(step, ROUNDS));
  fflush(stdout);
  return ratio < 0.95;
}

/* The free run begins at the last state: single steps alone. */
static int one_step_pass(const struct thing *thing, int cores) {
  double ratio[ROUNDS], cpu[ROUNDS], speedup[ROUNDS], can[ROUNDS];
  struct bare bare[THREADS_MAX];
  ph_rerun *run = rerun_of(thing, thing->meta->states - 1, 0);
  for (int i = 0; i < cores; i++)
    bare_open(&bare[i], thing);
  for (int r = 0; r < ROUNDS; r++) {
    double wall, used, one = bare_threads(bare, 1), all = bare_threads(bare, cores), bare_cpu;
    bare_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    bare_threads(bare, 1);
    bare_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - bare_cpu;
    pass(run, cores, true, &wall, &used);
    ratio[r] = all / wall;
    cpu[r] = bare_cpu / used;
    speedup[r] = one / wall;
    can[r] = one / all;
  }
  for (int i = 0; i < cores; i++)
    ph_sim_free(bare[i].sim);
  ph_rerun_unref(run);
  double reached = median(ratio, ROUNDS);
  printf("{\"bench\":\"one_step_pass\",\"model\":\"%s\",\"steps\":%lld,\"cores\":%d,"
         "\"ratio\":%.4f,\"goal\":0.85,\"cpu_ratio\":%.4f,\"speedup\":%.3f,\"bare_speedup\":%.3f}"
         "\n",
         thing->name, (long long)thing->meta->actions, cores, reached, median(cpu, ROUNDS),
         median(speedup, ROUNDS), median(can, ROUNDS));
  fflush(stdout);
  return reached < 0.85;
}

/* --- seeks --- */

static int64_t random_step(unsigned *random, int64_t states) {
  *random = *random * 1664525u + 1013904223u;
  return (int64_t)((double)*random / 4294967296.0 * (double)states);
}

/* While every step is kept: against a kinematic seek, which has no task to ask. */
static int seeks(const struct thing *thing) {
  static double ours[SEEKS], plain[SEEKS];
  double wall, cpu;
  unsigned random = 12345;
  ph_rerun *run = rerun_of(thing, 0, (size_t)1 << 30);
  ph_rerun_cache cache;
  ph_cursor *cursor = NULL;
  ph_replay *replay = NULL;
  bool walked = false;
  pass(run, 1, false, &wall, &cpu);
  ph_rerun_cached(run, &cache);
  need(ph_cursor_open(&cursor, run), "cursor");
  need(ph_replay_create(&replay, thing->episode, thing->model, NULL), "replay");
  for (int i = 0; i < SEEKS; i++) {
    int64_t step = random_step(&random, thing->meta->states);
    double t0 = seconds(CLOCK_MONOTONIC);
    need(ph_cursor_seek(cursor, step, 0, NULL, NULL), "seek");
    double t1 = seconds(CLOCK_MONOTONIC);
    need(ph_replay_seek(replay, step, 0, PH_KINEMATIC), "kinematic");
    ours[i] = t1 - t0;
    plain[i] = seconds(CLOCK_MONOTONIC) - t1;
    walked = walked || ph_cursor_cost(cursor) > 0;
  }
  double mine = median(ours, SEEKS), ratio = mine / median(plain, SEEKS);
  printf("{\"bench\":\"dynamic_seek\",\"model\":\"%s\",\"steps\":%lld,\"ratio\":%.3f,\"goal\":1.5,"
         "\"p50_us\":%.2f,\"p99_us\":%.2f,\"every\":%lld,\"cache_mib\":%.2f}\n",
         thing->name, (long long)thing->meta->actions, ratio, 1e6 * mine,
         1e6 * ours[(int)(0.99 * SEEKS)], (long long)cache.every, (double)cache.bytes / 1048576);
  fflush(stdout);
  ph_replay_free(replay);
  ph_cursor_close(cursor);
  ph_rerun_unref(run);
  return ratio > 1.5 || walked || cache.every != 1;
}

/* Where there is room for a tenth of them: never more than K-1 control steps. */
static int thin_seeks(const struct thing *thing) {
  double wall, cpu;
  unsigned random = 54321;
  int64_t most = 0;
  ph_rerun_cache cache;
  ph_cursor *cursor = NULL;
  ph_rerun *run = rerun_of(thing, 0, (size_t)thing->meta->states * 150);
  pass(run, 1, false, &wall, &cpu);
  ph_rerun_cached(run, &cache);
  need(ph_cursor_open(&cursor, run), "cursor");
  for (int i = 0; i < 300; i++) {
    need(ph_cursor_seek(cursor, random_step(&random, thing->meta->states), 0, NULL, NULL), "seek");
    most = ph_cursor_cost(cursor) > most ? ph_cursor_cost(cursor) : most;
  }
  printf("{\"bench\":\"thin_seek\",\"model\":\"%s\",\"steps\":%lld,\"every\":%lld,\"most\":%lld,"
         "\"goal\":%lld}\n",
         thing->name, (long long)thing->meta->actions, (long long)cache.every, (long long)most,
         (long long)cache.every - 1);
  fflush(stdout);
  ph_cursor_close(cursor);
  ph_rerun_unref(run);
  return most > cache.every - 1;
}

int main(int argc, char **argv) {
  static const char *const tasks[2][2] = {{"humanoid", "tests/bench/humanoid.lua"},
                                          {"arm", "data/drawer_close.lua"}};
  const char *tmp = getenv("TMPDIR");
  char root[300], dir[400], command[320];
  long steps = argc == 3 ? atol(argv[2]) : 1500;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int missed = 0, cores = processors < 1 ? 1 : processors < THREADS_MAX ? (int)processors : 8;
  struct rusage usage;
  snprintf(root, sizeof root, "%.200s/playhead-bench-XXXXXX", tmp ? tmp : "/tmp");
  if (argc < 2 || argc > 3 || steps < 1)
    return 2;
  if (!mkdtemp(root))
    return 3;
  for (int i = 0; i < 2; i++) {
    struct thing thing;
    snprintf(dir, sizeof dir, "%s/%s", root, tasks[i][0]);
    thing_open(&thing, tasks[i][0], argv[1], tasks[i][1], dir, steps);
    missed += free_pass(&thing);
    missed += one_step_pass(&thing, cores);
    missed += seeks(&thing);
    missed += thin_seeks(&thing);
    thing_close(&thing);
  }
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"bench\":\"rerun_memory\",\"max_mib\":%.1f}\n", (double)usage.ru_maxrss / 1024);
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command) || missed ? 1 : 0;
}
