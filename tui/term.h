/* The only user of curses: open, size, blit, suspend, and the promise that the terminal comes back.
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include "surface.h"

struct term_options {
  bool ascii;
  enum scheme scheme;
};

/* Takes the terminal; false with a line in error when stdin or stdout is none. While it is taken,
 * stderr goes to a temporary file that term_close prints. */
bool term_open(const struct term_options *opt, char *error, size_t size);
void term_close(void);
void term_size(int *rows, int *cols);
void term_blit(const struct surface *s);
void term_repaint(void);
/* Gives the terminal back, stops the process group, takes it again on SIGCONT. */
void term_suspend(void);
void term_copy(const char *text);     /* OSC 52 */
void term_scheme(enum scheme scheme); /* colours from the next blit on */
bool term_utf8(void);                 /* the locale's character set; usable before term_open */
int term_fd(void);
int term_colors(void); /* 0, 16, 256 */

#endif
