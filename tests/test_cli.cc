// Help, errors of usage, manual; a run that every verb reads.
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "cli_help.h"

using namespace cli_help;

namespace {

const char *const kVerbs[] = {"view",   "screen", "info", "export", "record",  "preview",
                              "verify", "replay", "diff", "pack",   "salvage", "task"};

TEST_F(Cli, HelpAndVersionAreEverywhere) {
  Outcome o = Run({"--help"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.err, "");
  for (const char *verb : kVerbs) {
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
  for (const char *verb : kVerbs) {
    string help = Run({verb, "--help"}).out, options = help.substr(help.find("\noptions:\n") + 10);
    options = std::regex_replace(options, std::regex("\n {5,}"), " ");
    std::istringstream lines(options);
    int with_value = 0;
    for (string line; std::getline(lines, line);)
      if (std::regex_search(line, std::regex("^  --[a-z-]+ [A-Z]"))) {
        EXPECT_TRUE(std::regex_search(line, std::regex("\\(default: .+\\)$"))) << verb << line;
        with_value++;
      }
    EXPECT_GE(with_value, 1) << options;
    for (char c : {'\t', '\r'})
      EXPECT_EQ(help.find(c), string::npos);
    for (size_t at = 0; at < help.size(); at = help.find('\n', at) + 1)
      EXPECT_LE(help.find('\n', at) - at, 100u) << help.substr(at, 120);
  }
  EXPECT_NE(Run({"record", "--help"}).out.find("(default: one for each env)"), string::npos);
  EXPECT_NE(Run({"view", "--help"}).out.find("dark, light or mono"), string::npos);
  EXPECT_NE(Run({"record", "--help"})
                .out.find("\n  --policy-timeout SECONDS\n" + string(25, ' ') + "how long"),
            string::npos);
  EXPECT_NE(Run({"--man"}).out.find("(default: 120x40)"), string::npos);
  string help = Run({"verify", "--help"}).out;
  for (const char *heading :
       {"latch ", "computed ", "reward ", "time err ", "quat err ", "class ", "unequal ",
        "over tol ", "joint err ", "body err ", "vel err ", "one step "})
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
  ExpectError({"verify", "--mode", "live", "x"}, 2,
              "--mode live: not in this version, which knows dynamic kinematic");
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

/* Twice, to look and to read; the hash of all opens none again. A child that tries it is not
 * counted. */
TEST_F(Cli, InfoOpensEachEpisodeOnce) {
  if (system("strace -qq -o /dev/null true 2>/dev/null") != 0)
    GTEST_SKIP() << "there is no strace that can count";
  Outcome o = Record("run", {"--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  for (const char *more : {"", "--json"}) {
    string command =
        "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -qq -e trace=open,openat -o " +
        Path("calls") + " " + program + " info " + more + " " + Path("run") + " > /dev/null";
    ASSERT_EQ(0, system(command.c_str())) << command;
    std::ifstream calls(Path("calls"));
    std::map<string, int> opens;
    std::smatch found;
    for (string line; std::getline(calls, line);)
      if (std::regex_search(line, found, std::regex("/(env[^/]*\\.h5)\"")))
        opens[found[1]]++;
    EXPECT_EQ(3u, opens.size());
    for (auto &file : opens)
      if (file.first != opens.begin()->first) { /* which tells what the run is */
        EXPECT_LE(file.second, 2) << more << " " << file.first;
      }
  }
}

TEST_F(Cli, RecordsARunThatEveryVerbReads) {
  Outcome o = Record("run", {"--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  json_t *tally = Json(o);
  EXPECT_EQ(Keys(tally), "run_id path episodes resets commits discards steps steps_saved errors "
                         "notices unsuccessful missing jobs");
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
              "hold_seconds hold_steps provenance");
    EXPECT_EQ(Text(e, "end_reason"), "success");
    EXPECT_TRUE(json_is_true(json_object_get(e, "success")));
    EXPECT_EQ(json_integer_value(json_object_get(e, "states")),
              json_integer_value(json_object_get(e, "actions")) + 1);
    EXPECT_EQ(json_array_size(json_object_get(e, "missing")), 0u);
    EXPECT_EQ(json_array_size(json_object_get(e, "oddities")), 0u);
    EXPECT_EQ(Text(e, "guarantee"), "EXACT");
    json_t *by = json_array_get(json_object_get(e, "provenance"), 0);
    EXPECT_EQ(Keys(by), "op by engine version arch substrate policy");
    EXPECT_EQ(Text(by, "policy"), "task");
    ids.push_back(Text(e, "id"));
  }
  /* env i records ceil((M-i)/N) */
  EXPECT_EQ(ids, (std::vector<string>{"env000_ep000000", "env000_ep000001", "env001_ep000000"}));
  json_decref(info);

  o = Run({"info", "run"});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char *part :
       {"run, 3 episodes", "data hash", "nq 1 nv 1 nu 1", "hold 0.02 s = 5 steps",
        "actions    chosen by the task's policy\n", "playhead/warmstart", "EXACT"})
    EXPECT_NE(o.out.find(part), string::npos) << part << o.out;

  for (const char *verb : {"verify", "replay"}) {
    o = Run({verb, "run", "--mode", "kinematic", "--json"});
    EXPECT_EQ(o.status, 0) << o.err;
    json_t *verdict = Json(o);
    EXPECT_EQ(Keys(verdict), "mode episodes ok wrong first_wrong");
    json_t *e = json_array_get(json_object_get(verdict, "episodes"), 1);
    EXPECT_EQ(Keys(e), "id steps class first_unequal first_over_tolerance max_joint_error "
                       "max_body_error max_velocity_error worst one_step reward end diagnosis "
                       "guarantee ok findings time_error "
                       "quat_error latch checked mode");
    EXPECT_TRUE(json_is_true(json_object_get(verdict, "ok")));
    EXPECT_TRUE(json_is_true(json_object_get(e, "ok")));
    EXPECT_TRUE(json_is_null(json_object_get(verdict, "first_wrong")));
    EXPECT_EQ(json_array_size(json_object_get(e, "findings")), 0u);
    EXPECT_LT(json_real_value(json_object_get(e, "time_error")), 1e-9);
    EXPECT_TRUE(json_is_number(json_object_get(e, "quat_error")));
    json_t *latch = json_object_get(e, "latch"), *checked = json_object_get(e, "checked");
    json_t *steps = json_object_get(e, "steps");
    EXPECT_EQ(Keys(latch), "recorded recomputed dynamic");
    EXPECT_EQ(json_integer_value(json_object_get(latch, "recorded")),
              json_integer_value(steps) - 1);
    EXPECT_TRUE(
        json_equal(json_object_get(latch, "recorded"), json_object_get(latch, "recomputed")));
    EXPECT_EQ(Keys(checked), "columns blocks predicate ctrl");
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

TEST_F(Cli, ManualAndCompletionsHoldTheWholeTable) {
  Outcome man = Run({"--man"}), bash = Run({"--completion", "bash"}),
          zsh = Run({"--completion", "zsh"}), fish = Run({"--completion", "fish"});
  std::set<string> options;
  for (const char *verb : kVerbs) {
    string help = Run({verb, "--help"}).out;
    std::regex line("\n  --([a-z-]+)");
    for (std::sregex_iterator i(help.begin(), help.end(), line), end; i != end; ++i)
      options.insert((*i)[1]);
  }
  EXPECT_GE(options.size(), 30u);
  for (const string &name : options) {
    string in_man = std::regex_replace(name, std::regex("-"), "\\-");
    EXPECT_NE(man.out.find("\\-\\-" + in_man), string::npos) << name;
    EXPECT_NE(bash.out.find("--" + name), string::npos) << name;
    EXPECT_NE(zsh.out.find("--" + name), string::npos) << name;
    EXPECT_NE(fish.out.find("-l " + name), string::npos) << name;
  }
  EXPECT_NE(man.out.find("step\\-forward"), string::npos);
  EXPECT_NE(zsh.out.find("'1:what:(check)'"), string::npos);
  EXPECT_NE(fish.out.find("__fish_seen_subcommand_from task' -a check\n"), string::npos);
  Put("c.bash", bash.out + "\nCOMP_WORDS=(playhead record --en) COMP_CWORD=2\n_playhead\n"
                           "[ \"${COMPREPLY[*]}\" = --envs ]\n");
  EXPECT_EQ(system(("bash " + Path("c.bash")).c_str()), 0);
  Put("d.bash", bash.out + "\nCOMP_WORDS=(playhead export --as n) COMP_CWORD=3\n_playhead\n"
                           "[ \"${COMPREPLY[*]}\" = npz ] || exit 1\n"
                           "COMP_WORDS=(playhead export --out cart.l) COMP_CWORD=3\n_playhead\n"
                           "[ \"${COMPREPLY[*]}\" = cart.lua ] || exit 1\n"
                           "COMP_WORDS=(playhead task ch) COMP_CWORD=2\n_playhead\n"
                           "[ \"${COMPREPLY[*]}\" = check ] || exit 1\n"
                           "COMP_WORDS=(playhead task check cart.l) COMP_CWORD=3\n_playhead\n"
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

TEST_F(Cli, AFullDiskUnderStdoutIsAnError) {
  if (access("/dev/full", W_OK) != 0)
    GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(WEXITSTATUS(system((program + " --help > /dev/full 2> " + Path("err")).c_str())), 3);
  EXPECT_EQ(Slurp(top / "err").rfind("playhead: output: ", 0), 0u) << Slurp(top / "err");
}

} // namespace
