// Commands about physics run again: what they wish for, and what they refuse.

#include "app_help.h"

extern "C" {
#include "dynamic_view.h"
}

// An app whose answers hold a dynamic frame, in B.
struct DynApp : FakeApp {
  bool refused = false;
  DynApp() {
    app.want.dyn.mode = MODE_BOTH;
    reply();
  }
  void reply() {
    struct snapshot *snap = fake_answer(app.want);
    snap->reel->meta.dims.control_steps = 10;
    snap->dyn = zeroed<struct dynamic_answer>();
    snap->dyn->control_steps = 10;
    snap->dyn->step = snap->step;
    snap->dyn->substep = app.want.dyn.substep;
    snap->dyn->has_frame = true;
    if (refused)
      strcpy(snap->dyn->refused, "STATES ONLY: no actions");
    app_take(&app, snap);
  }
  unsigned press(const char *names) {
    unsigned react = 0;
    std::string copy = names;
    char *rest = nullptr;
    for (char *name = strtok_r(copy.data(), " ", &rest); name;
         name = strtok_r(nullptr, " ", &rest)) {
      now += 20;
      react = app_key(&app, key_from_name(name), now);
      if (react & REACT_SEEK)
        reply();
    }
    return react;
  }
  unsigned say(const char *text) {
    unsigned react = app_line(&app, text);
    if (react & REACT_SEEK)
      reply();
    return react;
  }
  int substep() const { return app.want.dyn.substep; }
};

TEST(AppDynamic, ModesAreAskedForAndKeepTheStep) {
  DynApp f;
  f.press("5 0 Enter D");
  EXPECT_EQ(f.app.want.dyn.mode, MODE_DYNAMIC);
  f.press("s s s");
  EXPECT_EQ(f.step(), 50);
  EXPECT_EQ(f.substep(), 3);
  EXPECT_TRUE(f.press("K") & REACT_SEEK);
  EXPECT_EQ(f.app.want.dyn.mode, MODE_KINEMATIC);
  EXPECT_EQ(f.substep(), 0) << "recorded states have none";
  EXPECT_EQ(f.step(), 50);
  f.press("s");
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_EQ(f.substep(), 0);
}

TEST(AppDynamic, SubstepsCrossStepsInBothDirections) {
  DynApp f;
  f.press("5 0 Enter 1 3 s");
  EXPECT_EQ(f.step(), 51);
  EXPECT_EQ(f.substep(), 3);
  f.press("4 S");
  EXPECT_EQ(f.step(), 50);
  EXPECT_EQ(f.substep(), 9);
  f.press("n");
  EXPECT_EQ(f.step(), 51) << "on from within a step is to its end";
  EXPECT_EQ(f.substep(), 0);
  f.press("s p");
  EXPECT_EQ(f.step(), 51) << "back is to where it began";
  EXPECT_EQ(f.substep(), 0);
  f.press("r S");
  EXPECT_EQ(f.step(), 0);
  EXPECT_EQ(f.substep(), 0);
  f.press("End s");
  EXPECT_EQ(f.step(), 341);
  EXPECT_EQ(f.substep(), 0) << "no action follows the last state";
  f.press("9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 S");
  EXPECT_EQ(f.step(), 0);
}

TEST(AppDynamic, GoToASubstep) {
  DynApp f;
  f.say("go 213+4");
  EXPECT_EQ(f.step(), 213);
  EXPECT_EQ(f.substep(), 4);
  f.say("213+0");
  EXPECT_EQ(f.substep(), 0);
  for (const char *bad : {"go 213+10", "go 213+", "go +4", "go 213+4+1", "go 341+1", "go 400+1",
                          "go 213+99999999999", "go 213+x", "go 99999999999999999999+1"}) {
    f.app.message_bad = false;
    f.say(bad);
    EXPECT_EQ(f.step(), 213) << bad;
    EXPECT_EQ(f.substep(), 0) << bad;
    EXPECT_TRUE(f.app.message_bad) << bad;
  }
  f.press("K");
  f.say("go 213+4");
  EXPECT_TRUE(has(f.said(), "D or B")) << f.said();
}

TEST(AppDynamic, UndoGoesBackToTheSubstep) {
  DynApp f;
  f.say("go 100+7");
  f.press("3 0 0 Enter u");
  EXPECT_EQ(f.step(), 100);
  EXPECT_EQ(f.substep(), 7);
  EXPECT_TRUE(has(f.said(), "back from 300 to 100+7")) << f.said();
  f.press("u");
  EXPECT_EQ(f.step(), 0);
}

TEST(AppDynamic, PlaybackTakesWholeSteps) {
  DynApp f;
  f.say("go 100+7");
  f.press("Space");
  app_tick(&f.app, f.now);
  for (int i = 0; i < 100; i++) {
    f.now += 10;
    if (app_tick(&f.app, f.now) & REACT_SEEK)
      f.reply();
    if (f.step() > 100) {
      ASSERT_EQ(f.substep(), 0);
    }
  }
  EXPECT_EQ(f.step(), 150);
}

TEST(AppDynamic, AnchorHereAndAtZeroAgain) {
  DynApp f;
  f.press("1 0 0 Enter x");
  EXPECT_EQ(f.app.want.dyn.anchor, 100);
  f.press("x");
  EXPECT_EQ(f.app.want.dyn.anchor, 0);
  f.say("anchor 12");
  EXPECT_EQ(f.app.want.dyn.anchor, 12);
  f.press("r x");
  EXPECT_EQ(f.app.want.dyn.anchor, 0);
  f.press("End x");
  EXPECT_TRUE(f.app.message_bad) << "nothing follows the last state";
  for (const char *bad : {"anchor -1", "anchor x", "anchor 342", "anchor 1 2"}) {
    f.app.message_bad = false;
    f.say(bad);
    EXPECT_TRUE(f.app.message_bad) << bad;
    EXPECT_EQ(f.app.want.dyn.anchor, 0) << bad;
  }
}

TEST(AppDynamic, ToleranceIsReadOverWhatIsThere) {
  DynApp f;
  f.say("tol pos=0.25");
  f.say("tol rot=0.5");
  EXPECT_EQ(f.app.want.dyn.tolerance.of[PH_MEASURE_JOINT_PLACE], 0.25);
  EXPECT_EQ(f.app.want.dyn.tolerance.of[PH_MEASURE_JOINT_ANGLE], 0.5);
  EXPECT_FALSE(f.say("tol wrong=1") & REACT_SEEK);
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_EQ(f.app.want.dyn.tolerance.of[PH_MEASURE_JOINT_PLACE], 0.25);
  f.say("tol default");
  ph_tolerance usual = ph_tolerance_default();
  EXPECT_EQ(memcmp(&f.app.want.dyn.tolerance, &usual, sizeof usual), 0);
  f.say("tol");
  EXPECT_TRUE(has(f.said(), "1 mm")) << f.said();
}

TEST(AppDynamic, BranchesInWords) {
  DynApp f;
  f.press("1 0 0 Enter");
  f.say("branch recorded zero timestep=0.001 friction=x0.5");
  const branch_wish &b = f.app.want.dyn.branch;
  EXPECT_EQ(b.serial, 1u);
  EXPECT_EQ(b.at, 100);
  EXPECT_FALSE(b.dynamic);
  EXPECT_EQ(b.feed, PH_FEED_ZERO);
  EXPECT_EQ(b.nchanges, 2u);
  f.say("branch held");
  EXPECT_EQ(b.serial, 2u);
  EXPECT_TRUE(b.dynamic) << "in B it leaves the dynamic state";
  EXPECT_EQ(b.feed, PH_FEED_HELD);
  EXPECT_EQ(b.nchanges, 0u);
  f.say("branch recorded recorded");
  EXPECT_FALSE(b.dynamic);
  EXPECT_EQ(b.feed, PH_FEED_RECORDED);
  for (const char *bad : {"branch sideways", "branch held zero", "branch nothing=1",
                          "branch timestep=x", "branch =1", "branch save"}) {
    f.app.message_bad = false;
    EXPECT_FALSE(f.say(bad) & REACT_SEEK) << bad;
    EXPECT_TRUE(f.app.message_bad) << bad;
    EXPECT_EQ(b.serial, 3u) << bad;
  }
  f.say("branch save out.h5");
  EXPECT_EQ(b.saves, 1u);
  EXPECT_STREQ(b.save, "out.h5");
  f.press("Esc");
  EXPECT_EQ(b.unsaved, 0u) << "nothing is on its way";
  strcpy(f.app.snap->dyn->saving, "writing out.h5: 3/300");
  f.press("Esc");
  EXPECT_EQ(b.unsaved, 1u) << "Esc gives up what is on its way";
  f.say("branch off");
  EXPECT_EQ(b.serial, 0u);
  EXPECT_EQ(b.saves, 1u) << "what was saved is not saved again";
  f.say("branch save late.h5");
  EXPECT_TRUE(f.app.message_bad);
  f.say("branch held");
  EXPECT_EQ(b.serial, 4u) << "a serial never comes twice";
}

TEST(AppDynamic, AnAnchorIsOfTheEpisodeOnShow) {
  DynApp f;
  f.say("anchor 12");
  EXPECT_EQ(strstr(f.app.message, "other envs"), nullptr) << f.app.message;
  f.app.want.envs.n = 4;
  f.say("anchor 12");
  EXPECT_NE(strstr(f.app.message, "those of the other envs from step 0"), nullptr) << f.app.message;
}

// The last way out of a branch that is nowhere but here: it is asked for twice.
TEST(AppDynamic, QuitDropsNoBranchOnItsWayIntoAFileUnasked) {
  for (const char *key : {"q", "Q"}) {
    DynApp f;
    f.say("branch held");
    f.say("branch save out.h5");
    EXPECT_FALSE(f.press(key) & REACT_QUIT) << key;
    EXPECT_TRUE(f.app.message_bad);
    EXPECT_NE(strstr(f.app.message, "out.h5"), nullptr) << f.app.message;
    EXPECT_NE(strstr(f.app.message, "quit again"), nullptr) << f.app.message;
    EXPECT_TRUE(f.press(key) & REACT_QUIT) << key;
  }
  DynApp f;
  f.say("branch held");
  f.say("branch save out.h5");
  f.app.snap->dyn->saves = 1;
  EXPECT_TRUE(f.press("q") & REACT_QUIT) << "it is in the file";
  f.app.snap->dyn->saves = 0;
  f.app.quit_at = 0;
  strcpy(f.app.snap->dyn->saving, "writing out.h5: 3/300");
  f.press("Esc");
  EXPECT_TRUE(f.press("q") & REACT_QUIT) << "it was given up";
}

TEST(AppDynamic, ABranchHoldsAnElementByNameOrPlace) {
  DynApp f;
  struct reel *reel = f.app.snap->reel;
  reel->nactions = 2;
  reel->action_name = static_cast<char(*)[64]>(calloc(2, 64));
  strcpy(reel->action_name[0], "lift");
  strcpy(reel->action_name[1], "grip");
  app_line(&f.app, "branch grip=0.5 0=-1");
  const branch_wish &b = f.app.want.dyn.branch;
  EXPECT_TRUE(b.set[0] && b.set[1]);
  EXPECT_EQ(b.value[0], -1);
  EXPECT_EQ(b.value[1], 0.5);
  for (const char *bad : {"branch grip=", "branch grip=nan", "branch grip=1x", "branch 2=1"}) {
    f.app.message_bad = false;
    app_line(&f.app, bad);
    EXPECT_TRUE(f.app.message_bad) << bad;
    EXPECT_EQ(b.serial, 1u) << bad;
  }
}

TEST(AppDynamic, WhereNothingCanBeRunAgainItSaysWhy) {
  DynApp f;
  f.refused = true;
  f.reply();
  for (const char *keys : {"D", "B", "s", "S", "x"}) {
    f.press(keys);
    EXPECT_TRUE(has(f.said(), "STATES ONLY: no actions")) << keys << ": " << f.said();
    EXPECT_EQ(f.substep(), 0);
  }
  EXPECT_EQ(app_mode(&f.app), MODE_KINEMATIC);
  f.say("branch held");
  EXPECT_EQ(f.app.want.dyn.branch.serial, 0u);
}

TEST(AppDynamic, WhatWasAskedBeforeItWasKnownIsRefusedWhenItIs) {
  DynApp f;
  f.press("B");
  EXPECT_TRUE(has(f.said(), "side by side")) << f.said();
  f.refused = true;
  f.reply();
  EXPECT_TRUE(has(f.said(), "both: physics cannot be run again: STATES ONLY: no actions"))
      << f.said();
  EXPECT_TRUE(f.app.message_bad);
  f.press("K");
  f.reply();
  EXPECT_FALSE(has(f.said(), "cannot")) << "once: " << f.said();
}

TEST(AppDynamic, ABranchAskedForBeforeItWasKnownIsRefusedWhenItIs) {
  DynApp f;
  f.press("K");
  EXPECT_TRUE(app_line(&f.app, "branch held") & REACT_SEEK);
  f.refused = true;
  f.reply();
  EXPECT_TRUE(has(f.said(), "branch: physics cannot be run again: STATES ONLY: no actions"))
      << f.said();
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_EQ(f.app.want.dyn.branch.serial, 0u) << "there is none, and no lane of it";
}

TEST(AppDynamic, ABranchLeavesAWholeStepAndSaysSo) {
  DynApp f;
  f.say("go 61+4");
  f.say("branch held");
  EXPECT_EQ(f.app.want.dyn.branch.at, 61);
  EXPECT_TRUE(has(f.said(), "the branch leaves step 61: none begins within one, at 61+4"))
      << f.said();
  f.say("go 61");
  f.app.message[0] = 0;
  f.say("branch held");
  EXPECT_FALSE(has(f.said(), "within")) << f.said();
}

TEST(AppDynamic, AnotherEpisodeStartsAtItsOwnBeginning) {
  DynApp f;
  f.press("1 0 0 Enter x");
  f.say("branch held");
  f.say("go 100+3");
  f.press(">");
  EXPECT_EQ(f.app.want.dyn.anchor, 0);
  EXPECT_EQ(f.app.want.dyn.branch.serial, 0u);
  EXPECT_EQ(f.substep(), 0);
  EXPECT_EQ(f.app.want.dyn.mode, MODE_BOTH) << "the mode stays";
}

TEST(AppDynamic, LanesAreAskedForAsWideAsTheyAreDrawn) {
  DynApp f;
  app_resize(&f.app, 40, 120);
  EXPECT_EQ(f.app.want.dyn.columns, 110);
  EXPECT_TRUE(app_resize(&f.app, 40, 100) & REACT_SEEK);
  EXPECT_EQ(f.app.want.dyn.columns, 90);
  EXPECT_FALSE(app_resize(&f.app, 30, 100) & REACT_SEEK);
  EXPECT_TRUE(f.press("+") & REACT_SEEK);
  EXPECT_EQ(f.app.want.dyn.first, f.app.zoom_first);
  EXPECT_EQ(f.app.want.dyn.last, f.app.zoom_last);
}
