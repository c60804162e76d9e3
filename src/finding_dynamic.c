#include <playhead/finding_dynamic.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding_broke.h"
#include "hold_scan.h"

struct list {
  const ph_analysis *a;
  const ph_episode *episode;
  const ph_episode_meta *meta;
  ph_analysis_progress now;
  ph_analysis_summary sum;
  ph_asker asker;
  ph_finding *out;
  size_t room, n;
};

static void add(struct list *l, ph_finding_kind kind, int64_t step, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void add(struct list *l, ph_finding_kind kind, int64_t step, const char *fmt, ...) {
  va_list args;
  if (l->n++ >= l->room)
    return;
  ph_finding *f = &l->out[l->n - 1];
  *f = (ph_finding){.kind = kind, .step = step};
  va_start(args, fmt);
  int n = vsnprintf(f->text, sizeof f->text, fmt, args);
  va_end(args);
  if (n >= (int)sizeof f->text)
    memcpy(f->text + sizeof f->text - 4, "...", 4);
}

/* --- divergence --- */

/* Whether physics came to no state at all: nothing of it was measured. */
static bool has_no_state(const ph_difference *d) {
  bool any = false;
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    any = any || !isnan(d->max[m]) || d->worst[m] >= 0;
  return !any;
}

/* "arm_wrist 4.1e-3 rad" of what is furthest beyond the tolerance at a step. */
static bool worst_at(const struct list *l, int64_t step, bool one, char *out, size_t size) {
  ph_step_facts facts;
  ph_difference d = {0};
  if (step < 0 || ph_analysis_read(l->a, step, 1, &facts) != PH_OK ||
      !(one ? facts.one_known : facts.free_known))
    return false;
  for (int m = 0; m < PH_MEASURE_COUNT; m++) {
    d.max[m] = one ? facts.one_max[m] : facts.free_max[m];
    d.worst[m] = one ? facts.one_worst[m] : facts.free_worst[m];
  }
  ph_measure worst = ph_difference_worst(&d, ph_analysis_tolerance(l->a));
  if (has_no_state(&d))
    snprintf(out, size, "physics left the numbers");
  else if (worst == PH_MEASURE_COUNT)
    snprintf(out, size, "other bits alone");
  else
    ph_difference_text(&d, ph_rerun_model(ph_analysis_rerun(l->a)), worst, out, size);
  return true;
}

/* Single steps: those that were compared, and of them those whose bits differ. */
static int64_t one_unequal(const struct list *l, int64_t *all) {
  int64_t sum = 0;
  for (int c = 0; c < PH_CLASS_COUNT; c++)
    sum += l->sum.one_count[c];
  *all = sum;
  return sum - l->sum.one_count[PH_BITWISE];
}

static void one_text(const struct list *l, int64_t step, char *out, size_t size) {
  char worst[200];
  int64_t all = 0, unequal = one_unequal(l, &all);
  out[0] = 0;
  if (all == 0)
    return;
  if (unequal == 0) {
    snprintf(out, size, " Each single step is exact.");
  } else if (unequal == 1 &&
             worst_at(l, l->sum.one_first[PH_ROUNDING], true, worst, sizeof worst)) {
    snprintf(out, size, " 1-step error: %s at %" PRId64 ", exactly 0 at the other %" PRId64 ".",
             worst, l->sum.one_first[PH_ROUNDING], all - 1);
  } else {
    bool known = worst_at(l, step, true, worst, sizeof worst);
    snprintf(out, size, " 1-step errors at %" PRId64 " of %" PRId64 " steps%s%s%s.", unequal, all,
             known ? ", " : "", known ? worst : "", known ? " here" : "");
  }
}

static void ctrl_text(const struct list *l, char *out, size_t size) {
  if (l->meta->dims.nu == 0)
    out[0] = 0;
  else if (ph_episode_rows(l->episode, PH_COL_CTRL) == 0)
    snprintf(out, size, " ctrl is not recorded.");
  else if (l->sum.ctrl_unequal == 0)
    snprintf(out, size, " ctrl: equal bits.");
  else
    snprintf(out, size, " ctrl differs at %" PRId64 " step%s, first at %" PRId64 ".",
             l->sum.ctrl_unequal, l->sum.ctrl_unequal == 1 ? "" : "s", l->sum.ctrl_first);
}

static void add_left(struct list *l) {
  int64_t at = l->sum.first[PH_DIVERGED], unequal = l->sum.first[PH_ROUNDING];
  char worst[200] = "", before[60], one[400], ctrl[80];
  worst_at(l, at, false, worst, sizeof worst);
  if (unequal == at)
    snprintf(before, sizeof before, "equal bits before");
  else
    snprintf(before, sizeof before, "first unequal bits at %" PRId64, unequal);
  one_text(l, at, one, sizeof one);
  ctrl_text(l, ctrl, sizeof ctrl);
  add(l, PH_FINDING_DIVERGENCE, at, "LEFT THE RECORDING: %s, %s.%s%s", worst, before, one, ctrl);
}

/* Within the tolerance all along. */
static void add_unequal(struct list *l) {
  int64_t at = l->sum.first[PH_ROUNDING];
  char worst[200] = "", one[400], ctrl[80];
  worst_at(l, at, false, worst, sizeof worst);
  one_text(l, at, one, sizeof one);
  ctrl_text(l, ctrl, sizeof ctrl);
  add(l, PH_FINDING_DIVERGENCE, at,
      "other bits than recorded from here on, within %s: %s here.%s%s",
      l->sum.cls == PH_ROUNDING ? "rounding" : "the tolerance", worst, one, ctrl);
}

static void add_single(struct list *l) {
  int64_t at = l->sum.one_first[PH_ROUNDING], all;
  bool stopped = l->now.ended && l->now.stopped >= 0;
  char one[400];
  if (stopped && at == l->now.stopped && one_unequal(l, &all) == 1)
    return; /* what stopped the run is told of */
  one_text(l, at, one, sizeof one);
  add(l, PH_FINDING_DIVERGENCE, at,
      "the dynamic run is the recording bit for bit%s, single steps%s"
      " are not:%s",
      stopped ? " as far as it goes" : "", stopped ? "" : " before it", one);
}

static void find_divergence(struct list *l, const ph_diagnosis *diagnosis) {
  if (l->sum.first[PH_DIVERGED] >= 0)
    add_left(l);
  else if (l->sum.first[PH_ROUNDING] >= 0)
    add_unequal(l);
  else if (l->sum.one_first[PH_ROUNDING] >= 0)
    add_single(l);
  if (diagnosis && diagnosis->cause != PH_CAUSE_NONE && diagnosis->text[0])
    add(l, PH_FINDING_DIAGNOSIS, diagnosis->nevents ? diagnosis->event[0] : -1, "%s",
        diagnosis->text);
  if (l->now.ended && l->now.stopped >= 0)
    add(l, PH_FINDING_STOPPED, l->now.stopped, "the dynamic run ends here: %s", l->now.text);
  else if (l->now.ended && l->now.text[0])
    add(l, PH_FINDING_MISSING, -1, "not compared: %s", l->now.text);
}

/* --- what the task says, recorded against dynamic --- */

/* Whether both runs are counted by one hold, so that what they came to can be one finding. */
static bool same_hold(const ph_hold_scan *a, const ph_hold_scan *b) {
  return a && b && a->hold.steps == b->hold.steps;
}

static bool same_latch(const ph_hold_scan *a, const ph_hold_scan *b) {
  return same_hold(a, b) && a->hold.latched && b->hold.latched && a->hold.latch == b->hold.latch &&
         a->from == b->from;
}

/* other (nullable): the dynamic run, where that is the same finding. */
static void add_latch(struct list *l, const char *who, const ph_hold_scan *s,
                      const ph_hold_scan *other) {
  double seconds = (double)s->hold.steps * ph_rerun_control_dt(ph_analysis_rerun(l->a));
  char differs[60] = "";
  if (!s->hold.latched)
    return;
  if (other && other->to != s->to && (other->ended || other->to > s->to))
    snprintf(differs, sizeof differs, " (dynamic to %" PRId64 ")", other->to);
  if (s->hold.steps == 0)
    add(l, PH_FINDING_LATCH, s->hold.latch, "LATCH, %s: first true here, no hold", who);
  else
    add(l, PH_FINDING_LATCH, s->hold.latch,
        "LATCH, %s: true %" PRId64 "..%" PRId64 "%s, %" PRId64 "/%" PRId64 " = %.2f s", who,
        s->from, s->to, differs, s->hold.steps, s->hold.steps, seconds);
}

static void add_latches(struct list *l, const ph_hold_scan *rec, const ph_hold_scan *dyn) {
  bool both = rec && dyn && same_latch(rec, dyn);
  if (rec)
    add_latch(l, both ? "recorded and dynamic" : "recorded", rec, both ? dyn : NULL);
  if (dyn && !both)
    add_latch(l, "dynamic", dyn, NULL);
}

static bool has_miss(const ph_hold_scan *s, const ph_near_miss *miss) {
  for (size_t i = 0; s && i < s->nmisses; i++)
    if (s->miss[i].row == miss->row && s->miss[i].count == miss->count)
      return true;
  return false;
}

static void add_miss(struct list *l, const char *who, const ph_hold_scan *s,
                     const ph_near_miss *miss, bool recorded) {
  char why[200];
  if (recorded)
    ph_asker_recorded(&l->asker, miss->row, why, sizeof why);
  else
    ph_asker_dynamic(&l->asker, miss->row, why, sizeof why);
  add(l, PH_FINDING_NEAR_MISS, miss->row, "near miss, %s: broke at %" PRId64 "/%" PRId64 "%s", who,
      miss->count, s->hold.steps, why);
}

/* One at the same step in both runs is one; `told` is the dynamic one that was told already. */
static void add_misses(struct list *l, const ph_hold_scan *rec, const ph_hold_scan *dyn,
                       int64_t told) {
  const ph_hold_scan *shared = same_hold(rec, dyn) ? dyn : NULL;
  for (size_t i = 0; rec && i < rec->nmisses; i++)
    add_miss(l, has_miss(shared, &rec->miss[i]) ? "recorded and dynamic" : "recorded", rec,
             &rec->miss[i], true);
  for (size_t i = 0; dyn && i < dyn->nmisses; i++)
    if (dyn->miss[i].row != told && !(shared && has_miss(rec, &dyn->miss[i])))
      add_miss(l, "dynamic", dyn, &dyn->miss[i], false);
}

static void latch_word(const ph_hold_scan *s, char *out, size_t size) {
  if (s->hold.latched)
    snprintf(out, size, "%" PRId64, s->hold.latch);
  else
    snprintf(out, size, "never");
}

/* The row at which the dynamic hold broke, where that is told with the disagreement; -1. */
static int64_t add_latches_differ(struct list *l, const ph_hold_scan *rec,
                                  const ph_hold_scan *dyn) {
  char was[32], is[32], why[200] = "", broke[260] = "";
  if (rec->hold.latched == dyn->hold.latched &&
      (!rec->hold.latched || rec->hold.latch == dyn->hold.latch))
    return -1;
  latch_word(rec, was, sizeof was);
  latch_word(dyn, is, sizeof is);
  const ph_hold_scan *without = dyn->hold.latched ? rec : dyn;
  int64_t at = without->nmisses ? without->miss[0].row : -1;
  bool fails = rec->hold.latched && !dyn->hold.latched, wins = !rec->hold.latched;
  if (fails && at >= 0) {
    ph_asker_dynamic(&l->asker, at, why, sizeof why);
    snprintf(broke, sizeof broke, ": it broke here at %" PRId64 "/%" PRId64 "%s",
             without->miss[0].count, without->hold.steps, why);
  }
  add(l, PH_FINDING_DISAGREEMENT,
      fails && at >= 0    ? at
      : rec->hold.latched ? rec->hold.latch
                          : dyn->hold.latch,
      "latch: recorded %s, dynamic %s%s%s", was, is, broke,
      fails  ? ". Run again, this episode FAILS the task that its recording passes."
      : wins ? ". Run again, this episode passes the task that its recording fails."
             : "");
  return fails ? at : -1;
}

static bool rewards_of(const struct list *l, double *sum) {
  enum { CHUNK = 512 };
  double some[CHUNK];
  int64_t from = l->now.anchor, n = ph_episode_rows(l->episode, PH_COL_REWARDS);
  *sum = 0;
  if (n <= from)
    return false;
  for (int64_t at = from; at < n; at += CHUNK) {
    int64_t part = n - at < CHUNK ? n - at : CHUNK;
    if (ph_episode_read(l->episode, PH_COL_REWARDS, at, part, some) != PH_OK)
      return false;
    for (int64_t i = 0; i < part; i++)
      *sum += some[i];
  }
  return true;
}

static void find_outcomes(struct list *l) {
  double recorded;
  const ph_analysis_summary *sum = &l->sum;
  int64_t last = l->meta->states - 1;
  if (!l->now.ended || l->now.status != PH_OK || l->now.free_run < l->meta->states)
    return;
  if (!isnan(sum->reward) && rewards_of(l, &recorded) &&
      fabs(recorded - sum->reward) > 1e-9 * fmax(1, fabs(recorded)))
    add(l, PH_FINDING_DISAGREEMENT, -1, "reward: recorded %.6g in all, dynamic %.6g", recorded,
        sum->reward);
  bool told = l->meta->end_reason == PH_END_SUCCESS || l->meta->end_reason == PH_END_TERMINATED ||
              l->meta->end_reason == PH_END_TRUNCATED;
  bool same = sum->end == l->meta->end_reason && sum->end_step == last;
  if (!told || same || isnan(sum->reward))
    return;
  if (sum->end == PH_END_UNKNOWN)
    add(l, PH_FINDING_DISAGREEMENT, last, "end: recorded %s, the dynamic run goes on",
        ph_end_name(l->meta->end_reason));
  else
    add(l, PH_FINDING_DISAGREEMENT, sum->end_step,
        "end: recorded %s at %" PRId64 ", dynamic %s at %" PRId64, ph_end_name(l->meta->end_reason),
        last, ph_end_name(sum->end), sum->end_step);
}

static void find_latches(struct list *l, int64_t hold_steps) {
  ph_hold_scan rec, dyn;
  bool recorded = ph_hold_scan_recorded(&rec, l->episode, hold_steps);
  bool dynamic = ph_hold_scan_dynamic(&dyn, l->a, &l->now, hold_steps);
  bool whole = l->now.ended && l->now.status == PH_OK && l->now.free_run >= l->meta->states;
  int64_t told = -1;
  if (recorded && dynamic && (whole || (rec.hold.latched && dyn.rows > rec.hold.latch)) &&
      rec.hold.steps == dyn.hold.steps)
    told = add_latches_differ(l, &rec, &dyn);
  find_outcomes(l);
  add_latches(l, recorded ? &rec : NULL, dynamic ? &dyn : NULL);
  add_misses(l, recorded ? &rec : NULL, dynamic ? &dyn : NULL, told);
}

/* --- flags --- */

/* Steps with a flag, the first of them in *first. */
static int64_t count_flag(const struct list *l, uint8_t flag, int64_t *first) {
  enum { CHUNK = 4096 };
  uint8_t some[CHUNK];
  int64_t found = 0, n = ph_episode_rows(l->episode, PH_COL_FLAGS);
  for (int64_t at = 0; at < n; at += CHUNK) {
    int64_t part = n - at < CHUNK ? n - at : CHUNK;
    if (ph_episode_read(l->episode, PH_COL_FLAGS, at, part, some) != PH_OK)
      continue;
    for (int64_t i = 0; i < part; i++)
      if (some[i] & flag && found++ == 0)
        *first = at + i + 1;
  }
  return found;
}

static void find_flags(struct list *l) {
  int64_t first = -1, n = count_flag(l, PH_FLAG_CLIPPED, &first);
  if (n > 0)
    add(l, PH_FINDING_CLIPPED, first,
        "the action was clipped at %" PRId64 " of %" PRId64 " steps, first here", n,
        l->meta->actions);
  n = count_flag(l, PH_FLAG_WARNED, &first);
  if (n > 0)
    add(l, PH_FINDING_WARNED, first,
        "the engine warned at %" PRId64 " of %" PRId64 " steps, first here", n, l->meta->actions);
}

size_t ph_analysis_findings(const ph_analysis *a, const ph_diagnosis *diagnosis, ph_finding *out,
                            size_t room) {
  return ph_analysis_findings_held(a, diagnosis, -1, out, room);
}

size_t ph_analysis_findings_held(const ph_analysis *a, const ph_diagnosis *diagnosis,
                                 int64_t hold_steps, ph_finding *out, size_t room) {
  struct list l = {.a = a, .out = out, .room = room, .asker.a = a};
  l.episode = ph_rerun_episode(ph_analysis_rerun(a));
  l.meta = ph_episode_meta_of(l.episode);
  ph_analysis_look(a, &l.now);
  ph_analysis_sum(a, &l.sum);
  find_divergence(&l, diagnosis);
  find_latches(&l, hold_steps);
  find_flags(&l);
  ph_asker_end(&l.asker);
  return l.n;
}
