/* The child that goes first: how it dies, what it has, how it is kept. */
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>

#include <playhead/wait.h>

#include "probe_help.h"

using namespace read_help;

/* --- what comes back --- */

TEST_F(Probe, StatusAndTextComeBackAndNothingElse) {
  int changed = 0;
  EXPECT_EQ(in_child([&] { return changed = 1, PH_OK; }), PH_OK);
  EXPECT_EQ(changed, 0) << "it ran in this process";
  for (ph_status status : {PH_EFORMAT, PH_EREFUSED, PH_EIO, PH_ECORRUPT, PH_EMISMATCH}) {
    EXPECT_EQ(in_child([=] { return ph_fail(status, "a.h5: /data: \\x1b odd: %d", 7); }), status);
    EXPECT_STREQ(ph_error(), "a.h5: /data: \\x1b odd: 7");
  }
  std::string longest(900, 'x');
  EXPECT_EQ(in_child([&] { return ph_fail(PH_EFORMAT, "%s", longest.c_str()); }), PH_EFORMAT);
  EXPECT_EQ(ph_error(), longest);
}

TEST_F(Probe, InsideNothingIsProbed) {
  EXPECT_FALSE(ph_probe_inside());
  EXPECT_EQ(in_child([&] {
              int ran = 0;
              auto count = [](void *n) { return ++*static_cast<int *>(n), PH_OK; };
              bool ok = ph_probe_inside() && ph_probe_path("/nowhere") == PH_OK &&
                        ph_probe_run("x", count, &ran) == PH_OK && ran == 1;
              return ok ? PH_OK : ph_fail(PH_EINVAL, "inside");
            }),
            PH_OK);
}

/* --- how it dies --- */

struct Death {
  const char *name, *text;
  std::function<ph_status()> fn;
};

static ph_status overflow(int depth) {
  volatile char room[4096];
  room[0] = (char)depth;
  return depth < 1 << 30 && overflow(depth + 1) == PH_OK ? PH_OK : (ph_status)room[0];
}

TEST_F(Probe, ADeathIsOneLine) {
  const Death deaths[] = {
      {"abort", "FILE: HDF5 crashes on it (signal 6)", [] { return abort(), PH_OK; }},
      {"exception", "FILE: HDF5 crashes on it (signal 6)",
       []() -> ph_status { throw std::runtime_error("of C++"); }},
      {"exit", "FILE: HDF5 ends the program on it (exit 7)", [] { return exit(7), PH_OK; }},
      {"killed", "FILE: the process that tried it was killed (signal 9)",
       [] { return kill(getpid(), SIGKILL), PH_OK; }},
      {"_exit", "FILE: HDF5 ends the program on it (exit 3)", [] { return _exit(3), PH_OK; }},
  };
  for (const Death &d : deaths) {
    EXPECT_EQ(in_child(d.fn), PH_ECORRUPT) << d.name;
    EXPECT_STREQ(ph_error(), d.text) << d.name;
  }
}

TEST_F(Probe, ACrashNamesItsSignal) {
  if (SANITIZED)
    GTEST_SKIP() << "sanitizers have handlers of their own";
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP}) {
    EXPECT_EQ(in_child([=] { return raise(number), PH_OK; }), PH_ECORRUPT);
    EXPECT_EQ(ph_error(), "FILE: HDF5 crashes on it (signal " + std::to_string(number) + ")");
  }
  EXPECT_EQ(in_child([] { return overflow(0); }), PH_ECORRUPT);
  EXPECT_STREQ(ph_error(), "FILE: HDF5 crashes on it (signal 11)") << "a stack that overflows";
}

TEST_F(Probe, HostsAtexitDoesNotRunInTheChild) {
  static std::string trace;
  trace = dir / "trace";
  int code = in_host([] {
    atexit([] { close(open(trace.c_str(), O_CREAT | O_WRONLY, 0600)); });
    ph_status status = in_child([] { return exit(0), PH_OK; });
    return status == PH_ECORRUPT ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_NE(access(trace.c_str(), F_OK), 0) << "what the host registered ran in the child";
}

TEST_F(Probe, MemoryIsBounded) {
  if (SANITIZED)
    GTEST_SKIP() << "there is no limit of addresses under sanitizers";
  const ph_probe_limits limits = {(size_t)64 << 20, 0, 0};
  ph_probe_limit(&limits);
  EXPECT_EQ(in_child([] {
              std::vector<char> fits((size_t)32 << 20, 1);
              return fits[12345] ? PH_OK : PH_EINVAL;
            }),
            PH_OK);
  const std::function<ph_status()> eaters[] = {
      [] { return std::vector<char>((size_t)100 << 20, 1)[0] ? PH_OK : PH_EINVAL; },
      [] { return malloc((size_t)100 << 20) ? PH_OK : ph_fail(PH_ENOMEM, "none left"); },
      [] { return malloc((size_t)100 << 20) ? PH_OK : ph_fail(PH_EFORMAT, "HDF5: no memory"); },
  };
  for (auto &eater : eaters) {
    EXPECT_EQ(in_child(eater), PH_ECORRUPT);
    EXPECT_STREQ(ph_error(), "FILE: HDF5 needs more than 64 MiB for it");
  }
}

TEST_F(Probe, AHangEnds) {
  const ph_probe_limits cpu = {0, 1, 60}, wall = {0, 60, 1};
  ph_probe_limit(&cpu);
  EXPECT_EQ(in_child([] {
              for (volatile unsigned i = 0;;)
                i = i + 1;
              return PH_OK;
            }),
            PH_ECORRUPT);
  EXPECT_STREQ(ph_error(), "FILE: HDF5 gives no answer in 1 s");
  ph_probe_limit(&wall);
  EXPECT_EQ(in_child([] { return pause(), PH_OK; }), PH_ECORRUPT);
  EXPECT_STREQ(ph_error(), "FILE: HDF5 gives no answer in 1 s");
}

TEST_F(Probe, AChildThatOnlyWaitedIsNoProof) {
  const ph_probe_limits wall = {0, 60, 1};
  auto *calls = static_cast<std::atomic<int> *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(calls, MAP_FAILED);
  ph_probe_limit(&wall);
  EXPECT_EQ(in_child([=] { return (*calls)++ == 0 ? (pause(), PH_EINVAL) : PH_OK; }), PH_OK);
  EXPECT_EQ(*calls, 2) << "what the first one waited for may be no part of it";
  *calls = 0;
  EXPECT_EQ(in_child([=] { return (*calls)++, pause(), PH_OK; }), PH_ECORRUPT);
  EXPECT_EQ(*calls, 2) << "and no more";
  munmap(calls, 4096);
}

/* --- what it has --- */

TEST_F(Probe, TheChildHasNoDescriptorsSignalsOrWaysToWrite) {
  int low = open("/dev/null", O_RDONLY), open_here = fcntl(low, F_DUPFD, 10);
  signal(SIGUSR1, [](int) {});
  sigset_t usr2, before;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, &before);
  ph_status status = in_child([=] {
    struct sigaction action;
    struct rlimit core, size;
    sigset_t mask;
    if (fcntl(open_here, F_GETFD) >= 0)
      return ph_fail(PH_EINVAL, "descriptor %d is open", open_here);
    for (int fd = 4; fd < 256; fd++)
      if (fcntl(fd, F_GETFD) >= 0)
        return ph_fail(PH_EINVAL, "descriptor %d is open", fd);
    sigaction(SIGUSR1, nullptr, &action);
    if (action.sa_handler != SIG_DFL)
      return ph_fail(PH_EINVAL, "a handler of the host's is there");
    for (int number : {SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE}) {
      sigaction(number, nullptr, &action);
      if (action.sa_handler != SIG_IGN)
        return ph_fail(PH_EINVAL, "signal %d would end it", number);
    }
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    if (sigismember(&mask, SIGUSR2))
      return ph_fail(PH_EINVAL, "a signal is blocked");
    getrlimit(RLIMIT_CORE, &core);
    getrlimit(RLIMIT_FSIZE, &size);
    if (core.rlim_cur != 0 || (!SANITIZED && size.rlim_cur != 0))
      return ph_fail(PH_EINVAL, "it may write");
    return PH_OK;
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGUSR1, SIG_DFL);
  close(open_here);
  close(low);
  EXPECT_EQ(status, PH_OK) << ph_error();
}

TEST_F(Probe, ALockOfTheHostDoesNotLiveOnInTheChild) {
  int held = open(dir.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  write_good(file);
  ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
  ASSERT_GT(ph_server_pid(), 0);
  close(held);
  int again = open(dir.path().c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(flock(again, LOCK_EX | LOCK_NB), 0) << "the child holds the lock";
  close(again);
}

/* --- the host --- */

TEST_F(Probe, AHostThatIgnoresItsChildrenLearnsTheReasonToo) {
  int code = in_host([&] {
    signal(SIGCHLD, SIG_IGN);
    if (in_child([] { return PH_OK; }) != PH_OK)
      return 1;
    if (in_child([] { return abort(), PH_OK; }) != PH_ECORRUPT ||
        !strstr(ph_error(), "crashes on it (signal 6)"))
      return 2;
    if (in_child([] { return kill(getpid(), SIGKILL), PH_OK; }) != PH_ECORRUPT ||
        !strstr(ph_error(), "FILE: the process that tried it is gone"))
      return 3;
    write_good(file);
    return ph_probe_path(file.c_str()) == PH_OK ? 0 : 4;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(Probe, NoForkIsOneLine) {
  write_good(file);
  chmod(file.c_str(), 0644);
  chmod(dir.path().c_str(), 0755);
  int code = in_host([&] {
    struct rlimit none = {0, 0};
    if (getuid() == 0 && setuid(65534) != 0)
      return 10;
    setrlimit(RLIMIT_NPROC, &none);
    if (ph_probe_path(file.c_str()) != PH_EIO)
      return 1;
    return strstr(ph_error(), "it cannot be tried in a process of its own: ") ? 0 : 2;
  });
  if (code == 10)
    GTEST_SKIP() << "no other user to be";
  EXPECT_EQ(code, 0);
}

/* Waits until a process has ended, be it reaped or not. */
static bool ends(pid_t pid) {
  for (int i = 0; i < 500; i++) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    if (text.empty() || text.find(") Z") != std::string::npos ||
        text.find(") X") != std::string::npos)
      return true;
    usleep(10000);
  }
  return false;
}

TEST_F(Probe, TheChildEndsWithItsHost) {
  int pipe_of[2];
  pid_t child = 0;
  write_good(file);
  ASSERT_EQ(pipe(pipe_of), 0);
  int code = in_host([&] {
    pid_t pid = ph_probe_path(file.c_str()) == PH_OK ? ph_server_pid() : -1;
    ssize_t n = write(pipe_of[1], &pid, sizeof pid);
    return n == sizeof pid ? (kill(getpid(), SIGKILL), 0) : 1;
  });
  EXPECT_EQ(code, 1000 + SIGKILL);
  ASSERT_EQ(read(pipe_of[0], &child, sizeof child), (ssize_t)sizeof child);
  ASSERT_GT(child, 0);
  EXPECT_TRUE(ends(child));
  close(pipe_of[0]);
  close(pipe_of[1]);
}

TEST_F(Probe, TheChildOutlivesTheThreadThatMadeIt) {
  write_good(file);
  pid_t first = 0;
  std::thread([&] {
    EXPECT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
    first = ph_server_pid();
  }).join();
  ASSERT_GT(first, 0);
  EXPECT_EQ(ph_probe_episode(file.c_str(), "/data/demo_0"), PH_OK) << ph_error();
  EXPECT_EQ(ph_server_pid(), first) << "it ended with the thread";
}

TEST_F(Probe, AChildAtWorkEndsWithItsHost) {
  auto shared = static_cast<std::atomic<pid_t> *>(mmap(nullptr, sizeof(std::atomic<pid_t>),
                                                       PROT_READ | PROT_WRITE,
                                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void *>(shared), MAP_FAILED);
  fflush(nullptr);
  pid_t host = fork();
  if (host == 0) {
    in_child([&] {
      *shared = getpid();
      for (int i = 0; i < 3000; i++)
        usleep(10000);
      return PH_OK;
    });
    _exit(0);
  }
  for (int i = 0; i < 1000 && *shared == 0; i++)
    usleep(10000);
  ASSERT_GT(*shared, 0);
  kill(host, SIGKILL);
  waitpid(host, nullptr, 0);
  EXPECT_TRUE(ends(*shared)) << "it works on for nobody";
  munmap(shared, sizeof *shared);
}

TEST_F(Probe, AForkOfTheHostMakesAChildOfItsOwn) {
  write_good(file);
  ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
  pid_t ours = ph_server_pid();
  int code = in_host([&] {
    if (ph_probe_path(file.c_str()) != PH_OK || ph_server_pid() == ours)
      return 1;
    return ph_server_pid() > 0 ? 0 : 2;
  });
  EXPECT_EQ(code, 0);
  ph_cache_forget();
  EXPECT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
  EXPECT_EQ(ph_server_pid(), ours) << "and ours is still there";
}

/* --- who waits --- */

namespace {

struct Watch {
  int calls = 0, stop_at;
  std::string where;
  bool model = false, rising = true;
  double seconds = 0;
  explicit Watch(int stop) : stop_at(stop) { ph_wait_watch(look, this); }
  ~Watch() { ph_wait_watch(nullptr, nullptr); }
  static bool look(void *arg, const ph_wait *wait) {
    Watch *w = static_cast<Watch *>(arg);
    w->where = wait->where;
    w->model = wait->model;
    w->rising = w->rising && wait->seconds >= w->seconds && wait->limit == 60;
    w->seconds = wait->seconds;
    return ++w->calls >= w->stop_at;
  }
};

} // namespace

TEST_F(Probe, WhoWaitsMayStop) {
  ph_probe_run(
      "a", [](void *) { return PH_OK; }, nullptr);
  Watch watch(3);
  EXPECT_EQ(in_child([] { return pause(), PH_OK; }), PH_ECANCELED);
  EXPECT_STREQ(ph_error(), "FILE: it was stopped before it was open");
  EXPECT_EQ(watch.calls, 3);
  EXPECT_EQ(watch.where, "FILE");
  EXPECT_FALSE(watch.model);
  EXPECT_TRUE(watch.rising);
  EXPECT_LT(watch.seconds, 50);
  int status = 0;
  EXPECT_EQ(waitpid(-1, &status, WNOHANG), -1) << "the child is ended";
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Probe, WhatWasStoppedIsTriedAnew) {
  write_good(file);
  settle(file);
  write_good(dir / "b.h5");
  ASSERT_EQ(ph_probe_path((dir / "b.h5").c_str()), PH_OK) << ph_error();
  pid_t pid = ph_server_pid();
  ASSERT_GT(pid, 0);
  ASSERT_EQ(kill(pid, SIGSTOP), 0);
  {
    Watch watch(2);
    EXPECT_EQ(ph_probe_path(file.c_str()), PH_ECANCELED) << ph_error();
    EXPECT_EQ(watch.calls, 2) << "it is not tried in a second child";
    EXPECT_EQ(watch.where, file);
    EXPECT_TRUE(ends(pid));
  }
  EXPECT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
}

TEST_F(Probe, WhoWaitsBehindAnotherThreadMayStop) {
  write_good(file);
  write_good(dir / "b.h5");
  ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
  ASSERT_EQ(kill(ph_server_pid(), SIGSTOP), 0);
  std::atomic<bool> waits = false, end = false;
  struct Flags {
    std::atomic<bool> *waits, *end;
  } flags = {&waits, &end};
  std::thread other([&] {
    auto look = [](void *arg, const ph_wait *) {
      *static_cast<Flags *>(arg)->waits = true;
      return static_cast<Flags *>(arg)->end->load();
    };
    ph_wait_watch(look, &flags);
    EXPECT_EQ(ph_probe_path((dir / "b.h5").c_str()), PH_ECANCELED) << ph_error();
  });
  while (!waits)
    usleep(1000);
  {
    Watch watch(2);
    EXPECT_EQ(ph_probe_episode(file.c_str(), "/data/demo_0"), PH_ECANCELED) << ph_error();
    EXPECT_EQ(watch.where, file);
  }
  end = true;
  other.join();
}

TEST_F(Probe, AnEpisodeThatWasStoppedIsNotOdd) {
  write_good(file);
  settle(file);
  Store store = open_store({file});
  ASSERT_TRUE(store) << ph_error();
  ASSERT_EQ(ph_probe_episode(file.c_str(), "/data/demo_0"), PH_OK) << ph_error();
  std::string odd = ph_store_entry(store.get(), 0)->oddity;
  ph_cache_forget();
  unlink(verdicts().c_str());
  ph_episode *episode = nullptr;
  ASSERT_EQ(kill(ph_server_pid(), SIGSTOP), 0);
  {
    Watch watch(1);
    EXPECT_EQ(ph_store_episode(&episode, store.get(), 0), PH_ECANCELED) << ph_error();
  }
  EXPECT_EQ(ph_store_entry(store.get(), 0)->oddity, odd);
  EXPECT_EQ(ph_store_episode(&episode, store.get(), 0), PH_OK) << ph_error();
  EXPECT_EQ(ph_store_entry(store.get(), 0)->oddity, odd);
  ph_episode_free(episode);
}

/* --- the child for files --- */

TEST_F(Probe, OneChildServesManyFilesUntilOneIsBad) {
  write_good(file);
  spill(dir / "bad.h5", "once upon a time");
  ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
  pid_t first = ph_server_pid();
  for (int i = 0; i < 20; i++) {
    ph_cache_forget();
    ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
    ASSERT_EQ(ph_probe_episode(file.c_str(), "/data/demo_0"), PH_OK) << ph_error();
  }
  EXPECT_EQ(ph_server_pid(), first);
  EXPECT_EQ(ph_probe_path((dir / "bad.h5").c_str()), PH_EFORMAT);
  EXPECT_EQ(std::string(ph_error()).find(dir / "bad.h5"), 0u) << ph_error();
  EXPECT_EQ(ph_server_pid(), 0) << "a child that met a bad file serves no other";
  ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
  EXPECT_NE(ph_server_pid(), first);
}

TEST_F(Probe, AChildThatIsKilledBetweenTwoFilesIsReplaced) {
  write_good(file);
  for (int i = 0; i < 5; i++) {
    ph_cache_forget();
    ASSERT_EQ(ph_probe_path(file.c_str()), PH_OK) << ph_error();
    pid_t pid = ph_server_pid();
    ASSERT_GT(pid, 0);
    kill(pid, i % 2 ? SIGKILL : SIGSEGV);
    ASSERT_TRUE(ends(pid));
  }
}

TEST_F(Probe, ARelativePathIsTakenFromWhereTheHostIs) {
  write_good(file);
  ASSERT_EQ(mkdir((dir / "sub").c_str(), 0700), 0);
  char here[4096];
  ASSERT_NE(getcwd(here, sizeof here), nullptr);
  ASSERT_EQ(chdir(dir.path().c_str()), 0);
  ph_status status = ph_probe_path("a.h5");
  EXPECT_EQ(status, PH_OK) << ph_error();
  pid_t pid = ph_server_pid();
  ASSERT_EQ(chdir("sub"), 0);
  ph_cache_forget();
  EXPECT_EQ(ph_probe_path("../a.h5"), PH_OK) << ph_error();
  EXPECT_EQ(ph_server_pid(), pid) << "the same child went along";
  EXPECT_NE(ph_probe_path("a.h5"), PH_OK);
  ASSERT_EQ(chdir(here), 0);
}

TEST_F(Probe, ThreadsShareTheChild) {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    write_good(dir / ("f" + std::to_string(i)));
  if (SANITIZED) { /* a child forked among threads may find the sanitizer's own locks taken */
    ASSERT_EQ(ph_probe_path((dir / "f0").c_str()), PH_OK) << ph_error();
  }
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&, i] {
      std::string path = dir / ("f" + std::to_string(i));
      for (int n = 0; n < 10; n++) {
        good += ph_probe_path(path.c_str()) == PH_OK;
        good += ph_probe_episode(path.c_str(), "/data/demo_0") == PH_OK;
        good += open_store({path}) != nullptr;
      }
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(good, 120) << ph_error();
}
