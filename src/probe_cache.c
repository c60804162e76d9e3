#include "probe_cache.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { ROOM_FIRST = 1024, ROOM_MAX = 1 << 18, BAD_MAX = 64 };

typedef struct bad {
  ph_print print;
  ph_status verdict;
  char *where, *text; /* owned; NULL: the place is free */
} bad;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static ph_print *good;    /* a hash table without removal; all zero: free */
static size_t room, used; /* room is a power of two, at most half of it used */
static bad bads[BAD_MAX]; /* the oldest goes first */
static size_t next_bad;
static bool loaded;

static bool same(const ph_print *a, const ph_print *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static bool is_free(const ph_print *print) {
  static const ph_print zero;
  return same(print, &zero);
}

/* Its place, or the free one where it would go. */
static ph_print *place_of(ph_print *table, size_t size, const ph_print *print) {
  uint64_t at;
  memcpy(&at, print, sizeof at);
  while (!is_free(&table[at & (size - 1)]) && !same(&table[at & (size - 1)], print))
    at++;
  return &table[at & (size - 1)];
}

static bool grow(void) {
  size_t size = room ? 2 * room : ROOM_FIRST;
  if (size > ROOM_MAX) { /* forgets rather than grows */
    memset(good, 0, room * sizeof *good);
    used = 0;
    return true;
  }
  ph_print *table = calloc(size, sizeof *table);
  if (!table)
    return false;
  for (size_t i = 0; i < room; i++)
    if (!is_free(&good[i]))
      *place_of(table, size, &good[i]) = good[i];
  free(good);
  good = table;
  room = size;
  return true;
}

static bool add_good(const ph_print *print) {
  if (is_free(print) || (2 * (used + 1) > room && !grow()))
    return false;
  ph_print *at = place_of(good, room, print);
  if (!is_free(at))
    return false;
  *at = *print;
  used++;
  return true;
}

static void add_loaded(const ph_print *print, int late) {
  if (late)
    ph_late_load(print, late);
  else
    add_good(print);
}

static void load_once(void) {
  if (!loaded)
    ph_disk_load(add_loaded);
  loaded = true;
}

bool ph_cache_find(const ph_print *print, const char *where, ph_status *verdict) {
  pthread_mutex_lock(&lock);
  load_once();
  bool found = room > 0 && !is_free(print) && !is_free(place_of(good, room, print));
  *verdict = PH_OK;
  for (size_t i = 0; !found && i < BAD_MAX; i++) {
    const bad *b = &bads[i];
    if (b->text && same(&b->print, print) && strcmp(b->where, where) == 0) {
      *verdict = ph_fail(b->verdict, "%s", b->text);
      found = true;
    }
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void clear_bad(bad *b) {
  free(b->where);
  free(b->text);
  memset(b, 0, sizeof *b);
}

static void add_bad(const ph_print *print, const char *where, ph_status verdict) {
  bad *b = &bads[next_bad++ % BAD_MAX];
  clear_bad(b);
  *b = (bad){*print, verdict, strdup(where), strdup(ph_error())};
  if (!b->where || !b->text)
    clear_bad(b);
}

void ph_cache_keep(const ph_print *print, const char *where, ph_status verdict) {
  pthread_mutex_lock(&lock);
  load_once();
  bool news = false;
  if (verdict == PH_OK)
    news = add_good(print);
  else
    add_bad(print, where, verdict);
  pthread_mutex_unlock(&lock);
  if (news)
    ph_disk_append(print, 0);
}

void ph_cache_forget(void) {
  pthread_mutex_lock(&lock);
  free(good);
  good = NULL;
  room = used = 0;
  for (size_t i = 0; i < BAD_MAX; i++)
    clear_bad(&bads[i]);
  loaded = false;
  ph_late_forget();
  pthread_mutex_unlock(&lock);
}
