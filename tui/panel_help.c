/* The command table with the keys that are bound now; commands without a key too, by the name that
 * the prompt takes. */
#include <stdio.h>
#include <string.h>

#include "panel.h"
#include "text.h"

/* All keys of a command, "n . Right w(5)"; in brackets the arguments that a key comes with. */
static void help_keys(char *buf, size_t size, const struct keymap *map, enum command cmd) {
  size_t n = 0;
  buf[0] = 0;
  for (size_t i = 0; i < map->n && n + 1 < size; i++) {
    char name[32];
    if (map->binding[i].cmd != cmd)
      continue;
    const char *args = map->binding[i].args;
    key_name(map->binding[i].key, name, sizeof name);
    n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "", name);
    if (*args && n + 1 < size)
      n += (size_t)snprintf(buf + n, size - n, "(%s)", args);
  }
}

/* A line of the help: a heading (cmd CMD_NONE), or a command. */
struct help_line {
  const char *group;
  enum command cmd;
};

static bool group_seen(int before, const char *group) {
  for (int i = 0; i < before; i++)
    if (strcmp(command_info((enum command)i)->group, group) == 0)
      return true;
  return false;
}

static int help_group(struct help_line *out, const char *group) {
  int n = 0;
  out[n++] = (struct help_line){group, CMD_NONE};
  for (int i = 0; i < CMD_COUNT; i++)
    if (strcmp(command_info((enum command)i)->group, group) == 0)
      out[n++] = (struct help_line){group, (enum command)i};
  return n;
}

/* Groups in the order of the table, each with all its commands; a preview's own come first in one.
 * Returns the number of lines. */
static int help_lines(const struct app *app, struct help_line out[2 * CMD_COUNT]) {
  const char *first = app->want.live.on ? command_info(CMD_RESET)->group : "";
  int n = *first ? help_group(out, first) : 0;
  for (int i = 0; i < CMD_COUNT; i++) {
    const char *group = command_info((enum command)i)->group;
    if (!group_seen(i, group) && strcmp(group, first) != 0)
      n += help_group(out + n, group);
  }
  return n;
}

enum { HELP_COLUMN = 96 };

static int help_columns(int width) {
  return width >= 2 * HELP_COLUMN ? 2 : 1;
}

/* Rows that a list of `lines` needs in `columns`. */
static int help_rows(int lines, int columns) {
  return (lines + columns - 1) / columns;
}

int panel_help_lines(const struct app *app) {
  struct help_line lines[2 * CMD_COUNT];
  struct rect r = app->layout.panel[PANEL_HELP];
  int rows = help_rows(help_lines(app, lines), help_columns(r.w)), shown = r.h >= 3 ? r.h - 1 : r.h;
  return rows > shown ? rows - shown + 1 : 1;
}

static void help_line_draw(struct surface *s, struct rect r, int y, const struct app *app,
                           const struct help_line *line) {
  char keys[120], fit[160];
  if (line->cmd == CMD_NONE) {
    surface_put(s, r, y, 1, STYLE_TITLE, line->group);
    return;
  }
  const struct command_info *info = command_info(line->cmd);
  int key_width = r.w >= 60 ? 14 : 9, x = 2;
  bool names = r.w >= 94;
  help_keys(keys, sizeof keys, &app->keys, line->cmd);
  enum style style = keys[0] ? STYLE_KEY : STYLE_DIM;
  if (!keys[0])
    snprintf(keys, sizeof keys, names ? "(none)" : ":%s", info->name);
  text_fit(fit, sizeof fit, keys, key_width);
  surface_put(s, r, y, x, style, fit);
  x += key_width + 1;
  if (names) {
    surface_printf(s, r, y, x, STYLE_DIM, ":%s", info->name);
    x += 20;
  }
  text_fit(fit, sizeof fit, info->help, r.w - x);
  surface_put(s, r, y, x, STYLE_NORMAL, fit);
}

static void help_title(char *buf, size_t size, const struct app *app, int above, int below) {
  char key[32] = "", down[32], up[32];
  keymap_key(&app->keys, CMD_CANCEL, key, sizeof key);
  keymap_key(&app->keys, CMD_DOWN, down, sizeof down);
  keymap_key(&app->keys, CMD_UP, up, sizeof up);
  int n = snprintf(buf, size, "%s closes", key[0] ? key : ":cancel");
  if ((above || below) && n > 0 && (size_t)n < size)
    snprintf(buf + n, size - (size_t)n, "  %s %s scroll: %d above, %d below", down, up, above,
             below);
}

void panel_help_draw(struct surface *s, struct rect r, const struct app *app) {
  struct help_line lines[2 * CMD_COUNT];
  char right[160];
  int n = help_lines(app, lines), columns = help_columns(r.w), rows = help_rows(n, columns);
  int shown = r.h >= 3 ? r.h - 1 : r.h, hidden = rows > shown ? rows - shown : 0;
  int top = app->cursor[PANEL_HELP] < hidden ? app->cursor[PANEL_HELP] : hidden;
  if (top < 0)
    top = 0;
  help_title(right, sizeof right, app, top, hidden - top);
  r = panel_frame(s, r, app, PANEL_HELP, "help", right);
  int each = r.w / columns;
  for (int i = 0; i < n; i++) {
    int y = i % rows - top, x = i / rows * each;
    if (y >= 0 && y < r.h)
      help_line_draw(s, (struct rect){r.y, r.x + x, r.h, each - (columns > 1)}, y, app, &lines[i]);
  }
}
