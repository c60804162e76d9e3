#include "ik.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* In one iteration no joint moves further: the Jacobian tells nothing of places that far. */
static const double longest_move = 0.5; /* [rad, m] */
static const double close_enough = 1e-12, missed = 1e-6;

struct ph_ik {
  int site, base; /* base: the body that the chain hangs on */
  int *chain;     /* bodies from the base's child to the site's */
  int nchain;
  int *joints; /* (n) */
  int n;
  int *place; /* (njnt) place in joints, -1 */
  /* buffers */
  double *anchor, *axis; /* (n x 3) world */
  double *jacobian;      /* (6 x n) */
  double *move;          /* (n) */
  bool *stopped;         /* (n) by their range */
};

/* --- life --- */

/* The bodies between the site and the highest body that one of the joints moves. */
static void find_chain(ph_ik *ik, const mjModel *m) {
  int top = 0, body = m->site_bodyid[ik->site], n = 0;
  for (int b = body; b > 0; b = m->body_parentid[b])
    for (int j = 0; j < m->body_jntnum[b]; j++)
      if (ik->place[m->body_jntadr[b] + j] >= 0)
        top = b;
  for (int b = body; top > 0 && b >= top; b = m->body_parentid[b])
    n++;
  ik->nchain = n;
  ik->base = top > 0 ? m->body_parentid[top] : body;
  for (int b = body; n > 0; b = m->body_parentid[b])
    ik->chain[--n] = b;
}

static int count_moving(const ph_ik *ik, const mjModel *m, int joint) {
  for (int i = 0; i < ik->nchain; i++)
    if (ik->chain[i] == m->jnt_bodyid[joint])
      return 1;
  return 0;
}

static bool allocate(ph_ik *ik, const mjModel *m) {
  size_t n = (size_t)ik->n + 1;
  ik->chain = calloc((size_t)m->nbody, sizeof *ik->chain);
  ik->joints = calloc(n, sizeof *ik->joints);
  ik->place = calloc((size_t)m->njnt + 1, sizeof *ik->place);
  ik->anchor = calloc(3 * n, sizeof *ik->anchor);
  ik->axis = calloc(3 * n, sizeof *ik->axis);
  ik->jacobian = calloc(6 * n, sizeof *ik->jacobian);
  ik->move = calloc(n, sizeof *ik->move);
  ik->stopped = calloc(n, sizeof *ik->stopped);
  return ik->chain && ik->joints && ik->place && ik->anchor && ik->axis && ik->jacobian &&
         ik->move && ik->stopped;
}

ph_status ph_ik_create(ph_ik **out, const mjModel *m, int site, const int *joints, int n,
                       int *which) {
  ph_ik *ik = calloc(1, sizeof *ik);
  *out = NULL;
  if (ik) {
    ik->site = site;
    ik->n = n;
  }
  if (!ik || !allocate(ik, m)) {
    ph_ik_free(ik);
    return ph_fail(PH_ENOMEM, "inverse kinematics: out of memory");
  }
  for (int j = 0; j < (int)m->njnt; j++)
    ik->place[j] = -1;
  for (int i = 0; i < n; i++) {
    ik->joints[i] = joints[i];
    ik->place[joints[i]] = i;
  }
  find_chain(ik, m);
  for (int i = 0; i < n; i++)
    if (!count_moving(ik, m, joints[i])) {
      *which = i;
      ph_ik_free(ik);
      return ph_fail(PH_EMISMATCH, "inverse kinematics: joint %d does not move the site",
                     joints[i]);
    }
  *out = ik;
  return PH_OK;
}

void ph_ik_free(ph_ik *ik) {
  if (!ik)
    return;
  free(ik->chain);
  free(ik->joints);
  free(ik->place);
  free(ik->anchor);
  free(ik->axis);
  free(ik->jacobian);
  free(ik->move);
  free(ik->stopped);
  free(ik);
}

/* --- forward, as mj_kinematics does it --- */

static void turn(ph_pose *body, const double quat[4], const double at[3], const double anchor[3]) {
  double arm[3];
  mju_mulQuat(body->quat, body->quat, quat);
  mju_rotVecQuat(arm, at, body->quat);
  mju_sub3(body->pos, anchor, arm);
}

static void move_joint(ph_ik *ik, const mjModel *m, const mjData *d, int j, const double *q,
                       ph_pose *body) {
  const mjtNum *at = m->jnt_pos + 3 * (size_t)j, *axis = m->jnt_axis + 3 * (size_t)j;
  int adr = m->jnt_qposadr[j], place = ik->place[j];
  double value = place >= 0 ? q[place] : d->qpos[adr], anchor[3], world[3], quat[4];
  mju_rotVecQuat(anchor, at, body->quat);
  mju_addTo3(anchor, body->pos);
  mju_rotVecQuat(world, axis, body->quat);
  if (place >= 0) {
    mju_copy3(ik->anchor + 3 * place, anchor);
    mju_copy3(ik->axis + 3 * place, world);
  }
  if (m->jnt_type[j] == mjJNT_SLIDE)
    mju_addToScl3(body->pos, world, value - m->qpos0[adr]);
  if (m->jnt_type[j] == mjJNT_HINGE) {
    mju_axisAngle2Quat(quat, axis, value - m->qpos0[adr]);
    turn(body, quat, at, anchor);
  }
  if (m->jnt_type[j] == mjJNT_BALL) {
    mju_copy4(quat, d->qpos + adr);
    mju_normalize4(quat);
    turn(body, quat, at, anchor);
  }
}

static void move_body(ph_ik *ik, const mjModel *m, const mjData *d, int b, const double *q,
                      ph_pose *body) {
  double offset[3];
  mju_rotVecQuat(offset, m->body_pos + 3 * (size_t)b, body->quat);
  mju_addTo3(body->pos, offset);
  mju_mulQuat(body->quat, body->quat, m->body_quat + 4 * (size_t)b);
  for (int i = 0; i < m->body_jntnum[b]; i++)
    move_joint(ik, m, d, m->body_jntadr[b] + i, q, body);
  mju_normalize4(body->quat);
}

static void fill_jacobian(const ph_ik *ik, const mjModel *m, const ph_pose *site, double *out) {
  int n = ik->n;
  for (int i = 0; i < n; i++) {
    const double *axis = ik->axis + 3 * i;
    double arm[3], linear[3], angular[3] = {0, 0, 0};
    bool slide = m->jnt_type[ik->joints[i]] == mjJNT_SLIDE;
    mju_sub3(arm, site->pos, ik->anchor + 3 * i);
    mju_cross(linear, axis, arm);
    mju_copy3(slide ? linear : angular, axis);
    for (int k = 0; k < 3; k++) {
      out[k * n + i] = linear[k];
      out[(3 + k) * n + i] = angular[k];
    }
  }
}

void ph_ik_pose(ph_ik *ik, const mjModel *m, const mjData *d, const double *q, ph_pose *out,
                double *jacobian) {
  ph_pose pose;
  double offset[3];
  mju_copy3(pose.pos, d->xpos + 3 * (size_t)ik->base);
  mju_copy4(pose.quat, d->xquat + 4 * (size_t)ik->base);
  for (int i = 0; i < ik->nchain; i++)
    move_body(ik, m, d, ik->chain[i], q, &pose);
  mju_rotVecQuat(offset, m->site_pos + 3 * (size_t)ik->site, pose.quat);
  mju_add3(out->pos, pose.pos, offset);
  mju_mulQuat(out->quat, pose.quat, m->site_quat + 4 * (size_t)ik->site);
  mju_normalize4(out->quat);
  if (jacobian)
    fill_jacobian(ik, m, out, jacobian);
}

/* --- inverse --- */

/* What is left to the target, in the rows of the Jacobian that count: 3 or 6 numbers from row
 * *first on. */
static int error_of(const ph_ik_task *task, const ph_pose *pose, double e[6], int *first) {
  double back[4], rest[4];
  mju_sub3(e, task->target.pos, pose->pos);
  mju_negQuat(back, pose->quat);
  mju_mulQuat(rest, task->target.quat, back);
  mju_quat2Vel(task->position ? e + 3 : e, rest, 1);
  *first = task->position ? 0 : 3;
  return task->position && task->orientation ? 6 : 3;
}

/* Solves A y = e in place for a symmetric A that is positive: every pivot is at least `least`. */
static void solve_symmetric(double *a, double *e, int m, double least) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j <= i; j++) {
      double s = a[i * m + j];
      for (int k = 0; k < j; k++)
        s -= a[i * m + k] * a[j * m + k];
      a[i * m + j] = i > j ? s / a[j * m + j] : sqrt(s > least ? s : least);
    }
    for (int k = 0; k < i; k++)
      e[i] -= a[i * m + k] * e[k];
    e[i] /= a[i * m + i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++)
      e[i] -= a[k * m + i] * e[k];
    e[i] /= a[i * m + i];
  }
}

/* move = J^T (J J^T + damping^2)^-1 e over the joints that are not stopped. */
static void least_squares(ph_ik *ik, const double *jacobian, int m, const double *error,
                          double damping) {
  double a[36], y[6];
  int n = ik->n;
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      double s = i == j ? damping * damping : 0;
      for (int k = 0; k < n; k++)
        s += ik->stopped[k] ? 0 : jacobian[i * n + k] * jacobian[j * n + k];
      a[i * m + j] = s;
    }
  memcpy(y, error, (size_t)m * sizeof *y);
  solve_symmetric(a, y, m, damping * damping / 2);
  for (int k = 0; k < n; k++) {
    ik->move[k] = 0;
    for (int i = 0; i < m && !ik->stopped[k]; i++)
      ik->move[k] += jacobian[i * n + k] * y[i];
  }
}

/* Joints at an end of their range that would leave it stay there, and the others move instead.
 * Whether one more was stopped. */
static bool stop_joints(ph_ik *ik, const ph_ik_task *task, const double *q) {
  bool any = false;
  for (int k = 0; k < ik->n; k++) {
    bool leaves =
        (q[k] <= task->low[k] && ik->move[k] < 0) || (q[k] >= task->high[k] && ik->move[k] > 0);
    any = any || (leaves && !ik->stopped[k]);
    ik->stopped[k] = ik->stopped[k] || leaves;
  }
  return any;
}

/* Whether a range stopped a joint. */
static bool take_move(const ph_ik *ik, const ph_ik_task *task, double *q) {
  double longest = 0;
  bool stopped = false;
  for (int k = 0; k < ik->n; k++)
    longest = fmax(longest, fabs(ik->move[k]));
  double part = longest > longest_move ? longest_move / longest : 1;
  for (int k = 0; k < ik->n; k++) {
    double want = q[k] + part * ik->move[k];
    q[k] = fmin(fmax(want, task->low[k]), task->high[k]);
    stopped = stopped || ik->stopped[k] || q[k] != want;
  }
  return stopped;
}

bool ph_ik_solve(ph_ik *ik, const mjModel *m, const mjData *d, const ph_ik_task *task, double *q) {
  ph_pose pose;
  double e[6];
  bool stopped = false;
  for (int i = 0;; i++) {
    int first = 0;
    ph_ik_pose(ik, m, d, q, &pose, ik->jacobian);
    int rows = error_of(task, &pose, e, &first);
    double size = mju_norm(e, rows);
    if (size < close_enough || i == task->iterations)
      return stopped && size > missed;
    memset(ik->stopped, 0, (size_t)ik->n * sizeof *ik->stopped);
    do
      least_squares(ik, ik->jacobian + (size_t)first * (size_t)ik->n, rows, e, task->damping);
    while (stop_joints(ik, task, q));
    stopped = take_move(ik, task, q);
  }
}
