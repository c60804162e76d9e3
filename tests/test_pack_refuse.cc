// What is not packed, and that nothing is left of it.
#include <fcntl.h>

#include "pack_help.h"

using namespace pack_help;

namespace {

/* Changes one byte of a dataset that lies in the file as it is. */
void flip(const std::string &path, const char *dataset) {
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t id = H5Dopen2(file, dataset, H5P_DEFAULT);
  haddr_t at = H5Dget_offset(id);
  H5Dclose(id);
  H5Fclose(file);
  ASSERT_NE(at, HADDR_UNDEF);
  int fd = open(path.c_str(), O_RDWR);
  char byte;
  ASSERT_EQ(pread(fd, &byte, 1, (off_t)at + 3), 1);
  byte ^= 1;
  ASSERT_EQ(pwrite(fd, &byte, 1, (off_t)at + 3), 1);
  close(fd);
}

/* One error, with all the words, and the folder as it was. */
void expect_refused(const Folder &dir, const std::string &out, const Paths &paths, ph_status why,
                    const Paths &words, ph_pack_options opt = PH_PACK_OPTIONS_INIT) {
  Paths before = names(dir.path());
  ph_pack_tally tally = {};
  tally.episodes = 77;
  EXPECT_EQ(pack(dir / out, paths, &tally, opt), why) << ph_error();
  EXPECT_EQ(tally.episodes, 77);
  for (const std::string &word : words)
    EXPECT_TRUE(says(ph_error(), word));
  EXPECT_EQ(names(dir.path()), before);
}

TEST(PackRefuse, ActionsOfOtherSizesNameBothPathsAndSizes) {
  Folder dir;
  Model model, two(arm_with("</actuator>", "<motor name='n' joint='slide'/></actuator>"));
  Task task;
  write_run(dir / "one", model, task, {{0, 0}, {1, 0}});
  ph_episode_meta m = meta_of(two, task, 0, 0, 4);
  m.dims.action_dim = 2;
  ph_sink *sink;
  ASSERT_EQ(ph_sink_run(&sink, (dir / "two").c_str(), &m, nullptr), PH_OK) << ph_error();
  ASSERT_EQ(sink->model(sink, two.m), PH_OK);
  ASSERT_EQ(sink->task(sink, task.t), PH_OK);
  put(sink, m);
  ASSERT_EQ(sink->finish(sink), PH_OK);
  sink->free(sink);
  expect_refused(dir, "all.h5", {dir / "one", dir / "two"}, PH_EMISMATCH,
                 {dir / "one", dir / "two", "have 1", "have 2"});
}

TEST(PackRefuse, FilesOfOtherRecorders) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}});
  hid_t file;
  double rows[12] = {};
  int64_t actions[2] = {4, 1}, states[2] = {4, 3};
  require(ph_h5_create(&file, (dir / "theirs.hdf5").c_str()));
  require(ph_h5_put_array(file, "data/demo_0/actions", PH_F64, 2, actions, rows));
  require(ph_h5_put_array(file, "data/demo_0/states", PH_F64, 2, states, rows));
  require(ph_h5_finish(file, "theirs.hdf5"));
  expect_refused(dir, "all.h5", {dir / "run", dir / "theirs.hdf5"}, PH_EFORMAT,
                 {dir / "theirs.hdf5", "another recorder"});
  spill(dir / "text.h5", "no HDF5 at all");
  expect_refused(dir, "all.h5", {dir / "run", dir / "text.h5"}, PH_EFORMAT, {dir / "text.h5"});
  expect_refused(dir, "all.h5", {dir / "run", dir / "none"}, PH_EIO, {dir / "none"});
}

TEST(PackRefuse, AnEpisodeThatIsDamaged) {
  for (const char *where : {"data/demo_0/states", "data/demo_0/playhead/final_state"}) {
    Folder dir;
    Model model;
    Task task;
    write_run(dir / "run", model, task, {{0, 0}, {1, 0}, {2, 0}});
    std::string file = dir / "run/env001_ep000000_4.h5";
    flip(file, where);
    expect_refused(dir, "all.h5", {dir / "run"}, PH_ECORRUPT, {file});
  }
}

TEST(PackRefuse, AModelThatIsDamagedOrNotThere) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {1, 0}});
  std::string xml = "models/" + std::string(ph_model_sha256(model.m)) + "/xml";
  flip(dir / "run/run.h5", xml.c_str());
  expect_refused(dir, "all.h5", {dir / "run"}, PH_EMODEL, {"run.h5", "cannot be had"});
  unlink((dir / "run/run.h5").c_str());
  expect_refused(dir, "all.h5", {dir / "run/env000_ep000000_3.h5"}, PH_ENOTFOUND,
                 {"run.h5 is missing"});
}

TEST(PackRefuse, AnEmptyRunAloneHasNothing) {
  Folder dir;
  Model model;
  Task task;
  ph_sink *sink;
  ph_episode_meta origin = meta_of(model, task, 0, 0, 1);
  ASSERT_EQ(ph_sink_run(&sink, (dir / "empty").c_str(), &origin, nullptr), PH_OK) << ph_error();
  ASSERT_EQ(sink->model(sink, model.m), PH_OK);
  ASSERT_EQ(sink->task(sink, task.t), PH_OK);
  ASSERT_EQ(ph_sink_run_start(sink), PH_OK) << ph_error();
  sink->free(sink);
  ASSERT_TRUE(std::filesystem::exists(dir / "empty/run.h5"));
  expect_refused(dir, "all.h5", {dir / "empty"}, PH_ENOTFOUND, {dir / "empty", "no episode"});
  write_run(dir / "run", model, task, {{0, 0}});
  ASSERT_EQ(pack(dir / "all.h5", {dir / "empty", dir / "run"}), PH_OK) << ph_error();
  EXPECT_EQ(content({dir / "run"}), content({dir / "all.h5"}));
}

TEST(PackRefuse, TheSameEpisodeTwice) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {1, 0}});
  symlink((dir / "run").c_str(), (dir / "link").c_str());
  expect_refused(dir, "all.h5", {dir / "run", dir / "link"}, PH_EINVAL,
                 {dir / "run", dir / "link", "twice"});
  expect_refused(dir, "all.h5", {dir / "run", dir / "run/env001_ep000000_4.h5"}, PH_EINVAL,
                 {"env001_ep000000", "twice"});
}

TEST(PackRefuse, ACopyOfAnEpisodeWhereverItLies) {
  Folder dir;
  Model model;
  Task task;
  const char *name = "env001_ep000000_4.h5";
  write_run(dir / "run", model, task, {{0, 0}, {1, 0}});
  write_run(dir / "again", model, task, {{1, 0}});
  write_dataset(dir / "set.h5", model, task, {{2, 0}, {1, 0}});
  write_dataset(dir / "twin.h5", model, task, {{2, 0}, {2, 0}});
  expect_refused(dir, "all.h5", {dir / "run", dir / "again"}, PH_EINVAL,
                 {dir / (std::string("run/") + name), dir / (std::string("again/") + name),
                  "same episode", "env 1, episode 0, seed 100 of run run-1"});
  expect_refused(
      dir, "all.h5", {dir / "set.h5", dir / "run"}, PH_EINVAL,
      {dir / (std::string("run/") + name), "demo_1 of " + (dir / "set.h5"), "same episode"});
  expect_refused(dir, "all.h5", {dir / "twin.h5"}, PH_EINVAL, {"demo_1: ", "demo_0 of "});
  std::filesystem::copy(dir / (std::string("run/") + name), dir / "run/env007_ep000000_4.h5");
  expect_refused(
      dir, "all.h5", {dir / "run"}, PH_EINVAL,
      {dir / (std::string("run/") + name), dir / "run/env007_ep000000_4.h5", "same episode"});
}

TEST(PackRefuse, AFileWhoseNameDoesNotFitWhatItHolds) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}});
  write_run(dir / "other", model, task, {{1, 0}});
  std::filesystem::rename(dir / "other/env001_ep000000_4.h5", dir / "run/env007_ep000000_4.h5");
  expect_refused(dir, "all.h5", {dir / "run"}, PH_EMISMATCH,
                 {dir / "run/env007_ep000000_4.h5", "its name does not fit its facts: env 1"});
}

/* The same place in two runs, another seed in one, and episodes that name no run. */
TEST(PackRefuse, WhatOnlyLooksLikeACopyIsPacked) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}});
  write_other(dir / "other", model, task, {{0, 0}});
  auto write = [&](const std::string &path, const char *run_id, const char *seed) {
    ph_sink *sink;
    ph_episode_meta m = meta_of(model, task, 0, 0, 3, run_id);
    strcpy(m.seed, seed);
    ASSERT_EQ(ph_sink_dataset(&sink, path.c_str(), &m, nullptr), PH_OK) << ph_error();
    ASSERT_EQ(sink->model(sink, model.m), PH_OK) << ph_error();
    ASSERT_EQ(sink->task(sink, task.t), PH_OK) << ph_error();
    put(sink, m);
    ASSERT_EQ(sink->finish(sink), PH_OK) << ph_error();
    sink->free(sink);
  };
  write(dir / "seed.h5", "run-1", "77");
  write(dir / "none1.h5", "", "0");
  write(dir / "none2.h5", "", "0");
  ph_pack_tally tally;
  ASSERT_EQ(pack(dir / "all.h5",
                 {dir / "run", dir / "other", dir / "seed.h5", dir / "none1.h5", dir / "none2.h5"},
                 &tally),
            PH_OK)
      << ph_error();
  EXPECT_EQ(tally.episodes, 5);
}

TEST(PackRefuse, WhatIsInTheWay) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}});
  write_dataset(dir / "old.h5", model, task, {{0, 0}, {0, 1}});
  Bytes old = slurp(dir / "old.h5");
  spill(dir / "notes.txt", "of mine");
  symlink("nowhere", (dir / "link").c_str());
  mkdir((dir / "folder").c_str(), 0700);
  for (const char *out : {"old.h5", "notes.txt", "link", "folder", "run"})
    expect_refused(dir, out, {dir / "run"}, PH_EEXIST, {dir / out, "exists"});
  for (const char *out : {"notes.txt", "link", "folder", "run/run.h5", "run/env000_ep000000_3.h5"})
    expect_refused(dir, out, {dir / "old.h5"}, PH_EEXIST, {dir / out, "no dataset"}, over());
  expect_refused(dir, "old.h5", {dir / "run", dir / "old.h5"}, PH_EINVAL,
                 {dir / "old.h5", "sources"}, over());
  expect_refused(dir, "none/all.h5", {dir / "run"}, PH_EIO, {dir / "none/all.h5", "its folder"});
  EXPECT_EQ(slurp(dir / "notes.txt"), Bytes({'o', 'f', ' ', 'm', 'i', 'n', 'e'}));
  EXPECT_EQ(slurp(dir / "old.h5"), old);
}

TEST(PackRefuse, AnOldDatasetGivesWayOnlyToAWholeOne) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {1, 0}});
  write_run(dir / "bad", model, task, {{0, 0}, {1, 0}});
  flip(dir / "bad/env001_ep000000_4.h5", "data/demo_0/states");
  write_dataset(dir / "out.h5", model, task, {{0, 7}});
  Bytes old = slurp(dir / "out.h5");
  expect_refused(dir, "out.h5", {dir / "bad"}, PH_ECORRUPT, {"env001_ep000000"}, over());
  EXPECT_EQ(slurp(dir / "out.h5"), old);
  ASSERT_EQ(pack(dir / "out.h5", {dir / "run"}, nullptr, over()), PH_OK) << ph_error();
  EXPECT_EQ(content({dir / "run"}), content({dir / "out.h5"}));
  EXPECT_EQ(names(dir.path()), (Paths{"bad", "out.h5", "run"}));
}

/* Stopped at every place where it can be. */
TEST(PackRefuse, StoppedItLeavesNothing) {
  Folder dir;
  Model model;
  Task task;
  write_run(dir / "run", model, task, {{0, 0}, {1, 0}});
  struct Count {
    int64_t calls, stop;
    size_t most;
    int64_t after; /* calls when all is written */
  } count = {};
  ph_pack_options opt = PH_PACK_OPTIONS_INIT;
  opt.user = &count;
  opt.progress = [](void *user, size_t done, size_t all) {
    Count *c = (Count *)user;
    EXPECT_EQ(all, 2u);
    EXPECT_GE(done, c->most);
    c->most = done;
    c->after += done == all;
    return ++c->calls != c->stop;
  };
  ASSERT_EQ(pack(dir / "all.h5", {dir / "run"}, nullptr, opt), PH_OK) << ph_error();
  EXPECT_EQ(count.most, 2u);
  EXPECT_EQ(count.after, 4) << "for each episode that is read back too, and before it is named";
  unlink((dir / "all.h5").c_str());
  int64_t calls = count.calls;
  for (int64_t stop = 1; stop <= calls; stop++) {
    count = {0, stop, 0, 0};
    expect_refused(dir, "all.h5", {dir / "run"}, PH_EINVAL, {"stopped"}, opt);
    EXPECT_EQ(count.calls, stop);
  }
}

TEST(PackRefuse, OfARunThatIsRecordedWhatIsFinishedIsPacked) {
  Folder dir;
  Model model;
  Task task;
  ph_sink *sink;
  ph_episode_meta m = meta_of(model, task, 0, 0, 4);
  ASSERT_EQ(ph_sink_run(&sink, (dir / "run").c_str(), &m, nullptr), PH_OK) << ph_error();
  ASSERT_EQ(sink->model(sink, model.m), PH_OK);
  ASSERT_EQ(sink->task(sink, task.t), PH_OK);
  put(sink, m);
  ph_episode_meta next = meta_of(model, task, 0, 1, 4);
  ph_begin begin = {&next, stored, nullptr, 0};
  ASSERT_EQ(sink->begin(sink, &begin), PH_OK) << ph_error();
  ph_pack_tally tally;
  EXPECT_EQ(pack(dir / "all.h5", {dir / "run"}, &tally), PH_OK) << ph_error();
  EXPECT_EQ(tally.episodes, 1);
  sink->cancel(sink);
  EXPECT_EQ(sink->finish(sink), PH_OK) << ph_error();
  sink->free(sink);
  EXPECT_EQ(content({dir / "run"}), content({dir / "all.h5"}));
}

} // namespace
