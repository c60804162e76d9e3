// Whole screens against tests/golden/*.txt, and what single panels must never lose.
#include <gtest/gtest.h>

#include <algorithm>

#include "panel_fixture.h"

extern "C" {
#include "panel_timeline.h"
}

namespace {

// Compares with a golden screen; PH_GOLDEN_UPDATE=1 writes it instead.
void expect_golden(const std::string &name, const std::string &text) {
  std::string path = golden_path(name);
  if (std::getenv("PH_GOLDEN_UPDATE")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream want;
  want << file.rdbuf();
  EXPECT_EQ(want.str(), text) << name << " differs; look at it, and if it is right: "
                              << "PH_GOLDEN_UPDATE=1 meson test panels";
}

void no_task(Fixture &f) {
  f.predicate.clear();
  f.hold.clear();
  f.conditions.clear();
  f.events = {{60, EVENT_CLIPPED}, {213, EVENT_WARNED}, {341, EVENT_END}};
  f.film.latch = -1;
  f.film.task_name[0] = f.film.meta.task_sha256[0] = 0;
  f.film.meta.success = -1;
  f.film.meta.end_reason = PH_END_UNKNOWN;
  set_text(f.film.task_note, "the file holds no task: nothing was judged");
  f.wire();
  f.go(213);
}

void no_model(Fixture &f) {
  set_text(f.film.model_note, "model 3fe1: it does not compile: mesh file 'link0.stl' is missing");
  f.film.guarantee = PH_STATES_ONLY;
  set_text(f.film.reason, "no model");
  for (size_t i = 0; i < f.signals.size(); i++)
    if (f.signals[i].kind >= PH_SIGNAL_SENSOR)
      f.values[i] = NAN;
  f.contacts.clear();
  f.wire();
  f.snap.has_conditions = false;
}

const int sizes[][2] = {{120, 40}, {80, 24}, {40, 12}, {20, 6}, {200, 60}};

TEST(Golden, Sizes) {
  for (auto &size : sizes) {
    Fixture f;
    std::string name = std::to_string(size[0]) + "x" + std::to_string(size[1]);
    expect_golden("panels_" + name, f.text(size[1], size[0]));
    f.a.ascii = true;
    std::string ascii = f.text(size[1], size[0]);
    expect_golden("panels_" + name + "_ascii", ascii);
    for (char c : ascii)
      ASSERT_TRUE(c == '\n' || (c >= 32 && c < 127)) << name << " has the byte " << (int)c;
  }
}

TEST(Golden, FirstAndLastStep) {
  Fixture f;
  f.go(0);
  expect_golden("panels_first", f.text(40, 120));
  f.go(341);
  expect_golden("panels_last", f.text(40, 120));
}

TEST(Golden, NoTask) {
  Fixture f;
  no_task(f);
  expect_golden("panels_no_task", f.text(40, 120));
}

TEST(Golden, NoModel) {
  Fixture f;
  no_model(f);
  expect_golden("panels_no_model", f.text(40, 120));
  expect_golden("panels_no_model_80x24", f.text(24, 80));
}

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

TEST(Golden, Error) {
  Fixture f;
  f.snap.reel = nullptr;
  f.snap.has_frame = false;
  set_text(f.snap.error,
           "runs/drawer.h5: /data/demo_17/states: the bytes of rows 0..255 do not match "
           "their checksum");
  expect_golden("panels_error", f.text(24, 80));
}

TEST(Golden, Opening) {
  Fixture f;
  f.a.snap = nullptr;
  expect_golden("panels_opening", f.text(12, 60));
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

TEST(Golden, Help) {
  Fixture f;
  f.a.help = true;
  expect_golden("panels_help", f.text(40, 120));
  char error[200];
  ASSERT_TRUE(keymap_line(&f.a.keys, "unbind z", error, sizeof error)) << error;
  f.a.cursor[PANEL_HELP] = 1000;
  expect_golden("panels_help_end_80x24", f.text(24, 80));
  f.a.cursor[PANEL_HELP] = 0;
  expect_golden("panels_help_200x60", f.text(60, 200));
}

TEST(Golden, Zoomed) {
  Fixture f;
  f.a.zoomed = f.a.focus = PANEL_STATE;
  f.a.cursor[PANEL_STATE] = 12;
  expect_golden("panels_zoomed_state", f.text(24, 80));
  f.a.zoomed = f.a.focus = PANEL_EPISODES;
  expect_golden("panels_zoomed_episodes", f.text(24, 120));
}

TEST(Golden, WideNames) {
  Fixture f;
  set_text(f.film.meta.id, "引き出しを閉める_とても長い名前のデモ_17");
  set_text(f.film.task_name, "ящик_закрыть_очень_длинное_имя_задачи");
  set_text(f.signals[0].name, "肩の関節_その一_とても長い名前です");
  set_text(f.signals[1].name, "e\xCC\x81paule_gauche_articulation_tr\xC3\xA8s_longue");
  set_text(f.signals[2].name, std::string("tab\there\x1b[31m \xE2\x80\xAEreversed\xFF"));
  set_text(f.condition[0], "引き出しが閉まっている");
  set_text(f.contacts[0].geom[0], "🦾 hand");
  set_text(f.entries[15].id, "長い名前のエピソード_16");
  expect_golden("panels_wide_names", f.text(40, 120));
  expect_golden("panels_wide_names_80x24", f.text(24, 80));
}

TEST(Golden, MarksLoopNotePrompt) {
  Fixture f;
  f.mark_at("demo_17", 'a', 100);
  f.mark_at("demo_17", 'b', 213);
  f.mark_at("demo_18", 'c', 50);
  f.note_at("demo_17", 213, "gripper slips here");
  f.a.loop_a = 80;
  f.a.loop_b = 160;
  f.a.playing = true;
  f.a.speed = 0.5;
  f.a.nundo = 1;
  f.a.undo[0] = 12;
  expect_golden("panels_marks", f.text(24, 100));
  prompt_open(&f.a.prompt, "go 4.2s");
  expect_golden("panels_prompt", f.text(24, 80));
}

TEST(Golden, TimeZoom) {
  Fixture f;
  f.a.zoom_first = 200;
  f.a.zoom_last = 260;
  expect_golden("panels_time_zoom", f.text(30, 100));
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

// The cells of a lane, one string per column, by the name in the gutter.
std::vector<std::string> lane(Fixture &f, const char *name, int rows, int cols) {
  surface s{};
  f.draw(&s, rows, cols);
  std::vector<std::string> out;
  rect r = f.a.layout.panel[PANEL_TIMELINE];
  for (int y = r.y; y < r.y + r.h; y++) {
    std::string head;
    for (int x = 0; x < 9; x++)
      head += s.cells[y * s.cols + x].text;
    if (head.find(name) == std::string::npos)
      continue;
    for (int x = 9; x < cols - 1; x++)
      out.push_back(s.cells[y * s.cols + x].text);
  }
  surface_free(&s);
  return out;
}

int count(const std::vector<std::string> &cells, const std::string &glyph) {
  return (int)std::count(cells.begin(), cells.end(), glyph);
}

TEST(Timeline, ColumnsAndStepsAgree) {
  for (int64_t first : {0, 7, 1000000})
    for (int64_t n : {1, 2, 3, 10, 99, 100, 101, 342, 12345, 1000000})
      for (int w : {1, 2, 7, 70, 110}) {
        timeline t = {first, first + n - 1, w, 9};
        int64_t before = first - 1;
        for (int col = 0; col < w; col++) {
          int64_t a, b;
          timeline_steps(&t, col, &a, &b);
          ASSERT_LE(a, b);
          ASSERT_GE(a, t.first);
          ASSERT_LE(b, t.last);
          ASSERT_LE(a, before + 1) << "no step is skipped";
          ASSERT_GE(b, before);
          for (int64_t step = before + 1; step <= b; step++)
            ASSERT_EQ(timeline_column(&t, step), col) << n << " steps in " << w;
          before = b;
        }
        ASSERT_EQ(before, t.last) << "every step has a column";
      }
}

TEST(Timeline, ColumnsClampOutside) {
  timeline t = {100, 199, 50, 9};
  EXPECT_EQ(timeline_column(&t, 0), 0);
  EXPECT_EQ(timeline_column(&t, 5000), 49);
}

TEST(Timeline, TicksAreNiceAndApart) {
  for (int64_t n : {1, 5, 60, 342, 5000, 1000000})
    for (int w : {10, 70, 190}) {
      timeline t = {0, n - 1, w, 9};
      int64_t tick = timeline_tick(&t, 8), lead = tick;
      EXPECT_GE((double)tick * w / (double)n, 8 - 1e-9);
      while (lead % 10 == 0)
        lead /= 10;
      EXPECT_TRUE(lead == 1 || lead == 2 || lead == 5) << tick;
    }
}

TEST(Timeline, LevelIsFullOnlyWhenTheHoldIs) {
  EXPECT_STREQ(timeline_level(0, 25), " ");
  EXPECT_STREQ(timeline_level(1, 1000), "▁") << "one step is seen";
  EXPECT_STREQ(timeline_level(24, 25), "▇");
  EXPECT_STREQ(timeline_level(25, 25), "█");
  EXPECT_STREQ(timeline_level(80, 25), "█");
  EXPECT_STREQ(timeline_level(1, 0), "█");
}

TEST(Timeline, PlayheadStandsAtItsStep) {
  Fixture f;
  for (int64_t step : {0, 1, 100, 213, 340, 341}) {
    f.go(step);
    std::vector<std::string> now = lane(f, "now", 40, 120);
    ASSERT_EQ(now.size(), 110u);
    timeline t = {0, 341, 110, 9};
    EXPECT_EQ(now[(size_t)timeline_column(&t, step)], "▼") << step;
    EXPECT_EQ(count(now, "▼"), 1);
  }
}

TEST(Timeline, PlayheadColumnIsMarkedInEveryLane) {
  Fixture f;
  surface s{};
  f.draw(&s, 40, 120);
  rect r = f.a.layout.panel[PANEL_TIMELINE];
  timeline t = {0, 341, 110, 9};
  int x = 9 + (int)timeline_column(&t, 213), marked = 0;
  for (int y = r.y; y < r.y + r.h; y++)
    marked += s.cells[y * s.cols + x].style == STYLE_PLAYHEAD;
  EXPECT_EQ(marked, 4) << "now, events, pred, hold";
  surface_free(&s);
}

// One true step among a million is seen, and so is one false step.
TEST(Timeline, OneStepIsNeverLost) {
  const int64_t n = 1000000;
  Fixture f;
  f.predicate.assign((size_t)n, 0);
  f.hold.assign((size_t)n, 0);
  f.events = {{123457, EVENT_TRUE}, {777777, EVENT_WARNED}};
  f.predicate[123457] = 1;
  f.hold[123457] = 1;
  f.film.states = n;
  f.wire();
  EXPECT_EQ(count(lane(f, "pred", 40, 120), "░"), 1);
  EXPECT_EQ(count(lane(f, "hold", 40, 120), "▁"), 1);
  EXPECT_EQ(count(lane(f, "events", 40, 120), "▲"), 1);
  EXPECT_EQ(count(lane(f, "events", 40, 120), "w"), 1);
  f.predicate.assign((size_t)n, 1);
  f.predicate[5000] = 0;
  f.wire();
  EXPECT_EQ(count(lane(f, "pred", 40, 120), "░"), 1);
  EXPECT_EQ(count(lane(f, "pred", 40, 120), "▒"), 109);
}

TEST(Timeline, TheWorthiestEventOfAColumnIsDrawn) {
  Fixture f;
  f.film.states = 100000;
  f.predicate.assign(100000, 0);
  f.hold.assign(100000, 0);
  const event_kind order[] = {EVENT_WARNED,  EVENT_CLIPPED, EVENT_FALSE, EVENT_TRUE,
                              EVENT_FINDING, EVENT_END,     EVENT_LATCH};
  const char *glyphs[] = {"w", "c", "▽", "▲", "!", "■", "◆"};
  f.events.clear();
  for (int i = 0; i < 7; i++) {
    f.events.insert(f.events.begin() + (i % 2 ? 0 : i), {50000 + i, order[i]});
    f.wire();
    std::vector<std::string> cells = lane(f, "events", 40, 120);
    EXPECT_EQ(count(cells, glyphs[i]), 1) << glyphs[i];
    EXPECT_EQ(count(cells, " "), 109);
  }
}

TEST(Timeline, AFailedEpisodeEndsWithACross) {
  Fixture f;
  EXPECT_EQ(lane(f, "events", 40, 120).back(), "■");
  f.film.meta.success = 0;
  f.film.meta.end_reason = PH_END_TRUNCATED;
  EXPECT_EQ(lane(f, "events", 40, 120).back(), "✗");
}

TEST(Timeline, MarksOfOtherEpisodesAreNotShown) {
  Fixture f;
  f.mark_at("demo_18", 'c', 50);
  EXPECT_EQ(count(lane(f, "now", 40, 120), "c"), 0);
  f.mark_at("demo_17", 'd', 50);
  EXPECT_EQ(count(lane(f, "now", 40, 120), "d"), 1);
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
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

// No size may draw outside, lose a half of a wide character, or crash.
void sweep(Fixture &f, int step_rows, int step_cols) {
  surface s{};
  for (int rows = 1; rows <= 60; rows += step_rows)
    for (int cols = 1; cols <= 140; cols += step_cols) {
      f.draw(&s, rows, cols);
      ASSERT_EQ(s.rows, rows);
      ASSERT_EQ(s.cols, cols);
      for (int y = 0; y < rows; y++) {
        int width = 0;
        for (int x = 0; x < cols; x++) {
          const cell &c = s.cells[y * cols + x];
          width += c.width;
          ASSERT_EQ(text_width(c.text, 99, nullptr), c.width) << c.text;
        }
        ASSERT_EQ(width, cols) << "row " << y << " at " << cols << "x" << rows;
      }
    }
  surface_free(&s);
}

TEST(Sweep, EverySize) {
  Fixture f;
  sweep(f, 1, 1);
}

TEST(Sweep, EveryKindOfScreen) {
  for (int kind = 0; kind < 12; kind++) {
    Fixture f;
    if (kind == 0)
      no_task(f);
    else if (kind == 1)
      no_model(f);
    else if (kind == 2)
      f.a.help = true;
    else if (kind == 3)
      f.snap.reel = nullptr;
    else if (kind == 4)
      f.a.snap = nullptr;
    else if (kind == 5)
      f.go(341);
    else if (kind == 6)
      prompt_open(&f.a.prompt, "深い note");
    else if (kind >= 7 && kind < 11)
      f.a.zoomed = f.a.focus = (panel_id)(PANEL_STATE + kind - 7);
    else
      f.film.nevents = f.film.nsignals = f.snap.ncontacts = 0;
    for (auto &signal : f.signals)
      set_text(signal.name, std::string("深") + signal.name);
    f.a.ascii = kind % 2;
    sweep(f, 3, 3);
    if (HasFatalFailure())
      FAIL() << "kind " << kind;
  }
}

TEST(Sweep, TinyEpisodes) {
  for (int64_t states : {0, 1, 2}) {
    Fixture f;
    f.film.states = states;
    f.events.clear();
    f.wire();
    f.go(0);
    f.snap.action = nullptr;
    f.snap.next_ctrl = nullptr;
    sweep(f, 7, 11);
  }
}

} // namespace
