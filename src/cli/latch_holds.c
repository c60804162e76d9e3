/* The holds that `latch` asks for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "latch_parts.h"

enum { HOLDS_MOST = 1000 };

/* A number from 0 on, up to `end`. */
static bool read_number(const char **at, char end, double *out) {
  char *rest;
  *out = strtod(*at, &rest);
  bool ok = rest != *at && *rest == end && isfinite(*out) && *out >= 0 && *out <= 1e9;
  *at = end ? rest + 1 : rest;
  return ok;
}

static int refuse(const struct latch *v, const char *why) {
  return cli_fail(EXIT_USAGE, "%s: --hold %s: %s", v->opt->verb, v->opt->holds, why);
}

static int make_room(struct latch *v, size_t n) {
  v->nholds = n;
  v->hold = calloc(n, sizeof *v->hold);
  if (!v->hold)
    return cli_fail(EXIT_ERROR, "%s: no memory", v->opt->verb);
  for (size_t i = 0; i < n; i++) {
    v->hold[i] = (struct latch_count){.seconds = -1, .steps = -2, .shown = -2};
    for (int k = 0; k < PH_LATCH_SOURCES; k++)
      v->hold[i].least[k] = v->hold[i].most[k] = -1;
  }
  return EXIT_FINE;
}

/* 0.3 and not 0.30000000000000004. */
static double hold_at(double from, double step, size_t i) {
  char text[40];
  snprintf(text, sizeof text, "%.12g", from + (double)i * step);
  return strtod(text, NULL);
}

static int read_sweep(struct latch *v) {
  const char *at = v->opt->holds;
  double from, to, step;
  if (!read_number(&at, ':', &from) || !read_number(&at, ':', &to) || !read_number(&at, 0, &step))
    return refuse(v, "not seconds, nor A:B:STEP in seconds");
  if (to < from || step <= 0)
    return refuse(v, "it has to go up from A to B in steps above 0");
  double n = floor((to - from) / step + 1e-9) + 1;
  if (n > HOLDS_MOST)
    return refuse(v, "more than 1000 holds");
  int status = make_room(v, (size_t)n);
  for (size_t i = 0; status == EXIT_FINE && i < v->nholds; i++)
    v->hold[i].seconds = hold_at(from, step, i);
  v->sweep = true;
  return status;
}

int latch_holds(struct latch *v) {
  const char *at = v->opt->holds;
  double one = -1;
  if (at && !read_number(&at, 0, &one))
    return read_sweep(v);
  int status = make_room(v, 1);
  if (status == EXIT_FINE)
    v->hold[0].seconds = at ? one : -1;
  return status;
}

bool latch_steps(const struct latch *v, const struct latch_result *r, size_t i, double *seconds,
                 int64_t *steps, char *why, size_t size) {
  *seconds = v->hold[i].seconds < 0 ? r->in_force : v->hold[i].seconds;
  bool counted = ph_hold_of(steps, *seconds, &r->recorded) == PH_OK;
  if (!counted)
    snprintf(why, size, "%s", ph_error());
  return counted;
}

int latch_base(const struct latch *v, const struct latch_result *r) {
  for (int k = 0; k < PH_LATCH_SOURCES; k++)
    if (v->asked[k] && r->of[k].known)
      return k;
  return -1;
}
