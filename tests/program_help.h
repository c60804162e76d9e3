// What is left of children: processes and descriptors of this one.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>

namespace program_help {

namespace fs = std::filesystem;

inline std::set<std::string> Descriptors() {
  std::set<std::string> open;
  for (auto &fd : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    fs::path target = fs::read_symlink(fd.path(), gone);
    if (!gone && target.string().find("/proc/") != 0) // the listing's own
      open.insert(fd.path().filename().string() + " " + target.string());
  }
  return open;
}

/* Children of this process, zombies too. */
inline int Children() {
  int n = 0;
  for (auto &task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream in(task.path() / "children");
    for (int pid; in >> pid;)
      n++;
  }
  return n;
}

/* Whether a process that wrote its number into the file is gone within some seconds. */
inline bool IsGone(const fs::path &path) {
  int pid = 0;
  for (int i = 0; i < 200; i++) {
    std::ifstream in(path);
    std::string state;
    if (in >> pid && pid > 0) {
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      std::string skip;
      if (!(stat >> skip >> skip >> state) || state == "Z")
        return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

/* A folder of its own, and a look at what a test leaves behind. */
class Programs : public testing::Test {
protected:
  void SetUp() override {
    const char *tmp = getenv("TMPDIR");
    std::string name = std::string(tmp ? tmp : "/tmp") + "/progXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top = fs::canonical(name);
    before = Descriptors();
    children = Children();
  }
  void TearDown() override {
    EXPECT_EQ(Descriptors(), before);
    EXPECT_EQ(Children(), children) << "a zombie, or a child that lives";
    fs::remove_all(top);
  }
  std::string Path(const std::string &name) const { return (top / name).string(); }
  /* A Python program as a command. */
  std::string Python(const std::string &text, const std::string &name = "child.py") {
    std::ofstream(top / name) << text;
    const char *python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    return std::string("exec ") + python + " " + Path(name);
  }

  fs::path top;
  std::set<std::string> before;
  int children = 0;
};

} // namespace program_help
