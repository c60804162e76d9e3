/* Which attributes of MJCF the engine's reader takes, from its own table. */
#include "mj.h"

#include <pthread.h>
#include <string.h>

static char schema[1 << 17];

static void print(void *arg) {
  (void)arg;
  int n = mj_printSchema(NULL, schema, sizeof schema, 0, 0);
  if (n <= 0 || (size_t)n >= sizeof schema)
    schema[0] = 0; /* nothing is known, so nothing is said to be unknown */
}

static void print_once(void) {
  if (ph_mj_guard(print, NULL) != PH_OK)
    schema[0] = 0;
}

static bool holds_word(const char *text, size_t size, const char *word) {
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= size; i++) {
    bool starts = i == 0 || text[i - 1] == ' ', ends = i + n == size || text[i + n] == ' ';
    if (starts && ends && memcmp(text + i, word, n) == 0)
      return true;
  }
  return false;
}

/* A line is "  element (x)   attribute ...", or goes on with attributes of the one above. */
bool ph_mj_unknown(const char *element, const char *attribute) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  bool here = false, element_known = false;
  pthread_once(&once, print_once);
  for (const char *line = schema; *line;) {
    size_t size = strcspn(line, "\n"), indent = strspn(line, " ");
    const char *open = memchr(line, '(', size), *rest = line;
    if (open && open > line + indent) {
      size_t n = strcspn(line + indent, " ");
      here = n == strlen(element) && memcmp(line + indent, element, n) == 0;
      rest = memchr(open, ')', size - (size_t)(open - line));
      rest = rest ? rest + 1 : open;
      element_known = element_known || here;
    }
    if (here && holds_word(rest, size - (size_t)(rest - line), attribute))
      return false;
    line += size + (line[size] == '\n');
  }
  return element_known;
}

int ph_mj_rows_most(void) {
#if mjVERSION_HEADER < 230
  return 1000;
#else
  return 0; /* constraints live in an arena */
#endif
}
