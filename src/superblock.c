#include "h5_door.h"

#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 };

static uint64_t little_u64(const unsigned char *at) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; i--)
    value = value << 8 | at[i];
  return value;
}

static void put_little(unsigned char *at, uint64_t value, int n) {
  for (int i = 0; i < n; i++)
    at[i] = (unsigned char)(value >> 8 * i);
}

/* Addresses in it are counted from `base`; a file that something was put in front of is found by
 * where its block really is. */
static uint64_t end_of(uint64_t at, uint64_t base, uint64_t stored) {
  if (stored == UINT64_MAX)
    return stored;
  return stored - base + at;
}

/* Where its parts are, by version. */
static const struct places {
  unsigned char size_of_addresses, flags, base, end, root, extension, size;
} places[] = {{13, 20, 24, 40, 64, 0, 96},
              {13, 20, 28, 44, 68, 0, 100},
              {9, 11, 12, 28, 36, 20, 48},
              {9, 11, 12, 28, 36, 20, 48}};

static void read_block(ph_superblock *out, const unsigned char *bytes, size_t n) {
  out->version = bytes[8];
  if (out->version > 3)
    return;
  size_t end = places[out->version].end;
  out->marked = n > 20 && (bytes[places[out->version].flags] & 1) != 0;
  if (n < end + 8 || bytes[places[out->version].size_of_addresses] != 8)
    return;
  out->known = true;
  out->end =
      end_of(out->at, little_u64(bytes + places[out->version].base), little_u64(bytes + end));
}

bool ph_superblock_find(ph_superblock *out, int fd, int64_t size) {
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char bytes[BLOCK] = {0};
  memset(out, 0, sizeof *out);
  for (int64_t at = 0; at < size && at >= 0; at = at == 0 ? 512 : 2 * at) {
    ssize_t n = pread(fd, bytes, sizeof bytes, at);
    if (n < 9 || memcmp(bytes, signature, sizeof signature) != 0)
      continue;
    out->at = (uint64_t)at;
    read_block(out, bytes, (size_t)n);
    return true;
  }
  return false;
}

static bool read_whole(unsigned char *out, const ph_superblock *block, int fd) {
  size_t size = block->known ? places[block->version].size : 0;
  return size > 0 && pread(fd, out, size, (off_t)block->at) == (ssize_t)size;
}

uint64_t ph_superblock_extension(const ph_superblock *block, int fd) {
  unsigned char bytes[PH_SUPERBLOCK_MAX];
  if (!block->known || !places[block->version].extension || !read_whole(bytes, block, fd))
    return UINT64_MAX;
  return little_u64(bytes + places[block->version].extension);
}

size_t ph_superblock_mend(unsigned char out[PH_SUPERBLOCK_MAX], uint64_t *base, uint64_t *root,
                          const ph_superblock *block, int fd, uint64_t end, bool extension) {
  const struct places *p = &places[block->known ? block->version : 0];
  if (!read_whole(out, block, fd))
    return 0;
  /* The library takes addresses from where it finds the block, whatever the base says. */
  *base = block->at;
  *root = little_u64(out + p->root);
  put_little(out + p->end, end - block->at + little_u64(out + p->base), 8);
  put_little(out + p->flags, 0, block->version < 2 ? 4 : 1);
  if (p->extension && !extension)
    put_little(out + p->extension, UINT64_MAX, 8);
  if (block->version >= 2)
    put_little(out + p->size - 4, ph_h5_lookup3(out, p->size - 4u), 4);
  return p->size;
}
