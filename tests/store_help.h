// What the tests of stores share: a model, a task, runs and datasets of episodes with both.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "read_help.h"

extern "C" {
#include "mjcf.h"
#include "model.h"
#include "sink.h"
}

namespace store_help {

using namespace read_help;

inline const char *const arm_xml =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<body name='arm'><joint name='shoulder'/><geom name='g' size='.1'/>"
    "<body name='tip' pos='0 0 .3'><joint name='slide' type='slide'/><geom "
    "size='.1'/></body></body>"
    "<body name='cup' pos='1 0 1'><freejoint name='cup'/><geom size='.05'/></body></worldbody>"
    "<actuator><motor name='m' joint='shoulder'/></actuator></mujoco>";

inline const char *const task_lua =
    "return { name = 'lift', control_steps = 10, hold_seconds = 0.5,\n"
    "success = function(s) return s.joint.slide > 0 end }\n";

struct Model {
  ph_model *m = nullptr;
  explicit Model(const std::string &xml = arm_xml) {
    ph_source *source = nullptr;
    EXPECT_EQ(ph_mjcf_parse(&source, xml.c_str(), xml.size(), "test.xml"), PH_OK) << ph_error();
    if (source) {
      EXPECT_EQ(ph_model_from_source(&m, source, nullptr, nullptr), PH_OK) << ph_error();
    }
  }
  ~Model() { ph_model_unref(m); }
};

struct Task {
  ph_task *t = nullptr;
  Task() {
    EXPECT_EQ(ph_task_parse(&t, task_lua, strlen(task_lua), "lift.lua"), PH_OK) << ph_error();
  }
  ~Task() { ph_task_unref(t); }
};

inline ph_episode_meta meta_of(const Model &model, const Task &task, int env, int64_t episode,
                               int64_t actions, const char *run_id = "run-1") {
  ph_episode_meta m = {};
  strcpy(m.writer, "playhead test");
  strcpy(m.run_id, run_id);
  strcpy(m.created, "2026-01-02T03:04:05Z");
  m.env_id = env;
  m.episode = episode;
  m.actions = actions;
  m.states = actions + 1;
  strcpy(m.seed, std::to_string(100 * env + episode).c_str());
  m.end_reason = PH_END_TRUNCATED;
  m.success = 0;
  strcpy(m.determinism, "unchecked");
  strcpy(m.model_sha256, ph_model_sha256(model.m));
  strcpy(m.task_sha256, ph_task_sha256(task.t));
  m.hold_seconds = 0.5;
  m.hold_steps = 25;
  strcpy(m.env_name, "lift");
  strcpy(m.recipe, "step");
  strcpy(m.derived, "fresh");
  strcpy(m.engine, "mujoco");
  m.provenance = "[]";
  m.timestep = 0.002;
  m.control_dt = 0.02;
  m.dims = *ph_model_dims(model.m);
  m.dims.action_dim = 1;
  m.dims.control_steps = 10;
  return m;
}

const uint32_t stored = PH_COL_BIT(PH_COL_ACTIONS) | PH_COL_BIT(PH_COL_STATES) |
                        PH_COL_BIT(PH_COL_REWARDS) | PH_COL_BIT(PH_COL_DONES) |
                        PH_COL_BIT(PH_COL_WARMSTART) | PH_COL_BIT(PH_COL_CTRL) |
                        PH_COL_BIT(PH_COL_FLAGS) | PH_COL_BIT(PH_COL_PREDICATE);

inline int64_t rows_of(const ph_episode_meta &m, ph_column col) {
  bool per_state = col == PH_COL_STATES || ph_schema_column(col)->rows == PH_ROWS_S;
  return per_state ? m.states : m.actions;
}

inline Bytes column_of(const ph_episode_meta &m, ph_column col) {
  int64_t rows = rows_of(m, col);
  size_t elements = (size_t)rows * ph_schema_width(col, &m.dims);
  std::mt19937 rng((unsigned)(m.env_id * 1000 + m.episode * 50 + col));
  if (ph_schema_column(col)->type == PH_U8) {
    Bytes out(elements);
    for (uint8_t &b : out)
      b = rng() & 1;
    return out;
  }
  Bytes out(elements * 8);
  for (size_t i = 0; i < elements; i++) {
    double x = (double)rng();
    memcpy(&out[i * 8], &x, 8);
  }
  return out;
}

inline void put(ph_sink *sink, const ph_episode_meta &m) {
  ph_begin begin = {&m, stored, nullptr, 0};
  ASSERT_EQ(sink->begin(sink, &begin), PH_OK) << ph_error();
  for (int col = 0; col < PH_COL_COUNT; col++) {
    if (!(stored & PH_COL_BIT(col)))
      continue;
    Bytes data = column_of(m, (ph_column)col);
    ASSERT_EQ(sink->rows(sink, (ph_column)col, 0, rows_of(m, (ph_column)col), data.data()), PH_OK)
        << ph_error();
  }
  ASSERT_EQ(sink->end(sink), PH_OK) << ph_error();
}

using Places = std::vector<std::pair<int, int64_t>>;

inline void fill(ph_sink *sink, const Model &model, const Task &task, const Places &places) {
  ASSERT_EQ(sink->model(sink, model.m), PH_OK) << ph_error();
  ASSERT_EQ(sink->task(sink, task.t), PH_OK) << ph_error();
  for (auto [env, episode] : places)
    put(sink, meta_of(model, task, env, episode, 3 + env + episode));
  ASSERT_EQ(sink->finish(sink), PH_OK) << ph_error();
  sink->free(sink);
}

inline void write_run(const std::string &dir, const Model &model, const Task &task,
                      const Places &places) {
  ph_sink *sink;
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1);
  ASSERT_EQ(ph_sink_run(&sink, dir.c_str(), &origin, nullptr), PH_OK) << ph_error();
  fill(sink, model, task, places);
}

inline void write_dataset(const std::string &path, const Model &model, const Task &task,
                          const Places &places, bool compress = false) {
  ph_sink *sink;
  ph_sink_options opt = {};
  opt.compress = compress;
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1);
  ASSERT_EQ(ph_sink_dataset(&sink, path.c_str(), &origin, &opt), PH_OK) << ph_error();
  fill(sink, model, task, places);
}

inline const ph_entry *entry(const Store &s, size_t i) {
  return ph_store_entry(s.get(), i);
}

inline Episode episode_of(const Store &s, size_t i) {
  ph_episode *e = nullptr;
  ph_store_episode(&e, s.get(), i);
  return Episode(e);
}

inline void expect_rows(const ph_episode *e, const ph_episode_meta &m) {
  for (int col = 0; col < PH_COL_COUNT; col++) {
    if (!(stored & PH_COL_BIT(col)))
      continue;
    ph_status status;
    Bytes got = read_column(e, (ph_column)col, &status);
    ASSERT_EQ(status, PH_OK) << ph_error();
    EXPECT_EQ(got, column_of(m, (ph_column)col)) << ph_schema_column((ph_column)col)->path;
  }
}

} // namespace store_help
