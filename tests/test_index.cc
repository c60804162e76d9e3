#include "read_help.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace read_help;

namespace {

ph_entry entry(int env, int64_t episode, int64_t actions) {
  ph_entry e = {};
  std::string file = run_file(env, episode, actions);
  memcpy(e.file, file.c_str(), file.size() + 1);
  e.env_id = env;
  e.episode = episode;
  e.actions = actions;
  e.states = actions + 1;
  strcpy(e.seed, "18446744073709551615");
  e.end_reason = PH_END_SUCCESS;
  e.success = 1;
  strcpy(e.determinism, "unchecked");
  memset(e.model_sha256, 'a', 64);
  return e;
}

void touch(const Folder &dir, const ph_entry &e) {
  spill(dir / e.file, "x");
}

struct Loaded {
  ph_entry *at = nullptr;
  size_t n = 0;
  explicit Loaded(const Folder &dir) {
    EXPECT_EQ(ph_index_load(&at, &n, dir.path().c_str()), PH_OK) << ph_error();
  }
  ~Loaded() { free(at); }
};

/* Signals of the host are its own: none comes, and nothing of a record stays. */
TEST(Index, ALimitOfTheFileSizeIsAnErrorAndNoSignal) {
  Folder dir;
  touch(dir, entry(0, 0, 3));
  touch(dir, entry(0, 1, 3));
  ph_entry first = entry(0, 0, 3), second = entry(0, 1, 3);
  ASSERT_EQ(ph_index_append(dir.path().c_str(), &first), PH_OK) << ph_error();
  Bytes before = slurp(dir / "index");
  for (rlim_t limit : {before.size(), before.size() + 100}) {
    pid_t child = fork();
    if (child == 0) {
      struct rlimit r = {limit, limit};
      setrlimit(RLIMIT_FSIZE, &r);
      ph_status status = ph_index_append(dir.path().c_str(), &second);
      _exit(status == PH_EIO && strstr(ph_error(), "File too large") ? 0 : 1);
    }
    int how = -1;
    waitpid(child, &how, 0);
    EXPECT_TRUE(WIFEXITED(how)) << "signal " << WTERMSIG(how);
    EXPECT_EQ(0, WEXITSTATUS(how));
    EXPECT_EQ(slurp(dir / "index"), before);
  }
}

TEST(Index, NamesGoThereAndBack) {
  EXPECT_EQ(run_file(3, 12, 500), "env003_ep000012_500.h5");
  EXPECT_EQ(run_file(1234, 12345678, 1), "env1234_ep12345678_1.h5");
  int env;
  int64_t episode, actions;
  ASSERT_TRUE(ph_index_parse_name("env1234_ep12345678_1.h5", &env, &episode, &actions));
  EXPECT_EQ(env, 1234);
  EXPECT_EQ(episode, 12345678);
  EXPECT_EQ(actions, 1);
  for (const char *bad :
       {"", "env", "env003_ep000012_500.h5.tmp", "env3_ep000012_500.h5", "env0003_ep000012_500.h5",
        "env003_ep12_500.h5", "env003_ep000012_0500.h5", "env003_ep000012_.h5", "run.h5",
        "env-01_ep000012_500.h5", "env003_ep000012_99999999999999999999.h5",
        "env99999999999_ep000012_5.h5", ".env003_ep000012_500.h5"})
    EXPECT_FALSE(ph_index_parse_name(bad, &env, &episode, &actions)) << bad;
}

TEST(Index, ARecordComesBackWhole) {
  Folder dir;
  ph_entry e = entry(2, 7, 41);
  touch(dir, e);
  ASSERT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK) << ph_error();
  EXPECT_EQ(slurp(dir / "index").size(), 256u);
  Loaded l(dir);
  ASSERT_EQ(l.n, 1u);
  const ph_entry &r = l.at[0];
  EXPECT_STREQ(r.id, "env002_ep000007");
  EXPECT_EQ(std::string(r.file), dir / "env002_ep000007_41.h5");
  EXPECT_STREQ(r.group, "/data/demo_0");
  EXPECT_EQ(r.env_id, 2);
  EXPECT_EQ(r.episode, 7);
  EXPECT_EQ(r.actions, 41);
  EXPECT_EQ(r.states, 42);
  EXPECT_STREQ(r.seed, e.seed);
  EXPECT_EQ(r.end_reason, PH_END_SUCCESS);
  EXPECT_EQ(r.success, 1);
  EXPECT_STREQ(r.determinism, "unchecked");
  EXPECT_STREQ(r.model_sha256, e.model_sha256);
  EXPECT_STREQ(r.task_sha256, "");
  EXPECT_STREQ(r.oddity, "");
}

TEST(Index, EntriesAreSortedWhateverTheOrderOfRecords) {
  Folder dir;
  for (auto [env, episode] : {std::pair{1, 0}, {0, 10}, {0, 2}, {10, 0}, {2, 0}}) {
    ph_entry e = entry(env, episode, 5);
    touch(dir, e);
    ASSERT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK);
  }
  Loaded l(dir);
  ASSERT_EQ(l.n, 5u);
  EXPECT_STREQ(l.at[0].id, "env000_ep000002");
  EXPECT_STREQ(l.at[1].id, "env000_ep000010");
  EXPECT_STREQ(l.at[2].id, "env001_ep000000");
  EXPECT_STREQ(l.at[3].id, "env002_ep000000");
  EXPECT_STREQ(l.at[4].id, "env010_ep000000");
}

TEST(Index, ATornTailIsLeftOutAndCutByTheNextRecord) {
  Folder dir;
  ph_entry a = entry(0, 0, 5), b = entry(0, 1, 6);
  touch(dir, a);
  ASSERT_EQ(ph_index_append(dir.path().c_str(), &a), PH_OK);
  {
    std::ofstream out(dir / "index", std::ios::binary | std::ios::app);
    out << "torn";
  }
  EXPECT_EQ(Loaded(dir).n, 1u);
  touch(dir, b);
  ASSERT_EQ(ph_index_append(dir.path().c_str(), &b), PH_OK);
  EXPECT_EQ(slurp(dir / "index").size(), 512u);
  Loaded l(dir);
  ASSERT_EQ(l.n, 2u);
  EXPECT_EQ(l.at[1].end_reason, PH_END_SUCCESS) << "the second record was not read";
}

TEST(Index, AFlippedRecordIsNotBelieved) {
  Folder dir;
  Demo demo;
  demo.actions = 5;
  demo.end = "truncated";
  std::string name = run_file(0, 0, 5);
  write_file(dir / name, demo);
  ph_entry e = entry(0, 0, 5);
  ASSERT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK);
  EXPECT_EQ(Loaded(dir).at[0].end_reason, PH_END_SUCCESS) << "the record is what is read first";
  Bytes good = slurp(dir / "index");
  for (size_t at = 0; at < good.size(); at++) {
    Bytes bad = good;
    bad[at] ^= 0x10;
    spill(dir / "index", bad, bad.size());
    Loaded l(dir);
    ASSERT_EQ(l.n, 1u);
    EXPECT_EQ(l.at[0].end_reason, PH_END_TRUNCATED) << "byte " << at;
    EXPECT_STREQ(l.at[0].oddity, "");
  }
}

TEST(Index, TheFolderIsRight) {
  Folder dir;
  Demo demo;
  demo.actions = 5;
  demo.env_id = 1;
  demo.episode = 3;
  demo.success = 0;
  demo.final_state = false;
  write_file(dir / run_file(1, 3, 5), demo);
  spill(dir / run_file(1, 4, 9), "no HDF5 at all");
  spill(dir / ".env001_ep000005_9.h5.tmp", "being written");
  Loaded l(dir);
  ASSERT_EQ(l.n, 2u);
  EXPECT_STREQ(l.at[0].id, "env001_ep000003");
  EXPECT_EQ(l.at[0].success, 0);
  EXPECT_EQ(l.at[0].states, 5);
  EXPECT_STREQ(l.at[0].seed, "1");
  EXPECT_STREQ(l.at[1].id, "env001_ep000004");
  EXPECT_EQ(l.at[1].actions, 9);
  EXPECT_TRUE(says(l.at[1].oddity, "not an HDF5 file"));
}

TEST(Index, ANameThatDoesNotFitItsFileIsOdd) {
  Folder dir;
  Demo demo;
  demo.actions = 5;
  write_file(dir / run_file(0, 0, 6), demo);
  Loaded l(dir);
  ASSERT_EQ(l.n, 1u);
  EXPECT_EQ(l.at[0].actions, 5);
  EXPECT_TRUE(says(l.at[0].oddity, "5 actions"));
}

TEST(Index, TheLastRecordOfAFileHolds) {
  Folder dir;
  ph_entry e = entry(0, 0, 5);
  touch(dir, e);
  ASSERT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK);
  e.end_reason = PH_END_SALVAGED;
  ASSERT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK);
  Loaded l(dir);
  ASSERT_EQ(l.n, 1u);
  EXPECT_EQ(l.at[0].end_reason, PH_END_SALVAGED);
}

TEST(Index, TwoFilesOfOneEpisodeAreOdd) {
  Folder dir;
  for (int64_t actions : {5, 6}) {
    ph_entry e = entry(0, 0, actions);
    touch(dir, e);
    ASSERT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK);
  }
  Loaded l(dir);
  ASSERT_EQ(l.n, 2u);
  EXPECT_STREQ(l.at[0].oddity, "");
  EXPECT_TRUE(says(l.at[1].oddity, "two files"));
}

TEST(Index, ALostEpisodeIsListedAndOdd) {
  Folder dir;
  for (int64_t episode : {2, 0, 1, 3, 1}) {
    ph_entry e = entry(0, episode, 5);
    if (episode == 0 || episode == 2)
      touch(dir, e);
    ASSERT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK);
  }
  Loaded l(dir);
  ASSERT_EQ(l.n, 4u);
  for (int i = 0; i < 4; i++) {
    EXPECT_EQ(l.at[i].episode, i);
    std::string want = "the index names " + run_file(0, i, 5) + ", which is not in the folder";
    EXPECT_EQ(l.at[i].oddity, i % 2 ? want : "");
  }
}

TEST(Index, AnAgreeingIndexOpensNoEpisode) {
  Folder dir;
  ph_entry e = {};
  for (int i = 0; i < 300; i++) {
    e = entry(i % 3, i / 3, 5);
    touch(dir, e); /* no HDF5: opening one would leave an oddity */
    ASSERT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK);
  }
  Loaded l(dir);
  ASSERT_EQ(l.n, 300u);
  for (size_t i = 0; i < l.n; i++)
    ASSERT_STREQ(l.at[i].oddity, "");
}

TEST(Index, WhatDoesNotFitARecordIsRefused) {
  Folder dir;
  ph_entry e = entry(0, 0, 5);
  memset(e.determinism, 'x', sizeof e.determinism - 1); /* 47 characters fit */
  EXPECT_EQ(ph_index_append(dir.path().c_str(), &e), PH_OK);
  strcpy(e.model_sha256, "no hash");
  EXPECT_EQ(ph_index_append(dir.path().c_str(), &e), PH_EINVAL);
  EXPECT_EQ(slurp(dir / "index").size(), 256u);
  const std::string gone = dir / "gone";
  EXPECT_EQ(ph_index_append(gone.c_str(), &e), PH_EINVAL);
  e.model_sha256[0] = 0;
  EXPECT_EQ(ph_index_append(gone.c_str(), &e), PH_EIO);
}

TEST(Index, AFolderThatIsNotThereIsAnError) {
  Folder dir;
  const std::string gone = dir / "gone";
  ph_entry *at;
  size_t n;
  EXPECT_EQ(ph_index_load(&at, &n, gone.c_str()), PH_EIO);
  EXPECT_TRUE(says(ph_error(), gone));
}

} // namespace
