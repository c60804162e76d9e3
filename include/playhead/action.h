/* The action manager: maps a raw action vector to ctrl, term by term.
 *
 * Each element of an action goes
 *   raw -> action_range ([-1, 1] to [min, max]) -> offset + scale * x -> clip {min, max} -> its
 * term and what a term makes of it is cut to the ctrlrange of the actuator where that is limited.
 * The elements stand in the order of terms, their patterns, the model.
 *
 * Terms, and what they take beside `type`, `scale` (1), `offset` (0) and `clip`:
 *   ctrl            actuators: the number is ctrl.
 *   joint_position  joints: where the joint is to be [rad, m], through the one position actuator of
 *                   each joint (its gear is taken out).
 *   joint_delta     joints; of = "measured" (the default) or "target": the number is added to where
 *                   the joint is, or to the target before, which is remembered. The sum stays
 *                   within the joint's range where that is limited, and within the actuator's.
 *   gripper         actuators; open, closed: a number, or a list of one for each (without them the
 *                   upper and the lower end of the ctrlrange, of the model where a reset took it
 *                   away); threshold: one element for all
 *                   actuators, -1 open, 1 closed, between in proportion, cut to that. With a
 *                   threshold there is no between: above it closed, else open, and nothing is cut.
 *   eef_pose        site, joints; control = "position", "orientation" or "both" (the default):
 *                   x, y, z [m] and the rotation vector rx, ry, rz [rad: axis times angle], all in
 *                   the world's frame. mode = "absolute": where the site is to be; "delta" (the
 *                   default): how far from where it is (of = "measured", the default) or from
 *                   where it was to be (of = "target"; the joints' targets are remembered), the
 *                   rotation about the world's axes. Damped least squares on the site's Jacobian,
 *                   damping (0.05) and iterations (20) given, from the present position of the
 *                   joints, or with of = "target" from their targets; no joint leaves its range or
 *                   its actuator's, and none moves by more than 0.5 [rad, m] in an iteration.
 * scale, offset and the ends of clip are a number, or {position =, rotation =}. Joints of the last
 * three have to be slides or hinges, each with one position actuator.
 *
 * An element is clipped where a value of its own was cut: to [-1, 1] of action_range, its clip, the
 * range of the joint or the actuator it drives. A joint_delta that stays beyond a range without
 * going further is not. All elements of an eef_pose are where a joint's range stopped it. */
#ifndef PLAYHEAD_ACTION_H
#define PLAYHEAD_ACTION_H

#include <playhead/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_actions ph_actions;

/* Builds the task's terms for a model. Without terms the action is ctrl itself. PH_EMISMATCH: a
 * name or pattern matches nothing, a joint has no or several position actuators or does not move
 * the site, two terms drive one actuator, action_range has another length; names term and name.
 * PH_EMODEL: the model did not compile. Not thread safe. */
PH_API ph_status ph_actions_create(ph_actions **out, const ph_task *task, const ph_model *model);
PH_API void ph_actions_free(ph_actions *actions); /* Nullable */

PH_API int ph_actions_dim(const ph_actions *actions);       /* length of the raw action */
PH_API int ph_actions_state_dim(const ph_actions *actions); /* length of the terms' memory */

/* What element i of the action is. Borrowed. */
typedef struct ph_action_element {
  int actuator;     /* index in ctrl, of the first where it drives several; -1: eef_pose's */
  const char *term; /* "joint_position" */
  const char *name; /* joint, actuator, "grip_l+grip_r" or "tool.rx" */
  double min, max;  /* of the raw value; -inf, inf where it has none */
} ph_action_element;
PH_API const ph_action_element *ph_actions_element(const ph_actions *actions, int i);

/* Start of an episode: memory from the sim's current state, nothing counted. */
PH_API void ph_actions_reset(ph_actions *actions, const ph_sim *sim);
/* The memory (state_dim), for checkpoints and rows. */
PH_API void ph_actions_get_state(const ph_actions *actions, double *out);
PH_API void ph_actions_set_state(ph_actions *actions, const double *state);

/* Raw action (dim) to ctrl (nu): actuators that no term drives keep the value in ctrl. Derived
 * quantities of the sim must belong to its state (ph_sim_forward): then ctrl and memory are a
 * function of the row, its action_state and the action, bit for bit. *clipped: some element was
 * cut. PH_EINVAL: non-finite action, element named; nothing has changed then. */
PH_API ph_status ph_actions_apply(ph_actions *actions, const ph_sim *sim, const double *action,
                                  double *ctrl, bool *clipped);

/* Whether the last apply cut element i, and how often it was cut since the reset. */
PH_API bool ph_actions_clipped(const ph_actions *actions, int i);
PH_API int64_t ph_actions_clip_count(const ph_actions *actions, int i);

#ifdef __cplusplus
}
#endif
#endif
