// `verify` runs physics again: classes, what is expected, what cannot be run, what is damaged.
#include <regex>

#include "cli_help.h"

using namespace cli_help;

namespace {

const char kTwo[] = "<mujoco><worldbody><body><joint name=\"a\" axis=\"0 1 0\"/>"
                    "<geom size=\".1\" mass=\"1\"/><body pos=\".3 0 0\"><joint name=\"b\" "
                    "axis=\"0 1 0\"/><geom size=\".1\" mass=\"1\"/></body></body></worldbody>"
                    "<actuator><motor joint=\"a\"/></actuator></mujoco>";

class CliVerify : public Cli {
protected:
  void Mass(const string &name, const string &mass) {
    Put(name,
        std::regex_replace(string(kModel), std::regex("mass=\"1\""), "mass=\"" + mass + "\""));
  }
  /* The i-th episode of `verify ARGS --json`; the whole is in `verdict`. */
  json_t *Verify(std::vector<string> args, int status, size_t i = 0) {
    args.insert(args.begin(), "verify");
    args.push_back("--json");
    Outcome o = Run(args);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    json_decref(verdict);
    verdict = Json(o);
    json_t *e = json_array_get(json_object_get(verdict, "episodes"), i);
    EXPECT_TRUE(json_is_object(e)) << o.out;
    return e;
  }
  void TearDown() override {
    json_decref(verdict);
    Cli::TearDown();
  }
  static json_int_t Int(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
  }
  static double Number(json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
  }
  /* Flips a bit of the time of step 3 in the first file whose name begins so. */
  void Damage(const string &begin) {
    for (auto &file : fs::directory_iterator(top / "run")) {
      if (file.path().filename().string().rfind(begin, 0) != 0)
        continue;
      string bytes = Slurp(file.path());
      double time = 0;
      for (int i = 0; i < 6; i++)
        time += 0.002;
      size_t at = bytes.find(string(reinterpret_cast<char *>(&time), sizeof time));
      ASSERT_NE(at, string::npos);
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
      std::ofstream(file.path(), std::ios::binary) << bytes;
      return;
    }
    FAIL() << begin;
  }
  json_t *verdict = nullptr;
};

TEST_F(CliVerify, DynamicIsTheDefaultAndComesBackBitForBit) {
  ASSERT_EQ(Record("run").status, 0);
  for (size_t i = 0; i < 3; i++) {
    json_t *e = Verify({"run"}, 0, i);
    EXPECT_EQ(Text(verdict, "mode"), "dynamic");
    EXPECT_EQ(Text(e, "mode"), "dynamic");
    EXPECT_EQ(Text(e, "class"), "bitwise");
    EXPECT_TRUE(json_is_null(json_object_get(e, "first_unequal")));
    EXPECT_TRUE(json_is_null(json_object_get(e, "first_over_tolerance")));
    EXPECT_EQ(Number(json_object_get(e, "max_joint_error"), "m"), 0);
    EXPECT_EQ(Number(json_object_get(e, "max_body_error"), "m"), 0);
    json_t *one = json_object_get(e, "one_step"), *reward = json_object_get(e, "reward");
    EXPECT_EQ(Keys(one), "class first_unequal max_joint_error");
    EXPECT_EQ(Text(one, "class"), "bitwise");
    EXPECT_TRUE(json_is_number(json_object_get(reward, "dynamic")));
    EXPECT_EQ(Number(reward, "recorded"), Number(reward, "dynamic"));
    EXPECT_EQ(Text(json_object_get(e, "end"), "recorded"), "success");
    EXPECT_EQ(Text(json_object_get(e, "end"), "dynamic"), "success");
    EXPECT_EQ(Int(json_object_get(e, "latch"), "dynamic"), Int(e, "steps") - 1);
    EXPECT_TRUE(json_is_null(json_object_get(e, "diagnosis")));
    EXPECT_EQ(Text(e, "guarantee"), "EXACT");
  }
  Outcome o = Run({"verify", "run"});
  EXPECT_EQ(o.status, 0);
  EXPECT_NE(o.out.find("\nphysics run again: 3 bitwise\n3 of 3 episodes are as recorded: "),
            string::npos)
      << o.out;
  EXPECT_EQ(o.err, "");
}

/* FIELD row 1: a difference of rounding is one, with its step, and no failure of an assertion. */
TEST_F(CliVerify, Row1DifferencesOfRoundingAreOfAClassOfTheirOwn) {
  ASSERT_EQ(Record("run").status, 0);
  Mass("near.xml", "1.000000000001");
  json_t *e = Verify({"run", "--model", "near.xml"}, 0);
  EXPECT_EQ(Text(e, "class"), "rounding");
  EXPECT_GE(Int(e, "first_unequal"), 1);
  EXPECT_TRUE(json_is_null(json_object_get(e, "first_over_tolerance")));
  EXPECT_GT(Number(json_object_get(e, "max_joint_error"), "m"), 0);
  EXPECT_LT(Number(json_object_get(e, "max_joint_error"), "m"), 1e-9);
  EXPECT_EQ(Text(Verify({"run", "--model", "near.xml", "--expect", "rounding"}, 0), "class"),
            "rounding");
  e = Verify({"run", "--model", "near.xml", "--expect", "bitwise"}, 1);
  json_t *found = json_array_get(json_object_get(e, "findings"), 0);
  EXPECT_EQ(Int(found, "step"), Int(e, "first_unequal"));
  EXPECT_NE(Text(found, "text").find("is rounding from step"), string::npos) << Text(found, "text");
}

/* FIELD row 17: physics of another model is told of; what it must be is up to --expect. */
TEST_F(CliVerify, Row17AnotherModelDivergesAndIsNoFaultOfTheFileUnlessAskedFor) {
  ASSERT_EQ(Record("run").status, 0);
  Mass("heavy.xml", "2");
  json_t *e = Verify({"run", "--model", "heavy.xml", "--tol", "1e-7"}, 0);
  EXPECT_EQ(Text(e, "class"), "diverged");
  EXPECT_EQ(Text(json_object_get(e, "one_step"), "class"), "diverged");
  EXPECT_NE(Text(e, "diagnosis"), "");
  EXPECT_EQ(Text(e, "guarantee").rfind("NOT EXACT: another model is in use", 0), 0u);
  EXPECT_GE(Int(e, "first_over_tolerance"), Int(e, "first_unequal"));
  e = Verify({"run", "--model", "heavy.xml", "--tol", "1e-7", "--expect", "close"}, 1);
  EXPECT_TRUE(json_is_false(json_object_get(e, "ok")));
  EXPECT_EQ(Int(verdict, "wrong"), 3);
  e = Verify({"run", "--model", "heavy.xml", "--tol", "pos=9,rot=9,vel=9", "--expect", "close"}, 0);
  EXPECT_EQ(Text(e, "class"), "close");
  Outcome o = Run({"verify", "run", "--model", "heavy.xml", "--tol", "1e-7"});
  EXPECT_NE(o.out.find("\n    worst: joint cart "), string::npos) << o.out;
  EXPECT_NE(o.out.find("\n    NOT EXACT: another model"), string::npos) << o.out;
  /* recorded states alone are checked: the model is held against the recorded one all the same */
  Outcome plain = Run({"verify", "run", "--mode", "kinematic", "--model", "heavy.xml"});
  EXPECT_NE(plain.out.find("\n    NOT EXACT: another model is in use: "), string::npos)
      << plain.out;
  EXPECT_NE(plain.out.find(" -> "), string::npos) << "in words: " << plain.out;
  EXPECT_NE(o.out.find("physics run again: 3 diverged (tolerance "), string::npos) << o.out;
}

/* FIELD row 10: joints that have changed places, as many numbers as before. */
TEST_F(CliVerify, Row10AModelWithSwappedJointsIsRefusedByName) {
  Put("cart.xml", kTwo);
  Put("cart.lua", "return { name = 'two', model = 'cart.xml', control_steps = 2, max_steps = 9,\n"
                  " policy = function(s, rng) return {rng()} end }");
  ASSERT_EQ(Record("run").status, 0);
  string swapped = kTwo;
  swapped = std::regex_replace(swapped, std::regex("name=\"a\""), "name=\"c\"");
  swapped = std::regex_replace(swapped, std::regex("name=\"b\""), "name=\"a\"");
  swapped = std::regex_replace(swapped, std::regex("name=\"c\""), "name=\"b\"");
  Put("swapped.xml", swapped);
  Outcome o = Run({"verify", "run", "--model", "swapped.xml"});
  EXPECT_NE(o.status, 0) << o.out;
  EXPECT_EQ(o.out.find("bitwise"), string::npos) << o.out;
  EXPECT_TRUE(std::regex_search(o.out + o.err, std::regex("joint 0[^\n]*\\b[ab]\\b")))
      << o.out << o.err;
}

TEST_F(CliVerify, TheOrderIsThatOfTheFilesWhateverTheThreadsDo) {
  ASSERT_EQ(Record("run").status, 0);
  ASSERT_EQ(Record("more", {"--episodes", "9"}).status, 0);
  Mass("heavy.xml", "2");
  for (bool json : {false, true}) {
    std::vector<string> args = {"verify", "more", "run", "--model", "heavy.xml", "--jobs", "1"};
    if (json)
      args.push_back("--json");
    string one = Run(args).out;
    EXPECT_EQ(std::count(one.begin(), one.end(), '\n') > 1, !json);
    for (const char *jobs : {"2", "7", "1000"}) {
      args[6] = jobs;
      EXPECT_EQ(Run(args).out, one) << jobs;
    }
  }
}

TEST_F(CliVerify, WhatCannotBeRunIsKinematicAndSaysWhy) {
  ASSERT_EQ(Record("run").status, 0);
  string bad = Slurp(top / "run" / "run.h5");
  size_t at = bad.find("hold_seconds = ");
  ASSERT_NE(at, string::npos);
  bad[at] = 'H';
  Put("run/run.h5", bad);
  json_t *e = Verify({"run"}, 1);
  EXPECT_EQ(Text(e, "mode"), "kinematic");
  EXPECT_EQ(Text(e, "not_run").rfind("STATES ONLY: task ", 0), 0u) << Text(e, "not_run");
  EXPECT_TRUE(json_is_null(json_object_get(e, "class")));
  size_t found = json_array_size(json_object_get(e, "findings"));
  e = Verify({"run", "--expect", "close"}, 1);
  EXPECT_EQ(json_array_size(json_object_get(e, "findings")), found + 1);
  Outcome o = Run({"verify", "run"});
  EXPECT_NE(o.out.find("\n    kinematic: STATES ONLY: task "), string::npos) << o.out;
  EXPECT_NE(o.out.find("\nphysics run again: 3 could not be run\n"), string::npos) << o.out;
}

TEST_F(CliVerify, DamageIsFoundAndTheOthersAreRunAllTheSame) {
  ASSERT_EQ(Record("run").status, 0);
  Damage("env001");
  json_t *e = Verify({"run"}, 1, 2);
  EXPECT_EQ(Text(e, "id"), "env001_ep000000");
  EXPECT_NE(Text(e, "class"), "bitwise");
  EXPECT_NE(Text(e, "diagnosis").find("states"), string::npos) << Text(e, "diagnosis");
  EXPECT_EQ(Text(json_array_get(json_object_get(verdict, "episodes"), 0), "class"), "bitwise");
  EXPECT_EQ(Int(verdict, "wrong"), 1);
}

TEST_F(CliVerify, EpisodesOfOneStepAndThoseThatEndAsNan) {
  Put("cart.lua", Task("function(s, rng) return {1} end", 1));
  ASSERT_EQ(Record("run").status, 0);
  json_t *e = Verify({"run"}, 0);
  EXPECT_EQ(Int(e, "steps"), 2);
  EXPECT_EQ(Text(e, "class"), "bitwise");
  Put("cart.lua", Task("function(s, rng) return {s.step < 4 and 0.1 or 1e300} end", 60)
                      .replace(0, 8, "return {"));
  Record("bad");
  e = Verify({"bad"}, 0);
  EXPECT_EQ(Text(json_object_get(e, "end"), "recorded"), "nan");
  EXPECT_EQ(Text(e, "class"), "bitwise");
}

// Where physics stops there is no error to show: an error of 0 would be a lie.
TEST_F(CliVerify, WhatStoppedHasNoErrors) {
  ASSERT_EQ(Record("run").status, 0);
  Put("hot.xml",
      std::regex_replace(string(kModel), std::regex("<motor "), "<motor gear=\"1e15\" "));
  Outcome o = Run({"verify", "run", "--model", "hot.xml"});
  std::smatch row;
  ASSERT_TRUE(std::regex_search(o.out, row, std::regex("\nenv000_ep000000 [^\n]*"))) << o.out;
  EXPECT_TRUE(std::regex_search(row.str(), std::regex(" diverged +1 +1 +- +- +- "))) << row.str();
  EXPECT_NE(o.out.find("physics run again stopped at step 1: "), string::npos) << o.out;
  json_t *e = Verify({"run", "--model", "hot.xml"}, 0);
  EXPECT_EQ(Text(e, "class"), "diverged");
  for (const char *error : {"max_joint_error", "max_body_error", "max_velocity_error"}) {
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(e, error), key, value) EXPECT_TRUE(json_is_null(value))
        << error << " " << key;
  }
}

TEST_F(CliVerify, ATaskWithoutJudgementHasNoDynamicEnd) {
  Put("cart.lua", "return { model = 'cart.xml', control_steps = 2, max_steps = 5, "
                  "policy = function(s, rng) return {0.5} end }");
  ASSERT_EQ(Record("run").status, 0);
  json_t *e = Verify({"run"}, 0);
  EXPECT_EQ(Text(e, "class"), "bitwise");
  EXPECT_EQ(Text(json_object_get(e, "end"), "dynamic"), "truncated");
  EXPECT_FALSE(json_object_get(e, "notes")) << json_dumps(e, 0);
}

TEST_F(CliVerify, ATolerancesNonsenseIsUsage) {
  ASSERT_EQ(Record("run").status, 0);
  for (const char *bad : {"", "x", "pos", "pos=", "pos=-1", "pos=nan", "pos=1,", "speed=1", "1 1"})
    ExpectError({"verify", "run", "--tol", bad}, 2, "verify: --tol: ");
  ExpectError({"verify", "run", "--mode", "kinematic", "--tol", "1"}, 2, "only of --mode dynamic");
  ExpectError({"verify", "run", "--mode", "kinematic", "--expect", "close"}, 2,
              "only of --mode dynamic");
  ExpectError({"verify", "run", "--expect", "diverged"}, 2, "knows bitwise rounding close");
}

/* Its rewards are the cut's, which is said once and is no difference of each. */
TEST_F(CliVerify, RewardsThatACutHasSetAreNoNotes) {
  ASSERT_EQ(Record("run").status, 0);
  ASSERT_EQ(Run({"cut", "--hold", "0.012", "-o", Path("made.h5"), Path("run")}).status, 0);
  Outcome o = Run({"verify", "--mode", "dynamic", Path("made.h5")});
  EXPECT_EQ(0, o.status) << o.out << o.err;
  EXPECT_EQ(string::npos, o.out.find("note: reward")) << o.out;
  string said = "a cut has set the rewards: those of physics run again are others\n";
  EXPECT_EQ(o.out.find(said), o.out.rfind(said));
  EXPECT_NE(string::npos, o.out.find(said)) << o.out;
  o = Run({"verify", "--mode", "dynamic", Path("run")});
  EXPECT_EQ(string::npos, o.out.find(said)) << o.out;
  o = Run({"info", Path("made.h5")});
  string from =
      Path("run") + " at the latch by dynamic of a hold of 0.012 s = 3 steps (0.02 s before), 2";
  EXPECT_NE(string::npos, o.out.find("\ncut from   " + from)) << o.out;
}

} // namespace
