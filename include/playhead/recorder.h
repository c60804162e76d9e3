/* The recorder takes rows, not envs: plain arrays, so a process with its own simulator can use it.
 * Action t arrives together with row t+1, so every row given completes a transition. Each episode
 * is one file, written whole, verified, and renamed into place. Belongs to one thread. */
#ifndef PLAYHEAD_RECORDER_H
#define PLAYHEAD_RECORDER_H

#include <playhead/env.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_recorder ph_recorder;

typedef struct ph_recorder_options {
  const ph_task *task;  /* Nullable */
  const char *env_name; /* Nullable: the task's name, else the model's file name */
  const char *recipe;   /* Nullable: "step" */
  const char *engine;   /* Nullable: "mujoco" */
  const char *derived;  /* Nullable: "fresh" */
  const char *run_id;   /* Nullable: ph_recorder_make_run_id */
  double hold_seconds;  /* in force; negative: the task's */
  int control_steps;    /* 0: the task's */
  int action_dim;       /* 0: the task's terms give it, else nu */
  int action_state;     /* length of action_state in rows */
  bool ctrl_substeps;   /* rows will carry ctrl of every substep */
} ph_recorder_options;
#define PH_RECORDER_OPTIONS_INIT                                                                   \
  { NULL, NULL, NULL, NULL, NULL, NULL, -1.0, 0, 0, 0, false }

/* Tally of a recording: resets = commits + discards when nothing was lost. */
typedef struct ph_tally {
  int64_t resets, commits, discards, steps;
  int64_t failed; /* commits that could not be written; their rows are kept until close */
  int64_t by_end[PH_END_COUNT];
} ph_tally;

/* Makes a new run_id from time and process, "20260131T120000Z-4711-0f3a2"; 64 bytes have room. */
PH_API void ph_recorder_make_run_id(char *out, size_t size);

/* Creates the run directory and writes run.h5 (model, task). PH_EEXIST: `path` holds a run. */
PH_API ph_status ph_recorder_open(ph_recorder **out, const char *path, const ph_model *model,
                                  const ph_recorder_options *opt);

/* Starts an episode of an env: its seed, what its reset changed (n edits, copied), row 0. */
PH_API ph_status ph_recorder_begin(ph_recorder *rec, int env_id, uint64_t seed,
                                   const ph_edit *edits, size_t n, const ph_row *row0);

/* One transition for each of n envs; arrays are parallel to env_ids: action[i] (action_dim),
 * reward[i], flags[i], row[i]. ctrl_substeps is nullable (control_steps x nu each). A non-finite
 * action or state is refused with PH_EINVAL naming it, and is not a row. */
PH_API ph_status ph_recorder_rows(ph_recorder *rec, const int *env_ids, size_t n,
                                  const double *const *action, const double *const *ctrl_substeps,
                                  const double *reward, const uint8_t *flags, const ph_row *row);

/* Ends an episode: success is 1, 0 or -1 (no task). The file is complete on disk when this
 * returns PH_OK. With no row at all the episode is discarded and counted. */
PH_API ph_status ph_recorder_end(ph_recorder *rec, int env_id, ph_end reason, int success,
                                 const char *detail);
PH_API ph_status ph_recorder_discard(ph_recorder *rec, int env_id);

PH_API const ph_tally *ph_recorder_tally(const ph_recorder *rec);
PH_API const char *ph_recorder_path(const ph_recorder *rec);
PH_API const char *ph_recorder_run_id(const ph_recorder *rec);

/* Saves unfinished episodes as `aborted`, tries failed commits again. PH_EIO names what could not
 * be written; the recorder is freed either way. *tally is nullable. */
PH_API ph_status ph_recorder_close(ph_recorder *rec, ph_tally *tally);

#ifdef __cplusplus
}
#endif
#endif
