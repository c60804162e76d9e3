/* BiGym batches that are cut: what is cut, what stays bit for bit, and what is refused with nothing
 * left behind. */
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bigym_help.h"
#include "sanitized.h"

extern "C" {
#include "bigym.h"
#include "cut_parts.h"
#include "json.h"
}

using namespace bigym;

struct CutBatch : ::testing::Test {
  Batch batch;
  std::string out = batch.folder / "out";
  std::vector<ph_cut_episode> plan;
  ph_cut_options opt = PH_CUT_OPTIONS_INIT;
  ph_cut_tally tally{};

  void SetUp() override {
    opt.hold_seconds = 0.5;
    opt.method = "recorded";
    opt.date = "2026-01-02T03:04:05Z";
    keep(batch.a, 20);
    keep(batch.b, 40);
    keep(batch.c, 1);
  }
  void keep(const std::string &id, int64_t to, int64_t from = 0) {
    ph_cut_episode e{};
    snprintf(e.id, sizeof e.id, "%s", id.c_str());
    e.from = from;
    e.to = to;
    plan.push_back(e);
  }
  ph_status cut() {
    return ph_cut_batch(out.c_str(), batch.path.c_str(), plan.data(), plan.size(), &opt, &tally);
  }
  /* Only one file, of these arrays. */
  void only(const std::vector<Member> &members, int64_t to) {
    for (auto &name : {batch.b, batch.c})
      unlink((batch / name).c_str());
    batch.put(batch.a, zip(members));
    plan.clear();
    keep(batch.a, to);
  }
  std::map<std::string, Raw> result(int64_t to) const {
    return unzip(out + "/20260826T101112_0_" + std::to_string(to) + ".npz");
  }
  /* Names and bytes of all files below the test's folder but for the output. */
  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> all;
    for (auto &e : std::filesystem::recursive_directory_iterator(batch.folder.path))
      all[e.path()] = e.is_regular_file() ? bytes_of(e.path()) : "";
    return all;
  }
  void expect_refused(ph_status status, const std::string &why) {
    auto before = everything();
    EXPECT_EQ(status, cut()) << ph_error();
    EXPECT_NE(std::string::npos, std::string(ph_error()).find(why)) << ph_error();
    EXPECT_EQ(nullptr, strchr(ph_error(), '\n'));
    EXPECT_EQ(before, everything()) << "something was left, or changed";
  }
  json_t *meta() const { return json_load_file((out + "/metadata.json").c_str(), 0, nullptr); }
};

/* --- what is cut --- */

TEST_F(CutBatch, KeepsTheRowsUpToTheLatchAndNamesTheFileByIt) {
  auto before = everything();
  OK(cut());
  EXPECT_EQ((std::vector<std::string>{"20260826T101112_0_20.npz", "20260826T101112_1_40.npz",
                                      "20260826T101513_2_1.npz", "metadata.json"}),
            batch.folder.names("out"));
  auto was = unzip(batch / batch.a), is = result(20);
  ASSERT_EQ(was.size(), is.size());
  for (auto &name : {"demo", "action", "low_dim_obs", "full_qpos", "full_qvel", "rgb_obs"}) {
    std::string file = std::string(name) + ".npy", all = elements(was[file].bytes);
    EXPECT_EQ(all.substr(0, all.size() / 31 * 21), elements(is[file].bytes)) << name;
    EXPECT_EQ(8, is[file].method) << "deflated, as np.savez_compressed does";
  }
  EXPECT_EQ("{'descr': '<f8', 'fortran_order': False, 'shape': (21, 3), }",
            header(is["full_qpos.npy"].bytes));
  for (auto &name : {"seed", "pre_engage_steps", "init_qpos", "lb_state.env.last_cmd"})
    EXPECT_EQ(was[std::string(name) + ".npy"].bytes, is[std::string(name) + ".npy"].bytes) << name;
  for (auto &file : before)
    EXPECT_EQ(file.second, everything()[file.first]) << "the source is never written to";
  EXPECT_EQ(3u, tally.kept);
  EXPECT_EQ(0u, tally.dropped);
  EXPECT_EQ(0, tally.least);
  EXPECT_EQ(10, tally.most);
  EXPECT_EQ(61, tally.actions);
  EXPECT_EQ(20, tally.removed);
}

TEST_F(CutBatch, RewardIsOneAndDiscountZeroAtTheLastRowAlone) {
  auto members = episode(31);
  set(members, "reward", floats({31, 1}, 0.25, 0.5));
  set(members, "discount", floats({31, 1}, 0.5, 0.5));
  only(members, 20);
  OK(cut());
  EXPECT_EQ(elements(steps(21, 20)), elements(result(20)["reward.npy"].bytes));
  std::vector<float> discount(21, 1);
  discount.back() = 0;
  EXPECT_EQ(raw(discount), elements(result(20)["discount.npy"].bytes));
}

TEST_F(CutBatch, RewardsCanBeKeptAndARangeKeepsAll) {
  auto members = episode(31);
  set(members, "reward", floats({31, 1}, 0.25, 0.5));
  set(members, "discount", floats({31, 1}, 0.5, 0.5));
  only(members, 20);
  opt.keep_rewards = true;
  OK(cut());
  std::string rewards = elements(floats({21, 1}, 0.25, 0.5)), last = raw(std::vector<float>{1});
  EXPECT_EQ(rewards.substr(0, 80) + last, elements(result(20)["reward.npy"].bytes));
  opt.keep_rewards = false;
  opt.latched = false;
  out = batch.folder / "range";
  OK(cut());
  EXPECT_EQ(rewards, elements(result(20)["reward.npy"].bytes));
  EXPECT_EQ(elements(floats({21, 1}, 0.5, 0.5)), elements(result(20)["discount.npy"].bytes));
}

TEST_F(CutBatch, ZerosAndOnesAreOfTheArraysType) {
  struct {
    const char *descr;
    std::string zero, one;
  } types[] = {
      {"<f2", le(0, 2), le(0x3c00, 2)},
      {"<f4", le(0, 4), le(0x3f800000, 4)},
      {">f4", le(0, 4), std::string("\x3f\x80\0\0", 4)},
      {"<f8", le(0, 8), le(0x3ff0000000000000, 8)},
      {">f8", le(0, 8), std::string("\x3f\xf0\0\0\0\0\0\0", 8)},
      {"|b1", le(0, 1), le(1, 1)},
      {"|u1", le(0, 1), le(1, 1)},
      {"<i8", le(0, 8), le(1, 8)},
      {">i2", le(0, 2), std::string("\0\1", 2)},
  };
  for (auto &t : types) {
    SCOPED_TRACE(t.descr);
    auto members = episode(31);
    for (auto &name : {"reward", "discount"})
      set(members, name, array_of(t.descr, {31}, noise(31 * t.zero.size(), 5)));
    only(members, 4);
    OK(cut());
    auto is = result(4);
    EXPECT_EQ(t.zero + t.zero + t.zero + t.zero + t.one, elements(is["reward.npy"].bytes));
    EXPECT_EQ(t.one + t.one + t.one + t.one + t.zero, elements(is["discount.npy"].bytes));
    EXPECT_NE(std::string::npos, header(is["reward.npy"].bytes).find(t.descr));
    std::filesystem::remove_all(out);
  }
}

TEST_F(CutBatch, ArraysOfTheEpisodeAreNeverCutEvenWhereTheirLengthIsThatOfTheFrames) {
  auto members = episode(31);
  set(members, "init_qpos", doubles({31}, 1, 1));
  set(members, "init_act", doubles({31, 2}, 1, 1));
  set(members, "lb_state.ctrl.history", floats({31, 7}, 1, 1));
  set(members, "seed", array_of("<i8", {31}, noise(31 * 8, 9)));
  set(members, "pre_engage_steps", array_of("<i8", {31}, noise(31 * 8, 10)));
  set(members, "other", doubles({30, 31}, 1, 1));
  set(members, "scalar", array_of("<f8", {}, noise(8, 1)));
  set(members, "object", array_of("|O", {1}, "\x80\x04N."));
  set(members, "none", array_of("<f4", {0, 31}, ""));
  only(members, 3);
  OK(cut());
  auto was = unzip(batch / batch.a), is = result(3);
  for (auto &name : {"init_qpos", "init_act", "lb_state.ctrl.history", "seed", "pre_engage_steps",
                     "other", "scalar", "object", "none"})
    EXPECT_EQ(was[std::string(name) + ".npy"].bytes, is[std::string(name) + ".npy"].bytes) << name;
}

/* Every type that NumPy has, as its bytes lie there. */
TEST_F(CutBatch, OddTypesKeepTheirBytes) {
  struct {
    const char *descr;
    size_t size;
  } types[] = {{"<f2", 2}, {"|b1", 1}, {"<U5", 20},  {">U5", 20},  {"|S3", 3},     {">f8", 8},
               {">i4", 4}, {"<u8", 8}, {"<c16", 16}, {"<f16", 16}, {"<M8[us]", 8}, {"|V7", 7}};
  auto members = episode(31);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (int64_t width : {1, 3})
      set(members, "x" + std::to_string(i) + "_" + std::to_string(width),
          array_of(types[i].descr, {31, width}, noise(31 * (size_t)width * types[i].size, 7)));
  set(members, "empty", array_of("<f4", {31, 0}, ""));
  set(members, "deep", array_of("<f4", {31, 2, 1, 2, 1, 3}, noise(31 * 48, 8)));
  set(members, "second", npy(dict("<f4", "(31, 2)"), noise(31 * 8, 8), 2));
  only(members, 9);
  OK(cut());
  auto was = unzip(batch / batch.a), is = result(9);
  for (auto &m : was) {
    std::string name = m.first.substr(0, m.first.size() - 4);
    if (ph_bigym_is_fact(name.c_str()) || m.first == "reward.npy" || m.first == "discount.npy" ||
        m.first == "second.npy")
      continue;
    std::string all = elements(m.second.bytes), text = header(m.second.bytes);
    EXPECT_EQ(all.substr(0, all.size() / 31 * 10), elements(is[m.first].bytes)) << m.first;
    EXPECT_EQ(text.replace(text.find("(31"), 3, "(10"), header(is[m.first].bytes));
  }
  EXPECT_EQ(was["second.npy"].bytes.substr(64 * 2, 80), is["second.npy"].bytes.substr(64 * 2));
}

TEST_F(CutBatch, ColumnMajorArraysLoseTheEndOfEachColumn) {
  auto members = episode(31);
  std::string data = noise(31 * 3 * 2 * 4, 11), expected;
  set(members, "wide", array_of(">f4", {31, 3, 2}, data, true));
  set(members, "flat", array_of("<f8", {31}, noise(31 * 8, 12), true));
  set(members, "reward", array_of("<f4", {31, 2}, noise(31 * 8, 13), true));
  only(members, 9);
  OK(cut());
  for (size_t column = 0; column < 6; column++)
    expected += data.substr(column * 31 * 4, 10 * 4);
  auto is = result(9);
  EXPECT_EQ(expected, elements(is["wide.npy"].bytes));
  EXPECT_EQ("{'descr': '>f4', 'fortran_order': True, 'shape': (10, 3, 2), }",
            header(is["wide.npy"].bytes));
  EXPECT_EQ(noise(31 * 8, 12).substr(0, 80), elements(is["flat.npy"].bytes));
  std::string column = elements(steps(10, 9));
  EXPECT_EQ(column + column, elements(is["reward.npy"].bytes)) << "two columns, a 1 in each";
}

TEST_F(CutBatch, EveryLengthThatThereCanBe) {
  only(episode(31), 1);
  auto was = unzip(batch / batch.a);
  std::string qpos = elements(was["full_qpos.npy"].bytes);
  for (int64_t to = 1; to <= 30; to++) {
    plan[0].to = to;
    OK(cut());
    auto is = result(to);
    EXPECT_EQ(qpos.substr(0, (size_t)(to + 1) * 24), elements(is["full_qpos.npy"].bytes));
    EXPECT_EQ(elements(steps(to + 1, to)), elements(is["reward.npy"].bytes));
    EXPECT_EQ(0u, is["full_qpos.npy"].bytes.size() % 8) << "the header is aligned still";
    Open npz(out + "/20260826T101112_0_" + std::to_string(to) + ".npz");
    EXPECT_EQ(to + 1, npz["full_qpos"].dim[0]);
    EXPECT_EQ("", std::string(npz["rgb_obs"].why[0] ? "" : "five dimensions are not read"));
    std::filesystem::remove_all(out);
  }
}

TEST_F(CutBatch, DroppedEpisodesAreLeftOut) {
  plan[1].dropped = true;
  plan[1].to = 99; /* of no meaning then */
  plan[1].actions = 40;
  OK(cut());
  EXPECT_EQ((std::vector<std::string>{"20260826T101112_0_20.npz", "20260826T101513_2_1.npz",
                                      "metadata.json"}),
            batch.folder.names("out"));
  EXPECT_EQ(2u, tally.kept);
  EXPECT_EQ(1u, tally.dropped);
  EXPECT_EQ(10, tally.least);
  EXPECT_EQ(10, tally.most);
  EXPECT_EQ(21, tally.actions);
  EXPECT_EQ(60, tally.removed);
}

/* --- metadata --- */

TEST_F(CutBatch, MetadataTellsWhatWasDoneAndKeepsTheRest) {
  opt.fingerprint = "{\"arch\":\"x86_64\"}";
  OK(cut());
  json_t *m = meta(), *was = json_loads(metadata, 0, nullptr);
  ASSERT_NE(nullptr, m);
  json_t *trim = json_object_get(m, "success_hold_trim");
  json_t *expected = json_loads(
      R"({"source_batch": "batch", "source_success_hold_seconds": 3.0,
          "target_success_hold_seconds": 0.5, "control_step_seconds": 0.02, "method": "recorded",
          "trim_frames": {"20260826T101112_0_20.npz": 10, "20260826T101112_1_40.npz": 0,
                          "20260826T101513_2_1.npz": 10},
          "substrate_fingerprint": {"arch": "x86_64"}, "date": "2026-01-02T03:04:05Z"})",
      0, nullptr);
  EXPECT_TRUE(json_equal(expected, trim)) << json_dumps(trim, 0);
  EXPECT_EQ(0.5, json_number_value(json_object_get(m, "training_success_hold_seconds")));
  EXPECT_EQ(3, json_number_value(json_object_get(m, "collect_success_hold_seconds")))
      << "they were collected with the longer one";
  for (auto &name : {"task", "env_config"}) {
    json_t *object = json_object_get(m, name), *old = json_object_get(was, name);
    EXPECT_EQ(0.5, json_number_value(json_object_get(object, "success_hold_seconds"))) << name;
    json_object_set_new(old, "success_hold_seconds", json_real(0.5));
  }
  for (auto &key :
       {"success_hold_trim", "training_success_hold_seconds", "collect_success_hold_seconds"})
    json_object_del(m, key);
  EXPECT_TRUE(json_equal(was, m)) << "all that is not known is kept, and every number";
  std::string text = bytes_of(out + "/metadata.json");
  size_t at = 0;
  for (auto &key : {"\"action_semantics\"", "\"action_stats\"", "\"collect_success",
                    "\"env_config\"", "\"pipeline_version\"", "\"success_hold_trim\"", "\"task\"",
                    "\"training_success", "\"zeta\""}) {
    size_t found = text.find(key);
    EXPECT_TRUE(found != std::string::npos && found > at) << key << ": keys are sorted";
    at = found;
  }
  EXPECT_NE(std::string::npos, text.find("12345678901234567"));
  for (json_t *j : {m, was, expected})
    json_decref(j);
}

TEST_F(CutBatch, ObjectsThatAreMissingAreMade) {
  batch.put("metadata.json", "{\"format\": \"bigym_replay_npz\", \"task\": null}");
  OK(cut());
  json_t *m = meta();
  for (auto &name : {"task", "env_config"})
    EXPECT_EQ(0.5,
              json_number_value(json_object_get(json_object_get(m, name), "success_hold_seconds")));
  EXPECT_TRUE(json_is_null(json_object_get(m, "collect_success_hold_seconds"))) << "nobody knows";
  json_t *trim = json_object_get(m, "success_hold_trim");
  EXPECT_TRUE(json_is_null(json_object_get(trim, "source_success_hold_seconds")));
  EXPECT_TRUE(json_is_null(json_object_get(trim, "substrate_fingerprint")));
  json_decref(m);
}

TEST_F(CutBatch, ACutOfACutTellsOfBoth) {
  OK(cut());
  std::string first = out;
  json_t *before = meta();
  plan.clear();
  keep("20260826T101112_0_20.npz", 10);
  keep("20260826T101112_1_40.npz", 30);
  keep("20260826T101513_2_1.npz", 1);
  out = batch.folder / "again";
  opt.hold_seconds = 0.25;
  OK(ph_cut_batch(out.c_str(), first.c_str(), plan.data(), plan.size(), &opt, &tally));
  json_t *m = meta(), *trim = json_object_get(m, "success_hold_trim");
  EXPECT_TRUE(json_equal(json_object_get(before, "success_hold_trim"),
                         json_object_get(trim, "source_trim")));
  EXPECT_EQ(0.5, json_number_value(json_object_get(trim, "source_success_hold_seconds")));
  EXPECT_STREQ("out", json_string_value(json_object_get(trim, "source_batch")));
  EXPECT_EQ(3, json_number_value(json_object_get(m, "collect_success_hold_seconds")));
  EXPECT_EQ(elements(steps(11, 10)), elements(result(10)["reward.npy"].bytes));
  json_decref(before);
  json_decref(m);
}

TEST_F(CutBatch, ARangeLeavesTheHoldsAsTheyWere) {
  opt.latched = false;
  opt.hold_seconds = -1;
  opt.method = "range";
  OK(cut());
  json_t *m = meta(), *trim = json_object_get(m, "success_hold_trim");
  EXPECT_EQ(3,
            json_number_value(json_object_get(json_object_get(m, "task"), "success_hold_seconds")));
  EXPECT_EQ(nullptr, json_object_get(m, "training_success_hold_seconds"));
  EXPECT_EQ(3, json_number_value(json_object_get(trim, "target_success_hold_seconds")));
  EXPECT_STREQ("range", json_string_value(json_object_get(trim, "method")));
  json_decref(m);
}

TEST_F(CutBatch, OtherJsonIsCopiedAndNothingElse) {
  std::string odd = "{ \"b\": 1.0, \"a\": NaN,\n}";
  batch.put("alignment.json", odd);
  batch.put("notes.txt", "x");
  batch.put(".20260826T101112_0_30.npz", "x");
  std::filesystem::create_directory(batch / "videos");
  OK(cut());
  EXPECT_EQ(odd, bytes_of(out + "/alignment.json"));
  EXPECT_EQ(5u, batch.folder.names("out").size());
}

/* --- refusals --- */

TEST_F(CutBatch, RefusesListsThatDoNotMatch) {
  plan.pop_back();
  expect_refused(PH_EINVAL, "the list does not name 20260826T101513_2_11.npz");
  keep(batch.a, 20);
  expect_refused(PH_EINVAL, "the list names 20260826T101112_0_30.npz twice");
  plan.pop_back();
  keep("20260826T101513_9_11.npz", 5);
  expect_refused(PH_EINVAL, "the list names 20260826T101513_9_11.npz, which it does not hold");
  plan.clear();
  expect_refused(PH_EINVAL, "the list does not name 20260826T101112_0_30.npz");
}

TEST_F(CutBatch, RefusesRowsThatAreNotThere) {
  plan[1].to = 41;
  expect_refused(PH_EINVAL, "20260826T101112_1_40.npz: 42 frames are to be kept; it has 41");
  for (int64_t to : {0, -1, -7}) {
    plan[1].to = to;
    expect_refused(PH_EINVAL, "left; at least 2 have to be");
  }
  plan[1].to = 20;
  plan[1].from = 3;
  expect_refused(PH_EINVAL, "it cannot begin at row 3: what its init_ arrays hold is the state");
  plan[1].from = 0;
  plan[1].states = 40;
  expect_refused(PH_EINVAL, "the list says that it has 40 frames; it has 41");
}

TEST_F(CutBatch, RefusesAnOutputThatIsThere) {
  std::filesystem::create_directory(out);
  expect_refused(PH_EEXIST, "it exists already");
  rmdir(out.c_str());
  out += "/";
  std::filesystem::create_symlink("nowhere", batch.folder / "out");
  expect_refused(PH_EEXIST, "it exists already");
  out = batch / "inside";
  expect_refused(PH_EINVAL, "it is in the source, which is never written to");
  out = batch.folder / "none/out";
  expect_refused(PH_EIO, "its folder: No such file or directory");
}

TEST_F(CutBatch, RefusesABatchThatIsNone) {
  batch.put("other.npz", zip(episode(5)));
  expect_refused(PH_EFORMAT, "other.npz: its name is not <timestamp>_<index>_<length>.npz");
  unlink((batch / "other.npz").c_str());
  for (auto &e : plan)
    e.dropped = true;
  expect_refused(PH_ENOTFOUND, "no episode is kept");
  for (auto &name : {batch.a, batch.b, batch.c})
    unlink((batch / name).c_str());
  expect_refused(PH_ENOTFOUND, "it holds no episode: there is nothing to cut");
  EXPECT_TRUE(ph_cut_is_batch(batch.path.c_str())) << "its metadata says so";
  unlink((batch / "metadata.json").c_str());
  EXPECT_FALSE(ph_cut_is_batch(batch.path.c_str()));
  EXPECT_FALSE(ph_cut_is_batch((batch / "metadata.json").c_str()));
}

TEST_F(CutBatch, RefusesMetadataThatCannotBeChanged) {
  struct {
    const char *text, *why;
  } texts[] = {
      {"{", "metadata.json: it is no JSON: line 1"},
      {"[1]", "metadata.json: it is no JSON object"},
      {"{}", "metadata.json: its format is not said"},
      {"{\"format\": \"other\"}", "metadata.json: its format is another"},
      {"{\"format\": \"bigym_replay_npz\", \"task\": 3}", "metadata.json: task: it is no object"},
      {"{\"format\": \"bigym_replay_npz\", \"a\": NaN}", "metadata.json: it is no JSON: line 1"},
      {"{\"a\": 1, \"a\": 2}", "metadata.json: it is no JSON: line 1: duplicate"},
  };
  for (auto &t : texts) {
    batch.put("metadata.json", t.text);
    expect_refused(PH_EFORMAT, t.why);
  }
  unlink((batch / "metadata.json").c_str());
  expect_refused(PH_EFORMAT, "metadata.json: it cannot be read: No such file");
}

TEST_F(CutBatch, RefusesFilesThatCannotBeCut) {
  auto with = [](const std::string &name, const std::string &data) {
    auto members = episode(31);
    set(members, name, data);
    return members;
  };
  only(with("notes", array_of("|O", {31}, noise(40, 1))), 20);
  expect_refused(PH_EFORMAT, "notes: it cannot be cut: its elements are pickled Python objects");
  only(with("reward", array_of("<U1", {31}, noise(31 * 4, 1))), 20);
  expect_refused(PH_EFORMAT, "reward: it cannot be set: its elements are no numbers");
  only(with("action", floats({30, 2})), 20);
  expect_refused(PH_ECORRUPT,
                 "its arrays disagree on its frames: action has 30 rows, reward has 31");
  only({{"x.npy", floats({31})}}, 20);
  expect_refused(PH_EFORMAT, "it has no array that counts frames");
  auto members = episode(31);
  members[5].crc = 1;
  only(members, 20);
  expect_refused(PH_ECORRUPT, "full_qpos");
  batch.put(batch.a, "junk");
  expect_refused(PH_EFORMAT, "it is not a ZIP archive");
}

TEST_F(CutBatch, RefusesTwoFilesThatWouldGetOneName) {
  batch.put("20260826T101112_0_40.npz", zip(episode(41)));
  keep("20260826T101112_0_40.npz", 20);
  expect_refused(PH_EINVAL, "would both become 20260826T101112_0_20.npz");
  plan.back().to = 21;
  OK(cut());
}

/* Where any byte of a file is missing, one line says so and nothing is left. */
TEST_F(CutBatch, EveryTruncatedFileIsRefused) {
  only({{"reward.npy", steps(5, 4), true}, {"x.npy", floats({5, 2}, 1, 1), true}}, 3);
  std::string whole = bytes_of(batch / batch.a);
  for (size_t n = 0; n < whole.size(); n += 7) {
    batch.put(batch.a, whole.substr(0, n));
    EXPECT_NE(PH_OK, cut()) << n;
    EXPECT_EQ(nullptr, strchr(ph_error(), '\n')) << ph_error();
    ASSERT_EQ((std::vector<std::string>{"batch"}), batch.folder.names());
  }
}

/* Damage that only the reading of the elements meets, in the middle of the writing. */
TEST_F(CutBatch, DamageThatIsMetLateLeavesNothing) {
  auto members = episode(31);
  members[7].crc = 1; /* rgb_obs, which nothing else reads */
  only(members, 20);
  expect_refused(PH_ECORRUPT, "rgb_obs: it is damaged");
}

/* --- what can happen meanwhile --- */

TEST_F(CutBatch, ItIsStoppedWhereverItIs) {
  struct Stop {
    int calls = 0, most = 0;
  } stop;
  opt.arg = &stop;
  opt.progress = [](void *arg, size_t, size_t) {
    Stop *s = (Stop *)arg;
    return ++s->calls <= s->most;
  };
  stop.most = 1 << 20;
  OK(cut());
  int all = stop.calls;
  std::filesystem::remove_all(out);
  EXPECT_GT(all, 100);
  for (int most = 0; most < all; most += 9) {
    stop.calls = 0;
    stop.most = most;
    expect_refused(PH_ECANCELED, "it was stopped");
  }
}

/* As on a full disk. */
TEST_F(CutBatch, AFileThatMayNotGrowLeavesNothing) {
  auto members = episode(31);
  set(members, "rgb_obs", array_of("|u1", {31, 4096}, noise(31 * 4096, 3)));
  only(members, 20);
  auto before = everything();
  rlimit old{}, small{};
  ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
  for (rlim_t size : {0, 100, 4000, 40000}) {
    small = {size, old.rlim_max};
    ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    ph_status status = cut();
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_EQ(PH_EIO, status) << size;
    EXPECT_NE(nullptr, strstr(ph_error(), "File too large")) << ph_error();
    EXPECT_EQ(before, everything()) << size;
  }
  OK(cut());
}

/* kill -9 leaves a hidden sibling at most, which does not stop the next cut. */
TEST_F(CutBatch, KilledInTheMiddle) {
  static int left;
  auto before = everything();
  opt.progress = [](void *, size_t, size_t) {
    if (left-- == 0)
      raise(SIGKILL);
    return true;
  };
  bool hidden = false;
  for (int at : {0, 3, 30, 60, 90, 120}) {
    left = at;
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(cut());
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    ASSERT_TRUE(WIFSIGNALED(status)) << at;
    EXPECT_FALSE(std::filesystem::exists(out));
    for (auto &name : batch.folder.names()) {
      EXPECT_TRUE(name == "batch" || (name.find(".out.") == 0 && name.find(".part") != name.npos))
          << name;
      hidden = hidden || name[0] == '.';
    }
    for (auto &file : before)
      EXPECT_EQ(file.second, everything()[file.first]) << "the source is never written to";
  }
  EXPECT_TRUE(hidden) << "none of the kills met it while it wrote";
  opt.progress = nullptr;
  OK(cut());
  EXPECT_EQ(4u, batch.folder.names("out").size());
}

/* A block of an array is held, and no array: a camera's pictures take 80 MB unpacked. */
TEST_F(CutBatch, HoldsNoArray) {
  if (SANITIZED)
    GTEST_SKIP() << "a sanitizer keeps what was freed";
  auto members = episode(31);
  set(members, "rgb_obs",
      array_of("|u1", {31, 1, 3, 930, 930}, std::string(31 * 3 * 930 * 930, 7)));
  only(members, 20);
  members.clear();
  auto peak = [] {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);)
      if (line.find("VmHWM:") == 0)
        return atol(line.c_str() + 6);
    return 0l;
  };
  std::ofstream("/proc/self/clear_refs") << "5"; /* the peak begins anew */
  long before = peak();
  OK(cut());
  EXPECT_LT(peak() - before, 16 << 10) << "KiB";
  Open npz(out + "/20260826T101112_0_20.npz");
  EXPECT_EQ(21, npz["rgb_obs"].dim[0]);
}

/* --- others --- */

/* Python's own readers, where they are there. */
TEST_F(CutBatch, NumpyOpensTheResult) {
  OK(cut());
  const char *script =
      "import sys, zipfile\n"
      "z = zipfile.ZipFile(sys.argv[1])\n"
      "assert z.testzip() is None\n"
      "assert all(i.compress_type == zipfile.ZIP_DEFLATED for i in z.infolist())\n"
      "try:\n"
      "  import numpy as np\n"
      "except ImportError:\n"
      "  sys.exit(7)\n"
      "a, b = np.load(sys.argv[1]), np.load(sys.argv[2])\n"
      "assert sorted(a.files) == sorted(b.files)\n"
      "for k in a.files:\n"
      "  assert a[k].dtype == b[k].dtype, k\n"
      "  n = 21 if b[k].shape[:1] == (31,) else len(b[k])\n"
      "  if k not in ('reward', 'discount'):\n"
      "    assert (a[k] == b[k][:n]).all() and len(a[k]) == n, k\n"
      "assert (a['reward'][:-1] == 0).all() and (a['reward'][-1] == 1).all()\n"
      "assert (a['discount'][:-1] == 1).all() and (a['discount'][-1] == 0).all()\n";
  write_bytes(batch.folder / "check.py", script);
  int status = 127;
  for (auto &python : {"python3", "/usr/bin/python3"}) {
    std::string command = std::string(python) + " -B " + (batch.folder / "check.py") + " " + out +
                          "/20260826T101112_0_20.npz " + (batch / batch.a) + " 2>&1";
    int now = WEXITSTATUS(system(command.c_str()));
    EXPECT_TRUE(now == 0 || now == 7 || now == 127) << python << ": " << now;
    status = now == 0 || status == 127 ? now : status;
    if (status == 0)
      break;
  }
  if (status == 127)
    GTEST_SKIP() << "there is no python3";
  if (status == 7)
    GTEST_SKIP() << "NumPy is not there; zipfile finds it whole";
}

TEST_F(CutBatch, ASampleOfItsWriter) {
  std::string sample = std::string(TEST_SOURCE_ROOT) + "/../shared/samples/synthetic/bigym2";
  if (!ph_cut_is_batch(sample.c_str()))
    GTEST_SKIP() << "no samples";
  plan.clear();
  keep("20260826T101112_0_30.npz", 12);
  OK(ph_cut_batch(out.c_str(), sample.c_str(), plan.data(), plan.size(), &opt, &tally));
  auto was = unzip(sample + "/20260826T101112_0_30.npz"), is = result(12);
  for (auto &m : was) {
    bool frames = header(m.second.bytes).find("(31,") != std::string::npos;
    std::string all = elements(m.second.bytes);
    if (m.first != "reward.npy" && m.first != "discount.npy") {
      EXPECT_EQ(frames ? all.substr(0, all.size() / 31 * 13) : all, elements(is[m.first].bytes))
          << m.first;
    }
  }
}

/* --- the copy of an array --- */

TEST(NpzCopy, AnotherArrayOfTheSameNameIsRefused) {
  Folder folder;
  write_bytes(folder / "a.npz", zip({{"x.npy", floats({3})}}));
  Open from(folder / "a.npz");
  ph_npz_writer *to = nullptr;
  OK(ph_npz_create(&to, (folder / "b.npz").c_str()));
  ph_npz_cut whole = PH_NPZ_WHOLE;
  OK(ph_npz_copy(to, from.npz, 0, &whole));
  EXPECT_EQ(PH_EINVAL, ph_npz_copy(to, from.npz, 0, &whole));
  EXPECT_NE(nullptr, strstr(ph_error(), "x: there is an array of that name already"));
  OK(ph_npz_finish(to));
  EXPECT_EQ(unzip(folder / "a.npz")["x.npy"].bytes, unzip(folder / "b.npz")["x.npy"].bytes);
}

TEST(NpzCopy, NamesKeepTheirBytes) {
  Folder folder;
  write_bytes(folder / "a.npz",
              zip({{"a/b.c \xc3\xa9.npy", floats({3}), true, -1, -1, -1, -1, 0x800}}));
  Open from(folder / "a.npz");
  ph_npz_writer *to = nullptr;
  OK(ph_npz_create(&to, (folder / "b.npz").c_str()));
  ph_npz_cut whole = PH_NPZ_WHOLE;
  OK(ph_npz_copy(to, from.npz, 0, &whole));
  OK(ph_npz_finish(to));
  EXPECT_EQ(1u, unzip(folder / "b.npz").count("a/b.c \xc3\xa9.npy"));
}
