/* Why physics run again is not what was recorded, in one sentence with its numbers.
 *
 * One-step errors tell: zero everywhere but a growing accumulated error is a different start; large
 * everywhere is the model, the timestep, the decimation, the recipe or the alignment; single spikes
 * are events that the file does not hold, or that it does hold: a number that is none, actions that
 * its own ctrl contradicts. Tried are action offsets -1, 0, +1, decimations 1..20 and the one that
 * the times of the states imply, timesteps that divide these times, the recipes, a start without
 * warmstart, states kept as float32, and pairs of these. */
#ifndef PLAYHEAD_DIAGNOSIS_H
#define PLAYHEAD_DIAGNOSIS_H

#include <playhead/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ph_cause {
  PH_CAUSE_NONE,      /* nothing is wrong: every one-step error is zero, or rounding */
  PH_CAUSE_START,     /* steps are right, the start is another */
  PH_CAUSE_EVENTS,    /* right but for some steps, or from a step on, or up to one */
  PH_CAUSE_VARIANT,   /* explained by what is in `best` */
  PH_CAUSE_FLOAT32,   /* states were rounded to float32 */
  PH_CAUSE_WARMSTART, /* the file holds none, or not the one that was used */
  PH_CAUSE_ACTIONS,   /* ctrl differs: the action manager, not the physics */
  PH_CAUSE_UNKNOWN,   /* large everywhere, and nothing that was tried explains it */
  PH_CAUSE_COUNT
} ph_cause;

/* A way of feeding and stepping. */
typedef struct ph_variant {
  int shift;
  int control_steps;
  ph_recipe recipe;
  bool cold;
  double timestep; /* [s]; 0: the model's */
} ph_variant;

typedef struct ph_diagnosis {
  ph_cause cause;
  ph_variant as_is, best;   /* what the file says; what explains it best */
  double error, best_error; /* median one-step error over the sample, in tolerances */
  int64_t sampled;          /* transitions that were tried */
  int64_t fits;             /* of them, those that best explains (rounding or better) */
  size_t nevents;           /* PH_CAUSE_EVENTS: steps with a spike, the first ones; of many in a
                               row the first alone: */
  int64_t event[8];
  char text[400]; /* the sentence */
} ph_diagnosis;

/* Looks at what the analysis knows, and tries variants on at most a few hundred transitions,
 * and holds one that explains them against all (20000, spread over more). The analysis must have
 * ended: else PH_EINVAL. cancel is nullable: PH_ECANCELED. PH_ENOTFOUND: STATES ONLY. PH_ECORRUPT,
 * PH_EIO: a row that it needs cannot be read. PH_ENOMEM. What physics refuses is in the diagnosis.
 */
PH_API ph_status ph_diagnose(ph_diagnosis *out, const ph_analysis *a, bool (*cancel)(void *arg),
                             void *arg);

#ifdef __cplusplus
}
#endif
#endif
