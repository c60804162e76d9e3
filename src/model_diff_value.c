#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_diff.h"

/* --- fields --- */

static const struct word {
  const char *field, *word, *unit;
  const char *columns; /* comma separated; "" for the first is no suffix */
} words[] = {
    {"qpos0", "reference", "", NULL},
    {"qpos_spring", "spring reference", "", NULL},
    {"body_pos", "position", " m", ".x,.y,.z"},
    {"body_quat", "orientation", "", ".w,.x,.y,.z"},
    {"body_ipos", "centre of mass", " m", ".x,.y,.z"},
    {"body_iquat", "inertial frame", "", ".w,.x,.y,.z"},
    {"body_mass", "mass", " kg", NULL},
    {"body_inertia", "inertia", " kg m^2", ".x,.y,.z"},
    {"body_gravcomp", "gravity compensation", "", NULL},
    {"jnt_pos", "position", " m", ".x,.y,.z"},
    {"jnt_axis", "axis", "", ".x,.y,.z"},
    {"jnt_range", "range", "", " from, to"},
    {"jnt_actfrcrange", "actuator force range", "", " from, to"},
    {"dof_frictionloss", "friction loss", "", NULL},
    {"geom_size", "size", " m", ",[1],[2]"},
    {"geom_pos", "position", " m", ".x,.y,.z"},
    {"geom_quat", "orientation", "", ".w,.x,.y,.z"},
    {"geom_friction", "friction", "", ", torsional, rolling"},
    {"geom_margin", "margin", " m", NULL},
    {"geom_gap", "gap", " m", NULL},
    {"geom_rgba", "colour", "", ".r,.g,.b,.a"},
    {"site_pos", "position", " m", ".x,.y,.z"},
    {"site_quat", "orientation", "", ".w,.x,.y,.z"},
    {"site_size", "size", " m", ",[1],[2]"},
    {"site_rgba", "colour", "", ".r,.g,.b,.a"},
    {"cam_pos", "position", " m", ".x,.y,.z"},
    {"cam_quat", "orientation", "", ".w,.x,.y,.z"},
    {"mat_rgba", "colour", "", ".r,.g,.b,.a"},
    {"tendon_rgba", "colour", "", ".r,.g,.b,.a"},
    {"tendon_frictionloss", "friction loss", "", NULL},
    {"tendon_range", "range", " m", " from, to"},
    {"actuator_gainprm", "gain", "", ",[1],[2],[3],[4],[5],[6],[7],[8],[9]"},
    {"actuator_biasprm", "bias", "", ",[1],[2],[3],[4],[5],[6],[7],[8],[9]"},
    {"actuator_dynprm", "dynamics", "", ",[1],[2],[3],[4],[5],[6],[7],[8],[9]"},
    {"actuator_gear", "gear", "", ",[1],[2],[3],[4],[5]"},
    {"actuator_ctrlrange", "ctrl range", "", " from, to"},
    {"actuator_forcerange", "force range", "", " from, to"},
    {"actuator_actrange", "activation range", "", " from, to"},
    {"actuator_trntype", "transmission", "", NULL},
    {"actuator_gaintype", "type of gain", "", NULL},
    {"actuator_biastype", "type of bias", "", NULL},
    {"actuator_dyntype", "type of dynamics", "", NULL},
    {"eq_active", "active", "", NULL},
    {"eq_active0", "active", "", NULL},
    {"body_parentid", "parent", "", NULL},
    {"jnt_bodyid", "body", "", NULL},
    {"geom_bodyid", "body", "", NULL},
    {"site_bodyid", "body", "", NULL},
    {"cam_bodyid", "body", "", NULL},
    {"light_bodyid", "body", "", NULL},
    {"geom_matid", "material", "", NULL},
    {"site_matid", "material", "", NULL},
    {"tendon_matid", "material", "", NULL},
    {"geom_dataid", "mesh", "", NULL},
    {"pair_geom1", "first geom", "", NULL},
    {"pair_geom2", "second geom", "", NULL},
    {"actuator_trnid", "target", "", ", second"},
    {"eq_obj1id", "first object", "", NULL},
    {"eq_obj2id", "second object", "", NULL},
    {"sensor_objid", "object", "", NULL},
    {"sensor_refid", "reference object", "", NULL},
};

static const struct word *word_of(const char *field) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i].field, field))
      return &words[i];
  return NULL;
}

const char *ph_value_word(const char *field) {
  const struct word *word = word_of(field);
  const char *low = strchr(field, '_');
  return word ? word->word : low ? low + 1 : field;
}

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with) {
  size_t n = strlen(text), m = strlen(with);
  return n >= m && strcmp(text + n - m, with) == 0;
}

static bool among(const char *field, const char *const *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(field, list[i]))
      return true;
  return false;
}

ph_field_rank ph_value_rank(const char *field) {
  static const char *const derived[] = {
      "body_subtreemass",  "body_invweight0",
      "body_simple",       "body_sameframe",
      "dof_invweight0",    "dof_M0",
      "dof_length",        "geom_rbound",
      "geom_sameframe",    "geom_aabb",
      "site_sameframe",    "tendon_length0",
      "tendon_invweight0", "actuator_acc0",
      "actuator_length0",  "cam_poscom0",
      "cam_pos0",          "cam_mat0",
      "light_poscom0",     "light_pos0",
      "light_dir0",        "actuator_lengthrange",
  };
  static const char *const skipped[] = {
      "jnt_type",         "body_rootid",     "body_weldid",       "body_mocapid", "body_treeid",
      "dof_bodyid",       "dof_jntid",       "dof_parentid",      "dof_treeid",   "dof_simplenum",
      "pair_signature",   "names",           "exclude_signature", "names_map",    "paths",
      "sensor_needstage", "sensor_datatype", "geom_plugin",       "mat_texid",
  };
  static const char *const picture[] = {"mat_",  "tex_",   "light_",   "cam_", "skin_",
                                        "text_", "tuple_", "numeric_", "key_", "bvh_"};
  if (among(field, derived, sizeof derived / sizeof *derived))
    return PH_FIELD_DERIVED;
  if (among(field, skipped, sizeof skipped / sizeof *skipped) || ends(field, "adr") ||
      (ends(field, "num") && strcmp(field, "actuator_ctrlnum")))
    return PH_FIELD_SKIPPED;
  for (size_t i = 0; i < sizeof picture / sizeof *picture; i++)
    if (begins(field, picture[i]))
      return PH_FIELD_PICTURE;
  if (ends(field, "_rgba") || ends(field, "_matid") || ends(field, "_group") ||
      ends(field, "_user") || !strcmp(field, "tendon_width") || begins(field, "site_size") ||
      begins(field, "site_type") || ends(field, "texcoord") || ends(field, "normal"))
    return PH_FIELD_PICTURE;
  return PH_FIELD_PHYSICS;
}

/* --- indices --- */

static int kind_of_type(int type) {
  if (type == mjOBJ_XBODY)
    return PH_OBJECT_BODY;
  for (int o = 0; o < PH_OBJECT_COUNT; o++)
    if (ph_object_of((ph_object)o)->type == type)
      return o;
  return -1;
}

static int kind_of_transmission(int type) {
  return type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT ? PH_OBJECT_JOINT
         : type == mjTRN_TENDON                             ? PH_OBJECT_TENDON
         : type == mjTRN_SITE || type == mjTRN_SLIDERCRANK  ? PH_OBJECT_SITE
         : type == mjTRN_BODY                               ? PH_OBJECT_BODY
                                                            : -1;
}

static int kind_of_equality(int type) {
  return type == mjEQ_CONNECT || type == mjEQ_WELD ? PH_OBJECT_BODY
         : type == mjEQ_JOINT                      ? PH_OBJECT_JOINT
         : type == mjEQ_TENDON                     ? PH_OBJECT_TENDON
                                                   : -1;
}

/* The kind of object that a row of the field points at; -1: it holds numbers. */
static int refers(const mjModel *m, const char *field, int row) {
  if (ends(field, "_bodyid") || !strcmp(field, "body_parentid"))
    return PH_OBJECT_BODY;
  if (ends(field, "_matid"))
    return PH_OBJECT_MATERIAL;
  if (begins(field, "pair_geom"))
    return PH_OBJECT_GEOM;
  if (!strcmp(field, "geom_dataid"))
    return m->geom_type[row] == mjGEOM_HFIELD ? PH_OBJECT_HFIELD : PH_OBJECT_MESH;
  if (!strcmp(field, "actuator_trnid"))
    return kind_of_transmission(m->actuator_trntype[row]);
  if (begins(field, "eq_obj") && ends(field, "id"))
    return kind_of_equality(m->eq_type[row]);
  if (!strcmp(field, "sensor_objid"))
    return kind_of_type(m->sensor_objtype[row]);
#if mjVERSION_HEADER >= 222
  if (!strcmp(field, "sensor_refid"))
    return kind_of_type(m->sensor_reftype[row]);
#endif
  return -1;
}

/* --- values --- */

static const void *at(const ph_field *field, int row, int col) {
  size_t i = (size_t)row * (size_t)field->cols + (size_t)col;
  return (const char *)field->data + i * ph_type_size(field->type);
}

static double number_at(const ph_field *field, int row, int col) {
  const void *p = at(field, row, col);
  switch (field->type) {
  case PH_F64:
    return *(const double *)p;
  case PH_F32:
    return (double)*(const float *)p;
  case PH_I32:
    return *(const int32_t *)p;
  default:
    return *(const uint8_t *)p;
  }
}

void ph_value_number(char *out, size_t size, double value, double other) {
  char opposite[40] = "";
  for (int digits = 4; digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, value);
    snprintf(opposite, sizeof opposite, "%.*g", digits, other);
    if (strcmp(out, opposite) && (digits >= 6 || strtod(out, NULL) == value))
      return;
  }
}

static bool same_element(const ph_differ *d, const ph_field *a, int row_a, const ph_field *b,
                         int row_b, int col) {
  int kind = a->type == PH_I32 ? refers(d->ma, a->name, row_a) : -1;
  if (kind >= 0 && kind == refers(d->mb, b->name, row_b)) {
    const ph_match *match = &d->match[kind];
    int i = *(const int32_t *)at(a, row_a, col), k = *(const int32_t *)at(b, row_b, col);
    return i >= 0 && i < match->a.n ? match->to[i] == k : i == k;
  }
  return memcmp(at(a, row_a, col), at(b, row_b, col), ph_type_size(a->type)) == 0;
}

static int columns(const ph_field *a, const ph_field *b) {
  return a->cols < b->cols ? a->cols : b->cols;
}

bool ph_value_equal(const ph_differ *d, const ph_field *a, int row_a, const ph_field *b,
                    int row_b) {
  for (int col = 0; col < columns(a, b); col++)
    if (!same_element(d, a, row_a, b, row_b, col))
      return false;
  return true;
}

static const char *geom_type(int v) {
  static const char *const names[] = {"plane",     "height field", "sphere", "capsule",
                                      "ellipsoid", "cylinder",     "box",    "mesh"};
  return v >= 0 && v < 8 ? names[v] : NULL;
}

static const char *joint_type(int v) {
  return v == mjJNT_FREE    ? "free"
         : v == mjJNT_BALL  ? "ball"
         : v == mjJNT_SLIDE ? "slide"
         : v == mjJNT_HINGE ? "hinge"
                            : NULL;
}

static const char *equality_type(int v) {
  return v == mjEQ_CONNECT  ? "connect"
         : v == mjEQ_WELD   ? "weld"
         : v == mjEQ_JOINT  ? "joint"
         : v == mjEQ_TENDON ? "tendon"
                            : NULL;
}

static const char *transmission(int v) {
  return v == mjTRN_JOINT           ? "joint"
         : v == mjTRN_JOINTINPARENT ? "joint in parent"
         : v == mjTRN_SLIDERCRANK   ? "slider-crank"
         : v == mjTRN_TENDON        ? "tendon"
         : v == mjTRN_SITE          ? "site"
         : v == mjTRN_BODY          ? "body"
                                    : NULL;
}

static const char *dynamics(int v) {
  return v == mjDYN_NONE         ? "none"
         : v == mjDYN_INTEGRATOR ? "integrator"
         : v == mjDYN_FILTER     ? "filter"
         : v == mjDYN_MUSCLE     ? "muscle"
                                 : NULL;
}

static const char *gain(int v) {
  return v == mjGAIN_FIXED    ? "fixed"
         : v == mjGAIN_AFFINE ? "affine"
         : v == mjGAIN_MUSCLE ? "muscle"
                              : NULL;
}

static const char *bias(int v) {
  return v == mjBIAS_NONE     ? "none"
         : v == mjBIAS_AFFINE ? "affine"
         : v == mjBIAS_MUSCLE ? "muscle"
                              : NULL;
}

static const char *enum_word(const ph_field *field, int value) {
  static const struct {
    const char *field;
    const char *(*word)(int);
  } enums[] = {
      {"geom_type", geom_type},       {"jnt_type", joint_type},
      {"eq_type", equality_type},     {"actuator_trntype", transmission},
      {"actuator_dyntype", dynamics}, {"actuator_gaintype", gain},
      {"actuator_biastype", bias},
  };
  for (size_t i = 0; i < sizeof enums / sizeof *enums; i++)
    if (!strcmp(enums[i].field, field->name))
      return enums[i].word(value);
  if (ends(field->name, "limited") || begins(field->name, "eq_active"))
    return value == 1 ? "yes" : value == 0 ? "no" : NULL;
  return NULL;
}

static void element(char *out, size_t size, const ph_differ *d, const ph_field *field, int row,
                    int col, double other, bool first) {
  const mjModel *m = first ? d->ma : d->mb;
  double value = number_at(field, row, col);
  const char *word =
      field->type == PH_I32 || field->type == PH_U8 ? enum_word(field, (int)value) : NULL;
  int kind = field->type == PH_I32 ? refers(m, field->name, row) : -1;
  if (word) {
    snprintf(out, size, "%s", word);
  } else if (kind >= 0) {
    const ph_side *side = first ? &d->match[kind].a : &d->match[kind].b;
    int i = (int)value;
    snprintf(out, size, "%.60s", i >= 0 && i < side->n ? side->label[i] : "none");
  } else if (field->type == PH_F32) {
    char close[40];
    for (int digits = 4; digits <= 9; digits++) {
      snprintf(out, size, "%.*g", digits, value);
      snprintf(close, sizeof close, "%.*g", digits, other);
      if (strcmp(out, close))
        return;
    }
  } else {
    ph_value_number(out, size, value, other);
  }
}

/* The unit of a joint's own numbers. */
static const char *joint_unit(const ph_differ *d, const char *field, int row) {
  bool hinge;
  if (strcmp(field, "jnt_range") && strcmp(field, "jnt_margin"))
    return "";
  hinge = d->ma->jnt_type[row] == mjJNT_HINGE || d->ma->jnt_type[row] == mjJNT_BALL;
  return hinge ? " rad" : " m";
}

static void column_name(char *out, size_t size, const struct word *word, const ph_field *field,
                        int col) {
  const char *at_name = word ? word->columns : NULL;
  for (int i = 0; at_name && i < col; i++) {
    at_name = strchr(at_name, ',');
    at_name = at_name ? at_name + 1 : NULL;
  }
  if (at_name)
    snprintf(out, size, "%.*s", (int)strcspn(at_name, ","), at_name);
  else if (field->cols > 1)
    snprintf(out, size, "[%d]", col);
  else
    out[0] = 0;
}

void ph_value_change(char *out, size_t size, const ph_differ *d, const ph_field *a, int row_a,
                     const ph_field *b, int row_b) {
  const struct word *word = word_of(a->name);
  const char *unit = word && word->unit[0] ? word->unit : joint_unit(d, a->name, row_a);
  size_t used = (size_t)snprintf(out, size, "%s", ph_value_word(a->name));
  int said = 0, others = 0;
  for (int col = 0; col < columns(a, b); col++) {
    char was[80], is[80], name[24];
    if (same_element(d, a, row_a, b, row_b, col))
      continue;
    if (said >= 2) {
      others++;
      continue;
    }
    element(was, sizeof was, d, a, row_a, col, number_at(b, row_b, col), true);
    element(is, sizeof is, d, b, row_b, col, number_at(a, row_a, col), false);
    column_name(name, sizeof name, word, a, col);
    if (used < size)
      used += (size_t)snprintf(out + used, size - used, "%s%s %s%s -> %s%s", said++ ? "," : "",
                               name, was, unit, is, unit);
  }
  if (others > 0 && used < size)
    snprintf(out + used, size - used, " and %d more of it", others);
}
