/* robosuite's raw folder: an episode is a folder with model.xml and chunks state_<sec>_<frac>.npz,
 * each with some steps. What its reader and the joining of chunks share. */
#ifndef PLAYHEAD_READ_RAW_H
#define PLAYHEAD_READ_RAW_H

#include "foreign.h"
#include "npz.h"

/* Names of the chunks of a folder in the order of their times. */
typedef struct ph_raw_chunks {
  char **name; /* owned */
  size_t n;
} ph_raw_chunks;
ph_status ph_raw_chunks_list(ph_raw_chunks *out, const char *folder);
void ph_raw_chunks_clear(ph_raw_chunks *chunks);

/* Opens a chunk. PH_EINVAL: the path is too long. */
ph_status ph_raw_chunk_open(ph_npz **out, const char *folder, const char *name);
/* Whether an array is a chunk's states; `rows` x `width` then (0 x 0: none were recorded). */
bool ph_raw_is_states(const ph_npy *info, int64_t *rows, size_t *width);
/* Rows of pickled or plain actions in a chunk; -1: not known. Reads the pickled ones to their end,
 * so that the number can be believed, where `sure`. */
int64_t ph_raw_actions(const ph_npz *npz, bool sure);
/* 1 or 0 as the chunk says, -1 where it does not. */
int ph_raw_success(const ph_npz *npz);
/* ph_error() without the folder that is known anyway. */
const char *ph_raw_error(const char *folder);

/* Bytes of numbers that are kept of an episode: states and actions, and all beside them. */
#define PH_RAW_STATES_MAX ((size_t)128 << 20)
#define PH_RAW_SIDE_MAX ((size_t)64 << 20)

/* One array over all chunks. Rows that no chunk has are NaN. */
typedef struct ph_raw_series {
  ph_npy shape;                                             /* of the first chunk that has it */
  enum { PH_RAW_NUMBERS, PH_RAW_NAMED, PH_RAW_APART } kind; /* APART: it does not count steps */
  bool image;
  bool side; /* neither states nor actions */
  bool per_action;
  char note[160];
  size_t width;
  int64_t rows, room;
  double *data; /* owned */
} ph_raw_series;

/* All chunks of an episode. */
typedef struct ph_raw_rows {
  const char *folder;
  ph_raw_series *at;       /* owned */
  size_t n, dropped;       /* dropped: arrays beyond the limit of their number */
  int64_t states, actions; /* rows so far */
  size_t width;            /* of a state */
  size_t bytes[2];         /* of all data; [1]: of those at the side */
  size_t chunks;           /* that gave states */
  bool hole;               /* something is missing before the next chunk */
  char last[256];          /* name of the chunk before */
  double end, longest;     /* last time, and the longest step within a chunk [s] */
  int success;             /* 1, 0, -1: not known */
  bool silent;             /* a chunk does not say whether it succeeded */
  char env[64];
} ph_raw_rows;

ph_raw_series *ph_raw_find(const ph_raw_rows *rows, const char *name); /* NULL: none */
/* Named alone, with no rows yet. NULL: out of memory. */
ph_raw_series *ph_raw_add(ph_raw_rows *rows, const ph_npy *shape);
/* Bytes that numbers of the series, or of states (NULL), may still take. */
size_t ph_raw_left(const ph_raw_rows *rows, const ph_raw_series *series);
/* Appends n rows, of which *data may be taken over (then it is NULL); data NULL: of NaN.
 * PH_EREFUSED: too many bytes. PH_ENOMEM. */
ph_status ph_raw_append(ph_raw_rows *rows, ph_raw_series *series, double **data, int64_t n);
/* The same, but what is too large is given up. */
ph_status ph_raw_append_side(ph_raw_rows *rows, ph_raw_series *series, double **data, int64_t n);
/* It is named from now on; its numbers are not kept. */
void ph_raw_give_up(ph_raw_rows *rows, ph_raw_series *series);

/* Reads all chunks; what is odd or missing becomes a finding. PH_EREFUSED: the states take more
 * than is allowed; PH_ENOMEM. */
ph_status ph_raw_join(ph_raw_rows *out, ph_foreign *findings, const char *folder,
                      const ph_raw_chunks *chunks);
/* Hands the arrays over in the order of their names. */
ph_status ph_raw_hand_over(ph_foreign *out, ph_raw_rows *rows);
void ph_raw_rows_clear(ph_raw_rows *rows);

#endif
