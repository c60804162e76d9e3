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

#ifdef __cplusplus
}
#endif
#endif
