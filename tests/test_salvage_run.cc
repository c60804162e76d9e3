// What a killed recorder left in its run directory: every fate of a journal.
#include "salvage_run_help.h"

using namespace salvage_run;

namespace {

/* --- what comes back --- */

TEST_F(SalvageRun, AnUnfinishedEpisodeComesBackUpToItsLastStep) {
  killed_midway();
  Folder before = folder_of(dir);
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
  EXPECT_EQ("saved env000_ep000001 7\n", report.text());
  EXPECT_EQ(dir + "/env000_ep000001_7.h5", report.r.items[0].file);
  EXPECT_EQ(1, report.r.saved);
  EXPECT_EQ(0, report.r.lost);
  EXPECT_EQ(7, report.r.steps);
  expect_run(dir, {{{0, 0}, 14}, {{0, 1}, 7}});
  EXPECT_EQ((std::vector<std::string>{"env000_ep000000_14.h5", "env000_ep000001_7.h5", "index",
                                      "run.h5"}),
            names_of(dir));
  Folder after = folder_of(dir);
  for (const char *name : {"run.h5", "env000_ep000000_14.h5"})
    EXPECT_EQ(before[name], after[name]) << name;
  EXPECT_EQ(2 * 256u, fs::file_size(dir + "/index"));
}

TEST_F(SalvageRun, ItSaysWhatItIs) {
  killed_midway();
  expect("saved env000_ep000001 7\n");
  const char *paths[] = {dir.c_str()};
  ph_store *store = nullptr;
  ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  ph_episode *first = nullptr, *e = nullptr;
  ASSERT_EQ(PH_OK, ph_store_episode(&first, store, 0)) << ph_error();
  ASSERT_EQ(PH_OK, ph_store_episode(&e, store, 1)) << ph_error();
  const ph_episode_meta *a = ph_episode_meta_of(first), *b = ph_episode_meta_of(e);
  EXPECT_EQ(PH_END_SALVAGED, b->end_reason);
  EXPECT_STREQ("its recorder ended before it did", b->end_detail);
  EXPECT_EQ(0, b->success);
  EXPECT_EQ(std::to_string(ph_env_seed(1, 0, 1)), b->seed);
  EXPECT_STREQ(a->provenance, b->provenance);
  EXPECT_STREQ(a->run_id, b->run_id);
  EXPECT_STREQ(a->created, b->created);
  EXPECT_STREQ(a->writer, b->writer);
  EXPECT_STREQ(a->substrate, b->substrate);
  EXPECT_STREQ(a->rng, b->rng);
  EXPECT_STREQ(a->model_sha256, b->model_sha256);
  EXPECT_STREQ(a->task_sha256, b->task_sha256);
  EXPECT_STREQ(a->env_name, b->env_name);
  EXPECT_STREQ(a->recipe, b->recipe);
  EXPECT_STREQ(a->derived, b->derived);
  EXPECT_STREQ(a->engine, b->engine);
  EXPECT_STREQ(a->determinism, b->determinism);
  EXPECT_EQ(a->hold_seconds, b->hold_seconds);
  EXPECT_EQ(a->hold_steps, b->hold_steps);
  EXPECT_EQ(a->control_dt, b->control_dt);
  EXPECT_EQ(a->timestep, b->timestep);
  EXPECT_EQ(0, memcmp(&a->dims, &b->dims, sizeof a->dims));
  ph_episode_free(first);
  ph_episode_free(e);
  ph_store_free(store);
}

TEST_F(SalvageRun, ManyEnvs) {
  killed([&](RunRec &rec) {
    for (int env : {0, 2, 11}) {
      play(rec, env);
      play(rec, env, 1 + env);
    }
  });
  expect("saved env000_ep000001 1\nsaved env002_ep000001 3\nsaved env011_ep000001 12\n");
  expect_run(dir,
             {{{0, 0}, 14}, {{0, 1}, 1}, {{2, 0}, 14}, {{2, 1}, 3}, {{11, 0}, 14}, {{11, 1}, 12}});
}

TEST_F(SalvageRun, ALongEpisode) {
  Model tiny(tiny_xml());
  Tiny t;
  RunRec rec(live, tiny, nullptr);
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, 0, 5, nullptr, 0, &t.at(0))) << ph_error();
  for (int i = 1; i <= 20000; i++)
    ASSERT_EQ(PH_OK, t.push(rec.rec, 0, i)) << ph_error();
  kill_now();
  expect("saved env000_ep000000 20000\n");
  ASSERT_EQ(PH_OK, ph_recorder_end(rec.rec, 0, PH_END_TRUNCATED, -1, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, rec.close()) << ph_error();
  EXPECT_EQ(episodes_of(live)[Key(0, 0)].columns, episodes_of(dir)[Key(0, 0)].columns);
}

/* Killed after its last step, before its end was written. */
TEST_F(SalvageRun, AnEpisodeThatWasDone) {
  Model tiny(tiny_xml());
  Tiny t;
  RunRec rec(live, tiny, nullptr);
  ASSERT_EQ(PH_OK, ph_recorder_begin(rec.rec, 0, 5, nullptr, 0, &t.at(0))) << ph_error();
  for (int flags : {0, 0, int{PH_FLAG_TERMINATED}})
    ASSERT_EQ(PH_OK, put_row(rec.rec, 0, nullptr, 0, static_cast<uint8_t>(flags), t.at(1)))
        << ph_error();
  kill_now();
  expect("saved env000_ep000000 3\n");
  const char *paths[] = {dir.c_str()};
  ph_store *store = nullptr;
  ph_episode *e = nullptr;
  ph_verdict verdict;
  ASSERT_EQ(PH_OK, ph_store_open(&store, paths, 1, nullptr)) << ph_error();
  ASSERT_EQ(PH_OK, ph_store_episode(&e, store, 0)) << ph_error();
  EXPECT_EQ(PH_END_SALVAGED, ph_episode_meta_of(e)->end_reason);
  EXPECT_EQ(PH_OK, ph_verify_episode(&verdict, e, nullptr, nullptr, nullptr)) << ph_error();
  for (size_t i = 0; i < verdict.nflaws; i++)
    EXPECT_EQ(std::string::npos, std::string(verdict.flaw[i].text).find("end_reason"))
        << verdict.flaw[i].text;
  ph_episode_free(e);
  ph_store_free(store);
}

TEST_F(SalvageRun, DoneTwiceItFindsNothing) {
  killed_midway();
  expect("saved env000_ep000001 7\n");
  Folder before = folder_of(dir);
  expect("");
  EXPECT_EQ(before, folder_of(dir));
}

TEST_F(SalvageRun, TheRunGoesOnAfterwards) {
  killed_midway();
  {
    ph_recorder *again = nullptr;
    ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
    opt.task = task.task;
    opt.existing = PH_EXISTING_APPEND;
    EXPECT_EQ(PH_EEXIST, ph_recorder_open(&again, dir.c_str(), model.model, &opt));
    EXPECT_NE(nullptr, strstr(ph_error(), "playhead salvage")) << ph_error();
  }
  expect("saved env000_ep000001 7\n");
  RunRec rec(dir, model, &task, PH_EXISTING_APPEND);
  EXPECT_EQ(2, ph_recorder_next_episode(rec.rec, 0));
  play(rec, 0);
  play(rec, 1);
  EXPECT_EQ(PH_OK, rec.close()) << ph_error();
  expect_run(dir, {{{0, 0}, 14}, {{0, 1}, 7}, {{0, 2}, 14}, {{1, 0}, 14}});
}

/* --- other fates --- */

TEST_F(SalvageRun, WithoutAStepThereIsNothing) {
  killed([&](RunRec &rec) {
    play(rec, 0, 0);
    play(rec, 1, 3);
    play(rec, 2);
  });
  EXPECT_EQ((std::vector<std::string>{"env000.journal", "env001.journal", "env002.journal"}),
            names_of(dir, ".journal"));
  expect("empty env000_ep000000 0: it was killed before its first step was finished\n"
         "saved env001_ep000000 3\n");
  EXPECT_EQ(std::vector<std::string>(), names_of(dir, ".journal")) << "the void one too";
  expect_run(dir, {{{1, 0}, 3}, {{2, 0}, 14}});
}

TEST_F(SalvageRun, AnEpisodeInItsPlaceIsNotGivenBackAgain) {
  std::string journal;
  killed([&](RunRec &rec) {
    play(rec, 0, 7);
    journal = slurp(live + "/env000.journal");
    EXPECT_EQ(PH_OK, ph_recorder_end(rec.rec, 0, PH_END_TERMINATED, 0, "so")) << ph_error();
  });
  spill(dir + "/env000.journal", journal);
  Folder before = folder_of(dir);
  expect("committed env000_ep000000 0\n");
  before.erase("env000.journal");
  EXPECT_EQ(before, folder_of(dir));
}

TEST_F(SalvageRun, AnEpisodeInItsPlaceThatHasMoreThanItsJournal) {
  std::string journal;
  killed([&](RunRec &rec) {
    Env e(task, model);
    wanted[{0, 0}] = rollout(e.env, 5, rec.rec, 0, 4);
    journal = slurp(live + "/env000.journal");
    std::vector<double> action(2);
    for (int i = 0; i < 5; i++) {
      ph_outcome out = {};
      ph_env_policy(e.env, action.data());
      ASSERT_EQ(PH_OK, ph_env_step(e.env, action.data(), &out)) << ph_error();
      ASSERT_EQ(PH_OK, put_row(rec.rec, 0, action.data(), out.reward, out.flags, out.row));
    }
    EXPECT_EQ(PH_OK, ph_recorder_end(rec.rec, 0, PH_END_ABORTED, 0, nullptr)) << ph_error();
  });
  spill(dir + "/env000.journal", journal);
  expect("committed env000_ep000000 0\n");
  EXPECT_EQ((std::vector<std::string>{"env000_ep000000_9.h5", "index", "run.h5"}), names_of(dir));
}

/* A client may end an episode as it likes: that is no damage. */
TEST_F(SalvageRun, AnEpisodeInItsPlaceThatEndedOddly) {
  std::string journal;
  killed([&](RunRec &rec) {
    play(rec, 0, 3);
    journal = slurp(live + "/env000.journal");
    EXPECT_EQ(PH_OK, ph_recorder_end(rec.rec, 0, PH_END_TERMINATED, 1, nullptr)) << ph_error();
  });
  spill(dir + "/env000.journal", journal);
  expect("committed env000_ep000000 0\n");
}

TEST_F(SalvageRun, AJournalOfOneRunBesideAnother) {
  killed_midway();
  std::string journal = slurp(dir + "/env000.journal");
  fs::remove_all(live);
  killed([&](RunRec &rec) { play(rec, 0); });
  spill(dir + "/env000.journal", journal);
  expect("lost env000_ep000001 0: its journal is of another run than the run.h5 beside it\n");
  EXPECT_EQ(journal, slurp(dir + "/env000.journal"));
  expect("lost env000_ep000001 0: its journal is of another run than the run.h5 beside it\n",
         tmp.path + "/out");
  EXPECT_FALSE(fs::exists(tmp.path + "/out"));
}

/* A recorder of the same run_id, elsewhere; the file that it makes is put beside the journal. */
static void put_beside(const std::string &dir, const std::string &other, const Model &model,
                       const Task &task, uint64_t seed, int steps) {
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  ph_journal *j = nullptr;
  ph_journal_head head = {};
  ASSERT_EQ(PH_OK, ph_journal_open(&j, &head, (dir + "/env000.journal").c_str())) << ph_error();
  opt.task = task.task;
  opt.run_id = head.meta.run_id;
  ph_recorder *rec = nullptr;
  ASSERT_EQ(PH_OK, ph_recorder_open(&rec, other.c_str(), model.model, &opt)) << ph_error();
  ph_journal_close(j, false);
  ph_journal_head_clear(&head);
  Env e(task, model);
  rollout(e.env, seed, rec, 0, steps);
  EXPECT_EQ(PH_OK, ph_recorder_close(rec, nullptr)) << ph_error();
  std::string name = "/env000_ep000000_" + std::to_string(steps) + ".h5";
  fs::copy(other + name, dir + name);
}

TEST_F(SalvageRun, AJournalOfOtherRowsThanTheEpisodeInItsPlaceStays) {
  killed([&](RunRec &rec) { play(rec, 0, 7); });
  std::string journal = slurp(dir + "/env000.journal");
  put_beside(dir, tmp.path + "/other", model, task, 17, 9);
  expect("lost env000_ep000000 0: env000_ep000000_9.h5 is another episode than its journal has: "
         "the journal stays\n");
  EXPECT_EQ(journal, slurp(dir + "/env000.journal"));
}

TEST_F(SalvageRun, AnEpisodeInItsPlaceThatIsShorterThanItsJournal) {
  killed([&](RunRec &rec) { play(rec, 0, 7); });
  std::string journal = slurp(dir + "/env000.journal");
  put_beside(dir, tmp.path + "/other", model, task, ph_env_seed(1, 0, 0), 5);
  expect("lost env000_ep000000 0: env000_ep000000_5.h5 has 5 steps, its journal 7: the journal "
         "stays\n");
  EXPECT_EQ(journal, slurp(dir + "/env000.journal"));
}

TEST_F(SalvageRun, AJournalIsKeptBesideAnEpisodeThatIsDamaged) {
  std::string journal, file = "/env000_ep000000_7.h5";
  killed([&](RunRec &rec) {
    play(rec, 0, 7);
    journal = slurp(live + "/env000.journal");
    EXPECT_EQ(PH_OK, ph_recorder_end(rec.rec, 0, PH_END_TERMINATED, 0, nullptr)) << ph_error();
  });
  spill(dir + "/env000.journal", journal);
  std::string whole = slurp(dir + file);
  int kept = 0;
  for (size_t at = 0; at < whole.size(); at += 371) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    spill(dir + file, bad);
    spill(dir + "/env000.journal", journal);
    Report report;
    ASSERT_EQ(PH_OK, salvage(report)) << at << ph_error();
    ASSERT_EQ(1u, report.r.n) << report.text();
    EXPECT_EQ(bad, slurp(dir + file)) << "it is not touched";
    if (report.r.items[0].fate == PH_SALVAGE_COMMITTED)
      continue; /* a byte that nobody reads */
    kept++;
    EXPECT_EQ(PH_SALVAGE_LOST, report.r.items[0].fate);
    EXPECT_NE(std::string::npos, report.why(0).find("the journal stays")) << report.why(0);
    EXPECT_EQ(journal, slurp(dir + "/env000.journal"));
  }
  EXPECT_GT(kept, 5);
  fs::remove(dir + file);
  spill(dir + "/env000.journal", journal);
  expect("saved env000_ep000000 7\n");
  expect_run(dir, {{{0, 0}, 7}});
}

TEST_F(SalvageRun, AnEpisodeThatEndedAndCouldNotBeWritten) {
  killed([&](RunRec &rec) {
    play(rec, 0);
    play(rec, 0, 5);
    FileLimit fault(4096);
    EXPECT_EQ(PH_EIO, ph_recorder_end(rec.rec, 0, PH_END_SUCCESS, 1, nullptr));
  });
  EXPECT_EQ((std::vector<std::string>{"env000_ep000001.journal"}), names_of(dir, ".journal"));
  expect("saved env000_ep000001 5\n");
  EXPECT_EQ(std::vector<std::string>(), names_of(dir, ".journal"));
  expect_run(dir, {{{0, 0}, 14}, {{0, 1}, 5}});
}

TEST_F(SalvageRun, EndedAndRunningEpisodesOfOneEnv) {
  killed([&](RunRec &rec) {
    play(rec, 0, 5);
    {
      FileLimit fault(4096);
      EXPECT_EQ(PH_EIO, ph_recorder_end(rec.rec, 0, PH_END_TRUNCATED, 0, nullptr));
    }
    play(rec, 0, 3);
  });
  EXPECT_EQ((std::vector<std::string>{"env000.journal", "env000_ep000000.journal"}),
            names_of(dir, ".journal"));
  Report report;
  EXPECT_EQ(PH_OK, salvage(report)) << ph_error();
  EXPECT_EQ(2, report.r.saved) << report.text();
  expect_run(dir, {{{0, 0}, 5}, {{0, 1}, 3}});
}

TEST_F(SalvageRun, WhatAKilledRecorderWasWritingGoesAndOtherFilesStay) {
  killed_midway();
  for (const char *name : {".env000_ep000001_7.h5.4711-1.part", ".run.h5.4711-0.part"})
    spill(dir + "/" + name, "half");
  for (const char *name : {"notes.txt", ".notes.part", "env0.journal", "env000.journal.bak"})
    spill(dir + "/" + name, "mine");
  fs::create_directory(dir + "/env009.journal");
  fs::create_symlink(tmp.path + "/live/env000.journal", dir + "/env008.journal");
  const std::string why = ": it is a link, a folder or a device, no file: it is not read\n";
  expect("lost  0: env008.journal" + why + "lost  0: env009.journal" + why +
         "saved env000_ep000001 7\n");
  EXPECT_EQ(
      (std::vector<std::string>{".notes.part", "env0.journal", "env000.journal.bak",
                                "env000_ep000000_14.h5", "env000_ep000001_7.h5", "env008.journal",
                                "env009.journal", "index", "notes.txt", "run.h5"}),
      names_of(dir));
}

/* --- into a new run --- */

TEST_F(SalvageRun, IntoANewRunTheOldOneStaysAsItIs) {
  killed_midway();
  spill(dir + "/.env000_ep000001_7.h5.4711-1.part", "half");
  Folder before = folder_of(dir);
  std::string out = tmp.path + "/deep/er/out";
  Report report;
  ASSERT_EQ(PH_OK, salvage(report, (out + "/").c_str())) << ph_error();
  EXPECT_EQ("saved env000_ep000001 7\n", report.text());
  EXPECT_EQ(out + "/env000_ep000001_7.h5", report.r.items[0].file);
  EXPECT_EQ(before, folder_of(dir));
  expect_run(out, {{{0, 1}, 7}});
  EXPECT_EQ((std::vector<std::string>{"env000_ep000001_7.h5", "index", "run.h5"}), names_of(out));
  std::string first = slurp(out + "/env000_ep000001_7.h5");
  expect("saved env000_ep000001 7\n");
  EXPECT_EQ(first, slurp(dir + "/env000_ep000001_7.h5")) << "the same bytes as in its own run";
}

TEST_F(SalvageRun, ANewRunThatIsThereIsLeftAlone) {
  killed_midway();
  std::string out = tmp.path + "/out";
  for (bool folder : {false, true}) {
    fs::remove_all(out);
    if (folder)
      fs::create_directory(out);
    else
      spill(out, "mine");
    Folder before = folder_of(tmp.path);
    Report report;
    EXPECT_EQ(PH_EEXIST, salvage(report, out.c_str()));
    EXPECT_EQ(0u, report.r.n);
    EXPECT_EQ(before, folder_of(tmp.path));
  }
  Report report;
  EXPECT_EQ(PH_EEXIST, salvage(report, dir.c_str()));
  fs::remove_all(out);
  fs::create_symlink("nowhere", out);
  EXPECT_EQ(PH_EEXIST, salvage(report, out.c_str()));
  EXPECT_FALSE(fs::exists(tmp.path + "/nowhere"));
}

TEST_F(SalvageRun, WithNothingToGiveBackNoNewRunIsMade) {
  killed([&](RunRec &rec) {
    play(rec, 0);
    play(rec, 0, 0);
  });
  Folder before = folder_of(dir);
  expect("empty env000_ep000001 0: it was killed before its first step was finished\n",
         tmp.path + "/out");
  EXPECT_FALSE(fs::exists(tmp.path + "/out"));
  EXPECT_EQ(before, folder_of(dir));
}

} // namespace
