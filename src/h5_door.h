/* What the files of the HDF5 door share; nobody else includes it. */
#ifndef PLAYHEAD_H5_DOOR_H
#define PLAYHEAD_H5_DOOR_H

#include "h5.h"
#include "h5_window.h"
#include "superblock.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "file bytes are used as they are");

/* Every function of the door runs between these two. They nest. Inside: one thread at a time, the C
 * locale, no printing and no plugins; outside: as the host had set it. */
void ph_h5_enter(void);
void ph_h5_leave(void);

/* Sets "FILE: OBJECT: WHAT: WHY", WHY from the library's error stack; returns status. `id` is any
 * open id in the file; WHAT may be "". */
ph_status ph_h5_error(ph_status status, hid_t id, const char *what);
/* The same with a reason of ours. */
ph_status ph_h5_refuse(ph_status status, hid_t id, const char *what, const char *why);

/* What is wrong with the header of the object at that address, which counts from base (a static
 * string), or NULL. */
const char *ph_h5_header_fault(int fd, uint64_t base, uint64_t address);
/* The same by bytes that are kept. */
const char *ph_h5_window_fault(ph_h5_window *window, uint64_t file_size, uint64_t base,
                               uint64_t address);
/* The same for superblock and root group of a file. */
const char *ph_h5_root_fault(int fd);
uint32_t ph_h5_lookup3(const uint8_t *key, size_t length);

/* PH_OK when every part of the path is a hard link; PH_ENOTFOUND, PH_EREFUSED with the text set. */
ph_status ph_h5_path(hid_t loc, const char *path);
/* What keeps the link `path` (all parts before it are hard) from being followed; NULL: nothing. */
const char *ph_h5_link_fault(hid_t loc, const char *path, ph_status *status);

/* A fixed-length, null-padded UTF-8 type of that size (at least 1). */
hid_t ph_h5_string_type(size_t size);
/* The library's type for one of ours, in memory and in files; borrowed. Not for PH_STRING. */
hid_t ph_h5_type(ph_type type);
/* Nearest of our types; PH_EREFUSED for those that are not read (variable length, references,
 * compounds, committed types). */
ph_status ph_h5_describe_type(hid_t type, hid_t where, ph_h5_array *info);

/* The type in words, for ph_h5_array.name. */
void ph_h5_type_name(hid_t type, char out[24]);

/* PH_EREFUSED: bytes outside of the file, or filters that are never run. */
ph_status ph_h5_check_storage(hid_t dataset);
/* Type, shape and place of an open dataset; refuses what must not be followed. */
ph_status ph_h5_describe(hid_t dataset, ph_h5_array *info);

/* --- the driver --- */

/* Bytes that are read instead of those in a damaged file. */
typedef struct ph_h5_patch {
  struct ph_h5_patch *next;
  uint64_t header; /* address of the object whose header they mend */
  uint64_t at;
  size_t size;
  unsigned char bytes[];
} ph_h5_patch;

/* What makes the header of the object at that address one without its lost pieces; NULL: none are
 * lost, or its first one is. Freed by ph_h5_patch_free. */
ph_h5_patch *ph_h5_mend_header(int fd, uint64_t base, uint64_t end, uint64_t address);
void ph_h5_patch_lay(const ph_h5_patch *list, uint64_t at, size_t size, unsigned char *out);
bool ph_h5_patch_has(const ph_h5_patch *list, uint64_t address);
void ph_h5_patch_free(ph_h5_patch *list);

/* What is read of a damaged file instead of its first block, and where the file ends. */
typedef struct ph_h5_mend {
  uint64_t at, end, base, root; /* root: address of the root group's header */
  size_t size;
  unsigned char bytes[PH_SUPERBLOCK_MAX];
} ph_h5_mend;

typedef struct ph_h5_ticket {
  int fd; /* an open descriptor; taken over by the file, then -1 */
  bool writable;
  const ph_h5_mend *mend; /* Nullable */
} ph_h5_ticket;

/* File access list that opens ticket->fd. PH_OK, or PH_EIO. */
ph_status ph_h5_access(hid_t *out, ph_h5_ticket *ticket);
/* Descriptor and first byte (behind a user block) of a file that is open for reading; -1 for one
 * that is being written, whose bytes may not be there yet. */
int ph_h5_file_bytes(hid_t id, uint64_t *base);
/* ph_h5_header_fault of an object in the file of id; remembers those that have none. NULL for a
 * file that is being written. */
const char *ph_h5_check_header(hid_t id, uint64_t address);
/* Where the file that id is in ends, as the library sees it. */
uint64_t ph_h5_file_end(hid_t id);
/* The first errno that a write to the file met, 0 for none. */
int ph_h5_file_errno(hid_t file);
/* Asks the file to sync when it closes and to leave its errno in *report then. */
ph_status ph_h5_file_report(hid_t file, int *report);

/* How files (H5P_FILE_CREATE) and groups (H5P_GROUP_CREATE) of ours are made; the caller closes the
 * list. H5I_INVALID_HID on failure. */
hid_t ph_h5_creation(hid_t kind);

#endif
