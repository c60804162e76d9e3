/* HDF5 files that were cut off or never closed give back what is in them. */
#include "salvage_help.h"

using namespace salvage;

TEST_F(Salvage, OfAWholeFileNothingIsLostAndNothingIsWritten) {
  foreign::write_robomimic(whole, small(false, false));
  std::filesystem::copy(whole, cut);
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(0, report.r.lost) << report.text();
  EXPECT_EQ(0, report.r.saved) << report.text();
  ASSERT_EQ(3u, report.r.n) << report.text();
  for (size_t i = 0; i < report.r.n; i++) {
    EXPECT_EQ(PH_SALVAGE_COMMITTED, report.r.items[i].fate);
    EXPECT_STREQ("", report.r.items[i].file);
  }
}

/* --- files of ours --- */

TEST_F(Salvage, RowsThatDoNotMatchTheirChecksumEndAnEpisode) {
  write_ours(whole, {600}, false);
  Bytes all = bytes_of(whole);
  Timed fake(600, 0);
  size_t row = fake.row_bytes(PH_COL_STATES);
  size_t at = all.find(fake.rows[PH_COL_STATES].substr(row, 64));
  ASSERT_NE(Bytes::npos, at);
  all[at + 400 * row] ^= 4;
  write_bytes(cut, all);
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
  const ph_salvaged *one = report.of("demo_0");
  ASSERT_NE(nullptr, one) << report.text();
  EXPECT_EQ(255, one->actions) << report.text();
  EXPECT_NE(nullptr, strstr(one->why, "checksum")) << report.text();
  expect_ours(out, {600});
}

/* --- marks, ends, tails --- */

TEST_F(Salvage, AFileThatWasNeverClosedIsGivenBackWhole) {
  foreign::write_robomimic(whole, small(false, false));
  Bytes all = bytes_of(whole);
  ASSERT_EQ(0, all[8]) << "superblock";
  for (size_t i = 0; i < 8; i++)
    all[40 + i] = (char)0xff; /* the end is not set */
  write_bytes(cut, all);
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
  EXPECT_EQ(3, report.r.saved) << report.text();
  EXPECT_EQ(0, report.r.lost) << report.text();
  EXPECT_GT(expect_beginnings(out, whole), 0);
}

TEST_F(Salvage, AMarkOfAnOpenWriterIsNoHindrance) {
  write_ours(whole, {20, 30}, false);
  Bytes all = bytes_of(whole);
  ASSERT_EQ(3, all[8]);
  all[11] |= 1;
  uint32_t sum = ph_h5_lookup3((const uint8_t *)all.data(), 44);
  memcpy(&all[44], &sum, 4);
  write_bytes(cut, all);
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
  EXPECT_EQ(2, report.r.saved) << report.text();
  EXPECT_EQ(0, report.r.lost) << report.text();
  expect_ours(out, {20, 30});
}

TEST_F(Salvage, ZerosInsteadOfTheEndAreNoRows) {
  const int rows = 400;
  std::vector<double> states = foreign::state_rows(rows, true, 0.05, 1, 0);
  size_t width = states.size() / rows;
  {
    foreign::File file(whole);
    file.group("/data");
    file.array("/data/demo_1/actions", foreign::F64, {rows, 7}, foreign::wave(rows * 7, 0.5));
    file.array("/data/demo_1/states", foreign::F64, {rows, width}, states);
  }
  Bytes all = bytes_of(whole), start(32 * 8, 0);
  memcpy(start.data(), states.data(), start.size());
  size_t at = all.find(start);
  ASSERT_NE(Bytes::npos, at);
  std::fill(all.begin() + (long)(at + 200 * width * 8), all.begin() + (long)(at + rows * width * 8),
            '\0');
  all.resize(at + rows * width * 8);
  for (size_t i = 0; i < 8; i++)
    all[40 + i] = (char)(all.size() >> 8 * i); /* nothing says that it is not whole */
  write_bytes(cut, all);
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
  const ph_salvaged *one = report.of("demo_1");
  ASSERT_NE(nullptr, one) << report.text();
  EXPECT_EQ(200, one->actions) << report.text();
  EXPECT_GT(expect_beginnings(out, whole), 0);
}

TEST_F(Salvage, WhatIsThereIsNotReplaced) {
  foreign::write_robomimic(whole, small(false, false));
  write_bytes(cut, bytes_of(whole).substr(0, 20000));
  write_bytes(out, "mine");
  Report report;
  EXPECT_EQ(PH_EEXIST, ph_salvage_file(&report.r, cut.c_str(), out.c_str()));
  EXPECT_EQ("mine", bytes_of(out));
}

TEST_F(Salvage, NumbersAndMasksAreRightAgain) {
  foreign::write_robomimic(whole, small(false, false));
  Bytes all = bytes_of(whole);
  bool partial = false;
  for (size_t at = all.size() - 256; at > all.size() / 2 && !partial; at -= 1024) {
    write_bytes(cut, all.substr(0, at));
    Report report;
    ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
    hid_t file;
    ASSERT_EQ(PH_OK, ph_h5_open(&file, out.c_str()));
    EXPECT_TRUE(ph_h5_has_attr(file, "salvaged"));
    int64_t sum = 0;
    for (int i = 0; i < 3; i++) {
      hid_t demo;
      std::string path = "/data/demo_" + std::to_string(i);
      if (ph_h5_group(&demo, file, path.c_str()) != PH_OK)
        continue;
      int64_t n = -1;
      ASSERT_EQ(PH_OK, ph_h5_attr_i64(demo, "num_samples", &n)) << ph_error();
      EXPECT_EQ(n, read_array(demo, "states").rows);
      EXPECT_EQ(n, read_array(demo, "actions").rows);
      sum += n;
      partial |= n < small(false, false).rows[(size_t)i];
      ph_h5_close(demo);
    }
    EXPECT_EQ(report.r.steps, sum) << report.text();
    ph_h5_close(file);
  }
  EXPECT_TRUE(partial);
}

/* --- cut here and there; everywhere is test_salvage_cuts --- */

TEST_F(Salvage, AnOldFileCutGivesBackWhatIsBefore) {
  foreign::write_robomimic(whole, small(false, true));
  cut_everywhere(std::filesystem::file_size(whole) / 7);
}

TEST_F(Salvage, ANewFileCutGivesBackWhatIsBefore) {
  foreign::write_robomimic(whole, small(true, true));
  cut_everywhere(std::filesystem::file_size(whole) / 7);
}

TEST_F(Salvage, AFileOfOursCutGivesBackWhatIsBefore) {
  write_ours(whole, {20, 300, 11}, false);
  cut_everywhere(std::filesystem::file_size(whole) / 7, [&](const Report &) {
    expect_ours(out, {20, 300, 11});
  });
}

/* Attributes that were written last are behind all episodes, and so are the lists of many. */
TEST_F(Salvage, EpisodesThatNoListLeadsToAreFoundAndNumberedByPlace) {
  for (bool latest : {false, true}) {
    foreign::Options o = small(latest, false);
    o.rows.assign(60, 12);
    foreign::write_robomimic(whole, o);
    Bytes all = bytes_of(whole);
    write_bytes(cut, all.substr(0, all.size() * 6 / 10));
    Report report;
    ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
    EXPECT_GE(report.r.saved, 30) << report.text();
    EXPECT_LE(report.r.saved, 40) << report.text();
    EXPECT_NE(nullptr, report.of("demo_29")) << report.text();
    EXPECT_NE(std::string::npos, report.text().find("by its place")) << report.text();
    EXPECT_GT(expect_beginnings(out, whole), 30 * 12);
  }
}

TEST_F(Salvage, AnEpisodeThatHasLostItsNameAndStepsSaysBoth) {
  foreign::Options o = small(false, false);
  o.rows.assign(60, 12);
  o.rows[30] = 900;
  foreign::write_robomimic(whole, o);
  Bytes all = bytes_of(whole);
  int both = 0;
  for (size_t i = 4; i < 8; i++) {
    write_bytes(cut, all.substr(0, all.size() * i / 12));
    Report report;
    if (salvage(report) != PH_OK)
      continue;
    both += report.text().find("its name is lost: it has one by its place in the file; steps ") !=
            std::string::npos;
    expect_beginnings(out, whole, {}, &report);
  }
  EXPECT_GT(both, 0);
}
