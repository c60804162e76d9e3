/* `latch --json`: one object for each episode, in a sweep one for each hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latch_parts.h"

static json_t *seconds_or_null(double seconds) {
  return seconds < 0 ? json_null() : ph_json_number(seconds);
}

/* --- one episode --- */

static json_t *misses(const struct latch_result *r, const ph_latching *latching, int64_t steps) {
  json_t *list = json_array();
  for (size_t i = 0; i < latching->nmisses; i++) {
    const ph_near_miss *miss = &latching->miss[i];
    json_array_append_new(list, json_pack("{s:I, s:I, s:I, s:o}", "row", (json_int_t)miss->row,
                                          "count", (json_int_t)miss->count, "of", (json_int_t)steps,
                                          "why", ph_json_text(latch_why(r, miss->row))));
  }
  return list;
}

static json_t *intervals(const struct latch_result *r, const ph_intervals *iv) {
  json_t *list = json_array();
  for (size_t i = 0; i < iv->n; i++) {
    const ph_interval *at = &iv->at[i];
    const char *why = at->broken ? latch_why(r, at->last + 1) : "";
    json_array_append_new(list, json_pack("{s:I, s:I, s:b, s:o}", "first", (json_int_t)at->first,
                                          "last", (json_int_t)at->last, "broken", at->broken, "why",
                                          ph_json_text(why)));
  }
  return list;
}

static json_t *disagreements(const struct latch_result *r, int64_t steps) {
  ph_finding found[PH_LATCH_SOURCES];
  json_t *list = json_array();
  size_t n = steps >= 0 ? ph_outcomes_findings(r->of, steps, found, PH_LATCH_SOURCES) : 0;
  for (size_t i = 0; i < n; i++)
    json_array_append_new(list, json_pack("{s:o, s:o}", "row", report_index(found[i].step), "text",
                                          ph_json_text(found[i].text)));
  return list;
}

/* The row by each source, and in `reasons` why there is none. Returns whether there is one. */
static bool add_rows(const struct latch *v, const struct latch_result *r, int64_t steps,
                     const char *why, json_t *episode, json_t *reasons) {
  bool any = false;
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    const char *name = ph_latch_source_name((ph_latch_source)k);
    ph_latch_answer answer = {.refusal = PH_REFUSAL_UNKNOWN, .latching.latch = -1};
    if (steps >= 0 && v->asked[k])
      ph_outcomes_latch(&r->of[k], steps, &answer);
    else if (v->asked[k])
      snprintf(answer.text, sizeof answer.text, "%s", why);
    any = any || answer.latching.latch >= 0;
    json_object_set_new(episode, name, report_index(answer.latching.latch));
    json_object_set_new(reasons, name, ph_json_text(answer.text));
  }
  return any;
}

/* What is counted by the first source that is known. */
static void add_counts(const struct latch *v, const struct latch_result *r, int64_t steps,
                       json_t *episode) {
  int base = latch_base(v, r);
  bool known = base >= 0 && steps >= 0;
  ph_latching latching = {.latch = -1, .longest_first = -1};
  if (known)
    ph_intervals_latch(&r->of[base].intervals, steps, &latching);
  json_object_set_new(episode, "true_steps",
                      known ? json_integer(r->of[base].intervals.true_rows) : json_null());
  json_object_set_new(episode, "longest_hold",
                      known ? json_integer(latching.longest) : json_null());
  json_object_set_new(episode, "longest_from", report_index(latching.longest_first));
  json_object_set_new(episode, "near_misses", misses(r, &latching, steps));
  json_object_set_new(episode, "counted_by",
                      known ? json_string(ph_latch_source_name((ph_latch_source)base))
                            : json_null());
  if (v->intervals)
    json_object_set_new(episode, "intervals",
                        known ? intervals(r, &r->of[base].intervals) : json_array());
}

/* The first reason of one that has no latch; null: it has. */
static json_t *first_reason(const json_t *reasons) {
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    json_t *one = json_object_get(reasons, ph_latch_source_name((ph_latch_source)k));
    if (json_is_string(one))
      return json_incref(one);
  }
  return json_null();
}

static json_t *base_facts(const struct latch_result *r) {
  return json_pack("{s:o, s:o, s:o}", "id", ph_json_text(r->entry.id), "file",
                   ph_json_text(r->entry.file), "path", ph_json_text(r->entry.group));
}

/* The strictest source that the episode allows, of those that were asked. */
static json_t *strictest(const struct latch *v, const struct latch_result *r) {
  int by = r->opened ? (int)r->strictest : -1;
  while (by >= 0 && !v->asked[by])
    by--;
  return by >= 0 ? json_string(ph_latch_source_name((ph_latch_source)by)) : json_null();
}

/* Whose predicate it is by each source. */
static json_t *judges(const struct latch_result *r) {
  json_t *all = json_object();
  for (int k = 0; k < PH_LATCH_SOURCES; k++)
    json_object_set_new(all, ph_latch_source_name((ph_latch_source)k),
                        ph_json_text(r->of[k].known ? r->of[k].judge : ""));
  return all;
}

static void add_one(const struct latch *v, const struct latch_result *r) {
  char why[400];
  double seconds = -1;
  int64_t steps = -1;
  json_t *episode = base_facts(r), *reasons = json_object();
  snprintf(why, sizeof why, "%s", r->why);
  if (r->opened && !latch_steps(v, r, 0, &seconds, &steps, why, sizeof why))
    steps = -1;
  bool any = add_rows(v, r, steps, why, episode, reasons);
  add_counts(v, r, steps, episode);
  json_object_set_new(episode, "reason", any ? json_null() : first_reason(reasons));
  json_object_set_new(episode, "reasons", reasons);
  json_object_set_new(episode, "strictest", strictest(v, r));
  json_object_set_new(episode, "task_sha256", judges(r));
  json_object_set_new(episode, "model_edits_sha256", ph_json_text(r->edits));
  json_object_set_new(episode, "disagreements", disagreements(r, steps));
  json_object_set_new(episode, "hold_seconds", seconds_or_null(seconds));
  json_object_set_new(episode, "hold_steps", report_index(steps));
  json_object_set_new(episode, "states", r->opened ? json_integer(r->states) : json_null());
  json_object_set_new(episode, "actions", r->opened ? json_integer(r->actions) : json_null());
  json_object_set_new(episode, "run_id", ph_json_text(r->run_id));
  json_object_set_new(episode, "fingerprint",
                      r->fingerprint ? json_loads(r->fingerprint, 0, NULL) : json_null());
  json_array_append_new(v->episodes, episode);
}

/* Why an episode latches at none of the holds: the reason at the first of them; null: it does. */
static json_t *why_at_none(const struct latch *v, const struct latch_result *r) {
  char why[400] = "", first[400] = "";
  for (size_t i = 0; r->opened && i < v->nholds; i++) {
    double seconds;
    int64_t steps;
    bool counted = latch_steps(v, r, i, &seconds, &steps, why, sizeof why);
    for (int k = 0; k < PH_LATCH_SOURCES; k++) {
      ph_latch_answer answer = {.refusal = PH_REFUSAL_UNKNOWN};
      if (!v->asked[k])
        continue;
      if (counted)
        ph_outcomes_latch(&r->of[k], steps, &answer);
      if (answer.refusal == PH_REFUSAL_NONE)
        return json_null();
      if (!first[0])
        snprintf(first, sizeof first, "%s", counted ? answer.text : why);
    }
  }
  return ph_json_text(r->opened ? first : r->why);
}

/* In a sweep: how the row moves, by hold. */
static void add_sweep(const struct latch *v, const struct latch_result *r) {
  json_t *episode = base_facts(r);
  for (int k = 0; k < PH_LATCH_SOURCES; k++) {
    json_t *rows = json_array();
    for (size_t i = 0; i < v->nholds; i++) {
      char why[400];
      double seconds;
      int64_t steps;
      ph_latch_answer answer = {.latching.latch = -1};
      if (r->opened && r->of[k].known && latch_steps(v, r, i, &seconds, &steps, why, sizeof why))
        ph_outcomes_latch(&r->of[k], steps, &answer);
      json_array_append_new(rows, report_index(answer.latching.latch));
    }
    json_object_set_new(episode, ph_latch_source_name((ph_latch_source)k),
                        r->of[k].known ? json_incref(rows) : json_null());
    json_decref(rows);
  }
  json_object_set_new(episode, "reason", why_at_none(v, r));
  json_array_append_new(v->episodes, episode);
}

void latch_add(struct latch *v, const struct latch_result *r) {
  if (v->sweep)
    add_sweep(v, r);
  else
    add_one(v, r);
}

/* --- all of them --- */

static json_t *holds(const struct latch *v) {
  json_t *list = json_array();
  for (size_t i = 0; i < v->nholds; i++) {
    const struct latch_count *c = &v->hold[i];
    bool none = c->steps == -2 && c->refused[0];
    json_t *one = json_pack("{s:o, s:o}", "hold_seconds", seconds_or_null(c->seconds), "hold_steps",
                            report_index(c->steps));
    for (int k = 0; k < PH_LATCH_SOURCES; k++)
      json_object_set_new(one, ph_latch_source_name((ph_latch_source)k),
                          v->asked[k] && !none ? json_integer((json_int_t)c->latched[k])
                                               : json_null());
    json_array_append_new(list, one);
  }
  return list;
}

/* One for all where all have the same: then it is not told of each. */
static json_t *common_fingerprint(const struct latch *v) {
  json_t *first = json_object_get(json_array_get(v->episodes, 0), "fingerprint"), *episode;
  size_t i;
  json_array_foreach(
      v->episodes, i,
      episode) if (!json_equal(first, json_object_get(episode, "fingerprint"))) return json_null();
  if (!first || json_is_null(first))
    return json_null();
  first = json_incref(first);
  json_array_foreach(v->episodes, i, episode) json_object_del(episode, "fingerprint");
  return first;
}

int latch_write(const struct latch *v, json_t *root) {
  if (v->sweep) {
    json_object_set_new(root, "holds", holds(v));
  } else {
    json_object_set_new(root, "hold_seconds", seconds_or_null(v->hold[0].shown));
    json_object_set_new(root, "hold_steps", report_index(v->hold[0].steps));
    json_object_set_new(root, "fingerprint", common_fingerprint(v));
  }
  json_object_set_new(root, "without_latch", json_integer((json_int_t)v->without));
  json_object_set_new(root, "disagree", json_integer((json_int_t)v->disagree));
  json_object_set_new(root, "damaged", json_integer((json_int_t)v->damaged));
  if (v->opt->predicate)
    json_object_set_new(root, "predicate_by", ph_json_text(v->opt->predicate));
  return ph_json_write(root, stdout) == PH_OK ? EXIT_FINE : cli_error();
}
