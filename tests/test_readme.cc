// The README says only what is true: its tables are the generated ones, its Python and Lua run.
// PH_README_UPDATE=1 writes the generated blocks into it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <playhead/playhead.h>
#include <string>

extern "C" {
#include "command.h"
}

static const std::string root = TEST_SOURCE_ROOT;

static std::string read_file(const std::string &path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The text between <!-- name --> and <!-- /name -->; replaced first when an update is asked for.
static std::string block(const std::string &name, const std::string &generated) {
  std::string path = root + "/README.md", text = read_file(path);
  std::string open = "<!-- " + name + " -->\n", close = "<!-- /" + name + " -->";
  size_t from = text.find(open), to = text.find(close);
  if (from == std::string::npos || to == std::string::npos)
    return "README.md has no block " + name;
  from += open.size();
  if (std::getenv("PH_README_UPDATE")) {
    text.replace(from, to - from, generated);
    std::ofstream(path) << text;
    return generated;
  }
  return text.substr(from, to - from);
}

static std::string take(char *text) {
  std::string copy = text ? text : "";
  std::free(text);
  return copy;
}

static std::string fenced(const std::string &language) {
  std::string text = read_file(root + "/README.md"), open = "```" + language + "\n";
  size_t from = text.find(open);
  if (from == std::string::npos)
    return "";
  from += open.size();
  return text.substr(from, text.find("```", from) - from);
}

TEST(Readme, KeyTableIsTheCommandTable) {
  std::string generated = take(command_table_markdown());
  ASSERT_GT(generated.size(), 1000u);
  EXPECT_EQ(block("keys", generated), generated) << "PH_README_UPDATE=1 meson test readme";
}

TEST(Readme, FormatIsTheSchemaTable) {
  std::string generated = take(ph_schema_markdown());
  ASSERT_GT(generated.size(), 1000u);
  EXPECT_EQ(block("schema", generated), generated) << "PH_README_UPDATE=1 meson test readme";
}

// What the program prints for a command, and its exit status through *status.
static std::string output_of(const std::string &command, int *status) {
  std::string text;
  char piece[4096];
  FILE *pipe = popen(command.c_str(), "r");
  for (size_t n; pipe && (n = fread(piece, 1, sizeof piece, pipe)) > 0;)
    text.append(piece, n);
  *status = pipe ? pclose(pipe) : -1;
  return text;
}

// 0 and 1 alone are what it found; the head of a pipe ends it early.
TEST(Readme, TheLatchCommandsRun) {
  const char *program = std::getenv("PLAYHEAD_PROGRAM");
  ASSERT_NE(program, nullptr);
  std::string text = read_file(root + "/README.md"), begin = "\n$playhead latch ";
  int n = 0;
  for (size_t at = 0; (at = text.find(begin, at)) != std::string::npos; at += begin.size(), n++) {
    size_t from = at + begin.size() - 6; /* the verb */
    std::string line = text.substr(from, text.find('\n', from) - from);
    int status = -1;
    std::string command = "cd " + root + " && " + program + " " + line.substr(0, line.find('#'));
    std::string said = output_of(command + " 2>&1", &status);
    EXPECT_TRUE(status == 0 || status == 256) << command << "\n" << said;
    EXPECT_GT(said.size(), 100u) << command;
    EXPECT_EQ(said.find("playhead: "), std::string::npos) << said;
  }
  EXPECT_GE(n, 6);
}

// Digits may differ where the mathematics library does, and the promise with the engine.
TEST(Readme, TheScreenIsTheProgramsOwn) {
  const char *program = std::getenv("PLAYHEAD_PROGRAM");
  ASSERT_NE(program, nullptr);
  std::string run = root + "/data/runs/drawer_close";
  const char *paths[] = {run.c_str()};
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  ASSERT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK) << ph_error();
  ASSERT_EQ(ph_store_episode(&episode, store, 0), PH_OK) << ph_error();
  bool here = ph_substrate() == std::string(ph_episode_meta_of(episode)->substrate);
  ph_episode_free(episode);
  ph_store_free(store);
  if (!here)
    GTEST_SKIP() << "the run was recorded on another substrate";
  int status;
  std::string screen = output_of("cd " + root + " && " + program +
                                     " screen --at 100 --size 120x40 data/runs/drawer_close",
                                 &status);
  EXPECT_EQ(status, 0);
  std::string generated = "```\n" + screen + "```\n";
  EXPECT_EQ(block("screen", generated), generated) << "PH_README_UPDATE=1 meson test readme";
}

TEST(Readme, PythonReadsAnEpisode) {
  if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0)
    GTEST_SKIP() << "Debian's python3-h5py is not here";
  std::string code = fenced("python");
  ASSERT_NE(code, "");
  std::string path = testing::TempDir() + "readme_h5py.py";
  std::ofstream(path) << code;
  EXPECT_EQ(std::system(("cd " + root + " && /usr/bin/python3 " + path).c_str()), 0);
  std::remove(path.c_str());
}

TEST(Readme, TheTaskRunsOnTheModelThatItNames) {
  std::string code = fenced("lua"), model_path = root + "/data/drawer.xml";
  ASSERT_NE(code, "");
  ph_task *task = nullptr;
  ph_model *model = nullptr;
  ph_env *env = nullptr;
  ph_row row;
  ASSERT_EQ(ph_task_parse(&task, code.data(), code.size(), "README.md"), PH_OK) << ph_error();
  EXPECT_EQ(ph_task_info_of(task)->nconditions, 2u);
  ASSERT_EQ(ph_model_open(&model, model_path.c_str(), nullptr), PH_OK) << ph_error();
  ASSERT_EQ(ph_env_create(&env, task, model, nullptr), PH_OK) << ph_error();
  ASSERT_EQ(ph_env_reset(env, 7, &row), PH_OK) << ph_error();
  for (int i = 0; i < 20; i++) {
    double action[16];
    ph_outcome outcome;
    ASSERT_EQ(ph_env_policy(env, action), PH_OK) << ph_error();
    ASSERT_EQ(ph_env_step(env, action, &outcome), PH_OK) << ph_error();
    ASSERT_FALSE(outcome.done) << outcome.detail;
  }
  ph_env_free(env);
  ph_model_unref(model);
  ph_task_unref(task);
}

// The lines of a block from `from` on, as a script. `view` needs a terminal.
static std::string script_of(const std::string &text, size_t from, int *lines) {
  std::string block = text.substr(from, text.find("```", from) - from), script = "set -e\n";
  for (size_t at = 0; at < block.size(); at = block.find('\n', at) + 1) {
    std::string line = block.substr(at, block.find('\n', at) - at);
    if (line.find("$playhead view") == 0)
      continue;
    if (line.find("playhead=") == 0)
      line = "";
    if (line.find("timeout -s KILL") == 0)
      line += " || test $? = 137";
    script += line + "\n";
    ++*lines;
  }
  return script;
}

static int run_script(const std::string &script, const char *name) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path) << "playhead=" << std::getenv("PLAYHEAD_PROGRAM") << "\n" << script;
  int status = std::system(("cd " + root + " && sh " + path + " >/dev/null").c_str());
  std::remove(path.c_str());
  return status;
}

TEST(Readme, TheTourRuns) {
  ASSERT_NE(std::getenv("PLAYHEAD_PROGRAM"), nullptr);
  std::string text = read_file(root + "/README.md");
  size_t from = text.find("playhead=build/playhead\n");
  ASSERT_NE(from, std::string::npos);
  int lines = 0;
  std::string script = script_of(text, from, &lines);
  EXPECT_GE(lines, 7);
  EXPECT_EQ(run_script("rm -rf /tmp/playhead-tour\n" + script, "readme_tour.sh"), 0);
}

/* A cut that leaves episodes out says so by its status; each other line is fine. */
TEST(Readme, WhatItSaysOfCuttingRuns) {
  ASSERT_NE(std::getenv("PLAYHEAD_PROGRAM"), nullptr);
  std::string text = read_file(root + "/README.md"), mark = "<!-- cut -->\n```sh\n";
  size_t from = text.find(mark);
  ASSERT_NE(from, std::string::npos);
  int lines = 0;
  std::string script = script_of(text, from + mark.size(), &lines);
  EXPECT_GE(lines, 8);
  size_t left_out = script.find("  # exit status 1: some never latch");
  ASSERT_NE(left_out, std::string::npos);
  script.insert(left_out, " || test $? = 1");
  const std::string clear = "rm -f /tmp/playhead-cut.h5 /tmp/playhead-less.h5 "
                            "/tmp/playhead-range.h5 /tmp/playhead-idle.h5\n";
  EXPECT_EQ(run_script(clear + script, "readme_cut.sh"), 0);
}

// A recorder is killed once both its envs have rows, however long that takes here.
static void kill_when_under_way(std::string &script) {
  const std::string timed = "timeout -s KILL 3 ", run = "/tmp/playhead-killed";
  size_t from = script.find(timed), end = script.find('\n', from);
  ASSERT_NE(from, std::string::npos);
  std::string command =
      script.substr(from + timed.size(), script.find(" || test", from) - from - timed.size());
  script.replace(from, end - from,
                 command + " &\nrecorder=$!\nfor wait in $(seq 1200); do\n  test \"$(ls " + run +
                     "/*.h5 2>/dev/null | wc -l)\" -ge 2 && break\n  sleep 0.1\ndone\n"
                     "kill -9 $recorder\nwait $recorder || test $? = 137");
}

TEST(Readme, WhatItSaysOfRecordingRuns) {
  ASSERT_NE(std::getenv("PLAYHEAD_PROGRAM"), nullptr);
  std::string text = read_file(root + "/README.md"), mark = "<!-- recording -->\n```sh\n";
  size_t from = text.find(mark);
  ASSERT_NE(from, std::string::npos);
  int lines = 0;
  std::string script = script_of(text, from + mark.size(), &lines);
  EXPECT_GE(lines, 7);
  ASSERT_NO_FATAL_FAILURE(kill_when_under_way(script));
  const std::string clear = "rm -rf /tmp/playhead-run /tmp/playhead-killed /tmp/playhead-all.h5\n";
  EXPECT_EQ(run_script(clear + script + clear, "readme_recording.sh"), 0);
}

/* A cut that leaves episodes out says so by its status; each other line is fine. */
TEST(Readme, TheHoldOfALongerRunIsMovedAndCut) {
  ASSERT_NE(std::getenv("PLAYHEAD_PROGRAM"), nullptr);
  std::string text = read_file(root + "/README.md"), mark = "<!-- hold -->\n```sh\n";
  size_t from = text.find(mark);
  ASSERT_NE(from, std::string::npos);
  int lines = 0;
  std::string script = script_of(text, from + mark.size(), &lines), left_out = "two are left out\n";
  EXPECT_GE(lines, 6);
  size_t cut = script.find("  # exit status 1: " + left_out);
  ASSERT_NE(cut, std::string::npos);
  script.insert(cut, " || test $? = 1");
  EXPECT_EQ(run_script("rm -f /tmp/playhead-hold.h5\n" + script, "readme_hold.sh"), 0);
}

/* Pasted beside its model it is checked without a finding, and recorded with success. */
TEST(Readme, TheTaskItShowsRuns) {
  ASSERT_NE(std::getenv("PLAYHEAD_PROGRAM"), nullptr);
  std::string text = read_file(root + "/README.md"), mark = "<!-- task -->\n```lua\n";
  size_t from = text.find(mark);
  ASSERT_NE(from, std::string::npos);
  from += mark.size();
  std::string folder = testing::TempDir() + "readme_taskXXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/push.lua") << text.substr(from, text.find("```", from) - from);
  std::string script =
      "set -e\ncp data/drawer.xml data/*.obj " + folder + "\ncd " + folder +
      "\nplayhead=$(realpath $playhead)\n"
      "$playhead task check push.lua\n"
      "$playhead record push.lua --envs 2 --episodes 4 --out run | tee said\n"
      "test $($playhead info run --json | grep -o '\"success\": *true' | wc -l) = 4\n";
  EXPECT_EQ(run_script(script, "readme_task.sh"), 0);
  EXPECT_EQ(std::system(("rm -rf " + folder).c_str()), 0);
}

TEST(Readme, ThePolicyAndTheJudgeInPythonRun) {
  ASSERT_NE(std::getenv("PLAYHEAD_PROGRAM"), nullptr);
  if (std::system("python3 -c 'import json' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3 is not here";
  std::string text = read_file(root + "/README.md"), mark = "<!-- outside -->\n```sh\n";
  size_t from = text.find(mark);
  ASSERT_NE(from, std::string::npos);
  int lines = 0;
  std::string script = script_of(text, from + mark.size(), &lines);
  EXPECT_GE(lines, 30);
  const std::string folders = "/tmp/playhead-outside /tmp/playhead-outside.playhead-predicate";
  const std::string clear = "rm -rf " + folders + "\n";
  EXPECT_EQ(run_script(clear + script, "readme_outside.sh"), 0);
  std::system((clear + "rm -f /tmp/playhead-policy.py /tmp/playhead-judge.py").c_str());
}
