#include "probe_child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "h5.h"
#include "mj.h"
#include "mjcf.h"

/* Sanitizers reserve terabytes of addresses, and report on the standard streams. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum {
  SOCKET = 3,   /* the child's end, above its standard streams */
  WATCH_MS = 50 /* between two calls of who watches */
};

/* --- inside: how it dies --- */

static bool inside;
static int cpu_seconds;
static ph_reply last_words; /* prepared: a dying process must not do much */

bool ph_probe_inside(void) {
  return inside;
}

static void die(int answer, int number) {
  last_words.answer = answer;
  last_words.number = number;
  send(SOCKET, &last_words, sizeof last_words, MSG_NOSIGNAL | MSG_DONTWAIT);
  _exit(128);
}

static void on_fatal(int number) {
  if (number == SIGXCPU)
    die(PH_ANSWER_CPU, number);
  die(errno == ENOMEM ? PH_ANSWER_MEMORY : PH_ANSWER_SIGNAL, number);
}

/* Runs before what the host registered, whose files and terminal are not the child's business. */
static void on_exit_called(int number, void *arg) {
  (void)arg;
  die(PH_ANSWER_EXIT, number);
}

/* The parent is gone when its end of the socket is. The kernel's own signal for that would follow
 * the thread that forked, which may end long before its process. */
static void on_socket(int number) {
  struct pollfd poller = {.fd = SOCKET};
  int error = errno;
  (void)number;
  if (poll(&poller, 1, 0) > 0 && (poller.revents & (POLLHUP | POLLERR)))
    _exit(128);
  errno = error;
}

static void watch_socket(void) {
  struct sigaction action = {.sa_handler = on_socket, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigfillset(&action.sa_mask);
  sigaction(SIGIO, &action, NULL);
  fcntl(SOCKET, F_SETOWN, getpid());
  fcntl(SOCKET, F_SETFL, fcntl(SOCKET, F_GETFL) | O_ASYNC);
  on_socket(0); /* it may be gone by now */
}

static void set_handler(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static void set_signals(void) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGXCPU};
  static const int ignored[] = {SIGINT,  SIGHUP,  SIGQUIT, SIGTERM, SIGTSTP,
                                SIGTTIN, SIGTTOU, SIGPIPE, SIGXFSZ};
  static char stack[64 << 10];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigset_t none;
  for (int i = 1; i < NSIG; i++)
    signal(i, SIG_DFL);
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    signal(ignored[i], SIG_IGN);
  if (!SANITIZED)
    sigaltstack(&other, NULL);
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    if (!SANITIZED || fatal[i] == SIGABRT || fatal[i] == SIGXCPU)
      set_handler(fatal[i], on_fatal);
  on_exit(on_exit_called, NULL);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* --- inside: what it has --- */

static void close_all_above(int fd) {
  if (close_range((unsigned)fd + 1, ~0u, 0) == 0)
    return;
  long end = sysconf(_SC_OPEN_MAX);
  for (int i = fd + 1; i < (end > 0 && end < 1 << 20 ? (int)end : 1 << 20); i++)
    close(i);
}

/* Keeps the socket and nothing else: a lock on a file lives as long as one descriptor does. */
static void set_descriptors(int fd) {
  int high = fcntl(fd, F_DUPFD, SOCKET + 1);
  if (high < 0 || dup2(high, SOCKET) < 0)
    _exit(128);
  for (int i = 0; i < SOCKET - SANITIZED; i++) {
    close(i);
    if (open("/dev/null", O_RDWR) < 0)
      _exit(128);
  }
  close_all_above(SOCKET);
}

static void set_limit(int what, rlim_t value) {
  struct rlimit limit;
  if (getrlimit(what, &limit) != 0)
    return;
  limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
  setrlimit(what, &limit);
}

/* Of the whole process, in bytes; 0: not known. */
static rlim_t address_space(void) {
  char text[64] = "";
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  return n > 0 ? (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
}

static void set_limits(const ph_probe_limits *may) {
  rlim_t size = address_space();
  cpu_seconds = may->cpu;
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, 0);
  if (size > 0 && !SANITIZED)
    set_limit(RLIMIT_AS, size + may->memory);
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void ph_child_may_compute(int seconds) {
  cpu_seconds = seconds;
}

void ph_child_begin(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  set_limit(RLIMIT_CPU, (rlim_t)now.tv_sec + (rlim_t)cpu_seconds + (now.tv_nsec > 0));
  memset(&last_words, 0, sizeof last_words);
  errno = 0;
}

void ph_child_note(int fd, const char *text) {
  ph_reply note = {.answer = PH_ANSWER_NOTE};
  snprintf(note.text, sizeof note.text, "%s", text);
  if (send(fd, &note, sizeof note, MSG_NOSIGNAL) < 0)
    _exit(128);
}

void ph_child_answer(int fd, ph_status status) {
  bool memory = status == PH_ENOMEM || (status != PH_OK && errno == ENOMEM);
  last_words.answer = memory ? PH_ANSWER_MEMORY : PH_ANSWER_STATUS;
  last_words.status = status;
  if (status != PH_OK)
    snprintf(last_words.text, sizeof last_words.text, "%s", ph_error());
  if (send(fd, &last_words, sizeof last_words, MSG_NOSIGNAL) < 0)
    _exit(128);
}

/* --- outside --- */

/* No lock of a library that the child will use may be held by a thread that it does not have. */
static pid_t fork_unlocked(void) {
  ph_h5_fork_begin();
  ph_mj_fork_begin();
  ph_mjcf_fork_begin();
  pid_t pid = fork();
  int error = errno;
  ph_mjcf_fork_end();
  ph_mj_fork_end();
  ph_h5_fork_end(pid == 0);
  errno = error;
  return pid;
}

/* Exceptions of C++ end here: what a host of C++ would catch must not make its copy go on. */
#if defined(__x86_64__)
#define NOTHING_CALLED_THIS __asm__ volatile(".cfi_undefined rip")
#elif defined(__i386__)
#define NOTHING_CALLED_THIS __asm__ volatile(".cfi_undefined eip")
#elif defined(__aarch64__)
#define NOTHING_CALLED_THIS __asm__ volatile(".cfi_undefined x30")
#elif defined(__riscv)
#define NOTHING_CALLED_THIS __asm__ volatile(".cfi_undefined ra")
#else
#define NOTHING_CALLED_THIS (void)0
#endif

__attribute__((noinline, noreturn)) static void live(const ph_probe_limits *limits, int fd,
                                                     ph_child_body *body, void *arg) {
  NOTHING_CALLED_THIS;
  inside = true;
  set_descriptors(fd);
  set_limits(limits);
  set_signals();
  watch_socket();
  body(SOCKET, arg);
  _exit(128);
}

ph_status ph_child_fork(ph_child *out, const ph_probe_limits *limits, const char *where,
                        ph_child_body *body, void *arg) {
  int pair[2];
  struct stat st;
  sigset_t all, before;
  *out = PH_CHILD_NONE;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return ph_fail(PH_EIO, "%s: it cannot be tried in a process of its own: %s", where,
                   strerror(errno));
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of the host runs in the child */
  pid_t pid = fork_unlocked();
  if (pid == 0)
    live(limits, pair[1], body, arg);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(pair[1]);
  if (pid < 0) {
    close(pair[0]);
    return ph_fail(PH_EIO, "%s: it cannot be tried in a process of its own: %s", where,
                   strerror(error));
  }
  out->pid = pid;
  out->fd = pair[0];
  out->socket = fstat(pair[0], &st) == 0 ? st.st_ino : 0;
  out->may = *limits;
  out->where = where;
  return PH_OK;
}

bool ph_child_connected(const ph_child *child) {
  struct stat st;
  return child->fd >= 0 && fstat(child->fd, &st) == 0 && S_ISSOCK(st.st_mode) &&
         st.st_ino == child->socket;
}

/* *computed: [ms], 0 where it is not known. */
static int end_child(ph_child *child, int32_t *computed) {
  int how = -1;
  struct rusage used = {0};
  pid_t pid = child->pid;
  if (ph_child_connected(child))
    close(child->fd);
  *child = PH_CHILD_NONE;
  /* Only a child that waits for us is surely not another process by now. */
  pid_t got = pid > 0 ? wait4(pid, &how, WNOHANG, &used) : -1;
  if (got == 0)
    kill(pid, SIGKILL);
  for (int tries = 0; got == 0 && tries < 4000; tries++) { /* one that hangs in a disk stays */
    struct timespec nap = {0, tries < 100 ? 50000 : 500000};
    nanosleep(&nap, NULL);
    got = wait4(pid, &how, WNOHANG, &used);
  }
  *computed = got == pid ? (int32_t)(1000 * (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                                     (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000)
                         : 0;
  return got == pid ? how : -1;
}

int ph_child_end(ph_child *child) {
  int32_t computed;
  return end_child(child, &computed);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* PH_ANSWER_STATUS: there is something to receive, or it is gone. */
static ph_answer wait_for(ph_child *child) {
  int64_t began = now_ms(), limit = (int64_t)child->may.wall * 1000;
  struct pollfd poller = {.fd = child->fd, .events = POLLIN};
  for (;;) {
    int64_t left = limit - (now_ms() - began);
    int n = poll(&poller, 1, left < 0 ? 0 : left < WATCH_MS ? (int)left : WATCH_MS);
    if (n > 0)
      return PH_ANSWER_STATUS;
    if (n < 0 && errno != EINTR)
      return PH_ANSWER_NONE;
    if (now_ms() - began >= limit)
      return PH_ANSWER_TIME;
    if (!ph_wait_goes_on(child, now_ms() - began))
      return PH_ANSWER_STOPPED;
  }
}

/* false: it is gone. */
static bool receive(ph_child *child, ph_reply *reply) {
  ssize_t got;
  do
    got = recv(child->fd, reply, sizeof *reply, 0);
  while (got < 0 && errno == EINTR);
  reply->text[sizeof reply->text - 1] = 0;
  return got == (ssize_t)sizeof *reply;
}

void ph_child_receive(ph_child *child, ph_reply *reply) {
  ph_answer how_waited = wait_for(child);
  if (how_waited == PH_ANSWER_STATUS && receive(child, reply)) {
    if (reply->answer != PH_ANSWER_STATUS && reply->answer != PH_ANSWER_NOTE)
      ph_child_end(child);
    return;
  }
  int32_t computed;
  int how = end_child(child, &computed);
  memset(reply, 0, sizeof *reply);
  reply->answer = PH_ANSWER_NONE;
  if (how_waited == PH_ANSWER_TIME || how_waited == PH_ANSWER_STOPPED)
    reply->answer = (int32_t)how_waited;
  else if (how != -1 && WIFSIGNALED(how))
    reply->answer = WTERMSIG(how) == SIGXCPU ? PH_ANSWER_CPU : PH_ANSWER_SIGNAL;
  else if (how != -1 && WIFEXITED(how))
    reply->answer = PH_ANSWER_EXIT;
  if (reply->answer == PH_ANSWER_TIME)
    reply->number = computed;
  if (reply->answer == PH_ANSWER_SIGNAL)
    reply->number = WTERMSIG(how);
  if (reply->answer == PH_ANSWER_EXIT)
    reply->number = WEXITSTATUS(how);
}

bool ph_reply_waited(const ph_reply *reply, const ph_probe_limits *limits) {
  return reply->answer == PH_ANSWER_TIME && reply->number < limits->cpu * 100;
}

ph_status ph_child_ask(ph_child *out, ph_reply *reply, const ph_probe_limits *limits,
                       const char *where, ph_child_body *body, void *arg, bool model) {
  for (int tries = 0; tries < 2; tries++) {
    ph_status status = ph_child_fork(out, limits, where, body, arg);
    if (status)
      return status;
    out->model = model;
    ph_child_receive(out, reply);
    if (!ph_reply_waited(reply, limits))
      break;
  }
  return PH_OK;
}

/* --- sentences --- */

bool ph_reply_lasts(const ph_reply *reply) {
  if (reply->answer == PH_ANSWER_STATUS)
    return reply->status != PH_EIO && reply->status != PH_ENOMEM;
  return reply->answer != PH_ANSWER_NONE && reply->answer != PH_ANSWER_NOTE &&
         reply->answer != PH_ANSWER_STOPPED &&
         !(reply->answer == PH_ANSWER_SIGNAL && reply->number == SIGKILL);
}

static bool is_status(int32_t value) {
  switch (value) {
#define CASE(name, number, message) case number:
    PH_STATUS_LIST(CASE)
#undef CASE
    return true;
  }
  return false;
}

ph_status ph_reply_status(const ph_reply *reply, const ph_probe_limits *limits, ph_status died,
                          const char *where, const char *engine) {
  switch ((ph_answer)reply->answer) {
  case PH_ANSWER_STATUS:
    if (!is_status(reply->status))
      break;
    return reply->status == PH_OK ? PH_OK : ph_fail((ph_status)reply->status, "%s", reply->text);
  case PH_ANSWER_SIGNAL:
    if (reply->number == SIGKILL)
      return ph_fail(died, "%s: the process that tried it was killed (signal %d)", where, SIGKILL);
    return ph_fail(died, "%s: %s crashes on it (signal %d)", where, engine, (int)reply->number);
  case PH_ANSWER_EXIT:
    return ph_fail(died, "%s: %s ends the program on it (exit %d)", where, engine,
                   (int)reply->number);
  case PH_ANSWER_MEMORY:
    return ph_fail(died, "%s: %s needs more than %zu MiB for it", where, engine,
                   limits->memory >> 20);
  case PH_ANSWER_CPU:
    return ph_fail(died, "%s: %s gives no answer in %d s", where, engine, limits->cpu);
  case PH_ANSWER_TIME:
    return ph_fail(died, "%s: %s gives no answer in %d s", where, engine, limits->wall);
  case PH_ANSWER_STOPPED:
    return ph_fail(PH_ECANCELED, "%s: it was stopped before it was open", where);
  case PH_ANSWER_NOTE:
  case PH_ANSWER_NONE:
    break;
  }
  return ph_fail(died, "%s: the process that tried it is gone", where);
}
