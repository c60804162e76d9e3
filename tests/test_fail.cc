#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <thread>

extern "C" {
#include "fail.h"
}

static std::string escaped(const std::string &text, size_t size = 200) {
  std::string out(size, '?');
  ph_escape(out.data(), size, text.data(), text.size());
  return out.c_str();
}

TEST(Fail, GivesTheStatusBackAndKeepsTheText) {
  EXPECT_EQ(PH_EIO, ph_fail(PH_EIO, "%s: row %d: %s", "a.h5", 7, "gone"));
  EXPECT_STREQ("a.h5: row 7: gone", ph_error());
}

TEST(Fail, PutsWhereInFront) {
  ph_fail(PH_ECORRUPT, "row 7: gone");
  EXPECT_EQ(PH_ECORRUPT, ph_fail_in(PH_ECORRUPT, "run %d", 3));
  EXPECT_STREQ("run 3: row 7: gone", ph_error());
  ph_fail_in(PH_ECORRUPT, "tool");
  EXPECT_STREQ("tool: run 3: row 7: gone", ph_error());
}

TEST(Fail, WhoSaysWhereItIsLeavesThatOut) {
  EXPECT_STREQ("no such step", ph_text_without("demo_1: no such step", "demo_1"));
  for (auto [text, where] : {std::pair{"demo_1: no such step", "demo_2"},
                             {"demo_1: no", "demo"},
                             {"demo_1 has none", "demo_1"},
                             {": nothing", ""},
                             {"", "demo_1"}})
    EXPECT_EQ(text, ph_text_without(text, where)) << text;
}

TEST(Fail, IsOneLineWithoutControlCharacters) {
  ph_fail(PH_EIO, "a\nb\x1b[2J\tc\x7f");
  EXPECT_STREQ("a\\x0ab\\x1b[2J\\x09c\\x7f", ph_error());
  ph_fail_in(PH_EIO, "x\ny");
  EXPECT_EQ(0, strncmp(ph_error(), "x\\x0ay: a\\x0ab", 13));
}

TEST(Fail, LongTextsAreCutNotOverrun) {
  std::string text(5000, 'x');
  ph_fail(PH_EIO, "%s", text.c_str());
  size_t n = strlen(ph_error());
  EXPECT_GT(n, 500u);
  EXPECT_LT(n, 1200u);
  for (int i = 0; i < 20; i++)
    ph_fail_in(PH_EIO, "%s", text.c_str());
  EXPECT_LT(strlen(ph_error()), 1200u);
}

TEST(Fail, EachThreadHasItsOwn) {
  ph_fail(PH_EIO, "mine");
  std::string before = "?";
  std::thread([&] {
    before = ph_error();
    ph_fail(PH_EIO, "theirs");
  }).join();
  EXPECT_EQ("", before);
  EXPECT_STREQ("mine", ph_error());
}

TEST(Escape, KeepsValidUtf8) {
  EXPECT_EQ("Gelenk 1 \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
            escaped("Gelenk 1 \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"));
}

TEST(Escape, WritesMarksThatNobodySeesInHex) {
  EXPECT_EQ("demo\\xe2\\x80\\xae5fdh", escaped("demo\xe2\x80\xae"
                                               "5fdh"));
  for (const char *mark :
       {"\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xe2\x80\x8e",
        "\xe2\x80\x8f", "\xe2\x80\x8b", "\xe2\x80\xa8", "\xd8\x9c", "\xc2\x80", "\xc2\x9b",
        "\xc2\x9f", "\xef\xbb\xbf", "\xf3\xa0\x81\x81"})
    EXPECT_EQ(strlen(mark) * 4 + 2, escaped("a" + std::string(mark) + "b").size()) << escaped(mark);
  for (const char *letter : {"\xc2\xa0", "\xd8\x9b", "\xe2\x80\x8d", "\xe2\x80\x90", "\xe2\x80\xaf",
                             "\xe2\x81\xb0", "\xd7\x90"})
    EXPECT_EQ(letter, escaped(letter));
}

TEST(Escape, WritesInvalidBytesInHex) {
  EXPECT_EQ("\\xff", escaped("\xff"));
  EXPECT_EQ("\\xc0\\xaf", escaped("\xc0\xaf"));          /* overlong */
  EXPECT_EQ("\\xed\\xa0\\x80", escaped("\xed\xa0\x80")); /* surrogate */
  EXPECT_EQ("\\xf4\\x90\\x80\\x80", escaped("\xf4\x90\x80\x80"));
  EXPECT_EQ("a\\xe2\\x82", escaped("a\xe2\x82")); /* cut */
  EXPECT_EQ("\\xc2\\x9b", escaped("\xc2\x9b"));   /* C1 control: CSI */
}

TEST(Escape, NeverWritesBeyondAndAlwaysEnds) {
  std::string text = "ab\x01\xc3\xa4zz";
  for (size_t size = 1; size < 20; size++) {
    std::string out(size + 4, '#');
    ph_escape(out.data(), size, text.data(), text.size());
    EXPECT_LT(strlen(out.c_str()), size);
    EXPECT_EQ("####", out.substr(size)) << size;
  }
  char one = 'x';
  ph_escape(&one, 0, "a", 1);
  EXPECT_EQ('x', one);
}
