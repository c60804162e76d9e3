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

/* --- the hold of an episode --- */

int64_t of(double seconds, const ph_hold_recorded &recorded) {
  int64_t n = -7;
  EXPECT_EQ(PH_OK, ph_hold_of(&n, seconds, &recorded)) << ph_error();
  return n;
}

TEST(Latch, AnotherHoldOfAnEpisodeIsRoundedInItsSteps) {
  ph_hold_recorded recorded = {0.5, 25, 0.02};
  EXPECT_EQ(15, of(0.3, recorded));
  EXPECT_EQ(2, of(0.05, recorded)); /* 2.5: halves to even */
  EXPECT_EQ(4, of(0.07, recorded)); /* 3.5 */
  EXPECT_EQ(0, of(0, recorded));
  int64_t n = 7;
  EXPECT_EQ(PH_EINVAL, ph_hold_of(&n, 0.01, &recorded)); /* half a step */
  EXPECT_STREQ("hold: 0.01 s: comes to 0 steps of 0.02 s; use 0 for no hold", ph_error());
  EXPECT_EQ(-1, n);
  EXPECT_EQ(PH_EINVAL, ph_hold_of(&n, NAN, &recorded));
  EXPECT_EQ(-1, n);
}

/* As its recorder counted them: another may round otherwise. */
TEST(Latch, TheRecordedHoldHasTheStepsThatWereRecorded) {
  ph_hold_recorded recorded = {0.5, 26, 0.02};
  EXPECT_EQ(26, of(0.5, recorded));
  EXPECT_EQ(26, of(-1, recorded));
  recorded.steps = -1; /* nobody counted them */
  EXPECT_EQ(25, of(0.5, recorded));
  EXPECT_EQ(-1, of(-1, recorded));
  recorded = {-1, 0, 0.02}; /* it has none */
  EXPECT_EQ(0, of(-1, recorded));
  EXPECT_EQ(25, of(0.5, recorded));
}

TEST(Latch, WithoutAStepsLengthNoHoldButNoneIsCounted) {
  ph_hold_recorded recorded = {0.5, 25, 0};
  int64_t n = 7;
  EXPECT_EQ(0, of(0, recorded));
  EXPECT_EQ(25, of(0.5, recorded));
  EXPECT_EQ(PH_EINVAL, ph_hold_of(&n, 0.3, &recorded));
  EXPECT_STREQ("hold: 0.3 s: how long a step takes is not known, so no hold but 0 can be counted",
               ph_error());
  EXPECT_EQ(-1, n);
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
