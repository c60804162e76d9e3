// Steps, counts, places, undo.

#include "app_help.h"

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
  for (const char *bad : {"go x", "go -3", "go 1.5", "go 1.2.3s", "go 5 5", "213+x", "go 5ss",
                          "go s", "go 0x10", "go nan", "go .5s"}) {
    f.line(bad);
    EXPECT_EQ(f.step(), 85) << bad;
    EXPECT_TRUE(f.app.message_bad) << bad;
    EXPECT_TRUE(has(f.said(), "expected a step (213)")) << f.said();
  }
  f.line("213+4");
  EXPECT_EQ(f.step(), 85);
  EXPECT_TRUE(has(f.said(), "213+4: recorded states have no substeps")) << f.said();
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
