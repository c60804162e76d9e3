/* Steps and columns of the timeline. */
#ifndef TUI_PANEL_TIMELINE_H
#define TUI_PANEL_TIMELINE_H

#include "app.h"

/* Columns 0 .. w-1 show the steps first .. last; gutter columns on the left are for names. */
struct timeline {
  int64_t first, last;
  int w, gutter;
};

/* What a timeline of `width` columns shows of the app. */
void timeline_prepare(const struct app *app, const struct reel *reel, int width,
                      struct timeline *t);
/* Lanes that there are more of, because of physics run again. */
int timeline_extra(const struct app *app);
/* Columns that the lanes have on a screen so wide. */
int timeline_lane(int width);
/* The column of a step, clamped to the window; never falls as the step rises. */
int64_t timeline_column(const struct timeline *t, int64_t step);
/* The steps that a column stands for, at least one; the column of *last is at most col. */
void timeline_steps(const struct timeline *t, int col, int64_t *first, int64_t *last);
/* The least of 1, 2, 5, 10, ... whose ticks are at least `gap` columns apart. */
int64_t timeline_tick(const struct timeline *t, int gap);
/* The block that stands for a count: one of eight, the last only when the hold is complete. */
const char *timeline_level(int64_t count, int64_t hold_steps);

#endif
