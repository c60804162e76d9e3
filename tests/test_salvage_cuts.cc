/* HDF5 files of each kind, cut every few hundred bytes: never a crash, what opens is right. */
#include "salvage_help.h"

using namespace salvage;

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

TEST_F(Salvage, AFileOfOursCutAnywhereGivesBackChecked) {
  write_ours(whole, {20, 300, 11}, false);
  cut_everywhere(2048, [&](const Report &) { expect_ours(out, {20, 300, 11}); });
}

TEST_F(Salvage, APackedFileOfOursCutAnywhere) {
  write_ours(whole, {20, 300, 11}, true);
  cut_everywhere(2048, [&](const Report &) { expect_ours(out, {20, 300, 11}); });
}
