#include <playhead/outcomes.h>

#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "hash.h"
#include "json.h"
#include "mj.h"

/* An object with what could not be put into it; values are taken over. */
struct object {
  json_t *json;
  int failed;
};

static struct object object_new(void) {
  json_t *json = json_object();
  return (struct object){json, json == NULL};
}

static void set(struct object *o, const char *key, json_t *value) {
  o->failed += json_object_set_new(o->json, key, value) != 0;
}

static void set_object(struct object *o, const char *key, struct object value) {
  o->failed += value.failed;
  set(o, key, value.json);
}

/* null where it is not known, as of a batch that says neither. */
static void set_positive(struct object *o, const char *key, double value) {
  set(o, key, value > 0 ? ph_json_number(value) : json_null());
}

static void set_count(struct object *o, const char *key, int64_t value, int64_t least) {
  set(o, key, value >= least ? json_integer((json_int_t)value) : json_null());
}

/* Those that a solver stops by, and what it leaves out. */
static struct object solver_settings(const mjModel *m) {
  struct object out = object_new();
  set(&out, "cone", json_integer(m->opt.cone));
  set(&out, "jacobian", json_integer(m->opt.jacobian));
  set(&out, "iterations", json_integer(m->opt.iterations));
  set(&out, "tolerance", ph_json_number(m->opt.tolerance));
  set(&out, "noslip_iterations", json_integer(m->opt.noslip_iterations));
  set(&out, "noslip_tolerance", ph_json_number(m->opt.noslip_tolerance));
  set(&out, "impratio", ph_json_number(m->opt.impratio));
  set(&out, "disableflags", json_integer(m->opt.disableflags));
  set(&out, "enableflags", json_integer(m->opt.enableflags));
#if mjVERSION_HEADER >= 300
  set(&out, "ls_iterations", json_integer(m->opt.ls_iterations));
  set(&out, "ls_tolerance", ph_json_number(m->opt.ls_tolerance));
#endif
  return out;
}

static void set_engine(struct object *all, const ph_latch_inputs *in) {
  const ph_model *model = in->model;
  bool compiled = model && ph_model_compiled(model);
  set(all, "playhead", json_string(ph_version()));
  set(all, "engine", compiled ? json_string("mujoco") : json_null());
  set(all, "engine_version", compiled ? ph_json_text(ph_engine_version()) : json_null());
  set(all, "arch", ph_json_text(ph_mj_arch()));
  set(all, "substrate", ph_json_text(ph_substrate()));
  set(all, "model_sha256", ph_json_text(model ? ph_model_sha256(model) : in->meta->model_sha256));
  set(all, "compiled_sha256", ph_json_text(compiled ? model->compiled_sha256 : ""));
  set(all, "integrator", ph_json_text(compiled ? ph_model_integrator(model) : ""));
  set(all, "solver", ph_json_text(compiled ? ph_model_solver(model) : ""));
  if (compiled)
    set_object(all, "solver_settings", solver_settings(model->m));
  else
    set(all, "solver_settings", json_null());
  set_positive(all, "timestep", compiled ? ph_model_timestep(model) : in->meta->timestep);
}

static struct object tolerance(const ph_tolerance *t) {
  struct object out = object_new();
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    set(&out, ph_measure_name((ph_measure)m), ph_json_number(t->of[m]));
  return out;
}

static void set_judge(struct object *all, const ph_latch_inputs *in) {
  set(all, "task_sha256",
      ph_json_text(in->task ? ph_task_sha256(in->task) : in->meta->task_sha256));
  set(all, "predicate_command", ph_json_text(in->command ? in->command : ""));
  if (in->tolerance)
    set_object(all, "tolerance", tolerance(in->tolerance));
  else
    set(all, "tolerance", json_null());
  set_count(all, "control_steps", in->meta->dims.control_steps, 1);
  set(all, "hold_seconds", in->hold_seconds >= 0 ? ph_json_number(in->hold_seconds) : json_null());
  set_count(all, "hold_steps", in->hold_steps, 0);
}

ph_status ph_latch_fingerprint(char **out, const ph_latch_inputs *in) {
  struct object all = object_new();
  set_engine(&all, in);
  set_judge(&all, in);
  *out = all.failed ? NULL
                    : json_dumps(all.json, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
  json_decref(all.json);
  return *out ? PH_OK : ph_fail(PH_ENOMEM, "fingerprint: out of memory");
}

/* --- of one episode --- */

static int by_field(const void *a, const void *b) {
  const ph_edit *x = *(const ph_edit *const *)a, *y = *(const ph_edit *const *)b;
  return strcmp(x->field, y->field);
}

static void add_edit(struct ph_sha256 *sha, const ph_edit *edit) {
  size_t size = ph_type_size(edit->type) * (size_t)edit->shape[0] * (size_t)edit->shape[1];
  ph_sha256_add_string(sha, edit->field);
  ph_sha256_add(sha, edit->shape, sizeof edit->shape);
  ph_sha256_add(sha, edit->data, size);
}

ph_status ph_latch_edits(char hex[65], const ph_episode *episode) {
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(episode, &n);
  hex[0] = 0;
  if (n == 0)
    return PH_OK;
  const ph_edit **sorted = calloc(n, sizeof *sorted);
  struct ph_sha256 *sha = sorted ? ph_sha256_new() : NULL;
  for (size_t i = 0; sorted && i < n; i++)
    sorted[i] = &edits[i];
  if (sorted)
    qsort(sorted, n, sizeof *sorted, by_field);
  for (size_t i = 0; sha && i < n; i++)
    add_edit(sha, sorted[i]);
  if (sha)
    ph_sha256_end(sha, hex);
  free(sorted);
  return sha ? PH_OK
             : ph_fail(PH_ENOMEM, "%s: model edits: out of memory",
                       ph_episode_meta_of(episode)->id);
}
