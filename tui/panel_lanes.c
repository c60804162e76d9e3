/* Lanes of physics run again in the timeline: its predicate and hold, and how far it is from the
 * recording, on a log scale that the title names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "ghost_view.h"
#include "panel_timeline.h"
#include "text.h"

static const struct lanes *lanes_of(const struct app *app) {
  const struct dynamic_answer *d = app_dyn(app);
  const struct lanes *l = d ? d->lanes : NULL;
  return l && l->n > 0 && l->last >= l->first ? l : NULL;
}

bool lane_judged(const struct app *app) {
  const struct lanes *l = lanes_of(app);
  return l && l->pred && l->hold;
}

bool lane_ghost(const struct app *app) {
  return app->want.dyn.branch.serial != 0;
}

/* The lanes' column for a column of the timeline: they may be of the view before, or of a screen
 * that was wider. -1: none. */
static int lane_column(const struct lanes *l, const struct timeline *t, int col) {
  int64_t first, last, n = l->last - l->first + 1;
  if (l->first == t->first && l->last == t->last && l->n == t->w)
    return col;
  timeline_steps(t, col, &first, &last);
  return first < l->first || first > l->last ? -1 : (int)((first - l->first) * l->n / n);
}

static struct rect lane_of(const struct timeline *t, struct rect r) {
  return (struct rect){r.y, r.x + t->gutter, r.h, t->w};
}

/* --- how far it is --- */

/* What is still to come stands in words behind what is known. */
static void lane_note(struct surface *s, struct rect r, int y, const struct timeline *t, int known,
                      const struct app *app, const char *text) {
  int playhead = (int)timeline_column(t, app_shown_step(app));
  int x = known + 1;
  if (playhead >= x && playhead <= x + text_width(text, 1 << 20, NULL))
    x = playhead + 1; /* its column is painted over */
  if (x + text_width(text, 1 << 20, NULL) <= t->w)
    surface_put(s, lane_of(t, r), y, x, STYLE_DIM, text);
}

static void free_note(char *out, size_t size, const ph_analysis_progress *p) {
  if (p->ended && p->stopped >= 0)
    snprintf(out, size, "stopped at %lld", (long long)p->stopped);
  else if (p->ended)
    snprintf(out, size, "not known");
  else
    snprintf(out, size, "running %lld/%lld", (long long)(p->free_run > 0 ? p->free_run - 1 : 0),
             (long long)(p->states - 1));
}

static void pass_note(char *out, size_t size, const struct app *app, enum error_lane which) {
  const struct dynamic_answer *d = app_dyn(app);
  if (!d || d->pass.states <= 0)
    snprintf(out, size, "to be run");
  else if (which == ERROR_DRIFT)
    free_note(out, size, &d->pass);
  else if (which == ERROR_ONE)
    snprintf(out, size, d->pass.ended ? "not known" : "running %lld/%lld",
             (long long)d->pass.one_step, (long long)(d->pass.states - 1));
  else if (!d->branch_ended)
    snprintf(out, size, "running");
  else if (d->branch_stopped >= 0)
    snprintf(out, size, "stopped at %lld", (long long)d->branch_stopped);
  else
    snprintf(out, size, d->branch_why[0] ? "not run" : "not known");
}

/* --- predicate and hold --- */

void lane_predicate(struct surface *s, struct rect r, int y, const struct timeline *t,
                    const struct app *app) {
  const struct lanes *l = lanes_of(app);
  int known = -1;
  char note[80];
  for (int col = 0; col < t->w && l && l->pred; col++) {
    int at = lane_column(l, t, col);
    if (at < 0 || l->pred[at] == 255)
      continue;
    known = col;
    if (l->pred[at] > 0)
      surface_put(s, lane_of(t, r), y, col, STYLE_PREDICATE, l->pred[at] == 2 ? "▒" : "░");
  }
  pass_note(note, sizeof note, app, ERROR_DRIFT);
  if (known < t->w - 1)
    lane_note(s, r, y, t, known, app, note);
}

void lane_hold(struct surface *s, struct rect r, int y, const struct timeline *t,
               const struct app *app) {
  const struct lanes *l = lanes_of(app);
  int known = -1;
  char note[80];
  for (int col = 0; col < t->w && l && l->hold; col++) {
    int at = lane_column(l, t, col);
    if (at < 0 || l->hold[at] < 0)
      continue;
    known = col;
    if (l->hold[at] > 0)
      surface_put(s, lane_of(t, r), y, col, STYLE_HOLD,
                  timeline_level(l->hold[at], app_reel(app)->hold_steps));
  }
  pass_note(note, sizeof note, app, ERROR_DRIFT);
  if (known < t->w - 1)
    lane_note(s, r, y, t, known, app, note);
}

/* --- errors on a log scale --- */

static void widen(const double *lane, int n, double *least, double *most) {
  for (int i = 0; i < n && lane; i++) {
    if (!(lane[i] > PH_LANE_BITS) || isinf(lane[i]))
      continue;
    *least = fmin(*least, lane[i]);
    *most = fmax(*most, lane[i]);
  }
}

/* Decades that all lanes of errors share; false: no error was measured. */
static bool error_range(const struct app *app, int *low, int *high) {
  double least = INFINITY, most = 0;
  const struct lanes *l = lanes_of(app), *other = ghost_lanes(app);
  if (l) {
    widen(l->drift, l->n, &least, &most);
    widen(l->one, l->n, &least, &most);
    widen(l->ghost, l->n, &least, &most);
  }
  if (other)
    widen(other->ghost, other->n, &least, &most);
  if (most <= 0)
    return false;
  *low = (int)floor(log10(least));
  *high = (int)ceil(log10(most));
  if (*high <= *low)
    *high = *low + 1;
  return true;
}

/* In ASCII by digits: its dots stand for equal bits. */
const char *lane_level(double v, int low, int high, bool ascii) {
  static const char *const digit[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
  static const char *const block[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double at = (log10(v) - low) / (high - low) * 8;
  int level = isinf(v) ? 7 : (int)at;
  level = level < 0 ? 0 : level > 7 ? 7 : level;
  return ascii ? digit[level] : block[level];
}

/* Of a column all of whose steps are past the end of the other episode, which is held there. */
static bool is_held(const struct app *app, const struct timeline *t, int col) {
  const struct ghost_answer *g = app_ghost(app);
  int64_t first, last;
  timeline_steps(t, col, &first, &last);
  return g && first >= g->both;
}

static const double *error_values(const struct lanes *l, enum error_lane which) {
  return which == ERROR_DRIFT ? l->drift : which == ERROR_ONE ? l->one : l->ghost;
}

void lane_errors(struct surface *s, struct rect r, int y, const struct timeline *t,
                 const struct app *app, enum error_lane which) {
  const struct lanes *l = which == ERROR_OTHER ? ghost_lanes(app) : lanes_of(app);
  const double *value = l ? error_values(l, which) : NULL;
  int low = 0, high = 1, known = -1;
  char note[80];
  error_range(app, &low, &high);
  for (int col = 0; col < t->w && value; col++) {
    int at = lane_column(l, t, col);
    double v = at < 0 ? NAN : value[at];
    if (isnan(v))
      continue;
    known = col;
    enum style style = v > 1 ? STYLE_BAD : STYLE_WARN;
    if (which == ERROR_OTHER && is_held(app, t, col))
      style = STYLE_DIM;
    if (v > 0)
      surface_put(s, lane_of(t, r), y, col, style, lane_level(v, low, high, s->ascii));
    else
      surface_put(s, lane_of(t, r), y, col, STYLE_DIM, "·");
  }
  if (which == ERROR_OTHER)
    ghost_lane_note(note, sizeof note, app);
  else
    pass_note(note, sizeof note, app, which);
  if (known < t->w - 1)
    lane_note(s, r, y, t, known, app, note);
}

void lane_scale(char *out, size_t size, const struct app *app) {
  int low, high;
  out[0] = 0;
  if (error_range(app, &low, &high))
    snprintf(out, size, "drift 1e%d..1e%d x tol", low, high);
}
