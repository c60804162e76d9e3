/* Recording against the same loop (reset, policy, step, predicate) without a recorder, on a
 * humanoid and an arm: two envs of one seed move on in turns, a slice of steps each. Begin, rows
 * and the end of each episode count. Commits behind are what `record` does and what has a goal;
 * the same where each end waits for its commit, the processor's time, and what the disk takes for
 * such a file by itself, stand beside it. Then a pool of one and of two
 * threads against as many threads without a recorder. Usage: bench_record SOURCE_ROOT; it records
 * in TMPDIR. Prints JSON lines; exit 1 when a ratio misses its goal. */
#include <playhead/playhead.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLICE = 32, ROUNDS = 15, SCALE_ROUNDS = 5, SCALE_ENVS = 4 };

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
  fprintf(stderr, "bench_record: %s: %s\n", what, ph_error());
  exit(3);
}

/* --- one loop --- */

struct loop {
  ph_env *env;
  ph_recorder *rec; /* NULL: the same without */
  double action[64];
  bool done;
  long steps;
  double wall, cpu, commit, commit_cpu; /* [s] */
};

static void start(struct loop *l, uint64_t seed) {
  ph_row row;
  size_t n;
  need(ph_env_reset(l->env, seed, &row), "reset");
  const ph_edit *edits = ph_env_edits(l->env, &n);
  if (l->rec)
    need(ph_recorder_begin(l->rec, 0, seed, edits, n, &row), "begin");
  l->done = false;
}

static void step(struct loop *l) {
  const double *action = l->action;
  const int env_id = 0;
  ph_outcome out;
  need(ph_env_policy(l->env, l->action), "policy");
  need(ph_env_step(l->env, l->action, &out), "step");
  if (l->rec)
    need(ph_recorder_rows(l->rec, &env_id, 1, &action, NULL, &out.reward, &out.flags, &out.row),
         "rows");
  l->done = out.done;
  l->steps++;
  if (!out.done || !l->rec)
    return;
  double start_of_commit = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
  need(ph_recorder_end(l->rec, 0, out.end, out.end == PH_END_SUCCESS, out.detail), "end");
  l->commit += seconds(CLOCK_MONOTONIC) - start_of_commit;
  l->commit_cpu += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

/* A slice of an episode; the first one resets, the last one commits. */
static void move_on(struct loop *l, uint64_t seed, bool first) {
  double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
  if (first)
    start(l, seed);
  for (int k = 0; k < SLICE && !l->done; k++)
    step(l);
  l->wall += seconds(CLOCK_MONOTONIC) - wall;
  l->cpu += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

static void round_of(struct loop loops[2], uint64_t seed) {
  for (int i = 0; i < 2; i++) {
    loops[i].wall = loops[i].cpu = loops[i].commit = loops[i].commit_cpu = 0;
    loops[i].steps = 0;
  }
  for (int slice = 0; slice == 0 || !loops[0].done; slice++)
    for (int i = 0; i < 2; i++)
      move_on(&loops[(i + slice) % 2], seed, slice == 0);
}

/* --- overhead --- */

/* What the disk takes for as many bytes by themselves: a file written, flushed and named, and its
 * folder flushed. [s] */
static double bare_disk(const char *dir, size_t size) {
  char from[400], to[400];
  char *bytes = calloc(1, size);
  snprintf(from, sizeof from, "%s/floor.part", dir);
  snprintf(to, sizeof to, "%s/floor", dir);
  double start_of_write = seconds(CLOCK_MONOTONIC);
  int file = open(from, O_RDWR | O_CREAT | O_TRUNC, 0600);
  int folder = open(dir, O_RDONLY | O_DIRECTORY);
  if (!bytes || file < 0 || folder < 0 || write(file, bytes, size) != (ssize_t)size ||
      fsync(file) != 0 || rename(from, to) != 0 || fsync(folder) != 0)
    exit(3);
  double taken = seconds(CLOCK_MONOTONIC) - start_of_write;
  close(file);
  close(folder);
  unlink(to);
  free(bytes);
  return taken;
}

struct thing {
  const char *name;
  ph_task *task;
  ph_model *model;
};

static ph_recorder *recorder_of(const struct thing *thing, const char *dir, bool behind) {
  ph_recorder *rec;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = thing->task;
  opt.behind = behind;
  need(ph_recorder_open(&rec, dir, thing->model, &opt), "open");
  return rec;
}

/* Medians over the rounds. */
struct sums {
  double wall[ROUNDS], cpu[ROUNDS], row[ROUNDS], bare[ROUNDS];
  double commit[ROUNDS], commit_cpu[ROUNDS], disk[ROUNDS];
};

static void note(struct sums *s, int r, const struct loop loops[2], const char *root) {
  double steps = (double)loops[0].steps;
  double extra = loops[1].cpu - loops[0].cpu - loops[1].commit_cpu;
  s->wall[r] = loops[1].wall / loops[0].wall;
  s->cpu[r] = loops[1].cpu / loops[0].cpu;
  s->bare[r] = loops[0].cpu / steps;
  s->row[r] = extra / steps;
  s->commit[r] = loops[1].commit;
  s->commit_cpu[r] = loops[1].commit_cpu;
  s->disk[r] = bare_disk(root, (size_t)loops[0].steps * 1024);
}

static int print_overhead(const char *name, struct sums *s, long steps, bool behind) {
  double ratio = median(s->wall, ROUNDS);
  printf("{\"bench\":\"%s\",\"model\":\"%s\",\"ratio\":%.4f,%s"
         "\"cpu_ratio\":%.4f,\"step_us\":%.1f,\"row_us\":%.2f,\"end_ms\":%.2f,"
         "\"end_cpu_ms\":%.2f,\"bare_disk_ms\":%.2f,\"steps_per_episode\":%ld}\n",
         behind ? "record" : "record_waiting", name, ratio, behind ? "\"goal\":1.03," : "",
         median(s->cpu, ROUNDS), 1e6 * median(s->bare, ROUNDS), 1e6 * median(s->row, ROUNDS),
         1e3 * median(s->commit, ROUNDS), 1e3 * median(s->commit_cpu, ROUNDS),
         1e3 * median(s->disk, ROUNDS), steps / ROUNDS);
  fflush(stdout);
  return behind && ratio > 1.03;
}

static int overhead(const struct thing *thing, const char *root, bool behind) {
  struct loop loops[2] = {{.env = NULL}};
  struct sums sums;
  char dir[400];
  long steps = 0;
  snprintf(dir, sizeof dir, "%s/%s_%d", root, thing->name, behind);
  loops[1].rec = recorder_of(thing, dir, behind);
  for (int i = 0; i < 2; i++)
    need(ph_env_create(&loops[i].env, thing->task, thing->model, NULL), "env");
  round_of(loops, 999); /* warm */
  for (int r = 0; r < ROUNDS; r++) {
    round_of(loops, (uint64_t)r);
    note(&sums, r, loops, root);
    steps += loops[0].steps;
  }
  need(ph_recorder_close(loops[1].rec, NULL), "close");
  for (int i = 0; i < 2; i++)
    ph_env_free(loops[i].env);
  return print_overhead(thing->name, &sums, steps, behind);
}

/* --- scaling --- */

static double pool_run(const struct thing *thing, const char *dir, int jobs) {
  ph_pool *pool;
  ph_pool_options opt = PH_POOL_OPTIONS_INIT;
  opt.envs = SCALE_ENVS;
  opt.jobs = jobs;
  ph_recorder *rec = recorder_of(thing, dir, true);
  need(ph_pool_create(&pool, thing->task, thing->model, &opt), "pool");
  double start_of_run = seconds(CLOCK_MONOTONIC);
  need(ph_pool_run(pool, rec), "run");
  double taken = seconds(CLOCK_MONOTONIC) - start_of_run;
  ph_pool_free(pool);
  need(ph_recorder_close(rec, NULL), "close");
  return taken;
}

struct share {
  struct loop loop;
  int first, episodes;
};

static void *bare_share(void *arg) {
  struct share *s = arg;
  for (int i = 0; i < s->episodes; i++) {
    start(&s->loop, (uint64_t)(s->first + i));
    while (!s->loop.done)
      step(&s->loop);
  }
  return NULL;
}

/* The same work in threads that share nothing and record nothing. */
static double bare_run(const struct thing *thing, int jobs) {
  struct share shares[2] = {{.first = 0}};
  pthread_t threads[2];
  for (int i = 0; i < jobs; i++) {
    shares[i].episodes = SCALE_ENVS / jobs;
    shares[i].first = i * shares[i].episodes;
    need(ph_env_create(&shares[i].loop.env, thing->task, thing->model, NULL), "env");
  }
  double start_of_run = seconds(CLOCK_MONOTONIC);
  for (int i = 0; i < jobs; i++)
    if (pthread_create(&threads[i], NULL, bare_share, &shares[i]) != 0)
      exit(3);
  for (int i = 0; i < jobs; i++)
    pthread_join(threads[i], NULL);
  double taken = seconds(CLOCK_MONOTONIC) - start_of_run;
  for (int i = 0; i < jobs; i++)
    ph_env_free(shares[i].loop.env);
  return taken;
}

static int scaling(const struct thing *thing, const char *root) {
  double times[4][SCALE_ROUNDS];
  char dir[400];
  for (int r = 0; r < SCALE_ROUNDS; r++)
    for (int k = 0; k < 2; k++) {
      snprintf(dir, sizeof dir, "%s/scale_%s_%d_%d", root, thing->name, r, k);
      times[k][r] = pool_run(thing, dir, k + 1);
      times[2 + k][r] = bare_run(thing, k + 1);
    }
  double ours[SCALE_ROUNDS], bare[SCALE_ROUNDS];
  for (int r = 0; r < SCALE_ROUNDS; r++) {
    ours[r] = times[0][r] / times[1][r];
    bare[r] = times[2][r] / times[3][r];
  }
  double speedup = median(ours, SCALE_ROUNDS), can = median(bare, SCALE_ROUNDS);
  printf("{\"bench\":\"record_threads\",\"model\":\"%s\",\"speedup\":%.3f,\"bare_speedup\":%.3f,"
         "\"ratio\":%.3f,\"goal\":0.9}\n",
         thing->name, speedup, can, speedup / can);
  fflush(stdout);
  return speedup / can < 0.9;
}

static struct thing thing_open(const char *name, const char *root, const char *path) {
  struct thing thing = {.name = name};
  char file[1000];
  snprintf(file, sizeof file, "%s/%s", root, path);
  need(ph_task_open(&thing.task, file), name);
  need(ph_task_model(&thing.model, thing.task, NULL), name);
  return thing;
}

int main(int argc, char **argv) {
  const char *tmp = getenv("TMPDIR");
  char root[300], command[320];
  snprintf(root, sizeof root, "%.200s/playhead-bench-XXXXXX", tmp ? tmp : "/tmp");
  int missed = 0;
  if (argc != 2)
    return 2;
  if (!mkdtemp(root))
    return 3;
  struct thing things[] = {thing_open("humanoid", argv[1], "tests/bench/humanoid.lua"),
                           thing_open("arm", argv[1], "data/drawer_close.lua")};
  for (int i = 0; i < 4; i++)
    missed += overhead(&things[i % 2], root, i < 2);
  for (int i = 0; i < 2; i++)
    missed += scaling(&things[i], root);
  for (int i = 0; i < 2; i++) {
    ph_model_unref(things[i].model);
    ph_task_unref(things[i].task);
  }
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command) || missed ? 1 : 0;
}
