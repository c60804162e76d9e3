/* What the benchmarks share: clocks, medians, a folder to work in, and lines of JSON on stdout.
 * Times are in seconds. Whatever fails ends the program with status 3. */
#ifndef PLAYHEAD_TESTS_BENCH_H
#define PLAYHEAD_TESTS_BENCH_H

#include <playhead/playhead.h>

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* --- clocks --- */

static inline double bench_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double bench_now(void) {
  return bench_clock(CLOCK_MONOTONIC);
}

/* Processor time of all threads: what other programs take meanwhile does not count. */
static inline double bench_cpu(void) {
  return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* --- statistics --- */

static inline int bench_compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts x; q from 0 to 1. */
static inline double bench_quantile(double *x, int n, double q) {
  qsort(x, (size_t)n, sizeof *x, bench_compare);
  return x[(int)(q * (n - 1))];
}

static inline double bench_median(double *x, int n) {
  return bench_quantile(x, n, 0.5);
}

/* From 0 to n-1, the same ones in every run. */
static inline int64_t bench_random(unsigned *state, int64_t n) {
  *state = *state * 1664525u + 1013904223u;
  return (int64_t)((double)*state / 4294967296.0 * (double)n);
}

/* --- what may fail --- */

static inline void bench_need(ph_status status, const char *what) {
  if (status == PH_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, ph_error());
  exit(3);
}

/* Keeps this thread, and those that it starts, on the processor where it is: neighbours of a
 * machine that is shared do not slow all of them alike. `before` is given back to bench_unpin. */
static inline void bench_pin(cpu_set_t *before) {
  cpu_set_t one;
  int here = sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET((size_t)(here < 0 ? 0 : here), &one);
  if (sched_getaffinity(0, sizeof *before, before) == 0)
    sched_setaffinity(0, sizeof one, &one);
}

static inline void bench_unpin(const cpu_set_t *before) {
  sched_setaffinity(0, sizeof *before, before);
}

/* A folder of its own in TMPDIR. */
static inline void bench_folder(char *out, size_t size) {
  const char *tmp = getenv("TMPDIR");
  int n = snprintf(out, size, "%s/playhead-bench-XXXXXX", tmp ? tmp : "/tmp");
  if (n < 0 || (size_t)n >= size || !mkdtemp(out))
    exit(3);
}

static inline void bench_folder_remove(const char *folder) {
  char command[500];
  int n = snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (n < 0 || (size_t)n >= sizeof command || system(command) != 0)
    exit(3);
}

/* Of this program so far [MiB]. */
static inline double bench_most_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

static inline long bench_faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/* --- a line --- */

static inline void bench_begin(const char *bench) {
  printf("{\"bench\":\"%s\"", bench);
}

static inline void bench_text(const char *key, const char *value) {
  printf(",\"%s\":\"%s\"", key, value);
}

static inline void bench_whole(const char *key, int64_t value) {
  printf(",\"%s\":%lld", key, (long long)value);
}

static inline void bench_number(const char *key, double value, int digits) {
  if (isfinite(value))
    printf(",\"%s\":%.*f", key, digits, value);
  else
    printf(",\"%s\":null", key);
}

/* Writes both. True: missed. */
static inline bool bench_at_most(double ratio, double goal) {
  bench_number("ratio", ratio, 4);
  bench_number("goal", goal, 2);
  return !(ratio <= goal);
}

static inline bool bench_at_least(double ratio, double goal) {
  bench_at_most(ratio, goal);
  return !(ratio >= goal);
}

static inline void bench_end(void) {
  printf("}\n");
  fflush(stdout);
}

#endif
