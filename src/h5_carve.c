/* Headers of objects that no list leads to any more, by what they begin with. New ones ("OHDR")
 * say of themselves what they are; old ones are named by the leaves of their groups' lists
 * ("SNOD"), each with where the lists of a group are. */
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "h5_carve.h"
#include "h5_damaged.h"
#include "h5_door.h"

enum {
  BLOCK = 1 << 20,
  LEAF = 8,
  ENTRY = 40,
  ENTRIES_MAX = 64,
  FOUND_MAX = 1 << 20,
  OLD_PREFIX = 16,
  OLD_MAX = 2048
};

struct scan {
  int fd;
  uint64_t base, end;
  ph_h5_tick *tick; /* Nullable */
  void *arg;
  /* false ends it. bytes: as many as a leaf may have, or all that there are. */
  bool (*hit)(void *to, uint64_t at, const unsigned char *bytes, size_t n);
  void *to;
};

static uint64_t little(const unsigned char *at, size_t n) {
  uint64_t value = 0;
  while (n-- > 0)
    value = value << 8 | at[n];
  return value;
}

/* What an object's header, or a leaf, may begin with: cheap, as it is asked of every byte. */
static bool begins(const unsigned char *at, size_t n) {
  switch (at[0]) {
  case 'S':
    return n >= 4 && memcmp(at, "SNOD", 4) == 0;
  case 'O':
    return n >= 4 && memcmp(at, "OHDR", 4) == 0;
  case 1: /* version, 0, messages, references, size, 0 */
    return n >= OLD_PREFIX && at[1] == 0 && little(at + 4, 4) == 1 && little(at + 12, 4) == 0 &&
           little(at + 8, 4) % 8 == 0 && little(at + 8, 4) >= 24 && little(at + 8, 4) <= OLD_MAX;
  default:
    return false;
  }
}

static bool scan_block(const struct scan *s, uint64_t first, const unsigned char *block, size_t n,
                       size_t got) {
  for (size_t i = 0; i < n; i++)
    if (begins(block + i, got - i) && !s->hit(s->to, first + i, block + i, got - i))
      return false;
  return true;
}

/* Goes through the file up to its end; blocks overlap by what a leaf may have. */
static bool scan(const struct scan *s) {
  enum { OVER = LEAF + ENTRIES_MAX * ENTRY };
  unsigned char *block = malloc(BLOCK + OVER);
  bool go_on = block != NULL;
  for (uint64_t at = s->base; go_on && at < s->end; at += BLOCK) {
    uint64_t left = s->end - at;
    size_t want = left < BLOCK + OVER ? (size_t)left : BLOCK + OVER;
    size_t got = ph_h5_read_at(s->fd, at, block, want);
    go_on = scan_block(s, at, block, got < BLOCK ? got : BLOCK, got) && got == want;
    if (s->tick)
      s->tick(s->arg, BLOCK);
  }
  free(block);
  return block != NULL;
}

static size_t entries_of(const unsigned char *leaf, size_t n) {
  size_t count = n >= LEAF && leaf[4] == 1 ? (size_t)little(leaf + 6, 2) : 0;
  return count <= ENTRIES_MAX && LEAF + count * ENTRY <= n ? count : 0;
}

/* --- where an old group's lists are --- */

struct lists {
  uint64_t header, tree, heap;
  bool found;
};

static bool look_for_lists(void *to, uint64_t at, const unsigned char *bytes, size_t n) {
  struct lists *lists = to;
  (void)at;
  size_t count = bytes[0] == 'S' ? entries_of(bytes, n) : 0;
  for (size_t i = 0; i < count; i++) {
    const unsigned char *entry = bytes + LEAF + i * ENTRY;
    if (little(entry + 8, 8) != lists->header || little(entry + 16, 4) != 1)
      continue;
    lists->tree = little(entry + 24, 8);
    lists->heap = little(entry + 32, 8);
    lists->found = true;
  }
  return !lists->found;
}

bool ph_h5_lists_of(uint64_t *tree, uint64_t *heap, int fd, uint64_t base, uint64_t end,
                    uint64_t header) {
  struct lists lists = {.header = header};
  struct scan s = {fd, base, end, NULL, NULL, look_for_lists, &lists};
  scan(&s);
  *tree = lists.tree;
  *heap = lists.heap;
  return lists.found;
}

/* --- all headers --- */

struct headers {
  int fd;
  uint64_t base;
  uint64_t *at;
  size_t n, room;
};

static bool add(struct headers *h, uint64_t address) {
  if (h->n == FOUND_MAX)
    return false;
  if (h->n == h->room) {
    size_t room = h->room ? h->room * 2 : 256;
    uint64_t *more = realloc(h->at, room * sizeof *more);
    if (!more)
      return false;
    h->at = more;
    h->room = room;
  }
  h->at[h->n++] = address;
  return true;
}

/* Whether the messages of an old header, or of the piece in which it goes on, say where the lists
 * of a group are, and they are there. */
static bool leads_to_lists(const struct headers *h, const unsigned char *at, size_t n, int depth) {
  enum { CONTINUES = 0x10, LISTS = 0x11, PREFIX = 8 };
  unsigned char piece[OLD_MAX], tree[4];
  while (n >= PREFIX) {
    size_t kind = (size_t)little(at, 2), length = (size_t)little(at + 2, 2);
    if (length > n - PREFIX || length % 8 != 0)
      return false;
    const unsigned char *body = at + PREFIX;
    uint64_t where = length >= 16 ? little(body, 8) : UINT64_MAX;
    size_t size = length >= 16 && little(body + 8, 8) <= OLD_MAX ? (size_t)little(body + 8, 8) : 0;
    if (kind == LISTS && where < INT64_MAX / 2)
      return ph_h5_read_at(h->fd, h->base + where, tree, 4) == 4 && memcmp(tree, "TREE", 4) == 0;
    if (kind == CONTINUES && depth < 4 && where < INT64_MAX / 2 && size > 0 &&
        ph_h5_read_at(h->fd, h->base + where, piece, size) == size &&
        leads_to_lists(h, piece, size, depth + 1))
      return true;
    at += PREFIX + length;
    n -= PREFIX + length;
  }
  return false;
}

static bool note_headers(void *to, uint64_t at, const unsigned char *bytes, size_t n) {
  struct headers *h = to;
  if (bytes[0] == 'O')
    return add(h, at - h->base);
  if (bytes[0] == 1) {
    size_t size = (size_t)little(bytes + 8, 4);
    return size > n - OLD_PREFIX || !leads_to_lists(h, bytes + OLD_PREFIX, size, 0) ||
           add(h, at - h->base);
  }
  size_t count = entries_of(bytes, n);
  for (size_t i = 0; i < count; i++)
    if (!add(h, little(bytes + LEAF + i * ENTRY + 8, 8)))
      return false;
  return true;
}

static int by_address(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

ph_status ph_h5_carve(uint64_t **out, size_t *n, hid_t file, ph_h5_tick *tick, void *arg) {
  struct headers h = {0};
  size_t kept = 0;
  ph_h5_enter();
  h.fd = ph_h5_file_bytes(file, &h.base);
  struct scan s = {h.fd, h.base, ph_h5_file_end(file), tick, arg, note_headers, &h};
  ph_status status = scan(&s) ? PH_OK : ph_fail(PH_ENOMEM, "HDF5: out of memory");
  if (h.n > 1)
    qsort(h.at, h.n, sizeof *h.at, by_address);
  for (size_t i = 0; i < h.n; i++)
    if ((i == 0 || h.at[i] != h.at[i - 1]) && !ph_h5_check_header(file, h.at[i]))
      h.at[kept++] = h.at[i];
  ph_h5_leave();
  *out = h.at;
  *n = kept;
  return status;
}
