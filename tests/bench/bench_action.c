/* What the action manager costs a control step: each step's time with the terms against the time of
 * its substeps and forward alone, on the arm of data/drawer.xml, for each kind of term. Usage:
 * bench_action SOURCE_ROOT. Prints JSON lines; exit 1 when a ratio misses its goal. */
#include <playhead/playhead.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static void need(ph_status status, const char *what) {
  if (status == PH_OK)
    return;
  fprintf(stderr, "bench_action: %s: %s\n", what, ph_error());
  exit(3);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
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
  need(ph_sim_reset(sim), "reset");
  need(ph_sim_forward(sim), "forward");
  ph_actions_reset(actions, sim);
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < ph_actions_dim(actions); i++)
      action[i] = size * dice();
    double start = now();
    need(ph_actions_apply(actions, sim, action, ctrl, &clipped), "apply");
    double middle = now();
    need(ph_sim_step(sim, ctrl, SUBSTEPS, &warned), "step");
    need(ph_sim_forward(sim), "forward");
    *step += now() - middle;
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
  need(ph_task_parse(&task, source, strlen(source), "bench.lua"), "task");
  need(ph_actions_create(&actions, task, model), "terms");
  need(ph_sim_create(&sim, model), "sim");
  for (int r = 0; r < ROUNDS; r++) {
    run(sim, actions, cases[which].size, &terms[r], &step[r]);
    ratio[r] = (terms[r] + step[r]) / step[r];
  }
  double middle = median(ratio, ROUNDS);
  printf("{\"bench\":\"action\",\"terms\":\"%s\",\"ratio\":%.4f,\"goal\":1.10,\"step_us\":%.2f,"
         "\"terms_us\":%.3f}\n",
         cases[which].name, middle, median(step, ROUNDS) / STEPS * 1e6,
         median(terms, ROUNDS) / STEPS * 1e6);
  ph_sim_free(sim);
  ph_actions_free(actions);
  ph_task_unref(task);
  return middle > 1.10;
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
  need(ph_model_open(&model, path, NULL), path);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    failed |= bench(model, i);
  ph_model_unref(model);
  return failed;
}
