// Signals and progress of the real program while it records.
#include <pty.h>
#include <regex>

#include "cli_help.h"

using namespace cli_help;

namespace {

int64_t Number(json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

class Signals : public Cli {
protected:
  /* A recording that no signal finds between two episodes; one control step takes a while where
   * `slow`. */
  pid_t Begin(bool slow, int ignored = 0) {
    string many;
    for (int i = 0; i < 20; i++)
      many += "<body><freejoint/><geom size='.1' contype='0' conaffinity='0'/></body>";
    Put("long.xml", "<mujoco><worldbody>" + (slow ? many : many.substr(0, many.size() / 20)) +
                        "</worldbody></mujoco>");
    Put("long.lua", "return { name = 'long', model = 'long.xml', control_steps = " +
                        string(slow ? "100000" : "2") +
                        ",\n  max_steps = 100000000, policy = function() return {} end }\n");
    pid_t pid = Start(
        {"record", "long.lua", "--envs", "2", "--jobs", "2", "--out", "run", "--json"}, ignored);
    for (int i = 0; i < 10000 && !(Rows("env000") && Rows("env001")); i++)
      usleep(1000);
    return pid;
  }
  bool Rows(const string &env) { return fs::exists(top / "run" / (env + ".journal")); }
  size_t Journals() {
    size_t n = 0;
    for (auto &file : fs::directory_iterator(top / "run"))
      n += file.path().extension() == ".journal";
    return n;
  }
};

TEST_F(Signals, TheFirstSavesWhatIsUnfinished) {
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    pid_t pid = Begin(false);
    usleep(50000);
    kill(pid, number);
    Outcome o = Wait(pid);
    EXPECT_EQ(o.status, 1) << number << o.err;
    EXPECT_EQ(o.err, "");
    json_t *tally = Json(o), *e;
    EXPECT_EQ(Number(tally, "resets"), Number(tally, "commits") + Number(tally, "discards"));
    size_t i;
    json_array_foreach(json_object_get(tally, "episodes"), i, e)
        EXPECT_EQ(Text(e, "end_reason"), "aborted");
    EXPECT_GE(json_array_size(json_object_get(tally, "episodes")), 1u);
    json_decref(tally);
    EXPECT_EQ(Journals(), 0u);
    EXPECT_EQ(Run({"verify", "run"}).status, 0);
    fs::remove_all(top / "run");
  }
}

TEST_F(Signals, TheSecondEndsItAtOnceAndTheJournalsStay) {
  for (int number : {SIGINT, SIGTERM}) {
    pid_t pid = Begin(true);
    kill(pid, SIGINT);
    usleep(200000); /* a step is long: it is not through */
    kill(pid, number);
    Outcome o = Wait(pid);
    EXPECT_EQ(o.status, -number) << o.err;
    EXPECT_NE(o.err.find("playhead salvage run\n"), string::npos) << o.err;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(Journals(), 2u);
    fs::remove_all(top / "run");
  }
}

TEST_F(Signals, OneSignalThatIsSentTwiceIsOne) {
  pid_t pid = Begin(true);
  kill(pid, SIGTERM); /* as timeout(1) does: to the program, then to its group */
  kill(pid, SIGTERM);
  usleep(1000);
  kill(pid, SIGTERM);
  Outcome o = Wait(pid);
  EXPECT_EQ(o.status, 1) << o.err;
}

TEST_F(Signals, WhatIsIgnoredStaysIgnored) {
  pid_t pid = Begin(false, SIGHUP);
  kill(pid, SIGHUP);
  usleep(100000);
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0) << "it goes on";
  kill(pid, SIGINT);
  EXPECT_EQ(Wait(pid).status, 1);
}

TEST_F(Signals, AClosedPipeForLinesEndsItInOrder) {
  Put("cart.lua", Task("function(s, rng) return {0/0} end"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    signal(SIGPIPE, SIG_DFL);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    int out = open((top / "out").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(out, 1);
    if (chdir(top.c_str()) == 0)
      execl(program.c_str(), program.c_str(), "record", "cart.lua", "--episodes", "100000000",
            "--out", "run", nullptr);
    _exit(127);
  }
  close(ends[1]);
  char byte;
  ASSERT_EQ(read(ends[0], &byte, 1), 1) << "it tells of the first discarded episode";
  close(ends[0]);
  Outcome o = Wait(pid);
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find(" discarded; 0 steps"), string::npos) << o.out;
}

/* What the program says on a terminal of that width, until it ends. */
TEST_F(Signals, ProgressIsShownOnATerminalOnly) {
  Put("cart.lua", Task("function(s, rng) return {0} end", 200));
  EXPECT_EQ(Record("quiet").err, "");
  winsize size = {24, 80, 0, 0};
  int master, slave;
  ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &size), 0);
  pid_t pid = fork();
  if (pid == 0) {
    dup2(slave, 2);
    close(master);
    close(slave);
    int out = open((top / "out").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(out, 1);
    if (chdir(top.c_str()) == 0)
      execl(program.c_str(), program.c_str(), "record", "cart.lua", "--envs", "3", "--episodes",
            "100000000", "--out", "run", nullptr);
    _exit(127);
  }
  close(slave);
  string text;
  char buffer[4096];
  ssize_t n;
  while ((n = read(master, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(n));
    size_t lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\r'));
    if (lines == 4)
      kill(pid, SIGINT);
  }
  close(master);
  EXPECT_EQ(Wait(pid).status, 1);
  EXPECT_NE(text.find("record: "), string::npos) << text;
  EXPECT_NE(text.find(" of 100000000 episodes, "), string::npos) << text;
  EXPECT_NE(text.find(" steps/s"), string::npos) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("/s, [0-9]+/[0-9]+/[0-9]+ per env"))) << text;
  for (size_t at = 0; (at = text.find("record: ", at)) != string::npos; at++)
    EXPECT_LT(text.find('\r', at) - at, 80u) << "it fits on a line";
  EXPECT_EQ(text.substr(text.size() - 4), "\r\033[K") << "and is wiped away";
}

} // namespace
