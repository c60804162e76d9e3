/* Where success latches by each source and where it broke, and what another hold would do to the
 * whole list: lines of the success panel. */
#include "held_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "panel.h"
#include "text.h"

enum { NAME_X = 1, TEXT_X = 12 };

const struct held_answer *app_held(const struct app *app) {
  return app->snap && app->snap->reel && app->snap->has_frame ? app->snap->held : NULL;
}

bool held_unsaved(const struct app *app) {
  const struct held_answer *h = app_held(app);
  return h && h->steps != h->own;
}

void held_seconds(char *out, size_t size, double dt, int64_t steps) {
  if (dt > 0)
    snprintf(out, size, "%.4g s", (double)steps * dt);
  else
    snprintf(out, size, "%lld step%s", (long long)steps, steps == 1 ? "" : "s");
}

/* What was typed, where what it comes to in steps is another length: "0.47 s = "; else "". */
static void typed_hold(char *out, size_t size, const struct app *app) {
  const struct hold_wish *wish = &app->want.hold;
  const struct held_answer *h = app_held(app);
  double dt = app_reel(app)->meta.control_dt;
  bool same = !wish->on || !(dt > 0) || hold_wish_steps(wish, dt, h->own) != h->steps ||
              fabs(wish->seconds - (double)h->steps * dt) < 1e-6 * dt;
  out[0] = 0;
  if (!same)
    snprintf(out, size, "%.9g s = ", wish->seconds);
}

void held_header(struct strip *strip, const struct app *app) {
  const struct held_answer *h = app_held(app);
  double dt = app_reel(app)->meta.control_dt;
  char typed[40], now[32], own[32];
  if (!held_unsaved(app))
    return;
  typed_hold(typed, sizeof typed, app);
  held_seconds(now, sizeof now, dt, h->steps);
  if (app_reel(app)->meta.hold_seconds < 0)
    snprintf(own, sizeof own, "says none");
  else
    held_seconds(own, sizeof own, dt, h->own);
  strip_add(strip, 2, STYLE_WARN, STRIP_BAR, "hold %s%s not saved", typed, now);
  strip_add(strip, 4, STYLE_WARN, STRIP_GLUE, ", file %s", own);
}

void held_status(struct strip *strip, const struct app *app) {
  const struct held_answer *h = app_held(app);
  if (h && h->cutting[0])
    strip_add(strip, 2, STYLE_EVENT, STRIP_BAR | STRIP_CUT, "%s", h->cutting);
  else if (h && h->count.on && h->count.asked && h->count.done < h->count.all)
    strip_add(strip, 6, STYLE_WARN, STRIP_BAR, "counted %zu/%zu", h->count.done, h->count.all);
}

/* --- which line is what --- */

bool held_unasked(const struct app *app) {
  const struct held_answer *h = app_held(app);
  return h && h->count.on && !h->count.asked;
}

/* How many latch; and against the files' own holds, where another is in force. */
static int count_lines(const struct app *app) {
  const struct held_answer *h = app_held(app);
  if (held_unasked(app))
    return 1;
  return h->count.on ? 2 + (h->count.done > 0 && held_unsaved(app)) : 0;
}

static int source_lines(const struct held_answer *h) {
  for (int i = 0; i < PH_LATCH_SOURCES; i++)
    if (h->source[i].known || h->count.on)
      return PH_LATCH_SOURCES;
  return 0;
}

int held_lines(const struct app *app) {
  const struct held_answer *h = app_held(app);
  if (!h)
    return 0;
  return count_lines(app) + source_lines(h) + (int)h->n + (h->all > h->n);
}

/* The interval of a line; -1: it is another line. */
static int interval_of(const struct app *app, int line) {
  const struct held_answer *h = app_held(app);
  int at = line - count_lines(app) - source_lines(h);
  return at >= 0 && (size_t)at < h->n ? at : -1;
}

static int source_of(const struct app *app, int line) {
  const struct held_answer *h = app_held(app);
  int at = line - count_lines(app);
  return at >= 0 && at < source_lines(h) ? at : -1;
}

int64_t held_step(const struct app *app, int line) {
  const struct held_answer *h = app_held(app);
  if (!h || line < 0)
    return -1;
  int interval = interval_of(app, line), source = source_of(app, line);
  if (interval >= 0)
    return h->interval[interval].first;
  if (source < 0 || !h->source[source].known)
    return -1;
  const struct held_source *from = &h->source[source];
  return from->latch >= 0 ? from->latch : from->refused;
}

/* --- the whole list --- */

/* Whose predicate was counted: ", recorded, 3 kinematic". */
static void count_source(struct strip *strip, const struct hold_count *c) {
  const char *task = ph_latch_source_name(PH_LATCH_KINEMATIC);
  size_t known = c->done - c->unknown;
  if (known == 0)
    return;
  strip_add(strip, 1, STYLE_DIM, STRIP_GLUE, ", %s",
            c->judged == known ? task : ph_latch_source_name(c->by));
  if (c->judged > 0 && c->judged < known)
    strip_add(strip, 3, STYLE_DIM, STRIP_GLUE, ", %zu %s", c->judged, task);
}

/* At a hold below it or above. */
static void count_beside(struct strip *strip, const struct hold_count *c, int at) {
  char text[32];
  held_seconds(text, sizeof text, c->dt, c->steps[at]);
  if (c->steps[at] >= 0)
    strip_add(strip, c->asked ? 0 : 1, STYLE_NORMAL, STRIP_BLANK, "%s: %zu", text, c->latch[at]);
}

static void count_row(struct surface *s, struct rect r, int y, const struct hold_count *c) {
  struct strip strip = {0};
  char text[32];
  held_seconds(text, sizeof text, c->dt, c->steps[1]);
  if (c->done == 0 && !c->asked)
    strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "hold %s: counted in the background", text);
  else
    strip_add(&strip, 0, STYLE_BOLD, STRIP_TIGHT, "hold %s: %zu/%zu latch", text, c->latch[1],
              c->done);
  if (c->stopped)
    strip_add(&strip, 0, STYLE_WARN, STRIP_GLUE, ", first %zu", c->done);
  else if (c->done < c->all && (c->done > 0 || c->asked))
    strip_add(&strip, 0, STYLE_WARN, STRIP_TIGHT, "so far, of %zu", c->all);
  for (int i = 0; i < 3 && !c->asked && (c->stopped || c->done == c->all); i += 2)
    count_beside(&strip, c, i);
  count_source(&strip, c);
  if (c->unknown > 0)
    strip_add(&strip, 2, STYLE_WARN, STRIP_BAR, "%zu not known", c->unknown);
  strip_draw(s, r, y, NAME_X, &strip);
}

static void beside_row(struct surface *s, struct rect r, int y, const struct app *app) {
  const struct hold_count *c = &app_held(app)->count;
  struct strip strip = {0};
  if (c->done == 0)
    strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "%s",
              c->choosing ? "which source all allow is looked at" : "counted in the background");
  for (int i = 0; i < 3 && c->done > 0; i += 2)
    count_beside(&strip, c, i);
  if (c->done > 0 && held_unsaved(app))
    strip_add(&strip, 1, STYLE_DIM, STRIP_BAR, "%zu at the files' own holds", c->own);
  strip_draw(s, r, y, NAME_X, &strip);
}

static void shift_row(struct surface *s, struct rect r, int y, const struct hold_count *c) {
  struct strip strip = {0};
  if (c->both == 0) {
    strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "none latches at both holds");
  } else {
    strip_add(&strip, 0, STYLE_NORMAL, STRIP_TIGHT, "latches move by %+lld (median)",
              (long long)c->median);
    strip_add(&strip, 1, STYLE_NORMAL, STRIP_GLUE, ", %+lld..%+lld steps", (long long)c->least,
              (long long)c->most);
  }
  strip_draw(s, r, y, NAME_X, &strip);
}

/* --- sources and intervals --- */

static void source_text(struct strip *strip, const struct held_source *h, int64_t steps) {
  if (h->latch >= 0)
    strip_add(strip, 0, STYLE_GOOD, STRIP_TIGHT, "at %lld", (long long)h->latch);
  else if (h->waits)
    strip_add(strip, 0, STYLE_DIM, STRIP_TIGHT, "not yet: %lld/%lld", (long long)h->rows,
              (long long)h->all);
  else if (!h->known)
    strip_add(strip, 0, STYLE_DIM, STRIP_TIGHT | STRIP_CUT, "%s",
              h->text[0] ? h->text : "not known");
  else if (h->refusal == PH_REFUSAL_LEFT)
    strip_add(strip, 0, STYLE_BAD, STRIP_TIGHT, "no: leaves at %lld", (long long)h->refused);
  else if (h->refusal == PH_REFUSAL_ENDED)
    strip_add(strip, 0, STYLE_BAD, STRIP_TIGHT, "no: ends at %lld", (long long)h->refused);
  else
    strip_add(strip, 0, STYLE_BAD, STRIP_TIGHT, "never: %lld/%lld at most", (long long)h->longest,
              (long long)steps);
  if (h->known && !h->waits && h->latch < 0 && h->text[0])
    strip_add(strip, 2, STYLE_BAD, STRIP_GLUE | STRIP_CUT, ", %s", h->text);
}

static void source_row(struct surface *s, struct rect r, int y, const struct held_answer *h,
                       int source) {
  struct strip strip = {0};
  surface_put(s, r, y, NAME_X, STYLE_DIM, ph_latch_source_name((ph_latch_source)source));
  source_text(&strip, &h->source[source], h->steps);
  strip_draw(s, r, y, TEXT_X, &strip);
}

static void interval_row(struct surface *s, struct rect r, int y, const struct held_answer *h,
                         int at) {
  const struct held_interval *iv = &h->interval[at];
  int64_t n = iv->last - iv->first + 1, latch = h->source[h->of].latch;
  bool latches = latch >= iv->first && latch <= iv->last;
  bool near =
      (latch < 0 || iv->last < latch) && iv->broken && n < h->steps && ph_near_enough(n, h->steps);
  enum style style = latches ? STYLE_GOOD : near ? STYLE_WARN : STYLE_NORMAL;
  struct strip strip = {0};
  strip_add(&strip, 0, style, STRIP_TIGHT, "%s%lld..%lld",
            latches ? "◆"
            : near  ? "~"
                    : " ",
            (long long)iv->first, (long long)iv->last);
  if (n < h->steps)
    strip_add(&strip, 1, style, STRIP_BLANK, "%lld/%lld", (long long)n, (long long)h->steps);
  else
    strip_add(&strip, 1, style, STRIP_BLANK, "%lld step%s", (long long)n, n == 1 ? "" : "s");
  if (!iv->broken)
    strip_add(&strip, 2, STYLE_DIM, STRIP_BLANK, "to the end");
  else if (iv->by[0])
    strip_add(&strip, 2, STYLE_NORMAL, STRIP_BLANK | STRIP_CUT, "broke: %s", iv->by);
  strip_draw(s, r, y, NAME_X, &strip);
}

void held_row(struct surface *s, struct rect r, int y, const struct app *app, int line) {
  const struct held_answer *h = app_held(app);
  int interval = interval_of(app, line), source = source_of(app, line);
  int counts = count_lines(app);
  if (interval >= 0)
    interval_row(s, r, y, h, interval);
  else if (source >= 0)
    source_row(s, r, y, h, source);
  else if (line < counts && line == 0)
    count_row(s, r, y, &h->count);
  else if (line < counts && line == 1)
    beside_row(s, r, y, app);
  else if (line < counts)
    shift_row(s, r, y, &h->count);
  else
    surface_printf(s, r, y, NAME_X, STYLE_DIM, "%zu more intervals", h->all - h->n);
}
