// Commands about plots, findings and groups, on synthetic answers.
#include <gtest/gtest.h>

#include "app_help.h"

extern "C" {
#include "cmd.h"
#include "panel.h"
}

namespace {

struct Plotting : FakeApp {
  // Answers as the session would: the names as they are, but "number" is called "joint_0".
  void reply(const char *note = "") {
    struct snapshot *snap = fake_answer(app.want);
    const plot_wish &wish = app.want.plot;
    snap->plot.serial = wish.serial;
    strcpy(snap->plot.note, note);
    for (size_t i = 0; i < wish.n && snap->plot.n < PLOT_CURVES; i++)
      add(snap, strcmp(wish.name[i], "0") == 0 ? "joint_0" : wish.name[i]);
    app_take(&app, snap);
  }
  static void add(struct snapshot *snap, const char *name) {
    curve &c = snap->plot.curve[snap->plot.n++];
    strcpy(c.name, name);
    c.series = zeroed<series>();
    c.series->refs = 1;
    c.series->part = zeroed<ph_span>();
    c.series->per = 1;
  }
  void findings(std::vector<ph_finding> list) {
    struct snapshot *snap = fake_answer(app.want);
    struct reel *reel = snap->reel;
    reel->findings = zeroed<ph_finding>(list.size());
    memcpy(reel->findings, list.data(), list.size() * sizeof(ph_finding));
    reel->nfindings = list.size();
    for (const ph_finding &f : list)
      if (f.step >= 0) {
        auto *events = zeroed<event>(reel->nevents + 1);
        events[0] = {f.step, EVENT_FINDING};
        memcpy(events + 1, reel->events, reel->nevents * sizeof(event));
        free(reel->events);
        reel->events = events;
        reel->nevents++;
      }
    app_take(&app, snap);
  }
  void groups(const char *wanted, std::vector<size_t> places) {
    struct snapshot *snap = fake_answer(app.want);
    snap->catalog->ngroups = 2;
    snap->catalog->group = static_cast<char(*)[GROUP_NAME]>(calloc(2, GROUP_NAME));
    strcpy(snap->catalog->group[0], "train");
    strcpy(snap->catalog->group[1], "valid");
    if (wanted) {
      snap->group = zeroed<group>();
      snap->group->refs = 1;
      strcpy(snap->group->name, wanted);
      snap->group->n = places.size();
      snap->group->place = zeroed<size_t>(places.size());
      std::copy(places.begin(), places.end(), snap->group->place);
    }
    app_take(&app, snap);
  }
  std::vector<std::string> wished() const {
    const plot_wish &wish = app.want.plot;
    return std::vector<std::string>(wish.name, wish.name + wish.n);
  }
};

ph_finding finding(int64_t step, const char *text) {
  ph_finding f{};
  f.step = step;
  strcpy(f.text, text);
  return f;
}

using strings = std::vector<std::string>;

TEST(AppPlot, NamesAreWantedAndTheAnswersAreKept) {
  Plotting f;
  uint64_t serial = f.app.want.serial;
  EXPECT_TRUE(app_line(&f.app, "plot 0 \"joint 3\", arm.*") & REACT_SEEK);
  EXPECT_EQ(f.wished(), (strings{"0", "joint 3", "arm.*"}));
  EXPECT_TRUE(f.app.want.plot.chosen);
  EXPECT_GT(f.app.want.serial, serial);
  f.reply();
  EXPECT_EQ(f.wished(), (strings{"joint_0", "joint 3", "arm.*"})) << "as the worker calls them";
  app_line(&f.app, "plot");
  EXPECT_EQ(f.wished(), strings{});
  EXPECT_TRUE(f.app.want.plot.chosen) << "none, and not the default ones";
}

TEST(AppPlot, AnOlderAnswerChangesNothing) {
  Plotting f;
  app_line(&f.app, "plot a");
  struct request old = f.app.want;
  app_line(&f.app, "plot b");
  struct snapshot *snap = fake_answer(old);
  snap->plot.serial = old.plot.serial;
  Plotting::add(snap, "joint_a");
  app_take(&f.app, snap);
  EXPECT_EQ(f.wished(), (strings{"a", "b"}));
  f.reply();
  EXPECT_EQ(f.wished(), (strings{"a", "b"}));
}

TEST(AppPlot, WhatWasPlottedByDefaultIsTheStart) {
  Plotting f;
  struct snapshot *snap = fake_answer(f.app.want);
  Plotting::add(snap, "states[1]");
  Plotting::add(snap, "states[2]");
  app_take(&f.app, snap);
  EXPECT_EQ(f.wished(), strings{}) << "nothing was chosen";
  app_line(&f.app, "plot reward");
  EXPECT_EQ(f.wished(), (strings{"states[1]", "states[2]", "reward"}));
}

TEST(AppPlot, WhatIsNotThereIsSaid) {
  Plotting f;
  app_line(&f.app, "plot elbo");
  f.reply("demo_1 has no number called \"elbo\"; near: elbow");
  EXPECT_TRUE(has(f.said(), "no number called \"elbo\"; near: elbow"));
  EXPECT_TRUE(f.app.message_bad);
  int logged = f.app.nlog;
  f.reply("demo_1 has no number called \"elbo\"; near: elbow");
  EXPECT_EQ(f.app.nlog, logged + 1) << "again only because another reel came";
}

TEST(AppPlot, TooManyNamesAtOnceAreRefused) {
  Plotting f;
  f.line("plot a b c d e f g h i");
  EXPECT_EQ(f.app.want.plot.n, (size_t)PLOT_WISHES);
  EXPECT_TRUE(f.app.message_bad);
}

TEST(AppPlot, EnterOnALineOfTheState) {
  Plotting f;
  f.keys("Tab j");
  ASSERT_EQ(f.app.focus, PANEL_STATE);
  EXPECT_TRUE(app_key(&f.app, KEY_ENTER_, 5000) & REACT_SEEK);
  EXPECT_EQ(f.wished(), strings{"states[1]"}) << "qpos 0 of the fake signals";
}

TEST(AppPlot, ThePanelsEnterTakesACurveAway) {
  Plotting f;
  app_line(&f.app, "plot joint_0 joint_1");
  f.reply();
  f.app.focus = PANEL_PLOT;
  f.app.cursor[PANEL_PLOT] = 1;
  app_key(&f.app, KEY_ENTER_, 5000);
  EXPECT_EQ(f.wished(), (strings{"joint_0", "joint_1", "joint_1"}));
  EXPECT_TRUE(f.app.plot_asked) << "the worker takes out what is named twice";
}

TEST(AppPlot, TheWishHasTheStepsInSight) {
  Plotting f;
  EXPECT_LT(f.app.want.plot.first, 0);
  app_line(&f.app, "plot joint_0");
  f.reply();
  EXPECT_TRUE(app_key(&f.app, '+', 5000) & REACT_SEEK);
  EXPECT_EQ(f.app.want.plot.first, f.app.zoom_first);
  EXPECT_EQ(f.app.want.plot.last, f.app.zoom_last);
  EXPECT_GE(f.app.zoom_first, 0);
  f.line("episode 1");
  EXPECT_LT(f.app.want.plot.first, 0);
}

TEST(AppFindings, EnterGoesThere) {
  Plotting f;
  f.findings({finding(-1, "num_samples is wrong"), finding(77, "the clock stood")});
  f.app.focus = PANEL_FINDINGS;
  EXPECT_FALSE(app_key(&f.app, KEY_ENTER_, 5000) & REACT_SEEK);
  EXPECT_TRUE(has(f.said(), "whole episode: num_samples is wrong"));
  f.app.cursor[PANEL_FINDINGS] = 1;
  EXPECT_TRUE(app_key(&f.app, KEY_ENTER_, 6000) & REACT_SEEK);
  EXPECT_EQ(f.step(), 77);
  EXPECT_TRUE(has(f.said(), "at 77: the clock stood"));
  EXPECT_EQ(f.app.undo[f.app.nundo - 1], 0) << "undo comes back";
}

TEST(AppFindings, AreEventsThatEWalks) {
  Plotting f;
  f.findings({finding(-1, "num_samples is wrong"), finding(77, "the clock stood")});
  app_line(&f.app, "event-kinds finding");
  app_key(&f.app, 'e', 5000);
  EXPECT_EQ(f.step(), 77);
  EXPECT_TRUE(has(f.said(), "at 77: the clock stood"));
  EXPECT_EQ(f.app.cursor[PANEL_FINDINGS], 1) << "its panel goes along";
}

TEST(AppClock, SecondsAreTheFiles) {
  FakeApp f;
  f.app.snap->reel->clock = {0.8, 0.8 + 0.02 * 341};
  app_line(&f.app, "go 2s");
  EXPECT_EQ(f.step(), 60);
  app_line(&f.app, "go 7.62s");
  EXPECT_EQ(f.step(), 341);
  EXPECT_FALSE(has(f.said(), "past the end")) << f.said();
  app_line(&f.app, "go 9s");
  EXPECT_TRUE(has(f.said(), "past the end"));
  app_line(&f.app, "go 0.2s");
  EXPECT_EQ(f.step(), 0);
  EXPECT_TRUE(has(f.said(), "before the first state")) << f.said();
}

TEST(AppMarks, WhereTheyAreKeptIsLoggedOnce) {
  FakeApp f;
  const char *paths[] = {"/tmp/no_such_run.h5"};
  ASSERT_TRUE(app_load_marks(&f.app, paths, 1));
  app_line(&f.app, "mark a");
  EXPECT_TRUE(has(f.said(), "mark a at 0"));
  ASSERT_EQ(f.app.nlog, 1);
  EXPECT_TRUE(has(f.app.log[0], "no_such_run.h5.playhead.json")) << f.app.log[0];
  app_line(&f.app, "note here");
  EXPECT_EQ(f.app.nlog, 1);
}

TEST(AppCopy, WithoutAModelSaysHowElse) {
  FakeApp f;
  f.app.snap->reel->raw = true;
  free(f.app.snap->qpos);
  f.app.snap->qpos = nullptr;
  f.line("copy");
  EXPECT_TRUE(has(f.said(), "needs a model; export --at 0 --as npz")) << f.said();
}

TEST(AppPlot, TabKnowsTheNames) {
  FakeApp f;
  f.keys(": p l o t Space 1 Tab");
  EXPECT_STREQ(f.app.prompt.text, "plot joint_1 ");
}

TEST(AppGroup, IsWantedByNameAndMovesTheEpisodes) {
  Plotting f;
  f.groups(nullptr, {});
  app_line(&f.app, "group vaild");
  EXPECT_TRUE(f.app.message_bad);
  EXPECT_TRUE(has(f.said(), "there are: train, valid"));
  EXPECT_TRUE(app_line(&f.app, "group valid") & REACT_SEEK);
  EXPECT_STREQ(f.app.want.group, "valid");
  EXPECT_EQ(app_episode_lines(&f.app), 5) << "until the answer comes";
  f.groups("valid", {1, 3});
  EXPECT_EQ(app_episode_lines(&f.app), 2);
  EXPECT_EQ(app_episode_at(&f.app, 1), 3u);
  app_key(&f.app, '>', 5000);
  EXPECT_EQ(f.app.want.episode, 1u) << "from outside to the next of the group";
  f.groups("valid", {1, 3});
  app_key(&f.app, '>', 5100);
  EXPECT_EQ(f.app.want.episode, 3u);
  f.groups("valid", {1, 3});
  app_key(&f.app, '>', 5200);
  EXPECT_EQ(f.app.want.episode, 3u);
  EXPECT_TRUE(has(f.said(), "last episode of the group"));
  app_key(&f.app, '<', 5300);
  EXPECT_EQ(f.app.want.episode, 1u);
  EXPECT_TRUE(app_line(&f.app, "group") & REACT_SEEK);
  EXPECT_EQ(f.app.want.group[0], 0);
  f.groups(nullptr, {});
  EXPECT_EQ(app_episode_lines(&f.app), 5);
}

TEST(AppGroup, OfNobody) {
  Plotting f;
  f.groups("valid", {});
  strcpy(f.app.want.group, "valid");
  app_refilter(&f.app);
  EXPECT_EQ(app_episode_lines(&f.app), 0);
  size_t episode = f.app.want.episode;
  app_key(&f.app, '>', 5000);
  EXPECT_EQ(f.app.want.episode, episode);
}

TEST(AppLook, AStepOfAnEpisodeOfUnknownLengthIsKept) {
  Plotting f;
  f.keys("5 0 Enter");
  struct snapshot *snap = fake_answer(f.app.want);
  for (size_t i = 1; i < snap->catalog->n; i++)
    fake_entry(snap->catalog, i)->states = fake_entry(snap->catalog, i)->actions = -1;
  struct catalog *catalog = snap->catalog;
  app_take(&f.app, snap);
  app_key(&f.app, ')', 5000);
  EXPECT_EQ(f.app.want.episode, 1u);
  EXPECT_EQ(f.step(), 50) << "the same step of the other env";
  app_key(&f.app, 'G', 5100);
  EXPECT_GT(f.step(), 1000);
  snap = fake_answer(f.app.want);
  for (size_t i = 1; i < snap->catalog->n; i++)
    *fake_entry(snap->catalog, i) = *catalog_entry(catalog, i);
  app_take(&f.app, snap);
  EXPECT_EQ(f.step(), 100) << "the last one, once it is known";
}

TEST(AppLook, TheListInSightIsLookedAtFirst) {
  Plotting f;
  struct snapshot *snap = fake_answer(f.app.want);
  snap->unseen = 3;
  app_take(&f.app, snap);
  app_resize(&f.app, 24, 80);
  f.app.focus = PANEL_EPISODES;
  app_relayout(&f.app);
  f.app.layout.panel[PANEL_EPISODES].h = 4;
  unsigned react = 0;
  for (int i = 0; i < 4; i++)
    react |= app_key(&f.app, 'j', 5000 + (uint64_t)i);
  EXPECT_GT(f.app.want.look, 0u);
  EXPECT_TRUE(react & REACT_SEEK);
}

} // namespace
