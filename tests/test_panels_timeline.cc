// The lanes of the timeline: columns, ticks, levels, marks, events.
#include <algorithm>

#include "panel_fixture.h"

extern "C" {
#include "panel_timeline.h"
#include "surface_ascii.h"
}

namespace {

// The cells of a lane, one string per column, by the name in the gutter.
std::vector<std::string> lane(Fixture &f, const char *name, int rows, int cols) {
  surface s{};
  f.draw(&s, rows, cols);
  std::vector<std::string> out;
  rect r = f.a.layout.panel[PANEL_TIMELINE];
  for (int y = r.y; y < r.y + r.h; y++) {
    std::string head;
    for (int x = 0; x < 9; x++)
      head += s.cells[y * s.cols + x].text;
    if (head.find(name) == std::string::npos)
      continue;
    for (int x = 9; x < cols - 1; x++)
      out.push_back(s.cells[y * s.cols + x].text);
  }
  surface_free(&s);
  return out;
}

int count(const std::vector<std::string> &cells, const std::string &glyph) {
  return (int)std::count(cells.begin(), cells.end(), glyph);
}

TEST(Timeline, ColumnsAndStepsAgree) {
  for (int64_t first : {0, 7, 1000000})
    for (int64_t n : {1, 2, 3, 10, 99, 100, 101, 342, 12345, 1000000})
      for (int w : {1, 2, 7, 70, 110}) {
        timeline t = {first, first + n - 1, w, 9};
        int64_t before = first - 1;
        for (int col = 0; col < w; col++) {
          int64_t a, b;
          timeline_steps(&t, col, &a, &b);
          ASSERT_LE(a, b);
          ASSERT_GE(a, t.first);
          ASSERT_LE(b, t.last);
          ASSERT_LE(a, before + 1) << "no step is skipped";
          ASSERT_GE(b, before);
          for (int64_t step = before + 1; step <= b; step++)
            ASSERT_EQ(timeline_column(&t, step), col) << n << " steps in " << w;
          before = b;
        }
        ASSERT_EQ(before, t.last) << "every step has a column";
      }
}

TEST(Timeline, ColumnsClampOutside) {
  timeline t = {100, 199, 50, 9};
  EXPECT_EQ(timeline_column(&t, 0), 0);
  EXPECT_EQ(timeline_column(&t, 5000), 49);
}

TEST(Timeline, TicksAreNiceAndApart) {
  for (int64_t n : {1, 5, 60, 342, 5000, 1000000})
    for (int w : {10, 70, 190}) {
      timeline t = {0, n - 1, w, 9};
      int64_t tick = timeline_tick(&t, 8), lead = tick;
      EXPECT_GE((double)tick * w / (double)n, 8 - 1e-9);
      while (lead % 10 == 0)
        lead /= 10;
      EXPECT_TRUE(lead == 1 || lead == 2 || lead == 5) << tick;
    }
}

TEST(Timeline, LevelIsFullOnlyWhenTheHoldIs) {
  EXPECT_STREQ(timeline_level(0, 25), " ");
  EXPECT_STREQ(timeline_level(1, 1000), "▁") << "one step is seen";
  EXPECT_STREQ(timeline_level(24, 25), "▇");
  EXPECT_STREQ(timeline_level(25, 25), "█");
  EXPECT_STREQ(timeline_level(80, 25), "█");
  EXPECT_STREQ(timeline_level(1, 0), "█");
}

TEST(Timeline, PlayheadStandsAtItsStep) {
  Fixture f;
  for (int64_t step : {0, 1, 100, 213, 340, 341}) {
    f.go(step);
    std::vector<std::string> now = lane(f, "now", 40, 120);
    ASSERT_EQ(now.size(), 110u);
    timeline t = {0, 341, 110, 9};
    EXPECT_EQ(now[(size_t)timeline_column(&t, step)], "▼") << step;
    EXPECT_EQ(count(now, "▼"), 1);
  }
}

TEST(Timeline, PlayheadColumnIsMarkedInEveryLane) {
  Fixture f;
  surface s{};
  f.draw(&s, 40, 120);
  rect r = f.a.layout.panel[PANEL_TIMELINE];
  timeline t = {0, 341, 110, 9};
  int x = 9 + (int)timeline_column(&t, 213), marked = 0;
  for (int y = r.y; y < r.y + r.h; y++)
    marked += s.cells[y * s.cols + x].style == STYLE_PLAYHEAD;
  EXPECT_EQ(marked, 4) << "now, events, pred, hold";
  surface_free(&s);
}

// One true step among a million is seen, and so is one false step.
TEST(Timeline, OneStepIsNeverLost) {
  const int64_t n = 1000000;
  Fixture f;
  f.predicate.assign((size_t)n, 0);
  f.hold.assign((size_t)n, 0);
  f.events = {{123457, EVENT_TRUE}, {777777, EVENT_WARNED}};
  f.predicate[123457] = 1;
  f.hold[123457] = 1;
  f.film.states = n;
  f.wire();
  EXPECT_EQ(count(lane(f, "pred", 40, 120), "░"), 1);
  EXPECT_EQ(count(lane(f, "hold", 40, 120), "▁"), 1);
  EXPECT_EQ(count(lane(f, "events", 40, 120), "▲"), 1);
  EXPECT_EQ(count(lane(f, "events", 40, 120), "w"), 1);
  f.predicate.assign((size_t)n, 1);
  f.predicate[5000] = 0;
  f.wire();
  EXPECT_EQ(count(lane(f, "pred", 40, 120), "░"), 1);
  EXPECT_EQ(count(lane(f, "pred", 40, 120), "▒"), 109);
}

TEST(Timeline, TheWorthiestEventOfAColumnIsDrawn) {
  Fixture f;
  f.film.states = 100000;
  f.predicate.assign(100000, 0);
  f.hold.assign(100000, 0);
  const event_kind order[] = {EVENT_WARNED,  EVENT_CLIPPED, EVENT_FALSE, EVENT_TRUE,
                              EVENT_FINDING, EVENT_END,     EVENT_LATCH};
  const char *glyphs[] = {"w", "c", "▽", "▲", "!", "■", "◆"};
  f.events.clear();
  for (int i = 0; i < 7; i++) {
    f.events.insert(f.events.begin() + (i % 2 ? 0 : i), {50000 + i, order[i]});
    f.wire();
    std::vector<std::string> cells = lane(f, "events", 40, 120);
    EXPECT_EQ(count(cells, glyphs[i]), 1) << glyphs[i];
    EXPECT_EQ(count(cells, " "), 109);
  }
}

// Those of the snapshot, however few are known; less than a finding, more than the predicate.
TEST(Timeline, AStageThatIsReachedIsAnEvent) {
  Fixture f;
  char names[3][64] = {"reach", "grasp", "lift"};
  f.events = {{120, EVENT_TRUE}, {250, EVENT_FINDING}};
  f.film.nstages = 3;
  f.film.stage = names;
  f.snap.stages.stages.n = 3;
  f.snap.stages.stages.latch[0] = 60;
  f.snap.stages.stages.latch[1] = 120;
  f.snap.stages.stages.latch[2] = 250;
  f.wire();
  EXPECT_EQ(count(lane(f, "events", 40, 120), "○"), 0) << "none is judged yet";
  EXPECT_EQ(f.text(40, 120).find("○ stage"), std::string::npos);
  f.snap.stages.stages.done = 3;
  std::vector<std::string> cells = lane(f, "events", 40, 120);
  EXPECT_EQ(count(cells, "○"), 2);
  EXPECT_EQ(count(cells, "▲"), 0);
  EXPECT_EQ(count(cells, "!"), 1);
  EXPECT_EQ(surface_ascii(0x25CB), 'o');
  EXPECT_NE(f.text(40, 120).find("▲ true  ○ stage  ! finding"), std::string::npos)
      << f.text(40, 120);
}

TEST(Timeline, AFailedEpisodeEndsWithACross) {
  Fixture f;
  EXPECT_EQ(lane(f, "events", 40, 120).back(), "■");
  f.film.meta.success = 0;
  f.film.meta.end_reason = PH_END_TRUNCATED;
  EXPECT_EQ(lane(f, "events", 40, 120).back(), "✗");
}

TEST(Timeline, MarksOfOtherEpisodesAreNotShown) {
  Fixture f;
  f.mark_at("demo_18", 'c', 50);
  EXPECT_EQ(count(lane(f, "now", 40, 120), "c"), 0);
  f.mark_at("demo_17", 'd', 50);
  EXPECT_EQ(count(lane(f, "now", 40, 120), "d"), 1);
}

} // namespace
