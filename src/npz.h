/* The only door to libzip: NumPy's .npz archives. Reading believes no length: every array is
 * checked against its member's size and against a limit before memory is taken. Pickled objects are
 * named, never read. */
#ifndef PLAYHEAD_NPZ_H
#define PLAYHEAD_NPZ_H

#include <playhead/schema.h>

typedef struct ph_npz ph_npz;

typedef struct ph_npy {
  char name[128]; /* of the array, without ".npy" */
  char descr[24]; /* NumPy's: "<f8", "|b1", "<U4", "|O" */
  char type[24];  /* in words: "float64", "bool", "object" */
  bool numeric;   /* can be read as numbers */
  bool fortran;   /* column-major in the file; what is read is row-major */
  ph_type stored; /* nearest of ours, where numeric */
  int rank;       /* 0: a scalar */
  int64_t dim[4];
  size_t count;  /* elements */
  char why[120]; /* why it cannot be read as numbers, in words; "" where it can */
} ph_npy;

/* Opens an archive and reads the headers of its arrays. A member that is damaged or no array is
 * listed with its reason. One thread at a time. PH_EIO, PH_EFORMAT: it is no archive at all. */
ph_status ph_npz_open(ph_npz **out, const char *path);
void ph_npz_close(ph_npz *npz); /* Nullable */
size_t ph_npz_count(const ph_npz *npz);
const ph_npy *ph_npz_info(const ph_npz *npz, size_t i);
size_t ph_npz_find(const ph_npz *npz, const char *name); /* SIZE_MAX: none */
/* A whole numeric array as doubles in row-major order; *out is the caller's (free). Float64 keeps
 * its bits. limit: bytes of *out at most, more is PH_EREFUSED. PH_EFORMAT: not of numbers.
 * PH_ECORRUPT: damaged, nothing is given. */
ph_status ph_npz_numbers(double **out, const ph_npz *npz, size_t i, size_t limit);
/* A scalar of text (U or S), escaped and cut to size. PH_EFORMAT: it is none. PH_ECORRUPT. */
ph_status ph_npz_text(const ph_npz *npz, size_t i, char *out, size_t size);
/* Reads a member to its end and gives nothing: whether its header can be believed. PH_EFORMAT,
 * PH_ECORRUPT. */
ph_status ph_npz_check(const ph_npz *npz, size_t i);

/* Writing: a new file, stored members in the order given, whole or not at all. */
typedef struct ph_npz_writer ph_npz_writer;
/* PH_EEXIST: the path is there already. */
ph_status ph_npz_create(ph_npz_writer **out, const char *path);
/* Copies data: dim[0] x ... elements of `type` (not PH_STRING) in row-major order; rank 0 to 4.
 * PH_EINVAL: a name that is empty, too long or there already. */
ph_status ph_npz_add(ph_npz_writer *npz, const char *name, ph_type type, int rank,
                     const int64_t *dim, const void *data);
/* The same by NumPy's name of the type ("|b1", "<f2", "<u8") and the bytes of an element. */
ph_status ph_npz_add_as(ph_npz_writer *npz, const char *name, const char *descr, size_t element,
                        int rank, const int64_t *dim, const void *data);
/* How an array is copied. */
typedef struct ph_npz_cut {
  int64_t keep; /* rows of its first dimension that are kept, from the first on; negative: all */
  bool last;    /* the last of them becomes 0 or 1 as `one` says */
  bool rest;    /* those before it become the other of the two */
  bool one;
  bool (*go_on)(void *arg); /* nullable: asked often; false stops it: PH_ECANCELED */
  void *arg;
} ph_npz_cut;
#define PH_NPZ_WHOLE ((ph_npz_cut){-1, false, false, false, NULL, NULL})
/* Whether the rows of an array can be cut so: NULL, or a static phrase that says why not. */
const char *ph_npz_cannot(const ph_npz *from, size_t i, const ph_npz_cut *cut);
/* Copies an array of another archive: its name, its type and the bytes of its elements, whatever
 * they are; packed. They are read by ph_npz_finish, a block at a time: `from` stays open until
 * then. PH_EFORMAT: it cannot be cut so. PH_ECORRUPT; what comes up later is the error of
 * ph_npz_finish. */
ph_status ph_npz_copy(ph_npz_writer *npz, const ph_npz *from, size_t i, const ph_npz_cut *cut);
/* Writes through a temporary sibling, fsync and rename; frees the writer, also on failure. */
ph_status ph_npz_finish(ph_npz_writer *npz);
void ph_npz_drop(ph_npz_writer *npz); /* Nullable: nothing is left behind */

#endif
