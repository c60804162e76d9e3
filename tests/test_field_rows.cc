// What users of replay tools complained of in public, each as a test. The comment above a test
// names a thread in which it was told.
#include <random>
#include <regex>

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
      o.expect(PH_CAUSE_VARIANT, {name.c_str(), " as the file says "});
      /* an end that repeats its action comes back either way */
      EXPECT_TRUE(strstr(o.said.text, "says 0 do") || strstr(o.said.text, "says 1 do"))
          << o.said.text;
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

/* mujoco #889, #498, #430: xpos is one step behind qpos after mj_step. By how much, and that what
 * is shown is not. */
TEST(Field, ReadoutsAreOfTheStateThatIsShown) {
  TempDir tmp;
  std::vector<double> stale, fresh;
  std::string xml = arm_xml();
  xml.replace(xml.find("timestep='0.002'"), 16, "timestep='0.005'");
  Trace trace(
      xml, 200, 2, [](ph_sim *sim) { sim->d->qvel[0] = 6; },
      [&](ph_sim *sim, int) { stale.push_back(sim->d->xpos[3 * 2 + 2]); });
  record(tmp.path + "/run", trace);
  Opened o(tmp.path + "/run");
  ph_replay *replay = nullptr;
  ph_rerun *run = nullptr;
  ph_cursor *cursor = nullptr;
  ASSERT_EQ(PH_OK, ph_replay_create(&replay, o.episode, o.model, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_rerun_create(&run, o.episode, o.model, nullptr, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_cursor_open(&cursor, run)) << ph_error();
  size_t n = 0, z = 0;
  const ph_signal *signals = ph_replay_signals(replay, &n);
  while (z < n && strcmp(signals[z].name, "fore.z") != 0)
    z++;
  ASSERT_LT(z, n);
  double behind = 0;
  for (int64_t t = 1; t < 200; t++) {
    ASSERT_EQ(PH_OK, ph_replay_seek(replay, t, 0, PH_KINEMATIC)) << ph_error();
    ASSERT_EQ(PH_OK, ph_cursor_seek(cursor, t, 0, nullptr, nullptr)) << ph_error();
    const ph_frame *frame = ph_replay_frame(replay);
    double shown = frame->values[z], exact = 1 - 0.3 * std::sin(frame->row.state[1]);
    ASSERT_NEAR(exact, shown, 1e-12) << "by the angle that is shown beside it";
    ASSERT_EQ(0, memcmp(&shown, &ph_cursor_now(cursor)->sim->d->xpos[3 * 2 + 2], sizeof shown));
    behind = std::max(behind, std::fabs(shown - stale[static_cast<size_t>(t)]));
  }
  EXPECT_GT(behind, 0.004) << "the engine's own is millimetres behind after a step";
  EXPECT_LT(behind, 0.06);
  ph_cursor_close(cursor);
  ph_rerun_unref(run);
  ph_replay_free(replay);
}

/* strands-labs/robots PR #1012: 1 substep was run in place of 17, and it still said success. */
TEST(Field, AWrongNumberOfSubstepsIsFoundFromTheTimes) {
  for (auto [real, said] : {std::pair<int, int>{17, 1}, {25, 20}, {1, 17}}) {
    TempDir tmp;
    SCOPED_TRACE(std::to_string(said) + " in place of " + std::to_string(real));
    Trace trace(arm_xml(), 80, real);
    record(tmp.path + "/run", trace, {said, 0, 7});
    Opened o(tmp.path + "/run");
    std::string with = "With " + std::to_string(real) + " substep";
    o.expect(PH_CAUSE_VARIANT, {with.c_str(), "bit for bit", "as the file says"});
    EXPECT_EQ(real, o.said.best.control_steps);
    EXPECT_EQ(said, o.said.as_is.control_steps);
    EXPECT_EQ(0, o.said.best_error);
  }
}

/* IsaacLab #1038, ManiSkill #1372, #1246: a seed does not bring a start state back. It is never
 * asked to: what is stored is where it starts. */
TEST(Field, TheSeedIsNeverUsed) {
  TempDir tmp;
  Trace trace(box_xml(), 100, 4, [](ph_sim *sim) { sim->d->qpos[0] = 0.7; });
  std::string said[2];
  for (uint64_t seed : {7, 8}) {
    std::string path = tmp.path + "/" + std::to_string(seed);
    record(path, trace, {0, 0, seed});
    Opened o(path);
    EXPECT_EQ(std::to_string(seed), o.meta().seed);
    rerun_help::Rerun run(o.episode, o.model, nullptr);
    rerun_help::Straight straight(run);
    for (auto &step : straight.at)
      said[seed - 7] += step[0];
    o.expect(PH_CAUSE_NONE, {"bit for bit"});
  }
  EXPECT_TRUE(said[0] == said[1]) << "every bit of every step";
}

/* And what is left is told apart: physics that grows the last bit into another run, and a run that
 * began elsewhere. */
TEST(Field, ChaosIsNoWrongStart) {
  std::string xml = std::regex_replace(arm_xml(), std::regex("damping='[.0-9]*'"), "damping='0'");
  xml = std::regex_replace(xml, std::regex("kp='[0-9]*'"), "kp='1'");
  TempDir tmp;
  Trace chaos(
      xml, 2600, 5, [](ph_sim *sim) { sim->d->qpos[0] = -1.5, sim->d->qvel[1] = 9; },
      [](ph_sim *sim, int) { sim->d->qpos[1] = std::nextafter(sim->d->qpos[1], 1e9); });
  record(tmp.path + "/chaos", chaos);
  Opened o(tmp.path + "/chaos");
  o.expect(PH_CAUSE_NONE, {"Each of 2600 steps comes back within 1e-9", "rounding that has grown"});
  EXPECT_EQ(PH_DIVERGED, o.sum.cls);
  EXPECT_EQ(PH_ROUNDING, o.sum.one_cls);
  Trace start(xml, 400, 5, [](ph_sim *sim) { sim->d->qpos[0] = -1.5; });
  reinterpret_cast<double *>(&start.column[PH_COL_STATES][0][0])[1] += 1e-3;
  record(tmp.path + "/start", start);
  Opened w(tmp.path + "/start");
  w.expect(PH_CAUSE_START, {"Another start", "all 400 steps but the first", "shoulder 1.0e-3 rad"});
  EXPECT_EQ(1, w.sum.one_first[PH_DIVERGED]);
  EXPECT_EQ(399, w.sum.one_count[PH_BITWISE]);
}

/* bullet3 #3993, #2982: a state that was saved and put back went another way. */
TEST(Field, SaveAndRestoreInTheMiddleIsTheSameEachTime) {
  for (const char *solver : {"PGS", "CG", "Newton"})
    for (const char *integrator : {"Euler", "RK4", "implicit"}) {
      SCOPED_TRACE(std::string(solver) + " " + integrator);
      Trace trace(rerun_help::pile(solver, integrator), 90, 4, {}, [](ph_sim *sim, int t) {
        if (t == 20)
          rerun_help::disturb(sim);
      });
      ph_sim *sims[2] = {};
      std::string ends[3];
      for (ph_sim *&sim : sims)
        ASSERT_EQ(PH_OK, ph_sim_create(&sim, trace.model)) << ph_error();
      for (int again = 0; again < 3; again++) {
        ph_sim *sim = sims[again % 2]; /* fresh, fresh, and one that has been elsewhere */
        ph_row row = trace.row(45);
        ASSERT_EQ(PH_OK, ph_sim_set_row(sim, &row)) << ph_error();
        for (size_t t = 45; t < 90; t++) {
          bool warned;
          ASSERT_EQ(PH_OK, ph_sim_step(sim, trace.actions[t].data(), 4, &warned)) << ph_error();
          ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &row)) << ph_error();
          ASSERT_EQ(0, memcmp(trace.column[PH_COL_STATES][t + 1].data(), row.state,
                              trace.column[PH_COL_STATES][0].size()))
              << t;
          ASSERT_EQ(0, memcmp(trace.column[PH_COL_WARMSTART][t + 1].data(), row.warmstart,
                              trace.column[PH_COL_WARMSTART][0].size()))
              << t;
        }
        ends[again] = help_bits(sim);
      }
      EXPECT_TRUE(ends[0] == ends[1] && ends[1] == ends[2]);
      for (ph_sim *sim : sims)
        ph_sim_free(sim);
    }
}

} // namespace
