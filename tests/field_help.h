/* A rollout in a bare loop, as a user of MuJoCo has it; and the files that one writes of it, right
 * or wrong in a way that people complained of. */
#ifndef TESTS_FIELD_HELP_H
#define TESTS_FIELD_HELP_H

#include "foreign_file.h"
#include "rerun_maker.h"
#include "wrong_help.h"

namespace field_help {

/* Rows of a rollout, each component as the engine left it. */
struct Trace {
  ph_model *model;
  std::string xml;
  ph_dims dims;
  int control_steps;
  std::vector<std::string> column[PH_COL_COUNT]; /* bytes of each row */
  std::vector<std::vector<double>> actions;

  /* start: before row 0; between: before each step. */
  Trace(const std::string &text, int n, int steps, std::function<void(ph_sim *)> start = {},
        std::function<void(ph_sim *, int)> between = {})
      : model(help_model(text)), xml(text), control_steps(steps) {
    ph_sim *sim = nullptr;
    dims = *ph_model_dims(model);
    EXPECT_EQ(PH_OK, ph_sim_create(&sim, model)) << ph_error();
    for (int i = 0; i < dims.nv; i++)
      sim->d->qvel[i] = 0.3 * std::sin(i + 1.0);
    if (start)
      start(sim);
    keep(sim);
    for (int t = 0; t < n; t++) {
      bool warned = false;
      actions.push_back(wrong_help::action_of(t, dims.nu));
      if (between)
        between(sim, t);
      EXPECT_EQ(PH_OK, ph_sim_step(sim, actions.back().data(), steps, &warned)) << ph_error();
      keep(sim);
    }
    ph_sim_free(sim);
  }
  Trace(const Trace &) = delete;
  ~Trace() { ph_model_unref(model); }

  void keep(const ph_sim *sim) {
    ph_row now;
    ASSERT_EQ(PH_OK, ph_sim_get_row(sim, &now));
    for (ph_column col : rerun_help::kRowColumns) {
      const void *at = ph_row_column(&now, col);
      if (at != nullptr)
        column[col].emplace_back(static_cast<const char *>(at), rerun_help::row_size(col, dims));
    }
  }
  ph_row row(size_t t) const {
    ph_row out = {};
    for (ph_column col : rerun_help::kRowColumns)
      if (!column[col].empty())
        ph_row_set_column(&out, col, column[col][t].data());
    return out;
  }
  std::vector<double> numbers(ph_column col, size_t rows) const {
    std::vector<double> out;
    for (size_t t = 0; t < rows; t++) {
      const double *at = reinterpret_cast<const double *>(column[col][t].data());
      out.insert(out.end(), at, at + column[col][t].size() / sizeof(double));
    }
    return out;
  }
};

/* How a file of it is written. */
struct Lie {
  int control_steps = 0; /* that it says; 0: the true one */
  int shift = 0;         /* the action of step t is in the row of step t + shift */
  uint64_t seed = 7;
};

/* A run of one episode, by the recorder. */
inline void record(const std::string &path, const Trace &trace, const Lie &lie = {}) {
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = lie.control_steps > 0 ? lie.control_steps : trace.control_steps;
  ASSERT_EQ(PH_OK, ph_recorder_open(&rec, path.c_str(), trace.model, &opt)) << ph_error();
  ph_row row0 = trace.row(0);
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec, 0, lie.seed, nullptr, 0, &row0)) << ph_error();
  int n = static_cast<int>(trace.actions.size());
  for (int t = 0; t < n; t++) {
    int from = std::min(std::max(t - lie.shift, 0), n - 1);
    ASSERT_EQ(PH_OK, put_row(rec, 0, trace.actions[static_cast<size_t>(from)].data(), 0, 0,
                             trace.row(static_cast<size_t>(t) + 1)))
        << ph_error();
  }
  ASSERT_EQ(PH_OK, ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
}

/* A demonstration as robosuite's programs lay it down: states and actions, nothing else. */
inline void write_demo(const std::string &path, const Trace &trace, size_t states, size_t actions,
                       int shift = 0) {
  foreign::File file(path);
  std::vector<double> all;
  int n = static_cast<int>(trace.actions.size());
  for (int t = 0; t < static_cast<int>(actions); t++) {
    const auto &one = trace.actions[static_cast<size_t>(std::min(std::max(t - shift, 0), n - 1))];
    all.insert(all.end(), one.begin(), one.end());
  }
  hsize_t width = static_cast<hsize_t>(1 + trace.dims.nq + trace.dims.nv + trace.dims.na);
  file.group("/data/demo_1");
  file.attr("/data", "date", "9-4-2020");
  file.attr("/data", "repository_version", "1.0.0");
  file.attr("/data", "env", "Reach");
  file.attr("/data/demo_1", "model_file", trace.xml);
  file.array("/data/demo_1/states", foreign::F64, {states, width},
             trace.numbers(PH_COL_STATES, states));
  file.array("/data/demo_1/actions", foreign::F64, {actions, static_cast<hsize_t>(trace.dims.nu)},
             all);
}

/* The first episode of a path, and what is said of it. */
struct Opened {
  ph_store *store = nullptr;
  ph_model *model = nullptr;
  ph_episode *episode = nullptr;
  ph_rerun *run = nullptr;
  ph_analysis *analysis = nullptr;
  ph_analysis_summary sum = {};
  ph_analysis_progress progress = {};
  ph_diagnosis said = {};
  char reason[400] = "";

  explicit Opened(const std::string &path) {
    const char *paths[1] = {path.c_str()};
    EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_episode(&episode, store, 0)) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_model(&model, store, meta().model_sha256)) << ph_error();
  }
  Opened(const Opened &) = delete;
  ~Opened() {
    ph_analysis_free(analysis);
    ph_rerun_unref(run);
    ph_episode_free(episode);
    ph_model_unref(model);
    ph_store_free(store);
  }
  const ph_episode_meta &meta() const { return *ph_episode_meta_of(episode); }
  ph_guarantee guarantee() {
    return ph_episode_guarantee(episode, model, nullptr, reason, sizeof reason);
  }
  std::string bytes(ph_column col, int64_t t) const {
    std::string out(rerun_help::row_size(col, meta().dims), 0);
    EXPECT_EQ(PH_OK, ph_episode_read(episode, col, t, 1, &out[0])) << ph_error();
    return out;
  }
  /* Runs physics again from there over the whole episode. */
  void analyse(int64_t anchor = 0) {
    ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
    ph_analysis_options how = {2, ph_tolerance_default(), false, false};
    opt.anchor = anchor;
    ph_analysis_free(analysis);
    ph_rerun_unref(run);
    analysis = nullptr;
    run = nullptr;
    ASSERT_EQ(PH_OK, ph_rerun_create(&run, episode, model, nullptr, &opt)) << ph_error();
    ASSERT_EQ(PH_OK, ph_analysis_start(&analysis, run, &how)) << ph_error();
    ASSERT_EQ(PH_OK, ph_analysis_wait(analysis, nullptr, nullptr)) << ph_error();
    ph_analysis_sum(analysis, &sum);
    ph_analysis_look(analysis, &progress);
  }
  void diagnose() {
    analyse();
    ASSERT_EQ(PH_OK, ph_diagnose(&said, analysis, nullptr, nullptr)) << ph_error();
  }
  /* One sentence, with these words in it. */
  void expect(ph_cause cause, std::vector<const char *> words) {
    diagnose();
    EXPECT_EQ(cause, said.cause) << said.text;
    for (const char *word : words)
      EXPECT_NE(nullptr, strstr(said.text, word)) << word << ": " << said.text;
  }
};

} // namespace field_help

#endif
