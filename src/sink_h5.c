/* File-level groups: the root's attributes, /data, models and tasks. */
#include "sink_h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json.h"
#include "task.h"

enum { ORIGIN_TEXTS = 5 };

/* What all episodes of a run share. */
static const char *origin_text(const char **name, const ph_episode_meta *m, int i) {
  static const char *const names[ORIGIN_TEXTS] = {"writer", "run_id", "created", "rng",
                                                  "substrate"};
  const char *const texts[ORIGIN_TEXTS] = {m->writer, m->run_id, m->created, m->rng, m->substrate};
  *name = names[i];
  return texts[i];
}

ph_status ph_sink_put_root(hid_t file, const ph_episode_meta *origin) {
  const char *name;
  ph_status status = ph_h5_put_i64(file, "format_version", PH_FORMAT_VERSION);
  if (!status)
    status = ph_h5_put_string(file, "format", PH_FORMAT_NAME);
  for (int i = 0; i < ORIGIN_TEXTS && !status; i++) {
    const char *text = origin_text(&name, origin, i);
    status = ph_h5_put_string(file, name, text);
  }
  return status;
}

/* --- /data --- */

static void set_positive(json_t *object, const char *key, double value) {
  if (value > 0)
    json_object_set_new(object, key, ph_json_number(value));
}

/* What robomimic's scripts look for; only known values. */
static char *env_args(const ph_episode_meta *origin) {
  json_t *kwargs = json_object(), *args = json_object();
  if (origin->dims.control_steps > 0)
    json_object_set_new(kwargs, "control_steps", json_integer(origin->dims.control_steps));
  if (origin->control_dt > 0)
    set_positive(kwargs, "control_freq", 1 / origin->control_dt);
  set_positive(kwargs, "control_dt", origin->control_dt);
  set_positive(kwargs, "timestep", origin->timestep);
  json_t *name = ph_json_text(origin->env_name);
  if (json_is_null(name)) {
    json_decref(name);
    name = json_string("");
  }
  json_object_set_new(args, "env_name", name);
  json_object_set_new(args, "type", json_integer(1));
  json_object_set_new(args, "env_kwargs", kwargs);
  char *text = json_dumps(args, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(args);
  return text;
}

ph_status ph_sink_put_data(hid_t file, const ph_episode_meta *origin, int64_t total) {
  hid_t data = H5I_INVALID_HID;
  char *args = env_args(origin);
  ph_status status = args ? PH_OK : ph_fail(PH_ENOMEM, "/data: env_args: out of memory");
  if (!status)
    status = ph_h5_exists(file, "data") ? ph_h5_group(&data, file, "data")
                                        : ph_h5_group_create(&data, file, "data");
  if (!status)
    status = ph_h5_put_i64(data, "total", total);
  if (!status)
    status = ph_h5_put_string(data, "env_args", args);
  ph_h5_close(data);
  free(args);
  return status;
}

ph_status ph_sink_put_own(hid_t demo, const ph_episode_meta *meta, const ph_episode_meta *origin) {
  const char *name;
  ph_status status = PH_OK;
  for (int i = 0; i < ORIGIN_TEXTS && !status; i++) {
    const char *text = origin_text(&name, meta, i);
    if (strcmp(text, origin_text(&name, origin, i)) != 0)
      status = ph_h5_put_string(demo, name, text);
  }
  char *args = env_args(meta), *others = env_args(origin);
  if (!status && (!args || !others))
    status = ph_fail(PH_ENOMEM, "env_args: out of memory");
  if (!status && strcmp(args, others) != 0)
    status = ph_h5_put_string(demo, "env_args", args);
  free(args);
  free(others);
  return status;
}

/* --- models --- */

static ph_status put_facts(hid_t group, const ph_model_facts *f) {
  const struct {
    const char *name;
    int value;
  } sizes[] = {
      {"nq", f->dims.nq},       {"nv", f->dims.nv},           {"nu", f->dims.nu},
      {"na", f->dims.na},       {"neq", f->dims.neq},         {"nmocap", f->dims.nmocap},
      {"nbody", f->dims.nbody}, {"nplugin", f->dims.nplugin}, {"nuserdata", f->dims.nuserdata},
  };
  const struct {
    const char *name, *text;
  } texts[] = {
      {"compiled_sha256", f->compiled_sha256},
      {"mujoco_version", f->engine_version},
      {"arch", f->arch},
      {"integrator", f->integrator},
      {"solver", f->solver},
  };
  ph_status status = ph_h5_put_f64(group, "timestep", f->timestep);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !status; i++)
    status = ph_h5_put_i64(group, sizes[i].name, sizes[i].value);
  for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
    status = ph_h5_put_string(group, texts[i].name, texts[i].text);
  return status;
}

/* An asset's unique name is one part of a path. */
static ph_status put_assets(hid_t group, const ph_source *source) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < source->nassets && !status; i++) {
    const ph_blob *asset = &source->assets[i];
    char path[600];
    if (!asset->name[0] || strchr(asset->name, '/') || strlen(asset->name) > 512)
      return ph_fail(PH_EINVAL, "model: asset \"%.512s\": not a unique name", asset->name);
    snprintf(path, sizeof path, "assets/%s", asset->name);
    status = ph_h5_put_bytes(group, path, asset->data, asset->size);
  }
  return status;
}

static ph_status put_originals(hid_t group, const ph_source *source) {
  ph_status status = PH_OK;
  for (size_t i = 0; i < source->noriginals && !status; i++) {
    char path[40];
    hid_t dataset = H5I_INVALID_HID;
    ph_h5_array info;
    snprintf(path, sizeof path, "source/%zu", i);
    status = ph_h5_put_bytes(group, path, source->originals[i].data, source->originals[i].size);
    if (!status)
      status = ph_h5_dataset(&dataset, &info, group, path);
    if (!status)
      status = ph_h5_put_string(dataset, "path", source->originals[i].name);
    ph_h5_close(dataset);
  }
  return status;
}

static ph_status put_joints(hid_t group, const ph_names *names) {
  int64_t n = names->count[PH_JOINT];
  int32_t *values = calloc((size_t)n + 1, 3 * sizeof *values);
  if (!values)
    return ph_fail(PH_ENOMEM, "model: names: out of memory");
  for (int64_t i = 0; i < n; i++) {
    values[i] = (int32_t)names->joint[i].type;
    values[n + i] = names->joint[i].qposadr;
    values[2 * n + i] = names->joint[i].dofadr;
  }
  ph_status status = ph_h5_put_array(group, "names/joint_type", PH_I32, 1, &n, values);
  if (!status)
    status = ph_h5_put_array(group, "names/joint_qposadr", PH_I32, 1, &n, values + n);
  if (!status)
    status = ph_h5_put_array(group, "names/joint_dofadr", PH_I32, 1, &n, values + 2 * n);
  free(values);
  return status;
}

_Static_assert(PH_SCHEMA_KINDS == PH_KIND_COUNT, "ph_schema_kind names every kind");

static ph_status put_names(hid_t group, const ph_names *names) {
  ph_status status = PH_OK;
  for (int kind = 0; kind < PH_KIND_COUNT && !status; kind++) {
    char path[40];
    snprintf(path, sizeof path, "names/%s", ph_schema_kind(kind));
    status = ph_h5_put_strings(group, path, names->name[kind], names->count[kind]);
  }
  return status ? status : put_joints(group, names);
}

ph_status ph_sink_put_model(hid_t file, const ph_model *model) {
  char path[80];
  hid_t group = H5I_INVALID_HID;
  const ph_source *source = model->source;
  if (!source->xml)
    return ph_fail(PH_EMODEL, "model %.12s: its source cannot be had: %s", source->sha256,
                   model->error);
  snprintf(path, sizeof path, "models/%s", source->sha256);
  if (ph_h5_exists(file, path))
    return PH_OK;
  ph_status status = ph_h5_group_create(&group, file, path);
  if (!status)
    status = put_facts(group, &model->facts);
  if (!status)
    status = ph_h5_put_bytes(group, "xml", source->xml, source->xml_size);
  if (!status)
    status = put_assets(group, source);
  if (!status)
    status = put_originals(group, source);
  if (!status)
    status = put_names(group, &model->names);
  ph_h5_close(group);
  return status;
}

/* --- tasks --- */

ph_status ph_sink_put_task(hid_t file, const ph_task *task) {
  const ph_task_info *info = ph_task_info_of(task);
  const char *source = ph_task_source(task);
  char path[80];
  hid_t group = H5I_INVALID_HID;
  snprintf(path, sizeof path, "tasks/%s", ph_task_sha256(task));
  if (ph_h5_exists(file, path))
    return PH_OK;
  ph_status status = ph_h5_group_create(&group, file, path);
  if (!status)
    status = ph_h5_put_string(group, "name", info->name);
  if (!status)
    status = ph_h5_put_i64(group, "control_steps", info->control_steps);
  if (!status)
    status = ph_h5_put_f64(group, "hold_seconds", info->hold_seconds);
  if (!status)
    status = ph_h5_put_i64(group, "max_steps", info->max_steps);
  if (!status)
    status = ph_h5_put_bytes(group, "source", source, task->size);
  ph_h5_close(group);
  return status;
}
