/* What each term makes of its numbers, what is clipped, and what is refused. */
#include "action_help.h"

namespace {

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class Terms : public ::testing::Test {
protected:
  void SetUp() override {
    model = help_model(arm_xml());
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model)) << ph_error();
    set("lift", -0.8);
    set("elbow", 1.1);
    set("tilt", 0.2);
    forward();
  }
  void TearDown() override {
    ph_actions_free(actions);
    ph_sim_free(sim);
    ph_model_unref(model);
  }

  /* Builds the terms; the message where that fails. */
  std::string create(const std::string &terms, const std::string &more = "",
                     const ph_model *other = nullptr) {
    ph_actions_free(actions);
    actions = nullptr;
    std::string source = "return {\n actions = {\n  " + terms + "\n},\n" + more + "}";
    ph_task *task = nullptr;
    ph_status st = ph_task_parse(&task, source.data(), source.size(), "t.lua");
    if (st == PH_OK)
      st = ph_actions_create(&actions, task, other ? other : model);
    ph_task_unref(task);
    if (st == PH_OK)
      ph_actions_reset(actions, sim);
    return st == PH_OK ? "" : ph_error();
  }

  double &q(const char *joint) {
    return sim->d->qpos[ph_model_joint(model, ph_model_find(model, PH_JOINT, joint))->qposadr];
  }
  void set(const char *joint, double value) { q(joint) = value; }
  void forward() {
    sim->stale = true;
    ASSERT_EQ(PH_OK, ph_sim_forward(sim)) << ph_error();
  }

  void apply(std::vector<double> raw) {
    ASSERT_EQ(static_cast<size_t>(ph_actions_dim(actions)), raw.size());
    ctrl.assign(static_cast<size_t>(model->m->nu), 9);
    ASSERT_EQ(PH_OK, ph_actions_apply(actions, sim, raw.data(), ctrl.data(), &clipped))
        << ph_error();
  }
  double sent(const char *actuator) {
    return ctrl[static_cast<size_t>(ph_model_find(model, PH_ACTUATOR, actuator))];
  }
  std::vector<double> memory() {
    std::vector<double> m(static_cast<size_t>(ph_actions_state_dim(actions)));
    ph_actions_get_state(actions, m.data());
    return m;
  }
  const ph_action_element *element(int i) { return ph_actions_element(actions, i); }

  /* The tool's pose, and where it is with the joints as they were sent (arm joints all). */
  std::vector<double> tool() {
    int site = ph_model_find(model, PH_SITE, "tool");
    std::vector<double> pose(sim->d->site_xpos + 3 * site, sim->d->site_xpos + 3 * site + 3);
    pose.resize(7);
    mju_mat2Quat(&pose[3], sim->d->site_xmat + 9 * site);
    return pose;
  }
  std::vector<double> sent_tool() {
    std::vector<double> before(sim->d->qpos, sim->d->qpos + sim->m->nq);
    for (const char *joint : {"rail", "yaw", "lift", "roll", "tilt", "turn"})
      if (sent((std::string(joint) + "_t").c_str()) != 9)
        set(joint, sent((std::string(joint) + "_t").c_str()));
    if (sent("elbow_t") != 9)
      set("elbow", sent("elbow_t") / -2);
    forward();
    std::vector<double> pose = tool();
    memcpy(sim->d->qpos, before.data(), before.size() * sizeof(double));
    forward();
    return pose;
  }

  ph_model *model = nullptr;
  ph_sim *sim = nullptr;
  ph_actions *actions = nullptr;
  std::vector<double> ctrl;
  bool clipped = false;
};

/* --- joint_delta --- */

TEST_F(Terms, DeltasOfWhereTheJointIs) {
  ASSERT_EQ("", create("{type='joint_delta', joints={'yaw', 'elbow'}, scale=0.1}"));
  EXPECT_EQ(0, ph_actions_state_dim(actions));
  apply({1, -2});
  EXPECT_EQ(0.1, sent("yaw_t"));
  EXPECT_EQ(-2 * (1.1 - 0.2), sent("elbow_t")); /* its gear is -2 */
  EXPECT_EQ(9, sent("lift_t"));
  apply({1, -2}); /* the joint has not moved */
  EXPECT_EQ(0.1, sent("yaw_t"));
  EXPECT_STREQ("joint_delta", element(0)->term);
  EXPECT_STREQ("yaw", element(0)->name);
  EXPECT_EQ(ph_model_find(model, PH_ACTUATOR, "yaw_t"), element(0)->actuator);
  EXPECT_EQ(-INFINITY, element(0)->min);
}

TEST_F(Terms, DeltasOfTheTarget) {
  set("yaw", 0.3);
  ASSERT_EQ("", create("{type='joint_delta', joints={'yaw', 'lift'}, scale=0.1, of='target'}"));
  EXPECT_EQ((std::vector<double>{0.3, -0.8}), memory());
  apply({1, 0});
  apply({1, 0});
  EXPECT_NEAR(0.5, sent("yaw_t"), 1e-15);
  EXPECT_EQ(-0.8, sent("lift_t"));
  EXPECT_EQ(sent("yaw_t"), memory()[0]);
  const double other[2] = {1, -1};
  ph_actions_set_state(actions, other);
  apply({0, 0});
  EXPECT_EQ(1, sent("yaw_t"));
  set("yaw", -0.7);
  ph_actions_reset(actions, sim);
  EXPECT_EQ(-0.7, memory()[0]);
}

TEST_F(Terms, DeltasStayInBothRanges) {
  ASSERT_EQ("", create("{type='joint_delta', joints={'rail', 'yaw'}, of='target'}"));
  apply({3, -5});
  EXPECT_EQ(0.45, sent("rail_t")); /* the actuator's */
  EXPECT_EQ(-2, sent("yaw_t"));    /* the joint's */
  EXPECT_TRUE(clipped && ph_actions_clipped(actions, 0) && ph_actions_clipped(actions, 1));
  apply({-0.1, 0}); /* it did not wind up, and to stay at the end is not clipped */
  EXPECT_NEAR(0.35, sent("rail_t"), 1e-15);
  EXPECT_FALSE(clipped);
  EXPECT_EQ(1, ph_actions_clip_count(actions, 0));
}

TEST_F(Terms, AJointBeyondItsRangeIsNotClippedByItself) {
  set("yaw", 2.01); /* ranges are soft */
  forward();
  ASSERT_EQ("", create("{type='joint_delta', joints={'yaw'}}"));
  apply({0});
  EXPECT_EQ(2, sent("yaw_t"));
  EXPECT_FALSE(clipped);
  apply({0.1});
  EXPECT_TRUE(clipped);
}

/* --- gripper --- */

TEST_F(Terms, AGripperBetweenTheEndsOfItsRange) {
  ASSERT_EQ("", create("{type='gripper', actuators={'left_t', 'right_t'}}"));
  ASSERT_EQ(1, ph_actions_dim(actions));
  EXPECT_STREQ("left_t+right_t", element(0)->name);
  EXPECT_EQ(-1, element(0)->min);
  EXPECT_EQ(1, element(0)->max);
  apply({-1});
  EXPECT_EQ(0.04, sent("left_t"));
  EXPECT_EQ(0.04, sent("right_t"));
  apply({1});
  EXPECT_EQ(0, sent("left_t"));
  apply({0});
  EXPECT_EQ(0.02, sent("right_t"));
  EXPECT_FALSE(clipped);
  apply({1.5});
  EXPECT_EQ(0, sent("left_t"));
  EXPECT_TRUE(clipped);
}

TEST_F(Terms, AGripperWithValuesOfItsOwn) {
  ASSERT_EQ("", create("{type='gripper', actuators={'right_t', 'left_t'}, open={0.01, 0.02}, "
                       "closed=0.03, scale=-1}"));
  EXPECT_STREQ("right_t+left_t", element(0)->name);
  apply({1});
  EXPECT_EQ(0.01, sent("right_t"));
  EXPECT_EQ(0.02, sent("left_t"));
  apply({-1});
  EXPECT_EQ(0.03, sent("right_t"));
  EXPECT_EQ(0.03, sent("left_t"));
}

TEST_F(Terms, AThresholdOpensOrCloses) {
  ASSERT_EQ("", create("{type='gripper', actuators={'left_t'}, threshold=0.5}"));
  EXPECT_EQ(INFINITY, element(0)->max);
  for (double x : {-7.0, 0.0, 0.5}) {
    apply({x});
    EXPECT_EQ(0.04, sent("left_t"));
  }
  apply({0.51});
  EXPECT_EQ(0, sent("left_t"));
  apply({12});
  EXPECT_EQ(0, sent("left_t"));
  EXPECT_FALSE(clipped);
}

/* --- eef_pose --- */

TEST_F(Terms, APoseIsReachedByItsDelta) {
  ASSERT_EQ("", create("{type='eef_pose', site='tool', " ARM_JOINTS ", scale={position=0.01, "
                       "rotation=0.1}, damping=0.01, iterations=100}"));
  ASSERT_EQ(6, ph_actions_dim(actions));
  EXPECT_EQ(0, ph_actions_state_dim(actions));
  const char *names[] = {"tool.x", "tool.y", "tool.z", "tool.rx", "tool.ry", "tool.rz"};
  for (int i = 0; i < 6; i++) {
    EXPECT_STREQ(names[i], element(i)->name);
    EXPECT_STREQ("eef_pose", element(i)->term);
    EXPECT_EQ(-1, element(i)->actuator);
  }
  std::vector<double> from = tool();
  apply({1, -2, 3, 0, 0, 1});
  std::vector<double> to = sent_tool();
  EXPECT_NEAR(from[0] + 0.01, to[0], 1e-9);
  EXPECT_NEAR(from[1] - 0.02, to[1], 1e-9);
  EXPECT_NEAR(from[2] + 0.03, to[2], 1e-9);
  double about_z[4] = {std::cos(0.05), 0, 0, std::sin(0.05)}, want[4]; /* the world's z */
  mju_mulQuat(want, about_z, &from[3]);
  double same = std::fabs(mju_dot(want, &to[3], 4));
  EXPECT_NEAR(1, same, 1e-12);
  EXPECT_FALSE(clipped);
}

TEST_F(Terms, NoDeltaMovesNothing) {
  ASSERT_EQ("", create("{type='eef_pose', site='tool', " ARM_JOINTS "}"));
  apply({0, 0, 0, 0, 0, 0});
  EXPECT_EQ(-0.8, sent("lift_t"));
  EXPECT_EQ(-2.2, sent("elbow_t"));
  EXPECT_EQ(0.2, sent("tilt_t"));
}

TEST_F(Terms, PositionAloneAndOrientationAlone) {
  ASSERT_EQ("", create("{type='eef_pose', site='tool', " ARM_JOINTS
                       ", control='position', scale=0.02, iterations=100}"));
  ASSERT_EQ(3, ph_actions_dim(actions));
  EXPECT_STREQ("tool.z", element(2)->name);
  std::vector<double> from = tool();
  apply({0, 1, 0});
  EXPECT_NEAR(from[1] + 0.02, sent_tool()[1], 1e-9);
  ASSERT_EQ("", create("{type='eef_pose', site='tool', " ARM_JOINTS
                       ", control='orientation', iterations=100}"));
  ASSERT_EQ(3, ph_actions_dim(actions));
  EXPECT_STREQ("tool.rx", element(0)->name);
  apply({0.2, 0, 0});
  double about_x[4] = {std::cos(0.1), std::sin(0.1), 0, 0}, want[4];
  mju_mulQuat(want, about_x, &from[3]);
  EXPECT_NEAR(1, std::fabs(mju_dot(want, &sent_tool()[3], 4)), 1e-12);
}

TEST_F(Terms, AnAbsolutePoseInTheWorld) {
  ASSERT_EQ("", create("{type='eef_pose', site='tool', mode='absolute', " ARM_JOINTS
                       ", iterations=200}"));
  std::vector<double> from = tool();
  double r[3];
  mju_quat2Vel(r, &from[3], 1);
  apply({from[0] + 0.03, from[1] - 0.05, from[2] + 0.02, r[0], r[1], r[2]});
  std::vector<double> to = sent_tool();
  EXPECT_NEAR(from[0] + 0.03, to[0], 1e-9);
  EXPECT_NEAR(from[1] - 0.05, to[1], 1e-9);
  EXPECT_NEAR(1, std::fabs(mju_dot(&from[3], &to[3], 4)), 1e-12);
}

TEST_F(Terms, PoseTargetsAreRemembered) {
  ASSERT_EQ("", create("{type='eef_pose', site='tool', " ARM_JOINTS
                       ", control='position', scale=0.01, of='target', iterations=100}"));
  ASSERT_EQ(7, ph_actions_state_dim(actions));
  std::vector<double> from = tool();
  apply({1, 0, 0});
  apply({1, 0, 0});
  EXPECT_NEAR(from[0] + 0.02, sent_tool()[0], 1e-9);
  std::vector<double> before = ctrl;
  apply({0, 0, 0});
  EXPECT_EQ(before, ctrl); /* not a bit */
}

TEST_F(Terms, AnUnreachablePoseIsClippedInRange) {
  ASSERT_EQ("", create("{type='eef_pose', site='tool', mode='absolute', control='position', "
                       "joints={'rail', 'yaw', 'lift', 'elbow'}}"));
  apply({5, 0, 0.5});
  EXPECT_TRUE(clipped);
  for (int i = 0; i < 3; i++)
    EXPECT_TRUE(ph_actions_clipped(actions, i));
  EXPECT_GE(0.45, sent("rail_t"));
  for (const char *joint : {"yaw", "lift"}) {
    int j = ph_model_find(model, PH_JOINT, joint);
    EXPECT_LE(model->m->jnt_range[2 * j], sent((std::string(joint) + "_t").c_str()));
    EXPECT_GE(model->m->jnt_range[2 * j + 1], sent((std::string(joint) + "_t").c_str()));
  }
}

TEST_F(Terms, OffsetAndClipOfPartsOfAPose) {
  ASSERT_EQ("", create("{type='eef_pose', site='tool', " ARM_JOINTS ", scale={rotation=0.5}, "
                       "offset={position=0.1}, clip={min={position=0.05}, max=0.2}}"));
  EXPECT_NEAR(-0.05, element(0)->min, 1e-15);
  EXPECT_NEAR(0.1, element(0)->max, 1e-15);
  EXPECT_EQ(-INFINITY, element(4)->min);
  EXPECT_EQ(0.4, element(4)->max);
  apply({0, 0, 0.2, 0, 0, 0});
  EXPECT_TRUE(ph_actions_clipped(actions, 2));
  EXPECT_FALSE(ph_actions_clipped(actions, 1));
}

/* --- clipping --- */

TEST_F(Terms, ClippingIsCountedPerElement) {
  ASSERT_EQ("", create("{type='ctrl', actuators={'fan_m', 'left_t'}}, {type='joint_delta', "
                       "joints={'yaw'}, scale=0.1, clip={min=-0.05, max=0.05}}"));
  apply({0.5, 0.01, 0});
  apply({-0.5, 0.05, 1});
  apply({0.1, 0.01, 0.5});
  EXPECT_FALSE(clipped);
  EXPECT_EQ(2, ph_actions_clip_count(actions, 0));
  EXPECT_EQ(1, ph_actions_clip_count(actions, 1));
  EXPECT_EQ(1, ph_actions_clip_count(actions, 2));
  EXPECT_EQ(0, ph_actions_clip_count(actions, 3));
  EXPECT_FALSE(ph_actions_clipped(actions, -1));
  ph_actions_reset(actions, sim);
  EXPECT_EQ(0, ph_actions_clip_count(actions, 0));
}

TEST_F(Terms, AnActionThatIsNoNumberChangesNothing) {
  ASSERT_EQ("", create("{type='joint_delta', joints={'yaw', 'lift'}, of='target'}"));
  std::vector<double> before = memory(), c(12, 7);
  double raw[2] = {1, NAN};
  EXPECT_EQ(PH_EINVAL, ph_actions_apply(actions, sim, raw, c.data(), &clipped));
  EXPECT_TRUE(has(ph_error(), "action[1] (lift): ")) << ph_error();
  EXPECT_EQ(before, memory());
  EXPECT_EQ(std::vector<double>(12, 7), c);
}

TEST_F(Terms, RangesOfAResetCount) {
  ASSERT_EQ("", create("{type='ctrl', actuators={'fan_m'}}, {type='gripper', "
                       "actuators={'left_t'}}"));
  ASSERT_EQ(PH_OK, ph_sim_private_model(sim));
  sim->m->actuator_ctrlrange[2 * ph_model_find(model, PH_ACTUATOR, "fan_m") + 1] = 0.3;
  sim->m->actuator_ctrlrange[2 * ph_model_find(model, PH_ACTUATOR, "left_t") + 1] = 0.02;
  apply({0.25, -1});
  EXPECT_EQ(0.25, sent("fan_m"));
  EXPECT_EQ(0.02, sent("left_t"));
}

/* Everything by which a reset can take a range away. */
TEST_F(Terms, AGripperGoesOnWhereAResetTookTheRange) {
  for (const char *more : {"", ", threshold=0"}) {
    ASSERT_EQ("",
              create(std::string("{type='gripper', actuators={'left_t', 'right_t'}") + more + "}"));
    ASSERT_EQ(PH_OK, ph_sim_private_model(sim));
    int left = ph_model_find(model, PH_ACTUATOR, "left_t");
    sim->m->actuator_ctrllimited[left] = 0;
    sim->m->actuator_ctrlrange[2 * ph_model_find(model, PH_ACTUATOR, "right_t") + 1] = 0.02;
    apply({-1});
    EXPECT_EQ(0.04, sent("left_t")) << more;
    EXPECT_EQ(0.02, sent("right_t")) << more;
    apply({1});
    EXPECT_EQ(0, sent("left_t")) << more;
    EXPECT_EQ(0, sent("right_t")) << more;
    sim->m->actuator_ctrllimited[left] = 1;
    sim->m->opt.disableflags |= mjDSBL_CLAMPCTRL;
    apply({-1});
    EXPECT_EQ(0.04, sent("left_t")) << more;
    EXPECT_EQ(0.04, sent("right_t")) << more;
    sim->m->opt.disableflags &= ~mjDSBL_CLAMPCTRL;
  }
}

/* --- what is refused --- */

/* A term that sends positions needs an actuator whose ctrl is one. */
TEST_F(Terms, OnlyAServoOfThePositionItselfIsSentPositions) {
  const struct {
    const char *actuator;
    bool fits;
  } cases[] = {
      {"<position joint='j' kp='9'/>", true},
      {"<general joint='j' gainprm='9' biastype='affine' biasprm='0 -9 -1'/>", true},
      // late, but there
      {"<general joint='j' gainprm='9' biastype='affine' biasprm='0 -9' dyntype='filter' "
       "dynprm='.1'/>",
       true},
      {"<intvelocity joint='j' kp='9' actrange='-1 1'/>", false},
      {"<general joint='j' gainprm='9' biastype='affine' biasprm='0 -9' dyntype='integrator'/>",
       false},
      {"<general joint='j' gainprm='9' biastype='affine' biasprm='0 -9' dyntype='user'/>", false},
      {"<general joint='j' gainprm='9' biastype='affine' biasprm='1 -9'/>", false},
      {"<general joint='j' gainprm='9' biastype='affine' biasprm='0 -8'/>", false},
      {"<velocity joint='j' kv='9'/>", false},
      {"<motor joint='j'/>", false},
  };
  for (const auto &c : cases) {
    ph_model *other = help_model(
        std::string("<mujoco><worldbody><body><joint name='j' axis='0 0 1'/>"
                    "<geom size='.1' mass='1' pos='.1 0 0'/><site name='tool' pos='.2 0 0'/></body>"
                    "</worldbody><actuator>") +
        c.actuator + "</actuator></mujoco>");
    ASSERT_NE(nullptr, other) << c.actuator << ph_error();
    for (const char *term : {"type='joint_position'", "type='joint_delta'",
                             "type='joint_delta', of='target'", "type='eef_pose', site='tool'"}) {
      std::string text = std::string("{") + term + ", joints={'j'}}";
      ph_task *task = nullptr;
      ph_actions *made = nullptr;
      std::string source = "return { actions = {" + text + "} }";
      ASSERT_EQ(PH_OK, ph_task_parse(&task, source.data(), source.size(), "t.lua")) << ph_error();
      ph_status status = ph_actions_create(&made, task, other);
      EXPECT_EQ(c.fits ? PH_OK : PH_EMISMATCH, status) << c.actuator << text;
      if (status != PH_OK) {
        EXPECT_TRUE(has(ph_error(), "joint 'j': no position actuator acts on it")) << ph_error();
      }
      ph_actions_free(made);
      ph_task_unref(task);
    }
    ph_model_unref(other);
  }
}

TEST_F(Terms, AModelThatDoesNotClampHasNoRangesForAGripper) {
  std::string xml = arm_xml();
  std::string option = "<option timestep='0.002'";
  size_t at = xml.find(option);
  ASSERT_NE(std::string::npos, at);
  xml.replace(at, option.size() + 2, option + "><flag clampctrl='disable'/></option>");
  ph_model *other = help_model(xml);
  ASSERT_NE(nullptr, other) << ph_error();
  EXPECT_EQ("t.lua:3: actions[1] (gripper): actuator 'left_t': the model's clampctrl is off, so "
            "that no ctrlrange counts: the term needs open and closed",
            create("{type='gripper', actuators={'left_t'}}", "", other));
  ph_model_unref(other);
}

TEST_F(Terms, MistakesInTheTable) {
  const char *cases[][2] = {
      {"{type='joint_delta'}", "actions[1]: needs joints, a list of names or patterns"},
      {"{type='joint_delta', joints={'yaw'}, of='now'}",
       "actions[1]: of: must be one of measured, target; is 'now'"},
      {"{type='joint_delta', joints={'yaw'}, of=1}", "actions[1]: of: must be a string"},
      {"{type='joint_position', joints={'yaw'}, of='target'}", "actions[1]: unknown key 'of'"},
      {"{type='joint_delta', joints={'yaw'}, scale={position=1}}", "scale: must be a number"},
      {"{type='gripper', joints={'left'}}", "actions[1]: unknown key 'joints'"},
      {"{type='gripper', actuators={'left_t'}, open=1}", "has open, needs closed too"},
      {"{type='gripper', actuators={'left_t'}, closed={1}}", "has closed, needs open too"},
      {"{type='gripper', actuators={'left_t'}, open={}, closed=1}", "open: must be a list"},
      {"{type='gripper', actuators={'left_t'}, open='wide', closed=1}", "open: must be a number"},
      {"{type='gripper', actuators={'left_t'}, threshold=true}", "threshold: must be a number"},
      {"{type='eef_pose', joints={'yaw'}}", "actions[1]: needs site, the name of one"},
      {"{type='eef_pose', joints={'yaw'}, site=3}", "site: must be a string, is a number"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', mode='relative'}",
       "mode: must be one of delta, absolute; is 'relative'"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', mode='absolute', of='target'}",
       "of: only mode 'delta' has it"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', control='all'}",
       "control: must be one of both, position, orientation; is 'all'"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', damping=0}", "damping: must be from"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', iterations=0}", "iterations: must be a"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', iterations=1.5}", "iterations: must be a"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', scale={pos=1}}", "scale: unknown key 'pos'"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', scale={rotation='a'}}",
       "scale: rotation: must be a number"},
      {"{type='eef_pose', joints={'yaw'}, site='tool', clip={min={rotation=1}, max=0.5}}",
       "clip: min 1.0 is above max 0.5"},
      {"{type='eef', joints={'yaw'}}", "actions[1]: unknown type 'eef'"},
  };
  for (const auto &c : cases) {
    std::string error = create(c[0]);
    EXPECT_TRUE(has(error, c[1])) << c[0] << "\n" << error;
    EXPECT_EQ(0u, error.find("t.lua:3: actions[1]: ")) << error;
    EXPECT_EQ(std::string::npos, error.find('\n'));
  }
}

TEST_F(Terms, WhatDoesNotFitTheModel) {
  const char *cases[][2] = {
      {"{type='eef_pose', joints={'yaw'}, site='tol'}",
       "actions[1] (eef_pose): 'tol': the model has no such site; did you mean 'tool'?"},
      {"{type='eef_pose', joints={'fan'}, site='tool'}",
       "actions[1] (eef_pose): joint 'fan': no position actuator acts on it"},
      {"{type='eef_pose', joints={'yaw', 'swing'}, site='tool'}",
       "actions[1] (eef_pose): joint 'swing': does not move site 'tool'"},
      {"{type='eef_pose', joints={'left'}, site='tool'}",
       "actions[1] (eef_pose): joint 'left': does not move site 'tool'"},
      {"{type='eef_pose', joints={'loose'}, site='tool'}", "joint 'loose': is neither slide nor"},
      {"{type='joint_delta', joints={'yw'}}",
       "actions[1] (joint_delta): 'yw': the model has no such joint; did you mean 'yaw'?"},
      {"{type='gripper', actuators={'yaw_t'}}",
       "actions[1] (gripper): actuator 'yaw_t': has no ctrlrange: the term needs open and closed"},
      {"{type='gripper', actuators={'left_t', 'right_t'}, open={1, 2, 3}, closed=0}",
       "actions[1] (gripper): open: has 3 numbers, the patterns match 2 actuators"},
      {"{type='gripper', actuators={'lft_t'}}",
       "'lft_t': the model has no such actuator; did you mean 'lift_t' or 'left_t'?"},
      {"{type='joint_delta', joints={'lift'}}, {type='eef_pose', joints={'lift'}, site='tool'}",
       "actions[2] (eef_pose): actuator 'lift_t': actions[1] drives it already"},
  };
  for (const auto &c : cases) {
    std::string error = create(c[0]);
    EXPECT_TRUE(has(error, c[1])) << c[0] << "\n" << error;
    EXPECT_EQ(0u, error.find("t.lua:3: actions[")) << error;
  }
  EXPECT_EQ("t.lua:5: action_range: has 1 element, the action has 6",
            create("{type='eef_pose', joints={'yaw'}, site='tool'}",
                   "action_range = {min={0}, max={1}}"));
}

/* Lua knows no lines of a table; the text does. */
TEST_F(Terms, MessagesNameTheLineOfTheTerm) {
  EXPECT_EQ(0u, create("{type='ctrl', actuators={'fan_m'}}, -- {\n --[[ , {} ]] {type='ctrl',\n"
                       "actuators={'yw'}}, {type='ctrl', actuators={'left_t'}}")
                    .find("t.lua:4: actions[2] (ctrl): 'yw'"));
  EXPECT_EQ(0u, create("{type='ctrl', actuators={'fan_m'}, scale=1/0}").find("t.lua:3: actions[1]"))
      << ph_error();
  EXPECT_EQ(0u, create("", "hold_seconds = -1").find("t.lua:5: hold_seconds: must be 0 or more"));
  std::string text = "local list = {{type='ctrl', actuators={'yw'}}}\n"
                     "local x = {actions = 1}\nreturn {\n name='n', actions = list}";
  ph_task *task = nullptr;
  ASSERT_EQ(PH_OK, ph_task_parse(&task, text.data(), text.size(), "t.lua")) << ph_error();
  ph_actions *none = nullptr;
  EXPECT_EQ(PH_EMISMATCH, ph_actions_create(&none, task, model));
  EXPECT_TRUE(has(ph_error(), "t.lua:4: actions[1] (ctrl): 'yw'")) << ph_error();
  ph_task_unref(task);
}

} // namespace
