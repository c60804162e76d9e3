#include <playhead/verify.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episode.h"
#include "fail.h"
#include "verify_ctrl.h"

enum { BLOCK = PH_CRC_BLOCK_ROWS };
static const double quat_limit = 1e-6;

struct check {
  ph_verdict *out;
  const ph_episode *episode;
  const ph_episode_meta *meta;
  const ph_model *model; /* Nullable */
  const ph_task *task;   /* Nullable */
  const ph_verify_options *opt;
  bool bad[PH_COL_COUNT]; /* not readable to its end */
  bool foreign;           /* of another recorder: its findings say what is odd about its shape */
  double rounding;        /* of its states, as a part of a number */
  void *block;            /* BLOCK rows of the widest column */
  double last_time;
  struct tally {
    int64_t first, n;
    double worst;
  } clock, quat, mocap;
  uint8_t *predicate, *dones, *flags; /* whole columns; NULL where not stored */
};

PH_PRINTF(3, 4)
static void flaw(struct check *c, int64_t step, const char *fmt, ...) {
  if (c->out->nflaws == PH_FLAW_ROOM)
    return;
  ph_flaw *f = &c->out->flaw[c->out->nflaws++];
  f->step = step;
  va_list args;
  va_start(args, fmt);
  vsnprintf(f->text, sizeof f->text, fmt, args);
  va_end(args);
}

static void count(struct tally *t, int64_t step, double size) {
  if (t->n++ == 0)
    t->first = step;
  t->worst = fmax(t->worst, size);
}

static bool go_on(const struct check *c, int64_t step) {
  return !c->opt || !c->opt->progress || c->opt->progress(c->opt->arg, step, c->meta->states);
}

/* --- columns --- */

/* Largest value that a column of bytes may hold. */
static unsigned byte_limit(ph_column col) {
  return col == PH_COL_FLAGS ? 15 : 1;
}

/* Counts elements of a block that no recorder writes; *at is the first one's. */
static int64_t odd_elements(const struct check *c, ph_column col, size_t n, size_t *at) {
  int64_t odd = 0;
  const uint8_t *bytes = c->block;
  const double *numbers = c->block;
  ph_type type = ph_schema_column(col)->type;
  for (size_t i = 0; i < n; i++)
    if ((type == PH_F64 && !isfinite(numbers[i])) ||
        (type == PH_U8 && bytes[i] > byte_limit(col))) {
      *at = odd == 0 ? i : *at;
      odd++;
    }
  return odd;
}

static double norm_error(const double q[4]) {
  return fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
}

/* Row 0 is what a reset left, which the engine normalizes only when it steps. */
static void check_quat(struct tally *t, int64_t step, const double q[4], double limit) {
  double error = norm_error(q);
  if (step > 0 && !(error <= limit))
    count(t, step, error);
  else if (step > 0)
    t->worst = fmax(t->worst, error);
}

static void check_states(struct check *c, int64_t first, int64_t n, size_t width) {
  const double *rows = c->block;
  double dt = c->meta->control_dt;
  int joints = c->model ? ph_model_count(c->model, PH_JOINT) : 0;
  for (int64_t i = 0; i < n; i++) {
    const double *row = rows + (size_t)i * width, time = row[0];
    /* each substep rounds the sum once */
    double slack = 1e-6 * dt + (1 + c->meta->dims.control_steps) * 1e-15 * fabs(time) +
                   2 * c->rounding * fabs(time);
    double error = fabs(time - c->last_time - dt);
    if (first + i > 0 && dt > 0 && !(error <= slack))
      count(&c->clock, first + i, error);
    else if (first + i > 0 && dt > 0)
      c->clock.worst = fmax(c->clock.worst, error);
    c->last_time = time;
    for (int j = 0; j < joints; j++) {
      const ph_joint_info *joint = ph_model_joint(c->model, j);
      int at = 1 + joint->qposadr + (joint->type == PH_FREE ? 3 : 0);
      if ((joint->type == PH_FREE || joint->type == PH_BALL) && at + 4 <= (int)width)
        check_quat(&c->quat, first + i, row + at, quat_limit + 4 * c->rounding);
    }
  }
}

static void check_block(struct check *c, ph_column col, int64_t first, int64_t n, size_t width) {
  if (col == PH_COL_STATES && width > 0)
    check_states(c, first, n, width);
  if (col == PH_COL_MOCAP_QUAT)
    for (int64_t i = 0; i < n * c->meta->dims.nmocap; i++)
      check_quat(&c->mocap, first + i / c->meta->dims.nmocap, (const double *)c->block + 4 * i,
                 quat_limit);
  for (int64_t i = 0; col == PH_COL_REWARDS && i < n; i++)
    c->out->reward += ((const double *)c->block)[i];
  uint8_t *whole = col == PH_COL_PREDICATE ? c->predicate
                   : col == PH_COL_DONES   ? c->dones
                   : col == PH_COL_FLAGS   ? c->flags
                                           : NULL;
  if (whole)
    memcpy(whole + first, c->block, (size_t)n);
}

static ph_status check_column(struct check *c, ph_column col) {
  const ph_column_info *info = ph_schema_column(col);
  size_t width = ph_schema_width(col, &c->meta->dims), at = 0;
  int64_t rows = ph_episode_rows(c->episode, col), odd = 0;
  struct tally t = {0};
  bool per_action = info->rows == PH_ROWS_A && col != PH_COL_STATES; /* final_state is its last */
  int64_t expected = per_action ? c->meta->actions : c->meta->states;
  if (rows != expected && !c->foreign) {
    c->bad[col] = true;
    flaw(c, -1, "%s: %lld rows, not %lld", info->path, (long long)rows, (long long)expected);
  }
  for (int64_t first = 0; width > 0 && first < rows && !c->bad[col]; first += BLOCK) {
    int64_t n = rows - first < BLOCK ? rows - first : BLOCK;
    size_t where = 0;
    if (!go_on(c, first))
      return ph_fail(PH_ECANCELED, "%s: canceled", c->meta->id);
    if (ph_episode_read(c->episode, col, first, n, c->block) != PH_OK) {
      c->bad[col] = true;
      flaw(c, first, "%s: %s", info->path, ph_error());
      break;
    }
    if ((odd = odd_elements(c, col, (size_t)n * width, &where)) > 0 && t.n == 0) {
      at = where % width;
      t.first = first + (int64_t)(where / width);
    }
    t.n += odd;
    check_block(c, col, first, n, width);
    c->out->blocks++;
    if (col == PH_COL_STATES)
      c->out->checked = first + n;
  }
  c->out->columns += !c->bad[col];
  if (t.n > 0)
    flaw(c, t.first, "%s: element %zu at step %lld is %s; %lld such", info->path, at,
         (long long)t.first, info->type == PH_F64 ? "not finite" : "out of its range",
         (long long)t.n);
  return PH_OK;
}

static bool is_own(const struct check *c) {
  return !c->foreign && strncmp(c->meta->writer, "playhead", 8) == 0;
}

/* A success that is somebody else's word has no predicate. */
static bool is_due(const struct check *c, const ph_column_info *info) {
  bool judged = c->meta->success >= 0 && !c->meta->success_source[0];
  return is_own(c) && (info->required || (info->id == PH_COL_PREDICATE && judged));
}

static ph_status check_columns(struct check *c) {
  ph_status status = PH_OK;
  for (int col = 0; status == PH_OK && col < PH_COL_COUNT; col++) {
    const ph_column_info *info = ph_schema_column((ph_column)col);
    if (col == PH_COL_FINAL_STATE)
      continue; /* the last of the states */
    if (ph_episode_has(c->episode, (ph_column)col))
      status = check_column(c, (ph_column)col);
    else if (is_due(c, info) && ph_schema_width((ph_column)col, &c->meta->dims))
      flaw(c, -1, "%s: not stored", info->path);
  }
  if (c->clock.n > 0 && !c->episode->time_odd)
    flaw(c, c->clock.first,
         "time: step %lld lasts not the %g s of a control step but %.3g s off it; %lld such",
         (long long)c->clock.first, c->meta->control_dt, c->clock.worst, (long long)c->clock.n);
  if (c->quat.n > 0)
    flaw(c, c->quat.first, "states: a quaternion's norm is up to %.3g off 1 from step %lld on",
         c->quat.worst, (long long)c->quat.first);
  if (c->mocap.n > 0)
    flaw(c, c->mocap.first,
         "playhead/mocap_quat: a quaternion's norm is up to %.3g off 1 from step %lld on",
         c->mocap.worst, (long long)c->mocap.first);
  c->out->time_error = c->clock.worst;
  c->out->quat_error = fmax(c->quat.worst, c->mocap.worst);
  return status;
}

/* --- outcome --- */

/* Others mark the last row, each row whose outcome is a success, or both. */
static void check_done(struct check *c, int64_t t) {
  bool done = c->dones && c->dones[t];
  bool flagged = c->flags && (c->flags[t] & (PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED));
  if (c->dones && c->flags && done != flagged)
    flaw(c, t, "dones: step %lld is %d where the flags say %d", (long long)t, done, flagged);
  if ((done || flagged) && t + 1 < c->meta->actions)
    flaw(c, t, "dones: done at step %lld, yet it goes on to %lld", (long long)t,
         (long long)c->meta->actions);
}

static void check_end(struct check *c) {
  const ph_episode_meta *m = c->meta;
  int64_t last = m->actions - 1;
  for (int64_t t = 0; t < m->actions && !c->foreign; t++)
    check_done(c, t);
  if (last < 0 || !c->flags)
    return;
  bool terminated = c->flags[last] & PH_FLAG_TERMINATED;
  bool truncated = c->flags[last] & PH_FLAG_TRUNCATED;
  const char *name = ph_end_name(m->end_reason);
  if (m->end_reason == PH_END_TERMINATED && !terminated)
    flaw(c, last, "end_reason: %s, but the last flags say not terminated", name);
  if (m->end_reason == PH_END_TRUNCATED && (!truncated || terminated))
    flaw(c, last, "end_reason: %s, but the last flags say %s", name,
         terminated ? "terminated" : "not truncated");
  if (m->end_reason == PH_END_SUCCESS && !terminated)
    flaw(c, last, "end_reason: %s, but the last flags say not terminated", name);
  /* Of a salvaged one nobody knows: it may have been killed while its end was written. */
  if (m->end_reason == PH_END_ABORTED && (terminated || truncated))
    flaw(c, last, "end_reason: %s, but the last step is done", name);
}

static int64_t latch_of(const uint8_t *predicate, int64_t states, int64_t hold_steps) {
  ph_hold hold = {.steps = hold_steps};
  for (int64_t t = 1; t < states; t++)
    if (ph_hold_update(&hold, t, predicate[t] != 0))
      return t;
  return -1;
}

static void check_hold(struct check *c) {
  const ph_episode_meta *m = c->meta;
  int64_t steps = 0;
  if (m->hold_seconds < 0 && !c->foreign)
    return;
  bool counted = m->hold_seconds >= 0 && m->control_dt > 0 && !c->foreign;
  if (counted && ph_hold_steps(&steps, m->hold_seconds, m->control_dt) != PH_OK)
    flaw(c, -1, "hold_seconds: %s", ph_error());
  else if (counted && steps != m->hold_steps)
    flaw(c, -1, "hold_steps: %lld, but %g s at %g s a step are %lld", (long long)m->hold_steps,
         m->hold_seconds, m->control_dt, (long long)steps);
  if (!c->predicate || c->bad[PH_COL_PREDICATE])
    return;
  int64_t latch = latch_of(c->predicate, m->states, c->foreign ? 0 : m->hold_steps);
  c->out->latch_recorded = latch;
  c->out->latch_known = true;
  if (m->hold_seconds < 0 || c->foreign)
    return; /* of no task of ours: what was recorded need not hold */
  if (m->success == 1 && latch < 0)
    flaw(c, -1, "success: 1, but the predicate never holds for %lld steps",
         (long long)m->hold_steps);
  if (m->success == 0 && latch >= 0)
    flaw(c, latch, "success: 0, but the predicate latches at step %lld", (long long)latch);
  if (m->end_reason == PH_END_SUCCESS && latch != m->states - 1)
    flaw(c, latch, "end_reason: success, but the last of %lld states is not the latch (%lld)",
         (long long)m->states, (long long)latch);
}

/* --- model and task --- */

static void note(struct check *c, const char *text) {
  snprintf(c->out->note, sizeof c->out->note, "%s", text);
}

/* Whether the task is another than the recorded one: what it cannot judge is no fault of the file.
 */
static bool is_another_judge(const struct check *c) {
  return c->task && strcmp(ph_task_sha256(c->task), c->meta->task_sha256) != 0;
}

/* Recomputes the predicate at the frame; *known: it could be, and so may be that of the next one.
 */
static ph_status compute_predicate(struct check *c, ph_replay *replay, int64_t t, uint8_t *computed,
                                   bool *known) {
  bool value = false;
  ph_status status = ph_replay_predicate(replay, &value, NULL);
  *known = status == PH_OK;
  computed[t] = value;
  if (status == PH_ETASK && is_another_judge(c))
    return ph_fail_in(status, "%s: step %lld", c->meta->id, (long long)t);
  if (status == PH_ENOTFOUND)
    note(c, ph_error());
  else if (status != PH_OK)
    flaw(c, t, "predicate: step %lld: %s", (long long)t, ph_error());
  return PH_OK;
}

/* Recomputes at every state the predicate (computed is nullable), and the ctrl that its action
 * gives (ctrl is nullable). */
static ph_status run_frames(struct check *c, ph_replay *replay, uint8_t *computed,
                            ph_ctrl_check *ctrl) {
  bool predicate = computed != NULL;
  for (int64_t t = 0; (predicate || ctrl) && t < c->meta->states; t++) {
    if (t % 64 == 0 && !go_on(c, t))
      return ph_fail(PH_ECANCELED, "%s: canceled", c->meta->id);
    ph_status status = ph_replay_seek(replay, t, 0, PH_KINEMATIC);
    if (status != PH_OK) {
      flaw(c, t, "%s: step %lld: %s", computed ? "predicate" : "ctrl", (long long)t, ph_error());
      return PH_OK;
    }
    if (ctrl)
      ph_ctrl_check_frame(ctrl, replay);
    status = predicate ? compute_predicate(c, replay, t, computed, &predicate) : PH_OK;
    if (status != PH_OK)
      return status;
  }
  c->out->predicate_checked = predicate;
  return PH_OK;
}

static void compare_predicate(struct check *c, const uint8_t *computed) {
  struct tally t = {0};
  bool held = c->meta->hold_seconds >= 0 || c->foreign; /* else there is no hold to latch by */
  if (held)
    c->out->latch_computed = latch_of(computed, c->meta->states, c->meta->hold_steps);
  for (int64_t i = 0; c->predicate && i < c->meta->states; i++)
    if ((c->predicate[i] != 0) != (computed[i] != 0))
      count(&t, i, 1);
  if (t.n > 0)
    flaw(c, t.first, "predicate: step %lld was recorded %d and is %d when recomputed; %lld such",
         (long long)t.first, c->predicate[t.first], computed[t.first], (long long)t.n);
  if (held && c->predicate && c->out->latch_computed != c->out->latch_recorded)
    flaw(c, c->out->latch_computed, "latch: recorded at %lld, recomputed at %lld (-1: never)",
         (long long)c->out->latch_recorded, (long long)c->out->latch_computed);
}

static bool any_bad(const struct check *c) {
  bool bad = false;
  for (int col = 0; col < PH_COL_COUNT; col++)
    bad = bad || c->bad[col];
  return bad;
}

static void compare_ctrl(struct check *c, const ph_ctrl_check *ctrl) {
  char text[240];
  c->out->ctrl_checked = ph_ctrl_check_rows(ctrl) > 0;
  int64_t first = ph_ctrl_check_first(ctrl, text, sizeof text);
  if (first >= 0)
    flaw(c, first, "%s", text);
}

/* Why the predicate is not recomputed, if it is not. */
static void note_predicate(struct check *c) {
  bool judge = c->opt && c->opt->judge;
  if (!c->model && !judge)
    note(c, "no model");
  else if (!judge && !ph_model_compiled(c->model))
    note(c, ph_model_error(c->model));
  else if (!judge && (!c->task || !ph_task_info_of(c->task)->has_success))
    note(c, "no task with a success condition");
  else if (any_bad(c))
    note(c, "not all of its rows can be read");
}

static ph_status check_frames(struct check *c, ph_replay *replay) {
  uint8_t *computed = NULL;
  ph_ctrl_check *ctrl = NULL;
  ph_status status = PH_OK;
  if (!any_bad(c))
    status = ph_ctrl_check_begin(&ctrl, c->episode, c->model, c->task);
  if (status == PH_OK && !c->out->note[0]) {
    computed = calloc((size_t)c->meta->states + 1, 1);
    status = computed ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", c->meta->id);
  }
  if (status == PH_OK && (computed || ctrl))
    status = run_frames(c, replay, computed, ctrl);
  if (status == PH_OK && c->out->predicate_checked)
    compare_predicate(c, computed);
  if (status == PH_OK && ctrl)
    compare_ctrl(c, ctrl);
  free(computed);
  ph_ctrl_check_free(ctrl);
  return status;
}

/* The judge from outside judges in the task's place. */
static ph_status ask_judge(const struct check *c, ph_replay *replay) {
  uint8_t *bits = calloc((size_t)c->meta->states + 1, 1);
  ph_status status = bits ? ph_judge_episode(bits, c->opt->judge, c->episode, c->model)
                          : ph_fail(PH_ENOMEM, "%s: out of memory", c->meta->id);
  if (status == PH_OK)
    status = ph_replay_judged(replay, bits, ph_judge_command(c->opt->judge));
  free(bits);
  return status;
}

static ph_status check_fit(struct check *c) {
  ph_replay *replay = NULL;
  ph_status status = ph_replay_create(&replay, c->episode, c->model, c->task);
  if (status == PH_ENOMEM)
    return status;
  if (status != PH_OK) {
    flaw(c, -1, "%s", ph_error());
    note(c, "model or task does not fit");
    return PH_OK;
  }
  note_predicate(c);
  if (c->model && !ph_model_compiled(c->model))
    flaw(c, -1, "model: cannot be used: %s", ph_model_error(c->model));
  if (c->opt && c->opt->judge && !c->out->note[0])
    status = ask_judge(c, replay);
  if (status == PH_OK)
    status = check_frames(c, replay);
  ph_replay_free(replay);
  return status;
}

/* --- the whole --- */

/* float16 is among what is given as float32. */
static double rounding_of(const ph_episode *episode) {
  return ph_episode_stored_type(episode, PH_COL_STATES) == PH_F32 ? 0x1p-11 : 0;
}

static ph_status allocate(struct check *c) {
  size_t room = 1,
         n = (size_t)(c->meta->states > c->meta->actions ? c->meta->states : c->meta->actions);
  for (int col = 0; col < PH_COL_COUNT; col++) {
    size_t width = ph_schema_width((ph_column)col, &c->meta->dims);
    size_t bytes = width * ph_type_size(ph_schema_column((ph_column)col)->type);
    room = bytes > room ? bytes : room;
  }
  bool ok = (c->block = calloc(BLOCK, room));
  if (ph_episode_has(c->episode, PH_COL_PREDICATE))
    ok = (c->predicate = calloc(n + 1, 1)) && ok;
  if (ph_episode_has(c->episode, PH_COL_DONES))
    ok = (c->dones = calloc(n + 1, 1)) && ok;
  if (ph_episode_has(c->episode, PH_COL_FLAGS))
    ok = (c->flags = calloc(n + 1, 1)) && ok;
  return ok ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", c->meta->id);
}

/* Numbers that are not finite are looked for in every row of a column, in the first ones only when
 * the file was opened. */
static bool is_checked_here(const struct check *c, const ph_finding *finding) {
  return c->meta->model_sha256[0] && strncmp(finding->text, "states: element ", 16) == 0 &&
         strstr(finding->text, " is not finite; ");
}

/* What the file of another recorder contradicts itself in was found when it was opened; what
 * concerns no step is said of the file, and no row is wrong for it. */
static void check_findings(struct check *c) {
  size_t n = 0;
  const ph_finding *findings = ph_episode_findings(c->episode, &n);
  for (size_t i = 0; i < n; i++)
    if (findings[i].kind == PH_FINDING_ODDITY && findings[i].step >= 0 &&
        !is_checked_here(c, &findings[i]))
      flaw(c, findings[i].step, "%s", findings[i].text);
}

static void check_counts(struct check *c) {
  const ph_episode_meta *m = c->meta;
  if (c->foreign) {
    check_findings(c);
    return;
  }
  if (m->states != m->actions && m->states != m->actions + 1)
    flaw(c, -1, "%lld states for %lld actions", (long long)m->states, (long long)m->actions);
  if (m->oddity[0])
    flaw(c, -1, "%s", m->oddity);
}

ph_status ph_verify_episode(ph_verdict *out, const ph_episode *episode, const ph_model *model,
                            const ph_task *task, const ph_verify_options *opt) {
  struct check c = {.out = out,
                    .episode = episode,
                    .meta = ph_episode_meta_of(episode),
                    .model = model,
                    .task = task,
                    .opt = opt};
  c.foreign = c.meta->layout[0] != 0;
  c.rounding = rounding_of(episode);
  memset(out, 0, sizeof *out);
  out->states = c.meta->states;
  out->actions = c.meta->actions;
  out->latch_recorded = out->latch_computed = -1;
  out->checksums = !c.foreign;
  ph_status status = allocate(&c);
  check_counts(&c);
  if (status == PH_OK)
    status = check_columns(&c);
  if (!ph_episode_has(episode, PH_COL_REWARDS) || c.bad[PH_COL_REWARDS])
    out->reward = NAN;
  if (status == PH_OK && !c.bad[PH_COL_DONES] && !c.bad[PH_COL_FLAGS])
    check_end(&c);
  if (status == PH_OK)
    check_hold(&c);
  if (status == PH_OK)
    status = check_fit(&c);
  free(c.block);
  free(c.predicate);
  free(c.dones);
  free(c.flags);
  return status;
}
