#include "finite.h"

#include <math.h>
#include <stdio.h>

bool ph_finite(const double *x, size_t n, size_t *at) {
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      *at = i;
      return false;
    }
  }
  return true;
}

/* Name of the joint that owns an element of qpos or qvel; "" where it has none. */
static const char *joint_of(const ph_model *model, int index, bool velocity) {
  const char *name = "";
  for (int i = 0; i < ph_model_count(model, PH_JOINT); i++) {
    const ph_joint_info *joint = ph_model_joint(model, i);
    if ((velocity ? joint->dofadr : joint->qposadr) > index)
      break;
    name = ph_model_name(model, PH_JOINT, i);
  }
  return name;
}

static void say(char *what, size_t size, const char *array, size_t i, const char *name) {
  if (name[0] != 0)
    snprintf(what, size, "%s[%zu] (%s)", array, i, name);
  else
    snprintf(what, size, "%s[%zu]", array, i);
}

static void say_state(char *what, size_t size, const ph_dims *dims, const ph_model *model,
                      size_t i) {
  size_t nq = (size_t)dims->nq, nv = (size_t)dims->nv;
  if (i == 0)
    snprintf(what, size, "time");
  else if (i < 1 + nq)
    say(what, size, "qpos", i - 1, joint_of(model, (int)(i - 1), false));
  else if (i < 1 + nq + nv)
    say(what, size, "qvel", i - 1 - nq, joint_of(model, (int)(i - 1 - nq), true));
  else
    say(what, size, "act", i - 1 - nq - nv, "");
}

static const char *base_name(const char *path) {
  const char *name = path;
  for (const char *c = path; *c != 0; c++)
    if (*c == '/')
      name = c + 1;
  return name;
}

static void say_column(char *what, size_t size, const ph_dims *dims, const ph_model *model,
                       ph_column col, size_t i) {
  const char *name = "";
  switch (col) {
  case PH_COL_STATES:
    say_state(what, size, dims, model, i);
    return;
  case PH_COL_WARMSTART:
  case PH_COL_QFRC_APPLIED:
    name = joint_of(model, (int)i, true);
    break;
  case PH_COL_CTRL:
    name = ph_model_name(model, PH_ACTUATOR, (int)i);
    break;
  case PH_COL_MOCAP_POS:
    name = ph_model_name(model, PH_MOCAP, (int)i / 3);
    break;
  case PH_COL_MOCAP_QUAT:
    name = ph_model_name(model, PH_MOCAP, (int)i / 4);
    break;
  case PH_COL_XFRC_APPLIED:
    name = ph_model_name(model, PH_BODY, (int)i / 6);
    break;
  default:
    break;
  }
  say(what, size, base_name(ph_schema_column(col)->path), i, name);
}

bool ph_finite_row(const ph_row *row, const ph_dims *dims, const ph_model *model, char *what,
                   size_t size) {
  for (ph_column col = 0; col < PH_COL_COUNT; col++) {
    const double *x = ph_row_column(row, col);
    size_t at = 0;
    if (!x || ph_schema_column(col)->type != PH_F64)
      continue;
    if (!ph_finite(x, ph_schema_width(col, dims), &at)) {
      say_column(what, size, dims, model, col, at);
      return false;
    }
  }
  return true;
}
