#include <playhead/outcomes.h>

#include "fail.h"
#include "json.h"
#include "mj.h"

/* Those that a solver stops by, and what it leaves out. */
static json_t *solver_settings(const mjModel *m) {
  json_t *out = json_object();
  json_object_set_new(out, "cone", json_integer(m->opt.cone));
  json_object_set_new(out, "jacobian", json_integer(m->opt.jacobian));
  json_object_set_new(out, "iterations", json_integer(m->opt.iterations));
  json_object_set_new(out, "tolerance", ph_json_number(m->opt.tolerance));
  json_object_set_new(out, "noslip_iterations", json_integer(m->opt.noslip_iterations));
  json_object_set_new(out, "noslip_tolerance", ph_json_number(m->opt.noslip_tolerance));
  json_object_set_new(out, "impratio", ph_json_number(m->opt.impratio));
  json_object_set_new(out, "disableflags", json_integer(m->opt.disableflags));
  json_object_set_new(out, "enableflags", json_integer(m->opt.enableflags));
#if mjVERSION_HEADER >= 300
  json_object_set_new(out, "ls_iterations", json_integer(m->opt.ls_iterations));
  json_object_set_new(out, "ls_tolerance", ph_json_number(m->opt.ls_tolerance));
#endif
  return out;
}

ph_status ph_latch_fingerprint(char **out, const ph_episode_meta *meta, const ph_model *model,
                               const ph_task *task, double hold_seconds, int64_t hold_steps) {
  bool compiled = model && ph_model_compiled(model);
  json_t *all = json_object();
  json_object_set_new(all, "playhead", json_string(ph_version()));
  json_object_set_new(all, "engine", compiled ? json_string("mujoco") : json_null());
  json_object_set_new(all, "engine_version",
                      compiled ? ph_json_text(ph_engine_version()) : json_null());
  json_object_set_new(all, "arch", ph_json_text(ph_mj_arch()));
  json_object_set_new(all, "substrate", ph_json_text(ph_substrate()));
  json_object_set_new(all, "model_sha256",
                      ph_json_text(model ? ph_model_sha256(model) : meta->model_sha256));
  json_object_set_new(all, "compiled_sha256", ph_json_text(compiled ? model->compiled_sha256 : ""));
  json_object_set_new(all, "task_sha256",
                      ph_json_text(task ? ph_task_sha256(task) : meta->task_sha256));
  json_object_set_new(all, "timestep",
                      ph_json_number(compiled ? ph_model_timestep(model) : meta->timestep));
  json_object_set_new(all, "control_steps", json_integer(meta->dims.control_steps));
  json_object_set_new(all, "integrator", ph_json_text(compiled ? ph_model_integrator(model) : ""));
  json_object_set_new(all, "solver", ph_json_text(compiled ? ph_model_solver(model) : ""));
  json_object_set_new(all, "solver_settings", compiled ? solver_settings(model->m) : json_null());
  json_object_set_new(all, "hold_seconds", ph_json_number(hold_seconds));
  json_object_set_new(all, "hold_steps", json_integer(hold_steps));
  *out = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
  json_decref(all);
  return *out ? PH_OK : ph_fail(PH_ENOMEM, "fingerprint: out of memory");
}
