#include "replay_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "mj.h"
#include "replay_fit.h"
#include "signals.h"

/* --- life --- */

static bool columns_make(ph_replay *r) {
  const ph_dims *dims = &ph_episode_meta_of(r->episode)->dims;
  for (int i = 0; i < PH_COL_COUNT; i++) {
    ph_column col = (ph_column)i;
    size_t width = ph_schema_width(col, dims);
    if (!ph_episode_has(r->episode, col) || width == 0 || col == PH_COL_CTRL_SUBSTEPS)
      continue;
    r->column[col] = calloc(width, ph_type_size(ph_schema_column(col)->type));
    if (!r->column[col])
      return false;
  }
  r->led_here = calloc((size_t)dims->action_dim + 1, sizeof *r->led_here);
  return r->led_here != NULL;
}

static bool geoms_make(ph_replay *r) {
  int n = ph_model_count(r->model, PH_GEOM);
  r->geoms = calloc((size_t)n + 1, sizeof *r->geoms);
  for (int i = 0; r->geoms && i < n; i++) {
    const char *name = ph_model_name(r->model, PH_GEOM, i);
    if (name[0])
      snprintf(r->geoms[i], PH_REPLAY_GEOM, "%s", name);
    else
      snprintf(r->geoms[i], PH_REPLAY_GEOM, "geom %d", i);
  }
  r->room = 64;
  r->contacts = calloc(r->room, sizeof *r->contacts);
  return r->geoms && r->contacts;
}

/* The sim as the episode's reset made it. */
static ph_status sim_prepare(ph_replay *r) {
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(r->episode, &n);
  ph_status status = ph_sim_reset(r->sim);
  return status == PH_OK ? ph_sim_edit(r->sim, edits, n) : status;
}

static ph_status replay_fill(ph_replay *r) {
  const ph_episode_meta *meta = ph_episode_meta_of(r->episode);
  bool compiled = r->model && ph_model_compiled(r->model);
  ph_status status = ph_replay_fit(r->episode, r->model, r->task);
  if (status == PH_OK && compiled)
    status = ph_sim_create(&r->sim, r->model);
  if (status == PH_OK && compiled)
    status = sim_prepare(r);
  if (status == PH_OK)
    status = ph_signals_make(&r->signals, &r->nstates, r->model, &meta->dims);
  r->readouts = r->nsignals = r->nstates;
  if (status == PH_OK && r->sim && r->task)
    status = ph_signals_add_readouts(&r->signals, &r->nsignals, r->task);
  r->nreadouts = r->nsignals - r->readouts;
  r->nstates = r->nsignals;
  size_t n = 0;
  const ph_channel *channels = ph_episode_channels(r->episode, &n);
  if (status == PH_OK && n > 0)
    status = ph_signals_add_channels(&r->signals, &r->nsignals, channels, n);
  if (status != PH_OK)
    return status;
  r->values = calloc(r->nsignals + 1, sizeof *r->values);
  if (!r->values || !columns_make(r) || (compiled && !geoms_make(r)))
    return ph_fail(PH_ENOMEM, "%s: no memory to replay it", meta->id);
  return PH_OK;
}

static void frame_clear(ph_replay *r) {
  r->partial = r->shown = r->staged = false;
  r->frame = (ph_frame){.step = -1, .time = NAN, .values = r->values, .contact = r->contacts};
  for (size_t i = 0; r->values && i < r->nsignals; i++)
    r->values[i] = NAN;
}

ph_status ph_replay_create(ph_replay **out, const ph_episode *episode, const ph_model *model,
                           const ph_task *task) {
  *out = NULL;
  ph_replay *r = calloc(1, sizeof *r);
  if (!r)
    return ph_fail(PH_ENOMEM, "%s: no memory to replay it", ph_episode_meta_of(episode)->id);
  r->episode = episode;
  r->model = model && !episode->no_model[0] ? ph_model_ref(model) : NULL;
  r->task = task ? ph_task_ref(task) : NULL;
  ph_status status = replay_fill(r);
  frame_clear(r);
  if (status == PH_OK)
    *out = r;
  else
    ph_replay_free(r);
  return status;
}

void ph_replay_free(ph_replay *replay) {
  if (!replay)
    return;
  ph_replay_judge_free(replay);
  ph_replay_readouts_free(replay);
  free(replay->led_here);
  free(replay->geoms);
  free(replay->contacts);
  free(replay->values);
  free(replay->signals);
  for (int i = 0; i < PH_COL_COUNT; i++)
    free(replay->column[i]);
  ph_sim_free(replay->sim);
  ph_task_unref((ph_task *)replay->task);
  ph_model_unref(replay->model);
  free(replay);
}

/* --- values --- */

/* Copies n numbers to the next place; NaN where they are not known. */
static double *put(double *to, const double *from, int n) {
  for (int i = 0; i < n; i++)
    to[i] = from ? from[i] : NAN;
  return to + n;
}

static double *put_mocap(double *to, const double *pos, const double *quat, int nmocap) {
  for (int i = 0; i < nmocap; i++) {
    to = put(to, pos ? pos + 3 * i : NULL, 3);
    to = put(to, quat ? quat + 4 * i : NULL, 4);
  }
  return to;
}

/* Whether accelerations and forces are those of the step: not where nobody knows its ctrl. */
static bool knows_forces(const ph_replay *r) {
  return r->frame.row.ctrl || r->sim->m->nu == 0;
}

static void put_sensors(double *to, const ph_replay *r, const mjData *d) {
  const mjModel *m = r->sim->m;
  bool forces = knows_forces(r);
  for (int i = 0; i < (int)m->nsensor; i++) {
    bool known = r->frame.forward && (forces || m->sensor_needstage[i] != mjSTAGE_ACC);
    int at = m->sensor_adr[i];
    put(to + at, known ? d->sensordata + at : NULL, m->sensor_dim[i]);
  }
}

/* In the order of ph_signals_make. Stored numbers are the row's, never the engine's. */
static void fill_values(ph_replay *r) {
  const ph_dims *dims = &ph_episode_meta_of(r->episode)->dims;
  const ph_row *row = &r->frame.row;
  const mjData *d = r->sim && !r->partial ? r->sim->d : NULL;
  const double *state = row->state;
  double *to = r->values;
  to = put(to, state + 1, dims->nq);
  to = put(to, state + 1 + dims->nq, dims->nv);
  to = put(to, state + 1 + dims->nq + dims->nv, dims->na);
  to = put(to, row->ctrl, dims->nu);
  to = put_mocap(to,
                 row->mocap_pos ? row->mocap_pos
                 : d            ? d->mocap_pos
                                : NULL,
                 row->mocap_quat ? row->mocap_quat
                 : d             ? d->mocap_quat
                                 : NULL,
                 dims->nmocap);
  if (!d)
    return;
  put_sensors(to, r, d);
  to += r->sim->m->nsensordata;
  put(to, r->frame.forward ? d->xpos + 3 : NULL, 3 * ((int)r->sim->m->nbody - 1));
}

/* Leaves a damaged column or channel out, in words. */
static void note_damage(ph_replay *r, const char *name) {
  size_t n = strlen(r->frame.note);
  snprintf(r->frame.note + n, sizeof r->frame.note - n, n ? ", %s" : "damaged here: %s", name);
}

/* Why nothing is derived, behind what is damaged: ph_error(), or another reason. */
static void note_underived(ph_replay *r, const char *why) {
  static const char where[] = "simulation: ";
  size_t n = strlen(r->frame.note);
  why = strncmp(why, where, sizeof where - 1) == 0 ? why + sizeof where - 1 : why;
  snprintf(r->frame.note + n, sizeof r->frame.note - n, "%sthe engine cannot take this state: %s",
           n ? "; " : "", why);
}

/* That a state without a model has a number that is none. */
static void note_raw(ph_replay *r) {
  const ph_channel *channels = ph_episode_channels(r->episode, &(size_t){0});
  size_t n = strlen(r->frame.note);
  for (size_t i = r->nstates; i < r->nsignals; i++) {
    if (strcmp(channels[r->signals[i].channel].name, "states") != 0 || isfinite(r->values[i]))
      continue;
    snprintf(r->frame.note + n, sizeof r->frame.note - n, "%snot finite in the file: %s",
             n ? "; " : "", r->signals[i].name);
    return;
  }
}

/* The row of each channel that belongs to the step; NaN where there is none. */
static ph_status fill_channels(ph_replay *r, int64_t step) {
  size_t n = 0;
  const ph_channel *channels = ph_episode_channels(r->episode, &n);
  for (size_t i = r->nstates; i < r->nsignals;) {
    size_t channel = (size_t)r->signals[i].channel;
    const ph_channel *c = &channels[channel];
    int64_t row = step - c->shift;
    if (row >= 0 && row < c->rows) {
      ph_status status = ph_episode_channel_read(r->episode, channel, row, 1, r->values + i);
      if (status == PH_ENOMEM)
        return status;
      if (status != PH_OK) {
        put(r->values + i, NULL, (int)c->width);
        note_damage(r, c->name);
      }
    }
    i += c->width;
  }
  return PH_OK;
}

static bool contacts_reserve(ph_replay *r, size_t n) {
  if (n <= r->room)
    return true;
  ph_contact *more = realloc(r->contacts, 2 * n * sizeof *more);
  if (!more)
    return false;
  r->contacts = more;
  r->room = 2 * n;
  return true;
}

static void fill_contacts(ph_replay *r) {
  const mjModel *m = r->sim->m;
  const mjData *d = r->sim->d;
  size_t n = (size_t)d->ncon;
  bool forces = knows_forces(r);
  if (!contacts_reserve(r, n))
    n = r->room;
  for (size_t i = 0; i < n; i++) {
    const mjContact *c = &d->contact[i];
    mjtNum force[6] = {0};
    mj_contactForce(m, d, (int)i, force);
    const char *first = c->geom1 >= 0 ? r->geoms[c->geom1] : "";
    const char *second = c->geom2 >= 0 ? r->geoms[c->geom2] : "";
    r->contacts[i] = (ph_contact){{first, second}, c->dist, forces ? force[0] : NAN};
  }
  r->frame.contact = r->contacts;
  r->frame.ncontact = n;
}

/* --- seek --- */

/* Reads row `step` of a column into its buffer; *at is NULL where there is no such row. */
static ph_status read_row(ph_replay *r, ph_column col, int64_t step, const void **at) {
  *at = NULL;
  if (!r->column[col] || step < 0 || step >= ph_episode_rows(r->episode, col))
    return PH_OK;
  ph_status status = ph_episode_read(r->episode, col, step, 1, r->column[col]);
  if (status == PH_OK)
    *at = r->column[col];
  return status;
}

/* Leaves out a damaged column, but not one without which there is nothing to show. */
static ph_status pass_over(ph_replay *r, ph_status status, ph_column col) {
  if (status != PH_ECORRUPT || col == PH_COL_STATES || col == PH_COL_CTRL)
    return status;
  r->partial =
      r->partial || (col != PH_COL_ACTIONS && col != PH_COL_REWARDS && col != PH_COL_FLAGS &&
                     col != PH_COL_PREDICATE && col != PH_COL_ACTION_STATE);
  note_damage(r, ph_schema_column(col)->path);
  return PH_OK;
}

static ph_status read_frame(ph_replay *r, int64_t step) {
  const void *at = NULL;
  ph_status status = PH_OK;
  for (int i = 0; status == PH_OK && i < PH_COL_COUNT; i++) {
    ph_column col = (ph_column)i;
    bool outcome = col == PH_COL_REWARDS || col == PH_COL_FLAGS;
    if (col == PH_COL_DONES || col == PH_COL_FINAL_STATE)
      continue;
    status = pass_over(r, read_row(r, col, outcome ? step - 1 : step, &at), col);
    ph_row_set_column(&r->frame.row, col, at);
    if (col == PH_COL_ACTIONS)
      r->frame.action = at;
    else if (col == PH_COL_REWARDS)
      r->frame.reward = at;
    else if (col == PH_COL_FLAGS)
      r->frame.flags = at;
  }
  return status;
}

/* Derived values, where the row is one that the engine can take. A row that it cannot (not finite)
 * is still shown: it is what the file says. */
static ph_status derive(ph_replay *r) {
  ph_status status = ph_sim_set_row(r->sim, &r->frame.row);
  if (status == PH_OK)
    status = ph_sim_forward(r->sim);
  r->frame.forward = status == PH_OK;
  if (r->frame.forward)
    fill_contacts(r);
  else
    note_underived(r, ph_error());
  if (!r->frame.forward && r->sim->invalid)
    return sim_prepare(r);
  return PH_OK;
}

ph_status ph_replay_seek(ph_replay *replay, int64_t step, int substep, ph_mode mode) {
  const ph_episode_meta *meta = ph_episode_meta_of(replay->episode);
  if (mode != PH_KINEMATIC || substep != 0)
    return ph_fail(PH_EINVAL, "%s: substep %d: there are none in kinematic replay", meta->id,
                   substep);
  if (meta->states < 1)
    return ph_fail(PH_EINVAL, "%s: it has no states", meta->id);
  step = step < 0 ? 0 : step >= meta->states ? meta->states - 1 : step;
  frame_clear(replay);
  ph_status status = read_frame(replay, step);
  if (status == PH_OK && !replay->frame.row.state)
    status = ph_fail(PH_EFORMAT, "%s: no state is stored for step %lld", meta->id, (long long)step);
  if (status == PH_OK)
    status = fill_channels(replay, step);
  if (status == PH_OK && replay->sim && !replay->partial)
    status = derive(replay);
  if (status != PH_OK) {
    frame_clear(replay);
    return status;
  }
  replay->frame.step = step;
  replay->frame.time = replay->frame.row.state[0];
  fill_values(replay);
  if (!replay->sim)
    note_raw(replay);
  return ph_replay_read_out(replay);
}

ph_status ph_replay_show(ph_replay *replay, int64_t step, const ph_row *row, const double *action) {
  return ph_replay_show_judged(replay, step, row, action, NULL);
}

ph_status ph_replay_show_judged(ph_replay *replay, int64_t step, const ph_row *row,
                                const double *action, const ph_stages *stages) {
  if (replay->sim && replay->task && row->state)
    ph_replay_prepare(replay); /* it takes a seek; who judges says what failed */
  frame_clear(replay);
  if (!row->state)
    return ph_fail(PH_EINVAL, "%s: a row without a state", ph_episode_meta_of(replay->episode)->id);
  replay->frame.row = *row;
  replay->frame.action = action;
  ph_status status = replay->sim ? derive(replay) : PH_OK;
  if (status != PH_OK) {
    frame_clear(replay);
    return status;
  }
  replay->frame.step = step;
  replay->frame.time = row->state[0];
  replay->shown = true;
  replay->staged = stages != NULL;
  if (stages)
    replay->own = *stages;
  fill_values(replay);
  return ph_replay_read_out(replay);
}

const ph_frame *ph_replay_frame(const ph_replay *replay) {
  return &replay->frame;
}

const ph_signal *ph_replay_signals(const ph_replay *replay, size_t *n) {
  *n = replay->nsignals;
  return replay->signals;
}

const ph_sim *ph_replay_sim(const ph_replay *replay) {
  return replay->sim;
}
