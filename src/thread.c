#include "thread.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

bool ph_thread_start(pthread_t *out, void *(*work)(void *arg), void *arg) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
  sigset_t set, old;
  sigfillset(&set);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    sigdelset(&set, own[i]);
  pthread_sigmask(SIG_SETMASK, &set, &old);
  bool started = pthread_create(out, NULL, work, arg) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return started;
}

int ph_thread_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return CPU_COUNT(&set);
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int)(n < 1024 ? n : 1024) : 1;
}
