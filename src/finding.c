#include "finding.h"

#include <string.h>

/* Behind the sentence where it stands at the front of text; NULL: it does not. */
static const char *behind(const char *text, const char *sentence) {
  size_t n = strlen(sentence), all = strlen(text);
  if (n > 0 && n <= all && memcmp(text, sentence, n) == 0 &&
      (n == all || strncmp(text + n, "; ", 2) == 0))
    return n == all ? text + n : text + n + 2;
  size_t shown = all > 3 && strcmp(text + all - 3, "...") == 0 ? all - 3 : all;
  return strncmp(sentence, text, shown) == 0 ? text + all : NULL;
}

const char *ph_unsaid(const char *sentences, const ph_finding *findings, size_t n) {
  for (size_t k = 0; *sentences && k < n; k++) {
    const char *rest = behind(sentences, findings[k].text);
    if (!rest)
      continue;
    sentences = rest;
    k = (size_t)-1; /* the next may be any of them */
  }
  return sentences;
}
