#include "sim_check.h"

#include <math.h>
#include <stdio.h>

#include "fail.h"

static const struct bad {
  int warning;
  const char *array;
} bads[] = {
    {mjWARN_BADQPOS, "qpos"},
    {mjWARN_BADQVEL, "qvel"},
    {mjWARN_BADQACC, "qacc"},
    {mjWARN_BADCTRL, "ctrl"},
};

bool ph_sim_bad_counter(const mjData *d) {
  for (size_t i = 0; i < sizeof bads / sizeof *bads; i++)
    if (d->warning[bads[i].warning].number > 0)
      return true;
  return false;
}

/* What writes or reads out of range: not finite, or too large for the engine. */
static bool bad_value(double x) {
  return !(fabs(x) <= mjMAXVAL);
}

static const char *joint_of(const ph_sim *sim, const char *array, int i) {
  const ph_names *names = &sim->model->names;
  const char *found = "";
  for (int k = 0; k < names->count[PH_JOINT]; k++) {
    int address = array[1] == 'p' ? names->joint[k].qposadr : names->joint[k].dofadr;
    if (address <= i)
      found = names->name[PH_JOINT][k];
  }
  return found;
}

/* qvel[7] (joint "arm_elbow") */
static void element_name(const ph_sim *sim, const char *array, int i, char *out, size_t size) {
  const char *kind = "joint", *name = "";
  if (array[0] == 'q') {
    name = joint_of(sim, array, i);
  } else if (array[0] == 'c') {
    kind = "actuator";
    name = ph_model_name(sim->model, PH_ACTUATOR, i);
  }
  if (name[0])
    snprintf(out, size, "%s[%d] (%s \"%s\")", array, i, kind, name);
  else
    snprintf(out, size, "%s[%d]", array, i);
}

static ph_status check(const ph_sim *sim, const char *array, const double *x, int n) {
  char name[160];
  for (int i = 0; i < n; i++) {
    if (!bad_value(x[i]))
      continue;
    element_name(sim, array, i, name, sizeof name);
    return ph_fail(PH_ESIM, "simulation: %s is %g", name, x[i]);
  }
  return PH_OK;
}

ph_status ph_sim_check_ctrl(const ph_sim *sim, const double *ctrl) {
  return check(sim, "ctrl", ctrl, (int)sim->m->nu);
}

ph_status ph_sim_check_state(const ph_sim *sim) {
  const mjModel *m = sim->m;
  const mjData *d = sim->d;
  if (!isfinite(d->time))
    return ph_fail(PH_ESIM, "simulation: time is %g", d->time);
  ph_status status = check(sim, "qpos", d->qpos, (int)m->nq);
  if (status == PH_OK)
    status = check(sim, "qvel", d->qvel, (int)m->nv);
  return status == PH_OK ? check(sim, "act", d->act, (int)m->na) : status;
}

ph_status ph_sim_fail_bad(const ph_sim *sim, int substep) {
  char name[160];
  for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
    const mjWarningStat *w = &sim->d->warning[bads[i].warning];
    if (w->number == 0)
      continue;
    element_name(sim, bads[i].array, w->lastinfo, name, sizeof name);
    return ph_fail(PH_ESIM, "simulation: substep %d: %s is not finite or beyond 1e10: %s", substep,
                   name,
                   bads[i].warning == mjWARN_BADCTRL ? "the engine took all controls as zero"
                                                     : "the engine reset the scene");
  }
  return ph_fail(PH_ESIM, "simulation: substep %d: the engine reset the scene", substep);
}
