// Playback, its speed, loops.

#include <algorithm>
#include <vector>

#include "app_help.h"

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
