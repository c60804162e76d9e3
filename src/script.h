/* The only door to Lua: whitelisted task scripts and expressions, limited in instructions and
 * memory. One ph_script is one fresh Lua state; a task makes one per episode. Errors name file and
 * line. Nothing that a script does can outlive the limit, reach a file, or differ per process. */
#ifndef PLAYHEAD_SCRIPT_H
#define PLAYHEAD_SCRIPT_H

#include <playhead/stage.h>

#include "rng.h"
#include "scene.h"

typedef struct ph_script ph_script;
typedef struct ph_scene ph_scene;

/* clip(offset + scale * x); min and max are -inf, inf where there is no clip. */
typedef struct ph_term_map {
  double scale, offset, min, max;
} ph_term_map;

/* What a whole task table says; strings and arrays are owned by the script. */
typedef struct ph_term_spec {
  char type[24];   /* "ctrl", "joint_position", "joint_delta", "gripper", "eef_pose" */
  char **patterns; /* joints or actuators; full match, Lua-free: . * [] as in the README */
  size_t npatterns;
  ph_term_map map, rotation; /* rotation: of eef_pose's rotations; else the same */
  bool target;               /* joint_delta, eef_pose: of = "target" */
  double *open, *closed;     /* gripper; kept; NULL: the ends of the actuators' ranges */
  size_t nopen, nclosed;
  double threshold; /* gripper; NaN: none */
  const char *site; /* eef_pose, as all below */
  bool absolute, position, orientation;
  double damping;
  int iterations;
} ph_term_spec;

/* One of `stages`; all of its conditions must hold. */
typedef struct ph_stage_spec {
  ph_stage stage;
  size_t n;          /* conditions; 1 for a single function */
  const char **name; /* of each, sorted; the stage's own for a single function */
  int *reference;    /* of each in Lua's registry */
} ph_stage_spec;

typedef struct ph_task_spec {
  ph_task_info info;
  ph_term_spec *terms;
  bool no_terms;                 /* `actions` is there and empty */
  double *range_min, *range_max; /* action_range; NULL where there is none */
  size_t nrange;
  const char **conditions; /* sorted */
  const char **readouts;   /* sorted */
  ph_stage_spec *stages;   /* in order */
} ph_task_spec;

/* Loads a task's text (text chunks only) and reads its table. `name` is for messages. */
ph_status ph_script_open(ph_script **out, const char *source, size_t size, const char *name);
/* max_steps of a task at most. */
#define PH_TASK_STEPS INT64_C(1000000000000)

/* A text, and what stands before it. */
typedef struct ph_script_layers {
  const char *source; /* NULL: an empty table */
  size_t size;
  const char *name;
  const char *judge; /* NULL, or a text whose success, stages, hold and readouts, where it has them,
                        are instead of those of the source */
  size_t judge_size;
  const char *judge_name;
  const char *expr;  /* NULL, or success as an expression, instead of both */
  int64_t max_steps; /* 0, or that limit instead of the source's */
} ph_script_layers;
ph_status ph_script_open_layers(ph_script **out, const ph_script_layers *layers);
void ph_script_free(ph_script *script); /* Nullable */
const ph_task_spec *ph_script_spec(const ph_script *script);

/* What `s` reads: the sim after a pure forward, and what the engine knows of the episode. */
struct ph_scene {
  const ph_sim *sim;
  int64_t step;
  const double *action; /* Nullable: the action that led here */
  int naction;
  const struct ph_start *start; /* Nullable: values at step 0 */
  const ph_stages *stages;      /* Nullable: what has been reached, not known */
  bool predicate, latched;      /* for reward and policy */
  bool no_outcome;              /* those two are not known */
};

/* The task's reset: writes through env into the sim (state, model fields of its private copy).
 * PH_EINVAL: it ends with an error because it sets a number that is not finite. PH_ETASK. */
ph_status ph_script_reset(ph_script *script, ph_sim *sim, ph_rng *rng);
/* Conditions, all of them, in sorted order; *value: all hold. conditions is nullable. */
ph_status ph_script_success(ph_script *script, const ph_scene *scene, bool *value,
                            ph_condition *conditions);
/* The test of the i-th stage. conditions is nullable, else has room for the stage's. */
ph_status ph_script_stage(ph_script *script, const ph_scene *scene, size_t i, bool *value,
                          ph_condition *conditions);
/* Judges the current stage after an action: ph_stages_update at scene->step with its test. */
ph_status ph_script_stages(ph_script *script, const ph_scene *scene, ph_stages *stages);
/* Whether the last call that failed did so because it read s.stage or s.stages_done where
 * scene->stages is NULL. */
bool ph_script_wants_stages(const ph_script *script);
ph_status ph_script_failure(ph_script *script, const ph_scene *scene, bool *value);
/* The number that it returned, which need not be finite. */
ph_status ph_script_reward(ph_script *script, const ph_scene *scene, double *value);
ph_status ph_script_policy(ph_script *script, const ph_scene *scene, ph_rng *rng, double *action,
                           size_t n);
ph_status ph_script_readouts(ph_script *script, const ph_scene *scene, double *values);
/* The i-th alone. */
ph_status ph_script_readout(ph_script *script, const ph_scene *scene, size_t i, double *value);

#endif

/* For the files of this door alone. */
#ifdef PH_SCRIPT_LUA
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#endif
