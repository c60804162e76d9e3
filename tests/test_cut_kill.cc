// Cuts that are killed, or told to end, before any call that changes a file: there is a whole
// result or none, at most hidden files that nothing reads beside it where they were killed, and the
// next cut does not mind. PLAYHEAD_TEST_KILLS says how many.
#include "cut_help.h"
#include "foreign_layouts.h"
#include "trace_help.h"

#include "cli_help.h"

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
  const int kills = Number("PLAYHEAD_TEST_KILLS", 6);

  /* Names in the folder; hidden ones too, or those alone that a listing shows. */
  std::vector<string> Names(bool hidden) {
    std::vector<string> names;
    for (const auto &entry : fs::directory_iterator(top)) {
      string name = entry.path().filename();
      if ((hidden || name[0] != '.') && name != "out" && name != "err")
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  trace_help::Ending Trace(std::vector<string> args, int n, int number) {
    args.insert(args.begin(), program);
    return trace_help::run(args, top.string(), n, [&](pid_t pid) { kill(pid, number); });
  }
  /* A result is there and whole (true), or is not there at all. */
  bool IsWhole(const string &result, const string &want) {
    if (!fs::exists(top / result))
      return false;
    EXPECT_EQ(Facts(result), want);
    fs::remove_all(top / result);
    return true;
  }

  /* Ends cuts of a source from their first such call to their last. */
  void Campaign(const string &source, const string &result, std::vector<string> args) {
    args.insert(args.begin(), {"cut", source});
    auto before = contents_of(Path(source));
    ASSERT_EQ(Run(args).status, 0); /* what is kept of it is kept from now on */
    fs::remove_all(top / result);
    trace_help::Ending all = Trace(args, 0, 0);
    if (!all.traced)
      GTEST_SKIP() << "nobody may be traced here";
    ASSERT_EQ(all.status, 0) << cli_help::Slurp(top / "err");
    ASSERT_GT(all.calls, 10);
    auto want = Facts(result);
    fs::remove_all(top / result);
    auto shown = Names(false);
    int whole[2] = {0, 0};
    for (int k = 0; k < 2 * kills; k++) {
      SCOPED_TRACE(k);
      bool killed = k % 2;
      auto names = Names(true);
      int n = 1 + (all.calls - 1) * (k / 2) / (kills - 1);
      int number = killed ? SIGKILL : k % 3 == 0 ? SIGINT : k % 3 == 1 ? SIGTERM : SIGHUP;
      int status = Trace(args, n, number).status;
      bool is = IsWhole(result, want);
      whole[killed] += is;
      if (killed) {
        EXPECT_TRUE(status == -SIGKILL || (is && status == 0)) << status;
        EXPECT_EQ(Names(false), shown);
      } else {
        EXPECT_TRUE(is ? status == 0 : status == 1 || status == -number) << status;
        EXPECT_EQ(Names(true), names) << "of signal " << number << " before call " << n;
      }
      EXPECT_EQ(contents_of(Path(source)), before);
    }
    EXPECT_LT(whole[false], kills);
    EXPECT_LT(whole[true], kills);
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
  ASSERT_EQ(Run({"record", "cart.lua", "--envs", "4", "--episodes", "8", "--out", "run"}).status,
            0);
  Campaign("run", "cut.h5", {"--range", "2:10", "-o", "cut.h5"});
}

TEST_F(CutKill, OfAFileOfAnotherRecorder) {
  foreign::Options o;
  o.rows.assign(6, 60);

  o.store = {7, 4, true};
  foreign::write_robomimic(Path("a.hdf5"), o);
  Campaign("a.hdf5", "cut.hdf5", {"--range", "5:50", "-o", "cut.hdf5"});
}

} // namespace
