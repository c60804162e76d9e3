/* A curve of one series: spans to columns to dots. Pure functions; a cell is two dots wide and four
 * high, as a braille character is. */
#ifndef TUI_PLOT_H
#define TUI_PLOT_H

#include "snapshot.h"

/* No step falls on a column; steps without a number; numbers. */
enum plot_kind { PLOT_NONE, PLOT_GAP, PLOT_DATA };

/* What one column of dots has to show. */
struct plot_dot {
  enum plot_kind kind;
  double min, max; /* PLOT_DATA: least and greatest */
  int top, bottom; /* rows of dots, set by plot_place */
};

/* Puts the parts that are ready onto n columns of dots, which show the steps first .. last as the
 * timeline does: a step is in the column (step - first) * n / steps. */
void plot_fold(const struct series *series, size_t ready, int64_t first, int64_t last,
               struct plot_dot *dots, int n);

/* A straight line over columns without a step, between two that have numbers. */
void plot_join(struct plot_dot *dots, int n);

/* Least and greatest finite number; false: there is none. */
bool plot_range(const struct plot_dot *dots, int n, double *low, double *high);

/* Sets the rows of each column, 0 .. rows-1 from high down to low, so that neighbours touch. Where
 * low is high, the curve is in the middle. */
void plot_place(struct plot_dot *dots, int n, int rows, double low, double high);

/* The bits of the braille character (U+2800 + bits) at a column and row of cells; 0: blank. */
unsigned plot_cell(const struct plot_dot *dots, int column, int row);

#endif
