/* What the kinds of export share. */
#ifndef PLAYHEAD_EXPORT_PRIVATE_H
#define PLAYHEAD_EXPORT_PRIVATE_H

#include <playhead/export.h>
#include <playhead/number.h>

#include "npz.h"
#include "track.h"

/* Calls take with each word of a list separated by commas, blanks around it left out; stops at the
 * first failure. PH_EINVAL: there is no word. */
ph_status ph_words_each(const char *list, ph_status (*take)(void *arg, const char *word),
                        void *arg);

/* Adds n rows of the array that a track is part of, under the array's name, as the file has them:
 * its type and shape, rows first; alone: one row, without that dimension. Numbers that the type has
 * not are float64. */
ph_status ph_export_rows(ph_npz_writer *npz, const ph_episode *episode, const ph_track *array,
                         int64_t first, int64_t n, bool alone);

/* "ID: WORD: no such column; did you mean ...?" */
ph_status ph_export_unknown(const ph_tracks *tracks, const char *word);

/* "ID: steps A to B: it has steps C to D" */
ph_status ph_export_no_step(const ph_episode *episode, int64_t first, int64_t end, int64_t low,
                            int64_t high);

#endif
