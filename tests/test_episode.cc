// Facts and rows of an episode, as they were written; damage to rows; many threads at once.
#include <atomic>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include "read_help.h"

extern "C" {
#include "sink.h"
}

using namespace read_help;

namespace {

class Layouts : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Episode, Layouts, ::testing::Bool(), [](const auto &p) {
  return std::string(p.param ? "compressed" : "contiguous");
});

TEST_P(Layouts, EveryFactAndEveryRowComesBack) {
  Folder dir;
  Demo demo;
  demo.compress = GetParam();
  demo.env_id = 3;
  demo.episode = 12;
  demo.model.assign(64, 'a');
  demo.task.assign(64, 'b');
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e) << ph_error();
  const ph_episode_meta *m = ph_episode_meta_of(e.get());
  EXPECT_STREQ(m->id, "demo_0");
  EXPECT_EQ(std::string(m->file), dir / "e.h5");
  EXPECT_STREQ(m->group, "/data/demo_0");
  EXPECT_STREQ(m->writer, "playhead test");
  EXPECT_STREQ(m->run_id, "run-1");
  EXPECT_STREQ(m->created, "2026-01-02T03:04:05Z");
  EXPECT_STREQ(m->substrate, "0123456789abcdef");
  EXPECT_STREQ(m->rng, "test");
  EXPECT_EQ(m->actions, 600);
  EXPECT_EQ(m->states, 601);
  EXPECT_EQ(m->env_id, 3);
  EXPECT_EQ(m->episode, 12);
  EXPECT_STREQ(m->seed, "1");
  EXPECT_EQ(m->end_reason, PH_END_SUCCESS);
  EXPECT_STREQ(m->end_detail, "held 0.5 s");
  EXPECT_EQ(m->success, 1);
  EXPECT_STREQ(m->determinism, "unchecked");
  EXPECT_EQ(std::string(m->model_sha256), demo.model);
  EXPECT_EQ(std::string(m->task_sha256), demo.task);
  EXPECT_EQ(m->hold_seconds, 0.5);
  EXPECT_EQ(m->hold_steps, 25);
  EXPECT_STREQ(m->env_name, "push");
  EXPECT_STREQ(m->recipe, "step");
  EXPECT_STREQ(m->derived, "fresh");
  EXPECT_STREQ(m->engine, "mujoco");
  EXPECT_STREQ(m->provenance, R"([{"by": "test"}])");
  EXPECT_EQ(m->control_dt, 0.02);
  EXPECT_EQ(m->dims.nq + m->dims.na, demo.dims.nq);
  EXPECT_EQ(m->dims.nv, 3);
  EXPECT_EQ(m->dims.nu, 2);
  EXPECT_EQ(m->dims.neq, 2);
  EXPECT_EQ(m->dims.nmocap, 1);
  EXPECT_EQ(m->dims.action_dim, 2);
  EXPECT_EQ(m->dims.control_steps, 10);
  expect_equal(e.get(), demo);
  EXPECT_FALSE(ph_episode_has(e.get(), PH_COL_USERDATA));
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_USERDATA), 0);
  size_t n;
  const ph_edit *edits = ph_episode_edits(e.get(), &n);
  ASSERT_EQ(n, 1u);
  EXPECT_STREQ(edits[0].field, "body_pos");
  EXPECT_EQ(edits[0].type, PH_F64);
  EXPECT_EQ(edits[0].shape[0], 4);
  EXPECT_EQ(edits[0].shape[1], 3);
  EXPECT_EQ(memcmp(edits[0].data, demo.body_pos.data(), 96), 0);
}

TEST_P(Layouts, AnyRangeOfRowsIsThatRange) {
  Folder dir;
  Demo demo;
  demo.compress = GetParam();
  write_file(dir / "e.h5", demo);
  std::mt19937 rng(7);
  for (int again = 0; again < 3; again++) { /* fresh blocks each time */
    Episode e = open_episode(dir / "e.h5");
    ASSERT_TRUE(e);
    for (int i = 0; i < 60; i++) {
      ph_column col = demo.columns[rng() % demo.columns.size()];
      int64_t rows = demo.rows(col), first = rng() % rows, n = 1 + rng() % (rows - first);
      size_t width = demo.row_bytes(col);
      Bytes out((size_t)n * width + 1, 0xEE);
      ASSERT_EQ(ph_episode_read(e.get(), col, first, n, out.data()), PH_OK) << ph_error();
      EXPECT_EQ(memcmp(out.data(), &demo.data[col][(size_t)first * width], (size_t)n * width), 0);
      EXPECT_EQ(out.back(), 0xEE) << "wrote behind the end";
    }
  }
}

TEST(Episode, WithAFinalStateThereIsOneStateMore) {
  Folder dir;
  Demo demo;
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e);
  size_t width = demo.row_bytes(PH_COL_STATES);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_STATES), 601);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_CTRL), 601);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_ACTIONS), 600);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_FINAL_STATE), 1);
  Bytes last(width), also(width), two(2 * width);
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 600, 1, last.data()), PH_OK);
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_FINAL_STATE, 0, 1, also.data()), PH_OK);
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 599, 2, two.data()), PH_OK);
  EXPECT_EQ(memcmp(last.data(), &demo.data[PH_COL_STATES][600 * width], width), 0);
  EXPECT_EQ(last, also);
  EXPECT_EQ(memcmp(two.data(), &demo.data[PH_COL_STATES][599 * width], 2 * width), 0);
}

TEST(Episode, WithoutAFinalStateThereAreAsManyStatesAsActions) {
  Folder dir;
  Demo demo;
  demo.final_state = false;
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e) << ph_error();
  EXPECT_EQ(ph_episode_meta_of(e.get())->states, 600);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_STATES), 600);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_CTRL), 600);
  EXPECT_FALSE(ph_episode_has(e.get(), PH_COL_FINAL_STATE));
  expect_equal(e.get(), demo);
  double row[16];
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 600, 1, row), PH_EINVAL);
}

TEST(Episode, AFileThatLostItsFinalStateKeepsTheOtherRows) {
  Folder dir;
  Demo demo;
  demo.after = [](hid_t, hid_t group) {
    ASSERT_GE(H5Ldelete(group, "playhead/final_state", H5P_DEFAULT), 0);
  };
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e) << ph_error();
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_STATES), 600);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_CTRL), 600);
  ph_status status;
  Bytes ctrl = read_column(e.get(), PH_COL_CTRL, &status);
  ASSERT_EQ(status, PH_OK) << ph_error();
  EXPECT_EQ(memcmp(ctrl.data(), demo.data[PH_COL_CTRL].data(), ctrl.size()), 0);
}

TEST(Episode, OneStepIsAnEpisode) {
  Folder dir;
  for (int64_t actions : {1, 2, 255, 256, 257, 511, 512}) {
    for (bool final_state : {true, false}) {
      Demo demo;
      demo.actions = actions;
      demo.final_state = final_state;
      write_file(dir / "e.h5", demo);
      Episode e = open_episode(dir / "e.h5");
      ASSERT_TRUE(e) << actions << ": " << ph_error();
      expect_equal(e.get(), demo);
      e.reset();
      unlink((dir / "e.h5").c_str());
    }
  }
}

TEST(Episode, AnEmptyEpisodeInMemory) {
  ph_sink *sink;
  ASSERT_EQ(ph_sink_memory(&sink), PH_OK);
  ph_episode_meta meta = {};
  meta.dims.nq = meta.dims.nv = 1;
  meta.states = 1;
  meta.success = -1;
  meta.provenance = "[]";
  ph_begin begin = {&meta, PH_COL_BIT(PH_COL_STATES) | PH_COL_BIT(PH_COL_ACTIONS), nullptr, 0};
  double row[3] = {0, 1.5, -2}, out[3] = {};
  ASSERT_EQ(sink->begin(sink, &begin), PH_OK) << ph_error();
  ASSERT_EQ(sink->rows(sink, PH_COL_STATES, 0, 1, row), PH_OK) << ph_error();
  ASSERT_EQ(sink->end(sink), PH_OK) << ph_error();
  ph_episode *raw;
  ASSERT_EQ(ph_sink_memory_take(sink, 0, &raw), PH_OK);
  Episode e(raw);
  sink->free(sink);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_STATES), 1);
  EXPECT_EQ(ph_episode_rows(e.get(), PH_COL_ACTIONS), 0);
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 0, 1, out), PH_OK);
  EXPECT_EQ(memcmp(row, out, sizeof row), 0);
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_ACTIONS, 0, 0, out), PH_OK);
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_ACTIONS, 0, 1, out), PH_EINVAL);
}

TEST(Episode, RowsOutsideAreRefused) {
  Folder dir;
  Demo demo;
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e);
  double out[16];
  for (auto [first, n] : {std::pair<int64_t, int64_t>{-1, 1},
                          {600, 1},
                          {0, 601},
                          {599, 2},
                          {0, -1},
                          {INT64_MAX, 1},
                          {1, INT64_MAX},
                          {INT64_MIN, 1}})
    EXPECT_EQ(ph_episode_read(e.get(), PH_COL_ACTIONS, first, n, out), PH_EINVAL) << first;
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_USERDATA, 0, 1, out), PH_ENOTFOUND);
  EXPECT_TRUE(says(ph_error(), "playhead/userdata"));
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_COUNT, 0, 1, out), PH_ENOTFOUND);
}

TEST_P(Layouts, ADamagedBlockIsNamedAndTheOthersAreRead) {
  Folder dir;
  Demo demo;
  demo.compress = GetParam();
  write_file(dir / "e.h5", demo);
  Bytes file = slurp(dir / "e.h5");
  const Bytes &states = demo.data[PH_COL_STATES];
  size_t width = demo.row_bytes(PH_COL_STATES);
  size_t at;
  if (!GetParam()) {
    auto found = std::search(file.begin(), file.end(), states.begin() + 300 * width,
                             states.begin() + 301 * width);
    ASSERT_NE(found, file.end());
    at = (size_t)(found - file.begin());
  } else {
    hid_t h5, dataset;
    ph_h5_array info;
    ASSERT_EQ(ph_h5_open(&h5, (dir / "e.h5").c_str()), PH_OK);
    ASSERT_EQ(ph_h5_dataset(&dataset, &info, h5, "/data/demo_0/states"), PH_OK);
    hsize_t where[2] = {256, 0}, size;
    haddr_t address;
    ASSERT_GE(H5Dget_chunk_info_by_coord(dataset, where, nullptr, &address, &size), 0);
    at = (size_t)address + size / 2;
    ph_h5_close(dataset);
    ph_h5_close(h5);
  }
  file[at] ^= 1;
  spill(dir / "bad.h5", file, file.size());
  Episode e = open_episode(dir / "bad.h5");
  ASSERT_TRUE(e) << ph_error();
  Bytes out(601 * width);
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 256, 1, out.data()), PH_ECORRUPT);
  EXPECT_TRUE(says(ph_error(), dir / "bad.h5"));
  EXPECT_TRUE(says(ph_error(), "/data/demo_0/states"));
  EXPECT_TRUE(says(ph_error(), "rows 256 to 511"));
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 0, 601, out.data()), PH_ECORRUPT);
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 300, 1, out.data()), PH_ECORRUPT)
      << "a block that failed counts as verified";
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 0, 256, out.data()), PH_OK) << ph_error();
  EXPECT_EQ(memcmp(out.data(), states.data(), 256 * width), 0);
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_STATES, 512, 89, out.data()), PH_OK) << ph_error();
  EXPECT_EQ(memcmp(out.data(), &states[512 * width], 89 * width), 0);
}

TEST(Episode, ABlockIsVerifiedOnceAndThenReadOnly) {
  Folder dir;
  Demo demo;
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e);
  const Bytes &rewards = demo.data[PH_COL_REWARDS];
  Bytes file = slurp(dir / "e.h5");
  auto found = std::search(file.begin(), file.end(), rewards.begin(), rewards.begin() + 64);
  ASSERT_NE(found, file.end());
  double x;
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_REWARDS, 3, 1, &x), PH_OK);
  int fd = open((dir / "e.h5").c_str(), O_WRONLY);
  uint8_t flipped = rewards[0] ^ 1, seen[8];
  ASSERT_EQ(pwrite(fd, &flipped, 1, found - file.begin()), 1);
  ASSERT_EQ(ph_episode_read(e.get(), PH_COL_REWARDS, 0, 1, seen), PH_OK) << "checked twice";
  EXPECT_EQ(seen[0], flipped);
  ASSERT_EQ(ftruncate(fd, 512), 0);
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_REWARDS, 0, 1, seen), PH_ECORRUPT);
  EXPECT_TRUE(says(ph_error(), "shorter"));
  close(fd);
}

TEST(Episode, WhatIsNotKnownIsIgnored) {
  Folder dir;
  Demo demo;
  demo.after = [](hid_t, hid_t g) {
    int64_t dim = 3;
    double x[3] = {};
    require(ph_h5_put_array(g, "obs/camera", PH_F64, 1, &dim, x));
    require(ph_h5_put_array(g, "playhead/later", PH_F64, 1, &dim, x));
    ph_h5_put_string(g, "later", "x");
  };
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e) << ph_error();
  expect_equal(e.get(), demo);
}

TEST(Episode, AColumnThatIsLeftOutIsNotThere) {
  Folder dir;
  Demo demo;
  demo.columns = {PH_COL_ACTIONS, PH_COL_STATES, PH_COL_REWARDS};
  demo.success = -1;
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e) << ph_error();
  EXPECT_FALSE(ph_episode_has(e.get(), PH_COL_WARMSTART));
  EXPECT_FALSE(ph_episode_has(e.get(), PH_COL_PREDICATE));
  EXPECT_EQ(ph_episode_meta_of(e.get())->success, -1);
  expect_equal(e.get(), demo);
}

TEST(Episode, NothingStaysOpen) {
  Folder dir;
  Demo demo, packed;
  packed.compress = true;
  write_file(dir / "e.h5", demo);
  write_file(dir / "c.h5", packed);
  size_t ids = ph_h5_open_ids();
  for (const char *name : {"e.h5", "c.h5"}) {
    Episode e = open_episode(dir / name);
    ASSERT_TRUE(e);
    EXPECT_EQ(ph_h5_open_ids() > ids, std::string(name) == "c.h5")
        << "contiguous rows need no HDF5";
    expect_equal(e.get(), name[0] == 'e' ? demo : packed);
  }
  EXPECT_EQ(ph_h5_open_ids(), ids);
}

TEST_P(Layouts, ManyThreadsReadOneEpisode) {
  Folder dir;
  Demo demo;
  demo.actions = 2000;
  demo.compress = GetParam();
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e);
  std::atomic<int> wrong{0};
  auto reader = [&](unsigned seed) {
    std::mt19937 rng(seed);
    for (int i = 0; i < 200; i++) {
      ph_column col = demo.columns[rng() % demo.columns.size()];
      int64_t rows = demo.rows(col), first = rng() % rows;
      int64_t n = 1 + rng() % std::min<int64_t>(rows - first, 300);
      size_t width = demo.row_bytes(col);
      Bytes out((size_t)n * width);
      if (ph_episode_read(e.get(), col, first, n, out.data()) != PH_OK ||
          memcmp(out.data(), &demo.data.at(col)[(size_t)first * width], out.size()) != 0)
        wrong++;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; i++)
    threads.emplace_back(reader, i);
  for (auto &t : threads)
    t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Episode, EndsHaveNames) {
  for (int i = 0; i < PH_END_COUNT; i++)
    EXPECT_EQ(ph_end_from_name(ph_end_name((ph_end)i)), (ph_end)i);
  EXPECT_STREQ(ph_end_name(PH_END_SUCCESS), "success");
  EXPECT_STREQ(ph_end_name((ph_end)99), "unknown");
  EXPECT_EQ(ph_end_from_name("Success"), PH_END_UNKNOWN);
  EXPECT_EQ(ph_end_from_name(""), PH_END_UNKNOWN);
}

TEST(Episode, EditsAreCopiedDeep) {
  double data[6] = {1, 2, 3, 4, 5, 6};
  ph_edit edit = {};
  strcpy(edit.field, "body_pos");
  edit.type = PH_F64;
  edit.shape[0] = 2;
  edit.shape[1] = 3;
  edit.data = data;
  ph_edit *copy;
  ASSERT_EQ(ph_edits_copy(&copy, &edit, 1), PH_OK);
  EXPECT_NE(copy[0].data, edit.data);
  data[0] = 9;
  EXPECT_EQ(((const double *)copy[0].data)[0], 1);
  EXPECT_EQ(((const double *)copy[0].data)[5], 6);
  ph_edits_free(copy, 1);
  ASSERT_EQ(ph_edits_copy(&copy, nullptr, 0), PH_OK);
  EXPECT_EQ(copy, nullptr);
  ph_edits_free(nullptr, 0);
  edit.shape[0] = INT64_MAX / 2;
  EXPECT_EQ(ph_edits_copy(&copy, &edit, 1), PH_ENOMEM);
  EXPECT_EQ(copy, nullptr);
}

} // namespace
