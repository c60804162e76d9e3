// `diff`, `verify` and `record --verify` on what is no episode, on damage, on a run that is being
// written, on a disk that is full, and interrupted: a line that says why, and nothing is lost.
#include <random>
#include <regex>
#include <sys/stat.h>

#include "cli_help.h"
#include "foreign_layouts.h"

using namespace cli_help;

namespace {

class CliHostile : public Cli {
protected:
  static bool Has(const string &text, const string &part) {
    return text.find(part) != string::npos;
  }
  /* A line of a shell; $P is the program. */
  Outcome Shell(const string &line) {
    string real = program;
    program = "/bin/sh";
    Outcome o = Run({"-c", std::regex_replace(line, std::regex("\\$P"), real)});
    program = real;
    return o;
  }
  /* The i-th episode file of a folder, by name. */
  fs::path Episode(const string &run, size_t i) {
    std::vector<fs::path> all;
    for (auto &file : fs::directory_iterator(top / run))
      if (file.path().filename().string().rfind("env", 0) == 0)
        all.push_back(file.path());
    std::sort(all.begin(), all.end());
    EXPECT_LT(i, all.size());
    return all.at(i);
  }
  /* Starts to record into "run", and returns when some episodes are there. */
  pid_t Recorder(size_t episodes = 3) {
    pid_t pid = Start({"record", "cart.lua", "--envs", "2", "--episodes", "100000000", "--verify",
                       "--out", Path("run")});
    for (int i = 0; i < 20000 && Slurp(top / "run" / "index").size() < 256 * episodes; i++)
      usleep(1000);
    return pid;
  }
};

TEST_F(CliHostile, WhatIsNoEpisodeIsSaidInOneLine) {
  ASSERT_EQ(Record("run").status, 0);
  fs::create_directory(top / "empty");
  fs::create_symlink("nowhere", top / "dangling");
  fs::create_symlink("circle", top / "circle");
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  Put("zero.h5", "");
  Put("text.h5", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n");
  Put("noise.h5", string(4096, '\x89'));
  Put("cut.h5", Slurp(Episode("run", 0)).substr(0, 5000));
  Put("head.h5", Slurp(Episode("run", 0)).substr(0, 96));
  const std::pair<const char *, const char *> cases[] = {
      {"nowhere", "nowhere: cannot be opened: No such file or directory"},
      {"empty", "empty: it holds neither run.h5 nor episodes"},
      {"dangling", "dangling: cannot be opened: No such file or directory"},
      {"circle", "circle: cannot be opened: Too many levels of symbolic links"},
      {"pipe", "pipe: cannot be opened: a pipe is not a regular file"},
      {"/dev/null", "/dev/null: cannot be opened: a device is not a regular file"},
      {"zero.h5", "zero.h5: the file is empty"},
      {"text.h5", "text.h5: a Git LFS pointer stands here instead of the file"},
      {"noise.h5", "noise.h5: it is not an HDF5 file"},
      {"cut.h5", "cut.h5: it was not written to the end: 5000 of "},
      {"head.h5", "head.h5: it was not written to the end: 96 of "},
      {"run/index", "run/index: it is not an HDF5 file"},
      {"cart.lua", "cart.lua: "},
      {"", ": cannot be opened: No such file or directory"},
      {":", ": cannot be opened: No such file or directory"},
      {"run:nobody", "run: nobody: no such episode"},
      {"run:-1", "run: -1: no such episode"},
      {"run:99999999999999999999", "run: 99999999999999999999: no such episode"},
      {"run:0:0", "run:0:0: cannot be opened: No such file or directory"},
  };
  for (auto [what, said] : cases) {
    SCOPED_TRACE(what);
    ExpectError({"diff", "run:0", what}, 3, said);
    if (!strstr(what, "run:"))
      ExpectError({"verify", what}, 3, said);
  }
}

TEST_F(CliHostile, OneEpisodeByAllItsNamesIsTheSame) {
  ASSERT_EQ(Record("run").status, 0);
  fs::create_directory_symlink("run", top / "link");
  fs::copy(top / "run", top / "run:0"); /* a name with a colon is a name */
  for (string other : {"run", "./run", "link", "run/run.h5", "run:0"}) {
    Outcome o = Run({"diff", "run", other});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_TRUE(Has(o.out, "\n3 of 3 pairs are the same\n")) << o.out;
  }
  Outcome o = Run({"diff", "run:env000_ep000001", Episode("run", 1).string()});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  /* Away from its run it has no model of its own: the other's has the hash that it names. */
  fs::copy(Episode("run", 1), top / "alone.h5");
  o = Run({"diff", "run:env000_ep000001", "alone.h5"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_TRUE(Has(o.out, "not there: the second has no model beside it: that of the other has its "
                         "hash, and is taken"))
      << o.out;
  EXPECT_TRUE(Has(o.out, "\n1 of 1 pair is the same\n")) << o.out;
}

TEST_F(CliHostile, RunsOfOtherEnvsModelsAndPrograms) {
  ASSERT_EQ(Record("run").status, 0);
  ASSERT_EQ(Record("three", {"--envs", "3", "--episodes", "6"}).status, 0);
  Outcome o = Run({"diff", "run", "three"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_TRUE(Has(o.out, "\nenv002_ep000000: only in three\n")) << o.out;
  EXPECT_TRUE(Has(o.out, "3 of 3 pairs are the same; 3 episodes are in one of the two only"))
      << "an env's episodes do not depend on how many envs there are: " << o.out;
  foreign::write_robosuite(Path("demo.hdf5"));
  o = Run({"diff", "run", "demo.hdf5"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_TRUE(Has(o.out, "0 of 0 pairs are the same; 5 episodes are in one of the two only"))
      << o.out;
  o = Run({"diff", "run:0", "demo.hdf5:demo_1"});
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_TRUE(Has(o.out, "states: not compared: a state of one is none of the other: ")) << o.out;
  EXPECT_EQ(Run({"diff", "demo.hdf5", "demo.hdf5"}).status, 0);
  for (string bad : {"--bogus", "--jobs", "--expect", "--verify", "--at"})
    ExpectError({"diff", "run", "run", bad, "2"}, 2, "diff: " + bad + ": ");
  ExpectError({"record", "cart.lua", "--verify=yes"}, 2, "record: --verify");
  ExpectError({"record", "--verify"}, 2, "record: TASK.lua: is missing");
  ExpectError({"verify", "run", "--verify"}, 2, "not an option of this verb, but of record");
  ExpectError({"preview", "cart.lua", "--verify"}, 2, "not an option of this verb, but of record");
}

TEST_F(CliHostile, AnyByteMayBeAnother) {
  const char *wanted = getenv("PLAYHEAD_TEST_FLIPS");
  int flips = wanted ? atoi(wanted) : 4, told = 0;
  Put("cart.lua", Task("function(s, rng) return {0.5 + rng()} end", 6));
  ASSERT_EQ(Record("run").status, 0);
  std::mt19937 random(6);
  for (int i = 0; i < flips; i++) {
    fs::remove_all(top / "bad");
    fs::copy(top / "run", top / "bad");
    const char *kind[] = {"run.h5", "index", "", ""};
    fs::path file = *kind[i % 4] ? top / "bad" / kind[i % 4] : Episode("bad", random() % 3);
    string bytes = Slurp(file);
    size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    std::ofstream(file, std::ios::binary) << bytes;
    SCOPED_TRACE(file.filename().string() + " at " + std::to_string(at));
    for (auto args : {std::vector<string>{"diff", "run", "bad"},
                      {"diff", "bad", "run", "--json"},
                      {"verify", "bad", "--jobs", "2"}}) {
      Outcome o = Run(args);
      EXPECT_TRUE(o.status == 0 || o.status == 1 || o.status == 3) << o.status << o.err;
      EXPECT_EQ(o.status == 3, Has(o.err, "playhead: ")) << o.err;
      told += o.status != 0;
    }
  }
  EXPECT_GT(told, flips / 2);
}

TEST_F(CliHostile, JobsDoNotChangeAByte) {
  ASSERT_EQ(Record("run", {"--episodes", "7"}).status, 0);
  Put("heavy.xml", std::regex_replace(string(kModel), std::regex("mass=\"1\""), "mass=\"2\""));
  foreign::write_robosuite(Path("demo.hdf5"));
  fs::copy(Episode("run", 2), top / "alone.h5");
  string bytes = Slurp(Episode("run", 1));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  std::ofstream(Episode("run", 1), std::ios::binary) << bytes;
  for (string more : {"", " --json", " --model heavy.xml --tol 1e-7", " --mode kinematic"}) {
    string line = "$P verify run alone.h5 demo.hdf5 run" + more + " --jobs ";
    Outcome one = Shell(line + "1");
    EXPECT_EQ(one.status, 1) << one.out << one.err;
    for (const char *jobs : {"2", "8"}) {
      Outcome o = Shell(line + jobs);
      EXPECT_EQ(o.out, one.out) << more << jobs;
      EXPECT_EQ(o.err, one.err) << more << jobs;
      EXPECT_EQ(o.status, one.status) << more << jobs;
    }
  }
}

TEST_F(CliHostile, ADiskThatIsFull) {
  ASSERT_EQ(Record("run").status, 0);
  for (string line : {"diff run run", "diff run run --json", "verify run", "verify run --json"}) {
    Outcome o = Shell("$P " + line + " > /dev/full");
    EXPECT_EQ(o.status, 3) << line;
    EXPECT_EQ(o.err, "playhead: output: No space left on device\n") << line;
  }
  Put("cart.lua", Task("function(s, rng) return {0} end", 2000));
  file_limit = fs::file_size(top / "run" / "run.h5") + 4096;
  Outcome o = Run({"record", "cart.lua", "--envs", "2", "--out", "full", "--verify", "--json"});
  EXPECT_EQ(o.status, 3);
  EXPECT_TRUE(Has(o.err, ".journal: it cannot be created: File too large; its rows are kept"))
      << o.err;
  EXPECT_TRUE(Has(o.err, "full: 2 episodes could not be written and are lost: ")) << o.err;
  json_t *tally = Json(o);
  EXPECT_EQ(json_integer_value(json_object_get(tally, "commits")), 0);
  json_decref(tally);
}

TEST_F(CliHostile, AFolderThatMayNotBeWrittenIsReadAllTheSame) {
  ASSERT_EQ(Record("run").status, 0);
  ASSERT_EQ(Record("other").status, 0);
  string before = Slurp(top / "run" / "index"), as;
  chmod(Path("run").c_str(), 0555);
  chmod(top.c_str(), 0755);
  if (geteuid() == 0) { /* who may write everywhere */
    as = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
    if (Shell(as + "$P --version").status != 0)
      GTEST_SKIP() << "nobody else may run the program";
  }
  Outcome o = Shell(as + "$P diff run other");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  o = Shell(as + "$P verify run");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  o = Shell(as + "$P record cart.lua --verify --out run/new");
  EXPECT_EQ(o.status, 3);
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_TRUE(Has(o.err, "run/new: ") && Has(o.err, "Permission denied")) << o.err;
  EXPECT_EQ(Slurp(top / "run" / "index"), before);
  chmod(Path("run").c_str(), 0755);
}

TEST_F(CliHostile, ARunThatIsBeingWrittenIsComparedAsFarAsItIs) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 40));
  pid_t pid = Recorder();
  string out = Path("out"), real = program;
  fs::create_directory(top / "reader");
  for (string line : {"diff run run", "verify run", "diff run:0 run:1"}) {
    /* The recorder has out and err of its own. */
    string quiet =
        "cd " + top.string() + " && " + real + " " + line + " > reader/out 2> reader/err";
    int status = system(quiet.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), line == "diff run:0 run:1") << Slurp(top / "reader" / "err");
    EXPECT_EQ(Slurp(top / "reader" / "err"), "");
    string said = Slurp(top / "reader" / "out");
    std::smatch n;
    if (std::regex_search(said, n, std::regex("([0-9]+) of ([0-9]+) (pairs|episodes) are"))) {
      EXPECT_EQ(n[1], n[2]) << said;
    }
  }
  kill(pid, SIGINT);
  EXPECT_EQ(Wait(pid).status, 1);
}

TEST_F(CliHostile, InterruptedInTheMiddleOfVerifyingItSavesAndStampsWhatThereIs) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 400));
  for (int number : {SIGINT, SIGTERM}) {
    pid_t pid = Recorder(2);
    kill(pid, number);
    Outcome o = Wait(pid);
    EXPECT_EQ(o.status, 1) << o.err;
    std::smatch n;
    ASSERT_TRUE(
        std::regex_search(o.out, n, std::regex("([0-9]+) episodes started, ([0-9]+) saved")))
        << o.out;
    EXPECT_EQ(n[1], n[2]) << "what had begun is saved, as it is";
    o = Run({"verify", "run"});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_FALSE(Has(Run({"info", "run"}).out, "unchecked"))
        << "also those that were cut short are run again before they are written";
    for (auto &file : fs::directory_iterator(top / "run")) {
      EXPECT_FALSE(Has(file.path().string(), ".tmp")) << file.path();
      EXPECT_FALSE(Has(file.path().string(), ".journal")) << file.path();
    }
    fs::remove_all(top / "run");
  }
}

TEST_F(CliHostile, VerifyAndDiffEndAtOnceWhenTheyAreTold) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 20000));
  ASSERT_EQ(Run({"record", "cart.lua", "--envs", "2", "--episodes", "4", "--out", "run"}).status,
            0);
  string index = Slurp(top / "run" / "index");
  for (auto args : {std::vector<string>{"verify", "run", "--jobs", "2"}, {"diff", "run", "run"}})
    for (int wait : {0, 3000, 40000}) {
      pid_t pid = Start(args);
      usleep(static_cast<useconds_t>(wait));
      kill(pid, SIGINT);
      Outcome o = Wait(pid);
      EXPECT_TRUE(o.status == -SIGINT || o.status == 0 || o.status == 130) << o.status << o.err;
      EXPECT_FALSE(Has(o.err, "rror")) << o.err;
    }
  EXPECT_EQ(Slurp(top / "run" / "index"), index);
}

} // namespace
