/* BiGym batches that are cut: what is cut, and what stays bit for bit. */
#include "bigym_cut.h"
#include "sanitized.h"

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

TEST_F(CutBatch, WhatLosesNoRowNeedsNotBeCut) {
  auto members = episode(31);
  set(members, "notes", array_of("|O", {31}, noise(77, 1)));
  only(members, 30);
  OK(cut());
  EXPECT_EQ(unzip(batch / batch.a)["notes.npy"].bytes, result(30)["notes.npy"].bytes);
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
  OK(cut());
  EXPECT_EQ((std::vector<std::string>{"20260826T101112_0_20.npz", "20260826T101513_2_1.npz",
                                      "metadata.json"}),
            batch.folder.names("out"));
  EXPECT_EQ(2u, tally.kept);
  EXPECT_EQ(1u, tally.dropped);
  EXPECT_EQ(10, tally.least);
  EXPECT_EQ(10, tally.most);
  EXPECT_EQ(21, tally.actions);
  EXPECT_EQ(20, tally.removed) << "of those that are kept";
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
  json_t *task = json_object_get(m, "task");
  EXPECT_EQ(0.5, json_number_value(json_object_get(task, "training_success_hold_seconds")));
  EXPECT_EQ(3, json_number_value(json_object_get(task, "collect_success_hold_seconds")));
  for (auto &key : {"training_success_hold_seconds", "collect_success_hold_seconds"})
    json_object_del(task, key);
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

/* As json.dumps(..., indent=2, sort_keys=True) has it, but for what is new. */
TEST_F(CutBatch, MetadataKeepsTheTextOfItsNumbers) {
  batch.put("metadata.json",
            R"({"format": "bigym_replay_npz", "z": [0.1, 0.30000000000000004, 1e-05, 3.0, 1E5],
                "task": {"success_hold_seconds": 3.0, "reach": 0.05},
                "env_config": {"success_hold_seconds": 3.0, "limit": Infinity, "none": NaN},
                "control_step_seconds": 0.020, "seed": 340282366920938463463374607431768211456})");
  opt.hold_seconds = 0.1;
  OK(cut());
  EXPECT_EQ(R"({
  "collect_success_hold_seconds": 3.0,
  "control_step_seconds": 0.020,
  "env_config": {
    "limit": Infinity,
    "none": NaN,
    "success_hold_seconds": 0.1
  },
  "format": "bigym_replay_npz",
  "seed": 340282366920938463463374607431768211456,
  "success_hold_trim": {
    "control_step_seconds": 0.020,
    "date": "2026-01-02T03:04:05Z",
    "method": "recorded",
    "source_batch": "batch",
    "source_success_hold_seconds": 3.0,
    "substrate_fingerprint": null,
    "target_success_hold_seconds": 0.1,
    "trim_frames": {
      "20260826T101112_0_20.npz": 10,
      "20260826T101112_1_40.npz": 0,
      "20260826T101513_2_1.npz": 10
    }
  },
  "task": {
    "collect_success_hold_seconds": 3.0,
    "reach": 0.05,
    "success_hold_seconds": 0.1,
    "training_success_hold_seconds": 0.1
  },
  "training_success_hold_seconds": 0.1,
  "z": [
    0.1,
    0.30000000000000004,
    1e-05,
    3.0,
    1E5
  ]
}
)",
            bytes_of(out + "/metadata.json"));
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
  EXPECT_EQ(3, json_number_value(
                   json_object_get(json_object_get(m, "task"), "collect_success_hold_seconds")));
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

TEST_F(CutBatch, RowsWithoutAHoldClaimNone) {
  opt.hold_seconds = -1;
  opt.no_hold = true;
  OK(cut());
  json_t *m = meta(), *trim = json_object_get(m, "success_hold_trim");
  for (const char *name : {"task", "env_config"})
    EXPECT_TRUE(json_is_null(json_object_get(json_object_get(m, name), "success_hold_seconds")));
  EXPECT_TRUE(json_is_null(json_object_get(m, "training_success_hold_seconds")));
  EXPECT_TRUE(json_is_null(json_object_get(trim, "target_success_hold_seconds")));
  EXPECT_EQ(3, json_number_value(json_object_get(m, "collect_success_hold_seconds")));
  EXPECT_EQ(3, json_number_value(json_object_get(trim, "source_success_hold_seconds")));
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
