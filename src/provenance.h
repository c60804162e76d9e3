/* What the provenance of an episode tells of the cut that it comes from. */
#ifndef PLAYHEAD_PROVENANCE_H
#define PLAYHEAD_PROVENANCE_H

#include <playhead/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PH_CUT_ATTR "playhead_provenance" /* of a demo of another recorder */

/* Its last step. */
typedef struct ph_cut_step {
  char file[200];      /* it was cut from; "" not said */
  char method[24];     /* "recorded", "dynamic", "steps", ... */
  bool latched;        /* the method is a source of latches */
  bool rewards_set;    /* 1 on the last row, and 0 before it where nobody kept them */
  double hold_seconds; /* negative: none */
  int64_t hold_steps;  /* -1: not known */
  double source_hold_seconds;
  char date[40]; /* "" not said */
} ph_cut_step;

/* provenance: a JSON array, newest last. False: its last step is no cut. */
PH_API bool ph_cut_step_read(ph_cut_step *out, const char *provenance);
/* How it was made; "file.hdf5 at the latch by recorded of a hold of 0.2 s = 4 steps (0.5 s before),
 * 2026-11-30" */
PH_API void ph_cut_step_text(char *out, size_t size, const ph_cut_step *step);
/* Whether any of its cuts has set rewards. */
PH_API bool ph_cut_set_rewards(const char *provenance);

#endif
