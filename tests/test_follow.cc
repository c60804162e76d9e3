// A store on a run that a recorder adds to: what comes, in which order, and what does not.
#include <gtest/gtest.h>

#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <sys/file.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "store_help.h"

extern "C" {
#include "index.h"
#include "sniff.h"
#include "store.h"
}

namespace fs = std::filesystem;
using namespace store_help;

namespace {

struct Follow : ::testing::Test {
  std::string top, dir;
  Model model;
  Task task;
  ph_sink *sink = nullptr;
  ph_store *store = nullptr;

  void SetUp() override {
    char name[] = "/tmp/followXXXXXX";
    top = mkdtemp(name);
    dir = top + "/run";
  }
  void TearDown() override {
    close_sink();
    ph_store_free(store);
    fs::remove_all(top);
  }
  // A recorder that has its folder, and run.h5 in it.
  void start(const char *run_id = "run-1") {
    ph_episode_meta origin = meta_of(model, task, 0, 0, 1, run_id);
    ASSERT_EQ(ph_sink_run(&sink, dir.c_str(), &origin, nullptr), PH_OK) << ph_error();
    ASSERT_EQ(sink->model(sink, model.m), PH_OK) << ph_error();
    ASSERT_EQ(sink->task(sink, task.t), PH_OK) << ph_error();
    ASSERT_EQ(ph_sink_run_start(sink), PH_OK) << ph_error();
  }
  void close_sink() {
    if (sink)
      sink->free(sink);
    sink = nullptr;
  }
  ph_episode_meta meta(int env, int64_t episode) const {
    return meta_of(model, task, env, episode, 3 + env + episode);
  }
  void add(int env, int64_t episode) { put(sink, meta(env, episode)); }
  std::string file(int env, int64_t episode) const {
    char name[PH_INDEX_NAME_SIZE];
    ph_index_file_name(name, sizeof name, env, episode, 3 + env + episode);
    return dir + "/" + name;
  }
  void open(const std::string &path) {
    const char *paths[] = {path.c_str()};
    ASSERT_EQ(ph_store_open(&store, paths, 1, nullptr), PH_OK) << ph_error();
  }
  size_t refresh() {
    size_t added = 99;
    EXPECT_EQ(ph_store_refresh(store, &added), PH_OK) << ph_error();
    return added;
  }
  std::string ids() const {
    std::string out;
    for (size_t i = 0; i < ph_store_count(store); i++)
      out += std::string(i ? " " : "") + ph_store_entry(store, i)->id;
    return out;
  }
};

TEST_F(Follow, WhatComesStandsBehindWhatIsThere) {
  start();
  add(1, 0);
  add(1, 1);
  open(dir);
  EXPECT_EQ(refresh(), 0u);
  add(2, 0); /* as they end, not as they are called */
  add(0, 0);
  EXPECT_EQ(refresh(), 2u);
  EXPECT_EQ(ids(), "env001_ep000000 env001_ep000001 env002_ep000000 env000_ep000000");
  EXPECT_EQ(refresh(), 0u);
  add(0, 1);
  EXPECT_EQ(refresh(), 1u);
  for (size_t i = 0; i < 5; i++) {
    const ph_entry *e = ph_store_entry(store, i);
    EXPECT_STREQ(e->oddity, "") << e->id;
    EXPECT_EQ(ph_store_home(store, i), 0u);
    EXPECT_EQ(e->actions, 3 + e->env_id + e->episode);
    EXPECT_STREQ(e->model_sha256, ph_model_sha256(model.m));
    ph_episode *episode = nullptr;
    ASSERT_EQ(ph_store_episode(&episode, store, i), PH_OK) << ph_error();
    expect_rows(episode, meta(e->env_id, e->episode));
    ph_episode_free(episode);
  }
  close_sink();
  ph_store *again = store;
  store = nullptr;
  open(dir); /* the same facts as for who opens it now */
  for (size_t i = 0; i < 5; i++) {
    const ph_entry *e = ph_store_entry(store, i);
    const ph_entry *followed = ph_store_entry(again, ph_store_find(again, e->id));
    EXPECT_EQ(memcmp(e, followed, sizeof *e), 0) << e->id;
  }
  char hash[PH_SHA256_SIZE], other[PH_SHA256_SIZE];
  EXPECT_EQ(ph_store_content_hash(store, hash), PH_OK);
  EXPECT_EQ(ph_store_content_hash(again, other), PH_OK);
  EXPECT_STREQ(hash, other);
  ph_store_free(again);
}

TEST_F(Follow, ARunWithoutAnEpisodeIsAnEmptyStore) {
  start();
  for (const std::string &path : {dir, dir + "/", dir + "/run.h5"}) {
    open(path);
    EXPECT_EQ(ph_store_count(store), 0u);
    EXPECT_EQ(refresh(), 0u);
    EXPECT_STREQ(ph_store_model_hash(store, 0), ph_model_sha256(model.m));
    ph_store_free(store);
    store = nullptr;
  }
  open(dir + "/run.h5");
  add(0, 0);
  EXPECT_EQ(refresh(), 1u);
  EXPECT_EQ(ids(), "env000_ep000000");
}

TEST_F(Follow, AnEmptyRunThatGaveWayIsTheNextOne) {
  start("run-1");
  open(dir);
  close_sink();
  start("run-2"); /* its run.h5 takes the place */
  put(sink, meta_of(model, task, 0, 0, 3, "run-2"));
  EXPECT_EQ(refresh(), 1u);
  ph_episode *episode = nullptr;
  EXPECT_EQ(ph_store_episode(&episode, store, 0), PH_OK) << ph_error();
  ph_episode_free(episode);
}

TEST_F(Follow, OnlyFilesInTheirPlaceAreSeen) {
  start();
  add(0, 0);
  open(dir);
  ph_episode_meta m = meta(0, 1);
  ph_begin begin = {&m, stored, nullptr, 0};
  ASSERT_EQ(sink->begin(sink, &begin), PH_OK) << ph_error();
  std::ofstream(dir + "/env000.journal") << "x";
  std::ofstream(dir + "/env0_ep1_1.h5") << "no name of an episode";
  EXPECT_EQ(refresh(), 0u);
  sink->cancel(sink);
  EXPECT_EQ(refresh(), 0u);
}

TEST_F(Follow, FilesWithoutARecordAreReadAFewAtATime) {
  start();
  add(0, 0);
  open(dir);
  for (int i = 1; i <= 20; i++)
    add(0, i);
  fs::remove(dir + "/index");
  EXPECT_EQ(refresh(), 16u);
  EXPECT_EQ(refresh(), 4u);
  EXPECT_EQ(refresh(), 0u);
  for (size_t i = 0; i <= 20; i++) {
    const ph_entry *e = ph_store_entry(store, i);
    EXPECT_EQ(e->episode, (int64_t)i);
    EXPECT_STREQ(e->seed, std::to_string(i).c_str());
    EXPECT_STREQ(e->oddity, "");
  }
}

TEST_F(Follow, AnIndexThatWasMadeAnewGivesNothingTwice) {
  start();
  add(0, 0);
  add(0, 1);
  open(dir);
  add(0, 2);
  EXPECT_EQ(refresh(), 1u);
  std::string bytes;
  {
    std::ifstream in(dir + "/index", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  add(0, 3);
  std::ofstream(dir + "/index.new", std::ios::binary) << bytes;
  fs::rename(dir + "/index.new", dir + "/index");
  add(0, 4);
  EXPECT_EQ(refresh(), 2u);
  EXPECT_EQ(refresh(), 0u);
  EXPECT_EQ(ph_store_count(store), 5u);
}

TEST_F(Follow, DamageIsSaidOfTheEpisodeThatHasIt) {
  start();
  add(0, 0);
  open(dir);
  std::ofstream(file(0, 1)) << "this is no HDF5 file at all, and yet it has the name of one";
  add(0, 2);
  fs::resize_file(file(0, 2), fs::file_size(file(0, 2)) / 2); /* the index has it */
  fs::copy(file(0, 0), file(5, 5));                           /* another episode's facts */
  EXPECT_EQ(refresh(), 3u);
  ASSERT_EQ(ids(), "env000_ep000000 env000_ep000002 env000_ep000001 env005_ep000005");
  EXPECT_NE(ph_store_entry(store, 2)->oddity[0], 0);
  EXPECT_NE(strstr(ph_store_entry(store, 3)->oddity, "does not fit its facts"), nullptr);
  ph_episode *episode = nullptr;
  EXPECT_NE(ph_store_episode(&episode, store, 1), PH_OK);
  EXPECT_NE(ph_store_episode(&episode, store, 2), PH_OK);
  EXPECT_EQ(ph_store_episode(&episode, store, 0), PH_OK);
  ph_episode_free(episode);
}

TEST_F(Follow, RecordsWithoutAFileAddNothing) {
  start();
  add(0, 0);
  open(dir);
  add(0, 1);
  fs::remove(file(0, 1));
  EXPECT_EQ(refresh(), 0u);
  EXPECT_EQ(ph_store_count(store), 1u);
}

TEST_F(Follow, TwoFilesOfOneEpisodeAreOdd) {
  start();
  add(0, 0);
  open(dir);
  put(sink, meta_of(model, task, 0, 0, 17));
  EXPECT_EQ(refresh(), 1u);
  EXPECT_STREQ(ph_store_entry(store, 1)->oddity, "the run has two files of this episode");
}

TEST_F(Follow, AFolderThatIsGoneLeavesTheListAsItIs) {
  start();
  add(0, 0);
  open(dir);
  close_sink();
  fs::rename(dir, top + "/other");
  size_t added = 9;
  EXPECT_EQ(ph_store_refresh(store, &added), PH_EIO);
  EXPECT_NE(strstr(ph_error(), dir.c_str()), nullptr) << ph_error();
  EXPECT_EQ(added, 0u);
  EXPECT_EQ(ids(), "env000_ep000000");
  fs::rename(top + "/other", dir);
  EXPECT_EQ(refresh(), 0u);
}

TEST_F(Follow, AnotherRunInItsPlaceIsSaid) {
  start();
  add(0, 0);
  open(dir);
  close_sink();
  fs::remove_all(dir);
  start("run-2");
  add(3, 0);
  size_t added = 9;
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(ph_store_refresh(store, &added), PH_EIO);
    EXPECT_NE(strstr(ph_error(), "another run"), nullptr) << ph_error();
    EXPECT_EQ(added, 0u);
  }
  EXPECT_EQ(ids(), "env000_ep000000");
}

TEST_F(Follow, OneRunOfSeveralGrows) {
  write_run(top + "/a", model, task, {{0, 0}});
  write_dataset(top + "/b.h5", model, task, {{0, 0}, {0, 1}});
  start();
  std::string a = top + "/a", b = top + "/b.h5";
  const char *paths[] = {a.c_str(), dir.c_str(), b.c_str()};
  ASSERT_EQ(ph_store_open(&store, paths, 3, nullptr), PH_OK) << ph_error();
  add(0, 7);
  fs::remove_all(a); /* an error of one is no reason to pass over another */
  size_t added = 0;
  EXPECT_EQ(ph_store_refresh(store, &added), PH_EIO);
  EXPECT_EQ(added, 1u);
  ASSERT_EQ(ph_store_count(store), 4u);
  EXPECT_STREQ(ph_store_entry(store, 3)->id, "env000_ep000007");
  EXPECT_EQ(ph_store_home(store, 3), 1u);
}

TEST_F(Follow, GroupsGrowAndHoldNoneOfTheNew) {
  start();
  for (int i = 0; i < 7; i++)
    add(0, i);
  open(dir);
  store->groups = (ph_store_group_list *)calloc(1, sizeof *store->groups);
  store->ngroups = 1;
  strcpy(store->groups[0].name, "train");
  store->groups[0].member = (uint8_t *)malloc(1);
  store->groups[0].member[0] = 0x7f;
  for (int i = 7; i < 30; i++)
    add(0, i);
  EXPECT_EQ(refresh(), 23u);
  for (size_t i = 0; i < 30; i++)
    EXPECT_EQ(ph_store_in_group(store, 0, i), i < 7) << i;
}

/* --- who records --- */

TEST_F(Follow, TheRecorderIsSeenInThisProcessAndInAnother) {
  start();
  open(dir);
  EXPECT_EQ(ph_store_activity(store, 0), PH_RECORDING);
  close_sink();
  EXPECT_EQ(ph_store_activity(store, 0), PH_IDLE);
  EXPECT_EQ(ph_store_activity(store, 1), PH_NO_RUN);
  int ready[2], end[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(end), 0);
  pid_t child = fork();
  if (child == 0) {
    char byte;
    int fd = ::open(dir.c_str(), O_RDONLY | O_DIRECTORY);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 || write(ready[1], "x", 1) != 1)
      _exit(1);
    _exit(read(end[0], &byte, 1) < 0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(ph_store_activity(store, 0), PH_RECORDING);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(ph_store_activity(store, 0), PH_IDLE);
  for (int fd : {ready[0], ready[1], end[0], end[1]})
    close(fd);
}

TEST_F(Follow, ALockOfAnotherKindIsNoRecorder) {
  start();
  close_sink();
  open(dir);
  int fd = ::open(dir.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(fd, LOCK_SH | LOCK_NB), 0);
  EXPECT_EQ(ph_store_activity(store, 0), PH_IDLE);
  close(fd);
  EXPECT_EQ(ph_folder_locked((top + "/none").c_str()), -1);
}

TEST_F(Follow, NoRunIsFollowedNowhere) {
  write_dataset(top + "/b.h5", model, task, {{0, 0}});
  open(top + "/b.h5");
  EXPECT_EQ(ph_store_activity(store, 0), PH_NO_RUN);
  EXPECT_EQ(refresh(), 0u);
}

// Asked a thousand times a second, a recorder gets its folder each time.
TEST_F(Follow, NoRecorderIsRefused) {
  start();
  open(dir);
  close_sink();
  std::atomic<bool> stop{false};
  std::atomic<int> asked{0};
  std::thread asker([&] {
    size_t added;
    while (!stop) {
      ph_store_activity(store, 0);
      ph_store_refresh(store, &added);
      asked++;
    }
  });
  for (int i = 0; i < 300; i++) {
    int fd = ::open(dir.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0) << i;
    std::this_thread::yield();
    close(fd);
  }
  while (asked < 10)
    std::this_thread::yield();
  stop = true;
  asker.join();
}

} // namespace
