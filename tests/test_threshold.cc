// What a condition compares with, taken from its text, on many spellings; and where it shows.
#include <gtest/gtest.h>

#include <random>
#include <string>

extern "C" {
#include "threshold.h"
}

namespace {

using std::string;

string of_expression(const string &text) {
  ph_threshold t = {};
  return ph_threshold_of_expression(&t, text.data(), text.size())
             ? string(t.compare) + " " + t.number
             : "none";
}

string of_function(const string &text, int first, int last) {
  ph_threshold t = {};
  return ph_threshold_of_function(&t, text.data(), text.size(), first, last)
             ? string(t.compare) + " " + t.number
             : "none";
}

TEST(Threshold, OfOneComparisonOfOneReading) {
  EXPECT_EQ(of_expression("s.dist('gripper', \"handle\") < 0.1"), "< 0.1");
  EXPECT_EQ(of_expression("s.joint.drawer <= 1e-3"), "<= 1e-3");
  EXPECT_EQ(of_expression("s.body['my < cube'].z>-.5"), "> -.5");
  EXPECT_EQ(of_expression("s.body.cup.up.z >= 0x1p-1"), ">= 0x1p-1");
  EXPECT_EQ(of_expression("((s.joint.drawer < 3))"), "< 3");
  EXPECT_EQ(of_expression("s.joint.drawer --[[ < 9 ]] < 3 -- < 4"), "< 3");
}

TEST(Threshold, TheReadingIsOnTheLeft) {
  EXPECT_EQ(of_expression("0.84 < s.body.cube.z"), "> 0.84");
  EXPECT_EQ(of_expression("-1 >= s.joint.arm"), "<= -1");
  EXPECT_EQ(of_expression("0.84 <= s.body.cube.z"), ">= 0.84");
  EXPECT_EQ(of_expression("2 > s.joint.arm"), "< 2");
}

TEST(Threshold, OfAnythingElseThereIsNone) {
  for (const char *text : {"",
                           "s",
                           "s.joint.x",
                           "s < 1",
                           "1 < 2",
                           "s.joint.x < s.joint.y",
                           "s.joint.x < 1 and true",
                           "not (s.joint.x < 1)",
                           "abs(s.joint.x) < 1",
                           "s.joint.x < limit",
                           "s.joint.x < 1 + 1",
                           "s.joint.x * 2 < 1",
                           "-s.joint.x < 1",
                           "s.joint.x == 1",
                           "s.joint.x ~= 1",
                           "s.dist('a', s.name) < 1",
                           "s.dist('a' 'b') < 1",
                           "s.dist('a',) < 1",
                           "s.dist('a' < 1",
                           "s.sensor.x[1] < 1",
                           "t.joint.x < 1",
                           "s.joint. < 1",
                           "s.joint.x < 1 < 2",
                           "< 1",
                           "s.joint.x <",
                           "s.joint.x < - -1",
                           "(s.joint.x) < (1)",
                           "s.joint.x < '1'",
                           "s.x < [[",
                           "s.joint.x < 0.0000000000000000000000001"})
    EXPECT_EQ(of_expression(text), "none") << text;
}

TEST(Threshold, OfTheOneFunctionOfItsLines) {
  const string task =
      "local near = 0.1\n"
      "return {\n"
      "  success = {\n"
      "    near = function(s) return s.dist('a', 'b') < 0.1 end, -- function\n"
      "    far = function (state)\n"
      "      return 0.5 < state.joint.x;\n"
      "    end,\n"
      "    named = function(s) return s.joint.x < near end,\n"
      "    two = function(s) local x = s.joint.x return x < 1 end,\n"
      "    other = function(s) return t.joint.x < 1 end,\n"
      "    a = function(s) return s.x.y < 1 end, b = function(s) return s.x.y < 2 end,\n"
      "    deep = function(s) return (function(s) return s.x.y end)(s) < 1 end,\n"
      "    more = function(s, t) return s.x.y < 1 end,\n"
      "  },\n"
      "}\n";
  EXPECT_EQ(of_function(task, 4, 4), "< 0.1");
  EXPECT_EQ(of_function(task, 5, 7), "> 0.5");
  for (int line = 8; line <= 13; line++)
    EXPECT_EQ(of_function(task, line, line), "none") << line;
  EXPECT_EQ(of_function(task, 1, 1), "none");
  EXPECT_EQ(of_function(task, 90, 90), "none");
  EXPECT_EQ(of_function("function(s) return end", 1, 1), "none");
  EXPECT_EQ(of_function("function(s) ; end", 1, 1), "none");
  EXPECT_EQ(of_function("function(s) return s.x.y < 1", 1, 1), "none");
}

/* Whatever bytes there are; what is found is an operator and a number. */
TEST(Threshold, OfAnyTokensInAnyOrder) {
  static const char *const piece[] = {"s",    ".",   "x",  "(",   ")",        "[",
                                      "]",    "'a'", ",",  "<",   "<=",       ">",
                                      ">=",   "1",   "-",  "end", "and",      "return",
                                      "\xff", "--",  "[[", "\n",  "function", "function(s) return"};
  std::mt19937 random(7);
  int found = 0;
  for (int k = 0; k < 200000; k++) {
    string text = k % 2 ? "s.x" : "";
    for (size_t n = random() % 9; n > 0; n--)
      text += string(piece[random() % (sizeof piece / sizeof *piece)]) + " ";
    ph_threshold t = {};
    if (ph_threshold_of_expression(&t, text.data(), text.size())) {
      found++;
      EXPECT_TRUE(t.compare[0] == '<' || t.compare[0] == '>') << text;
      EXPECT_NE(string(t.number).find('1'), string::npos) << text;
    }
    ph_threshold_of_function(&t, text.data(), text.size(), 1, 2);
  }
  EXPECT_GT(found, 20);
}

} // namespace
