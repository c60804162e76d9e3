#include "analysis_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

ph_status ph_tally_make(ph_tally *tally, const ph_model *model, bool bodies) {
  *tally = (ph_tally){.ctrl_first = -1, .njoint = (size_t)ph_model_count(model, PH_JOINT)};
  for (int i = 0; i < PH_CLASS_COUNT; i++)
    tally->first[i] = -1;
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    tally->max_step[m] = tally->worst[m] = -1;
  if (!bodies)
    tally->max[PH_MEASURE_BODY_PLACE] = tally->max[PH_MEASURE_BODY_ANGLE] = NAN;
  tally->joint = calloc(tally->njoint + 1, sizeof *tally->joint);
  if (!tally->joint)
    return ph_fail(PH_ENOMEM, "analysis: no memory");
  for (size_t i = 0; i < tally->njoint; i++) {
    ph_joint_type type = ph_model_joint(model, (int)i)->type;
    double rad = type == PH_SLIDE ? NAN : 0, m = type == PH_SLIDE || type == PH_FREE ? 0 : NAN;
    tally->joint[i] = (ph_joint_worst){rad, m, -1, -1, rad, m, -1, -1};
  }
  return PH_OK;
}

void ph_tally_clear(ph_tally *tally) {
  free(tally->joint);
  tally->joint = NULL;
}

void ph_tally_empty(ph_tally *tally, const ph_tally *new) {
  ph_joint_worst *joint = tally->joint;
  *tally = *new;
  tally->joint = joint;
  memcpy(joint, new->joint, new->njoint * sizeof *joint);
}

/* Whether an error at a step comes before what is there. A number that is none is the largest; of
 * equal ones the earlier. */
static bool larger(double error, int64_t step, double max, int64_t max_step) {
  bool none = isnan(error), was_none = isnan(max) && max_step >= 0;
  if (none != was_none)
    return none;
  if (none || error == max)
    return step >= 0 && max_step >= 0 && step < max_step;
  return error > max;
}

/* What a joint has none of stays NaN, at no step. */
static void joint_take(double *max, int64_t *max_step, double error, int64_t step) {
  bool has = !isnan(*max) || *max_step >= 0;
  if (has && step >= 0 && larger(error, step, *max, *max_step))
    *max = error, *max_step = step;
}

static void measure_take(ph_tally *tally, int m, double error, int64_t step, int worst) {
  if (step < 0 || worst < 0 || !larger(error, step, tally->max[m], tally->max_step[m]))
    return;
  tally->max[m] = error;
  tally->max_step[m] = step;
  tally->worst[m] = worst;
}

static void first_take(int64_t *first, int64_t step) {
  if (step >= 0 && (*first < 0 || step < *first))
    *first = step;
}

void ph_tally_add(ph_tally *tally, int64_t step, const ph_difference *d,
                  const ph_joint_error *joints) {
  for (int c = 0; c <= (int)d->cls; c++)
    first_take(&tally->first[c], step);
  tally->count[d->cls]++;
  tally->cls = d->cls > tally->cls ? d->cls : tally->cls;
  if (!d->ctrl_equal) {
    tally->ctrl_unequal++;
    first_take(&tally->ctrl_first, step);
  }
  if (d->cls == PH_BITWISE)
    return;
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    measure_take(tally, m, d->max[m], step, d->worst[m]);
  for (size_t i = 0; joints && i < tally->njoint; i++) {
    ph_joint_worst *w = &tally->joint[i];
    if (joints[i].equal)
      continue;
    joint_take(&w->rad, &w->rad_step, joints[i].rad, step);
    joint_take(&w->m, &w->m_step, joints[i].m, step);
    joint_take(&w->rad_s, &w->rad_s_step, joints[i].rad_s, step);
    joint_take(&w->m_s, &w->m_s_step, joints[i].m_s, step);
  }
}

void ph_tally_merge(ph_tally *tally, const ph_tally *other) {
  for (int c = 0; c < PH_CLASS_COUNT; c++) {
    first_take(&tally->first[c], other->first[c]);
    tally->count[c] += other->count[c];
  }
  tally->cls = other->cls > tally->cls ? other->cls : tally->cls;
  tally->ctrl_unequal += other->ctrl_unequal;
  first_take(&tally->ctrl_first, other->ctrl_first);
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    measure_take(tally, m, other->max[m], other->max_step[m], other->worst[m]);
  for (size_t i = 0; i < tally->njoint; i++) {
    const ph_joint_worst *from = &other->joint[i];
    ph_joint_worst *to = &tally->joint[i];
    joint_take(&to->rad, &to->rad_step, from->rad, from->rad_step);
    joint_take(&to->m, &to->m_step, from->m, from->m_step);
    joint_take(&to->rad_s, &to->rad_s_step, from->rad_s, from->rad_s_step);
    joint_take(&to->m_s, &to->m_s_step, from->m_s, from->m_s_step);
  }
}

/* --- reading --- */

size_t ph_analysis_joints(const ph_analysis *a, ph_joint_summary *out, size_t room) {
  ph_analysis *mine = (ph_analysis *)a; /* the lock alone */
  size_t n = a->freely_sum.njoint;
  pthread_mutex_lock(&mine->lock);
  for (size_t i = 0; i < n && i < room; i++) {
    const ph_joint_worst *f = &a->freely_sum.joint[i], *o = &a->single_sum.joint[i];
    memset(&out[i], 0, sizeof out[i]);
    out[i].rad = f->rad;
    out[i].m = f->m;
    out[i].rad_step = f->rad_step;
    out[i].m_step = f->m_step;
    out[i].rad_s = f->rad_s;
    out[i].m_s = f->m_s;
    out[i].rad_s_step = f->rad_s_step;
    out[i].m_s_step = f->m_s_step;
    out[i].one_rad = o->rad;
    out[i].one_m = o->m;
    out[i].one_rad_step = o->rad_step;
    out[i].one_m_step = o->m_step;
  }
  pthread_mutex_unlock(&mine->lock);
  return n;
}

static void sum_divergence(const ph_analysis *a, ph_analysis_summary *out) {
  const ph_tally *f = &a->freely_sum, *o = &a->single_sum;
  out->cls = f->cls;
  out->one_cls = o->cls;
  memcpy(out->first, f->first, sizeof out->first);
  memcpy(out->max, f->max, sizeof out->max);
  memcpy(out->max_step, f->max_step, sizeof out->max_step);
  memcpy(out->worst, f->worst, sizeof out->worst);
  memcpy(out->one_first, o->first, sizeof out->one_first);
  memcpy(out->one_count, o->count, sizeof out->one_count);
  memcpy(out->one_max, o->max, sizeof out->one_max);
  memcpy(out->one_max_step, o->max_step, sizeof out->one_max_step);
  memcpy(out->one_worst, o->worst, sizeof out->one_worst);
  const ph_tally *ctrl = o->first[PH_BITWISE] >= 0 ? o : f;
  out->ctrl_unequal = ctrl->ctrl_unequal;
  out->ctrl_first = ctrl->ctrl_first;
}

void ph_analysis_sum(const ph_analysis *a, ph_analysis_summary *out) {
  ph_analysis *mine = (ph_analysis *)a;
  memset(out, 0, sizeof *out);
  pthread_mutex_lock(&mine->lock);
  sum_divergence(a, out);
  out->latch = a->latch;
  out->longest_hold = a->longest;
  out->longest_hold_step = a->longest_step;
  out->reward = a->reward;
  out->end = a->end_of;
  out->end_step = a->end_step;
  memcpy(out->end_detail, a->end_detail, sizeof out->end_detail);
  pthread_mutex_unlock(&mine->lock);
}
