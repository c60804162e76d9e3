#include "bytes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "fail.h"
#include "json.h"

bool ph_bytes_reserve(ph_bytes *bytes, size_t more) {
  size_t room = bytes->room ? bytes->room : 1024;
  while (!bytes->lost && room - bytes->n <= more)
    room *= 2;
  if (bytes->lost || room == bytes->room)
    return !bytes->lost;
  char *grown = realloc(bytes->data, room);
  bytes->lost = grown == NULL;
  if (!grown)
    return false;
  bytes->data = grown;
  bytes->room = room;
  return true;
}

void ph_bytes_add(ph_bytes *bytes, const void *data, size_t size) {
  if (!ph_bytes_reserve(bytes, size))
    return;
  memcpy(bytes->data + bytes->n, data, size);
  bytes->n += size;
  bytes->data[bytes->n] = 0;
}

void ph_bytes_text(ph_bytes *bytes, const char *text) {
  ph_bytes_add(bytes, text, strlen(text));
}

void ph_bytes_print(ph_bytes *bytes, const char *fmt, ...) {
  char text[201];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  ph_bytes_text(bytes, text);
}

void ph_bytes_number(ph_bytes *bytes, double value) {
  locale_t before = ph_c_locale_enter();
  if (!isfinite(value))
    ph_bytes_text(bytes, "null");
  else if (value == trunc(value) && fabs(value) < 1e15)
    ph_bytes_print(bytes, "%.1f", value); /* -0.0 keeps its sign */
  else
    ph_bytes_print(bytes, "%.17g", value);
  ph_c_locale_leave(before);
}

void ph_bytes_string(ph_bytes *bytes, const char *text) {
  json_t *string = json_string(text);
  if (!string) {
    size_t size = 4 * strlen(text) + 1;
    char *escaped = malloc(size);
    if (escaped) {
      ph_escape(escaped, size, text, strlen(text));
      string = json_string(escaped);
    }
    free(escaped);
  }
  char *out = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
  if (out)
    ph_bytes_text(bytes, out);
  else
    bytes->lost = true;
  free(out);
  json_decref(string);
}
