#include "script_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads tables of named functions, and stages, which have one each. */

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

size_t ph_script_read_functions(lua_State *L, const char *key, const char ***names,
                                int **references) {
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

/* --- stages --- */

static const char *read_stage_name(lua_State *L, int t, const char *where) {
  size_t n;
  if (!ph_script_push_field(L, t, "name", LUA_TSTRING, where))
    luaL_error(L, "%sneeds a name", where);
  const char *name = lua_tolstring(L, -1, &n);
  if (n == 0 || n > PH_SCRIPT_NAME || strlen(name) != n)
    luaL_error(L, "%sname: has 1 to %d bytes, none of them zero", where, PH_SCRIPT_NAME);
  name = ph_script_keep_string(L, -1);
  lua_pop(L, 1);
  return name;
}

static void read_test(lua_State *L, int t, const char *where, ph_stage_spec *stage) {
  char key[120];
  int type = lua_getfield(L, t, "test");
  if (type == LUA_TFUNCTION) {
    stage->n = 1;
    stage->name = ph_script_keep(L, sizeof *stage->name);
    stage->name[0] = stage->stage.name;
    stage->reference = ph_script_keep(L, sizeof *stage->reference);
    stage->reference[0] = luaL_ref(L, LUA_REGISTRYINDEX);
    return;
  }
  if (type != LUA_TTABLE)
    luaL_error(L, "%stest: must be a function or a table of named functions, is %s%s", where,
               type == LUA_TNIL ? "not there" : "a ", type == LUA_TNIL ? "" : luaL_typename(L, -1));
  snprintf(key, sizeof key, "%stest", where);
  stage->n = ph_script_read_functions(L, key, &stage->name, &stage->reference);
}

/* Reads the stage on the top of the stack and pops it. */
static void read_stage(lua_State *L, int number, ph_stage_spec *stage) {
  static const char *const known[] = {"name", "hold_seconds", "test", NULL};
  char where[40];
  int t = lua_gettop(L);
  snprintf(where, sizeof where, "stages[%d]: ", number);
  if (!lua_istable(L, t))
    luaL_error(L, "%smust be a table, is a %s", where, luaL_typename(L, t));
  ph_script_check_keys(L, t, where, known);
  stage->stage.name = read_stage_name(L, t, where);
  stage->stage.hold_seconds = ph_script_read_number(L, t, "hold_seconds", 0, where);
  if (stage->stage.hold_seconds < 0)
    luaL_error(L, "%shold_seconds: must be 0 or more, is %f", where, stage->stage.hold_seconds);
  read_test(L, t, where, stage);
  lua_pop(L, 1);
}

void ph_script_read_stages(lua_State *L, int t) {
  ph_task_spec *spec = &ph_script_of(L)->spec;
  if (!ph_script_push_field(L, t, "stages", LUA_TTABLE, ""))
    return;
  int list = lua_gettop(L), n = ph_script_list_length(L, list, 1, "stages: ");
  if (n > PH_STAGES_MAX)
    luaL_error(L, "stages: has %d, may have %d", n, PH_STAGES_MAX);
  spec->stages = ph_script_keep(L, (size_t)n * sizeof *spec->stages);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, list, i + 1);
    read_stage(L, i + 1, &spec->stages[i]);
    for (int k = 0; k < i; k++)
      if (strcmp(spec->stages[k].stage.name, spec->stages[i].stage.name) == 0)
        luaL_error(L, "stages[%d]: name: stages[%d] has '%s' too", i + 1, k + 1,
                   spec->stages[i].stage.name);
  }
  spec->info.nstages = (size_t)n;
  lua_pop(L, 1);
}
