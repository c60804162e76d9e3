// What users of replay tools complained of in public, each as a test. The comment above a test
// names a thread in which it was told.
#include <random>

#include "field_help.h"

using namespace field_help;
using wrong_help::arm_xml;
using wrong_help::box_xml;

namespace {

/* Lifelong-Robot-Learning/LIBERO #16: "the replay is off at once; off by one?" */
TEST(Field, ShiftedActionsAreFoundAndTheBestOffsetIsNamed) {
  Trace trace(arm_xml(), 120, 5);
  for (int shift : {-1, 1}) {
    TempDir tmp;
    std::string name = shift < 0 ? "(offset -1)" : "(offset +1)", run = tmp.path + "/run",
                demo = tmp.path + "/demo.hdf5";
    record(run, trace, {0, shift, 7});
    write_demo(demo, trace, 120, 120, shift);
    for (const std::string &path : {run, demo}) {
      SCOPED_TRACE(path + " " + name);
      Opened o(path);
      o.expect(PH_CAUSE_VARIANT, {name.c_str(), " as the file says 0 do"});
      EXPECT_EQ(shift, o.said.best.shift);
      EXPECT_EQ(5, o.said.best.control_steps);
      EXPECT_GT(o.said.fits * 100, o.said.sampled * 95) << o.said.text;
      EXPECT_GT(o.said.error, 1.0) << "beyond the tolerance as it is";
      EXPECT_LT(o.said.best_error, 1e-6) << "and rounding with the offset";
      EXPECT_EQ(PH_DIVERGED, o.sum.one_cls);
    }
  }
}

/* The same without a fault: none is found. */
TEST(Field, ActionsInTheirPlaceRaiseNoAlarm) {
  TempDir tmp;
  Trace trace(arm_xml(), 120, 5);
  record(tmp.path + "/run", trace);
  Opened o(tmp.path + "/run");
  o.expect(PH_CAUSE_NONE, {"bit for bit"});
  EXPECT_EQ(PH_BITWISE, o.sum.cls);
}

/* robocasa #124: 217 actions, 267 states of the same demo. */
TEST(Field, FewerActionsThanStatesOpenAndTheRowsWithoutOneAreNamed) {
  TempDir tmp;
  Trace trace(arm_xml(), 266, 5);
  std::string path = tmp.path + "/demo.hdf5";
  write_demo(path, trace, 267, 217);
  Opened o(path);
  EXPECT_EQ(267, o.meta().states);
  EXPECT_EQ(217, o.meta().actions);
  size_t n = 0, named = 0;
  const ph_finding *found = ph_episode_findings(o.episode, &n);
  for (size_t i = 0; i < n; i++)
    if (found[i].step == 217 && strstr(found[i].text, "217 actions for 267 states") != nullptr &&
        strstr(found[i].text, "from step 217 on the states have none") != nullptr)
      named++;
  EXPECT_EQ(1u, named);
  ph_replay *replay = nullptr;
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, o.episode, o.model, nullptr)) << ph_error();
  for (int64_t t : {0, 216, 217, 266}) {
    ASSERT_EQ(PH_OK, ph_replay_seek(replay, t, 0, PH_KINEMATIC)) << ph_error();
    const ph_frame *frame = ph_replay_frame(replay);
    EXPECT_EQ(t, frame->step);
    EXPECT_EQ(t < 217, frame->action != nullptr) << t;
    EXPECT_EQ(0,
              memcmp(frame->row.state, trace.column[PH_COL_STATES][static_cast<size_t>(t)].data(),
                     trace.column[PH_COL_STATES][0].size()));
  }
  ph_replay_free(replay);
  o.analyse();
  ph_step_facts facts[2];
  ASSERT_EQ(PH_OK, ph_analysis_read(o.analysis, 217, 2, facts)) << ph_error();
  EXPECT_TRUE(facts[0].free_known) << "the last one that an action leads to";
  EXPECT_FALSE(facts[1].free_known) << "no action leads there";
  EXPECT_FALSE(facts[1].one_known);
}

/* dm_control #64, #65: without qacc_warmstart the state drifts. */
TEST(Field, ADroppedWarmstartIsNamedAsWhatIsMissing) {
  TempDir tmp;
  Trace trace(box_xml("solver='PGS' iterations='10'"), 120, 5);
  std::string path = tmp.path + "/demo.hdf5";
  write_demo(path, trace, 121, 120);
  Opened o(path);
  EXPECT_EQ(PH_NOT_EXACT, o.guarantee());
  EXPECT_NE(nullptr, strstr(o.reason, "warmstart")) << o.reason;
  o.expect(PH_CAUSE_WARMSTART, {"warmstart"});
  EXPECT_GT(o.sum.one_max[PH_MEASURE_JOINT_PLACE_SPEED], PH_ROUNDING_ERROR) << "it does matter";
  record(tmp.path + "/run", trace);
  Opened whole(tmp.path + "/run");
  whole.expect(PH_CAUSE_NONE, {"bit for bit"});
}

/* openai/gym #1193: "restart from s1 diverges, from s0 it does not". */
TEST(Field, ARestartInTheMiddleIsTheRecordingToItsEnd) {
  std::mt19937 random(1193);
  for (const char *options : {"solver='PGS' iterations='10'", "solver='CG'", "integrator='RK4'"}) {
    TempDir tmp;
    Trace trace(box_xml(options), 200, 4);
    record(tmp.path + "/run", trace);
    Opened o(tmp.path + "/run");
    for (int i = 0; i < 5; i++) {
      int64_t anchor = 1 + static_cast<int64_t>(random() % 199);
      SCOPED_TRACE(std::string(options) + " from " + std::to_string(anchor));
      o.analyse(anchor);
      EXPECT_EQ(PH_OK, o.progress.status) << o.progress.text;
      EXPECT_EQ(201, o.progress.free_run);
      EXPECT_EQ(PH_BITWISE, o.sum.cls);
      EXPECT_EQ(-1, o.sum.first[PH_ROUNDING]);
    }
  }
}

/* Farama-Foundation/Gymnasium-Robotics PR #208, Gymnasium PR #928: which element of mocap, ctrl,
 * warmstart is another one? */
TEST(Field, TheElementThatDiffersIsNamed) {
  Trace trace(rerun_help::pile(), 3, 4);
  ph_divergence *d = nullptr;
  ASSERT_EQ(PH_OK, ph_divergence_create(&d, trace.model, nullptr, 0)) << ph_error();
  const struct {
    ph_column col;
    int element;
  } cases[] = {
      {PH_COL_MOCAP_POS, 1}, {PH_COL_MOCAP_QUAT, 3},    {PH_COL_WARMSTART, 5},
      {PH_COL_USERDATA, 1},  {PH_COL_QFRC_APPLIED, 13}, {PH_COL_XFRC_APPLIED, 17},
      {PH_COL_STATES, 0},    {PH_COL_STATES, 9},
  };
  for (const auto &c : cases) {
    ph_row a = trace.row(2), b = a;
    ph_difference out;
    std::string other = trace.column[c.col][2];
    double *at = reinterpret_cast<double *>(&other[0]) + c.element;
    ASSERT_LT(static_cast<size_t>(c.element) * sizeof(double), other.size());
    *at = std::nextafter(*at, 1e9);
    ph_row_set_column(&b, c.col, other.data());
    SCOPED_TRACE(std::string(ph_schema_column(c.col)->path) + " " + std::to_string(c.element));
    ASSERT_EQ(PH_OK, ph_divergence_compare(d, &a, &b, true, nullptr, &out)) << ph_error();
    EXPECT_FALSE(out.equal);
    EXPECT_TRUE(out.ctrl_equal);
    EXPECT_EQ(c.col, out.unequal);
    EXPECT_EQ(c.element, out.element);
    EXPECT_EQ(PH_ROUNDING, out.cls);
  }
  ph_row a = trace.row(2), b = a;
  ph_difference out;
  std::string other = trace.column[PH_COL_CTRL][2];
  reinterpret_cast<double *>(&other[0])[1] += 0.25;
  b.ctrl = reinterpret_cast<const double *>(other.data());
  char text[120];
  ASSERT_EQ(PH_OK, ph_divergence_compare(d, &a, &b, true, nullptr, &out)) << ph_error();
  EXPECT_TRUE(out.equal) << "ctrl stands apart";
  EXPECT_FALSE(out.ctrl_equal);
  ph_difference_text(&out, trace.model, PH_MEASURE_CTRL, text, sizeof text);
  EXPECT_STREQ("slow 0.25", text);
  ph_divergence_free(d);
}

/* RoboVerse PR #822: velocities were zeroed by a round trip. */
TEST(Field, EveryComponentComesBackFromTheFileBitForBit) {
  TempDir tmp;
  Trace trace(
      rerun_help::pile(), 60, 4, [](ph_sim *sim) { sim->d->act[0] = 0.125; },
      [](ph_sim *sim, int t) {
        uint8_t active[] = {static_cast<uint8_t>(t < 30), static_cast<uint8_t>(t % 2)};
        ph_mj_set(sim->m, sim->d, PH_COL_EQ_ACTIVE, active);
        sim->d->mocap_pos[1] += 0.001 * t;
        sim->d->mocap_quat[2] = 0.8 + 0.0001 * t;
        sim->d->userdata[0] = -t;
        sim->d->xfrc_applied[6 + t % 6] = 0.1 * t;
        sim->d->qfrc_applied[t % 3] = -0.01 * t;
      });
  record(tmp.path + "/run", trace);
  Opened o(tmp.path + "/run");
  ASSERT_EQ(61, o.meta().states);
  int columns = 0;
  for (ph_column col : rerun_help::kRowColumns) {
    if (trace.column[col].empty() || trace.column[col][0].empty())
      continue;
    SCOPED_TRACE(ph_schema_column(col)->path);
    EXPECT_NE(trace.column[col][0], trace.column[col][60]) << "it does change";
    ASSERT_TRUE(ph_episode_has(o.episode, col));
    columns++;
    for (size_t t = 0; t <= 60; t++)
      ASSERT_EQ(trace.column[col][t], o.bytes(col, static_cast<int64_t>(t))) << t;
  }
  EXPECT_EQ(9, columns) << "states (time, qpos, qvel, act), warmstart, ctrl, mocap, ...";
  for (size_t t = 0; t < 60; t++)
    ASSERT_EQ(0, memcmp(trace.actions[t].data(),
                        o.bytes(PH_COL_ACTIONS, static_cast<int64_t>(t)).data(),
                        trace.actions[t].size() * sizeof(double)));
}

} // namespace
