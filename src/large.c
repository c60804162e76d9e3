#include "large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

void *ph_large(size_t n, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes) || bytes < 2 * LARGE_PAGE ||
      bytes > SIZE_MAX - LARGE_PAGE)
    return calloc(n ? n : 1, size);
  bytes = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  void *memory = aligned_alloc(LARGE_PAGE, bytes);
  if (!memory)
    return NULL;
  madvise(memory, bytes, MADV_HUGEPAGE); /* without them it is only slower */
  memset(memory, 0, bytes);
  return memory;
}
