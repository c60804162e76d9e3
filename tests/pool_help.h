// A pool of envs, a recorder, and what was told of the episodes.
#ifndef TESTS_POOL_HELP_H
#define TESTS_POOL_HELP_H

#include <algorithm>
#include <mutex>

#include "rec_help.h"

/* An episode as it was told of, with the texts kept. */
struct Told {
  ph_pool_episode e;
  std::string detail, error, id, file;
};

struct Pool {
  ph_pool *pool = nullptr;
  std::vector<Told> told; /* the pool calls back one at a time */
  int inside = 0;
  ph_status created;

  static void ended(void *user, const ph_pool_episode *e) {
    Pool *p = static_cast<Pool *>(user);
    EXPECT_EQ(0, p->inside++) << "one at a time";
    p->told.push_back({*e, e->detail, e->error != nullptr ? e->error : "", e->id, e->file});
    p->inside--;
  }
  static ph_pool_options options(int envs, int64_t episodes, int jobs, uint64_t seed = 3) {
    ph_pool_options opt = PH_POOL_OPTIONS_INIT;
    opt.envs = envs;
    opt.episodes = episodes;
    opt.jobs = jobs;
    opt.seed = seed;
    return opt;
  }
  Pool(const Task &task, const Model &model, ph_pool_options opt) {
    opt.ended = ended;
    opt.user = this;
    created = ph_pool_create(&pool, task.task, model.model, &opt);
  }
  ~Pool() { ph_pool_free(pool); }
  Pool(const Pool &) = delete;

  ph_pool_progress progress() const {
    ph_pool_progress p;
    ph_pool_progress_of(pool, &p);
    return p;
  }
};

/* A recorder of a run directory for the envs of a pool. */
struct Recorder {
  ph_recorder *rec = nullptr;
  Recorder(const std::string &dir, const Task &task, const Model &model, const Pool &pool,
           ph_existing existing = PH_EXISTING_REFUSE) {
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    opt.task = task.task;
    opt.action_dim = ph_pool_dims(pool.pool)->action_dim;
    opt.action_state = ph_pool_dims(pool.pool)->action_state;
    opt.existing = existing;
    opt.behind = getenv("PLAYHEAD_TEST_BEHIND") != nullptr;
    EXPECT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model.model, &opt)) << ph_error();
  }
  ~Recorder() {
    if (rec != nullptr)
      ph_recorder_close(rec, nullptr);
  }
  ph_tally close() {
    ph_tally tally = {};
    EXPECT_EQ(PH_OK, ph_recorder_close(rec, &tally)) << ph_error();
    rec = nullptr;
    EXPECT_EQ(tally.resets, tally.commits + tally.discards);
    EXPECT_EQ(0, tally.failed);
    return tally;
  }
};

/* Records all into a new run directory. */
inline ph_tally record(const std::string &dir, const Task &task, const Model &model,
                       const ph_pool_options &opt, ph_existing existing = PH_EXISTING_REFUSE,
                       std::vector<Told> *told = nullptr) {
  Pool pool(task, model, opt);
  EXPECT_EQ(PH_OK, pool.created) << ph_error();
  Recorder rec(dir, task, model, pool, existing);
  EXPECT_EQ(PH_OK, ph_pool_run(pool.pool, rec.rec)) << ph_error();
  if (told != nullptr)
    *told = pool.told;
  return rec.close();
}

struct Store {
  ph_store *store = nullptr;
  explicit Store(const std::string &path) {
    const char *paths[] = {path.c_str()};
    EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  }
  ~Store() { ph_store_free(store); }
  size_t count() const { return ph_store_count(store); }
  std::string hash() const {
    char out[PH_SHA256_SIZE] = "";
    EXPECT_EQ(PH_OK, ph_store_content_hash(store, out)) << ph_error();
    return out;
  }
};

inline std::string content_hash(const std::string &path) {
  return Store(path).hash();
}

/* Names of the episode files of a run. */
inline std::vector<std::string> episode_files(const std::string &dir) {
  std::vector<std::string> names;
  for (auto &file : std::filesystem::directory_iterator(dir)) {
    std::string name = file.path().filename();
    if (name.rfind("env", 0) == 0 && name.find(".h5") != std::string::npos)
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/* Episodes of lengths between 3 and max_steps, about half of them with success; some change the
 * model. */
inline std::string pool_task(int max_steps, const std::string &more = "") {
  return "local stop = 0\nreturn { name = 'odds', control_steps = 2, max_steps = " +
         std::to_string(max_steps) +
         ",\nhold_seconds = 0, actions = { { type = 'joint_position', joints = { 'a', 'b' } } },\n"
         "reset = function(env, rng) env.qpos.a = 0.2 * rng()\n"
         "  stop = rng() < 0.5 and math.floor(3 + 20 * rng()) or 1e9\n"
         "  if rng() < 0.5 then env.model.body.arm.pos = {0, 0.1 * rng(), 0.5} end end,\n"
         "success = function(s) return s.step >= stop end,\n"
         "policy = function(s, rng) return { 0.3 * math.sin(0.2 * s.step) + 0.1 * rng(), 0.3 * "
         "rng() } end,\n" +
         more + "}\n";
}

#endif
