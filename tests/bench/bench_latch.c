/* The predicate of an episode along its recorded states, and every hold asked of it, on a humanoid
 * and an arm; processor time on one processor, in turns; medians of the rounds are compared.
 *   latch        ph_outcomes_take by its states against a bare loop over rows in memory: the row
 *                into the engine, a pure forward, the task's success
 *   latch_holds  a thousand holds of 10^6 rows that flicker, against taking the rows once
 * Usage: bench_latch SOURCE_ROOT; it records in TMPDIR. Prints JSON lines; exit 1 when a ratio
 * misses its goal. */
#include "thing.h"

#include "script.h"
#include "task.h"

enum { ROUNDS = 11, STEPS = 1000, ROWS = 1000000, HOLDS = 1000 };

/* --- the floor --- */

struct floor {
  const struct thing *thing;
  ph_sim *sim;
  ph_script *script;
  struct ph_start *start;
  size_t width, nv, nu;
};

static void put(struct floor *f, int64_t t) {
  const struct thing *thing = f->thing;
  ph_row row = {.state = thing->state + (size_t)t * f->width,
                .warmstart = thing->warmstart + (size_t)t * f->nv,
                .ctrl = thing->ctrl + (size_t)t * f->nu};
  bench_need(ph_sim_set_row(f->sim, &row), "row");
  bench_need(ph_sim_forward(f->sim), "forward");
}

static void floor_open(struct floor *f, const struct thing *thing) {
  const ph_dims *dims = &thing->meta->dims;
  *f = (struct floor){.thing = thing,
                      .width = ph_schema_width(PH_COL_STATES, dims),
                      .nv = (size_t)dims->nv,
                      .nu = (size_t)dims->nu};
  bench_need(ph_sim_create(&f->sim, thing->model), "sim");
  bench_need(ph_task_script(&f->script, thing->task), "script");
  put(f, 0);
  f->start = ph_start_new(f->sim);
}

static void floor_close(struct floor *f) {
  ph_start_free(f->start);
  ph_script_free(f->script);
  ph_sim_free(f->sim);
}

static double floor_cpu(struct floor *f) {
  double used = bench_cpu();
  for (int64_t t = 0; t < f->thing->meta->states; t++) {
    ph_scene scene = {.sim = f->sim, .step = t, .start = f->start};
    bool value = false;
    put(f, t);
    bench_need(ph_script_success(f->script, &scene, &value, NULL), "success");
  }
  return bench_cpu() - used;
}

/* --- ours --- */

static double take(const struct thing *thing) {
  ph_outcomes of;
  ph_latch_answer answer;
  double used = bench_cpu();
  bench_need(
      ph_outcomes_take(&of, PH_LATCH_KINEMATIC, thing->episode, thing->model, thing->task, NULL),
      "latch");
  ph_outcomes_latch(&of, thing->meta->hold_steps, &answer);
  used = bench_cpu() - used;
  if (!of.known || of.rows != thing->meta->actions)
    exit(3);
  ph_outcomes_free(&of);
  return used;
}

static int latch(const struct thing *thing) {
  double ratio[ROUNDS], step[ROUNDS];
  struct floor floor;
  floor_open(&floor, thing);
  take(thing);
  double before = floor_cpu(&floor);
  for (int r = 0; r < ROUNDS; r++) {
    double ours = take(thing), after = floor_cpu(&floor);
    ratio[r] = 2 * ours / (before + after);
    step[r] = ours / (double)thing->meta->actions;
    before = after;
  }
  floor_close(&floor);
  double one = bench_median(step, ROUNDS);
  bench_begin("latch");
  bench_text("model", thing->name);
  bench_whole("steps", thing->meta->actions);
  bool missed = bench_at_most(bench_median(ratio, ROUNDS), 1.15);
  bench_number("step_us", 1e6 * one, 2);
  bench_number("steps_per_second", 1 / one, 0);
  bench_end();
  return missed;
}

/* --- holds --- */

/* Runs of 200 rows or so. */
static uint8_t *flicker(void) {
  uint8_t *bits = malloc(ROWS);
  unsigned state = 1;
  if (!bits)
    exit(3);
  for (int64_t i = 0, on = 0; i < ROWS; on = !on)
    for (int64_t left = 1 + bench_random(&state, 400); left > 0 && i < ROWS; left--)
      bits[i++] = (uint8_t)on;
  return bits;
}

static int holds(void) {
  double ratio[ROUNDS], one[ROUNDS];
  uint8_t *bits = flicker();
  for (int r = 0; r < ROUNDS; r++) {
    ph_intervals iv = {0};
    ph_latching out;
    double start = bench_cpu();
    bench_need(ph_intervals_add(&iv, bits, ROWS), "rows");
    double taken = bench_cpu();
    for (int64_t hold = 0; hold < HOLDS; hold++)
      ph_intervals_latch(&iv, hold, &out);
    one[r] = (bench_cpu() - taken) / HOLDS;
    ratio[r] = one[r] / (taken - start);
    ph_intervals_free(&iv);
  }
  free(bits);
  bench_begin("latch_holds");
  bench_whole("rows", ROWS);
  bool missed = bench_at_most(bench_median(ratio, ROUNDS), 0.1);
  bench_number("hold_us", 1e6 * bench_median(one, ROUNDS), 2);
  bench_end();
  return missed;
}

int main(int argc, char **argv) {
  char root[300], dir[400];
  cpu_set_t processors;
  if (argc != 2)
    return 2;
  bench_folder(root, sizeof root);
  bench_pin(&processors);
  int missed = holds();
  for (int i = 0; i < THINGS; i++) {
    struct thing thing;
    snprintf(dir, sizeof dir, "%s/%s", root, thing_names[i]);
    thing_open(&thing, i, argv[1], STEPS);
    thing_record(&thing, dir, STEPS);
    missed += latch(&thing);
    thing_close(&thing);
  }
  bench_folder_remove(root);
  return missed ? 1 : 0;
}
