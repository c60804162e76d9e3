// The panel of many envs and what the status line says of them, against tests/golden/*.txt.
#include "panel_dynamic.h"

namespace {

struct Envs : Dynamic {
  envs_answer e{};
  std::vector<envs_line> line;
  std::vector<std::vector<double>> lane;

  explicit Envs(tui_mode mode = MODE_BOTH) : Dynamic(mode) {
    e.asked = a.want.envs.n = 6;
    e.ready = true;
    e.episode = 16;
    e.opened = e.n = 6;
    e.lead = 3;
    e.least = 280;
    e.most = 400;
    set_text(e.shortest, "env 1");
    e.lane_last = 400;
    e.columns = 120;
    e.pass.begun = true;
    e.pass.envs = 6;
    e.pass.ended = 5;
    e.pass.class_of[PH_BITWISE] = 2;
    e.pass.class_of[PH_DIVERGED] = 1;
    e.pass.refused = 2;
    add(360, PH_BITWISE, -1, 301);
    add(281, PH_ROUNDING, 90, PH_LATCH_NEVER);
    add(401, PH_BITWISE, -1, 333);
    add(342, PH_DIVERGED, 213, 287);
    add(0, PH_BITWISE, -1, PH_LATCH_UNKNOWN);
    add(330, PH_BITWISE, -1, 290);
    line[0].known = 120;
    line[0].ended = false;
    line[0].latch[PH_LATCH_DYNAMIC] = PH_LATCH_UNKNOWN;
    for (int c = 0; c < 120; c++)
      if (c * 401 / 120 >= 120)
        lane[0][(size_t)c] = NAN;
    line[3].latch[PH_LATCH_DYNAMIC] = PH_LATCH_NEVER;
    line[4].runs = false;
    set_text(line[4].trouble, "runs/drawer.h5: /data/demo_18: states: checksum of block 3");
    line[5].runs = false;
    set_text(line[5].trouble, "STATES ONLY: 7 actions feed OSC_POSE, which the file does not hold");
    line[5].known = 0;
    line[5].latch[PH_LATCH_DYNAMIC] = PH_LATCH_UNKNOWN;
    at_playhead(213);
    a.cursor[PANEL_ENVS] = 3;
    snap.envs = &e;
    point();
  }
  void add(int64_t states, ph_class cls, int64_t first, int64_t latch) {
    envs_line l{};
    int k = (int)line.size();
    l.episode = (size_t)(13 + k);
    l.env_id = k;
    set_text(l.id, "demo_" + std::to_string(14 + k));
    l.states = l.known = states;
    l.runs = l.ended = true;
    l.rate = 1;
    l.cls = cls;
    l.first = first;
    l.stopped = -1;
    l.equal = -1;
    for (auto &row : l.latch)
      row = latch;
    line.push_back(l);
    std::vector<double> values;
    for (int c = 0; c < 120; c++) {
      int64_t step = c * 401 / 120;
      double error = cls == PH_ROUNDING ? 1e-7 : std::pow(10.0, (double)(step - 240) / 60);
      values.push_back(step >= states ? PH_LANE_NONE : first < 0 || step < first ? 0 : error);
    }
    lane.push_back(values);
  }
  void point() {
    for (size_t i = 0; i < line.size(); i++)
      line[i].lane = lane[i].data();
    e.line = line.data();
    e.lines = line.size();
  }
  void at_playhead(int64_t p) {
    e.playhead = p;
    for (auto &l : line) {
      int64_t last = l.states - 1;
      l.at.step = p < last ? p : last;
      l.at.wanted = p;
      l.at.held = last >= 0 && p > last;
      l.beyond = l.at.held && l.runs ? p - last : 0;
      l.now = last < 0 || !l.runs || p > last ? PH_LANE_NONE : l.first < 0 ? 0 : 0.354;
    }
  }
  std::string shown(int rows, int cols) { return at(rows, cols); }
};

const int sizes[][2] = {{120, 40}, {80, 24}, {200, 60}};

TEST(GoldenEnvs, Lockstep) {
  for (auto &size : sizes) {
    Envs f;
    std::string name = std::to_string(size[0]) + "x" + std::to_string(size[1]);
    expect_golden("envs_" + name, f.shown(size[1], size[0]));
    f.a.ascii = true;
    std::string ascii = f.shown(size[1], size[0]);
    expect_golden("envs_" + name + "_ascii", ascii);
    for (char c : ascii)
      ASSERT_TRUE(c == '\n' || (c >= 32 && c < 127)) << name << " has the byte " << (int)c;
  }
}

TEST(GoldenEnvs, HeldPastTheEndOfTheEpisodeOnShow) {
  Envs f;
  f.e.hold = f.a.want.envs.hold = true;
  f.walk(341);
  f.a.want.envs.past = 40;
  f.at_playhead(381);
  f.e.sought = true;
  f.e.compared = 2;
  f.e.unequal = 1;
  expect_golden("envs_held_120x40", f.shown(40, 120));
  f.a.focus = PANEL_ENVS;
  expect_golden("envs_held_80x24", f.shown(24, 80));
  f.a.zoomed = PANEL_ENVS;
  expect_golden("envs_zoomed_80x24", f.shown(24, 80));
}

TEST(GoldenEnvs, LatchesMeet) {
  Envs f(MODE_KINEMATIC);
  f.e.align = f.a.want.envs.align = PH_ALIGN_LATCH;
  for (auto &l : f.line)
    l.shift = l.latch[0] >= 0 ? l.latch[0] - 287 : 0;
  f.e.by_step = 1;
  f.line[1].by_step = true;
  set_text(f.e.note, "no recorded latch: aligned by step");
  expect_golden("envs_latch_120x40", f.shown(40, 120));
}

// Its first state is on show, but it is at no step yet.
TEST(PanelEnvs, AnEnvThatHasNotBegunIsAtNoStep) {
  Envs f;
  f.line[2].at.waits = true;
  f.line[2].at.wanted = -20;
  f.line[2].at.step = 0;
  f.line[2].now = PH_LANE_NONE;
  std::string text = f.shown(40, 120);
  EXPECT_TRUE(has(text, "    2  demo_16   400  not begun  bitwise  ")) << text;
}

// An anchor is of the episode on show: what the lines say of the others is from their first step.
TEST(PanelEnvs, AnAnchorOfTheEpisodeOnShowIsSaidToBeThat) {
  Envs f;
  EXPECT_FALSE(has(f.shown(40, 120), "from its step 0"));
  f.a.want.dyn.anchor = 100;
  EXPECT_TRUE(has(f.shown(40, 120), "; physics of each from its step 0")) << f.shown(40, 120);
}

TEST(PanelEnvs, SaysWhatItWaitsForAndWhyThereAreNone) {
  Envs f;
  f.e.ready = false;
  f.e.opened = 4;
  f.e.n = 200;
  f.e.lines = 0;
  std::string text = f.shown(40, 120);
  EXPECT_TRUE(has(text, "opening 4/200")) << text;
  EXPECT_TRUE(has(text, "opening envs 4/200")) << "the status line";
  set_text(f.e.refused, "out of memory");
  EXPECT_TRUE(has(f.shown(40, 120), "envs: out of memory"));
}

// Bits that differ where no error was measured are in a lane, and in no legend.
TEST(PanelEnvs, NothingSmallerThanAnErrorStandsInALegend) {
  Envs f;
  for (auto &lane : f.lane)
    for (double &v : lane)
      v = v > 0 ? PH_LANE_BITS : v;
  f.resize(120);
  for (auto *lane : {&f.drift, &f.one})
    for (double &v : *lane)
      v = v > 0 ? PH_LANE_BITS : v;
  f.line[1].now = PH_LANE_BITS;
  std::string text = f.text(40, 120);
  EXPECT_FALSE(has(text, "e-38")) << text;
  EXPECT_FALSE(has(text, "drift 1e")) << text;
  EXPECT_TRUE(has(text, "bits")) << text;
  f.lane[3][100] = 2e-5;
  text = f.text(40, 120);
  EXPECT_TRUE(has(text, "drift 1e-5..1e-4 x tol")) << text;
}

TEST(PanelEnvs, LinesThatAreNotHereYetAreDots) {
  Envs f;
  f.e.n = 300;
  f.a.focus = PANEL_ENVS;
  f.a.cursor[PANEL_ENVS] = 299;
  std::string text = f.shown(40, 120);
  EXPECT_TRUE(has(text, "\n> …")) << text;
}

// Any size, any cursor: what is drawn stays inside, whatever the answer.
TEST(PanelEnvs, DrawsAtEverySize) {
  Envs f;
  for (bool zoomed : {false, true})
    for (int rows = 6; rows <= 44; rows += 2)
      for (int cols = 20; cols <= 200; cols += 9) {
        f.a.focus = zoomed ? PANEL_ENVS : PANEL_TIMELINE;
        f.a.zoomed = zoomed ? (int)PANEL_ENVS : -1;
        EXPECT_FALSE(f.shown(rows, cols).empty());
      }
}

} // namespace
