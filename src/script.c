#include "script_expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "fail.h"
#include "task_line.h"

/* --- limits --------------------------------------------------------------------------------------
 *
 * A count hook alone can be escaped: pcall loops swallow its error, one C function or one
 * concatenation may take long, and long strings or stacks make single instructions slow. So:
 *  - a limit that was hit stays hit, the hook then fires at each instruction, and our pcall throws
 *    on: the script is dead;
 *  - the allocator charges bytes as work, refuses long strings (Lua tells it the kind of a new
 *    object) and knows how deep the stack is: it is the block that lua_checkstack makes grow, and
 *    when it is replaced, by the block that was made just before it is freed;
 *  - instructions weigh more while strings or stack are large;
 *  - the C functions that a script can reach are bounded or charge what they cost. */

enum { HOOK_PERIOD = 1000, BYTES_PER_WORK = 32 };

static void count_hook(lua_State *L, lua_Debug *ar);

/* Stops the script at its next instruction, where the line is known. */
static void hit(ph_script *script, ph_limit limit) {
  if (script->limit != PH_LIMIT_NONE)
    return;
  script->limit = limit;
  script->period = 1;
  if (script->L)
    lua_sethook(script->L, count_hook, LUA_MASKCOUNT, 1);
}

/* The stack lives in block p of that size from now on. */
static void follow_stack(ph_script *script, void *p, size_t size) {
  script->stack = p;
  script->stack_size = size;
  script->stack_peak = size > script->stack_peak ? size : script->stack_peak;
  if (size > PH_SCRIPT_STACK)
    hit(script, PH_LIMIT_STACK);
}

/* What is a little beyond a limit still succeeds, so that the next instruction can tell where; what
 * is far beyond does not. */
static void *grow(ph_script *script, void *ptr, size_t old, size_t size, bool string) {
  size_t used = script->used - old + size;
  script->work += (int64_t)(size / BYTES_PER_WORK);
  if (string && size > PH_SCRIPT_STRING + 64)
    hit(script, PH_LIMIT_STRING);
  if (used > PH_SCRIPT_MEMORY)
    hit(script, PH_LIMIT_MEMORY);
  if (script->work > PH_SCRIPT_WORK)
    hit(script, PH_LIMIT_WORK);
  if (used > PH_SCRIPT_MEMORY + PH_SCRIPT_MEMORY / 8 || script->work > 2 * PH_SCRIPT_WORK)
    return NULL;
  void *p = realloc(ptr, size);
  if (!p) {
    hit(script, PH_LIMIT_MEMORY);
    return NULL;
  }
  script->used += size - old;
  size_t *most = string ? &script->longest : &script->biggest;
  *most = size > *most ? size : *most;
  if ((ptr && ptr == script->stack) || script->watch_stack)
    follow_stack(script, p, size);
  return p;
}

static void release(ph_script *script, void *ptr, size_t old) {
  script->used -= old;
  if (ptr && ptr == script->stack) /* the block made just before has replaced it */
    follow_stack(script, script->fresh, script->fresh_size);
  script->fresh = NULL;
  free(ptr);
}

static void *shrink(ph_script *script, void *ptr, size_t old, size_t size) {
  void *p = realloc(ptr, size);
  p = p ? p : ptr; /* Lua relies on shrinking never to fail */
  script->used -= old - size;
  if (ptr == script->stack)
    follow_stack(script, p, size);
  return p;
}

static void *allocate(void *ud, void *ptr, size_t osize, size_t nsize) {
  ph_script *script = ud;
  size_t old = ptr ? osize : 0;
  if (nsize == 0) {
    release(script, ptr, old);
    return NULL;
  }
  if (ptr && nsize <= old)
    return shrink(script, ptr, old, nsize);
  void *p = grow(script, ptr, old, nsize, !ptr && osize == LUA_TSTRING);
  script->fresh = p;
  script->fresh_size = nsize;
  return p;
}

/* 1 while strings are under 256 bytes and the stack is under 8 KiB, 256 more at each limit. */
static int64_t weight(const ph_script *script) {
  return 1 + (int64_t)(script->longest / (PH_SCRIPT_STRING / 256)) +
         (int64_t)(script->stack_peak / (PH_SCRIPT_STACK / 32) * 8);
}

static void count_hook(lua_State *L, lua_Debug *ar) {
  ph_script *script = ph_script_of(L);
  script->work += script->period * weight(script);
  script->stack_peak = script->stack_size;
  if (script->work > PH_SCRIPT_WORK)
    hit(script, PH_LIMIT_WORK);
  if (script->limit == PH_LIMIT_NONE)
    return;
  if (script->limit_where[0] == 0 && lua_getinfo(L, "Sl", ar) && ar->currentline > 0) {
    if (ph_script_is_expr(script->expr, ar->short_src))
      ph_script_expr_where(script->expr, ar->currentline, script->limit_where,
                           sizeof script->limit_where);
    else
      snprintf(script->limit_where, sizeof script->limit_where, "%s:%d", ar->short_src,
               ar->currentline);
  }
  lua_pushnil(L);
  lua_error(L);
}

void ph_script_charge(lua_State *L, int64_t work) {
  ph_script *script = ph_script_of(L);
  script->work += work < PH_SCRIPT_WORK ? work : PH_SCRIPT_WORK;
  if (script->work <= PH_SCRIPT_WORK)
    return;
  hit(script, PH_LIMIT_WORK);
  lua_pushnil(L);
  lua_error(L);
}

static const char *limit_text(ph_limit limit) {
  switch (limit) {
  case PH_LIMIT_NONE:
    break;
  case PH_LIMIT_WORK:
    return "instruction limit: it does not come to an end within 10 million instructions";
  case PH_LIMIT_MEMORY:
    return "memory limit: it needs more than 64 MiB";
  case PH_LIMIT_STRING:
    return "memory limit: it makes a string of more than 64 KiB";
  case PH_LIMIT_STACK:
    return "stack limit: its calls are nested too deeply or pass too many values";
  }
  return "no limit";
}

void *ph_script_keep(lua_State *L, size_t size) {
  ph_script *script = ph_script_of(L);
  void **kept = realloc(script->kept, (script->nkept + 1) * sizeof *kept);
  if (kept)
    script->kept = kept;
  void *p = kept ? calloc(1, size > 0 ? size : 1) : NULL;
  if (!p) {
    hit(script, PH_LIMIT_MEMORY);
    lua_pushnil(L);
    lua_error(L);
  }
  return script->kept[script->nkept++] = p;
}

/* --- running --- */

/* Length of "file:line" at the start of a message; 0 where it has none. */
static size_t where_length(const char *shown, const char *message) {
  size_t n = strlen(shown);
  if (n == 0 || strncmp(message, shown, n) != 0 || message[n] != ':')
    return 0;
  size_t digits = strspn(message + n + 1, "0123456789");
  return digits > 0 && message[n + 1 + digits] == ':' ? n + 1 + digits : 0;
}

static void where_begins(const ph_script *script, char *out, size_t size) {
  const char *shown = script->in_judge ? script->judge_shown : script->shown;
  if (script->in_expr)
    ph_script_expr_where(script->expr, 0, out, size);
  else if (script->line > 0)
    snprintf(out, size, "%s:%d", shown, script->line);
  else
    snprintf(out, size, "%s", shown);
}

/* What to say to whom Lua says that a function is not there. */
static const char *advice(const char *message) {
  bool called = strstr(message, "attempt to call a nil value") != NULL;
  return called && (strstr(message, "'random'") || strstr(message, "'randomseed'"))
             ? ": reset and policy are given rng, whose numbers are the same for the same seed: "
               "rng(), rng(a, b), rng:normal()"
             : "";
}

static ph_status report_text(const ph_script *script, const char *message) {
  char where[300], text[600];
  if (ph_script_expr_message(script->expr, message, where, sizeof where, text, sizeof text))
    return ph_fail(PH_ETASK, "%s: %s", where, text);
  size_t n = where_length(script->shown, message);
  n = n > 0 ? n : where_length(script->judge_shown, message);
  int line = ph_task_line(script->source, script->source_size, message);
  if (n > 0) {
    snprintf(where, sizeof where, "%.*s", (int)n, message);
    message += n + 1 + strspn(message + n + 1, " ");
  } else if (line > 0) {
    snprintf(where, sizeof where, "%s:%d", script->shown, line);
  } else {
    where_begins(script, where, sizeof where);
  }
  const char *what = script->in_expr ? "" : script->what;
  return ph_fail(PH_ETASK, "%s: %s%s%.600s%s", where, what, *what ? ": " : "", message,
                 advice(message));
}

static ph_status report(ph_script *script) {
  char text[120];
  if (script->limit != PH_LIMIT_NONE) {
    if (script->limit_where[0] == 0)
      where_begins(script, script->limit_where, sizeof script->limit_where);
    snprintf(text, sizeof text, "%s", limit_text(script->limit));
    const char *what = script->what;
    return ph_fail(PH_ETASK, "%s: %s%s%s", script->limit_where, what, *what ? ": " : "", text);
  }
  switch (lua_type(script->L, -1)) {
  case LUA_TSTRING:
    return report_text(script, lua_tostring(script->L, -1));
  case LUA_TNUMBER:
    snprintf(text, sizeof text, "error %.14g", lua_tonumber(script->L, -1));
    return report_text(script, text);
  default:
    snprintf(text, sizeof text, "error with a %s for a message",
             lua_typename(script->L, lua_type(script->L, -1)));
    return report_text(script, text);
  }
}

ph_status ph_script_run(ph_script *script, lua_CFunction body, void *arg) {
  lua_State *L = script->L;
  if (script->limit != PH_LIMIT_NONE)
    return report(script);
  locale_t before = ph_c_locale_enter();
  script->work = 0;
  script->line = 0;
  script->in_expr = script->in_judge = false;
  script->what[0] = 0;
  lua_sethook(L, count_hook, LUA_MASKCOUNT, HOOK_PERIOD);
  lua_settop(L, 0);
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, arg);
  int rc = lua_pcall(L, 1, 0, 0);
  ph_status st = rc == LUA_OK && script->limit == PH_LIMIT_NONE ? PH_OK : report(script);
  script->source = NULL;
  lua_settop(L, 0);
  ph_c_locale_leave(before);
  return st;
}

/* --- opening --- */

static int set_up(lua_State *L) {
  ph_script *script = ph_script_of(L);
  for (int i = 0; i < PH_FN_COUNT; i++)
    script->fn[i] = LUA_NOREF;
  ph_script_open_lib(L);
  ph_script_open_scene(L);
  ph_script_open_env(L);
  return 0;
}

/* Pushes the table that a text returns. */
static void load_table(lua_State *L, const char *source, size_t size, const char *chunk) {
  if (luaL_loadbufferx(L, source, size, chunk, "t") != LUA_OK)
    lua_error(L);
  lua_call(L, 0, 1);
  if (!lua_istable(L, -1))
    luaL_error(L, "a task file returns a table, this one a %s", luaL_typename(L, -1));
}

/* Puts the fields that judge over those of the table at the top. */
static void load_judge(lua_State *L, const ph_script_layers *layers) {
  static const char *const fields[] = {"success", "stages", "hold_seconds", "readouts", NULL};
  int task = lua_gettop(L);
  load_table(L, layers->judge, layers->judge_size, ph_script_of(L)->judge_chunk);
  for (const char *const *field = fields; *field; field++) {
    if (lua_getfield(L, task + 1, *field) == LUA_TNIL)
      lua_pop(L, 1);
    else
      lua_setfield(L, task, *field);
  }
  lua_settop(L, task);
}

/* What each condition compares with, where its text shows it. */
static void find_thresholds(lua_State *L, const ph_script_layers *layers) {
  ph_script *script = ph_script_of(L);
  size_t n = script->spec.info.nconditions;
  lua_Debug at;
  if (n == 0)
    return;
  script->thresholds = ph_script_keep(L, n * sizeof *script->thresholds);
  for (size_t i = 0; i < n; i++) {
    ph_threshold *threshold = &script->thresholds[i];
    bool known =
        layers->expr && ph_threshold_of_expression(threshold, layers->expr, strlen(layers->expr));
    lua_rawgeti(L, LUA_REGISTRYINDEX, script->conditions[i]);
    if (!layers->expr && lua_getinfo(L, ">S", &at)) {
      bool judge = layers->judge && strcmp(at.source, script->judge_chunk) == 0;
      const char *text = judge ? layers->judge : layers->source;
      size_t size = judge ? layers->judge_size : layers->size;
      known = ph_threshold_of_function(threshold, text, text ? size : 0, at.linedefined,
                                       at.lastlinedefined);
    } else {
      lua_pop(L, 1);
    }
    if (!known)
      *threshold = (ph_threshold){0};
  }
}

static int load(lua_State *L) {
  ph_script *script = ph_script_of(L);
  const ph_script_layers *layers = lua_touserdata(L, 1);
  if (layers->source)
    load_table(L, layers->source, layers->size, script->chunk);
  else
    lua_newtable(L);
  if (layers->judge)
    load_judge(L, layers);
  if (layers->expr)
    ph_script_set_success(L, layers->expr);
  if (layers->max_steps > 0) {
    lua_pushinteger(L, layers->max_steps);
    lua_setfield(L, -2, "max_steps");
  }
  script->source = layers->source;
  script->source_size = layers->size;
  ph_script_read_task(L);
  find_thresholds(L, layers);
  return 0;
}

/* Lua 5.4.4 can generate wrong code for functions that declare a constant _ENV. */
static ph_status check_text(const char *source, size_t size, const char *shown) {
  int line = 1;
  if (size > PH_SCRIPT_SOURCE)
    return ph_fail(PH_ETASK, "%s: %zu bytes: a task may have %zu", shown, size, PH_SCRIPT_SOURCE);
  for (size_t i = 0; i + 4 <= size; i++) {
    line += source[i] == '\n';
    if (memcmp(source + i, "_ENV", 4) == 0)
      return ph_fail(PH_ETASK, "%s:%d: _ENV: is not available to tasks", shown, line);
  }
  return PH_OK;
}

static ph_status check_layers(const ph_script *script, const ph_script_layers *layers) {
  ph_status st = layers->source ? check_text(layers->source, layers->size, script->shown) : PH_OK;
  if (st == PH_OK && layers->judge)
    st = check_text(layers->judge, layers->judge_size, script->judge_shown);
  if (st == PH_OK && layers->expr && strstr(layers->expr, "_ENV"))
    st = ph_fail(PH_ETASK, "--success '%.160s': _ENV: is not available to tasks", layers->expr);
  return st;
}

/* As Lua shows a chunk name: 59 bytes at most, of which the end counts. */
static void set_name(char chunk[300], char shown[80], const char *name) {
  size_t n = strlen(name), room = 300 - 2;
  snprintf(chunk, 300, "@%s", n > room ? name + n - room : name);
  const char *text = chunk + 1;
  n = strlen(text);
  if (n + 1 > LUA_IDSIZE)
    snprintf(shown, 80, "...%s", text + n - (LUA_IDSIZE - 4));
  else
    snprintf(shown, 80, "%s", text);
}

static ph_status make_state(ph_script *script) {
  script->period = HOOK_PERIOD;
  script->L = lua_newstate(allocate, script);
  if (!script->L)
    return ph_fail(PH_ENOMEM, "%s: no memory for a script", script->shown);
  *(ph_script **)lua_getextraspace(script->L) = script;
  script->watch_stack = true;
  bool grown = lua_checkstack(script->L, 200);
  script->watch_stack = false;
  if (!grown || !script->stack)
    return ph_fail(PH_ENOMEM, "%s: no memory for a script's stack", script->shown);
  return PH_OK;
}

ph_status ph_script_open(ph_script **out, const char *source, size_t size, const char *name) {
  ph_script_layers layers = {.source = source, .size = size, .name = name};
  return ph_script_open_layers(out, &layers);
}

ph_status ph_script_open_layers(ph_script **out, const ph_script_layers *layers) {
  *out = NULL;
  ph_script *script = calloc(1, sizeof *script);
  if (!script)
    return ph_fail(PH_ENOMEM, "%s: no memory for a script", layers->name);
  set_name(script->chunk, script->shown, layers->name);
  if (layers->judge)
    set_name(script->judge_chunk, script->judge_shown, layers->judge_name);
  ph_status st = check_layers(script, layers);
  if (st == PH_OK)
    st = make_state(script);
  if (st == PH_OK)
    st = ph_script_run(script, set_up, NULL);
  if (st == PH_OK)
    st = ph_script_run(script, load, (void *)layers);
  if (st == PH_OK)
    *out = script;
  else
    ph_script_free(script);
  return st;
}

void ph_script_free(ph_script *script) {
  if (!script)
    return;
  if (script->L)
    lua_close(script->L);
  for (size_t i = 0; i < script->nkept; i++)
    free(script->kept[i]);
  free(script->kept);
  if (script->model)
    ph_model_unref((ph_model *)script->model);
  free(script);
}

const ph_task_spec *ph_script_spec(const ph_script *script) {
  return &script->spec;
}
