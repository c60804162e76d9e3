#include "foreign_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define TIMES_MAX 65536 /* rows that are looked at */
#define STEPS_MAX 1e6   /* substeps in a control step that are believed */

/* Times of the first rows, and what they say. */
struct clock {
  double *time; /* owned, n of them */
  int64_t n;
  bool more;     /* the episode has more rows */
  double median; /* [s] of the positive differences; 0: there is none */
  double noise;  /* [s] by which rounding alone makes differences differ */
};

/* --- the time column --- */

static ph_status read_times(struct clock *c, const ph_array *array) {
  int64_t rows = array->channel.rows;
  c->n = rows < TIMES_MAX ? rows : TIMES_MAX;
  c->more = rows > c->n;
  c->time = malloc(((size_t)c->n + 1) * sizeof *c->time);
  return c->time ? ph_array_first(array, c->n, c->time)
                 : ph_fail(PH_ENOMEM, "%s: out of memory", array->channel.name);
}

static double precision(const ph_array *array) {
  if (strcmp(array->channel.type, "float16") == 0)
    return 0x1p-10;
  return array->stored == PH_F32 ? FLT_EPSILON : DBL_EPSILON;
}

static ph_status measure(struct clock *c, const ph_array *array) {
  double *gaps = malloc(((size_t)c->n + 1) * sizeof *gaps), latest = 0;
  if (!gaps)
    return ph_fail(PH_ENOMEM, "%s: out of memory", array->channel.name);
  for (int64_t i = 1; i < c->n; i++) {
    double gap = c->time[i] - c->time[i - 1];
    if (isfinite(gap) && gap > 0)
      latest = fmax(latest, fmax(fabs(c->time[i]), fabs(c->time[i - 1])));
  }
  c->median = ph_median_gap(gaps, c->time, c->n);
  c->noise = 1e-6 * c->median + 64 * precision(array) * latest;
  free(gaps);
  return PH_OK;
}

/* --- what is odd about it --- */

struct odd {
  int64_t n, first;
};

static void count(struct odd *odd, int64_t step) {
  if (odd->n++ == 0)
    odd->first = step;
}

/* "at step 7", or "at 3 steps, the first is 7". */
static const char *places(char *out, size_t size, const struct odd *odd) {
  if (odd->n == 1)
    snprintf(out, size, "at step %lld", (long long)odd->first);
  else
    snprintf(out, size, "at %lld steps, the first is %lld", (long long)odd->n,
             (long long)odd->first);
  return out;
}

/* In as few digits, three at least, as tell it from another number. */
static void say_number(char *out, size_t size, double value, double other) {
  char than[32];
  int digits = 3;
  do {
    snprintf(out, size, "%.*g", digits, value);
    snprintf(than, sizeof than, "%.*g", digits, other);
  } while (value != other && strcmp(out, than) == 0 && ++digits <= 17);
}

/* The place of a step stands with the finding; where most are odd their number says nothing. */
static void find_jitter(ph_foreign *f, const struct clock *c) {
  double least = INFINITY, most = 0;
  struct odd odd = {0};
  char at[80], from[32], to[32], median[32];
  for (int64_t i = 1; i < c->n; i++) {
    double d = c->time[i] - c->time[i - 1];
    if (!(d > 0) || !isfinite(d))
      continue;
    least = fmin(least, d);
    most = fmax(most, d);
    if (fabs(d - c->median) > c->noise)
      count(&odd, i);
  }
  if (odd.n == 0)
    return;
  f->time_odd = true;
  bool few = 2 * odd.n < c->n - 1;
  say_number(from, sizeof from, least, most);
  say_number(to, sizeof to, most, least);
  say_number(median, sizeof median, c->median, c->median == least ? most : least);
  ph_foreign_find(f, PH_FINDING_ODDITY, odd.first,
                  "time: steps are irregular: %s to %s s, median %s s%s%s", from, to, median,
                  few ? "; not the median " : "", few ? places(at, sizeof at, &odd) : "");
}

static void find_odd_times(ph_foreign *f, const struct clock *c) {
  struct odd same = {0}, back = {0}, none = {0};
  char at[80];
  for (int64_t i = 0; i < c->n; i++) {
    if (!isfinite(c->time[i]))
      count(&none, i);
    else if (i > 0 && c->time[i] == c->time[i - 1])
      count(&same, i);
    else if (i > 0 && c->time[i] < c->time[i - 1])
      count(&back, i);
  }
  if (none.n > 0)
    ph_foreign_find(f, PH_FINDING_ODDITY, none.first, "time: it is not finite %s",
                    places(at, sizeof at, &none));
  if (same.n > 0)
    ph_foreign_find(f, PH_FINDING_ODDITY, same.first, "time: it stands still %s",
                    places(at, sizeof at, &same));
  if (back.n > 1 || (back.n == 1 && f->time_back != back.first))
    ph_foreign_find(f, PH_FINDING_ODDITY, back.first, "time: it goes back %s",
                    places(at, sizeof at, &back));
  f->time_odd = none.n > 0 || same.n > 0 || back.n > 0;
  find_jitter(f, c);
}

/* --- the rate --- */

/* The nearest number that a person would have written, where rounding explains the difference. */
static double settle(double dt, double noise, double timestep) {
  double whole = timestep > 0 ? rint(dt / timestep) * timestep : 0;
  double plain = rint(dt * 1e6) * 1e-6;
  if (whole > 0 && fabs(whole - dt) <= noise)
    return whole;
  return fabs(plain - dt) <= noise && plain > 0 ? rint(dt * 1e6) / 1e6 : dt;
}

static void find_source(ph_foreign *f, const struct clock *c, double noise) {
  ph_episode_meta *m = &f->meta;
  const char *column = c->more ? "median of the first 65536 times" : "median of the time column";
  bool agree = f->dt > 0 && c->median > 0 && fabs(f->dt - c->median) <= noise;
  const char *said = f->dt_source[0] ? f->dt_source : "the file";
  if (c->median > 0 && f->dt > 0 && !agree)
    ph_foreign_find(f, PH_FINDING_ODDITY, -1,
                    "a step lasts %.6g s by the time column and %.6g s by %s: the time column is "
                    "taken",
                    c->median, f->dt, said);
  if (c->median > 0)
    snprintf(m->rate_source, sizeof m->rate_source, "%s%s%.80s", column, agree ? " and " : "",
             agree ? said : "");
  else if (f->dt > 0)
    snprintf(m->rate_source, sizeof m->rate_source, "%s", said);
}

static void find_substeps(ph_foreign *f, double noise, double timestep) {
  ph_episode_meta *m = &f->meta;
  double steps = rint(m->control_dt / timestep);
  char tail[64];
  if (steps < 1 || steps > STEPS_MAX || fabs(steps * timestep - m->control_dt) > noise)
    ph_foreign_find(f, PH_FINDING_ODDITY, -1,
                    "a step lasts %.6g s, which is no multiple of the model's timestep, %.6g s",
                    m->control_dt, timestep);
  if (steps < 1 || steps > STEPS_MAX)
    return;
  m->dims.control_steps = (int)steps;
  int n = snprintf(tail, sizeof tail, "; %d substep%s of %.6g s", m->dims.control_steps,
                   steps > 1 ? "s" : "", timestep);
  size_t room = sizeof m->rate_source - (size_t)n - 1, used = strlen(m->rate_source);
  memcpy(m->rate_source + (used < room ? used : room), tail, (size_t)n + 1);
}

/* [s] of the model; 0: there is none, or it is none. */
static double take_timestep(ph_foreign *f, const ph_model *model) {
  double timestep = model ? ph_model_timestep(model) : 0;
  if (model && !(timestep > 0))
    ph_foreign_find(f, PH_FINDING_ODDITY, -1,
                    "the model's timestep is %.6g s: how many substeps a step has is not known",
                    timestep);
  return timestep > 0 ? timestep : 0;
}

ph_status ph_foreign_rate(ph_foreign *foreign, bool timed, const ph_model *model) {
  ph_foreign *f = foreign;
  double timestep = take_timestep(f, model);
  ph_episode_meta *m = &f->meta;
  struct clock c = {0};
  ph_status status = PH_OK;
  if (timed && f->states >= 0)
    status = read_times(&c, &f->arrays[f->states]);
  if (status != PH_OK && status != PH_ENOMEM) {
    ph_foreign_find(f, PH_FINDING_MISSING, -1, "time: it cannot be read: %s", ph_error());
    c.n = 0;
    status = PH_OK;
  }
  if (status == PH_OK && c.n > 0)
    status = measure(&c, &f->arrays[f->states]);
  if (status == PH_OK && c.n > 0)
    find_odd_times(f, &c);
  if (!isfinite(f->dt) || f->dt < 0)
    f->dt = 0;
  double dt = c.median > 0 ? c.median : f->dt;
  double noise = c.median > 0 ? c.noise : 1e-6 * dt;
  m->timestep = timestep;
  m->control_dt = dt > 0 ? settle(dt, noise, timestep) : 0;
  m->dims.control_steps = 0;
  snprintf(m->rate_source, sizeof m->rate_source, "rate unknown%s",
           timed ? "" : ": one row is one unit");
  if (dt > 0)
    find_source(f, &c, noise);
  if (dt > 0 && timestep > 0)
    find_substeps(f, noise, timestep);
  free(c.time);
  return status;
}
