#include "state_cache.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fail.h"

enum { SLAB = 1 << 18, HUGE_SLAB = 1 << 21, PAGE = 4096 }; /* bytes */

/* One kept state; the blob lies behind it. A free place has the next one in `extra`. */
typedef struct kept {
  void *extra;
  double blob[];
} kept;

/* Places side by side. They come many at once: page by page they would cost a pass more than the
 * bytes that it writes. */
typedef struct slab {
  struct slab *next;
  size_t size;
  max_align_t place[];
} slab;

struct ph_state_cache {
  pthread_mutex_t lock;
  int64_t first, n;
  size_t blob, each; /* bytes: of a blob, and of all that one state takes */
  ph_state_extra extra;
  int64_t room; /* states that fit */
  /* under the lock */
  int64_t every, cached;
  kept **at;    /* (room) of step first + i * every; NULL: not kept */
  slab *slabs;  /* all places: no more than room */
  kept *vacant; /* those of them that hold nothing any more */
  char *fresh;  /* those that never did: side by side */
  size_t nfresh;
  int64_t taken; /* places in slabs */
};

ph_status ph_state_cache_new(ph_state_cache **out, int64_t first, int64_t n, size_t blob,
                             size_t budget, const ph_state_extra *extra) {
  *out = NULL;
  ph_state_cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    return ph_fail(PH_ENOMEM, "cache of states: out of memory");
  pthread_mutex_init(&cache->lock, NULL);
  cache->first = first;
  cache->n = n > 1 ? n : 1;
  cache->blob = blob;
  cache->extra = extra ? *extra : (ph_state_extra){0, NULL};
  cache->each = sizeof(kept) + sizeof(kept *) + 16 + blob + cache->extra.size;
  size_t fit = budget / cache->each;
  cache->room = fit < 1 ? 1 : fit > (size_t)cache->n ? cache->n : (int64_t)fit;
  cache->every = 1;
  cache->at = calloc((size_t)cache->room, sizeof(kept *));
  if (!cache->at) {
    ph_state_cache_free(cache);
    return ph_fail(PH_ENOMEM, "cache of states: out of memory");
  }
  *out = cache;
  return PH_OK;
}

/* --- places --- */

static size_t place_size(const ph_state_cache *cache) {
  size_t grain = sizeof(max_align_t);
  return (sizeof(kept) + cache->blob + grain - 1) / grain * grain;
}

static void give_back(ph_state_cache *cache, kept *one) {
  one->extra = cache->vacant;
  cache->vacant = one;
}

static void *map(size_t size) {
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

/* One that the kernel may back with one large page. */
static void *map_huge(void) {
  char *at = map(2 * HUGE_SLAB);
  if (!at)
    return NULL;
  size_t before = (HUGE_SLAB - (uintptr_t)at % HUGE_SLAB) % HUGE_SLAB;
  if (before > 0)
    munmap(at, before);
  munmap(at + before + HUGE_SLAB, HUGE_SLAB - before);
  (void)madvise(at + before, HUGE_SLAB, MADV_HUGEPAGE);
  return at + before;
}

/* Its pages are fetched together where the kernel can. */
static void *map_small(size_t size) {
  void *at = map(size);
#ifdef MADV_POPULATE_WRITE
  if (at)
    (void)madvise(at, size, MADV_POPULATE_WRITE);
#endif
  return at;
}

static void add_slab(ph_state_cache *cache) {
  size_t place = place_size(cache), left = (size_t)(cache->room - cache->taken);
  size_t size = left < HUGE_SLAB / place ? sizeof(slab) + left * place : HUGE_SLAB;
  if (left == 0)
    return;
  if (size < HUGE_SLAB && size > SLAB)
    size = SLAB;
  if (size < sizeof(slab) + place)
    size = sizeof(slab) + place;
  size = (size + PAGE - 1) / PAGE * PAGE;
  slab *more = size == HUGE_SLAB ? map_huge() : map_small(size);
  if (!more)
    return;
  size_t n = (size - sizeof(slab)) / place;
  cache->nfresh = n < left ? n : left;
  cache->fresh = (char *)more->place;
  cache->taken += (int64_t)cache->nfresh;
  more->next = cache->slabs;
  more->size = size;
  cache->slabs = more;
}

/* NULL: out of memory. */
static kept *find_place(ph_state_cache *cache) {
  kept *one = cache->vacant;
  if (one) {
    cache->vacant = one->extra;
    return one;
  }
  if (cache->nfresh == 0)
    add_slab(cache);
  if (cache->nfresh == 0)
    return NULL;
  one = (kept *)cache->fresh;
  cache->fresh += place_size(cache);
  cache->nfresh--;
  return one;
}

static void free_slabs(ph_state_cache *cache) {
  while (cache->slabs) {
    slab *one = cache->slabs;
    cache->slabs = one->next;
    munmap(one, one->size);
  }
}

static void drop(ph_state_cache *cache, int64_t i) {
  kept *one = cache->at[i];
  cache->at[i] = NULL;
  if (!one)
    return;
  if (one->extra)
    cache->extra.free(one->extra);
  give_back(cache, one);
  cache->cached--;
}

void ph_state_cache_free(ph_state_cache *cache) {
  if (!cache)
    return;
  for (int64_t i = 0; cache->at && i < cache->room; i++)
    drop(cache, i);
  free_slabs(cache);
  free(cache->at);
  pthread_mutex_destroy(&cache->lock);
  free(cache);
}

/* Index of a step; -1: it is none of those that are kept. */
static int64_t index_of(const ph_state_cache *cache, int64_t step) {
  int64_t past = step - cache->first;
  return past >= 0 && past < cache->n && past % cache->every == 0 ? past / cache->every : -1;
}

static void thin(ph_state_cache *cache) {
  cache->every *= 2;
  for (int64_t i = 1; i < cache->room; i++) {
    if (i % 2) {
      drop(cache, i);
    } else {
      cache->at[i / 2] = cache->at[i];
      cache->at[i] = NULL;
    }
  }
}

/* Index of a step that is to be kept and is not yet; -1. The lock is held. */
static int64_t wanted(ph_state_cache *cache, int64_t step) {
  int64_t i = index_of(cache, step);
  while (i >= cache->room) {
    thin(cache);
    i = index_of(cache, step);
  }
  return i >= 0 && !cache->at[i] ? i : -1;
}

bool ph_state_cache_wants(ph_state_cache *cache, int64_t step) {
  pthread_mutex_lock(&cache->lock);
  bool wants = wanted(cache, step) >= 0;
  pthread_mutex_unlock(&cache->lock);
  return wants;
}

void ph_state_cache_put(ph_state_cache *cache, int64_t step, const void *blob, void *extra) {
  pthread_mutex_lock(&cache->lock);
  int64_t i = wanted(cache, step);
  kept *one = i >= 0 ? find_place(cache) : NULL;
  if (one) {
    one->extra = extra;
    memcpy(one->blob, blob, cache->blob);
    cache->at[i] = one;
    cache->cached++;
  }
  pthread_mutex_unlock(&cache->lock);
  if (!one && extra)
    cache->extra.free(extra);
}

/* The last kept one at or before the step; -1: none. */
static int64_t find(const ph_state_cache *cache, int64_t step) {
  int64_t i = step < cache->first ? -1 : (step - cache->first) / cache->every;
  i = i < cache->room ? i : cache->room - 1;
  while (i >= 0 && !cache->at[i])
    i--;
  return i;
}

int64_t ph_state_cache_nearest(ph_state_cache *cache, int64_t step) {
  return ph_state_cache_get(cache, step, NULL, NULL, NULL);
}

int64_t ph_state_cache_get(ph_state_cache *cache, int64_t step, void *blob,
                           void (*use)(void *arg, const void *extra), void *arg) {
  pthread_mutex_lock(&cache->lock);
  int64_t i = find(cache, step);
  int64_t found = i < 0 ? -1 : cache->first + i * cache->every;
  if (i >= 0 && blob)
    memcpy(blob, cache->at[i]->blob, cache->blob);
  if (i >= 0 && use && cache->at[i]->extra)
    use(arg, cache->at[i]->extra);
  pthread_mutex_unlock(&cache->lock);
  return found;
}

void ph_state_cache_look(ph_state_cache *cache, ph_state_cache_facts *out) {
  pthread_mutex_lock(&cache->lock);
  int64_t every = cache->every;
  while ((cache->n - 1) / every + 1 > cache->room)
    every *= 2;
  *out = (ph_state_cache_facts){.every = cache->every,
                                .cached = cache->cached,
                                .wanted = (cache->n - 1) / every + 1,
                                .bytes = (size_t)cache->cached * cache->each};
  pthread_mutex_unlock(&cache->lock);
}
