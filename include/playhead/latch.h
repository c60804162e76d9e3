/* The hold: how long a predicate must stay true, and the step at which it has. */
#ifndef PLAYHEAD_LATCH_H
#define PLAYHEAD_LATCH_H

#include <playhead/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts outcomes of actions (rows 1..A; the reset row never counts). Plain data; zero and set
 * `steps` to start. */
typedef struct ph_hold {
  int64_t steps; /* true outcomes in a row that latch; 0: the first true one */
  int64_t count; /* true outcomes in a row so far */
  bool latched;  /* has latched; stays */
  int64_t latch; /* row at which it did; only where latched */
} ph_hold;

/* hold_steps = rint(hold_seconds / control_dt), halves to even, into *steps. PH_EINVAL: negative,
 * not finite, or a positive hold that comes to 0 steps. */
PH_API ph_status ph_hold_steps(int64_t *steps, double hold_seconds, double control_dt);

/* Takes the predicate of row `row` >= 1; returns true at the very row where it latches. */
PH_API bool ph_hold_update(ph_hold *hold, int64_t row, bool predicate);

#ifdef __cplusplus
}
#endif
#endif
