/* What the table of the state panel in B has lines for, and what they show of a state. */
#include "compare_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamic_view.h"
#include "text.h"

static bool signal_bits(const struct app *app, const struct dynamic_answer *d, int i) {
  return memcmp(&app->snap->values[i], &d->values[i], sizeof(double)) == 0;
}

static bool has_values(const struct app *app, const struct dynamic_answer *d) {
  return d && d->values && app->snap->values && d->substep == 0;
}

static void push(struct compare_rows *rows, const struct app *app, const struct compare_row *row) {
  if (!app_filter_match(app, PANEL_STATE, row->name) || rows->n == rows->room)
    return;
  rows->row[rows->n++] = *row;
}

/* --- joints --- */

/* A joint's numbers of one kind that one line is about: those of signals from `first` on. */
struct part {
  size_t first, n;  /* signals that it takes, with those of the line before it */
  const char *name; /* ".pos"; "" for a joint of one number */
  enum compare_shape shape;
  bool angle; /* measured in rad, or rad/s */
};

static bool has_suffix(const struct reel *reel, size_t i, size_t of, const char *suffix) {
  const char *a = reel->signals[of].name, *dot = strrchr(a, '.');
  if (!dot || i >= reel->nsignals || reel->signals[i].kind != reel->signals[of].kind)
    return false;
  size_t n = (size_t)(dot - a);
  return strncmp(reel->signals[i].name, a, n) == 0 &&
         strcmp(reel->signals[i].name + n, suffix) == 0;
}

static bool is_angle(const ph_signal *sig) {
  return sig->unit && strncmp(sig->unit, "rad", 3) == 0;
}

/* The parts of the joint whose first signal is i, one or two. Returns how many. */
static int joint_parts(const struct reel *reel, size_t i, struct part part[2]) {
  bool speed = reel->signals[i].kind == PH_SIGNAL_QVEL;
  size_t left = reel->nsignals - i;
  bool place = left >= 3 && has_suffix(reel, i, i, speed ? ".vx" : ".x") &&
               has_suffix(reel, i + 3, i, speed ? ".wx" : ".qw");
  size_t turn = i + (place ? 3 : 0);
  bool turns = has_suffix(reel, turn, i, speed ? ".wx" : ".qw") &&
               has_suffix(reel, turn + (speed ? 2 : 3), i, speed ? ".wz" : ".qz");
  int n = 0;
  if (place)
    part[n++] = (struct part){i, 3, speed ? ".vel" : ".pos", COMPARE_VECTOR, false};
  if (turns)
    part[n++] = (struct part){turn, speed ? 3 : 4, speed ? ".angvel" : ".rot",
                              speed ? COMPARE_VECTOR : COMPARE_ROTATION, true};
  if (n == 0)
    part[n++] = (struct part){i, 1, "", COMPARE_NUMBER, is_angle(&reel->signals[i])};
  return n;
}

static const ph_joint_summary *joint_worst(const struct dynamic_answer *d, size_t joint) {
  return d && d->joints && joint < d->njoints ? &d->joints[joint].worst : NULL;
}

static void take_worst(struct compare_row *row, const ph_joint_summary *worst, bool speed,
                       bool angle, const ph_tolerance *tolerance) {
  int measure = speed ? (angle ? PH_MEASURE_JOINT_ANGLE_SPEED : PH_MEASURE_JOINT_PLACE_SPEED)
                      : (angle ? PH_MEASURE_JOINT_ANGLE : PH_MEASURE_JOINT_PLACE);
  row->worst = NAN;
  row->step = -1;
  if (worst) {
    row->worst = speed ? (angle ? worst->rad_s : worst->m_s) : (angle ? worst->rad : worst->m);
    row->step = speed ? (angle ? worst->rad_s_step : worst->m_s_step)
                      : (angle ? worst->rad_step : worst->m_step);
  }
  row->rank = row->worst / tolerance->of[measure];
  row->rank = isnan(row->rank) ? 0 : row->rank;
}

/* How far apart both are now, and which of a vector's numbers most. */
static void take_now(struct compare_row *row, const struct app *app, size_t joint,
                     const struct part *part, bool speed) {
  const struct dynamic_answer *frame = app_dyn_frame(app);
  double most = 0;
  row->now = NAN;
  if (!has_values(app, frame))
    return;
  row->equal = true;
  for (size_t i = part->first; i < part->first + part->n; i++) {
    double apart = fabs(frame->values[i] - app->snap->values[i]);
    row->equal = row->equal && signal_bits(app, frame, (int)i);
    if (apart > most)
      most = apart, row->differs = (int)(i - part->first);
  }
  if (row->shape == COMPARE_NUMBER)
    row->now = fabs(frame->values[part->first] - app->snap->values[part->first]);
  if (frame->differs && frame->joints && joint < frame->njoints) {
    const ph_joint_error *now = &frame->joints[joint].now;
    row->now = speed ? (part->angle ? now->rad_s : now->m_s) : (part->angle ? now->rad : now->m);
  }
}

/* One line: what is measured in rad, or in m, or one of their speeds. */
static void push_part(struct compare_rows *rows, const struct app *app, size_t joint,
                      const struct part *part, const ph_tolerance *tolerance) {
  static const char *const unit[2][2] = {{"m", "rad"}, {"m/s", "rad/s"}};
  const ph_signal *sig = &app_reel(app)->signals[part->first];
  bool speed = sig->kind == PH_SIGNAL_QVEL;
  const char *dot = part->n > 1 ? strrchr(sig->name, '.') : NULL;
  struct compare_row row = {.unit = part->n > 1 ? unit[speed][part->angle] : sig->unit,
                            .signal = (int)part->first,
                            .shape = part->shape};
  snprintf(row.name, sizeof row.name, "%.*s%s",
           (int)(dot ? (size_t)(dot - sig->name) : strlen(sig->name)), sig->name, part->name);
  take_now(&row, app, joint, part, speed);
  take_worst(&row, joint_worst(app_dyn(app), joint), speed, part->angle, tolerance);
  push(rows, app, &row);
}

static int by_rank(const void *a, const void *b) {
  const struct compare_row *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? 1 : -1;
  return (x->signal > y->signal) - (x->signal < y->signal);
}

/* Joints by their positions or by their velocities, in the order of the model, then by rank. */
static void push_joints(struct compare_rows *rows, const struct app *app, ph_signal_kind kind) {
  const struct reel *reel = app_reel(app);
  ph_tolerance tolerance = app_tolerance(app);
  int before = rows->n;
  for (size_t i = 0, joint = 0; i < reel->nsignals;) {
    struct part part[2];
    if (reel->signals[i].kind != kind) {
      i++;
      continue;
    }
    int n = joint_parts(reel, i, part);
    for (int k = 0; k < n; k++, i += part[k - 1].n)
      push_part(rows, app, joint, &part[k], &tolerance);
    joint++;
  }
  if (rows->n - before > 1)
    qsort(rows->row + before, (size_t)(rows->n - before), sizeof *rows->row, by_rank);
}

/* --- everything else that is derived or stored of both --- */

static void push_signals(struct compare_rows *rows, const struct app *app, ph_signal_kind kind) {
  const struct reel *reel = app_reel(app);
  const struct dynamic_answer *frame = app_dyn_frame(app);
  for (size_t i = 0; i < reel->nsignals; i++) {
    const ph_signal *sig = &reel->signals[i];
    struct compare_row row = {
        .unit = sig->unit, .signal = (int)i, .now = NAN, .worst = NAN, .step = -1};
    if (sig->kind != kind)
      continue;
    snprintf(row.name, sizeof row.name, "%s", sig->name);
    if (has_values(app, frame)) {
      row.now = fabs(frame->values[i] - app->snap->values[i]);
      row.equal = signal_bits(app, frame, (int)i);
    }
    push(rows, app, &row);
  }
}

struct compare_rows compare_rows_make(const struct app *app) {
  static const ph_signal_kind others[] = {PH_SIGNAL_ACT, PH_SIGNAL_CTRL, PH_SIGNAL_MOCAP,
                                          PH_SIGNAL_SENSOR, PH_SIGNAL_BODY};
  const struct reel *reel = app_reel(app);
  struct compare_rows rows = {.room = reel ? (int)reel->nsignals + 1 : 1};
  rows.row = calloc((size_t)rows.room, sizeof *rows.row);
  if (!rows.row || !reel)
    return rows;
  push_joints(&rows, app, PH_SIGNAL_QPOS);
  push_signals(&rows, app, PH_SIGNAL_READOUT);
  push_joints(&rows, app, PH_SIGNAL_QVEL);
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    push_signals(&rows, app, others[k]);
  return rows;
}

void compare_rows_clear(struct compare_rows *rows) {
  free(rows->row);
  *rows = (struct compare_rows){0};
}

/* --- values --- */

/* The rotation vector [rad] of a quaternion; one without a length is no rotation, as the engine
 * takes it. */
static void rotation_vector(const double q[4], double out[3]) {
  double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double by = sine > 0 ? 2 * atan2(sine, fabs(q[0])) / sine : 0;
  by = q[0] < 0 ? -by : by;
  for (int i = 0; i < 3; i++)
    out[i] = by * q[i + 1];
}

static void vector_text(char *out, size_t size, const double v[3], int width) {
  int each = (width - 2) / 3;
  char text[3][48];
  for (int i = 0; i < 3; i++)
    text_number(text[i], sizeof text[i], v[i], each);
  snprintf(out, size, "%s %s %s", text[0], text[1], text[2]);
}

void compare_value(char *out, size_t size, const struct compare_row *row, const double *values,
                   int width) {
  const double *at = values ? values + row->signal : NULL;
  double turn[3];
  snprintf(out, size, "-");
  if (at && row->shape == COMPARE_NUMBER) {
    text_number(out, size, *at, width);
  } else if (at && row->shape == COMPARE_VECTOR && width >= COMPARE_WHOLE) {
    vector_text(out, size, at, width);
  } else if (at && row->shape == COMPARE_VECTOR) {
    char number[48];
    text_number(number, sizeof number, at[row->differs], width - 2);
    snprintf(out, size, "%c %s", "xyz"[row->differs], number + strspn(number, " "));
  } else if (at) {
    rotation_vector(at, turn);
    if (width >= COMPARE_WHOLE)
      vector_text(out, size, turn, width);
    else
      text_number(out, size, sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]),
                  width);
  }
}
