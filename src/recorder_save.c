/* A dataset of episodes that are still running. */
#include "recorder_parts.h"

#include <stdio.h>

#include "fail.h"

static bool is_running(const ph_slot *slot) {
  return slot && slot->running && ph_rowlog_states(slot->take.log) >= 2;
}

static ph_status check_envs(const ph_recorder *rec, const int *env_ids, size_t n) {
  size_t there = 0;
  for (size_t i = 0; i < n; i++) {
    const ph_slot *slot = ph_slot_find(rec, env_ids[i]);
    for (size_t j = 0; j < i; j++)
      if (env_ids[j] == env_ids[i])
        return ph_fail(PH_EINVAL, "recorder: env %d: twice in one call", env_ids[i]);
    if (!slot)
      return ph_fail(PH_EINVAL, "recorder: env %d: it is not known", env_ids[i]);
    there += is_running(slot);
  }
  return there > 0 ? PH_OK
                   : ph_fail(PH_EINVAL, "recorder: none of the envs is in an episode with a row");
}

static ph_status save_take(const ph_recorder *rec, ph_sink *sink, const ph_take *running) {
  ph_take take = *running;
  take.reason = PH_END_ABORTED;
  take.success = (rec->required & PH_COL_BIT(PH_COL_PREDICATE)) != 0 ? 0 : -1;
  snprintf(take.detail, sizeof take.detail, "saved while it ran");
  return ph_take_commit(&take, sink, &rec->origin, rec->model);
}

ph_status ph_recorder_save_trajectory(ph_recorder *rec, const char *path, const int *env_ids,
                                      size_t n) {
  ph_sink *sink = NULL;
  ph_sink_options how = {.compress = rec->compress};
  ph_status status = check_envs(rec, env_ids, n);
  if (status == PH_OK)
    status = ph_sink_dataset(&sink, path, &rec->origin, &how);
  if (status != PH_OK)
    return status;
  status = sink->model(sink, rec->model);
  if (status == PH_OK && rec->task)
    status = sink->task(sink, rec->task);
  for (size_t i = 0; status == PH_OK && i < n; i++) {
    const ph_slot *slot = ph_slot_find(rec, env_ids[i]);
    if (is_running(slot))
      status = save_take(rec, sink, &slot->take);
  }
  if (status == PH_OK)
    status = sink->finish(sink);
  sink->free(sink);
  return status;
}
