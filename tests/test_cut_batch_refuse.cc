/* BiGym batches that cannot be cut, or whose cutting does not come to its end: nothing is left. */
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <dirent.h>
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "bigym_cut.h"

extern "C" {
#include "fail.h"
}

/* After so many entries a folder cannot be read; negative: never. In place of the C library's. */
static int entries_left = -1;
extern "C" struct dirent *readdir(DIR *dir) {
  static auto real = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
  if (entries_left == 0) {
    errno = EIO;
    return nullptr;
  }
  entries_left -= entries_left > 0;
  return real(dir);
}

/* --- refusals --- */

TEST_F(CutBatch, RefusesListsThatDoNotMatch) {
  plan.pop_back();
  expect_refused(PH_EINVAL, "the list does not name 20260826T101513_2_11.npz");
  keep(batch.a, 20);
  expect_refused(PH_EINVAL, "the list names 20260826T101112_0_30.npz twice");
  plan.pop_back();
  keep("20260826T101513_9_11.npz", 5);
  expect_refused(PH_EINVAL, "the list names 20260826T101513_9_11.npz, which it does not hold");
  plan.clear();
  expect_refused(PH_EINVAL, "the list does not name 20260826T101112_0_30.npz");
}

TEST_F(CutBatch, RefusesRowsThatAreNotThere) {
  plan[1].to = 41;
  expect_refused(PH_EINVAL, "20260826T101112_1_40.npz: 42 frames are to be kept; it has 41");
  plan[1].to = INT64_MAX;
  expect_refused(PH_EINVAL, "frames are to be kept; it has 41");
  for (int64_t to : {0, -1, -7}) {
    plan[1].to = to;
    expect_refused(PH_EINVAL, "left; at least 2 have to be");
  }
  plan[1].to = 20;
  plan[1].from = 3;
  expect_refused(PH_EINVAL, "it cannot begin at row 3: what its init_ arrays hold is the state");
  plan[1].from = 0;
  plan[1].states = 40;
  expect_refused(PH_EINVAL, "the list says that it has 40 frames; it has 41");
}

TEST_F(CutBatch, RefusesAnOutputThatIsThere) {
  std::filesystem::create_directory(out);
  expect_refused(PH_EEXIST, "it exists already");
  rmdir(out.c_str());
  out += "/";
  std::filesystem::create_symlink("nowhere", batch.folder / "out");
  expect_refused(PH_EEXIST, "it exists already");
  out = batch / "inside";
  expect_refused(PH_EINVAL, "/batch, which is never written to");
  out = batch.folder / "none/out";
  expect_refused(PH_EIO, "its folder: No such file or directory");
}

TEST_F(CutBatch, RefusesABatchThatIsNone) {
  batch.put("other.npz", zip(episode(5)));
  expect_refused(PH_EFORMAT, "other.npz: its name is not <timestamp>_<index>_<length>.npz");
  unlink((batch / "other.npz").c_str());
  for (auto &e : plan)
    e.dropped = true;
  expect_refused(PH_ENOTFOUND, "no episode is kept");
  for (auto &name : {batch.a, batch.b, batch.c})
    unlink((batch / name).c_str());
  expect_refused(PH_ENOTFOUND, "it holds no episode: there is nothing to cut");
  EXPECT_TRUE(ph_cut_is_batch(batch.path.c_str())) << "its metadata says so";
  unlink((batch / "metadata.json").c_str());
  EXPECT_FALSE(ph_cut_is_batch(batch.path.c_str()));
  EXPECT_FALSE(ph_cut_is_batch((batch / "metadata.json").c_str()));
}

TEST_F(CutBatch, RefusesMetadataThatCannotBeChanged) {
  struct {
    const char *text, *why;
  } texts[] = {
      {"{", "metadata.json: it is no JSON: line 1"},
      {"[1]", "metadata.json: it is no JSON object"},
      {"{}", "metadata.json: its format is not said"},
      {"{\"format\": \"other\"}", "metadata.json: its format is another"},
      {"{\"format\": \"bigym_replay_npz\", \"task\": 3}", "metadata.json: task: it is no object"},
      {"{\"format\": \"bigym_replay_npz\", \"a\": nan}", "metadata.json: it is no JSON: line 1"},
      {"{\"a\": 1, \"a\": 2}", "metadata.json: it is no JSON: line 1: duplicate"},
  };
  for (auto &t : texts) {
    batch.put("metadata.json", t.text);
    expect_refused(PH_EFORMAT, t.why);
  }
  unlink((batch / "metadata.json").c_str());
  expect_refused(PH_EFORMAT, "metadata.json: it cannot be read: No such file");
}

TEST_F(CutBatch, RefusesFilesThatCannotBeCut) {
  auto with = [](const std::string &name, const std::string &data) {
    auto members = episode(31);
    set(members, name, data);
    return members;
  };
  only(with("notes", array_of("|O", {31}, noise(40, 1))), 20);
  expect_refused(PH_EFORMAT, "notes: it cannot be cut: its elements are pickled Python objects");
  only(with("reward", array_of("<U1", {31}, noise(31 * 4, 1))), 20);
  expect_refused(PH_EFORMAT, "reward: it cannot be set: its elements are no numbers");
  only(with("action", floats({30, 2})), 20);
  expect_refused(PH_ECORRUPT,
                 "its arrays disagree on its frames: action has 30 rows, reward has 31");
  only({{"x.npy", floats({31})}}, 20);
  expect_refused(PH_EFORMAT, "it has no array that counts frames");
  auto members = episode(31);
  members[5].crc = 1;
  only(members, 20);
  expect_refused(PH_ECORRUPT, "full_qpos");
  batch.put(batch.a, "junk");
  expect_refused(PH_EFORMAT, "it is not a ZIP archive");
}

TEST_F(CutBatch, RefusesTwoFilesThatWouldGetOneName) {
  batch.put("20260826T101112_0_40.npz", zip(episode(41)));
  keep("20260826T101112_0_40.npz", 20);
  expect_refused(PH_EINVAL, "would both become 20260826T101112_0_20.npz");
  plan.back().to = 21;
  OK(cut());
}

TEST_F(CutBatch, RefusesANameThatLiesAboutItsLength) {
  std::string lies = "20260826T101112_1_50.npz";
  std::filesystem::rename(batch / batch.b, batch / lies);
  snprintf(plan[1].id, sizeof plan[1].id, "%s", lies.c_str());
  for (int64_t to : {40, 20}) {
    plan[1].to = to;
    expect_refused(PH_EFORMAT, lies + ": its name says 50 steps, its arrays have 40 (41 frames)");
  }
  plan[1].dropped = true;
  OK(cut());
}

/* Names that the store writes in another way, or cuts, are of the list all the same. */
TEST_F(CutBatch, StrangeNamesCanBeLeftOut) {
  std::vector<std::string> names = {"line\n.npz", "\xff.npz", std::string(90, 'a') + "1.npz",
                                    std::string(90, 'a') + "2.npz"};
  for (auto &name : names)
    batch.put(name, zip(episode(5)));
  expect_refused(PH_EFORMAT, "its name is not <timestamp>_<index>_<length>.npz");
  for (auto &name : names) {
    char id[64];
    ph_escape(id, sizeof id, name.c_str(), name.size());
    keep(id, 4);
    plan.back().dropped = true;
  }
  OK(cut());
  EXPECT_EQ(4u, batch.folder.names("out").size());
}

TEST_F(CutBatch, AListInAnyOrderIsMatched) {
  std::reverse(plan.begin(), plan.end());
  OK(cut());
  EXPECT_EQ(3u, tally.kept);
}

TEST_F(CutBatch, RefusesOtherJsonThatCannotBeCopied) {
  std::filesystem::create_directory(batch / "videos.json");
  expect_refused(PH_EIO, "videos.json: it is not a regular file");
}

/* A folder whose listing breaks off is not one that holds less. */
TEST_F(CutBatch, AListingThatBreaksOffIsAnError) {
  batch.put("alignment.json", "{}");
  bool other = false;
  for (int left = 0; left < 40; left++) {
    entries_left = left;
    ph_status status = cut();
    entries_left = -1;
    if (status == PH_OK)
      break;
    EXPECT_NE(nullptr, strstr(ph_error(), "Input/output error")) << left << ": " << ph_error();
    EXPECT_FALSE(std::filesystem::exists(out));
    other = true;
  }
  EXPECT_TRUE(other);
  EXPECT_EQ(5u, batch.folder.names("out").size());
}

/* Where any byte of a file is missing, one line says so and nothing is left. */
TEST_F(CutBatch, EveryTruncatedFileIsRefused) {
  only({{"reward.npy", steps(5, 4), true}, {"x.npy", floats({5, 2}, 1, 1), true}}, 3);
  std::string whole = bytes_of(batch / batch.a);
  for (size_t n = 0; n < whole.size(); n += 7) {
    batch.put(batch.a, whole.substr(0, n));
    EXPECT_NE(PH_OK, cut()) << n;
    EXPECT_EQ(nullptr, strchr(ph_error(), '\n')) << ph_error();
    ASSERT_EQ((std::vector<std::string>{"batch"}), batch.folder.names());
  }
}

/* Damage that only the reading of the elements meets, in the middle of the writing. */
TEST_F(CutBatch, DamageThatIsMetLateLeavesNothing) {
  auto members = episode(31);
  members[7].crc = 1; /* rgb_obs, which nothing else reads */
  only(members, 20);
  expect_refused(PH_ECORRUPT, "rgb_obs: it is damaged");
}

/* --- what can happen meanwhile --- */

TEST_F(CutBatch, ItIsStoppedWhereverItIs) {
  struct Stop {
    int calls = 0, most = 0;
  } stop;
  opt.arg = &stop;
  opt.progress = [](void *arg, size_t, size_t) {
    Stop *s = (Stop *)arg;
    return ++s->calls <= s->most;
  };
  stop.most = 1 << 20;
  OK(cut());
  int all = stop.calls;
  std::filesystem::remove_all(out);
  EXPECT_GT(all, 100);
  for (int most = 0; most < all; most += 9) {
    stop.calls = 0;
    stop.most = most;
    expect_refused(PH_ECANCELED, "it was stopped");
  }
}

/* An answer may be another one the next time: it is asked once for each. */
TEST_F(CutBatch, OneNoIsEnough) {
  struct Stop {
    int calls = 0, at = 0;
  } stop;
  opt.arg = &stop;
  opt.progress = [](void *arg, size_t, size_t) {
    Stop *s = (Stop *)arg;
    return ++s->calls != s->at;
  };
  OK(cut());
  int all = stop.calls;
  std::filesystem::remove_all(out);
  for (stop.at = 1; stop.at <= all; stop.at += 9) {
    stop.calls = 0;
    expect_refused(PH_ECANCELED, "it was stopped");
  }
}

/* As on a full disk. */
TEST_F(CutBatch, AFileThatMayNotGrowLeavesNothing) {
  auto members = episode(31);
  set(members, "rgb_obs", array_of("|u1", {31, 4096}, noise(31 * 4096, 3)));
  only(members, 20);
  auto before = everything();
  rlimit old{}, small{};
  ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
  for (rlim_t size : {0, 100, 4000, 40000}) {
    small = {size, old.rlim_max};
    ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    ph_status status = cut();
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_EQ(PH_EIO, status) << size;
    EXPECT_NE(nullptr, strstr(ph_error(), "File too large")) << ph_error();
    EXPECT_EQ(before, everything()) << size;
  }
  OK(cut());
}

/* kill -9 leaves a hidden sibling at most, which does not stop the next cut. */
TEST_F(CutBatch, KilledInTheMiddle) {
  static int left;
  auto before = everything();
  opt.progress = [](void *, size_t, size_t) {
    if (left-- == 0)
      raise(SIGKILL);
    return true;
  };
  bool hidden = false;
  for (int at : {0, 3, 30, 60, 90, 120}) {
    left = at;
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(cut());
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    ASSERT_TRUE(WIFSIGNALED(status)) << at;
    EXPECT_FALSE(std::filesystem::exists(out));
    for (auto &name : batch.folder.names()) {
      EXPECT_TRUE(name == "batch" || (name.find(".out.") == 0 && name.find(".part") != name.npos))
          << name;
      hidden = hidden || name[0] == '.';
    }
    for (auto &file : before)
      EXPECT_EQ(file.second, everything()[file.first]) << "the source is never written to";
  }
  EXPECT_TRUE(hidden) << "none of the kills met it while it wrote";
  opt.progress = nullptr;
  OK(cut());
  EXPECT_EQ(4u, batch.folder.names("out").size());
}
