#include "thread.h"

#include <signal.h>

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
