/* What the findings of an episode say of sentences that others wrote. */
#ifndef PLAYHEAD_FINDING_PRIVATE_H
#define PLAYHEAD_FINDING_PRIVATE_H

#include <stddef.h>

#include <playhead/finding.h>

/* What is left of sentences with "; " between when those are taken away from its front that are
 * findings; the last may be cut. "": the findings say all of it. Borrowed from sentences. */
PH_API const char *ph_unsaid(const char *sentences, const ph_finding *findings, size_t n);

#endif
