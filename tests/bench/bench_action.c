/* What the action manager costs a control step: each step's time with the terms against the time of
 * its substeps and forward alone, on the arm of data/drawer.xml, for each kind of term. Usage:
 * bench_action SOURCE_ROOT. Prints JSON lines; exit 1 when a ratio misses its goal. */
#include "bench.h"

enum { STEPS = 200, ROUNDS = 15, SUBSTEPS = 10, ROOM = 32 };

#define ARM "joints = {'arm_.*'}"

static const struct {
  const char *name, *terms;
  double size; /* of the random action */
} cases[] = {
    {"ctrl", "{type = 'ctrl', actuators = {'*'}}", 0.5},
    {"joint_position", "{type = 'joint_position', " ARM "}", 0.5},
    {"joint_delta",
     "{type = 'joint_delta', " ARM ", of = 'target', scale = 0.05}, "
     "{type = 'gripper', actuators = {'grip'}}",
     1},
    {"eef_pose of position",
     "{type = 'eef_pose', site = 'gripper', " ARM ", control = 'position', scale = 0.02}", 1},
    {"eef_pose of both", "{type = 'eef_pose', site = 'gripper', " ARM ", scale = 0.02}", 1},
};

static double dice(void) {
  static unsigned long long state = 88172645463325252ull;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-52 - 1;
}

/* Adds to terms and step what STEPS steps spend in them [s]. */
static void run(ph_sim *sim, ph_actions *actions, double size, double *terms, double *step) {
  double action[ROOM], ctrl[ROOM] = {0};
  bool clipped, warned;
  bench_need(ph_sim_reset(sim), "reset");
  bench_need(ph_sim_forward(sim), "forward");
  ph_actions_reset(actions, sim);
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < ph_actions_dim(actions); i++)
      action[i] = size * dice();
    double start = bench_now();
    bench_need(ph_actions_apply(actions, sim, action, ctrl, &clipped), "apply");
    double middle = bench_now();
    bench_need(ph_sim_step(sim, ctrl, SUBSTEPS, &warned), "step");
    bench_need(ph_sim_forward(sim), "forward");
    *step += bench_now() - middle;
    *terms += middle - start;
  }
}

static int bench(const ph_model *model, size_t which) {
  char source[600];
  double ratio[ROUNDS], terms[ROUNDS] = {0}, step[ROUNDS] = {0};
  ph_task *task = NULL;
  ph_actions *actions = NULL;
  ph_sim *sim = NULL;
  snprintf(source, sizeof source, "return {actions = {%s}}", cases[which].terms);
  bench_need(ph_task_parse(&task, source, strlen(source), "bench.lua"), "task");
  bench_need(ph_actions_create(&actions, task, model), "terms");
  bench_need(ph_sim_create(&sim, model), "sim");
  for (int r = 0; r < ROUNDS; r++) {
    run(sim, actions, cases[which].size, &terms[r], &step[r]);
    ratio[r] = (terms[r] + step[r]) / step[r];
  }
  double middle = bench_median(ratio, ROUNDS);
  bench_begin("action");
  bench_text("terms", cases[which].name);
  bool missed = bench_at_most(middle, 1.10);
  bench_number("step_us", bench_median(step, ROUNDS) / STEPS * 1e6, 2);
  bench_number("terms_us", bench_median(terms, ROUNDS) / STEPS * 1e6, 3);
  bench_end();
  ph_sim_free(sim);
  ph_actions_free(actions);
  ph_task_unref(task);
  return missed;
}

int main(int argc, char **argv) {
  char path[1000];
  ph_model *model = NULL;
  int failed = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: bench_action SOURCE_ROOT\n");
    return 2;
  }
  snprintf(path, sizeof path, "%s/data/drawer.xml", argv[1]);
  bench_need(ph_model_open(&model, path, NULL), path);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    failed |= bench(model, i);
  ph_model_unref(model);
  return failed;
}
