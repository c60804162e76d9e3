#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT 0xFFFDu

/* Length and least code point of a sequence by its first byte; 0: no first byte. */
static size_t sequence_length(unsigned char byte, uint32_t *least) {
  if (byte >= 0xC2 && byte < 0xE0)
    return *least = 0x80, 2;
  if (byte >= 0xE0 && byte < 0xF0)
    return *least = 0x800, 3;
  if (byte >= 0xF0 && byte < 0xF5)
    return *least = 0x10000, 4;
  return 0;
}

size_t text_decode(const char *s, size_t n, uint32_t *out) {
  *out = 0;
  if (n == 0)
    return 0;
  const unsigned char *p = (const unsigned char *)s;
  *out = p[0];
  if (p[0] < 0x80)
    return 1;
  *out = REPLACEMENT;
  uint32_t least = 0;
  size_t length = sequence_length(p[0], &least);
  if (length == 0 || length > n)
    return 1;
  uint32_t code = p[0] & (0x7Fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((p[i] & 0xC0) != 0x80)
      return 1;
    code = code << 6 | (p[i] & 0x3Fu);
  }
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
    return 1;
  *out = code;
  return length;
}

int text_width(const char *s, int max, size_t *cut) {
  size_t n = strlen(s), at = 0;
  int width = 0;
  while (at < n) {
    uint32_t code;
    size_t length = text_decode(s + at, n - at, &code);
    int w = text_width_of(code);
    if (width + w > max)
      break;
    width += w;
    at += length;
  }
  if (cut)
    *cut = at;
  return width;
}

void text_fit(char *out, size_t size, const char *s, int width) {
  if (size == 0)
    return;
  size_t all = strlen(s), keep;
  text_width(s, width, &keep);
  const char *tail = "";
  if (keep < all && width > 0) {
    text_width(s, width - 1, &keep);
    tail = "…";
  }
  snprintf(out, size, "%.*s%s", (int)keep, s, tail);
}

/* The end of s in `width` columns at most; no combining mark begins it. */
static const char *text_end(const char *s, int width) {
  uint32_t code;
  while (text_width(s, 1 << 20, NULL) > width ||
         (*s && text_decode(s, strlen(s), &code) > 0 && text_width_of(code) == 0))
    s += text_decode(s, strlen(s), &code);
  return s;
}

void text_fit_name(char *out, size_t size, const char *s, int width) {
  int tail = (width - 1) * 3 / 5;
  size_t keep;
  if (size == 0)
    return;
  if (width < 4 || text_width(s, 1 << 20, NULL) <= width) {
    text_fit(out, size, s, width);
    return;
  }
  const char *end = text_end(s, tail);
  text_width(s, width - 1 - text_width(end, tail, NULL), &keep);
  snprintf(out, size, "%.*s…%s", (int)keep, s, end);
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_contains(const char *s, const char *part) {
  for (;; s++) {
    size_t i = 0;
    while (part[i] && s[i] && lower(s[i]) == lower(part[i]))
      i++;
    if (!part[i])
      return true;
    if (!*s)
      return false;
  }
}

static void point_for_comma(char *s) {
  for (; *s; s++)
    if (*s == ',')
      *s = '.';
}

static int clamp(int x, int low, int high) {
  return x < low ? low : x > high ? high : x;
}

/* Fixed point with as many decimals as fit; false where that would lose the value. */
static bool number_fixed(char *buf, size_t size, double value, int width) {
  double a = fabs(value);
  if (a != 0 && a < 1e-4)
    return false;
  for (int decimals = clamp(width - 3, 0, 5); decimals >= 0; decimals--) {
    int n = snprintf(buf, size, "%.*f", decimals, value == 0 ? 0.0 : value);
    if (n > 0 && n <= width && (size_t)n < size)
      return true;
    if (a >= 1e15)
      return false;
  }
  return false;
}

static bool number_scientific(char *buf, size_t size, double value, int width) {
  for (int digits = clamp(width - 6, 0, 5); digits >= 0; digits--) {
    int n = snprintf(buf, size, "%.*e", digits, value);
    if (n > 0 && n <= width && (size_t)n < size)
      return true;
  }
  return false;
}

void text_number(char *out, size_t size, double value, int width) {
  char buf[64];
  width = clamp(width, 1, 40);
  if (isnan(value))
    snprintf(buf, sizeof buf, "-");
  else if (isinf(value))
    snprintf(buf, sizeof buf, width >= 4 ? "%sinf" : "%s*", value < 0 ? "-" : "");
  else if (!number_fixed(buf, sizeof buf, value, width) &&
           !number_scientific(buf, sizeof buf, value, width))
    snprintf(buf, sizeof buf, "%s", fabs(value) < 1 ? "0" : "*");
  point_for_comma(buf);
  snprintf(out, size, "%*.*s", width, width, buf);
}

/* Digits before the point of x >= 0. */
static int digits_of(double x) {
  return x < 10 ? 1 : clamp((int)floor(log10(x) + 1e-9) + 1, 1, 12);
}

void text_time(char *out, size_t size, double seconds, double total) {
  char buf[48];
  double span = isfinite(total) ? fabs(total) : 0;
  bool known = isfinite(seconds) && fabs(seconds) < 1e12;
  double a = known ? fabs(seconds) : 0;
  const char *sign = known && seconds < 0 ? "-" : "";
  int width;
  if (span < 60) {
    width = digits_of(span) + 6;
    snprintf(buf, sizeof buf, "%s%.3f s", sign, a);
  } else if (span < 3600) {
    int64_t ms = llround(a * 1000);
    width = span < 600 ? 8 : 9;
    snprintf(buf, sizeof buf, "%s%lld:%02lld.%03lld", sign, (long long)(ms / 60000),
             (long long)(ms / 1000 % 60), (long long)(ms % 1000));
  } else {
    int64_t tenths = llround(a * 10);
    width = digits_of(span / 3600) + 8;
    snprintf(buf, sizeof buf, "%s%lld:%02lld:%02lld.%lld", sign, (long long)(tenths / 36000),
             (long long)(tenths / 600 % 60), (long long)(tenths / 10 % 60),
             (long long)(tenths % 10));
  }
  if (!known)
    snprintf(buf, sizeof buf, "-");
  point_for_comma(buf);
  snprintf(out, size, "%*s", width, buf);
}

void text_bytes(char *out, size_t size, uint64_t bytes) {
  static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double x = (double)bytes;
  size_t u = 0;
  while (x >= 1024 && u + 1 < sizeof unit / sizeof *unit) {
    x /= 1024;
    u++;
  }
  if (x >= 1023.95 && u + 1 < sizeof unit / sizeof *unit) {
    x /= 1024;
    u++;
  }
  snprintf(out, size, u == 0 || x >= 99.95 ? "%.0f %s" : "%.1f %s", x, unit[u]);
  point_for_comma(out);
}
