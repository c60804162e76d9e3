#include "read_help.h"

#include <thread>
#include <unistd.h>

extern "C" {
#include "mjcf.h"
#include "model.h"
#include "signals.h"
#include "sink.h"
}

using namespace read_help;

namespace {

const char *arm_xml =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<body name='arm'><joint name='shoulder'/><geom name='g' size='.1'/>"
    "<body name='tip' pos='0 0 .3'><joint name='slide' type='slide'/><geom "
    "size='.1'/></body></body>"
    "<body name='cup' pos='1 0 1'><freejoint name='cup'/><geom size='.05'/></body></worldbody>"
    "<actuator><motor name='m' joint='shoulder'/></actuator></mujoco>";

const char *task_lua = "return { name = 'lift', control_steps = 10, hold_seconds = 0.5,\n"
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

ph_episode_meta meta_of(const Model &model, const Task &task, int env, int64_t episode,
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

int64_t rows_of(const ph_episode_meta &m, ph_column col) {
  bool per_state = col == PH_COL_STATES || ph_schema_column(col)->rows == PH_ROWS_S;
  return per_state ? m.states : m.actions;
}

Bytes column_of(const ph_episode_meta &m, ph_column col) {
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

void put(ph_sink *sink, const ph_episode_meta &m) {
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

void fill(ph_sink *sink, const Model &model, const Task &task, const Places &places) {
  ASSERT_EQ(sink->model(sink, model.m), PH_OK) << ph_error();
  ASSERT_EQ(sink->task(sink, task.t), PH_OK) << ph_error();
  for (auto [env, episode] : places)
    put(sink, meta_of(model, task, env, episode, 3 + env + episode));
  ASSERT_EQ(sink->finish(sink), PH_OK) << ph_error();
  sink->free(sink);
}

void write_run(const std::string &dir, const Model &model, const Task &task, const Places &places) {
  ph_sink *sink;
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1);
  ASSERT_EQ(ph_sink_run(&sink, dir.c_str(), &origin, nullptr), PH_OK) << ph_error();
  fill(sink, model, task, places);
}

void write_dataset(const std::string &path, const Model &model, const Task &task,
                   const Places &places, bool compress = false) {
  ph_sink *sink;
  ph_sink_options opt = {compress};
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1);
  ASSERT_EQ(ph_sink_dataset(&sink, path.c_str(), &origin, &opt), PH_OK) << ph_error();
  fill(sink, model, task, places);
}

const ph_entry *entry(const Store &s, size_t i) {
  return ph_store_entry(s.get(), i);
}

const char *task_of(const Store &s, const char *sha256) {
  const char *source = nullptr;
  ph_store_task(&source, s.get(), sha256);
  return source;
}

Episode episode_of(const Store &s, size_t i) {
  ph_episode *e = nullptr;
  ph_store_episode(&e, s.get(), i);
  return Episode(e);
}

void expect_rows(const ph_episode *e, const ph_episode_meta &m) {
  for (int col = 0; col < PH_COL_COUNT; col++) {
    if (!(stored & PH_COL_BIT(col)))
      continue;
    ph_status status;
    Bytes got = read_column(e, (ph_column)col, &status);
    ASSERT_EQ(status, PH_OK) << ph_error();
    EXPECT_EQ(got, column_of(m, (ph_column)col)) << ph_schema_column((ph_column)col)->path;
  }
}

/* --- layouts --- */

TEST(Store, ARunIsItsEpisodesWithModelAndTask) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{1, 0}, {0, 10}, {0, 2}});
  Store s = open_store({dir / "run"});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_STREQ(ph_store_layout(s.get()), "run");
  EXPECT_EQ(std::string(ph_store_path(s.get())), dir / "run");
  ASSERT_EQ(ph_store_count(s.get()), 3u);
  EXPECT_STREQ(entry(s, 0)->id, "env000_ep000002");
  EXPECT_STREQ(entry(s, 1)->id, "env000_ep000010");
  EXPECT_STREQ(entry(s, 2)->id, "env001_ep000000");
  EXPECT_EQ(ph_store_entry(s.get(), 3), nullptr);
  Episode e = episode_of(s, 1);
  ASSERT_TRUE(e) << ph_error();
  const ph_episode_meta *m = ph_episode_meta_of(e.get());
  EXPECT_STREQ(m->id, "env000_ep000010");
  EXPECT_EQ(m->dims.nq, 9);
  EXPECT_EQ(m->dims.nv, 8);
  EXPECT_EQ(m->dims.nbody, 4);
  EXPECT_EQ(m->timestep, 0.002);
  EXPECT_EQ(m->control_dt, 0.002 * 10);
  expect_rows(e.get(), meta_of(model, task, 0, 10, 13));
  for (size_t i = 0; i < 3; i++)
    EXPECT_STREQ(entry(s, i)->oddity, "");
  EXPECT_STREQ(ph_store_model_hash(s.get(), 0), ph_model_sha256(model.m));
  EXPECT_EQ(ph_store_model_hash(s.get(), 1), nullptr);
  EXPECT_STREQ(ph_store_task_hash(s.get(), 0), ph_task_sha256(task.t));
  EXPECT_EQ(ph_store_task_hash(s.get(), 1), nullptr);
  const char *source = task_of(s, ph_task_sha256(task.t));
  EXPECT_STREQ(source, task_lua);
  EXPECT_EQ(task_of(s, ph_task_sha256(task.t)), source) << "read twice";
}

class Layouts : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Store, Layouts, ::testing::Bool(), [](const auto &p) {
  return std::string(p.param ? "compressed" : "contiguous");
});

TEST_P(Layouts, ADatasetInNaturalOrder) {
  Folder dir;
  Model model;
  Task task;
  Places places;
  for (int k = 0; k < 12; k++)
    places.push_back({k % 2, k / 2});
  write_dataset(dir / "d.h5", model, task, places, GetParam());
  Store s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_STREQ(ph_store_layout(s.get()), "dataset");
  ASSERT_EQ(ph_store_count(s.get()), 12u);
  for (size_t k = 0; k < 12; k++) {
    EXPECT_EQ(std::string(entry(s, k)->id), "demo_" + std::to_string(k));
    EXPECT_STREQ(entry(s, k)->oddity, "");
    Episode e = episode_of(s, k);
    ASSERT_TRUE(e) << ph_error();
    expect_rows(e.get(), meta_of(model, task, places[k].first, places[k].second,
                                 3 + places[k].first + places[k].second));
    EXPECT_STREQ(entry(s, k)->oddity, "") << "the list and the episode differ";
  }
  EXPECT_EQ(ph_store_find(s.get(), "demo_10"), 10u);
  EXPECT_EQ(ph_store_find(s.get(), "10"), 10u);
  EXPECT_EQ(ph_store_find(s.get(), "12"), SIZE_MAX);
  EXPECT_EQ(ph_store_find(s.get(), "demo_12"), SIZE_MAX);
  EXPECT_EQ(ph_store_find(s.get(), ""), SIZE_MAX);
  EXPECT_EQ(ph_store_find(s.get(), "-1"), SIZE_MAX);
  EXPECT_EQ(ph_store_find(s.get(), "99999999999999999999999"), SIZE_MAX);
  ph_model *m;
  ASSERT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_OK) << ph_error();
  EXPECT_TRUE(ph_model_compiled(m)) << ph_model_error(m);
  EXPECT_STREQ(ph_model_sha256(m), ph_model_sha256(model.m));
  EXPECT_STREQ(ph_model_compiled_sha256(m), ph_model_compiled_sha256(model.m));
  ph_model *again;
  ASSERT_EQ(ph_store_model(&again, s.get(), ph_model_sha256(model.m)), PH_OK);
  EXPECT_EQ(m, again) << "compiled twice";
  ph_model_unref(again);
  s.reset();
  EXPECT_STREQ(ph_model_name(m, PH_JOINT, 0), "shoulder") << "the caller's reference went away";
  ph_model_unref(m);
}

TEST(Store, WithoutAnIndexTheGroupsAreRead) {
  Folder dir;
  Model model;
  Task task;
  Places places;
  for (int k = 0; k < 11; k++)
    places.push_back({0, k});
  write_dataset(dir / "d.h5", model, task, places);
  Store with = open_store({dir / "d.h5"});
  hid_t h5 = H5Fopen((dir / "d.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(h5, "index", H5P_DEFAULT), 0);
  H5Fclose(h5);
  Store s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  ASSERT_EQ(ph_store_count(s.get()), 11u);
  for (size_t i = 0; i < 11; i++)
    EXPECT_EQ(memcmp(entry(s, i), entry(with, i), sizeof(ph_entry)), 0) << i;
}

TEST(Store, AnIndexIsNotBelievedAgainstTheGroups) {
  Folder dir;
  Model model;
  Task task;
  write_dataset(dir / "d.h5", model, task, {{0, 0}, {0, 1}, {0, 2}});
  Bytes file = slurp(dir / "d.h5");
  auto flip = [&](const char *text) {
    Bytes bad = file;
    auto at = std::search(bad.begin(), bad.end(), text, text + strlen(text) + 1);
    ASSERT_NE(at, bad.end());
    *at ^= 1;
    spill(dir / "bad.h5", bad, bad.size());
  };
  flip("demo_1"); /* null-padded: only the row of the index has the zero behind it */
  Store s = open_store({dir / "bad.h5"});
  ASSERT_TRUE(s) << ph_error();
  ASSERT_EQ(ph_store_count(s.get()), 3u);
  EXPECT_STREQ(entry(s, 1)->id, "demo_1");
  EXPECT_TRUE(says(entry(s, 0)->oddity, "index"));
  EXPECT_EQ(entry(s, 2)->episode, 2);
  hid_t h5 = H5Fopen((dir / "d.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(h5, "data/demo_1", H5P_DEFAULT), 0);
  H5Fclose(h5);
  s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s);
  ASSERT_EQ(ph_store_count(s.get()), 2u) << "a row without a group is no episode";
  EXPECT_STREQ(entry(s, 1)->id, "demo_2");
  Episode e = episode_of(s, 1);
  ASSERT_TRUE(e) << ph_error();
  EXPECT_EQ(ph_episode_meta_of(e.get())->episode, 2);
}

TEST(Store, ASingleFileFindsTheRunBesideIt) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {3, 2}});
  std::string file = dir / "run/" + run_file(3, 2, 8);
  Store s = open_store({file});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_STREQ(ph_store_layout(s.get()), "episode file");
  ASSERT_EQ(ph_store_count(s.get()), 1u);
  EXPECT_STREQ(entry(s, 0)->id, "env003_ep000002");
  EXPECT_STREQ(entry(s, 0)->oddity, "");
  Episode e = episode_of(s, 0);
  ASSERT_TRUE(e) << ph_error();
  EXPECT_EQ(ph_episode_meta_of(e.get())->dims.nq, 9);
  ph_model *m;
  ASSERT_EQ(ph_store_model(&m, s.get(), entry(s, 0)->model_sha256), PH_OK) << ph_error();
  ph_model_unref(m);
  std::filesystem::copy(file, dir / "alone.h5");
  s = open_store({dir / "alone.h5"});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_STREQ(entry(s, 0)->id, "demo_0");
  EXPECT_TRUE(says(entry(s, 0)->oddity, "run.h5"));
  EXPECT_TRUE(episode_of(s, 0)) << ph_error();
  EXPECT_EQ(ph_store_model(&m, s.get(), entry(s, 0)->model_sha256), PH_ENOTFOUND);
  const char *source;
  EXPECT_EQ(ph_store_task(&source, s.get(), entry(s, 0)->task_sha256), PH_ENOTFOUND);
  EXPECT_EQ(source, nullptr);
  EXPECT_STREQ(ph_store_model_hash(s.get(), 0), ph_model_sha256(model.m)) << "it is named";
}

TEST(Store, RunFileStandsForItsFolder) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {0, 1}});
  for (const char *name : {"run/run.h5", "run/", "run//"}) {
    Store s = open_store({dir / name});
    ASSERT_TRUE(s) << ph_error();
    EXPECT_STREQ(ph_store_layout(s.get()), "run");
    EXPECT_EQ(ph_store_count(s.get()), 2u);
    EXPECT_EQ(std::string(entry(s, 0)->file), dir / "run/" + run_file(0, 0, 3));
  }
}

TEST(Store, SeveralPathsInTheirOrder) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}});
  write_dataset(dir / "d.h5", model, task, {{0, 0}, {0, 1}});
  Store s = open_store({dir / "d.h5", dir / "run", dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  ASSERT_EQ(ph_store_count(s.get()), 5u);
  EXPECT_STREQ(entry(s, 1)->id, "demo_1");
  EXPECT_STREQ(entry(s, 2)->id, "env000_ep000000");
  EXPECT_STREQ(entry(s, 3)->id, "demo_0");
  EXPECT_EQ(ph_store_model_hash(s.get(), 1), nullptr) << "one model in all of them";
  for (size_t i = 0; i < 5; i++)
    EXPECT_TRUE(episode_of(s, i)) << ph_error();
  EXPECT_FALSE(open_store({dir / "d.h5", dir / "missing"}));
  EXPECT_TRUE(says(ph_error(), dir / "missing"));
  EXPECT_FALSE(open_store({}));
}

TEST(Store, WhatIsNoneIsSaid) {
  Folder dir;
  std::filesystem::create_directory(dir / "empty");
  EXPECT_FALSE(open_store({dir / "empty"}));
  EXPECT_TRUE(says(ph_error(), "neither run.h5 nor episodes"));
  EXPECT_FALSE(open_store({std::string(600, 'x')}));
  EXPECT_TRUE(says(ph_error(), "too long"));
  hid_t h5 = H5Fcreate((dir / "foreign.h5").c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(h5);
  EXPECT_FALSE(open_store({dir / "foreign.h5"}));
  EXPECT_TRUE(says(ph_error(), "not a playhead file"));
}

TEST(Store, AModelWithoutActuatorsHasColumnsOfNoWidth) {
  Folder dir;
  Model ball("<mujoco><worldbody><body name='b'><freejoint name='j'/><geom size='.1'/></body>"
             "</worldbody></mujoco>");
  Task task;
  for (bool compress : {false, true}) {
    std::string path = dir / (compress ? "z.h5" : "d.h5");
    write_dataset(path, ball, task, {{0, 0}}, compress);
    Store s = open_store({path});
    ASSERT_TRUE(s) << ph_error();
    Episode e = episode_of(s, 0);
    ASSERT_TRUE(e) << ph_error();
    EXPECT_TRUE(ph_episode_has(e.get(), PH_COL_CTRL));
    EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_CTRL), 4);
    uint8_t nothing = 0xEE;
    EXPECT_EQ(ph_episode_read(e.get(), PH_COL_CTRL, 0, 4, &nothing), PH_OK) << ph_error();
    EXPECT_EQ(nothing, 0xEE);
    expect_rows(e.get(), meta_of(ball, task, 0, 0, 3));
  }
}

/* --- disagreement --- */

TEST(Store, AnEpisodeOfAnotherRunIsRefused) {
  Folder dir;
  Model model, other("<mujoco><worldbody><body name='b'><joint name='j'/><geom size='.1'/></body>"
                     "</worldbody></mujoco>");
  Task task;
  write_run(dir / "a", model, task, {{0, 0}});
  ph_sink *sink;
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1, "run-2");
  ASSERT_EQ(ph_sink_run(&sink, (dir / "b").c_str(), &origin, nullptr), PH_OK);
  fill(sink, model, task, {{0, 1}});
  std::filesystem::copy(dir / "b/" + run_file(0, 1, 4), dir / "a/" + run_file(0, 1, 4));
  Store s = open_store({dir / "a"});
  ASSERT_TRUE(s) << ph_error();
  ASSERT_EQ(ph_store_count(s.get()), 2u);
  EXPECT_TRUE(episode_of(s, 0)) << ph_error();
  EXPECT_FALSE(episode_of(s, 1));
  EXPECT_TRUE(says(ph_error(), "run-2"));
  EXPECT_TRUE(says(ph_error(), "run-1"));
  EXPECT_TRUE(says(entry(s, 1)->oddity, "run-2"));
  origin = meta_of(other, task, 0, 0, 1, "run-1");
  ASSERT_EQ(ph_sink_run(&sink, (dir / "c").c_str(), &origin, nullptr), PH_OK);
  ASSERT_EQ(sink->model(sink, other.m), PH_OK);
  ASSERT_EQ(sink->task(sink, task.t), PH_OK);
  put(sink, meta_of(other, task, 0, 2, 4));
  ASSERT_EQ(sink->finish(sink), PH_OK);
  sink->free(sink);
  std::filesystem::copy(dir / "c/" + run_file(0, 2, 4), dir / "a/" + run_file(0, 2, 4));
  s = open_store({dir / "a"});
  ASSERT_TRUE(s);
  EXPECT_FALSE(episode_of(s, 2));
  EXPECT_TRUE(says(ph_error(), "does not hold it"));
}

TEST(Store, TheEpisodeCorrectsTheList) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}});
  ph_entry lie = *entry(open_store({dir / "run"}), 0);
  strcpy(lie.file, run_file(0, 0, 3).c_str());
  lie.end_reason = PH_END_SUCCESS;
  ASSERT_EQ(ph_index_append((dir / "run").c_str(), &lie), PH_OK) << ph_error();
  Store s = open_store({dir / "run"});
  ASSERT_TRUE(s);
  EXPECT_EQ(entry(s, 0)->end_reason, PH_END_SUCCESS);
  ASSERT_TRUE(episode_of(s, 0)) << ph_error();
  EXPECT_EQ(entry(s, 0)->end_reason, PH_END_TRUNCATED);
  EXPECT_TRUE(says(entry(s, 0)->oddity, "another end"));
  EXPECT_STREQ(entry(s, 0)->id, "env000_ep000000");
}

TEST(Store, ADamagedRunFileLeavesTheEpisodes) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {0, 1}});
  spill(dir / "run/run.h5", "");
  Store s = open_store({dir / "run"});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_TRUE(says(entry(s, 1)->oddity, "empty"));
  Episode e = episode_of(s, 1);
  ASSERT_TRUE(e) << ph_error();
  expect_rows(e.get(), meta_of(model, task, 0, 1, 4));
  ph_model *m;
  const char *source;
  EXPECT_EQ(ph_store_model(&m, s.get(), entry(s, 0)->model_sha256), PH_EFORMAT);
  EXPECT_EQ(m, nullptr);
  EXPECT_TRUE(says(ph_error(), "the file is empty"));
  EXPECT_EQ(ph_store_task(&source, s.get(), entry(s, 0)->task_sha256), PH_EFORMAT);
  EXPECT_TRUE(says(ph_error(), "the file is empty"));
  unlink((dir / "run/run.h5").c_str());
  s = open_store({dir / "run"});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_TRUE(says(entry(s, 0)->oddity, "run.h5 is missing"));
  EXPECT_TRUE(episode_of(s, 0)) << ph_error();
}

/* Bytes with a right checksum, in a file that HDF5 itself has opened for writing. */
void put_raw(hid_t h5, const std::string &path, const std::string &text) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); /* a missing parent is no news */
  if (H5Lexists(h5, path.c_str(), H5P_DEFAULT) > 0)
    H5Ldelete(h5, path.c_str(), H5P_DEFAULT);
  hsize_t n = text.size();
  hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &n, nullptr);
  H5Pset_create_intermediate_group(links, 1);
  hid_t dataset =
      H5Dcreate2(h5, path.c_str(), H5T_STD_U8LE, space, links, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(dataset, 0);
  H5Dwrite(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
  require(ph_h5_put_u32(dataset, "crc", ph_crc32(text.data(), text.size())));
  H5Dclose(dataset);
  H5Sclose(space);
  H5Pclose(links);
}

/* Names outlive a source that cannot be used, and never come with a compiled model. */
void expect_names_only(const Store &s, const Model &model, const char *why) {
  ph_model *m;
  ph_sink *sink;
  ASSERT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_OK) << ph_error();
  EXPECT_FALSE(ph_model_compiled(m));
  EXPECT_TRUE(says(ph_model_error(m), why));
  EXPECT_STREQ(ph_model_sha256(m), ph_model_sha256(model.m));
  EXPECT_STREQ(ph_model_name(m, PH_JOINT, 0), "shoulder");
  EXPECT_EQ(ph_model_dims(m)->nq, 9);
  EXPECT_EQ(ph_model_fits(m, model.m), PH_OK) << ph_error();
  Folder dir;
  ph_episode_meta origin = {};
  ASSERT_EQ(ph_sink_dataset(&sink, (dir / "x.h5").c_str(), &origin, nullptr), PH_OK) << ph_error();
  EXPECT_EQ(sink->model(sink, m), PH_EMODEL) << "there is nothing to write";
  sink->free(sink);
  ph_model_unref(m);
}

TEST(Store, AModelIsVerifiedByItsHash) {
  Folder dir;
  Model model;
  Task task;
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  Bytes file = slurp(dir / "d.h5");
  auto rewrite = [&](const std::function<void(hid_t)> &f) {
    spill(dir / "bad.h5", file, file.size());
    hid_t h5 = H5Fopen((dir / "bad.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    f(h5);
    H5Fclose(h5);
    Store s = open_store({dir / "bad.h5"});
    EXPECT_TRUE(s) << ph_error();
    return s;
  };
  std::string group = "/models/" + std::string(ph_model_sha256(model.m));
  ph_model *m;
  Store s = rewrite([&](hid_t h5) { put_raw(h5, group + "/xml", "<mujoco/>"); });
  expect_names_only(s, model, "hash");
  s = rewrite([&](hid_t h5) { put_raw(h5, group + "/assets/extra.obj", "x"); });
  expect_names_only(s, model, "hash");
  s = rewrite([&](hid_t h5) { H5Ldelete(h5, (group + "/xml").c_str(), H5P_DEFAULT); });
  expect_names_only(s, model, "xml");
  s = rewrite([&](hid_t h5) {
    H5Ldelete(h5, (group + "/names").c_str(), H5P_DEFAULT);
    put_raw(h5, group + "/xml", "<mujoco/>");
  });
  EXPECT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_ECORRUPT);
  EXPECT_TRUE(says(ph_error(), "hash"));
  s = rewrite([&](hid_t h5) {
    put_raw(h5, "/tasks/" + std::string(ph_task_sha256(task.t)) + "/source", "return {}");
  });
  const char *source;
  EXPECT_EQ(ph_store_task(&source, s.get(), ph_task_sha256(task.t)), PH_ECORRUPT);
  EXPECT_EQ(source, nullptr);
  EXPECT_TRUE(says(ph_error(), "hash"));
  ASSERT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_OK) << ph_error();
  ph_model_unref(m);
}

TEST(Store, SizesThatNothingBearsOutAreRefused) {
  Folder dir;
  Model model("<mujoco><worldbody><body name='hand' mocap='true'/><body><joint/><geom size='.1'/>"
              "</body></worldbody></mujoco>");
  Task task;
  std::string group = "/models/" + std::string(ph_model_sha256(model.m));
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  Bytes file = slurp(dir / "d.h5");
  auto rewrite = [&](const std::function<void(hid_t)> &f) {
    spill(dir / "bad.h5", file, file.size());
    hid_t h5 = H5Fopen((dir / "bad.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t id = H5Gopen2(h5, group.c_str(), H5P_DEFAULT);
    f(id);
    H5Gclose(id);
    H5Fclose(h5);
    Store s = open_store({dir / "bad.h5"});
    EXPECT_TRUE(s) << ph_error();
    EXPECT_FALSE(episode_of(s, 0));
  };
  rewrite([](hid_t id) { ph_h5_put_i64(id, "nmocap", 2000000); });
  EXPECT_TRUE(says(ph_error(), "nmocap: 2000000 where names/mocap has 1 lines"));
  rewrite([](hid_t id) {
    H5Ldelete(id, "names/mocap", H5P_DEFAULT);
    ph_h5_put_i64(id, "nmocap", 2000000);
  });
  EXPECT_TRUE(says(ph_error(), "nmocap of its model: 2000000"));
  rewrite([](hid_t id) { ph_h5_put_i64(id, "nuserdata", 2000000); });
  EXPECT_TRUE(says(ph_error(), "nuserdata: 2000000"));
}

TEST(Store, AModelThatReadsFilesIsRefused) {
  Folder dir;
  Model model;
  ph_source source = {};
  std::string xml = "<mujoco><include file='/etc/hostname'/></mujoco>";
  source.xml = xml.data();
  source.xml_size = xml.size();
  ph_source_hash(&source);
  Demo demo;
  demo.actions = 5;
  demo.model = source.sha256;
  write_file(dir / "d.h5", {{"demo_0", &demo}}, [&](hid_t h5) {
    hid_t group;
    std::string path = std::string("/models/") + source.sha256;
    require(ph_h5_group_create(&group, h5, path.c_str()));
    ph_h5_put_i64(group, "nq", 4);
    ph_h5_put_i64(group, "nv", 3);
    ph_h5_put_i64(group, "nu", 2);
    require(ph_h5_put_bytes(group, "xml", xml.data(), xml.size()));
    ph_h5_close(group);
  });
  Store s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_TRUE(episode_of(s, 0)) << ph_error();
  ph_model *m;
  EXPECT_EQ(ph_store_model(&m, s.get(), source.sha256), PH_EREFUSED);
  EXPECT_EQ(m, nullptr);
}

TEST(Store, AModelThatDoesNotCompileKeepsItsNames) {
  Folder dir;
  ph_source source = {};
  std::string xml = "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>"; /* no mass */
  source.xml = xml.data();
  source.xml_size = xml.size();
  ph_source_hash(&source);
  Demo demo;
  demo.actions = 5;
  demo.dims.nq = demo.dims.nv = 1;
  demo.model = source.sha256;
  write_file(dir / "d.h5", {{"demo_0", &demo}}, [&](hid_t h5) {
    hid_t g;
    int64_t one = 1;
    int32_t type = PH_HINGE, zero = 0;
    char *body[] = {(char *)"world", (char *)"b\x01"}, *joint[] = {(char *)"elbow"};
    require(ph_h5_group_create(&g, h5, (std::string("/models/") + source.sha256).c_str()));
    ph_h5_put_i64(g, "nq", 1);
    ph_h5_put_i64(g, "nv", 1);
    ph_h5_put_i64(g, "nu", 2);
    ph_h5_put_f64(g, "timestep", 0.004);
    ph_h5_put_string(g, "mujoco_version", "9.9.9");
    require(ph_h5_put_bytes(g, "xml", xml.data(), xml.size()));
    require(ph_h5_put_strings(g, "names/body", body, 2));
    require(ph_h5_put_strings(g, "names/joint", joint, 1));
    require(ph_h5_put_array(g, "names/joint_type", PH_I32, 1, &one, &type));
    require(ph_h5_put_array(g, "names/joint_qposadr", PH_I32, 1, &one, &zero));
    require(ph_h5_put_array(g, "names/joint_dofadr", PH_I32, 1, &one, &zero));
    ph_h5_close(g);
  });
  Store s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  ph_model *m;
  ASSERT_EQ(ph_store_model(&m, s.get(), source.sha256), PH_OK) << ph_error();
  EXPECT_FALSE(ph_model_compiled(m));
  EXPECT_STRNE(ph_model_error(m), "");
  EXPECT_STREQ(ph_model_name(m, PH_JOINT, 0), "elbow");
  EXPECT_EQ(ph_model_joint(m, 0)->type, PH_HINGE);
  EXPECT_STREQ(ph_model_name(m, PH_BODY, 1), "b\x01") << "as it is in the file";
  EXPECT_EQ(ph_model_timestep(m), 0.004);
  EXPECT_STREQ(ph_model_engine_version(m), "9.9.9");
  ph_model_unref(m);
}

TEST(Store, NamesWithControlCharactersComeBackAsTheyAre) {
  Folder dir;
  Task task;
  std::string xml = arm_xml;
  xml.replace(xml.find("'shoulder'"), 10, "'c&#9;d'");
  xml.replace(xml.find("'shoulder'"), 10, "'c&#9;d'");
  Model model(xml);
  ASSERT_STREQ(ph_model_name(model.m, PH_JOINT, 0), "c\td");
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  Store s = open_store({dir / "d.h5"});
  ASSERT_TRUE(s) << ph_error();
  ph_model *m;
  ASSERT_EQ(ph_store_model(&m, s.get(), ph_model_sha256(model.m)), PH_OK) << ph_error();
  EXPECT_TRUE(ph_model_compiled(m)) << ph_model_error(m);
  EXPECT_STREQ(ph_model_name(m, PH_JOINT, 0), "c\td");
  ph_dims dims = *ph_model_dims(m);
  ph_signal *signals = nullptr;
  size_t n = 0;
  ASSERT_EQ(ph_signals_make(&signals, &n, m, &dims), PH_OK);
  EXPECT_STREQ(signals[0].name, "c\\x09d") << "escaped where it is shown";
  free(signals);
  ph_model_unref(m);
}

TEST(Store, AnotherModelCanBeGiven) {
  Folder dir;
  Model model;
  Task task;
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  std::string heavier = arm_xml;
  heavier.replace(heavier.find("size='.1'"), 9, "size='.2'");
  spill(dir / "mine.xml", heavier);
  std::string path = dir / "mine.xml";
  ph_store_options opt = {};
  opt.model_path = path.c_str();
  Store s = open_store({dir / "d.h5"}, &opt);
  path[0] = '!'; /* the store has its own copy */
  ASSERT_TRUE(s);
  ph_model *m, *again;
  ASSERT_EQ(ph_store_model(&m, s.get(), entry(s, 0)->model_sha256), PH_OK) << ph_error();
  EXPECT_STRNE(ph_model_sha256(m), ph_model_sha256(model.m));
  EXPECT_EQ(ph_model_find(m, PH_JOINT, "slide"), 1);
  ASSERT_EQ(ph_store_model(&again, s.get(), ""), PH_OK);
  EXPECT_EQ(m, again);
  ph_model_unref(m);
  ph_model_unref(again);
}

TEST(Store, AnotherModelMustFitTheRecordedOne) {
  Folder dir;
  Model model;
  Task task;
  write_dataset(dir / "d.h5", model, task, {{0, 0}});
  std::string renamed = arm_xml;
  renamed.replace(renamed.find("'slide'"), 7, "'glide'");
  spill(dir / "mine.xml", renamed);
  std::string path = dir / "mine.xml";
  ph_store_options opt = {};
  opt.model_path = path.c_str();
  Store s = open_store({dir / "d.h5"}, &opt);
  ASSERT_TRUE(s);
  ph_model *m;
  EXPECT_EQ(ph_store_model(&m, s.get(), entry(s, 0)->model_sha256), PH_EMISMATCH);
  EXPECT_EQ(m, nullptr);
  EXPECT_TRUE(says(ph_error(), "slide"));
  EXPECT_TRUE(says(ph_error(), "glide"));
  opt.model_path = "/nonexistent.xml";
  s = open_store({dir / "d.h5"}, &opt);
  ASSERT_TRUE(s);
  EXPECT_NE(ph_store_model(&m, s.get(), ""), PH_OK);
  EXPECT_TRUE(says(ph_error(), "/nonexistent.xml"));
  s = open_store({dir / "d.h5"});
  EXPECT_EQ(ph_store_model(&m, s.get(), ""), PH_ENOTFOUND);
}

/* --- content hash --- */

std::string content(const std::string &path) {
  Store s = open_store({path});
  char hex[PH_SHA256_SIZE] = "?";
  EXPECT_TRUE(s) << ph_error();
  if (s) {
    EXPECT_EQ(ph_store_content_hash(s.get(), hex), PH_OK) << ph_error();
  }
  return hex;
}

TEST(Store, EqualContentHasAnEqualHash) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "a", model, task, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  write_run(dir / "b", model, task, {{1, 0}, {1, 1}, {0, 0}, {0, 1}});
  write_run(dir / "c", model, task, {{0, 0}, {1, 0}, {0, 1}});
  write_dataset(dir / "d.h5", model, task, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  write_dataset(dir / "z.h5", model, task, {{1, 1}, {1, 0}, {0, 1}, {0, 0}}, true);
  std::string a = content(dir / "a");
  EXPECT_EQ(a.size(), 64u);
  EXPECT_EQ(a, content(dir / "b"));
  EXPECT_EQ(a, content(dir / "d.h5"));
  EXPECT_EQ(a, content(dir / "z.h5"));
  EXPECT_NE(a, content(dir / "c"));
}

TEST(Store, WhatIsContentChangesTheHash) {
  Folder dir;
  auto hash = [&](const std::function<void(Demo &)> &change) {
    Demo demo;
    demo.actions = 5;
    change(demo);
    write_file(dir / "e.h5", demo);
    std::string hex = content(dir / "e.h5");
    unlink((dir / "e.h5").c_str());
    return hex;
  };
  std::string same = hash([](Demo &) {});
  EXPECT_EQ(same, hash([](Demo &d) { d.run_id = "another"; }));
  EXPECT_EQ(same, hash([](Demo &d) {
              d.after = [](hid_t file, hid_t g) {
                ph_h5_put_string(file, "created", "1999");
                ph_h5_put_string(g, "determinism", "bitwise");
                ph_h5_put_string(g, "provenance", "[]");
              };
            }));
  EXPECT_NE(same, hash([](Demo &d) { d.seed = 2; }));
  EXPECT_NE(same, hash([](Demo &d) { d.end = "nan"; }));
  EXPECT_NE(same, hash([](Demo &d) { d.success = 0; }));
  EXPECT_NE(same, hash([](Demo &d) { d.edits = false; }));
  EXPECT_NE(same, hash([](Demo &d) { d.final_state = false; }));
  EXPECT_NE(same, hash([](Demo &d) { d.episode = 1; }));
  EXPECT_NE(same, hash([](Demo &d) {
              d.after = [](hid_t, hid_t g) {
                H5Ldelete(g, "playhead/final_state", H5P_DEFAULT);
                int64_t n = 8;
                double zero[8] = {};
                require(ph_h5_put_array(g, "playhead/final_state", PH_F64, 1, &n, zero));
              };
            }));
}

/* --- while it grows --- */

TEST(Store, OpeningARunThatIsRecordedSeesWholeEpisodesOnly) {
  Folder dir;
  Model model;
  Task task;
  ph_sink *sink;
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1);
  ASSERT_EQ(ph_sink_run(&sink, (dir / "run").c_str(), &origin, nullptr), PH_OK);
  ASSERT_EQ(sink->model(sink, model.m), PH_OK);
  ASSERT_EQ(sink->task(sink, task.t), PH_OK);
  put(sink, meta_of(model, task, 0, 0, 3));
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int k = 1; k < 30; k++)
      put(sink, meta_of(model, task, 0, k, 3));
    done = true;
  });
  size_t seen = 0;
  for (bool last = false; !last;) {
    last = done;
    Store s = open_store({dir / "run"});
    ASSERT_TRUE(s) << ph_error();
    size_t n = ph_store_count(s.get());
    EXPECT_GE(n, seen) << "an episode went away";
    seen = n;
    for (size_t i = 0; i < n; i++)
      ASSERT_STREQ(entry(s, i)->oddity, "") << entry(s, i)->file;
    Episode e = episode_of(s, n - 1);
    ASSERT_TRUE(e) << ph_error();
    expect_rows(e.get(), meta_of(model, task, 0, (int64_t)n - 1, 3));
  }
  writer.join();
  EXPECT_EQ(seen, 30u);
  ASSERT_EQ(sink->finish(sink), PH_OK) << ph_error();
  sink->free(sink);
}

/* --- natural order --- */

TEST(Natural, DigitsCompareAsNumbers) {
  const char *ordered[] = {"",
                           "demo",
                           "demo_",
                           "demo_0",
                           "demo_00",
                           "demo_01",
                           "demo_1",
                           "demo_1a",
                           "demo_002",
                           "demo_2",
                           "demo_10",
                           "demo_10b",
                           "demo_99999999999999999999998",
                           "demo_99999999999999999999999",
                           "demo_a",
                           "demoa",
                           "e1f2",
                           "e1f10",
                           "e01f20",
                           "\xff"};
  const size_t n = sizeof ordered / sizeof *ordered;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      int c = ph_natural_compare(ordered[i], ordered[j]);
      EXPECT_EQ(c < 0, i < j) << ordered[i] << " " << ordered[j];
      EXPECT_EQ(c == 0, i == j) << ordered[i] << " " << ordered[j];
    }
}

TEST(Natural, IsATotalOrder) {
  std::mt19937 rng(3);
  auto word = [&] {
    std::string s;
    for (size_t n = rng() % 7; n > 0; n--)
      s += "0019a_/"[rng() % 7];
    return s;
  };
  for (int i = 0; i < 200000; i++) {
    std::string a = word(), b = word(), c = word();
    int ab = ph_natural_compare(a.c_str(), b.c_str()),
        bc = ph_natural_compare(b.c_str(), c.c_str());
    int ac = ph_natural_compare(a.c_str(), c.c_str()),
        ba = ph_natural_compare(b.c_str(), a.c_str());
    ASSERT_EQ(ab == 0, a == b) << a << " " << b;
    ASSERT_EQ(ab<0, ba> 0) << a << " " << b;
    if (ab < 0 && bc < 0) {
      ASSERT_LT(ac, 0) << a << " " << b << " " << c;
    }
  }
}

} // namespace
