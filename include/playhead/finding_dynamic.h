/* What running an episode again came to, in sentences with their step. */
#ifndef PLAYHEAD_FINDING_DYNAMIC_H
#define PLAYHEAD_FINDING_DYNAMIC_H

#include <playhead/diagnosis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From what an analysis knows so far, worst first: where and how far physics left the recording,
 * why (diagnosis is nullable), where it stopped; latches, near misses, rewards and ends, recorded
 * against dynamic; actions that were clipped, and warnings of the engine. An episode that comes out
 * the same, bit for bit, without a latch, has none. At most `room` are written; returns how many
 * there are. */
PH_API size_t ph_analysis_findings(const ph_analysis *a, const ph_diagnosis *diagnosis,
                                   ph_finding *out, size_t room);

/* The same where success had to last so many steps; negative: as long as it had to. */
PH_API size_t ph_analysis_findings_held(const ph_analysis *a, const ph_diagnosis *diagnosis,
                                        int64_t hold_steps, ph_finding *out, size_t room);

/* Where the dynamic hold that came furthest broke. Plain data. */
typedef struct ph_broke {
  int64_t step;
  int64_t count, steps; /* true outcomes before it, of the hold's */
  char text[160];       /* the conditions that did not hold: "near false (dist(hand,cup) 0.104 m)";
                           "" where they are not known */
} ph_broke;
/* Of such a hold; negative: of the one in force. False: as far as is known it latched, or never
 * came far. */
PH_API bool ph_analysis_broke(const ph_analysis *a, int64_t hold_steps, ph_broke *out);

#ifdef __cplusplus
}
#endif
#endif
