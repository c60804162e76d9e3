/* Keys come in here and leave as commands. A key is, in this order: text for the prompt, the name
 * of a mark, a digit of a number, a bound key. Handlers are in cmd_*.c, one per line of
 * commands.def. */
#include "app.h"

#include "cmd.h"
#include "dynamic_view.h"
#include "envs.h"
#include "held_view.h"
#include "panel.h"
#include "panel_timeline.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_STATES ((int64_t)1 << 40)

static unsigned (*const handlers[CMD_COUNT])(struct app *, int64_t, const char *) = {
#define COMMAND(id, name, keys, args, flags, group, help) do_##id,
#include "commands.def"
#undef COMMAND
};

void app_init(struct app *app) {
  memset(app, 0, sizeof *app);
  app->speed = 1.0;
  app->loop_a = app->loop_b = -1;
  app->zoomed = -1;
  app_zoom_to(app, -1, -1);
  app->pending = CMD_NONE;
  app->scheme = SCHEME_DARK;
  app->focus = PANEL_TIMELINE;
  app->event_mask = (1u << EVENT_KIND_COUNT) - 1;
  app->rows = 24;
  app->cols = 80;
  keymap_default(&app->keys);
  app_relayout(app);
}

void app_free(struct app *app) {
  snapshot_free(app->snap);
  app_free_marks(app);
  free(app->passed);
  free(app->ghost_name);
  free(app->copy);
  memset(app, 0, sizeof *app);
}

/* --- messages --- */

void app_say(struct app *app, const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  vsnprintf(app->message, sizeof app->message, fmt, list);
  va_end(list);
  app->message_bad = false;
}

void app_complain(struct app *app, const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  vsnprintf(app->message, sizeof app->message, fmt, list);
  va_end(list);
  app->message_bad = true;
}

void app_log(struct app *app, bool bad, const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  vsnprintf(app->message, sizeof app->message, fmt, list);
  va_end(list);
  app->message_bad = bad;
  char *line = app->log[app->nlog % APP_LOG_LINES];
  snprintf(line, sizeof *app->log, "%s", app->message);
  app->nlog++;
}

/* --- facts --- */

size_t app_count(const struct app *app) {
  return app->snap && app->snap->catalog ? app->snap->catalog->n : 0;
}

bool app_has_episode(const struct app *app) {
  return app->want.episode < app_count(app);
}

const struct reel *app_reel(const struct app *app) {
  return app->snap ? app->snap->reel : NULL;
}

const struct reel *app_wanted_reel(const struct app *app) {
  const struct reel *reel = app_reel(app);
  return reel && reel->episode == app->want.episode ? reel : NULL;
}

int64_t app_last_step(const struct app *app) {
  const struct reel *reel = app_wanted_reel(app);
  int64_t states = 1;
  if (app->want.live.on)
    return app_live_head(app);
  if (reel)
    states = reel->states;
  else if (app_has_episode(app))
    states = catalog_entry(app->snap->catalog, app->want.episode)->states;
  if (states < 0) /* not looked at yet: the answer to a request says how long it is */
    states = UNKNOWN_STATES;
  return states > 0 ? states - 1 : 0;
}

int64_t app_shown_step(const struct app *app) {
  return app->snap && app->snap->reel ? app->snap->step : 0;
}

const char *app_episode_id(const struct app *app) {
  return app_has_episode(app) ? catalog_entry(app->snap->catalog, app->want.episode)->id : "";
}

double app_step_seconds(const struct app *app) {
  const struct reel *reel = app_wanted_reel(app);
  return reel && reel->meta.control_dt > 0 ? reel->meta.control_dt : 0;
}

double app_step_at(const struct app *app, double seconds) {
  const struct reel *reel = app_wanted_reel(app);
  return reel ? clock_step(&reel->clock, &reel->meta, seconds) : 0;
}

enum panel_id app_active(const struct app *app) {
  return app->help ? PANEL_HELP : app->cut_shown ? PANEL_SUCCESS : app->focus;
}

/* --- snapshots and size --- */

void app_zoom_to(struct app *app, int64_t first, int64_t last) {
  app->zoom_first = app->want.plot.first = app->want.dyn.first = first;
  app->zoom_last = app->want.plot.last = app->want.dyn.last = last;
}

/* A panel that has nothing any more leaves the focus. */
static void leave_empty_panel(struct app *app) {
  if (panel_reachable(app, app->focus))
    return;
  if (app->zoomed == (int)app->focus)
    app->zoomed = -1;
  app->focus = PANEL_TIMELINE;
}

void app_relayout(struct app *app) {
  struct layout_options opt = {0};
  leave_empty_panel(app);
  panel_layout_options(app, &opt);
  layout_compute(&app->layout, app->rows, app->cols, &opt);
  app->want.dyn.columns = timeline_lane(app->cols);
  app->want.envs.columns = app->cols < 400 ? app->cols : 400;
  app->want.envs.lines = ENVS_ROWS;
  const struct rect *r = &app->layout.panel[app->focus];
  app->crowded = !app->help && !app->cut_shown && app->zoomed < 0 && (r->h <= 0 || r->w <= 0);
  if (!app->crowded)
    return;
  opt.zoomed = (int)app->focus;
  layout_compute(&app->layout, app->rows, app->cols, &opt);
}

unsigned app_resize(struct app *app, int rows, int cols) {
  app->rows = rows > 0 ? rows : 1;
  app->cols = cols > 0 ? cols : 1;
  int columns = app->want.dyn.columns;
  app_refilter_if_changed(app);
  app_relayout(app);
  bool lanes = app->snap && app_has_lanes(app);
  bool wider = lanes && columns != app->want.dyn.columns;
  return REACT_REDRAW | REACT_RELAYOUT | (wider ? REACT_SEEK : 0);
}

/* What a newly opened episode has to say goes to the log, once. */
static void log_reel(struct app *app, const struct reel *reel) {
  const char *id = reel->meta.id;
  int64_t steps;
  if (app->want.hold.on &&
      ph_hold_steps(&steps, app->want.hold.seconds, reel->meta.control_dt) != PH_OK)
    app_log(app, true, "%s: %s: its own is in force", id, ph_error());
  if (reel->model_note[0])
    app_log(app, true, "%s: %s", id, reel->model_note);
  if (reel->task_note[0])
    app_log(app, true, "%s: %s", id, reel->task_note);
  const char *oddity = reel->episode < app_count(app)
                           ? catalog_entry(app->snap->catalog, reel->episode)->oddity
                           : "";
  if (*oddity)
    app_log(app, true, "%s: %s", id, oddity);
}

/* What is beyond the end of the episode that came. */
static void clamp_to_episode(struct app *app) {
  if (app->want.episode >= app_count(app))
    app->want.episode = 0;
  int64_t last = app_last_step(app);
  if (app->want.step > last) {
    app->want.step = last;
    app->play_from = (double)last;
  }
  if (app->want.dyn.anchor > last)
    app->want.dyn.anchor = 0;
  if (app->want.step == last)
    app->want.dyn.substep = 0;
  if (app->loop_b > last)
    app->loop_a = app->loop_b = -1;
  if (app->zoom_last > last)
    app_zoom_to(app, -1, -1);
}

unsigned app_take(struct app *app, struct snapshot *snap) {
  struct snapshot *old = app->snap;
  const struct reel *before = old ? old->reel : NULL;
  const struct catalog *catalog = old ? old->catalog : NULL;
  const struct group *group = old ? old->group : NULL;
  size_t count = app_count(app), curves = old ? old->plot.n : 0;
  const struct dynamic_answer *dyn = app_dyn(app);
  size_t findings = app_finding_count(app);
  int envs = panel_envs_lines(app), held = held_lines(app);
  uint64_t saves = dyn ? dyn->saves : 0;
  uint64_t cuts = old && old->held ? old->held->cuts : app->want.cut.serial;
  bool judged = dyn && lane_judged(app), refused = dyn && dyn->refused[0];
  app->snap = snap;
  if (snap->catalog != catalog || snap->group != group)
    app_refilter(app);
  if (snap->error[0] && !(old && strcmp(old->error, snap->error) == 0))
    app_log(app, true, "%s", snap->error);
  if (snap->reel && !reel_same(snap->reel, before) && !(snap->reel->live && before))
    log_reel(app, snap->reel);
  bool opened = !reel_same(snap->reel, before) && !(before && snap->reel && snap->reel->live &&
                                                    old->live.resets == snap->live.resets);
  app_take_plots(app, opened);
  app_take_live(app, old);
  clamp_to_episode(app);
  app_clamp_envs(app);
  app_take_envs(app);
  bool noted = (snap->note[0] != 0) != (old && old->note[0]) || snap->plot.n != curves;
  bool came = app_count(app) != count;
  dyn = app_dyn(app);
  noted |= panel_envs_lines(app) != envs || held_lines(app) != held ||
           app_finding_count(app) != findings || (dyn && lane_judged(app)) != judged ||
           (dyn && dyn->refused[0]) != refused;
  app_take_refusal(app, refused);
  app_take_branch(app, saves);
  app_take_cut(app, cuts);
  noted |= app_take_ghost(app, old);
  bool changed = opened || (came && count == 0) || snap->group != group;
  app_take_following(app, old ? old->following : FOLLOW_NONE);
  snapshot_free(old);
  if (changed || noted || came)
    app_relayout(app);
  if (changed) /* the cursor stays where it is when only new episodes came */
    app_show_episode(app);
  return REACT_REDRAW | (changed || noted || came ? REACT_RELAYOUT : 0);
}

unsigned app_starve(struct app *app) {
  app_log(app, true, "step %lld: out of memory: %s", (long long)app->want.step,
          app_reel(app) ? "the screen shows an earlier answer" : "nothing is on show");
  app->playing = false;
  return REACT_REDRAW;
}

/* --- keys --- */

unsigned app_apply(struct app *app, enum command cmd, int64_t count, const char *args) {
  if (cmd >= CMD_COUNT)
    return 0;
  unsigned flags = command_info(cmd)->flags;
  if ((flags & CF_LIVE) && !app->want.live.on) {
    app_complain(app, "%s: only in a preview: playhead preview TASK.lua", command_info(cmd)->name);
    return REACT_REDRAW;
  }
  if ((flags & CF_EPISODE) && !app_has_episode(app)) {
    app_complain(app, "%s: no episode is open", command_info(cmd)->name);
    return REACT_REDRAW;
  }
  if (flags & CF_PAUSE)
    app->playing = false;
  unsigned react = handlers[cmd](app, count, args ? args : "") | REACT_REDRAW;
  app->stepping = (flags & CF_PAUSE) != 0;
  app_refilter_if_changed(app);
  if (react & REACT_RELAYOUT)
    app_relayout(app);
  return react;
}

static unsigned filter_key(struct app *app, uint32_t key) {
  char *filter = app->filter[app_active(app)];
  enum prompt_result result = prompt_key(&app->prompt, key);
  const char *text = result == PROMPT_CANCELED ? app->filter_before : app->prompt.text;
  snprintf(filter, sizeof *app->filter, "%.63s", text);
  size_t n = strlen(filter); /* a character cut in two would match nothing */
  if (n == sizeof *app->filter - 1 && text[n]) {
    while (n > 0 && (text[n] & 0xc0) == 0x80)
      n--;
    filter[n] = 0;
  }
  app->cursor[app_active(app)] = app->scroll[app_active(app)] = 0;
  app->filtering = result == PROMPT_EDITING;
  app_refilter_if_changed(app);
  return REACT_REDRAW;
}

static unsigned prompt_input(struct app *app, uint32_t key) {
  if (app->filtering)
    return filter_key(app, key);
  if (key == KEY_TAB_)
    app_list_ghosts(app);
  app->prompt.names = app_prompt_name;
  app->prompt.names_arg = app;
  enum prompt_result result = prompt_key(&app->prompt, key);
  if (app->prompt.hint[0])
    app_say(app, "%s", app->prompt.hint);
  return result == PROMPT_DONE ? app_line(app, app->prompt.text) | REACT_REDRAW : REACT_REDRAW;
}

/* The key after m or '. */
static unsigned mark_input(struct app *app, uint32_t key) {
  enum command cmd = app->pending;
  char name[5];
  app->pending = CMD_NONE;
  if (key == KEY_ESC_ || key == 3)
    return REACT_REDRAW;
  if (!key_utf8(key, name) || key < 32)
    snprintf(name, sizeof name, "?");
  return app_apply(app, cmd, 0, name);
}

static int64_t typed_number(const struct app *app) {
  return app->digits[0] ? strtoll(app->digits, NULL, 10) : 0; /* at most 18 digits: it fits */
}

/* Keys that belong to the number being typed; false: this one does not. */
static bool number_input(struct app *app, uint32_t key, unsigned *react) {
  size_t n = strlen(app->digits);
  *react = REACT_REDRAW;
  if (key >= '0' && key <= '9') {
    if (n < 18) {
      app->digits[n] = (char)key;
      app->digits[n + 1] = 0;
    }
    return true;
  }
  if (n == 0)
    return false;
  if (key == KEY_BACKSPACE_) {
    app->digits[n - 1] = 0;
    return true;
  }
  const struct binding *binding = keymap_binding(&app->keys, key);
  enum command cmd = binding && !binding->args[0] ? binding->cmd : CMD_NONE;
  bool letter = key < KEY_SPECIAL_; /* 213G goes to 213, as in vi; End after digits is still End */
  if (key == KEY_ENTER_ || key == '%' || cmd == CMD_GO || (cmd == CMD_LAST && letter)) {
    char line[24];
    snprintf(line, sizeof line, "%s%s", app->digits, key == '%' ? "%" : "");
    app->digits[0] = 0;
    *react |= app_apply(app, CMD_GO, 0, line);
    return true;
  }
  return false;
}

/* While the help is open the keys of movement scroll it, whatever they are bound to. */
static bool help_input(struct app *app, uint32_t key, unsigned *react) {
  int page = app->layout.panel[PANEL_HELP].h - 2;
  bool far = key == KEY_HOME_ || key == KEY_END_;
  bool paged = key == KEY_PGUP_ || key == KEY_PGDN_;
  if (!app->help || !(far || paged || key == KEY_UP_ || key == KEY_DOWN_))
    return false;
  bool down = key == KEY_PGDN_ || key == KEY_DOWN_ || key == KEY_END_;
  int64_t by = far ? INT32_MAX : paged && page > 1 ? page : 1;
  app->digits[0] = 0;
  *react = app_apply(app, down ? CMD_DOWN : CMD_UP, by, NULL);
  return true;
}

static unsigned bound_key(struct app *app, uint32_t key) {
  char name[32];
  const struct binding *binding = keymap_binding(&app->keys, key);
  enum command cmd = binding ? binding->cmd : CMD_NONE;
  int64_t count = typed_number(app);
  bool number = app->digits[0] != 0;
  app->digits[0] = 0;
  if (key == KEY_ESC_)
    cmd = CMD_CANCEL;
  if (cmd == CMD_CANCEL && number)
    return REACT_REDRAW;
  if (cmd == CMD_NONE) {
    app_say(app, "the key %s is free; ? shows those that are not",
            key_name(key, name, sizeof name));
    return REACT_REDRAW;
  }
  if (number && count == 0)
    return REACT_REDRAW; /* nought times */
  bool counts = command_info(cmd)->flags & CF_REPEAT;
  const char *args = binding && !(number && counts) ? binding->args : NULL;
  return app_apply(app, cmd, counts ? count : 0, args);
}

unsigned app_key(struct app *app, uint32_t key, uint64_t now_ms) {
  unsigned react = REACT_REDRAW;
  if (key & KEY_PASTED_ && !app->prompt.open)
    return 0;
  key &= ~KEY_PASTED_;
  app->now = now_ms;
  app->message[0] = 0;
  if (key == 3)
    return app_apply(app, CMD_INTERRUPT, 0, NULL);
  app->cancel_at = 0;
  if (app->prompt.open)
    return prompt_input(app, key);
  if (app->pending != CMD_NONE)
    return mark_input(app, key);
  if (help_input(app, key, &react) || number_input(app, key, &react))
    return react;
  return react | bound_key(app, key);
}

/* --- the prompt's lines --- */

unsigned app_line(struct app *app, const char *line) {
  char name[64], near[200];
  char trimmed[PROMPT_SIZE];
  line += strspn(line, " \t");
  snprintf(trimmed, sizeof trimmed, "%s", line);
  for (size_t n = strlen(trimmed); n > 0 && trimmed[n - 1] == ' ';)
    trimmed[--n] = 0;
  if (!trimmed[0])
    return 0;
  if (trimmed[0] >= '0' && trimmed[0] <= '9')
    return app_apply(app, CMD_GO, 0, trimmed);
  size_t n = strcspn(trimmed, " \t");
  snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), trimmed);
  const char *args = trimmed + n + strspn(trimmed + n, " \t");
  enum command cmd = command_find(name);
  if (strcmp(name, "cut!") == 0) /* "cut" and "! FILE" */
    return app_apply(app, CMD_CUT, 0, trimmed + n - 1);
  if (cmd == CMD_NONE) {
    const char *hint = command_near(name, near, sizeof near);
    app_complain(app, "no command is called \"%s\"%s%s", name, *hint ? "; " : "", hint);
    return REACT_REDRAW;
  }
  if (*args && !*command_info(cmd)->args) {
    app_complain(app, "%s takes no arguments, got \"%s\"", name, args);
    return REACT_REDRAW;
  }
  return app_apply(app, cmd, 0, args);
}
