#include "strip.h"

#include <stdarg.h>
#include <stdio.h>

#include "text.h"

static const char *const joint[] = {"  ", " │ ", " ", ""};
static const int joint_width[] = {2, 3, 1, 0};

void strip_add(struct strip *strip, int rank, enum style style, unsigned join, const char *fmt,
               ...) {
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
  p->shown = false;
  strip->n++;
}

static int piece_width(const struct piece *p) {
  return text_width(p->text, 1 << 20, NULL);
}

static int piece_least(const struct piece *p) {
  int width = piece_width(p);
  return p->join & STRIP_CUT && width > STRIP_CUT_WIDTH ? STRIP_CUT_WIDTH : width;
}

static bool piece_bound(const struct piece *p) {
  return (p->join & STRIP_JOIN) == STRIP_TIGHT || (p->join & STRIP_JOIN) == STRIP_GLUE;
}

/* Columns of the pieces that are shown and, as long as `least` or in full, those of `rank`. */
static int strip_width(const struct strip *strip, int rank, bool least) {
  int width = 0;
  bool any = false;
  for (int i = 0; i < strip->n; i++) {
    const struct piece *p = &strip->piece[i];
    if (!p->shown && p->rank != rank)
      continue;
    width += p->shown ? p->room : least ? piece_least(p) : piece_width(p);
    width += any ? joint_width[p->join & STRIP_JOIN] : 0;
    any = true;
  }
  return width;
}

static void strip_show(struct strip *strip, int rank, bool least) {
  for (int i = 0; i < strip->n; i++) {
    struct piece *p = &strip->piece[i];
    bool orphan = piece_bound(p) && i > 0 && !strip->piece[i - 1].shown;
    if (p->rank != rank || orphan)
      continue;
    p->shown = true;
    p->room = least ? piece_least(p) : piece_width(p);
  }
}

/* Gives the columns that are over to the pieces that were cut: to all of them, or what is theirs to
 * those that come first. */
static void strip_share(struct strip *strip, int room, bool first) {
  int over = room - strip_width(strip, -1, true);
  for (int i = 0; i < strip->n; i++) {
    struct piece *p = &strip->piece[i];
    int width = piece_width(p);
    int more = (first && width > STRIP_FIRST_WIDTH ? STRIP_FIRST_WIDTH : width) - p->room;
    if (!p->shown || over <= 0 || more <= 0 || (first && !(p->join & STRIP_FIRST)))
      continue;
    more = more < over ? more : over;
    p->room += more;
    over -= more;
  }
}

static void strip_choose(struct strip *strip, int room) {
  int last = 0;
  for (int i = 0; i < strip->n; i++)
    if (strip->piece[i].rank > last)
      last = strip->piece[i].rank;
  for (int rank = 0; rank <= last; rank++) {
    if (strip_width(strip, rank, false) <= room)
      strip_show(strip, rank, false);
    else if (rank == 0 || strip_width(strip, rank, true) <= room)
      strip_show(strip, rank, true);
    if (rank >= STRIP_NEEDED)
      strip_share(strip, room, true);
  }
}

int strip_draw(struct surface *s, struct rect r, int y, int x, struct strip *strip) {
  bool any = false;
  strip_choose(strip, r.w - x);
  strip_share(strip, r.w - x, false);
  for (int i = 0; i < strip->n && x < r.w; i++) {
    const struct piece *p = &strip->piece[i];
    if (!p->shown)
      continue;
    if (any)
      x += surface_put(s, r, y, x, STYLE_BORDER, joint[p->join & STRIP_JOIN]);
    char buf[sizeof p->text + 4];
    text_fit(buf, sizeof buf, p->text, p->room < r.w - x ? p->room : r.w - x);
    x += surface_put(s, r, y, x, p->style, buf);
    any = true;
  }
  return x;
}
