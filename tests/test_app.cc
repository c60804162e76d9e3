#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "app_help.h"

static bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

static void expect_sound(const struct app *app) {
  ASSERT_LT(app->want.episode, fake_list().size());
  ASSERT_GE(app->want.step, 0);
  ASSERT_LE(app->want.step, app_last_step(app));
  ASSERT_GE(app->speed, 0.01);
  ASSERT_LE(app->speed, 100);
  ASSERT_LE(app->nundo, APP_UNDO);
  ASSERT_LT(strlen(app->digits), sizeof app->digits);
  ASSERT_LT(app->focus, PANEL_COUNT);
  if (app->loop_b >= 0) {
    ASSERT_LT(app->loop_a, app->loop_b);
    ASSERT_LE(app->loop_b, app_last_step(app));
  }
  if (app->zoom_first >= 0) {
    ASSERT_LT(app->zoom_first, app->zoom_last);
    ASSERT_LE(app->zoom_last, app_last_step(app));
    ASSERT_LE(app->zoom_first, app->want.step);
    ASSERT_GE(app->zoom_last, app->want.step);
  }
  for (int i = 0; i < PANEL_COUNT; i++) {
    const struct rect &r = app->layout.panel[i];
    if (r.h <= 0 || r.w <= 0)
      continue;
    ASSERT_GE(r.y, 0);
    ASSERT_GE(r.x, 0);
    ASSERT_LE(r.y + r.h, app->rows);
    ASSERT_LE(r.x + r.w, app->cols);
  }
}

/* --- steps and counts
 * ----------------------------------------------------------------------------- */

TEST(AppMove, StepsAndCounts) {
  FakeApp f;
  f.keys("n . Right");
  EXPECT_EQ(f.step(), 3);
  f.keys("p b");
  EXPECT_EQ(f.step(), 1);
  f.keys(", Left Left Left");
  EXPECT_EQ(f.step(), 0);
  f.keys("1 0 n");
  EXPECT_EQ(f.step(), 10);
  f.keys("3 p");
  EXPECT_EQ(f.step(), 7);
  f.keys("9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 n");
  EXPECT_EQ(f.step(), 341);
  f.keys("9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 p");
  EXPECT_EQ(f.step(), 0);
  f.keys("0 n");
  EXPECT_EQ(f.step(), 0) << "nought times";
}

TEST(AppMove, GoTo) {
  FakeApp f;
  f.keys("2 1 3 Enter");
  EXPECT_EQ(f.step(), 213);
  f.keys("1 2 g");
  EXPECT_EQ(f.step(), 12);
  f.keys("0 G");
  EXPECT_EQ(f.step(), 0);
  f.keys("G");
  EXPECT_EQ(f.step(), 341) << "without digits it is End";
  EXPECT_FALSE(f.app.prompt.open);
  f.keys("5 G");
  EXPECT_EQ(f.step(), 5);
  f.keys("7 End");
  EXPECT_EQ(f.step(), 341);
  f.keys("g");
  EXPECT_TRUE(f.app.prompt.open);
  EXPECT_STREQ(f.app.prompt.text, "go ");
  f.keys("8 Enter");
  EXPECT_EQ(f.step(), 8);
  f.keys("5 0 %");
  EXPECT_EQ(f.step(), 170); // 170.5 to even
  f.keys("1 0 0 %");
  EXPECT_EQ(f.step(), 341);
  f.keys("9 9 9 9 Enter");
  EXPECT_EQ(f.step(), 341);
  EXPECT_TRUE(has(f.said(), "past the end"));
  f.keys("r");
  EXPECT_EQ(f.step(), 0);
  f.keys("End");
  EXPECT_EQ(f.step(), 341);
  f.keys("Home");
  EXPECT_EQ(f.step(), 0);
}

TEST(AppMove, GoToGoesToTheWantedStepWhateverPanelHasTheFocus) {
  FakeApp f;
  for (int i = 0; i < PANEL_COUNT; i++) {
    f.keys("Tab 2 0 Enter");
    EXPECT_EQ(f.step(), 20);
    f.keys("r");
  }
}

TEST(AppMove, DigitsAreEditedAndDropped) {
  FakeApp f;
  f.keys("1 2 3 Backspace");
  EXPECT_STREQ(f.app.digits, "12");
  f.keys("Enter");
  EXPECT_EQ(f.step(), 12);
  f.keys("4 5 Esc");
  EXPECT_STREQ(f.app.digits, "");
  f.keys("n");
  EXPECT_EQ(f.step(), 13);
  f.app.speed = 3;
  f.keys("7 Backspace");
  EXPECT_EQ(f.app.speed, 3) << "with digits typed Backspace edits them";
  f.keys("Backspace");
  EXPECT_EQ(f.app.speed, 1);
}

TEST(AppMove, PromptPlaces) {
  FakeApp f;
  f.line("go 4.2s");
  EXPECT_EQ(f.step(), 210);
  f.line("4.1s");
  EXPECT_EQ(f.step(), 205);
  f.line("  33 ");
  EXPECT_EQ(f.step(), 33);
  f.line("go 25%");
  EXPECT_EQ(f.step(), 85);
  for (const char *bad : {"go x", "go -3", "go 1.5", "go 1.2.3s", "go 5 5", "213+4", "go 5ss",
                          "go s", "go 0x10", "go nan", "go .5s"}) {
    f.line(bad);
    EXPECT_EQ(f.step(), 85) << bad;
    EXPECT_TRUE(f.app.message_bad) << bad;
    EXPECT_TRUE(has(f.said(), "expected a step (213)")) << f.said();
  }
  f.line(("go " + std::string(400, '9')).c_str());
  EXPECT_EQ(f.step(), 341);
}

TEST(AppMove, SecondsAndAnUnknownStepTime) {
  FakeApp f;
  f.keys("Up");
  EXPECT_EQ(f.step(), 50);
  f.keys("2 Up");
  EXPECT_EQ(f.step(), 150);
  f.keys("Down");
  EXPECT_EQ(f.step(), 100);
  f.app.snap->reel->meta.control_dt = 0;
  f.key(KEY_UP_);
  EXPECT_EQ(f.step(), 100);
  EXPECT_TRUE(has(f.said(), "not known"));
  f.line("go 1s");
  EXPECT_EQ(f.step(), 100);
}

TEST(AppMove, StepsCountFromTheWantedStepNotTheShownOne) {
  FakeApp f;
  uint64_t serial = f.app.want.serial;
  for (int i = 0; i < 30; i++)
    EXPECT_TRUE(app_key(&f.app, 'n', 2000 + i) & REACT_SEEK);
  EXPECT_EQ(f.app.want.step, 30);
  EXPECT_EQ(f.app.want.serial, serial + 30);
  EXPECT_EQ(app_shown_step(&f.app), 0);
  request old = {};
  old.serial = serial + 3;
  old.step = 3;
  app_take(&f.app, fake_answer(old));
  EXPECT_EQ(app_shown_step(&f.app), 3) << "an older answer is shown";
  EXPECT_EQ(f.app.want.step, 30) << "and moves nothing";
}

TEST(AppMove, NothingToSeekAsksForNothing) {
  FakeApp f;
  EXPECT_FALSE(f.keys("p") & REACT_SEEK);
  EXPECT_FALSE(f.keys("r") & REACT_SEEK);
}

TEST(AppMove, Undo) {
  FakeApp f;
  f.keys("2 1 3 Enter End u");
  EXPECT_EQ(f.step(), 213);
  f.keys("u");
  EXPECT_EQ(f.step(), 0);
  f.keys("u");
  EXPECT_TRUE(has(f.said(), "no seek"));
  f.keys("1 0 0 Enter n n n n p n u");
  EXPECT_EQ(f.step(), 100) << "a run of steps is one";
  f.keys("u");
  EXPECT_EQ(f.step(), 0);
  f.keys("End 5 0 Enter Home u");
  EXPECT_EQ(f.step(), 50);
  f.keys("n p u");
  EXPECT_EQ(f.step(), 341) << "back to where one is already is no way back";
  for (int i = 1; i < 100; i++)
    f.keys(i % 2 ? "End" : "Home");
  EXPECT_EQ(f.app.nundo, APP_UNDO);
}

/* --- playback
 * ------------------------------------------------------------------------------------- */

static void play(FakeApp &f, uint64_t ms, uint64_t every = 10) {
  for (uint64_t end = f.now + ms; f.now < end;) {
    f.now += every;
    if (app_tick(&f.app, f.now) & REACT_SEEK)
      f.answer();
  }
}

TEST(AppPlay, RealTime) {
  FakeApp f;
  f.keys("Space");
  EXPECT_TRUE(f.app.playing);
  app_tick(&f.app, f.now);
  play(f, 1000);
  EXPECT_EQ(f.step(), 50);
  f.keys("Space");
  play(f, 1000);
  EXPECT_EQ(f.step(), 50);
  f.keys("}");
  EXPECT_EQ(f.app.speed, 2);
  f.keys("a");
  app_tick(&f.app, f.now);
  play(f, 1000);
  EXPECT_EQ(f.step(), 150);
  f.keys("R");
  app_tick(&f.app, f.now);
  play(f, 500);
  EXPECT_EQ(f.step(), 100);
}

TEST(AppPlay, StepsPauseJumpsDoNot) {
  for (const char *key : {"n", "p", ".", ",", "b", "Right", "Left", "Up", "Down"}) {
    FakeApp f;
    f.keys("5 0 Enter Space");
    f.keys(key);
    EXPECT_FALSE(f.app.playing) << key;
  }
  for (const char *key : {"r", "End", "7 0 Enter", "e", "u", "PgDn", "]", "5 0 %"}) {
    FakeApp f;
    f.keys("5 0 Enter Space");
    f.keys(key);
    EXPECT_TRUE(f.app.playing) << key;
  }
}

TEST(AppPlay, JumpWhilePlayingGoesOnFromThere) {
  FakeApp f;
  f.keys("Space");
  app_tick(&f.app, f.now);
  play(f, 300);
  f.keys("2 0 0 Enter");
  app_tick(&f.app, f.now);
  play(f, 200);
  EXPECT_EQ(f.step(), 210);
}

TEST(AppPlay, PausesOnTheLastStateAndBeginsAnew) {
  FakeApp f;
  f.keys("3 3 0 Enter Space");
  app_tick(&f.app, f.now);
  play(f, 1000);
  EXPECT_EQ(f.step(), 341);
  EXPECT_FALSE(f.app.playing);
  EXPECT_EQ(app_deadline(&f.app), UINT64_MAX);
  f.keys("Space");
  EXPECT_EQ(f.step(), 0);
  EXPECT_TRUE(f.app.playing);
  f.keys("Space 5 Enter R Space");
  app_tick(&f.app, f.now);
  play(f, 1000);
  EXPECT_EQ(f.step(), 0);
  EXPECT_FALSE(f.app.playing);
}

TEST(AppPlay, EveryStepIsShownAtRealTime) {
  FakeApp f;
  f.keys("3 3 0 Enter L Space");
  app_tick(&f.app, f.now);
  std::vector<int64_t> seen;
  for (int i = 0; i < 40; i++) {
    uint64_t due = app_deadline(&f.app);
    ASSERT_GT(due, f.now) << "never busy";
    ASSERT_LE(due, f.now + 20);
    f.now = due;
    if (app_tick(&f.app, f.now) & REACT_SEEK)
      seen.push_back(f.step());
  }
  int64_t expect = 331;
  for (int64_t step : seen) {
    EXPECT_EQ(step, expect);
    expect = expect == 341 ? 0 : expect + 1;
  }
  EXPECT_GE(seen.size(), 30u);
}

TEST(AppPlay, AbLoop) {
  FakeApp f;
  f.keys("1 0 0 Enter l 9 0 Enter l");
  EXPECT_EQ(f.app.loop_a, 90);
  EXPECT_EQ(f.app.loop_b, 100);
  f.keys("Space");
  app_tick(&f.app, f.now);
  int64_t low = 1000, high = -1;
  for (int i = 0; i < 200; i++) {
    play(f, 10);
    low = std::min(low, f.step());
    high = std::max(high, f.step());
  }
  EXPECT_EQ(low, 90);
  EXPECT_EQ(high, 100);
  EXPECT_TRUE(f.app.playing);
  f.keys("2 0 0 Enter");
  play(f, 100);
  EXPECT_GE(f.step(), 90);
  EXPECT_LE(f.step(), 100) << "begun past the loop it goes back to A";
  f.keys("R");
  play(f, 1000);
  EXPECT_GE(f.step(), 90);
  f.keys("l");
  EXPECT_EQ(f.app.loop_a, -1);
  EXPECT_EQ(f.app.loop_b, -1);
  f.keys("l l");
  EXPECT_EQ(f.app.loop_a, -1) << "A and B on one step is no loop";
}

// A snapshot wakes the loop right after the tick that asked for it: that is no reason to go on.
TEST(AppPlay, TheLastStateOfALoopKeepsItsTime) {
  for (bool backwards : {false, true})
    for (double speed : {1.0, 0.25, 4.0}) {
      FakeApp f;
      f.app.speed = speed;
      f.keys("1 0 Enter l 1 5 Enter l");
      f.keys(backwards ? "R Space" : "1 0 Enter Space");
      app_tick(&f.app, f.now);
      int64_t turn = backwards ? 10 : 15, start = backwards ? 15 : 10;
      while (f.step() != turn) {
        f.now = app_deadline(&f.app);
        app_tick(&f.app, f.now);
        f.answer();
      }
      for (int round = 0; round < 3; round++) {
        uint64_t since = f.now;
        while (f.step() == turn) {
          f.now++; // woken by a snapshot, a key, a signal
          app_tick(&f.app, f.now);
        }
        EXPECT_EQ(f.step(), start) << speed;
        EXPECT_NEAR((double)(f.now - since), 20 / speed, 1.01) << speed;
        while (f.step() != turn)
          app_tick(&f.app, ++f.now);
      }
    }
}

TEST(AppPlay, SpeedIsBoundedAndComesBackToOne) {
  FakeApp f;
  f.keys("] ] ] [ [ [");
  EXPECT_EQ(f.app.speed, 1);
  for (int i = 0; i < 100; i++)
    f.keys("}");
  EXPECT_EQ(f.app.speed, 100);
  for (int i = 0; i < 100; i++)
    f.keys("{");
  EXPECT_EQ(f.app.speed, 0.01);
  f.keys("9 9 9 9 9 9 ]");
  EXPECT_EQ(f.app.speed, 100);
  f.keys("Backspace");
  EXPECT_EQ(f.app.speed, 1);
  f.keys("L Space");
  app_tick(&f.app, f.now);
  f.keys("9 9 9 9 9 9 ]");
  app_tick(&f.app, f.now);
  ASSERT_TRUE(f.app.playing);
  EXPECT_GE(app_deadline(&f.app), f.now + 10) << "at most a frame's rate";
}

TEST(AppPlay, SleepIsNotPlaying) {
  FakeApp f;
  f.keys("Space");
  app_tick(&f.app, f.now);
  app_tick(&f.app, f.now + 3600000);
  EXPECT_LE(f.step(), 50);
}

TEST(AppPlay, OneStateEpisode) {
  FakeApp f;
  f.keys("> >");
  ASSERT_EQ(app_last_step(&f.app), 0);
  f.keys("L Space");
  app_tick(&f.app, f.now);
  play(f, 200);
  EXPECT_EQ(f.step(), 0);
  EXPECT_FALSE(f.app.playing);
  f.keys("n p End e E + - l l 5 0 % Up Down");
  EXPECT_EQ(f.step(), 0);
  expect_sound(&f.app);
}

/* --- events, marks, notes
 * ------------------------------------------------------------------------- */

TEST(AppEvents, Walk) {
  FakeApp f;
  f.keys("e");
  EXPECT_EQ(f.step(), 34) << "clipped steps are walked too";
  EXPECT_TRUE(has(f.said(), "at 34: clipped"));
  f.keys("e");
  EXPECT_EQ(f.step(), 102);
  EXPECT_TRUE(has(f.said(), "at 102: predicate true"));
  f.keys("e");
  EXPECT_TRUE(has(f.said(), "at 136: predicate broke"));
  f.keys("e e");
  EXPECT_EQ(f.step(), 272);
  EXPECT_TRUE(has(f.said(), "latch"));
  f.keys("e e");
  EXPECT_EQ(f.step(), 341);
  EXPECT_TRUE(has(f.said(), "no later event"));
  f.keys("E");
  EXPECT_EQ(f.step(), 272);
  f.keys("9 E");
  EXPECT_EQ(f.step(), 34);
  f.keys("r PgDn");
  EXPECT_EQ(f.step(), 34) << "any kind";
  EXPECT_TRUE(has(f.said(), "clipped"));
  f.keys("5 PgDn");
  EXPECT_EQ(f.step(), 341);
  f.keys("PgUp");
  EXPECT_EQ(f.step(), 272);
  EXPECT_TRUE(has(f.said(), "latch, clipped"));
  f.keys("5 0 Enter PgUp");
  EXPECT_EQ(f.step(), 34);
}

TEST(AppEvents, Kinds) {
  FakeApp f;
  f.line("event-kinds latch");
  f.keys("e");
  EXPECT_EQ(f.step(), 272);
  f.keys("e");
  EXPECT_TRUE(has(f.said(), "no later event of: latch"));
  f.line("event-kinds latsh");
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_TRUE(has(f.said(), "latch"));
  EXPECT_EQ(f.app.event_mask, 1u << EVENT_LATCH);
  f.line("event-kinds all");
  EXPECT_EQ(f.app.event_mask, (1u << EVENT_KIND_COUNT) - 1);
  f.keys("F");
  EXPECT_TRUE(f.app.prompt.open);
  EXPECT_STREQ(f.app.prompt.text, "event-kinds true broke latch end clipped warned finding");
  f.keys("Enter");
  EXPECT_EQ(f.app.event_mask, (1u << EVENT_KIND_COUNT) - 1);
  EXPECT_TRUE(has(f.said(), "true broke latch end clipped warned finding"));
  f.line("event-kinds broke");
  f.keys("r e");
  EXPECT_EQ(f.step(), 136);
  f.keys("F");
  EXPECT_STREQ(f.app.prompt.text, "event-kinds broke");
  EXPECT_TRUE(has(f.app.prompt.hint, "true broke latch end clipped warned finding all"));
}

TEST(AppMarks, SetAndJump) {
  FakeApp f;
  f.keys("4 2 Enter m");
  EXPECT_EQ(f.app.pending, CMD_MARK);
  EXPECT_TRUE(f.keys("x") & REACT_SAVE);
  f.keys("r '");
  EXPECT_TRUE(has(f.said(), "x 42"));
  f.keys("x");
  EXPECT_EQ(f.step(), 42);
  EXPECT_FALSE(f.keys("' b") & REACT_SEEK);
  EXPECT_TRUE(has(f.said(), "no mark b"));
  f.keys("m Esc");
  EXPECT_EQ(f.app.pending, CMD_NONE);
  EXPECT_EQ(f.sheet().nmarks, 1u);
  f.keys("m !");
  EXPECT_TRUE(f.app.message_bad);
  f.keys("m q");
  EXPECT_EQ(f.sheet().nmarks, 2u) << "q names a mark here";
  f.keys(">");
  f.keys("' x");
  EXPECT_TRUE(has(f.said(), "no mark x in this episode"));
  f.line("mark z");
  EXPECT_NE(ph_marks_find(&f.sheet(), "env001_ep000000", 'z'), nullptr);
}

TEST(AppMarks, Unmark) {
  FakeApp f;
  f.keys("4 2 Enter m x n m y");
  EXPECT_TRUE(f.line("unmark x") & REACT_SAVE);
  EXPECT_EQ(ph_marks_find(&f.sheet(), "env000_ep000000", 'x'), nullptr);
  ASSERT_NE(ph_marks_find(&f.sheet(), "env000_ep000000", 'y'), nullptr);
  EXPECT_EQ(ph_marks_find(&f.sheet(), "env000_ep000000", 'y')->step, 43);
  EXPECT_FALSE(f.line("unmark x") & REACT_SAVE);
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_TRUE(has(f.said(), "no mark x in this episode: y 43"));
  f.line("unmark");
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppMarks, Notes) {
  FakeApp f;
  f.keys("7 Enter");
  EXPECT_TRUE(f.line("note drawer jams here") & REACT_SAVE);
  ASSERT_NE(ph_marks_note_at(&f.sheet(), "env000_ep000000", 7), nullptr);
  EXPECT_STREQ(ph_marks_note_at(&f.sheet(), "env000_ep000000", 7)->text, "drawer jams here");
  EXPECT_TRUE(f.line("note") & REACT_SAVE);
  EXPECT_EQ(f.sheet().nnotes, 0u);
  EXPECT_FALSE(f.line("note") & REACT_SAVE);
  f.line("note \xff");
  EXPECT_TRUE(f.app.message_bad);
}

/* --- episodes and envs
 * ---------------------------------------------------------------------------- */

TEST(AppEpisodes, PreviousAndNext) {
  FakeApp f;
  f.keys("3 0 0 Enter + l >");
  EXPECT_EQ(f.app.want.episode, 1u);
  EXPECT_EQ(f.step(), 0);
  EXPECT_EQ(f.app.nundo, 0);
  EXPECT_EQ(f.app.loop_a, -1);
  EXPECT_EQ(f.app.zoom_first, -1);
  EXPECT_EQ(f.app.cursor[PANEL_EPISODES], 1);
  f.keys("9 9 >");
  EXPECT_EQ(f.app.want.episode, 4u);
  f.keys(">");
  EXPECT_TRUE(has(f.said(), "last episode"));
  f.keys("4 < <");
  EXPECT_EQ(f.app.want.episode, 0u);
  EXPECT_TRUE(has(f.said(), "first episode"));
}

TEST(AppEpisodes, StepIsClampedBeforeTheNewReelIsThere) {
  FakeApp f;
  f.keys("End");
  app_key(&f.app, '>', 9000); // not answered yet: the old reel is on show
  EXPECT_EQ(app_last_step(&f.app), 100);
  app_key(&f.app, KEY_END_, 9001);
  EXPECT_EQ(f.app.want.step, 100);
  expect_sound(&f.app);
}

TEST(AppEpisodes, Envs) {
  FakeApp f;
  f.keys("6 0 Enter )");
  EXPECT_EQ(f.app.want.episode, 1u) << "same number, next env";
  EXPECT_EQ(f.step(), 60) << "envs run in lockstep";
  f.keys("(");
  EXPECT_EQ(f.app.want.episode, 0u);
  f.keys("(");
  EXPECT_TRUE(has(f.said(), "env 0 is the first"));
  f.keys("2 )");
  EXPECT_EQ(f.app.want.episode, 0u);
  EXPECT_TRUE(has(f.said(), "env 2 has no episode 0"));
  f.keys("End )");
  EXPECT_EQ(f.step(), 100) << "clamped to the shorter one";
}

TEST(AppEpisodes, ByNameAndByThePanel) {
  FakeApp f;
  f.line("episode env002_ep000003");
  EXPECT_EQ(f.app.want.episode, 4u);
  f.line("episode 1");
  EXPECT_EQ(f.app.want.episode, 1u);
  f.line("episode env00");
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_TRUE(has(f.said(), "near: env000_ep000000"));
  f.app.focus = PANEL_EPISODES;
  f.app.cursor[PANEL_EPISODES] = 0;
  f.keys("j j j Enter");
  EXPECT_EQ(f.app.want.episode, 3u);
  f.keys("f");
  for (char c : std::string("trunc"))
    f.key((uint32_t)c);
  EXPECT_EQ(app_episode_lines(&f.app), 1);
  f.keys("Enter Enter");
  EXPECT_EQ(f.app.want.episode, 1u) << "Enter opens the line that the filter left";
  EXPECT_EQ(app_episode_at(&f.app, 1), SIZE_MAX);
  EXPECT_EQ(app_episode_at(&f.app, -1), SIZE_MAX);
}

// A screen of a large run: the catalog is the test's own.
static void take_many(FakeApp &f, size_t n) {
  auto *snap = fake_answer(f.app.want);
  catalog_unref(snap->catalog);
  snap->catalog = catalog_new(n);
  for (size_t i = 0; i < n; i++) {
    snprintf(fake_entry(snap->catalog, i)->id, 64, "env%03zu_ep%06zu", i % 4, i / 4);
    fake_entry(snap->catalog, i)->states = 100;
  }
  app_take(&f.app, snap);
}

TEST(AppEpisodes, TheFilterReadsWhatTheRowShows) {
  FakeApp f;
  auto *snap = fake_answer(f.app.want);
  for (size_t i = 0; i < snap->catalog->n; i++)
    fake_entry(snap->catalog, i)->success = i == 2 ? 0 : i == 4 ? -1 : 1;
  strcpy(fake_entry(snap->catalog, 3)->determinism, "bitwise");
  strcpy(fake_entry(snap->catalog, 1)->oddity, "cut short");
  app_take(&f.app, snap);
  f.app.focus = PANEL_EPISODES;
  const struct {
    const char *text;
    int lines;
    size_t first;
  } rows[] = {{"NO", 1, 2}, {"yes", 3, 0}, {"bitwise", 1, 3}, {"short", 1, 1}, {"env 1", 2, 1}};
  for (const auto &row : rows) {
    f.line((std::string("filter ") + row.text).c_str());
    EXPECT_EQ(app_episode_lines(&f.app), row.lines) << row.text;
    EXPECT_EQ(app_episode_at(&f.app, 0), row.first) << row.text;
  }
}

TEST(AppEpisodes, AFilterIsAppliedOncePerEntryHoweverManyThereAre) {
  enum { N = 20000 };
  FakeApp f;
  take_many(f, N);
  f.app.focus = PANEL_EPISODES;
  uint64_t before = f.app.entries_read;
  f.line("filter env");
  EXPECT_EQ(f.app.entries_read - before, N);
  EXPECT_EQ(app_episode_lines(&f.app), N);
  surface s = {};
  for (int i = 0; i < 20; i++) {
    app_key(&f.app, '>', 5000);
    app_key(&f.app, 'j', 5001);
    app_resize(&f.app, 40 + i, 120);
    app_draw(&f.app, &s);
  }
  EXPECT_EQ(f.app.want.episode, 20u);
  EXPECT_EQ(f.app.cursor[PANEL_EPISODES], 21);
  EXPECT_EQ(f.app.entries_read - before, N) << "lines are not searched for";
  f.line("filter env001");
  EXPECT_EQ(app_episode_lines(&f.app), N / 4);
  EXPECT_EQ(app_episode_at(&f.app, 7), 29u);
  EXPECT_EQ(f.app.entries_read - before, 2 * N);
  f.app.want.episode = 0; // the fake reels are few
  take_many(f, 8);
  EXPECT_EQ(app_episode_lines(&f.app), 2) << "another catalog is filtered anew";
  EXPECT_EQ(app_episode_at(&f.app, 1), 5u);
  EXPECT_EQ(app_episode_at(&f.app, 2), SIZE_MAX);
  f.keys("Esc");
  EXPECT_EQ(app_episode_lines(&f.app), 8);
  surface_free(&s);
}

/* --- panels
 * --------------------------------------------------------------------------------------- */

TEST(AppPanels, TabWalksThemAllAndBack) {
  FakeApp f;
  std::set<int> seen;
  enum panel_id start = f.app.focus;
  std::vector<int> order;
  do {
    seen.insert(f.app.focus);
    order.push_back(f.app.focus);
    f.keys("Tab");
  } while (f.app.focus != start && order.size() < 20);
  EXPECT_EQ(seen.size(), order.size());
  EXPECT_GE(seen.size(), 4u);
  EXPECT_TRUE(seen.count(PANEL_TIMELINE) && seen.count(PANEL_STATE));
  f.keys("S-Tab");
  EXPECT_EQ(f.app.focus, order.back());
}

TEST(AppPanels, APanelWithoutRoomIsShownAlone) {
  FakeApp f;
  for (int rows : {6, 10, 16, 24, 40})
    for (int cols : {20, 60, 80, 120}) {
      app_resize(&f.app, rows, cols);
      std::set<int> seen;
      for (int i = 0; i < 6; i++) {
        const struct rect *r = &f.app.layout.panel[f.app.focus];
        EXPECT_TRUE(r->h > 0 && r->w > 0) << rows << "x" << cols << " " << f.app.focus;
        seen.insert(f.app.focus);
        f.keys("Tab");
      }
      EXPECT_EQ(seen.size(), 6u) << rows << "x" << cols;
    }
  app_resize(&f.app, 14, 80);
  while (f.app.focus != PANEL_LOG)
    f.keys("Tab");
  EXPECT_TRUE(f.app.crowded);
  f.keys("z");
  EXPECT_EQ(f.app.focus, PANEL_TIMELINE);
  EXPECT_FALSE(f.app.crowded);
  f.keys("S-Tab");
  EXPECT_EQ(f.app.focus, PANEL_LOG);
  app_resize(&f.app, 60, 200);
  EXPECT_FALSE(f.app.crowded) << "there is room now";
  EXPECT_EQ(f.app.focus, PANEL_LOG);
  app_resize(&f.app, 14, 80);
  EXPECT_TRUE(f.app.crowded);
  f.keys("Esc");
  EXPECT_EQ(f.app.focus, PANEL_TIMELINE);
}

TEST(AppPanels, KeysOfMovementScrollTheHelp) {
  FakeApp f;
  app_resize(&f.app, 24, 80);
  f.keys("1 0 0 Enter ? PgDn");
  EXPECT_EQ(f.step(), 100);
  EXPECT_EQ(f.app.cursor[PANEL_HELP], f.app.layout.panel[PANEL_HELP].h - 2);
  f.keys("Down");
  EXPECT_EQ(f.app.cursor[PANEL_HELP], f.app.layout.panel[PANEL_HELP].h - 1);
  f.keys("End PgUp Up");
  EXPECT_GT(f.app.cursor[PANEL_HELP], 0);
  f.keys("Home");
  EXPECT_EQ(f.app.cursor[PANEL_HELP], 0);
  EXPECT_EQ(f.step(), 100);
  f.keys("q PgUp");
  EXPECT_EQ(f.step(), 34) << "the playhead again, once it is closed";
}

TEST(AppPanels, KeysMayCarryArguments) {
  FakeApp f;
  f.line("bind w go 50%");
  EXPECT_FALSE(f.app.message_bad) << f.said();
  f.keys("w");
  EXPECT_EQ(f.step(), 170);
  f.line("bind x step-forward 5");
  f.keys("x");
  EXPECT_EQ(f.step(), 175);
  f.keys("3 x");
  EXPECT_EQ(f.step(), 178) << "a number that is typed is the count";
  f.keys("2 w");
  EXPECT_EQ(f.step(), 170) << "no 2g";
  f.line("bind w mark a");
  f.keys("w");
  EXPECT_EQ(f.sheet().nmarks, 1u);
}

TEST(AppPanels, CursorStaysInside) {
  FakeApp f;
  f.app.focus = PANEL_STATE;
  f.keys("9 9 9 j");
  EXPECT_GE(f.app.cursor[PANEL_STATE], 0);
  EXPECT_LE(f.app.cursor[PANEL_STATE], 20);
  f.keys("9 9 9 9 9 9 9 9 9 9 9 9 9 k");
  EXPECT_EQ(f.app.cursor[PANEL_STATE], 0);
  EXPECT_EQ(f.app.scroll[PANEL_STATE], 0);
}

TEST(AppPanels, ZoomFilterHelpAndEsc) {
  FakeApp f;
  f.app.focus = PANEL_STATE;
  f.keys("z");
  EXPECT_EQ(f.app.zoomed, PANEL_STATE);
  f.keys("Tab");
  EXPECT_EQ(f.app.zoomed, (int)f.app.focus) << "Tab shows the next panel alone";
  f.keys("Esc");
  EXPECT_EQ(f.app.zoomed, -1);
  f.app.focus = PANEL_STATE;
  f.keys("f x y Enter");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "xy");
  f.keys("f z Esc");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "xy") << "Esc puts the old one back";
  f.keys("f q C-c");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "xy");
  EXPECT_FALSE(f.app.filtering);
  f.keys("Esc");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "");
  f.keys("?");
  EXPECT_TRUE(f.app.help);
  EXPECT_EQ(app_active(&f.app), PANEL_HELP);
  EXPECT_FALSE(f.keys("q") & REACT_QUIT) << "q closes the help first";
  EXPECT_FALSE(f.app.help);
  f.keys("F1 F1 ? Esc");
  EXPECT_FALSE(f.app.help);
  f.line(("filter " + std::string(200, 'x')).c_str());
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppPanels, LongFilterIsCutBetweenCharacters) {
  FakeApp f;
  f.app.focus = PANEL_STATE;
  f.keys("f");
  for (int i = 0; i < 100; i++)
    f.key(U'€');
  EXPECT_EQ(strlen(f.app.filter[PANEL_STATE]), 63u);
  f.key('x');
  EXPECT_EQ(strlen(f.app.filter[PANEL_STATE]) % 3, 0u);
}

TEST(AppPanels, EnterOnTheTimelineIsOneStepOn) {
  FakeApp f;
  f.app.focus = PANEL_TIMELINE;
  f.keys("Space Enter");
  EXPECT_EQ(f.step(), 1);
  EXPECT_FALSE(f.app.playing);
  f.app.focus = PANEL_STATE;
  f.keys("Enter");
  EXPECT_EQ(f.step(), 1);
}

TEST(AppPanels, TimeZoomStaysAroundThePlayhead) {
  FakeApp f;
  f.keys("2 0 0 Enter +");
  EXPECT_EQ(f.app.zoom_last - f.app.zoom_first, 170);
  f.keys("+ + + + + + + +");
  EXPECT_EQ(f.app.zoom_last - f.app.zoom_first, 8);
  f.keys("End");
  EXPECT_EQ(f.app.zoom_last, 341);
  expect_sound(&f.app);
  f.keys("r");
  EXPECT_EQ(f.app.zoom_first, 0);
  f.keys("9 9 -");
  EXPECT_EQ(f.app.zoom_first, -1);
}

/* --- the program
 * ---------------------------------------------------------------------------------- */

TEST(AppProgram, QuitRememberSuspendRedraw) {
  FakeApp f;
  EXPECT_TRUE(f.keys("C-l") & REACT_REPAINT);
  EXPECT_TRUE(f.keys("C-z") & REACT_SUSPEND);
  EXPECT_EQ(f.keys("q") & (REACT_QUIT | REACT_SAVE), (unsigned)REACT_QUIT);
  f.keys("5 5 Enter");
  EXPECT_EQ(f.keys("Q") & (REACT_QUIT | REACT_SAVE), (unsigned)(REACT_QUIT | REACT_SAVE));
  EXPECT_TRUE(f.sheet().last.set);
  EXPECT_EQ(f.sheet().last.step, 55);
  EXPECT_STREQ(f.sheet().last.episode, "env000_ep000000");
}

TEST(AppProgram, CtrlCTwiceQuitsOnceCancels) {
  FakeApp f;
  f.keys("Space 1 2");
  EXPECT_FALSE(f.keys("C-c") & REACT_QUIT);
  EXPECT_FALSE(f.app.playing);
  EXPECT_STREQ(f.app.digits, "");
  f.keys("n");
  EXPECT_FALSE(f.keys("C-c") & REACT_QUIT) << "a key between is not twice";
  f.now += 5000;
  EXPECT_FALSE(f.keys("C-c") & REACT_QUIT) << "five seconds later neither";
  EXPECT_TRUE(f.keys("C-c") & REACT_QUIT);
  FakeApp g;
  g.keys(": q u i t C-c");
  EXPECT_FALSE(g.app.prompt.open);
  g.keys("m C-c");
  EXPECT_EQ(g.app.pending, CMD_NONE);
}

TEST(AppProgram, PromptRunsBindsAndSets) {
  FakeApp f;
  f.keys(": 1 2 Enter");
  EXPECT_EQ(f.step(), 12);
  f.line("bind t last");
  f.keys("t");
  EXPECT_EQ(f.step(), 341);
  f.line("unbind t");
  f.keys("r t");
  EXPECT_EQ(f.step(), 0);
  EXPECT_TRUE(has(f.said(), "the key t is free"));
  f.line("set scheme light");
  EXPECT_EQ(f.app.scheme, SCHEME_LIGHT);
  f.line("set ascii on");
  EXPECT_TRUE(f.app.ascii);
  f.line("set speed 0.5");
  EXPECT_EQ(f.app.speed, 0.5);
  for (const char *bad : {"set",
                          "set speed",
                          "set speed nan",
                          "set speed -1",
                          "set speed 1e9",
                          "set ascii",
                          "set ascii maybe",
                          "set scheme red",
                          "set sped 1",
                          "set speed 1 2",
                          "bind x",
                          "bind x stepp-forward",
                          "unbind",
                          "quit now",
                          "step-forward x",
                          "quti",
                          "step-forward 0",
                          "event-kinds ,",
                          "mark",
                          "jump ab"}) {
    f.app.message_bad = false;
    unsigned react = f.line(bad);
    EXPECT_FALSE(react & (REACT_QUIT | REACT_SEEK | REACT_SAVE)) << bad;
    EXPECT_FALSE(has(f.said(), "\n"));
    EXPECT_FALSE(f.said().empty()) << bad;
    if (strcmp(bad, "mark") != 0) {
      EXPECT_TRUE(f.app.message_bad) << bad;
    }
    f.app.pending = CMD_NONE;
  }
  EXPECT_EQ(f.app.speed, 0.5);
  f.line("stpe-forward");
  EXPECT_TRUE(has(f.said(), "near: step-forward")) << f.said();
  EXPECT_EQ(f.line("   "), 0u);
  f.line(std::string(5000, 'x').c_str());
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppProgram, WhatIsPastedIsForThePromptAlone) {
  FakeApp f;
  auto paste = [&f](const char *text) {
    unsigned react = 0;
    for (; *text; text++)
      react |= f.key((uint32_t)*text | KEY_PASTED_);
    return react;
  };
  EXPECT_EQ(paste("q5n:"), 0u);
  EXPECT_FALSE(f.app.prompt.open);
  EXPECT_STREQ(f.app.digits, "");
  f.keys("m");
  paste("x");
  EXPECT_EQ(f.app.pending, CMD_MARK) << "a paste names no mark";
  f.keys("Esc : g o Space");
  paste("21");
  f.keys("Left Left");
  paste("3");
  EXPECT_STREQ(f.app.prompt.text, "go 321");
  f.keys("Enter");
  EXPECT_EQ(f.step(), 321);
  f.app.focus = PANEL_STATE;
  f.keys("f");
  paste("joint_1");
  EXPECT_STREQ(f.app.filter[PANEL_STATE], "joint_1");
}

TEST(AppProgram, BoundKeyMayReplaceAnyButEscAndCtrlC) {
  FakeApp f;
  f.line("bind q first");
  EXPECT_FALSE(f.keys("q") & REACT_QUIT);
  f.line("unbind Esc");
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppProgram, CopyIsAKeyThatGivesTheBitsBack) {
  FakeApp f;
  f.keys("3 Enter");
  f.app.snap->qpos[0] = 0.1 + 0.2;
  f.app.snap->qpos[1] = -0.0;
  strcpy(f.app.snap->reel->meta.id, "a\"<b");
  EXPECT_TRUE(f.keys("y") & REACT_COPY);
  ASSERT_TRUE(f.app.copy);
  std::string text = f.app.copy;
  EXPECT_EQ(text,
            "<key name=\"a__b@3\" time=\"0.059999999999999998\" qpos=\"0.30000000000000004 -0\" "
            "qvel=\"0 0\" ctrl=\"0\"/>");
  f.app.snap->has_frame = false;
  f.key('y');
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppProgram, WithoutAnEpisodeNothingBreaks) {
  FakeApp f(false);
  EXPECT_EQ(app_last_step(&f.app), 0);
  for (int i = 0; i < CMD_COUNT; i++) {
    app_apply(&f.app, (enum command)i, 3, "");
    app_apply(&f.app, (enum command)i, 0, "x");
    f.app.pending = CMD_NONE;
    f.app.prompt.open = f.app.filtering = false;
  }
  EXPECT_EQ(f.app.want.step, 0);
  app_tick(&f.app, 5000);
  EXPECT_FALSE(f.app.playing);
  struct surface s = {};
  app_draw(&f.app, &s);
  surface_free(&s);
}

TEST(AppProgram, ErrorsOfSnapshotsAreLoggedOnce) {
  FakeApp f;
  int lines = f.app.nlog;
  for (int i = 0; i < 3; i++) {
    struct snapshot *snap = fake_answer(f.app.want);
    snap->has_frame = false;
    strcpy(snap->error, "a.h5: states: block 3: checksum");
    app_take(&f.app, snap);
  }
  EXPECT_EQ(f.app.nlog, lines + 1);
  EXPECT_TRUE(f.app.message_bad);
  f.keys("n n 5 0 Enter");
  EXPECT_EQ(f.step(), 50) << "the screen stays usable";
}

TEST(AppProgram, AStepThatMemoryIsShortForIsSaid) {
  FakeApp f;
  f.keys("Space");
  app_key(&f.app, 'e', 5000); // never answered
  int lines = f.app.nlog;
  EXPECT_TRUE(app_starve(&f.app) & REACT_REDRAW);
  EXPECT_EQ(f.app.nlog, lines + 1);
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_TRUE(has(f.said(), "step 34: out of memory")) << f.said();
  EXPECT_FALSE(f.app.playing) << "it would say so at each step";
}

TEST(AppProgram, LogIsARing) {
  FakeApp f;
  for (int i = 0; i < 1000; i++)
    app_log(&f.app, false, "line %d", i);
  EXPECT_EQ(f.app.nlog, 1000);
  EXPECT_STREQ(f.app.log[999 % APP_LOG_LINES], "line 999");
  app_log(&f.app, true, "%s", std::string(5000, 'x').c_str());
  EXPECT_LT(strlen(f.app.message), sizeof f.app.message);
}

/* --- every command is used
 * ------------------------------------------------------------------------ */

// What each command must do at step 100 of the first episode: a reaction and a change.
static const struct {
  enum command cmd;
  const char *args;
  bool (*holds)(const FakeApp &, unsigned react);
} effects[] = {
    {CMD_STEP_FORWARD, "2", [](const FakeApp &f, unsigned) { return f.step() == 102; }},
    {CMD_STEP_BACK, "", [](const FakeApp &f, unsigned) { return f.step() == 99; }},
    {CMD_GO, "7", [](const FakeApp &f, unsigned) { return f.step() == 7; }},
    {CMD_FIRST, "", [](const FakeApp &f, unsigned) { return f.step() == 0; }},
    {CMD_LAST, "", [](const FakeApp &f, unsigned) { return f.step() == 341; }},
    {CMD_SECOND_FORWARD, "", [](const FakeApp &f, unsigned) { return f.step() == 150; }},
    {CMD_SECOND_BACK, "2", [](const FakeApp &f, unsigned) { return f.step() == 0; }},
    {CMD_EVENT_PREVIOUS_ANY, "", [](const FakeApp &f, unsigned) { return f.step() == 34; }},
    {CMD_EVENT_NEXT_ANY, "", [](const FakeApp &f, unsigned) { return f.step() == 102; }},
    {CMD_EVENT_NEXT, "", [](const FakeApp &f, unsigned) { return f.step() == 102; }},
    {CMD_EVENT_PREVIOUS, "", [](const FakeApp &f, unsigned) { return f.step() == 34; }},
    {CMD_EVENT_KINDS, "end",
     [](const FakeApp &f, unsigned) { return f.app.event_mask == 1u << EVENT_END; }},
    {CMD_UNDO, "", [](const FakeApp &f, unsigned) { return f.step() == 0; }},
    {CMD_PLAY, "", [](const FakeApp &f, unsigned) { return f.app.playing; }},
    {CMD_FASTER, "", [](const FakeApp &f, unsigned) { return f.app.speed > 1; }},
    {CMD_SLOWER, "", [](const FakeApp &f, unsigned) { return f.app.speed < 1; }},
    {CMD_DOUBLE, "", [](const FakeApp &f, unsigned) { return f.app.speed == 2; }},
    {CMD_HALF, "", [](const FakeApp &f, unsigned) { return f.app.speed == 0.5; }},
    {CMD_NORMAL_SPEED, "", [](const FakeApp &f, unsigned) { return f.app.speed == 1; }},
    {CMD_REVERSE, "", [](const FakeApp &f, unsigned) { return f.app.backwards; }},
    {CMD_LOOP, "", [](const FakeApp &f, unsigned) { return f.app.loop_a == 100; }},
    {CMD_LOOP_ALL, "", [](const FakeApp &f, unsigned) { return f.app.loop_all; }},
    {CMD_MARK, "a",
     [](const FakeApp &f, unsigned r) { return f.sheet().nmarks == 1 && (r & REACT_SAVE); }},
    {CMD_UNMARK, "a", [](const FakeApp &f, unsigned) { return has(f.said(), "no mark a"); }},
    {CMD_JUMP, "a", [](const FakeApp &f, unsigned) { return has(f.said(), "no mark a"); }},
    {CMD_NOTE, "hm",
     [](const FakeApp &f, unsigned r) { return f.sheet().nnotes == 1 && (r & REACT_SAVE); }},
    {CMD_EPISODE_PREVIOUS, "",
     [](const FakeApp &f, unsigned) { return has(f.said(), "first episode"); }},
    {CMD_EPISODE_NEXT, "", [](const FakeApp &f, unsigned) { return f.app.want.episode == 1; }},
    {CMD_EPISODE, "3", [](const FakeApp &f, unsigned) { return f.app.want.episode == 3; }},
    {CMD_GROUP, "", [](const FakeApp &f, unsigned) { return has(f.said(), "no groups"); }},
    {CMD_ENV_PREVIOUS, "", [](const FakeApp &f, unsigned) { return has(f.said(), "first"); }},
    {CMD_ENV_NEXT, "",
     [](const FakeApp &f, unsigned) { return f.app.want.episode == 1 && f.step() == 100; }},
    {CMD_PANEL_NEXT, "", [](const FakeApp &f, unsigned) { return f.app.focus != PANEL_TIMELINE; }},
    {CMD_PANEL_PREVIOUS, "",
     [](const FakeApp &f, unsigned) { return f.app.focus != PANEL_TIMELINE; }},
    {CMD_DOWN, "", [](const FakeApp &, unsigned r) { return (r & REACT_REDRAW) != 0; }},
    {CMD_UP, "", [](const FakeApp &, unsigned r) { return (r & REACT_REDRAW) != 0; }},
    {CMD_ENTER, "", [](const FakeApp &f, unsigned) { return f.step() == 101; }},
    {CMD_ZOOM, "",
     [](const FakeApp &f, unsigned r) {
       return f.app.zoomed == PANEL_TIMELINE && (r & REACT_RELAYOUT);
     }},
    {CMD_FILTER, "arm",
     [](const FakeApp &f, unsigned) { return !strcmp(f.app.filter[PANEL_TIMELINE], "arm"); }},
    {CMD_PLOT, "joint_1",
     [](const FakeApp &f, unsigned r) { return f.app.want.plot.n == 1 && (r & REACT_SEEK); }},
    {CMD_TIME_IN, "",
     [](const FakeApp &f, unsigned) { return f.app.zoom_last == f.app.zoom_first + 170; }},
    {CMD_TIME_OUT, "", [](const FakeApp &f, unsigned) { return f.app.zoom_first == -1; }},
    {CMD_PROMPT, "", [](const FakeApp &f, unsigned) { return f.app.prompt.open; }},
    {CMD_BIND, "t last",
     [](const FakeApp &f, unsigned) { return keymap_find(&f.app.keys, 't') == CMD_LAST; }},
    {CMD_UNBIND, "q",
     [](const FakeApp &f, unsigned) { return keymap_find(&f.app.keys, 'q') == CMD_NONE; }},
    {CMD_SET, "ascii on", [](const FakeApp &f, unsigned) { return f.app.ascii; }},
    {CMD_COPY, "", [](const FakeApp &f, unsigned r) { return f.app.copy && (r & REACT_COPY); }},
    {CMD_HELP, "", [](const FakeApp &f, unsigned) { return f.app.help; }},
    {CMD_CANCEL, "",
     [](const FakeApp &f, unsigned r) { return !f.app.help && (r & REACT_REDRAW); }},
    {CMD_INTERRUPT, "",
     [](const FakeApp &f, unsigned r) { return f.app.cancel_at && !(r & REACT_QUIT); }},
    {CMD_REDRAW, "", [](const FakeApp &, unsigned r) { return (r & REACT_REPAINT) != 0; }},
    {CMD_SUSPEND, "", [](const FakeApp &, unsigned r) { return (r & REACT_SUSPEND) != 0; }},
    {CMD_QUIT, "", [](const FakeApp &, unsigned r) { return (r & REACT_QUIT) != 0; }},
    {CMD_QUIT_REMEMBER, "",
     [](const FakeApp &f, unsigned r) { return f.sheet().last.step == 100 && (r & REACT_QUIT); }},
};

TEST(AppCommands, EachHasItsEffect) {
  std::set<int> seen;
  for (const auto &effect : effects) {
    FakeApp f;
    f.app.focus = PANEL_TIMELINE;
    f.keys("1 0 0 Enter");
    f.now += 5000;
    std::string line = std::string(command_info(effect.cmd)->name) + " " + effect.args;
    unsigned react = f.line(line.c_str());
    EXPECT_TRUE(effect.holds(f, react)) << line << ": " << f.said();
    EXPECT_TRUE(seen.insert(effect.cmd).second);
  }
  for (int i = 0; i < CMD_COUNT; i++)
    EXPECT_TRUE(seen.count(i)) << command_info((enum command)i)->name << " is used by no test";
}

/* --- a storm of keys
 * ------------------------------------------------------------------------------ */

static uint32_t random_key(std::mt19937 &random) {
  static const char common[] = "nnnpp.,eEFlLmu'<>()+-jkzfgG%[]{}aRr?:yQq0123456789 /xab";
  switch (random() % 8) {
  case 0:
    return KEY_SPECIAL_ + random() % (KEY_LIMIT_ - KEY_SPECIAL_);
  case 1:
    return 1 + random() % 31;
  case 2:
    return 1 + random() % 0x2fff;
  case 3:
    return random() % 3 ? KEY_ENTER_ : KEY_ESC_;
  default:
    return (unsigned char)common[random() % (sizeof common - 1)];
  }
}

// Any key, size, tick or late answer at any moment: the app stays consistent and draws.
TEST(AppStorm, RandomKeysAndResizesLeaveItConsistent) {
  const char *wanted = getenv("PLAYHEAD_STORM");
  int count = wanted ? atoi(wanted) : 100000;
  std::mt19937 random(20260101);
  FakeApp f;
  struct surface s = {};
  request late = f.app.want;
  for (int i = 0; i < count; i++) {
    f.now += random() % 300;
    switch (random() % 16) {
    case 0:
      app_resize(&f.app, 1 + (int)(random() % 70), 1 + (int)(random() % 200));
      break;
    case 1:
      app_tick(&f.app, f.now);
      break;
    case 2:
      app_take(&f.app, fake_answer(late));
      break;
    case 3:
      late = f.app.want;
      break;
    default: {
      unsigned react = app_key(&f.app, random_key(random), f.now);
      if ((react & REACT_SEEK) && random() % 3)
        f.answer();
    }
    }
    expect_sound(&f.app);
    if (::testing::Test::HasFatalFailure())
      FAIL() << "after " << i;
    if (i % 10 == 0) {
      app_draw(&f.app, &s);
      ASSERT_EQ(s.rows, f.app.rows);
      ASSERT_EQ(s.cols, f.app.cols);
    }
    if (f.sheet().nnotes > 1000)
      ph_marks_clear(const_cast<ph_marks *>(&f.sheet()));
  }
  surface_free(&s);
}
