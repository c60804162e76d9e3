#include "recorder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "journal.h"
#include "json.h"
#include "rng.h"

/* An attribute has room for 60 000 bytes: what later steps add has a place too. */
enum { PROVENANCE_LIMIT = 32000 };

static void set(char *to, size_t size, const char *from) {
  snprintf(to, size, "%s", from);
}

/* File name without folder and ending; "model" where there is none. */
static void model_name(char *out, size_t size, const ph_model *model) {
  const ph_source *source = model->source;
  const char *path = source && source->noriginals > 0 ? source->originals[0].name : "";
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  int n = dot ? (int)(dot - base) : (int)strlen(base);
  snprintf(out, size, "%.*s", n, n > 0 ? base : "model");
  if (n == 0)
    set(out, size, "model");
}

static void now(char *out, size_t size, const char *format) {
  time_t t = time(NULL);
  struct tm tm;
  gmtime_r(&t, &tm);
  strftime(out, size, format, &tm);
}

void ph_recorder_make_run_id(char *out, size_t size) {
  char stamp[32];
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  now(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ");
  /* One width for all processes (at most 2^22): which one recorded changes no file's size. */
  snprintf(out, size, "%s-%07ld-%05lx", stamp, (long)getpid(), (unsigned long)t.tv_nsec & 0xfffff);
}

/* A text that is no UTF-8 is kept escaped. NULL: no memory. */
static json_t *text_of(const char *text) {
  size_t n = strlen(text), size = 4 * n + 1;
  json_t *value = json_string(text);
  char *escaped = value ? NULL : malloc(size);
  if (escaped) {
    ph_escape(escaped, size, text, n);
    value = json_string(escaped);
  }
  free(escaped);
  return value;
}

/* Nothing in it may differ between two recordings of one seed by one policy: no time, no folder, no
 * run. Two that differ in nothing but the command have an equal hash of their content: provenance
 * is not in it. */
static ph_status provenance_of(char **out, const ph_episode_meta *meta, const ph_model *model,
                               const ph_recorder_options *opt) {
  const ph_model_facts *facts = &model->facts;
  json_t *array = json_pack("[{s:s,s:s,s:s,s:s,s:s,s:s}]", "op", "record", "by", meta->writer,
                            "engine", meta->engine, "version", facts->engine_version, "arch",
                            facts->arch, "substrate", meta->substrate);
  json_t *step = json_array_get(array, 0);
  bool ok = step != NULL;
  if (ok && opt->policy)
    ok = json_object_set_new(step, "policy", text_of(opt->policy)) == 0;
  if (ok && opt->policy_command)
    ok = json_object_set_new(step, "policy_command", text_of(opt->policy_command)) == 0;
  *out = ok ? json_dumps(array, JSON_COMPACT) : NULL;
  json_decref(array);
  if (!*out)
    return ph_fail(PH_EINVAL, "recorder: a name is not UTF-8");
  size_t n = strlen(*out);
  if (n <= PROVENANCE_LIMIT)
    return PH_OK;
  free(*out);
  *out = NULL;
  return ph_fail(PH_EINVAL,
                 "recorder: the policy's command: the provenance of an episode would have %zu "
                 "bytes with it, and at most %d have a place",
                 n, PROVENANCE_LIMIT);
}

/* Of more no journal could be read again. */
static ph_status check_size(const char *what, int n) {
  return n <= PH_JOURNAL_SIZE_LIMIT
             ? PH_OK
             : ph_fail(PH_EINVAL, "recorder: %s %d: more than %d", what, n, PH_JOURNAL_SIZE_LIMIT);
}

static ph_status fill_dims(ph_dims *dims, const ph_model *model, const ph_recorder_options *opt) {
  const ph_task_info *info = opt->task ? ph_task_info_of(opt->task) : NULL;
  *dims = *ph_model_dims(model);
  dims->action_dim = opt->action_dim;
  dims->action_state = opt->action_state;
  dims->control_steps = opt->control_steps;
  if (opt->control_steps == 0 && info)
    dims->control_steps = info->control_steps > 0 ? info->control_steps : 1;
  if (dims->action_dim == 0 && info) {
    ph_actions *actions = NULL;
    ph_status status = ph_actions_create(&actions, opt->task, model);
    if (status != PH_OK)
      return status;
    dims->action_dim = ph_actions_dim(actions);
    dims->action_state = ph_actions_state_dim(actions);
    ph_actions_free(actions);
  } else if (dims->action_dim == 0) {
    dims->action_dim = dims->nu;
  }
  if (dims->control_steps < 1)
    return ph_fail(PH_EINVAL, "recorder: control_steps: neither the options nor a task say it");
  if (dims->action_dim < 0 || dims->action_state < 0)
    return ph_fail(PH_EINVAL, "recorder: a negative size in the options");
  return check_size("control_steps", dims->control_steps) == PH_OK &&
                 check_size("action_dim", dims->action_dim) == PH_OK &&
                 check_size("action_state", dims->action_state) == PH_OK
             ? PH_OK
             : PH_EINVAL;
}

static ph_status fill_hold(ph_episode_meta *meta, const ph_recorder_options *opt) {
  meta->hold_seconds = -1.0;
  meta->hold_steps = 0;
  if (!isfinite(opt->hold_seconds) && !(opt->hold_seconds < 0))
    return ph_fail(PH_EINVAL, "recorder: hold_seconds %g: no number of seconds", opt->hold_seconds);
  if (!opt->task || !ph_task_info_of(opt->task)->has_success)
    return PH_OK;
  meta->hold_seconds =
      opt->hold_seconds < 0.0 ? ph_task_info_of(opt->task)->hold_seconds : opt->hold_seconds;
  return ph_hold_steps(&meta->hold_steps, meta->hold_seconds, meta->control_dt);
}

static void fill_names(ph_episode_meta *meta, const ph_model *model,
                       const ph_recorder_options *opt) {
  set(meta->writer, sizeof meta->writer, "playhead " PH_VERSION);
  now(meta->created, sizeof meta->created, "%Y-%m-%dT%H:%M:%SZ");
  set(meta->substrate, sizeof meta->substrate, ph_substrate());
  set(meta->rng, sizeof meta->rng, PH_RNG_NAME);
  set(meta->determinism, sizeof meta->determinism, "unchecked");
  set(meta->recipe, sizeof meta->recipe, opt->recipe ? opt->recipe : "step");
  set(meta->derived, sizeof meta->derived, opt->derived ? opt->derived : "fresh");
  set(meta->engine, sizeof meta->engine, opt->engine ? opt->engine : "mujoco");
  set(meta->model_sha256, sizeof meta->model_sha256, ph_model_sha256(model));
  if (opt->run_id)
    set(meta->run_id, sizeof meta->run_id, opt->run_id);
  else
    ph_recorder_make_run_id(meta->run_id, sizeof meta->run_id);
  if (opt->task)
    set(meta->task_sha256, sizeof meta->task_sha256, ph_task_sha256(opt->task));
  if (opt->env_name)
    set(meta->env_name, sizeof meta->env_name, opt->env_name);
  else if (opt->task)
    set(meta->env_name, sizeof meta->env_name, ph_task_info_of(opt->task)->name);
  else
    model_name(meta->env_name, sizeof meta->env_name, model);
}

ph_status ph_recorder_origin(ph_episode_meta *origin, char **provenance, const ph_model *model,
                             const ph_recorder_options *opt) {
  memset(origin, 0, sizeof *origin);
  *provenance = NULL;
  fill_names(origin, model, opt);
  set(origin->id, sizeof origin->id, "demo_0");
  set(origin->group, sizeof origin->group, "/data/demo_0");
  origin->end_reason = PH_END_UNKNOWN;
  origin->success = -1;
  origin->timestep = ph_model_timestep(model);
  ph_status status = fill_dims(&origin->dims, model, opt);
  if (status == PH_OK) {
    origin->control_dt = origin->dims.control_steps * origin->timestep;
    status = fill_hold(origin, opt);
  }
  if (status == PH_OK)
    status = provenance_of(provenance, origin, model, opt);
  origin->provenance = *provenance ? *provenance : "[]";
  return status;
}
