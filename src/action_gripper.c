/* gripper: one element that opens and closes all its actuators. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_term.h"
#include "fail.h"

/* "grip_l+grip_r", as much as fits. */
static void join_names(const ph_term *term, char *out, size_t size) {
  out[0] = 0;
  for (int i = 0; i < term->ndrives; i++) {
    size_t n = strlen(out);
    snprintf(out + n, size - n, "%s%s", i > 0 ? "+" : "",
             ph_model_name(term->actions->model, PH_ACTUATOR, term->drives[i].actuator));
  }
}

static ph_status check_ends(const ph_term *term, const char *key, size_t n) {
  if (n == 1 || n == (size_t)term->ndrives)
    return PH_OK;
  return ph_term_fail(term, "%s: has %zu numbers, the patterns match %d actuators", key, n,
                      term->ndrives);
}

static ph_status take_ends(ph_term *term) {
  const ph_term_spec *spec = term->spec;
  int n = term->ndrives;
  ph_status st = check_ends(term, "open", spec->nopen);
  if (st == PH_OK)
    st = check_ends(term, "closed", spec->nclosed);
  for (int i = 0; st == PH_OK && i < n; i++) {
    term->work[i] = spec->open[spec->nopen == 1 ? 0 : i];
    term->work[n + i] = spec->closed[spec->nclosed == 1 ? 0 : i];
  }
  return st;
}

static ph_status take_ranges(ph_term *term) {
  const mjModel *m = term->actions->model->m;
  for (int i = 0; i < term->ndrives; i++) {
    double *open = &term->work[i], *closed = &term->work[term->ndrives + i];
    int actuator = term->drives[i].actuator;
    ph_actuator_range(m, actuator, closed, open);
    if (!isfinite(*closed) || !isfinite(*open))
      return ph_term_fail(term, "actuator '%s': %s: the term needs open and closed",
                          ph_model_name(term->actions->model, PH_ACTUATOR, actuator),
                          m->opt.disableflags & mjDSBL_CLAMPCTRL
                              ? "the model's clampctrl is off, so that no ctrlrange counts"
                              : "has no ctrlrange");
  }
  term->ranged = true;
  return PH_OK;
}

/* work: the open, then the closed value of each actuator. */
static ph_status keep_ends(ph_term *term) {
  term->work = calloc(2 * (size_t)term->ndrives, sizeof *term->work);
  if (!term->work)
    return ph_fail(PH_ENOMEM, "actions: out of memory");
  return term->spec->open ? take_ends(term) : take_ranges(term);
}

static ph_status create_gripper(ph_term *term) {
  char name[sizeof((ph_element *)0)->name];
  ph_status st = ph_term_drives(term, false);
  term->threshold = term->spec->threshold;
  if (st == PH_OK)
    st = keep_ends(term);
  if (st != PH_OK)
    return st;
  join_names(term, name, sizeof name);
  double end = isnan(term->threshold) ? 1 : INFINITY;
  return ph_term_element(term, term->drives[0].actuator, name, &term->spec->map, -end, end);
}

static void apply_gripper(ph_term *term, const ph_sim *sim, const double *x, double *ctrl,
                          uint8_t *clipped) {
  int n = term->ndrives;
  bool gradual = isnan(term->threshold);
  double closed = gradual ? (ph_clip(x[0], -1, 1, clipped) + 1) / 2 : x[0] > term->threshold;
  for (int i = 0; i < n; i++) {
    double from = INFINITY, to = -INFINITY;
    if (term->ranged)
      ph_actuator_range(sim->m, term->drives[i].actuator, &to, &from);
    if (!isfinite(from) || !isfinite(to)) { /* or a reset took the range away */
      from = term->work[i];
      to = term->work[n + i];
    }
    ph_drive_send(sim->m, &term->drives[i], (1 - closed) * from + closed * to, ctrl, clipped);
  }
}

const ph_term_type ph_term_gripper = {"gripper", create_gripper, NULL, apply_gripper};
