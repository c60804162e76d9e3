/* What the files of the general fallback share. */
#ifndef PLAYHEAD_READ_ARRAYS_H
#define PLAYHEAD_READ_ARRAYS_H

#include "read_demos.h"

/* The first dimension of more than half of the arrays that have rows; those with one row less count
 * too, as actions have one less than states. 0: there is none. */
int64_t ph_arrays_rows(const ph_foreign *foreign);
/* The last dimension, where all arrays share it and their first ones differ: time runs along it,
 * then. 0: it is not so. */
int64_t ph_arrays_last_axis(const ph_foreign *foreign);
/* Every array below a group, and their ph_arrays_rows. */
ph_status ph_arrays_gather(ph_foreign *out, int64_t *rows, hid_t h5, const char *group);

/* Groups below / or /data that are an episode each: two or more that look alike, whose names differ
 * in a number or whose lengths differ, and nothing beside them that has as many rows. */
typedef struct ph_array_groups {
  char **names;       /* owned, in natural order */
  size_t n;           /* 0: there are none */
  const char *parent; /* "/" or "/data" */
} ph_array_groups;
ph_status ph_array_groups_find(ph_array_groups *out, hid_t h5);
void ph_array_groups_clear(ph_array_groups *groups);

#endif
