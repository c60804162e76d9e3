/* What can be said of a file before HDF5 looks at it, by plain reads: what stands there instead,
 * how much of it is missing, whether somebody is still writing it. */
#ifndef PLAYHEAD_SNIFF_H
#define PLAYHEAD_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

#include <playhead/status.h>

/* Opens a regular file for reading; nothing else is ever opened, as some devices act on it. PH_EIO
 * says what is there instead. *fd is the caller's; -1 on failure. */
ph_status ph_file_regular(int *fd, const char *path);

/* Whether a file that begins so stands for one that git lfs pull would bring. */
bool ph_file_is_lfs(const void *head, size_t n);

/* PH_OK: HDF5 may try. Otherwise what the first bytes are when they cannot be HDF5's: nothing, a
 * Git LFS pointer, a web page, another format, the beginning of a longer file, a file that its
 * writer has not closed. fd is read by pread. PH_EIO, PH_EFORMAT. */
ph_status ph_file_sniff(int fd, const char *path);

/* Whether somebody may still be writing the file: another process holds a lock for writing, or the
 * mark of an open writer stands in the first block; a sentence, else "". No lock is ever set: that
 * could stop the writer. */
void ph_file_writer(char *out, size_t size, int fd);

/* Whether a process, this one too, has locked a folder for writing (flock): 1, 0, -1: the system
 * does not say. Asked of the kernel's list, for the same reason. */
int ph_folder_locked(const char *path);

#endif
