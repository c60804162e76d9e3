/* robosuite's raw folders: lists, lengths, joined chunks, holes. */
#include <cmath>
#include <sys/stat.h>
#include <unistd.h>

#include "npz_help.h"

extern "C" {
#include "foreign.h"
#include "read_raw.h"
}

using namespace npz;

/* A chunk as robosuite writes it. */
static std::vector<Member> chunk(int64_t states, int64_t actions, double from = 0,
                                 bool success = false) {
  std::string pickle = "\x80\x03]q\x01(}q\x02X\x07";
  return {{"states.npy", rows(states, 4, from)},
          {"action_infos.npy", array("|O", "(" + std::to_string(actions) + ",)", pickle)},
          {"successful.npy", array("|b1", "()", std::string(1, success))},
          {"env.npy", array("|S4", "()", "Lift")}};
}

struct Raw : ::testing::Test {
  Folder folder;
  std::string ep = folder / "ep_1700000000_1234567";
  ph_foreign f{};

  void SetUp() override {
    std::filesystem::create_directory(ep);
    write_bytes(ep + "/model.xml", "<mujoco/>");
  }
  void TearDown() override { ph_foreign_clear(&f); }
  void put(const std::string &name, const std::vector<Member> &members) {
    write_bytes(ep + "/" + name, zip(members));
  }
  /* 101 + 37 states, 100 + 37 actions. */
  void two() {
    put("state_1700000000_11.npz", chunk(101, 100));
    put("state_1700000001_12.npz", chunk(37, 37, 5.05, true));
  }
  ph_status open() { return ph_read_raw.open(&f, ep.c_str(), "/", H5I_INVALID_HID); }
  ph_entry look() {
    ph_entry e{};
    snprintf(e.file, sizeof e.file, "%s", ep.c_str());
    EXPECT_EQ(PH_OK, ph_read_raw.look(&e, H5I_INVALID_HID)) << ph_error();
    return e;
  }
  std::vector<std::string> findings(ph_finding_kind kind) const {
    std::vector<std::string> out;
    for (size_t i = 0; i < f.nfindings; i++)
      if (f.findings[i].kind == kind)
        out.push_back(std::to_string(f.findings[i].step) + ": " + f.findings[i].text);
    return out;
  }
  const ph_array *find(const std::string &name) const {
    for (size_t i = 0; i < f.narrays; i++)
      if (name == f.arrays[i].channel.name)
        return &f.arrays[i];
    return nullptr;
  }
  std::vector<double> read(const std::string &name, int64_t first, int64_t n) const {
    const ph_array *a = find(name);
    std::vector<double> out((size_t)n * a->channel.width);
    EXPECT_EQ(PH_OK, a->read(a, first, n, out.data()));
    return out;
  }
  const ph_channel &channel(const std::string &name) const {
    static const ph_channel none{};
    const ph_array *a = find(name);
    EXPECT_NE(nullptr, a) << name;
    return a ? a->channel : none;
  }
};

/* --- what is one, and what is in it --- */

TEST_F(Raw, DetectsAnEpisodeAndAFolderOfThem) {
  auto is_raw = [](const std::string &path) {
    return ph_read_raw.detect(path.c_str(), H5I_INVALID_HID);
  };
  EXPECT_TRUE(is_raw(ep)) << "its name says so, and a look that it is empty";
  EXPECT_TRUE(is_raw(folder.path));
  std::filesystem::create_directories(folder / "other/models");
  write_bytes(folder / "other/models/model.xml", "<mujoco/>");
  EXPECT_FALSE(is_raw(folder / "other/models")) << "a model alone is no episode";
  EXPECT_FALSE(is_raw(folder / "other"));
  two();
  EXPECT_TRUE(is_raw(ep));
  EXPECT_TRUE(is_raw(ep + "/"));
  EXPECT_TRUE(is_raw(folder.path));
  unlink((ep + "/model.xml").c_str());
  EXPECT_TRUE(is_raw(ep)) << "its states can be seen without a model";
  EXPECT_FALSE(is_raw("/"));
  EXPECT_FALSE(is_raw(folder / "none"));
  EXPECT_FALSE(is_raw(ep + "/state_1700000000_11.npz"));
  EXPECT_TRUE(ph_read_raw.folder);
}

TEST_F(Raw, ScansNamesAlone) {
  for (const char *name : {"ep_10_5", "ep_9_5", "other", "ep_"})
    std::filesystem::create_directory(folder / name);
  write_bytes(folder / "ep_file", "");
  ph_scan scan;
  OK(ph_read_raw.scan(&scan, folder.path.c_str(), H5I_INVALID_HID));
  ASSERT_EQ(3u, scan.n);
  EXPECT_STREQ("ep_9_5", scan.entries[0].id) << "natural order";
  EXPECT_STREQ("ep_10_5", scan.entries[1].id);
  EXPECT_STREQ("ep_1700000000_1234567", scan.entries[2].id);
  EXPECT_EQ(ep, scan.entries[2].file);
  EXPECT_STREQ("robosuite raw", scan.layout);
  EXPECT_EQ(-1, scan.entries[0].states);
  EXPECT_EQ(-1, scan.entries[0].success);
  EXPECT_EQ(0u, scan.ngroups);
  ph_scan_clear(&scan);
  std::filesystem::create_directory(folder / "other/ep_");
  EXPECT_EQ(PH_EFORMAT, ph_read_raw.scan(&scan, (folder / "other").c_str(), H5I_INVALID_HID));
}

TEST_F(Raw, OneEpisodeIsNamedAfterItsFolder) {
  two();
  std::filesystem::create_symlink(ep, folder / "link");
  for (std::string path : {ep, ep + "/", ep + "/.", folder / "link"}) {
    ph_scan scan;
    OK(ph_read_raw.scan(&scan, path.c_str(), H5I_INVALID_HID));
    ASSERT_EQ(1u, scan.n);
    EXPECT_STREQ("ep_1700000000_1234567", scan.entries[0].id) << path;
    EXPECT_EQ(path, scan.entries[0].file);
    EXPECT_EQ(1700000000, scan.entries[0].episode);
    ph_scan_clear(&scan);
  }
}

TEST_F(Raw, ALookGivesLengthsAndSuccess) {
  two();
  ph_entry e = look();
  EXPECT_EQ(138, e.states);
  EXPECT_EQ(0, e.actions) << "they are pickled";
  EXPECT_EQ(1, e.success);
  EXPECT_EQ(PH_END_SUCCESS, e.end_reason);
  EXPECT_STREQ("", e.oddity);
  put("state_1700000001_12.npz", chunk(37, 37, 5.05, false));
  EXPECT_EQ(0, look().success);
  write_bytes(ep + "/state_1700000001_12.npz", "junk");
  e = look();
  EXPECT_EQ(101, e.states);
  EXPECT_EQ(-1, e.success) << "the one that cannot be read may have succeeded";
  EXPECT_STREQ("state_1700000001_12.npz: it is not a ZIP archive", e.oddity);
  put("state_1700000001_12.npz", {{"states.npy", rows(3, 5)}});
  EXPECT_STREQ("state_1700000001_12.npz: its states cannot be joined to the others", look().oddity);
  for (auto name : {"/state_1700000000_11.npz", "/state_1700000001_12.npz"})
    unlink((ep + name).c_str());
  EXPECT_STREQ("it holds no states", look().oddity);
}

/* --- joined --- */

TEST_F(Raw, ChunksAreJoined) {
  two();
  write_bytes(ep + "/ep_meta.json",
              "{\"lang\": \"lift the\\ncube\", \"layout_id\": 3, \"style\": 1}");
  OK(open());
  ASSERT_EQ(2u, f.narrays);
  EXPECT_STREQ("action_infos", f.arrays[0].channel.name) << "in the order of names";
  ASSERT_EQ(1, f.states);
  EXPECT_EQ(138, f.arrays[1].channel.rows);
  EXPECT_EQ(4u, f.arrays[1].channel.width);
  EXPECT_EQ(2, f.arrays[1].channel.rank);
  EXPECT_EQ(PH_F64, f.arrays[1].stored);
  std::vector<double> got = read("states", 100, 2);
  double expected[8] = {100 * 0.05, 100.01, 100.02, 100.03, 5.05, 0.01, 0.02, 0.03};
  EXPECT_EQ(0, memcmp(expected, got.data(), sizeof expected));
  EXPECT_TRUE(f.timed);
  EXPECT_EQ(-1, f.actions);
  EXPECT_EQ(-1, f.rewards);
  EXPECT_EQ(-1, f.dones);
  EXPECT_EQ(-1, f.success);
  EXPECT_EQ(0, f.action_shift);
  EXPECT_STREQ("ep_1700000000_1234567", f.meta.id);
  EXPECT_STREQ("robosuite raw", f.meta.layout);
  EXPECT_STREQ("Lift", f.meta.env_name);
  EXPECT_STREQ("2023-11-14T22:13:20Z", f.meta.created);
  EXPECT_STREQ("lift the\\x0acube", f.meta.instruction);
  EXPECT_EQ(1, f.meta.success);
  EXPECT_STREQ("the chunks' successful", f.meta.success_source);
  EXPECT_EQ((std::vector<std::string>{
                "-1: ep_meta.json: not shown: layout_id, style",
                "-1: 137 actions are pickled Python objects, which are not read: states only"}),
            findings(PH_FINDING_MISSING));
  EXPECT_TRUE(findings(PH_FINDING_ODDITY).empty()) << findings(PH_FINDING_ODDITY)[0];
  EXPECT_EQ(PH_CHANNEL_OTHER, channel("action_infos").kind);
  EXPECT_EQ(137, channel("action_infos").rows);
  EXPECT_STREQ("its elements are pickled Python objects", channel("action_infos").note);
}

TEST_F(Raw, TheModelComesWithItsPath) {
  two();
  OK(open());
  EXPECT_EQ("<mujoco/>", std::string(f.model_text, f.model_size));
  EXPECT_EQ(ep + "/model.xml", f.model_path);
  ph_foreign_clear(&f);
  unlink((ep + "/model.xml").c_str());
  OK(open());
  EXPECT_EQ(nullptr, f.model_text);
  EXPECT_STREQ("model.xml: No such file or directory", f.model_fault);
  ph_foreign_clear(&f);
  ASSERT_EQ(0, mkfifo((ep + "/model.xml").c_str(), 0600));
  OK(open());
  EXPECT_STREQ("model.xml: it is not a regular file", f.model_fault);
}

TEST_F(Raw, ChunksAreInTheOrderOfTheirTimes) {
  put("state_1700000000_5.npz", chunk(2, 2, 0.10));
  put("state_1700000000_12345.npz", chunk(2, 1, 0)); /* 0.12345 is before 0.5 */
  put("state_1700000001_1.npz", chunk(2, 2, 0.20));
  OK(open());
  EXPECT_EQ(0, read("states", 0, 1)[0]);
  EXPECT_EQ(0.10, read("states", 2, 1)[0]);
  EXPECT_EQ(0.20, read("states", 4, 1)[0]);
  EXPECT_TRUE(findings(PH_FINDING_ODDITY).empty());
}

TEST_F(Raw, ChunksWithOtherNamesAreInNaturalOrder) {
  put("state_10.npz", chunk(2, 2, 0.10));
  put("state_2.npz", chunk(2, 1, 0));
  put("statement.npz", chunk(9, 9, 7));
  OK(open());
  EXPECT_EQ(0, read("states", 0, 1)[0]);
  EXPECT_EQ(4, channel("states").rows);
}

TEST_F(Raw, OtherArraysKeepInStep) {
  auto first = chunk(3, 2), second = chunk(2, 2, 0.15);
  std::vector<float> pos = {1, 2, 3, 4, 5, 6}, more = {7, 8, 9, 10};
  std::vector<int64_t> r = {10, 11}, s = {12, 13};
  first.push_back({"obs/pos.npy", array("<f4", "(3, 2)", raw(pos))});
  second.push_back({"obs/pos.npy", array("<f4", "(2, 2)", raw(more)), true});
  first.push_back({"reward.npy", array("<i8", "(2,)", raw(r))});
  second.push_back({"reward.npy", array("<i8", "(2,)", raw(s))});
  first.push_back({"rgb.npy", array("|u1", "(3, 2, 2, 3)", std::string(36, 'x'))});
  second.push_back({"rgb.npy", array("|u1", "(2, 2, 2, 3)", std::string(24, 'x'))});
  first.push_back({"freq.npy", array("<i8", "()", le(20, 8))});
  second.push_back({"freq.npy", array("<i8", "()", le(20, 8))});
  put("state_1700000000_1.npz", first);
  put("state_1700000000_2.npz", second);
  OK(open());
  EXPECT_EQ(5u, f.narrays);
  EXPECT_EQ((std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), read("obs/pos", 0, 5));
  EXPECT_STREQ("float32", channel("obs/pos").type);
  EXPECT_EQ(PH_F32, find("obs/pos")->stored);
  EXPECT_EQ((std::vector<double>{10, 11, 12, 13}), read("reward", 0, 4));
  EXPECT_EQ(1u, channel("reward").width);
  EXPECT_EQ(PH_CHANNEL_IMAGE, channel("rgb").kind);
  EXPECT_EQ(5, channel("rgb").rows);
  EXPECT_EQ(5, channel("rgb").dim[0]);
  EXPECT_EQ(nullptr, find("rgb")->read);
  EXPECT_EQ("-1: state_1700000000_1.npz: freq (int64): its rows are no steps: not shown",
            findings(PH_FINDING_MISSING).at(0));
  EXPECT_EQ(2u, findings(PH_FINDING_MISSING).size()) << "once, and the actions";
}

TEST_F(Raw, PlainActionsAreTaken) {
  auto first = chunk(3, 2), second = chunk(1, 1, 0.15);
  first.push_back({"actions.npy", array("<f8", "(2, 2)", raw(std::vector<double>{1, 2, 3, 4}))});
  second.push_back({"actions.npy", array("<f8", "(1, 2)", raw(std::vector<double>{5, 6}))});
  put("state_1700000000_1.npz", first);
  put("state_1700000000_2.npz", second);
  OK(open());
  ASSERT_GE(f.actions, 0);
  EXPECT_EQ((std::vector<double>{1, 2, 3, 4, 5, 6}), read("actions", 0, 3));
  EXPECT_EQ(0, f.action_shift);
  EXPECT_TRUE(findings(PH_FINDING_MISSING).empty());
  EXPECT_EQ(3, look().actions);
}

TEST_F(Raw, AsManyStatesAsActionsAreThoseAfterThem) {
  auto first = chunk(2, 2);
  first.push_back({"actions.npy", array("<f8", "(2,)", raw(std::vector<double>{1, 2}))});
  put("state_1700000000_1.npz", first);
  OK(open());
  EXPECT_EQ(1, f.action_shift) << "the action taken at state 0 is the second";
  EXPECT_EQ(-1, channel("action_infos").shift);
  EXPECT_EQ(std::vector<std::string>{"0: state_1700000000_1.npz: 2 states for as many actions: the "
                                     "state before the first action was not recorded, or a chunk "
                                     "before it is missing"},
            findings(PH_FINDING_ODDITY));
}

/* --- holes --- */

TEST_F(Raw, ADamagedChunkIsAHole) {
  put("state_1700000000_1.npz", chunk(11, 10));
  put("state_1700000001_2.npz", chunk(10, 10, 0.55));
  put("state_1700000002_3.npz", chunk(10, 10, 1.05, true));
  std::string bytes = bytes_of(ep + "/state_1700000001_2.npz");
  bytes[200] ^= 1;
  write_bytes(ep + "/state_1700000001_2.npz", bytes);
  OK(open());
  EXPECT_EQ(21, channel("states").rows);
  EXPECT_EQ(0.5, read("states", 10, 1)[0]);
  EXPECT_EQ(1.05, read("states", 11, 1)[0]);
  EXPECT_EQ("11: state_1700000001_2.npz: states: it is damaged: CRC error: its steps are left out",
            findings(PH_FINDING_MISSING).at(0));
  EXPECT_TRUE(findings(PH_FINDING_ODDITY).empty()) << "the hole is known";
  EXPECT_EQ(1, f.meta.success);
  ph_foreign_clear(&f);
  write_bytes(ep + "/state_1700000001_2.npz", "");
  OK(open());
  EXPECT_EQ("11: state_1700000001_2.npz: the file is empty: its steps are left out",
            findings(PH_FINDING_MISSING).at(0));
}

TEST_F(Raw, AMissingChunkShowsInTheTime) {
  put("state_1700000000_1.npz", chunk(11, 10));
  put("state_1700000002_3.npz", chunk(10, 10, 1.05));
  OK(open());
  ASSERT_EQ(1u, findings(PH_FINDING_ODDITY).size());
  EXPECT_EQ("11: the time leaps by 0.55 s from state_1700000000_1.npz to state_1700000002_3.npz, "
            "where a step takes at most 0.05 s: a chunk may be missing",
            findings(PH_FINDING_ODDITY)[0]);
  ph_foreign_clear(&f);
  put("state_1700000002_3.npz", chunk(10, 10, 0.25));
  OK(open());
  EXPECT_EQ("11: the time goes back by 0.25 s from state_1700000000_1.npz to "
            "state_1700000002_3.npz",
            findings(PH_FINDING_ODDITY).at(0));
}

TEST_F(Raw, AChunkOfAnotherWidthIsLeftOut) {
  put("state_1700000000_1.npz", chunk(3, 2));
  put("state_1700000000_2.npz", {{"states.npy", rows(2, 5)}});
  put("state_1700000000_3.npz", {{"other.npy", rows(2, 5)}});
  put("state_1700000000_4.npz", {{"states.npy", array("<f8", "(3,)", std::string(24, 0))}});
  put("state_1700000000_5.npz", {{"states.npy", array("|O", "(3, 4)", "pickle")}});
  OK(open());
  EXPECT_EQ(3, channel("states").rows);
  auto said = findings(PH_FINDING_MISSING);
  ASSERT_EQ(5u, said.size());
  EXPECT_EQ("3: state_1700000000_2.npz: a state has 5 numbers; in the chunks before it has 4: its "
            "steps are left out",
            said[0]);
  EXPECT_EQ("3: state_1700000000_3.npz: it holds no states: its steps are left out", said[1]);
  EXPECT_EQ("3: state_1700000000_4.npz: states: it is no matrix of numbers: its steps are left out",
            said[2]);
  EXPECT_EQ("3: state_1700000000_5.npz: states: its elements are pickled Python objects: its steps "
            "are left out",
            said[3]);
  EXPECT_EQ(-1, f.meta.success) << "chunks that are not there may have said so";
}

TEST_F(Raw, RowsThatAChunkLacksAreNaN) {
  auto first = chunk(3, 2), second = chunk(2, 2, 0.15), third = chunk(2, 2, 0.25);
  std::vector<double> a = {1, 2, 3}, c = {6, 7};
  first.push_back({"x.npy", array("<f8", "(3,)", raw(a))});
  second.push_back({"x.npy", array("<f8", "(2,)", raw(c)), false, -1, -1, 99});
  third.push_back({"x.npy", array("<f8", "(2,)", raw(c))});
  third.push_back({"late.npy", array("<f8", "(2, 1)", raw(c))});
  put("state_1700000000_1.npz", first);
  put("state_1700000000_2.npz", second);
  put("state_1700000000_3.npz", third);
  OK(open());
  std::vector<double> x = read("x", 0, 7), late = read("late", 0, 7);
  EXPECT_EQ(3, x[2]);
  EXPECT_TRUE(std::isnan(x[3]) && std::isnan(x[4]));
  EXPECT_EQ(6, x[5]);
  EXPECT_TRUE(std::isnan(late[0]) && std::isnan(late[4]));
  EXPECT_EQ(7, late[6]);
  auto said = findings(PH_FINDING_MISSING);
  ASSERT_EQ(3u, said.size());
  EXPECT_EQ("3: state_1700000000_2.npz: x: rows 3 to 4 are not there, or damaged, or of another "
            "shape",
            said[0]);
  EXPECT_EQ("0: late: the first 5 rows are in no chunk", said[1]);
}

TEST_F(Raw, WhatIsCountedWrongIsSaid) {
  put("state_1700000000_1.npz", chunk(3, 2));
  auto second = chunk(2, 1, 0.15), third = chunk(2, 2, 0.25);
  second[3].data = array("|S4", "()", "Door");
  third.erase(third.begin() + 1, third.begin() + 3);
  put("state_1700000000_2.npz", second);
  put("state_1700000000_3.npz", third);
  OK(open());
  EXPECT_EQ((std::vector<std::string>{
                "3: state_1700000000_2.npz: 2 states for 1 actions",
                "3: state_1700000000_2.npz: it is of Door; the chunks before are of Lift"}),
            findings(PH_FINDING_ODDITY));
  EXPECT_EQ("5: state_1700000000_3.npz: how many actions it holds is not known: 2 are assumed",
            findings(PH_FINDING_MISSING).at(0));
  EXPECT_EQ(-1, f.meta.success) << "the last chunk does not say";
}

TEST_F(Raw, EmptyChunksAreNothingSpecial) {
  put("state_1700000000_1.npz", chunk(3, 2));
  auto second = chunk(1, 0, 0.15);
  second[0].data = array("<f8", "(0,)", "");
  put("state_1700000000_2.npz", second);
  OK(open());
  EXPECT_EQ(3, channel("states").rows);
  EXPECT_TRUE(findings(PH_FINDING_ODDITY).empty());
}

TEST_F(Raw, WithoutStatesItSaysWhy) {
  EXPECT_EQ(PH_EFORMAT, open());
  EXPECT_EQ(ep + ": it holds no states", ph_error());
  EXPECT_EQ(0u, f.narrays + f.nfindings);
  write_bytes(ep + "/state_1700000000_1.npz", "junk");
  EXPECT_EQ(PH_EFORMAT, open());
  EXPECT_EQ(ep + ": it holds no states: state_1700000000_1.npz: it is not a ZIP archive: its steps "
                 "are left out",
            ph_error());
  EXPECT_EQ(PH_EIO, ph_read_raw.open(&f, (folder / "none").c_str(), "/", H5I_INVALID_HID));
}

TEST_F(Raw, NotesThatAreNoJsonAreSaid) {
  two();
  for (auto &c : {std::pair<const char *, const char *>{"[1]", "it is no JSON object"},
                  {"{\"lang\": ", "line 1: "}}) {
    write_bytes(ep + "/ep_meta.json", c.first);
    OK(open());
    EXPECT_EQ(0u, findings(PH_FINDING_MISSING)
                      .at(0)
                      .find(std::string("-1: ep_meta.json: it cannot be read: ") + c.second))
        << findings(PH_FINDING_MISSING)[0];
    ph_foreign_clear(&f);
  }
}

TEST_F(Raw, AFlipOfAnyByteOfAChunkSpoilsNoOther) {
  put("state_1700000000_1.npz", chunk(3, 2));
  put("state_1700000000_2.npz", chunk(2, 2, 0.15));
  OK(open());
  std::vector<double> whole = read("states", 0, 5);
  std::string path = ep + "/state_1700000000_2.npz", bytes = bytes_of(path);
  for (size_t i = 0; i < bytes.size(); i++) {
    std::string flipped = bytes;
    flipped[i] = (char)(flipped[i] ^ (1 << i % 8));
    write_bytes(path, flipped);
    ph_foreign_clear(&f);
    OK(open()) << i;
    int64_t n = channel("states").rows;
    ASSERT_TRUE(n == 5 || (n == 3 && f.nfindings > 1)) << i;
    ASSERT_EQ(0, memcmp(whole.data(), read("states", 0, n).data(), (size_t)n * 32)) << i;
  }
}

/* --- too large --- */

/* An archive whose last member ends in a hole of the file: nothing of it is on disk. */
static void put_hole(const std::string &path, std::vector<Member> members, uint64_t hole) {
  Member &last = members.back();
  last.size = last.packed = (int64_t)(last.data.size() + hole);
  std::string all = zip(members);
  size_t at = all.find("PK\1\2");
  all.replace(all.size() - 6, 4, le(at + hole, 4));
  write_bytes(path, all.substr(0, at));
  std::filesystem::resize_file(path, at + hole);
  std::ofstream(path, std::ios::binary | std::ios::app) << all.substr(at);
}

TEST_F(Raw, StatesBeyondTheLimitAreRefusedUnread) {
  const uint64_t rows = PH_RAW_STATES_MAX / 32 + 1;
  put_hole(ep + "/state_1700000000_1.npz",
           {{"states.npy", array("<f8", "(" + std::to_string(rows) + ", 4)", "")}}, rows * 32);
  EXPECT_EQ((int64_t)rows, look().states) << "from its header";
  EXPECT_EQ(PH_EREFUSED, open());
  EXPECT_EQ(ep + "/state_1700000000_1.npz: states: it takes 134217760 bytes, more than the "
                 "134217728 that are allowed",
            ph_error());
}

/* 96 MB would fit into memory once, but not while it is joined in a child of limited memory. */
TEST_F(Raw, AnArrayThatIsTooLargeIsNamedAndSaidSoOnce) {
  auto first = chunk(3, 2);
  first.push_back({"depth.npy", array("<f8", "(3, 4000000)", "")});
  put_hole(ep + "/state_1700000000_1.npz", first, 96000000);
  put("state_1700000000_2.npz", chunk(2, 2, 0.15));
  OK(open());
  EXPECT_EQ(5, channel("states").rows);
  EXPECT_EQ(PH_CHANNEL_OTHER, channel("depth").kind);
  EXPECT_STREQ("too large: the arrays beside states and actions take more than 64 MiB",
               channel("depth").note);
  EXPECT_EQ(5, channel("depth").rows);
  for (const std::string &said : findings(PH_FINDING_MISSING))
    EXPECT_EQ(std::string::npos, said.find("depth: rows 0")) << "it is there: " << said;
}

TEST_F(Raw, WhatIsBesideTheStatesTakesNoneOfTheirRoom) {
  ph_raw_rows rows{};
  ph_npy shape{};
  rows.folder = "x";
  shape.rank = 2;
  shape.dim[1] = 1 << 20;
  strcpy(shape.name, "depth");
  ph_raw_series *depth = ph_raw_add(&rows, &shape);
  depth->kind = ph_raw_series::PH_RAW_NUMBERS;
  OK(ph_raw_append_side(&rows, depth, nullptr, 8));
  EXPECT_EQ(0u, ph_raw_left(&rows, depth));
  EXPECT_EQ(PH_RAW_STATES_MAX, ph_raw_left(&rows, nullptr));
  OK(ph_raw_append_side(&rows, depth, nullptr, 1));
  EXPECT_EQ(ph_raw_series::PH_RAW_NAMED, depth->kind);
  EXPECT_EQ(9, depth->rows);
  EXPECT_EQ(PH_RAW_SIDE_MAX, ph_raw_left(&rows, depth));
  ph_raw_rows_clear(&rows);
}

/* --- the sample --- */

TEST_F(Raw, TheSampleHas138StatesAnd137Actions) {
  std::string sample = std::string(TEST_SOURCE_ROOT) + "/../shared/samples/synthetic/robosuite_raw";
  if (access(sample.c_str(), R_OK) != 0)
    GTEST_SKIP() << "the samples are not here";
  ASSERT_TRUE(ph_read_raw.detect(sample.c_str(), H5I_INVALID_HID));
  ph_scan scan;
  OK(ph_read_raw.scan(&scan, sample.c_str(), H5I_INVALID_HID));
  ASSERT_EQ(1u, scan.n);
  OK(ph_read_raw.look(&scan.entries[0], H5I_INVALID_HID));
  EXPECT_EQ(138, scan.entries[0].states);
  OK(ph_read_raw.open(&f, scan.entries[0].file, scan.entries[0].group, H5I_INVALID_HID));
  ph_scan_clear(&scan);
  EXPECT_EQ(138, channel("states").rows);
  EXPECT_EQ(32u, channel("states").width);
  EXPECT_EQ(137, channel("action_infos").rows);
  EXPECT_STREQ("Lift", f.meta.env_name);
  EXPECT_EQ(1, f.meta.success);
  EXPECT_NE(nullptr, f.model_text);
}
