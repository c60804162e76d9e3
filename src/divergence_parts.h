/* A comparison of states in parts: rows (divergence.c), errors (divergence_error.c), words
 * (divergence_text.c). */
#ifndef PLAYHEAD_DIVERGENCE_PARTS_H
#define PLAYHEAD_DIVERGENCE_PARTS_H

#include <playhead/divergence.h>

#include "mj.h"

struct ph_divergence {
  const ph_model *model; /* referenced */
  const mjModel *m;      /* the model's: sizes and names, no edits */
  ph_edit *edits;        /* owned */
  size_t nedits;
  ph_sim *sim;   /* NULL before it is first needed: equal states never do */
  size_t memory; /* of action_state */
  int njoint, nbody;
  ph_joint_error *joint, *joint_equal; /* (njoint) of this compare; those of equal states */
  ph_body_error *body, *body_equal;    /* (nbody) likewise */
  double *place;                       /* (nbody x 7) of the recorded state: xpos, xquat */
  int *owner;                          /* (na) actuator of each activation */
  /* of the last compare */
  const ph_joint_error *joints;
  const ph_body_error *bodies; /* NULL: not derived */
};

/* As ph_divergence_compare, where `derived` is a sim of the model that is in the dynamic row's
 * state, its bodies derived: only the recorded one costs. NULL: both do. */
ph_status ph_divergence_compare_with(ph_divergence *d, const ph_row *recorded,
                                     const ph_row *dynamic, const ph_sim *derived, bool bodies,
                                     const ph_tolerance *tolerance, ph_difference *out);

/* Whether it is one that ph_difference_text calls an error: a number above 0, or none. */
bool ph_difference_known(const ph_difference *d, ph_measure m);
/* Error in proportion to the tolerance: 0 without one, infinite for a number that is none. */
double ph_difference_ratio(const ph_difference *d, const ph_tolerance *tolerance, ph_measure m);

/* What a measure is worst of: the name that ph_difference_text begins with; "" without an error. */
void ph_difference_name(const ph_difference *d, const ph_model *model, ph_measure m, char *out,
                        size_t size);

/* --- divergence_error.c --- */

/* Zero where the bits are equal; NaN where a number is none. */
double ph_apart(double a, double b);
/* Angle between two rotations, from 0 to pi; their length does not count. */
double ph_quat_angle(const double p[4], const double q[4]);
/* Joints from two states (1+nq+nv+na), into d->joint and out. */
void ph_joints_apart(ph_divergence *d, const double *a, const double *b, ph_difference *out);
/* Bodies from d->place and a sim's own, into d->body and out. */
void ph_bodies_apart(ph_divergence *d, const mjData *derived, ph_difference *out);
void ph_difference_take(ph_difference *out, ph_measure m, int i, double error);

#endif
