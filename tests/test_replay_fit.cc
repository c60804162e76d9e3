// Replay without a model, with another one, with a task that fits or does not.
#include "replay_help.h"

using namespace replay_help;

namespace {

TEST_F(Replay, WithoutAModelTheColumnsAreShown) {
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, nullptr, nullptr)) << ph_error();
  const ph_frame *frame = seek(5);
  EXPECT_EQ(nullptr, ph_replay_sim(replay));
  EXPECT_FALSE(frame->forward);
  EXPECT_EQ(frame->row.state[1 + 21], frame->values[signal("qpos[21]")]);
  EXPECT_EQ(frame->row.ctrl[1], frame->values[signal("ctrl[1]")]);
  EXPECT_EQ(frame->row.mocap_quat[0], frame->values[signal("mocap 0.qw")]);
  bool value;
  EXPECT_EQ(PH_ENOTFOUND, ph_replay_predicate(replay, &value, nullptr));
}

TEST_F(Replay, AModelThatDoesNotCompileNamesTheColumns) {
  ph_names names;
  ph_model_facts facts;
  ph_model *broken = nullptr;
  ASSERT_EQ(PH_OK, ph_mj_describe(model->m, &names, &facts));
  ASSERT_EQ(PH_OK,
            ph_model_from_source(&broken, help_source("<mujoco><x/></mujoco>"), &facts, &names));
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, broken, nullptr)) << ph_error();
  const ph_frame *frame = seek(5);
  EXPECT_EQ(frame->row.state[1 + 21], frame->values[signal("shoulder")]);
  EXPECT_EQ(frame->row.state[1 + 7], frame->values[signal("joint 1.x")]);
  EXPECT_EQ(frame->row.ctrl[0], frame->values[signal("pull")]);
  char why[200];
  EXPECT_EQ(PH_STATES_ONLY, ph_episode_guarantee(episode, broken, nullptr, why, sizeof why));
  EXPECT_STREQ(ph_model_error(broken), why);
  ph_model_unref(broken);
}

TEST_F(Replay, AModelThatCompilesToOtherFactsIsNotSaidNotToCompile) {
  ph_names names;
  ph_model_facts facts;
  ph_model *other = nullptr;
  char why[400];
  ASSERT_EQ(PH_OK, ph_mj_describe(model->m, &names, &facts));
  facts.timestep = 0.5;
  ASSERT_EQ(PH_OK, ph_model_from_source(&other, help_source(help_scene()), &facts, &names));
  open();
  EXPECT_EQ(PH_STATES_ONLY, ph_episode_guarantee(episode, other, nullptr, why, sizeof why));
  EXPECT_EQ(0, strncmp(why, "it compiles, but does not fit what the file says of it: ", 56)) << why;
  EXPECT_NE(nullptr, strstr(why, "the timestep is 0.5 s")) << why;
  ph_model_unref(other);
}

void expect_mismatch(Replay *test, const char *first, const char *second) {
  test->open();
  EXPECT_EQ(PH_EMISMATCH, ph_replay_create(&test->replay, test->episode, test->model, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), first)) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), second)) << ph_error();
  EXPECT_EQ(nullptr, test->replay);
}

TEST_F(Replay, AnotherNqIsRefused) {
  record();
  meta.dims.nq = 33;
  expect_mismatch(this, "nq is 33 in the episode", "34 in the model");
}

TEST_F(Replay, AnotherNuIsRefused) {
  record();
  meta.dims.nu = 5;
  expect_mismatch(this, "nu is 5 in the episode", "2 in the model");
}

TEST_F(Replay, MoreMocapBodiesThanTheModelHasAreRefused) {
  columns &= ~(PH_COL_BIT(PH_COL_MOCAP_POS) | PH_COL_BIT(PH_COL_MOCAP_QUAT));
  record();
  meta.dims.nmocap = 5000;
  expect_mismatch(this, "nmocap is 5000 in the episode", "1 in the model");
}

TEST_F(Replay, AnotherTimestepIsRefused) {
  record();
  meta.timestep = 0.002;
  expect_mismatch(this, "timestep is 0.002 s in the episode", "0.004 s in the model");
}

TEST_F(Replay, AnotherWidthOfAStoredColumnIsRefused) {
  record();
  meta.dims.nuserdata = 7;
  expect_mismatch(this, "userdata is 7 in the episode", "3 in the model");
}

TEST_F(ReplayTask, ThePredicateIsThatOfTheFrame) {
  parse("return { hold_seconds = 0, success = {"
        " low = function(s) return s.body.box.z < 0.2 end,"
        " moved = function(s) return s.body.box.z < s.start.body.box.z - 0.05 end } }");
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task)) << ph_error();
  int z = 0, yes = 0;
  for (int i = 0; i < 120; i++) {
    int64_t t = i * 37 % (kActions + 1);
    const ph_frame *frame = seek(t);
    if (i == 0) {
      /* the one of the body, not of the free joint */
      z = signal("hand.z") - 3 * 4;
    }
    bool value = false;
    const ph_condition *conditions = nullptr;
    ASSERT_EQ(PH_OK, ph_replay_predicate(replay, &value, &conditions)) << ph_error();
    ASSERT_EQ(t, ph_replay_frame(replay)->step); /* judging does not move it */
    double height = frame->values[z];
    EXPECT_STREQ("low", conditions[0].name);
    EXPECT_EQ(height < 0.2, conditions[0].value) << t;
    EXPECT_EQ(height < 0.3 - 0.05, conditions[1].value) << t;
    EXPECT_EQ(conditions[0].value && conditions[1].value, value) << t;
    yes += value;
  }
  EXPECT_GT(yes, 5);
  EXPECT_LT(yes, 115);
}

TEST_F(ReplayTask, BeforeASeekThereIsNothingToJudge) {
  parse("return { hold_seconds = 0, success = function(s) return true end }");
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task)) << ph_error();
  bool value = true;
  EXPECT_EQ(PH_EINVAL, ph_replay_predicate(replay, &value, nullptr));
  EXPECT_FALSE(value);
  EXPECT_EQ(-1, ph_replay_frame(replay)->step);
  seek(3);
  EXPECT_EQ(PH_OK, ph_replay_predicate(replay, &value, nullptr)) << ph_error();
  EXPECT_TRUE(value);
}

TEST_F(ReplayTask, WithoutASuccessThereIsNothingToJudge) {
  parse("return { name = 'x' , reward = function(s) return 0 end }");
  open();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, model, task)) << ph_error();
  seek(0);
  bool value;
  EXPECT_EQ(PH_ENOTFOUND, ph_replay_predicate(replay, &value, nullptr));
}

TEST_F(ReplayTask, AnotherDecimationIsRefused) {
  parse("return { name = 'slow', control_steps = 5, actions = { {type='ctrl', "
        "actuators={'.*'}} } }");
  expect_refused("2 substeps in the episode", "5 in task slow");
}

TEST_F(ReplayTask, AnotherActionSizeIsRefused) {
  parse("return { name = 'one', control_steps = 2, actions = { {type='ctrl', "
        "actuators={'pull'}} } }");
  expect_refused("2 numbers in the episode", "1 in task one");
}

} // namespace
