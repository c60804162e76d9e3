#include <playhead/action.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "mj.h"
#include "name.h"
#include "task.h"

/* One element: ctrl[actuator] = gear * clip(offset + scale * mapped), cut to the actuator's range.
 */
typedef struct channel {
  ph_action_element shown;
  double scale, offset;
  double clip_min, clip_max;
  double gear;               /* 1 but for joint_position on a geared actuator */
  double ctrl_min, ctrl_max; /* -inf, inf where not limited */
  double range_min, range_max;
  bool mapped; /* [-1, 1] stands for the range */
} channel;

struct ph_actions {
  const ph_model *model; /* referenced: names are borrowed from it */
  channel *channels;
  int dim;
  int *driver;       /* (nu) term that drives the actuator, -1 none */
  char (*types)[24]; /* (terms) */
};

static ph_status take_actuator(ph_actions *a, int term, int actuator, const char *type) {
  const char *name = ph_model_name(a->model, PH_ACTUATOR, actuator);
  int other = a->driver[actuator];
  if (other >= 0)
    return ph_fail(PH_EMISMATCH, "actions[%d] (%s): actuator '%s': actions[%d] drives it already",
                   term + 1, type, name, other + 1);
  a->driver[actuator] = term;
  return PH_OK;
}

static void set_ctrl_range(const mjModel *m, channel *c) {
  int i = c->shown.actuator;
  bool limited = m->actuator_ctrllimited[i] && !(m->opt.disableflags & mjDSBL_CLAMPCTRL);
  c->ctrl_min = limited ? m->actuator_ctrlrange[2 * i] : -INFINITY;
  c->ctrl_max = limited ? m->actuator_ctrlrange[2 * i + 1] : INFINITY;
}

static ph_status add_channel(ph_actions *a, int term, const ph_term_spec *spec, int actuator,
                             const char *name, double gear) {
  ph_status st = take_actuator(a, term, actuator, spec->type);
  if (st != PH_OK)
    return st;
  channel *c = &a->channels[a->dim++];
  *c = (channel){.shown = {actuator, a->types[term], name, 0, 0},
                 .scale = spec->scale,
                 .offset = spec->offset,
                 .clip_min = spec->min,
                 .clip_max = spec->max,
                 .gear = gear};
  set_ctrl_range(a->model->m, c);
  return PH_OK;
}

/* A servo: force = kp (ctrl - length) - kv velocity. */
static bool is_position_servo(const mjModel *m, int i) {
  const mjtNum *gain = m->actuator_gainprm + (size_t)i * mjNGAIN;
  const mjtNum *bias = m->actuator_biasprm + (size_t)i * mjNBIAS;
  return m->actuator_gaintype[i] == mjGAIN_FIXED && m->actuator_biastype[i] == mjBIAS_AFFINE &&
         gain[0] > 0 && bias[0] == 0 && bias[1] == -gain[0];
}

static ph_status find_servo(const ph_actions *a, int term, int joint, int *out) {
  const mjModel *m = a->model->m;
  const char *name = ph_model_name(a->model, PH_JOINT, joint);
  int found = 0;
  ph_joint_type type = ph_model_joint(a->model, joint)->type;
  if (type != PH_SLIDE && type != PH_HINGE)
    return ph_fail(PH_EMISMATCH,
                   "actions[%d] (joint_position): joint '%s': is neither slide nor hinge", term + 1,
                   name);
  for (int i = 0; i < (int)m->nu; i++) {
    bool on_joint =
        m->actuator_trntype[i] == mjTRN_JOINT || m->actuator_trntype[i] == mjTRN_JOINTINPARENT;
    if (on_joint && m->actuator_trnid[2 * i] == joint && is_position_servo(m, i) && found++ == 0)
      *out = i;
  }
  if (found == 1)
    return PH_OK;
  return ph_fail(PH_EMISMATCH,
                 "actions[%d] (joint_position): joint '%s': %s position actuator acts on it",
                 term + 1, name, found == 0 ? "no" : "more than one");
}

/* Adds all objects that one pattern matches, in model order; those that the term has are skipped.
 */
static ph_status add_matches(ph_actions *a, int term, const ph_term_spec *spec, const char *pattern,
                             bool joints) {
  ph_kind kind = joints ? PH_JOINT : PH_ACTUATOR;
  int n = ph_model_count(a->model, kind), matches = 0;
  ph_near near;
  char text[300];
  ph_near_begin(&near, pattern);
  for (int i = 0; i < n; i++) {
    const char *name = ph_model_name(a->model, kind, i);
    int actuator = i;
    ph_near_add(&near, name);
    if (!ph_pattern_match(pattern, name))
      continue;
    matches++;
    ph_status st = joints ? find_servo(a, term, i, &actuator) : PH_OK;
    double gear = joints && st == PH_OK ? a->model->m->actuator_gear[6 * actuator] : 1;
    if (st == PH_OK && a->driver[actuator] != term)
      st = add_channel(a, term, spec, actuator, name, gear);
    if (st != PH_OK)
      return st;
  }
  if (matches == 0)
    return ph_fail(PH_EMISMATCH, "actions[%d] (%s): '%s': the model has no such %s%s", term + 1,
                   spec->type, pattern, joints ? "joint" : "actuator",
                   ph_near_text(&near, text, sizeof text));
  return PH_OK;
}

static ph_status add_term(ph_actions *a, int term, const ph_term_spec *spec) {
  bool joints = strcmp(spec->type, "joint_position") == 0;
  snprintf(a->types[term], sizeof a->types[term], "%s", spec->type);
  for (size_t i = 0; i < spec->npatterns; i++) {
    ph_status st = add_matches(a, term, spec, spec->patterns[i], joints);
    if (st != PH_OK)
      return st;
  }
  return PH_OK;
}

static ph_status set_ranges(ph_actions *a, const ph_task_spec *spec) {
  if (spec->range_min && spec->nrange != (size_t)a->dim)
    return ph_fail(PH_EMISMATCH, "action_range: has %zu elements, the action has %d", spec->nrange,
                   a->dim);
  for (int i = 0; i < a->dim; i++) {
    channel *c = &a->channels[i];
    c->mapped = spec->range_min != NULL;
    c->range_min = c->mapped ? spec->range_min[i] : 0;
    c->range_max = c->mapped ? spec->range_max[i] : 0;
    double lo = fmax(c->clip_min, fmin(c->ctrl_min / c->gear, c->ctrl_max / c->gear));
    double hi = fmin(c->clip_max, fmax(c->ctrl_min / c->gear, c->ctrl_max / c->gear));
    double ends[2] = {(lo - c->offset) / c->scale, (hi - c->offset) / c->scale};
    bool free_range = c->scale == 0 || c->gear == 0;
    c->shown.min = c->mapped ? -1 : free_range ? -INFINITY : fmin(ends[0], ends[1]);
    c->shown.max = c->mapped ? 1 : free_range ? INFINITY : fmax(ends[0], ends[1]);
  }
  return PH_OK;
}

static ph_status allocate_actions(ph_actions **out, const ph_model *model, size_t nterms) {
  ph_actions *a = calloc(1, sizeof *a);
  size_t nu = (size_t)model->m->nu;
  *out = a;
  if (!a)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  a->model = ph_model_ref(model);
  a->channels = calloc(nu + 1, sizeof *a->channels);
  a->driver = malloc((nu + 1) * sizeof *a->driver);
  a->types = calloc(nterms + 1, sizeof *a->types);
  if (!a->channels || !a->driver || !a->types)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  for (size_t i = 0; i < nu; i++)
    a->driver[i] = -1;
  return PH_OK;
}

ph_status ph_actions_create(ph_actions **out, const ph_task *task, const ph_model *model) {
  static char everything[] = "*";
  char *patterns[] = {everything};
  const ph_term_spec plain = {"ctrl", patterns, 1, 1, 0, -INFINITY, INFINITY};
  const ph_task_spec *spec = ph_task_spec_of(task);
  size_t n = spec->info.nterms;
  ph_actions *a = NULL;
  *out = NULL;
  if (!model->m)
    return ph_fail(PH_EMODEL, "actions: the model does not compile: %s", model->error);
  ph_status st = allocate_actions(&a, model, n);
  if (st == PH_OK && spec->no_terms && model->m->nu > 0)
    st = ph_fail(PH_EMISMATCH, "actions: the list is empty, the model has %d actuators",
                 (int)model->m->nu);
  for (size_t i = 0; st == PH_OK && i < n; i++)
    st = add_term(a, (int)i, &spec->terms[i]);
  if (st == PH_OK && n == 0 && model->m->nu > 0)
    st = add_term(a, 0, &plain);
  if (st == PH_OK)
    st = set_ranges(a, spec);
  if (st == PH_OK)
    *out = a;
  else
    ph_actions_free(a);
  return st == PH_OK ? PH_OK : ph_fail_in(st, "%s", task->name);
}

void ph_actions_free(ph_actions *actions) {
  if (!actions)
    return;
  ph_model_unref((ph_model *)actions->model);
  free(actions->channels);
  free(actions->driver);
  free(actions->types);
  free(actions);
}

int ph_actions_dim(const ph_actions *actions) {
  return actions->dim;
}

/* Neither ctrl nor joint_position remembers anything. */
int ph_actions_state_dim(const ph_actions *actions) {
  (void)actions;
  return 0;
}

const ph_action_element *ph_actions_element(const ph_actions *actions, int i) {
  return i >= 0 && i < actions->dim ? &actions->channels[i].shown : NULL;
}

void ph_actions_reset(ph_actions *actions, const ph_sim *sim) {
  (void)actions;
  (void)sim;
}

void ph_actions_get_state(const ph_actions *actions, double *out) {
  (void)actions;
  (void)out;
}

void ph_actions_set_state(ph_actions *actions, const double *state) {
  (void)actions;
  (void)state;
}

static double cut(double x, double min, double max, bool *clipped) {
  if (x < min || x > max)
    *clipped = true;
  return x < min ? min : x > max ? max : x;
}

static double apply_channel(const channel *c, double raw, bool *clipped) {
  double x = raw;
  if (c->mapped) {
    x = cut(x, -1, 1, clipped);
    x = c->range_min + (x + 1) / 2 * (c->range_max - c->range_min);
  }
  x = cut(c->offset + c->scale * x, c->clip_min, c->clip_max, clipped);
  return cut(c->gear * x, c->ctrl_min, c->ctrl_max, clipped);
}

ph_status ph_actions_apply(ph_actions *actions, const ph_sim *sim, const double *action,
                           double *ctrl, bool *clipped) {
  (void)sim;
  *clipped = false;
  for (int i = 0; i < actions->dim; i++)
    if (!isfinite(action[i]))
      return ph_fail(PH_EINVAL, "action: element %d (%s): %g is not finite", i,
                     actions->channels[i].shown.name, action[i]);
  for (int i = 0; i < actions->dim; i++) {
    const channel *c = &actions->channels[i];
    ctrl[c->shown.actuator] = apply_channel(c, action[i], clipped);
  }
  return PH_OK;
}
