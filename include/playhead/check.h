/* Whether a task is what its author thinks: runs it for some steps and says what it found. */
#ifndef PLAYHEAD_CHECK_H
#define PLAYHEAD_CHECK_H

#include <playhead/episode.h>
#include <playhead/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(ID, "name") */
#define PH_CHECK_LIST(X)                                                                           \
  X(ERROR, "error")         /* a function of the script failed, or the engine did */               \
  X(NAME, "name")           /* a name that the model does not have, in what may not have run */    \
  X(RESET, "reset")         /* changes nothing, or the same for every seed */                      \
  X(CONDITION, "condition") /* never or always true */                                             \
  X(MEMORY, "memory")       /* another answer when it was asked again */                           \
  X(REWARD, "reward")       /* never changes */                                                    \
  X(ENDLESS, "endless")     /* nothing but success ends an episode: always a note */               \
  X(BOTH, "both")           /* success and failure in one step, which is a success */              \
  X(CLIPPED, "clipped")     /* an element of the action was cut; a note where at few steps */      \
  X(FINITE, "not_finite")   /* the episode ended with a number that is none */                     \
  X(REPEAT, "repeat")       /* a second run of a seed has other bits */

typedef enum ph_check_kind {
#define PH_CHECK_ENUM(id, name) PH_CHECK_##id,
  PH_CHECK_LIST(PH_CHECK_ENUM)
#undef PH_CHECK_ENUM
      PH_CHECK_KINDS
} ph_check_kind;
PH_API const char *ph_check_name(ph_check_kind kind); /* static, "not_finite" */

typedef struct ph_check_finding {
  ph_check_kind kind;
  char where[128]; /* "success.closed", "drawer.lua:12", "action[2] arm_elbow" */
  char text[400];  /* one sentence, escaped */
  bool note;       /* worth knowing, and as it may well be meant */
} ph_check_finding;

typedef struct ph_check_condition {
  char name[160]; /* "success.closed", "stages.grasp", "failure" */
  int64_t yes, judged;
} ph_check_condition;

typedef struct ph_check_element {
  char term[24], name[64];
  double min, max;    /* of the raw value; -inf, inf where it has none */
  double least, most; /* that were sent; NaN: none was */
  int64_t clipped;    /* steps at which it was cut */
} ph_check_element;

/* Medians of one step [us]; NaN: there is no such part, or no step. */
typedef struct ph_check_cost {
  double physics; /* control_steps substeps and a forward */
  double actions, policy, conditions /* success, stages and failure */, reward, readouts;
} ph_check_cost;

typedef struct ph_check {
  bool ran; /* else only the text was looked at: there is no model */
  bool has_policy;
  int control_steps;
  double control_dt; /* [s] */
  int64_t hold_steps;
  size_t nseeds;
  uint64_t *seed;
  int64_t episodes; /* begun: one for each seed, and no more than the first where a reset fails */
  int64_t steps;    /* of all of them */
  int64_t ends[PH_END_COUNT];
  double reward_min, reward_max; /* NaN: no reward */
  size_t nelements;
  ph_check_element *element;
  size_t nconditions;
  ph_check_condition *condition; /* of success, of stages, failure */
  ph_check_cost cost;
  size_t nfindings;
  ph_check_finding *finding; /* by kind, in the order of the list; notes behind them */
  size_t nnotes;             /* of those: the last of them */
} ph_check;

typedef struct ph_check_options {
  uint64_t seed; /* of the first episode; the others have those that follow */
  int episodes;  /* how many */
  int64_t steps; /* of each at most */
} ph_check_options;
#define PH_CHECK_OPTIONS_INIT                                                                      \
  { 0, 3, 100 }

/* Each episode is run by an env with the task's policy, or with zeros where it has none, and beside
 * it once more, step by step, where costs are taken; the first seed is run twice. model and opt are
 * nullable. *out is the caller's. Errors are those of ph_env_create, and PH_ENOMEM: what happens in
 * an episode is a finding. */
PH_API ph_status ph_task_check(ph_check **out, const ph_task *task, const ph_model *model,
                               const ph_check_options *opt);
/* Only looks at the text: findings of kind NAME, nothing else. model is nullable. PH_ENOMEM. */
PH_API ph_status ph_task_check_names(ph_check **out, const ph_task *task, const ph_model *model);
PH_API void ph_check_free(ph_check *check); /* Nullable */

#ifdef __cplusplus
}
#endif
#endif
