/* What is written down of a cut. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <playhead/latch.h>

#include "cut_parts.h"
#include "fail.h"
#include "json.h"

ph_status ph_cut_hold(double *seconds, int64_t *steps, const ph_cut_options *opt,
                      const ph_episode_meta *source) {
  ph_hold_recorded recorded = {source->hold_seconds, source->hold_steps, source->control_dt};
  *seconds = opt->no_hold ? -1 : opt->hold_seconds < 0 ? source->hold_seconds : opt->hold_seconds;
  *steps = 0;
  if (opt->no_hold)
    return PH_OK;
  ph_status status = ph_hold_of(steps, opt->hold_seconds, &recorded);
  if (status && !(source->control_dt > 0))
    return PH_OK; /* a rate is not known: no number of steps is */
  return status ? ph_fail_in(status, "%s", source->id) : PH_OK;
}

static json_t *fingerprint(const char *text) {
  json_t *value = text ? json_loads(text, 0, NULL) : NULL;
  return value ? value : json_null();
}

static json_t *date(const char *given) {
  char now[40];
  time_t t = time(NULL);
  struct tm tm;
  if (given)
    return json_string(given);
  strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
  return json_string(now);
}

/* One hold as it is stored: null where there is none. */
static void set_hold(json_t *step, const char *prefix, double seconds, int64_t steps) {
  char key[40];
  snprintf(key, sizeof key, "%shold_seconds", prefix);
  json_object_set_new(step, key, seconds >= 0 ? ph_json_number(seconds) : json_null());
  snprintf(key, sizeof key, "%shold_steps", prefix);
  json_object_set_new(step, key,
                      seconds >= 0 && steps >= 0 ? json_integer((json_int_t)steps) : json_null());
}

/* NULL: no memory, or a text that JSON cannot hold. */
static json_t *describe(const ph_cut_episode *plan, const ph_cut_options *opt,
                        const ph_episode_meta *m, double seconds, int64_t steps) {
  int64_t removed = m->actions - (plan->to - plan->from);
  const char *rewards = !opt->latched ? "kept" : opt->keep_rewards ? "last" : "all";
  json_t *step =
      json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:s, s:s, s:o, s:o}", "op",
                "cut", "by", "playhead " PH_VERSION, "file", ph_json_text(m->file), "group",
                ph_json_text(m->group), "run_id", ph_json_text(m->run_id), "seed",
                ph_json_text(m->seed), "from", (json_int_t)plan->from, "to", (json_int_t)plan->to,
                "source_actions", (json_int_t)m->actions, "steps_dropped", (json_int_t)removed,
                "method", opt->method ? opt->method : "steps", "rewards_set", rewards,
                "fingerprint", fingerprint(opt->fingerprint), "date", date(opt->date));
  if (step) {
    json_object_set_new(step, "judge", ph_json_text(opt->judge ? opt->judge : ""));
    json_object_set_new(step, "source_task_sha256", ph_json_text(m->task_sha256));
    set_hold(step, "", seconds, steps);
    set_hold(step, "source_", m->hold_seconds, m->hold_steps);
  }
  return step;
}

bool ph_cut_hold_before(double *seconds, int64_t *steps, const char *before) {
  json_t *array = json_loads(before && *before ? before : "[]", 0, NULL);
  json_t *last = json_array_get(array, json_array_size(array) - 1);
  json_t *hold = json_object_get(last, "hold_seconds");
  bool known = json_is_number(hold);
  *seconds = known ? json_number_value(hold) : -1;
  *steps = known ? json_integer_value(json_object_get(last, "hold_steps")) : 0;
  json_decref(array);
  return known;
}

ph_status ph_cut_provenance(char **out, const char *before, const ph_cut_episode *plan,
                            const ph_cut_options *opt, const ph_episode_meta *source) {
  double seconds = -1;
  int64_t steps = 0;
  *out = NULL;
  ph_status status = ph_cut_hold(&seconds, &steps, opt, source);
  if (status)
    return status;
  json_t *array = json_loads(before && *before ? before : "[]", 0, NULL);
  if (!json_is_array(array))
    status = ph_fail(PH_EFORMAT, "%s: %s: its provenance is no list: it cannot be added to",
                     source->file, source->id);
  json_t *step = status ? NULL : describe(plan, opt, source, seconds, steps);
  if (!status && step && json_array_append(array, step) == 0)
    *out = json_dumps(array, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(step);
  json_decref(array);
  return status || *out ? status : ph_fail(PH_ENOMEM, "%s: out of memory", source->file);
}
