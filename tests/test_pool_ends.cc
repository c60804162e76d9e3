// How a pool's run ends before its time: stopped, with an error of one env, with a disk that fails.
#include <atomic>
#include <chrono>
#include <fstream>
#include <sys/stat.h>
#include <thread>

#include "pool_help.h"

extern "C" {
#include "disk_use.h"
}

namespace {

/* What the files of a folder take [B]; with that end only. */
int64_t blocks(const std::string &dir, const std::string &end = "") {
  int64_t sum = 0;
  for (auto &file : std::filesystem::directory_iterator(dir)) {
    struct stat st;
    std::string name = file.path().filename();
    bool counts = name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
    if (counts && stat(file.path().c_str(), &st) == 0)
      sum += st.st_blocks * 512;
  }
  return sum;
}

void write_file(const std::string &path, size_t size) {
  std::ofstream(path) << std::string(size, 'x');
}

/* No end of its own, and quick. */
std::string endless(const std::string &more = "") {
  return "return { name = 'long', control_steps = 1, max_steps = 100000000, hold_seconds = 0,\n"
         "actions = { { type = 'joint_position', joints = { 'a', 'b' } } },\n"
         "policy = function(s) return { 0, 0 } end,\n" +
         more + "}\n";
}

TEST(PoolEnds, StopEndsItAfterAStepAndSavesWhatRan) {
  TempDir dir;
  Model model;
  Task task(endless());
  Pool pool(task, model, Pool::options(3, 30, 2));
  ASSERT_EQ(PH_OK, pool.created) << ph_error();
  Recorder rec(dir.path + "/run", task, model, pool);
  ph_status status = PH_EINVAL;
  std::thread run([&] { status = ph_pool_run(pool.pool, rec.rec); });
  int64_t steps = 0;
  while (pool.progress().steps < 500) {
    EXPECT_GE(pool.progress().steps, steps) << "it only grows";
    steps = pool.progress().steps;
    std::this_thread::yield();
  }
  ph_pool_stop(pool.pool);
  run.join();
  EXPECT_EQ(PH_OK, status);
  ph_pool_progress p = pool.progress();
  EXPECT_EQ(0, p.errors);
  EXPECT_EQ(30, p.wanted);
  EXPECT_EQ(3, p.running) << "none has ended its share";
  EXPECT_EQ(static_cast<int64_t>(pool.told.size()), p.ended);
  ph_tally tally = rec.close();
  EXPECT_EQ(p.steps, tally.steps);
  EXPECT_EQ(p.ended, tally.resets);
  EXPECT_EQ(tally.commits, tally.by_end[PH_END_ABORTED]);
  int64_t saved = 0;
  for (auto &t : pool.told) {
    EXPECT_EQ(PH_END_ABORTED, t.e.end);
    EXPECT_EQ("interrupted", t.detail);
    saved += t.e.actions;
  }
  EXPECT_EQ(tally.steps, saved) << "no step is lost";
}

TEST(PoolEnds, APoolThatIsStoppedBeginsNothing) {
  TempDir dir;
  Model model;
  Task task(endless());
  Pool pool(task, model, Pool::options(2, 2, 2));
  Recorder rec(dir.path + "/run", task, model, pool);
  ph_pool_stop(pool.pool);
  EXPECT_EQ(PH_OK, ph_pool_run(pool.pool, rec.rec));
  EXPECT_EQ(0, rec.close().resets);
}

TEST(PoolEnds, AnErrorOfOneEnvStopsAllInOrder) {
  TempDir dir;
  Model model;
  /* The error comes where the state says so: in some env, after some steps. */
  Task task(endless("reset = function(env, rng) env.qpos.a = rng() end,\n"
                    "reward = function(s) if s.step == 400 and s.joint.a ~= 0 then\n"
                    "  error('tired') end return 0 end,\n"));
  for (int jobs : {1, 2, 16}) {
    Pool pool(task, model, Pool::options(4, 40, jobs));
    std::string run = dir.path + "/run" + std::to_string(jobs);
    Recorder rec(run, task, model, pool);
    EXPECT_EQ(PH_ETASK, ph_pool_run(pool.pool, rec.rec));
    std::string error = ph_error();
    EXPECT_NE(std::string::npos, error.find("episode 0: long: step 400: ")) << error;
    EXPECT_NE(std::string::npos, error.find("tired")) << error;
    ph_tally tally = rec.close();
    EXPECT_EQ(tally.commits, tally.by_end[PH_END_ABORTED]);
    EXPECT_LE(tally.resets, 4) << "nothing begins any more";
    int faults = 0, first = -1;
    for (auto &t : pool.told) {
      EXPECT_EQ(PH_POOL_SAVED, t.e.fate);
      if (t.error.empty())
        continue;
      faults++;
      EXPECT_EQ(399, t.e.actions) << "the step with the error is no row";
      EXPECT_NE(std::string::npos, t.detail.find("tired")) << t.detail;
      first = t.error == error ? t.e.env_id : first;
    }
    EXPECT_GE(faults, 1);
    EXPECT_EQ(faults, pool.progress().errors);
    ASSERT_GE(first, 0) << "the first error is told with its episode";
    for (auto &t : pool.told) {
      if (t.error.empty()) {
        EXPECT_EQ("the run ended with an error of env " + std::to_string(first), t.detail);
      }
    }
  }
}

TEST(PoolEnds, AnErrorOfAResetStopsItToo) {
  TempDir dir;
  Model model;
  Task task(endless("reset = function(env) error('no way') end,\n"));
  Pool pool(task, model, Pool::options(2, 6, 2));
  Recorder rec(dir.path + "/run", task, model, pool);
  EXPECT_EQ(PH_ETASK, ph_pool_run(pool.pool, rec.rec));
  EXPECT_NE(nullptr, strstr(ph_error(), "episode 0: ")) << ph_error();
  EXPECT_NE(nullptr, strstr(ph_error(), "no way")) << ph_error();
  EXPECT_TRUE(pool.told.empty()) << "no episode has begun";
  rec.close();
}

/* What the engine has allocated, and a limit to it. */
struct Memory {
  static inline std::mutex lock;
  static inline std::map<void *, size_t> blocks;
  static inline size_t live, most, limit;
  static void *take(size_t size) {
    std::lock_guard<std::mutex> guard(lock);
    if (limit > 0 && live + size > limit)
      return nullptr;
    void *block = aligned_alloc(64, (size + 63) / 64 * 64);
    blocks[block] = size;
    live += size;
    most = std::max(most, live);
    return block;
  }
  static void give(void *block) {
    std::lock_guard<std::mutex> guard(lock);
    auto at = blocks.find(block);
    if (at != blocks.end()) {
      live -= at->second;
      blocks.erase(at);
    }
    free(block);
  }
  Memory() {
    live = most = limit = 0;
    mju_user_malloc = take;
    mju_user_free = give;
  }
  /* The engine leaves what it has when it gets no more. */
  ~Memory() {
    for (auto &block : blocks)
      free(block.first);
    blocks.clear();
    mju_user_malloc = nullptr;
    mju_user_free = nullptr;
  }
};

/* What one env takes. */
size_t env_size(const Task &task, const Model &model) {
  Pool one(task, model, Pool::options(1, 1, 1));
  EXPECT_EQ(PH_OK, one.created) << ph_error();
  return Memory::live;
}

TEST(PoolEnds, AnEnvIsMadeWhenItBeginsAndFreedWhenItsShareHasEnded) {
  TempDir dir;
  Model model;
  Task task(pool_task(10));
  Memory memory;
  size_t one = env_size(task, model);
  ASSERT_GT(one, 0u);
  for (int jobs : {1, 4}) {
    Pool pool(task, model, Pool::options(40, 40, jobs));
    ASSERT_EQ(PH_OK, pool.created) << ph_error();
    EXPECT_EQ(one, Memory::live) << "the first only";
    Memory::most = 0;
    Recorder rec(dir.path + "/run" + std::to_string(jobs), task, model, pool);
    EXPECT_EQ(PH_OK, ph_pool_run(pool.pool, rec.rec)) << ph_error();
    EXPECT_LT(Memory::most, (static_cast<size_t>(jobs) + 1) * one)
        << "each ends with its first turn, none waits for the others";
    EXPECT_EQ(0u, Memory::live) << "before the pool is freed";
    EXPECT_EQ(2, ph_pool_dims(pool.pool)->action_dim);
    EXPECT_EQ(40, rec.close().commits);
  }
  EXPECT_EQ(content_hash(dir.path + "/run1"), content_hash(dir.path + "/run4"));
}

TEST(PoolEnds, AnEnvThatCannotBeMadeStopsItInOrder) {
  TempDir dir;
  Model model;
  Task task(endless());
  Memory memory;
  size_t one = env_size(task, model);
  for (int jobs : {1, 3}) {
    Pool pool(task, model, Pool::options(20, 20, jobs));
    ASSERT_EQ(PH_OK, pool.created) << ph_error();
    Recorder rec(dir.path + "/run" + std::to_string(jobs), task, model, pool);
    Memory::limit = 5 * one + one / 2;
    EXPECT_NE(PH_OK, ph_pool_run(pool.pool, rec.rec));
    std::string error = ph_error();
    Memory::limit = 0;
    EXPECT_NE(std::string::npos, error.find(" episode 0: ")) << error;
    EXPECT_GE(pool.progress().errors, 1);
    ph_tally tally = rec.close();
    EXPECT_GT(tally.commits, 0);
    EXPECT_LE(tally.resets, 5);
    EXPECT_EQ(tally.commits, tally.by_end[PH_END_ABORTED]);
    for (auto &t : pool.told)
      EXPECT_EQ(0u, t.detail.find("the run ended with an error of env ")) << t.detail;
  }
}

TEST(PoolEnds, ARecorderThatCannotWriteIsNoError) {
  Model model;
  Task task(pool_task(20));
  Catch sink;
  sink.fail_end = 1;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = task.task;
  ph_recorder *rec = nullptr;
  ASSERT_EQ(PH_OK, ph_recorder_open_sink(&rec, &sink.sink, "nowhere", model.model, &opt));
  Pool pool(task, model, Pool::options(2, 6, 1));
  EXPECT_EQ(PH_OK, ph_pool_run(pool.pool, rec));
  ASSERT_EQ(6u, pool.told.size());
  EXPECT_EQ(PH_POOL_KEPT, pool.told[0].e.fate);
  EXPECT_EQ(1, pool.progress().errors);
  for (size_t i = 1; i < 6; i++)
    EXPECT_EQ(PH_POOL_SAVED, pool.told[i].e.fate);
  ph_tally tally;
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, &tally));
  EXPECT_EQ(6, tally.commits) << "it was tried again";
  EXPECT_EQ(6u, sink.kept.size());
}

TEST(PoolEnds, AnEpisodeThatIsSkippedTakesANumberAndIsCounted) {
  TempDir dir;
  Model model;
  Task task(pool_task(4));
  Pool pool(task, model, Pool::options(1, 1, 1));
  Recorder rec(dir.path + "/run", task, model, pool);
  EXPECT_EQ(PH_OK, ph_recorder_skip(rec.rec, 0)) << ph_error();
  EXPECT_EQ(PH_EINVAL, ph_recorder_skip(rec.rec, -1));
  EXPECT_EQ(1, ph_recorder_next_episode(rec.rec, 0));
  Env env(task, model);
  ph_row row;
  ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row));
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, 0, 1, nullptr, 0, &row)) << ph_error();
  EXPECT_EQ(PH_EINVAL, ph_recorder_skip(rec.rec, 0)) << "one runs";
  EXPECT_NE(nullptr, strstr(ph_error(), "its episode 1 has not ended")) << ph_error();
  ph_tally tally = rec.close();
  EXPECT_EQ(2, tally.resets);
  EXPECT_EQ(2, tally.discards);
}

TEST(PoolEnds, DiskUseIsWhatTheFolderHolds) {
  TempDir dir;
  write_file(dir.path + "/run.h5", 9000);
  write_file(dir.path + "/env001_ep000000_5.h5", 20000);
  write_file(dir.path + "/letter", 50000);
  int64_t letter = blocks(dir.path, "letter");
  ph_disk_use *use = ph_disk_use_new(dir.path.c_str(), 3);
  auto holds = [&](const char *what) {
    EXPECT_EQ(blocks(dir.path) - letter, ph_disk_use_now(use)) << what;
  };
  holds("what was there");
  write_file(dir.path + "/env000_ep000000_7.h5", 30000);
  ph_disk_use_add(use, 0, 0, 7);
  holds("an episode that was saved");
  write_file(dir.path + "/env000.journal", 70000);
  write_file(dir.path + "/index", 300);
  holds("the journal of a running one");
  ph_disk_use_add(use, 2, 4, 9);
  holds("one that could not be written");
  std::filesystem::rename(dir.path + "/env000.journal", dir.path + "/env002_ep000004.journal");
  holds("its rows are in a journal");
  std::filesystem::remove(dir.path + "/env002_ep000004.journal");
  write_file(dir.path + "/env002_ep000004_9.h5", 80000);
  holds("it was written after all");
  ph_disk_use_free(use);
  EXPECT_EQ(0, ph_disk_use_now(nullptr));
}

TEST(PoolEnds, ManyJournalsAreLookedAtInTurns) {
  TempDir dir;
  const int envs = 200;
  ph_disk_use *use = ph_disk_use_new(dir.path.c_str(), envs);
  char name[40];
  for (int i = 0; i < envs; i++) {
    snprintf(name, sizeof name, "/env%03d.journal", i);
    write_file(dir.path + name, 5000);
  }
  int64_t all = blocks(dir.path), first = ph_disk_use_now(use);
  EXPECT_GT(first, 0);
  EXPECT_LT(first, all) << "not all at once";
  for (int k = 0; k < 3; k++)
    first = ph_disk_use_now(use);
  EXPECT_EQ(all, first);
  ph_disk_use_free(use);
}

TEST(PoolEnds, ProgressCountsWhatHasCome) {
  TempDir dir;
  Model model;
  Task task(pool_task(25));
  Pool pool(task, model, Pool::options(3, 8, 2));
  ph_pool_progress p = pool.progress();
  EXPECT_EQ(3, p.running);
  EXPECT_EQ(0, p.ended);
  EXPECT_EQ(8, p.wanted);
  Recorder rec(dir.path + "/run", task, model, pool);
  EXPECT_EQ(0, ph_pool_disk_use(pool.pool));
  EXPECT_EQ(PH_OK, ph_pool_run(pool.pool, rec.rec));
  p = pool.progress();
  EXPECT_EQ(blocks(dir.path + "/run"), ph_pool_disk_use(pool.pool));
  EXPECT_EQ(3, p.envs);
  EXPECT_EQ(3, ph_pool_env_ended(pool.pool, 0));
  EXPECT_EQ(2, ph_pool_env_ended(pool.pool, 2));
  EXPECT_EQ(0, ph_pool_env_ended(pool.pool, 3));
  for (auto &t : pool.told)
    EXPECT_EQ(t.id + "_" + std::to_string(t.e.actions) + ".h5", t.file);
  std::vector<std::string> files;
  for (auto &t : pool.told)
    files.push_back(t.file);
  std::sort(files.begin(), files.end());
  EXPECT_EQ(episode_files(dir.path + "/run"), files);
  ph_tally tally = rec.close();
  EXPECT_EQ(0, p.running);
  EXPECT_EQ(8, p.ended);
  EXPECT_EQ(tally.steps, p.steps);
  EXPECT_EQ(tally.by_end[PH_END_SUCCESS], p.successes);
  EXPECT_EQ(2, p.fewest);
  EXPECT_EQ(3, p.most);
}

} // namespace
