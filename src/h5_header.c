/* Checks an object's header before the library reads it. Version 2 headers carry checksums; the
 * library (1.10) looks at them too, but loses the header's memory when one does not match, and then
 * prints complaints when the process ends. Version 1 headers have none: sizes must make sense. */
#include "h5_door.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER_LIMIT ((uint64_t)16 << 20)
#define PIECES_LIMIT 1000

static uint32_t rotate(uint32_t x, int k) {
  return (x << k) | (x >> (32 - k));
}

/* Bob Jenkins' lookup3 (hashlittle), the checksum of HDF5's metadata. */
uint32_t ph_h5_lookup3(const uint8_t *key, size_t length) {
  uint32_t v[3];
  v[0] = v[1] = v[2] = 0xdeadbeefu + (uint32_t)length;
  while (length > 12) {
    for (int i = 0; i < 12; i++)
      v[i / 4] += (uint32_t)key[i] << (8 * (i % 4));
    static const int mix[6] = {4, 6, 8, 16, 19, 4};
    for (int i = 0; i < 6; i++) {
      uint32_t *a = &v[i % 3], *b = &v[(i + 1) % 3], *c = &v[(i + 2) % 3];
      *a = (*a - *c) ^ rotate(*c, mix[i]);
      *c += *b;
    }
    key += 12;
    length -= 12;
  }
  if (length == 0)
    return v[2];
  for (size_t i = 0; i < length; i++)
    v[i / 4] += (uint32_t)key[i] << (8 * (i % 4));
  static const int final[7] = {14, 11, 25, 16, 4, 14, 24};
  for (int i = 0; i < 7; i++) {
    uint32_t *to = &v[(i + 2) % 3], from = v[(i + 1) % 3];
    *to = (*to ^ from) - rotate(from, final[i]);
  }
  return v[2];
}

static uint64_t little(const uint8_t *bytes, size_t n) {
  uint64_t value = 0;
  for (size_t i = n; i-- > 0;)
    value = value << 8 | bytes[i];
  return value;
}

/* Where the bytes of a header come from. */
struct bytes {
  int fd;
  ph_h5_window *window; /* Nullable: they are read from fd */
  uint64_t file_size;
};

static size_t read_at(const struct bytes *from, uint64_t at, void *out, size_t size) {
  return from->window ? ph_h5_window_read(from->window, at, out, size)
                      : ph_h5_read_at(from->fd, at, out, size);
}

/* One object's header: pieces of it, each with a checksum, that lead to further pieces. */
struct header {
  const struct bytes *from;
  uint64_t base;
  uint64_t
      left;     /* bytes of the file that are not known to be the header's: pieces do not overlap */
  bool ordered; /* messages carry a creation order */
  int pieces;   /* read so far */
};

static const char *check_messages(struct header *h, const uint8_t *at, size_t size);

/* Piece of `size` bytes, checksum included, whose messages begin at `prefix`. */
static const char *check_piece(struct header *h, uint64_t at, uint64_t size, size_t prefix,
                               const char *signature) {
  const char *fault = NULL;
  if (size < prefix + 4 || size > HEADER_LIMIT || at > INT64_MAX / 2 || ++h->pieces > PIECES_LIMIT)
    return "its header has no sensible size";
  if (size > h->left)
    return "its header is longer than its file";
  h->left -= size;
  uint8_t *piece = malloc((size_t)size);
  if (!piece)
    return "out of memory for its header";
  size_t end = (size_t)size - 4;
  if (read_at(h->from, at, piece, (size_t)size) < size)
    fault = "its header is behind the end of the file";
  else if (memcmp(piece, signature, 4) != 0 ||
           ph_h5_lookup3(piece, end) != (uint32_t)little(piece + end, 4))
    fault = "its header does not match its checksum";
  else
    fault = check_messages(h, piece + prefix, end - prefix);
  free(piece);
  return fault;
}

/* Follows the messages that say where the header goes on. */
static const char *check_messages(struct header *h, const uint8_t *at, size_t size) {
  enum { CONTINUES = 0x10 };
  size_t prefix = h->ordered ? 6 : 4;
  const char *fault = NULL;
  while (size >= prefix && !fault) {
    size_t length = (size_t)little(at + 1, 2);
    if (length > size - prefix)
      break; /* the checksum is right: it is the writer's or the library's business */
    const uint8_t *body = at + prefix;
    if (at[0] == CONTINUES && length >= 16)
      fault = check_piece(h, h->base + little(body, 8), little(body + 8, 8), 4, "OCHK");
    at += prefix + length;
    size -= prefix + length;
  }
  return fault;
}

/* --- version 1: no checksums, but messages that fill their pieces --- */

static const char *check_old_messages(struct header *h, const uint8_t *at, size_t size);

static const char *check_old_piece(struct header *h, uint64_t at, uint64_t size) {
  if (size > HEADER_LIMIT || at > INT64_MAX / 2 || ++h->pieces > PIECES_LIMIT)
    return "its header has no sensible size";
  if (size > h->left)
    return "its header is longer than its file";
  h->left -= size;
  uint8_t *piece = malloc((size_t)size + 1);
  if (!piece)
    return "out of memory for its header";
  const char *fault = read_at(h->from, at, piece, (size_t)size) < size
                          ? "its header is behind the end of the file"
                          : check_old_messages(h, piece, (size_t)size);
  free(piece);
  return fault;
}

/* A few bytes at the end of a piece may be left over. */
static const char *check_old_messages(struct header *h, const uint8_t *at, size_t size) {
  enum { CONTINUES = 0x10, PREFIX = 8 };
  const char *fault = NULL;
  while (size >= PREFIX && !fault) {
    size_t kind = (size_t)little(at, 2), length = (size_t)little(at + 2, 2);
    if (length > size - PREFIX)
      return "a message of its header is longer than the header";
    if (kind == CONTINUES && length >= 16)
      fault = check_old_piece(h, h->base + little(at + PREFIX, 8), little(at + PREFIX + 8, 8));
    at += PREFIX + length;
    size -= PREFIX + length;
  }
  return fault;
}

static const char *old_header_fault(const struct bytes *from, uint64_t base, uint64_t at,
                                    const uint8_t start[34]) {
  enum { PREFIX = 16 };
  struct header h = {.from = from, .base = base, .left = from->file_size};
  if (start[0] != 1)
    return "it has no header where its link points to";
  return check_old_piece(&h, at + PREFIX, little(start + 8, 4));
}

static const char *header_fault(const struct bytes *from, uint64_t base, uint64_t address) {
  enum { ORDERED = 0x04, PHASE = 0x10, TIMES = 0x20 };
  uint8_t start[34];
  uint64_t at = base + address;
  size_t got = at < INT64_MAX / 2 ? read_at(from, at, start, sizeof start) : 0;
  if (got < sizeof start)
    return "its header is behind the end of the file";
  if (memcmp(start, "OHDR", 4) != 0)
    return old_header_fault(from, base, at, start);
  uint8_t flags = start[5];
  struct header h = {
      .from = from, .base = base, .left = from->file_size, .ordered = flags & ORDERED};
  size_t field = (size_t)1 << (flags & 3);
  size_t prefix = 6 + (flags & TIMES ? 16u : 0) + (flags & PHASE ? 4u : 0);
  uint64_t size = little(start + prefix, field);
  if (size > HEADER_LIMIT)
    return "its header has no sensible size";
  return check_piece(&h, at, prefix + field + size + 4, prefix + field, "OHDR");
}

const char *ph_h5_header_fault(int fd, uint64_t base, uint64_t address) {
  struct stat st;
  if (fstat(fd, &st) != 0)
    return "its file cannot be asked for its size";
  return header_fault(&(struct bytes){fd, NULL, (uint64_t)st.st_size}, base, address);
}

const char *ph_h5_window_fault(ph_h5_window *window, uint64_t file_size, uint64_t base,
                               uint64_t address) {
  return header_fault(&(struct bytes){-1, window, file_size}, base, address);
}

/* Version 0 and 1: the root's header is named by an entry of 8 byte addresses at the end. */
static const char *old_root_fault(int fd, const uint8_t block[80], size_t got) {
  size_t entry = block[8] == 0 ? 56 : 60;
  if (block[13] != 8 || block[14] != 8)
    return NULL;
  if (got < entry + 16)
    return "it ends within its first block";
  return ph_h5_header_fault(fd, little(block + 24, 8), little(block + entry + 8, 8));
}

const char *ph_h5_root_fault(int fd) {
  static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  uint8_t block[80];
  memset(block, 0, sizeof block);
  size_t got = ph_h5_read_at(fd, 0, block, sizeof block);
  if (got < 48 || memcmp(block, signature, sizeof signature) != 0)
    return NULL; /* somewhere else, or no HDF5: the library's business */
  if (block[8] < 2)
    return old_root_fault(fd, block, got);
  if (block[9] != 8)
    return NULL;
  if (ph_h5_lookup3(block, 44) != (uint32_t)little(block + 44, 4))
    return "its first block does not match its checksum";
  return ph_h5_header_fault(fd, little(block + 12, 8), little(block + 36, 8));
}
