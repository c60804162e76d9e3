#include "script_lua.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mj.h"

/* `env` of reset, and `rng`. */

#define META_ENV "playhead.env"
#define META_ARRAY "playhead.array"
#define META_MOCAP "playhead.mocap"
#define META_RNG "playhead.rng"

typedef struct array_info {
  const char *name, *noun;
  ph_kind kind;
} array_info;

static const array_info arrays[PH_A_COUNT] = {
    [PH_A_QPOS] = {"qpos", "joint", PH_JOINT},
    [PH_A_QVEL] = {"qvel", "joint", PH_JOINT},
    [PH_A_ACT] = {"act", "actuator", PH_ACTUATOR},
    [PH_A_CTRL] = {"ctrl", "actuator", PH_ACTUATOR},
    [PH_A_MOCAP] = {"mocap", "mocap body", PH_MOCAP},
    [PH_A_EQ_ACTIVE] = {"eq_active", "equality", PH_EQUALITY},
    [PH_A_USERDATA] = {"userdata", "", PH_KIND_COUNT},
    [PH_A_XFRC] = {"xfrc", "body", PH_BODY},
};

/* --- env.qpos.drawer --- */

static void locate_state(lua_State *L, ph_array array, int i, ph_vector *v) {
  static const int widths[][2] = {
      [PH_FREE] = {7, 6}, [PH_BALL] = {4, 3}, [PH_SLIDE] = {1, 1}, [PH_HINGE] = {1, 1}};
  const ph_sim *sim = ph_script_need_sim(L);
  v->offset = i;
  v->n = 1;
  if (array == PH_A_QPOS || array == PH_A_QVEL) {
    const ph_joint_info *joint = ph_model_joint(sim->model, i);
    v->offset = array == PH_A_QPOS ? joint->qposadr : joint->dofadr;
    v->n = widths[joint->type][array == PH_A_QVEL];
  } else if (array == PH_A_XFRC) {
    v->offset = 6 * i;
    v->n = 6;
  } else if (array == PH_A_ACT) {
    v->offset = ph_scene_act_address(sim, i);
    if (v->offset < 0)
      luaL_error(L, "%s: the actuator has no activation", v->label);
  }
}

static void make_vector(lua_State *L, ph_array array, ph_vector *v) {
  char group[40];
  snprintf(group, sizeof group, "env.%s", arrays[array].name);
  *v = (ph_vector){.array = array, .n = 1};
  if (array == PH_A_USERDATA) {
    int n = (int)ph_script_need_sim(L)->m->nuserdata;
    lua_Integer i = lua_isinteger(L, 2) ? lua_tointeger(L, 2) : 0;
    if (i < 1 || i > n)
      luaL_error(L, "%s: is indexed by whole numbers from 1 to %d", group, n);
    snprintf(v->label, sizeof v->label, "%s[%d]", group, (int)i);
    v->offset = (int)i - 1;
    return;
  }
  ph_script_need_sim(L);
  int i = ph_script_find(L, group, arrays[array].noun, arrays[array].kind);
  snprintf(v->label, sizeof v->label, "%s.%.60s", group, lua_tostring(L, 2));
  locate_state(L, array, i, v);
}

/* Copies the equalities' switches into a buffer that Lua owns. */
static uint8_t *push_switches(lua_State *L) {
  ph_sim *sim = ph_script_need_sim(L);
  uint8_t *on = lua_newuserdatauv(L, (size_t)sim->m->neq + 1, 0);
  ph_mj_get(sim->m, sim->d, PH_COL_EQ_ACTIVE, on);
  return on;
}

static int set_switch(lua_State *L, int i) {
  ph_sim *sim = ph_script_need_sim(L);
  if (!lua_isboolean(L, 3))
    return luaL_error(L, "env.eq_active.%s: takes true or false, got a %s", lua_tostring(L, 2),
                      luaL_typename(L, 3));
  uint8_t *on = push_switches(L);
  on[i] = (uint8_t)lua_toboolean(L, 3);
  if (ph_sim_private_model(sim) != PH_OK)
    return luaL_error(L, "env.eq_active: no memory for a model of its own");
  ph_mj_set(sim->m, sim->d, PH_COL_EQ_ACTIVE, on);
  return 0;
}

static int array_index(lua_State *L) {
  ph_array array = *(const ph_array *)lua_touserdata(L, 1);
  ph_vector v;
  ph_script_need_sim(L);
  if (array == PH_A_EQ_ACTIVE) {
    int i = ph_script_find(L, "env.eq_active", "equality", PH_EQUALITY);
    lua_pushboolean(L, push_switches(L)[i]);
    return 1;
  }
  if (array == PH_A_MOCAP) {
    int i = ph_script_find(L, "env.mocap", "mocap body", PH_MOCAP);
    *(int *)lua_newuserdatauv(L, sizeof i, 0) = i;
    luaL_setmetatable(L, META_MOCAP);
    return 1;
  }
  make_vector(L, array, &v);
  return ph_script_push_vector(L, &v);
}

static int array_newindex(lua_State *L) {
  ph_array array = *(const ph_array *)lua_touserdata(L, 1);
  ph_vector v;
  ph_script_need_sim(L);
  if (array == PH_A_EQ_ACTIVE)
    return set_switch(L, ph_script_find(L, "env.eq_active", "equality", PH_EQUALITY));
  if (array == PH_A_MOCAP)
    return luaL_error(L, "env.mocap: set its pos or quat: env.mocap.NAME.pos = {x, y, z}");
  make_vector(L, array, &v);
  return ph_script_assign(L, &v, 3);
}

static int array_length(lua_State *L) {
  ph_array array = *(const ph_array *)lua_touserdata(L, 1);
  if (array != PH_A_USERDATA)
    return luaL_error(L, "env.%s: has names, not a length", arrays[array].name);
  lua_pushinteger(L, (lua_Integer)ph_script_need_sim(L)->m->nuserdata);
  return 1;
}

/* --- env.mocap.hand.pos --- */

static void mocap_vector(lua_State *L, ph_vector *v) {
  static const char *const known[] = {"pos", "quat", NULL};
  const ph_sim *sim = ph_script_need_sim(L);
  int i = *(const int *)lua_touserdata(L, 1);
  const char *field = luaL_checkstring(L, 2), *name = ph_model_name(sim->model, PH_MOCAP, i);
  bool pos = strcmp(field, "pos") == 0;
  if (!pos && strcmp(field, "quat") != 0)
    ph_script_unknown(L, "a mocap body has no", field, known);
  *v = (ph_vector){.array = pos ? PH_A_MOCAP_POS : PH_A_MOCAP_QUAT};
  v->n = pos ? 3 : 4;
  v->offset = v->n * i;
  snprintf(v->label, sizeof v->label, "env.mocap.%.50s.%s", name, field);
}

static int mocap_index(lua_State *L) {
  ph_vector v;
  mocap_vector(L, &v);
  return ph_script_push_vector(L, &v);
}

static int mocap_newindex(lua_State *L) {
  ph_vector v;
  mocap_vector(L, &v);
  return ph_script_assign(L, &v, 3);
}

/* --- env and rng --- */

static int env_index(lua_State *L) {
  static const char *const known[] = {"qpos",      "qvel",     "act",  "ctrl",  "mocap",
                                      "eq_active", "userdata", "xfrc", "model", NULL};
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, 3) != LUA_TNIL)
    return 1;
  return ph_script_unknown(L, "env has no", luaL_checkstring(L, 2), known);
}

static int env_newindex(lua_State *L) {
  return luaL_error(L, "set one thing of env by its name: env.qpos.NAME = number");
}

void ph_script_push_env(lua_State *L) {
  ph_script *script = ph_script_of(L);
  if (script->env == 0) {
    lua_newuserdatauv(L, 0, 1);
    luaL_setmetatable(L, META_ENV);
    lua_newtable(L);
    for (int i = 0; i < PH_A_COUNT; i++) {
      *(ph_array *)lua_newuserdatauv(L, sizeof(ph_array), 0) = (ph_array)i;
      luaL_setmetatable(L, META_ARRAY);
      lua_setfield(L, -2, arrays[i].name);
    }
    ph_script_push_model(L);
    lua_setfield(L, -2, "model");
    lua_setiuservalue(L, -2, 1);
    script->env = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, script->env);
}

static ph_rng *need_rng(lua_State *L) {
  ph_rng *rng = ph_script_of(L)->rng;
  if (!rng)
    luaL_error(L, "rng is only there while reset or policy runs");
  return rng;
}

/* rng() in [0, 1), rng(a, b) in [a, b). */
static int rng_call(lua_State *L) {
  double u = ph_rng_uniform(need_rng(L));
  if (lua_gettop(L) > 1) {
    double a = luaL_checknumber(L, 2), b = luaL_checknumber(L, 3), x = a + (b - a) * u;
    u = x >= b && a < b ? nextafter(b, a) : x; /* rounding may reach b */
  }
  lua_pushnumber(L, u);
  return 1;
}

/* rng:normal() or rng.normal(): mean 0, deviation 1; rng:normal(mean, deviation). */
static int rng_normal(lua_State *L) {
  int first = lua_isuserdata(L, 1) ? 2 : 1;
  double x = ph_rng_normal(need_rng(L));
  if (lua_gettop(L) >= first)
    x = luaL_checknumber(L, first) + luaL_checknumber(L, first + 1) * x;
  lua_pushnumber(L, x);
  return 1;
}

static int rng_index(lua_State *L) {
  static const char *const known[] = {"normal", NULL};
  const char *name = luaL_checkstring(L, 2);
  if (strcmp(name, "normal") != 0)
    return ph_script_unknown(L, "rng has no", name, known);
  lua_pushcfunction(L, rng_normal);
  return 1;
}

static int rng_newindex(lua_State *L) {
  return luaL_error(L, "rng is read only");
}

void ph_script_push_rng(lua_State *L) {
  ph_script *script = ph_script_of(L);
  if (script->rng_object == 0) {
    lua_newuserdatauv(L, 0, 0);
    luaL_setmetatable(L, META_RNG);
    script->rng_object = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, script->rng_object);
}

void ph_script_open_env(lua_State *L) {
  ph_script_open_vector(L);
  ph_script_open_model(L);
  static const luaL_Reg of_env[] = {
      {"__index", env_index}, {"__newindex", env_newindex}, {NULL, NULL}};
  static const luaL_Reg of_array[] = {{"__index", array_index},
                                      {"__newindex", array_newindex},
                                      {"__len", array_length},
                                      {NULL, NULL}};
  static const luaL_Reg of_mocap[] = {
      {"__index", mocap_index}, {"__newindex", mocap_newindex}, {NULL, NULL}};
  static const luaL_Reg of_rng[] = {
      {"__call", rng_call}, {"__index", rng_index}, {"__newindex", rng_newindex}, {NULL, NULL}};
  ph_script_metatable(L, META_ENV, of_env);
  ph_script_metatable(L, META_ARRAY, of_array);
  ph_script_metatable(L, META_MOCAP, of_mocap);
  ph_script_metatable(L, META_RNG, of_rng);
}
