/* Recorded against dynamic: each joint with its error now and its worst, worst first; then what
 * else has a number. Equal bits are "=". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "dynamic_view.h"
#include "panel.h"
#include "text.h"

struct row {
  char name[172];
  const char *unit;
  int signal;   /* the one that Enter plots */
  bool apart;   /* of a position or a rotation of more numbers: no value is shown */
  double now;   /* NaN: not known, or none is defined */
  bool equal;   /* bits */
  double worst; /* NaN: none is kept */
  int64_t step; /* of that */
  double rank;  /* in tolerances; rows without a worst come last, in order */
};

struct rows {
  struct row *row;
  int n, room;
};

static bool signal_bits(const struct app *app, const struct dynamic_answer *d, int i) {
  return memcmp(&app->snap->values[i], &d->values[i], sizeof(double)) == 0;
}

static bool has_values(const struct app *app, const struct dynamic_answer *d) {
  return d && d->values && app->snap->values && d->substep == 0;
}

static void push(struct rows *rows, const struct app *app, const struct row *row) {
  if (!app_filter_match(app, PANEL_STATE, row->name) || rows->n == rows->room)
    return;
  rows->row[rows->n++] = *row;
}

/* --- joints --- */

/* Numbers of qpos that a joint's first signal begins: a place is three, a rotation four. */
static int joint_numbers(const struct reel *reel, size_t i) {
  const char *dot = strrchr(reel->signals[i].name, '.');
  bool typed = dot && !(reel->signals[i].unit && strcmp(reel->signals[i].unit, "rad") == 0);
  size_t left = reel->nsignals - i;
  if (typed && strcmp(dot, ".x") == 0 && left >= 7 &&
      strncmp(reel->signals[i].name, reel->signals[i + 3].name,
              (size_t)(dot - reel->signals[i].name)) == 0 &&
      strstr(reel->signals[i + 3].name, ".qw"))
    return 7;
  return typed && strcmp(dot, ".qw") == 0 && left >= 4 ? 4 : 1;
}

static const ph_joint_summary *joint_worst(const struct dynamic_answer *d, size_t joint) {
  return d && d->joints && joint < d->njoints ? &d->joints[joint].worst : NULL;
}

/* One line: what is measured in rad, or in m. */
static void push_joint(struct rows *rows, const struct app *app, size_t joint, size_t signal,
                       int numbers, bool angle, const ph_tolerance *tolerance) {
  const struct dynamic_answer *d = app_dyn(app), *frame = app_dyn_frame(app);
  const ph_signal *sig = &app_reel(app)->signals[signal];
  const ph_joint_summary *worst = joint_worst(d, joint);
  const char *dot = numbers > 1 ? strrchr(sig->name, '.') : NULL;
  struct row row = {.unit = angle ? "rad" : "m", .signal = (int)signal, .apart = numbers > 1};
  snprintf(row.name, sizeof row.name, "%.*s%s",
           (int)(dot ? (size_t)(dot - sig->name) : strlen(sig->name)), sig->name,
           numbers == 1 ? ""
           : angle      ? ".rot"
                        : ".pos");
  row.now = NAN;
  if (frame && frame->differs && frame->joints && joint < frame->njoints) {
    const ph_joint_error *now = &frame->joints[joint].now;
    row.now = angle ? now->rad : now->m;
    row.equal = numbers > 1 ? now->equal || row.now == 0 : signal_bits(app, frame, (int)signal);
  } else if (has_values(app, frame) && numbers == 1) {
    row.now = fabs(frame->values[signal] - app->snap->values[signal]);
    row.equal = signal_bits(app, frame, (int)signal);
  }
  row.worst = worst ? (angle ? worst->rad : worst->m) : NAN;
  row.step = worst ? (angle ? worst->rad_step : worst->m_step) : -1;
  row.rank = row.worst / tolerance->of[angle ? PH_MEASURE_JOINT_ANGLE : PH_MEASURE_JOINT_PLACE];
  row.rank = isnan(row.rank) ? 0 : row.rank;
  push(rows, app, &row);
}

static int by_rank(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? 1 : -1;
  return x->signal != y->signal ? (x->signal > y->signal) - (x->signal < y->signal)
                                : strcmp(x->name, y->name);
}

static void push_joints(struct rows *rows, const struct app *app) {
  const struct reel *reel = app_reel(app);
  ph_tolerance tolerance = app_tolerance(app);
  size_t joint = 0;
  for (size_t i = 0; i < reel->nsignals; joint++) {
    const ph_signal *sig = &reel->signals[i];
    if (sig->kind != PH_SIGNAL_QPOS) {
      i++;
      joint--;
      continue;
    }
    int numbers = joint_numbers(reel, i);
    bool angle = numbers == 4 || (sig->unit && strcmp(sig->unit, "rad") == 0);
    if (numbers == 7)
      push_joint(rows, app, joint, i, numbers, false, &tolerance);
    push_joint(rows, app, joint, i, numbers, angle || numbers == 7, &tolerance);
    i += (size_t)numbers;
  }
  if (rows->n > 1)
    qsort(rows->row, (size_t)rows->n, sizeof *rows->row, by_rank);
}

/* --- everything else that is derived or stored of both --- */

static void push_others(struct rows *rows, const struct app *app) {
  static const ph_signal_kind kinds[] = {PH_SIGNAL_READOUT, PH_SIGNAL_QVEL,  PH_SIGNAL_ACT,
                                         PH_SIGNAL_CTRL,    PH_SIGNAL_MOCAP, PH_SIGNAL_SENSOR,
                                         PH_SIGNAL_BODY};
  const struct reel *reel = app_reel(app);
  const struct dynamic_answer *frame = app_dyn_frame(app);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (size_t i = 0; i < reel->nsignals; i++) {
      const ph_signal *sig = &reel->signals[i];
      struct row row = {.unit = sig->unit, .signal = (int)i, .now = NAN, .worst = NAN, .step = -1};
      if (sig->kind != kinds[k])
        continue;
      snprintf(row.name, sizeof row.name, "%s", sig->name);
      if (has_values(app, frame)) {
        row.now = fabs(frame->values[i] - app->snap->values[i]);
        row.equal = signal_bits(app, frame, (int)i);
      }
      push(rows, app, &row);
    }
}

/* The caller frees rows.row; NULL: no memory. */
static struct rows make_rows(const struct app *app) {
  const struct reel *reel = app_reel(app);
  struct rows rows = {.room = reel ? (int)reel->nsignals + 1 : 1};
  rows.row = calloc((size_t)rows.room, sizeof *rows.row);
  if (!rows.row || !reel)
    return rows;
  push_joints(&rows, app);
  push_others(&rows, app);
  return rows;
}

int compare_lines(const struct app *app) {
  struct rows rows = make_rows(app);
  free(rows.row);
  return rows.n;
}

int compare_signal(const struct app *app, int line) {
  struct rows rows = make_rows(app);
  int signal = rows.row && line >= 0 && line < rows.n ? rows.row[line].signal : -1;
  free(rows.row);
  return signal;
}

/* --- drawing --- */

static struct comparison columns_fit(const struct rows *rows, int width) {
  int name = 0, unit = 0;
  for (int i = 0; i < rows->n; i++) {
    int w = text_width(rows->row[i].name, 24, NULL);
    int u = text_width(rows->row[i].unit ? rows->row[i].unit : "", 6, NULL);
    name = w > name ? w : name;
    unit = u > unit ? u : unit;
  }
  return comparison_fit(name, unit, width);
}

static const struct comparison_words words = {"joint", "recorded", "dynamic", "now"};

static void value_text(char *out, size_t size, const struct row *row, const double *values) {
  snprintf(out, size, "-");
  if (!row->apart && values)
    text_number(out, size, values[row->signal], COMPARISON_VALUE);
}

static void row_draw(struct surface *s, struct rect r, int y, const struct app *app,
                     const struct comparison *c, const struct row *row, bool selected) {
  const struct dynamic_answer *frame = app_dyn_frame(app);
  char text[220];
  int x = 2 + c->name;
  text_fit_name(text, sizeof text, row->name, c->name);
  surface_put(s, r, y, 0, STYLE_BOLD, selected ? ">" : " ");
  surface_put(s, r, y, 1, STYLE_NORMAL, text);
  if (c->unit > 0)
    surface_put(s, r, y, x, STYLE_DIM, row->unit ? row->unit : "");
  x += c->unit > 0 ? c->unit + 1 : 0;
  value_text(text, sizeof text, row, app->snap->has_frame ? app->snap->values : NULL);
  surface_put_right(s, r, y, x += COMPARISON_VALUE, STYLE_NORMAL, text);
  value_text(text, sizeof text, row, frame ? frame->values : NULL);
  bool equal = row->equal, known = equal || !isnan(row->now);
  if (c->other)
    surface_put_right(s, r, y, x += COMPARISON_VALUE + 1,
                      known && !equal ? STYLE_CHANGED : STYLE_NORMAL, text);
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
  struct rows rows = make_rows(app);
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
  free(rows.row);
}
