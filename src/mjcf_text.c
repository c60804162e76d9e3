#include "mjcf_text.h"

#include <stdbool.h>
#include <string.h>

#include "fail.h"

static size_t line_of(const char *text, size_t at) {
  size_t line = 1;
  for (size_t i = 0; i < at; i++)
    line += text[i] == '\n';
  return line;
}

static bool starts(const char *text, size_t size, size_t at, const char *word) {
  size_t n = strlen(word);
  return size - at >= n && memcmp(text + at, word, n) == 0;
}

/* Place after `end`, searched from `at`; 0 when it never comes. */
static size_t after(const char *text, size_t size, size_t at, const char *end) {
  const char *found = at <= size ? memmem(text + at, size - at, end, strlen(end)) : NULL;
  return found ? (size_t)(found - text) + strlen(end) : 0;
}

static void blank(char *text, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (text[i] != '\n')
      text[i] = ' ';
}

/* Place after a tag that begins at `at`; quoted values may hold '>'. */
static size_t after_tag(const char *text, size_t size, size_t at) {
  char quote = 0;
  for (size_t i = at; i < size; i++) {
    if (quote)
      quote = text[i] == quote ? 0 : quote;
    else if (text[i] == '"' || text[i] == '\'')
      quote = text[i];
    else if (text[i] == '>')
      return i + 1;
  }
  return size;
}

ph_status ph_mjcf_blank(char *text, size_t size, const char *where) {
  const char *zero = memchr(text, 0, size);
  if (zero)
    return ph_fail(PH_EFORMAT, "%s: line %zu: not XML: a zero byte", where,
                   line_of(text, (size_t)(zero - text)));
  for (size_t at = 0; at < size;) {
    const char *open = memchr(text + at, '<', size - at);
    if (!open)
      break;
    at = (size_t)(open - text);
    bool comment = starts(text, size, at, "<!--"), instruction = starts(text, size, at, "<?");
    if (comment || instruction) {
      size_t next = comment ? after(text, size, at + 4, "-->") : after(text, size, at + 2, "?>");
      if (next == 0)
        return ph_fail(PH_EFORMAT, "%s: line %zu: not XML: %s never ends", where, line_of(text, at),
                       comment ? "a comment" : "an instruction");
      blank(text, at, next);
      at = next;
    } else if (starts(text, size, at, "<![CDATA[")) {
      size_t next = after(text, size, at + 9, "]]>");
      at = next == 0 ? size : next;
    } else if (starts(text, size, at, "<!DOCTYPE")) {
      return ph_fail(PH_EREFUSED,
                     "%s: line %zu: a document type declaration: never read in a model", where,
                     line_of(text, at));
    } else {
      at = after_tag(text, size, at);
    }
  }
  return PH_OK;
}

void ph_mjcf_put_value(FILE *out, const char *value) {
  for (const char *c = value; *c; c++) {
    switch (*c) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    case '\n':
    case '\r':
    case '\t':
      fprintf(out, "&#%d;", *c);
      break;
    default:
      fputc(*c, out);
    }
  }
}
