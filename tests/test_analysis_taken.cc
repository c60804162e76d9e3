// A single step that the free run took already is not taken again, and comes to the same.
#include <atomic>

#include "analysis_help.h"

using namespace analysis_help;

namespace {

std::atomic<int> derived; /* times that the engine looked at its controls: once a substep */

void count(const mjModel *, mjData *) {
  derived++;
}

struct Taken : Analysis {
  void TearDown() override {
    mjcb_control = nullptr;
    Analysis::TearDown();
  }
  /* Facts of a pass, and how often the engine was asked. */
  std::vector<ph_step_facts> pass(int jobs, int *asked) {
    derived = 0;
    mjcb_control = count;
    ph_analysis *a = whole(jobs);
    mjcb_control = nullptr;
    *asked = derived;
    auto all = facts(a);
    EXPECT_EQ(meta.states - 1, look(a).one_step);
    ph_analysis_free(a);
    return all;
  }
  /* A free run from the last state on says nothing of the steps before. */
  void expect_as_alone(const std::vector<ph_step_facts> &all, int *differ) {
    int asked;
    *differ = 0;
    ph_rerun_unref(run);
    run = nullptr;
    opt.anchor = meta.states - 1;
    ASSERT_EQ(PH_OK, ph_rerun_create(&run, episode, model, task, &opt)) << ph_error();
    auto alone = pass(1, &asked);
    for (size_t t = 1; t < all.size(); t++) {
      SCOPED_TRACE(t);
      EXPECT_TRUE(all[t].one_known);
      EXPECT_EQ(alone[t].one_class, all[t].one_class);
      EXPECT_EQ(alone[t].one_equal, all[t].one_equal);
      EXPECT_EQ(alone[t].ctrl_equal, all[t].ctrl_equal);
      EXPECT_EQ(0, memcmp(alone[t].one_max, all[t].one_max, sizeof all[t].one_max));
      EXPECT_EQ(0, memcmp(alone[t].one_worst, all[t].one_worst, sizeof all[t].one_worst));
      *differ += alone[t].one_class != PH_BITWISE;
    }
  }
};

TEST_F(Taken, ARightEpisodeIsRunOnce) {
  int asked, differ;
  start_plain();
  auto all = pass(1, &asked);
  EXPECT_GE(asked, kActions * kSteps);
  EXPECT_LE(asked, kActions * (kSteps + 1) + 20) << "substeps, and what is derived at each step";
  expect_as_alone(all, &differ);
  EXPECT_EQ(0, differ);
}

TEST_F(Taken, FromAPushOnEachIsTakenByItself) {
  int asked, differ;
  kick = 80;
  start_plain();
  auto all = pass(1, &asked);
  EXPECT_GE(asked, kActions * (kSteps + 1) + 39 * kSteps);
  EXPECT_LE(asked, kActions * (kSteps + 1) + 41 * (kSteps + 1) + 20);
  expect_as_alone(all, &differ);
  EXPECT_EQ(1, differ);
}

/* The free run goes on from bits that such a file does not have: single steps do not. */
TEST_F(Taken, WhatTheFileLacksIsNotTakenForEqual) {
  for (ph_column lacks : kRow) {
    if (lacks == PH_COL_STATES)
      continue;
    SCOPED_TRACE(lacks);
    int asked, differ;
    uint32_t before = columns;
    columns &= ~PH_COL_BIT(lacks);
    opt.anchor = 0;
    start_plain();
    auto all = pass(1, &asked);
    expect_as_alone(all, &differ);
    if (lacks == PH_COL_WARMSTART) {
      EXPECT_GT(differ, 0) << "or it shows nothing";
    }
    ph_rerun_unref(run);
    run = nullptr;
    ph_episode_free(episode);
    episode = nullptr;
    columns = before;
  }
}

} // namespace
