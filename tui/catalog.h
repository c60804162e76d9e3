/* The list of episodes; immutable once published, shared by reference count. Its lines are in
 * leaves that two lists share where nothing changed: a new list costs its changes only. */
#ifndef TUI_CATALOG_H
#define TUI_CATALOG_H

#include <playhead/playhead.h>

#ifdef __cplusplus
typedef int tui_refs; /* tests only build and read values; counting is done in C */
#else
#include <stdatomic.h>
typedef atomic_int tui_refs;
#endif

#define GROUP_NAME 64

struct catalog_line {
  ph_entry entry;
  size_t source; /* which path it came from */
};

/* A leaf is as large as a large page of memory: filling one in is one fault, not 512. */
#define CATALOG_LEAF_BYTES ((size_t)2 << 20)
#define CATALOG_LEAF ((CATALOG_LEAF_BYTES - 64) / sizeof(struct catalog_line)) /* lines */

struct catalog_leaf {
  tui_refs refs;
  struct catalog_line line[]; /* CATALOG_LEAF; fewer in the last one */
};

struct catalog {
  tui_refs refs;
  char path[512], layout[24];
  bool live; /* a run is among the paths: a recorder may add to it */
  size_t n;
  struct catalog_leaf **leaf; /* owned, each of them referenced */
  size_t nsources;
  char **source; /* the paths as given */
  size_t ngroups;
  char (*group)[GROUP_NAME]; /* names of the groups that the files hold */
};

/* A catalog of n zeroed lines; NULL: out of memory. */
struct catalog *catalog_new(size_t n);
/* Another one with the same lines. */
struct catalog *catalog_copy(const struct catalog *c);
/* Another one with n >= c->n lines; those that c has not are zeroed. */
struct catalog *catalog_grown(const struct catalog *c, size_t n);
struct catalog *catalog_ref(struct catalog *c);
void catalog_unref(struct catalog *c); /* Nullable */

/* The i-th line, to be written before the catalog is published; others that share its leaf keep
 * theirs. NULL: out of memory. */
struct catalog_line *catalog_write(struct catalog *c, size_t i);
const ph_entry *catalog_entry(const struct catalog *c, size_t i); /* i < n */
size_t catalog_source(const struct catalog *c, size_t episode);   /* place of its path */

/* Place of the episode that a person names: its id (the first of that name), PATH:ID where PATH is
 * a source or the last part of one, or a place from 0. SIZE_MAX: none. */
size_t catalog_find(const struct catalog *c, const char *name);

#endif
