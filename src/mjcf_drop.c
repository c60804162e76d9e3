#include "mjcf_drop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "mjcf_files.h"
#include "mjcf_mend.h"

enum { LISTED = 10 };

/* A mesh or a height field that cannot be had. */
typedef struct absent {
  char *name; /* xmlFree */
  const char *attribute, *why;
  size_t geoms; /* that need it */
} absent;

struct drop {
  xmlNode *root;
  const char *where;
  ph_source *source;
  struct ph_classes *classes;
  absent *absent; /* by attribute and name */
  size_t nabsent;
  ph_word_set geoms; /* names of those that are gone */
  size_t textures;
};

/* --- what is missing --- */

static int by_path(const void *a, const void *b) {
  return strcmp(ph_path_base(*(char *const *)a), ph_path_base(*(char *const *)b));
}

/* Sorted paths, of each name one; NULL: out of memory. The caller's. */
static const char **sort_missing(size_t *kinds, const ph_missing *missing, size_t n) {
  const char **paths = calloc(n + 1, sizeof *paths);
  *kinds = 0;
  if (!paths)
    return NULL;
  for (size_t i = 0; i < n; i++)
    paths[i] = missing[i].path;
  qsort(paths, n, sizeof *paths, by_path);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || by_path(&paths[i - 1], &paths[i]) != 0)
      paths[(*kinds)++] = paths[i];
  return paths;
}

char *ph_mjcf_list_missing(const ph_missing *missing, size_t n) {
  size_t kinds, size = 1;
  const char **paths = sort_missing(&kinds, missing, n);
  for (size_t i = 0; paths && i < kinds; i++)
    size += strlen(ph_path_base(paths[i])) + 1;
  char *list = paths ? malloc(size) : NULL, *to = list;
  for (size_t i = 0; list && i < kinds; i++)
    to += sprintf(to, "%s%s", i ? "\n" : "", ph_path_base(paths[i]));
  if (list)
    *to = 0;
  free(paths);
  return list;
}

ph_status ph_mjcf_fail_missing(const ph_missing *missing, size_t n, const char *where) {
  static const char advice[] = "--assets DIR finds them, --missing-assets drop leaves them out";
  char list[600];
  size_t used = 0, kinds;
  const char **paths = sort_missing(&kinds, missing, n);
  if (!paths)
    return ph_fail(PH_ENOMEM, "%s: out of memory", where);
  for (size_t i = 0; i < kinds && i < LISTED && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s", i ? ", " : "",
                             ph_path_base(paths[i]));
  if (kinds > LISTED && used < sizeof list)
    snprintf(list + used, sizeof list - used, " and %zu more", kinds - LISTED);
  /* the advice first: lists are what is cut where there is no room */
  ph_status status =
      kinds == 1 ? ph_fail(PH_EIO,
                           "%.200s: a file of the model cannot be had: --assets DIR finds it, "
                           "--missing-assets drop leaves it out: %.400s: %s",
                           where, paths[0], missing[0].why)
                 : ph_fail(PH_EIO, "%.200s: %zu files of the model cannot be had: %s: %s", where,
                           kinds, advice, list);
  free(paths);
  return status;
}

static int by_name(const void *a, const void *b) {
  const absent *x = a, *y = b;
  int order = strcmp(x->attribute, y->attribute);
  return order != 0 ? order : strcmp(x->name, y->name);
}

/* The one that a geom's attribute names; NULL: it can be had. */
static absent *find(const struct drop *d, const char *attribute, const char *name) {
  absent key = {(char *)name, attribute, NULL, 0};
  return d->nabsent > 0 ? bsearch(&key, d->absent, d->nabsent, sizeof key, by_name) : NULL;
}

static ph_status take_absent(struct drop *d, const ph_missing *missing, const char *attribute) {
  ph_status status = ph_mjcf_give_name(missing->node, missing->path);
  char *name = status == PH_OK ? ph_xml_get(missing->node, "name") : NULL;
  if (name)
    d->absent[d->nabsent++] = (absent){name, attribute, missing->why, 0};
  return status;
}

/* Assets go; what a mesh or a height field was called stays known. */
static ph_status drop_asset(struct drop *d, const ph_missing *missing) {
  xmlNode *node = missing->node;
  const char *kind = ph_xml_name(node);
  ph_status status = PH_OK;
  if (strcmp(kind, "texture") == 0) {
    d->textures++;
    return ph_mjcf_flat_texture(node);
  }
  if (strcmp(kind, "flexcomp") == 0)
    return ph_fail(PH_EIO, "%s: line %ld: %s: %s: bodies are made of it: it cannot be left out",
                   d->where, xmlGetLineNo(node), missing->path, missing->why);
  d->source->reduced = d->source->reduced || strcmp(kind, "skin") == 0;
  if (strcmp(kind, "skin") == 0)
    ph_source_note(d->source, "skin %.120s: %s: left out", ph_path_base(missing->path),
                   missing->why);
  else
    status = take_absent(d, missing, strcmp(kind, "mesh") == 0 ? "mesh" : "hfield");
  if (status == PH_OK)
    ph_xml_remove(node);
  return status;
}

/* --- geoms --- */

static absent *needed_by(const struct drop *d, const xmlNode *geom, const char *attribute,
                         const char *inherited) {
  char *name = ph_classes_get(d->classes, geom, attribute, inherited);
  absent *found = name ? find(d, attribute, name) : NULL;
  xmlFree(name);
  return found;
}

static ph_status drop_geom(struct drop *d, xmlNode *geom, xmlNode *body, const char *inherited) {
  absent *needed = needed_by(d, geom, "mesh", inherited);
  if (!needed)
    needed = needed_by(d, geom, "hfield", inherited);
  if (!needed)
    return PH_OK;
  needed->geoms++;
  if (ph_mjcf_has_mass(d->classes, d->root, geom, inherited))
    body->_private = d;
  char *name = ph_xml_get(geom, "name");
  ph_status status = name && *name ? ph_words_add(&d->geoms, name) : PH_OK;
  xmlFree(name);
  ph_xml_remove(geom);
  return status;
}

/* From 3.13 on a site may have the shape of a mesh; others hold on to it, so it becomes a ball. */
static ph_status plain_site(const struct drop *d, xmlNode *site, const char *inherited) {
  if (!needed_by(d, site, "mesh", inherited))
    return PH_OK;
  ph_xml_unset(site, "mesh");
  return ph_xml_set(site, "type", "sphere");
}

static ph_status drop_geoms(struct drop *d, xmlNode *node, xmlNode *body, const char *inherited,
                            int depth) {
  if (depth > PH_XML_DEPTH)
    return ph_fail(PH_EFORMAT, "%s: elements nested deeper than %d", d->where, PH_XML_DEPTH);
  char *own = ph_xml_get(node, "childclass");
  const char *class = own ? own : inherited;
  ph_status status = PH_OK;
  for (xmlNode *child = ph_xml_first(node), *next; status == PH_OK && child; child = next) {
    const char *name = ph_xml_name(child);
    next = xmlNextElementSibling(child);
    if (strcmp(name, "geom") == 0)
      status = drop_geom(d, child, body, class);
    else if (strcmp(name, "site") == 0)
      status = plain_site(d, child, class);
    else if (strcmp(name, "body") == 0)
      status = drop_geoms(d, child, child, class, depth + 1);
    else if (strcmp(name, "frame") == 0 || strcmp(name, "replicate") == 0)
      status = drop_geoms(d, child, body, class, depth + 1);
  }
  xmlFree(own);
  return status;
}

/* A class must not hand on what is not there. */
static ph_status drop_inherited(void *arg, xmlNode *node) {
  struct drop *d = arg;
  static const char *const attributes[] = {"mesh", "hfield"};
  bool is_default = node->parent && node->parent->type == XML_ELEMENT_NODE &&
                    strcmp(ph_xml_name(node->parent), "default") == 0;
  for (size_t i = 0; is_default && i < 2; i++) {
    char *name = ph_xml_get(node, attributes[i]);
    if (name && find(d, attributes[i], name))
      ph_xml_unset(node, attributes[i]);
    xmlFree(name);
  }
  return PH_OK;
}

static void note_absent(const struct drop *d) {
  for (size_t i = 0; i < d->nabsent; i++) {
    const absent *a = &d->absent[i];
    const char *what = strcmp(a->attribute, "mesh") == 0 ? "mesh" : "height field";
    char count[40];
    d->source->reduced = d->source->reduced || a->geoms > 0;
    snprintf(count, sizeof count, a->geoms == 1 ? "%zu geom left out" : "%zu geoms left out",
             a->geoms);
    ph_source_note(d->source, "%s %.120s: %s: %s", what, a->name, a->why,
                   a->geoms > 0 ? count : "no geom needs it");
  }
  if (d->textures > 0)
    ph_source_note(d->source, "textures: %zu missing: replaced by a flat one", d->textures);
}

/* --- the whole --- */

static ph_status drop_assets(struct drop *d, const ph_missing *missing, size_t n) {
  ph_status status = PH_OK;
  for (size_t i = 0; status == PH_OK && i < n; i++)
    if (i == 0 || missing[i].node != missing[i - 1].node) /* six files of one texture */
      status = drop_asset(d, &missing[i]);
  if (d->nabsent > 0)
    qsort(d->absent, d->nabsent, sizeof *d->absent, by_name);
  return status;
}

static ph_status drop_all(struct drop *d) {
  ph_status status = PH_OK;
  for (xmlNode *child = ph_xml_first(d->root); status == PH_OK && child;
       child = xmlNextElementSibling(child))
    if (strcmp(ph_xml_name(child), "worldbody") == 0)
      status = drop_geoms(d, child, child, NULL, 1);
  note_absent(d);
  ph_words_sort(&d->geoms);
  if (status == PH_OK)
    status = ph_mjcf_drop_references(d->root, &d->geoms, d->where, d->source);
  if (status == PH_OK)
    status = ph_mjcf_give_mass(d->root, d->classes, d->source);
  return status == PH_OK ? ph_xml_walk(d->root, d->where, drop_inherited, d) : status;
}

ph_status ph_mjcf_drop(xmlNode *root, const ph_missing *missing, size_t n, const char *where,
                       ph_source *source) {
  struct drop d = {.root = root, .where = where, .source = source};
  d.absent = calloc(n, sizeof *d.absent);
  ph_status status = d.absent ? PH_OK : ph_fail(PH_ENOMEM, "%s: out of memory", where);
  if (status == PH_OK)
    status = ph_classes_new(&d.classes, root);
  if (status == PH_OK)
    status = drop_assets(&d, missing, n);
  if (status == PH_OK)
    status = drop_all(&d);
  for (size_t i = 0; i < d.nabsent; i++)
    xmlFree(d.absent[i].name);
  free(d.absent);
  ph_words_free(&d.geoms);
  ph_classes_free(d.classes);
  return status;
}
