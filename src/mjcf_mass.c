#include "mjcf_drop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "fail.h"

/* What <compiler> says of masses; the last value of each counts. */
struct rules {
  int first, last; /* groups whose geoms count */
  bool from_geom;  /* geoms count even beside an <inertial> */
};

struct masses {
  const struct ph_classes *classes;
  ph_source *source;
  struct rules rules;
  size_t lighter; /* bodies that lost some, and compile */
};

/* What rigidly moves together. */
struct part {
  bool mass, lost, moving;
};

static struct rules rules_of(const xmlNode *root) {
  struct rules rules = {-1, 1000000, false};
  for (const xmlNode *child = ph_xml_first(root); child;
       child = xmlNextElementSibling((xmlNode *)child)) {
    if (!ph_xml_is(child, "compiler"))
      continue;
    char *range = ph_xml_get(child, "inertiagrouprange");
    if (range && sscanf(range, "%d %d", &rules.first, &rules.last) != 2)
      rules.first = -1;
    xmlFree(range);
    if (ph_xml_has(child, "inertiafromgeom"))
      rules.from_geom = ph_xml_equals(child, "inertiafromgeom", "true");
  }
  return rules;
}

static double read_number(const char *text) {
  locale_t before = ph_c_locale_enter();
  double number = strtod(text, NULL);
  ph_c_locale_leave(before);
  return number;
}

static double number_of(const struct ph_classes *classes, const xmlNode *geom,
                        const char *attribute, const char *inherited, double otherwise) {
  char *value = ph_classes_get(classes, geom, attribute, inherited);
  double number = value ? read_number(value) : otherwise;
  xmlFree(value);
  return number;
}

static bool is_flat(const struct ph_classes *classes, const xmlNode *geom, const char *inherited) {
  char *type = ph_classes_get(classes, geom, "type", inherited);
  bool flat = type && (strcmp(type, "plane") == 0 || strcmp(type, "hfield") == 0);
  xmlFree(type);
  return flat;
}

static bool counts(const struct ph_classes *classes, const struct rules *rules, const xmlNode *geom,
                   const char *inherited) {
  double group = number_of(classes, geom, "group", inherited, 0);
  return group >= rules->first && group <= rules->last;
}

static bool heavy(const struct ph_classes *classes, const xmlNode *geom, const char *inherited) {
  double mass = number_of(classes, geom, "mass", inherited, -1);
  if (mass >= 0)
    return mass > 0;
  return number_of(classes, geom, "density", inherited, 1000) > 0 &&
         !is_flat(classes, geom, inherited);
}

bool ph_mjcf_has_mass(const struct ph_classes *classes, const xmlNode *root, const xmlNode *geom,
                      const char *inherited) {
  struct rules rules = rules_of(root);
  return counts(classes, &rules, geom, inherited) && heavy(classes, geom, inherited);
}

/* --- bodies --- */

/* What one body consists of, frames looked through. */
struct content {
  xmlNode *geom; /* the first that counts */
  size_t geoms;
  bool heavy, moving, inertial;
  struct part below; /* of bodies that are fixed to it */
};

static ph_status look(struct masses *m, xmlNode *node, const char *inherited,
                      struct content *content);

static ph_status give_gram(struct masses *m, xmlNode *body, const struct content *content) {
  char *name = ph_xml_get(body, "name");
  ph_status status = PH_OK;
  ph_source_note(m->source, "body %.80s: its mass came from what is left out: a gram stands for it",
                 name && *name ? name : "without a name");
  xmlFree(name);
  if (m->rules.from_geom && content->geom)
    return ph_xml_set(content->geom, "mass", "0.001");
  xmlNode *first = ph_xml_first(body);
  while (first && strcmp(ph_xml_name(first), "inertial") != 0)
    first = xmlNextElementSibling(first);
  xmlNode *inertial = first ? first : xmlNewChild(body, NULL, (const xmlChar *)"inertial", NULL);
  if (!inertial)
    return ph_fail(PH_ENOMEM, "model: out of memory");
  ph_xml_unset(inertial, "fullinertia");
  if (!ph_xml_has(inertial, "pos"))
    status = ph_xml_set(inertial, "pos", "0 0 0");
  if (status == PH_OK)
    status = ph_xml_set(inertial, "mass", "0.001");
  return status == PH_OK ? ph_xml_set(inertial, "diaginertia", "1e-06 1e-06 1e-06") : status;
}

static ph_status look_at_body(struct masses *m, xmlNode *body, const char *inherited,
                              struct part *out) {
  char *own = ph_xml_get(body, "childclass");
  struct content content = {0};
  ph_status status = look(m, body, own ? own : inherited, &content);
  xmlFree(own);
  if (status != PH_OK)
    return status;
  bool lost = body->_private != NULL;
  bool inertial = content.inertial && !(m->rules.from_geom && content.geoms > 0);
  bool mass = inertial || content.heavy;
  *out = (struct part){mass || content.below.mass, lost || content.below.lost, content.moving};
  bool refused = content.moving && !out->mass && out->lost;
  /* two geoms without mass have no center */
  bool centerless = lost && !mass && content.geoms > 1;
  if (refused || centerless) {
    out->mass = true;
    return give_gram(m, body, &content);
  }
  m->lighter += lost && !inertial;
  return PH_OK;
}

static void look_at_geom(const struct masses *m, xmlNode *geom, const char *inherited,
                         struct content *content) {
  if (!counts(m->classes, &m->rules, geom, inherited))
    return;
  content->geom = content->geom ? content->geom : geom;
  content->geoms++;
  content->heavy = content->heavy || heavy(m->classes, geom, inherited);
}

static ph_status look(struct masses *m, xmlNode *node, const char *inherited,
                      struct content *content) {
  ph_status status = PH_OK;
  for (xmlNode *child = ph_xml_first(node); status == PH_OK && child;
       child = xmlNextElementSibling(child)) {
    const char *name = ph_xml_name(child);
    struct part part = {0};
    if (strcmp(name, "body") == 0) {
      status = look_at_body(m, child, inherited, &part);
      if (!part.moving) {
        content->below.mass = content->below.mass || part.mass;
        content->below.lost = content->below.lost || part.lost;
      }
    } else if (strcmp(name, "frame") == 0 || strcmp(name, "replicate") == 0) {
      char *own = ph_xml_get(child, "childclass");
      status = look(m, child, own ? own : inherited, content);
      xmlFree(own);
    } else if (strcmp(name, "geom") == 0) {
      look_at_geom(m, child, inherited, content);
    } else if (strcmp(name, "inertial") == 0) {
      char *mass = ph_xml_get(child, "mass");
      content->inertial = mass && read_number(mass) > 0;
      xmlFree(mass);
    } else if (strcmp(name, "joint") == 0 || strcmp(name, "freejoint") == 0) {
      content->moving = true;
    }
  }
  return status;
}

ph_status ph_mjcf_give_mass(xmlNode *root, const struct ph_classes *classes, ph_source *source) {
  struct masses m = {.classes = classes, .source = source, .rules = rules_of(root)};
  ph_status status = PH_OK;
  for (xmlNode *child = ph_xml_first(root); status == PH_OK && child;
       child = xmlNextElementSibling(child)) {
    struct content world = {0};
    char *own = ph_xml_get(child, "childclass");
    if (strcmp(ph_xml_name(child), "worldbody") == 0)
      status = look(&m, child, own, &world);
    xmlFree(own);
  }
  if (m.lighter > 0)
    ph_source_note(source, "masses: bodies that are lighter without what is left out: %zu",
                   m.lighter);
  return status;
}
