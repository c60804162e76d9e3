// The app as a whole: leaving, prompt, log, every command, a storm of keys.

#include <random>
#include <set>
#include <string>

#include "app_help.h"

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
  EXPECT_EQ(text, "<key name=\"a__b@3\" time=\"0.06\" qpos=\"0.30000000000000004 -0\" "
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

// --- every command is used ---

// What is for a preview says so elsewhere; test_preview.cc has what it does there.
static bool only_live(const FakeApp &f, unsigned react) {
  return !(react & REACT_SEEK) && f.said().find("only in a preview") != std::string::npos;
}

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
    {CMD_EPISODE_LAST, "",
     [](const FakeApp &f, unsigned) { return f.app.want.episode == app_count(&f.app) - 1; }},
    {CMD_FOLLOW, "on",
     [](const FakeApp &f, unsigned) { return has(f.said(), "no folder of a run"); }},
    {CMD_GROUP, "", [](const FakeApp &f, unsigned) { return has(f.said(), "no groups"); }},
    {CMD_ENV_PREVIOUS, "", [](const FakeApp &f, unsigned) { return has(f.said(), "first"); }},
    {CMD_ENV_NEXT, "",
     [](const FakeApp &f, unsigned) { return f.app.want.episode == 1 && f.step() == 100; }},
    {CMD_ENVS, "3",
     [](const FakeApp &f, unsigned r) { return f.app.want.envs.n == 3 && (r & REACT_SEEK); }},
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
    {CMD_KINEMATIC, "",
     [](const FakeApp &f, unsigned r) {
       return f.app.want.dyn.mode == MODE_KINEMATIC && (r & REACT_SEEK);
     }},
    {CMD_DYNAMIC, "",
     [](const FakeApp &f, unsigned r) {
       return f.app.want.dyn.mode == MODE_DYNAMIC && (r & REACT_SEEK);
     }},
    {CMD_BOTH, "",
     [](const FakeApp &f, unsigned r) {
       return f.app.want.dyn.mode == MODE_BOTH && (r & REACT_SEEK);
     }},
    {CMD_SUBSTEP, "", [](const FakeApp &f, unsigned) { return has(f.said(), "D or B"); }},
    {CMD_SUBSTEP_BACK, "", [](const FakeApp &f, unsigned) { return has(f.said(), "D or B"); }},
    {CMD_ANCHOR, "",
     [](const FakeApp &f, unsigned r) { return f.app.want.dyn.anchor == 100 && (r & REACT_SEEK); }},
    {CMD_TOL, "pos=0.5",
     [](const FakeApp &f, unsigned r) {
       return f.app.want.dyn.tolerance.of[PH_MEASURE_JOINT_PLACE] == 0.5 && (r & REACT_SEEK);
     }},
    {CMD_BRANCH, "held",
     [](const FakeApp &f, unsigned r) {
       const branch_wish &b = f.app.want.dyn.branch;
       return b.serial == 1 && b.at == 100 && b.feed == PH_FEED_HELD && !b.dynamic &&
              (r & REACT_SEEK);
     }},
    {CMD_GHOST, "other.h5:2",
     [](const FakeApp &f, unsigned r) {
       const ghost_wish &g = f.app.want.ghost;
       return g.serial == 1 && strcmp(g.path, "other.h5:2") == 0 && (r & REACT_SEEK);
     }},
    {CMD_HOLD_SHORTER, "",
     [](const FakeApp &f, unsigned r) {
       return hold_wish_steps(&f.app.want.hold, 0.02, 25) == 24 && (r & REACT_SEEK);
     }},
    {CMD_HOLD_LONGER, "",
     [](const FakeApp &f, unsigned r) {
       return hold_wish_steps(&f.app.want.hold, 0.02, 25) == 26 && (r & REACT_SEEK);
     }},
    {CMD_HOLD, "0.6",
     [](const FakeApp &f, unsigned r) {
       return hold_wish_steps(&f.app.want.hold, 0.02, 25) == 30 && (r & REACT_SEEK);
     }},
    {CMD_CUT, "/tmp/playhead-none.h5",
     [](const FakeApp &f, unsigned) {
       return f.app.cut_shown && f.app.want.cut.serial == 0 && has(f.said(), ":cut! writes 2");
     }},
    {CMD_RESET, "", only_live},
    {CMD_RESET_NEXT, "", only_live},
    {CMD_DRIVE, "", only_live},
    {CMD_NUDGE_UP, "", only_live},
    {CMD_NUDGE_DOWN, "", only_live},
    {CMD_ELEMENT, "0 1", only_live},
    {CMD_RELEASE, "", only_live},
    {CMD_RELOAD, "", only_live},
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

// --- a storm of keys ---

static uint32_t random_key(std::mt19937 &random) {
  static const char common[] = "nnnpp.,eEFlLmuhHhH'<>()+-jkzfgG%[]{}aRr?:yQq0123456789 /xab";
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
