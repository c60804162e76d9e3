/* Episodes held against physics run again, on a humanoid and an arm, 10 substeps a step; processor
 * time on one processor, in turns; medians of the rounds are compared.
 *   verify         ph_verify_dynamic of one episode on one thread, accumulated and single steps,
 *                  against the bare loop (mj_step and a pure forward) over it
 *   record_verify  what `record --verify` adds to recording, in bare loops of what was recorded;
 *                  and recording with it against recording without
 * Usage: bench_verify SOURCE_ROOT; it records in TMPDIR. Prints JSON lines; exit 1 when a ratio
 * misses its goal. */
#include "bare.h"

#include <sys/stat.h>

enum { ROUNDS = 11, STEPS = 300 };

/* Of an episode that is bitwise. */
static double verify(const struct thing *thing) {
  ph_dynamics run;
  ph_dynamics_options opt = {.tolerance = ph_tolerance_default(), .jobs = 1};
  double used = bench_cpu();
  bench_need(ph_verify_dynamic(&run, thing->episode, thing->model, thing->task, &opt), "verify");
  used = bench_cpu() - used;
  if (run.ran && run.cls == PH_BITWISE && run.sum.one_cls == PH_BITWISE)
    return used;
  fprintf(stderr, "bench_verify: the %s is not bitwise: %s\n", thing->name, run.why);
  exit(3);
}

static int verify_all(const struct thing *thing) {
  double ratio[ROUNDS], step[ROUNDS];
  struct bare bare;
  bare_open(&bare, thing);
  verify(thing);
  double before = bare_cpu(&bare);
  for (int r = 0; r < ROUNDS; r++) {
    double ours = verify(thing), after = bare_cpu(&bare);
    ratio[r] = 2 * ours / (before + after);
    step[r] = ours / (double)thing->meta->actions;
    before = after;
  }
  bare_close(&bare);
  bench_begin("verify");
  bench_text("model", thing->name);
  bench_whole("steps", thing->meta->actions);
  bool missed = bench_at_most(bench_median(ratio, ROUNDS), 1.25);
  bench_number("step_us", 1e6 * bench_median(step, ROUNDS), 1);
  bench_end();
  return missed;
}

/* --- while it records --- */

static void unverified(void *user, const char *line) {
  (void)user;
  fprintf(stderr, "bench_verify: %s\n", line);
  exit(3);
}

static double record(const struct thing *thing, const char *dir, bool verified) {
  static int run;
  char path[400];
  snprintf(path, sizeof path, "%.300s/%d", dir, run++);
  double used = bench_cpu();
  thing_write(thing, path, STEPS, verified ? unverified : NULL);
  return bench_cpu() - used;
}

static int record_all(const struct thing *thing, const char *dir) {
  double added[ROUNDS], whole[ROUNDS];
  struct bare bare;
  bare_open(&bare, thing);
  record(thing, dir, true);
  double before = record(thing, dir, false);
  for (int r = 0; r < ROUNDS; r++) {
    double ours = record(thing, dir, true), floor = bare_cpu(&bare);
    double after = record(thing, dir, false), plain = (before + after) / 2;
    added[r] = (ours - plain) / floor;
    whole[r] = ours / plain;
    before = after;
  }
  bare_close(&bare);
  bench_begin("record_verify");
  bench_text("model", thing->name);
  bench_whole("steps", STEPS);
  bool missed = bench_at_most(bench_median(added, ROUNDS), 1.25);
  bench_number("to_recording", bench_median(whole, ROUNDS), 3);
  bench_end();
  return missed;
}

int main(int argc, char **argv) {
  char root[300], dir[400];
  int missed = 0;
  cpu_set_t processors;
  if (argc != 2)
    return 2;
  bench_folder(root, sizeof root);
  bench_pin(&processors);
  for (int i = 0; i < THINGS; i++) {
    struct thing thing;
    snprintf(dir, sizeof dir, "%s/%s", root, thing_names[i]);
    thing_open(&thing, i, argv[1], STEPS);
    thing_record(&thing, dir, STEPS);
    missed += verify_all(&thing);
    snprintf(dir, sizeof dir, "%s/%s_", root, thing_names[i]);
    mkdir(dir, 0700);
    missed += record_all(&thing, dir);
    thing_close(&thing);
  }
  bench_folder_remove(root);
  return missed ? 1 : 0;
}
