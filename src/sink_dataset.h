/* What only the sink of a dataset can be told. */
#ifndef PLAYHEAD_SINK_DATASET_H
#define PLAYHEAD_SINK_DATASET_H

#include "sink.h"

/* Asked often while `finish` reads back what was written, and last before the file gets its name.
 * An error of it is that of `finish`, and nothing is left then. */
typedef ph_status ph_sink_go_on(void *user);
void ph_sink_dataset_ask(ph_sink *sink, ph_sink_go_on *go_on, void *user);

#endif
