// Every style of every scheme has a look, and none needs colour to be told from another.
#include <gtest/gtest.h>

#include <set>
#include <string>

extern "C" {
#include "theme.h"
}

namespace {

TEST(Theme, ColoursAreInRange) {
  for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
    for (int style = 0; style < STYLE_COUNT; style++) {
      const look *l = theme_look((enum scheme)scheme, (enum style)style);
      for (short c : {l->fg256, l->bg256})
        EXPECT_TRUE(c >= -1 && c <= 255) << scheme << " " << style;
      for (short c : {l->fg16, l->bg16})
        EXPECT_TRUE(c >= -1 && c <= 15) << scheme << " " << style;
      EXPECT_EQ(l->attrs & ~15u, 0u);
      // a colour in one depth has one in the other; 0/0/0/0 would be a line that was forgotten
      EXPECT_EQ(l->fg256 >= 0, l->fg16 >= 0) << scheme << " " << style;
      EXPECT_FALSE(l->fg256 == 0 && l->bg256 == 0 && l->fg16 == 0 && l->bg16 == 0);
    }
}

TEST(Theme, MonoUsesNoColour) {
  for (int style = 0; style < STYLE_COUNT; style++) {
    const look *l = theme_look(SCHEME_MONO, (enum style)style);
    EXPECT_EQ(l->fg256, -1);
    EXPECT_EQ(l->bg256, -1);
    EXPECT_EQ(l->fg16, -1);
    EXPECT_EQ(l->bg16, -1);
  }
  EXPECT_TRUE(theme_look(SCHEME_MONO, STYLE_PLAYHEAD)->attrs & ATTR_REVERSE);
  EXPECT_TRUE(theme_look(SCHEME_MONO, STYLE_SELECTED)->attrs & ATTR_REVERSE);
}

TEST(Theme, ForegroundAndBackgroundDiffer) {
  for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
    for (int style = 0; style < STYLE_COUNT; style++) {
      const look *l = theme_look((enum scheme)scheme, (enum style)style);
      EXPECT_TRUE(l->bg256 < 0 || l->bg256 != l->fg256);
      EXPECT_TRUE(l->bg16 < 0 || l->bg16 != l->fg16);
    }
}

TEST(Theme, NamesAndOutOfRange) {
  std::set<std::string> names;
  for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
    names.insert(theme_scheme_name((enum scheme)scheme));
  EXPECT_EQ(names.size(), (size_t)SCHEME_COUNT);
  EXPECT_EQ(theme_look((enum scheme)99, (enum style)99), theme_look(SCHEME_MONO, STYLE_NORMAL));
}

} // namespace
