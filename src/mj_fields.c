#include "mj.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "fail.h"

/* Every array of mjModel by MuJoCo's own table: names, order and sizes are its version's. */
enum {
#define X(type, name, nr, nc) ARRAY_##name,
  MJMODEL_POINTERS
#undef X
      ARRAY_COUNT
};

#define TYPE_OF(pointer)                                                                           \
  _Generic((pointer), mjtNum * : PH_F64, float * : PH_F32, int * : PH_I32, default : PH_U8)

/* Flags are bool from 3.9.0 on; before they are bytes like any other. */
#define IS_FLAG(pointer) _Generic((pointer), _Bool * : true, default : false)

static const struct array {
  const char *name;
  size_t offset; /* of the pointer in mjModel */
  ph_type type;
  bool flag;
} arrays[] = {
#define X(type, name, nr, nc)                                                                      \
  {#name, offsetof(mjModel, name), TYPE_OF(((mjModel *)0)->name), IS_FLAG(((mjModel *)0)->name)},
    MJMODEL_POINTERS
#undef X
};

static void array_shape(const mjModel *m, int i, int *rows, int *cols) {
  MJMODEL_POINTERS_PREAMBLE(m)
  switch (i) {
#define X(type, name, nr, nc)                                                                      \
  case ARRAY_##name:                                                                               \
    *rows = (int)m->nr;                                                                            \
    *cols = (int)(nc);                                                                             \
    break;
    MJMODEL_POINTERS
#undef X
  }
}

/* What a reset may change: numbers of the physics and of the picture, and what mj_setConst derives
 * from them. Topology, addresses and counts are not here, nor is eq_active, which is state. Names
 * that a version lacks are passed over. */
static const char *const editable[] = {
    "qpos0",
    "qpos_spring",
    "body_pos",
    "body_quat",
    "body_ipos",
    "body_iquat",
    "body_mass",
    "body_subtreemass",
    "body_inertia",
    "body_invweight0",
    "body_gravcomp",
    "body_margin",
    "body_sameframe",
    "body_simple",
    "body_user",
    "jnt_limited",
    "jnt_actfrclimited",
    "jnt_actgravcomp",
    "jnt_solref",
    "jnt_solimp",
    "jnt_pos",
    "jnt_axis",
    "jnt_stiffness",
    "jnt_stiffnesspoly",
    "jnt_range",
    "jnt_actfrcrange",
    "jnt_margin",
    "jnt_user",
    "dof_solref",
    "dof_solimp",
    "dof_frictionloss",
    "dof_armature",
    "dof_damping",
    "dof_dampingpoly",
    "dof_invweight0",
    "dof_M0",
    "dof_length",
    "geom_contype",
    "geom_conaffinity",
    "geom_condim",
    "geom_matid",
    "geom_group",
    "geom_priority",
    "geom_sameframe",
    "geom_solmix",
    "geom_solref",
    "geom_solimp",
    "geom_size",
    "geom_aabb",
    "geom_rbound",
    "geom_pos",
    "geom_quat",
    "geom_friction",
    "geom_margin",
    "geom_gap",
    "geom_fluid",
    "geom_user",
    "geom_rgba",
    "site_type",
    "site_matid",
    "site_group",
    "site_sameframe",
    "site_size",
    "site_pos",
    "site_quat",
    "site_user",
    "site_rgba",
    "cam_mode",
    "cam_pos",
    "cam_quat",
    "cam_poscom0",
    "cam_pos0",
    "cam_mat0",
    "cam_fovy",
    "cam_ipd",
    "cam_user",
    "light_directional",
    "light_type",
    "light_castshadow",
    "light_active",
    "light_bulbradius",
    "light_intensity",
    "light_range",
    "light_pos",
    "light_dir",
    "light_poscom0",
    "light_pos0",
    "light_dir0",
    "light_attenuation",
    "light_cutoff",
    "light_exponent",
    "light_ambient",
    "light_diffuse",
    "light_specular",
    "hfield_size",
    "hfield_data",
    "mat_emission",
    "mat_specular",
    "mat_shininess",
    "mat_reflectance",
    "mat_metallic",
    "mat_roughness",
    "mat_rgba",
    "pair_dim",
    "pair_solref",
    "pair_solreffriction",
    "pair_solimp",
    "pair_margin",
    "pair_gap",
    "pair_friction",
    "eq_solref",
    "eq_solimp",
    "eq_data",
    "tendon_limited",
    "tendon_actfrclimited",
    "tendon_width",
    "tendon_solref_lim",
    "tendon_solimp_lim",
    "tendon_solref_fri",
    "tendon_solimp_fri",
    "tendon_range",
    "tendon_actfrcrange",
    "tendon_margin",
    "tendon_stiffness",
    "tendon_stiffnesspoly",
    "tendon_damping",
    "tendon_dampingpoly",
    "tendon_armature",
    "tendon_frictionloss",
    "tendon_lengthspring",
    "tendon_length0",
    "tendon_invweight0",
    "tendon_user",
    "tendon_rgba",
    "wrap_prm",
    "actuator_ctrllimited",
    "actuator_forcelimited",
    "actuator_actlimited",
    "actuator_actearly",
    "actuator_dynprm",
    "actuator_gainprm",
    "actuator_biasprm",
    "actuator_ctrlrange",
    "actuator_forcerange",
    "actuator_actrange",
    "actuator_gear",
    "actuator_damping",
    "actuator_dampingpoly",
    "actuator_armature",
    "actuator_cranklength",
    "actuator_acc0",
    "actuator_length0",
    "actuator_lengthrange",
    "actuator_user",
    "sensor_cutoff",
    "sensor_noise",
    "sensor_user",
    "numeric_data",
};
enum { EDITABLE = sizeof editable / sizeof *editable };

/* Options; timestep, integrator and solver are the recording's, not a reset's. */
static const struct option_field {
  const char *name;
  size_t offset;
  int cols;
} options[] = {
    {"opt_gravity", offsetof(mjModel, opt.gravity), 3},
    {"opt_wind", offsetof(mjModel, opt.wind), 3},
    {"opt_magnetic", offsetof(mjModel, opt.magnetic), 3},
    {"opt_density", offsetof(mjModel, opt.density), 1},
    {"opt_viscosity", offsetof(mjModel, opt.viscosity), 1},
    {"opt_impratio", offsetof(mjModel, opt.impratio), 1},
    {"opt_o_margin", offsetof(mjModel, opt.o_margin), 1},
    {"opt_o_solref", offsetof(mjModel, opt.o_solref), mjNREF},
    {"opt_o_solimp", offsetof(mjModel, opt.o_solimp), mjNIMP},
};
enum { OPTIONS = sizeof options / sizeof *options };

static pthread_once_t sorted = PTHREAD_ONCE_INIT;
static int order[EDITABLE]; /* index into arrays */
static int norder;

static void sort_fields(void) {
  for (int i = 0; i < EDITABLE; i++)
    for (int k = 0; k < ARRAY_COUNT; k++)
      if (!strcmp(editable[i], arrays[k].name))
        order[norder++] = k;
}

static void field_name(ph_field *field, const char *name) {
  memset(field->name, 0, sizeof field->name);
  memcpy(field->name, name, strnlen(name, sizeof field->name - 1));
}

static void array_field(mjModel *m, int k, ph_field *out) {
  field_name(out, arrays[k].name);
  out->type = arrays[k].type;
  out->flag = arrays[k].flag;
  out->rows = out->cols = 0;
  array_shape(m, k, &out->rows, &out->cols);
  memcpy(&out->data, (char *)m + arrays[k].offset, sizeof out->data);
}

static void option_field(mjModel *m, int k, ph_field *out) {
  field_name(out, options[k].name);
  out->type = PH_F64;
  out->flag = false;
  out->rows = 1;
  out->cols = options[k].cols;
  out->data = (char *)m + options[k].offset;
}

bool ph_mj_array_at(mjModel *m, int i, ph_field *out) {
  if (i < 0 || i >= ARRAY_COUNT)
    return false;
  array_field(m, i, out);
  return true;
}

bool ph_mj_field_at(mjModel *m, int i, ph_field *out) {
  pthread_once(&sorted, sort_fields);
  if (i < 0 || i >= norder + OPTIONS)
    return false;
  if (i < norder)
    array_field(m, order[i], out);
  else
    option_field(m, i - norder, out);
  return true;
}

bool ph_mj_field(mjModel *m, const char *name, ph_field *out) {
  pthread_once(&sorted, sort_fields);
  for (int i = 0; i < norder; i++)
    if (!strcmp(arrays[order[i]].name, name))
      return ph_mj_field_at(m, i, out);
  for (int i = 0; i < OPTIONS; i++)
    if (!strcmp(options[i].name, name))
      return ph_mj_field_at(m, norder + i, out);
  return false;
}

size_t ph_mj_field_size(const ph_field *field) {
  return (size_t)field->rows * (size_t)field->cols * ph_type_size(field->type);
}

static bool edit_nan(const ph_edit *edit, size_t i) {
  return (edit->type == PH_F64 && isnan(((const double *)edit->data)[i])) ||
         (edit->type == PH_F32 && isnan(((const float *)edit->data)[i]));
}

ph_status ph_mj_edit_field(mjModel *m, const ph_edit *edit, ph_field *out) {
  if (!ph_mj_field(m, edit->field, out))
    return ph_fail(PH_EMISMATCH, "model edit: %.40s: this engine has no such field to edit",
                   edit->field);
  if (edit->type != out->type || edit->shape[0] != out->rows || edit->shape[1] != out->cols)
    return ph_fail(PH_EMISMATCH,
                   "model edit: %s: the edit is %s (%lld x %lld), the model's is %s (%d x %d)",
                   out->name, ph_type_name(edit->type), (long long)edit->shape[0],
                   (long long)edit->shape[1], ph_type_name(out->type), out->rows, out->cols);
  size_t n = (size_t)out->rows * (size_t)out->cols;
  for (size_t i = 0; i < n; i++)
    if (edit_nan(edit, i))
      return ph_fail(PH_EMISMATCH, "model edit: %s[%zu][%zu] is not a number", out->name,
                     i / (size_t)out->cols, i % (size_t)out->cols);
  return PH_OK;
}
