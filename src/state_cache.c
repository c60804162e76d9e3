#include "state_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* One kept state; the blob lies behind it. */
typedef struct kept {
  void *extra;
  double blob[];
} kept;

struct ph_state_cache {
  pthread_mutex_t lock;
  int64_t first, n;
  size_t blob, each; /* bytes: of a blob, and of all that one state takes */
  ph_state_extra extra;
  int64_t room; /* states that fit */
  /* under the lock */
  int64_t every, cached;
  kept **at; /* (room) of step first + i * every; NULL: not kept */
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

static void drop(ph_state_cache *cache, int64_t i) {
  kept *one = cache->at[i];
  cache->at[i] = NULL;
  if (!one)
    return;
  if (one->extra)
    cache->extra.free(one->extra);
  free(one);
  cache->cached--;
}

void ph_state_cache_free(ph_state_cache *cache) {
  if (!cache)
    return;
  for (int64_t i = 0; cache->at && i < cache->room; i++)
    drop(cache, i);
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

bool ph_state_cache_wants(ph_state_cache *cache, int64_t step) {
  pthread_mutex_lock(&cache->lock);
  int64_t i = index_of(cache, step);
  while (i >= cache->room) {
    thin(cache);
    i = index_of(cache, step);
  }
  bool wants = i >= 0 && !cache->at[i];
  pthread_mutex_unlock(&cache->lock);
  return wants;
}

void ph_state_cache_put(ph_state_cache *cache, int64_t step, const void *blob, void *extra) {
  kept *one = NULL;
  if (ph_state_cache_wants(cache, step))
    one = malloc(sizeof *one + cache->blob);
  if (one) {
    one->extra = extra;
    memcpy(one->blob, blob, cache->blob);
    pthread_mutex_lock(&cache->lock);
    int64_t i = index_of(cache, step);
    bool keep = i >= 0 && i < cache->room && !cache->at[i];
    if (keep) {
      cache->at[i] = one;
      cache->cached++;
    }
    pthread_mutex_unlock(&cache->lock);
    if (keep)
      return;
  }
  if (extra)
    cache->extra.free(extra);
  free(one);
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
