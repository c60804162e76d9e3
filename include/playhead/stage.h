/* Stages of a task: named conditions with holds of their own, reached one after the other. What an
 * engine remembers of them; scripts only read it. */
#ifndef PLAYHEAD_STAGE_H
#define PLAYHEAD_STAGE_H

#include <playhead/task.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PH_STAGES_MAX 32 /* that a task may have */

/* Plain data: a copy is a checkpoint. Only the current stage (the one at `done`) is judged, once
 * for each outcome of an action, rows 1..A; it is reached where its condition has held for its own
 * hold, counted as ph_hold counts. The row that reaches a stage does not count for the next. */
typedef struct ph_stages {
  size_t n;                     /* of the task */
  size_t done;                  /* reached so far; n: all are */
  int64_t count;                /* true outcomes in a row of the current one */
  int64_t steps[PH_STAGES_MAX]; /* hold of each in control steps; 0: the first true one */
  int64_t latch[PH_STAGES_MAX]; /* row at which each was reached; -1: not yet */
} ph_stages;

/* Before row 0 of an episode. PH_EINVAL: a hold that is positive and comes to 0 steps, or cannot be
 * counted; names the stage. */
PH_API ph_status ph_stages_begin(ph_stages *stages, const ph_task *task, double control_dt);

/* Takes what the current stage's condition says of row `row` >= 1. True at the very row where it is
 * reached. Does nothing once all are. */
PH_API bool ph_stages_update(ph_stages *stages, int64_t row, bool value);

/* What they were at an earlier row, of those that a later row knows; count is 0. */
PH_API void ph_stages_at(const ph_stages *later, int64_t row, ph_stages *out);

/* Name of the current stage, as scripts read it in s.stage; "" when all are reached, or there are
 * none. Borrowed from the task. */
PH_API const char *ph_stages_name(const ph_stages *stages, const ph_task *task);

#ifdef __cplusplus
}
#endif
#endif
