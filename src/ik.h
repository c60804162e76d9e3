/* Inverse kinematics of one site: damped least squares over chosen joints, on a copy of the chain
 * that moves the site; the simulation is only read. */
#ifndef PLAYHEAD_IK_H
#define PLAYHEAD_IK_H

#include "mj.h"

typedef struct ph_ik ph_ik;

typedef struct ph_pose {
  double pos[3];  /* [m] world */
  double quat[4]; /* w, x, y, z */
} ph_pose;

/* What is asked for. */
typedef struct ph_ik_task {
  ph_pose target;
  bool position, orientation; /* which of it counts */
  double damping;
  int iterations;           /* at most; fewer once the target is reached */
  const double *low, *high; /* (n) ranges of the joints; borrowed */
} ph_ik_task;

/* joints: n different slides or hinges of m. PH_EMISMATCH: one does not move the site; *which (its
 * place in joints) says which. Give back with ph_ik_free. */
ph_status ph_ik_create(ph_ik **out, const mjModel *m, int site, const int *joints, int n,
                       int *which);
void ph_ik_free(ph_ik *ik); /* Nullable */

/* Where the site is with the joints at q (n) and all else as in d, whose derived quantities belong
 * to its state. m has the sizes and the tree of ph_ik_create's. jacobian is nullable: (6 x n), of
 * position, then of rotation about the world's axes. */
void ph_ik_pose(ph_ik *ik, const mjModel *m, const mjData *d, const double *q, ph_pose *out,
                double *jacobian);

/* Moves q (n), which is within the ranges, towards the target; never out of the ranges, and finite
 * if the target is. True: the target was missed by more than 1e-6 [m, rad], and a range stopped a
 * joint in the last iteration. */
bool ph_ik_solve(ph_ik *ik, const mjModel *m, const mjData *d, const ph_ik_task *task, double *q);

#endif
