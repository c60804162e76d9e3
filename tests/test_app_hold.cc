// The hold moved by keys and by name, and a cut that is asked for, shown, confirmed, given up.
#include <filesystem>
#include <fstream>

#include "app_help.h"

extern "C" {
#include "cmd.h"
#include "held_view.h"
#include "panel.h"
}

namespace fs = std::filesystem;

namespace {

int64_t steps(const FakeApp &f) {
  return hold_wish_steps(&f.app.want.hold, 0.02, 25);
}

TEST(AppHold, KeysMoveItByAStepAndACountByMany) {
  FakeApp f;
  EXPECT_FALSE(f.app.want.hold.on);
  EXPECT_TRUE(f.keys("h") & REACT_SEEK);
  EXPECT_EQ(steps(f), 24);
  EXPECT_TRUE(f.app.want.hold.count);
  EXPECT_TRUE(has(f.said(), "hold 0.48 s = 24 steps, file 0.5 s: not saved")) << f.said();
  f.keys("H H");
  EXPECT_EQ(steps(f), 26);
  f.keys("1 0 h");
  EXPECT_EQ(steps(f), 16);
  f.keys("9 H");
  EXPECT_EQ(steps(f), 25);
  EXPECT_TRUE(has(f.said(), "as in the file")) << f.said();
}

TEST(AppHold, AFileThatSaysNoneIsNotGivenOne) {
  FakeApp f;
  auto *reel = const_cast<struct reel *>(app_reel(&f.app));
  reel->hold_steps = reel->meta.hold_steps = 0;
  reel->meta.hold_seconds = -1;
  f.keys("H");
  EXPECT_TRUE(has(f.said(), "hold 0.02 s = 1 steps, file says none: not saved")) << f.said();
  f.keys("h");
  EXPECT_FALSE(has(f.said(), "as in the file")) << f.said();
}

TEST(AppHold, MoreKeysThanAnswersAddUp) {
  FakeApp f;
  for (int i = 0; i < 7; i++)
    app_key(&f.app, 'H', 2000); // nobody answers
  EXPECT_EQ(steps(f), 32);
}

TEST(AppHold, NoneIsBelowNought) {
  FakeApp f;
  f.keys("2 5 h");
  EXPECT_EQ(steps(f), 0);
  EXPECT_FALSE(f.app.message_bad);
  EXPECT_FALSE(f.keys("h") & REACT_SEEK);
  EXPECT_EQ(steps(f), 0);
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppHold, SecondsAreTakenAsStepsHalvesToEven) {
  FakeApp f;
  f.line("hold 0.6");
  EXPECT_EQ(steps(f), 30);
  f.line("hold 0.61s");
  EXPECT_EQ(steps(f), 30);
  f.line("hold 0.63");
  EXPECT_EQ(steps(f), 32);
  f.line("hold 0");
  EXPECT_EQ(steps(f), 0);
}

// They are what a cut claims, names itself by, and is asked for again with.
TEST(AppHold, SecondsStayAsTheyAreTyped) {
  FakeApp f;
  f.line("hold 0.35");
  EXPECT_EQ(f.app.want.hold.seconds, 0.35);
  EXPECT_EQ(steps(f), 18);
  f.line("hold 0.3");
  EXPECT_EQ(f.app.want.hold.seconds, 0.3);
  f.keys("h H");
  EXPECT_EQ(f.app.want.hold.seconds, 0.3);
  f.line("hold 0.68");
  f.keys("H");
  EXPECT_EQ(f.app.want.hold.seconds, 0.7); // and 35 * 0.02 is not
}

TEST(AppHold, WhatIsNoHoldChangesNothing) {
  FakeApp f;
  f.line("hold 0.6");
  for (const char *bad : {"hold x", "hold -1", "hold 0.001", "hold nan", "hold inf", "hold 1 2"}) {
    EXPECT_FALSE(f.line(bad) & REACT_SEEK) << bad;
    EXPECT_TRUE(f.app.message_bad) << bad;
    EXPECT_EQ(steps(f), 30) << bad;
  }
}

TEST(AppHold, WithoutSecondsItIsEachEpisodesOwnAndStillCounted) {
  FakeApp f;
  f.keys("h h");
  EXPECT_TRUE(f.line("hold") & REACT_SEEK);
  EXPECT_FALSE(f.app.want.hold.on);
  EXPECT_TRUE(f.app.want.hold.count);
  EXPECT_FALSE(held_unsaved(&f.app));
}

TEST(AppHold, StaysWithTheNextEpisode) {
  FakeApp f;
  f.keys("h >");
  EXPECT_EQ(f.app.want.episode, 1u);
  EXPECT_EQ(steps(f), 24);
  EXPECT_TRUE(held_unsaved(&f.app));
}

TEST(AppHold, APreviewHasNone) {
  FakeApp f;
  f.app.want.live.on = true;
  EXPECT_FALSE(f.keys("h") & REACT_SEEK);
  EXPECT_TRUE(has(f.said(), "preview")) << f.said();
  EXPECT_FALSE(f.line("cut") & REACT_SEEK);
  EXPECT_TRUE(has(f.said(), "preview")) << f.said();
}

TEST(AppHold, AnEpisodeThatNothingJudgesHasNone) {
  FakeApp f;
  free(f.app.snap->reel->predicate);
  f.app.snap->reel->predicate = nullptr;
  EXPECT_FALSE(f.keys("h") & REACT_SEEK);
  EXPECT_TRUE(has(f.said(), "nothing says")) << f.said();
}

// The lines of the success panel: counts, sources, intervals.
TEST(AppHold, EnterGoesToTheIntervalUnderTheCursor) {
  FakeApp f;
  f.app.focus = PANEL_SUCCESS;
  int lines = panel_success_lines(&f.app);
  ASSERT_EQ(lines, 3 + 2);
  f.app.cursor[PANEL_SUCCESS] = lines - 1;
  f.keys("Enter");
  EXPECT_EQ(f.step(), 204);
  f.keys("k Enter");
  EXPECT_EQ(f.step(), 102);
  f.app.cursor[PANEL_SUCCESS] = 0;
  f.keys("Enter");
  EXPECT_EQ(f.step(), 272) << "where the recording latches";
  f.keys("j Enter");
  EXPECT_EQ(f.step(), 272);
  EXPECT_TRUE(has(f.said(), "Enter goes")) << f.said();
  f.keys("u");
  EXPECT_EQ(f.step(), 102);
}

TEST(AppHold, EventsAreWalkedAsBefore) {
  FakeApp f;
  f.app.focus = PANEL_SUCCESS;
  f.keys("e e");
  EXPECT_EQ(f.step(), 102);
}

// Tab goes down the column as the panels stand in it.
TEST(AppHold, SuccessComesBeforeTheActions) {
  FakeApp f;
  app_resize(&f.app, 40, 120);
  f.app.focus = PANEL_SUCCESS;
  f.keys("Tab");
  EXPECT_EQ(f.app.focus, PANEL_ACTION);
  EXPECT_LT(f.app.layout.panel[PANEL_SUCCESS].y, f.app.layout.panel[PANEL_ACTION].y);
}

// --- :cut ---

/* In a folder of its own, where the fake dataset and its cuts would be. */
class AppCut : public testing::Test {
protected:
  AppCut() {
    fs::create_directories(dir / "runs" / "fake");
    fs::create_directory(dir / "out dir");
    fs::current_path(dir);
  }
  ~AppCut() {
    fs::current_path(before);
    fs::remove_all(dir);
  }
  fs::path before = fs::current_path();
  std::string name = testing::TempDir() + "cutXXXXXX";
  fs::path dir = mkdtemp(name.data());
};

TEST_F(AppCut, APreviewLapsesWhenTheHoldMoves) {
  for (const char *moves : {"h", "H"}) {
    FakeApp f;
    f.line("hold 0.4");
    f.line("cut out dir/x.h5");
    EXPECT_TRUE(f.app.cut_shown);
    f.keys(moves);
    EXPECT_FALSE(f.app.cut_shown);
    EXPECT_TRUE(has(f.said(), "not saved; :cut shows it anew")) << f.said();
    f.line("cut!");
    EXPECT_EQ(f.app.want.cut.serial, 0u);
    EXPECT_TRUE(has(f.said(), "first :cut")) << f.said();
    f.keys(moves);
    EXPECT_FALSE(has(f.said(), "anew")) << f.said();
  }
}

TEST_F(AppCut, APreviewLapsesWhereAnotherPathIsGoneTo) {
  FakeApp f;
  f.line("cut");
  ASSERT_TRUE(f.app.cut_shown);
  ASSERT_EQ(f.app.want.episode, 0u);
  catalog_write(f.app.snap->catalog, 1)->source = 1;
  app_open(&f.app, 2, 0);
  EXPECT_TRUE(f.app.cut_shown) << "it is of this one too";
  app_open(&f.app, 1, 0);
  EXPECT_FALSE(f.app.cut_shown);
  f.line("cut!");
  EXPECT_EQ(f.app.want.cut.serial, 0u);
}

TEST_F(AppCut, ANameThatWouldBeRefusedIsRefusedAtOnce) {
  std::ofstream("there.h5") << "x";
  struct {
    const char *name, *why;
  } const names[] = {
      {"there.h5", "cut: there.h5: it exists already"},
      {"runs/fake/in.h5", "cut: runs/fake/in.h5: it would be in runs/fake"},
      {"nodir/x.h5", "cut: nodir/x.h5: its folder: No such file"},
  };
  for (auto &n : names) {
    FakeApp f;
    f.line((std::string("cut ") + n.name).c_str());
    EXPECT_TRUE(f.app.message_bad);
    EXPECT_TRUE(has(f.said(), n.why)) << f.said();
    EXPECT_FALSE(f.app.cut_shown);
    f.line("cut!");
    EXPECT_EQ(f.app.want.cut.serial, 0u);
    f.line("cut");
    f.line((std::string("cut! ") + n.name).c_str());
    EXPECT_EQ(f.app.want.cut.serial, 0u);
    EXPECT_TRUE(has(f.said(), n.why)) << f.said();
  }
}

TEST_F(AppCut, IsShownFirstAndDoneWhenConfirmed) {
  FakeApp f;
  f.line("cut");
  EXPECT_TRUE(f.app.cut_shown);
  EXPECT_EQ(f.app.want.cut.serial, 0u);
  EXPECT_TRUE(has(f.said(), ":cut! writes 2 of 5")) << f.said();
  EXPECT_TRUE(has(f.said(), "into runs/fake_hold")) << f.said();
  EXPECT_TRUE(f.line("cut!") & REACT_SEEK);
  EXPECT_EQ(f.app.want.cut.serial, 1u);
  EXPECT_STREQ(f.app.want.cut.out, "runs/fake_hold");
  EXPECT_FALSE(f.app.cut_shown);
  f.line("cut!");
  EXPECT_EQ(f.app.want.cut.serial, 1u) << "what was confirmed once is done once";
  EXPECT_TRUE(f.app.message_bad);
}

TEST_F(AppCut, TakesAName) {
  FakeApp f;
  f.line("cut out dir/x.h5");
  EXPECT_TRUE(has(f.said(), "into out dir/x.h5")) << f.said();
  f.line("cut!");
  EXPECT_STREQ(f.app.want.cut.out, "out dir/x.h5");
  f.line(("cut " + std::string(450, 'x')).c_str());
  EXPECT_TRUE(f.app.message_bad);
  std::string deep = "deep";
  for (int i = 0; i < 4; i++)
    deep += "/" + std::string(110, 'd');
  std::filesystem::create_directories(deep);
  f.line(("cut " + deep + "/x.h5").c_str());
  f.line("cut!");
  EXPECT_EQ(f.app.want.cut.out, deep + "/x.h5") << f.said();
}

TEST_F(AppCut, OfTheHoldAndTheEpisodeThatWereShown) {
  FakeApp f;
  f.line("hold 0.4");
  f.line("cut");
  f.line("cut!");
  f.keys("h >");
  EXPECT_EQ(hold_wish_steps(&f.app.want.cut.hold, 0.02, 25), 20);
  EXPECT_EQ(f.app.want.cut.episode, 0u);
}

TEST_F(AppCut, IsNeverDoneUnasked) {
  FakeApp f;
  f.line("cut!");
  EXPECT_EQ(f.app.want.cut.serial, 0u);
  EXPECT_TRUE(has(f.said(), "first :cut")) << f.said();
  f.line("cut");
  f.keys("Esc");
  EXPECT_FALSE(f.app.cut_shown);
  f.line("cut!");
  EXPECT_EQ(f.app.want.cut.serial, 0u);
}

TEST_F(AppCut, SaysBySourceAndTakesOne) {
  FakeApp f;
  f.line("cut");
  EXPECT_EQ(f.app.want.count_by, COUNT_STRICTEST);
  EXPECT_TRUE(has(f.said(), "writes 2 of 5 by dynamic at 0.5 s")) << f.said();
  f.line("cut out dir/x.h5 kinematic");
  EXPECT_TRUE(has(f.said(), "by kinematic at 0.5 s into out dir/x.h5")) << f.said();
  f.line("cut recorded");
  EXPECT_TRUE(has(f.said(), "by recorded at 0.5 s into runs/fake_hold")) << f.said();
  f.line("cut!");
  EXPECT_EQ(f.app.want.cut.by, PH_LATCH_RECORDED);
  f.line("cut norecorded");
  EXPECT_EQ(f.app.want.count_by, COUNT_STRICTEST);
  EXPECT_TRUE(has(f.said(), "into norecorded")) << f.said();
}

TEST_F(AppCut, TheWordForItTakesAName) {
  FakeApp f;
  f.line("cut! out dir/x.h5");
  EXPECT_EQ(f.app.want.cut.serial, 0u);
  EXPECT_TRUE(has(f.said(), "first :cut out dir/x.h5 shows")) << f.said();
  f.line("cut y.h5");
  f.line("cut! out dir/x.h5");
  EXPECT_EQ(f.app.want.cut.serial, 1u);
  EXPECT_STREQ(f.app.want.cut.out, "out dir/x.h5");
}

TEST_F(AppCut, WhereNothingJudgesItSaysSo) {
  FakeApp f;
  f.line("cut");
  struct snapshot *snap = fake_answer(f.app.want);
  snap->held->plan.kept = 0;
  snap->held->plan.known = false;
  strcpy(snap->held->plan.why, "the file stores no predicate");
  app_take(&f.app, snap);
  app_line(&f.app, "cut!");
  EXPECT_EQ(f.app.want.cut.serial, 0u);
  EXPECT_TRUE(has(f.said(), "nothing would be left: the file stores no predicate")) << f.said();
}

// What it would do takes the keys of a list, and Esc puts it away before anything else.
TEST_F(AppCut, EscLeavesItAndKeepsTheZoom) {
  FakeApp f;
  f.app.zoomed = PANEL_STATE;
  f.line("cut");
  EXPECT_EQ(app_active(&f.app), PANEL_SUCCESS);
  EXPECT_GT(f.app.layout.panel[PANEL_SUCCESS].h, 10);
  f.keys("Esc");
  EXPECT_FALSE(f.app.cut_shown);
  EXPECT_EQ(f.app.zoomed, PANEL_STATE);
}

// While it is still counted, the word for it waits.
TEST_F(AppCut, WaitsUntilAllEpisodesWereLookedAt) {
  FakeApp f;
  EXPECT_TRUE(app_line(&f.app, "cut") & REACT_SEEK);
  EXPECT_TRUE(f.app.cut_waits);
  EXPECT_TRUE(f.app.want.hold.count);
  app_line(&f.app, "cut!");
  EXPECT_EQ(f.app.want.cut.serial, 0u);
  EXPECT_TRUE(has(f.said(), "still being looked at")) << f.said();
  struct snapshot *half = fake_answer(f.app.want);
  half->held->plan.ready = false;
  app_take(&f.app, half);
  EXPECT_TRUE(f.app.cut_waits);
  f.answer();
  EXPECT_FALSE(f.app.cut_waits);
  EXPECT_TRUE(has(f.said(), ":cut! writes")) << f.said();
}

TEST_F(AppCut, WhatBecameOfItIsLoggedOnce) {
  FakeApp f;
  f.line("cut");
  f.line("cut!");
  int before = f.app.nlog;
  struct snapshot *snap = fake_answer(f.app.want);
  strcpy(snap->held->cutting, "cutting runs/fake_hold: 1/5");
  app_take(&f.app, snap);
  EXPECT_EQ(f.app.nlog, before);
  for (int i = 0; i < 2; i++) {
    snap = fake_answer(f.app.want);
    snap->held->cuts = 1;
    strcpy(snap->held->cut, "2 of 5 episodes are in runs/fake_hold");
    app_take(&f.app, snap);
  }
  EXPECT_EQ(f.app.nlog, before + 1);
  EXPECT_STREQ(f.app.log[before % APP_LOG_LINES], "2 of 5 episodes are in runs/fake_hold");
}

TEST_F(AppCut, EscGivesItUpAndQuittingAsksAgain) {
  FakeApp f;
  f.line("cut");
  f.line("cut!");
  struct snapshot *snap = fake_answer(f.app.want);
  strcpy(snap->held->cutting, "cutting runs/fake_hold: 1/5");
  app_take(&f.app, snap);
  EXPECT_FALSE(app_key(&f.app, 'q', f.now) & REACT_QUIT);
  EXPECT_TRUE(has(f.said(), "the cut for runs/fake_hold")) << f.said();
  EXPECT_TRUE(app_key(&f.app, KEY_ESC_, f.now + 20) & REACT_SEEK);
  EXPECT_EQ(f.app.want.cut.dropped, 1u);
  EXPECT_TRUE(app_key(&f.app, 'q', f.now + 20000) & REACT_QUIT);
}

} // namespace
