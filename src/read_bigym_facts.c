/* What metadata.json and the name of a file of BiGym tell. */
#include "read_bigym.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { REWARDS_MAX = 64 << 20 };

double ph_bigym_last_reward(const ph_npz *npz) {
  size_t i = ph_npz_find(npz, "reward");
  const ph_npy *info = i == SIZE_MAX ? NULL : ph_npz_info(npz, i);
  double *all = NULL, last = NAN;
  if (info && info->count > 0 && ph_npz_numbers(&all, npz, i, REWARDS_MAX) == PH_OK)
    last = all[info->count - 1];
  free(all);
  return last;
}

int ph_bigym_success(double reward) {
  return isnan(reward) ? -1 : fabs(reward - 1) <= PH_SUCCESS_NEAR;
}

/* --- metadata.json --- */

static void show(char *out, size_t size, const json_t *value) {
  if (json_is_string(value))
    ph_escape(out, size, json_string_value(value), json_string_length(value));
}

static const json_t *below(const json_t *meta, const char *object, const char *key) {
  return json_object_get(json_object_get(meta, object), key);
}

static void take_rate(ph_foreign *out, const json_t *meta) {
  const json_t *dt = json_object_get(meta, "control_step_seconds");
  if (json_is_number(dt) && json_number_value(dt) > 0) {
    out->dt = json_number_value(dt);
    strcpy(out->dt_source, "control_step_seconds");
  } else if (meta) {
    ph_foreign_find(out, PH_FINDING_ODDITY, -1,
                    "metadata.json: control_step_seconds is %s: the rate is not known",
                    dt ? "no positive number" : "missing");
  }
}

/* What the actions feed: code that is in no file. */
static void take_controller(ph_foreign *out, const json_t *meta) {
  char robot[22] = "", backend[22] = "";
  show(robot, sizeof robot, below(meta, "action_semantics", "robot_model"));
  show(backend, sizeof backend, below(meta, "action_semantics", "lowerbody_backend"));
  char *to = out->meta.controller;
  size_t size = sizeof out->meta.controller;
  if (robot[0] && backend[0])
    snprintf(to, size, "BiGym's code of %s (%s)", robot, backend);
  else
    snprintf(to, size, "BiGym's code%s%s", robot[0] ? " of " : "", robot);
}

/* What the hold was, which no column tells. */
static void take_hold(ph_foreign *out, const json_t *meta) {
  const json_t *hold = below(meta, "task", "success_hold_seconds");
  if (!json_is_number(hold))
    hold = below(meta, "env_config", "success_hold_seconds");
  if (!json_is_number(hold))
    hold = json_object_get(meta, "training_success_hold_seconds");
  if (!json_is_number(hold))
    return;
  out->hold = json_number_value(hold);
  out->has_hold = isfinite(out->hold) && out->hold >= 0;
  if (out->has_hold)
    snprintf(out->meta.end_detail, sizeof out->meta.end_detail,
             "success_hold_seconds %g in metadata.json", json_number_value(hold));
}

static void set_copy(json_t *step, const char *key, const json_t *trim, const char *from) {
  json_t *value = json_object_get(trim, from);
  json_object_set_new(step, key, value ? json_deep_copy(value) : json_null());
}

/* A cut as it is told elsewhere. */
static json_t *cut_step(const json_t *trim) {
  json_t *step = json_pack("{s:s, s:s}", "op", "cut", "rewards_set", "all");
  set_copy(step, "file", trim, "source_batch");
  set_copy(step, "method", trim, "method");
  set_copy(step, "hold_seconds", trim, "target_success_hold_seconds");
  set_copy(step, "source_hold_seconds", trim, "source_success_hold_seconds");
  set_copy(step, "fingerprint", trim, "substrate_fingerprint");
  set_copy(step, "date", trim, "date");
  return step;
}

/* Which cuts a batch comes from: each names the one before. */
static void take_cuts(ph_foreign *out, const json_t *meta) {
  enum { CUTS_MOST = 100 };
  const json_t *trim = json_object_get(meta, "success_hold_trim");
  json_t *all = json_array();
  for (int i = 0; i < CUTS_MOST && json_is_object(trim); i++) {
    json_array_insert_new(all, 0, cut_step(trim));
    trim = json_object_get(trim, "source_trim");
  }
  if (json_array_size(all) > 0)
    out->provenance = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(all);
}

/* --- the name, and numbers of the whole episode --- */

/* "20260826T101112" as ISO 8601; of which zone is not said. */
static void take_name(ph_foreign *out, const char *file) {
  const char *slash = strrchr(file, '/');
  ph_bigym_name name;
  if (!ph_bigym_parse(&name, slash ? slash + 1 : file))
    return;
  const char *s = name.stamp;
  out->meta.episode = name.index;
  snprintf(out->meta.created, sizeof out->meta.created, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2s", s, s + 4,
           s + 6, s + 9, s + 11, s + 13);
}

static void take_seed(ph_foreign *out, const ph_npz *npz) {
  size_t i = ph_npz_find(npz, "seed");
  double *value = NULL;
  if (i != SIZE_MAX && ph_npz_info(npz, i)->count == 1 &&
      ph_npz_numbers(&value, npz, i, sizeof *value) == PH_OK && *value == rint(*value) &&
      fabs(*value) <= 0x1p53)
    snprintf(out->meta.seed, sizeof out->meta.seed, "%.0f", *value);
  free(value);
}

static void take_success(ph_foreign *out, const ph_npz *npz) {
  double reward = ph_bigym_last_reward(npz);
  int success = ph_bigym_success(reward);
  out->meta.success = success;
  if (success >= 0)
    snprintf(out->meta.success_source, sizeof out->meta.success_source,
             "reward: %.6g at the last frame", reward);
}

void ph_bigym_facts(ph_foreign *out, const ph_bigym *b) {
  const json_t *task = json_object_get(b->meta, "task");
  show(out->meta.env_name, sizeof out->meta.env_name, json_object_get(task, "task_name"));
  take_name(out, b->file);
  take_rate(out, b->meta);
  take_controller(out, b->meta);
  take_seed(out, b->npz);
  take_success(out, b->npz);
  take_hold(out, b->meta);
  take_cuts(out, b->meta);
}
