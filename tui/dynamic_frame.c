/* The dynamic frame: where the cursor stands, derived and judged as a recorded one is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_parts.h"

static bool copy_doubles(double **out, const double *from, size_t n) {
  *out = NULL;
  if (!from || n == 0)
    return true;
  *out = malloc(n * sizeof **out);
  if (*out)
    memcpy(*out, from, n * sizeof **out);
  return *out != NULL;
}

static void take_error(char *out, size_t size) {
  snprintf(out, size, "%s", ph_error());
}

/* --- making --- */

bool dynamic_ready(struct dynamic *d, struct opened *o) {
  ph_rerun *run = d->pass ? pass_run(d->pass) : NULL;
  ph_status status = PH_OK;
  size_t nedits = 0;
  if (d->cursor || d->broken[0] || !run)
    return d->cursor != NULL;
  const ph_edit *edits = ph_episode_edits(o->episode, &nedits);
  status = ph_cursor_open(&d->cursor, run);
  if (status != PH_OK)
    d->cursor = NULL;
  if (status == PH_OK && !d->replay)
    status = ph_replay_create(&d->replay, o->episode, o->model, o->task);
  if (status == PH_OK && !d->divergence)
    status = ph_divergence_create(&d->divergence, o->model, edits, nedits);
  if (status == PH_OK) {
    ph_divergence_set_memory(d->divergence, o->reel->meta.dims.action_state);
    return true;
  }
  take_error(d->broken, sizeof d->broken);
  dynamic_drop_frame(d);
  return false;
}

void dynamic_drop_frame(struct dynamic *d) {
  ph_cursor_close(d->cursor);
  ph_replay_free(d->replay);
  ph_divergence_free(d->divergence);
  d->cursor = NULL;
  d->replay = NULL;
  d->divergence = NULL;
  d->sought = d->there = false;
}

/* --- seeking --- */

struct spending {
  const struct dynamic_budget *budget;
  int64_t steps;
};

static bool spent(void *arg) {
  struct spending *s = arg;
  const struct dynamic_budget *b = s->budget;
  if (b->steps >= 0 && s->steps++ >= b->steps)
    return true;
  if (b->until && session_clock() >= b->until)
    return true;
  return b->interrupted && b->interrupted(b->arg);
}

void dynamic_aim_frame(struct dynamic *d, const struct dynamic_wish *wish, int64_t step,
                       int64_t states) {
  int substep = step < states - 1 && wish->substep > 0 ? wish->substep : 0;
  if (wish->mode == MODE_KINEMATIC) {
    d->sought = false;
    return;
  }
  if (d->sought && d->step == step && d->substep == substep)
    return;
  d->sought = true;
  d->there = false;
  d->error[0] = 0;
  d->step = step;
  d->substep = substep;
}

bool dynamic_wants_frame(const struct dynamic *d) {
  return d->sought && !d->there && !d->broken[0] && d->pass && pass_run(d->pass);
}

/* Steps that the run does not have. */
static bool outside(struct dynamic *d) {
  const ph_rerun *run = pass_run(d->pass);
  long long first = ph_rerun_anchor(run), end = ph_rerun_states(run);
  if (d->step < first)
    snprintf(d->error, sizeof d->error, "the dynamic run begins at step %lld", first);
  else if (d->step >= end)
    snprintf(d->error, sizeof d->error, "the dynamic run ends at step %lld: no action is recorded",
             end - 1);
  return d->error[0] != 0;
}

void dynamic_seek(struct dynamic *d, const struct dynamic_budget *budget) {
  struct spending spending = {.budget = budget};
  if (!d->sought || d->there || !d->cursor)
    return;
  if (outside(d)) {
    d->there = true;
    return;
  }
  ph_status status = ph_cursor_seek(d->cursor, d->step, d->substep, spent, &spending);
  if (status == PH_ECANCELED)
    return;
  d->there = true;
  if (status != PH_OK)
    take_error(d->error, sizeof d->error);
}

/* --- the answer --- */

static bool copy_row(struct dynamic_answer *out, const ph_row *row, const struct reel *reel) {
  const ph_dims *dims = &reel->meta.dims;
  const double *qpos = row->state ? row->state + 1 : NULL;
  return copy_doubles(&out->qpos, qpos, (size_t)dims->nq) &&
         copy_doubles(&out->qvel, qpos ? qpos + dims->nq : NULL, (size_t)dims->nv) &&
         copy_doubles(&out->act, qpos ? qpos + dims->nq + dims->nv : NULL, (size_t)dims->na) &&
         copy_doubles(&out->ctrl, row->ctrl, (size_t)reel->nctrl);
}

/* The one under way; at a whole step the recorded one that is fed next. */
static bool copy_action(struct dynamic_answer *out, const ph_instant *now, const struct opened *o) {
  size_t n = (size_t)o->reel->nactions;
  if (now->substep > 0)
    return copy_doubles(&out->action, now->action, n);
  if (n == 0 || now->step >= ph_episode_rows(o->episode, PH_COL_ACTIONS))
    return true;
  out->action = malloc(n * sizeof *out->action);
  if (!out->action)
    return false;
  if (ph_episode_read(o->episode, PH_COL_ACTIONS, now->step, 1, out->action) != PH_OK) {
    free(out->action);
    out->action = NULL;
  }
  return true;
}

/* Within a step it is the one in force. */
static bool copy_next_ctrl(struct dynamic_answer *out, struct dynamic *d, const struct reel *reel) {
  const ph_instant *now = ph_cursor_now(d->cursor);
  const double *ctrl = now->row.ctrl;
  if (now->substep == 0 && ph_cursor_ctrl(d->cursor, &ctrl) != PH_OK)
    return true;
  return copy_doubles(&out->next_ctrl, ctrl, (size_t)reel->nctrl);
}

static bool copy_contacts(struct dynamic_answer *out, const ph_frame *frame) {
  if (frame->ncontact == 0)
    return true;
  out->contacts = calloc(frame->ncontact, sizeof *out->contacts);
  if (!out->contacts)
    return false;
  out->ncontacts = frame->ncontact;
  for (size_t i = 0; i < frame->ncontact; i++) {
    struct dynamic_contact *to = &out->contacts[i];
    for (int side = 0; side < 2; side++)
      snprintf(to->geom[side], sizeof to->geom[side], "%s", frame->contact[i].geom[side]);
    to->dist = frame->contact[i].dist;
    to->force = frame->contact[i].force;
  }
  return true;
}

/* A command judges recorded states alone. */
static bool copy_conditions(struct dynamic_answer *out, struct dynamic *d, const struct opened *o) {
  size_t n = o->reel->nconditions;
  const ph_condition *from = NULL;
  bool value = false;
  if (n == 0 || o->judge[0] || ph_replay_predicate(d->replay, &value, &from) != PH_OK || !from)
    return true;
  out->condition = calloc(n, sizeof *out->condition);
  out->condition_reads = calloc(n, sizeof *out->condition_reads);
  if (!out->condition || !out->condition_reads)
    return false;
  out->nconditions = n;
  for (size_t i = 0; i < n; i++) {
    out->condition[i] = from[i].value;
    out->condition_reads[i] = from[i].read;
  }
  return true;
}

static void copy_judged(struct dynamic_answer *out, const ph_instant *now, const struct opened *o) {
  bool led_here = now->substep == 0 && now->action && now->judged;
  out->judged = now->judged && now->row.predicate && !o->judge[0];
  out->predicate = out->judged && now->predicate;
  out->held = out->judged ? now->hold.count : 0;
  out->reward = led_here ? now->reward : NAN;
  out->flags = led_here ? now->flags : -1;
}

static bool compare(struct dynamic_answer *out, struct dynamic *d, const ph_row *recorded,
                    const ph_row *row) {
  size_t n = 0;
  if (ph_divergence_compare(d->divergence, recorded, row, true, &d->tolerance, &out->difference) !=
      PH_OK)
    return true;
  const ph_joint_error *joint = ph_divergence_joints(d->divergence, &n);
  if (!out->joints) {
    out->joints = calloc(n ? n : 1, sizeof *out->joints);
    if (!out->joints)
      return false;
    out->njoints = n;
  }
  for (size_t i = 0; i < n && i < out->njoints; i++)
    out->joints[i].now = joint[i];
  out->differs = true;
  return true;
}

ph_status dynamic_take_frame(struct dynamic_answer *out, struct dynamic *d, struct opened *o,
                             const ph_frame *recorded) {
  const ph_instant *now = ph_cursor_now(d->cursor);
  const ph_stages *stages = now->stages.n > 0 ? &now->stages : NULL;
  if (ph_replay_show_judged(d->replay, now->step, &now->row, now->action, stages) != PH_OK) {
    take_error(out->error, sizeof out->error);
    return PH_OK;
  }
  const ph_frame *frame = ph_replay_frame(d->replay);
  out->step = now->step;
  out->substep = now->substep;
  out->time = frame->time;
  copy_judged(out, now, o);
  bool ok = copy_row(out, &now->row, o->reel) && copy_action(out, now, o) &&
            copy_doubles(&out->values, frame->values, o->reel->nsignals) &&
            copy_contacts(out, frame) && copy_conditions(out, d, o) &&
            copy_next_ctrl(out, d, o->reel);
  if (ok && recorded && recorded->row.state && now->substep == 0 && recorded->step == now->step)
    ok = compare(out, d, &recorded->row, &now->row);
  out->has_frame = ok;
  return ok ? PH_OK : PH_ENOMEM;
}
