// No sentence accuses what is not to blame: neither a warmstart without constraints, nor an event
// where the file itself holds the contradiction, nor the whole where a part is wrong.
#include "wrong_help.h"

using namespace wrong_help;

namespace {

bool says(const Wrong &w, const char *text) {
  return strstr(w.said.text, text) != nullptr;
}

/* --- warmstart --- */

TEST(DiagnosisDoubt, NoWarmstartIsMissedWhereNothingIsConstrained) {
  Wrong start(arm_xml());
  start.drop(PH_COL_WARMSTART);
  start.row(PH_COL_STATES, 0)[1] += 0.1;
  start.expect(PH_CAUSE_START, "all 120 steps but the first come back");
  Wrong action(arm_xml());
  action.drop(PH_COL_WARMSTART);
  action.drop(PH_COL_CTRL);
  action.row(PH_COL_ACTIONS, 60)[1] = 3;
  action.expect(PH_CAUSE_EVENTS, "at step 61; the other 119 come back bit for bit");
  EXPECT_TRUE(says(action, "another action?")) << action.said.text;
  EXPECT_FALSE(says(action, "ctrl: equal bits")) << action.said.text;
  Wrong state(arm_xml());
  state.drop(PH_COL_WARMSTART);
  state.row(PH_COL_STATES, 60)[1] += 0.01;
  state.expect(PH_CAUSE_EVENTS, "at 2 steps: 60, 61");
  for (Wrong *w : {&start, &action, &state})
    EXPECT_FALSE(says(*w, "holds no warmstart")) << w->said.text;
}

/* A push while boxes lie on the floor: the solver is at work, and brings all else back. */
TEST(DiagnosisDoubt, NoWarmstartIsMissedWhereItWouldChangeNothing) {
  for (bool zero : {false, true}) {
    Truth truth;
    truth.touch = [](mjData *d, int t, int s) {
      if (t == 100 && s == 0)
        d->qvel[1] += 0.8;
    };
    Wrong w(box_xml(), truth);
    if (zero)
      w.zero(PH_COL_WARMSTART);
    else
      w.drop(PH_COL_WARMSTART);
    ASSERT_EQ(PH_OK, w.diagnose()) << ph_error();
    EXPECT_TRUE(w.said.cause == PH_CAUSE_EVENTS ||
                says(w, "at step 101, which no warmstart brings about"))
        << w.said.text;
  }
}

TEST(DiagnosisDoubt, AnEventBesideAMissingWarmstartIsNamed) {
  Truth truth;
  truth.touch = [](mjData *d, int t, int s) {
    if (t == 100 && s == 0)
      d->qvel[1] += 8;
  };
  Wrong w(box_xml("solver='PGS' iterations='10'"), truth);
  w.drop(PH_COL_WARMSTART);
  w.expect(PH_CAUSE_WARMSTART, "at step 101, which no warmstart brings about: an event");
}

TEST(DiagnosisDoubt, NoWarmstartIsMissedBesideFloat32WhereNothingIsConstrained) {
  Wrong w(arm_xml());
  w.drop(PH_COL_WARMSTART);
  w.round_states();
  w.expect(PH_CAUSE_FLOAT32, "Nothing else is wrong with the steps");
  EXPECT_FALSE(says(w, "warmstart")) << w.said.text;
  Wrong moved(arm_xml());
  moved.drop(PH_COL_WARMSTART);
  moved.move_actions(-1);
  moved.round_states();
  moved.expect_variant(-1, 5, PH_RECIPE_STEP, "storing states as float32");
  EXPECT_FALSE(says(moved, "no warmstart")) << moved.said.text;
}

TEST(DiagnosisDoubt, AnEventBesideFloat32IsNamed) {
  Wrong w(arm_xml());
  w.row(PH_COL_STATES, 60)[1] += 0.05;
  w.round_states();
  w.expect(PH_CAUSE_FLOAT32, "States are stored as float32, which");
  EXPECT_TRUE(says(w, "shoulder 5.0e-2 rad at step 60, at 2 steps beyond")) << w.said.text;
  EXPECT_FALSE(says(w, "Nothing else")) << w.said.text;
}

/* --- what the file itself holds --- */

TEST(DiagnosisDoubt, ANumberThatIsNoneIsNamed) {
  for (double x : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    Wrong action(arm_xml());
    action.row(PH_COL_ACTIONS, 60)[1] = x;
    action.expect(PH_CAUSE_EVENTS, "In the file element 1 of action 60 is no number: step 61 cannot"
                                   " come back; the other 119 come back bit for bit.");
    ASSERT_EQ(1u, action.said.nevents);
    EXPECT_EQ(61, action.said.event[0]);
    Wrong state(arm_xml());
    state.row(PH_COL_STATES, 60)[3] = x;
    state.expect(PH_CAUSE_EVENTS, "In the file element 3 of state 60 is no number: steps 60, 61");
    Wrong both(arm_xml());
    both.row(PH_COL_ACTIONS, 60)[1] = x;
    both.move_actions(-1);
    both.expect(PH_CAUSE_VARIANT, "In the file element 1 of action 59 is no number.");
    EXPECT_EQ(-1, both.said.best.shift);
    for (Wrong *w : {&action, &state, &both})
      EXPECT_FALSE(says(*w, "does not hold") || says(*w, "as a whole")) << w->said.text;
  }
}

TEST(DiagnosisDoubt, ActionsThatTheCtrlContradictsAreNamedHoweverFew) {
  for (int wrong : {1, 3, 20}) {
    Truth truth;
    truth.actions = 320;
    Wrong w(arm_xml(), truth);
    for (int i = 0; i < wrong; i++)
      w.row(PH_COL_ACTIONS, 101 + 7 * i)[0] += 0.3;
    w.expect(PH_CAUSE_ACTIONS, "The physics is right, the actions are not");
    EXPECT_TRUE(says(w, "first at step 102: ctrl 0 (ms)")) << w.said.text;
    EXPECT_FALSE(says(w, "an event")) << w.said.text;
  }
}

/* --- what the engine refuses --- */

TEST(DiagnosisDoubt, AStepThatTheEngineRefusesIsNoEvent) {
  for (double x : {1e11, 1e308})
    for (int at : {0, 60, 119}) {
      Wrong w(arm_xml());
      w.drop(PH_COL_WARMSTART);
      w.drop(PH_COL_CTRL);
      w.row(PH_COL_ACTIONS, at)[0] = x;
      char text[200];
      snprintf(text, sizeof text,
               "Step %d cannot be run again: ctrl[0] (actuator \"ms\") is %g (the file's action "
               "%d); the other 119 come back bit for bit.",
               at + 1, x, at);
      w.expect(PH_CAUSE_EVENTS, text);
      EXPECT_FALSE(says(w, "event") || says(w, "1-step")) << w.said.text;
      ASSERT_EQ(1u, w.said.nevents);
      EXPECT_EQ(at + 1, w.said.event[0]);
    }
  Wrong many(arm_xml());
  for (int t = 60; t < 80; t++)
    many.row(PH_COL_ACTIONS, t)[1] = -1e11;
  many.expect(PH_CAUSE_EVENTS, "Steps 61, 62, 63, 64, 65, 66, 67, 68, ... cannot be run again: at "
                               "61 ctrl[1] (actuator \"me\") is -1e+11 (the file's action 60); the "
                               "other 100 come back bit for bit.");
}

TEST(DiagnosisDoubt, AStepThatTheEngineRefusesIsNamedBesideAllElse) {
  Wrong event(arm_xml());
  event.drop(PH_COL_CTRL);
  event.row(PH_COL_ACTIONS, 60)[0] = 1e11;
  event.row(PH_COL_ACTIONS, 80)[0] += 0.5;
  event.expect(PH_CAUSE_EVENTS, "at step 81; the other 118 come back bit for bit: an event that");
  EXPECT_TRUE(says(event, "Step 61 cannot be run again: ctrl[0]")) << event.said.text;
  Wrong moved(arm_xml());
  moved.row(PH_COL_ACTIONS, 60)[0] = 1e11;
  moved.move_actions(-1);
  moved.expect_variant(-1, 5, PH_RECIPE_STEP,
                       "118 of 119 steps that were tried come back bit for bit; as the file says 1 "
                       "do. Left is step 61, which stops the engine: ctrl[0] (actuator \"ms\")");
  EXPECT_FALSE(says(moved, "event")) << moved.said.text;
  Wrong single(arm_xml());
  single.row(PH_COL_ACTIONS, 60)[0] = 1e11;
  single.round_states();
  single.expect(PH_CAUSE_FLOAT32, "States are stored as float32: a step comes back no closer than");
  EXPECT_TRUE(says(single, "Step 61 cannot be run again: ctrl[0]")) << single.said.text;
  EXPECT_FALSE(says(single, "event") || says(single, "Nothing else")) << single.said.text;
  Wrong all(arm_xml());
  for (int t = 0; t < 120; t++)
    all.row(PH_COL_ACTIONS, t)[0] = 1e11;
  all.drop(PH_COL_CTRL);
  all.expect(PH_CAUSE_EVENTS, "cannot be run again: at 1 ctrl[0]");
}

/* --- a warmstart that is right up to a state --- */

TEST(DiagnosisDoubt, AWarmstartThatPartsIsSaidWithItsStep) {
  for (const char *option : {"", "solver='PGS' iterations='10'", "solver='CG'"}) {
    Wrong w(box_xml(option));
    for (int t = 50; t <= 120; t++)
      for (int i = 0; i < w.meta.dims.nv; i++)
        w.row(PH_COL_WARMSTART, t)[i] += 1e-3;
    w.expect(PH_CAUSE_WARMSTART, "The warmstart in the file is not the one that was used from "
                                 "step 51 on: at state 50 its element");
    EXPECT_TRUE(says(w, "The 50 steps up to there come back bit for bit, ")) << w.said.text;
    EXPECT_TRUE(says(w, "Run on from its start every state comes back.")) << w.said.text;
    EXPECT_FALSE(says(w, "recipe") || says(w, "event")) << w.said.text;
    EXPECT_EQ(PH_RECIPE_STEP, w.said.best.recipe);
    EXPECT_FALSE(w.said.best.cold);
  }
  Wrong some(arm_xml()); /* nothing is constrained: no state tells */
  for (int t = 50; t < 100; t++)
    some.row(PH_COL_WARMSTART, t)[1] = 0;
  some.expect(PH_CAUSE_WARMSTART,
              "from step 51 to about 100: at state 50 its element 1 is 0, physics");
  EXPECT_TRUE(says(some, "the others within 1e-9. Run on")) << some.said.text;
}

TEST(DiagnosisDoubt, AWarmstartThatPartsIsToldFromAChangeOfModel) {
  Wrong w(box_xml());
  for (int t = 50; t <= 120; t++)
    w.row(PH_COL_STATES, t)[1] += 0.01;
  ASSERT_EQ(PH_OK, w.diagnose()) << ph_error();
  EXPECT_NE(PH_CAUSE_WARMSTART, w.said.cause) << w.said.text;
}

/* --- a part of it --- */

/* Some are not among those that are tried first. */
TEST(DiagnosisDoubt, AWayThatFitsIsHeldAgainstAllSteps) {
  for (int at = 55; at < 67; at++) {
    Wrong w(arm_xml());
    w.drop(PH_COL_WARMSTART);
    w.drop(PH_COL_CTRL);
    w.row(PH_COL_ACTIONS, at)[0] += 0.4;
    w.move_actions(1);
    std::string text = "118 of 119 steps that were tried come back bit for bit; as the file says 1 "
                       "do. Left is ";
    w.expect_variant(1, 5, PH_RECIPE_STEP, text.c_str());
    text = "at step " + std::to_string(at + 1) + ": an event";
    EXPECT_TRUE(says(w, text.c_str())) << w.said.text;
  }
}

TEST(DiagnosisDoubt, AChangeOfRegimeIsSaidWithItsStep) {
  Wrong on(arm_xml());
  for (int t = 60; t <= 120; t++)
    on.row(PH_COL_STATES, t)[1] += 0.01;
  on.expect(PH_CAUSE_EVENTS, "A change of regime: from step 60 on none of 61 steps comes back, the "
                             "other 59 come back bit for bit");
  ASSERT_EQ(1u, on.said.nevents);
  EXPECT_EQ(60, on.said.event[0]);
  Wrong up_to(arm_xml());
  for (int t = 0; t < 40; t++)
    up_to.row(PH_COL_STATES, t)[1] += 0.01;
  up_to.expect(PH_CAUSE_EVENTS, "up to step 40 none of 40 steps comes back");
  Wrong between(arm_xml());
  for (int t = 30; t < 50; t++)
    between.row(PH_COL_STATES, t)[1] += 0.01;
  between.expect(PH_CAUSE_EVENTS, "from step 30 to 50 none of 21 steps comes back");
}

/* The file itself has a constraint off from a state on; it was not. */
TEST(DiagnosisDoubt, WhatTurnsInTheFileWhereARegimeBeginsIsNamed) {
  std::string xml = arm_xml();
  xml.insert(xml.find("<actuator>"), "<equality><joint joint1='elbow' joint2='shoulder' "
                                     "polycoef='0 .5 0 0 0'/></equality>");
  Wrong w(xml);
  w.columns |= PH_COL_BIT(PH_COL_EQ_ACTIVE);
  for (int t = 0; t <= 120; t++) {
    uint8_t active = t < 60;
    w.memory->add(PH_COL_EQ_ACTIVE, &active);
  }
  w.expect(PH_CAUSE_EVENTS, "A change of regime: from step 61 on none of 60 steps comes back");
  EXPECT_TRUE(says(w, "playhead/eq_active changes there in the file")) << w.said.text;
}

/* --- the timestep --- */

TEST(DiagnosisDoubt, TheTimestepIsNamedWhereTheTimesHideIt) {
  for (bool moved : {false, true})
    for (double by : {0.5, 2.0}) {
      Truth truth;
      truth.control_steps = 10;
      Wrong w(arm_xml(), truth);
      std::string xml = arm_xml(), was = "timestep='0.002'";
      xml.replace(xml.find(was), was.size(), by < 1 ? "timestep='0.001'" : "timestep='0.004'");
      w.use(xml);
      w.meta.timestep = 0.002 * by;
      w.say_control_steps(by < 1 ? 20 : 5);
      if (moved)
        w.move_actions(1);
      w.expect_variant(moved, 10, PH_RECIPE_STEP,
                       moved ? "a timestep of 0.002 s and 10 substeps a step 119 of 119 steps"
                             : "a timestep of 0.002 s and 10 substeps a step 120 of 120 steps");
      EXPECT_EQ(0.002, w.said.best.timestep);
    }
}

} // namespace
