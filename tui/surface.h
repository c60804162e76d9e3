/* A grid of cells that everything draws to. It prints as text, so every screen can be tested and
 * shown without a terminal. Drawing outside is clipped, never an error. */
#ifndef TUI_SURFACE_H
#define TUI_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "theme.h"

struct rect {
  int y, x, h, w;
};

struct cell {
  char text[16]; /* UTF-8 with combining marks, ends with 0; "" right half of a wide one */
  uint8_t width; /* 1, 2; 0 for the right half */
  uint8_t style;
};

struct surface {
  int rows, cols;
  bool ascii; /* box, block, braille and arrow characters get look-alikes when put, others '?' */
  struct cell *cells; /* rows x cols, owned */
};

/* Resizes and clears; false: out of memory, and the old grid stays. Start from {0}. */
bool surface_resize(struct surface *s, int rows, int cols);
void surface_free(struct surface *s);
void surface_clear(struct surface *s);

/* Puts text at (y, x) relative to r, clipped to r and to the surface; returns columns used (from x,
 * also those cut off on the left). A cut leaves no half character: its place is blank. Tabs and
 * newlines become blanks, other control and direction characters U+FFFD. */
int surface_put(struct surface *s, struct rect r, int y, int x, enum style style, const char *text);
int surface_printf(struct surface *s, struct rect r, int y, int x, enum style style,
                   const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Right-aligned to column x1 (exclusive); the left end is cut at column 0. Returns columns used. */
int surface_put_right(struct surface *s, struct rect r, int y, int x1, enum style style,
                      const char *text);
void surface_fill(struct surface *s, struct rect r, enum style style, const char *glyph);
/* Restyles cells without changing their text. */
void surface_style(struct surface *s, struct rect r, enum style style);
/* "─ title ───── right ": one row. The title is cut before the right text is left out. */
void surface_rule(struct surface *s, struct rect r, int y, const char *title, const char *right);

/* Rows joined by newlines (none after the last), trailing blanks cut; malloc'd, NULL: no memory. */
char *surface_text(const struct surface *s);
/* The same with SGR sequences of 256 colours; every row ends in the terminal's own look. */
char *surface_ansi(const struct surface *s, enum scheme scheme);

#endif
