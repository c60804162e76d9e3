// `latch`: rows by all sources, why there is none, holds, what is kept of them as JSON.
#include <regex>

#include "cli_help.h"
#include "foreign_layouts.h"

using namespace cli_help;

namespace {

class CliLatch : public Cli {
protected:
  json_t *all = nullptr;

  void TearDown() override {
    json_decref(all);
    Cli::TearDown();
  }
  /* The i-th episode of `latch ARGS --json`; the whole is in `all`. */
  json_t *Latch(std::vector<string> args, int status, size_t i = 0) {
    args.insert(args.begin(), "latch");
    args.push_back("--json");
    Outcome o = Run(args);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    json_decref(all);
    all = Json(o);
    return json_array_get(json_object_get(all, "episodes"), i);
  }
  string Table(std::vector<string> args, int status) {
    args.insert(args.begin(), "latch");
    Outcome o = Run(args);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    EXPECT_EQ("", o.err);
    return o.out;
  }
  /* A task whose success is told by the step. */
  void PutSteps(const string &name, const string &success, const string &more = "") {
    Put(name,
        "return { name = 'cart', model = 'cart.xml', control_steps = 2, hold_seconds = 0.02,\n"
        "  success = " +
            success + ",\n" + more + "  policy = function(s, rng) return {0.5 + rng()} end }\n");
  }
  void RecordTask(const string &task, const string &out, std::vector<string> more = {}) {
    std::vector<string> args = {"record", task, "--seed", "7", "--out", Path(out)};
    args.insert(args.end(), more.begin(), more.end());
    EXPECT_EQ(0, Run(args).status);
  }
  /* By recorded, kinematic, dynamic; -1: null. */
  static std::vector<json_int_t> Rows(json_t *episode) {
    std::vector<json_int_t> rows;
    for (const char *key : {"recorded", "kinematic", "dynamic"}) {
      json_t *row = json_object_get(episode, key);
      rows.push_back(json_is_integer(row) ? json_integer_value(row) : -1);
    }
    return rows;
  }
  static json_int_t Int(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
  }
  static string Reason(json_t *episode, const char *source) {
    return Text(json_object_get(episode, "reasons"), source);
  }
  using Three = std::vector<json_int_t>;
};

TEST_F(CliLatch, TheThreeAgreeOnARunOfThisMachine) {
  ASSERT_EQ(Record("run").status, 0);
  string text = Table({"run"}, 0);
  EXPECT_NE(
      text.find("episode            hold s = steps   recorded  kinematic    dynamic  true steps  "
                "longest steps\n"),
      string::npos)
      << text;
  EXPECT_NE(
      text.find("env000_ep000000          0.02 = 5         17         17         17           5  5 "
                "from 13\n"),
      string::npos)
      << text;
  EXPECT_NE(text.find("\n3 of 3 episodes latch at a hold of 0.02 s, 5 steps\n"), string::npos)
      << text;
  for (size_t i = 0; i < 3; i++) {
    json_t *e = Latch({"run"}, 0, i);
    Three rows = Rows(e);
    EXPECT_GT(rows[0], 5);
    EXPECT_EQ(rows, Three(3, rows[0]));
    EXPECT_EQ(rows[0], Int(e, "actions")); /* it ended there */
    EXPECT_TRUE(json_is_null(json_object_get(e, "reason")));
  }
}

TEST_F(CliLatch, TheJsonHasWhatDesignSays) {
  ASSERT_EQ(Record("run").status, 0);
  json_t *e = Latch({"run", "--intervals"}, 0);
  EXPECT_EQ("episodes hold_seconds hold_steps fingerprint without_latch disagree damaged",
            Keys(all));
  EXPECT_EQ("id file path recorded kinematic dynamic true_steps longest_hold longest_from "
            "near_misses counted_by intervals reason reasons strictest task_sha256 "
            "model_edits_sha256 disagreements "
            "hold_seconds hold_steps states actions run_id",
            Keys(e));
  EXPECT_EQ(0.02, json_real_value(json_object_get(all, "hold_seconds")));
  EXPECT_EQ(5, Int(all, "hold_steps"));
  EXPECT_EQ("env000_ep000000", Text(e, "id"));
  EXPECT_TRUE(fs::exists(top / Text(e, "file"))) << Text(e, "file");
  EXPECT_EQ(5, Int(e, "true_steps"));
  EXPECT_EQ(5, Int(e, "longest_hold"));
  EXPECT_EQ(13, Int(e, "longest_from"));
  json_t *fingerprint = json_object_get(all, "fingerprint");
  EXPECT_EQ("mujoco", Text(fingerprint, "engine"));
  EXPECT_EQ(64u, Text(fingerprint, "task_sha256").size());
  EXPECT_EQ(5, Int(fingerprint, "hold_steps"));
  json_t *interval = json_array_get(json_object_get(e, "intervals"), 0);
  EXPECT_EQ(13, Int(interval, "first"));
  EXPECT_EQ(17, Int(interval, "last"));
  EXPECT_TRUE(json_is_false(json_object_get(interval, "broken")));
}

/* FIELD row 45: true at once, true in a row, latched; and a hold that breaks one row early. */
TEST_F(CliLatch, AHoldThatBreaksOneRowEarlyBeginsAnew) {
  PutSteps("steps.lua",
           "{ on = function(s) return (s.step >= 5 and s.step < 9) or s.step >= 12 end }");
  RecordTask("steps.lua", "run");
  json_t *e = Latch({"run"}, 0);
  EXPECT_EQ(Rows(e), Three(3, 16));
  json_t *miss = json_array_get(json_object_get(e, "near_misses"), 0);
  EXPECT_EQ(9, Int(miss, "row"));
  EXPECT_EQ(4, Int(miss, "count"));
  EXPECT_EQ(5, Int(miss, "of"));
  EXPECT_EQ("on false (step 9)", Text(miss, "why"));
  EXPECT_EQ(Rows(Latch({"run", "--hold", "0"}, 0)), Three(3, 5));
  EXPECT_EQ(Rows(Latch({"run", "--hold", "0.004"}, 0)), Three(3, 5));
  EXPECT_EQ(Rows(Latch({"run", "--hold", "0.016"}, 0)), Three(3, 8));
  EXPECT_EQ(Rows(Latch({"run", "--hold", "0.024"}, 1)), Three(3, -1));
  string text = Table({"run"}, 0); /* of one episode every interval is told */
  EXPECT_NE(text.find("    true 5..8, 4 steps; row 9 broke it: on false (step 9)\n"
                      "    true 12..16, 5 steps, to the end\n"),
            string::npos)
      << text;
}

/* --- the three refusals --- */

/* FIELD row 5: by its states it succeeds, by its actions it does not get there. */
TEST_F(CliLatch, ActionsThatDoNotLeadToTheStatesAreRefusedBesideStatesThatDo) {
  ASSERT_EQ(Record("run").status, 0);
  Put("heavy.xml", std::regex_replace(string(kModel), std::regex("mass=\"1\""), "mass=\"3\""));
  json_t *e = Latch({"run", "--model", "heavy.xml"}, 1);
  EXPECT_EQ(Rows(e), (Three{17, 17, -1}));
  string why = Reason(e, "dynamic");
  EXPECT_TRUE(std::regex_match(
      why, std::regex("the replay leaves the recording at row 1 \\(cart, [0-9.e-]+ m/?s?\\)")))
      << why;
  EXPECT_TRUE(json_is_null(json_object_get(e, "reason"))); /* others latch */
  json_t *differ = json_array_get(json_object_get(e, "disagreements"), 0);
  EXPECT_EQ("latch: recorded 17, dynamic none: " + why, Text(differ, "text"));
  string text = Table({"run", "--model", "heavy.xml"}, 1);
  EXPECT_NE(text.find("env000_ep000000          0.02 = 5         17         17       none "),
            string::npos)
      << text;
  EXPECT_NE(text.find("    dynamic: " + why + "\n"), string::npos) << text;
  EXPECT_NE(text.find("; sources disagree on 3\n"), string::npos) << text;
  EXPECT_EQ(Reason(Latch({"run", "--model", "heavy.xml", "--by", "dynamic"}, 1), "dynamic"), why);
  EXPECT_EQ(Text(json_array_get(json_object_get(all, "episodes"), 0), "reason"), why);
}

TEST_F(CliLatch, ATolerancePassesOverASmallDifference) {
  ASSERT_EQ(Record("run").status, 0);
  Put("heavy.xml", std::regex_replace(string(kModel), std::regex("mass=\"1\""), "mass=\"1.0001\""));
  EXPECT_EQ(Rows(Latch({"run", "--model", "heavy.xml"}, 1)), (Three{17, 17, -1}));
  EXPECT_EQ(Rows(Latch({"run", "--model", "heavy.xml", "--tol", "1e-3"}, 0)), Three(3, 17));
}

TEST_F(CliLatch, AnEnvThatEndsFirstIsRefused) {
  Put("idle.lua", Task("function(s, rng) return {0} end", 20));
  RecordTask("idle.lua", "idle");
  json_t *e = Latch({"idle"}, 1);
  EXPECT_EQ(Rows(e), Three(3, -1));
  EXPECT_EQ(Text(e, "reason"),
            "the env ends the episode at row 20 without success (truncated: max_steps 20)");
  string text = Table({"idle"}, 1);
  EXPECT_NE(
      text.find("    recorded, kinematic, dynamic: the env ends the episode at row 20 without "
                "success (truncated: max_steps 20)\n"),
      string::npos)
      << text;
  PutSteps("fails.lua", "function(s) return s.step > 8 end",
           "  failure = function(s) return s.step >= 10 end,\n");
  RecordTask("fails.lua", "fails");
  EXPECT_EQ(Text(Latch({"fails"}, 1), "reason"),
            "the env ends the episode at row 10 without success (terminated: failure)");
  EXPECT_EQ(Rows(Latch({"fails", "--hold", "0.008"}, 0)), Three(3, 10));
}

TEST_F(CliLatch, SuccessThatDoesNotLatchIsRefused) {
  ASSERT_EQ(Record("run").status, 0);
  json_t *e = Latch({"run", "--hold", "0.1"}, 1);
  EXPECT_EQ(Rows(e), Three(3, -1));
  EXPECT_EQ(Text(e, "reason"), "success does not latch within the 17 recorded steps");
  EXPECT_EQ(25, Int(e, "hold_steps"));
}

/* --- holds --- */

TEST_F(CliLatch, TheHoldInForceIsThatOfTheRecording) {
  RecordTask("cart.lua", "long", {"--hold", "0.06"});
  json_t *e = Latch({"long"}, 0);
  EXPECT_EQ(15, Int(e, "hold_steps"));
  EXPECT_EQ(Rows(e), Three(3, Int(e, "actions")));
  json_int_t row = Rows(e)[0];
  EXPECT_EQ(Rows(Latch({"long", "--hold", "0.02"}, 0)), Three(3, row - 10));
  Put("hold.lua",
      "return { hold_seconds = 0.04, success = function(s) return s.joint.cart > 0.0005 "
      "end }");
  EXPECT_EQ(Rows(Latch({"long", "--task", "hold.lua"}, 0)), Three(3, row - 5));
}

TEST_F(CliLatch, ASweepCountsAtEachHoldAndPlotsIt) {
  ASSERT_EQ(Record("run").status, 0);
  string text = Table({"run", "--hold", "0:0.04:0.02", "--by", "recorded"}, 0);
  EXPECT_EQ(text, "      hold   steps  recorded\n"
                  "       0 s       0  #################### 3\n"
                  "    0.02 s       5  #################### 3\n"
                  "    0.04 s      10  .................... 0\n"
                  "3 of 3 episodes latch at one of these holds\n");
  json_t *e = Latch({"run", "--hold", "0:0.04:0.01"}, 0);
  EXPECT_EQ("episodes holds without_latch disagree damaged", Keys(all));
  json_t *holds = json_object_get(all, "holds");
  const json_int_t steps[] = {0, 2, 5, 8, 10}, counts[] = {3, 3, 3, 0, 0};
  ASSERT_EQ(5u, json_array_size(holds));
  for (size_t i = 0; i < 5; i++) {
    json_t *hold = json_array_get(holds, i);
    EXPECT_EQ("hold_seconds hold_steps recorded kinematic dynamic", Keys(hold));
    EXPECT_EQ(steps[i], Int(hold, "hold_steps")); /* 2.5 and 7.5 go to the even one */
    EXPECT_EQ(Rows(hold), Three(3, counts[i])) << i;
  }
  EXPECT_TRUE(json_is_null(json_object_get(e, "reason")));
  EXPECT_EQ(0.03, json_real_value(json_object_get(json_array_get(holds, 3), "hold_seconds")));
  json_t *rows = json_object_get(e, "dynamic");
  ASSERT_EQ(5u, json_array_size(rows));
  EXPECT_EQ(13, json_integer_value(json_array_get(rows, 0)));
  EXPECT_EQ(17, json_integer_value(json_array_get(rows, 2)));
  EXPECT_TRUE(json_is_null(json_array_get(rows, 3)));
  EXPECT_EQ("success does not latch within the 17 recorded steps",
            Text(Latch({"run", "--hold", "0.03:0.04:0.01"}, 1), "reason"));
  /* One that comes to no step is none, and not one at which nothing latches. */
  text = Table({"run", "--hold", "0.001:0.004:0.003", "--by", "recorded"}, 0);
  EXPECT_NE(text.find("   0.001 s       -  hold: 0.001 s: comes to 0 steps of 0.004 s"),
            string::npos)
      << text;
  Latch({"run", "--hold", "0.001:0.004:0.003"}, 0);
  json_t *none = json_array_get(json_object_get(all, "holds"), 0);
  EXPECT_TRUE(json_is_null(json_object_get(none, "recorded")));
}

TEST_F(CliLatch, HoldsThatAreNoneAreRefused) {
  ASSERT_EQ(Record("run").status, 0);
  for (const char *bad : {"x", "-1", "1:2", "0:1:0", "1:0:0.1", "0:1:0.1x", "nan", "0:1e9:1e-3"})
    ExpectError({"latch", string("--hold=") + bad, "run"}, 2, "--hold");
  ExpectError({"latch", "--hold", "0.0001", "run"}, 2, "comes to 0 steps of 0.004 s");
  ExpectError({"latch", "--tol", "1e-3", "--by", "recorded", "run"}, 2, "--tol");
  ExpectError({"latch", "missing"}, 3, "missing");
}

/* A command that judges is asked once for an episode, whatever holds are asked. */
TEST_F(CliLatch, NoPredicateIsComputedForAnotherHold) {
  ASSERT_EQ(Record("run").status, 0);
  Put("judge.py", "import sys, json\n"
                  "for text in sys.stdin.buffer:\n"
                  "  head = json.loads(text)\n"
                  "  sys.stdin.buffer.read(8 * head['count'] * head['row'])\n"
                  "  open('calls', 'a').write('x')\n"
                  "  print('0' * 7 + '1' * (head['count'] - 7), flush=True)\n");
  json_t *e =
      Latch({"run", "--hold", "0:0.04:0.004", "--predicate-command", "python3 judge.py"}, 1);
  json_t *rows = json_object_get(e, "kinematic");
  ASSERT_EQ(11u, json_array_size(rows));
  for (size_t i = 0; i < 11; i++) /* from row 7 on */
    EXPECT_EQ(i < 2 ? 7 : 6 + (json_int_t)i, json_integer_value(json_array_get(rows, i)));
  EXPECT_EQ("xxx", Slurp(top / "calls"));
  EXPECT_TRUE(json_is_null(json_object_get(e, "dynamic")));
  EXPECT_EQ("python3 judge.py", Text(all, "predicate_by"));
}

/* What it says as JSON is a list that cut takes. */
TEST_F(CliLatch, ACutByItsRowsLatchesAtTheLastOne) {
  ASSERT_EQ(Record("run", {"--hold", "0.06"}).status, 0);
  Outcome o = Run({"latch", "run", "--json", "--hold", "0.02"});
  EXPECT_EQ(0, o.status) << o.err;
  Put("rows.json", o.out);
  o = Run({"cut", "run", "--steps", "rows.json", "--out", "cut.h5"});
  EXPECT_EQ(0, o.status) << o.err;
  for (size_t i = 0; i < 3; i++) {
    json_t *e = Latch({"cut.h5"}, 0, i);
    EXPECT_EQ(5, Int(e, "hold_steps"));
    EXPECT_EQ(Rows(e), Three(3, Int(e, "actions")));
  }
}

/* --- many, and those that have nothing --- */

TEST_F(CliLatch, ManyThreadsSayWhatOneSays) {
  EXPECT_EQ(0, Run({"record", "cart.lua", "--envs", "2", "--episodes", "12", "--seed", "3", "--out",
                    Path("run")})
                   .status);
  Put("idle.lua", Task("function(s, rng) return {0} end", 20));
  RecordTask("idle.lua", "idle");
  string one = Table({"run", "idle", "--jobs", "1", "--hold", "0.024"}, 1);
  EXPECT_GT(one.size(), 500u);
  EXPECT_EQ(one, Table({"run", "idle", "--jobs", "4", "--hold", "0.024"}, 1));
  Outcome a = Run({"latch", "run", "idle", "--json", "--jobs", "1"});
  Outcome b = Run({"latch", "run", "idle", "--json", "--jobs", "4"});
  EXPECT_EQ(1, a.status); /* one of them has none */
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(13u, json_array_size(json_object_get(all = Json(a), "episodes")));
}

/* One command judges for all threads. */
TEST_F(CliLatch, ManyThreadsAskOneCommand) {
  EXPECT_EQ(0, Run({"record", "cart.lua", "--envs", "2", "--episodes", "6", "--seed", "3", "--out",
                    Path("run")})
                   .status);
  Put("judge.py", "import sys, json\n"
                  "for text in sys.stdin.buffer:\n"
                  "  head = json.loads(text)\n"
                  "  sys.stdin.buffer.read(8 * head['count'] * head['row'])\n"
                  "  print('0' * 7 + '1' * (head['count'] - 7), flush=True)\n");
  Latch({"run", "--jobs", "4", "--predicate-command", "python3 judge.py"}, 1);
  json_t *episodes = json_object_get(all, "episodes");
  ASSERT_EQ(6u, json_array_size(episodes));
  for (size_t i = 0; i < 6; i++)
    EXPECT_EQ(11, Rows(json_array_get(episodes, i))[1]) << i;
}

TEST_F(CliLatch, AnEpisodeThatCannotBeOpenedIsNamedAndTheOthersAreThere) {
  ASSERT_EQ(Record("run").status, 0);
  for (auto &file : fs::directory_iterator(top / "run"))
    if (file.path().filename().string().rfind("env000_ep000001", 0) == 0)
      fs::resize_file(file.path(), 600);
  string text = Table({"run"}, 1);
  EXPECT_NE(text.find("\n2 of 3 episodes latch"), string::npos) << text;
  json_t *e = Latch({"run"}, 1, 1);
  EXPECT_EQ(Rows(e), Three(3, -1));
  EXPECT_NE("", Text(e, "reason"));
}

/* Rewards of 0 and 1 are a predicate; the actions feed a controller that the file has not got. */
TEST_F(CliLatch, AForeignFileWithRewardsHasARecordedLatch) {
  foreign::Options o;
  o.rows = {30, 41};
  {
    foreign::File file(Path("demo.hdf5"));
    file.group("/data");
    file.attr("/data", "env_args", foreign::env_args(o));
    for (size_t i = 0; i < o.rows.size(); i++) {
      string demo = foreign::write_demo(file, o, i, 0);
      std::vector<double> rewards((size_t)o.rows[i], 0.0);
      std::fill(rewards.begin() + 20, rewards.end(), 1.0);
      rewards[22] = 0;
      file.array(demo + "/rewards", foreign::F64, {(hsize_t)o.rows[i]}, rewards);
    }
  }
  json_t *e = Latch({"demo.hdf5"}, 0);
  EXPECT_EQ(Rows(e), (Three{21, -1, -1}));
  EXPECT_EQ("no task with a success condition", Reason(e, "kinematic"));
  EXPECT_EQ(0u, Reason(e, "dynamic").rfind("STATES ONLY: 7 actions feed OSC_POSE", 0));
  EXPECT_EQ(Rows(Latch({"demo.hdf5", "--hold", "0.1"}, 0)), (Three{22, -1, -1}));
  EXPECT_EQ(Rows(Latch({"demo.hdf5", "--hold", "0.15"}, 0)), (Three{26, -1, -1}));
  EXPECT_EQ(Rows(Latch({"demo.hdf5", "--success", "s.time > 0.99", "--hold", "0.1"}, 0)),
            (Three{-1, 21, -1}));
}

TEST_F(CliLatch, AFileThatStoresNothingHasNoLatch) {
  foreign::Options o;
  foreign::write_robosuite(Path("demo.hdf5"), o);
  json_t *e = Latch({"demo.hdf5"}, 1);
  EXPECT_EQ(Rows(e), Three(3, -1));
  EXPECT_EQ("the file stores no predicate", Text(e, "reason"));
  string text = Table({"demo.hdf5"}, 1);
  EXPECT_NE(
      text.find("demo_1                    no hold          -          -          -           "
                "-  -\n"),
      string::npos)
      << text;
  EXPECT_NE(text.find("\nrecorded: not known: the file stores no predicate\n"), string::npos)
      << text;
  EXPECT_NE(text.find("\nno hold is said: 0 is taken, the first true row; --hold S asks for "
                      "another\n"),
            string::npos)
      << text;
  EXPECT_EQ(Table({"demo.hdf5", "--hold", "0.1"}, 1).find("no hold"), string::npos);
  size_t said = text.find("    recorded: the file stores no predicate\n"); /* once for all */
  ASSERT_NE(said, string::npos) << text;
  EXPECT_EQ(text.find("    recorded", said + 4), string::npos) << text;
}

TEST_F(CliLatch, AnotherConditionLeavesTheRecordedOneNothingToSay) {
  ASSERT_EQ(Record("run").status, 0);
  json_t *e = Latch({"run", "--success", "s.joint.cart > 0.0003"}, 0);
  EXPECT_EQ(-1, Rows(e)[0]);
  EXPECT_GT(Rows(e)[1], 0);
  EXPECT_EQ(Rows(e)[1], Rows(e)[2]);
  EXPECT_EQ("what the file stores is of another condition than --success", Reason(e, "recorded"));
  EXPECT_STREQ("kinematic", Text(e, "counted_by").c_str());
  EXPECT_EQ(0, Int(all, "disagree"));
  ExpectError({"latch", "--success", "true", "--by", "recorded", "run"}, 2, "--success");
}

/* What another task says otherwise is no fault of the file; physics is still held against states.
 */
TEST_F(CliLatch, AnotherTaskIsNotHeldAgainstTheRecordedOne) {
  ASSERT_EQ(Record("run").status, 0);
  Put("other.lua", "return { success = function(s) return s.joint.cart > 0.0003 end }");
  json_t *e = Latch({"run", "--task", "other.lua"}, 0);
  Three rows = Rows(e);
  EXPECT_EQ(17, rows[0]);
  EXPECT_LT(rows[1], 17);
  EXPECT_EQ(rows[1], rows[2]);
  EXPECT_EQ(0, Int(all, "disagree"));
  EXPECT_EQ(0u, json_array_size(json_object_get(e, "disagreements")));
  json_t *judges = json_object_get(e, "task_sha256");
  EXPECT_EQ(64u, Text(judges, "recorded").size());
  EXPECT_NE(Text(judges, "recorded"), Text(judges, "dynamic"));
  EXPECT_EQ(Text(judges, "kinematic"), Text(judges, "dynamic"));
  string said = "\nwhat is recorded is by the file's own judge, the rest by --task other.lua: that "
                "they differ is no disagreement\n";
  EXPECT_NE(Table({"run", "--task", "other.lua"}, 0).find(said), string::npos);
  EXPECT_EQ(Table({"run", "--task", "cart.lua"}, 0).find("--task"), string::npos); /* the same */
  Put("heavy.xml", std::regex_replace(string(kModel), std::regex("mass=\"1\""), "mass=\"3\""));
  e = Latch({"run", "--task", "other.lua", "--model", "heavy.xml"}, 1);
  EXPECT_EQ(3, Int(all, "disagree"));
  EXPECT_EQ(0u, Text(json_array_get(json_object_get(e, "disagreements"), 0), "text")
                    .rfind("latch: kinematic ", 0));
}

TEST_F(CliLatch, RowsThatAreDamagedAreAFinding) {
  ASSERT_EQ(Record("run").status, 0);
  ASSERT_EQ(Run({"pack", "run", "--out", "all.h5"}).status, 0);
  {
    hid_t file = H5Fopen(Path("all.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t flags = H5Dopen2(file, "/data/demo_1/playhead/flags", H5P_DEFAULT);
    uint8_t all_of[17] = {1, 1, 1};
    ASSERT_GE(H5Dwrite(flags, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, all_of), 0);
    H5Dclose(flags);
    H5Fclose(file);
  }
  json_t *e = Latch({"all.h5"}, 1, 1);
  EXPECT_EQ(Rows(e), (Three{-1, 17, 17}));
  EXPECT_NE(Reason(e, "recorded").find("checksum"), string::npos) << Reason(e, "recorded");
  EXPECT_EQ(1, Int(all, "damaged"));
  EXPECT_EQ(0, Int(all, "without_latch"));
  EXPECT_EQ(0, Int(all, "disagree"));
  string text = Table({"all.h5"}, 1);
  EXPECT_NE(text.find("\n1 episode has rows that are damaged: nothing behind them counts\n"),
            string::npos)
      << text;
}

/* A cut leaves but one reward, in which no hold is. */
TEST_F(CliLatch, WhatAForeignFileWasCutByIsSaidWhereItsRewardsCannot) {
  foreign::Options o;
  o.rows = {30, 41};
  {
    foreign::File file(Path("demo.hdf5"));
    file.group("/data");
    file.attr("/data", "env_args", foreign::env_args(o));
    for (size_t i = 0; i < o.rows.size(); i++) {
      std::vector<double> rewards((size_t)o.rows[i], 0.0);
      std::fill(rewards.begin() + 20, rewards.end(), 1.0);
      string demo = foreign::write_demo(file, o, i, 0);
      file.array(demo + "/rewards", foreign::F64, {(hsize_t)o.rows[i]}, rewards);
    }
  }
  ASSERT_EQ(Run({"cut", "--by", "recorded", "--hold", "0.2", "-o", "cut.hdf5", "demo.hdf5"}).status,
            0);
  EXPECT_EQ(24, Rows(Latch({"cut.hdf5"}, 0))[0]); /* by the hold that it was cut with */
  EXPECT_EQ(4, Int(all, "hold_steps"));
  EXPECT_EQ(24, Rows(Latch({"cut.hdf5", "--hold", "0.2"}, 0))[0]);
  string why =
      "it was cut at the latch by recorded of a hold of 0.2 s = 4 steps, and the file tells "
      "success of its last row alone";
  EXPECT_EQ("success does not latch within the 24 recorded steps: " + why,
            Text(Latch({"cut.hdf5", "--hold", "0.3"}, 1), "reason"));
  EXPECT_NE(Run({"info", "cut.hdf5"}).out.find("\ncut from   "), string::npos);
}

/* Not what the states lack, but why nothing is there to be had. */
TEST_F(CliLatch, ASourceWithoutAModelHasTheReasonForThat) {
  foreign::Options o;
  o.models = false;
  foreign::write_robosuite(Path("demo.hdf5"), o);
  json_t *e = Latch({"demo.hdf5", "--success", "s.time > 0.5"}, 1);
  EXPECT_EQ("the file names no model", Reason(e, "kinematic"));
  EXPECT_EQ("the file names no model", Reason(e, "dynamic"));
}

/* The reason that info has for it, and not that none is named. */
TEST_F(CliLatch, AModelThatLacksFilesIsNotCalledNone) {
  foreign::Options o;
  o.model = "<mujoco><asset><mesh file='/home/a/arm.stl'/></asset>"
            "<worldbody><geom type='mesh' mesh='arm'/></worldbody></mujoco>";
  foreign::write_robosuite(Path("demo.hdf5"), o);
  json_t *e = Latch({"demo.hdf5"}, 1);
  EXPECT_NE(Reason(e, "kinematic").find("arm.stl"), string::npos) << Reason(e, "kinematic");
  Outcome cut = Run({"cut", "--success", "s.time > 0.5", "--hold", "0", "--dry-run", "demo.hdf5"});
  EXPECT_EQ(cut.status, 1); /* nor is another condition's row taken in its place */
  EXPECT_NE(cut.out.find("arm.stl"), string::npos) << cut.out << cut.err;
  ExpectError({"cut", "--success", "true", "--by", "recorded", "--hold", "0", "demo.hdf5"}, 2,
              "--success");
  json_t *finger = json_object_get(all, "fingerprint"); /* no engine ran */
  EXPECT_TRUE(json_is_object(finger) && json_is_null(json_object_get(finger, "engine")));
  EXPECT_NE(Reason(e, "dynamic").find("arm.stl"), string::npos) << Reason(e, "dynamic");
}

TEST_F(CliLatch, AHoldThatWasMeantInStepsIsHintedAt) {
  ASSERT_EQ(Record("run").status, 0);
  EXPECT_NE(
      Table({"run", "--hold", "5"}, 1).find("\n--hold is in seconds: 5 s are 1250 steps, and "),
      string::npos);
  EXPECT_EQ(Table({"run"}, 0).find("in seconds"), string::npos);
}

} // namespace
