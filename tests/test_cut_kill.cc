// Cuts that are killed at any moment: there is a whole result or none, at most a hidden file that
// nothing reads beside it, and the next cut does not mind. PLAYHEAD_TEST_KILLS says how many.
#include "cut_help.h"
#include "foreign_layouts.h"
#include "kill_help.h"

using cli_help::Cli;
using cli_help::Outcome;
using cut_help::contents_of;
using std::string;
namespace fs = std::filesystem;

namespace {

int Number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

class CutKill : public Cli {
protected:
  std::mt19937 rng{static_cast<unsigned>(Number("PLAYHEAD_TEST_SEED", 1))};
  const int kills = Number("PLAYHEAD_TEST_KILLS", 6);

  /* Names that a listing shows. */
  std::vector<string> Shown() {
    std::vector<string> names;
    for (const auto &entry : fs::directory_iterator(top)) {
      string name = entry.path().filename();
      if (name[0] != '.' && name != "out" && name != "err")
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  int Draw(int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng); }

  /* Kills cuts of a source, as many times as are asked for. */
  void Campaign(const string &source, const string &result, std::vector<string> args) {
    args.insert(args.begin(), {"cut", source});
    auto before = contents_of(Path(source));
    Outcome whole = Run(args);
    ASSERT_EQ(whole.status, 0) << whole.err << whole.out;
    auto want = Facts(result);
    auto start = std::chrono::steady_clock::now();
    fs::remove_all(top / result);
    ASSERT_EQ(Run(args).status, 0);
    auto took = std::chrono::duration_cast<std::chrono::microseconds>(
                    std::chrono::steady_clock::now() - start)
                    .count();
    fs::remove_all(top / result);
    auto names = Shown();
    int early = 0;
    for (int k = 0; k < kills; k++) {
      SCOPED_TRACE(k);
      kill_help::Watch watch;
      watch.add(top.string());
      pid_t pid = Start(args);
      if (k % 2)
        watch.wait(pid, IN_CREATE, ".part", 0);
      usleep(static_cast<useconds_t>(Draw(static_cast<int>(took) / (k % 2 ? 2 : 1) + 1)));
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      if (fs::exists(top / result)) {
        EXPECT_EQ(Facts(result), want);
        fs::remove_all(top / result);
      } else {
        early++;
      }
      EXPECT_EQ(Shown(), names);
      EXPECT_EQ(contents_of(Path(source)), before);
    }
    EXPECT_GT(early, 0);
    EXPECT_EQ(Run(args).status, 0); /* whatever the others left */
    EXPECT_EQ(Facts(result), want);
  }
  /* What the result is, but for dates and places. */
  string Facts(const string &path) {
    Outcome o = Run({"info", "--json", path});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(Run({"verify", "--mode", "kinematic", path}).status, 0) << path;
    json_t *info = json_loads(o.out.c_str(), 0, nullptr);
    string hash = Text(info, "data_hash"),
           n = std::to_string(json_array_size(json_object_get(info, "episodes")));
    json_decref(info);
    return hash + " " + n;
  }
};

TEST_F(CutKill, OfARun) {
  ASSERT_EQ(Run({"record", "cart.lua", "--envs", "4", "--episodes", "40", "--out", "run"}).status,
            0);
  Campaign("run", "cut.h5", {"--range", "2:10", "-o", "cut.h5"});
}

TEST_F(CutKill, OfAFileOfAnotherRecorder) {
  foreign::Options o;
  o.rows.assign(40, 60);
  o.images = true;
  o.store = {7, 4, true};
  foreign::write_robomimic(Path("a.hdf5"), o);
  Campaign("a.hdf5", "cut.hdf5", {"--range", "5:50", "-o", "cut.hdf5"});
}

} // namespace
