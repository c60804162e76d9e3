/* Tracks from inside: whole rows of the array that a track is part of. */
#ifndef PLAYHEAD_TRACK_PRIVATE_H
#define PLAYHEAD_TRACK_PRIVATE_H

#include <playhead/track.h>

/* Numbers in a row of a track's array. */
size_t ph_track_width(const ph_episode *episode, const ph_track *track);

/* Rows at the front of a column that hold nothing and are no rows of its tracks: row 0 of
 * ph_track_rows is the one behind them. */
int64_t ph_track_void(const ph_episode *episode, ph_column col);

/* n rows (not steps) from row `first` of the array that the track is part of, as doubles: n x
 * ph_track_width. Errors are those of ph_episode_read. Thread safe. */
ph_status ph_track_rows(const ph_episode *episode, const ph_track *track, int64_t first, int64_t n,
                        double *out);

/* The file's own array that the track is part of, whose row *first is row 0 of ph_track_rows; NULL:
 * there is none, or it is shown otherwise. */
const struct ph_array *ph_track_behind(const ph_episode *episode, const ph_track *track,
                                       int64_t *first);
/* The same rows as the file has them, the 64 bits of each number. Only where ph_track_whole. */
ph_status ph_track_whole_rows(const ph_episode *episode, const ph_track *track, int64_t first,
                              int64_t n, uint64_t *out);
/* Whether it is of whole numbers that a double may not hold; *is_signed: of int64. */
bool ph_track_whole(const ph_episode *episode, const ph_track *track, bool *is_signed);

/* Whether a model says how a states row divides. Else the file's own states are a channel, and the
 * column PH_COL_STATES is time alone. */
bool ph_track_divided(const ph_episode *episode);
/* Whether a column is something that the episode knows, and not covered by another. */
bool ph_track_shown(const ph_episode *episode, ph_column col);

/* The episode that the tracks are of; borrowed. */
const ph_episode *ph_tracks_episode(const ph_tracks *tracks);

/* Whether a word names the array: its path, without "playhead/" too, or a pattern for it. */
bool ph_track_in(const ph_track *track, const char *what);

/* "; did you mean 'obs/eef_pos'?" or "" into out, from names of tracks and of arrays; returns out.
 */
const char *ph_tracks_near(const ph_tracks *tracks, const char *what, char *out, size_t size);

#endif
