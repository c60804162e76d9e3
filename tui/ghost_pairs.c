#include "ghost_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Signals that are one thing: where they begin, and its name. */
struct thing {
  char name[172];
  int n;
  bool rotation;
};

/* "cup" of "cup.vx", where the suffix is that. */
static size_t base_of(const char *name, const char *suffix) {
  size_t n = strlen(name), k = strlen(suffix);
  return n > k && strcmp(name + n - k, suffix) == 0 ? n - k : 0;
}

/* Whether the signals from `at` on are one name with these suffixes, of one kind. */
static size_t is_group(const ph_signal *s, size_t left, const char *const *suffix, size_t n) {
  size_t base = left >= n ? base_of(s[0].name, suffix[0]) : 0;
  for (size_t i = 1; i < n && base > 0; i++)
    if (s[i].kind != s[0].kind || base_of(s[i].name, suffix[i]) != base ||
        memcmp(s[i].name, s[0].name, base) != 0)
      base = 0;
  return base;
}

static struct thing group(const ph_signal *s, size_t base, int n, const char *suffix) {
  struct thing t = {.n = n, .rotation = n == 4};
  snprintf(t.name, sizeof t.name, "%s%.*s%s", s->kind == PH_SIGNAL_BODY ? "body " : "", (int)base,
           s->name, suffix);
  return t;
}

/* The thing that begins at a signal. A place of a free joint or of a mocap body is one for the
 * rotation that follows it. */
static struct thing thing_at(const ph_signal *s, size_t left) {
  static const char *const place[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
  static const char *const linear[] = {".vx", ".vy", ".vz"}, *const angular[] = {".wx", ".wy",
                                                                                 ".wz"};
  struct thing t = {.n = 1};
  size_t base;
  bool posed = s->kind == PH_SIGNAL_QPOS || s->kind == PH_SIGNAL_MOCAP;
  if (posed && (base = is_group(s, left, place, 7)))
    return group(s, base, 3, ".pos");
  if (posed && (base = is_group(s, left, place + 3, 4)))
    return group(s, base, 4, ".rot");
  if (s->kind == PH_SIGNAL_BODY && (base = is_group(s, left, place, 3)))
    return group(s, base, 3, "");
  if (s->kind == PH_SIGNAL_QVEL && (base = is_group(s, left, linear, 3)))
    return group(s, base, 3, ".v");
  if (s->kind == PH_SIGNAL_QVEL && (base = is_group(s, left, angular, 3)))
    return group(s, base, 3, ".w");
  snprintf(t.name, sizeof t.name, "%s", s->name);
  return t;
}

/* Number of the row of states that holds a signal; -1: none. */
static int in_state(const ph_signal *s, const ph_dims *d) {
  switch (s->kind) {
  case PH_SIGNAL_QPOS:
    return 1 + s->index;
  case PH_SIGNAL_QVEL:
    return 1 + d->nq + s->index;
  case PH_SIGNAL_ACT:
    return 1 + d->nq + d->nv + s->index;
  default:
    return -1;
  }
}

static ph_measure measure_of(const ph_signal *s, const struct thing *t) {
  bool angle = t->rotation || (s->unit && strncmp(s->unit, "rad", 3) == 0);
  switch (s->kind) {
  case PH_SIGNAL_QPOS:
    return angle ? PH_MEASURE_JOINT_ANGLE : PH_MEASURE_JOINT_PLACE;
  case PH_SIGNAL_QVEL:
    return angle ? PH_MEASURE_JOINT_ANGLE_SPEED : PH_MEASURE_JOINT_PLACE_SPEED;
  case PH_SIGNAL_ACT:
    return PH_MEASURE_ACT;
  case PH_SIGNAL_BODY:
    return PH_MEASURE_BODY_PLACE;
  default:
    return PH_MEASURE_COUNT;
  }
}

static bool same_name(const ph_signal *a, const ph_signal *b) {
  return a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
         strcmp(a->unit ? a->unit : "", b->unit ? b->unit : "") == 0;
}

/* Where the other has it, as the same thing: mostly at the same place. -1: nowhere. */
static int find(const ph_signal *s, const struct thing *t, size_t guess, const ph_signal *there,
                size_t n) {
  for (size_t k = 0; k <= n; k++) {
    size_t at = k == 0 ? guess : k - 1;
    if (at >= n || !same_name(s, &there[at]))
      continue;
    struct thing other = thing_at(&there[at], n - at);
    if (other.n == t->n && strcmp(other.name, t->name) == 0)
      return (int)at;
  }
  return -1;
}

static bool is_named(const ph_signal *s) {
  return s->kind == PH_SIGNAL_QPOS || s->kind == PH_SIGNAL_BODY;
}

static size_t count_named(const ph_signal *s, size_t n) {
  size_t named = 0;
  for (size_t i = 0; i < n;) {
    named += is_named(&s[i]);
    i += (size_t)thing_at(&s[i], n - i).n;
  }
  return named;
}

/* The rotation of a body of both, whose place is a pair. */
static struct ghost_pair rotation_of(const struct ghost_pair *place, const ph_signal *here,
                                     const ph_signal *there) {
  struct ghost_pair p = *place;
  size_t n = strlen(p.name);
  snprintf(p.name + n, sizeof p.name - n, ".rot");
  p.measure = PH_MEASURE_BODY_ANGLE;
  p.unit = "rad";
  p.n = 4;
  p.body_here = here[p.here].index / 3;
  p.body_there = there[p.there].index / 3;
  return p;
}

static int by_place(const void *a, const void *b) {
  const struct ghost_pair *x = a, *y = b;
  if ((x->a < 0) != (y->a < 0))
    return x->a < 0 ? 1 : -1;
  if (x->here != y->here)
    return x->here < y->here ? -1 : 1;
  return (x->n > y->n) - (x->n < y->n);
}

bool ghost_pairs_make(struct ghost_pairs *out, const ph_signal *here, size_t nhere,
                      const ph_dims *dims_here, const ph_signal *there, size_t nthere,
                      const ph_dims *dims_there) {
  size_t named = 0;
  memset(out, 0, sizeof *out);
  out->pair = calloc(2 * nhere + 1, sizeof *out->pair);
  if (!out->pair)
    return false;
  for (size_t i = 0; i < nhere;) {
    const ph_signal *s = &here[i];
    struct thing t = thing_at(s, nhere - i);
    int at = find(s, &t, i, there, nthere);
    out->only_here += at < 0 && is_named(s);
    named += at >= 0 && is_named(s);
    if (at >= 0) {
      struct ghost_pair *p = &out->pair[out->n++];
      *p = (struct ghost_pair){.kind = s->kind,
                               .measure = measure_of(s, &t),
                               .unit = t.rotation ? "rad" : s->unit,
                               .n = t.n,
                               .here = (int)i,
                               .there = at,
                               .body_here = -1,
                               .body_there = -1,
                               .a = in_state(s, dims_here),
                               .b = in_state(&there[at], dims_there),
                               .worst = NAN,
                               .step = -1};
      memcpy(p->name, t.name, sizeof p->name);
      out->states += p->a >= 0;
      if (s->kind == PH_SIGNAL_BODY && t.n == 3)
        out->pair[out->n++] = rotation_of(p, here, there);
    }
    i += (size_t)t.n;
  }
  size_t all = count_named(there, nthere);
  out->only_there = all > named ? all - named : 0;
  qsort(out->pair, out->n, sizeof *out->pair, by_place);
  return true;
}

void ghost_pairs_clear(struct ghost_pairs *pairs) {
  free(pairs->pair);
  memset(pairs, 0, sizeof *pairs);
}

/* The angle of conj(a) b; what is no unit quaternion is none the less a direction. */
static double angle(const double *a, const double *b) {
  double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  double x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
  double y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
  double z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
  return 2 * atan2(sqrt(x * x + y * y + z * z), fabs(w));
}

double ghost_error(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    if (!isfinite(a[i]) || !isfinite(b[i]))
      return NAN;
  if (n == 4)
    return angle(a, b);
  for (int i = 0; i < n; i++)
    sum += (b[i] - a[i]) * (b[i] - a[i]);
  return n == 1 ? fabs(b[0] - a[0]) : sqrt(sum);
}
