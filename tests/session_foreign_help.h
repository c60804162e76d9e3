// A session over files of others, asked as the loop asks it.
#ifndef SESSION_FOREIGN_HELP_H
#define SESSION_FOREIGN_HELP_H

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "foreign_layouts.h"

extern "C" {
#include "loop.h"
#include "session_parts.h"
#include "worker.h"
}

namespace fs = std::filesystem;

namespace {

struct Files : ::testing::Test {
  fs::path dir;
  struct session *s = nullptr;
  request want = {};

  void SetUp() override {
    const char *tmp = std::getenv("TMPDIR");
    std::string name = std::string(tmp && *tmp ? tmp : "/tmp") + "/screenXXXXXX";
    dir = mkdtemp(&name[0]);
    setenv("XDG_CACHE_HOME", dir.c_str(), 1);
    want.plot.first = want.plot.last = -1;
  }
  void TearDown() override {
    session_free(s);
    fs::remove_all(dir);
  }
  std::string path(const char *name = "demo.hdf5") const { return (dir / name).string(); }

  void open(const std::string &file) {
    const char *paths[] = {file.c_str()};
    struct session_options opt = {};
    opt.paths = paths;
    opt.npaths = 1;
    session_free(s);
    s = nullptr;
    ASSERT_EQ(session_open(&s, &opt), PH_OK) << ph_error();
  }
  void name(std::initializer_list<const char *> names) {
    want.plot.chosen = true;
    want.plot.serial++;
    want.plot.n = 0;
    for (const char *n : names)
      strcpy(want.plot.name[want.plot.n++], n);
  }
  // The answer of a request; freed with the test.
  struct Answer {
    struct snapshot *snap = nullptr;
    Answer(struct snapshot *s) : snap(s) {}
    Answer(Answer &&other) : snap(other.snap) { other.snap = nullptr; }
    ~Answer() { snapshot_free(snap); }
    struct snapshot *operator->() const {
      return snap;
    }
    explicit operator bool() const { return snap; }
  };
  Answer serve() {
    struct snapshot *snap = nullptr;
    want.serial++;
    EXPECT_EQ(session_serve(s, &want, &snap), PH_OK) << ph_error();
    return Answer(snap);
  }
  Answer settle(size_t looks = 1000000) {
    struct snapshot *snap = nullptr;
    EXPECT_EQ(session_settle(s, looks, &snap), PH_OK) << ph_error();
    return Answer(snap);
  }
  std::vector<std::string> names(const Answer &answer) const {
    std::vector<std::string> out;
    for (size_t i = 0; i < answer->plot.n; i++)
      out.push_back(answer->plot.curve[i].name);
    return out;
  }
};

// One raw episode: a long array of two columns and one number.
[[maybe_unused]] void write_long(const std::string &path, hsize_t rows, hsize_t chunk = 0) {
  foreign::File file(path);
  foreign::Store store;
  store.chunk_rows = chunk;
  store.gzip = chunk ? 1 : 0;
  std::vector<double> values;
  for (hsize_t i = 0; i < rows; i++) {
    values.push_back(std::sin((double)i / 500));
    values.push_back(i == 33333 ? 77 : i % 1000 == 7 ? NAN : (double)i);
  }
  file.array("/observations", foreign::F64, {rows, 2}, values, store);
  file.array("/reward", foreign::F32, {rows}, std::vector<double>(rows, 0.25), store);
}

[[maybe_unused]] bool never(void *) {
  return false;
}
[[maybe_unused]] bool always(void *) {
  return true;
}

using strings = std::vector<std::string>;

} // namespace

#endif
