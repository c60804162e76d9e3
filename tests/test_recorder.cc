#include <atomic>
#include <cmath>
#include <dlfcn.h>

#include "rec_help.h"

static std::atomic<int> locks_taken;

extern "C" int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  static int (*const lock)(pthread_mutex_t *) =
      reinterpret_cast<int (*)(pthread_mutex_t *)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  locks_taken++;
  return lock(mutex);
}

namespace {

struct Rec {
  ph_recorder *rec = nullptr;
  Rec(Catch &c, const Model &model, const Task *task, double hold = -1.0, int env_action_dim = 0) {
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    opt.task = task != nullptr ? task->task : nullptr;
    opt.hold_seconds = hold;
    opt.action_dim = env_action_dim;
    opt.control_steps = task != nullptr ? 0 : 5;
    EXPECT_EQ(PH_OK, ph_recorder_open_sink(&rec, &c.sink, "memory", model.model, &opt))
        << ph_error();
  }
  ph_status close(ph_tally *tally = nullptr) {
    ph_recorder *gone = rec;
    rec = nullptr;
    return ph_recorder_close(gone, tally);
  }
  ph_tally tally() const {
    ph_tally now = {};
    ph_recorder_tally_now(rec, &now);
    return now;
  }
  ~Rec() {
    if (rec != nullptr)
      ph_recorder_close(rec, nullptr);
  }
};

std::string joined(const std::vector<std::string> &rows) {
  std::string all;
  for (const std::string &row : rows)
    all += row;
  return all;
}

const char *kHoldTask = "success = function(s) return s.step == 2 or s.step >= 6 end";

/* --- what is recorded is the rollout --- */

TEST(Recorder, RolloutIsTheSameWithTheRecorderOnAndOff) {
  Model model;
  Task task(rec_task("success = function(s) return s.dist('tip', 'ball') < 0.2 end"));
  Env plain(task, model), recorded(task, model);
  Catch c;
  Rec rec(c, model, &task);
  for (uint64_t seed = 1; seed < 4; seed++)
    EXPECT_TRUE(rollout(plain.env, seed) == rollout(recorded.env, seed, rec.rec)) << seed;
}

TEST(Recorder, RowsArriveAsTheyWere) {
  Model model;
  Task task(rec_task(kHoldTask));
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  Rollout r = rollout(env.env, 3, rec.rec);
  ASSERT_EQ(1u, c.kept.size());
  Kept &k = c.kept[0];
  ASSERT_EQ(8u, r.actions.size());
  EXPECT_EQ(8, k.meta.actions);
  EXPECT_EQ(9, k.meta.states);
  for (ph_column col : {PH_COL_STATES, PH_COL_WARMSTART, PH_COL_CTRL, PH_COL_PREDICATE})
    EXPECT_TRUE(joined(r.columns[col]) == k.bytes[col]) << ph_schema_column(col)->path;
  std::string actions;
  for (auto &a : r.actions)
    actions.append(reinterpret_cast<const char *>(a.data()), a.size() * sizeof(double));
  EXPECT_TRUE(actions == k.bytes[PH_COL_ACTIONS]);
  EXPECT_EQ(std::string("\0\0\1\0\0\0\1\1\1", 9), k.bytes[PH_COL_PREDICATE]);
  EXPECT_EQ(std::string("\0\0\0\0\0\0\0\1", 8), k.bytes[PH_COL_DONES]);
  EXPECT_EQ(std::string("\0\0\0\0\0\0\0\1", 8), k.bytes[PH_COL_FLAGS]);
  EXPECT_EQ(8 * sizeof(double), k.bytes[PH_COL_REWARDS].size());
}

TEST(Recorder, LongEpisodesPassThroughInBlocks) {
  Model model;
  Task task(rec_task("max_steps = 700"));
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  Rollout r = rollout(env.env, 3, rec.rec);
  ASSERT_EQ(700u, r.actions.size());
  EXPECT_TRUE(joined(r.columns[PH_COL_STATES]) == c.kept.at(0).bytes[PH_COL_STATES]);
  EXPECT_EQ(700u, c.kept[0].bytes[PH_COL_FLAGS].size());
  EXPECT_EQ(1, c.kept[0].bytes[PH_COL_DONES].back());
}

TEST(Recorder, MetaIsComplete) {
  Model model;
  Task task(rec_task(kHoldTask));
  Env env(task, model, 0.05);
  Catch c;
  Rec rec(c, model, &task, 0.05);
  rollout(env.env, 18446744073709551615ull, rec.rec, 4);
  ASSERT_EQ(1u, c.kept.size());
  const ph_episode_meta &m = c.kept[0].meta;
  EXPECT_STREQ("demo_0", m.id);
  EXPECT_EQ(std::string("playhead ") + ph_version(), m.writer);
  EXPECT_STREQ(ph_recorder_run_id(rec.rec), m.run_id);
  EXPECT_STRNE("", m.run_id);
  EXPECT_EQ(20u, strlen(m.created)) << m.created;
  EXPECT_STREQ(ph_substrate(), m.substrate);
  EXPECT_STREQ("xoshiro256**/splitmix64", m.rng);
  EXPECT_EQ(4, m.env_id);
  EXPECT_EQ(0, m.episode);
  EXPECT_STREQ("18446744073709551615", m.seed);
  EXPECT_EQ(PH_END_SUCCESS, m.end_reason);
  EXPECT_STREQ("held for 5 steps", m.end_detail);
  EXPECT_EQ(1, m.success);
  EXPECT_STREQ("unchecked", m.determinism);
  EXPECT_STREQ(ph_model_sha256(model.model), m.model_sha256);
  EXPECT_STREQ(ph_task_sha256(task.task), m.task_sha256);
  EXPECT_EQ(0.05, m.hold_seconds);
  EXPECT_EQ(5, m.hold_steps);
  EXPECT_STREQ("wave", m.env_name);
  EXPECT_STREQ("step", m.recipe);
  EXPECT_STREQ("fresh", m.derived);
  EXPECT_STREQ("mujoco", m.engine);
  EXPECT_NE(std::string::npos, c.kept[0].provenance.find("\"op\":\"record\""));
  EXPECT_EQ('[', c.kept[0].provenance.front());
  EXPECT_DOUBLE_EQ(0.01, m.control_dt);
  EXPECT_DOUBLE_EQ(0.002, m.timestep);
  EXPECT_EQ(2, m.dims.action_dim);
  EXPECT_EQ(5, m.dims.control_steps);
  EXPECT_EQ(ph_model_dims(model.model)->nq, m.dims.nq);
  EXPECT_EQ(1, c.models);
  EXPECT_EQ(1, c.tasks);
}

TEST(Recorder, ProvenanceHoldsNothingOfTheMoment) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  Catch a, b;
  Rec one(a, model, &task), two(b, model, &task);
  rollout(env.env, 1, one.rec);
  rollout(env.env, 1, two.rec);
  EXPECT_EQ(a.kept.at(0).provenance, b.kept.at(0).provenance);
  EXPECT_STRNE(ph_recorder_run_id(one.rec), ph_recorder_run_id(two.rec));
}

/* --- columns that are left out --- */

const uint32_t kOptional = PH_COL_BIT(PH_COL_MOCAP_POS) | PH_COL_BIT(PH_COL_MOCAP_QUAT) |
                           PH_COL_BIT(PH_COL_USERDATA) | PH_COL_BIT(PH_COL_EQ_ACTIVE) |
                           PH_COL_BIT(PH_COL_QFRC_APPLIED) | PH_COL_BIT(PH_COL_XFRC_APPLIED);

uint32_t optional_columns(const char *reset) {
  Model model;
  Task task(rec_task(reset));
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  rollout(env.env, 2, rec.rec);
  EXPECT_EQ(1u, c.kept.size());
  for (int col = 0; col < PH_COL_COUNT; col++) {
    EXPECT_EQ((c.kept.at(0).columns & PH_COL_BIT(col)) != 0, c.kept[0].bytes.count(col) != 0)
        << ph_schema_column(static_cast<ph_column>(col))->path;
  }
  return c.kept.at(0).columns & kOptional;
}

TEST(Recorder, WhatNeverLeftTheResetValueIsLeftOut) {
  EXPECT_EQ(0u, optional_columns(""));
  EXPECT_EQ(PH_COL_BIT(PH_COL_EQ_ACTIVE),
            optional_columns("reset = function(env) env.eq_active.grab = true end"));
  EXPECT_EQ(PH_COL_BIT(PH_COL_MOCAP_POS),
            optional_columns("reset = function(env) env.mocap.target.pos = {0.5, 0.1, 0.5} end"));
  EXPECT_EQ(PH_COL_BIT(PH_COL_MOCAP_QUAT),
            optional_columns("reset = function(env) env.mocap.target.quat = {0, 1, 0, 0} end"));
  EXPECT_EQ(PH_COL_BIT(PH_COL_XFRC_APPLIED),
            optional_columns("reset = function(env) env.xfrc.ball = {0, 0, 1, 0, 0, 0} end"));
}

TEST(Recorder, NoPredicateWithoutACondition) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  rollout(env.env, 2, rec.rec);
  EXPECT_EQ(0u, c.kept.at(0).columns & PH_COL_BIT(PH_COL_PREDICATE));
  EXPECT_GT(0.0, c.kept[0].meta.hold_seconds);
}

TEST(Recorder, EditsAreStoredPerEpisode) {
  Model model;
  Task task(rec_task("reset = function(env, rng) if rng() < 0.5 then env.model.body.arm.pos = "
                     "{0, rng(), 0.5} end end"));
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  size_t with = 0;
  for (uint64_t seed = 0; seed < 10; seed++) {
    rollout(env.env, seed, rec.rec);
    size_t n = 0;
    ph_env_edits(env.env, &n);
    ASSERT_EQ(n, c.kept.back().edits.size());
    if (n > 0) {
      EXPECT_EQ("body_pos", c.kept.back().edits[0]);
      with++;
    }
  }
  EXPECT_GT(with, 0u);
  EXPECT_LT(with, 10u);
}

/* --- ends --- */

TEST(Recorder, EndsAreIndependentBetweenEnvs) {
  Model model;
  Task task(rec_task());
  Env a(task, model), b(task, model);
  Catch c;
  Rec rec(c, model, &task);
  ph_row row[2];
  ph_outcome out[2];
  double action[2][2] = {{0.1, 0.2}, {0.3, 0.4}};
  const double *actions[2] = {action[0], action[1]};
  double reward[2] = {0, 0};
  uint8_t flags[2] = {0, 0};
  int ids[2] = {0, 1};
  Env *envs[2] = {&a, &b};
  std::vector<std::string> states;
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(PH_OK, ph_env_reset(envs[i]->env, 10u + i, &row[i]));
    ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, i, 10u + i, nullptr, 0, &row[i]));
  }
  Rollout kept;
  keep_row(kept, row[1], *ph_env_dims(b.env));
  for (int t = 0; t < 12; t++) {
    for (int i = 0; i < 2; i++) {
      ASSERT_EQ(PH_OK, ph_env_step(envs[i]->env, actions[i], &out[i]));
      row[i] = out[i].row;
    }
    keep_row(kept, row[1], *ph_env_dims(b.env));
    ASSERT_EQ(PH_OK, ph_recorder_rows(rec.rec, ids, 2, actions, nullptr, reward, flags, row))
        << ph_error();
    if (t == 4) { /* env 0 ends early and goes on with its next episode */
      ASSERT_EQ(PH_OK, ph_recorder_end(rec.rec, 0, PH_END_TERMINATED, 0, "early"));
      ASSERT_EQ(PH_OK, ph_env_reset(a.env, 77, &row[0]));
      ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, 0, 77, nullptr, 0, &row[0]));
    }
  }
  ASSERT_EQ(PH_OK, ph_recorder_end(rec.rec, 1, PH_END_TRUNCATED, 0, ""));
  ASSERT_EQ(PH_OK, ph_recorder_end(rec.rec, 0, PH_END_TRUNCATED, 0, ""));
  ASSERT_EQ(3u, c.kept.size());
  EXPECT_EQ(5, c.kept[0].meta.actions);
  EXPECT_EQ(12, c.kept[1].meta.actions);
  EXPECT_EQ(7, c.kept[2].meta.actions);
  EXPECT_EQ(1, c.kept[1].meta.env_id);
  EXPECT_EQ(1, c.kept[2].meta.episode);
  EXPECT_STREQ("77", c.kept[2].meta.seed);
  EXPECT_TRUE(joined(kept.columns[PH_COL_STATES]) == c.kept[1].bytes[PH_COL_STATES]);
}

TEST(Recorder, AnEpisodeWithoutARowIsDiscardedAndCounted) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  ph_row row;
  ph_env_reset(env.env, 1, &row);
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, 0, 1, nullptr, 0, &row));
  EXPECT_EQ(PH_OK, ph_recorder_end(rec.rec, 0, PH_END_NAN, 0, "step 0: action[0]"));
  rollout(env.env, 2, rec.rec, 0, 3);
  EXPECT_EQ(PH_OK, ph_recorder_discard(rec.rec, 0));
  rollout(env.env, 3, rec.rec);
  ph_tally tally = rec.tally();
  EXPECT_EQ(3, tally.resets);
  EXPECT_EQ(2, tally.discards);
  EXPECT_EQ(1, tally.commits);
  EXPECT_EQ(43, tally.steps);
  EXPECT_EQ(1, tally.by_end[PH_END_TRUNCATED]);
  EXPECT_EQ(0, tally.by_end[PH_END_NAN]);
  ASSERT_EQ(1u, c.kept.size());
  EXPECT_EQ(2, c.kept[0].meta.episode) << "a discarded episode keeps its number";
}

TEST(Recorder, NanEndsWithTheRowsThatWereFinite) {
  Model model;
  Task task(rec_task("policy = function(s) return { s.step == 7 and 0/0 or 0.1, 0 } end"));
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  Rollout r = rollout(env.env, 1, rec.rec);
  ASSERT_EQ(1u, c.kept.size());
  EXPECT_EQ(PH_END_NAN, c.kept[0].meta.end_reason);
  EXPECT_EQ(7, c.kept[0].meta.actions);
  EXPECT_STREQ("step 7: action[0] (a) is not finite", c.kept[0].meta.end_detail);
  EXPECT_EQ(1, rec.tally().by_end[PH_END_NAN]);
}

TEST(Recorder, CloseSavesUnfinishedEpisodesAsAborted) {
  Model model;
  Task task(rec_task("success = function(s) return false end"));
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  ph_tally tally;
  rollout(env.env, 1, rec.rec, 0, 6);
  rollout(env.env, 2, rec.rec, 3, 0);
  EXPECT_EQ(PH_OK, rec.close(&tally));
  ASSERT_EQ(1u, c.kept.size());
  EXPECT_EQ(PH_END_ABORTED, c.kept[0].meta.end_reason);
  EXPECT_EQ(6, c.kept[0].meta.actions);
  EXPECT_EQ(0, c.kept[0].meta.success);
  EXPECT_EQ(2, tally.resets);
  EXPECT_EQ(1, tally.commits);
  EXPECT_EQ(1, tally.discards);
  EXPECT_EQ(1, tally.by_end[PH_END_ABORTED]);
  EXPECT_EQ(1, c.finished);
  EXPECT_EQ(1, c.freed);
}

/* --- refusals --- */

struct Refuse : testing::Test {
  Model model;
  Task task{rec_task(kHoldTask)};
  Env env{task, model};
  Catch c;
  Rec rec{c, model, &task};
  ph_row row0 = {};
  ph_outcome out = {};
  double action[2] = {0.1, 0.2};
  void SetUp() override {
    ASSERT_EQ(PH_OK, ph_env_reset(env.env, 1, &row0));
    ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, 0, 1, nullptr, 0, &row0));
    ASSERT_EQ(PH_OK, ph_env_step(env.env, action, &out));
  }
  /* The call is refused with these words, and nothing was stored by it. */
  void refused(ph_status status, const char *words) {
    EXPECT_EQ(PH_EINVAL, status);
    EXPECT_NE(nullptr, strstr(ph_error(), words)) << ph_error();
    EXPECT_EQ(0, rec.tally().steps);
  }
};

/* Of ids that are far apart and come in any order. */
TEST(Recorder, ACallForManyEnvsLooksForThemOnce) {
  enum { ENVS = 100 };
  Model model("<mujoco><worldbody><body><joint name='a' type='slide'/><geom size='.1'/></body>"
              "</worldbody></mujoco>");
  Catch c;
  Rec rec(c, model, nullptr);
  double state[3] = {0, 1, 2}, warm[1] = {0}, reward[ENVS] = {};
  uint8_t flags[ENVS] = {};
  int ids[ENVS];
  const double *actions[ENVS] = {};
  ph_row row = {};
  row.state = state;
  row.warmstart = warm;
  std::vector<ph_row> rows(ENVS, row);
  for (int i = 0; i < ENVS; i++) {
    ids[i] = (i * 37 % ENVS) * 1000;
    reward[i] = ids[i];
    ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, ids[i], 1, nullptr, 0, &row)) << ph_error();
  }
  auto call = [&] {
    return ph_recorder_rows(rec.rec, ids, ENVS, actions, nullptr, reward, flags, rows.data());
  };
  int before = locks_taken;
  ASSERT_EQ(PH_OK, call()) << ph_error();
  EXPECT_GE(4, locks_taken - before);
  std::swap(ids[7], ids[93]);
  int kept = ids[50];
  ids[50] = ids[93];
  EXPECT_EQ(PH_EINVAL, call());
  EXPECT_NE(nullptr, strstr(ph_error(), "twice in one call")) << ph_error();
  ids[50] = 5;
  EXPECT_EQ(PH_EINVAL, call());
  EXPECT_NE(nullptr, strstr(ph_error(), "env 5: no episode has begun")) << ph_error();
  ids[50] = kept;
  std::swap(ids[7], ids[93]);
  ASSERT_EQ(PH_OK, call()) << ph_error();
  EXPECT_EQ(2 * ENVS, rec.tally().steps);
  for (int id : ids)
    ASSERT_EQ(PH_OK, ph_recorder_end(rec.rec, id, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  for (int i = 0; i < ENVS; i++) {
    double got[2];
    ASSERT_EQ(sizeof got, c.kept[static_cast<size_t>(i)].bytes[PH_COL_REWARDS].size());
    memcpy(got, c.kept[static_cast<size_t>(i)].bytes[PH_COL_REWARDS].data(), sizeof got);
    EXPECT_EQ(got[0], ids[i]);
    EXPECT_EQ(got[1], ids[i]);
  }
}

TEST_F(Refuse, NonFiniteNumbersAreNamed) {
  double bad[2] = {0.1, NAN};
  refused(put_row(rec.rec, 0, bad, 0, 0, out.row), "action[1] is not finite");
  refused(put_row(rec.rec, 0, action, INFINITY, 0, out.row), "reward");
  std::vector<double> state(out.row.state, out.row.state + 1 + 9 + 8);
  state[1 + 9 + 1] = NAN;
  ph_row row = out.row;
  row.state = state.data();
  refused(put_row(rec.rec, 0, action, 0, 0, row), "row 1: qvel[1] (b) is not finite");
  EXPECT_EQ(PH_OK, put_row(rec.rec, 0, action, 0, 0, out.row)) << "and it goes on";
}

TEST_F(Refuse, ColumnsThatComeOrGo) {
  ph_row row = out.row;
  row.warmstart = nullptr;
  refused(put_row(rec.rec, 0, action, 0, 0, row), "playhead/warmstart is missing");
  row = out.row;
  row.predicate = nullptr;
  refused(put_row(rec.rec, 0, action, 0, 0, row), "playhead/predicate is missing");
  row = row0;
  row.state = nullptr;
  EXPECT_EQ(PH_EINVAL, ph_recorder_begin(rec.rec, 1, 1, nullptr, 0, &row));
  row = row0;
  row.mocap_pos = nullptr; /* not given: allowed, but then it must stay away */
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, 1, 1, nullptr, 0, &row)) << ph_error();
  refused(put_row(rec.rec, 1, action, 0, 0, out.row), "mocap_pos is there, but not in row 0");
}

TEST_F(Refuse, CallsOutOfOrder) {
  refused(ph_recorder_begin(rec.rec, 0, 1, nullptr, 0, &row0), "has not ended");
  refused(ph_recorder_begin(rec.rec, -1, 1, nullptr, 0, &row0), "start at 0");
  refused(put_row(rec.rec, 9, action, 0, 0, out.row), "env 9: no episode has begun");
  refused(ph_recorder_end(rec.rec, 9, PH_END_SUCCESS, 1, ""), "env 9");
  refused(ph_recorder_discard(rec.rec, 9), "env 9");
  refused(ph_recorder_end(rec.rec, 0, PH_END_COUNT, 1, ""), "out of range");
  refused(ph_recorder_end(rec.rec, 0, PH_END_SUCCESS, 2, ""), "out of range");
  refused(put_row(rec.rec, 0, action, 0, 16, out.row), "flags 16");
  int ids[2] = {0, 0};
  const double *actions[2] = {action, action};
  double reward[2] = {0, 0};
  uint8_t flags[2] = {0, 0};
  ph_row rows[2] = {out.row, out.row};
  refused(ph_recorder_rows(rec.rec, ids, 2, actions, nullptr, reward, flags, rows), "twice");
  ids[1] = 9;
  refused(ph_recorder_rows(rec.rec, ids, 2, actions, nullptr, reward, flags, rows), "env 9");
}

TEST(Recorder, OptionsThatSayNothingAreRefused) {
  Model model;
  Catch c;
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  EXPECT_EQ(PH_EINVAL, ph_recorder_open_sink(&rec, &c.sink, "m", model.model, &opt));
  EXPECT_NE(nullptr, strstr(ph_error(), "control_steps")) << ph_error();
  EXPECT_EQ(nullptr, rec);
  EXPECT_EQ(1, c.freed);
}

/* --- a process with its own simulator --- */

TEST(Recorder, TakesRowsWithoutATaskAndCtrlOfEverySubstep) {
  Model model;
  Catch c;
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = 3;
  opt.ctrl_substeps = true;
  opt.recipe = "step1_step2";
  opt.env_name = "mine";
  ASSERT_EQ(PH_OK, ph_recorder_open_sink(&rec, &c.sink, "m", model.model, &opt)) << ph_error();
  const ph_dims *dims = ph_model_dims(model.model);
  std::vector<double> state(1 + dims->nq + dims->nv), warm(dims->nv), ctrl(dims->nu),
      sub(3 * dims->nu);
  ph_row row = {};
  row.state = state.data();
  row.warmstart = warm.data();
  row.ctrl = ctrl.data();
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec, 0, 1, nullptr, 0, &row)) << ph_error();
  double action[2] = {1, 2};
  EXPECT_EQ(PH_EINVAL, put_row(rec, 0, action, 0, 0, row)) << "ctrl_substeps is missing";
  int id = 0;
  const double *a = action, *s = sub.data();
  double reward = 0.5;
  uint8_t flags = 2;
  for (int t = 0; t < 4; t++) {
    sub[0] = t;
    state[0] = t + 1;
    ASSERT_EQ(PH_OK, ph_recorder_rows(rec, &id, 1, &a, &s, &reward, &flags, &row)) << ph_error();
  }
  ASSERT_EQ(PH_OK, ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, nullptr));
  ASSERT_EQ(1u, c.kept.size());
  Kept &k = c.kept[0];
  EXPECT_STREQ("mine", k.meta.env_name);
  EXPECT_STREQ("step1_step2", k.meta.recipe);
  EXPECT_STREQ("", k.meta.task_sha256);
  EXPECT_EQ(-1, k.meta.success);
  EXPECT_GT(0.0, k.meta.hold_seconds);
  EXPECT_EQ(2, k.meta.dims.action_dim) << "nu";
  ASSERT_EQ(4u * 3 * dims->nu * sizeof(double), k.bytes[PH_COL_CTRL_SUBSTEPS].size());
  const double *stored = reinterpret_cast<const double *>(k.bytes[PH_COL_CTRL_SUBSTEPS].data());
  EXPECT_EQ(2.0, stored[2 * 3 * dims->nu]);
  const double *states = reinterpret_cast<const double *>(k.bytes[PH_COL_STATES].data());
  EXPECT_EQ(4.0, states[4 * state.size()]);
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, nullptr));
}

/* --- errors of the sink --- */

TEST(Recorder, AFailedCommitKeepsItsRowsAndIsTriedAgainByTheNextThatSucceeds) {
  for (int where = 0; where < 3; where++) {
    Model model;
    Task task(rec_task());
    Env env(task, model);
    Catch c;
    Rec rec(c, model, &task);
    ph_tally tally;
    Rollout first = rollout(env.env, 1, rec.rec, 0, 9);
    (where == 0 ? c.fail_begin : where == 1 ? c.fail_rows : c.fail_end) = 1;
    EXPECT_EQ(PH_EIO, ph_recorder_end(rec.rec, 0, PH_END_TERMINATED, -1, "x"));
    EXPECT_EQ(1, rec.tally().failed);
    EXPECT_EQ(0u, c.kept.size());
    rollout(env.env, 2, rec.rec); /* the simulation goes on */
    EXPECT_EQ(2u, c.kept.size());
    EXPECT_EQ(0, rec.tally().failed);
    EXPECT_EQ(PH_OK, rec.close(&tally));
    EXPECT_EQ(0, tally.failed);
    EXPECT_EQ(2, tally.commits);
    ASSERT_EQ(2u, c.kept.size());
    EXPECT_EQ(0, c.kept[1].meta.episode);
    EXPECT_EQ(PH_END_TERMINATED, c.kept[1].meta.end_reason);
    EXPECT_TRUE(joined(first.columns[PH_COL_STATES]) == c.kept[1].bytes[PH_COL_STATES]);
  }
}

TEST(Recorder, WhatCannotBeWrittenIsReportedByClose) {
  Model model;
  Task task(rec_task());
  Env env(task, model);
  Catch c;
  Rec rec(c, model, &task);
  ph_tally tally;
  c.fail_end = 1000;
  rollout(env.env, 1, rec.rec, 2, 9);
  EXPECT_EQ(PH_EIO, ph_recorder_end(rec.rec, 2, PH_END_TERMINATED, -1, "x"));
  EXPECT_EQ(PH_EIO, rec.close(&tally));
  EXPECT_NE(nullptr, strstr(ph_error(), "env 2 episode 0")) << ph_error();
  EXPECT_EQ(1, tally.failed);
  EXPECT_EQ(1, tally.resets);
  EXPECT_EQ(0, tally.commits);
  EXPECT_EQ(1, c.freed);
}

} // namespace
