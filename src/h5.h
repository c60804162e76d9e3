/* The only door to HDF5. Every call is checked, its error stack becomes one line in ph_error(), one
 * lock serialises the library, links that leave the file, external storage, virtual datasets and
 * plugin filters are refused, and the C locale holds inside. Ids are closed by ph_h5_close. */
#ifndef PLAYHEAD_H5_H
#define PLAYHEAD_H5_H

#include <hdf5.h>

#include <playhead/store.h>

/* Opens for reading, without locking the file. PH_EIO, PH_EFORMAT. */
ph_status ph_h5_open(hid_t *out, const char *path);
/* Creates for writing through the error-absorbing driver. The file must not exist. */
ph_status ph_h5_create(hid_t *out, const char *path);
/* Creates in an empty file, whose descriptor is taken also where it fails. path: for messages. */
ph_status ph_h5_create_in(hid_t *out, int fd, const char *path);
/* Creates in memory alone: nothing of it comes to a disk. name: for messages. PH_EIO. */
ph_status ph_h5_create_scratch(hid_t *out, const char *name);
/* Closes a written file: flush, close, fsync; PH_EIO with the first errno that any write met. The
 * caller unlinks. */
ph_status ph_h5_finish(hid_t file, const char *path);
void ph_h5_close(hid_t id); /* any kind; ignores H5I_INVALID_HID */
/* PH_EIO when a write to the file has failed so far, so that long writing can stop early. */
ph_status ph_h5_check(hid_t file);
/* The descriptor of an open file, for pread; borrowed until the file is closed. -1: not a file. */
int ph_h5_fd(hid_t file);
/* One more reference to the file that an object is in, for ph_h5_close, and its descriptor,
 * borrowed as long (-1 while it is written). */
ph_status ph_h5_hold(hid_t *file, int *fd, hid_t object);
/* Around fork(): no thread is in the library meanwhile. The child stays inside of the door: C
 * locale, no printing, no plugins. What the parent has open must not be used there; no file that
 * the child opens is taken for one of those, as the driver compares none. */
void ph_h5_fork_begin(void);
void ph_h5_fork_end(bool child);
/* Ids of all kinds that are open in files; tests look for leaks with it. */
size_t ph_h5_open_ids(void);

/* --- groups --- */
bool ph_h5_exists(hid_t loc, const char *path); /* hard links only, every part of the path */
ph_status ph_h5_group(hid_t *out, hid_t loc, const char *path);        /* open */
ph_status ph_h5_group_create(hid_t *out, hid_t loc, const char *path); /* with parents */
/* Takes a link away; nothing happens when there is none. */
ph_status ph_h5_remove(hid_t loc, const char *path);
/* Calls fn for each hard link in name order; other links are PH_EREFUSED. fn's status ends it. */
typedef ph_status ph_h5_visit(void *arg, const char *name, bool is_group);
ph_status ph_h5_list(hid_t group, ph_h5_visit *fn, void *arg);
ph_status ph_h5_count(hid_t group, size_t *n);
/* Names of all links of a group in the library's name order; no object is opened. *names and each
 * of them are the caller's (ph_h5_names_free). */
ph_status ph_h5_names(char ***names, size_t *n, hid_t group);
void ph_h5_names_free(char **names, size_t n);
/* Kinds of what a link leads to. A link that is not hard, or leads out of the file, is
 * PH_H5_LINK: it is named and never followed. PH_H5_BROKEN: its header is damaged. */
typedef enum ph_h5_kind {
  PH_H5_GROUP,
  PH_H5_DATASET,
  PH_H5_LINK,
  PH_H5_OTHER,
  PH_H5_BROKEN
} ph_h5_kind;
typedef ph_status ph_h5_look(void *arg, const char *name, ph_h5_kind kind);
/* Calls fn for every link in name order, whatever it is; for files of other writers. */
ph_status ph_h5_walk(hid_t group, ph_h5_look *fn, void *arg);
/* Where the object's header is in its file: the same for every link that leads to it. */
ph_status ph_h5_address(uint64_t *out, hid_t object);

/* --- attributes; ours are strings of fixed length, other writers' may be variable; numbers may be
 * of any type and be enums (h5py's bool) --- */
bool ph_h5_has_attr(hid_t loc, const char *name);
/* Reads a string of any kind, escaped and cut to size. PH_ENOTFOUND when there is none. */
ph_status ph_h5_attr_string(hid_t loc, const char *name, char *out, size_t size);
/* The whole string, unescaped, allocated; *out is the caller's (free). */
ph_status ph_h5_attr_text(hid_t loc, const char *name, char **out);
ph_status ph_h5_attr_i64(hid_t loc, const char *name, int64_t *out);
ph_status ph_h5_attr_f64(hid_t loc, const char *name, double *out);
ph_status ph_h5_put_string(hid_t loc, const char *name, const char *text);
ph_status ph_h5_put_i64(hid_t loc, const char *name, int64_t value);
ph_status ph_h5_put_f64(hid_t loc, const char *name, double value);
ph_status ph_h5_put_u8(hid_t loc, const char *name, uint8_t value);
ph_status ph_h5_put_u32(hid_t loc, const char *name, uint32_t value);

/* --- datasets --- */
typedef struct ph_h5_array {
  ph_type type; /* the nearest; native says whether the bytes are it */
  bool native;  /* little-endian and exactly `type` */
  int rank;
  int64_t dim[4];
  int64_t width;      /* elements in one row: product of dim[1..] */
  int64_t offset;     /* in the file, when contiguous and allocated; else -1 */
  size_t string_size; /* of PH_STRING elements */
  char name[24];      /* of the stored type in words: "float16", "bool", "uint8", "string" */
} ph_h5_array;

/* Describes a dataset of another writer: any type and rank. *why is "" or a static sentence that
 * says why it cannot be read as numbers; *out stays open either way. dim has the first 4. */
ph_status ph_h5_dataset_any(hid_t *out, ph_h5_array *info, const char **why, hid_t loc,
                            const char *path);
/* Rows that are stored together, and packed together; 0 where each lies by itself. */
int64_t ph_h5_chunk_rows(hid_t dataset);
/* Walks a dataset's index of chunks once, so that damage shows. */
ph_status ph_h5_check_chunks(hid_t dataset);

/* Opens a dataset and describes it; refuses what must not be followed. */
ph_status ph_h5_dataset(hid_t *out, ph_h5_array *info, hid_t loc, const char *path);
/* Reads n rows of whole numbers as they are: the 64 bits of each, signed or not as the file has
 * them. */
ph_status ph_h5_read_whole(hid_t dataset, const ph_h5_array *info, int64_t first, int64_t n,
                           uint64_t *out);
/* Reads n rows from first, converted to `type`. */
ph_status ph_h5_read(hid_t dataset, const ph_h5_array *info, ph_type type, int64_t first, int64_t n,
                     void *out);
/* A whole dataset of at most `limit` bytes, allocated, a 0 byte behind its end; *out is the
 * caller's. Checked against its attribute `crc` where it has one: PH_ECORRUPT. */
ph_status ph_h5_read_all(void **out, size_t *size, hid_t loc, const char *path, size_t limit);

/* Texts of a dataset of at most 2 dimensions, of fixed length (blanks that fill them are no part of
 * them) or each of its own, as h5py writes them; *out and each are the caller's (ph_h5_names_free).
 * No more than about `limit` bytes of them are taken. PH_EFORMAT: not of text. PH_EREFUSED: too
 * many. PH_ECORRUPT, also where texts of their own length are too many. */
ph_status ph_h5_texts(char ***out, size_t *n, hid_t loc, const char *path, size_t limit);

/* Creates a dataset: contiguous, or 64-row chunks with shuffle, deflate and fletcher32. */
ph_status ph_h5_dataset_create(hid_t *out, hid_t loc, const char *path, ph_type type, int rank,
                               const int64_t *dim, bool compress);
ph_status ph_h5_write(hid_t dataset, ph_type type, int64_t first, int64_t n, const void *data);
/* One dataset of bytes (uint8) or of fixed strings, written whole with its attribute `crc`. */
ph_status ph_h5_put_bytes(hid_t loc, const char *path, const void *data, size_t size);
ph_status ph_h5_put_array(hid_t loc, const char *path, ph_type type, int rank, const int64_t *dim,
                          const void *data);
ph_status ph_h5_put_strings(hid_t loc, const char *path, char *const *text, int64_t n);

/* --- the table /index of a dataset --- */

/* Writes /index with its attribute `crc`. entry->file, group and oddity are not stored. */
ph_status ph_h5_put_index(hid_t file, const ph_entry *entries, size_t n);
/* Reads it; *out is the caller's (free), group is "/data/<id>", file and oddity are "".
 * PH_ENOTFOUND: there is none. PH_EFORMAT, PH_ECORRUPT. */
ph_status ph_h5_index(ph_entry **out, size_t *n, hid_t file);

/* Object in a file for error texts: "/data/demo_0/states"; into buf. */
const char *ph_h5_name(hid_t id, char *buf, size_t size);

#endif
