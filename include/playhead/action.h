/* The action manager: maps a raw action vector to ctrl, term by term. */
#ifndef PLAYHEAD_ACTION_H
#define PLAYHEAD_ACTION_H

#include <playhead/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_actions ph_actions;

/* Builds the task's terms for a model. Without terms the action is ctrl itself. Terms: `ctrl`
 * (actuators), `joint_position` (the one position actuator of each joint). Elements stand in the
 * order of terms, their patterns, the model. Each goes raw -> action_range ([-1, 1] to [min, max])
 * -> offset + scale * x -> clip -> gear (joint_position) -> the actuator's ctrlrange where limited.
 * PH_EMISMATCH: a name or pattern matches nothing, a joint has no or several position actuators,
 * two terms drive one actuator, action_range has another length; names term and name.
 * PH_EMODEL: the model did not compile. Not thread safe. */
PH_API ph_status ph_actions_create(ph_actions **out, const ph_task *task, const ph_model *model);
PH_API void ph_actions_free(ph_actions *actions); /* Nullable */

PH_API int ph_actions_dim(const ph_actions *actions);       /* length of the raw action */
PH_API int ph_actions_state_dim(const ph_actions *actions); /* length of the terms' memory */

/* What element i of the action is: actuator it drives (index), unit-bearing name, range of the
 * raw value. Borrowed. */
typedef struct ph_action_element {
  int actuator;     /* index in ctrl */
  const char *term; /* "joint_position" */
  const char *name; /* joint or actuator */
  double min, max;  /* of the raw value; -inf, inf where it has none */
} ph_action_element;
PH_API const ph_action_element *ph_actions_element(const ph_actions *actions, int i);

/* Start of an episode: memory from the sim's current state. */
PH_API void ph_actions_reset(ph_actions *actions, const ph_sim *sim);
/* The memory (state_dim), for checkpoints and rows. */
PH_API void ph_actions_get_state(const ph_actions *actions, double *out);
PH_API void ph_actions_set_state(ph_actions *actions, const double *state);

/* Raw action (dim) to ctrl (nu): actuators that no term drives keep the value in ctrl.
 * *clipped: some element was cut to a range. PH_EINVAL: non-finite action, element named. */
PH_API ph_status ph_actions_apply(ph_actions *actions, const ph_sim *sim, const double *action,
                                  double *ctrl, bool *clipped);

#ifdef __cplusplus
}
#endif
#endif
