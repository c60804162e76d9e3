#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <regex>
#include <signal.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "json.h"
}

namespace fs = std::filesystem;
using std::string;

namespace {

const char kModel[] = "<mujoco><option timestep=\"0.002\"/><worldbody><body name=\"cart\">"
                      "<joint name=\"cart\" type=\"slide\" axis=\"1 0 0\"/>"
                      "<geom size=\".1\" mass=\"1\"/></body></worldbody>"
                      "<actuator><motor name=\"push\" joint=\"cart\"/></actuator></mujoco>";

/* Even episodes succeed, by a coin; no more than `steps`. */
string Task(const string &policy, int steps = 60) {
  return "return { name = 'cart', model = 'cart.xml', control_steps = 2, hold_seconds = 0.02,\n"
         "  max_steps = " +
         std::to_string(steps) +
         ",\n  success = function(s) return s.joint.cart > 0.0005 end,\n"
         "  reset = function(env, rng) env.qpos.cart = -0.001 * rng() end,\n"
         "  policy = " +
         policy + " }\n";
}

struct Outcome {
  int status;
  string out, err;
};

string Slurp(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class Cli : public testing::Test {
protected:
  void SetUp() override {
    const char *tmp = getenv("TMPDIR");
    string name = string(tmp ? tmp : "/tmp") + "/cliXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top = fs::canonical(name);
    ASSERT_NE(getenv("PLAYHEAD_PROGRAM"), nullptr);
    program = getenv("PLAYHEAD_PROGRAM");
    std::ofstream(top / "cart.xml") << kModel;
    Put("cart.lua", Task("function(s, rng) return {0.5 + rng()} end"));
  }
  void TearDown() override { fs::remove_all(top); }
  void Put(const string &name, const string &text) { std::ofstream(top / name) << text; }
  string Path(const string &name) const { return (top / name).string(); }

  /* `ignored` is a signal that the program finds ignored; no other is. */
  pid_t Start(const std::vector<string> &args, int ignored = 0) {
    std::vector<const char *> argv = {program.c_str()};
    for (auto &a : args)
      argv.push_back(a.c_str());
    argv.push_back(nullptr);
    pid_t pid = fork();
    if (pid == 0) {
      for (int number : {SIGINT, SIGTERM, SIGHUP})
        signal(number, number == ignored ? SIG_IGN : SIG_DFL);
      int out = open((top / "out").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
      int err = open((top / "err").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
      int in = open("/dev/null", O_RDONLY);
      dup2(in, 0);
      dup2(out, 1);
      dup2(err, 2);
      setenv("LC_ALL", "C.UTF-8", 1);
      setenv("HOME", top.c_str(), 1);
      unsetenv("XDG_DATA_HOME");
      if (!data_root.empty())
        setenv("PLAYHEAD_DATA_ROOT", data_root.c_str(), 1);
      if (!assets.empty())
        setenv("PLAYHEAD_ASSETS", assets.c_str(), 1);
      if (no_color)
        setenv("NO_COLOR", "1", 1);
      rlimit limit = {file_limit, RLIM_INFINITY};
      if (chdir(top.c_str()) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(126);
      execv(program.c_str(), const_cast<char **>(argv.data()));
      _exit(127);
    }
    return pid;
  }
  Outcome Wait(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), Slurp(top / "out"),
            Slurp(top / "err")};
  }
  Outcome Run(const std::vector<string> &args) { return Wait(Start(args)); }

  /* One line "playhead: ..." with that part, and that status. */
  void ExpectError(const std::vector<string> &args, int status, const string &part) {
    Outcome o = Run(args);
    EXPECT_EQ(o.status, status) << o.err;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err.rfind("playhead: ", 0), 0u) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_NE(o.err.find(part), string::npos) << o.err;
  }
  Outcome Record(const string &out, std::vector<string> more = {}) {
    std::vector<string> args = {"record", "cart.lua", "--envs", "2",     "--episodes",
                                "3",      "--seed",   "7",      "--out", Path(out)};
    args.insert(args.end(), more.begin(), more.end());
    return Run(args);
  }
  static json_t *Json(const Outcome &o) {
    EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1) << o.out;
    json_error_t error;
    json_t *value = json_loads(o.out.c_str(), 0, &error);
    EXPECT_TRUE(json_is_object(value)) << error.text << o.out;
    return value;
  }
  /* Keys of an object, in the order of the output. */
  static string Keys(json_t *object) {
    string keys;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) keys += string(keys.empty() ? "" : " ") + key;
    return keys;
  }
  static string Text(json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
  }

  fs::path top;
  string program, data_root, assets;
  bool no_color = false;
  rlim_t file_limit = RLIM_INFINITY; /* of the program: what a full disk is like */
};

TEST_F(Cli, HelpAndVersionAreEverywhere) {
  Outcome o = Run({"--help"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.err, "");
  for (const char *verb : {"view", "screen", "info", "export", "record", "verify", "replay"}) {
    EXPECT_NE(o.out.find(string("\n  ") + verb + " "), string::npos) << verb;
    Outcome help = Run({verb, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out.rfind(string("usage: playhead ") + verb, 0), 0u) << help.out;
    EXPECT_NE(help.out.find("--help"), string::npos);
    EXPECT_EQ(Run({"help", verb}).out, help.out);
    EXPECT_EQ(Run({verb, "--version"}).out, Run({"--version"}).out);
  }
  EXPECT_EQ(Run({"--version"}).out.rfind("playhead ", 0), 0u);
}

/* Every option that takes a value says in --help and in the manual what holds without it. */
TEST_F(Cli, DefaultsOfAllOptionsAreInTheHelp) {
  for (const char *verb : {"view", "screen", "info", "export", "record", "verify", "replay"}) {
    string help = Run({verb, "--help"}).out, options = help.substr(help.find("\noptions:\n") + 10);
    options = std::regex_replace(options, std::regex("\n {5,}"), " ");
    std::istringstream lines(options);
    int with_value = 0;
    for (string line; std::getline(lines, line);)
      if (std::regex_search(line, std::regex("^  --[a-z-]+ [A-Z]"))) {
        EXPECT_TRUE(std::regex_search(line, std::regex("\\(default: .+\\)$"))) << verb << line;
        with_value++;
      }
    EXPECT_GE(with_value, 2) << options;
    for (char c : {'\t', '\r'})
      EXPECT_EQ(help.find(c), string::npos);
    for (size_t at = 0; at < help.size(); at = help.find('\n', at) + 1)
      EXPECT_LE(help.find('\n', at) - at, 100u) << help.substr(at, 120);
  }
  EXPECT_NE(Run({"record", "--help"}).out.find("(default: one for each env)"), string::npos);
  EXPECT_NE(Run({"view", "--help"}).out.find("dark, light or mono"), string::npos);
  EXPECT_NE(Run({"--man"}).out.find("(default: 120x40)"), string::npos);
  string help = Run({"verify", "--help"}).out;
  for (const char *heading : {"latch ", "computed ", "reward ", "time err ", "quat err "})
    EXPECT_NE(help.find(string("\n  ") + heading), string::npos) << heading;
}

TEST_F(Cli, UsageErrorsAreOneLineAndTwo) {
  ExpectError({}, 2, "a verb or a path is missing");
  ExpectError({"recrod"}, 2, "recrod: neither a verb nor a file");
  ExpectError({"info"}, 2, "PATH...: is missing");
  ExpectError({"record", "a.lua", "b.lua"}, 2, "only one is taken");
  ExpectError({"info", "--nothing", "x"}, 2, "info: --nothing: no such option");
  ExpectError({"info", "-x"}, 2, "info: -x: no such option");
  ExpectError({"record", "--mode", "kinematic", "x"}, 2, "--mode: not an option of this verb");
  ExpectError({"verify", "--envs", "2", "x"}, 2, "--envs: not an option of this verb");
  ExpectError({"verify", "--mode", "dynamic", "x"}, 2,
              "--mode dynamic: not in this version, which knows kinematic");
  ExpectError({"verify", "--mode", ""}, 2, "not in this version");
  ExpectError({"record", "cart.lua", "--envs"}, 2, "--envs N: the value is missing");
  ExpectError({"record", "cart.lua", "--json=1"}, 2, "--json 1: takes no value");
  for (const char *bad : {"0", "-1", "1.5", "x", "", "99999999999999999999", "1 "})
    ExpectError({"record", "cart.lua", "--envs", bad}, 2, "not a whole number from 1 to 4096");
  ExpectError({"record", "cart.lua", "--seed", "18446744073709551616"}, 2, "below 2^64");
  for (const char *bad : {"nan", "-1", "inf", "1s", ""})
    ExpectError({"record", "cart.lua", "--hold", bad}, 2, "not a number of seconds");
  for (const char *bad : {"120", "0x5", "120x", "x40", "1001x4", "12x4x5"})
    ExpectError({"screen", "--size", bad, "x"}, 2, "not a size like 120x40");
  ExpectError({"screen", "--at", "x", "run"}, 2, "--at x: not a step");
  ExpectError({"view", "cart.xml"}, 2, "playhead screen");
  ExpectError({"cart.xml"}, 2, "not a terminal");
  ExpectError({"help", "recrod"}, 2, "recrod: no such verb");
  ExpectError({"--completion", "tcsh"}, 2, "bash, zsh or fish");
}

TEST_F(Cli, FileErrorsAreThree) {
  for (const char *verb : {"info", "verify", "screen"}) {
    ExpectError({verb, "none"}, 3, "none");
    ExpectError({verb, "cart.xml"}, 3, "cart.xml");
  }
  ExpectError({"record", "none.lua"}, 3, "none.lua");
  Put("bad.lua", "return { name = ");
  ExpectError({"record", "bad.lua"}, 3, "bad.lua");
  Put("idle.lua", "return { name = 'idle', model = 'cart.xml', control_steps = 2 }");
  ExpectError({"record", "idle.lua"}, 3, "no policy");
  ExpectError({"info", "a\nb\x1b[31m"}, 3, "a");
  ASSERT_EQ(Run({"record", "cart.lua", "--out", "run"}).status, 0);
  for (const char *verb : {"info", "verify", "screen"}) {
    ExpectError({verb, "run", "--model", "none.xml"}, 3, "none.xml: ");
    ExpectError({verb, "run", "--model", "bad.lua"}, 3, "bad.lua: ");
  }
  for (const char *verb : {"verify", "screen"})
    ExpectError({verb, "run", "--task", "none.lua"}, 3, "none.lua: ");
}

TEST_F(Cli, RecordsARunThatEveryVerbReads) {
  Outcome o = Record("run", {"--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  json_t *tally = Json(o);
  EXPECT_EQ(Keys(tally), "run_id path episodes resets commits discards errors");
  EXPECT_EQ(Text(tally, "path"), Path("run"));
  EXPECT_EQ(json_integer_value(json_object_get(tally, "commits")), 3);
  ASSERT_EQ(json_array_size(json_object_get(tally, "episodes")), 3u);
  json_decref(tally);

  o = Run({"info", "run", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  json_t *info = Json(o);
  EXPECT_EQ(Keys(info), "path layout data_hash models tasks episodes");
  EXPECT_EQ(Text(info, "layout"), "run");
  EXPECT_EQ(Text(info, "data_hash").size(), 64u);
  json_t *model = json_array_get(json_object_get(info, "models"), 0);
  EXPECT_EQ(Keys(model), "sha256 mujoco_version nq nv nu na timestep");
  EXPECT_EQ(json_real_value(json_object_get(model, "timestep")), 0.002);
  json_t *task = json_array_get(json_object_get(info, "tasks"), 0);
  EXPECT_EQ(Keys(task), "name control_steps hold_seconds hold_steps");
  EXPECT_EQ(json_integer_value(json_object_get(task, "hold_steps")), 5);
  json_t *episodes = json_object_get(info, "episodes");
  ASSERT_EQ(json_array_size(episodes), 3u);
  std::vector<string> ids;
  for (size_t i = 0; i < 3; i++) {
    json_t *e = json_array_get(episodes, i);
    EXPECT_EQ(Keys(e),
              "id env_id states actions seed end_reason success missing guarantee oddities "
              "hold_seconds hold_steps");
    EXPECT_EQ(Text(e, "end_reason"), "success");
    EXPECT_TRUE(json_is_true(json_object_get(e, "success")));
    EXPECT_EQ(json_integer_value(json_object_get(e, "states")),
              json_integer_value(json_object_get(e, "actions")) + 1);
    EXPECT_EQ(json_array_size(json_object_get(e, "missing")), 0u);
    EXPECT_EQ(json_array_size(json_object_get(e, "oddities")), 0u);
    EXPECT_EQ(Text(e, "guarantee"), "EXACT");
    ids.push_back(Text(e, "id"));
  }
  /* env i records ceil((M-i)/N) */
  EXPECT_EQ(ids, (std::vector<string>{"env000_ep000000", "env000_ep000001", "env001_ep000000"}));
  json_decref(info);

  o = Run({"info", "run"});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char *part : {"run, 3 episodes", "data hash", "nq 1 nv 1 nu 1",
                           "hold 0.02 s = 5 steps", "playhead/warmstart", "EXACT"})
    EXPECT_NE(o.out.find(part), string::npos) << part << o.out;

  for (const char *verb : {"verify", "replay"}) {
    o = Run({verb, "run", "--mode", "kinematic", "--json"});
    EXPECT_EQ(o.status, 0) << o.err;
    json_t *verdict = Json(o);
    EXPECT_EQ(Keys(verdict), "mode episodes ok wrong first_wrong");
    json_t *e = json_array_get(json_object_get(verdict, "episodes"), 1);
    EXPECT_EQ(Keys(e),
              "id steps class first_unequal first_over_tolerance max_joint_error "
              "max_body_error one_step reward end diagnosis guarantee ok findings time_error "
              "quat_error latch checked");
    EXPECT_TRUE(json_is_true(json_object_get(verdict, "ok")));
    EXPECT_TRUE(json_is_true(json_object_get(e, "ok")));
    EXPECT_TRUE(json_is_null(json_object_get(verdict, "first_wrong")));
    EXPECT_EQ(json_array_size(json_object_get(e, "findings")), 0u);
    EXPECT_LT(json_real_value(json_object_get(e, "time_error")), 1e-9);
    EXPECT_TRUE(json_is_number(json_object_get(e, "quat_error")));
    json_t *latch = json_object_get(e, "latch"), *checked = json_object_get(e, "checked");
    json_t *steps = json_object_get(e, "steps");
    EXPECT_EQ(Keys(latch), "recorded recomputed");
    EXPECT_EQ(json_integer_value(json_object_get(latch, "recorded")),
              json_integer_value(steps) - 1);
    EXPECT_TRUE(
        json_equal(json_object_get(latch, "recorded"), json_object_get(latch, "recomputed")));
    EXPECT_EQ(Keys(checked), "columns blocks predicate");
    /* actions, states, rewards, dones, warmstart, ctrl, predicate, flags; one block of each */
    EXPECT_EQ(json_integer_value(json_object_get(checked, "columns")), 8);
    EXPECT_EQ(json_integer_value(json_object_get(checked, "blocks")), 8);
    EXPECT_TRUE(json_is_true(json_object_get(checked, "predicate")));
    EXPECT_TRUE(json_is_null(json_object_get(e, "class")));
    EXPECT_TRUE(json_is_null(json_object_get(e, "diagnosis")));
    EXPECT_EQ(Keys(json_object_get(e, "max_joint_error")), "rad m");
    EXPECT_EQ(Keys(json_object_get(e, "one_step")), "class first_unequal max_joint_error");
    EXPECT_EQ(Text(json_object_get(e, "end"), "recorded"), "success");
    json_decref(verdict);
  }
  o = Run({"verify", "run", "--episode", "env001_ep000000"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("1 of 1 episode is as recorded"), string::npos) << o.out;
  ExpectError({"verify", "run", "--episode", "nobody"}, 3, "nobody: no such episode");
}

TEST_F(Cli, TheContentFollowsFromSeedAlone) {
  auto hash = [&](const string &name, const std::vector<string> &more) {
    EXPECT_EQ(Record(name, more).status, 0);
    json_t *info = Json(Run({"info", name, "--json"}));
    string text = Text(info, "data_hash");
    json_decref(info);
    return text;
  };
  string first = hash("a", {});
  EXPECT_EQ(hash("b", {}), first);
  EXPECT_NE(hash("c", {"--seed", "8"}), first);
  EXPECT_NE(hash("d", {"--hold", "0.04"}), first);
}

TEST_F(Cli, RecordNeverWritesIntoWhatIsThere) {
  fs::create_directories(top / "empty");
  EXPECT_EQ(Record("empty").status, 0);
  string before = Slurp(top / "empty" / "index");
  Outcome o = Record("empty");
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("exists already"), string::npos) << o.err;
  EXPECT_EQ(Slurp(top / "empty" / "index"), before);
  EXPECT_EQ(Record("cart.xml").status, 3);
  EXPECT_EQ(Slurp(top / "cart.xml"), kModel);
  EXPECT_EQ(Record("new/deep/run").status, 0);
}

TEST_F(Cli, RecordRefusesWhatItCannotDo) {
  for (const char *bad : {"0", "-1", "1000000000", "2x"})
    ExpectError({"record", "cart.lua", "--out", "x", "--envs", bad}, 2,
                string("--envs ") + bad + ": not a whole number from 1 to 4096");
  for (const char *bad : {"0", "-1", "1e3", "1000000001"})
    ExpectError({"record", "cart.lua", "--out", "x", "--episodes", bad}, 2,
                string("--episodes ") + bad + ": not a whole number");
  for (const char *bad : {"nan", "-0.1", "-inf"})
    ExpectError({"record", "cart.lua", "--out", "x", "--hold", bad}, 2,
                string("--hold ") + bad + ": not a number of seconds");
  ExpectError({"record", "cart.lua", "--out", ""}, 2, "an empty path");
  ExpectError({"record", "cart.lua", "--out", "cart.xml"}, 3, "cart.xml: exists already");
  ExpectError({"record", "cart.lua", "--out", "cart.xml/"}, 3, "cart.xml: exists already");
  ExpectError({"record", "cart.lua", "--out", "cart.xml/run"}, 3, "cart.xml/run: ");
  ExpectError({"record", "cart.lua", "--out", "/"}, 3, "/: exists already");
  fs::create_directories(top / "full");
  Put("full/letter", "dear");
  ExpectError({"record", "cart.lua", "--out", "full/"}, 3, "full: exists already");
  EXPECT_EQ(Slurp(top / "full/letter"), "dear");
  EXPECT_FALSE(fs::exists(top / "x"));
}

TEST_F(Cli, RecordTakesTheEdgesOfItsOptions) {
  Outcome o = Run({"record", "cart.lua", "--envs", "4096", "--episodes", "2", "--hold", "0",
                   "--out", "new/run///", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(Text(tally, "path"), "new/run") << "slashes at the end are no part of the name";
  ASSERT_EQ(json_array_size(json_object_get(tally, "episodes")), 2u);
  EXPECT_EQ(Text(json_array_get(json_object_get(tally, "episodes"), 1), "id"), "env001_ep000000");
  json_decref(tally);
  json_t *info = Json(Run({"info", "new/run/", "--json"}));
  EXPECT_EQ(json_array_size(json_object_get(info, "episodes")), 2u);
  json_decref(info);
}

TEST_F(Cli, RecordWithoutEpisodesRecordsOneForEachEnv) {
  Outcome o = Run({"record", "cart.lua", "--envs", "3", "--out", "it's a run"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.rfind("it's a run: 3 episodes started, 3 saved, 0 discarded; ", 0), 0u) << o.out;
  EXPECT_EQ(o.out.find("NOT WRITTEN"), string::npos);
  string open = "open it: playhead view ";
  size_t at = o.out.find("\n" + open);
  ASSERT_NE(at, string::npos) << o.out;
  EXPECT_EQ(o.out.substr(at), "\n" + open + "'it'\\''s a run'\n");
  for (const char *env : {"env000", "env001", "env002"})
    EXPECT_NE(Run({"info", "it's a run"}).out.find(string("\n") + env + "_ep000000 "),
              string::npos);
  EXPECT_EQ(Run({"record", "cart.lua", "--out", "one"}).out.rfind("one: 1 episode started, 1", 0),
            0u);
  Put("cart.lua", Task("function(s, rng) return {0/0} end"));
  o = Run({"record", "cart.lua", "--out", "none"});
  EXPECT_NE(o.out.find("1 episode started, 0 saved, 1 discarded"), string::npos) << o.out;
  EXPECT_EQ(o.out.find(open), string::npos) << "there is nothing to open";
}

TEST_F(Cli, EpisodesThatTheDiskHadNoRoomForAreNotListed) {
  ASSERT_EQ(Record("run").status, 0);
  Put("cart.lua", Task("function(s, rng) return {0} end", 2000));
  file_limit = fs::file_size(top / "run" / "run.h5") + 4096;
  Outcome o = Run({"record", "cart.lua", "--envs", "2", "--out", "full", "--json"});
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("env 1 episode 0: full/env001_ep000000_2000.h5: writing failed: File too "
                       "large"),
            string::npos)
      << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(json_array_size(json_object_get(tally, "episodes")), 0u) << o.out;
  EXPECT_EQ(json_integer_value(json_object_get(tally, "commits")), 0);
  json_decref(tally);
  EXPECT_FALSE(fs::exists(top / "full")) << "nothing of it stays";
}

TEST_F(Cli, WhatCloseWritesAfterAllIsListed) {
  ASSERT_EQ(Record("run").status, 0);
  Put("cart.lua", Task("function(s, rng) return {0} end", 2000));
  file_limit = fs::file_size(top / "run" / "run.h5") + 4096;
  pid_t pid = Start({"record", "cart.lua", "--episodes", "1000000", "--out", "full", "--json"});
  for (int i = 0; i < 20000 && Slurp(top / "err").find("episode 1: ") == string::npos; i++)
    usleep(1000); /* the first was kept, and the simulation went on */
  rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(prlimit(pid, RLIMIT_FSIZE, &none, nullptr), 0);
  kill(pid, SIGINT);
  Outcome o = Wait(pid);
  EXPECT_NE(o.err.find("episode 0: full/env000_ep000000_2000.h5: writing failed"), string::npos);
  json_t *tally = Json(o), *episodes = json_object_get(tally, "episodes"), *e;
  EXPECT_GE(json_integer_value(json_object_get(tally, "commits")), 2) << o.out;
  EXPECT_EQ(json_array_size(episodes),
            (size_t)json_integer_value(json_object_get(tally, "commits")));
  size_t i;
  json_array_foreach(episodes, i, e) EXPECT_TRUE(
      fs::exists(top / "full" /
                 (Text(e, "id") + "_" +
                  std::to_string(json_integer_value(json_object_get(e, "actions"))) + ".h5")));
  json_decref(tally);
}

TEST_F(Cli, AModelWithoutActuatorsIsRecorded) {
  Put("ball.xml", "<mujoco><worldbody><body><freejoint name='ball'/><geom size='.1'/></body>"
                  "</worldbody></mujoco>");
  for (string actions : {"", "actions = {}, "}) {
    Put("ball.lua", "return {model = 'ball.xml', control_steps = 2, max_steps = 9, " + actions +
                        "policy = function(s) return {} end}");
    string run = actions.empty() ? "plain" : "empty";
    EXPECT_EQ(Run({"record", "ball.lua", "--out", run}).status, 0);
    Outcome o = Run({"verify", run});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
  }
  Put("ball.xml", kModel);
  ExpectError({"record", "ball.lua", "--out", "none"}, 3,
              "actions: the list is empty, the model has 1 actuators");
}

TEST_F(Cli, WhyAFolderCannotBeUsedIsSaid) {
  ExpectError({"record", "cart.lua", "--out", "cart.xml/run"}, 3, "cart.xml/run: Not a directory");
  string name(300, 'x');
  ExpectError({"record", "cart.lua", "--out", name}, 3, name + ": File name too long");
}

TEST_F(Cli, ControlCharactersOfAPathAreNotPrinted) {
  Outcome o = Run({"record", "cart.lua", "--out", "a\n\x1b'\\b"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.rfind("a" + string(2, '?') + "'\\b: 1 episode started", 0), 0u) << o.out;
  EXPECT_NE(o.out.find("\nopen it: playhead view $'a\\012\\033\\047\\134b'\n"), string::npos)
      << o.out;
}

TEST_F(Cli, ARunThatWasKilledBeforeItsFirstEpisodeIsNoHindrance) {
  Put("slow.lua", Task("function(s, rng) return {0} end", 100000000));
  pid_t pid = Start({"record", "slow.lua", "--out", "run"});
  for (int i = 0; i < 10000 && !fs::exists(top / "run" / "run.h5"); i++)
    usleep(1000);
  Outcome o = Wait(Start({"record", "cart.lua", "--out", "run"}));
  EXPECT_EQ(o.status, 3) << "the first one still records";
  EXPECT_NE(o.err.find("another process records into it"), string::npos) << o.err;
  kill(pid, SIGKILL);
  EXPECT_EQ(Wait(pid).status, -SIGKILL);
  Put("run/.run.h5.1-0.part", "torn");
  EXPECT_EQ(Record("run").status, 0);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
}

TEST_F(Cli, TheDefaultFolderIsThatOfTheData) {
  Outcome o = Run({"record", "cart.lua", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(Text(tally, "path"),
            Path(".local/share/playhead/trajectories/") + Text(tally, "run_id"));
  EXPECT_TRUE(
      std::regex_match(Text(tally, "run_id"), std::regex("\\d{8}T\\d{6}Z-\\d+-[0-9a-f]{5}")))
      << "made as the library makes it: " << Text(tally, "run_id");
  json_decref(tally);
  data_root = Path("root");
  tally = Json(Run({"record", "cart.lua", "--json"}));
  EXPECT_EQ(Text(tally, "path"), Path("root/trajectories/") + Text(tally, "run_id"));
  EXPECT_TRUE(fs::exists(Text(tally, "path") + "/run.h5"));
  json_decref(tally);
}

TEST_F(Cli, HoldOfTheCommandLineHolds) {
  ASSERT_EQ(Record("run", {"--hold", "0.004"}).status, 0);
  Outcome o = Run({"verify", "run"});
  EXPECT_EQ(o.status, 0) << o.out;
  o = Run({"info", "run"});
  EXPECT_NE(o.out.find("\nhold       0.004 s = 1 step in force; the task's is 0.02 s = 5 steps\n"),
            string::npos)
      << o.out;
  EXPECT_NE(o.out.find("  yes      0.004 s  "), string::npos) << o.out;
  json_t *info = Json(Run({"info", "run", "--json"}));
  json_t *e = json_array_get(json_object_get(info, "episodes"), 2);
  EXPECT_EQ(json_real_value(json_object_get(e, "hold_seconds")), 0.004);
  EXPECT_EQ(json_integer_value(json_object_get(e, "hold_steps")), 1);
  json_decref(info);
  ASSERT_EQ(Record("own").status, 0);
  EXPECT_NE(
      Run({"info", "own"}).out.find("\nhold       0.02 s = 5 steps in force, as in the task\n"),
      string::npos);
  EXPECT_NE(Run({"info", "run", "own"}).out.find("\nhold       not the same in all episodes"),
            string::npos);
  o = Record("none", {"--hold", "0.0001"});
  EXPECT_EQ(o.status, 3);
  EXPECT_FALSE(fs::exists(top / "none"));
}

TEST_F(Cli, NonFiniteActionsEndTheEpisodeOnly) {
  Put("cart.lua", Task("function(s, rng) if s.step >= 3 then return {0/0} end return {1} end"));
  Outcome o = Record("run", {"--json"});
  EXPECT_EQ(o.status, 0) << o.err;
  json_t *tally = Json(o);
  json_t *e = json_array_get(json_object_get(tally, "episodes"), 0);
  EXPECT_EQ(Text(e, "end_reason"), "nan");
  EXPECT_EQ(json_integer_value(json_object_get(e, "actions")), 3);
  json_decref(tally);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
}

TEST_F(Cli, AnEpisodeWithoutAStepIsDiscardedAndNamed) {
  Put("cart.lua", Task("function(s, rng) return {0/0} end"));
  Outcome o = Run({"record", "cart.lua", "--episodes", "2", "--out", "run", "--json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 2) << o.err;
  const char line[] = "env 0 episode 1: discarded, it has no step: nan: "
                      "cart: policy: step 0: action[0] (push) is not finite";
  EXPECT_NE(o.err.find(string("playhead: ") + line + "\n"), string::npos) << o.err;
  json_t *tally = Json(o);
  json_t *errors = json_object_get(tally, "errors");
  ASSERT_EQ(json_array_size(errors), 2u);
  EXPECT_STREQ(json_string_value(json_array_get(errors, 1)), line);
  EXPECT_EQ(json_array_size(json_object_get(tally, "episodes")), 0u);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "discards")), 2);
  json_decref(tally);
}

TEST_F(Cli, AScriptThatFailsKeepsWhatWasRecorded) {
  Put("cart.lua", Task("function(s, rng) if s.step >= 3 then error('tired') end return {1} end"));
  Outcome o = Record("run", {"--json"});
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("tired"), string::npos) << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "resets")),
            json_integer_value(json_object_get(tally, "commits")) +
                json_integer_value(json_object_get(tally, "discards")));
  EXPECT_GE(json_array_size(json_object_get(tally, "errors")), 1u);
  EXPECT_EQ(Text(json_array_get(json_object_get(tally, "episodes"), 0), "end_reason"), "aborted");
  json_decref(tally);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
}

/* Env 0 starts right of the middle and env 1 left of it, by the seed 4. */
const char kTwoSides[] =
    "return { name = 'sides', model = 'cart.xml', control_steps = 2, hold_seconds = 0,\n"
    "  max_steps = 9, success = function(s) return s.step == 5 end,\n"
    "  reset = function(env, rng) env.qpos.cart = rng() - 0.5 end,\n"
    "  policy = function(s) return {0} end,\n"
    "  reward = function(s) if s.step == 5 and s.joint.cart < 0 then error('lost') end\n"
    "    return 0 end }\n";

TEST_F(Cli, AnErrorOfOneEnvTakesNothingFromTheOthers) {
  Put("cart.lua", kTwoSides);
  Outcome o = Run({"record", "cart.lua", "--envs", "2", "--episodes", "6", "--seed", "4", "--out",
                   "run", "--json"});
  EXPECT_EQ(o.status, 3);
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_NE(o.err.find("env 1 episode 0: sides: step 5: "), string::npos) << o.err;
  json_t *tally = Json(o);
  json_t *episodes = json_object_get(tally, "episodes");
  ASSERT_EQ(json_array_size(episodes), 2u) << o.out;
  json_t *good = json_array_get(episodes, 0), *bad = json_array_get(episodes, 1);
  EXPECT_EQ(Text(good, "id"), "env000_ep000000");
  EXPECT_EQ(Text(good, "end_reason"), "success") << "it latched in the turn of the error";
  EXPECT_TRUE(json_is_true(json_object_get(good, "success")));
  EXPECT_EQ(json_integer_value(json_object_get(good, "actions")), 5);
  EXPECT_EQ(Text(bad, "end_reason"), "aborted");
  EXPECT_EQ(json_integer_value(json_object_get(bad, "actions")), 4);
  json_t *errors = json_object_get(tally, "errors");
  ASSERT_EQ(json_array_size(errors), 1u);
  EXPECT_NE(strstr(json_string_value(json_array_get(errors, 0)), "lost"), nullptr);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "resets")), 2) << "nothing begins any more";
  json_decref(tally);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
  EXPECT_NE(Slurp(top / "run" / "env001_ep000000_4.h5").find("lost"), string::npos)
      << "end_detail holds the error";
}

TEST_F(Cli, AnEngineErrorAbortsTheEpisodeWithTheEnginesText) {
  /* Four contacts are more than its stack holds, and there are none before it falls. */
  Put("cart.xml",
      "<mujoco><size nstack='200'/><worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 1'>"
      "<joint name='cart' type='slide' axis='1 0 0'/><joint name='up' type='slide' axis='0 0 1'/>"
      "<geom type='box' condim='6' size='.1 .1 .1' mass='1'/></body></worldbody>"
      "<actuator><motor name='push' joint='cart'/></actuator></mujoco>");
  Put("cart.lua", "return { name = 'odd', model = 'cart.xml', control_steps = 2, max_steps = 60,\n"
                  "  reset = function(env) env.qpos.up = -0.895 end,\n"
                  "  policy = function(s) return {0} end }\n");
  Outcome o = Run({"record", "cart.lua", "--out", "run", "--json"});
  EXPECT_EQ(o.status, 3) << o.err;
  EXPECT_NE(o.err.find("env 0 episode 0: odd: step 8: physics engine: "), string::npos) << o.err;
  json_t *tally = Json(o);
  json_t *e = json_array_get(json_object_get(tally, "episodes"), 0);
  EXPECT_EQ(Text(e, "end_reason"), "aborted");
  EXPECT_EQ(json_integer_value(json_object_get(e, "actions")), 7);
  EXPECT_EQ(json_array_size(json_object_get(tally, "errors")), 1u);
  json_decref(tally);
  EXPECT_NE(Slurp(top / "run" / "env000_ep000000_7.h5").find("step 8: physics engine: "),
            string::npos)
      << "end_detail holds the engine's text";
}

TEST_F(Cli, InterruptSavesWhatIsUnfinished) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 20));
  pid_t pid = Start({"record", "cart.lua", "--envs", "2", "--episodes", "100000000", "--out",
                     Path("run"), "--json"});
  for (int i = 0; i < 10000 && Slurp(top / "run" / "index").empty(); i++)
    usleep(1000);
  kill(pid, SIGINT);
  Outcome o = Wait(pid);
  EXPECT_EQ(o.status, 1) << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "resets")),
            json_integer_value(json_object_get(tally, "commits")) +
                json_integer_value(json_object_get(tally, "discards")));
  json_decref(tally);
  EXPECT_EQ(Run({"verify", "run"}).status, 0);
  for (auto &file : fs::directory_iterator(top / "run"))
    EXPECT_EQ(file.path().string().find(".tmp"), string::npos) << file.path();
}

TEST_F(Cli, ASignalThatIsIgnoredStaysIgnored) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 5));
  for (int number : {SIGHUP, SIGINT}) {
    string run = "run" + std::to_string(number);
    auto size = [&] { return Slurp(top / run / "index").size(); };
    pid_t pid = Start({"record", "cart.lua", "--episodes", "100000000", "--out", run}, number);
    for (int i = 0; i < 10000 && size() == 0; i++)
      usleep(1000);
    kill(pid, number);
    size_t before = size();
    for (int i = 0; i < 10000 && size() < before + 5 * 256 && waitpid(pid, nullptr, WNOHANG) == 0;
         i++)
      usleep(1000);
    ASSERT_GE(size(), before + 5 * 256) << "it goes on after signal " << number;
    kill(pid, SIGTERM);
    EXPECT_EQ(Wait(pid).status, 1);
  }
}

TEST_F(Cli, VerifyFindsAFlippedByte) {
  ASSERT_EQ(Record("run").status, 0);
  fs::path victim;
  for (auto &file : fs::directory_iterator(top / "run"))
    if (file.path().filename().string().rfind("env001", 0) == 0)
      victim = file.path();
  string bytes = Slurp(victim);
  /* the time of step 3, as it stands in the states */
  double time = 0;
  for (int i = 0; i < 6; i++)
    time += 0.002;
  size_t at = bytes.find(string(reinterpret_cast<char *>(&time), sizeof time));
  ASSERT_NE(at, string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  std::ofstream(victim, std::ios::binary) << bytes;
  Outcome o = Run({"verify", "run", "--json"});
  EXPECT_EQ(o.status, 1) << o.err;
  json_t *verdict = Json(o);
  json_t *e = json_array_get(json_object_get(verdict, "episodes"), 2);
  EXPECT_EQ(Text(e, "id").rfind("env001", 0), 0u);
  EXPECT_NE(Text(e, "diagnosis").find("states"), string::npos) << Text(e, "diagnosis");
  EXPECT_TRUE(json_is_false(json_object_get(e, "ok")));
  json_t *found = json_array_get(json_object_get(e, "findings"), 0);
  EXPECT_EQ(Keys(found), "step text");
  EXPECT_EQ(json_integer_value(json_object_get(found, "step")), 0) << "the block's first";
  EXPECT_EQ(Text(found, "text").rfind("states: ", 0), 0u) << Text(found, "text");
  EXPECT_LT(json_integer_value(json_object_get(json_object_get(e, "checked"), "columns")), 8);
  e = json_array_get(json_object_get(verdict, "episodes"), 0);
  EXPECT_TRUE(json_is_null(json_object_get(e, "diagnosis")));
  EXPECT_TRUE(json_is_true(json_object_get(e, "ok")));
  EXPECT_TRUE(json_is_false(json_object_get(verdict, "ok")));
  EXPECT_EQ(json_integer_value(json_object_get(verdict, "wrong")), 1);
  EXPECT_EQ(Text(verdict, "first_wrong"), "env001_ep000000");
  json_decref(verdict);
  o = Run({"verify", "run"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("\n2 of 3 episodes are as recorded; the first that is not: "
                       "env001_ep000000: states: "),
            string::npos)
      << o.out;
}

TEST_F(Cli, ALostEpisodeIsAFindingAndAnEmptyRunNoSuccess) {
  ASSERT_EQ(Record("run").status, 0);
  std::vector<fs::path> episodes;
  for (auto &file : fs::directory_iterator(top / "run"))
    if (file.path().filename().string().rfind("env", 0) == 0)
      episodes.push_back(file.path());
  ASSERT_GT(episodes.size(), 1u);
  fs::remove(episodes[0]);
  string lost =
      "the index names " + episodes[0].filename().string() + ", which is not in the folder";
  for (const char *verb : {"verify", "info"}) {
    Outcome o = Run({verb, "run"});
    EXPECT_EQ(o.status, 1) << verb;
    EXPECT_NE(o.out.find(lost), string::npos) << o.out;
  }
  for (auto &file : episodes)
    fs::remove(file);
  fs::remove(top / "run" / "index");
  Outcome o = Run({"verify", "run"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find("there is nothing to verify"), string::npos) << o.out;
}

/* What is damaged is named as that, and is a finding. */
TEST_F(Cli, InfoSaysWhatIsDamaged) {
  ASSERT_EQ(Record("run").status, 0);
  EXPECT_EQ(Run({"info", "run"}).status, 0);
  string run = Slurp(top / "run" / "run.h5"), bad = run;
  size_t at = bad.find("hold_seconds = ");
  ASSERT_NE(at, string::npos);
  bad[at] = 'H';
  Put("run/run.h5", bad);
  Outcome o = Run({"info", "run"});
  EXPECT_EQ(o.out.find("not stored"), string::npos) << o.out;
  EXPECT_NE(o.out.find("source: "), string::npos) << o.out;
  EXPECT_EQ(o.out.find("EXACT"), string::npos) << o.out;
  EXPECT_NE(o.out.find("STATES ONLY"), string::npos) << o.out;
  Put("run/run.h5", run);
  for (auto &file : fs::directory_iterator(top / "run"))
    if (file.path().filename().string().rfind("env001", 0) == 0)
      fs::resize_file(file.path(), 1000);
  o = Run({"info", "run"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_EQ(o.out.find("no checksums are stored"), string::npos) << o.out;
  EXPECT_NE(o.out.find("\n    odd: it was not written to the end: 1000 of"), string::npos) << o.out;
  size_t odd = o.out.find("    odd: ");
  EXPECT_EQ(o.out.find("    odd: ", odd + 1), string::npos) << "it is said once\n" << o.out;
  EXPECT_EQ(Run({"info", "--json", "run"}).status, 1);
  o = Run({"screen", "run", "--episode", "env001_ep000000"});
  EXPECT_EQ(o.status, 1) << "the picture says it";
  EXPECT_NE(o.out.find("1000 of"), string::npos) << o.out;
  EXPECT_EQ(Run({"screen", "run"}).status, 0);
}

TEST_F(Cli, ScreenIsTextOfTheSizeAskedFor) {
  ASSERT_EQ(Record("run").status, 0);
  Outcome o = Run({"screen", "run", "--at", "middle", "--size", "100x30"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_LE(std::count(o.out.begin(), o.out.end(), '\n'), 30);
  EXPECT_EQ(o.out.back(), '\n');
  EXPECT_EQ(o.out.find('\x1b'), string::npos);
  EXPECT_NE(o.out.find("cart"), string::npos);
  EXPECT_NE(Run({"screen", "run", "--at", "0"}).out, Run({"screen", "run", "--at", "last"}).out);
  EXPECT_NE(Run({"screen", "run", "--at", "1"}).out.find("step 1/"), string::npos);
  EXPECT_NE(Run({"screen", "run", "--at", "1", "--keys", "n n"}).out.find("step 3/"), string::npos);
  Outcome color = Run({"screen", "run", "--color"});
  EXPECT_NE(color.out.find('\x1b'), string::npos);
  no_color = true;
  EXPECT_EQ(Run({"screen", "run", "--color"}).out.find('\x1b'), string::npos);
  o = Run({"screen", "run", "--ascii"});
  for (char c : o.out)
    ASSERT_GE(c, 0) << o.out;
  ExpectError({"screen", "run", "--keys", "Nokey"}, 2, "Nokey");
  ExpectError({"screen", "run", "--episode", "nobody", "--at", "middle"}, 3, "no such episode");
  EXPECT_NE(Run({"screen", "run", "--episode", "nobody"}).status, 0);
}

TEST_F(Cli, APlaceInTimeIsAStepSecondsOrAShare) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 50));
  ASSERT_EQ(Run({"record", "cart.lua", "--out", "run"}).status, 0);
  auto at = [&](const string &place, const string &said) {
    Outcome o = Run({"screen", "run", "--at", place});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, said);
    size_t from = o.out.find("PAUSED  step ") + 13;
    return o.out.substr(from, o.out.find(' ', from) - from);
  };
  EXPECT_EQ(at("0", ""), "0/50");
  EXPECT_EQ(at("50", ""), "50/50");
  EXPECT_EQ(at("90%", ""), "45/50");
  EXPECT_EQ(at("0.1s", ""), "25/50");
  EXPECT_EQ(at("middle", ""), "25/50");
  EXPECT_EQ(at("last", ""), "50/50");
  EXPECT_EQ(at("999", "playhead: screen: --at 999: the last step is 50\n"), "50/50");
  EXPECT_EQ(at("150%", "playhead: screen: --at 150%: the last step is 50\n"), "50/50");
  for (const char *bad : {"", "%", "-1", "1.5", ".5s", "1e3", "4.2.1s", "5 s", "s", "5%%", "first",
                          "99999999999999999999", "0x10"})
    ExpectError({"screen", "run", "--at", bad}, 2, string("--at ") + bad + ": not a step");
  ExpectError({"screen", "none", "--at", "50%"}, 3, "none");
  ExpectError({"screen", "none", "--at", "5"}, 3, "none");
}

/* The picture and verify say what does not fit, after the episode's id, which is said once. */
TEST_F(Cli, AnotherTaskThatDoesNotFitIsNamedOnce) {
  ASSERT_EQ(Record("run").status, 0);
  string other = Task("function(s) return {0} end");
  Put("other.lua", other.replace(other.find("control_steps = 2"), 17, "control_steps = 4"));
  Outcome o = Run({"screen", "run", "--task", "other.lua", "--size", "200x50"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("env000_ep000000: a step has 2 substeps"), string::npos) << o.out;
  EXPECT_EQ(o.out.find("env000_ep000000: env000"), string::npos) << o.out;
  o = Run({"verify", "run", "--task", "other.lua"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.out.find("\n    a step has 2 substeps in the episode, 4 in task cart\n"),
            string::npos)
      << o.out;
  EXPECT_NE(o.out.find("is not: env000_ep000000: a step has 2 substeps"), string::npos) << o.out;
}

TEST_F(Cli, AssetsOfTheEnvironmentAreRead) {
  fs::create_directories(top / "store");
  Put("store/part.xml", "<x><body><geom size=\".1\"/></body></x>");
  string xml = kModel;
  xml.insert(xml.find("</worldbody>"), "<include file=\"/home/else/part.xml\"/>");
  Put("cart.xml", xml);
  EXPECT_EQ(Record("a").status, 3);
  EXPECT_EQ(Record("a", {"--assets", Path("store")}).status, 0);
  assets = Path("store") + ":" + Path("store");
  EXPECT_EQ(Record("b").status, 0);
}

TEST_F(Cli, ManualAndCompletionsHoldTheWholeTable) {
  Outcome man = Run({"--man"}), bash = Run({"--completion", "bash"}),
          zsh = Run({"--completion", "zsh"}), fish = Run({"--completion", "fish"});
  for (const char *option :
       {"episode",  "at",   "size",    "keys",  "task",  "model",   "assets", "envs",
        "episodes", "seed", "hold",    "out",   "mode",  "scheme",  "color",  "ascii",
        "json",     "help", "version", "group", "range", "columns", "as",     "missing-assets"}) {
    string name = option, in_man = std::regex_replace(name, std::regex("-"), "\\-");
    EXPECT_NE(man.out.find("\\-\\-" + in_man), string::npos) << name;
    EXPECT_NE(bash.out.find("--" + name), string::npos) << name;
    EXPECT_NE(zsh.out.find("--" + name), string::npos) << name;
    EXPECT_NE(fish.out.find("-l " + name), string::npos) << name;
  }
  EXPECT_NE(man.out.find("step\\-forward"), string::npos);
  Put("c.bash", bash.out + "\nCOMP_WORDS=(playhead record --en) COMP_CWORD=2\n_playhead\n"
                           "[ \"${COMPREPLY[*]}\" = --envs ]\n");
  EXPECT_EQ(system(("bash " + Path("c.bash")).c_str()), 0);
  Put("d.bash", bash.out + "\nCOMP_WORDS=(playhead export --as n) COMP_CWORD=3\n_playhead\n"
                           "[ \"${COMPREPLY[*]}\" = npz ] || exit 1\n"
                           "COMP_WORDS=(playhead export --out cart.l) COMP_CWORD=3\n_playhead\n"
                           "[ \"${COMPREPLY[*]}\" = cart.lua ] || exit 1\n");
  EXPECT_EQ(system(("cd " + top.string() + " && bash d.bash").c_str()), 0);
}

TEST_F(Cli, OneLetterIsTheWholeOptionWhereTheVerbHasIt) {
  EXPECT_EQ(Run({"record", "cart.lua", "-o", Path("run"), "--episodes", "1"}).status, 0);
  ExpectError({"info", "-o", "x", Path("run")}, 2, "--out: not an option of this verb");
  ExpectError({"export", Path("run"), "-o"}, 2, "--out FILE: the value is missing");
  ExpectError({"record", "cart.lua", "-o"}, 2, "--out DIR: the value is missing");
  ExpectError({"info", "--missing-assets", "keep", Path("run")}, 2, "which knows refuse drop");
}

/* A model whose mesh is not there: refused with its name, or shown without it. */
TEST_F(Cli, MissingAssetsAreRefusedOrDropped) {
  Record("run");
  string xml = kModel;
  xml.insert(xml.find("<worldbody>"), "<asset><mesh name=\"m\" file=\"lost.stl\"/></asset>");
  xml.insert(xml.find("<geom size"), "<geom type=\"mesh\" mesh=\"m\"/>");
  Put("lost.xml", xml);
  ExpectError({"verify", "--model", "lost.xml", Path("run")}, 3, "lost.stl");
  ExpectError({"verify", "--model", "lost.xml", "--missing-assets", "refuse", Path("run")}, 3,
              "lost.stl");
  Outcome drop = Run({"export", "--model", "lost.xml", "--missing-assets", "drop", "--columns",
                      "cart", "--range", ":1", Path("run")});
  EXPECT_EQ(drop.status, 0) << drop.err;
  EXPECT_EQ(drop.out.rfind("step,cart\n0,", 0), 0u) << drop.out;
}

TEST_F(Cli, AFullDiskUnderStdoutIsAnError) {
  if (access("/dev/full", W_OK) != 0)
    GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(WEXITSTATUS(system((program + " --help > /dev/full 2> " + Path("err")).c_str())), 3);
  EXPECT_EQ(Slurp(top / "err").rfind("playhead: output: ", 0), 0u) << Slurp(top / "err");
}

} // namespace
