#include <playhead/latch.h>

#include <math.h>
#include <string.h>

#include "fail.h"

ph_status ph_hold_steps(int64_t *steps, double hold_seconds, double control_dt) {
  *steps = 0;
  if (!isfinite(control_dt) || control_dt <= 0)
    return ph_fail(PH_EINVAL, "hold: a control step of %g s: must be positive", control_dt);
  if (!isfinite(hold_seconds) || hold_seconds < 0)
    return ph_fail(PH_EINVAL, "hold: %g s: must be 0 or more", hold_seconds);
  double n = rint(hold_seconds / control_dt);
  if (n > 1e15)
    return ph_fail(PH_EINVAL, "hold: %g s: more steps of %g s than can be counted", hold_seconds,
                   control_dt);
  if (hold_seconds > 0 && n == 0)
    return ph_fail(PH_EINVAL, "hold: %g s: comes to 0 steps of %g s; use 0 for no hold",
                   hold_seconds, control_dt);
  *steps = (int64_t)n;
  return PH_OK;
}

ph_status ph_hold_of(int64_t *steps, double seconds, const ph_hold_recorded *recorded) {
  bool own = seconds < 0 || (seconds == recorded->seconds && recorded->steps >= 0);
  *steps = own ? recorded->steps : 0;
  if (own || seconds == 0)
    return PH_OK;
  ph_status status =
      recorded->control_dt > 0
          ? ph_hold_steps(steps, seconds, recorded->control_dt)
          : ph_fail(PH_EINVAL,
                    "hold: %g s: how long a step takes is not known, so no hold but 0 "
                    "can be counted",
                    seconds);
  if (status != PH_OK)
    *steps = -1;
  return status;
}

bool ph_hold_update(ph_hold *hold, int64_t row, bool predicate) {
  if (row < 1)
    return false;
  hold->count = predicate ? hold->count + 1 : 0;
  if (hold->latched || !predicate || hold->count < hold->steps)
    return false;
  hold->latched = true;
  hold->latch = row;
  return true;
}

/* --- sources --- */

static const char *const sources[PH_LATCH_SOURCES] = {"recorded", "kinematic", "dynamic"};

const char *ph_latch_source_name(ph_latch_source s) {
  return (unsigned)s < PH_LATCH_SOURCES ? sources[s] : "unknown";
}

bool ph_latch_source_from_name(const char *name, ph_latch_source *out) {
  for (int i = 0; i < PH_LATCH_SOURCES; i++)
    if (!strcmp(sources[i], name)) {
      *out = (ph_latch_source)i;
      return true;
    }
  return false;
}
