/* Names and units of the numbers that a frame shows. */
#ifndef PLAYHEAD_SIGNALS_H
#define PLAYHEAD_SIGNALS_H

#include <playhead/replay.h>

/* Lists qpos, qvel, act, ctrl and mocap by dims, then sensors and body positions where the model
 * (nullable) is compiled. Each kind is one run in the order of its array, so that values can be
 * copied whole; a mocap body has seven: pos, quat. *out is the caller's (free). PH_ENOMEM. */
ph_status ph_signals_make(ph_signal **out, size_t *n, const ph_model *model, const ph_dims *dims);

#define PH_CHANNEL_SIGNALS 512 /* numbers of channels that a frame shows */

/* Appends the numbers of channels, a run for each in the order of the channels. Narrow ones are
 * taken first, as long as there is room for all their numbers. PH_ENOMEM: nothing is appended. */
ph_status ph_signals_add_channels(ph_signal **signals, size_t *n, const ph_channel *channels,
                                  size_t nchannels);

/* Appends the task's readouts. PH_ENOMEM: nothing is appended. */
ph_status ph_signals_add_readouts(ph_signal **signals, size_t *n, const ph_task *task);

/* "name", or the body's name for an unnamed joint of a compiled model, or "joint 3". */
void ph_signal_joint_name(const ph_model *model, int joint, char *out, size_t size);

#endif
