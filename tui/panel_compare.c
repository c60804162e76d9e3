/* Recorded against dynamic in the state panel: the table, and below it contacts and ctrl. Equal
 * bits are "=". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare_rows.h"
#include "comparison.h"
#include "dynamic_view.h"
#include "panel.h"
#include "text.h"

int compare_lines(const struct app *app) {
  struct compare_rows rows = compare_rows_make(app);
  int n = rows.n;
  compare_rows_clear(&rows);
  return n;
}

int compare_signal(const struct app *app, int line) {
  struct compare_rows rows = compare_rows_make(app);
  int signal = -1;
  if (rows.row && line >= 0 && line < rows.n)
    signal = rows.row[line].signal + rows.row[line].differs;
  compare_rows_clear(&rows);
  return signal;
}

/* --- drawing --- */

static struct comparison columns_fit(const struct compare_rows *rows, int width) {
  int name = 0, unit = 0;
  bool vectors = false;
  for (int i = 0; i < rows->n; i++) {
    int w = text_width(rows->row[i].name, 24, NULL);
    int u = text_width(rows->row[i].unit ? rows->row[i].unit : "", 6, NULL);
    name = w > name ? w : name;
    unit = u > unit ? u : unit;
    vectors = vectors || rows->row[i].shape != COMPARE_NUMBER;
  }
  struct comparison c = comparison_fit(name, unit, width);
  if (vectors)
    comparison_widen(&c, width, COMPARE_WHOLE, COMPARE_WHOLE + 6);
  return c;
}

static const struct comparison_words words = {"joint", "recorded", "dynamic", "now"};

static void row_draw(struct surface *s, struct rect r, int y, const struct app *app,
                     const struct comparison *c, const struct compare_row *row, bool selected) {
  const struct dynamic_answer *frame = app_dyn_frame(app);
  char text[220];
  int x = 2 + c->name;
  text_fit_name(text, sizeof text, row->name, c->name);
  surface_put(s, r, y, 0, STYLE_BOLD, selected ? ">" : " ");
  surface_put(s, r, y, 1, STYLE_NORMAL, text);
  if (c->unit > 0)
    surface_put(s, r, y, x, STYLE_DIM, row->unit ? row->unit : "");
  x += c->unit > 0 ? c->unit + 1 : 0;
  compare_value(text, sizeof text, row, app->snap->has_frame ? app->snap->values : NULL, c->value);
  surface_put_right(s, r, y, x += c->value, STYLE_NORMAL, text);
  compare_value(text, sizeof text, row, frame ? frame->values : NULL, c->value);
  bool equal = row->equal, known = equal || !isnan(row->now);
  if (c->other)
    surface_put_right(s, r, y, x += c->value + 1, known && !equal ? STYLE_CHANGED : STYLE_NORMAL,
                      text);
  x = comparison_now(s, r, y, x, c, row->now, equal);
  dyn_error(text, sizeof text, row->worst);
  if (c->worst)
    surface_put_right(s, r, y, x += COMPARISON_ERROR + 1, STYLE_NORMAL, text);
  snprintf(text, sizeof text, "%lld", (long long)row->step);
  if (c->step && row->worst > 0)
    surface_put_right(s, r, y, x + 6, STYLE_DIM, text);
  if (selected && app_active(app) == PANEL_STATE)
    surface_style(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_SELECTED);
}

/* --- contacts and ctrl --- */

/* Both states touch there? Pairs are unordered by name, as the engine gives them. */
static bool dynamic_touches(const struct dynamic_answer *d, const char geom[2][64]) {
  for (size_t i = 0; i < d->ncontacts; i++)
    if (strcmp(d->contacts[i].geom[0], geom[0]) == 0 &&
        strcmp(d->contacts[i].geom[1], geom[1]) == 0)
      return true;
  return false;
}

static bool recorded_touches(const struct snapshot *snap, const char geom[2][64]) {
  for (size_t i = 0; i < snap->ncontacts; i++)
    if (strcmp(snap->contacts[i].geom[0], geom[0]) == 0 &&
        strcmp(snap->contacts[i].geom[1], geom[1]) == 0)
      return true;
  return false;
}

/* The n-th pair that touches in either; several contacts of one are one. False: no more. */
static bool pair_at(const struct app *app, const struct dynamic_answer *d, int n,
                    const char (**geom)[64]) {
  const struct snapshot *snap = app->snap;
  for (size_t i = 0; i < snap->ncontacts; i++) {
    bool again = false;
    for (size_t k = 0; k < i && !again; k++)
      again = strcmp(snap->contacts[k].geom[0], snap->contacts[i].geom[0]) == 0 &&
              strcmp(snap->contacts[k].geom[1], snap->contacts[i].geom[1]) == 0;
    *geom = (const char(*)[64])snap->contacts[i].geom;
    if (!again && n-- == 0)
      return true;
  }
  for (size_t i = 0; i < d->ncontacts; i++) {
    bool again = recorded_touches(snap, (const char(*)[64])d->contacts[i].geom);
    for (size_t k = 0; k < i && !again; k++)
      again = strcmp(d->contacts[k].geom[0], d->contacts[i].geom[0]) == 0 &&
              strcmp(d->contacts[k].geom[1], d->contacts[i].geom[1]) == 0;
    *geom = (const char(*)[64])d->contacts[i].geom;
    if (!again && n-- == 0)
      return true;
  }
  return false;
}

static int pair_count(const struct app *app, const struct dynamic_answer *d) {
  const char(*geom)[64];
  int n = 0;
  while (pair_at(app, d, n, &geom))
    n++;
  return n;
}

static void ctrl_text(char *out, size_t size, const struct app *app,
                      const struct dynamic_answer *d) {
  const struct reel *reel = app_reel(app);
  int at = d->difference.worst[PH_MEASURE_CTRL];
  char error[24];
  dyn_error(error, sizeof error, d->difference.max[PH_MEASURE_CTRL]);
  if (reel->nctrl == 0)
    snprintf(out, size, "ctrl: the model has none");
  else if (!app->snap->ctrl)
    snprintf(out, size, "ctrl: not recorded");
  else if (d->difference.ctrl_equal)
    snprintf(out, size, "ctrl: equal bit for bit");
  else if (at >= 0 && at < reel->nctrl)
    snprintf(out, size, "ctrl differs: %s by %s", reel->ctrl_name[at], error);
  else
    snprintf(out, size, "ctrl: other bits");
}

/* "contacts at 213: 3   rec dyn", pairs below, and a line about ctrl. */
static void contacts_draw(struct surface *s, struct rect r, const struct app *app,
                          const struct dynamic_answer *d, int pairs) {
  char title[100], place[48], text[300], fit[300];
  const char(*geom)[64];
  dyn_place(place, sizeof place, app, app->snap->step, d->substep);
  if (d->substep > 0) /* of the recording there are whole steps alone */
    snprintf(title, sizeof title, "contacts at %s, rec at %lld", place, (long long)app->snap->step);
  else
    snprintf(title, sizeof title, "contacts at %s", place);
  surface_rule(s, r, 0, title, "rec dyn");
  int room = r.h - 2, shown = pairs > room ? room - 1 : pairs;
  for (int i = 0; i < shown && pair_at(app, d, i, &geom); i++) {
    bool rec = recorded_touches(app->snap, geom), dyn = dynamic_touches(d, geom);
    snprintf(text, sizeof text, "%s - %s", geom[0], geom[1]);
    text_fit(fit, sizeof fit, text, r.w - 12 > 4 ? r.w - 12 : 4);
    surface_put(s, r, 1 + i, 1, rec == dyn ? STYLE_NORMAL : STYLE_BAD, fit);
    surface_printf(s, r, 1 + i, r.w - 8, rec == dyn ? STYLE_NORMAL : STYLE_BAD, "%3s %3s",
                   rec ? "yes" : "-", dyn ? "yes" : "-");
  }
  if (shown < pairs && room > 0)
    surface_printf(s, r, room, 1, STYLE_HINT, "%d more", pairs - shown);
  if (d->differs) {
    ctrl_text(text, sizeof text, app, d);
    surface_put(s, r, r.h - 1, 1, d->difference.ctrl_equal ? STYLE_DIM : STYLE_BAD, text);
  }
}

void compare_draw(struct surface *s, struct rect r, const struct app *app) {
  struct compare_rows rows = compare_rows_make(app);
  const struct dynamic_answer *d = app_dyn_frame(app);
  int pairs = d ? pair_count(app, d) : 0;
  int below = d && r.h >= 10 ? (pairs < r.h / 4 ? pairs : r.h / 4) + 2 : 0;
  struct rect list = {r.y, r.x, r.h - below, r.w};
  if (!rows.row) {
    surface_put(s, r, 0, 1, STYLE_BAD, "out of memory");
    return;
  }
  struct comparison c = columns_fit(&rows, r.w);
  int head = list.h >= 3;
  if (head)
    comparison_head(s, list, &c, &words);
  bool more = rows.n > list.h - head && list.h - head >= 4;
  int shown = list.h - head - more, top = panel_top(app, PANEL_STATE, rows.n, shown);
  int cursor = panel_cursor(app, PANEL_STATE, rows.n);
  for (int i = 0; i < shown && top + i < rows.n; i++)
    row_draw(s, list, head + i, app, &c, &rows.row[top + i], top + i == cursor);
  if (more)
    panel_more(s, list, list.h - 1, app, rows.n - shown);
  if (rows.n == 0)
    surface_put(s, list, head, 1, STYLE_DIM, "no signal has that text in its name");
  if (below > 0)
    contacts_draw(s, (struct rect){r.y + r.h - below, r.x, below, r.w}, app, d, pairs);
  compare_rows_clear(&rows);
}
