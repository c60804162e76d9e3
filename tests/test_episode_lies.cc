// Files that lie about an episode or hold none, each told in one line.
#include <sys/stat.h>

#include "read_help.h"

using namespace read_help;

namespace {

struct Lie {
  const char *name;
  std::function<void(Demo &)> set;
  const char *word;
  ph_status status = PH_EFORMAT;
};

void replace(hid_t group, const char *path, ph_type type, std::vector<int64_t> dim) {
  if (ph_h5_exists(group, path))
    H5Ldelete(group, path, H5P_DEFAULT);
  int64_t n = 1;
  for (int64_t d : dim)
    n *= d;
  std::vector<uint8_t> zeros((size_t)n * ph_type_size(type) + 1);
  require(ph_h5_put_array(group, path, type, (int)dim.size(), dim.data(), zeros.data()));
}

std::vector<Lie> lies() {
  auto damage = [](std::function<void(hid_t)> f) {
    return [f](Demo &d) { d.after = [f](hid_t, hid_t group) { f(group); }; };
  };
  auto columns = [damage](const char *text) {
    return damage([text](hid_t g) {
      hid_t dataset;
      ph_h5_array info;
      require(ph_h5_dataset(&dataset, &info, g, "playhead/crc"));
      require(ph_h5_put_string(dataset, "columns", text));
      ph_h5_close(dataset);
    });
  };
  return {
      {"negative", damage([](hid_t g) { ph_h5_put_i64(g, "num_samples", -1); }), "num_samples"},
      {"fewer", damage([](hid_t g) { ph_h5_put_i64(g, "num_samples", 599); }), "600 rows"},
      {"more", damage([](hid_t g) { ph_h5_put_i64(g, "num_samples", 601); }), "600 rows"},
      {"endless", damage([](hid_t g) { ph_h5_put_i64(g, "num_samples", INT64_MAX); }),
       "num_samples"},
      {"no_num_samples", damage([](hid_t g) { H5Adelete(g, "num_samples"); }), "num_samples"},
      {"text_num_samples", damage([](hid_t g) { ph_h5_put_string(g, "num_samples", "600"); }),
       "num_samples"},
      {"env", damage([](hid_t g) { ph_h5_put_i64(g, "env_id", -3); }), "env_id"},
      {"episode", damage([](hid_t g) { ph_h5_put_i64(g, "episode", -3); }), "episode"},
      {"success", damage([](hid_t g) { ph_h5_put_i64(g, "success", 2); }), "success"},
      {"hold", damage([](hid_t g) { ph_h5_put_f64(g, "hold_seconds", NAN); }), "hold_seconds"},
      {"hash", damage([](hid_t g) { ph_h5_put_string(g, "model_sha256", "../../x"); }),
       "model_sha256"},
      {"provenance", damage([](hid_t g) { ph_h5_put_string(g, "provenance", "{}"); }),
       "provenance"},
      {"no_states", damage([](hid_t g) { H5Ldelete(g, "states", H5P_DEFAULT); }), "states"},
      {"no_actions", damage([](hid_t g) { H5Ldelete(g, "actions", H5P_DEFAULT); }), "actions"},
      {"float", damage([](hid_t g) { replace(g, "rewards", PH_F32, {600}); }), "f64"},
      {"float_states", damage([](hid_t g) {
         replace(g, "states", PH_F32, {600, 8});
       }),
       "f64"},
      {"float_warmstart", damage([](hid_t g) {
         replace(g, "playhead/warmstart", PH_F32, {601, 3});
       }),
       "f64"},
      {"float_final", damage([](hid_t g) { replace(g, "playhead/final_state", PH_F32, {8}); }),
       "f64"},
      {"rank", damage([](hid_t g) {
         replace(g, "rewards", PH_F64, {600, 1});
       }),
       "dimensions"},
      {"flat", damage([](hid_t g) { replace(g, "states", PH_F64, {600}); }), "dimensions"},
      {"short_ctrl", damage([](hid_t g) {
         replace(g, "playhead/ctrl", PH_F64, {600, 2});
       }),
       "600 rows"},
      {"no_rows", damage([](hid_t g) { replace(g, "rewards", PH_F64, {0}); }), "0 rows"},
      {"no_width", damage([](hid_t g) {
         replace(g, "states", PH_F64, {600, 0});
       }),
       "states"},
      {"narrow_states", damage([](hid_t g) {
         replace(g, "states", PH_F64, {600, 3});
       }),
       "states"},
      {"wide_final", damage([](hid_t g) { replace(g, "playhead/final_state", PH_F64, {9}); }),
       "final_state"},
      {"mocap", damage([](hid_t g) {
         replace(g, "playhead/mocap_pos", PH_F64, {601, 1, 4});
       }),
       "mocap_pos"},
      {"crc_narrow", damage([](hid_t g) {
         replace(g, "playhead/crc", PH_U32, {10, 2});
       }),
       "crc"},
      {"crc_wide", damage([](hid_t g) {
         replace(g, "playhead/crc", PH_U32, {10, 4});
       }),
       "crc"},
      {"crc_flat", damage([](hid_t g) { replace(g, "playhead/crc", PH_U32, {30}); }), "crc"},
      {"crc_type", damage([](hid_t g) {
         replace(g, "playhead/crc", PH_F64, {10, 3});
       }),
       "crc"},
      {"crc_fewer_names", columns("actions,states"), "crc"},
      {"crc_twice",
       columns("actions,states,rewards,dones,playhead/warmstart,playhead/ctrl,"
               "playhead/predicate,playhead/flags,playhead/mocap_pos,actions"),
       "twice"},
      {"crc_absent",
       columns("actions,states,rewards,dones,playhead/warmstart,playhead/ctrl,"
               "playhead/predicate,playhead/flags,playhead/mocap_pos,"
               "playhead/userdata"),
       "userdata"},
      {"crc_more_names",
       columns("actions,states,rewards,dones,playhead/warmstart,playhead/ctrl,playhead/predicate,"
               "playhead/flags,playhead/mocap_pos,playhead/eq_active,x"),
       "crc"},
      {"unlisted", damage([](hid_t g) {
         replace(g, "playhead/userdata", PH_F64, {601, 1});
       }),
       "userdata"},
      {"edit_group", damage([](hid_t g) {
         hid_t id;
         require(ph_h5_group_create(&id, g, "playhead/model/x"));
         ph_h5_close(id);
       }),
       "model"},
      {"edit_unchecked", damage([](hid_t g) {
         hid_t dataset;
         int64_t dim[1] = {3};
         require(ph_h5_dataset_create(&dataset, g, "playhead/model/y", PH_F64, 1, dim, false));
         ph_h5_close(dataset);
       }),
       "crc"},
      {"soft", damage([](hid_t g) {
         H5Ldelete(g, "rewards", H5P_DEFAULT);
         H5Lcreate_soft("actions", g, "rewards", H5P_DEFAULT, H5P_DEFAULT);
       }),
       "link", PH_EREFUSED},
      {"external", damage([](hid_t g) {
         H5Ldelete(g, "playhead/predicate", H5P_DEFAULT);
         H5Lcreate_external("/etc/hostname", "/", g, "playhead/predicate", H5P_DEFAULT,
                            H5P_DEFAULT);
       }),
       "link", PH_EREFUSED},
      {"steps", [](Demo &d) { d.env_args = R"({"env_kwargs": {"control_steps": 1.5}})"; },
       "control_steps"},
      {"json", [](Demo &d) { d.env_args = "{"; }, "env_args"},
      {"empty",
       [](Demo &d) {
         d.actions = 0;
         d.crc = false;
       },
       "no step"},
      {"unchecked", [](Demo &d) { d.crc = false; }, "playhead/crc: it is not there"},
      {"version",
       [](Demo &d) {
         d.after = [](hid_t file, hid_t) { ph_h5_put_i64(file, "format_version", 2); };
       },
       "version"},
      {"format",
       [](Demo &d) {
         d.after = [](hid_t file, hid_t) { ph_h5_put_string(file, "format", "robomimic"); };
       },
       "robomimic"},
  };
}

TEST(Episode, ClocksThatContradictEachOtherAreOdd) {
  Folder dir;
  auto oddity = [&](const std::string &kwargs) -> std::string {
    Demo demo;
    demo.actions = 3;
    demo.env_args = "{\"env_name\": \"push\", \"env_kwargs\": {" + kwargs + "}}";
    std::filesystem::remove(dir / "e.h5");
    write_file(dir / "e.h5", demo);
    Episode e = open_episode(dir / "e.h5");
    return e ? ph_episode_meta_of(e.get())->oddity : ph_error();
  };
  const std::string rest = R"("control_freq": 50.0, "control_dt": 0.02, "timestep": )";
  EXPECT_EQ(oddity(R"("control_steps": 10, )" + rest + "0.002"), "");
  EXPECT_EQ(oddity(R"("control_steps": 10, "control_freq": 50)"), "");
  EXPECT_TRUE(says(oddity(R"("control_steps": 5, )" + rest + "0.002").c_str(),
                   "control_dt is 0.02 s where 5 steps of 0.002 s are 0.01 s"));
  EXPECT_TRUE(says(oddity(R"("control_steps": 10, )" + rest + "0.004").c_str(),
                   "control_dt is 0.02 s where 10 steps of 0.004 s are 0.04 s"));
  EXPECT_TRUE(says(oddity(R"("control_freq": 7, "control_dt": 0.02)").c_str(),
                   "control_freq is 7 Hz where control_dt is 0.02 s"));
}

TEST(Episode, AFinalStateThatIsGoneIsOdd) {
  Folder dir;
  Demo demo;
  demo.actions = 3;
  demo.after = [](hid_t, hid_t g) { H5Ldelete(g, "playhead/final_state", H5P_DEFAULT); };
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e) << ph_error();
  EXPECT_EQ(ph_episode_meta_of(e.get())->states, 3);
  EXPECT_TRUE(says(ph_episode_meta_of(e.get())->oddity,
                   "playhead/final_state: not stored, though playhead/warmstart has the row"));
  demo.after = nullptr;
  demo.final_state = false;
  write_file(dir / "whole.h5", demo);
  e = open_episode(dir / "whole.h5");
  ASSERT_TRUE(e) << ph_error();
  EXPECT_STREQ(ph_episode_meta_of(e.get())->oddity, "");
}

class Lies : public ::testing::TestWithParam<Lie> {};
INSTANTIATE_TEST_SUITE_P(Episode, Lies, ::testing::ValuesIn(lies()),
                         [](const auto &p) { return std::string(p.param.name); });

TEST_P(Lies, AreToldInOneLine) {
  Folder dir;
  Demo demo;
  GetParam().set(demo);
  write_file(dir / "e.h5", demo);
  size_t ids = ph_h5_open_ids();
  ph_episode *e;
  EXPECT_EQ(ph_episode_open(&e, (dir / "e.h5").c_str(), "/data/demo_0"), GetParam().status);
  EXPECT_EQ(e, nullptr);
  EXPECT_TRUE(says(ph_error(), GetParam().word));
  EXPECT_EQ(std::string(ph_error()).find(dir / "e.h5"), 0u) << ph_error();
  EXPECT_EQ(ph_h5_open_ids(), ids);
}

TEST(Episode, SwappedChecksumLinesAreFoundWhenRowsAreRead) {
  Folder dir;
  Demo demo;
  demo.after = [](hid_t, hid_t g) {
    hid_t dataset;
    ph_h5_array info;
    require(ph_h5_dataset(&dataset, &info, g, "playhead/crc"));
    require(ph_h5_put_string(dataset, "columns",
                             "states,actions,rewards,dones,playhead/warmstart,playhead/ctrl,"
                             "playhead/predicate,playhead/flags,playhead/mocap_pos,"
                             "playhead/eq_active"));
    ph_h5_close(dataset);
  };
  write_file(dir / "e.h5", demo);
  Episode e = open_episode(dir / "e.h5");
  ASSERT_TRUE(e);
  double x[16];
  EXPECT_EQ(ph_episode_read(e.get(), PH_COL_ACTIONS, 0, 1, x), PH_ECORRUPT);
  EXPECT_TRUE(says(ph_error(), "actions"));
}

struct Junk {
  const char *name;
  std::string bytes;
  const char *word;
};

TEST(Episode, FilesThatAreNoneAreToldApart) {
  Folder dir;
  Demo demo;
  write_file(dir / "good.h5", demo);
  Bytes good = slurp(dir / "good.h5");
  std::string half(good.begin(), good.begin() + good.size() / 2), head(half, 0, 20);
  const Junk junk[] = {
      {"empty", "", "empty"},
      {"lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", "Git LFS"},
      {"text", "once upon a time", "not an HDF5 file"},
      {"half", half, "not written to the end"},
      {"head", head, "HDF5"},
      {"zeros", std::string(4096, '\0'), "not an HDF5 file"},
  };
  for (const Junk &j : junk) {
    std::string path = dir / j.name;
    spill(path, j.bytes);
    EXPECT_FALSE(open_episode(path)) << j.name;
    EXPECT_TRUE(says(ph_error(), j.word)) << j.name;
    EXPECT_TRUE(says(ph_error(), path));
    EXPECT_FALSE(open_store({path})) << j.name;
    EXPECT_TRUE(says(ph_error(), j.word)) << j.name;
  }
  EXPECT_FALSE(open_episode(dir / "nothing"));
  EXPECT_TRUE(says(ph_error(), "No such file"));
  EXPECT_FALSE(open_episode(dir.path()));
  mkfifo((dir / "fifo").c_str(), 0600);
  EXPECT_FALSE(open_episode(dir / "fifo")) << "or it hangs";
  EXPECT_TRUE(says(ph_error(), "not a regular file"));
  EXPECT_FALSE(open_episode(dir / "good.h5", "/data/demo_1"));
  EXPECT_TRUE(says(ph_error(), "/data/demo_1"));
}

} // namespace
