#include "episode_file.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json.h"

typedef struct text_attr {
  const char *name;
  size_t offset, size;
  bool required;
} text_attr;

#define TEXT(field, required)                                                                      \
  { #field, offsetof(ph_episode_meta, field), sizeof((ph_episode_meta *)0)->field, required }

static const text_attr root_text[] = {
    TEXT(writer, false),    TEXT(run_id, false), TEXT(created, false),
    TEXT(substrate, false), TEXT(rng, false),
};

static const text_attr demo_text[] = {
    TEXT(seed, false),           TEXT(end_detail, false),  TEXT(determinism, false),
    TEXT(model_sha256, false),   TEXT(task_sha256, false), TEXT(recipe, false),
    TEXT(derived, false),        TEXT(engine, false),      TEXT(parent, false),
    TEXT(success_source, false),
};

#undef TEXT

static ph_status read_texts(void *base, hid_t loc, const text_attr *attr, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char *out = (char *)base + attr[i].offset;
    out[0] = 0;
    if (!attr[i].required && !ph_h5_has_attr(loc, attr[i].name))
      continue;
    ph_status status = ph_h5_attr_string(loc, attr[i].name, out, attr[i].size);
    if (status)
      return status;
  }
  return PH_OK;
}

/* An integer within [min, max]; `missing` where the attribute is not there. */
static ph_status read_int(int64_t *out, hid_t loc, const char *name, int64_t missing, int64_t min,
                          int64_t max) {
  *out = missing;
  if (!ph_h5_has_attr(loc, name))
    return PH_OK;
  ph_status status = ph_h5_attr_i64(loc, name, out);
  if (status)
    return status;
  if (*out < min || *out > max)
    return ph_fail(PH_EFORMAT, "attribute %s: %lld is out of its range", name, (long long)*out);
  return PH_OK;
}

bool ph_meta_is_sha256(const char *text) {
  return strspn(text, "0123456789abcdef") == 64 && text[64] == 0;
}

/* --- root and /data --- */

static double json_positive(const json_t *object, const char *key) {
  double value = json_number_value(json_object_get(object, key));
  return isfinite(value) && value > 0 ? value : 0;
}

/* Equal but for the rounding of decimal digits. */
static bool same_number(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* control_dt is said up to three times. */
static void compare_clock(ph_episode_meta *meta, double steps, double freq) {
  double dt = meta->control_dt, product = meta->timestep * steps;
  if (product > 0 && !same_number(dt, product))
    snprintf(meta->oddity, sizeof meta->oddity,
             "env_args: control_dt is %.9g s where %g steps of %.9g s are %.9g s", dt, steps,
             meta->timestep, product);
  else if (freq > 0 && !same_number(dt, 1 / freq))
    snprintf(meta->oddity, sizeof meta->oddity,
             "env_args: control_freq is %.9g Hz where control_dt is %.9g s", freq, dt);
}

/* env_args says what an environment needs; only what playhead itself wrote there is used. `where`
 * stands in front of errors. */
static ph_status read_env_args(ph_episode_meta *meta, hid_t loc, const char *where) {
  char *text = NULL;
  json_t *args = NULL;
  json_error_t error;
  ph_status status = ph_h5_attr_text(loc, "env_args", &text);
  if (status)
    return status;
  args = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!args) {
    status = ph_fail(PH_EFORMAT, "%sattribute env_args: not JSON: %s", where, error.text);
    goto out;
  }
  const char *name = json_string_value(json_object_get(args, "env_name"));
  const json_t *kwargs = json_object_get(args, "env_kwargs");
  double steps = json_positive(kwargs, "control_steps");
  double freq = json_positive(kwargs, "control_freq");
  if (name)
    ph_escape(meta->env_name, sizeof meta->env_name, name, strlen(name));
  if (steps > INT_MAX || steps != floor(steps)) {
    status = ph_fail(PH_EFORMAT, "%sattribute env_args: control_steps is %g", where, steps);
    goto out;
  }
  meta->dims.control_steps = (int)steps;
  meta->timestep = json_positive(kwargs, "timestep");
  meta->control_dt = json_positive(kwargs, "control_dt");
  if (meta->control_dt == 0 && meta->timestep > 0 && steps > 0)
    meta->control_dt = meta->timestep * steps;
  if (meta->control_dt == 0 && freq > 0)
    meta->control_dt = 1 / freq;
  compare_clock(meta, steps, freq);
out:
  json_decref(args);
  free(text);
  return status;
}

static ph_status read_data(ph_episode_meta *meta, hid_t file) {
  hid_t data = H5I_INVALID_HID;
  ph_status status = ph_file_group(&data, file, "/data");
  if (data >= 0 && ph_h5_has_attr(data, "env_args"))
    status = read_env_args(meta, data, "/data: ");
  ph_h5_close(data);
  return status;
}

void ph_meta_clock(ph_episode_meta *meta, double timestep) {
  double dt = timestep * meta->dims.control_steps;
  if (meta->timestep > 0 && timestep > 0 && !same_number(meta->timestep, timestep))
    snprintf(meta->oddity, sizeof meta->oddity,
             "env_args: timestep is %.9g s where that of its model is %.9g s", meta->timestep,
             timestep);
  else if (meta->control_dt > 0 && dt > 0 && !meta->oddity[0] && !same_number(meta->control_dt, dt))
    snprintf(meta->oddity, sizeof meta->oddity,
             "env_args: a control step is %.9g s where %d steps of the model are %.9g s",
             meta->control_dt, meta->dims.control_steps, dt);
  if (timestep > 0)
    meta->timestep = timestep;
  if (meta->timestep > 0 && meta->dims.control_steps > 0)
    meta->control_dt = meta->timestep * meta->dims.control_steps;
}

ph_status ph_meta_root(ph_episode_meta *meta, hid_t file) {
  char format[32] = "";
  int64_t version = 0;
  if (!ph_h5_has_attr(file, "format") || !ph_h5_has_attr(file, "format_version"))
    return ph_fail(PH_EFORMAT,
                   "no episodes are found: not a playhead file, nor of another layout "
                   "that is known, and no first dimension is shared by most of its arrays");
  ph_status status = ph_h5_attr_string(file, "format", format, sizeof format);
  if (status == PH_OK && strcmp(format, PH_FORMAT_NAME) != 0)
    return ph_fail(PH_EFORMAT, "its format is %s: not a playhead file", format);
  if (status == PH_OK)
    status = ph_h5_attr_i64(file, "format_version", &version);
  if (status == PH_OK && version != PH_FORMAT_VERSION)
    return ph_fail(PH_EFORMAT, "its format version is %lld: this playhead reads version %d",
                   (long long)version, PH_FORMAT_VERSION);
  if (status == PH_OK)
    status = read_texts(meta, file, root_text, sizeof root_text / sizeof *root_text);
  if (status == PH_OK)
    status = read_data(meta, file);
  return status;
}

/* --- demo --- */

/* What the episode says for itself where the file as a whole says otherwise: those of a dataset may
 * be of many runs. */
static ph_status read_own(ph_episode_meta *m, hid_t group) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < sizeof root_text / sizeof *root_text && !status; i++)
    if (ph_h5_has_attr(group, root_text[i].name))
      status = read_texts(m, group, &root_text[i], 1);
  if (status || !ph_h5_has_attr(group, "env_args"))
    return status;
  m->env_name[0] = m->oddity[0] = 0;
  m->dims.control_steps = 0;
  m->timestep = m->control_dt = 0;
  return read_env_args(m, group, "");
}

static ph_status read_numbers(ph_episode_meta *m, hid_t group) {
  int64_t env = 0, success = -1;
  if (!ph_h5_has_attr(group, "num_samples"))
    return ph_fail(PH_EFORMAT, "it has no attribute num_samples");
  ph_status status = read_int(&m->actions, group, "num_samples", 0, 0, INT64_MAX / 4096);
  if (status == PH_OK)
    status = read_int(&env, group, "env_id", 0, 0, INT_MAX);
  if (status == PH_OK)
    status = read_int(&m->episode, group, "episode", 0, 0, INT64_MAX);
  if (status == PH_OK)
    status = read_int(&success, group, "success", -1, 0, 1);
  if (status == PH_OK)
    status = read_int(&m->hold_steps, group, "hold_steps", 0, 0, INT64_MAX);
  m->env_id = (int)env;
  m->success = (int)success;
  m->hold_seconds = -1;
  if (status == PH_OK && ph_h5_has_attr(group, "hold_seconds"))
    status = ph_h5_attr_f64(group, "hold_seconds", &m->hold_seconds);
  if (status == PH_OK && !isfinite(m->hold_seconds))
    status = ph_fail(PH_EFORMAT, "attribute hold_seconds: not a finite number");
  return status;
}

static ph_status read_end(ph_episode_meta *m, hid_t group) {
  char end[32];
  m->end_reason = PH_END_UNKNOWN;
  if (!ph_h5_has_attr(group, "end_reason"))
    return PH_OK;
  ph_status status = ph_h5_attr_string(group, "end_reason", end, sizeof end);
  if (status == PH_OK)
    m->end_reason = ph_end_from_name(end);
  return status;
}

static ph_status read_provenance(char **out, hid_t group) {
  json_error_t error;
  *out = NULL;
  if (!ph_h5_has_attr(group, "provenance"))
    return PH_OK;
  ph_status status = ph_h5_attr_text(group, "provenance", out);
  if (status)
    return status;
  json_t *array = **out ? json_loads(*out, 0, &error) : json_array();
  if (!json_is_array(array)) {
    status = ph_fail(PH_EFORMAT, "attribute provenance: not a JSON array");
    free(*out);
    *out = NULL;
  }
  json_decref(array);
  return status;
}

ph_status ph_meta_demo(ph_episode_meta *m, char **provenance, hid_t group) {
  *provenance = NULL;
  ph_status status = read_numbers(m, group);
  if (status == PH_OK)
    status = read_texts(m, group, demo_text, sizeof demo_text / sizeof *demo_text);
  if (status == PH_OK)
    status = read_own(m, group);
  if (status == PH_OK)
    status = read_end(m, group);
  if (status == PH_OK && m->model_sha256[0] && !ph_meta_is_sha256(m->model_sha256))
    status = ph_fail(PH_EFORMAT, "attribute model_sha256: not 64 hex digits");
  if (status == PH_OK && m->task_sha256[0] && !ph_meta_is_sha256(m->task_sha256))
    status = ph_fail(PH_EFORMAT, "attribute task_sha256: not 64 hex digits");
  return status ? status : read_provenance(provenance, group);
}

/* --- models --- */

#define SIZE(field, kind, limit)                                                                   \
  { #field, offsetof(ph_dims, field), kind, limit }
#define NAMELESS_MAX (1 << 20) /* of what no table of names can bear out */

static const struct size_attr {
  const char *name;
  size_t offset;
  ph_kind kind; /* whose table of names has as many lines; PH_KIND_COUNT: none */
  int limit;
} size_attrs[] = {
    SIZE(nq, PH_KIND_COUNT, INT_MAX / 16),      SIZE(nv, PH_KIND_COUNT, INT_MAX / 16),
    SIZE(nu, PH_ACTUATOR, INT_MAX / 16),        SIZE(na, PH_KIND_COUNT, INT_MAX / 16),
    SIZE(nmocap, PH_MOCAP, INT_MAX / 16),       SIZE(neq, PH_EQUALITY, INT_MAX / 16),
    SIZE(nbody, PH_BODY, INT_MAX / 16),         SIZE(nuserdata, PH_KIND_COUNT, NAMELESS_MAX),
    SIZE(nplugin, PH_KIND_COUNT, NAMELESS_MAX),
};

#undef SIZE

/* A number is cheap to write, a table of names is not. One that cannot be read bears out nothing;
 * who wants the names is told why. */
static ph_status check_named(ph_model_facts *facts, hid_t model, const struct size_attr *size,
                             int value) {
  char path[64];
  hid_t dataset = H5I_INVALID_HID;
  ph_h5_array info;
  if (size->kind == PH_KIND_COUNT)
    return PH_OK;
  snprintf(path, sizeof path, "names/%s", ph_schema_kind(size->kind));
  bool there = ph_h5_dataset(&dataset, &info, model, path) == PH_OK && info.rank == 1;
  ph_h5_close(dataset);
  if (there && value > 0 && info.dim[0] != value)
    return ph_fail(PH_EFORMAT, "attribute %s: %d where %s has %lld lines", size->name, value, path,
                   (long long)info.dim[0]);
  if (!there)
    facts->unnamed |= 1u << size->kind;
  return PH_OK;
}

ph_status ph_meta_model(ph_model_facts *facts, hid_t model) {
  static const text_attr text[] = {
      {"integrator", offsetof(ph_model_facts, integrator), sizeof facts->integrator, false},
      {"solver", offsetof(ph_model_facts, solver), sizeof facts->solver, false},
      {"mujoco_version", offsetof(ph_model_facts, engine_version), sizeof facts->engine_version,
       false},
      {"arch", offsetof(ph_model_facts, arch), sizeof facts->arch, false},
      {"compiled_sha256", offsetof(ph_model_facts, compiled_sha256), sizeof facts->compiled_sha256,
       false},
  };
  memset(facts, 0, sizeof *facts);
  ph_status status = read_texts(facts, model, text, sizeof text / sizeof *text);
  for (size_t i = 0; status == PH_OK && i < sizeof size_attrs / sizeof *size_attrs; i++) {
    const struct size_attr *size = &size_attrs[i];
    int64_t value = 0;
    status = read_int(&value, model, size->name, 0, 0, size->limit);
    *(int *)((char *)&facts->dims + size->offset) = (int)value;
    if (status == PH_OK)
      status = check_named(facts, model, size, (int)value);
  }
  if (status == PH_OK && ph_h5_has_attr(model, "timestep"))
    status = ph_h5_attr_f64(model, "timestep", &facts->timestep);
  if (status == PH_OK && !(facts->timestep >= 0 && isfinite(facts->timestep)))
    status = ph_fail(PH_EFORMAT, "attribute timestep: %g is out of its range", facts->timestep);
  return status;
}

/* --- entries --- */

void ph_entry_from_meta(ph_entry *e, const ph_episode_meta *m) {
  memset(e, 0, sizeof *e);
  memcpy(e->id, m->id, sizeof e->id);
  memcpy(e->file, m->file, sizeof e->file);
  memcpy(e->group, m->group, sizeof e->group);
  e->env_id = m->env_id;
  e->episode = m->episode;
  e->actions = m->actions;
  e->states = m->states;
  memcpy(e->seed, m->seed, sizeof e->seed);
  e->end_reason = m->end_reason;
  e->success = m->success;
  memcpy(e->determinism, m->determinism, sizeof e->determinism);
  memcpy(e->model_sha256, m->model_sha256, sizeof e->model_sha256);
  memcpy(e->task_sha256, m->task_sha256, sizeof e->task_sha256);
}

/* Copies names that a fixed field must hold whole. */
static ph_status set_names(ph_episode_meta *m, const char *file, const char *group) {
  const char *slash = strrchr(group, '/');
  const char *id = slash ? slash + 1 : group;
  if (strlen(file) >= sizeof m->file)
    return ph_fail(PH_EINVAL, "the path is too long");
  if (strlen(group) >= sizeof m->group || strlen(id) >= sizeof m->id)
    return ph_fail(PH_EFORMAT, "%.60s...: the group's name is too long", group);
  memcpy(m->file, file, strlen(file) + 1);
  memcpy(m->group, group, strlen(group) + 1);
  ph_escape(m->id, sizeof m->id, id, strlen(id));
  return PH_OK;
}

ph_status ph_meta_read(ph_episode_meta *m, char **provenance, hid_t h5, const char *file,
                       const char *group) {
  hid_t demo = H5I_INVALID_HID, extras = H5I_INVALID_HID;
  *provenance = NULL;
  ph_status status = set_names(m, file, group);
  if (status)
    return ph_file_fail(status, file, NULL);
  bool last = false;
  status = ph_file_group(&demo, h5, group);
  if (status == PH_OK && demo < 0)
    status = ph_fail(PH_ENOTFOUND, "%s: %s: it is not in the file", file, group);
  if (status == PH_OK)
    status = ph_meta_demo(m, provenance, demo);
  if (status == PH_OK)
    status = ph_file_group(&extras, demo, "playhead");
  if (status == PH_OK && extras >= 0)
    status = ph_file_has(&last, extras, "final_state");
  m->states = m->actions + (last ? 1 : 0);
  ph_h5_close(extras);
  ph_h5_close(demo);
  return ph_file_fail(status, file, group);
}

ph_status ph_episode_peek_in(ph_entry *out, hid_t h5, const char *file, const char *group) {
  ph_episode_meta meta = {0};
  char *provenance;
  ph_status status = ph_meta_read(&meta, &provenance, h5, file, group);
  free(provenance);
  if (status == PH_OK)
    ph_entry_from_meta(out, &meta);
  return status;
}

/* What follows "FILE: " in the error text; NULL when it does not begin with that. */
static const char *error_within(const char *file) {
  char where[1100];
  ph_escape(where, sizeof where, file, strlen(file));
  const char *text = ph_text_without(ph_error(), where);
  return text != ph_error() ? text : NULL;
}

ph_status ph_file_fail(ph_status status, const char *file, const char *object) {
  if (status == PH_OK || error_within(file))
    return status;
  return object ? ph_fail_in(status, "%s: %s", file, object) : ph_fail_in(status, "%s", file);
}

void ph_oddity(char *out, size_t size, const char *file) {
  const char *text = error_within(file);
  if (!text)
    text = ph_error();
  ph_escape(out, size, text, strlen(text));
}
