#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "rec_help.h"

namespace {

const char *const kTasks[] = {"drawer_close", "quadruped_stand", "muscle_reach"};
const int kEnvs = 2;
const uint64_t kSeed = 7; /* as in the commands of data/README.md */

std::string data_path(const std::string &name) {
  return std::string(TEST_SOURCE_ROOT) + "/data/" + name;
}

struct RunDir {
  ph_store *store = nullptr;
  explicit RunDir(const std::string &path) {
    const char *paths[1] = {path.c_str()};
    EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  }
  ~RunDir() { ph_store_free(store); }
};

struct Episode {
  ph_episode *episode = nullptr;
  Episode(RunDir &run, size_t i) {
    EXPECT_EQ(PH_OK, ph_store_episode(&episode, run.store, i)) << ph_error();
  }
  ~Episode() { ph_episode_free(episode); }
  const ph_episode_meta &meta() const { return *ph_episode_meta_of(episode); }
  std::string bytes(ph_column col) const {
    int64_t rows = ph_episode_rows(episode, col);
    size_t row = ph_schema_width(col, &meta().dims) * ph_type_size(ph_schema_column(col)->type);
    std::string out(static_cast<size_t>(rows) * row, '\0');
    EXPECT_EQ(PH_OK, ph_episode_read(episode, col, 0, rows, out.data())) << ph_error();
    return out;
  }
  std::vector<double> numbers(ph_column col) const {
    std::string raw = bytes(col);
    std::vector<double> out(raw.size() / sizeof(double));
    memcpy(out.data(), raw.data(), out.size() * sizeof(double));
    return out;
  }
};

size_t find(RunDir &run, int env_id, int64_t episode) {
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    const ph_entry *entry = ph_store_entry(run.store, i);
    if (entry->env_id == env_id && entry->episode == episode)
      return i;
  }
  return SIZE_MAX;
}

struct Loaded {
  ph_task *task = nullptr;
  ph_model *model = nullptr;
  explicit Loaded(const std::string &name) {
    EXPECT_EQ(PH_OK, ph_task_open(&task, data_path(name + ".lua").c_str())) << ph_error();
    EXPECT_EQ(PH_OK, ph_task_model(&model, task, nullptr)) << ph_error();
  }
  ~Loaded() {
    ph_model_unref(model);
    ph_task_unref(task);
  }
};

/* What the record command does, on one thread. */
void record_again(const std::string &name, int episodes, const std::string &dir, double hold = -1) {
  Loaded loaded(name);
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = loaded.task;
  opt.hold_seconds = hold;
  ASSERT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), loaded.model, &opt)) << ph_error();
  for (int id = 0; id < kEnvs; id++) {
    ph_env *env = nullptr;
    ph_env_options how = {};
    how.hold_seconds = hold;
    ASSERT_EQ(PH_OK, ph_env_create(&env, loaded.task, loaded.model, &how)) << ph_error();
    for (int k = 0; id + k * kEnvs < episodes; k++)
      rollout(env, ph_env_seed(kSeed, id, k), rec, id);
    ph_env_free(env);
  }
  ASSERT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
}

void expect_same_bits(const Episode &a, const Episode &b) {
  for (int c = 0; c < PH_COL_COUNT; c++) {
    ph_column col = static_cast<ph_column>(c);
    const char *path = ph_schema_column(col)->path;
    ASSERT_EQ(ph_episode_has(a.episode, col), ph_episode_has(b.episode, col)) << path;
    if (ph_episode_has(a.episode, col) && col != PH_COL_FINAL_STATE) {
      EXPECT_TRUE(a.bytes(col) == b.bytes(col)) << path;
    }
  }
  EXPECT_STREQ(a.meta().end_detail, b.meta().end_detail);
  EXPECT_EQ(a.meta().end_reason, b.meta().end_reason);
  EXPECT_STREQ(a.meta().seed, b.meta().seed);
}

bool same_engine(RunDir &run) {
  ph_model *model = nullptr;
  EXPECT_EQ(PH_OK, ph_store_model(&model, run.store, ph_store_model_hash(run.store, 0)))
      << ph_error();
  bool same = model && strcmp(ph_model_engine_version(model), ph_engine_version()) == 0;
  ph_model_unref(model);
  return same;
}

/* Another libm gives other bits, and contacts make them grow: only the start can be compared.
 * Another engine may also solve contacts otherwise: only what reset made can. */
void expect_close_start(const Episode &a, const Episode &b, size_t rows) {
  std::vector<double> x = a.numbers(PH_COL_STATES), y = b.numbers(PH_COL_STATES);
  size_t width = ph_schema_width(PH_COL_STATES, &a.meta().dims);
  ASSERT_LE(rows * width, std::min(x.size(), y.size()));
  for (size_t i = 0; i < rows * width; i++)
    EXPECT_NEAR(x[i], y[i], 1e-6) << i;
}

struct Data : testing::TestWithParam<const char *> {};

/* A run that is there, and the same recorded again. */
void expect_again(const std::string &dir, const std::string &task, double hold) {
  TempDir tmp;
  RunDir old(data_path("runs/" + dir));
  int episodes = static_cast<int>(ph_store_count(old.store));
  ASSERT_GE(episodes, 4);
  record_again(task, episodes, tmp.path + "/run", hold);
  RunDir again(tmp.path + "/run");
  ASSERT_EQ(static_cast<size_t>(episodes), ph_store_count(again.store));
  bool same = false;
  size_t rows = same_engine(old) ? 10 : 1;
  for (int i = 0; i < episodes; i++) {
    const ph_entry *entry = ph_store_entry(old.store, i);
    size_t j = find(again, entry->env_id, entry->episode);
    ASSERT_NE(SIZE_MAX, j);
    Episode a(old, i), b(again, j);
    same = strcmp(a.meta().substrate, ph_substrate()) == 0;
    same ? expect_same_bits(a, b) : expect_close_start(a, b, rows);
  }
  char x[PH_SHA256_SIZE], y[PH_SHA256_SIZE];
  ASSERT_EQ(PH_OK, ph_store_content_hash(old.store, x));
  ASSERT_EQ(PH_OK, ph_store_content_hash(again.store, y));
  if (same) {
    EXPECT_STREQ(x, y);
  } else {
    printf("[   NOTE   ] %s: another substrate than the recorded one: states compared with a "
           "tolerance of 1e-6: the first %zu\n",
           dir.c_str(), rows);
  }
}

TEST_P(Data, RecordsAgain) {
  expect_again(GetParam(), GetParam(), -1);
}

TEST_P(Data, StatesAreTame) {
  RunDir run(data_path(std::string("runs/") + GetParam()));
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    Episode e(run, i);
    for (ph_column col : {PH_COL_STATES, PH_COL_ACTIONS, PH_COL_CTRL, PH_COL_REWARDS})
      for (double x : e.numbers(col))
        ASSERT_LT(std::fabs(x), 1e2) << ph_schema_column(col)->path;
    for (char flag : e.bytes(PH_COL_FLAGS))
      EXPECT_EQ(0, flag & PH_FLAG_WARNED);
    EXPECT_GE(e.meta().actions, 20);
  }
}

TEST_P(Data, TheRunIsOfTheTaskAndModelBesideIt) {
  Loaded loaded(GetParam());
  RunDir run(data_path(std::string("runs/") + GetParam()));
  EXPECT_STREQ(GetParam(), ph_task_info_of(loaded.task)->name);
  EXPECT_STREQ(ph_task_sha256(loaded.task), ph_store_task_hash(run.store, 0));
  EXPECT_STREQ(ph_model_sha256(loaded.model), ph_store_model_hash(run.store, 0));
}

INSTANTIATE_TEST_SUITE_P(Tasks, Data, testing::ValuesIn(kTasks),
                         [](const auto &info) { return std::string(info.param); });

/* Rows of the predicate as text, "0011101". */
std::string predicate(const Episode &e) {
  std::string text;
  for (char c : e.bytes(PH_COL_PREDICATE))
    text += c ? '1' : '0';
  return text;
}

/* It was true, broke, and was true again. */
bool broke(const std::string &p) {
  return p.find("10") != std::string::npos && p.rfind("01") > p.find("10");
}

std::set<std::string> edits_of(const Episode &e) {
  std::set<std::string> fields;
  size_t n = 0;
  const ph_edit *edits = ph_episode_edits(e.episode, &n);
  for (size_t i = 0; i < n; i++)
    fields.insert(edits[i].field);
  return fields;
}

TEST(DataDrawer, ShowsWhatTheReadmeSays) {
  RunDir run(data_path("runs/drawer_close"));
  int ends[PH_END_COUNT] = {0}, broken = 0, welded = 0, rough = 0, clipped = 0;
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    Episode e(run, i);
    ends[e.meta().end_reason]++;
    broken += e.meta().end_reason == PH_END_SUCCESS && broke(predicate(e));
    welded += ph_episode_has(e.episode, PH_COL_EQ_ACTIVE);
    rough += edits_of(e).count("geom_friction") > 0;
    EXPECT_TRUE(edits_of(e).count("body_pos")) << "the table is moved in every episode";
    EXPECT_TRUE(ph_episode_has(e.episode, PH_COL_MOCAP_POS));
    EXPECT_FALSE(ph_episode_has(e.episode, PH_COL_MOCAP_QUAT));
    EXPECT_TRUE(ph_episode_has(e.episode, PH_COL_ACTION_STATE)) << "the joints' targets";
    EXPECT_EQ(4, e.meta().dims.action_state);
    std::string flags = e.bytes(PH_COL_FLAGS);
    clipped += std::any_of(flags.begin(), flags.end(), [](char f) { return f & PH_FLAG_CLIPPED; });
  }
  EXPECT_GT(ends[PH_END_SUCCESS], 0);
  EXPECT_GT(ends[PH_END_TRUNCATED], 0);
  EXPECT_GT(ends[PH_END_TERMINATED], 0) << "the cup fell";
  EXPECT_GT(broken, 0) << "a hold that breaks and starts again before it succeeds";
  EXPECT_GT(welded, 0);
  EXPECT_LT(welded, static_cast<int>(ph_store_count(run.store)));
  EXPECT_GT(rough, 0);
  EXPECT_EQ(2, clipped) << "those of a clumsy arm";
}

TEST(DataDrawer, ModelHasWhatItIsFor) {
  Loaded loaded("drawer_close");
  EXPECT_EQ(1, ph_model_dims(loaded.model)->nmocap);
  EXPECT_EQ(2, ph_model_dims(loaded.model)->neq);
  EXPECT_GE(ph_model_find(loaded.model, PH_EQUALITY, "pin"), 0);
  EXPECT_EQ(1u, loaded.model->source->nassets) << "the cup's mesh";
  std::set<ph_joint_type> types;
  for (int i = 0; i < ph_model_count(loaded.model, PH_JOINT); i++)
    types.insert(ph_model_joint(loaded.model, i)->type);
  EXPECT_EQ((std::set<ph_joint_type>{PH_FREE, PH_SLIDE, PH_HINGE}), types);
}

TEST(DataQuadruped, HasBallJointsAndManyContacts) {
  Loaded loaded("quadruped_stand");
  int balls = 0;
  for (int i = 0; i < ph_model_count(loaded.model, PH_JOINT); i++)
    balls += ph_model_joint(loaded.model, i)->type == PH_BALL;
  EXPECT_EQ(4, balls);
  EXPECT_STREQ("PGS", ph_model_solver(loaded.model));
  RunDir run(data_path("runs/quadruped_stand"));
  int pushed = 0, most = 0;
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    Episode e(run, i);
    pushed += ph_episode_has(e.episode, PH_COL_XFRC_APPLIED);
    ph_replay *replay = nullptr;
    ASSERT_EQ(PH_OK, ph_replay_create(&replay, e.episode, loaded.model, loaded.task)) << ph_error();
    for (int64_t t = 0; t < e.meta().states; t += 10) {
      ASSERT_EQ(PH_OK, ph_replay_seek(replay, t, 0, PH_KINEMATIC)) << ph_error();
      most = std::max(most, static_cast<int>(ph_replay_frame(replay)->ncontact));
    }
    ph_replay_free(replay);
  }
  EXPECT_GT(pushed, 0);
  EXPECT_GE(most, 8);
}

TEST(DataMuscle, HasActivationsAndTendons) {
  Loaded loaded("muscle_reach");
  EXPECT_EQ(5, ph_model_dims(loaded.model)->na);
  EXPECT_EQ(4, ph_model_count(loaded.model, PH_TENDON));
  EXPECT_STREQ("RK4", ph_model_integrator(loaded.model));
  RunDir run(data_path("runs/muscle_reach"));
  int success = 0, broken = 0;
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    Episode e(run, i);
    success += e.meta().end_reason == PH_END_SUCCESS;
    broken += broke(predicate(e));
    EXPECT_TRUE(edits_of(e).count("body_mass"));
  }
  EXPECT_GT(success, 0);
  EXPECT_GT(broken, 0);
}

/* Recorded with a hold of 1 s where the task asks for 0.4. */
TEST(DataHold, RecordsAgain) {
  expect_again("muscle_hold", "muscle_reach", 1);
}

TEST(DataHold, HoldsBreakAndBeginAgainAndLatchEarlierAtTheTasksOwn) {
  RunDir run(data_path("runs/muscle_hold"));
  int success = 0, broken = 0, earlier = 0;
  for (size_t i = 0; i < ph_store_count(run.store); i++) {
    Episode e(run, i);
    std::string p = predicate(e);
    EXPECT_EQ(50, e.meta().hold_steps);
    success += e.meta().end_reason == PH_END_SUCCESS;
    broken += broke(p);
    size_t own = p.find(std::string(50, '1')), task = p.find(std::string(20, '1'));
    EXPECT_EQ(e.meta().end_reason == PH_END_SUCCESS, own != std::string::npos);
    earlier += task != std::string::npos && task + 20 < p.size();
  }
  EXPECT_EQ(2, success);
  EXPECT_EQ(4, broken);
  EXPECT_EQ(2, earlier) << "a cut at the task's hold takes steps off";
}

} // namespace
