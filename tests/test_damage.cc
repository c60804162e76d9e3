/* Damaged files and full disks. Long campaigns are in test_corruption. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sink_help.h"

using Damage = Sink;

/* --- damage ---------------------------------------------------------------------------------- */

/* Reads everything that opens; rows that are given are the rows that were written. */
static void read_all(const std::string &file, const Fake &fake, int *errors) {
  ph_episode *episode = nullptr;
  ph_entry *entries = nullptr;
  size_t n = 0;
  hid_t h5;
  if (ph_h5_open(&h5, file.c_str()) == PH_OK) {
    ph_h5_index(&entries, &n, h5);
    free(entries);
  }
  ph_h5_close(h5);
  if (ph_episode_open(&episode, file.c_str(), "/data/demo_0") != PH_OK) {
    EXPECT_NE(0, *ph_error());
    ++*errors;
    return;
  }
  for (auto &[i, bytes] : fake.rows) {
    ph_column col = (ph_column)i;
    std::string got(bytes.size() + 1, 0);
    ASSERT_TRUE(ph_episode_has(episode, col));
    ASSERT_EQ(fake.count(i), ph_episode_rows(episode, col));
    if (ph_episode_read(episode, col, 0, fake.count(i), got.data()) != PH_OK)
      ++*errors;
    else
      ASSERT_EQ(0, memcmp(got.data(), bytes.data(), bytes.size())) << ph_schema_column(col)->path;
  }
  size_t nedits;
  const ph_edit *edits = ph_episode_edits(episode, &nedits);
  ASSERT_EQ(fake.edits.size(), nedits);
  EXPECT_EQ(0, memcmp(edits[0].data, fake.edits[0].data, 48));
  ph_episode_free(episode);
}

TEST_F(Damage, FlippedBytesGiveAnErrorOrTheRightData) {
  Fake a(70, 4);
  int flips = 100;
  uint64_t x = 88172645463325252u;
  for (bool compress : {false, true}) {
    int errors = 0;
    OK(dataset(a, compress));
    OK(write_fake(sink, a));
    OK(sink->finish(sink));
    close();
    std::string bytes = bytes_of(path);
    int fd = open(path.c_str(), O_WRONLY);
    for (int i = 0; i < flips && !HasFatalFailure(); i++) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      off_t at = (off_t)(x % bytes.size());
      char flipped = (char)(bytes[(size_t)at] ^ (1 + (x >> 40) % 255));
      ASSERT_EQ(1, pwrite(fd, &flipped, 1, at));
      SCOPED_TRACE("byte " + std::to_string(at));
      read_all(path, a, &errors);
      ASSERT_EQ(1, pwrite(fd, &bytes[(size_t)at], 1, at));
      ASSERT_EQ(0u, ph_h5_open_ids());
    }
    ::close(fd);
    EXPECT_GT(errors, flips / 3) << "flips were noticed";
    unlink(path.c_str());
  }
}

TEST_F(Damage, TruncatedFilesGiveAnErrorOrTheRightData) {
  Fake a(70, 4);
  for (bool compress : {false, true}) {
    int errors = 0, cuts = 0;
    OK(dataset(a, compress));
    OK(write_fake(sink, a));
    OK(sink->finish(sink));
    close();
    for (off_t size = (off_t)bytes_of(path).size() - 1; size >= 0; size -= size % 512 + 1, cuts++) {
      ASSERT_EQ(0, truncate(path.c_str(), size));
      read_all(path, a, &errors);
    }
    EXPECT_EQ(cuts, errors) << "no cut file opens";
    unlink(path.c_str());
  }
}

/* --- a full disk ----------------------------------------------------------------------------- */

/* In a child whose files may not grow beyond `limit`: 0 written, 1 a clean error, else what went
 * wrong. SIGXFSZ keeps its default, which would kill. */
static int write_limited(const std::string &target, bool run, bool compress, rlim_t limit) {
  pid_t child = fork();
  if (child == 0) {
    struct rlimit r = {limit, limit};
    setrlimit(RLIMIT_FSIZE, &r);
    Fake a(30, 4);
    ph_sink *sink = nullptr;
    ph_sink_options opt = {};
    opt.compress = compress;
    ph_status status = run ? ph_sink_run(&sink, target.c_str(), &a.meta, &opt)
                           : ph_sink_dataset(&sink, target.c_str(), &a.meta, &opt);
    if (!status)
      status = write_fake(sink, a);
    if (!status)
      status = sink->finish(sink);
    if (sink)
      sink->free(sink);
    if (ph_h5_open_ids() != 0)
      exit(3);
    exit(status == PH_OK ? 0 : status == PH_EIO && says("File too large") ? 1 : 2);
  }
  int how = -1;
  waitpid(child, &how, 0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 100 + WTERMSIG(how);
}

TEST_F(Damage, AFullDiskIsACleanErrorAtEveryPage) {
  for (bool compress : {false, true}) {
    bool written = false;
    int failed = 0;
    for (rlim_t limit = 0; !written; limit += 4096) {
      int result = write_limited(path, false, compress, limit);
      ASSERT_TRUE(result == 0 || result == 1) << "limit " << limit << ": " << result;
      written = result == 0;
      failed += !written;
      ASSERT_EQ(written ? Names{"set.h5"} : Names{}, dir.names()) << "limit " << limit;
    }
    EXPECT_GT(failed, 5);
    unlink(path.c_str());
  }
}

TEST_F(Damage, AFullDiskLeavesNothingOfAnEpisodeInARun) {
  bool written = false;
  int failed = 0;
  for (rlim_t limit = 0; !written; limit += 4096) {
    int result = write_limited(dir / "run", true, false, limit);
    ASSERT_TRUE(result == 0 || result == 1) << "limit " << limit << ": " << result;
    written = result == 0;
    failed += !written;
    Names names = dir.names("run");
    if (!written) {
      ASSERT_TRUE(names.empty() || names == Names{"run.h5"}) << "limit " << limit;
    }
    std::filesystem::remove_all(dir / "run");
  }
  EXPECT_GT(failed, 5);
}

TEST_F(Damage, ARunGoesOnWhenTheDiskHasRoomAgain) {
  Fake a(200, 4);
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  OK(run(a));
  OK(sink->finish(sink));
  tight.rlim_cur = 20000;
  setrlimit(RLIMIT_FSIZE, &tight);
  ph_status status = write_fake(sink, a);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(PH_EIO, status);
  EXPECT_EQ(Names{"run.h5"}, dir.names("run"));
  OK(write_fake(sink, a));
  expect_file(dir / "run/env001_ep000004_200.h5", "/data/demo_0", a);
}
