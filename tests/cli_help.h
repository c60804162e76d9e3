// What the tests of the program share: a folder with a model and a task, runs of the program.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
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

namespace cli_help {

namespace fs = std::filesystem;
using std::string;

const char kModel[] = "<mujoco><option timestep=\"0.002\"/><worldbody><body name=\"cart\">"
                      "<joint name=\"cart\" type=\"slide\" axis=\"1 0 0\"/>"
                      "<geom size=\".1\" mass=\"1\"/></body></worldbody>"
                      "<actuator><motor name=\"push\" joint=\"cart\"/></actuator></mujoco>";

/* Even episodes succeed, by a coin; no more than `steps`. */
inline string Task(const string &policy, int steps = 60) {
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

inline string Slurp(const fs::path &path) {
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

} // namespace cli_help
