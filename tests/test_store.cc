// Runs and datasets as lists of episodes, and what is done when the lists disagree.
#include <unistd.h>

#include "store_help.h"

using namespace store_help;

namespace {

const char *task_of(const Store &s, const char *sha256) {
  const char *source = nullptr;
  ph_store_task(&source, s.get(), sha256);
  return source;
}

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

} // namespace
