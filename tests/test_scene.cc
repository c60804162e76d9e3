#include "script_help.h"

namespace {

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

int id(const ph_model *model, ph_kind kind, const char *name) {
  int i = ph_model_find(model, kind, name);
  EXPECT_GE(i, 0) << name;
  return i;
}

// The cup comes to stand on the table.
void settle(ph_sim *sim) {
  for (int i = 0; i < 400; i++) {
    bool warned;
    std::vector<double> ctrl = {0, 0, 0, 0};
    ASSERT_EQ(PH_OK, ph_sim_step(sim, ctrl.data(), 1, &warned)) << ph_error();
  }
  ASSERT_EQ(PH_OK, ph_sim_forward(sim));
}

using Scene = ScriptTest;

/* --- s against mjData --- */

TEST_F(Scene, JointsVelocitiesSensorsAndControls) {
  const mjData *d = sim->d;
  const ph_joint_info *lift = ph_model_joint(model, id(model, PH_JOINT, "arm_lift"));
  const ph_joint_info *drawer = ph_model_joint(model, id(model, PH_JOINT, "drawer"));
  const ph_joint_info *wrist = ph_model_joint(model, id(model, PH_JOINT, "arm_wrist"));
  const ph_joint_info *cup = ph_model_joint(model, id(model, PH_JOINT, "cup"));
  EXPECT_NE(0, d->qpos[lift->qposadr]);
  EXPECT_EQ(d->qpos[lift->qposadr], eval("s.joint.arm_lift"));
  EXPECT_EQ(d->qpos[drawer->qposadr], eval("s.joint['drawer']"));
  EXPECT_EQ(d->qvel[drawer->dofadr], eval("s.qvel.drawer"));
  EXPECT_EQ(d->qpos[wrist->qposadr + 2], eval("s.joint.arm_wrist.quat[3]"));
  EXPECT_EQ(d->qvel[wrist->dofadr + 1], eval("s.qvel.arm_wrist[2]"));
  EXPECT_EQ(3, eval("#s.qvel.arm_wrist"));
  EXPECT_EQ(6, eval("#s.qvel.cup"));
  EXPECT_EQ(d->qpos[cup->qposadr + 1], eval("s.joint.cup.y"));
  EXPECT_EQ(d->qpos[cup->qposadr + 2], eval("s.joint.cup.pos[3]"));
  EXPECT_EQ(d->qpos[cup->qposadr + 4], eval("s.joint.cup.quat[2]"));
  EXPECT_EQ(d->sensordata[0], eval("s.sensor.angle"));
  EXPECT_EQ(d->sensordata[3], eval("s.sensor.place[3]"));
  EXPECT_EQ(d->ctrl[2], eval("s.ctrl.push"));
  EXPECT_EQ(d->time, eval("s.time"));
  EXPECT_EQ(7, eval("s.step"));
  EXPECT_EQ(action[1], eval("s.action[2]"));
  EXPECT_EQ(3, eval("#s.action"));
  EXPECT_EQ(1.75, eval("(function() local n = 0 for _, x in ipairs(s.action) do n = n + x end "
                       "return n end)()"));
}

TEST_F(Scene, FramesOfBodiesSitesAndGeoms) {
  const mjData *d = sim->d;
  int cup = id(model, PH_BODY, "cup"), grip = id(model, PH_SITE, "grip");
  int hand = id(model, PH_GEOM, "hand");
  const char *axes[] = {"x", "y", "z"};
  double site_quat[4], geom_quat[4];
  mju_mat2Quat(site_quat, d->site_xmat + 9 * grip);
  mju_mat2Quat(geom_quat, d->geom_xmat + 9 * hand);
  for (int i = 0; i < 3; i++) {
    std::string n = std::to_string(i + 1);
    EXPECT_EQ(d->xpos[3 * cup + i], eval(std::string("s.body.cup.") + axes[i]));
    EXPECT_EQ(d->xpos[3 * cup + i], eval("s.body.cup.pos[" + n + "]"));
    EXPECT_EQ(d->site_xpos[3 * grip + i], eval(std::string("s.site.grip.") + axes[i]));
    EXPECT_EQ(d->geom_xpos[3 * hand + i], eval("s.geom.hand.pos[" + n + "]"));
  }
  for (int i = 0; i < 4; i++) {
    std::string n = std::to_string(i + 1);
    EXPECT_EQ(d->xquat[4 * cup + i], eval("s.body.cup.quat[" + n + "]"));
    EXPECT_EQ(site_quat[i], eval("s.site.grip.quat[" + n + "]"));
    EXPECT_EQ(geom_quat[i], eval("s.geom.hand.quat[" + n + "]"));
  }
  EXPECT_NEAR(d->xmat[9 * cup + 8], eval("s.body.cup.up"), 1e-15);
  EXPECT_EQ(1, eval("s.body.world.up"));
}

TEST_F(Scene, DistancesContactsForcesAndSpeeds) {
  const mjData *d = sim->d;
  int cup = id(model, PH_BODY, "cup"), grip = id(model, PH_SITE, "grip");
  const double *a = d->xpos + 3 * cup, *b = d->site_xpos + 3 * grip;
  double apart[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  EXPECT_NEAR(mju_norm3(apart), eval("s.dist('cup', 'grip')"), 1e-15);
  EXPECT_NEAR(mju_norm3(apart), eval("s.dist('grip', 'cup')"), 1e-15);
  EXPECT_EQ(0, eval("s.dist('cup', 'cup')"));
  settle(sim);
  EXPECT_EQ(1, eval("s.contact('cup', 'table') and 1 or 0"));
  EXPECT_EQ(1, eval("s.contact('top', 'cup') and 1 or 0"));
  EXPECT_EQ(1, eval("s.contact('cu*', '*') and 1 or 0"));
  EXPECT_EQ(1, eval("s.contact('*', 't[a-b]ble') and 1 or 0"));
  EXPECT_EQ(0, eval("s.contact('cup', 'arm') and 1 or 0"));
  EXPECT_EQ(0, eval("s.contact('cup', 'floor') and 1 or 0"));
  double sum = 0;
  for (int i = 0; i < d->ncon; i++) {
    double wrench[6];
    mj_contactForce(sim->m, d, i, wrench);
    if (sim->m->geom_bodyid[d->contact[i].geom1] == cup ||
        sim->m->geom_bodyid[d->contact[i].geom2] == cup)
      sum += wrench[0];
  }
  EXPECT_GT(sum, 0);
  EXPECT_EQ(sum, eval("s.force('cup', 'table')"));
  EXPECT_EQ(0, eval("s.force('cup', 'drawer')"));
  double velocity[6];
  mj_objectVelocity(sim->m, d, mjOBJ_XBODY, id(model, PH_BODY, "wrist"), velocity, 0);
  EXPECT_NEAR(mju_norm3(velocity + 3), eval("s.speed('wrist')"), 1e-15);
  EXPECT_EQ(0, eval("s.speed('world')"));
}

TEST_F(Scene, StartIsTheStateAtStepZero) {
  EXPECT_EQ(0, eval("s.start.time"));
  EXPECT_EQ(0, eval("s.start.joint.arm_lift"));
  EXPECT_EQ(0.29, eval("s.start.body.cup.z"));
  EXPECT_EQ(0, eval("s.start.qvel.drawer"));
  EXPECT_EQ(0, eval("s.start.ctrl.push"));
  EXPECT_NE(eval("s.body.cup.z"), eval("s.start.body.cup.z"));
  EXPECT_NE(eval("s.dist('cup', 'grip')"), eval("s.start.dist('cup', 'grip')"));
  EXPECT_TRUE(has(fails("return s.start.force('a', 'b')"), "s.start has no 'force'"));
  scene.start = nullptr;
  EXPECT_TRUE(has(fails("return s.start.time"), "s.start: the values at step 0 are not known"));
  EXPECT_TRUE(has(fails("return s.start.body.cup.z"), "s.start: the values at step 0"));
}

TEST_F(Scene, ConstantsOfTheModel) {
  EXPECT_EQ(0.002, eval("s.model.timestep"));
  EXPECT_EQ(sim->m->nq, eval("s.model.nq"));
  EXPECT_EQ(sim->m->nbody, eval("s.model.nbody"));
  EXPECT_EQ(sim->m->body_mass[id(model, PH_BODY, "cup")], eval("s.model.body.cup.mass"));
  EXPECT_EQ(0.2, eval("s.model.body.table.pos[3]"));
  EXPECT_EQ(0.3, eval("s.model.dof.arm_lift.damping"));
  EXPECT_TRUE(has(fails("s.model.body.cup.mass = 1 return 1"), "only changes, while reset runs"));
  EXPECT_TRUE(has(fails("return s.model.timestp"), "the model has no 'timestp'; did you mean"));
}

TEST_F(Scene, ScalarsOfTheEngine) {
  scene.predicate = true;
  EXPECT_EQ(1, eval("s.predicate and 1 or 0"));
  EXPECT_EQ(0, eval("s.latched and 1 or 0"));
  scene.action = nullptr;
  EXPECT_EQ(0, eval("#s.action"));
  EXPECT_EQ(1, eval("s.action[1] == nil and 1 or 0"));
}

TEST_F(Scene, UnknownNamesSayWhatIsNear) {
  EXPECT_EQ("t.lua:1: reward: no joint 'drawr'; did you mean 'drawer'?",
            fails("return s.joint.drawr"));
  EXPECT_TRUE(has(fails("return s.bdy"), "s has no 'bdy'; did you mean 'body'?"));
  EXPECT_TRUE(has(fails("return s.body.cpu.z"), "no body 'cpu'; did you mean 'cup'?"));
  EXPECT_TRUE(has(fails("return s.body.cup.w"), "body 'cup' has no 'w'"));
  EXPECT_TRUE(has(fails("return s.joint.arm_wrist.x"), "joint 'arm_wrist' has no 'x'"));
  EXPECT_TRUE(has(fails("return s.sensor.angel"), "no sensor 'angel'; did you mean 'angle'?"));
  EXPECT_TRUE(has(fails("return s.ctrl.lft"), "no actuator 'lft'; did you mean 'lift'?"));
  EXPECT_TRUE(has(fails("return s.dist('gripp', 'cup')"),
                  "no site, body or geom 'gripp'; did you mean 'grip'?"));
  EXPECT_TRUE(has(fails("return s.contact('cups', 'cup')"), "no site, body or geom 'cups'"));
  EXPECT_TRUE(has(fails("return s.contact('q*', 'cup')"), "the pattern 'q*' matches no body"));
  const char said[] =
      "; a pattern knows * and .* (any run), . (any one) and sets like [a-c], not '|'";
  EXPECT_TRUE(has(fails("return s.contact('cup|top', 'arm')"), said));
  EXPECT_TRUE(has(fails("return s.contact('q*|top', 'arm')"), said));
  EXPECT_FALSE(has(fails("return s.dist('cup|top', 'arm')"), "a pattern")) << "names alone";
  EXPECT_TRUE(has(fails("return s.contact('q[*', 'cup')"), "has a [ without a ]"));
  EXPECT_TRUE(has(fails("return s.speed('dawer')"), "no body 'dawer'; did you mean 'drawer'?"));
  EXPECT_TRUE(has(fails("return s.joint[1]"), "s.joint: is indexed by names, not by a number"));
  EXPECT_TRUE(has(fails("return s[{}]"), "s is indexed by names, not by a table"));
  EXPECT_TRUE(has(fails("return s.dist('cup')"), "bad argument #2"));
  EXPECT_TRUE(has(fails("return s.dist({}, 'cup')"), "bad argument #1"));
  EXPECT_TRUE(has(fails("return s.joint['']"), "no joint ''"));
}

TEST_F(Scene, NothingCanBeWritten) {
  for (const char *what : {"s.x = 1", "s.time = 1", "s.joint.drawer = 1", "s.body.cup.z = 1",
                           "s.action[1] = 1", "s.start.joint.drawer = 2"})
    EXPECT_TRUE(has(fails(std::string(what) + " return 1"), "s is read only")) << what;
}

TEST_F(Scene, AnSThatIsKeptIsDeadAfterwards) {
  std::string error;
  script = script_open("local kept, body return {reward = function(s) kept, body = s, s.body.cup "
                       "return 1 end,\nreset = function(env) if kept then return body.z end end}",
                       &error);
  ASSERT_NE(nullptr, script) << error;
  double value;
  EXPECT_EQ(PH_OK, ph_script_reward(script, &scene, &value));
  EXPECT_EQ(PH_ETASK, ph_script_reset(script, sim, &rng));
  EXPECT_STREQ("t.lua:2: reset: s is only there while a function that was given it runs",
               ph_error());
}

/* --- conditions --- */

TEST_F(Scene, ConditionsSayWhatTheyReadLast) {
  std::string error;
  script = script_open("return {success = {"
                       "e_body = function(s) return s.body.cup.z > 100 end,"
                       "a_joint = function(s) return s.time >= 0 and s.joint.drawer < 100 end,"
                       "b_dist = function(s) return s.dist('cup', 'grip') < 100 end,"
                       "c_force = function(s) return s.force('cup', 'table') >= 0 end,"
                       "d_none = function(s) return true end,"
                       "h_touch = function(s) return s.contact('cup', 'ta*') end,"
                       "i_apart = function(s) return not s.contact('cup', 'arm') end,"
                       "f_up = function(s) local up = 'u' .. 'p' return s.body.cup[up] > -2 end,"
                       "g_time = function(s) return s.time > -1 end}}",
                       &error);
  ASSERT_NE(nullptr, script) << error;
  settle(sim);
  ph_condition c[9];
  bool all = true;
  ASSERT_EQ(PH_OK, ph_script_success(script, &scene, &all, c)) << ph_error();
  EXPECT_FALSE(all);
  const char *names[] = {"a_joint", "b_dist", "c_force", "d_none", "e_body",
                         "f_up",    "g_time", "h_touch", "i_apart"};
  const char *reads[] = {
      "joint.drawer", "dist(cup,grip)",   "force(cup,table)", "", "body.cup.z", "body.cup.up",
      "time",         "contact(cup,ta*)", "contact(cup,arm)"};
  const char *units[] = {"", "m", "N", "", "", "", "", "points", "points"};
  for (int i = 0; i < 9; i++) {
    EXPECT_STREQ(names[i], c[i].name);
    EXPECT_STREQ(reads[i], c[i].reads);
    EXPECT_STREQ(units[i], c[i].unit) << reads[i];
    EXPECT_EQ(i != 4, c[i].value);
  }
  EXPECT_EQ(sim->d->qpos[ph_model_joint(model, id(model, PH_JOINT, "drawer"))->qposadr], c[0].read);
  EXPECT_EQ(sim->d->xpos[3 * id(model, PH_BODY, "cup") + 2], c[4].read);
  EXPECT_EQ(sim->d->time, c[6].read);
  EXPECT_EQ(4, c[7].read) << "a box on a box";
  EXPECT_EQ(0, c[8].read);
}

/* What can change is what a person wants to see. */
TEST_F(Scene, AConstantIsNoReadingWhereThereIsAnother) {
  struct {
    const char *code, *reads;
  } cases[] = {
      {"s.body.cup.z > s.body.table.z + 1", "body.cup.z"},
      {"s.body.table.z < s.body.cup.z", "body.cup.z"},
      {"s.geom.top.z < 99 and s.site.grip.x < 99 and s.geom.top.x < 99", "site.grip.x"},
      {"s.body.cup.z > s.start.body.cup.z + 1", "body.cup.z"},
      {"s.joint.drawer < s.start.joint.drawer", "joint.drawer"},
      {"s.dist('cup', 'grip') > 2 * s.start.dist('cup', 'grip')", "dist(cup,grip)"},
      {"s.body.goal.x < 99 and s.body.table.x < 99", "body.goal.x"},
      {"s.body.table.z > 9", "body.table.z"},
  };
  settle(sim);
  for (const auto &c : cases) {
    std::string error;
    ph_script_free(script);
    script = script_open(std::string("return {success = function(s) return ") + c.code + " end}",
                         &error);
    ASSERT_NE(nullptr, script) << error;
    ph_condition condition;
    bool all;
    ASSERT_EQ(PH_OK, ph_script_success(script, &scene, &all, &condition)) << ph_error();
    EXPECT_STREQ(c.reads, condition.reads) << c.code;
  }
}

TEST_F(Scene, ConditionsCannotReadWhatTheyDecide) {
  std::string error;
  bool value;
  script = script_open("return {success = function(s) return s.predicate end,"
                       "failure = function(s) return s.predicate end}",
                       &error);
  EXPECT_EQ(PH_ETASK, ph_script_success(script, &scene, &value, nullptr));
  EXPECT_TRUE(has(ph_error(), "success: s.predicate: is what the conditions decide")) << ph_error();
  scene.predicate = true;
  EXPECT_EQ(PH_OK, ph_script_failure(script, &scene, &value));
  EXPECT_TRUE(value);
}

TEST_F(Scene, ReadoutsComeInOrder) {
  std::string error;
  script = script_open("return {readouts = {z = function(s) return 3 end, a = function(s) return "
                       "s.step end}}",
                       &error);
  double values[2];
  ASSERT_EQ(PH_OK, ph_script_readouts(script, &scene, values)) << ph_error();
  EXPECT_EQ(7, values[0]);
  EXPECT_EQ(3, values[1]);
}

TEST_F(Scene, ReadingChangesNothing) {
  std::string before = help_bits(sim);
  double value;
  EXPECT_EQ("", reward("local x = s.dist('cup', 'grip') + s.force('*', '*') + s.speed('cup') + "
                       "s.body.cup.up + s.sensor.place[1] + s.model.body.cup.mass return x",
                       &value));
  EXPECT_EQ(before, help_bits(sim));
}

TEST_F(Scene, AnotherModelIsRefused) {
  double value;
  EXPECT_EQ(1, eval("1"));
  ph_model *other = help_model(help_scene());
  ph_sim *elsewhere = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&elsewhere, other));
  ASSERT_EQ(PH_OK, ph_sim_forward(elsewhere));
  scene.sim = elsewhere;
  EXPECT_EQ(PH_ETASK, ph_script_reward(script, &scene, &value));
  EXPECT_TRUE(has(ph_error(), "another model")) << ph_error();
  ph_sim_free(elsewhere);
  ph_model_unref(other);
}

/* --- the functions by name --- */

TEST_F(Scene, ByName) {
  double x, y, pos[3], quat[4], sensor[3], d;
  int n = 3;
  ASSERT_TRUE(ph_scene_joint(sim, "drawer", &x, &y));
  EXPECT_EQ(eval("s.joint.drawer"), x);
  EXPECT_EQ(eval("s.qvel.drawer"), y);
  EXPECT_FALSE(ph_scene_joint(sim, "nothing", &x, &y));
  ASSERT_TRUE(ph_scene_position(sim, PH_SITE, "grip", pos, quat));
  EXPECT_EQ(eval("s.site.grip.y"), pos[1]);
  EXPECT_FALSE(ph_scene_position(sim, PH_JOINT, "drawer", pos, quat));
  ASSERT_TRUE(ph_scene_sensor(sim, "place", sensor, &n));
  EXPECT_EQ(3, n);
  EXPECT_EQ(eval("s.sensor.place[2]"), sensor[1]);
  n = 2;
  EXPECT_FALSE(ph_scene_sensor(sim, "place", sensor, &n));
  ASSERT_TRUE(ph_scene_ctrl(sim, "pull", &x));
  EXPECT_EQ(0.1, x);
  ASSERT_TRUE(ph_scene_distance(sim, "cup", "grip", &d));
  EXPECT_EQ(eval("s.dist('cup', 'grip')"), d);
  EXPECT_FALSE(ph_scene_distance(sim, "cup", "nothing", &d));
  ASSERT_TRUE(ph_scene_speed(sim, "wrist", &d));
  EXPECT_EQ(eval("s.speed('wrist')"), d);
  bool touch = true;
  double force = 1;
  ASSERT_TRUE(ph_scene_contact(sim, "arm", "drawer", &touch, &force));
  EXPECT_FALSE(touch);
  EXPECT_EQ(0, force);
  EXPECT_FALSE(ph_scene_contact(sim, "arm", "nothing", &touch, &force));
}

/* --- env of reset --- */

TEST_F(Scene, ResetWritesTheState) {
  mjData *d = sim->d;
  EXPECT_EQ("",
            reset("env.qpos.drawer = 0.2 env.qpos.cup = {1, 2, 3, 0, 1, 0, 0} "
                  "env.qpos.arm_wrist[2] = 0.5 env.qvel.drawer = -1 env.qvel.cup = {1,2,3,4,5,6} "
                  "env.qvel.arm_wrist = env.qvel.arm_wrist env.act.muscle = 0.7 "
                  "env.ctrl.push = 0.9 env.mocap.goal.pos = {4, 5, 6} "
                  "env.mocap.goal.quat = {0, 0, 1, 0} env.userdata[2] = 8 "
                  "env.xfrc.drawer = {1, 2, 3, 4, 5, 6} env.eq_active.hold = true "
                  "env.eq_active.lock = not env.eq_active.lock"));
  const ph_joint_info *drawer = ph_model_joint(model, id(model, PH_JOINT, "drawer"));
  const ph_joint_info *wrist = ph_model_joint(model, id(model, PH_JOINT, "arm_wrist"));
  const ph_joint_info *cup = ph_model_joint(model, id(model, PH_JOINT, "cup"));
  EXPECT_EQ(0.2, d->qpos[drawer->qposadr]);
  EXPECT_EQ(3, d->qpos[cup->qposadr + 2]);
  EXPECT_EQ(1, d->qpos[cup->qposadr + 4]);
  EXPECT_EQ(0.5, d->qpos[wrist->qposadr + 1]);
  EXPECT_EQ(-1, d->qvel[drawer->dofadr]);
  EXPECT_EQ(6, d->qvel[cup->dofadr + 5]);
  EXPECT_EQ(0.7, d->act[0]);
  EXPECT_EQ(0.9, d->ctrl[2]);
  EXPECT_EQ(5, d->mocap_pos[1]);
  EXPECT_EQ(1, d->mocap_quat[2]);
  EXPECT_EQ(8, d->userdata[1]);
  EXPECT_EQ(6, d->xfrc_applied[6 * id(model, PH_BODY, "drawer") + 5]);
  std::vector<uint8_t> on(2);
  ph_mj_get(sim->m, d, PH_COL_EQ_ACTIVE, on.data());
  EXPECT_EQ(1, on[0]);
  EXPECT_EQ(0, on[1]);
}

TEST_F(Scene, ResetReadsWhatItWrites) {
  EXPECT_EQ("",
            reset("env.qpos.drawer = 0.2 assert(env.qpos.drawer == 0.2) "
                  "assert(#env.qpos.cup == 7 and #env.userdata == 3) "
                  "env.qpos.cup[3] = 0.25 assert(env.qpos.cup[3] == 0.25) "
                  "local n = 0 for i, x in ipairs(env.qpos.cup) do n = n + 1 end assert(n == 7) "
                  "env.mocap.goal.pos = env.mocap.goal.pos assert(env.mocap.goal.pos[1] == 1) "
                  "assert(env.act.muscle == env.act.muscle) assert(env.model.timestep == 0.002) "
                  "assert(env.eq_active.hold == false)"));
}

TEST_F(Scene, ResetWritesTheSimsOwnModel) {
  int table = id(model, PH_BODY, "table"), cup = id(model, PH_GEOM, "cup");
  EXPECT_EQ("", reset("env.model.body.table.pos = {0, 0.1, 0.4} env.model.body.table.pos[1] = 0.7 "
                      "env.model.geom.cup.friction = {0.5, 0.01, 0.001} "
                      "env.model.body.cup.mass = 2 env.model.dof.cup.damping = {1,2,3,4,5,6} "
                      "env.model.joint.drawer.stiffness = 3 env.model.site.grip.pos[2] = 0.5 "
                      "env.model.actuator.lift.gainprm[1] = 12 "
                      "assert(env.model.body.table.pos[3] == 0.4)"));
  EXPECT_TRUE(sim->private_model);
  EXPECT_EQ(0.7, sim->m->body_pos[3 * table]);
  EXPECT_EQ(0.4, sim->m->body_pos[3 * table + 2]);
  EXPECT_EQ(0.5, model->m->body_pos[3 * table]); /* the shared one keeps its values */
  EXPECT_EQ(0.2, model->m->body_pos[3 * table + 2]);
  EXPECT_EQ(0.01, sim->m->geom_friction[3 * cup + 1]);
  EXPECT_EQ(2, sim->m->body_mass[id(model, PH_BODY, "cup")]);
  EXPECT_EQ(6, sim->m->dof_damping[ph_model_joint(model, id(model, PH_JOINT, "cup"))->dofadr + 5]);
  EXPECT_EQ(3, sim->m->jnt_stiffness[id(model, PH_JOINT, "drawer")]);
  EXPECT_EQ(12, sim->m->actuator_gainprm[0]);
}

TEST_F(Scene, ResetRefusesWhatDoesNotFit) {
  std::string before = help_bits(sim);
  const char *cases[][2] = {
      {"env.qpos.drawr = 1", "t.lua:1: reset: env.qpos: no joint 'drawr'; did you mean 'drawer'?"},
      {"env.qpos.drawer = 'x'", "env.qpos.drawer: takes numbers, got a string"},
      {"env.qpos.drawer = 0/0", "nan is not a number it can hold"},
      {"env.qpos.drawer = -0/0", "is not a number it can hold"},
      {"env.qpos.drawer = {1, 2}", "env.qpos.drawer: takes 1 numbers, got 2"},
      {"env.qpos.cup = 1", "env.qpos.cup: takes a list of 7 numbers, got a number"},
      {"env.qpos.cup = {1, 2, 3}", "env.qpos.cup: takes 7 numbers, got 3"},
      {"env.qpos.cup = {1, 2, 3, 4, 5, 6, 'x'}", "env.qpos.cup: takes numbers, got a string"},
      {"env.qpos.cup[8] = 1", "env.qpos.cup: is indexed by whole numbers from 1 to 7"},
      {"env.qpos.cup.x = 1", "env.qpos.cup: is indexed by whole numbers from 1 to 7"},
      {"env.act.lift = 1", "env.act.lift: the actuator has no activation"},
      {"env.userdata[4] = 1", "env.userdata: is indexed by whole numbers from 1 to 3"},
      {"env.mocap.goal = 1", "env.mocap: set its pos or quat"},
      {"env.mocap.gaol.pos = {1, 2, 3}", "env.mocap: no mocap body 'gaol'; did you mean 'goal'?"},
      {"env.mocap.goal.position = {1, 2, 3}", "a mocap body has no 'position'"},
      {"env.eq_active.hold = 1", "env.eq_active.hold: takes true or false, got a number"},
      {"env.eq_active.hld = true", "no equality 'hld'; did you mean 'hold'?"},
      {"env.xfrc.cup = {1}", "env.xfrc.cup: takes 6 numbers, got 1"},
      {"env.qpos = {}", "set one thing of env by its name"},
      {"local x = env.qps", "env has no 'qps'; did you mean 'qpos'?"},
      {"env.model.body.table.poss = {1, 2, 3}",
       "no field 'poss' that may change; did you mean 'pos'"},
      {"env.model.body.table.pos = {1, 2}", "model.body.table.pos: takes 3 numbers, got 2"},
      {"env.model.bdy.table.pos = {1, 2}", "the model has no 'bdy'; did you mean 'body'"},
      {"env.model.body.tabel.mass = 1", "no body 'tabel'; did you mean 'table'?"},
      {"env.model.body = 1", "set one field of one object"},
      {"env.model.geom.cup = 1", "set one field of one object"},
      {"env.model.body.table.parentid = 1", "no field 'parentid' that may change"},
      {"env.model.timestep = 1", "set one field of one object"},
      {"\n env.model.geom.cup.condim = 2",
       "t.lua:2: reset: model.geom.cup.condim: must be 1, 3, 4 or 6, is 2"},
      {"env.model.geom.cup.condim = -1", "must be 1, 3, 4 or 6, is -1"},
      {"env.model.geom.cup.condim = 7", "must be 1, 3, 4 or 6, is 7"},
      {"env.model.body.cup.mass = -1", "t.lua:1: reset: model.body.cup.mass: -1 is negative"},
      {"env.model.body.cup.inertia = {1, 1, -1}", "model.body.cup.inertia: -1 is negative"},
      {"env.model.body.cup.inertia[2] = -1", "model.body.cup.inertia: -1 is negative"},
      {"env.model.geom.cup.size = {.1, -.1, .1}", "model.geom.cup.size: -0.1 is negative"},
      {"env.model.site.grip.size = {-1, 0, 0}", "model.site.grip.size: -1 is negative"},
      {"\n env.model.body.cup.quat = {0, 0, 0, 0}",
       "t.lua:2: reset: model.body.cup.quat: has no length"},
      {"env.model.body.cup.iquat = {0, 0, 0, 1e-20}", "model.body.cup.iquat: has no length"},
      {"env.model.geom.cup.quat = {0, 0, 0, 0}", "model.geom.cup.quat: has no length"},
      {"env.model.site.grip.quat = {0, 0, 0, 0}", "model.site.grip.quat: has no length"},
      {"env.model.joint.drawer.axis = {0, 0, 0}", "model.joint.drawer.axis: has no length"},
  };
  for (const auto &c : cases)
    EXPECT_TRUE(has(reset(c[0]), c[1])) << c[0] << ": " << ph_error();
  EXPECT_EQ(before, help_bits(sim));
}

TEST_F(Scene, AQuaternionMayTurnElementByElement) {
  int table = id(model, PH_BODY, "table");
  const char *turn = "local q = env.model.body.table.quat q[1] = 0 q[2] = ";
  EXPECT_EQ("", reset(std::string(turn) + "1"));
  EXPECT_EQ(1, sim->m->body_quat[4 * table + 1]);
  EXPECT_EQ("t.lua:1: reset: model.body_quat of 'table': has no length",
            reset(std::string(turn) + "0"));
  EXPECT_EQ("", reset("for _, n in ipairs({1, 3, 4, 6}) do env.model.geom.cup.condim = n end "
                      "env.model.body.table.quat[1] = 1 env.model.body.cup.mass = 0"));
}

TEST_F(Scene, AnEnvThatIsKeptIsDeadAfterwards) {
  std::string error;
  script = script_open("local kept return {reset = function(env) kept = env.qpos.cup end,\n"
                       "reward = function(s) kept[1] = 5 return 1 end,\n"
                       "failure = function(s) return kept[1] > 0 end}",
                       &error);
  ASSERT_EQ(PH_OK, ph_script_reset(script, sim, &rng)) << ph_error();
  double value;
  bool flag;
  EXPECT_EQ(PH_ETASK, ph_script_reward(script, &scene, &value));
  EXPECT_TRUE(has(ph_error(), "t.lua:2: reward: env is only there")) << ph_error();
  EXPECT_EQ(PH_ETASK, ph_script_failure(script, &scene, &flag));
}

} // namespace
