// Salvage of runs whose journals, files or disk are in a bad way: it says so, and loses nothing.
#include "faults_help.h"
#include "salvage_run_help.h"

extern "C" {
#include "h5.h"
}

using namespace salvage_run;

namespace {

class SalvageFault : public SalvageRun {
protected:
  /* Nothing was changed, and each journal stays. */
  void expect_kept(const std::string &text, ph_status status = PH_OK) {
    Folder before = folder_of(dir);
    Report report;
    EXPECT_EQ(status, salvage(report)) << ph_error();
    EXPECT_EQ(text, report.text());
    EXPECT_EQ(before, folder_of(dir));
  }
};

/* --- journals --- */

TEST_F(SalvageFault, ADamagedRecordEndsItAndTheRestIsKept) {
  killed([&](RunRec &rec) { play(rec, 0, 9); });
  std::string whole = slurp(dir + "/env000.journal");
  damage("env000.journal", 5);
  std::string bad = slurp(dir + "/env000.journal");
  expect("saved env000_ep000000 4: 4 steps are behind a damaged record: env000.journal is kept as "
         ".damaged\n");
  expect_run(dir, {{{0, 0}, 4}});
  EXPECT_EQ(bad, slurp(dir + "/env000.journal.damaged"));
  expect("");
  RunRec rec(dir, model, &task, PH_EXISTING_APPEND);
  play(rec, 0);
  EXPECT_EQ(PH_OK, rec.close()) << ph_error();
  EXPECT_EQ(bad, slurp(dir + "/env000.journal.damaged"));
}

TEST_F(SalvageFault, WhatIsKeptOfOneTimeIsNotReplacedByTheNext) {
  killed([&](RunRec &rec) { play(rec, 0, 9); });
  spill(dir + "/env000.journal.damaged", "first");
  damage("env000.journal", 8);
  expect("saved env000_ep000000 7: 1 step is behind a damaged record: env000.journal is kept as "
         ".damaged\n");
  EXPECT_EQ("first", slurp(dir + "/env000.journal.damaged"));
  EXPECT_EQ((std::vector<std::string>{"env000.journal.damaged", "env000.journal.damaged-2",
                                      "env000_ep000000_7.h5", "index", "run.h5"}),
            names_of(dir));
}

/* A salvage that was killed between the two leaves this. */
TEST_F(SalvageFault, ADamagedJournalBesideItsEpisodeIsKept) {
  killed([&](RunRec &rec) { play(rec, 0, 9); });
  damage("env000.journal", 5);
  std::string bad = slurp(dir + "/env000.journal");
  Report report;
  EXPECT_EQ(PH_OK, salvage(report)) << ph_error();
  fs::rename(dir + "/env000.journal.damaged", dir + "/env000.journal");
  expect("committed env000_ep000000 0: 4 steps are behind a damaged record: env000.journal is kept "
         "as .damaged\n");
  EXPECT_EQ(bad, slurp(dir + "/env000.journal.damaged"));
  expect("");
}

TEST_F(SalvageFault, IntoANewRunADamagedJournalStays) {
  killed([&](RunRec &rec) { play(rec, 0, 9); });
  damage("env000.journal", 5);
  Folder before = folder_of(dir);
  expect("saved env000_ep000000 4: 4 steps are behind a damaged record: env000.journal is kept\n",
         tmp.path + "/out");
  EXPECT_EQ(before, folder_of(dir));
  expect_run(tmp.path + "/out", {{{0, 0}, 4}});
}

TEST_F(SalvageFault, TheFirstRecordIsDamaged) {
  killed([&](RunRec &rec) { play(rec, 0, 9); });
  std::string whole = slurp(dir + "/env000.journal");
  for (int64_t t : {0, 1}) {
    spill(dir + "/env000.journal", whole);
    damage("env000.journal", t);
    expect_kept("lost env000_ep000000 0: its journal is damaged before the end of its first step: "
                "it stays\n");
  }
}

TEST_F(SalvageFault, ADamagedHead) {
  killed([&](RunRec &rec) {
    play(rec, 0, 9);
    play(rec, 1, 3);
  });
  std::string other = slurp(dir + "/env001.journal");
  damage("env000.journal", -1);
  std::string bad = slurp(dir + "/env000.journal");
  Report report;
  EXPECT_EQ(PH_OK, salvage(report)) << ph_error();
  ASSERT_EQ(2u, report.r.n) << report.text();
  EXPECT_EQ(PH_SALVAGE_LOST, report.r.items[0].fate);
  EXPECT_STREQ("", report.r.items[0].id);
  EXPECT_EQ(0u, report.why(0).find("env000.journal: ")) << report.why(0);
  EXPECT_NE(std::string::npos, report.why(0).find("its head is damaged")) << report.why(0);
  EXPECT_EQ(PH_SALVAGE_SAVED, report.r.items[1].fate) << "the others come back";
  EXPECT_EQ(1, report.r.lost);
  EXPECT_EQ(bad, slurp(dir + "/env000.journal"));
  expect_run(dir, {{{1, 0}, 3}});
}

/* Whatever a byte of it is, nothing is invented. */
TEST_F(SalvageFault, AnyByteOfAJournal) {
  killed([&](RunRec &rec) { play(rec, 0, 6); });
  std::string whole = slurp(dir + "/env000.journal");
  auto [head, record] = sizes(whole);
  size_t end = head + 7 * record;
  std::string out = tmp.path + "/out";
  for (size_t at = 0; at < end; at += 149) {
    SCOPED_TRACE(at);
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    spill(dir + "/env000.journal", bad);
    fs::remove_all(out);
    Report report;
    ASSERT_EQ(PH_OK, salvage(report, out.c_str())) << ph_error();
    ASSERT_EQ(1u, report.r.n);
    if (at < head + 6 * record) { /* the last one might as well be unfinished */
      EXPECT_NE("", report.why(0)) << "every byte of it is covered";
    }
    EXPECT_EQ(bad, slurp(dir + "/env000.journal"));
    if (report.r.items[0].fate == PH_SALVAGE_SAVED)
      expect_run(out, {{{0, 0}, static_cast<int64_t>((at - head) / record) - 1}});
  }
}

TEST_F(SalvageFault, AJournalThatIsCutOff) {
  killed([&](RunRec &rec) { play(rec, 0, 6); });
  std::string whole = slurp(dir + "/env000.journal"), out = tmp.path + "/out";
  auto [head, record] = sizes(whole);
  for (size_t size : {size_t{0}, size_t{7}, size_t{40}, head - 1, head, head + record,
                      head + 2 * record - 1, head + 2 * record, head + 5 * record + 9}) {
    SCOPED_TRACE(size);
    spill(dir + "/env000.journal", whole.substr(0, size));
    fs::remove_all(out);
    Report report;
    ASSERT_EQ(PH_OK, salvage(report, out.c_str())) << ph_error();
    int64_t steps = size < head + 2 * record ? 0 : static_cast<int64_t>((size - head) / record) - 1;
    EXPECT_EQ(steps, report.r.steps) << report.text();
    EXPECT_EQ(size > 0 && size < head ? 1 : 0, report.r.lost) << report.text();
    EXPECT_EQ(steps > 0, fs::exists(out));
  }
}

TEST_F(SalvageFault, WhatIsNoFileIsNamedAndNotRead) {
  killed_midway();
  fs::rename(dir + "/env000.journal", tmp.path + "/elsewhere");
  fs::create_symlink(tmp.path + "/elsewhere", dir + "/env000.journal");
  ASSERT_EQ(0, mkfifo((dir + "/env001.journal").c_str(), 0600));
  Report report;
  ASSERT_EQ(PH_OK, ph_salvage_run(&report.r, dir.c_str(), nullptr)) << ph_error();
  EXPECT_EQ(
      "lost  0: env000.journal: it is a link, a folder or a device, no file: it is not read\n"
      "lost  0: env001.journal: it is a link, a folder or a device, no file: it is not read\n",
      report.text());
  EXPECT_TRUE(fs::is_symlink(dir + "/env000.journal"));
  EXPECT_TRUE(fs::is_fifo(dir + "/env001.journal"));
}

TEST_F(SalvageFault, TwoJournalsOfOneEpisode) {
  killed([&](RunRec &rec) {
    play(rec, 0, 3);
    fs::copy(live + "/env000.journal", tmp.path + "/early");
  });
  fs::copy(tmp.path + "/early", dir + "/env007.journal");
  Report report;
  EXPECT_EQ(PH_OK, salvage(report)) << ph_error();
  EXPECT_EQ("saved env000_ep000000 3\nlost env000_ep000000 0: another journal had the same "
            "episode: this one stays\n",
            report.text());
  expect_run(dir, {{{0, 0}, 3}});
  expect("committed env000_ep000000 0\n");
  expect("");
}

/* --- the run --- */

TEST_F(SalvageFault, WithoutItsRunFile) {
  killed_midway();
  std::string run = slurp(dir + "/run.h5");
  fs::remove(dir + "/run.h5");
  expect_kept("lost env000_ep000001 0: run.h5 is missing: no model, no task: the journal stays\n");
  spill(dir + "/run.h5", run);
  expect("saved env000_ep000001 7\n");
}

TEST_F(SalvageFault, NothingButAJournal) {
  killed([&](RunRec &rec) { play(rec, 0, 7); });
  fs::remove(dir + "/run.h5");
  ASSERT_EQ(std::vector<std::string>{"env000.journal"}, names_of(dir));
  Folder before = folder_of(dir);
  Report report;
  EXPECT_EQ(PH_OK, salvage(report)) << ph_error();
  ASSERT_EQ(1u, report.r.n);
  EXPECT_EQ(PH_SALVAGE_LOST, report.r.items[0].fate);
  EXPECT_NE("", report.why(0));
  EXPECT_EQ(before, folder_of(dir));
}

TEST_F(SalvageFault, ADamagedRunFile) {
  killed_midway();
  std::string run = slurp(dir + "/run.h5");
  int kept = 0;
  for (size_t at = 0; at < run.size(); at += run.size() / 24) {
    SCOPED_TRACE(at);
    std::string bad = run;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    spill(dir + "/run.h5", bad);
    Folder before = folder_of(dir);
    Report report;
    ph_status status = salvage(report);
    ASSERT_EQ(1u, report.r.n) << ph_error();
    EXPECT_EQ(bad, slurp(dir + "/run.h5"));
    if (report.r.items[0].fate == PH_SALVAGE_SAVED)
      break; /* a byte that nobody reads */
    kept++;
    EXPECT_EQ(PH_SALVAGE_LOST, report.r.items[0].fate);
    EXPECT_NE("", report.why(0));
    EXPECT_TRUE(status == PH_OK || std::string(ph_error()).size() > 0);
    EXPECT_EQ(before, folder_of(dir));
  }
  EXPECT_GT(kept, 0);
  if (fs::exists(dir + "/env000.journal")) {
    spill(dir + "/run.h5", run);
    expect("saved env000_ep000001 7\n");
  }
}

TEST_F(SalvageFault, ARunFileWithoutTheModel) {
  killed_midway();
  std::string run = slurp(dir + "/run.h5");
  hid_t file = H5Fopen((dir + "/run.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  std::string group = std::string("/models/") + ph_model_sha256(model.model);
  ASSERT_GE(H5Ldelete(file, group.c_str(), H5P_DEFAULT), 0);
  H5Fclose(file);
  Folder before = folder_of(dir);
  Report report;
  EXPECT_NE(PH_OK, salvage(report));
  ASSERT_EQ(1u, report.r.n);
  EXPECT_EQ(PH_SALVAGE_LOST, report.r.items[0].fate);
  EXPECT_NE(std::string::npos, report.why(0).find("model")) << report.why(0);
  EXPECT_EQ(before, folder_of(dir));
  spill(dir + "/run.h5", run);
  expect("saved env000_ep000001 7\n");
}

TEST_F(SalvageFault, ARecorderAtWork) {
  RunRec rec(live, model, &task);
  play(rec, 0);
  play(rec, 0, 7);
  Folder before = folder_of(live);
  for (const char *out : {"", "/out"}) {
    Report report;
    std::string to = tmp.path + out;
    EXPECT_EQ(PH_EEXIST, ph_salvage_run(&report.r, live.c_str(), *out ? to.c_str() : nullptr));
    EXPECT_NE(nullptr, strstr(ph_error(), "another process records into it")) << ph_error();
    EXPECT_EQ(0u, report.r.n);
    EXPECT_EQ(before, folder_of(live));
  }
  EXPECT_FALSE(fs::exists(tmp.path + "/out"));
}

TEST_F(SalvageFault, NoRun) {
  Report report;
  EXPECT_EQ(PH_EIO, salvage(report));
  EXPECT_NE(nullptr, strstr(ph_error(), "No such file")) << ph_error();
  fs::create_directory(dir);
  spill(dir + "/notes.txt", "mine");
  EXPECT_EQ(PH_EFORMAT, salvage(report));
  EXPECT_NE(nullptr, strstr(ph_error(), "it is no run")) << ph_error();
  EXPECT_EQ(std::vector<std::string>{"notes.txt"}, names_of(dir));
  EXPECT_EQ(PH_EFORMAT, ph_salvage_run(&report.r, (dir + "/notes.txt").c_str(), nullptr));
  EXPECT_EQ(0u, report.r.n);
}

/* Killed while it wrote run.h5: it leaves nothing else. */
TEST_F(SalvageFault, ARunThatWasKilledAtOnce) {
  fs::create_directory(dir);
  spill(dir + "/.run.h5.4711-0.part", "half");
  expect("");
  EXPECT_EQ(std::vector<std::string>(), names_of(dir));
}

/* --- the disk --- */

TEST_F(SalvageFault, FilesMayNotBecomeLonger) {
  killed([&](RunRec &rec) {
    play(rec, 0);
    play(rec, 0, 7);
    play(rec, 1, 5);
  });
  Folder before = folder_of(dir);
  for (const char *out : {"", "/out"}) {
    SCOPED_TRACE(out);
    std::string to = tmp.path + out;
    Report report;
    {
      ShortFiles fault(4096);
      EXPECT_EQ(PH_EIO, salvage(report, *out ? to.c_str() : nullptr));
    }
    EXPECT_NE(nullptr, strstr(ph_error(), "File too large")) << ph_error();
    EXPECT_EQ(0, report.r.saved);
    EXPECT_EQ(2, report.r.lost) << report.text();
    EXPECT_EQ(before, folder_of(dir)) << "nothing half, nothing gone";
    EXPECT_FALSE(fs::exists(tmp.path + "/out"));
  }
  expect("saved env000_ep000001 7\nsaved env001_ep000000 5\n");
  expect_run(dir, {{{0, 0}, 14}, {{0, 1}, 7}, {{1, 0}, 5}});
}

TEST_F(SalvageFault, ADiskThatIsFull) {
  SmallDisk disk(tmp.path + "/disk", "4m");
  if (!disk.ok)
    GTEST_SKIP() << "no file system may be mounted here";
  killed([&](RunRec &rec) {
    play(rec, 0);
    play(rec, 0, 7);
  });
  fs::copy(dir, disk.at + "/run");
  dir = disk.at + "/run";
  disk.fill();
  Folder before = folder_of(dir);
  Report report;
  EXPECT_EQ(PH_EIO, salvage(report));
  EXPECT_NE(nullptr, strstr(ph_error(), "No space left")) << ph_error();
  EXPECT_EQ(before, folder_of(dir));
  disk.free();
  expect("saved env000_ep000001 7\n");
  expect_run(dir, {{{0, 0}, 14}, {{0, 1}, 7}});
}

TEST_F(SalvageFault, AFolderThatMayNotBeWritten) {
  killed([&](RunRec &rec) {
    play(rec, 0, 7);
    play(rec, 1, 0);
  });
  chmod(tmp.path.c_str(), 0777);
  Folder before = folder_of(dir);
  {
    ReadOnly fault(dir);
    Report report;
    EXPECT_EQ(PH_EIO, salvage(report));
    EXPECT_NE(nullptr, strstr(ph_error(), "Permission denied")) << ph_error();
    EXPECT_EQ(before, folder_of(dir));
    Report elsewhere;
    EXPECT_EQ(PH_OK, salvage(elsewhere, (tmp.path + "/out").c_str())) << ph_error();
    EXPECT_EQ(1, elsewhere.r.saved);
    EXPECT_EQ(before, folder_of(dir));
  }
  expect_run(tmp.path + "/out", {{{0, 0}, 7}});
  expect("empty env001_ep000000 0: it was killed before its first step was finished\n"
         "saved env000_ep000000 7\n");
}

} // namespace
