/* One rollout of one env from reset to its end. An opened episode is immutable and may be shared
 * between threads; every row is read on demand, and in files of ours checked against its checksum
 * on first touch: files of others have none. */
#ifndef PLAYHEAD_EPISODE_H
#define PLAYHEAD_EPISODE_H

#include <playhead/finding.h>
#include <playhead/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_episode ph_episode;

/* When several meet in one step, the first of this order holds. */
#define PH_END_LIST(X)                                                                             \
  X(NAN, "nan")                                                                                    \
  X(SUCCESS, "success")                                                                            \
  X(TERMINATED, "terminated")                                                                      \
  X(TRUNCATED, "truncated")                                                                        \
  X(ABORTED, "aborted")                                                                            \
  X(SALVAGED, "salvaged")                                                                          \
  X(UNKNOWN, "unknown")

typedef enum ph_end {
#define PH_END_ENUM(id, name) PH_END_##id,
  PH_END_LIST(PH_END_ENUM)
#undef PH_END_ENUM
      PH_END_COUNT
} ph_end;

PH_API const char *ph_end_name(ph_end end);
PH_API ph_end ph_end_from_name(const char *name); /* PH_END_UNKNOWN where it is none */

/* Bits of the flags column. */
enum { PH_FLAG_TERMINATED = 1, PH_FLAG_TRUNCATED = 2, PH_FLAG_CLIPPED = 4, PH_FLAG_WARNED = 8 };

#define PH_SHA256_SIZE 65

/* All that is known of an episode besides its rows. Plain data; provenance is borrowed. */
typedef struct ph_episode_meta {
  char id[64];     /* "demo_17" */
  char file[512];  /* where it was read from; "" in memory */
  char group[128]; /* object path in that file, "/data/demo_17" */
  char writer[48]; /* "playhead 0.1.0" */
  char run_id[64];
  char created[40]; /* ISO 8601, UTC */
  char substrate[24];
  char rng[40];    /* name of the generator */
  int64_t actions; /* A */
  int64_t states;  /* S: A+1, or A where the last state is missing; a foreign file may lack more
                      actions: A <= S holds there */
  int env_id;
  int64_t episode; /* per env, from 0 */
  char seed[24];   /* decimal; the episode's own. "" unknown */
  ph_end end_reason;
  char end_detail[200];
  int success;              /* 1, 0, or -1: no task, not known */
  char success_source[120]; /* who says so, in words; "": the predicate, by the recorded task */
  char determinism[48];     /* unchecked | bitwise | tol(x) | fails(t) */
  char model_sha256[PH_SHA256_SIZE];
  char task_sha256[PH_SHA256_SIZE]; /* "" without a task */
  double hold_seconds;              /* in force; negative: no task */
  int64_t hold_steps;
  char env_name[64]; /* the task's name */
  char recipe[24];   /* step | forward_step | step1_step2 */
  char derived[8];   /* fresh | stale */
  char engine[24];   /* mujoco, or another's name */
  char parent[200];
  const char *provenance; /* JSON array, newest last; "[]" at least */
  double control_dt;      /* [s] one control step; 0 unknown */
  double timestep;        /* [s] one substep; 0 unknown */
  ph_dims dims;
  /* What follows is "" in files of playhead's own format. */
  char layout[24];       /* "robosuite", "robomimic", "LIBERO", "MimicGen", "RoboCasa", "arrays" */
  char rate_source[120]; /* what control_dt was taken from, in words */
  char controller[64];   /* what the actions feed, "OSC_POSE"; "": not known */
  char instruction[200]; /* what the episode was told to do, in the file's words */
  char oddity[160];      /* "" or where the file contradicts itself, in a sentence; not stored */
} ph_episode_meta;

PH_API void ph_episode_free(ph_episode *episode); /* Nullable */

/* Borrowed, as long as the episode. */
PH_API const ph_episode_meta *ph_episode_meta_of(const ph_episode *episode);

/* Whether the column is stored. PH_COL_STATES covers final_state. */
PH_API bool ph_episode_has(const ph_episode *episode, ph_column col);

/* Rows of a column: A or S. 0 when it is not stored. */
PH_API int64_t ph_episode_rows(const ph_episode *episode, ph_column col);

/* Reads n rows from first into out (n x ph_schema_width elements of the column's type). For
 * PH_COL_STATES row A is final_state. PH_ENOTFOUND: not stored. PH_EINVAL: outside.
 * PH_ECORRUPT: checksum; nothing useful is in out. Thread safe. */
PH_API ph_status ph_episode_read(const ph_episode *episode, ph_column col, int64_t first, int64_t n,
                                 void *out);

/* The type in which the file holds a column; the schema's where it is not stored. Foreign files may
 * be poorer than what ph_episode_read gives: PH_F32 states cannot be EXACT. */
PH_API ph_type ph_episode_stored_type(const ph_episode *episode, ph_column col);

/* --- what else the file holds per step --- */

typedef enum ph_channel_kind {
  PH_CHANNEL_NUMBERS, /* can be read, plotted, exported */
  PH_CHANNEL_IMAGE,   /* uint8 H x W x 1, 3 or 4, or one encoded picture a row: named, not shown */
  PH_CHANNEL_OTHER,   /* text, objects, ...: named, not shown; the note says why */
} ph_channel_kind;

/* One array of the file whose first dimension counts rows and that is no column of the schema.
 * Plain data. */
typedef struct ph_channel {
  char name[128]; /* path under the episode, "obs/robot0_eef_pos" */
  ph_channel_kind kind;
  char type[24]; /* as the file has it, "float32", "uint8", "bool" */
  int rank;      /* with the rows */
  int64_t dim[4];
  int64_t rows;   /* dim[0] */
  size_t width;   /* numbers in a row; 0 for those that are not read */
  int shift;      /* row r belongs to step r + shift */
  char note[160]; /* "" or a sentence: what it lags or leads, why it is not shown */
} ph_channel;

/* All of them: states first, then by name, those under obs/ and then those under next_obs/ last;
 * *n may be 0. Borrowed. */
PH_API const ph_channel *ph_episode_channels(const ph_episode *episode, size_t *n);

/* Reads n rows from row `first` of a channel of numbers, as doubles (n x width). PH_EINVAL:
 * outside, or not of numbers. Thread safe. */
PH_API ph_status ph_episode_channel_read(const ph_episode *episode, size_t channel, int64_t first,
                                         int64_t n, double *out);

/* What is odd about it, and what of the file is missing or cannot be shown; *n may be 0. Borrowed.
 */
PH_API const ph_finding *ph_episode_findings(const ph_episode *episode, size_t *n);

/* Model fields that this episode's reset changed; *n may be 0. Borrowed. */
PH_API const ph_edit *ph_episode_edits(const ph_episode *episode, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
