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

#include <playhead/marks.h>

namespace fs = std::filesystem;

struct Marks : ::testing::Test {
  fs::path dir, state;
  ph_marks m = {};
  std::string error;

  void SetUp() override {
    char name[] = "/tmp/marksXXXXXX";
    dir = mkdtemp(name);
    state = dir / "state";
    setenv("XDG_STATE_HOME", state.c_str(), 1);
    fs::create_directory(dir / "run");
    std::ofstream(dir / "run" / "a.h5") << "source";
  }
  void TearDown() override {
    ph_marks_clear(&m);
    fs::permissions(dir / "run", fs::perms::owner_all);
    fs::remove_all(dir);
  }
  std::string source() const { return dir / "run" / "a.h5"; }
  fs::path kept() const { return source() + ".playhead.json"; }
  bool load() { return done(ph_marks_load(&m, source().c_str())); }
  bool save() { return done(ph_marks_save(&m)); }
  bool done(ph_status status) {
    error = status ? ph_error() : "";
    return status == PH_OK;
  }
  static std::string text(const fs::path &path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
};

TEST_F(Marks, KnowWhetherTheyChanged) {
  ASSERT_TRUE(load()) << error;
  EXPECT_FALSE(m.changed);
  ph_marks_set(&m, "demo_1", 'a', 12);
  EXPECT_TRUE(m.changed);
  ASSERT_TRUE(save()) << error;
  EXPECT_FALSE(m.changed);
  ASSERT_TRUE(load()) << error;
  EXPECT_FALSE(m.changed) << "what is loaded is no change";
  ph_marks_leave(&m, nullptr, 0);
  EXPECT_FALSE(m.changed) << "it was never left here";
  ph_marks_note(&m, "demo_1", 12, "x");
  EXPECT_TRUE(m.changed);
}

TEST_F(Marks, WhereQLeftIsForgottenWhenItLeavesElsewhere) {
  ASSERT_TRUE(load()) << error;
  ph_marks_leave(&m, "demo_2", 77);
  ASSERT_TRUE(save()) << error;
  ASSERT_TRUE(load()) << error;
  ASSERT_TRUE(m.last.set);
  EXPECT_STREQ(m.last.episode, "demo_2");
  ph_marks_leave(&m, nullptr, 5);
  EXPECT_TRUE(m.changed);
  ASSERT_TRUE(save()) << error;
  ASSERT_TRUE(load()) << error;
  EXPECT_FALSE(m.last.set);
}

TEST_F(Marks, ALimitOfTheFileSizeIsAnErrorAndNoSignal) {
  ASSERT_TRUE(load()) << error;
  ASSERT_EQ(ph_marks_set(&m, "demo_1", 'a', 12), PH_OK);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    _exit(!save() && strstr(error.c_str(), "File too large") ? 0 : 1);
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
  EXPECT_EQ(ph_marks_set(&m, "demo_1", 'a', 12), PH_OK);
  EXPECT_EQ(ph_marks_set(&m, "demo_1", 'a', 13), PH_OK);
  EXPECT_EQ(ph_marks_set(&m, "demo_2", 'a', INT64_MAX), PH_OK);
  EXPECT_EQ(ph_marks_note(&m, "demo_1", 5, "schräg \"quoted\"\n😀"), PH_OK);
  m.last.set = true;
  strcpy(m.last.episode, "demo_2");
  m.last.step = 77;
  ASSERT_TRUE(save()) << error;
  ASSERT_TRUE(load()) << error;
  ASSERT_EQ(m.nmarks, 2u);
  EXPECT_EQ(ph_marks_find(&m, "demo_1", 'a')->step, 13);
  EXPECT_EQ(ph_marks_find(&m, "demo_2", 'a')->step, INT64_MAX);
  EXPECT_EQ(ph_marks_find(&m, "demo_3", 'a'), nullptr);
  ASSERT_NE(ph_marks_note_at(&m, "demo_1", 5), nullptr);
  EXPECT_STREQ(ph_marks_note_at(&m, "demo_1", 5)->text, "schräg \"quoted\"\n😀");
  EXPECT_TRUE(m.last.set);
  EXPECT_STREQ(m.last.episode, "demo_2");
  EXPECT_EQ(m.last.step, 77);
  EXPECT_EQ(text(source()), "source");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir / "run"), {}), 2) << "no temporary is left";
}

TEST_F(Marks, RefusesWhatCannotBeAMark) {
  EXPECT_EQ(ph_marks_set(&m, "demo_1", '!', 1), PH_EINVAL);
  EXPECT_EQ(ph_marks_set(&m, "demo_1", 'a', -1), PH_EINVAL);
  EXPECT_EQ(ph_marks_set(&m, std::string(64, 'x').c_str(), 'a', 1), PH_EINVAL);
  EXPECT_EQ(ph_marks_note(&m, "demo_1", 1, "\xff\xfe"), PH_EINVAL);
  EXPECT_EQ(m.nmarks + m.nnotes, 0u);
}

TEST_F(Marks, UnsetRemovesOneAndTheFileForgetsIt) {
  ASSERT_TRUE(load()) << error;
  ph_marks_set(&m, "demo_1", 'a', 12);
  ph_marks_set(&m, "demo_1", 'b', 13);
  ph_marks_set(&m, "demo_2", 'a', 14);
  ASSERT_TRUE(save()) << error;
  EXPECT_EQ(ph_marks_unset(&m, "demo_1", 'a'), PH_OK);
  EXPECT_TRUE(m.changed);
  ASSERT_TRUE(save()) << error;
  EXPECT_EQ(ph_marks_unset(&m, "demo_1", 'a'), PH_ENOTFOUND);
  EXPECT_FALSE(m.changed);
  ASSERT_TRUE(load()) << error;
  EXPECT_EQ(ph_marks_find(&m, "demo_1", 'a'), nullptr);
  ASSERT_NE(ph_marks_find(&m, "demo_1", 'b'), nullptr);
  EXPECT_EQ(ph_marks_find(&m, "demo_1", 'b')->step, 13);
  EXPECT_NE(ph_marks_find(&m, "demo_2", 'a'), nullptr);
}

TEST_F(Marks, EmptyNoteRemoves) {
  ph_marks_note(&m, "d", 1, "one");
  ph_marks_note(&m, "d", 2, "two");
  ph_marks_note(&m, "d", 3, "three");
  EXPECT_EQ(ph_marks_note(&m, "d", 2, ""), PH_OK);
  EXPECT_EQ(ph_marks_note(&m, "d", 9, ""), PH_OK);
  EXPECT_EQ(m.nnotes, 2u);
  EXPECT_EQ(ph_marks_note_at(&m, "d", 2), nullptr);
  EXPECT_STREQ(ph_marks_note_at(&m, "d", 3)->text, "three");
}

TEST_F(Marks, KeysOfOthersAreKept) {
  std::ofstream(kept()) << R"({"verdicts": [1, 2.5], "marks": []})";
  ASSERT_TRUE(load()) << error;
  ph_marks_set(&m, "d", 'a', 1);
  ASSERT_TRUE(save()) << error;
  EXPECT_NE(text(kept()).find("verdicts"), std::string::npos);
  EXPECT_NE(text(kept()).find("2.5"), std::string::npos);
}

TEST_F(Marks, UnreadableFileIsSaidAndNotWrittenOver) {
  for (const char *bad : {"{", "[]", "\xff", "", "{\"marks\": [1, {}, {\"name\": 5}]"}) {
    std::ofstream(kept()) << bad;
    EXPECT_FALSE(load()) << bad;
    EXPECT_NE(error.find(kept().string()), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    ph_marks_set(&m, "d", 'a', 1);
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
  ASSERT_TRUE(done(ph_marks_load(&m, "/proc/self/status"))) << error;
  ph_marks_set(&m, "d", 'a', 4);
  ASSERT_TRUE(save()) << error;
  ASSERT_TRUE(fs::exists(state / "playhead"));
  EXPECT_EQ(std::distance(fs::directory_iterator(state / "playhead"), {}), 1);
  ASSERT_TRUE(done(ph_marks_load(&m, "/proc/self/status"))) << error;
  ASSERT_NE(ph_marks_find(&m, "d", 'a'), nullptr);
  EXPECT_EQ(ph_marks_find(&m, "d", 'a')->step, 4);
}

TEST_F(Marks, ReadOnlyFolderByPermission) {
  fs::permissions(dir / "run", fs::perms::owner_read | fs::perms::owner_exec);
  if (access((dir / "run").c_str(), W_OK) == 0)
    GTEST_SKIP() << "this user may write everywhere";
  ASSERT_TRUE(load()) << error;
  EXPECT_TRUE(m.aside);
  ph_marks_set(&m, "d", 'a', 4);
  ASSERT_TRUE(save()) << error;
  EXPECT_FALSE(fs::exists(kept()));
  ASSERT_TRUE(load()) << error;
  EXPECT_NE(ph_marks_find(&m, "d", 'a'), nullptr);
}

TEST_F(Marks, TwoFilesOfOneNameDoNotShare) {
  ph_marks other = {};
  ASSERT_TRUE(done(ph_marks_load(&m, "/proc/self/status")));
  ASSERT_TRUE(done(ph_marks_load(&other, "/proc/1/status")));
  EXPECT_STRNE(m.other, other.other);
  ph_marks_clear(&other);
}

TEST_F(Marks, FailedSaveLeavesTheOldFile) {
  ASSERT_TRUE(load());
  ph_marks_set(&m, "d", 'a', 1);
  ASSERT_TRUE(save());
  std::string before = text(kept());
  fs::create_directory(kept().string() + "." + std::to_string(getpid()) + ".tmp");
  ph_marks_set(&m, "d", 'a', 2);
  m.other[0] = 0;
  EXPECT_FALSE(save());
  EXPECT_EQ(text(kept()), before);
}

TEST_F(Marks, RunDirectoryKeepsThemBesideIt) {
  ASSERT_TRUE(done(ph_marks_load(&m, ((dir / "run").string() + "//").c_str())));
  EXPECT_EQ(std::string(m.file), fs::canonical(dir).string() + "/run.playhead.json");
}

TEST_F(Marks, SaveWithoutAFileFails) {
  EXPECT_FALSE(save());
  EXPECT_NE(error, "");
}
