// The pool of envs: shares, bits that do not depend on threads, ends and errors.
#include <algorithm>
#include <set>
#include <thread>

#include "pool_help.h"

namespace {

TEST(Pool, TheContentDependsOnNeitherThreadsNorChance) {
  TempDir dir;
  Model model;
  Task task(pool_task(30));
  std::string first;
  for (int jobs : {1, 2, 16}) {
    static int n;
    std::string run = dir.path + "/run" + std::to_string(n++);
    ph_tally tally = record(run, task, model, Pool::options(3, 6, jobs));
    EXPECT_EQ(6, tally.commits);
    EXPECT_GT(tally.by_end[PH_END_SUCCESS], 0) << "some end early";
    EXPECT_GT(tally.by_end[PH_END_TRUNCATED], 0);
    if (first.empty())
      first = content_hash(run);
    EXPECT_EQ(first, content_hash(run)) << jobs << " threads";
  }
  record(dir.path + "/other", task, model, Pool::options(3, 6, 2, 4));
  EXPECT_NE(first, content_hash(dir.path + "/other")) << "another seed";
  record(dir.path + "/four", task, model, Pool::options(4, 6, 2));
  EXPECT_NE(first, content_hash(dir.path + "/four")) << "another number of envs";
}

TEST(Pool, EpisodesAreThoseOfOneEnvOnItsOwn) {
  TempDir dir;
  Model model;
  Task task(pool_task(40));
  std::vector<Told> told;
  record(dir.path + "/run", task, model, Pool::options(4, 9, 4), PH_EXISTING_REFUSE, &told);
  ASSERT_EQ(9u, told.size());
  Env alone(task, model);
  Store store(dir.path + "/run");
  ASSERT_EQ(9u, store.count());
  for (size_t i = 0; i < store.count(); i++) {
    ph_episode *episode = nullptr;
    ASSERT_EQ(PH_OK, ph_store_episode(&episode, store.store, i)) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    uint64_t seed = ph_env_seed(3, static_cast<int>(meta->env_id), meta->episode);
    EXPECT_EQ(std::to_string(seed), meta->seed);
    Rollout r = rollout(alone.env, seed);
    ASSERT_EQ(static_cast<int64_t>(r.actions.size()), meta->actions);
    EXPECT_EQ(r.end, meta->end_reason);
    for (ph_column col : {PH_COL_STATES, PH_COL_CTRL, PH_COL_WARMSTART}) {
      const std::vector<std::string> &rows = r.columns.at(col);
      std::string bytes(rows.size() * rows[0].size(), 0), all;
      ASSERT_EQ(PH_OK,
                ph_episode_read(episode, col, 0, static_cast<int64_t>(rows.size()), bytes.data()))
          << ph_error();
      for (auto &row : rows)
        all += row;
      EXPECT_EQ(0, memcmp(all.data(), bytes.data(), all.size())) << meta->env_id << " " << col;
    }
    ph_episode_free(episode);
  }
}

TEST(Pool, EachEnvRecordsItsShare) {
  TempDir dir;
  Model model;
  Task task(pool_task(10));
  struct {
    int envs;
    int64_t episodes;
    std::vector<int64_t> share;
  } cases[] = {{3, 7, {3, 2, 2}}, {5, 2, {1, 1}}, {1, 3, {3}}, {4, 0, {1, 1, 1, 1}}};
  for (auto &c : cases) {
    std::string run = dir.path + "/" + std::to_string(c.envs);
    std::vector<Told> told;
    record(run, task, model, Pool::options(c.envs, c.episodes, 3), PH_EXISTING_REFUSE, &told);
    std::vector<int64_t> next(c.share.size());
    for (auto &t : told) {
      ASSERT_LT(static_cast<size_t>(t.e.env_id), next.size());
      EXPECT_EQ(next[t.e.env_id]++, t.e.episode) << "an env's episodes end in their order";
      EXPECT_EQ(PH_POOL_SAVED, t.e.fate);
      EXPECT_EQ(ph_env_seed(3, t.e.env_id, t.e.episode), t.e.seed);
    }
    EXPECT_EQ(c.share, next);
  }
}

TEST(Pool, AnEnvGoesOnWhileOthersAreInTheirEpisode) {
  TempDir dir;
  Model model;
  Task odds(pool_task(400));
  for (int jobs : {1, 2}) {
    std::vector<Told> told;
    record(dir.path + "/run" + std::to_string(jobs), odds, model, Pool::options(4, 12, jobs),
           PH_EXISTING_REFUSE, &told);
    bool overtaken = false;
    for (size_t i = 0; i < told.size(); i++)
      for (size_t j = i + 1; j < told.size(); j++)
        overtaken = overtaken || told[i].e.episode > told[j].e.episode;
    EXPECT_TRUE(overtaken) << jobs << ": a later episode of one env ended before an earlier of "
                           << "another";
  }
}

TEST(Pool, OnlySuccessfulEpisodesAreSavedAndOthersCounted) {
  TempDir dir;
  Model model;
  Task task(pool_task(30));
  record(dir.path + "/all", task, model, Pool::options(3, 9, 2));
  ph_pool_options opt = Pool::options(3, 9, 2);
  opt.only_success = true;
  std::vector<Told> told;
  ph_tally tally = record(dir.path + "/some", task, model, opt, PH_EXISTING_REFUSE, &told);
  EXPECT_EQ(9, tally.resets);
  EXPECT_EQ(tally.commits, tally.by_end[PH_END_SUCCESS]);
  EXPECT_GT(tally.commits, 0);
  EXPECT_GT(tally.discards, 0);
  int64_t unsuccessful = 0;
  for (auto &t : told) {
    EXPECT_EQ(t.e.success == 1 ? PH_POOL_SAVED : PH_POOL_UNSUCCESSFUL, t.e.fate);
    unsuccessful += t.e.fate == PH_POOL_UNSUCCESSFUL;
  }
  EXPECT_EQ(tally.discards, unsuccessful);
  std::vector<std::string> all = episode_files(dir.path + "/all"),
                           some = episode_files(dir.path + "/some");
  EXPECT_EQ(static_cast<size_t>(tally.commits), some.size());
  EXPECT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end()))
      << "with the numbers and lengths that they have among all";
}

TEST(Pool, AppendingGoesOnAsOneLongerRecording) {
  TempDir dir;
  Model model;
  Task task(pool_task(30));
  record(dir.path + "/long", task, model, Pool::options(2, 10, 2));
  record(dir.path + "/run", task, model, Pool::options(2, 4, 2));
  std::vector<Told> told;
  record(dir.path + "/run", task, model, Pool::options(2, 6, 1), PH_EXISTING_APPEND, &told);
  ASSERT_EQ(6u, told.size());
  for (auto &t : told)
    EXPECT_GE(t.e.episode, 2);
  EXPECT_EQ(episode_files(dir.path + "/long"), episode_files(dir.path + "/run"));
  EXPECT_EQ(content_hash(dir.path + "/long"), content_hash(dir.path + "/run"));
}

TEST(Pool, AnEpisodeWithoutAStepIsDiscarded) {
  TempDir dir;
  Model model;
  Task task(pool_task(3, "policy = function(s) return {0/0, 0} end"));
  std::vector<Told> told;
  ph_tally tally =
      record(dir.path + "/run", task, model, Pool::options(2, 4, 2), PH_EXISTING_REFUSE, &told);
  EXPECT_EQ(4, tally.discards);
  for (auto &t : told) {
    EXPECT_EQ(PH_POOL_DISCARDED, t.e.fate);
    EXPECT_EQ(PH_END_NAN, t.e.end);
    EXPECT_EQ(0, t.e.actions);
    EXPECT_NE(std::string::npos, t.detail.find("step 0: action[0] (a) is not finite")) << t.detail;
  }
}

TEST(Pool, AResetThatIsNotFiniteEndsItsEpisodeOnly) {
  TempDir dir;
  Model model;
  Task task(pool_task(6, "reset = function(env, rng)\n"
                         "  env.qpos.a = rng() < 0.5 and 0/0 or 0.1 end,\n"
                         "success = function(s) return false end"));
  for (bool only_success : {false, true}) {
    std::vector<Told> told;
    ph_pool_options opt = Pool::options(2, 12, 2);
    opt.only_success = only_success;
    ph_tally tally = record(dir.path + (only_success ? "/none" : "/run"), task, model, opt,
                            PH_EXISTING_REFUSE, &told);
    EXPECT_EQ(12, tally.resets);
    EXPECT_EQ(12u, told.size());
    std::vector<std::set<int64_t>> numbers(2);
    int64_t empty = 0, steps = 0;
    for (auto &t : told) {
      EXPECT_TRUE(numbers[t.e.env_id].insert(t.e.episode).second) << "a number of its own";
      EXPECT_EQ(ph_env_seed(3, t.e.env_id, t.e.episode), t.e.seed);
      steps += t.e.fate == PH_POOL_SAVED ? t.e.actions : 0;
      if (t.e.fate != PH_POOL_DISCARDED)
        continue;
      empty++;
      EXPECT_EQ(PH_END_NAN, t.e.end);
      EXPECT_EQ("", t.error);
      EXPECT_NE(std::string::npos, t.detail.find("reset: env.qpos.a: ")) << t.detail;
      EXPECT_NE(std::string::npos, t.detail.find("nan is not a number")) << t.detail;
    }
    EXPECT_GT(empty, 0);
    EXPECT_LT(empty, 12);
    EXPECT_EQ(only_success ? 12 : empty, tally.discards);
    EXPECT_EQ(steps, tally.saved_steps);
    EXPECT_EQ((12 - empty) * 6, tally.steps);
  }
}

TEST(Pool, WhatCannotBeIsRefused) {
  Model model;
  Task task(pool_task(30)), idle("return { name = 'idle', control_steps = 1 }"),
      aimless(
          "return { name = 'aimless', control_steps = 1, policy = function() return {0, 0} end, "
          "max_steps = 3 }");
  auto refused = [&](const Task &t, const ph_pool_options &opt, const char *why) {
    Pool pool(t, model, opt);
    EXPECT_EQ(PH_EINVAL, pool.created);
    EXPECT_EQ(nullptr, pool.pool);
    EXPECT_NE(nullptr, strstr(ph_error(), why)) << ph_error();
  };
  refused(task, Pool::options(0, 1, 1), "envs 0");
  refused(task, Pool::options(-1, 1, 1), "envs -1");
  refused(task, Pool::options(1, -1, 1), "episodes -1");
  refused(task, Pool::options(1, 1, -1), "jobs -1");
  refused(idle, Pool::options(1, 1, 1), "no policy");
  ph_pool_options opt = Pool::options(1, 1, 1);
  opt.only_success = true;
  refused(aimless, opt, "no success condition");
  ph_pool_free(nullptr);
}

TEST(Pool, ThreadsAreNoMoreThanEnvs) {
  Model model;
  Task task(pool_task(30));
  EXPECT_EQ(3, Pool(task, model, Pool::options(3, 9, 16)).progress().jobs);
  EXPECT_EQ(2, Pool(task, model, Pool::options(3, 9, 2)).progress().jobs);
  EXPECT_EQ(1, Pool(task, model, Pool::options(3, 1, 2)).progress().jobs);
  EXPECT_GE(Pool(task, model, Pool::options(4, 9, 0)).progress().jobs, 1);
}

TEST(Pool, TwoPoolsRecordAtTheSameTime) {
  TempDir dir;
  Model model;
  Task task(pool_task(50));
  record(dir.path + "/alone", task, model, Pool::options(3, 6, 1));
  std::thread other([&] { record(dir.path + "/a", task, model, Pool::options(3, 6, 2)); });
  record(dir.path + "/b", task, model, Pool::options(3, 6, 2));
  other.join();
  EXPECT_EQ(content_hash(dir.path + "/alone"), content_hash(dir.path + "/a"));
  EXPECT_EQ(content_hash(dir.path + "/alone"), content_hash(dir.path + "/b"));
}

} // namespace
