// Each sample file as the program shows it: `info` and one screen, as golden files under
// tests/golden/samples. PH_GOLDEN_UPDATE=1 writes them instead; look at what changed. Skipped where
// the samples, which are not part of the project, are not beside it.
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using std::string;

namespace {

struct Sample {
  const char *name; /* of the golden file */
  const char *path; /* below the samples */
  std::vector<string> more;
};

void PrintTo(const Sample &sample, std::ostream *out) {
  *out << sample.path;
}

const std::vector<string> kAssets = {"--assets", "robosuite-2020/assets_2020"};
const std::vector<string> kDrop = {"--missing-assets", "drop"};

const Sample kSamples[] = {
    {"lift", "robosuite-2020/lift/panda/demo.hdf5", {}},
    {"lift_assets", "robosuite-2020/lift/panda/demo.hdf5", kAssets},
    {"lift_drop", "robosuite-2020/lift/panda/demo.hdf5", kDrop},
    {"door", "robosuite-2020/door/panda/demo.hdf5", {}},
    {"door_assets", "robosuite-2020/door/panda/demo.hdf5", kAssets},
    {"door_drop", "robosuite-2020/door/panda/demo.hdf5", kDrop},
    {"robomimic", "robomimic/franka_reaching.hdf5", {}},
    {"robomimic_drop", "robomimic/franka_reaching.hdf5", kDrop},
    {"robomimic_assets", "robomimic/franka_reaching.hdf5", kAssets},
    {"libero", "synthetic/libero/KITCHEN_SCENE1_demo.hdf5", {}},
    {"mimicgen", "synthetic/mimicgen/demo.hdf5", {}},
    {"robosuite_raw", "synthetic/robosuite_raw", {}},
    {"robosuite_raw_one", "synthetic/robosuite_raw/ep_1700000000_1234567", {}},
    {"broken_empty", "synthetic/broken/empty_data.hdf5", {}},
    {"broken_lengths", "synthetic/broken/length_mismatch.hdf5", {}},
    {"broken_lfs", "synthetic/broken/lfs_pointer.hdf5", {}},
    {"broken_truncated", "synthetic/broken/truncated.hdf5", {}},
    {"maniskill", "maniskill/trajectory.h5", {}},
    {"d4rl", "d4rl/maze2d-umaze-v1.hdf5", {}},
    {"d4rl_hopper", "synthetic/d4rl/hopper_medium_v2.hdf5", {}},
    {"robohive", "robohive/random_policy20230302-070139_trace.h5", {}},
    {"myosuite", "myosuite/standing_motion.h5", {}},
    {"myosuite_npz", "myosuite/MyoHand_airplane_fly1.npz", {}},
    {"dm_control", "dm_control/test_trajectories.h5", {}},
    {"act", "synthetic/act/episode_0.hdf5", {}},
    {"act_real", "synthetic/act/episode_1_real.hdf5", {}},
    {"minari", "synthetic/minari/data/main_data.hdf5", {}},
    {"bigym", "bigym/0_ReachTarget_JointPositionActionMode_state.safetensors", {}},
    {"dapg", "dapg/door-v0_demos.pickle", {}},
    {"libero_init", "libero/KITCHEN_SCENE8_put_both_moka_pots_on_the_stove.pruned_init", {}},
    {"embodichain", "synthetic/embodichain/traj_env0_000000.pt", {}},
    {"mujoco_npy", "synthetic/mujoco/rollout_state.npy", {}},
    {"mujoco_sysid", "synthetic/mujoco/sysid_traj.npz", {}},
    {"mujoco_warp", "synthetic/mujoco/warp_replay.npz", {}},
    {"bigym_pixel", "bigym/2_ReachTarget_JointPositionActionMode_pixel.safetensors", {}},
    {"bigym_light", "bigym/4_ReachTarget_JointPositionActionMode_lightweight.safetensors", {}},
    {"bigym2", "synthetic/bigym2/20260826T101112_0_30.npz", {}},
    {"loco_mujoco", "loco-mujoco/02-constspeed_ATLAS.npz", {}},
    {"loco_mujoco_walk", "synthetic/loco_mujoco/walk.npz", {}},
    {"mjlab", "synthetic/mjlab/nan_dump_20260101_000000.npz", {}},
    {"motion_mjlab", "synthetic/motion/mjlab_motion.npz", {}},
    {"motion_amass", "synthetic/motion/amass_poses.npz", {}},
    {"rscope", "synthetic/rscope/2026_01_01-00_00_00.mj_unroll", {}},
    {"rscope_meta", "synthetic/rscope/rscope_meta.pkl", {}},
};

const fs::path kRoot = TEST_SOURCE_ROOT;

string Slurp(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class Shown : public testing::Test {
protected:
  fs::path top, samples;
  string program;

  void SetUp() override {
    std::error_code error;
    samples = fs::canonical(kRoot / "../shared/samples", error);
    if (error)
      GTEST_SKIP() << "../shared/samples is not there";
    string name = "/tmp/samplesXXXXXX"; // of one length everywhere: the screen breaks long lines
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top = fs::canonical(name);
    ASSERT_NE(getenv("PLAYHEAD_PROGRAM"), nullptr);
    program = getenv("PLAYHEAD_PROGRAM");
  }
  void TearDown() override {
    if (!top.empty())
      fs::remove_all(top);
  }

  /* Works on a copy: found files are named by their whole path. */
  void Copy(const string &folder) {
    fs::copy(samples / folder, top / folder, fs::copy_options::recursive);
    samples = top;
  }
  /* Everything that it prints, in the folder of the samples, so that paths are short. */
  string Run(const std::vector<string> &args) {
    std::vector<const char *> argv = {program.c_str()};
    for (auto &a : args)
      argv.push_back(a.c_str());
    argv.push_back(nullptr);
    pid_t pid = fork();
    if (pid == 0) {
      int out = open((top / "out").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
      int err = open((top / "err").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
      int in = open("/dev/null", O_RDONLY);
      dup2(in, 0);
      dup2(out, 1);
      dup2(err, 2);
      setenv("LC_ALL", "C.UTF-8", 1);
      for (const char *name : {"HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"})
        setenv(name, top.c_str(), 1);
      for (const char *name : {"PLAYHEAD_ASSETS", "NO_COLOR"})
        unsetenv(name);
      if (chdir(samples.c_str()) != 0)
        _exit(126);
      execv(program.c_str(), const_cast<char **>(argv.data()));
      _exit(127);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    string exit = WIFEXITED(status) ? std::to_string(WEXITSTATUS(status))
                                    : "signal " + std::to_string(WTERMSIG(status));
    return Plain(Slurp(top / "out") + Slurp(top / "err")) + "= " + exit + "\n";
  }
  string Plain(string text) const {
    for (const fs::path &folder : {samples, top})
      for (size_t at; (at = text.find(folder.string())) != string::npos;)
        text.replace(at, folder.string().size(), "SAMPLES");
    return text;
  }
};

class Samples : public Shown, public testing::WithParamInterface<Sample> {};

TEST_P(Samples, AreShownAsTheyWereLookedAt) {
  const Sample &sample = GetParam();
  auto run = [&](std::vector<string> args) {
    string line = "$ playhead";
    args.push_back(sample.path);
    args.insert(args.end(), sample.more.begin(), sample.more.end());
    for (auto &arg : args)
      line += " " + arg;
    string text = Run(args);
    EXPECT_EQ(text.find("= signal"), string::npos) << text;
    return line + "\n" + text;
  };
  if (sample.more == kAssets) {
    fs::path from = samples;
    Copy("robosuite-2020");
    if (!fs::exists(top / sample.path)) {
      fs::create_directories((top / sample.path).parent_path());
      fs::copy_file(from / sample.path, top / sample.path);
    }
  }
  string shown = run({"info"}) + "\n" + run({"screen", "--size", "120x40"});
  fs::path golden = kRoot / "tests/golden/samples" / (string(sample.name) + ".txt");
  if (getenv("PH_GOLDEN_UPDATE")) {
    fs::create_directories(golden.parent_path());
    std::ofstream(golden, std::ios::binary) << shown;
    return;
  }
  EXPECT_EQ(Slurp(golden), shown) << "if it should be so: PH_GOLDEN_UPDATE=1 meson test samples";
}

INSTANTIATE_TEST_SUITE_P(All, Samples, testing::ValuesIn(kSamples),
                         [](const testing::TestParamInfo<Sample> &made) {
                           return string(made.param.name);
                         });

/* A source is never written to. */
TEST_F(Shown, SamplesStayAsTheyAre) {
  fs::path copy = top / "demo.hdf5";
  fs::copy_file(samples / "synthetic/libero/KITCHEN_SCENE1_demo.hdf5", copy);
  string before = Slurp(copy);
  fs::permissions(copy, fs::perms::owner_read);
  auto time = fs::last_write_time(copy);
  EXPECT_NE(string::npos, Run({"info", copy.string()}).find("LIBERO"));
  EXPECT_NE(string::npos, Run({"screen", copy.string()}).find("demo_0"));
  EXPECT_EQ(before, Slurp(copy));
  EXPECT_EQ(time, fs::last_write_time(copy));
}

} // namespace
