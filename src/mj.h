/* The only door to MuJoCo: 2.2.2 and 3.x behind one face. Whatever can raise MuJoCo's fatal error runs
 * inside a guard: our handler leaves by longjmp to it and marks the data invalid; with no guard
 * active the host's handler is called. Files that read mjModel or mjData fields include this. */
#ifndef PLAYHEAD_MJ_H
#define PLAYHEAD_MJ_H

#include <mujoco/mujoco.h>

#include "model.h"

/* Runs fn(arg) guarded. PH_ESIM with MuJoCo's text when it raised a fatal error. Not to be nested
 * around code that holds locks or owns memory. */
ph_status ph_mj_guard(void (*fn)(void *), void *arg);

/* Compiles a self-contained source through a VFS. PH_EMODEL with the compiler's text. */
ph_status ph_mj_compile(mjModel **out, const ph_source *source);
ph_status ph_mj_copy_model(mjModel **out, const mjModel *m);
void ph_mj_free_model(mjModel *m);
/* Names, sizes and facts of a compiled model; names is filled from empty. */
ph_status ph_mj_describe(const mjModel *m, ph_names *names, ph_model_facts *facts);
int ph_mj_object(ph_kind kind); /* mjtObj */

/* --- state, component by component, by name ---------------------------------------------------- */

/* Elements of a row column for this model; 0 where it has none. */
int ph_mj_width(const mjModel *m, ph_column col);
/* Copies a component between data and a flat array of ph_mj_width elements (u8 for eq_active). */
void ph_mj_get(const mjModel *m, const mjData *d, ph_column col, void *out);
void ph_mj_set(mjModel *m, mjData *d, ph_column col, const void *in);
/* The component's value after a reset of the model as compiled (m0), for "left out" columns. */
void ph_mj_reset_value(const mjModel *m0, ph_column col, void *out);

/* --- fields that a reset may change ------------------------------------------------------------- */

typedef struct ph_field {
  char name[40]; /* "body_pos" */
  ph_type type;  /* PH_F64, PH_F32, PH_I32, PH_U8 */
  int rows, cols;
  void *data;    /* into the model */
} ph_field;

/* Finds an editable field by name; false if there is none. */
bool ph_mj_field(mjModel *m, const char *name, ph_field *out);
/* The i-th editable field, false past the last. */
bool ph_mj_field_at(mjModel *m, int i, ph_field *out);

/* --- stepping ------------------------------------------------------------------------------------ */

struct ph_sim {
  const ph_model *model; /* referenced */
  mjModel *m;            /* model->m, or a private copy */
  bool private_model;
  mjData *d;
  bool invalid;          /* a fatal error left d undefined; only reset helps */
  /* buffers that ph_sim_get_row points into */
  double *state;
  uint8_t *eq_active;
  double *scratch; /* warmstart, qpos, mocap_quat around the pure forward */
};

/* mj_forward that puts warmstart, qpos and mocap_quat back; unguarded. */
void ph_mj_pure_forward(const mjModel *m, mjData *d, double *scratch);
size_t ph_mj_scratch_size(const mjModel *m); /* doubles */

#endif
