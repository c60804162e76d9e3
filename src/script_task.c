#include "script_read.h"

#include <math.h>
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

/* --- success, readouts --- */

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
  spec->info.nconditions =
      ph_script_read_functions(L, "success", &spec->conditions, &script->conditions);
}

/* --- the whole --- */

static void read_facts(lua_State *L, int t) {
  ph_task_info *info = &ph_script_of(L)->spec.info;
  info->name = read_string(L, t, "name");
  if (strlen(info->name) > PH_SCRIPT_NAME)
    luaL_error(L, "name: has more than %d bytes", PH_SCRIPT_NAME);
  info->model = read_string(L, t, "model");
  info->control_steps = (int)read_count(L, t, "control_steps", 100000);
  info->max_steps = read_count(L, t, "max_steps", PH_TASK_STEPS);
  info->hold_seconds = ph_script_read_number(L, t, "hold_seconds", 0, "");
  if (info->hold_seconds < 0)
    luaL_error(L, "hold_seconds: must be 0 or more, is %f", info->hold_seconds);
}

/* Nothing in it says how an env would run. */
static bool judges_only(const ph_task_spec *spec) {
  const ph_task_info *info = &spec->info;
  return !info->model[0] && info->control_steps == 0 && info->max_steps == 0 && info->nterms == 0 &&
         !spec->no_terms && spec->nrange == 0 && !info->has_reset && !info->has_policy;
}

void ph_script_read_task(lua_State *L) {
  static const char *const known[] = {
      "name",         "model",  "control_steps", "max_steps", "actions",
      "action_range", "reset",  "reward",        "success",   "failure",
      "hold_seconds", "policy", "readouts",      "stages",    NULL};
  ph_script *script = ph_script_of(L);
  ph_task_info *info = &script->spec.info;
  int t = lua_gettop(L);
  ph_script_check_keys(L, t, "", known);
  read_facts(L, t);
  ph_script_read_terms(L, t);
  ph_script_read_range(L, t);
  read_success(L, t);
  ph_script_read_stages(L, t);
  if (ph_script_push_field(L, t, "readouts", LUA_TTABLE, ""))
    info->nreadouts =
        ph_script_read_functions(L, "readouts", &script->spec.readouts, &script->readouts);
  info->has_reset = read_function(L, t, "reset", PH_FN_RESET);
  info->has_reward = read_function(L, t, "reward", PH_FN_REWARD);
  info->has_failure = read_function(L, t, "failure", PH_FN_FAILURE);
  info->has_policy = read_function(L, t, "policy", PH_FN_POLICY);
  info->judges_only = judges_only(&script->spec);
}
