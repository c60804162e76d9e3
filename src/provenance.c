#include "provenance.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <playhead/latch.h>

#include "fail.h"
#include "json.h"

static json_t *load(const char *provenance) {
  return provenance ? json_loads(provenance, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

static bool is_cut(const json_t *step) {
  const char *op = json_string_value(json_object_get(step, "op"));
  return op && strcmp(op, "cut") == 0;
}

static void take_text(char *out, size_t size, const json_t *step, const char *key) {
  const json_t *value = json_object_get(step, key);
  if (json_is_string(value))
    ph_escape(out, size, json_string_value(value), json_string_length(value));
  else
    out[0] = 0;
}

static double seconds_of(const json_t *step, const char *key) {
  const json_t *value = json_object_get(step, key);
  return json_is_number(value) ? json_number_value(value) : -1;
}

static bool sets_rewards(const json_t *step) {
  const char *set = json_string_value(json_object_get(step, "rewards_set"));
  return is_cut(step) && set && strcmp(set, "kept") != 0;
}

bool ph_cut_step_read(ph_cut_step *out, const char *provenance) {
  ph_latch_source source;
  json_t *all = load(provenance);
  const json_t *last = json_array_get(all, json_array_size(all) - 1), *steps;
  bool cut = is_cut(last);
  memset(out, 0, sizeof *out);
  if (cut) {
    take_text(out->file, sizeof out->file, last, "file");
    take_text(out->method, sizeof out->method, last, "method");
    take_text(out->date, sizeof out->date, last, "date");
    out->latched = ph_latch_source_from_name(out->method, &source);
    out->rewards_set = sets_rewards(last);
    out->hold_seconds = seconds_of(last, "hold_seconds");
    steps = json_object_get(last, "hold_steps");
    out->hold_steps = json_is_integer(steps) ? json_integer_value(steps) : -1;
    out->source_hold_seconds = seconds_of(last, "source_hold_seconds");
  }
  json_decref(all);
  return cut;
}

void ph_cut_step_text(char *out, size_t size, const ph_cut_step *s) {
  char day[sizeof "2026-11-30"]; /* those of one cut differ in seconds */
  snprintf(day, sizeof day, "%.10s", s->date);
  char hold[140] = "", steps[40] = "", before[60] = "";
  bool other = s->source_hold_seconds >= 0 && s->source_hold_seconds != s->hold_seconds;
  if (s->hold_steps > 0)
    snprintf(steps, sizeof steps, " = %" PRId64 " %s", s->hold_steps,
             s->hold_steps == 1 ? "step" : "steps");
  if (other)
    snprintf(before, sizeof before, " (%g s before)", s->source_hold_seconds);
  if (s->hold_seconds >= 0)
    snprintf(hold, sizeof hold, "%s a hold of %g s%s%s", s->latched ? " of" : " for",
             s->hold_seconds, steps, before);
  snprintf(out, size, "%s%s%s%s%s%s", s->file,
           s->latched     ? " at the latch by "
           : s->method[0] ? " by "
                          : "",
           s->method, hold, s->date[0] ? ", " : "", day);
}

bool ph_cut_set_rewards(const char *provenance) {
  json_t *all = load(provenance);
  bool set = false;
  for (size_t i = 0; i < json_array_size(all); i++)
    set = set || sets_rewards(json_array_get(all, i));
  json_decref(all);
  return set;
}
