/* A live env and its past in memory. */
#include "rec_help.h"

namespace {

const char *kSuccess = "success = function(s) return s.step >= 9 and s.step ~= 10 end,"
                       "reward = function(s) return s.joint.a end";

struct Live {
  ph_live *live = nullptr;
  Live(const Task &task, const Model &model, size_t room = 0) {
    ph_live_options opt = PH_LIVE_OPTIONS_INIT;
    opt.room = room;
    EXPECT_EQ(PH_OK, ph_live_open(&live, task.task, model.model, &opt)) << ph_error();
  }
  Live(const Live &) = delete;
  ~Live() { ph_live_free(live); }
  ph_live_state now() const {
    ph_live_state s;
    ph_live_now(live, &s);
    return s;
  }
  const ph_episode *past() const { return ph_live_episode(live); }
};

std::string bytes(const ph_episode *e, ph_column col) {
  const ph_dims *dims = &ph_episode_meta_of(e)->dims;
  int64_t rows = ph_episode_rows(e, col);
  size_t row = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
  std::string out((size_t)rows * row, 0);
  EXPECT_EQ(PH_OK, ph_episode_read(e, col, 0, rows, out.data())) << ph_error();
  return out;
}

/* All columns of both, by bits. */
void expect_same(const ph_episode *a, const ph_episode *b) {
  int compared = 0;
  for (int c = 0; c < PH_COL_COUNT; c++) {
    ph_column col = (ph_column)c;
    if (c == PH_COL_FINAL_STATE || !ph_episode_has(b, col))
      continue;
    ASSERT_TRUE(ph_episode_has(a, col)) << ph_schema_column(col)->path;
    EXPECT_TRUE(bytes(a, col) == bytes(b, col)) << ph_schema_column(col)->path;
    compared++;
  }
  EXPECT_GT(compared, 6);
}

/* What `record` makes of the seed. */
std::string record(const Task &task, const Model &model, const std::string &dir, uint64_t seed) {
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = task.task;
  EXPECT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model.model, &opt)) << ph_error();
  Env env(task, model);
  Rollout r = rollout(env.env, seed, rec, 0, 1000);
  EXPECT_NE(PH_END_UNKNOWN, r.end);
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
  return dir;
}

struct Stored {
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  explicit Stored(const std::string &dir) {
    const char *paths[] = {dir.c_str()};
    EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_episode(&episode, store, 0)) << ph_error();
  }
  Stored(const Stored &) = delete;
  ~Stored() {
    ph_episode_free(episode);
    ph_store_free(store);
  }
};

TEST(Live, ItsPastIsWhatRecordMakesOfTheSeedWhateverTheParts) {
  TempDir tmp;
  Model model;
  Task task(rec_task(kSuccess));
  Stored want(record(task, model, tmp.path + "/run", 77));
  for (int part : {1, 2, 3, 5, 100}) {
    Live l(task, model);
    ASSERT_EQ(PH_OK, ph_live_reset(l.live, 77)) << ph_error();
    while (l.now().running)
      ASSERT_EQ(PH_OK, ph_live_advance(l.live, part, PH_DRIVE_POLICY, nullptr)) << ph_error();
    expect_same(l.past(), want.episode);
    EXPECT_EQ(ph_episode_meta_of(want.episode)->end_reason, l.now().end);
    EXPECT_EQ(ph_episode_meta_of(want.episode)->success, ph_episode_meta_of(l.past())->success);
    EXPECT_EQ(PH_EINVAL, ph_live_advance(l.live, 1, PH_DRIVE_POLICY, nullptr)) << "it has ended";
  }
}

TEST(Live, AResetBeginsTheSameAgain) {
  Model model;
  Task task(rec_task(kSuccess));
  Live l(task, model);
  EXPECT_EQ(nullptr, l.past());
  EXPECT_EQ(PH_EINVAL, ph_live_advance(l.live, 1, PH_DRIVE_ZERO, nullptr));
  std::string first;
  for (int k = 0; k < 2; k++) {
    ASSERT_EQ(PH_OK, ph_live_reset(l.live, 5)) << ph_error();
    EXPECT_EQ(5u, l.now().seed);
    EXPECT_STREQ("5", ph_episode_meta_of(l.past())->seed);
    EXPECT_EQ(1, ph_episode_meta_of(l.past())->states);
    for (int t = 0; t < 4; t++)
      ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_POLICY, nullptr));
    ASSERT_EQ(PH_OK, ph_live_advance(l.live, 2, PH_DRIVE_POLICY, nullptr));
    EXPECT_EQ(2, l.now().substep);
    EXPECT_NE(nullptr, l.now().action);
    EXPECT_EQ(5, ph_episode_meta_of(l.past())->states) << "a part of a step is no row";
    std::string states = bytes(l.past(), PH_COL_STATES);
    EXPECT_TRUE(k == 0 || states == first);
    first = states;
  }
}

TEST(Live, WhoActs) {
  Model model;
  Task task(rec_task(kSuccess));
  Live l(task, model);
  ASSERT_EQ(PH_OK, ph_live_reset(l.live, 5)) << ph_error();
  double nan = std::nan(""), by_hand[2] = {nan, 0.25};
  ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_HELD, nullptr)); /* nothing yet: zeros */
  ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_POLICY, nullptr));
  ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_HELD, nullptr));
  ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_ZERO, by_hand));
  ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_HELD, nullptr));
  double a[5][2];
  ASSERT_EQ(PH_OK, ph_episode_read(l.past(), PH_COL_ACTIONS, 0, 5, a));
  EXPECT_EQ(0, a[0][0]);
  EXPECT_EQ(0, a[0][1]);
  EXPECT_NE(0, a[1][0]);
  EXPECT_EQ(0, memcmp(a[1], a[2], sizeof a[1]));
  EXPECT_EQ(0, a[3][0]);
  EXPECT_EQ(0.25, a[3][1]);
  EXPECT_EQ(0, memcmp(a[3], a[4], sizeof a[3]));
  EXPECT_STREQ("policy", ph_drive_name(PH_DRIVE_POLICY));
  EXPECT_STREQ("zero", ph_drive_name(PH_DRIVE_ZERO));
  EXPECT_STREQ("held", ph_drive_name(PH_DRIVE_HELD));
}

/* A full history is said, and the env stays where it is. */
TEST(Live, ItsMemoryHasAnEnd) {
  Model model;
  Task task(rec_task("max_steps = 100000"));
  Live l(task, model, 100 * 2000);
  ASSERT_EQ(PH_OK, ph_live_reset(l.live, 1)) << ph_error();
  int steps = 0;
  ph_status status = PH_OK;
  while (steps < 100000 && status == PH_OK)
    status = ph_live_advance(l.live, 5, PH_DRIVE_ZERO, nullptr), steps += status == PH_OK;
  EXPECT_EQ(PH_ENOMEM, status);
  EXPECT_NE(nullptr, strstr(ph_error(), "are all that its memory has room for")) << ph_error();
  EXPECT_EQ(steps, ph_episode_meta_of(l.past())->actions);
  EXPECT_GT(steps, 20);
  EXPECT_TRUE(l.now().running);
  EXPECT_EQ(PH_OK, ph_live_reset(l.live, 1)) << ph_error();
  EXPECT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_ZERO, nullptr));
}

TEST(Live, ErrorsOfTheScriptEndIt) {
  Model model;
  Task nan(rec_task("policy = function(s) return { 0, s.step == 3 and 0/0 or 0 } end"));
  Live l(nan, model);
  ASSERT_EQ(PH_OK, ph_live_reset(l.live, 1)) << ph_error();
  for (int t = 0; t < 4; t++)
    ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_POLICY, nullptr)) << ph_error();
  EXPECT_FALSE(l.now().running);
  EXPECT_EQ(PH_END_NAN, l.now().end);
  EXPECT_NE(nullptr, strstr(l.now().detail, "step 3")) << l.now().detail;
  EXPECT_EQ(3, ph_episode_meta_of(l.past())->actions);

  Task bad(rec_task("policy = function(s) return s.joint.nosuch end"));
  Live b(bad, model);
  ASSERT_EQ(PH_OK, ph_live_reset(b.live, 1)) << ph_error();
  EXPECT_EQ(PH_ETASK, ph_live_advance(b.live, 5, PH_DRIVE_POLICY, nullptr));
  EXPECT_FALSE(b.now().running);
  EXPECT_NE(nullptr, strstr(b.now().detail, "nosuch")) << b.now().detail;
  ASSERT_EQ(PH_OK, ph_live_reset(b.live, 1)) << "a reset helps";
  EXPECT_EQ(PH_OK, ph_live_advance(b.live, 5, PH_DRIVE_ZERO, nullptr)) << ph_error();
}

TEST(Live, ATaskWithoutPolicyIsDrivenWithZeros) {
  Model model;
  Task task("return { name = 'still', control_steps = 5 }");
  Live l(task, model);
  ASSERT_EQ(PH_OK, ph_live_reset(l.live, 1)) << ph_error();
  ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_POLICY, nullptr)) << ph_error();
  double a[2] = {1, 1};
  ASSERT_EQ(PH_OK, ph_episode_read(l.past(), PH_COL_ACTIONS, 0, 1, a));
  EXPECT_EQ(0, a[0]);
  EXPECT_EQ(0, a[1]);
}

/* A row between two steps is shown as any other, and the next seek is none the wiser. */
TEST(Live, AReplayShowsTheStateBetweenSteps) {
  Model model;
  Task task(rec_task(kSuccess));
  Live l(task, model);
  ASSERT_EQ(PH_OK, ph_live_reset(l.live, 5)) << ph_error();
  ASSERT_EQ(PH_OK, ph_live_advance(l.live, 5, PH_DRIVE_POLICY, nullptr));
  ph_replay *replay = nullptr;
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, l.past(), model.model, task.task)) << ph_error();
  ASSERT_EQ(PH_OK, ph_replay_seek(replay, 1, 0, PH_KINEMATIC)) << ph_error();
  size_t n = 0;
  ph_replay_signals(replay, &n);
  std::vector<double> before(ph_replay_frame(replay)->values, ph_replay_frame(replay)->values + n);
  ASSERT_EQ(PH_OK, ph_live_advance(l.live, 2, PH_DRIVE_POLICY, nullptr));
  ph_row row;
  ASSERT_EQ(PH_OK, ph_sim_get_row(ph_env_sim(ph_live_env(l.live)), &row));
  ASSERT_EQ(PH_OK, ph_replay_show(replay, 1, &row, l.now().action)) << ph_error();
  EXPECT_EQ(row.state[0], ph_replay_frame(replay)->time);
  EXPECT_DOUBLE_EQ(0.014, ph_replay_frame(replay)->time);
  EXPECT_TRUE(ph_replay_frame(replay)->forward);
  ASSERT_EQ(PH_OK, ph_replay_seek(replay, 1, 0, PH_KINEMATIC)) << ph_error();
  EXPECT_EQ(0, memcmp(before.data(), ph_replay_frame(replay)->values, n * sizeof(double)));
  ph_row none = {};
  EXPECT_EQ(PH_EINVAL, ph_replay_show(replay, 1, &none, nullptr));
  ph_replay_free(replay);
}

} // namespace
