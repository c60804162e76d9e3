#include "divergence_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "fail.h"

static const struct {
  const char *name, *unit;
} measures[] = {
#define MEASURE(id, name, unit) {name, unit},
    PH_MEASURE_LIST(MEASURE)
#undef MEASURE
};

static const char *const classes[] = {"bitwise", "rounding", "close", "diverged"};

const char *ph_measure_name(ph_measure m) {
  return (unsigned)m < PH_MEASURE_COUNT ? measures[m].name : "";
}

const char *ph_measure_unit(ph_measure m) {
  return (unsigned)m < PH_MEASURE_COUNT ? measures[m].unit : "";
}

const char *ph_class_name(ph_class c) {
  return (unsigned)c < PH_CLASS_COUNT ? classes[c] : "";
}

bool ph_class_from_name(const char *name, ph_class *out) {
  for (int i = 0; i < PH_CLASS_COUNT; i++)
    if (strcmp(name, classes[i]) == 0) {
      *out = (ph_class)i;
      return true;
    }
  return false;
}

/* --- tolerance --- */

ph_tolerance ph_tolerance_default(void) {
  return (ph_tolerance){{
      [PH_MEASURE_JOINT_ANGLE] = 1e-3,
      [PH_MEASURE_JOINT_PLACE] = 1e-3,
      [PH_MEASURE_BODY_PLACE] = 1e-3,
      [PH_MEASURE_BODY_ANGLE] = 1e-3,
      [PH_MEASURE_JOINT_ANGLE_SPEED] = 0.1,
      [PH_MEASURE_JOINT_PLACE_SPEED] = 0.1,
      [PH_MEASURE_ACT] = 1e-3,
      [PH_MEASURE_CTRL] = INFINITY,
  }};
}

/* What a name of the text stands for. */
static const struct {
  const char *name;
  ph_measure of[2];
} kinds[] = {
    {"pos", {PH_MEASURE_JOINT_PLACE, PH_MEASURE_BODY_PLACE}},
    {"rot", {PH_MEASURE_JOINT_ANGLE, PH_MEASURE_BODY_ANGLE}},
    {"vel", {PH_MEASURE_JOINT_PLACE_SPEED, PH_MEASURE_JOINT_ANGLE_SPEED}},
    {"act", {PH_MEASURE_ACT, PH_MEASURE_ACT}},
};
enum { POS, ROT, VEL, ACT, KINDS };

static const char *skip(const char *at) {
  while (isspace((unsigned char)*at))
    at++;
  return at;
}

static void set_kind(ph_tolerance *t, int kind, double value) {
  t->of[kinds[kind].of[0]] = t->of[kinds[kind].of[1]] = value;
}

/* Which kind `at` begins with, behind its sign of equality; KINDS: a number alone; -1: none. */
static int read_kind(const char **at) {
  if (!isalpha((unsigned char)**at))
    return KINDS;
  for (int i = 0; i < KINDS; i++) {
    const char *end = *at + strlen(kinds[i].name);
    if (strncmp(*at, kinds[i].name, strlen(kinds[i].name)) != 0 || *skip(end) != '=')
      continue;
    *at = skip(skip(end) + 1);
    return i;
  }
  return -1;
}

static ph_status read_tolerance(ph_tolerance *tolerance, const char *text) {
  ph_tolerance t = *tolerance;
  bool given[KINDS] = {false};
  for (const char *at = skip(text);; at = skip(at + 1)) {
    char *end;
    const char *part = at;
    int length = (int)strcspn(part, ","), kind = read_kind(&at);
    if (kind < 0 || !*at)
      return ph_fail(PH_EINVAL,
                     "tolerance: '%.*s': it is a number, or pos=, rot=, vel=, act= with one, as in "
                     "pos=1e-3,rot=1e-3,vel=0.1",
                     length, part);
    double value = strtod(at, &end);
    if (end == at || (*skip(end) && *skip(end) != ',') || !isfinite(value) || value < 0)
      return ph_fail(PH_EINVAL, "tolerance: '%.*s': not a number from 0 up", length, part);
    for (int i = 0; i < KINDS; i++) {
      if (i != kind && (kind != KINDS || i > ROT))
        continue;
      if (given[i])
        return ph_fail(PH_EINVAL, "tolerance: '%.*s': %s is given twice", length, part,
                       kinds[i].name);
      given[i] = true;
      set_kind(&t, i, value);
    }
    at = skip(end);
    if (!*at)
      break;
  }
  *tolerance = t;
  return PH_OK;
}

ph_status ph_tolerance_parse(ph_tolerance *tolerance, const char *text) {
  locale_t before = ph_c_locale_enter();
  ph_status status = read_tolerance(tolerance, text);
  ph_c_locale_leave(before);
  return status;
}

/* "1 mm" of 1e-3 m. */
static void small_text(double x, const char *unit, char *out, size_t size) {
  static const char *const prefix[] = {"", "m", "u", "n"};
  int i = 0;
  while (i < 3 && x > 0 && x < 0.1) {
    x *= 1e3;
    i++;
  }
  snprintf(out, size, "%.4g %s%s", x, prefix[i], unit);
}

void ph_tolerance_text(const ph_tolerance *tolerance, char *out, size_t size) {
  const ph_tolerance usual = ph_tolerance_default();
  double act = tolerance->of[PH_MEASURE_ACT];
  char pos[40], rot[40], more[60] = "";
  small_text(tolerance->of[PH_MEASURE_JOINT_PLACE], "m", pos, sizeof pos);
  small_text(tolerance->of[PH_MEASURE_JOINT_ANGLE], "rad", rot, sizeof rot);
  if (act != usual.of[PH_MEASURE_ACT])
    snprintf(more, sizeof more, ", activation %.4g", act);
  snprintf(out, size, "%s, %s, %.4g m/s%s", pos, rot, tolerance->of[PH_MEASURE_JOINT_PLACE_SPEED],
           more);
}

/* --- one difference --- */

bool ph_difference_known(const ph_difference *d, ph_measure m) {
  return !isnan(d->max[m]) || d->worst[m] >= 0;
}

double ph_difference_ratio(const ph_difference *d, const ph_tolerance *tolerance, ph_measure m) {
  double e = d->max[m];
  if (m == PH_MEASURE_CTRL || e == 0 || !ph_difference_known(d, m))
    return 0;
  return isnan(e) ? INFINITY : e / tolerance->of[m];
}

ph_measure ph_difference_worst(const ph_difference *d, const ph_tolerance *tolerance) {
  const ph_tolerance usual = ph_tolerance_default();
  ph_measure worst = PH_MEASURE_COUNT, place = PH_MEASURE_COUNT;
  double most = 0, most_place = 0;
  for (int i = 0; i < PH_MEASURE_COUNT; i++) {
    double ratio = ph_difference_ratio(d, tolerance ? tolerance : &usual, (ph_measure)i);
    if (ratio > most)
      most = ratio, worst = (ph_measure)i;
    if (i <= PH_MEASURE_BODY_ANGLE && ratio > most_place)
      most_place = ratio, place = (ph_measure)i;
  }
  if (most > 1 || place == PH_MEASURE_COUNT)
    return worst;
  return place;
}

/* 4.1e-3, and 0.25 where that is shorter. */
static void number_text(double x, char *out, size_t size) {
  if (x >= 0.1 && x < 1000) {
    snprintf(out, size, "%.3g", x);
    return;
  }
  char text[40];
  snprintf(text, sizeof text, "%.1e", x);
  char *e = strchr(text, 'e');
  if (!e) {
    snprintf(out, size, "%s", text);
    return;
  }
  *e = 0;
  snprintf(out, size, "%se%d", text, atoi(e + 1));
}

static void name_text(const ph_model *model, ph_measure m, int i, char *out, size_t size) {
  ph_kind kind = m == PH_MEASURE_BODY_PLACE || m == PH_MEASURE_BODY_ANGLE ? PH_BODY
                 : m == PH_MEASURE_ACT || m == PH_MEASURE_CTRL            ? PH_ACTUATOR
                                                                          : PH_JOINT;
  const char *name = ph_model_name(model, kind, i);
  if (name[0])
    snprintf(out, size, "%s", name);
  else
    snprintf(out, size, "%s %d", ph_schema_kind(kind), i);
}

void ph_difference_name(const ph_difference *d, const ph_model *model, ph_measure m, char *out,
                        size_t size) {
  out[0] = 0;
  if ((unsigned)m < PH_MEASURE_COUNT && d->worst[m] >= 0)
    name_text(model, m, d->worst[m], out, size);
}

void ph_difference_text(const ph_difference *d, const ph_model *model, ph_measure m, char *out,
                        size_t size) {
  char name[160], number[60];
  if ((unsigned)m >= PH_MEASURE_COUNT || d->worst[m] < 0) {
    bool known = (unsigned)m >= PH_MEASURE_COUNT || ph_difference_known(d, m);
    snprintf(out, size, "%s", known ? "no error" : "not known");
    return;
  }
  name_text(model, m, d->worst[m], name, sizeof name);
  if (isnan(d->max[m])) {
    snprintf(out, size, "%s is no number", name);
    return;
  }
  number_text(d->max[m], number, sizeof number);
  snprintf(out, size, "%s %s%s%s", name, number, measures[m].unit[0] ? " " : "", measures[m].unit);
}
