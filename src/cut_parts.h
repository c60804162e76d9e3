/* Internal: what ph_cut hands on to a layout. The caller has checked neither the list nor the name:
 * each layout does, and leaves nothing behind where it refuses. */
#ifndef PH_CUT_PARTS_H
#define PH_CUT_PARTS_H

#include <playhead/cut.h>

/* A folder of BiGym batches: metadata.json beside <timestamp>_<index>_<length>.npz. */
bool ph_cut_is_batch(const char *source);

/* As ph_cut; ids of the plan are names of files. */
ph_status ph_cut_batch(const char *out, const char *source, const ph_cut_episode *plan, size_t n,
                       const ph_cut_options *opt, ph_cut_tally *tally);

#endif
