#include "reader_help.h"

using namespace foreign;

namespace {

class Demos : public Reader {
protected:
  /* A file with /data, written by fn. */
  template <class Fn> void write(Fn fn, bool latest = false) {
    File file(path, latest);
    file.group("/data");
    fn(file);
  }
  static void demo(File &file, const std::string &name, hsize_t rows = 4) {
    file.array("/data/" + name + "/states", F64, {rows, 3}, wave(rows * 3));
    file.array("/data/" + name + "/actions", F64, {rows, 2}, wave(rows * 2));
  }
  std::string layout() { return list() == PH_OK ? scan.layout : ph_error(); }
};

/* --- what is listed --- */

TEST_F(Demos, NamesInNaturalOrder) {
  write([](File &f) {
    for (const char *name : {"demo_10", "demo_2", "demo1", "demo_0", "traj_3"})
      demo(f, name);
    f.array("/data/notes", F64, {3}, {1, 2, 3});
    f.group("/data/empty");
  });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  EXPECT_STREQ("demos", reader->name);
  EXPECT_EQ("demo1 demo_0 demo_2 demo_10 traj_3", ids());
  EXPECT_STREQ("/data/demo_10", scan.entries[3].group);
  EXPECT_EQ(path, scan.entries[3].file);
  EXPECT_EQ(10, scan.entries[3].episode);
  EXPECT_EQ(-1, scan.entries[3].actions);
  EXPECT_EQ(-1, scan.entries[3].states);
}

TEST_F(Demos, NoObjectIsOpenedToList) {
  write([](File &f) {
    demo(f, "demo_0");
    f.soft("/data/demo_1", "/nowhere");
    f.external("/data/demo_2", "other.h5", "/data/demo_0");
  });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  EXPECT_EQ("demo_0 demo_1 demo_2", ids());
  EXPECT_STREQ("/data/demo_1: a soft link is never followed", strstr(look(1).oddity, "/data"))
      << look(1).oddity;
  EXPECT_NE(nullptr, strstr(look(2).oddity, "an external link is never followed"));
  EXPECT_EQ(0, look(2).states);
  Handed h;
  open(h, 1);
  EXPECT_EQ(PH_EREFUSED, h.status) << h.error;
}

TEST_F(Demos, NamesOfOddBytes) {
  std::string odd = "de\x01mo \xff", wide(300, 'x');
  write([&](File &f) {
    demo(f, "demo_0");
    demo(f, odd);
    demo(f, wide);
  });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  ASSERT_EQ(3u, scan.n);
  size_t at = strncmp(scan.entries[0].id, "de\\x01mo \\xff", 20) == 0 ? 0 : 1;
  EXPECT_STREQ("de\\x01mo \\xff", scan.entries[at].id);
  EXPECT_EQ(4, look(at).states);
  Handed h;
  open(h, at);
  EXPECT_EQ(PH_OK, h.status) << h.error;
  EXPECT_EQ(std::string(63, 'x'), scan.entries[2].id);
  ph_entry entry = look(2);
  EXPECT_STREQ("its name has 300 bytes: it is too long to be opened", entry.oddity);
  EXPECT_EQ(0, entry.states);
  Handed none;
  open(none, 2);
  EXPECT_EQ(PH_EINVAL, none.status);
}

TEST_F(Demos, NoDemoIsOneSentence) {
  write([](File &f) { f.attr("/data", "total", 0); });
  EXPECT_EQ(PH_EFORMAT, list());
  EXPECT_EQ(path + ": it holds no episode: /data has no demo", ph_error());
  EXPECT_EQ(0u, scan.n);
}

TEST_F(Demos, AnotherDataIsNotTheirs) {
  {
    File f(path);
    f.array("/data", F64, {4}, {1, 2, 3, 4});
  }
  ASSERT_EQ(PH_OK, list()) << ph_error();
  EXPECT_STREQ("arrays", reader->name);
  close();
  write([](File &f) { f.array("/data/joints", F64, {4, 2}, wave(8)); });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  EXPECT_STREQ("arrays", reader->name);
}

TEST_F(Demos, TwentyThousandAreOnlyNames) {
  write([](File &f) {
    hid_t group = H5Gcreate2(f.id(), "/one", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    for (int i = 0; i < 20000; i++) {
      std::string name = "/data/demo_" + std::to_string(i);
      H5Lcreate_hard(f.id(), "/one", f.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    }
  });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  ASSERT_EQ(20000u, scan.n);
  for (size_t i = 0; i < scan.n; i++)
    ASSERT_EQ("demo_" + std::to_string(i), scan.entries[i].id);
}

/* --- groups --- */

TEST_F(Demos, MasksAreGroups) {
  write([](File &f) {
    for (int i = 0; i < 12; i++)
      demo(f, demo_name((size_t)i));
    f.texts("/mask/train", {"demo_10", "demo_2", "demo_2", "demo_77"}, 8);
    f.texts("/mask/10_demos", {"demo_0"}, 12);
    f.array("/mask/numbers", F64, {2}, {0, 1});
  });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  ASSERT_EQ(2u, scan.ngroups);
  EXPECT_STREQ("10_demos", scan.groups[0].name);
  EXPECT_EQ("demo_0", group("10_demos"));
  EXPECT_EQ("demo_2 demo_10", group("train"));
  EXPECT_STREQ("/mask/numbers: it is no list of texts; mask/train names 1 episode that the file "
               "does not hold",
               scan.entries[0].oddity);
  EXPECT_STREQ(scan.entries[0].oddity, look(0).oddity);
}

TEST_F(Demos, MasksOfTextsOfTheirOwnLength) {
  write([](File &f) {
    for (int i = 0; i < 12; i++)
      demo(f, demo_name((size_t)i));
    f.texts("/mask/train", {"demo_10", "demo_2", "", "demo_77"});
    f.texts("/mask/success", {"demo_1"});
  });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  EXPECT_EQ("demo_2 demo_10", group("train"));
  EXPECT_EQ("demo_1", group("success"));
  EXPECT_STREQ("mask/train names 2 episodes that the file does not hold", scan.entries[0].oddity);
  EXPECT_EQ(1, look(1).success);
  Handed h;
  open(h, 1);
  EXPECT_STREQ("group mask/success", h.f.meta.success_source);
}

TEST_F(Demos, GroupsThatSaySuccess) {
  write([](File &f) {
    for (int i = 0; i < 3; i++)
      demo(f, demo_name((size_t)i));
    f.texts("/mask/success", {"demo_1"}, 8);
    f.texts("/mask/failed", {"demo_2"}, 8);
  });
  ASSERT_EQ(PH_OK, list()) << ph_error();
  const int want[] = {-1, 1, 0};
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQ(want[i], look(i).success) << i;
    Handed h;
    open(h, i);
    EXPECT_EQ(want[i], h.f.meta.success) << i;
    EXPECT_STREQ(i == 1   ? "group mask/success"
                 : i == 2 ? "group mask/failed"
                          : "",
                 h.f.meta.success_source);
  }
  EXPECT_EQ(PH_END_SUCCESS, look(1).end_reason);
  EXPECT_EQ(PH_END_UNKNOWN, look(2).end_reason);
}

/* --- layouts --- */

TEST_F(Demos, LayoutsByTheirSigns) {
  write_robosuite(path);
  EXPECT_EQ("robosuite", layout());
  write_robomimic(path);
  EXPECT_EQ("robomimic", layout());
  write_libero(path);
  EXPECT_EQ("LIBERO", layout());
  write_mimicgen(path);
  EXPECT_EQ("MimicGen", layout());
  write([](File &f) {
    f.attr("/data", "env_args", "{}");
    f.attr("/data", "robocasa_version", "0.2");
    f.array("/data/demo_0/datagen_info/a", F64, {2}, {1, 2});
    demo(f, "demo_0");
  });
  EXPECT_EQ("RoboCasa", layout());
  write([](File &f) {
    f.attr("/data", "env_args", "{\"env_kwargs\": {\"layout_ids\": [1, 2]}}");
    demo(f, "demo_0");
  });
  EXPECT_EQ("RoboCasa", layout());
  write([](File &f) { demo(f, "demo_0"); });
  EXPECT_EQ("demos", layout());
}

TEST_F(Demos, RobosuiteFacts) {
  write_robosuite(path);
  Handed h;
  read(h, 1);
  EXPECT_EQ("demo_1 demo_2", ids());
  EXPECT_STREQ("demo_2", h.f.meta.id);
  EXPECT_STREQ("robosuite", h.f.meta.layout);
  EXPECT_STREQ("robosuite 1.0.0", h.f.meta.writer);
  EXPECT_STREQ("2020-09-04T13:05:07", h.f.meta.created);
  EXPECT_STREQ("Lift", h.f.meta.env_name);
  EXPECT_STREQ("OSC_POSE", h.f.meta.controller);
  EXPECT_EQ(0, h.f.dt);
  EXPECT_EQ(-1, h.f.meta.success);
  EXPECT_EQ("states", h.name_at(h.f.states));
  EXPECT_EQ("actions", h.name_at(h.f.actions));
  EXPECT_EQ(-1, h.f.rewards);
  EXPECT_TRUE(h.f.timed);
  EXPECT_EQ(0, h.f.action_shift);
  EXPECT_EQ(arm_model(), h.f.model_text);
  EXPECT_EQ(arm_model().size(), h.f.model_size);
  EXPECT_EQ(path, h.f.model_path);
  EXPECT_EQ("", h.findings());
  ph_entry entry = look(1);
  EXPECT_EQ(41, entry.states);
  EXPECT_EQ(41, entry.actions);
  EXPECT_STREQ("", entry.oddity);
}

TEST_F(Demos, DateThatIsNoneIsShownAsItIs) {
  write([](File &f) {
    demo(f, "demo_0");
    f.attr("/data", "date", "today");
    f.attr("/data", "time", "noon");
  });
  Handed h;
  read(h);
  EXPECT_STREQ("today noon", h.f.meta.created);
}

TEST_F(Demos, RobomimicRolesAndShifts) {
  Options o;
  o.next_obs = o.images = true;
  write_robomimic(path, o);
  Handed h;
  read(h);
  EXPECT_EQ("demo_0", group("train"));
  EXPECT_EQ("demo_1", group("valid"));
  EXPECT_EQ("rewards", h.name_at(h.f.rewards));
  EXPECT_EQ("dones", h.name_at(h.f.dones));
  EXPECT_EQ("rewards", h.name_at(h.f.success));
  EXPECT_EQ(1, h.f.meta.success);
  EXPECT_STREQ("rewards: 1 at the last action", h.f.meta.success_source);
  EXPECT_DOUBLE_EQ(0.05, h.f.dt);
  EXPECT_STREQ("env_args.env_kwargs.control_freq 20 Hz", h.f.dt_source);
  EXPECT_STREQ("robosuite 1.2.0", h.f.meta.writer);
  ASSERT_TRUE(h.channel("obs/robot0_eef_pos") && h.channel("next_obs/robot0_eef_pos"));
  EXPECT_EQ(0, h.channel("obs/robot0_eef_pos")->shift);
  EXPECT_EQ(1, h.channel("next_obs/robot0_eef_pos")->shift);
  EXPECT_STREQ("taken after the action", h.channel("next_obs/robot0_eef_pos")->note);
  EXPECT_EQ(PH_CHANNEL_IMAGE, h.channel("obs/agentview_image")->kind);
  for (size_t i = 1; i < h.f.narrays; i++)
    EXPECT_LT(ph_natural_compare(h.f.arrays[i - 1].channel.name, h.f.arrays[i].channel.name), 0);
  EXPECT_EQ("", h.findings());
  std::vector<double> want = state_rows(30, true, 0.05, 0, 0),
                      got = h.rows(h.array("states"), 0, 30);
  EXPECT_EQ(0, memcmp(want.data(), got.data(), want.size() * sizeof(double)));
}

TEST_F(Demos, LiberoObservationsAreAhead) {
  write_libero(path);
  Handed h;
  read(h);
  EXPECT_STREQ("put the cube in the drawer", h.f.meta.instruction);
  EXPECT_STREQ("Libero_Kitchen_Tabletop_Manipulation", h.f.meta.env_name);
  for (const char *name : {"obs/ee_states", "obs/agentview_rgb", "robot_states"}) {
    ASSERT_TRUE(h.channel(name)) << name;
    EXPECT_EQ(1, h.channel(name)->shift) << name;
    EXPECT_STREQ("one step ahead of the states: taken after the action", h.channel(name)->note);
  }
  EXPECT_EQ(0, h.channel("states")->shift);
  EXPECT_EQ("", h.findings());
}

TEST_F(Demos, MimicGenNamesWhatIsNoRowPerStep) {
  write_mimicgen(path);
  Handed h;
  read(h);
  ASSERT_TRUE(h.channel("src_demo_inds"));
  EXPECT_EQ(PH_CHANNEL_OTHER, h.channel("src_demo_inds")->kind);
  EXPECT_EQ(0u, h.channel("src_demo_inds")->width);
  EXPECT_STREQ("2 rows for 30 steps", h.channel("src_demo_inds")->note);
  EXPECT_EQ(PH_CHANNEL_NUMBERS, h.channel("datagen_info/object_poses/cube")->kind);
  EXPECT_EQ(16u, h.channel("datagen_info/object_poses/cube")->width);
  EXPECT_EQ(-1, h.f.meta.success);
}

TEST_F(Demos, IsaacLabStatesAreAChannelEach) {
  write([](File &f) {
    f.attr("/data", "env_args", "{\"env_name\": \"Lift\", \"type\": 2}");
    f.array("/data/demo_0/actions", F32, {5, 7}, wave(35));
    f.array("/data/demo_0/obs/joint_pos", F32, {5, 9}, wave(45));
    f.array("/data/demo_0/initial_state/articulation/robot/root_pose", F32, {1, 7}, wave(7));
    f.array("/data/demo_0/states/articulation/robot/root_pose", F32, {5, 7}, wave(35));
    f.attr("/data/demo_0", "success", true);
    f.attr("/data/demo_0", "seed", 42);
  });
  Handed h;
  read(h);
  EXPECT_STREQ("Isaac Lab", h.f.meta.layout);
  EXPECT_EQ(-1, h.f.states);
  EXPECT_FALSE(h.f.timed);
  EXPECT_EQ(5, h.f.meta.states);
  EXPECT_TRUE(h.found("missing: states is a group of arrays, not one flat state per row: they are "
                      "channels"))
      << h.findings();
  EXPECT_EQ(1, h.channel("states/articulation/robot/root_pose")->shift);
  EXPECT_EQ(0, h.channel("obs/joint_pos")->shift);
  EXPECT_EQ(PH_CHANNEL_OTHER, h.channel("initial_state/articulation/robot/root_pose")->kind);
  EXPECT_EQ(1, h.f.meta.success);
  EXPECT_STREQ("attribute success: true", h.f.meta.success_source);
  EXPECT_STREQ("42", h.f.meta.seed);
  EXPECT_EQ(5, look(0).states);
}

/* --- robosuite of 2018 --- */

class Old : public Demos {
protected:
  void write_old(const std::string &model = "model_1.xml", hsize_t hand = 6) {
    write([&](File &f) {
      f.attr("/data", "env", "BaxterLift");
      std::string demo = "/data/demo1";
      f.group(demo);
      f.attr(demo, "model_file", model);
      f.array(demo + "/states", F64, {6, 4}, wave(24));
      f.array(demo + "/joint_velocities", F64, {6, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
      f.array(demo + "/gripper_actuations", F64, {hand, 1}, wave(hand));
      f.array(demo + "/right_dpos", F64, {6, 3}, wave(18));
      f.array(demo + "/left_dpos", F64, {6, 0}, {});
    });
  }
  void sidecar(const std::string &name, const std::string &text) {
    std::filesystem::create_directory(dir / "models");
    read_help::spill(dir / ("models/" + name), text);
  }
};

TEST_F(Old, SplitActionsAreOneArray) {
  write_old();
  sidecar("model_1.xml", arm_model());
  Handed h;
  read(h);
  EXPECT_EQ("joint_velocities|gripper_actuations", h.name_at(h.f.actions));
  const ph_array *actions = &h.f.arrays[h.f.actions];
  EXPECT_EQ(3u, actions->channel.width);
  EXPECT_EQ(6, actions->channel.rows);
  EXPECT_EQ(PH_F64, actions->stored);
  EXPECT_FALSE(h.channel("joint_velocities"));
  EXPECT_TRUE(h.channel("right_dpos"));
  std::vector<double> hand = wave(6), got = h.rows(actions, 1, 4);
  for (int r = 0; r < 4; r++) {
    double want[3] = {2.0 * (r + 1), 2.0 * (r + 1) + 1, hand[(size_t)r + 1]};
    EXPECT_EQ(0, memcmp(want, &got[(size_t)r * 3], sizeof want)) << r;
  }
  EXPECT_STREQ("JOINT_VELOCITY", h.f.meta.controller);
  EXPECT_EQ("oddity: left_dpos is zero wide: its rows hold no numbers\n", h.findings());
  EXPECT_EQ(6, look(0).actions);
  EXPECT_STREQ("robosuite", h.f.meta.layout);
  EXPECT_EQ(arm_model(), h.f.model_text);
  EXPECT_EQ(dir / "models/model_1.xml", h.f.model_path);
}

TEST_F(Old, SplitActionsOfTwoLengthsAreNone) {
  write_old("model_1.xml", 5);
  Handed h;
  read(h);
  EXPECT_EQ(-1, h.f.actions);
  EXPECT_TRUE(h.channel("joint_velocities"));
  EXPECT_TRUE(h.found("missing: it holds no actions: its states alone")) << h.findings();
  EXPECT_EQ(0, look(0).actions);
  EXPECT_STREQ("it holds no actions", look(0).oddity);
}

TEST_F(Old, AMissingSidecarIsAFault) {
  write_old();
  Handed h;
  read(h);
  EXPECT_EQ(nullptr, h.f.model_text);
  EXPECT_STREQ("model_file names models/model_1.xml: there is no such file beside the HDF5 file",
               h.f.model_fault);
}

TEST_F(Old, SidecarsStayInTheirFolder) {
  sidecar("real.xml", arm_model());
  read_help::spill(dir / "outside.xml", arm_model());
  std::filesystem::create_symlink(dir / "outside.xml", dir / "models/link.xml");
  std::filesystem::create_directory(dir / "models/folder.xml");
  struct {
    const char *name, *fault;
  } cases[] = {
      {"../outside.xml", "model_file is \"../outside.xml\": neither a model's text nor the name of "
                         "a file in models/"},
      {"/etc/passwd",
       "model_file is \"/etc/passwd\": neither a model's text nor the name of a file in models/"},
      {"..", "model_file is \"..\": neither a model's text nor the name of a file in models/"},
      {"link.xml", "model_file names models/link.xml: it is a link, which is never followed"},
      {"folder.xml", "model_file names models/folder.xml: it is not a regular file"},
      {"", "model_file is empty"},
      {"a\nb.xml",
       "model_file is \"a\\x0ab.xml\": neither a model's text nor the name of a file in models/"},
  };
  for (const auto &c : cases) {
    write_old(c.name);
    Handed h;
    read(h);
    EXPECT_EQ(nullptr, h.f.model_text) << c.name;
    EXPECT_STREQ(c.fault, h.f.model_fault) << c.name;
  }
  std::filesystem::resize_file(dir / "models/real.xml", (64u << 20) + 1);
  write_old("real.xml");
  Handed h;
  read(h);
  EXPECT_STREQ("model_file names models/real.xml: it is larger than 64 MiB", h.f.model_fault);
}

/* --- real files --- */

class Samples : public Demos {
protected:
  bool sample(const char *name) {
    path = std::string(TEST_SOURCE_ROOT) + "/../shared/samples/" + name;
    return std::filesystem::exists(path);
  }
};

TEST_F(Samples, RobosuiteOf2020) {
  if (!sample("robosuite-2020/lift/panda/demo.hdf5"))
    GTEST_SKIP() << path << " is not here";
  Handed h;
  read(h);
  EXPECT_EQ("demo_1", ids());
  EXPECT_STREQ("robosuite", h.f.meta.layout);
  EXPECT_STREQ("robosuite 1.0.0", h.f.meta.writer);
  EXPECT_EQ(412, h.f.arrays[h.f.states].channel.rows);
  EXPECT_EQ(32u, h.f.arrays[h.f.states].channel.width);
  EXPECT_EQ(7u, h.channel("joint_torques")->width);
  EXPECT_EQ(22374u, h.f.model_size);
  EXPECT_EQ("", h.findings());
}

TEST_F(Samples, RobomimicOfWrongLengths) {
  if (!sample("robomimic/franka_reaching.hdf5"))
    GTEST_SKIP() << path << " is not here";
  const int64_t rows[] = {111, 159, 248, 186, 236}, stored[] = {322, 418, 796, 472, 536};
  ASSERT_EQ(PH_OK, list()) << ph_error();
  ASSERT_EQ(5u, scan.n);
  EXPECT_EQ("demo_1 demo_3 demo_4 demo_5", group("train"));
  for (size_t i = 0; i < 5; i++) {
    ph_entry entry = look(i);
    EXPECT_EQ(rows[i], entry.actions);
    EXPECT_EQ(1, entry.success);
    EXPECT_EQ("num_samples is " + std::to_string(stored[i]) + ", there are " +
                  std::to_string(rows[i]) + " actions",
              entry.oddity);
    Handed h;
    open(h, i);
    EXPECT_EQ(i == 0, h.found("oddity: the file's total is 2544, its 5 demos have 940 rows"));
    EXPECT_STREQ("dones: 1 at the last action and before", h.f.meta.success_source);
  }
}

/* 30 links at each of 6 levels: followed one by one they are 700 million. */
TEST_F(Demos, AGroupIsWalkedOnce) {
  {
    File f(path);
    f.array("/data/demo_0/obs/x", F64, {6}, wave(6));
    std::string below = "/data/demo_0/obs";
    for (int level = 0; level < 6; level++) {
      std::string group = "/data/demo_0/lv" + std::to_string(level);
      f.group(group);
      for (int i = 0; i < 30; i++)
        f.hard(group + "/l" + std::to_string(i), below);
      below = group;
    }
  }
  Handed h;
  read(h);
  EXPECT_EQ(1u, h.f.narrays);
  EXPECT_EQ(4u, h.f.nfindings) << h.findings();
  EXPECT_NE(std::string::npos, h.findings().find("more links lead to groups that were met"))
      << h.findings();
}

TEST_F(Demos, GroupsThatAreOddAreSaidAtTheFirstDemo) {
  {
    File f(path);
    for (const char *demo : {"/data/demo_0", "/data/demo_1"}) {
      f.group(demo);
      f.array(std::string(demo) + "/states", F64, {3, 3}, wave(9));
      f.array(std::string(demo) + "/actions", F64, {3, 1}, wave(3));
    }
    f.group("/mask/folder");
    f.texts("/mask/ghost", {"demo_77"}, 8);
    f.array("/mask/numbers", F64, {2}, {0, 1});
  }
  Handed first, second;
  read(first);
  open(second, 1);
  EXPECT_EQ("oddity: /mask: folder: not a dataset\n"
            "oddity: mask/ghost names 1 episode that the file does not hold\n"
            "oddity: /mask/numbers: it is no list of texts\n",
            first.findings());
  EXPECT_EQ("", second.findings());
}

TEST_F(Demos, ADemoWhoseNameIsTooLongIsListed) {
  {
    File f(path);
    f.array("/data/demo_0/states", F64, {3, 3}, wave(9));
    f.array("/data/demo_" + std::string(3000, 'z') + "/states", F64, {3, 3}, wave(9));
  }
  ASSERT_EQ(PH_OK, list());
  ASSERT_EQ(2u, scan.n);
  EXPECT_STREQ("its name has 3005 bytes: it is too long to be opened", scan.entries[1].oddity);
  EXPECT_STREQ("", scan.entries[1].group);
}

TEST_F(Demos, MoreLinksToGroupsAreCounted) {
  for (int more : {1, 2}) {
    write([&](File &f) {
      demo(f, "demo_0");
      for (int i = 0; i <= more; i++)
        f.hard("/data/demo_0/loop" + std::to_string(i), "/data/demo_0");
    });
    Handed h;
    read(h);
    EXPECT_TRUE(h.found(more == 1 ? "missing: 1 more link leads to groups that were met before"
                                  : "missing: 2 more links lead to groups that were met before"))
        << h.findings();
  }
}

} // namespace
