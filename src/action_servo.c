/* Terms whose elements each drive one actuator: ctrl, joint_position, joint_delta. */
#include "action_term.h"

#include <math.h>

static ph_status add_elements(ph_term *term, bool ranged) {
  const mjModel *m = term->actions->model->m;
  ph_status st = PH_OK;
  for (int i = 0; st == PH_OK && i < term->ndrives; i++) {
    const ph_drive *drive = &term->drives[i];
    double low = -INFINITY, high = INFINITY;
    if (ranged)
      ph_drive_range(m, drive, false, &low, &high);
    ph_kind kind = drive->joint >= 0 ? PH_JOINT : PH_ACTUATOR;
    const char *name = ph_model_name(term->actions->model, kind,
                                     drive->joint >= 0 ? drive->joint : drive->actuator);
    st = ph_term_element(term, drive->actuator, name, &term->spec->map, low, high);
  }
  return st;
}

/* --- ctrl and joint_position: the number is sent --- */

static ph_status create_ctrl(ph_term *term) {
  ph_status st = ph_term_drives(term, false);
  return st == PH_OK ? add_elements(term, true) : st;
}

static ph_status create_position(ph_term *term) {
  ph_status st = ph_term_drives(term, true);
  return st == PH_OK ? add_elements(term, true) : st;
}

static void apply_sent(ph_term *term, const ph_sim *sim, const double *x, double *ctrl,
                       uint8_t *clipped) {
  for (int i = 0; i < term->ndrives; i++)
    ph_drive_send(sim->m, &term->drives[i], x[i], ctrl, &clipped[i]);
}

/* --- joint_delta --- */

static ph_status create_delta(ph_term *term) {
  ph_status st = ph_term_drives(term, true);
  if (st == PH_OK)
    st = add_elements(term, false);
  term->target = term->spec->target;
  return st == PH_OK && term->target ? ph_term_remember(term, term->ndrives) : st;
}

static void reset_delta(ph_term *term, const ph_sim *sim) {
  for (int i = 0; term->target && i < term->ndrives; i++)
    ph_term_memory(term)[i] = sim->d->qpos[term->drives[i].position];
}

static void apply_delta(ph_term *term, const ph_sim *sim, const double *x, double *ctrl,
                        uint8_t *clipped) {
  double *memory = ph_term_memory(term);
  for (int i = 0; i < term->ndrives; i++) {
    const ph_drive *drive = &term->drives[i];
    double base = term->target ? memory[i] : sim->d->qpos[drive->position];
    double want = base + x[i], low, high;
    uint8_t unused = 0;
    ph_drive_range(sim->m, drive, true, &low, &high);
    if ((want < low && x[i] < 0) || (want > high && x[i] > 0))
      clipped[i] = 1;
    want = fmin(fmax(want, low), high);
    if (term->target)
      memory[i] = want;
    ph_drive_send(sim->m, drive, want, ctrl, &unused);
  }
}

const ph_term_type ph_term_ctrl = {"ctrl", create_ctrl, NULL, apply_sent};
const ph_term_type ph_term_joint_position = {"joint_position", create_position, NULL, apply_sent};
const ph_term_type ph_term_joint_delta = {"joint_delta", create_delta, reset_delta, apply_delta};
