/* Many envs under one playhead: lockstep, held ends, alignment, what each shows. */
#include "ensemble_help.h"

using namespace ensemble_help;

namespace {

struct Ragged : testing::Test {
  Model model{pile()};
  Sources s;
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  Ragged() {
    for (int actions : {20, 50, 35})
      s.make(model.model, actions);
  }
};

/* The row on show is the recorded one, bit for bit. */
void expect_row(const ph_ensemble_frame &f, const Episode &e) {
  for (ph_column col : kRowColumns) {
    if (!ph_episode_has(e.episode, col) || row_size(col, e.meta().dims) == 0)
      continue;
    const void *at = ph_row_column(&f.recorded, col);
    ASSERT_NE(nullptr, at) << ph_schema_column(col)->path;
    std::string want = e.row(col, f.at.step);
    ASSERT_EQ(0, memcmp(want.data(), at, want.size())) << ph_schema_column(col)->path;
  }
}

TEST_F(Ragged, TheShortestEndsTheLockstep) {
  Ensemble e(s, opt);
  EXPECT_EQ(3u, ph_ensemble_count(e.e));
  EXPECT_EQ(20, ph_ensemble_last(e.e));
  e.seek(1000);
  EXPECT_EQ(20, ph_ensemble_playhead(e.e));
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQ(20, e.frame(i).at.step);
    EXPECT_FALSE(e.frame(i).at.held);
    expect_row(e.frame(i), *s.episodes[i]);
  }
  e.seek(1000, true, 2);
  EXPECT_EQ(20, e.frame(1).dynamic->step);
  EXPECT_EQ(0, e.frame(1).dynamic->substep) << "not past the end";
  e.seek(-5);
  EXPECT_EQ(0, ph_ensemble_playhead(e.e));
  EXPECT_EQ(0, e.frame(1).at.step);
}

TEST_F(Ragged, HeldEnvsKeepTheirLastState) {
  Ensemble e(s, opt);
  ph_ensemble_set_hold(e.e, true);
  EXPECT_TRUE(ph_ensemble_holds(e.e));
  EXPECT_EQ(50, ph_ensemble_last(e.e));
  e.seek(45);
  const int64_t step[] = {20, 45, 35};
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQ(step[i], e.frame(i).at.step);
    EXPECT_EQ(45, e.frame(i).at.wanted);
    EXPECT_EQ(i != 1, e.frame(i).at.held);
    EXPECT_EQ(nullptr, e.frame(i).dynamic);
    expect_row(e.frame(i), *s.episodes[i]);
  }
  e.seek(20);
  EXPECT_FALSE(e.frame(0).at.held) << "its last state is its own";
}

TEST_F(Ragged, DynamicRunsAreTheRecordedOnesBitForBit) {
  Ensemble e(s, opt);
  for (int64_t p : {20, 3, 11, 0, 19}) {
    e.seek(p, true);
    for (size_t i = 0; i < 3; i++) {
      ASSERT_NE(nullptr, e.frame(i).dynamic) << e.frame(i).note;
      EXPECT_EQ(1, e.frame(i).equal);
      EXPECT_STREQ("", e.frame(i).note);
      expect_recorded(*e.frame(i).dynamic, *s.episodes[i]);
    }
  }
}

/* Past its end a dynamic run goes on under the last action. */
TEST_F(Ragged, AFirstSeekMakesEngineDataOnceForEachEnv) {
  Ensemble e(s, opt);
  size_t before = ph_mj_data_made();
  e.seek(10, true);
  EXPECT_EQ(3u, ph_mj_data_made() - before);
  e.seek(4, true);
  EXPECT_EQ(3u, ph_mj_data_made() - before);
}

TEST_F(Ragged, HeldEnvsGoOnUnderTheirLastAction) {
  opt.hold_last = true;
  Ensemble e(s, opt);
  ph_rerun_options longer = PH_RERUN_OPTIONS_INIT;
  longer.states = 60;
  Rerun alone(s.episodes[0]->episode, model.model, nullptr, longer);
  Cursor c(alone);
  for (int64_t p : {19, 21, 50, 33}) {
    e.seek(p, true);
    const ph_ensemble_frame &f = e.frame(0);
    ASSERT_NE(nullptr, f.dynamic) << f.note;
    EXPECT_EQ(p, f.dynamic->step);
    EXPECT_EQ(p > 20 ? -1 : 1, f.equal);
    EXPECT_EQ(bits(c.go(p), dims_of(alone)), bits(*f.dynamic, dims_of(alone)));
  }
  e.seek(33, true, 2);
  EXPECT_EQ(2, e.frame(0).dynamic->substep);
  EXPECT_EQ(bits(c.go(33, 2), dims_of(alone)), bits(*e.frame(0).dynamic, dims_of(alone)));
}

TEST_F(Ragged, AnEnvThatCannotBeReadIsOneWithAReason) {
  s.add_unreadable("demo_9", "header: not an HDF5 file");
  Ensemble e(s, opt);
  EXPECT_STREQ("demo_9", ph_ensemble_env_of(e.e, 3)->id);
  EXPECT_STREQ("header: not an HDF5 file", ph_ensemble_env_of(e.e, 3)->reason);
  EXPECT_EQ(20, ph_ensemble_last(e.e)) << "it does not end the lockstep";
  e.seek(10, true);
  EXPECT_EQ(-1, e.frame(3).at.step);
  EXPECT_EQ(nullptr, e.frame(3).recorded.state);
  EXPECT_STREQ("header: not an HDF5 file", e.frame(3).note);
  EXPECT_EQ(1, e.frame(2).equal);
  e.measure();
  EXPECT_TRUE(e.result(3).ended);
  EXPECT_FALSE(e.result(3).ran);
  EXPECT_EQ(1u, e.look().refused);
  EXPECT_EQ(3u, e.look().class_of[PH_BITWISE]);
  for (double v : e.lane(3, 0, 21, 7))
    EXPECT_EQ(PH_LANE_NONE, v);
}

TEST(Ensemble, EqualIsWhatHasEqualBitsInAllThatIsCompared) {
  Model model(pile());
  for (ph_column col : {PH_COL_STATES, PH_COL_WARMSTART, PH_COL_CTRL}) {
    Sources s;
    Maker maker(model.model);
    maker.actions = 30;
    s.add(maker.make(), model.model);
    uint64_t bits;
    double *value = &maker.memory->data[col][20 * maker.memory->width[col]];
    memcpy(&bits, value, sizeof bits);
    bits ^= 1;
    memcpy(value, &bits, sizeof bits);
    Ensemble e(s);
    e.seek(19, true);
    EXPECT_EQ(1, e.frame(0).equal) << ph_schema_column(col)->path;
    e.seek(20, true);
    EXPECT_EQ(0, e.frame(0).equal) << ph_schema_column(col)->path;
  }
}

TEST(Ensemble, NothingToShowIsRefused) {
  ph_ensemble *e = nullptr;
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  ph_ensemble_source none = {};
  EXPECT_EQ(PH_EINVAL, ph_ensemble_create(&e, &none, 0, nullptr));
  EXPECT_STREQ("envs: there is no episode", ph_error());
  opt.broadcast = 3;
  ph_ensemble_source two[2] = {};
  EXPECT_EQ(PH_EINVAL, ph_ensemble_create(&e, two, 2, &opt));
  opt.broadcast = PH_ENSEMBLE_MAX + 1;
  EXPECT_EQ(PH_EINVAL, ph_ensemble_create(&e, two, 1, &opt));
  opt.broadcast = -1;
  EXPECT_EQ(PH_EINVAL, ph_ensemble_create(&e, two, 1, &opt));
  opt.broadcast = 0;
  opt.lead = 2;
  EXPECT_EQ(PH_EINVAL, ph_ensemble_create(&e, two, 2, &opt));
  EXPECT_EQ(nullptr, e);
}

TEST(Ensemble, AllUnreadableIsStillAnEnsemble) {
  Sources s;
  s.add_unreadable("a", nullptr);
  s.add_unreadable("b", "");
  Ensemble e(s);
  EXPECT_EQ(0, ph_ensemble_last(e.e));
  e.seek(3, true);
  EXPECT_EQ(-1, e.frame(1).at.step);
  EXPECT_STREQ("it cannot be read", e.frame(1).note);
  e.measure();
  EXPECT_EQ(2u, e.look().refused);
  EXPECT_TRUE(e.look().over);
}

/* Each env has a model of its own. */
TEST(Ensemble, ModelsDiffer) {
  Model one(pile()), other(help_scene()), rk(pile("PGS", "RK4"));
  Sources s;
  s.make(one.model, 12);
  Maker maker(other.model);
  maker.actions = 9;
  s.add(maker.make(), other.model);
  s.make(rk.model, 15);
  Ensemble e(s);
  e.seek(9, true);
  for (size_t i = 0; i < 3; i++) {
    ASSERT_NE(nullptr, e.frame(i).dynamic) << e.frame(i).note;
    EXPECT_EQ(1, e.frame(i).equal);
    expect_recorded(*e.frame(i).dynamic, *s.episodes[i]);
  }
}

/* One that is given another's model is refused, and names both sides; the others go on. */
TEST(Ensemble, AModelThatDoesNotFitIsRefused) {
  Model one(pile()), other(help_scene());
  Sources s;
  s.make(one.model, 12);
  Maker maker(one.model);
  s.add(maker.make(), other.model);
  s.add(maker.make(), nullptr);
  s.list.back().reason = "its text is damaged";
  Ensemble e(s);
  e.seek(5, true);
  EXPECT_EQ(1, e.frame(0).equal);
  EXPECT_EQ(nullptr, e.frame(1).dynamic);
  EXPECT_NE(nullptr, e.frame(1).recorded.state) << "its recording is shown";
  EXPECT_NE(nullptr, strstr(e.frame(1).note, "model")) << e.frame(1).note;
  EXPECT_STREQ("no model; its text is damaged", ph_ensemble_env_of(e.e, 2)->refused);
  EXPECT_EQ(PH_STATES_ONLY, ph_ensemble_env_of(e.e, 2)->guarantee);
  EXPECT_STREQ(ph_ensemble_env_of(e.e, 2)->refused, e.frame(2).note);
  e.measure();
  EXPECT_TRUE(e.result(0).ran);
  EXPECT_FALSE(e.result(1).ran);
  EXPECT_NE(PH_OK, e.result(1).status);
  EXPECT_NE('\0', e.result(1).text[0]);
  EXPECT_FALSE(e.result(2).ran);
  for (size_t i = 0; i < 3; i++)
    EXPECT_EQ(i == 0 ? 0 : PH_LANE_NONE, e.lane(i, 0, 10, 1)[0]) << i;
  EXPECT_EQ(2u, e.look().refused);
}

/* --- broadcast --- */

TEST(Ensemble, OneRecordingIsManyEnvs) {
  Model model(pile());
  Sources s;
  s.make(model.model, 25);
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.broadcast = 5;
  opt.lead = 4;
  Ensemble e(s, opt);
  ASSERT_EQ(5u, ph_ensemble_count(e.e));
  e.seek(25, true);
  for (size_t i = 0; i < 5; i++) {
    EXPECT_EQ(static_cast<int>(i), ph_ensemble_env_of(e.e, i)->env_id);
    EXPECT_EQ(1, e.frame(i).equal);
  }
  opt.lead = 5;
  ph_ensemble *none = nullptr;
  EXPECT_EQ(PH_EINVAL, ph_ensemble_create(&none, s.list.data(), 1, &opt));
}

/* --- memory --- */

TEST_F(Ragged, TheBudgetIsOfAllTogether) {
  Rerun alone(s.episodes[0]->episode, model.model, nullptr);
  Cursor(alone).go(20);
  size_t each = alone.cached().bytes / static_cast<size_t>(alone.cached().cached);
  opt.budget = 30 * each;
  Ensemble e(s, opt);
  ph_ensemble_set_hold(e.e, true);
  ph_rerun_cache cache;
  ph_ensemble_cached(e.e, &cache);
  EXPECT_EQ(0, cache.cached);
  e.seek(50, true);
  ph_ensemble_cached(e.e, &cache);
  EXPECT_GE(cache.every, 8);
  EXPECT_LE(cache.bytes, opt.budget);
  EXPECT_GE(cache.cached, 9);
  Straight straight(Rerun(s.episodes[1]->episode, model.model, nullptr));
  for (int64_t p : {7, 49, 50, 0, 22, 21}) {
    e.seek(p, true);
    EXPECT_EQ(straight.at[static_cast<size_t>(p)][0], bits(*e.frame(1).dynamic, dims_of(alone)));
  }
}

/* Engine data is bounded: the lead and those beside it show a dynamic state. */
TEST(Ensemble, SomeEngines) {
  Model model(pile());
  Sources s;
  s.make(model.model, 10);
  ph_ensemble_options opt = PH_ENSEMBLE_OPTIONS_INIT;
  opt.broadcast = 9;
  opt.engines = 4;
  Ensemble e(s, opt);
  auto shown = [&] {
    std::string all;
    for (size_t i = 0; i < 9; i++) {
      const ph_ensemble_frame &f = e.frame(i);
      all += f.dynamic ? 'd' : '-';
      EXPECT_EQ(f.dynamic ? 1 : -1, f.equal);
      EXPECT_STREQ(f.dynamic ? "" : "dynamic states of 4 envs are shown at a time", f.note);
      EXPECT_NE(nullptr, f.recorded.state);
    }
    return all;
  };
  e.seek(7, true);
  EXPECT_EQ("dddd-----", shown());
  for (auto [lead, want] : {std::pair<size_t, const char *>{8, "-----dddd"},
                            {4, "--dddd---"},
                            {7, "-----dddd"},
                            {1, "dddd-----"}}) {
    ASSERT_EQ(PH_OK, ph_ensemble_set_lead(e.e, lead));
    e.seek(7, true);
    EXPECT_EQ(want, shown()) << lead;
  }
}

/* --- cancel --- */

bool at_once(void *) {
  return true;
}

TEST_F(Ragged, ASeekIsCanceledAndTakenUpAgain) {
  Ensemble e(s, opt);
  EXPECT_EQ(PH_ECANCELED, ph_ensemble_seek(e.e, 20, 0, true, at_once, nullptr));
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQ(20, e.frame(i).at.step);
    EXPECT_NE(nullptr, e.frame(i).recorded.state) << "recorded rows are there at once";
    EXPECT_EQ(nullptr, e.frame(i).dynamic);
    EXPECT_STREQ("its dynamic run is on its way", e.frame(i).note);
  }
  e.seek(20, true);
  EXPECT_EQ(1, e.frame(2).equal);
  EXPECT_EQ(PH_OK, ph_ensemble_seek(e.e, 20, 0, false, at_once, nullptr));
}

/* --- damage --- */

TEST_F(Ragged, ARowThatDoesNotCheckIsANote) {
  Maker maker(model.model);
  maker.actions = 30;
  maker.start = disturb;
  s.add(maker.make(), model.model);
  maker.memory->corrupt = 12;
  Ensemble e(s, opt);
  e.seek(12);
  EXPECT_EQ(nullptr, e.frame(3).recorded.state);
  EXPECT_NE('\0', e.frame(3).note[0]);
  EXPECT_NE(nullptr, e.frame(2).recorded.state);
  e.seek(13);
  EXPECT_NE(nullptr, e.frame(3).recorded.state) << e.frame(3).note;
  EXPECT_STREQ("", e.frame(3).note);
  e.measure();
  EXPECT_TRUE(e.result(3).ran);
  EXPECT_EQ(12, e.result(3).stopped) << "the action of that row is damaged too";
  EXPECT_EQ(3u, e.look().class_of[PH_BITWISE] - (e.result(3).cls == PH_BITWISE));
}

} // namespace
