#include <gtest/gtest.h>

#include <cstring>
#include <string>

extern "C" {
#include "keys.h"
#include "prompt.h"
}

struct Prompt : ::testing::Test {
  struct prompt p = {};
  void SetUp() override { prompt_open(&p, ""); }
  enum prompt_result key(uint32_t code) {
    enum prompt_result r = prompt_key(&p, code);
    EXPECT_LE(p.cursor, strlen(p.text));
    EXPECT_NE(p.text[p.cursor] & 0xc0, 0x80) << "the cursor stands inside a character";
    return r;
  }
  void type(const std::u32string &text) {
    for (char32_t c : text)
      key(c);
  }
  std::string enter(const std::u32string &text) {
    prompt_open(&p, "");
    type(text);
    EXPECT_EQ(key(KEY_ENTER_), PROMPT_DONE);
    EXPECT_FALSE(p.open);
    return p.text;
  }
};

TEST_F(Prompt, TypesAndEnds) {
  EXPECT_TRUE(p.open);
  EXPECT_EQ(enter(U"go 213"), "go 213");
}

TEST_F(Prompt, EditsUtf8ByCharacters) {
  type(U"aé€😀b");
  EXPECT_STREQ(p.text, "aé€😀b");
  key(KEY_LEFT_);
  key(KEY_BACKSPACE_);
  EXPECT_STREQ(p.text, "aé€b");
  key(KEY_LEFT_);
  key(KEY_LEFT_);
  key(KEY_DELETE_);
  EXPECT_STREQ(p.text, "a€b");
  type(U"ß");
  EXPECT_STREQ(p.text, "aß€b");
  key(KEY_HOME_);
  key(KEY_RIGHT_);
  key(KEY_RIGHT_);
  EXPECT_EQ(p.cursor, strlen("aß"));
  key(KEY_END_);
  key(KEY_RIGHT_);
  EXPECT_EQ(p.cursor, strlen(p.text));
}

TEST_F(Prompt, ControlKeys) {
  type(U"bind t last");
  key(23);
  EXPECT_STREQ(p.text, "bind t ");
  key(23);
  EXPECT_STREQ(p.text, "bind ");
  key(1);
  key(11);
  EXPECT_STREQ(p.text, "");
  type(U"abc");
  key(2);
  key(21);
  EXPECT_STREQ(p.text, "c");
  EXPECT_EQ(p.cursor, 0u);
}

TEST_F(Prompt, CancelsByEscCtrlCAndBackspaceOnNothing) {
  type(U"quit");
  EXPECT_EQ(key(KEY_ESC_), PROMPT_CANCELED);
  EXPECT_FALSE(p.open);
  prompt_open(&p, "");
  EXPECT_EQ(key(3), PROMPT_CANCELED);
  prompt_open(&p, "a");
  EXPECT_EQ(key(KEY_BACKSPACE_), PROMPT_EDITING);
  EXPECT_EQ(key(KEY_BACKSPACE_), PROMPT_CANCELED);
}

TEST_F(Prompt, HistoryKeepsTheLineBeingTyped) {
  enter(U"one");
  enter(U"two");
  enter(U"two");
  EXPECT_EQ(p.nhistory, 2) << "the same line twice is kept once";
  prompt_open(&p, "");
  type(U"thr");
  key(KEY_UP_);
  EXPECT_STREQ(p.text, "two");
  key(KEY_UP_);
  EXPECT_STREQ(p.text, "one");
  key(KEY_UP_);
  EXPECT_STREQ(p.text, "one");
  key(KEY_DOWN_);
  key(KEY_DOWN_);
  EXPECT_STREQ(p.text, "thr");
  key(KEY_DOWN_);
  EXPECT_STREQ(p.text, "thr");
}

TEST_F(Prompt, HistoryIsBounded) {
  for (char32_t i = 0; i < 200; i++)
    enter(std::u32string(1, U'!' + i % 90) + std::u32string(1, U'a' + i / 90));
  EXPECT_EQ(p.nhistory, PROMPT_HISTORY);
  EXPECT_STREQ(p.history[PROMPT_HISTORY - 1], "4c");
}

TEST_F(Prompt, CompletesCommandsAndTheirArguments) {
  type(U"step-f");
  key(KEY_TAB_);
  EXPECT_STREQ(p.text, "step-forward ");
  prompt_open(&p, "");
  type(U"event-n");
  key(KEY_TAB_);
  EXPECT_STREQ(p.text, "event-next");
  EXPECT_STREQ(p.hint, "event-next-any event-next");
  prompt_open(&p, "bind t la");
  key(KEY_TAB_);
  EXPECT_STREQ(p.text, "bind t last ");
  prompt_open(&p, "set sc");
  key(KEY_TAB_);
  EXPECT_STREQ(p.text, "set scheme ");
  prompt_open(&p, "event-kinds true cl");
  key(KEY_TAB_);
  EXPECT_STREQ(p.text, "event-kinds true clipped ");
  prompt_open(&p, "zzz");
  key(KEY_TAB_);
  EXPECT_STREQ(p.text, "zzz");
  EXPECT_STREQ(p.hint, "nothing to complete");
}

TEST_F(Prompt, NamesOfAnEpisodeAreCompletedByAnyPart) {
  p.names = [](const void *, const char *verb, int i) -> const char * {
    static const char *const names[] = {"obs/eef_pos", "", "obs/eef_quat", "elbow"};
    return strcmp(verb, "plot") == 0 && i < 4 ? names[i] : nullptr;
  };
  auto tab = [&](const char *text) {
    prompt_open(&p, text);
    key(KEY_TAB_);
    return std::string(p.text);
  };
  EXPECT_EQ(tab("plot el"), "plot elbow ");
  EXPECT_EQ(tab("plot o"), "plot obs/eef_");
  EXPECT_STREQ(p.hint, "obs/eef_pos obs/eef_quat");
  EXPECT_EQ(tab("plot elbow quat"), "plot elbow obs/eef_quat ");
  EXPECT_EQ(tab("plot eef"), "plot eef") << "two have it: they are listed";
  EXPECT_STREQ(p.hint, "obs/eef_pos obs/eef_quat");
  EXPECT_EQ(tab("plot zzz"), "plot zzz");
  EXPECT_STREQ(p.hint, "nothing to complete");
  EXPECT_EQ(tab("mark el"), "mark el") << "no other command takes them";
}

TEST_F(Prompt, PlainOneNeitherCompletesNorRemembers) {
  enter(U"one");
  prompt_open(&p, "");
  p.plain = true;
  type(U"qui");
  key(KEY_TAB_);
  key(KEY_UP_);
  EXPECT_STREQ(p.text, "qui");
  key(KEY_ENTER_);
  EXPECT_EQ(p.nhistory, 1);
}

TEST_F(Prompt, FullLineTakesNoMoreAndStaysValid) {
  for (int i = 0; i < 2 * PROMPT_SIZE; i++)
    key(U'€');
  EXPECT_LT(strlen(p.text), (size_t)PROMPT_SIZE);
  EXPECT_EQ(strlen(p.text) % 3, 0u);
  EXPECT_STREQ(p.hint, "the line is full");
  for (int i = 0; i < 300; i++)
    key(KEY_TAB_);
  EXPECT_LT(strlen(p.text), (size_t)PROMPT_SIZE);
}

TEST_F(Prompt, ControlAndSpecialKeysInsertNothing) {
  for (uint32_t code :
       {1u, 7u, 12u, 26u, 28u, (uint32_t)KEY_F1_, (uint32_t)KEY_PGUP_, 0x85u, 0xd800u})
    key(code);
  EXPECT_STREQ(p.text, "");
}
