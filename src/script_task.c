#include "script_lua.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name.h"

/* Reads the table that a task file returns into ph_task_spec. Strict: what it does not know it
 * refuses, so that nothing is read and then ignored. */

enum { NAME_MAX_LENGTH = 63, LIST_MAX = 1000 };

static const char *keep_string(lua_State *L, int index) {
  size_t n;
  const char *s = lua_tolstring(L, index, &n);
  char *copy = ph_script_keep(L, n + 1);
  memcpy(copy, s, n);
  return copy;
}

/* Refuses keys that are not in the list. `where` stands before the message: "actions[2]: ". */
static void check_keys(lua_State *L, int t, const char *where, const char *const *known) {
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

/* Pushes t[key]; false and nothing pushed where it is absent. */
static bool push_field(lua_State *L, int t, const char *key, int type, const char *where) {
  if (lua_getfield(L, t, key) == LUA_TNIL) {
    lua_pop(L, 1);
    return false;
  }
  if (lua_type(L, -1) != type)
    luaL_error(L, "%s%s: must be a %s, is a %s", where, key, lua_typename(L, type),
               luaL_typename(L, -1));
  return true;
}

static double read_number(lua_State *L, int t, const char *key, double otherwise,
                          const char *where) {
  if (!push_field(L, t, key, LUA_TNUMBER, where))
    return otherwise;
  double x = lua_tonumber(L, -1);
  if (!isfinite(x))
    luaL_error(L, "%s%s: %f is not finite", where, key, x);
  lua_pop(L, 1);
  return x;
}

static int64_t read_count(lua_State *L, int t, const char *key, int64_t max) {
  double x = read_number(L, t, key, 0, "");
  bool absent = lua_getfield(L, t, key) == LUA_TNIL;
  lua_pop(L, 1);
  if (!absent && (x < 1 || x > (double)max || x != floor(x)))
    luaL_error(L, "%s: must be a whole number from 1 to %I, is %f", key, (lua_Integer)max, x);
  return (int64_t)x;
}

static const char *read_string(lua_State *L, int t, const char *key) {
  if (!push_field(L, t, key, LUA_TSTRING, ""))
    return "";
  size_t n;
  const char *s = lua_tolstring(L, -1, &n);
  if (n == 0 || strlen(s) != n)
    luaL_error(L, "%s: must be text that is not empty and has no zero byte", key);
  s = keep_string(L, -1);
  lua_pop(L, 1);
  return s;
}

static bool read_function(lua_State *L, int t, const char *key, ph_function id) {
  if (!push_field(L, t, key, LUA_TFUNCTION, ""))
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
    if (length == 0 || length > NAME_MAX_LENGTH || strlen(name) != length)
      luaL_error(L, "%s: a name has 1 to %d bytes, none of them zero", key, NAME_MAX_LENGTH);
    if (!lua_isfunction(L, -1))
      luaL_error(L, "%s.%s: must be a function, is a %s", key, name, luaL_typename(L, -1));
    lua_pop(L, 1);
    n++;
  }
  if (n == 0 || n > LIST_MAX)
    luaL_error(L, "%s: must have 1 to %d named functions, has %d", key, LIST_MAX, (int)n);
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
    (*names)[i++] = keep_string(L, -1);
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

/* --- action terms --- */

/* Elements of the list at index t, at least `min`; refuses other keys. */
static int list_length(lua_State *L, int t, int min, const char *where) {
  int n = (int)lua_rawlen(L, t), keys = 0;
  lua_pushnil(L);
  while (lua_next(L, t)) {
    lua_pop(L, 1);
    keys++;
    if (!lua_isinteger(L, -1))
      luaL_error(L, "%smust be a list, has a key that is a %s", where, luaL_typename(L, -1));
  }
  if (keys != n || n < min || n > LIST_MAX)
    luaL_error(L, "%smust be a list of %d to %d elements without gaps", where, min, LIST_MAX);
  return n;
}

/* Term types of this version and the key that lists what they drive. */
static const struct {
  const char *type, *key;
} term_types[] = {{"ctrl", "actuators"}, {"joint_position", "joints"}};

static void read_patterns(lua_State *L, int t, const char *key, const char *where,
                          ph_term_spec *term) {
  char list_where[60];
  snprintf(list_where, sizeof list_where, "%s%s: ", where, key);
  if (!push_field(L, t, key, LUA_TTABLE, where))
    luaL_error(L, "%sneeds %s, a list of names or patterns", where, key);
  int list = lua_gettop(L), n = list_length(L, list, 1, list_where);
  term->patterns = ph_script_keep(L, (size_t)n * sizeof *term->patterns);
  term->npatterns = (size_t)n;
  for (int i = 0; i < n; i++) {
    size_t length;
    if (lua_rawgeti(L, list, i + 1) != LUA_TSTRING)
      luaL_error(L, "%selement %d is a %s, must be a name or pattern", list_where, i + 1,
                 luaL_typename(L, -1));
    const char *pattern = lua_tolstring(L, -1, &length);
    if (length == 0 || length > 200 || strlen(pattern) != length || !ph_pattern_valid(pattern))
      luaL_error(L, "%s'%s' is no pattern: 1 to 200 bytes, every [ closed", list_where, pattern);
    term->patterns[i] = (char *)keep_string(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void read_clip(lua_State *L, int t, const char *where, ph_term_spec *term) {
  static const char *const known[] = {"min", "max", NULL};
  char clip_where[60];
  term->min = -INFINITY;
  term->max = INFINITY;
  if (!push_field(L, t, "clip", LUA_TTABLE, where))
    return;
  snprintf(clip_where, sizeof clip_where, "%sclip: ", where);
  int clip = lua_gettop(L);
  check_keys(L, clip, clip_where, known);
  term->min = read_number(L, clip, "min", -INFINITY, clip_where);
  term->max = read_number(L, clip, "max", INFINITY, clip_where);
  if (term->min > term->max)
    luaL_error(L, "%smin %f is above max %f", clip_where, term->min, term->max);
  lua_pop(L, 1);
}

static size_t read_type(lua_State *L, int t, const char *where) {
  if (!push_field(L, t, "type", LUA_TSTRING, where))
    luaL_error(L, "%sneeds a type: ctrl or joint_position", where);
  for (size_t i = 0; i < sizeof term_types / sizeof term_types[0]; i++) {
    if (strcmp(lua_tostring(L, -1), term_types[i].type) == 0) {
      lua_pop(L, 1);
      return i;
    }
  }
  luaL_error(L, "%stype '%s': this version has ctrl and joint_position", where,
             lua_tostring(L, -1));
  return 0;
}

/* Reads the term on the top of the stack and pops it. */
static void read_term(lua_State *L, int number, ph_term_spec *term) {
  char where[40];
  int t = lua_gettop(L);
  snprintf(where, sizeof where, "actions[%d]: ", number);
  if (!lua_istable(L, t))
    luaL_error(L, "%smust be a table, is a %s", where, luaL_typename(L, t));
  size_t type = read_type(L, t, where);
  const char *key = term_types[type].key;
  const char *known[] = {"type", key, "scale", "offset", "clip", NULL};
  check_keys(L, t, where, known);
  snprintf(term->type, sizeof term->type, "%s", term_types[type].type);
  read_patterns(L, t, key, where, term);
  term->scale = read_number(L, t, "scale", 1, where);
  term->offset = read_number(L, t, "offset", 0, where);
  read_clip(L, t, where, term);
  lua_pop(L, 1);
}

static void read_terms(lua_State *L, int t) {
  ph_task_spec *spec = &ph_script_of(L)->spec;
  if (!push_field(L, t, "actions", LUA_TTABLE, ""))
    return;
  int list = lua_gettop(L), n = list_length(L, list, 0, "actions: ");
  spec->no_terms = n == 0;
  spec->terms = n > 0 ? ph_script_keep(L, (size_t)n * sizeof *spec->terms) : NULL;
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, list, i + 1);
    read_term(L, i + 1, &spec->terms[i]);
  }
  spec->info.nterms = (size_t)n;
  lua_pop(L, 1);
}

static double *read_numbers(lua_State *L, int t, const char *key, const char *where, size_t *n) {
  char list_where[60];
  snprintf(list_where, sizeof list_where, "%s%s: ", where, key);
  if (!push_field(L, t, key, LUA_TTABLE, where))
    luaL_error(L, "%sneeds %s, a list of numbers", where, key);
  int list = lua_gettop(L), length = list_length(L, list, 1, list_where);
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

static void read_range(lua_State *L, int t) {
  static const char *const known[] = {"min", "max", NULL};
  ph_task_spec *spec = &ph_script_of(L)->spec;
  size_t nmax;
  if (!push_field(L, t, "action_range", LUA_TTABLE, ""))
    return;
  int range = lua_gettop(L);
  check_keys(L, range, "action_range: ", known);
  spec->range_min = read_numbers(L, range, "min", "action_range: ", &spec->nrange);
  spec->range_max = read_numbers(L, range, "max", "action_range: ", &nmax);
  if (nmax != spec->nrange)
    luaL_error(L, "action_range: min has %d elements, max has %d", (int)spec->nrange, (int)nmax);
  for (size_t i = 0; i < nmax; i++)
    if (spec->range_min[i] >= spec->range_max[i])
      luaL_error(L, "action_range: element %d: min %f is not below max %f", (int)i + 1,
                 spec->range_min[i], spec->range_max[i]);
  lua_pop(L, 1);
}

/* --- the whole --- */

static void read_facts(lua_State *L, int t) {
  ph_task_info *info = &ph_script_of(L)->spec.info;
  info->name = read_string(L, t, "name");
  if (strlen(info->name) > NAME_MAX_LENGTH)
    luaL_error(L, "name: has more than %d bytes", NAME_MAX_LENGTH);
  info->model = read_string(L, t, "model");
  info->control_steps = (int)read_count(L, t, "control_steps", 100000);
  info->max_steps = read_count(L, t, "max_steps", 1000000000000);
  info->hold_seconds = read_number(L, t, "hold_seconds", 0, "");
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
  check_keys(L, t, "", known);
  read_facts(L, t);
  read_terms(L, t);
  read_range(L, t);
  read_success(L, t);
  if (push_field(L, t, "readouts", LUA_TTABLE, ""))
    info->nreadouts = read_functions(L, "readouts", &script->spec.readouts, &script->readouts);
  info->has_reset = read_function(L, t, "reset", PH_FN_RESET);
  info->has_reward = read_function(L, t, "reward", PH_FN_REWARD);
  info->has_failure = read_function(L, t, "failure", PH_FN_FAILURE);
  info->has_policy = read_function(L, t, "policy", PH_FN_POLICY);
}
