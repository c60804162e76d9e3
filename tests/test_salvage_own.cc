/* Damaged columns of our own format: those that may be absent are left out, those that the state
 * needs end the episode where they do. And files of very many episodes. */
#include "salvage_help.h"

using namespace salvage;

namespace {

class Own : public Salvage {
protected:
  /* A dataset of an episode of 600 and one of 20, with a bit changed in a row of the first. */
  void damage(ph_column col, size_t row) {
    std::filesystem::remove(whole);
    write_ours(whole, {600, 20}, false);
    Bytes all = bytes_of(whole);
    Timed fake(600, 0);
    size_t width = fake.row_bytes(col), at = all.find(fake.rows[col].substr(0, 64));
    ASSERT_NE(Bytes::npos, at);
    all[at + row * width] ^= 4;
    write_bytes(cut, all);
  }
  bool stored(ph_column col) {
    hid_t file = H5Fopen(out.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    std::string path = std::string("/data/demo_0/") + ph_schema_column(col)->path;
    bool there = file >= 0 && read_array(file, path).rows > 0;
    H5Fclose(file);
    return there;
  }
};

TEST_F(Own, AColumnThatMayBeAbsentIsLeftOutAndListed) {
  for (ph_column col : {PH_COL_PREDICATE, PH_COL_REWARDS, PH_COL_WARMSTART})
    for (size_t row : {0, 400}) {
      const char *path = ph_schema_column(col)->path;
      SCOPED_TRACE(std::string(path) + " row " + std::to_string(row));
      damage(col, row);
      Report report;
      ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
      const ph_salvaged *one = report.of("demo_0");
      ASSERT_NE(nullptr, one) << report.text();
      EXPECT_EQ(600, one->actions) << report.text();
      EXPECT_EQ(2, report.r.saved) << report.text();
      EXPECT_EQ(1, report.r.lost) << report.text();
      EXPECT_NE(std::string::npos, report.text().find(std::string(path) + ": they do not match"))
          << report.text();
      EXPECT_FALSE(stored(col));
      EXPECT_TRUE(stored(PH_COL_MOCAP_POS));
      expect_ours(out, {600, 20});
    }
}

TEST_F(Own, AColumnThatTheStateNeedsEndsItsEpisode) {
  for (ph_column col : {PH_COL_MOCAP_POS, PH_COL_XFRC_APPLIED, PH_COL_ACTION_STATE}) {
    SCOPED_TRACE(ph_schema_column(col)->path);
    damage(col, 400);
    Report report;
    ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
    const ph_salvaged *one = report.of("demo_0");
    ASSERT_NE(nullptr, one) << report.text();
    EXPECT_EQ(255, one->actions) << report.text();
    EXPECT_NE(nullptr, strstr(one->why, ph_schema_column(col)->path)) << one->why;
    EXPECT_TRUE(stored(col));
    expect_ours(out, {600, 20});
  }
}

TEST_F(Own, WithoutItsFirstRowsTheEpisodeIsLostAndTheColumnIsNamed) {
  for (ph_column col : {PH_COL_MOCAP_QUAT, PH_COL_CTRL_SUBSTEPS}) {
    SCOPED_TRACE(ph_schema_column(col)->path);
    damage(col, 100);
    Report report;
    ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
    EXPECT_EQ(nullptr, report.of("demo_0")) << report.text();
    EXPECT_NE(nullptr, report.of("demo_1")) << report.text();
    EXPECT_EQ(1, report.r.lost) << report.text();
    std::string line = std::string(ph_schema_column(col)->path) + ": they do not match";
    EXPECT_NE(std::string::npos, report.text().find("demo_0 0 " + line)) << report.text();
    expect_ours(out, {600, 20});
  }
}

/* Work that grew with the square of their number could not be done in this time. */
TEST_F(Own, ManyEpisodesTakeTimeByTheirNumber) {
  const int demos = 2500;
  std::vector<double> actions = foreign::wave(2 * 3, 0.5), ones(2, 1);
  {
    foreign::File file(whole);
    file.group("/data");
    for (int i = 0; i < demos; i++) {
      std::string demo = "/data/demo_" + std::to_string(i);
      file.array(demo + "/actions", foreign::F64, {2, 3}, actions);
      for (const char *name : {"rewards", "dones", "x", "y", "z"})
        file.array(demo + "/obs/" + name, foreign::F64, {2}, ones);
      file.attr(demo, "num_samples", 2);
    }
  }
  Bytes all = bytes_of(whole);
  write_bytes(cut, all.substr(0, all.size() * 9 / 10));
  ph_probe_limits limits = {0, 1, 0};
  ph_probe_limit(&limits);
  Report report;
  ph_status status = ph_salvage_file(&report.r, cut.c_str(), out.c_str());
  ph_probe_limit(nullptr);
  ASSERT_EQ(PH_OK, status) << ph_error();
  EXPECT_GT(report.r.saved, demos / 2);
  EXPECT_EQ(report.r.saved * 2, report.r.steps);
}

} // namespace
