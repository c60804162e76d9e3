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
/* Syncs the folder in which the path is. */
int ph_file_sync_folder(const char *path);

/* Creates a folder and those above it. *made: this one was not there. PH_EINVAL, PH_EIO. */
ph_status ph_folder_create(const char *path, bool *made);

#endif
