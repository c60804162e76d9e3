// Every size: inside, disjoint, by priority.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

extern "C" {
#include "layout.h"
}

namespace {

bool empty(const rect &r) {
  return r.h <= 0 || r.w <= 0;
}

layout compute(int rows, int cols, const layout_options &opt) {
  layout out;
  std::memset(&out, 0x5A, sizeof out);
  layout_compute(&out, rows, cols, &opt);
  return out;
}

layout_options options() {
  layout_options opt{};
  opt.zoomed = -1;
  opt.nepisodes = 200;
  opt.has_task = true;
  opt.nsignals = 30;
  opt.nactions = 5;
  opt.nconditions = 2;
  return opt;
}

std::vector<layout_options> all_options() {
  std::vector<layout_options> out{options()};
  layout_options opt{};
  opt.zoomed = -1;
  out.push_back(opt);
  for (int zoomed : {PANEL_TIMELINE, PANEL_STATE, PANEL_LOG}) {
    opt = options();
    opt.zoomed = zoomed;
    out.push_back(opt);
  }
  opt = options();
  opt.help = true;
  out.push_back(opt);
  opt = options();
  opt.nactions = 100;
  opt.nconditions = 40;
  opt.nnotes = 2;
  out.push_back(opt);
  for (int many : {1, 4, 400}) {
    opt = options();
    opt.nenvs = many;
    out.push_back(opt);
    opt.zoomed = PANEL_ENVS;
    out.push_back(opt);
    opt.zoomed = -1;
    opt.ncurves = many > 4 ? 4 : many;
    opt.nfindings = many;
    opt.findings_text = 70 * many;
    out.push_back(opt);
    opt.has_task = false;
    opt.zoomed = many == 1 ? (int)PANEL_PLOT : many == 4 ? (int)PANEL_FINDINGS : -1;
    out.push_back(opt);
  }
  opt = options();
  opt.has_task = false;
  opt.nepisodes = 1;
  opt.nactions = 0;
  out.push_back(opt);
  return out;
}

void expect_sound(const layout &l, int rows, int cols) {
  for (int i = 0; i < PANEL_COUNT; i++) {
    const rect &r = l.panel[i];
    ASSERT_TRUE(r.h >= 0 && r.w >= 0) << i << " at " << cols << "x" << rows;
    if (empty(r))
      continue;
    ASSERT_TRUE(r.y >= 0 && r.x >= 0 && r.y + r.h <= rows && r.x + r.w <= cols)
        << i << " at " << cols << "x" << rows;
    for (int j = 0; j < i; j++) {
      const rect &q = l.panel[j];
      bool apart =
          empty(q) || r.y >= q.y + q.h || q.y >= r.y + r.h || r.x >= q.x + q.w || q.x >= r.x + r.w;
      ASSERT_TRUE(apart) << i << " and " << j << " at " << cols << "x" << rows;
    }
  }
}

TEST(Layout, EverySizeIsSound) {
  for (const layout_options &opt : all_options())
    for (int rows = 1; rows <= 300; rows += rows < 80 ? 1 : 17)
      for (int cols = 1; cols <= 300; cols++) {
        layout l = compute(rows, cols, opt);
        expect_sound(l, rows, cols);
        if (HasFatalFailure())
          return;
        bool small = rows < LAYOUT_MIN_ROWS || cols < LAYOUT_MIN_COLS;
        ASSERT_EQ(l.too_small, small);
        for (int i = 0; small && i < PANEL_COUNT; i++)
          ASSERT_TRUE(empty(l.panel[i]));
      }
}

// Rows that no panel covers, apart from the column between neighbours, would be room lost.
TEST(Layout, NoRoomIsLost) {
  for (const layout_options &opt : all_options())
    for (int rows = LAYOUT_MIN_ROWS; rows <= 70; rows++)
      for (int cols = LAYOUT_MIN_COLS; cols <= 220; cols += 3) {
        layout l = compute(rows, cols, opt);
        for (int y = 0; y < rows; y++) {
          int covered = 0;
          for (int i = 0; i < PANEL_COUNT; i++)
            if (y >= l.panel[i].y && y < l.panel[i].y + l.panel[i].h)
              covered += l.panel[i].w;
          ASSERT_GE(covered, cols - 2) << "row " << y << " at " << cols << "x" << rows;
        }
      }
}

TEST(Layout, PrioritiesHold) {
  static const panel_id order[] = {PANEL_STATUS,  PANEL_HEADER, PANEL_TIMELINE, PANEL_STATE,
                                   PANEL_SUCCESS, PANEL_ACTION, PANEL_EPISODES, PANEL_LOG};
  for (int rows = LAYOUT_MIN_ROWS; rows <= 80; rows++)
    for (int cols = LAYOUT_MIN_COLS; cols <= 300; cols++) {
      layout l = compute(rows, cols, options());
      ASSERT_FALSE(empty(l.panel[PANEL_STATE])) << cols << "x" << rows;
      bool gone = false;
      for (panel_id id : order) {
        // three columns: episodes have one of their own
        bool late = gone && (cols < 160 || id <= PANEL_STATE);
        ASSERT_TRUE(!late || empty(l.panel[id])) << id << " at " << cols << "x" << rows;
        gone |= empty(l.panel[id]);
      }
    }
}

TEST(Layout, UsualSizesShowWhatMatters) {
  layout l = compute(24, 80, options());
  for (panel_id id : {PANEL_HEADER, PANEL_TIMELINE, PANEL_STATE, PANEL_SUCCESS, PANEL_ACTION,
                      PANEL_STATUS, PANEL_HINTS})
    EXPECT_FALSE(empty(l.panel[id])) << id;
  EXPECT_EQ(l.panel[PANEL_TIMELINE].w, 80);
  EXPECT_GE(l.panel[PANEL_ACTION].h, 7) << "title, names and five elements";
  for (auto size : {std::pair<int, int>{40, 120}, {60, 200}}) {
    l = compute(size.first, size.second, options());
    for (int id = 0; id < PANEL_COUNT; id++)
      EXPECT_EQ(empty(l.panel[id]),
                id == PANEL_HELP || id == PANEL_PLOT || id == PANEL_FINDINGS || id == PANEL_ENVS)
          << id;
  }
}

TEST(Layout, PlotsAndFindingsHaveAPlaceWhereThereAreAny) {
  layout_options opt = options();
  opt.ncurves = 2;
  opt.nfindings = 3;
  opt.findings_text = 200;
  layout l = compute(40, 120, opt);
  const rect &plot = l.panel[PANEL_PLOT], &timeline = l.panel[PANEL_TIMELINE];
  EXPECT_EQ(plot.w, 120) << "column for column with the timeline";
  EXPECT_EQ(plot.x, timeline.x);
  EXPECT_EQ(plot.y, timeline.y + timeline.h);
  EXPECT_EQ(plot.h, 10);
  EXPECT_GE(l.panel[PANEL_FINDINGS].h, 5);
  EXPECT_FALSE(empty(l.panel[PANEL_STATE]));
  EXPECT_FALSE(empty(l.panel[PANEL_SUCCESS]));
  l = compute(16, 80, opt);
  EXPECT_TRUE(empty(l.panel[PANEL_PLOT])) << "small screens keep the state";
  EXPECT_FALSE(empty(l.panel[PANEL_STATE]));
  opt.zoomed = PANEL_PLOT;
  l = compute(16, 80, opt);
  EXPECT_FALSE(empty(l.panel[PANEL_PLOT]));
  opt.zoomed = PANEL_FINDINGS;
  EXPECT_FALSE(empty(compute(16, 80, opt).panel[PANEL_FINDINGS]));
  opt.zoomed = -1;
  for (int cols : {50, 80, 200}) {
    l = compute(40, cols, opt);
    EXPECT_EQ(empty(l.panel[PANEL_FINDINGS]), cols == 50) << cols << ": the header counts them";
    EXPECT_FALSE(empty(l.panel[PANEL_PLOT])) << cols;
    EXPECT_GE(l.panel[PANEL_STATE].h, 4) << cols;
  }
  EXPECT_FALSE(empty(compute(60, 50, opt).panel[PANEL_FINDINGS]));
}

TEST(Layout, EnvsLieUnderTheTimeline) {
  layout_options opt = options();
  opt.nenvs = 4;
  layout l = compute(40, 120, opt);
  const rect &envs = l.panel[PANEL_ENVS], &timeline = l.panel[PANEL_TIMELINE];
  EXPECT_EQ(envs.y, timeline.y + timeline.h);
  EXPECT_EQ(envs.w, 120);
  EXPECT_EQ(envs.h, 6) << "title, axis, a line each";
  EXPECT_FALSE(empty(l.panel[PANEL_STATE]));
  opt.nenvs = 4096;
  l = compute(40, 120, opt);
  EXPECT_LE(envs.h, 14) << "the others keep the greater part";
  EXPECT_GE(l.panel[PANEL_STATE].h, 10);
  EXPECT_FALSE(empty(compute(24, 80, opt).panel[PANEL_ENVS]));
  EXPECT_TRUE(empty(compute(14, 80, opt).panel[PANEL_ENVS])) << "Tab shows it alone";
}

TEST(Layout, ZoomFillsTheBodyAndHelpCoversIt) {
  layout_options opt = options();
  opt.zoomed = PANEL_EPISODES;
  layout l = compute(40, 120, opt);
  EXPECT_EQ(l.panel[PANEL_EPISODES].w, 120);
  EXPECT_GE(l.panel[PANEL_EPISODES].h, 30);
  EXPECT_TRUE(empty(l.panel[PANEL_STATE]));
  EXPECT_FALSE(empty(l.panel[PANEL_TIMELINE])) << "the playhead stays in sight";
  opt.help = true;
  l = compute(40, 120, opt);
  EXPECT_EQ(l.panel[PANEL_HELP].h, 36);
  EXPECT_TRUE(empty(l.panel[PANEL_EPISODES]));
}

} // namespace
