/* Bytes that grow at their end. */
#ifndef PLAYHEAD_BYTES_H
#define PLAYHEAD_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include <playhead/status.h>

/* Starts as {0}; data is freed by its owner. A 0 that n does not count stands behind what was
 * added. Once there was no memory `lost` is true and nothing more is added. */
typedef struct ph_bytes {
  char *data;
  size_t n, room;
  bool lost;
} ph_bytes;

/* Room for so many more and the 0. false: out of memory. */
bool ph_bytes_reserve(ph_bytes *bytes, size_t more);
void ph_bytes_add(ph_bytes *bytes, const void *data, size_t size);
void ph_bytes_text(ph_bytes *bytes, const char *text);
void ph_bytes_print(ph_bytes *bytes, const char *fmt, ...) PH_PRINTF(2, 3); /* to 200 bytes */
/* As JSON: a number that comes back with its bits, null where it is not finite; a text, escaped
 * where it is no UTF-8. */
void ph_bytes_number(ph_bytes *bytes, double value);
void ph_bytes_string(ph_bytes *bytes, const char *text);

#endif
