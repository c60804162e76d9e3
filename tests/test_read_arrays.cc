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
  EXPECT_TRUE(look(0).uninterpreted) << "which of them are actions is not known";
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
    for (std::string arm : {"/left", "/right"}) {
      f.array(arm + "/actions", F32, {50, 8}, wave(400));
      f.array(arm + "/env_states", F32, {51, 13}, wave(663));
    }
  });
  Handed h;
  read(h);
  EXPECT_EQ(51, h.f.meta.states);
  ASSERT_NE(nullptr, h.channel("right/actions"));
  EXPECT_EQ(PH_CHANNEL_NUMBERS, h.channel("right/actions")->kind);
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

/* --- groups --- */

/* A group of arrays, one row less of actions. */
static void trial(File &f, const std::string &group, unsigned long long rows) {
  f.array(group + "/env/qpos", F64, {rows, 3}, wave(3 * rows));
  f.array(group + "/env/time", F64, {rows}, wave(rows));
  f.array(group + "/actions", F64, {rows - 1, 2}, wave(2 * rows - 2));
}

TEST_F(Arrays, GroupsThatLookAlikeAreAnEpisodeEach) {
  write([](File &f) {
    for (int i = 0; i < 11; i++)
      trial(f, "/Trial" + std::to_string(i), 20 + (i == 10));
    f.array("/meta/version", I64, {}, {3});
  });
  Handed h;
  read(h, 10);
  EXPECT_EQ("Trial0 Trial1 Trial2 Trial3 Trial4 Trial5 Trial6 Trial7 Trial8 Trial9 Trial10", ids());
  EXPECT_STREQ("/Trial10", scan.entries[10].group);
  EXPECT_EQ(10, scan.entries[10].episode);
  EXPECT_EQ(21, look(10).states);
  EXPECT_EQ(20, look(9).states);
  EXPECT_STREQ("Trial10", h.f.meta.id);
  EXPECT_EQ(21, h.f.meta.states);
  ASSERT_EQ(3u, h.f.narrays);
  EXPECT_NE(nullptr, h.channel("env/qpos")) << "named from the group on";
}

TEST_F(Arrays, GroupsBelowDataToo) {
  write([](File &f) {
    trial(f, "/data/left", 20);
    trial(f, "/data/right", 30);
  });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  if (std::string("arrays") == reader->name) {
    EXPECT_EQ("left right", ids()) << "their lengths differ";
    EXPECT_STREQ("/data/left", scan.entries[0].group);
  }
}

TEST_F(Arrays, PartsOfOneEpisodeStayOne) {
  write([](File &f) { /* two arms of one robot: not numbered, of one length */
                      trial(f, "/left", 20);
                      trial(f, "/right", 20);
  });
  list();
  EXPECT_EQ("arrays", ids());
  write([](File &f) { /* numbered, but the time of both is beside them */
                      trial(f, "/arm0", 20);
                      trial(f, "/arm1", 20);
                      f.array("/time", F64, {20}, wave(20));
  });
  list();
  EXPECT_EQ("arrays", ids());
  write([](File &f) { /* numbered, but of other arrays */
                      f.array("/part0/a", F64, {20}, wave(20));
                      f.array("/part1/b", F64, {20}, wave(20));
  });
  list();
  EXPECT_EQ("arrays", ids());
}

TEST_F(Arrays, TimeAlongTheLastAxisIsSaidAndNotMadeAnEpisode) {
  write([](File &f) {
    const char *names[] = {"a", "b", "c", "d", "e"};
    const unsigned long long rows[] = {3, 3, 4, 4, 56};
    for (int i = 0; i < 5; i++)
      f.array(std::string("/walker/") + names[i], F64, {rows[i], 10}, wave(10 * rows[i]));
  });
  EXPECT_EQ(PH_EFORMAT, list());
  EXPECT_EQ(path + ": its arrays share their last dimension, 10, and not their first: a time that "
                   "runs along the last one is not read",
            ph_error());
}

TEST_F(Arrays, EqualWidthsAreNoLastAxis) {
  write([](File &f) {
    f.array("/qpos", F64, {20, 7}, wave(140));
    f.array("/action", F64, {19, 7}, wave(133));
  });
  Handed h;
  read(h);
  EXPECT_EQ(20, h.f.meta.states);
}

TEST_F(Arrays, NumbersThatAreNoneAreSaid) {
  write([](File &f) {
    std::vector<double> rows = wave(40);
    rows[38] = rows[39] = NAN;
    f.array("/actions", F64, {20, 2}, rows);
    f.array("/obs", F64, {20, 3}, wave(60));
    f.array("/unused", F64, {20}, std::vector<double>(20, NAN));
  });
  Handed h;
  read(h);
  EXPECT_STREQ("none of its numbers is finite", h.channel("unused")->note);
  EXPECT_STREQ("", h.channel("obs")->note);
  EXPECT_EQ("oddity: actions: element 0 is not finite; 2 such\n", h.findings());
  EXPECT_EQ(19, h.f.findings[0].step);
}

TEST_F(Arrays, FoldersAreOfOthers) {
  EXPECT_NE(&ph_read_arrays, ph_reader_for(dir.path().c_str(), true, H5I_INVALID_HID));
}

} // namespace
