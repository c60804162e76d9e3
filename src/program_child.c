#include "program_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"

enum { STREAMS = 3 };

int64_t ph_process_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- starting --- */

static void close_at(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

static void close_all(int (*pipes)[2]) {
  for (int i = 0; i < STREAMS; i++)
    for (int side = 0; side < 2; side++)
      close_at(&pipes[i][side]);
}

/* A host may have closed its standard streams: no pipe may have their numbers. */
static bool lift(int *fd) {
  int high = *fd >= STREAMS ? *fd : fcntl(*fd, F_DUPFD_CLOEXEC, STREAMS);
  if (high != *fd)
    close(*fd);
  *fd = high;
  return high >= 0;
}

/* pipes[i]: its standard stream i; ours is the other end, which never blocks. */
static bool make_pipes(int (*pipes)[2]) {
  for (int i = 0; i < STREAMS; i++)
    pipes[i][0] = pipes[i][1] = -1;
  for (int i = 0; i < STREAMS; i++) {
    int *ours = &pipes[i][i == 0];
    if (pipe2(pipes[i], O_CLOEXEC) != 0 || !lift(&pipes[i][0]) || !lift(&pipes[i][1]) ||
        fcntl(*ours, F_SETFL, O_NONBLOCK) != 0) {
      int error = errno;
      close_all(pipes);
      errno = error;
      return false;
    }
  }
  return true;
}

/* The environment, and a word to Python that answers are not to be kept back. NULL: no memory. */
static char **environment(void) {
  static char unbuffered[] = "PYTHONUNBUFFERED=1";
  size_t n = 0, out = 0;
  bool set = getenv("PYTHONUNBUFFERED") != NULL;
  while (environ && environ[n])
    n++;
  char **copy = calloc(n + 2, sizeof *copy);
  for (; copy && out < n; out++)
    copy[out] = environ[out];
  if (copy && !set)
    copy[out] = unbuffered;
  return copy;
}

/* With nothing of ours but what the actions give. alone: POSIX_SPAWN_SETPGROUP or _SETSID. */
static int spawn_shell(pid_t *pid, char *const argv[], posix_spawn_file_actions_t *actions,
                       short alone, char **env) {
  posix_spawnattr_t attr;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawn_file_actions_addclosefrom_np(actions, STREAMS);
  if (error)
    return error;
  error = posix_spawnattr_init(&attr);
  if (error)
    return error;
  error = posix_spawnattr_setflags(&attr,
                                   (short)(alone | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  posix_spawnattr_setpgroup(&attr, 0);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &all);
  if (!error)
    error = posix_spawn(pid, argv[0], actions, &attr, argv, env);
  posix_spawnattr_destroy(&attr);
  return error;
}

static int spawn_child(pid_t *pid, const char *command, int (*pipes)[2], char **env) {
  posix_spawn_file_actions_t actions;
  char shell[] = "/bin/sh", flag[] = "-c";
  char *argv[] = {shell, flag, (char *)command, NULL};
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  for (int i = 0; i < STREAMS && !error; i++)
    error = posix_spawn_file_actions_adddup2(&actions, pipes[i][i != 0], i);
  if (!error)
    error = spawn_shell(pid, argv, &actions, POSIX_SPAWN_SETPGROUP, env);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* --- who watches us --- */

/* A session of its own: what a terminal sends to ours does not reach it. */
static int spawn_watcher(pid_t *pid, int life, pid_t group) {
  posix_spawn_file_actions_t actions;
  char shell[] = "/bin/sh", flag[] = "-c", script[] = "read line || kill -9 \"-$0\"", number[24];
  char *argv[] = {shell, flag, script, number, NULL};
  snprintf(number, sizeof number, "%ld", (long)group);
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  error = posix_spawn_file_actions_adddup2(&actions, life, 0);
  for (int i = 1; i < STREAMS && !error; i++)
    error = posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_WRONLY, 0);
  if (!error)
    error = spawn_shell(pid, argv, &actions, POSIX_SPAWN_SETSID, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* 0, or an errno. */
static int start_watcher(ph_process *p) {
  int life[2];
  if (pipe2(life, O_CLOEXEC) != 0)
    return errno;
  bool high = lift(&life[0]), both = lift(&life[1]) && high;
  int error = !both ? EMFILE
              : fcntl(life[1], F_SETFL, O_NONBLOCK) != 0
                  ? errno
                  : spawn_watcher(&p->watcher, life[0], p->pid);
  close_at(&life[0]);
  p->life = life[1];
  if (error) {
    p->watcher = 0;
    close_at(&p->life);
  }
  return error;
}

ph_status ph_process_start(ph_process *out, const char *command) {
  int pipes[STREAMS][2];
  *out = PH_PROCESS_NONE;
  if (!make_pipes(pipes))
    return ph_fail(PH_EIO, "%s: no pipes to it: %s", command, strerror(errno));
  char **env = environment();
  int error = env ? spawn_child(&out->pid, command, pipes, env) : ENOMEM;
  free(env);
  if (error) {
    out->pid = 0;
    close_all(pipes);
    return ph_fail(PH_EIO, "%s: it cannot be started: %s", command, strerror(error));
  }
  out->in = pipes[0][1];
  out->out = pipes[1][0];
  out->err = pipes[2][0];
  for (int i = 0; i < STREAMS; i++)
    close(pipes[i][i != 0]);
  error = start_watcher(out);
  if (error) {
    ph_process_end(out, NULL);
    return ph_fail(PH_EIO, "%s: nothing can be started that watches it: %s", command,
                   strerror(error));
  }
  return PH_OK;
}

/* --- writing --- */

void ph_process_close_input(ph_process *process) {
  close_at(&process->in);
}

/* A pipe that nobody reads raises SIGPIPE in the thread that writes: it is taken back, unless it
 * waited there before. */
static ssize_t write_quietly(int fd, const void *data, size_t size) {
  sigset_t pipe, before, waiting;
  const struct timespec at_once = {0, 0};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  sigpending(&waiting);
  ssize_t n = write(fd, data, size);
  int error = errno;
  if (n < 0 && error == EPIPE && !sigismember(&waiting, SIGPIPE))
    while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR) {
    }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return n;
}

ssize_t ph_process_write(ph_process *process, const void *data, size_t size) {
  if (process->in < 0 || size == 0)
    return 0;
  ssize_t n = write_quietly(process->in, data, size);
  if (n < 0 && errno != EAGAIN && errno != EINTR)
    close_at(&process->in);
  return n < 0 ? 0 : n;
}

/* --- ending --- */

bool ph_process_ended(const ph_process *process, int *how) {
  siginfo_t info = {0};
  *how = process->how;
  if (process->pid <= 0)
    return true;
  while (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    if (errno != EINTR)
      return true; /* the host has waited for it */
  if (info.si_pid == 0)
    return false;
  bool exited = info.si_code == CLD_EXITED;
  *how = exited ? W_EXITCODE(info.si_status, 0) : W_EXITCODE(0, info.si_status);
  return true;
}

/* The number is the child's as long as nobody has waited for it. */
static bool is_ours(pid_t pid) {
  siginfo_t info = {0};
  int got;
  do
    got = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
  while (got != 0 && errno == EINTR);
  return got == 0;
}

/* One that hangs in a disk stays. */
static int wait_briefly(pid_t pid) {
  const struct timespec nap = {0, 500000};
  int how = -1;
  for (int tries = 0; tries < 4000; tries++) {
    pid_t got = waitpid(pid, &how, WNOHANG);
    if (got == pid)
      return how;
    if (got < 0 && errno != EINTR)
      return -1;
    nanosleep(&nap, NULL);
  }
  return -1;
}

/* A line sends it away; where it does not go, it is ended. */
static void end_watcher(ph_process *process) {
  if (process->life >= 0)
    write_quietly(process->life, "\n", 1);
  if (process->watcher > 0 && is_ours(process->watcher)) {
    kill(process->watcher, SIGKILL);
    wait_briefly(process->watcher);
  }
  process->watcher = 0;
  close_at(&process->life);
}

void ph_process_end(ph_process *process, int *how) {
  bool ours = process->pid > 0 && is_ours(process->pid);
  close_at(&process->in);
  close_at(&process->out);
  close_at(&process->err);
  if (ours)
    kill(-process->pid, SIGKILL);
  end_watcher(process); /* as long as the number is the child's */
  if (ours)
    process->how = wait_briefly(process->pid);
  process->pid = 0;
  if (how)
    *how = process->how;
}

void ph_process_how(int how, char *out, size_t size) {
  if (how == -1)
    snprintf(out, size, "it ended");
  else if (WIFSIGNALED(how))
    snprintf(out, size, "it was ended by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
  else
    snprintf(out, size, "it ended with status %d", WEXITSTATUS(how));
}
