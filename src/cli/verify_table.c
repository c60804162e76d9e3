/* `verify` for people: a line for each episode, what was found below it, and the end. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify_parts.h"

static void latch_text(char *out, size_t size, int64_t latch, bool known) {
  if (!known)
    snprintf(out, size, "-");
  else if (latch < 0)
    snprintf(out, size, "never");
  else
    snprintf(out, size, "%" PRId64, latch);
}

static void number_text(char *out, size_t size, double value, int digits) {
  if (isfinite(value))
    snprintf(out, size, "%.*g", digits, value);
  else
    snprintf(out, size, "-");
}

static void step_text(char *out, size_t size, int64_t step) {
  if (step < 0)
    snprintf(out, size, "-");
  else
    snprintf(out, size, "%" PRId64, step);
}

/* Of angles and places the one that is further beyond its tolerance. `none`: what a number that is
 * none is called. */
static void error_text(char *out, size_t size, const struct verify *v, const double *max,
                       ph_measure angle, ph_measure place, const char *none) {
  double a = max[angle] / v->tolerance.of[angle], p = max[place] / v->tolerance.of[place];
  ph_measure m = p > a || (max[angle] == 0 && max[place] > 0) ? place : angle;
  if (isnan(max[angle]) || isnan(max[place]))
    snprintf(out, size, "%s", none);
  else if (max[m] == 0)
    snprintf(out, size, "0");
  else
    snprintf(out, size, "%.2g %s", max[m], ph_measure_unit(m));
}

/* --- kinematic --- */

static void print_kinematic(struct verify *v, const struct verify_result *r) {
  const ph_verdict *d = &r->verdict;
  char recorded[24], computed[24], reward[24], time[24], quat[24];
  latch_text(recorded, sizeof recorded, d->latch_recorded, d->latch_known);
  latch_text(computed, sizeof computed, d->latch_computed, d->predicate_checked);
  number_text(reward, sizeof reward, d->reward, 5);
  number_text(time, sizeof time, r->part[PART_TIME] ? d->time_error : NAN, 2);
  number_text(quat, sizeof quat, r->part[PART_QUATERNIONS] ? d->quat_error : NAN, 2);
  if (!v->titled)
    printf("%-18s %-5s %7s  %-10s  %8s  %8s  %9s  %8s  %8s\n", "episode", "check", "states", "end",
           "latch", "computed", "reward", "time err", "quat err");
  printf("%-18s %-5s %7" PRId64 "  %-10s  %8s  %8s  %9s  %8s  %8s\n", r->entry.id,
         r->nfound ? "WRONG" : "ok", d->checked, ph_end_name(r->entry.end_reason), recorded,
         computed, reward, time, quat);
}

/* --- dynamic --- */

/* "12" where both are that, else "12 / 13". */
static void pair_text(char *out, size_t size, const char *recorded, const char *dynamic) {
  if (strcmp(recorded, dynamic) == 0 || strcmp(dynamic, "-") == 0)
    snprintf(out, size, "%s", recorded);
  else
    snprintf(out, size, "%s / %s", recorded, dynamic);
}

static void end_text(char *out, size_t size, const struct verify_result *r, bool ran) {
  const char *recorded = ph_end_name(r->entry.end_reason);
  bool known = ran && r->run.sum.end != PH_END_UNKNOWN;
  pair_text(out, size, recorded, known ? ph_end_name(r->run.sum.end) : "-");
}

static void print_dynamic(struct verify *v, const struct verify_result *r) {
  const ph_analysis_summary *sum = &r->run.sum;
  bool ran = r->dynamic && r->run.ran;
  char unequal[24] = "-", over[24] = "-", joint[32] = "-", body[32] = "-", one[40] = "-";
  char speed[32] = "-";
  double max[PH_MEASURE_COUNT];
  char recorded[24], dynamic[24] = "-", reward[52], end[40];
  number_text(recorded, sizeof recorded, r->verdict.reward, 5);
  if (ran) {
    step_text(unequal, sizeof unequal, sum->first[PH_ROUNDING]);
    step_text(over, sizeof over, sum->first[PH_DIVERGED]);
  }
  if (verify_measured(r)) {
    verify_errors(sum->max, max);
    error_text(joint, sizeof joint, v, max, PH_MEASURE_JOINT_ANGLE, PH_MEASURE_JOINT_PLACE,
               "no number");
    error_text(body, sizeof body, v, max, PH_MEASURE_BODY_ANGLE, PH_MEASURE_BODY_PLACE, "-");
    error_text(speed, sizeof speed, v, max, PH_MEASURE_JOINT_ANGLE_SPEED,
               PH_MEASURE_JOINT_PLACE_SPEED, "no number");
  }
  if (ran && r->run.stopped < 0)
    number_text(dynamic, sizeof dynamic, sum->reward, 5);
  if (ran && r->run.single > 0)
    snprintf(one, sizeof one, "%s", ph_class_name(sum->one_cls));
  pair_text(reward, sizeof reward, recorded, dynamic);
  end_text(end, sizeof end, r, ran);
  if (!v->titled)
    printf("%-18s %-5s %7s  %-8s  %7s  %8s  %11s  %11s  %13s  %-8s  %13s  %s\n", "episode", "check",
           "states", "class", "unequal", "over tol", "joint err", "body err", "vel err", "one step",
           "reward", "end");
  printf("%-18s %-5s %7" PRId64 "  %-8s  %7s  %8s  %11s  %11s  %13s  %-8s  %13s  %s\n", r->entry.id,
         r->nfound ? "WRONG" : "ok", r->verdict.checked, ran ? ph_class_name(r->run.cls) : "-",
         unequal, over, joint, body, speed, one, reward, end);
}

static bool in_findings(const struct verify_result *r) {
  for (size_t i = 0; i < r->nfound; i++)
    if (strstr(r->found[i].text, r->worst))
      return true;
  return false;
}

/* A model that was asked for is held against the recorded one in words, whatever came of it. */
static bool tells_why(const struct verify *v, const struct verify_result *r) {
  const ph_dynamics *d = &r->run;
  bool differs = r->dynamic && d->ran && (d->cls != PH_BITWISE || d->sum.one_cls != PH_BITWISE);
  return r->opened && r->guarantee == PH_NOT_EXACT && (differs || v->opt->model);
}

static void print_physics(const struct verify_result *r) {
  const ph_dynamics *d = &r->run;
  if (!r->dynamic)
    return;
  if (!d->ran) {
    printf("    kinematic: %s\n", d->why);
    return;
  }
  if (d->cls != PH_BITWISE && r->worst[0] && !in_findings(r))
    printf("    worst: %s\n", r->worst);
  if (d->diagnosed)
    printf("    %s\n", d->diagnosis.text);
}

void verify_print(struct verify *v, const struct verify_result *r) {
  cli_progress_end();
  if (v->dynamic)
    print_dynamic(v, r);
  else
    print_kinematic(v, r);
  v->titled = true;
  for (size_t i = 0; i < r->nfound; i++)
    printf("    %s\n", r->found[i].text);
  print_physics(r);
  if (tells_why(v, r))
    printf("    NOT EXACT: %s\n", r->reason);
  for (size_t i = 0; i < r->nnotes; i++)
    printf("    note: %s\n", r->note[i]);
  if (r->opened && !r->verdict.predicate_checked && r->verdict.note[0])
    printf("    predicate not recomputed: %s\n", r->verdict.note);
}

/* --- the end --- */

/* "time, quaternions (in 3 of 5), model": those that were checked, or those that were not. */
static void list_parts(const struct verify *v, bool checked, const char *before) {
  static const char *const names[VERIFY_PARTS] = {"time",      "quaternions", "model",
                                                  "predicate", "hold",        "ctrl of actions"};
  for (int k = 0; k < VERIFY_PARTS; k++) {
    if ((v->part[k] > 0) != checked)
      continue;
    printf("%s%s", before, names[k]);
    if (checked && v->part[k] < v->checked)
      printf(" (in %zu of %zu)", v->part[k], v->checked);
    before = ", ";
  }
}

/* "physics run again: 3 bitwise, 1 close; 2 could not be run" */
static void print_classes(const struct verify *v) {
  char tolerance[80];
  const char *before = "physics run again: ";
  for (int k = 0; k < PH_CLASS_COUNT; k++) {
    if (v->classes[k] == 0)
      continue;
    printf("%s%zu %s", before, v->classes[k], ph_class_name((ph_class)k));
    before = ", ";
  }
  bool ran = before[0] == ',';
  if (v->not_run > 0)
    printf("%s%zu could not be run", ran ? "; " : before, v->not_run);
  ph_tolerance_text(&v->tolerance, tolerance, sizeof tolerance);
  if (v->classes[PH_CLOSE] + v->classes[PH_DIVERGED] > 0)
    printf(" (tolerance %s)", tolerance);
  if (ran || v->not_run > 0)
    printf("\n");
}

static void print_right(const struct verify *v) {
  printf(": %sshapes, numbers", v->bare ? "" : "checksums, ");
  list_parts(v, true, ", ");
  list_parts(v, false, "; there was nothing to check of: ");
  printf("%s\n", v->bare ? "; no checksums are stored in files of other recorders" : "");
  if (v->judge && v->part[PART_PREDICATE] > 0) {
    printf("the predicate is judged by ");
    cli_print_text(v->opt->predicate);
    printf("\n");
  }
}

void verify_print_end(const struct verify *v) {
  cli_progress_end();
  if (v->dynamic)
    print_classes(v);
  printf("%zu of %zu %s as recorded", v->checked - v->wrong, v->checked,
         v->checked == 1 ? "episode is" : "episodes are");
  if (v->checked == 0) {
    printf(": there is nothing to verify\n");
    return;
  }
  if (v->wrong) {
    printf("; the first that is not: %s: %s\n", v->first, v->fault.text);
    return;
  }
  print_right(v);
  if (v->rewards_set == v->checked)
    printf("a cut has set the rewards: those of physics run again are others\n");
  else if (v->rewards_set > 0)
    printf("a cut has set the rewards of %zu of them: those of physics run again are others\n",
           v->rewards_set);
  if (v->noted)
    printf("the notes are of what the file says beside its rows, and no fault of these\n");
}
