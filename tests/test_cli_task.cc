// `playhead task check` as the program prints it, also of the tasks in data/, and success by an
// expression or by a file that says nothing else, in the verbs that judge.
#include "cli_help.h"

#include <regex>

extern "C" {
#include <playhead/sim.h>
}

using namespace cli_help;

namespace {

using CliTask = Cli;

/* Costs are of the machine. */
string WithoutCosts(const string &text) {
  string masked = std::regex_replace(text, std::regex(" +[0-9.]+ us"), " * us");
  return std::regex_replace(masked, std::regex("us, [0-9.]+ of it"), "us, * of it");
}

/* Numbers are of the substrate, and what is found hangs on them. */
string WithoutNumbers(const string &text) {
  std::istringstream in(text);
  string all;
  for (string line; std::getline(in, line);)
    if (!std::regex_search(line, std::regex("^  (clipped|condition|note|ended) |^[0-9]+ finding")))
      all += std::regex_replace(line, std::regex(" +-?[0-9][0-9.e+-]*"), " #") + "\n";
  return all;
}

/* tests/golden/task_NAME.txt has the substrate in its first line. PH_GOLDEN_UPDATE=1 writes it. */
void ExpectGolden(const string &name, const string &text) {
  fs::path path = fs::path(TEST_SOURCE_ROOT) / "tests/golden" / ("task_" + name + ".txt");
  string mine = string(ph_substrate()) + "\n";
  if (getenv("PH_GOLDEN_UPDATE"))
    std::ofstream(path) << mine << text;
  string golden = Slurp(path);
  ASSERT_NE("", golden) << path;
  string theirs = golden.substr(0, golden.find('\n') + 1), said = golden.substr(theirs.size());
  if (mine == theirs)
    EXPECT_EQ(said, text) << path;
  else
    EXPECT_EQ(WithoutNumbers(said), WithoutNumbers(text)) << path;
}

TEST_F(CliTask, OfTheDataTasks) {
  for (const char *name : {"drawer_close", "muscle_reach", "quadruped_stand", "stack"}) {
    fs::path task = fs::path(TEST_SOURCE_ROOT) / "data" / (string(name) + ".lua");
    Outcome o = Run({"task", "check", task.string()});
    EXPECT_EQ(0, o.status) << o.out << o.err;
    EXPECT_EQ("", o.err);
    string text = WithoutCosts(o.out);
    size_t at = text.find(task.string());
    ASSERT_NE(string::npos, at) << text;
    text.replace(at, task.string().size(), string("data/") + name + ".lua");
    ExpectGolden(name, text);
  }
}

TEST_F(CliTask, FindingsAndExitStatus) {
  Outcome o = Run({"task", "check", Path("cart.lua"), "--seed", "5"});
  EXPECT_EQ(0, o.status) << o.out << o.err;
  EXPECT_NE(string::npos, o.out.find("seeds 5 to 7, with the task's policy")) << o.out;
  EXPECT_NE(string::npos, o.out.find("nothing odd was found")) << o.out;
  Put("odd.lua", "return { name = 'odd', model = 'cart.xml',\n"
                 "  success = function(s)\n"
                 "    return s.time > 100 and s.joint.crt > 1 end }\n");
  o = Run({"task", "check", Path("odd.lua"), "--steps", "7"});
  EXPECT_EQ(1, o.status);
  EXPECT_NE(string::npos, o.out.find("ran        21 steps in 3 episodes, seeds 0 to 2, with zeros"))
      << o.out;
  EXPECT_NE(string::npos, o.out.find("  name       odd.lua:3: s.joint.crt: no joint 'crt'; did you "
                                     "mean 'cart'?\n"
                                     "  condition  success: never true in 21 steps\n"
                                     "  note       max_steps: is missing: nothing but success "
                                     "ends an episode\n"
                                     "2 findings\n"))
      << o.out;
}

TEST_F(CliTask, Json) {
  Put("odd.lua", "return { model = 'cart.xml', reward = function(s) return 1 end,\n"
                 "  success = { a = function(s) return s.step > 3 end } }");
  Outcome o = Run({"task", "check", Path("odd.lua"), "--json", "--steps", "5"});
  EXPECT_EQ(1, o.status) << o.err;
  json_t *all = json_loads(o.out.c_str(), 0, nullptr);
  ASSERT_NE(nullptr, all) << o.out;
  EXPECT_TRUE(json_is_null(json_object_get(all, "task")));
  EXPECT_TRUE(json_is_false(json_object_get(all, "policy")));
  EXPECT_EQ(3, json_integer_value(json_object_get(all, "episodes")));
  EXPECT_EQ(12, json_integer_value(json_object_get(all, "steps"))) << "it succeeds at 4";
  EXPECT_EQ(3, json_integer_value(json_object_get(json_object_get(all, "ends"), "success")));
  json_t *condition = json_array_get(json_object_get(all, "conditions"), 0);
  EXPECT_STREQ("success.a", json_string_value(json_object_get(condition, "name")));
  EXPECT_EQ(3, json_integer_value(json_object_get(condition, "true_steps")));
  EXPECT_TRUE(json_is_null(json_object_get(json_object_get(all, "cost_us"), "policy")));
  EXPECT_GT(json_real_value(json_object_get(json_object_get(all, "cost_ratio"), "conditions")), 0);
  json_t *findings = json_object_get(all, "findings");
  ASSERT_EQ(1u, json_array_size(findings)) << o.out;
  json_t *finding = json_array_get(findings, 0);
  EXPECT_STREQ("reward", json_string_value(json_object_get(finding, "kind")));
  EXPECT_STREQ("reward", json_string_value(json_object_get(finding, "where")));
  EXPECT_STREQ("is 1 at each of 12 steps", json_string_value(json_object_get(finding, "text")));
  json_t *notes = json_object_get(all, "notes");
  ASSERT_EQ(1u, json_array_size(notes)) << o.out;
  finding = json_array_get(notes, 0);
  EXPECT_STREQ("endless", json_string_value(json_object_get(finding, "kind")));
  json_decref(all);
}

TEST_F(CliTask, WhatDoesNotLoad) {
  ExpectError({"task"}, 2, "task: check TASK.lua: is missing");
  ExpectError({"task", "check"}, 2, "task: check TASK.lua: is missing");
  ExpectError({"task", "chek", Path("cart.lua")}, 2, "task: chek: there is no such thing to do");
  ExpectError({"task", "check", Path("none.lua")}, 3, "none.lua: cannot open the task");
  ExpectError({"task", "check", Path("cart.lua"), "--steps", "0"}, 2, "--steps");
  Put("bad.lua", "return {\n  sucess = function(s) return true end }");
  ExpectError({"task", "check", Path("bad.lua")}, 3,
              "bad.lua:2: unknown key 'sucess'; did you mean 'success'?");
  Put("bad.lua", "return { model = 'nothing.xml' }");
  ExpectError({"task", "check", Path("bad.lua")}, 3, "nothing.xml");
  Put("bad.lua", "return { model = 'cart.xml',\n"
                 "  actions = { { type = 'ctrl', actuators = { 'pusch' } } } }");
  ExpectError({"task", "check", Path("bad.lua")}, 3, "'pusch'");
  Put("bad.lua", "return { model = 'cart.xml', hold_seconds = 1e-9,\n"
                 "  success = function(s) return true end }");
  ExpectError({"task", "check", Path("bad.lua")}, 3, "comes to 0 steps");
}

/* A file that only judges: with a model it is run, without one its text is looked at. */
TEST_F(CliTask, AFileThatOnlyJudges) {
  Put("judge.lua", "return { success = function(s) return s.joint.cart > 0.0005 end }");
  Outcome o = Run({"task", "check", Path("judge.lua")});
  EXPECT_EQ(0, o.status) << o.err;
  EXPECT_NE(string::npos, o.out.find("none is named: only the text was looked at")) << o.out;
  o = Run({"task", "check", Path("judge.lua"), "--model", Path("cart.xml")});
  EXPECT_EQ(1, o.status) << o.err;
  EXPECT_NE(string::npos, o.out.find("success: never true in 300 steps")) << o.out;
}

/* --- in the verbs that judge --- */

/* The row of a picture that has `part`; "" none. */
string RowOf(const string &text, const string &part) {
  std::istringstream in(text);
  for (string line; std::getline(in, line);)
    if (line.find(part) != string::npos)
      return line;
  return "";
}

bool Has(const string &text, const string &part) {
  return text.find(part) != string::npos;
}

TEST_F(CliTask, StagesOnTheScreen) {
  Put("cart.lua", "return { name = 'cart', model = 'cart.xml', control_steps = 2, max_steps = 40,\n"
                  "  stages = { { name = 'push', test = function(s) return s.step >= 5 end },\n"
                  "    { name = 'keep', hold_seconds = 0.02, test = { far = function(s)\n"
                  "      return s.step > 9 end } },\n"
                  "    { name = 'gone', test = function(s) return s.joint.cart > 100 end } },\n"
                  "  success = function(s) return s.stages_done == 2 and s.step >= 30 end,\n"
                  "  policy = function(s, rng) return {0.5} end }\n");
  ASSERT_EQ(0, Record("run").status);
  Outcome o = Run({"screen", Path("run"), "--at", "12", "--size", "200x40"});
  EXPECT_TRUE(Has(RowOf(o.out, "│ push "), "yes stage at 5")) << o.out;
  EXPECT_TRUE(Has(RowOf(o.out, " keep "), "now stage at 14, to hold for 0.02 s")) << o.out;
  EXPECT_TRUE(Has(RowOf(o.out, " gone "), "-   stage never")) << o.out;
  o = Run({"screen", Path("run"), "--at", "20", "--size", "200x40"});
  EXPECT_TRUE(Has(RowOf(o.out, " keep "), "yes stage at 14")) << o.out;
  EXPECT_TRUE(Has(RowOf(o.out, " gone "), "now stage never")) << o.out;
  EXPECT_TRUE(Has(o.out, "ended: success")) << o.out;
  o = Run({"verify", Path("run")});
  EXPECT_EQ(0, o.status) << o.out << "a predicate that asks for stages is the same again";
}

/* It judges and changes nothing else: actions keep their names, and the promise stays. */
TEST_F(CliTask, ATaskThatOnlyJudges) {
  ASSERT_EQ(0, Record("run").status);
  Put("judge.lua", "return { hold_seconds = 0.02,\n"
                   "  success = { far = function(s) return s.joint.cart > 0.0005 end } }");
  Outcome plain = Run({"screen", Path("run"), "--at", "20", "--size", "200x40"});
  Outcome o =
      Run({"screen", Path("run"), "--at", "20", "--size", "200x40", "--task", Path("judge.lua")});
  EXPECT_EQ(0, o.status) << o.err;
  EXPECT_TRUE(Has(RowOf(o.out, " far "), "yes")) << o.out;
  EXPECT_TRUE(Has(plain.out, "promised EXACT")) << plain.out;
  EXPECT_TRUE(Has(o.out, "promised EXACT")) << o.out;
  o = Run({"verify", Path("run"), "--task", Path("judge.lua")});
  EXPECT_EQ(0, o.status) << o.out << o.err;
  Put("judge.lua", "return {\n  success = function(s) return s.joint.crt > 0.0005 end }");
  o = Run({"verify", Path("run"), "--task", Path("judge.lua")});
  EXPECT_EQ(3, o.status) << "the file is not at fault: " << o.out << o.err;
  EXPECT_TRUE(Has(o.err, "judge.lua:2: success: no joint 'crt'; did you mean 'cart'?")) << o.err;
}

TEST_F(CliTask, SuccessByAnExpression) {
  ASSERT_EQ(0, Record("run").status);
  Outcome o = Run({"verify", Path("run"), "--success", "s.joint.cart > 0.0005"});
  EXPECT_EQ(0, o.status) << o.out << o.err;
  o = Run({"verify", Path("run"), "--success", "s.joint.cart > 100"});
  EXPECT_EQ(1, o.status) << o.out;
  EXPECT_TRUE(Has(o.out, "was recorded 1 and is 0 when recomputed")) << o.out;
  o = Run({"screen", Path("run"), "--at", "20", "--size", "200x40", "--success",
           "s.joint.cart > 0.0005"});
  EXPECT_EQ(0, o.status) << o.err;
  EXPECT_TRUE(Has(RowOf(o.out, "s.joint.cart > 0.0005"), "yes")) << o.out;
  EXPECT_TRUE(Has(o.out, "promised EXACT")) << o.out;
  o = Run({"screen", Path("run"), "--size", "200x40", "--success", "s.joint.crt > 1"});
  EXPECT_TRUE(Has(RowOf(o.out, "│ s.joint.crt > 1"), "column 9: no joint 'crt'")) << o.out;
  for (const char *verb : {"screen", "verify"}) {
    ExpectError({verb, Path("run"), "--success", "s.jont.cart > 1"}, 3,
                "--success 's.jont.cart > 1': column 3: s has no 'jont'; did you mean 'joint'?");
    ExpectError({verb, Path("run"), "--success", "s.time >"}, 3, "column 9: it ends too early");
  }
}

/* The expression is part of the task that is recorded. */
TEST_F(CliTask, RecordedByAnExpression) {
  Outcome o = Record("run", {"--success", "s.step == 7", "--hold", "0"});
  ASSERT_EQ(0, o.status) << o.err;
  o = Run({"screen", Path("run"), "--at", "last", "--size", "200x40"});
  EXPECT_TRUE(Has(o.out, "7 actions")) << o.out;
  EXPECT_TRUE(Has(o.out, "ended: success")) << o.out;
  EXPECT_TRUE(Has(o.out, "promised EXACT")) << o.out;
  EXPECT_EQ(0, Run({"verify", Path("run")}).status);
  ExpectError({"record", Path("cart.lua"), "--out", Path("other"), "--success", "s.tme > 1"}, 3,
              "--success 's.tme > 1': column 3: s has no 'tme'; did you mean 'time'?");
}

/* --- what a task lacks, given beside it --- */

const char kNever[] = "read first; while read x; do echo [0.5]; done";

/* A file that only judges is recorded with a model and a policy beside it; what runs is stored. */
TEST_F(CliTask, AModelAndALimitBesideTheTask) {
  Put("judge.lua", "return { success = function(s) return s.joint.cart > 100 end }");
  ExpectError({"record", "judge.lua", "--policy-command", kNever, "--out", "run"}, 3,
              "judge.lua: the task names no model: --model M.xml gives one");
  Outcome o = Run({"record", "judge.lua", "--policy-command", kNever, "--model", "cart.xml",
                   "--max-steps", "7", "--out", "run"});
  ASSERT_EQ(0, o.status) << o.err;
  EXPECT_FALSE(Has(o.err, "max_steps")) << o.err;
  o = Run({"screen", "run", "--at", "last", "--size", "200x40"});
  EXPECT_TRUE(Has(o.out, "7 actions")) << o.out;
  EXPECT_TRUE(Has(o.out, "ended: truncated")) << o.out;
  EXPECT_TRUE(Has(o.out, "promised EXACT")) << o.out;
  EXPECT_EQ(0, Run({"verify", "run"}).status);
  /* It goes before the task's own, and with an expression. */
  o = Run({"record", "cart.lua", "--max-steps", "3", "--success", "s.time > 9", "--out", "other"});
  ASSERT_EQ(0, o.status) << o.err;
  o = Run({"screen", "other", "--at", "last", "--size", "200x40"});
  EXPECT_TRUE(Has(o.out, "3 actions")) << o.out;
  EXPECT_EQ(0, Run({"verify", "other"}).status);
}

TEST_F(CliTask, WhatHasNoEndIsSaidWhenItIsRecorded) {
  Put("free.lua", "return { model = 'cart.xml', success = function(s) return s.step == 5 end,\n"
                  "  policy = function(s, rng) return {0.5} end }");
  Outcome o = Run({"record", "free.lua", "--out", "run"});
  ASSERT_EQ(0, o.status) << o.err;
  EXPECT_TRUE(Has(o.err, "the task has no max_steps: nothing but success ends an episode; "
                         "--max-steps N limits it"))
      << o.err;
  EXPECT_FALSE(Has(Record("other").err, "max_steps"));
}

} // namespace
