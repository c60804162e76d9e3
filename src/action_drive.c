/* Which actuators a term drives, how far, and how a joint is sent somewhere through one. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "action_term.h"
#include "fail.h"
#include "name.h"

ph_status ph_term_fail(const ph_term *term, const char *fmt, ...) {
  char text[500];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return ph_fail(PH_EMISMATCH, "actions[%d] (%s): %s", term->number, term->type->name, text);
}

/* --- finding --- */

/* Whether what the actuator acts by is ctrl, at once or after a lag; an integrator makes a velocity
 * of it. */
static bool is_direct(const mjModel *m, int i) {
  int type = m->actuator_dyntype[i];
  return type != mjDYN_INTEGRATOR && type != mjDYN_MUSCLE && type != mjDYN_USER;
}

/* A servo: force = kp (ctrl - length) - kv velocity. */
static bool is_position_servo(const mjModel *m, int i) {
  const mjtNum *gain = m->actuator_gainprm + (size_t)i * mjNGAIN;
  const mjtNum *bias = m->actuator_biasprm + (size_t)i * mjNBIAS;
  return is_direct(m, i) && m->actuator_gaintype[i] == mjGAIN_FIXED &&
         m->actuator_biastype[i] == mjBIAS_AFFINE && gain[0] > 0 && bias[0] == 0 &&
         bias[1] == -gain[0] && m->actuator_gear[6 * i] != 0;
}

static ph_status find_servo(const ph_term *term, int joint, int *out) {
  const ph_model *model = term->actions->model;
  const mjModel *m = model->m;
  const char *name = ph_model_name(model, PH_JOINT, joint);
  int found = 0;
  ph_joint_type type = ph_model_joint(model, joint)->type;
  if (type != PH_SLIDE && type != PH_HINGE)
    return ph_term_fail(term, "joint '%s': is neither slide nor hinge", name);
  for (int i = 0; i < (int)m->nu; i++) {
    bool on_joint =
        m->actuator_trntype[i] == mjTRN_JOINT || m->actuator_trntype[i] == mjTRN_JOINTINPARENT;
    if (on_joint && m->actuator_trnid[2 * i] == joint && is_position_servo(m, i) && found++ == 0)
      *out = i;
  }
  if (found == 1)
    return PH_OK;
  return ph_term_fail(term, "joint '%s': %s position actuator acts on it", name,
                      found == 0 ? "no" : "more than one");
}

static ph_status take_actuator(ph_term *term, int actuator, int joint) {
  ph_actions *a = term->actions;
  int other = a->driver[actuator];
  if (other == term->number)
    return PH_OK;
  if (other > 0)
    return ph_term_fail(term, "actuator '%s': actions[%d] drives it already",
                        ph_model_name(a->model, PH_ACTUATOR, actuator), other);
  a->driver[actuator] = term->number;
  term->drives[term->ndrives++] =
      (ph_drive){actuator, joint, joint >= 0 ? ph_model_joint(a->model, joint)->qposadr : -1};
  return PH_OK;
}

/* Takes all that one pattern matches, in model order. */
static ph_status add_matches(ph_term *term, const char *pattern, bool joints) {
  const ph_model *model = term->actions->model;
  ph_kind kind = joints ? PH_JOINT : PH_ACTUATOR;
  int n = ph_model_count(model, kind), matches = 0;
  ph_near near;
  char text[300], hint[120];
  ph_near_begin(&near, pattern);
  for (int i = 0; i < n; i++) {
    const char *name = ph_model_name(model, kind, i);
    int actuator = i;
    ph_near_add(&near, name);
    if (!ph_pattern_match(pattern, name))
      continue;
    matches++;
    ph_status st = joints ? find_servo(term, i, &actuator) : PH_OK;
    if (st == PH_OK)
      st = take_actuator(term, actuator, joints ? i : -1);
    if (st != PH_OK)
      return st;
  }
  if (matches > 0)
    return PH_OK;
  return ph_term_fail(term, "'%s': the model has no such %s%s%s", pattern,
                      joints ? "joint" : "actuator", ph_near_text(&near, text, sizeof text),
                      ph_pattern_hint(pattern, hint, sizeof hint));
}

ph_status ph_term_drives(ph_term *term, bool joints) {
  size_t room = (size_t)term->actions->model->m->nu + 1;
  ph_status st = PH_OK;
  term->drives = calloc(room, sizeof *term->drives);
  if (!term->drives)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  for (size_t i = 0; st == PH_OK && i < term->spec->npatterns; i++)
    st = add_matches(term, term->spec->patterns[i], joints);
  return st;
}

/* --- ranges --- */

void ph_actuator_range(const mjModel *m, int actuator, double *low, double *high) {
  bool limited = m->actuator_ctrllimited[actuator] && !(m->opt.disableflags & mjDSBL_CLAMPCTRL);
  *low = limited ? m->actuator_ctrlrange[2 * actuator] : -INFINITY;
  *high = limited ? m->actuator_ctrlrange[2 * actuator + 1] : INFINITY;
}

static double gear_of(const mjModel *m, const ph_drive *drive) {
  return drive->joint >= 0 ? m->actuator_gear[6 * drive->actuator] : 1;
}

void ph_drive_range(const mjModel *m, const ph_drive *drive, bool limits, double *low,
                    double *high) {
  double gear = gear_of(m, drive), min, max;
  ph_actuator_range(m, drive->actuator, &min, &max);
  *low = gear == 0 ? -INFINITY : fmin(min / gear, max / gear);
  *high = gear == 0 ? INFINITY : fmax(min / gear, max / gear);
  if (!limits || !m->jnt_limited[drive->joint])
    return;
  const mjtNum *range = m->jnt_range + 2 * (size_t)drive->joint;
  min = fmax(*low, range[0]);
  max = fmin(*high, range[1]);
  if (min > max) /* apart: ctrl cannot leave the actuator's */
    return;
  *low = min;
  *high = max;
}

double ph_clip(double x, double low, double high, uint8_t *clipped) {
  if (x < low || x > high)
    *clipped = 1;
  return x < low ? low : x > high ? high : x;
}

void ph_drive_send(const mjModel *m, const ph_drive *drive, double position, double *ctrl,
                   uint8_t *clipped) {
  double low, high;
  ph_actuator_range(m, drive->actuator, &low, &high);
  ctrl[drive->actuator] = ph_clip(gear_of(m, drive) * position, low, high, clipped);
}
