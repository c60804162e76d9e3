/* Physics run again: what is found in it, by what is expected of the episode. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify_parts.h"

static bool progress(void *arg, int64_t step, int64_t states) {
  struct verify *v = arg;
  atomic_store(&v->step, step);
  atomic_store(&v->states, states);
  return !atomic_load(&v->stop);
}

/* -1: nothing is expected. */
static int expected(const struct verify *v, const struct verify_result *r) {
  return v->expect >= 0 ? v->expect : r->guarantee == PH_EXACT ? PH_BITWISE : -1;
}

static ph_kind kind_of(ph_measure m) {
  return m == PH_MEASURE_CTRL || m == PH_MEASURE_ACT                ? PH_ACTUATOR
         : m == PH_MEASURE_BODY_PLACE || m == PH_MEASURE_BODY_ANGLE ? PH_BODY
                                                                    : PH_JOINT;
}

/* "joint arm_wrist 4.1e-3 rad at step 31, body cup 2e-3 m at step 40" */
static void name_worst(struct verify_result *r, const ph_model *model) {
  static const ph_measure shown[] = {PH_MEASURE_JOINT_ANGLE, PH_MEASURE_JOINT_PLACE,
                                     PH_MEASURE_BODY_PLACE, PH_MEASURE_CTRL};
  const ph_analysis_summary *sum = &r->run.sum;
  size_t n = 0;
  for (size_t i = 0; i < sizeof shown / sizeof *shown && n < sizeof r->worst; i++) {
    ph_measure m = shown[i];
    if (!(sum->max[m] > 0) || sum->worst[m] < 0)
      continue;
    static const char *const words[] = {"joint", "joint", "body", "ctrl of"};
    n += (size_t)snprintf(r->worst + n, sizeof r->worst - n, "%s%s %s %.2g%s%s at step %" PRId64,
                          n ? ", " : "", words[i], ph_model_name(model, kind_of(m), sum->worst[m]),
                          sum->max[m], *ph_measure_unit(m) ? " " : "", ph_measure_unit(m),
                          sum->max_step[m]);
  }
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
  if (isfinite(d->reward) && isfinite(d->sum.reward) &&
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
    snprintf(text, sizeof text, "physics run again stopped at step %" PRId64 ": %s", d->stopped,
             d->why);
    verify_say(r, d->stopped, text);
  }
  if (cls <= (ph_class)expect || (d->single == 0 && single))
    return;
  int64_t at = (single ? d->sum.one_first : d->sum.first)[expect + 1];
  snprintf(text, sizeof text,
           "physics run again%s is %s from step %" PRId64 " on, %s was expected%s%s",
           single ? " from single recorded states" : "", ph_class_name(cls), at < 0 ? 0 : at,
           ph_class_name((ph_class)expect), r->worst[0] ? ": worst " : "", r->worst);
  verify_say(r, at, text);
}

ph_status verify_physics(struct verify *v, struct verify_result *r, const ph_episode *episode,
                         const ph_model *model, const ph_task *task) {
  ph_dynamics_options how = {
      .tolerance = v->tolerance, .jobs = v->jobs_each, .progress = progress, .arg = v};
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
  name_worst(r, model);
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
