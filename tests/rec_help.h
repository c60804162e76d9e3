/* A small model and task, rollouts kept as plain bytes, and a sink that keeps what it is given. */
#ifndef TESTS_REC_HELP_H
#define TESTS_REC_HELP_H

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include <playhead/playhead.h>

#include "mj_help.h"

extern "C" {
#include "recorder.h"
#include "sink.h"
}

/* Two hinges with a contact, a free ball, a weld, a mocap body and userdata. */
inline const char *rec_xml() {
  return "<mujoco><compiler angle='radian'/><size nuserdata='2'/><option timestep='0.002'/>"
         "<worldbody><geom name='floor' type='plane' size='2 2 .1'/>"
         "<body name='target' mocap='true' pos='0.5 0 0.5'><geom type='sphere' size='.01' "
         "contype='0' conaffinity='0'/></body>"
         "<body name='arm' pos='0 0 0.5'><joint name='a' axis='0 1 0' damping='0.2'/>"
         "<geom name='arm' type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='.4'/>"
         "<body name='fore' pos='.3 0 0'><joint name='b' axis='0 1 0' damping='0.2'/>"
         "<geom name='fore' type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='.3'/>"
         "<site name='tip' pos='.3 0 0'/></body></body>"
         "<body name='ball' pos='.5 0 .1'><freejoint name='ball'/><geom name='ball' "
         "type='sphere' size='.05' mass='.1'/></body></worldbody>"
         "<equality><weld name='grab' body1='ball' body2='target' active='false'/></equality>"
         "<actuator><position name='pa' joint='a' kp='20'/><position name='pb' joint='b' kp='10'/>"
         "</actuator></mujoco>";
}

/* A task for it; `more` is put into the table (and may overwrite what stands before). */
inline std::string rec_task(const std::string &more = "") {
  return "local n = 0\nreturn { name = 'wave', control_steps = 5, max_steps = 40,\n"
         "hold_seconds = 0.03,\n"
         "actions = { { type = 'joint_position', joints = { 'a', 'b' } } },\n"
         "policy = function(s, rng) n = n + 1\n"
         "  return { 0.6 * math.sin(0.2 * n) + 0.1 * rng(), 0.3 * rng() } end,\n"
         "reset = function(env, rng) env.qpos.a = 0.2 * rng() end,\n" +
         more + "}\n";
}

/* Bytes of every column by row; actions and rewards beside. */
struct Rollout {
  std::map<int, std::vector<std::string>> columns;
  std::vector<std::vector<double>> actions;
  std::vector<double> rewards;
  std::vector<uint8_t> flags;
  ph_end end = PH_END_UNKNOWN;
  std::string detail;
  bool operator==(const Rollout &o) const {
    auto same = [](const std::vector<std::vector<double>> &x,
                   const std::vector<std::vector<double>> &y) {
      if (x.size() != y.size())
        return false;
      for (size_t i = 0; i < x.size(); i++)
        if (x[i].size() != y[i].size() ||
            memcmp(x[i].data(), y[i].data(), x[i].size() * sizeof(double)) != 0)
          return false;
      return true;
    };
    return columns == o.columns && same(actions, o.actions) && same({rewards}, {o.rewards}) &&
           flags == o.flags && end == o.end && detail == o.detail;
  }
  bool operator!=(const Rollout &o) const { return !(*this == o); }
  const double *state(size_t t) const {
    return reinterpret_cast<const double *>(columns.at(PH_COL_STATES)[t].data());
  }
};

inline void keep_row(Rollout &r, const ph_row &row, const ph_dims &dims) {
  for (int c = 0; c < PH_COL_COUNT; c++) {
    ph_column col = static_cast<ph_column>(c);
    const void *data = ph_row_column(&row, col);
    size_t size = ph_schema_width(col, &dims) * ph_type_size(ph_schema_column(col)->type);
    if (data != nullptr && size > 0)
      r.columns[c].emplace_back(static_cast<const char *>(data), size);
  }
}

struct Model {
  ph_model *model = nullptr;
  explicit Model(const std::string &xml = rec_xml()) : model(help_model(xml)) {}
  ~Model() { ph_model_unref(model); }
};

struct Task {
  ph_task *task = nullptr;
  explicit Task(const std::string &source) {
    EXPECT_EQ(PH_OK, ph_task_parse(&task, source.data(), source.size(), "t.lua")) << ph_error();
  }
  ~Task() { ph_task_unref(task); }
};

struct Env {
  ph_env *env = nullptr;
  Env(const Task &task, const Model &model, double hold = -1.0) {
    ph_env_options opt = {hold};
    EXPECT_EQ(PH_OK, ph_env_create(&env, task.task, model.model, &opt)) << ph_error();
  }
  ~Env() { ph_env_free(env); }
};

/* One transition of one env into a recorder. */
inline ph_status put_row(ph_recorder *rec, int env_id, const double *action, double reward,
                         uint8_t flags, const ph_row &row) {
  return ph_recorder_rows(rec, &env_id, 1, &action, nullptr, &reward, &flags, &row);
}

/* Runs one episode by the task's policy, at most `limit` steps; records where rec is given and ends
 * the episode there unless it did not end. */
inline Rollout rollout(ph_env *env, uint64_t seed, ph_recorder *rec = nullptr, int env_id = 0,
                       int limit = 10000) {
  Rollout r;
  ph_row row;
  EXPECT_EQ(PH_OK, ph_env_reset(env, seed, &row)) << ph_error();
  const ph_dims dims = *ph_env_dims(env);
  keep_row(r, row, dims);
  size_t n = 0;
  const ph_edit *edits = ph_env_edits(env, &n);
  if (rec != nullptr) {
    EXPECT_EQ(PH_OK, ph_recorder_begin(rec, env_id, seed, edits, n, &row)) << ph_error();
  }
  std::vector<double> action(static_cast<size_t>(dims.action_dim));
  ph_outcome out = {};
  while (!out.done && limit-- > 0) {
    ph_env_policy(env, action.data());
    EXPECT_EQ(PH_OK, ph_env_step(env, action.data(), &out)) << ph_error();
    if (out.end == PH_END_NAN)
      break;
    keep_row(r, out.row, dims);
    r.actions.push_back(action);
    r.rewards.push_back(out.reward);
    r.flags.push_back(out.flags);
    if (rec != nullptr) {
      EXPECT_EQ(PH_OK, put_row(rec, env_id, action.data(), out.reward, out.flags, out.row))
          << ph_error();
    }
  }
  r.end = out.end;
  r.detail = out.detail != nullptr ? out.detail : "";
  if (rec != nullptr && out.done) {
    EXPECT_EQ(PH_OK, ph_recorder_end(rec, env_id, out.end, out.end == PH_END_SUCCESS, out.detail))
        << ph_error();
  }
  return r;
}

struct TempDir {
  std::string path;
  TempDir() {
    const char *tmp = getenv("TMPDIR");
    std::string name = std::string(tmp != nullptr ? tmp : "/tmp") + "/playhead-test-XXXXXX";
    EXPECT_NE(nullptr, mkdtemp(name.data()));
    path = name;
  }
  ~TempDir() { std::filesystem::remove_all(path); }
};

/* What a sink was given for one episode. */
struct Kept {
  ph_episode_meta meta;
  std::string provenance;
  uint32_t columns = 0;
  std::vector<std::string> edits; /* field names */
  std::map<int, std::string> bytes;
};

/* A sink whose k-th call of `end` (or begin, rows) can be made to fail. Outlives the recorder. */
struct Catch {
  ph_sink sink = {}; /* first: the callbacks get its address */
  std::vector<Kept> kept;
  Kept now;
  int models = 0, tasks = 0, finished = 0, freed = 0, open = 0;
  int fail_begin = 0, fail_rows = 0, fail_end = 0, fail_finish = 0; /* calls that will fail */

  static Catch *of(ph_sink *s) { return reinterpret_cast<Catch *>(s); }
  static bool count_down(int &n) { return n > 0 && n-- > 0; }
  static ph_status on_begin(ph_sink *s, const ph_begin *b) {
    Catch *c = of(s);
    if (count_down(c->fail_begin))
      return PH_EIO;
    EXPECT_EQ(0, c->open++);
    c->now = Kept();
    c->now.meta = *b->meta;
    c->now.provenance = b->meta->provenance;
    c->now.columns = b->columns;
    for (size_t i = 0; i < b->nedits; i++)
      c->now.edits.push_back(b->edits[i].field);
    return PH_OK;
  }
  static ph_status on_rows(ph_sink *s, ph_column col, int64_t first, int64_t n, const void *data) {
    Catch *c = of(s);
    if (count_down(c->fail_rows)) {
      c->open = 0;
      return PH_EIO;
    }
    size_t row =
        ph_schema_width(col, &c->now.meta.dims) * ph_type_size(ph_schema_column(col)->type);
    EXPECT_EQ(static_cast<size_t>(first) * row, c->now.bytes[col].size()) << "rows with a gap";
    c->now.bytes[col].append(static_cast<const char *>(data), static_cast<size_t>(n) * row);
    return PH_OK;
  }
  static ph_status on_end(ph_sink *s) {
    Catch *c = of(s);
    EXPECT_EQ(1, c->open--);
    if (count_down(c->fail_end))
      return PH_EIO;
    c->kept.push_back(c->now);
    return PH_OK;
  }
  Catch() {
    sink.model = [](ph_sink *s, const ph_model *) { return of(s)->models++, PH_OK; };
    sink.task = [](ph_sink *s, const ph_task *) { return of(s)->tasks++, PH_OK; };
    sink.begin = on_begin;
    sink.rows = on_rows;
    sink.end = on_end;
    sink.cancel = [](ph_sink *s) { of(s)->open = 0; };
    sink.finish = [](ph_sink *s) {
      return of(s)->finished++, count_down(of(s)->fail_finish) ? PH_EIO : PH_OK;
    };
    sink.free = [](ph_sink *s) { of(s)->freed++; };
  }
};

#endif
