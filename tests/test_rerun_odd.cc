/* Reruns of what is damaged, short, stopped or not a number. */

#include "rerun_maker.h"

using namespace rerun_help;

namespace {

TEST(RerunOdd, CancelStandsWhereItCame) {
  Model model(pile());
  Maker maker(model.model);
  Episode e(maker.make());
  Rerun r(e.episode, model.model, nullptr);
  Cursor c(r);
  int left = 12;
  auto cancel = [](void *arg) { return --*static_cast<int *>(arg) < 0; };
  EXPECT_EQ(PH_ECANCELED, ph_cursor_seek(c.cursor, 40, 0, cancel, &left));
  EXPECT_EQ(12, ph_cursor_now(c.cursor)->step);
  EXPECT_EQ(12, ph_cursor_cost(c.cursor));
  expect_recorded(*ph_cursor_now(c.cursor), e);
  EXPECT_EQ(13, r.cached().cached);
  left = 0;
  EXPECT_EQ(PH_ECANCELED, ph_cursor_seek(c.cursor, 12, 2, cancel, &left));
  EXPECT_EQ(12, ph_cursor_now(c.cursor)->step);
  EXPECT_EQ(0, ph_cursor_now(c.cursor)->substep);
  expect_recorded(c.go(40), e);
  EXPECT_EQ(28, ph_cursor_cost(c.cursor));
}

TEST(RerunOdd, ActionThatIsNone) {
  Model model(pile());
  Maker maker(model.model);
  maker.amend = [](std::vector<double> &actions) { actions[2 * 20 + 1] = NAN; };
  Episode e(maker.make());
  Rerun r(e.episode, model.model, nullptr);
  Cursor c(r);
  EXPECT_EQ(PH_ESIM, ph_cursor_seek(c.cursor, 40, 0, nullptr, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "step 20: action[1] (slow) is not finite")) << ph_error();
  EXPECT_EQ(20, ph_cursor_now(c.cursor)->step);
  expect_recorded(*ph_cursor_now(c.cursor), e);
  EXPECT_EQ(PH_ESIM, ph_cursor_seek(c.cursor, 20, 2, nullptr, nullptr));
  EXPECT_EQ(20, ph_cursor_now(c.cursor)->step);
  EXPECT_EQ(0, ph_cursor_now(c.cursor)->substep);
  expect_recorded(c.go(19), e);
  EXPECT_EQ(PH_ESIM, ph_cursor_one_step(c.cursor, 20));
  EXPECT_EQ(20, ph_cursor_now(c.cursor)->step);
  ASSERT_EQ(PH_OK, ph_cursor_one_step(c.cursor, 21)) << ph_error();
  expect_recorded(*ph_cursor_now(c.cursor), e);
}

/* Physics that leaves the numbers: the step before it stands, and can be left again. */
TEST(RerunOdd, PhysicsThatExplodes) {
  Model model(pile());
  Maker maker(model.model);
  maker.amend = [](std::vector<double> &actions) { actions[2 * 20] = 9e9; };
  Episode e(maker.make());
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.budget = 4 << 10;
  Rerun r(e.episode, model.model, nullptr, opt);
  Cursor c(r);
  ph_status status = ph_cursor_seek(c.cursor, 60, 0, nullptr, nullptr);
  EXPECT_EQ(PH_ESIM, status);
  EXPECT_NE(nullptr, strstr(ph_error(), "demo_3: step ")) << ph_error();
  int64_t last = ph_cursor_now(c.cursor)->step;
  EXPECT_GE(last, 20);
  EXPECT_LT(last, 60);
  Cursor again(r);
  EXPECT_TRUE(bits(again.go(last), dims_of(r)) == bits(*ph_cursor_now(c.cursor), dims_of(r)));
  expect_recorded(c.go(15), e);
}

TEST(RerunOdd, DamagedActions) {
  Model model(pile());
  Maker maker(model.model);
  Episode e(maker.make());
  maker.memory->corrupt = 30;
  maker.memory->corrupt_col = PH_COL_ACTIONS;
  Rerun r(e.episode, model.model, nullptr);
  Cursor c(r);
  EXPECT_EQ(PH_ECORRUPT, ph_cursor_seek(c.cursor, 60, 0, nullptr, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "step 30")) << ph_error();
  EXPECT_EQ(30, ph_cursor_now(c.cursor)->step);
  expect_recorded(*ph_cursor_now(c.cursor), e);
  ASSERT_EQ(PH_OK, ph_cursor_one_step(c.cursor, 31)) << ph_error();
  EXPECT_EQ(PH_ECORRUPT, ph_cursor_one_step(c.cursor, 30));
  /* behind the damage */
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.anchor = 31;
  Rerun later(e.episode, model.model, nullptr, opt);
  Cursor d(later);
  expect_recorded(d.go(60), e);
}

TEST(RerunOdd, DamagedStates) {
  Model model(pile());
  Maker maker(model.model);
  Episode e(maker.make());
  maker.memory->corrupt = 10;
  maker.memory->corrupt_col = PH_COL_WARMSTART;
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  ph_rerun *run = nullptr;
  opt.anchor = 10;
  EXPECT_EQ(PH_ECORRUPT, ph_rerun_create(&run, e.episode, model.model, nullptr, &opt));
  EXPECT_EQ(nullptr, run);
  opt.anchor = 0;
  Rerun r(e.episode, model.model, nullptr, opt);
  Cursor c(r);
  EXPECT_EQ(PH_ECORRUPT, ph_cursor_one_step(c.cursor, 10));
  EXPECT_EQ(0, ph_cursor_now(c.cursor)->step);
  EXPECT_EQ(60, c.go(60).step);
  EXPECT_EQ(PH_EINVAL, ph_cursor_one_step(c.cursor, -1));
  EXPECT_EQ(PH_EINVAL, ph_cursor_one_step(c.cursor, 61));
  EXPECT_EQ(60, ph_cursor_now(c.cursor)->step);
}

TEST(RerunOdd, ShortEpisodes) {
  Model model(pile());
  Maker one(model.model);
  one.actions = 1;
  Episode single(one.make());
  Rerun r(single.episode, model.model, nullptr);
  Cursor c(r);
  expect_recorded(c.go(1), single);
  EXPECT_EQ(1, c.go(9, 3).step);
  EXPECT_EQ(3, c.go(0, 3).substep);
  /* S = A: the last state is not there */
  Maker dropped(model.model);
  dropped.drop_states = 1;
  Episode equal(dropped.make());
  Rerun s(equal.episode, model.model, nullptr);
  EXPECT_EQ(60, ph_rerun_states(s.run));
  Cursor d(s);
  EXPECT_EQ(59, d.go(99).step);
  expect_recorded(*ph_cursor_now(d.cursor), equal);
  ASSERT_EQ(PH_OK, ph_cursor_one_step(d.cursor, 59)) << ph_error();
  EXPECT_EQ(60, ph_cursor_now(d.cursor)->step);
  /* fewer actions than that: the last one is held */
  Maker fewer(model.model);
  fewer.drop_actions = 10;
  Episode few(fewer.make());
  Rerun f(few.episode, model.model, nullptr);
  EXPECT_EQ(61, ph_rerun_states(f.run));
  Cursor g(f);
  expect_recorded(g.go(50), few);
  const ph_instant &now = g.go(60);
  EXPECT_EQ(Maker::ctrl_of(49, 0, 1), now.action[1]);
  EXPECT_EQ(60, now.step);
}

/* No state, no actions, no model. */
TEST(RerunOdd, NothingToRun) {
  Model model(pile()), other(rec_xml());
  Maker maker(model.model);
  Episode e(maker.make());
  ph_rerun *run = nullptr;
  EXPECT_EQ(PH_ENOTFOUND, ph_rerun_create(&run, e.episode, nullptr, nullptr, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "STATES ONLY: no model")) << ph_error();
  EXPECT_EQ(PH_EMISMATCH, ph_rerun_create(&run, e.episode, other.model, nullptr, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "in the model")) << ph_error();
  Task terms(rec_task());
  EXPECT_EQ(PH_EMISMATCH, ph_rerun_create(&run, e.episode, model.model, terms.task, nullptr));
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  for (int64_t anchor : {int64_t{-1}, int64_t{61}}) {
    opt.anchor = anchor;
    EXPECT_EQ(PH_EINVAL, ph_rerun_create(&run, e.episode, model.model, nullptr, &opt));
    EXPECT_EQ(nullptr, run);
  }
  ph_rerun_unref(nullptr);
  ph_cursor_close(nullptr);
}

} // namespace
