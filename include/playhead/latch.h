/* The hold: how long a predicate must stay true, and the step at which it has. */
#ifndef PLAYHEAD_LATCH_H
#define PLAYHEAD_LATCH_H

#include <playhead/status.h>
#include <stdbool.h>
#include <stddef.h>
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

/* The hold that an episode was recorded with. */
typedef struct ph_hold_recorded {
  double seconds;    /* negative: none is known */
  int64_t steps;     /* as its recorder counted them; negative: they are not known */
  double control_dt; /* [s] what a step of it lasts; 0: not known */
} ph_hold_recorded;

/* A hold in steps of that episode, into *steps: everyone who counts one asks here. Negative
 * seconds: its own steps, as they are. Those seconds that it was recorded with: its own steps,
 * where they are known. 0: 0, whatever a step lasts. Else as ph_hold_steps rounds. PH_EINVAL, and
 * *steps is -1: how long a step takes is not known, or as ph_hold_steps. */
PH_API ph_status ph_hold_of(int64_t *steps, double seconds, const ph_hold_recorded *recorded);

/* Takes the predicate of row `row` >= 1; returns true at the very row where it latches. */
PH_API bool ph_hold_update(ph_hold *hold, int64_t row, bool predicate);

/* --- sources --- */

/* Where a latch is known from. */
typedef enum ph_latch_source {
  PH_LATCH_RECORDED,  /* the predicate that the file stores */
  PH_LATCH_KINEMATIC, /* the task's on the recorded states */
  PH_LATCH_DYNAMIC,   /* the task's on the dynamic ones */
  PH_LATCH_SOURCES
} ph_latch_source;
PH_API const char *ph_latch_source_name(ph_latch_source s); /* "recorded", "kinematic", ... */
PH_API bool ph_latch_source_from_name(const char *name, ph_latch_source *out);

/* --- intervals --- */

/* A run of true outcomes. Rows are of states: the outcome of action t is row t+1. */
typedef struct ph_interval {
  int64_t first, last; /* rows, both true */
  bool broken;         /* row last+1 is false; else it goes on to the last row that is known */
} ph_interval;

/* What a predicate was along an episode. It holds for every hold: another one is a question to
 * the same intervals, and no predicate is computed anew. Start from {0}; plain data, read only. */
typedef struct ph_intervals {
  ph_interval *at; /* owned, in order of rows */
  size_t n, room;
  int64_t rows;      /* the next row that is taken; 0 and the reset row count as none */
  int64_t true_rows; /* true outcomes */
} ph_intervals;

/* Takes the predicate of the next n rows (states, from row 0 on; the reset row is taken and does
 * not count). Constant work a row, and memory only for intervals. PH_ENOMEM: nothing was taken. */
PH_API ph_status ph_intervals_add(ph_intervals *iv, const uint8_t *predicate, size_t n);
PH_API void ph_intervals_free(ph_intervals *iv); /* and starts anew */

enum { PH_NEAR_MISSES = 3 };

/* Whether true outcomes in a row that did not latch are a near miss: a third of the hold at least.
 */
PH_API bool ph_near_enough(int64_t count, int64_t hold_steps);

typedef struct ph_near_miss {
  int64_t row, count; /* the false row that broke it, true outcomes in a row before it */
} ph_near_miss;

/* What a hold comes to. Plain data. */
typedef struct ph_latching {
  int64_t latch;         /* row at which the hold completes; -1: never */
  size_t interval;       /* in which it does */
  int64_t longest;       /* true outcomes in a row, at most */
  int64_t longest_first; /* the first row of them; -1 without one */
  size_t nmisses;        /* in miss: of at least a third of the hold, broken before the latch */
  ph_near_miss miss[PH_NEAR_MISSES]; /* the longest first, of equal ones the earlier */
} ph_latching;

/* For any hold_steps >= 0 (0 and 1 latch at the first true row); time goes with the number of
 * intervals. Equal at every row to ph_hold_update over the same bits. */
PH_API void ph_intervals_latch(const ph_intervals *iv, int64_t hold_steps, ph_latching *out);

#ifdef __cplusplus
}
#endif
#endif
