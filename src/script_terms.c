#include "script_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "name.h"

/* Reads the action terms of a task and the range of its actions. */

/* Term types: the key that lists what they drive, and what they take beside it and `common`. */
static const struct {
  const char *type, *list;
  const char *const *more;
} term_types[] = {
    {"ctrl", "actuators", (const char *const[]){NULL}},
    {"joint_position", "joints", (const char *const[]){NULL}},
    {"joint_delta", "joints", (const char *const[]){"of", NULL}},
    {"gripper", "actuators", (const char *const[]){"open", "closed", "threshold", NULL}},
    {"eef_pose", "joints",
     (const char *const[]){"site", "mode", "of", "control", "damping", "iterations", NULL}},
};
enum { NTYPES = sizeof term_types / sizeof term_types[0] };
static const char *const common[] = {"type", "scale", "offset", "clip", NULL};

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

/* A number, and where `parts` allows it {position =, rotation =}, of which each may be absent. */
static void read_parts(lua_State *L, int t, const char *key, const char *where, bool parts,
                       double out[2]) {
  static const char *const known[] = {"position", "rotation", NULL};
  char part_where[80];
  int type = lua_getfield(L, t, key);
  lua_pop(L, 1);
  if (!parts || type != LUA_TTABLE) {
    out[0] = ph_script_read_number(L, t, key, out[0], where);
    out[1] = type == LUA_TNIL ? out[1] : out[0];
    return;
  }
  ph_script_push_field(L, t, key, LUA_TTABLE, where);
  snprintf(part_where, sizeof part_where, "%s%s: ", where, key);
  ph_script_check_form(L, lua_gettop(L), part_where,
                       "a number or {position = NUMBER, rotation = NUMBER}");
  ph_script_check_keys(L, lua_gettop(L), part_where, known);
  for (int i = 0; i < 2; i++)
    out[i] = ph_script_read_number(L, lua_gettop(L), known[i], out[i], part_where);
  lua_pop(L, 1);
}

static void read_clip(lua_State *L, int t, const char *where, bool parts, double min[2],
                      double max[2]) {
  static const char *const known[] = {"min", "max", NULL};
  char clip_where[60];
  if (!ph_script_push_field(L, t, "clip", LUA_TTABLE, where))
    return;
  snprintf(clip_where, sizeof clip_where, "%sclip: ", where);
  int clip = lua_gettop(L);
  ph_script_check_form(L, clip, clip_where, "{min = NUMBER, max = NUMBER}");
  ph_script_check_keys(L, clip, clip_where, known);
  read_parts(L, clip, "min", clip_where, parts, min);
  read_parts(L, clip, "max", clip_where, parts, max);
  for (int i = 0; i < 2; i++)
    if (min[i] > max[i])
      luaL_error(L, "%smin %f is above max %f", clip_where, min[i], max[i]);
  lua_pop(L, 1);
}

static void read_map(lua_State *L, int t, const char *where, ph_term_spec *term) {
  bool parts = strcmp(term->type, "eef_pose") == 0;
  double scale[2] = {1, 1}, offset[2] = {0, 0};
  double min[2] = {-INFINITY, -INFINITY}, max[2] = {INFINITY, INFINITY};
  read_parts(L, t, "scale", where, parts, scale);
  read_parts(L, t, "offset", where, parts, offset);
  read_clip(L, t, where, parts, min, max);
  term->map = (ph_term_map){scale[0], offset[0], min[0], max[0]};
  term->rotation = (ph_term_map){scale[1], offset[1], min[1], max[1]};
}

/* Index of the word that t[key] is; 0 where it is absent. */
static int read_choice(lua_State *L, int t, const char *key, const char *where,
                       const char *const *words) {
  char what[100];
  if (!ph_script_push_field(L, t, key, LUA_TSTRING, where))
    return 0;
  const char *word = lua_tostring(L, -1);
  for (int i = 0; words[i]; i++)
    if (strcmp(word, words[i]) == 0) {
      lua_pop(L, 1);
      return i;
    }
  snprintf(what, sizeof what, "%s%s: must be one of", where, key);
  for (int i = 0; words[i]; i++) {
    size_t n = strlen(what);
    snprintf(what + n, sizeof what - n, "%s %s", i > 0 ? "," : "", words[i]);
  }
  luaL_error(L, "%s; is '%s'", what, word);
  return 0;
}

static void read_of(lua_State *L, int t, const char *where, ph_term_spec *term) {
  static const char *const words[] = {"measured", "target", NULL};
  term->target = read_choice(L, t, "of", where, words) == 1;
}

/* --- gripper --- */

/* One number for all actuators, or a list. */
static double *read_ends(lua_State *L, int t, const char *key, const char *where, size_t *n) {
  int type = lua_getfield(L, t, key);
  lua_pop(L, 1);
  *n = 0;
  if (type == LUA_TNIL)
    return NULL;
  if (type == LUA_TTABLE)
    return ph_script_read_numbers(L, t, key, where, n);
  double *value = ph_script_keep(L, sizeof *value);
  *value = ph_script_read_number(L, t, key, 0, where);
  *n = 1;
  return value;
}

static void read_gripper(lua_State *L, int t, const char *where, ph_term_spec *term) {
  term->open = read_ends(L, t, "open", where, &term->nopen);
  term->closed = read_ends(L, t, "closed", where, &term->nclosed);
  term->threshold = ph_script_read_number(L, t, "threshold", NAN, where);
  if (!term->open != !term->closed)
    luaL_error(L, "%shas %s, needs %s too", where, term->open ? "open" : "closed",
               term->open ? "closed" : "open");
}

/* --- eef_pose --- */

static void read_eef(lua_State *L, int t, const char *where, ph_term_spec *term) {
  static const char *const modes[] = {"delta", "absolute", NULL};
  static const char *const controls[] = {"both", "position", "orientation", NULL};
  if (!ph_script_push_field(L, t, "site", LUA_TSTRING, where))
    luaL_error(L, "%sneeds site, the name of one", where);
  term->site = ph_script_keep_string(L, -1);
  lua_pop(L, 1);
  term->absolute = read_choice(L, t, "mode", where, modes) == 1;
  read_of(L, t, where, term);
  if (term->absolute && lua_getfield(L, t, "of") != LUA_TNIL)
    luaL_error(L, "%sof: only mode 'delta' has it", where);
  int control = read_choice(L, t, "control", where, controls);
  term->position = control != 2;
  term->orientation = control != 1;
  term->damping = ph_script_read_number(L, t, "damping", 0.05, where);
  if (term->damping < 1e-6 || term->damping > 1e6)
    luaL_error(L, "%sdamping: must be from 1e-6 to 1e6, is %f", where, term->damping);
  double iterations = ph_script_read_number(L, t, "iterations", 20, where);
  if (iterations < 1 || iterations > 1000 || iterations != floor(iterations))
    luaL_error(L, "%siterations: must be a whole number from 1 to 1000, is %f", where, iterations);
  term->iterations = (int)iterations;
}

/* --- terms --- */

static size_t read_type(lua_State *L, int t, const char *where) {
  const char *names[NTYPES + 1] = {NULL};
  char what[80];
  if (!ph_script_push_field(L, t, "type", LUA_TSTRING, where))
    luaL_error(L, "%sneeds a type: ctrl, joint_position, joint_delta, gripper or eef_pose", where);
  const char *type = lua_tostring(L, -1);
  for (size_t i = 0; i < NTYPES; i++) {
    names[i] = term_types[i].type;
    if (strcmp(type, names[i]) == 0) {
      lua_pop(L, 1);
      return i;
    }
  }
  snprintf(what, sizeof what, "%sunknown type", where);
  ph_script_unknown(L, what, type, names);
  return 0;
}

static void check_term_keys(lua_State *L, int t, const char *where, size_t type) {
  const char *known[20] = {term_types[type].list};
  size_t n = 1;
  for (size_t i = 0; common[i]; i++)
    known[n++] = common[i];
  for (size_t i = 0; term_types[type].more[i]; i++)
    known[n++] = term_types[type].more[i];
  known[n] = NULL;
  ph_script_check_keys(L, t, where, known);
}

/* Reads the term on the top of the stack and pops it. */
static void read_term(lua_State *L, int number, ph_term_spec *term) {
  char where[40];
  int t = lua_gettop(L);
  snprintf(where, sizeof where, "actions[%d]: ", number);
  if (!lua_istable(L, t))
    luaL_error(L, "%smust be a table, is a %s", where, luaL_typename(L, t));
  size_t type = read_type(L, t, where);
  check_term_keys(L, t, where, type);
  snprintf(term->type, sizeof term->type, "%s", term_types[type].type);
  read_patterns(L, t, term_types[type].list, where, term);
  read_map(L, t, where, term);
  if (strcmp(term->type, "joint_delta") == 0)
    read_of(L, t, where, term);
  if (strcmp(term->type, "gripper") == 0)
    read_gripper(L, t, where, term);
  if (strcmp(term->type, "eef_pose") == 0)
    read_eef(L, t, where, term);
  lua_settop(L, t - 1);
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
  ph_script_check_form(L, range, "action_range: ", "{min = {NUMBER, ...}, max = {NUMBER, ...}}");
  ph_script_check_keys(L, range, "action_range: ", known);
  spec->range_min = ph_script_read_numbers(L, range, "min", "action_range: ", &spec->nrange);
  spec->range_max = ph_script_read_numbers(L, range, "max", "action_range: ", &nmax);
  if (nmax != spec->nrange)
    luaL_error(L, "action_range: min has %d element%s, max has %d", (int)spec->nrange,
               spec->nrange == 1 ? "" : "s", (int)nmax);
  for (size_t i = 0; i < nmax; i++)
    if (spec->range_min[i] >= spec->range_max[i])
      luaL_error(L, "action_range: element %d: min %f is not below max %f", (int)i + 1,
                 spec->range_min[i], spec->range_max[i]);
  lua_pop(L, 1);
}
