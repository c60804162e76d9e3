#include "plot.h"

#include <float.h>
#include <math.h>

/* --- spans to columns --- */

static int dot_of(int64_t step, int64_t first, int64_t last, int n) {
  return (int)((step - first) * n / (last - first + 1));
}

static void widen(struct plot_dot *dot, const ph_span *span) {
  bool number = span->min <= span->max;
  if (dot->kind != PLOT_DATA && number) {
    dot->kind = PLOT_DATA;
    dot->min = span->min;
    dot->max = span->max;
  } else if (number) {
    dot->min = span->min < dot->min ? span->min : dot->min;
    dot->max = span->max > dot->max ? span->max : dot->max;
  } else if (dot->kind == PLOT_NONE) {
    dot->kind = PLOT_GAP;
  }
}

void plot_fold(const struct series *series, size_t ready, int64_t first, int64_t last,
               struct plot_dot *dots, int n) {
  int64_t end = series->first + series->steps - 1;
  for (int i = 0; i < n; i++)
    dots[i] = (struct plot_dot){.kind = PLOT_NONE};
  size_t k = first > series->first ? (size_t)((first - series->first) / series->per) : 0;
  for (; k < ready && k < series->n; k++) {
    int64_t from = series->first + (int64_t)k * series->per, to = from + series->per - 1;
    from = from < first ? first : from;
    to = to > end ? end : to;
    if (from > last)
      break;
    to = to > last ? last : to;
    for (int x = dot_of(from, first, last, n); x <= dot_of(to, first, last, n); x++)
      widen(&dots[x], &series->part[k]);
  }
}

static double middle(const struct plot_dot *dot) {
  return dot->min / 2 + dot->max / 2;
}

void plot_join(struct plot_dot *dots, int n) {
  int before = -1;
  for (int i = 0; i < n; i++) {
    if (dots[i].kind == PLOT_NONE)
      continue;
    bool both = before >= 0 && dots[i].kind == PLOT_DATA && dots[before].kind == PLOT_DATA;
    for (int x = before + 1; x < i && both; x++) {
      double part = (double)(x - before) / (i - before);
      double y = middle(&dots[before]) * (1 - part) + middle(&dots[i]) * part;
      dots[x] = (struct plot_dot){.kind = PLOT_DATA, .min = y, .max = y};
    }
    before = i;
  }
}

/* --- columns to dots --- */

bool plot_range(const struct plot_dot *dots, int n, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < n; i++) {
    const double ends[] = {dots[i].min, dots[i].max};
    for (int k = 0; k < 2 && dots[i].kind == PLOT_DATA; k++)
      if (isfinite(ends[k])) {
        *low = ends[k] < *low ? ends[k] : *low;
        *high = ends[k] > *high ? ends[k] : *high;
      }
  }
  if (*low < *high && *high / 2 - *low / 2 <= 4 * DBL_EPSILON * fmax(fabs(*low), fabs(*high)))
    *high = *low; /* what rounding alone makes of one number */
  return *low <= *high;
}

/* Halves, for the difference of two large numbers may be none. */
static int row_of(double value, int rows, double low, double high) {
  double at = 0.5;
  if (high > low)
    at = (high / 2 - value / 2) / (high / 2 - low / 2);
  else if (isinf(value))
    at = value > 0 ? 0 : 1;
  at = at < 0 ? 0 : at > 1 ? 1 : at;
  return (int)(at * (rows - 1) + 0.5);
}

void plot_place(struct plot_dot *dots, int n, int rows, double low, double high) {
  for (int i = 0; i < n; i++) {
    struct plot_dot *dot = &dots[i];
    if (dot->kind != PLOT_DATA)
      continue;
    dot->top = row_of(dot->max, rows, low, high);
    dot->bottom = row_of(dot->min, rows, low, high);
  }
  int top = 0, bottom = 0; /* of the column before, as its own numbers are */
  for (int i = 0; i < n; i++) {
    struct plot_dot *dot = &dots[i];
    int own_top = dot->top, own_bottom = dot->bottom;
    if (dot->kind == PLOT_DATA && i > 0 && dots[i - 1].kind == PLOT_DATA) {
      if (bottom < own_top - 1)
        dot->top = bottom + 1;
      if (top > own_bottom + 1)
        dot->bottom = top - 1;
    }
    top = own_top;
    bottom = own_bottom;
  }
}

unsigned plot_cell(const struct plot_dot *dots, int column, int row) {
  static const unsigned bit[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
  unsigned bits = 0;
  for (int side = 0; side < 2; side++) {
    const struct plot_dot *dot = &dots[2 * column + side];
    for (int y = 0; y < 4 && dot->kind == PLOT_DATA; y++)
      if (4 * row + y >= dot->top && 4 * row + y <= dot->bottom)
        bits |= bit[side][y];
  }
  return bits;
}
