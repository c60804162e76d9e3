#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <playhead/playhead.h>

namespace {

using Bits = std::vector<uint8_t>;

struct Intervals {
  ph_intervals iv = {};
  ~Intervals() { ph_intervals_free(&iv); }
};

ph_latching latch(const ph_intervals &iv, int64_t hold) {
  ph_latching l;
  ph_intervals_latch(&iv, hold, &l);
  return l;
}

/* "110": from row 1 on; the reset row is false. */
void feed(ph_intervals *iv, const char *rows) {
  Bits bits(1, 0);
  for (const char *c = rows; *c; c++)
    bits.push_back(*c == '1');
  ASSERT_EQ(PH_OK, ph_intervals_add(iv, bits.data(), bits.size()));
}

TEST(Intervals, AreRunsOfTrueOutcomes) {
  Intervals of;
  feed(&of.iv, "0110111");
  ASSERT_EQ(2u, of.iv.n);
  EXPECT_EQ(2, of.iv.at[0].first);
  EXPECT_EQ(3, of.iv.at[0].last);
  EXPECT_TRUE(of.iv.at[0].broken);
  EXPECT_EQ(5, of.iv.at[1].first);
  EXPECT_EQ(7, of.iv.at[1].last);
  EXPECT_FALSE(of.iv.at[1].broken); /* goes on to the last row that is known */
  EXPECT_EQ(8, of.iv.rows);
  EXPECT_EQ(5, of.iv.true_rows);
}

TEST(Intervals, TheResetRowNeverCounts) {
  Intervals of;
  Bits bits = {1, 1, 1, 0};
  ASSERT_EQ(PH_OK, ph_intervals_add(&of.iv, bits.data(), bits.size()));
  EXPECT_EQ(1u, of.iv.n);
  EXPECT_EQ(1, of.iv.at[0].first);
  EXPECT_EQ(2, of.iv.true_rows);
  EXPECT_EQ(-1, latch(of.iv, 3).latch);
  EXPECT_EQ(2, latch(of.iv, 2).latch);
}

TEST(Intervals, EveryHoldIsAskedOfTheSame) {
  Intervals of;
  feed(&of.iv, "0110111101");
  struct {
    int64_t hold, latch;
    size_t interval, nmisses;
  } cases[] = {{0, 2, 0, 0}, {1, 2, 0, 0},  {2, 3, 0, 0},  {3, 7, 1, 1},
               {4, 8, 1, 1}, {5, -1, 0, 2}, {9, -1, 0, 1}, {13, -1, 0, 0}};
  for (auto &c : cases) {
    ph_latching l = latch(of.iv, c.hold);
    EXPECT_EQ(c.latch, l.latch) << c.hold;
    EXPECT_EQ(c.interval, l.interval) << c.hold;
    EXPECT_EQ(c.nmisses, l.nmisses) << c.hold;
    EXPECT_EQ(4, l.longest);
    EXPECT_EQ(5, l.longest_first);
  }
}

/* FIELD row 45: true now, true in a row, latched; broken a row before the hold is over. */
TEST(Intervals, AHoldThatBreaksARowBeforeItIsOverBeginsAnew) {
  Intervals of;
  feed(&of.iv, "000111111111011111111110");
  ph_latching l = latch(of.iv, 10);
  EXPECT_EQ(4, latch(of.iv, 0).latch);
  EXPECT_EQ(23, l.latch);
  ASSERT_EQ(1u, l.nmisses);
  EXPECT_EQ(13, l.miss[0].row);
  EXPECT_EQ(9, l.miss[0].count);
  EXPECT_EQ(10, l.longest);
  EXPECT_EQ(14, l.longest_first);
  EXPECT_EQ(-1, latch(of.iv, 11).latch);
}

TEST(Intervals, AThirdOfTheHoldIsNearEnough) {
  EXPECT_TRUE(ph_near_enough(9, 25));
  EXPECT_FALSE(ph_near_enough(8, 25));
  EXPECT_TRUE(ph_near_enough(8, 24));
  EXPECT_TRUE(ph_near_enough(1, 3));
  EXPECT_FALSE(ph_near_enough(0, 1));
}

TEST(Intervals, MissesAreTheLongestAndOfEqualOnesTheEarlier) {
  Intervals of;
  feed(&of.iv, "110"
               "1110"
               "110"
               "11110"
               "1110"
               "11");
  ph_latching l = latch(of.iv, 6);
  ASSERT_EQ((size_t)PH_NEAR_MISSES, l.nmisses);
  const int64_t rows[] = {15, 7, 19}, counts[] = {4, 3, 3};
  for (int i = 0; i < PH_NEAR_MISSES; i++) {
    EXPECT_EQ(rows[i], l.miss[i].row) << i;
    EXPECT_EQ(counts[i], l.miss[i].count) << i;
  }
}

TEST(Intervals, NothingIsNothing) {
  Intervals of;
  ph_latching l = latch(of.iv, 0);
  EXPECT_EQ(-1, l.latch);
  EXPECT_EQ(0, l.longest);
  EXPECT_EQ(-1, l.longest_first);
  EXPECT_EQ(PH_OK, ph_intervals_add(&of.iv, nullptr, 0));
  uint8_t reset = 1;
  EXPECT_EQ(PH_OK, ph_intervals_add(&of.iv, &reset, 1));
  EXPECT_EQ(0u, of.iv.n);
  EXPECT_EQ(1, of.iv.rows);
  EXPECT_EQ(-1, latch(of.iv, 0).latch);
}

/* --- against a naive one --- */

struct Naive {
  int64_t latch = -1, longest = 0, longest_first = -1, true_rows = 0;
  std::vector<ph_near_miss> misses;
};

/* Looks at every row, as the sentences of the header say it. */
Naive naive(const Bits &bits, int64_t hold) {
  Naive out;
  int64_t count = 0;
  for (size_t row = 1; row < bits.size(); row++) {
    if (!bits[row] && count > 0 && out.latch < 0 && 3 * count >= hold)
      out.misses.push_back({(int64_t)row, count});
    count = bits[row] ? count + 1 : 0;
    out.true_rows += bits[row] != 0;
    if (count > out.longest) {
      out.longest = count;
      out.longest_first = (int64_t)row - count + 1;
    }
    if (bits[row] && out.latch < 0 && count >= hold)
      out.latch = (int64_t)row;
  }
  std::stable_sort(out.misses.begin(), out.misses.end(),
                   [](const ph_near_miss &a, const ph_near_miss &b) { return a.count > b.count; });
  if (out.misses.size() > PH_NEAR_MISSES)
    out.misses.resize(PH_NEAR_MISSES);
  return out;
}

bool same(const Naive &n, const ph_latching &l, const ph_intervals &iv) {
  bool ok = n.latch == l.latch && n.longest == l.longest && n.longest_first == l.longest_first &&
            n.true_rows == iv.true_rows && n.misses.size() == l.nmisses;
  for (size_t i = 0; ok && i < l.nmisses; i++)
    ok = n.misses[i].row == l.miss[i].row && n.misses[i].count == l.miss[i].count;
  if (ok && l.latch >= 0)
    ok = iv.at[l.interval].first <= l.latch && l.latch <= iv.at[l.interval].last;
  return ok;
}

std::string text_of(const Bits &bits) {
  std::string text;
  for (uint8_t bit : bits)
    text += bit ? '1' : '0';
  return text;
}

Bits some_bits(std::mt19937_64 &rng) {
  uint64_t random = rng();
  size_t n = random % 48, dense = (random >> 8) % 4; /* from runs of few to runs of many */
  Bits bits(n);
  for (size_t i = 0; i < n; i += 16) {
    uint64_t r = rng();
    for (size_t k = i; k < n && k < i + 16; k++, r >>= 4)
      bits[k] = (r & 15) > 12 - 4 * dense;
  }
  return bits;
}

/* Rows in pieces of any size, empty ones too. */
void add_in_pieces(ph_intervals *iv, const Bits &bits, uint64_t random) {
  for (size_t at = 0; at < bits.size();) {
    size_t n = std::min(bits.size() - at, (size_t)(random % 9));
    random = random * 6364136223846793005u + 1442695040888963407u;
    random ^= random >> 29;
    ASSERT_EQ(PH_OK, ph_intervals_add(iv, bits.data() + at, n));
    at += n;
  }
}

/* Holds of 0, of 1, of a few steps, and of a half: 2.5 and 3.5 steps are 2 and 4. */
int64_t some_hold(uint64_t random) {
  int64_t steps = 0;
  double whole = (double)(random >> 8 & 15);
  if (random & 1)
    return (int64_t)(random >> 1 & 15);
  EXPECT_EQ(PH_OK, ph_hold_steps(&steps, random & 2 && whole > 0 ? whole + 0.5 : whole, 1));
  return steps;
}

TEST(Intervals, AMillionRandomStringsAgainstANaiveOne) {
  std::mt19937_64 rng(20240229);
  ph_intervals iv = {};
  for (int i = 0; i < 1000000; i++) {
    Bits bits = some_bits(rng);
    uint64_t random = rng();
    int64_t hold = some_hold(random >> 40);
    iv.n = 0;
    iv.rows = iv.true_rows = 0;
    if (random & 1)
      add_in_pieces(&iv, bits, random);
    else
      ASSERT_EQ(PH_OK, ph_intervals_add(&iv, bits.data(), bits.size()));
    ASSERT_TRUE(same(naive(bits, hold), latch(iv, hold), iv)) << text_of(bits) << " hold " << hold;
  }
  ph_intervals_free(&iv);
}

/* The streaming counter that envs latch by, at every row. */
TEST(Intervals, EqualTheCounterAtEveryRow) {
  std::mt19937_64 rng(45);
  for (int i = 0; i < 20000; i++) {
    Bits bits = some_bits(rng);
    ph_hold hold = {};
    hold.steps = some_hold(rng());
    Intervals of;
    for (size_t row = 0; row < bits.size(); row++) {
      ph_hold_update(&hold, (int64_t)row, bits[row] != 0);
      ASSERT_EQ(PH_OK, ph_intervals_add(&of.iv, &bits[row], 1));
      ph_latching l = latch(of.iv, hold.steps);
      ASSERT_EQ(hold.latched ? hold.latch : -1, l.latch) << text_of(bits) << " at " << row;
      const ph_interval *last = of.iv.n ? &of.iv.at[of.iv.n - 1] : nullptr;
      ASSERT_EQ(hold.count, last && !last->broken ? last->last - last->first + 1 : 0);
    }
  }
}

} // namespace
