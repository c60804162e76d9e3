/* Files that were cut off or never closed, through the HDF5 door: opened with a first block as it
 * would be if they had been closed, listed as far as their lists go, measured by what of their rows
 * is there, copied as they are. Only read; only in the process of ph_child_fork, since the library
 * may die of such bytes. */
#ifndef PLAYHEAD_H5_DAMAGED_H
#define PLAYHEAD_H5_DAMAGED_H

#include "h5.h"

/* How much of a file is there. */
typedef struct ph_h5_cut {
  uint64_t size;  /* of the file [B] */
  uint64_t end;   /* behind it there is nothing, or zeros alone */
  uint64_t wants; /* where the file should end; UINT64_MAX: its first block does not say */
  bool marked;    /* with the mark of an open writer */
} ph_h5_cut;

/* Looks at a file without the library. PH_EIO; PH_EFORMAT: what stands there instead, or that its
 * first block is not whole. */
ph_status ph_h5_cut_of(ph_h5_cut *out, const char *path);
/* Opens what there is up to cut->end. PH_EIO, PH_EFORMAT. */
ph_status ph_h5_open_cut(hid_t *out, const char *path, const ph_h5_cut *cut);

/* Called with bytes that were read since the last call, so that long work can say that it goes on.
 */
typedef void ph_h5_tick(void *arg, uint64_t bytes);

/* --- what is in it --- */

typedef struct ph_h5_member {
  char *name; /* owned */
  ph_h5_kind kind;
  uint64_t address; /* of its header; UINT64_MAX: a link that is not hard */
  char why[120];    /* PH_H5_BROKEN, PH_H5_LINK: what is wrong with it; else "" */
} ph_h5_member;

/* As many members of a group as can be found; *whole: its list did not break off. *out is the
 * caller's (ph_h5_members_free). PH_ENOMEM. */
ph_status ph_h5_members(ph_h5_member **out, size_t *n, bool *whole, hid_t group);
void ph_h5_members_free(ph_h5_member *members, size_t n);
/* Whether the header of that object is read without pieces that are lost: attributes, as a rule. */
bool ph_h5_is_mended(hid_t file, uint64_t address);
bool ph_h5_is_group(hid_t object);
/* Opens the object with its header there. PH_EFORMAT. */
ph_status ph_h5_at(hid_t *out, hid_t file, uint64_t address);

/* Addresses of all headers in the file that can be read, whether a list leads to them or not, in
 * their order. *out is the caller's (free), on failure too. PH_ENOMEM. */
ph_status ph_h5_carve(uint64_t **out, size_t *n, hid_t file, ph_h5_tick *tick, void *arg);

/* --- what can be taken --- */

typedef struct ph_h5_extent {
  int rank;
  int64_t rows, good; /* first dimension (1: a scalar), and how many from the first are there */
  size_t row_bytes;
  uint64_t end;  /* of what lies in the file as it is; 0: of others */
  bool text;     /* of texts or lists of their own length */
  bool chunked;  /* else as it lies, or in the header */
  bool checked;  /* what is good was unpacked to see that it is */
  char why[160]; /* what is wrong with the row behind the last good one; "" */
} ph_h5_extent;

/* Reads all of a dataset. why says what cannot be taken at all, too (good is 0). */
void ph_h5_measure(ph_h5_extent *out, hid_t dataset, ph_h5_tick *tick, void *arg);
/* The first n rows (at most good) as bytes of ph_type `type`, which the file has them in. */
ph_status ph_h5_extent_read(hid_t dataset, const ph_h5_extent *extent, ph_type type, int64_t first,
                            int64_t n, void *out);
/* Whether the elements are exactly of that type. */
bool ph_h5_has_type(hid_t dataset, ph_type type);

/* Writes the first n rows as a dataset of the same type, layout and filters; its attributes are
 * another call's. PH_EIO; PH_EFORMAT: this cannot be copied. */
ph_status ph_h5_copy_rows(hid_t to, const char *path, hid_t dataset, const ph_h5_extent *extent,
                          int64_t n, ph_h5_tick *tick, void *arg);
/* The same of n rows by their places. */
ph_status ph_h5_copy_picked(hid_t to, const char *path, hid_t dataset, const ph_h5_extent *extent,
                            const int64_t *rows, int64_t n);
typedef void ph_h5_lost_attr(void *arg, const char *name, const char *why);
/* Copies all attributes but those that cannot be; lost is told of each. PH_EIO. */
ph_status ph_h5_copy_attrs(hid_t to, hid_t from, ph_h5_lost_attr *lost, void *arg);
/* A second name for an object that has one. */
ph_status ph_h5_link(hid_t to, const char *path, const char *present);

#endif
