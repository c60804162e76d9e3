/* Episodes of other people's formats. A reader lists the episodes of a path and hands one over as a
 * ph_foreign: arrays as they lie in the file, which of them is what, and where the model is. What
 * follows is the same for all of them and is done here: whether the model fits, rate, columns,
 * channels, findings. Alignment is data: shifts in the hand-over, set from the reader's table of
 * layouts. */
#ifndef PLAYHEAD_FOREIGN_H
#define PLAYHEAD_FOREIGN_H

#include <playhead/store.h>

#include "episode.h"
#include "h5.h"

/* One array whose first dimension counts rows. */
typedef struct ph_array ph_array;
struct ph_array {
  ph_channel channel; /* what it is; bounds are checked against it */
  ph_type stored;     /* nearest of ours */
  /* n rows from `first` as doubles (n x channel.width); NULL: not of numbers. Thread safe. */
  ph_status (*read)(const ph_array *array, int64_t first, int64_t n, double *out);
  /* The same as they are, the 64 bits of each; NULL but for whole numbers that a double may not
   * hold: channel.type is "int64" or "uint64". Thread safe. */
  ph_status (*read_whole)(const ph_array *array, int64_t first, int64_t n, uint64_t *out);
  void (*close)(void *source); /* Nullable */
  void *source;
  int64_t together; /* rows that are unpacked together, so best read together; 0: none are */
};

/* Why its rows cannot be taken as numbers, one of them at least; NULL: they can. Borrowed. */
const char *ph_array_fault(const ph_array *array);
/* Rows as doubles, also from before the first: those (an action that nobody took) are NaN. Errors
 * of its read. */
ph_status ph_array_shifted(const ph_array *array, int64_t first, int64_t n, double *out);
/* The first number of each of the first n rows of an array of numbers, read in blocks. PH_ENOMEM;
 * errors of its read. */
ph_status ph_array_first(const ph_array *array, int64_t n, double *out);
/* Median of the positive differences of n times; 0: there is none. gaps: room for n numbers, may be
 * `time` itself. */
double ph_median_gap(double *gaps, const double *time, int64_t n);
/* Whether an array of that name, type in words and shape holds a picture per row; *note is set
 * where there is more to say. */
bool ph_is_picture(const char *name, const char *type, int rank, const int64_t dim[4],
                   const char **note);
/* Appends a sentence to those in out, "; " between; one that is cut ends in "...". */
void ph_say_also(char *out, size_t size, const char *sentence);

/* What a reader knows of one episode. Places in arrays are -1 where there is none. */
typedef struct ph_foreign {
  /* Set by the reader: id, file, group, layout, writer, created, seed, env_id, episode, env_name,
   * controller, instruction, success and success_source (where an attribute or a group says it).
   * Lengths, dims, rate, end and what is left follow. */
  ph_episode_meta meta;
  ph_array *arrays; /* owned, in the order of their names */
  size_t narrays;
  int states;        /* flat rows: time (where `timed`), qpos, qvel, act */
  int actions;       /* -1: none, or not readable; a finding says which */
  int rewards;       /* per action */
  int dones;         /* per action */
  int success;       /* per action, 1: its outcome is a success */
  bool success_near; /* a 1 that rounding has changed is one, too */
  bool joined;       /* states are made of other arrays, which are channels of their own */
  bool timed;        /* the first number of a state is its time */
  int action_shift;  /* the action taken at state t is row t + action_shift */
  double dt;         /* [s] of a control step as the file says; 0: it does not */
  char dt_source[96];
  bool has_hold;    /* it says how long success had to hold: */
  double hold;      /* [s] */
  char *provenance; /* owned; a JSON array of steps, newest last; NULL: none is told */
  char *model_text; /* owned; NULL: none is named or it cannot be had */
  size_t model_size;
  char model_path[512];  /* the file it is from; its folder may be read */
  char model_fault[320]; /* "" or why there is no text */
  ph_finding *findings;  /* owned */
  size_t nfindings;
  size_t unlisted;   /* findings beyond the limit of their number, which the last one says */
  int64_t time_back; /* step where the reader has said that the time goes back; 0: it has not */
  bool time_odd;     /* a finding says that the times are not even */
} ph_foreign;

#define PH_SUCCESS_NEAR 1e-3 /* from 1, where success_near */

/* Closes the arrays and frees what it owns; the struct is the caller's. */
void ph_foreign_clear(ph_foreign *foreign);
/* A new array at the end, zeroed but for its name; NULL: out of memory, said in ph_error(). What
 * was given before may have moved. */
ph_array *ph_foreign_add(ph_foreign *foreign, const char *name);
/* Adds a sentence; a failure to do so is only a sentence less. Beyond 1000 the last says how many
 * more there are. */
void ph_foreign_find(ph_foreign *foreign, ph_finding_kind kind, int64_t step, const char *fmt, ...)
    PH_PRINTF(4, 5);

/* The episode, with the model if it fits: the width of a state decides (1+nq+nv, +na; without the
 * time where it is not timed). Without one, or with one that does not fit, the states are a channel
 * whose numbers have no names, and meta.model_sha256 is "" with a finding that says which numbers
 * were compared. Takes what foreign owns, also on failure. model and why (that there is none) are
 * nullable. */
ph_status ph_foreign_episode(ph_episode **out, ph_foreign *foreign, const ph_model *model,
                             const char *why);

/* --- readers --- */

typedef struct ph_group_list { /* a named group of episodes */
  char name[64];
  char **ids; /* owned */
  size_t n;
} ph_group_list;

/* What a path holds: ids and group paths of its episodes in natural order, nothing more. */
typedef struct ph_scan {
  char layout[24];
  ph_entry *entries; /* owned; actions and states are -1 */
  size_t n;
  ph_group_list *groups; /* owned */
  size_t ngroups;
} ph_scan;
void ph_scan_clear(ph_scan *scan);

typedef struct ph_reader {
  const char *name;
  bool folder; /* reads folders; h5 is H5I_INVALID_HID then */
  /* Whether the path is one of its own. Cheap; damage is no. */
  bool (*detect)(const char *path, hid_t h5);
  ph_status (*scan)(ph_scan *out, const char *path, hid_t h5);
  /* Lengths, success, end and oddity of one entry, from shapes and attributes. */
  ph_status (*look)(ph_entry *entry, hid_t h5);
  /* *out is zeroed; cleared by the reader on failure. */
  ph_status (*open)(ph_foreign *out, const char *file, const char *group, hid_t h5);
} ph_reader;

extern const ph_reader
    ph_read_demos;                  /* /data/demo_N: robosuite, robomimic, LIBERO, MimicGen, ... */
extern const ph_reader ph_read_raw; /* robosuite's raw folder: ep_.../state_*.npz and model.xml */
extern const ph_reader ph_read_bigym;      /* a folder of BiGym's demonstrations */
extern const ph_reader ph_read_bigym_file; /* one of them, which is no HDF5 */
extern const ph_reader ph_read_arrays; /* any HDF5 whose arrays mostly share a first dimension */

/* The reader for a path, the most special first; NULL: none. */
const ph_reader *ph_reader_for(const char *path, bool folder, hid_t h5);
/* The reader of a file that is no HDF5; NULL: none. Asked before HDF5 opens it; h5 is
 * H5I_INVALID_HID for all that it does. */
const ph_reader *ph_reader_plain(const char *path);

/* An array of an HDF5 file as a ph_array: opens the dataset below loc, describes it (kind by type
 * and shape: uint8 H x W x C and encoded pictures are images), and reads numbers on demand: pread
 * where the bytes lie as they are, else through the library. What cannot be read becomes a channel
 * of kind OTHER with the reason, and PH_OK. The file stays open as long as the array. PH_ENOMEM. */
ph_status ph_array_h5(ph_array *array, hid_t loc, const char *path);

#endif
