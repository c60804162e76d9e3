/* What the task's condition says at the playhead, how long it has held, and where it latched. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "held_view.h"
#include "panel_stages.h"
#include "strip.h"
#include "text.h"

int panel_success_lines(const struct app *app) {
  const struct reel *reel = app_reel(app);
  if (app->cut_shown)
    return panel_cut_lines(app);
  return reel ? (int)(reel->nconditions + reel->nstages) + held_lines(app) : 0;
}

static const char *truth(bool value) {
  return value ? "TRUE" : "FALSE";
}

static enum style truth_style(bool value) {
  return value ? STYLE_GOOD : STYLE_BOLD;
}

static void fact(struct surface *s, struct rect r, int y, const char *name) {
  surface_put(s, r, y, 1, STYLE_DIM, name);
}

enum { FACT_X = 9 };

static void success_predicate(struct surface *s, struct rect r, int y, const struct app *app) {
  const struct reel *reel = app_reel(app);
  const struct snapshot *snap = app->snap;
  bool stored = !reel->judged && panel_has_outcome(reel, snap->step);
  bool recorded = stored && reel->predicate[snap->step];
  struct strip strip = {0};
  fact(s, r, y, "pred");
  if (stored && snap->has_conditions && recorded != snap->predicate_now) {
    strip_add(&strip, 0, STYLE_BAD, STRIP_TIGHT, "recorded %s, here %s", truth(recorded),
              truth(snap->predicate_now));
    strip_add(&strip, 1, STYLE_BAD, STRIP_TIGHT, "!");
  } else if (stored) {
    strip_add(&strip, 0, truth_style(recorded), STRIP_TIGHT, "%s", truth(recorded));
    strip_add(&strip, 1, STYLE_DIM, STRIP_TIGHT, "%s",
              reel->live             ? "live"
              : snap->has_conditions ? "recorded and kinematic"
                                     : "recorded");
  } else if (snap->has_conditions) {
    strip_add(&strip, 0, truth_style(snap->predicate_now), STRIP_TIGHT, "%s",
              truth(snap->predicate_now));
    strip_add(&strip, 1, STYLE_DIM, STRIP_TIGHT, "judged here");
  } else {
    strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "%s", reel->predicate ? "-" : "unknown");
  }
  strip_draw(s, r, y, FACT_X, &strip);
}

static void success_held(struct surface *s, struct rect r, int y, const struct app *app) {
  const struct reel *reel = app_reel(app);
  const struct snapshot *snap = app->snap;
  struct strip strip = {0};
  fact(s, r, y, "held");
  if (reel->hold && snap->step >= 0 && snap->step < reel->states) {
    int64_t held = reel->hold[snap->step];
    bool done = held > 0 && held >= reel->hold_steps;
    double dt = reel->meta.control_dt;
    int64_t most = reel->hold_steps, shown = done && held > most ? most : held;
    strip_add(&strip, 0, done ? STYLE_GOOD : STYLE_NORMAL, STRIP_TIGHT, "%lld/%lld",
              (long long)shown, (long long)most);
    if (dt > 0)
      strip_add(&strip, 1, STYLE_DIM, STRIP_TIGHT, "= %.2f/%.2f s", (double)shown * dt,
                (double)most * dt);
    if (shown < held && most > 0)
      strip_add(&strip, 3, STYLE_DIM, STRIP_GLUE, ", true for %lld", (long long)held);
    if (held_unsaved(app))
      strip_add(&strip, 2, STYLE_WARN, STRIP_GLUE, ", not saved");
  } else {
    strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "not recorded");
  }
  strip_draw(s, r, y, FACT_X, &strip);
}

static void success_latch(struct surface *s, struct rect r, int y, const struct app *app) {
  const struct reel *reel = app_reel(app);
  struct strip strip = {0};
  int64_t away = reel->latch - app->snap->step;
  fact(s, r, y, "latch");
  if (!reel->predicate) {
    strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "not recorded");
  } else if (reel->latch < 0 && reel->late) {
    strip_add(&strip, 0, STYLE_GOOD, STRIP_TIGHT, "at %lld, after the last stored state",
              (long long)reel->states);
  } else if (reel->latch < 0) {
    strip_add(&strip, 0, reel->running ? STYLE_DIM : STYLE_BAD, STRIP_TIGHT,
              reel->running ? "not yet" : "never");
  } else {
    strip_add(&strip, 0, STYLE_GOOD, STRIP_TIGHT, "at %lld", (long long)reel->latch);
    if (away == 0)
      strip_add(&strip, 1, STYLE_GOOD, STRIP_GLUE, ", here");
    else if (away > 0)
      strip_add(&strip, 1, STYLE_DIM, STRIP_GLUE, ", in %lld step%s", (long long)away,
                away == 1 ? "" : "s");
    else
      strip_add(&strip, 1, STYLE_DIM, STRIP_GLUE, ", %lld step%s ago", (long long)-away,
                away == -1 ? "" : "s");
  }
  strip_draw(s, r, y, FACT_X, &strip);
}

/* At the last state also the reward of the action after it, where its own state is not stored. */
static void success_reward(struct surface *s, struct rect r, int y, const struct app *app) {
  const struct reel *reel = app_reel(app);
  char number[32], after[32];
  struct strip strip = {0};
  fact(s, r, y, "reward");
  text_number(number, sizeof number, app->snap->reward, 9);
  strip_add(&strip, 0, STYLE_NORMAL, STRIP_TIGHT, "%s", number + strspn(number, " "));
  text_number(after, sizeof after, reel->late_reward, 9);
  if (reel->meta.states == reel->meta.actions && app->snap->step == reel->states - 1 &&
      isfinite(reel->late_reward))
    strip_add(&strip, 1, STYLE_NORMAL, STRIP_GLUE, ", then %s by action %lld",
              after + strspn(after, " "), (long long)(reel->states - 1));
  strip_draw(s, r, y, FACT_X, &strip);
}

static void success_flags(struct surface *s, struct rect r, int y, const struct app *app) {
  static const struct {
    int bit;
    const char *word;
    enum style style;
  } words[] = {{PH_FLAG_WARNED, "warned", STYLE_BAD},
               {PH_FLAG_CLIPPED, "clipped", STYLE_WARN},
               {PH_FLAG_TERMINATED, "terminated", STYLE_BOLD},
               {PH_FLAG_TRUNCATED, "truncated", STYLE_BOLD}};
  struct strip strip = {0};
  int flags = app->snap->flags;
  fact(s, r, y, "flags");
  if (flags < 0)
    strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "-");
  else if (flags == 0)
    strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "none");
  for (size_t i = 0; i < sizeof words / sizeof *words && flags > 0; i++)
    if (flags & words[i].bit)
      strip_add(&strip, (int)i, words[i].style, STRIP_TIGHT, "%s", words[i].word);
  strip_draw(s, r, y, FACT_X, &strip);
}

static int condition_name_width(const struct reel *reel, int most) {
  int longest = 4;
  for (size_t i = 0; i < reel->nconditions; i++) {
    int w = text_width(reel->condition[i], most, NULL);
    longest = w > longest ? w : longest;
  }
  for (size_t i = 0; i < reel->nstages; i++) {
    int w = text_width(reel->stage[i], most, NULL);
    longest = w > longest ? w : longest;
  }
  return longest;
}

static void condition_number(char *out, size_t size, double value, const char *unit) {
  if (strncmp(unit, "point", 5) == 0)
    snprintf(out, size, "%9.0f", value);
  else
    text_number(out, size, value, 9);
}

/* "dist(gripper,handle) < 0.1" behind the number that was read there, in so many columns; what a
 * condition's own name says is not said again. */
static void condition_reading(struct strip *strip, int rank, int columns, const char *name,
                              const struct snapshot_condition *c) {
  for (int i = 0; i < strip->n; i++)
    columns -= text_width(strip->piece[i].text, (int)sizeof strip->piece[i].text, NULL) + 2;
  strip_add(strip, rank, STYLE_DIM, STRIP_TIGHT | STRIP_CUT, "%s", c->reads);
  bool fits = STRIP_CUT_WIDTH + 1 + (int)strlen(c->limit) <= columns;
  if (fits && !strstr(name, c->limit))
    strip_add(strip, rank, STYLE_DIM, STRIP_TIGHT, "%s", c->limit);
}

/* "rec NO 0.06556  dyn yes 0.0099"; false: nothing dynamic is to be said of it. */
static bool condition_dynamic(struct surface *s, struct rect r, int y, const struct app *app, int i,
                              int x) {
  const struct snapshot *snap = app->snap;
  const struct dynamic_answer *d = app_dyn_frame(app);
  const struct snapshot_condition *c =
      snap->has_conditions && snap->conditions ? &snap->conditions[i] : NULL;
  struct strip strip = {0};
  char number[32];
  if (!d || !d->condition || (size_t)i >= d->nconditions)
    return false;
  bool apart = c && c->value != d->condition[i];
  const char *unit = c ? c->unit : "";
  if (c) {
    condition_number(number, sizeof number, c->read, unit);
    strip_add(&strip, 1, truth_style(c->value), STRIP_TIGHT, "rec %-3s", c->value ? "yes" : "NO");
    if (c->reads[0])
      strip_add(&strip, 3, STYLE_NORMAL, STRIP_TIGHT, "%s", number);
  }
  strip_add(&strip, 0, apart ? STYLE_BAD : truth_style(d->condition[i]), STRIP_BLANK, "dyn %-3s%s",
            d->condition[i] ? "yes" : "NO", apart ? "!" : "");
  condition_number(number, sizeof number, d->condition_reads[i], unit);
  if (c && c->reads[0]) {
    strip_add(&strip, 2, STYLE_NORMAL, STRIP_TIGHT, "%s%s%s", number, unit[0] ? " " : "", unit);
    condition_reading(&strip, 4, r.w - x, app_reel(app)->condition[i], c);
  }
  strip_draw(s, r, y, x, &strip);
  return true;
}

static void condition_row(struct surface *s, struct rect r, int y, const struct app *app, int i,
                          int width) {
  const struct reel *reel = app_reel(app);
  const struct snapshot *snap = app->snap;
  char name[200], number[32];
  text_fit(name, sizeof name, reel->condition[i], width);
  surface_put(s, r, y, 1, STYLE_NORMAL, name);
  if (condition_dynamic(s, r, y, app, i, width + 2))
    return;
  if (!snap->has_conditions || !snap->conditions) {
    struct strip error = {0};
    strip_add(&error, 0, STYLE_BAD, STRIP_TIGHT | STRIP_CUT, "%s", i == 0 ? snap->judge_error : "");
    if (i == 0 && snap->judge_error[0])
      strip_draw(s, r, y, width + 2, &error);
    else if (snap->judging)
      surface_printf(s, r, y, width + 2, STYLE_DIM, "judging %lld/%lld",
                     (long long)snap->stages.rows, (long long)reel->states);
    else
      surface_put(s, r, y, width + 2, STYLE_DIM, "-");
    return;
  }
  const struct snapshot_condition *c = &snap->conditions[i];
  surface_put(s, r, y, width + 2, truth_style(c->value), c->value ? "yes" : "NO");
  if (!c->reads[0])
    return;
  struct strip strip = {0};
  condition_number(number, sizeof number, c->read, c->unit);
  strip_add(&strip, 0, STYLE_NORMAL, STRIP_TIGHT, "%s%s%s", number, c->unit[0] ? " " : "", c->unit);
  condition_reading(&strip, 1, r.w - width - 6, reel->condition[i], c);
  strip_draw(s, r, y, width + 6, &strip);
}

static void success_conditions(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  int nconditions = (int)reel->nconditions, judged = nconditions + (int)reel->nstages;
  int lines = panel_success_lines(app);
  if (r.h < 1)
    return;
  if (lines == 0 && reel->meta.layout[0])
    return;
  if (lines == 0) {
    surface_put(s, r, 0, 1, STYLE_DIM,
                reel->predicate ? "conditions: the task is not at hand" : "no task: no conditions");
    return;
  }
  int top = panel_top(app, PANEL_SUCCESS, lines, r.h);
  int width = condition_name_width(reel, r.w / 2 > 4 ? r.w / 2 : 4);
  for (int y = 0; y < r.h && top + y < lines; y++) {
    if (top + y < nconditions)
      condition_row(s, r, y, app, top + y, width);
    else if (top + y < judged)
      panel_stage_row(s, r, y, app, (size_t)(top + y - nconditions), width);
    else
      held_row(s, r, y, app, top + y - judged);
    if (top + y == panel_cursor(app, PANEL_SUCCESS, lines) && app_active(app) == PANEL_SUCCESS)
      surface_style(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_SELECTED);
  }
}

typedef void (*fact_fn)(struct surface *s, struct rect r, int y, const struct app *app);

/* What the file has nothing of has no line. Returns how many there are. */
static int choose_facts(const struct reel *reel, bool judged, fact_fn out[5]) {
  int n = 0;
  if (judged)
    out[n++] = success_predicate;
  if (judged && panel_has_hold(reel))
    out[n++] = success_held;
  if (judged)
    out[n++] = success_latch;
  if (!reel->no_rewards || !reel->meta.layout[0])
    out[n++] = success_reward;
  if (!reel->no_flags || !reel->meta.layout[0])
    out[n++] = success_flags;
  return n;
}

int panel_success_facts(const struct reel *reel) {
  fact_fn facts[5];
  return choose_facts(reel, true, facts);
}

static void success_facts(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  bool task = reel->predicate || reel->nconditions + reel->nstages > 0;
  if (task && app_mode(app) != MODE_KINEMATIC) {
    outcome_draw(s, r, app);
    return;
  }
  fact_fn facts[5];
  int n = choose_facts(reel, task, facts);
  for (int i = 0; i < n && i < r.h; i++)
    facts[i](s, r, i, app);
  if (!task && r.h > n)
    surface_printf(s, r, n, 1, STYLE_DIM, "%s",
                   reel->task_note[0] ? reel->task_note : "no task: nothing was judged");
  if (!task && r.h > n + 1 && reel->meta.success >= 0)
    surface_printf(s, r, n + 1, 1, STYLE_DIM, "the file says success=%d", reel->meta.success);
}

/* Facts beside conditions where it is wide, else over them. */
static void success_both(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  bool task = reel->predicate || reel->nconditions + reel->nstages > 0;
  if (!task) {
    success_facts(s, r, app);
  } else if (r.w >= 72) {
    int left = r.w / 2;
    struct rect right = {r.y, r.x + left + 1, r.h, r.w - left - 1};
    success_facts(s, (struct rect){r.y, r.x, r.h, left}, app);
    for (int y = 0; y < r.h; y++)
      surface_put(s, r, y, left, STYLE_BORDER, "│");
    success_conditions(s, right, app);
  } else {
    bool both = app_mode(app) != MODE_KINEMATIC;
    int most = both ? OUTCOME_FACTS : panel_success_facts(reel);
    int lines = (int)(reel->nconditions + reel->nstages);
    int conditions = lines > 0 ? lines : reel->meta.layout[0] ? 0 : 1;
    int facts = r.h - conditions;
    facts = facts > most ? most : facts < 2 ? (r.h < 2 ? r.h : 2) : facts;
    success_facts(s, (struct rect){r.y, r.x, facts, r.w}, app);
    success_conditions(s, (struct rect){r.y + facts, r.x, r.h - facts, r.w}, app);
  }
}

void panel_success_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  char title[80] = "success";
  if (app->cut_shown) {
    panel_cut_draw(s, r, app);
    return;
  }
  const struct dynamic_answer *d = app_dyn_frame(app);
  char place[48];
  dyn_place(place, sizeof place, app, app->snap ? app->snap->step : 0, d ? d->substep : 0);
  if (reel && app->snap->has_frame)
    snprintf(title, sizeof title, "success at %s", place);
  r = panel_frame(s, r, app, PANEL_SUCCESS, title, NULL);
  if (r.h < 1)
    return;
  if (reel && app->snap->has_frame)
    success_both(s, r, app);
  else
    surface_put(s, r, 0, 1, STYLE_DIM, "nothing to judge: no state is shown");
}
