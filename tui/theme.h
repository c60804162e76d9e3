/* Styles are ids; colours are one table. Meaning is never by colour alone. */
#ifndef TUI_THEME_H
#define TUI_THEME_H

/* clang-format off */
#define STYLE_LIST(X)                                                                              \
  X(NORMAL) X(DIM) X(BOLD) X(TITLE) X(BORDER) X(HEADER) X(GOOD) X(BAD) X(WARN) X(PLAYHEAD)         \
  X(PREDICATE) X(HOLD) X(LATCH) X(EVENT) X(SELECTED) X(KEY) X(HINT) X(PROMPT) X(CHANGED)           \
  X(AXIS)
/* clang-format on */

enum style {
#define STYLE_ENUM(id) STYLE_##id,
  STYLE_LIST(STYLE_ENUM)
#undef STYLE_ENUM
      STYLE_COUNT
};

enum scheme { SCHEME_MONO, SCHEME_DARK, SCHEME_LIGHT, SCHEME_COUNT };

enum { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_REVERSE = 4, ATTR_UNDERLINE = 8 };

struct look {
  short fg256, bg256; /* -1: the terminal's own */
  short fg16, bg16;
  unsigned attrs;
};

const struct look *theme_look(enum scheme scheme, enum style style);
const char *theme_scheme_name(enum scheme scheme);

#endif
