#include "script_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "name.h"

/* Reads the action terms of a task and the range of its actions. */

/* Term types of this version and the key that lists what they drive. */
static const struct {
  const char *type, *key;
} term_types[] = {{"ctrl", "actuators"}, {"joint_position", "joints"}};

static void read_patterns(lua_State *L, int t, const char *key, const char *where,
                          ph_term_spec *term) {
  char list_where[60];
  snprintf(list_where, sizeof list_where, "%s%s: ", where, key);
  if (!ph_script_push_field(L, t, key, LUA_TTABLE, where))
    luaL_error(L, "%sneeds %s, a list of names or patterns", where, key);
  int list = lua_gettop(L), n = ph_script_list_length(L, list, 1, list_where);
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
    term->patterns[i] = (char *)ph_script_keep_string(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void read_clip(lua_State *L, int t, const char *where, ph_term_spec *term) {
  static const char *const known[] = {"min", "max", NULL};
  char clip_where[60];
  term->min = -INFINITY;
  term->max = INFINITY;
  if (!ph_script_push_field(L, t, "clip", LUA_TTABLE, where))
    return;
  snprintf(clip_where, sizeof clip_where, "%sclip: ", where);
  int clip = lua_gettop(L);
  ph_script_check_keys(L, clip, clip_where, known);
  term->min = ph_script_read_number(L, clip, "min", -INFINITY, clip_where);
  term->max = ph_script_read_number(L, clip, "max", INFINITY, clip_where);
  if (term->min > term->max)
    luaL_error(L, "%smin %f is above max %f", clip_where, term->min, term->max);
  lua_pop(L, 1);
}

static size_t read_type(lua_State *L, int t, const char *where) {
  if (!ph_script_push_field(L, t, "type", LUA_TSTRING, where))
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
  ph_script_check_keys(L, t, where, known);
  snprintf(term->type, sizeof term->type, "%s", term_types[type].type);
  read_patterns(L, t, key, where, term);
  term->scale = ph_script_read_number(L, t, "scale", 1, where);
  term->offset = ph_script_read_number(L, t, "offset", 0, where);
  read_clip(L, t, where, term);
  lua_pop(L, 1);
}

void ph_script_read_terms(lua_State *L, int t) {
  ph_task_spec *spec = &ph_script_of(L)->spec;
  if (!ph_script_push_field(L, t, "actions", LUA_TTABLE, ""))
    return;
  int list = lua_gettop(L), n = ph_script_list_length(L, list, 0, "actions: ");
  spec->no_terms = n == 0;
  spec->terms = n > 0 ? ph_script_keep(L, (size_t)n * sizeof *spec->terms) : NULL;
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, list, i + 1);
    read_term(L, i + 1, &spec->terms[i]);
  }
  spec->info.nterms = (size_t)n;
  lua_pop(L, 1);
}

void ph_script_read_range(lua_State *L, int t) {
  static const char *const known[] = {"min", "max", NULL};
  ph_task_spec *spec = &ph_script_of(L)->spec;
  size_t nmax;
  if (!ph_script_push_field(L, t, "action_range", LUA_TTABLE, ""))
    return;
  int range = lua_gettop(L);
  ph_script_check_keys(L, range, "action_range: ", known);
  spec->range_min = ph_script_read_numbers(L, range, "min", "action_range: ", &spec->nrange);
  spec->range_max = ph_script_read_numbers(L, range, "max", "action_range: ", &nmax);
  if (nmax != spec->nrange)
    luaL_error(L, "action_range: min has %d elements, max has %d", (int)spec->nrange, (int)nmax);
  for (size_t i = 0; i < nmax; i++)
    if (spec->range_min[i] >= spec->range_max[i])
      luaL_error(L, "action_range: element %d: min %f is not below max %f", (int)i + 1,
                 spec->range_min[i], spec->range_max[i]);
  lua_pop(L, 1);
}
