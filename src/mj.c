#include "mj.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"

_Static_assert(sizeof(mjtNum) == sizeof(double), "MuJoCo must be built with double precision");

struct guard {
  jmp_buf env;
  struct guard *outer;
};

static _Thread_local struct guard *innermost;
static _Thread_local char error_text[400];
static _Thread_local char warning_text[400];
static _Thread_local uintptr_t deepest; /* frame of the last call of the host's handler */
static _Thread_local int rounds;
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

typedef void handler(const char *);
static handler *host_error, *host_warning;

/* A host's handler may hand on to the one that it found, ours: without an end. It may also leave by
 * a jump, so only the stack tells whether the last call is still under way. */
static bool goes_round(uintptr_t frame) {
  rounds = frame < deepest ? rounds + 1 : 0;
  deepest = frame;
  if (rounds <= 16)
    return false;
  rounds = 0;
  return true;
}

/* Must not return: the function that failed would carry on. */
static void on_error(const char *text) {
  struct guard *guard = innermost;
  if (guard) {
    snprintf(error_text, sizeof error_text, "%s", text ? text : "");
    longjmp(guard->env, 1);
  }
  handler *host = __atomic_load_n(&host_error, __ATOMIC_ACQUIRE);
  if (host && !goes_round((uintptr_t)__builtin_frame_address(0))) {
    host(text);
  } else {
    /* Nobody guards this call: what MuJoCo itself would do. */
    mju_user_error = NULL;
#if mjVERSION_HEADER >= 233
    mju_error("%s", text);
#else
    mju_error(text);
#endif
  }
}

static void on_warning(const char *text) {
  handler *host = __atomic_load_n(&host_warning, __ATOMIC_ACQUIRE);
  if (innermost || !host || goes_round((uintptr_t)__builtin_frame_address(0)))
    snprintf(warning_text, sizeof warning_text, "%s", text ? text : "");
  else
    host(text);
}

static void take(handler **engines, handler *ours, handler **host) {
  handler *found = __atomic_load_n(engines, __ATOMIC_ACQUIRE);
  if (found == ours)
    return;
  __atomic_store_n(host, found, __ATOMIC_RELEASE);
  __atomic_store_n(engines, ours, __ATOMIC_RELEASE);
}

/* At every guard: the host may have set handlers of its own since the last. */
static void install(void) {
  if (__atomic_load_n(&mju_user_error, __ATOMIC_ACQUIRE) == on_error &&
      __atomic_load_n(&mju_user_warning, __ATOMIC_ACQUIRE) == on_warning)
    return;
  pthread_mutex_lock(&installing);
  take(&mju_user_error, on_error, &host_error);
  take(&mju_user_warning, on_warning, &host_warning);
  pthread_mutex_unlock(&installing);
}

ph_status ph_mj_guard(void (*fn)(void *), void *arg) {
  struct guard guard;
  install();
  guard.outer = innermost;
  innermost = &guard;
  if (setjmp(guard.env) == 0) {
    fn(arg);
    innermost = guard.outer;
    return PH_OK;
  }
  innermost = innermost->outer;
  return ph_fail(PH_ESIM, "physics engine: fatal error: %s", error_text);
}

const char *ph_mj_warning(void) {
  return warning_text;
}

const char *ph_mj_arch(void) {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
  return "riscv64";
#elif defined(__powerpc64__)
  return "ppc64";
#elif defined(__i386__)
  return "i386";
#elif defined(__arm__)
  return "arm";
#else
  return "other";
#endif
}

const char *ph_engine_version(void) {
  return mj_versionString();
}

/* 222 is 2.2.2; 3.5.0 and later count in thousands: 3005000. */
static void version_text(int version, char *out, size_t size) {
  if (version >= 1000000)
    snprintf(out, size, "%d.%d.%d", version / 1000000, version / 1000 % 1000, version % 1000);
  else
    snprintf(out, size, "%d.%d.%d", version / 100, version / 10 % 10, version % 10);
}

ph_status ph_engine_check(void) {
  char header[48], library[48];
  if (mj_version() == mjVERSION_HEADER)
    return PH_OK;
  version_text(mjVERSION_HEADER, header, sizeof header);
  version_text(mj_version(), library, sizeof library);
  return ph_fail(PH_EMISMATCH, "MuJoCo: built with the headers of %s, running with the library %s",
                 header, library);
}
