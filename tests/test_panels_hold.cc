// What the screen says of a hold: sources and their refusals, intervals, the whole list, a cut.
#include "panel_dynamic.h"

extern "C" {
#include "held_view.h"
}

namespace {

struct Hold : Dynamic {
  held_answer held{};
  std::vector<held_interval> intervals;

  explicit Hold(tui_mode mode = MODE_KINEMATIC) : Dynamic(mode) {
    held.steps = held.own = 25;
    for (auto &source : held.source) {
      source.known = true;
      source.rows = source.all = 341;
      source.latch = 287;
      source.refused = -1;
    }
    intervals = {{239, 250, true, "closed 0.0112 m"}, {263, 341, false, ""}};
    snap.held = &held;
    tie();
    a.zoomed = PANEL_SUCCESS;
    a.focus = PANEL_SUCCESS;
  }
  ~Hold() { snap.held = nullptr; }

  void tie() {
    held.interval = intervals.data();
    held.n = held.all = intervals.size();
  }
  void move(int64_t steps) {
    held.steps = film.hold_steps = steps;
    a.want.hold = {true, 0.02 * (double)steps, true};
  }
  void refuse(int source, ph_refusal refusal, int64_t row, const char *why) {
    held.source[source].latch = -1;
    held.source[source].refusal = refusal;
    held.source[source].refused = row;
    set_text(held.source[source].text, why);
  }
  void count() {
    hold_count &c = held.count;
    c.on = c.asked = true;
    c.all = c.done = 200;
    c.dt = 0.02;
    c.steps[0] = 20, c.steps[1] = 25, c.steps[2] = 30;
    c.latch[0] = 158, c.latch[1] = 141, c.latch[2] = 139;
    c.own = 141;
    c.both = 141;
  }
};

TEST(PanelsHold, SourcesAndIntervals) {
  Hold h;
  std::string text = h.text(40, 120);
  EXPECT_TRUE(has(text, "recorded   at 287")) << text;
  EXPECT_TRUE(has(text, "kinematic  at 287")) << text;
  EXPECT_TRUE(has(text, "dynamic    at 287")) << text;
  EXPECT_TRUE(has(text, "~239..250  12/25  broke: closed 0.0112 m")) << text;
  EXPECT_TRUE(has(text, "◆263..341  79 steps  to the end")) << text;
  EXPECT_FALSE(has(text, "not saved")) << text;
  EXPECT_FALSE(has(text, "latch so far")) << text;
}

TEST(PanelsHold, TheThreeRefusals) {
  Hold h;
  h.refuse(0, PH_REFUSAL_NEVER, -1, "");
  h.held.source[0].longest = 22;
  h.refuse(1, PH_REFUSAL_ENDED, 300, "terminated: failure");
  h.refuse(2, PH_REFUSAL_LEFT, 213, "arm_wrist 4.1e-3 rad");
  std::string text = h.text(40, 120);
  EXPECT_TRUE(has(text, "recorded   never: 22/25 at most")) << text;
  EXPECT_TRUE(has(text, "kinematic  no: ends at 300, terminated: failure")) << text;
  EXPECT_TRUE(has(text, "dynamic    no: leaves at 213, arm_wrist 4.1e-3 rad")) << text;
}

TEST(PanelsHold, WhatIsNotKnown) {
  Hold h;
  h.held.source[1].known = false;
  h.refuse(1, PH_REFUSAL_UNKNOWN, -1, "no model: the file names none");
  h.refuse(2, PH_REFUSAL_NEVER, -1, "");
  h.held.source[2].waits = true;
  h.held.source[2].rows = 120;
  std::string text = h.text(40, 120);
  EXPECT_TRUE(has(text, "kinematic  no model: the file names none")) << text;
  EXPECT_TRUE(has(text, "dynamic    not yet: 120/341")) << text;
}

TEST(PanelsHold, AnotherHoldIsSaidToBeUnsaved) {
  Hold h;
  h.move(24);
  std::string text = h.text(40, 160);
  EXPECT_TRUE(has(text, "hold 0.48 s not saved, file 0.5 s")) << text;
  EXPECT_TRUE(has(text, "/24 = 0.00/0.48 s, not saved")) << text;
  EXPECT_TRUE(has(h.text(24, 80), "0.48 s, not saved"));
  const_cast<struct reel *>(app_reel(&h.a))->meta.hold_seconds = -1;
  EXPECT_TRUE(has(h.text(40, 160), "hold 0.48 s not saved, file says none"));
}

// A hold that is no whole number of steps is said as it was typed, and what it comes to.
TEST(PanelsHold, TheHeaderSaysWhatWasTyped) {
  Hold h;
  h.move(24);
  EXPECT_TRUE(has(h.text(40, 160), "hold 0.48 s not saved"));
  h.a.want.hold.seconds = 0.475;
  std::string text = h.text(40, 160);
  EXPECT_TRUE(has(text, "hold 0.475 s = 0.48 s not saved, file 0.5 s")) << text;
  h.a.want.hold.seconds = 0.3;
  text = h.text(40, 160);
  EXPECT_TRUE(has(text, "hold 0.48 s not saved")) << "it is not on show yet: " << text;
}

// In one line, which a small screen has to be scrolled for.
TEST(PanelsHold, TheListIsCountedUnasked) {
  Hold h;
  h.count();
  h.held.count.asked = false;
  std::string text = h.text(40, 150);
  EXPECT_TRUE(has(text, "hold 0.5 s: 141/200 latch  0.4 s: 158  0.6 s: 139, recorded")) << text;
  h.held.count.done = 120;
  text = h.text(40, 150);
  EXPECT_TRUE(has(text, "hold 0.5 s: 141/120 latch so far, of 200")) << text;
  EXPECT_FALSE(has(text, "counted 120/200")) << "nobody waits for it: " << text;
  h.held.count.stopped = true;
  text = h.text(40, 150);
  EXPECT_TRUE(has(text, "hold 0.5 s: 141/120 latch, first 120  0.4 s: 158  0.6 s: 139")) << text;
  h.held.count.stopped = false;
  h.held.count.done = 0;
  EXPECT_TRUE(has(h.text(40, 150), "hold 0.5 s: counted in the background"));
}

TEST(PanelsHold, TheWholeList) {
  Hold h;
  h.count();
  h.held.count.median = 0;
  std::string text = h.text(40, 120);
  EXPECT_TRUE(has(text, "hold 0.5 s: 141/200 latch, recorded")) << text;
  EXPECT_TRUE(has(text, "0.4 s: 158  0.6 s: 139")) << text;
  EXPECT_FALSE(has(text, "move by")) << text;
  EXPECT_FALSE(has(text, "counted")) << text;
  h.move(20);
  h.held.count.steps[1] = 20;
  h.held.count.median = -5;
  h.held.count.least = -66;
  h.held.count.most = 3;
  h.held.count.done = 120;
  h.held.count.unknown = 2;
  h.held.count.judged = 7;
  text = h.text(40, 200);
  EXPECT_TRUE(has(text, "hold 0.4 s: 141/120 latch so far, of 200, recorded, 7 kinematic")) << text;
  EXPECT_TRUE(has(text, "latches move by -5 (median), -66..+3 steps")) << text;
  EXPECT_TRUE(has(text, "2 not known")) << text;
  EXPECT_TRUE(has(text, "141 at the files' own holds")) << text;
  EXPECT_TRUE(has(text, "counted 120/200")) << text;
  h.held.count.done = 0;
  EXPECT_TRUE(has(h.text(40, 120), "counted in the background"));
  h.held.count.done = 200;
  h.held.count.both = 0;
  EXPECT_TRUE(has(h.text(40, 120), "none latches at both holds"));
}

// Behind the latch nothing was near.
TEST(PanelsHold, NearMissesAreBeforeTheLatch) {
  Hold h;
  h.move(12);
  h.intervals = {{50, 55, true, ""}, {263, 280, true, ""}, {300, 305, true, ""}};
  h.tie();
  for (auto &source : h.held.source)
    source.latch = 274;
  std::string text = h.text(40, 120);
  EXPECT_TRUE(has(text, "~50..55  6/12")) << text;
  EXPECT_TRUE(has(text, "◆263..280  18 steps")) << text;
  EXPECT_TRUE(has(text, " 300..305  6/12")) << text;
  EXPECT_FALSE(has(text, "~300")) << text;
}

TEST(PanelsHold, KeysOfTheHoldAreInTheLastLine) {
  Hold h;
  EXPECT_TRUE(has(h.text(40, 120), "h H hold"));
  EXPECT_TRUE(has(h.text(24, 80), "h H hold"));
  h.a.zoomed = PANEL_STATE;
  h.a.focus = PANEL_STATE;
  EXPECT_FALSE(has(h.text(40, 120), "h H hold"));
}

TEST(PanelsHold, ACutThatWaitsForItsWord) {
  Hold h;
  h.count();
  cut_plan &p = h.held.plan;
  p.ready = true;
  p.kept = 141;
  p.dropped = 59;
  p.least = 2;
  p.most = 66;
  p.named = 1;
  set_text(p.drop[0].id, "demo_4");
  set_text(p.drop[0].why, "success does not latch: 12/25 at most");
  p.asked = COUNT_STRICTEST;
  p.by = PH_LATCH_DYNAMIC;
  set_text(p.source,
           "/data/a folder with a long name that goes on and on/and on/demonstrations.h5");
  EXPECT_FALSE(has(h.text(40, 120), "cut"));
  h.a.cut_shown = true;
  set_text(h.a.cut_out,
           "/data/a folder with a long name that goes on and on/and on/demonstrations_hold0p5s.h5");
  for (int cols : {120, 80}) {
    std::string text = h.text(24, cols);
    EXPECT_TRUE(has(text, "141 of 200 episodes are kept, by dynamic (the strictest")) << text;
    EXPECT_TRUE(has(text, "hold of 0.5 s")) << text;
    EXPECT_TRUE(has(text, "2..66 steps are cut off the end of each")) << text;
    EXPECT_TRUE(has(text, "demonstrations_hold0p5s.h5")) << text;
    EXPECT_TRUE(has(text, "left out: 59")) << text;
    EXPECT_TRUE(has(text, "demo_4: success does not latch: 12/25 at most")) << text;
    EXPECT_TRUE(has(text, "and 58 more")) << text;
    EXPECT_TRUE(has(text, ":cut! writes it  Esc leaves it")) << text;
  }
  h.a.cut_shown = false;
  set_text(h.held.cutting, "cutting out.h5: 3/200");
  EXPECT_TRUE(has(h.text(40, 120), "cutting out.h5: 3/200"));
}

TEST(PanelsHold, MoreIntervalsThanAreListedAreCounted) {
  Hold h;
  h.intervals.assign(HELD_INTERVALS, {5, 6, true, ""});
  h.tie();
  h.held.all = HELD_INTERVALS + 7;
  int lines = panel_success_lines(&h.a);
  EXPECT_EQ(lines, 2 + 3 + HELD_INTERVALS + 1);
  h.a.cursor[PANEL_SUCCESS] = lines - 1;
  EXPECT_TRUE(has(h.text(40, 120), "7 more intervals"));
  EXPECT_EQ(held_step(&h.a, lines - 3), -1) << "that line is no place to go to";
}

// Every line is drawn, at any size, wherever the cursor is.
TEST(PanelsHold, AnySizeIsDrawn) {
  Hold h(MODE_BOTH);
  h.count();
  h.move(24);
  h.a.cut_shown = true;
  for (int zoomed : {-1, (int)PANEL_SUCCESS})
    for (int rows = 1; rows < 62; rows += 5)
      for (int cols = 1; cols < 210; cols += 13)
        for (int cursor = 0; cursor < 12; cursor += 4) {
          h.a.zoomed = zoomed;
          h.a.cursor[PANEL_SUCCESS] = cursor;
          h.text(rows, cols);
        }
}

} // namespace
