/* Commits behind the envs: what `end` leaves in line, what is told of it, and whose journals. */
#include <condition_variable>
#include <thread>

#include "recorder_help.h"

namespace {

struct Told {
  int env;
  int64_t episode, actions;
  uint64_t seed;
  ph_end end;
  ph_status status;
  std::string detail, error;
};

/* A recorder that commits behind and keeps what it is told; the first commit may be held up. */
class Behind : public testing::Test {
protected:
  TempDir tmp;
  Model model{tiny_xml()};
  std::string path = tmp.path + "/r";
  ph_recorder *rec = nullptr;
  std::vector<std::string> warnings;
  std::vector<Told> told;
  std::mutex lock;
  std::condition_variable news;
  bool hold = false;

  void open(ph_existing existing = PH_EXISTING_REFUSE) {
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    opt.control_steps = 1;
    opt.behind = true;
    opt.existing = existing;
    opt.warn = [](void *user, const char *line) {
      static_cast<Behind *>(user)->warnings.emplace_back(line);
    };
    opt.user = this;
    ASSERT_EQ(PH_OK, ph_recorder_open(&rec, path.c_str(), model.model, &opt)) << ph_error();
    ph_recorder_watch(rec, on_end, this);
  }
  ~Behind() override {
    if (rec)
      ph_recorder_close(rec, nullptr);
  }
  static void on_end(void *user, const ph_recorded *e) {
    Behind *self = static_cast<Behind *>(user);
    std::unique_lock<std::mutex> guard(self->lock);
    self->told.push_back({e->env_id, e->episode, e->actions, e->seed, e->end, e->status, e->detail,
                          e->error ? e->error : ""});
    self->news.notify_all();
    self->news.wait(guard, [self] { return !self->hold; });
  }
  void release() {
    std::lock_guard<std::mutex> guard(lock);
    hold = false;
    news.notify_all();
  }
  void wait_for_first() {
    std::unique_lock<std::mutex> guard(lock);
    news.wait(guard, [this] { return !told.empty(); });
  }
  void episode(int env, int64_t actions, uint64_t seed = 1) {
    Tiny tiny;
    ASSERT_EQ(PH_OK, ph_recorder_begin(rec, env, seed, nullptr, 0, &tiny.at(0))) << ph_error();
    for (int64_t t = 1; t <= actions; t++)
      ASSERT_EQ(PH_OK, tiny.push(rec, env, (int)t)) << ph_error();
    ASSERT_EQ(PH_OK, ph_recorder_end(rec, env, PH_END_TRUNCATED, -1, "so far")) << ph_error();
  }
  std::vector<std::string> files(const std::string &ending) {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path)) {
      std::string name = entry.path().filename();
      if (name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending)
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(Behind, EachEpisodeIsToldOfOnceInOrder) {
  open();
  for (int k = 0; k < 20; k++)
    episode(3, 5 + k, (uint64_t)(100 + k));
  ph_recorder_flush(rec);
  ASSERT_EQ(20u, told.size());
  for (size_t k = 0; k < told.size(); k++) {
    EXPECT_EQ(3, told[k].env);
    EXPECT_EQ((int64_t)k, told[k].episode);
    EXPECT_EQ((int64_t)(5 + k), told[k].actions);
    EXPECT_EQ(100 + k, told[k].seed);
    EXPECT_EQ(PH_END_TRUNCATED, told[k].end);
    EXPECT_EQ(PH_OK, told[k].status);
    EXPECT_EQ("so far", told[k].detail);
    EXPECT_EQ("", told[k].error);
  }
  EXPECT_EQ(20u, files(".h5").size() - 1) << "and run.h5";
  ph_tally tally;
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, &tally)) << ph_error();
  rec = nullptr;
  EXPECT_EQ(20, tally.commits);
  EXPECT_EQ(0u, files(".journal").size());
  EXPECT_EQ(20u, episodes_of(path).size());
}

/* What is in line when the process ends is in journals that salvage finds. */
TEST_F(Behind, WhatIsInLineIsInJournals) {
  open();
  hold = true;
  episode(0, 4);
  wait_for_first(); /* its commit is done, but not left */
  episode(0, 7);
  episode(1, 9);
  EXPECT_EQ((std::vector<std::string>{"env000_ep000000.journal", "env000_ep000001.journal",
                                      "env001_ep000000.journal"}),
            files(".journal"));
  for (const auto &name : {std::pair<const char *, int64_t>("env000_ep000001.journal", 7),
                           std::pair<const char *, int64_t>("env001_ep000000.journal", 9)}) {
    ph_take take;
    ph_episode_meta origin;
    ASSERT_EQ(PH_OK, ph_take_open(&take, &origin, (path + "/" + name.first).c_str())) << ph_error();
    EXPECT_EQ(name.second + 1, ph_rowlog_states(take.log));
    ph_take_clear(&take);
  }
  release();
  ph_recorder_flush(rec);
  EXPECT_EQ(3u, told.size());
}

/* A journal that is void again serves the next episode, so there are no more of them than needed.
 */
TEST_F(Behind, JournalsAreUsedAgain) {
  open();
  for (int k = 0; k < 30; k++) {
    episode(k % 3, 5);
    ph_recorder_flush(rec);
  }
  EXPECT_LE(files(".journal").size(), 3u);
}

/* Where commits are slower than envs, `end` waits: the line has an end. */
TEST_F(Behind, TheLineHasAnEnd) {
  open();
  hold = true;
  episode(0, 3);
  wait_for_first();
  std::atomic<int> ended{0};
  std::thread other([&] {
    for (int k = 0; k < 12; k++) {
      episode(1, 3);
      ended++;
    }
  });
  while (ended < 8)
    std::this_thread::yield();
  for (int k = 0; k < 1000; k++)
    std::this_thread::yield();
  EXPECT_EQ(8, ended) << "the ninth waits";
  release();
  other.join();
  ph_recorder_flush(rec);
  EXPECT_EQ(13u, told.size());
}

/* A disk that takes nothing: each is told of as kept, nothing is lost, and close writes them. */
TEST_F(Behind, WhatTheDiskDoesNotTakeIsKept) {
  open();
  {
    FileLimit limit(2000);
    for (int k = 0; k < 5; k++)
      episode(0, 20);
    ph_recorder_flush(rec);
  }
  ASSERT_EQ(5u, told.size());
  for (const Told &t : told) {
    EXPECT_NE(PH_OK, t.status);
    EXPECT_NE(std::string::npos, t.error.find("env 0 episode")) << t.error;
  }
  EXPECT_LE(warnings.size(), 2u);
  ph_tally tally;
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, &tally)) << ph_error();
  rec = nullptr;
  EXPECT_EQ(5, tally.commits);
  EXPECT_EQ(0, tally.failed);
  EXPECT_EQ(5u, episodes_of(path).size());
}

/* Close commits what is in line, and what runs. */
TEST_F(Behind, CloseLeavesNothingInLine) {
  open();
  for (int k = 0; k < 6; k++)
    episode(k, 40);
  Tiny tiny;
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec, 9, 1, nullptr, 0, &tiny.at(0)));
  ASSERT_EQ(PH_OK, tiny.push(rec, 9, 1));
  ph_tally tally;
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, &tally)) << ph_error();
  rec = nullptr;
  EXPECT_EQ(7, tally.commits);
  EXPECT_EQ(7u, told.size());
  EXPECT_EQ(1, tally.by_end[PH_END_ABORTED]);
}

} // namespace
