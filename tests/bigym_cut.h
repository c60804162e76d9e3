/* A batch that is cut, and what is expected where it is refused. */
#ifndef TESTS_BIGYM_CUT_H
#define TESTS_BIGYM_CUT_H

#include <unistd.h>

#include "bigym_help.h"

extern "C" {
#include "bigym.h"
#include "cut_parts.h"
#include "json.h"
}

using namespace bigym;

struct CutBatch : ::testing::Test {
  Batch batch;
  std::string out = batch.folder / "out";
  std::vector<ph_cut_episode> plan;
  ph_cut_options opt = PH_CUT_OPTIONS_INIT;
  ph_cut_tally tally{};

  void SetUp() override {
    opt.hold_seconds = 0.5;
    opt.method = "recorded";
    opt.date = "2026-01-02T03:04:05Z";
    keep(batch.a, 20);
    keep(batch.b, 40);
    keep(batch.c, 1);
  }
  void keep(const std::string &id, int64_t to, int64_t from = 0) {
    ph_cut_episode e{};
    snprintf(e.id, sizeof e.id, "%s", id.c_str());
    e.from = from;
    e.to = to;
    plan.push_back(e);
  }
  ph_status cut() {
    return ph_cut(out.c_str(), batch.path.c_str(), plan.data(), plan.size(), &opt, &tally);
  }
  /* Only one file, of these arrays. */
  void only(const std::vector<Member> &members, int64_t to) {
    for (auto &name : {batch.b, batch.c})
      unlink((batch / name).c_str());
    batch.put(batch.a, zip(members));
    plan.clear();
    keep(batch.a, to);
  }
  std::map<std::string, Raw> result(int64_t to) const {
    return unzip(out + "/20260826T101112_0_" + std::to_string(to) + ".npz");
  }
  /* Names and bytes of all files below the test's folder but for the output. */
  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> all;
    for (auto &e : std::filesystem::recursive_directory_iterator(batch.folder.path))
      all[e.path()] = e.is_regular_file() ? bytes_of(e.path()) : "";
    return all;
  }
  void expect_refused(ph_status status, const std::string &why) {
    auto before = everything();
    EXPECT_EQ(status, cut()) << ph_error();
    EXPECT_NE(std::string::npos, std::string(ph_error()).find(why)) << ph_error();
    EXPECT_EQ(nullptr, strchr(ph_error(), '\n'));
    EXPECT_EQ(before, everything()) << "something was left, or changed";
  }
  json_t *meta() const { return json_load_file((out + "/metadata.json").c_str(), 0, nullptr); }
};

#endif
