#include "reader_help.h"

using namespace foreign;

namespace {

class Arrays : public Reader {
protected:
  template <class Fn> void write(Fn fn) {
    File file(path);
    fn(file);
  }
};

TEST_F(Arrays, OneRawEpisode) {
  write([](File &f) {
    f.array("/observations/qpos", F32, {40, 14}, wave(560));
    f.array("/observations/images/top", U8, {40, 16, 16, 3}, bytes(40 * 768));
    f.array("/action", F32, {39, 14}, wave(546));
    f.array("/weights", F32, {4, 4}, wave(16));
    f.array("/version", I64, {}, {3});
    f.texts("/names", {"a", "b"});
  });
  Handed h;
  read(h);
  EXPECT_STREQ("arrays", reader->name);
  EXPECT_STREQ("arrays", scan.layout);
  EXPECT_EQ("arrays", ids());
  EXPECT_STREQ("/", scan.entries[0].group);
  EXPECT_EQ(-1, scan.entries[0].states);
  EXPECT_EQ(40, look(0).states);
  EXPECT_EQ(0, look(0).actions);
  EXPECT_EQ(40, h.f.meta.states);
  EXPECT_EQ(-1, h.f.states);
  EXPECT_EQ(-1, h.f.actions);
  ASSERT_EQ(6u, h.f.narrays);
  EXPECT_EQ(PH_CHANNEL_NUMBERS, h.channel("action")->kind);
  EXPECT_EQ(PH_CHANNEL_IMAGE, h.channel("observations/images/top")->kind);
  EXPECT_EQ(PH_CHANNEL_OTHER, h.channel("weights")->kind);
  EXPECT_STREQ("4 rows for 40 steps", h.channel("weights")->note);
  EXPECT_STREQ("one value, not a row a step", h.channel("version")->note);
  EXPECT_STREQ("text, not numbers; 2 rows for 40 steps", h.channel("names")->note);
  std::vector<double> want = wave(560), got = h.rows(h.array("observations/qpos"), 39, 1);
  for (size_t i = 0; i < 14; i++)
    EXPECT_EQ((double)(float)want[39 * 14 + i], got[i]);
}

TEST_F(Arrays, NoSharedDimensionIsNoEpisode) {
  write([](File &f) {
    f.array("/a", F64, {10}, wave(10));
    f.array("/b", F64, {20}, wave(20));
    f.array("/c", F64, {30}, wave(30));
  });
  EXPECT_EQ(PH_ENOTFOUND, list());
  EXPECT_EQ(nullptr, reader);
}

TEST_F(Arrays, SingleRowsAndValuesAreNoEpisode) {
  write([](File &f) {
    f.array("/a", F64, {}, {1});
    f.array("/b", F64, {1, 3}, {1, 2, 3});
  });
  list();
  EXPECT_EQ(nullptr, reader);
  close();
  write([](File &) {});
  list();
  EXPECT_EQ(nullptr, reader);
}

TEST_F(Arrays, HalfIsNotMost) {
  write([](File &f) {
    f.array("/a", F64, {10}, wave(10));
    f.array("/b", F64, {20}, wave(20));
  });
  list();
  EXPECT_EQ(nullptr, reader);
}

TEST_F(Arrays, StatesOneLongerThanActionsShare) {
  write([](File &f) {
    for (int t = 0; t < 2; t++) {
      std::string traj = "/traj_" + std::to_string(t);
      f.array(traj + "/actions", F32, {50, 8}, wave(400));
      f.array(traj + "/env_states", F32, {51, 13}, wave(663));
    }
  });
  Handed h;
  read(h);
  EXPECT_EQ(51, h.f.meta.states);
  EXPECT_EQ(PH_CHANNEL_NUMBERS, h.channel("traj_1/actions")->kind);
}

TEST_F(Arrays, RateIsTheMedianOfTheTimes) {
  write([](File &f) {
    f.array("/x", F64, {6, 2}, wave(12));
    f.array("/deep/t", F64, {6}, {0, 1, 2, 3, 4, 5});
    f.array("/time", F64, {6}, {0.5, 0.5, 0.75, 1.0, 1.25, 9});
  });
  Handed h;
  read(h);
  EXPECT_DOUBLE_EQ(0.25, h.f.dt);
  EXPECT_STREQ("median of the differences in time", h.f.dt_source);
}

TEST_F(Arrays, TimesThatDoNotRunAreNoRate) {
  for (const std::vector<double> &t :
       {std::vector<double>{3, 3, 3, 3}, std::vector<double>{4, 3, 2, 1},
        std::vector<double>{NAN, NAN, NAN, NAN}}) {
    write([&](File &f) {
      f.array("/x", F64, {4, 2}, wave(8));
      f.array("/timestamp", F64, {4}, t);
    });
    Handed h;
    read(h);
    EXPECT_EQ(0, h.f.dt);
    EXPECT_STREQ("", h.f.dt_source);
  }
}

TEST_F(Arrays, ATimeOfAnotherLengthIsNone) {
  write([](File &f) {
    f.array("/x", F64, {6, 2}, wave(12));
    f.array("/y", F64, {6, 2}, wave(12));
    f.array("/time", F64, {3}, {0, 1, 2});
  });
  Handed h;
  read(h);
  EXPECT_EQ(0, h.f.dt);
}

TEST_F(Arrays, FoldersAreOfOthers) {
  EXPECT_NE(&ph_read_arrays, ph_reader_for(dir.path().c_str(), true, H5I_INVALID_HID));
}

} // namespace
