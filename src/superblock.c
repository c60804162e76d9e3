#include "superblock.h"

#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 };

static uint64_t little_u64(const unsigned char *at) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; i--)
    value = value << 8 | at[i];
  return value;
}

/* Addresses in it are counted from `base`; a file that something was put in front of is found by
 * where its block really is. */
static uint64_t end_of(uint64_t at, uint64_t base, uint64_t stored) {
  if (stored == UINT64_MAX)
    return stored;
  return stored - base + at;
}

static void read_block(ph_superblock *out, const unsigned char *bytes, size_t n) {
  static const struct {
    unsigned char size_of_addresses, flags, base, end;
  } places[] = {{13, 20, 24, 40}, {13, 20, 28, 44}, {9, 11, 12, 28}, {9, 11, 12, 28}};
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
