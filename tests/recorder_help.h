/* A recorder of a run directory that says what it warns of, and what is in its folder. */
#ifndef TESTS_RECORDER_HELP_H
#define TESTS_RECORDER_HELP_H

#include <algorithm>
#include <mutex>

#include "journal_help.h"

extern "C" {
#include "take.h"
}

struct RunRec {
  std::string path;
  ph_recorder *rec = nullptr;
  std::vector<std::string> warnings;
  static void on_warn(void *user, const char *line) {
    static_cast<RunRec *>(user)->warnings.emplace_back(line);
  }
  RunRec(const std::string &dir, const Model &model, const Task *task,
         ph_existing existing = PH_EXISTING_REFUSE, bool compress = false)
      : path(dir) {
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    opt.task = task != nullptr ? task->task : nullptr;
    opt.control_steps = task != nullptr ? 0 : 1;
    opt.existing = existing;
    opt.compress = compress;
    opt.behind = getenv("PLAYHEAD_TEST_BEHIND") != nullptr;
    opt.warn = on_warn;
    opt.user = this;
    EXPECT_EQ(PH_OK, ph_recorder_open(&rec, dir.c_str(), model.model, &opt)) << ph_error();
  }
  RunRec(const RunRec &) = delete;
  ~RunRec() {
    if (rec != nullptr)
      ph_recorder_close(rec, nullptr);
  }
  ph_status close(ph_tally *tally = nullptr) {
    ph_status status = ph_recorder_close(rec, tally);
    rec = nullptr;
    return status;
  }
  /* Names in the folder that end so, sorted. */
  std::vector<std::string> files(const std::string &ending) const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path)) {
      std::string name = entry.path().filename();
      if (name.size() >= ending.size() &&
          name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

/* The bytes of all columns of a sink's k-th episode, by column. */
inline std::map<int, std::string> columns_of(const ph_episode *episode) {
  std::map<int, std::string> out;
  for (int c = 0; c < PH_COL_COUNT; c++) {
    ph_column col = static_cast<ph_column>(c);
    if (!ph_episode_has(episode, col) || c == PH_COL_FINAL_STATE)
      continue;
    int64_t rows = ph_episode_rows(episode, col);
    size_t row = ph_schema_width(col, &ph_episode_meta_of(episode)->dims) *
                 ph_type_size(ph_schema_column(col)->type);
    std::string bytes(static_cast<size_t>(rows) * row, 0);
    EXPECT_EQ(PH_OK, ph_episode_read(episode, col, 0, rows, bytes.data())) << ph_error();
    out[c] = bytes;
  }
  return out;
}

/* All episodes of a run or dataset, by (env, episode). */
struct Found {
  std::map<int, std::string> columns;
  ph_end end;
  int success;
  std::string detail, seed;
  std::vector<std::string> edits;
  bool operator==(const Found &o) const {
    return columns == o.columns && end == o.end && success == o.success && detail == o.detail &&
           seed == o.seed && edits == o.edits;
  }
};

inline std::map<std::pair<int, int64_t>, Found> episodes_of(const std::string &path) {
  std::map<std::pair<int, int64_t>, Found> out;
  ph_store *store = nullptr;
  const char *paths[1] = {path.c_str()};
  EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  for (size_t i = 0; store != nullptr && i < ph_store_count(store); i++) {
    ph_episode *episode = nullptr;
    EXPECT_EQ(PH_OK, ph_store_episode(&episode, store, i)) << ph_error();
    if (episode == nullptr)
      continue;
    const ph_episode_meta *m = ph_episode_meta_of(episode);
    size_t n = 0;
    const ph_edit *edits = ph_episode_edits(episode, &n);
    Found f = {columns_of(episode), m->end_reason, m->success, m->end_detail, m->seed, {}};
    for (size_t k = 0; k < n; k++)
      f.edits.push_back(edits[k].field);
    out[{m->env_id, m->episode}] = f;
    ph_episode_free(episode);
  }
  ph_store_free(store);
  return out;
}

/* A model so small that a million rows of it are quickly made, and its rows. */
inline const char *tiny_xml() {
  return "<mujoco><worldbody><body><joint name='a' type='slide'/><geom size='.1'/></body>"
         "</worldbody></mujoco>";
}

struct Tiny {
  double state[3] = {0, 0, 0}, warm[1] = {0};
  ph_row row = {};
  Tiny() {
    row.state = state;
    row.warmstart = warm;
  }
  const ph_row &at(double t) {
    state[0] = t;
    state[1] = t * 0.25;
    state[2] = -t;
    warm[0] = t * 3;
    return row;
  }
  ph_status push(ph_recorder *rec, int env, double t) {
    return put_row(rec, env, nullptr, t * 0.5, 0, at(t));
  }
};

#endif
