/* The dynamic run along time, a value a column. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session_parts.h"

void lanes_steps(const struct lanes *l, int col, int64_t *first, int64_t *last) {
  int64_t n = l->last - l->first + 1;
  int64_t end = (((int64_t)col + 1) * n + l->n - 1) / l->n - 1;
  int64_t begin = ((int64_t)col * n + l->n - 1) / l->n;
  *last = l->first + end;
  *first = l->first + (begin < end ? begin : end);
}

static void fill_lane(const struct lanes *l, double *out, const ph_analysis *a, bool one) {
  int64_t first, last;
  for (int i = 0; i < l->n; i++) {
    lanes_steps(l, i, &first, &last);
    ph_analysis_lane(a, one, first, last - first + 1, &out[i], 1);
  }
}

/* Of the steps of a column that are known. */
static void judge_column(const struct pass_judged *judged, int64_t first, int64_t last,
                         uint8_t *predicate, int64_t *hold) {
  int64_t known = 0, yes = 0;
  *hold = -1;
  for (int64_t t = first > judged->first ? first : judged->first; t <= last && t < judged->end;
       t++) {
    known++;
    yes += judged->predicate[t] != 0;
    *hold = judged->hold[t] > *hold ? judged->hold[t] : *hold;
  }
  *predicate = known == 0 ? 255 : yes == 0 ? 0 : yes == last - first + 1 ? 2 : 1;
}

static void fill_judged(struct lanes *l, const struct pass_judged *judged) {
  int64_t first, last;
  for (int i = 0; i < l->n; i++) {
    lanes_steps(l, i, &first, &last);
    judge_column(judged, first, last, &l->pred[i], &l->hold[i]);
  }
}

static struct lanes *make(const struct dynamic *d, int64_t first, int64_t last, int columns,
                          const ph_analysis *a) {
  size_t n = (size_t)columns;
  struct pass_judged judged;
  const ph_analysis *ghost = d->branch.pass ? pass_analysis(d->branch.pass) : NULL;
  struct lanes *l = calloc(1, sizeof *l);
  if (!l)
    return NULL;
  atomic_init(&l->refs, 1);
  pass_judged(d->pass, &judged);
  l->first = first;
  l->last = last;
  l->n = columns;
  l->drift = malloc(n * sizeof *l->drift);
  l->one = malloc(n * sizeof *l->one);
  l->ghost = ghost ? malloc(n * sizeof *l->ghost) : NULL;
  l->pred = judged.on ? malloc(n) : NULL;
  l->hold = judged.on ? malloc(n * sizeof *l->hold) : NULL;
  if (!l->drift || !l->one || (ghost && !l->ghost) || (judged.on && (!l->pred || !l->hold))) {
    lanes_unref(l);
    return NULL;
  }
  fill_lane(l, l->drift, a, false);
  fill_lane(l, l->one, a, true);
  if (ghost)
    fill_lane(l, l->ghost, ghost, false);
  if (judged.on)
    fill_judged(l, &judged);
  return l;
}

/* The window as the timeline takes it: the whole where there is none. */
int lanes_window(const struct dynamic_wish *wish, int64_t states, int64_t *first, int64_t *last) {
  enum { MOST = 1 << 14 };
  int64_t end = states > 0 ? states - 1 : 0;
  bool some = wish->last > wish->first && wish->first >= 0 && wish->first <= end;
  *first = some ? wish->first : 0;
  *last = some && wish->last < end ? wish->last : end;
  return wish->columns < MOST ? wish->columns : MOST;
}

ph_status dynamic_make_lanes(struct dynamic *d, const struct opened *o,
                             const struct dynamic_wish *wish) {
  const ph_analysis *a = d->pass ? pass_analysis(d->pass) : NULL;
  int64_t first, last;
  int columns = lanes_window(wish, o->reel->states, &first, &last);
  ph_analysis_progress now;
  if (!a || columns <= 0) {
    lanes_unref(d->lanes);
    d->lanes = NULL;
    return PH_OK;
  }
  uint64_t news = pass_news(d->pass);
  uint64_t ghost = d->branch.pass ? pass_news(d->branch.pass) + d->branch.serial : 0;
  ph_analysis_look(a, &now);
  if (d->lanes && d->lanes->first == first && d->lanes->last == last && d->lanes->n == columns &&
      d->lanes_news == news && d->lanes_ghost == ghost && d->lanes_free == now.free_run &&
      d->lanes_one == now.one_step)
    return PH_OK;
  struct lanes *fresh = make(d, first, last, columns, a);
  if (!fresh)
    return PH_ENOMEM;
  lanes_unref(d->lanes);
  d->lanes = fresh;
  d->lanes_news = news;
  d->lanes_ghost = ghost;
  d->lanes_free = now.free_run;
  d->lanes_one = now.one_step;
  return PH_OK;
}
