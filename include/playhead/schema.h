/* The one table of what an episode file holds (format version 1). Writer, reader, info, verify, cut
 * and the README's format section all walk it; nothing else names a dataset or an attribute. */
#ifndef PLAYHEAD_SCHEMA_H
#define PLAYHEAD_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <playhead/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PH_FORMAT_NAME "playhead"
#define PH_FORMAT_VERSION 1
#define PH_CRC_BLOCK_ROWS 256 /* rows that one CRC-32 covers */

typedef enum ph_type { PH_F64, PH_I64, PH_U8, PH_U32, PH_I32, PH_F32, PH_STRING } ph_type;

/* Bytes of one element; 0 for PH_STRING. */
PH_API size_t ph_type_size(ph_type type);
PH_API const char *ph_type_name(ph_type type);

/* How many rows a column has in an episode of A actions. */
typedef enum ph_rows {
  PH_ROWS_A,   /* one per action */
  PH_ROWS_S,   /* one per state: A+1 */
  PH_ROWS_ONE, /* one per episode, stored without the row dimension */
} ph_rows;

/* X(ID, path under /data/demo_k, type, rows, symbolic shape of a row ("" scalar), unit, required,
 *   help). A column that is not required is left out when every row equals the model's reset value,
 * or where its help says so. */
#define PH_COLUMN_LIST(X)                                                                          \
  X(ACTIONS, "actions", PH_F64, PH_ROWS_A, "action_dim", "", true, "raw action of step t")         \
  X(STATES, "states", PH_F64, PH_ROWS_A, "1+nq+nv+na", "s|m,rad|m/s,rad/s|", true,                 \
    "time|qpos|qvel|act before action t")                                                          \
  X(REWARDS, "rewards", PH_F64, PH_ROWS_A, "", "", true, "reward of transition t")                 \
  X(DONES, "dones", PH_U8, PH_ROWS_A, "", "", true, "1: terminated or truncated")                  \
  X(FINAL_STATE, "playhead/final_state", PH_F64, PH_ROWS_ONE, "1+nq+nv+na", "s|m,rad|m/s,rad/s|",  \
    false, "the state after the last action, before any reset; a file without it has S = A")       \
  X(WARMSTART, "playhead/warmstart", PH_F64, PH_ROWS_S, "nv", "m/s^2,rad/s^2", true,               \
    "qacc_warmstart at state t")                                                                   \
  X(CTRL, "playhead/ctrl", PH_F64, PH_ROWS_S, "nu", "", true,                                      \
    "ctrl in force when state t was read; row 0 is what reset left")                               \
  X(CTRL_SUBSTEPS, "playhead/ctrl_substeps", PH_F64, PH_ROWS_A, "control_steps,nu", "", false,     \
    "ctrl of each substep, where a controller writes it within a step")                            \
  X(PREDICATE, "playhead/predicate", PH_U8, PH_ROWS_S, "", "", false,                              \
    "1: the task's condition is true at state t; absent without a task")                           \
  X(FLAGS, "playhead/flags", PH_U8, PH_ROWS_A, "", "", true,                                       \
    "1 terminated, 2 truncated, 4 clipped, 8 warned")                                              \
  X(ACTION_STATE, "playhead/action_state", PH_F64, PH_ROWS_S, "action_state", "", false,           \
    "memory of the action terms, where they have any")                                             \
  X(MOCAP_POS, "playhead/mocap_pos", PH_F64, PH_ROWS_S, "nmocap,3", "m", false,                    \
    "positions of the mocap bodies")                                                               \
  X(MOCAP_QUAT, "playhead/mocap_quat", PH_F64, PH_ROWS_S, "nmocap,4", "", false,                   \
    "orientations of the mocap bodies, w x y z")                                                   \
  X(USERDATA, "playhead/userdata", PH_F64, PH_ROWS_S, "nuserdata", "", false, "mjData.userdata")   \
  X(EQ_ACTIVE, "playhead/eq_active", PH_U8, PH_ROWS_S, "neq", "", false,                           \
    "1: the equality constraint is on")                                                            \
  X(PLUGIN_STATE, "playhead/plugin_state", PH_F64, PH_ROWS_S, "nplugin", "", false,                \
    "state of the engine's plugins")                                                               \
  X(QFRC_APPLIED, "playhead/qfrc_applied", PH_F64, PH_ROWS_S, "nv", "N,N m", false,                \
    "applied generalized force")                                                                   \
  X(XFRC_APPLIED, "playhead/xfrc_applied", PH_F64, PH_ROWS_S, "nbody,6", "N,N m", false,           \
    "applied force and torque per body")

typedef enum ph_column {
#define PH_COLUMN_ENUM(id, path, type, rows, shape, unit, required, help) PH_COL_##id,
  PH_COLUMN_LIST(PH_COLUMN_ENUM)
#undef PH_COLUMN_ENUM
      PH_COL_COUNT
} ph_column;

#define PH_COL_BIT(col) (1u << (col))

/* Sizes that the symbolic shapes name. */
typedef struct ph_dims {
  int nq, nv, nu, na;
  int nmocap, nuserdata, neq, nplugin, nbody;
  int action_dim;    /* length of the raw action */
  int action_state;  /* length of the action terms' memory */
  int control_steps; /* substeps in one control step */
} ph_dims;

typedef struct ph_column_info {
  ph_column id;
  const char *path; /* under /data/demo_<k> */
  ph_type type;
  ph_rows rows;
  const char *shape; /* symbolic, comma separated; "" scalar */
  const char *unit;
  bool required;
  const char *help;
} ph_column_info;

/* The table's line for a column; static, never NULL for a valid id. */
PH_API const ph_column_info *ph_schema_column(ph_column col);

/* The column whose path it is, or PH_COL_COUNT. */
PH_API ph_column ph_schema_find(const char *path);

/* Elements in one row of a column. 1 for a scalar column, 0 where a size is 0. */
PH_API size_t ph_schema_width(ph_column col, const ph_dims *dims);

/* Sizes of one row, most significant first, into shape[3]; returns their number, 0 to 3. */
PH_API int ph_schema_shape(ph_column col, const ph_dims *dims, int64_t shape[3]);

/* Where an attribute or an extra dataset of the format lives. */
typedef enum ph_place {
  PH_AT_ROOT,
  PH_AT_DATA,
  PH_AT_DEMO,
  PH_AT_MODEL,   /* /models/<sha256> */
  PH_AT_TASK,    /* /tasks/<sha256> */
  PH_AT_DATASET, /* a dataset that is not per step */
} ph_place;

/* The path of a place, "/data/demo_<k>"; static. */
PH_API const char *ph_schema_place(ph_place place);

typedef struct ph_attr_info {
  ph_place place;
  const char *name;
  ph_type type;
  bool required;
  const char *help;
} ph_attr_info;

/* All attributes of the format; *n gets their number. Static. */
PH_API const ph_attr_info *ph_schema_attrs(size_t *n);

/* A dataset that is not one value or row per step. A part of the path in <> stands for any name. */
typedef struct ph_extra_info {
  ph_place place;
  const char *path;  /* under the place, "assets/<name>" */
  const char *types; /* names of types, comma separated; "row" is a compound */
  const char *shape; /* in words of the format */
  bool required;     /* wherever its place is; never for a path with <> */
  const char *help;
} ph_extra_info;

/* All of them; *n gets their number. Static. */
PH_API const ph_extra_info *ph_schema_extras(size_t *n);

#define PH_SCHEMA_KINDS 9 /* PH_KIND_COUNT */
/* Name of the i-th ph_kind as in names/<kind>: "body", "joint", ... NULL past the last. Static. */
PH_API const char *ph_schema_kind(int i);

/* The format as markdown tables, for the README; the caller's (free). NULL: out of memory. */
PH_API char *ph_schema_markdown(void);

#ifdef __cplusplus
}
#endif
#endif
