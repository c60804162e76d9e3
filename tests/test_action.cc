#include "script_help.h"

namespace {

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class Action : public ::testing::Test {
protected:
  void SetUp() override {
    model = help_model(script_xml());
    ASSERT_NE(nullptr, model);
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model)) << ph_error();
  }

  void TearDown() override {
    ph_actions_free(actions);
    ph_sim_free(sim);
    ph_model_unref(model);
  }

  /* Builds the terms of "return {TEXT}"; the message where it fails. */
  std::string create(const std::string &text, const ph_model *m = nullptr) {
    ph_actions_free(actions);
    actions = nullptr;
    std::string source = "return {" + text + "}";
    ph_task *task = nullptr;
    EXPECT_EQ(PH_OK, ph_task_parse(&task, source.data(), source.size(), "t.lua")) << ph_error();
    ph_status st = task ? ph_actions_create(&actions, task, m ? m : model) : PH_ETASK;
    EXPECT_EQ(st == PH_OK, actions != nullptr);
    EXPECT_TRUE(st == PH_OK || st == PH_EMISMATCH) << ph_error();
    ph_task_unref(task);
    return st == PH_OK ? "" : ph_error();
  }

  std::vector<double> apply(std::vector<double> raw, bool *clipped) {
    std::vector<double> ctrl(4, 9);
    EXPECT_EQ(PH_OK, ph_actions_apply(actions, sim, raw.data(), ctrl.data(), clipped))
        << ph_error();
    return ctrl;
  }

  ph_model *model = nullptr;
  ph_sim *sim = nullptr;
  ph_actions *actions = nullptr;
  bool clipped = false;
};

using Values = std::vector<double>;

TEST_F(Action, WithoutTermsTheActionIsCtrl) {
  ASSERT_EQ("", create(""));
  EXPECT_EQ(4, ph_actions_dim(actions));
  EXPECT_EQ(0, ph_actions_state_dim(actions));
  EXPECT_EQ((Values{0.5, 2, -3, 4}), apply({0.5, 2, -3, 4}, &clipped));
  EXPECT_FALSE(clipped);
  EXPECT_EQ((Values{1, 2, -3, 4}), apply({1.5, 2, -3, 4}, &clipped)); /* lift is limited */
  EXPECT_TRUE(clipped);
  const ph_action_element *e = ph_actions_element(actions, 0);
  EXPECT_STREQ("lift", e->name);
  EXPECT_STREQ("ctrl", e->term);
  EXPECT_EQ(0, e->actuator);
  EXPECT_EQ(-1, e->min);
  EXPECT_EQ(1, e->max);
  EXPECT_EQ(-INFINITY, ph_actions_element(actions, 1)->min);
  EXPECT_EQ(nullptr, ph_actions_element(actions, 4));
  EXPECT_EQ(nullptr, ph_actions_element(actions, -1));
}

TEST_F(Action, CtrlTermsScaleOffsetAndClip) {
  ASSERT_EQ("", create("actions = {{type='ctrl', actuators={'push', 'muscle'}, scale=2, offset=1, "
                       "clip={min=-3, max=4}}}"));
  EXPECT_EQ(2, ph_actions_dim(actions));
  EXPECT_EQ((Values{9, 9, 2, 0}), apply({0.5, -0.5}, &clipped)); /* others keep their value */
  EXPECT_FALSE(clipped);
  EXPECT_EQ((Values{9, 9, 4, -3}), apply({5, -5}, &clipped));
  EXPECT_TRUE(clipped);
  EXPECT_EQ((Values{9, 9, 4, -3}), apply({1.5, -2}, &clipped)); /* at the ends is not clipped */
  EXPECT_FALSE(clipped);
  EXPECT_EQ(-2, ph_actions_element(actions, 0)->min);
  EXPECT_EQ(1.5, ph_actions_element(actions, 0)->max);
}

TEST_F(Action, JointPositionFindsTheServo) {
  ASSERT_EQ("", create("actions = {{type='joint_position', joints={'drawer', 'arm_l.*'}}}"));
  ASSERT_EQ(2, ph_actions_dim(actions));
  EXPECT_STREQ("drawer", ph_actions_element(actions, 0)->name);
  EXPECT_STREQ("joint_position", ph_actions_element(actions, 0)->term);
  EXPECT_EQ(1, ph_actions_element(actions, 0)->actuator);
  EXPECT_EQ(0, ph_actions_element(actions, 1)->actuator);
  /* drawer's servo has gear 2: its length is twice the position */
  EXPECT_EQ((Values{0.5, 0.6, 9, 9}), apply({0.3, 0.5}, &clipped));
  EXPECT_FALSE(clipped);
  EXPECT_EQ((Values{-1, 0.6, 9, 9}), apply({0.3, -5}, &clipped));
  EXPECT_TRUE(clipped);
}

TEST_F(Action, AJointPositionIsReached) {
  ASSERT_EQ("", create("actions = {{type='joint_position', joints={'drawer'}}}"));
  double raw = 0.2, ctrl[4] = {0};
  const uint8_t off[2] = {0, 0}; /* "lock" would hold the drawer */
  ASSERT_EQ(PH_OK, ph_sim_private_model(sim));
  ph_mj_set(sim->m, sim->d, PH_COL_EQ_ACTIVE, off);
  ASSERT_EQ(PH_OK, ph_actions_apply(actions, sim, &raw, ctrl, &clipped));
  int joint = ph_model_find(model, PH_JOINT, "drawer");
  double low = 1, high = -1;
  for (int i = 0; i < 4000; i++) { /* undamped: it swings about the target */
    ASSERT_EQ(PH_OK, ph_sim_step(sim, ctrl, 1, &clipped)) << ph_error();
    double q = sim->d->qpos[ph_model_joint(model, joint)->qposadr];
    low = q < low ? q : low;
    high = q > high ? q : high;
  }
  EXPECT_NEAR(0.2, (low + high) / 2, 0.01);
}

TEST_F(Action, RangesMapFromMinusOneToOne) {
  ASSERT_EQ("", create("actions = {{type='ctrl', actuators={'push', 'muscle'}, scale=2}}, "
                       "action_range = {min={0, -4}, max={1, 4}}"));
  EXPECT_EQ((Values{9, 9, 1, 8}), apply({0, 1}, &clipped));
  EXPECT_FALSE(clipped);
  EXPECT_EQ((Values{9, 9, 0, -8}), apply({-1, -1}, &clipped));
  EXPECT_FALSE(clipped);
  EXPECT_EQ((Values{9, 9, 2, -8}), apply({1.25, -1}, &clipped));
  EXPECT_TRUE(clipped);
  EXPECT_EQ(-1, ph_actions_element(actions, 1)->min);
  EXPECT_EQ(1, ph_actions_element(actions, 1)->max);
  EXPECT_TRUE(has(create("action_range = {min={0}, max={1}}"),
                  "t.lua:1: action_range: has 1 element, the action has 4"));
}

TEST_F(Action, NegativeScalesKeepRangesInOrder) {
  ASSERT_EQ("", create("actions = {{type='ctrl', actuators={'lift'}, scale=-2}}"));
  EXPECT_EQ(-0.5, ph_actions_element(actions, 0)->min);
  EXPECT_EQ(0.5, ph_actions_element(actions, 0)->max);
  ASSERT_EQ("", create("actions = {{type='ctrl', actuators={'lift'}, scale=0}}"));
  EXPECT_EQ(-INFINITY, ph_actions_element(actions, 0)->min);
}

TEST_F(Action, OrderIsThatOfThePatternsThenTheModel) {
  ASSERT_EQ("", create("actions = {{type='ctrl', actuators={'pu.*', '*'}}}"));
  ASSERT_EQ(4, ph_actions_dim(actions));
  const char *order[] = {"pull", "push", "lift", "muscle"};
  for (int i = 0; i < 4; i++)
    EXPECT_STREQ(order[i], ph_actions_element(actions, i)->name);
}

TEST_F(Action, NonFiniteElementsAreNamed) {
  ASSERT_EQ("", create(""));
  for (double bad : {(double)NAN, (double)INFINITY, -(double)INFINITY}) {
    double raw[] = {0, 0, bad, 0}, ctrl[] = {7, 7, 7, 7};
    EXPECT_EQ(PH_EINVAL, ph_actions_apply(actions, sim, raw, ctrl, &clipped));
    EXPECT_TRUE(has(ph_error(), "action[2] (push): ")) << ph_error();
    for (double x : ctrl)
      EXPECT_EQ(7, x);
  }
}

TEST_F(Action, WhatDoesNotFitTheModel) {
  const char *cases[][2] = {
      {"actions = {{type='ctrl', actuators={'lft'}}}",
       "t.lua:1: actions[1] (ctrl): 'lft': the model has no such actuator; did you mean 'lift'?"},
      {"actions = {{type='joint_position', joints={'q*'}}}",
       "actions[1] (joint_position): 'q*': the model has no such joint"},
      {"actions = {{type='joint_position', joints={'arm_(base|wrist)'}}}",
       "; a pattern knows * and .* (any run), . (any one) and sets like [a-c], not '('"},
      {"actions = {{type='ctrl', actuators={'lift'}}, {type='ctrl', actuators={'l.*'}}}",
       "actions[2] (ctrl): actuator 'lift': actions[1] drives it already"},
      {"actions = {{type='ctrl', actuators={'lift'}}, {type='joint_position', "
       "joints={'arm_lift'}}}",
       "actions[2] (joint_position): actuator 'lift': actions[1] drives it already"},
      {"actions = {{type='joint_position', joints={'arm_wrist'}}}",
       "joint 'arm_wrist': is neither slide nor hinge"},
  };
  for (const auto &c : cases) {
    std::string error = create(c[0]);
    EXPECT_TRUE(has(error, c[1])) << error;
  }
}

ph_model *two_servos() {
  return help_model(
      "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/><body><joint name='b'/>"
      "<geom size='.1'/></body></body></worldbody><actuator><position name='p1' joint='a' kp='5'/>"
      "<position name='p2' joint='a' kp='7'/><motor name='m' joint='b'/>"
      "<velocity name='v' joint='b' kv='2'/></actuator></mujoco>");
}

TEST_F(Action, AJointNeedsOneServo) {
  ph_model *other = two_servos();
  EXPECT_TRUE(has(create("actions = {{type='joint_position', joints={'a'}}}", other),
                  "joint 'a': more than one position actuator acts on it"));
  EXPECT_TRUE(has(create("actions = {{type='joint_position', joints={'b'}}}", other),
                  "joint 'b': no position actuator acts on it"));
  ph_actions_free(actions);
  actions = nullptr;
  ph_model_unref(other);
}

TEST_F(Action, AModelWithoutActuatorsHasEmptyActions) {
  ph_model *other = help_model("<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body>"
                               "</worldbody></mujoco>");
  ASSERT_EQ("", create("", other));
  EXPECT_EQ(0, ph_actions_dim(actions));
  EXPECT_EQ(PH_OK, ph_actions_apply(actions, sim, nullptr, nullptr, &clipped));
  EXPECT_FALSE(clipped);
  ph_actions_free(actions);
  actions = nullptr;
  ph_model_unref(other);
}

TEST_F(Action, WithoutClampingNothingIsCutToTheRange) {
  ph_model *other = help_model(
      "<mujoco><option><flag clampctrl='disable'/></option><worldbody><body><joint name='a'/>"
      "<geom size='.1'/></body></worldbody><actuator><motor name='m' joint='a' ctrllimited='true' "
      "ctrlrange='-1 1'/></actuator></mujoco>");
  ASSERT_EQ("", create("", other));
  double raw = 5, ctrl = 0;
  ph_sim *own = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&own, other));
  ASSERT_EQ(PH_OK, ph_actions_apply(actions, own, &raw, &ctrl, &clipped));
  ph_sim_free(own);
  EXPECT_EQ(5, ctrl);
  EXPECT_FALSE(clipped);
  ph_actions_free(actions);
  actions = nullptr;
  ph_model_unref(other);
}

} // namespace
