/* A folder that holds something already: refused, appended to, overwritten. */
#include "faults_help.h"
#include "recorder_help.h"

extern "C" {
#include "index.h"
}

namespace {

bool says(const std::string &part) {
  return std::string(ph_error()).find(part) != std::string::npos;
}

class Existing : public Faults {
protected:
  /* A run of two episodes of env 0 and one of env 2. */
  void make_run() {
    ASSERT_EQ(PH_OK, start()) << ph_error();
    ASSERT_EQ(PH_OK, play(0)) << ph_error();
    ASSERT_EQ(PH_OK, play(0)) << ph_error();
    ASSERT_EQ(PH_OK, play(2)) << ph_error();
    ASSERT_EQ(PH_OK, finish()) << ph_error();
  }
  ph_status open_with(const ph_recorder_options &opt, const ph_model *m = nullptr) {
    return ph_recorder_open(&rec, dir.c_str(), m ? m : model.model, &opt);
  }
  std::string run_id() {
    const char *path = dir.c_str();
    ph_store *store = nullptr;
    ph_episode *episode = nullptr;
    EXPECT_EQ(PH_OK, ph_store_open(&store, &path, 1, nullptr)) << ph_error();
    EXPECT_EQ(PH_OK, ph_store_episode(&episode, store, 0)) << ph_error();
    std::string id = episode ? ph_episode_meta_of(episode)->run_id : "";
    ph_episode_free(episode);
    ph_store_free(store);
    return id;
  }
  std::map<std::string, std::string> everything_in(const std::string &folder) {
    std::map<std::string, std::string> out;
    for (const std::string &name : names(folder))
      if (std::filesystem::is_regular_file(folder + "/" + name))
        out[name] = file_bytes(folder + "/" + name);
    return out;
  }
};

/* --- appending --- */

TEST_F(Existing, AppendingGoesOnWithTheNumbers) {
  make_run();
  Files before = committed();
  ASSERT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error();
  EXPECT_EQ(2, ph_recorder_next_episode(rec, 0));
  EXPECT_EQ(0, ph_recorder_next_episode(rec, 1));
  EXPECT_EQ(1, ph_recorder_next_episode(rec, 2));
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  ASSERT_EQ(PH_OK, play(1)) << ph_error();
  ASSERT_EQ(PH_OK, play(2)) << ph_error();
  EXPECT_EQ(3, ph_recorder_next_episode(rec, 0));
  ASSERT_EQ(PH_OK, finish()) << ph_error();
  EXPECT_TRUE(untouched(before, committed())) << "run.h5 too";
  expect_clean();
  expect_episodes({"env000_ep000000", "env000_ep000001", "env000_ep000002", "env001_ep000000",
                   "env002_ep000000", "env002_ep000001"});
}

TEST_F(Existing, AnAppendedRunKeepsItsName) {
  make_run();
  ph_recorder_options opt = options(PH_EXISTING_APPEND);
  opt.run_id = "another-name";
  ASSERT_EQ(PH_OK, open_with(opt)) << ph_error();
  EXPECT_STRNE("another-name", ph_recorder_run_id(rec));
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_episodes({"env000_ep000000", "env000_ep000001", "env002_ep000000"});
}

TEST_F(Existing, ARunFileThatIsTakenAwayIsNotWrittenAgainWithoutItsModel) {
  make_run();
  ph_recorder_options opt = options();
  ph_episode_meta origin;
  char *provenance = nullptr;
  ph_sink *sink = nullptr;
  ph_sink_options how = {};
  how.existing = PH_EXISTING_APPEND;
  ASSERT_EQ(PH_OK, ph_recorder_origin(&origin, &provenance, model.model, &opt)) << ph_error();
  ASSERT_EQ(PH_OK, ph_sink_run(&sink, dir.c_str(), &origin, &how)) << ph_error();
  std::filesystem::remove(dir + "/run.h5");
  EXPECT_EQ(PH_EIO, ph_sink_run_start(sink));
  EXPECT_TRUE(says("its run.h5 was taken away")) << ph_error();
  EXPECT_FALSE(std::filesystem::exists(dir + "/run.h5"));
  EXPECT_EQ(PH_OK, sink->model(sink, model.model)) << ph_error();
  EXPECT_EQ(PH_OK, sink->task(sink, task.task)) << ph_error();
  EXPECT_EQ(PH_OK, ph_sink_run_start(sink)) << ph_error();
  EXPECT_EQ(PH_OK, sink->finish(sink)) << ph_error();
  sink->free(sink);
  free(provenance);
  expect_episodes({"env000_ep000000", "env000_ep000001", "env002_ep000000"});
  ASSERT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error() << ": it has model and task again";
  EXPECT_EQ(PH_OK, finish()) << ph_error();
}

TEST_F(Existing, WhatNoRecorderHasWrittenIsInTheWayOfANewRun) {
  std::filesystem::create_directory(dir);
  std::ofstream(dir + "/thesis.txt") << "mine";
  EXPECT_EQ(PH_EEXIST, start());
  EXPECT_TRUE(says("exists already: it holds thesis.txt")) << ph_error();
  EXPECT_EQ(std::vector<std::string>{"thesis.txt"}, names(dir));
}

TEST_F(Existing, NumbersOfLostEpisodesAreNotUsedAgain) {
  make_run();
  std::filesystem::remove(dir + "/env000_ep000001_14.h5");
  ph_recorder_options opt = options();
  ph_episode_meta origin;
  char *provenance = nullptr;
  ph_sink *sink = nullptr;
  ph_sink_options how = {};
  how.existing = PH_EXISTING_APPEND;
  how.salvage = true; /* gives back what it can, whatever else is lost */
  ASSERT_EQ(PH_OK, ph_recorder_origin(&origin, &provenance, model.model, &opt)) << ph_error();
  ASSERT_EQ(PH_OK, ph_sink_run(&sink, dir.c_str(), &origin, &how)) << ph_error();
  EXPECT_EQ(2, ph_sink_run_next(sink, 0)) << "the index knows it";
  sink->free(sink);
  free(provenance);
  std::filesystem::remove(dir + "/index");
  ASSERT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error();
  EXPECT_EQ(1, ph_recorder_next_episode(rec, 0));
  EXPECT_EQ(PH_OK, finish()) << ph_error();
}

/* Refuses, naming file and reason, and changes nothing. */
TEST_F(Existing, ARunWithAnEpisodeThatIsNotRightIsNotAppendedTo) {
  make_run();
  std::string run = dir, first = run + "/env000_ep000000_14.h5", bytes = file_bytes(first);
  dir = tmp.path + "/other";
  make_run();
  std::string foreign = file_bytes(dir + "/env002_ep000000_14.h5"), index;
  dir = run;
  index = file_bytes(run + "/index");
  auto refused = [&](const std::string &name, const std::string &why) {
    auto before = everything_in(dir);
    EXPECT_EQ(PH_EMISMATCH, start(PH_EXISTING_APPEND)) << why;
    EXPECT_TRUE(says(dir + "/" + name + ": ") && says(why) && says("not appended") &&
                says("`playhead verify " + dir + "`"))
        << ph_error();
    EXPECT_TRUE(before == everything_in(dir));
  };
  auto put = [&](const std::string &name, const std::string &what) {
    std::ofstream(dir + "/" + name, std::ios::binary) << what;
  };
  std::filesystem::remove(first);
  refused("env000_ep000000_14.h5", "the index names env000_ep000000_14.h5, which is not in the");
  put("env000_ep000000_14.h5", bytes.substr(0, bytes.size() / 2));
  refused("env000_ep000000_14.h5", "it was not written to the end");
  put("env000_ep000000_14.h5", "no HDF5 at all");
  refused("env000_ep000000_14.h5", "HDF5");
  put("env000_ep000000_14.h5", bytes);
  put("env003_ep000000_14.h5", foreign);
  refused("env003_ep000000_14.h5", "its name does not fit its facts");
  std::filesystem::remove(dir + "/env003_ep000000_14.h5");
  put("env000_ep000000_13.h5", bytes);
  refused("env000_ep000000_13.h5", "its name does not fit its facts");
  std::filesystem::remove(dir + "/env000_ep000000_13.h5");
  std::string third = file_bytes(dir + "/env002_ep000000_14.h5");
  put("env002_ep000000_14.h5", foreign);
  refused("env002_ep000000_14.h5", "it is of run ");
  put("env002_ep000000_14.h5", third);
  EXPECT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error();
  EXPECT_EQ(2, ph_recorder_next_episode(rec, 0));
}

/* More than are opened at once; the one that is wrong is among the last. */
TEST_F(Existing, EveryEpisodeOfManyIsOpened) {
  Model tiny(tiny_xml());
  ph_recorder_options opt = options();
  Tiny t;
  opt.task = nullptr;
  opt.control_steps = 1;
  ASSERT_EQ(PH_OK, open_with(opt, tiny.model)) << ph_error();
  for (int i = 0; i < 150; i++) {
    ASSERT_EQ(PH_OK, ph_recorder_begin(rec, 0, 1, nullptr, 0, &t.at(0))) << ph_error();
    ASSERT_EQ(PH_OK, t.push(rec, 0, 1)) << ph_error();
    ASSERT_EQ(PH_OK, ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  }
  ASSERT_EQ(PH_OK, finish()) << ph_error();
  opt.existing = PH_EXISTING_APPEND;
  ASSERT_EQ(PH_OK, open_with(opt, tiny.model)) << ph_error();
  EXPECT_EQ(150, ph_recorder_next_episode(rec, 0));
  ASSERT_EQ(PH_OK, finish()) << ph_error();
  std::ofstream(dir + "/env000_ep000148_1.h5", std::ios::binary) << "torn";
  EXPECT_EQ(PH_EMISMATCH, open_with(opt, tiny.model));
  EXPECT_TRUE(says("env000_ep000148_1.h5: ")) << ph_error();
}

TEST_F(Existing, WhatIsNotTheSameIsNotAppended) {
  make_run();
  auto before = everything_in(dir);
  ph_recorder_options opt = options(PH_EXISTING_APPEND);
  Model other("<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body><body><joint "
              "name='b'/><geom size='.1'/></body></worldbody></mujoco>");
  opt.action_dim = 2;
  EXPECT_EQ(PH_EMISMATCH, open_with(opt, other.model));
  EXPECT_TRUE(says(ph_model_sha256(other.model)) && says(ph_model_sha256(model.model)))
      << ph_error();
  Task changed(rec_task("success = function(s) return s.step >= 13 end"));
  opt = options(PH_EXISTING_APPEND);
  opt.task = changed.task;
  EXPECT_EQ(PH_EMISMATCH, open_with(opt));
  EXPECT_TRUE(says(ph_task_sha256(changed.task)) && says(ph_task_sha256(task.task))) << ph_error();
  opt.task = nullptr;
  opt.control_steps = 5;
  EXPECT_EQ(PH_EMISMATCH, open_with(opt));
  EXPECT_TRUE(says("that of this recording is none")) << ph_error();
  opt = options(PH_EXISTING_APPEND);
  opt.control_steps = 7;
  EXPECT_EQ(PH_EMISMATCH, open_with(opt));
  EXPECT_TRUE(says("control_steps is 5, that of this recording is 7")) << ph_error();
  opt = options(PH_EXISTING_APPEND);
  opt.action_dim = 3;
  EXPECT_EQ(PH_EMISMATCH, open_with(opt));
  EXPECT_TRUE(says("action_dim is 2, that of this recording is 3")) << ph_error();
  EXPECT_TRUE(before == everything_in(dir));
}

TEST_F(Existing, ThereMustBeARunToAppendTo) {
  EXPECT_EQ(PH_ENOTFOUND, start(PH_EXISTING_APPEND));
  EXPECT_FALSE(std::filesystem::exists(dir));
  std::filesystem::create_directory(dir);
  EXPECT_EQ(PH_ENOTFOUND, start(PH_EXISTING_APPEND));
  std::ofstream(dir + "/run.h5") << "no HDF5 at all";
  EXPECT_EQ(PH_EFORMAT, start(PH_EXISTING_APPEND)) << ph_error();
  EXPECT_TRUE(says("run.h5")) << ph_error();
  EXPECT_EQ("no HDF5 at all", file_bytes(dir + "/run.h5"));
}

TEST_F(Existing, ARunFileThatIsDamagedIsNotAppendedToAndNotOverwritten) {
  make_run();
  std::string bytes = file_bytes(dir + "/run.h5"), cut = bytes.substr(0, bytes.size() / 2);
  std::ofstream(dir + "/run.h5", std::ios::binary) << cut;
  EXPECT_GT(0, start(PH_EXISTING_APPEND));
  EXPECT_GT(0, start(PH_EXISTING_OVERWRITE));
  EXPECT_TRUE(says("not overwritten")) << ph_error();
  EXPECT_EQ(cut, file_bytes(dir + "/run.h5"));
  std::ofstream(dir + "/run.h5", std::ios::binary) << bytes;
  EXPECT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error();
}

TEST_F(Existing, AnAppendedRunThatGotNothingStaysAsItWas) {
  make_run();
  auto before = everything_in(dir);
  ASSERT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  EXPECT_TRUE(before == everything_in(dir));
}

TEST_F(Existing, AnAppendedRunWhoseFolderGoesIsMadeAnew) {
  make_run();
  ASSERT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error();
  EXPECT_EQ(PH_OK, play(0, [&] { std::filesystem::remove_all(dir); })) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  expect_episodes({"env000_ep000002"});
}

/* --- what a killed recorder left --- */

TEST_F(Existing, JournalsAreSalvagedFirst) {
  make_run();
  for (const char *name : {"env000.journal", "env002_ep000001.journal"}) {
    std::ofstream(dir + "/" + name) << "rows";
    EXPECT_EQ(PH_EEXIST, start(PH_EXISTING_APPEND));
    EXPECT_TRUE(says(name) && says("`playhead salvage " + dir + "` first")) << ph_error();
    EXPECT_EQ("rows", file_bytes(dir + "/" + name));
    std::filesystem::remove(dir + "/" + name);
  }
}

TEST_F(Existing, AFreshRunLeavesJournalsAloneToo) {
  ASSERT_EQ(PH_OK, start()) << ph_error();
  std::string bytes = file_bytes(dir + "/run.h5");
  ASSERT_EQ(PH_OK, finish());
  std::filesystem::create_directory(dir);
  std::ofstream(dir + "/run.h5", std::ios::binary) << bytes;
  std::ofstream(dir + "/env000.journal") << "rows";
  EXPECT_EQ(PH_EEXIST, start()) << "its run.h5 would give way: the rows need it";
  EXPECT_TRUE(says("playhead salvage")) << ph_error();
  EXPECT_EQ((std::vector<std::string>{"env000.journal", "run.h5"}), names(dir));
}

TEST_F(Existing, TemporaryFilesOfAKilledRecorderGo) {
  make_run();
  std::string mine = dir + "/.notes.1-0.part";
  for (const char *name : {"/.run.h5.99-0.part", "/.env000_ep000002_14.h5.99-3.part"})
    std::ofstream(dir + name) << "torn";
  std::ofstream(mine) << "somebody's";
  ASSERT_EQ(PH_OK, start(PH_EXISTING_APPEND)) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  EXPECT_EQ("somebody's", file_bytes(mine));
  std::filesystem::remove(mine);
  expect_clean();
}

/* --- overwriting --- */

TEST_F(Existing, OverwritingTakesARunAway) {
  make_run();
  std::ofstream(dir + "/env007.journal") << std::string(4096, '\0');
  std::ofstream(dir + "/.env000_ep000002_14.h5.99-3.part") << "torn";
  std::string id = run_id();
  ASSERT_EQ(PH_OK, start(PH_EXISTING_OVERWRITE)) << ph_error();
  EXPECT_EQ(std::vector<std::string>{dir + ": 3 episodes of run " + id + " were taken away"}, said);
  EXPECT_EQ((std::vector<std::string>{"run.h5"}), names(dir));
  EXPECT_EQ(0, ph_recorder_next_episode(rec, 0));
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_clean();
  expect_episodes({"env000_ep000000"});
}

/* The row of a reset alone is nothing that salvage would give back. */
TEST_F(Existing, StepsOfAKilledRecorderAreNotOverwritten) {
  Model tiny(tiny_xml());
  ph_recorder_options opt = options();
  Tiny t;
  opt.task = nullptr;
  opt.control_steps = 1;
  std::string rows, rowless;
  ASSERT_EQ(PH_OK, open_with(opt, tiny.model)) << ph_error();
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec, 0, 1, nullptr, 0, &t.at(0))) << ph_error();
  rowless = file_bytes(dir + "/env000.journal");
  ASSERT_EQ(PH_OK, t.push(rec, 0, 1)) << ph_error();
  rows = file_bytes(dir + "/env000.journal");
  ASSERT_EQ(PH_OK, ph_recorder_end(rec, 0, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, finish()) << ph_error();
  opt.existing = PH_EXISTING_OVERWRITE;
  std::string damaged = rows;
  damaged[60] ^= 1;
  for (const std::string &journal : {rows, damaged, std::string("no journal")}) {
    std::ofstream(dir + "/env000.journal", std::ios::binary) << journal;
    auto before = everything_in(dir);
    EXPECT_EQ(PH_EEXIST, open_with(opt, tiny.model));
    EXPECT_TRUE(says("env000.journal")) << ph_error();
    EXPECT_EQ(journal == rows, says("`playhead salvage " + dir + "` first")) << ph_error();
    EXPECT_EQ(journal != rows, says("it is not overwritten")) << ph_error();
    EXPECT_TRUE(before == everything_in(dir));
    EXPECT_TRUE(said.empty()) << everything();
  }
  std::ofstream(dir + "/env000.journal", std::ios::binary) << rowless;
  std::string id = run_id();
  ASSERT_EQ(PH_OK, open_with(opt, tiny.model)) << ph_error();
  EXPECT_EQ(std::vector<std::string>{dir + ": 1 episode of run " + id + " was taken away"}, said);
  EXPECT_EQ(std::vector<std::string>{"run.h5"}, names(dir));
  ASSERT_EQ(PH_OK, finish()) << ph_error();
}

TEST_F(Existing, OverwritingMakesAFolderWhereThereIsNone) {
  ASSERT_EQ(PH_OK, start(PH_EXISTING_OVERWRITE)) << ph_error();
  EXPECT_TRUE(said.empty()) << everything();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_episodes({"env000_ep000000"});
}

TEST_F(Existing, NothingOfAnybodyElseIsOverwritten) {
  make_run();
  std::filesystem::create_directory(dir + "/sub");
  std::ofstream(dir + "/sub/x") << "x";
  for (const char *name : {"notes.txt", ".hidden", "run.h5.playhead.json", "env0_ep000000_3.h5"}) {
    std::ofstream(dir + "/" + name) << "mine";
    auto before = everything_in(dir);
    EXPECT_EQ(PH_EEXIST, start(PH_EXISTING_OVERWRITE)) << name;
    EXPECT_TRUE(before == everything_in(dir));
    std::filesystem::remove(dir + "/" + name);
  }
  EXPECT_EQ(PH_EEXIST, start(PH_EXISTING_OVERWRITE));
  EXPECT_TRUE(says("it holds sub, which no recorder has written")) << ph_error();
  std::filesystem::remove_all(dir + "/sub");
  std::filesystem::rename(dir + "/index", tmp.path + "/index");
  std::filesystem::create_symlink(tmp.path + "/index", dir + "/index");
  EXPECT_EQ(PH_EEXIST, start(PH_EXISTING_OVERWRITE)) << "a link is nothing that a recorder writes";
}

TEST_F(Existing, ARunStaysWhereTheNewOneCannotBeWritten) {
  make_run();
  auto before = everything_in(dir);
  {
    ShortFiles fault(2048);
    EXPECT_EQ(PH_EIO, start(PH_EXISTING_OVERWRITE));
    EXPECT_TRUE(says("File too large")) << ph_error();
  }
  EXPECT_TRUE(before == everything_in(dir));
}

/* A kill at any moment of taking away: what is left is not taken for a whole run. */
TEST_F(Existing, WhatIsLeftOfAnOverwrittenRunIsOverwrittenAgain) {
  make_run();
  std::filesystem::remove(dir + "/run.h5");
  std::filesystem::remove(dir + "/env000_ep000000_14.h5");
  const char *path = dir.c_str();
  ph_store *store = nullptr;
  ASSERT_EQ(PH_OK, ph_store_open(&store, &path, 1, nullptr)) << ph_error();
  for (size_t i = 0; i < ph_store_count(store); i++)
    EXPECT_STRNE("", ph_store_entry(store, i)->oddity);
  ph_store_free(store);
  EXPECT_EQ(PH_ENOTFOUND, start(PH_EXISTING_APPEND));
  EXPECT_EQ(PH_EEXIST, start());
  ASSERT_EQ(PH_OK, start(PH_EXISTING_OVERWRITE)) << ph_error();
  ASSERT_EQ(PH_OK, play(0)) << ph_error();
  EXPECT_EQ(PH_OK, finish()) << ph_error();
  expect_episodes({"env000_ep000000"});
}

/* --- names --- */

TEST(JournalNames, AreParsedExactlyAsTheyAreWritten) {
  char name[PH_INDEX_NAME_SIZE];
  int env;
  int64_t episode;
  ph_index_journal_name(name, sizeof name, 3, -1);
  EXPECT_STREQ("env003.journal", name);
  ASSERT_TRUE(ph_index_parse_journal(name, &env, &episode));
  EXPECT_EQ(3, env);
  EXPECT_EQ(-1, episode);
  ph_index_journal_name(name, sizeof name, 1234, 1234567);
  EXPECT_STREQ("env1234_ep1234567.journal", name);
  ASSERT_TRUE(ph_index_parse_journal(name, &env, &episode));
  EXPECT_EQ(1234, env);
  EXPECT_EQ(1234567, episode);
  for (const char *bad :
       {"env03.journal", "env0003.journal", "env003.journal ", "env003_ep00012.journal",
        "env003_ep000012_3.journal", "Env003.journal", "env-01.journal", "env.journal", ""})
    EXPECT_FALSE(ph_index_parse_journal(bad, &env, &episode)) << bad;
}

} // namespace
