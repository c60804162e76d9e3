#include "mj_help.h"

#include <limits>

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

struct Sim : testing::Test {
  ph_model *model = nullptr;
  ph_sim *sim = nullptr;
  void open(const std::string &xml = help_scene()) {
    model = help_model(xml);
    ASSERT_NE(nullptr, model);
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model)) << ph_error();
  }
  void run(ph_sim *s, int from, int to) {
    for (int t = from; t < to; t++) {
      double ctrl[2];
      bool warned = true;
      help_ctrl(t, ctrl);
      ASSERT_EQ(PH_OK, ph_sim_step(s, ctrl, 2, &warned)) << ph_error();
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
    EXPECT_EQ(0, memcmp(want.data(), got.data(), n * sizeof(double)))
        << ph_schema_column(col)->path;
  }
  mj_deleteData(d);
}

/* Fills every component with values that a reset does not leave. */
void disturb(ph_sim *sim) {
  for (int i = 0; i < sim->m->nv; i++)
    sim->d->qfrc_applied[i] = 0.01 * (i + 1);
  for (int i = 0; i < 6 * sim->m->nbody; i++)
    sim->d->xfrc_applied[i] = 0.001 * (i + 1);
  sim->d->userdata[1] = -0.0;
  sim->d->userdata[2] = 1;
  sim->d->mocap_pos[2] = 0.7;
  sim->d->mocap_quat[1] = 0.3;
  uint8_t active[] = {0, 1};
  ph_mj_set(sim->m, sim->d, PH_COL_EQ_ACTIVE, active);
}

TEST_F(Sim, EveryComponentGoesRoundBitForBit) {
  open();
  std::string fresh = help_bits(sim);
  run(sim, 0, 60);
  disturb(sim);
  std::string before = help_bits(sim);
  HelpRow row(sim);
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  EXPECT_EQ(fresh, help_bits(sim));
  ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &row.row));
  EXPECT_EQ(before, help_bits(sim));
  ph_sim *other = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&other, model));
  ASSERT_EQ(PH_OK, ph_sim_set_row(other, &row.row));
  EXPECT_EQ(before, help_bits(other));
  ph_sim_free(other);
}

/* Each component matters alone: leaving any one out must show. */
TEST_F(Sim, ComponentsThatARowLacksGetTheirResetValue) {
  open();
  std::string fresh = help_bits(sim);
  run(sim, 0, 30);
  disturb(sim);
  std::string before = help_bits(sim);
  HelpRow full(sim);
  for (int i = 0; i < PH_COL_COUNT; i++) {
    ph_column col = static_cast<ph_column>(i);
    if (!ph_row_column(&full.row, col))
      continue;
    ph_row part = full.row;
    ph_row_set_column(&part, col, nullptr);
    ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &part));
    EXPECT_NE(before, help_bits(sim)) << ph_schema_column(col)->path;
    ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &full.row));
    EXPECT_EQ(before, help_bits(sim)) << ph_schema_column(col)->path;
  }
  ph_row nothing = {};
  ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &nothing));
  EXPECT_EQ(fresh, help_bits(sim));
}

TEST_F(Sim, ARestoredStateGoesOnBitForBit) {
  open();
  ph_sim *other = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&other, model));
  run(other, 0, 17); /* its own past must not matter */
  for (int at = 0; at < 200; at += 23) {
    run(sim, at, at + 23);
    HelpRow row(sim);
    ASSERT_EQ(PH_OK, ph_sim_set_row(other, &row.row));
    run(other, at + 23, at + 46);
    run(sim, at + 23, at + 46);
    EXPECT_EQ(help_bits(sim), help_bits(other)) << at;
    ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &row.row));
  }
  ph_sim_free(other);
}

/* --- what MuJoCo hides --- */

TEST_F(Sim, NanInCtrlIsRefusedAndNamed) {
  open();
  double ctrl[] = {0.1, kNan};
  bool warned;
  run(sim, 0, 3);
  std::string before = help_bits(sim);
  EXPECT_EQ(PH_ESIM, ph_sim_step(sim, ctrl, 2, &warned));
  EXPECT_STREQ("simulation: ctrl[1] (actuator \"muscle\") is nan", ph_error());
  EXPECT_EQ(before, help_bits(sim));
  ctrl[1] = 1e11;
  EXPECT_EQ(PH_ESIM, ph_sim_step(sim, ctrl, 2, &warned));
  ctrl[1] = 0;
  EXPECT_EQ(PH_OK, ph_sim_step(sim, ctrl, 2, &warned));
}

/* A value that makes the engine reset the scene: at the first step, where time does not even go
 * back, and later. */
void expect_caught(ph_sim *sim, double *element, double value, const char *name, int n) {
  double ctrl[2] = {0, 0};
  bool warned;
  *element = value;
  EXPECT_EQ(PH_ESIM, ph_sim_step(sim, ctrl, n, &warned)) << name;
  EXPECT_NE(nullptr, strstr(ph_error(), name)) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), "reset the scene")) << ph_error();
}

TEST_F(Sim, SilentResetsAreCaught) {
  open();
  for (int before : {0, 1, 2, 40})
    for (double value : {kNan, HUGE_VAL, 1e11})
      for (int n : {1, 3}) {
        ASSERT_EQ(PH_OK, ph_sim_reset(sim));
        run(sim, 0, before);
        expect_caught(sim, &sim->d->qvel[18], value, "qvel[18] (joint \"shoulder\")", n);
        ASSERT_EQ(PH_OK, ph_sim_reset(sim));
        run(sim, 0, before);
        expect_caught(sim, &sim->d->qpos[0], value, "qpos[0] (joint \"box\")", n);
        ASSERT_EQ(PH_OK, ph_sim_reset(sim));
        run(sim, 0, before);
        expect_caught(sim, &sim->d->qfrc_applied[2], value * 1e12, "qacc[", n);
      }
}

/* The last substep leaves what only the next step would have noticed. */
TEST_F(Sim, ABadStateAfterTheLastSubstepIsNamed) {
  open();
  double ctrl[2] = {0, 0};
  bool warned;
  run(sim, 0, 2);
  sim->d->act[0] = kNan;
  EXPECT_EQ(PH_ESIM, ph_sim_step(sim, ctrl, 1, &warned));
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  sim->d->qpos[2] = 3;
  sim->d->qvel[0] = 9.99e9;
  sim->d->qfrc_applied[0] = 9e9 * sim->m->body_mass[1];
  EXPECT_EQ(PH_ESIM, ph_sim_step(sim, ctrl, 1, &warned));
  EXPECT_NE(nullptr, strstr(ph_error(), "qvel[0] (joint \"box\")")) << ph_error();
}

TEST_F(Sim, OtherWarningsAreReportedNotFatal) {
  std::string xml = "<mujoco><size nconmax='1'/><worldbody><geom type='plane' size='1 1 .1'/>"
                    "<body pos='0 0 .09'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
                    "</worldbody></mujoco>";
  open(xml);
  bool warned = false;
  ASSERT_EQ(PH_OK, ph_sim_step(sim, nullptr, 1, &warned)) << ph_error();
  EXPECT_TRUE(warned);
  EXPECT_STRNE("", ph_mj_warning());
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  sim->d->qpos[2] = 5;
  ASSERT_EQ(PH_OK, ph_sim_step(sim, nullptr, 1, &warned));
  EXPECT_FALSE(warned);
}

TEST_F(Sim, ForwardRefusesWhatTheEngineCannotTake) {
  open();
  sim->d->qpos[1] = kNan;
  EXPECT_EQ(PH_ESIM, ph_sim_forward(sim));
  EXPECT_STREQ("simulation: qpos[1] (joint \"box\") is nan", ph_error());
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  EXPECT_EQ(PH_OK, ph_sim_forward(sim));
}

/* --- private models --- */

TEST_F(Sim, EqualityTogglesAreUndoneByResetAndPrivate) {
  open();
  ph_sim *other = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&other, model));
  std::string fresh = help_bits(sim);
  uint8_t active[] = {0, 1}, got[2];
  ph_row row = {};
  row.eq_active = active;
  ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &row));
  EXPECT_NE(fresh, help_bits(sim));
  EXPECT_EQ(fresh, help_bits(other));
  run(sim, 0, 20);
  run(other, 0, 20);
  EXPECT_NE(0, memcmp(sim->d->qpos, other->d->qpos, sizeof(double) * sim->m->nq));
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  EXPECT_EQ(fresh, help_bits(sim));
  ph_mj_get(sim->m, sim->d, PH_COL_EQ_ACTIVE, got);
  EXPECT_EQ(1, got[0]);
  EXPECT_EQ(0, got[1]);
  ph_sim_free(other);
}

TEST_F(Sim, EditsArePrivateAndUndoneByReset) {
  open("<mujoco><worldbody><body name='a'><joint name='j'/><geom name='g' size='.1'/></body>"
       "</worldbody></mujoco>");
  ph_sim *other = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&other, model));
  EXPECT_FALSE(sim->private_model);
  double pos[] = {0, 0, 0, 1, 2, 3}, gravity[] = {0, 0, -1};
  ph_edit edits[] = {{"body_pos", PH_F64, {2, 3}, pos}, {"opt_gravity", PH_F64, {1, 3}, gravity}};
  ASSERT_EQ(PH_OK, ph_sim_edit(sim, edits, 2)) << ph_error();
  ASSERT_EQ(PH_OK, ph_sim_forward(sim));
  ASSERT_EQ(PH_OK, ph_sim_forward(other));
  EXPECT_EQ(3, sim->d->xpos[5]);
  EXPECT_EQ(0, other->d->xpos[5]);
  ph_edit *diff = nullptr;
  size_t n = 0;
  ASSERT_EQ(PH_OK, ph_sim_diff_model(sim, &diff, &n));
  ASSERT_EQ(2u, n);
  for (int i = 0; i < 2; i++) {
    EXPECT_STREQ(edits[i].field, diff[i].field);
    EXPECT_EQ(edits[i].shape[0], diff[i].shape[0]);
    EXPECT_EQ(edits[i].shape[1], diff[i].shape[1]);
    EXPECT_EQ(0, memcmp(edits[i].data, diff[i].data, 24 * (i == 0 ? 2 : 1)));
  }
  for (size_t i = 0; i < n; i++)
    free(const_cast<void *>(diff[i].data));
  free(diff);
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  ASSERT_EQ(PH_OK, ph_sim_forward(sim));
  EXPECT_EQ(0, sim->d->xpos[5]);
  EXPECT_EQ(-9.81, sim->m->opt.gravity[2]);
  ASSERT_EQ(PH_OK, ph_sim_diff_model(sim, &diff, &n));
  EXPECT_EQ(0u, n);
  EXPECT_EQ(nullptr, diff);
  ph_sim_free(other);
}

TEST_F(Sim, EditsThatDoNotFitNameBothShapes) {
  open();
  double pos[30] = {};
  float soft[30] = {};
  ph_edit rows = {"body_pos", PH_F64, {4, 3}, pos}, type = {"body_pos", PH_F32, {9, 3}, soft};
  EXPECT_EQ(PH_EMISMATCH, ph_sim_edit(sim, &rows, 1));
  EXPECT_NE(nullptr, strstr(ph_error(), "(4 x 3)")) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), "(9 x 3)")) << ph_error();
  EXPECT_EQ(PH_EMISMATCH, ph_sim_edit(sim, &type, 1));
  for (const char *name : {"opt_timestep", "eq_active", "body_parentid", "nonsense", ""}) {
    ph_edit edit = {"", PH_F64, {1, 1}, pos};
    snprintf(edit.field, sizeof edit.field, "%s", name);
    EXPECT_EQ(PH_EMISMATCH, ph_sim_edit(sim, &edit, 1)) << name;
  }
  ph_edit endless = {"", PH_F64, {1, 1}, pos};
  memset(endless.field, 'x', sizeof endless.field);
  EXPECT_EQ(PH_EMISMATCH, ph_sim_edit(sim, &endless, 1));
}

/* --- fatal errors --- */

void raise_error(const mjModel *, mjData *) {
  mju_error("the sky fell");
}

TEST_F(Sim, AFatalErrorLeavesOnlyReset) {
  open();
  bool warned;
  double ctrl[2] = {0, 0};
  run(sim, 0, 5);
  mjcb_passive = raise_error;
  EXPECT_EQ(PH_ESIM, ph_sim_step(sim, ctrl, 2, &warned));
  mjcb_passive = nullptr;
  EXPECT_STREQ("simulation: substep 1: physics engine: fatal error: the sky fell", ph_error());
  ph_row row;
  EXPECT_EQ(PH_ESIM, ph_sim_step(sim, ctrl, 2, &warned));
  EXPECT_EQ(PH_ESIM, ph_sim_forward(sim));
  EXPECT_EQ(PH_ESIM, ph_sim_get_row(sim, &row));
  row = {};
  EXPECT_EQ(PH_ESIM, ph_sim_set_row(sim, &row));
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  run(sim, 0, 20);
  std::string bits = help_bits(sim);
  ASSERT_EQ(PH_OK, ph_sim_reset(sim));
  run(sim, 0, 20);
  EXPECT_EQ(bits, help_bits(sim));
}

} // namespace
