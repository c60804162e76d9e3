/* What elements of MJCF inherit from their default classes. */
#ifndef PLAYHEAD_MJCF_CLASS_H
#define PLAYHEAD_MJCF_CLASS_H

#include "mjcf_tree.h"

struct ph_classes; /* looks into the tree; read-only */

/* PH_ENOMEM. The tree must outlive it, its <default> elements unchanged in number. */
ph_status ph_classes_new(struct ph_classes **out, const xmlNode *root);
void ph_classes_free(struct ph_classes *classes); /* Nullable */

/* The value of an element's attribute: its own, or its class's, or of what that one inherits from.
 * `inherited` is the class of the bodies around it, NULL: none. Allocated (xmlFree); NULL: nowhere.
 */
char *ph_classes_get(const struct ph_classes *classes, const xmlNode *node, const char *attribute,
                     const char *inherited);

#endif
