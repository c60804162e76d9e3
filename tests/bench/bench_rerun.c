/* Physics run again against its floors, on a humanoid and an arm, 10 substeps a step, judged by
 * their tasks. The free pass against a bare loop (mj_step and a pure forward) over the same
 * trajectory, on one processor; single steps on all cores against as many threads that run bare
 * loops; a seek in the kept states of the pass against a kinematic one. All in turns; medians of
 * the rounds are compared. Usage: bench_rerun SOURCE_ROOT [STEPS [MODEL [SUBSTEPS [seeks]]]]; it
 * records in TMPDIR; with `seeks` the passes are not measured. Of more than 5000 steps there are
 * fewer rounds, of more than 50 000 one. Prints JSON lines; exit 1 when a ratio misses its goal. */
#include "bare.h"

#include <string.h>

enum { ROUNDS = 11, SEEKS = 4000 };
static int rounds = ROUNDS; /* fewer of long episodes */

static ph_rerun *rerun_of(const struct thing *thing, int64_t anchor, size_t budget) {
  ph_rerun *run = NULL;
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.anchor = anchor;
  opt.budget = budget;
  bench_need(ph_rerun_create(&run, thing->episode, thing->model, thing->task, &opt), "rerun");
  return run;
}

/* Wall and processor time of a pass. It has to be bitwise. */
static void pass(ph_rerun *run, int jobs, bool one_step, double *wall, double *cpu) {
  ph_analysis *a = NULL;
  ph_analysis_summary sum;
  ph_analysis_options opt = {jobs, ph_tolerance_default(), !one_step, false};
  double begun = bench_now(), used = bench_cpu();
  bench_need(ph_analysis_start(&a, run, &opt), "start");
  bench_need(ph_analysis_wait(a, NULL, NULL), "wait");
  *wall = bench_now() - begun;
  *cpu = bench_cpu() - used;
  ph_analysis_sum(a, &sum);
  ph_analysis_free(a);
  if (sum.cls == PH_BITWISE && sum.one_cls == PH_BITWISE)
    return;
  fprintf(stderr, "bench_rerun: not bitwise from step %lld on, single steps %lld\n",
          (long long)sum.first[PH_ROUNDING], (long long)sum.one_first[PH_ROUNDING]);
  exit(3);
}

/* --- passes --- */

/* Runs again after a pass find its states: each round has a rerun of its own. Each pass is held
 * against the bare loops before and after it. */
static int free_pass(const struct thing *thing) {
  double cpu[ROUNDS], wall[ROUNDS], step[ROUNDS], begin[ROUNDS], faults[ROUNDS], unused;
  double least = INFINITY, least_bare = INFINITY;
  cpu_set_t processors;
  struct bare bare;
  bench_pin(&processors);
  bare_open(&bare, thing);
  bare_cpu(&bare);
  double before = bare_cpu(&bare);
  for (int r = 0; r < rounds; r++) {
    double ours, used;
    ph_rerun *run = rerun_of(thing, 0, 0), *last = rerun_of(thing, thing->meta->states - 1, 0);
    long faulted = bench_faults();
    pass(run, 1, false, &ours, &used);
    faults[r] = (double)(bench_faults() - faulted);
    pass(last, 1, false, &unused, &begin[r]);
    ph_rerun_unref(last);
    ph_rerun_unref(run);
    double after = bare_cpu(&bare);
    step[r] = (before + after) / 2 / (double)thing->meta->actions;
    cpu[r] = (before + after) / 2 / used;
    least = fmin(least, used);
    least_bare = fmin(least_bare, fmin(before, after));
    wall[r] = used / ours;
    before = after;
  }
  bare_close(&bare);
  bench_unpin(&processors);
  double ratio = bench_median(cpu, rounds);
  bench_begin("free_pass");
  bench_text("model", thing->name);
  bench_whole("steps", thing->meta->actions);
  bool missed = bench_at_least(ratio, 0.95);
  bench_number("least_ratio", least_bare / least, 4);
  bench_number("lowest", cpu[0], 4);
  bench_number("highest", cpu[rounds - 1], 4);
  bench_number("bare_step_us", 1e6 * bench_median(step, rounds), 1);
  bench_number("begin_us", 1e6 * bench_median(begin, rounds), 1);
  bench_number("page_faults", bench_median(faults, rounds), 0);
  bench_number("of_processor", bench_median(wall, rounds), 3); /* the rest went to others */
  bench_end();
  /* What only the median misses is what others do to the caches. */
  return missed && least_bare / least < 0.95;
}

/* The free run begins at the last state: single steps alone. */
static int one_step_pass(const struct thing *thing, int cores) {
  double ratio[ROUNDS], cpu[ROUNDS], speedup[ROUNDS], can[ROUNDS];
  struct bare bare[THREADS_MAX];
  ph_rerun *run = rerun_of(thing, thing->meta->states - 1, 0);
  for (int i = 0; i < cores; i++)
    bare_open(&bare[i], thing);
  for (int r = 0; r < rounds; r++) {
    double wall, used, bare_used = bench_cpu();
    double one = bare_threads(bare, 1);
    bare_used = bench_cpu() - bare_used;
    double before = bare_threads(bare, cores);
    pass(run, cores, true, &wall, &used);
    double all = (before + bare_threads(bare, cores)) / 2;
    ratio[r] = all / wall;
    cpu[r] = bare_used / used;
    speedup[r] = one / wall;
    can[r] = one / all;
  }
  for (int i = 0; i < cores; i++)
    bare_close(&bare[i]);
  ph_rerun_unref(run);
  double reached = bench_median(ratio, rounds);
  bench_begin("one_step_pass");
  bench_text("model", thing->name);
  bench_whole("steps", thing->meta->actions);
  bench_whole("cores", cores);
  bool missed = bench_at_least(reached, 0.85);
  bench_number("cpu_ratio", bench_median(cpu, rounds), 4);
  bench_number("speedup", bench_median(speedup, rounds), 3);
  bench_number("bare_speedup", bench_median(can, rounds), 3);
  bench_end();
  return missed;
}

/* --- seeks --- */

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
  bench_need(ph_cursor_open(&cursor, run), "cursor");
  bench_need(ph_replay_create(&replay, thing->episode, thing->model, NULL), "replay");
  for (int i = 0; i < SEEKS; i++) {
    int64_t step = bench_random(&random, thing->meta->states);
    double t0 = bench_now();
    bench_need(ph_cursor_seek(cursor, step, 0, NULL, NULL), "seek");
    double t1 = bench_now();
    bench_need(ph_replay_seek(replay, step, 0, PH_KINEMATIC), "kinematic");
    ours[i] = t1 - t0;
    plain[i] = bench_now() - t1;
    walked = walked || ph_cursor_cost(cursor) > 0;
  }
  double mine = bench_median(ours, SEEKS);
  bench_begin("dynamic_seek");
  bench_text("model", thing->name);
  bench_whole("steps", thing->meta->actions);
  bool missed = bench_at_most(mine / bench_median(plain, SEEKS), 1.5);
  bench_number("p50_us", 1e6 * mine, 2);
  bench_number("p99_us", 1e6 * bench_quantile(ours, SEEKS, 0.99), 2);
  bench_whole("every", cache.every);
  bench_number("cache_mib", (double)cache.bytes / 1048576, 2);
  bench_end();
  ph_replay_free(replay);
  ph_cursor_close(cursor);
  ph_rerun_unref(run);
  return missed || walked || cache.every != 1;
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
  bench_need(ph_cursor_open(&cursor, run), "cursor");
  for (int i = 0; i < 300; i++) {
    int64_t step = bench_random(&random, thing->meta->states);
    bench_need(ph_cursor_seek(cursor, step, 0, NULL, NULL), "seek");
    most = ph_cursor_cost(cursor) > most ? ph_cursor_cost(cursor) : most;
  }
  bench_begin("thin_seek");
  bench_text("model", thing->name);
  bench_whole("steps", thing->meta->actions);
  bench_whole("every", cache.every);
  bench_whole("most", most);
  bench_whole("goal", cache.every - 1);
  bench_end();
  ph_cursor_close(cursor);
  ph_rerun_unref(run);
  return most > cache.every - 1;
}

int main(int argc, char **argv) {
  char root[300], dir[400];
  long steps = argc >= 3 ? atol(argv[2]) : 600;
  int missed = 0;
  if (argc < 2 || argc > 6 || steps < 1)
    return 2;
  rounds = steps > 50000 ? 1 : steps > 5000 ? 3 : ROUNDS;
  thing_substeps = argc >= 5 ? atoi(argv[4]) : 0;
  bench_folder(root, sizeof root);
  for (int i = 0; i < THINGS; i++) {
    struct thing thing;
    if (argc >= 4 && strcmp(argv[3], thing_names[i]) != 0)
      continue;
    snprintf(dir, sizeof dir, "%s/%s", root, thing_names[i]);
    thing_open(&thing, i, argv[1], steps);
    thing_record(&thing, dir, steps);
    missed += argc < 6 ? free_pass(&thing) : 0;
    missed += argc < 6 ? one_step_pass(&thing, bench_cores()) : 0;
    missed += seeks(&thing);
    missed += thin_seeks(&thing);
    thing_close(&thing);
  }
  bench_begin("rerun_memory");
  bench_number("most_mib", bench_most_memory(), 1);
  bench_end();
  bench_folder_remove(root);
  return missed ? 1 : 0;
}
