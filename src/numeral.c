/* A number is kept as a string that begins with KEPT. Strings of the text that begin so themselves
 * get another mark in front, OTHER, keys too. */
#include "numeral.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <playhead/number.h>

#include "c_locale.h"

#define MARK "\1" /* the first letter of both marks */
#define KEPT MARK "N"
#define OTHER MARK "S"
#define ESCAPED "\\u0001" /* MARK, in a text */
enum { MARK_SIZE = sizeof KEPT - 1, TEXT_SIZE = sizeof ESCAPED };

/* --- numbers in a text --- */

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && *at >= '0' && *at <= '9')
    at++;
  return at;
}

/* Behind the digits that there have to be; NULL: there are none. */
static const char *take_digits(const char *at, const char *end) {
  const char *next = skip_digits(at, end);
  return next > at ? next : NULL;
}

static bool is_word(const char *at, const char *end, const char *word) {
  return (size_t)(end - at) == strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* Whether all of it is a number: JSON's, or one of Python's words. */
static bool is_number(const char *at, const char *end) {
  if (is_word(at, end, "NaN") || is_word(at, end, "Infinity") || is_word(at, end, "-Infinity"))
    return true;
  at += at < end && *at == '-';
  bool zero = at < end && *at == '0';
  const char *next = take_digits(at, end);
  if (!next || (zero && next > at + 1))
    return false;
  if (next < end && *next == '.')
    next = take_digits(next + 1, end);
  if (next && next < end && (*next == 'e' || *next == 'E')) {
    next++;
    next = take_digits(next + (next < end && (*next == '-' || *next == '+')), end);
  }
  return next == end;
}

static bool is_part(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

/* A number in the place of a key is left to the parser, which refuses it. */
static bool is_key(const char *at, const char *end) {
  while (at < end && strchr(" \t\r\n", *at) && *at)
    at++;
  return at < end && *at == ':';
}

/* --- marks --- */

typedef struct buffer {
  char *text;
  size_t n, room;
} buffer;

static bool add(buffer *b, const char *text, size_t n) {
  if (b->n + n > b->room) {
    size_t room = 2 * b->room + n + 64;
    char *all = realloc(b->text, room);
    if (!all)
      return false;
    b->text = all;
    b->room = room;
  }
  if (n > 0)
    memcpy(b->text + b->n, text, n);
  b->n += n;
  return true;
}

static bool starts(const char *at, const char *end, const char *text) {
  size_t n = strlen(text);
  return (size_t)(end - at) >= n && memcmp(at, text, n) == 0;
}

/* Behind the string that begins at `at`, or the end. */
static const char *skip_string(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++)
    at += *at == '\\' && at + 1 < end;
  return at < end ? at + 1 : end;
}

static bool mark_string(buffer *b, const char *at, const char *end) {
  if (!starts(at + 1, end, ESCAPED))
    return add(b, at, (size_t)(end - at));
  return add(b, "\"" ESCAPED "S", 1 + TEXT_SIZE) && add(b, at + 1, (size_t)(end - at) - 1);
}

/* What is no string, up to the next of another kind. */
static const char *mark_word(buffer *b, const char *at, const char *end, bool *ok) {
  const char *next = at;
  while (next < end && is_part(*next))
    next++;
  if (next == at) {
    *ok = add(b, at, 1);
    return at + 1;
  }
  bool number = is_number(at, next) && !is_key(next, end);
  *ok = (!number || add(b, "\"" ESCAPED "N", 1 + TEXT_SIZE)) && add(b, at, (size_t)(next - at)) &&
        (!number || add(b, "\"", 1));
  return next;
}

/* Takes the marks out where they are; returns what is left. */
static size_t take_marks(char *text, size_t n) {
  const char *at = text, *end = text + n;
  char *to = text;
  while (at < end) {
    const char *next = *at == '"' ? skip_string(at, end) : at + 1, *last = next;
    bool kept = *at == '"' && starts(at + 1, next, ESCAPED "N");
    bool other = *at == '"' && starts(at + 1, next, ESCAPED "S");
    if (other)
      *to++ = '"';
    at += kept || other ? 1 + TEXT_SIZE : 0;
    last -= kept && last > at && last[-1] == '"';
    memmove(to, at, (size_t)(last - at));
    to += last - at;
    at = next;
  }
  return (size_t)(to - text);
}

json_t *ph_numeral_load(json_error_t *error, const char *text, size_t size) {
  const char *at = text, *end = text + size;
  buffer b = {0};
  bool ok = true;
  while (ok && at < end) {
    if (*at == '"') {
      const char *next = skip_string(at, end);
      ok = mark_string(&b, at, next);
      at = next;
    } else {
      at = mark_word(&b, at, end, &ok);
    }
  }
  json_t *value = NULL;
  if (ok)
    value = json_loadb(b.n ? b.text : "", b.n, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, error);
  else
    *error = (json_error_t){.line = 1, .text = "out of memory"};
  error->text[take_marks(error->text, strlen(error->text))] = 0;
  free(b.text);
  return value;
}

char *ph_numeral_dump(size_t *size, const json_t *value) {
  char *text = json_dumps(value, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENCODE_ANY);
  if (!text)
    return NULL;
  size_t n = strlen(text), left = take_marks(text, n);
  text[left] = '\n'; /* there is a zero at least behind it */
  *size = left + 1;
  return text;
}

/* --- values --- */

static const char *text_of(const json_t *value) {
  const char *text = json_string_value(value);
  return text && strncmp(text, KEPT, MARK_SIZE) == 0 ? text + MARK_SIZE : NULL;
}

static double number_of(const char *text) {
  locale_t before = ph_c_locale_enter();
  double value = strtod(text, NULL);
  ph_c_locale_leave(before);
  return value;
}

json_t *ph_numeral_of(double value) {
  char text[MARK_SIZE + PH_NUMBER_SIZE + 2] = KEPT;
  locale_t before = ph_c_locale_enter();
  size_t n = ph_number_text(text + MARK_SIZE, value);
  ph_c_locale_leave(before);
  if (!isfinite(value))
    return json_null();
  if (!strpbrk(text + MARK_SIZE, ".e"))
    memcpy(text + MARK_SIZE + n, ".0", sizeof ".0");
  return json_string(text);
}

json_t *ph_numeral_text(const char *text) {
  json_t *plain = ph_json_text(text);
  const char *is = json_string_value(plain);
  if (!is || *is != *MARK)
    return plain;
  json_t *marked = json_sprintf(OTHER "%s", is);
  json_decref(plain);
  return marked;
}

bool ph_numeral_is(const json_t *value) {
  const char *text = text_of(value);
  return text && isfinite(number_of(text));
}

static json_t *plain_number(const char *text) {
  char *end;
  errno = 0;
  json_int_t integer = strtoll(text, &end, 10);
  if (!*end && !errno)
    return json_integer(integer);
  double value = number_of(text);
  return isfinite(value) ? json_real(value) : json_null();
}

static const char *bare(const char *text) {
  return strncmp(text, OTHER, MARK_SIZE) == 0 ? text + MARK_SIZE : text;
}

static json_t *plain_object(const json_t *value) {
  json_t *out = json_object(), *below;
  const char *key;
  json_object_foreach((json_t *)value, key, below) {
    if (json_object_set_new(out, bare(key), ph_numeral_plain(below)) != 0) {
      json_decref(out);
      return NULL;
    }
  }
  return out;
}

static json_t *plain_array(const json_t *value) {
  json_t *out = json_array();
  for (size_t i = 0; i < json_array_size(value); i++) {
    if (json_array_append_new(out, ph_numeral_plain(json_array_get(value, i))) != 0) {
      json_decref(out);
      return NULL;
    }
  }
  return out;
}

json_t *ph_numeral_plain(const json_t *value) {
  const char *text = text_of(value);
  if (text)
    return plain_number(text);
  if (json_is_string(value))
    return json_string(bare(json_string_value(value)));
  if (json_is_object(value))
    return plain_object(value);
  return json_is_array(value) ? plain_array(value) : json_deep_copy(value);
}
