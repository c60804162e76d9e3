/* Shows a model without the files that cannot be had: what needs them is left out, bodies, joints
 * and actuators stay, so that every number of a state keeps its place. */
#ifndef PLAYHEAD_MJCF_DROP_H
#define PLAYHEAD_MJCF_DROP_H

#include "mjcf_class.h"
#include "mjcf_tree.h"

/* An element whose file cannot be had. */
typedef struct ph_missing {
  xmlNode *node;
  char *path;      /* as MuJoCo would open it; owned by whoever keeps the list */
  const char *why; /* static, "file missing" */
} ph_missing;

/* Leaves out meshes, height fields and skins, the geoms that need them, and what names such a geom;
 * textures become flat. A body whose mass came from them gets a gram where the engine would refuse
 * it. Notes say all of it. PH_EIO: a file that makes bodies or joints. PH_ENOMEM, PH_EFORMAT. */
ph_status ph_mjcf_drop(xmlNode *root, const ph_missing *missing, size_t n, const char *where,
                       ph_source *source);

/* Lists the missing ones and what can be done. PH_EIO. */
ph_status ph_mjcf_fail_missing(const ph_missing *missing, size_t n, const char *where);

/* Their names without folders, each once, a line each; the caller's. NULL: out of memory. */
char *ph_mjcf_list_missing(const ph_missing *missing, size_t n);

/* --- parts --- */

/* Names of objects, looked up often. */
typedef struct ph_word_set {
  char **words; /* owned, sorted after ph_words_sort */
  size_t n, room;
} ph_word_set;
ph_status ph_words_add(ph_word_set *set, const char *word);
void ph_words_sort(ph_word_set *set);
bool ph_words_has(const ph_word_set *set, const char *word);
void ph_words_free(ph_word_set *set);

/* Removes what names one of the geoms that are gone, outside of the bodies. */
ph_status ph_mjcf_drop_references(xmlNode *root, const ph_word_set *geoms, const char *where,
                                  ph_source *source);

/* Whether a geom gives mass to its body. */
bool ph_mjcf_has_mass(const struct ph_classes *classes, const xmlNode *root, const xmlNode *geom,
                      const char *inherited);
/* Looks at bodies that lost mass (node->_private is not NULL) and gives a gram where it must. */
ph_status ph_mjcf_give_mass(xmlNode *root, const struct ph_classes *classes, ph_source *source);

#endif
