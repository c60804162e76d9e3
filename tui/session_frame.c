/* The frame of a snapshot: one row, and all that is derived from it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_parts.h"

/* A copy of n doubles into *out; NULL where there are none. False: out of memory. */
static bool copy_doubles(double **out, const double *from, size_t n) {
  *out = NULL;
  if (!from || n == 0)
    return true;
  *out = malloc(n * sizeof **out);
  if (!*out)
    return false;
  memcpy(*out, from, n * sizeof **out);
  return true;
}

static bool copy_row(struct snapshot *snap, const ph_frame *frame, const struct reel *reel) {
  const ph_dims *d = &reel->meta.dims;
  const double *state = frame->row.state;
  const double *qpos = state ? state + 1 : NULL;
  return copy_doubles(&snap->qpos, qpos, (size_t)d->nq) &&
         copy_doubles(&snap->qvel, qpos ? qpos + d->nq : NULL, (size_t)d->nv) &&
         copy_doubles(&snap->act, qpos ? qpos + d->nq + d->nv : NULL, (size_t)d->na) &&
         copy_doubles(&snap->mocap_pos, frame->row.mocap_pos, 3 * (size_t)d->nmocap) &&
         copy_doubles(&snap->mocap_quat, frame->row.mocap_quat, 4 * (size_t)d->nmocap) &&
         copy_doubles(&snap->ctrl, frame->row.ctrl, (size_t)reel->nctrl) &&
         copy_doubles(&snap->action, frame->action, (size_t)reel->nactions) &&
         copy_doubles(&snap->values, frame->values, reel->nsignals);
}

/* The ctrl that the action here led to. Should its block be corrupt, the next step says so. */
static bool copy_next_ctrl(struct snapshot *snap, const struct opened *o) {
  const struct reel *reel = o->reel;
  if (!snap->action || reel->nctrl == 0 || snap->step + 1 >= reel->states ||
      !ph_episode_has(o->episode, PH_COL_CTRL))
    return true;
  double *next = malloc((size_t)reel->nctrl * sizeof *next);
  if (!next)
    return false;
  if (ph_episode_read(o->episode, PH_COL_CTRL, snap->step + 1, 1, next) == PH_OK)
    snap->next_ctrl = next;
  else
    free(next);
  return true;
}

static bool copy_contacts(struct snapshot *snap, const ph_frame *frame) {
  if (frame->ncontact == 0)
    return true;
  snap->contacts = calloc(frame->ncontact, sizeof *snap->contacts);
  if (!snap->contacts)
    return false;
  snap->ncontacts = frame->ncontact;
  for (size_t i = 0; i < frame->ncontact; i++) {
    struct snapshot_contact *to = &snap->contacts[i];
    for (int side = 0; side < 2; side++)
      snprintf(to->geom[side], sizeof to->geom[side], "%s", frame->contact[i].geom[side]);
    to->dist = frame->contact[i].dist;
    to->force = frame->contact[i].force;
  }
  return true;
}

/* What is wrong, without the expression that the panel shows. */
static void take_error(struct snapshot *snap) {
  const char *text = ph_error(), *column = strstr(text, "': column ");
  bool expression = strncmp(text, "--success '", 11) == 0 && column;
  snprintf(snap->judge_error, sizeof snap->judge_error, "%s", expression ? column + 3 : text);
}

/* A condition that fails here (the script is at fault at this state) leaves the frame as it is. */
static bool copy_conditions(struct snapshot *snap, struct opened *o) {
  size_t n = o->reel->nconditions;
  const ph_condition *from = NULL;
  bool value = false;
  ph_status status = n > 0 ? ph_replay_predicate(o->replay, &value, &from) : PH_ENOTFOUND;
  if (o->judge[0] && !o->bits) {
    snprintf(snap->judge_error, sizeof snap->judge_error, "%s", o->reel->judge_note);
    return true; /* the task is not asked instead */
  }
  if (status == PH_ETASK)
    take_error(snap);
  snap->judging = status == PH_ENOTFOUND && n > 0 && o->reel->nstages > 0 && !o->stages.complete;
  if (status != PH_OK || !from)
    return true;
  snap->conditions = calloc(n, sizeof *snap->conditions);
  if (!snap->conditions)
    return false;
  snap->has_conditions = true;
  snap->predicate_now = value;
  for (size_t i = 0; i < n; i++) {
    snap->conditions[i].value = from[i].value;
    snap->conditions[i].read = from[i].read;
    snprintf(snap->conditions[i].reads, sizeof snap->conditions[i].reads, "%s", from[i].reads);
    snprintf(snap->conditions[i].unit, sizeof snap->conditions[i].unit, "%s", from[i].unit);
    snprintf(snap->conditions[i].limit, sizeof snap->conditions[i].limit, "%s", from[i].limit);
  }
  return true;
}

ph_status session_take_frame(struct snapshot *snap, struct opened *o) {
  const ph_frame *frame = ph_replay_frame(o->replay);
  snap->step = frame->step;
  snap->time = frame->time;
  memcpy(snap->note, frame->note, sizeof snap->note);
  snap->reward = frame->reward ? *frame->reward : NAN;
  snap->flags = frame->flags ? *frame->flags : -1;
  if (!copy_row(snap, frame, o->reel) || !copy_contacts(snap, frame) || !copy_next_ctrl(snap, o) ||
      !copy_conditions(snap, o))
    return PH_ENOMEM;
  snap->has_frame = true;
  return PH_OK;
}

ph_status session_frame(struct snapshot *snap, struct opened *o, int64_t step) {
  ph_status status = ph_replay_seek(o->replay, step, 0, PH_KINEMATIC);
  if (status == PH_OK)
    return session_take_frame(snap, o);
  snprintf(snap->error, sizeof snap->error, "%s", ph_error());
  return PH_OK;
}
