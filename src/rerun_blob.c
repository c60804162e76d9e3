#include "rerun_parts.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

const ph_column ph_moving[PH_MOVING] = {PH_COL_STATES,     PH_COL_WARMSTART, PH_COL_CTRL,
                                        PH_COL_MOCAP_QUAT, PH_COL_USERDATA,  PH_COL_PLUGIN_STATE};
const ph_column ph_still[PH_STILL] = {PH_COL_MOCAP_POS, PH_COL_EQ_ACTIVE, PH_COL_QFRC_APPLIED,
                                      PH_COL_XFRC_APPLIED};

static size_t stages_of(const ph_rerun *run) {
  return run->judges ? ph_task_info_of(run->task)->nstages : 0;
}

size_t ph_rerun_blob_size(const ph_rerun *run) {
  size_t size = sizeof(ph_mark_head);
  for (int i = 0; i < PH_MOVING; i++)
    size += ph_schema_width(ph_moving[i], &run->dims) * sizeof(double);
  return size + (size_t)run->dims.action_state * sizeof(double) + stages_of(run) * sizeof(int64_t);
}

/* --- pack --- */

static void pack_referee(ph_cursor *c) {
  const ph_referee *r = &c->referee;
  if (!c->run->judges)
    return;
  c->mark.hold_count = r->hold.count;
  c->mark.latched = r->hold.latched;
  c->mark.latch = r->hold.latched ? r->hold.latch : 0;
  c->mark.stages_done = (int64_t)r->stages.done;
  c->mark.stages_count = r->stages.count;
}

ph_status ph_rerun_pack(ph_cursor *c, void *blob) {
  const ph_rerun *run = c->run;
  char *to = blob;
  ph_row row;
  ph_status status = ph_sim_get_row(c->sim, &row);
  if (status != PH_OK)
    return status;
  pack_referee(c);
  memcpy(to, &c->mark, sizeof c->mark);
  to += sizeof c->mark;
  for (int i = 0; i < PH_MOVING; i++) {
    size_t size = ph_schema_width(ph_moving[i], &run->dims) * sizeof(double);
    if (size > 0)
      memcpy(to, ph_row_column(&row, ph_moving[i]), size);
    to += size;
  }
  if (c->actions)
    ph_actions_get_state(c->actions, c->memory);
  memcpy(to, c->memory, (size_t)run->dims.action_state * sizeof(double));
  to += (size_t)run->dims.action_state * sizeof(double);
  memcpy(to, c->referee.stages.latch, stages_of(run) * sizeof(int64_t));
  return PH_OK;
}

/* --- unpack --- */

static void unpack_referee(ph_cursor *c, const char *latches) {
  ph_referee *r = &c->referee;
  if (!c->run->judges)
    return;
  r->step = c->step;
  r->hold = (ph_hold){.steps = r->hold_steps,
                      .count = c->mark.hold_count,
                      .latched = c->mark.latched,
                      .latch = c->mark.latch};
  r->predicate = c->mark.predicate;
  r->stages = r->plain;
  r->stages.done = (size_t)c->mark.stages_done;
  r->stages.count = c->mark.stages_count;
  memcpy(r->stages.latch, latches, stages_of(c->run) * sizeof(int64_t));
}

/* The sim's part: the moving components of the blob, the still ones of the anchor or the file. */
static ph_status unpack_row(ph_cursor *c, int64_t step, const char **from) {
  const ph_rerun *run = c->run;
  ph_row row = {0};
  for (int i = 0; i < PH_MOVING; i++) {
    size_t size = ph_schema_width(ph_moving[i], &run->dims) * sizeof(double);
    if (size > 0 && !(run->lossy && ph_moving[i] == PH_COL_WARMSTART))
      ph_row_set_column(&row, ph_moving[i], *from);
    *from += size;
  }
  for (int i = 0; i < PH_STILL; i++)
    ph_row_set_column(&row, ph_still[i], run->still[i]);
  if (run->full)
    return ph_rerun_drive(c, step); /* what of it lives in the model */
  ph_status status = c->sim->invalid ? ph_rerun_prepare(c) : PH_OK;
  if (status == PH_OK)
    status = ph_sim_set_row(c->sim, &row);
  if (status == PH_OK)
    status = ph_rerun_drive(c, step);
  return status == PH_OK ? ph_sim_forward(c->sim) : status;
}

ph_status ph_rerun_unpack(ph_cursor *c, int64_t step, const void *blob) {
  const char *from = blob;
  c->stray = true;
  memcpy(&c->mark, from, sizeof c->mark);
  from += sizeof c->mark;
  ph_status status = unpack_row(c, step, &from);
  if (status != PH_OK)
    return status;
  memcpy(c->memory, from, (size_t)c->run->dims.action_state * sizeof(double));
  from += (size_t)c->run->dims.action_state * sizeof(double);
  if (c->actions)
    ph_actions_set_state(c->actions, c->memory);
  c->step = step;
  c->substep = 0;
  c->alone = c->stray = false;
  unpack_referee(c, from);
  return PH_OK;
}

/* --- the cache --- */

struct copy {
  const mjModel *m;
  mjData *to;
  const mjData *from;
};

static void run_copy(void *arg) {
  struct copy *job = arg;
  job->to = mj_copyData(job->to, job->m, job->from);
}

static void free_data(void *one) {
  mj_deleteData(one);
}

ph_status ph_rerun_cache_make(ph_rerun *run) {
  ph_state_extra extra = {0, NULL};
  size_t budget = run->opt.budget ? run->opt.budget : (size_t)64 << 20;
  run->blob = ph_rerun_blob_size(run);
  if (run->full) {
    mjData *d = NULL;
    ph_status status = ph_mj_make_data(&d, run->model->m);
    if (status != PH_OK)
      return status;
    extra.size = sizeof *d + (size_t)d->nbuffer; /* of the stack nothing is in use */
    extra.free = free_data;
    mj_deleteData(d);
  }
  ph_state_cache_free(run->cache);
  return ph_state_cache_new(&run->cache, run->opt.anchor, run->states - run->opt.anchor, run->blob,
                            budget, &extra);
}

ph_status ph_rerun_keep(ph_cursor *c) {
  struct copy job = {c->sim->m, NULL, c->sim->d};
  if (!ph_state_cache_wants(c->run->cache, c->step))
    return PH_OK;
  ph_status status = ph_rerun_pack(c, c->blob);
  if (status == PH_OK && c->run->full)
    status = ph_mj_guard(run_copy, &job);
  if (status == PH_OK && c->run->full && !job.to)
    return PH_OK; /* no memory: a seek costs more */
  if (status == PH_OK)
    ph_state_cache_put(c->run->cache, c->step, c->blob, job.to);
  return status;
}

struct use {
  ph_cursor *c;
  ph_status status;
};

/* Derived quantities come with the copy. */
static void use_data(void *arg, const void *extra) {
  struct use *use = arg;
  struct copy job = {use->c->sim->m, use->c->sim->d, extra};
  use->status = ph_mj_guard(run_copy, &job);
  use->c->sim->invalid = use->status != PH_OK;
  use->c->sim->stale = use->status != PH_OK;
}

ph_status ph_rerun_back(ph_cursor *c, int64_t step) {
  struct use use = {c, PH_OK};
  c->stray = true;
  ph_status status = c->run->full && c->sim->invalid ? ph_rerun_prepare(c) : PH_OK;
  if (status != PH_OK)
    return status;
  int64_t found = ph_state_cache_get(c->run->cache, step, c->blob, use_data, &use);
  if (found < 0)
    return ph_fail(PH_ENOMEM, "%s: no state is kept", ph_episode_meta_of(c->run->episode)->id);
  return use.status == PH_OK ? ph_rerun_unpack(c, found, c->blob) : use.status;
}
