/* A predicate from outside: a command that says of recorded states whether they are a success, in
 * any language, so that a `_check_success` that is there already can judge.
 *
 * It is run by `/bin/sh -c`. On its standard input come batches of states of one episode: a line of
 * JSON, then `count` rows of `row` doubles (8 bytes each, in the order that `dtype` says: "<f8", or
 * ">f8" where the machine is big endian), nothing between:
 *   {"protocol": "playhead-predicate", "version": 1, "count": 256, "row": 61, "dtype": "<f8",
 *    "first": 0, "states": 501, "file": path, "episode": id, "control_dt": seconds,
 *    "columns": [{"name": "qpos", "at": 1, "size": 9}, ..],
 *    "joints": [{"name": .., "type": "free", "qpos": first, "qvel": first}, ..],
 *    "actuators": [name, ..], "mocap": [body, ..], "bodies": [name, ..], "sites": [name, ..],
 *    "sensors": [{"name": .., "at": first in sensordata, "size": ..}, ..],
 *    "model": path of the model's MJCF, or null,
 *    "edits": [{"field": "body_pos", "shape": [12, 3], "values": [..]}, ..]}
 * `first` is the step of the batch's first row. Columns, each where the file or the engine has it:
 * time, qpos, qvel, act, mocap_pos, mocap_quat, ctrl (in force at the state), action (that led to
 * it; NaN at step 0), and what the engine derives: xpos (3 a body), xquat (4 a body, w first),
 * site_xpos (3 a site), sensordata. `edits` are arrays of the model that this episode's reset
 * changed. The model's file is there, with its assets beside it, until a batch of an episode with
 * another model follows, which names another file: one that reads it does so at once. A row that
 * the engine cannot derive has NaN there.
 *
 * Each batch is answered by one line of `count` characters, 0 or 1, before the next one comes; it
 * has to be flushed. Standard error is for whatever else it has to say; its last line is in the
 * message when it fails. The end of its standard input is the end of its work.
 *
 * Answers are kept in the folder <path>.playhead-predicate beside the file (of a run: beside its
 * folder), or under $XDG_STATE_HOME/playhead where that folder is read-only, with a checksum. They
 * count as long as the file is the same (device, inode, size, times), the model is, the command is,
 * and so are the files that the command names; what a script reads beyond those is not looked at:
 * take the folder away to judge anew. A command of which one changed is started anew for the next
 * episode. The names are the command's words (and what is behind a '=' in them), seen from the
 * folder that this process is in. Nothing is kept of a command that is more than plain words
 * (quotes, \, `, $, ~, ;, &, |, <, >, #, !, brackets, *, ?, a second line), has the word cd or
 * names a folder: which files it reads is not known then. */
#ifndef PLAYHEAD_JUDGE_H
#define PLAYHEAD_JUDGE_H

#include <playhead/episode.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_judge ph_judge;

typedef struct ph_judge_options {
  double timeout; /* [s] that the answer to one batch may take; the first one has 60 s more */
  bool forget;    /* answers that are kept are not used, and replaced */
  /* Nullable: called before each batch and every 50 ms while an answer is waited for; true: it is
   * no longer waited for. */
  bool (*cancel)(void *user, int64_t step, int64_t states);
  void *user;
} ph_judge_options;
#define PH_JUDGE_OPTIONS_INIT                                                                      \
  { 60.0, false, NULL, NULL }

/* The command is started when it is first needed. opt is nullable; the rest is copied. PH_EINVAL:
 * an empty command, or a timeout that is no positive number. Belongs to one thread. */
PH_API ph_status ph_judge_open(ph_judge **out, const char *command, const ph_judge_options *opt);
/* Ends the command as ph_policy_close does; so does the end of this process. Nullable. */
PH_API void ph_judge_close(ph_judge *judge);
PH_API const char *ph_judge_command(const ph_judge *judge);

/* What the command says of every state of the episode: bits (as many as states) get 0 or 1.
 * model is nullable or uncompiled: then there is nothing derived. It must fit the episode.
 *
 * PH_EIO: it gave no answer in time, or ended; PH_EFORMAT: what it wrote is no answer. The text
 * names it, episode, step and reason, and it is ended at once; the next call starts it anew.
 * PH_ECANCELED. Errors of reading the episode. */
PH_API ph_status ph_judge_episode(uint8_t *bits, ph_judge *judge, const ph_episode *episode,
                                  const ph_model *model);

/* How the last ph_judge_episode went. */
typedef enum ph_judge_state {
  PH_JUDGE_FINE,   /* it answered, was not asked, or was not waited for */
  PH_JUDGE_FAILED, /* it did not answer for that episode: it may for others */
  PH_JUDGE_MISSING /* the command could not be started at all: no episode has a judge */
} ph_judge_state;
PH_API ph_judge_state ph_judge_state_of(const ph_judge *judge);

/* Whether the last answers had been kept from before, and "" or why they could not be kept. */
PH_API bool ph_judge_cached(const ph_judge *judge);
PH_API const char *ph_judge_note(const ph_judge *judge);

#ifdef __cplusplus
}
#endif
#endif
