/* Known defects of models that other recorders wrote, mended in the tree. What compiles is never
 * changed, but for textures, which nothing here draws; whatever is done becomes a note. */
#ifndef PLAYHEAD_MJCF_MEND_H
#define PLAYHEAD_MJCF_MEND_H

#include "mjcf_tree.h"

/* Numbers written as lists ("[0, 0, 0.005]"), attributes that this engine does not know and that
 * can be left out, textures from files. PH_ENOMEM, PH_EFORMAT: nested too deep. */
ph_status ph_mjcf_mend(xmlNode *root, const char *where, ph_source *source);

/* Makes a texture from a file, or from six, a flat builtin one of its name and type. */
ph_status ph_mjcf_flat_texture(xmlNode *texture);

/* Whether an attribute holds real numbers by MJCF. */
bool ph_mjcf_is_number(const char *element, const char *attribute);
/* The numbers of a list as MJCF wants them, allocated; NULL: it is no list of numbers, or no
 * memory.
 */
char *ph_mjcf_plain_numbers(const char *value);

#endif
