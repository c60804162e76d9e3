#include "strip.h"

#include <stdarg.h>
#include <stdio.h>

#include "text.h"

static const char *const joint[] = {"  ", " │ ", " "};
static const int joint_width[] = {2, 3, 1};

void strip_add(struct strip *strip, int rank, enum style style, enum strip_join join,
               const char *fmt, ...) {
  if (strip->n >= STRIP_PIECES)
    return;
  struct piece *p = &strip->piece[strip->n];
  va_list args;
  va_start(args, fmt);
  vsnprintf(p->text, sizeof p->text, fmt, args);
  va_end(args);
  if (!p->text[0])
    return;
  p->style = style;
  p->rank = rank;
  p->join = join;
  strip->n++;
}

static int strip_width(const struct strip *strip, int limit) {
  int width = 0;
  bool any = false;
  for (int i = 0; i < strip->n; i++) {
    const struct piece *p = &strip->piece[i];
    if (p->rank >= limit)
      continue;
    width += text_width(p->text, 1 << 20, NULL) + (any ? joint_width[p->join] : 0);
    any = true;
  }
  return width;
}

/* The least limit on ranks that leaves more than what is never dropped. */
static int strip_limit(const struct strip *strip, int room) {
  int limit = 0;
  for (int i = 0; i < strip->n; i++)
    if (strip->piece[i].rank >= limit)
      limit = strip->piece[i].rank + 1;
  while (limit > 1 && strip_width(strip, limit) > room)
    limit--;
  return limit;
}

int strip_draw(struct surface *s, struct rect r, int y, int x, const struct strip *strip) {
  int limit = strip_limit(strip, r.w - x);
  bool any = false;
  for (int i = 0; i < strip->n && x < r.w; i++) {
    const struct piece *p = &strip->piece[i];
    if (p->rank >= limit)
      continue;
    if (any)
      x += surface_put(s, r, y, x, STYLE_BORDER, joint[p->join]);
    char buf[sizeof p->text];
    text_fit(buf, sizeof buf, p->text, r.w - x);
    x += surface_put(s, r, y, x, p->style, buf);
    any = true;
  }
  return x;
}
