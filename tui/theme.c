#include "theme.h"

/* fg256 bg256 fg16 bg16 attributes. Colours above 7 of the 16 are the bright ones. */
#define LOOK(f, b, f16, b16, a)                                                                    \
  { f, b, f16, b16, a }
#define PLAIN(a) LOOK(-1, -1, -1, -1, a)

/* clang-format off */
static const struct look looks[SCHEME_COUNT][STYLE_COUNT] = {
  [SCHEME_MONO] = {
    [STYLE_NORMAL] = PLAIN(0),
    [STYLE_DIM] = PLAIN(ATTR_DIM),
    [STYLE_BOLD] = PLAIN(ATTR_BOLD),
    [STYLE_TITLE] = PLAIN(ATTR_BOLD),
    [STYLE_BORDER] = PLAIN(ATTR_DIM),
    [STYLE_HEADER] = PLAIN(ATTR_BOLD),
    [STYLE_GOOD] = PLAIN(0),
    [STYLE_BAD] = PLAIN(ATTR_BOLD | ATTR_UNDERLINE),
    [STYLE_WARN] = PLAIN(ATTR_BOLD),
    [STYLE_PLAYHEAD] = PLAIN(ATTR_REVERSE),
    [STYLE_PREDICATE] = PLAIN(0),
    [STYLE_HOLD] = PLAIN(0),
    [STYLE_LATCH] = PLAIN(ATTR_BOLD),
    [STYLE_EVENT] = PLAIN(ATTR_BOLD),
    [STYLE_SELECTED] = PLAIN(ATTR_REVERSE),
    [STYLE_KEY] = PLAIN(ATTR_BOLD),
    [STYLE_HINT] = PLAIN(ATTR_DIM),
    [STYLE_PROMPT] = PLAIN(0),
    [STYLE_CHANGED] = PLAIN(ATTR_UNDERLINE),
    [STYLE_AXIS] = PLAIN(ATTR_DIM),
  },
  [SCHEME_DARK] = {
    [STYLE_NORMAL] = PLAIN(0),
    [STYLE_DIM] = LOOK(245, -1, 8, -1, 0),
    [STYLE_BOLD] = PLAIN(ATTR_BOLD),
    [STYLE_TITLE] = LOOK(153, -1, 14, -1, ATTR_BOLD),
    [STYLE_BORDER] = LOOK(240, -1, 8, -1, 0),
    [STYLE_HEADER] = LOOK(255, 237, 15, -1, ATTR_BOLD),
    [STYLE_GOOD] = LOOK(114, -1, 10, -1, 0),
    [STYLE_BAD] = LOOK(210, -1, 9, -1, ATTR_BOLD),
    [STYLE_WARN] = LOOK(221, -1, 11, -1, 0),
    [STYLE_PLAYHEAD] = LOOK(16, 221, 0, 11, ATTR_BOLD),
    [STYLE_PREDICATE] = LOOK(114, -1, 2, -1, 0),
    [STYLE_HOLD] = LOOK(80, -1, 6, -1, 0),
    [STYLE_LATCH] = LOOK(120, -1, 10, -1, ATTR_BOLD),
    [STYLE_EVENT] = LOOK(222, -1, 3, -1, 0),
    [STYLE_SELECTED] = LOOK(255, 24, 15, 4, 0),
    [STYLE_KEY] = LOOK(153, -1, 14, -1, ATTR_BOLD),
    [STYLE_HINT] = LOOK(245, -1, 7, -1, 0),
    [STYLE_PROMPT] = LOOK(255, -1, 15, -1, 0),
    [STYLE_CHANGED] = LOOK(222, -1, 11, -1, 0),
    [STYLE_AXIS] = LOOK(245, -1, 7, -1, 0),
  },
  [SCHEME_LIGHT] = {
    [STYLE_NORMAL] = PLAIN(0),
    [STYLE_DIM] = LOOK(243, -1, 8, -1, 0),
    [STYLE_BOLD] = PLAIN(ATTR_BOLD),
    [STYLE_TITLE] = LOOK(25, -1, 4, -1, ATTR_BOLD),
    [STYLE_BORDER] = LOOK(248, -1, 7, -1, 0),
    [STYLE_HEADER] = LOOK(232, 253, 0, -1, ATTR_BOLD),
    [STYLE_GOOD] = LOOK(28, -1, 2, -1, 0),
    [STYLE_BAD] = LOOK(160, -1, 1, -1, ATTR_BOLD),
    [STYLE_WARN] = LOOK(130, -1, 5, -1, 0),
    [STYLE_PLAYHEAD] = LOOK(231, 130, 15, 5, ATTR_BOLD),
    [STYLE_PREDICATE] = LOOK(28, -1, 2, -1, 0),
    [STYLE_HOLD] = LOOK(30, -1, 6, -1, 0),
    [STYLE_LATCH] = LOOK(22, -1, 2, -1, ATTR_BOLD),
    [STYLE_EVENT] = LOOK(94, -1, 5, -1, 0),
    [STYLE_SELECTED] = LOOK(16, 153, 15, 4, 0),
    [STYLE_KEY] = LOOK(25, -1, 4, -1, ATTR_BOLD),
    [STYLE_HINT] = LOOK(241, -1, 8, -1, 0),
    [STYLE_PROMPT] = LOOK(232, -1, 0, -1, 0),
    [STYLE_CHANGED] = LOOK(94, -1, 5, -1, 0),
    [STYLE_AXIS] = LOOK(241, -1, 8, -1, 0),
  },
};
/* clang-format on */

const struct look *theme_look(enum scheme scheme, enum style style) {
  unsigned s = scheme < SCHEME_COUNT ? scheme : SCHEME_MONO;
  unsigned i = style < STYLE_COUNT ? style : STYLE_NORMAL;
  return &looks[s][i];
}

const char *theme_scheme_name(enum scheme scheme) {
  static const char *const name[SCHEME_COUNT] = {"mono", "dark", "light"};
  return scheme < SCHEME_COUNT ? name[scheme] : "mono";
}
