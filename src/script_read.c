#include "script_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ph_script_keep_string(lua_State *L, int index) {
  size_t n;
  const char *s = lua_tolstring(L, index, &n);
  char *copy = ph_script_keep(L, n + 1);
  memcpy(copy, s, n);
  return copy;
}

void ph_script_check_keys(lua_State *L, int t, const char *where, const char *const *known) {
  const char *worst = NULL; /* the first in order, whatever order Lua walks in */
  lua_pushnil(L);
  while (lua_next(L, t)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      luaL_error(L, "%sa key is a %s, must be a name", where, luaL_typename(L, -1));
    const char *key = lua_tostring(L, -1);
    const char *const *k = known;
    while (*k && strcmp(*k, key) != 0)
      k++;
    if (!*k && (!worst || strcmp(key, worst) < 0))
      worst = key;
  }
  if (worst) {
    char what[100];
    snprintf(what, sizeof what, "%sunknown key", where);
    ph_script_unknown(L, what, worst, known);
  }
}

void ph_script_check_form(lua_State *L, int t, const char *where, const char *form) {
  if (lua_rawlen(L, t) > 0)
    luaL_error(L, "%smust be %s, is a list", where, form);
}

bool ph_script_push_field(lua_State *L, int t, const char *key, int type, const char *where) {
  if (lua_getfield(L, t, key) == LUA_TNIL) {
    lua_pop(L, 1);
    return false;
  }
  if (lua_type(L, -1) != type)
    luaL_error(L, "%s%s: must be a %s, is a %s", where, key, lua_typename(L, type),
               luaL_typename(L, -1));
  return true;
}

double ph_script_read_number(lua_State *L, int t, const char *key, double otherwise,
                             const char *where) {
  if (!ph_script_push_field(L, t, key, LUA_TNUMBER, where))
    return otherwise;
  double x = lua_tonumber(L, -1);
  if (!isfinite(x))
    luaL_error(L, "%s%s: %f is not finite", where, key, x);
  lua_pop(L, 1);
  return x;
}

int ph_script_list_length(lua_State *L, int t, int min, const char *where) {
  int n = (int)lua_rawlen(L, t), keys = 0;
  lua_pushnil(L);
  while (lua_next(L, t)) {
    lua_pop(L, 1);
    keys++;
    if (!lua_isinteger(L, -1))
      luaL_error(L, "%smust be a list, has a key that is a %s", where, luaL_typename(L, -1));
  }
  if (keys != n || n < min || n > PH_SCRIPT_LIST)
    luaL_error(L, "%smust be a list of %d to %d elements without gaps", where, min, PH_SCRIPT_LIST);
  return n;
}

double *ph_script_read_numbers(lua_State *L, int t, const char *key, const char *where, size_t *n) {
  char list_where[60];
  snprintf(list_where, sizeof list_where, "%s%s: ", where, key);
  if (!ph_script_push_field(L, t, key, LUA_TTABLE, where))
    luaL_error(L, "%sneeds %s, a list of numbers", where, key);
  int list = lua_gettop(L), length = ph_script_list_length(L, list, 1, list_where);
  double *values = ph_script_keep(L, (size_t)length * sizeof *values);
  for (int i = 0; i < length; i++) {
    if (lua_rawgeti(L, list, i + 1) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1)))
      luaL_error(L, "%selement %d must be a finite number", list_where, i + 1);
    values[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  *n = (size_t)length;
  return values;
}
