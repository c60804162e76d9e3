/* One line made of pieces, of which the least important are left out when there is no room. */
#ifndef TUI_STRIP_H
#define TUI_STRIP_H

#include "surface.h"

#define STRIP_PIECES 32
#define STRIP_CUT_WIDTH 12   /* what is left at least of a piece that may be cut */
#define STRIP_FIRST_WIDTH 60 /* of one that comes first, before less important pieces */
#define STRIP_NEEDED 3       /* ranks up to this are not given up for it */

/* What stands between two pieces: two blanks, " │ ", one blank, nothing. The last two bind a piece
 * to the one before it: it is left out with it. STRIP_CUT, or'ed in, lets a piece be cut short;
 * with STRIP_FIRST it comes before less important ones all the same. */
enum strip_join {
  STRIP_BLANK,
  STRIP_BAR,
  STRIP_TIGHT,
  STRIP_GLUE,
  STRIP_JOIN = 3,
  STRIP_CUT = 4,
  STRIP_FIRST = 8
};

struct strip {
  int n;
  struct piece {
    char text[420];
    enum style style;
    int rank; /* 0 first; pieces of one rank are in or out together */
    unsigned join;
    bool shown;
    int room; /* columns given to it */
  } piece[STRIP_PIECES];
};

/* Adds a piece; an empty one is ignored, as is one too many. */
void strip_add(struct strip *strip, int rank, enum style style, unsigned join, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Draws from column x of row y what fits, in the order of rank; rank 0 is always shown, at worst
 * cut with "…". Returns the column after it. */
int strip_draw(struct surface *s, struct rect r, int y, int x, struct strip *strip);

#endif
