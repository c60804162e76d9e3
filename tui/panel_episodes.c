/* The episodes of the catalog: outcome, length, oddities; the open one and the cursor. */
#include <stdio.h>

#include "panel.h"
#include "text.h"

int panel_episodes_lines(const struct app *app) {
  return app_episode_lines(app);
}

/* Widths of the columns; 0: left out. `oddity` takes the rest. */
struct widths {
  int id, env, actions, end, success, determinism, oddity;
};

static void widths_fit(struct widths *w, const struct catalog *catalog, int top, int rows,
                       const struct app *app, int width) {
  *w = (struct widths){.id = 7, .env = 3, .actions = 7, .end = 10, .success = 7};
  bool odd = false;
  for (int i = top; i < top + rows; i++) {
    size_t at = app_episode_at(app, i);
    if (at >= catalog->n)
      break;
    int id = text_width(catalog_entry(catalog, at)->id, 40, NULL);
    w->id = id > w->id ? id : w->id;
    odd |= catalog_entry(catalog, at)->oddity[0] != 0;
  }
  int left = width - 3 - w->id;
  int *const column[] = {&w->end, &w->success, &w->actions, &w->env};
  for (size_t i = 0; i < sizeof column / sizeof *column; i++) {
    if (*column[i] + 2 > left)
      *column[i] = 0;
    left -= *column[i] ? *column[i] + 2 : 0;
  }
  if (w->id > width - 3)
    w->id = width - 3 > 1 ? width - 3 : 1;
  if (left >= 12) {
    w->determinism = 10;
    left -= 12;
  }
  w->oddity = odd && left >= 12 ? left - 2 : 0;
}

static int cell_put(struct surface *s, struct rect r, int y, int x, int width, bool right,
                    enum style style, const char *text) {
  if (width == 0)
    return x;
  char buf[256];
  text_fit(buf, sizeof buf, text, width);
  if (right)
    surface_put_right(s, r, y, x + width, style, buf);
  else
    surface_put(s, r, y, x, style, buf);
  return x + width + 2;
}

static void episodes_head(struct surface *s, struct rect r, const struct widths *w) {
  int x = cell_put(s, r, 0, 2, w->id, false, STYLE_DIM, "episode");
  x = cell_put(s, r, 0, x, w->env, true, STYLE_DIM, "env");
  x = cell_put(s, r, 0, x, w->actions, true, STYLE_DIM, "actions");
  x = cell_put(s, r, 0, x, w->end, false, STYLE_DIM, "ended");
  x = cell_put(s, r, 0, x, w->success, false, STYLE_DIM, "success");
  x = cell_put(s, r, 0, x, w->determinism, false, STYLE_DIM, "replays");
  cell_put(s, r, 0, x, w->oddity, false, STYLE_DIM, "oddity");
}

/* Lengths and outcomes of some files cost a look at each episode: "…" until then. */
static void episode_row(struct surface *s, struct rect r, int y, const struct widths *w,
                        const ph_entry *e, bool looking) {
  char number[32];
  bool unseen = e->actions < 0 && looking;
  enum style outcome = e->success == 1 ? STYLE_GOOD : e->success == 0 ? STYLE_BAD : STYLE_DIM;
  int x = cell_put(s, r, y, 2, w->id, false, STYLE_NORMAL, e->id);
  snprintf(number, sizeof number, "%d", e->env_id);
  x = cell_put(s, r, y, x, w->env, true, STYLE_NORMAL, number);
  if (e->actions < 0 || e->uninterpreted)
    snprintf(number, sizeof number, "%s", unseen ? "…" : "-");
  else
    snprintf(number, sizeof number, "%lld", (long long)e->actions);
  x = cell_put(s, r, y, x, w->actions, true, STYLE_NORMAL, number);
  x = cell_put(s, r, y, x, w->end, false, STYLE_NORMAL, unseen ? "…" : ph_end_name(e->end_reason));
  x = cell_put(s, r, y, x, w->success, false, outcome, unseen ? "…" : app_success_word(e));
  x = cell_put(s, r, y, x, w->determinism, false, STYLE_NORMAL, e->determinism);
  if (w->oddity > 0)
    cell_put(s, r, y, x, w->oddity, false, STYLE_WARN, e->oddity);
  else if (e->oddity[0])
    surface_put_right(s, r, y, r.w, STYLE_WARN, "!");
}

/* Succeeded, judged, and counted at all: of the group, where there is one. */
static void episodes_count(const struct app *app, size_t *good, size_t *judged, size_t *all) {
  const struct catalog *catalog = app->snap->catalog;
  const struct group *group = app_group(app);
  *good = *judged = 0;
  *all = group ? group->n : catalog->n;
  for (size_t i = 0; i < *all; i++) {
    size_t at = group ? group->place[i] : i;
    if (at >= catalog->n)
      continue;
    *good += catalog_entry(catalog, at)->success == 1;
    *judged += catalog_entry(catalog, at)->success >= 0;
  }
}

static void episodes_title(char *buf, size_t size, const struct app *app, int lines) {
  const struct group *group = app_group(app);
  const char *filter = app->filter[PANEL_EPISODES];
  char which[GROUP_NAME + 16] = "episodes";
  size_t good, judged, all;
  episodes_count(app, &good, &judged, &all);
  if (group)
    snprintf(which, sizeof which, "group %s", group->name);
  if (filter[0])
    snprintf(buf, size, "%s: %d of %zu with \"%s\"", which, lines, all, filter);
  else if (group && judged == 0)
    snprintf(buf, size, "%s: %zu of %zu episodes", which, all, app->snap->catalog->n);
  else
    snprintf(buf, size, judged ? "%s: %zu of %zu succeed" : "%s: %zu of %zu judged", which, good,
             all);
}

void panel_episodes_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct catalog *catalog = app->snap ? app->snap->catalog : NULL;
  char title[300] = "episodes";
  int lines = catalog ? app_episode_lines(app) : 0;
  if (catalog && catalog->n > 0)
    episodes_title(title, sizeof title, app, lines);
  r = panel_frame(s, r, app, PANEL_EPISODES, title, NULL);
  if (r.h < 1)
    return;
  if (lines == 0) {
    bool none = !catalog || catalog->n == 0;
    bool live = app->snap && app->snap->following == FOLLOW_LIVE;
    surface_put(s, r, 0, 1, STYLE_DIM,
                !none  ? "none has that text"
                : live ? "the first one is recorded"
                       : "there are none");
    return;
  }
  bool head = r.h >= 2;
  int rows = r.h - (head ? 1 : 0);
  if (lines > rows && rows >= 3)
    rows--;
  int top = panel_top(app, PANEL_EPISODES, lines, rows);
  int cursor = panel_cursor(app, PANEL_EPISODES, lines);
  struct widths w;
  widths_fit(&w, catalog, top, rows, app, r.w);
  if (head)
    episodes_head(s, r, &w);
  struct rect list = {r.y + head, r.x, r.h - head, r.w};
  if (lines > rows && list.h > rows)
    panel_more(s, list, rows, app, lines - rows);
  for (int y = 0; y < rows && top + y < lines; y++) {
    size_t at = app_episode_at(app, top + y);
    if (at >= catalog->n)
      break;
    episode_row(s, list, y, &w, catalog_entry(catalog, at), app->snap->unseen > 0);
    surface_put(s, list, y, 0, STYLE_BOLD, top + y == cursor ? ">" : " ");
    surface_put(s, list, y, 1, STYLE_BOLD, at == app->want.episode ? "*" : " ");
    if (top + y == cursor && app_active(app) == PANEL_EPISODES)
      surface_style(s, (struct rect){list.y + y, list.x, 1, list.w}, STYLE_SELECTED);
  }
}
