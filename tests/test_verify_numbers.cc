// `verify` of recorded rows that are off in one number, or hold one that is none: the table, the
// JSON and the sentence say the same, and name what is off.
#include <regex>

#include "cli_help.h"
#include "field_help.h"

using namespace cli_help;
using field_help::Trace;

namespace {

/* A free box, a hinge, a slide and an activation; nothing touches. */
const char kParts[] =
    "<mujoco><option gravity='0 0 0'/><worldbody>"
    "<body name='box' pos='0 0 5'><freejoint name='box'/><geom size='.1' mass='1'/></body>"
    "<body name='elbow'><joint name='elbow' axis='0 1 0'/>"
    "<geom size='.1' mass='1' pos='.3 0 0'/></body>"
    "<body name='cart' pos='0 3 0'><joint name='cart' type='slide'/>"
    "<geom size='.1' mass='1'/></body></worldbody>"
    "<actuator><motor name='pull' joint='elbow'/>"
    "<general name='lag' joint='cart' dyntype='filter' dynprm='.1'/></actuator></mujoco>";

enum { STEPS = 12, AT = 7 };

/* What each number of a state (time apart) is measured as, and of what. */
struct Part {
  const char *measure, *of;
};
const Part kOf[] = {
    {"joint position", "box"},     {"joint position", "box"},   {"joint position", "box"},
    {"rotation", "box"},           {"rotation", "box"},         {"rotation", "box"},
    {"rotation", "box"},           {"rotation", "elbow"},       {"joint position", "cart"},
    {"velocity", "box"},           {"velocity", "box"},         {"velocity", "box"},
    {"angular velocity", "box"},   {"angular velocity", "box"}, {"angular velocity", "box"},
    {"angular velocity", "elbow"}, {"velocity", "cart"},        {"activation", "lag"}};
const size_t kNumbers = sizeof kOf / sizeof *kOf;

class VerifyNumbers : public Cli {
protected:
  void TearDown() override {
    json_decref(verdict);
    Cli::TearDown();
  }
  /* One demonstration after another; amend changes states (rows of 19) and actions. */
  void
  Write(size_t n,
        const std::function<void(size_t, std::vector<double> &, std::vector<double> &)> &amend) {
    Trace trace(kParts, STEPS, 2);
    foreign::File file(Path("demo.hdf5"));
    for (size_t i = 0; i < n; i++) {
      string demo = "/data/demo_" + std::to_string(i);
      std::vector<double> states = trace.numbers(PH_COL_STATES, STEPS + 1), actions;
      for (auto &one : trace.actions)
        actions.insert(actions.end(), one.begin(), one.end());
      amend(i, states, actions);
      file.group(demo);
      file.attr(demo, "model_file", trace.xml);
      file.array(demo + "/states", foreign::F64, {STEPS + 1, kNumbers + 1}, states);
      file.array(demo + "/actions", foreign::F64, {STEPS, 2}, actions);
    }
    file.attr("/data", "date", "9-4-2020");
    file.attr("/data", "repository_version", "1.0.0");
    file.attr("/data", "env", "Parts");
  }
  void Verify(std::vector<string> more = {}) {
    std::vector<string> args = {"verify", "demo.hdf5", "--mode", "dynamic", "--json"};
    args.insert(args.end(), more.begin(), more.end());
    Outcome o = Run(args);
    json_decref(verdict);
    verdict = Json(o);
    ASSERT_TRUE(json_is_array(json_object_get(verdict, "episodes"))) << o.out << o.err;
    args.erase(args.begin() + 4);
    table = Run(args).out;
  }
  json_t *Episode(size_t i) { return json_array_get(json_object_get(verdict, "episodes"), i); }
  string Line(size_t i) const {
    std::smatch found;
    std::regex_search(table, found, std::regex("(^|\n)(demo_" + std::to_string(i) + " [^\n]*)"));
    return found.empty() ? "" : found[2].str();
  }
  /* What stands below the line of an episode. */
  string Below(size_t i) const {
    size_t at = table.find("\ndemo_" + std::to_string(i) + " ");
    at = at == string::npos ? at : table.find('\n', at + 1);
    return at == string::npos ? "" : table.substr(at, table.find("\ndemo_", at) - at);
  }
  static json_int_t Int(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
  }
  static bool IsOf(const string &measure, const Part &part) {
    if (string(part.measure) == "rotation") /* a joint and its body turn by the same angle */
      return measure == "joint angle" || measure == "body rotation";
    return measure == part.measure;
  }

  json_t *verdict = nullptr;
  string table;
};

TEST_F(VerifyNumbers, WhatIsOffIsNamedWhateverItIs) {
  Write(kNumbers, [](size_t i, std::vector<double> &states, std::vector<double> &) {
    double *at = &states[AT * (kNumbers + 1) + 1 + i];
    *at = i == 3 ? 0 : *at + 0.5;
  });
  Verify();
  for (size_t i = 0; i < kNumbers; i++) {
    json_t *e = Episode(i), *worst = json_object_get(e, "worst");
    EXPECT_EQ(Text(e, "class"), "diverged") << i;
    EXPECT_EQ(Int(e, "first_unequal"), AT) << i;
    EXPECT_TRUE(IsOf(Text(worst, "measure"), kOf[i])) << i << Text(worst, "measure");
    EXPECT_EQ(Text(worst, "of"), kOf[i].of) << i;
    EXPECT_EQ(Int(worst, "step"), AT) << i;
    EXPECT_GT(json_number_value(json_object_get(worst, "error")), 0.1) << i;
    string below = Below(i);
    EXPECT_NE(below.find("    worst: "), string::npos) << i << table;
    EXPECT_NE(below.find(string(" ") + kOf[i].of + " "), string::npos) << i << below;
    json_t *speed = json_object_get(e, "max_velocity_error");
    bool angular = string(kOf[i].measure) == "angular velocity";
    bool linear = string(kOf[i].measure) == "velocity";
    EXPECT_NEAR(json_number_value(json_object_get(speed, "rad_s")), angular ? 0.5 : 0, 1e-9) << i;
    EXPECT_NEAR(json_number_value(json_object_get(speed, "m_s")), linear ? 0.5 : 0, 1e-9) << i;
    EXPECT_EQ(Line(i).find("0.5 rad/s") != string::npos, angular) << Line(i);
    EXPECT_EQ(Line(i).find("0.5 m/s") != string::npos, linear) << Line(i);
  }
}

TEST_F(VerifyNumbers, ANumberThatIsNoneIsNoErrorOfNothing) {
  Write(kNumbers, [](size_t i, std::vector<double> &states, std::vector<double> &) {
    states[AT * (kNumbers + 1) + 1 + i] = NAN;
  });
  Verify();
  for (size_t i = 0; i < kNumbers; i++) {
    json_t *e = Episode(i), *worst = json_object_get(e, "worst");
    json_t *joint = json_object_get(e, "max_joint_error");
    json_t *body = json_object_get(e, "max_body_error");
    json_t *speed = json_object_get(e, "max_velocity_error");
    string measure = kOf[i].measure;
    bool place = measure == "joint position", turn = measure == "rotation";
    EXPECT_EQ(Int(e, "first_over_tolerance"), AT) << i;
    EXPECT_EQ(json_is_null(json_object_get(joint, "rad")), turn) << i;
    EXPECT_EQ(json_is_null(json_object_get(joint, "m")), place) << i;
    EXPECT_EQ(json_is_null(json_object_get(body, "m")), place || turn) << i;
    EXPECT_EQ(json_is_null(json_object_get(body, "rad")), place || turn) << i;
    EXPECT_EQ(json_is_null(json_object_get(speed, "rad_s")), measure == "angular velocity") << i;
    EXPECT_EQ(json_is_null(json_object_get(speed, "m_s")), measure == "velocity") << i;
    EXPECT_TRUE(json_is_null(json_object_get(worst, "error"))) << i;
    EXPECT_EQ(Text(worst, "of"), kOf[i].of) << i;
    EXPECT_EQ(Line(i).find("no number") != string::npos, measure != "activation") << Line(i);
    EXPECT_NE(Below(i).find(string(kOf[i].of) + " is no number at step 7"), string::npos)
        << Below(i);
    /* the step from there cannot be taken, and is not held against it */
    EXPECT_EQ(Int(json_object_get(e, "one_step"), "first_unequal"), AT) << i;
  }
}

TEST_F(VerifyNumbers, AnActionThatIsNoneStopsItAtTheStepBehindIt) {
  Write(STEPS, [](size_t i, std::vector<double> &, std::vector<double> &actions) {
    actions[2 * i + i % 2] = i % 3 ? NAN : INFINITY;
  });
  Verify({"--expect", "bitwise"});
  for (size_t i = 0; i < STEPS; i++) {
    json_t *e = Episode(i), *one = json_object_get(e, "one_step");
    json_int_t at = static_cast<json_int_t>(i) + 1;
    EXPECT_EQ(Text(e, "class"), "diverged");
    EXPECT_EQ(Int(e, "first_unequal"), at);
    EXPECT_EQ(Int(e, "first_over_tolerance"), at);
    EXPECT_EQ(Text(one, "class"), "bitwise") << "it was not taken";
    EXPECT_TRUE(json_is_null(json_object_get(one, "first_unequal")));
    string number = std::to_string(at), below = Below(i);
    EXPECT_TRUE(std::regex_search(Line(i), std::regex("diverged +" + number + " +" + number + " ")))
        << Line(i);
    EXPECT_NE(below.find("stopped at step " + number + ", bitwise up to there: "), string::npos)
        << below;
    EXPECT_EQ(below.find("from step "), string::npos) << below;
  }
}

} // namespace
