#include "divergence_parts.h"

#include <math.h>
#include <string.h>

double ph_apart(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 ? 0.0 : fabs(b - a);
}

/* The first number that is none stays. */
void ph_difference_take(ph_difference *out, ph_measure m, int i, double error) {
  if (isnan(out->max[m]) || error <= out->max[m])
    return;
  out->max[m] = error;
  out->worst[m] = i;
}

static double apart3(const double *a, const double *b) {
  double x = ph_apart(a[0], b[0]), y = ph_apart(a[1], b[1]), z = ph_apart(a[2], b[2]);
  return sqrt(x * x + y * y + z * z);
}

/* The engine takes a quaternion without a length for no rotation. */
static const double *with_length(const double *q) {
  static const double none[4] = {1, 0, 0, 0};
  return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] < mjMINVAL * mjMINVAL ? none : q;
}

double ph_quat_angle(const double p[4], const double q[4]) {
  if (memcmp(p, q, 4 * sizeof *p) == 0)
    return 0;
  p = with_length(p);
  q = with_length(q);
  /* conjugate of p times q */
  double w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  double x = p[0] * q[1] - q[0] * p[1] - (p[2] * q[3] - p[3] * q[2]);
  double y = p[0] * q[2] - q[0] * p[2] - (p[3] * q[1] - p[1] * q[3]);
  double z = p[0] * q[3] - q[0] * p[3] - (p[1] * q[2] - p[2] * q[1]);
  double sine = sqrt(x * x + y * y + z * z);
  return isfinite(sine) && isfinite(w) ? 2 * atan2(sine, fabs(w)) : NAN;
}

static void joint_apart(ph_joint_error *e, ph_joint_type type, const double *qa, const double *qb,
                        const double *va, const double *vb) {
  *e = (ph_joint_error){NAN, NAN, NAN, NAN, false};
  switch (type) {
  case PH_FREE:
    e->m = apart3(qa, qb);
    e->rad = ph_quat_angle(qa + 3, qb + 3);
    e->m_s = apart3(va, vb);
    e->rad_s = apart3(va + 3, vb + 3);
    break;
  case PH_BALL:
    e->rad = ph_quat_angle(qa, qb);
    e->rad_s = apart3(va, vb);
    break;
  case PH_SLIDE:
    e->m = ph_apart(*qa, *qb);
    e->m_s = ph_apart(*va, *vb);
    break;
  case PH_HINGE:
    e->rad = ph_apart(*qa, *qb);
    e->rad_s = ph_apart(*va, *vb);
    break;
  }
}

void ph_joints_apart(ph_divergence *d, const double *a, const double *b, ph_difference *out) {
  static const size_t nq[] = {[PH_FREE] = 7, [PH_BALL] = 4, [PH_SLIDE] = 1, [PH_HINGE] = 1};
  static const size_t nv[] = {[PH_FREE] = 6, [PH_BALL] = 3, [PH_SLIDE] = 1, [PH_HINGE] = 1};
  const double *va = a + 1 + d->m->nq, *vb = b + 1 + d->m->nq;
  for (int i = 0; i < d->njoint; i++) {
    const ph_joint_info *info = ph_model_joint(d->model, i);
    ph_joint_error *e = &d->joint[i];
    size_t q = 1 + (size_t)info->qposadr, v = (size_t)info->dofadr;
    if (memcmp(a + q, b + q, nq[info->type] * sizeof *a) == 0 &&
        memcmp(va + v, vb + v, nv[info->type] * sizeof *a) == 0) {
      *e = d->joint_equal[i];
      continue;
    }
    joint_apart(e, info->type, a + q, b + q, va + v, vb + v);
    if (info->type != PH_SLIDE) {
      ph_difference_take(out, PH_MEASURE_JOINT_ANGLE, i, e->rad);
      ph_difference_take(out, PH_MEASURE_JOINT_ANGLE_SPEED, i, e->rad_s);
    }
    if (info->type == PH_SLIDE || info->type == PH_FREE) {
      ph_difference_take(out, PH_MEASURE_JOINT_PLACE, i, e->m);
      ph_difference_take(out, PH_MEASURE_JOINT_PLACE_SPEED, i, e->m_s);
    }
  }
  d->joints = d->joint;
}

void ph_bodies_apart(ph_divergence *d, const mjData *derived, ph_difference *out) {
  for (int i = 0; i < d->nbody; i++) {
    const double *place = d->place + 7 * i;
    ph_body_error *e = &d->body[i];
    e->m = apart3(place, derived->xpos + 3 * i);
    e->rad = ph_quat_angle(place + 3, derived->xquat + 4 * i);
    ph_difference_take(out, PH_MEASURE_BODY_PLACE, i, e->m);
    ph_difference_take(out, PH_MEASURE_BODY_ANGLE, i, e->rad);
  }
  d->bodies = d->body;
}
