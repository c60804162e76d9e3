// Screens with another episode beside the one on show, against tests/golden/*.txt.
#include "panel_dynamic.h"

extern "C" {
#include "ghost_view.h"
}

namespace {

struct Beside : Fixture {
  ghost_answer g{};
  std::vector<ghost_row> rows;
  std::vector<ph_model_change> changes;
  struct lanes lane {};
  std::vector<double> drift;
  int64_t both = 301;

  Beside() {
    set_text(a.want.ghost.path, "runs/other");
    a.want.ghost.serial = g.serial = 1;
    set_text(g.file, "runs/other/env003_ep000016_300.h5");
    set_text(g.id, "env003_ep000016");
    g.states = 301;
    g.control_dt = 0.02;
    g.both = both;
    g.scanned = g.total = 342;
    g.first = 12;
    set_text(g.first_name, "arm_wrist");
    g.first_unit = "rad";
    g.first_error = 4.1e-5;
    g.beyond = 40;
    g.actions = 11;
    snap.ghost = &g;
    walk(120);
  }
  ~Beside() { snap.ghost = nullptr; }

  void row(const char *name, const char *unit, int signal, double value, double now, double worst,
           int64_t step) {
    ghost_row r{};
    set_text(r.name, name);
    r.unit = unit;
    r.signal = signal;
    r.apart = std::isnan(value);
    r.value = value;
    r.now = now;
    r.equal = now == 0;
    r.worst = worst;
    r.step = step;
    rows.push_back(r);
  }

  void walk(int64_t step) {
    go(step);
    rows.clear();
    g.has_frame = true;
    g.step = step > 300 ? 300 : step;
    g.held = step > 300;
    row("arm_wrist", "rad", 3, values[3] + 4.1e-3, 4.1e-3, 8.93e-2, 299);
    row("arm_elbow", "rad", 2, values[2], 0, 4.1e-2, 297);
    row("arm_base", "rad", 0, values[0], 0, 0, -1);
    row("cup.pos", "m", 7, NAN, 2.1e-3, 2.2e-3, 130);
    row("body handle_of_the_drawer", "m", 7, NAN, 6.1e-3, NAN, -1);
    row("body table", "m", 7, NAN, 0, NAN, -1);
    g.row = rows.data();
    g.nrows = rows.size();
  }

  void resize(int cols, int64_t scanned = 342) {
    int w = Dynamic::timeline_lane_width(cols);
    drift.assign((size_t)w, 0);
    for (int c = 0; c < w; c++) {
      int64_t last = (int64_t)(c + 1) * 342 / w - 1;
      drift[(size_t)c] = last >= scanned ? NAN
                         : last < 12     ? 0
                                         : 0.04 * std::pow(10.0, (double)(last - 12) / 90);
    }
    lane.first = 0;
    lane.last = 341;
    lane.n = w;
    lane.ghost = drift.data();
    g.lanes = &lane;
  }

  std::string screen(int h, int w) {
    resize(w);
    return text(h, w);
  }

  void change(const char *text, bool structure) {
    ph_model_change c{};
    set_text(c.text, text);
    c.structure = structure;
    changes.push_back(c);
    g.change = changes.data();
    g.kept = changes.size();
    g.nchanges = changes.size() + 2;
  }
};

TEST(GoldenGhost, ATableALaneAndALine) {
  const int sizes[][2] = {{120, 40}, {80, 24}, {200, 60}, {40, 12}};
  for (auto &size : sizes) {
    Beside f;
    std::string name = std::to_string(size[0]) + "x" + std::to_string(size[1]);
    expect_golden("ghost_" + name, f.screen(size[1], size[0]));
  }
  Beside f;
  f.a.ascii = true;
  std::string ascii = f.screen(40, 120);
  for (char c : ascii)
    ASSERT_TRUE(c == '\n' || (c >= 32 && c < 127)) << (int)c;
}

/* Where actions part is the cause of all the rest: it gives way to nothing but where states do. */
TEST(GoldenGhost, WhereTheActionsPartIsInTheHeader) {
  Beside f;
  f.change("geom cup: friction 0.6 -> 1.0", false);
  EXPECT_NE(f.screen(40, 120).find("actions differ from 11"), std::string::npos)
      << f.screen(40, 120);
  EXPECT_NE(f.screen(40, 100).find("actions differ from 11"), std::string::npos)
      << f.screen(40, 100);
}

TEST(GoldenGhost, PastItsEndItIsHeld) {
  Beside f;
  f.walk(330);
  std::string text = f.screen(40, 120);
  EXPECT_NE(text.find("state at 330: ghost held at 300, its last"), std::string::npos) << text;
  EXPECT_NE(text.find("ends at 300, 41 sooner"), std::string::npos) << text;
}

TEST(GoldenGhost, OtherModelsAreInWords) {
  Beside f;
  f.change("joint wrist: only in the second", true);
  f.change("geom cup: friction 0.6 -> 1.0", false);
  f.g.only_there = 1;
  f.g.control_dt = 0.05;
  expect_golden("ghost_models_120x40", f.screen(40, 120));
}

TEST(GoldenGhost, WhileItIsOpenedAndCompared) {
  Beside f;
  f.g.opening = true;
  f.g.id[0] = 0;
  f.g.nrows = 0;
  f.g.lanes = nullptr;
  std::string text = f.text(40, 120);
  EXPECT_NE(text.find("ghost runs/other │ opening ..."), std::string::npos) << text;
  EXPECT_NE(text.find("ghost   opening ..."), std::string::npos) << text;
  Beside h;
  h.g.first = h.g.beyond = h.g.actions = -1;
  h.g.scanned = 100;
  h.resize(120, 100);
  text = h.text(40, 120);
  EXPECT_NE(text.find("compared 99/300"), std::string::npos) << text;
  EXPECT_NE(text.find("compared 100/342"), std::string::npos) << text;
  EXPECT_EQ(text.find("equal bits"), std::string::npos) << "that is not known yet";
}

TEST(GoldenGhost, EqualBitsAndNone) {
  Beside f;
  f.g.first = f.g.beyond = f.g.actions = -1;
  f.g.states = 342;
  f.g.both = 342;
  std::string text = f.screen(40, 120);
  EXPECT_NE(text.find("equal bits 0..341"), std::string::npos) << text;
  EXPECT_NE(text.find("as long as this one"), std::string::npos) << text;
  text = f.screen(24, 80);
  EXPECT_NE(text.find("ghost equal bits"), std::string::npos) << text;
  Beside other;
  other.g.total = other.g.scanned = 0;
  other.g.first = other.g.beyond = other.g.actions = -1;
  other.g.lanes = nullptr;
  text = other.text(40, 120);
  EXPECT_NE(text.find("no joint's name is in both"), std::string::npos) << text;
  EXPECT_EQ(text.find("compared"), std::string::npos) << text;
  Beside h;
  set_text(h.g.error, "runs/other: it has no episode 16 of env 3; PATH:ID names another");
  h.g.nrows = 0;
  h.g.lanes = nullptr;
  text = h.text(40, 120);
  EXPECT_NE(text.find("it has no episode 16 of env 3"), std::string::npos) << text;
  EXPECT_EQ(text.find("\n ghost   "), std::string::npos) << "and no lane";
}

// Whatever the size, nothing of it is drawn outside or breaks.
TEST(GoldenGhost, EverySize) {
  for (int h = 6; h < 44; h += 3)
    for (int w = 20; w < 130; w += 7) {
      Beside f;
      f.change("joint wrist: only in the second", true);
      f.screen(h, w);
    }
}

} // namespace
