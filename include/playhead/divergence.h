/* How far one state is from another: by components bit for bit, and by joints and bodies with their
 * names. Positions are compared in the tangent space (MuJoCo's mj_differentiatePos: a ball's or a
 * free joint's rotation error is the angle of the rotation between the two), radians and metres
 * apart. ctrl stands apart: a difference there is the action manager's, not the physics'. */
#ifndef PLAYHEAD_DIVERGENCE_H
#define PLAYHEAD_DIVERGENCE_H

#include <playhead/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(ID, "name", "unit"): what is measured. */
#define PH_MEASURE_LIST(X)                                                                         \
  X(JOINT_ANGLE, "joint angle", "rad")  /* hinges, balls, rotations of free joints */              \
  X(JOINT_PLACE, "joint position", "m") /* slides, positions of free joints */                     \
  X(BODY_PLACE, "body position", "m")   /* world position of each body */                          \
  X(BODY_ANGLE, "body rotation", "rad") /* world orientation of each body */                       \
  X(JOINT_ANGLE_SPEED, "angular velocity", "rad/s")                                                \
  X(JOINT_PLACE_SPEED, "velocity", "m/s")                                                          \
  X(ACT, "activation", "")                                                                         \
  X(CTRL, "ctrl", "")

typedef enum ph_measure {
#define PH_MEASURE_ENUM(id, name, unit) PH_MEASURE_##id,
  PH_MEASURE_LIST(PH_MEASURE_ENUM)
#undef PH_MEASURE_ENUM
      PH_MEASURE_COUNT
} ph_measure;
PH_API const char *ph_measure_name(ph_measure m); /* static */
PH_API const char *ph_measure_unit(ph_measure m); /* static */

/* Ordered: each one is worse than those before it. */
typedef enum ph_class {
  PH_BITWISE,  /* every stored component has equal bits */
  PH_ROUNDING, /* no error of 1e-9 or more */
  PH_CLOSE,    /* within the tolerance; or time, mocap, userdata, eq_active, plugin state or applied
                  forces, which have none, differ by 1e-9 or more */
  PH_DIVERGED, /* beyond it, or a number that is none */
  PH_CLASS_COUNT
} ph_class;
PH_API const char *ph_class_name(ph_class c); /* "bitwise", "rounding", "close", "diverged" */
PH_API bool ph_class_from_name(const char *name, ph_class *out);

#define PH_ROUNDING_ERROR 1e-9

/* Largest error of each measure that is still close. */
typedef struct ph_tolerance {
  double of[PH_MEASURE_COUNT];
} ph_tolerance;
/* pos 1e-3 m, rot 1e-3 rad, vel 1e-1 (m/s, rad/s), act 1e-3. ctrl has none: where it differs, the
 * class is not bitwise, and no worse for that. */
PH_API ph_tolerance ph_tolerance_default(void);
/* Reads "pos=1e-3,rot=1e-3,vel=0.1,act=1e-3" (any of them, in any order) over what is there. A
 * number alone is for pos and rot. PH_EINVAL names what is no such thing, or is given twice. */
PH_API ph_status ph_tolerance_parse(ph_tolerance *tolerance, const char *text);
/* "1 mm, 1 mrad, 0.1 m/s" */
PH_API void ph_tolerance_text(const ph_tolerance *tolerance, char *out, size_t size);

/* The difference of two states. Plain data. */
typedef struct ph_difference {
  bool equal;        /* bits of all components that both rows have, ctrl and action_state apart */
  bool ctrl_equal;   /* bits of ctrl; true where one has none */
  bool memory_equal; /* bits of action_state; likewise */
  ph_column unequal; /* first component whose bits differ; PH_COL_COUNT: none */
  int element;       /* in it */
  ph_class cls;
  double max[PH_MEASURE_COUNT]; /* largest error; NaN: not known (no bodies were derived), or a
                                   number that is none: then cls is PH_DIVERGED */
  int worst[PH_MEASURE_COUNT];  /* joint, body, actuator of it (of ph_model_name); -1: no error, or
                                   not known */
} ph_difference;

typedef struct ph_divergence ph_divergence;

/* Measures in one model; owns a ph_sim for the second of two states. The model is referenced;
 * edits (those of the episode's reset) are applied to both. One thread at a time. PH_EMODEL. */
PH_API ph_status ph_divergence_create(ph_divergence **out, const ph_model *model,
                                      const ph_edit *edits, size_t nedits);
PH_API void ph_divergence_free(ph_divergence *d); /* Nullable */
/* Length of action_state in rows that are compared from now on; 0, as at first: it is not looked
 * at. */
PH_API void ph_divergence_set_memory(ph_divergence *d, int action_state);

/* Compares two rows of the model, recorded against dynamic. Components that one of the two does not
 * have are not compared. With `bodies` both are derived, which costs two mj_kinematics; else the
 * measures of bodies are NaN. tolerance is nullable: the default one. PH_EINVAL: a row without a
 * state. PH_ESIM: the engine cannot take a state whose numbers are finite. */
PH_API ph_status ph_divergence_compare(ph_divergence *d, const ph_row *recorded,
                                       const ph_row *dynamic, bool bodies,
                                       const ph_tolerance *tolerance, ph_difference *out);

/* Errors of the last compare, one by one: joints in the order of the model. Borrowed until the next
 * call. rad and m are NaN where the joint has none of it. */
typedef struct ph_joint_error {
  double rad, m;
  double rad_s, m_s;
  bool equal; /* bits of its qpos and qvel */
} ph_joint_error;
PH_API const ph_joint_error *ph_divergence_joints(const ph_divergence *d, size_t *n);
typedef struct ph_body_error {
  double m, rad;
} ph_body_error;
/* NULL, *n 0: bodies were not derived. */
PH_API const ph_body_error *ph_divergence_bodies(const ph_divergence *d, size_t *n);

/* "arm_wrist 4.1e-3 rad": what is worst of a measure, with its name. */
PH_API void ph_difference_text(const ph_difference *d, const ph_model *model, ph_measure m,
                               char *out, size_t size);
/* The measure that is furthest beyond the tolerance, in proportion; of positions where nothing is.
 * PH_MEASURE_COUNT: no error at all. */
PH_API ph_measure ph_difference_worst(const ph_difference *d, const ph_tolerance *tolerance);

#ifdef __cplusplus
}
#endif
#endif
