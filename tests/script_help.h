/* Scripts, a model with one of everything that they name, and what tests ask of them. */
#ifndef TESTS_SCRIPT_HELP_H
#define TESTS_SCRIPT_HELP_H

#include <string>
#include <vector>

#include "mj_help.h"

extern "C" {
#include "name.h"
#include "script_lua.h"
#include "task.h"
}

inline std::string script_xml() {
  return "<mujoco><compiler angle='radian'/><size nuserdata='3'/><option timestep='0.002'/>"
         "<worldbody><geom name='floor' type='plane' size='3 3 .1'/>"
         "<body name='table' pos='.5 .1 .2'><geom name='top' type='box' size='.1 .1 .02'/></body>"
         "<body name='arm' pos='0 0 .6'><joint name='arm_lift' axis='0 1 0' damping='.3'/>"
         "<geom name='upper' type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>"
         "<body name='wrist' pos='.3 0 0'><joint name='arm_wrist' type='ball'/>"
         "<geom name='hand' type='capsule' fromto='0 0 0 .1 0 0' size='.02'/>"
         "<site name='grip' pos='.1 0 0' euler='.3 .2 .1'/></body></body>"
         "<body name='drawer' pos='-.5 0 .3'><joint name='drawer' type='slide' axis='1 0 0'/>"
         "<geom name='box' type='box' size='.05 .05 .05'/></body>"
         "<body name='cup' pos='.5 .1 .29' euler='.02 0 0'><freejoint name='cup'/>"
         "<geom name='cup' type='box' size='.03 .03 .05'/></body>"
         "<body name='goal' mocap='true' pos='1 1 1'><geom name='mark' type='sphere' size='.01' "
         "contype='0' conaffinity='0'/></body></worldbody>"
         "<equality><weld name='hold' body1='goal' body2='cup' active='false'/>"
         "<joint name='lock' joint1='drawer'/></equality>"
         "<tendon><fixed name='cord'><joint joint='drawer' coef='1'/></fixed></tendon>"
         "<actuator><position name='lift' joint='arm_lift' kp='10' ctrllimited='true' "
         "ctrlrange='-1 1'/><position name='pull' joint='drawer' kp='5' gear='2'/>"
         "<motor name='push' joint='drawer'/><general name='muscle' tendon='cord' "
         "dyntype='filter' dynprm='.1'/></actuator>"
         "<sensor><jointpos name='angle' joint='arm_lift'/><framepos name='place' objtype='site' "
         "objname='grip'/></sensor></mujoco>";
}

/* Opens a script; NULL and the message where it fails. */
inline ph_script *script_open(const std::string &source, std::string *error = nullptr,
                              const char *name = "t.lua") {
  ph_script *script = nullptr;
  ph_status st = ph_script_open(&script, source.data(), source.size(), name);
  if (st != PH_OK && error)
    *error = ph_error();
  EXPECT_EQ(st == PH_OK, script != nullptr);
  return script;
}

/* A script on a simulation that has moved a little. */
class ScriptTest : public ::testing::Test {
protected:
  void SetUp() override {
    model = help_model(script_xml());
    ASSERT_NE(nullptr, model);
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, model)) << ph_error();
    std::vector<double> ctrl = {0.4, 0.1, 0.2, 0.3};
    bool warned;
    ASSERT_EQ(PH_OK, ph_sim_forward(sim)) << ph_error();
    start = ph_start_new(sim);
    for (int i = 0; i < 8; i++)
      ASSERT_EQ(PH_OK, ph_sim_step(sim, ctrl.data(), 5, &warned)) << ph_error();
    ASSERT_EQ(PH_OK, ph_sim_forward(sim)) << ph_error();
    scene.sim = sim;
    scene.step = 7;
    scene.action = action;
    scene.naction = 3;
    scene.start = start;
  }

  void TearDown() override {
    ph_script_free(script);
    ph_start_free(start);
    ph_sim_free(sim);
    ph_model_unref(model);
  }

  /* Opens "return {reward = function(s) BODY end}" and gives the reward; the message on failure. */
  std::string reward(const std::string &body, double *value) {
    ph_script_free(script);
    std::string error;
    script = script_open("return {reward = function(s) " + body + " end}", &error);
    if (!script)
      return error;
    return ph_script_reward(script, &scene, value) == PH_OK ? "" : ph_error();
  }

  double eval(const std::string &expression) {
    double value = NAN;
    EXPECT_EQ("", reward("return " + expression, &value)) << expression;
    return value;
  }

  std::string fails(const std::string &body) {
    double value;
    return reward(body, &value);
  }

  /* Runs "reset = function(env, rng) BODY end"; the message on failure. */
  std::string reset(const std::string &body) {
    ph_script_free(script);
    std::string error;
    script = script_open("return {reset = function(env, rng) " + body + " end}", &error);
    if (!script)
      return error;
    return ph_script_reset(script, sim, &rng) == PH_OK ? "" : ph_error();
  }

  double action[3] = {0.25, -0.5, 2};
  ph_model *model = nullptr;
  ph_sim *sim = nullptr;
  struct ph_start *start = nullptr;
  ph_scene scene = {};
  ph_script *script = nullptr;
  ph_rng rng = {};
};

#endif
