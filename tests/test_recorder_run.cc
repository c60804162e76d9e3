#include "rec_help.h"

namespace {

std::string joined(const std::vector<std::string> &rows) {
  std::string all;
  for (const std::string &row : rows)
    all += row;
  return all;
}

const char *kHoldTask = "success = function(s) return s.step == 2 or s.step >= 6 end";

/* --- run directories --- */

/* Records M episodes with N envs as the command does: env i records episodes 0, 1, ... */
std::string record_run(const std::string &dir, const Model &model, const Task &task,
                       uint64_t run_seed, int nenv, int episodes, double hold = -1.0) {
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = task.task;
  opt.hold_seconds = hold;
  EXPECT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model.model, &opt)) << ph_error();
  for (int env = 0; env < nenv; env++) {
    Env e(task, model, hold);
    for (int k = 0; env + k * nenv < episodes; k++)
      rollout(e.env, ph_env_seed(run_seed, env, k), rec, env);
  }
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
  return dir;
}

struct Store {
  ph_store *store = nullptr;
  explicit Store(const std::string &path) {
    const char *paths[1] = {path.c_str()};
    EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  }
  std::string hash() {
    char text[PH_SHA256_SIZE] = "";
    EXPECT_EQ(PH_OK, ph_store_content_hash(store, text)) << ph_error();
    return text;
  }
  ~Store() { ph_store_free(store); }
};

template <class T> std::vector<T> read_all(const ph_episode *episode, ph_column col) {
  size_t width = ph_schema_width(col, &ph_episode_meta_of(episode)->dims);
  int64_t rows = ph_episode_rows(episode, col);
  std::vector<T> out(width * static_cast<size_t>(rows));
  EXPECT_EQ(PH_OK, ph_episode_read(episode, col, 0, rows, out.data())) << ph_error();
  return out;
}

TEST(Run, SameSeedSameContentOtherSeedOtherContent) {
  Model model;
  Task task(rec_task(kHoldTask));
  TempDir tmp;
  Store a(record_run(tmp.path + "/a", model, task, 7, 2, 4));
  Store b(record_run(tmp.path + "/b", model, task, 7, 2, 4));
  Store c(record_run(tmp.path + "/c", model, task, 8, 2, 4));
  EXPECT_EQ(64u, a.hash().size());
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_NE(a.hash(), c.hash());
  EXPECT_EQ(4u, ph_store_count(a.store));
}

TEST(Run, EpisodesDependOnEnvAndEpisodeNotOnHowManyThereAre) {
  Model model;
  Task task(rec_task(kHoldTask));
  TempDir tmp;
  Store many(record_run(tmp.path + "/many", model, task, 7, 3, 6));
  Store one(record_run(tmp.path + "/one", model, task, 7, 1, 2));
  ASSERT_EQ(2u, ph_store_count(one.store));
  for (int64_t k = 0; k < 2; k++) {
    std::vector<double> states[2];
    Store *stores[2] = {&many, &one};
    for (int side = 0; side < 2; side++) {
      for (size_t i = 0; i < ph_store_count(stores[side]->store); i++) {
        const ph_entry *entry = ph_store_entry(stores[side]->store, i);
        if (entry->env_id != 0 || entry->episode != k)
          continue;
        ph_episode *episode = nullptr;
        ASSERT_EQ(PH_OK, ph_store_episode(&episode, stores[side]->store, i)) << ph_error();
        states[side] = read_all<double>(episode, PH_COL_STATES);
        ph_episode_free(episode);
      }
    }
    ASSERT_FALSE(states[0].empty());
    ASSERT_EQ(states[0].size(), states[1].size());
    EXPECT_EQ(0, memcmp(states[0].data(), states[1].data(), states[0].size() * sizeof(double)));
  }
}

/* Row 0, the stored edits and the stored ctrl give every recorded state again, bit for bit. */
TEST(Run, StoredEpisodesReproduceThemselves) {
  Model model;
  Task task(rec_task(
      "reset = function(env, rng) env.qpos.a = rng(); env.model.body.fore.pos = {0.3, 0.02 * "
      "rng(), 0}; env.eq_active.grab = rng() < 0.6; env.mocap.target.pos = {0.5, 0, 0.2}; "
      "env.xfrc.ball = {0.1, 0, 0, 0, 0, 0} end"));
  TempDir tmp;
  Store run(record_run(tmp.path + "/run", model, task, 3, 1, 3));
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    ph_episode *episode = nullptr;
    ASSERT_EQ(PH_OK, ph_store_episode(&episode, run.store, i)) << ph_error();
    ph_model *stored = nullptr;
    ASSERT_EQ(PH_OK, ph_store_model(&stored, run.store, ph_episode_meta_of(episode)->model_sha256))
        << ph_error();
    ph_sim *sim = nullptr;
    ASSERT_EQ(PH_OK, ph_sim_create(&sim, stored)) << ph_error();
    size_t n = 0;
    const ph_edit *edits = ph_episode_edits(episode, &n);
    ASSERT_EQ(1u, n);
    ASSERT_EQ(PH_OK, ph_sim_edit(sim, edits, n)) << ph_error();
    ph_row row = {};
    std::map<int, std::string> first;
    const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
    for (int c = 0; c < PH_COL_COUNT; c++) {
      ph_column col = static_cast<ph_column>(c);
      if (!ph_episode_has(episode, col) || ph_schema_width(col, dims) == 0)
        continue;
      first[c].resize(ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type));
      ASSERT_EQ(PH_OK, ph_episode_read(episode, col, 0, 1, first[c].data())) << ph_error();
      ph_row_set_column(&row, col, first[c].data());
    }
    ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &row)) << ph_error();
    std::vector<double> states = read_all<double>(episode, PH_COL_STATES);
    std::vector<double> ctrl = read_all<double>(episode, PH_COL_CTRL);
    std::vector<double> warm = read_all<double>(episode, PH_COL_WARMSTART);
    size_t ns = ph_schema_width(PH_COL_STATES, dims), nv = static_cast<size_t>(dims->nv);
    for (int64_t t = 0; t < ph_episode_meta_of(episode)->actions; t++) {
      bool warned = false;
      ASSERT_EQ(PH_OK, ph_sim_step(sim, &ctrl[(t + 1) * dims->nu], dims->control_steps, &warned));
      ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &row));
      ASSERT_EQ(0, memcmp(row.state, &states[(t + 1) * ns], ns * sizeof(double))) << t;
      ASSERT_EQ(0, memcmp(row.warmstart, &warm[(t + 1) * nv], nv * sizeof(double))) << t;
    }
    ph_sim_free(sim);
    ph_model_unref(stored);
    ph_episode_free(episode);
  }
}

TEST(Run, TheLastStateIsTheOneBeforeAnyReset) {
  Model model;
  Task task(rec_task(kHoldTask));
  TempDir tmp;
  record_run(tmp.path + "/run", model, task, 7, 1, 1);
  Env env(task, model);
  Rollout r = rollout(env.env, ph_env_seed(7, 0, 0));
  Store run(tmp.path + "/run");
  ph_episode *episode = nullptr;
  ASSERT_EQ(PH_OK, ph_store_episode(&episode, run.store, 0)) << ph_error();
  std::vector<double> states = read_all<double>(episode, PH_COL_STATES);
  EXPECT_EQ(9, ph_episode_rows(episode, PH_COL_STATES));
  std::string all = joined(r.columns[PH_COL_STATES]);
  ASSERT_EQ(all.size(), states.size() * sizeof(double));
  EXPECT_EQ(0, memcmp(all.data(), states.data(), all.size()));
  EXPECT_EQ(1, ph_episode_meta_of(episode)->success);
  ph_episode_free(episode);
}

TEST(Run, HoldOverrideIsWrittenDown) {
  Model model;
  Task task(rec_task(kHoldTask));
  TempDir tmp;
  Store run(record_run(tmp.path + "/run", model, task, 7, 1, 1, 0.1));
  ph_episode *episode = nullptr;
  ASSERT_EQ(PH_OK, ph_store_episode(&episode, run.store, 0)) << ph_error();
  EXPECT_EQ(0.1, ph_episode_meta_of(episode)->hold_seconds);
  EXPECT_EQ(10, ph_episode_meta_of(episode)->hold_steps);
  EXPECT_EQ(15, ph_episode_meta_of(episode)->actions);
  ph_episode_free(episode);
}

/* --- models with little in them --- */

/* Records ten steps of a model through the rows API alone, then opens, seeks and verifies the run;
 * every frame has the bits that were recorded. */
void record_and_read_back(const std::string &xml, int nu, int na) {
  Model model(xml);
  TempDir tmp;
  std::string dir = tmp.path + "/run";
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = 2;
  ASSERT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model.model, &opt)) << ph_error();
  const ph_dims dims = *ph_model_dims(model.model);
  ASSERT_EQ(nu, dims.nu);
  ASSERT_EQ(na, dims.na);
  std::vector<double> ctrl(static_cast<size_t>(nu) + 1, 0.25);
  ph_sim *sim = nullptr;
  ASSERT_EQ(PH_OK, ph_sim_create(&sim, model.model));
  Rollout kept;
  ph_row row = {};
  ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &row));
  row.ctrl = nu > 0 ? row.ctrl : nullptr; /* a process of its own has no pointer for it */
  keep_row(kept, row, dims);
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec, 0, 0, nullptr, 0, &row)) << ph_error();
  for (int t = 0; t < 10; t++) {
    bool warned;
    ASSERT_EQ(PH_OK, ph_sim_step(sim, ctrl.data(), 2, &warned)) << ph_error();
    ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &row));
    row.ctrl = nu > 0 ? row.ctrl : nullptr;
    keep_row(kept, row, dims);
    ASSERT_EQ(PH_OK, put_row(rec, 0, nu > 0 ? ctrl.data() : nullptr, 0,
                             t == 9 ? PH_FLAG_TRUNCATED : 0, row))
        << ph_error();
  }
  ph_sim_free(sim);
  ASSERT_EQ(PH_OK, ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();

  Store run(dir);
  ph_episode *episode = nullptr;
  ph_model *stored = nullptr;
  ph_replay *replay = nullptr;
  ASSERT_EQ(PH_OK, ph_store_episode(&episode, run.store, 0)) << ph_error();
  EXPECT_EQ(10, ph_episode_meta_of(episode)->actions);
  EXPECT_EQ(-1, ph_episode_meta_of(episode)->success);
  ASSERT_EQ(PH_OK, ph_store_model(&stored, run.store, ph_episode_meta_of(episode)->model_sha256))
      << ph_error();
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, episode, stored, nullptr)) << ph_error();
  for (int64_t t : {10, 0, 7}) {
    ASSERT_EQ(PH_OK, ph_replay_seek(replay, t, 0, PH_KINEMATIC)) << ph_error();
    const std::string &want = kept.columns[PH_COL_STATES][static_cast<size_t>(t)];
    EXPECT_EQ(0, memcmp(want.data(), ph_replay_frame(replay)->row.state, want.size())) << t;
    EXPECT_TRUE(ph_replay_frame(replay)->forward);
  }
  ph_verdict verdict = {};
  EXPECT_EQ(PH_OK, ph_verify_episode(&verdict, episode, stored, nullptr, nullptr)) << ph_error();
  EXPECT_EQ(0u, verdict.nflaws) << verdict.flaw[0].text;
  EXPECT_EQ(11, verdict.checked);
  ph_replay_free(replay);
  ph_model_unref(stored);
  ph_episode_free(episode);
}

TEST(Run, APassiveModelIsRecordedAndReadBack) {
  record_and_read_back("<mujoco><worldbody><body pos='0 0 1'><joint name='swing' axis='0 1 0'/>"
                       "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></worldbody>"
                       "</mujoco>",
                       0, 0);
}

TEST(Run, ActivationsOfActuatorsWithoutNamesAreRecordedAndReadBack) {
  record_and_read_back("<mujoco><worldbody><body pos='0 0 1'><joint name='swing' axis='0 1 0'/>"
                       "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></worldbody>"
                       "<actuator><motor joint='swing'/>"
                       "<general joint='swing' dyntype='filter' dynprm='0.1'/>"
                       "<general joint='swing' dyntype='integrator'/></actuator></mujoco>",
                       3, 2);
}

/* --- the file of the run --- */

TEST(Run, RunFileIsThereOnceTheRecorderIsOpen) {
  Model model;
  Task task(rec_task(kHoldTask));
  TempDir tmp;
  std::string dir = tmp.path + "/run", file = dir + "/run.h5";
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = task.task;
  ASSERT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model.model, &opt)) << ph_error();
  ASSERT_TRUE(std::filesystem::exists(file));
  auto written = std::filesystem::last_write_time(file);
  {
    Store run(dir);
    EXPECT_STREQ(ph_model_sha256(model.model), ph_store_model_hash(run.store, 0));
    EXPECT_STREQ(ph_task_sha256(task.task), ph_store_task_hash(run.store, 0));
  }
  Env env(task, model);
  rollout(env.env, 1, rec);
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
  EXPECT_EQ(written, std::filesystem::last_write_time(file)) << "written once";
}

TEST(Run, ARunWithoutAnEpisodeLeavesNothing) {
  Model model;
  TempDir tmp;
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = 1;
  std::string made = tmp.path + "/made", there = tmp.path + "/there";
  std::filesystem::create_directory(there);
  for (const std::string &dir : {made, there}) {
    ASSERT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model.model, &opt)) << ph_error();
    ASSERT_TRUE(std::filesystem::exists(dir + "/run.h5"));
    EXPECT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
  }
  EXPECT_FALSE(std::filesystem::exists(made));
  EXPECT_TRUE(std::filesystem::is_empty(there)) << "a folder of someone else stays";
}

TEST(Run, AFolderThatHoldsARunIsRefused) {
  Model model;
  Task task(rec_task(kHoldTask));
  TempDir tmp;
  record_run(tmp.path + "/run", model, task, 7, 1, 1);
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = task.task;
  EXPECT_EQ(PH_EEXIST, ph_recorder_open(&rec, (tmp.path + "/run").c_str(), model.model, &opt));
  EXPECT_EQ(nullptr, rec);
}

} // namespace
