// Children from outside that do what they should not.
#include "program_help.h"

#include <cmath>
#include <cstring>
#include <fcntl.h>

extern "C" {
#include "program.h"
}

using program_help::IsGone;
using std::string;
using Clock = std::chrono::steady_clock;

namespace {

struct Child {
  ph_program *program = nullptr;
  ph_status started;

  explicit Child(const string &command, double timeout = 5, size_t longest = 100,
                 bool (*cancel)(void *) = nullptr) {
    ph_program_options opt = {"policy", command.c_str(), timeout, 0, longest, cancel, nullptr};
    started = ph_program_start(&program, &opt);
  }
  ~Child() { ph_program_end(program); }
  Child(const Child &) = delete;
  ph_status Ask(const string &question = "q\n") {
    const char *line = nullptr;
    size_t length = 0;
    ph_status status = ph_program_ask(program, question.data(), question.size(), &line, &length);
    answer = line != nullptr ? string(line, length) : "";
    return status;
  }
  string answer;
};

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

class Program : public program_help::Programs {
protected:
  /* The first question fails, with that in the message. */
  void ExpectFault(const string &command, const string &part, double timeout = 20,
                   ph_status expected = PH_EIO) {
    Child child(command, timeout);
    ASSERT_EQ(child.started, PH_OK) << ph_error();
    EXPECT_EQ(child.Ask(), expected) << command;
    string error = ph_error();
    EXPECT_NE(error.find(part), string::npos) << command << ": " << error;
    EXPECT_EQ(error.rfind("policy: " + command.substr(0, 20), 0), 0u) << error;
    EXPECT_FALSE(ph_program_runs(child.program));
    EXPECT_EQ(child.Ask(), PH_ECANCELED) << "it is not asked again";
    EXPECT_EQ(Children(), children) << "ended at once";
  }
  int Children() { return program_help::Children(); }
  /* Until a child has written something there. */
  static void WaitFor(const string &path) {
    std::error_code none;
    while (!std::filesystem::exists(path) || std::filesystem::file_size(path, none) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
};

TEST_F(Program, AnswersLineByLine) {
  Child cat("cat");
  ASSERT_EQ(cat.started, PH_OK);
  for (int i = 0; i < 100; i++) {
    string question = "[" + std::to_string(i) + "]";
    ASSERT_EQ(cat.Ask(question + "\n"), PH_OK) << ph_error();
    EXPECT_EQ(cat.answer, question);
  }
  EXPECT_TRUE(ph_program_runs(cat.program));
}

TEST_F(Program, WhatIsPreparedGoesFirst) {
  Child child("read a; read b; echo $b-$a");
  ASSERT_EQ(ph_program_prepare(child.program, "hello\n", 6), PH_OK);
  ASSERT_EQ(child.Ask("you\n"), PH_OK) << ph_error();
  EXPECT_EQ(child.answer, "you-hello");
}

TEST_F(Program, QuestionsLongerThanAPipeAreSentWhileItAnswers) {
  // Megabytes, of which it reads some, says much, and reads on.
  Child child(Python("import sys\n"
                     "while True:\n"
                     "  line = sys.stdin.readline()\n"
                     "  if not line: break\n"
                     "  sys.stderr.write('x' * 300000); sys.stderr.flush()\n"
                     "  print(len(line), flush=True)\n"));
  for (int i = 0; i < 3; i++) {
    ASSERT_EQ(child.Ask(string(3000000 + i, 'a') + "\n"), PH_OK) << ph_error();
    EXPECT_EQ(child.answer, std::to_string(3000001 + i));
  }
}

TEST_F(Program, SilenceEndsWithTheTime) {
  auto start = Clock::now();
  ExpectFault("exec sleep 1000", "it gave no answer in 0.3 s", 0.3);
  EXPECT_LT(Seconds(start), 5);
}

TEST_F(Program, TheFirstAnswerMayTakeLonger) {
  string command = "sleep 0.8; cat";
  ph_program_options opt = {"policy", command.c_str(), 0.3, 20, 100, nullptr, nullptr};
  ph_program *program = nullptr;
  const char *line;
  size_t length;
  ASSERT_EQ(ph_program_start(&program, &opt), PH_OK);
  EXPECT_EQ(ph_program_ask(program, "a\n", 2, &line, &length), PH_OK) << ph_error();
  EXPECT_STREQ(line, "a");
  ph_program_end(program);
}

TEST_F(Program, EndlessOutputIsNoAnswer) {
  ExpectFault("yes", "it wrote ");
  ExpectFault("while read l; do yes '[1]'; done", "it wrote more than one line");
}

TEST_F(Program, AnEndlessLineIsNoAnswer) {
  ExpectFault("read l; exec tr '\\0' x < /dev/zero",
              "it wrote a line of more than 100 bytes: \"xxx");
}

TEST_F(Program, MoreThanALineIsNoAnswer) {
  ExpectFault("read l; printf '[1]\\n[2]\\n'; cat", "it wrote more than one line: \"[2]\"");
}

TEST_F(Program, WhatIsWrittenBeforeTheQuestionIsNoAnswer) {
  Child child("echo loading the network; echo done > " + Path("done") + "; cat");
  ASSERT_EQ(child.started, PH_OK);
  WaitFor(Path("done"));
  EXPECT_EQ(child.Ask(), PH_EIO);
  EXPECT_NE(string(ph_error()).find("it wrote before it was asked: \"loading the network\""),
            string::npos)
      << ph_error();
}

TEST_F(Program, ControlCharactersAreEscaped) {
  ExpectFault("read l; printf 'a\\033[2Jb\\nc\\033]0;x\\007\\n'; cat",
              "it wrote more than one line: \"c\\x1b]0;x\\x07\"");
}

TEST_F(Program, AnEarlyEndIsToldWithItsStatusAndLastWords) {
  ExpectFault("echo one >&2; echo the last word >&2; exit 3",
              "it ended with status 3: the last word");
  ExpectFault("read l; exit 0", "it ended with status 0");
  ExpectFault("kill -SEGV $$", "it was ended by signal 11 (Segmentation fault)");
  ExpectFault("/no/such/command", "it ended with status 127: ");
  ExpectFault("/no/such/command", "not found");
  ExpectFault(Python("raise ValueError('no network')"),
              "it ended with status 1: ValueError: no network");
}

TEST_F(Program, HalfALineIsNoAnswer) {
  ExpectFault("read l; printf '[1'; exit 4", "it ended with status 4");
}

TEST_F(Program, AGrandchildThatKeepsThePipesHoldsNothingUp) {
  auto start = Clock::now();
  string pid = Path("pid");
  ExpectFault("sh -c 'echo $$ > " + pid + "; exec sleep 1000' & while [ ! -s " + pid +
                  " ]; do sleep 0.01; done; exit 5",
              "it ended with status 5", 60);
  EXPECT_LT(Seconds(start), 20);
  EXPECT_TRUE(IsGone(pid)) << "its group goes with it";
}

TEST_F(Program, AGrandchildBesideAWorkingChildIsEndedWithIt) {
  string pid = Path("pid");
  {
    Child child("sh -c 'echo $$ > " + pid + "; exec sleep 1000' >/dev/null & cat");
    ASSERT_EQ(child.Ask("a\n"), PH_OK) << ph_error();
    EXPECT_EQ(child.answer, "a");
    WaitFor(pid);
  }
  EXPECT_TRUE(IsGone(pid));
}

TEST_F(Program, OneThatIgnoresEverySignalItCanIsEnded) {
  auto start = Clock::now();
  ExpectFault("trap '' TERM INT HUP; while :; do sleep 0.1; done", "it gave no answer in 0.3 s",
              0.3);
  {
    Child child("trap '' TERM INT HUP; cat; while :; do sleep 0.1; done");
    ASSERT_EQ(child.Ask("a\n"), PH_OK);
  }
  EXPECT_LT(Seconds(start), 15);
}

TEST_F(Program, ClosedInputIsToldOfAndRaisesNothing) {
  // The question does not fit into the pipe, so it is seen that nobody reads.
  Child child("exec 0<&-; sleep 1000", 60);
  EXPECT_EQ(child.Ask(string(1 << 20, 'a') + "\n"), PH_EIO);
  EXPECT_NE(string(ph_error()).find("it closed its standard input"), string::npos) << ph_error();
  sigset_t pending;
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
}

TEST_F(Program, ClosedOutputIsToldOf) {
  ExpectFault("exec 1>&-; sleep 1000", "it closed its standard output", 60);
  // One that waits for more of the question is told that no more comes, and how it ends is known.
  ExpectFault("exec 1>&-; cat > /dev/null; exit 7", "it ended with status 7", 60);
}

TEST_F(Program, AFloodOfErrorsHoldsNothingUp) {
  {
    Child child(Python("import sys, os\n"
                       "for line in sys.stdin:\n"
                       "  for i in range(200): os.write(2, b'noise' * 20000)\n"
                       "  print('[1]', flush=True)\n"));
    for (int i = 0; i < 3; i++)
      ASSERT_EQ(child.Ask(), PH_OK) << ph_error();
  }
  auto start = Clock::now();
  ExpectFault("yes noise >&2", "it gave no answer in 0.5 s: n", 0.5);
  EXPECT_LT(Seconds(start), 10);
}

TEST_F(Program, ItHasNoDescriptorOfOursAndNoSignalOfOurs) {
  int null = open("/dev/null", O_RDONLY), secret = dup2(null, 77); // a child of system() has it
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  signal(SIGUSR1, SIG_IGN);
  Child child("read l; echo $(ls /proc/$$/fd | tr '\\n' ' ') $(grep -h SigBlk /proc/$$/status) "
              "$(grep -h SigIgn /proc/$$/status); cat");
  sigprocmask(SIG_SETMASK, &old, nullptr);
  ASSERT_EQ(child.Ask(), PH_OK) << ph_error();
  signal(SIGUSR1, SIG_DFL);
  close(secret);
  close(null);
  EXPECT_EQ(child.answer.find(" 77 "), string::npos) << child.answer;
  size_t blocked = child.answer.find("SigBlk: "), ignored = child.answer.find("SigIgn: ");
  ASSERT_TRUE(blocked != string::npos && ignored != string::npos) << child.answer;
  EXPECT_EQ(std::stoull(child.answer.substr(blocked + 8), nullptr, 16) & 0x7fffffff, 0u);
  EXPECT_EQ(std::stoull(child.answer.substr(ignored + 8), nullptr, 16) & 0x7fffffff, 0u);
}

TEST_F(Program, AHostWithoutStandardStreamsCanAsk) {
  int kept[3];
  for (int fd = 0; fd < 3; fd++)
    kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  for (int fd = 0; fd < 3; fd++)
    close(fd);
  Child child("cat");
  ph_status status = child.Ask("a\n");
  for (int fd = 0; fd < 3; fd++) {
    if (kept[fd] >= 0) {
      dup2(kept[fd], fd);
      close(kept[fd]);
    }
  }
  EXPECT_EQ(status, PH_OK) << ph_error();
  EXPECT_EQ(child.answer, "a");
}

bool AtOnce(void *) {
  return true;
}

TEST_F(Program, WhoWaitsMayStop) {
  auto start = Clock::now();
  Child child("sleep 1000", 600, 100, AtOnce);
  EXPECT_EQ(child.Ask(), PH_ECANCELED);
  EXPECT_LT(Seconds(start), 10);
}

TEST_F(Program, BytesOfAllKindsComeBack) {
  Child child("cat", 20, 300);
  string all;
  for (int c = 0; c < 256; c++)
    if (c != '\n')
      all += (char)c;
  ASSERT_EQ(all.size(), 255u);
  ASSERT_EQ(child.Ask(all + "\n"), PH_OK) << ph_error();
  EXPECT_EQ(child.answer, all);
}

TEST_F(Program, WhatIsNoCommandIsRefused) {
  EXPECT_EQ(Child("").started, PH_EINVAL);
  EXPECT_EQ(Child("  \n").started, PH_EINVAL);
  EXPECT_EQ(Child("cat", 0).started, PH_EINVAL);
  EXPECT_EQ(Child("cat", -1).started, PH_EINVAL);
  EXPECT_EQ(Child("cat", NAN).started, PH_EINVAL);
  EXPECT_STREQ(ph_error(), "policy: timeout nan: no positive number of seconds");
}

TEST_F(Program, ALoopOfChildrenLeavesNothing) {
  for (int i = 0; i < 50; i++) {
    Child child(i % 2 ? "cat" : "exit 1");
    child.Ask();
  }
}

} // namespace
