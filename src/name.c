#include "name.h"

#include <stdio.h>
#include <string.h>

/* Length of the pattern element at p that stands for one byte; 0 for an unclosed set. */
static size_t element_length(const char *p) {
  if (*p != '[')
    return 1;
  size_t n = p[1] == '^' ? 2 : 1;
  if (p[n] == ']')
    n++;
  while (p[n] && p[n] != ']')
    n++;
  return p[n] ? n + 1 : 0;
}

static bool set_has(const char *p, size_t n, unsigned char c) {
  bool negated = p[1] == '^', found = false;
  for (size_t i = negated ? 2 : 1; i + 1 < n; i++) {
    unsigned char lo = (unsigned char)p[i], hi = lo;
    if (i + 3 < n && p[i + 1] == '-') {
      hi = (unsigned char)p[i + 2];
      i += 2;
    }
    found = found || (lo <= c && c <= hi);
  }
  return found != negated;
}

static bool element_has(const char *p, size_t n, char c) {
  if (*p == '[' && n > 1)
    return set_has(p, n, (unsigned char)c);
  return *p == '.' || *p == c;
}

/* Length of "*" or ".*" at p, else 0. */
static size_t run_length(const char *p) {
  return *p == '*' ? 1 : p[0] == '.' && p[1] == '*' ? 2 : 0;
}

bool ph_pattern_match(const char *pattern, const char *name) {
  const char *p = pattern, *s = name;
  const char *back_p = NULL, *back_s = NULL; /* only the last run can need more: no recursion */
  for (;;) {
    size_t run = run_length(p), n = *p ? element_length(p) : 0;
    if (run > 0) {
      p += run;
      back_p = p;
      back_s = s;
    } else if (*p == 0 && *s == 0) {
      return true;
    } else if (n > 0 && *s && element_has(p, n, *s)) {
      p += n;
      s++;
    } else if (back_p && *back_s) {
      p = back_p;
      s = ++back_s;
    } else {
      return false;
    }
  }
}

bool ph_pattern_valid(const char *pattern) {
  for (const char *p = pattern; *p;) {
    size_t n = element_length(p);
    if (n == 0)
      return false;
    p += n;
  }
  return true;
}

const char *ph_pattern_hint(const char *pattern, char *out, size_t size) {
  size_t n;
  out[0] = 0;
  while (*pattern && (n = element_length(pattern)) > 0 && !strchr("|?%+(){}^$\\", *pattern))
    pattern += n;
  if (*pattern && *pattern != '[')
    snprintf(out, size,
             "; a pattern knows * and .* (any run), . (any one) and sets like [a-c], not '%c'",
             *pattern);
  return out;
}

void ph_near_begin(ph_near *near, const char *word) {
  near->word = word;
  near->n = 0;
}

static int smaller(int a, int b) {
  return a < b ? a : b;
}

/* Edit distance where swapped neighbours cost one; both at most 63 bytes. */
static int distance(const char *a, size_t na, const char *b, size_t nb) {
  int rows[3][64] = {{0}};
  int *two = rows[0], *one = rows[1], *now = rows[2];
  for (size_t j = 0; j <= nb; j++)
    one[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    now[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      now[j] = smaller(smaller(one[j], now[j - 1]) + 1, one[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = smaller(now[j], two[j - 2] + 1);
    }
    int *old = two;
    two = one;
    one = now;
    now = old;
  }
  return one[nb];
}

void ph_near_add(ph_near *near, const char *candidate) {
  size_t na = strlen(near->word), nb = strlen(candidate);
  if (na == 0 || nb == 0 || na > 63 || nb > 63)
    return;
  int limit = na < 3 ? 1 : na < 6 ? 2 : (int)(na / 3);
  int d = distance(near->word, na, candidate, nb);
  if (na >= 3 && strstr(candidate, near->word))
    d = smaller(d, limit);
  if (d > limit || d >= (int)nb)
    return;
  for (int i = 0; i < near->n; i++) /* a body and a geom may have one name */
    if (strcmp(near->best[i], candidate) == 0)
      return;
  int at = near->n;
  while (at > 0 && near->distance[at - 1] > d)
    at--;
  if (at == PH_NEAR_MAX)
    return;
  int last = near->n < PH_NEAR_MAX ? near->n++ : PH_NEAR_MAX - 1;
  for (int i = last; i > at; i--) {
    memcpy(near->best[i], near->best[i - 1], sizeof near->best[i]);
    near->distance[i] = near->distance[i - 1];
  }
  memcpy(near->best[at], candidate, nb + 1);
  near->distance[at] = d;
}

const char *ph_near_text(const ph_near *near, char *out, size_t size) {
  size_t n = 0;
  if (size > 0)
    out[0] = 0;
  for (int i = 0; i < near->n && n < size; i++) {
    const char *before = i == 0 ? "; did you mean " : i + 1 == near->n ? " or " : ", ";
    n += (size_t)snprintf(out + n, size - n, "%s'%s'%s", before, near->best[i],
                          i + 1 == near->n ? "?" : "");
  }
  return out;
}
