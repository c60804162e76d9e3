/* What was tried already. Verdicts are kept in the process, good ones and those of files that gave
 * no answer also in a file of the user's cache folder; both are bounded, and both forget rather
 * than fail. */
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

/* As it is with these limits. */
void ph_print_mix(ph_print *print, const ph_probe_limits *limits);

/* true: known; the verdict, its sentence in ph_error(). where: as it was when it was kept. */
bool ph_cache_find(const ph_print *print, const char *where, ph_status *verdict);
/* Keeps a verdict with the sentence in ph_error(). */
void ph_cache_keep(const ph_print *print, const char *where, ph_status verdict);
void ph_cache_forget(void);

/* --- the file (probe_disk.c) --- */

/* late: 0, a good verdict; else what was tried gave no answer in so many seconds. Calls add for
 * every verdict of the file. */
void ph_disk_load(void (*add)(const ph_print *print, int late));
void ph_disk_append(const ph_print *print, int late);

/* --- what gave no answer (probe_late.c) --- */

/* true: the object that is asked for is known to give no answer within these limits, or too many
 * others of its file are; the error, its sentence in ph_error(). What the file holds is known once
 * ph_cache_find has been called. */
bool ph_late_find(ph_status *status, const ph_question *question, const ph_probe_limits *limits);
/* Keeps that there was no answer; on disk too where the child computed rather than waited. false:
 * it is another reply, or nobody knows which object it was. */
bool ph_late_keep(const ph_reply *reply, const ph_question *question,
                  const ph_probe_limits *limits);
void ph_late_load(const ph_print *print, int seconds);
void ph_late_forget(void);

#endif
