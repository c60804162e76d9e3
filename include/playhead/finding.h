/* Something worth a person's attention: a step and a sentence. Plain data. */
#ifndef PLAYHEAD_FINDING_H
#define PLAYHEAD_FINDING_H

#include <stdint.h>

#include <playhead/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(ID, "name"), the worst first */
#define PH_FINDING_LIST(X)                                                                         \
  X(DIVERGENCE, "divergence")     /* physics run again left the recording */                       \
  X(DIAGNOSIS, "diagnosis")       /* why */                                                        \
  X(STOPPED, "stopped")           /* physics cannot be run further than this step */               \
  X(DISAGREEMENT, "disagreement") /* of latches, rewards, ends: recorded against dynamic */        \
  X(ODDITY, "oddity")             /* the file contradicts itself */                                \
  X(MISSING, "missing") /* something is not there, or cannot be shown: named, never dropped */     \
  X(LATCH, "latch")                                                                                \
  X(NEAR_MISS, "near miss") /* the predicate broke before its hold was over */                     \
  X(CLIPPED, "clipped")     /* actions, by the range that they have */                             \
  X(WARNED, "warned")       /* by the engine */                                                    \
  X(MENDED, "mended")       /* changed in the loaded copy so that it can be used */

typedef enum ph_finding_kind {
#define PH_FINDING_ENUM(id, name) PH_FINDING_##id,
  PH_FINDING_LIST(PH_FINDING_ENUM)
#undef PH_FINDING_ENUM
      PH_FINDING_COUNT
} ph_finding_kind;

typedef struct ph_finding {
  ph_finding_kind kind;
  int64_t step;   /* -1: the whole episode */
  char text[320]; /* one sentence, escaped */
} ph_finding;

PH_API const char *ph_finding_name(ph_finding_kind kind); /* static, "oddity" */

#ifdef __cplusplus
}
#endif
#endif
