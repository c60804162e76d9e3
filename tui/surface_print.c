/* A surface as text and as ANSI. */
#include "surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
  char *data;
  size_t n, size;
  bool failed;
};

static void text_add(struct text *t, const char *s, size_t n) {
  if (t->failed)
    return;
  if (t->n + n + 1 > t->size) {
    size_t size = (t->n + n + 1) * 2;
    char *data = realloc(t->data, size);
    if (!data) {
      t->failed = true;
      return;
    }
    t->data = data;
    t->size = size;
  }
  memcpy(t->data + t->n, s, n);
  t->n += n;
  t->data[t->n] = 0;
}

static char *text_finish(struct text *t) {
  text_add(t, "", 0);
  if (!t->failed)
    return t->data;
  free(t->data);
  return NULL;
}

/* Whether a blank in this look differs from nothing. */
static bool look_shows_blank(const struct look *look) {
  return look && (look->bg256 >= 0 || (look->attrs & (ATTR_REVERSE | ATTR_UNDERLINE)));
}

static int row_end(const struct surface *s, const struct cell *row, const enum scheme *scheme) {
  int end = s->cols;
  while (end > 0) {
    const struct cell *c = &row[end - 1];
    if (strcmp(c->text, " ") != 0)
      break;
    if (scheme && look_shows_blank(theme_look(*scheme, (enum style)c->style)))
      break;
    end--;
  }
  return end;
}

char *surface_text(const struct surface *s) {
  struct text t = {0};
  for (int y = 0; y < s->rows; y++) {
    const struct cell *row = s->cells + (size_t)y * (size_t)s->cols;
    int end = row_end(s, row, NULL);
    if (y > 0)
      text_add(&t, "\n", 1);
    for (int x = 0; x < end; x++)
      text_add(&t, row[x].text, strlen(row[x].text));
  }
  return text_finish(&t);
}

static bool look_equal(const struct look *a, const struct look *b) {
  return a->fg256 == b->fg256 && a->bg256 == b->bg256 && a->attrs == b->attrs;
}

static void text_add_look(struct text *t, const struct look *look) {
  char buf[64] = "\x1b[0";
  size_t n = strlen(buf);
  static const struct {
    unsigned attr;
    const char *code;
  } attrs[] = {{ATTR_BOLD, ";1"}, {ATTR_DIM, ";2"}, {ATTR_UNDERLINE, ";4"}, {ATTR_REVERSE, ";7"}};
  for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++)
    if (look->attrs & attrs[i].attr)
      n += (size_t)snprintf(buf + n, sizeof buf - n, "%s", attrs[i].code);
  if (look->fg256 >= 0)
    n += (size_t)snprintf(buf + n, sizeof buf - n, ";38;5;%d", look->fg256);
  if (look->bg256 >= 0)
    n += (size_t)snprintf(buf + n, sizeof buf - n, ";48;5;%d", look->bg256);
  snprintf(buf + n, sizeof buf - n, "m");
  text_add(t, buf, strlen(buf));
}

char *surface_ansi(const struct surface *s, enum scheme scheme) {
  static const struct look plain = {-1, -1, -1, -1, 0};
  struct text t = {0};
  for (int y = 0; y < s->rows; y++) {
    const struct cell *row = s->cells + (size_t)y * (size_t)s->cols;
    const struct look *now = &plain;
    int end = row_end(s, row, &scheme);
    if (y > 0)
      text_add(&t, "\n", 1);
    for (int x = 0; x < end; x++) {
      const struct look *look = theme_look(scheme, (enum style)row[x].style);
      if (row[x].width > 0 && !look_equal(look, now)) {
        text_add_look(&t, look);
        now = look;
      }
      text_add(&t, row[x].text, strlen(row[x].text));
    }
    if (!look_equal(now, &plain))
      text_add(&t, "\x1b[0m", 4);
  }
  return text_finish(&t);
}
