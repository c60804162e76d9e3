// The terminal comes back: term.c alone, and the real program, each in a pseudo terminal.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <poll.h>
#include <pty.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

extern "C" {
#include "term.h"
}

namespace fs = std::filesystem;

static const char enter_screen[] = "\033[?1049h", leave_screen[] = "\033[?1049l";

// A child on a terminal of its own; `run` is what it does and returns its exit status.
class Terminal {
public:
  pid_t child = -1;
  int master = -1, slave = -1, status = 0;
  std::string output;
  struct termios before = {};

  void start(const std::function<int()> &run, int rows = 40, int cols = 120) {
    struct winsize size = {(unsigned short)rows, (unsigned short)cols, 0, 0};
    ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &size), 0);
    ASSERT_EQ(tcgetattr(slave, &before), 0);
    child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(master);
      login_tty(slave);
      _exit(run());
    }
  }
  ~Terminal() {
    if (child > 0) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    close(master);
    close(slave);
  }
  void send(const std::string &bytes) {
    ASSERT_EQ(write(master, bytes.data(), bytes.size()), (ssize_t)bytes.size());
  }
  bool read_some(int ms) {
    char bytes[65536];
    struct pollfd fd = {master, POLLIN, 0};
    if (poll(&fd, 1, ms) <= 0)
      return false;
    ssize_t n = read(master, bytes, sizeof bytes);
    if (n > 0)
      output.append(bytes, (size_t)n);
    return n > 0;
  }
  // Without escape sequences; what comes after position `from` of the raw output.
  std::string text(size_t from = 0) const {
    std::string plain;
    for (size_t i = from; i < output.size(); i++) {
      if (output[i] != '\033') {
        plain += output[i];
      } else if (i + 1 < output.size() && output[i + 1] == '[') {
        for (i += 2; i < output.size() && !(output[i] >= 0x40 && output[i] <= 0x7e);)
          i++;
      } else if (i + 1 < output.size() && output[i + 1] == '(') {
        i += 2;
      } else {
        i++;
      }
    }
    return plain;
  }
  // Waits until the text holds `part`. The limit is only for a test that fails.
  bool expect(const std::string &part, size_t from = 0) {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (text(from).find(part) == std::string::npos)
      if (!read_some(100) && std::chrono::steady_clock::now() > end)
        return false;
    return true;
  }
  bool wait_end() {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (waitpid(child, &status, WNOHANG) == 0) {
      read_some(20);
      if (std::chrono::steady_clock::now() > end)
        return false;
    }
    child = -1;
    while (read_some(50)) {
    }
    return true;
  }
  // termios as before, main screen, cursor on, paste mode off.
  void expect_restored() {
    struct termios now = {};
    ASSERT_EQ(tcgetattr(slave, &now), 0);
    EXPECT_EQ(now.c_iflag, before.c_iflag);
    EXPECT_EQ(now.c_oflag, before.c_oflag);
    EXPECT_EQ(now.c_cflag, before.c_cflag);
    EXPECT_EQ(now.c_lflag, before.c_lflag);
    size_t in = output.rfind(enter_screen), out = output.rfind(leave_screen);
    ASSERT_NE(in, std::string::npos);
    ASSERT_NE(out, std::string::npos);
    EXPECT_LT(in, out);
    EXPECT_GT(output.rfind("\033[?25h") + 1, output.rfind("\033[?25l") + 1)
        << "the cursor is hidden";
    EXPECT_GT(output.rfind("\033[?2004l") + 1, output.rfind("\033[?2004h") + 1);
  }
  bool raw() const {
    struct termios now = {};
    tcgetattr(slave, &now);
    return !(now.c_lflag & (ICANON | ECHO | ISIG));
  }
};

/* --- term.c alone
 * --------------------------------------------------------------------------------- */

static bool open_here() {
  char error[400];
  struct term_options opt = {};
  opt.scheme = SCHEME_DARK;
  setenv("TERM", "xterm-256color", 1);
  return term_open(&opt, error, sizeof error);
}

TEST(Term, GivesBackWhatItTook) {
  Terminal t;
  t.start([] {
    if (!open_here())
      return 9;
    int rows, cols;
    term_size(&rows, &cols);
    term_close();
    term_close();
    return rows == 40 && cols == 120 ? 0 : 8;
  });
  ASSERT_TRUE(t.wait_end());
  EXPECT_EQ(WEXITSTATUS(t.status), 0);
  t.expect_restored();
}

TEST(Term, StderrIsKeptAndPrintedAfterTheEnd) {
  Terminal t;
  t.start([] {
    if (!open_here())
      return 9;
    for (int i = 0; i < 300; i++)
      fprintf(stderr, "captured line %d\n", i);
    term_close();
    fprintf(stderr, "after\n");
    return 0;
  });
  ASSERT_TRUE(t.wait_end());
  size_t out = t.output.rfind(leave_screen), first = t.output.find("captured line 0\r\n");
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(out, first) << "nothing is printed over the picture";
  EXPECT_LT(first, t.output.find("captured line 299\r\n"));
  EXPECT_NE(t.output.find("captured line 299\r\nafter"), std::string::npos);
}

TEST(Term, FatalSignalsRestoreAndGoOnToTheHandlerBefore) {
  for (int number :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE,
        SIGALRM, SIGUSR1, SIGUSR2, SIGSYS, SIGTRAP, SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM}) {
    Terminal t;
    t.start([number] {
      struct sigaction own = {};
      own.sa_handler = [](int) {
        ssize_t n = write(STDERR_FILENO, "previous handler\n", 17);
        _exit(n == 17 ? 42 : 43);
      };
      sigaction(number, &own, nullptr);
      if (!open_here())
        return 9;
      fprintf(stderr, "said before the end\n");
      raise(number);
      return 7;
    });
    ASSERT_TRUE(t.wait_end()) << number;
    EXPECT_EQ(WEXITSTATUS(t.status), 42) << number;
    t.expect_restored();
    size_t said = t.output.find("said before the end");
    ASSERT_NE(said, std::string::npos) << number;
    EXPECT_GT(said, t.output.rfind(leave_screen));
    EXPECT_LT(said, t.output.find("previous handler"));
  }
}

// A stalled connection: nothing is read, the terminal's buffer is full, and the program still ends.
TEST(Term, ATerminalThatDoesNotDrainHoldsUpNoSignal) {
  Terminal t;
  t.start([] {
    if (!open_here())
      return 9;
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
    while (write(STDOUT_FILENO, "full", 4) > 0) {
    }
    fcntl(STDOUT_FILENO, F_SETFL, flags);
    raise(SIGTERM);
    return 7;
  });
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  pid_t ended = 0;
  while ((ended = waitpid(t.child, &t.status, WNOHANG)) == 0 &&
         std::chrono::steady_clock::now() < end)
    usleep(20000);
  ASSERT_EQ(ended, t.child);
  t.child = -1;
  EXPECT_TRUE(WIFSIGNALED(t.status));
  EXPECT_EQ(WTERMSIG(t.status), SIGTERM);
  struct termios now = {};
  ASSERT_EQ(tcgetattr(t.slave, &now), 0);
  EXPECT_EQ(now.c_lflag, t.before.c_lflag);
}

TEST(Term, ExitWithoutCloseRestores) {
  Terminal t;
  t.start([] {
    if (!open_here())
      return 9;
    exit(5);
  });
  ASSERT_TRUE(t.wait_end());
  EXPECT_EQ(WEXITSTATUS(t.status), 5);
  t.expect_restored();
}

TEST(Term, CopyIsOsc52) {
  Terminal t;
  t.start([] {
    if (!open_here())
      return 9;
    term_copy("a");
    term_copy("ab");
    term_copy("<key qpos=\"1\"/>");
    term_close();
    return 0;
  });
  ASSERT_TRUE(t.wait_end());
  EXPECT_NE(t.output.find("\033]52;c;YQ==\a"), std::string::npos);
  EXPECT_NE(t.output.find("\033]52;c;YWI=\a"), std::string::npos);
  EXPECT_NE(t.output.find("\033]52;c;PGtleSBxcG9zPSIxIi8+\a"), std::string::npos);
}

TEST(Term, ColoursFollowTheTerminal) {
  const struct {
    const char *term;
    int colors;
  } kinds[] = {{"xterm-256color", 256}, {"linux", 16}, {"vt100", 0}};
  for (const auto &kind : kinds) {
    Terminal t;
    t.start([&kind] {
      char error[400];
      struct term_options opt = {};
      opt.scheme = SCHEME_DARK;
      setenv("TERM", kind.term, 1);
      if (!term_open(&opt, error, sizeof error))
        return 9;
      int colors = term_colors();
      struct surface s = {};
      surface_resize(&s, 40, 120);
      struct rect r = {0, 0, 40, 120};
      for (int i = 0; i < STYLE_COUNT; i++)
        surface_put(&s, r, i, 0, (enum style)i, "text é 漢 e\u0301");
      term_blit(&s);
      surface_resize(&s, 1, 1);
      term_blit(&s);
      surface_free(&s);
      term_close();
      return colors == kind.colors ? 0 : 8;
    });
    ASSERT_TRUE(t.wait_end());
    EXPECT_EQ(t.status, 0) << kind.term;
    EXPECT_NE(t.text().find("text"), std::string::npos);
  }
}

TEST(Term, RefusesWhatCannotPlaceTheCursor) {
  for (const char *name : {"dumb", "no-such-terminal", ""}) {
    Terminal t;
    t.start([name] {
      char error[400];
      struct term_options opt = {};
      setenv("TERM", name, 1);
      if (term_open(&opt, error, sizeof error))
        return 9;
      return strstr(error, "TERM=") ? 0 : 8;
    });
    ASSERT_TRUE(t.wait_end());
    EXPECT_EQ(t.status, 0) << name;
  }
}

TEST(Term, NeedsATerminal) {
  char error[400];
  struct term_options opt = {};
  int in = dup(0), null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  EXPECT_FALSE(term_open(&opt, error, sizeof error));
  EXPECT_NE(strstr(error, "stdin"), nullptr);
  dup2(in, 0);
  close(in);
  close(null);
}

/* --- the program
 * ---------------------------------------------------------------------------------- */

struct Program : ::testing::Test {
  fs::path dir;
  Terminal t;
  size_t from = 0;
  std::string task; // of a preview

  void SetUp() override {
    const char *program = getenv("PLAYHEAD_PROGRAM");
    ASSERT_TRUE(program) << "PLAYHEAD_PROGRAM names the program";
    char name[] = "/tmp/ptyXXXXXX";
    dir = mkdtemp(name);
    fs::copy(fs::path(TEST_SOURCE_ROOT) / "data/runs/drawer_close", dir / "run");
  }
  void TearDown() override { fs::remove_all(dir); }
  int run() const {
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("XDG_CONFIG_HOME", (dir / "config").c_str(), 1);
    setenv("XDG_STATE_HOME", (dir / "state").c_str(), 1);
    setenv("PLAYHEAD_TEST_CRASH", "1", 1);
    unsetenv("NO_COLOR");
    std::string path = dir / "run";
    if (!task.empty())
      execl(getenv("PLAYHEAD_PROGRAM"), "playhead", "preview", task.c_str(), "--seed", "3",
            nullptr);
    execl(getenv("PLAYHEAD_PROGRAM"), "playhead", path.c_str(), (char *)nullptr);
    return 127;
  }
  void open() {
    t.start([this] { return run(); });
    ASSERT_TRUE(t.expect("step 0/162")) << t.text();
    EXPECT_TRUE(t.raw());
  }
  // Sends keys, then has the whole screen drawn anew until a text is in it: the answer may come
  // after a picture, and what follows a picture are only the cells that differ.
  bool after(const std::string &keys, const std::string &part) {
    from = t.output.size();
    t.send(keys);
    for (int i = 0; i < 300; i++) {
      t.send("\014");
      t.read_some(100);
      while (t.read_some(20)) {
      }
      if (t.text(from).find(part) != std::string::npos)
        return true;
    }
    return false;
  }
};

TEST_F(Program, KeysAndQuit) {
  open();
  EXPECT_TRUE(after("n.", "step 2/162"));
  EXPECT_TRUE(after("\033[C", "step 3/162"));
  EXPECT_TRUE(after("33\r", "step 33/162"));
  EXPECT_TRUE(after(":go 50%\r", "step 81/162"));
  EXPECT_TRUE(after("\033[F", "step 162/162"));
  EXPECT_TRUE(after(">", "step 0/88"));
  t.send("q");
  ASSERT_TRUE(t.wait_end());
  EXPECT_EQ(t.status, 0);
  t.expect_restored();
}

TEST_F(Program, APreviewRunsInTheSameScreen) {
  task = fs::path(TEST_SOURCE_ROOT) / "data/drawer_close.lua";
  t.start([this] { return run(); });
  ASSERT_TRUE(t.expect("nothing is recorded")) << t.text();
  EXPECT_TRUE(after("nnn", "step 3/3"));
  EXPECT_TRUE(after("ss", "step 3+2/10"));
  EXPECT_TRUE(after("p", "step 3/3"));
  EXPECT_TRUE(after("p", "step 2/3"));
  EXPECT_TRUE(after("N", "seed 4"));
  EXPECT_TRUE(after(":reset 9\r", "seed 9"));
  EXPECT_TRUE(after(" ", "PLAYING"));
  t.send("q");
  ASSERT_TRUE(t.wait_end());
  EXPECT_EQ(t.status, 0);
  t.expect_restored();
}

/* The program's child that tries files; 0: there is none. */
static pid_t child_of(pid_t parent) {
  for (const auto &entry : fs::directory_iterator("/proc")) {
    if (atoi(entry.path().filename().c_str()) <= 0)
      continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    size_t at = text.rfind(") ");
    if (at != std::string::npos && text.size() > at + 4 && atoi(text.c_str() + at + 4) == parent)
      return atoi(entry.path().filename().c_str());
  }
  return 0;
}

// The file hangs: it has the whole limit of time left, and the program ends nevertheless.
TEST_F(Program, QuitDoesNotWaitForAFileThatHangs) {
  for (const char *keys : {"q", "\003\003"}) {
    fs::remove_all(dir / "cache");
    Terminal own;
    own.start([this] {
      fs::create_directories(dir / "cache");
      setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
      return run();
    });
    ASSERT_TRUE(own.expect("step 0/162")) << own.text();
    pid_t stuck = child_of(own.child);
    ASSERT_GT(stuck, 0);
    ASSERT_EQ(kill(stuck, SIGSTOP), 0);
    own.send(">");
    for (int i = 0; i < 5; i++)
      own.read_some(100);
    auto began = std::chrono::steady_clock::now();
    own.send(keys);
    ASSERT_TRUE(own.wait_end());
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15)) << keys;
    EXPECT_EQ(own.status, 0);
    own.expect_restored();
    EXPECT_NE(kill(stuck, 0), 0) << "its child is still there";
  }
}

TEST_F(Program, PasteRunsNothing) {
  open();
  EXPECT_TRUE(after("\033[200~qq\r:quit\r\033[201~n", "step 1/162"));
}

TEST_F(Program, PlaysInRealTimeAndPausesAtTheEnd) {
  open();
  EXPECT_TRUE(after("150\r ", "/162"));
  EXPECT_TRUE(after("", "PAUSED  step 162/162"));
}

TEST_F(Program, ResizeAtAnyMoment) {
  open();
  for (auto [rows, cols] : {std::pair{24, 80}, {1, 1}, {10, 30}, {60, 200}, {2, 200}, {40, 120}}) {
    struct winsize size = {(unsigned short)rows, (unsigned short)cols, 0, 0};
    ASSERT_EQ(ioctl(t.master, TIOCSWINSZ, &size), 0);
    t.send("n");
    t.read_some(100);
  }
  EXPECT_TRUE(after("", "step 6/162"));
}

TEST_F(Program, MarksAndTheLastPlaceAreKept) {
  open();
  EXPECT_TRUE(after("42\rma", "step 42/162"));
  EXPECT_TRUE(fs::exists(dir / "run.playhead.json"));
  t.send("Q");
  ASSERT_TRUE(t.wait_end());
  EXPECT_EQ(t.status, 0);
  Terminal again;
  again.start([this] { return run(); });
  EXPECT_TRUE(again.expect("step 42/162"));
}

TEST_F(Program, KeysFile) {
  fs::create_directories(dir / "config/playhead");
  FILE *file = fopen((dir / "config/playhead/keys").c_str(), "w");
  fputs("# mine\nbind t go 100%\nbind nonsense\n", file);
  fclose(file);
  open();
  EXPECT_TRUE(after("", "keys:3: no key is called"))
      << "bad lines are in the log, with their number";
  EXPECT_TRUE(after("t", "step 162/162"));
}

TEST_F(Program, SigtermRestores) {
  open();
  kill(t.child, SIGTERM);
  ASSERT_TRUE(t.wait_end());
  EXPECT_TRUE(WIFSIGNALED(t.status) && WTERMSIG(t.status) == SIGTERM);
  t.expect_restored();
}

// A cut that is under way leaves nothing behind when the program is ended from outside.
TEST_F(Program, ASignalGivesUpACut) {
  std::string record = std::string(getenv("PLAYHEAD_PROGRAM")) +
                       " record " TEST_SOURCE_ROOT
                       "/data/muscle_reach.lua --envs 1 --episodes 60 --seed 1 --out " +
                       (dir / "many").string() + " >/dev/null 2>&1";
  ASSERT_EQ(0, system(record.c_str()));
  fs::remove_all(dir / "run");
  fs::rename(dir / "many", dir / "run");
  fs::create_directory(dir / "out");
  t.start([this] { return run(); });
  ASSERT_TRUE(t.expect("1/60")) << t.text();
  ASSERT_TRUE(after(":cut " + (dir / "out/x.h5").string() + " recorded\r", ":cut! writes"));
  t.send(":cut!\r");
  for (int i = 0; i < 100000 && fs::is_empty(dir / "out"); i++)
    usleep(100);
  EXPECT_FALSE(fs::is_empty(dir / "out"));
  kill(t.child, SIGTERM);
  ASSERT_TRUE(t.wait_end());
  EXPECT_TRUE(WIFSIGNALED(t.status) && WTERMSIG(t.status) == SIGTERM);
  fs::remove(dir / "out/x.h5"); /* where the signal came too late */
  EXPECT_TRUE(fs::is_empty(dir / "out"));
  t.expect_restored();
}

TEST_F(Program, CrashRestores) {
  open();
  t.send("\034");
  ASSERT_TRUE(t.wait_end());
  EXPECT_NE(t.status, 0);
  EXPECT_TRUE(!WIFSIGNALED(t.status) || WTERMSIG(t.status) == SIGSEGV);
  t.expect_restored();
}

TEST_F(Program, HangUpEndsIt) {
  open();
  close(t.master);
  t.master = -1;
  close(t.slave);
  t.slave = -1;
  int status;
  ASSERT_EQ(waitpid(t.child, &status, 0), t.child);
  t.child = -1;
}

TEST_F(Program, CtrlCTwiceQuits) {
  open();
  t.send("\003\003");
  ASSERT_TRUE(t.wait_end());
  EXPECT_EQ(t.status, 0);
  t.expect_restored();
}

// A small shell: starts the program as a job, says when it has stopped and how the terminal is
// then, continues it.
static int shell(const std::function<int()> &run) {
  int status;
  signal(SIGTTOU, SIG_IGN);
  pid_t job = fork();
  if (job == 0) {
    setpgid(0, 0);
    tcsetpgrp(0, getpid());
    signal(SIGTTOU, SIG_DFL);
    _exit(run());
  }
  setpgid(job, job);
  for (;;) {
    if (waitpid(job, &status, WUNTRACED) != job)
      return 99;
    if (!WIFSTOPPED(status))
      return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
    struct termios now;
    tcsetpgrp(0, getpgrp());
    tcgetattr(0, &now);
    dprintf(1, "<job stopped, terminal %s>",
            now.c_lflag & ICANON && now.c_lflag & ECHO ? "sane" : "raw");
    tcsetpgrp(0, job);
    kill(-job, SIGCONT);
  }
}

TEST_F(Program, SuspendAndContinue) {
  t.start([this] { return shell([this] { return run(); }); });
  ASSERT_TRUE(t.expect("step 0/162")) << t.text();
  EXPECT_TRUE(after("7\r", "step 7/162"));
  from = t.output.size();
  t.send("\032");
  ASSERT_TRUE(t.expect("<job stopped, terminal sane>", from));
  size_t left = t.output.find(leave_screen, from);
  EXPECT_LT(left, t.output.find("<job stopped")) << "the alternate screen is left first";
  EXPECT_TRUE(t.expect("step 7/162", t.output.find("<job stopped"))) << "it draws itself anew";
  EXPECT_TRUE(t.raw());
  EXPECT_TRUE(after("n", "step 8/162"));
  t.send("q");
  ASSERT_TRUE(t.wait_end());
  EXPECT_EQ(t.status, 0);
  t.expect_restored();
}

TEST_F(Program, StopFromOutsideAndContinue) {
  t.start([this] { return shell([this] { return run(); }); });
  ASSERT_TRUE(t.expect("step 0/162"));
  from = t.output.size();
  pid_t job = tcgetpgrp(t.slave) > 0 ? tcgetpgrp(t.slave) : tcgetpgrp(t.master);
  ASSERT_GT(job, 0);
  kill(job, SIGTSTP);
  ASSERT_TRUE(t.expect("<job stopped, terminal sane>", from));
  EXPECT_TRUE(after("n", "step 1/162"));
}

TEST_F(Program, ErrorsBeforeTheScreenLeaveTheTerminalAlone) {
  fs::remove_all(dir / "run");
  t.start([this] { return run(); });
  ASSERT_TRUE(t.wait_end());
  EXPECT_EQ(WEXITSTATUS(t.status), 3);
  EXPECT_EQ(t.output.find(enter_screen), std::string::npos);
  EXPECT_EQ(t.output.rfind("playhead: ", 0), 0u) << t.output;
}
