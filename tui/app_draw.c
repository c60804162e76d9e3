/* The whole screen: each panel in its rectangle, lines between them, the prompt. */
#include <stdio.h>
#include <string.h>

#include "panel.h"
#include "text.h"

static void draw_too_small(struct surface *s) {
  char text[80];
  struct rect r = {0, 0, s->rows, s->cols};
  snprintf(text, sizeof text, "%dx%d is too small", s->cols, s->rows);
  surface_put(s, r, s->rows / 2, 0, STYLE_WARN, text);
  snprintf(text, sizeof text, "needs %dx%d", LAYOUT_MIN_COLS, LAYOUT_MIN_ROWS);
  surface_put(s, r, s->rows / 2 + 1, 0, STYLE_NORMAL, text);
}

static bool in_rect(struct rect r, int y, int x) {
  return y >= r.y && y < r.y + r.h && x >= r.x && x < r.x + r.w;
}

static bool is_panel(const struct app *app, int y, int x) {
  for (int i = 0; i < PANEL_COUNT; i++)
    if (in_rect(app->layout.panel[i], y, x))
      return true;
  return false;
}

static bool is_rule(const struct surface *s, int y, int x) {
  if (y < 0 || x < 0 || y >= s->rows || x >= s->cols)
    return false;
  const struct cell *c = &s->cells[(size_t)y * (size_t)s->cols + (size_t)x];
  return strcmp(c->text, s->ascii ? "-" : "─") == 0 && c->style == STYLE_BORDER;
}

static const char *joint(bool left, bool right, bool up, bool down) {
  if (left && right)
    return up && down ? "┼" : down ? "┬" : up ? "┴" : "─";
  if (up && down)
    return left ? "┤" : right ? "├" : "│";
  return "│";
}

/* The columns that the layout leaves between panels. */
static void draw_borders(const struct app *app, struct surface *s) {
  struct rect all = {0, 0, s->rows, s->cols};
  for (int y = 0; y < s->rows; y++)
    for (int x = 1; x + 1 < s->cols; x++) {
      if (is_panel(app, y, x) || !is_panel(app, y, x - 1) || !is_panel(app, y, x + 1))
        continue;
      bool up = y > 0 && !is_panel(app, y - 1, x);
      bool down = y + 1 < s->rows && !is_panel(app, y + 1, x);
      surface_put(s, all, y, x, STYLE_BORDER,
                  joint(is_rule(s, y, x - 1), is_rule(s, y, x + 1), up, down));
    }
}

/* The line being typed, shifted so that the cursor is in sight. */
static void draw_prompt(const struct app *app, struct surface *s, struct rect r) {
  const struct prompt *p = &app->prompt;
  struct rect line = {r.y, r.x, 1, r.w};
  surface_fill(s, line, STYLE_PROMPT, " ");
  int x = surface_put(s, line, 0, 0, STYLE_KEY, app->filtering ? "filter: " : ":");
  size_t length = strlen(p->text), cursor = p->cursor < length ? p->cursor : length, skip = 0;
  char before[PROMPT_SIZE];
  snprintf(before, sizeof before, "%.*s", (int)cursor, p->text);
  int room = r.w - x - 1;
  while (room > 0 && skip < cursor && text_width(before + skip, 1 << 20, NULL) > room) {
    uint32_t code;
    skip += text_decode(before + skip, cursor - skip, &code);
  }
  int at = x + text_width(before + skip, 1 << 20, NULL);
  int end = x + surface_put(s, line, 0, x, STYLE_PROMPT, p->text + skip);
  surface_style(s, (struct rect){r.y, r.x + at, 1, at < r.w ? 1 : 0}, STYLE_PLAYHEAD);
  if (p->hint[0])
    surface_put(s, line, 0, end + 3, STYLE_HINT, p->hint);
}

static bool rect_empty(struct rect r) {
  return r.h <= 0 || r.w <= 0;
}

void app_draw(const struct app *app, struct surface *s) {
  s->ascii = app->ascii;
  if (!surface_resize(s, app->rows, app->cols))
    return;
  if (app->layout.too_small) {
    draw_too_small(s);
    return;
  }
  for (int i = 0; i < PANEL_COUNT; i++)
    if (!rect_empty(app->layout.panel[i]))
      panel_get((enum panel_id)i)->draw(s, app->layout.panel[i], app);
  draw_borders(app, s);
  struct rect last = app->layout.panel[PANEL_HINTS];
  if (rect_empty(last))
    last = app->layout.panel[PANEL_STATUS];
  if (app->prompt.open && !rect_empty(last))
    draw_prompt(app, s, last);
}
