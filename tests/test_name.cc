#include <gtest/gtest.h>

#include <string>

extern "C" {
#include "name.h"
}

namespace {

TEST(Name, PatternsMatchWholeNames) {
  struct {
    const char *pattern, *name;
    bool match;
  } cases[] = {
      {"arm", "arm", true},      {"arm", "arms", false},
      {"arm", "xarm", false},    {"", "", true},
      {"", "a", false},          {"*", "", true},
      {"*", "abc", true},        {".*", "", true},
      {".*", "abc", true},       {"arm_.*", "arm_", true},
      {"arm_.*", "arm_x", true}, {"arm_.*", "arm", false},
      {"arm_*", "arm_x", true},  {"a.c", "abc", true},
      {"a.c", "ac", false},      {"a.c", "a.c", true},
      {"*_l", "leg_l", true},    {"*_l", "leg_lr", false},
      {"a*b*c", "aXbYc", true},  {"a*b*c", "aXcYb", false},
      {"*a", "bba", true},       {"*ab", "aaab", true},
      {"[ab]x", "bx", true},     {"[ab]x", "cx", false},
      {"[a-c]x", "bx", true},    {"[^a-c]x", "bx", false},
      {"[^a-c]x", "dx", true},   {"[]a]", "]", true},
      {"[^]]", "]", false},      {"[a-]", "-", true},
      {"x[0-9]*", "x1yz", true}, {"[*]", "*", true},
      {"[*]", "a", false},       {"fl|fr", "fl", false},
      {"a+", "a+", true},        {"a+", "aa", false},
      {"[", "[", false},         {"a[", "a", false},
      {"..*", "", false},        {"..*", "a", true},
  };
  for (auto &c : cases)
    EXPECT_EQ(c.match, ph_pattern_match(c.pattern, c.name)) << c.pattern << " " << c.name;
}

TEST(Name, UnclosedSetsAreNoPatterns) {
  for (const char *good : {"", "a", "[a]", "[]]", "[^]]", "a[0-9]*"})
    EXPECT_TRUE(ph_pattern_valid(good)) << good;
  for (const char *bad : {"[", "a[", "[]", "[^]", "[a", "[a]["})
    EXPECT_FALSE(ph_pattern_valid(bad)) << bad;
}

TEST(Name, ManyRunsDoNotBacktrackWildly) {
  std::string pattern, name(5000, 'a');
  for (int i = 0; i < 500; i++)
    pattern += "*a";
  EXPECT_FALSE(ph_pattern_match((pattern + "*b").c_str(), name.c_str()));
  EXPECT_TRUE(ph_pattern_match((pattern + "*").c_str(), name.c_str()));
}

std::string near_of(const char *word, std::initializer_list<const char *> names) {
  ph_near near;
  char text[300];
  ph_near_begin(&near, word);
  for (const char *name : names)
    ph_near_add(&near, name);
  return ph_near_text(&near, text, sizeof text);
}

TEST(Name, SignsOfOtherPatternsAreSaid) {
  char hint[120];
  EXPECT_STREQ("; a pattern knows * and .* (any run), . (any one) and sets like [a-c], not '|'",
               ph_pattern_hint("arm|grip", hint, sizeof hint));
  for (const char *other : {"arm_?", "arm_%d", "arm_.+", "arm_(a)", "a{2}", "^arm", "arm$", "\\w"})
    EXPECT_STRNE("", ph_pattern_hint(other, hint, sizeof hint)) << other;
  for (const char *own : {"arm_.*", "arm_*", "[^a-c]x", "arm-base_1"})
    EXPECT_STREQ("", ph_pattern_hint(own, hint, sizeof hint)) << own;
}

TEST(Name, NearMisses) {
  EXPECT_EQ("; did you mean 'drawer'?", near_of("drawr", {"cup", "drawer", "arm"}));
  EXPECT_EQ("; did you mean 'drawer'?", near_of("darwer", {"drawer"}));
  EXPECT_EQ("", near_of("cup", {"elbow", "shoulder"}));
  EXPECT_EQ("", near_of("", {"a"}));
  EXPECT_EQ("; did you mean 'abcd', 'abce' or 'abxx'?", near_of("abc", {"abxx", "abcd", "abce"}));
  EXPECT_EQ("; did you mean 'abcde', 'abcdf' or 'abcdg'?",
            near_of("abcd", {"abxx", "abcde", "abcdf", "abcdg", "abcdh"}));
  EXPECT_EQ("; did you mean 'left_gripper'?", near_of("gripper", {"left_gripper", "cup"}));
  EXPECT_EQ("", near_of(std::string(200, 'a').c_str(), {"a"}));
  EXPECT_EQ("", near_of("aaaa", {std::string(200, 'a').c_str()}));
}

TEST(Name, NearTextFitsItsRoom) {
  ph_near near;
  char text[16];
  ph_near_begin(&near, "drawr");
  ph_near_add(&near, "drawer");
  EXPECT_EQ(std::string("; did you mean "), ph_near_text(&near, text, sizeof text));
}

} // namespace
