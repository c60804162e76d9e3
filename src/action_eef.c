/* eef_pose: a pose of a site, reached by inverse kinematics through the position actuators of the
 * joints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "action_term.h"
#include "fail.h"
#include "ik.h"
#include "name.h"

/* Beyond it a number of the action is as good as there; squares stay finite. */
static const double farthest = 1e6; /* [m, rad] */

/* --- create --- */

static ph_status find_site(const ph_term *term, int *site) {
  const ph_model *model = term->actions->model;
  ph_near near;
  char text[300];
  *site = ph_model_find(model, PH_SITE, term->spec->site);
  if (*site >= 0)
    return PH_OK;
  ph_near_begin(&near, term->spec->site);
  for (int i = 0; i < ph_model_count(model, PH_SITE); i++)
    ph_near_add(&near, ph_model_name(model, PH_SITE, i));
  return ph_term_fail(term, "'%s': the model has no such site%s", term->spec->site,
                      ph_near_text(&near, text, sizeof text));
}

static ph_status create_ik(ph_term *term, int site) {
  int which = 0, *joints = calloc((size_t)term->ndrives + 1, sizeof *joints);
  if (!joints)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  for (int i = 0; i < term->ndrives; i++)
    joints[i] = term->drives[i].joint;
  ph_status st =
      ph_ik_create(&term->ik, term->actions->model->m, site, joints, term->ndrives, &which);
  if (st == PH_EMISMATCH)
    st = ph_term_fail(term, "joint '%s': does not move site '%s'",
                      ph_model_name(term->actions->model, PH_JOINT, joints[which]),
                      term->spec->site);
  free(joints);
  return st;
}

static ph_status add_elements(ph_term *term) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  const ph_term_spec *spec = term->spec;
  char name[sizeof((ph_element *)0)->name];
  ph_status st = PH_OK;
  for (int i = spec->position ? 0 : 3; st == PH_OK && i < (spec->orientation ? 6 : 3); i++) {
    snprintf(name, sizeof name, "%s.%s", spec->site, names[i]);
    st = ph_term_element(term, -1, name, i < 3 ? &spec->map : &spec->rotation, -INFINITY, INFINITY);
  }
  return st;
}

static ph_status create_eef(ph_term *term) {
  int site = -1;
  ph_status st = find_site(term, &site);
  if (st == PH_OK)
    st = ph_term_drives(term, true);
  if (st == PH_OK)
    st = create_ik(term, site);
  if (st == PH_OK)
    st = add_elements(term);
  if (st != PH_OK)
    return st;
  const ph_term_spec *spec = term->spec;
  term->target = spec->target;
  term->pose = (struct ph_eef){spec->absolute, spec->position, spec->orientation, spec->damping,
                               spec->iterations};
  term->work = calloc(3 * (size_t)term->ndrives, sizeof *term->work);
  if (!term->work)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  return term->target ? ph_term_remember(term, term->ndrives) : PH_OK;
}

/* --- apply --- */

static void reset_eef(ph_term *term, const ph_sim *sim) {
  for (int i = 0; term->target && i < term->ndrives; i++)
    ph_term_memory(term)[i] = sim->d->qpos[term->drives[i].position];
}

static void from_rotation(double quat[4], const double r[3]) {
  double axis[3] = {r[0], r[1], r[2]};
  double angle = mju_normalize3(axis);
  mju_axisAngle2Quat(quat, axis, angle);
}

/* The pose that the elements ask for, from where the joints at q bring the site. */
static void aim(const ph_term *term, const ph_sim *sim, const double *x, const double *q,
                ph_pose *target) {
  double v[6] = {0}, quat[4];
  int n = 0;
  for (int i = term->pose.position ? 0 : 3; i < (term->pose.orientation ? 6 : 3); i++, n++)
    v[i] = fmin(fmax(x[n], -farthest), farthest);
  from_rotation(quat, v + 3);
  if (term->pose.absolute) {
    mju_copy3(target->pos, v);
    mju_copy4(target->quat, quat);
    return;
  }
  ph_ik_pose(term->ik, sim->m, sim->d, q, target, NULL);
  mju_addTo3(target->pos, v);
  mju_mulQuat(target->quat, quat, target->quat);
}

static void apply_eef(ph_term *term, const ph_sim *sim, const double *x, double *ctrl,
                      uint8_t *clipped) {
  int n = term->ndrives;
  double *q = term->work, *low = q + n, *high = low + n, *memory = ph_term_memory(term);
  ph_ik_task task = {.position = term->pose.position,
                     .orientation = term->pose.orientation,
                     .damping = term->pose.damping,
                     .iterations = term->pose.iterations,
                     .low = low,
                     .high = high};
  uint8_t unused = 0;
  for (int i = 0; i < n; i++) {
    double now = term->target ? memory[i] : sim->d->qpos[term->drives[i].position];
    ph_drive_range(sim->m, &term->drives[i], true, &low[i], &high[i]);
    q[i] = fmin(fmax(now, low[i]), high[i]);
  }
  aim(term, sim, x, q, &task.target);
  bool stopped = ph_ik_solve(term->ik, sim->m, sim->d, &task, q);
  for (int i = 0; i < n; i++) {
    if (term->target)
      memory[i] = q[i];
    ph_drive_send(sim->m, &term->drives[i], q[i], ctrl, &unused);
  }
  for (int i = 0; stopped && i < term->nelements; i++)
    clipped[i] = 1;
}

const ph_term_type ph_term_eef_pose = {"eef_pose", create_eef, reset_eef, apply_eef};
