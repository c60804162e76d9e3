/* Bytes of a terminal in any order and timing; each chunk's first byte is a pause. */
#include "keys.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(uint32_t key) {
  char name[32];
  if (key & KEY_PASTED_) { /* text, not a key */
    assert((key & ~KEY_PASTED_) < KEY_SPECIAL_);
    return;
  }
  assert(key != KEY_NONE_ && key < KEY_LIMIT_);
  assert(key_from_name(key_name(key, name, sizeof name)) == key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct key_decoder decoder;
  memset(&decoder, 0, sizeof decoder);
  uint64_t now = 1;
  for (size_t i = 0; i < size; i++) {
    uint32_t key;
    if (i % 8 == 0)
      now += data[i];
    else if (key_decode(&decoder, data[i], now, &key))
      check(key);
    if (key_timeout(&decoder, now, &key))
      check(key);
  }
  return 0;
}
