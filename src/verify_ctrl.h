/* Whether the raw actions of an episode, through the task's terms, are the ctrl that it stores. For
 * verify, which goes through its frames. */
#ifndef PLAYHEAD_VERIFY_CTRL_H
#define PLAYHEAD_VERIFY_CTRL_H

#include <playhead/replay.h>

typedef struct ph_ctrl_check ph_ctrl_check;

/* *out is NULL where there is nothing to check: no model or terms, other dimensions, a column that
 * it takes is not stored, actions or task say nothing of ctrl. PH_ENOMEM. */
ph_status ph_ctrl_check_begin(ph_ctrl_check **out, const ph_episode *episode, const ph_model *model,
                              const ph_task *task);
void ph_ctrl_check_free(ph_ctrl_check *check); /* Nullable */

/* At each frame of a replay, from step 0 on. */
void ph_ctrl_check_frame(ph_ctrl_check *check, const ph_replay *replay);

/* Rows that were compared. */
int64_t ph_ctrl_check_rows(const ph_ctrl_check *check);
/* First row that differs, -1: none; text: "ctrl: step 12: ctrl[3] (elbow) is ..., action 11 gives
 * ...; 4 such". */
int64_t ph_ctrl_check_first(const ph_ctrl_check *check, char *text, size_t size);

#endif
