#include <playhead/stage.h>

#include <string.h>

#include <playhead/latch.h>

#include "fail.h"
#include "task.h"

ph_status ph_stages_begin(ph_stages *stages, const ph_task *task, double control_dt) {
  memset(stages, 0, sizeof *stages);
  stages->n = ph_task_info_of(task)->nstages;
  for (size_t i = 0; i < stages->n; i++) {
    const ph_stage *stage = ph_task_stage(task, i);
    stages->latch[i] = -1;
    ph_status status = ph_hold_steps(&stages->steps[i], stage->hold_seconds, control_dt);
    if (status != PH_OK)
      return ph_fail_in(status, "%s: stage %s", task->name, stage->name);
  }
  return PH_OK;
}

bool ph_stages_update(ph_stages *stages, int64_t row, bool value) {
  if (stages->done >= stages->n)
    return false;
  ph_hold hold = {.steps = stages->steps[stages->done], .count = stages->count};
  bool reached = ph_hold_update(&hold, row, value);
  stages->count = reached ? 0 : hold.count;
  if (reached)
    stages->latch[stages->done++] = row;
  return reached;
}

void ph_stages_at(const ph_stages *later, int64_t row, ph_stages *out) {
  *out = *later;
  out->count = 0;
  while (out->done > 0 && out->latch[out->done - 1] > row)
    out->latch[--out->done] = -1;
}

const char *ph_stages_name(const ph_stages *stages, const ph_task *task) {
  const ph_stage *stage = stages->done < stages->n ? ph_task_stage(task, stages->done) : NULL;
  return stage ? stage->name : "";
}
