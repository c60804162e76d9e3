/* What one kind of action term does, and what the action manager keeps of a term. One file for each
 * family: action_servo.c (ctrl, joint_position, joint_delta), action_gripper.c, action_eef.c. */
#ifndef PLAYHEAD_ACTION_TERM_H
#define PLAYHEAD_ACTION_TERM_H

#include <playhead/action.h>

#include "mj.h"
#include "script.h"

typedef struct ph_term ph_term;

/* An actuator that a term drives. */
typedef struct ph_drive {
  int actuator;
  int joint;    /* -1: the actuator alone */
  int position; /* of the joint in qpos */
} ph_drive;

typedef struct ph_term_type {
  const char *name;
  /* Adds drives and elements, and says how much the term remembers. */
  ph_status (*create)(ph_term *term);
  /* Nullable: it remembers nothing. */
  void (*reset)(ph_term *term, const ph_sim *sim);
  /* x: its elements after scale, offset and clip; ctrl: the whole; clipped: of its elements, to be
   * set where something was cut. */
  void (*apply)(ph_term *term, const ph_sim *sim, const double *x, double *ctrl, uint8_t *clipped);
} ph_term_type;

/* An element: x = clip(offset + scale * mapped raw). */
typedef struct ph_element {
  ph_action_element shown;
  char name[128];
  ph_term_map map;
  double low, high; /* what the term takes of x uncut; -inf, inf */
  double range_min, range_max;
  bool mapped; /* [-1, 1] stands for the range */
} ph_element;

/* Of eef_pose. */
struct ph_eef {
  bool absolute, position, orientation;
  double damping;
  int iterations;
};

struct ph_term {
  const ph_term_type *type;
  const ph_term_spec *spec; /* only while it is created */
  ph_actions *actions;
  int number; /* from 1, for messages */
  int first, nelements;
  ph_drive *drives; /* owned */
  int ndrives;
  int memory, nmemory; /* in the actions' memory */
  bool target;         /* of = "target" */
  bool ranged;         /* gripper: it goes between the ends of ctrlrange */
  double *work;        /* owned: what it needs while it is applied or was told; Nullable */
  struct ph_ik *ik;    /* owned; Nullable */
  struct ph_eef pose;
  double threshold; /* NaN: none */
};

struct ph_actions {
  const ph_model *model; /* referenced: names are borrowed from it */
  ph_term *terms;
  int nterms;
  ph_element *elements;
  int dim, room;
  double *memory;
  int nmemory;
  int *driver;      /* (nu) number of the term that drives the actuator, 0 none */
  double *x;        /* (dim) */
  uint8_t *clipped; /* (dim) of the last apply */
  int64_t *clips;   /* (dim) since the reset */
};

extern const ph_term_type ph_term_ctrl, ph_term_joint_position, ph_term_joint_delta,
    ph_term_gripper, ph_term_eef_pose;

/* --- for create; messages begin with the term's place, "actions[2] (gripper): " --- */

PH_PRINTF(2, 3) ph_status ph_term_fail(const ph_term *term, const char *fmt, ...);
/* Adds an element of that name; low and high as in ph_element. */
ph_status ph_term_element(ph_term *term, int actuator, const char *name, const ph_term_map *map,
                          double low, double high);
/* Adds what the term's patterns match, each once: actuators, or joints with their one position
 * actuator. */
ph_status ph_term_drives(ph_term *term, bool joints);
/* n more numbers that the term remembers. */
ph_status ph_term_remember(ph_term *term, int n);
static inline double *ph_term_memory(const ph_term *term) {
  return term->nmemory > 0 ? term->actions->memory + term->memory : NULL;
}

/* --- ranges, of the model in use: a reset may have changed them --- */

/* Of ctrl; -inf, inf where it is not limited or the model does not clamp. */
void ph_actuator_range(const mjModel *m, int actuator, double *low, double *high);
/* Of the joint's position: where the actuator's range allows it, and with `limits` the joint's own
 * too. */
void ph_drive_range(const mjModel *m, const ph_drive *drive, bool limits, double *low,
                    double *high);
/* x cut to [low, high]; where that changes it *clipped becomes 1. */
double ph_clip(double x, double low, double high, uint8_t *clipped);
/* Sends the joint to a position: ctrl through the gear, within the actuator's range. */
void ph_drive_send(const mjModel *m, const ph_drive *drive, double position, double *ctrl,
                   uint8_t *clipped);

#endif
