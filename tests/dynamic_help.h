// What tests of a session's dynamic side share: requests, and runs recorded without a task.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
#include "session.h"
}

namespace dynamic_help {

namespace fs = std::filesystem;

const char *const kArm =
    "<mujoco><compiler angle='radian'/><option timestep='0.002'/><worldbody>"
    "<body name='upper' pos='0 0 1'><joint name='shoulder' axis='0 1 0' damping='.3'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='.8'/>"
    "<body name='fore' pos='.3 0 0'><joint name='elbow' axis='0 1 0' damping='.1'/>"
    "<geom name='fore' type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='.4'/>"
    "</body></body></worldbody><actuator><position name='ms' joint='shoulder' kp='30'/>"
    "<position name='me' joint='elbow' kp='15'/></actuator></mujoco>";

/* Records one episode of the arm; at step `push` (-1: never) another ctrl runs than the action
 * says.
 */
inline void record_arm(const fs::path &dir, int actions, int push) {
  ph_model *model = nullptr;
  ph_recorder *rec = nullptr;
  ph_sim *sim = nullptr;
  ph_row row;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = 5;
  ASSERT_EQ(ph_model_open_text(&model, kArm, strlen(kArm), "arm.xml", nullptr), PH_OK)
      << ph_error();
  ASSERT_EQ(ph_recorder_open(&rec, dir.c_str(), model, &opt), PH_OK) << ph_error();
  ASSERT_EQ(ph_sim_create(&sim, model), PH_OK);
  ASSERT_EQ(ph_sim_forward(sim), PH_OK);
  ASSERT_EQ(ph_sim_get_row(sim, &row), PH_OK);
  ASSERT_EQ(ph_recorder_begin(rec, 0, 1, nullptr, 0, &row), PH_OK) << ph_error();
  for (int t = 0; t < actions; t++) {
    double action[2] = {0.6 * std::sin(0.31 * t), 0.8 * std::cos(0.43 * t)}, reward = 0.5;
    double ctrl[2] = {action[0] + (t == push ? 0.5 : 0), action[1]};
    const double *actions_of[1] = {action};
    uint8_t flags = 0;
    int env = 0;
    bool warned = false;
    ASSERT_EQ(ph_sim_step(sim, ctrl, 5, &warned), PH_OK) << ph_error();
    ASSERT_EQ(ph_sim_forward(sim), PH_OK);
    ASSERT_EQ(ph_sim_get_row(sim, &row), PH_OK);
    ASSERT_EQ(ph_recorder_rows(rec, &env, 1, actions_of, nullptr, &reward, &flags, &row), PH_OK)
        << ph_error();
  }
  EXPECT_EQ(ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, ""), PH_OK) << ph_error();
  EXPECT_EQ(ph_recorder_close(rec, nullptr), PH_OK) << ph_error();
  ph_sim_free(sim);
  ph_model_unref(model);
}

/* One episode of a path, and a rerun of it as the session has it. */
struct Library {
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  ph_model *model = nullptr;
  ph_task *task = nullptr;
  ph_rerun *run = nullptr;
  ph_cursor *cursor = nullptr;
  explicit Library(const fs::path &path, size_t place, int64_t anchor = 0) {
    std::string text = path.string();
    const char *paths[] = {text.c_str()}, *source = nullptr;
    EXPECT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK) << ph_error();
    EXPECT_EQ(ph_store_episode(&episode, store, place), PH_OK) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    EXPECT_EQ(ph_store_model(&model, store, meta->model_sha256), PH_OK) << ph_error();
    if (meta->task_sha256[0] && ph_store_task(&source, store, meta->task_sha256) == PH_OK) {
      EXPECT_EQ(ph_task_parse(&task, source, strlen(source), "run"), PH_OK) << ph_error();
    }
    ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
    opt.anchor = anchor;
    rerun(opt);
  }
  void rerun(const ph_rerun_options &opt) {
    ph_cursor_close(cursor);
    ph_rerun_unref(run);
    ASSERT_EQ(ph_rerun_create(&run, episode, model, task, &opt), PH_OK) << ph_error();
    ASSERT_EQ(ph_cursor_open(&cursor, run), PH_OK) << ph_error();
  }
  const ph_instant *at(int64_t step, int substep = 0) {
    EXPECT_EQ(ph_cursor_seek(cursor, step, substep, nullptr, nullptr), PH_OK) << ph_error();
    return ph_cursor_now(cursor);
  }
  ~Library() {
    ph_cursor_close(cursor);
    ph_rerun_unref(run);
    ph_task_unref(task);
    ph_model_unref(model);
    ph_episode_free(episode);
    ph_store_free(store);
  }
};

struct Dynamic : ::testing::Test {
  fs::path dir;
  struct session *s = nullptr;
  struct request want = {};
  struct snapshot *snap = nullptr; /* the newest; owned */

  void SetUp() override {
    char name[] = "/tmp/dynamicXXXXXX";
    dir = mkdtemp(name);
    want.dyn.columns = 40;
  }
  void TearDown() override {
    snapshot_free(snap);
    session_free(s);
    fs::remove_all(dir);
  }
  void copy(const char *run) {
    fs::copy(fs::path(TEST_SOURCE_ROOT) / "data/runs" / run, dir / "run");
  }
  ph_status open() {
    std::string text = (dir / "run").string();
    const char *paths[] = {text.c_str()};
    struct session_options opt = {};
    opt.paths = paths;
    opt.npaths = 1;
    session_free(s);
    s = nullptr;
    return session_open(&s, &opt);
  }
  void take(struct snapshot *fresh) {
    if (!fresh)
      return;
    snapshot_free(snap);
    snap = fresh;
  }
  void serve() {
    struct snapshot *fresh = nullptr;
    want.serial++;
    ASSERT_EQ(session_serve(s, &want, &fresh), PH_OK) << ph_error();
    take(fresh);
    ASSERT_TRUE(snap && snap->dyn) << (snap ? snap->error : "");
    EXPECT_EQ(snap->serial, want.serial);
  }
  void settle() {
    struct snapshot *fresh = nullptr;
    ASSERT_EQ(session_settle(s, 0, &fresh), PH_OK) << ph_error();
    take(fresh);
  }
  /* Serves and settles. */
  const struct dynamic_answer *ask(enum tui_mode mode, int64_t step, int substep = 0) {
    want.dyn.mode = mode;
    want.step = step;
    want.dyn.substep = substep;
    serve();
    settle();
    EXPECT_TRUE(snap && snap->dyn);
    return snap->dyn;
  }
  const ph_finding *finding(ph_finding_kind kind) const {
    for (size_t i = 0; i < snap->dyn->nfindings; i++)
      if (snap->dyn->findings[i].kind == kind)
        return &snap->dyn->findings[i];
    return nullptr;
  }
};

} // namespace dynamic_help
