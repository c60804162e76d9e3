// Focus, cursors, zoom and filters of panels.

#include <set>
#include <string>
#include <vector>

#include "app_help.h"

TEST(AppPanels, TabWalksThemAllAndBack) {
  FakeApp f;
  std::set<int> seen;
  enum panel_id start = f.app.focus;
  std::vector<int> order;
  do {
    seen.insert(f.app.focus);
    order.push_back(f.app.focus);
    f.keys("Tab");
  } while (f.app.focus != start && order.size() < 20);
  EXPECT_EQ(seen.size(), order.size());
  EXPECT_GE(seen.size(), 4u);
  EXPECT_TRUE(seen.count(PANEL_TIMELINE) && seen.count(PANEL_STATE));
  f.keys("S-Tab");
  EXPECT_EQ(f.app.focus, order.back());
}

TEST(AppPanels, APanelWithoutRoomIsShownAlone) {
  FakeApp f;
  for (int rows : {6, 10, 16, 24, 40})
    for (int cols : {20, 60, 80, 120}) {
      app_resize(&f.app, rows, cols);
      std::set<int> seen;
      for (int i = 0; i < 6; i++) {
        const struct rect *r = &f.app.layout.panel[f.app.focus];
        EXPECT_TRUE(r->h > 0 && r->w > 0) << rows << "x" << cols << " " << f.app.focus;
        seen.insert(f.app.focus);
        f.keys("Tab");
      }
      EXPECT_EQ(seen.size(), 6u) << rows << "x" << cols;
    }
  app_resize(&f.app, 14, 80);
  while (f.app.focus != PANEL_LOG)
    f.keys("Tab");
  EXPECT_TRUE(f.app.crowded);
  f.keys("z");
  EXPECT_EQ(f.app.focus, PANEL_TIMELINE);
  EXPECT_FALSE(f.app.crowded);
  f.keys("S-Tab");
  EXPECT_EQ(f.app.focus, PANEL_LOG);
  app_resize(&f.app, 60, 200);
  EXPECT_FALSE(f.app.crowded) << "there is room now";
  EXPECT_EQ(f.app.focus, PANEL_LOG);
  app_resize(&f.app, 14, 80);
  EXPECT_TRUE(f.app.crowded);
  f.keys("Esc");
  EXPECT_EQ(f.app.focus, PANEL_TIMELINE);
}

TEST(AppPanels, KeysOfMovementScrollTheHelp) {
  FakeApp f;
  app_resize(&f.app, 24, 80);
  f.keys("1 0 0 Enter ? PgDn");
  EXPECT_EQ(f.step(), 100);
  EXPECT_EQ(f.app.cursor[PANEL_HELP], f.app.layout.panel[PANEL_HELP].h - 2);
  f.keys("Down");
  EXPECT_EQ(f.app.cursor[PANEL_HELP], f.app.layout.panel[PANEL_HELP].h - 1);
  f.keys("End PgUp Up");
  EXPECT_GT(f.app.cursor[PANEL_HELP], 0);
  f.keys("Home");
  EXPECT_EQ(f.app.cursor[PANEL_HELP], 0);
  EXPECT_EQ(f.step(), 100);
  f.keys("q PgUp");
  EXPECT_EQ(f.step(), 34) << "the playhead again, once it is closed";
}

TEST(AppPanels, KeysMayCarryArguments) {
  FakeApp f;
  f.line("bind w go 50%");
  EXPECT_FALSE(f.app.message_bad) << f.said();
  f.keys("w");
  EXPECT_EQ(f.step(), 170);
  f.line("bind x step-forward 5");
  f.keys("x");
  EXPECT_EQ(f.step(), 175);
  f.keys("3 x");
  EXPECT_EQ(f.step(), 178) << "a number that is typed is the count";
  f.keys("2 w");
  EXPECT_EQ(f.step(), 170) << "no 2g";
  f.line("bind w mark a");
  f.keys("w");
  EXPECT_EQ(f.sheet().nmarks, 1u);
}

TEST(AppPanels, CursorStaysInside) {
  FakeApp f;
  f.app.focus = PANEL_STATE;
  f.keys("9 9 9 j");
  EXPECT_GE(f.app.cursor[PANEL_STATE], 0);
  EXPECT_LE(f.app.cursor[PANEL_STATE], 20);
  f.keys("9 9 9 9 9 9 9 9 9 9 9 9 9 k");
  EXPECT_EQ(f.app.cursor[PANEL_STATE], 0);
  EXPECT_EQ(f.app.scroll[PANEL_STATE], 0);
}

TEST(AppPanels, ZoomFilterHelpAndEsc) {
  FakeApp f;
  f.app.focus = PANEL_STATE;
  f.keys("z");
  EXPECT_EQ(f.app.zoomed, PANEL_STATE);
  f.keys("Tab");
  EXPECT_EQ(f.app.zoomed, (int)f.app.focus) << "Tab shows the next panel alone";
  f.keys("Esc");
  EXPECT_EQ(f.app.zoomed, -1);
  f.app.focus = PANEL_STATE;
  f.keys("f x y Enter");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "xy");
  f.keys("f z Esc");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "xy") << "Esc puts the old one back";
  f.keys("f q C-c");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "xy");
  EXPECT_FALSE(f.app.filtering);
  f.keys("Esc");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "");
  f.keys("?");
  EXPECT_TRUE(f.app.help);
  EXPECT_EQ(app_active(&f.app), PANEL_HELP);
  EXPECT_FALSE(f.keys("q") & REACT_QUIT) << "q closes the help first";
  EXPECT_FALSE(f.app.help);
  f.keys("F1 F1 ? Esc");
  EXPECT_FALSE(f.app.help);
  f.line(("filter " + std::string(200, 'x')).c_str());
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppPanels, LongFilterIsCutBetweenCharacters) {
  FakeApp f;
  f.app.focus = PANEL_STATE;
  f.keys("f");
  for (int i = 0; i < 100; i++)
    f.key(U'€');
  EXPECT_EQ(strlen(f.app.filter[PANEL_STATE]), 63u);
  f.key('x');
  EXPECT_EQ(strlen(f.app.filter[PANEL_STATE]) % 3, 0u);
}

TEST(AppPanels, EnterOnTheTimelineIsOneStepOn) {
  FakeApp f;
  f.app.focus = PANEL_TIMELINE;
  f.keys("Space Enter");
  EXPECT_EQ(f.step(), 1);
  EXPECT_FALSE(f.app.playing);
  f.app.focus = PANEL_STATE;
  f.keys("Enter");
  EXPECT_EQ(f.step(), 1);
}

TEST(AppPanels, TimeZoomStaysAroundThePlayhead) {
  FakeApp f;
  f.keys("2 0 0 Enter +");
  EXPECT_EQ(f.app.zoom_last - f.app.zoom_first, 170);
  f.keys("+ + + + + + + +");
  EXPECT_EQ(f.app.zoom_last - f.app.zoom_first, 8);
  f.keys("End");
  EXPECT_EQ(f.app.zoom_last, 341);
  expect_sound(&f.app);
  f.keys("r");
  EXPECT_EQ(f.app.zoom_first, 0);
  f.keys("9 9 -");
  EXPECT_EQ(f.app.zoom_first, -1);
}
