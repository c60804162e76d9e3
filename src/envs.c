#include <playhead/envs.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "fail.h"
#include "task.h"
#include "thread.h"

enum { ENVS_MAX = 1 << 20, THREADS_MAX = 1024 };

/* What one env has beside its rows of the arrays; written by the thread that has it. */
typedef struct place {
  ph_env *env;
  uint64_t base; /* seed of the reset that was asked for */
  int64_t next;  /* episodes that have followed it by themselves */
  bool running;
  ph_status status;
  char *error;      /* NULL: none, or no memory for it */
  ph_status failed; /* in the call that runs */
} place;

struct ph_envs {
  ph_task *task;   /* referenced */
  ph_model *model; /* referenced */
  ph_envs_options opt;
  int n, width;
  size_t nreadouts;
  ph_dims dims;
  ph_crew *crew;
  place *place;

  /* (n x ..) */
  double *states, *readouts;           /* now */
  double *last_states, *last_readouts; /* before any reset */
  double *rewards;
  uint8_t *flags, *terminated, *truncated, *success, *stepped;
  ph_end *ends;
  uint64_t *seeds;

  /* of the call that runs; borrowed */
  const double *actions;
  double *answers;
  const uint64_t *given;
  const uint8_t *which;
};

/* --- life --- */

static ph_status check(int n, const ph_envs_options *opt) {
  if (n < 1 || n > ENVS_MAX)
    return ph_fail(PH_EINVAL, "envs: %d: not from 1 to %d", n, ENVS_MAX);
  if (opt->threads < 0 || opt->threads > THREADS_MAX)
    return ph_fail(PH_EINVAL, "envs: threads %d: not from 0 to %d", opt->threads, THREADS_MAX);
  return PH_OK;
}

static void make_env(void *arg, int i) {
  ph_envs *envs = arg;
  place *p = &envs->place[i];
  ph_env_options opt = PH_ENV_OPTIONS_INIT;
  opt.hold_seconds = envs->opt.hold_seconds;
  if (p->env)
    return;
  p->failed = ph_env_create(&p->env, envs->task, envs->model, &opt);
  if (p->failed != PH_OK)
    p->error = strdup(ph_error());
}

static bool make_arrays(ph_envs *envs) {
  size_t n = (size_t)envs->n, states = n * (size_t)envs->width, readouts = n * envs->nreadouts + 1;
  envs->states = calloc(states, sizeof(double));
  envs->last_states = calloc(states, sizeof(double));
  envs->readouts = calloc(readouts, sizeof(double));
  envs->last_readouts = calloc(readouts, sizeof(double));
  envs->rewards = calloc(n, sizeof(double));
  envs->flags = calloc(5 * n, 1);
  envs->ends = calloc(n, sizeof *envs->ends);
  envs->seeds = calloc(n, sizeof *envs->seeds);
  if (!envs->states || !envs->last_states || !envs->readouts || !envs->last_readouts ||
      !envs->rewards || !envs->flags || !envs->ends || !envs->seeds)
    return false;
  envs->terminated = envs->flags + n;
  envs->truncated = envs->flags + 2 * n;
  envs->success = envs->flags + 3 * n;
  envs->stepped = envs->flags + 4 * n;
  for (int i = 0; i < envs->n; i++)
    envs->ends[i] = PH_END_UNKNOWN;
  return true;
}

/* The first one alone: it shows whether task and model go together, and gives the sizes. */
static ph_status make_all(ph_envs *envs) {
  int threads = envs->opt.threads > 0 ? envs->opt.threads : ph_thread_cores();
  envs->place = calloc((size_t)envs->n, sizeof *envs->place);
  if (!envs->place)
    return ph_fail(PH_ENOMEM, "envs: out of memory");
  make_env(envs, 0);
  if (envs->place[0].failed != PH_OK)
    return envs->place[0].failed;
  envs->dims = *ph_env_dims(envs->place[0].env);
  envs->width = (int)ph_schema_width(PH_COL_STATES, &envs->dims);
  envs->nreadouts = envs->opt.no_readouts ? 0 : ph_task_info_of(envs->task)->nreadouts;
  if (!make_arrays(envs))
    return ph_fail(PH_ENOMEM, "envs: out of memory");
  ph_status status = ph_crew_new(&envs->crew, threads < envs->n ? threads : envs->n);
  if (status != PH_OK)
    return status;
  ph_crew_run(envs->crew, make_env, envs, envs->n);
  for (int i = 0; i < envs->n; i++)
    if (envs->place[i].failed != PH_OK)
      return ph_fail(envs->place[i].failed, "env %d: %s", i, ph_envs_error(envs, i));
  return PH_OK;
}

ph_status ph_envs_create(ph_envs **out, int n, const ph_task *task, const ph_model *model,
                         const ph_envs_options *opt) {
  ph_envs_options standard = PH_ENVS_OPTIONS_INIT;
  *out = NULL;
  opt = opt ? opt : &standard;
  ph_status status = check(n, opt);
  if (status != PH_OK)
    return status;
  ph_envs *envs = calloc(1, sizeof *envs);
  if (!envs)
    return ph_fail(PH_ENOMEM, "envs: out of memory");
  envs->task = ph_task_ref(task);
  envs->model = ph_model_ref(model);
  envs->opt = *opt;
  envs->n = n;
  status = make_all(envs);
  if (status == PH_OK)
    *out = envs;
  else
    ph_envs_free(envs);
  return status;
}

void ph_envs_free(ph_envs *envs) {
  if (!envs)
    return;
  ph_crew_free(envs->crew);
  for (int i = 0; envs->place && i < envs->n; i++) {
    ph_env_free(envs->place[i].env);
    free(envs->place[i].error);
  }
  free(envs->place);
  free(envs->states);
  free(envs->last_states);
  free(envs->readouts);
  free(envs->last_readouts);
  free(envs->rewards);
  free(envs->flags);
  free(envs->ends);
  free(envs->seeds);
  ph_model_unref(envs->model);
  ph_task_unref(envs->task);
  free(envs);
}

/* --- one env, on any thread --- */

static double *row(double *array, size_t width, int i) {
  return array + (size_t)i * width;
}

/* No episode runs until the next reset. */
static void fail(place *p, ph_status status) {
  free(p->error);
  p->error = strdup(ph_error());
  p->status = p->failed = status;
  p->running = false;
}

/* What the arrays say of a step; NULL: that an error ended the episode. */
static void note(ph_envs *envs, int i, const ph_outcome *out) {
  ph_outcome aborted = {.truncated = true, .end = PH_END_ABORTED};
  out = out ? out : &aborted;
  envs->rewards[i] = out->reward;
  envs->flags[i] = out->flags;
  envs->terminated[i] = out->terminated;
  envs->truncated[i] = out->truncated;
  envs->success[i] = out->success;
  envs->ends[i] = out->end;
}

/* The state that the env is at into the arrays; as its last one too. */
static ph_status observe(ph_envs *envs, int i, const double *state) {
  size_t width = (size_t)envs->width, n = envs->nreadouts;
  ph_status status = PH_OK;
  if (n > 0)
    status = ph_env_readouts(envs->place[i].env, row(envs->readouts, n, i));
  if (status != PH_OK)
    return status;
  memcpy(row(envs->states, width, i), state, width * sizeof(double));
  return PH_OK;
}

static void keep_last(ph_envs *envs, int i) {
  size_t width = (size_t)envs->width, n = envs->nreadouts;
  memcpy(row(envs->last_states, width, i), row(envs->states, width, i), width * sizeof(double));
  memcpy(row(envs->last_readouts, n, i), row(envs->readouts, n, i), n * sizeof(double));
}

static ph_status begin(ph_envs *envs, int i, uint64_t seed) {
  place *p = &envs->place[i];
  ph_row row0;
  envs->seeds[i] = seed;
  ph_status status = ph_env_reset(p->env, seed, &row0);
  if (status == PH_OK)
    status = observe(envs, i, row0.state);
  p->running = status == PH_OK;
  return status;
}

static void reset_one(void *arg, int i) {
  ph_envs *envs = arg;
  place *p = &envs->place[i];
  p->failed = PH_OK;
  if (envs->which && !envs->which[i])
    return;
  free(p->error);
  p->error = NULL;
  p->status = PH_OK;
  p->base = envs->given[i];
  p->next = 0;
  ph_status status = begin(envs, i, p->base);
  note(envs, i, status == PH_OK ? &(ph_outcome){.end = PH_END_UNKNOWN} : NULL);
  keep_last(envs, i);
  if (status != PH_OK)
    fail(p, status);
}

static void ask_one(void *arg, int i) {
  ph_envs *envs = arg;
  place *p = &envs->place[i];
  size_t dim = (size_t)envs->dims.action_dim;
  ph_status status = PH_OK;
  p->failed = PH_OK;
  if (p->running)
    status = ph_env_policy(p->env, row(envs->answers, dim, i));
  if (!p->running || status != PH_OK)
    memset(row(envs->answers, dim, i), 0, dim * sizeof(double));
  if (status == PH_OK)
    return;
  note(envs, i, NULL);
  fail(p, status);
}

static void step_one(void *arg, int i) {
  ph_envs *envs = arg;
  place *p = &envs->place[i];
  ph_outcome out;
  p->failed = PH_OK;
  envs->stepped[i] = p->running;
  envs->rewards[i] = 0;
  if (!p->running)
    return;
  ph_status status =
      ph_env_step(p->env, envs->actions + (size_t)i * (size_t)envs->dims.action_dim, &out);
  if (status == PH_OK && out.end != PH_END_NAN)
    status = observe(envs, i, out.row.state);
  note(envs, i, status == PH_OK ? &out : NULL);
  keep_last(envs, i);
  p->running = status == PH_OK && !out.done;
  if (status == PH_OK && out.done && envs->opt.autoreset)
    status = begin(envs, i, ph_env_seed(p->base, i, ++p->next));
  if (status != PH_OK)
    fail(p, status);
}

/* --- all of them --- */

static ph_status run(ph_envs *envs, void (*work)(void *arg, int i)) {
  ph_crew_run(envs->crew, work, envs, envs->n);
  for (int i = 0; i < envs->n; i++)
    if (envs->place[i].failed != PH_OK)
      return ph_fail(envs->place[i].failed, "env %d: %s", i, ph_envs_error(envs, i));
  return PH_OK;
}

ph_status ph_envs_reset(ph_envs *envs, const uint64_t *seeds, const uint8_t *which) {
  envs->given = seeds;
  envs->which = which;
  return run(envs, reset_one);
}

ph_status ph_envs_policy(ph_envs *envs, double *actions) {
  if (!ph_task_info_of(envs->task)->has_policy)
    return ph_fail(PH_ENOTFOUND, "%s: the task has no policy", ph_task_called(envs->task));
  envs->answers = actions;
  return run(envs, ask_one);
}

ph_status ph_envs_step(ph_envs *envs, const double *actions, ph_envs_outcome *out) {
  envs->actions = actions;
  ph_status status = run(envs, step_one);
  *out = (ph_envs_outcome){.states = envs->last_states,
                           .readouts = envs->last_readouts,
                           .rewards = envs->rewards,
                           .flags = envs->flags,
                           .terminated = envs->terminated,
                           .truncated = envs->truncated,
                           .success = envs->success,
                           .stepped = envs->stepped,
                           .ends = envs->ends};
  return status;
}

/* --- readers --- */

int ph_envs_count(const ph_envs *envs) {
  return envs->n;
}
const ph_dims *ph_envs_dims(const ph_envs *envs) {
  return &envs->dims;
}
int ph_envs_width(const ph_envs *envs) {
  return envs->width;
}
size_t ph_envs_nreadouts(const ph_envs *envs) {
  return envs->nreadouts;
}
ph_env *ph_envs_env(ph_envs *envs, int i) {
  return i >= 0 && i < envs->n ? envs->place[i].env : NULL;
}
const double *ph_envs_states(const ph_envs *envs) {
  return envs->states;
}
const double *ph_envs_readouts(const ph_envs *envs) {
  return envs->readouts;
}
const uint64_t *ph_envs_seeds(const ph_envs *envs) {
  return envs->seeds;
}
ph_status ph_envs_status(const ph_envs *envs, int i) {
  return i >= 0 && i < envs->n ? envs->place[i].status : PH_OK;
}
const char *ph_envs_error(const ph_envs *envs, int i) {
  return i >= 0 && i < envs->n && envs->place[i].error ? envs->place[i].error : "";
}
