// What `record` takes, refuses, lists and where it writes.
#include <cstring>
#include <regex>

#include "cli_help.h"

using namespace cli_help;

namespace {

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

TEST_F(Cli, ProgressIsForATerminalAndTheHelpSaysSo) {
  string help = Run({"record", "--help"}).out;
  EXPECT_NE(help.find("only where that is a terminal"), string::npos) << help;
  EXPECT_NE(help.find("Rows are not read: playhead verify reads them"), string::npos) << help;
  EXPECT_NE(help.find("--overwrite says how many episodes it took away"), string::npos) << help;
  EXPECT_EQ(Record("run").err, "");
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
  EXPECT_NE(o.err.find(".journal: it cannot be created: File too large; its rows are kept"),
            string::npos)
      << o.err;
  EXPECT_NE(o.err.find("full: 2 episodes could not be written and are lost: "), string::npos)
      << o.err;
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 2) << "a line for the cause " << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(json_array_size(json_object_get(tally, "episodes")), 0u) << o.out;
  EXPECT_EQ(json_integer_value(json_object_get(tally, "commits")), 0);
  json_decref(tally);
  for (auto &file : fs::directory_iterator(top / "full"))
    EXPECT_EQ(file.path().filename(), "run.h5") << "nothing of the episodes stays";
}

TEST_F(Cli, WhatCloseWritesAfterAllIsListed) {
  ASSERT_EQ(Record("run").status, 0);
  Put("cart.lua", Task("function(s, rng) return {0} end", 2000));
  file_limit = fs::file_size(top / "run" / "run.h5") + 4096;
  pid_t pid = Start({"record", "cart.lua", "--episodes", "1000000", "--out", "full", "--json"});
  for (int i = 0; i < 20000 && Slurp(top / "err").find("kept") == string::npos; i++)
    usleep(1000);
  usleep(1000000); /* the first was kept, and the simulation goes on */
  rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(prlimit(pid, RLIMIT_FSIZE, &none, nullptr), 0);
  kill(pid, SIGINT);
  Outcome o = Wait(pid);
  EXPECT_NE(o.err.find("full/env000.journal: it cannot be created: File too large"), string::npos);
  json_t *tally = Json(o), *episodes = json_object_get(tally, "episodes"), *e;
  EXPECT_GE(json_integer_value(json_object_get(tally, "commits")), 1) << o.out;
  EXPECT_EQ(json_array_size(episodes),
            (size_t)json_integer_value(json_object_get(tally, "commits")));
  json_t *errors = json_object_get(tally, "errors"), *notices = json_object_get(tally, "notices");
  ASSERT_EQ(json_array_size(notices), 1u) << o.out;
  EXPECT_NE(nullptr, strstr(json_string_value(json_array_get(notices, 0)),
                            "full: File too large: no longer so: "));
  ASSERT_GE(json_array_size(errors), 1u);
  EXPECT_NE(o.err.find(string(json_string_value(json_array_get(notices, 0))) + "\n"), string::npos)
      << "both are said on stderr: " << o.err;
  size_t i;
  json_array_foreach(errors, i, e) EXPECT_EQ(strstr(json_string_value(e), "no longer so"), nullptr);
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
  ExpectError({"record", "cart.lua", "--out", "cart.xml/run"}, 3,
              "cart.xml/run: cannot be created: Not a directory");
  string name(300, 'x');
  ExpectError({"record", "cart.lua", "--out", name}, 3,
              name + ": cannot be created: File name too long");
}

TEST_F(Cli, ControlCharactersOfAPathAreNotPrinted) {
  Outcome o = Run({"record", "cart.lua", "--out", "a\n\x1b'\\b"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.rfind("a" + string(2, '?') + "'\\b: 1 episode started", 0), 0u) << o.out;
  EXPECT_NE(o.out.find("\nopen it: playhead view $'a\\012\\033\\047\\134b'\n"), string::npos)
      << o.out;
}

TEST_F(Cli, StepsOfARunThatWasKilledAreNotWrittenOver) {
  Put("slow.lua", Task("function(s, rng) return {0} end", 100000000));
  pid_t pid = Start({"record", "slow.lua", "--out", "run"});
  for (int i = 0; i < 10000 && !fs::exists(top / "run" / "env000.journal"); i++)
    usleep(1000);
  Outcome o = Wait(Start({"record", "cart.lua", "--out", "run"}));
  EXPECT_EQ(o.status, 3) << "the first one still records";
  EXPECT_NE(o.err.find("another process records into it"), string::npos) << o.err;
  kill(pid, SIGKILL);
  EXPECT_EQ(Wait(pid).status, -SIGKILL);
  Put("run/.run.h5.1-0.part", "torn");
  string steps = Slurp(top / "run" / "env000.journal");
  for (const char *how : {"--json", "--append"}) {
    o = Record("run", {how});
    EXPECT_EQ(o.status, 3);
    EXPECT_NE(o.err.find("env000.journal"), string::npos) << o.err;
    EXPECT_NE(o.err.find("salvage"), string::npos) << o.err;
  }
  EXPECT_EQ(Slurp(top / "run" / "env000.journal"), steps);
  fs::remove(top / "run" / "env000.journal");
  EXPECT_EQ(Record("run").status, 0) << "what is left without it is no hindrance";
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

} // namespace
