#include "recorder_help.h"

namespace {

const char *kTask = "success = function(s) return s.step == 2 or s.step >= 6 end";

/* --- the journal of a running episode --- */

TEST(RecorderJournal, HoldsWhatRunsAndIsGoneAfterwards) {
  TempDir tmp;
  Model model;
  Task task(rec_task());
  Env env(task, model);
  RunRec run(tmp.path + "/r", model, &task);
  Rollout r = rollout(env.env, 77, run.rec, 4, 9);
  EXPECT_EQ(std::vector<std::string>{"env004.journal"}, run.files(".journal"));
  ph_take take;
  ph_episode_meta origin;
  ASSERT_EQ(PH_OK, ph_take_open(&take, &origin, (run.path + "/env004.journal").c_str()))
      << ph_error();
  EXPECT_EQ(10, ph_rowlog_states(take.log));
  EXPECT_EQ(77u, take.seed);
  EXPECT_EQ(4, take.env_id);
  EXPECT_EQ(0, take.episode);
  EXPECT_STREQ(ph_recorder_run_id(run.rec), origin.run_id);
  EXPECT_STREQ("wave", origin.env_name);
  Catch c;
  ASSERT_EQ(PH_OK, ph_take_commit(&take, &c.sink, &origin, model.model)) << ph_error();
  ph_take_clear(&take);
  ASSERT_EQ(1u, c.kept.size());
  EXPECT_EQ(PH_END_SALVAGED, c.kept[0].meta.end_reason);
  EXPECT_NE(std::string::npos, c.kept[0].provenance.find("\"op\":\"record\""));
  ASSERT_EQ(PH_OK, ph_recorder_end(run.rec, 4, PH_END_TERMINATED, -1, "x")) << ph_error();
  EXPECT_EQ(PH_ENOTFOUND, ph_take_open(&take, &origin, (run.path + "/env004.journal").c_str()));
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
  EXPECT_EQ(0u, run.files(".journal").size());
  EXPECT_EQ(0u, run.warnings.size());
  Found found = episodes_of(run.path)[{4, 0}];
  std::map<int, std::string> taken = c.kept[0].bytes;
  EXPECT_TRUE(taken == found.columns) << "what a salvage gives is what a commit writes";
}

TEST(RecorderJournal, ADiscardedEpisodeIsNotInIt) {
  TempDir tmp;
  Model model;
  Task task(rec_task());
  Env env(task, model);
  RunRec run(tmp.path + "/r", model, &task);
  rollout(env.env, 1, run.rec, 0, 9);
  ASSERT_EQ(PH_OK, ph_recorder_discard(run.rec, 0));
  EXPECT_EQ(PH_ENOTFOUND, Left(run.path + "/env000.journal").status);
  rollout(env.env, 1, run.rec, 0, 5);
  EXPECT_EQ(6, Left(run.path + "/env000.journal").count());
}

TEST(RecorderJournal, TheSameBitsWithItWithoutItAndWhereItIsLeft) {
  TempDir tmp;
  Model model;
  Task task(rec_task(kTask));
  Env env(task, model);
  Catch c;
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  ph_recorder *memory = nullptr;
  opt.task = task.task;
  ASSERT_EQ(PH_OK, ph_recorder_open_sink(&memory, &c.sink, "m", model.model, &opt));
  rollout(env.env, 5, memory, 0, 900);
  ph_recorder_end(memory, 0, PH_END_ABORTED, 0, "x");
  RunRec journaled(tmp.path + "/a", model, &task), left(tmp.path + "/b", model, &task);
  rollout(env.env, 5, journaled.rec, 0, 900);
  ph_recorder_end(journaled.rec, 0, PH_END_ABORTED, 0, "x");
  {
    FileLimit limit(300 << 10); /* a window, and no second one */
    rollout(env.env, 5, left.rec, 0, 900);
  }
  ph_recorder_end(left.rec, 0, PH_END_ABORTED, 0, "x");
  EXPECT_EQ(PH_OK, ph_recorder_close(memory, nullptr));
  EXPECT_EQ(PH_OK, journaled.close()) << ph_error();
  EXPECT_EQ(PH_OK, left.close()) << ph_error();
  ASSERT_EQ(1u, c.kept.size());
  Found a = episodes_of(journaled.path)[{0, 0}], b = episodes_of(left.path)[{0, 0}];
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(c.kept[0].bytes == a.columns);
}

/* --- trouble --- */

TEST(RecorderTrouble, RowsGoToMemoryAndItIsSaidOnce) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  for (int env = 0; env < 2; env++)
    ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, env, 1, nullptr, 0, &tiny.at(0)));
  {
    FileLimit limit(1);
    for (int t = 1; t < 30000; t++)
      for (int env = 0; env < 2; env++)
        ASSERT_EQ(PH_OK, tiny.push(run.rec, env, t)) << ph_error();
  }
  ASSERT_EQ(1u, run.warnings.size());
  EXPECT_NE(std::string::npos, run.warnings[0].find("env000.journal")) << run.warnings[0];
  EXPECT_NE(std::string::npos, run.warnings[0].find("File too large")) << run.warnings[0];
  for (int env = 0; env < 2; env++)
    EXPECT_EQ(PH_OK, ph_recorder_end(run.rec, env, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  EXPECT_EQ(1u, run.warnings.size());
  for (int env = 0; env < 2; env++)
    ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, env, 1, nullptr, 0, &tiny.at(0)));
  ASSERT_EQ(2u, run.warnings.size()) << "and once that it is over";
  EXPECT_NE(std::string::npos, run.warnings[1].find("no longer")) << run.warnings[1];
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
  auto found = episodes_of(run.path);
  EXPECT_TRUE(found[(std::pair<int, int64_t>(0, 0))].columns ==
              found[(std::pair<int, int64_t>(1, 0))].columns);
  EXPECT_EQ(30000u * 8, (found[{0, 0}].columns[PH_COL_WARMSTART].size()));
}

TEST(RecorderTrouble, AJournalThatCannotBeMadeIsNoReasonToStop) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  std::filesystem::create_directory(run.path + "/env000.journal");
  for (int k = 0; k < 2; k++) {
    ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 0, 1, nullptr, 0, &tiny.at(0))) << ph_error();
    for (int t = 1; t < 300; t++)
      ASSERT_EQ(PH_OK, tiny.push(run.rec, 0, t)) << ph_error();
    EXPECT_EQ(PH_OK, ph_recorder_end(run.rec, 0, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  }
  EXPECT_EQ(1u, run.warnings.size());
  std::filesystem::remove(run.path + "/env000.journal");
  ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 0, 1, nullptr, 0, &tiny.at(0)));
  EXPECT_EQ(2u, run.warnings.size());
  EXPECT_EQ(1, Left(run.path + "/env000.journal").count());
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
  EXPECT_EQ(2u, run.files("_299.h5").size());
  EXPECT_EQ(0u, run.files(".journal").size());
}

/* Records an episode whose file does not fit on the disk. */
void fail_to_end(RunRec &run, int env, int rows) {
  Tiny tiny;
  ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, env, 9, nullptr, 0, &tiny.at(env))) << ph_error();
  for (int t = 1; t <= rows; t++)
    ASSERT_EQ(PH_OK, tiny.push(run.rec, env, t)) << ph_error();
  FileLimit limit(2000);
  EXPECT_EQ(PH_EIO, ph_recorder_end(run.rec, env, PH_END_TERMINATED, -1, "why")) << ph_error();
}

TEST(RecorderTrouble, WhatCannotBeWrittenWaitsInAJournalOfItsName) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  fail_to_end(run, 0, 400);
  fail_to_end(run, 0, 500);
  EXPECT_EQ(1u, run.warnings.size()) << run.warnings.back();
  EXPECT_NE(std::string::npos, run.warnings[0].find(run.path)) << run.warnings[0];
  std::vector<std::string> names = {"env000_ep000000.journal", "env000_ep000001.journal"};
  EXPECT_EQ(names, run.files(".journal"));
  EXPECT_EQ(401, Left(run.path + "/" + names[0]).count());
  ph_tally tally;
  ph_recorder_tally_now(run.rec, &tally);
  EXPECT_EQ(2, tally.failed);
  EXPECT_EQ(0, tally.commits);
  ASSERT_EQ(PH_OK, ph_recorder_retry(run.rec)) << ph_error();
  EXPECT_EQ(0u, run.files(".journal").size());
  EXPECT_EQ(2u, run.warnings.size());
  ph_recorder_tally_now(run.rec, &tally);
  EXPECT_EQ(0, tally.failed);
  EXPECT_EQ(2, tally.commits);
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
  auto found = episodes_of(run.path);
  ASSERT_EQ(2u, found.size());
  EXPECT_EQ("why", (found[{0, 1}].detail));
  EXPECT_EQ(PH_END_TERMINATED, (found[{0, 1}].end));
}

TEST(RecorderTrouble, ACommitThatSucceedsTakesTheKeptOnesAlong) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  fail_to_end(run, 3, 40);
  ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 5, 9, nullptr, 0, &tiny.at(0)));
  ASSERT_EQ(PH_OK, tiny.push(run.rec, 5, 1));
  ASSERT_EQ(PH_OK, ph_recorder_end(run.rec, 5, PH_END_TERMINATED, -1, nullptr)) << ph_error();
  EXPECT_EQ(2u, run.files("_40.h5").size() + run.files("_1.h5").size());
  EXPECT_EQ(2u, run.warnings.size());
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
}

TEST(RecorderTrouble, CloseNamesWhatIsLeftAndHowToGetIt) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  ph_tally tally;
  fail_to_end(run, 0, 400);
  {
    FileLimit limit(2000);
    EXPECT_EQ(PH_EIO, run.close(&tally));
  }
  std::string said = ph_error();
  EXPECT_NE(std::string::npos, said.find("playhead salvage")) << said;
  EXPECT_NE(std::string::npos, said.find("env000_ep000000.journal")) << said;
  EXPECT_EQ(1, tally.failed);
  EXPECT_EQ(1, tally.resets);
  EXPECT_EQ(std::vector<std::string>{"env000_ep000000.journal"}, run.files(".journal"));
  EXPECT_EQ(1u, run.files("run.h5").size()) << "a salvage needs it";
  EXPECT_EQ(401, Left(run.path + "/env000_ep000000.journal").count());
}

/* More than stay awake, each with rows in memory that its journal had no room for. */
TEST(RecorderTrouble, CloseGivesAllRowsOfManyEpisodesToTheirJournals) {
  enum { EPISODES = 40, ROWS = 6000 };
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  char name[80];
  for (int k = 0; k < EPISODES; k++) {
    snprintf(name, sizeof name, "/env000_ep%06d_%d.h5", k, ROWS - 1);
    spill(run.path + name, "in the way until the end");
  }
  {
    FileLimit limit(256 << 10); /* a window, and no second one */
    for (int k = 0; k < EPISODES; k++) {
      ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 0, 1, nullptr, 0, &tiny.at(0)));
      for (int t = 1; t < ROWS; t++)
        ASSERT_EQ(PH_OK, tiny.push(run.rec, 0, t)) << ph_error();
      EXPECT_EQ(PH_EEXIST, ph_recorder_end(run.rec, 0, PH_END_TRUNCATED, -1, nullptr));
    }
    snprintf(name, sizeof name, "/env000_ep%06d.journal", EPISODES - 1);
    EXPECT_GT(ROWS, Left(run.path + name).count()) << "the rest is in memory";
  }
  ph_tally tally;
  EXPECT_EQ(PH_EEXIST, run.close(&tally));
  EXPECT_EQ(nullptr, strstr(ph_error(), "not all rows")) << ph_error();
  EXPECT_EQ(EPISODES, tally.failed);
  for (int k = 0; k < EPISODES; k++) {
    snprintf(name, sizeof name, "/env000_ep%06d.journal", k);
    EXPECT_EQ(ROWS, Left(run.path + name).count()) << name;
  }
}

/* One errno in one folder: of a journal and of commits, a line at its start and one at its end. */
TEST(RecorderTrouble, OneCauseIsToldOfOnceWhateverItKeepsFromTheDisk) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  {
    FileLimit limit(1000);
    for (int k = 0; k < 3; k++) {
      ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 0, 1, nullptr, 0, &tiny.at(0)));
      ASSERT_EQ(PH_OK, tiny.push(run.rec, 0, 1)) << ph_error();
      EXPECT_EQ(PH_EIO, ph_recorder_end(run.rec, 0, PH_END_TRUNCATED, -1, nullptr));
    }
  }
  ASSERT_EQ(1u, run.warnings.size()) << run.warnings.back();
  EXPECT_NE(std::string::npos, run.warnings[0].find(run.path + "/env000.journal"));
  EXPECT_NE(std::string::npos, run.warnings[0].find("File too large; its rows are kept"));
  ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 0, 1, nullptr, 0, &tiny.at(0)));
  EXPECT_EQ(1u, run.warnings.size()) << "what is kept is not written yet";
  EXPECT_EQ(PH_OK, ph_recorder_retry(run.rec)) << ph_error();
  ASSERT_EQ(2u, run.warnings.size()) << run.warnings.back();
  EXPECT_EQ(run.path + ": File too large: no longer so: what was kept is written, and rows are in "
                       "journals again",
            run.warnings[1]);
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
  EXPECT_EQ(2u, run.warnings.size());
}

/* Nor does it where it has begun no other. */
TEST(RecorderTrouble, AnEnvThatIsFinishedDoesNotBlockTheRelief) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  auto play = [&](int env) {
    EXPECT_EQ(PH_OK, ph_recorder_begin(run.rec, env, 1, nullptr, 0, &tiny.at(0))) << ph_error();
    EXPECT_EQ(PH_OK, tiny.push(run.rec, env, 1)) << ph_error();
    EXPECT_EQ(PH_OK, ph_recorder_end(run.rec, env, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  };
  std::filesystem::create_directory(run.path + "/env001.journal");
  for (int k = 0; k < 3; k++) {
    play(1);
    play(0);
    EXPECT_EQ(1u, run.warnings.size()) << "between two episodes of it nothing is over";
  }
  for (int k = 0; k < 3; k++)
    play(0);
  ASSERT_EQ(2u, run.warnings.size());
  EXPECT_NE(std::string::npos, run.warnings[1].find("rows are in journals again"));
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
  EXPECT_EQ(2u, run.warnings.size());
}

size_t descriptors() {
  std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST(RecorderTrouble, ManyKeptEpisodesNeitherTakeAllDescriptorsNorTheDisk) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  size_t before = descriptors();
  for (int k = 0; k < 100; k++)
    fail_to_end(run, 0, 3);
  EXPECT_LE(descriptors(), before + 40);
  ASSERT_EQ(100u, run.files(".journal").size());
  EXPECT_LE(std::filesystem::file_size(run.path + "/env000_ep000099.journal"), 8192u);
  for (int k : {0, 31, 32, 99}) {
    char name[64];
    snprintf(name, sizeof name, "/env000_ep%06d.journal", k);
    EXPECT_EQ(4, Left(run.path + name).count());
  }
  {
    FileLimit limit(2000);
    EXPECT_EQ(PH_EIO, ph_recorder_retry(run.rec));
  }
  EXPECT_LE(descriptors(), before + 40);
  ASSERT_EQ(PH_OK, ph_recorder_retry(run.rec)) << ph_error();
  EXPECT_EQ(0u, run.files(".journal").size());
  EXPECT_EQ(PH_OK, run.close()) << ph_error();
  EXPECT_EQ(100u, episodes_of(run.path).size());
}

/* The first ones that wait outlive even their folder. */
TEST(RecorderTrouble, AFolderThatIsGoneTakesNoRowsAlong) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  fail_to_end(run, 0, 30);
  ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 1, 9, nullptr, 0, &tiny.at(0)));
  for (int t = 1; t <= 20; t++)
    ASSERT_EQ(PH_OK, tiny.push(run.rec, 1, t)) << ph_error();
  std::filesystem::remove_all(run.path);
  for (int t = 21; t <= 25; t++)
    ASSERT_EQ(PH_OK, tiny.push(run.rec, 1, t)) << ph_error();
  ASSERT_EQ(PH_OK, ph_recorder_end(run.rec, 1, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 1, 9, nullptr, 0, &tiny.at(0)));
  EXPECT_EQ(1, Left(run.path + "/env001.journal").count()) << "in the folder that is there now";
  EXPECT_EQ(PH_OK, run.close()) << ph_error() << ": nothing had been committed to the old one";
  auto found = episodes_of(run.path);
  ASSERT_EQ(2u, found.size());
  EXPECT_EQ(30u, (found[{0, 0}].columns[PH_COL_FLAGS].size()));
  EXPECT_EQ(25u, (found[{1, 0}].columns[PH_COL_FLAGS].size()));
}

/* Rows that went to memory go to a journal as soon as there is room. */
TEST(RecorderTrouble, RowsInMemoryAreBroughtToAJournalAtTheEnd) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  std::filesystem::create_directory(run.path + "/env000.journal");
  fail_to_end(run, 0, 400);
  std::filesystem::remove(run.path + "/env000.journal");
  EXPECT_EQ(0u, run.files("_ep000000.journal").size());
  /* now there is room for a journal, and something is in the way of the episode's file */
  std::filesystem::create_directory(run.path + "/env000_ep000000_400.h5");
  EXPECT_NE(PH_OK, run.close());
  std::string said = ph_error();
  EXPECT_NE(std::string::npos, said.find("env000_ep000000.journal")) << said;
  EXPECT_EQ(401, Left(run.path + "/env000_ep000000.journal").count());
}

/* --- a trajectory while it runs --- */

TEST(SaveTrajectory, WritesWhatRunsAndChangesNothing) {
  TempDir tmp;
  Model model;
  Task task(rec_task(kTask));
  Env a(task, model), b(task, model), c(task, model);
  std::string plain = tmp.path + "/plain", saved = tmp.path + "/saved";
  for (bool save : {false, true}) {
    RunRec run(save ? saved : plain, model, &task);
    rollout(a.env, 1, run.rec, 0, 4);
    rollout(b.env, 2, run.rec, 7, 2);
    rollout(c.env, 3, run.rec, 2, 0);
    if (save) {
      const int ids[] = {7, 2, 0};
      std::string path = tmp.path + "/t.h5";
      ASSERT_EQ(PH_OK, ph_recorder_save_trajectory(run.rec, path.c_str(), ids, 3)) << ph_error();
      EXPECT_EQ(PH_EEXIST, ph_recorder_save_trajectory(run.rec, path.c_str(), ids, 3));
      auto found = episodes_of(path);
      ASSERT_EQ(2u, found.size()) << "env 2 has no row";
      EXPECT_EQ(PH_END_ABORTED, (found[{7, 0}].end));
      EXPECT_EQ(2u, (found[{7, 0}].columns[PH_COL_FLAGS].size()));
      EXPECT_EQ(4u, (found[{0, 0}].columns[PH_COL_FLAGS].size()));
    }
    EXPECT_EQ(PH_OK, run.close()) << ph_error();
  }
  EXPECT_TRUE(episodes_of(plain) == episodes_of(saved));
}

TEST(SaveTrajectory, RefusesWhatItCannotWrite) {
  TempDir tmp;
  Model model(tiny_xml());
  RunRec run(tmp.path + "/r", model, nullptr);
  Tiny tiny;
  std::string path = tmp.path + "/t.h5";
  ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 0, 1, nullptr, 0, &tiny.at(0)));
  const int ids[] = {0, 0, 8};
  EXPECT_EQ(PH_EINVAL, ph_recorder_save_trajectory(run.rec, path.c_str(), ids, 1)) << "no row";
  ASSERT_EQ(PH_OK, tiny.push(run.rec, 0, 1));
  EXPECT_EQ(PH_EINVAL, ph_recorder_save_trajectory(run.rec, path.c_str(), ids, 2)) << "twice";
  EXPECT_EQ(PH_EINVAL, ph_recorder_save_trajectory(run.rec, path.c_str(), ids + 1, 2)) << "env 8";
  EXPECT_EQ(PH_EINVAL, ph_recorder_save_trajectory(run.rec, path.c_str(), ids, 0));
  {
    FileLimit limit(2000);
    EXPECT_EQ(PH_EIO, ph_recorder_save_trajectory(run.rec, path.c_str(), ids, 1));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_EQ(PH_OK, tiny.push(run.rec, 0, 2)) << "and it goes on";
}

/* --- numbering --- */

TEST(RecorderNumbers, AnAppendedRunGoesOn) {
  TempDir tmp;
  Model model(tiny_xml());
  std::string id;
  for (int k = 0; k < 2; k++) {
    RunRec run(tmp.path + "/r", model, nullptr, k > 0 ? PH_EXISTING_APPEND : PH_EXISTING_REFUSE);
    Tiny tiny;
    EXPECT_EQ(k * 3, ph_recorder_next_episode(run.rec, 1));
    EXPECT_EQ(0, ph_recorder_next_episode(run.rec, 4));
    for (int e = 0; e < 3; e++) {
      ASSERT_EQ(PH_OK, ph_recorder_begin(run.rec, 1, 9, nullptr, 0, &tiny.at(0)));
      ASSERT_EQ(PH_OK, tiny.push(run.rec, 1, 1));
      ASSERT_EQ(PH_OK, ph_recorder_end(run.rec, 1, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
    }
    EXPECT_EQ(k * 3 + 3, ph_recorder_next_episode(run.rec, 1));
    EXPECT_TRUE(id.empty() || id == ph_recorder_run_id(run.rec));
    id = ph_recorder_run_id(run.rec);
    EXPECT_EQ(PH_OK, run.close()) << ph_error();
  }
  EXPECT_EQ(6u, episodes_of(tmp.path + "/r").size());
}

} // namespace
