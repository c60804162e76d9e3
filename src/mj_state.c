#include "mj.h"

#include <string.h>

static void copy(void *out, const void *in, size_t n, size_t size) {
  if (n > 0)
    memcpy(out, in, n * size);
}

int ph_mj_width(const mjModel *m, ph_column col) {
  switch (col) {
  case PH_COL_STATES:
    return (int)(1 + m->nq + m->nv + m->na);
  case PH_COL_WARMSTART:
  case PH_COL_QFRC_APPLIED:
    return (int)m->nv;
  case PH_COL_CTRL:
    return (int)m->nu;
  case PH_COL_MOCAP_POS:
    return (int)(3 * m->nmocap);
  case PH_COL_MOCAP_QUAT:
    return (int)(4 * m->nmocap);
  case PH_COL_USERDATA:
    return (int)m->nuserdata;
  case PH_COL_EQ_ACTIVE:
    return (int)m->neq;
#if mjVERSION_HEADER >= 230
  case PH_COL_PLUGIN_STATE:
    return (int)m->npluginstate;
#endif
  case PH_COL_XFRC_APPLIED:
    return (int)(6 * m->nbody);
  default:
    return 0;
  }
}

/* Where a component lies as one array of doubles; NULL for states and eq_active. */
static mjtNum *component(const mjData *d, ph_column col) {
  switch (col) {
  case PH_COL_WARMSTART:
    return d->qacc_warmstart;
  case PH_COL_QFRC_APPLIED:
    return d->qfrc_applied;
  case PH_COL_CTRL:
    return d->ctrl;
  case PH_COL_MOCAP_POS:
    return d->mocap_pos;
  case PH_COL_MOCAP_QUAT:
    return d->mocap_quat;
  case PH_COL_USERDATA:
    return d->userdata;
#if mjVERSION_HEADER >= 230
  case PH_COL_PLUGIN_STATE:
    return d->plugin_state;
#endif
  case PH_COL_XFRC_APPLIED:
    return d->xfrc_applied;
  default:
    return NULL;
  }
}

static void get_state(const mjModel *m, const mjData *d, double *out) {
  out[0] = d->time;
  copy(out + 1, d->qpos, (size_t)m->nq, sizeof *out);
  copy(out + 1 + m->nq, d->qvel, (size_t)m->nv, sizeof *out);
  copy(out + 1 + m->nq + m->nv, d->act, (size_t)m->na, sizeof *out);
}

static void set_state(const mjModel *m, mjData *d, const double *in) {
  d->time = in[0];
  copy(d->qpos, in + 1, (size_t)m->nq, sizeof *in);
  copy(d->qvel, in + 1 + m->nq, (size_t)m->nv, sizeof *in);
  copy(d->act, in + 1 + m->nq + m->nv, (size_t)m->na, sizeof *in);
}

/* Flags are single bytes in every version, but of different types. */
static void get_eq_active(const mjModel *m, const mjData *d, uint8_t *out) {
  for (int i = 0; i < (int)m->neq; i++)
#if mjVERSION_HEADER >= 300
    out[i] = d->eq_active[i] != 0;
#else
    out[i] = m->eq_active[i] != 0;
#endif
  (void)d;
}

static void set_eq_active(mjModel *m, mjData *d, const uint8_t *in) {
  for (int i = 0; i < (int)m->neq; i++)
#if mjVERSION_HEADER >= 300
    d->eq_active[i] = in[i] != 0;
#else
    m->eq_active[i] = in[i] != 0;
#endif
  (void)d;
}

void ph_mj_get(const mjModel *m, const mjData *d, ph_column col, void *out) {
  if (col == PH_COL_STATES)
    get_state(m, d, out);
  else if (col == PH_COL_EQ_ACTIVE)
    get_eq_active(m, d, out);
  else
    copy(out, component(d, col), (size_t)ph_mj_width(m, col), sizeof(double));
}

void ph_mj_set(mjModel *m, mjData *d, ph_column col, const void *in) {
  if (col == PH_COL_STATES)
    set_state(m, d, in);
  else if (col == PH_COL_EQ_ACTIVE)
    set_eq_active(m, d, in);
  else
    copy(component(d, col), in, (size_t)ph_mj_width(m, col), sizeof(double));
}

static void mocap_reset(const mjModel *m0, ph_column col, double *out) {
  for (int i = 0; i < (int)m0->nbody; i++) {
    int id = m0->body_mocapid[i];
    if (id < 0)
      continue;
    if (col == PH_COL_MOCAP_POS)
      memcpy(out + 3 * id, m0->body_pos + 3 * i, 3 * sizeof *out);
    else
      memcpy(out + 4 * id, m0->body_quat + 4 * i, 4 * sizeof *out);
  }
}

/* What the plugins' own reset leaves; zeros if no data can be had. */
static void plugin_reset(const mjModel *m0, double *out) {
  mjData *d = NULL;
  if (ph_mj_make_data(&d, m0) == PH_OK)
    ph_mj_get(m0, d, PH_COL_PLUGIN_STATE, out);
  if (d)
    mj_deleteData(d);
}

void ph_mj_reset_value(const mjModel *m0, ph_column col, void *out) {
  size_t n = (size_t)ph_mj_width(m0, col);
  if (n == 0)
    return;
  if (col == PH_COL_EQ_ACTIVE) {
    for (size_t i = 0; i < n; i++)
#if mjVERSION_HEADER >= 300
      ((uint8_t *)out)[i] = m0->eq_active0[i] != 0;
#else
      ((uint8_t *)out)[i] = m0->eq_active[i] != 0;
#endif
    return;
  }
  memset(out, 0, n * sizeof(double));
  if (col == PH_COL_STATES)
    copy((double *)out + 1, m0->qpos0, (size_t)m0->nq, sizeof(double));
  else if (col == PH_COL_MOCAP_POS || col == PH_COL_MOCAP_QUAT)
    mocap_reset(m0, col, out);
  else if (col == PH_COL_PLUGIN_STATE)
    plugin_reset(m0, out);
}

const char *ph_mj_unrestorable(const mjModel *m) {
  const char *why = NULL;
#if mjVERSION_HEADER >= 300
  if (m->opt.integrator > mjINT_IMPLICITFAST)
    why = "the model's integrator is not known here, and may keep more than is stored";
#endif
#if mjVERSION_HEADER >= 340
  if (m->opt.enableflags & mjENBL_SLEEP)
    why = "the model lets islands sleep, and the engine's sleep state is not stored";
#endif
#if mjVERSION_HEADER >= 3005000
  if (m->nhistory > 0)
    why = "the model has delays, and the engine's history buffer is not stored";
#endif
#if mjVERSION_HEADER >= 230
  if (m->nplugin > 0)
    why = "the model has engine plugins, whose own data is not stored";
#endif
  (void)m;
  return why;
}

int ph_mj_act_address(const mjModel *m, int actuator) {
#if mjVERSION_HEADER >= 230
  return m->actuator_actadr[actuator];
#else
  int stateless = m->nu - m->na; /* those with a state are the last */
  return actuator >= stateless ? actuator - stateless : -1;
#endif
}

int ph_mj_act_owner(const mjModel *m, int act) {
#if mjVERSION_HEADER >= 3011000
  int n = (int)m->nactuator;
#else
  int n = (int)m->nu;
#endif
#if mjVERSION_HEADER >= 230
  for (int i = 0; i < n; i++)
    if (m->actuator_actadr[i] >= 0 && m->actuator_actadr[i] <= act &&
        act < m->actuator_actadr[i] + m->actuator_actnum[i])
      return i;
  return -1;
#else
  return n - m->na + act;
#endif
}

const double *ph_mj_plugin_state(const mjModel *m, const mjData *d) {
#if mjVERSION_HEADER >= 230
  return m->npluginstate > 0 ? d->plugin_state : NULL;
#else
  (void)m, (void)d;
  return NULL;
#endif
}

size_t ph_mj_scratch_size(const mjModel *m) {
  return (size_t)(m->nv + m->nq + 4 * m->nmocap);
}

void ph_mj_pure_forward(const mjModel *m, mjData *d, double *scratch) {
  size_t nv = (size_t)m->nv, nq = (size_t)m->nq, nmq = 4 * (size_t)m->nmocap;
  double *qpos = scratch + nv, *quat = qpos + nq;
  copy(scratch, d->qacc_warmstart, nv, sizeof *scratch);
  copy(qpos, d->qpos, nq, sizeof *scratch);
  copy(quat, d->mocap_quat, nmq, sizeof *scratch);
  mj_forward(m, d);
  copy(d->qacc_warmstart, scratch, nv, sizeof *scratch);
  copy(d->qpos, qpos, nq, sizeof *scratch);
  copy(d->mocap_quat, quat, nmq, sizeof *scratch);
}
