/* What every writer asks of the file system. An int is 0 or an errno. */
#ifndef PLAYHEAD_FILE_H
#define PLAYHEAD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <playhead/status.h>

/* EFBIG where a file may not become that long: writing on would raise SIGXFSZ in a host that did
 * not ask for it. */
int ph_file_limit(uint64_t end);
/* All of it, at that place (at the end for a descriptor that appends), within the limit. */
int ph_file_write(int fd, uint64_t at, const void *data, size_t size);
/* Never replaces: EEXIST. */
int ph_file_rename_new(const char *from, const char *to);
/* Whether both are regular files with the same bytes. */
bool ph_file_same(const char *a, const char *b);
/* Syncs the folder in which the path is. */
int ph_file_sync_folder(const char *path);

/* A regular file to its end, with a zero behind it; *out is the caller's (free). EFBIG: it has more
 * than limit bytes. ENOTSUP: it is not a regular file. ENOMEM. */
int ph_file_whole(void **out, size_t *size, int fd, size_t limit);

/* ".NAME.<pid>-<n>.part" in the folder of the path; the caller's. NULL: out of memory. */
char *ph_file_temporary(const char *path, int n);

/* A file, and a folder, of such a name that nobody else has: *name is the caller's (free), and so
 * is what has it, to be renamed or removed. What has other names of that kind is not touched.
 * PH_EIO, PH_ENOMEM: nothing is left. */
ph_status ph_file_create_hidden(char **name, int *fd, const char *path);
ph_status ph_folder_create_hidden(char **name, const char *path);

/* A file that appears whole or not at all, and replaces none. Writes go to fd. */
typedef struct ph_new_file {
  char *final;
  char *temporary; /* NULL: it has its place, or was never made */
  int fd;
} ph_new_file;
#define PH_NEW_FILE_NONE ((ph_new_file){.fd = -1})

/* PH_EEXIST: the path is there, also as a link to nothing. PH_EIO. */
ph_status ph_new_file_create(ph_new_file *out, const char *path);
/* Syncs it and gives it its name, which then stays: it is whole even where its folder cannot be
 * synced. PH_EEXIST, PH_EIO. ph_new_file_drop follows. */
ph_status ph_new_file_publish(ph_new_file *file);
void ph_new_file_drop(ph_new_file *file); /* what has no name yet is gone */

/* Creates a folder and those above it. *made: this one was not there. PH_EINVAL, PH_EIO. */
ph_status ph_folder_create(const char *path, bool *made);

#endif
