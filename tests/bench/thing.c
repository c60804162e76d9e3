#include "thing.h"

const char *const thing_names[THINGS] = {"humanoid", "arm"};
static const char *const thing_tasks[THINGS] = {"tests/bench/humanoid.lua",
                                                "data/drawer_close.lua"};

int thing_substeps;

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
           "nil\nt.control_steps = %d > 0 and %d or t.control_steps\nreturn t\n",
           source, steps, thing_substeps, thing_substeps);
  bench_need(ph_task_parse(&thing->task, text, strlen(text), thing_tasks[which]), "task");
  bench_need(ph_task_open(&named, file), "task");
  bench_need(ph_task_model(&thing->model, named, NULL), "model");
  ph_task_unref(named);
}

void thing_write(const struct thing *thing, const char *dir, long steps,
                 void (*unverified)(void *user, const char *line)) {
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
  opt.behind = true;
  opt.unverified = unverified;
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
  thing_write(thing, dir, steps, NULL);
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
