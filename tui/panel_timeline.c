/* The episode along time: axis, playhead with marks and loop, and a lane for events, predicate and
 * hold. A column that stands for many steps shows the most important of them. */
#include "panel_timeline.h"

#include <stdio.h>
#include <string.h>

#include "dynamic_view.h"
#include "ghost_view.h"
#include "panel.h"
#include "text.h"

int64_t timeline_column(const struct timeline *t, int64_t step) {
  if (step < t->first)
    step = t->first;
  if (step > t->last)
    step = t->last;
  int64_t n = t->last - t->first + 1;
  return (step - t->first) * t->w / n;
}

void timeline_steps(const struct timeline *t, int col, int64_t *first, int64_t *last) {
  int64_t n = t->last - t->first + 1;
  int64_t end = (((int64_t)col + 1) * n + t->w - 1) / t->w - 1;
  int64_t begin = ((int64_t)col * n + t->w - 1) / t->w;
  *last = t->first + end;
  *first = t->first + (begin < end ? begin : end);
}

static void timeline_window(const struct app *app, const struct reel *reel, struct timeline *t) {
  int64_t last = reel->states > 0 ? reel->states - 1 : 0;
  t->first = 0;
  t->last = last;
  if (app->zoom_first >= 0 && app->zoom_last >= app->zoom_first && app->zoom_first <= last) {
    t->first = app->zoom_first;
    t->last = app->zoom_last < last ? app->zoom_last : last;
  }
}

int64_t timeline_tick(const struct timeline *t, int gap) {
  int64_t n = t->last - t->first + 1, tick = 1;
  static const int64_t nice[] = {1, 2, 5};
  for (int64_t scale = 1; scale <= INT64_MAX / 100; scale *= 10)
    for (int i = 0; i < 3; i++) {
      tick = nice[i] * scale;
      if ((double)tick * t->w >= (double)gap * (double)n)
        return tick;
    }
  return tick;
}

static int label_width(int64_t step) {
  char buf[32];
  return snprintf(buf, sizeof buf, "%lld", (long long)step);
}

static int timeline_gap(const struct timeline *t) {
  int gap = label_width(t->last) + 3;
  return gap < 8 ? 8 : gap;
}

static struct rect lane_rect(const struct timeline *t, struct rect r) {
  return (struct rect){r.y, r.x + t->gutter, r.h, t->w};
}

static void timeline_axis(struct surface *s, struct rect r, int y, const struct timeline *t) {
  char buf[32];
  struct rect lane = lane_rect(t, r);
  int last_width = snprintf(buf, sizeof buf, "%lld", (long long)t->last);
  int end = t->w - last_width;
  surface_put(s, lane, y, end > 0 ? end : 0, STYLE_AXIS, buf);
  int64_t tick = timeline_tick(t, timeline_gap(t)), used = 0;
  for (int64_t step = t->first; step < t->last; step = (step / tick + 1) * tick) {
    int64_t col = timeline_column(t, step);
    int width = snprintf(buf, sizeof buf, "%lld", (long long)step);
    if (col < used || col + width + 1 > end)
      continue;
    surface_put(s, lane, y, (int)col, STYLE_AXIS, buf);
    used = col + width + 1;
  }
}

static void rail_put(struct surface *s, struct rect lane, int y, const struct timeline *t,
                     int64_t step, enum style style, const char *glyph) {
  if (step >= t->first && step <= t->last)
    surface_put(s, lane, y, (int)timeline_column(t, step), style, glyph);
}

static void rail_loop(struct surface *s, struct rect lane, int y, const struct timeline *t,
                      const struct app *app) {
  int64_t a = app->loop_a, b = app->loop_b;
  if (a >= 0 && b >= a && a <= t->last && b >= t->first) {
    int from = (int)timeline_column(t, a), to = (int)timeline_column(t, b);
    struct rect part = {lane.y + y, lane.x + from, 1, to - from + 1};
    surface_fill(s, part, STYLE_AXIS, "═");
  }
  if (a >= 0)
    rail_put(s, lane, y, t, a, STYLE_BOLD, "[");
  if (b >= 0)
    rail_put(s, lane, y, t, b, STYLE_BOLD, "]");
}

static void rail_marks(struct surface *s, struct rect lane, int y, const struct timeline *t,
                       const struct app *app) {
  const char *id = app_reel(app)->meta.id;
  const ph_marks *marks = app_marks(app, app_reel(app)->episode);
  for (size_t i = 0; i < marks->nnotes; i++)
    if (strcmp(marks->note[i].episode, id) == 0)
      rail_put(s, lane, y, t, marks->note[i].step, STYLE_EVENT, "*");
  for (size_t i = 0; i < marks->nmarks; i++) {
    const ph_mark *m = &marks->mark[i];
    char name[2] = {m->name, 0};
    if (strcmp(m->episode, id) == 0)
      rail_put(s, lane, y, t, m->step, STYLE_KEY, name);
  }
}

/* Line with ticks, loop and the playhead; marks too where they have no row of their own. */
static void timeline_rail(struct surface *s, struct rect r, int y, const struct timeline *t,
                          const struct app *app, bool marks) {
  struct rect lane = lane_rect(t, r);
  surface_fill(s, (struct rect){lane.y + y, lane.x, 1, lane.w}, STYLE_AXIS, "─");
  int64_t tick = timeline_tick(t, timeline_gap(t));
  for (int64_t step = t->first; step < t->last; step = (step / tick + 1) * tick)
    rail_put(s, lane, y, t, step, STYLE_AXIS, "┴");
  if (timeline_column(t, t->last) == t->w - 1)
    rail_put(s, lane, y, t, t->last, STYLE_AXIS, "┘");
  rail_loop(s, lane, y, t, app);
  if (marks)
    rail_marks(s, lane, y, t, app);
  rail_put(s, lane, y, t, app_shown_step(app), STYLE_PLAYHEAD, "▼");
}

static void timeline_marks(struct surface *s, struct rect r, int y, const struct timeline *t,
                           const struct app *app) {
  char key[32];
  keymap_key(&app->keys, CMD_MARK, key, sizeof key);
  const ph_marks *marks = app_marks(app, app_reel(app)->episode);
  if (marks->nmarks == 0 && marks->nnotes == 0)
    surface_printf(s, lane_rect(t, r), y, 0, STYLE_HINT,
                   "none: %s and a letter sets a mark, "
                   ":note TEXT writes a note",
                   key[0] ? key : ":mark");
  rail_marks(s, lane_rect(t, r), y, t, app);
}

struct symbol {
  const char *glyph;
  enum style style;
  int rank; /* the least one of a column is drawn */
};

static const struct symbol symbols[EVENT_KIND_COUNT] = {
    [EVENT_LATCH] = {"◆", STYLE_LATCH, 0},   [EVENT_END] = {"■", STYLE_EVENT, 1},
    [EVENT_FINDING] = {"!", STYLE_BAD, 2},   [EVENT_STAGE] = {"○", STYLE_EVENT, 3},
    [EVENT_TRUE] = {"▲", STYLE_EVENT, 4},    [EVENT_FALSE] = {"▽", STYLE_WARN, 5},
    [EVENT_CLIPPED] = {"c", STYLE_EVENT, 6}, [EVENT_WARNED] = {"w", STYLE_BAD, 7},
};

static bool ended_badly(const struct reel *reel) {
  return reel->meta.success == 0 || reel->meta.end_reason == PH_END_NAN;
}

/* Each with the mark of its kind, the worst last. */
static void timeline_findings(struct surface *s, struct rect r, int y, const struct timeline *t,
                              const struct app *app) {
  for (size_t i = app_finding_count(app); i-- > 0;) {
    const ph_finding *finding = app_finding(app, i);
    enum style style;
    const char *glyph = panel_finding_mark(finding->kind, &style);
    if (finding->step >= 0)
      rail_put(s, lane_rect(t, r), y, t, finding->step, style, glyph);
  }
}

/* Draws from the least important kind to the most, so that a column keeps the best. */
static void timeline_events(struct surface *s, struct rect r, int y, const struct timeline *t,
                            const struct app *app) {
  const struct snapshot *snap = app->snap;
  const struct reel *reel = snap->reel;
  for (int rank = EVENT_KIND_COUNT - 1; rank >= 0; rank--) {
    for (size_t i = 0; i < event_count(snap); i++) {
      struct event e = event_at(snap, i);
      if ((unsigned)e.kind >= EVENT_KIND_COUNT || symbols[e.kind].rank != rank)
        continue;
      bool bad_end = e.kind == EVENT_END && ended_badly(reel);
      rail_put(s, lane_rect(t, r), y, t, e.step, bad_end ? STYLE_BAD : symbols[e.kind].style,
               bad_end ? "✗" : symbols[e.kind].glyph);
    }
    if (rank == symbols[EVENT_FINDING].rank)
      timeline_findings(s, r, y, t, app);
  }
}

/* Full where every step of the column is true, light where only some are. */
static void timeline_predicate(struct surface *s, struct rect r, int y, const struct timeline *t,
                               const struct reel *reel) {
  for (int col = 0; col < t->w; col++) {
    int64_t first, last, yes = 0;
    timeline_steps(t, col, &first, &last);
    for (int64_t step = first; step <= last && step < reel->states; step++)
      yes += reel->predicate[step] != 0;
    first += !panel_has_outcome(reel, first);
    if (yes > 0)
      surface_put(s, lane_rect(t, r), y, col, STYLE_PREDICATE, yes == last - first + 1 ? "▒" : "░");
  }
}

const char *timeline_level(int64_t count, int64_t hold_steps) {
  static const char *const block[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (count <= 0)
    return block[0];
  if (hold_steps <= 0 || count >= hold_steps)
    return block[8];
  int level = (int)((double)count * 8 / (double)hold_steps);
  return block[level < 1 ? 1 : level > 7 ? 7 : level];
}

static void timeline_hold(struct surface *s, struct rect r, int y, const struct timeline *t,
                          const struct reel *reel) {
  for (int col = 0; col < t->w; col++) {
    int64_t first, last, most = 0;
    timeline_steps(t, col, &first, &last);
    for (int64_t step = first; step <= last && step < reel->states; step++)
      if (reel->hold[step] > most)
        most = reel->hold[step];
    if (most > 0)
      surface_put(s, lane_rect(t, r), y, col, STYLE_HOLD, timeline_level(most, reel->hold_steps));
  }
}

enum lane {
  LANE_AXIS,
  LANE_RAIL,
  LANE_MARKS,
  LANE_EVENTS,
  LANE_PREDICATE,
  LANE_PREDICATE_D,
  LANE_HOLD,
  LANE_HOLD_D,
  LANE_DRIFT,
  LANE_ONE,
  LANE_GHOST,
  LANE_OTHER,
  LANE_COUNT
};

/* Of K and D the second has its letter alone, where it stands below the first. */
static const char *lane_name(enum lane lane, const struct app *app, bool wide, bool below) {
  static const char *const plain[LANE_COUNT] = {"step",    "now",     "marks",  "events",
                                                "pred",    "pred  D", "hold",   "hold  D",
                                                "drift D", "1-step",  "branch", "ghost"};
  static const char *const small[LANE_COUNT] = {"step", "now",  "mark", "evnt", "pred", "prdD",
                                                "hold", "hldD", "drft", "1stp", "brch", "ghst"};
  if (!wide)
    return small[lane];
  if (lane == LANE_PREDICATE && app_mode(app) != MODE_KINEMATIC)
    return "pred  K";
  if (lane == LANE_HOLD && app_mode(app) != MODE_KINEMATIC)
    return "hold  K";
  return below ? "      D" : plain[lane];
}

static bool lane_exists(const struct app *app, enum lane lane) {
  const struct reel *reel = app_reel(app);
  enum tui_mode mode = app_mode(app);
  bool run = mode != MODE_KINEMATIC;
  switch (lane) {
  case LANE_PREDICATE:
    return reel->predicate && mode != MODE_DYNAMIC;
  case LANE_HOLD:
    return reel->hold && panel_has_hold(reel) && mode != MODE_DYNAMIC;
  case LANE_PREDICATE_D:
    return run && lane_judged(app);
  case LANE_HOLD_D:
    return run && lane_judged(app) && panel_has_hold(reel);
  case LANE_DRIFT:
  case LANE_ONE:
    return run;
  case LANE_GHOST:
    return lane_ghost(app);
  case LANE_OTHER:
    return ghost_has_lane(app);
  default:
    return true;
  }
}

/* The lanes that fit into h rows, by importance, in the order of drawing. */
static void timeline_choose(const struct app *app, int h, bool chosen[LANE_COUNT]) {
  static const enum lane by_rank[] = {LANE_RAIL,   LANE_EVENTS, LANE_DRIFT,       LANE_HOLD,
                                      LANE_HOLD_D, LANE_OTHER,  LANE_GHOST,       LANE_PREDICATE,
                                      LANE_ONE,    LANE_AXIS,   LANE_PREDICATE_D, LANE_MARKS};
  memset(chosen, 0, sizeof(bool) * LANE_COUNT);
  for (int i = 0; i < LANE_COUNT && h > 0; i++) {
    if (!lane_exists(app, by_rank[i]))
      continue;
    chosen[by_rank[i]] = true;
    h--;
  }
}

int timeline_extra(const struct app *app) {
  const struct reel *reel = app_reel(app);
  int n = 0, plain = (reel->predicate != NULL) + (reel->hold && panel_has_hold(reel));
  for (int lane = LANE_PREDICATE; lane < LANE_COUNT; lane++)
    n += lane_exists(app, (enum lane)lane);
  return n > plain ? n - plain : 0;
}

static void lane_draw(struct surface *s, struct rect r, int y, const struct timeline *t,
                      const struct app *app, enum lane lane, const bool chosen[LANE_COUNT]) {
  const struct reel *reel = app_reel(app);
  bool wide = t->gutter >= 9, marks_apart = chosen[LANE_MARKS];
  bool below = (lane == LANE_HOLD_D || lane == LANE_PREDICATE_D) && chosen[lane - 1];
  surface_put(s, (struct rect){r.y, r.x, r.h, t->gutter}, y, wide ? 1 : 0, STYLE_DIM,
              lane_name(lane, app, wide, below));
  switch (lane) {
  case LANE_AXIS:
    timeline_axis(s, r, y, t);
    break;
  case LANE_RAIL:
    timeline_rail(s, r, y, t, app, !marks_apart);
    break;
  case LANE_MARKS:
    timeline_marks(s, r, y, t, app);
    break;
  case LANE_EVENTS:
    timeline_events(s, r, y, t, app);
    break;
  case LANE_PREDICATE:
    timeline_predicate(s, r, y, t, reel);
    break;
  case LANE_HOLD:
    timeline_hold(s, r, y, t, reel);
    break;
  case LANE_PREDICATE_D:
    lane_predicate(s, r, y, t, app);
    break;
  case LANE_HOLD_D:
    lane_hold(s, r, y, t, app);
    break;
  case LANE_DRIFT:
    lane_errors(s, r, y, t, app, ERROR_DRIFT);
    break;
  case LANE_ONE:
    lane_errors(s, r, y, t, app, ERROR_ONE);
    break;
  case LANE_GHOST:
    lane_errors(s, r, y, t, app, ERROR_GHOST);
    break;
  case LANE_OTHER:
    lane_errors(s, r, y, t, app, ERROR_OTHER);
    break;
  default:
    break;
  }
  int64_t now = app_shown_step(app);
  if (lane != LANE_AXIS && now >= t->first && now <= t->last) {
    int x = r.x + t->gutter + (int)timeline_column(t, now);
    surface_style(s, (struct rect){r.y + y, x, 1, 1}, STYLE_PLAYHEAD);
  }
}

static void timeline_title(char *buf, size_t size, const struct timeline *t,
                           const struct reel *reel) {
  snprintf(buf, size, "timeline");
  if (t->first > 0 || t->last < reel->states - 1)
    snprintf(buf, size, "timeline: steps %lld..%lld of %lld", (long long)t->first,
             (long long)t->last, (long long)(reel->states - 1));
}

/* Marks of findings that have none among the events. */
static size_t legend_findings(char *buf, size_t size, size_t n, const struct app *app) {
  bool seen[PH_FINDING_COUNT] = {false};
  for (size_t i = 0; i < app_finding_count(app); i++) {
    const ph_finding *finding = app_finding(app, i);
    if (finding->step >= 0 && (unsigned)finding->kind < PH_FINDING_COUNT)
      seen[finding->kind] = true;
  }
  for (int kind = 0; kind < PH_FINDING_COUNT && n < size; kind++) {
    const char *word = panel_finding_word((ph_finding_kind)kind);
    enum style style;
    bool event =
        kind == PH_FINDING_LATCH || kind == PH_FINDING_CLIPPED || kind == PH_FINDING_WARNED;
    if (seen[kind] && !event)
      n += (size_t)snprintf(buf + n, size - n, "%s%s %s", n ? "  " : "",
                            panel_finding_mark((ph_finding_kind)kind, &style), word);
  }
  return n;
}

static void timeline_legend(char *buf, size_t size, const struct app *app, int room) {
  const struct snapshot *snap = app->snap;
  bool seen[EVENT_KIND_COUNT] = {false};
  char scale[60] = "";
  size_t n = 0;
  buf[0] = 0;
  for (size_t i = 0; i < event_count(snap); i++)
    if ((unsigned)event_at(snap, i).kind < EVENT_KIND_COUNT)
      seen[event_at(snap, i).kind] = true;
  for (int kind = 0; kind < EVENT_KIND_COUNT && n < size; kind++) {
    const char *glyph = symbols[kind].glyph;
    if (kind == EVENT_END && ended_badly(snap->reel))
      glyph = "✗";
    if (seen[kind] && !(kind == EVENT_FINDING && app_finding_count(app) > 0))
      n += (size_t)snprintf(buf + n, size - n, "%s%s %s", n ? "  " : "", glyph,
                            event_name((enum event_kind)kind));
  }
  n = legend_findings(buf, size, n < size ? n : size - 1, app);
  if (app_mode(app) != MODE_KINEMATIC || lane_ghost(app) || ghost_has_lane(app))
    lane_scale(scale, sizeof scale, app);
  if (!scale[0])
    return;
  n = n < size ? n : size - 1;
  while (n > 0 && text_width(buf, 1 << 20, NULL) + (int)strlen(scale) + 2 > room) {
    while (n > 0 && !(buf[n] == ' ' && buf[n + 1] == ' '))
      n--;
    buf[n] = 0; /* the last of them goes */
  }
  snprintf(buf + n, size - n, "%s%s", n ? "  " : "", scale);
}

int timeline_lane(int width) {
  int w = width - (width >= 60 ? 9 + 1 : 5);
  return w > 1 ? w : 1;
}

void timeline_prepare(const struct app *app, const struct reel *reel, int width,
                      struct timeline *t) {
  timeline_window(app, reel, t);
  t->gutter = width >= 60 ? 9 : 5;
  t->w = timeline_lane(width);
}

void panel_timeline_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct reel *reel = app_reel(app);
  struct timeline t = {0};
  bool chosen[LANE_COUNT];
  char title[120], legend[400];
  if (r.h < 1 || r.w < 1)
    return;
  int extra = reel ? timeline_extra(app) : 0;
  bool ruled = r.h >= (reel && reel->hold ? 6 : 4) + (extra > 3 ? 3 : extra);
  if (!reel) {
    if (ruled)
      panel_frame(s, r, app, PANEL_TIMELINE, "timeline", NULL);
    return;
  }
  timeline_prepare(app, reel, r.w, &t);
  timeline_title(title, sizeof title, &t, reel);
  timeline_legend(legend, sizeof legend, app, r.w - (int)strlen(title) - 8);
  if (ruled)
    r = panel_frame(s, r, app, PANEL_TIMELINE, title, legend);
  else if (app_active(app) == PANEL_TIMELINE && t.gutter >= 9)
    surface_put(s, r, 0, 0, STYLE_TITLE, "▸");
  timeline_choose(app, r.h, chosen);
  int y = 0;
  for (int lane = 0; lane < LANE_COUNT; lane++)
    if (chosen[lane])
      lane_draw(s, r, y++, &t, app, (enum lane)lane, chosen);
}
