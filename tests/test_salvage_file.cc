/* HDF5 files that were cut off or never closed give back what is in them. */
#include "salvage_help.h"

using namespace salvage;

namespace {

foreign::Options small(bool latest, bool chunked) {
  foreign::Options o;
  o.rows = {12, 30, 9};
  o.latest = latest;
  if (chunked) {
    o.store.chunk_rows = 5;
    o.store.gzip = 4;
    o.store.shuffle = true;
  }
  return o;
}

} // namespace

TEST_F(Salvage, OfAWholeFileNothingIsLostAndNothingIsWritten) {
  foreign::write_robomimic(whole, small(false, false));
  std::filesystem::copy(whole, cut);
  Report report;
  ASSERT_EQ(PH_OK, salvage(report)) << ph_error();
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(0, report.r.lost) << report.text();
}

TEST_F(Salvage, AnOldFileCutAnywhereGivesBackWhatIsBefore) {
  foreign::write_robomimic(whole, small(false, false));
  cut_everywhere(512);
}

TEST_F(Salvage, AnOldFileOfChunksCutAnywhere) {
  foreign::write_robomimic(whole, small(false, true));
  cut_everywhere(512);
}

TEST_F(Salvage, ANewFileCutAnywhere) {
  foreign::write_robomimic(whole, small(true, false));
  cut_everywhere(512);
}

TEST_F(Salvage, ANewFileOfChunksCutAnywhere) {
  foreign::write_robomimic(whole, small(true, true));
  cut_everywhere(512);
}
