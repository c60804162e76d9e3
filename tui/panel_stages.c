#include "panel_stages.h"

#include <stdio.h>

#include "strip.h"
#include "text.h"

/* What a stage is at a step. */
enum stage_at { STAGE_REACHED, STAGE_NOW, STAGE_LATER, STAGE_UNKNOWN };

static enum stage_at stage_at(const struct stages_known *known, size_t i, int64_t step) {
  bool reached = i < known->stages.done;
  if (reached && known->stages.latch[i] <= step)
    return STAGE_REACHED;
  if (step >= known->rows)
    return STAGE_UNKNOWN;
  return i == 0 || (i <= known->stages.done && known->stages.latch[i - 1] <= step) ? STAGE_NOW
                                                                                   : STAGE_LATER;
}

/* Where it was reached, or that it never was, or is not yet. */
static void put_latch(struct strip *strip, const struct stages_known *known, bool running,
                      size_t i) {
  if (i < known->stages.done)
    strip_add(strip, 0, STYLE_NORMAL, STRIP_TIGHT, "at %lld", (long long)known->stages.latch[i]);
  else if (known->note[0])
    strip_add(strip, 0, STYLE_BAD, STRIP_TIGHT | STRIP_CUT, "%s", known->note);
  else if (known->complete)
    strip_add(strip, 0, STYLE_DIM, STRIP_TIGHT, running ? "not yet" : "never");
  else
    strip_add(strip, 0, STYLE_DIM, STRIP_TIGHT, "judged up to %lld", (long long)known->rows - 1);
}

void panel_stage_row(struct surface *s, struct rect r, int y, const struct app *app, size_t i,
                     int width) {
  static const struct {
    const char *word;
    enum style style;
  } words[] = {[STAGE_REACHED] = {"yes", STYLE_GOOD},
               [STAGE_NOW] = {"now", STYLE_BOLD},
               [STAGE_LATER] = {"-", STYLE_DIM},
               [STAGE_UNKNOWN] = {"?", STYLE_DIM}};
  const struct stages_known *known = &app->snap->stages;
  enum stage_at at = stage_at(known, i, app->snap->step);
  struct strip strip = {0};
  char name[200];
  text_fit(name, sizeof name, app_reel(app)->stage[i], width);
  surface_put(s, r, y, 1, STYLE_NORMAL, name);
  surface_put(s, r, y, width + 2, words[at].style, words[at].word);
  strip_add(&strip, 0, STYLE_DIM, STRIP_TIGHT, "stage");
  put_latch(&strip, known, app_reel(app)->running, i);
  int64_t steps = i < known->stages.n ? known->stages.steps[i] : 0;
  double dt = app_reel(app)->meta.control_dt;
  if (steps > 0 && dt > 0)
    strip_add(&strip, 1, STYLE_DIM, STRIP_GLUE, ", to hold for %.2f s", (double)steps * dt);
  strip_draw(s, r, y, width + 6, &strip);
}
