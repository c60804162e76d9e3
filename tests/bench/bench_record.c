/* Recording against the same loop (reset, policy, step, predicate) without a recorder, on a
 * humanoid and an arm: two envs of one seed move on in turns, a slice of steps each. Begin, rows
 * and the end of each episode count. Commits behind are what `record` does and what has a goal;
 * the same where each end waits for its commit, the processor's time, and what the disk takes for
 * such a file by itself, stand beside it. Then a pool of one and of two
 * threads against as many threads without a recorder. Usage: bench_record SOURCE_ROOT; it records
 * in TMPDIR. Prints JSON lines; exit 1 when a ratio misses its goal. */
#include "bench.h"

#include <fcntl.h>
#include <pthread.h>

enum { SLICE = 32, ROUNDS = 15, SCALE_ROUNDS = 5, SCALE_ENVS = 4 };

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
  bench_need(ph_env_reset(l->env, seed, &row), "reset");
  const ph_edit *edits = ph_env_edits(l->env, &n);
  if (l->rec)
    bench_need(ph_recorder_begin(l->rec, 0, seed, edits, n, &row), "begin");
  l->done = false;
}

static void step(struct loop *l) {
  const double *action = l->action;
  const int env_id = 0;
  ph_outcome out;
  bench_need(ph_env_policy(l->env, l->action), "policy");
  bench_need(ph_env_step(l->env, l->action, &out), "step");
  if (l->rec)
    bench_need(
        ph_recorder_rows(l->rec, &env_id, 1, &action, NULL, &out.reward, &out.flags, &out.row),
        "rows");
  l->done = out.done;
  l->steps++;
  if (!out.done || !l->rec)
    return;
  double start_of_commit = bench_clock(CLOCK_MONOTONIC), cpu = bench_clock(CLOCK_THREAD_CPUTIME_ID);
  bench_need(ph_recorder_end(l->rec, 0, out.end, out.end == PH_END_SUCCESS, out.detail), "end");
  l->commit += bench_clock(CLOCK_MONOTONIC) - start_of_commit;
  l->commit_cpu += bench_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

/* A slice of an episode; the first one resets, the last one commits. */
static void move_on(struct loop *l, uint64_t seed, bool first) {
  double wall = bench_clock(CLOCK_MONOTONIC), cpu = bench_clock(CLOCK_THREAD_CPUTIME_ID);
  if (first)
    start(l, seed);
  for (int k = 0; k < SLICE && !l->done; k++)
    step(l);
  l->wall += bench_clock(CLOCK_MONOTONIC) - wall;
  l->cpu += bench_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
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
  double start_of_write = bench_clock(CLOCK_MONOTONIC);
  int file = open(from, O_RDWR | O_CREAT | O_TRUNC, 0600);
  int folder = open(dir, O_RDONLY | O_DIRECTORY);
  if (!bytes || file < 0 || folder < 0 || write(file, bytes, size) != (ssize_t)size ||
      fsync(file) != 0 || rename(from, to) != 0 || fsync(folder) != 0)
    exit(3);
  double taken = bench_clock(CLOCK_MONOTONIC) - start_of_write;
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
  bench_need(ph_recorder_open(&rec, dir, thing->model, &opt), "open");
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
  double ratio = bench_median(s->wall, ROUNDS);
  bench_begin(behind ? "record" : "record_waiting");
  bench_text("model", name);
  bool missed = bench_at_most(ratio, behind ? 1.03 : NAN);
  bench_number("cpu_ratio", bench_median(s->cpu, ROUNDS), 4);
  bench_number("step_us", 1e6 * bench_median(s->bare, ROUNDS), 1);
  bench_number("row_us", 1e6 * bench_median(s->row, ROUNDS), 2);
  bench_number("end_ms", 1e3 * bench_median(s->commit, ROUNDS), 2);
  bench_number("end_cpu_ms", 1e3 * bench_median(s->commit_cpu, ROUNDS), 2);
  bench_number("bare_disk_ms", 1e3 * bench_median(s->disk, ROUNDS), 2);
  bench_whole("steps_per_episode", steps / ROUNDS);
  bench_end();
  return behind && missed;
}

static int overhead(const struct thing *thing, const char *root, bool behind) {
  struct loop loops[2] = {{.env = NULL}};
  struct sums sums;
  char dir[400];
  long steps = 0;
  snprintf(dir, sizeof dir, "%s/%s_%d", root, thing->name, behind);
  loops[1].rec = recorder_of(thing, dir, behind);
  for (int i = 0; i < 2; i++)
    bench_need(ph_env_create(&loops[i].env, thing->task, thing->model, NULL), "env");
  round_of(loops, 999); /* warm */
  for (int r = 0; r < ROUNDS; r++) {
    round_of(loops, (uint64_t)r);
    note(&sums, r, loops, root);
    steps += loops[0].steps;
  }
  bench_need(ph_recorder_close(loops[1].rec, NULL), "close");
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
  bench_need(ph_pool_create(&pool, thing->task, thing->model, &opt), "pool");
  double start_of_run = bench_clock(CLOCK_MONOTONIC);
  bench_need(ph_pool_run(pool, rec), "run");
  double taken = bench_clock(CLOCK_MONOTONIC) - start_of_run;
  ph_pool_free(pool);
  bench_need(ph_recorder_close(rec, NULL), "close");
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
    bench_need(ph_env_create(&shares[i].loop.env, thing->task, thing->model, NULL), "env");
  }
  double start_of_run = bench_clock(CLOCK_MONOTONIC);
  for (int i = 0; i < jobs; i++)
    if (pthread_create(&threads[i], NULL, bare_share, &shares[i]) != 0)
      exit(3);
  for (int i = 0; i < jobs; i++)
    pthread_join(threads[i], NULL);
  double taken = bench_clock(CLOCK_MONOTONIC) - start_of_run;
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
  double speedup = bench_median(ours, SCALE_ROUNDS), can = bench_median(bare, SCALE_ROUNDS);
  bench_begin("record_threads");
  bench_text("model", thing->name);
  bool missed = bench_at_least(speedup / can, 0.9);
  bench_number("speedup", speedup, 3);
  bench_number("bare_speedup", can, 3);
  bench_end();
  return missed;
}

static struct thing thing_open(const char *name, const char *root, const char *path) {
  struct thing thing = {.name = name};
  char file[1000];
  snprintf(file, sizeof file, "%s/%s", root, path);
  bench_need(ph_task_open(&thing.task, file), name);
  bench_need(ph_task_model(&thing.model, thing.task, NULL), name);
  return thing;
}

int main(int argc, char **argv) {
  char root[300];
  int missed = 0;
  if (argc != 2)
    return 2;
  bench_folder(root, sizeof root);
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
  bench_folder_remove(root);
  return missed ? 1 : 0;
}
