/* Rows as they come in: what they must be, and where they go. */
#include "recorder_parts.h"

#include <inttypes.h>
#include <string.h>

#include "fail.h"
#include "finite.h"

uint32_t ph_row_columns(const ph_row *row, const ph_dims *dims) {
  uint32_t columns = 0;
  for (ph_column col = 0; col < PH_COL_COUNT; col++)
    if (ph_row_column(row, col) != NULL && ph_schema_width(col, dims) > 0)
      columns |= PH_COL_BIT(col);
  return columns;
}

ph_status ph_row_check(const ph_recorder *rec, int env_id, int64_t step, uint32_t columns,
                       const ph_row *row) {
  char what[120];
  const ph_dims *dims = &rec->origin.dims;
  uint32_t differ = ph_row_columns(row, dims) ^ columns;
  for (ph_column col = 0; differ != 0 && col < PH_COL_COUNT; col++) {
    if ((differ & PH_COL_BIT(col)) != 0) {
      return ph_fail(PH_EINVAL, "recorder: env %d: row %" PRId64 ": column %s is %s", env_id, step,
                     ph_schema_column(col)->path,
                     (columns & PH_COL_BIT(col)) != 0 ? "missing" : "there, but not in row 0");
    }
  }
  if (!ph_finite_row(row, dims, rec->model, what, sizeof what)) {
    return ph_fail(PH_EINVAL, "recorder: env %d: row %" PRId64 ": %s is not finite", env_id, step,
                   what);
  }
  return PH_OK;
}

static ph_status check_numbers(int env_id, int64_t step, const char *name, const double *x,
                               size_t n) {
  size_t at = 0;
  if (!x && n > 0) {
    return ph_fail(PH_EINVAL, "recorder: env %d: step %" PRId64 ": %s is missing", env_id, step,
                   name);
  }
  if (!ph_finite(x, n, &at)) {
    return ph_fail(PH_EINVAL, "recorder: env %d: step %" PRId64 ": %s[%zu] is not finite", env_id,
                   step, name, at);
  }
  return PH_OK;
}

static ph_status check_transition(const ph_recorder *rec, const ph_slot *slot,
                                  const ph_transition *how, const ph_row *row) {
  const ph_dims *dims = &rec->origin.dims;
  int64_t step = ph_rowlog_states(slot->take.log) - 1;
  uint32_t known = PH_FLAG_TERMINATED | PH_FLAG_TRUNCATED | PH_FLAG_CLIPPED | PH_FLAG_WARNED;
  size_t nsub = rec->substeps ? (size_t)dims->control_steps * (size_t)dims->nu : 0;
  uint32_t mask = ~(PH_COL_BIT(PH_COL_ACTIONS) | PH_COL_BIT(PH_COL_CTRL_SUBSTEPS) |
                    PH_COL_BIT(PH_COL_REWARDS) | PH_COL_BIT(PH_COL_FLAGS));
  uint32_t columns = ph_rowlog_layout(slot->take.log)->columns & mask;
  ph_status status =
      check_numbers(slot->env_id, step, "action", how->action, (size_t)dims->action_dim);
  if (status == PH_OK)
    status = check_numbers(slot->env_id, step, "ctrl_substeps", how->ctrl_substeps, nsub);
  if (status == PH_OK)
    status = check_numbers(slot->env_id, step, "reward", &how->reward, 1);
  if (status == PH_OK && (how->flags & ~known) != 0) {
    status = ph_fail(PH_EINVAL, "recorder: env %d: step %" PRId64 ": flags %u: unknown bits",
                     slot->env_id, step, how->flags);
  }
  if (status == PH_OK)
    status = ph_row_check(rec, slot->env_id, step + 1, columns, row);
  return status;
}

static ph_transition transition_at(const ph_recorder *rec, size_t i, const double *const *action,
                                   const double *const *ctrl_substeps, const double *reward,
                                   const uint8_t *flags) {
  ph_transition how = {
      .action = action[i],
      .ctrl_substeps = rec->substeps && ctrl_substeps ? ctrl_substeps[i] : NULL,
      .reward = reward[i],
      .flags = flags[i],
  };
  return how;
}

/* A push after it cannot fail. Says it once when the journal takes no more. */
static ph_status reserve(ph_recorder *rec, ph_slot *slot) {
  bool safe = ph_rowlog_trouble(slot->take.log) == NULL;
  ph_status status = ph_rowlog_reserve(slot->take.log);
  const char *trouble = ph_rowlog_trouble(slot->take.log);
  if (safe && trouble && status == PH_OK)
    ph_slot_unsafe(rec, slot, trouble);
  return status;
}

/* The slots of a call, in its order, all of them in an episode. Under `lock`. */
static ph_status find_all(ph_slot **first, ph_recorder *rec, const int *env_ids, size_t n) {
  ph_slot **last = first;
  rec->calls++;
  for (size_t i = 0; i < n; i++) {
    ph_slot *slot = ph_slot_at(rec, env_ids[i]);
    if (!slot || !slot->running)
      return ph_fail(PH_EINVAL, "recorder: env %d: no episode has begun", env_ids[i]);
    if (slot->call == rec->calls)
      return ph_fail(PH_EINVAL, "recorder: env %d: twice in one call", env_ids[i]);
    slot->call = rec->calls;
    *last = slot;
    last = &slot->then;
  }
  *last = NULL;
  return PH_OK;
}

ph_status ph_recorder_rows(ph_recorder *rec, const int *env_ids, size_t n,
                           const double *const *action, const double *const *ctrl_substeps,
                           const double *reward, const uint8_t *flags, const ph_row *row) {
  ph_slot *first = NULL, *slot;
  size_t i;
  pthread_mutex_lock(&rec->lock);
  ph_status status = find_all(&first, rec, env_ids, n);
  pthread_mutex_unlock(&rec->lock);
  for (slot = first, i = 0; slot && status == PH_OK; slot = slot->then, i++) {
    ph_transition how = transition_at(rec, i, action, ctrl_substeps, reward, flags);
    status = check_transition(rec, slot, &how, &row[i]);
    if (status == PH_OK)
      status = reserve(rec, slot);
  }
  if (status != PH_OK)
    return status;
  for (slot = first, i = 0; slot; slot = slot->then, i++) {
    ph_transition how = transition_at(rec, i, action, ctrl_substeps, reward, flags);
    ph_rowlog_push(slot->take.log, &how, &row[i]);
  }
  pthread_mutex_lock(&rec->lock);
  rec->tally.steps += (int64_t)n;
  pthread_mutex_unlock(&rec->lock);
  return PH_OK;
}
