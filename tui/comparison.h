/* The columns of a table that holds the state on show against another, line by line: its name, its
 * unit, both values, the error now, the worst and where. What has no room is left out. */
#ifndef PLAYHEAD_COMPARISON_H
#define PLAYHEAD_COMPARISON_H

#include "surface.h"

enum { COMPARISON_VALUE = 9, COMPARISON_ERROR = 8 };

/* [cells] 0, false: left out. */
struct comparison {
  int name, unit, value; /* of each of both values */
  bool other, now, worst, step;
};

/* Words above the columns; those of the worst and its step are always the same. */
struct comparison_words {
  const char *name, *shown, *other, *now;
};

/* For the longest name and unit that are to be shown, in a table of a width. */
struct comparison comparison_fit(int name, int unit, int width);
/* Gives what room is left to both values, if that makes them `least` wide; no more than `most`. */
void comparison_widen(struct comparison *c, int width, int least, int most);
void comparison_head(struct surface *s, struct rect r, const struct comparison *c,
                     const struct comparison_words *words);
/* "=" for equal bits, "0" for other bits without an error, "-" for NaN. */
void comparison_error(char *out, size_t size, double error, bool equal);
/* The error now, in the column that ends where x comes to; returns it. */
int comparison_now(struct surface *s, struct rect r, int y, int x, const struct comparison *c,
                   double error, bool equal);

#endif
