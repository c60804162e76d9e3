/* What `record` shows on a terminal while it is at work. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "record.h"

enum { ENVS_EACH = 8 }; /* envs whose episodes are shown one by one */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Steps a second, over the last ticks. */
static double rate_of(struct record *r, int64_t steps) {
  struct record_rate *place = &r->rates[r->ticks % RECORD_RATES];
  struct record_rate oldest = r->ticks < RECORD_RATES ? r->rates[0] : *place;
  *place = (struct record_rate){.at = now(), .steps = steps};
  r->ticks++;
  double seconds = place->at - oldest.at;
  return r->ticks > 1 && seconds > 0 ? (double)(steps - oldest.steps) / seconds : 0;
}

static void bytes_text(char *out, size_t size, int64_t bytes) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = (double)bytes;
  size_t i = 0;
  for (; value >= 999.5 && i + 1 < sizeof units / sizeof *units; i++)
    value /= 1000;
  snprintf(out, size, value < 9.95 && i > 0 ? "%.1f %s" : "%.0f %s", value, units[i]);
}

/* Episodes that have ended: "3/4/3/3" of few envs, "3..4" of many. */
static void shares_text(char *out, size_t size, const ph_pool *pool, const ph_pool_progress *p) {
  size_t n = 0;
  if (p->envs > ENVS_EACH) {
    snprintf(out, size, "%" PRId64 "..%" PRId64, p->fewest, p->most);
    return;
  }
  for (int i = 0; i < p->envs && n < size; i++)
    n +=
        (size_t)snprintf(out + n, size - n, "%s%" PRId64, i ? "/" : "", ph_pool_env_ended(pool, i));
}

static void show_progress(struct record *r) {
  ph_pool_progress p;
  char line[500], bytes[32], shares[200], success[32] = "";
  struct winsize window = {0};
  if (!isatty(STDERR_FILENO))
    return;
  ph_pool_progress_of(r->pool, &p);
  bytes_text(bytes, sizeof bytes, ph_pool_disk_use(r->pool));
  shares_text(shares, sizeof shares, r->pool, &p);
  pthread_mutex_lock(&r->lock);
  size_t errors = json_array_size(r->errors);
  pthread_mutex_unlock(&r->lock);
  if (ph_task_info_of(r->task)->has_success && p.ended > 0)
    snprintf(success, sizeof success, ", %.0f%% success",
             100.0 * (double)p.successes / (double)p.ended);
  snprintf(line, sizeof line,
           "record: %" PRId64 " of %" PRId64 " episodes, %.0f steps/s, %s per env%s, %s, %zu %s",
           p.ended, p.wanted, rate_of(r, p.steps), shares, success, bytes, errors,
           errors == 1 ? "error" : "errors");
  int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1
                    ? window.ws_col - 1
                    : 79; /* one that wraps would not be wiped away */
  cli_progress("%.*s", columns, line);
}

void record_watch(struct record *r) {
  bool ended = false;
  while (!ended) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 250000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&r->lock);
    int waited = 0;
    while (!r->ended && waited == 0 && r->told == json_array_size(r->lines))
      waited = pthread_cond_timedwait(&r->news, &r->lock, &until);
    ended = r->ended;
    pthread_mutex_unlock(&r->lock);
    record_tell(r);
    if (!ended)
      show_progress(r);
  }
  cli_progress_end();
}
