/* Whether a model and a task belong to an episode. */
#ifndef PLAYHEAD_REPLAY_FIT_H
#define PLAYHEAD_REPLAY_FIT_H

#include <playhead/replay.h>

/* PH_EMISMATCH names what differs and both sides. model and task are nullable. */
ph_status ph_replay_fit(const ph_episode *episode, const ph_model *model, const ph_task *task);

#endif
