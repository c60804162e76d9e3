#include "mjcf_mend.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "mj.h"
#include "mjcf_number.h"

/* What is lost with an attribute. */
enum loss { NOTHING, PICTURE, MASS, FORCE };

static const char *const losses[] = {
    [NOTHING] = "nothing depends on it",
    [PICTURE] = "pictures only",
    [MASS] = "masses may differ from the recorded ones",
    [FORCE] = "forces may differ from the recorded ones",
};

/* Attributes that versions of the engine have or had, and that no size of the state and no meaning
 * of its numbers depends on. One is left out only where the engine that runs refuses it. */
static const struct leaving {
  const char *element, *attribute;
  enum loss loss;
} leavings[] = {
    {"option", "apirate", NOTHING}, /* until 3.3.7 */
    {"size", "nstack", NOTHING},
    {"size", "njmax", NOTHING},
    {"size", "nconmax", NOTHING},
    {"size", "memory", NOTHING},
    {"compiler", "saveinertial", NOTHING},
    {"compiler", "usethread", NOTHING},
    {"compiler", "convexhull", FORCE},
    {"compiler", "exactmeshinertia", MASS},
    {"mesh", "inertia", MASS},
    {"mesh", "maxhullvert", FORCE},
    {"mesh", "content_type", NOTHING},
    {"hfield", "content_type", NOTHING},
    {"texture", "colorspace", PICTURE}, /* from 3.3 on; 3.12 writes it */
    {"texture", "nchannel", PICTURE},
    {"texture", "content_type", PICTURE},
    {"camera", "resolution", PICTURE},
    {"camera", "output", PICTURE},
    {"camera", "orthographic", PICTURE},
    {"camera", "projection", PICTURE},
    {"camera", "focal", PICTURE},
    {"camera", "focalpixel", PICTURE},
    {"camera", "principal", PICTURE},
    {"camera", "principalpixel", PICTURE},
    {"camera", "sensorsize", PICTURE},
    {"light", "type", PICTURE},
    {"light", "directional", PICTURE},
    {"light", "bulbradius", PICTURE},
    {"light", "intensity", PICTURE},
    {"light", "range", PICTURE},
    {"light", "texture", PICTURE},
    {"global", "orthographic", PICTURE},
    {"global", "cameraid", PICTURE},
    {"global", "ellipsoidinertia", PICTURE},
    {"global", "bvactive", PICTURE},
    {"global", "realtime", PICTURE},
    {"scale", "frustum", PICTURE},
    {"rgba", "frustum", PICTURE},
    {"rgba", "bv", PICTURE},
    {"rgba", "bvactive", PICTURE},
    {"joint", "actuatorfrcrange", FORCE}, /* from 3.0 on, written by robosuite's robots */
    {"joint", "actuatorfrclimited", FORCE},
    {"joint", "actuatorgravcomp", FORCE},
    {"body", "gravcomp", FORCE},
    {"option", "mpr_tolerance", FORCE},
    {"option", "mpr_iterations", FORCE},
    {"option", "ccd_tolerance", FORCE},
    {"option", "ccd_iterations", FORCE},
    {"option", "ls_tolerance", FORCE},
    {"option", "ls_iterations", FORCE},
    {"option", "sdf_iterations", FORCE},
    {"option", "sdf_initpoints", FORCE},
    {"flag", "eulerdamp", FORCE},
    {"flag", "nativeccd", FORCE},
    {"flag", "midphase", FORCE},
    {"flag", "island", FORCE},
    {"flag", "autoreset", NOTHING},
    {"flag", "invdiscrete", NOTHING},
};
enum { LEAVINGS = sizeof leavings / sizeof *leavings };

struct mend {
  ph_source *source;
  const char *where;
  size_t left[LEAVINGS]; /* how many were left out */
  long line[LEAVINGS];   /* of the first */
  size_t textures;
  signed char refused[LEAVINGS]; /* 0: not asked yet, 1: by the engine, -1: not */
};

/* --- numbers --- */

static ph_status mend_number(struct mend *m, xmlNode *node, const char *name) {
  char *value = ph_xml_get(node, name);
  char *plain = value ? ph_mjcf_plain_numbers(value) : NULL;
  ph_status status = plain ? ph_xml_set(node, name, plain) : PH_OK;
  if (plain && status == PH_OK)
    ph_source_note(m->source, "line %ld: %s=\"%.80s\" of <%.40s> is read as \"%.80s\"",
                   xmlGetLineNo(node), name, value, ph_xml_name(node), plain);
  free(plain);
  xmlFree(value);
  return status;
}

/* --- attributes --- */

static bool refused(struct mend *m, int i) {
  if (m->refused[i] == 0)
    m->refused[i] = ph_mj_unknown(leavings[i].element, leavings[i].attribute) ? 1 : -1;
  return m->refused[i] > 0;
}

/* Whether the attribute was left out. */
static bool leave_out(struct mend *m, xmlNode *node, const char *name) {
  for (int i = 0; i < LEAVINGS; i++) {
    if (strcmp(leavings[i].attribute, name) != 0 ||
        strcmp(leavings[i].element, ph_xml_name(node)) != 0 || !refused(m, i))
      continue;
    if (m->left[i]++ == 0)
      m->line[i] = xmlGetLineNo(node);
    ph_xml_unset(node, leavings[i].attribute);
    return true;
  }
  return false;
}

static void note_left(const struct mend *m) {
  for (int i = 0; i < LEAVINGS; i++) {
    const struct leaving *left = &leavings[i];
    if (m->left[i] > 0 && (left->loss == MASS || left->loss == FORCE))
      m->source->altered = true;
    if (m->left[i] == 1)
      ph_source_note(m->source, "line %ld: %s of <%s> is left out: not known to MuJoCo %s: %s",
                     m->line[i], left->attribute, left->element, ph_engine_version(),
                     losses[left->loss]);
    else if (m->left[i] > 1)
      ph_source_note(m->source,
                     "line %ld and others: %s of %zu <%s> is left out: not known to MuJoCo %s: %s",
                     m->line[i], left->attribute, m->left[i], left->element, ph_engine_version(),
                     losses[left->loss]);
  }
}

/* --- textures --- */

static bool from_file(const xmlNode *node) {
  for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
    if (strncmp((const char *)attr->name, "file", 4) == 0 && attr->children)
      return true;
  return false;
}

ph_status ph_mjcf_flat_texture(xmlNode *texture) {
  static const char *const files[] = {"file",      "fileright", "fileleft", "fileup",    "filedown",
                                      "filefront", "fileback",  "gridsize", "gridlayout"};
  ph_status status = PH_OK;
  char *file = ph_xml_get(texture, "file");
  if (file && *file)
    status = ph_mjcf_give_name(texture, file);
  xmlFree(file);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    ph_xml_unset(texture, files[i]);
  if (status == PH_OK)
    status = ph_xml_set(texture, "builtin", "flat");
  if (status == PH_OK)
    status = ph_xml_set(texture, "width", "8");
  return status == PH_OK ? ph_xml_set(texture, "height", "8") : status;
}

/* --- the whole --- */

static ph_status mend_element(void *arg, xmlNode *node) {
  struct mend *m = arg;
  ph_status status = PH_OK;
  if (strcmp(ph_xml_name(node), "texture") == 0 && from_file(node)) {
    status = ph_mjcf_flat_texture(node);
    m->textures++;
  }
  for (xmlAttr *attr = node->properties, *next; status == PH_OK && attr; attr = next) {
    const char *name = (const char *)attr->name;
    next = attr->next;
    if (!leave_out(m, node, name) && ph_mjcf_is_number(ph_xml_name(node), name))
      status = mend_number(m, node, name);
  }
  return status;
}

ph_status ph_mjcf_mend(xmlNode *root, const char *where, ph_source *source) {
  struct mend m = {.source = source, .where = where};
  ph_status status = ph_xml_walk(root, where, mend_element, &m);
  if (status != PH_OK)
    return status;
  note_left(&m);
  if (m.textures > 0)
    ph_source_note(source, "textures: %zu from files: replaced by a flat one", m.textures);
  status = ph_mjcf_mend_room(root, source);
  return status == PH_OK ? ph_mjcf_mend_limits(root, where, source) : status;
}
