/* What an episode stores, for other programs: text by step, arrays, one state. Nothing is
 * simulated, no number is rounded. Written files are new ones, whole or not at all. */
#ifndef PLAYHEAD_EXPORT_H
#define PLAYHEAD_EXPORT_H

#include <playhead/track.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_export_options {
  /* Nullable: all that are numbers. Else names as ph_tracks_find takes them, separated by commas;
   * PH_ENOTFOUND names one that is not there, and the nearest that are. */
  const char *columns;
  int64_t first, end; /* steps from first up to, not with, end; PH_EINVAL: there is none of them */
} ph_export_options;

/* Everything. */
#define PH_EXPORT_OPTIONS_INIT                                                                     \
  { NULL, INT64_MIN, INT64_MAX }

/* Takes a piece of text; false ends the export: PH_EIO. */
typedef bool (*ph_export_write)(void *arg, const char *text, size_t size);

/* CSV: a header "step" and the names of the tracks, then a line for each step; lines end in \n,
 * names are quoted where they must be. Every number reads back bit for bit; a field is empty where
 * a step has none. An array that is ahead or behind has its first or last row in a line of its own
 * outside the states. model, opt: nullable. Damage ends it (PH_ECORRUPT), at most a block late. */
PH_API ph_status ph_export_csv(const ph_episode *episode, const ph_model *model,
                               const ph_export_options *opt, ph_export_write write, void *arg);
/* The same into a new file. PH_EEXIST, PH_EIO. */
PH_API ph_status ph_export_csv_file(const char *path, const ph_episode *episode,
                                    const ph_model *model, const ph_export_options *opt);

/* NPZ: each column and each channel of numbers under its own name, in its own shape and type, with
 * the rows first .. end-1 of what it has: row t of rewards is the outcome of action t. A name in
 * `columns` that is no array but a track gives one line of float64, NaN where a step has none; of
 * whole numbers of 64 bits where each step has one, else PH_EINVAL if a double does not hold them.
 * PH_EEXIST, PH_EIO. */
PH_API ph_status ph_export_npz(const char *path, const ph_episode *episode, const ph_model *model,
                               const ph_export_options *opt);

/* One state as arrays with mjData's names: time, qpos, qvel, act, ctrl, qacc_warmstart, ...: those
 * that the episode has. Without a model that fits: its states row as it is, or what else it has in
 * that step. PH_EINVAL: no such step. */
PH_API ph_status ph_export_state_npz(const char *path, const ph_episode *episode, int64_t step);

/* One state as a line for the <keyframe> of its model; *out is the caller's (free). PH_ENOTFOUND:
 * no model says how a state divides. PH_EINVAL: no such step, or it is not finite. */
PH_API ph_status ph_export_key(char **out, const ph_episode *episode, int64_t step);

#ifdef __cplusplus
}
#endif
#endif
