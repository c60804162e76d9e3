/* Recorded runs come back bit for bit when their actions are fed again. */
#include "rerun_help.h"

using namespace rerun_help;

namespace {

std::string data_run(const std::string &name) {
  return std::string(TEST_SOURCE_ROOT) + "/data/runs/" + name;
}

class RerunData : public testing::TestWithParam<const char *> {};

TEST_P(RerunData, EveryEpisodeFromItsFirstStep) {
  Recorded run(data_run(GetParam()));
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    Episode e(run, i);
    SCOPED_TRACE(ph_store_entry(run.store, i)->id);
    Rerun r(e.episode, run.model, run.task);
    ASSERT_NE(nullptr, r.run);
    EXPECT_FALSE(r.cached().full_copies);
    Cursor c(r);
    for (int64_t t = 0; t < e.meta().states; t++) {
      const ph_instant &now = c.go(t);
      ASSERT_EQ(t, now.step);
      ASSERT_LE(ph_cursor_cost(c.cursor), 1);
      expect_recorded(now, e);
      expect_outcome(now, e);
      ASSERT_EQ(t == 0, now.action == nullptr);
      ASSERT_EQ(t + 1 == e.meta().states ? e.meta().end_reason : PH_END_UNKNOWN, now.end) << t;
      if (HasFatalFailure())
        return;
    }
    EXPECT_STREQ(e.meta().end_detail, ph_cursor_now(c.cursor)->detail);
  }
}

TEST_P(RerunData, FromAnyAnchor) {
  Recorded run(data_run(GetParam()));
  Episode e(run, 0);
  Rerun whole(e.episode, run.model, run.task);
  Cursor all(whole);
  int64_t states = e.meta().states;
  for (int64_t anchor : {int64_t{1}, states / 3, states / 2, states - 2, states - 1}) {
    SCOPED_TRACE(anchor);
    ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
    opt.anchor = anchor;
    Rerun r(e.episode, run.model, run.task, opt);
    ASSERT_NE(nullptr, r.run);
    Cursor c(r);
    EXPECT_EQ(anchor, ph_cursor_now(c.cursor)->step);
    EXPECT_EQ(anchor, c.go(0).step);
    for (int64_t t = anchor; t < states; t++) {
      const ph_instant &now = c.go(t);
      expect_recorded(now, e);
      if (t > anchor) {
        expect_outcome(now, e);
        ASSERT_EQ(bits(all.go(t), dims_of(whole)), bits(now, dims_of(r))) << t;
      }
      if (HasFatalFailure())
        return;
    }
  }
}

TEST_P(RerunData, SingleStepsFromRecordedStates) {
  Recorded run(data_run(GetParam()));
  Episode e(run, 1);
  Rerun r(e.episode, run.model, run.task);
  Cursor c(r);
  for (int64_t i = 0; i < e.meta().actions; i++) {
    int64_t t = (i * 37 + 5) % e.meta().actions;
    ASSERT_EQ(PH_OK, ph_cursor_one_step(c.cursor, t)) << ph_error();
    const ph_instant &now = *ph_cursor_now(c.cursor);
    ASSERT_EQ(t + 1, now.step);
    ASSERT_FALSE(now.judged);
    expect_recorded(now, e, false);
    if (HasFatalFailure())
      return;
  }
  EXPECT_EQ(1, r.cached().cached);
}

INSTANTIATE_TEST_SUITE_P(Runs, RerunData,
                         testing::Values("drawer_close", "quadruped_stand", "muscle_reach"));

} // namespace
