#include "mjcf.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "mjcf_drop.h"
#include "mjcf_files.h"
#include "mjcf_mend.h"
#include "mjcf_text.h"
#include "mjcf_tree.h"

struct collect {
  const char *where;      /* the main file, for messages */
  struct ph_files *files; /* NULL: a text that has no folder */
  ph_source *source;
  xmlDoc *doc;
  char *folder[PH_FOLDER_COUNT]; /* last value of each attribute; NULL: never given */
  char **included;               /* real paths, the main file first */
  size_t nincluded;
  bool mend, drop;
  ph_missing *missing; /* paths owned */
  size_t nmissing;
  bool lists;
  char *list; /* where it lists what is missing: NULL: nothing is */
};

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
    status = ph_xml_parse(out, blob.data, blob.size, c->nincluded == 1 ? c->where : name);
  return status;
}

/* Puts copies of the included root's children where the include stands; *first is the first. */
static ph_status splice(struct collect *c, xmlNode *include, const xmlDoc *doc, const char *file,
                        xmlNode **first) {
  xmlNode *child = ph_xml_first(xmlDocGetRootElement(doc));
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
  ph_xml_remove(include);
  return PH_OK;
}

static ph_status include_file(struct collect *c, xmlNode *include, xmlNode **first) {
  char real[PATH_MAX];
  xmlDoc *doc = NULL;
  char *file = ph_xml_get(include, "file");
  ph_status status = PH_OK;
  if (!file || !*file)
    status = ph_fail(PH_EFORMAT, "%s: line %ld: an include without a file", c->where,
                     xmlGetLineNo(include));
  else if (ph_xml_first(include))
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
  if (depth > PH_XML_DEPTH)
    return ph_fail(PH_EFORMAT, "%s: elements nested deeper than %d", c->where, PH_XML_DEPTH);
  for (xmlNode *child = ph_xml_first(node); status == PH_OK && child;) {
    if (ph_xml_is(child, "include")) {
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
  if (!ph_xml_is(node, "compiler"))
    return PH_OK;
  for (int i = 0; i < PH_FOLDER_COUNT; i++) {
    char *value = ph_xml_get(node, ph_mjcf_folders[i]);
    if (!value)
      continue;
    char *copy = strdup(value);
    xmlFree(value);
    if (!copy)
      return ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
    free(c->folder[i]);
    c->folder[i] = copy;
    ph_xml_unset(node, ph_mjcf_folders[i]);
  }
  return PH_OK;
}

/* The path that MuJoCo would open, relative to the model's folder. Allocated. */
static char *full_path(const struct collect *c, const ph_mjcf_rule *rule, const char *file) {
  const char *dir = c->folder[rule->base == PH_BASE_MESH ? PH_MESHDIR : PH_TEXTUREDIR];
  if (!dir)
    dir = c->folder[PH_ASSETDIR];
  if (c->folder[PH_STRIPPATH] && strcmp(c->folder[PH_STRIPPATH], "true") == 0)
    file = ph_path_base(file);
  char *path = NULL;
  if (ph_path_absolute(file) || !dir || !*dir)
    return strdup(file);
  return asprintf(&path, "%s/%s", dir, file) < 0 ? NULL : path;
}

/* Takes path. */
static ph_status miss(struct collect *c, xmlNode *node, char *path) {
  ph_missing *grown = realloc(c->missing, (c->nmissing + 1) * sizeof *grown);
  if (!grown) {
    free(path);
    return ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
  }
  c->missing = grown;
  grown[c->nmissing++] = (ph_missing){node, path, ph_files_why(c->files)};
  return PH_OK;
}

static ph_status take_file(struct collect *c, xmlNode *node, const ph_mjcf_rule *rule) {
  const char *name = NULL;
  char *file = ph_xml_get(node, rule->attribute), *path = file ? full_path(c, rule, file) : NULL;
  ph_status status = PH_OK;
  if (!path) {
    status = ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
  } else if (*file && !c->files) {
    status = ph_fail(PH_EREFUSED, "%s: %s of <%s> is %s: a model given as text reads no files",
                     c->where, rule->attribute, rule->element, file);
  } else if (*file) {
    status = ph_files_asset(c->files, path, &name);
    if (status != PH_OK && status != PH_ENOMEM && (c->mend || c->drop)) {
      status = miss(c, node, path);
      path = NULL;
    } else if (status != PH_OK) {
      ph_fail_in(status, "%s: %s", c->where, rule->element);
    }
  }
  if (name && rule->named)
    status = ph_mjcf_give_name(node, file);
  if (name && status == PH_OK)
    status = ph_xml_set(node, rule->attribute, name);
  free(path);
  xmlFree(file);
  return status;
}

static ph_status take_files(void *arg, xmlNode *node) {
  struct collect *c = arg;
  ph_status status = PH_OK;
  /* a name that is added comes behind the attributes that are walked here */
  for (const xmlAttr *attr = node->properties; status == PH_OK && attr; attr = attr->next) {
    const ph_mjcf_rule *rule;
    status = ph_mjcf_rule_of(&rule, node, attr, c->where);
    if (status == PH_OK && rule)
      status = take_file(c, node, rule);
  }
  return status;
}

static ph_status settle_missing(struct collect *c) {
  if (c->nmissing == 0)
    return PH_OK;
  if (c->lists && !(c->list = ph_mjcf_list_missing(c->missing, c->nmissing)))
    return ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
  if (!c->drop)
    return ph_mjcf_fail_missing(c->missing, c->nmissing, c->where);
  return ph_mjcf_drop(xmlDocGetRootElement(c->doc), c->missing, c->nmissing, c->where, c->source);
}

/* --- writing --- */

/* False: out of memory. */
static bool put_element(FILE *out, const xmlNode *node, int depth) {
  fprintf(out, "%*s<%s", 2 * depth, "", ph_xml_name(node));
  for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
    char *value = ph_xml_get(node, (const char *)attr->name);
    if (!value)
      return false;
    fprintf(out, " %s=\"", (const char *)attr->name);
    ph_mjcf_put_value(out, value);
    fputc('"', out);
    xmlFree(value);
  }
  const xmlNode *child = ph_xml_first(node);
  fputs(child ? ">\n" : "/>\n", out);
  if (!child)
    return true;
  for (; child; child = xmlNextElementSibling((xmlNode *)child))
    if (!put_element(out, child, depth + 1))
      return false;
  fprintf(out, "%*s</%s>\n", 2 * depth, "", ph_xml_name(node));
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

static ph_status rewrite(struct collect *c) {
  xmlNode *root = xmlDocGetRootElement(c->doc);
  ph_status status = ph_mjcf_check_root(c->doc, c->where);
  if (status == PH_OK)
    status = expand(c, root, 1);
  if (status == PH_OK)
    status = ph_xml_walk(root, c->where, ph_mjcf_check_names, (void *)c->where);
  if (status == PH_OK && c->mend)
    status = ph_mjcf_mend(root, c->where, c->source);
  if (status == PH_OK)
    status = ph_xml_walk(root, c->where, take_folders, c);
  if (status == PH_OK)
    status = ph_xml_walk(root, c->where, take_files, c);
  if (status == PH_OK)
    status = settle_missing(c);
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
  for (int i = 0; i < PH_FOLDER_COUNT; i++)
    free(c->folder[i]);
  for (size_t i = 0; i < c->nincluded; i++)
    free(c->included[i]);
  free(c->included);
  for (size_t i = 0; i < c->nmissing; i++)
    free(c->missing[i].path);
  free(c->missing);
  ph_xml_leave();
  return status;
}

static ph_status start(struct collect *c, const char *where, const ph_model_options *opt) {
  ph_xml_enter();
  *c = (struct collect){.where = where, .mend = opt && opt->mend, .drop = opt && opt->drop_missing};
  c->source = calloc(1, sizeof *c->source);
  return c->source ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", where);
}

ph_status ph_mjcf_collect(ph_source **out, const char *path, const ph_model_options *opt) {
  struct collect c;
  ph_status status = start(&c, path, opt);
  char *real = realpath(path, NULL);
  if (status == PH_OK && !real)
    status = ph_fail(PH_EIO, "%s: no such model file", path);
  if (status == PH_OK)
    status = ph_files_new(&c.files, path, opt, c.source);
  if (status == PH_OK)
    status = read_xml(&c, &c.doc, real, ph_path_base(path));
  if (status == PH_OK)
    status = rewrite(&c);
  free(real);
  return finish(&c, out, status);
}

/* Keeps the text as the original, and makes the model of it. */
static ph_status take_text(struct collect *c, const char *xml, size_t size) {
  ph_blob blob = {.name = strdup(c->where), .data = malloc(size + 1), .size = size};
  ph_status status = PH_OK;
  if (!blob.name || !blob.data) {
    free(blob.name);
    free(blob.data);
    return ph_fail(PH_ENOMEM, "%s: out of memory", c->where);
  }
  memcpy(blob.data, xml, size);
  ((char *)blob.data)[size] = 0;
  status = ph_blobs_add(&c->source->originals, &c->source->noriginals, blob);
  if (status == PH_OK)
    status = ph_xml_parse(&c->doc, xml, size, c->where);
  return status == PH_OK ? rewrite(c) : status;
}

/* missing is nullable: *missing lists what is, and is the caller's. */
static ph_status collect_text(ph_source **out, char **missing, const char *xml, size_t size,
                              const char *path, const ph_model_options *opt) {
  struct collect c;
  ph_status status = start(&c, path, opt);
  c.lists = missing != NULL;
  while (size > 0 && !xml[size - 1]) /* a text of fixed length is filled up with zeros */
    size--;
  if (status == PH_OK)
    status = ph_files_new(&c.files, path, opt, c.source);
  if (status == PH_OK)
    status = take_text(&c, xml, size);
  if (missing)
    *missing = c.list;
  return finish(&c, out, status);
}

ph_status ph_mjcf_collect_text(ph_source **out, const char *xml, size_t size, const char *path,
                               const ph_model_options *opt) {
  return collect_text(out, NULL, xml, size, path, opt);
}

ph_status ph_mjcf_missing(char **out, const char *xml, size_t size, const char *path,
                          const ph_model_options *opt) {
  ph_source *source = NULL;
  ph_status status = collect_text(&source, out, xml, size, path, opt);
  if (status == PH_OK)
    ph_source_free(source);
  if (status != PH_ENOMEM && !*out)
    *out = strdup("");
  return *out ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", path);
}

ph_status ph_mjcf_parse(ph_source **out, const char *xml, size_t size, const char *name) {
  struct collect c;
  ph_status status = start(&c, name, NULL);
  if (status == PH_OK)
    status = take_text(&c, xml, size);
  return finish(&c, out, status);
}
