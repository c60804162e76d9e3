/* What a task's functions cost a control step: the time of conditions, reward and policy against
 * that of the step's substeps and forward alone, in the same steps, for the tasks in data/ and for
 * conditions of each kind on the drawer's scene. Usage: bench_conditions SOURCE_ROOT. Prints JSON
 * lines; exit 1 when a ratio misses its goal. */
#include "bench.h"

#include <playhead/check.h>

enum { ROUNDS = 7 };
static const double goal = 1.10;

/* Each on data/drawer.xml. */
static const struct {
  const char *name, *body;
} cases[] = {
    {"one number", "success = function(s) return s.joint.drawer < 0.01 end"},
    {"eight named", "success = { a = function(s) return s.joint.drawer < 0.01 end,"
                    " b = function(s) return s.body.cup.z > 0.4 end,"
                    " c = function(s) return s.body.cup.up > 0.9 end,"
                    " d = function(s) return s.site.gripper.x > 0 end,"
                    " e = function(s) return abs(s.qvel.drawer) < 1 end,"
                    " f = function(s) return s.dist('gripper', 'handle') < 0.1 end,"
                    " g = function(s) return s.start.joint.drawer > s.joint.drawer end,"
                    " h = function(s) return s.speed('cup') < 0.1 end }"},
    {"contact and force of patterns",
     "success = function(s) return s.contact('*', 'cup') and s.force('*', 'cup') > 1e9 end"},
    {"stages", "stages = { { name = 'a', hold_seconds = 100,"
               " test = function(s) return s.joint.drawer < 0.01 end } },"
               " success = function(s) return s.stages_done == 1 end"},
};

static double known(double x) {
  return isfinite(x) ? x : 0;
}

static int bench(const char *name, const ph_task *task, const ph_model *model) {
  double all[ROUNDS], conditions[ROUNDS], policy[ROUNDS], step[ROUNDS];
  for (int r = 0; r < ROUNDS; r++) {
    ph_check *check = NULL;
    ph_check_options opt = {.seed = (uint64_t)r, .episodes = 2, .steps = 100};
    bench_need(ph_task_check(&check, task, model, &opt), name);
    const ph_check_cost *cost = &check->cost;
    step[r] = cost->physics;
    conditions[r] = known(cost->conditions);
    policy[r] = known(cost->policy);
    all[r] = 1 + (conditions[r] + known(cost->reward)) / step[r];
    ph_check_free(check);
  }
  double ratio = bench_median(all, ROUNDS);
  bench_begin("conditions");
  bench_text("task", name);
  bool missed = bench_at_most(ratio, goal);
  bench_number("step_us", bench_median(step, ROUNDS), 2);
  bench_number("conditions_us", bench_median(conditions, ROUNDS), 3);
  bench_number("policy_us", bench_median(policy, ROUNDS), 3);
  bench_end();
  return missed;
}

static int bench_file(const char *root, const char *name) {
  char path[1000];
  ph_task *task = NULL;
  ph_model *model = NULL;
  snprintf(path, sizeof path, "%s/data/%s.lua", root, name);
  bench_need(ph_task_open(&task, path), path);
  bench_need(ph_task_model(&model, task, NULL), path);
  int failed = bench(name, task, model);
  ph_model_unref(model);
  ph_task_unref(task);
  return failed;
}

int main(int argc, char **argv) {
  char path[1000], source[2000];
  ph_model *model = NULL;
  int failed = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: bench_conditions SOURCE_ROOT\n");
    return 2;
  }
  failed |= bench_file(argv[1], "drawer_close");
  failed |= bench_file(argv[1], "muscle_reach");
  failed |= bench_file(argv[1], "quadruped_stand");
  snprintf(path, sizeof path, "%s/data/drawer.xml", argv[1]);
  bench_need(ph_model_open(&model, path, NULL), path);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ph_task *task = NULL;
    snprintf(source, sizeof source, "return { control_steps = 10, hold_seconds = 100, %s }",
             cases[i].body);
    bench_need(ph_task_parse(&task, source, strlen(source), "bench.lua"), cases[i].name);
    failed |= bench(cases[i].name, task, model);
    ph_task_unref(task);
  }
  ph_model_unref(model);
  return failed;
}
