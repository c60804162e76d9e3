/* An episode in an own file: its facts (episode_meta.c), what is stored (episode_file.c,
 * episode_columns.c), and rows that are checked against the block checksums (episode_read.c). */
#ifndef PLAYHEAD_EPISODE_FILE_H
#define PLAYHEAD_EPISODE_FILE_H

#include <stdatomic.h>

#include <playhead/store.h>

#include "episode.h"
#include "h5.h"
#include "hash.h"
#include "model.h"

/* Deflate cannot do better than 1032 to 1: what claims more than this many times the file's size is
 * not believed. */
#define PH_INFLATE_MAX 1100

/* Between the paths in the attribute `columns` of playhead/crc. */
#define PH_CRC_SEPARATORS ", \n"

typedef struct ph_file_column {
  bool stored;
  hid_t dataset; /* open where rows go through HDF5, else H5I_INVALID_HID */
  ph_h5_array info;
  int64_t rows; /* stored ones; S columns of a file without final_state may have A+1 */
  size_t width; /* elements in a row */
  size_t row_bytes;
  const uint32_t *crc;    /* of each block; NULL: unchecked */
  atomic_uchar *verified; /* per block */
} ph_file_column;

typedef struct ph_file_backend {
  ph_backend base;
  char *file, *group;
  int fd;
  int64_t size; /* of the file when it was opened [B] */
  hid_t h5;     /* open while a column's dataset is */
  ph_file_column col[PH_COL_COUNT];
  uint32_t *crc;          /* columns x blocks, as stored */
  int64_t blocks, listed; /* shape of crc */
  atomic_uchar *verified; /* PH_COL_COUNT x blocks */
  void *final_state;      /* NULL: S = A */
  uint32_t final_crc;
} ph_file_backend;

/* The read and free of a ph_file_backend. */
ph_status ph_file_read(const ph_backend *backend, ph_column col, int64_t first, int64_t n,
                       void *out);
void ph_file_free(ph_backend *backend);

/* Opens every column of a demo group, checks its shape, reads checksums and the final state, and
 * sets S and the sizes in meta. facts is nullable. *edits: there are model edits. */
ph_status ph_columns_open(ph_file_backend *b, bool *edits, hid_t demo, ph_episode_meta *meta,
                          const ph_model_facts *facts);

/* Sniffs and opens; *h5 is the caller's. PH_EIO, PH_EFORMAT. */
ph_status ph_file_open(hid_t *h5, const char *file);

/* Whether there is such an object. Damage and what is refused are errors, not absence. */
ph_status ph_file_has(bool *yes, hid_t loc, const char *path);
/* Opens a group; H5I_INVALID_HID where there is none. */
ph_status ph_file_group(hid_t *out, hid_t loc, const char *path);

/* Whole dataset with its attribute `crc` checked; at most limit bytes. *out is the caller's.
 * PH_ECORRUPT. crc is nullable. */
ph_status ph_file_checked(void **out, size_t *size, uint32_t *crc, hid_t loc, const char *path,
                          int64_t limit);

/* Format name and version, and what the file says of its origin. PH_EFORMAT. */
ph_status ph_meta_root(ph_episode_meta *meta, hid_t file);
/* Attributes of a demo group, checked one by one; *provenance is the caller's. states is left to
 * whoever knows whether there is a final state. PH_EFORMAT. */
ph_status ph_meta_demo(ph_episode_meta *meta, char **provenance, hid_t group);
/* Both of these for one demo of an open file: names, attributes, and S. */
ph_status ph_meta_read(ph_episode_meta *meta, char **provenance, hid_t h5, const char *file,
                       const char *group);
/* Settles timestep and control_dt by that of the model (0: not known), and says so in meta->oddity
 * where env_args said otherwise. */
void ph_meta_clock(ph_episode_meta *meta, double timestep);
/* Sizes, timestep and names of /models/<sha256>. PH_EFORMAT. */
ph_status ph_meta_model(ph_model_facts *facts, hid_t model);
/* Names of the model's objects and where its joints are; cleared on failure. PH_EFORMAT. */
ph_status ph_names_read(ph_names *out, hid_t model, const ph_dims *dims, int64_t limit);
/* Whether the text is 64 lower-case hex digits. */
bool ph_meta_is_sha256(const char *text);

/* Facts of one demo for a list of episodes, from its attributes alone; id is the group's name. */
ph_status ph_episode_peek(ph_entry *out, const char *file, const char *group);
/* The same in an open file. */
ph_status ph_episode_peek_in(ph_entry *out, hid_t h5, const char *file, const char *group);
void ph_entry_from_meta(ph_entry *out, const ph_episode_meta *meta);

/* Facts of a model by its hash; NULL: not known. */
typedef const ph_model_facts *ph_facts_of(void *arg, const char *sha256);

/* ph_episode_open with the facts of its model from elsewhere, before those of the same file.
 * facts_of is nullable. */
ph_status ph_episode_open_with(ph_episode **out, const char *file, const char *group,
                               ph_facts_of *facts_of, void *arg);

/* What is content: facts, edits, checksum tables; the caller's. NULL: no checksum tables, or no
 * memory. */
char *ph_episode_content(size_t *size, const ph_episode *episode);

/* Puts "FILE: OBJECT: " in front of the error text unless it begins with the file already; returns
 * status, PH_OK too. object is nullable. */
ph_status ph_file_fail(ph_status status, const char *file, const char *object);

/* ph_error() without a leading "FILE: ", cut to fit. */
void ph_oddity(char *out, size_t size, const char *file);

#endif
