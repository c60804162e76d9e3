/* `verify --json`: one object for each episode. */
#include <math.h>
#include <stdio.h>

#include "verify_parts.h"

/* All that is wrong in one line; null: nothing is. */
static json_t *fault(const struct verify_result *r) {
  char text[4096] = "";
  for (size_t i = 0, n = 0; i < r->nfound && n < sizeof text; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "; " : "", r->found[i].text);
  return ph_json_text(text);
}

static json_t *diagnosis(const struct verify_result *r) {
  return r->dynamic && r->run.diagnosed ? ph_json_text(r->run.diagnosis.text) : fault(r);
}

static json_t *findings(const struct verify_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->nfound; i++)
    json_array_append_new(list, json_pack("{s:o, s:o}", "step", report_index(r->found[i].step),
                                          "text", ph_json_text(r->found[i].text)));
  return list;
}

static json_t *notes(const struct verify_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->nnotes; i++)
    json_array_append_new(list, ph_json_text(r->note[i]));
  return list;
}

static json_t *index_or_null(bool known, int64_t index) {
  return known ? report_index(index) : json_null();
}

static json_t *number_or_null(bool known, double value) {
  return known ? ph_json_number(value) : json_null();
}

static json_t *class_or_null(bool known, ph_class cls) {
  return known ? json_string(ph_class_name(cls)) : json_null();
}

static json_t *two_errors(bool known, const double *max, const char *name, ph_measure angle,
                          const char *other, ph_measure place) {
  double shown[PH_MEASURE_COUNT];
  verify_errors(max, shown);
  return json_pack("{s:o, s:o}", name, number_or_null(known, shown[angle]), other,
                   number_or_null(known, shown[place]));
}

static json_t *joint_error(bool known, const double *max) {
  return two_errors(known, max, "rad", PH_MEASURE_JOINT_ANGLE, "m", PH_MEASURE_JOINT_PLACE);
}

/* null: nothing is; its error is null where that is no number. */
static json_t *worst(const struct verify *v, const struct verify_result *r) {
  ph_measure m = r->dynamic && r->run.ran ? verify_worst(v, r) : PH_MEASURE_COUNT;
  if (m == PH_MEASURE_COUNT)
    return json_null();
  return json_pack("{s:s, s:o, s:o, s:s, s:o}", "measure", ph_measure_name(m), "of",
                   ph_json_text(r->worst_name), "error", ph_json_number(r->run.sum.max[m]), "unit",
                   ph_measure_unit(m), "step", report_index(r->run.sum.max_step[m]));
}

static void add_dynamic(json_t *episode, const struct verify *v, const struct verify_result *r) {
  const ph_dynamics *d = &r->run;
  const ph_analysis_summary *sum = &d->sum;
  bool ran = r->dynamic && d->ran, single = ran && d->single > 0;
  bool measured = verify_measured(r), judged = ran && isfinite(sum->reward);
  json_t *one = json_pack("{s:o, s:o, s:o}", "class", class_or_null(single, sum->one_cls),
                          "first_unequal", index_or_null(single, sum->one_first[PH_ROUNDING]),
                          "max_joint_error", joint_error(single, sum->one_max));
  json_t *reward = json_pack("{s:o, s:o}", "recorded", number_or_null(r->opened, r->verdict.reward),
                             "dynamic", number_or_null(ran, sum->reward));
  json_t *end =
      json_pack("{s:o, s:o}", "recorded", ph_json_text(ph_end_name(r->entry.end_reason)), "dynamic",
                judged || (ran && sum->end != PH_END_UNKNOWN) ? ph_json_text(ph_end_name(sum->end))
                                                              : json_null());
  json_t *body =
      two_errors(measured, sum->max, "m", PH_MEASURE_BODY_PLACE, "rad", PH_MEASURE_BODY_ANGLE);
  json_t *speed = two_errors(measured, sum->max, "rad_s", PH_MEASURE_JOINT_ANGLE_SPEED, "m_s",
                             PH_MEASURE_JOINT_PLACE_SPEED);
  json_t *facts = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "class", class_or_null(ran, d->cls),
      "first_unequal", index_or_null(ran, sum->first[PH_ROUNDING]), "first_over_tolerance",
      index_or_null(ran, sum->first[PH_DIVERGED]), "max_joint_error",
      joint_error(measured, sum->max), "max_body_error", body, "max_velocity_error", speed, "worst",
      worst(v, r), "one_step", one, "reward", reward, "end", end);
  json_object_update(episode, facts);
  json_decref(facts);
}

/* What the kinematic check alone knows. */
static void add_kinematic(json_t *episode, const struct verify_result *r) {
  const ph_verdict *d = &r->verdict;
  bool ran = r->dynamic && r->run.ran;
  json_t *latch =
      json_pack("{s:o, s:o, s:o}", "recorded", report_index(d->latch_recorded), "recomputed",
                report_index(d->latch_computed), "dynamic", index_or_null(ran, r->run.sum.latch));
  json_t *checked =
      json_pack("{s:I, s:I, s:b, s:b}", "columns", (json_int_t)d->columns, "blocks",
                (json_int_t)d->blocks, "predicate", d->predicate_checked, "ctrl", d->ctrl_checked);
  json_t *facts = json_pack(
      "{s:b, s:o, s:o, s:o, s:o, s:o}", "ok", r->nfound == 0, "findings", findings(r), "time_error",
      r->opened ? ph_json_number(d->time_error) : json_null(), "quat_error",
      r->opened ? ph_json_number(d->quat_error) : json_null(), "latch", latch, "checked", checked);
  json_object_update(episode, facts);
  if (r->foreign || r->nnotes > 0)
    json_object_set_new(episode, "notes", notes(r));
  json_decref(facts);
}

void verify_add(struct verify *v, const struct verify_result *r) {
  json_t *episode = json_pack("{s:o, s:I}", "id", ph_json_text(r->entry.id), "steps",
                              (json_int_t)r->verdict.checked);
  add_dynamic(episode, v, r);
  json_object_set_new(episode, "diagnosis", diagnosis(r));
  json_object_set_new(episode, "guarantee",
                      r->opened ? report_guarantee(r->guarantee, r->reason) : json_null());
  add_kinematic(episode, r);
  json_object_set_new(episode, "mode",
                      json_string(r->dynamic && r->run.ran ? "dynamic" : "kinematic"));
  if (r->dynamic && r->run.why[0])
    json_object_set_new(episode, r->run.ran ? "stopped" : "not_run", ph_json_text(r->run.why));
  json_array_append_new(v->episodes, episode);
}
