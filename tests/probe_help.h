/* A folder of the test's own, which is the cache folder too, and a probe that remembers nothing. */
#ifndef TESTS_PROBE_HELP_H
#define TESTS_PROBE_HELP_H

#include <cstring>
#include <functional>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "read_help.h"
#include "sanitized.h"

extern "C" {
#include "fail.h"
#include "probe_cache.h"
}

class Probe : public ::testing::Test {
protected:
  read_help::Folder dir;
  std::string file = dir / "a.h5";

  void SetUp() override {
    ASSERT_EQ(mkdir((dir / "cache").c_str(), 0700), 0);
    setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
    ph_probe_reset();
  }
  void TearDown() override {
    ph_probe_limit(nullptr);
    ph_probe_reset();
    unsetenv("XDG_CACHE_HOME");
  }

  void write_good(const std::string &path) {
    read_help::Demo demo;
    demo.actions = 20;
    read_help::write_file(path, demo);
  }
  /* Until a verdict about the path can be kept: it must not look as if it were written just now. */
  static void settle(const std::string &path) {
    ph_print print;
    const ph_question question = {PH_PROBE_PATH, path.c_str(), nullptr, 0};
    for (int i = 0; i < 1000 && !ph_print_of_file(&print, &question); i++)
      usleep(10000);
    ASSERT_TRUE(ph_print_of_file(&print, &question)) << path;
  }
  std::string verdicts() const { return dir / "cache/playhead/verdicts"; }
};

/* Runs it in a child of the probe. */
inline ph_status in_child(const std::function<ph_status()> &fn) {
  auto call = [](void *arg) { return (*static_cast<const std::function<ph_status()> *>(arg))(); };
  return ph_probe_run("FILE", call, const_cast<std::function<ph_status()> *>(&fn));
}

/* Runs it in a process of its own, as a host would be; its exit code, or 1000 + the signal. */
inline int in_host(const std::function<int()> &fn) {
  fflush(nullptr);
  pid_t pid = fork();
  if (pid == 0)
    _exit(fn());
  int how = 0;
  waitpid(pid, &how, 0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
}

#endif
