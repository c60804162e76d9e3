/* The raw action taken at the playhead, element by element, and the ctrl that it led to. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "panel.h"
#include "text.h"

#define NUMBER_WIDTH 9
#define BAR_WIDTH 12
#define CUT_WIDTH 5

/* -1: not known. */
static int element_ctrl(const struct reel *reel, int i) {
  int ctrl = reel->action_ctrl ? reel->action_ctrl[i] : -1;
  return ctrl < reel->nctrl ? ctrl : -1;
}

static bool action_shows(const struct app *app, const struct reel *reel, int i) {
  int ctrl = element_ctrl(reel, i);
  return app_filter_match(app, PANEL_ACTION, reel->action_name[i]) ||
         (ctrl >= 0 && app_filter_match(app, PANEL_ACTION, reel->ctrl_name[ctrl]));
}

int panel_action_lines(const struct app *app) {
  const struct reel *reel = app_reel(app);
  int n = 0;
  for (int i = 0; reel && i < reel->nactions; i++)
    n += action_shows(app, reel, i);
  return n;
}

int panel_action_at(const struct app *app, int line) {
  const struct reel *reel = app_reel(app);
  for (int i = 0; reel && i < reel->nactions; i++)
    if (action_shows(app, reel, i) && line-- == 0)
      return i;
  return -1;
}

static bool has_range(const struct reel *reel, int i) {
  return isfinite(reel->action_min[i]) && isfinite(reel->action_max[i]) &&
         reel->action_min[i] < reel->action_max[i];
}

/* Where a value is in the bar, 0 .. BAR_WIDTH. */
static double bar_at(double value, double low, double high) {
  double at = (value - low) / (high - low) * BAR_WIDTH;
  return at < 0 ? 0 : at > BAR_WIDTH ? BAR_WIDTH : at;
}

/* At which end of its range a value is, or beyond which: -1, 1; 0: between. */
static int end_of(const struct reel *reel, int i, double value) {
  double low = reel->action_min[i], high = reel->action_max[i];
  if (!(low < high))
    return 0;
  return value <= low ? -1 : value >= high ? 1 : 0;
}

/* An arrow at an end of the range, a bright one beyond it; columns taken. */
static int end_arrow(struct surface *s, struct rect r, int y, int x, const struct reel *reel, int i,
                     double value) {
  int end = end_of(reel, i, value);
  bool outside = value < reel->action_min[i] || value > reel->action_max[i];
  if (end == 0)
    return 0;
  return surface_put(s, r, y, x, outside ? STYLE_BAD : STYLE_DIM, end < 0 ? "◀" : "▶");
}

/* "▕     █▌    ▏": from zero (or the end of the range next to it) to the value; an arrow where it
 * is at an end, and a word where it is outside. */
static void action_bar(struct surface *s, struct rect r, int y, int x, const struct reel *reel,
                       int i, double value) {
  double low = reel->action_min[i], high = reel->action_max[i];
  double at = bar_at(value, low, high), zero = bar_at(0, low, high);
  bool outside = value < low || value > high;
  double from = at < zero ? at : zero, to = at < zero ? zero : at;
  int origin = zero < BAR_WIDTH ? (int)zero : BAR_WIDTH - 1;
  surface_put(s, r, y, x, STYLE_BORDER, "▕");
  surface_put(s, r, y, x + 1 + origin, STYLE_DIM, "·");
  for (int c = 0; c < BAR_WIDTH; c++) {
    double a = from > c ? from : c, b = to < c + 1 ? to : c + 1;
    if (b - a >= 0.75)
      surface_put(s, r, y, x + 1 + c, STYLE_HOLD, "█");
    else if (b - a >= 0.2)
      surface_put(s, r, y, x + 1 + c, STYLE_HOLD, a > c ? "▐" : "▌");
  }
  surface_put(s, r, y, x + 1 + BAR_WIDTH, STYLE_BORDER, "▏");
  x += 2 + BAR_WIDTH;
  x += end_arrow(s, r, y, x, reel, i, value);
  if (outside && x + 8 <= r.w)
    surface_put(s, r, y, x, STYLE_BAD, " clipped");
}

bool panel_action_by_hand(const struct app *app, int i) {
  const struct live_wish *wish = &app->want.live;
  return wish->on && i < LIVE_ELEMENTS && wish->set[i] && app->snap->live.running;
}

static bool is_at_head(const struct app *app) {
  return app->snap->step >= app_reel(app)->states - 1;
}

/* At the head of a live env what a person has chosen comes next; what is in force, or was, stays.
 */
double panel_action_value(const struct app *app, int i) {
  if (panel_action_by_hand(app, i) && is_at_head(app) && !app->snap->live.in_force)
    return app->want.live.value[i];
  return app->snap->action ? app->snap->action[i] : NAN;
}

/* The ctrl that an element drives, else its own name. */
static const char *element_name(const struct reel *reel, int i) {
  int ctrl = element_ctrl(reel, i);
  return ctrl >= 0 ? reel->ctrl_name[ctrl] : reel->action_name[i];
}

/* Whether it is known of any element what it drives: controllers of other recorders' files are not
 * theirs to hold. */
static bool any_ctrl(const struct reel *reel) {
  for (int i = 0; i < reel->nactions; i++)
    if (element_ctrl(reel, i) >= 0)
      return true;
  return false;
}

static bool any_range(const struct reel *reel) {
  for (int i = 0; i < reel->nactions; i++)
    if (has_range(reel, i))
      return true;
  return false;
}

/* How often an element was cut since a live env's reset; 0: of a file's flags nobody counts it. */
static int64_t times_cut(const struct snapshot *snap, int i) {
  return snap->live.on && i < LIVE_ELEMENTS ? snap->live.cut[i] : 0;
}

static bool any_cut(const struct app *app) {
  for (int i = 0; i < app_reel(app)->nactions; i++)
    if (times_cut(app->snap, i) > 0)
      return true;
  return false;
}

/* --- recorded against dynamic --- */

/* ctrl that the rerun's own terms made of the action, where there is a recorded one to hold it
 * against; NULL. */
static const double *dynamic_ctrl(const struct app *app) {
  const struct dynamic_answer *d = app_dyn_frame(app);
  return d && app->snap->next_ctrl ? d->next_ctrl : NULL;
}

static bool ctrl_equal(const struct app *app, int ctrl) {
  const double *dynamic = dynamic_ctrl(app);
  return !dynamic || memcmp(&dynamic[ctrl], &app->snap->next_ctrl[ctrl], sizeof *dynamic) == 0;
}

/* Of all that the model has: what no element drives is the terms' business too. */
static int ctrl_unequal(const struct app *app) {
  int n = 0;
  for (int i = 0; i < app_reel(app)->nctrl; i++)
    n += !ctrl_equal(app, i);
  return n;
}

/* " -> ctrl: dyn equal", " -> ctrl: 2 of 5 differ" */
static void title_ctrl(char *title, size_t size, const struct app *app) {
  size_t n = strlen(title);
  int unequal = ctrl_unequal(app);
  if (!dynamic_ctrl(app) || n >= size)
    return;
  if (unequal == 0)
    snprintf(title + n, size - n, ": dyn equal");
  else
    snprintf(title + n, size - n, ": %d of %d differ", unequal, app_reel(app)->nctrl);
}

/* --- columns --- */

/* Where the columns are; -1: no room for one, or nothing to stand in it. */
struct columns {
  int raw, name, name_width, now, next, dyn, cut, bar;
};

static void columns_fit(struct columns *c, const struct app *app, int width) {
  const struct reel *reel = app_reel(app);
  int longest = 6;
  for (int i = 0; i < reel->nactions; i++) {
    int w = text_width(element_name(reel, i), 24, NULL);
    longest = w > longest ? w : longest;
  }
  *c = (struct columns){.raw = 4, .now = -1, .next = -1, .dyn = -1, .cut = -1, .bar = -1};
  c->name = c->raw + NUMBER_WIDTH + 2;
  int left = width - c->name - 1, number = NUMBER_WIDTH + 2;
  int bar_width = BAR_WIDTH + 4;
  bool ctrl = any_ctrl(reel), next = ctrl && left >= 8 + number;
  bool cut = any_cut(app) && left >= 8 + (next ? number : 0) + CUT_WIDTH + 2;
  left -= cut ? CUT_WIDTH + 2 : 0;
  bool dyn = next && ctrl_unequal(app) > 0 && left >= 8 + 2 * number;
  left -= dyn ? number : 0;
  bool bar = any_range(reel) && left >= longest + number + bar_width;
  bool now = ctrl && left >= longest + 2 * number + bar_width + 8;
  left -= (bar ? bar_width : 0) + (next ? number : 0) + (now ? number : 0);
  c->name_width = left < longest ? (left < 1 ? 1 : left) : longest;
  int x = c->name + c->name_width + 2;
  if (now)
    c->now = x, x += number;
  if (next)
    c->next = x, x += number;
  if (dyn)
    c->dyn = x, x += number;
  if (cut)
    c->cut = x, x += CUT_WIDTH + 2;
  if (bar)
    c->bar = x;
}

static void columns_head(struct surface *s, struct rect r, const struct columns *c, bool ctrl) {
  surface_put(s, r, 0, 1, STYLE_DIM, "#");
  surface_put_right(s, r, 0, c->raw + NUMBER_WIDTH, STYLE_DIM, "action");
  surface_put(s, r, 0, c->name, STYLE_DIM, ctrl ? "ctrl" : "name");
  if (c->now >= 0)
    surface_put_right(s, r, 0, c->now + NUMBER_WIDTH, STYLE_DIM, "in force");
  if (c->next >= 0)
    surface_put_right(s, r, 0, c->next + NUMBER_WIDTH, STYLE_DIM,
                      c->dyn >= 0 ? "recorded" : "value");
  if (c->dyn >= 0)
    surface_put_right(s, r, 0, c->dyn + NUMBER_WIDTH, STYLE_DIM, "dynamic");
  if (c->cut >= 0)
    surface_put_right(s, r, 0, c->cut + CUT_WIDTH, STYLE_DIM, "cut");
  if (c->bar >= 0)
    surface_put(s, r, 0, c->bar, STYLE_DIM, "min action max"); /* over both ends of the bar */
}

static void put_number(struct surface *s, struct rect r, int y, int x, double value) {
  char buf[32];
  text_number(buf, sizeof buf, value, NUMBER_WIDTH);
  surface_put(s, r, y, x, STYLE_NORMAL, buf);
}

/* "=" where it is the recorded one bit for bit. */
static void put_dynamic(struct surface *s, struct rect r, int y, int x, const struct app *app,
                        int ctrl) {
  char buf[32];
  const double *dynamic = dynamic_ctrl(app);
  if (!dynamic)
    return;
  text_number(buf, sizeof buf, dynamic[ctrl], NUMBER_WIDTH);
  if (ctrl_equal(app, ctrl))
    surface_put_right(s, r, y, x + NUMBER_WIDTH, STYLE_DIM, "=");
  else
    surface_put(s, r, y, x, STYLE_BAD, buf);
}

/* "12x"; there is room for four digits. */
static void put_cut(struct surface *s, struct rect r, int y, int x, int64_t times) {
  char text[24];
  snprintf(text, sizeof text, "%lldx", (long long)(times > 9999 ? 9999 : times));
  if (times > 0)
    surface_put_right(s, r, y, x + CUT_WIDTH, STYLE_WARN, text);
}

static void action_row(struct surface *s, struct rect r, int y, const struct columns *c,
                       const struct app *app, int i) {
  const struct reel *reel = app_reel(app);
  const struct snapshot *snap = app->snap;
  int ctrl = element_ctrl(reel, i);
  bool known = ctrl >= 0;
  char name[200];
  text_fit(name, sizeof name, element_name(reel, i), c->name_width);
  surface_printf(s, r, y, 1, STYLE_DIM, "%d", i);
  double action = panel_action_value(app, i);
  if (panel_action_by_hand(app, i))
    surface_put(s, r, y, c->raw - 1, STYLE_WARN, "=");
  put_number(s, r, y, c->raw, action);
  surface_put(s, r, y, c->name, STYLE_NORMAL, name);
  if (known && c->now >= 0 && snap->ctrl)
    put_number(s, r, y, c->now, snap->ctrl[ctrl]);
  if (known && c->next >= 0)
    put_number(s, r, y, c->next, snap->next_ctrl ? snap->next_ctrl[ctrl] : NAN);
  if (known && c->dyn >= 0)
    put_dynamic(s, r, y, c->dyn, app, ctrl);
  else if (known && c->next >= 0 && !ctrl_equal(app, ctrl))
    surface_put(s, r, y, c->next + NUMBER_WIDTH, STYLE_BAD, "!");
  if (c->cut >= 0)
    put_cut(s, r, y, c->cut, times_cut(snap, i));
  if (!isfinite(action))
    return;
  if (c->bar >= 0 && has_range(reel, i))
    action_bar(s, r, y, c->bar, reel, i, action);
  else
    end_arrow(s, r, y, c->raw + NUMBER_WIDTH, reel, i, action);
}

static void action_rows(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  struct columns c;
  columns_fit(&c, app, r.w);
  if (r.h >= 2) {
    columns_head(s, r, &c, any_ctrl(reel));
    r.y++;
    r.h--;
  }
  int lines = panel_action_lines(app), rows = r.h, seen = 0;
  if (lines > rows && rows >= 3) {
    rows--;
    panel_more(s, r, rows, app, lines - rows);
  }
  int top = panel_top(app, PANEL_ACTION, lines, rows);
  int cursor = panel_cursor(app, PANEL_ACTION, lines);
  for (int i = 0; i < reel->nactions; i++) {
    if (!action_shows(app, reel, i))
      continue;
    int y = seen++ - top;
    if (y < 0 || y >= rows)
      continue;
    action_row(s, r, y, &c, app, i);
    if (y + top != cursor || app_active(app) != PANEL_ACTION)
      continue;
    surface_put(s, r, y, 0, STYLE_BOLD, ">");
    surface_style(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_SELECTED);
  }
}

/* Arrays of an unknown layout may well be actions: nobody says which. */
static const char *none_of(const struct reel *reel) {
  return strcmp(reel->meta.layout, "arrays") == 0 ? "not interpreted: arrays of an unknown layout"
                                                  : "the file holds no actions";
}

static bool any_by_hand(const struct app *app, const struct reel *reel) {
  for (int i = 0; i < reel->nactions; i++)
    if (panel_action_by_hand(app, i))
      return true;
  return false;
}

void panel_action_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  const struct snapshot *snap = app->snap;
  char title[120] = "action -> ctrl";
  bool frame = reel && snap->has_frame;
  bool none = frame && !snap->action && reel->nactions > 0;
  if (frame)
    snprintf(title, sizeof title, "action %lld%s", (long long)snap->step,
             reel->nactions == 0 || any_ctrl(reel) ? " -> ctrl" : "");
  if (frame && reel->nactions > 0 && any_ctrl(reel))
    title_ctrl(title, sizeof title, app);
  int64_t next = frame ? reel->states - 1 + (snap->live.substep > 0) : 0;
  if (frame && !is_at_head(app) && any_by_hand(app, reel))
    snprintf(title, sizeof title, "action %lld; by hand from %lld on: =", (long long)snap->step,
             (long long)next);
  else if (frame && snap->live.last_action)
    snprintf(title, sizeof title, "action %lld, the last so far%s", (long long)snap->step - 1,
             any_by_hand(app, reel) ? "; next: =" : " -> ctrl");
  else if (frame && snap->live.in_force)
    snprintf(title, sizeof title, "action %lld, in force -> ctrl", (long long)snap->step);
  else if (none && snap->step == reel->states - 1 && reel->running)
    snprintf(title, sizeof title, "action: none yet");
  else if (none && snap->step == reel->states - 1)
    snprintf(title, sizeof title, "no action: this is the last state");
  else if (none)
    snprintf(title, sizeof title, "action %lld: damaged in the file", (long long)snap->step);
  r = panel_frame(s, r, app, PANEL_ACTION, title, NULL);
  if (r.h < 1)
    return;
  if (!reel)
    surface_put(s, r, 0, 1, STYLE_DIM,
                panel_opening(app) ? "opening ..." : "no action: the episode is not open");
  else if (reel->nactions == 0)
    surface_put(s, r, 0, 1, STYLE_DIM, none_of(reel));
  else
    action_rows(s, r, app);
}
