/* The state at the playhead: every signal with name, unit and value, by kind, in as many columns as
 * it needs; contacts below where there is room. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "ghost_view.h"
#include "panel.h"
#include "text.h"

#define VALUE_WIDTH 9

static const struct {
  ph_signal_kind kind;
  const char *heading;
} groups[] = {
    {PH_SIGNAL_QPOS, "positions"},  {PH_SIGNAL_READOUT, "readouts"}, {PH_SIGNAL_QVEL, "velocities"},
    {PH_SIGNAL_ACT, "activations"}, {PH_SIGNAL_CTRL, "ctrl"},        {PH_SIGNAL_MOCAP, "mocap"},
    {PH_SIGNAL_SENSOR, "sensors"},  {PH_SIGNAL_BODY, "bodies"},
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* Two values of each, where B has physics to show. */
static bool state_compares(const struct app *app) {
  const struct reel *reel = app_reel(app);
  return reel && !reel->raw && app_mode(app) == MODE_BOTH;
}

static bool state_shows(const struct app *app, const char *name) {
  return app_filter_match(app, PANEL_STATE, name);
}

/* One line: a heading, a signal, or a channel that is named and not shown. -1: it is not that. */
struct item {
  int group;   /* heading of a kind of signals */
  int channel; /* heading of a channel's numbers; without `heading`, a channel that is not shown */
  int signal;
  bool heading, note; /* note: what there is to say of the channels that follow */
};

/* Walks the lines in the order of drawing: signals by kind, those of channels by channel, then the
 * channels that are not shown. */
struct walk {
  const struct app *app;
  const struct reel *reel;
  bool headings;
  int group, line; /* line: how many were given */
  size_t next;
  int headed; /* the group or channel whose heading was given; -1 */
  int noted;  /* the channel whose note was given; -1 */
};

static struct walk walk_from(const struct app *app, bool headings) {
  return (struct walk){
      .app = app, .reel = app_reel(app), .headings = headings, .headed = -1, .noted = -1};
}

/* Columns of the name up to its last slash. */
static int folder_length(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash ? (int)(slash - name) : 0;
}

/* Whether a note is to be given before the heading: once for channels that follow each other in one
 * folder. */
static bool needs_note(const struct walk *w, int at) {
  const ph_channel *channel = &w->reel->channels[at];
  if (!channel->note[0] || w->noted == at)
    return false;
  if (w->headed < 0)
    return true;
  const ph_channel *before = &w->reel->channels[w->headed];
  int n = folder_length(channel->name);
  return strcmp(before->note, channel->note) != 0 || n != folder_length(before->name) ||
         strncmp(before->name, channel->name, (size_t)n) != 0;
}

static bool is_scalar(const ph_channel *channel) {
  return channel->kind == PH_CHANNEL_NUMBERS && channel->rank == 1;
}

/* Single numbers of one folder have one heading, the folder; outside of folders none. True: the
 * heading that was given last is theirs too. */
static bool shares_heading(struct walk *w, int at) {
  const ph_channel *channel = &w->reel->channels[at];
  int n = folder_length(channel->name);
  if (!is_scalar(channel))
    return false;
  if (n > 0) {
    const ph_channel *before = w->headed >= 0 ? &w->reel->channels[w->headed] : NULL;
    if (!before || !is_scalar(before) || folder_length(before->name) != n ||
        strncmp(before->name, channel->name, (size_t)n) != 0)
      return false;
  }
  w->headed = at;
  return true;
}

static bool walk_give(struct walk *w, struct item *item, int heading_of, struct item it) {
  *item = it;
  if (w->headings && it.channel >= 0 && w->headed != heading_of && needs_note(w, it.channel)) {
    w->noted = it.channel;
    item->signal = -1;
    item->note = true;
  } else if (w->headings && w->headed != heading_of &&
             !(it.channel >= 0 && shares_heading(w, it.channel))) {
    w->headed = heading_of;
    item->signal = -1;
    item->heading = true;
  } else {
    w->next++;
  }
  w->line++;
  return true;
}

/* Signals of the present group; those of channels are the last group, each channel with a heading.
 */
static bool walk_signals(struct walk *w, struct item *item) {
  bool channels = w->group == GROUPS;
  for (; w->next < w->reel->nsignals; w->next++) {
    const ph_signal *sig = &w->reel->signals[w->next];
    ph_signal_kind kind = channels ? PH_SIGNAL_CHANNEL : groups[w->group].kind;
    if (sig->kind != kind || !state_shows(w->app, sig->name))
      continue;
    int channel = channels ? sig->channel : -1;
    return walk_give(w, item, channels ? channel : w->group,
                     (struct item){.group = channels ? -1 : w->group,
                                   .channel = channel,
                                   .signal = (int)w->next});
  }
  return false;
}

static bool walk_hidden(struct walk *w, struct item *item) {
  for (; w->next < w->reel->nchannels; w->next++) {
    const ph_channel *channel = &w->reel->channels[w->next];
    if (channel->kind == PH_CHANNEL_NUMBERS || !state_shows(w->app, channel->name))
      continue;
    return walk_give(w, item, w->headed,
                     (struct item){.group = -1, .channel = (int)w->next, .signal = -1});
  }
  return false;
}

static bool walk_next(struct walk *w, struct item *item) {
  for (; w->group <= GROUPS; w->group++, w->next = 0, w->headed = -1)
    if (walk_signals(w, item))
      return true;
  return walk_hidden(w, item);
}

int panel_state_lines(const struct app *app) {
  if (ghost_in_state(app))
    return ghost_lines(app);
  if (state_compares(app))
    return compare_lines(app);
  struct walk w = walk_from(app, false);
  struct item item;
  while (w.reel && walk_next(&w, &item)) {
  }
  return w.line;
}

bool panel_state_at(const struct app *app, int line, int *signal, int *channel) {
  struct walk w = walk_from(app, false);
  struct item item;
  *signal = *channel = -1;
  if (ghost_in_state(app) || state_compares(app)) {
    *signal = ghost_in_state(app) ? ghost_signal(app, line) : compare_signal(app, line);
    return *signal >= 0;
  }
  while (w.reel && walk_next(&w, &item))
    if (line-- == 0) {
      *signal = item.signal;
      *channel = item.signal < 0 ? item.channel : -1;
      return true;
    }
  return false;
}

/* Under its channel's heading the last part of a name is enough. */
static const char *signal_name(const ph_signal *sig, bool headings) {
  const char *slash = strrchr(sig->name, '/');
  return headings && sig->kind == PH_SIGNAL_CHANNEL && slash ? slash + 1 : sig->name;
}

/* What a column of signals needs. */
struct shape {
  int name, unit, width; /* columns of name and unit; of all of it */
  int columns, rows;     /* how many side by side, and how high */
  int lines, cursor_line, cursor;
  bool headings;
};

static void shape_measure(const struct app *app, const struct reel *reel, struct shape *shape) {
  struct walk w = walk_from(app, shape->headings);
  struct item item;
  int seen = 0;
  shape->cursor = panel_cursor(app, PANEL_STATE, panel_state_lines(app));
  while (walk_next(&w, &item)) {
    if (item.heading || item.note)
      continue;
    if (seen++ == shape->cursor)
      shape->cursor_line = w.line - 1;
    if (item.signal < 0)
      continue;
    const ph_signal *sig = &reel->signals[item.signal];
    int name = text_width(signal_name(sig, shape->headings), 40, NULL);
    int unit = text_width(sig->unit ? sig->unit : "", 8, NULL);
    shape->name = name > shape->name ? name : shape->name;
    shape->unit = unit > shape->unit ? unit : shape->unit;
  }
  shape->lines = w.line;
}

static void shape_fit(struct shape *shape, int rows, int width) {
  if (shape->name < 9)
    shape->name = 9;
  if (width < 4 + VALUE_WIDTH + shape->unit + (shape->name < 12 ? shape->name : 12))
    shape->unit = 0;
  int fixed = 2 + VALUE_WIDTH + (shape->unit ? shape->unit + 1 : 0), gap = 2;
  int wanted = (shape->lines + rows - 1) / rows, least = shape->name < 12 ? shape->name : 12;
  int fit = (width + gap) / (fixed + least + gap);
  shape->columns = wanted < 1 ? 1 : wanted > fit ? (fit < 1 ? 1 : fit) : wanted;
  shape->width = shape->columns > 1 ? width / shape->columns : width;
  int room = shape->width - fixed - (shape->columns > 1 ? gap : 0);
  if (shape->name > room)
    shape->name = room > 1 ? room : 1;
  shape->rows = rows;
}

/* In D those of the dynamic state alone; a channel is the file's. NULL: not known. */
static const double *state_values(const struct app *app) {
  const struct dynamic_answer *d = app_dyn_alone(app);
  if (app_mode(app) == MODE_DYNAMIC)
    return d ? d->values : NULL;
  return app->snap->has_frame ? app->snap->values : NULL;
}

static void signal_draw(struct surface *s, struct rect r, int y, const struct shape *shape,
                        const struct app *app, int signal, bool selected) {
  const ph_signal *sig = &app_reel(app)->signals[signal];
  char name[200], value[32];
  text_fit_name(name, sizeof name, signal_name(sig, shape->headings), shape->name);
  snprintf(value, sizeof value, "%*s", VALUE_WIDTH, "-");
  const double *values = state_values(app);
  if (values)
    text_number(value, sizeof value, values[signal], VALUE_WIDTH);
  bool active = app_active(app) == PANEL_STATE;
  surface_put(s, r, y, 0, STYLE_BOLD, selected ? ">" : " ");
  surface_put(s, r, y, 1, STYLE_NORMAL, name);
  int x = 2 + shape->name;
  if (shape->unit > 0)
    surface_put(s, r, y, x, STYLE_DIM, sig->unit ? sig->unit : "");
  x += shape->unit > 0 ? shape->unit + 1 : 0;
  if (x + VALUE_WIDTH > r.w)
    x = r.w - VALUE_WIDTH;
  surface_put(s, r, y, x, STYLE_NORMAL, " ");
  surface_put(s, r, y, x, STYLE_NORMAL, value);
  if (selected && active)
    surface_style(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_SELECTED);
}

static int shape_top(const struct shape *shape, const struct app *app) {
  int visible = shape->rows * shape->columns, top = app->scroll[PANEL_STATE];
  if (top > shape->lines - visible)
    top = shape->lines - visible;
  if (shape->cursor_line >= top + visible)
    top = shape->cursor_line - visible + 1;
  if (shape->cursor_line < top)
    top = shape->cursor_line;
  if (top == 1 && shape->headings && shape->cursor == 0)
    top = 0;
  return top < 0 ? 0 : top;
}

/* "obs: one step ahead of the states", over the channels that it is true of. */
static void note_draw(struct surface *s, struct rect r, int y, const ph_channel *channel) {
  char text[320], fit[340];
  int n = folder_length(channel->name);
  n = n > 0 ? n : (int)strlen(channel->name);
  snprintf(text, sizeof text, "%.*s: %s", n, channel->name, channel->note);
  text_fit(fit, sizeof fit, text, r.w - 1);
  surface_put(s, r, y, 1, STYLE_WARN, fit);
}

static void heading_draw(struct surface *s, struct rect r, int y, const struct app *app,
                         const struct item *item) {
  char fit[200], text[160];
  if (item->group >= 0) {
    snprintf(text, sizeof text, "%s", groups[item->group].heading);
  } else {
    const ph_channel *channel = &app_reel(app)->channels[item->channel];
    int n = is_scalar(channel) ? folder_length(channel->name) : (int)strlen(channel->name);
    snprintf(text, sizeof text, "%.*s", n, channel->name);
  }
  text_fit_name(fit, sizeof fit, text, r.w - 1);
  surface_put(s, r, y, 1, STYLE_TITLE, fit);
}

/* "obs/agentview_rgb  uint8 128x128x3 x 25 rows, not shown: pictures" */
static void hidden_draw(struct surface *s, struct rect r, int y, const struct app *app, int at,
                        bool selected) {
  const ph_channel *channel = &app_reel(app)->channels[at];
  char text[560], shape[80] = "", fit[600];
  size_t n = 0;
  for (int i = 1; i < channel->rank && i < 4 && n < sizeof shape; i++)
    n += (size_t)snprintf(shape + n, sizeof shape - n, "%s%lld", i > 1 ? "x" : " ",
                          (long long)channel->dim[i]);
  snprintf(text, sizeof text, "%s  %s%s x %lld rows, not shown%s%s", channel->name, channel->type,
           shape, (long long)channel->rows, channel->note[0] ? ": " : "", channel->note);
  text_fit(fit, sizeof fit, text, r.w - 1);
  surface_put(s, r, y, 0, STYLE_BOLD, selected ? ">" : " ");
  surface_put(s, r, y, 1, STYLE_DIM, fit);
  if (selected && app_active(app) == PANEL_STATE)
    surface_style(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_SELECTED);
}

static void item_draw(struct surface *s, struct rect r, int y, const struct shape *shape,
                      const struct app *app, const struct item *item, bool selected) {
  if (item->heading)
    heading_draw(s, r, y, app, item);
  else if (item->note)
    note_draw(s, r, y, &app_reel(app)->channels[item->channel]);
  else if (item->signal >= 0)
    signal_draw(s, r, y, shape, app, item->signal, selected);
  else
    hidden_draw(s, r, y, app, item->channel, selected);
}

/* Newspaper columns: down the first, then the next. */
static void signals_draw(struct surface *s, struct rect r, const struct shape *shape,
                         const struct app *app) {
  struct walk w = walk_from(app, shape->headings);
  struct item item;
  int top = shape_top(shape, app);
  while (walk_next(&w, &item)) {
    int at = w.line - 1 - top, col = at / shape->rows, y = at % shape->rows;
    if (at < 0)
      continue;
    if (col >= shape->columns)
      break;
    int x = r.x + col * shape->width, width = shape->width - (col + 1 < shape->columns ? 1 : 0);
    struct rect cell = {r.y, x, r.h, width < r.x + r.w - x ? width : r.x + r.w - x};
    item_draw(s, cell, y, shape, app, &item, w.line - 1 == shape->cursor_line);
  }
}

/* Three decimals, so that a column can be read down; what is too long for that as elsewhere. */
static void contact_number(char *buf, size_t size, double value) {
  if (snprintf(buf, size, "%8.3f", value) != 8 || !isfinite(value))
    text_number(buf, size, value, 8);
  else
    buf[4] = '.'; /* whatever the locale */
}

/* The contacts on show: in D those of the dynamic state. */
struct touching {
  size_t n;
  const struct snapshot_contact *recorded;
  const struct dynamic_contact *dynamic;
};

static struct touching state_contacts(const struct app *app) {
  const struct dynamic_answer *d = app_dyn_alone(app);
  if (app_mode(app) == MODE_DYNAMIC)
    return (struct touching){d ? d->ncontacts : 0, NULL, d ? d->contacts : NULL};
  return (struct touching){app->snap->ncontacts, app->snap->contacts, NULL};
}

static struct snapshot_contact contact_at(const struct touching *t, size_t i) {
  struct snapshot_contact c;
  if (t->recorded)
    return t->recorded[i];
  memcpy(c.geom, t->dynamic[i].geom, sizeof c.geom);
  c.dist = t->dynamic[i].dist;
  c.force = t->dynamic[i].force;
  return c;
}

static bool contact_forces(const struct touching *t) {
  for (size_t i = 0; i < t->n; i++)
    if (!isnan(contact_at(t, i).force))
      return true;
  return false;
}

static void contacts_draw(struct surface *s, struct rect r, const struct app *app) {
  struct touching t = state_contacts(app);
  char title[80];
  bool forces = contact_forces(&t);
  snprintf(title, sizeof title, "contacts: %zu%s%s", t.n, forces ? "" : "; forces not known",
           forces || app->snap->ctrl ? "" : ": no ctrl");
  if (r.w > 64)
    r.w = 64;
  surface_rule(s, r, 0, title, forces ? "dist mm  force N" : "dist mm");
  int room = r.h - 1, all = (int)t.n;
  int shown = all > room ? room - 1 : all;
  for (int i = 0; i < shown; i++) {
    struct snapshot_contact c = contact_at(&t, (size_t)i);
    char names[160], fit[200], dist[32], force[32];
    snprintf(names, sizeof names, "%s - %s", c.geom[0], c.geom[1]);
    text_fit(fit, sizeof fit, names, r.w - 20 > 4 ? r.w - 20 : 4);
    contact_number(dist, sizeof dist, c.dist * 1e3);
    contact_number(force, sizeof force, c.force);
    surface_put(s, r, 1 + i, 1, STYLE_NORMAL, fit);
    surface_put_right(s, r, 1 + i, r.w - (forces ? 11 : 2), STYLE_NORMAL, dist);
    if (forces)
      surface_put_right(s, r, 1 + i, r.w - 2, STYLE_NORMAL, force);
  }
  if (shown < all && room > 0)
    surface_printf(s, r, room, 1, STYLE_HINT, "%d more", all - shown);
}

/* Rows of contacts below the signals: what signals leave, or a quarter of a high panel. */
static int contact_rows(const struct app *app, int lines, struct rect r) {
  size_t n = state_contacts(app).n;
  if (!app->snap->has_frame || n == 0 || r.w < 34)
    return 0;
  int want = (int)(n > 12 ? 12 : n) + 1;
  int spare = r.h - lines, least = r.h >= 12 ? (want < 5 ? want : r.h / 4) : 0;
  int rows = spare > least ? spare : least;
  if (rows > want)
    rows = want;
  return rows >= 2 ? rows : 0;
}

static void state_title(char *buf, size_t size, const struct app *app) {
  const char *filter = app->filter[PANEL_STATE];
  const struct reel *reel = app_reel(app);
  char place[48], missing[320];
  const struct dynamic_answer *d = app_dyn_frame(app);
  bool says_so = reel && strncmp(reel->model_note, "no model", 8) == 0;
  if (ghost_in_state(app))
    ghost_title(buf, size, app);
  else if (reel && reel->raw && !filter[0])
    snprintf(buf, size, "numbers of the file at %lld, %s%s%s", (long long)app_shown_step(app),
             says_so ? "" : "no model", says_so || !reel->model_note[0] ? "" : ": ",
             reel->model_note);
  else if (reel && app_mode(app) != MODE_KINEMATIC) {
    dyn_missing(missing, sizeof missing, app);
    dyn_place(place, sizeof place, app, app_shown_step(app), d ? d->substep : 0);
    snprintf(buf, size, "state at %s: %s%s%s", place,
             app_mode(app) == MODE_DYNAMIC ? "dynamic" : "both", d ? "" : " ",
             d ? (app_mode(app) == MODE_BOTH ? ", worst first" : "") : missing);
    size_t n = strlen(buf);
    if (app_ghost(app) && app_ghost(app)->nrows > 0 && n < size)
      n += (size_t)snprintf(buf + n, size - n, "; K: the ghost");
    if (filter[0] && n < size)
      snprintf(buf + n, size - n, ", %d with \"%s\"", panel_state_lines(app), filter);
  } else if (filter[0])
    snprintf(buf, size, "state at %lld: %d with \"%s\"", (long long)app_shown_step(app),
             panel_state_lines(app), filter);
  else
    snprintf(buf, size, "state at %lld", (long long)app_shown_step(app));
}

static void state_empty(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  bool opening = !app->snap || panel_opening(app);
  const char *text = opening ? "opening ..." : "no state: the episode is not open";
  bool error = !opening && app->snap->error[0];
  if (reel && error)
    text = "no state: this step cannot be shown";
  else if (reel && reel->nsignals == 0 && reel->nchannels == 0)
    text = "the file names no signals";
  else if (reel)
    text = "no signal has that text in its name";
  surface_put(s, r, 0, 1, STYLE_DIM, text);
  if (error)
    panel_wrap(s, r, r.h >= 3 ? 2 : 1, STYLE_BAD, app->snap->error);
}

void panel_state_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  char title[480];
  state_title(title, sizeof title, app);
  r = panel_frame(s, r, app, PANEL_STATE, reel ? title : "state", NULL);
  if (r.h < 1)
    return;
  if (!reel || app->snap->error[0] || panel_state_lines(app) == 0) {
    state_empty(s, r, app);
    return;
  }
  if (ghost_in_state(app)) {
    ghost_draw(s, r, app);
    return;
  }
  if (state_compares(app)) {
    compare_draw(s, r, app);
    return;
  }
  struct shape shape = {.headings = r.h >= 8};
  shape_measure(app, reel, &shape);
  int contacts = contact_rows(app, shape.lines, r);
  struct rect list = {r.y, r.x, r.h - contacts, r.w};
  shape_fit(&shape, list.h, list.w);
  if (shape.lines > shape.rows * shape.columns && list.h >= 4) {
    shape_fit(&shape, list.h - 1, list.w);
    panel_more(s, list, list.h - 1, app, shape.lines - shape.rows * shape.columns);
  }
  signals_draw(s, list, &shape, app);
  if (contacts > 0)
    contacts_draw(s, (struct rect){r.y + r.h - contacts, r.x, contacts, r.w}, app);
}
