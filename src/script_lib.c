#include "script_lua.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name.h"

/* --- helpers of the other files --- */

void ph_script_metatable(lua_State *L, const char *name, const luaL_Reg *functions) {
  if (luaL_newmetatable(L, name))
    luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}

int ph_script_unknown(lua_State *L, const char *what, const char *word, const char *const *known) {
  ph_near near;
  char text[300];
  ph_near_begin(&near, word);
  for (; *known; known++)
    ph_near_add(&near, *known);
  ph_script_charge(L, 1000);
  return luaL_error(L, "%s '%s'%s", what, word, ph_near_text(&near, text, sizeof text));
}

int ph_script_unknown_name(lua_State *L, const char *what, const char *word, const ph_model *model,
                           ph_kind kind) {
  ph_near near;
  char text[300];
  int n = ph_model_count(model, kind);
  ph_near_begin(&near, word);
  for (int i = 0; i < n; i++)
    ph_near_add(&near, ph_model_name(model, kind, i));
  ph_script_charge(L, 100 * (int64_t)(n + 1));
  return luaL_error(L, "%s '%s'%s", what, word, ph_near_text(&near, text, sizeof text));
}

void ph_script_tostring(lua_State *L, int index) {
  index = lua_absindex(L, index);
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    lua_pushvalue(L, index);
    lua_tostring(L, -1);
    break;
  case LUA_TSTRING:
    lua_pushvalue(L, index);
    break;
  case LUA_TBOOLEAN:
    lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
    break;
  default:
    lua_pushstring(L, luaL_typename(L, index));
  }
}

/* --- globals --- */

static int lib_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  ph_script_tostring(L, 1);
  return 1;
}

static int lib_assert(lua_State *L) {
  if (lua_toboolean(L, 1))
    return lua_gettop(L);
  luaL_checkany(L, 1);
  if (lua_isnoneornil(L, 2))
    return luaL_error(L, "assertion failed");
  ph_script_tostring(L, 2);
  return luaL_error(L, "%s", lua_tostring(L, -1));
}

static int lib_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  ph_script_charge(L, 50);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  int rc = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  if (ph_script_of(L)->limit != PH_LIMIT_NONE) {
    lua_pushnil(L);
    return lua_error(L);
  }
  if (rc == LUA_OK)
    return lua_gettop(L);
  ph_script_of(L)->not_finite = false;
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

static int lib_norm(lua_State *L) {
  double sum = 0;
  if (lua_istable(L, 1) || lua_isuserdata(L, 1)) {
    lua_Integer n = luaL_len(L, 1);
    ph_script_charge(L, n);
    for (lua_Integer i = 1; i <= n; i++) {
      lua_geti(L, 1, i);
      if (!lua_isnumber(L, -1))
        return luaL_error(L, "norm: element %I is a %s", i, luaL_typename(L, -1));
      sum += lua_tonumber(L, -1) * lua_tonumber(L, -1);
      lua_pop(L, 1);
    }
  } else {
    for (int i = 1; i <= lua_gettop(L); i++)
      sum += luaL_checknumber(L, i) * luaL_checknumber(L, i);
  }
  lua_pushnumber(L, sqrt(sum));
  return 1;
}

/* --- sorting --- */

/* Whether stack value a comes before b: by the function at index f, or by < where f is 0. */
typedef bool (*less_fn)(lua_State *L, int a, int b, int f);

static bool less_value(lua_State *L, int a, int b, int f) {
  if (f == 0)
    return lua_compare(L, a, b, LUA_OPLT);
  lua_pushvalue(L, f);
  lua_pushvalue(L, a);
  lua_pushvalue(L, b);
  lua_call(L, 2, 1);
  bool less = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return less;
}

static int key_rank(lua_State *L, int i) {
  int type = lua_type(L, i);
  return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2;
}

/* Numbers, then strings byte by byte, then false and true. */
static bool less_key(lua_State *L, int a, int b, int f) {
  (void)f;
  int ra = key_rank(L, a), rb = key_rank(L, b);
  if (ra != rb)
    return ra < rb;
  if (ra == 2)
    return lua_toboolean(L, a) < lua_toboolean(L, b);
  return lua_compare(L, a, b, LUA_OPLT);
}

/* Merges from[lo, mid) and from[mid, hi) into to; tables at stack indices, elements from 1. */
static void merge(lua_State *L, int from, int to, lua_Integer lo, lua_Integer mid, lua_Integer hi,
                  less_fn less, int f) {
  lua_Integer i = lo, j = mid;
  for (lua_Integer k = lo; k < hi; k++) {
    lua_rawgeti(L, from, i < mid ? i : j);
    if (i < mid && j < hi) {
      lua_rawgeti(L, from, j);
      int top = lua_gettop(L);
      bool right = less(L, top, top - 1, f);
      lua_remove(L, right ? top - 1 : top);
      i += !right;
      j += right;
    } else if (i < mid) {
      i++;
    } else {
      j++;
    }
    lua_rawseti(L, to, k);
  }
}

/* Stable merge sort of the n elements of the table at index t: the same on every run, and without a
 * way for a comparison function to make it run long. */
static void sort_table(lua_State *L, int t, lua_Integer n, less_fn less, int f) {
  int levels = 1;
  while (((lua_Integer)1 << levels) < n)
    levels++;
  ph_script_charge(L, 8 * n * levels);
  lua_createtable(L, (int)n, 0);
  int from = t, to = lua_gettop(L);
  for (lua_Integer width = 1; width < n; width *= 2) {
    for (lua_Integer lo = 1; lo <= n; lo += 2 * width) {
      lua_Integer mid = lo + width < n + 1 ? lo + width : n + 1;
      lua_Integer hi = lo + 2 * width < n + 1 ? lo + 2 * width : n + 1;
      merge(L, from, to, lo, mid, hi, less, f);
    }
    int swap = from;
    from = to;
    to = swap;
  }
  for (lua_Integer i = 1; from != t && i <= n; i++) {
    lua_rawgeti(L, from, i);
    lua_rawseti(L, t, i);
  }
  lua_pop(L, 1);
}

/* --- pairs: a snapshot of the keys in order --- */

/* upvalues: keys, how many were given */
static int next_pair(lua_State *L) {
  lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
  for (;;) {
    i++;
    if (lua_rawgeti(L, lua_upvalueindex(1), i) == LUA_TNIL)
      return 1;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, 1) != LUA_TNIL)
      break;
    lua_pop(L, 2);
  }
  lua_pushinteger(L, i);
  lua_replace(L, lua_upvalueindex(2));
  return 2;
}

static int lib_pairs(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  ph_script_charge(L, 50 + (int64_t)(ph_script_of(L)->biggest / 256));
  lua_settop(L, 1);
  lua_newtable(L);
  lua_Integer n = 0;
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    if (key_rank(L, -1) == 2 && !lua_isboolean(L, -1))
      return luaL_error(L, "pairs: a key is a %s, which has no order", luaL_typename(L, -1));
    lua_pushvalue(L, -1);
    lua_rawseti(L, 2, ++n);
  }
  sort_table(L, 2, n, less_key, 0);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_pair, 2);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* --- string and table --- */

/* Runs Lua's own function, which stands in upvalue 1, in this frame: errors then have a line. */
static int library_function(lua_State *L) {
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static int lib_rep(lua_State *L) {
  size_t n, between;
  luaL_checklstring(L, 1, &n);
  luaL_optlstring(L, 3, "", &between);
  lua_Integer times = luaL_checkinteger(L, 2);
  size_t unit = n + between;
  if (unit > 0 && times > (lua_Integer)(PH_SCRIPT_STRING / unit))
    return luaL_error(L, "string.rep: the result has more than 64 KiB");
  lua_settop(L, 3);
  if (unit == 0) { /* an empty result, however often */
    lua_pushliteral(L, "");
    return 1;
  }
  return library_function(L);
}

/* Length of the conversion specification after a %, the letter included. */
static size_t spec_length(const char *spec) {
  size_t n = strspn(spec, "-+ #0123456789.");
  return n + (spec[n] != 0);
}

static int lib_format(lua_State *L) {
  const char *format = luaL_checkstring(L, 1);
  int argument = 1;
  for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
    size_t n = spec_length(p + 1);
    char letter = p[n];
    p += n + 1;
    if (letter == '%')
      continue;
    argument++;
    if (letter == 'p')
      return luaL_error(L, "string.format: %%p is not available: addresses differ per run");
    if (letter == 's' && argument <= lua_gettop(L)) {
      ph_script_tostring(L, argument);
      lua_replace(L, argument);
    }
  }
  return library_function(L);
}

/* Charges the elements that the library function in upvalue 1 will go through, then calls it. */
static int call_charged(lua_State *L, lua_Integer elements) {
  ph_script_charge(L, elements > 0 ? elements : 0);
  return library_function(L);
}

/* Elements from first to last without overflow. */
static lua_Integer span(lua_Integer first, lua_Integer last) {
  if (first > last)
    return 0;
  lua_Unsigned n = (lua_Unsigned)last - (lua_Unsigned)first;
  return n < PH_SCRIPT_WORK ? (lua_Integer)n + 1 : PH_SCRIPT_WORK + 1;
}

static int lib_move(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  return call_charged(L, span(luaL_checkinteger(L, 2), luaL_checkinteger(L, 3)));
}

static int lib_concat(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer last = lua_isnoneornil(L, 4) ? luaL_len(L, 1) : luaL_checkinteger(L, 4);
  return call_charged(L, span(luaL_optinteger(L, 3, 1), last));
}

static int lib_unpack(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
  lua_Integer n = span(luaL_optinteger(L, 2, 1), last);
  if (n > 1000)
    return luaL_error(L, "table.unpack: more than 1000 values");
  return call_charged(L, n);
}

/* Charges what has to move when the element at argument 2 comes or goes. */
static int call_shifting(lua_State *L, bool at_end) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer n = luaL_len(L, 1), position = at_end ? n : lua_tointeger(L, 2);
  return call_charged(L, position < 1 ? 1 : 1 + span(position, n));
}

static int lib_insert(lua_State *L) {
  return call_shifting(L, lua_gettop(L) < 3);
}

static int lib_remove(lua_State *L) {
  return call_shifting(L, lua_gettop(L) < 2);
}

static int lib_sort(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  bool by_function = !lua_isnoneornil(L, 2);
  if (by_function)
    luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_Integer n = luaL_len(L, 1);
  if (n > 1000000)
    return luaL_error(L, "table.sort: more than 1000000 elements");
  if (n > 1)
    sort_table(L, 1, n, less_value, by_function ? 2 : 0);
  return 0;
}

/* --- the whitelist --- */

/* A function of Lua's own library, and the one that stands before it (NULL: none). */
typedef struct entry {
  const char *name;
  lua_CFunction instead;
} entry;

static const entry base_entries[] = {
    {"assert", lib_assert}, {"error", NULL},  {"ipairs", NULL},   {"pairs", lib_pairs},
    {"pcall", lib_pcall},   {"select", NULL}, {"tonumber", NULL}, {"tostring", lib_tostring},
    {"type", NULL},         {NULL, NULL},
};

static const entry string_entries[] = {
    {"byte", NULL},   {"char", NULL},    {"format", lib_format}, {"len", NULL},   {"lower", NULL},
    {"rep", lib_rep}, {"reverse", NULL}, {"sub", NULL},          {"upper", NULL}, {NULL, NULL},
};

static const entry table_entries[] = {
    {"concat", lib_concat}, {"insert", lib_insert}, {"move", lib_move},     {"pack", NULL},
    {"remove", lib_remove}, {"sort", lib_sort},     {"unpack", lib_unpack}, {NULL, NULL},
};

static const entry math_entries[] = {
    {"abs", NULL},        {"acos", NULL}, {"asin", NULL},      {"atan", NULL},       {"ceil", NULL},
    {"cos", NULL},        {"deg", NULL},  {"exp", NULL},       {"floor", NULL},      {"fmod", NULL},
    {"huge", NULL},       {"log", NULL},  {"max", NULL},       {"maxinteger", NULL}, {"min", NULL},
    {"mininteger", NULL}, {"modf", NULL}, {"pi", NULL},        {"rad", NULL},        {"sin", NULL},
    {"sqrt", NULL},       {"tan", NULL},  {"tointeger", NULL}, {"type", NULL},       {"ult", NULL},
    {NULL, NULL},
};

/* Sets the entries of the library table on the top of the stack in the table at index into. */
static void copy_entries(lua_State *L, const entry *entries, int into) {
  int from = lua_gettop(L);
  for (; entries->name; entries++) {
    lua_getfield(L, from, entries->name);
    if (entries->instead)
      lua_pushcclosure(L, entries->instead, 1);
    lua_setfield(L, into, entries->name);
  }
}

static void add_library(lua_State *L, const char *name, lua_CFunction open, const entry *entries,
                        int globals) {
  luaL_requiref(L, name, open, 0);
  int from = lua_gettop(L);
  lua_newtable(L);
  lua_insert(L, from);
  copy_entries(L, entries, from);
  lua_pop(L, 1);
  lua_setfield(L, globals, name);
}

/* Methods of strings are the whitelisted ones, and strings do no arithmetic. */
static void set_string_metatable(lua_State *L, int globals) {
  lua_pushliteral(L, "");
  lua_newtable(L);
  lua_getfield(L, globals, "string");
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

const char *const *ph_script_globals(void) {
  static const char *const names[] = {"abs",   "max",      "min",      "floor",  "sqrt",
                                      "norm",  "math",     "table",    "string", "assert",
                                      "error", "ipairs",   "pairs",    "pcall",  "select",
                                      "type",  "tonumber", "tostring", NULL};
  return names;
}

void ph_script_open_lib(lua_State *L) {
  static const char *const shortcuts[] = {"abs", "max", "min", "floor", "sqrt", NULL};
  lua_newtable(L);
  int globals = lua_gettop(L);
  luaL_requiref(L, "_G", luaopen_base, 0);
  copy_entries(L, base_entries, globals);
  lua_pop(L, 1);
  add_library(L, "string", luaopen_string, string_entries, globals);
  add_library(L, "table", luaopen_table, table_entries, globals);
  add_library(L, "math", luaopen_math, math_entries, globals);
  set_string_metatable(L, globals);
  lua_getfield(L, globals, "math");
  for (const char *const *name = shortcuts; *name; name++) {
    lua_getfield(L, -1, *name);
    lua_setfield(L, globals, *name);
  }
  lua_pop(L, 1);
  lua_pushcfunction(L, lib_norm);
  lua_setfield(L, globals, "norm");
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}
