// Screens of physics run again, against tests/golden/*.txt.
#include "panel_dynamic.h"

extern "C" {
#include "cmd.h"
}

namespace {

const int sizes[][2] = {{120, 40}, {80, 24}, {200, 60}, {40, 12}};

TEST(GoldenDynamic, Both) {
  for (auto &size : sizes) {
    Dynamic f;
    std::string name = std::to_string(size[0]) + "x" + std::to_string(size[1]);
    expect_golden("dynamic_both_" + name, f.at(size[1], size[0]));
    f.a.ascii = true;
    std::string ascii = f.at(size[1], size[0]);
    expect_golden("dynamic_both_" + name + "_ascii", ascii);
    for (char c : ascii)
      ASSERT_TRUE(c == '\n' || (c >= 32 && c < 127)) << name << " has the byte " << (int)c;
  }
}

TEST(GoldenDynamic, AloneAndFirst) {
  Dynamic f(MODE_DYNAMIC);
  expect_golden("dynamic_alone_120x40", f.at(40, 120));
  expect_golden("dynamic_alone_80x24", f.at(24, 80));
  Dynamic g;
  g.walk(0);
  expect_golden("dynamic_first_120x40", g.at(40, 120));
}

TEST(GoldenDynamic, WhileThePassRuns) {
  Dynamic f;
  f.resize(120);
  f.running(120, 200);
  f.dyn.has_frame = false;
  expect_golden("dynamic_running_120x40", f.text(40, 120));
}

TEST(GoldenDynamic, ABranchHasALane) {
  Dynamic f;
  f.resize(120);
  f.ghost.assign((size_t)f.lane.n, 0);
  for (int c = 60; c < f.lane.n; c++)
    f.ghost[(size_t)c] = std::pow(10.0, (c - 60) / 20.0);
  f.lane.ghost = f.ghost.data();
  f.a.want.dyn.branch.serial = f.dyn.branch = 1;
  f.a.want.dyn.branch.at = 200;
  set_text(f.dyn.branch_text, "from 200 (dynamic), actions held: leaves the recording at 201");
  expect_golden("dynamic_branch_120x40", f.text(40, 120));
}

/* What a branch came to gives way to what went wrong with saving it. */
TEST(PanelsDynamic, WhyABranchWasNotSavedIsRead) {
  for (int width : {80, 120, 150}) {
    Dynamic f;
    f.a.want.dyn.branch.serial = f.dyn.branch = 1;
    set_text(f.dyn.branch_text,
             "from 200 (dynamic), actions held; mocap, welds still as recorded: leaves the "
             "recording at 201, never latches");
    app_complain(&f.a, "not saved: exists already: nothing was written: branch.h5");
    std::string text = f.at(40, width);
    EXPECT_TRUE(has(text, width == 80
                              ? "not saved: exists already: nothing was"
                              : "not saved: exists already: nothing was written: branch.h5"))
        << text;
    app_say(&f.a, "%s", "");
    EXPECT_TRUE(has(f.at(40, width), width == 80 ? "branch from" : "branch from 200"))
        << "it is there again";
  }
}

TEST(GoldenDynamic, StatesOnlyShowsRecordedStatesAndWhy) {
  Dynamic f;
  f.dyn.has_frame = false;
  f.dyn.nfindings = 0;
  f.dyn.lanes = nullptr;
  f.dyn.pass = {};
  set_text(f.dyn.refused, "STATES ONLY: 7 actions feed OSC_POSE, which the file does not hold");
  f.film.guarantee = PH_STATES_ONLY;
  set_text(f.film.reason, "7 actions feed OSC_POSE, which the file does not hold");
  EXPECT_EQ(app_mode(&f.a), MODE_KINEMATIC);
  expect_golden("dynamic_refused_120x40", f.text(40, 120));
}

// --- what a frame that is not the wanted one looks like ---

std::string line_with(const std::string &text, const std::string &part) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (has(line, part))
      return line;
  return "";
}

TEST(PanelsDynamic, AStaleFrameIsNotShown) {
  for (tui_mode mode : {MODE_DYNAMIC, MODE_BOTH}) {
    Dynamic f(mode);
    f.dyn_values[3] = 7.77777;
    EXPECT_TRUE(has(f.at(40, 120), "7.77777")) << "the one that is wanted";
    f.dyn.step = 212;
    std::string text = f.at(40, 120);
    EXPECT_FALSE(has(text, "7.77777")) << text;
    EXPECT_TRUE(has(text, "running")) << text;
    f.dyn.step = 213;
    f.a.want.dyn.substep = 4;
    EXPECT_FALSE(has(f.at(40, 120), "7.77777")) << "another substep is wanted";
    f.dyn.substep = 4;
    text = f.at(40, 120);
    EXPECT_TRUE(has(text, "7.77777"));
    EXPECT_TRUE(has(text, "213+4/10"));
    f.dyn.has_frame = false;
    set_text(f.dyn.error, "the dynamic run ends at step 40: qacc of arm_wrist is no number");
    text = f.at(40, 120);
    EXPECT_FALSE(has(text, "7.77777"));
    EXPECT_TRUE(has(text, "the dynamic run ends at step 40")) << text;
  }
}

TEST(PanelsDynamic, EqualIsBitsAndNothingElse) {
  Dynamic f;
  f.walk(100);
  std::string row = line_with(f.at(40, 120), " arm_base");
  EXPECT_TRUE(has(row, "0.01234   0.01234        =")) << row;
  f.dyn_values[0] = std::nextafter(f.dyn_values[0], 1);
  f.joints[0].now.rad = f.dyn_values[0] - f.values[0];
  row = line_with(f.at(40, 120), " arm_base");
  EXPECT_TRUE(has(row, "e-18")) << row;
  f.dyn_values[0] = NAN;
  f.joints[0].now.rad = NAN;
  row = line_with(f.at(40, 120), " arm_base");
  EXPECT_FALSE(has(row, "=")) << row;
}

TEST(PanelsDynamic, WorstFirstByTolerance) {
  Dynamic f;
  int signal, channel;
  ASSERT_TRUE(panel_state_at(&f.a, 0, &signal, &channel));
  EXPECT_EQ(f.signals[(size_t)signal].name, std::string("arm_wrist"));
  f.joints[4].worst.m = 1; // the drawer, in metres
  ASSERT_TRUE(panel_state_at(&f.a, 0, &signal, &channel));
  EXPECT_EQ(f.signals[(size_t)signal].name, std::string("drawer"));
  f.a.want.dyn.tolerance = ph_tolerance_default();
  f.a.want.dyn.tolerance.of[PH_MEASURE_JOINT_PLACE] = 1000;
  ASSERT_TRUE(panel_state_at(&f.a, 0, &signal, &channel));
  EXPECT_EQ(f.signals[(size_t)signal].name, std::string("arm_wrist"));
}

/* What was just asked for is answered before what is there all along. */
TEST(PanelsDynamic, ThatABranchWasSavedIsRead) {
  Dynamic f;
  f.a.want.dyn.branch.serial = f.dyn.branch = 1;
  set_text(f.dyn.branch_text, "from 200 (dynamic), actions held: leaves the recording at 201");
  app_say(&f.a, "the branch is in /data/runs/drawer/branch.h5");
  std::string text = f.at(40, 120);
  EXPECT_TRUE(has(text, "the branch is in /data/runs/drawer/branch.h5")) << text;
}

// A free joint's numbers: the one that differs most where a column is narrow, all where it is not.
TEST(PanelsDynamic, AFreeJointShowsWhereItIs) {
  Dynamic f;
  const size_t x = 7, qw = 10;
  ASSERT_EQ("cup.x", std::string(f.signals[x].name));
  f.values[x + 2] = f.dyn_values[x + 2] = 0.7712;
  f.dyn_values[x + 2] += 0.002;
  f.dyn_values[x + 1] += 0.001;
  f.joints[7].now.m = 0.002236;
  f.dyn_values[qw] = std::cos(0.1);
  f.dyn_values[qw + 3] = std::sin(0.1);
  f.joints[7].now.rad = 0.2;
  std::string text = f.at(40, 120), row = line_with(text, " cup.pos");
  EXPECT_TRUE(has(row, "z 0.7712  z 0.7732  2.24e-3  9.40e-4")) << row;
  row = line_with(text, " cup.rot");
  EXPECT_TRUE(has(row, "0.00000   0.20000  2.00e-1")) << row;
  f.a.zoomed = f.a.focus = PANEL_STATE;
  text = f.at(40, 120);
  row = line_with(text, " cup.pos");
  EXPECT_TRUE(has(row, "0.42110  0.42110  0.77120  0.42110  0.42210  0.77320  2.24e-3")) << row;
  row = line_with(text, " cup.rot");
  EXPECT_TRUE(has(row, "0.00000  0.00000  0.20000  2.00e-1")) << row;
  int signal = -1, channel = -1;
  for (int i = 0; panel_state_at(&f.a, i, &signal, &channel); i++)
    if (signal == (int)x + 2)
      return; // Enter plots what is shown
  FAIL() << "no line is about cup.z";
}

// The other sign of a quaternion is the same rotation, in other bits.
TEST(PanelsDynamic, ARotationHasOneAngle) {
  Dynamic f;
  const size_t qw = 10;
  f.values[qw] = std::cos(0.1);
  f.values[qw + 1] = std::sin(0.1);
  for (size_t i = 0; i < 4; i++)
    f.dyn_values[qw + i] = -f.values[qw + i];
  f.joints[7].now.rad = 0;
  std::string row = line_with(f.at(40, 120), " cup.rot");
  EXPECT_TRUE(has(row, "0.20000   0.20000        0 ")) << row;
}

TEST(PanelsDynamic, VelocitiesHaveTheirWorstAndWhere) {
  Dynamic f;
  for (const char *c : {"cup.vx", "cup.vy", "cup.vz"})
    f.signal(c, "m/s", PH_SIGNAL_QVEL, 0.25);
  for (const char *c : {"cup.wx", "cup.wy", "cup.wz"})
    f.signal(c, "rad/s", PH_SIGNAL_QVEL, 0.5);
  f.film.nsignals = f.signals.size();
  f.film.signals = f.signals.data();
  f.walk(213);
  f.joints[5].worst.m_s = 0.875; // of the sixth joint that has a velocity: the cup here
  f.joints[5].worst.m_s_step = 77;
  f.joints[5].worst.rad_s = 0.625;
  f.joints[5].worst.rad_s_step = 78;
  f.a.zoomed = f.a.focus = PANEL_STATE;
  std::string text = f.at(60, 120), row = line_with(text, " cup.vel");
  EXPECT_TRUE(has(row, "m/s")) << row;
  EXPECT_TRUE(has(row, "8.75e-1    77")) << row;
  row = line_with(text, " cup.angvel");
  EXPECT_TRUE(has(row, "6.25e-1    78")) << row;
  row = line_with(text, " drawer.v");
  EXPECT_TRUE(has(row, "3.10e-1   308")) << row;
  EXPECT_LT(text.find(" arm_wrist.v"), text.find(" arm_base.v")) << "worst first";
}

TEST(PanelsDynamic, VerdictsInTheHeader) {
  Dynamic f;
  auto line = [&f]() { return f.at(24, 160).substr(0, 800); };
  EXPECT_TRUE(has(line(), "DIVERGED at 213, bitwise before"));
  f.dyn.sum.first[PH_ROUNDING] = 100;
  EXPECT_TRUE(has(line(), "DIVERGED at 213, bitwise before 100"));
  f.dyn.sum.first[PH_DIVERGED] = -1;
  f.dyn.sum.cls = PH_CLOSE;
  f.dyn.sum.first[PH_CLOSE] = 150;
  EXPECT_TRUE(has(line(), "close at 150, bitwise before 100"));
  f.dyn.sum.cls = PH_ROUNDING;
  f.dyn.sum.first[PH_CLOSE] = -1;
  EXPECT_TRUE(has(line(), "rounding at 100, bitwise before"));
  f.dyn.sum.cls = PH_BITWISE;
  f.dyn.sum.first[PH_ROUNDING] = -1;
  EXPECT_TRUE(has(line(), "BITWISE 0..341"));
  f.dyn.pass.anchor = 20;
  EXPECT_TRUE(has(line(), "BITWISE 20..341 from 20"));
  f.running(120, 100);
  EXPECT_TRUE(has(line(), "bitwise to 120 so far"));
  f.a.want.dyn.mode = MODE_KINEMATIC;
  EXPECT_TRUE(has(line(), "bitwise to 120 so far")) << "findings fill in in every mode";
}

TEST(PanelsDynamic, CacheThatCannotHoldEveryStateSaysWhatASeekCosts) {
  Dynamic f;
  f.dyn.cache.every = 8;
  EXPECT_TRUE(has(f.at(40, 200), "cache every 8th: at most 7 steps of physics"));
}

TEST(PanelsDynamic, FindingsOfFileAndPassAreOneListWorstFirst) {
  Dynamic f;
  std::vector<ph_finding> file(2);
  file[0].kind = PH_FINDING_ODDITY;
  file[0].step = -1;
  set_text(file[0].text, "the file says success=1");
  file[1].kind = PH_FINDING_MENDED;
  file[1].step = -1;
  f.film.findings = file.data();
  f.film.nfindings = file.size();
  EXPECT_EQ(app_finding_count(&f.a), 7u);
  int last = -1;
  for (size_t i = 0; i < 7; i++) {
    const ph_finding *finding = app_finding(&f.a, i);
    ASSERT_TRUE(finding);
    EXPECT_GE((int)finding->kind, last);
    last = finding->kind;
  }
  EXPECT_EQ(app_finding(&f.a, 7), nullptr);
}

TEST(PanelsDynamic, CtrlOfTheRerunsOwnTermsStandsBesideTheRecorded) {
  for (tui_mode mode : {MODE_DYNAMIC, MODE_BOTH}) {
    Dynamic f(mode);
    std::string text = f.at(40, 120);
    EXPECT_TRUE(has(text, "action 213 -> ctrl: dyn equal")) << text;
    f.dyn_next[1] = std::nextafter(f.dyn_next[1], 1);
    f.dyn_next[2] = -1.5;
    text = f.at(40, 120);
    EXPECT_TRUE(has(text, "action 213 -> ctrl: 2 of 5 differ")) << text;
    EXPECT_TRUE(has(line_with(text, "#     action"), "recorded    dynamic")) << text;
    EXPECT_TRUE(has(line_with(text, "arm_base_t"), "0.00600          =")) << text;
    EXPECT_TRUE(has(line_with(text, "arm_shldr_t"), "0.34470    0.34470")) << "bits, not digits";
    EXPECT_TRUE(has(line_with(text, "arm_elbow_t"), "-1.89845   -1.50000")) << text;
    f.dyn.next_ctrl = nullptr;
    text = f.at(40, 120);
    EXPECT_TRUE(has(text, "action 213 -> ctrl ─")) << "not known: nothing is said" << text;
  }
  Dynamic f(MODE_KINEMATIC);
  f.dyn_next[2] = -1.5;
  EXPECT_TRUE(has(f.at(40, 120), "action 213 -> ctrl ─"));
}

/* Equal is what was compared. */
TEST(PanelsDynamic, CtrlThatIsNotRecordedIsNotCalledEqual) {
  Dynamic f;
  EXPECT_TRUE(has(f.at(40, 120), "ctrl: equal bit for bit"));
  f.snap.ctrl = nullptr;
  std::string text = f.at(40, 120);
  EXPECT_TRUE(has(text, "ctrl: not recorded")) << text;
  EXPECT_FALSE(has(text, "equal bit for bit")) << text;
  f.film.nctrl = 0;
  text = f.at(40, 120);
  EXPECT_TRUE(has(text, "ctrl: the model has none")) << text;
}

TEST(PanelsDynamic, ContactsNameTheSubstepThatTheyAreOf) {
  Dynamic f;
  EXPECT_TRUE(has(f.at(40, 120), "contacts at 213 ─"));
  f.walk(213, 4);
  EXPECT_TRUE(has(f.at(40, 120), "contacts at 213+4/10, rec at 213 ─")) << f.at(40, 120);
}

TEST(PanelsDynamic, TheHeaderSaysWhatBrokeTheHoldThatNeverLatched) {
  Dynamic f;
  f.dyn.breaks = true;
  f.dyn.broke = {292, 22, 25, {}};
  set_text(f.dyn.broke.text, "near false (dist(gripper,handle) 0.104)");
  std::string line = line_with(f.at(60, 240), "DIVERGED");
  EXPECT_TRUE(has(line, "latch: recorded 287, dynamic NEVER (hold 25 steps = 0.5 s): broke at 292 "
                        "(22/25), near false (dist(gripper,handle) 0.104)"))
      << line;
  f.dyn.breaks = false;
  EXPECT_FALSE(has(f.at(60, 240), "broke at 292"));
}

TEST(PanelsDynamic, EverySizeDraws) {
  for (tui_mode mode : {MODE_DYNAMIC, MODE_BOTH}) {
    Dynamic f(mode);
    for (int rows = 1; rows < 64; rows += 3)
      for (int cols = 1; cols < 220; cols += 7)
        f.text(rows, cols); // lanes of another width
  }
}

} // namespace
