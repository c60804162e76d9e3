// Findings of both runs: what is the same is said once, and what broke a hold is named.
#include <string>

#include <playhead/finding_dynamic.h>

#include "analysis_help.h"

using analysis_help::Analysis;

static const char kUp[] = "return { name = 'swing', control_steps = 2, hold_seconds = %.3f,\n"
                          " success = { up = function(s) return s.joint.shoulder > %.3f end,\n"
                          " always = function(s) return true end } }\n";

struct FindingsOfBoth : Analysis {
  ph_analysis *a = nullptr;
  double above = 0;

  void TearDown() override {
    ph_analysis_free(a);
    Analysis::TearDown();
  }
  void judge_by(double hold, double threshold) {
    char text[400];
    above = threshold;
    snprintf(text, sizeof text, kUp, hold, threshold);
    parse(text);
    meta.hold_seconds = hold;
    ASSERT_EQ(PH_OK, ph_hold_steps(&meta.hold_steps, hold, meta.control_dt));
    snprintf(meta.task_sha256, sizeof meta.task_sha256, "%s", ph_task_sha256(task));
  }
  double shoulder(int64_t row) const {
    int at = ph_model_joint(model, ph_model_find(model, PH_JOINT, "shoulder"))->qposadr;
    return memory->data[PH_COL_STATES][static_cast<size_t>(row) * memory->width[PH_COL_STATES] + 1 +
                                       static_cast<size_t>(at)];
  }
  /* What the file says is what its task said. */
  void run_it() {
    record_plain();
    columns |= PH_COL_BIT(PH_COL_PREDICATE);
    for (int64_t t = 0; t < meta.states; t++)
      memory->bytes[PH_COL_PREDICATE].push_back(shoulder(t) > above);
    start_run();
    a = whole(2);
  }
  std::vector<ph_finding> found(ph_finding_kind kind) {
    ph_finding all[32];
    std::vector<ph_finding> out;
    size_t n = ph_analysis_findings(a, nullptr, all, 32);
    for (size_t i = 0; i < n && i < 32; i++)
      if (all[i].kind == kind)
        out.push_back(all[i]);
    return out;
  }
};

TEST_F(FindingsOfBoth, ALatchAtTheSameStepIsOne) {
  judge_by(0.04, 0.02);
  run_it();
  auto latch = found(PH_FINDING_LATCH);
  ASSERT_EQ(1u, latch.size());
  EXPECT_EQ(8, latch[0].step);
  EXPECT_STREQ("LATCH, recorded and dynamic: true 4..120, 5/5 = 0.04 s", latch[0].text);
  EXPECT_TRUE(found(PH_FINDING_NEAR_MISS).empty());
}

TEST_F(FindingsOfBoth, ANearMissAtTheSameStepIsOneAndNamesWhatBroke) {
  judge_by(0.12, 1.06);
  run_it();
  auto miss = found(PH_FINDING_NEAR_MISS);
  ASSERT_EQ(1u, miss.size());
  EXPECT_EQ(36, miss[0].step);
  EXPECT_STREQ(
      "near miss, recorded and dynamic: broke at 10/15: up false (joint.shoulder 1.059 <= 1.060)",
      miss[0].text);
}

TEST_F(FindingsOfBoth, AHoldThatBreaksOnlyWhenRunAgainNamesTheCondition) {
  kick = 32; /* recorded, the shoulder is pushed up and stays a while longer */
  judge_by(0.088, 1.06);
  run_it();
  auto latch = found(PH_FINDING_LATCH), differ = found(PH_FINDING_DISAGREEMENT);
  ASSERT_EQ(1u, latch.size());
  EXPECT_EQ(0, strncmp("LATCH, recorded: true 26..", latch[0].text, 26)) << latch[0].text;
  ASSERT_FALSE(differ.empty());
  EXPECT_EQ(36, differ[0].step);
  EXPECT_STREQ("latch: recorded 36, dynamic never: it broke here at 10/11: up false "
               "(joint.shoulder 1.059 <= 1.060). Run again, this episode FAILS the task that its "
               "recording passes.",
               differ[0].text);
  ph_broke broke;
  ASSERT_TRUE(ph_analysis_broke(a, -1, &broke));
  EXPECT_EQ(36, broke.step);
  EXPECT_EQ(10, broke.count);
  EXPECT_EQ(11, broke.steps);
  EXPECT_STREQ("up false (joint.shoulder 1.059 <= 1.060)", broke.text);
}

/* Another count at the same step, or another step, is another finding. */
TEST_F(FindingsOfBoth, WhatDiffersStaysApart) {
  kick = 32;
  judge_by(0.24, 1.06);
  run_it();
  auto miss = found(PH_FINDING_NEAR_MISS);
  ASSERT_EQ(2u, miss.size());
  EXPECT_STREQ("near miss, recorded: broke at 11/30: up false (joint.shoulder 1.058 <= 1.060)",
               miss[0].text);
  EXPECT_EQ(37, miss[0].step);
  EXPECT_STREQ("near miss, dynamic: broke at 10/30: up false (joint.shoulder 1.059 <= 1.060)",
               miss[1].text);
  EXPECT_EQ(36, miss[1].step);
}

TEST_F(FindingsOfBoth, AHoldThatLatchedBrokeNowhere) {
  judge_by(0.04, 0.02);
  run_it();
  ph_broke broke;
  EXPECT_FALSE(ph_analysis_broke(a, -1, &broke));
  EXPECT_EQ(-1, broke.step);
}

/* --- steps that were not taken --- */

TEST_F(FindingsOfBoth, AStepThatBeginsInNoNumbersIsNoErrorOfOne) {
  wrong = {{40, NAN}};
  judge_by(0.04, 0.02);
  run_it();
  std::vector<ph_step_facts> all = facts(a);
  double lane[1];
  EXPECT_EQ(41, look(a).stopped);
  EXPECT_FALSE(all[41].one_known);
  EXPECT_TRUE(all[40].one_known && all[42].one_known);
  EXPECT_EQ(PH_BITWISE, sum(a).one_cls);
  ph_analysis_lane(a, true, 41, 1, lane, 1);
  EXPECT_TRUE(std::isnan(lane[0])) << "the lane has no bar where nothing was computed";
  EXPECT_TRUE(found(PH_FINDING_DIVERGENCE).empty());
  auto stopped = found(PH_FINDING_STOPPED);
  ASSERT_EQ(1u, stopped.size());
  EXPECT_EQ(41, stopped[0].step);
  EXPECT_TRUE(found(PH_FINDING_MISSING).empty());
  std::string text = stopped[0].text;
  size_t at = text.find("is not finite");
  EXPECT_NE(std::string::npos, at) << text;
  EXPECT_EQ(std::string::npos, text.find("is not finite", at + 1)) << "said once: " << text;
}

TEST_F(FindingsOfBoth, WherePhysicsLeavesTheNumbersIsSaidAndOnce) {
  wrong = {{40, 1e11}};
  judge_by(0.04, 0.02);
  run_it();
  EXPECT_TRUE(found(PH_FINDING_DIVERGENCE).empty());
  ASSERT_EQ(1u, found(PH_FINDING_STOPPED).size());
}

TEST_F(FindingsOfBoth, AStepWithoutAStateIsNotOneOfOtherBits) {
  kick = 20;
  wrong = {{10, 1e11}};
  judge_by(0.04, 0.02);
  opt.anchor = 15;
  run_it();
  for (auto &f : found(PH_FINDING_DIVERGENCE))
    EXPECT_EQ(nullptr, strstr(f.text, "other bits alone")) << f.text;
  kick = -1;
  ph_analysis_free(a);
  ph_rerun_unref(run);
  run = nullptr;
  ph_episode_free(episode);
  episode = nullptr;
  run_it();
  auto left = found(PH_FINDING_DIVERGENCE);
  ASSERT_EQ(1u, left.size());
  EXPECT_EQ(11, left[0].step);
  EXPECT_NE(nullptr, strstr(left[0].text, "1-step error: physics left the numbers at 11, exactly 0 "
                                          "at the other 119."))
      << left[0].text;
}

/* --- ctrl --- */

TEST_F(FindingsOfBoth, CtrlIsEqualOnlyWhereTheFileHasIt) {
  for (bool recorded : {true, false}) {
    kick = 32;
    judge_by(0.04, 0.02);
    if (!recorded)
      columns &= ~PH_COL_BIT(PH_COL_CTRL);
    ph_analysis_free(a);
    ph_rerun_unref(run);
    run = nullptr;
    ph_episode_free(episode);
    episode = nullptr;
    run_it();
    auto left = found(PH_FINDING_DIVERGENCE);
    ASSERT_EQ(1u, left.size());
    EXPECT_EQ(recorded, strstr(left[0].text, "ctrl: equal bits.") != nullptr) << left[0].text;
    EXPECT_EQ(!recorded, strstr(left[0].text, "ctrl is not recorded.") != nullptr) << left[0].text;
  }
}
