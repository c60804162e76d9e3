/* A program that something is done to at its n-th call that changes a file, whichever of its
 * processes makes it: moments that do not depend on how fast a machine is. */
#ifndef TRACE_HELP_H
#define TRACE_HELP_H

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <signal.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace trace_help {

struct Ending {
  bool traced = false; /* false: nobody may be traced here, and nothing was run */
  int status = 0;      /* of exit, or less than 0: the signal */
  int calls = 0;
};

/* Pipes and sockets are none: what goes through them is about time. */
inline bool is_file(pid_t pid, unsigned long fd) {
  char path[64], target[2] = "";
  snprintf(path, sizeof path, "/proc/%d/fd/%lu", static_cast<int>(pid), fd);
  return fd > 2 && readlink(path, target, 1) == 1 && target[0] == '/';
}

inline bool changes(pid_t pid, const __ptrace_syscall_info &info) {
  const auto &call = info.entry;
  switch (call.nr) {
  case SYS_write:
    return is_file(pid, call.args[0]);
  case SYS_openat:
    return call.args[2] & O_CREAT;
#ifdef SYS_rename
  case SYS_rename:
  case SYS_unlink:
  case SYS_mkdir:
  case SYS_rmdir:
#endif
#ifdef SYS_renameat
  case SYS_renameat:
#endif
  case SYS_renameat2:
  case SYS_unlinkat:
  case SYS_mkdirat:
  case SYS_pwrite64:
  case SYS_ftruncate:
  case SYS_fsync:
    return true;
  default:
    return false;
  }
}

/* Started in `folder`; what it prints goes to the files out and err there. */
inline pid_t start(const std::vector<std::string> &args, const std::string &folder) {
  std::vector<char *> argv;
  for (auto &a : args)
    argv.push_back(const_cast<char *>(a.c_str()));
  argv.push_back(nullptr);
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  if (chdir(folder.c_str()) != 0)
    _exit(126);
  for (int number : {SIGINT, SIGTERM, SIGHUP})
    signal(number, SIG_DFL);
  dup2(open("out", O_CREAT | O_TRUNC | O_WRONLY, 0600), 1);
  dup2(open("err", O_CREAT | O_TRUNC | O_WRONLY, 0600), 2);
  setenv("HOME", folder.c_str(), 1);
  const char *asan = getenv("ASAN_OPTIONS"); /* a traced one cannot look for leaks */
  setenv("ASAN_OPTIONS", (std::string(asan ? asan : "") + ":detect_leaks=0").c_str(), 1);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
    _exit(125);
  execv(argv[0], argv.data());
  _exit(127);
}

/* Runs a program to the end of all its processes; before the n-th call (0: never) does `what` to
 * the first one. */
inline Ending run(const std::vector<std::string> &args, const std::string &folder, int n,
                  const std::function<void(pid_t)> &what) {
  Ending end;
  int how = 0;
  pid_t first = start(args, folder);
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  if (waitpid(first, &how, 0) != first || !WIFSTOPPED(how) ||
      ptrace(PTRACE_SETOPTIONS, first, nullptr, options) != 0)
    return end;
  end.traced = true;
  ptrace(PTRACE_SYSCALL, first, nullptr, nullptr);
  for (pid_t pid; (pid = waitpid(-1, &how, __WALL)) > 0;) {
    if (!WIFSTOPPED(how)) {
      if (pid == first)
        end.status = WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
      continue;
    }
    long number = WSTOPSIG(how);
    __ptrace_syscall_info info = {};
    if (number == (SIGTRAP | 0x80) &&
        ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 &&
        info.op == PTRACE_SYSCALL_INFO_ENTRY && changes(pid, info) && ++end.calls == n)
      what(first);
    /* Stops of the tracing itself, and the one that every new process begins with. */
    bool passes = number != (SIGTRAP | 0x80) && number != SIGTRAP && number != SIGSTOP;
    ptrace(PTRACE_SYSCALL, pid, nullptr, passes ? number : 0);
  }
  return end;
}

} // namespace trace_help

#endif
