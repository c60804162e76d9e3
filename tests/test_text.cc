// Widths, cuts and numbers.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

extern "C" {
#include "text.h"
}

namespace {

uint32_t decode(const std::string &s, size_t *length) {
  uint32_t code;
  *length = text_decode(s.data(), s.size(), &code);
  return code;
}

TEST(TextDecode, ValidSequences) {
  size_t n;
  EXPECT_EQ(decode("a", &n), 'a');
  EXPECT_EQ(n, 1u);
  EXPECT_EQ(decode("é", &n), 0xE9u);
  EXPECT_EQ(n, 2u);
  EXPECT_EQ(decode("深", &n), 0x6DF1u);
  EXPECT_EQ(n, 3u);
  EXPECT_EQ(decode("🦾", &n), 0x1F9BEu);
  EXPECT_EQ(n, 4u);
}

TEST(TextDecode, InvalidBytesAreOneReplacementEach) {
  // stray tail, overlong, surrogate, above the last plane, cut off, no first byte
  for (const char *s : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                        "\xE6\xB7", "\xFF", "\xC3(", "\xF0\x9F\xA6"}) {
    size_t n;
    EXPECT_EQ(decode(s, &n), 0xFFFDu) << s;
    EXPECT_EQ(n, 1u);
  }
  uint32_t code;
  EXPECT_EQ(text_decode("", 0, &code), 0u);
}

TEST(TextWidth, CodePoints) {
  EXPECT_EQ(text_width_of('a'), 1);
  EXPECT_EQ(text_width_of(0x1B), 1);
  EXPECT_EQ(text_width_of(0x301), 0);  // combining acute
  EXPECT_EQ(text_width_of(0x200B), 0); // zero-width space
  EXPECT_EQ(text_width_of(0x202E), 1); // a direction override is drawn as a mark of its own
  EXPECT_EQ(text_width_of(0xFEFF), 0);
  EXPECT_EQ(text_width_of(0x1160), 0); // joining Hangul vowel
  EXPECT_EQ(text_width_of(0x1100), 2);
  EXPECT_EQ(text_width_of(0x6DF1), 2);
  EXPECT_EQ(text_width_of(0xFF21), 2); // fullwidth A
  EXPECT_EQ(text_width_of(0xFF71), 1); // halfwidth katakana
  EXPECT_EQ(text_width_of(0x1F9BE), 2);
  EXPECT_EQ(text_width_of(0x1FAE8), 2); // new in Unicode 15
  EXPECT_EQ(text_width_of(0x2588), 1);
  EXPECT_EQ(text_width_of(0x25BC), 1);
  EXPECT_EQ(text_width_of(0x3FFFD), 2);
  EXPECT_EQ(text_width_of(0x10FFFF), 1);
}

TEST(TextWidth, CutsBetweenCharacters) {
  size_t cut;
  EXPECT_EQ(text_width("深深", 3, &cut), 2);
  EXPECT_EQ(cut, 3u);
  EXPECT_EQ(text_width("e\xCC\x81xy", 1, &cut), 1);
  EXPECT_EQ(cut, 3u) << "the accent stays with its letter";
  EXPECT_EQ(text_width("abc", 0, &cut), 0);
  EXPECT_EQ(cut, 0u);
  EXPECT_EQ(text_width("abc", 99, nullptr), 3);
}

std::string fit(const char *s, int width) {
  char buf[64];
  text_fit(buf, sizeof buf, s, width);
  return buf;
}

TEST(TextFit, MarksWhatIsCut) {
  EXPECT_EQ(fit("abc", 3), "abc");
  EXPECT_EQ(fit("abcd", 3), "ab…");
  EXPECT_EQ(fit("深深", 4), "深深");
  EXPECT_EQ(fit("深深", 3), "深…");
  EXPECT_EQ(fit("深深", 2), "…");
  EXPECT_EQ(fit("abc", 0), "");
  char small[4];
  text_fit(small, sizeof small, "abcdefgh", 8);
  EXPECT_STREQ(small, "abc");
}

TEST(TextFitName, KeepsTheEnd) {
  auto name = [](const char *s, int width) {
    char out[80];
    text_fit_name(out, sizeof out, s, width);
    return std::string(out);
  };
  EXPECT_EQ(name("robot0_eef_pos[0]", 17), "robot0_eef_pos[0]");
  EXPECT_EQ(name("robot0_eef_pos[0]", 16), "robot0…ef_pos[0]");
  EXPECT_NE(name("robot0_eef_pos[0]", 12), name("robot0_eef_quat[0]", 12));
  EXPECT_EQ(name("gripper0_eef.x", 11), "grip…_eef.x");
  EXPECT_EQ(name("abcdef", 3), "ab…");
  EXPECT_EQ(name("深深深深", 5), "深…深") << "what is wide is not cut in two";
  for (int width = 0; width < 30; width++)
    EXPECT_LE(text_width(name("a̋é深_long_name.quat[12]", width).c_str(), 99, nullptr), width);
}

TEST(TextContains, IgnoresCaseOfAscii) {
  EXPECT_TRUE(text_contains("Arm_Elbow", "elb"));
  EXPECT_TRUE(text_contains("arm", ""));
  EXPECT_TRUE(text_contains("", ""));
  EXPECT_FALSE(text_contains("arm", "army"));
  EXPECT_TRUE(text_contains("aaab", "AAB"));
}

std::string number(double value, int width) {
  char buf[64];
  text_number(buf, sizeof buf, value, width);
  return buf;
}

TEST(TextNumber, KeepsItsWidth) {
  EXPECT_EQ(number(1.5708, 8), " 1.57080");
  EXPECT_EQ(number(-2.35619, 8), "-2.35619");
  EXPECT_EQ(number(0, 8), " 0.00000");
  EXPECT_EQ(number(-0.0, 8), " 0.00000");
  EXPECT_EQ(number(NAN, 8), "       -");
  EXPECT_EQ(number(INFINITY, 8), "     inf");
  EXPECT_EQ(number(-INFINITY, 8), "    -inf");
  EXPECT_EQ(number(-240000.0, 8), " -240000");
  EXPECT_EQ(number(1e300, 8), "1.0e+300");
}

TEST(TextNumber, SmallValuesAreNotShownAsZero) {
  EXPECT_EQ(number(3.1e-7, 9), "3.100e-07");
  EXPECT_EQ(number(1e-300, 9), "1.00e-300");
  EXPECT_EQ(number(0.0001, 9), "  0.00010");
}

TEST(TextNumber, EveryWidthAndMagnitude) {
  std::mt19937_64 rng(7);
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = rng();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    for (int width : {1, 3, 6, 8, 9, 12}) {
      std::string s = number(value, width);
      ASSERT_EQ(s.size(), (size_t)width) << value << " in " << width;
      if (width >= 9 && std::isfinite(value)) {
        double read = std::strtod(s.c_str(), nullptr);
        ASSERT_LE(std::fabs(read - value), 0.05 * std::fabs(value)) << s << " for " << value;
      }
    }
  }
}

std::string time_text(double seconds, double total) {
  char buf[64];
  text_time(buf, sizeof buf, seconds, total);
  return buf;
}

TEST(TextTime, FixedWidthForATotal) {
  EXPECT_EQ(time_text(4.26, 6.82), "4.260 s");
  EXPECT_EQ(time_text(4.26, 12.0), " 4.260 s");
  EXPECT_EQ(time_text(63.25, 100), "1:03.250");
  EXPECT_EQ(time_text(3723.44, 7200), "1:02:03.4");
  EXPECT_EQ(time_text(3.44, 36000), " 0:00:03.4");
  EXPECT_EQ(time_text(NAN, 6.82), "      -");
  EXPECT_EQ(time_text(-0.5, 6.82), "-0.500 s");
  EXPECT_EQ(time_text(59.9996, 100), "1:00.000") << "rounding carries into the minutes";
  for (double total : {5.0, 59.0, 100.0, 2000.0, 5000.0, 50000.0})
    for (double part : {0.0, 0.1, 0.5, 0.999, 1.0})
      EXPECT_EQ(time_text(part * total, total).size(), time_text(total, total).size()) << total;
}

std::string bytes(uint64_t n) {
  char buf[64];
  text_bytes(buf, sizeof buf, n);
  return buf;
}

TEST(TextBytes, Units) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(1023), "1023 B");
  EXPECT_EQ(bytes(1024), "1.0 KiB");
  EXPECT_EQ(bytes(3435973837u), "3.2 GiB");
  EXPECT_EQ(bytes(1048575), "1.0 MiB");
  EXPECT_EQ(bytes(200ull << 20), "200 MiB");
  EXPECT_EQ(bytes(UINT64_MAX), "16.0 EiB");
}

} // namespace
