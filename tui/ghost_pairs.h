/* What two episodes both have, found by name: a joint's place or rotation, a velocity, a body's
 * place and rotation, any single number. */
#ifndef TUI_GHOST_PAIRS_H
#define TUI_GHOST_PAIRS_H

#include "ghost.h"

struct ghost_pair {
  char name[172];
  const char *unit; /* static */
  ph_signal_kind kind;
  ph_measure measure;        /* of what is in the state; PH_MEASURE_COUNT: no tolerance is for it */
  int n;                     /* numbers: 1, a place's 3, a rotation's 4 */
  int here, there;           /* first signal of each; of a body's rotation: that of its place */
  int body_here, body_there; /* whose rotation it is, which no signal has; else -1 */
  int a, b;                  /* first number in the rows of states; -1: it is in none */
  double worst;              /* NaN */
  int64_t step;
};

struct ghost_pairs {
  size_t n, states; /* those that are in the states come first */
  struct ghost_pair *pair;
  size_t only_here, only_there; /* joints and bodies */
};

/* False: out of memory. Free with ghost_pairs_clear. */
bool ghost_pairs_make(struct ghost_pairs *out, const ph_signal *here, size_t nhere,
                      const ph_dims *dims_here, const ph_signal *there, size_t nthere,
                      const ph_dims *dims_there);
void ghost_pairs_clear(struct ghost_pairs *pairs);
/* How far b is from a: of 3 numbers the distance, of 4 the angle between two rotations. NaN where a
 * number is none. */
double ghost_error(const double *a, const double *b, int n);

#endif
