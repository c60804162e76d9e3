/* Known defects of models that other recorders wrote, mended in the tree. What compiles is never
 * changed, but for textures, which nothing here draws, and for room that costs more than it gives;
 * whatever is done becomes a note. */
#ifndef PLAYHEAD_MJCF_MEND_H
#define PLAYHEAD_MJCF_MEND_H

#include "mjcf_tree.h"

/* Numbers written as lists ("[0, 0, 0.005]"), attributes that this engine does not know and that
 * can be left out, ranges without `limited`, textures from files. PH_ENOMEM, PH_EFORMAT: nested too
 * deep. */
ph_status ph_mjcf_mend(xmlNode *root, const char *where, ph_source *source);

/* A part of it: ranges that do not say whether they limit, which versions before 2.3.0 refuse. */
ph_status ph_mjcf_mend_limits(xmlNode *root, const char *where, ph_source *source);

/* Another: njmax beyond what ph_mj_rows_most finds sensible. */
ph_status ph_mjcf_mend_room(xmlNode *root, ph_source *source);

/* Makes a texture from a file, or from six, a flat builtin one of its name and type. */
ph_status ph_mjcf_flat_texture(xmlNode *texture);

#endif
