/* Two compiled models in words: what differs, by name, worst first. */
#ifndef PLAYHEAD_MODEL_DIFF_H
#define PLAYHEAD_MODEL_DIFF_H

#include <playhead/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_model_change {
  char text[240]; /* "geom cup: friction 0.6 -> 1.0", "timestep 0.002 s -> 0.005 s", "joint 3:
                     arm_wrist -> arm_elbow", "body lid: only in the second" */
  bool structure; /* sizes, names or order: rows of one are no rows of the other */
} ph_model_change;

typedef struct ph_model_diff {
  size_t n;    /* in all */
  size_t kept; /* in change, at most `room` */
  ph_model_change *change;
} ph_model_diff;

/* Structure first, then options, then fields of objects in the engine's order, those of the picture
 * last; differences of one field in many objects are one line with a count. What the compiler
 * computes from others is said only where nothing else differs. At most `room` are kept. Models
 * that did not compile are compared by their names and sizes. PH_ENOMEM. Free with
 * ph_model_diff_clear. */
PH_API ph_status ph_model_compare(ph_model_diff *out, const ph_model *a, const ph_model *b,
                                  size_t room);
PH_API void ph_model_diff_clear(ph_model_diff *diff);

#ifdef __cplusplus
}
#endif
#endif
