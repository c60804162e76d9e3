/* What the task says of both runs: predicate, hold, latch, reward, end, recorded and dynamic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "panel.h"
#include "text.h"

enum { FACT_X = 9 };

/* Two words side by side; apart: they say something else. Without a second, the reason. */
struct pair {
  char rec[60], dyn[120];
  bool apart, unknown;
};

static const char *truth(bool value) {
  return value ? "TRUE" : "FALSE";
}

/* Why nothing is said of the dynamic state here. */
static void unjudged(struct pair *p, const struct app *app) {
  const struct dynamic_answer *d = app_dyn_frame(app);
  p->unknown = true;
  if (!d)
    dyn_missing(p->dyn, sizeof p->dyn, app);
  else
    snprintf(p->dyn, sizeof p->dyn, d->substep > 0 ? "within a step" : "not judged");
}

static void pair_predicate(struct pair *p, const struct app *app) {
  const struct reel *reel = app_reel(app);
  const struct dynamic_answer *d = app_dyn_frame(app);
  const struct snapshot *snap = app->snap;
  bool stored = !reel->judged && panel_has_outcome(reel, snap->step);
  bool known = stored || snap->has_conditions;
  bool rec = stored ? reel->predicate[snap->step] != 0 : snap->predicate_now;
  snprintf(p->rec, sizeof p->rec, "%s", known ? truth(rec) : "-");
  if (!d || !d->judged) {
    unjudged(p, app);
    return;
  }
  snprintf(p->dyn, sizeof p->dyn, "%s", truth(d->predicate));
  p->apart = known && rec != d->predicate;
}

static void pair_held(struct pair *p, const struct app *app) {
  const struct reel *reel = app_reel(app);
  const struct dynamic_answer *d = app_dyn_frame(app);
  int64_t step = app->snap->step, rec = -1;
  if (reel->hold && step >= 0 && step < reel->states)
    rec = reel->hold[step];
  if (rec >= 0)
    snprintf(p->rec, sizeof p->rec, "%lld/%lld", (long long)rec, (long long)reel->hold_steps);
  else
    snprintf(p->rec, sizeof p->rec, "-");
  if (!d || !d->judged) {
    unjudged(p, app);
    return;
  }
  snprintf(p->dyn, sizeof p->dyn, "%lld/%lld", (long long)d->held, (long long)reel->hold_steps);
  p->apart = rec >= 0 && rec != d->held;
}

static void pair_latch(struct pair *p, const struct app *app) {
  const struct reel *reel = app_reel(app);
  const struct dynamic_answer *d = app_dyn(app);
  bool known = reel->predicate != NULL;
  if (reel->latch >= 0)
    snprintf(p->rec, sizeof p->rec, "%lld", (long long)reel->latch);
  else
    snprintf(p->rec, sizeof p->rec, known ? "never" : "-");
  p->unknown = !d || !app_dyn_known(d) || !lane_judged(app);
  if (p->unknown) {
    snprintf(p->dyn, sizeof p->dyn, "-");
    return;
  }
  bool whole = app_dyn_whole(d);
  if (d->sum.latch >= 0)
    snprintf(p->dyn, sizeof p->dyn, "%lld", (long long)d->sum.latch);
  else if (whole)
    snprintf(p->dyn, sizeof p->dyn, "never");
  else
    snprintf(p->dyn, sizeof p->dyn, "not to %lld", (long long)(d->pass.free_run - 1));
  p->apart = known && (whole || d->sum.latch >= 0) && d->sum.latch != reel->latch;
}

static void number(char *out, size_t size, double value) {
  char text[32];
  text_number(text, sizeof text, value, 9);
  snprintf(out, size, "%s", text + strspn(text, " "));
}

static void pair_reward(struct pair *p, const struct app *app) {
  const struct dynamic_answer *d = app_dyn_frame(app);
  double rec = app->snap->reward;
  number(p->rec, sizeof p->rec, rec);
  if (!d) {
    unjudged(p, app);
    return;
  }
  number(p->dyn, sizeof p->dyn, d->reward);
  p->unknown = isnan(d->reward);
  p->apart = !isnan(rec) && !isnan(d->reward) && memcmp(&rec, &d->reward, sizeof rec) != 0;
}

static void pair_end(struct pair *p, const struct app *app) {
  const ph_episode_meta *meta = &app_reel(app)->meta;
  const struct dynamic_answer *d = app_dyn(app);
  long long last = meta->states - 1;
  snprintf(p->rec, sizeof p->rec, "%s at %lld", ph_end_name(meta->end_reason), last);
  if (!d || !app_dyn_known(d)) {
    p->unknown = true;
    snprintf(p->dyn, sizeof p->dyn, "-");
  } else if (d->sum.end != PH_END_UNKNOWN) {
    snprintf(p->dyn, sizeof p->dyn, "%s at %lld", ph_end_name(d->sum.end),
             (long long)d->sum.end_step);
    p->apart = meta->end_reason != d->sum.end || d->sum.end_step != last;
  } else {
    bool whole = app_dyn_whole(d);
    snprintf(p->dyn, sizeof p->dyn, whole ? "goes on" : "none to %lld",
             (long long)(d->pass.free_run - 1));
    bool ended = meta->end_reason == PH_END_SUCCESS || meta->end_reason == PH_END_TERMINATED ||
                 meta->end_reason == PH_END_TRUNCATED;
    p->unknown = !whole;
    p->apart = whole && ended && lane_judged(app);
  }
}

static void pair_draw(struct surface *s, struct rect r, int y, const char *name,
                      const struct pair *p) {
  struct strip strip = {0};
  enum style style = p->apart ? STYLE_BAD : p->unknown ? STYLE_DIM : STYLE_NORMAL;
  surface_put(s, r, y, 1, STYLE_DIM, name);
  strip_add(&strip, 1, p->apart ? STYLE_BAD : STYLE_NORMAL, STRIP_TIGHT, "rec %s", p->rec);
  strip_add(&strip, 0, style, STRIP_BLANK, "dyn %s", p->dyn);
  if (p->apart)
    strip_add(&strip, 0, STYLE_BAD, STRIP_TIGHT, "!");
  strip_draw(s, r, y, FACT_X, &strip);
}

void outcome_draw(struct surface *s, struct rect r, const struct app *app) {
  static const struct {
    const char *name;
    void (*make)(struct pair *p, const struct app *app);
  } facts[OUTCOME_FACTS] = {{"pred", pair_predicate},
                            {"held", pair_held},
                            {"latch", pair_latch},
                            {"reward", pair_reward},
                            {"end", pair_end}};
  for (int i = 0; i < OUTCOME_FACTS && i < r.h; i++) {
    struct pair p = {0};
    facts[i].make(&p, app);
    pair_draw(s, r, i, facts[i].name, &p);
  }
}
