/* Envs in threads of their own, one recorder. For the thread sanitizer too. */
#include <atomic>
#include <mutex>
#include <thread>

#include "recorder_help.h"

namespace {

enum { ENVS = 4, EPISODES = 5 };

const char *kTask = "success = function(s) return s.step == 2 or s.step >= 6 end";

/* Episodes of env e end after different numbers of rows; some are discarded. */
void record_env(ph_recorder *rec, int e, int episodes) {
  Model model; /* Lua and engine are the thread's own; the recorder's model is shared */
  Task task(rec_task(kTask));
  Env env(task, model);
  for (int k = 0; k < episodes; k++) {
    int limit = 3 + 7 * e + 11 * k;
    Rollout r = rollout(env.env, ph_env_seed(3, e, k), rec, e, limit);
    if (r.end == PH_END_UNKNOWN) {
      EXPECT_EQ(PH_OK, k % 3 == 2 ? ph_recorder_discard(rec, e)
                                  : ph_recorder_end(rec, e, PH_END_TRUNCATED, 0, nullptr))
          << ph_error();
    }
  }
}

ph_tally record_all(const std::string &dir, const Model &model, const Task &task, bool threads) {
  RunRec run(dir, model, &task);
  ph_tally tally;
  std::vector<std::thread> pool;
  std::atomic<bool> done{false};
  std::thread looker;
  for (int e = 0; e < ENVS; e++) {
    if (threads)
      pool.emplace_back(record_env, run.rec, e, EPISODES);
    else
      record_env(run.rec, e, EPISODES);
  }
  if (threads) {
    looker = std::thread([&] {
      ph_tally now, last = {};
      while (!done) {
        ph_recorder_tally_now(run.rec, &now);
        EXPECT_GE(now.steps, last.steps);
        EXPECT_GE(now.resets, now.commits + now.discards);
        last = now;
        std::this_thread::yield();
      }
    });
  }
  for (std::thread &t : pool)
    t.join();
  done = true;
  if (threads)
    looker.join();
  EXPECT_EQ(PH_OK, run.close(&tally)) << ph_error();
  EXPECT_EQ(0u, run.files(".journal").size());
  return tally;
}

std::string content_hash(const std::string &path) {
  ph_store *store = nullptr;
  const char *paths[1] = {path.c_str()};
  char text[PH_SHA256_SIZE] = "";
  EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  EXPECT_EQ(PH_OK, ph_store_content_hash(store, text)) << ph_error();
  ph_store_free(store);
  return text;
}

TEST(RecorderThreads, FourThreadsRecordWhatOneDoes) {
  TempDir tmp;
  Model model;
  Task task(rec_task(kTask));
  ph_tally one = record_all(tmp.path + "/one", model, task, false);
  ph_tally four = record_all(tmp.path + "/four", model, task, true);
  EXPECT_EQ(one.steps, four.steps);
  EXPECT_EQ(one.resets, four.commits + four.discards);
  EXPECT_EQ(one.commits, four.commits);
  EXPECT_EQ(content_hash(tmp.path + "/one"), content_hash(tmp.path + "/four"));
  EXPECT_TRUE(episodes_of(tmp.path + "/one") == episodes_of(tmp.path + "/four"));
}

/* Commits fail for a while in all threads; nothing is lost and the warnings are few. */
TEST(RecorderThreads, KeptEpisodesOfAllThreadsAreWritten) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  auto record = [&](int env) {
    Tiny tiny;
    for (int k = 0; k < 8; k++) {
      EXPECT_EQ(PH_OK, ph_recorder_begin(run.rec, env, 1, nullptr, 0, &tiny.at(0))) << ph_error();
      for (int t = 1; t < 20 + env; t++)
        EXPECT_EQ(PH_OK, tiny.push(run.rec, env, t)) << ph_error();
      ph_recorder_end(run.rec, env, PH_END_TRUNCATED, -1, nullptr);
    }
  };
  {
    FileLimit limit(2000);
    std::vector<std::thread> pool;
    for (int env = 0; env < ENVS; env++)
      pool.emplace_back(record, env);
    for (std::thread &t : pool)
      t.join();
  }
  EXPECT_LE(run.warnings.size(), 2u);
  ph_tally tally;
  EXPECT_EQ(PH_OK, run.close(&tally)) << ph_error();
  EXPECT_EQ(ENVS * 8, tally.commits);
  EXPECT_EQ(0, tally.failed);
  EXPECT_EQ(ENVS * 8u, episodes_of(run.path).size());
}

} // namespace
