#include "divergence_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "finite.h"

/* --- life --- */

static bool errors_make(ph_divergence *d) {
  d->joint = calloc((size_t)d->njoint + 1, sizeof *d->joint);
  d->joint_equal = calloc((size_t)d->njoint + 1, sizeof *d->joint_equal);
  d->body = calloc((size_t)d->nbody, sizeof *d->body);
  d->body_equal = calloc((size_t)d->nbody, sizeof *d->body_equal);
  d->place = calloc((size_t)d->nbody, 7 * sizeof *d->place);
  d->owner = calloc((size_t)d->m->na + 1, sizeof *d->owner);
  if (!d->joint || !d->joint_equal || !d->body || !d->body_equal || !d->place || !d->owner)
    return false;
  for (int i = 0; i < d->njoint; i++) {
    ph_joint_type type = ph_model_joint(d->model, i)->type;
    double rad = type == PH_SLIDE ? NAN : 0, m = type == PH_SLIDE || type == PH_FREE ? 0 : NAN;
    d->joint_equal[i] = (ph_joint_error){rad, m, rad, m, true};
  }
  for (int i = 0; i < (int)d->m->na; i++)
    d->owner[i] = ph_mj_act_owner(d->m, i);
  return true;
}

ph_status ph_divergence_create(ph_divergence **out, const ph_model *model, const ph_edit *edits,
                               size_t nedits) {
  *out = NULL;
  ph_divergence *d = calloc(1, sizeof *d);
  if (!d)
    return ph_fail(PH_ENOMEM, "divergence: no memory");
  d->model = ph_model_ref(model);
  d->m = model->m;
  ph_status status = PH_OK;
  if (!d->m)
    status = ph_fail(PH_EMODEL, "%s", model->error[0] ? model->error : "model: does not compile");
  if (status == PH_OK)
    status = ph_edits_copy(&d->edits, edits, nedits);
  if (status == PH_OK) {
    d->nedits = nedits;
    d->njoint = (int)d->m->njnt;
    d->nbody = (int)d->m->nbody;
    if (!errors_make(d))
      status = ph_fail(PH_ENOMEM, "divergence: no memory");
  }
  if (status == PH_OK)
    *out = d;
  else
    ph_divergence_free(d);
  return status;
}

void ph_divergence_free(ph_divergence *d) {
  if (!d)
    return;
  free(d->owner);
  free(d->place);
  free(d->body_equal);
  free(d->body);
  free(d->joint_equal);
  free(d->joint);
  ph_sim_free(d->sim);
  ph_edits_free(d->edits, d->nedits);
  ph_model_unref((ph_model *)d->model);
  free(d);
}

void ph_divergence_set_memory(ph_divergence *d, int action_state) {
  d->memory = action_state > 0 ? (size_t)action_state : 0;
}

/* --- bits --- */

/* Largest error in n numbers that are no measure; NaN: one of them is none. */
static double numbers_apart(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double e = ph_apart(a[i], b[i]);
    if (isnan(e))
      return e;
    most = fmax(most, e);
  }
  return most;
}

/* Whether a column's bits are equal in both; *size is 0 where it is not in both. */
static bool column_equal(const ph_divergence *d, const ph_row *a, const ph_row *b, ph_column col,
                         size_t *size) {
  const void *x = ph_row_column(a, col), *y = ph_row_column(b, col);
  size_t n = col == PH_COL_ACTION_STATE ? d->memory : (size_t)ph_mj_width(d->m, col);
  *size = x && y ? n * ph_type_size(ph_schema_column(col)->type) : 0;
  return *size == 0 || memcmp(x, y, *size) == 0;
}

static void note_unequal(ph_difference *out, ph_column col, const void *a, const void *b) {
  size_t size = ph_type_size(ph_schema_column(col)->type), i = 0;
  if (out->unequal != PH_COL_COUNT)
    return;
  while (memcmp((const char *)a + i * size, (const char *)b + i * size, size) == 0)
    i++;
  out->unequal = col;
  out->element = (int)i;
}

/* What an unequal column without a measure is by itself. A warmstart is where the solver begins,
 * no result: its bits count alone. */
static ph_class loose_class(const void *a, const void *b, ph_column col, size_t size) {
  double apart = 1;
  if (col == PH_COL_WARMSTART)
    return PH_ROUNDING;
  if (col == PH_COL_STATES)
    apart = ph_apart(*(const double *)a, *(const double *)b); /* time */
  else if (col != PH_COL_EQ_ACTIVE)
    apart = numbers_apart(a, b, size / sizeof(double));
  if (isnan(apart))
    return PH_DIVERGED;
  return apart < PH_ROUNDING_ERROR ? PH_ROUNDING : PH_CLOSE;
}

/* Fills in what is equal; returns the class that this makes. */
static ph_class compare_bits(const ph_divergence *d, const ph_row *a, const ph_row *b,
                             ph_difference *out, bool *moved) {
  static const ph_column columns[] = {PH_COL_STATES,       PH_COL_WARMSTART,    PH_COL_MOCAP_POS,
                                      PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,     PH_COL_EQ_ACTIVE,
                                      PH_COL_PLUGIN_STATE, PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED,
                                      PH_COL_CTRL,         PH_COL_ACTION_STATE};
  ph_class cls = PH_BITWISE;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    ph_column col = columns[i];
    size_t size;
    if (column_equal(d, a, b, col, &size))
      continue;
    const void *x = ph_row_column(a, col), *y = ph_row_column(b, col);
    ph_class own = PH_ROUNDING;
    note_unequal(out, col, x, y);
    if (col == PH_COL_CTRL)
      out->ctrl_equal = false;
    else if (col == PH_COL_ACTION_STATE)
      out->memory_equal = false;
    else
      own = loose_class(x, y, col, size), out->equal = false;
    *moved = *moved || col == PH_COL_MOCAP_POS || col == PH_COL_MOCAP_QUAT;
    cls = own > cls ? own : cls;
  }
  return cls;
}

/* --- bodies --- */

static void run_kinematics(void *arg) {
  ph_sim *sim = arg;
  mj_kinematics(sim->m, sim->d);
}

static ph_status sim_make(ph_divergence *d) {
  ph_sim *sim = NULL;
  ph_status status = d->sim ? PH_OK : ph_sim_create(&sim, d->model);
  if (sim)
    status = ph_sim_edit(sim, d->edits, d->nedits);
  if (status == PH_OK)
    d->sim = sim ? sim : d->sim;
  else
    ph_sim_free(sim);
  return status;
}

/* Positions of a row alone; what it lacks of mocap bodies is as in the other. */
static ph_status derive(ph_divergence *d, const ph_row *row, const ph_row *other) {
  ph_row place = {.state = row->state,
                  .mocap_pos = row->mocap_pos ? row->mocap_pos : other->mocap_pos,
                  .mocap_quat = row->mocap_quat ? row->mocap_quat : other->mocap_quat};
  ph_status status = sim_make(d);
  if (status == PH_OK)
    status = ph_sim_set_row(d->sim, &place);
  if (status != PH_OK)
    return status;
  status = ph_mj_guard(run_kinematics, d->sim);
  d->sim->invalid = status != PH_OK;
  return status;
}

static bool can_derive(const ph_divergence *d, const ph_row *row) {
  const mjModel *m = d->m;
  size_t at;
  return ph_finite(row->state + 1, (size_t)m->nq, &at) &&
         (!row->mocap_pos || ph_finite(row->mocap_pos, 3 * (size_t)m->nmocap, &at)) &&
         (!row->mocap_quat || ph_finite(row->mocap_quat, 4 * (size_t)m->nmocap, &at));
}

static ph_status compare_bodies(ph_divergence *d, const ph_row *recorded, const ph_row *dynamic,
                                const ph_sim *derived, ph_difference *out) {
  if (!can_derive(d, recorded) || !can_derive(d, dynamic))
    return PH_OK;
  ph_status status = derive(d, recorded, dynamic);
  if (status != PH_OK)
    return ph_fail_in(status, "bodies of the recorded state");
  for (int i = 0; i < d->nbody; i++) {
    memcpy(d->place + 7 * i, d->sim->d->xpos + 3 * i, 3 * sizeof *d->place);
    memcpy(d->place + 7 * i + 3, d->sim->d->xquat + 4 * i, 4 * sizeof *d->place);
  }
  if (!derived)
    status = derive(d, dynamic, recorded);
  if (status != PH_OK)
    return ph_fail_in(status, "bodies of the dynamic state");
  out->max[PH_MEASURE_BODY_PLACE] = out->max[PH_MEASURE_BODY_ANGLE] = 0;
  ph_bodies_apart(d, derived ? derived->d : d->sim->d, out);
  return PH_OK;
}

/* --- compare --- */

static void compare_controls(ph_divergence *d, const ph_row *a, const ph_row *b,
                             ph_difference *out) {
  size_t first = 1 + (size_t)d->m->nq + (size_t)d->m->nv;
  for (int i = 0; i < (int)d->m->na; i++)
    ph_difference_take(out, PH_MEASURE_ACT, d->owner[i],
                       ph_apart(a->state[first + (size_t)i], b->state[first + (size_t)i]));
  for (int i = 0; !out->ctrl_equal && i < (int)d->m->nu; i++)
    ph_difference_take(out, PH_MEASURE_CTRL, i, ph_apart(a->ctrl[i], b->ctrl[i]));
}

static void classify(ph_difference *out, const ph_tolerance *tolerance, ph_class least) {
  out->cls = least;
  for (int i = 0; i < PH_MEASURE_COUNT; i++) {
    ph_measure m = (ph_measure)i;
    if (m == PH_MEASURE_CTRL || !ph_difference_known(out, m) || out->max[i] < PH_ROUNDING_ERROR)
      continue;
    ph_class own = out->max[i] <= tolerance->of[i] ? PH_CLOSE : PH_DIVERGED;
    out->cls = own > out->cls ? own : out->cls;
  }
}

ph_status ph_divergence_compare_with(ph_divergence *d, const ph_row *recorded,
                                     const ph_row *dynamic, const ph_sim *derived, bool bodies,
                                     const ph_tolerance *tolerance, ph_difference *out) {
  const ph_tolerance usual = ph_tolerance_default();
  bool moved = false;
  d->joints = d->joint_equal;
  d->bodies = bodies ? d->body_equal : NULL;
  *out = (ph_difference){.equal = true, .ctrl_equal = true, .memory_equal = true};
  out->unequal = PH_COL_COUNT;
  for (int i = 0; i < PH_MEASURE_COUNT; i++)
    out->worst[i] = -1;
  if (!recorded->state || !dynamic->state)
    return ph_fail(PH_EINVAL, "divergence: a row has no state");
  if (!bodies)
    out->max[PH_MEASURE_BODY_PLACE] = out->max[PH_MEASURE_BODY_ANGLE] = NAN;
  ph_class least = compare_bits(d, recorded, dynamic, out, &moved);
  if (least == PH_BITWISE)
    return PH_OK;
  ph_status status = PH_OK;
  size_t nq = (size_t)d->m->nq;
  moved = moved || memcmp(recorded->state + 1, dynamic->state + 1, nq * sizeof(double)) != 0;
  ph_joints_apart(d, recorded->state, dynamic->state, out);
  compare_controls(d, recorded, dynamic, out);
  if (bodies && moved) {
    d->bodies = NULL;
    out->max[PH_MEASURE_BODY_PLACE] = out->max[PH_MEASURE_BODY_ANGLE] = NAN;
    status = compare_bodies(d, recorded, dynamic, derived, out);
  }
  classify(out, tolerance ? tolerance : &usual, least);
  return status;
}

ph_status ph_divergence_compare(ph_divergence *d, const ph_row *recorded, const ph_row *dynamic,
                                bool bodies, const ph_tolerance *tolerance, ph_difference *out) {
  return ph_divergence_compare_with(d, recorded, dynamic, NULL, bodies, tolerance, out);
}

const ph_joint_error *ph_divergence_joints(const ph_divergence *d, size_t *n) {
  *n = d->joints ? (size_t)d->njoint : 0;
  return d->joints;
}

const ph_body_error *ph_divergence_bodies(const ph_divergence *d, size_t *n) {
  *n = d->bodies ? (size_t)d->nbody : 0;
  return d->bodies;
}
