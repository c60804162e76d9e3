/* Physics run again: what is found in it, by what is expected of the episode. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../provenance.h"
#include "verify_parts.h"

/* -1: nothing is expected. */
static int expected(const struct verify *v, const struct verify_result *r) {
  return v->expect >= 0 ? v->expect : r->guarantee == PH_EXACT ? PH_BITWISE : -1;
}

static ph_kind kind_of(ph_measure m) {
  return m == PH_MEASURE_CTRL || m == PH_MEASURE_ACT                ? PH_ACTUATOR
         : m == PH_MEASURE_BODY_PLACE || m == PH_MEASURE_BODY_ANGLE ? PH_BODY
                                                                    : PH_JOINT;
}

/* A body has no place where a joint has none: what other steps came to is not the largest error. */
void verify_errors(const double *max, double *out) {
  bool none = isnan(max[PH_MEASURE_JOINT_ANGLE]) || isnan(max[PH_MEASURE_JOINT_PLACE]);
  memcpy(out, max, PH_MEASURE_COUNT * sizeof *out);
  if (none)
    out[PH_MEASURE_BODY_PLACE] = out[PH_MEASURE_BODY_ANGLE] = NAN;
}

bool verify_measured(const struct verify_result *r) {
  const ph_dynamics *d = &r->run;
  return r->dynamic && d->ran && (d->stopped < 0 || d->sum.cls > PH_BITWISE);
}

ph_measure verify_worst(const struct verify *v, const struct verify_result *r) {
  ph_difference d = {0};
  memcpy(d.max, r->run.sum.max, sizeof d.max);
  memcpy(d.worst, r->run.sum.worst, sizeof d.worst);
  return ph_difference_worst(&d, &v->tolerance);
}

/* Positions always, of other measures what is beyond the tolerance. */
static bool is_named(const struct verify *v, const ph_analysis_summary *sum, ph_measure m) {
  bool none = isnan(sum->max[m]), some = sum->worst[m] >= 0 && (none || sum->max[m] > 0);
  bool always = m == PH_MEASURE_JOINT_ANGLE || m == PH_MEASURE_JOINT_PLACE ||
                m == PH_MEASURE_BODY_PLACE || m == PH_MEASURE_CTRL;
  return some && (always || none || sum->max[m] > v->tolerance.of[m]);
}

static void add_measure(struct verify_result *r, const ph_model *model, ph_measure m) {
  static const char *const words[PH_MEASURE_COUNT] = {"joint",
                                                      "joint",
                                                      "body",
                                                      "rotation of body",
                                                      "velocity of joint",
                                                      "velocity of joint",
                                                      "activation of",
                                                      "ctrl of"};
  const ph_analysis_summary *sum = &r->run.sum;
  char number[60] = "is no number";
  size_t n = strlen(r->worst);
  if (!isnan(sum->max[m]))
    snprintf(number, sizeof number, "%.2g%s%s", sum->max[m], *ph_measure_unit(m) ? " " : "",
             ph_measure_unit(m));
  snprintf(r->worst + n, sizeof r->worst - n, "%s%s %s %s at step %" PRId64, n ? ", " : "",
           words[m], ph_model_name(model, kind_of(m), sum->worst[m]), number, sum->max_step[m]);
}

/* "joint arm_wrist 4.1e-3 rad at step 31, body cup 2e-3 m at step 40", the worst first. */
static void name_worst(const struct verify *v, struct verify_result *r, const ph_model *model) {
  ph_measure worst = verify_worst(v, r);
  r->worst[0] = 0;
  if (worst != PH_MEASURE_COUNT)
    add_measure(r, model, worst);
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    if ((ph_measure)m != worst && is_named(v, &r->run.sum, (ph_measure)m))
      add_measure(r, model, (ph_measure)m);
  if (worst != PH_MEASURE_COUNT)
    snprintf(r->worst_name, sizeof r->worst_name, "%s",
             ph_model_name(model, kind_of(worst), r->run.sum.worst[worst]));
}

static bool is_outcome(ph_end end) {
  return end == PH_END_SUCCESS || end == PH_END_TERMINATED || end == PH_END_TRUNCATED;
}

/* What the task says of the dynamic run beside what was recorded: whoever recorded may have had
 * ends and rewards of its own, so none of it is a fault of the rows. */
static void compare_outcome(struct verify_result *r, const ph_task *task) {
  const ph_dynamics *d = &r->run;
  char text[320];
  if (!task || d->stopped >= 0)
    return;
  if (!r->rewards_set && isfinite(d->reward) && isfinite(d->sum.reward) &&
      fabs(d->reward - d->sum.reward) > 1e-9 * fmax(1, fabs(d->reward))) {
    snprintf(text, sizeof text, "reward: recorded %.9g, run again %.9g", d->reward, d->sum.reward);
    verify_note(r, text);
  }
  if (is_outcome(d->end) && d->sum.end != d->end) {
    snprintf(text, sizeof text, "end: recorded %s, run again %s", ph_end_name(d->end),
             d->sum.end == PH_END_UNKNOWN ? "it goes on" : ph_end_name(d->sum.end));
    verify_note(r, text);
  }
  if (d->latch_known && d->latch != d->sum.latch) {
    char a[40] = "never", b[40] = "never";
    if (d->latch >= 0)
      snprintf(a, sizeof a, "at step %" PRId64, d->latch);
    if (d->sum.latch >= 0)
      snprintf(b, sizeof b, "at step %" PRId64, d->sum.latch);
    snprintf(text, sizeof text, "latch: recorded %s, run again %s", a, b);
    verify_note(r, text);
  }
}

static void find_class(struct verify_result *r, int expect) {
  const ph_dynamics *d = &r->run;
  char text[900];
  bool single = d->cls <= (ph_class)expect; /* then a single step alone may be worse */
  ph_class cls = single ? d->sum.one_cls : d->cls;
  if (d->stopped >= 0 || d->why[0]) {
    bool all = d->stopped > 0 && d->sum.cls <= PH_BITWISE;
    snprintf(text, sizeof text, "physics run again stopped at step %" PRId64 "%s: %s", d->stopped,
             all ? ", bitwise up to there" : "", d->why);
    verify_say(r, d->stopped, text);
  }
  int64_t at = (single ? d->sum.one_first : d->sum.first)[expect + 1];
  if (cls <= (ph_class)expect || (d->single == 0 && single) ||
      (d->stopped >= 0 && at == d->stopped))
    return; /* nothing, or it is what stopped it */
  snprintf(text, sizeof text,
           "physics run again%s is %s from step %" PRId64 " on, %s was expected%s%s",
           single ? " from single recorded states" : "", ph_class_name(cls), at < 0 ? 0 : at,
           ph_class_name((ph_class)expect), r->worst[0] ? ": worst " : "", r->worst);
  verify_say(r, at, text);
}

ph_status verify_physics(struct verify *v, struct verify_result *r, const ph_episode *episode,
                         const ph_model *model, const ph_task *task) {
  ph_dynamics_options how = {
      .tolerance = v->tolerance, .jobs = v->jobs_each, .progress = each_progress, .arg = &v->each};
  int expect = expected(v, r);
  char text[400];
  ph_status status = ph_verify_dynamic(&r->run, episode, model, task, &how);
  if (status != PH_OK)
    return status;
  r->dynamic = true;
  if (!r->run.ran && v->expect >= 0) {
    snprintf(text, sizeof text, "physics was not run again: %s", r->run.why);
    verify_say(r, -1, text);
  }
  if (!r->run.ran)
    return PH_OK;
  name_worst(v, r, model);
  r->rewards_set = ph_cut_set_rewards(ph_episode_meta_of(episode)->provenance);
  compare_outcome(r, task);
  if (expect >= 0) {
    find_class(r, expect);
  } else if (r->run.stopped >= 0) {
    snprintf(text, sizeof text, "physics run again stopped at step %" PRId64 ": %.300s",
             r->run.stopped, r->run.why);
    verify_note(r, text);
  }
  return PH_OK;
}
