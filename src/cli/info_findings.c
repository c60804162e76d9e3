#include "info_findings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAMILIES_MAX 2000
#define FOUND_MAX 20000
#define HANDFUL 5 /* sentences that differ in numbers are listed up to here */

void findings_free(struct findings *findings) {
  free(findings->family);
  free(findings->found);
  *findings = (struct findings){0};
}

/* Where the number ends that begins there and stands alone; NULL: there is none. Those in names,
 * joint_2 or action[3], are no numbers. */
static const char *number_end(const char *text, const char *at, double *value) {
  char before = at > text ? at[-1] : ' ';
  char *end;
  if (isalnum((unsigned char)before) || strchr("_/.[-+", before) ||
      !isdigit((unsigned char)at[*at == '-' || *at == '+']))
    return NULL;
  *value = strtod(at, &end);
  return isalnum((unsigned char)*end) || *end == '_' ? NULL : end;
}

/* Blots the numbers out; how far the first two of them are apart. */
static double blot(char *key, size_t size, const char *text) {
  double value, first = 0, apart = 0;
  size_t n = 0, numbers = 0;
  for (const char *at = text; *at && n + 1 < size;) {
    const char *end = number_end(text, at, &value);
    if (end && numbers++ < 2)
      apart = numbers == 2 ? fabs(value - first) : 0;
    if (end && numbers == 1)
      first = value;
    key[n++] = end ? '#' : *at;
    at = end ? end : at + 1;
  }
  key[n] = 0;
  return apart;
}

/* The block with room for one more; NULL: there is none, and it stays as it is. */
static void *make_room(void *all, size_t n, size_t *room, size_t size, size_t most) {
  if (n < *room || n >= most)
    return n < most ? all : NULL;
  size_t more = *room ? 2 * *room : 16;
  void *grown = realloc(all, more * size);
  *room = grown ? more : *room;
  return grown;
}

static struct family *find_family(struct findings *f, int kind, const char *key) {
  for (size_t k = 0; k < f->n; k++)
    if (f->family[k].kind == kind && strcmp(f->family[k].key, key) == 0)
      return &f->family[k];
  struct family *all = make_room(f->family, f->n, &f->room, sizeof *all, FAMILIES_MAX);
  if (!all)
    return NULL;
  f->family = all;
  all[f->n] = (struct family){.kind = kind, .apart = -1, .same_text = true, .same_step = true};
  snprintf(all[f->n].key, sizeof all->key, "%s", key);
  return &all[f->n++];
}

static void count(struct family *m, size_t i, int64_t step, double apart, const char *text) {
  if (m->count > 0) {
    m->same_text = m->same_text && strcmp(m->text, text) == 0;
    m->same_step = m->same_step && m->step == step;
  } else {
    m->first = i;
  }
  m->count += m->count == 0 || m->last != i;
  m->last = i;
  if (apart <= m->apart)
    return;
  m->apart = apart;
  m->worst = i;
  m->step = step;
  snprintf(m->text, sizeof m->text, "%s", text);
}

void findings_add(struct findings *f, size_t i, bool listed, int kind, int64_t step,
                  const char *text) {
  char key[sizeof f->family->key];
  if (!text[0])
    return;
  double apart = blot(key, sizeof key, text);
  struct family *family = find_family(f, kind, key);
  struct found *all = family && listed
                          ? make_room(f->found, f->nfound, &f->found_room, sizeof *all, FOUND_MAX)
                          : NULL;
  f->found = all ? all : f->found;
  if (!family || (listed && !all)) {
    f->left++;
    return;
  }
  count(family, i, step, apart, text);
  family->hidden = family->hidden || !listed;
  if (!listed)
    return;
  struct found *found = &all[f->nfound++];
  *found = (struct found){.family = (size_t)(family - f->family), .episode = i, .step = step};
  snprintf(found->text, sizeof found->text, "%s", text);
}

bool family_shared(const struct family *m, size_t n) {
  bool same = m->same_text && (m->same_step || 2 * m->count > n);
  return m->hidden || (same && m->count > 1) || (!m->same_text && m->count > HANDFUL);
}
