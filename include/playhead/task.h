/* Tasks: one Lua file that names a model, actions, a reset, a reward and a success condition. */
#ifndef PLAYHEAD_TASK_H
#define PLAYHEAD_TASK_H

#include <playhead/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_task ph_task;

/* Facts of a task, read once when it is loaded. Borrowed from it. */
typedef struct ph_task_info {
  const char *name;
  const char *model; /* path as written, relative to the task's file; "" where it names none */
  int control_steps; /* 0 where it names none */
  int64_t max_steps; /* 0: no limit */
  double hold_seconds;
  bool has_reset, has_reward, has_success, has_failure, has_policy;
  size_t nconditions; /* named conditions of success; 1 for a single function */
  size_t nreadouts;
  size_t nterms;    /* action terms */
  size_t nstages;   /* 0 to PH_STAGES_MAX of <playhead/stage.h> */
  bool judges_only; /* nothing in it runs an env: success, stages, readouts and a hold at most */
} ph_task_info;

/* Loads and checks a file. PH_ETASK: message with file and line. PH_EIO. Immutable afterwards and
 * may be shared between threads; the caller's, give back with ph_task_unref. */
PH_API ph_status ph_task_open(ph_task **out, const char *path);

/* The same from text; `name` stands for the file in messages. Copies the text. */
PH_API ph_status ph_task_parse(ph_task **out, const char *source, size_t size, const char *name);

/* A task whose success is one expression of `s`, "s.body.cube.z > 0.84"; the rest is as in base
 * (nullable: a task that only judges, without a hold). Its source is a task file by itself, and its
 * hash is of that. PH_ETASK names the expression, and the column: of what is no expression, and of
 * names that no model has ("s.bdy"); those of a model's objects are looked up when it runs. */
PH_API ph_status ph_task_with_success(ph_task **out, const ph_task *base, const char *expr);

/* A task whose episodes have that many steps at most, whatever its own limit; the rest is as in
 * base. Its source is a task file by itself. PH_EINVAL: not from 1 to 10^12. */
PH_API ph_status ph_task_with_max_steps(ph_task **out, const ph_task *base, int64_t max_steps);

/* A task that runs as base does (nullable) and judges as `judge` does, where that is a task that
 * only judges: success, stages, readouts and hold are its own where it has them. Else judge itself.
 */
PH_API ph_status ph_task_with_judge(ph_task **out, const ph_task *base, const ph_task *judge);

PH_API ph_task *ph_task_ref(const ph_task *task);
PH_API void ph_task_unref(const ph_task *task); /* Nullable */

PH_API const ph_task_info *ph_task_info_of(const ph_task *task);
PH_API const char *ph_task_sha256(const ph_task *task); /* of the source text */
PH_API const char *ph_task_source(const ph_task *task);
/* Name of the i-th condition or readout, in sorted order; "success" for a single function. */
PH_API const char *ph_task_condition(const ph_task *task, size_t i);
PH_API const char *ph_task_readout(const ph_task *task, size_t i);

/* One stage; stages are in the order of the file. */
typedef struct ph_stage {
  const char *name;
  double hold_seconds;
} ph_stage;
PH_API const ph_stage *ph_task_stage(const ph_task *task, size_t i); /* NULL past the last */

/* Opens the model that the task names, looked for beside the task's file. */
PH_API ph_status ph_task_model(ph_model **out, const ph_task *task, const ph_model_options *opt);

/* What one condition said at one state. */
typedef struct ph_condition {
  const char *name; /* borrowed from the task */
  bool value;
  char reads[48]; /* what it looked at last, "joint.drawer"; "" if nothing */
  double read;    /* the number it saw there: of "contact(a,b)" in how many points they touch */
  char unit[8]; /* of that: "m" of a distance, "N" of a force, "points" of a contact; "" where it is
                   not said */
  char limit[28]; /* what it compares that number with, by its text: "< 0.1"; "" where it does
                     anything else */
} ph_condition;

#ifdef __cplusplus
}
#endif
#endif
