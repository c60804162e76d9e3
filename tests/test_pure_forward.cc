/* A forward that is not seen by the trajectory: rollouts with and without it agree in every bit. */
#include "mj_help.h"

extern "C" {
#include "rng.h"
}

namespace {

struct Case {
  const char *solver, *integrator;
};

struct PureForward : testing::TestWithParam<Case> {
  ph_model *model = nullptr;
  ph_sim *plain = nullptr, *seen = nullptr;
  void SetUp() override {
    model = help_model(help_scene(GetParam().solver, GetParam().integrator));
    ASSERT_NE(nullptr, model);
    ASSERT_EQ(PH_OK, ph_sim_create(&plain, model));
    ASSERT_EQ(PH_OK, ph_sim_create(&seen, model));
  }
  void TearDown() override {
    ph_sim_free(plain);
    ph_sim_free(seen);
    ph_model_unref(model);
  }
  /* A step, then what a controller writes for the next one: an orientation that is not of length
   * one, which the engine would make so. */
  static void drive(ph_sim *sim, int t) {
    double ctrl[2];
    bool warned;
    help_ctrl(t, ctrl);
    ASSERT_EQ(PH_OK, ph_sim_step(sim, ctrl, 1, &warned)) << ph_error();
    sim->d->mocap_quat[0] = 0.9 + 0.01 * (t % 7);
    sim->d->mocap_pos[0] = -0.7 + 0.1 * std::sin(0.02 * t);
  }
  /* Whether the engine's own forward would write this component here. */
  bool spoils(ph_column col) {
    size_t n = static_cast<size_t>(ph_mj_width(seen->m, col));
    std::vector<double> before(n + 1), after(n + 1);
    mjData *d = mj_copyData(nullptr, seen->m, seen->d);
    ph_mj_get(seen->m, d, col, before.data());
    mj_forward(seen->m, d);
    ph_mj_get(seen->m, d, col, after.data());
    mj_deleteData(d);
    return memcmp(before.data(), after.data(), n * sizeof(double)) != 0;
  }
};

TEST_P(PureForward, IsTransparent) {
  int contacts = 0;
  bool state = false, quat = false;
  for (int t = 0; t < 300; t++) {
    drive(plain, t);
    drive(seen, t);
    state = state || spoils(PH_COL_STATES);
    quat = quat || spoils(PH_COL_MOCAP_QUAT);
    std::string before = help_bits(seen);
    ASSERT_EQ(PH_OK, ph_sim_forward(seen));
    ASSERT_EQ(before, help_bits(seen)) << t;
    ASSERT_EQ(help_bits(plain), help_bits(seen)) << t;
    contacts += seen->d->ncon > 0;
  }
  EXPECT_GT(contacts, 150);
  if (mjVERSION_HEADER < 320) {
    EXPECT_TRUE(state && quat); /* else nothing was there to be spoilt */
  }
}

TEST_P(PureForward, RestoresAtRandomStepsGoOnBitForBit) {
  ph_rng rng;
  ph_rng_seed(&rng, 7, 0);
  for (int i = 0; i < 12; i++) {
    int at = static_cast<int>(ph_rng_uniform(&rng) * 250);
    ASSERT_EQ(PH_OK, ph_sim_reset(plain));
    for (int t = 0; t < at; t++)
      drive(plain, t);
    HelpRow row(plain);
    ASSERT_EQ(PH_OK, ph_sim_set_row(seen, &row.row));
    ASSERT_EQ(PH_OK, ph_sim_forward(seen));
    for (int t = at; t < at + 40; t++) {
      drive(plain, t);
      drive(seen, t);
    }
    ASSERT_EQ(help_bits(plain), help_bits(seen)) << "from " << at;
  }
}

/* What the test is good for: MuJoCo's own forward is seen, until 3.3.6, where it leaves the
 * warmstart alone (and since 3.2.0 the quaternions). */
TEST_P(PureForward, TheEnginesOwnIsNot) {
  bool differs = false;
  for (int t = 0; t < 400 && !differs; t++) {
    drive(plain, t);
    drive(seen, t);
    mj_forward(seen->m, seen->d);
    differs = help_bits(plain) != help_bits(seen);
  }
  EXPECT_TRUE(differs || mjVERSION_HEADER >= 336);
}

TEST_P(PureForward, GivesWhatTheEnginesForwardGives) {
  for (int t = 0; t < 60; t++)
    drive(seen, t);
  mjData *d = mj_copyData(nullptr, seen->m, seen->d);
  mj_forward(seen->m, d);
  ASSERT_EQ(PH_OK, ph_sim_forward(seen));
  const mjModel *m = seen->m;
  EXPECT_EQ(0, memcmp(d->xpos, seen->d->xpos, sizeof(double) * 3 * m->nbody));
  EXPECT_EQ(0, memcmp(d->sensordata, seen->d->sensordata, sizeof(double) * m->nsensordata));
  EXPECT_EQ(0, memcmp(d->qacc, seen->d->qacc, sizeof(double) * m->nv));
  EXPECT_EQ(d->ncon, seen->d->ncon);
  mj_deleteData(d);
}

const Case cases[] = {
    {"PGS", "Euler"},    {"CG", "Euler"},    {"Newton", "Euler"},
    {"PGS", "RK4"},      {"CG", "RK4"},      {"Newton", "RK4"},
    {"PGS", "implicit"}, {"CG", "implicit"}, {"Newton", "implicit"},
};

INSTANTIATE_TEST_SUITE_P(All, PureForward, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<Case> &info) {
                           return std::string(info.param.solver) + info.param.integrator;
                         });

} // namespace
