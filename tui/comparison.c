#include "comparison.h"

#include <math.h>
#include <stdio.h>

#include "dynamic_view.h"

struct comparison comparison_fit(int name, int unit, int width) {
  struct comparison c = {.name = 9, .value = COMPARISON_VALUE};
  int room = width - 2 - c.name - COMPARISON_VALUE, more = name - c.name;
  c.other = room >= COMPARISON_VALUE + 1;
  room -= c.other ? COMPARISON_VALUE + 1 : 0;
  c.now = room >= COMPARISON_ERROR + 1;
  room -= c.now ? COMPARISON_ERROR + 1 : 0;
  c.worst = c.now && room >= COMPARISON_ERROR + 1;
  room -= c.worst ? COMPARISON_ERROR + 1 : 0;
  c.step = c.worst && room >= 6;
  room -= c.step ? 6 : 0;
  c.unit = unit > 0 && room >= unit + 1 ? unit : 0;
  room -= c.unit > 0 ? c.unit + 1 : 0;
  more = more < room ? more : room;
  c.name += more > 0 ? more : 0;
  return c;
}

void comparison_widen(struct comparison *c, int width, int least, int most) {
  int used = 2 + c->name + (c->unit > 0 ? c->unit + 1 : 0) + 2 * c->value + 1 +
             2 * (COMPARISON_ERROR + 1) + 6;
  int value = c->value + (width - used) / 2;
  if (c->step && value >= least)
    c->value = value < most ? value : most;
}

void comparison_head(struct surface *s, struct rect r, const struct comparison *c,
                     const struct comparison_words *words) {
  int x = 2 + c->name + (c->unit > 0 ? c->unit + 1 : 0);
  surface_put(s, r, 0, 1, STYLE_DIM, words->name);
  surface_put_right(s, r, 0, x += c->value, STYLE_DIM, words->shown);
  if (c->other)
    surface_put_right(s, r, 0, x += c->value + 1, STYLE_DIM, words->other);
  if (c->now)
    surface_put_right(s, r, 0, x += COMPARISON_ERROR + 1, STYLE_DIM, words->now);
  if (c->worst)
    surface_put_right(s, r, 0, x += COMPARISON_ERROR + 1, STYLE_DIM, "worst");
  if (c->step)
    surface_put_right(s, r, 0, x + 6, STYLE_DIM, "@");
}

void comparison_error(char *out, size_t size, double error, bool equal) {
  dyn_error(out, size, equal ? 0 : error);
  if (!equal && error == 0)
    snprintf(out, size, "0");
}

int comparison_now(struct surface *s, struct rect r, int y, int x, const struct comparison *c,
                   double error, bool equal) {
  char text[32];
  if (!c->now)
    return x;
  comparison_error(text, sizeof text, error, equal);
  x += COMPARISON_ERROR + 1;
  surface_put_right(s, r, y, x, equal ? STYLE_GOOD : isnan(error) ? STYLE_DIM : STYLE_BAD, text);
  return x;
}
