#include "script_lua.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mj.h"

/* Numbers that scripts read and write in place: env.qpos.cup[3] = 0.5. Objects hold no pointers
 * into the simulation: they find it through the script, while it is there. */

#define META_VECTOR "playhead.vector"

ph_sim *ph_script_need_sim(lua_State *L) {
  ph_sim *sim = ph_script_of(L)->sim;
  if (!sim)
    luaL_error(L, "env is only there, and the model only changes, while reset runs");
  return sim;
}

/* The sim that may be read: of the running reset or of the scene. */
const ph_sim *ph_script_readable(lua_State *L) {
  const ph_script *script = ph_script_of(L);
  const ph_sim *sim = script->sim ? script->sim : script->scene ? script->scene->sim : NULL;
  if (!sim)
    luaL_error(L, "the model is only there while a function that was given it runs");
  return sim;
}

/* --- numbers --- */

static void locate(lua_State *L, const ph_vector *v, ph_field *out) {
  if (v->array == PH_A_FIELD) {
    const ph_sim *sim = ph_script_readable(L);
    if (!ph_mj_field(sim->m, v->field, out) || v->offset + v->n > out->rows * out->cols)
      luaL_error(L, "%s: the model has no such field", v->label);
    return;
  }
  mjData *d = ph_script_need_sim(L)->d;
  double *const data[] = {
      [PH_A_QPOS] = d->qpos,
      [PH_A_QVEL] = d->qvel,
      [PH_A_ACT] = d->act,
      [PH_A_CTRL] = d->ctrl,
      [PH_A_USERDATA] = d->userdata,
      [PH_A_XFRC] = d->xfrc_applied,
      [PH_A_MOCAP_POS] = d->mocap_pos,
      [PH_A_MOCAP_QUAT] = d->mocap_quat,
  };
  out->type = PH_F64;
  out->data = data[v->array];
}

static void push_element(lua_State *L, const ph_field *f, int i) {
  switch (f->type) {
  case PH_F64:
    lua_pushnumber(L, ((const double *)f->data)[i]);
    break;
  case PH_F32:
    lua_pushnumber(L, (double)((const float *)f->data)[i]);
    break;
  case PH_I32:
    lua_pushinteger(L, ((const int32_t *)f->data)[i]);
    break;
  default:
    lua_pushinteger(L, ((const uint8_t *)f->data)[i]);
  }
}

/* What the engine takes for granted of a field, for its compiler never lets it be otherwise. */
typedef enum field_rule { NO_RULE, NOT_NEGATIVE, CONDIM, DIRECTION } field_rule;

static const struct {
  const char *field;
  field_rule rule;
  ph_kind kind;
} rules[] = {
    {"body_mass", NOT_NEGATIVE, PH_BODY}, {"body_inertia", NOT_NEGATIVE, PH_BODY},
    {"geom_size", NOT_NEGATIVE, PH_GEOM}, {"site_size", NOT_NEGATIVE, PH_SITE},
    {"geom_condim", CONDIM, PH_GEOM},     {"body_quat", DIRECTION, PH_BODY},
    {"body_iquat", DIRECTION, PH_BODY},   {"geom_quat", DIRECTION, PH_GEOM},
    {"site_quat", DIRECTION, PH_SITE},    {"jnt_axis", DIRECTION, PH_JOINT},
};
enum { RULES = sizeof rules / sizeof rules[0] };

static field_rule rule_of(const ph_vector *v) {
  for (size_t i = 0; v->array == PH_A_FIELD && i < RULES; i++)
    if (strcmp(rules[i].field, v->field) == 0)
      return rules[i].rule;
  return NO_RULE;
}

static void check_rule(lua_State *L, const ph_vector *v, double x) {
  field_rule rule = rule_of(v);
  char number[32];
  snprintf(number, sizeof number, "%g", x);
  if (rule == NOT_NEGATIVE && x < 0)
    luaL_error(L, "%s: %s is negative", v->label, number);
  if (rule == CONDIM && x != 1 && x != 3 && x != 4 && x != 6)
    luaL_error(L, "%s: must be 1, 3, 4 or 6, is %s", v->label, number);
}

/* Of a quaternion or an axis. */
static bool has_length(double squares) {
  return squares > mjMINVAL * mjMINVAL;
}

static double row_squares(const ph_field *f, int row) {
  const double *x = (const double *)f->data + (size_t)row * (size_t)f->cols;
  double sum = 0;
  for (int i = 0; i < f->cols; i++)
    sum += x[i] * x[i];
  return sum;
}

/* Elements are written one by one, so only the end of a reset tells whether a length is left. */
void ph_script_check_directions(lua_State *L) {
  const ph_sim *sim = ph_script_need_sim(L);
  ph_field now, before;
  if (!sim->private_model)
    return;
  for (size_t i = 0; i < RULES; i++) {
    const char *field = rules[i].field;
    if (rules[i].rule != DIRECTION || !ph_mj_field(sim->m, field, &now) ||
        !ph_mj_field(sim->model->m, field, &before))
      continue;
    for (int row = 0; row < now.rows; row++)
      if (!has_length(row_squares(&now, row)) && has_length(row_squares(&before, row)))
        luaL_error(L, "model.%s of '%s': has no length", field,
                   ph_model_name(sim->model, rules[i].kind, row));
  }
}

/* The value on the top of the stack as a number that the field can hold. */
static double checked(lua_State *L, const ph_vector *v, const ph_field *f) {
  if (f->type == PH_U8 && lua_isboolean(L, -1))
    return lua_toboolean(L, -1);
  if (lua_type(L, -1) != LUA_TNUMBER)
    luaL_error(L, "%s: takes numbers, got a %s", v->label, luaL_typename(L, -1));
  double x = lua_tonumber(L, -1);
  double max = f->type == PH_F32  ? (double)FLT_MAX
               : f->type == PH_U8 ? (f->flag ? 1 : 255)
                                  : DBL_MAX;
  ph_script_of(L)->not_finite = !isfinite(x);
  if (!isfinite(x) || fabs(x) > max)
    luaL_error(L, "%s: %f is not a number it can hold", v->label, x);
  bool whole = f->type == PH_I32 || f->type == PH_U8;
  if (whole && (x != floor(x) || x > INT32_MAX || x < (f->type == PH_U8 ? 0 : INT32_MIN)))
    luaL_error(L, "%s: %f is not a whole number it can hold", v->label, x);
  check_rule(L, v, x);
  return x;
}

/* Stores the value on the top of the stack as element i and pops it. */
static void pop_element(lua_State *L, const ph_vector *v, const ph_field *f, int i) {
  double x = checked(L, v, f);
  switch (f->type) {
  case PH_F64:
    ((double *)f->data)[i] = x;
    break;
  case PH_F32:
    ((float *)f->data)[i] = (float)x;
    break;
  case PH_I32:
    ((int32_t *)f->data)[i] = (int32_t)x;
    break;
  default:
    ((uint8_t *)f->data)[i] = (uint8_t)x;
  }
  lua_pop(L, 1);
}

/* A write needs reset, and for model fields a model of the sim's own. */
static void locate_for_write(lua_State *L, const ph_vector *v, ph_field *out) {
  ph_sim *sim = ph_script_need_sim(L);
  if (v->array == PH_A_FIELD && ph_sim_private_model(sim) != PH_OK)
    luaL_error(L, "%s: no memory for a model of its own", v->label);
  locate(L, v, out);
}

/* One number, or a vector object that reads and writes in place. */
int ph_script_push_vector(lua_State *L, const ph_vector *v) {
  ph_field f;
  if (v->n == 1) {
    locate(L, v, &f);
    push_element(L, &f, v->offset);
    return 1;
  }
  ph_vector *object = lua_newuserdatauv(L, sizeof *object, 0);
  *object = *v;
  luaL_setmetatable(L, META_VECTOR);
  return 1;
}

/* Assigns the value at a stack index: a number where v has one element, else a list of as many. All
 * or nothing. */
int ph_script_assign(lua_State *L, const ph_vector *v, int value) {
  ph_field f;
  locate_for_write(L, v, &f);
  if (!lua_istable(L, value) && !luaL_testudata(L, value, META_VECTOR)) {
    if (v->n != 1)
      return luaL_error(L, "%s: takes a list of %d numbers, got a %s", v->label, v->n,
                        luaL_typename(L, value));
    lua_pushvalue(L, value);
    pop_element(L, v, &f, v->offset);
    return 0;
  }
  lua_Integer n = luaL_len(L, value);
  if (n != v->n)
    return luaL_error(L, "%s: takes %d numbers, got %I", v->label, v->n, n);
  double squares = 0;
  for (int i = 0; i < v->n; i++) {
    lua_geti(L, value, i + 1);
    double x = checked(L, v, &f);
    squares += x * x;
    lua_pop(L, 1);
  }
  if (rule_of(v) == DIRECTION && !has_length(squares))
    return luaL_error(L, "%s: has no length", v->label);
  for (int i = 0; i < v->n; i++) {
    lua_geti(L, value, i + 1);
    pop_element(L, v, &f, v->offset + i);
  }
  return 0;
}

static int vector_place(lua_State *L, const ph_vector *v) {
  lua_Integer i = lua_isinteger(L, 2) ? lua_tointeger(L, 2) : 0;
  if (i < 1 || i > v->n)
    luaL_error(L, "%s: is indexed by whole numbers from 1 to %d", v->label, v->n);
  return v->offset + (int)i - 1;
}

static int vector_index(lua_State *L) {
  const ph_vector *v = lua_touserdata(L, 1);
  ph_field f;
  if (lua_isinteger(L, 2) && lua_tointeger(L, 2) == v->n + 1) { /* ends a loop over it */
    lua_pushnil(L);
    return 1;
  }
  int i = vector_place(L, v);
  locate(L, v, &f);
  push_element(L, &f, i);
  return 1;
}

static int vector_newindex(lua_State *L) {
  const ph_vector *v = lua_touserdata(L, 1);
  ph_field f;
  int i = vector_place(L, v);
  locate_for_write(L, v, &f);
  lua_pushvalue(L, 3);
  pop_element(L, v, &f, i);
  return 0;
}

static int vector_length(lua_State *L) {
  lua_pushinteger(L, ((const ph_vector *)lua_touserdata(L, 1))->n);
  return 1;
}

void ph_script_open_vector(lua_State *L) {
  static const luaL_Reg of_vector[] = {{"__index", vector_index},
                                       {"__newindex", vector_newindex},
                                       {"__len", vector_length},
                                       {NULL, NULL}};
  ph_script_metatable(L, META_VECTOR, of_vector);
}
