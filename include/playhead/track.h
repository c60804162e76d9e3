/* Every stored number of an episode by name: what can be plotted and exported. A track is one
 * element of one column or channel; nothing is simulated. Names are those of the frame's signals
 * where both have the number. */
#ifndef PLAYHEAD_TRACK_H
#define PLAYHEAD_TRACK_H

#include <playhead/episode.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_tracks ph_tracks;

/* A channel with more numbers in a row (a depth picture) has no tracks; ph_export_npz takes it. */
#define PH_TRACK_WIDTH_MAX 4096

typedef struct ph_track {
  char name[160]; /* "time", "arm_elbow", "arm_elbow.v", "action[2]", "reward", "ctrl.grip",
                     "obs/eef_pos[2]", "states[12]" */
  const char *unit;
  char array[128];  /* column path or channel it is part of: "states", "actions", "obs/eef_pos" */
  ph_column column; /* PH_COL_COUNT: of a channel */
  int channel;      /* -1: of a column */
  int element;      /* in a row */
  int64_t rows;
  int shift; /* row r belongs to step r + shift: 1 for rewards and flags, they are outcomes */
} ph_track;

/* All tracks of an episode, by array in the schema's order, then channels; a name that two would
 * have stays with the first, the other is called by its place in its array. model (nullable) gives
 * the names. References neither: the episode must outlive it. *out is the caller's. PH_ENOMEM.
 * PH_EFORMAT: more than a million numbers a step. */
PH_API ph_status ph_tracks_make(ph_tracks **out, const ph_episode *episode, const ph_model *model);
PH_API void ph_tracks_free(ph_tracks *tracks); /* Nullable */

PH_API size_t ph_tracks_count(const ph_tracks *tracks);
PH_API const ph_track *ph_tracks_at(const ph_tracks *tracks, size_t i); /* NULL past the last */

/* The tracks that a person names: a name, a place from 0, the name of an array (all its elements),
 * a place in an array ("states[12]"), a name without its place ("action"), an actuator, or a
 * pattern ("arm_*"); what comes first in this list wins. places gets at most `room` of them in
 * order; returns how many there are. */
PH_API size_t ph_tracks_find(const ph_tracks *tracks, const char *what, size_t *places,
                             size_t room);

/* The track's values at n steps from `first`, NaN where a step has no row of it. What cannot be
 * read is NaN too; the status is then that of the first such block. Thread safe. */
PH_API ph_status ph_tracks_read(const ph_tracks *tracks, size_t i, int64_t first, int64_t n,
                                double *out);

/* Least and greatest of a span of steps. min > max: no number in it. */
typedef struct ph_span {
  double min, max;
} ph_span;

/* n spans that cut the steps first .. first+steps-1 into n parts of nearly equal length (part k
 * holds the steps from first + k*steps/n, and one at least), read in blocks of bounded memory.
 * cancel (nullable) is asked before each block: PH_ECANCELED. What cannot be read counts as no
 * number, as in ph_tracks_read. */
PH_API ph_status ph_tracks_spans(const ph_tracks *tracks, size_t i, int64_t first, int64_t steps,
                                 ph_span *out, size_t n, bool (*cancel)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif
#endif
