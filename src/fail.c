#include "fail.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char error_text[1200];

const char *ph_error(void) {
  return error_text;
}

const char *ph_text_without(const char *text, const char *where) {
  size_t n = strlen(where);
  return n > 0 && strncmp(text, where, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2
                                                                                  : text;
}

/* Length of the valid UTF-8 sequence at s, or 0. Overlong forms and surrogates are not valid. */
static size_t utf8_length(const unsigned char *s, size_t n) {
  size_t len = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
  if (len == 0 || len > n)
    return 0;
  for (size_t i = 1; i < len; i++)
    if (s[i] >> 6 != 2)
      return 0;
  if ((len == 2 && s[0] < 0xc2) || (len == 3 && s[0] == 0xe0 && s[1] < 0xa0) ||
      (len == 3 && s[0] == 0xed && s[1] > 0x9f) || (len == 4 && s[0] == 0xf0 && s[1] < 0x90) ||
      (len == 4 && (s[0] > 0xf4 || (s[0] == 0xf4 && s[1] > 0x8f))))
    return 0;
  return len;
}

/* Marks that nobody sees and that turn, part or hide what is beside them, and controls. The two
 * joiners are letters of some scripts. */
static bool is_hidden(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200b ||
         code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f);
}

static uint32_t code_of(const unsigned char *s, size_t len) {
  uint32_t code = len == 1 ? s[0] : s[0] & (0x7fu >> len);
  for (size_t i = 1; i < len; i++)
    code = code << 6 | (s[i] & 0x3fu);
  return code;
}

void ph_escape(char *dst, size_t size, const char *src, size_t n) {
  const unsigned char *s = (const unsigned char *)src;
  size_t out = 0;
  while (n > 0 && size > 0) {
    size_t len = utf8_length(s, n);
    if (len == 0 || is_hidden(code_of(s, len))) {
      if (out + 5 > size)
        break;
      out += (size_t)snprintf(dst + out, size - out, "\\x%02x", s[0]);
      len = 1;
    } else {
      if (out + len + 1 > size)
        break;
      memcpy(dst + out, s, len);
      out += len;
    }
    s += len;
    n -= len;
  }
  if (size > 0)
    dst[out] = 0;
}

ph_status ph_fail(ph_status status, const char *fmt, ...) {
  char raw[1000];
  va_list args;
  va_start(args, fmt);
  vsnprintf(raw, sizeof raw, fmt, args);
  va_end(args);
  ph_escape(error_text, sizeof error_text, raw, strlen(raw));
  return status;
}

ph_status ph_fail_in(ph_status status, const char *fmt, ...) {
  char where[400], old[sizeof error_text], joined[sizeof where + sizeof old + 2];
  va_list args;
  va_start(args, fmt);
  vsnprintf(where, sizeof where, fmt, args);
  va_end(args);
  memcpy(old, error_text, sizeof old);
  ph_escape(joined, sizeof where, where, strlen(where));
  size_t n = strlen(joined);
  snprintf(joined + n, sizeof joined - n, ": %s", old);
  snprintf(error_text, sizeof error_text, "%.*s", (int)sizeof error_text - 1, joined);
  return status;
}
