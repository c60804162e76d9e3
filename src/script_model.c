#include "script_lua.h"

#include <stdio.h>
#include <string.h>

#include "mj.h"
#include "name.h"

/* The model's fields by name: env.model, where reset writes them, and s.model, which only reads. */

#define META_MODEL "playhead.model"
#define META_KIND "playhead.kind"
#define META_FIELDS "playhead.fields"

/* Index of the object that argument 2 names; raises an error with near misses. */
int ph_script_find(lua_State *L, const char *group, const char *noun, ph_kind kind) {
  const ph_model *model = ph_script_readable(L)->model;
  if (lua_type(L, 2) != LUA_TSTRING)
    return luaL_error(L, "%s: is indexed by names, not by a %s", group, luaL_typename(L, 2));
  const char *name = lua_tostring(L, 2);
  int i = name[0] ? ph_model_find(model, kind, name) : -1;
  if (i < 0) {
    char what[100];
    snprintf(what, sizeof what, "%s: no %s", group, noun);
    return ph_script_unknown_name(L, what, name, model, kind);
  }
  return i;
}

/* --- env.model.body.table.pos --- */

typedef struct kind_info {
  const char *name, *prefix;
  ph_kind kind;
} kind_info;

static const kind_info kinds[] = {
    {"body", "body_", PH_BODY},       {"geom", "geom_", PH_GEOM},
    {"joint", "jnt_", PH_JOINT},      {"dof", "dof_", PH_JOINT}, /* of a joint: damping, armature */
    {"site", "site_", PH_SITE},       {"actuator", "actuator_", PH_ACTUATOR},
    {"tendon", "tendon_", PH_TENDON}, {"sensor", "sensor_", PH_SENSOR},
    {"equality", "eq_", PH_EQUALITY},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* One object of the model. */
typedef struct fields {
  const kind_info *kind;
  int index;
} fields;

static int unknown_field(lua_State *L, const fields *o, const char *field) {
  const ph_sim *sim = ph_script_readable(L);
  size_t skip = strlen(o->kind->prefix);
  ph_near near;
  ph_field f;
  char text[300];
  ph_near_begin(&near, field);
  for (int i = 0; ph_mj_field_at(sim->m, i, &f); i++)
    if (strncmp(f.name, o->kind->prefix, skip) == 0)
      ph_near_add(&near, f.name + skip);
  ph_script_charge(L, 10000);
  return luaL_error(L, "model.%s.%s: no field '%s' that may change%s", o->kind->name,
                    ph_model_name(sim->model, o->kind->kind, o->index), field,
                    ph_near_text(&near, text, sizeof text));
}

static void field_vector(lua_State *L, ph_vector *v) {
  static const int dofs[] = {[PH_FREE] = 6, [PH_BALL] = 3, [PH_SLIDE] = 1, [PH_HINGE] = 1};
  const fields *o = lua_touserdata(L, 1);
  const ph_sim *sim = ph_script_readable(L);
  const char *field = luaL_checkstring(L, 2);
  ph_field f;
  *v = (ph_vector){.array = PH_A_FIELD};
  int length = snprintf(v->field, sizeof v->field, "%s%s", o->kind->prefix, field);
  if (length >= (int)sizeof v->field || !ph_mj_field(sim->m, v->field, &f))
    unknown_field(L, o, field);
  snprintf(v->label, sizeof v->label, "model.%s.%.30s.%.30s", o->kind->name,
           ph_model_name(sim->model, o->kind->kind, o->index), field);
  int row = o->index, rows = 1;
  if (strcmp(o->kind->name, "dof") == 0) {
    const ph_joint_info *joint = ph_model_joint(sim->model, o->index);
    row = joint->dofadr;
    rows = dofs[joint->type];
  }
  if (row + rows > f.rows)
    luaL_error(L, "%s: is not a field of one %s", v->label, o->kind->name);
  v->offset = row * f.cols;
  v->n = rows * f.cols;
}

static int fields_index(lua_State *L) {
  ph_vector v;
  field_vector(L, &v);
  return ph_script_push_vector(L, &v);
}

static int fields_newindex(lua_State *L) {
  ph_vector v;
  ph_script_need_sim(L);
  field_vector(L, &v);
  return ph_script_assign(L, &v, 3);
}

static int kind_index(lua_State *L) {
  const kind_info *kind = &kinds[*(const int *)lua_touserdata(L, 1)];
  char group[40];
  snprintf(group, sizeof group, "model.%s", kind->name);
  int i = ph_script_find(L, group, kind->kind == PH_JOINT ? "joint" : kind->name, kind->kind);
  fields *o = lua_newuserdatauv(L, sizeof *o, 0);
  *o = (fields){kind, i};
  luaL_setmetatable(L, META_FIELDS);
  return 1;
}

/* Constants of the model; false where name is none. */
static bool push_constant(lua_State *L, const char *name) {
  const ph_sim *sim = ph_script_readable(L);
  const mjModel *m = sim->m;
  const struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"nq", m->nq},       {"nv", m->nv},        {"nu", m->nu},
               {"na", m->na},       {"nbody", m->nbody},  {"njnt", m->njnt},
               {"ngeom", m->ngeom}, {"nsite", m->nsite},  {"nsensor", m->nsensor},
               {"neq", m->neq},     {"nmocap", m->nmocap}};
  if (strcmp(name, "timestep") == 0) {
    lua_pushnumber(L, m->opt.timestep);
    return true;
  }
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    if (strcmp(name, sizes[i].name) == 0) {
      lua_pushinteger(L, sizes[i].value);
      return true;
    }
  }
  return false;
}

static int model_index(lua_State *L) {
  static const char *const known[] = {
      "timestep", "nq",       "nv",     "nu",     "na",       "nbody", "njnt",  "ngeom",
      "nsite",    "nsensor",  "neq",    "nmocap", "body",     "geom",  "joint", "dof",
      "site",     "actuator", "tendon", "sensor", "equality", NULL};
  const char *name = luaL_checkstring(L, 2);
  for (int i = 0; i < KINDS; i++) {
    if (strcmp(name, kinds[i].name) == 0) {
      *(int *)lua_newuserdatauv(L, sizeof i, 0) = i;
      luaL_setmetatable(L, META_KIND);
      return 1;
    }
  }
  return push_constant(L, name) ? 1 : ph_script_unknown(L, "the model has no", name, known);
}

static int name_a_field(lua_State *L) {
  return luaL_error(L, "set one field of one object: env.model.body.NAME.pos = {x, y, z}");
}

void ph_script_push_model(lua_State *L) {
  lua_newuserdatauv(L, 0, 0);
  luaL_setmetatable(L, META_MODEL);
}

void ph_script_open_model(lua_State *L) {
  static const luaL_Reg of_model[] = {
      {"__index", model_index}, {"__newindex", name_a_field}, {NULL, NULL}};
  static const luaL_Reg of_kind[] = {
      {"__index", kind_index}, {"__newindex", name_a_field}, {NULL, NULL}};
  static const luaL_Reg of_fields[] = {
      {"__index", fields_index}, {"__newindex", fields_newindex}, {NULL, NULL}};
  ph_script_metatable(L, META_MODEL, of_model);
  ph_script_metatable(L, META_KIND, of_kind);
  ph_script_metatable(L, META_FIELDS, of_fields);
}
