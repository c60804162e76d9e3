/* What was tried already. Verdicts are kept in the process, good ones also in a file of the user's
 * cache folder; both are bounded, and both forget rather than fail. */
#ifndef PLAYHEAD_PROBE_CACHE_H
#define PLAYHEAD_PROBE_CACHE_H

#include <stdbool.h>

#include "probe_child.h"

/* Which bytes a verdict is about, as far as the file system knows. */
typedef struct ph_print {
  unsigned char bytes[16];
} ph_print;

/* Print of a file (and of the run.h5 beside it), of a run by its folder, run.h5 and list, or of all
 * files in another folder, by device, inode, size, mtime and ctime, with what is asked and
 * versions. false: there is none, or it may change without one seeing it: it was written just now,
 * or there are too many files. */
bool ph_print_of_file(ph_print *out, const ph_question *question);
/* Of a collected source, and of a text that is to be collected. */
void ph_print_of_model(ph_print *out, const char *sha256);
void ph_print_of_collecting(ph_print *out, const char *sha256);

/* true: known; the verdict, its sentence in ph_error(). where: as it was when it was kept. */
bool ph_cache_find(const ph_print *print, const char *where, ph_status *verdict);
/* Keeps a verdict with the sentence in ph_error(). */
void ph_cache_keep(const ph_print *print, const char *where, ph_status verdict);
void ph_cache_forget(void);

/* --- the file (probe_disk.c) --- */

/* Calls add for every good verdict of the file. */
void ph_disk_load(void (*add)(const ph_print *print));
void ph_disk_append(const ph_print *print);

#endif
