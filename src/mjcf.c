#include "mjcf.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fail.h"
#include "mjcf_files.h"
#include "mjcf_text.h"

enum { DEPTH_LIMIT = 256 };

/* Which folder of <compiler> a file is relative to. */
enum base { BASE_MESH, BASE_TEXTURE };

/* Every attribute of MJCF that names a file to be read. */
static const struct rule {
  const char *element, *attribute;
  enum base base;
  bool named; /* MuJoCo names the element after its file */
} rules[] = {
    {"mesh", "file", BASE_MESH, true},
    {"hfield", "file", BASE_MESH, true},
    {"skin", "file", BASE_MESH, true},
    {"flexcomp", "file", BASE_MESH, false},
    {"texture", "file", BASE_TEXTURE, true},
    {"texture", "fileright", BASE_TEXTURE, false},
    {"texture", "fileleft", BASE_TEXTURE, false},
    {"texture", "fileup", BASE_TEXTURE, false},
    {"texture", "filedown", BASE_TEXTURE, false},
    {"texture", "filefront", BASE_TEXTURE, false},
    {"texture", "fileback", BASE_TEXTURE, false},
};

static const char *const folder_attributes[] = {"meshdir", "texturedir", "assetdir", "strippath"};
enum { MESHDIR, TEXTUREDIR, ASSETDIR, STRIPPATH, FOLDER_COUNT };

struct collect {
  const char *where;      /* the main file, for messages */
  struct ph_files *files; /* NULL: a text that has no folder */
  ph_source *source;
  xmlDoc *doc;
  char *folder[FOLDER_COUNT]; /* last value of each attribute; NULL: never given */
  char **included;            /* real paths, the main file first */
  size_t nincluded;
};

/* --- libxml2 --- */

static void start_xml(void) {
  xmlInitParser();
}

static ph_status xml_error(xmlParserCtxt *ctxt, const char *where) {
  const xmlError *error = xmlCtxtGetLastError(ctxt);
  if (!error || !error->message)
    return ph_fail(PH_EFORMAT, "%s: not XML", where);
  int n = (int)strcspn(error->message, "\n");
  return ph_fail(PH_EFORMAT, "%s: line %d: not XML: %.*s", where, error->line, n, error->message);
}

/* The tree of a text; comments and instructions are not in it. */
static ph_status parse(xmlDoc **out, const void *data, size_t size, const char *where) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_xml);
  if (size > PH_FILE_LIMIT)
    return ph_fail(PH_EREFUSED, "%s: %zu bytes: too large for a model's text", where, size);
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
    status = xml_error(ctxt, where);
out:
  xmlFreeParserCtxt(ctxt);
  free(text);
  return status;
}

static const char *name_of(const xmlNode *node) {
  return (const char *)node->name;
}

static bool is(const xmlNode *node, const char *name) {
  return strcasecmp(name_of(node), name) == 0;
}

/* The value of an attribute, allocated (xmlFree); NULL when there is none. */
static char *attribute(const xmlNode *node, const char *name) {
  return (char *)xmlGetNoNsProp(node, (const xmlChar *)name);
}

static ph_status set_attribute(xmlNode *node, const char *name, const char *value) {
  if (!xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)value))
    return ph_fail(PH_ENOMEM, "model: out of memory");
  return PH_OK;
}

static xmlNode *first_element(const xmlNode *node) {
  return xmlFirstElementChild((xmlNode *)node);
}

/* Calls fn for every element, parents first. */
typedef ph_status visit(void *arg, xmlNode *node);

static ph_status walk(xmlNode *node, int depth, const char *where, visit *fn, void *arg) {
  if (depth > DEPTH_LIMIT)
    return ph_fail(PH_EFORMAT, "%s: elements nested deeper than %d", where, DEPTH_LIMIT);
  ph_status status = fn(arg, node);
  for (xmlNode *child = first_element(node); status == PH_OK && child;
       child = xmlNextElementSibling(child))
    status = walk(child, depth + 1, where, fn, arg);
  return status;
}

/* --- includes --- */

static ph_status remember(struct collect *c, const char *real) {
  for (size_t i = 0; i < c->nincluded; i++)
    if (strcmp(c->included[i], real) == 0)
      return ph_fail(PH_EFORMAT, "%s: %s: included twice: MuJoCo allows a file once", c->where,
                     ph_path_base(real));
  char **grown = realloc(c->included, (c->nincluded + 1) * sizeof *grown);
  char *copy = strdup(real);
  if (grown)
    c->included = grown;
  if (!grown || !copy) {
    free(copy);
    return ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
  }
  c->included[c->nincluded++] = copy;
  return PH_OK;
}

/* Reads an XML file, keeps the original, gives its tree. */
static ph_status read_xml(struct collect *c, xmlDoc **out, const char *real, const char *name) {
  ph_blob blob;
  ph_status status = remember(c, real);
  if (status == PH_OK)
    status = ph_files_read(&blob, real, name);
  if (status == PH_OK)
    status = ph_blobs_add(&c->source->originals, &c->source->noriginals, blob);
  if (status == PH_OK)
    status = parse(out, blob.data, blob.size, c->nincluded == 1 ? c->where : name);
  return status;
}

/* Puts copies of the included root's children where the include stands; *first is the first. */
static ph_status splice(struct collect *c, xmlNode *include, const xmlDoc *doc, const char *file,
                        xmlNode **first) {
  xmlNode *child = first_element(xmlDocGetRootElement(doc));
  if (!child)
    return ph_fail(PH_EFORMAT, "%s: %s: an included file without elements", c->where, file);
  for (*first = NULL; child; child = xmlNextElementSibling(child)) {
    xmlNode *copy = xmlDocCopyNode(child, c->doc, 1);
    if (!copy || !xmlAddPrevSibling(include, copy)) {
      xmlFreeNode(copy);
      return ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
    }
    *first = *first ? *first : copy;
  }
  xmlUnlinkNode(include);
  xmlFreeNode(include);
  return PH_OK;
}

static ph_status include_file(struct collect *c, xmlNode *include, xmlNode **first) {
  char real[PATH_MAX];
  xmlDoc *doc = NULL;
  char *file = attribute(include, "file");
  ph_status status = PH_OK;
  if (!file || !*file)
    status = ph_fail(PH_EFORMAT, "%s: line %ld: an include without a file", c->where,
                     xmlGetLineNo(include));
  else if (first_element(include))
    status = ph_fail(PH_EFORMAT, "%s: line %ld: an include cannot have children", c->where,
                     xmlGetLineNo(include));
  else if (!c->files)
    status = ph_fail(PH_EREFUSED, "%s: include of %s: a model given as text reads no files",
                     c->where, file);
  else if ((status = ph_files_find(c->files, file, real)) != PH_OK)
    ph_fail_in(status, "%s: include", c->where);
  if (status == PH_OK)
    status = read_xml(c, &doc, real, file);
  if (status == PH_OK)
    status = splice(c, include, doc, file, first);
  xmlFreeDoc(doc);
  xmlFree(file);
  return status;
}

static ph_status expand(struct collect *c, xmlNode *node, int depth) {
  ph_status status = PH_OK;
  if (depth > DEPTH_LIMIT)
    return ph_fail(PH_EFORMAT, "%s: elements nested deeper than %d", c->where, DEPTH_LIMIT);
  for (xmlNode *child = first_element(node); status == PH_OK && child;) {
    if (is(child, "include")) {
      status = include_file(c, child, &child);
    } else {
      status = expand(c, child, depth + 1);
      child = xmlNextElementSibling(child);
    }
  }
  return status;
}

/* --- folders and files --- */

static ph_status take_folders(void *arg, xmlNode *node) {
  struct collect *c = arg;
  if (!is(node, "compiler"))
    return PH_OK;
  for (int i = 0; i < FOLDER_COUNT; i++) {
    char *value = attribute(node, folder_attributes[i]);
    if (!value)
      continue;
    char *copy = strdup(value);
    xmlFree(value);
    if (!copy)
      return ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
    free(c->folder[i]);
    c->folder[i] = copy;
    xmlUnsetProp(node, (const xmlChar *)folder_attributes[i]);
  }
  return PH_OK;
}

/* The rule for an attribute that names a file; *rule NULL: it names none. */
static ph_status find_rule(const struct rule **rule, const xmlNode *node, const xmlAttr *attr,
                           const char *where) {
  const char *name = (const char *)attr->name;
  *rule = NULL;
  if (strncasecmp(name, "file", 4) != 0)
    return PH_OK;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(rules[i].element, name_of(node)) == 0 && strcmp(rules[i].attribute, name) == 0) {
      *rule = &rules[i];
      return PH_OK;
    }
  if (is(node, "model"))
    return ph_fail(PH_EREFUSED,
                   "%s: line %ld: attaches another model: save it as one file with MuJoCo first",
                   where, xmlGetLineNo(node));
  return ph_fail(PH_EREFUSED, "%s: line %ld: %s of <%s>: not known what it reads", where,
                 xmlGetLineNo(node), name, name_of(node));
}

/* The path that MuJoCo would open, relative to the model's folder. Allocated. */
static char *full_path(const struct collect *c, const struct rule *rule, const char *file) {
  const char *dir = c->folder[rule->base == BASE_MESH ? MESHDIR : TEXTUREDIR];
  if (!dir)
    dir = c->folder[ASSETDIR];
  if (c->folder[STRIPPATH] && strcmp(c->folder[STRIPPATH], "true") == 0)
    file = ph_path_base(file);
  char *path = NULL;
  if (file[0] == '/' || !dir || !*dir)
    return strdup(file);
  return asprintf(&path, "%s/%s", dir, file) < 0 ? NULL : path;
}

/* Gives the name that MuJoCo 2.2.2 derives: the file's without path and extension. */
static ph_status give_name(xmlNode *node, const char *file) {
  char *name = attribute(node, "name");
  bool has = name && *name;
  xmlFree(name);
  if (has)
    return PH_OK;
  const char *base = ph_path_base(file), *dot = strrchr(base, '.');
  char *derived = strndup(base, dot ? (size_t)(dot - base) : strlen(base));
  if (!derived)
    return ph_fail(PH_ENOMEM, "model: out of memory");
  ph_status status = *derived ? set_attribute(node, "name", derived) : PH_OK;
  free(derived);
  return status;
}

static ph_status take_file(struct collect *c, xmlNode *node, const struct rule *rule) {
  const char *name = NULL;
  char *file = attribute(node, rule->attribute), *path = file ? full_path(c, rule, file) : NULL;
  ph_status status = PH_OK;
  if (!path)
    status = ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
  else if (!*file)
    ;
  else if (!c->files)
    status = ph_fail(PH_EREFUSED, "%s: %s of <%s> is %s: a model given as text reads no files",
                     c->where, rule->attribute, rule->element, file);
  else if ((status = ph_files_asset(c->files, path, &name)) != PH_OK)
    ph_fail_in(status, "%s: %s", c->where, rule->element);
  if (name && rule->named)
    status = give_name(node, file);
  if (name && status == PH_OK)
    status = set_attribute(node, rule->attribute, name);
  free(path);
  xmlFree(file);
  return status;
}

static ph_status take_files(void *arg, xmlNode *node) {
  struct collect *c = arg;
  ph_status status = PH_OK;
  /* a name that is added comes behind the attributes that are walked here */
  for (const xmlAttr *attr = node->properties; status == PH_OK && attr; attr = attr->next) {
    const struct rule *rule;
    status = find_rule(&rule, node, attr, c->where);
    if (status == PH_OK && rule)
      status = take_file(c, node, rule);
  }
  return status;
}

/* --- writing --- */

static ph_status check_names(void *arg, xmlNode *node) {
  bool space = node->ns || node->nsDef;
  for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
    space = space || attr->ns;
  if (space)
    return ph_fail(PH_EFORMAT, "%s: line %ld: <%s>: MJCF knows no namespaces", (const char *)arg,
                   xmlGetLineNo(node), name_of(node));
  return PH_OK;
}

/* False: out of memory. */
static bool put_element(FILE *out, const xmlNode *node, int depth) {
  fprintf(out, "%*s<%s", 2 * depth, "", name_of(node));
  for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
    char *value = attribute(node, (const char *)attr->name);
    if (!value)
      return false;
    fprintf(out, " %s=\"", (const char *)attr->name);
    ph_mjcf_put_value(out, value);
    fputc('"', out);
    xmlFree(value);
  }
  const xmlNode *child = first_element(node);
  fputs(child ? ">\n" : "/>\n", out);
  if (!child)
    return true;
  for (; child; child = xmlNextElementSibling((xmlNode *)child))
    if (!put_element(out, child, depth + 1))
      return false;
  fprintf(out, "%*s</%s>\n", 2 * depth, "", name_of(node));
  return true;
}

static ph_status write_text(struct collect *c) {
  FILE *out = open_memstream(&c->source->xml, &c->source->xml_size);
  bool ok = out && put_element(out, xmlDocGetRootElement(c->doc), 0);
  if (out)
    ok = fclose(out) == 0 && ok;
  return ok ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
}

/* --- the whole --- */

static ph_status check_root(const xmlDoc *doc, const char *where) {
  const xmlNode *root = xmlDocGetRootElement(doc);
  if (is(root, "robot"))
    return ph_fail(PH_EFORMAT, "%s: a URDF: save it as MJCF with MuJoCo's compile program first",
                   where);
  if (strcmp(name_of(root), "mujoco") != 0)
    return ph_fail(PH_EFORMAT, "%s: not MJCF: its root is <%s>, not <mujoco>", where,
                   name_of(root));
  return PH_OK;
}

static ph_status rewrite(struct collect *c) {
  xmlNode *root = xmlDocGetRootElement(c->doc);
  ph_status status = check_root(c->doc, c->where);
  if (status == PH_OK)
    status = expand(c, root, 1);
  if (status == PH_OK)
    status = walk(root, 1, c->where, check_names, (void *)c->where);
  if (status == PH_OK)
    status = walk(root, 1, c->where, take_folders, c);
  if (status == PH_OK)
    status = walk(root, 1, c->where, take_files, c);
  if (status == PH_OK)
    status = write_text(c);
  if (status == PH_OK) {
    if (c->files)
      ph_files_take(c->files, c->source);
    ph_source_hash(c->source);
  }
  return status;
}

static ph_status finish(struct collect *c, ph_source **out, ph_status status) {
  if (status == PH_OK)
    *out = c->source;
  else
    ph_source_free(c->source);
  ph_files_free(c->files);
  xmlFreeDoc(c->doc);
  for (int i = 0; i < FOLDER_COUNT; i++)
    free(c->folder[i]);
  for (size_t i = 0; i < c->nincluded; i++)
    free(c->included[i]);
  free(c->included);
  return status;
}

ph_status ph_mjcf_collect(ph_source **out, const char *path, const ph_model_options *opt) {
  struct collect c = {.where = path, .source = calloc(1, sizeof *c.source)};
  ph_status status = c.source ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", path);
  char *real = realpath(path, NULL);
  if (status == PH_OK && !real)
    status = ph_fail(PH_EIO, "%s: no such model file", path);
  if (status == PH_OK)
    status = ph_files_new(&c.files, path, opt);
  if (status == PH_OK)
    status = read_xml(&c, &c.doc, real, ph_path_base(path));
  if (status == PH_OK)
    status = rewrite(&c);
  free(real);
  return finish(&c, out, status);
}

ph_status ph_mjcf_parse(ph_source **out, const char *xml, size_t size, const char *name) {
  struct collect c = {.where = name, .source = calloc(1, sizeof *c.source)};
  ph_blob blob = {.name = strdup(name), .data = malloc(size + 1), .size = size};
  ph_status status = PH_OK;
  if (!c.source || !blob.name || !blob.data) {
    free(blob.name);
    free(blob.data);
    status = ph_fail(PH_ENOMEM, "%s: out of memory", name);
  } else {
    memcpy(blob.data, xml, size);
    ((char *)blob.data)[size] = 0;
    status = ph_blobs_add(&c.source->originals, &c.source->noriginals, blob);
  }
  if (status == PH_OK)
    status = parse(&c.doc, xml, size, name);
  if (status == PH_OK)
    status = rewrite(&c);
  return finish(&c, out, status);
}

/* --- checking what was stored --- */

static bool plain_name(const char *name) {
  size_t n = strlen(name);
  return n > 0 && n < 100 && name[0] != '.' &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == n;
}

static ph_status check_assets(const ph_source *source) {
  for (size_t i = 0; i < source->nassets; i++) {
    if (!plain_name(source->assets[i].name))
      return ph_fail(PH_EREFUSED, "stored model: asset %s: not a plain lower-case file name",
                     source->assets[i].name);
    for (size_t k = 0; k < i; k++)
      if (strcmp(source->assets[k].name, source->assets[i].name) == 0)
        return ph_fail(PH_EREFUSED, "stored model: asset %s: stored twice", source->assets[i].name);
  }
  return PH_OK;
}

static ph_status check_file(const ph_source *source, const xmlNode *node, const struct rule *rule) {
  ph_status status = PH_OK;
  char *file = attribute(node, rule->attribute);
  bool found = file && !*file;
  for (size_t i = 0; file && !found && i < source->nassets; i++)
    found = strcmp(source->assets[i].name, file) == 0;
  if (!found)
    status = ph_fail(PH_EREFUSED, "stored model: line %ld: %s of <%s> asks for %s: not stored",
                     xmlGetLineNo(node), rule->attribute, rule->element, file ? file : "?");
  xmlFree(file);
  return status;
}

static ph_status check_element(void *arg, xmlNode *node) {
  const ph_source *source = arg;
  ph_status status = check_names("stored model", node);
  if (status == PH_OK && is(node, "include"))
    status = ph_fail(PH_EREFUSED, "stored model: line %ld: includes a file", xmlGetLineNo(node));
  for (int i = 0; status == PH_OK && is(node, "compiler") && i < FOLDER_COUNT; i++)
    if (xmlHasProp(node, (const xmlChar *)folder_attributes[i]))
      status = ph_fail(PH_EREFUSED, "stored model: line %ld: names a folder by %s",
                       xmlGetLineNo(node), folder_attributes[i]);
  for (const xmlAttr *attr = node->properties; status == PH_OK && attr; attr = attr->next) {
    const struct rule *rule;
    status = find_rule(&rule, node, attr, "stored model");
    if (status == PH_OK && rule)
      status = check_file(source, node, rule);
  }
  return status;
}

ph_status ph_mjcf_check(const ph_source *source) {
  xmlDoc *doc = NULL;
  ph_status status = parse(&doc, source->xml, source->xml_size, "stored model");
  if (status == PH_OK)
    status = check_root(doc, "stored model");
  if (status == PH_OK)
    status = check_assets(source);
  if (status == PH_OK)
    status = walk(xmlDocGetRootElement(doc), 1, "stored model", check_element, (void *)source);
  xmlFreeDoc(doc);
  return status;
}
