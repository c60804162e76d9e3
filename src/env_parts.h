/* An env in parts: its life and what is read of it (env.c), its steps (env_step.c). */
#ifndef PLAYHEAD_ENV_PARTS_H
#define PLAYHEAD_ENV_PARTS_H

#include <playhead/env.h>

#include "referee.h"

struct ph_env {
  ph_task *task;   /* referenced */
  ph_model *model; /* referenced */
  ph_sim *sim;
  ph_actions *actions;
  ph_dims dims;
  double control_dt;

  /* of the episode */
  ph_referee referee; /* its script is NULL before the first reset, and after one that failed */
  ph_edit *edits;     /* owned */
  size_t nedits;
  ph_rng rng; /* the policy's */
  bool done;

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

#endif
