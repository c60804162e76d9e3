#include "panel.h"

#include <stdio.h>

#include "text.h"

static const struct panel panels[PANEL_COUNT] = {
    [PANEL_HEADER] = {"header", false, panel_header_draw, NULL, ""},
    [PANEL_TIMELINE] = {"timeline", true, panel_timeline_draw, NULL, "time-in time-out mark loop"},
    [PANEL_STATE] = {"state", true, panel_state_draw, panel_state_lines, "down up filter copy"},
    [PANEL_ACTION] = {"action", true, panel_action_draw, panel_action_lines, "down up filter"},
    [PANEL_SUCCESS] = {"success", true, panel_success_draw, panel_success_lines, "down up"},
    [PANEL_EPISODES] = {"episodes", true, panel_episodes_draw, panel_episodes_lines,
                        "enter down up filter"},
    [PANEL_LOG] = {"log", true, panel_log_draw, panel_log_lines, "down up"},
    [PANEL_HELP] = {"help", true, panel_help_draw, panel_help_lines, "cancel down up"},
    [PANEL_STATUS] = {"status", false, panel_status_draw, NULL, ""},
    [PANEL_HINTS] = {"hints", false, panel_hints_draw, NULL, ""},
};

const struct panel *panel_get(enum panel_id id) {
  return &panels[id < PANEL_COUNT ? id : PANEL_HEADER];
}

struct rect panel_frame(struct surface *s, struct rect r, const struct app *app, enum panel_id id,
                        const char *title, const char *right) {
  if (r.h < 3)
    return r;
  char buf[256];
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
  char down[32], up[32], filter[32], zoom[32];
  keymap_key(&app->keys, CMD_DOWN, down, sizeof down);
  keymap_key(&app->keys, CMD_UP, up, sizeof up);
  keymap_key(&app->keys, CMD_FILTER, filter, sizeof filter);
  keymap_key(&app->keys, CMD_ZOOM, zoom, sizeof zoom);
  surface_printf(s, r, y, 1, STYLE_HINT, "%d more  %s %s scroll  %s filter  %s zoom", hidden, down,
                 up, filter, zoom);
}

int panel_notes(const struct app *app, const char *notes[2]) {
  const struct reel *reel = app_reel(app);
  int n = 0;
  if (!reel)
    return 0;
  if (reel->model_note[0])
    notes[n++] = reel->model_note;
  if (reel->task_note[0])
    notes[n++] = reel->task_note;
  return n;
}

void panel_layout_options(const struct app *app, struct layout_options *out) {
  const struct reel *reel = app_reel(app);
  const char *notes[2];
  *out = (struct layout_options){.zoomed = app->zoomed, .help = app->help};
  out->nepisodes = app->snap && app->snap->catalog ? (int)app->snap->catalog->n : 0;
  out->nnotes = panel_notes(app, notes);
  if (!reel)
    return;
  out->has_task = reel->predicate != NULL || reel->nconditions > 0;
  out->nsignals = (int)reel->nsignals;
  out->nactions = reel->nactions;
  out->nconditions = (int)reel->nconditions;
}
