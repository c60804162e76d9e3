/* The names that scripts find behind `s`, for those who look at a task's text. */
#ifndef PLAYHEAD_SCRIPT_NAMES_H
#define PLAYHEAD_SCRIPT_NAMES_H

#include <playhead/sim.h>

/* A group of s: s.joint has joints. */
typedef struct ph_script_group_info {
  const char *name, *noun;
  ph_kind kind;
} ph_script_group_info;
const ph_script_group_info *ph_script_group(size_t i); /* NULL past the last */

/* The fields of s or s.start, and of a body, site or geom; end with NULL. */
const char *const *ph_script_s_fields(bool start);
const char *const *ph_script_frame_fields(void);

#endif
