/* Another episode beside the one on show: the state panel's table, the header's line, and what the
 * timeline needs to know of it. Equal bits are "=". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comparison.h"
#include "dynamic_view.h"
#include "ghost_view.h"
#include "panel.h"
#include "text.h"

bool ghost_wanted(const struct app *app) {
  return app->want.ghost.path[0] && !app->want.live.on && app_reel(app);
}

const struct ghost_answer *app_ghost(const struct app *app) {
  const struct ghost_answer *g = ghost_wanted(app) ? app->snap->ghost : NULL;
  return g && g->serial == app->want.ghost.serial ? g : NULL;
}

bool ghost_in_state(const struct app *app) {
  const struct ghost_answer *g = app_ghost(app);
  return g && g->nrows > 0 && app_mode(app) == MODE_KINEMATIC;
}

static bool shows(const struct app *app, const struct ghost_row *row) {
  return app_filter_match(app, PANEL_STATE, row->name);
}

/* The n-th row that passes the filter; NULL past the last. */
static const struct ghost_row *row_at(const struct app *app, int n) {
  const struct ghost_answer *g = app_ghost(app);
  for (size_t i = 0; g && n >= 0 && i < g->nrows; i++)
    if (shows(app, &g->row[i]) && n-- == 0)
      return &g->row[i];
  return NULL;
}

int ghost_lines(const struct app *app) {
  const struct ghost_answer *g = app_ghost(app);
  int n = 0;
  for (size_t i = 0; g && i < g->nrows; i++)
    n += shows(app, &g->row[i]);
  return n;
}

int ghost_signal(const struct app *app, int line) {
  const struct ghost_row *row = row_at(app, line);
  return row ? row->signal : -1;
}

void ghost_title(char *buf, size_t size, const struct app *app) {
  const struct ghost_answer *g = app_ghost(app);
  const char *filter = app->filter[PANEL_STATE];
  int n = snprintf(buf, size, "state at %lld: ", (long long)app_shown_step(app));
  if (n < 0 || (size_t)n >= size || !g)
    return;
  if (!g->has_frame)
    n += snprintf(buf + n, size - (size_t)n, "no ghost: %.200s", g->note);
  else if (g->held)
    n += snprintf(buf + n, size - (size_t)n, "ghost held at %lld, its last", (long long)g->step);
  else
    n += snprintf(buf + n, size - (size_t)n, "ghost, worst first");
  if (filter[0] && (size_t)n < size)
    snprintf(buf + n, size - (size_t)n, ", %d with \"%s\"", ghost_lines(app), filter);
}

/* --- the table --- */

static struct comparison columns_fit(const struct app *app, int lines, int width) {
  int name = 0, unit = 0;
  for (int i = 0; i < lines; i++) {
    const struct ghost_row *row = row_at(app, i);
    int w = text_width(row->name, 24, NULL);
    int u = text_width(row->unit ? row->unit : "", 6, NULL);
    name = w > name ? w : name;
    unit = u > unit ? u : unit;
  }
  return comparison_fit(name, unit, width);
}

static const struct comparison_words words = {"joint, body", "this", "ghost", "diff"};

static void value_text(char *out, size_t size, bool known, double value) {
  snprintf(out, size, "-");
  if (known)
    text_number(out, size, value, COMPARISON_VALUE);
}

static void row_draw(struct surface *s, struct rect r, int y, const struct app *app,
                     const struct comparison *c, const struct ghost_row *row, bool selected) {
  const double *values = app->snap->has_frame ? app->snap->values : NULL;
  bool known = row->equal || !isnan(row->now);
  char text[220];
  int x = 2 + c->name;
  int values_at = x + (c->unit > 0 ? c->unit + 1 : 0);
  int end = values_at + COMPARISON_VALUE + (c->other ? COMPARISON_VALUE + 1 : 0);
  const char *unit = row->unit ? row->unit : "";
  text_fit_name(text, sizeof text, row->name, row->apart ? end - 1 - (int)strlen(unit) : c->name);
  surface_put(s, r, y, 0, STYLE_BOLD, selected ? ">" : " ");
  int at = 1 + surface_put(s, r, y, 1, STYLE_NORMAL, text);
  if (row->apart && at + 1 > x) /* a long name takes the place of values, of which it has none */
    surface_put(s, r, y, at + 1, STYLE_DIM, unit);
  else if (c->unit > 0)
    surface_put(s, r, y, x, STYLE_DIM, unit);
  x = values_at + COMPARISON_VALUE;
  value_text(text, sizeof text, values && !row->apart, values ? values[row->signal] : NAN);
  if (!row->apart)
    surface_put_right(s, r, y, x, STYLE_NORMAL, text);
  value_text(text, sizeof text, !row->apart && !isnan(row->value), row->value);
  if (c->other && !row->apart)
    surface_put_right(s, r, y, end, known && !row->equal ? STYLE_CHANGED : STYLE_NORMAL, text);
  x = comparison_now(s, r, y, end, c, row->now, row->equal);
  comparison_error(text, sizeof text, row->worst, row->step < 0);
  if (isnan(row->worst))
    snprintf(text, sizeof text, "-");
  if (c->worst)
    surface_put_right(s, r, y, x += COMPARISON_ERROR + 1, STYLE_NORMAL, text);
  snprintf(text, sizeof text, "%lld", (long long)row->step);
  if (c->step && row->step >= 0)
    surface_put_right(s, r, y, x + 6, STYLE_DIM, text);
  if (selected && app_active(app) == PANEL_STATE)
    surface_style(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_SELECTED);
}

/* --- the models --- */

/* "models: 3 differ", what differs, in words. */
static void models_draw(struct surface *s, struct rect r, const struct ghost_answer *g) {
  char title[120], fit[300];
  int room = r.h - 1, all = (int)g->kept, more = (int)g->nchanges - all;
  snprintf(title, sizeof title, "models: %zu difference%s, this -> ghost", g->nchanges,
           g->nchanges == 1 ? "" : "s");
  surface_rule(s, r, 0, title, NULL);
  int shown = all + (more > 0) > room ? room - 1 : all;
  for (int i = 0; i < shown; i++) {
    text_fit(fit, sizeof fit, g->change[i].text, r.w - 2 > 4 ? r.w - 2 : 4);
    surface_put(s, r, 1 + i, 1, g->change[i].structure ? STYLE_WARN : STYLE_NORMAL, fit);
  }
  if (shown < (int)g->nchanges && room > 0)
    surface_printf(s, r, 1 + shown, 1, STYLE_HINT, "%d more: playhead diff lists them",
                   (int)g->nchanges - shown);
}

void ghost_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct ghost_answer *g = app_ghost(app);
  int lines = ghost_lines(app), want = g->nchanges > 6 ? 6 : (int)g->nchanges;
  int below = g->nchanges > 0 && r.h >= 10 ? (want < r.h / 4 ? want : r.h / 4) + 1 : 0;
  struct rect list = {r.y, r.x, r.h - below, r.w};
  struct comparison c = columns_fit(app, lines, r.w);
  int head = list.h >= 3;
  if (head)
    comparison_head(s, list, &c, &words);
  bool more = lines > list.h - head && list.h - head >= 4;
  int shown = list.h - head - more, top = panel_top(app, PANEL_STATE, lines, shown);
  int cursor = panel_cursor(app, PANEL_STATE, lines);
  for (int i = 0; i < shown && top + i < lines; i++)
    row_draw(s, list, head + i, app, &c, row_at(app, top + i), top + i == cursor);
  if (more)
    panel_more(s, list, list.h - 1, app, lines - shown);
  if (below > 0)
    models_draw(s, (struct rect){r.y + r.h - below, r.x, below, r.w}, g);
}

/* --- the header --- */

/* "ghost run_b:demo_3", "ghost demo_3 of run_b" */
static void verdict_name(struct strip *strip, const struct app *app, const struct ghost_answer *g) {
  const char *given = app->want.ghost.path, *colon = strrchr(given, ':');
  if (!g || !g->id[0] || (colon && strcmp(colon + 1, g->id) == 0)) {
    strip_add(strip, 0, STYLE_BOLD, STRIP_BLANK | STRIP_CUT, "ghost %s", given);
    return;
  }
  strip_add(strip, 0, STYLE_BOLD, STRIP_BLANK, "ghost %s", g->id);
  strip_add(strip, 7, STYLE_NORMAL, STRIP_TIGHT | STRIP_CUT, "of %s", given);
}

static void verdict_length(struct strip *strip, const struct app *app,
                           const struct ghost_answer *g) {
  long long more = (long long)(g->states - app_reel(app)->states);
  if (more < 0)
    strip_add(strip, 3, STYLE_WARN, STRIP_BAR, "ends at %lld, %lld sooner",
              (long long)g->states - 1, -more);
  else if (more > 0)
    strip_add(strip, 3, STYLE_NORMAL, STRIP_BAR, "goes on to %lld, %lld further",
              (long long)g->states - 1, more);
  else
    strip_add(strip, 6, STYLE_NORMAL, STRIP_BAR, "as long as this one");
}

/* "arm_wrist by 4.10e-3 rad" */
static void first_text(char *out, size_t size, const struct ghost_answer *g) {
  const char *unit = g->first_unit ? g->first_unit : "";
  char error[24];
  dyn_error(error, sizeof error, g->first_error);
  snprintf(out, size, "%s by %s%s%s", g->first_name, g->first_error == 0 ? "0" : error,
           *unit ? " " : "", unit);
}

/* The first step that differs, and by what. */
static void verdict_first(struct strip *strip, const struct ghost_answer *g) {
  char by[240];
  bool all = g->scanned >= g->both;
  long long to = (long long)(all ? g->both : g->scanned) - 1;
  if (g->total == 0) {
    strip_add(strip, 1, STYLE_WARN, STRIP_BAR, "no joint's name is in both");
  } else if (g->first >= 0) {
    first_text(by, sizeof by, g);
    strip_add(strip, 0, g->beyond >= 0 ? STYLE_BAD : STYLE_WARN, STRIP_BAR, "differs from %lld",
              (long long)g->first);
    strip_add(strip, 1, g->beyond >= 0 ? STYLE_BAD : STYLE_WARN, STRIP_GLUE, ": %s", by);
    if (g->beyond >= 0)
      strip_add(strip, 4, STYLE_BAD, STRIP_BAR, "beyond tol from %lld", (long long)g->beyond);
    else if (all)
      strip_add(strip, 4, STYLE_NORMAL, STRIP_BAR, "within tol");
  } else if (all) {
    strip_add(strip, 0, STYLE_GOOD, STRIP_BAR, "equal bits 0..%lld", to);
  }
  if (g->damage[0])
    strip_add(strip, 2, STYLE_BAD, STRIP_BAR | STRIP_CUT, "compared to %lld: %s", to, g->damage);
  else if (!all && g->total > 0)
    strip_add(strip, 2, STYLE_DIM, STRIP_BAR, "compared %lld/%lld", to < 0 ? 0 : to,
              (long long)g->both - 1);
}

/* Steps are held against steps, however long they are. */
static void verdict_steps(struct strip *strip, const struct app *app,
                          const struct ghost_answer *g) {
  double here = app_reel(app)->meta.control_dt, there = g->control_dt;
  if (here > 0 && there > 0 && fabs(here - there) > 1e-9)
    strip_add(strip, 1, STYLE_WARN, STRIP_BAR, "%.4g ms a step, here %.4g ms", there * 1e3,
              here * 1e3);
}

static void verdict_models(struct strip *strip, const struct ghost_answer *g) {
  if (g->nchanges > 0)
    strip_add(strip, 4, STYLE_WARN, STRIP_BAR, "other model: %zu difference%s", g->nchanges,
              g->nchanges == 1 ? "" : "s");
  else if (g->no_model)
    strip_add(strip, 5, STYLE_WARN, STRIP_BAR, "no model of one of the two");
  if (g->only_here + g->only_there > 0)
    strip_add(strip, 5, STYLE_WARN, STRIP_BAR, "only in one: %zu here, %zu there", g->only_here,
              g->only_there);
}

void ghost_verdict(struct strip *strip, const struct app *app, bool whole) {
  const struct ghost_answer *g = app_ghost(app);
  if (!ghost_wanted(app))
    return;
  if (whole)
    verdict_name(strip, app, g);
  else
    strip_add(strip, 1, STYLE_BOLD, STRIP_BAR, "ghost");
  unsigned join = whole ? STRIP_BAR : STRIP_TIGHT;
  if (!g || g->opening) {
    strip_add(strip, whole ? 0 : 1, STYLE_DIM, join, "opening ...");
  } else if (g->error[0]) {
    strip_add(strip, whole ? 0 : 1, STYLE_BAD, join | STRIP_CUT, "%s", g->error);
  } else if (whole) {
    verdict_first(strip, g);
    verdict_length(strip, app, g);
    if (g->actions >= 0)
      strip_add(strip, 2, STYLE_NORMAL, STRIP_BAR, "actions differ from %lld",
                (long long)g->actions);
    verdict_steps(strip, app, g);
    verdict_models(strip, g);
  } else if (g->first >= 0) {
    char by[240];
    first_text(by, sizeof by, g);
    strip_add(strip, 1, STYLE_BAD, join, "differs from %lld", (long long)g->first);
    strip_add(strip, 6, STYLE_BAD, STRIP_GLUE, ": %s", by);
  } else if (g->total > 0 && g->scanned >= g->both) {
    strip_add(strip, 1, STYLE_GOOD, join, "equal bits");
  }
}

/* --- the lane --- */

bool ghost_has_lane(const struct app *app) {
  const struct ghost_answer *g = app_ghost(app);
  return ghost_wanted(app) && (!g || g->opening || (!g->error[0] && g->total > 0));
}

const struct lanes *ghost_lanes(const struct app *app) {
  const struct ghost_answer *g = app_ghost(app);
  const struct lanes *l = g ? g->lanes : NULL;
  return l && l->n > 0 && l->last >= l->first ? l : NULL;
}

void ghost_lane_note(char *out, size_t size, const struct app *app) {
  const struct ghost_answer *g = app_ghost(app);
  if (!g || g->opening)
    snprintf(out, size, "opening ...");
  else if (g->damage[0])
    snprintf(out, size, "not known");
  else
    snprintf(out, size, "compared %lld/%lld", (long long)g->scanned, (long long)g->total);
}
