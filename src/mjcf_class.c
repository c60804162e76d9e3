#include "mjcf_class.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

typedef struct class_node {
  char *name; /* xmlFree; NULL: the main one */
  const xmlNode *node;
} class_node;

struct ph_classes {
  class_node *all; /* by name, the main ones (in their order) first */
  size_t n, room;
};

static ph_status add(struct ph_classes *classes, const xmlNode *node, bool top) {
  if (classes->n == classes->room) {
    size_t room = classes->room ? 2 * classes->room : 16;
    class_node *grown = realloc(classes->all, room * sizeof *grown);
    if (!grown)
      return ph_fail(PH_ENOMEM, "model: out of memory");
    classes->all = grown;
    classes->room = room;
  }
  char *name = ph_xml_get(node, "class");
  if (top) { /* however it is called, it is the main one */
    xmlFree(name);
    name = NULL;
  }
  classes->all[classes->n++] = (class_node){name, node};
  return PH_OK;
}

static ph_status collect(struct ph_classes *classes, const xmlNode *node, bool top) {
  ph_status status = add(classes, node, top);
  for (const xmlNode *child = ph_xml_first(node); status == PH_OK && child;
       child = xmlNextElementSibling((xmlNode *)child))
    if (strcmp(ph_xml_name(child), "default") == 0)
      status = collect(classes, child, false);
  return status;
}

static int by_name(const void *a, const void *b) {
  const class_node *x = a, *y = b;
  if (!x->name || !y->name)
    return (x->name != NULL) - (y->name != NULL);
  return strcmp(x->name, y->name);
}

ph_status ph_classes_new(struct ph_classes **out, const xmlNode *root) {
  struct ph_classes *classes = calloc(1, sizeof *classes);
  ph_status status = classes ? PH_OK : ph_fail(PH_ENOMEM, "model: out of memory");
  for (const xmlNode *child = ph_xml_first(root); status == PH_OK && child;
       child = xmlNextElementSibling((xmlNode *)child))
    if (strcmp(ph_xml_name(child), "default") == 0)
      status = collect(classes, child, true);
  if (status != PH_OK) {
    ph_classes_free(classes);
    return status;
  }
  if (classes->n > 0)
    qsort(classes->all, classes->n, sizeof *classes->all, by_name);
  *out = classes;
  return PH_OK;
}

void ph_classes_free(struct ph_classes *classes) {
  if (!classes)
    return;
  for (size_t i = 0; i < classes->n; i++)
    xmlFree(classes->all[i].name);
  free(classes->all);
  free(classes);
}

static const class_node *find(const struct ph_classes *classes, const char *name) {
  class_node key = {(char *)name, NULL};
  return name && classes->n > 0 ? bsearch(&key, classes->all, classes->n, sizeof key, by_name)
                                : NULL;
}

static bool is_actuator(const char *name) {
  static const char *const kinds[] = {"general",     "motor",  "position", "velocity",
                                      "intvelocity", "damper", "cylinder", "muscle",
                                      "adhesion",    "plugin", "dcmotor"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(name, kinds[i]) == 0)
      return true;
  return false;
}

/* Whether an element of a class is about elements of that name: actuators of all kinds share what
 * they inherit, and so do tendons. */
static bool is_about(const char *in_class, const char *name) {
  bool tendon = strcmp(name, "spatial") == 0 || strcmp(name, "fixed") == 0;
  return strcmp(in_class, name) == 0 || (tendon && strcmp(in_class, "tendon") == 0) ||
         (is_actuator(in_class) && is_actuator(name));
}

/* What one class says of an element itself. */
static char *own_value(const xmlNode *class_element, const xmlNode *node, const char *attribute) {
  char *value = NULL;
  for (const xmlNode *child = ph_xml_first(class_element); child;
       child = xmlNextElementSibling((xmlNode *)child))
    if (is_about(ph_xml_name(child), ph_xml_name(node)) && ph_xml_has(child, attribute)) {
      xmlFree(value);
      value = ph_xml_get(child, attribute);
    }
  return value;
}

/* The main class may be given in pieces; the last one counts. */
static char *main_value(const struct ph_classes *classes, const xmlNode *node,
                        const char *attribute) {
  char *value = NULL;
  for (size_t i = 0; i < classes->n && !classes->all[i].name; i++) {
    char *later = own_value(classes->all[i].node, node, attribute);
    if (later) {
      xmlFree(value);
      value = later;
    }
  }
  return value;
}

char *ph_classes_get(const struct ph_classes *classes, const xmlNode *node, const char *attribute,
                     const char *inherited) {
  if (ph_xml_has(node, attribute))
    return ph_xml_get(node, attribute);
  char *own = ph_xml_get(node, "class"), *value = NULL;
  const class_node *named = find(classes, own ? own : inherited);
  xmlFree(own);
  for (const xmlNode *at = named ? named->node : NULL;
       at && !value && strcmp(ph_xml_name(at), "default") == 0; at = at->parent)
    value = own_value(at, node, attribute);
  return value ? value : main_value(classes, node, attribute);
}
