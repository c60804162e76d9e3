#include <playhead/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "mj.h"
#include "sim_check.h"

/* Components that a simulation has; a row's predicate and action_state are not the engine's. */
static const ph_column components[] = {
    PH_COL_STATES,       PH_COL_WARMSTART,    PH_COL_CTRL,      PH_COL_MOCAP_POS,
    PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,     PH_COL_EQ_ACTIVE, PH_COL_PLUGIN_STATE,
    PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED,
};
enum { COMPONENTS = sizeof components / sizeof *components };

/* --- life --- */

static bool buffers_make(ph_sim *sim) {
  const mjModel *m = sim->m;
  sim->state = calloc((size_t)ph_mj_width(m, PH_COL_STATES), sizeof *sim->state);
  sim->eq_active = calloc((size_t)m->neq + 1, sizeof *sim->eq_active);
  sim->scratch = calloc(ph_mj_scratch_size(m) + 1, sizeof *sim->scratch);
  bool ok = sim->state && sim->eq_active && sim->scratch;
  for (int i = 0; ok && i < COMPONENTS; i++) {
    int n = ph_mj_width(m, components[i]);
    if (n == 0)
      continue;
    sim->reset[components[i]] = calloc((size_t)n, sizeof(double));
    ok = sim->reset[components[i]] != NULL;
    if (ok)
      ph_mj_reset_value(sim->model->m, components[i], sim->reset[components[i]]);
  }
  return ok;
}

ph_status ph_sim_create(ph_sim **out, const ph_model *model) {
  *out = NULL;
  if (!model->m)
    return ph_fail(PH_EMODEL, "%s", model->error[0] ? model->error : "model: does not compile");
  ph_sim *sim = calloc(1, sizeof *sim);
  if (!sim)
    return ph_fail(PH_ENOMEM, "simulation: no memory");
  sim->model = ph_model_ref(model);
  sim->m = model->m;
  sim->stale = true;
  ph_status status = PH_OK;
  /* Before 3.0 equality constraints are switched in the model itself. */
  if (sim->m->neq > 0)
    status = ph_sim_private_model(sim);
  if (status == PH_OK)
    status = ph_mj_make_data(&sim->d, sim->m);
  if (status == PH_OK && !buffers_make(sim))
    status = ph_fail(PH_ENOMEM, "simulation: no memory");
  if (status == PH_OK)
    *out = sim;
  else
    ph_sim_free(sim);
  return status;
}

void ph_sim_free(ph_sim *sim) {
  if (!sim)
    return;
  for (int i = 0; i < PH_COL_COUNT; i++)
    free(sim->reset[i]);
  free(sim->scratch);
  free(sim->eq_active);
  free(sim->state);
  if (sim->d)
    mj_deleteData(sim->d);
  if (sim->private_model)
    ph_mj_free_model(sim->m);
  ph_model_unref(sim->model);
  free(sim);
}

static ph_status refuse_invalid(const ph_sim *sim) {
  if (!sim->invalid)
    return PH_OK;
  return ph_fail(PH_ESIM, "simulation: a fatal error of the physics engine left it undefined: "
                          "only a reset helps");
}

/* --- the private model --- */

ph_status ph_sim_private_model(ph_sim *sim) {
  mjModel *m = NULL;
  if (sim->private_model)
    return PH_OK;
  ph_status status = ph_mj_copy_model(&m, sim->model->m);
  if (status == PH_OK) {
    sim->m = m;
    sim->private_model = true;
  }
  return status;
}

static void restore_model(ph_sim *sim) {
  ph_field mine, original;
  for (int i = 0; ph_mj_field_at(sim->m, i, &mine); i++) {
    ph_mj_field_at(sim->model->m, i, &original);
    size_t size = ph_mj_field_size(&mine);
    if (size > 0)
      memcpy(mine.data, original.data, size);
  }
}

/* Only 0 and 1 are values of a bool; a file may hold any byte. */
static void write_field(const ph_field *field, const void *data) {
  size_t size = ph_mj_field_size(field);
  if (size > 0)
    memcpy(field->data, data, size);
  for (size_t i = 0; field->flag && i < size; i++) {
    unsigned char *byte = (unsigned char *)field->data + i;
    *byte = *byte != 0;
  }
}

static ph_status edit_one(ph_sim *sim, const ph_edit *edit) {
  ph_field field;
  ph_status status = ph_mj_edit_field(sim->m, edit, &field);
  if (status == PH_OK)
    write_field(&field, edit->data);
  return status;
}

ph_status ph_sim_edit(ph_sim *sim, const ph_edit *edits, size_t n) {
  ph_status status = n > 0 ? ph_sim_private_model(sim) : PH_OK;
  for (size_t i = 0; status == PH_OK && i < n; i++)
    status = edit_one(sim, &edits[i]);
  sim->stale = sim->stale || n > 0;
  return status;
}

static bool field_differs(const ph_sim *sim, int i, ph_field *mine) {
  ph_field original;
  if (!ph_mj_field_at(sim->m, i, mine))
    return false;
  ph_mj_field_at(sim->model->m, i, &original);
  size_t size = ph_mj_field_size(mine);
  return size > 0 && memcmp(mine->data, original.data, size) != 0;
}

static bool edit_from(ph_edit *edit, const ph_field *field) {
  size_t size = ph_mj_field_size(field);
  void *data = malloc(size);
  memcpy(edit->field, field->name, sizeof edit->field);
  edit->type = field->type;
  edit->shape[0] = field->rows;
  edit->shape[1] = field->cols;
  edit->data = data;
  if (data)
    memcpy(data, field->data, size);
  return data != NULL;
}

ph_status ph_sim_diff_model(const ph_sim *sim, ph_edit **out, size_t *n) {
  ph_field field;
  size_t count = 0, i = 0;
  *out = NULL;
  *n = 0;
  if (!sim->private_model)
    return PH_OK;
  for (int k = 0; ph_mj_field_at(sim->m, k, &field); k++)
    count += field_differs(sim, k, &field);
  if (count == 0)
    return PH_OK;
  ph_edit *edits = calloc(count, sizeof *edits);
  for (int k = 0; edits && i < count; k++)
    if (field_differs(sim, k, &field) && !edit_from(&edits[i++], &field))
      break;
  if (!edits || !edits[count - 1].data) {
    ph_edits_free(edits, edits ? count : 0);
    return ph_fail(PH_ENOMEM, "model edit: no memory");
  }
  *out = edits;
  *n = count;
  return PH_OK;
}

/* --- state --- */

static void reset_data(void *arg) {
  ph_sim *sim = arg;
  mj_resetData(sim->m, sim->d);
}

ph_status ph_sim_reset(ph_sim *sim) {
  ph_status status = PH_OK;
  if (sim->private_model)
    restore_model(sim);
  if (sim->invalid) {
    mjData *fresh = NULL;
    status = ph_mj_make_data(&fresh, sim->m);
    if (status != PH_OK)
      return status;
    mj_deleteData(sim->d);
    sim->d = fresh;
    sim->invalid = false;
  } else {
    status = ph_mj_guard(reset_data, sim);
    sim->invalid = status != PH_OK;
  }
  if (status == PH_OK && sim->reset[PH_COL_EQ_ACTIVE])
    ph_mj_set(sim->m, sim->d, PH_COL_EQ_ACTIVE, sim->reset[PH_COL_EQ_ACTIVE]);
  sim->stale = true;
  return status;
}

ph_status ph_sim_set_row(ph_sim *sim, const ph_row *row) {
  ph_status status = refuse_invalid(sim);
  if (status != PH_OK)
    return status;
  for (int i = 0; i < COMPONENTS; i++) {
    ph_column col = components[i];
    if (!sim->reset[col])
      continue;
    const void *given = ph_row_column(row, col);
    ph_mj_set(sim->m, sim->d, col, given ? given : sim->reset[col]);
  }
  sim->stale = true;
  return PH_OK;
}

ph_status ph_sim_get_row(const ph_sim *sim, ph_row *row) {
  const mjData *d = sim->d;
  memset(row, 0, sizeof *row);
  ph_status status = refuse_invalid(sim);
  if (status != PH_OK)
    return status;
  ph_mj_get(sim->m, d, PH_COL_STATES, sim->state);
  row->state = sim->state;
  row->warmstart = d->qacc_warmstart;
  row->ctrl = d->ctrl;
  row->qfrc_applied = d->qfrc_applied;
  row->xfrc_applied = d->xfrc_applied;
  if (sim->m->nmocap > 0) {
    row->mocap_pos = d->mocap_pos;
    row->mocap_quat = d->mocap_quat;
  }
  if (sim->m->nuserdata > 0)
    row->userdata = d->userdata;
  if (sim->m->neq > 0) {
    ph_mj_get(sim->m, d, PH_COL_EQ_ACTIVE, sim->eq_active);
    row->eq_active = sim->eq_active;
  }
  row->plugin_state = ph_mj_plugin_state(sim->m, d);
  return PH_OK;
}

/* --- stepping --- */

struct step {
  ph_sim *sim;
  ph_substep substep;
  int n;
  int done;
};

/* Stops at the first substep in which the engine found something that it answers by a reset. */
static void run_steps(void *arg) {
  struct step *job = arg;
  const mjModel *m = job->sim->m;
  mjData *d = job->sim->d;
  for (job->done = 0; job->done < job->n; job->done++) {
    job->substep(m, d);
    if (ph_sim_bad_counter(d))
      return;
  }
}

ph_status ph_sim_part_by(ph_sim *sim, ph_substep substep, const double *ctrl, int done, int n,
                         bool last, bool *warned) {
  struct step job = {sim, substep, n, 0};
  *warned = false;
  ph_status status = refuse_invalid(sim);
  if (status == PH_OK)
    status = ph_sim_check_ctrl(sim, ctrl);
  if (status != PH_OK)
    return status;
  if (sim->m->nu > 0)
    memcpy(sim->d->ctrl, ctrl, (size_t)sim->m->nu * sizeof *ctrl);
  for (int i = 0; done == 0 && i < mjNWARNING; i++)
    sim->d->warning[i].number = 0;
  sim->stale = true;
  status = ph_mj_guard(run_steps, &job);
  if (status != PH_OK) {
    sim->invalid = true;
    return ph_fail_in(status, "simulation: substep %d", done + job.done + 1);
  }
  for (int i = 0; i < mjNWARNING; i++)
    *warned = *warned || sim->d->warning[i].number > 0;
  if (job.done < n)
    return ph_sim_fail_bad(sim, done + job.done + 1);
  return last ? ph_sim_check_state(sim) : PH_OK;
}

ph_status ph_sim_part(ph_sim *sim, const double *ctrl, int done, int n, bool last, bool *warned) {
  return ph_sim_part_by(sim, mj_step, ctrl, done, n, last, warned);
}

ph_status ph_sim_step(ph_sim *sim, const double *ctrl, int n, bool *warned) {
  return ph_sim_part(sim, ctrl, 0, n, true, warned);
}

static void run_forward(void *arg) {
  ph_sim *sim = arg;
  ph_mj_pure_forward(sim->m, sim->d, sim->scratch);
}

ph_status ph_sim_forward(ph_sim *sim) {
  ph_status status = refuse_invalid(sim);
  if (status == PH_OK)
    status = ph_sim_check_state(sim);
  if (status != PH_OK)
    return status;
  status = ph_mj_guard(run_forward, sim);
  sim->invalid = status != PH_OK;
  sim->stale = status != PH_OK;
  return status;
}

const double *ph_sim_body_quat(const ph_sim *sim, int body) {
  return body >= 0 && body < (int)sim->m->nbody ? sim->d->xquat + 4 * (size_t)body : NULL;
}
