/* What physics run again came to, in the words of the header and of the status line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "text.h"

void dyn_place(char *out, size_t size, const struct app *app, int64_t step, int substep) {
  if (substep > 0)
    snprintf(out, size, "%lld+%d/%d", (long long)step, substep, app_control_steps(app));
  else
    snprintf(out, size, "%lld", (long long)step);
}

void dyn_missing(char *out, size_t size, const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  long long to = app->snap ? app->snap->step : 0;
  if (d && d->error[0]) {
    snprintf(out, size, "%s", d->error);
  } else if (d && app_dyn_known(d)) {
    long long at = d->pass.free_run - 1;
    snprintf(out, size, "running %lld/%lld", at < to ? at : to, to);
  } else {
    snprintf(out, size, "running 0/%lld", to);
  }
}

void dyn_error(char *out, size_t size, double error) {
  char text[32];
  if (isnan(error) || error == 0) {
    snprintf(out, size, "%s", error == 0 ? "=" : "-");
    return;
  }
  snprintf(text, sizeof text, "%.2e", error);
  char *e = strchr(text, 'e');
  for (char *c = text; *c; c++)
    *c = *c == ',' ? '.' : *c; /* whatever the locale */
  if (!e) {
    snprintf(out, size, "%s", text); /* inf */
    return;
  }
  const char *digits = e + 2;
  while (*digits == '0' && digits[1])
    digits++;
  snprintf(out, size, "%.*s%s%s", (int)(e + 1 - text), text, e[1] == '-' ? "-" : "", digits);
}

/* --- header --- */

void dyn_mode(struct strip *strip, const struct app *app) {
  static const char *const words[MODE_COUNT] = {"K recorded", "D dynamic", "B rec+dyn"};
  enum tui_mode mode = app_mode(app);
  if (app_dyn(app) || mode != MODE_KINEMATIC)
    strip_add(strip, mode == MODE_KINEMATIC ? 13 : 1,
              mode == MODE_KINEMATIC ? STYLE_NORMAL : STYLE_BOLD, STRIP_BAR, "%s", words[mode]);
}

/* "DIVERGED at 213", and what was before that. */
static void verdict_class(struct strip *strip, const struct dynamic_answer *d) {
  const int64_t *first = d->sum.first;
  int64_t unequal = first[PH_ROUNDING];
  bool left = first[PH_DIVERGED] >= 0;
  const char *word = left ? "DIVERGED" : d->sum.cls == PH_CLOSE ? "close" : "rounding";
  int64_t at = left ? first[PH_DIVERGED] : d->sum.cls == PH_CLOSE ? first[PH_CLOSE] : unequal;
  strip_add(strip, 0, left ? STYLE_BAD : STYLE_WARN, STRIP_BAR, "%s at %lld", word, (long long)at);
  if (at == unequal)
    strip_add(strip, 4, left ? STYLE_BAD : STYLE_WARN, STRIP_GLUE, ", bitwise before");
  else
    strip_add(strip, 4, left ? STYLE_BAD : STYLE_WARN, STRIP_GLUE, ", bitwise before %lld",
              (long long)unequal);
}

void dyn_verdict(struct strip *strip, const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  if (!d || d->refused[0] || !app_dyn_known(d))
    return;
  const ph_analysis_progress *p = &d->pass;
  if (d->sum.first[PH_ROUNDING] >= 0)
    verdict_class(strip, d);
  else if (app_dyn_whole(d))
    strip_add(strip, 0, STYLE_GOOD, STRIP_BAR, "BITWISE %lld..%lld", (long long)p->anchor,
              (long long)(p->states - 1));
  else
    strip_add(strip, 0, STYLE_NORMAL, STRIP_BAR, "bitwise to %lld", (long long)(p->free_run - 1));
  if (p->ended && p->stopped >= 0)
    strip_add(strip, 2, STYLE_BAD, STRIP_GLUE, ", stopped at %lld", (long long)p->stopped);
  else if (!p->ended)
    strip_add(strip, 4, STYLE_DIM, STRIP_GLUE, " so far");
  if (p->anchor > 0)
    strip_add(strip, 1, STYLE_WARN, STRIP_TIGHT, "from %lld", (long long)p->anchor);
}

void dyn_latch(struct strip *strip, const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  if (!d || d->refused[0] || !app_dyn_known(d) || !lane_judged(app))
    return;
  if (d->sum.latch >= 0)
    strip_add(strip, 1, STYLE_GOOD, STRIP_GLUE, ", dynamic %lld", (long long)d->sum.latch);
  else if (app_dyn_whole(d))
    strip_add(strip, 1, STYLE_BAD, STRIP_GLUE, ", dynamic NEVER");
  else
    strip_add(strip, 4, STYLE_DIM, STRIP_GLUE, ", dynamic not to %lld",
              (long long)(d->pass.free_run - 1));
}

/* ": broke at 292 (22/25), near false (dist(gripper,handle) 0.104)" */
void dyn_broke(struct strip *strip, const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  if (!d || d->refused[0] || !app_dyn_whole(d) || !d->breaks || !lane_judged(app))
    return;
  const ph_broke *b = &d->broke;
  strip_add(strip, 6, STYLE_BAD, STRIP_GLUE, ": broke at %lld (%lld/%lld)", (long long)b->step,
            (long long)b->count, (long long)b->steps);
  if (b->text[0])
    strip_add(strip, 7, STYLE_BAD, STRIP_GLUE, ", %s", b->text);
}

/* --- status --- */

static void status_cache(struct strip *strip, const struct dynamic_answer *d) {
  char bytes[32];
  const ph_rerun_cache *c = &d->cache;
  text_bytes(bytes, sizeof bytes, c->bytes);
  if (c->every <= 1)
    strip_add(strip, 9, STYLE_NORMAL, STRIP_BAR, "exact cache %lld/%lld", (long long)c->cached,
              (long long)c->wanted);
  else
    strip_add(strip, 8, STYLE_NORMAL, STRIP_BAR,
              "cache every %lldth: at most %lld steps of physics", (long long)c->every,
              (long long)(c->every - 1));
  strip_add(strip, 10, STYLE_DIM, STRIP_TIGHT, "%s", bytes);
  if (c->full_copies)
    strip_add(strip, 10, STYLE_WARN, STRIP_TIGHT, "full copies");
}

static void status_pass(struct strip *strip, const struct dynamic_answer *d) {
  const ph_analysis_progress *p = &d->pass;
  if (p->states <= 0)
    return;
  int64_t last = p->states - 1, at = p->free_run > 0 ? p->free_run - 1 : 0;
  if (p->ended && p->stopped >= 0)
    strip_add(strip, 7, STYLE_BAD, STRIP_BAR, "pass stopped at %lld", (long long)p->stopped);
  else if (p->ended && p->status != PH_OK)
    strip_add(strip, 7, STYLE_BAD, STRIP_BAR, "pass failed at %lld", (long long)at);
  else
    strip_add(strip, 7, p->ended ? STYLE_NORMAL : STYLE_WARN, STRIP_BAR, "pass %lld/%lld",
              (long long)at, (long long)last);
  if (!p->ended && p->one_step < last)
    strip_add(strip, 11, STYLE_DIM, STRIP_GLUE, ", 1-step %lld/%lld", (long long)p->one_step,
              (long long)last);
}

/* What the branch came to, as long as there is one. */
static void status_branch(struct strip *strip, const struct app *app,
                          const struct dynamic_answer *d) {
  uint64_t serial = app->want.dyn.branch.serial;
  if (serial == 0)
    return;
  bool answered = d->branch == serial && d->branch_text[0];
  if (answered && d->saving[0]) {
    strip_add(strip, 2, STYLE_EVENT, STRIP_BAR | STRIP_CUT, "%s", d->saving);
    return;
  }
  /* why something went wrong needs the room more */
  strip_add(strip, app->message_bad ? 9 : 2, STYLE_EVENT, STRIP_BAR | STRIP_CUT, "branch %s",
            answered ? d->branch_text : "is about to run");
}

void dyn_status(struct strip *strip, const struct app *app) {
  static const char letter[MODE_COUNT] = {'K', 'D', 'B'};
  const struct dynamic_answer *d = app_dyn(app);
  enum tui_mode mode = app_mode(app);
  char text[160];
  if (!d && mode == MODE_KINEMATIC)
    return;
  strip_add(strip, 3, STYLE_BOLD, STRIP_BLANK, "%c", letter[mode]);
  if (mode != MODE_KINEMATIC && !app_dyn_frame(app)) {
    dyn_missing(text, sizeof text, app);
    strip_add(strip, 3, STYLE_WARN, STRIP_TIGHT, "%s", text);
  }
  if (!d || d->refused[0])
    return;
  status_branch(strip, app, d);
  if (mode != MODE_KINEMATIC || !app_dyn_whole(d))
    status_pass(strip, d);
  if (mode == MODE_KINEMATIC)
    return;
  if (d->cache.wanted > 0)
    status_cache(strip, d);
  ph_tolerance tolerance = app_tolerance(app);
  ph_tolerance_text(&tolerance, text, sizeof text);
  strip_add(strip, 12, STYLE_NORMAL, STRIP_BAR, "tol %s", text);
}
