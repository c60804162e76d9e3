// The diagnosis of recorded files: no false alarm of right ones; of damaged and odd ones no crash.
#include <atomic>
#include <cstdio>

#include "rec_help.h"
#include "wrong_help.h"

using namespace wrong_help;

namespace {

std::string data_path(const std::string &name) {
  return std::string(TEST_SOURCE_ROOT) + "/data/" + name;
}

/* An episode of a run with its model and task. */
struct Opened {
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  ph_model *model = nullptr;
  ph_task *task = nullptr;
  Opened(const std::string &path, size_t i) {
    const char *paths[1] = {path.c_str()}, *text = nullptr;
    EXPECT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_episode(&episode, store, i)) << ph_error();
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    EXPECT_EQ(PH_OK, ph_store_model(&model, store, meta->model_sha256)) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_task(&text, store, meta->task_sha256)) << ph_error();
    EXPECT_EQ(PH_OK, ph_task_parse(&task, text, strlen(text), "task.lua")) << ph_error();
  }
  Opened(const Opened &) = delete;
  ~Opened() {
    ph_task_unref(task);
    ph_model_unref(model);
    ph_episode_free(episode);
    ph_store_free(store);
  }
  ph_diagnosis diagnose() {
    ph_diagnosis said = {};
    ph_rerun *run = nullptr;
    ph_analysis *analysis = nullptr;
    EXPECT_EQ(PH_OK, ph_rerun_create(&run, episode, model, task, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_analysis_start(&analysis, run, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_analysis_wait(analysis, nullptr, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_diagnose(&said, analysis, nullptr, nullptr)) << ph_error();
    ph_analysis_free(analysis);
    ph_rerun_unref(run);
    if (getenv("PLAYHEAD_TEST_SAY") != nullptr)
      printf("  %s\n", said.text);
    return said;
  }
};

TEST(DiagnosisFiles, SaysNothingOfTheRunsInData) {
  for (const char *run : {"drawer_close", "quadruped_stand", "muscle_reach"}) {
    std::string path = data_path(std::string("runs/") + run);
    size_t n = run[0] == 'm' ? 6 : 8;
    for (size_t i = 0; i < n; i++) {
      Opened file(path, i);
      ph_diagnosis said = file.diagnose();
      EXPECT_EQ(PH_CAUSE_NONE, said.cause) << run << " " << i << ": " << said.text;
      /* Elsewhere the last bits are others. */
      if (strcmp(ph_episode_meta_of(file.episode)->substrate, ph_substrate()) == 0) {
        EXPECT_NE(nullptr, strstr(said.text, "bit for bit, and so does the run as a whole"))
            << run << " " << i << ": " << said.text;
      }
    }
  }
}

/* --- recorded again, wrongly --- */

struct Rows {
  std::vector<std::string> bytes[PH_COL_COUNT];
  int64_t n;
  explicit Rows(const ph_episode *episode) : n(ph_episode_meta_of(episode)->states) {
    const ph_dims *dims = &ph_episode_meta_of(episode)->dims;
    for (int c = 0; c < PH_COL_COUNT; c++) {
      ph_column col = static_cast<ph_column>(c);
      size_t size = ph_schema_width(col, dims) * ph_type_size(ph_schema_column(col)->type);
      for (int64_t t = 0; ph_episode_has(episode, col) && t < ph_episode_rows(episode, col); t++) {
        std::string row(size + 1, '\0');
        EXPECT_EQ(PH_OK, ph_episode_read(episode, col, t, 1, row.data())) << ph_error();
        bytes[c].push_back(row);
      }
    }
  }
  ph_row row(int64_t t) const {
    ph_row out = {};
    for (int c = 0; c < PH_COL_COUNT; c++)
      if (!bytes[c].empty() && static_cast<size_t>(t) < bytes[c].size())
        ph_row_set_column(&out, static_cast<ph_column>(c), bytes[c][static_cast<size_t>(t)].data());
    return out;
  }
};

/* Writes an episode of the data again, with the action of another step. */
void record_shifted(const std::string &to, const Opened &file, int by) {
  Rows rows(file.episode);
  size_t nedits = 0;
  const ph_edit *edits = ph_episode_edits(file.episode, &nedits);
  ph_recorder *rec = nullptr;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.task = file.task;
  ASSERT_EQ(PH_OK, ph_recorder_open(&rec, to.c_str(), file.model, &opt)) << ph_error();
  ph_row row = rows.row(0);
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec, 0, 1, edits, nedits, &row)) << ph_error();
  int64_t actions = rows.n - 1;
  for (int64_t t = 0; t < actions; t++) {
    size_t from = static_cast<size_t>(std::min(std::max<int64_t>(t - by, 0), actions - 1));
    const double *action =
        reinterpret_cast<const double *>(rows.bytes[PH_COL_ACTIONS][from].data());
    row = rows.row(t + 1);
    ASSERT_EQ(PH_OK, put_row(rec, 0, action, 0, 0, row)) << ph_error();
  }
  ASSERT_EQ(PH_OK, ph_recorder_end(rec, 0, PH_END_TRUNCATED, 0, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
}

TEST(DiagnosisFiles, FindsTheOffsetThroughTheActionTerms) {
  TempDir dir;
  for (const char *run : {"quadruped_stand", "muscle_reach"}) {
    std::string to = dir.path + "/" + run;
    Opened file(data_path(std::string("runs/") + run), 1);
    record_shifted(to, file, 1);
    Opened wrong(to, 0);
    ph_diagnosis said = wrong.diagnose();
    EXPECT_EQ(PH_CAUSE_VARIANT, said.cause) << said.text;
    EXPECT_EQ(1, said.best.shift) << said.text;
  }
}

/* --- odd and damaged ones --- */

TEST(DiagnosisFiles, ShortEpisodes) {
  for (int actions : {1, 2, 3, 9}) {
    Truth truth;
    truth.actions = actions;
    Wrong right(arm_xml(), truth);
    right.expect(PH_CAUSE_NONE, "comes back bit for bit");
    Wrong other(arm_xml(), truth);
    other.used = help_model(arm_xml("gravity='0 0 -3'"));
    ASSERT_EQ(PH_OK, other.diagnose()) << ph_error();
    EXPECT_NE(PH_CAUSE_NONE, other.said.cause) << other.said.text;
    EXPECT_STRNE("", other.said.text);
  }
  Truth none;
  none.actions = 1;
  Wrong still(arm_xml(), none);
  still.meta.actions = 0;
  still.meta.states = 1;
  ph_status status = still.diagnose();
  EXPECT_EQ(PH_OK, status) << ph_error();
  EXPECT_STREQ("No step can be compared.", still.said.text);
}

TEST(DiagnosisFiles, DamagedRowsAreLeftOut) {
  Wrong w(arm_xml());
  w.move_actions(-1);
  w.memory->corrupt = 50;
  ASSERT_EQ(PH_OK, w.diagnose()) << ph_error();
  EXPECT_EQ(PH_CAUSE_VARIANT, w.said.cause) << w.said.text;
  EXPECT_EQ(-1, w.said.best.shift);
}

TEST(DiagnosisFiles, NumbersThatAreNone) {
  for (double x : {static_cast<double>(NAN), static_cast<double>(INFINITY), 1e300}) {
    Wrong w(arm_xml());
    w.row(PH_COL_STATES, 60)[1] = x;
    ASSERT_EQ(PH_OK, w.diagnose()) << ph_error();
    EXPECT_NE(PH_CAUSE_NONE, w.said.cause) << w.said.text;
    Wrong a(arm_xml());
    a.row(PH_COL_ACTIONS, 60)[1] = x;
    ASSERT_EQ(PH_OK, a.diagnose()) << ph_error();
    Wrong v(arm_xml());
    v.row(PH_COL_STATES, 60)[0] = x; /* time */
    ASSERT_EQ(PH_OK, v.diagnose()) << ph_error();
    Wrong all(arm_xml());
    for (double &y : all.memory->data[PH_COL_STATES])
      y = x;
    ph_status status = all.diagnose();
    EXPECT_TRUE(status == PH_OK || status == PH_ESIM) << ph_error();
  }
}

TEST(DiagnosisFiles, StatesOnlyAreNotDiagnosed) {
  Wrong w(arm_xml());
  w.drop(PH_COL_ACTIONS);
  EXPECT_EQ(PH_ENOTFOUND, w.diagnose());
  Wrong v(arm_xml());
  snprintf(v.meta.engine, sizeof v.meta.engine, "physx");
  EXPECT_EQ(PH_ENOTFOUND, v.diagnose());
}

struct Running {
  ph_rerun *run = nullptr;
  ph_analysis *analysis = nullptr;
  Running(Wrong &w, bool no_one_step) {
    ph_analysis_options opt = {1, ph_tolerance_default(), no_one_step, false};
    w.open();
    EXPECT_EQ(PH_OK, ph_rerun_create(&run, w.episode, w.model, nullptr, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_analysis_start(&analysis, run, &opt)) << ph_error();
    EXPECT_EQ(PH_OK, ph_analysis_wait(analysis, nullptr, nullptr)) << ph_error();
  }
  ~Running() {
    ph_analysis_free(analysis);
    ph_rerun_unref(run);
  }
};

TEST(DiagnosisFiles, CanBeCanceledAtEveryStep) {
  Wrong w(arm_xml());
  w.move_actions(-1);
  Running running(w, false);
  ph_diagnosis said;
  int asked = 0;
  auto count = [](void *arg) { return ++*static_cast<int *>(arg) < 0; };
  ASSERT_EQ(PH_OK, ph_diagnose(&said, running.analysis, count, &asked)) << ph_error();
  EXPECT_LT(10, asked);
  EXPECT_GT(1100, asked); /* single steps, and looks at contacts */
  for (int at : {1, 5, asked / 2, asked - 1}) {
    int left = at;
    auto stop = [](void *arg) { return --*static_cast<int *>(arg) <= 0; };
    EXPECT_EQ(PH_ECANCELED, ph_diagnose(&said, running.analysis, stop, &left));
  }
}

TEST(DiagnosisFiles, TakesSingleStepsWhereTheAnalysisHasNone) {
  Wrong w(arm_xml());
  w.move_actions(-1);
  Running running(w, true);
  ph_diagnosis said;
  ASSERT_EQ(PH_OK, ph_diagnose(&said, running.analysis, nullptr, nullptr)) << ph_error();
  EXPECT_EQ(PH_CAUSE_VARIANT, said.cause) << said.text;
  EXPECT_EQ(-1, said.best.shift);
}

/* The run is started from another state than the recorded one. */
TEST(DiagnosisFiles, ARunFromElsewhereIsAnotherStart) {
  Wrong w(arm_xml());
  w.open();
  std::vector<double> state(w.row(PH_COL_STATES, 0), w.row(PH_COL_STATES, 1));
  std::vector<double> warm(2, 0.0), ctrl(2, 0.0);
  state[1] += 0.05;
  ph_row from = {};
  from.state = state.data();
  from.warmstart = warm.data();
  from.ctrl = ctrl.data();
  ph_rerun_options opt = PH_RERUN_OPTIONS_INIT;
  opt.from = &from;
  ph_rerun *run = nullptr;
  ph_analysis *analysis = nullptr;
  ph_diagnosis said;
  ASSERT_EQ(PH_OK, ph_rerun_create(&run, w.episode, w.model, nullptr, &opt)) << ph_error();
  ASSERT_EQ(PH_OK, ph_analysis_start(&analysis, run, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_analysis_wait(analysis, nullptr, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_diagnose(&said, analysis, nullptr, nullptr)) << ph_error();
  EXPECT_EQ(PH_CAUSE_START, said.cause) << said.text;
  EXPECT_NE(nullptr, strstr(said.text, "did not begin in the recorded state")) << said.text;
  ph_analysis_free(analysis);
  ph_rerun_unref(run);
}

} // namespace
