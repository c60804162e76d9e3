// Where the playhead goes among many envs, and what :envs asks for.
#include "app_help.h"

extern "C" {
#include "cmd.h"
#include "envs.h"
}

namespace {

// Envs 0 and 1 of round 0: 342 and 101 states.
struct Round : FakeApp {
  explicit Round(const char *args = "all") {
    line((std::string("envs ") + args).c_str());
    answer_envs();
  }
  void answer_envs() {
    answer();
    auto *e = zeroed<envs_answer>();
    e->asked = app.want.envs.n;
    e->episode = app.want.episode;
    e->ready = true;
    e->hold = app.want.envs.hold;
    e->align = app.want.envs.align;
    e->opened = e->n = e->lines = 2;
    e->lead = app.want.episode;
    e->least = 100;
    e->most = 341;
    strcpy(e->shortest, "env 1");
    e->playhead = app_playhead(&app);
    e->lane_last = 341;
    e->columns = 10;
    e->line = zeroed<envs_line>(2);
    e->lanes = zeroed<double>(20);
    for (size_t i = 0; i < 2; i++) {
      envs_line &l = e->line[i];
      l.episode = i;
      l.env_id = (int)i;
      strcpy(l.id, fake_list()[i].id);
      l.states = l.known = fake_list()[i].states;
      l.runs = l.ended = true;
      l.rate = 1;
      l.stopped = l.first = -1;
      l.at.step = std::min(e->playhead, l.states - 1);
      l.lane = e->lanes + 10 * i;
    }
    auto *snap = fake_answer(app.want);
    snap->envs = e;
    snap->step = std::min(snap->step, app.want.envs.hold ? INT64_MAX : e->least);
    app_take(&app, snap);
  }
  unsigned press(const char *names) {
    unsigned react = 0;
    std::string copy = names;
    char *rest = nullptr;
    for (char *name = strtok_r(copy.data(), " ", &rest); name;
         name = strtok_r(nullptr, " ", &rest)) {
      now += 20;
      unsigned now_react = app_key(&app, key_from_name(name), now);
      if (now_react & REACT_SEEK)
        answer_envs();
      react |= now_react;
    }
    return react;
  }
  int64_t playhead() const { return app_playhead(&app); }
};

TEST(AppEnvs, LockstepEndsWithTheFirstAndSaysWhich) {
  Round f;
  f.press("End");
  EXPECT_EQ(f.step(), 100);
  f.press("2 0 0 Enter");
  EXPECT_EQ(f.step(), 100);
  EXPECT_TRUE(has(f.said(), "env 1 ends at 100")) << f.said();
  EXPECT_TRUE(has(f.said(), "goes on to 341")) << f.said();
  f.press("n n n");
  EXPECT_EQ(f.step(), 100);
  f.press("b");
  EXPECT_EQ(f.step(), 99);
  f.press("5 0 %");
  EXPECT_EQ(f.step(), 50) << "half of what all of them have";
}

TEST(AppEnvs, APlayheadBeyondIsTakenBackOnceTheyAreThere) {
  FakeApp plain;
  plain.keys("3 0 0 Enter");
  Round f;
  f.app.want.step = 300;
  f.answer_envs();
  EXPECT_EQ(f.step(), 100);
  EXPECT_TRUE(has(f.said(), "lockstep")) << f.said();
}

TEST(AppEnvs, HeldThePlayheadGoesOnToTheEndOfTheLongest) {
  Round f;
  f.line("envs hold on");
  f.answer_envs();
  f.press(")");
  ASSERT_EQ(f.app.want.episode, 1u);
  f.press("2 5 0 Enter");
  EXPECT_EQ(f.step(), 100) << "its last state";
  EXPECT_EQ(f.app.want.envs.past, 150);
  EXPECT_EQ(f.playhead(), 250);
  f.press("n");
  EXPECT_EQ(f.playhead(), 251);
  f.press("u");
  EXPECT_EQ(f.playhead(), 250) << f.said();
  f.press("End");
  EXPECT_EQ(f.playhead(), 341);
  f.press("n");
  EXPECT_EQ(f.playhead(), 341);
  f.press("2 0 0 b");
  EXPECT_EQ(f.playhead(), 141);
  EXPECT_EQ(f.step(), 100);
  f.press("5 0 b");
  EXPECT_EQ(f.step(), 91);
  EXPECT_EQ(f.app.want.envs.past, 0);
  f.press("End");
  f.line("envs hold off");
  f.answer_envs();
  EXPECT_EQ(f.playhead(), 100);
}

TEST(AppEnvs, PlaybackEndsWhereTheyDo) {
  Round f;
  f.press("9 5 Enter Space");
  ASSERT_TRUE(f.app.playing);
  for (int i = 0; i < 200 && f.app.playing; i++) {
    f.now += 16;
    if (app_tick(&f.app, f.now) & REACT_SEEK)
      f.answer_envs();
  }
  EXPECT_FALSE(f.app.playing);
  EXPECT_EQ(f.step(), 100);
  f.line("envs hold on");
  f.answer_envs();
  f.press(") 3 3 5 Enter Space");
  for (int i = 0; i < 200 && f.app.playing; i++) {
    f.now += 16;
    if (app_tick(&f.app, f.now) & REACT_SEEK)
      f.answer_envs();
  }
  EXPECT_FALSE(f.app.playing);
  EXPECT_EQ(f.playhead(), 341);
}

TEST(AppEnvs, AnotherEnvIsOpenedAtTheSamePlayhead) {
  Round f;
  f.press("6 0 Enter Tab");
  ASSERT_EQ(f.app.focus, PANEL_ENVS);
  EXPECT_EQ(f.app.cursor[PANEL_ENVS], 0) << "on the env on show";
  f.press("j");
  EXPECT_EQ(f.app.want.episode, 0u) << "j moves in the panel";
  f.press("Enter");
  EXPECT_EQ(f.app.want.episode, 1u);
  EXPECT_EQ(f.step(), 60);
  EXPECT_EQ(f.app.focus, PANEL_ENVS);
  f.press("Enter");
  EXPECT_TRUE(has(f.said(), "on show")) << f.said();
  f.press("n");
  f.app.snap->envs->line[0].shift = 12; /* as aligned: 12 steps later */
  f.press("(");
  EXPECT_EQ(f.app.want.episode, 0u);
  EXPECT_EQ(f.step(), 73);
  EXPECT_EQ(f.app.cursor[PANEL_ENVS], 0) << "the cursor goes along";
}

// A round of three whose steps last differently long, and whose latches are far apart.
struct Walk : FakeApp {
  static constexpr size_t round[] = {0, 1, 3};
  static constexpr double dt[] = {0.02, 0.06, 0.005};
  static constexpr int64_t latch[] = {273, 80, 10};
  Walk() {
    line("envs all");
    answer_envs();
  }
  static size_t of(size_t episode) { return episode == 3 ? 2 : episode; }
  void answer_envs() {
    bool time = app.want.envs.align == PH_ALIGN_TIME;
    bool latches = app.want.envs.align == PH_ALIGN_LATCH || app.want.envs.align == PH_ALIGN_DYNAMIC;
    auto *e = zeroed<envs_answer>();
    size_t lead = of(app.want.episode);
    e->asked = app.want.envs.n;
    e->episode = app.want.episode;
    e->ready = true;
    e->hold = app.want.envs.hold;
    e->align = app.want.envs.align;
    e->opened = e->n = e->lines = 3;
    e->lead = lead;
    e->least = e->most = e->hold ? 1000 : fake_list()[app.want.episode].states - 1;
    e->line = zeroed<envs_line>(3);
    for (size_t i = 0; i < 3; i++) {
      envs_line &l = e->line[i];
      l.episode = round[i];
      l.states = fake_list()[round[i]].states;
      l.rate = time ? dt[lead] / dt[i] : 1;
      l.shift = latches ? latch[i] - latch[lead] : 0;
    }
    auto *snap = fake_answer(app.want);
    snap->envs = e;
    app_take(&app, snap);
  }
  void open(size_t episode, bool answered) {
    app_open_env(&app, episode, app.want.step);
    if (answered)
      answer_envs();
  }
};

// Whatever is clamped or rounded to on the way, and whether answers come in time or not.
TEST(AppEnvs, AWalkThroughEnvsAndBackLeavesThePlayheadWhereItWas) {
  uint32_t random = 7;
  int clamped = 0;
  for (int align = 0; align < PH_ALIGN_COUNT; align++)
    for (int k = 0; k < 400; k++) {
      Walk f;
      f.line((std::string("envs align ") + ph_align_name((ph_align)align)).c_str());
      if (k % 2)
        f.line("envs hold on");
      f.answer_envs();
      size_t from = Walk::round[k % 3];
      f.open(from, true);
      app_go(&f.app, (k * 37) % fake_list()[from].states, false);
      f.answer_envs();
      int64_t began = app_playhead(&f.app);
      for (int i = 0; i < 1 + k % 7; i++) {
        random = random * 1664525 + 1013904223;
        f.open(Walk::round[(random >> 16) % 3], random >> 31);
        clamped += f.step() == 0 || f.app.want.envs.past > 0;
      }
      if (f.app.want.episode != from)
        f.open(from, k % 5 != 0);
      EXPECT_EQ(app_playhead(&f.app), began) << ph_align_name((ph_align)align) << " " << k;
    }
  EXPECT_GT(clamped, 100);
}

TEST(AppEnvs, AWalkEndsWhereThePlayheadIsMoved) {
  Walk f;
  f.line("envs align latch");
  f.answer_envs();
  app_go(&f.app, 50, false);
  f.open(1, true);
  EXPECT_EQ(f.step(), 0);
  EXPECT_TRUE(has(f.said(), "has not begun there")) << f.said();
  app_go(&f.app, 4, false);
  f.open(0, true);
  EXPECT_EQ(f.step(), 4 + 273 - 80);
}

TEST(AppEnvs, MoreThanThereAreIsSaid) {
  Round more("3"), all("all"), two("2");
  EXPECT_TRUE(has(more.said(), "this round has 2 envs, not 3")) << more.said();
  EXPECT_FALSE(has(all.said(), "this round has")) << all.said();
  EXPECT_FALSE(has(two.said(), "this round has")) << two.said();
}

TEST(AppEnvs, WhatIsAskedForIsSaidWhole) {
  FakeApp f;
  EXPECT_TRUE(f.line("envs 3") & REACT_SEEK);
  EXPECT_EQ(f.app.want.envs.n, 3);
  EXPECT_TRUE(f.line("envs all") & REACT_SEEK);
  EXPECT_EQ(f.app.want.envs.n, PH_ENSEMBLE_MAX);
  for (int i = 0; i < PH_ALIGN_COUNT; i++) {
    f.line((std::string("envs align ") + ph_align_name((ph_align)i)).c_str());
    EXPECT_EQ(f.app.want.envs.align, (ph_align)i);
  }
  f.line("envs hold on");
  EXPECT_TRUE(f.app.want.envs.hold);
  EXPECT_TRUE(f.line("envs off") & REACT_SEEK);
  EXPECT_EQ(f.app.want.envs.n, 0);
  for (const char *bad : {"envs 0", "envs -1", "envs 4097", "envs some", "envs align",
                          "envs hold maybe", "envs 99999999999999999999", "envs alignstep"}) {
    EXPECT_FALSE(f.line(bad) & REACT_SEEK) << bad;
    EXPECT_TRUE(f.app.message_bad) << bad;
    EXPECT_EQ(f.app.want.envs.n, 0) << bad;
  }
  EXPECT_TRUE(f.line("envs") & REACT_REDRAW);
  EXPECT_TRUE(f.app.prompt.open) << "it is asked for in the prompt";
}

TEST(AppEnvs, WithoutThemNothingIsOtherThanBefore) {
  FakeApp f;
  f.keys("Tab");
  EXPECT_NE(f.app.focus, PANEL_ENVS);
  EXPECT_EQ(app_end(&f.app), 341);
  EXPECT_EQ(app_envs(&f.app), nullptr);
}

// Random keys over a round whose answers come late, or are of another one.
TEST(AppEnvs, AStormOfKeysLeavesItConsistent) {
  Round f;
  struct surface s = {};
  uint32_t random = 12345;
  static const char *const keys[] = {"n",     "b",   "End", "r", ")", "(", ">",
                                     "<",     "Tab", "j",   "k", "u", "5", "Enter",
                                     "Space", "z",   "+",   "-", "l", "L", "S-Tab"};
  for (int i = 0; i < 20000; i++) {
    random = random * 1664525 + 1013904223;
    unsigned pick = random >> 16;
    f.now += pick % 90;
    if (pick % 97 == 0)
      f.line(pick & 128 ? "envs hold on" : "envs hold off");
    else if (pick % 101 == 0)
      app_resize(&f.app, 6 + (int)(pick % 50), 20 + (int)(pick % 150));
    else if (pick % 7 == 0)
      app_tick(&f.app, f.now);
    else
      app_key(&f.app, key_from_name(keys[pick % (sizeof keys / sizeof *keys)]), f.now);
    if (pick % 3 == 0)
      f.answer_envs();
    expect_sound(&f.app);
    ASSERT_GE(f.app.want.envs.past, 0);
    ASSERT_TRUE(f.app.want.envs.past == 0 || f.app.want.step == app_last_step(&f.app));
    if (i % 50 == 0)
      app_draw(&f.app, &s);
  }
  surface_free(&s);
}

} // namespace
