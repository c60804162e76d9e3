/* States of a run that are kept: flat blobs of one size, every step while the budget lasts, then
 * every K-th. When there is no room K doubles, and every second of those that are kept goes. A run
 * is taken step by step from its first one on, so whatever thread did it, from then on no step is
 * further than K-1 from a kept one at or before it. Thread safe. */
#ifndef PLAYHEAD_STATE_CACHE_H
#define PLAYHEAD_STATE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <playhead/status.h>

typedef struct ph_state_cache ph_state_cache;

/* Beside a blob something may be kept that has no flat form. */
typedef struct ph_state_extra {
  size_t size;             /* bytes that one takes */
  void (*free)(void *one); /* NULL: there are none */
} ph_state_extra;

/* Steps first .. first+n-1. blob: bytes of one. The first step is always kept, whatever the
 * budget. *out is the caller's. PH_ENOMEM. */
ph_status ph_state_cache_new(ph_state_cache **out, int64_t first, int64_t n, size_t blob,
                             size_t budget, const ph_state_extra *extra);
void ph_state_cache_free(ph_state_cache *cache); /* Nullable */

/* Whether this step would be kept and is not yet. */
bool ph_state_cache_wants(ph_state_cache *cache, int64_t step);
/* Keeps a copy of the blob, and takes extra (nullable). Does nothing where it is kept already, not
 * wanted, or memory is out: then a seek only costs more. */
void ph_state_cache_put(ph_state_cache *cache, int64_t step, const void *blob, void *extra);
/* The nearest kept step at or before this one; -1: none. */
int64_t ph_state_cache_nearest(ph_state_cache *cache, int64_t step);
/* Copies that one's blob out, and gives its extra to use (nullable), which may not call the cache.
 * Returns the step; -1: none. */
int64_t ph_state_cache_get(ph_state_cache *cache, int64_t step, void *blob,
                           void (*use)(void *arg, const void *extra), void *arg);

typedef struct ph_state_cache_facts {
  int64_t every; /* K */
  int64_t cached;
  int64_t wanted; /* that would be kept once all steps were taken */
  size_t bytes;
} ph_state_cache_facts;
void ph_state_cache_look(ph_state_cache *cache, ph_state_cache_facts *out);

#endif
