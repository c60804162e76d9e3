#include <sys/wait.h>

#include "faults_help.h"

namespace {

const std::vector<std::string> kFour = {"env000_ep000000", "env000_ep000001", "env000_ep000002",
                                        "env000_ep000003"};

/* --- the disk takes no more --- */

TEST_F(Faults, FilesMayNotBecomeLonger) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  {
    ShortFiles fault(4096);
    EXPECT_EQ(PH_EIO, play(0));
    std::string error = ph_error();
    EXPECT_NE(error.npos, error.find(dir)) << error;
    EXPECT_NE(error.npos, error.find("File too large")) << error;
    EXPECT_EQ(PH_EIO, play(0));
  }
  EXPECT_EQ(1u, heard("File too large; its rows are kept")) << everything();
  EXPECT_TRUE(before == committed()) << "nothing half, nothing touched";
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(1u, heard("File too large: no longer so: what was kept")) << everything();
  EXPECT_TRUE(untouched(before, committed()));
  ph_tally tally;
  EXPECT_EQ(PH_OK, finish(&tally)) << ph_error();
  EXPECT_EQ(0, tally.failed);
  EXPECT_EQ(4, tally.commits);
  EXPECT_EQ(tally.resets, tally.commits + tally.discards);
  expect_clean();
  expect_episodes(kFour);
}

TEST_F(Faults, ADiskThatIsFull) {
  SmallDisk disk(tmp.path + "/disk", "4m");
  if (!disk.ok)
    GTEST_SKIP() << "no file system may be mounted here";
  dir = disk.at + "/run";
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  EXPECT_EQ(PH_EIO, play(0, [&] { disk.fill(); }));
  std::string error = ph_error();
  EXPECT_NE(error.npos, error.find("No space left on device")) << error;
  EXPECT_NE(error.npos, error.find(dir)) << error;
  EXPECT_EQ(PH_EIO, play(0, [&] { disk.fill(); }));
  EXPECT_TRUE(before == committed());
  EXPECT_EQ(1u, heard("No space left on device; its rows are kept")) << everything();
  disk.free();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_TRUE(untouched(before, committed()));
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  expect_episodes(kFour);
}

TEST_F(Faults, ADiskThatIsFullUntilTheEnd) {
  SmallDisk disk(tmp.path + "/disk", "4m");
  if (!disk.ok)
    GTEST_SKIP() << "no file system may be mounted here";
  dir = disk.at + "/run";
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  EXPECT_EQ(PH_EIO, play(0, [&] { disk.fill(); }));
  disk.fill();
  ph_tally tally;
  EXPECT_EQ(PH_EIO, finish(&tally));
  std::string error = ph_error();
  EXPECT_NE(error.npos, error.find("No space left on device")) << error;
  EXPECT_NE(error.npos, error.find("env000_ep000001.journal")) << error;
  EXPECT_EQ(1, tally.failed);
  EXPECT_TRUE(before == committed());
  EXPECT_TRUE(std::filesystem::exists(dir + "/env000_ep000001.journal"));
  disk.free();
  ph_recorder_options opt = options(PH_EXISTING_APPEND);
  EXPECT_EQ(PH_EEXIST, ph_recorder_open(&rec, dir.c_str(), model.model, &opt));
  EXPECT_NE(nullptr, strstr(ph_error(), "playhead salvage")) << ph_error();
}

TEST_F(Faults, NoDescriptorIsLeft) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  NoDescriptors *fault = nullptr;
  EXPECT_EQ(PH_EIO, play(0, [&] { fault = new NoDescriptors; }));
  EXPECT_NE(nullptr, strstr(ph_error(), "Too many open files")) << ph_error();
  EXPECT_EQ(PH_EIO, play(1)) << "an env that has no journal yet";
  delete fault;
  EXPECT_TRUE(before == committed());
  ASSERT_EQ(PH_OK, play(1)) << ph_error();
  EXPECT_TRUE(untouched(before, committed()));
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  expect_episodes({"env000_ep000000", "env000_ep000001", "env001_ep000000", "env001_ep000001"});
}

/* --- the folder --- */

TEST_F(Faults, AFolderThatMayNotBeWritten) {
  chmod(tmp.path.c_str(), 0777);
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  {
    ReadOnly fault(dir);
    EXPECT_EQ(PH_EIO, play(0));
    std::string error = ph_error();
    EXPECT_NE(error.npos, error.find("Permission denied")) << error;
    EXPECT_NE(error.npos, error.find(dir)) << error;
  }
  EXPECT_EQ(1u, heard("kept and tried again")) << everything();
  EXPECT_TRUE(before == committed());
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_TRUE(untouched(before, committed()));
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  expect_episodes({kFour[0], kFour[1], kFour[2]});
}

TEST_F(Faults, AFolderThatIsRemovedIsMadeAnew) {
  dir = tmp.path + "/deep/er/run";
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(PH_OK, play(0, [&] { std::filesystem::remove_all(tmp.path + "/deep"); })) << ph_error();
  ph_recorder *second = nullptr;
  ph_recorder_options opt = options();
  EXPECT_EQ(PH_EEXIST, ph_recorder_open(&second, dir.c_str(), model.model, &opt)) << "locked again";
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(std::vector<std::string>{dir + ": the folder was taken away: 1 committed episode is no "
                                           "longer in it; a new one is recorded into"},
            said);
  ph_tally tally;
  EXPECT_EQ(PH_EIO, finish(&tally));
  EXPECT_NE(nullptr, strstr(ph_error(), "1 committed episode is not in it at the end"))
      << ph_error();
  EXPECT_EQ(1, tally.missing);
  EXPECT_EQ(3, tally.commits);
  EXPECT_EQ(0, tally.failed);
  EXPECT_EQ(1u, said.size()) << everything();
  expect_clean();
  expect_episodes({kFour[1], kFour[2]});
}

TEST_F(Faults, AFolderThatIsMovedAwayKeepsWhatItHas) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  std::string away = tmp.path + "/away";
  EXPECT_EQ(PH_OK, play(0, [&] { std::filesystem::rename(dir, away); })) << ph_error();
  ph_tally tally;
  EXPECT_EQ(PH_EIO, finish(&tally));
  EXPECT_EQ(1, tally.missing);
  EXPECT_TRUE(before == committed(away));
  expect_clean();
  expect_episodes({kFour[1]});
}

TEST_F(Faults, AFolderThatIsTakenAwayAtTheEndIsMissed) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  ASSERT_EQ(PH_OK, play(1)) << ph_error();
  std::filesystem::rename(dir, tmp.path + "/away");
  ph_tally tally;
  EXPECT_EQ(PH_EIO, finish(&tally));
  EXPECT_NE(nullptr, strstr(ph_error(), "2 committed episodes are not in it")) << ph_error();
  EXPECT_EQ(2, tally.missing);
}

/* What runs when the folder goes has its journal there: the next episode has it in the new one. */
TEST_F(Faults, JournalsAreMadeAnewInTheNewFolder) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(PH_OK, play(0, [&] { std::filesystem::remove_all(dir); })) << ph_error();
  EXPECT_EQ(PH_OK, play(0, [&] { EXPECT_TRUE(std::filesystem::exists(dir + "/env000.journal")); }))
      << ph_error();
  EXPECT_EQ(PH_EIO, finish());
  expect_clean();
}

TEST_F(Faults, AnEmptyFolderInItsPlaceBecomesTheRun) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  EXPECT_EQ(PH_OK, play(0,
                        [&] {
                          std::filesystem::remove_all(dir);
                          std::filesystem::create_directory(dir);
                        }))
      << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  expect_episodes({kFour[0], kFour[1]});
}

TEST_F(Faults, NothingIsWrittenIntoSomebodyElsesFolder) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  std::string away = tmp.path + "/away";
  EXPECT_EQ(PH_EIO, play(0, [&] {
              std::filesystem::rename(dir, away);
              std::filesystem::create_directory(dir);
              std::ofstream(dir + "/thesis.txt") << "mine";
              std::ofstream(dir + "/env000.journal") << "theirs";
            }));
  EXPECT_NE(nullptr, strstr(ph_error(), "thesis.txt")) << ph_error();
  EXPECT_EQ(PH_EIO, play(0));
  EXPECT_EQ(PH_EIO, play(1)) << "an env without a journal makes none there";
  EXPECT_EQ((std::vector<std::string>{"env000.journal", "thesis.txt"}), names(dir));
  EXPECT_EQ("theirs", file_bytes(dir + "/env000.journal"));
  EXPECT_TRUE(before == committed(away));
  EXPECT_EQ(1u, heard("has taken its place")) << everything();
  std::filesystem::remove_all(dir);
  std::filesystem::rename(away, dir);
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_TRUE(untouched(before, committed()));
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  std::vector<std::string> all = kFour;
  all.push_back("env001_ep000000");
  expect_episodes(all);
}

TEST_F(Faults, AFileInTheFoldersPlace) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  EXPECT_EQ(PH_EIO, play(0, [&] {
              std::filesystem::remove_all(dir);
              std::ofstream(dir) << "a file";
            }));
  EXPECT_NE(nullptr, strstr(ph_error(), "no folder")) << ph_error();
  ph_tally tally;
  std::string beside = dir + "-" + ph_recorder_run_id(rec);
  EXPECT_EQ(PH_EIO, finish(&tally));
  EXPECT_NE(nullptr, strstr(ph_error(), beside.c_str())) << ph_error();
  EXPECT_EQ(0, tally.failed);
  EXPECT_EQ(1, tally.missing);
  EXPECT_EQ("a file", file_bytes(dir));
  dir = beside;
  expect_clean();
  expect_episodes({kFour[0]});
}

/* Kept episodes, and one that still runs. */
TEST_F(Faults, WhatAnotherFolderIsInTheWayOfIsWrittenBesideIt) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  std::string away = tmp.path + "/away", beside = dir + "-" + ph_recorder_run_id(rec);
  EXPECT_EQ(PH_EIO, play(0, [&] {
              std::filesystem::rename(dir, away);
              std::filesystem::create_directory(dir);
              std::ofstream(dir + "/thesis.txt") << "mine";
            }));
  EXPECT_EQ(PH_EIO, play(1));
  Env e(task, model);
  Rollout &r = wanted[id_of(2, 0)] = rollout(e.env, 5, rec, 2, 4);
  EXPECT_EQ(5u, r.columns[PH_COL_STATES].size());
  ph_tally tally;
  EXPECT_EQ(PH_EIO, finish(&tally));
  EXPECT_NE(nullptr, strstr(ph_error(), beside.c_str())) << ph_error();
  EXPECT_EQ(1u, heard("3 episodes could not be written into it and are in " + beside))
      << everything();
  EXPECT_EQ(4, tally.commits);
  EXPECT_EQ(4, tally.missing);
  EXPECT_EQ(0, tally.failed);
  EXPECT_EQ(1, tally.by_end[PH_END_ABORTED]);
  EXPECT_EQ(std::vector<std::string>{"thesis.txt"}, names(dir));
  EXPECT_TRUE(before == committed(away));
  ph_salvage_report report = {};
  EXPECT_EQ(PH_OK, ph_salvage_run(&report, away.c_str(), nullptr)) << ph_error();
  EXPECT_EQ(0u, report.saved) << "nothing twice";
  ph_salvage_free(&report);
  dir = beside;
  expect_clean();
  expect_episodes({kFour[1], "env001_ep000000", "env002_ep000000"});
}

TEST_F(Faults, AnEmptiedFolderGetsItsRunFileAgain) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  for (const std::string &name : names(dir))
    std::filesystem::remove_all(dir + "/" + name);
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  ph_tally tally;
  EXPECT_EQ(PH_EIO, finish(&tally));
  EXPECT_NE(nullptr, strstr(ph_error(), "they were taken away")) << ph_error();
  EXPECT_EQ(1, tally.missing);
  expect_clean();
  expect_episodes({kFour[1]});
}

/* --- others, and the clock --- */

TEST_F(Faults, AnotherRecorderIsRefusedAndDoesNoHarm) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  Files before = committed();
  EXPECT_EQ(PH_OK, play(0, [&] {
              for (ph_existing existing :
                   {PH_EXISTING_REFUSE, PH_EXISTING_APPEND, PH_EXISTING_OVERWRITE}) {
                ph_recorder *second = nullptr;
                ph_recorder_options opt = options(existing);
                EXPECT_EQ(PH_EEXIST, ph_recorder_open(&second, dir.c_str(), model.model, &opt));
                EXPECT_NE(nullptr, strstr(ph_error(), "another process")) << ph_error();
              }
            }));
  EXPECT_TRUE(untouched(before, committed()));
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  expect_episodes({kFour[0], kFour[1]});
}

/* Files of the future are what a clock that is set back leaves: nothing compares times. */
TEST_F(Faults, AClockThatIsSetBack) {
  timespec future[2] = {{4102444800, 0}, {4102444800, 0}};
  auto age = [&] {
    for (const std::string &name : names(dir))
      utimensat(AT_FDCWD, (dir + "/" + name).c_str(), future, 0);
    utimensat(AT_FDCWD, dir.c_str(), future, 0);
  };
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(PH_OK, play(0, age)) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  age();
  ASSERT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error();
  EXPECT_EQ(PH_OK, play(0, age)) << ph_error();
  EXPECT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  expect_episodes(kFour);
  char a[64], b[64];
  ph_recorder_make_run_id(a, sizeof a);
  ph_recorder_make_run_id(b, sizeof b);
  EXPECT_STRNE(a, b);
}

TEST_F(Faults, AnIndexThatCannotBeWrittenCostsNoEpisode) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  std::filesystem::rename(dir + "/index", tmp.path + "/index");
  std::filesystem::create_directory(dir + "/index");
  EXPECT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(2u, committed().size() - 1);
  std::filesystem::remove(dir + "/index");
  std::filesystem::rename(tmp.path + "/index", dir + "/index");
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  EXPECT_EQ(2u * 256, file_bytes(dir + "/index").size()) << "it was owed";
  expect_clean();
  expect_episodes({kFour[0], kFour[1]});
}

} // namespace
