#include "surface.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "surface_ascii.h"
#include "text.h"

bool surface_resize(struct surface *s, int rows, int cols) {
  if (rows < 0)
    rows = 0;
  if (cols < 0)
    cols = 0;
  if (!s->cells || rows != s->rows || cols != s->cols) {
    struct cell *cells = calloc((size_t)rows * (size_t)cols + 1, sizeof *cells);
    if (!cells)
      return false;
    free(s->cells);
    s->cells = cells;
    s->rows = rows;
    s->cols = cols;
  }
  surface_clear(s);
  return true;
}

void surface_free(struct surface *s) {
  free(s->cells);
  *s = (struct surface){0};
}

static const struct cell blank = {" ", 1, STYLE_NORMAL};

void surface_clear(struct surface *s) {
  size_t n = (size_t)s->rows * (size_t)s->cols;
  for (size_t i = 0; i < n; i++)
    s->cells[i] = blank;
}

/* The part of r that is on the surface. */
static struct rect rect_visible(const struct surface *s, struct rect r) {
  if (r.x < 0)
    r.w += r.x, r.x = 0;
  if (r.y < 0)
    r.h += r.y, r.y = 0;
  if (r.w > s->cols - r.x)
    r.w = s->cols - r.x;
  if (r.h > s->rows - r.y)
    r.h = s->rows - r.y;
  if (r.w < 0)
    r.w = 0;
  if (r.h < 0)
    r.h = 0;
  return r;
}

/* Makes cell x of a row free to be written: the other half of a wide character turns blank. */
static void cell_release(struct cell *row, int x) {
  if (row[x].width == 2)
    row[x + 1] = (struct cell){" ", 1, row[x + 1].style};
  else if (row[x].width == 0)
    row[x - 1] = (struct cell){" ", 1, row[x - 1].style};
}

static void cell_set(struct cell *row, int x, int width, enum style style, const char *text,
                     size_t n) {
  cell_release(row, x);
  if (width == 2)
    cell_release(row, x + 1);
  struct cell *c = &row[x];
  memcpy(c->text, text, n);
  c->text[n] = 0;
  c->width = (uint8_t)width;
  c->style = (uint8_t)style;
  if (width == 2)
    row[x + 1] = (struct cell){"", 0, (uint8_t)style};
}

/* Adds a combining mark to the character that ends before column x; a mark that has no room or no
 * character is dropped. */
static void cell_combine(struct cell *row, int first, int x, const char *text, size_t n) {
  int at = x - 1;
  if (at >= first && row[at].width == 0)
    at--;
  if (at < first)
    return;
  size_t used = strlen(row[at].text);
  if (used + n >= sizeof row[at].text)
    return;
  memcpy(row[at].text + used, text, n);
  row[at].text[used + n] = 0;
}

static bool is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* Terminals disagree about how wide joined sequences are, so joiners and the emoji selector are
 * dropped and every code point keeps its own width. */
static bool is_dropped(uint32_t c) {
  return c == 0x200D || c == 0xFE0E || c == 0xFE0F;
}

struct glyph {
  char text[5];
  size_t n;
  int width;
};

/* What is drawn for a code point. */
static struct glyph glyph_of(const struct surface *s, uint32_t code, const char *text, size_t n) {
  struct glyph g = {"", 0, text_width_of(code)};
  if (code == '\t' || code == '\n' || code == '\r') {
    g.text[g.n++] = ' ';
  } else if (code < 0x7F && code >= 0x20) {
    g.text[g.n++] = (char)code;
  } else if (s->ascii) {
    char c = is_control(code) ? '?' : surface_ascii(code);
    if (g.width > 0)
      g.text[g.n++] = c;
    if (g.width == 2)
      g.text[g.n++] = c;
  } else if (is_control(code) || code == 0xFFFD) {
    g.n = 3;
    memcpy(g.text, "\xEF\xBF\xBD", 3);
  } else if (!is_dropped(code)) {
    g.n = n;
    memcpy(g.text, text, n);
  }
  return g;
}

/* Puts a glyph at column x of a row whose columns first <= x < end may be written. */
static void glyph_put(const struct surface *s, struct cell *row, int first, int end, int x,
                      enum style style, const struct glyph *g) {
  if (g->width == 0) {
    if (g->n && x <= end)
      cell_combine(row, first, x, g->text, g->n);
  } else if (x >= first && x + g->width <= end) {
    if (s->ascii && g->width == 2) {
      cell_set(row, x, 1, style, g->text, 1);
      cell_set(row, x + 1, 1, style, g->text + 1, 1);
    } else {
      cell_set(row, x, g->width, style, g->text, g->n);
    }
  } else {
    for (int i = x; i < x + g->width; i++)
      if (i >= first && i < end)
        cell_set(row, i, 1, style, " ", 1);
  }
}

int surface_put(struct surface *s, struct rect r, int y, int x, enum style style,
                const char *text) {
  struct rect v = rect_visible(s, r);
  int start = r.x + x, at = start, end = v.x + v.w;
  int row_at = r.y + y;
  bool shown = row_at >= v.y && row_at < v.y + v.h;
  struct cell *row = shown ? s->cells + (size_t)row_at * (size_t)s->cols : NULL;
  size_t n = strlen(text), i = 0;
  int limit = r.x + r.w;
  while (i < n) {
    uint32_t code;
    size_t length = text_decode(text + i, n - i, &code);
    struct glyph g = glyph_of(s, code, text + i, length);
    if (at >= limit && g.width > 0)
      break;
    if (row)
      glyph_put(s, row, v.x, end, at, style, &g);
    at += g.width;
    i += length;
  }
  if (at > limit)
    at = limit > start ? limit : start;
  return at - start;
}

int surface_printf(struct surface *s, struct rect r, int y, int x, enum style style,
                   const char *fmt, ...) {
  char buf[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(buf, sizeof buf, fmt, args);
  va_end(args);
  return surface_put(s, r, y, x, style, buf);
}

int surface_put_right(struct surface *s, struct rect r, int y, int x1, enum style style,
                      const char *text) {
  int width = text_width(text, 1 << 20, NULL);
  struct rect part = r;
  if (x1 < part.w)
    part.w = x1;
  return surface_put(s, part, y, x1 - width, style, text);
}

void surface_fill(struct surface *s, struct rect r, enum style style, const char *glyph) {
  for (int y = 0; y < r.h; y++)
    for (int x = 0, w; x<r.w; x += w> 0 ? w : 1)
      w = surface_put(s, r, y, x, style, glyph);
}

void surface_style(struct surface *s, struct rect r, enum style style) {
  struct rect v = rect_visible(s, r);
  for (int y = v.y; y < v.y + v.h; y++)
    for (int x = v.x; x < v.x + v.w; x++)
      s->cells[(size_t)y * (size_t)s->cols + (size_t)x].style = (uint8_t)style;
}

void surface_rule(struct surface *s, struct rect r, int y, const char *title, const char *right) {
  surface_fill(s, (struct rect){r.y + y, r.x, 1, r.w}, STYLE_BORDER, "─");
  int room = r.w - 4;
  if (room <= 0)
    return;
  char buf[512];
  int used = text_width(title, room, NULL);
  if (used > 0) {
    text_fit(buf, sizeof buf, title, room);
    surface_put(s, r, y, 1, STYLE_TITLE, " ");
    int n = surface_put(s, r, y, 2, STYLE_TITLE, buf);
    surface_put(s, r, y, 2 + n, STYLE_TITLE, " ");
  }
  int width = right ? text_width(right, 1 << 20, NULL) : 0;
  if (width > 0 && width + used + 6 <= r.w) {
    int x = r.w - width - 2;
    surface_put(s, r, y, x, STYLE_DIM, " ");
    surface_put(s, r, y, x + 1, STYLE_DIM, right);
    surface_put(s, r, y, x + 1 + width, STYLE_DIM, " ");
  }
}
