#include "script_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads the table that a task file returns into ph_task_spec. Strict: what it does not know it
 * refuses, so that nothing is read and then ignored. */

static int64_t read_count(lua_State *L, int t, const char *key, int64_t max) {
  double x = ph_script_read_number(L, t, key, 0, "");
  bool absent = lua_getfield(L, t, key) == LUA_TNIL;
  lua_pop(L, 1);
  if (!absent && (x < 1 || x > (double)max || x != floor(x)))
    luaL_error(L, "%s: must be a whole number from 1 to %I, is %f", key, (lua_Integer)max, x);
  return (int64_t)x;
}

static const char *read_string(lua_State *L, int t, const char *key) {
  if (!ph_script_push_field(L, t, key, LUA_TSTRING, ""))
    return "";
  size_t n;
  const char *s = lua_tolstring(L, -1, &n);
  if (n == 0 || strlen(s) != n)
    luaL_error(L, "%s: must be text that is not empty and has no zero byte", key);
  s = ph_script_keep_string(L, -1);
  lua_pop(L, 1);
  return s;
}

static bool read_function(lua_State *L, int t, const char *key, ph_function id) {
  if (!ph_script_push_field(L, t, key, LUA_TFUNCTION, ""))
    return false;
  ph_script_of(L)->fn[id] = luaL_ref(L, LUA_REGISTRYINDEX);
  return true;
}

/* --- named functions: success, readouts --- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_functions(lua_State *L, int t, const char *key) {
  size_t n = 0, length;
  lua_pushnil(L);
  while (lua_next(L, t)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "%s: a name is a %s, must be a string", key, luaL_typename(L, -2));
    const char *name = lua_tolstring(L, -2, &length);
    if (length == 0 || length > PH_SCRIPT_NAME || strlen(name) != length)
      luaL_error(L, "%s: a name has 1 to %d bytes, none of them zero", key, PH_SCRIPT_NAME);
    if (!lua_isfunction(L, -1))
      luaL_error(L, "%s.%s: must be a function, is a %s", key, name, luaL_typename(L, -1));
    lua_pop(L, 1);
    n++;
  }
  if (n == 0 || n > PH_SCRIPT_LIST)
    luaL_error(L, "%s: must have 1 to %d named functions, has %d", key, PH_SCRIPT_LIST, (int)n);
  return n;
}

/* Reads the table of functions on the top of the stack, sorted by name, and pops it. */
static size_t read_functions(lua_State *L, const char *key, const char ***names, int **references) {
  int t = lua_gettop(L);
  size_t n = count_functions(L, t, key), i = 0;
  *names = ph_script_keep(L, n * sizeof **names);
  *references = ph_script_keep(L, n * sizeof **references);
  lua_pushnil(L);
  while (lua_next(L, t)) {
    lua_pop(L, 1);
    (*names)[i++] = ph_script_keep_string(L, -1);
  }
  qsort(*names, n, sizeof **names, by_name);
  for (i = 0; i < n; i++) {
    lua_getfield(L, t, (*names)[i]);
    (*references)[i] = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_pop(L, 1);
  return n;
}

static void read_success(lua_State *L, int t) {
  ph_script *script = ph_script_of(L);
  ph_task_spec *spec = &script->spec;
  int type = lua_getfield(L, t, "success");
  if (type == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  spec->info.has_success = true;
  if (type == LUA_TFUNCTION) {
    spec->info.nconditions = 1;
    spec->conditions = ph_script_keep(L, sizeof *spec->conditions);
    spec->conditions[0] = "success";
    script->conditions = ph_script_keep(L, sizeof *script->conditions);
    script->conditions[0] = luaL_ref(L, LUA_REGISTRYINDEX);
    return;
  }
  if (type != LUA_TTABLE)
    luaL_error(L, "success: must be a function or a table of named functions, is a %s",
               luaL_typename(L, -1));
  spec->info.nconditions = read_functions(L, "success", &spec->conditions, &script->conditions);
}

/* --- the whole --- */

static void read_facts(lua_State *L, int t) {
  ph_task_info *info = &ph_script_of(L)->spec.info;
  info->name = read_string(L, t, "name");
  if (strlen(info->name) > PH_SCRIPT_NAME)
    luaL_error(L, "name: has more than %d bytes", PH_SCRIPT_NAME);
  info->model = read_string(L, t, "model");
  info->control_steps = (int)read_count(L, t, "control_steps", 100000);
  info->max_steps = read_count(L, t, "max_steps", 1000000000000);
  info->hold_seconds = ph_script_read_number(L, t, "hold_seconds", 0, "");
  if (info->hold_seconds < 0)
    luaL_error(L, "hold_seconds: must be 0 or more, is %f", info->hold_seconds);
}

void ph_script_read_task(lua_State *L) {
  static const char *const known[] = {
      "name",   "model",   "control_steps", "max_steps",    "actions", "action_range", "reset",
      "reward", "success", "failure",       "hold_seconds", "policy",  "readouts",     NULL};
  ph_script *script = ph_script_of(L);
  ph_task_info *info = &script->spec.info;
  int t = lua_gettop(L);
  if (lua_getfield(L, t, "stages") != LUA_TNIL)
    luaL_error(L, "stages: this version has none");
  lua_pop(L, 1);
  ph_script_check_keys(L, t, "", known);
  read_facts(L, t);
  ph_script_read_terms(L, t);
  ph_script_read_range(L, t);
  read_success(L, t);
  if (ph_script_push_field(L, t, "readouts", LUA_TTABLE, ""))
    info->nreadouts = read_functions(L, "readouts", &script->spec.readouts, &script->readouts);
  info->has_reset = read_function(L, t, "reset", PH_FN_RESET);
  info->has_reward = read_function(L, t, "reward", PH_FN_REWARD);
  info->has_failure = read_function(L, t, "failure", PH_FN_FAILURE);
  info->has_policy = read_function(L, t, "policy", PH_FN_POLICY);
}
