/* States that are kept: how many, which, and what a budget does. */
#include <thread>

#include "rerun_help.h"

namespace {

struct Cache {
  ph_state_cache *cache = nullptr;
  Cache(int64_t first, int64_t n, size_t budget, const ph_state_extra *extra = nullptr) {
    EXPECT_EQ(PH_OK, ph_state_cache_new(&cache, first, n, sizeof(int64_t), budget, extra));
  }
  ~Cache() { ph_state_cache_free(cache); }
  void put(int64_t step, void *extra = nullptr) { ph_state_cache_put(cache, step, &step, extra); }
  /* The step whose blob it gives; they agree. */
  int64_t get(int64_t step) {
    int64_t blob = -1, found = ph_state_cache_get(cache, step, &blob, nullptr, nullptr);
    EXPECT_EQ(found, blob);
    EXPECT_EQ(found, ph_state_cache_nearest(cache, step));
    return found;
  }
  ph_state_cache_facts look() {
    ph_state_cache_facts facts;
    ph_state_cache_look(cache, &facts);
    return facts;
  }
};

TEST(StateCache, EveryStepWhileThereIsRoom) {
  Cache c(10, 50, 1 << 20);
  EXPECT_EQ(-1, c.get(30));
  for (int64_t t = 10; t < 60; t++)
    c.put(t);
  for (int64_t t = 10; t < 60; t++)
    EXPECT_EQ(t, c.get(t));
  EXPECT_EQ(59, c.get(1000));
  EXPECT_EQ(-1, c.get(9));
  EXPECT_EQ(1, c.look().every);
  EXPECT_EQ(50, c.look().cached);
  EXPECT_EQ(50, c.look().wanted);
  EXPECT_FALSE(ph_state_cache_wants(c.cache, 9));
  EXPECT_FALSE(ph_state_cache_wants(c.cache, 60));
}

TEST(StateCache, ThinsOut) {
  size_t each = Cache(0, 1, 0).look().bytes;
  Cache one(0, 1, 0);
  one.put(0);
  each = one.look().bytes;
  Cache c(7, 1000, 100 * each);
  for (int64_t t = 7; t < 1007; t++) {
    c.put(t);
    ASSERT_LE(c.look().bytes, 100 * each);
    int64_t every = c.look().every;
    for (int64_t past = 7; past <= t; past += 13)
      ASSERT_LT(past - c.get(past), every) << past << " after " << t;
  }
  EXPECT_EQ(16, c.look().every);
  EXPECT_EQ(63, c.look().cached);
  EXPECT_EQ(63, c.look().wanted);
}

TEST(StateCache, TheFirstIsAlwaysKept) {
  Cache c(5, 1000000, 0);
  for (int64_t t = 5; t < 3000; t++)
    c.put(t);
  EXPECT_EQ(5, c.get(2999));
  EXPECT_EQ(1, c.look().cached);
  EXPECT_EQ(1, c.look().wanted);
}

std::vector<int64_t> *freed;

TEST(StateCache, ExtrasAreFreedOnce) {
  std::vector<int64_t> gone;
  freed = &gone;
  ph_state_extra extra = {1000, [](void *p) {
                            freed->push_back(*static_cast<int64_t *>(p));
                            delete static_cast<int64_t *>(p);
                          }};
  {
    Cache c(0, 64, 10 * 1064, &extra);
    for (int64_t t = 0; t < 64; t++)
      c.put(t, new int64_t(t));
    c.put(0, new int64_t(1000)); /* kept already */
    EXPECT_EQ(8, c.look().every);
    int64_t seen = -1;
    ph_state_cache_get(
        c.cache, 20, nullptr,
        [](void *arg, const void *p) {
          *static_cast<int64_t *>(arg) = *static_cast<const int64_t *>(p);
        },
        &seen);
    EXPECT_EQ(16, seen);
  }
  EXPECT_EQ(65u, gone.size());
}

} // namespace
