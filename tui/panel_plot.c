/* Numbers of the episode along its time, one curve under the other, column for column with the
 * timeline. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "panel.h"
#include "panel_timeline.h"
#include "plot.h"
#include "text.h"

enum {
  WIDTH_MAX = 1024, /* columns */
  CURVE_ROWS = 3,   /* of one curve at least, with its title */
};

int panel_plot_lines(const struct app *app) {
  return app->snap ? (int)app->snap->plot.n : 0;
}

static const struct curve *curve_at(const struct app *app, int i) {
  return &app->snap->plot.curve[i];
}

/* "arm_elbow rad: -1.90212 at 213" */
static void curve_title(char *buf, size_t size, const struct app *app, const struct curve *curve) {
  char number[32];
  const char *p = number;
  text_number(number, sizeof number, curve->value, 12);
  while (*p == ' ')
    p++;
  snprintf(buf, size, "%s%s%s: %s at %lld", curve->name, curve->unit[0] ? " " : "", curve->unit, p,
           (long long)app_shown_step(app));
}

/* What is not right, or not yet, with a curve. */
static void curve_state(char *buf, size_t size, const struct curve *curve) {
  size_t n = curve->series->n;
  buf[0] = 0;
  if (curve->note[0])
    snprintf(buf, size, "! %.100s", curve->note);
  else if (curve->ready < n)
    snprintf(buf, size, "reading ... %d %%", (int)(100 * curve->ready / (n ? n : 1)));
}

static bool same_text(const struct timeline *t, double a, double b) {
  char one[32], other[32];
  text_number(one, sizeof one, a, t->gutter - 1);
  text_number(other, sizeof other, b, t->gutter - 1);
  return strcmp(one, other) == 0;
}

/* With `more`, "+3.3e-07": how much it is above the least, where the numbers would look alike. */
static void axis_label(struct surface *s, struct rect r, int y, const struct timeline *t,
                       double value, bool more) {
  char number[96], plain[32];
  const char *p = plain;
  text_number(plain, sizeof plain, value, t->gutter - (more ? 2 : 1));
  while (*p == ' ')
    p++;
  snprintf(number, sizeof number, "%*s%s%s", t->gutter - 1 - (int)strlen(p) - more, "",
           more ? "+" : "", p);
  surface_put(s, r, y, 0, STYLE_AXIS, number);
  surface_put(s, r, y, t->gutter - 1, STYLE_AXIS, "┤");
}

static void axis_draw(struct surface *s, struct rect r, const struct timeline *t, bool any,
                      double low, double high) {
  for (int y = 0; y < r.h; y++)
    surface_put(s, r, y, t->gutter - 1, STYLE_AXIS, "│");
  if (any && low < high && r.h > 1) {
    axis_label(s, r, r.h - 1, t, low, false);
    axis_label(s, r, 0, t, same_text(t, low, high) ? high - low : high, same_text(t, low, high));
  } else if (any) {
    axis_label(s, r, r.h / 2, t, high, false);
  }
}

static void cell_draw(struct surface *s, struct rect r, int y, int x, unsigned bits, bool now) {
  char glyph[4] = {(char)0xE2, (char)(0xA0 | bits >> 6), (char)(0x80 | (bits & 0x3F)), 0};
  if (bits || now)
    surface_put(s, r, y, x, bits ? STYLE_HOLD : STYLE_AXIS, bits ? glyph : "│");
  if (now)
    surface_style(s, (struct rect){r.y + y, r.x + x, 1, 1}, STYLE_PLAYHEAD);
}

static void curve_draw(struct surface *s, struct rect r, const struct app *app,
                       const struct curve *curve, const struct timeline *t) {
  struct plot_dot dots[2 * WIDTH_MAX];
  double low, high;
  int w = t->w < WIDTH_MAX ? t->w : WIDTH_MAX;
  int64_t step = app_shown_step(app);
  int now = step >= t->first && step <= t->last ? (int)timeline_column(t, step) : -1;
  plot_fold(curve->series, curve->ready, t->first, t->last, dots, 2 * w);
  plot_join(dots, 2 * w);
  bool any = plot_range(dots, 2 * w, &low, &high);
  if (any)
    plot_place(dots, 2 * w, 4 * r.h, low, high);
  axis_draw(s, r, t, any, low, high);
  for (int x = 0; x < w; x++)
    for (int y = 0; y < r.h && (any || x == now); y++)
      cell_draw(s, r, y, t->gutter + x, any ? plot_cell(dots, x, y) : 0, x == now);
  if (!any)
    surface_put(s, r, r.h / 2, t->gutter + 2, STYLE_DIM,
                curve->ready < curve->series->n ? "reading ..." : "no number in these steps");
}

/* Title and curve; the first title is the panel's. */
static void plot_strip(struct surface *s, struct rect r, const struct app *app, int i, bool first,
                       int hidden) {
  const struct curve *curve = curve_at(app, i);
  struct timeline t = {0};
  char name[300], title[320], state[160], right[200];
  bool here =
      app_active(app) == PANEL_PLOT && i == panel_cursor(app, PANEL_PLOT, panel_plot_lines(app));
  timeline_prepare(app, app_reel(app), r.w, &t);
  curve_title(name, sizeof name, app, curve);
  curve_state(state, sizeof state, curve);
  snprintf(title, sizeof title, "%s%s%s", here && panel_plot_lines(app) > 1 ? "> " : "",
           first ? "plot " : "", name);
  snprintf(right, sizeof right, "%s", state);
  if (first && hidden > 0)
    snprintf(right, sizeof right, "%s%s%d more", state, state[0] ? "  " : "", hidden);
  struct rect body;
  if (first) {
    body = panel_frame(s, r, app, PANEL_PLOT, title, right[0] ? right : NULL);
  } else {
    surface_rule(s, r, 0, title, right[0] ? right : NULL);
    body = (struct rect){r.y + 1, r.x, r.h - 1, r.w};
  }
  if (body.h > 0)
    curve_draw(s, body, app, curve, &t);
}

void panel_plot_draw(struct surface *s, struct rect r, const struct app *app) {
  int n = panel_plot_lines(app), shown = r.h / CURVE_ROWS;
  if (n == 0 || !app_reel(app)) {
    panel_frame(s, r, app, PANEL_PLOT, "plot", NULL);
    return;
  }
  shown = shown < 1 ? 1 : shown > n ? n : shown;
  int top = panel_top(app, PANEL_PLOT, n, shown), y = 0;
  for (int i = 0; i < shown; i++) {
    int h = (r.h - y) / (shown - i);
    plot_strip(s, (struct rect){r.y + y, r.x, h, r.w}, app, top + i, i == 0, n - shown);
    y += h;
  }
}
