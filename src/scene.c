#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mj.h"
#include "name.h"

void ph_view_of(ph_view *out, const ph_sim *sim) {
  const mjData *d = sim->d;
  *out = (ph_view){.time = &d->time,
                   .qpos = d->qpos,
                   .qvel = d->qvel,
                   .ctrl = d->ctrl,
                   .sensordata = d->sensordata,
                   .xpos = d->xpos,
                   .xquat = d->xquat,
                   .site_xpos = d->site_xpos,
                   .site_xmat = d->site_xmat,
                   .geom_xpos = d->geom_xpos,
                   .geom_xmat = d->geom_xmat};
}

/* --- the values at step 0 --- */

struct ph_start {
  ph_view view;
  double values[];
};

/* Copies n values to *at, moves it on, and returns where the copy is. */
static const double *copy_values(double **at, const double *from, int64_t n) {
  double *to = *at;
  if (n > 0)
    memcpy(to, from, (size_t)n * sizeof *to);
  *at += n;
  return to;
}

struct ph_start *ph_start_new(const ph_sim *sim) {
  const mjModel *m = sim->m;
  int64_t n = 1 + (int64_t)m->nq + m->nv + m->nu + m->nsensordata + 7 * (int64_t)m->nbody +
              12 * (int64_t)m->nsite + 12 * (int64_t)m->ngeom;
  struct ph_start *start = malloc(sizeof *start + (size_t)n * sizeof(double));
  if (!start)
    return NULL;
  ph_view v;
  ph_view_of(&v, sim);
  double *at = start->values;
  start->view.time = copy_values(&at, v.time, 1);
  start->view.qpos = copy_values(&at, v.qpos, m->nq);
  start->view.qvel = copy_values(&at, v.qvel, m->nv);
  start->view.ctrl = copy_values(&at, v.ctrl, m->nu);
  start->view.sensordata = copy_values(&at, v.sensordata, m->nsensordata);
  start->view.xpos = copy_values(&at, v.xpos, 3 * (int64_t)m->nbody);
  start->view.xquat = copy_values(&at, v.xquat, 4 * (int64_t)m->nbody);
  start->view.site_xpos = copy_values(&at, v.site_xpos, 3 * (int64_t)m->nsite);
  start->view.site_xmat = copy_values(&at, v.site_xmat, 9 * (int64_t)m->nsite);
  start->view.geom_xpos = copy_values(&at, v.geom_xpos, 3 * (int64_t)m->ngeom);
  start->view.geom_xmat = copy_values(&at, v.geom_xmat, 9 * (int64_t)m->ngeom);
  return start;
}

void ph_start_free(struct ph_start *start) {
  free(start);
}

const ph_view *ph_start_view(const struct ph_start *start) {
  return &start->view;
}

/* --- by index --- */

const ph_model *ph_scene_model(const ph_sim *sim) {
  return sim->model;
}

static void copy3(double *to, const double *from) {
  if (to)
    memcpy(to, from, 3 * sizeof *to);
}

void ph_scene_frame(const ph_sim *sim, const ph_view *view, ph_kind kind, int i, double pos[3],
                    double quat[4]) {
  (void)sim;
  switch (kind) {
  case PH_SITE:
    copy3(pos, view->site_xpos + 3 * i);
    if (quat)
      mju_mat2Quat(quat, view->site_xmat + 9 * i);
    break;
  case PH_GEOM:
    copy3(pos, view->geom_xpos + 3 * i);
    if (quat)
      mju_mat2Quat(quat, view->geom_xmat + 9 * i);
    break;
  default:
    copy3(pos, view->xpos + 3 * i);
    if (quat)
      memcpy(quat, view->xquat + 4 * i, 4 * sizeof *quat);
  }
}

int ph_scene_sensor_dim(const ph_sim *sim, int i) {
  return sim->m->sensor_dim[i];
}

int ph_scene_sensor_address(const ph_sim *sim, int i) {
  return sim->m->sensor_adr[i];
}

int ph_scene_act_address(const ph_sim *sim, int actuator) {
  return ph_mj_act_address(sim->m, actuator);
}

bool ph_scene_find(const ph_sim *sim, const char *name, ph_kind *kind, int *i) {
  static const ph_kind kinds[] = {PH_SITE, PH_BODY, PH_GEOM};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    *kind = kinds[k];
    *i = ph_model_find(sim->model, *kind, name);
    if (*i >= 0)
      return true;
  }
  return false;
}

int ph_scene_ngeom(const ph_sim *sim) {
  return (int)sim->m->ngeom;
}

static void mark_body(const mjModel *m, int body, uint8_t *mask) {
  for (int g = 0; g < m->body_geomnum[body]; g++)
    mask[m->body_geomadr[body] + g] = 1;
}

int ph_scene_geoms(const ph_sim *sim, const char *name, uint8_t *mask) {
  const mjModel *m = sim->m;
  int matched = 0, body = ph_model_find(sim->model, PH_BODY, name);
  memset(mask, 0, (size_t)m->ngeom);
  if (!strpbrk(name, "*[")) {
    int geom = body >= 0 ? -1 : ph_model_find(sim->model, PH_GEOM, name);
    if (body >= 0)
      mark_body(m, body, mask);
    if (geom >= 0)
      mask[geom] = 1;
    return body >= 0 || geom >= 0;
  }
  for (int i = 0; i < (int)m->nbody; i++) {
    if (ph_pattern_match(name, ph_model_name(sim->model, PH_BODY, i))) {
      mark_body(m, i, mask);
      matched++;
    }
  }
  for (int i = 0; i < (int)m->ngeom; i++) {
    if (ph_pattern_match(name, ph_model_name(sim->model, PH_GEOM, i))) {
      mask[i] = 1;
      matched++;
    }
  }
  return matched;
}

int ph_scene_touch(const ph_sim *sim, const uint8_t *a, const uint8_t *b, double *force) {
  int points = 0;
  double sum = 0;
  for (int i = 0; i < sim->d->ncon; i++) {
    const mjContact *c = &sim->d->contact[i];
    if (c->geom1 < 0 || c->geom2 < 0)
      continue;
    bool between = (a[c->geom1] && b[c->geom2]) || (a[c->geom2] && b[c->geom1]);
    if (!between || (c->efc_address < 0 && c->dist > 0))
      continue;
    mjtNum wrench[6] = {0};
    if (c->efc_address >= 0)
      mj_contactForce(sim->m, sim->d, i, wrench);
    sum += wrench[0];
    points++;
  }
  if (force)
    *force = sum;
  return points;
}

double ph_scene_speed_at(const ph_sim *sim, int body) {
  mjtNum velocity[6]; /* rotational, linear */
  mj_objectVelocity(sim->m, sim->d, mjOBJ_XBODY, body, velocity, 0);
  return sqrt(velocity[3] * velocity[3] + velocity[4] * velocity[4] + velocity[5] * velocity[5]);
}

/* --- by name --- */

bool ph_scene_joint(const ph_sim *sim, const char *name, double *qpos, double *qvel) {
  int i = ph_model_find(sim->model, PH_JOINT, name);
  if (i < 0)
    return false;
  const ph_joint_info *joint = ph_model_joint(sim->model, i);
  if (qpos)
    *qpos = sim->d->qpos[joint->qposadr];
  if (qvel)
    *qvel = sim->d->qvel[joint->dofadr];
  return true;
}

bool ph_scene_position(const ph_sim *sim, ph_kind kind, const char *name, double pos[3],
                       double quat[4]) {
  int i = ph_model_find(sim->model, kind, name);
  if (i < 0 || (kind != PH_BODY && kind != PH_SITE && kind != PH_GEOM))
    return false;
  ph_view view;
  ph_view_of(&view, sim);
  ph_scene_frame(sim, &view, kind, i, pos, quat);
  return true;
}

bool ph_scene_sensor(const ph_sim *sim, const char *name, double *out, int *n) {
  int i = ph_model_find(sim->model, PH_SENSOR, name);
  if (i < 0 || sim->m->sensor_dim[i] > *n)
    return false;
  *n = sim->m->sensor_dim[i];
  memcpy(out, sim->d->sensordata + sim->m->sensor_adr[i], (size_t)*n * sizeof *out);
  return true;
}

bool ph_scene_ctrl(const ph_sim *sim, const char *actuator, double *out) {
  int i = ph_model_find(sim->model, PH_ACTUATOR, actuator);
  if (i < 0)
    return false;
  *out = sim->d->ctrl[i];
  return true;
}

bool ph_scene_distance(const ph_sim *sim, const char *a, const char *b, double *out) {
  ph_kind ka, kb;
  int ia, ib;
  if (!ph_scene_find(sim, a, &ka, &ia) || !ph_scene_find(sim, b, &kb, &ib))
    return false;
  double pa[3], pb[3];
  ph_view view;
  ph_view_of(&view, sim);
  ph_scene_frame(sim, &view, ka, ia, pa, NULL);
  ph_scene_frame(sim, &view, kb, ib, pb, NULL);
  *out = sqrt((pa[0] - pb[0]) * (pa[0] - pb[0]) + (pa[1] - pb[1]) * (pa[1] - pb[1]) +
              (pa[2] - pb[2]) * (pa[2] - pb[2]));
  return true;
}

bool ph_scene_contact(const ph_sim *sim, const char *a, const char *b, bool *touch, double *force) {
  size_t n = (size_t)sim->m->ngeom;
  uint8_t *masks = malloc(2 * n + 1);
  bool found = masks && ph_scene_geoms(sim, a, masks) > 0 && ph_scene_geoms(sim, b, masks + n) > 0;
  if (found)
    *touch = ph_scene_touch(sim, masks, masks + n, force) > 0;
  free(masks);
  return found;
}

bool ph_scene_speed(const ph_sim *sim, const char *body, double *out) {
  int i = ph_model_find(sim->model, PH_BODY, body);
  if (i < 0)
    return false;
  *out = ph_scene_speed_at(sim, i);
  return true;
}
