/* One line made of pieces, of which the least important go first when there is no room. */
#ifndef TUI_STRIP_H
#define TUI_STRIP_H

#include "surface.h"

#define STRIP_PIECES 24

/* What stands between two pieces: two blanks, " │ ", one blank. */
enum strip_join { STRIP_BLANK, STRIP_BAR, STRIP_TIGHT };

struct strip {
  int n;
  struct piece {
    char text[420];
    enum style style;
    int rank; /* 0: never dropped */
    int join; /* enum strip_join: what stands before it */
  } piece[STRIP_PIECES];
};

/* Adds a piece; an empty one is ignored, as is one too many. */
void strip_add(struct strip *strip, int rank, enum style style, enum strip_join join,
               const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Draws from column x of row y, dropping pieces of the highest rank until the rest fits; what is
 * still too long ends in "…". Returns the column after it. */
int strip_draw(struct surface *s, struct rect r, int y, int x, const struct strip *strip);

#endif
