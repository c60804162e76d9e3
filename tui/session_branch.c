/* "What if from here": a second rerun beside the episode, which is never touched. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "branch_save.h"
#include "session_parts.h"

enum { BRANCH_CACHE = 16 << 20 };

/* The pass has been given away, or there was none. What was on its way into a file is given up. */
void branch_clear(struct branch *b) {
  branch_save_free(b->save);
  memset(b, 0, sizeof *b);
}

void branch_aim(struct dynamic *d, const struct branch_wish *wish) {
  struct branch *b = &d->branch;
  if (wish->serial == b->serial) {
    b->wish.saves = wish->saves;
    memcpy(b->wish.save, wish->save, sizeof b->wish.save);
    b->wish.unsaved = wish->unsaved;
    if (b->save && wish->unsaved == b->saving)
      branch_save_cancel(b->save);
    return;
  }
  dynamic_leave_pass(d, b->pass);
  branch_clear(b);
  b->serial = wish->serial;
  b->wish = *wish;
  b->saves = wish->saves; /* those of branches before it */
}

static bool can_start(const struct dynamic *d) {
  const struct branch *b = &d->branch;
  return b->serial && !b->pass && !b->failed[0] &&
         (!b->wish.dynamic || d->broken[0] || (d->pass && pass_run(d->pass)));
}

/* What cannot run is not saved, and that is said at once. */
static bool can_save(const struct branch *b) {
  if (b->save)
    return branch_save_ended(b->save);
  return b->serial && b->wish.saves != b->saves &&
         (b->failed[0] || (b->pass && (pass_run(b->pass) || pass_refused(b->pass))));
}

bool branch_wants(const struct dynamic *d) {
  return can_start(d) || can_save(&d->branch);
}

bool branch_saving(const struct dynamic *d) {
  return d->branch.save != NULL;
}

static void end_save(struct branch *b) {
  branch_save_text(b->save, b->saved, sizeof b->saved);
  branch_save_free(b->save);
  b->save = NULL;
  b->saves = b->saving;
}

/* It takes as long as the physics of all of it: on a thread of its own. */
static void begin_save(struct branch *b) {
  const char *why = b->failed[0] ? b->failed : pass_refused(b->pass);
  if (!why && b->wish.unsaved == b->wish.saves)
    why = "canceled";
  if (!why)
    b->save = branch_save_start(pass_run(b->pass), b->wish.save);
  b->saving = b->wish.saves;
  if (b->save)
    return;
  b->saves = b->saving;
  snprintf(b->saved, sizeof b->saved, "not saved: %s", why ? why : ph_status_message(PH_ENOMEM));
}

/* --- starting --- */

static void fail(struct branch *b, const char *text) {
  snprintf(b->failed, sizeof b->failed, "%s", text && *text ? text : "it cannot be run");
}

static void start(struct dynamic *d, struct opened *o, const ph_row *from) {
  struct branch *b = &d->branch;
  double override[BRANCH_ELEMENTS];
  bool any = false;
  for (int i = 0; i < BRANCH_ELEMENTS; i++) {
    override[i] = b->wish.set[i] ? b->wish.value[i] : NAN;
    any = any || b->wish.set[i];
  }
  struct pass_wish wish = {.episode = o->episode,
                           .model = o->model,
                           .task = o->task,
                           .run = PH_RERUN_OPTIONS_INIT,
                           .tolerance = d->tolerance,
                           .branch = true};
  if (any && o->reel->nactions > BRANCH_ELEMENTS) {
    snprintf(b->failed, sizeof b->failed, "only actions of at most %d elements can be overridden",
             BRANCH_ELEMENTS);
    return;
  }
  wish.run.anchor = b->wish.at;
  wish.run.from = from;
  wish.run.feed = b->wish.feed;
  wish.run.override = any ? override : NULL;
  wish.run.changes = b->wish.change;
  wish.run.nchanges = b->wish.nchanges < BRANCH_CHANGES ? b->wish.nchanges : BRANCH_CHANGES;
  wish.run.budget = BRANCH_CACHE;
  b->pass = pass_start(&wish);
  if (!b->pass)
    fail(b, ph_status_message(PH_ENOMEM));
}

/* The dynamic state that it leaves: the cursor goes there, and the frame is sought again. */
static void start_dynamic(struct dynamic *d, struct opened *o,
                          const struct dynamic_budget *budget) {
  if (!dynamic_ready(d, o)) {
    fail(&d->branch, d->broken);
    return;
  }
  const struct dynamic there = *d;
  d->sought = true;
  d->there = false;
  d->step = d->branch.wish.at;
  d->substep = 0;
  d->error[0] = 0;
  dynamic_seek(d, budget);
  bool arrived = d->there;
  if (arrived && d->error[0])
    fail(&d->branch, d->error);
  else if (arrived)
    start(d, o, &ph_cursor_now(d->cursor)->row);
  d->sought = there.sought;
  d->there = false;
  d->step = there.step;
  d->substep = there.substep;
  d->error[0] = 0;
}

void branch_work(struct dynamic *d, struct opened *o, const struct dynamic_budget *budget) {
  if (!can_start(d)) {
    if (can_save(&d->branch) && d->branch.save)
      end_save(&d->branch);
    else if (can_save(&d->branch))
      begin_save(&d->branch);
    return;
  }
  if (d->refused[0])
    fail(&d->branch, d->refused);
  else if (d->branch.wish.dynamic)
    start_dynamic(d, o, budget);
  else
    start(d, o, NULL);
}

/* --- the answer --- */

/* "friction x0.5", "solver CG", "timestep 0.001". */
static void change_text(const ph_change *c, char *out, size_t size) {
  ph_change_text(c, out, size);
  char *equals = strchr(out, '=');
  if (equals)
    *equals = ' ';
}

static void wish_text(const struct branch *b, char *out, size_t size) {
  const struct branch_wish *w = &b->wish;
  size_t set = 0;
  int n = snprintf(out, size, "from %lld (%s), actions %s", (long long)w->at,
                   w->dynamic ? "dynamic" : "recorded",
                   w->feed == PH_FEED_RECORDED ? "as recorded" : ph_feed_name(w->feed));
  for (int i = 0; i < BRANCH_ELEMENTS; i++)
    set += w->set[i];
  if (set > 0 && n > 0 && (size_t)n < size)
    n += snprintf(out + n, size - (size_t)n, " but for %zu element%s", set, set == 1 ? "" : "s");
  for (size_t i = 0; i < w->nchanges && i < BRANCH_CHANGES && n > 0 && (size_t)n < size; i++) {
    char change[100];
    change_text(&w->change[i], change, sizeof change);
    n += snprintf(out + n, size - (size_t)n, ", %s", change);
  }
}

/* What else moves it: "; mocap, forces still as recorded". Actions alone are other. */
static void outside_text(const struct branch *b, const struct opened *o, char *out, size_t size) {
  static const struct {
    const char *word;
    ph_column col, or ;
  } outside[] = {{"mocap", PH_COL_MOCAP_POS, PH_COL_MOCAP_QUAT},
                 {"forces", PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED},
                 {"welds", PH_COL_EQ_ACTIVE, PH_COL_EQ_ACTIVE},
                 {"userdata", PH_COL_USERDATA, PH_COL_USERDATA}};
  bool other = b->wish.feed != PH_FEED_RECORDED;
  for (int i = 0; i < BRANCH_ELEMENTS; i++)
    other = other || b->wish.set[i];
  out[0] = 0;
  for (size_t i = 0; other && i < sizeof outside / sizeof *outside; i++) {
    size_t n = strlen(out);
    if (ph_episode_has(o->episode, outside[i].col) || ph_episode_has(o->episode, outside[i].or))
      snprintf(out + n, size - n, "%s%s", n ? ", " : "; ", outside[i].word);
  }
  size_t n = strlen(out);
  if (n > 0)
    snprintf(out + n, size - n, " still as recorded");
}

/* At the hold in force; -1. What was held before the state that it leaves counts. */
static int64_t latch_of(const struct pass_judged *judged, int64_t steps) {
  int64_t needs = steps > 1 ? steps : 1;
  for (int64_t t = judged->first; t < judged->end; t++)
    if (t > 0 && judged->predicate[t] && judged->hold[t] >= needs)
      return t - (judged->hold[t] - needs);
  return -1;
}

static void outcome_text(const struct branch *b, const struct opened *o, char *out, size_t size) {
  ph_analysis_progress now;
  ph_analysis_summary sum;
  struct pass_judged judged;
  const ph_analysis *a = b->pass ? pass_analysis(b->pass) : NULL;
  if (b->failed[0] || (b->pass && pass_refused(b->pass))) {
    snprintf(out, size, "%s", b->failed[0] ? b->failed : pass_refused(b->pass));
    return;
  }
  if (!a) {
    snprintf(out, size, "is about to run");
    return;
  }
  ph_analysis_look(a, &now);
  ph_analysis_sum(a, &sum);
  pass_judged(b->pass, &judged);
  if (!now.ended) {
    snprintf(out, size, "running %lld/%lld", (long long)now.free_run - 1,
             (long long)now.states - 1);
    return;
  }
  int n = 0;
  if (now.stopped >= 0)
    n = snprintf(out, size, "ends at %lld: %s", (long long)now.stopped, now.text);
  else if (sum.first[PH_DIVERGED] >= 0)
    n = snprintf(out, size, "leaves the recording at %lld", (long long)sum.first[PH_DIVERGED]);
  else
    n = snprintf(out, size, "stays on the recording");
  if (!judged.on || n < 0 || (size_t)n >= size)
    return;
  int64_t latch = o->reel->of ? latch_of(&judged, o->reel->hold_steps) : sum.latch;
  if (latch >= 0)
    n += snprintf(out + n, size - (size_t)n, ", latches at %lld", (long long)latch);
  else
    n += snprintf(out + n, size - (size_t)n, ", never latches");
  if (o->reel->of && n > 0 && (size_t)n < size) /* the hold is moved on the screen alone */
    snprintf(out + n, size - (size_t)n, " (hold %lld)", (long long)o->reel->hold_steps);
}

/* How it ended, apart from its text: of that a narrow screen shows the beginning. */
static void answer_end(struct dynamic_answer *out, const struct branch *b) {
  ph_analysis_progress now;
  const ph_analysis *a = b->pass ? pass_analysis(b->pass) : NULL;
  const char *why = b->failed[0] ? b->failed : b->pass ? pass_refused(b->pass) : NULL;
  out->branch_stopped = -1;
  out->branch_ended = why != NULL;
  if (a && !why) {
    ph_analysis_look(a, &now);
    out->branch_ended = now.ended;
    out->branch_stopped = now.ended ? now.stopped : -1;
    why = out->branch_stopped >= 0 ? now.text : NULL;
  }
  snprintf(out->branch_why, sizeof out->branch_why, "%s", why ? why : "");
}

void branch_answer(struct dynamic_answer *out, struct dynamic *d, const struct opened *o) {
  struct branch *b = &d->branch;
  char wish[150], outside[80], outcome[400];
  if (!b->serial)
    return;
  wish_text(b, wish, sizeof wish);
  outside_text(b, o, outside, sizeof outside);
  outcome_text(b, o, outcome, sizeof outcome);
  out->branch = b->serial;
  answer_end(out, b);
  snprintf(out->branch_text, sizeof out->branch_text, "%s%s: %s", wish, outside, outcome);
  out->saves = b->saves;
  snprintf(out->saved, sizeof out->saved, "%s", b->saved);
  if (b->save)
    branch_save_text(b->save, out->saving, sizeof out->saving);
}
