#include <sys/syscall.h>
#include <unistd.h>

#include "sink_help.h"

extern "C" {
#include "index.h"
}

/* Folders of this path cannot be synced while it lives. */
struct NoSync {
  static const NoSync *now;
  std::string path;
  explicit NoSync(const std::string &folder) : path(std::filesystem::weakly_canonical(folder)) {
    if (path.back() == '/')
      path.pop_back();
    now = this;
  }
  ~NoSync() { now = nullptr; }
};
const NoSync *NoSync::now;

extern "C" int fsync(int fd) {
  std::error_code none;
  std::string link = "/proc/self/fd/" + std::to_string(fd);
  if (NoSync::now && NoSync::now->path == std::filesystem::read_symlink(link, none)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

/* --- memory ---------------------------------------------------------------------------------- */

TEST_F(Sink, MemoryGivesEpisodesBack) {
  Fake a(300, 1), b(7, 2, false);
  OK(ph_sink_memory(&sink));
  OK(write_fake(sink, a));
  OK(write_fake(sink, b, 3));
  OK(sink->finish(sink));
  ph_episode *ea, *eb, *none;
  OK(ph_sink_memory_take(sink, 1, &eb));
  OK(ph_sink_memory_take(sink, 0, &ea));
  EXPECT_EQ(PH_ENOTFOUND, ph_sink_memory_take(sink, 0, &none)) << "once";
  EXPECT_EQ(PH_ENOTFOUND, ph_sink_memory_take(sink, 2, &none));
  close();
  expect_same(ea, a);
  expect_same(eb, b);
  EXPECT_FALSE(ph_episode_has(eb, PH_COL_FINAL_STATE));
  EXPECT_TRUE(ph_episode_has(ea, PH_COL_FINAL_STATE));
  EXPECT_STREQ("", ph_episode_meta_of(ea)->file);
  ph_episode_free(ea);
  ph_episode_free(eb);
}

TEST_F(Sink, MemoryTakesAnEpisodeWithoutActions) {
  Fake empty(0);
  ph_episode *episode;
  OK(ph_sink_memory(&sink));
  OK(write_fake(sink, empty));
  OK(ph_sink_memory_take(sink, 0, &episode));
  EXPECT_EQ(1, ph_episode_rows(episode, PH_COL_STATES));
  EXPECT_EQ(0, ph_episode_rows(episode, PH_COL_ACTIONS));
  expect_same(episode, empty);
  ph_episode_free(episode);
}

TEST_F(Sink, MemoryFreesWhatNobodyTook) {
  Fake a(20);
  ph_begin begin = a.begin();
  OK(ph_sink_memory(&sink));
  OK(write_fake(sink, a));
  OK(sink->begin(sink, &begin));
  EXPECT_EQ(PH_EINVAL, sink->finish(sink));
  sink->cancel(sink);
  sink->cancel(sink);
  OK(sink->finish(sink));
  ph_episode *none;
  EXPECT_EQ(PH_ENOTFOUND, ph_sink_memory_take(sink, 1, &none));
}

/* --- order of calls -------------------------------------------------------------------------- */

/* Each misuse is told and drops the episode, and the next one is fine. */
static void misuse(ph_sink *sink, const Fake &fake, bool in_file) {
  ph_begin begin = fake.begin();
  const char *data = fake.rows.at(PH_COL_REWARDS).data();
  EXPECT_EQ(PH_EINVAL, sink->rows(sink, PH_COL_REWARDS, 0, 1, data));
  EXPECT_EQ(PH_EINVAL, sink->end(sink));
  OK(sink->begin(sink, &begin));
  EXPECT_EQ(PH_EINVAL, sink->begin(sink, &begin)) << "the last one has not ended";
  OK(sink->rows(sink, PH_COL_REWARDS, 0, 2, data));
  EXPECT_EQ(PH_EINVAL, sink->rows(sink, PH_COL_REWARDS, 3, 1, data)) << "a gap";
  EXPECT_EQ(PH_EINVAL, sink->rows(sink, PH_COL_REWARDS, 2, 1, data)) << "it is gone";
  OK(sink->begin(sink, &begin));
  EXPECT_EQ(PH_EINVAL, sink->rows(sink, PH_COL_REWARDS, 0, fake.meta.actions + 1, data));
  OK(sink->begin(sink, &begin));
  EXPECT_EQ(PH_EINVAL, sink->rows(sink, PH_COL_FINAL_STATE, 0, 1, data));
  OK(sink->begin(sink, &begin));
  EXPECT_EQ(PH_EINVAL, sink->rows(sink, PH_COL_COUNT, 0, 1, data));
  OK(sink->begin(sink, &begin));
  EXPECT_EQ(PH_EINVAL, sink->end(sink)) << "no column is complete";
  EXPECT_TRUE(says("it ends after 0 of")) << ph_error();
  Fake no_states(5), negative(5), odd(5), no_field(5), no_warmstart(5), empty(0);
  no_states.drop(PH_COL_STATES);
  negative.meta.env_id = -1;
  odd.meta.states = 8;
  Fake::text(no_field.edits[0].field, "../x");
  no_warmstart.drop(PH_COL_WARMSTART);
  for (const Fake *bad : {&no_states, &negative, &odd, &no_field}) {
    begin = bad->begin();
    EXPECT_EQ(PH_EINVAL, sink->begin(sink, &begin));
  }
  for (const Fake *bad : {&no_warmstart, &empty}) {
    begin = bad->begin();
    EXPECT_EQ(in_file ? PH_EINVAL : PH_OK, sink->begin(sink, &begin)) << ph_error();
    sink->cancel(sink);
  }
  OK(write_fake(sink, fake));
}

TEST_F(Sink, MisuseOfMemoryIsTold) {
  Fake fake(30);
  OK(ph_sink_memory(&sink));
  misuse(sink, fake, false);
}

TEST_F(Sink, MisuseOfADatasetLeavesNothingOfTheEpisode) {
  Fake fake(30);
  OK(dataset(fake));
  misuse(sink, fake, true);
  OK(sink->finish(sink));
  close();
  hid_t file, group;
  std::string names;
  size_t n;
  OK(ph_h5_open(&file, path.c_str()));
  OK(ph_h5_group(&group, file, "data"));
  OK(ph_h5_count(group, &n));
  EXPECT_EQ(1u, n);
  ph_h5_close(group);
  ph_h5_close(file);
  expect_file(path, "/data/demo_0", fake);
}

TEST_F(Sink, MisuseOfARunLeavesNothingOfTheEpisode) {
  Fake fake(30);
  OK(run(fake));
  misuse(sink, fake, true);
  EXPECT_EQ((Names{"env001_ep000001_30.h5", "index", "run.h5"}), dir.names("run"));
}

/* --- datasets -------------------------------------------------------------------------------- */

TEST_F(Sink, DatasetHoldsEpisodesInTheOrderGiven) {
  Fake a(300, 5), b(1, 2), c(256, 3, false);
  for (bool compress : {false, true}) {
    OK(dataset(a, compress));
    for (const Fake *fake : {&a, &b, &c})
      OK(write_fake(sink, *fake, 91));
    EXPECT_TRUE(dir.names().size() == 1 && dir.names()[0] != "set.h5") << "not there before finish";
    OK(sink->finish(sink));
    OK(sink->finish(sink));
    close();
    EXPECT_EQ(Names{"set.h5"}, dir.names());
    expect_file(path, "/data/demo_0", a);
    expect_file(path, "/data/demo_1", b);
    expect_file(path, "/data/demo_2", c);
    hid_t file, data;
    int64_t total;
    ph_entry *entries;
    size_t n;
    OK(ph_h5_open(&file, path.c_str()));
    OK(ph_h5_group(&data, file, "data"));
    OK(ph_h5_attr_i64(data, "total", &total));
    EXPECT_EQ(557, total);
    OK(ph_h5_index(&entries, &n, file));
    ASSERT_EQ(3u, n);
    EXPECT_STREQ("demo_2", entries[2].id);
    EXPECT_EQ(256, entries[2].states);
    EXPECT_EQ(3, entries[2].episode);
    EXPECT_STREQ(c.meta.seed, entries[2].seed);
    EXPECT_STREQ(c.meta.task_sha256, entries[2].task_sha256);
    free(entries);
    ph_h5_close(data);
    ph_h5_close(file);
    unlink(path.c_str());
  }
}

/* More than are read back from one opening. */
TEST_F(Sink, DatasetOfHundredsOfEpisodesIsReadBackWhole) {
  Fake a(1);
  for (int col = 0; col < PH_COL_COUNT; col++)
    if (a.rows.count(col) && !ph_schema_column((ph_column)col)->required)
      a.drop(col);
  OK(dataset(a));
  for (int k = 0; k < 401; k++) {
    a.meta.episode = k;
    OK(write_fake(sink, a));
  }
  OK(sink->finish(sink));
  close();
  for (int k : {0, 199, 200, 400}) {
    a.meta.episode = k;
    expect_file(path, ("/data/demo_" + std::to_string(k)).c_str(), a);
  }
}

TEST_F(Sink, DatasetRefusesAnExistingOutput) {
  Fake a(3);
  write_bytes(path, "precious");
  EXPECT_EQ(PH_EEXIST, dataset(a));
  EXPECT_EQ("precious", bytes_of(path));
  EXPECT_EQ(Names{"set.h5"}, dir.names());
  unlink(path.c_str());
  ASSERT_EQ(0, symlink("nowhere", path.c_str()));
  EXPECT_EQ(PH_EEXIST, dataset(a)) << "also a link that leads nowhere";
  unlink(path.c_str());
  OK(dataset(a));
  OK(write_fake(sink, a));
  write_bytes(path, "came later");
  EXPECT_EQ(PH_EEXIST, sink->finish(sink));
  EXPECT_EQ(PH_EEXIST, sink->finish(sink)) << "failed once is not written";
  EXPECT_TRUE(says(path.c_str())) << ph_error();
  close();
  EXPECT_EQ("came later", bytes_of(path));
  EXPECT_EQ(Names{"set.h5"}, dir.names());
}

TEST_F(Sink, DatasetThatIsNotFinishedLeavesNothing) {
  Fake a(3);
  ph_begin begin = a.begin();
  OK(dataset(a));
  OK(write_fake(sink, a));
  OK(sink->begin(sink, &begin));
  close();
  EXPECT_EQ(Names{}, dir.names());
  EXPECT_EQ(PH_EIO, ph_sink_dataset(&sink, (dir / "no/such.h5").c_str(), &a.meta, nullptr));
  EXPECT_EQ(nullptr, sink);
}

TEST_F(Sink, PathsThatNobodyCouldOpenAreRefusedAtOnce) {
  Fake a(3);
  std::string deep = dir.path;
  while (deep.size() < 430)
    deep += "/" + std::string(50, 'd');
  std::filesystem::create_directories(deep);
  std::string longest = deep + "/" + std::string(511 - deep.size() - 1, 'f');
  EXPECT_EQ(PH_EINVAL, ph_sink_dataset(&sink, (longest + "x").c_str(), &a.meta, nullptr));
  EXPECT_TRUE(says("at most 511")) << ph_error();
  OK(ph_sink_dataset(&sink, longest.c_str(), &a.meta, nullptr));
  OK(write_fake(sink, a));
  OK(sink->finish(sink));
  close();
  expect_file(longest, "/data/demo_0", a);
  EXPECT_EQ(PH_EINVAL, ph_sink_run(&sink, longest.substr(0, 440).c_str(), &a.meta, nullptr));
  std::string run = longest.substr(0, 439);
  OK(ph_sink_run(&sink, run.c_str(), &a.meta, nullptr));
  OK(write_fake(sink, a));
  OK(sink->finish(sink));
  const char *paths[] = {run.c_str()};
  ph_store *store = nullptr;
  ph_episode *episode = nullptr;
  OK(ph_store_open(&store, paths, 1, nullptr));
  ASSERT_EQ(1u, ph_store_count(store));
  OK(ph_episode_open(&episode, ph_store_entry(store, 0)->file, ph_store_entry(store, 0)->group));
  ph_episode_free(episode);
  ph_store_free(store);
}

TEST_F(Sink, ALeftoverOfAKilledProcessIsNoHindrance) {
  Fake a(3);
  std::string left = dir / (".set.h5." + std::to_string(getpid()) + "-0.part");
  write_bytes(left, "torn");
  OK(dataset(a));
  OK(write_fake(sink, a));
  OK(sink->finish(sink));
  EXPECT_EQ("torn", bytes_of(left));
  expect_file(path, "/data/demo_0", a);
}

/* --- folders that cannot be synced ----------------------------------------------------------- */

TEST_F(Sink, AnEpisodeThatWasThereStaysWhenItsFolderCannotBeSynced) {
  Fake a(4, 5), b(4, 6);
  OK(run(a));
  OK(write_fake(sink, a));
  std::string file = dir / "run/env001_ep000005_4.h5", before = bytes_of(file);
  {
    NoSync fault(dir / "run");
    EXPECT_EQ(PH_EIO, write_fake(sink, a)) << "the same bytes: it has its place";
    EXPECT_TRUE(says("its folder cannot be synced")) << ph_error();
    EXPECT_EQ(PH_EIO, write_fake(sink, b));
  }
  EXPECT_EQ(before, bytes_of(file));
  EXPECT_EQ((Names{"env001_ep000005_4.h5", "index", "run.h5"}), dir.names("run"))
      << "one that is new goes again";
  OK(write_fake(sink, b));
  OK(sink->finish(sink));
}

TEST_F(Sink, EveryFolderThatIsMadeIsSynced) {
  Fake a(4);
  for (const char *above : {"", "deep", "deep/er"}) {
    std::filesystem::create_directories(dir / above);
    NoSync fault(dir / above);
    std::filesystem::remove_all(dir / "deep");
    EXPECT_EQ(PH_EIO, run(a, "deep/er/run//")) << above;
    EXPECT_TRUE(says("cannot be synced")) << ph_error();
    EXPECT_FALSE(std::filesystem::exists(dir / "deep/er/run"));
  }
  std::filesystem::remove_all(dir / "deep");
  OK(run(a, "deep/er/run"));
}

/* --- runs ------------------------------------------------------------------------------------ */

TEST_F(Sink, RunWritesOneFilePerEpisode) {
  Fake a(300, 5), b(1, 2);
  b.meta.env_id = 12;
  OK(run(a, "deep/er/run"));
  EXPECT_EQ(Names{}, dir.names("deep/er/run"));
  OK(write_fake(sink, a));
  EXPECT_EQ((Names{"env001_ep000005_300.h5", "index", "run.h5"}), dir.names("deep/er/run"));
  OK(write_fake(sink, b));
  OK(sink->finish(sink));
  close();
  EXPECT_EQ((Names{"env001_ep000005_300.h5", "env012_ep000002_1.h5", "index", "run.h5"}),
            dir.names("deep/er/run"));
  expect_file(dir / "deep/er/run/env001_ep000005_300.h5", "/data/demo_0", a);
  expect_file(dir / "deep/er/run/env012_ep000002_1.h5", "/data/demo_0", b);
  ph_entry *entries;
  size_t n;
  OK(ph_index_load(&entries, &n, (dir / "deep/er/run").c_str()));
  ASSERT_EQ(2u, n);
  EXPECT_STREQ(b.meta.seed, entries[1].seed);
  EXPECT_EQ(12, entries[1].env_id);
  EXPECT_STREQ("", entries[1].oddity);
  free(entries);
}

TEST_F(Sink, RunNeverReplacesAnEpisode) {
  Fake a(4, 5), other(4, 5);
  Fake::text(other.meta.end_detail, "held for 0.6 s");
  OK(run(a));
  OK(write_fake(sink, a));
  std::string before = bytes_of(dir / "run/env001_ep000005_4.h5");
  EXPECT_EQ(PH_EEXIST, write_fake(sink, other));
  EXPECT_EQ(before, bytes_of(dir / "run/env001_ep000005_4.h5"));
  OK(write_fake(sink, a)) << "it has its place already";
  EXPECT_EQ(before, bytes_of(dir / "run/env001_ep000005_4.h5"));
  ph_begin begin = Fake(5, 6).begin();
  Fake late(5, 6);
  begin = late.begin();
  OK(sink->begin(sink, &begin));
  for (auto &[col, bytes] : late.rows)
    OK(sink->rows(sink, (ph_column)col, 0, late.count(col), bytes.data()));
  write_bytes(dir / "run/env001_ep000006_5.h5", "came first");
  EXPECT_EQ(PH_EEXIST, sink->end(sink));
  EXPECT_EQ("came first", bytes_of(dir / "run/env001_ep000006_5.h5"));
  EXPECT_EQ(4u, dir.names("run").size()) << "no temporary is left";
}

TEST_F(Sink, RunRefusesAFolderThatHoldsOne) {
  Fake a(4);
  OK(run(a));
  OK(sink->finish(sink));
  close();
  EXPECT_EQ(Names{"run.h5"}, dir.names("run"));
  ASSERT_EQ(0, rename((dir / "run/run.h5").c_str(), (dir / "run/env000_ep000000_3.h5").c_str()));
  EXPECT_EQ(PH_EEXIST, run(a));
  write_bytes(dir / "file", "x");
  EXPECT_EQ(PH_EIO, run(a, "file"));
  EXPECT_EQ(PH_EIO, run(a, "file/below"));
}

TEST_F(Sink, ARunWithoutAnEpisodeGivesWay) {
  Fake a(4);
  OK(run(a));
  OK(ph_sink_run_start(sink));
  ph_sink *second = nullptr;
  EXPECT_EQ(PH_EEXIST, ph_sink_run(&second, (dir / "run").c_str(), &a.meta, nullptr));
  EXPECT_NE(nullptr, strstr(ph_error(), "another process")) << ph_error();
  close(); /* as a killed process leaves it */
  EXPECT_EQ(Names{"run.h5"}, dir.names("run"));
  OK(run(a));
  OK(write_fake(sink, a));
  OK(sink->finish(sink));
  close();
  EXPECT_EQ(PH_EEXIST, run(a)) << "now it has one";
  std::filesystem::create_directory(dir / "other");
  write_bytes(dir / "other/run.h5", "somebody's own");
  EXPECT_EQ(PH_EEXIST, run(a, "other"));
  EXPECT_EQ("somebody's own", bytes_of(dir / "other/run.h5"));
}

TEST_F(Sink, RunThatNeverBeganLeavesNoFolder) {
  Fake a(4);
  OK(run(a));
  close();
  EXPECT_EQ(Names{}, dir.names());
  std::filesystem::create_directory(dir / "mine");
  OK(run(a, "mine"));
  close();
  EXPECT_EQ(Names{"mine"}, dir.names()) << "a folder that was there stays";
}

/* --- copies ---------------------------------------------------------------------------------- */

TEST_F(Sink, CopiesAreEqualBitForBit) {
  Fake a(777, 4), b(2, 5, false);
  OK(dataset(a, true));
  for (const Fake *fake : {&a, &b}) {
    ph_sink *memory;
    ph_episode *episode;
    OK(ph_sink_memory(&memory));
    OK(write_fake(memory, *fake));
    OK(ph_sink_memory_take(memory, 0, &episode));
    memory->free(memory);
    OK(ph_sink_copy(sink, episode));
    ph_episode_free(episode);
  }
  OK(sink->finish(sink));
  close();
  expect_file(path, "/data/demo_0", a);
  expect_file(path, "/data/demo_1", b);
  ph_episode *episode;
  OK(ph_episode_open(&episode, path.c_str(), "/data/demo_0"));
  OK(ph_sink_memory(&sink));
  OK(ph_sink_copy(sink, episode));
  ph_episode_free(episode);
  OK(ph_sink_memory_take(sink, 0, &episode));
  expect_same(episode, a);
  ph_episode_free(episode);
}

TEST_F(Sink, CopyOfADamagedEpisodeLeavesNothing) {
  Fake a(777, 4);
  OK(dataset(a));
  OK(write_fake(sink, a));
  OK(sink->finish(sink));
  close();
  std::string bytes = bytes_of(path), &rewards = a.rows[PH_COL_REWARDS];
  bytes[bytes.find(rewards) + rewards.size() - 1] ^= 1;
  write_bytes(path, bytes);
  ph_episode *episode;
  OK(ph_episode_open(&episode, path.c_str(), "/data/demo_0"));
  OK(run(a));
  EXPECT_EQ(PH_ECORRUPT, ph_sink_copy(sink, episode));
  EXPECT_EQ(Names{"run.h5"}, dir.names("run"));
  ph_episode_free(episode);
}
