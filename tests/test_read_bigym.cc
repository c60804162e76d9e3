/* BiGym's demonstrations: lists, arrays, what is of the whole episode, what is odd. */
#include <cmath>
#include <sys/stat.h>
#include <unistd.h>

#include <playhead/latch.h>
#include <playhead/outcomes.h>

#include "bigym_help.h"

extern "C" {
#include "foreign.h"
#include "probe.h"
#include "read_bigym.h"
}

using namespace bigym;

struct Bigym : ::testing::Test {
  Batch batch;
  ph_foreign f{};
  std::string file = batch / batch.a;

  void TearDown() override { ph_foreign_clear(&f); }
  ph_status open(const std::string &path) {
    ph_foreign_clear(&f);
    return ph_read_bigym.open(&f, path.c_str(), "/", H5I_INVALID_HID);
  }
  ph_status open() { return open(file); }
  ph_status open(const std::vector<Member> &members) {
    batch.put(batch.a, zip(members));
    return open();
  }
  ph_status open_with(const std::string &name, const std::string &data) {
    auto members = episode(31);
    set(members, name, data);
    return open(members);
  }
  ph_entry look(const std::string &path) {
    ph_entry e{};
    snprintf(e.file, sizeof e.file, "%s", path.c_str());
    EXPECT_EQ(PH_OK, ph_read_bigym.look(&e, H5I_INVALID_HID)) << ph_error();
    return e;
  }
  std::string findings(ph_finding_kind kind) const {
    std::string out;
    for (size_t i = 0; i < f.nfindings; i++)
      if (f.findings[i].kind == kind)
        out += std::string(f.findings[i].text) + "\n";
    return out;
  }
  const ph_array *find(const std::string &name) const {
    for (size_t i = 0; i < f.narrays; i++)
      if (name == f.arrays[i].channel.name)
        return &f.arrays[i];
    return nullptr;
  }
  const ph_channel &channel(const std::string &name) const {
    static const ph_channel none{};
    const ph_array *a = find(name);
    EXPECT_NE(nullptr, a) << name;
    return a ? a->channel : none;
  }
  std::vector<double> read(const ph_array *a, int64_t first, int64_t n) const {
    std::vector<double> out((size_t)n * a->channel.width);
    EXPECT_EQ(PH_OK, a->read(a, first, n, out.data()));
    return out;
  }
};

/* A batch, or a file of it, as the program opens it. */
struct BigymStore : Bigym {
  ph_store *store = nullptr;
  ph_episode *episode_ = nullptr;
  std::string model = batch.folder / "model.xml";
  ph_store_options opt{};

  void TearDown() override {
    ph_episode_free(episode_);
    ph_store_free(store);
    Bigym::TearDown();
  }
  void use_model(const std::string &text = model_xml) {
    write_bytes(model, text);
    opt.model_path = model.c_str();
  }
  void take(const std::string &path, size_t i = 0) {
    const char *paths[] = {path.c_str()};
    OK(ph_store_open(&store, paths, 1, &opt));
    OK(ph_store_episode(&episode_, store, i));
  }
  std::vector<double> column(ph_column col, int64_t first, int64_t n, size_t width) {
    std::vector<double> out((size_t)n * width);
    EXPECT_EQ(PH_OK, ph_episode_read(episode_, col, first, n, out.data())) << ph_error();
    return out;
  }
  std::string why() {
    ph_model *m = nullptr;
    const ph_episode_meta *meta = ph_episode_meta_of(episode_);
    char text[400];
    if (meta->model_sha256[0]) {
      EXPECT_EQ(PH_OK, ph_store_model(&m, store, meta->model_sha256)) << ph_error();
    }
    ph_guarantee g = ph_episode_guarantee(episode_, m, nullptr, text, sizeof text);
    ph_model_unref(m);
    return std::string(ph_guarantee_name(g)) + ": " + text;
  }
};

/* --- what is one, and what is in it --- */

TEST(BigymName, IsOfThePattern) {
  ph_bigym_name n;
  ASSERT_TRUE(ph_bigym_parse(&n, "20260826T101112_0_30.npz"));
  EXPECT_STREQ("20260826T101112", n.stamp);
  EXPECT_EQ(0, n.index);
  EXPECT_EQ(30, n.length);
  EXPECT_STREQ("20260826T101112_0_", n.stem);
  ASSERT_TRUE(ph_bigym_parse(&n, "20260826T101112_007_0030.npz"));
  EXPECT_EQ(7, n.index);
  EXPECT_STREQ("20260826T101112_007_", n.stem);
  for (auto name :
       {"", "20260826T101112", "20260826T101112_0.npz", "20260826T101112_0_.npz",
        "20260826T101112__30.npz", "20260826T101112_0_30", "20260826T101112_0_30.npz.x",
        "2026082T6101112_0_30.npz", "20260826101112_0_30.npz", "x20260826T101112_0_3.npz",
        "20260826T101112_-1_30.npz", "20260826T101112_0_3x.npz",
        "20260826T101112_0_9999999999999999999.npz", "20260826T101112_9999999999999999999_1.npz"})
    EXPECT_FALSE(ph_bigym_parse(&n, name)) << name;
}

TEST_F(Bigym, DetectsABatchAndAFileOfIt) {
  auto folder = [](const std::string &path) {
    return ph_reader_for(path.c_str(), true, H5I_INVALID_HID) == &ph_read_bigym;
  };
  auto plain = [](const std::string &path) { return ph_reader_plain(path.c_str()) != nullptr; };
  EXPECT_TRUE(folder(batch.path));
  EXPECT_TRUE(folder(batch.path + "/"));
  EXPECT_FALSE(folder(batch.folder.path)) << "the folder above";
  EXPECT_FALSE(folder(batch.folder / "none"));
  EXPECT_TRUE(plain(file));
  EXPECT_FALSE(plain(batch / "metadata.json"));
  EXPECT_FALSE(plain("/dev/zero"));
  batch.put("mine.npz", zip(episode(4)));
  EXPECT_TRUE(plain(batch / "mine.npz")) << "by its arrays";
  batch.put("other.npz", zip({{"states.npy", rows(3, 4)}}));
  EXPECT_FALSE(plain(batch / "other.npz"));
  for (auto &name : {batch.a, batch.b, batch.c})
    unlink((batch / name).c_str());
  EXPECT_TRUE(folder(batch.path)) << "its metadata says so";
  batch.put("metadata.json", "{\"format\": \"other\"}");
  EXPECT_FALSE(folder(batch.path));
}

TEST_F(Bigym, ListsFilesInNaturalOrder) {
  for (int i : {2, 10, 9})
    batch.put("20260826T101112_" + std::to_string(i) + "_11.npz", "");
  batch.put(".20260826T101112_8_11.npz", "");
  ph_scan scan;
  OK(ph_read_bigym.scan(&scan, (batch.path + "/").c_str(), H5I_INVALID_HID));
  std::string ids;
  for (size_t i = 0; i < scan.n; i++)
    ids += std::string(scan.entries[i].id) + " ";
  EXPECT_EQ("20260826T101112_0_30.npz 20260826T101112_1_40.npz 20260826T101112_2_11.npz "
            "20260826T101112_9_11.npz 20260826T101112_10_11.npz 20260826T101513_2_11.npz ",
            ids);
  EXPECT_EQ(batch / "20260826T101112_10_11.npz", scan.entries[4].file);
  EXPECT_EQ(10, scan.entries[4].episode);
  EXPECT_EQ(-1, scan.entries[4].states);
  EXPECT_STREQ("", scan.entries[4].oddity);
  EXPECT_STREQ("BiGym", scan.layout);
  ph_scan_clear(&scan);
}

TEST_F(Bigym, ALookGivesLengthsAndSuccess) {
  ph_entry e = look(file);
  EXPECT_EQ(31, e.states);
  EXPECT_EQ(30, e.actions);
  EXPECT_EQ(1, e.success);
  EXPECT_EQ(PH_END_SUCCESS, e.end_reason);
  EXPECT_STREQ("", e.oddity);
  auto members = episode(31);
  set(members, "reward", floats({31, 1}));
  drop(members, "action");
  batch.put("20260826T101112_0_33.npz", zip(members));
  e = look(batch / "20260826T101112_0_33.npz");
  EXPECT_EQ(0, e.success);
  EXPECT_EQ(0, e.actions);
  EXPECT_STREQ("its name says 33 steps, its arrays have 30 (31 frames)", e.oddity);
}

TEST_F(Bigym, RowTIsWhatActionTHasLedTo) {
  OK(open());
  EXPECT_EQ(1, f.action_shift);
  EXPECT_EQ(31, f.meta.states);
  EXPECT_FALSE(f.timed);
  const ph_array *states = &f.arrays[f.states];
  EXPECT_EQ(6u, states->channel.width);
  EXPECT_EQ(PH_F64, states->stored);
  std::vector<double> got = read(states, 4, 2);
  for (int r = 0; r < 2; r++)
    for (int i = 0; i < 3; i++) {
      EXPECT_EQ(0.1 + 1e-3 * ((4 + r) * 3 + i), got[(size_t)(r * 6 + i)]);
      EXPECT_EQ(-0.1 + 1e-3 * ((4 + r) * 3 + i), got[(size_t)(r * 6 + 3 + i)]);
    }
  EXPECT_STREQ("reward", f.arrays[f.rewards].channel.name);
  EXPECT_EQ(f.rewards, f.success);
  EXPECT_EQ(1, f.meta.success);
  EXPECT_STREQ("reward: 1 at the last frame", f.meta.success_source);
  EXPECT_EQ(0, channel("full_qpos").shift);
  EXPECT_EQ(-1, channel("action").shift);
  EXPECT_EQ("", findings(PH_FINDING_ODDITY));
}

TEST_F(Bigym, ActionsAreMappedByTheirRanges) {
  auto members = episode(31);
  set(members, "raw_outer_action", floats({31, 2}, 5));
  OK(open(members));
  const ph_array *mapped = &f.arrays[f.actions];
  EXPECT_STREQ("action, mapped by action_stats", mapped->channel.name);
  EXPECT_EQ(PH_F32, mapped->stored);
  std::vector<double> got = read(mapped, 0, 31), is = read(find("action"), 0, 31);
  for (size_t i = 0; i < got.size(); i++)
    EXPECT_EQ(i % 2 ? (is[i] + 1) / 2 * 10 : 2 * is[i], got[i]) << i;
  EXPECT_EQ(-1, is[0]) << "the channel is as it is stored";
  EXPECT_NE(nullptr, find("raw_outer_action"));
  EXPECT_EQ(-1, channel("raw_outer_action").shift);
}

TEST_F(Bigym, RangesThatDoNotFitMapNothing) {
  batch.put("metadata.json", "{\"format\": \"bigym_replay_npz\", \"control_step_seconds\": 0.02, "
                             "\"action_stats\": {\"min\": [0], \"max\": [1, 2]}}");
  OK(open());
  EXPECT_STREQ("action", f.arrays[f.actions].channel.name);
  EXPECT_EQ("metadata.json: action_stats has not a min and a max for each number of an action: "
            "actions stay as they are stored, -1 to 1\n",
            findings(PH_FINDING_ODDITY));
  batch.put("metadata.json", "{\"format\": \"bigym_replay_npz\", \"control_step_seconds\": 0.02}");
  OK(open());
  EXPECT_EQ("metadata.json: action_stats is missing: actions stay as they are stored, -1 to 1\n",
            findings(PH_FINDING_MISSING));
}

TEST_F(Bigym, WhatIsOfTheEpisodeIsNoRow) {
  auto members = episode(31);
  set(members, "init_ctrl", doubles({31}, 1, 1)); /* as long as the frames by chance */
  set(members, "lb_state.ctrl.text", array_of("<U2", {}, noise(8, 1)));
  OK(open(members));
  for (auto &name : {"seed", "pre_engage_steps", "init_qpos", "lb_state.env.last_cmd", "init_ctrl"})
    EXPECT_EQ(PH_CHANNEL_OTHER, channel(name).kind) << name;
  EXPECT_STREQ("of the episode, no row a step: 7", channel("seed").note);
  EXPECT_STREQ("of the episode, no row a step: 0.5, 0.75, 1", channel("init_qpos").note);
  EXPECT_STREQ("of the episode, no row a step", channel("init_ctrl").note);
  EXPECT_STREQ("of the episode, no row a step: its elements are text",
               channel("lb_state.ctrl.text").note);
  EXPECT_STREQ("7", f.meta.seed);
}

TEST_F(Bigym, PicturesAreNamedAndNeverRead) {
  auto members = episode(31);
  members[7].crc = 1; /* rgb_obs: whoever reads it would say so */
  OK(open(members));
  EXPECT_EQ(PH_CHANNEL_IMAGE, channel("rgb_obs").kind);
  EXPECT_STREQ("cameras: head", channel("rgb_obs").note);
  EXPECT_EQ(5, channel("rgb_obs").rank);
  EXPECT_EQ("", findings(PH_FINDING_ODDITY));
}

TEST_F(Bigym, MetadataAndTheNameTellTheRest) {
  OK(open());
  EXPECT_EQ(0.02, f.dt);
  EXPECT_STREQ("control_step_seconds", f.dt_source);
  EXPECT_STREQ("move_plate", f.meta.env_name);
  EXPECT_STREQ("BiGym's code of g1_dex1 (agile)", f.meta.controller);
  EXPECT_STREQ("2026-08-26T10:11:12", f.meta.created);
  EXPECT_STREQ("success_hold_seconds 3 in metadata.json", f.meta.end_detail);
  OK(open(batch / batch.b));
  EXPECT_EQ(1, f.meta.episode);
}

/* --- what is odd --- */

TEST_F(Bigym, ANameThatContradictsTheArraysIsOdd) {
  std::string other = batch / "20260826T101112_0_99.npz";
  rename(file.c_str(), other.c_str());
  OK(open(other));
  EXPECT_EQ("its name says 99 steps, its arrays have 30 (31 frames)\n",
            findings(PH_FINDING_ODDITY));
  EXPECT_EQ(31, f.meta.states) << "the arrays are right";
}

TEST_F(Bigym, MetadataThatIsMissingOrNoneIsOdd) {
  struct {
    const char *text, *why;
  } texts[] = {
      {nullptr, "metadata.json: it cannot be read: No such file or directory\n"},
      {"", "metadata.json: it is no JSON: line 1: '[' or '{' expected near end of file\n"},
      {"[]", "metadata.json: it is no JSON object\n"},
      {"\xff\xfe", "metadata.json: it is no JSON: line 1: unable to decode byte 0xff near '\"'\n"},
      {"{\"format\": 3, \"control_step_seconds\": 0.02}",
       "metadata.json: its format is not said, and no \"bigym_replay_npz\"\n"},
      {"{\"format\": \"bigym_replay_npz\"}",
       "metadata.json: control_step_seconds is missing: the rate is not known\n"},
      {"{\"format\": \"bigym_replay_npz\", \"control_step_seconds\": -1}",
       "metadata.json: control_step_seconds is no positive number: the rate is not known\n"},
  };
  for (auto &t : texts) {
    if (t.text)
      batch.put("metadata.json", t.text);
    else
      unlink((batch / "metadata.json").c_str());
    OK(open());
    std::string odd = findings(PH_FINDING_ODDITY);
    if (strncmp(t.why, "metadata.json: it is no JSON: ", 30) == 0)
      EXPECT_EQ(0u, odd.find(std::string(t.why).substr(0, 37))) << odd;
    else
      EXPECT_EQ(t.why, odd);
    EXPECT_EQ(31, f.meta.states) << "its arrays can be seen without";
  }
}

TEST_F(Bigym, MetadataThatIsAPipeHangsNobody) {
  unlink((batch / "metadata.json").c_str());
  ASSERT_EQ(0, mkfifo((batch / "metadata.json").c_str(), 0600));
  OK(open());
  EXPECT_EQ("metadata.json: it cannot be read: it is not a regular file\n",
            findings(PH_FINDING_ODDITY));
}

TEST_F(Bigym, HalfFloatsAreReadAndTheStatesAreRounded) {
  std::string half;
  for (int i = 0; i < 93; i++)
    half += le(0x3c00 + (uint64_t)i, 2);
  OK(open_with("full_qpos", array_of("<f2", {31, 3}, half)));
  EXPECT_EQ("full_qpos is stored as float16: the states are rounded\n",
            findings(PH_FINDING_ODDITY));
  EXPECT_EQ(1 + 1.0 / 1024, read(&f.arrays[f.states], 0, 1)[1]);
  EXPECT_EQ(PH_F32, f.arrays[f.states].stored);
  OK(open_with("low_dim_obs", array_of("<f2", {31, 3}, half)));
  EXPECT_EQ("", findings(PH_FINDING_ODDITY));
  EXPECT_EQ(1 + 3.0 / 1024, read(find("low_dim_obs"), 1, 1)[0]);
}

TEST_F(Bigym, ArraysWithOtherRowsAreNamed) {
  OK(open_with("wall_clock", doubles({30, 2})));
  EXPECT_EQ("wall_clock (float64, 30 x 2): its rows are not the 31 frames: not shown\n",
            findings(PH_FINDING_ODDITY));
  EXPECT_EQ(nullptr, find("wall_clock"));
  OK(open_with("full_qvel", doubles({32, 3})));
  EXPECT_EQ("full_qvel has 32 rows, reward has 31\n"
            "full_qvel (float64, 32 x 3): its rows are not the 31 frames: not shown\n",
            findings(PH_FINDING_ODDITY));
  EXPECT_EQ(-1, f.states);
  EXPECT_EQ("it holds no full_qvel: its frames have no states\n", findings(PH_FINDING_MISSING));
}

TEST_F(Bigym, AnArrayThatIsDamagedIsNamedAndTheOthersAreRead) {
  auto members = episode(31);
  members[4].crc = 1;
  OK(open(members));
  EXPECT_EQ(0u, findings(PH_FINDING_ODDITY).find("low_dim_obs: it is damaged: "));
  EXPECT_EQ(PH_CHANNEL_OTHER, channel("low_dim_obs").kind);
  EXPECT_GE(f.states, 0);
  members = episode(31);
  members[0].data = "junk";
  OK(open(members));
  EXPECT_EQ("reward: it does not begin as an array of NumPy\n", findings(PH_FINDING_ODDITY));
  EXPECT_EQ(-1, f.rewards);
  EXPECT_EQ(-1, f.meta.success);
}

TEST_F(Bigym, FilesThatCannotBeReadAreOneLine) {
  EXPECT_EQ(PH_EFORMAT, open(std::vector<Member>{{"x.npy", doubles({3})}}));
  EXPECT_NE(nullptr, strstr(ph_error(), "it has no array that counts frames"));
  EXPECT_EQ(PH_EIO, open(batch / "none.npz"));
  batch.put(batch.a, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n");
  EXPECT_EQ(PH_EFORMAT, open());
  EXPECT_NE(nullptr, strstr(ph_error(), "a Git LFS pointer stands here"));
}

/* A prefix of a file is refused, or read with what is wrong said; nothing crashes or hangs. */
TEST_F(Bigym, EveryPrefixOfAFile) {
  std::vector<Member> members = {{"reward.npy", steps(5, 4), true},
                                 {"full_qpos.npy", doubles({5, 1}, 1, 1), true},
                                 {"full_qvel.npy", doubles({5, 1}, 1, 1), false}};
  std::string whole = zip(members);
  for (size_t n = 0; n < whole.size(); n++) {
    batch.put(batch.a, whole.substr(0, n));
    ph_entry e{};
    snprintf(e.file, sizeof e.file, "%s", file.c_str());
    EXPECT_NE(PH_OK, ph_read_bigym.look(&e, H5I_INVALID_HID)) << n;
    EXPECT_NE(PH_OK, open()) << n;
    EXPECT_EQ(nullptr, strchr(ph_error(), '\n')) << ph_error();
    EXPECT_EQ(0u, std::string(ph_error()).find(file)) << ph_error();
  }
}

/* Any byte may be another one. */
TEST_F(Bigym, EveryByteMayBeWrong) {
  std::string whole = zip({{"reward.npy", steps(5, 4), true},
                           {"action.npy", floats({5, 1}, 0, 0.1f), true},
                           {"full_qpos.npy", doubles({5, 1}, 1, 1), true},
                           {"seed.npy", array_of("<i8", {1}, le(7, 8)), false}});
  int opened = 0;
  for (size_t n = 0; n < whole.size(); n++)
    for (int bit : {0, 6}) {
      std::string bytes = whole;
      bytes[n] = (char)(bytes[n] ^ 1 << bit);
      batch.put(batch.a, bytes);
      if (open() == PH_OK)
        opened++;
      else
        EXPECT_EQ(nullptr, strchr(ph_error(), '\n')) << ph_error();
    }
  EXPECT_GT(opened, 100) << "most arrays are whole still";
}

/* --- as the program opens them --- */

TEST_F(BigymStore, ABatchIsAListOfEpisodes) {
  take(batch.path, 1);
  EXPECT_EQ(3u, ph_store_count(store));
  EXPECT_STREQ("BiGym", ph_store_layout(store));
  const ph_episode_meta *m = ph_episode_meta_of(episode_);
  EXPECT_STREQ("20260826T101112_1_40.npz", m->id);
  EXPECT_EQ(40, m->actions);
  EXPECT_EQ(41, m->states);
  EXPECT_EQ(2, m->dims.action_dim);
  EXPECT_EQ(0.02, m->control_dt);
  EXPECT_EQ(1u, ph_store_find(store, "20260826T101112_1_40.npz"));
  EXPECT_EQ("STATES ONLY: no model: the file names none", why());
  size_t n = 0;
  const ph_channel *channels = ph_episode_channels(episode_, &n);
  std::string names;
  for (size_t i = 0; i < n; i++)
    names += std::string(channels[i].name) + " ";
  EXPECT_EQ("action demo discount full_qpos full_qvel init_qpos lb_state.env.last_cmd low_dim_obs "
            "pre_engage_steps rgb_obs seed ",
            names)
      << "states are two channels, not a third one";
}

TEST_F(BigymStore, AFileAloneIsOneEpisode) {
  take(file);
  EXPECT_EQ(1u, ph_store_count(store));
  EXPECT_EQ(31, ph_episode_meta_of(episode_)->states);
}

TEST_F(BigymStore, AModelShowsTheStatesBitForBit) {
  use_model();
  take(batch.path);
  const ph_episode_meta *m = ph_episode_meta_of(episode_);
  EXPECT_EQ(3, m->dims.nq);
  EXPECT_EQ(10, m->dims.control_steps);
  std::vector<double> row = column(PH_COL_STATES, 5, 1, 7);
  EXPECT_EQ(5 * 0.02, row[0]);
  auto was = unzip(file);
  std::string qpos = elements(was["full_qpos.npy"].bytes),
              qvel = elements(was["full_qvel.npy"].bytes);
  EXPECT_EQ(0, memcmp(row.data() + 1, qpos.data() + 5 * 24, 24));
  EXPECT_EQ(0, memcmp(row.data() + 4, qvel.data() + 5 * 24, 24));
  EXPECT_EQ("STATES ONLY: 2 actions feed BiGym's code of g1_dex1 (agile), which the file does not "
            "hold",
            why())
      << "though there are as many as actuators";
}

TEST_F(BigymStore, AModelThatDoesNotFitIsComparedByItsNumbers) {
  use_model("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  take(batch.path);
  EXPECT_STREQ("", ph_episode_meta_of(episode_)->model_sha256);
  EXPECT_EQ("STATES ONLY: the model does not fit: a state has 6 numbers; the model wants nq+nv = "
            "7+6 = 13",
            why());
}

TEST_F(BigymStore, ActionsAndRewardsAreThoseOfTheRowBehind) {
  take(batch.path);
  std::vector<double> actions = column(PH_COL_ACTIONS, 0, 30, 2), rewards(30);
  for (size_t t = 0; t < 30; t++) { /* row t+1 */
    EXPECT_EQ(2 * (-1 + 2 * (double)(t + 1) / 64), actions[2 * t]);
    EXPECT_EQ(((-1 + (2 * (double)(t + 1) + 1) / 64) + 1) / 2 * 10, actions[2 * t + 1]);
  }
  OK(ph_episode_read(episode_, PH_COL_REWARDS, 0, 30, rewards.data()));
  EXPECT_EQ(0, rewards[28]);
  EXPECT_EQ(1, rewards[29]);
}

TEST_F(BigymStore, TheRecordedPredicateIsThatOfTheRewards) {
  auto members = episode(31);
  std::vector<float> rewards(31);
  rewards[3] = rewards[4] = rewards[5] = 1;
  rewards[9] = 0.9995f;
  rewards[10] = 0.99f;
  rewards[0] = 1; /* of no action */
  set(members, "reward", array_of("<f4", {31, 1}, raw(rewards)));
  batch.put(batch.a, zip(members));
  take(batch.path);
  std::vector<uint8_t> predicate(31), expected(31);
  expected[3] = expected[4] = expected[5] = expected[9] = 1;
  OK(ph_episode_read(episode_, PH_COL_PREDICATE, 0, 31, predicate.data()));
  EXPECT_EQ(expected, predicate);
  EXPECT_EQ(0, ph_episode_meta_of(episode_)->success);
  ph_outcomes o{};
  OK(ph_outcomes_take(&o, PH_LATCH_RECORDED, episode_, nullptr, nullptr, nullptr));
  ph_latch_answer answer;
  ph_outcomes_latch(&o, 3, &answer);
  EXPECT_EQ(5, answer.latching.latch) << answer.text;
  ph_outcomes_free(&o);
}

TEST_F(BigymStore, OneBadFileDoesNotEndTheRest) {
  batch.put(batch.b, "junk");
  batch.put("notes.npz", zip(episode(5)));
  take(batch.path);
  ASSERT_EQ(4u, ph_store_count(store));
  OK(ph_store_look(store, 1));
  EXPECT_STREQ("it is not a ZIP archive", ph_store_entry(store, 1)->oddity);
  EXPECT_STREQ("its name is not <timestamp>_<index>_<length>.npz",
               ph_store_entry(store, 3)->oddity);
  ph_episode *bad = nullptr;
  EXPECT_EQ(PH_EFORMAT, ph_store_episode(&bad, store, 1));
  EXPECT_EQ(nullptr, bad);
}

TEST_F(BigymStore, WhatIsOddOfTheMetadataIsSaidOnce) {
  unlink((batch / "metadata.json").c_str());
  take(batch.path);
  EXPECT_STREQ("metadata.json: it cannot be read: No such file or directory",
               ph_store_entry(store, 1)->oddity);
  size_t n = 0, said = 0;
  const ph_finding *all = ph_episode_findings(episode_, &n);
  for (size_t i = 0; i < n; i++)
    said += strstr(all[i].text, "metadata.json: it cannot") != nullptr;
  EXPECT_EQ(1u, said);
  EXPECT_EQ(0, ph_episode_meta_of(episode_)->control_dt);
}

TEST_F(BigymStore, EachThingThatIsOddIsSaidOnce) {
  batch.put("notes.npz", zip(episode(5)));
  unlink((batch / "metadata.json").c_str());
  take(batch / "notes.npz");
  size_t n = 0;
  const ph_finding *all = ph_episode_findings(episode_, &n);
  std::string odd;
  for (size_t i = 0; i < n; i++)
    if (all[i].kind == PH_FINDING_ODDITY)
      odd += std::string(all[i].text) + "\n";
  EXPECT_EQ("its name is not <timestamp>_<index>_<length>.npz\n"
            "metadata.json: it cannot be read: No such file or directory\n",
            odd);
}

TEST_F(BigymStore, AnEmptyBatchIsOneLine) {
  for (auto &name : {batch.a, batch.b, batch.c})
    unlink((batch / name).c_str());
  const char *paths[] = {batch.path.c_str()};
  EXPECT_EQ(PH_EFORMAT, ph_store_open(&store, paths, 1, nullptr));
  EXPECT_EQ(batch.path + ": it holds no episode, <timestamp>_<index>_<length>.npz", ph_error());
}

/* --- the sample --- */

TEST_F(BigymStore, TheSampleHas31FramesAt50Hz) {
  std::string sample = std::string(TEST_SOURCE_ROOT) + "/../shared/samples/synthetic/bigym2";
  if (access(sample.c_str(), R_OK) != 0)
    GTEST_SKIP() << "the samples are not here";
  take(sample);
  const ph_episode_meta *m = ph_episode_meta_of(episode_);
  EXPECT_EQ(31, m->states);
  EXPECT_EQ(30, m->actions);
  EXPECT_EQ(0.02, m->control_dt);
  EXPECT_EQ(1, m->success);
  EXPECT_STREQ("7", m->seed);
  size_t n = 0;
  const ph_finding *all = ph_episode_findings(episode_, &n);
  for (size_t i = 0; i < n; i++)
    EXPECT_NE(PH_FINDING_ODDITY, all[i].kind) << all[i].text;
}
