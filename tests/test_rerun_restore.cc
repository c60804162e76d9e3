/* Restoring a checkpoint and stepping gives the bits of a run that was not interrupted. */
#include "rerun_maker.h"

using namespace rerun_help;

namespace {

using Way = std::tuple<const char *, const char *>;
class RerunRestore : public testing::TestWithParam<Way> {};

TEST_P(RerunRestore, StraightRunIsTheRecording) {
  Model model(pile(std::get<0>(GetParam()), std::get<1>(GetParam())));
  Maker maker(model.model);
  maker.start = disturb;
  Episode e(maker.make());
  Rerun r(e.episode, model.model, nullptr);
  ASSERT_NE(nullptr, r.run);
  EXPECT_FALSE(r.cached().full_copies);
  Cursor c(r);
  for (int64_t t = 0; t < e.meta().states; t++)
    expect_recorded(c.go(t), e);
}

TEST_P(RerunRestore, AnyOrderIsTheStraightRun) {
  Model model(pile(std::get<0>(GetParam()), std::get<1>(GetParam())));
  Maker maker(model.model);
  maker.start = disturb;
  maker.actions = 60;
  Episode e(maker.make());
  for (int64_t anchor : {int64_t{0}, int64_t{33}}) {
    ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
    opt.anchor = anchor;
    opt.budget = 16 << 10;
    Rerun r(e.episode, model.model, nullptr, opt);
    ASSERT_NE(nullptr, r.run);
    Straight straight(r, 3);
    EXPECT_GT(r.cached().every, 1);
    EXPECT_LE(r.cached().bytes, opt.budget);
    EXPECT_EQ(r.cached().wanted, r.cached().cached);
    seek_around(r, straight, 60);
    if (HasFatalFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RerunRestore,
                         testing::Combine(testing::Values("PGS", "CG", "Newton"),
                                          testing::Values("Euler", "implicit", "RK4")));

/* Rows whose weld, mocap body and forces change as the file goes: from each of them. */
TEST(RerunDisturbed, FromEachAnchor) {
  Model model(pile());
  Maker maker(model.model);
  maker.actions = 40;
  maker.between = [](ph_sim *sim, int t) {
    uint8_t active[] = {t % 3 == 0, t % 2 == 0};
    ph_mj_set(sim->m, sim->d, PH_COL_EQ_ACTIVE, active);
    sim->d->mocap_pos[1] = 0.3 + 0.01 * t;
    sim->d->mocap_quat[0] = 0.9 + 0.01 * (t % 5);
    sim->d->xfrc_applied[8] = 0.1 * t;
  };
  Episode e(maker.make());
  for (int64_t anchor = 0; anchor < 40; anchor += 7) {
    ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
    opt.anchor = anchor;
    Rerun r(e.episode, model.model, nullptr, opt);
    ASSERT_NE(nullptr, r.run);
    Cursor c(r);
    expect_recorded(*ph_cursor_now(c.cursor), e);
    Straight straight(r, 3);
    seek_around(r, straight, 60, static_cast<uint32_t>(anchor));
    EXPECT_EQ(1, r.cached().every);
  }
}

TEST(RerunSubsteps, BothDirections) {
  Model model(pile());
  Maker maker(model.model);
  maker.actions = 230;
  maker.steps = 10;
  Episode e(maker.make());
  Rerun r(e.episode, model.model, nullptr);
  ASSERT_NE(nullptr, r.run);
  Straight straight(r);
  Cursor c(r), forward(r);
  std::string four = bits(forward.go(213, 4), dims_of(r));
  EXPECT_EQ(1, ph_cursor_cost(forward.cursor));
  c.go(213, 4);
  EXPECT_TRUE(four == bits(*ph_cursor_now(c.cursor), dims_of(r)));
  EXPECT_NE(nullptr, ph_cursor_now(c.cursor)->action);
  EXPECT_FALSE(ph_cursor_now(c.cursor)->judged);
  std::string three = bits(c.go(213, 3), dims_of(r));
  EXPECT_EQ(1, ph_cursor_cost(c.cursor));
  EXPECT_TRUE(three != four);
  EXPECT_TRUE(four == bits(c.go(213, 4), dims_of(r)));
  EXPECT_TRUE(straight.at[214][0] == bits(c.go(214), dims_of(r)));
  EXPECT_TRUE(straight.at[213][0] == bits(c.go(213), dims_of(r)));
  /* ten of one are what a whole one is, and time says where it stands */
  for (int k = 0; k < 10; k++)
    EXPECT_NEAR((213 * 10 + k) * 0.004, c.go(213, k).row.state[0], 1e-9);
  EXPECT_TRUE(straight.at[214][0] == bits(c.go(214), dims_of(r)));
  /* clamped */
  EXPECT_EQ(9, c.go(213, 99).substep);
  EXPECT_EQ(0, c.go(213, -4).substep);
  EXPECT_EQ(230, c.go(500, 7).step);
  EXPECT_EQ(0, ph_cursor_now(c.cursor)->substep);
  EXPECT_EQ(0, c.go(-5, 7).step);
  EXPECT_EQ(0, ph_cursor_now(c.cursor)->substep);
}

/* A model whose checkpoints do not restore is found, and gets copies of the engine's data. */
TEST(RerunTrust, FullCopies) {
  Model model(pile("PGS"));
  Maker maker(model.model);
  maker.actions = 30;
  Episode e(maker.make());
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  Rerun plain(e.episode, model.model, nullptr, opt);
  ph_rerun_lose_warmstart(true);
  Rerun r(e.episode, model.model, nullptr, opt);
  opt.budget = 12 << 20;
  Rerun tight(e.episode, model.model, nullptr, opt);
  ph_rerun_lose_warmstart(false);
  ASSERT_TRUE(plain.run && r.run && tight.run);
  EXPECT_FALSE(plain.cached().full_copies);
  EXPECT_TRUE(r.cached().full_copies);
  EXPECT_TRUE(tight.cached().full_copies);
  Straight straight(plain, 3);
  Straight with_copies(r, 3);
  EXPECT_TRUE(straight.at == with_copies.at);
  seek_around(r, straight, 20);
  Straight with_few(tight, 3);
  EXPECT_TRUE(straight.at == with_few.at);
  EXPECT_GT(tight.cached().every, 1);
  EXPECT_LE(tight.cached().bytes, opt.budget);
  seek_around(tight, straight, 20);
  Cursor c(r);
  for (int64_t t = 0; t < e.meta().states; t++)
    expect_recorded(c.go(t), e);
}

/* Two cursors that are not in step use what one of them found. */
TEST(RerunCursors, ShareWhatTheyFound) {
  Model model(pile());
  Maker maker(model.model);
  Episode e(maker.make());
  Rerun r(e.episode, model.model, nullptr);
  ASSERT_NE(nullptr, r.run);
  Cursor a(r), b(r);
  a.go(50);
  EXPECT_EQ(50, ph_cursor_cost(a.cursor));
  EXPECT_EQ(51, r.cached().cached);
  EXPECT_EQ(61, r.cached().wanted);
  b.go(50);
  EXPECT_EQ(0, ph_cursor_cost(b.cursor));
  EXPECT_TRUE(bits(*ph_cursor_now(a.cursor), dims_of(r)) ==
              bits(*ph_cursor_now(b.cursor), dims_of(r)));
  b.go(53);
  EXPECT_EQ(3, ph_cursor_cost(b.cursor));
}

} // namespace
