// Clipping, wide characters, combining marks, control characters, ASCII, text and ANSI.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

extern "C" {
#include "strip.h"
#include "surface.h"
#include "text.h"
}

namespace {

struct Grid {
  surface s{};
  Grid(int rows, int cols) { EXPECT_TRUE(surface_resize(&s, rows, cols)); }
  ~Grid() { surface_free(&s); }
  rect all() const { return {0, 0, s.rows, s.cols}; }
  std::string text() {
    char *t = surface_text(&s);
    std::string out = t;
    std::free(t);
    return out;
  }
  std::string ansi(scheme sc) {
    char *t = surface_ansi(&s, sc);
    std::string out = t;
    std::free(t);
    return out;
  }
  // Every row is exactly as wide as the grid, and no wide character lost a half.
  void check() {
    for (int y = 0; y < s.rows; y++) {
      int width = 0;
      for (int x = 0; x < s.cols; x++) {
        const cell &c = s.cells[y * s.cols + x];
        width += c.width;
        ASSERT_LT(strlen(c.text), sizeof c.text);
        if (c.width == 2) {
          ASSERT_LT(x + 1, s.cols);
          ASSERT_EQ(s.cells[y * s.cols + x + 1].width, 0);
        } else if (c.width == 0) {
          ASSERT_GT(x, 0);
          ASSERT_EQ(s.cells[y * s.cols + x - 1].width, 2);
          ASSERT_STREQ(c.text, "");
        } else {
          ASSERT_STRNE(c.text, "");
        }
      }
      ASSERT_EQ(width, s.cols);
    }
  }
};

TEST(Surface, PutsAndClips) {
  Grid g(2, 6);
  EXPECT_EQ(surface_put(&g.s, g.all(), 0, 4, STYLE_BOLD, "abcd"), 2);
  EXPECT_EQ(surface_put(&g.s, g.all(), 1, -2, STYLE_BOLD, "abcd"), 4);
  EXPECT_EQ(surface_put(&g.s, g.all(), 2, 0, STYLE_BOLD, "below"), 5);
  EXPECT_EQ(surface_put(&g.s, g.all(), -1, 0, STYLE_BOLD, "above"), 5);
  EXPECT_EQ(g.text(), "    ab\ncd");
  surface_put(&g.s, {0, 1, 1, 3}, 0, 0, STYLE_NORMAL, "wxyz");
  surface_put(&g.s, {-1, 0, 3, 6}, 2, 3, STYLE_NORMAL, "!");
  surface_put(&g.s, {0, -5, 1, 6}, 0, 0, STYLE_NORMAL, "12345#9");
  EXPECT_EQ(g.text(), "#wxyab\ncd !") << "a rectangle that is partly outside clips too";
  g.check();
}

TEST(Surface, WideCharactersAreNeverHalved) {
  Grid g(1, 5);
  EXPECT_EQ(surface_put(&g.s, g.all(), 0, 0, STYLE_NORMAL, "深深深"), 5);
  EXPECT_EQ(g.text(), "深深") << "the third has no room";
  g.check();
  surface_put(&g.s, g.all(), 0, 1, STYLE_NORMAL, "x");
  EXPECT_EQ(g.text(), " x深") << "writing over the right half blanks the left";
  surface_put(&g.s, g.all(), 0, 2, STYLE_NORMAL, "y");
  EXPECT_EQ(g.text(), " xy") << "writing over the left half blanks the right";
  g.check();
  surface_put(&g.s, g.all(), 0, -1, STYLE_NORMAL, "深b");
  EXPECT_EQ(g.text(), " by");
  g.check();
  surface_put(&g.s, g.all(), 0, 0, STYLE_NORMAL, "深深");
  surface_put(&g.s, g.all(), 0, 1, STYLE_NORMAL, "手");
  EXPECT_EQ(g.text(), " 手");
  g.check();
}

TEST(Surface, CombiningMarksStayInTheirCell) {
  Grid g(1, 4);
  EXPECT_EQ(surface_put(&g.s, g.all(), 0, 0, STYLE_NORMAL, "e\xCC\x81x"), 2);
  EXPECT_STREQ(g.s.cells[0].text, "e\xCC\x81");
  EXPECT_EQ(g.text(), "e\xCC\x81x");
  std::string many = "a";
  for (int i = 0; i < 50; i++)
    many += "\xCC\x81";
  surface_put(&g.s, g.all(), 0, 0, STYLE_NORMAL, many.c_str());
  EXPECT_LT(strlen(g.s.cells[0].text), sizeof g.s.cells[0].text);
  EXPECT_EQ((strlen(g.s.cells[0].text) - 1) % 2, 0u) << "no mark is cut in two";
  surface_put(&g.s, g.all(), 0, 0, STYLE_NORMAL, "\xCC\x81z");
  EXPECT_STREQ(g.s.cells[0].text, "z") << "a mark without a character is dropped";
  surface_put(&g.s, g.all(), 0, 1, STYLE_NORMAL, "深\xCC\x81");
  EXPECT_STREQ(g.s.cells[1].text, "深\xCC\x81");
  surface_put(&g.s, g.all(), 0, 3, STYLE_NORMAL, "q\xCC\x81");
  EXPECT_STREQ(g.s.cells[3].text, "q\xCC\x81") << "the last column too";
  g.check();
}

TEST(Surface, NothingThatSteersATerminalGetsThrough) {
  Grid g(1, 40);
  surface_put(&g.s, g.all(), 0, 0, STYLE_NORMAL,
              "a\x1b[31m\x07\tb\nc\x7f \xC2\x9b \xE2\x80\xAE \xE2\x80\xA8\xFF");
  EXPECT_EQ(g.text(), "a\xEF\xBF\xBD[31m\xEF\xBF\xBD b c\xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD "
                      "\xEF\xBF\xBD\xEF\xBF\xBD");
  g.check();
}

TEST(Surface, JoinersAreDroppedSoThatWidthsHold) {
  Grid g(1, 10);
  EXPECT_EQ(surface_put(&g.s, g.all(), 0, 0, STYLE_NORMAL, "👩\u200D🔬\uFE0F."), 5);
  EXPECT_EQ(g.text(), "👩🔬.");
  g.check();
}

TEST(Surface, AsciiHasLookAlikes) {
  Grid g(1, 40);
  g.s.ascii = true;
  surface_put(&g.s, g.all(), 0, 0, STYLE_NORMAL, "─│┼▁▄█▒→▼◆é深…⣿✗e\xCC\x81\x1b");
  EXPECT_EQ(g.text(), "-|+_-#%>V*???~#Xe?");
  g.check();
}

TEST(Surface, RightAligned) {
  Grid g(1, 8);
  EXPECT_EQ(surface_put_right(&g.s, g.all(), 0, 6, STYLE_NORMAL, "深1"), 3);
  EXPECT_EQ(g.text(), "   深1");
  surface_clear(&g.s);
  surface_put_right(&g.s, g.all(), 0, 3, STYLE_NORMAL, "12345");
  EXPECT_EQ(g.text(), "345");
  surface_put_right(&g.s, {0, 4, 1, 4}, 0, 2, STYLE_NORMAL, "abc");
  EXPECT_EQ(g.text(), "345 bc") << "the left end is cut at the rectangle";
}

TEST(Surface, RuleKeepsTitleBeforeRight) {
  Grid g(1, 24);
  surface_rule(&g.s, g.all(), 0, "title", "right");
  EXPECT_EQ(g.text(), "─ title ───────── right");
  surface_clear(&g.s);
  surface_rule(&g.s, {0, 0, 1, 14}, 0, "title", "right");
  EXPECT_EQ(g.text(), "─ title ──────");
  surface_clear(&g.s);
  surface_rule(&g.s, {0, 0, 1, 9}, 0, "a long title", nullptr);
  EXPECT_EQ(g.text(), "─ a lo… ─");
  surface_clear(&g.s);
  surface_rule(&g.s, {0, 0, 1, 3}, 0, "title", "right");
  EXPECT_EQ(g.text(), "───");
}

TEST(Surface, FillAndStyle) {
  Grid g(3, 4);
  surface_fill(&g.s, {1, 1, 9, 9}, STYLE_DIM, "·");
  EXPECT_EQ(g.text(), "\n ···\n ···");
  surface_style(&g.s, {-1, -1, 2, 3}, STYLE_BAD);
  EXPECT_EQ(g.s.cells[1].style, STYLE_BAD);
  EXPECT_EQ(g.s.cells[2].style, STYLE_NORMAL);
  EXPECT_EQ(g.s.cells[4].style, STYLE_NORMAL);
  surface_fill(&g.s, {0, 0, 1, 4}, STYLE_DIM, "\u0301");
  g.check();
}

TEST(Surface, EmptyAndHuge) {
  Grid g(0, 0);
  EXPECT_EQ(g.text(), "");
  surface_put(&g.s, {0, 0, 1, 1}, 0, 0, STYLE_NORMAL, "x");
  ASSERT_TRUE(surface_resize(&g.s, -3, 5));
  EXPECT_EQ(g.s.rows, 0);
  ASSERT_TRUE(surface_resize(&g.s, 1, 1));
  surface_put(&g.s, {-1000000, -1000000, 2000000, 2000000}, 1000000, 1000000, STYLE_NORMAL, "x");
  EXPECT_EQ(g.text(), "x");
  EXPECT_EQ(surface_put(&g.s, {0, 0, 1, -5}, 0, 0, STYLE_NORMAL, "x"), 0);
}

TEST(Surface, AnsiChangesOnlyWhereTheLookDoes) {
  Grid g(2, 6);
  surface_put(&g.s, g.all(), 0, 0, STYLE_BAD, "ab");
  surface_put(&g.s, g.all(), 0, 2, STYLE_NORMAL, "c");
  surface_put(&g.s, g.all(), 1, 0, STYLE_BAD, "d");
  EXPECT_EQ(g.ansi(SCHEME_DARK), "\x1b[0;1;38;5;210mab\x1b[0mc\n\x1b[0;1;38;5;210md\x1b[0m");
  EXPECT_EQ(g.ansi(SCHEME_MONO), "\x1b[0;1;4mab\x1b[0mc\n\x1b[0;1;4md\x1b[0m");
}

TEST(Surface, AnsiKeepsBlanksThatShow) {
  Grid g(1, 3);
  surface_style(&g.s, {0, 1, 1, 1}, STYLE_SELECTED);
  EXPECT_EQ(g.ansi(SCHEME_MONO), " \x1b[0;7m \x1b[0m");
  surface_style(&g.s, g.all(), STYLE_DIM);
  EXPECT_EQ(g.ansi(SCHEME_MONO), "");
}

TEST(Surface, RandomBytesNeverBreakTheGrid) {
  std::mt19937 rng(3);
  Grid g(4, 13);
  const char *pieces[] = {"深", "e\xCC\x81", "🦾",   "\xFF",    "\x1b",
                          "ab", "─",         "\u0301", "\xE6\xB7"};
  for (int i = 0; i < 20000; i++) {
    std::string text;
    for (unsigned n = rng() % 8; n > 0; n--)
      text += rng() % 3 ? pieces[rng() % 9] : std::string(1, (char)(1 + rng() % 255));
    g.s.ascii = rng() % 4 == 0;
    rect r = {(int)(rng() % 8) - 2, (int)(rng() % 20) - 4, (int)(rng() % 7) - 1,
              (int)(rng() % 18) - 1};
    int used = surface_put(&g.s, r, (int)(rng() % 6) - 1, (int)(rng() % 20) - 4,
                           (style)(rng() % STYLE_COUNT), text.c_str());
    ASSERT_GE(used, 0);
    g.check();
    if (testing::Test::HasFatalFailure())
      FAIL() << "after step " << i;
  }
}

std::string strip_text(strip *st, int cols) {
  Grid g(1, cols);
  strip_draw(&g.s, g.all(), 0, 0, st);
  return g.text();
}

strip make_strip() {
  strip st{};
  strip_add(&st, 1, STYLE_NORMAL, STRIP_BLANK, "name");
  strip_add(&st, 0, STYLE_NORMAL, STRIP_BLANK, "id");
  strip_add(&st, 2, STYLE_NORMAL, STRIP_BAR, "promised");
  strip_add(&st, 3, STYLE_NORMAL, STRIP_GLUE | STRIP_CUT, ": a long reason for it");
  strip_add(&st, 4, STYLE_NORMAL, STRIP_TIGHT, "%s", "");
  return st;
}

TEST(Strip, GivesWayByRank) {
  struct {
    int cols;
    const char *text;
  } cases[] = {{60, "name  id │ promised: a long reason for it"},
               {32, "name  id │ promised: a long rea…"},
               {25, "name  id │ promised"},
               {12, "name  id"},
               {4, "id"},
               {1, "…"}};
  for (auto &c : cases) {
    strip st = make_strip();
    EXPECT_EQ(strip_text(&st, c.cols), c.text);
  }
}

TEST(Strip, BoundPiecesGoWithTheirs) {
  strip st{};
  strip_add(&st, 0, STYLE_NORMAL, STRIP_BLANK, "a");
  strip_add(&st, 2, STYLE_NORMAL, STRIP_BLANK, "a long piece that has no room");
  strip_add(&st, 3, STYLE_NORMAL, STRIP_TIGHT, "b");
  EXPECT_EQ(strip_text(&st, 10), "a") << "b alone would say something else";
}

TEST(Strip, TooManyPieces) {
  strip st{};
  for (int i = 0; i < 100; i++)
    strip_add(&st, 1, STYLE_NORMAL, STRIP_TIGHT, "x");
  EXPECT_EQ(st.n, STRIP_PIECES);
}

} // namespace
