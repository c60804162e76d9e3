// Two things are wrong at once.
#include "wrong_help.h"

using namespace wrong_help;

namespace {

TEST(DiagnosisPairs, OffsetAndDecimation) {
  for (int by : {-1, 1}) {
    for (bool times : {true, false}) {
      Wrong w(box_xml());
      w.move_actions(by);
      w.say_control_steps(8);
      if (!times)
        w.say_time(8 * 0.002); /* they repeat what the file says */
      w.expect_variant(by, 5, PH_RECIPE_STEP,
                       by < 0 ? "(offset -1) and 5 substeps a step 119 of 119"
                              : "(offset +1) and 5 substeps a step 119 of 119");
      EXPECT_NE(nullptr, strstr(w.said.text, "as the file says (8 substeps) 0 do")) << w.said.text;
    }
  }
}

TEST(DiagnosisPairs, Float32AndOffset) {
  for (const std::string &xml : {arm_xml(), box_xml()}) {
    Wrong w(xml);
    w.move_actions(-1);
    w.round_states();
    w.expect_variant(-1, 5, PH_RECIPE_STEP, "float32");
  }
}

TEST(DiagnosisPairs, Float32AndDecimation) {
  Wrong w(box_xml());
  w.say_control_steps(10);
  w.round_states();
  w.expect_variant(0, 5, PH_RECIPE_STEP, "float32");
  Wrong v(arm_xml());
  v.say_control_steps(10);
  v.say_time(0.02);
  v.round_states();
  v.expect_variant(0, 5, PH_RECIPE_STEP, "float32");
}

TEST(DiagnosisPairs, Float32AndNoWarmstart) {
  Wrong w(box_xml());
  w.round_states();
  w.drop(PH_COL_WARMSTART);
  w.expect(PH_CAUSE_FLOAT32, "float32");
  EXPECT_NE(nullptr, strstr(w.said.text, "warmstart")) << w.said.text;
}

TEST(DiagnosisPairs, RecipeAndEvent) {
  Truth truth;
  truth.recipe = PH_RECIPE_FORWARD_STEP;
  truth.touch = [](mjData *d, int t, int s) {
    if (t == 50 && s == 1)
      d->qvel[19] += 0.5;
  };
  Wrong w(box_xml("solver='PGS' iterations='20'"), truth);
  w.expect_variant(0, 5, PH_RECIPE_FORWARD_STEP, "With the recipe forward_step 119 of 120");
  EXPECT_NE(nullptr, strstr(w.said.text, "at step 51: an event")) << w.said.text;
}

TEST(DiagnosisPairs, RecipeAndOffset) {
  Truth truth;
  truth.recipe = PH_RECIPE_STEP1_STEP2;
  Wrong w(arm_xml("integrator='RK4'"), truth);
  w.move_actions(1);
  w.expect_variant(1, 5, PH_RECIPE_STEP1_STEP2, "(offset +1) and the recipe step1_step2");
}

TEST(DiagnosisPairs, RecipeAndDecimation) {
  Truth truth;
  truth.recipe = PH_RECIPE_FORWARD_STEP;
  Wrong w(box_xml("solver='PGS' iterations='20'"), truth);
  w.say_control_steps(4);
  w.expect_variant(0, 5, PH_RECIPE_FORWARD_STEP, "With 5 substeps a step and the recipe");
}

TEST(DiagnosisPairs, DecimationAndNoWarmstart) {
  Wrong w(box_xml("solver='PGS' iterations='10'"));
  w.say_control_steps(2);
  w.drop(PH_COL_WARMSTART);
  w.expect_variant(0, 5, PH_RECIPE_STEP, "With 5 substeps a step");
  EXPECT_NE(nullptr, strstr(w.said.text, "warmstart")) << w.said.text;
}

TEST(DiagnosisPairs, OffsetAndEvents) {
  Truth truth;
  truth.touch = [](mjData *d, int t, int s) {
    if (s == 0 && (t == 30 || t == 31))
      d->qvel[0] -= 1;
  };
  Wrong w(arm_xml(), truth);
  w.move_actions(-1);
  w.expect_variant(-1, 5, PH_RECIPE_STEP, "(offset -1) 117 of 119");
  EXPECT_NE(nullptr, strstr(w.said.text, "Left are 2 steps (31, 32): ")) << w.said.text;
  EXPECT_NE(nullptr, strstr(w.said.text, ": events that the file")) << w.said.text;
}

TEST(DiagnosisPairs, StartAndEvent) {
  Truth truth;
  truth.touch = [](mjData *d, int t, int s) {
    if (s == 0 && t == 60)
      d->qvel[0] -= 1;
  };
  Wrong w(arm_xml(), truth);
  w.row(PH_COL_STATES, 0)[1] += 0.2;
  w.expect(PH_CAUSE_EVENTS, "at 2 steps: 1, 61");
}

TEST(DiagnosisPairs, DecimationAndAnotherModelIsNeither) {
  Wrong w(arm_xml());
  w.say_control_steps(7);
  w.used = help_model(arm_xml("gravity='0 0 -5'"));
  w.expect(PH_CAUSE_UNKNOWN, "None of what was tried fits");
}

} // namespace
