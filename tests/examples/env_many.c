/* Many envs of a task at once, on all cores, as a learner uses them: states in, actions out, an
 * episode that ends is followed by the next one.
 *   env_many TASK.lua ENVS STEPS [THREADS]
 * What it prints does not depend on THREADS. */
#include <playhead/playhead.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
  int64_t steps, ended, successes;
  double reward;
} tally;

/* Where a learner has its network: from states (n x width) and readouts to actions (n x dim). */
static ph_status choose(ph_envs *envs, double *actions) {
  return ph_envs_policy(envs, actions);
}

static void count(tally *t, const ph_envs_outcome *out, int n) {
  for (int i = 0; i < n; i++) {
    t->steps += out->stepped[i];
    t->reward += out->rewards[i];
    t->ended += out->stepped[i] && (out->terminated[i] || out->truncated[i]);
    t->successes += out->stepped[i] && out->success[i];
    /* out->states has the last state of an episode that ended with this step;
     * ph_envs_states(envs) has the first one of the episode that follows it. */
  }
}

static ph_status run(ph_envs *envs, int steps, double *actions, tally *t) {
  int n = ph_envs_count(envs);
  uint64_t *seeds = calloc((size_t)n, sizeof *seeds);
  ph_envs_outcome out;
  if (!seeds)
    return PH_ENOMEM;
  for (int i = 0; i < n; i++)
    seeds[i] = ph_env_seed(7, i, 0);
  ph_status status = ph_envs_reset(envs, seeds, NULL);
  for (int k = 0; k < steps && status == PH_OK; k++) {
    status = choose(envs, actions);
    if (status == PH_OK)
      status = ph_envs_step(envs, actions, &out);
    if (status == PH_OK)
      count(t, &out, n);
  }
  free(seeds);
  return status;
}

int main(int argc, char **argv) {
  ph_task *task = NULL;
  ph_model *model = NULL;
  ph_envs *envs = NULL;
  double *actions = NULL;
  tally t = {0};
  ph_envs_options opt = PH_ENVS_OPTIONS_INIT;
  if (argc < 4) {
    fprintf(stderr, "usage: env_many TASK.lua ENVS STEPS [THREADS]\n");
    return 2;
  }
  opt.autoreset = true;
  opt.threads = argc > 4 ? atoi(argv[4]) : 0;
  ph_status status = ph_task_open(&task, argv[1]);
  if (status == PH_OK)
    status = ph_task_model(&model, task, NULL);
  if (status == PH_OK)
    status = ph_envs_create(&envs, atoi(argv[2]), task, model, &opt);
  if (status == PH_OK) {
    size_t dim = (size_t)ph_envs_dims(envs)->action_dim;
    actions = calloc((size_t)ph_envs_count(envs) * dim + 1, sizeof *actions);
    status = actions ? run(envs, atoi(argv[3]), actions, &t) : PH_ENOMEM;
  }
  if (status == PH_OK)
    printf("%d envs, %d numbers in a state: %" PRId64 " steps, %" PRId64 " episodes ended, %" PRId64
           " with success; mean reward of a step %.17g\n",
           ph_envs_count(envs), ph_envs_width(envs), t.steps, t.ended, t.successes,
           t.steps > 0 ? t.reward / (double)t.steps : 0);
  else
    fprintf(stderr, "%s\n", ph_error());
  free(actions);
  ph_envs_free(envs);
  ph_model_unref(model);
  ph_task_unref(task);
  return status != PH_OK;
}
