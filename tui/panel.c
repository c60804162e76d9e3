#include "panel.h"

#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "ghost_view.h"
#include "held_view.h"
#include "panel_timeline.h"
#include "strip.h"
#include "text.h"

static const struct panel panels[PANEL_COUNT] = {
    [PANEL_HEADER] = {"header", false, panel_header_draw, NULL, ""},
    [PANEL_TIMELINE] = {"timeline", true, panel_timeline_draw, NULL, "time-in mark loop"},
    [PANEL_PLOT] = {"plot", true, panel_plot_draw, panel_plot_lines, "enter time-in down"},
    [PANEL_ENVS] = {"envs", true, panel_envs_draw, panel_envs_lines, "enter down env-next"},
    [PANEL_STATE] = {"state", true, panel_state_draw, panel_state_lines, "enter down filter copy"},
    [PANEL_FINDINGS] = {"findings", true, panel_findings_draw, panel_findings_lines,
                        "enter down filter"},
    [PANEL_ACTION] = {"action", true, panel_action_draw, panel_action_lines, "enter down filter"},
    [PANEL_SUCCESS] = {"success", true, panel_success_draw, panel_success_lines,
                       "hold-shorter enter down"},
    [PANEL_EPISODES] = {"episodes", true, panel_episodes_draw, panel_episodes_lines,
                        "enter down filter"},
    [PANEL_LOG] = {"log", true, panel_log_draw, panel_log_lines, "down"},
    [PANEL_HELP] = {"help", true, panel_help_draw, panel_help_lines, "cancel down"},
    [PANEL_STATUS] = {"status", false, panel_status_draw, NULL, ""},
    [PANEL_HINTS] = {"hints", false, panel_hints_draw, NULL, ""},
};

/* Rows that a hold which is moved asks for. */
static int held_rows(const struct app *app) {
  int most = app->rows < 50 ? 9 : 20, lines = held_lines(app);
  return lines < most ? lines : most;
}

const struct panel *panel_get(enum panel_id id) {
  return &panels[id < PANEL_COUNT ? id : PANEL_HEADER];
}

struct rect panel_frame(struct surface *s, struct rect r, const struct app *app, enum panel_id id,
                        const char *title, const char *right) {
  if (r.h < 3)
    return r;
  char buf[512];
  bool focused = app_active(app) == id;
  snprintf(buf, sizeof buf, "%s%s", focused ? "▸ " : "", title);
  surface_rule(s, r, 0, buf, right);
  return (struct rect){r.y + 1, r.x, r.h - 1, r.w};
}

int panel_cursor(const struct app *app, enum panel_id id, int lines) {
  int cursor = app->cursor[id];
  return cursor >= lines ? (lines > 0 ? lines - 1 : 0) : cursor < 0 ? 0 : cursor;
}

int panel_top(const struct app *app, enum panel_id id, int lines, int rows) {
  int cursor = panel_cursor(app, id, lines), top = app->scroll[id];
  if (rows <= 0)
    return 0;
  if (top > lines - rows)
    top = lines - rows;
  if (cursor >= top + rows)
    top = cursor - rows + 1;
  if (cursor < top)
    top = cursor;
  return top < 0 ? 0 : top;
}

void panel_more(struct surface *s, struct rect r, int y, const struct app *app, int hidden) {
  static const struct {
    enum command cmd;
    const char *word;
  } keys[] = {{CMD_DOWN, ""}, {CMD_UP, " scroll"}, {CMD_FILTER, " filter"}, {CMD_ZOOM, " zoom"}};
  struct strip strip = {0};
  strip_add(&strip, 0, STYLE_HINT, STRIP_BLANK, "%d more", hidden);
  for (int i = 0; i < (int)(sizeof keys / sizeof *keys); i++) {
    char key[32];
    keymap_key(&app->keys, keys[i].cmd, key, sizeof key);
    if (key[0])
      strip_add(&strip, i < 2 ? 1 : i, STYLE_HINT, i == 1 ? STRIP_TIGHT : STRIP_BLANK, "%s%s", key,
                keys[i].word);
  }
  r.w--;
  strip_draw(s, r, y, 1, &strip);
}

/* Bytes of text that go into one row: up to the last blank that fits, else as many as fit. */
static size_t wrap_cut(const char *text, int width) {
  size_t cut, n = strlen(text);
  text_width(text, width, &cut);
  if (cut == n || text[cut] == ' ')
    return cut;
  for (size_t i = cut; i > 0; i--)
    if (text[i - 1] == ' ')
      return i;
  return cut;
}

void panel_wrap(struct surface *s, struct rect r, int y, enum style style, const char *text) {
  char row[512];
  int width = r.w - 2;
  for (; *text && width > 0 && y < r.h; y++) {
    size_t n = wrap_cut(text, width);
    if (n == 0)
      return;
    snprintf(row, sizeof row, "%.*s", (int)n, text);
    surface_put(s, r, y, 1, style, row);
    text += n;
    while (*text == ' ')
      text++;
  }
}

int panel_wrap_rows(const char *text, int width) {
  int rows = 0;
  while (*text && width > 2) {
    size_t n = wrap_cut(text, width - 2);
    if (n == 0)
      break;
    rows++;
    text += n;
    while (*text == ' ')
      text++;
  }
  return rows;
}

bool panel_reachable(const struct app *app, enum panel_id id) {
  const struct reel *reel = app_reel(app);
  if (id == PANEL_PLOT)
    return reel && app->snap->plot.n > 0;
  if (id == PANEL_EPISODES && app->want.live.on)
    return false;
  if (id == PANEL_ENVS)
    return reel && app->want.envs.n > 0 && !app->want.live.on;
  if (id == PANEL_FINDINGS)
    return reel && app_finding_count(app) > 0;
  return id != PANEL_HELP && panel_get(id)->focusable;
}

bool panel_opening(const struct app *app) {
  const struct snapshot *snap = app->snap;
  return snap && !snap->reel && app_has_episode(app) &&
         (!snap->error[0] || snap->serial != app->want.serial);
}

bool panel_has_outcome(const struct reel *reel, int64_t step) {
  return reel->predicate && step >= (reel->meta.layout[0] ? 1 : 0) && step < reel->states;
}

bool panel_has_hold(const struct reel *reel) {
  return reel->hold_steps > 0 || !reel->meta.layout[0] || reel->nconditions > 0;
}

int panel_notes(const struct app *app, const char *notes[PANEL_NOTES]) {
  const struct reel *reel = app_reel(app);
  int n = 0;
  if (!reel)
    return 0;
  if (app->snap->note[0])
    notes[n++] = app->snap->note;
  if (reel->model_note[0] && !reel->raw) /* the state panel's title says it */
    notes[n++] = reel->model_note;
  if (reel->task_note[0])
    notes[n++] = reel->task_note;
  return n;
}

void panel_layout_options(const struct app *app, struct layout_options *out) {
  const struct reel *reel = app_reel(app);
  const char *notes[PANEL_NOTES];
  *out = (struct layout_options){.zoomed = app->cut_shown ? PANEL_SUCCESS : app->zoomed,
                                 .help = app->help};
  out->nepisodes = app->snap && app->snap->catalog ? (int)app->snap->catalog->n : 0;
  if (app->want.live.on)
    out->nepisodes = -1;
  out->nnotes = panel_notes(app, notes) + ghost_wanted(app);
  if (!reel)
    return;
  out->has_task = reel->predicate != NULL || reel->nconditions + reel->nstages > 0;
  out->nsignals = (int)reel->nsignals;
  out->nactions = reel->nactions;
  out->nconditions = (int)(reel->nconditions + reel->nstages);
  if (app->want.hold.count)
    out->nconditions += held_rows(app);
  else
    out->nspare = held_unasked(app);
  bool run = app_mode(app) != MODE_KINEMATIC;
  out->nfacts = run ? OUTCOME_FACTS : panel_success_facts(reel);
  out->extra_lanes = timeline_extra(app);
  out->wide_state = (app_mode(app) == MODE_BOTH && !reel->raw) || ghost_in_state(app);
  out->no_conditions = out->nconditions == 0 && reel->meta.layout[0];
  out->ncurves = (int)app->snap->plot.n;
  if (app->want.envs.n > 0 && !app->want.live.on)
    out->nenvs = panel_envs_lines(app) > 0 ? panel_envs_lines(app) : 1;
  out->nfindings = (int)app_finding_count(app);
  for (int i = 0; i < out->nfindings; i++)
    out->findings_text += text_width(app_finding(app, (size_t)i)->text, 1 << 20, NULL) + 8;
}
