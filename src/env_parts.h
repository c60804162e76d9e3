/* An env in parts: its life and what is read of it (env.c), its steps (env_step.c). */
#ifndef PLAYHEAD_ENV_PARTS_H
#define PLAYHEAD_ENV_PARTS_H

#include <playhead/env.h>

#include "scene.h"
#include "task.h"

struct ph_env {
  ph_task *task;   /* referenced */
  ph_model *model; /* referenced */
  ph_sim *sim;
  ph_actions *actions;
  ph_dims dims;
  double control_dt;
  int64_t hold_steps;
  ph_stages plain; /* before row 0 */

  /* of the episode */
  ph_script *script; /* NULL before the first reset, and after one that failed */
  struct ph_start *start;
  ph_edit *edits; /* owned */
  size_t nedits;
  ph_rng rng; /* the policy's */
  ph_hold hold;
  ph_stages stages;
  int64_t step;
  bool done;
  bool predicate;
  char detail[200];

  /* of the control step that has begun */
  bool acting;
  int substep; /* done of it */
  bool clipped, warned;

  /* buffers that rows and scenes point into */
  uint8_t predicate_row;
  double *action; /* the action that led here, for scenes */
  double *ctrl;
  double *action_state;
  ph_condition *conditions;
};

const ph_task_info *ph_env_info(const ph_env *env);
ph_scene ph_env_scene(const ph_env *env);
/* The row of the sim with what the sim does not know; pointers live until the env's next call. */
ph_status ph_env_row(ph_env *env, ph_row *row);
/* Stages, then the predicate, which may ask for them. */
ph_status ph_env_judge(ph_env *env);

#endif
