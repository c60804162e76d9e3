/* What the attributes of /data and of a demo tell: robosuite's env_info, robomimic's env_args,
 * LIBERO's problem_info, RoboCasa's ep_meta. Texts are JSON of other people: bounded, and one that
 * is broken is only a finding. */
#include "read_demos.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json.h"
#include "provenance.h"

enum { JSON_LIMIT = 4 << 20, LEVELS = 4, PARTS_MAX = 8 };

/* --- JSON attributes --- */

static json_t *parse(const char *text, json_error_t *error) {
  return json_loadb(text, strlen(text), JSON_DECODE_ANY, error);
}

/* An attribute's object; the caller's. NULL: there is none, or a finding says why. A text in the
 * text (env_args that were dumped twice) is parsed again. out is nullable. */
static json_t *attr_json(ph_foreign *out, hid_t loc, const char *name) {
  char *text = NULL;
  json_error_t error = {.text = ""};
  if (!ph_h5_has_attr(loc, name))
    return NULL;
  if (ph_h5_attr_text(loc, name, &text) != PH_OK) {
    if (out)
      ph_foreign_find(out, PH_FINDING_ODDITY, -1, "the attribute %s cannot be read: %s", name,
                      ph_error());
    return NULL;
  }
  json_t *value = strlen(text) <= JSON_LIMIT ? parse(text, &error) : NULL;
  bool large = strlen(text) > JSON_LIMIT, empty = !text[strspn(text, " \t\r\n")];
  free(text);
  if (json_is_string(value)) {
    json_t *inner = parse(json_string_value(value), &error);
    json_decref(value);
    value = inner;
  }
  if (json_is_object(value))
    return value;
  if (out && !empty)
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, "the attribute %s is no JSON object%s%.120s", name,
                    large || error.text[0] ? ": " : "", large ? "it is too long" : error.text);
  json_decref(value);
  return NULL;
}

/* The level below an object of environment arguments; borrowed. */
static json_t *below(json_t *object, const char **key) {
  static const char *const keys[] = {"env_kwargs", "env_args", "env_info"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    json_t *value = json_object_get(object, keys[i]);
    *key = keys[i];
    if (json_is_object(value))
      return value;
  }
  return NULL;
}

/* The first value of that key at any level; where gets the path to it, "env_args.env_kwargs".
 * Borrowed; NULL: there is none. where is nullable. */
static json_t *find(json_t *object, const char *key, char *where, size_t size) {
  for (int level = 0; object && level < LEVELS; level++) {
    const char *next = NULL;
    json_t *value = json_object_get(object, key);
    if (value && !json_is_null(value))
      return value;
    object = below(object, &next);
    size_t n = where ? strlen(where) : 0;
    if (object && where)
      snprintf(where + n, size - n, ".%s", next);
  }
  return NULL;
}

bool ph_demo_has_arg(hid_t data, const char *key) {
  json_t *args = attr_json(NULL, data, "env_args");
  bool yes = find(args, key, NULL, 0) != NULL;
  json_decref(args);
  return yes;
}

/* A text as it may be shown; a list of texts is joined by blanks. */
static void show(char *out, size_t size, const json_t *value) {
  size_t n = 0, i;
  json_t *item;
  if (json_is_string(value))
    ph_escape(out, size, json_string_value(value), json_string_length(value));
  if (!json_is_array(value))
    return;
  out[0] = 0;
  json_array_foreach(value, i, item) {
    if (!json_is_string(item) || n + 2 >= size)
      continue;
    if (n > 0)
      out[n++] = ' ';
    ph_escape(out + n, size - n, json_string_value(item), json_string_length(item));
    n += strlen(out + n);
  }
}

/* --- controller --- */

static void append(char *out, size_t size, const char *text) {
  size_t n = strlen(out);
  snprintf(out + n, size - n, "%s%s", n ? ", " : "", text);
}

/* One of a composite controller: {"right": {"type": "OSC_POSE", ...}, ...}. */
static void show_parts(char *out, size_t size, json_t *parts) {
  const char *key;
  json_t *part;
  int n = 0;
  json_object_foreach(parts, key, part) {
    char type[32] = "", name[32], text[80];
    show(type, sizeof type, json_object_get(part, "type"));
    if (!type[0] || n++ == PARTS_MAX)
      continue;
    ph_escape(name, sizeof name, key, strlen(key));
    snprintf(text, sizeof text, "%s of %s", type, name);
    append(out, size, text);
  }
}

static void show_controller(char *out, size_t size, json_t *configs) {
  json_t *item, *parts = json_object_get(configs, "body_parts");
  size_t i;
  if (json_is_object(parts))
    show_parts(out, size, parts);
  if (out[0] || json_is_object(configs)) {
    if (!out[0])
      show(out, size, json_object_get(configs, "type"));
    return;
  }
  json_array_foreach(configs, i, item) {
    char type[64] = "";
    if (i < PARTS_MAX && json_is_object(item))
      show_controller(type, sizeof type, item);
    if (type[0] && !strstr(out, type))
      append(out, size, type);
  }
}

/* --- one attribute after the other --- */

static void take_freq(ph_foreign *out, json_t *args, const char *root) {
  char where[64];
  snprintf(where, sizeof where, "%s", root);
  json_t *value = find(args, "control_freq", where, sizeof where);
  if (out->dt > 0 || !value)
    return;
  double freq = json_number_value(value);
  if (!json_is_number(value) || !(freq > 0) || !isfinite(1 / freq)) {
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, "%s.control_freq is no frequency", where);
    return;
  }
  out->dt = 1 / freq;
  snprintf(out->dt_source, sizeof out->dt_source, "%s.control_freq %.6g Hz", where, freq);
}

/* env_args or env_info. */
static void take_args(ph_foreign *out, hid_t data, const char *name) {
  ph_episode_meta *meta = &out->meta;
  json_t *args = attr_json(out, data, name);
  if (!args)
    return;
  if (!meta->env_name[0])
    show(meta->env_name, sizeof meta->env_name, find(args, "env_name", NULL, 0));
  if (!meta->controller[0])
    show_controller(meta->controller, sizeof meta->controller,
                    find(args, "controller_configs", NULL, 0));
  if (!meta->controller[0])
    show(meta->controller, sizeof meta->controller, find(args, "controller", NULL, 0));
  char version[32] = "";
  show(version, sizeof version, find(args, "env_version", NULL, 0));
  if (!meta->writer[0] && version[0] && json_integer_value(json_object_get(args, "type")) == 1)
    snprintf(meta->writer, sizeof meta->writer, "robosuite %s", version);
  take_freq(out, args, name);
  json_decref(args);
}

static void take_text(char *out, size_t size, hid_t loc, const char *name) {
  if (!out[0] && ph_h5_has_attr(loc, name))
    ph_h5_attr_string(loc, name, out, size);
}

static void take_version(char *out, size_t size, hid_t data, const char *name,
                         const char *program) {
  char version[32] = "", text[64];
  take_text(version, sizeof version, data, name);
  snprintf(text, sizeof text, "%s %s", program, version);
  if (version[0])
    append(out, size, text);
}

static void take_instruction(ph_foreign *out, hid_t data, hid_t demo) {
  char *text = out->meta.instruction;
  size_t size = sizeof out->meta.instruction;
  json_t *meta = attr_json(out, demo, "ep_meta");
  show(text, size, json_object_get(meta, "lang"));
  json_decref(meta);
  json_t *info = text[0] ? NULL : attr_json(out, data, "problem_info");
  show(text, size, json_object_get(info, "language_instruction"));
  json_decref(info);
}

/* robosuite writes month-day-year and the time apart. What reads as such becomes ISO 8601. */
static void take_date(ph_foreign *out, hid_t data) {
  char date[40] = "", time[40] = "", end;
  unsigned month, day, year, hour, minute, second;
  take_text(date, sizeof date, data, "date");
  take_text(time, sizeof time, data, "time");
  bool known = sscanf(date, "%2u-%2u-%4u%c", &month, &day, &year, &end) == 3 && month >= 1 &&
               month <= 12 && day >= 1 && day <= 31 && year >= 2000;
  bool timed = sscanf(time, "%2u:%2u:%2u%c", &hour, &minute, &second, &end) == 3 && hour < 24 &&
               minute < 60 && second < 61;
  char *created = out->meta.created;
  size_t size = sizeof out->meta.created;
  if (known && timed)
    snprintf(created, size, "%04u-%02u-%02uT%02u:%02u:%02u", year, month, day, hour, minute,
             second);
  else if (known)
    snprintf(created, size, "%04u-%02u-%02u", year, month, day);
  else
    snprintf(created, size, "%.*s%s%.*s", 19, date, date[0] && time[0] ? " " : "", 19, time);
}

static void take_seed(ph_foreign *out, hid_t demo) {
  int64_t seed;
  if (ph_h5_has_attr(demo, "seed") && ph_h5_attr_i64(demo, "seed", &seed) == PH_OK)
    snprintf(out->meta.seed, sizeof out->meta.seed, "%lld", (long long)seed);
}

/* Takes text. Rewards that a cut has set are of its hold. */
static void take_steps(ph_foreign *out, char *text) {
  ph_cut_step last;
  out->provenance = text;
  out->has_hold = ph_cut_step_read(&last, text) && last.rewards_set && last.hold_seconds >= 0;
  out->hold = last.hold_seconds;
}

/* Cuts that the demo comes from. */
static void take_cuts(ph_foreign *out, hid_t demo) {
  char *text = NULL;
  json_t *all = NULL;
  if (!ph_h5_has_attr(demo, PH_CUT_ATTR))
    return;
  if (ph_h5_attr_text(demo, PH_CUT_ATTR, &text) == PH_OK)
    all = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  if (json_is_array(all))
    take_steps(out, text);
  else
    ph_foreign_find(out, PH_FINDING_ODDITY, -1, "attribute " PH_CUT_ATTR ": not a JSON array");
  if (!out->provenance)
    free(text);
  json_decref(all);
}

void ph_demo_facts(ph_foreign *out, hid_t data, hid_t demo) {
  ph_episode_meta *meta = &out->meta;
  take_version(meta->writer, sizeof meta->writer, data, "robocasa_version", "robocasa");
  take_version(meta->writer, sizeof meta->writer, data, "robosuite_version", "robosuite");
  take_version(meta->writer, sizeof meta->writer, data, "repository_version", "robosuite");
  take_text(meta->env_name, sizeof meta->env_name, data, "env");
  take_text(meta->env_name, sizeof meta->env_name, data, "env_name");
  take_args(out, data, "env_args");
  take_args(out, data, "env_info");
  take_instruction(out, data, demo);
  take_date(out, data);
  take_seed(out, demo);
  take_cuts(out, demo);
}
