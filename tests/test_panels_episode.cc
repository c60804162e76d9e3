// Lengths that fill in, groups, the clock, success and the header of other people's episodes.
#include "panel_foreign.h"

namespace {

TEST(Filling, UnseenEpisodesHaveDotsAndTheStatusSaysHowFar) {
  Foreign f;
  for (size_t i = 20; i < f.entries.size(); i++) {
    f.entries[i].actions = f.entries[i].states = -1;
    f.entries[i].success = -1;
    f.entries[i].end_reason = PH_END_UNKNOWN;
  }
  f.snap.unseen = 180;
  f.a.focus = PANEL_EPISODES;
  f.a.zoomed = PANEL_EPISODES;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "looking at episodes 20/200")) << text;
  std::string seen = f.row(40, 120, "demo_20 "), unseen = f.row(40, 120, "demo_21 ");
  EXPECT_FALSE(has(seen, "…")) << seen;
  EXPECT_EQ(count(unseen, "…"), 3) << unseen;
  EXPECT_FALSE(has(unseen, "-1"));
  expect_golden("panels_filling_120x40", text);
  f.snap.unseen = 0;
  EXPECT_FALSE(has(f.text(40, 120), "looking at"));
  EXPECT_FALSE(has(f.row(40, 120, "demo_21 "), "…")) << "looked at, and there is no length";
}

TEST(Groups, ListTheirEpisodesAlone) {
  Foreign f;
  f.in_group("valid", {3, 16, 40, 199});
  f.a.cursor[PANEL_EPISODES] = 1;
  EXPECT_EQ(panel_episodes_lines(&f.a), 4);
  EXPECT_EQ(app_episode_at(&f.a, 2), 40u);
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "group valid: 3 of 4 succeed")) << text;
  EXPECT_TRUE(has(text, "demo_200"));
  EXPECT_FALSE(has(text, "demo_18 "));
  set_text(f.a.filter[PANEL_EPISODES], "demo_2");
  app_refilter(&f.a);
  EXPECT_EQ(panel_episodes_lines(&f.a), 1);
  EXPECT_TRUE(has(f.text(40, 120), "group valid: 1 of 4 with \"demo_2\""));
  f.a.want.group[0] = 0; // another answer is still on show
  f.a.filter[PANEL_EPISODES][0] = 0;
  app_refilter(&f.a);
  EXPECT_EQ(panel_episodes_lines(&f.a), 200);
}

TEST(Episodes, TheirColumnsHaveHeadingsInTwoRows) {
  Foreign f;
  surface s{};
  surface_resize(&s, 3, 60);
  panel_episodes_draw(&s, {0, 0, 3, 60}, &f.a);
  std::unique_ptr<char, void (*)(void *)> out(surface_text(&s), std::free);
  EXPECT_TRUE(has(out.get(), "actions")) << out.get();
  EXPECT_TRUE(has(out.get(), "demo_17 ")) << out.get();
  surface_free(&s);
}

TEST(Clock, IsTheFilesOnBothSides) {
  Foreign f;
  f.film.clock = {0.8, 7.62};
  f.snap.time = 5.06;
  EXPECT_TRUE(has(f.text(40, 120), "t 5.060/7.620 s"));
}

TEST(Clock, StatesThatAreOnlyCountedHaveNoSeconds) {
  Foreign f;
  f.film.meta.control_dt = 0;
  f.film.clock = {0, 341};
  f.snap.time = 213;
  std::string status = f.row(40, 120, "PAUSED");
  EXPECT_FALSE(has(status, " t ")) << status;
  EXPECT_FALSE(has(status, " s ")) << status;
}

// Success by rewards of an episode whose last state is not stored.
struct Late : Foreign {
  Late() {
    ph_episode_meta &m = film.meta;
    set_text(m.layout, "LIBERO");
    set_text(m.success_source, "rewards: 1 at the last action");
    m.task_sha256[0] = 0;
    m.actions = m.states = film.states;
    m.hold_steps = film.hold_steps = 0;
    m.hold_seconds = -1;
    conditions.clear();
    wire();
    std::fill(predicate.begin(), predicate.end(), 0);
    std::fill(hold.begin(), hold.end(), 0);
    film.latch = -1;
    film.late = true;
    film.late_reward = 1;
    film.no_flags = true;
    snap.flags = -1;
  }
};

TEST(Success, AfterTheLastStoredStateIsSaid) {
  Late f;
  f.go(341);
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "succeeds at 342, after the last stored state")) << text;
  EXPECT_TRUE(has(text, "latch   at 342, after the last stored state")) << text;
  EXPECT_TRUE(has(text, "reward  0.00000, then 1.00000 by action 341")) << text;
  EXPECT_FALSE(has(text, "NEVER"));
  EXPECT_FALSE(has(text, "never"));
  f.go(340);
  EXPECT_FALSE(has(f.text(40, 120), ", then 1"));
  f.film.late = false;
  EXPECT_TRUE(has(f.text(40, 120), "NEVER"));
}

TEST(Success, WhatTheFileHasNothingOfHasNoLine) {
  Late f;
  std::string text = f.text(40, 120);
  for (const char *line : {"flags", "held", "hold", "conditions", "0/0"})
    EXPECT_FALSE(has(text, line)) << line << "\n" << text;
  EXPECT_TRUE(has(text, "pred    FALSE recorded"));
  f.film.no_rewards = true;
  EXPECT_FALSE(has(f.text(40, 120), "reward"));
}

TEST(Opening, IsNotFailure) {
  Foreign f;
  f.snap.reel = nullptr;
  f.snap.has_frame = false;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "opening demo_17 ...")) << text;
  EXPECT_FALSE(has(text, "does not open")) << text;
  EXPECT_FALSE(has(text, "not open")) << text;
  EXPECT_TRUE(has(text, "its data and its model are read")) << text;
  f.a.waiting = {true, false, 0, false};
  EXPECT_TRUE(has(f.text(40, 120), "its file is being opened\n")) << f.text(40, 120);
  f.a.waiting = {true, false, 12, false};
  EXPECT_TRUE(has(f.text(40, 120), "its file is being opened (12 s)")) << f.text(40, 120);
  f.a.waiting = {true, true, 3, false};
  EXPECT_TRUE(has(f.text(40, 120), "its model is loaded and compiled (3 s)"));
  set_text(f.snap.error, "demo_17: it is damaged");
  text = f.text(40, 120);
  EXPECT_TRUE(has(text, "demo_17 does not open")) << text;
  EXPECT_TRUE(has(text, "not open")) << text;
  f.a.want.serial++;
  EXPECT_TRUE(has(f.text(40, 120), "opening demo_17 ...")) << "another was asked for since";
}

TEST(Header, TheCureOfAModelThatIsNotLoadedIsReadWhole) {
  Foreign f;
  f.raw();
  set_text(f.film.model_note,
           "no model: 22 files of the model cannot be had: --assets DIR finds them, "
           "--missing-assets drop leaves them out: link0.stl, link1.stl");
  set_text(f.film.reason, f.film.model_note);
  EXPECT_TRUE(has(f.text(40, 120), "model not loaded: 22 files are missing: give --assets DIR, or "
                                   "--missing-assets drop"))
      << f.text(40, 120);
}

TEST(Header, WithoutActionsCountsTheStates) {
  Foreign f;
  f.film.meta.actions = 0;
  std::string text = f.text(40, 120);
  EXPECT_TRUE(has(text, "342 states, no actions  6.820 s")) << text;
}

TEST(Header, TheRateSaysInAWordWhatItIsFrom) {
  Foreign f;
  ph_episode_meta &m = f.film.meta;
  set_text(m.layout, "robosuite");
  set_text(m.rate_source, "median of the time column; 10 substeps of 0.002 s");
  EXPECT_TRUE(has(f.text(40, 120), "@50 Hz (time), 10 x 2 ms")) << f.text(40, 120);
  set_text(f.film.task_name, "Lift");
  EXPECT_TRUE(has(f.text(24, 80), "@50 Hz (time) │")) << f.text(24, 80);
  set_text(m.rate_source, "env_args.env_kwargs.control_freq 50 Hz");
  EXPECT_TRUE(has(f.text(40, 120), "@50 Hz (control_freq)")) << f.text(40, 120);
  m.rate_source[0] = 0;
  EXPECT_TRUE(has(f.text(40, 120), "@50 Hz (10 x 2 ms)")) << f.text(40, 120);
}

TEST(Header, SaysLayoutRateAndWhereSuccessIsFrom) {
  Foreign f;
  ph_episode_meta &m = f.film.meta;
  set_text(m.layout, "LIBERO");
  set_text(m.rate_source, "median of the time column");
  set_text(m.success_source, "dones: 1 at the last action");
  set_text(m.instruction, "put both moka pots on the stove");
  std::string text = f.text(60, 200);
  EXPECT_TRUE(has(text, "LIBERO"));
  EXPECT_TRUE(has(text, "50 Hz: median of the time column"));
  EXPECT_TRUE(has(text, "by dones: 1 at the last action"));
  EXPECT_TRUE(has(text, "\"put both moka pots on the stove\"")) << text;
  m.control_dt = 0;
  set_text(m.rate_source, "rate unknown: one row is one unit");
  EXPECT_TRUE(has(f.text(60, 200), "│ rate unknown: one row is one unit"));
}

} // namespace
