/* An MJCF text as a tree of libxml2, and which of its attributes name files. Only mjcf*.c include
 * this. */
#ifndef PLAYHEAD_MJCF_TREE_H
#define PLAYHEAD_MJCF_TREE_H

#define PH_MJCF_XML
#include "mjcf.h"
#include "model.h"

enum { PH_XML_DEPTH = 256 }; /* of elements in each other */

/* The tree of a text; comments and instructions are not in it. xmlFreeDoc. `where` is for messages.
 * PH_EFORMAT, PH_EREFUSED, PH_ENOMEM. */
ph_status ph_xml_parse(xmlDoc **out, const void *data, size_t size, const char *where);

/* One thread at a time works with trees; see ph_mjcf_fork_begin. */
void ph_xml_enter(void);
void ph_xml_leave(void);

const char *ph_xml_name(const xmlNode *node);
bool ph_xml_is(const xmlNode *node, const char *name); /* as MuJoCo: in any case */
xmlNode *ph_xml_first(const xmlNode *node);            /* first child element; NULL: none */
/* The value of an attribute, allocated (xmlFree); NULL: there is none. */
char *ph_xml_get(const xmlNode *node, const char *name);
bool ph_xml_has(const xmlNode *node, const char *name);
bool ph_xml_equals(const xmlNode *node, const char *name, const char *value);
ph_status ph_xml_set(xmlNode *node, const char *name, const char *value);
void ph_xml_unset(xmlNode *node, const char *name);
void ph_xml_remove(xmlNode *node); /* out of the tree, and freed */

/* Calls fn for every element, parents first. PH_EFORMAT: nested too deep. */
typedef ph_status ph_xml_visit(void *arg, xmlNode *node);
ph_status ph_xml_walk(xmlNode *node, const char *where, ph_xml_visit *fn, void *arg);

/* PH_EFORMAT: the root is none of MJCF's. */
ph_status ph_mjcf_check_root(const xmlDoc *doc, const char *where);
/* A visitor whose arg is `where`. PH_EFORMAT: the element has a namespace. */
ph_status ph_mjcf_check_names(void *where, xmlNode *node);

/* Which folder of <compiler> a file is relative to. */
enum ph_mjcf_base { PH_BASE_MESH, PH_BASE_TEXTURE };

/* An attribute of MJCF that names a file to be read. */
typedef struct ph_mjcf_rule {
  const char *element, *attribute;
  enum ph_mjcf_base base;
  bool named; /* MuJoCo names the element after its file */
} ph_mjcf_rule;

/* The rule for an attribute; *rule NULL: it names no file. PH_EREFUSED: it is not known what it
 * reads. */
ph_status ph_mjcf_rule_of(const ph_mjcf_rule **rule, const xmlNode *node, const xmlAttr *attr,
                          const char *where);

enum { PH_MESHDIR, PH_TEXTUREDIR, PH_ASSETDIR, PH_STRIPPATH, PH_FOLDER_COUNT };
extern const char *const ph_mjcf_folders[PH_FOLDER_COUNT]; /* attributes of <compiler> */

/* Gives the name that MuJoCo 2.2.2 derives: the file's without path and extension. */
ph_status ph_mjcf_give_name(xmlNode *node, const char *file);

#endif
