/* JSON whose numbers stay as they are written: what is written of a text is read as the same again,
 * and jansson reads what has no words that it lacks. */
#include "numeral.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  json_error_t error;
  size_t n = 0, m = 0;
  json_t *value = ph_numeral_load(&error, (const char *)data, size);
  if (!value)
    return 0;
  char *text = ph_numeral_dump(&n, value);
  json_t *plain = ph_numeral_plain(value);
  assert(text && plain);
  json_t *again = ph_numeral_load(&error, text, n);
  assert(again && json_equal(value, again));
  char *same = ph_numeral_dump(&m, again);
  assert(same && m == n && memcmp(text, same, n) == 0);
  json_t *theirs =
      json_loadb((const char *)data, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
  assert(!theirs || json_equal(theirs, plain));
  json_decref(theirs);
  json_decref(again);
  json_decref(plain);
  json_decref(value);
  free(same);
  free(text);
  return 0;
}
