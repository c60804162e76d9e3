#include "mjcf_class.h"

#include <string.h>

#include "fail.h"
#include "mj.h"
#include "mjcf_mend.h"

/* From 2.3.0 on a range without a word on `limited` is a limit; before, it is an error. */
enum { AUTOLIMITS = mjVERSION_HEADER >= 230 };

struct limits {
  const struct ph_classes *classes;
  const char *where;
  const xmlNode *first; /* that has a range and does not say whether it is a limit */
  size_t n;
};

static void look_for(struct limits *l, const xmlNode *node, const char *range, const char *limited,
                     const char *inherited) {
  char *value = ph_classes_get(l->classes, node, range, inherited);
  char *said = value ? ph_classes_get(l->classes, node, limited, inherited) : NULL;
  if (value && (!said || strcmp(said, "auto") == 0)) {
    l->first = l->first ? l->first : node;
    l->n++;
  }
  xmlFree(value);
  xmlFree(said);
}

static void look_at(struct limits *l, const xmlNode *node, const char *parent,
                    const char *inherited) {
  const char *name = ph_xml_name(node);
  bool actuator = strcmp(parent, "actuator") == 0, tendon = strcmp(parent, "tendon") == 0;
  if (tendon || (strcmp(name, "joint") == 0 && strcmp(parent, "equality") != 0))
    look_for(l, node, "range", "limited", inherited);
  if (!actuator)
    return;
  look_for(l, node, "ctrlrange", "ctrllimited", inherited);
  look_for(l, node, "forcerange", "forcelimited", inherited);
  look_for(l, node, "actrange", "actlimited", inherited);
}

static ph_status look_in(struct limits *l, const xmlNode *node, const char *inherited, int depth) {
  if (depth > PH_XML_DEPTH)
    return ph_fail(PH_EFORMAT, "%s: elements nested deeper than %d", l->where, PH_XML_DEPTH);
  char *own = ph_xml_get(node, "childclass");
  const char *class = own ? own : inherited;
  ph_status status = PH_OK;
  for (const xmlNode *child = ph_xml_first(node); status == PH_OK && child;
       child = xmlNextElementSibling((xmlNode *)child)) {
    if (strcmp(ph_xml_name(child), "default") == 0)
      continue;
    look_at(l, child, ph_xml_name(node), class);
    status = look_in(l, child, class, depth + 1);
  }
  xmlFree(own);
  return status;
}

/* The last <compiler> that says something of it, or the last one; NULL: none. */
static xmlNode *compiler_of(const xmlNode *root) {
  xmlNode *found = NULL;
  for (xmlNode *child = ph_xml_first(root); child; child = xmlNextElementSibling(child))
    if (strcmp(ph_xml_name(child), "compiler") == 0 &&
        (!found || ph_xml_has(child, "autolimits") || !ph_xml_has(found, "autolimits")))
      found = child;
  return found;
}

ph_status ph_mjcf_mend_limits(xmlNode *root, const char *where, ph_source *source) {
  struct ph_classes *classes = NULL;
  xmlNode *compiler = compiler_of(root);
  bool said = compiler && ph_xml_has(compiler, "autolimits");
  if (said ? ph_xml_equals(compiler, "autolimits", "true") : AUTOLIMITS)
    return PH_OK;
  ph_status status = ph_classes_new(&classes, root);
  struct limits limits = {.classes = classes, .where = where};
  if (status == PH_OK)
    status = look_in(&limits, root, NULL, 1);
  ph_classes_free(classes);
  if (status != PH_OK || limits.n == 0)
    return status;
  if (!compiler)
    compiler = xmlNewChild(root, NULL, (const xmlChar *)"compiler", NULL);
  if (!compiler)
    return ph_fail(PH_ENOMEM, "model: out of memory");
  ph_source_note(source, "line %ld%s: a range of <%.40s> that does not say if it limits: it does",
                 xmlGetLineNo((xmlNode *)limits.first), limits.n > 1 ? " and others" : "",
                 ph_xml_name(limits.first));
  return ph_xml_set(compiler, "autolimits", "true");
}
