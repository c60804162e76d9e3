/* What the kinds of export share. */
#ifndef PLAYHEAD_EXPORT_PRIVATE_H
#define PLAYHEAD_EXPORT_PRIVATE_H

#include <playhead/export.h>

#include "track.h"

#define PH_NUMBER_SIZE 32

/* The shortest decimal that reads back as the same bits, under the C locale; "" for NaN. Returns
 * its length. */
size_t ph_number_text(char out[PH_NUMBER_SIZE], double value);

/* Calls take with each word of a list separated by commas, blanks around it left out; stops at the
 * first failure. PH_EINVAL: there is no word. */
ph_status ph_words_each(const char *list, ph_status (*take)(void *arg, const char *word),
                        void *arg);

/* "ID: WORD: no such column; did you mean ...?" */
ph_status ph_export_unknown(const ph_tracks *tracks, const char *word);

/* "ID: steps A to B: it has steps C to D" */
ph_status ph_export_no_step(const ph_episode *episode, int64_t first, int64_t end, int64_t low,
                            int64_t high);

#endif
