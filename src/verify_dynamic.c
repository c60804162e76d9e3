#include <playhead/verify.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { BLOCK = 1024, CACHE = 1 << 20 };

typedef struct watch {
  const ph_dynamics_options *opt;
  const ph_analysis *analysis;
} watch;

/* Both runs count: the free one is at its state, single steps are ahead or behind. */
static bool ask(void *arg) {
  const watch *w = arg;
  ph_analysis_progress at;
  if (!w->opt->progress)
    return true;
  ph_analysis_look(w->analysis, &at);
  int64_t done = w->opt->no_one_step ? at.free_run : (at.free_run + at.one_step) / 2;
  return w->opt->progress(w->opt->arg, done, at.states);
}

static bool is_canceled(void *arg) {
  return !ask(arg);
}

/* --- what is recorded --- */

static double recorded_reward(const ph_episode *episode) {
  double block[BLOCK], sum = 0;
  int64_t rows = ph_episode_rows(episode, PH_COL_REWARDS);
  if (!ph_episode_has(episode, PH_COL_REWARDS))
    return NAN;
  for (int64_t t = 0; t < rows; t += BLOCK) {
    int64_t n = rows - t < BLOCK ? rows - t : BLOCK;
    if (ph_episode_read(episode, PH_COL_REWARDS, t, n, block) != PH_OK)
      return NAN;
    for (int64_t i = 0; i < n; i++)
      sum += block[i];
  }
  return sum;
}

static void read_latch(ph_dynamics *out, const ph_episode *episode) {
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_hold hold = {.steps = meta->hold_steps};
  uint8_t block[BLOCK];
  int64_t rows = ph_episode_rows(episode, PH_COL_PREDICATE);
  out->latch_known = ph_episode_has(episode, PH_COL_PREDICATE) && meta->hold_seconds >= 0;
  for (int64_t t = 0; out->latch_known && t < rows; t += BLOCK) {
    int64_t n = rows - t < BLOCK ? rows - t : BLOCK;
    if (ph_episode_read(episode, PH_COL_PREDICATE, t, n, block) != PH_OK) {
      out->latch_known = false;
      return;
    }
    for (int64_t i = 0; i < n; i++)
      if (t + i > 0)
        ph_hold_update(&hold, t + i, block[i] != 0);
  }
  out->latch = out->latch_known && hold.latched ? hold.latch : -1;
}

/* --- physics --- */

static void set_why(ph_dynamics *out, const ph_episode *episode, const char *text) {
  text = ph_text_without(text, ph_episode_meta_of(episode)->id);
  snprintf(out->why, sizeof out->why, "%s", text);
}

static void take(ph_dynamics *out, const ph_episode *episode, const ph_analysis *a) {
  ph_analysis_progress at;
  ph_analysis_look(a, &at);
  ph_analysis_sum(a, &out->sum);
  out->ran = true;
  out->states = at.free_run - at.anchor;
  out->single = at.one_step;
  out->stopped = at.stopped;
  out->cls = at.status == PH_ESIM ? PH_DIVERGED : out->sum.cls;
  if (at.status != PH_OK)
    set_why(out, episode, at.text);
  for (int c = PH_ROUNDING; at.status == PH_ESIM && c < PH_CLASS_COUNT; c++)
    if (out->sum.first[c] < 0) /* the step that it stopped at has no state to be close */
      out->sum.first[c] = at.stopped;
}

static ph_status diagnose(ph_dynamics *out, const ph_analysis *a, watch *w) {
  bool equal = out->cls == PH_BITWISE && out->sum.one_cls == PH_BITWISE;
  if (w->opt->no_diagnosis || w->opt->no_one_step || equal || out->single == 0)
    return PH_OK;
  ph_status status = ph_diagnose(&out->diagnosis, a, is_canceled, w);
  out->diagnosed = status == PH_OK;
  return status == PH_ENOMEM || status == PH_ECANCELED ? status : PH_OK;
}

static ph_status run_it(ph_dynamics *out, ph_rerun *run, const ph_episode *episode, watch *w) {
  ph_analysis_options how = {
      .jobs = w->opt->jobs, .tolerance = w->opt->tolerance, .no_one_step = w->opt->no_one_step};
  ph_analysis *a = NULL;
  ph_status status = ph_analysis_start(&a, run, &how);
  if (status != PH_OK)
    return status;
  w->analysis = a;
  status = ph_analysis_wait(a, ask, w);
  if (status != PH_ENOMEM && status != PH_ECANCELED) {
    take(out, episode, a);
    status = diagnose(out, a, w);
  }
  ph_analysis_free(a);
  return status;
}

ph_status ph_verify_dynamic(ph_dynamics *out, const ph_episode *episode, const ph_model *model,
                            const ph_task *task, const ph_dynamics_options *opt) {
  const ph_dynamics_options usual = {.tolerance = ph_tolerance_default()};
  const ph_episode_meta *meta = ph_episode_meta_of(episode);
  ph_rerun_options ro = PH_RERUN_OPTIONS_INIT;
  watch w = {opt ? opt : &usual, NULL};
  char reason[300];
  ph_rerun *run = NULL;
  memset(out, 0, sizeof *out);
  out->stopped = out->latch = -1;
  out->end = meta->end_reason;
  out->reward = recorded_reward(episode);
  read_latch(out, episode);
  ro.budget = CACHE; /* nobody seeks */
  if (ph_episode_guarantee(episode, model, task, reason, sizeof reason) == PH_STATES_ONLY ||
      !model) {
    snprintf(out->why, sizeof out->why, "STATES ONLY: %s", reason);
    return PH_OK;
  }
  ph_status status = ph_rerun_create(&run, episode, model, task, &ro);
  if (status == PH_ENOMEM)
    return status;
  if (status != PH_OK) {
    set_why(out, episode, ph_error());
    return PH_OK;
  }
  status = run_it(out, run, episode, &w);
  ph_rerun_unref(run);
  return status;
}

static double position_error(const ph_analysis_summary *sum) {
  static const ph_measure places[] = {PH_MEASURE_JOINT_ANGLE, PH_MEASURE_JOINT_PLACE,
                                      PH_MEASURE_BODY_PLACE, PH_MEASURE_BODY_ANGLE};
  double most = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (sum->max[places[i]] > most)
      most = sum->max[places[i]];
  return most;
}

void ph_dynamics_stamp(const ph_dynamics *d, char *out, size_t size) {
  int64_t over = d->sum.first[PH_DIVERGED];
  if (!d->ran)
    snprintf(out, size, "unchecked");
  else if (over >= 0 || d->stopped >= 0 || d->cls == PH_DIVERGED)
    snprintf(out, size, "fails(%" PRId64 ")", over >= 0 ? over : d->stopped >= 0 ? d->stopped : 0);
  else if (d->cls == PH_BITWISE)
    snprintf(out, size, "bitwise");
  else
    snprintf(out, size, "tol(%.2g)", position_error(&d->sum));
}
