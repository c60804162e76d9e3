#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

extern "C" {
#include "rng.h"
}

namespace {

/* Known answers of the reference implementation for the state {1, 2, 3, 4}. */
TEST(Rng, IsXoshiro256StarStar) {
  ph_rng rng = {{1, 2, 3, 4}};
  const uint64_t expected[] = {11520u,
                               0u,
                               1509978240u,
                               1215971899390074240u,
                               1216172134540287360u,
                               607988272756665600u,
                               16172922978634559625u,
                               8476171486693032832u,
                               10595114339597558777u,
                               2904607092377533576u};
  for (uint64_t x : expected)
    EXPECT_EQ(x, ph_rng_next(&rng));
}

uint64_t splitmix(uint64_t *x) {
  *x += 0x9e3779b97f4a7c15u;
  uint64_t z = *x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Known answers of the reference implementation for the seed 1477776061723855037. */
TEST(Rng, SeedsBySplitmix) {
  uint64_t x = 1477776061723855037u;
  EXPECT_EQ(1985237415132408290u, splitmix(&x));
  EXPECT_EQ(2979275885539914483u, splitmix(&x));
  EXPECT_EQ(13511426838097143398u, splitmix(&x));
  for (uint64_t seed : {(uint64_t)0, (uint64_t)7, UINT64_MAX}) {
    for (uint64_t stream : {(uint64_t)0, (uint64_t)1}) {
      ph_rng rng;
      ph_rng_seed(&rng, seed, stream);
      uint64_t y = ph_rng_mix(seed, stream, 0);
      for (int i = 0; i < 4; i++)
        EXPECT_EQ(splitmix(&y), rng.s[i]);
    }
  }
}

/* The stored seeds of episodes depend on these values: they may never change. */
TEST(Rng, MixChains) {
  for (uint64_t a : {0u, 1u, 7u}) {
    uint64_t x = a, mixed = splitmix(&x);
    x = mixed ^ 5;
    mixed = splitmix(&x);
    x = mixed ^ 9;
    EXPECT_EQ(splitmix(&x), ph_rng_mix(a, 5, 9));
  }
  EXPECT_NE(ph_rng_mix(1, 2, 3), ph_rng_mix(2, 1, 3));
  EXPECT_NE(ph_rng_mix(1, 2, 3), ph_rng_mix(1, 3, 2));
}

TEST(Rng, StreamsDiffer) {
  ph_rng a, b, again;
  ph_rng_seed(&a, 7, 0);
  ph_rng_seed(&b, 7, 1);
  ph_rng_seed(&again, 7, 0);
  EXPECT_NE(0, memcmp(&a, &b, sizeof a));
  EXPECT_EQ(0, memcmp(&a, &again, sizeof a));
}

TEST(Rng, UniformHas53Bits) {
  ph_rng rng = {{1, 2, 3, 4}};
  EXPECT_EQ((double)(11520u >> 11) / 9007199254740992.0, ph_rng_uniform(&rng));
  ph_rng_seed(&rng, 1, 0);
  double sum = 0;
  for (int i = 0; i < 20000; i++) {
    double u = ph_rng_uniform(&rng);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(0.5, sum / 20000, 0.01);
}

TEST(Rng, NormalHasItsMoments) {
  ph_rng rng;
  ph_rng_seed(&rng, 1, 0);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; i++) {
    double x = ph_rng_normal(&rng);
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(0, sum / 20000, 0.03);
  EXPECT_NEAR(1, squares / 20000, 0.04);
}

} // namespace
