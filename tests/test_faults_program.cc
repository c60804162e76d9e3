/* The program meets faults of the disk while it records: they come once it is at work, by limits
 * that are set on it, or by what is done to its folder. */
#include <functional>
#include <map>
#include <sys/mount.h>
#include <thread>

#include "cli_help.h"

namespace {

using namespace cli_help;

const int kEpisodes = 50;

class FaultsProgram : public Cli {
protected:
  pid_t pid = 0;

  void SetUp() override {
    Cli::SetUp();
    /* Slow enough that a fault comes while most is still to be done. */
    Put("slow.lua", Task("function(s, rng) local x = 0 for i = 1, 2000 do x = x + math.sin(i) end "
                         "return {0.5 + rng()} end"));
  }
  void TearDown() override {
    if (pid > 0) {
      kill(pid, SIGKILL);
      Wait(pid);
    }
    Cli::TearDown();
  }
  /* Waits as long as it takes while the program runs; false: it has ended. */
  bool Until(const std::function<bool()> &is) {
    while (!is()) {
      siginfo_t info = {};
      if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
          info.si_pid == pid)
        return is();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  void Begin(const string &out) {
    pid = Start({"record", "slow.lua", "--envs", "2", "--episodes", std::to_string(kEpisodes),
                 "--seed", "7", "--out", out, "--json"});
    ASSERT_TRUE(Until([&] { return Committed(out).size() >= 3; })) << Slurp(top / "err");
  }
  Outcome End() {
    Outcome o = Wait(pid);
    pid = 0;
    return o;
  }
  bool Warned(const string &part) {
    return Until([&] { return Slurp(top / "err").find(part) != string::npos; });
  }
  void Limit(int what, rlim_t soft) {
    rlimit now = {};
    ASSERT_EQ(0, prlimit(pid, static_cast<__rlimit_resource>(what), nullptr, &now));
    now.rlim_cur = soft == RLIM_INFINITY ? now.rlim_max : soft;
    ASSERT_EQ(0, prlimit(pid, static_cast<__rlimit_resource>(what), &now, nullptr));
  }
  static std::map<string, string> Committed(const string &dir) {
    std::map<string, string> files;
    std::error_code error;
    for (auto &entry : fs::directory_iterator(dir, error)) {
      string name = entry.path().filename();
      if (name.rfind("env", 0) == 0 && entry.path().extension() == ".h5")
        files[name] = Slurp(entry.path());
    }
    return files;
  }
  static void ExpectUntouched(const std::map<string, string> &before, const string &dir) {
    auto now = Committed(dir);
    for (auto &[name, bytes] : before)
      EXPECT_TRUE(now.count(name) && now[name] == bytes) << name;
  }
  /* Nothing but run.h5, index and episodes. */
  static void ExpectClean(const string &dir) {
    for (auto &entry : fs::directory_iterator(dir)) {
      string name = entry.path().filename();
      EXPECT_TRUE(name == "index" || name == "run.h5" ||
                  (name.rfind("env", 0) == 0 && entry.path().extension() == ".h5"))
          << name;
    }
  }
  /* All episodes are there, and whole. */
  void ExpectAll(const Outcome &o, const string &dir) {
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_EQ(static_cast<size_t>(kEpisodes), Committed(dir).size());
    ExpectClean(dir);
    json_t *json = Json(o);
    EXPECT_EQ(kEpisodes, json_integer_value(json_object_get(json, "resets")));
    EXPECT_EQ(kEpisodes, json_integer_value(json_object_get(json, "commits")) +
                             json_integer_value(json_object_get(json, "discards")));
    json_decref(json);
    EXPECT_EQ(0, Run({"verify", "--mode", "kinematic", dir}).status);
  }
  static size_t Times(const string &text, const string &part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != string::npos; at = text.find(part, at + 1))
      n++;
    return n;
  }
};

TEST_F(FaultsProgram, FilesMayNotBecomeLongerForAWhile) {
  string dir = Path("run");
  Begin(dir);
  Limit(RLIMIT_FSIZE, 2048);
  auto before = Committed(dir);
  ASSERT_TRUE(Warned("its rows are kept")) << Slurp(top / "err");
  Limit(RLIMIT_FSIZE, RLIM_INFINITY);
  Outcome o = End();
  EXPECT_EQ(1u, Times(o.err, "File too large; its rows are kept")) << o.err;
  ExpectUntouched(before, dir);
  ExpectAll(o, dir);
}

TEST_F(FaultsProgram, NoDescriptorIsLeftForAWhile) {
  string dir = Path("run");
  Begin(dir);
  Limit(RLIMIT_NOFILE, 3);
  auto before = Committed(dir);
  ASSERT_TRUE(Warned("its rows are kept")) << Slurp(top / "err");
  Limit(RLIMIT_NOFILE, RLIM_INFINITY);
  Outcome o = End();
  EXPECT_EQ(1u, Times(o.err, "Too many open files; its rows are kept")) << o.err;
  ExpectUntouched(before, dir);
  ExpectAll(o, dir);
}

TEST_F(FaultsProgram, TheFolderIsMovedAway) {
  string dir = Path("run"), away = Path("away");
  Begin(dir);
  fs::rename(dir, away);
  auto before = Committed(away);
  Outcome o = End();
  EXPECT_EQ(3, o.status) << o.err;
  EXPECT_EQ(1u, Times(o.err, "the folder was taken away: ")) << o.err;
  json_t *json = Json(o);
  EXPECT_EQ(static_cast<json_int_t>(before.size()),
            json_integer_value(json_object_get(json, "missing")));
  json_decref(json);
  ExpectUntouched(before, away);
  auto first = Committed(away), second = Committed(dir);
  EXPECT_EQ(static_cast<size_t>(kEpisodes), first.size() + second.size());
  for (auto &file : first)
    EXPECT_EQ(0u, second.count(file.first)) << "twice: " << file.first;
  ExpectClean(dir);
  EXPECT_EQ(0, Run({"verify", "--mode", "kinematic", dir}).status);
  fs::remove_all(away + "/env000.journal");
  fs::remove_all(away + "/env001.journal");
  EXPECT_EQ(0, Run({"verify", "--mode", "kinematic", away}).status);
}

TEST_F(FaultsProgram, SomebodyElsesFolderTakesItsPlaceUntilTheEnd) {
  string dir = Path("run"), away = Path("away"), mine = Path("mine");
  fs::create_directory(mine);
  std::ofstream(mine + "/thesis.txt") << "mine";
  Begin(dir);
  ASSERT_EQ(0, kill(pid, SIGSTOP));
  fs::rename(dir, away);
  fs::rename(mine, dir);
  ASSERT_EQ(0, kill(pid, SIGCONT));
  auto before = Committed(away);
  Outcome o = End();
  EXPECT_EQ(3, o.status) << o.err;
  EXPECT_EQ(1u, Times(o.err, "; its rows are kept")) << o.err;
  EXPECT_EQ(1u, Times(o.err, "thesis.txt, and nothing is written into it\n")) << o.err;
  ExpectUntouched(before, away);
  fs::path beside;
  for (auto &entry : fs::directory_iterator(top))
    if (entry.path().filename().string().rfind("run-", 0) == 0)
      beside = entry.path();
  EXPECT_EQ(1u, Times(o.err, "could not be written into it and are in " + beside.string()))
      << o.err;
  EXPECT_EQ(static_cast<size_t>(kEpisodes), before.size() + Committed(beside).size());
  ExpectClean(beside);
  EXPECT_EQ(0, Run({"verify", "--mode", "kinematic", beside.string()}).status);
  size_t n = 0;
  for (auto &entry : fs::directory_iterator(dir))
    n += entry.path().filename() != "thesis.txt";
  EXPECT_EQ(0u, n) << "nothing is written into it";
}

TEST_F(FaultsProgram, TheDiskIsFullForAWhile) {
  string disk = Path("disk"), dir = disk + "/run", filler = disk + "/filler";
  fs::create_directory(disk);
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=24m") != 0)
    GTEST_SKIP() << "no file system may be mounted here";
  Begin(dir);
  int fd = open(filler.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  string block(4096, 'x');
  auto fill = [&] {
    while (write(fd, block.data(), block.size()) > 0)
      continue;
    return Slurp(top / "err").find("its rows are kept") != string::npos;
  };
  EXPECT_TRUE(Until(fill)) << Slurp(top / "err");
  auto before = Committed(dir);
  close(fd);
  unlink(filler.c_str());
  Outcome o = End();
  EXPECT_EQ(1u, Times(o.err, "No space left on device; its rows are kept")) << o.err;
  ExpectUntouched(before, dir);
  ExpectAll(o, dir);
  umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(FaultsProgram, AnotherRecorderIsRefused) {
  string dir = Path("run");
  Begin(dir);
  ASSERT_EQ(0, kill(pid, SIGSTOP));
  fs::rename(top / "err", top / "err1");
  fs::rename(top / "out", top / "out1");
  for (const char *how : {"--append", "--overwrite"})
    ExpectError({"record", "slow.lua", "--episodes", "1", "--out", dir, how}, 3, "another process");
  fs::rename(top / "err1", top / "err");
  fs::rename(top / "out1", top / "out");
  ASSERT_EQ(0, kill(pid, SIGCONT));
  ExpectAll(End(), dir);
}

} // namespace
