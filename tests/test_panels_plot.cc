// Curves below the timeline.
#include "panel_foreign.h"

namespace {

TEST(PlotPanel, Golden) {
  Foreign f;
  f.plot("arm_elbow", "rad", -1.90212);
  expect_golden("panels_plot_120x40", f.text(40, 120));
  expect_golden("panels_plot_80x24", f.text(24, 80));
  f.a.ascii = true;
  std::string ascii = f.text(40, 120);
  expect_golden("panels_plot_120x40_ascii", ascii);
  for (char c : ascii)
    ASSERT_TRUE(c == '\n' || (c >= 32 && c < 127)) << (int)c;
  f.a.ascii = false;
  f.plot("drawer", "m", 0.06556);
  f.plot("reward", "", 0);
  f.plot("obs/robot0_eef_pos[2]", "", 0.97, 120);
  expect_golden("panels_plot_four_200x60", f.text(60, 200));
}

TEST(PlotPanel, MonoShowsThePlayheadInReverse) {
  Foreign f;
  f.plot("arm_elbow", "rad", -1.9);
  f.a.scheme = SCHEME_MONO;
  surface s{};
  f.draw(&s, 40, 120);
  const rect &r = f.a.layout.panel[PANEL_PLOT];
  int column = -1;
  for (int y = r.y + 1; y < r.y + r.h; y++)
    for (int x = 0; x < 120; x++)
      if (s.cells[y * 120 + x].style == STYLE_PLAYHEAD) {
        EXPECT_TRUE(column < 0 || column == x);
        column = x;
      }
  ASSERT_GE(column, 0);
  const rect &t = f.a.layout.panel[PANEL_TIMELINE];
  bool same = false;
  for (int y = t.y; y < t.y + t.h; y++)
    same |= std::string(s.cells[y * 120 + column].text) == "▼";
  EXPECT_TRUE(same) << "under the playhead of the timeline";
  surface_free(&s);
}

TEST(PlotPanel, SaysWhatIsStillRead) {
  Foreign f;
  f.plot("arm_elbow", "rad", -1.9, 0);
  EXPECT_TRUE(has(f.row(40, 120, "plot arm_elbow"), "reading ... 0 %"));
  EXPECT_FALSE(has(f.text(40, 120), "no number in these steps"));
  f.snap.plot.curve[0].ready = 171;
  EXPECT_TRUE(has(f.row(40, 120, "plot arm_elbow"), "reading ... 50 %"));
  f.snap.plot.curve[0].ready = 342;
  EXPECT_FALSE(has(f.text(40, 120), "reading"));
  for (ph_span &span : f.parts[0])
    span = {INFINITY, -INFINITY};
  EXPECT_TRUE(has(f.text(40, 120), "no number in these steps"));
  set_text(f.snap.plot.curve[0].note, "block 3 of states is damaged");
  EXPECT_TRUE(has(f.row(40, 120, "plot arm_elbow"), "! block 3 of states is damaged"));
}

TEST(PlotPanel, LabelsThatWouldLookAlikeSayTheDifference) {
  Foreign f;
  f.plot("cup.y", "m", 0.30596);
  for (size_t i = 0; i < 342; i++) {
    double y = 0.30596 + (i > 100 ? 3e-7 : 0);
    f.parts[0][i] = {y, y};
  }
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "0.30596┤"));
  EXPECT_TRUE(has(text, "+3.0e-07┤")) << text;
}

TEST(PlotPanel, IsReachedWithTabOnlyWhenThereIsACurve) {
  Foreign f;
  app_resize(&f.a, 40, 120);
  app_key(&f.a, KEY_TAB_, 1000);
  EXPECT_EQ(f.a.focus, PANEL_STATE);
  f.plot("arm_elbow", "rad", 0);
  f.a.focus = PANEL_TIMELINE;
  app_key(&f.a, KEY_TAB_, 2000);
  EXPECT_EQ(f.a.focus, PANEL_PLOT);
  f.snap.plot.n = 0;
  app_resize(&f.a, 40, 120);
  EXPECT_EQ(f.a.focus, PANEL_TIMELINE) << "a panel that is gone keeps no focus";
}

TEST(PlotPanel, CurvesWithoutRoomAreCountedAndReached) {
  Foreign f;
  for (const char *name : {"one", "two", "three", "four"})
    f.plot(name, "", 0);
  app_resize(&f.a, 24, 80);
  ASSERT_LT(f.a.layout.panel[PANEL_PLOT].h, 12);
  std::string text = f.text(24, 80);
  EXPECT_TRUE(has(text, "plot one"));
  EXPECT_TRUE(has(text, "more")) << text;
  f.a.focus = PANEL_PLOT;
  f.a.cursor[PANEL_PLOT] = 3;
  EXPECT_TRUE(has(f.text(24, 80), "four"));
}

} // namespace
