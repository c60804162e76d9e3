// Each sample of the robosuite family, opened in B and verified: why physics cannot be run again is
// one sentence, the true one, and the same in both. Skipped where the samples are not beside the
// project.
#include "cli_help.h"

using namespace cli_help;

namespace {

struct Sample {
  const char *name, *path;
  std::vector<string> more;
  int verified;     /* exit status of verify */
  size_t episodes;  /* 0: it does not open, and `said` is the error */
  const char *said; /* its beginning */
};

void PrintTo(const Sample &sample, std::ostream *out) {
  *out << sample.path;
}

const char kNoMeshes[] = "STATES ONLY: no model: 22 files of the model cannot be had: --assets DIR "
                         "finds them, --missing-assets drop leaves";
/* env_info or env_args name the controller, whose gains and goals are in no file. */
const char kController[] = "STATES ONLY: 7 actions feed OSC_POSE, which the file does not hold";
const std::vector<string> kDrop = {"--missing-assets", "drop"};

const Sample kSamples[] = {
    {"lift", "robosuite-2020/lift/panda/demo.hdf5", {}, 0, 1, kNoMeshes},
    {"door", "robosuite-2020/door/panda/demo.hdf5", {}, 0, 1, kNoMeshes},
    {"robomimic", "robomimic/franka_reaching.hdf5", {}, 0, 5, kNoMeshes},
    {"lift_drop", "robosuite-2020/lift/panda/demo.hdf5", kDrop, 0, 1, kController},
    {"door_drop", "robosuite-2020/door/panda/demo.hdf5", kDrop, 0, 1, kController},
    {"robomimic_drop", "robomimic/franka_reaching.hdf5", kDrop, 0, 5, kController},
    /* Its model has joints only, and its env_args name no controller. */
    {"libero",
     "synthetic/libero/KITCHEN_SCENE1_demo.hdf5",
     {},
     0,
     2,
     "STATES ONLY: 7 actions for 0 actuators, and no task that maps them"},
    {"mimicgen",
     "synthetic/mimicgen/demo.hdf5",
     {},
     0,
     5,
     "STATES ONLY: no model: the file names none"},
    /* Its time goes back, which verify calls wrong; its model.xml is an empty world. */
    {"robosuite_raw",
     "synthetic/robosuite_raw",
     {},
     1,
     1,
     "STATES ONLY: the model does not fit: a state has 32 numbers; the model wants 1+nq+nv = 1+0+0 "
     "= 1"},
    {"broken_lengths",
     "synthetic/broken/length_mismatch.hdf5",
     {},
     1,
     1,
     "STATES ONLY: no model: the file names none"},
    {"broken_empty",
     "synthetic/broken/empty_data.hdf5",
     {},
     3,
     0,
     "it holds no episode: /data has no demo"},
    {"broken_truncated",
     "synthetic/broken/truncated.hdf5",
     {},
     3,
     0,
     "it was not written to the end: 22397 of 44794 bytes are there"},
    {"broken_lfs",
     "synthetic/broken/lfs_pointer.hdf5",
     {},
     3,
     0,
     "a Git LFS pointer stands here instead of the file (8192 bytes, sha256 000000000000): git lfs "
     "pull"},
};

class SamplesBoth : public Cli, public testing::WithParamInterface<Sample> {
protected:
  void SetUp() override {
    Cli::SetUp();
    std::error_code error;
    samples = fs::canonical(fs::path(TEST_SOURCE_ROOT) / "../shared/samples", error);
    if (error)
      GTEST_SKIP() << "../shared/samples is not there";
  }
  std::vector<string> Args(std::vector<string> args) {
    args.push_back((samples / GetParam().path).string());
    args.insert(args.end(), GetParam().more.begin(), GetParam().more.end());
    return args;
  }
  static size_t Count(const string &text, const string &part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != string::npos; at = text.find(part, at + 1))
      n++;
    return n;
  }
  fs::path samples;
};

TEST_P(SamplesBoth, SayWhyPhysicsCannotBeRunAgain) {
  const Sample &sample = GetParam();
  string said = sample.said;
  Outcome screen = Run(Args({"screen", "--mode", "both", "--size", "200x50", "--at", "3"}));
  Outcome verify = Run(Args({"verify"}));
  EXPECT_EQ(verify.status, sample.verified) << verify.out << verify.err;
  if (sample.episodes == 0) {
    EXPECT_EQ(screen.status, 3);
    EXPECT_EQ(screen.err, "playhead: " + (samples / sample.path).string() + ": " + said + "\n");
    EXPECT_EQ(verify.err, screen.err);
    return;
  }
  EXPECT_EQ(screen.status, 0) << screen.err;
  EXPECT_EQ(Count(screen.out, "both: physics cannot be run again: " + said), 1u) << screen.out;
  EXPECT_EQ(Count(screen.out, "promised STATES ONLY"), 1u) << screen.out;
  EXPECT_EQ(Count(screen.out, "1x  K "), 1u) << "what is on show is K: " << screen.out;
  EXPECT_EQ(Count(verify.out, "\n    kinematic: " + said), sample.episodes) << verify.out;
  EXPECT_EQ(Count(verify.out, "bitwise") + Count(verify.out, "EXACT"), 0u) << verify.out;
  EXPECT_NE(verify.out.find("\nphysics run again: " + std::to_string(sample.episodes) +
                            " could not be run\n"),
            string::npos)
      << verify.out;
}

INSTANTIATE_TEST_SUITE_P(All, SamplesBoth, testing::ValuesIn(kSamples),
                         [](const testing::TestParamInfo<Sample> &made) {
                           return string(made.param.name);
                         });

} // namespace
