/* Why an episode cannot be run again. */
#ifndef PLAYHEAD_GUARANTEE_H
#define PLAYHEAD_GUARANTEE_H

#include <playhead/replay.h>

/* Whether ph_episode_guarantee would say STATES ONLY; writes why. model and task are nullable.
 * control_steps: substeps of a step that someone else knows of; 0: nobody. */
bool ph_states_only(const ph_episode *episode, const ph_model *model, const ph_task *task,
                    int control_steps, char *why, size_t size);

#endif
