#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "marks.h"
}

namespace fs = std::filesystem;

struct Marks : ::testing::Test {
  fs::path dir, state;
  struct marks m = {};
  char error[400] = "";

  void SetUp() override {
    char name[] = "/tmp/marksXXXXXX";
    dir = mkdtemp(name);
    state = dir / "state";
    setenv("XDG_STATE_HOME", state.c_str(), 1);
    fs::create_directory(dir / "run");
    std::ofstream(dir / "run" / "a.h5") << "source";
  }
  void TearDown() override {
    marks_clear(&m);
    fs::permissions(dir / "run", fs::perms::owner_all);
    fs::remove_all(dir);
  }
  std::string source() const { return dir / "run" / "a.h5"; }
  fs::path kept() const { return source() + ".playhead.json"; }
  bool load() { return marks_load(&m, source().c_str(), error, sizeof error); }
  bool save() { return marks_save(&m, error, sizeof error); }
  static std::string text(const fs::path &path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
};

TEST_F(Marks, KnowWhetherTheyChanged) {
  ASSERT_TRUE(load()) << error;
  EXPECT_FALSE(m.changed);
  marks_set(&m, "demo_1", 'a', 12);
  EXPECT_TRUE(m.changed);
  ASSERT_TRUE(save()) << error;
  EXPECT_FALSE(m.changed);
  ASSERT_TRUE(load()) << error;
  EXPECT_FALSE(m.changed) << "what is loaded is no change";
  marks_leave(&m, nullptr, 0);
  EXPECT_FALSE(m.changed) << "it was never left here";
  marks_note(&m, "demo_1", 12, "x");
  EXPECT_TRUE(m.changed);
}

TEST_F(Marks, WhereQLeftIsForgottenWhenItLeavesElsewhere) {
  ASSERT_TRUE(load()) << error;
  marks_leave(&m, "demo_2", 77);
  ASSERT_TRUE(save()) << error;
  ASSERT_TRUE(load()) << error;
  ASSERT_TRUE(m.last.set);
  EXPECT_STREQ(m.last.episode, "demo_2");
  marks_leave(&m, nullptr, 5);
  EXPECT_TRUE(m.changed);
  ASSERT_TRUE(save()) << error;
  ASSERT_TRUE(load()) << error;
  EXPECT_FALSE(m.last.set);
}

TEST_F(Marks, ALimitOfTheFileSizeIsAnErrorAndNoSignal) {
  ASSERT_TRUE(load()) << error;
  ASSERT_TRUE(marks_set(&m, "demo_1", 'a', 12));
  pid_t child = fork();
  if (child == 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    _exit(!save() && strstr(error, "File too large") ? 0 : 1);
  }
  int how = -1;
  waitpid(child, &how, 0);
  EXPECT_TRUE(WIFEXITED(how)) << "signal " << WTERMSIG(how);
  EXPECT_EQ(WEXITSTATUS(how), 0);
  EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(Marks, RoundTrip) {
  ASSERT_TRUE(load()) << error;
  EXPECT_EQ(m.nmarks, 0u);
  EXPECT_TRUE(marks_set(&m, "demo_1", 'a', 12));
  EXPECT_TRUE(marks_set(&m, "demo_1", 'a', 13));
  EXPECT_TRUE(marks_set(&m, "demo_2", 'a', INT64_MAX));
  EXPECT_TRUE(marks_note(&m, "demo_1", 5, "schräg \"quoted\"\n😀"));
  m.last.set = true;
  strcpy(m.last.episode, "demo_2");
  m.last.step = 77;
  ASSERT_TRUE(save()) << error;
  ASSERT_TRUE(load()) << error;
  ASSERT_EQ(m.nmarks, 2u);
  EXPECT_EQ(marks_find(&m, "demo_1", 'a')->step, 13);
  EXPECT_EQ(marks_find(&m, "demo_2", 'a')->step, INT64_MAX);
  EXPECT_EQ(marks_find(&m, "demo_3", 'a'), nullptr);
  ASSERT_NE(marks_note_at(&m, "demo_1", 5), nullptr);
  EXPECT_STREQ(marks_note_at(&m, "demo_1", 5)->text, "schräg \"quoted\"\n😀");
  EXPECT_TRUE(m.last.set);
  EXPECT_STREQ(m.last.episode, "demo_2");
  EXPECT_EQ(m.last.step, 77);
  EXPECT_EQ(text(source()), "source");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir / "run"), {}), 2) << "no temporary is left";
}

TEST_F(Marks, RefusesWhatCannotBeAMark) {
  EXPECT_FALSE(marks_set(&m, "demo_1", '!', 1));
  EXPECT_FALSE(marks_set(&m, "demo_1", 'a', -1));
  EXPECT_FALSE(marks_set(&m, std::string(64, 'x').c_str(), 'a', 1));
  EXPECT_FALSE(marks_note(&m, "demo_1", 1, "\xff\xfe"));
  EXPECT_EQ(m.nmarks + m.nnotes, 0u);
}

TEST_F(Marks, EmptyNoteRemoves) {
  marks_note(&m, "d", 1, "one");
  marks_note(&m, "d", 2, "two");
  marks_note(&m, "d", 3, "three");
  EXPECT_TRUE(marks_note(&m, "d", 2, ""));
  EXPECT_TRUE(marks_note(&m, "d", 9, ""));
  EXPECT_EQ(m.nnotes, 2u);
  EXPECT_EQ(marks_note_at(&m, "d", 2), nullptr);
  EXPECT_STREQ(marks_note_at(&m, "d", 3)->text, "three");
}

TEST_F(Marks, KeysOfOthersAreKept) {
  std::ofstream(kept()) << R"({"verdicts": [1, 2.5], "marks": []})";
  ASSERT_TRUE(load()) << error;
  marks_set(&m, "d", 'a', 1);
  ASSERT_TRUE(save()) << error;
  EXPECT_NE(text(kept()).find("verdicts"), std::string::npos);
  EXPECT_NE(text(kept()).find("2.5"), std::string::npos);
}

TEST_F(Marks, UnreadableFileIsSaidAndNotWrittenOver) {
  for (const char *bad : {"{", "[]", "\xff", "", "{\"marks\": [1, {}, {\"name\": 5}]"}) {
    std::ofstream(kept()) << bad;
    EXPECT_FALSE(load()) << bad;
    EXPECT_NE(std::string(error).find(kept().string()), std::string::npos) << error;
    EXPECT_EQ(std::string(error).find('\n'), std::string::npos) << error;
    marks_set(&m, "d", 'a', 1);
    EXPECT_FALSE(save()) << bad;
    EXPECT_EQ(text(kept()), bad);
  }
}

TEST_F(Marks, OddEntriesAreSkipped) {
  std::ofstream(kept()) << R"({"marks": [1, {}, {"name": "ab", "episode": "d", "step": 1},
    {"name": "a", "episode": "d", "step": -4}, {"name": "b", "episode": "d", "step": 1.5},
    {"name": "c", "episode": "d", "step": 3}], "notes": {"x": 1}, "last": 7})";
  ASSERT_TRUE(load()) << error;
  ASSERT_EQ(m.nmarks, 1u);
  EXPECT_EQ(m.mark[0].name, 'c');
  EXPECT_FALSE(m.last.set);
}

TEST_F(Marks, FolderThatCannotBeWrittenGoesToTheStateHome) {
  // A folder that even root cannot write to stands for one without permission.
  ASSERT_TRUE(marks_load(&m, "/proc/self/status", error, sizeof error)) << error;
  marks_set(&m, "d", 'a', 4);
  ASSERT_TRUE(save()) << error;
  ASSERT_TRUE(fs::exists(state / "playhead"));
  EXPECT_EQ(std::distance(fs::directory_iterator(state / "playhead"), {}), 1);
  ASSERT_TRUE(marks_load(&m, "/proc/self/status", error, sizeof error)) << error;
  ASSERT_NE(marks_find(&m, "d", 'a'), nullptr);
  EXPECT_EQ(marks_find(&m, "d", 'a')->step, 4);
}

TEST_F(Marks, ReadOnlyFolderByPermission) {
  fs::permissions(dir / "run", fs::perms::owner_read | fs::perms::owner_exec);
  if (access((dir / "run").c_str(), W_OK) == 0)
    GTEST_SKIP() << "this user may write everywhere";
  ASSERT_TRUE(load()) << error;
  EXPECT_TRUE(m.aside);
  marks_set(&m, "d", 'a', 4);
  ASSERT_TRUE(save()) << error;
  EXPECT_FALSE(fs::exists(kept()));
  ASSERT_TRUE(load()) << error;
  EXPECT_NE(marks_find(&m, "d", 'a'), nullptr);
}

TEST_F(Marks, TwoFilesOfOneNameDoNotShare) {
  struct marks other = {};
  ASSERT_TRUE(marks_load(&m, "/proc/self/status", error, sizeof error));
  ASSERT_TRUE(marks_load(&other, "/proc/1/status", error, sizeof error));
  EXPECT_STRNE(m.other, other.other);
  marks_clear(&other);
}

TEST_F(Marks, FailedSaveLeavesTheOldFile) {
  ASSERT_TRUE(load());
  marks_set(&m, "d", 'a', 1);
  ASSERT_TRUE(save());
  std::string before = text(kept());
  fs::create_directory(kept().string() + "." + std::to_string(getpid()) + ".tmp");
  marks_set(&m, "d", 'a', 2);
  m.other[0] = 0;
  EXPECT_FALSE(save());
  EXPECT_EQ(text(kept()), before);
}

TEST_F(Marks, RunDirectoryKeepsThemBesideIt) {
  ASSERT_TRUE(marks_load(&m, ((dir / "run").string() + "//").c_str(), error, sizeof error));
  EXPECT_EQ(std::string(m.file), fs::canonical(dir).string() + "/run.playhead.json");
}

TEST_F(Marks, SaveWithoutAFileFails) {
  EXPECT_FALSE(save());
  EXPECT_NE(error[0], 0);
}
