/* What a cut would write, over the whole body: it waits for its word, and nothing that matters of
 * it may be cut off. */
#include <stdio.h>
#include <string.h>

#include "held_view.h"
#include "panel.h"
#include "strip.h"

static const struct cut_plan *shown_plan(const struct app *app) {
  const struct held_answer *h = app_held(app);
  return h && h->count.on && !app->cut_waits ? &h->plan : NULL;
}

int panel_cut_lines(const struct app *app) {
  const struct cut_plan *p = shown_plan(app);
  return p ? (int)p->named + (p->dropped > p->named) : 0;
}

/* In as many rows as it takes; the row behind it. */
static int put(struct surface *s, struct rect r, int y, enum style style, const char *text) {
  panel_wrap(s, r, y, style, text);
  return y + panel_wrap_rows(text, r.w);
}

static int put_waiting(struct surface *s, struct rect r, const struct app *app) {
  const struct held_answer *h = app_held(app);
  char text[120];
  if (h && h->count.on && h->count.asked && h->count.done < h->count.all)
    snprintf(text, sizeof text, "episodes are looked at: %zu of %zu", h->count.done, h->count.all);
  else
    snprintf(text, sizeof text, "episodes are looked at");
  return put(s, r, 0, STYLE_WARN, text);
}

static int put_plan(struct surface *s, struct rect r, const struct app *app,
                    const struct cut_plan *p) {
  char text[HELD_PATH + 100], hold[32];
  held_seconds(hold, sizeof hold, app_held(app)->count.dt, app_held(app)->count.steps[1]);
  snprintf(text, sizeof text, "%zu of %zu episodes are kept, by %s%s at a hold of %s", p->kept,
           p->kept + p->dropped, ph_latch_source_name(p->by),
           p->asked == COUNT_STRICTEST ? " (the strictest source that all of them allow)" : "",
           hold);
  int y = put(s, r, 0, p->kept ? STYLE_BOLD : STYLE_BAD, text);
  if (p->kept > 0) {
    snprintf(text, sizeof text, "%lld..%lld steps are cut off the end of each", (long long)p->least,
             (long long)p->most);
    y = put(s, r, y, STYLE_NORMAL, text);
  }
  snprintf(text, sizeof text, "from  %s", p->source);
  y = put(s, r, y, STYLE_NORMAL, text);
  snprintf(text, sizeof text, "into  %s", app->cut_out);
  y = put(s, r, y, STYLE_EVENT, text);
  if (p->dropped == 0)
    return y;
  snprintf(text, sizeof text, "left out: %zu", p->dropped);
  return put(s, r, y, STYLE_WARN, text);
}

static int put_dropped(struct surface *s, struct rect r, int y, const struct cut_plan *p,
                       int line) {
  char text[400];
  if ((size_t)line < p->named)
    snprintf(text, sizeof text, "%s: %s", p->drop[line].id, p->drop[line].why);
  else
    snprintf(text, sizeof text, "and %zu more", p->dropped - p->named);
  struct rect in = {r.y, r.x + 2, r.h, r.w - 2};
  return put(s, in, y, STYLE_NORMAL, text);
}

void panel_cut_draw(struct surface *s, struct rect r, const struct app *app) {
  const struct cut_plan *p = shown_plan(app);
  int lines = panel_cut_lines(app), line = panel_cursor(app, PANEL_SUCCESS, lines);
  r = panel_frame(s, r, app, PANEL_SUCCESS, "cut: each episode ends where success latches", NULL);
  struct rect list = {r.y, r.x, r.h > 1 ? r.h - 1 : r.h, r.w};
  int y = p ? put_plan(s, list, app, p) : put_waiting(s, list, app);
  for (; line < lines && y < list.h; line++)
    y = put_dropped(s, list, y, p, line);
  struct strip strip = {0};
  if (p && p->kept > 0)
    strip_add(&strip, 0, STYLE_KEY, STRIP_BLANK, ":cut! writes it");
  strip_add(&strip, 1, STYLE_KEY, STRIP_BLANK, "Esc leaves it");
  if (lines > 0 && (line < lines || y > list.h))
    strip_add(&strip, 2, STYLE_HINT, STRIP_BLANK, "j k: %d more", lines - line);
  strip_add(&strip, 3, STYLE_HINT, STRIP_BLANK, ":cut FILE recorded|kinematic|dynamic");
  if (r.h > 1)
    strip_draw(s, r, r.h - 1, 1, &strip);
}
