#include "script_expr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"

/* What a call wants and gives; light userdata 1 of the bodies below. */
typedef struct call {
  const ph_scene *scene;
  ph_sim *sim;
  ph_rng *rng;
  int function; /* registry reference */
  bool *flag;
  ph_condition *conditions;
  double *values;
  size_t n;
} call;

static ph_status run_call(ph_script *script, lua_CFunction body, call *c) {
  if (c->scene) {
    script->scene = c->scene;
    ph_view_of(&script->now, c->scene->sim);
  }
  script->sim = c->sim;
  script->rng = c->rng;
  script->wants_stages = false;
  ph_status st = ph_script_run(script, body, c);
  script->scene = NULL;
  script->sim = NULL;
  script->rng = NULL;
  script->judging = PH_JUDGE_NONE;
  return st;
}

/* Pushes the function and notes where it begins, for messages. */
static void push_function(lua_State *L, int reference, const char *group, const char *name) {
  ph_script *script = ph_script_of(L);
  lua_Debug ar;
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &ar);
  script->line = ar.linedefined;
  script->in_expr = ph_script_is_expr(script->expr, ar.source);
  script->in_judge = script->judge_chunk[0] && strcmp(ar.source, script->judge_chunk) == 0;
  bool same = strcmp(group, name) == 0;
  snprintf(script->what, sizeof script->what, "%s%s%s", group, same ? "" : ".", same ? "" : name);
}

/* Raises "must return a number, returned string": for values, which have no line of their own. */
static int wrong_type(lua_State *L, const char *must) {
  return luaL_error(L, "must return %s, returned %s", must,
                    lua_isnil(L, -1) ? "nothing" : luaL_typename(L, -1));
}

static bool pop_boolean(lua_State *L) {
  if (!lua_isboolean(L, -1))
    wrong_type(L, "true or false");
  bool value = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return value;
}

static double pop_number(lua_State *L) {
  if (lua_type(L, -1) != LUA_TNUMBER)
    wrong_type(L, "a number");
  double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

static double pop_finite(lua_State *L) {
  double value = pop_number(L);
  if (!isfinite(value))
    luaL_error(L, "must return a finite number, returned %f", value);
  return value;
}

/* Runs n conditions, all of them; *all: every one holds. out is nullable. */
static void run_conditions(lua_State *L, const char *group, const char *const *names,
                           const int *references, size_t n, bool *all, ph_condition *out) {
  ph_script *script = ph_script_of(L);
  int top = lua_gettop(L);
  *all = true;
  for (size_t i = 0; i < n; i++) {
    script->read.group = NULL;
    push_function(L, references[i], group, names[i]);
    ph_script_push_s(L);
    lua_call(L, 1, 1);
    bool value = pop_boolean(L);
    *all = *all && value;
    lua_settop(L, top);
    if (!out)
      continue;
    out[i] = (ph_condition){.name = names[i], .value = value};
    if (script->read.group) {
      if (references == script->conditions && script->thresholds[i].compare[0])
        snprintf(out[i].limit, sizeof out[i].limit, "%s %s", script->thresholds[i].compare,
                 script->thresholds[i].number);
      ph_script_read_name(&script->read, out[i].reads, sizeof out[i].reads);
      out[i].read = script->read.value;
      snprintf(out[i].unit, sizeof out[i].unit, "%s", script->read.unit);
    }
  }
}

static int success_body(lua_State *L) {
  ph_script *script = ph_script_of(L);
  call *c = lua_touserdata(L, 1);
  script->judging = PH_JUDGE_SUCCESS;
  run_conditions(L, "success", script->spec.conditions, script->conditions,
                 script->spec.info.nconditions, c->flag, c->conditions);
  return 0;
}

ph_status ph_script_success(ph_script *script, const ph_scene *scene, bool *value,
                            ph_condition *conditions) {
  *value = false;
  if (!script->spec.info.has_success)
    return ph_fail(PH_ENOTFOUND, "%s: the task has no success", script->shown);
  call c = {.scene = scene, .flag = value, .conditions = conditions};
  return run_call(script, success_body, &c);
}

/* --- stages --- */

static int stage_body(lua_State *L) {
  ph_script *script = ph_script_of(L);
  call *c = lua_touserdata(L, 1);
  const ph_stage_spec *stage = &script->spec.stages[c->n];
  char group[80];
  snprintf(group, sizeof group, "stages.%s", stage->stage.name);
  script->judging = PH_JUDGE_STAGE;
  run_conditions(L, stage->n == 1 && stage->name[0] == stage->stage.name ? "stages" : group,
                 stage->name, stage->reference, stage->n, c->flag, c->conditions);
  return 0;
}

ph_status ph_script_stage(ph_script *script, const ph_scene *scene, size_t i, bool *value,
                          ph_condition *conditions) {
  *value = false;
  if (i >= script->spec.info.nstages)
    return ph_fail(PH_ENOTFOUND, "%s: the task has no stage %zu", script->shown, i);
  call c = {.scene = scene, .flag = value, .conditions = conditions, .n = i};
  return run_call(script, stage_body, &c);
}

ph_status ph_script_stages(ph_script *script, const ph_scene *scene, ph_stages *stages) {
  bool value = false;
  if (stages->done >= stages->n || scene->step < 1)
    return PH_OK;
  ph_status status = ph_script_stage(script, scene, stages->done, &value, NULL);
  if (status == PH_OK)
    ph_stages_update(stages, scene->step, value);
  return status;
}

bool ph_script_wants_stages(const ph_script *script) {
  return script->wants_stages;
}

/* --- failure, reward, readouts --- */

static int failure_body(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  push_function(L, c->function, "failure", "failure");
  ph_script_push_s(L);
  lua_call(L, 1, 1);
  *c->flag = pop_boolean(L);
  return 0;
}

ph_status ph_script_failure(ph_script *script, const ph_scene *scene, bool *value) {
  *value = false;
  call c = {.scene = scene, .function = script->fn[PH_FN_FAILURE], .flag = value};
  return script->spec.info.has_failure ? run_call(script, failure_body, &c) : PH_OK;
}

/* It need not be finite here: that ends the episode. */
static int reward_body(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  push_function(L, c->function, "reward", "reward");
  ph_script_push_s(L);
  lua_call(L, 1, 1);
  c->values[0] = pop_number(L);
  return 0;
}

ph_status ph_script_reward(ph_script *script, const ph_scene *scene, double *value) {
  *value = 0;
  call c = {.scene = scene, .function = script->fn[PH_FN_REWARD], .values = value};
  return script->spec.info.has_reward ? run_call(script, reward_body, &c) : PH_OK;
}

static double run_readout(lua_State *L, size_t i) {
  const ph_script *script = ph_script_of(L);
  push_function(L, script->readouts[i], "readouts", script->spec.readouts[i]);
  ph_script_push_s(L);
  lua_call(L, 1, 1);
  return pop_finite(L);
}

static int readouts_body(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  for (size_t i = 0; i < ph_script_of(L)->spec.info.nreadouts; i++) {
    c->values[i] = run_readout(L, i);
    lua_settop(L, 1);
  }
  return 0;
}

static int readout_body(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  c->values[0] = run_readout(L, c->n);
  return 0;
}

ph_status ph_script_readout(ph_script *script, const ph_scene *scene, size_t i, double *value) {
  *value = NAN;
  if (i >= script->spec.info.nreadouts)
    return ph_fail(PH_ENOTFOUND, "%s: the task has no readout %zu", script->shown, i);
  call c = {.scene = scene, .values = value, .n = i};
  return run_call(script, readout_body, &c);
}

ph_status ph_script_readouts(ph_script *script, const ph_scene *scene, double *values) {
  call c = {.scene = scene, .values = values};
  return run_call(script, readouts_body, &c);
}

/* --- policy and reset --- */

/* The action may be a table of n numbers, or a number where n is 1. Elements need not be finite
 * here: the caller says which one is not. */
static void pop_action(lua_State *L, double *action, size_t n) {
  if (n == 1 && lua_type(L, -1) == LUA_TNUMBER) {
    action[0] = lua_tonumber(L, -1);
    return;
  }
  if (!lua_istable(L, -1))
    wrong_type(L, "a table of numbers");
  lua_Unsigned length = lua_rawlen(L, -1);
  if (length != n)
    luaL_error(L, "must return %d numbers, returned %d", (int)n, (int)length);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    if (lua_type(L, -1) != LUA_TNUMBER)
      luaL_error(L, "action[%d] is a %s, must be a number", (int)i, luaL_typename(L, -1));
    action[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

static int policy_body(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  push_function(L, c->function, "policy", "policy");
  ph_script_push_s(L);
  ph_script_push_rng(L);
  lua_call(L, 2, 1);
  pop_action(L, c->values, c->n);
  return 0;
}

ph_status ph_script_policy(ph_script *script, const ph_scene *scene, ph_rng *rng, double *action,
                           size_t n) {
  if (!script->spec.info.has_policy)
    return ph_fail(PH_ENOTFOUND, "%s: the task has no policy", script->shown);
  call c = {
      .scene = scene, .rng = rng, .function = script->fn[PH_FN_POLICY], .values = action, .n = n};
  return run_call(script, policy_body, &c);
}

static int reset_body(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  push_function(L, c->function, "reset", "reset");
  ph_script_push_env(L);
  ph_script_push_rng(L);
  lua_call(L, 2, 0);
  ph_script_check_directions(L);
  return 0;
}

ph_status ph_script_reset(ph_script *script, ph_sim *sim, ph_rng *rng) {
  call c = {.sim = sim, .rng = rng, .function = script->fn[PH_FN_RESET]};
  script->not_finite = false;
  ph_status status = script->spec.info.has_reset ? run_call(script, reset_body, &c) : PH_OK;
  return status == PH_ETASK && script->not_finite ? PH_EINVAL : status;
}
