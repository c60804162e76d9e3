/* Finds the first number of a row or an action that is NaN or infinite, and names it. Used where
 * values enter: after reset, policy, action manager, step, and in the recorder. */
#ifndef PLAYHEAD_FINITE_H
#define PLAYHEAD_FINITE_H

#include <playhead/sim.h>

/* True when all are finite; else what gets "qvel[3] (arm_elbow)". Columns that are NULL or that
 * hold no numbers are skipped. The model gives the names only. */
bool ph_finite_row(const ph_row *row, const ph_dims *dims, const ph_model *model, char *what,
                   size_t size);

/* The same for n plain numbers; *at gets the index of the first bad one. */
bool ph_finite(const double *x, size_t n, size_t *at);

#endif
