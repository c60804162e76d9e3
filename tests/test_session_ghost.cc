// Another episode beside the one on show, held against the rows of both.
#include "dynamic_help.h"

#include <fstream>
#include <sstream>

using dynamic_help::Dynamic;
using dynamic_help::kArm;
using dynamic_help::record_arm;

namespace fs = std::filesystem;

namespace {

/* All states of the first episode of a run. */
struct States {
  int64_t rows = 0;
  size_t width = 0;
  std::vector<double> data;
  explicit States(const fs::path &run) {
    ph_store *store = nullptr;
    ph_episode *episode = nullptr;
    std::string text = run.string();
    const char *paths[] = {text.c_str()};
    EXPECT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK) << ph_error();
    EXPECT_EQ(ph_store_episode(&episode, store, 0), PH_OK) << ph_error();
    const ph_dims &d = ph_episode_meta_of(episode)->dims;
    rows = ph_episode_rows(episode, PH_COL_STATES);
    width = (size_t)(1 + d.nq + d.nv + d.na);
    data.resize((size_t)rows * width);
    EXPECT_EQ(ph_episode_read(episode, PH_COL_STATES, 0, rows, data.data()), PH_OK);
    ph_episode_free(episode);
    ph_store_free(store);
  }
  const double *at(int64_t t) const { return &data[(size_t)t * width]; }
};

std::string bytes_of(const fs::path &folder) {
  std::ostringstream all;
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto &file : files)
    all << file << std::ifstream(file, std::ios::binary).rdbuf();
  return all.str();
}

struct Ghost : Dynamic {
  const struct ghost_answer *beside(const std::string &path, int64_t step) {
    if (path != want.ghost.path) {
      snprintf(want.ghost.path, sizeof want.ghost.path, "%s", path.c_str());
      want.ghost.serial++;
    }
    ask(MODE_KINEMATIC, step);
    return snap->ghost;
  }
  const struct ghost_answer *beside(const fs::path &path, int64_t step) {
    return beside(path.string(), step);
  }
  const struct ghost_row *row(const char *name) const {
    for (size_t i = 0; i < snap->ghost->nrows; i++)
      if (strcmp(snap->ghost->row[i].name, name) == 0)
        return &snap->ghost->row[i];
    ADD_FAILURE() << "no row is called " << name;
    return &snap->ghost->row[0];
  }
};

} // namespace

TEST_F(Ghost, SaysWhereItDiffersAndByWhat) {
  record_arm(dir / "run", 200, -1);
  record_arm(dir / "other", 200, 60);
  States a(dir / "run"), b(dir / "other");
  int64_t first = 0;
  while (memcmp(a.at(first) + 1, b.at(first) + 1, (a.width - 1) * sizeof(double)) == 0)
    first++;
  ASSERT_EQ(first, 61) << "the push is in step 60";
  ASSERT_EQ(open(), PH_OK);
  const struct ghost_answer *g = beside(dir / "other", 60);
  ASSERT_TRUE(g && !g->error[0] && !g->opening) << (g ? g->error : "none");
  EXPECT_EQ(g->states, 201);
  EXPECT_EQ(g->both, 201);
  EXPECT_EQ(g->scanned, 201);
  EXPECT_EQ(g->first, first);
  EXPECT_EQ(g->actions, -1) << "the push is in no action";
  EXPECT_EQ(g->nchanges, 0u);
  EXPECT_FALSE(g->held);
  for (size_t i = 0; i < g->nrows; i++)
    EXPECT_TRUE(g->row[i].equal || std::isnan(g->row[i].now)) << g->row[i].name;
  // At the first step: the largest in tolerances of angles and velocities.
  const ph_tolerance tol = ph_tolerance_default();
  double most = 0, error = 0;
  for (int k = 0; k < 4; k++) {
    double e = std::fabs(b.at(first)[1 + k] - a.at(first)[1 + k]);
    double ratio = e / tol.of[k < 2 ? PH_MEASURE_JOINT_ANGLE : PH_MEASURE_JOINT_ANGLE_SPEED];
    error = ratio > most ? e : error;
    most = std::fmax(most, ratio);
  }
  EXPECT_EQ(g->first_error, error);
  g = beside(dir / "other", 100);
  double now = std::fabs(b.at(100)[1] - a.at(100)[1]), worst = 0;
  int64_t at = -1;
  for (int64_t t = 0; t < a.rows; t++)
    if (std::fabs(b.at(t)[1] - a.at(t)[1]) > worst) {
      worst = std::fabs(b.at(t)[1] - a.at(t)[1]);
      at = t;
    }
  const struct ghost_row *shoulder = row("shoulder");
  EXPECT_EQ(shoulder->now, now);
  EXPECT_EQ(shoulder->worst, worst);
  EXPECT_EQ(shoulder->step, at);
  EXPECT_EQ(shoulder->value, b.at(100)[1]);
  EXPECT_EQ(snap->values[shoulder->signal], a.at(100)[1]);
  EXPECT_FALSE(shoulder->equal);
  EXPECT_GT(row("body fore")->now, 0) << "bodies are compared by name";
  const double turned = b.at(100)[1] + b.at(100)[2] - a.at(100)[1] - a.at(100)[2];
  EXPECT_NEAR(row("body fore.rot")->now, std::fabs(turned), 1e-12) << "both joints are about y";
  EXPECT_NEAR(row("body upper.rot")->now, now, 1e-12);
  EXPECT_EQ(row("body upper")->now, 0) << "it turns where it is";
  EXPECT_FALSE(row("body upper.rot")->equal);
  EXPECT_STREQ(row("body upper.rot")->unit, "rad");
  for (size_t i = 1; i < 4; i++)
    EXPECT_GE(g->row[i - 1].worst /
                  tol.of[strchr(g->row[i - 1].name, '.') ? PH_MEASURE_JOINT_ANGLE_SPEED
                                                         : PH_MEASURE_JOINT_ANGLE],
              g->row[i].worst / tol.of[strchr(g->row[i].name, '.') ? PH_MEASURE_JOINT_ANGLE_SPEED
                                                                   : PH_MEASURE_JOINT_ANGLE]);
}

TEST_F(Ghost, TheLaneIsTheWorstOfEachColumn) {
  record_arm(dir / "run", 200, -1);
  record_arm(dir / "other", 200, 60);
  States a(dir / "run"), b(dir / "other");
  ASSERT_EQ(open(), PH_OK);
  const struct ghost_answer *g = beside(dir / "other", 0);
  ASSERT_TRUE(g && g->lanes && g->lanes->ghost);
  ASSERT_EQ(g->lanes->n, 40);
  for (int i = 0; i < 40; i++) {
    int64_t n = 201, from = (i * n + 39) / 40, to = ((i + 1) * n + 39) / 40 - 1;
    double most = 0;
    for (int64_t t = from; t <= to; t++)
      for (int k = 0; k < 4; k++)
        most = std::fmax(most, std::fabs(b.at(t)[1 + k] - a.at(t)[1 + k]) / (k < 2 ? 1e-3 : 1e-1));
    EXPECT_FLOAT_EQ((float)g->lanes->ghost[i], (float)most) << i;
  }
  EXPECT_EQ(g->beyond, 61);
  for (int m = 0; m < PH_MEASURE_COUNT; m++)
    want.dyn.tolerance.of[m] = 1e6;
  g = beside(dir / "other", 0);
  EXPECT_EQ(g->beyond, -1) << "another tolerance, another verdict";
  EXPECT_EQ(g->first, 61);
  want.dyn.first = 50;
  want.dyn.last = 90;
  g = beside(dir / "other", 0);
  EXPECT_EQ(g->lanes->first, 50);
  EXPECT_EQ(g->lanes->ghost[0], 0);
}

TEST_F(Ghost, EqualBitsAreEqual) {
  record_arm(dir / "run", 50, -1);
  record_arm(dir / "other", 50, -1);
  ASSERT_EQ(open(), PH_OK);
  const struct ghost_answer *g = beside(dir / "other", 30);
  ASSERT_TRUE(g && !g->error[0]) << g->error;
  EXPECT_EQ(g->first, -1);
  EXPECT_EQ(g->beyond, -1);
  ASSERT_GT(g->nrows, 4u);
  for (int i = 0; i < g->lanes->n; i++)
    EXPECT_EQ(g->lanes->ghost[i], 0);
  EXPECT_TRUE(row("elbow")->equal);
  EXPECT_EQ(row("elbow")->worst, 0);
  EXPECT_EQ(row("elbow")->step, -1);
}

TEST_F(Ghost, PastItsEndItIsHeldAtItsLastState) {
  record_arm(dir / "run", 200, -1);
  record_arm(dir / "other", 100, -1);
  States a(dir / "run"), b(dir / "other");
  ASSERT_EQ(open(), PH_OK);
  const struct ghost_answer *g = beside(dir / "other", 150);
  ASSERT_TRUE(g && !g->error[0]) << g->error;
  EXPECT_EQ(g->both, 101);
  EXPECT_EQ(g->scanned, 201);
  EXPECT_TRUE(g->held);
  EXPECT_EQ(g->step, 100);
  EXPECT_EQ(row("shoulder")->value, b.at(100)[1]);
  EXPECT_EQ(row("shoulder")->now, std::fabs(b.at(100)[1] - a.at(150)[1]));
  EXPECT_EQ(row("shoulder")->worst, 0) << "steps that one of the two has not are no difference";
  EXPECT_EQ(g->first, -1);
  EXPECT_GT(g->lanes->ghost[39], 0) << "drawn as held";
  g = beside(dir / "other", 100);
  EXPECT_FALSE(g->held);
}

static std::string other_model() {
  std::string text = kArm;
  text.insert(text.find("<geom name='fore'"),
              "<joint name='wrist' axis='1 0 0' damping='1'/><site name='tip'/>");
  text.replace(text.find("timestep='0.002'"), 16, "timestep='0.001'");
  return text;
}

TEST_F(Ghost, OtherModelsAreJoinedByName) {
  record_arm(dir / "run", 50, -1);
  ph_model *model = nullptr;
  ph_recorder *rec = nullptr;
  ph_sim *sim = nullptr;
  ph_row row0;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  opt.control_steps = 5;
  std::string xml = other_model();
  ASSERT_EQ(ph_model_open_text(&model, xml.c_str(), xml.size(), "arm.xml", nullptr), PH_OK)
      << ph_error();
  ASSERT_EQ(ph_recorder_open(&rec, (dir / "other").c_str(), model, &opt), PH_OK) << ph_error();
  ASSERT_EQ(ph_sim_create(&sim, model), PH_OK);
  ASSERT_EQ(ph_sim_forward(sim), PH_OK);
  ASSERT_EQ(ph_sim_get_row(sim, &row0), PH_OK);
  ASSERT_EQ(ph_recorder_begin(rec, 0, 1, nullptr, 0, &row0), PH_OK) << ph_error();
  double action[2] = {0, 0}, reward = 0;
  const double *actions_of[1] = {action};
  uint8_t flags = 0;
  int env = 0;
  ASSERT_EQ(ph_recorder_rows(rec, &env, 1, actions_of, nullptr, &reward, &flags, &row0), PH_OK);
  EXPECT_EQ(ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, ""), PH_OK) << ph_error();
  EXPECT_EQ(ph_recorder_close(rec, nullptr), PH_OK) << ph_error();
  ph_sim_free(sim);
  ph_model_unref(model);
  ASSERT_EQ(open(), PH_OK);
  const struct ghost_answer *g = beside(dir / "other", 20);
  ASSERT_TRUE(g && !g->error[0]) << g->error;
  EXPECT_GT(g->nchanges, 1u);
  bool wrist = false;
  for (size_t i = 0; i < g->kept; i++)
    wrist = wrist || strstr(g->change[i].text, "wrist");
  EXPECT_TRUE(wrist) << "what only one of them has is said in words";
  EXPECT_EQ(g->only_there, 1u);
  EXPECT_EQ(g->only_here, 0u);
  EXPECT_FALSE(std::isnan(row("elbow")->now));
  EXPECT_EQ(row("elbow")->value, 0) << "the elbow's number, and not the wrist's";
  EXPECT_TRUE(g->held);
}

TEST_F(Ghost, OfARunTheSameEnvAndNumberIsTaken) {
  copy("drawer_close");
  fs::copy(dir / "run", dir / "other");
  std::string before = bytes_of(dir / "other");
  ASSERT_EQ(open(), PH_OK);
  const struct ghost_answer *g = beside(dir / "other", 5);
  ASSERT_TRUE(g && !g->error[0]) << g->error;
  EXPECT_STREQ(g->id, snap->reel->meta.id);
  for (size_t place : {(size_t)1, (size_t)7, (size_t)0}) {
    want.episode = place;
    g = beside(dir / "other", 5);
    ASSERT_TRUE(g && !g->error[0]) << g->error;
    EXPECT_STREQ(g->id, snap->reel->meta.id) << place;
    EXPECT_EQ(g->first, -1);
  }
  EXPECT_EQ(bytes_of(dir / "other"), before) << "it is never written to";
  // One that it does not have is named, and another task's is compared by what has names in common.
  record_arm(dir / "arm", 10, -1);
  want.episode = 1;
  g = beside(dir / "arm", 5);
  ASSERT_TRUE(g);
  EXPECT_NE(strstr(g->error, "it has no episode 1 of env 0; PATH:ID names another"), nullptr)
      << g->error;
  want.episode = 0;
  g = beside(dir / "arm", 5);
  EXPECT_STREQ(g->error, "");
  EXPECT_EQ(g->total, 0) << "no number of its states has a name in common";
  EXPECT_EQ(g->lanes, nullptr);
  EXPECT_STREQ(g->row[0].name, "body upper.rot") << "but a body has";
  // One that is named stays beside all.
  g = beside((dir / "other").string() + ":env000_ep000002", 5);
  EXPECT_STREQ(g->id, "env000_ep000002");
  want.episode = 3;
  g = beside((dir / "other").string() + ":env000_ep000002", 5);
  EXPECT_STREQ(g->id, "env000_ep000002");
  EXPECT_GE(g->first, 0);
  EXPECT_GE(g->actions, 0) << "another policy's noise, other actions";
}

TEST_F(Ghost, WhatIsNoneIsSaid) {
  record_arm(dir / "run", 20, -1);
  std::ofstream(dir / "text.h5") << "no such file";
  ASSERT_EQ(open(), PH_OK);
  const struct {
    std::string path;
    const char *says;
  } cases[] = {{(dir / "nothing").string(), "nothing"},
               {(dir / "text.h5").string(), "text.h5"},
               {(dir / "run").string() + ":demo_9", "no episode is called \"demo_9\""},
               {(dir / "run").string() + ":" + std::string(80, 'x'), "the id is too long"}};
  for (const auto &c : cases) {
    const struct ghost_answer *g = beside(c.path, 3);
    ASSERT_TRUE(g);
    EXPECT_NE(strstr(g->error, c.says), nullptr) << c.path << ": " << g->error;
    EXPECT_EQ(g->nrows, 0u);
    EXPECT_TRUE(snap->has_frame) << "the episode itself is on show";
  }
  const struct ghost_answer *g = beside((dir / "run").string(), 3);
  EXPECT_STREQ(g->error, "");
  EXPECT_EQ(beside(std::string(), 3), nullptr);
}

TEST_F(Ghost, NobodyWaitsForIt) {
  copy("drawer_close");
  ASSERT_EQ(open(), PH_OK);
  snprintf(want.ghost.path, sizeof want.ghost.path, "%s:3", (dir / "run").c_str());
  want.ghost.serial = 1;
  serve();
  ASSERT_TRUE(snap->ghost);
  EXPECT_TRUE(snap->ghost->opening) << "the answer does not wait for a file";
  EXPECT_LE(session_wait(s), 10u) << "it is looked at again soon";
  int answers = 0;
  for (int i = 0; i < 20000 && (snap->ghost->opening || snap->ghost->scanned < snap->ghost->total);
       i++) {
    struct snapshot *fresh = nullptr;
    if (!session_work(s, nullptr, nullptr, &fresh))
      usleep(1000);
    answers += fresh != nullptr;
    take(fresh);
  }
  EXPECT_EQ(snap->ghost->scanned, snap->reel->states);
  EXPECT_GE(answers, 2);
  // Another one, and another, while the first is still looked for; then all is left.
  for (int i = 0; i < 5; i++) {
    snprintf(want.ghost.path, sizeof want.ghost.path, "%s:%d", (dir / "run").c_str(), i);
    want.ghost.serial++;
    want.episode = (size_t)i;
    serve();
  }
  settle();
  EXPECT_STREQ(snap->ghost->id, snap->reel->meta.id);
  want.ghost.serial++;
  serve();
  session_free(s);
  s = nullptr;
}
