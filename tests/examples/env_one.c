/* An env of a task: reset from a seed, steps by the task's policy, or by zeros where it has none,
 * to the end of the episode; a task need not end one, so there is a limit beside its own.
 *   env_one TASK.lua [SEED] */
#include <playhead/playhead.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 2000 };

static ph_status run(ph_env *env, const ph_task *task, uint64_t seed, double *action) {
  ph_row row; /* pointers into the env, valid until its next call */
  ph_outcome out = {.done = false};
  double reward = 0;
  ph_status status = ph_env_reset(env, seed, &row);
  while (status == PH_OK && !out.done && ph_env_step_index(env) < STEPS) {
    if (ph_task_info_of(task)->has_policy)
      status = ph_env_policy(env, action);
    if (status == PH_OK)
      status = ph_env_step(env, action, &out);
    reward += out.reward;
  }
  if (status == PH_OK && !out.done)
    printf("seed %" PRIu64 ": %" PRId64 " steps, reward %g: not ended, and left here\n", seed,
           ph_env_step_index(env), reward);
  else if (status == PH_OK)
    printf("seed %" PRIu64 ": %" PRId64 " steps, reward %g: %s (%s)%s%s%s\n", seed,
           ph_env_step_index(env), reward, ph_end_name(out.end), out.detail,
           out.terminated ? ", terminated" : "", out.truncated ? ", truncated" : "",
           out.success ? ", success" : "");
  return status;
}

/* What each condition says at the end, and what it looked at. */
static ph_status print_conditions(ph_env *env) {
  const ph_condition *condition;
  size_t n;
  ph_status status = ph_env_conditions(env, &condition, &n);
  for (size_t i = 0; i < n; i++)
    printf("  %-10s %-3s  %s %g\n", condition[i].name, condition[i].value ? "yes" : "no",
           condition[i].reads, condition[i].read);
  return status;
}

/* Digits only. */
static int read_seed(const char *text, uint64_t *seed) {
  errno = 0;
  *seed = strtoull(text, NULL, 10);
  return *text && text[strspn(text, "0123456789")] == 0 && errno == 0;
}

int main(int argc, char **argv) {
  ph_task *task = NULL;
  ph_model *model = NULL;
  ph_env *env = NULL;
  double *action = NULL;
  uint64_t seed = 0;
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: env_one TASK.lua [SEED]\n");
    return 2;
  }
  if (argc > 2 && !read_seed(argv[2], &seed)) {
    fprintf(stderr, "env_one: seed %s: not a whole number from 0\n", argv[2]);
    return 2;
  }
  ph_status status = ph_task_open(&task, argv[1]);
  if (status == PH_OK)
    status = ph_task_model(&model, task, NULL);
  if (status == PH_OK)
    status = ph_env_create(&env, task, model, NULL);
  if (status == PH_OK) {
    action = calloc((size_t)ph_env_dims(env)->action_dim + 1, sizeof *action);
    status = action ? run(env, task, seed, action) : PH_ENOMEM;
  }
  if (status == PH_OK)
    status = print_conditions(env);
  if (status != PH_OK)
    fprintf(stderr, "%s\n", ph_error());
  free(action);
  ph_env_free(env);
  ph_model_unref(model);
  ph_task_unref(task);
  return status != PH_OK;
}
