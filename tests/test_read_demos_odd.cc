/* Demos that contradict themselves, lack something, or are damaged. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "reader_help.h"

using namespace foreign;

namespace {

class Odd : public Reader {
protected:
  /* One demo of n rows below /data/demo_0 but for what fn makes otherwise. */
  template <class Fn> void write(Fn fn, int states = 6, int actions = 6) {
    File file(path);
    file.group("/data/demo_0");
    if (states >= 0)
      file.array("/data/demo_0/states", F64, {(hsize_t)states, 3}, wave((hsize_t)states * 3));
    if (actions >= 0)
      file.array("/data/demo_0/actions", F64, {(hsize_t)actions, 2}, wave((hsize_t)actions * 2));
    fn(file);
  }
  void rewards(const std::vector<double> &values, const char *name = "rewards") {
    write([&](File &f) {
      f.array(std::string("/data/demo_0/") + name, F64, {values.size()}, values);
    });
  }
  /* Success and its source; the same by look. */
  std::string success() {
    Handed h;
    read(h);
    EXPECT_EQ(h.f.meta.success, look(0).success);
    place = h.name_at(h.f.success);
    return std::to_string(h.f.meta.success) + " " + h.f.meta.success_source;
  }
  std::string place;
};

/* --- lengths --- */

TEST_F(Odd, StoredLengthsAreNotBelieved) {
  write([](File &f) { f.attr("/data/demo_0", "num_samples", 1000000000); });
  Handed h;
  read(h);
  EXPECT_EQ("oddity: num_samples is 1000000000, there are 6 actions\n", h.findings());
  EXPECT_STREQ("num_samples is 1000000000, there are 6 actions", look(0).oddity);
  EXPECT_EQ(6, look(0).actions);
}

TEST_F(Odd, MoreActionsThanStates) {
  write([](File &) {}, 217, 267);
  ASSERT_EQ(PH_OK, list());
  ph_entry entry = look(0);
  EXPECT_EQ(217, entry.states);
  EXPECT_EQ(217, entry.actions);
  EXPECT_STREQ("217 states, 267 actions", entry.oddity);
}

TEST_F(Odd, OneStateMoreIsNothingOdd) {
  write([](File &) {}, 7, 6);
  ASSERT_EQ(PH_OK, list());
  EXPECT_EQ(7, look(0).states);
  EXPECT_EQ(6, look(0).actions);
  EXPECT_STREQ("", look(0).oddity);
}

TEST_F(Odd, TotalsAreComparedAtTheFirstDemo) {
  write([](File &f) {
    f.attr("/data", "total", 99);
    f.array("/data/demo_1/states", F64, {5, 3}, wave(15));
    f.array("/data/demo_1/actions", F64, {5, 2}, wave(10));
  });
  Handed first, second;
  read(first);
  open(second, 1);
  EXPECT_EQ("oddity: the file's total is 99, its 2 demos have 11 rows\n", first.findings());
  EXPECT_EQ("", second.findings());
}

TEST_F(Odd, NumberOfDemosIsCompared) {
  write([](File &f) { f.attr("/data", "num_demos", 3); });
  Handed h;
  read(h);
  EXPECT_EQ("oddity: the file's num_demos is 3, it has 1\n", h.findings());
}

TEST_F(Odd, TotalsOfTooManyAreNotComparedAndSaidSo) {
  for (int step : {1, 3}) { /* numbers in a row, and with gaps */
    write([&](File &f) {
      f.attr("/data", "total", 99999);
      f.attr("/data", "num_demos", 7);
      for (int i = 1; i < 300; i++)
        f.array("/data/demo_" + std::to_string(i * step) + "/actions", F64, {5, 2}, wave(10));
    });
    Handed first, second;
    read(first);
    open(second, 1);
    EXPECT_TRUE(first.found("missing: the file's total of 99999 rows was not compared: it has more "
                            "than 256 demos"))
        << first.findings();
    EXPECT_TRUE(first.found("oddity: the file's num_demos is 7, it has 300")) << first.findings();
    EXPECT_EQ(std::string::npos, second.findings().find("the file's")) << second.findings();
    close();
  }
}

/* --- what is missing --- */

TEST_F(Odd, StatesAlone) {
  write([](File &) {}, 6, -1);
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.actions);
  EXPECT_EQ("missing: it holds no actions: its states alone\n", h.findings());
  EXPECT_EQ(6, look(0).states);
  EXPECT_EQ(0, look(0).actions);
  EXPECT_STREQ("it holds no actions", look(0).oddity);
}

TEST_F(Odd, ActionsAlone) {
  write([](File &) {}, -1, 6);
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.states);
  EXPECT_EQ(6, h.f.meta.states);
  EXPECT_EQ("missing: it holds no states\n", h.findings());
  EXPECT_EQ(6, look(0).states);
  EXPECT_EQ(6, look(0).actions);
}

TEST_F(Odd, EmptyStatesOfAGymDataset) {
  write([](File &f) { f.array("/data/demo_0/obs/flat", F64, {6, 5}, wave(30)); }, 0, 6);
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.states);
  EXPECT_EQ(6, h.f.meta.states);
  EXPECT_EQ(
      "missing: states cannot be used as states: it has no rows\noddity: states has no rows\n",
      h.findings());
  EXPECT_EQ(PH_CHANNEL_NUMBERS, h.channel("obs/flat")->kind);
}

TEST_F(Odd, ActionsThatAreNoNumbers) {
  write([](File &f) { f.texts("/data/demo_0/actions", {"a", "b"}, 4); }, 6, -1);
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.actions);
  EXPECT_TRUE(h.found("missing: actions cannot be used as actions: text, not numbers"))
      << h.findings();
  EXPECT_EQ(PH_CHANNEL_OTHER, h.channel("actions")->kind);
}

TEST_F(Odd, ActionsOfZeroWidth) {
  write([](File &f) { f.array("/data/demo_0/actions", F64, {6, 0}, {}); }, 6, -1);
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.actions);
  EXPECT_TRUE(h.found("missing: actions cannot be used as actions: its rows are empty"));
  EXPECT_TRUE(h.found("oddity: actions is zero wide: its rows hold no numbers")) << h.findings();
  EXPECT_EQ(0, look(0).actions);
}

TEST_F(Odd, ActionsInAGroup) {
  write([](File &f) { f.array("/data/demo_0/actions/gripper", F64, {6, 1}, wave(6)); }, 6, -1);
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.actions);
  EXPECT_EQ("missing: actions is a group of arrays, not one row per action: they are channels\n",
            h.findings());
  EXPECT_TRUE(h.channel("actions/gripper"));
}

TEST_F(Odd, ADemoOfNothing) {
  write([](File &f) { f.group("/data/demo_1"); });
  ASSERT_EQ(PH_OK, list());
  Handed h;
  open(h, 1);
  EXPECT_EQ(PH_EFORMAT, h.status);
  EXPECT_EQ(path + ": /data/demo_1: it holds no arrays", h.error);
  EXPECT_EQ(0, look(1).states);
}

TEST_F(Odd, ASecondSetOfStates) {
  write([](File &f) {
    f.array("/data/demo_0/starts", F64, {6, 3}, wave(18));
    f.array("/data/demo_0/obs/three", F64, {6, 3}, wave(18));
  });
  Handed h;
  read(h);
  EXPECT_EQ("oddity: starts is shaped like states, 6 x 3: a second set of them\n", h.findings());
}

/* --- what is named only --- */

TEST_F(Odd, LinksAndDepthAreNamed) {
  write([](File &f) {
    f.soft("/data/demo_0/obs/soft", "/data/demo_0/states");
    f.external("/data/demo_0/away", "other.h5", "/x");
    f.hard("/data/demo_0/loop", "/data/demo_0");
  });
  Handed h;
  read(h);
  EXPECT_TRUE(h.found("missing: obs/soft is a link, which is never followed")) << h.findings();
  EXPECT_TRUE(h.found("missing: away is a link, which is never followed"));
  EXPECT_TRUE(h.found("missing: loop is one more link to a group that was met before: it is not "
                      "listed again"))
      << h.findings();
  EXPECT_EQ("states", h.name_at(h.f.states));
  EXPECT_EQ(2u, h.f.narrays);
}

TEST_F(Odd, DepthIsBound) {
  write([](File &f) { f.array("/data/demo_0/a/a/a/a/a/a/a/a/a/x", F64, {6}, wave(6)); });
  Handed h;
  read(h);
  EXPECT_TRUE(h.found("missing: a/a/a/a/a/a/a/a/a is nested more than 8 groups deep: what is in it "
                      "is not listed"))
      << h.findings();
}

TEST_F(Odd, WhatAnEpisodeIsMadeOfComesFirst) {
  write([](File &f) {
    for (int i = 0; i < 4100; i++)
      f.array("/data/demo_0/a" + std::to_string(i), F64, {}, {1});
    f.array("/data/demo_0/rewards", F64, {6}, {0, 0, 0, 0, 0, 1});
  });
  Handed h;
  read(h);
  EXPECT_EQ("states", h.name_at(h.f.states));
  EXPECT_EQ("actions", h.name_at(h.f.actions));
  EXPECT_EQ("rewards", h.name_at(h.f.rewards));
  EXPECT_EQ(1, h.f.meta.success);
  EXPECT_EQ("missing: it holds more than 4096 arrays: 7 more are not listed\n", h.findings());
}

/* What lies in the demo itself is listed before its groups. */
TEST_F(Odd, GroupsComeBehindArrays) {
  write([](File &f) {
    for (int i = 0; i < 4100; i++)
      f.array("/data/demo_0/obs/a" + std::to_string(i), F64, {}, {1});
    f.array("/data/demo_0/zeta", F64, {6}, wave(6));
  });
  Handed h;
  read(h);
  EXPECT_TRUE(h.channel("zeta"));
  EXPECT_EQ("missing: it holds more than 4096 arrays: 7 more are not listed\n", h.findings());
}

TEST_F(Odd, ArraysAreCounted) {
  write([](File &f) {
    for (int i = 0; i < 4200; i++)
      f.array("/data/demo_0/obs/a" + std::to_string(i), F64, {}, {1});
  });
  Handed h;
  read(h);
  EXPECT_EQ(4096u, h.f.narrays);
  EXPECT_TRUE(h.found("missing: it holds more than 4096 arrays: 106 more are not listed"))
      << h.findings();
}

TEST_F(Odd, ADamagedArrayIsNamed) {
  write([](File &f) { f.array("/data/demo_0/obs/bad", F64, {6, 2}, wave(12)); });
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  H5O_info_t info;
  H5Oget_info_by_name(file, "/data/demo_0/obs/bad", &info, H5P_DEFAULT);
  H5Fclose(file);
  auto bytes = read_help::slurp(path);
  memset(&bytes[info.addr], 0xee, 16);
  read_help::spill(path, bytes, bytes.size());
  Handed h;
  read(h);
  EXPECT_FALSE(h.channel("obs/bad"));
  EXPECT_TRUE(h.found("missing: obs/bad is damaged and cannot be read")) << h.findings();
  EXPECT_EQ("states", h.name_at(h.f.states));
}

/* --- outcome --- */

TEST_F(Odd, SparseRewards) {
  rewards({0, 0, 0, 0, 0, 1});
  EXPECT_EQ("1 rewards: 1 at the last action", success());
  EXPECT_EQ("rewards", place);
  rewards({0, 0, 1, 1, 0, 0});
  EXPECT_EQ("1 rewards: 1 at action 2, not at the last", success());
  rewards({0, 0, 0, 0, 0, 0});
  EXPECT_EQ("0 rewards: never 1", success());
}

TEST_F(Odd, ShapedRewards) {
  rewards({0.1, 0.2, 0.5, 0.8, 1, 1});
  EXPECT_EQ("1 rewards: 1 at the last action and before", success());
  rewards({0.1, 0.2, 0.5, 0.8, 0.7, 0.9});
  EXPECT_EQ("-1 ", success());
  EXPECT_EQ("", place);
  rewards({0.1, 1, 2.5, 3.5, 4, 10}); /* 1 is passed by */
  EXPECT_EQ("-1 ", success());
}

TEST_F(Odd, DonesTellWhereTheyAreMoreThanTheEnd) {
  rewards({0, 0, 0, 0, 1, 1}, "dones");
  EXPECT_EQ("1 dones: 1 at the last action and before", success());
  EXPECT_EQ("dones", place);
  rewards({0, 0, 0, 0, 0, 1}, "dones"); /* the end, or a success */
  EXPECT_EQ("-1 ", success());
  rewards({0, 0, 0, 0, 0, 0}, "dones");
  EXPECT_EQ("0 dones: never 1", success());
}

TEST_F(Odd, BoolsAreNumbers) {
  write([](File &f) {
    f.array("/data/demo_0/dones", BOOL, {6}, {0, 0, 0, 1, 1, 1});
    f.array("/data/demo_0/rewards", F64, {6}, {0, 0, 0, 10, 10, 10});
  });
  EXPECT_EQ("1 dones: 1 at the last action and before", success());
}

TEST_F(Odd, TheAttributeHoldsAndAContradictionIsSaid) {
  write([](File &f) {
    f.attr("/data/demo_0", "success", false);
    f.array("/data/demo_0/rewards", F64, {6}, {0, 0, 0, 0, 0, 1});
  });
  EXPECT_EQ("0 attribute success: false", success());
  Handed h;
  open(h);
  EXPECT_EQ("oddity: attribute success: false, but rewards: 1 at the last action\n", h.findings());
  EXPECT_EQ("rewards", h.name_at(h.f.success));
}

TEST_F(Odd, AnAttributeOfTextIsReadAndWhatIsNeitherIsOdd) {
  auto with = [&](auto value) {
    write([&](File &f) {
      f.attr("/data/demo_0", "success", value);
      f.array("/data/demo_0/rewards", F64, {6}, std::vector<double>(6));
    });
    return success();
  };
  EXPECT_EQ("1 attribute success: true", with("True"));
  EXPECT_EQ("0 attribute success: false", with("FALSE"));
  EXPECT_EQ("-1 ", with(2));
  EXPECT_STREQ("attribute success is 2: neither true nor false", look(0).oddity);
  EXPECT_EQ("-1 ", with("maybe"));
  Handed h;
  open(h);
  EXPECT_EQ("oddity: attribute success is maybe: neither true nor false\n", h.findings());
}

TEST_F(Odd, RewardsThatAreNotUnderstoodAreNoFailure) {
  for (double last : {3.5, std::nan("")}) {
    write([&](File &f) {
      f.array("/data/demo_0/rewards", F64, {6}, {0, 0, 0, 0, 0, last});
      f.array("/data/demo_0/dones", I64, {6}, std::vector<double>(6));
    });
    EXPECT_EQ("-1 ", success()) << last;
  }
}

TEST_F(Odd, AllRewardsAreLookedAt) {
  std::vector<double> values(200000);
  values[100] = 1;
  rewards(values);
  EXPECT_EQ("1 rewards: 1 at action 100, not at the last", success());
  values[100] = 0;
  values[199999] = 1;
  foreign::Store packed;
  packed.chunk_rows = 100000;
  packed.gzip = 1;
  write([&](File &f) { f.array("/data/demo_0/rewards", F64, {values.size()}, values, packed); });
  EXPECT_EQ("1 rewards: 1 at the last action", success());
}

TEST_F(Odd, TooManyRewardsAreNotReadAndSaidSo) {
  foreign::Store sparse;
  sparse.chunk_rows = 1 << 20;
  write([&](File &f) { f.array("/data/demo_0/rewards", U8, {(1 << 24) + 1}, {}, sparse); });
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.meta.success);
  EXPECT_TRUE(h.found("missing: rewards has 16777217 rows: they are not read for success"))
      << h.findings();
  EXPECT_EQ(-1, look(0).success);
}

TEST_F(Odd, AGroupThatSaysOtherwiseIsSaid) {
  write([](File &f) {
    f.array("/data/demo_0/rewards", F64, {6}, std::vector<double>(6));
    f.group("/mask");
    f.texts("/mask/successful", {"demo_0"}, 8);
  });
  Handed h;
  read(h);
  EXPECT_EQ(0, h.f.meta.success);
  EXPECT_EQ("oddity: rewards: never 1, but group mask/successful names it\n", h.findings());
  EXPECT_EQ(0, look(0).success);
  EXPECT_STREQ("rewards: never 1, but a group of successes names it", look(0).oddity);
}

/* 1024 rows of them at once would be 328 MB. Their first number is no time: it goes back. */
TEST_F(Odd, WideStatesAreReadInBlocks) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "address space is not what it is";
#endif
  const hsize_t rows = 1024, width = 40000;
  write(
      [&](File &f) {
        std::vector<uint8_t> cells(rows * width);
        for (hsize_t r = 0; r < rows; r += 2)
          cells[r * width] = 1;
        f.typed("/data/demo_0/states", Id(number_type(U8), path), {rows, width}, cells.data());
      },
      -1, 6);
  ASSERT_EQ(PH_OK, list());
  pid_t child = fork();
  if (child == 0) {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlim_t most = (rlim_t)pages * 4096 + (200 << 20);
    struct rlimit limit = {most, most};
    setrlimit(RLIMIT_AS, &limit);
    Handed h;
    open(h);
    _exit(h.status == PH_OK && !h.f.timed ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_EQ(0, status);
}

TEST_F(Odd, RewardsOfTwoNumbersAreNone) {
  write([](File &f) { f.array("/data/demo_0/rewards", F64, {6, 2}, wave(12)); });
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.rewards);
  EXPECT_EQ("oddity: rewards has 2 numbers per action, not one\n", h.findings());
}

TEST_F(Odd, StatesWithoutTime) {
  write(
      [](File &f) {
        std::vector<double> rows;
        for (int i = 0; i < 12; i++)
          rows.insert(rows.end(), {i % 2 ? -1.0 : 1.0, 0, 0});
        f.array("/data/demo_0/states", F64, {12, 3}, rows);
      },
      -1, 12);
  Handed h;
  read(h);
  EXPECT_EQ("states", h.name_at(h.f.states));
  EXPECT_FALSE(h.f.timed);
}

/* --- texts of others --- */

class Json : public Odd {
protected:
  void args(const std::string &text, const char *name = "env_args") {
    write([&](File &f) { f.attr("/data", name, text); });
  }
};

TEST_F(Json, BrokenIsAFinding) {
  args("{\"env_name\": \"Lift\", ");
  Handed h;
  read(h);
  EXPECT_STREQ("robomimic", h.f.meta.layout);
  EXPECT_EQ(0u, h.findings().find("oddity: the attribute env_args is no JSON object: "))
      << h.findings();
  EXPECT_EQ(1u, h.f.nfindings);
}

TEST_F(Json, OfAnotherKindIsAFinding) {
  for (const char *text : {"[1, 2]", "17", "null"}) {
    args(text);
    Handed h;
    read(h);
    EXPECT_EQ("oddity: the attribute env_args is no JSON object\n", h.findings()) << text;
  }
  args("  ");
  Handed h;
  read(h);
  EXPECT_EQ("", h.findings());
}

TEST_F(Json, DeeplyNestedIsAFinding) {
  std::string text;
  for (int i = 0; i < 20000; i++) /* in an object header there is no room for more */
    text += "[";
  args(text);
  Handed h;
  read(h);
  EXPECT_EQ(1u, h.f.nfindings) << h.findings();
}

TEST_F(Json, NestedTwiceIsFound) {
  args("{\"env_name\": \"Lift\", \"env_kwargs\": {\"env_kwargs\": {\"control_freq\": 25, "
       "\"controller_configs\": {\"type\": \"IK_POSE\"}}}}");
  Handed h;
  read(h);
  EXPECT_DOUBLE_EQ(0.04, h.f.dt);
  EXPECT_STREQ("env_args.env_kwargs.env_kwargs.control_freq 25 Hz", h.f.dt_source);
  EXPECT_STREQ("IK_POSE", h.f.meta.controller);
}

TEST_F(Json, DumpedTwiceIsFound) {
  args("\"{\\\"env_name\\\": \\\"Door\\\", \\\"env_kwargs\\\": {\\\"control_freq\\\": 10}}\"");
  Handed h;
  read(h);
  EXPECT_STREQ("Door", h.f.meta.env_name);
  EXPECT_DOUBLE_EQ(0.1, h.f.dt);
}

TEST_F(Json, EnvInfoShaped) {
  args("{\"env_name\": \"Lift\", \"controller_configs\": [{\"type\": \"OSC_POSE\"}, {\"type\": "
       "\"JOINT_POSITION\"}]}",
       "env_info");
  Handed h;
  read(h);
  EXPECT_STREQ("OSC_POSE, JOINT_POSITION", h.f.meta.controller);
}

TEST_F(Json, CompositeController) {
  args(
      "{\"env_kwargs\": {\"controller_configs\": {\"type\": \"BASIC\", \"body_parts\": {\"right\": "
      "{\"type\": \"OSC_POSE\", \"gripper\": {\"type\": \"GRIP\"}}, \"left\": {\"type\": "
      "\"OSC_POSE\"}, \"torso\": {}}}}}");
  Handed h;
  read(h);
  EXPECT_STREQ("OSC_POSE of right, OSC_POSE of left", h.f.meta.controller);
}

TEST_F(Json, FrequenciesThatAreNone) {
  for (const char *freq : {"0", "-20", "\"20\"", "1e-320", "[20]"}) {
    args("{\"env_kwargs\": {\"control_freq\": " + std::string(freq) + "}}");
    Handed h;
    read(h);
    EXPECT_EQ(0, h.f.dt) << freq;
    EXPECT_EQ("oddity: env_args.env_kwargs.control_freq is no frequency\n", h.findings()) << freq;
  }
}

TEST_F(Json, Instructions) {
  write([](File &f) {
    f.attr("/data", "problem_info", "{\"language_instruction\": [\"open\", \"the\", \"drawer\"]}");
  });
  Handed list_of_words;
  read(list_of_words);
  EXPECT_STREQ("open the drawer", list_of_words.f.meta.instruction);
  write([](File &f) {
    f.attr("/data/demo_0", "ep_meta", "{\"lang\": \"close\\u0007 it\", \"layout_id\": 3}");
  });
  Handed lang;
  read(lang);
  EXPECT_STREQ("close\\x07 it", lang.f.meta.instruction);
}

/* --- damage --- */

/* Whatever the bytes are, every answer is a status; rows of what opened are read. */
void use(const std::string &path) {
  hid_t h5;
  if (ph_h5_open(&h5, path.c_str()) != PH_OK)
    return;
  const ph_reader *reader = ph_reader_for(path.c_str(), false, h5);
  ph_scan scan = {};
  if (reader && reader->scan(&scan, path.c_str(), h5) != PH_OK) {
    EXPECT_STRNE("", ph_error());
  }
  for (size_t i = 0; i < scan.n && i < 3; i++) {
    Handed h;
    reader->look(&scan.entries[i], h5);
    h.status = reader->open(&h.f, path.c_str(), scan.entries[i].group, h5);
    for (size_t k = 0; k < h.f.narrays; k++) {
      const ph_array &a = h.f.arrays[k];
      std::vector<double> row(a.channel.width < 4096 ? a.channel.width : 0);
      if (a.read && !row.empty() && a.channel.rows > 0)
        a.read(&a, a.channel.rows - 1, 1, row.data());
    }
  }
  ph_scan_clear(&scan);
  ph_h5_close(h5);
}

TEST_F(Odd, TruncationNeverCrashes) {
  Options o;
  o.rows = {5, 4};
  write_robomimic(path, o);
  auto bytes = read_help::slurp(path);
  path = dir / "cut.hdf5";
  for (size_t n = 0; n < bytes.size(); n += 512) {
    read_help::spill(path, bytes, n);
    use(path);
  }
}

} // namespace
