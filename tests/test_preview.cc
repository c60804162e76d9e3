// A preview: the app over a session of a live env, key by key.
#include "preview_help.h"

#include <random>

namespace {

TEST_F(Preview, StepsGoOnAtTheHeadAndAreHistoryBeforeIt) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  EXPECT_EQ(1, states());
  EXPECT_TRUE(live().running);
  keys("n n n");
  EXPECT_EQ(4, states());
  EXPECT_EQ(3, app.snap->step);
  double head = x();
  keys("p p");
  EXPECT_EQ(1, app.snap->step);
  EXPECT_EQ(4, states()) << "what was lived stays";
  keys("n n");
  EXPECT_EQ(4, states()) << "no step is made twice";
  EXPECT_EQ(head, x());
  keys("n");
  EXPECT_EQ(5, states());
  keys("5n");
  EXPECT_EQ(10, states());
  keys("r");
  EXPECT_EQ(0, app.snap->step);
  keys("End");
  EXPECT_EQ(9, app.snap->step);
}

TEST_F(Preview, SubstepsAreShownAndCompleteToAStep) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("n s");
  EXPECT_EQ(1, live().substep);
  EXPECT_TRUE(live().between);
  EXPECT_EQ(2, states());
  EXPECT_NEAR(0.010, app.snap->time, 1e-12);
  EXPECT_NE(std::string::npos, screen().find("step 1+1/4")) << screen();
  keys("2s");
  EXPECT_EQ(3, live().substep);
  double action = app.snap->action[0];
  keys("p");
  EXPECT_EQ(1, app.snap->step) << "one step back from within a step is where it began";
  EXPECT_FALSE(live().between);
  EXPECT_NEAR(0.008, app.snap->time, 1e-12);
  EXPECT_EQ(action, app.snap->action[0]) << "it is under way";
  EXPECT_NE(std::string::npos, screen().find("action 1, in force")) << screen();
  EXPECT_EQ(std::string::npos, screen().find("step 1+")) << screen();
  keys("p");
  EXPECT_EQ(0, app.snap->step);
  EXPECT_FALSE(live().between) << "history has no substeps";
  keys("n");
  EXPECT_EQ(1, app.snap->step);
  EXPECT_FALSE(live().between) << "n takes back what p did";
  keys("End");
  EXPECT_TRUE(live().between) << "the newest state";
  keys("2p");
  EXPECT_EQ(0, app.snap->step);
  keys("s");
  EXPECT_EQ(0, live().substep) << "it is at the head that physics goes on";
  EXPECT_EQ(3, states());
  EXPECT_EQ(2, app.snap->step);
  keys("s n");
  EXPECT_EQ(4, states()) << "n ends the step that is under way";
  EXPECT_EQ(0, live().substep);
}

TEST_F(Preview, ResetsAgainNextAndChosen) {
  ASSERT_EQ(PH_OK, open(task(), 3)) << ph_error();
  double third = x();
  keys("4n A");
  EXPECT_EQ(1, states());
  EXPECT_EQ(0, app.snap->step);
  EXPECT_EQ(third, x());
  keys("N");
  EXPECT_EQ(4u, live().seed);
  EXPECT_NE(third, x());
  line("reset 3");
  EXPECT_EQ(3u, live().seed);
  EXPECT_EQ(third, x());
  line("reset 18446744073709551615");
  EXPECT_EQ(UINT64_MAX, live().seed);
  line("reset x");
  EXPECT_NE(std::string::npos, said().find("no seed")) << said();
  line("reset -1");
  EXPECT_NE(std::string::npos, said().find("no seed")) << said();
  EXPECT_EQ(UINT64_MAX, live().seed);
}

TEST_F(Preview, WhoActsAndElementsByHand) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("n");
  EXPECT_GE(app.snap->action[0], 0.5) << "the last one";
  keys("d n");
  EXPECT_EQ(0, app.snap->action[0]);
  line("element 0 1.5");
  keys("n");
  EXPECT_EQ(1.5, app.snap->action[0]);
  keys("i n");
  EXPECT_NEAR(1.7, app.snap->action[0], 1e-12) << "a twentieth of the range";
  keys("5i n");
  EXPECT_EQ(2, app.snap->action[0]) << "no further than the range";
  keys("I n");
  EXPECT_NEAR(1.8, app.snap->action[0], 1e-12);
  EXPECT_NE(std::string::npos, screen().find("1 element by hand")) << screen();
  keys("c n");
  EXPECT_EQ(0, app.snap->action[0]);
  line("drive held");
  line("element 0 -1");
  keys("n");
  line("release all");
  keys("n n");
  EXPECT_EQ(-1, app.snap->action[0]) << "held";
  line("drive policy");
  keys("n");
  EXPECT_GE(app.snap->action[0], 0.5);
  for (const char *bad : {"element 1 0", "element 0 nan", "element 0", "element x 1", "drive fast",
                          "release some", "element 0 1 2"}) {
    line(bad);
    EXPECT_TRUE(app.message_bad) << bad << ": " << said();
  }
  line("element 0 off");
  EXPECT_FALSE(app.message_bad) << said();
}

TEST_F(Preview, WhatIsInForceIsShownAndWhatComesNextIsMarked) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("n");
  ASSERT_NE(nullptr, app.snap->next_ctrl);
  EXPECT_EQ(app.snap->action[0], app.snap->next_ctrl[0]) << "a motor's ctrl is its action";
  EXPECT_NE(std::string::npos, screen().find("action 0, the last so far")) << screen();
  keys("s");
  double force = app.snap->action[0];
  EXPECT_EQ(force, app.snap->next_ctrl[0]);
  line("element 0 -1.5");
  EXPECT_EQ(force, panel_action_value(&app, 0)) << "it is under way";
  EXPECT_NE(std::string::npos, screen().find("action 1, in force")) << screen();
  EXPECT_NE(std::string::npos, screen().find("0 =")) << screen();
  keys("n");
  EXPECT_EQ(force, app.snap->action[0]);
  EXPECT_EQ(-1.5, panel_action_value(&app, 0)) << "it comes next";
  EXPECT_NE(std::string::npos, screen().find("action 1, the last so far; next: =")) << screen();
  keys("n");
  EXPECT_EQ(-1.5, app.snap->action[0]);
  EXPECT_EQ(-1.5, app.snap->next_ctrl[0]);
  keys("2p");
  EXPECT_EQ(force, panel_action_value(&app, 0)) << "history is as it was";
}

TEST_F(Preview, TheHelpBeginsWithItsKeys) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("?");
  std::string text = screen();
  size_t preview = text.find("\n preview"), move = text.find("\n move");
  ASSERT_NE(std::string::npos, preview) << text;
  EXPECT_LT(preview, move) << text;
  EXPECT_EQ(std::string::npos, text.find("\n preview", preview + 1)) << text;
  keys("99j");
  EXPECT_EQ(std::string::npos, screen().find("\n preview")) << screen();
}

TEST_F(Preview, TheEndIsSaidAndNothingGoesOn) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("19n");
  EXPECT_EQ(20, states());
  EXPECT_FALSE(app.snap->reel->predicate[19]);
  EXPECT_NE(std::string::npos, screen().find("not yet"));
  keys("99n");
  EXPECT_EQ(25, states()) << "latched at 24: five steps held";
  EXPECT_EQ(24, app.snap->step);
  EXPECT_EQ(24, app.want.step) << "no step is wanted that there is not";
  EXPECT_EQ(24, app.snap->reel->latch);
  EXPECT_EQ(PH_END_SUCCESS, live().end);
  EXPECT_NE(std::string::npos, said().find("success at step 24")) << said();
  keys("n");
  EXPECT_NE(std::string::npos, said().find("A begins it again")) << said();
  EXPECT_EQ(25, states());
  keys("s");
  EXPECT_NE(std::string::npos, said().find("has ended")) << said();
  keys("Space");
  EXPECT_FALSE(app.playing);
  keys("A n");
  EXPECT_EQ(2, states());
}

TEST_F(Preview, TheEndIsSaidWhereItIsThoughMoreWasAskedFor) {
  struct snapshot *snap = nullptr;
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  for (char key : std::string("99n"))
    app_key(&app, (unsigned char)key, now += 20);
  struct request asked = app.want;
  app_key(&app, 'd', now += 20); // the answer is not of the newest wish
  ASSERT_EQ(PH_OK, session_serve(session, &asked, &snap));
  app_take(&app, snap);
  while (session_work(session, nullptr, nullptr, &snap))
    if (snap)
      app_take(&app, snap);
  EXPECT_NE(std::string::npos, said().find("success at step 24:")) << said();
}

TEST_F(Preview, PlaysOnAtTheHeadInTime) {
  ASSERT_EQ(PH_OK, open(task("failure = function() return false end,"))) << ph_error();
  keys("Space");
  EXPECT_TRUE(app.playing);
  uint64_t t = now;
  for (int i = 0; i < 20; i++)
    react(app_tick(&app, t += 8));
  // 8 ms a step; the first tick starts the clock
  EXPECT_NEAR(20, (double)states(), 2);
  keys("Space");
  int64_t stopped = states();
  react(app_tick(&app, t += 1000));
  EXPECT_EQ(stopped, states());
  keys("Space");
  t = now;
  for (int i = 0; i < 100; i++)
    react(app_tick(&app, t += 8));
  EXPECT_FALSE(app.playing) << "it ends where the episode does";
  EXPECT_EQ(25, states());
}

TEST_F(Preview, ATaskThatIsEditedIsLoadedAnew) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("3n");
  const std::string before = screen();
  auto refused = [&](const std::string &part) {
    line("reload");
    EXPECT_NE(std::string::npos, std::string(app.message).find(part)) << app.message;
    EXPECT_EQ(4, states()) << "what was lived is there";
    EXPECT_EQ(3, app.want.step);
    EXPECT_STREQ("", app.snap->error);
    EXPECT_TRUE(live().running);
  };
  write("t.lua", "return { name = 'cart', oops");
  refused("t.lua:");
  write("t.lua", task("reset = function(env) env.qpos.nosuch = 1 end,"));
  refused("nosuch");
  write("t.lua", task("model = 'none.xml',"));
  refused("none.xml");
  fs::remove(dir / "t.lua");
  refused("t.lua: ");
  EXPECT_NE(std::string::npos, screen().find("not reloaded: ")) << screen();
  keys("2n");
  EXPECT_EQ(6, states()) << "and goes on";
  keys("A 3n");
  EXPECT_NE(std::string::npos, screen().find(before.substr(before.find(">x "), 30))) << "also anew";
  keys("n s i A N Space d c");
  screen();
  write("t.lua", task("failure = function(s) return s.step >= 2 end,"));
  line("reload");
  ASSERT_NE(nullptr, app.snap->reel) << app.snap->error;
  keys("5n");
  EXPECT_EQ(3, states());
  EXPECT_EQ(PH_END_TERMINATED, live().end);
}

TEST_F(Preview, AScriptThatFailsStopsItAndAResetHelps) {
  ASSERT_EQ(PH_OK, open(task("failure = function(s) return s.step == 2 and s.joint.nosuch > 0 "
                             "end,")))
      << ph_error();
  keys("5n");
  EXPECT_FALSE(live().running);
  EXPECT_NE(std::string::npos, std::string(app.snap->error).find("nosuch")) << app.snap->error;
  EXPECT_NE(std::string::npos, screen().find("nosuch")) << screen();
  keys("A");
  EXPECT_TRUE(live().running);
  EXPECT_EQ(std::string(""), app.snap->error);
}

TEST_F(Preview, ASeedFromWhichNoEpisodeBeginsIsSaid) {
  ASSERT_EQ(PH_OK,
            open("return { name = 'cart', model = 'cart.xml', control_steps = 4,\n"
                 "reset = function(env, rng) if rng() < 0.5 then error('bad luck') end end,\n"
                 "success = function(s) return false end }"))
      << ph_error();
  for (int i = 0; i < 30 && app.snap->reel; i++)
    keys("N");
  ASSERT_EQ(nullptr, app.snap->reel);
  std::string seed = "no episode of seed " + std::to_string(app.want.live.seed);
  EXPECT_NE(std::string::npos, screen().find(seed)) << screen();
  EXPECT_NE(std::string::npos, screen().find("bad luck")) << screen();
  keys("n");
  EXPECT_NE(std::string::npos, said().find("no episode runs")) << said();
  for (int i = 0; i < 30 && !app.snap->reel; i++)
    keys("N");
  ASSERT_NE(nullptr, app.snap->reel);
  keys("n");
  EXPECT_EQ(2, states());
}

TEST_F(Preview, WhatCannotBeLoadedAtFirstIsAnError) {
  EXPECT_EQ(PH_ETASK, open("return 1"));
  EXPECT_EQ(PH_EIO, [&] {
    fs::remove(dir / "cart.xml");
    return open(task());
  }()) << ph_error();
}

TEST_F(Preview, NothingIsWritten) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("5n m a");
  EXPECT_EQ("mark a at 5; a preview keeps marks and notes until it is left, and in no file",
            said());
  EXPECT_NE(std::string::npos, screen().find("in no file")) << screen();
  line("note here");
  EXPECT_EQ("noted at 5", said()) << "once is enough";
  size_t files = 0;
  for (auto &f : fs::directory_iterator(dir))
    files++, (void)f;
  EXPECT_EQ(2u, files) << "the task and its model";
}

TEST_F(Preview, AStageThatIsReachedIsAnEvent) {
  ASSERT_EQ(PH_OK, open(task("stages = { { name = 'away', test = function(s) return s.step >= 7 "
                             "end } },")))
      << ph_error();
  keys("5n");
  EXPECT_EQ(std::string::npos, screen().find("○")) << screen();
  EXPECT_NE(std::string::npos, screen().find("now stage not yet")) << screen();
  keys("5n");
  EXPECT_NE(std::string::npos, screen().find("○ stage")) << screen();
  keys("r e");
  EXPECT_EQ(7, app.snap->step);
  EXPECT_EQ("at 7: stage reached: away", said());
  keys("A");
  EXPECT_EQ(std::string::npos, screen().find("○")) << "it is another episode";
}

// A condition that reads stages waits for the states before it, and the answer says that it does.
TEST_F(Preview, AConditionThatWaitsForStagesSaysSo) {
  ph_task *long_one = nullptr;
  ph_model *model = nullptr;
  ph_live *env = nullptr;
  ph_live_options how = PH_LIVE_OPTIONS_INIT;
  struct opened o;
  struct snapshot *snap = static_cast<struct snapshot *>(calloc(1, sizeof *snap));
  write("long.lua", "return { name = 'long', model = 'cart.xml', control_steps = 1,\n"
                    "stages = { { name = 'never', test = function() return false end } },\n"
                    "success = function(s) return s.stages_done == 1 end }");
  ASSERT_EQ(PH_OK, ph_task_open(&long_one, (dir / "long.lua").c_str())) << ph_error();
  ASSERT_EQ(PH_OK, ph_task_model(&model, long_one, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_live_open(&env, long_one, model, &how)) << ph_error();
  ASSERT_EQ(PH_OK, ph_live_reset(env, 1)) << ph_error();
  for (int i = 0; i < 2100; i++)
    ASSERT_EQ(PH_OK, ph_live_advance(env, 1, PH_DRIVE_ZERO, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, opened_live(&o, ph_live_episode(env), model, long_one, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, session_frame(snap, &o, 2100));
  EXPECT_FALSE(snap->has_conditions);
  EXPECT_TRUE(snap->judging);
  snapshot_free(snap);
  snap = static_cast<struct snapshot *>(calloc(1, sizeof *snap));
  opened_judge_stages(&o, INT64_MAX);
  ASSERT_EQ(PH_OK, session_frame(snap, &o, 2100));
  EXPECT_TRUE(snap->has_conditions);
  EXPECT_FALSE(snap->judging);
  snapshot_free(snap);
  opened_close(&o);
  ph_live_free(env);
  ph_model_unref(model);
  ph_task_unref(long_one);
}

TEST_F(Preview, ReadoutsAreRowsOfTheState) {
  ASSERT_EQ(PH_OK, open(task("readouts = { twice = function(s) return 2 * s.joint.x end,\n"
                             "late = function(s) if s.step >= 2 then return 0 / 0 end\n"
                             "return s.latched and 1 or 0 end },")))
      << ph_error();
  keys("n");
  std::string text = screen();
  EXPECT_NE(std::string::npos, text.find("readouts")) << text;
  ASSERT_STREQ("late", app.snap->reel->signals[readout(0)].name);
  EXPECT_EQ(0, app.snap->values[readout(0)]);
  EXPECT_EQ(2 * x(), app.snap->values[readout(1)]);
  EXPECT_STREQ("", app.snap->note);
  keys("s");
  ASSERT_TRUE(live().between);
  EXPECT_EQ(2 * x(), app.snap->values[readout(1)]) << "between two steps too";
  keys("n");
  EXPECT_TRUE(std::isnan(app.snap->values[readout(0)]));
  EXPECT_EQ(2 * x(), app.snap->values[readout(1)]) << "one that fails takes no other along";
  EXPECT_NE(std::string::npos, screen().find("readouts.late: must return a finite number"))
      << screen();
  keys("p");
  EXPECT_STREQ("", app.snap->note);
}

TEST_F(Preview, PlotsGrowWithIt) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  keys("5n");
  line("plot x");
  ASSERT_EQ(1u, app.snap->plot.n);
  EXPECT_EQ(6, app.snap->plot.curve[0].series->steps);
  keys("5n");
  ASSERT_EQ(1u, app.snap->plot.n);
  EXPECT_EQ(11, app.snap->plot.curve[0].series->steps);
  EXPECT_EQ(app.snap->plot.curve[0].ready, app.snap->plot.curve[0].series->n);
  EXPECT_EQ(x(), app.snap->plot.curve[0].value);
}

TEST_F(Preview, ACurveOfTheSeedBeforeGoes) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  line("plot x");
  keys("N");
  ASSERT_EQ(1u, app.snap->plot.n);
  const struct series *curve = app.snap->plot.curve[0].series;
  ASSERT_EQ(1u, curve->n);
  EXPECT_EQ(x(), app.snap->plot.curve[0].value);
  EXPECT_EQ(x(), curve->part[0].max);
}

// Newest wins: a request that is passed over loses nothing, for all are totals.
TEST_F(Preview, RequestsThatArePassedOverLoseNothing) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  for (int i = 0; i < 7; i++)
    app_key(&app, 'n', now += 20); // none is served
  serve();
  EXPECT_EQ(8, states());
  EXPECT_EQ(7, app.snap->step);
  app_key(&app, 'N', now += 20);
  app_key(&app, 'N', now += 20);
  app_key(&app, 'n', now += 20);
  app_key(&app, 's', now += 20);
  serve();
  EXPECT_EQ(5u, live().seed);
  EXPECT_EQ(2, states()) << "what is asked of an episode that is to begin is done once it has";
  EXPECT_EQ(1, live().substep);
  EXPECT_EQ(5, live().substeps);
}

// Any keys in any order: it stays consistent, draws, and never goes past an end.
TEST_F(Preview, AFloodOfKeys) {
  ASSERT_EQ(PH_OK, open(task())) << ph_error();
  static const char common[] = "nnnnsssssppNAdiIc.,GrReE lLu?zq[]{}+-jkfy0123456789";
  std::mt19937 random(7);
  const char *wanted = getenv("PLAYHEAD_STORM");
  int count = wanted ? atoi(wanted) / 10 : 4000;
  for (int i = 0; i < count; i++) {
    if (app.prompt.open)
      react(app_key(&app, KEY_ESC_, now += 20));
    unsigned r = app_key(&app, (unsigned char)common[random() % (sizeof common - 1)], now += 20);
    if (random() % 3 == 0)
      react(r | REACT_SEEK);
    if (random() % 5 == 0)
      react(app_tick(&app, now += random() % 200));
    if (i % 20 == 0)
      screen();
    if (app.snap->reel) {
      ASSERT_LE(states(), 31);
      ASSERT_LE(app.snap->step, states() - 1);
    }
  }
  serve();
  EXPECT_EQ(app.want.serial, app.snap->serial);
  EXPECT_EQ(app.want.live.resets, live().resets);
}

} // namespace
