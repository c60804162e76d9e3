/* An object's header may go on in further pieces, and those that were written last are lost first:
 * the attributes of a group that is filled for hours are behind all that is in it. A header whose
 * first piece is whole is read as if it ended where the lost pieces begin: the message that leads
 * to one becomes an empty one. Of groups alone: how a dataset's bytes are to be unpacked may be in
 * the lost piece, and nothing would say so. */
#include <stdlib.h>
#include <string.h>

#include "h5_carve.h"
#include "h5_door.h"

enum { PIECES = 64, HEADER_MAX = 1 << 20, CONTINUES = 0x10, LISTS = 0x11, OLD_PREFIX = 16 };

struct piece {
  uint64_t at;
  size_t size, prefix; /* messages begin behind the prefix */
  unsigned char *bytes;
  bool changed;
};

struct header {
  int fd;
  uint64_t base, end;
  bool old, ordered, lists; /* lists: it says where an old group's are */
  bool group, dataset;      /* it has what these have */
  unsigned char *lost;      /* of the last message that led to a lost piece */
  size_t messages;          /* of an old one, as it will be */
  struct piece piece[PIECES];
  size_t n;
};

static uint64_t little(const unsigned char *at, size_t n) {
  uint64_t value = 0;
  while (n-- > 0)
    value = value << 8 | at[n];
  return value;
}

static void put_little(unsigned char *at, uint64_t value, size_t n) {
  for (size_t i = 0; i < n; i++)
    at[i] = (unsigned char)(value >> 8 * i);
}

/* Takes a piece that is all there and matches its checksum. */
static bool add_piece(struct header *h, uint64_t at, uint64_t size, size_t prefix,
                      const char *signature) {
  size_t tail = h->old ? 0 : 4;
  if (h->n == PIECES || size > HEADER_MAX || size < prefix + tail || at > h->end ||
      size > h->end - at)
    return false;
  for (size_t i = 0; i < h->n; i++)
    if (h->piece[i].at == at)
      return false;
  struct piece *p = &h->piece[h->n];
  *p = (struct piece){at, (size_t)size, prefix, malloc((size_t)size + 1), false};
  bool ok = p->bytes && ph_h5_read_at(h->fd, at, p->bytes, p->size) == p->size;
  if (ok && !h->old)
    ok = memcmp(p->bytes, signature, 4) == 0 &&
         ph_h5_lookup3(p->bytes, p->size - 4) == (uint32_t)little(p->bytes + p->size - 4, 4);
  if (ok)
    h->n++;
  else
    free(p->bytes);
  return ok;
}

static bool add_first(struct header *h, uint64_t at) {
  enum { ORDERED = 0x04, PHASE = 0x10, TIMES = 0x20 };
  unsigned char start[34];
  if (at > h->end || h->end - at < sizeof start ||
      ph_h5_read_at(h->fd, at, start, sizeof start) != sizeof start)
    return false;
  h->old = memcmp(start, "OHDR", 4) != 0;
  if (h->old)
    return start[0] == 1 && add_piece(h, at, OLD_PREFIX + little(start + 8, 4), OLD_PREFIX, NULL);
  size_t field = (size_t)1 << (start[5] & 3);
  size_t prefix = 6 + (start[5] & TIMES ? 16u : 0) + (start[5] & PHASE ? 4u : 0);
  h->ordered = start[5] & ORDERED;
  uint64_t size = little(start + prefix, field);
  return size <= HEADER_MAX && add_piece(h, at, prefix + field + size + 4, prefix + field, "OHDR");
}

static void note_kind(struct header *h, size_t kind) {
  enum { SPACE = 1, LINKS = 2, TYPE = 3, LAYOUT = 8, LINK = 6, GROUP = 10 };
  h->lists = h->lists || kind == LISTS;
  h->group = h->group || kind == LISTS || kind == LINKS || kind == LINK || kind == GROUP;
  h->dataset = h->dataset || kind == SPACE || kind == TYPE || kind == LAYOUT;
}

/* Goes through the messages of a piece; false: they make no sense. */
static bool follow(struct header *h, size_t i) {
  size_t type = h->old ? 2 : 1, prefix = h->old ? 8 : h->ordered ? 6 : 4;
  struct piece *p = &h->piece[i];
  size_t end = p->size - (h->old ? 0 : 4);
  for (size_t at = p->prefix; at + prefix <= end;) {
    unsigned char *message = p->bytes + at, *body = message + prefix;
    size_t length = (size_t)little(message + type, 2);
    if (length > end - at - prefix)
      return !h->old && at > p->prefix;
    h->messages++;
    note_kind(h, (size_t)little(message, type));
    if (little(message, type) == CONTINUES && length >= 16 &&
        !add_piece(h, h->base + little(body, 8), little(body + 8, 8), h->old ? 0 : 4, "OCHK")) {
      put_little(message, 0, type);
      memset(body, 0, length);
      p->changed = true;
      h->lost = message;
    }
    at += prefix + length;
  }
  return true;
}

static ph_h5_patch *patches_of(struct header *h, uint64_t address) {
  ph_h5_patch *list = NULL;
  bool any = false;
  for (size_t i = 0; i < h->n; i++)
    any = any || h->piece[i].changed;
  for (size_t i = 0; any && i < h->n; i++) {
    struct piece *p = &h->piece[i];
    if (i == 0 && h->old) {
      put_little(p->bytes + 2, h->messages, 2);
      p->changed = true;
    }
    ph_h5_patch *patch = p->changed ? malloc(sizeof *patch + p->size) : NULL;
    if (!patch)
      continue;
    if (!h->old)
      put_little(p->bytes + p->size - 4, ph_h5_lookup3(p->bytes, p->size - 4), 4);
    *patch = (ph_h5_patch){list, address, p->at, p->size};
    memcpy(patch->bytes, p->bytes, p->size);
    list = patch;
  }
  return list;
}

/* The message that says where an old group's lists are may be in a piece that is lost. It has room
 * in that which led there. */
static void find_lists(struct header *h, uint64_t address) {
  uint64_t tree, heap;
  if (!h->old || h->lists || !h->lost ||
      !ph_h5_lists_of(&tree, &heap, h->fd, h->base, h->end, address))
    return;
  put_little(h->lost, LISTS, 2);
  put_little(h->lost + 8, tree, 8);
  put_little(h->lost + 16, heap, 8);
  h->group = true;
}

ph_h5_patch *ph_h5_mend_header(int fd, uint64_t base, uint64_t end, uint64_t address) {
  struct header h = {.fd = fd, .base = base, .end = end};
  ph_h5_patch *list = NULL;
  bool ok = address < INT64_MAX / 2 && add_first(&h, base + address);
  for (size_t i = 0; ok && i < h.n; i++)
    ok = follow(&h, i);
  if (ok && !h.dataset)
    find_lists(&h, address);
  if (ok && h.group && !h.dataset)
    list = patches_of(&h, address);
  for (size_t i = 0; i < h.n; i++)
    free(h.piece[i].bytes);
  return list;
}

void ph_h5_patch_lay(const ph_h5_patch *list, uint64_t at, size_t size, unsigned char *out) {
  for (; list; list = list->next) {
    uint64_t from = list->at > at ? list->at : at;
    uint64_t to = list->at + list->size < at + size ? list->at + list->size : at + size;
    if (from < to)
      memcpy(out + (from - at), list->bytes + (from - list->at), (size_t)(to - from));
  }
}

bool ph_h5_patch_has(const ph_h5_patch *list, uint64_t address) {
  for (; list; list = list->next)
    if (list->header == address)
      return true;
  return false;
}

void ph_h5_patch_free(ph_h5_patch *list) {
  while (list) {
    ph_h5_patch *next = list->next;
    free(list);
    list = next;
  }
}
