/* The recorder takes rows, not envs: plain arrays, so a process with its own simulator can use it.
 * Action t arrives together with row t+1, so every row given completes a transition. Each episode
 * is one file, written whole, verified, and renamed into place; until then its rows are in the
 * env's journal, where a killed process leaves them for ph_salvage_run.
 *
 * Threads: begin, rows, end and discard of different envs may run at the same time; for one env one
 * call at a time. open, watch and close belong to one thread, with nothing else at work. */
#ifndef PLAYHEAD_RECORDER_H
#define PLAYHEAD_RECORDER_H

#include <playhead/env.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_recorder ph_recorder;

/* What to do where the folder holds a run already. */
typedef enum ph_existing {
  PH_EXISTING_REFUSE,
  PH_EXISTING_APPEND,   /* go on with its numbering; same model, task and control_steps only. Every
                           episode in it is opened first, once: its header and facts are checked;
                           rows are not read: ph_verify_episode does that */
  PH_EXISTING_OVERWRITE /* take the run away first; only what a recorder has written, and no journal
                           with a finished step in it */
} ph_existing;

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
  int action_state;     /* length of action_state in rows; ignored where action_dim is the task's */
  bool ctrl_substeps;   /* rows will carry ctrl of every substep */
  bool compress;        /* 64-row chunks with shuffle, deflate and fletcher32 */
  bool behind;          /* a thread of the recorder's own commits: ph_recorder_end does not wait */
  ph_existing existing;
  /* Nullable. Told once of each cause that keeps rows from the disk (path and reason in one line),
   * and again when it is gone; one line at a time, from any thread that records, and the recorder's
   * own. It must not call the recorder. */
  void (*warn)(void *user, const char *line);
  void *user;
  /* Nullable. As warn, and told instead of it that a cause is gone, and how many episodes of which
   * run were taken away by overwriting. */
  void (*relief)(void *user, const char *line);
  /* Who chooses the actions, for the episodes' provenance. Both nullable: it does not say so then.
   * PH_EINVAL where the command is too long for it (some 30 000 bytes). */
  const char *policy;         /* "task", "command", ... */
  const char *policy_command; /* as it was given */
  /* Nullable. Where it is there, physics of each episode is run again before the episode is
   * written, on the thread that commits it, and its attribute `determinism` says what came of it:
   * bitwise, tol(x), fails(t). Told of each that fails, and of each that cannot be run or checked
   * and stays unchecked: they are saved all the same. It must not call the recorder. */
  void (*unverified)(void *user, const char *line);
} ph_recorder_options;
#define PH_RECORDER_OPTIONS_INIT                                                                   \
  {                                                                                                \
    NULL, NULL, NULL, NULL, NULL, NULL, -1.0, 0, 0, 0, false, false, false, PH_EXISTING_REFUSE,    \
        NULL, NULL, NULL, NULL, NULL, NULL                                                         \
  }

/* Tally of a recording: resets = commits + discards once it is closed and nothing was lost. */
typedef struct ph_tally {
  int64_t resets, commits, discards, steps;
  int64_t saved_steps; /* those in episodes that were saved */
  int64_t missing; /* commits that are not in the folder at the end: it was taken away or emptied,
                      or another one has its place and they were written beside it */
  int64_t failed;  /* episodes that could not be written; their rows are kept until close */
  int64_t by_end[PH_END_COUNT];
  /* What physics run again came to, of those saved: bitwise, tol(x), fails(t), neither. All 0 where
   * that was not asked for. */
  int64_t bitwise, within, failing, unchecked;
} ph_tally;

/* Makes a new run_id from time and process, "20260131T120000Z-4711-0f3a2"; 64 bytes have room. */
PH_API void ph_recorder_make_run_id(char *out, size_t size);

/* Creates the run directory with the folders above it, and writes run.h5 (model, task): it is there
 * when this returns PH_OK, once and for all. The folder is locked until the recorder is closed.
 * Model and task are referenced, the rest of the options is copied. PH_EEXIST: `path` holds
 * episodes or what no recorder has written, or steps of a killed one, or another one writes there;
 * what a run left that ended before its first episode gives way. PH_EINVAL: the options do not say
 * control_steps, or the hold is 0 steps, or the path is too long for its files to be opened again.
 * PH_EMISMATCH: the run that is appended to is of another model, task or size, or an episode of it
 * is missing, cannot be opened or has an oddity: it is named. PH_EIO. */
PH_API ph_status ph_recorder_open(ph_recorder **out, const char *path, const ph_model *model,
                                  const ph_recorder_options *opt);

/* An episode that has ended and had a row, as it is told of. Strings are valid during the call. */
typedef struct ph_recorded {
  int env_id;
  int64_t episode; /* its number */
  uint64_t seed;
  int64_t actions; /* rows */
  ph_end end;
  int success;
  const char *detail;
  ph_status status;  /* PH_OK: it is in its place; else its rows are kept */
  const char *error; /* why; NULL with PH_OK */
} ph_recorded;

/* Tells of each episode whose commit succeeded, or failed for the first time: one at a time, from
 * any thread that commits. It must not call the recorder. NULL: nobody. */
PH_API void ph_recorder_watch(ph_recorder *rec,
                              void (*ended)(void *user, const ph_recorded *episode), void *user);

/* Starts an episode of an env: its seed, what its reset changed (n edits), row 0. All is copied.
 * Ids start at 0 and need not be dense; an env's episodes are numbered from 0 in order of begin.
 *
 * Row 0 must have `state`, `warmstart` where nv > 0, `ctrl` where nu > 0, `predicate` where the
 * task has a success condition, `action_state` where the options or the task give it a length. The
 * other pointers may be NULL: the model's reset value is meant then, in all rows. The later rows of
 * the episode must have the same columns as row 0. PH_EINVAL names the column that is missing or
 * not finite, or says that the env's last episode has not ended; nothing has begun then. */
PH_API ph_status ph_recorder_begin(ph_recorder *rec, int env_id, uint64_t seed,
                                   const ph_edit *edits, size_t n, const ph_row *row0);

/* An episode whose reset left nothing to record, a row 0 that is not finite for one: counts as a
 * reset and a discard, and its number is not used again. PH_EINVAL: as ph_recorder_begin. */
PH_API ph_status ph_recorder_skip(ph_recorder *rec, int env_id);

/* One transition for each of n envs; arrays are parallel to env_ids: action[i] (action_dim),
 * reward[i], flags[i] (PH_FLAG_*), row[i]. All is copied. ctrl_substeps (control_steps x nu each)
 * is required with the option of that name, else ignored. A non-finite action or state is refused
 * with PH_EINVAL naming it, and is not a row; after any error none of the n is recorded. */
PH_API ph_status ph_recorder_rows(ph_recorder *rec, const int *env_ids, size_t n,
                                  const double *const *action, const double *const *ctrl_substeps,
                                  const double *reward, const uint8_t *flags, const ph_row *row);

/* Ends an episode: success is 1, 0 or -1 (no task); detail is nullable, of at most 199 bytes, and
 * copied. The file is complete on disk when this returns PH_OK. With no row at all the episode is
 * discarded and counted. After PH_EIO the env may begin its next episode: the rows are kept and
 * tried again by close.
 *
 * With the option `behind` PH_OK says that the episode is in the line of those to be committed: its
 * rows are in a journal of its own until then, where a killed process leaves them. Where the line
 * is long this waits until it is shorter. ph_recorder_watch tells what became of each. */
PH_API ph_status ph_recorder_end(ph_recorder *rec, int env_id, ph_end reason, int success,
                                 const char *detail);
/* Returns when no episode is in the line any more. */
PH_API void ph_recorder_flush(ph_recorder *rec);
/* Drops the rows of the running episode; its number is not used again. */
PH_API ph_status ph_recorder_discard(ph_recorder *rec, int env_id);

/* The number that the env's next episode gets: what ran and, where a run is appended to, what is on
 * disk counts. */
PH_API int64_t ph_recorder_next_episode(const ph_recorder *rec, int env_id);

/* Writes the episodes that run in these envs, as far as they have come, as one dataset (end_reason
 * `aborted`, lengths of their own); recording goes on, and nothing of it changes. Envs without an
 * episode or without a row in it are left out; PH_EINVAL: none is left, an id is given twice or not
 * known. PH_EEXIST: path is there. PH_EIO. Not while another thread records these envs. */
PH_API ph_status ph_recorder_save_trajectory(ph_recorder *rec, const char *path, const int *env_ids,
                                             size_t n);

/* Tries the episodes that could not be written again, now; close and each commit that succeeds do
 * so too. PH_OK: none is left. */
PH_API ph_status ph_recorder_retry(ph_recorder *rec);

/* A snapshot, while others record. */
PH_API void ph_recorder_tally_now(const ph_recorder *rec, ph_tally *out);

/* Both are borrowed until the recorder is closed. The path is as it was given. */
PH_API const char *ph_recorder_path(const ph_recorder *rec);
PH_API const char *ph_recorder_run_id(const ph_recorder *rec);

/* Saves unfinished episodes as `aborted`, tries failed commits again. A run without any episode is
 * taken away again, with its folder if ph_recorder_open has made that. Where another folder has the
 * run's place, what is left to write becomes a run of its own in a new folder beside it,
 * <path>-<run_id>, which is told of. The recorder is freed either way. *tally is nullable and gets
 * the last counts.
 *
 * PH_OK: whatever was in the way meanwhile, every episode that was not discarded is in the folder.
 * PH_EIO: something that was to be there is not, and what and why is named: an episode could not be
 * written, is beside it, or was committed and is gone. */
PH_API ph_status ph_recorder_close(ph_recorder *rec, ph_tally *tally);

#ifdef __cplusplus
}
#endif
#endif
