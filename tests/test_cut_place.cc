// The lines of a list find their episodes, however many there are of both.
#include "cut_help.h"

#include <algorithm>
#include <random>

extern "C" {
#include "cut_parts.h"
#include "id_index.h"
}

namespace {

const size_t kMany = 20000;

class CutPlace : public testing::Test {
protected:
  std::vector<ph_entry> entries;
  std::vector<ph_cut_episode> plan;
  std::vector<const ph_cut_episode *> at;
  ph_store store = {};
  ph_cutting cutting = {};

  void SetUp() override {
    entries.resize(kMany);
    plan.resize(kMany);
    at.resize(kMany);
    for (size_t i = 0; i < kMany; i++) {
      snprintf(entries[i].id, sizeof entries[i].id, "demo_%zu", i);
      snprintf(plan[i].id, sizeof plan[i].id, "demo_%zu", i);
    }
    store.entries = entries.data();
    store.n = kMany;
    cutting.source = "source";
    cutting.store = &store;
    cutting.at = at.data();
  }
  ph_status Place(size_t *compared = nullptr) {
    std::fill(at.begin(), at.end(), nullptr);
    return ph_cut_place(&cutting, plan.data(), plan.size(), compared);
  }
  void ExpectRefused(const std::string &why) {
    EXPECT_EQ(Place(), PH_EINVAL);
    EXPECT_EQ(ph_error(), why);
  }
};

TEST_F(CutPlace, AnyOrderTakesFewComparisons) {
  std::mt19937 rng(7);
  for (int order = 0; order < 3; order++) {
    if (order == 1)
      std::reverse(plan.begin(), plan.end());
    if (order == 2)
      std::shuffle(plan.begin(), plan.end(), rng);
    size_t compared = 0;
    ASSERT_EQ(Place(&compared), PH_OK) << ph_error();
    for (size_t i = 0; i < kMany; i++)
      ASSERT_STREQ(at[i]->id, entries[i].id);
    EXPECT_LT(compared, kMany * 40); /* n log n twice; each with all would be 200 million */
  }
}

TEST_F(CutPlace, AListThatDoesNotMatchIsRefused) {
  std::swap(plan.front(), plan.back());
  ASSERT_EQ(Place(), PH_OK);
  plan[5] = plan[6];
  ExpectRefused("source: demo_6: the list names it twice");
  snprintf(plan[5].id, sizeof plan[5].id, "demo_05");
  ExpectRefused("source: demo_05: the list names it, and there is no such episode");
  plan.erase(plan.begin() + 5);
  ExpectRefused("source: demo_5: the list does not name it");
}

TEST(IdIndex, FindsTheFirstOfAName) {
  const char names[][8] = {"b", "a", "", "b", "ab"};
  ph_id_index index;
  ASSERT_EQ(ph_id_index_make(&index, names[0], sizeof names[0], 5), PH_OK);
  EXPECT_EQ(ph_id_index_find(&index, "b"), 0u);
  EXPECT_EQ(ph_id_index_find(&index, "a"), 1u);
  EXPECT_EQ(ph_id_index_find(&index, ""), 2u);
  EXPECT_EQ(ph_id_index_find(&index, "ab"), 4u);
  for (const char *none : {"aa", "c", "bb"})
    EXPECT_EQ(ph_id_index_find(&index, none), SIZE_MAX) << none;
  ph_id_index_clear(&index);
  ASSERT_EQ(ph_id_index_make(&index, nullptr, 8, 0), PH_OK);
  EXPECT_EQ(ph_id_index_find(&index, "a"), SIZE_MAX);
  ph_id_index_clear(&index);
}

} // namespace
