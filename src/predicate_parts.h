/* What the files of a predicate from outside share: the judge (predicate_command.c), the lines and
 * rows that it is sent (predicate_rows.c), the answers that are kept (predicate_cache.c). */
#ifndef PLAYHEAD_PREDICATE_PARTS_H
#define PLAYHEAD_PREDICATE_PARTS_H

#include <playhead/judge.h>
#include <playhead/replay.h>

#include "bytes.h"
#include "scene.h"

/* --- rows --- */

enum { PH_ROWS_COLUMNS = 12 };

/* One array of a row, in its order. */
typedef struct ph_rows_column {
  const char *name;
  int size;
} ph_rows_column;

/* The states of one episode as rows. References episode and model. */
typedef struct ph_predicate_rows {
  const ph_episode *episode;
  const ph_model *model; /* nullable */
  ph_replay *replay;
  ph_rows_column column[PH_ROWS_COLUMNS];
  int ncolumns;
  int width;       /* doubles in a row */
  double *action;  /* that leads to the next state; NaN before the first */
  ph_bytes header; /* what is the same in the line of every batch, without its braces */
} ph_predicate_rows;

/* model_path: of the file that the command may read; NULL: there is none. Errors of
 * ph_replay_create; PH_ENOTFOUND: there are no states. */
ph_status ph_predicate_rows_open(ph_predicate_rows *rows, const ph_episode *episode,
                                 const ph_model *model, const char *model_path);
void ph_predicate_rows_close(ph_predicate_rows *rows);
/* Appends the line and the rows of n states from `first` on, which follow those before. */
ph_status ph_predicate_rows_add(ph_predicate_rows *rows, int64_t first, int64_t n, ph_bytes *out);

/* --- the model as files --- */

typedef struct ph_model_files {
  char *folder;    /* NULL: none was made */
  int lock;        /* its descriptor, which keeps others from sweeping it away; with folder only */
  char sha256[65]; /* of the model that is there */
  char path[4200]; /* of its MJCF; "" where it has no text */
} ph_model_files;

/* Writes the model's text and assets into a new temporary folder, unless they are there. PH_EIO. */
ph_status ph_model_files_make(ph_model_files *files, const ph_model *model);
void ph_model_files_remove(ph_model_files *files);
/* Takes away what processes of this user left that were killed. */
void ph_model_files_sweep(void);

/* --- what is kept --- */

/* What a command is now: its text and the files that it names. */
typedef struct ph_command_look {
  char sha256[65];
  bool fresh;      /* one of them changed just now, and may change again and look the same */
  const char *why; /* what keeps its files from being known; NULL: they are */
} ph_command_look;
void ph_command_look_at(ph_command_look *out, const char *command);

/* Where an answer is kept, and what it is an answer to. */
typedef struct ph_predicate_key {
  char file[1000], other[1000]; /* "" where nothing is kept */
  char sha256[65];
  int64_t states;
} ph_predicate_key;

/* look: of the command. false: nothing can be kept, `why` says why not: the episode is of no file,
 * that or one of the command's changed just now, or those are not known. */
bool ph_predicate_key_make(ph_predicate_key *key, const char *command, const ph_command_look *look,
                           const ph_episode *episode, const ph_model *model, char *why,
                           size_t size);
/* false: there is none for this key, or it is damaged. */
bool ph_predicate_recall(uint8_t *bits, const ph_predicate_key *key);
/* PH_EIO. */
ph_status ph_predicate_keep(const uint8_t *bits, const ph_predicate_key *key);

#endif
