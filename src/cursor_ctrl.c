#include "fail.h"
#include "rerun_parts.h"

ph_status ph_cursor_ctrl(ph_cursor *cursor, const double **ctrl) {
  const ph_rerun *run = cursor->run;
  const char *id = ph_episode_meta_of(run->episode)->id;
  bool clipped = cursor->clipped, warned = cursor->warned;
  *ctrl = NULL;
  if (cursor->alone || cursor->substep > 0 || cursor->step + 1 >= run->states)
    return ph_fail(PH_EINVAL, "%s: no control step begins where the cursor stands", id);
  if (run->substeps)
    return ph_fail(PH_ENOTFOUND, "%s: ctrl is fed substep by substep: no action gives it", id);
  if (cursor->actions)
    ph_actions_get_state(cursor->actions, cursor->memory);
  ph_status status = ph_rerun_act(cursor);
  if (cursor->actions)
    ph_actions_set_state(cursor->actions, cursor->memory);
  cursor->clipped = clipped;
  cursor->warned = warned;
  if (status == PH_OK)
    *ctrl = cursor->ctrl;
  return status;
}
