/* The only door to MuJoCo: 2.2.2 and 3.x behind one face. Whatever can raise MuJoCo's fatal error
 * runs inside a guard: our handler leaves by longjmp to it and marks the data invalid; with no
 * guard active the host's handler is called. Files that read mjModel or mjData fields include this.
 *   mj.c guard, versions   mj_compile.c source -> model, names, hash
 *   mj_state.c components  mj_fields.c editable model fields  mj_schema.c attributes of MJCF */
#ifndef PLAYHEAD_MJ_H
#define PLAYHEAD_MJ_H

/* From 3.2.0 on MuJoCo's headers include C++ ones when read as C++; tests read this as C. */
#ifdef __cplusplus
extern "C++" {
#endif
#include <mujoco/mjxmacro.h>
#include <mujoco/mujoco.h>
#ifdef __cplusplus
}
#endif

#include "model.h"

/* Runs fn(arg) guarded. PH_ESIM with MuJoCo's text when it raised a fatal error. Not to be nested
 * around code that holds locks or owns memory. */
ph_status ph_mj_guard(void (*fn)(void *), void *arg);

/* The thread's last MuJoCo warning, which is never printed; "" before the first. */
const char *ph_mj_warning(void);

/* Machine architecture that this library was built for, "x86_64"; static. */
const char *ph_mj_arch(void);

/* Compiles a self-contained source through a VFS; one at a time in the process. PH_EMODEL with the
 * compiler's text on one line, or for an actuator that has not one control and one force (from
 * 3.11.0 on there are such). PH_EMISMATCH: see ph_engine_check. */
ph_status ph_mj_compile(mjModel **out, const ph_source *source);
/* Around fork(), the second one in the child too: nobody compiles meanwhile. */
void ph_mj_fork_begin(void);
void ph_mj_fork_end(void);
ph_status ph_mj_copy_model(mjModel **out, const mjModel *m);
void ph_mj_free_model(mjModel *m); /* Nullable */
ph_status ph_mj_make_data(mjData **out, const mjModel *m);
/* How often it was called in this process: each takes milliseconds and megabytes. */
size_t ph_mj_data_made(void);
/* Names, sizes and facts of a compiled model; names is filled from empty. */
ph_status ph_mj_describe(const mjModel *m, ph_names *names, ph_model_facts *facts);
/* Hash of sizes, options, statistics and every array: no padding, no address. */
ph_status ph_mj_hash(const mjModel *m, char hex[PH_SHA256_SIZE]);
int ph_mj_object(ph_kind kind); /* mjtObj */

/* Whether the engine's reader of MJCF refuses an attribute on every element of that name: a model
 * that has it does not compile. False where the element itself is not known. */
bool ph_mj_unknown(const char *element, const char *attribute);

/* Rows of constraints (njmax) beyond which a model makes every reset slow; 0: it never does. */
int ph_mj_rows_most(void);

/* --- state, component by component, by name --- */

/* Elements of a row column for this model; 0 where it has none. */
int ph_mj_width(const mjModel *m, ph_column col);
/* Copies a component between data and a flat array of ph_mj_width elements (u8 for eq_active). */
void ph_mj_get(const mjModel *m, const mjData *d, ph_column col, void *out);
void ph_mj_set(mjModel *m, mjData *d, ph_column col, const void *in);
/* The component's value after a reset of the model as compiled (m0), for "left out" columns. */
void ph_mj_reset_value(const mjModel *m0, ph_column col, void *out);
/* First activation of an actuator; -1: it has none. */
int ph_mj_act_address(const mjModel *m, int actuator);
/* The actuator that owns an activation; -1: none. */
int ph_mj_act_owner(const mjModel *m, int act);
/* The engine's plugin state; NULL where it has none. Borrowed. */
const double *ph_mj_plugin_state(const mjModel *m, const mjData *d);
/* Why these components are not all that the engine needs to go on bit for bit; NULL: they are.
 * Static. */
const char *ph_mj_unrestorable(const mjModel *m);

/* --- fields that a reset may change --- */

typedef struct ph_field {
  char name[40]; /* "body_pos", "opt_gravity" */
  ph_type type;  /* PH_F64, PH_F32, PH_I32, PH_U8 */
  int rows, cols;
  bool flag;  /* PH_U8 that the engine reads as a bool: it must hold 0 or 1 */
  void *data; /* into the model */
} ph_field;

/* Finds an editable field by name; false if there is none. */
bool ph_mj_field(mjModel *m, const char *name, ph_field *out);
/* The i-th editable field (it may have no elements), false past the last. */
bool ph_mj_field_at(mjModel *m, int i, ph_field *out);
/* The i-th array of the model in the engine's order, editable or not; false past the last. */
bool ph_mj_array_at(mjModel *m, int i, ph_field *out);
size_t ph_mj_field_size(const ph_field *field); /* bytes */
/* Finds the field that an edit is for; PH_EMISMATCH names what keeps it from being applied: no such
 * field, another type or shape, an element that is not a number. m is not written. */
ph_status ph_mj_edit_field(mjModel *m, const ph_edit *edit, ph_field *out);

/* --- stepping --- */

struct ph_sim {
  const ph_model *model; /* referenced */
  mjModel *m;            /* model->m, or a private copy */
  bool private_model;
  mjData *d;
  bool invalid; /* a fatal error left d undefined; only reset helps */
  bool stale;   /* derived quantities do not belong to the state */
  /* buffers that ph_sim_get_row points into */
  double *state;
  uint8_t *eq_active;
  double *scratch;           /* warmstart, qpos, mocap_quat around the pure forward */
  void *reset[PH_COL_COUNT]; /* the model's reset value of each component; NULL where it has none */
};

/* n substeps of a control step of which `done` have been: ph_sim_step in parts, with the same bits
 * and the same errors. The state is looked at after the last one. */
ph_status ph_sim_part(ph_sim *sim, const double *ctrl, int done, int n, bool last, bool *warned);

/* Gives the sim a model of its own, once; a script that is about to write model fields calls this
 * and then ph_mj_field(sim->m, ...). ph_sim_reset puts every editable field back. PH_ENOMEM. */
ph_status ph_sim_private_model(ph_sim *sim);

/* What the private model holds other than the compiled one: n edits with their data, the caller's;
 * free with ph_edits_free. Nothing changed: PH_OK, *n 0, *out NULL. */
ph_status ph_sim_diff_model(const ph_sim *sim, ph_edit **out, size_t *n);

/* mj_forward that puts warmstart, qpos and mocap_quat back; unguarded. */
void ph_mj_pure_forward(const mjModel *m, mjData *d, double *scratch);
size_t ph_mj_scratch_size(const mjModel *m); /* doubles */

#endif
