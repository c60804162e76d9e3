// Many envs behind the screen: the round of an episode, opened, measured and brought to where the
// playhead is.
#include "dynamic_help.h"

#include <fstream>

using dynamic_help::Dynamic;
using dynamic_help::record_arm;
namespace fs = std::filesystem;

struct Envs : Dynamic {
  const struct envs_answer *round(int n, int64_t step, enum tui_mode mode = MODE_KINEMATIC) {
    want.envs.n = n;
    want.envs.lines = ENVS_ROWS;
    want.envs.columns = 40;
    ask(mode, step);
    EXPECT_TRUE(snap->envs);
    return snap->envs;
  }
  const struct envs_answer *again() {
    serve();
    settle();
    return snap->envs;
  }
  /* Place in the store of an episode by its id. */
  size_t place(const char *id) const { return session_find(s, id); }
};

TEST_F(Envs, TheRoundOfAnEpisodeIsMeasured) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK) << ph_error();
  const struct envs_answer *e = round(PH_ENSEMBLE_MAX, 40, MODE_BOTH);
  ASSERT_TRUE(e && e->ready) << e->refused;
  ASSERT_EQ(e->n, 2u);
  ASSERT_EQ(e->lines, 2u);
  EXPECT_EQ(e->least, 162);
  EXPECT_EQ(e->most, 320);
  EXPECT_STREQ(e->shortest, "env 0");
  EXPECT_TRUE(e->pass.over);
  EXPECT_EQ(e->pass.class_of[PH_BITWISE], 2u);
  EXPECT_EQ(e->line[0].episode, place("env000_ep000000"));
  EXPECT_EQ(e->line[1].episode, place("env001_ep000000"));
  for (size_t i = 0; i < 2; i++) {
    EXPECT_EQ(e->line[i].at.step, 40);
    EXPECT_EQ(e->line[i].known, e->line[i].states);
    EXPECT_EQ(e->line[i].now, 0);
    EXPECT_EQ(e->line[i].lane[0], 0) << "equal bits";
  }
  EXPECT_EQ(e->line[0].latch[PH_LATCH_RECORDED], snap->reel->latch);
  EXPECT_EQ(e->line[0].latch[PH_LATCH_DYNAMIC], snap->dyn->sum.latch);
  EXPECT_EQ(e->line[1].latch[PH_LATCH_RECORDED], PH_LATCH_NEVER);
  EXPECT_EQ(e->line[0].lane[39], PH_LANE_NONE) << "the axis goes on to the end of the longest";
  EXPECT_TRUE(e->sought);
  EXPECT_EQ(e->compared, 2u);
  EXPECT_EQ(e->unequal, 0u);
}

TEST_F(Envs, InLockstepAllEndWithTheFirstAndHeldTheOthersGoOn) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  want.episode = place("env001_ep000000");
  const struct envs_answer *e = round(2, 300, MODE_BOTH);
  EXPECT_EQ(snap->step, 162) << "env 0 ends there";
  EXPECT_EQ(e->playhead, 162);
  EXPECT_EQ(e->lead, 1u);
  want.envs.hold = true;
  e = again();
  EXPECT_EQ(snap->step, 300);
  EXPECT_TRUE(e->line[0].at.held);
  EXPECT_EQ(e->line[0].at.step, 162);
  EXPECT_EQ(e->line[0].beyond, 138) << "its dynamic run goes on under the last action";
  EXPECT_FALSE(e->line[1].at.held);
  want.episode = place("env000_ep000000"); /* which shows its last state there */
  want.step = 162;
  want.envs.past = 138;
  e = again();
  EXPECT_EQ(e->playhead, 300);
  EXPECT_EQ(snap->step, 162);
  EXPECT_EQ(e->line[1].at.step, 300) << "no env moves when another one is on show";
  want.envs.past = INT64_MAX;
  EXPECT_EQ(again()->playhead, 320);
  want.envs.past = -5;
  EXPECT_EQ(again()->playhead, 162);
}

TEST_F(Envs, AnotherEnvOfTheRoundIsNotOpenedAnew) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  round(2, 30);
  want.episode = place("env001_ep000000");
  serve();
  ASSERT_TRUE(snap->envs && snap->envs->ready) << "at once";
  EXPECT_TRUE(snap->envs->pass.over);
  EXPECT_EQ(snap->envs->lead, 1u);
  want.episode = place("env001_ep000001"); /* another round */
  serve();
  ASSERT_TRUE(snap->envs);
  EXPECT_FALSE(snap->envs->ready);
  settle();
  EXPECT_EQ(snap->envs->line[0].episode, place("env000_ep000001"));
  want.envs.n = 0;
  serve();
  EXPECT_EQ(snap->envs, nullptr);
}

TEST_F(Envs, ARecordingOfOneEnvIsRunSoManyTimesAndStaysEqual) {
  record_arm(dir / "run", 120, -1);
  ASSERT_EQ(open(), PH_OK);
  const struct envs_answer *e = round(5, 60, MODE_BOTH);
  ASSERT_TRUE(e->ready) << e->refused;
  EXPECT_TRUE(e->broadcast);
  EXPECT_EQ(e->n, 5u);
  EXPECT_EQ(e->compared, 5u);
  EXPECT_EQ(e->unequal, 0u);
  want.dyn.substep = 3;
  EXPECT_EQ(again()->n, 5u);
  EXPECT_FALSE(round(PH_ENSEMBLE_MAX, 60)->broadcast) << "all envs are the one";
  EXPECT_EQ(snap->envs->n, 1u);
}

TEST_F(Envs, WhereOneLeavesTheRecordingIsInItsLine) {
  record_arm(dir / "run", 120, 50);
  ASSERT_EQ(open(), PH_OK);
  const struct envs_answer *e = round(3, 80, MODE_BOTH);
  ASSERT_EQ(e->lines, 3u);
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQ(e->line[i].cls, PH_DIVERGED);
    EXPECT_EQ(e->line[i].first, snap->dyn->sum.first[PH_DIVERGED]);
    EXPECT_GT(e->line[i].now, 0);
    EXPECT_EQ(e->line[i].equal, 0);
    EXPECT_EQ(memcmp(e->line[i].lane, e->line[0].lane, 40 * sizeof(double)), 0);
  }
  EXPECT_EQ(e->unequal, 3u);
  want.dyn.tolerance = ph_tolerance_default();
  want.dyn.tolerance.of[PH_MEASURE_JOINT_ANGLE] = want.dyn.tolerance.of[PH_MEASURE_BODY_PLACE] =
      want.dyn.tolerance.of[PH_MEASURE_BODY_ANGLE] =
          want.dyn.tolerance.of[PH_MEASURE_JOINT_ANGLE_SPEED] = 1e9;
  e = again();
  EXPECT_EQ(e->line[0].cls, PH_CLOSE) << "another tolerance is another pass";
}

TEST_F(Envs, OneThatCannotBeReadIsALineWithAReason) {
  copy("drawer_close");
  for (auto &file : fs::directory_iterator(dir / "run"))
    if (file.path().filename().string().rfind("env001_ep000000", 0) == 0)
      std::ofstream(file.path(), std::ios::trunc) << "no HDF5";
  ASSERT_EQ(open(), PH_OK) << ph_error();
  const struct envs_answer *e = round(2, 100, MODE_BOTH);
  ASSERT_TRUE(e->ready) << e->refused;
  ASSERT_EQ(e->lines, 2u);
  EXPECT_EQ(e->line[1].at.step, -1);
  EXPECT_NE(e->line[1].trouble[0], 0);
  EXPECT_FALSE(e->line[1].runs);
  EXPECT_EQ(e->line[0].at.step, 100);
  EXPECT_EQ(e->pass.class_of[PH_BITWISE], 1u);
  EXPECT_EQ(e->pass.refused, 1u);
}

TEST_F(Envs, LatchesMeetOnceTheyAreKnown) {
  copy("quadruped_stand");
  ASSERT_EQ(open(), PH_OK);
  want.envs.align = PH_ALIGN_DYNAMIC;
  const struct envs_answer *e = round(2, 60);
  ASSERT_EQ(e->lines, 2u);
  EXPECT_EQ(e->by_step, 0u) << e->note;
  int64_t ahead = e->line[1].latch[PH_LATCH_DYNAMIC] - e->line[0].latch[PH_LATCH_DYNAMIC];
  EXPECT_NE(ahead, 0);
  EXPECT_EQ(e->line[0].at.step, 60);
  EXPECT_EQ(e->line[1].at.step, 60 + ahead);
  want.envs.align = PH_ALIGN_STEP;
  EXPECT_EQ(again()->line[1].at.step, 60);
}

TEST_F(Envs, OneThatARecorderAddsJoinsTheRound) {
  copy("drawer_close");
  fs::create_directories(dir / "later");
  for (auto &file : fs::directory_iterator(dir / "run"))
    if (file.path().filename().string().rfind("env001_ep000000", 0) == 0)
      fs::rename(file.path(), dir / "later" / file.path().filename());
  fs::path index = dir / "run" / "index"; /* is made anew of what is there */
  fs::rename(index, dir / "later" / "index");
  ASSERT_EQ(open(), PH_OK) << ph_error();
  want.follow = true;
  EXPECT_EQ(round(PH_ENSEMBLE_MAX, 10)->n, 1u);
  for (auto &file : fs::directory_iterator(dir / "later"))
    fs::copy(file.path(), dir / "run" / file.path().filename());
  struct snapshot *fresh = nullptr;
  for (int i = 0; i < 2000 && snap->catalog->n < 8; i++) {
    if (!session_work(s, nullptr, nullptr, &fresh))
      usleep(2000);
    take(fresh);
  }
  ASSERT_EQ(snap->catalog->n, 8u);
  EXPECT_EQ(again()->n, 2u);
}

// As on a terminal: a piece at a time, whatever is interrupted, and the answer comes in the end.
TEST_F(Envs, PiecesComeToAnEnd) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  want.dyn.mode = MODE_BOTH;
  want.envs.n = 2;
  want.envs.lines = ENVS_ROWS;
  want.envs.columns = 40;
  want.step = 100;
  serve();
  ASSERT_TRUE(snap->envs);
  EXPECT_FALSE(snap->envs->ready) << "nobody waits for it";
  uint64_t answers = 0;
  for (int i = 0; i < 200000 && !(snap->envs->pass.over && snap->envs->sought); i++) {
    struct snapshot *fresh = nullptr;
    auto sometimes = [](void *arg) { return ++*static_cast<int *>(arg) % 3 == 0; };
    if (!session_work(s, i < 200 ? +sometimes : nullptr, &i, &fresh))
      usleep(500);
    answers += fresh != nullptr;
    take(fresh);
    ASSERT_TRUE(snap->envs);
  }
  EXPECT_TRUE(snap->envs->pass.over);
  EXPECT_EQ(snap->envs->compared, 2u);
  EXPECT_GT(answers, 1u);
  EXPECT_EQ(session_wait(s), UINT64_MAX) << "nothing is left to do";
}

TEST_F(Envs, LinesOutOfSightAreLeftOut) {
  record_arm(dir / "run", 20, -1);
  ASSERT_EQ(open(), PH_OK);
  want.envs.first = 150;
  const struct envs_answer *e = round(300, 10);
  EXPECT_EQ(e->n, 300u);
  EXPECT_EQ(e->first, 150u);
  EXPECT_EQ(e->lines, (size_t)ENVS_ROWS);
  want.envs.first = 290;
  e = again();
  EXPECT_EQ(e->first + e->lines, 300u);
  want.envs.first = 1 << 30;
  want.envs.lines = INT32_MAX;
  want.envs.columns = INT32_MAX;
  EXPECT_LE(again()->lines, (size_t)ENVS_ROWS);
}
