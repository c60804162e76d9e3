// Many runs, datasets and episode files become one dataset.
#include "pack_help.h"

using namespace pack_help;

namespace {

/* Every column, edit and fact of two episodes, but id, file and provenance. */
void expect_same(const ph_episode *a, const ph_episode *b) {
  const ph_episode_meta *x = ph_episode_meta_of(a), *y = ph_episode_meta_of(b);
  for (int col = 0; col < PH_COL_COUNT; col++) {
    ph_status status;
    ASSERT_EQ(ph_episode_has(a, (ph_column)col), ph_episode_has(b, (ph_column)col)) << col;
    if (!ph_episode_has(a, (ph_column)col))
      continue;
    Bytes left = read_column(a, (ph_column)col, &status);
    ASSERT_EQ(status, PH_OK) << ph_error();
    Bytes right = read_column(b, (ph_column)col, &status);
    ASSERT_EQ(status, PH_OK) << ph_error();
    ASSERT_EQ(left.size(), right.size());
    EXPECT_EQ(memcmp(left.data(), right.data(), left.size()), 0) << col;
  }
  size_t n, m;
  const ph_edit *left = ph_episode_edits(a, &n), *right = ph_episode_edits(b, &m);
  ASSERT_EQ(n, m);
  for (size_t i = 0; i < n; i++) {
    EXPECT_STREQ(left[i].field, right[i].field);
    EXPECT_EQ(left[i].shape[0] * left[i].shape[1], right[i].shape[0] * right[i].shape[1]);
    size_t size = (size_t)(left[i].shape[0] * left[i].shape[1]) * ph_type_size(left[i].type);
    EXPECT_EQ(memcmp(left[i].data, right[i].data, size), 0) << left[i].field;
  }
  EXPECT_EQ(memcmp(&x->dims, &y->dims, sizeof x->dims), 0);
  EXPECT_EQ(x->actions, y->actions);
  EXPECT_EQ(x->states, y->states);
  EXPECT_EQ(x->env_id, y->env_id);
  EXPECT_EQ(x->episode, y->episode);
  EXPECT_EQ(x->end_reason, y->end_reason);
  EXPECT_EQ(x->success, y->success);
  EXPECT_EQ(x->hold_steps, y->hold_steps);
  EXPECT_EQ(x->hold_seconds, y->hold_seconds);
  EXPECT_EQ(x->timestep, y->timestep);
  EXPECT_EQ(x->control_dt, y->control_dt);
  EXPECT_STREQ(x->oddity, y->oddity);
  for (auto [p, q] : {std::pair{x->writer, y->writer},
                      {x->run_id, y->run_id},
                      {x->created, y->created},
                      {x->substrate, y->substrate},
                      {x->rng, y->rng},
                      {x->seed, y->seed},
                      {x->end_detail, y->end_detail},
                      {x->determinism, y->determinism},
                      {x->model_sha256, y->model_sha256},
                      {x->task_sha256, y->task_sha256},
                      {x->env_name, y->env_name},
                      {x->recipe, y->recipe},
                      {x->derived, y->derived},
                      {x->engine, y->engine},
                      {x->parent, y->parent}})
    EXPECT_STREQ(p, q);
}

TEST(Pack, ARunBecomesADatasetWithTheSameContent) {
  Folder dir;
  Model model;
  Task task;
  ph_pack_tally tally;
  write_run(dir / "run", model, task, {{1, 1}, {0, 0}, {1, 0}, {0, 1}});
  ASSERT_EQ(pack(dir / "all.h5", {dir / "run"}, &tally), PH_OK) << ph_error();
  EXPECT_EQ(tally.episodes, 4);
  EXPECT_EQ(tally.steps, 3 + 4 + 4 + 5);
  EXPECT_EQ(tally.models, 1);
  EXPECT_EQ(tally.tasks, 1);
  EXPECT_EQ(content({dir / "run"}), content({dir / "all.h5"}));
  Store s = open_store({dir / "all.h5"});
  ASSERT_TRUE(s) << ph_error();
  EXPECT_STREQ(ph_store_layout(s.get()), "dataset");
  const Places order = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  ASSERT_EQ(ph_store_count(s.get()), order.size());
  for (size_t k = 0; k < order.size(); k++) {
    EXPECT_EQ(entry(s, k)->id, "demo_" + std::to_string(k));
    EXPECT_EQ(entry(s, k)->env_id, order[k].first);
    EXPECT_EQ(entry(s, k)->episode, order[k].second);
  }
  ph_model *packed = nullptr;
  EXPECT_EQ(ph_store_model(&packed, s.get(), ph_model_sha256(model.m)), PH_OK) << ph_error();
  ph_model_unref(packed);
  const char *source = nullptr;
  ASSERT_EQ(ph_store_task(&source, s.get(), ph_task_sha256(task.t)), PH_OK) << ph_error();
  EXPECT_STREQ(source, task_lua);
  EXPECT_EQ(names(dir.path()), (Paths{"all.h5", "run"}));
}

TEST(Pack, RunDatasetAndEpisodeFileAreMixedInTheOrderOfThePaths) {
  Folder dir;
  Model model, second(arm_with("size='.1'", "size='.2'"));
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {1, 0}});
  write_dataset(dir / "set.h5", second, task, {{0, 3}, {0, 2}}, true);
  write_other(dir / "more", model, task, {{4, 7}, {2, 7}});
  std::string file = dir / "more/env002_ep000007_7.h5";
  ph_pack_tally tally;
  const Paths paths = {file, dir / "set.h5", dir / "run"};
  ASSERT_EQ(pack(dir / "mix.h5", paths, &tally), PH_OK) << ph_error();
  EXPECT_EQ(tally.episodes, 5);
  EXPECT_EQ(tally.models, 2);
  EXPECT_EQ(tally.tasks, 1);
  Store from = open_store(paths), to = open_store({dir / "mix.h5"});
  ASSERT_TRUE(from && to) << ph_error();
  ASSERT_EQ(ph_store_count(to.get()), 5u);
  const size_t source[] = {0, 2, 1, 3, 4}; /* set.h5 has episode 3 first */
  for (size_t k = 0; k < 5; k++) {
    Episode a = episode_of(from, source[k]), b = episode_of(to, k);
    ASSERT_TRUE(a && b) << ph_error();
    expect_same(a.get(), b.get());
    EXPECT_STREQ(entry(to, k)->oddity, "");
  }
  EXPECT_EQ(content(paths), content({dir / "mix.h5"}));
}

/* Runs differ in what their files say of themselves; an episode keeps what its own said. */
TEST(Pack, AnEpisodeKeepsTheOriginOfItsRun) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "a", model, task, {{0, 0}});
  write_other(dir / "b", model, task, {{0, 0}});
  ASSERT_EQ(pack(dir / "ab.h5", {dir / "a", dir / "b"}), PH_OK) << ph_error();
  Store s = open_store({dir / "ab.h5"});
  ASSERT_TRUE(s) << ph_error();
  Episode a = episode_of(s, 0), b = episode_of(s, 1);
  ASSERT_TRUE(a && b) << ph_error();
  const ph_episode_meta *x = ph_episode_meta_of(a.get()), *y = ph_episode_meta_of(b.get());
  EXPECT_STREQ(x->run_id, "run-1");
  EXPECT_STREQ(x->substrate, "");
  EXPECT_STREQ(x->env_name, "lift");
  EXPECT_EQ(x->dims.control_steps, 10);
  EXPECT_STREQ(y->run_id, "run-2");
  EXPECT_STREQ(y->substrate, "0123456789abcdef");
  EXPECT_STREQ(y->created, "2027-01-01T00:00:00Z");
  EXPECT_STREQ(y->writer, "playhead other");
  EXPECT_STREQ(y->env_name, "other");
  EXPECT_EQ(y->dims.control_steps, 5);
  EXPECT_EQ(y->control_dt, 0.01);
  EXPECT_STREQ(y->oddity, "");
  EXPECT_NE(strstr(y->provenance, "\"op\":\"pack\""), nullptr) << y->provenance;
  EXPECT_NE(strstr(y->provenance, "/b/env000_ep000000_5.h5\""), nullptr) << y->provenance;
  EXPECT_NE(strstr(y->provenance, "\"run_id\":\"run-2\""), nullptr) << y->provenance;
}

TEST(Pack, APackOfAPackHasBothStepsOfProvenance) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "a", model, task, {{0, 0}, {1, 0}});
  write_other(dir / "b", model, task, {{0, 1}});
  ASSERT_EQ(pack(dir / "one.h5", {dir / "b", dir / "a"}), PH_OK) << ph_error();
  ASSERT_EQ(pack(dir / "two.h5", {dir / "one.h5"}), PH_OK) << ph_error();
  EXPECT_EQ(content({dir / "a", dir / "b"}), content({dir / "two.h5"}));
  Store s = open_store({dir / "two.h5"});
  ASSERT_TRUE(s) << ph_error();
  for (size_t k = 0; k < 3; k++) { /* (0,0) (0 1) of a, then (0, 1) of b */
    Episode e = episode_of(s, k);
    ASSERT_TRUE(e) << ph_error();
    const char *text = ph_episode_meta_of(e.get())->provenance;
    const char *first = strstr(text, "\"op\":\"pack\"");
    ASSERT_NE(first, nullptr) << text;
    EXPECT_NE(strstr(first + 1, "\"op\":\"pack\""), nullptr) << text;
    EXPECT_NE(strstr(first + 1, "one.h5"), nullptr) << text;
  }
}

TEST(Pack, CompressedHasTheSameBitsInChunksAndIsSmaller) {
  Folder dir;
  Demo demo;
  demo.actions = 5000;
  write_file(dir / "plain.h5", demo);
  ph_pack_options opt = PH_PACK_OPTIONS_INIT;
  opt.compress = true;
  ASSERT_EQ(pack(dir / "small.h5", {dir / "plain.h5"}, nullptr, opt), PH_OK) << ph_error();
  ASSERT_EQ(pack(dir / "again.h5", {dir / "small.h5"}), PH_OK) << ph_error();
  for (const char *name : {"small.h5", "again.h5"}) {
    Store from = open_store({dir / "plain.h5"}), to = open_store({dir / name});
    ASSERT_TRUE(from && to) << ph_error();
    Episode a = episode_of(from, 0), b = episode_of(to, 0);
    ASSERT_TRUE(a && b) << ph_error();
    expect_same(a.get(), b.get());
    EXPECT_EQ(content({dir / "plain.h5"}), content({dir / name}));
  }
  EXPECT_LT(std::filesystem::file_size(dir / "small.h5"),
            std::filesystem::file_size(dir / "again.h5"));
  hid_t file = H5Fopen((dir / "small.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t states = H5Dopen2(file, "data/demo_0/states", H5P_DEFAULT);
  hid_t list = H5Dget_create_plist(states);
  hsize_t chunk[2] = {};
  EXPECT_EQ(H5Pget_chunk(list, 2, chunk), 2);
  EXPECT_EQ(chunk[0], 64u);
  H5Z_filter_t expected[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  ASSERT_EQ(H5Pget_nfilters(list), 3);
  for (unsigned i = 0; i < 3; i++) {
    unsigned flags, config;
    size_t n = 0;
    EXPECT_EQ(H5Pget_filter2(list, i, &flags, &n, nullptr, 0, nullptr, &config), expected[i]);
  }
  H5Pclose(list);
  H5Dclose(states);
  H5Fclose(file);
}

} // namespace
