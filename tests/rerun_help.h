/* What tests of reruns share: recorded runs of data/, bits of rows, cursors. */
#ifndef TESTS_RERUN_HELP_H
#define TESTS_RERUN_HELP_H

#include <memory>

#include "rec_help.h"

extern "C" {
#include "episode.h"
#include "rerun_parts.h"
}

namespace rerun_help {

const ph_column kRowColumns[] = {
    PH_COL_STATES,       PH_COL_WARMSTART,    PH_COL_CTRL,         PH_COL_MOCAP_POS,
    PH_COL_MOCAP_QUAT,   PH_COL_USERDATA,     PH_COL_EQ_ACTIVE,    PH_COL_PLUGIN_STATE,
    PH_COL_QFRC_APPLIED, PH_COL_XFRC_APPLIED, PH_COL_ACTION_STATE, PH_COL_PREDICATE,
};

inline size_t row_size(ph_column col, const ph_dims &dims) {
  return ph_schema_width(col, &dims) * ph_type_size(ph_schema_column(col)->type);
}

/* A recorded run: its store, and the model and task of its first episode. */
struct Recorded {
  ph_store *store = nullptr;
  ph_model *model = nullptr;
  ph_task *task = nullptr;
  explicit Recorded(const std::string &path) {
    const char *paths[1] = {path.c_str()}, *source = nullptr;
    EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_model(&model, store, ph_store_model_hash(store, 0))) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_task(&source, store, ph_store_task_hash(store, 0))) << ph_error();
    if (source) {
      EXPECT_EQ(PH_OK, ph_task_parse(&task, source, strlen(source), "run.h5")) << ph_error();
    }
  }
  ~Recorded() {
    ph_task_unref(task);
    ph_model_unref(model);
    ph_store_free(store);
  }
};

struct Episode {
  ph_episode *episode = nullptr;
  Episode(const Recorded &run, size_t i) {
    EXPECT_EQ(PH_OK, ph_store_episode(&episode, run.store, i)) << ph_error();
  }
  explicit Episode(ph_episode *taken) : episode(taken) {}
  ~Episode() { ph_episode_free(episode); }
  const ph_episode_meta &meta() const { return *ph_episode_meta_of(episode); }
  std::string row(ph_column col, int64_t step) const {
    std::string out(row_size(col, meta().dims), 0);
    EXPECT_EQ(PH_OK, ph_episode_read(episode, col, step, 1, &out[0])) << ph_error();
    return out;
  }
};

struct Rerun {
  ph_rerun *run = nullptr;
  Rerun(const ph_episode *episode, const ph_model *model, const ph_task *task,
        const ph_rerun_options &opt = PH_RERUN_OPTIONS_INIT) {
    EXPECT_EQ(PH_OK, ph_rerun_create(&run, episode, model, task, &opt)) << ph_error();
  }
  ~Rerun() { ph_rerun_unref(run); }
  ph_rerun_cache cached() const {
    ph_rerun_cache out;
    ph_rerun_cached(run, &out);
    return out;
  }
};

struct Cursor {
  ph_cursor *cursor = nullptr;
  explicit Cursor(const Rerun &run) {
    EXPECT_EQ(PH_OK, ph_cursor_open(&cursor, run.run)) << ph_error();
  }
  ~Cursor() { ph_cursor_close(cursor); }
  const ph_instant &go(int64_t step, int substep = 0) {
    EXPECT_EQ(PH_OK, ph_cursor_seek(cursor, step, substep, nullptr, nullptr)) << ph_error();
    return *ph_cursor_now(cursor);
  }
};

/* All that an instant says, as bytes; its derived values too. */
inline std::string bits(const ph_instant &now, const ph_dims &dims) {
  std::string out(reinterpret_cast<const char *>(&now.step), sizeof now.step);
  auto add = [&](const void *p, size_t n) { out.append(static_cast<const char *>(p), n); };
  add(&now.substep, sizeof now.substep);
  for (ph_column col : kRowColumns) {
    const void *at = ph_row_column(&now.row, col);
    out += at ? '+' : '-';
    if (at)
      add(at, row_size(col, dims));
  }
  out += now.action ? '+' : '-';
  if (now.action)
    add(now.action, static_cast<size_t>(dims.action_dim) * sizeof(double));
  out += now.judged ? 'j' : '-';
  out += static_cast<char>('0' + now.predicate);
  for (int64_t x : {now.hold.steps, now.hold.count, static_cast<int64_t>(now.hold.latched),
                    now.hold.latched ? now.hold.latch : -1, static_cast<int64_t>(now.stages.n),
                    static_cast<int64_t>(now.stages.done), now.stages.count,
                    static_cast<int64_t>(now.flags), static_cast<int64_t>(now.end)})
    add(&x, sizeof x);
  add(now.stages.latch, now.stages.n * sizeof(int64_t));
  add(&now.reward, sizeof now.reward);
  out += now.detail;
  const mjData *d = now.sim->d;
  const mjModel *m = now.sim->m;
  add(d->xpos, 3 * static_cast<size_t>(m->nbody) * sizeof(double));
  add(d->sensordata, static_cast<size_t>(m->nsensordata) * sizeof(double));
  add(d->qfrc_actuator, static_cast<size_t>(m->nv) * sizeof(double));
  return out;
}

inline ph_dims dims_of(const Rerun &r) {
  return r.run->dims;
}

/* The row is the recorded one, bit for bit, in every column that is stored. */
inline void expect_recorded(const ph_instant &now, const Episode &e, bool judged = true) {
  const ph_dims &dims = e.meta().dims;
  for (ph_column col : kRowColumns) {
    if (!ph_episode_has(e.episode, col) || row_size(col, dims) == 0 ||
        (col == PH_COL_PREDICATE && !judged))
      continue;
    const void *at = ph_row_column(&now.row, col);
    ASSERT_NE(nullptr, at) << ph_schema_column(col)->path;
    std::string want = e.row(col, now.step);
    ASSERT_EQ(0, memcmp(want.data(), at, want.size()))
        << ph_schema_column(col)->path << " at " << now.step;
  }
}

/* And so is what the transition came to. */
inline void expect_outcome(const ph_instant &now, const Episode &e) {
  if (now.step == 0)
    return;
  std::string reward = e.row(PH_COL_REWARDS, now.step - 1),
              flags = e.row(PH_COL_FLAGS, now.step - 1);
  ASSERT_TRUE(now.judged) << now.detail;
  ASSERT_EQ(0, memcmp(reward.data(), &now.reward, sizeof now.reward)) << now.step;
  ASSERT_EQ(static_cast<uint8_t>(flags[0]), now.flags) << now.step;
}

} // namespace rerun_help

#endif
