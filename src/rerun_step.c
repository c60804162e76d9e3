#include "rerun_parts.h"

#include <math.h>
#include <string.h>

#include "fail.h"
#include "finite.h"
#include "sim_check.h"

ph_status ph_rerun_prepare(ph_cursor *c) {
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(c->run->episode, &n);
  ph_status status = ph_sim_reset(c->sim);
  if (status == PH_OK)
    status = ph_sim_edit(c->sim, edits, n);
  return status == PH_OK ? ph_rerun_apply(c->sim, c->run->changes, c->run->opt.nchanges) : status;
}

/* --- substeps --- */

static void forward_step(const mjModel *m, mjData *d) {
  mj_forward(m, d);
  mj_step(m, d);
}

/* The first half reads no ctrl. */
static void step1_step2(const mjModel *m, mjData *d) {
  mj_step1(m, d);
  mj_step2(m, d);
}

static const ph_substep substep_of[PH_RECIPE_COUNT] = {
    [PH_RECIPE_STEP] = mj_step,
    [PH_RECIPE_FORWARD_STEP] = forward_step,
    [PH_RECIPE_STEP1_STEP2] = step1_step2,
};

/* Each substep under the ctrl that the file has for it; past those, under the last. */
static ph_status fed_substeps(ph_cursor *c, int n) {
  const ph_rerun *run = c->run;
  const double *ctrl = NULL;
  int stored = ph_episode_meta_of(run->episode)->dims.control_steps,
      total = run->dims.control_steps;
  ph_status status = ph_rerun_substeps(c, c->step, &ctrl);
  for (int i = 0; status == PH_OK && i < n; i++, c->substep++) {
    int row = c->substep < stored ? c->substep : stored - 1;
    status =
        ph_sim_part_by(c->sim, substep_of[run->recipe], ctrl + (size_t)row * (size_t)run->dims.nu,
                       c->substep, 1, c->substep + 1 == total, &c->warned);
  }
  return status;
}

static ph_status substeps(ph_cursor *c, int n) {
  const ph_rerun *run = c->run;
  if (run->substeps)
    return fed_substeps(c, n);
  bool last = c->substep + n == run->dims.control_steps;
  ph_status status =
      ph_sim_part_by(c->sim, substep_of[run->recipe], c->ctrl, c->substep, n, last, &c->warned);
  c->substep += n;
  return status;
}

/* --- the action --- */

static ph_status check_action(const ph_cursor *c) {
  size_t at = 0;
  if (ph_finite(c->action, (size_t)c->run->dims.action_dim, &at))
    return PH_OK;
  const ph_action_element *element = c->actions ? ph_actions_element(c->actions, (int)at) : NULL;
  const char *name = element ? element->name : ph_model_name(c->run->model, PH_ACTUATOR, (int)at);
  return ph_fail(PH_ESIM, "action[%zu] (%s) is not finite", at, name);
}

ph_status ph_rerun_act(ph_cursor *c) {
  size_t nu = (size_t)c->run->dims.nu;
  c->clipped = c->warned = false;
  c->substep = 0;
  ph_status status = ph_rerun_action(c, c->step);
  if (status != PH_OK || (c->run->substeps && !c->actions))
    return status;
  status = check_action(c);
  if (status != PH_OK)
    return status;
  if (!c->actions) {
    memcpy(c->ctrl, c->action, nu * sizeof(double));
    return PH_OK;
  }
  if (c->sim->stale && c->run->derived)
    status = ph_sim_forward(c->sim);
  if (nu > 0)
    memcpy(c->ctrl, c->sim->d->ctrl, nu * sizeof(double));
  if (status == PH_OK)
    status = ph_actions_apply(c->actions, c->sim, c->action, c->ctrl, &c->clipped);
  return status;
}

static ph_status part(ph_cursor *c, int n) {
  ph_status status = c->substep == 0 ? ph_rerun_act(c) : PH_OK;
  c->cost++;
  return status == PH_OK ? substeps(c, n) : status;
}

/* --- whole steps --- */

static ph_status check_row(ph_cursor *c) {
  ph_row row = {0};
  char what[120];
  ph_status status = ph_sim_get_row(c->sim, &row);
  if (status == PH_OK && !ph_finite_row(&row, &c->run->dims, c->run->model, what, sizeof what))
    status = ph_fail(PH_ESIM, "%s is not finite", what);
  return status;
}

static ph_status judge(ph_cursor *c) {
  ph_ruling verdict;
  c->referee.step = c->step - 1;
  ph_status status =
      ph_referee_judge(&c->referee, c->sim, c->action, c->run->dims.action_dim, &verdict);
  c->mark.reward = verdict.end == PH_END_NAN ? NAN : verdict.reward;
  c->mark.flags |= verdict.flags;
  c->mark.end = (int32_t)verdict.end;
  c->mark.predicate = c->referee.predicate;
  return status;
}

static ph_status fail_at(const ph_cursor *c, int64_t step, ph_status status) {
  return ph_fail_in(status, "%s: step %lld", ph_episode_meta_of(c->run->episode)->id,
                    (long long)step);
}

ph_status ph_rerun_part(ph_cursor *c, int n) {
  ph_status status = part(c, n);
  if (status == PH_OK)
    status = ph_sim_forward(c->sim);
  return status == PH_OK ? PH_OK : fail_at(c, c->step, status);
}

ph_status ph_rerun_advance(ph_cursor *c) {
  int64_t from = c->step;
  ph_status status = part(c, c->run->dims.control_steps - c->substep);
  c->substep = 0;
  if (status == PH_OK)
    status = check_row(c);
  if (status == PH_OK)
    status = ph_rerun_drive(c, from + 1);
  if (status == PH_OK && !c->plain)
    status = ph_sim_forward(c->sim);
  if (status != PH_OK)
    return fail_at(c, from, status);
  c->step++;
  memset(&c->mark, 0, sizeof c->mark);
  c->mark.reward = NAN;
  c->mark.end = PH_END_UNKNOWN;
  c->mark.flags = (uint8_t)((c->clipped ? PH_FLAG_CLIPPED : 0) | (c->warned ? PH_FLAG_WARNED : 0));
  if (c->run->judges && !c->alone)
    status = judge(c);
  return status == PH_OK ? PH_OK : fail_at(c, from, status);
}

bool ph_rerun_of_step(ph_status status) {
  return status == PH_ESIM || status == PH_ETASK || status == PH_ECORRUPT || status == PH_EFORMAT ||
         status == PH_EIO;
}
