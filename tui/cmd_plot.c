/* Which numbers are plotted, and Enter on the lines of the panels that name numbers and steps.
 * Names are looked up by the worker; the app keeps what it answers. */
#include "cmd.h"
#include "panel.h"

#include <stdio.h>
#include <string.h>

/* --- names --- */

/* What is on show becomes what is wanted. */
static void adopt(struct app *app) {
  struct plot_wish *wish = &app->want.plot;
  const struct plot_answer *plot = app->snap ? &app->snap->plot : NULL;
  wish->n = plot ? plot->n : 0;
  for (size_t i = 0; i < wish->n; i++)
    snprintf(wish->name[i], sizeof wish->name[i], "%s", plot->curve[i].name);
}

static void choose(struct app *app) {
  if (!app->want.plot.chosen)
    adopt(app);
  app->want.plot.chosen = true;
}

unsigned app_plot(struct app *app, const char *name) {
  struct plot_wish *wish = &app->want.plot;
  choose(app);
  if (wish->n == PLOT_WISHES) {
    app_complain(app, "plot: %d names at most at once", PLOT_WISHES);
    return REACT_REDRAW;
  }
  snprintf(wish->name[wish->n++], sizeof *wish->name, "%s", name);
  wish->serial++;
  app->want.serial++;
  app->plot_asked = true;
  return REACT_REDRAW | REACT_SEEK;
}

void app_take_plots(struct app *app, bool opened) {
  const struct plot_answer *plot = &app->snap->plot;
  bool answered = app->plot_asked && app->snap->reel && plot->serial == app->want.plot.serial;
  if (plot->note[0] && (answered || opened))
    app_log(app, true, "plot: %s", plot->note);
  if (!answered)
    return;
  adopt(app);
  app->plot_asked = false;
}

/* --- names for Tab --- */

static const char *column_name(int i) {
  static const char *const columns[] = {"actions", "reward", "states", "time"};
  return i < 4 ? columns[i] : NULL;
}

/* Arrays of the file, then numbers by name; those that are computed are not stored. */
const char *app_plot_name(const void *arg, const char *verb, int i) {
  const struct reel *reel = app_wanted_reel(arg);
  if (!reel || i < 0 || strcmp(verb, "plot") != 0)
    return NULL;
  size_t at = (size_t)i;
  if (at < reel->nchannels)
    return reel->channels[at].kind == PH_CHANNEL_NUMBERS ? reel->channels[at].name : "";
  at -= reel->nchannels;
  if (at >= reel->nsignals)
    return column_name((int)(at - reel->nsignals));
  const ph_signal *signal = &reel->signals[at];
  bool channel = signal->kind == PH_SIGNAL_CHANNEL;
  bool whole = channel && strcmp(signal->name, reel->channels[signal->channel].name) == 0;
  return whole || (signal->kind >= PH_SIGNAL_SENSOR && !channel) ? "" : signal->name;
}

/* --- the command --- */

static unsigned clear_plots(struct app *app) {
  struct plot_wish *wish = &app->want.plot;
  if (!app->snap || (app->snap->plot.n == 0 && wish->n == 0)) {
    app_say(app, "nothing is plotted; :plot NAME plots a number, as Enter does in the state panel");
    return REACT_REDRAW;
  }
  wish->chosen = true;
  wish->n = 0;
  wish->serial++;
  app->want.serial++;
  app->plot_asked = false;
  return REACT_REDRAW | REACT_SEEK;
}

/* The next word of a line, or what is between quotes, into out; NULL: there is none. */
static const char *next_word(const char *text, char *out, size_t size) {
  text += strspn(text, " \t,");
  const char *end = *text == '"' ? "\"" : " \t,";
  text += *text == '"';
  size_t n = strcspn(text, end);
  if (n == 0)
    return NULL;
  snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), text);
  return text + n + (text[n] == '"');
}

unsigned do_PLOT(struct app *app, int64_t count, const char *args) {
  char name[PLOT_NAME];
  unsigned react = REACT_REDRAW;
  (void)count;
  if (!*args)
    return clear_plots(app);
  for (const char *rest = next_word(args, name, sizeof name); rest;
       rest = next_word(rest, name, sizeof name))
    react |= app_plot(app, name);
  return react;
}

/* --- Enter --- */

/* The name by which a signal is looked up: its place in its array. */
static void stored_name(char *buf, size_t size, const struct reel *reel, const ph_signal *signal) {
  const ph_dims *d = &reel->meta.dims;
  int i = signal->index;
  switch (signal->kind) {
  case PH_SIGNAL_QPOS:
    snprintf(buf, size, "states[%d]", 1 + i);
    break;
  case PH_SIGNAL_QVEL:
    snprintf(buf, size, "states[%d]", 1 + d->nq + i);
    break;
  case PH_SIGNAL_ACT:
    snprintf(buf, size, "states[%d]", 1 + d->nq + d->nv + i);
    break;
  case PH_SIGNAL_CTRL:
    snprintf(buf, size, "ctrl[%d]", i);
    break;
  case PH_SIGNAL_MOCAP:
    snprintf(buf, size, i % 7 < 3 ? "mocap_pos[%d]" : "mocap_quat[%d]",
             i % 7 < 3 ? i / 7 * 3 + i % 7 : i / 7 * 4 + i % 7 - 3);
    break;
  default:
    snprintf(buf, size, "%s", signal->name);
    break;
  }
}

unsigned app_enter_state(struct app *app) {
  const struct reel *reel = app_reel(app);
  char name[PLOT_NAME];
  int signal, channel, lines = panel_state_lines(app);
  if (!panel_state_at(app, panel_cursor(app, PANEL_STATE, lines), &signal, &channel)) {
    app_say(app, "there is no number on this line");
    return REACT_REDRAW;
  }
  if (signal < 0) {
    const ph_channel *c = &reel->channels[channel];
    app_say(app, "%s is not shown%s%s", c->name, c->note[0] ? ": " : "", c->note);
    return REACT_REDRAW;
  }
  if (reel->signals[signal].kind == PH_SIGNAL_READOUT) { /* a stored number may have its name */
    app_say(app, "%s is computed from the state, not stored: only stored numbers are plotted",
            reel->signals[signal].name);
    return REACT_REDRAW;
  }
  stored_name(name, sizeof name, reel, &reel->signals[signal]);
  return app_plot(app, name);
}

unsigned app_enter_action(struct app *app) {
  char name[PLOT_NAME];
  int lines = panel_action_lines(app);
  int element = panel_action_at(app, panel_cursor(app, PANEL_ACTION, lines));
  if (element < 0) {
    app_say(app, "there is no action on this line");
    return REACT_REDRAW;
  }
  snprintf(name, sizeof name, "actions[%d]", element);
  return app_plot(app, name);
}

unsigned app_enter_plot(struct app *app) {
  int lines = panel_plot_lines(app);
  if (lines == 0)
    return REACT_REDRAW;
  return app_plot(app, app->snap->plot.curve[panel_cursor(app, PANEL_PLOT, lines)].name);
}

unsigned app_enter_finding(struct app *app) {
  int lines = panel_findings_lines(app);
  const ph_finding *finding = panel_findings_at(app, panel_cursor(app, PANEL_FINDINGS, lines));
  if (!finding) {
    app_say(app, "there is no finding on this line");
    return REACT_REDRAW;
  }
  if (finding->step < 0) {
    app_say(app, "this is about the whole episode: %s", finding->text);
    return REACT_REDRAW;
  }
  app_say(app, "at %lld: %s", (long long)finding->step, finding->text);
  return app_go(app, finding->step, true);
}
