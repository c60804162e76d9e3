#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <playhead/playhead.h>

extern "C" {
#include "episode.h"
#include "fail.h"
#include "mjcf.h"
}

using std::string;

namespace {

const char kModel[] =
    "<mujoco><option timestep=\"0.002\"/><worldbody>"
    "<body name=\"cart\"><joint name=\"cart\" type=\"slide\" axis=\"1 0 0\"/>"
    "<geom size=\".1\" mass=\"1\"/></body>"
    "<body name=\"top\" pos=\"0 0 1\"><joint name=\"top\" type=\"ball\"/>"
    "<geom type=\"box\" size=\".1 .2 .3\" mass=\"1\" pos=\".1 0 0\"/></body>"
    "<body name=\"hand\" mocap=\"true\"><geom size=\".1\" contype=\"0\" conaffinity=\"0\"/></body>"
    "</worldbody><actuator><motor name=\"push\" joint=\"cart\"/></actuator></mujoco>";
const char kTask[] =
    "return { name = 'cart', control_steps = 2, hold_seconds = 0.02, max_steps = 60,\n"
    "  success = function(s) return s.joint.cart > 0.0005 end,\n"
    "  reward = function(s) return 1 end }\n";

/* An episode whose rows a test may change. */
struct Tape {
  ph_episode_meta meta = {};
  uint32_t columns = 0;
  std::map<int, std::vector<uint8_t>> data; /* raw bytes of each column */
  std::map<int, int64_t> rows;
  int broken = -1; /* column that cannot be read */

  double *F64(ph_column col) { return reinterpret_cast<double *>(data[col].data()); }
  uint8_t *U8(ph_column col) { return data[col].data(); }
  void Push(ph_column col, const void *row, size_t bytes) {
    auto *p = static_cast<const uint8_t *>(row);
    if (!p)
      return;
    data[col].insert(data[col].end(), p, p + bytes);
    rows[col]++;
    columns |= PH_COL_BIT(col);
  }
};

struct Backend {
  ph_backend base;
  const Tape *tape;
};

ph_status Read(const ph_backend *backend, ph_column col, int64_t first, int64_t n, void *out) {
  const Tape &tape = *reinterpret_cast<const Backend *>(backend)->tape;
  if (tape.broken == col)
    return ph_fail(PH_ECORRUPT, "tape: broken on purpose");
  size_t row = ph_schema_width(col, &tape.meta.dims) * ph_type_size(ph_schema_column(col)->type);
  memcpy(out, tape.data.at(col).data() + static_cast<size_t>(first) * row,
         static_cast<size_t>(n) * row);
  return PH_OK;
}
void Free(ph_backend *backend) {
  delete reinterpret_cast<Backend *>(backend);
}

class Verify : public testing::Test {
protected:
  void SetUp() override {
    model = Model(kModel);
    ASSERT_EQ(ph_task_parse(&task, kTask, strlen(kTask), "task"), PH_OK) << ph_error();
    Record();
  }
  void TearDown() override {
    ph_model_unref(model);
    ph_task_unref(task);
  }
  static ph_model *Model(const string &xml) {
    ph_source *source = nullptr;
    ph_model *m = nullptr;
    EXPECT_EQ(ph_mjcf_parse(&source, xml.data(), xml.size(), "model"), PH_OK) << ph_error();
    EXPECT_EQ(ph_model_from_source(&m, source, nullptr, nullptr), PH_OK) << ph_error();
    return m;
  }
  void PushRow(const ph_row &row) {
    for (int c = 0; c < PH_COL_COUNT; c++) {
      auto col = static_cast<ph_column>(c);
      const void *p = ph_row_column(&row, col);
      size_t bytes =
          ph_schema_width(col, &tape.meta.dims) * ph_type_size(ph_schema_column(col)->type);
      if (bytes > 0)
        tape.Push(col, p, bytes);
    }
  }
  /* Pushes the cart until the task latches. */
  void Record() {
    ph_env *env = nullptr;
    ph_row row;
    ph_outcome out;
    ASSERT_EQ(ph_env_create(&env, task, model, nullptr), PH_OK) << ph_error();
    tape.meta.dims = *ph_env_dims(env);
    ASSERT_EQ(ph_env_reset(env, 1, &row), PH_OK) << ph_error();
    PushRow(row);
    double action = 1;
    do {
      ASSERT_EQ(ph_env_step(env, &action, &out), PH_OK) << ph_error();
      PushRow(out.row);
      uint8_t done = out.done;
      tape.Push(PH_COL_ACTIONS, &action, sizeof action);
      tape.Push(PH_COL_REWARDS, &out.reward, sizeof out.reward);
      tape.Push(PH_COL_DONES, &done, 1);
      tape.Push(PH_COL_FLAGS, &out.flags, 1);
    } while (!out.done);
    ASSERT_EQ(out.end, PH_END_SUCCESS);
    ph_episode_meta &m = tape.meta;
    strcpy(m.id, "demo_0");
    strcpy(m.writer, "playhead test");
    strcpy(m.engine, "mujoco");
    strcpy(m.recipe, "step");
    strcpy(m.model_sha256, ph_model_sha256(model));
    strcpy(m.task_sha256, ph_task_sha256(task));
    m.actions = tape.rows[PH_COL_ACTIONS];
    m.states = m.actions + 1;
    m.control_dt = ph_env_control_dt(env);
    m.timestep = ph_model_timestep(model);
    m.hold_seconds = 0.02;
    m.hold_steps = ph_env_hold(env)->steps;
    m.end_reason = out.end;
    m.success = 1;
    ph_env_free(env);
  }
  void Check(const ph_verify_options *opt = nullptr, ph_status expected = PH_OK) {
    ph_episode *episode = nullptr;
    auto *backend = new Backend{{Read, Free, nullptr, nullptr}, &tape};
    ASSERT_EQ(ph_episode_new(&episode, &tape.meta, tape.columns, nullptr, 0, &backend->base),
              PH_OK);
    EXPECT_EQ(ph_verify_episode(&verdict, episode, model, task, opt), expected);
    ph_episode_free(episode);
  }
  /* One flaw at that step whose sentence contains the text. */
  void ExpectFlaw(int64_t step, const string &text, size_t n = 1) {
    Check();
    bool found = false;
    string all;
    for (size_t i = 0; i < verdict.nflaws; i++) {
      const ph_flaw &f = verdict.flaw[i];
      found = found || (f.step == step && string(f.text).find(text) != string::npos);
      all += std::to_string(f.step) + ": " + f.text + "\n";
    }
    EXPECT_TRUE(found) << text << " not among:\n" << all;
    EXPECT_EQ(verdict.nflaws, n) << all;
  }

  ph_model *model = nullptr;
  ph_task *task = nullptr;
  Tape tape;
  ph_verdict verdict = {};
  ph_model *saved = nullptr;
};

TEST_F(Verify, ARecordingAsItIsHasNoFlaw) {
  Check();
  EXPECT_EQ(verdict.nflaws, 0u) << verdict.flaw[0].text;
  EXPECT_EQ(verdict.checked, tape.meta.states);
  EXPECT_TRUE(verdict.predicate_checked) << verdict.note;
  EXPECT_EQ(verdict.latch_recorded, tape.meta.actions);
  EXPECT_EQ(verdict.latch_computed, tape.meta.actions);
  EXPECT_EQ(verdict.reward, static_cast<double>(tape.meta.actions));
  EXPECT_LT(verdict.quat_error, 1e-12);
  EXPECT_LT(verdict.time_error, 1e-12);
}

TEST_F(Verify, NumbersThatAreNoneAreNamed) {
  tape.F64(PH_COL_CTRL)[7] = NAN;
  ExpectFlaw(7, "playhead/ctrl: element 0 at step 7 is not finite; 1 such");
  tape.F64(PH_COL_CTRL)[7] = 1;
  tape.U8(PH_COL_FLAGS)[3] = 64;
  ExpectFlaw(3, "playhead/flags: element 0 at step 3 is out of its range");
}

TEST_F(Verify, TheClockIsChecked) {
  size_t width = ph_schema_width(PH_COL_STATES, &tape.meta.dims);
  tape.F64(PH_COL_STATES)[5 * width] += 1e-4;
  ExpectFlaw(5, "time: step 5");
  EXPECT_NEAR(verdict.time_error, 1e-4, 1e-9);
}

TEST_F(Verify, QuaternionsAreCheckedButForRowZero) {
  size_t width = ph_schema_width(PH_COL_STATES, &tape.meta.dims);
  double *states = tape.F64(PH_COL_STATES);
  for (int k = 0; k < 4; k++)
    states[2 + k] *= 1.1;
  Check();
  EXPECT_EQ(verdict.nflaws, 0u) << verdict.flaw[0].text;
  for (int k = 0; k < 4; k++)
    states[4 * width + 2 + static_cast<size_t>(k)] *= 1.1;
  ExpectFlaw(4, "states: a quaternion's norm is up to 0.1 off 1");
}

TEST_F(Verify, WhatCannotBeReadIsAFlaw) {
  tape.broken = PH_COL_WARMSTART;
  ExpectFlaw(0, "playhead/warmstart: tape: broken on purpose");
  tape.broken = PH_COL_STATES;
  Check();
  EXPECT_EQ(verdict.checked, 0);
  EXPECT_FALSE(verdict.predicate_checked);
  EXPECT_GT(verdict.nflaws, 0u);
}

TEST_F(Verify, MissingColumnsOfOurOwnAreFlaws) {
  tape.columns &= ~PH_COL_BIT(PH_COL_WARMSTART);
  ExpectFlaw(-1, "playhead/warmstart: not stored");
  strcpy(tape.meta.writer, "another");
  Check();
  EXPECT_EQ(verdict.nflaws, 0u);
}

TEST_F(Verify, APredicateThatIsNotStoredIsAFlawAndNoLatch) {
  Check();
  EXPECT_TRUE(verdict.latch_known);
  tape.columns &= ~PH_COL_BIT(PH_COL_PREDICATE);
  ExpectFlaw(-1, "playhead/predicate: not stored");
  EXPECT_FALSE(verdict.latch_known);
  tape.meta.success = -1; /* recorded without a condition */
  Check();
  EXPECT_EQ(verdict.nflaws, 0u) << verdict.flaw[0].text;
}

TEST_F(Verify, WhereTheFileContradictsItselfIsAFlaw) {
  strcpy(tape.meta.oddity, "it says two things");
  ExpectFlaw(-1, "it says two things");
}

TEST_F(Verify, PredicateIsRecomputed) {
  tape.U8(PH_COL_PREDICATE)[1] ^= 1;
  ExpectFlaw(1, "predicate: step 1 was recorded 1 and is 0 when recomputed; 1 such");
}

TEST_F(Verify, HoldIsRecomputed) {
  tape.U8(PH_COL_PREDICATE)[tape.meta.states - 2] = 0;
  Check();
  string all;
  for (size_t i = 0; i < verdict.nflaws; i++)
    all += string(verdict.flaw[i].text) + "\n";
  EXPECT_NE(all.find("success: 1, but the predicate never holds"), string::npos) << all;
  EXPECT_NE(all.find("latch: recorded at -1, recomputed at"), string::npos) << all;
  EXPECT_EQ(verdict.latch_recorded, -1);
}

TEST_F(Verify, HoldStepsFollowFromSeconds) {
  tape.meta.hold_steps++;
  Check();
  ASSERT_GT(verdict.nflaws, 0u);
  EXPECT_NE(string(verdict.flaw[0].text).find("hold_steps: 6, but 0.02 s at 0.004 s a step are 5"),
            string::npos)
      << verdict.flaw[0].text;
}

TEST_F(Verify, EndsAgreeWithDonesAndFlags) {
  tape.U8(PH_COL_DONES)[2] = 1;
  Check();
  ASSERT_EQ(verdict.nflaws, 2u);
  EXPECT_NE(string(verdict.flaw[0].text).find("step 2 is 1 where the flags say 0"), string::npos);
  EXPECT_NE(string(verdict.flaw[1].text).find("done at step 2, yet it goes on"), string::npos);
  tape.U8(PH_COL_DONES)[2] = 0;
  tape.meta.end_reason = PH_END_TRUNCATED;
  ExpectFlaw(tape.meta.actions - 1, "end_reason: truncated, but the last flags say terminated");
  tape.meta.end_reason = PH_END_ABORTED;
  ExpectFlaw(tape.meta.actions - 1, "end_reason: aborted, but the last step is done");
  tape.meta.end_reason = PH_END_SUCCESS;
  tape.meta.success = 0;
  ExpectFlaw(tape.meta.actions, "success: 0, but the predicate latches");
}

TEST_F(Verify, AnotherModelDoesNotFit) {
  string other = kModel;
  other.erase(other.find("<joint name=\"top\""), strlen("<joint name=\"top\" type=\"ball\"/>"));
  ph_model *wrong = Model(other);
  std::swap(model, wrong);
  Check();
  EXPECT_GT(verdict.nflaws, 0u);
  EXPECT_FALSE(verdict.predicate_checked);
  std::swap(model, wrong);
  ph_model_unref(wrong);
}

TEST_F(Verify, WithoutAModelTheRowsAreStillChecked) {
  std::swap(saved, model);
  tape.F64(PH_COL_ACTIONS)[2] = INFINITY;
  ExpectFlaw(2, "actions: element 0 at step 2 is not finite");
  EXPECT_STREQ(verdict.note, "no model");
  std::swap(saved, model);
}

TEST_F(Verify, ProgressCancels) {
  ph_verify_options opt = {[](void *, int64_t, int64_t) { return false; }, nullptr, nullptr};
  Check(&opt, PH_ECANCELED);
}

/* Without terms the action is ctrl. */
TEST_F(Verify, ActionsGiveTheStoredCtrlToTheBit) {
  strcpy(tape.meta.substrate, ph_substrate());
  Check();
  EXPECT_TRUE(verdict.ctrl_checked);
  EXPECT_EQ(0u, verdict.nflaws);
  tape.F64(PH_COL_CTRL)[8] = std::nextafter(1.0, 2.0);
  tape.F64(PH_COL_CTRL)[9] = 0.25;
  ExpectFlaw(8, "ctrl: step 8: ctrl[0] (push) is 1.0000000000000002, action 7 gives 1 by the "
                "task's terms; 2 such");
}

TEST_F(Verify, OtherMachinesMayRoundOtherwise) {
  strcpy(tape.meta.substrate, "another");
  tape.F64(PH_COL_CTRL)[8] = std::nextafter(1.0, 2.0);
  Check();
  EXPECT_TRUE(verdict.ctrl_checked);
  EXPECT_EQ(0u, verdict.nflaws);
  tape.F64(PH_COL_CTRL)[8] = 1.25;
  ExpectFlaw(8, "ctrl: step 8: ctrl[0] (push) is 1.25,");
}

TEST_F(Verify, AConditionAloneSaysNothingOfCtrl) {
  tape.F64(PH_COL_CTRL)[8] = 0.25;
  strcpy(tape.meta.task_sha256, "of another task");
  Check();
  EXPECT_FALSE(verdict.ctrl_checked);
  EXPECT_EQ(0u, verdict.nflaws);
  EXPECT_TRUE(verdict.predicate_checked);
}

TEST_F(Verify, CtrlOfSubstepsIsAnothersToGive) {
  tape.F64(PH_COL_CTRL)[8] = 0.25;
  std::vector<double> row(static_cast<size_t>(tape.meta.dims.control_steps), 0.25);
  for (int64_t t = 0; t < tape.meta.actions; t++)
    tape.Push(PH_COL_CTRL_SUBSTEPS, row.data(), row.size() * sizeof(double));
  Check();
  EXPECT_FALSE(verdict.ctrl_checked);
  EXPECT_EQ(0u, verdict.nflaws);
}

} // namespace
