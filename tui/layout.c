#include "layout.h"

#include <string.h>

enum { LISTS_ROWS = 9 }; /* from which on there are episodes and a log */

static int min_int(int a, int b) {
  return a < b ? a : b;
}

static int max_int(int a, int b) {
  return a > b ? a : b;
}

static int clamp(int x, int low, int high) {
  return max_int(low, min_int(x, high));
}

/* Takes h rows from the top of *area. */
static struct rect take_top(struct rect *area, int h) {
  h = clamp(h, 0, area->h);
  struct rect r = {area->y, area->x, h, area->w};
  area->y += h;
  area->h -= h;
  return r;
}

static struct rect take_bottom(struct rect *area, int h) {
  h = clamp(h, 0, area->h);
  area->h -= h;
  return (struct rect){area->y + area->h, area->x, h, area->w};
}

/* Takes w columns from the left of *area and leaves one between. */
static struct rect take_left(struct rect *area, int w) {
  w = clamp(w, 0, area->w);
  struct rect r = {area->y, area->x, area->h, w};
  int used = min_int(w + 1, area->w);
  area->x += used;
  area->w -= used;
  return r;
}

static int header_rows(int rows, const struct layout_options *opt) {
  if (rows < 10)
    return 1;
  return rows >= 30 ? 2 + clamp(opt->nnotes, 0, 2) : 2;
}

/* Lanes of the timeline by the screen's height; two of them are about success. */
static int timeline_rows(int rows, const struct layout_options *opt) {
  int n = rows < 8 ? 2 : rows < 10 ? 3 : rows < 20 ? 4 : rows < 30 ? 5 : rows < 45 ? 6 : 7;
  n = opt->has_task ? n : max_int(2, n - 2);
  int extra = rows < 10 ? 0 : rows < 20 ? 2 : rows < 30 ? 3 : rows < 45 ? 5 : 8;
  return n + min_int(opt->extra_lanes, extra);
}

static int success_rows(int w, const struct layout_options *opt) {
  if (!opt->has_task)
    return 5;
  int facts = opt->nfacts > 0 ? opt->nfacts : 5;
  int conditions = opt->no_conditions ? 0 : max_int(opt->nconditions, 1);
  return 1 + (w >= 72 ? max_int(facts, conditions) : facts + conditions);
}

/* Curves lie under each other, each with a title. */
static int plot_rows(int h, const struct layout_options *opt) {
  int want = opt->ncurves == 1 ? 10 : 5 * opt->ncurves;
  return h < 14 || opt->ncurves <= 0 ? 0 : clamp(want, 4, h * 2 / 5);
}

/* A line an env, under a title and an axis. */
static int envs_rows(int h, const struct layout_options *opt) {
  return h < 12 || opt->nenvs <= 0 ? 0 : clamp(2 + opt->nenvs, 3, h * 2 / 5);
}

/* Findings, each from a line of its own; about. */
static int findings_rows(int w, int h, const struct layout_options *opt) {
  if (opt->nfindings <= 0 || h < 12)
    return 0;
  int want = 1 + opt->nfindings + opt->findings_text / max_int(1, w - 6);
  return clamp(want, 3, max_int(3, h / 3));
}

static int action_rows(const struct layout_options *opt) {
  return 2 + max_int(opt->nactions, 1);
}

static int episode_rows(const struct layout_options *opt) {
  return 2 + max_int(opt->nepisodes, 1);
}

/* Episodes, then the log, into what is left; a rest without a panel goes to *last. */
static void place_lists(struct layout *out, struct rect area, const struct layout_options *opt,
                        struct rect *last) {
  int episodes = 0, log = 0, want = episode_rows(opt);
  if (opt->nepisodes < 0 && area.h >= 3) {
    log = area.h;
  } else if (area.h >= LISTS_ROWS) {
    log = clamp(area.h / 4, 3, 8);
    episodes = area.h - log;
    if (episodes > want) {
      log += episodes - want;
      episodes = want;
    }
  } else if (area.h >= 3) {
    episodes = area.h;
  } else {
    last->h += area.h;
    return;
  }
  if (episodes > 0)
    out->panel[PANEL_EPISODES] = take_top(&area, episodes);
  if (log > 0)
    out->panel[PANEL_LOG] = take_top(&area, log);
}

/* Success over actions in one column; what is left of it is returned in *rest. */
static struct rect *place_judgement(struct layout *out, struct rect area,
                                    const struct layout_options *opt, struct rect *rest) {
  int success = min_int(success_rows(area.w, opt), area.h);
  struct rect *last = &out->panel[PANEL_SUCCESS];
  struct layout_options more = *opt;
  more.nconditions += opt->nspare;
  int with = success_rows(area.w, &more);
  if (area.h - with >= action_rows(opt) + LISTS_ROWS)
    success = with;
  if (area.h - success < 3 && area.h >= 7)
    success = area.h - 3;
  *last = take_top(&area, success);
  int action = min_int(action_rows(opt), area.h);
  if (area.h - action < 4 && area.h >= 9)
    action = min_int(action, area.h - 4);
  if (action >= 3) {
    last = &out->panel[PANEL_ACTION];
    *last = take_top(&area, action);
  }
  *rest = area;
  return last;
}

static void place_one_column(struct layout *out, struct rect body,
                             const struct layout_options *opt) {
  int h = body.h;
  if (h >= 26)
    out->panel[PANEL_LOG] = take_bottom(&body, 3);
  if (h >= 18 && opt->nepisodes >= 0)
    out->panel[PANEL_EPISODES] = take_bottom(&body, clamp(episode_rows(opt), 3, h / 5));
  if (h >= 12)
    out->panel[PANEL_ACTION] = take_bottom(&body, clamp(action_rows(opt), 3, max_int(3, h / 4)));
  if (h >= 6)
    out->panel[PANEL_SUCCESS] =
        take_bottom(&body, clamp(success_rows(body.w, opt), 3, max_int(3, h / 3)));
  if (body.h >= 10)
    out->panel[PANEL_FINDINGS] =
        take_bottom(&body, findings_rows(body.w, max_int(12, body.h), opt));
  /* The bottom ones were taken lowest first: findings, success, action, episodes, log from top to
   * bottom. */
  out->panel[PANEL_STATE] = body;
}

static void place_columns(struct layout *out, struct rect body, const struct layout_options *opt) {
  bool three = body.w >= 160;
  int part = three ? 38 : !opt->wide_state ? 48 : body.w < 100 ? 57 : 51;
  out->panel[PANEL_STATE] = take_left(&body, (body.w - 1) * part / 100);
  struct rect rest;
  if (!three) {
    out->panel[PANEL_FINDINGS] = take_top(&body, findings_rows(body.w, body.h, opt));
    struct rect *last = place_judgement(out, body, opt, &rest);
    place_lists(out, rest, opt, last);
    return;
  }
  struct rect middle = take_left(&body, body.w * 53 / 100);
  out->panel[PANEL_FINDINGS] = take_top(&middle, findings_rows(middle.w, middle.h, opt));
  struct rect *last = place_judgement(out, middle, opt, &rest);
  bool list = opt->nepisodes >= 0;
  if (rest.h >= 3 && list)
    out->panel[PANEL_LOG] = rest;
  else
    last->h += rest.h;
  out->panel[list ? PANEL_EPISODES : PANEL_LOG] = body;
}

/* One panel over the body; over a tall one the lanes of the timeline stay. */
static void place_zoomed(struct layout *out, struct rect body, int rows, int zoomed,
                         const struct layout_options *opt) {
  if (zoomed != PANEL_HELP && zoomed != PANEL_TIMELINE && body.h >= 10)
    out->panel[PANEL_TIMELINE] = take_top(&body, min_int(5, timeline_rows(rows, opt)));
  out->panel[zoomed] = body;
}

static bool is_body_panel(int id) {
  return id == PANEL_TIMELINE || id == PANEL_STATE || id == PANEL_ACTION || id == PANEL_SUCCESS ||
         id == PANEL_EPISODES || id == PANEL_LOG || id == PANEL_HELP || id == PANEL_PLOT ||
         id == PANEL_FINDINGS || id == PANEL_ENVS;
}

void layout_compute(struct layout *out, int rows, int cols, const struct layout_options *opt) {
  memset(out, 0, sizeof *out);
  if (rows < LAYOUT_MIN_ROWS || cols < LAYOUT_MIN_COLS) {
    out->too_small = true;
    return;
  }
  struct rect body = {0, 0, rows, cols};
  if (rows >= 8)
    out->panel[PANEL_HINTS] = take_bottom(&body, 1);
  out->panel[PANEL_STATUS] = take_bottom(&body, 1);
  out->panel[PANEL_HEADER] = take_top(&body, header_rows(rows, opt));
  if (opt->help) {
    place_zoomed(out, body, rows, PANEL_HELP, opt);
    return;
  }
  if (is_body_panel(opt->zoomed)) {
    place_zoomed(out, body, rows, opt->zoomed, opt);
    return;
  }
  out->panel[PANEL_TIMELINE] = take_top(&body, timeline_rows(rows, opt));
  out->panel[PANEL_PLOT] = take_top(&body, plot_rows(body.h, opt));
  out->panel[PANEL_ENVS] = take_top(&body, envs_rows(body.h, opt));
  if (cols >= 72 && body.h >= 5)
    place_columns(out, body, opt);
  else
    place_one_column(out, body, opt);
}
