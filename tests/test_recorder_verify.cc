// Episodes that are run again before they are written: what is stamped, what is told, what is kept.
#include <mutex>

#include "recorder_help.h"

namespace {

class Verified : public testing::Test {
protected:
  TempDir tmp;
  std::string path = tmp.path + "/r";
  ph_recorder *rec = nullptr;
  std::vector<std::string> lines;
  std::mutex lock;

  void open(const Model &model, const Task *task, bool wanted = true, bool behind = true) {
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    opt.task = task ? task->task : nullptr;
    opt.control_steps = task ? 0 : 1;
    opt.behind = behind;
    opt.user = this;
    if (wanted)
      opt.unverified = [](void *user, const char *line) {
        Verified *self = static_cast<Verified *>(user);
        std::lock_guard<std::mutex> guard(self->lock);
        self->lines.emplace_back(line);
      };
    ASSERT_EQ(PH_OK, ph_recorder_open(&rec, path.c_str(), model.model, &opt)) << ph_error();
  }
  ph_tally tally;
  void close() {
    EXPECT_EQ(PH_OK, ph_recorder_close(rec, &tally)) << ph_error();
    EXPECT_EQ(tally.resets, tally.commits);
    rec = nullptr;
  }
  /* What the list says of each episode. */
  std::vector<std::string> stamps() {
    ph_store *store = nullptr;
    const char *paths[] = {path.c_str()};
    std::vector<std::string> all;
    EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    for (size_t i = 0; i < ph_store_count(store); i++) {
      ph_episode *episode = nullptr;
      all.emplace_back(ph_store_entry(store, i)->determinism);
      EXPECT_EQ(PH_OK, ph_store_episode(&episode, store, i)) << ph_error();
      EXPECT_EQ(all.back(), ph_episode_meta_of(episode)->determinism);
      ph_episode_free(episode);
    }
    ph_store_free(store);
    return all;
  }
};

TEST_F(Verified, AnEpisodeOfAnEnvIsBitwise) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  for (bool behind : {true, false}) {
    path = tmp.path + (behind ? "/behind" : "/before");
    open(model, &task, true, behind);
    for (uint64_t seed = 1; seed <= 3; seed++)
      rollout(env.env, seed, rec);
    close();
    EXPECT_EQ(stamps(), std::vector<std::string>(3, "bitwise"));
    EXPECT_EQ(3, tally.bitwise);
    EXPECT_EQ(0, tally.within + tally.failing + tally.unchecked);
    EXPECT_TRUE(lines.empty()) << lines[0];
  }
}

TEST_F(Verified, UnlessItIsWantedNothingIsChecked) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  open(model, &task, false);
  rollout(env.env, 1, rec);
  close();
  EXPECT_EQ(stamps(), std::vector<std::string>(1, "unchecked"));
  EXPECT_EQ(0, tally.bitwise + tally.within + tally.failing + tally.unchecked);
}

/* Rows that no physics has made: they fail at a step, are named, and are saved all the same. */
TEST_F(Verified, WhatFailsIsNamedAndSaved) {
  Model model{tiny_xml()};
  open(model, nullptr);
  for (int k = 0; k < 2; k++) {
    Tiny tiny;
    ASSERT_EQ(PH_OK, ph_recorder_begin(rec, 3, 1, nullptr, 0, &tiny.at(0))) << ph_error();
    for (int t = 1; t <= 9; t++)
      ASSERT_EQ(PH_OK, tiny.push(rec, 3, t)) << ph_error();
    ASSERT_EQ(PH_OK, ph_recorder_end(rec, 3, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  }
  ph_recorder_flush(rec);
  close();
  std::vector<std::string> all = stamps();
  ASSERT_EQ(2u, all.size());
  EXPECT_EQ(0u, all[0].find("fails(")) << all[0];
  EXPECT_EQ(2, tally.failing);
  EXPECT_EQ(0, tally.bitwise + tally.within + tally.unchecked);
  ASSERT_EQ(2u, lines.size());
  EXPECT_EQ(0u,
            lines[0].find("env 3 episode 0: physics run again is not what was recorded: fails("))
      << lines[0];
  EXPECT_EQ(0u, lines[1].find("env 3 episode 1: ")) << lines[1];
}

/* The forms of the schema. */
TEST(Stamp, SaysTheWorstInOneWord) {
  ph_dynamics d = {};
  char text[48];
  auto stamp = [&] {
    ph_dynamics_stamp(&d, text, sizeof text);
    return std::string(text);
  };
  d.stopped = -1;
  for (int64_t &first : d.sum.first)
    first = -1;
  EXPECT_EQ("unchecked", stamp());
  d.ran = true;
  EXPECT_EQ("bitwise", stamp());
  d.cls = PH_CLOSE;
  d.sum.max[PH_MEASURE_BODY_PLACE] = 2.5e-4;
  d.sum.max[PH_MEASURE_JOINT_ANGLE] = NAN;
  EXPECT_EQ("tol(0.00025)", stamp());
  d.cls = PH_DIVERGED;
  d.sum.first[PH_DIVERGED] = 31;
  EXPECT_EQ("fails(31)", stamp());
  d.sum.first[PH_DIVERGED] = -1;
  d.stopped = 7;
  EXPECT_EQ("fails(7)", stamp());
}

} // namespace
