/* Names: patterns that match them, and what a mistyped one may have meant. */
#ifndef PLAYHEAD_NAME_H
#define PLAYHEAD_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Patterns match a whole name. `*` and `.*` stand for any run of bytes (also none), `.` for any one
 * byte, `[abc]`, `[a-z]`, `[^0-9]` for one of a set; every other byte is itself. Time is at most
 * the product of both lengths. */
bool ph_pattern_match(const char *pattern, const char *name);
/* Whether it is well formed: every [ is closed. */
bool ph_pattern_valid(const char *pattern);
/* What to say of one that matched nothing and has a sign that means something in other patterns
 * alone, as in "arm_(a|b)": "; a pattern knows ..., not '('"; "" where it has none. */
const char *ph_pattern_hint(const char *pattern, char *out, size_t size);

/* Collects the nearest of many candidates. Begin, add each, then ask for the text. */
#define PH_NEAR_MAX 3
typedef struct ph_near {
  const char *word; /* borrowed */
  char best[PH_NEAR_MAX][64];
  int distance[PH_NEAR_MAX];
  int n;
} ph_near;

void ph_near_begin(ph_near *near, const char *word);
void ph_near_add(ph_near *near, const char *candidate);
/* "; did you mean 'drawer'?" or "" into out; returns out. */
const char *ph_near_text(const ph_near *near, char *out, size_t size);

#endif
