/* Models and simulations. A ph_model is immutable, reference counted and shared between threads; a
 * ph_sim is one mjData (and, where needed, a private copy of the model) and belongs to one thread.
 */
#ifndef PLAYHEAD_SIM_H
#define PLAYHEAD_SIM_H

#include <playhead/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_model ph_model;
typedef struct ph_sim ph_sim;

typedef enum ph_kind {
  PH_BODY,
  PH_JOINT,
  PH_GEOM,
  PH_SITE,
  PH_ACTUATOR,
  PH_SENSOR,
  PH_EQUALITY,
  PH_MOCAP, /* mocap bodies, in mocap order */
  PH_TENDON,
  PH_KIND_COUNT
} ph_kind;

typedef enum ph_joint_type { PH_FREE, PH_BALL, PH_SLIDE, PH_HINGE } ph_joint_type;

typedef struct ph_joint_info {
  ph_joint_type type;
  int qposadr; /* first index in qpos */
  int dofadr;  /* first index in qvel */
} ph_joint_info;

/* Folders beside the model's own that it may read; both may be empty. */
typedef struct ph_model_options {
  const char *const *assets; /* Nullable: folders, searched in order */
  size_t nassets;
  bool drop_missing; /* leave out what needs a missing file; bodies and joints stay */
  bool mend;         /* of another recorder: mend known defects, leave textures out */
} ph_model_options;

/* Collects an MJCF file with all that it includes, rewrites it to a self-contained text, compiles
 * it. *out is the caller's; give it back with ph_model_unref. opt is nullable.
 * PH_EREFUSED: it reads outside the allowed folders. PH_EMODEL: it does not compile. PH_EIO. */
PH_API ph_status ph_model_open(ph_model **out, const char *path, const ph_model_options *opt);

/* The same from a text that a file holds. path: that file, for messages; its folder may be read. */
PH_API ph_status ph_model_open_text(ph_model **out, const char *xml, size_t size, const char *path,
                                    const ph_model_options *opt);

/* What was mended or left out in the loaded copy, a sentence each; NULL past the last. Borrowed. */
PH_API const char *ph_model_note(const ph_model *model, size_t i);

PH_API ph_model *ph_model_ref(const ph_model *model);
PH_API void ph_model_unref(const ph_model *model); /* Nullable */

/* Hash of the source (rewritten text and assets), 64 hex digits; borrowed from the model. */
PH_API const char *ph_model_sha256(const ph_model *model);
/* Hash of the compiled model; "" when it did not compile. */
PH_API const char *ph_model_compiled_sha256(const ph_model *model);

/* Whether the engine compiled it; if not, why (one line, borrowed). Names and sizes are there
 * either way when the model came from an episode file. */
PH_API bool ph_model_compiled(const ph_model *model);
PH_API const char *ph_model_error(const ph_model *model);

/* Sizes; action_dim, action_state and control_steps are 0 (they belong to a task). */
PH_API const ph_dims *ph_model_dims(const ph_model *model);
PH_API double ph_model_timestep(const ph_model *model); /* [s] */
PH_API const char *ph_model_integrator(const ph_model *model);
PH_API const char *ph_model_solver(const ph_model *model);
PH_API const char *
ph_model_engine_version(const ph_model *model); /* MuJoCo that it was recorded with */

PH_API int ph_model_count(const ph_model *model, ph_kind kind);
/* Name of the i-th object; "" where it has none. Borrowed. */
PH_API const char *ph_model_name(const ph_model *model, ph_kind kind, int i);
/* Index of a name, or -1. */
PH_API int ph_model_find(const ph_model *model, ph_kind kind, const char *name);
PH_API const ph_joint_info *ph_model_joint(const ph_model *model, int i); /* NULL: out of range */

/* One instant: pointers to one row of each column, NULL where a column is not given. Shapes are the
 * schema's. Plain arrays: a process with its own simulator fills it without this library's. */
typedef struct ph_row {
  const double *state;        /* (1+nq+nv+na) */
  const double *warmstart;    /* (nv) */
  const double *ctrl;         /* (nu) */
  const uint8_t *predicate;   /* (1) */
  const double *mocap_pos;    /* (nmocap x 3) */
  const double *mocap_quat;   /* (nmocap x 4) */
  const double *userdata;     /* (nuserdata) */
  const uint8_t *eq_active;   /* (neq) */
  const double *plugin_state; /* (nplugin) */
  const double *qfrc_applied; /* (nv) */
  const double *xfrc_applied; /* (nbody x 6) */
  const double *action_state; /* (action_state of the dims: what the task's terms remember) */
} ph_row;

/* The row's pointer for a column; NULL for columns that are not part of a row. */
PH_API const void *ph_row_column(const ph_row *row, ph_column col);
/* Sets it; ignores columns that are not part of a row. */
PH_API void ph_row_set_column(ph_row *row, ph_column col, const void *data);

/* A model field changed by an episode's reset: the full array of the field. */
typedef struct ph_edit {
  char field[40]; /* mjModel's name, "body_pos" */
  ph_type type;
  int64_t shape[2]; /* (objects, elements each) */
  const void *data;
} ph_edit;

/* Fresh simulation in the model's reset state. The model is referenced. PH_EMODEL: the model did
 * not compile. */
PH_API ph_status ph_sim_create(ph_sim **out, const ph_model *model);
PH_API void ph_sim_free(ph_sim *sim); /* Nullable */

/* Back to the model's reset state: edits undone, equality constraints as compiled, warmstart and
 * applied forces zero. */
PH_API ph_status ph_sim_reset(ph_sim *sim);

/* Applies edits to a private copy of the model. PH_EMISMATCH names field and both shapes, or the
 * element that is not a number. */
PH_API ph_status ph_sim_edit(ph_sim *sim, const ph_edit *edits, size_t n);

/* Writes every component that the row has; others get their reset value. Derived quantities are
 * stale until ph_sim_forward. PH_ESIM: a fatal error of the engine left the simulation undefined;
 * only ph_sim_reset helps. Values are not checked here. */
PH_API ph_status ph_sim_set_row(ph_sim *sim, const ph_row *row);

/* The row of the current state: pointers into the sim's own buffers, valid until its next call.
 * predicate and action_state are NULL, as are components of which the model has none but
 * warmstart, ctrl and forces. Bits as the integrator left them. PH_ESIM as above. */
PH_API ph_status ph_sim_get_row(const ph_sim *sim, ph_row *row);

/* One control step: writes ctrl (nu) once, then n substeps. *warned: a MuJoCo warning counter rose.
 * PH_ESIM: a number of ctrl is not finite or beyond 1e10 (nothing is stepped then), the state
 * became non-finite or that large, the engine reset the scene or stopped; the text names what. */
PH_API ph_status ph_sim_step(ph_sim *sim, const double *ctrl, int n, bool *warned);

/* Recomputes all derived quantities; time, qpos, qvel, act, warmstart and mocap keep their bits
 * (MuJoCo's own mj_forward changes warmstart and renormalizes quaternions in place). PH_ESIM: a
 * number of the state is not finite or beyond 1e10, named; nothing is computed then. Or a fatal
 * error of the engine, now or before. */
PH_API ph_status ph_sim_forward(ph_sim *sim);
/* World rotation (4, w first, unit) of a body, as the last ph_sim_forward left it. Borrowed until
 * the sim's next call. NULL: there is no such body. */
PH_API const double *ph_sim_body_quat(const ph_sim *sim, int body);

/* Hash that tells whether bits can be expected to repeat: libm probe, 300 steps of a built-in
 * model, glibc version, MuJoCo version, architecture. 16 hex digits; static after the first call.
 */
PH_API const char *ph_substrate(void);

/* Version of the MuJoCo library in use, "2.2.2"; static. PH_EMISMATCH from ph_engine_check when
 * the library that runs is not the one whose headers were compiled in; names both. */
PH_API const char *ph_engine_version(void);
PH_API ph_status ph_engine_check(void);

#ifdef __cplusplus
}
#endif
#endif
