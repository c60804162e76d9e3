/* What the files of the Lua door share. Everything here runs inside ph_script_run, where Lua errors
 * are caught; nothing may own memory across a call that can raise one. */
#ifndef PLAYHEAD_SCRIPT_LUA_H
#define PLAYHEAD_SCRIPT_LUA_H

#define PH_SCRIPT_LUA
#include "script.h"
#include "threshold.h"

#include "scene.h"
#include "script_names.h"

/* Limits. Work is counted in Lua instructions; C functions and allocations are charged what they
 * cost in the same unit. A string may hold 64 KiB and the stack 256 KiB, and both make every
 * instruction dearer while they are long, because one instruction may copy or compare them whole.
 */
#define PH_SCRIPT_WORK 10000000
#define PH_SCRIPT_MEMORY ((size_t)64 << 20)
#define PH_SCRIPT_STRING ((size_t)64 << 10)
#define PH_SCRIPT_STACK ((size_t)256 << 10)
#define PH_SCRIPT_SOURCE ((size_t)256 << 10)

typedef enum ph_limit {
  PH_LIMIT_NONE,
  PH_LIMIT_WORK,
  PH_LIMIT_MEMORY,
  PH_LIMIT_STRING,
  PH_LIMIT_STACK
} ph_limit;

typedef enum ph_function {
  PH_FN_RESET,
  PH_FN_REWARD,
  PH_FN_FAILURE,
  PH_FN_POLICY,
  PH_FN_COUNT
} ph_function;

typedef enum ph_judging { PH_JUDGE_NONE, PH_JUDGE_STAGE, PH_JUDGE_SUCCESS } ph_judging;

/* The last number that a condition looked at; strings are static, the model's or the
 * script's. */
typedef struct ph_read {
  const char *group; /* "joint", "dist"; NULL: nothing yet */
  const char *name, *field;
  double value;
  const char *unit; /* "N", "points"; "": it is not said */
} ph_read;

typedef struct ph_script_expr ph_script_expr;

struct ph_script {
  lua_State *L;
  char chunk[300];                        /* "@name" */
  char shown[80];                         /* the name as Lua writes it in messages */
  char judge_chunk[300], judge_shown[80]; /* of the text that judges; "" there is none */

  ph_limit limit; /* hit: stays, and ends every later call */
  char limit_where[300];
  size_t used;
  int64_t work, period;
  size_t longest; /* string allocated so far */
  size_t biggest; /* other block allocated so far */
  void *stack;    /* block of Lua's value stack */
  void *fresh;    /* the newest block, until something else happens */
  size_t fresh_size;
  size_t stack_size;
  size_t stack_peak; /* since the hook last looked */
  bool watch_stack;

  ph_task_spec spec;
  void **kept; /* memory of spec */
  size_t nkept;
  int fn[PH_FN_COUNT]; /* registry references, LUA_NOREF where there is none */
  int *conditions, *readouts;
  ph_threshold *thresholds; /* of the conditions; compare is "" where none is known */

  char what[96];      /* the function that runs, for messages: "success.closed" */
  int line;           /* where it begins; 0 unknown */
  const char *source; /* only while the table that it returns is read */
  size_t source_size;
  bool in_expr, in_judge;     /* it is the expression; of the text that judges */
  const ph_script_expr *expr; /* kept; NULL: there is none */
  const ph_model *model;      /* that s is bound to; referenced */
  int s, env, rng_object;     /* registry references */
  const ph_scene *scene;      /* only while a function that gets s runs */
  ph_view now;
  ph_judging judging; /* what the running function decides, and so cannot read */
  bool wants_stages;  /* it read what stages are reached, and the scene does not know */
  ph_read read;
  char read_call[96]; /* "force(a,b)" or "contact(a,b)" of a read */
  ph_sim *sim;        /* only while reset runs */
  bool not_finite;    /* the error that reset ends with is a number that is not finite */
  ph_rng *rng;        /* only while reset or policy runs */
};

static inline ph_script *ph_script_of(lua_State *L) {
  return *(ph_script **)lua_getextraspace(L);
}

/* Runs body in protected mode with a fresh budget; arg arrives as light userdata 1. Lua errors come
 * back as PH_ETASK. */
ph_status ph_script_run(ph_script *script, lua_CFunction body, void *arg);
/* Charges work done in C; raises an error once the budget is spent. */
void ph_script_charge(lua_State *L, int64_t work);
/* Zeroed memory that lives as long as the script; raises an error when there is none. */
void *ph_script_keep(lua_State *L, size_t size);

/* script_lib.c: replaces the globals by the whitelist. */
void ph_script_open_lib(lua_State *L);
/* The names that scripts find, sorted by kind; ends with NULL. */
const char *const *ph_script_globals(void);
/* Pushes what tostring gives: never an address. */
void ph_script_tostring(lua_State *L, int index);
/* Raises "<what> '<word>'; did you mean ...?" from a list of candidates that ends with NULL. */
int ph_script_unknown(lua_State *L, const char *what, const char *word, const char *const *known);
/* The same with the names of a kind of object as candidates. */
int ph_script_unknown_name(lua_State *L, const char *what, const char *word, const ph_model *model,
                           ph_kind kind);
/* Makes a metatable `name` with the given functions, once per state. */
void ph_script_metatable(lua_State *L, const char *name, const luaL_Reg *functions);

/* script_task.c: reads the table on the top of the stack into script->spec. */
void ph_script_read_task(lua_State *L);
/* script_stages.c: reads the table of functions on the top of the stack, sorted by name, and pops
 * it; returns how many. */
size_t ph_script_read_functions(lua_State *L, const char *key, const char ***names,
                                int **references);
/* Reads `stages` of the table at index t. */
void ph_script_read_stages(lua_State *L, int t);

/* script_scene.c and script_env.c: metatables; pushing the objects. */
void ph_script_open_scene(lua_State *L);
void ph_script_push_s(lua_State *L);
void ph_script_open_env(lua_State *L);
void ph_script_push_env(lua_State *L);
void ph_script_push_rng(lua_State *L);
/* The read as "joint.drawer" into out. */
void ph_script_read_name(const ph_read *read, char *out, size_t size);
/* script_vector.c: runs of numbers in the simulation or the model. */
typedef enum ph_array {
  PH_A_QPOS,
  PH_A_QVEL,
  PH_A_ACT,
  PH_A_CTRL,
  PH_A_MOCAP,
  PH_A_EQ_ACTIVE,
  PH_A_USERDATA,
  PH_A_XFRC,
  PH_A_COUNT,
  PH_A_MOCAP_POS = PH_A_COUNT,
  PH_A_MOCAP_QUAT,
  PH_A_FIELD
} ph_array;

/* A run of numbers. */
typedef struct ph_vector {
  ph_array array;
  int offset, n;
  char field[40];  /* of PH_A_FIELD: "body_pos" */
  char label[120]; /* "env.qpos.cup" */
} ph_vector;

void ph_script_open_vector(lua_State *L);
/* The sim of the running reset, or an error. */
ph_sim *ph_script_need_sim(lua_State *L);
/* The sim that may be read: of the running reset or of the scene. */
const ph_sim *ph_script_readable(lua_State *L);
/* Pushes one number, or an object that reads and writes in place. */
int ph_script_push_vector(lua_State *L, const ph_vector *v);
/* Assigns the value at a stack index: a number where v has one element, else a list of as many. All
 * or nothing. */
int ph_script_assign(lua_State *L, const ph_vector *v, int value);
/* Raises an error where a reset has left a quaternion or axis of the model without a length. */
void ph_script_check_directions(lua_State *L);

/* script_model.c */
void ph_script_open_model(lua_State *L);
/* Index of the object that argument 2 names; raises an error with near misses. */
int ph_script_find(lua_State *L, const char *group, const char *noun, ph_kind kind);
/* Pushes s.model or env.model: fields of the model of the running call. */
void ph_script_push_model(lua_State *L);

#endif
