/* What a rerun may do otherwise than the file says: feeds, starts, decimation, recipe, the model.
 */
#include "rerun_maker.h"

using namespace rerun_help;

namespace {

struct RerunOptions : testing::Test {
  Model model{pile()};
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  ph_rerun *none = nullptr;

  std::string last(const Episode &e, int64_t step) {
    Rerun r(e.episode, model.model, nullptr, opt);
    Cursor c(r);
    return bits(c.go(step), dims_of(r));
  }
  /* Every state of the run is the recorded one. */
  void expect_exact(const Episode &e, const Model &m) {
    Rerun r(e.episode, m.model, nullptr, opt);
    ASSERT_NE(nullptr, r.run);
    Cursor c(r);
    for (int64_t t = ph_rerun_anchor(r.run); t < e.meta().states; t++) {
      expect_recorded(c.go(t), e);
      if (HasFatalFailure())
        return;
    }
    for (int64_t t = 0; t < e.meta().actions; t += 5) {
      ASSERT_EQ(PH_OK, ph_cursor_one_step(c.cursor, t)) << ph_error();
      expect_recorded(*ph_cursor_now(c.cursor), e);
    }
  }
  bool differs(const Episode &e, const ph_rerun_options &with, int64_t step) {
    Rerun plain(e.episode, model.model, nullptr), r(e.episode, model.model, nullptr, with);
    Cursor a(plain), b(r);
    return bits(a.go(step), dims_of(plain)) != bits(b.go(step), dims_of(r));
  }
};

TEST_F(RerunOptions, EveryRecipe) {
  for (ph_recipe recipe : {PH_RECIPE_STEP, PH_RECIPE_FORWARD_STEP, PH_RECIPE_STEP1_STEP2}) {
    SCOPED_TRACE(ph_recipe_name(recipe));
    Model pgs(pile("PGS"));
    Maker maker(pgs.model);
    maker.recipe = recipe;
    Episode e(maker.make());
    opt.recipe = -1;
    expect_exact(e, pgs);
    opt.recipe = recipe;
    expect_exact(e, pgs);
    opt.recipe = recipe == PH_RECIPE_FORWARD_STEP ? PH_RECIPE_STEP : PH_RECIPE_FORWARD_STEP;
    Rerun r(e.episode, pgs.model, nullptr, opt);
    Cursor c(r);
    std::string want = e.row(PH_COL_STATES, 60);
    EXPECT_NE(0, memcmp(want.data(), c.go(60).row.state, want.size()));
    ph_recipe named;
    ASSERT_TRUE(ph_recipe_from_name(ph_recipe_name(recipe), &named));
    EXPECT_EQ(recipe, named);
  }
  ph_recipe named;
  EXPECT_FALSE(ph_recipe_from_name("leap", &named));
}

TEST_F(RerunOptions, CtrlOfSubsteps) {
  Maker maker(model.model);
  maker.substeps = true;
  Episode e(maker.make());
  expect_exact(e, model);
  char why[300];
  ph_episode_guarantee(e.episode, model.model, nullptr, why, sizeof why);
  EXPECT_EQ(nullptr, strstr(why, "taken as ctrl")) << why;
  Rerun r(e.episode, model.model, nullptr);
  Cursor c(r);
  EXPECT_EQ(Maker::ctrl_of(7, 2, 1), c.go(7, 3).row.ctrl[1]);
  EXPECT_EQ(Maker::ctrl_of(7, 0, 1), c.go(7, 1).row.ctrl[1]);
  seek_around(r, Straight(r, 3), 60);
  opt.feed = PH_FEED_HELD;
  opt.anchor = 5;
  Rerun held(e.episode, model.model, nullptr, opt);
  Cursor d(held);
  EXPECT_EQ(Maker::ctrl_of(4, 1, 0), d.go(30, 2).row.ctrl[0]);
}

TEST_F(RerunOptions, AnotherDecimation) {
  Maker maker(model.model);
  maker.steps = 5;
  maker.said = 4;
  Episode e(maker.make());
  Rerun wrong(e.episode, model.model, nullptr);
  Cursor w(wrong);
  std::string want = e.row(PH_COL_STATES, 1);
  EXPECT_NE(0, memcmp(want.data(), w.go(1).row.state, want.size()));
  opt.control_steps = 5;
  expect_exact(e, model);
  Rerun r(e.episode, model.model, nullptr, opt);
  EXPECT_EQ(5, ph_rerun_control_steps(r.run));
  EXPECT_DOUBLE_EQ(0.02, ph_rerun_control_dt(r.run));
}

TEST_F(RerunOptions, ShiftedActions) {
  Maker maker(model.model);
  maker.amend = [](std::vector<double> &actions) { /* each stands one row too late */
                                                   actions.insert(actions.begin(), actions.begin(),
                                                                  actions.begin() + 2);
                                                   actions.resize(actions.size() - 2);
  };
  Episode e(maker.make());
  opt.shift = 1;
  Rerun r(e.episode, model.model, nullptr, opt);
  Cursor c(r);
  for (int64_t t = 0; t < 60; t++)
    expect_recorded(c.go(t), e);
  EXPECT_EQ(60, c.go(60).step);
  opt.shift = -1000;
  Rerun far(e.episode, model.model, nullptr, opt);
  Cursor d(far);
  EXPECT_EQ(Maker::ctrl_of(0, 0, 0), d.go(60).action[0]);
}

TEST_F(RerunOptions, Feeds) {
  Maker maker(model.model);
  Episode e(maker.make());
  opt.anchor = 20;
  opt.states = 100;
  {
    Rerun r(e.episode, model.model, nullptr, opt);
    Cursor c(r);
    EXPECT_EQ(Maker::ctrl_of(25, 0, 1), c.go(26).action[1]);
    EXPECT_EQ(Maker::ctrl_of(59, 0, 1), c.go(99).action[1]);
    EXPECT_EQ(99, ph_cursor_now(c.cursor)->step);
  }
  opt.feed = PH_FEED_HELD;
  {
    Rerun r(e.episode, model.model, nullptr, opt);
    Cursor c(r);
    EXPECT_EQ(Maker::ctrl_of(19, 0, 1), c.go(26).action[1]);
    EXPECT_EQ(Maker::ctrl_of(19, 0, 1), c.go(26).row.ctrl[1]);
  }
  opt.feed = PH_FEED_ZERO;
  double over[2] = {NAN, 0.25};
  opt.override = over;
  Rerun r(e.episode, model.model, nullptr, opt);
  over[1] = 7; /* it was copied */
  Cursor c(r);
  EXPECT_EQ(0.0, c.go(26).action[0]);
  EXPECT_EQ(0.25, ph_cursor_now(c.cursor)->action[1]);
  seek_around(r, Straight(r, 1), 60);
  EXPECT_STREQ("held", ph_feed_name(PH_FEED_HELD));
}

TEST_F(RerunOptions, FromARowOfAnother) {
  Maker maker(model.model);
  Episode e(maker.make());
  Rerun plain(e.episode, model.model, nullptr);
  Cursor c(plain);
  {
    const ph_instant &now = c.go(30);
    opt.anchor = 30;
    opt.from = &now.row;
    Rerun r(e.episode, model.model, nullptr, opt);
    c.go(3);
    Cursor d(r);
    expect_recorded(d.go(60), e);
  }
  ph_row alone = {};
  std::string state = e.row(PH_COL_STATES, 12);
  alone.state = reinterpret_cast<const double *>(state.data());
  opt.from = &alone;
  Rerun r(e.episode, model.model, nullptr, opt);
  Cursor d(r);
  const ph_instant &now = *ph_cursor_now(d.cursor);
  EXPECT_EQ(0, memcmp(state.data(), now.row.state, state.size()));
  std::string mocap = e.row(PH_COL_MOCAP_QUAT, 30), ctrl = e.row(PH_COL_CTRL, 30);
  EXPECT_EQ(0, memcmp(mocap.data(), now.row.mocap_quat, mocap.size()));
  EXPECT_EQ(0, memcmp(ctrl.data(), now.row.ctrl, ctrl.size()));
  EXPECT_EQ(0.0, now.row.warmstart[0]);
  alone.state = nullptr;
  EXPECT_EQ(PH_EINVAL, ph_rerun_create(&none, e.episode, model.model, nullptr, &opt));
  std::vector<double> bad(state.size() / sizeof(double), NAN);
  alone.state = bad.data();
  EXPECT_EQ(PH_ESIM, ph_rerun_create(&none, e.episode, model.model, nullptr, &opt));
  EXPECT_EQ(nullptr, none);
}

TEST_F(RerunOptions, Cold) {
  Maker maker(model.model);
  Episode e(maker.make());
  opt.anchor = 30;
  opt.cold = true;
  Rerun r(e.episode, model.model, nullptr, opt);
  Cursor c(r);
  EXPECT_EQ(0.0, ph_cursor_now(c.cursor)->row.warmstart[0]);
  std::string state = e.row(PH_COL_STATES, 30);
  EXPECT_EQ(0, memcmp(state.data(), ph_cursor_now(c.cursor)->row.state, state.size()));
  EXPECT_TRUE(differs(e, opt, 60));
}

/* --- changes of the model --- */

ph_change parsed(const char *text) {
  ph_change change;
  EXPECT_EQ(PH_OK, ph_change_parse(&change, text)) << ph_error();
  return change;
}

TEST_F(RerunOptions, ChangesAreParsed) {
  EXPECT_EQ(mjSOL_CG, parsed("solver=CG").value);
  EXPECT_EQ(mjSOL_NEWTON, parsed("solver=newton").value);
  EXPECT_EQ(mjINT_RK4, parsed("integrator=RK4").value);
  EXPECT_EQ(mjCONE_ELLIPTIC, parsed("cone=elliptic").value);
  EXPECT_EQ(0.001, parsed("timestep=0.001").value);
  EXPECT_EQ(0.5, parsed("friction=x0.5").value);
  EXPECT_STREQ("friction:cup", parsed("friction:cup=0.2").name);
  EXPECT_EQ(-3.5, parsed("gravity.z=-3.5").value);
  EXPECT_EQ(7, parsed("iterations=7").value);
  ph_change change;
  for (const char *bad : {"", "=", "solver", "solver=", "solver=best", "timestep=0", "timestep=-1",
                          "timestep=nan", "timestep=fast", "iterations=1.5", "iterations=-1",
                          "friction=0.5", "friction:=0.5", "friction:cup=x0.5", "mass=3",
                          "gravity.w=1", "tolerance=1e-8x", "friction:cup=-1", "timestep=1e999"})
    EXPECT_EQ(PH_EINVAL, ph_change_parse(&change, bad)) << bad;
  ph_change_parse(&change, "solver=best");
  EXPECT_NE(nullptr, strstr(ph_error(), "PGS, CG, Newton")) << ph_error();
  ph_change_parse(&change, "mass=3");
  EXPECT_NE(nullptr, strstr(ph_error(), "there are timestep, solver")) << ph_error();
  EXPECT_EQ(PH_EINVAL, ph_change_parse(&change, (std::string(200, 'a') + "=1").c_str()));
}

/* A change gives the bits of a model that has it; the shared model keeps its own. */
TEST_F(RerunOptions, ChangesAreTheModels) {
  Model pgs(pile("PGS"));
  Maker with_pgs(pgs.model);
  Episode e(with_pgs.make());
  Maker plain(model.model);
  Episode mine(plain.make());
  ph_change changes[] = {parsed("solver=PGS")};
  opt.changes = changes;
  opt.nchanges = 1;
  EXPECT_TRUE(differs(mine, opt, 60));
  {
    Rerun r(mine.episode, model.model, nullptr, opt);
    Cursor c(r);
    for (int64_t t = 0; t <= 60; t++)
      expect_recorded(c.go(t), e);
    seek_around(r, Straight(r, 1), 40);
  }
  EXPECT_EQ(mjSOL_NEWTON, model.model->m->opt.solver);
  for (const char *text :
       {"friction=x0.1", "friction:box=3", "friction:to*=3", "gravity.z=-1", "timestep=0.002",
        "iterations=1", "cone=elliptic", "integrator=RK4", "gravity.x=1"}) {
    changes[0] = parsed(text);
    EXPECT_TRUE(differs(mine, opt, 60)) << text;
  }
  changes[0] = parsed("timestep=0.002");
  Rerun r(mine.episode, model.model, nullptr, opt);
  EXPECT_DOUBLE_EQ(0.008, ph_rerun_control_dt(r.run));
  EXPECT_EQ(0.004, model.model->m->opt.timestep);
  changes[0] = parsed("friction:nobody=1");
  EXPECT_EQ(PH_EMISMATCH, ph_rerun_create(&none, mine.episode, model.model, nullptr, &opt));
  EXPECT_NE(nullptr, strstr(ph_error(), "nobody")) << ph_error();
}

/* Edits of the reset stay below the changes. */
TEST_F(RerunOptions, EditsOfTheReset) {
  Maker maker(model.model);
  std::vector<double> friction(model.model->m->geom_friction,
                               model.model->m->geom_friction + 3 * model.model->m->ngeom);
  for (double &x : friction)
    x *= 0.3;
  maker.edits = {{"geom_friction", PH_F64, {model.model->m->ngeom, 3}, friction.data()}};
  Episode e(maker.make());
  expect_exact(e, model);
  EXPECT_TRUE(differs(
      e,
      [&] {
        ph_rerun_options with = opt;
        static ph_change change = parsed("friction=x2");
        with.changes = &change;
        with.nchanges = 1;
        return with;
      }(),
      60));
}

} // namespace
