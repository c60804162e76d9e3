/* What the files of the comparison of two models share.
 *   model_diff.c         names and order, sizes; the list of lines
 *   model_diff_match.c   which object of one is which of the other
 *   model_diff_options.c timestep, solver, flags
 *   model_diff_fields.c  arrays of the objects     model_diff_value.c  two values in words */
#ifndef PLAYHEAD_MODEL_DIFF_PRIVATE_H
#define PLAYHEAD_MODEL_DIFF_PRIVATE_H

#include <playhead/model_diff.h>

#include "mj.h"

/* Objects of the engine that have names. X(ID, prefix of its arrays, singular, plural, mjtObj,
 * count, rows): rows 1: what an episode's rows hold depends on them. */
#define PH_OBJECT_LIST(X)                                                                          \
  X(JOINT, "jnt_", "joint", "joints", mjOBJ_JOINT, njnt, 1)                                        \
  X(ACTUATOR, "actuator_", "actuator", "actuators", mjOBJ_ACTUATOR, nu, 1)                         \
  X(BODY, "body_", "body", "bodies", mjOBJ_BODY, nbody, 1)                                         \
  X(EQUALITY, "eq_", "equality", "equalities", mjOBJ_EQUALITY, neq, 1)                             \
  X(GEOM, "geom_", "geom", "geoms", mjOBJ_GEOM, ngeom, 0)                                          \
  X(SITE, "site_", "site", "sites", mjOBJ_SITE, nsite, 0)                                          \
  X(TENDON, "tendon_", "tendon", "tendons", mjOBJ_TENDON, ntendon, 0)                              \
  X(SENSOR, "sensor_", "sensor", "sensors", mjOBJ_SENSOR, nsensor, 0)                              \
  X(PAIR, "pair_", "contact pair", "contact pairs", mjOBJ_PAIR, npair, 0)                          \
  X(EXCLUDE, "exclude_", "contact exclusion", "contact exclusions", mjOBJ_EXCLUDE, nexclude, 0)    \
  X(MESH, "mesh_", "mesh", "meshes", mjOBJ_MESH, nmesh, 0)                                         \
  X(HFIELD, "hfield_", "height field", "height fields", mjOBJ_HFIELD, nhfield, 0)                  \
  X(KEY, "key_", "keyframe", "keyframes", mjOBJ_KEY, nkey, 0)                                      \
  X(NUMERIC, "numeric_", "numeric", "numerics", mjOBJ_NUMERIC, nnumeric, 0)                        \
  X(TEXT, "text_", "text", "texts", mjOBJ_TEXT, ntext, 0)                                          \
  X(TUPLE, "tuple_", "tuple", "tuples", mjOBJ_TUPLE, ntuple, 0)                                    \
  X(CAMERA, "cam_", "camera", "cameras", mjOBJ_CAMERA, ncam, 0)                                    \
  X(LIGHT, "light_", "light", "lights", mjOBJ_LIGHT, nlight, 0)                                    \
  X(MATERIAL, "mat_", "material", "materials", mjOBJ_MATERIAL, nmat, 0)                            \
  X(TEXTURE, "tex_", "texture", "textures", mjOBJ_TEXTURE, ntex, 0)                                \
  X(SKIN, "skin_", "skin", "skins", mjOBJ_SKIN, nskin, 0)

typedef enum ph_object {
#define PH_OBJECT_ENUM(id, prefix, word, words, type, count, rows) PH_OBJECT_##id,
  PH_OBJECT_LIST(PH_OBJECT_ENUM)
#undef PH_OBJECT_ENUM
      PH_OBJECT_COUNT
} ph_object;

typedef struct ph_object_info {
  const char *prefix, *word, *words;
  int type;
  bool rows;
} ph_object_info;
const ph_object_info *ph_object_of(ph_object o); /* static */

/* Objects of one kind of one model. */
typedef struct ph_side {
  int n;
  char **key;   /* what it is known by: its name, or its place in its body */
  char **label; /* as it is written: "cup", "12", "12 (of cup)" */
  bool *named;
} ph_side;

typedef struct ph_match {
  ph_side a, b;
  int *to, *from; /* index in b of each of a, and back; -1: none */
} ph_match;

typedef struct ph_differ {
  const ph_model *a, *b;
  mjModel *ma, *mb; /* only read; NULL where one did not compile */
  ph_match match[PH_OBJECT_COUNT];
  ph_model_diff *out;
  size_t room;
} ph_differ;

/* Adds a line; what has no room any more only counts. */
void ph_differ_add(ph_differ *d, bool structure, const char *fmt, ...) PH_PRINTF(3, 4);

/* Fills match for all kinds. PH_ENOMEM; free in either case. */
ph_status ph_match_all(ph_differ *d);
void ph_match_free(ph_differ *d);
int ph_object_count(const mjModel *m, ph_object o);

void ph_differ_options(ph_differ *d);
/* PH_ENOMEM. */
ph_status ph_differ_fields(ph_differ *d);
/* Whether two models in which nothing else differs are the same to the last byte; if not, says so.
 */
void ph_differ_rest(ph_differ *d);

/* "0.6", as short as keeps it apart from `other`. */
void ph_value_number(char *out, size_t size, double value, double other);
/* "friction 0.6 -> 1", "pos.z 0.1 m -> 0.2 m", "type box -> sphere" of one row of a field in two
 * models. */
void ph_value_change(char *out, size_t size, const ph_differ *d, const ph_field *a, int row_a,
                     const ph_field *b, int row_b);
/* The word for a field, "friction". */
const char *ph_value_word(const char *field);
bool ph_value_equal(const ph_differ *d, const ph_field *a, int row_a, const ph_field *b, int row_b);

typedef enum ph_field_rank {
  PH_FIELD_PHYSICS,
  PH_FIELD_PICTURE, /* of no consequence for states */
  PH_FIELD_DERIVED, /* the compiler's result of others */
  PH_FIELD_SKIPPED, /* addresses and counts */
} ph_field_rank;
ph_field_rank ph_value_rank(const char *field);

#endif
