#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

extern "C" {
#include "catalog.h"
}

namespace {

struct Catalog : testing::Test {
  static constexpr size_t n = 20000;
  struct catalog *c = catalog_new(n);
  void SetUp() override {
    ASSERT_TRUE(c);
    for (size_t i = 0; i < n; i++) {
      struct catalog_line *line = catalog_write(c, i);
      ASSERT_TRUE(line);
      snprintf(line->entry.id, sizeof line->entry.id, "demo_%zu", i);
      line->source = i % 3;
    }
  }
  void TearDown() override { catalog_unref(c); }
};

TEST_F(Catalog, EveryLineIsAtItsPlace) {
  for (size_t i : {(size_t)0, CATALOG_LEAF - 1, CATALOG_LEAF, n - 1}) {
    EXPECT_STREQ(catalog_entry(c, i)->id, ("demo_" + std::to_string(i)).c_str());
    EXPECT_EQ(catalog_source(c, i), i % 3);
  }
  EXPECT_EQ(catalog_find(c, "demo_19999"), 19999u);
  EXPECT_EQ(catalog_find(c, "20000"), SIZE_MAX);
  EXPECT_EQ(catalog_source(c, n), 0u);
}

// A list of very many episodes is published whenever one of them has news.
TEST_F(Catalog, ANewListSharesAllThatDidNotChange) {
  struct catalog *fresh = catalog_copy(c);
  ASSERT_TRUE(fresh);
  catalog_write(fresh, 3)->entry.actions = 7;
  catalog_write(fresh, 4)->entry.actions = 8;
  EXPECT_EQ(catalog_entry(fresh, 3)->actions, 7);
  EXPECT_EQ(catalog_entry(fresh, 4)->actions, 8);
  EXPECT_EQ(catalog_entry(c, 3)->actions, 0) << "what is on show does not change";
  EXPECT_STREQ(catalog_entry(fresh, 5)->id, "demo_5");
  EXPECT_NE(catalog_entry(fresh, 5), catalog_entry(c, 5));
  for (size_t i = CATALOG_LEAF; i < n; i++)
    ASSERT_EQ(catalog_entry(fresh, i), catalog_entry(c, i)) << i;
  struct catalog *old = c;
  c = fresh;
  catalog_unref(old);
  EXPECT_STREQ(catalog_entry(c, n - 1)->id, "demo_19999") << "as long as one of them has it";
}

TEST_F(Catalog, SourcesAndGroupsAreCopied) {
  c->nsources = 1;
  c->source = static_cast<char **>(calloc(1, sizeof(char *)));
  c->source[0] = strdup("runs/a");
  c->ngroups = 1;
  c->group = static_cast<char(*)[GROUP_NAME]>(calloc(1, GROUP_NAME));
  strcpy(c->group[0], "train");
  struct catalog *fresh = catalog_copy(c);
  ASSERT_TRUE(fresh);
  EXPECT_STREQ(fresh->group[0], "train");
  EXPECT_EQ(catalog_find(fresh, "a:demo_3"), 3u) << "the path of the first source";
  catalog_unref(fresh);
}

TEST(EmptyCatalog, HasNoLine) {
  struct catalog *c = catalog_new(0);
  ASSERT_TRUE(c);
  EXPECT_EQ(catalog_find(c, "0"), SIZE_MAX);
  EXPECT_EQ(catalog_source(c, 0), 0u);
  catalog_unref(c);
}

} // namespace
