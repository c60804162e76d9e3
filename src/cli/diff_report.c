/* `diff` for people and for programs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "diff.h"

static void print_worst(const struct diff_pair *p) {
  bool any = false;
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    const char *unit = ph_measure_unit((ph_measure)m);
    if (!(p->max[m] > 0))
      continue;
    printf("%s%s %.2g%s%s at step %" PRId64 " (%s)",
           any ? ", " : "    worst: ", ph_measure_name((ph_measure)m), p->max[m], *unit ? " " : "",
           unit, p->max_step[m], p->name[m]);
    any = true;
  }
  if (any)
    printf("\n");
}

static void print_states(const struct diff_pair *p) {
  printf("    states: ");
  if (!p->compared) {
    printf("not compared: %s\n", p->why);
    return;
  }
  if (p->cls == PH_BITWISE) {
    printf("all %" PRId64 " that both have are equal in every bit\n", p->states);
    return;
  }
  printf("%s; bits differ from step %" PRId64 " on", ph_class_name(p->cls), p->first[PH_ROUNDING]);
  if (p->unequal < PH_COL_COUNT)
    printf(", first in %s", ph_schema_column(p->unequal)->path);
  if (p->first[PH_DIVERGED] >= 0)
    printf(", beyond the tolerance from step %" PRId64 " on", p->first[PH_DIVERGED]);
  printf("\n");
  print_worst(p);
}

static void print_model(const struct diff_pair *p) {
  const ph_model_diff *d = p->model ? &p->model->differ : NULL;
  if (!d)
    return;
  if (p->model_known) {
    printf("    model: %zu difference%s, as of %s\n", d->n, d->n == 1 ? "" : "s", p->model->first);
    return;
  }
  for (size_t i = 0; i < d->kept; i++)
    printf("    model: %s\n", d->change[i].text);
  if (d->n > d->kept)
    printf("    model: %zu more\n", d->n - d->kept);
}

void diff_print(const struct diff_pair *p) {
  cli_progress_end();
  printf("%s, %s: %s\n", p->a.id, p->b.id, diff_is_same(p) ? "the same" : "they differ");
  if (p->missing[0])
    printf("    not there: %s\n", p->missing);
  if (diff_is_same(p))
    return;
  for (size_t i = 0; i < p->nfacts; i++)
    printf("    %s\n", p->fact[i]);
  print_model(p);
  print_states(p);
}

static json_t *index_or_null(bool known, int64_t index) {
  return known ? report_index(index) : json_null();
}

static json_t *two_errors(const struct diff_pair *p, const char *one, ph_measure m,
                          const char *other, ph_measure n) {
  return json_pack("{s:o, s:o}", one, ph_json_number(p->compared ? p->max[m] : NAN), other,
                   ph_json_number(p->compared ? p->max[n] : NAN));
}

static json_t *worst(const struct diff_pair *p) {
  json_t *list = json_array();
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if (p->compared && p->max[m] > 0)
      json_array_append_new(
          list,
          json_pack("{s:s, s:s, s:o, s:o, s:o}", "measure", ph_measure_name((ph_measure)m), "unit",
                    ph_measure_unit((ph_measure)m), "name", ph_json_text(p->name[m]), "error",
                    ph_json_number(p->max[m]), "step", report_index(p->max_step[m])));
  return list;
}

json_t *diff_json(const struct diff_pair *p) {
  json_t *facts = json_array(), *model = json_array();
  for (size_t i = 0; i < p->nfacts; i++)
    json_array_append_new(facts, ph_json_text(p->fact[i]));
  for (size_t i = 0; p->model && i < p->model->differ.kept; i++)
    json_array_append_new(model, ph_json_text(p->model->differ.change[i].text));
  json_t *class = p->compared ? json_string(ph_class_name(p->cls)) : json_null();
  json_t *reward =
      json_pack("{s:o, s:o}", "a", ph_json_number(p->reward[0]), "b", ph_json_number(p->reward[1]));
  json_t *end = json_pack("{s:o, s:o}", "a", ph_json_text(ph_end_name(p->a.end_reason)), "b",
                          ph_json_text(ph_end_name(p->b.end_reason)));
  return json_pack(
      "{s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:b}", "id",
      ph_json_text(p->a.id), "id_b", ph_json_text(p->b.id), "steps", (json_int_t)p->states, "class",
      class, "first_unequal", index_or_null(p->compared, p->first[PH_ROUNDING]),
      "first_over_tolerance", index_or_null(p->compared, p->first[PH_DIVERGED]), "max_joint_error",
      two_errors(p, "rad", PH_MEASURE_JOINT_ANGLE, "m", PH_MEASURE_JOINT_PLACE), "max_body_error",
      two_errors(p, "m", PH_MEASURE_BODY_PLACE, "rad", PH_MEASURE_BODY_ANGLE), "worst", worst(p),
      "reward", reward, "end", end, "facts", facts, "model", model, "model_changes",
      (json_int_t)(p->model ? p->model->differ.n : 0), "not_compared", ph_json_text(p->why),
      "missing", ph_json_text(p->missing), "same", diff_is_same(p));
}
