/* What a recorder left behind that was killed, or a file that was cut off or never closed. */
#ifndef PLAYHEAD_SALVAGE_H
#define PLAYHEAD_SALVAGE_H

#include <playhead/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ph_salvage_fate {
  PH_SALVAGE_SAVED,     /* given back, whole or up to where it breaks off */
  PH_SALVAGE_COMMITTED, /* the journal of an episode that is in its place: nothing to do */
  PH_SALVAGE_EMPTY,     /* no complete transition */
  PH_SALVAGE_LOST       /* cannot be read: why says it */
} ph_salvage_fate;

/* One thing that was found, in the order of the list. Plain data. */
typedef struct ph_salvaged {
  char id[64];     /* "env003_ep000012", "demo_17"; "" where it is no episode */
  char file[512];  /* what was written; "" nothing */
  int64_t actions; /* complete transitions given back */
  ph_salvage_fate fate;
  char why[200]; /* what is lost and why, a sentence; "" nothing is */
} ph_salvaged;

typedef struct ph_salvage_report {
  ph_salvaged *items; /* owned */
  size_t n;
  int64_t saved, lost, steps;
} ph_salvage_report;

/* The journals of a run directory become episodes of it, with end_reason `salvaged`: every complete
 * transition of every unfinished episode, nothing twice, nothing invented. A journal goes away once
 * its episode is in its place and verified; one that cannot be read whole stays. Episodes that are
 * there are not touched; temporary files of killed recorders are taken away. Doing it again finds
 * nothing. With `out` (nullable) the episodes are written into that new run directory instead and
 * `dir` stays as it is. PH_EEXIST: a recorder is at work in it, or `out` is there. PH_EFORMAT: no
 * run. PH_EIO. The report is filled as far as it came, also on failure; ph_salvage_free. */
PH_API ph_status ph_salvage_run(ph_salvage_report *report, const char *dir, const char *out);

/* What can be read of an HDF5 file, of ours or of another recorder, that was cut off or never
 * closed, into a new file `out` of the same layout. The file is only read. Arrays whose bytes are
 * not all there are given back up to the last whole row of all arrays of their episode; what is
 * lost is listed. Where nothing is lost and the file opens as it is, no file is written: its
 * episodes are PH_SALVAGE_COMMITTED. PH_EEXIST: `out` is there. PH_EFORMAT: nothing of it can be
 * read; no file is written then. PH_EIO. */
PH_API ph_status ph_salvage_file(ph_salvage_report *report, const char *path, const char *out);

PH_API void ph_salvage_free(ph_salvage_report *report); /* what is in it; not itself */

#ifdef __cplusplus
}
#endif
#endif
