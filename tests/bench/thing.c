#include "thing.h"

#include <pthread.h>

const char *const thing_names[THINGS] = {"humanoid", "arm"};
static const char *const thing_tasks[THINGS] = {"tests/bench/humanoid.lua",
                                                "data/drawer_close.lua"};

/* The task of a file, but that nothing ends its episodes before `steps`. */
void thing_open(struct thing *thing, int which, const char *root, long steps) {
  static char source[1 << 16], text[1 << 17];
  char file[1000];
  ph_task *named = NULL;
  *thing = (struct thing){.name = thing_names[which]};
  snprintf(file, sizeof file, "%.500s/%s", root, thing_tasks[which]);
  FILE *f = fopen(file, "r");
  size_t n = f ? fread(source, 1, sizeof source - 1, f) : 0;
  source[n] = 0;
  if (!f || fclose(f) != 0)
    exit(3);
  snprintf(text, sizeof text,
           "local t = (function()\n%s\nend)()\nt.max_steps, t.hold_seconds, t.failure = %ld, 1e5, "
           "nil\nreturn t\n",
           source, steps);
  bench_need(ph_task_parse(&thing->task, text, strlen(text), thing_tasks[which]), "task");
  bench_need(ph_task_open(&named, file), "task");
  bench_need(ph_task_model(&thing->model, named, NULL), "model");
  ph_task_unref(named);
}

static void record(const struct thing *thing, const char *dir, long steps) {
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  ph_recorder *rec = NULL;
  ph_env *env = NULL;
  ph_row row;
  ph_outcome out = {.done = false};
  double action[64];
  const double *actions = action;
  const int env_id = 0;
  size_t n;
  opt.task = thing->task;
  bench_need(ph_recorder_open(&rec, dir, thing->model, &opt), "recorder");
  bench_need(ph_env_create(&env, thing->task, thing->model, NULL), "env");
  bench_need(ph_env_reset(env, 3, &row), "reset");
  const ph_edit *edits = ph_env_edits(env, &n);
  bench_need(ph_recorder_begin(rec, 0, 3, edits, n, &row), "begin");
  for (long t = 0; t < steps && !out.done; t++) {
    bench_need(ph_env_policy(env, action), "policy");
    bench_need(ph_env_step(env, action, &out), "step");
    bench_need(ph_recorder_rows(rec, &env_id, 1, &actions, NULL, &out.reward, &out.flags, &out.row),
               "rows");
  }
  bench_need(ph_recorder_end(rec, 0, PH_END_TRUNCATED, 0, ""), "end");
  bench_need(ph_recorder_close(rec, NULL), "close");
  ph_env_free(env);
}

double *thing_column(const struct thing *thing, ph_column col) {
  size_t width = ph_schema_width(col, &thing->meta->dims);
  double *all = calloc((size_t)thing->meta->states * width + 1, sizeof *all);
  if (!all)
    exit(3);
  bench_need(ph_episode_read(thing->episode, col, 0, thing->meta->states, all), "read");
  return all;
}

void thing_record(struct thing *thing, const char *dir, long steps) {
  record(thing, dir, steps);
  bench_need(ph_store_open(&thing->store, &dir, 1, NULL), "store");
  bench_need(ph_store_episode(&thing->episode, thing->store, 0), "episode");
  thing->meta = ph_episode_meta_of(thing->episode);
  thing->ctrl = thing_column(thing, PH_COL_CTRL);
  thing->state = thing_column(thing, PH_COL_STATES);
  thing->warmstart = thing_column(thing, PH_COL_WARMSTART);
}

void thing_close(struct thing *thing) {
  free(thing->warmstart);
  free(thing->state);
  free(thing->ctrl);
  ph_episode_free(thing->episode);
  ph_store_free(thing->store);
  ph_model_unref(thing->model);
  ph_task_unref(thing->task);
}

/* --- the bare loop --- */

static const ph_column outside[] = {PH_COL_MOCAP_POS, PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,
                                    PH_COL_EQ_ACTIVE, PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED};
enum { OUTSIDE = sizeof outside / sizeof *outside };

void bare_open(struct bare *b, const struct thing *thing) {
  size_t n;
  const ph_edit *edits = ph_episode_edits(thing->episode, &n);
  *b = (struct bare){.thing = thing, .n = thing->meta->actions};
  bench_need(ph_sim_create(&b->sim, thing->model), "sim");
  bench_need(ph_sim_edit(b->sim, edits, n), "edits");
}

void bare_close(struct bare *b) {
  ph_sim_free(b->sim);
}

/* What is in force from outside at a step, into the row; the caller's. */
static void read_outside(const struct thing *thing, int64_t step, void **bytes, ph_row *row) {
  for (int i = 0; i < OUTSIDE; i++) {
    size_t width = ph_schema_width(outside[i], &thing->meta->dims);
    bytes[i] = calloc(width + 1, sizeof(double));
    if (!bytes[i])
      exit(3);
    if (width == 0 || !ph_episode_has(thing->episode, outside[i]))
      continue;
    bench_need(ph_episode_read(thing->episode, outside[i], step, 1, bytes[i]), "read");
    ph_row_set_column(row, outside[i], bytes[i]);
  }
}

/* It has to come to what was recorded, bit for bit. */
static void *bare_loop(void *arg) {
  const struct bare *b = arg;
  const struct thing *thing = b->thing;
  ph_sim *sim = b->sim;
  size_t nu = (size_t)sim->m->nu, width = (size_t)ph_mj_width(sim->m, PH_COL_STATES);
  ph_row row = {.state = thing->state + (size_t)b->first * width,
                .warmstart = thing->warmstart + (size_t)b->first * (size_t)sim->m->nv,
                .ctrl = thing->ctrl + (size_t)b->first * nu};
  void *bytes[OUTSIDE];
  read_outside(thing, b->first, bytes, &row);
  bench_need(ph_sim_set_row(sim, &row), "row");
  for (int i = 0; i < OUTSIDE; i++)
    free(bytes[i]);
  for (int64_t t = b->first; t < b->first + b->n; t++) {
    memcpy(sim->d->ctrl, thing->ctrl + (size_t)(t + 1) * nu, nu * sizeof(double));
    for (int k = 0; k < thing->meta->dims.control_steps; k++)
      mj_step(sim->m, sim->d);
    ph_mj_pure_forward(sim->m, sim->d, sim->scratch);
  }
  bench_need(ph_sim_get_row(sim, &row), "row");
  if (memcmp(row.state, thing->state + (size_t)(b->first + b->n) * width, 8 * width) != 0) {
    fprintf(stderr, "%s: the bare loop of the %s is not what was recorded\n",
            program_invocation_short_name, thing->name);
    exit(3);
  }
  return NULL;
}

double bare_threads(struct bare *bare, int n) {
  pthread_t threads[THREADS_MAX];
  double begun = bench_now();
  for (int i = 0; i < n; i++) {
    bare[i].first = i * bare[i].thing->meta->actions / n;
    bare[i].n = (i + 1) * bare[i].thing->meta->actions / n - bare[i].first;
    if (pthread_create(&threads[i], NULL, bare_loop, &bare[i]) != 0)
      exit(3);
  }
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  return bench_now() - begun;
}

int bench_cores(void) {
  cpu_set_t processors;
  int n = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
  return n < 1 ? 1 : n < THREADS_MAX ? n : THREADS_MAX;
}
