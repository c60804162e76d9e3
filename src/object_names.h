/* Names under which programs from outside know the objects of a model: each one's is its own. */
#ifndef PLAYHEAD_OBJECT_NAMES_H
#define PLAYHEAD_OBJECT_NAMES_H

#include <playhead/sim.h>

#include "bytes.h"

enum { PH_OBJECT_NAME = 256 };

/* Its name; of a joint without one that of its body where no other joint has that, else "joint 3".
 */
void ph_object_name(char *out, size_t size, const ph_model *model, ph_kind kind, int i);
const char *ph_joint_type_name(ph_joint_type type); /* "free", "ball", "slide", "hinge"; static */
/* `{"name": NAME`, the i-th of a list; name as JSON has it. Returns bytes. */
ph_bytes *ph_object_begin(ph_bytes *bytes, int i, const char *name);

#endif
