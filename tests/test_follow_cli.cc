// The program on a run that grows: info --follow, and view --follow in a pseudo terminal with the
// real `record` beside it.
#include "cli_help.h"

#include <chrono>
#include <poll.h>
#include <pty.h>
#include <sys/file.h>
#include <thread>
#include <utmp.h>

namespace {

using namespace cli_help;

const fs::path kRuns = fs::path(TEST_SOURCE_ROOT) / "data/runs";

class FollowCli : public Cli {
protected:
  void SetUp() override {
    Cli::SetUp();
    for (auto &entry : fs::directory_iterator(kRuns / "drawer_close"))
      if (entry.path().filename().string().rfind("env", 0) == 0)
        files.push_back(entry.path().filename());
    std::sort(files.begin(), files.end());
  }
  void TearDown() override {
    if (lock >= 0)
      close(lock);
    if (child > 0) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    if (master >= 0)
      close(master);
    Cli::TearDown();
  }
  // The test is the recorder: it holds the folder and gives files their names.
  void Begin() {
    fs::create_directory(top / "run");
    lock = open((top / "run").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
    fs::copy_file(kRuns / "drawer_close/run.h5", top / "run/run.h5");
  }
  void Add() {
    fs::copy_file(kRuns / "drawer_close" / files[next], top / "run/.part");
    fs::rename(top / "run/.part", top / "run" / files[next++]);
  }
  void End() {
    close(lock);
    lock = -1;
  }
  // Until the program has printed it; the limit is only for a test that fails.
  bool Says(const string &part) {
    for (int i = 0; i < 3000; i++) {
      if (Slurp(top / "out").find(part) != string::npos)
        return true;
      usleep(20000);
    }
    return false;
  }
  /* A recording that takes a while, with output of its own. */
  pid_t RecordAside(const string &out, int episodes) {
    Put("slow.lua", Task("function(s, rng) for i = 1, 100000 do local x = i * i end "
                         "return {0.5 + rng()} end"));
    pid_t pid = fork();
    if (pid == 0) {
      int null = open("/dev/null", O_RDWR);
      for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
      if (chdir(top.c_str()) == 0)
        execl(program.c_str(), "playhead", "record", "slow.lua", "--envs", "2", "--episodes",
              std::to_string(episodes).c_str(), "--seed", "7", "--out", out.c_str(), nullptr);
      _exit(127);
    }
    for (int i = 0; i < 1500 && !fs::exists(top / out / "run.h5"); i++)
      usleep(20000);
    return pid;
  }
  /* view in a terminal of 120x40. */
  void View(const string &run) {
    struct winsize size = {40, 120, 0, 0};
    int slave = -1;
    ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &size), 0);
    child = fork();
    if (child == 0) {
      close(master);
      login_tty(slave);
      setenv("TERM", "xterm-256color", 1);
      setenv("LC_ALL", "C.UTF-8", 1);
      setenv("XDG_CONFIG_HOME", top.c_str(), 1);
      setenv("XDG_STATE_HOME", top.c_str(), 1);
      if (chdir(top.c_str()) == 0)
        execl(program.c_str(), "playhead", "view", "--follow", run.c_str(), nullptr);
      _exit(127);
    }
    close(slave);
  }
  string Read(int ms) {
    char bytes[65536];
    string out;
    for (struct pollfd fd = {master, POLLIN, 0}; poll(&fd, 1, ms) > 0;) {
      ssize_t n = read(master, bytes, sizeof bytes);
      if (n <= 0)
        break;
      out.append(bytes, (size_t)n);
    }
    return out;
  }
  /* Whether a whole picture, drawn anew until it does, shows the text. */
  bool Shows(const string &part) {
    for (int i = 0; i < 300; i++) {
      EXPECT_EQ(write(master, "\014", 1), 1);
      picture = "";
      string raw = Read(200);
      for (size_t at = 0; at < raw.size(); at++) {
        if (raw[at] != '\033') {
          picture += raw[at];
        } else if (at + 1 < raw.size() && raw[at + 1] == '[') {
          for (at += 2; at < raw.size() && !(raw[at] >= 0x40 && raw[at] <= 0x7e);)
            at++;
        } else {
          at += at + 1 < raw.size() && raw[at + 1] == '(' ? 2 : 1;
        }
      }
      if (picture.find(part) != string::npos)
        return true;
    }
    return false;
  }
  void Press(const string &keys) {
    ASSERT_EQ(write(master, keys.data(), keys.size()), (ssize_t)keys.size());
  }

  std::vector<string> files;
  size_t next = 0;
  int lock = -1, master = -1;
  pid_t child = -1;
  string picture;
};

TEST_F(FollowCli, InfoWaitsForTheFirstAndGoesOnToTheEnd) {
  Begin();
  pid_t info = Start({"info", "--follow", "run"});
  ASSERT_TRUE(Says("no episode yet; waiting")) << Slurp(top / "out");
  EXPECT_EQ(Slurp(top / "out").find("env000_ep000000"), string::npos);
  Add();
  ASSERT_TRUE(Says("\nenv000_ep000000 ")) << Slurp(top / "out");
  End();
  Outcome o = Wait(info);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("the recorder is done: 1 episode, 1 of them"), string::npos) << o.out;
}

TEST_F(FollowCli, InfoPrintsALineForEach) {
  Begin();
  Add();
  pid_t info = Start({"info", "--follow", "run/"});
  ASSERT_TRUE(Says("waiting for more")) << Slurp(top / "out");
  Add();
  ASSERT_TRUE(Says("\nenv000_ep000001       0      88      89 ")) << Slurp(top / "out");
  Add();
  ASSERT_TRUE(Says("\nenv000_ep000002 ")) << Slurp(top / "out");
  Add();
  End(); /* one comes with the end */
  Outcome o = Wait(info);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_NE(o.out.find("\nenv000_ep000003 "), string::npos) << o.out;
  EXPECT_NE(o.out.find("the recorder is done: 4 episodes, 3 of them came meanwhile\n"),
            string::npos)
      << o.out;
}

TEST_F(FollowCli, JsonIsAnObjectOnEachLine) {
  Begin();
  Add();
  pid_t info = Start({"info", "--follow", "--json", "run"});
  ASSERT_TRUE(Says("\"layout\":\"run\""));
  Add();
  ASSERT_TRUE(Says("\n{\"id\":\"env000_ep000001\""));
  End();
  Outcome o = Wait(info);
  EXPECT_EQ(o.status, 0) << o.err;
  std::istringstream lines(o.out);
  std::vector<string> keys;
  for (string line; std::getline(lines, line);) {
    json_t *object = json_loads(line.c_str(), 0, nullptr);
    ASSERT_TRUE(json_is_object(object)) << line;
    keys.push_back(Keys(object));
    if (keys.size() == 1) /* the second line is as these are */
      keys.push_back(Keys(json_array_get(json_object_get(object, "episodes"), 0)));
    json_decref(object);
  }
  ASSERT_EQ(keys.size(), 4u) << o.out;
  EXPECT_EQ(keys[1], keys[2]);
  EXPECT_EQ(keys[3], "recording episodes added");
}

TEST_F(FollowCli, ASignalIsEnough) {
  for (int number : {SIGINT, SIGTERM}) {
    Begin();
    Add();
    pid_t info = Start({"info", "--follow", "run"});
    ASSERT_TRUE(Says("waiting for more"));
    kill(info, number);
    Outcome o = Wait(info);
    EXPECT_EQ(o.status, 0) << number << o.err;
    EXPECT_EQ(o.err, "");
    End();
    fs::remove_all(top / "run");
    fs::remove(top / "out");
    next = 0;
  }
}

TEST_F(FollowCli, WhatDoesNotGrowIsRefusedOrEndsAtOnce) {
  Begin();
  Add();
  End();
  Outcome o = Run({"info", "--follow", "run"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("no recorder has it open: 1 episode, 0 of them"), string::npos) << o.out;
  ExpectError({"info", "--follow", "run/" + files[0]}, 3,
              "run/" + files[0] + ": --follow: it is no folder of a run");
  ExpectError({"info", "--follow", "run", "run/" + files[0]}, 3, "--follow: it is no folder");
  ExpectError({"info", "--follow", "none"}, 3, "none: ");
}

TEST_F(FollowCli, AFolderThatGoesEndsIt) {
  Begin();
  Add();
  pid_t info = Start({"info", "--follow", "run"});
  ASSERT_TRUE(Says("waiting for more"));
  fs::rename(top / "run", top / "away");
  Outcome o = Wait(info);
  EXPECT_EQ(o.status, 3);
  EXPECT_EQ(o.err, "playhead: run: cannot be opened: No such file or directory\n");
}

TEST_F(FollowCli, TheRecorderRecordsTheSameWhenItIsFollowed) {
  pid_t alone = RecordAside("alone", 4), followed;
  int status = -1;
  ASSERT_EQ(waitpid(alone, &status, 0), alone);
  EXPECT_EQ(status, 0);
  followed = RecordAside("followed", 4);
  Outcome o = Run({"info", "--follow", "followed"});
  EXPECT_EQ(o.status, 0) << o.err;
  ASSERT_EQ(waitpid(followed, &status, 0), followed);
  EXPECT_EQ(status, 0);
  EXPECT_NE(o.out.find(": 4 episodes, "), string::npos) << o.out;
  json_t *one = Json(Run({"info", "--json", "alone"})),
         *other = Json(Run({"info", "--json", "followed"}));
  EXPECT_EQ(Text(one, "data_hash"), Text(other, "data_hash"));
  EXPECT_NE(Text(one, "data_hash"), "");
  json_decref(one);
  json_decref(other);
}

TEST_F(FollowCli, ViewShowsWhatComes) {
  Begin();
  View("run");
  ASSERT_TRUE(Shows("no episode yet; waiting")) << picture;
  Add();
  ASSERT_TRUE(Shows("1/1")) << picture;
  EXPECT_NE(picture.find("recording"), string::npos) << picture;
  Press("n");
  ASSERT_TRUE(Shows("step 1/162")) << picture;
  Add();
  ASSERT_TRUE(Shows("1/2")) << picture;
  EXPECT_NE(picture.find("step 1/162"), string::npos) << picture;
  Press("$");
  ASSERT_TRUE(Shows("2/2")) << picture;
  End();
  ASSERT_TRUE(Shows("recorder done")) << picture;
  Press("q");
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0)
    Read(20);
  child = -1;
  EXPECT_EQ(status, 0);
}

TEST_F(FollowCli, ViewWhileTheRealRecorderRuns) {
  pid_t recorder = RecordAside("real", 6);
  View("real");
  ASSERT_TRUE(Shows("1/6")) << picture;
  ASSERT_TRUE(Shows("recorder done")) << picture;
  Press("q");
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0)
    Read(20);
  child = -1;
  EXPECT_EQ(status, 0);
  ASSERT_EQ(waitpid(recorder, &status, 0), recorder);
  EXPECT_EQ(status, 0);
}

} // namespace
