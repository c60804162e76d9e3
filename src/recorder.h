/* Recording into any sink. */
#ifndef PLAYHEAD_RECORDER_PRIVATE_H
#define PLAYHEAD_RECORDER_PRIVATE_H

#include <playhead/recorder.h>

#include "sink.h"

/* What a recorder of these options says of every episode; the sinks take it as their origin. The
 * provenance is allocated: *provenance is the caller's (free). */
ph_status ph_recorder_origin(ph_episode_meta *origin, char **provenance, const ph_model *model,
                             const ph_recorder_options *opt);

/* Records into a sink, which the recorder takes (freed on failure too). `path` is for messages. */
ph_status ph_recorder_open_sink(ph_recorder **out, ph_sink *sink, const char *path,
                                const ph_model *model, const ph_recorder_options *opt);

#endif
