#include "catalog.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- leaves --- */

static size_t leaves_of(size_t n) {
  return (n + CATALOG_LEAF - 1) / CATALOG_LEAF;
}

static size_t lines_of(const struct catalog *c, size_t leaf) {
  size_t left = c->n - leaf * CATALOG_LEAF;
  return left < CATALOG_LEAF ? left : CATALOG_LEAF;
}

static size_t leaf_bytes(size_t lines) {
  return sizeof(struct catalog_leaf) + lines * sizeof(struct catalog_line);
}

/* Not zeroed. */
static struct catalog_leaf *leaf_new(size_t lines) {
  struct catalog_leaf *leaf;
  if (lines < CATALOG_LEAF) {
    leaf = malloc(leaf_bytes(lines));
  } else {
    leaf = aligned_alloc(CATALOG_LEAF_BYTES, CATALOG_LEAF_BYTES);
    if (leaf)
      madvise(leaf, CATALOG_LEAF_BYTES, MADV_HUGEPAGE); /* where there is such a thing */
  }
  return leaf;
}

static void leaf_unref(struct catalog_leaf *leaf) {
  if (leaf && atomic_fetch_sub(&leaf->refs, 1) == 1)
    free(leaf);
}

/* --- the list --- */

static struct catalog *make(size_t n) {
  struct catalog *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  atomic_init(&c->refs, 1);
  c->n = n;
  c->leaf = calloc(leaves_of(n) + 1, sizeof(struct catalog_leaf *));
  if (c->leaf)
    return c;
  free(c);
  return NULL;
}

struct catalog *catalog_new(size_t n) {
  struct catalog *c = make(n);
  for (size_t i = 0; c && i < leaves_of(n); i++) {
    size_t lines = lines_of(c, i);
    c->leaf[i] = leaf_new(lines);
    if (!c->leaf[i]) {
      catalog_unref(c);
      return NULL;
    }
    memset(c->leaf[i], 0, leaf_bytes(lines));
    atomic_init(&c->leaf[i]->refs, 1);
  }
  return c;
}

static bool copy_names(struct catalog *to, const struct catalog *from) {
  memcpy(to->path, from->path, sizeof to->path);
  memcpy(to->layout, from->layout, sizeof to->layout);
  to->live = from->live;
  to->source = calloc(from->nsources + 1, sizeof *to->source);
  to->group = calloc(from->ngroups + 1, sizeof *to->group);
  if (!to->source || !to->group)
    return false;
  for (; to->nsources < from->nsources; to->nsources++)
    if (!(to->source[to->nsources] = strdup(from->source[to->nsources])))
      return false;
  if (from->ngroups > 0)
    memcpy(to->group, from->group, from->ngroups * sizeof *to->group);
  to->ngroups = from->ngroups;
  return true;
}

struct catalog *catalog_copy(const struct catalog *c) {
  struct catalog *copy = make(c->n);
  for (size_t i = 0; copy && i < leaves_of(c->n); i++) {
    copy->leaf[i] = c->leaf[i];
    atomic_fetch_add(&copy->leaf[i]->refs, 1);
  }
  if (!copy || copy_names(copy, c))
    return copy;
  catalog_unref(copy);
  return NULL;
}

/* The leaf with room for more lines, or one of its own for them. */
static struct catalog_leaf *grow_leaf(struct catalog_leaf *from, size_t had, size_t lines) {
  if (from && had == lines) {
    atomic_fetch_add(&from->refs, 1);
    return from;
  }
  struct catalog_leaf *leaf = leaf_new(lines);
  if (!leaf)
    return NULL;
  memset(leaf, 0, leaf_bytes(lines));
  if (from)
    memcpy(leaf->line, from->line, had * sizeof *leaf->line);
  atomic_init(&leaf->refs, 1);
  return leaf;
}

struct catalog *catalog_grown(const struct catalog *c, size_t n) {
  struct catalog *grown = make(n);
  bool ok = grown != NULL;
  for (size_t i = 0; ok && i < leaves_of(n); i++) {
    bool there = i < leaves_of(c->n);
    grown->leaf[i] =
        grow_leaf(there ? c->leaf[i] : NULL, there ? lines_of(c, i) : 0, lines_of(grown, i));
    ok = grown->leaf[i] != NULL;
  }
  if (ok && copy_names(grown, c))
    return grown;
  catalog_unref(grown);
  return NULL;
}

struct catalog *catalog_ref(struct catalog *c) {
  atomic_fetch_add(&c->refs, 1);
  return c;
}

void catalog_unref(struct catalog *c) {
  if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
    return;
  for (size_t i = 0; i < leaves_of(c->n); i++)
    leaf_unref(c->leaf[i]);
  for (size_t i = 0; i < c->nsources; i++)
    free(c->source[i]);
  free(c->source);
  free(c->group);
  free(c->leaf);
  free(c);
}

/* --- lines --- */

struct catalog_line *catalog_write(struct catalog *c, size_t i) {
  struct catalog_leaf **leaf = &c->leaf[i / CATALOG_LEAF];
  if (atomic_load(&(*leaf)->refs) > 1) {
    size_t lines = lines_of(c, i / CATALOG_LEAF);
    struct catalog_leaf *own = leaf_new(lines);
    if (!own)
      return NULL;
    memcpy(own->line, (*leaf)->line, lines * sizeof *own->line);
    atomic_init(&own->refs, 1);
    leaf_unref(*leaf);
    *leaf = own;
  }
  return &(*leaf)->line[i % CATALOG_LEAF];
}

const ph_entry *catalog_entry(const struct catalog *c, size_t i) {
  return &c->leaf[i / CATALOG_LEAF]->line[i % CATALOG_LEAF].entry;
}

size_t catalog_source(const struct catalog *c, size_t episode) {
  return episode < c->n ? c->leaf[episode / CATALOG_LEAF]->line[episode % CATALOG_LEAF].source : 0;
}

/* --- by name --- */

/* Whether the first n bytes of name are a path, or its last part; a slash at the end of the path
 * does not count. */
static bool names_path(const char *name, size_t n, const char *path) {
  size_t length = strlen(path);
  if (length == n && memcmp(name, path, n) == 0)
    return true;
  while (length > 1 && path[length - 1] == '/')
    length--;
  if (n == 0 || n > length || memcmp(name, path + length - n, n) != 0)
    return false;
  return n == length || path[length - n - 1] == '/';
}

static bool names_entry(const struct catalog *c, size_t i, const char *name) {
  size_t n = strlen(name), id = strlen(catalog_entry(c, i)->id), source = catalog_source(c, i);
  if (n < id + 2 || name[n - id - 1] != ':' || strcmp(name + n - id, catalog_entry(c, i)->id) != 0)
    return false;
  return source < c->nsources && names_path(name, n - id - 1, c->source[source]);
}

size_t catalog_find(const struct catalog *c, const char *name) {
  char *end;
  for (size_t i = 0; i < c->n; i++)
    if (strcmp(catalog_entry(c, i)->id, name) == 0)
      return i;
  for (size_t i = 0; i < c->n; i++)
    if (names_entry(c, i, name))
      return i;
  if (*name < '0' || *name > '9')
    return SIZE_MAX;
  unsigned long long place = strtoull(name, &end, 10);
  return !*end && place < c->n ? (size_t)place : SIZE_MAX;
}
