#include "script_lua.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mj.h"
#include "name.h"

/* `s` is built once per script and model: s -> group (s.joint) -> number or object (s.body.cup).
 * Each group keeps a table name -> index or object, so that at steady state a read makes nothing.
 */

#define META_ROOT "playhead.s"
#define META_GROUP "playhead.group"
#define META_OBJECT "playhead.object"
#define META_ACTION "playhead.action"

typedef enum group_id {
  G_JOINT,
  G_QVEL,
  G_BODY,
  G_SITE,
  G_GEOM,
  G_SENSOR,
  G_CTRL,
  G_COUNT
} group_id;

static const ph_script_group_info groups[G_COUNT] = {
    [G_JOINT] = {"joint", "joint", PH_JOINT},     [G_QVEL] = {"qvel", "joint", PH_JOINT},
    [G_BODY] = {"body", "body", PH_BODY},         [G_SITE] = {"site", "site", PH_SITE},
    [G_GEOM] = {"geom", "geom", PH_GEOM},         [G_SENSOR] = {"sensor", "sensor", PH_SENSOR},
    [G_CTRL] = {"ctrl", "actuator", PH_ACTUATOR},
};

/* s and s.start. */
typedef struct root {
  bool start;
} root;

typedef struct group {
  group_id id;
  bool start;
} group;

/* A body, site, geom, or a ball or free joint. */
typedef struct object {
  group_id id;
  int index;
  bool start;
} object;

static const ph_scene *need_scene(lua_State *L) {
  const ph_scene *scene = ph_script_of(L)->scene;
  if (!scene)
    luaL_error(L, "s is only there while a function that was given it runs");
  return scene;
}

static const ph_view *need_view(lua_State *L, bool start) {
  const ph_scene *scene = need_scene(L);
  if (!start)
    return &ph_script_of(L)->now;
  if (!scene->start)
    luaL_error(L, "s.start: the values at step 0 are not known here");
  return ph_start_view(scene->start);
}

static void note_read(lua_State *L, const char *group_name, const char *name, const char *field,
                      double value) {
  ph_script_of(L)->read = (ph_read){group_name, name, field, value, ""};
}

/* What is the same at every step goes behind what is not: of s.body.cube.z > s.site.table.z + 0.1
 * the cube is what a person wants to see. */
static void note_object(lua_State *L, group_id id, const char *name, const char *field,
                        double value, bool still) {
  if (!still || !ph_script_of(L)->read.group)
    note_read(L, groups[id].name, name, field, value);
}

/* Whether nothing can move a body, site or geom: it is a part of the world. */
static bool is_still(const mjModel *m, ph_kind kind, int index) {
  int body = kind == PH_SITE   ? m->site_bodyid[index]
             : kind == PH_GEOM ? m->geom_bodyid[index]
             : kind == PH_BODY ? index
                               : -1;
  return body >= 0 && m->body_weldid[body] == 0 && m->body_mocapid[m->body_rootid[body]] < 0;
}

void ph_script_read_name(const ph_read *read, char *out, size_t size) {
  if (strcmp(read->group, "dist") == 0)
    snprintf(out, size, "dist(%s,%s)", read->name, read->field);
  else
    snprintf(out, size, "%s%s%s%s%s", read->group, read->name ? "." : "",
             read->name ? read->name : "", read->field ? "." : "", read->field ? read->field : "");
}

static int read_only(lua_State *L) {
  return luaL_error(L, "s is read only: conditions and rewards change nothing");
}

static void push_array(lua_State *L, const double *values, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushnumber(L, values[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* --- objects: s.body.cup.z --- */

static const char *const frame_fields[] = {"x", "y", "z", "pos", "quat", "up", NULL};
static const char *const axis_names[] = {"x", "y", "z"};
static const char *const ball_fields[] = {"quat", "up", NULL};

/* Height of the frame's z axis: 1 upright, 0 lying, -1 upside down. */
static double upright(const double q[4]) {
  return q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3];
}

/* pos stays as it is where the object has none. */
static void object_frame(lua_State *L, const object *o, double pos[3], double quat[4]) {
  const ph_script *script = ph_script_of(L);
  const ph_view *view = need_view(L, o->start);
  if (o->id != G_JOINT) {
    ph_scene_frame(script->scene->sim, view, groups[o->id].kind, o->index, pos, quat);
    return;
  }
  const ph_joint_info *joint = ph_model_joint(script->model, o->index);
  const double *q = view->qpos + joint->qposadr;
  if (joint->type == PH_FREE) {
    memcpy(pos, q, 3 * sizeof *pos);
    q += 3;
  }
  memcpy(quat, q, 4 * sizeof *quat);
}

static int object_index(lua_State *L) {
  const object *o = lua_touserdata(L, 1);
  const char *field = luaL_checkstring(L, 2);
  double pos[3] = {0}, quat[4] = {1, 0, 0, 0}, value;
  const ph_model *model = ph_script_of(L)->model;
  bool ball = o->id == G_JOINT && ph_model_joint(model, o->index)->type == PH_BALL;
  const char *name = ph_model_name(model, groups[o->id].kind, o->index);
  object_frame(L, o, pos, quat);
  if (!ball && field[0] >= 'x' && field[0] <= 'z' && field[1] == 0) {
    value = pos[field[0] - 'x'];
  } else if (!ball && strcmp(field, "pos") == 0) {
    push_array(L, pos, 3);
    return 1;
  } else if (strcmp(field, "quat") == 0) {
    push_array(L, quat, 4);
    return 1;
  } else if (strcmp(field, "up") == 0) {
    value = upright(quat);
  } else {
    char what[160];
    snprintf(what, sizeof what, "%s '%.80s' has no", groups[o->id].noun, name);
    return ph_script_unknown(L, what, field, ball ? ball_fields : frame_fields);
  }
  note_object(L, o->id, name, field[0] == 'u' ? "up" : axis_names[field[0] - 'x'], value,
              o->start || is_still(model->m, groups[o->id].kind, o->index));
  lua_pushnumber(L, value);
  return 1;
}

/* --- groups: s.joint.drawer --- */

static int push_number(lua_State *L, const group *g, int index, double value) {
  const ph_model *model = ph_script_of(L)->model;
  note_object(L, g->id, ph_model_name(model, groups[g->id].kind, index), NULL, value, g->start);
  lua_pushnumber(L, value);
  return 1;
}

static int push_indexed(lua_State *L, const group *g, int index) {
  static const int dofs[] = {[PH_FREE] = 6, [PH_BALL] = 3, [PH_SLIDE] = 1, [PH_HINGE] = 1};
  const ph_view *view = need_view(L, g->start);
  const ph_sim *sim = ph_script_of(L)->scene->sim;
  const double *values = NULL;
  int n = 1;
  if (g->id == G_JOINT) {
    values = view->qpos + ph_model_joint(ph_script_of(L)->model, index)->qposadr;
  } else if (g->id == G_QVEL) {
    const ph_joint_info *joint = ph_model_joint(ph_script_of(L)->model, index);
    values = view->qvel + joint->dofadr;
    n = dofs[joint->type];
  } else if (g->id == G_SENSOR) {
    values = view->sensordata + ph_scene_sensor_address(sim, index);
    n = ph_scene_sensor_dim(sim, index);
  } else {
    values = view->ctrl + index;
  }
  if (n == 1)
    return push_number(L, g, index, values[0]);
  push_array(L, values, n);
  return 1;
}

/* Whether a name of the group stands for an object with fields. */
static bool is_object(const ph_model *model, group_id id, int index) {
  if (id == G_BODY || id == G_SITE || id == G_GEOM)
    return true;
  return id == G_JOINT && ph_model_joint(model, index)->type <= PH_BALL;
}

/* Pushes what stands in the group's table for the name at index 2 and stores it there. */
static void resolve(lua_State *L, const group *g, int table) {
  const ph_model *model = ph_script_of(L)->model;
  const char *name = lua_tostring(L, 2);
  int index = ph_model_find(model, groups[g->id].kind, name);
  if (index < 0 || name[0] == 0) {
    char what[40];
    snprintf(what, sizeof what, "no %s", groups[g->id].noun);
    ph_script_unknown_name(L, what, name, model, groups[g->id].kind);
  }
  if (is_object(model, g->id, index)) {
    object *o = lua_newuserdatauv(L, sizeof *o, 0);
    *o = (object){g->id, index, g->start};
    luaL_setmetatable(L, META_OBJECT);
  } else {
    lua_pushinteger(L, index);
  }
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, table);
}

static int group_index(lua_State *L) {
  const group *g = lua_touserdata(L, 1);
  if (lua_type(L, 2) != LUA_TSTRING)
    return luaL_error(L, "s.%s: is indexed by names, not by a %s", groups[g->id].name,
                      luaL_typename(L, 2));
  need_scene(L);
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, 3) == LUA_TNIL) {
    lua_pop(L, 1);
    resolve(L, g, 3);
  }
  return lua_isinteger(L, -1) ? push_indexed(L, g, (int)lua_tointeger(L, -1)) : 1;
}

static void push_group(lua_State *L, group_id id, bool start) {
  group *g = lua_newuserdatauv(L, sizeof *g, 1);
  *g = (group){id, start};
  luaL_setmetatable(L, META_GROUP);
  lua_newtable(L);
  lua_setiuservalue(L, -2, 1);
}

/* --- s.action --- */

static int action_index(lua_State *L) {
  const ph_scene *scene = need_scene(L);
  int n = scene->action ? scene->naction : 0;
  lua_Integer i = lua_isinteger(L, 2) ? lua_tointeger(L, 2) : 0;
  if (lua_type(L, 2) != LUA_TNUMBER)
    return luaL_error(L, "s.action: is indexed by numbers from 1 to %d", n);
  if (i < 1 || i > n) { /* nil ends a loop over it */
    lua_pushnil(L);
    return 1;
  }
  note_read(L, "action", NULL, NULL, scene->action[i - 1]);
  lua_pushnumber(L, scene->action[i - 1]);
  return 1;
}

static int action_length(lua_State *L) {
  const ph_scene *scene = need_scene(L);
  lua_pushinteger(L, scene->action ? scene->naction : 0);
  return 1;
}

/* --- functions: dist, contact, force, speed --- */

static int no_such_place(lua_State *L, const char *name, bool pattern) {
  const ph_model *model = ph_script_of(L)->model;
  static const ph_kind kinds[] = {PH_SITE, PH_BODY, PH_GEOM};
  ph_near near;
  char text[300], hint[120] = "";
  int64_t n = 1;
  ph_near_begin(&near, name);
  for (size_t k = 0; k < 3; k++) {
    for (int i = 0; i < ph_model_count(model, kinds[k]); i++, n++)
      ph_near_add(&near, ph_model_name(model, kinds[k], i));
  }
  ph_script_charge(L, 100 * n);
  return luaL_error(L, "no site, body or geom '%s'%s%s", name,
                    ph_near_text(&near, text, sizeof text),
                    pattern ? ph_pattern_hint(name, hint, sizeof hint) : "");
}

/* Position of the site, body or geom that argument i names; upvalue 1 remembers names. Returns the
 * name, borrowed from the model. */
static const char *place(lua_State *L, int i, const ph_view *view, double pos[3]) {
  const ph_sim *sim = ph_script_of(L)->scene->sim;
  ph_kind kind = PH_BODY;
  int index = 0;
  luaL_checktype(L, i, LUA_TSTRING);
  lua_pushvalue(L, i);
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL) {
    if (!ph_scene_find(sim, lua_tostring(L, i), &kind, &index))
      no_such_place(L, lua_tostring(L, i), false);
    lua_pushvalue(L, i);
    lua_pushinteger(L, (lua_Integer)index * PH_KIND_COUNT + kind);
    lua_rawset(L, lua_upvalueindex(1));
  } else {
    kind = (ph_kind)(lua_tointeger(L, -1) % PH_KIND_COUNT);
    index = (int)(lua_tointeger(L, -1) / PH_KIND_COUNT);
  }
  ph_scene_frame(sim, view, kind, index, pos, NULL);
  return ph_model_name(ph_script_of(L)->model, kind, index);
}

/* upvalues: names, start? */
static int scene_dist(lua_State *L) {
  double a[3], b[3];
  const ph_view *view = need_view(L, lua_toboolean(L, lua_upvalueindex(2)));
  lua_settop(L, 2);
  const char *from = place(L, 1, view, a), *to = place(L, 2, view, b);
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], d = sqrt(x * x + y * y + z * z);
  if (!lua_toboolean(L, lua_upvalueindex(2)) || !ph_script_of(L)->read.group) {
    note_read(L, "dist", from, to, d);
    ph_script_of(L)->read.unit = "m";
  }
  lua_pushnumber(L, d);
  return 1;
}

/* Mask of the geoms that argument i names; upvalue 1 remembers masks. Anchored there. */
static const uint8_t *mask(lua_State *L, int i) {
  const ph_sim *sim = ph_script_of(L)->scene->sim;
  luaL_checktype(L, i, LUA_TSTRING);
  lua_pushvalue(L, i);
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL) {
    const char *name = lua_tostring(L, i);
    const ph_model *model = ph_script_of(L)->model;
    int names = ph_model_count(model, PH_BODY) + ph_model_count(model, PH_GEOM);
    ph_script_charge(L, names * (int64_t)(10 + lua_rawlen(L, i)));
    if (!ph_pattern_valid(name))
      luaL_error(L, "the pattern '%s' has a [ without a ]", name);
    uint8_t *bits = lua_newuserdatauv(L, (size_t)ph_scene_ngeom(sim) + 1, 0);
    if (ph_scene_geoms(sim, name, bits) == 0) {
      char hint[120];
      if (strpbrk(name, "*["))
        luaL_error(L, "the pattern '%s' matches no body and no geom%s", name,
                   ph_pattern_hint(name, hint, sizeof hint));
      no_such_place(L, name, true);
    }
    lua_pushvalue(L, i);
    lua_pushvalue(L, -2);
    lua_rawset(L, lua_upvalueindex(1));
  }
  return lua_touserdata(L, -1);
}

static int touch(lua_State *L, double *force) {
  const ph_sim *sim = need_scene(L)->sim;
  lua_settop(L, 2);
  const uint8_t *a = mask(L, 1), *b = mask(L, 2);
  ph_script_charge(L, sim->d->ncon);
  return ph_scene_touch(sim, a, b, force);
}

/* A read of "contact(a,b)", whose names are the arguments. */
static void note_touch(lua_State *L, const char *function, double value, const char *unit) {
  ph_script *script = ph_script_of(L);
  snprintf(script->read_call, sizeof script->read_call, "%s(%s,%s)", function, lua_tostring(L, 1),
           lua_tostring(L, 2));
  note_read(L, script->read_call, NULL, NULL, value);
  script->read.unit = unit;
}

static int scene_contact(lua_State *L) {
  int points = touch(L, NULL);
  note_touch(L, "contact", points, points == 1 ? "point" : "points");
  lua_pushboolean(L, points > 0);
  return 1;
}

static int scene_force(lua_State *L) {
  double force = 0;
  touch(L, &force);
  note_touch(L, "force", force, "N");
  lua_pushnumber(L, force);
  return 1;
}

static int scene_speed(lua_State *L) {
  const ph_sim *sim = need_scene(L)->sim;
  luaL_checktype(L, 1, LUA_TSTRING);
  const char *name = lua_tostring(L, 1);
  const ph_model *model = ph_script_of(L)->model;
  int body = ph_model_find(model, PH_BODY, name);
  if (body < 0)
    return ph_script_unknown_name(L, "no body", name, model, PH_BODY);
  double speed = ph_scene_speed_at(sim, body);
  note_read(L, "speed", ph_model_name(model, PH_BODY, body), NULL, speed);
  lua_pushnumber(L, speed);
  return 1;
}

/* --- s --- */

static const char *const root_fields[] = {
    "time",   "step",  "joint",     "qvel",    "body",    "site",        "geom",
    "sensor", "ctrl",  "action",    "dist",    "contact", "force",       "speed",
    "start",  "model", "predicate", "latched", "stage",   "stages_done", NULL};
static const char *const start_fields[] = {"time", "joint",  "qvel", "body", "site",
                                           "geom", "sensor", "ctrl", "dist", NULL};

const ph_script_group_info *ph_script_group(size_t i) {
  return i < G_COUNT ? &groups[i] : NULL;
}

const char *const *ph_script_frame_fields(void) {
  return frame_fields;
}

const char *const *ph_script_s_fields(bool start) {
  return start ? start_fields : root_fields;
}

static int push_scalar(lua_State *L, const char *name, double value) {
  note_read(L, name, NULL, NULL, value);
  lua_pushnumber(L, value);
  return 1;
}

static int push_flag(lua_State *L, const char *name, bool value) {
  if (ph_script_of(L)->judging != PH_JUDGE_NONE)
    return luaL_error(L, "s.%s: is what the conditions decide; they cannot read it", name);
  if (need_scene(L)->no_outcome)
    return luaL_error(L, "s.%s: what was judged so far is not known here", name);
  lua_pushboolean(L, value);
  return 1;
}

/* s.stage, the current one's name or "", and s.stages_done. */
static int push_stages(lua_State *L, const char *name) {
  ph_script *script = ph_script_of(L);
  const ph_stages *stages = need_scene(L)->stages;
  const ph_task_spec *spec = &script->spec;
  if (spec->info.nstages == 0)
    return luaL_error(L, "s.%s: the task has no stages", name);
  if (script->judging == PH_JUDGE_STAGE)
    return luaL_error(L, "s.%s: is what the stages decide; their tests cannot read it", name);
  if (!stages) {
    script->wants_stages = true;
    return luaL_error(L, "s.%s: the stages reached so far are not known here", name);
  }
  if (strcmp(name, "stages_done") == 0) {
    note_read(L, "stages_done", NULL, NULL, (double)stages->done);
    lua_pushinteger(L, (lua_Integer)stages->done);
  } else {
    lua_pushstring(L, stages->done < stages->n ? spec->stages[stages->done].stage.name : "");
  }
  return 1;
}

/* uservalue 1 holds the groups and functions by name. */
static int root_index(lua_State *L) {
  const root *r = lua_touserdata(L, 1);
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, 3) != LUA_TNIL)
    return 1;
  if (lua_type(L, 2) != LUA_TSTRING)
    return luaL_error(L, "s is indexed by names, not by a %s", luaL_typename(L, 2));
  const char *name = lua_tostring(L, 2);
  const ph_view *view = need_view(L, r->start);
  const ph_scene *scene = need_scene(L);
  if (strcmp(name, "time") == 0)
    return push_scalar(L, "time", *view->time);
  if (!r->start && strcmp(name, "step") == 0) {
    note_read(L, "step", NULL, NULL, (double)scene->step);
    lua_pushinteger(L, scene->step);
    return 1;
  }
  if (!r->start && strcmp(name, "predicate") == 0)
    return push_flag(L, "predicate", scene->predicate);
  if (!r->start && strcmp(name, "latched") == 0)
    return push_flag(L, "latched", scene->latched);
  if (!r->start && (strcmp(name, "stage") == 0 || strcmp(name, "stages_done") == 0))
    return push_stages(L, name);
  return ph_script_unknown(L, r->start ? "s.start has no" : "s has no", name,
                           r->start ? start_fields : root_fields);
}

static void set_function(lua_State *L, const char *name, lua_CFunction f, bool start) {
  lua_newtable(L);
  lua_pushboolean(L, start);
  lua_pushcclosure(L, f, 2);
  lua_setfield(L, -2, name);
}

static void push_root(lua_State *L, bool start) {
  root *r = lua_newuserdatauv(L, sizeof *r, 1);
  r->start = start;
  luaL_setmetatable(L, META_ROOT);
  lua_newtable(L);
  for (int i = 0; i < G_COUNT; i++) {
    push_group(L, (group_id)i, start);
    lua_setfield(L, -2, groups[i].name);
  }
  set_function(L, "dist", scene_dist, start);
  if (!start) {
    set_function(L, "contact", scene_contact, start);
    set_function(L, "force", scene_force, start);
    set_function(L, "speed", scene_speed, start);
    lua_newuserdatauv(L, 0, 0);
    luaL_setmetatable(L, META_ACTION);
    lua_setfield(L, -2, "action");
    ph_script_push_model(L);
    lua_setfield(L, -2, "model");
    push_root(L, true);
    lua_setfield(L, -2, "start");
  }
  lua_setiuservalue(L, -2, 1);
}

void ph_script_push_s(lua_State *L) {
  ph_script *script = ph_script_of(L);
  const ph_model *model = ph_scene_model(script->scene->sim);
  if (script->model && script->model != model)
    luaL_error(L, "the script has begun with another model");
  if (!script->model) {
    push_root(L, false);
    script->s = luaL_ref(L, LUA_REGISTRYINDEX);
    script->model = ph_model_ref(model);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, script->s);
}

void ph_script_open_scene(lua_State *L) {
  static const luaL_Reg of_root[] = {
      {"__index", root_index}, {"__newindex", read_only}, {NULL, NULL}};
  static const luaL_Reg of_group[] = {
      {"__index", group_index}, {"__newindex", read_only}, {NULL, NULL}};
  static const luaL_Reg of_object[] = {
      {"__index", object_index}, {"__newindex", read_only}, {NULL, NULL}};
  static const luaL_Reg of_action[] = {
      {"__index", action_index}, {"__len", action_length}, {"__newindex", read_only}, {NULL, NULL}};
  ph_script_metatable(L, META_ROOT, of_root);
  ph_script_metatable(L, META_GROUP, of_group);
  ph_script_metatable(L, META_OBJECT, of_object);
  ph_script_metatable(L, META_ACTION, of_action);
}
