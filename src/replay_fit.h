/* Whether a model and a task belong to an episode. */
#ifndef PLAYHEAD_REPLAY_FIT_H
#define PLAYHEAD_REPLAY_FIT_H

#include <playhead/replay.h>

/* PH_EMISMATCH names what differs and both sides. model and task are nullable. */
ph_status ph_replay_fit(const ph_episode *episode, const ph_model *model, const ph_task *task);

/* What is other in a model than in the one that was recorded, the worst in words: "geom cup:
 * friction 0.6 -> 1, and 3 more". False: the recorded one cannot be had, or nothing is. */
bool ph_replay_model_change(const ph_episode *episode, const ph_model *model, char *out,
                            size_t size);

#endif
