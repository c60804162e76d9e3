// What is wrong with an episode that physics does not give back, in one sentence.
#include "wrong_help.h"

using namespace wrong_help;

namespace {

/* --- one thing is wrong --- */

TEST(Diagnosis, SaysNothingOfARightFile) {
  for (const std::string &xml : {arm_xml(), box_xml(), box_xml("solver='PGS' iterations='5'"),
                                 arm_xml("integrator='RK4'")}) {
    Wrong w(xml);
    w.expect(PH_CAUSE_NONE, "Each of 120 steps comes back bit for bit, and so does the run");
    EXPECT_EQ(0, w.said.error);
  }
}

TEST(Diagnosis, FindsTheActionOfTheStepBefore) {
  for (const std::string &xml : {arm_xml(), box_xml()}) {
    Wrong w(xml);
    w.move_actions(-1);
    w.expect_variant(-1, 5, PH_RECIPE_STEP,
                     "With the action of the step before (offset -1) 119 of 119 steps");
    EXPECT_NE(nullptr, strstr(w.said.text, "as the file says 1 do")) << w.said.text;
    EXPECT_LT(w.said.best_error, w.said.error);
  }
}

TEST(Diagnosis, FindsTheActionOfTheStepAfter) {
  Wrong w(box_xml());
  w.move_actions(1);
  w.expect_variant(1, 5, PH_RECIPE_STEP, "the step after (offset +1)");
}

TEST(Diagnosis, FindsEveryDecimation) {
  for (int steps = 1; steps <= 20; steps += 3) {
    Truth truth;
    truth.control_steps = steps;
    truth.actions = 60;
    Wrong w(arm_xml(), truth);
    w.say_control_steps(steps == 10 ? 4 : 10);
    w.expect_variant(0, steps, PH_RECIPE_STEP, "substep");
    EXPECT_NE(nullptr, strstr(w.said.text, steps == 10 ? "(4 substeps)" : "(10 substeps)"))
        << w.said.text;
  }
}

TEST(Diagnosis, FindsADecimationThatOnlyTheTimesTell) {
  Truth truth;
  truth.control_steps = 33;
  Wrong w(arm_xml(), truth);
  w.say_control_steps(10);
  w.expect_variant(0, 33, PH_RECIPE_STEP, "With 33 substeps a step 120 of 120 steps come");
}

TEST(Diagnosis, SaysThatTheTimesAreAnothers) {
  Wrong w(arm_xml());
  w.say_time(0.02);
  w.expect(PH_CAUSE_NONE, "The times of its states say 10 substeps.");
  Wrong v(arm_xml());
  v.say_control_steps(10);
  v.say_time(0.02);
  v.expect_variant(0, 5, PH_RECIPE_STEP, "With 5 substeps a step");
  EXPECT_NE(nullptr, strstr(v.said.text, "as the file says (10 substeps) 0 do")) << v.said.text;
}

TEST(Diagnosis, FindsTheRecipe) {
  Truth truth;
  truth.recipe = PH_RECIPE_FORWARD_STEP;
  Wrong w(box_xml("solver='PGS' iterations='20'"), truth);
  w.expect_variant(0, 5, PH_RECIPE_FORWARD_STEP,
                   "With the recipe forward_step 120 of 120 steps come");
  truth.recipe = PH_RECIPE_STEP1_STEP2;
  Wrong v(arm_xml("integrator='RK4'"), truth);
  v.expect_variant(0, 5, PH_RECIPE_STEP1_STEP2,
                   "With the recipe step1_step2 120 of 120 steps come");
}

TEST(Diagnosis, FindsTheRecipeWhereItOnlyTurnsTheLastBits) {
  Truth truth;
  truth.recipe = PH_RECIPE_FORWARD_STEP;
  Wrong w(box_xml(), truth);
  w.expect_variant(0, 5, PH_RECIPE_FORWARD_STEP, "With the recipe forward_step");
}

TEST(Diagnosis, MissesTheWarmstart) {
  Wrong w(box_xml("solver='PGS' iterations='10'"));
  w.drop(PH_COL_WARMSTART);
  w.expect(PH_CAUSE_WARMSTART, "The file holds no warmstart");
  Wrong v(box_xml("solver='PGS' iterations='10'"));
  v.zero(PH_COL_WARMSTART);
  v.expect(PH_CAUSE_WARMSTART, "The warmstart in the file is not the one that was used");
}

TEST(Diagnosis, FindsThatNoWarmstartWasUsed) {
  Truth truth;
  truth.cold = true;
  truth.control_steps = 1;
  Wrong w(box_xml("solver='PGS' iterations='10'"), truth);
  w.expect(PH_CAUSE_WARMSTART, "With a warmstart of zero at each step");
  EXPECT_TRUE(w.said.best.cold);
}

TEST(Diagnosis, KnowsFloat32) {
  for (bool stored : {false, true}) {
    Wrong w(arm_xml());
    w.round_states();
    w.float32 = stored;
    w.expect(PH_CAUSE_FLOAT32, "States are stored as float32");
  }
  Wrong w(box_xml());
  w.round_states();
  w.expect(PH_CAUSE_FLOAT32, "States are stored as float32");
}

TEST(Diagnosis, KnowsAnotherStart) {
  Wrong w(arm_xml());
  w.row(PH_COL_STATES, 0)[2] += 0.1; /* elbow */
  w.expect(PH_CAUSE_START, "all 120 steps but the first come back");
  EXPECT_NE(nullptr, strstr(w.said.text, "elbow")) << w.said.text;
  EXPECT_EQ(1u, w.said.nevents);
}

TEST(Diagnosis, NamesTheStepsOfEvents) {
  Truth truth;
  truth.touch = [](mjData *d, int t, int s) {
    if ((t == 40 || t == 77) && s == 2)
      d->qvel[t == 40 ? 0 : 1] += 0.8;
  };
  Wrong w(arm_xml(), truth);
  w.expect(PH_CAUSE_EVENTS, "at 2 steps: 41, 78");
  ASSERT_EQ(2u, w.said.nevents);
  EXPECT_EQ(41, w.said.event[0]);
  EXPECT_EQ(78, w.said.event[1]);
  EXPECT_NE(nullptr, strstr(w.said.text, "the other 118 come back bit for bit")) << w.said.text;
  truth.touch = [](mjData *d, int t, int s) {
    if (t == 59 && s == 0)
      d->qvel[1] += 0.8;
  };
  Wrong v(box_xml(), truth);
  v.expect(PH_CAUSE_EVENTS, "at step 60; the other 119 come back bit for bit: an event");
}

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  size_t at = text.find(what);
  EXPECT_NE(std::string::npos, at) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(Diagnosis, SaysThatNothingFitsWhereTheModelIsAnother) {
  const char *others[][2] = {
      {"mass='.8'", "mass='1.1'"}, {"damping='.3'", "damping='.5'"}, {"kp='30'", "kp='25'"}};
  for (const auto &other : others) {
    Wrong w(arm_xml());
    w.use(replaced(arm_xml(), other[0], other[1]));
    w.expect(PH_CAUSE_UNKNOWN, "None of what was tried fits");
    EXPECT_NE(nullptr, strstr(w.said.text, "Another model")) << w.said.text;
    EXPECT_NE(nullptr, strstr(w.said.text, " rad")) << w.said.text;
  }
  std::string boxes =
      replaced(box_xml(), "<worldbody>", "<default><geom friction='.8'/></default><worldbody>");
  Wrong w(boxes);
  w.use(replaced(boxes, "friction='.8'", "friction='.3'"));
  w.expect(PH_CAUSE_UNKNOWN, "without contact do: friction");
}

TEST(Diagnosis, SaysThatTheTimestepIsAnother) {
  Wrong w(arm_xml());
  w.meta.timestep = 0; /* not known */
  w.use(replaced(arm_xml(), "timestep='0.002'", "timestep='0.003'"));
  w.expect_variant(0, 5, PH_RECIPE_STEP, "With a timestep of 0.002 s 120 of 120 steps");
  EXPECT_EQ(0.002, w.said.best.timestep);
  EXPECT_NE(nullptr, strstr(w.said.text, "as the file says (5 substeps of 0.003 s) 0 do"))
      << w.said.text;
}

TEST(Diagnosis, SeesThatOthersThanTheActionsWereSent) {
  Truth truth;
  truth.alter = [](int t, double *ctrl) { ctrl[1] += 0.3 * std::sin(2.1 * t); };
  Wrong w(arm_xml(), truth);
  w.expect(PH_CAUSE_ACTIONS, "with the ctrl that the file holds 99 of 99 steps come back");
  EXPECT_NE(nullptr, strstr(w.said.text, "ctrl 1 (me)")) << w.said.text;
  Wrong v(arm_xml());
  v.row(PH_COL_CTRL, 30)[0] += 0.25;
  v.expect(PH_CAUSE_ACTIONS, "at 1 step the actions give another ctrl");
}

} // namespace
