#include "mjcf_drop.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fail.h"

/* --- words --- */

ph_status ph_words_add(ph_word_set *set, const char *word) {
  if (set->n == set->room) {
    size_t room = set->room ? 2 * set->room : 16;
    char **grown = realloc(set->words, room * sizeof *grown);
    if (!grown)
      return ph_fail(PH_ENOMEM, "model: out of memory");
    set->words = grown;
    set->room = room;
  }
  char *copy = strdup(word);
  if (!copy)
    return ph_fail(PH_ENOMEM, "model: out of memory");
  set->words[set->n++] = copy;
  return PH_OK;
}

static int by_word(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void ph_words_sort(ph_word_set *set) {
  if (set->n > 0)
    qsort(set->words, set->n, sizeof *set->words, by_word);
}

bool ph_words_has(const ph_word_set *set, const char *word) {
  return set->n > 0 && bsearch(&word, set->words, set->n, sizeof *set->words, by_word);
}

void ph_words_free(ph_word_set *set) {
  for (size_t i = 0; i < set->n; i++)
    free(set->words[i]);
  free(set->words);
  *set = (ph_word_set){0};
}

/* --- references --- */

struct references {
  const ph_word_set *geoms;
  const char *where;
  ph_source *source;
};

/* Whether the attribute names a geom that is gone; `type` says of what it is a name, NULL: of a
 * geom. */
static bool names_gone(const struct references *r, const xmlNode *node, const char *attribute,
                       const char *type, char *name, size_t size) {
  char *value = ph_xml_get(node, attribute), *kind = type ? ph_xml_get(node, type) : NULL;
  bool gone =
      value && (!type || (kind && strcmp(kind, "geom") == 0)) && ph_words_has(r->geoms, value);
  if (gone)
    snprintf(name, size, "%s", value);
  xmlFree(value);
  xmlFree(kind);
  return gone;
}

static bool needs_gone(const struct references *r, const xmlNode *node, char *name, size_t size) {
  return names_gone(r, node, "geom", NULL, name, size) ||
         names_gone(r, node, "geom1", NULL, name, size) ||
         names_gone(r, node, "geom2", NULL, name, size) ||
         names_gone(r, node, "objname", "objtype", name, size) ||
         names_gone(r, node, "refname", "reftype", name, size);
}

static bool outside_of(const xmlNode *node) {
  const char *name = ph_xml_name(node);
  return strcmp(name, "worldbody") == 0 || strcmp(name, "default") == 0 ||
         strcmp(name, "asset") == 0;
}

static ph_status drop_in(const struct references *r, xmlNode *node, int depth) {
  if (depth > PH_XML_DEPTH)
    return ph_fail(PH_EFORMAT, "%s: elements nested deeper than %d", r->where, PH_XML_DEPTH);
  ph_status status = PH_OK;
  char name[80];
  for (xmlNode *child = ph_xml_first(node), *next; status == PH_OK && child; child = next) {
    next = xmlNextElementSibling(child);
    if (outside_of(child))
      continue;
    bool gone = needs_gone(r, child, name, sizeof name);
    r->source->reduced = r->source->reduced || gone;
    if (gone)
      ph_source_note(r->source, "line %ld: <%.40s> needs geom %s: left out", xmlGetLineNo(child),
                     ph_xml_name(child), name);
    else
      status = drop_in(r, child, depth + 1);
    /* an empty tuple does not compile */
    bool empty = !gone && strcmp(ph_xml_name(child), "tuple") == 0 && !ph_xml_first(child);
    if (gone || empty)
      ph_xml_remove(child);
  }
  return status;
}

ph_status ph_mjcf_drop_references(xmlNode *root, const ph_word_set *geoms, const char *where,
                                  ph_source *source) {
  struct references r = {geoms, where, source};
  return geoms->n > 0 ? drop_in(&r, root, 1) : PH_OK;
}
