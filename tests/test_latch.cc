#include <gtest/gtest.h>

#include <cmath>

#include <playhead/playhead.h>

namespace {

int64_t steps(double seconds, double dt) {
  int64_t n = -1;
  EXPECT_EQ(PH_OK, ph_hold_steps(&n, seconds, dt)) << ph_error();
  return n;
}

TEST(Latch, StepsRoundHalvesToEven) {
  EXPECT_EQ(0, steps(0, 0.02));
  EXPECT_EQ(25, steps(0.5, 0.02));
  EXPECT_EQ(3, steps(0.06, 0.02)); /* 0.06 / 0.02 is 2.9999999999999996 */
  EXPECT_EQ(2, steps(1.5, 1));
  EXPECT_EQ(2, steps(2.5, 1));
  EXPECT_EQ(4, steps(3.5, 1));
  EXPECT_EQ(1, steps(0.75, 1));
}

TEST(Latch, StepsRefuseWhatIsNoHold) {
  int64_t n;
  EXPECT_EQ(PH_EINVAL, ph_hold_steps(&n, 0.5, 1)); /* half a step rounds to 0 */
  EXPECT_STREQ("hold: 0.5 s: comes to 0 steps of 1 s; use 0 for no hold", ph_error());
  EXPECT_EQ(PH_EINVAL, ph_hold_steps(&n, 1e-300, 0.02));
  for (double bad : {-0.1, (double)NAN, (double)INFINITY})
    EXPECT_EQ(PH_EINVAL, ph_hold_steps(&n, bad, 0.02)) << bad;
  for (double bad : {0.0, -1.0, (double)NAN, (double)INFINITY})
    EXPECT_EQ(PH_EINVAL, ph_hold_steps(&n, 1, bad)) << bad;
  EXPECT_EQ(PH_EINVAL, ph_hold_steps(&n, 1e300, 1e-3));
  EXPECT_EQ(0, n);
}

/* Feeds rows 1.. of "1101..." and gives the row where update said that it latches, or -1. */
int64_t feed(ph_hold *hold, const char *rows) {
  int64_t at = -1;
  for (int64_t row = 1; rows[row - 1]; row++) {
    if (ph_hold_update(hold, row, rows[row - 1] == '1')) {
      EXPECT_EQ(-1, at) << "latches once";
      at = row;
    }
  }
  EXPECT_EQ(at >= 0, hold->latched);
  EXPECT_TRUE(!hold->latched || hold->latch == at);
  return at;
}

TEST(Latch, CountsOutcomesInARow) {
  struct {
    int64_t steps, row, count;
    const char *rows;
  } cases[] = {{3, 3, 5, "11111"},   {3, 7, 3, "0110111"}, {3, -1, 2, "1101101011"},
               {0, 1, 1, "1"},       {0, 3, 0, "00110"},   {1, 3, 1, "001"},
               {2, -1, 0, "101010"}, {1, -1, 0, ""},       {2, 2, 0, "110110"}};
  for (auto &c : cases) {
    ph_hold hold = {};
    hold.steps = c.steps;
    EXPECT_EQ(c.row, feed(&hold, c.rows)) << c.steps << " " << c.rows;
    EXPECT_EQ(c.count, hold.count) << c.rows;
  }
}

TEST(Latch, TheResetRowNeverCounts) {
  ph_hold hold = {};
  EXPECT_FALSE(ph_hold_update(&hold, 0, true));
  EXPECT_EQ(0, hold.count);
  EXPECT_FALSE(hold.latched);
  hold.steps = 2;
  EXPECT_FALSE(ph_hold_update(&hold, 0, true));
  EXPECT_FALSE(ph_hold_update(&hold, 1, true));
  EXPECT_TRUE(ph_hold_update(&hold, 2, true));
  EXPECT_EQ(2, hold.latch);
}

} // namespace
