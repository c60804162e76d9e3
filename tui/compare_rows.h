/* The lines of the table that holds the recorded state against the dynamic one: what is measured of
 * each joint, worst first, then of its velocity, then what else has a number. */
#ifndef TUI_COMPARE_ROWS_H
#define TUI_COMPARE_ROWS_H

#include "app.h"

/* What a line shows of a state. */
enum compare_shape {
  COMPARE_NUMBER,   /* one signal */
  COMPARE_VECTOR,   /* three: a position or a velocity */
  COMPARE_ROTATION, /* the four of a quaternion */
};

struct compare_row {
  char name[172];
  const char *unit;
  enum compare_shape shape;
  int signal;   /* the first; that of a vector whose values differ most is plotted by Enter */
  int differs;  /* which of a vector's three differs most; 0 where none does */
  double now;   /* NaN: not known, or none is defined */
  bool equal;   /* bits */
  double worst; /* NaN: none is kept */
  int64_t step; /* of that */
  double rank;  /* in tolerances; rows without a worst come last, in order */
};

struct compare_rows {
  struct compare_row *row; /* owned; NULL: no memory */
  int n, room;
};

/* Of those that the panel's filter lets through. compare_rows_clear frees. */
struct compare_rows compare_rows_make(const struct app *app);
void compare_rows_clear(struct compare_rows *rows);

/* The value of a state in a column: a number; of a vector all three where the column has room, else
 * the one that differs most with its axis ("z 0.77123"); of a rotation its rotation vector [rad]
 * where there is room, else its angle. values: of all signals; NULL: not known, "-". */
void compare_value(char *out, size_t size, const struct compare_row *row, const double *values,
                   int width);
/* [cells] From this width of a column on a vector is shown whole. */
enum { COMPARE_WHOLE = 20 };

#endif
