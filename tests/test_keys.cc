#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

extern "C" {
#include "keys.h"
}

namespace {

struct Decoder {
  key_decoder d = {};
  uint64_t now = 1000;
  std::vector<uint32_t> keys;

  void drain() {
    uint32_t key;
    while (key_timeout(&d, now, &key))
      keys.push_back(key);
  }
  void byte(char c) {
    uint32_t key;
    if (key_decode(&d, (unsigned char)c, now, &key))
      keys.push_back(key);
    drain();
  }
  void text(const std::string &s) {
    for (char c : s)
      byte(c);
  }
  void wait(uint64_t ms) {
    now += ms;
    drain();
  }
};

std::vector<uint32_t> decode(const std::string &s) {
  Decoder d;
  d.text(s);
  d.wait(2000);
  return d.keys;
}

using Keys = std::vector<uint32_t>;

const struct {
  const char *bytes;
  uint32_t key;
} sequences[] = {
    {"\033[A", KEY_UP_},
    {"\033[B", KEY_DOWN_},
    {"\033[C", KEY_RIGHT_},
    {"\033[D", KEY_LEFT_},
    {"\033OA", KEY_UP_},
    {"\033OC", KEY_RIGHT_},
    {"\033[H", KEY_HOME_},
    {"\033[F", KEY_END_},
    {"\033[1~", KEY_HOME_},
    {"\033[4~", KEY_END_},
    {"\033OH", KEY_HOME_},
    {"\033OF", KEY_END_},
    {"\033[5~", KEY_PGUP_},
    {"\033[6~", KEY_PGDN_},
    {"\033[3~", KEY_DELETE_},
    {"\033[Z", KEY_BTAB_},
    {"\033OP", KEY_F1_},
    {"\033[11~", KEY_F1_},
    {"\033[[A", KEY_F1_},
    {"\033[15~", KEY_F1_ + 4},
    {"\033[24~", KEY_F12_},
    {"\033[1;5C", KEY_RIGHT_},
    {"\033[1;2A", KEY_UP_},
    {"\033[5;3~", KEY_PGUP_},
    {"\033[1;2P", KEY_F1_},
    {"\033OM", KEY_ENTER_},
    {"\033Or", '2'},
    {"\xc3\xa9", 0xe9},
    {"\xe2\x82\xac", 0x20ac},
    {"\xf0\x9f\x98\x80", 0x1f600},
    {"\r", KEY_ENTER_},
    {"\n", KEY_ENTER_},
    {"\x7f", KEY_BACKSPACE_},
    {"\b", KEY_BACKSPACE_},
    {"\x0c", 12},
    {"q", 'q'},
};

} // namespace

TEST(Keys, SequencesAtOnce) {
  for (const auto &s : sequences)
    EXPECT_EQ(decode(s.bytes), Keys{s.key}) << s.bytes + 1;
}

TEST(Keys, SequencesSplitAtEveryByteWithAPause) {
  for (const auto &s : sequences) {
    std::string bytes = s.bytes;
    for (size_t cut = 1; cut < bytes.size(); cut++)
      for (uint64_t pause : {1, 60, 99}) {
        Decoder d;
        d.text(bytes.substr(0, cut));
        d.wait(pause);
        d.text(bytes.substr(cut) + "n");
        EXPECT_EQ(d.keys, (Keys{s.key, 'n'})) << bytes.substr(1) << " cut " << cut << " " << pause;
      }
  }
}

TEST(Keys, LateSequenceAfterALoneEscIsSwallowedToItsFinalByte) {
  for (std::string rest : {"[A", "[1;5C", "OP", "[15~", "[[A", "[200~q\033[201~"})
    for (uint64_t pause : {100, 250, 499}) {
      Decoder d;
      d.byte('\033');
      d.wait(pause);
      EXPECT_EQ(d.keys, Keys{KEY_ESC_});
      d.text(rest + "n");
      EXPECT_EQ(d.keys, (Keys{KEY_ESC_, 'n'})) << rest << " after " << pause;
    }
}

TEST(Keys, LongAfterAnEscBracketIsAKeyAgain) {
  Decoder d;
  d.byte('\033');
  d.wait(120);
  d.wait(380);
  d.text("[O");
  EXPECT_EQ(d.keys, (Keys{KEY_ESC_, '[', 'O'}));
}

TEST(Keys, EscIsGivenAfter100msNotBefore) {
  Decoder d;
  d.byte('\033');
  EXPECT_EQ(key_deadline(&d.d), d.now + 100);
  d.wait(99);
  EXPECT_TRUE(d.keys.empty());
  d.wait(1);
  EXPECT_EQ(d.keys, Keys{KEY_ESC_});
  EXPECT_EQ(key_deadline(&d.d), UINT64_MAX);
}

TEST(Keys, EscThenAKeyIsBoth) {
  EXPECT_EQ(decode("\033x"), (Keys{KEY_ESC_, 'x'}));
  EXPECT_EQ(decode("\033\033[A"), (Keys{KEY_ESC_, KEY_UP_}));
  EXPECT_EQ(decode("\033\033"), (Keys{KEY_ESC_, KEY_ESC_}));
}

static uint32_t pasted(uint32_t code) {
  return code | KEY_PASTED_;
}

TEST(Keys, PasteIsTextWithoutControlCharacters) {
  EXPECT_EQ(decode("a\033[200~q\r\n\t\x7f\b\001\033Q\033[201~b"),
            (Keys{'a', pasted('q'), pasted('Q'), 'b'}));
  EXPECT_EQ(decode("\033[200~\u00e4\u20ac\U0001f600\u0085\033[201~b"),
            (Keys{pasted(0xe4), pasted(0x20ac), pasted(0x1f600), 'b'}));
  EXPECT_EQ(decode("\033[200~\xc3x\xe2\x82\xff\xed\xa0\x80\x9b\xc3\033[201~b"),
            (Keys{pasted('x'), 'b'}))
      << "what is no UTF-8 is dropped";
  EXPECT_EQ(decode("\033[200~1\033[201\033[201~b"), (Keys{pasted('1'), 'b'}));
}

TEST(Keys, PasteThatNeverEndsIsForgotten) {
  Decoder d;
  d.text("\033[200~qq");
  d.wait(1000);
  d.text("n");
  EXPECT_EQ(d.keys, (Keys{pasted('q'), pasted('q'), 'n'}));
}

TEST(Keys, SequenceThatNeverEndsIsForgotten) {
  Decoder d;
  d.text("\033[12;3");
  d.wait(499);
  EXPECT_TRUE(d.keys.empty());
  d.wait(1);
  d.text("n");
  EXPECT_EQ(d.keys, Keys{'n'});
}

TEST(Keys, UnknownSequencesGiveNothing) {
  for (std::string s : {"\033[?1;2c", "\033[>0;276;0c", "\033[99~", "\033[2~", "\033[97;5u",
                        "\033[I", "\033Oj", "\033[<0;1;1M"})
    EXPECT_EQ(decode(s + "n"), Keys{'n'}) << s.substr(1);
}

TEST(Keys, EndlessParametersAreBounded) {
  EXPECT_EQ(decode("\033[" + std::string(100000, '1') + "An"), (Keys{KEY_UP_, 'n'}));
}

TEST(Keys, ControlCGoesThroughAHalfSequence) {
  EXPECT_EQ(decode("\033[1;\003"), Keys{3});
  EXPECT_EQ(decode("\xe2\x82\003"), Keys{3});
}

TEST(Keys, InvalidUtf8GivesNothingAndCostsNothing) {
  EXPECT_EQ(decode("\xff\xfe"
                   "a"),
            Keys{'a'});
  EXPECT_EQ(decode("\xc0\x80"
                   "a"),
            Keys{'a'}); // overlong
  EXPECT_EQ(decode("\xed\xa0\x80"
                   "a"),
            Keys{'a'}); // surrogate
  EXPECT_EQ(decode("\xe0\x80\x80"
                   "a"),
            Keys{'a'});
  EXPECT_EQ(decode("\xf4\x90\x80\x80"
                   "a"),
            Keys{'a'}); // past U+10FFFF
  EXPECT_EQ(decode("\xe2\x82"
                   "a"),
            Keys{'a'});
}

TEST(Keys, NamesRoundTrip) {
  char name[32];
  std::set<std::string> seen;
  for (uint32_t key = 1; key < 0x300; key++) {
    ASSERT_EQ(key_from_name(key_name(key, name, sizeof name)), key) << key << " " << name;
    EXPECT_TRUE(seen.insert(name).second) << name;
  }
  for (uint32_t key = KEY_SPECIAL_; key < KEY_LIMIT_; key++)
    EXPECT_EQ(key_from_name(key_name(key, name, sizeof name)), key) << name;
  EXPECT_STREQ(key_name('n', name, sizeof name), "n");
  EXPECT_STREQ(key_name(12, name, sizeof name), "C-l");
  EXPECT_STREQ(key_name(' ', name, sizeof name), "Space");
  EXPECT_STREQ(key_name(KEY_BTAB_, name, sizeof name), "S-Tab");
  EXPECT_STREQ(key_name(KEY_F12_, name, sizeof name), "F12");
}

TEST(Keys, NoSuchNames) {
  for (const char *name :
       {"", "F0", "F13", "F99", "F1x", "C-", "C-1", "C-ab", "nn", "Rihgt", "\xff", " "})
    EXPECT_EQ(key_from_name(name), (uint32_t)KEY_NONE_) << name;
}

TEST(Keys, NameOfASmallBufferIsCut) {
  char name[3];
  EXPECT_STREQ(key_name(KEY_BACKSPACE_, name, sizeof name), "Ba");
}

TEST(Keys, EveryByteAtEveryMomentIsSafe) {
  Decoder d;
  uint32_t seed = 1;
  for (int i = 0; i < 200000; i++) {
    seed = seed * 1664525 + 1013904223;
    d.byte((char)(seed >> 24));
    if (seed % 5 == 0)
      d.wait(seed >> 8 & 0x3ff);
  }
  for (uint32_t key : d.keys) {
    ASSERT_NE(key, 0u);
    ASSERT_LT(key, (uint32_t)KEY_LIMIT_);
  }
}
