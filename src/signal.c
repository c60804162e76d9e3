#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "mj.h"

#define SIGNALS_MAX ((size_t)1 << 20)

struct list {
  ph_signal *at;
  size_t n, room;
  ph_status status; /* the first failure; nothing is added after it */
};

static void push(struct list *list, ph_signal_kind kind, int index, const char *unit,
                 const char *name, const char *suffix) {
  if (list->status)
    return;
  if (list->n == SIGNALS_MAX) {
    list->status = ph_fail(PH_EFORMAT, "signals: there are more than %zu", SIGNALS_MAX);
    return;
  }
  if (list->n == list->room) {
    size_t room = list->room > 0 ? 2 * list->room : 64;
    ph_signal *at = realloc(list->at, room * sizeof *at);
    if (!at) {
      list->status = ph_fail(PH_ENOMEM, "signals: no memory");
      return;
    }
    list->at = at;
    list->room = room;
  }
  ph_signal *signal = &list->at[list->n++];
  *signal = (ph_signal){.unit = unit, .kind = kind, .index = index, .channel = -1};
  /* A long name gives way, so that what tells x from y stays. */
  int keep = (int)sizeof signal->name - 1 - (int)snprintf(NULL, 0, "%s", suffix);
  ph_escape(signal->name, (size_t)keep + 1, name, strlen(name));
  strcat(signal->name, suffix);
}

static const char *const xyz[] = {".x", ".y", ".z"};
static const char *const wxyz[] = {".qw", ".qx", ".qy", ".qz"};

/* --- names --- */

static const char *body_of_joint(const ph_model *model, int joint) {
  const mjModel *m = model->m;
  if (!m || joint >= (int)m->njnt)
    return "";
  return ph_model_name(model, PH_BODY, m->jnt_bodyid[joint]);
}

void ph_signal_joint_name(const ph_model *model, int joint, char *out, size_t size) {
  const char *name = ph_model_name(model, PH_JOINT, joint);
  if (!name[0])
    name = body_of_joint(model, joint);
  if (name[0])
    snprintf(out, size, "%s", name);
  else
    snprintf(out, size, "joint %d", joint);
}

static void object_name(const ph_model *model, ph_kind kind, const char *what, int i, char *out,
                        size_t size) {
  const char *name = model ? ph_model_name(model, kind, i) : "";
  if (name[0])
    snprintf(out, size, "%s", name);
  else
    snprintf(out, size, "%s %d", what, i);
}

/* --- joints --- */

static void push_qpos(struct list *list, const ph_joint_info *joint, const char *name) {
  int at = joint->qposadr;
  switch (joint->type) {
  case PH_FREE:
    for (int i = 0; i < 3; i++)
      push(list, PH_SIGNAL_QPOS, at + i, "m", name, xyz[i]);
    at += 3;
    /* fallthrough */
  case PH_BALL:
    for (int i = 0; i < 4; i++)
      push(list, PH_SIGNAL_QPOS, at + i, "", name, wxyz[i]);
    break;
  case PH_SLIDE:
    push(list, PH_SIGNAL_QPOS, at, "m", name, "");
    break;
  case PH_HINGE:
    push(list, PH_SIGNAL_QPOS, at, "rad", name, "");
    break;
  }
}

static void push_qvel(struct list *list, const ph_joint_info *joint, const char *name) {
  static const char *const linear[] = {".vx", ".vy", ".vz"}, *const angular[] = {".wx", ".wy",
                                                                                 ".wz"};
  int at = joint->dofadr;
  switch (joint->type) {
  case PH_FREE:
    for (int i = 0; i < 3; i++)
      push(list, PH_SIGNAL_QVEL, at + i, "m/s", name, linear[i]);
    at += 3;
    /* fallthrough */
  case PH_BALL:
    for (int i = 0; i < 3; i++)
      push(list, PH_SIGNAL_QVEL, at + i, "rad/s", name, angular[i]);
    break;
  case PH_SLIDE:
    push(list, PH_SIGNAL_QVEL, at, "m/s", name, ".v");
    break;
  case PH_HINGE:
    push(list, PH_SIGNAL_QVEL, at, "rad/s", name, ".v");
    break;
  }
}

/* Numbers without a known joint: "qpos[3]". */
static void push_plain(struct list *list, ph_signal_kind kind, const char *array, int n) {
  char suffix[24];
  for (int i = 0; i < n && !list->status; i++) {
    snprintf(suffix, sizeof suffix, "[%d]", i);
    push(list, kind, i, "", array, suffix);
  }
}

static int joint_qpos(const ph_joint_info *joint) {
  return joint->type == PH_FREE ? 7 : joint->type == PH_BALL ? 4 : 1;
}

static int joint_dofs(const ph_joint_info *joint) {
  return joint->type == PH_FREE ? 6 : joint->type == PH_BALL ? 3 : 1;
}

/* Whether the joints cover qpos and qvel exactly, in order; names from a file may not. */
static bool joints_cover(const ph_model *model, const ph_dims *dims) {
  int nq = 0, nv = 0, n = model ? ph_model_count(model, PH_JOINT) : -1;
  for (int i = 0; i < n; i++) {
    const ph_joint_info *joint = ph_model_joint(model, i);
    if (joint->qposadr != nq || joint->dofadr != nv || (unsigned)joint->type > PH_HINGE)
      return false;
    nq += joint_qpos(joint);
    nv += joint_dofs(joint);
  }
  return n >= 0 && nq == dims->nq && nv == dims->nv;
}

static void push_joints(struct list *list, const ph_model *model, const ph_dims *dims) {
  char name[256];
  if (!joints_cover(model, dims)) {
    push_plain(list, PH_SIGNAL_QPOS, "qpos", dims->nq);
    push_plain(list, PH_SIGNAL_QVEL, "qvel", dims->nv);
    return;
  }
  int n = ph_model_count(model, PH_JOINT);
  for (int i = 0; i < n && !list->status; i++) {
    ph_signal_joint_name(model, i, name, sizeof name);
    push_qpos(list, ph_model_joint(model, i), name);
  }
  for (int i = 0; i < n && !list->status; i++) {
    ph_signal_joint_name(model, i, name, sizeof name);
    push_qvel(list, ph_model_joint(model, i), name);
  }
}

/* --- actuators, mocap --- */

/* The actuator that owns activation i: where the model tells; else the last na of nu, which is how
 * the engine orders them. */
static void push_act(struct list *list, const ph_model *model, const ph_dims *dims) {
  char name[256], full[280];
  if (!model || ph_model_count(model, PH_ACTUATOR) != dims->nu || dims->na > dims->nu) {
    push_plain(list, PH_SIGNAL_ACT, "act", dims->na);
    return;
  }
  for (int i = 0; i < dims->na && !list->status; i++) {
    int actuator = dims->nu - dims->na + i;
    if (model->m && ph_mj_act_owner(model->m, i) >= 0)
      actuator = ph_mj_act_owner(model->m, i);
    object_name(model, PH_ACTUATOR, "actuator", actuator, name, sizeof name);
    snprintf(full, sizeof full, "act.%s", name);
    push(list, PH_SIGNAL_ACT, i, "", full, "");
  }
}

static void push_ctrl(struct list *list, const ph_model *model, const ph_dims *dims) {
  char name[256];
  if (!model || ph_model_count(model, PH_ACTUATOR) != dims->nu) {
    push_plain(list, PH_SIGNAL_CTRL, "ctrl", dims->nu);
    return;
  }
  for (int i = 0; i < dims->nu && !list->status; i++) {
    object_name(model, PH_ACTUATOR, "actuator", i, name, sizeof name);
    push(list, PH_SIGNAL_CTRL, i, "", name, "");
  }
}

static void push_mocap(struct list *list, const ph_model *model, const ph_dims *dims) {
  char name[256];
  bool known = model && ph_model_count(model, PH_MOCAP) == dims->nmocap;
  for (int i = 0; i < dims->nmocap && !list->status; i++) {
    object_name(known ? model : NULL, PH_MOCAP, "mocap", i, name, sizeof name);
    for (int k = 0; k < 3; k++)
      push(list, PH_SIGNAL_MOCAP, 7 * i + k, "m", name, xyz[k]);
    for (int k = 0; k < 4; k++)
      push(list, PH_SIGNAL_MOCAP, 7 * i + 3 + k, "", name, wxyz[k]);
  }
}

/* --- sensors, bodies --- */

static bool joint_is_hinge(const mjModel *m, int i) {
  return i >= 0 && i < (int)m->njnt && m->jnt_type[i] == mjJNT_HINGE;
}

static const char *sensor_unit(const mjModel *m, int i) {
  bool hinge = joint_is_hinge(m, m->sensor_objid[i]);
  switch (m->sensor_type[i]) {
  case mjSENS_TOUCH:
  case mjSENS_FORCE:
  case mjSENS_TENDONLIMITFRC:
    return "N";
  case mjSENS_JOINTLIMITFRC:
    return hinge ? "N m" : "N";
  case mjSENS_TORQUE:
    return "N m";
  case mjSENS_ACCELEROMETER:
  case mjSENS_FRAMELINACC:
    return "m/s^2";
  case mjSENS_FRAMEANGACC:
    return "rad/s^2";
  case mjSENS_VELOCIMETER:
  case mjSENS_TENDONVEL:
  case mjSENS_TENDONLIMITVEL:
  case mjSENS_FRAMELINVEL:
  case mjSENS_SUBTREELINVEL:
    return "m/s";
  case mjSENS_GYRO:
  case mjSENS_BALLANGVEL:
  case mjSENS_FRAMEANGVEL:
    return "rad/s";
  case mjSENS_RANGEFINDER:
  case mjSENS_TENDONPOS:
  case mjSENS_TENDONLIMITPOS:
  case mjSENS_FRAMEPOS:
  case mjSENS_SUBTREECOM:
    return "m";
  case mjSENS_JOINTPOS:
  case mjSENS_JOINTLIMITPOS:
    return hinge ? "rad" : "m";
  case mjSENS_JOINTVEL:
  case mjSENS_JOINTLIMITVEL:
    return hinge ? "rad/s" : "m/s";
  case mjSENS_SUBTREEANGMOM:
    return "kg m^2/s";
  case mjSENS_CLOCK:
    return "s";
  default:
    return "";
  }
}

static void push_sensors(struct list *list, const ph_model *model) {
  const mjModel *m = model->m;
  char name[256], suffix[24];
  for (int i = 0; i < (int)m->nsensor; i++) {
    object_name(model, PH_SENSOR, "sensor", i, name, sizeof name);
    int dim = m->sensor_dim[i];
    bool quat = m->sensor_type[i] == mjSENS_BALLQUAT || m->sensor_type[i] == mjSENS_FRAMEQUAT;
    for (int k = 0; k < dim; k++) {
      snprintf(suffix, sizeof suffix, "[%d]", k);
      const char *end = dim == 1 ? "" : dim == 3 ? xyz[k] : quat ? wxyz[k] : suffix;
      push(list, PH_SIGNAL_SENSOR, m->sensor_adr[i] + k, sensor_unit(m, i), name, end);
    }
  }
}

static void push_bodies(struct list *list, const ph_model *model) {
  char name[256];
  for (int i = 1; i < (int)model->m->nbody; i++) {
    object_name(model, PH_BODY, "body", i, name, sizeof name);
    for (int k = 0; k < 3; k++)
      push(list, PH_SIGNAL_BODY, 3 * i + k, "m", name, xyz[k]);
  }
}

ph_status ph_signals_make(ph_signal **out, size_t *n, const ph_model *model, const ph_dims *dims) {
  struct list list = {0};
  push_joints(&list, model, dims);
  push_act(&list, model, dims);
  push_ctrl(&list, model, dims);
  push_mocap(&list, model, dims);
  if (model && model->m) {
    push_sensors(&list, model);
    push_bodies(&list, model);
  }
  *out = list.at;
  *n = list.n;
  if (list.status == PH_OK)
    return PH_OK;
  free(list.at);
  *out = NULL;
  *n = 0;
  return list.status;
}

/* --- channels --- */

struct width_of {
  size_t width, channel;
};

static int compare_widths(const void *a, const void *b) {
  const struct width_of *x = a, *y = b;
  if (x->width != y->width)
    return x->width < y->width ? -1 : 1;
  return x->channel < y->channel ? -1 : x->channel > y->channel;
}

/* How many of the narrowest have room; their places come first in order. */
static size_t choose(struct width_of *order, const ph_channel *channels, size_t nchannels) {
  size_t n = 0, chosen = 0, room = PH_CHANNEL_SIGNALS;
  for (size_t i = 0; i < nchannels; i++)
    if (channels[i].kind == PH_CHANNEL_NUMBERS && channels[i].width > 0)
      order[n++] = (struct width_of){channels[i].width, i};
  qsort(order, n, sizeof *order, compare_widths);
  for (; chosen < n && order[chosen].width <= room; chosen++)
    room -= order[chosen].width;
  return chosen;
}

static void push_channel(struct list *list, const ph_channel *channel, int place) {
  char suffix[24] = "";
  for (size_t k = 0; k < channel->width && !list->status; k++) {
    if (channel->width > 1)
      snprintf(suffix, sizeof suffix, "[%zu]", k);
    push(list, PH_SIGNAL_CHANNEL, (int)k, "", channel->name, suffix);
    if (!list->status)
      list->at[list->n - 1].channel = place;
  }
}

ph_status ph_signals_add_channels(ph_signal **signals, size_t *n, const ph_channel *channels,
                                  size_t nchannels) {
  struct list list = {.at = *signals, .n = *n, .room = *n};
  struct width_of *order = calloc(nchannels + 1, sizeof *order);
  bool *shown = calloc(nchannels + 1, sizeof *shown);
  if (!order || !shown)
    list.status = ph_fail(PH_ENOMEM, "signals: no memory");
  size_t chosen = list.status ? 0 : choose(order, channels, nchannels);
  for (size_t i = 0; i < chosen; i++)
    shown[order[i].channel] = true;
  for (size_t i = 0; i < nchannels && !list.status; i++)
    if (shown[i])
      push_channel(&list, &channels[i], (int)i);
  free(order);
  free(shown);
  *signals = list.at;
  if (list.status == PH_OK)
    *n = list.n;
  return list.status;
}

/* --- readouts --- */

ph_status ph_signals_add_readouts(ph_signal **signals, size_t *n, const ph_task *task) {
  struct list list = {.at = *signals, .n = *n, .room = *n};
  size_t count = ph_task_info_of(task)->nreadouts;
  for (size_t i = 0; i < count && !list.status; i++)
    push(&list, PH_SIGNAL_READOUT, (int)i, "", ph_task_readout(task, i), "");
  *signals = list.at;
  if (list.status == PH_OK)
    *n = list.n;
  return list.status;
}
