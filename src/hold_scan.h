/* A predicate along an episode: where it latched, and where it broke just before. */
#ifndef PLAYHEAD_HOLD_SCAN_H
#define PLAYHEAD_HOLD_SCAN_H

#include <playhead/analysis.h>

typedef struct ph_hold_scan {
  ph_hold hold;
  int64_t rows;     /* looked at, as a number of states from step 0 */
  int64_t from, to; /* true ones around the latch, first and last */
  bool ended;       /* it broke after the latch */
  size_t nmisses;
  ph_near_miss miss[PH_NEAR_MISSES]; /* the longest first */
} ph_hold_scan;

/* By the predicate that the file stores, and a hold; negative: the one that it had. False: it has
 * none. */
bool ph_hold_scan_recorded(ph_hold_scan *out, const ph_episode *episode, int64_t hold_steps);
/* By what the task says of the dynamic states, as far as they are known, likewise. False: nothing
 * judges. */
bool ph_hold_scan_dynamic(ph_hold_scan *out, const ph_analysis *a, const ph_analysis_progress *now,
                          int64_t hold_steps);

#endif
