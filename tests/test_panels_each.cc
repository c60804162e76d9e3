// What single panels must never lose.
#include "panel_fixture.h"

namespace {

// A damaged action is not the end of the episode.
TEST(Action, DamageIsNotCalledTheLastState) {
  Fixture f;
  f.go(213);
  f.snap.action = f.snap.next_ctrl = nullptr;
  set_text(f.snap.note, "damaged here: actions");
  std::string text = f.text(40, 120);
  EXPECT_EQ(text.find("this is the last state"), std::string::npos) << text;
  EXPECT_NE(text.find("action 213: damaged in the file"), std::string::npos) << text;
  EXPECT_NE(text.find("! damaged here: actions"), std::string::npos) << text;
}

TEST(Header, TheEndIsReadWholeOrItsDetailIsLeftOut) {
  Fixture f;
  set_text(f.film.meta.end_detail, "held for 25 steps");
  set_text(f.film.meta.seed, "");
  int with = 0;
  for (int cols = 80; cols <= 160; cols++) {
    std::string text = f.text(30, cols), line = text.substr(0, text.find('\n'));
    EXPECT_NE(line.find("ended: success"), std::string::npos) << cols;
    EXPECT_EQ(line.find("…"), std::string::npos) << line;
    bool whole = line.find("(held for 25 steps)") != std::string::npos;
    EXPECT_EQ(line.find("(held") != std::string::npos, whole) << line;
    with += whole;
  }
  EXPECT_GT(with, 30);
  EXPECT_LT(with, 81);
  std::string why(100, 'x'); // a long one may be cut
  set_text(f.film.meta.end_detail, why);
  std::string text = f.text(30, 140), line = text.substr(0, text.find('\n'));
  EXPECT_NE(line.find("(xxx"), std::string::npos) << line;
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

TEST(Success, SaysWhenRecordingAndRecomputationDiffer) {
  Fixture f;
  EXPECT_FALSE(has(f.text(40, 120), "recorded FALSE, here TRUE"));
  f.snap.predicate_now = true;
  EXPECT_TRUE(has(f.text(40, 120), "recorded FALSE, here TRUE"));
  f.snap.has_conditions = false;
  EXPECT_FALSE(has(f.text(40, 120), "here TRUE"));
  f.predicate.clear();
  f.wire();
  f.snap.has_conditions = true;
  EXPECT_TRUE(has(f.text(40, 120), "TRUE judged here"));
}

TEST(Success, LatchIsSeenFromThePlayhead) {
  Fixture f;
  f.go(286);
  EXPECT_TRUE(has(f.text(40, 120), "at 287, in 1 step\n") ||
              has(f.text(40, 120), "at 287, in 1 step "));
  f.go(287);
  EXPECT_TRUE(has(f.text(40, 120), "at 287, here"));
  f.go(300);
  EXPECT_TRUE(has(f.text(40, 120), "at 287, 13 steps ago"));
  f.film.latch = -1;
  EXPECT_TRUE(has(f.text(40, 120), "latch   never"));
}

TEST(Action, ClippedElementsPointOutOfTheirRange) {
  Fixture f;
  f.action[0] = -1.5;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "◀ clipped")) << text;
  EXPECT_TRUE(has(text, "▶ clipped"));
  f.low[3] = -INFINITY;
  f.high[3] = INFINITY;
  EXPECT_FALSE(has(f.text(40, 120), "▶ clipped")) << "no range, no bar";
}

TEST(Action, ElementsAtAnEndOfTheirRangePointThere) {
  Fixture f;
  f.action[0] = f.high[0];
  f.action[3] = 0;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "▏▶")) << text;
  EXPECT_FALSE(has(text, "▶ clipped"));
  f.action[0] = std::nextafter(f.high[0], 0);
  EXPECT_FALSE(has(f.text(40, 120), "▏▶"));
  f.low[0] = -INFINITY; // half a range has no bar
  f.action[0] = f.high[0] + 1;
  EXPECT_TRUE(has(f.text(40, 120), "▶ arm_base_t"));
}

// Bars start at zero where the range has it, so that their length means something.
TEST(Action, BarsStartAtZero) {
  Fixture f;
  f.low[0] = 0;
  f.action[0] = 0.0;
  f.low[1] = -3;
  f.action[1] = -3;
  f.low[2] = 2;
  f.high[2] = 4;
  f.action[2] = 3;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "▕·           ▏")) << text;
  EXPECT_TRUE(has(text, "▕█████████·  ▏")) << text;
  EXPECT_TRUE(has(text, "▕██████      ▏")) << text;
}

TEST(Action, UnknownMappingShowsTheElementsOwnName) {
  Fixture f;
  f.action_ctrl = {-1, 99, 2, 3, 4};
  f.wire();
  std::string text = f.text(40, 120);
  EXPECT_FALSE(has(text, "arm_base_t"));
  EXPECT_TRUE(has(text, "0.12000  arm_base "));
  f.low.clear();
  f.action.clear();
  f.wire();
  EXPECT_TRUE(has(f.text(40, 120), "the file holds no actions"));
}

TEST(State, CursorStaysInSightWhateverTheSize) {
  Fixture f;
  f.a.focus = PANEL_STATE;
  int lines = panel_state_lines(&f.a);
  ASSERT_EQ(lines, (int)f.signals.size());
  for (int rows : {6, 8, 12, 24, 40})
    for (int cols : {20, 40, 80, 120, 200})
      for (int cursor = 0; cursor < lines; cursor++) {
        f.a.cursor[PANEL_STATE] = cursor;
        surface s{};
        f.draw(&s, rows, cols);
        int selected = 0;
        for (int i = 0; i < rows * cols; i++)
          selected += s.cells[i].style == STYLE_SELECTED && !strcmp(s.cells[i].text, ">");
        ASSERT_EQ(selected, 1) << cursor << " at " << cols << "x" << rows;
        surface_free(&s);
      }
}

TEST(State, FilterIsSaidAndApplied) {
  Fixture f;
  set_text(f.a.filter[PANEL_STATE], "DRAWER");
  EXPECT_EQ(panel_state_lines(&f.a), 2);
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "2 with \"DRAWER\"")) << text;
  EXPECT_TRUE(has(text, "drawer.v"));
  EXPECT_FALSE(has(text, "arm_elbow.v"));
  set_text(f.a.filter[PANEL_STATE], "zzz");
  EXPECT_TRUE(has(f.text(40, 120), "no signal has that text"));
}

TEST(State, NothingIsDrawnAsANumberWithoutAFrame) {
  Fixture f;
  f.snap.has_frame = false;
  f.snap.values = nullptr;
  EXPECT_FALSE(has(f.text(24, 80), "0.01234"));
  set_text(f.snap.error, "demo_17: states: row 213: checksum");
  std::string text = f.text(24, 80);
  EXPECT_TRUE(has(text, "this step cannot be shown"));
  EXPECT_TRUE(has(text, "row 213"));
}

TEST(Episodes, CursorAndOpenOneAreMarked) {
  Fixture f;
  f.a.cursor[PANEL_EPISODES] = 0;
  f.a.zoomed = f.a.focus = PANEL_EPISODES;
  std::string text = f.text(60, 100);
  EXPECT_TRUE(has(text, "\n> demo_1 "));
  EXPECT_TRUE(has(text, "\n *demo_17 "));
  EXPECT_TRUE(has(text, "160 of 200 succeed"));
  set_text(f.a.filter[PANEL_EPISODES], "demo_19");
  text = f.text(60, 120);
  EXPECT_TRUE(has(text, "11 of 200 with")) << text;
  EXPECT_TRUE(has(text, "its last state is missing"));
}

TEST(Log, NewestFirstAcrossTheRing) {
  Fixture f;
  for (int i = 0; i < APP_LOG_LINES + 7; i++)
    app_log(&f.a, false, "line %d", i);
  f.a.zoomed = f.a.focus = PANEL_LOG;
  std::vector<std::string> text = lines_of(f.text(24, 80));
  size_t at = 0;
  while (at < text.size() && !has(text[at], "log, newest first"))
    at++;
  ASSERT_LT(at + 2, text.size());
  EXPECT_EQ(text[at + 1], " line " + std::to_string(APP_LOG_LINES + 6));
  EXPECT_EQ(text[at + 2], " line " + std::to_string(APP_LOG_LINES + 5));
  EXPECT_EQ(panel_log_lines(&f.a), APP_LOG_LINES);
}

TEST(Help, EveryCommandIsThereAndScrollingEndsAtTheEnd) {
  Fixture f;
  f.a.help = true;
  std::string text = f.text(100, 120);
  for (int i = 0; i < CMD_COUNT; i++)
    EXPECT_TRUE(has(text, command_info((command)i)->help)) << command_info((command)i)->name;
  f.text(24, 80);
  int lines = panel_help_lines(&f.a);
  f.a.cursor[PANEL_HELP] = lines - 1;
  std::string end = f.text(24, 80);
  f.a.cursor[PANEL_HELP] = lines + 50;
  EXPECT_EQ(end, f.text(24, 80));
  f.a.cursor[PANEL_HELP] = lines - 2;
  EXPECT_NE(end, f.text(24, 80)) << "the last line of the cursor is not past the end";
}

TEST(Hints, FollowTheKeyMap) {
  Fixture f;
  char error[200];
  EXPECT_TRUE(has(f.text(24, 80), "Space play"));
  ASSERT_TRUE(keymap_line(&f.a.keys, "unbind Space", error, sizeof error)) << error;
  EXPECT_TRUE(has(f.text(24, 80), "a play"));
  ASSERT_TRUE(keymap_line(&f.a.keys, "unbind a", error, sizeof error)) << error;
  EXPECT_FALSE(has(f.text(24, 80), " play"));
}

TEST(Hints, SayWhatIsBeingTyped) {
  Fixture f;
  set_text(f.a.digits, "213");
  EXPECT_TRUE(has(f.text(24, 80), "213_  Enter or g goes to that step"));
  f.a.digits[0] = 0;
  f.a.pending = CMD_MARK;
  EXPECT_TRUE(has(f.text(24, 80), "the next key names it"));
}

TEST(Prompt, CursorIsInSightInALongLine) {
  Fixture f;
  std::string line = "note ";
  for (int i = 0; i < 40; i++)
    line += "長い";
  prompt_open(&f.a.prompt, line.c_str());
  for (size_t cursor : {(size_t)0, (size_t)5, line.size() / 2, line.size()}) {
    while (cursor < line.size() && (line[cursor] & 0xC0) == 0x80)
      cursor++;
    f.a.prompt.cursor = cursor;
    surface s{};
    f.draw(&s, 24, 60);
    int shown = 0;
    for (int x = 0; x < 60; x++)
      shown += s.cells[23 * 60 + x].style == STYLE_PLAYHEAD;
    EXPECT_EQ(shown, 1) << cursor;
    surface_free(&s);
  }
}

} // namespace
