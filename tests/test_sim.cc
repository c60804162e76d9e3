#include "mj_help.h"

namespace {

struct Sim : testing::Test {
  ph_model *model = nullptr;
  ph_sim *sim = nullptr;
  void open(const std::string &xml = help_scene()) {
    model = help_model(xml);
    ASSERT_NE(nullptr, model);
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model)) << ph_error();
  }
  void run(int from, int to) {
    for (int t = from; t < to; t++) {
      double ctrl[2];
      bool warned = false;
      help_ctrl(t, ctrl);
      ASSERT_EQ(PH_OK, ph_sim_step(sim, ctrl, 2, &warned)) << ph_error();
      ASSERT_FALSE(warned);
    }
  }
  void TearDown() override {
    ph_sim_free(sim);
    ph_model_unref(model);
  }
};

TEST_F(Sim, FreshIsTheModelsResetState) {
  open();
  mjData *d = mj_makeData(model->m);
  for (int i = 0; i < PH_COL_COUNT; i++) {
    ph_column col = static_cast<ph_column>(i);
    size_t n = static_cast<size_t>(ph_mj_width(model->m, col));
    std::vector<double> want(n + 1), got(n + 1);
    ph_mj_get(model->m, d, col, want.data());
    ph_mj_reset_value(model->m, col, got.data());
    EXPECT_EQ(0, memcmp(want.data(), got.data(), n * sizeof(double))) << ph_schema_column(col)->path;
  }
  mj_deleteData(d);
}

TEST_F(Sim, EveryComponentGoesRoundBitForBit) {
  open();
  run(0, 60);
  for (int i = 0; i < sim->m->nv; i++)
    sim->d->qfrc_applied[i] = 0.01 * i;
  for (int i = 0; i < 6 * sim->m->nbody; i++)
    sim->d->xfrc_applied[i] = 0.001 * i;
  sim->d->userdata[1] = -0.0;
  sim->d->mocap_quat[1] = 0.3;
  sim->m->eq_active[1] = 1;
  std::string before = help_bits(sim);
  HelpRow row(sim);
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  ASSERT_NE(before, help_bits(sim));
  ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &row.row));
  EXPECT_EQ(before, help_bits(sim));
  ph_sim *other = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&other, model));
  ASSERT_EQ(PH_OK, ph_sim_set_row(other, &row.row));
  EXPECT_EQ(before, help_bits(other));
  ph_sim_free(other);
}

TEST_F(Sim, ComponentsThatARowLacksGetTheirResetValue) {
  open();
  std::string fresh = help_bits(sim);
  run(0, 30);
  sim->d->userdata[0] = 4;
  sim->d->xfrc_applied[8] = 1;
  sim->d->mocap_pos[0] = 9;
  sim->m->eq_active[0] = 0;
  ph_row nothing = {};
  ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &nothing));
  EXPECT_EQ(fresh, help_bits(sim));
}

} // namespace
