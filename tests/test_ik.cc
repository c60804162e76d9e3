/* Inverse kinematics against the engine's own kinematics and against finite differences. */
#include "action_help.h"

extern "C" {
#include "ik.h"
}

namespace {

class Ik : public ::testing::Test {
protected:
  void SetUp() override {
    build(arm_xml(), "tool", {"rail", "yaw", "lift", "elbow", "roll", "tilt", "turn"});
  }

  void build(const std::string &xml, const char *site_name, const std::vector<std::string> &names) {
    TearDown();
    model = help_model(xml);
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model)) << ph_error();
    site = ph_model_find(model, PH_SITE, site_name);
    joints.clear();
    low.clear();
    high.clear();
    for (const auto &name : names) {
      int j = ph_model_find(model, PH_JOINT, name.c_str());
      joints.push_back(j);
      bool limited = sim->m->jnt_limited[j];
      low.push_back(limited ? sim->m->jnt_range[2 * j] : -INFINITY);
      high.push_back(limited ? sim->m->jnt_range[2 * j + 1] : INFINITY);
    }
    int which = -1;
    ASSERT_EQ(PH_OK, ph_ik_create(&ik, sim->m, site, joints.data(), n(), &which)) << ph_error();
  }

  void TearDown() override {
    ph_ik_free(ik);
    ph_sim_free(sim);
    ph_model_unref(model);
    ik = nullptr;
    sim = nullptr;
    model = nullptr;
  }

  int n() const { return static_cast<int>(joints.size()); }

  std::vector<double> random_q(Dice &dice, double part = 0.95) {
    std::vector<double> q;
    for (size_t i = 0; i < joints.size(); i++) {
      double a = std::isfinite(low[i]) ? low[i] : -2, b = std::isfinite(high[i]) ? high[i] : 2;
      q.push_back((a + b) / 2 + part * dice() * (b - a) / 2);
    }
    return q;
  }

  /* The whole simulation with the joints there. */
  void put(const std::vector<double> &q) {
    for (size_t i = 0; i < q.size(); i++)
      sim->d->qpos[sim->m->jnt_qposadr[joints[i]]] = q[i];
    sim->stale = true;
    ASSERT_EQ(PH_OK, ph_sim_forward(sim)) << ph_error();
  }

  /* Everything else is somewhere else than at its start. */
  void disturb(Dice &dice) {
    for (int i = 0; i < sim->m->nq; i++)
      sim->d->qpos[i] += 0.2 * dice();
    for (int i = 0; i < 4 * sim->m->nmocap; i++)
      sim->d->mocap_quat[i] += 0.1 * dice();
    put(random_q(dice));
  }

  ph_ik_task task(const ph_pose &target, bool position = true, bool orientation = true) {
    return {target, position, orientation, 0.01, 200, low.data(), high.data()};
  }

  static double position_error(const ph_pose &a, const ph_pose &b) {
    return std::hypot(a.pos[0] - b.pos[0], a.pos[1] - b.pos[1], a.pos[2] - b.pos[2]);
  }
  static double rotation_error(const ph_pose &a, const ph_pose &b) {
    double back[4], rest[4], v[3];
    mju_negQuat(back, b.quat);
    mju_mulQuat(rest, a.quat, back);
    mju_quat2Vel(v, rest, 1);
    return mju_norm3(v);
  }
  void expect_in_range(const std::vector<double> &q) {
    for (size_t i = 0; i < q.size(); i++) {
      ASSERT_TRUE(std::isfinite(q[i]));
      ASSERT_LE(low[i], q[i]);
      ASSERT_GE(high[i], q[i]);
    }
  }

  ph_model *model = nullptr;
  ph_sim *sim = nullptr;
  ph_ik *ik = nullptr;
  int site = -1;
  std::vector<int> joints;
  std::vector<double> low, high;
};

TEST_F(Ik, PosesAndJacobiansAreTheEngines) {
  Dice dice(1);
  int nv = static_cast<int>(sim->m->nv);
  std::vector<double> jacp(3 * static_cast<size_t>(nv)), jacr(jacp), mine(6 * joints.size());
  for (int round = 0; round < 50; round++) {
    disturb(dice);
    std::vector<double> q = random_q(dice);
    ph_pose pose;
    ph_ik_pose(ik, sim->m, sim->d, q.data(), &pose, mine.data()); /* from where it is not */
    put(q);
    double quat[4], turn[9];
    mju_copy4(quat, pose.quat);
    mju_quat2Mat(turn, quat);
    for (int k = 0; k < 3; k++)
      ASSERT_NEAR(sim->d->site_xpos[3 * site + k], pose.pos[k], 1e-13);
    for (int k = 0; k < 9; k++)
      ASSERT_NEAR(sim->d->site_xmat[9 * site + k], turn[k], 1e-13);
    mj_jacSite(sim->m, sim->d, jacp.data(), jacr.data(), site);
    for (int i = 0; i < n(); i++)
      for (int k = 0; k < 3; k++) {
        int dof = sim->m->jnt_dofadr[joints[static_cast<size_t>(i)]];
        ASSERT_NEAR(jacp[static_cast<size_t>(k * nv + dof)], mine[static_cast<size_t>(k * n() + i)],
                    1e-13);
        ASSERT_NEAR(jacr[static_cast<size_t>(k * nv + dof)],
                    mine[static_cast<size_t>((3 + k) * n() + i)], 1e-13);
      }
  }
}

TEST_F(Ik, JacobiansAreFiniteDifferences) {
  Dice dice(2);
  const double h = 1e-6;
  std::vector<double> jacobian(6 * joints.size());
  double worst = 0;
  for (int round = 0; round < 50; round++) {
    disturb(dice);
    std::vector<double> q = random_q(dice);
    ph_pose at, before, after;
    ph_ik_pose(ik, sim->m, sim->d, q.data(), &at, jacobian.data());
    for (int i = 0; i < n(); i++) {
      std::vector<double> a = q, b = q;
      a[static_cast<size_t>(i)] -= h;
      b[static_cast<size_t>(i)] += h;
      ph_ik_pose(ik, sim->m, sim->d, a.data(), &before, nullptr);
      ph_ik_pose(ik, sim->m, sim->d, b.data(), &after, nullptr);
      double back[4], rest[4], v[6];
      mju_sub3(v, after.pos, before.pos);
      mju_negQuat(back, before.quat);
      mju_mulQuat(rest, after.quat, back);
      mju_quat2Vel(v + 3, rest, 1);
      for (int k = 0; k < 6; k++)
        worst = std::fmax(worst,
                          std::fabs(v[k] / (2 * h) - jacobian[static_cast<size_t>(k * n() + i)]));
    }
  }
  EXPECT_LT(worst, 1e-8);
}

TEST_F(Ik, ReachablePosesAreReached) {
  Dice dice(3);
  for (bool position : {true, false})
    for (bool orientation : {true, false}) {
      if (!position && !orientation)
        continue;
      for (int round = 0; round < 40; round++) {
        disturb(dice);
        std::vector<double> goal = random_q(dice, 0.5), q = goal;
        ph_pose target, got;
        ph_ik_pose(ik, sim->m, sim->d, goal.data(), &target, nullptr);
        for (auto &x : q)
          x += 0.25 * dice();
        for (size_t i = 0; i < q.size(); i++)
          q[i] = std::fmin(std::fmax(q[i], low[i]), high[i]);
        ph_ik_task t = task(target, position, orientation);
        EXPECT_FALSE(ph_ik_solve(ik, sim->m, sim->d, &t, q.data()));
        expect_in_range(q);
        ph_ik_pose(ik, sim->m, sim->d, q.data(), &got, nullptr);
        EXPECT_TRUE(!position || position_error(got, target) < 1e-9) << round;
        EXPECT_TRUE(!orientation || rotation_error(got, target) < 1e-9) << round;
      }
    }
}

TEST_F(Ik, AtTheTargetNothingMoves) {
  Dice dice(4);
  disturb(dice);
  std::vector<double> q = random_q(dice), before = q;
  ph_pose target;
  ph_ik_pose(ik, sim->m, sim->d, q.data(), &target, nullptr);
  ph_ik_task t = task(target);
  EXPECT_FALSE(ph_ik_solve(ik, sim->m, sim->d, &t, q.data()));
  EXPECT_EQ(before, q);
}

TEST_F(Ik, UnreachablePosesStayInRange) {
  Dice dice(5);
  int stopped = 0;
  for (double far : {2.0, 50.0, 1e6})
    for (int round = 0; round < 30; round++) {
      disturb(dice);
      std::vector<double> q = random_q(dice);
      ph_pose target = {{far * dice(), far * dice(), far}, {1, 0, 0, 0}}, before, after;
      ph_ik_pose(ik, sim->m, sim->d, q.data(), &before, nullptr);
      ph_ik_task t = task(target, true, round % 2 == 0);
      t.iterations = 1 + round;
      stopped += ph_ik_solve(ik, sim->m, sim->d, &t, q.data());
      expect_in_range(q);
      ph_ik_pose(ik, sim->m, sim->d, q.data(), &after, nullptr);
      if (far < 3 && t.iterations > 15 && round % 2 == 1) {
        EXPECT_LT(position_error(after, target), position_error(before, target));
      }
    }
  EXPECT_GT(stopped, 60); /* the rail's end stops it, as a rule */
}

TEST_F(Ik, OthersMoveWhereARangeStopsOne) {
  build("<mujoco><worldbody><body><joint name='a' type='slide' axis='1 0 0' limited='true' "
        "range='0 .1'/><geom size='.1'/><body><joint name='b' type='slide' axis='1 0 0'/>"
        "<geom size='.1'/><site name='s'/></body></body></worldbody></mujoco>",
        "s", {"a", "b"});
  put({0, 0});
  std::vector<double> q = {0.05, 0};
  ph_ik_task t = task({{1, 0, 0}, {1, 0, 0, 0}}, true, false);
  EXPECT_FALSE(ph_ik_solve(ik, sim->m, sim->d, &t, q.data())); /* stopped, but there */
  EXPECT_EQ(0.1, q[0]);
  EXPECT_NEAR(0.9, q[1], 1e-9);
  t = task({{0.3, 0, 1}, {1, 0, 0, 0}}, true, false);
  EXPECT_FALSE(ph_ik_solve(ik, sim->m, sim->d, &t, q.data())); /* missed, but not for a range */
  EXPECT_NEAR(0.3, q[0] + q[1], 1e-9);
}

TEST_F(Ik, NoJointMovesFarInOneIteration) {
  put(std::vector<double>(7, 0.0));
  std::vector<double> q(7, 0.0);
  ph_ik_task t = task({{-3, 3, 3}, {0, 1, 0, 0}});
  t.iterations = 1;
  t.damping = 1e-6;
  ph_ik_solve(ik, sim->m, sim->d, &t, q.data());
  double most = 0;
  for (double x : q)
    most = std::fmax(most, std::fabs(x));
  EXPECT_GT(most, 0.1);
  EXPECT_LE(most, 0.5 + 1e-15);
}

TEST_F(Ik, AFreeBaseIsWhereItIs) {
  build("<mujoco><worldbody><body name='base' pos='0 0 1'><freejoint/><geom size='.1'/>"
        "<body pos='.1 0 0'><joint name='a' axis='0 1 0'/><geom size='.1'/><body pos='.3 0 0'>"
        "<joint name='b' axis='0 1 0'/><geom size='.1'/><site name='s' pos='.3 0 0'/></body></body>"
        "</body></worldbody></mujoco>",
        "s", {"b", "a"});
  Dice dice(6);
  for (int round = 0; round < 20; round++) {
    disturb(dice);
    std::vector<double> q = {dice(), dice()};
    ph_pose pose;
    ph_ik_pose(ik, sim->m, sim->d, q.data(), &pose, nullptr);
    put(q);
    for (int k = 0; k < 3; k++)
      ASSERT_NEAR(sim->d->site_xpos[3 * site + k], pose.pos[k], 1e-13);
  }
}

TEST_F(Ik, AJointBesideTheChainIsNamed) {
  int both[] = {joints[1], ph_model_find(model, PH_JOINT, "fan")}, which = -1;
  ph_ik *other = nullptr;
  EXPECT_EQ(PH_EMISMATCH, ph_ik_create(&other, sim->m, site, both, 2, &which));
  EXPECT_EQ(nullptr, other);
  EXPECT_EQ(1, which);
  int after[] = {joints[1], ph_model_find(model, PH_JOINT, "left")}; /* hangs on the hand */
  EXPECT_EQ(PH_EMISMATCH, ph_ik_create(&other, sim->m, site, after, 2, &which));
  EXPECT_EQ(1, which);
}

} // namespace
