/* Physics run again over 10^3 to 10^6 control steps of a cart, one substep each:
 *   long_seek    a seek in the states that the pass kept (64 MiB of them) against a kinematic one;
 *                has a goal while every step is kept, and never costs more than K-1 control steps
 *   long_memory  the most that the program has taken up to there, the recording included: passes
 *                over a recording that comes back and over one that does not, of another timestep,
 *                whose every step has errors
 * Usage: bench_rerun_long [STEPS]: at most so many; it records in TMPDIR. Prints JSON lines; exit 1
 * when a goal is missed. */
#include "bench.h"

enum { SEEKS = 4000 };
static const char cart[] =
    "<mujoco><option timestep='0.01'/><worldbody><body><joint name='x' type='slide' axis='1 0 0' "
    "damping='.1'/><geom size='.1'/></body></worldbody><actuator><motor name='push' joint='x'/>"
    "</actuator></mujoco>";
static const double memory_goal = 256; /* MiB, the model and engine data of the cart with them */

static void record(const ph_model *model, const char *dir, int64_t steps) {
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  ph_recorder *rec = NULL;
  ph_sim *sim = NULL;
  ph_row row;
  const double reward = 0;
  const uint8_t flags = 0;
  const int env = 0;
  opt.control_steps = 1;
  bench_need(ph_recorder_open(&rec, dir, model, &opt), "recorder");
  bench_need(ph_sim_create(&sim, model), "sim");
  bench_need(ph_sim_forward(sim), "forward");
  bench_need(ph_sim_get_row(sim, &row), "row");
  bench_need(ph_recorder_begin(rec, 0, 1, NULL, 0, &row), "begin");
  for (int64_t t = 0; t < steps; t++) {
    bool warned;
    const double action = t / 50 % 2 ? -1 : 1, *actions = &action;
    bench_need(ph_sim_step(sim, &action, 1, &warned), "step");
    bench_need(ph_sim_get_row(sim, &row), "row");
    bench_need(ph_recorder_rows(rec, &env, 1, &actions, NULL, &reward, &flags, &row), "rows");
  }
  bench_need(ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, ""), "end");
  bench_need(ph_recorder_close(rec, NULL), "close");
  ph_sim_free(sim);
}

/* The pass over it; the analysis is the caller's. */
static ph_analysis *pass(ph_rerun *run) {
  ph_analysis *a = NULL;
  bench_need(ph_analysis_start(&a, run, NULL), "start");
  bench_need(ph_analysis_wait(a, NULL, NULL), "wait");
  return a;
}

static void expect(const ph_analysis *a, bool equal) {
  ph_analysis_summary sum;
  ph_analysis_sum(a, &sum);
  if ((sum.cls == PH_BITWISE) == equal && (sum.one_cls == PH_BITWISE) == equal)
    return;
  fprintf(stderr, "bench_rerun_long: %s\n", equal ? "not bitwise" : "another timestep is bitwise");
  exit(3);
}

static int seeks(const ph_episode *episode, const ph_model *model, ph_rerun *run) {
  static double ours[SEEKS], plain[SEEKS], cost[SEEKS];
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_rerun_cache cache;
  ph_cursor *cursor = NULL;
  ph_replay *replay = NULL;
  unsigned random = 4321;
  ph_rerun_cached(run, &cache);
  bench_need(ph_cursor_open(&cursor, run), "cursor");
  bench_need(ph_replay_create(&replay, episode, model, NULL), "replay");
  for (int64_t t = 0; t < meta->states; t += PH_CRC_BLOCK_ROWS) /* every block is verified */
    bench_need(ph_replay_seek(replay, t, 0, PH_KINEMATIC), "warm");
  for (int i = 0; i < SEEKS; i++) {
    int64_t step = bench_random(&random, meta->states);
    double t0 = bench_now();
    bench_need(ph_cursor_seek(cursor, step, 0, NULL, NULL), "seek");
    double t1 = bench_now();
    bench_need(ph_replay_seek(replay, step, 0, PH_KINEMATIC), "kinematic");
    ours[i] = t1 - t0;
    plain[i] = bench_now() - t1;
    cost[i] = (double)ph_cursor_cost(cursor);
  }
  double most = bench_quantile(cost, SEEKS, 1), ratio = bench_median(ours, SEEKS);
  bench_begin("long_seek");
  bench_whole("steps", meta->actions);
  bool missed = bench_at_most(ratio / bench_median(plain, SEEKS), cache.every == 1 ? 1.5 : NAN);
  bench_number("p50_us", 1e6 * bench_median(ours, SEEKS), 2);
  bench_number("kinematic_p50_us", 1e6 * bench_median(plain, SEEKS), 2);
  bench_whole("every", cache.every);
  bench_number("most_steps", most, 0);
  bench_number("cache_mib", (double)cache.bytes / 1048576, 1);
  bench_end();
  ph_replay_free(replay);
  ph_cursor_close(cursor);
  return (missed && cache.every == 1) || most > (double)(cache.every - 1) ||
         cache.bytes > (size_t)64 << 20;
}

static int bench(const ph_model *model, const char *dir, int64_t steps) {
  ph_store *store = NULL;
  ph_episode *episode = NULL;
  ph_rerun *run = NULL, *other = NULL;
  ph_change slower = {"timestep", 0.011};
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  record(model, dir, steps);
  bench_need(ph_store_open(&store, &dir, 1, NULL), "store");
  bench_need(ph_store_episode(&episode, store, 0), "episode");
  bench_need(ph_rerun_create(&run, episode, model, NULL, &opt), "rerun");
  ph_analysis *a = pass(run);
  expect(a, true);
  int missed = seeks(episode, model, run);
  ph_analysis_free(a);
  ph_rerun_unref(run);
  opt.changes = &slower;
  opt.nchanges = 1;
  bench_need(ph_rerun_create(&other, episode, model, NULL, &opt), "rerun");
  a = pass(other);
  expect(a, false);
  double most = bench_most_memory();
  bench_begin("long_memory");
  bench_whole("steps", steps);
  bench_number("most_mib", most, 1);
  bench_number("goal", memory_goal, 0);
  bench_end();
  ph_analysis_free(a);
  ph_rerun_unref(other);
  ph_episode_free(episode);
  ph_store_free(store);
  return missed + (most > memory_goal);
}

int main(int argc, char **argv) {
  char root[300], dir[400];
  long most = argc == 2 ? atol(argv[1]) : 1000000;
  int missed = 0;
  ph_model *model = NULL;
  if (argc > 2 || most < 1000)
    return 2;
  bench_folder(root, sizeof root);
  bench_need(ph_model_open_text(&model, cart, strlen(cart), "cart.xml", NULL), "cart");
  for (long steps = 1000; steps <= most; steps *= 10) {
    snprintf(dir, sizeof dir, "%s/%ld", root, steps);
    missed += bench(model, dir, steps);
  }
  ph_model_unref(model);
  bench_folder_remove(root);
  return missed ? 1 : 0;
}
