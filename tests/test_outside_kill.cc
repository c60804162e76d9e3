// Commands from outside do not outlive the program, however it ends.
#include "cli_help.h"
#include "program_help.h"

using namespace cli_help;

namespace {

class OutsideKill : public Cli {
protected:
  /* One that reads nothing, with a child of its own that reads nothing: both write their numbers.
   */
  std::string Deaf() const {
    std::string pid = "echo $$ > ";
    return "sh -c '" + pid + Path("grandchild") + "; exec sleep 1000' & " + pid + Path("child") +
           "; trap '' TERM HUP INT PIPE; while :; do sleep 1000; done";
  }
  /* Killed as soon as both are there. */
  void Kill(const std::vector<std::string> &args) {
    pid_t pid = Start(args);
    for (const char *name : {"child", "grandchild"})
      for (std::error_code none; !fs::exists(Path(name)) || fs::file_size(Path(name), none) == 0;)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(pid, SIGKILL);
    EXPECT_EQ(Wait(pid).status, -SIGKILL);
    EXPECT_TRUE(program_help::IsGone(Path("child")));
    EXPECT_TRUE(program_help::IsGone(Path("grandchild")));
  }
};

TEST_F(OutsideKill, APolicyThatReadsNothing) {
  Kill({"record", "cart.lua", "--episodes", "1", "--out", Path("run"), "--policy-command", Deaf()});
}

TEST_F(OutsideKill, APolicyInAPreview) {
  Kill({"preview", "cart.lua", "--keys", "n", "--policy-command", Deaf()});
}

TEST_F(OutsideKill, AJudgeThatReadsNothing) {
  ASSERT_EQ(Record("run").status, 0);
  Kill({"verify", Path("run"), "--predicate-command", Deaf()});
}

} // namespace
