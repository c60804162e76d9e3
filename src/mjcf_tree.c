#include "mjcf_tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fail.h"
#include "mjcf.h"
#include "mjcf_files.h"
#include "mjcf_text.h"

/* Every attribute of MJCF that names a file to be read. */
static const ph_mjcf_rule rules[] = {
    {"mesh", "file", PH_BASE_MESH, true},
    {"hfield", "file", PH_BASE_MESH, true},
    {"skin", "file", PH_BASE_MESH, true},
    {"flexcomp", "file", PH_BASE_MESH, false},
    {"texture", "file", PH_BASE_TEXTURE, true},
    {"texture", "fileright", PH_BASE_TEXTURE, false},
    {"texture", "fileleft", PH_BASE_TEXTURE, false},
    {"texture", "fileup", PH_BASE_TEXTURE, false},
    {"texture", "filedown", PH_BASE_TEXTURE, false},
    {"texture", "filefront", PH_BASE_TEXTURE, false},
    {"texture", "fileback", PH_BASE_TEXTURE, false},
};

const char *const ph_mjcf_folders[PH_FOLDER_COUNT] = {"meshdir", "texturedir", "assetdir",
                                                      "strippath"};

/* --- parsing --- */

enum { VALUE_LIMIT = 10000000 }; /* of the parser: its XML_MAX_TEXT_LENGTH */

static void start_xml(void) {
  xmlInitParser();
}

/* Not a recursive one: the child, whose thread has another number, must be able to unlock it. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void ph_xml_enter(void) {
  pthread_mutex_lock(&turn);
}

void ph_xml_leave(void) {
  pthread_mutex_unlock(&turn);
}

void ph_mjcf_fork_begin(void) {
  ph_xml_enter();
}

void ph_mjcf_fork_end(void) {
  ph_xml_leave();
}

const char *ph_mjcf_parser_version(void) {
  return LIBXML_DOTTED_VERSION;
}

/* Whether the parser gave up at one of its limits. It has no code for that in most versions; no
 * name in the text has a space. */
static bool is_limit(const xmlError *error) {
  static const char *const says[] = {"uge input", "uge text node", "Excessive depth",
                                     "too long",  "too big",       "try XML_PARSE_HUGE"};
  for (size_t i = 0; i < sizeof says / sizeof *says; i++)
    if (strstr(error->message, says[i]))
      return true;
  return false;
}

static ph_status xml_error(xmlParserCtxt *ctxt, const char *where, size_t size) {
  const xmlError *error = xmlCtxtGetLastError(ctxt);
  if (!error || !error->message)
    return ph_fail(PH_EFORMAT, "%s: not XML", where);
  if (is_limit(error) && strstr(error->message, "depth"))
    return ph_fail(PH_EFORMAT, "%s: line %d: elements lie too deep in each other: the limit is %d",
                   where, error->line, PH_XML_DEPTH);
  if (is_limit(error))
    return ph_fail(
        PH_EFORMAT,
        "%s: line %d: a value of this text of %zu bytes is too long: the limit is %d bytes", where,
        error->line, size, VALUE_LIMIT);
  int n = (int)strcspn(error->message, "\n");
  return ph_fail(PH_EFORMAT, "%s: line %d: not XML: %.*s", where, error->line, n, error->message);
}

ph_status ph_xml_parse(xmlDoc **out, const void *data, size_t size, const char *where) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_xml);
  if (size > PH_FILE_LIMIT)
    return ph_fail(PH_EREFUSED, "%s: %zu bytes: too large for a model's text: the limit is %zu",
                   where, size, PH_FILE_LIMIT);
  ph_status status = PH_ENOMEM;
  xmlParserCtxt *ctxt = NULL;
  char *text = malloc(size + 1);
  if (!text) {
    ph_fail(status, "%s: out of memory", where);
    goto out;
  }
  memcpy(text, data, size);
  status = ph_mjcf_blank(text, size, where);
  if (status != PH_OK)
    goto out;
  ctxt = xmlNewParserCtxt();
  *out = ctxt ? xmlCtxtReadMemory(ctxt, text, (int)size, NULL, "UTF-8",
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                      XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES)
              : NULL;
  if (!ctxt)
    status = ph_fail(PH_ENOMEM, "%s: out of memory", where);
  else if (!*out)
    status = xml_error(ctxt, where, size);
out:
  xmlFreeParserCtxt(ctxt);
  free(text);
  return status;
}

/* --- nodes --- */

const char *ph_xml_name(const xmlNode *node) {
  return (const char *)node->name;
}

bool ph_xml_is(const xmlNode *node, const char *name) {
  return strcasecmp(ph_xml_name(node), name) == 0;
}

xmlNode *ph_xml_first(const xmlNode *node) {
  return xmlFirstElementChild((xmlNode *)node);
}

char *ph_xml_get(const xmlNode *node, const char *name) {
  return (char *)xmlGetNoNsProp(node, (const xmlChar *)name);
}

bool ph_xml_has(const xmlNode *node, const char *name) {
  return xmlHasProp(node, (const xmlChar *)name) != NULL;
}

bool ph_xml_equals(const xmlNode *node, const char *name, const char *value) {
  char *is = ph_xml_get(node, name);
  bool equal = is && strcmp(is, value) == 0;
  xmlFree(is);
  return equal;
}

ph_status ph_xml_set(xmlNode *node, const char *name, const char *value) {
  if (!xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)value))
    return ph_fail(PH_ENOMEM, "model: out of memory");
  return PH_OK;
}

void ph_xml_unset(xmlNode *node, const char *name) {
  xmlUnsetProp(node, (const xmlChar *)name);
}

void ph_xml_remove(xmlNode *node) {
  xmlUnlinkNode(node);
  xmlFreeNode(node);
}

static ph_status walk(xmlNode *node, int depth, const char *where, ph_xml_visit *fn, void *arg) {
  if (depth > PH_XML_DEPTH)
    return ph_fail(PH_EFORMAT, "%s: elements nested deeper than %d", where, PH_XML_DEPTH);
  ph_status status = fn(arg, node);
  for (xmlNode *child = ph_xml_first(node); status == PH_OK && child;
       child = xmlNextElementSibling(child))
    status = walk(child, depth + 1, where, fn, arg);
  return status;
}

ph_status ph_xml_walk(xmlNode *node, const char *where, ph_xml_visit *fn, void *arg) {
  return walk(node, 1, where, fn, arg);
}

/* --- MJCF --- */

ph_status ph_mjcf_check_root(const xmlDoc *doc, const char *where) {
  const xmlNode *root = xmlDocGetRootElement(doc);
  if (ph_xml_is(root, "robot"))
    return ph_fail(PH_EFORMAT, "%s: a URDF: save it as MJCF with MuJoCo's compile program first",
                   where);
  if (strcmp(ph_xml_name(root), "mujoco") != 0)
    return ph_fail(PH_EFORMAT, "%s: not MJCF: its root is <%s>, not <mujoco>", where,
                   ph_xml_name(root));
  return PH_OK;
}

ph_status ph_mjcf_check_names(void *where, xmlNode *node) {
  bool space = node->ns || node->nsDef;
  for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
    space = space || attr->ns;
  if (space)
    return ph_fail(PH_EFORMAT, "%s: line %ld: <%s>: MJCF knows no namespaces", (const char *)where,
                   xmlGetLineNo(node), ph_xml_name(node));
  return PH_OK;
}

ph_status ph_mjcf_rule_of(const ph_mjcf_rule **rule, const xmlNode *node, const xmlAttr *attr,
                          const char *where) {
  const char *name = (const char *)attr->name;
  *rule = NULL;
  if (strncasecmp(name, "file", 4) != 0)
    return PH_OK;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(rules[i].element, ph_xml_name(node)) == 0 && strcmp(rules[i].attribute, name) == 0) {
      *rule = &rules[i];
      return PH_OK;
    }
  if (ph_xml_is(node, "model"))
    return ph_fail(PH_EREFUSED,
                   "%s: line %ld: attaches another model: save it as one file with MuJoCo first",
                   where, xmlGetLineNo(node));
  return ph_fail(PH_EREFUSED, "%s: line %ld: %s of <%s>: not known what it reads", where,
                 xmlGetLineNo(node), name, ph_xml_name(node));
}

ph_status ph_mjcf_give_name(xmlNode *node, const char *file) {
  char *name = ph_xml_get(node, "name");
  bool has = name && *name;
  xmlFree(name);
  if (has)
    return PH_OK;
  const char *base = ph_path_base(file), *dot = strrchr(base, '.');
  char *derived = strndup(base, dot ? (size_t)(dot - base) : strlen(base));
  if (!derived)
    return ph_fail(PH_ENOMEM, "model: out of memory");
  ph_status status = *derived ? ph_xml_set(node, "name", derived) : PH_OK;
  free(derived);
  return status;
}
