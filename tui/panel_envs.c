/* Many envs, a line each: how long it is, which step it shows, what physics run again came to, its
 * latches, and its divergence on an axis that all of them share with the playhead. */
#include "envs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "held_view.h"
#include "panel.h"
#include "text.h"

enum { LANE_LEAST = 16 };

int panel_envs_lines(const struct app *app) {
  const struct envs_answer *e = app_envs(app);
  return e && e->ready ? (int)e->n : 0;
}

/* --- the cells of a line --- */

static void number_text(char *out, size_t size, int64_t n) {
  snprintf(out, size, "%lld", (long long)n);
}

static enum style step_text(char *out, size_t size, const struct envs_line *l) {
  if (l->at.step < 0)
    snprintf(out, size, "-");
  else if (l->beyond > 0)
    snprintf(out, size, "%lld held +%lld", (long long)l->at.step, (long long)l->beyond);
  else if (l->at.waits)
    snprintf(out, size, "not begun");
  else
    snprintf(out, size, "%lld%s", (long long)l->at.step, l->at.held ? " held" : "");
  return l->at.held || l->at.waits ? STYLE_DIM : STYLE_NORMAL;
}

static enum style physics_text(char *out, size_t size, const struct envs_line *l) {
  static const char *const words[PH_CLASS_COUNT] = {"bitwise", "rounding", "close", "DIVERGED"};
  if (!l->runs) {
    snprintf(out, size, l->states > 0 ? "not run" : "unreadable");
    return l->states > 0 ? STYLE_WARN : STYLE_BAD;
  }
  if (l->known <= 0) {
    snprintf(out, size, l->ended ? "not known" : "to be run");
    return STYLE_DIM;
  }
  if (l->first >= 0) {
    snprintf(out, size, "%s %lld", words[l->cls], (long long)l->first);
    return l->cls == PH_DIVERGED ? STYLE_BAD : STYLE_WARN;
  }
  if (l->stopped >= 0) {
    snprintf(out, size, "stopped %lld", (long long)l->stopped);
    return STYLE_BAD;
  }
  if (l->ended && l->known >= l->states) {
    snprintf(out, size, "bitwise");
    return STYLE_GOOD;
  }
  snprintf(out, size, "bitwise to %lld", (long long)(l->known - 1));
  return STYLE_NORMAL;
}

static enum style now_text(char *out, size_t size, const struct envs_line *l) {
  double now = l->now == PH_LANE_NONE ? NAN : l->now;
  if (l->equal == 1)
    now = 0;
  if (now == PH_LANE_BITS)
    snprintf(out, size, "bits");
  else
    dyn_error(out, size, now);
  return now > 1 ? STYLE_BAD : now > 0 ? STYLE_WARN : STYLE_DIM;
}

static enum style latch_text(char *out, size_t size, const struct envs_line *l,
                             ph_latch_source source) {
  int64_t at = l->latch[source];
  bool pending = !l->ended && l->states > 0 && (source != PH_LATCH_DYNAMIC || l->runs);
  if (at >= 0)
    number_text(out, size, at);
  else
    snprintf(out, size, at == PH_LATCH_NEVER ? "no" : pending ? "…" : "-");
  return at >= 0 ? STYLE_GOOD : at == PH_LATCH_NEVER ? STYLE_BAD : STYLE_DIM;
}

/* --- columns --- */

enum column { ENV, ID, ENDS, STEP, PHYSICS, NOW, RECORDED, KINEMATIC, DYNAMIC, COLUMNS };

static const struct {
  const char *head;
  bool right;
  int gap; /* behind it */
} columns[COLUMNS] = {
    {"env", true, 2},       {"episode", false, 2}, {"ends", true, 2},
    {"step", false, 2},     {"physics", false, 2}, {"now x tol", true, 2},
    {"latch rec", true, 1}, {"kin", true, 1},      {"dyn", true, 2},
};

static enum style cell_text(char *out, size_t size, const struct envs_line *l, enum column c) {
  switch (c) {
  case ENV:
    snprintf(out, size, "%d", l->env_id);
    return STYLE_NORMAL;
  case ID:
    snprintf(out, size, "%s", l->id);
    return STYLE_NORMAL;
  case ENDS:
    if (l->states > 0)
      number_text(out, size, l->states - 1);
    else
      snprintf(out, size, "-");
    return STYLE_NORMAL;
  case STEP:
    return step_text(out, size, l);
  case PHYSICS:
    return physics_text(out, size, l);
  case NOW:
    return now_text(out, size, l);
  default:
    return latch_text(out, size, l, (ph_latch_source)(c - RECORDED));
  }
}

static bool any_judged(const struct envs_answer *e) {
  for (size_t i = 0; i < e->lines; i++)
    for (int s = 0; s < PH_LATCH_SOURCES; s++)
      if (e->line[i].latch[s] != PH_LATCH_UNKNOWN)
        return true;
  return false;
}

struct table {
  int width[COLUMNS]; /* 0: left out */
  int lane_x, lane_w; /* w 0: no room */
};

static int table_width(const struct table *t) {
  int w = 2;
  for (int c = 0; c < COLUMNS; c++)
    w += t->width[c] ? t->width[c] + columns[c].gap : 0;
  return w;
}

/* As wide as what is in them; what matters least goes first, so that the lane has room. */
static void table_fit(struct table *t, const struct envs_answer *e, int width) {
  static const enum column order[] = {ID, NOW, ENDS, KINEMATIC, RECORDED, DYNAMIC, PHYSICS};
  char text[96];
  for (int c = 0; c < COLUMNS; c++) {
    t->width[c] = text_width(columns[c].head, 40, NULL);
    for (size_t i = 0; i < e->lines; i++) {
      cell_text(text, sizeof text, &e->line[i], (enum column)c);
      int w = text_width(text, 24, NULL);
      t->width[c] = w > t->width[c] ? w : t->width[c];
    }
  }
  if (!any_judged(e))
    t->width[RECORDED] = t->width[KINEMATIC] = t->width[DYNAMIC] = 0;
  int least = width * 3 / 10 > LANE_LEAST ? width * 3 / 10 : LANE_LEAST;
  for (size_t i = 0; i < sizeof order / sizeof *order && table_width(t) + least > width; i++)
    t->width[order[i]] = 0;
  t->lane_x = table_width(t);
  t->lane_w = width - t->lane_x >= 4 ? width - t->lane_x - 1 : 0;
}

static void table_put(struct surface *s, struct rect r, int y, int x, int width, bool right,
                      enum style style, const char *text) {
  char buf[128];
  text_fit(buf, sizeof buf, text, width);
  if (right)
    surface_put_right(s, r, y, x + width, style, buf);
  else
    surface_put(s, r, y, x, style, buf);
}

/* --- lanes --- */

/* The worst of the lane's values that column `col` of w stands for. */
static double lane_value(const struct envs_answer *e, const struct envs_line *l, int col, int w) {
  int from = (int)((int64_t)col * e->columns / w);
  int to = (int)((int64_t)(col + 1) * e->columns / w);
  double worst = PH_LANE_NONE;
  for (int i = from; i < to || i == from; i++) {
    double v = l->lane[i];
    if (isnan(v) ? worst < 0 : v > worst || (isnan(worst) && v >= 0))
      worst = v;
  }
  return worst;
}

/* Decades that the lanes share; false: no error was measured. */
static bool lane_range(const struct envs_answer *e, int *low, int *high) {
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < e->lines; i++)
    for (int c = 0; c < e->columns; c++) {
      double v = e->line[i].lane[c];
      if (!(v > PH_LANE_BITS) || isinf(v))
        continue;
      least = fmin(least, v);
      most = fmax(most, v);
    }
  *low = 0;
  *high = 1;
  if (most <= 0)
    return false;
  *low = (int)floor(log10(least));
  *high = (int)ceil(log10(most));
  *high = *high > *low ? *high : *low + 1;
  return true;
}

static int lane_column(const struct envs_answer *e, int64_t playhead, int w) {
  int64_t n = e->lane_last - e->lane_first + 1, at = playhead - e->lane_first;
  return at < 0 || at >= n ? -1 : (int)(at * w / n);
}

static void draw_latch(struct surface *s, struct rect lane, int y, const struct envs_answer *e,
                       const struct envs_line *l) {
  int64_t at = l->latch[PH_LATCH_RECORDED] >= 0    ? l->latch[PH_LATCH_RECORDED]
               : l->latch[PH_LATCH_KINEMATIC] >= 0 ? l->latch[PH_LATCH_KINEMATIC]
                                                   : l->latch[PH_LATCH_DYNAMIC];
  if (at < 0 || !(l->rate > 0))
    return;
  int col = lane_column(e, (int64_t)rint((double)(at - l->shift) / l->rate), lane.w);
  if (col >= 0)
    surface_put(s, lane, y, col, STYLE_LATCH, "◆");
}

static void draw_lane(struct surface *s, struct rect lane, int y, const struct envs_answer *e,
                      const struct envs_line *l) {
  int low, high;
  if (!l->runs) {
    char text[420];
    text_fit(text, sizeof text, l->trouble, lane.w);
    surface_put(s, lane, y, 0, STYLE_WARN, text);
    return;
  }
  lane_range(e, &low, &high);
  for (int col = 0; col < lane.w && e->columns > 0; col++) {
    double v = lane_value(e, l, col, lane.w);
    if (v > 0)
      surface_put(s, lane, y, col, v > 1 ? STYLE_BAD : STYLE_WARN,
                  lane_level(v, low, high, s->ascii));
    else if (v == 0)
      surface_put(s, lane, y, col, STYLE_DIM, "·");
  }
  draw_latch(s, lane, y, e, l);
}

/* The column of the playhead down all lanes, from row y on. */
static void draw_playhead(struct surface *s, struct rect lane, int y, int rows,
                          const struct envs_answer *e) {
  int col = lane_column(e, e->playhead, lane.w);
  if (col >= 0)
    surface_style(s, (struct rect){lane.y + y, lane.x + col, rows, 1}, STYLE_PLAYHEAD);
}

static void draw_axis(struct surface *s, struct rect lane, const struct envs_answer *e) {
  char first[32], last[32];
  int col = lane_column(e, e->playhead, lane.w);
  number_text(first, sizeof first, e->lane_first);
  number_text(last, sizeof last, e->lane_last);
  surface_fill(s, (struct rect){lane.y, lane.x, 1, lane.w}, STYLE_AXIS, "─");
  surface_put(s, lane, 0, 0, STYLE_AXIS, first);
  if ((int)(strlen(first) + strlen(last)) < lane.w)
    surface_put_right(s, lane, 0, lane.w, STYLE_AXIS, last);
  if (col >= 0)
    surface_put(s, lane, 0, col, STYLE_PLAYHEAD, "▼");
}

/* --- the panel --- */

static void title_text(char *out, size_t size, const struct app *app, const struct envs_answer *e) {
  static const char *const how[PH_ALIGN_COUNT] = {"", ", by time", ", latches meet",
                                                  ", dynamic latches meet"};
  int n;
  if (!e || !e->ready) {
    snprintf(out, size, "envs");
    return;
  }
  n = e->broadcast ? snprintf(out, size, "envs: %zu times %s", e->n, e->lines ? e->line->id : "it")
                   : snprintf(out, size, "envs: %zu", e->n);
  if (e->hold)
    n += snprintf(out + n, size - (size_t)n, ", held to %lld", (long long)e->most);
  else if (e->least < e->most)
    n += snprintf(out + n, size - (size_t)n, " in lockstep to %lld, where %s ends",
                  (long long)e->least, e->shortest);
  else
    n += snprintf(out + n, size - (size_t)n, " in lockstep to %lld", (long long)e->least);
  n += snprintf(out + n, size - (size_t)n, "%s", how[e->align]);
  if (held_unsaved(app)) /* which is moved for the episode on show and the list's counts */
    n += snprintf(out + n, size - (size_t)n, ", latch at the file's hold");
  if (app->want.dyn.anchor > 0) /* which is of the episode on show alone */
    n += snprintf(out + n, size - (size_t)n, "; physics of each from its step 0");
  if (e->by_step > 0)
    snprintf(out + n, size - (size_t)n, " (%zu: %s)", e->by_step, e->note);
}

/* What the pass came to, and the scale of the lanes. */
static void right_text(char *out, size_t size, const struct envs_answer *e) {
  static const char *const words[PH_CLASS_COUNT] = {"bitwise", "rounding", "close", "DIVERGED"};
  const ph_ensemble_progress *p = &e->pass;
  int low, high, n = 0;
  out[0] = 0;
  if (!e->ready)
    return;
  if (p->begun && !p->over)
    n += snprintf(out, size, "pass %zu/%zu", p->ended, p->envs);
  for (int c = PH_CLASS_COUNT - 1; c >= 0; c--)
    if (p->class_of[c] > 0)
      n += snprintf(out + n, size - (size_t)n, "%s%zu %s", n ? ", " : "", p->class_of[c], words[c]);
  if (p->refused > 0)
    n += snprintf(out + n, size - (size_t)n, "%s%zu not run", n ? ", " : "", p->refused);
  if (lane_range(e, &low, &high))
    snprintf(out + n, size - (size_t)n, "%sdrift 1e%d..1e%d x tol", n ? "  " : "", low, high);
}

static void draw_head(struct surface *s, struct rect r, const struct table *t) {
  int x = 2;
  for (int c = 0; c < COLUMNS; c++) {
    if (t->width[c] == 0)
      continue;
    table_put(s, r, 0, x, t->width[c], columns[c].right, STYLE_DIM, columns[c].head);
    x += t->width[c] + columns[c].gap;
  }
}

static void draw_line(struct surface *s, struct rect r, int y, const struct table *t,
                      const struct envs_answer *e, const struct envs_line *l) {
  char text[96];
  int x = 2;
  for (int c = 0; c < COLUMNS; c++) {
    if (t->width[c] == 0)
      continue;
    enum style style = cell_text(text, sizeof text, l, (enum column)c);
    table_put(s, r, y, x, t->width[c], columns[c].right, style, text);
    x += t->width[c] + columns[c].gap;
  }
  if (t->lane_w > 0)
    draw_lane(s, (struct rect){r.y, r.x + t->lane_x, r.h, t->lane_w}, y, e, l);
}

/* Lines from `top` on; those that are not here yet stay dots. */
static void draw_lines(struct surface *s, struct rect r, int rows, const struct table *t,
                       const struct app *app, const struct envs_answer *e) {
  int lines = panel_envs_lines(app), top = panel_top(app, PANEL_ENVS, lines, rows);
  int cursor = panel_cursor(app, PANEL_ENVS, lines);
  for (int y = 0; y < rows && top + y < lines; y++) {
    size_t at = (size_t)(top + y);
    bool here = at >= e->first && at - e->first < e->lines;
    if (here)
      draw_line(s, r, y, t, e, &e->line[at - e->first]);
    else
      surface_put(s, r, y, 2, STYLE_DIM, "…");
    surface_put(s, r, y, 0, STYLE_BOLD, top + y == cursor ? ">" : " ");
    surface_put(s, r, y, 1, STYLE_BOLD, at == e->lead ? "*" : " ");
    if (top + y == cursor && app_active(app) == PANEL_ENVS)
      surface_style(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_SELECTED);
  }
}

static void draw_waiting(struct surface *s, struct rect r, const struct app *app,
                         const struct envs_answer *e) {
  char text[420];
  if (e && e->refused[0])
    panel_wrap(s, r, 0, STYLE_WARN, e->refused);
  else if (e && e->n > 0) {
    snprintf(text, sizeof text, "opening %zu/%zu", e->opened, e->n);
    surface_put(s, r, 0, 1, STYLE_DIM, text);
  } else
    surface_put(s, r, 0, 1, STYLE_DIM, app->want.envs.n > 0 ? "opening" : "none are shown");
}

void panel_envs_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct envs_answer *e = app_envs(app);
  struct table t;
  char title[300], right[200] = "";
  title_text(title, sizeof title, app, e);
  if (e)
    right_text(right, sizeof right, e);
  r = panel_frame(s, r, app, PANEL_ENVS, title, right);
  if (r.h < 1)
    return;
  if (!e || !e->ready) {
    draw_waiting(s, r, app, e);
    return;
  }
  bool head = r.h >= 2;
  int lines = panel_envs_lines(app), rows = r.h - head;
  if (lines > rows && rows >= 3)
    rows--;
  table_fit(&t, e, r.w);
  struct rect list = {r.y + head, r.x, r.h - head, r.w};
  struct rect lane = {r.y, r.x + t.lane_x, r.h, t.lane_w};
  if (head)
    draw_head(s, r, &t);
  draw_lines(s, list, rows, &t, app, e);
  if (t.lane_w > 0 && head)
    draw_axis(s, lane, e);
  if (t.lane_w > 0)
    draw_playhead(s, lane, head, rows < lines ? rows : lines, e);
  if (lines > rows && list.h > rows)
    panel_more(s, list, rows, app, lines - rows);
}

/* --- status --- */

void envs_status(struct strip *strip, const struct app *app) {
  const struct envs_answer *e = app_envs(app);
  if (app->want.envs.n <= 0 || app->want.live.on)
    return;
  if (!e || (!e->ready && !e->refused[0])) {
    strip_add(strip, 5, STYLE_WARN, STRIP_BAR, "opening envs %zu/%zu", e ? e->opened : 0,
              e ? e->n : 0);
    return;
  }
  if (!e->ready) {
    strip_add(strip, 4, STYLE_BAD, STRIP_BAR | STRIP_CUT, "envs: %s", e->refused);
    return;
  }
  int64_t last = app_last_step(app);
  if (e->playhead > last)
    strip_add(strip, 1, STYLE_WARN, STRIP_BAR, "held at %lld of %lld", (long long)e->playhead,
              (long long)e->most);
  strip_add(strip, 8, STYLE_NORMAL, STRIP_BAR,
            e->hold ? "%zu envs to %lld" : "%zu envs, lockstep to %lld", e->n,
            (long long)(e->hold ? e->most : e->least));
  if (e->compared > 0)
    strip_add(strip, 9, e->unequal ? STYLE_BAD : STYLE_GOOD, STRIP_GLUE, ", %zu of %zu equal here",
              e->compared - e->unequal, e->compared);
}
