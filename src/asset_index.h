/* Files below the folders of assets by their base names, for paths of somebody else's computer.
 * Read-only once made. */
#ifndef PLAYHEAD_ASSET_INDEX_H
#define PLAYHEAD_ASSET_INDEX_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <playhead/status.h>

struct ph_asset_index;

typedef struct ph_asset_match {
  char real[PATH_MAX];
  char other[PATH_MAX]; /* as good a match with other bytes; "": none */
  size_t shared;        /* components that its path ends with as the wanted one does */
  bool folded;          /* only without regard to case */
} ph_asset_match;

/* Walks the folders (real paths), the shallow ones first. No link is followed, nothing hidden is
 * looked at, and both depth and number are bounded. What cannot be read is passed over.
 * PH_ENOMEM. */
ph_status ph_asset_index_new(struct ph_asset_index **out, char *const *roots, size_t nroots);
void ph_asset_index_free(struct ph_asset_index *index); /* Nullable */

/* The index of the folders as they are now, kept for the next who asks: walked again where other
 * folders are asked for, or where one of those that were walked has changed since. One thread at a
 * time, until it has finished with *out, which it does not free. PH_ENOMEM. */
ph_status ph_asset_index_get(const struct ph_asset_index **out, char *const *roots, size_t nroots);

/* Files that the bound let in, and whether it kept others out. */
size_t ph_asset_index_size(const struct ph_asset_index *index, bool *cut);

/* Components that both paths end with; folded: without regard to case. */
size_t ph_asset_shared(const char *a, const char *b, bool folded);

/* The file of the same base name whose path shares the longest tail with `path` (slashes, no dots);
 * of equals the first folder's, then the first by name. Without regard to case only where there is
 * none. False: none. */
bool ph_asset_index_find(ph_asset_match *out, const struct ph_asset_index *index, const char *path);

#endif
