// Whole screens against tests/golden/*.txt, and screens of every size.
#include "panel_fixture.h"

namespace {

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
