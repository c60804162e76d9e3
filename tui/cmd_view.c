/* What is looked at: panels, time zoom, episodes and envs, settings, and the program itself. */
#include "cmd.h"
#include "dynamic_view.h"
#include "envs.h"
#include "panel.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- panels --- */

static unsigned move_focus(struct app *app, int by) {
  int id = (int)app->focus;
  if (app->help) {
    app->help = false;
    return REACT_RELAYOUT;
  }
  for (int i = 0; i < PANEL_COUNT; i++) {
    id = (id + by + PANEL_COUNT) % PANEL_COUNT;
    if (panel_reachable(app, (enum panel_id)id)) /* with room or without: see app_relayout */
      break;
  }
  app->focus = (enum panel_id)id;
  if (app->zoomed >= 0)
    app->zoomed = id;
  return REACT_RELAYOUT;
}

unsigned do_PANEL_NEXT(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return move_focus(app, 1);
}

unsigned do_PANEL_PREVIOUS(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return move_focus(app, -1);
}

/* The episodes that are in sight are looked at before others. */
static unsigned look_here(struct app *app) {
  size_t at = app_episode_at(app, app->scroll[PANEL_EPISODES]);
  if (at == SIZE_MAX || at == app->want.look || app->snap->unseen == 0)
    return REACT_REDRAW;
  app->want.look = at;
  return REACT_REDRAW | REACT_SEEK;
}

static unsigned move_cursor(struct app *app, int64_t count, const char *args, int sign) {
  enum panel_id id = app_active(app);
  const struct panel *panel = panel_get(id);
  int lines = panel->lines ? panel->lines(app) : 0;
  int rows = app->layout.panel[id].h - 2; /* below the title, with one line to spare */
  int64_t n;
  if (!cmd_times(app, count, args, &n))
    return REACT_REDRAW;
  int64_t at = app->cursor[id] + sign * (n < lines ? n : lines);
  at = at >= lines ? lines - 1 : at;
  app->cursor[id] = at < 0 ? 0 : (int)at;
  rows = rows < 1 ? 1 : rows;
  if (app->scroll[id] > app->cursor[id])
    app->scroll[id] = app->cursor[id];
  if (app->scroll[id] < app->cursor[id] - rows + 1)
    app->scroll[id] = app->cursor[id] - rows + 1;
  return id == PANEL_EPISODES ? look_here(app)
         : id == PANEL_ENVS   ? app_look_envs(app)
                              : REACT_REDRAW;
}

unsigned do_DOWN(struct app *app, int64_t count, const char *args) {
  return move_cursor(app, count, args, 1);
}

unsigned do_UP(struct app *app, int64_t count, const char *args) {
  return move_cursor(app, count, args, -1);
}

unsigned do_ENTER(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  if (app->help) {
    app->help = false;
    return REACT_RELAYOUT;
  }
  if (app->focus == PANEL_EPISODES) {
    size_t at = app_episode_at(app, app->cursor[PANEL_EPISODES]);
    return at == SIZE_MAX ? REACT_REDRAW : app_open(app, at, 0);
  }
  switch (app->focus) {
  case PANEL_TIMELINE:
    return app_apply(app, CMD_STEP_FORWARD, 0, NULL);
  case PANEL_STATE:
    return app_enter_state(app);
  case PANEL_ACTION:
    return app_enter_action(app);
  case PANEL_PLOT:
    return app_enter_plot(app);
  case PANEL_FINDINGS:
    return app_enter_finding(app);
  case PANEL_SUCCESS:
    return app_enter_success(app);
  case PANEL_ENVS:
    return app_enter_envs(app);
  default:
    app_say(app, "nothing to open here; Tab goes to the next panel");
    return REACT_REDRAW;
  }
}

unsigned do_ZOOM(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  if (app->crowded)
    app->focus = PANEL_TIMELINE;
  else
    app->zoomed = app->zoomed >= 0 ? -1 : (int)app->focus;
  return REACT_RELAYOUT;
}

unsigned do_FILTER(struct app *app, int64_t count, const char *args) {
  enum panel_id id = app_active(app);
  char *filter = app->filter[id];
  (void)count;
  if (*args) {
    if (strlen(args) >= sizeof *app->filter) {
      app_complain(app, "filter: at most %zu bytes", sizeof *app->filter - 1);
      return REACT_REDRAW;
    }
    strcpy(filter, args);
    app->cursor[id] = app->scroll[id] = 0;
    return REACT_REDRAW;
  }
  snprintf(app->filter_before, sizeof app->filter_before, "%s", filter);
  prompt_open(&app->prompt, filter);
  app->prompt.plain = true;
  app->filtering = true;
  return REACT_REDRAW;
}

/* --- time zoom --- */

enum { ZOOM_LEAST = 8 };

static void set_window(struct app *app, int64_t span) {
  int64_t last = app_last_step(app), first = app->want.step - span / 2;
  if (span >= last) {
    app_zoom_to(app, -1, -1);
    return;
  }
  first = first < 0 ? 0 : first + span > last ? last - span : first;
  app_zoom_to(app, first, first + span);
}

static int64_t window_span(const struct app *app) {
  return app->zoom_first < 0 ? app_last_step(app) : app->zoom_last - app->zoom_first;
}

void app_follow_zoom(struct app *app) {
  int64_t at = app->want.step;
  if (app->zoom_first >= 0 && (at < app->zoom_first || at > app->zoom_last))
    set_window(app, window_span(app));
}

/* Plots of long episodes are read anew for the steps in sight, and lanes are made of them. */
static unsigned plot_window(const struct app *app) {
  return REACT_REDRAW |
         (app->snap && (app_has_lanes(app) || app->snap->plot.n > 0) ? REACT_SEEK : 0);
}

unsigned do_TIME_IN(struct app *app, int64_t count, const char *args) {
  int64_t span = window_span(app);
  (void)args;
  for (int64_t i = 0; i < (count > 0 ? count : 1) && span > ZOOM_LEAST; i++)
    span = span / 2 > ZOOM_LEAST ? span / 2 : ZOOM_LEAST;
  set_window(app, span);
  return plot_window(app);
}

unsigned do_TIME_OUT(struct app *app, int64_t count, const char *args) {
  int64_t span = window_span(app), last = app_last_step(app);
  (void)args;
  for (int64_t i = 0; i < (count > 0 ? count : 1) && span < last; i++)
    span = span > last / 2 ? last : span * 2;
  set_window(app, span);
  return plot_window(app);
}

/* --- episodes and envs --- */

unsigned app_open(struct app *app, size_t episode, int64_t step) {
  if (episode >= app_count(app))
    return REACT_REDRAW;
  if (episode == app->want.episode)
    return app_go(app, step, true);
  app_leave_cut(app, episode);
  app->want.episode = episode;
  app->want.step = 0;
  app->want.envs.past = 0;
  app->want.dyn.substep = 0;
  app->want.dyn.anchor = 0;
  app_leave_branch(app);
  app->want.serial++;
  app->play_from = 0;
  app->nundo = 0;
  app->loop_a = app->loop_b = -1;
  app_zoom_to(app, -1, -1);
  app_show_episode(app);
  return app_go(app, step, false) | REACT_REDRAW | REACT_RELAYOUT | REACT_SEEK;
}

/* The place `by` episodes further, among those of the group where there is one; it stops at the
 * ends. */
static size_t episode_beyond(const struct app *app, int64_t by) {
  const struct group *group = app_group(app);
  int64_t n = (int64_t)(group ? group->n : app_count(app)), at = (int64_t)app->want.episode;
  if (group && n == 0)
    return app->want.episode;
  if (group) {
    at = (int64_t)group_find(group, app->want.episode);
    bool in = at < n && group->place[at] == app->want.episode;
    at -= by > 0 && !in; /* from outside, the next one is the one behind */
  }
  by = by > n ? n : by < -n ? -n : by;
  int64_t to = at + by < 0 ? 0 : at + by >= n ? n - 1 : at + by;
  return group ? group->place[to] : (size_t)to;
}

static unsigned move_episode(struct app *app, int64_t count, int sign) {
  if (app_count(app) == 0) {
    app_complain(app, "there is no episode");
    return REACT_REDRAW;
  }
  int64_t by = count > 0 && count < INT64_MAX ? count : 1;
  size_t to = episode_beyond(app, sign * by);
  if (to == app->want.episode) {
    const char *of = app_group(app) ? " of the group" : "";
    app_say(app, "this is the %s episode%s", sign > 0 ? "last" : "first", of);
    return REACT_REDRAW;
  }
  return app_open(app, to, 0);
}

unsigned do_EPISODE_NEXT(struct app *app, int64_t count, const char *args) {
  (void)args;
  return move_episode(app, count, 1);
}

unsigned do_EPISODE_PREVIOUS(struct app *app, int64_t count, const char *args) {
  (void)args;
  return move_episode(app, count, -1);
}

unsigned do_EPISODE_LAST(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  return move_episode(app, INT64_MAX - 1, 1);
}

/* A few ids that contain what was typed. */
static void near_ids(const struct app *app, const char *id, char *out, size_t size) {
  size_t n = 0;
  int found = 0;
  snprintf(out, size, "%s", "");
  for (size_t i = 0; i < app_count(app) && found < 3 && n < size; i++) {
    const char *other = catalog_entry(app->snap->catalog, i)->id;
    if (strstr(other, id) || strncmp(other, id, 6) == 0) {
      n += (size_t)snprintf(out + n, size - n, "%s%s", found ? ", " : "; near: ", other);
      found++;
    }
  }
}

unsigned do_EPISODE(struct app *app, int64_t count, const char *args) {
  char near[240];
  (void)count;
  size_t place = app_count(app) ? catalog_find(app->snap->catalog, args) : SIZE_MAX;
  if (place != SIZE_MAX)
    return app_open(app, place, 0);
  near_ids(app, args, near, sizeof near);
  app_complain(app, "no episode is called \"%s\"%s", args, near);
  return REACT_REDRAW;
}

/* Whether an episode is of the path that the wanted one is of: another run has envs of its own. */
static bool same_source(const struct app *app, size_t i) {
  const struct catalog *catalog = app->snap->catalog;
  return catalog_source(catalog, i) == catalog_source(catalog, app->want.episode);
}

/* The nearest env id beyond the present one; -1: none. */
static int next_env(const struct app *app, int from, int sign) {
  int found = -1;
  for (size_t i = 0; i < app_count(app); i++) {
    if (!same_source(app, i))
      continue;
    int env = catalog_entry(app->snap->catalog, i)->env_id;
    if ((env > from) == (sign > 0) && env != from && (found < 0 || (env < found) == (sign > 0)))
      found = env;
  }
  return found;
}

/* Envs run in lockstep, so the step is kept. */
static unsigned move_env(struct app *app, int64_t count, int sign) {
  if (!app_has_episode(app)) {
    app_complain(app, "there is no episode");
    return REACT_REDRAW;
  }
  const ph_entry *here = catalog_entry(app->snap->catalog, app->want.episode);
  int env = here->env_id;
  for (int64_t i = 0; i < (count > 0 ? count : 1); i++) {
    int next = next_env(app, env, sign);
    if (next < 0)
      break;
    env = next;
  }
  if (env == here->env_id) {
    app_say(app, "env %d is the %s", env, sign > 0 ? "last" : "first");
    return REACT_REDRAW;
  }
  for (size_t i = 0; i < app_count(app); i++) {
    const ph_entry *entry = catalog_entry(app->snap->catalog, i);
    if (entry->env_id == env && entry->episode == here->episode && same_source(app, i))
      return app_open_env(app, i, app->want.step);
  }
  app_say(app, "env %d has no episode %lld", env, (long long)here->episode);
  return REACT_REDRAW;
}

unsigned do_ENV_NEXT(struct app *app, int64_t count, const char *args) {
  (void)args;
  return move_env(app, count, 1);
}

unsigned do_ENV_PREVIOUS(struct app *app, int64_t count, const char *args) {
  (void)args;
  return move_env(app, count, -1);
}

/* --- settings --- */

unsigned do_PROMPT(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  prompt_open(&app->prompt, "");
  return REACT_REDRAW;
}

static unsigned bind_line(struct app *app, const char *verb, const char *args) {
  char line[PROMPT_SIZE + 16], error[300];
  snprintf(line, sizeof line, "%s %s", verb, args);
  if (keymap_line(&app->keys, line, error, sizeof error))
    app_say(app, "%s", line);
  else
    app_complain(app, "%s: %s", verb, error);
  return REACT_REDRAW;
}

unsigned do_BIND(struct app *app, int64_t count, const char *args) {
  (void)count;
  return bind_line(app, "bind", args);
}

unsigned do_UNBIND(struct app *app, int64_t count, const char *args) {
  (void)count;
  return bind_line(app, "unbind", args);
}

static bool set_scheme(struct app *app, const char *value) {
  for (int i = 0; i < SCHEME_COUNT; i++)
    if (strcmp(value, theme_scheme_name((enum scheme)i)) == 0) {
      app->scheme = (enum scheme)i;
      return true;
    }
  app_complain(app, "set scheme: expected dark, light or mono, got \"%s\"", value);
  return false;
}

static bool set_ascii(struct app *app, const char *value) {
  bool on = strcmp(value, "on") == 0;
  if (!on && strcmp(value, "off") != 0) {
    app_complain(app, "set ascii: expected on or off, got \"%s\"", value);
    return false;
  }
  app->ascii = on;
  return true;
}

static bool set_speed(struct app *app, const char *value) {
  char *end;
  double speed = strtod(value, &end);
  if (end == value || (*end && strcmp(end, "x") != 0) || !(speed >= 0.01 && speed <= 100)) {
    app_complain(app, "set speed: expected a number from 0.01 to 100, got \"%s\"", value);
    return false;
  }
  app->speed = speed;
  return true;
}

unsigned do_SET(struct app *app, int64_t count, const char *args) {
  char name[16], value[64], rest[2];
  (void)count;
  if (sscanf(args, "%15s %63s %1s", name, value, rest) != 2) {
    app_complain(app, "set: expected scheme dark|light|mono, ascii on|off, or speed X");
    return REACT_REDRAW;
  }
  bool done = false;
  if (strcmp(name, "scheme") == 0)
    done = set_scheme(app, value);
  else if (strcmp(name, "ascii") == 0)
    done = set_ascii(app, value);
  else if (strcmp(name, "speed") == 0)
    done = set_speed(app, value);
  else
    app_complain(app, "set: nothing is called \"%s\"; there are ascii, scheme, speed", name);
  if (done)
    app_say(app, "%s %s", name, value);
  return REACT_REDRAW | REACT_RELAYOUT;
}

/* --- the program --- */

unsigned do_COPY(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  char *text = app_key_text(app);
  if (!text) {
    const struct reel *reel = app_reel(app);
    if (reel && reel->raw)
      app_complain(app,
                   "copy: a <key> needs a model; export --at %lld --as npz writes these numbers",
                   (long long)app_shown_step(app));
    else
      app_complain(app, "copy: no state is on show");
    return REACT_REDRAW;
  }
  free(app->copy);
  app->copy = text;
  app_log(app, false,
          "sent to the terminal's clipboard as a MuJoCo <key> element, %zu bytes (tmux: "
          "set-clipboard on)",
          strlen(text));
  return REACT_REDRAW | REACT_COPY;
}

unsigned do_HELP(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  app->help = !app->help;
  return REACT_REDRAW | REACT_RELAYOUT;
}

/* One thing at a time: help, then the zoomed panel, then the focused panel's filter, then a panel
 * that is alone for want of room. */
unsigned do_CANCEL(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  if (app->help)
    app->help = false;
  else if (app->cut_shown)
    app_drop_cut(app);
  else if (app->zoomed >= 0)
    app->zoomed = -1;
  else if (app->filter[app->focus][0])
    app->filter[app->focus][0] = 0;
  else if (app->crowded)
    app->focus = PANEL_TIMELINE;
  else if (app_drop_cut(app) || app_unsave_branch(app))
    return REACT_REDRAW | REACT_RELAYOUT | REACT_SEEK;
  return REACT_REDRAW | REACT_RELAYOUT;
}

enum { TWICE_MS = 2000, QUIT_MS = 10000 };

unsigned do_INTERRUPT(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  uint64_t now = app->now ? app->now : 1;
  if (app->cancel_at && now - app->cancel_at <= TWICE_MS)
    return REACT_QUIT;
  if (app->prompt.open && app->filtering)
    memcpy(app->filter[app_active(app)], app->filter_before, sizeof app->filter_before);
  app->prompt.open = app->filtering = false;
  app->pending = CMD_NONE;
  app->digits[0] = 0;
  app->playing = false;
  app->cancel_at = now;
  bool branch = app_unsave_branch(app), cut = app_drop_cut(app), gave_up = branch || cut;
  app_say(app, "canceled; Ctrl-C again quits");
  return gave_up ? REACT_REDRAW | REACT_SEEK : REACT_REDRAW;
}

unsigned do_REDRAW(struct app *app, int64_t count, const char *args) {
  (void)app, (void)count, (void)args;
  return REACT_REDRAW | REACT_REPAINT;
}

unsigned do_SUSPEND(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  app->tick_at = 0;
  return REACT_SUSPEND;
}

/* Whether a branch or a cut on its way into a file is in the way of leaving: that is said, once. */
static bool asks_again(struct app *app) {
  uint64_t now = app->now ? app->now : 1;
  const char *branch = app_saving_branch(app), *file = branch ? branch : app_cutting(app);
  if (!file || (app->quit_at && now - app->quit_at <= QUIT_MS))
    return false;
  app->quit_at = now;
  app_complain(app, "not saved yet: the %s for %s: quit again to drop it",
               branch ? "branch" : "cut", file);
  return true;
}

unsigned do_QUIT(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  if (!app->help)
    return asks_again(app) ? REACT_REDRAW : REACT_QUIT;
  app->help = false;
  return REACT_REDRAW | REACT_RELAYOUT;
}

unsigned do_QUIT_REMEMBER(struct app *app, int64_t count, const char *args) {
  (void)count, (void)args;
  if (asks_again(app))
    return REACT_REDRAW;
  if (!app_has_episode(app))
    return REACT_QUIT;
  ph_marks *marks = app_own_marks(app);
  for (size_t i = 0; marks && i < app->nsheets; i++)
    ph_marks_leave(&app->sheet[i], &app->sheet[i] == marks ? app_episode_id(app) : NULL,
                   app->want.step);
  return REACT_QUIT | REACT_SAVE;
}
