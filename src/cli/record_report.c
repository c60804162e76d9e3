#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"

/* --- lines --- */

void record_report(struct record *r, int status, const char *fmt, ...) {
  char line[1400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  pthread_mutex_lock(&r->lock);
  json_array_append_new(r->errors, ph_json_text(line));
  r->status = status > r->status ? status : r->status;
  pthread_cond_signal(&r->news);
  pthread_mutex_unlock(&r->lock);
}

/* Whether a line is among the last errors. */
static bool is_known(struct record *r, const char *line) {
  bool known = false;
  pthread_mutex_lock(&r->lock);
  size_t n = json_array_size(r->errors);
  for (size_t i = n > 64 ? n - 64 : 0; i < n; i++) {
    const char *text = json_string_value(json_array_get(r->errors, i));
    known = known || (text && strcmp(text, line) == 0);
  }
  pthread_mutex_unlock(&r->lock);
  return known;
}

void record_error(struct record *r, int status, const char *line) {
  if (!is_known(r, line))
    record_report(r, status, "%s", line);
}

/* A fault of the disk is told of once; whether anything was lost is known at the end. */
void record_warn(void *user, const char *line) {
  record_report(user, EXIT_FINE, "%s", line);
}

/* The lock is free while a line is written: a terminal may hold it up. */
void record_tell(struct record *r) {
  char line[1400];
  pthread_mutex_lock(&r->lock);
  while (r->told < json_array_size(r->errors)) {
    const char *text = json_string_value(json_array_get(r->errors, r->told++));
    snprintf(line, sizeof line, "%s", text ? text : "");
    pthread_mutex_unlock(&r->lock);
    cli_fail(EXIT_ERROR, "%s", line);
    pthread_mutex_lock(&r->lock);
  }
  pthread_mutex_unlock(&r->lock);
}

/* --- episodes --- */

static void file_of(char *out, size_t size, const char *dir, const json_t *episode) {
  snprintf(out, size, "%s/%s_%" JSON_INTEGER_FORMAT ".h5", dir,
           json_string_value(json_object_get(episode, "id")),
           json_integer_value(json_object_get(episode, "actions")));
}

static json_t *episode_json(const ph_pool_episode *e) {
  char id[64], seed[24];
  snprintf(id, sizeof id, "env%03d_ep%06" PRId64, e->env_id, e->episode);
  snprintf(seed, sizeof seed, "%" PRIu64, e->seed);
  return json_pack("{s:s, s:i, s:I, s:s, s:s, s:o}", "id", id, "env_id", e->env_id, "actions",
                   (json_int_t)e->actions, "seed", seed, "end_reason", ph_end_name(e->end),
                   "success", report_success(e->success));
}

/* Keeps its place for the list, and what it takes on disk. */
static void note_episode(struct record *r, const ph_pool_episode *e) {
  char file[4200];
  struct stat st;
  json_t *episode = episode_json(e);
  file_of(file, sizeof file, r->path, episode);
  int64_t bytes = stat(file, &st) == 0 ? (int64_t)st.st_blocks * 512 : 0;
  if (episode)
    json_object_set_new(episode, "episode", json_integer(e->episode));
  pthread_mutex_lock(&r->lock);
  r->bytes += bytes;
  if (r->opt->json)
    json_array_append(e->fate == PH_POOL_SAVED ? r->episodes : r->unwritten, episode);
  pthread_mutex_unlock(&r->lock);
  json_decref(episode);
}

void record_ended(void *user, const ph_pool_episode *e) {
  struct record *r = user;
  if (e->error && e->fate != PH_POOL_KEPT)
    record_error(r, EXIT_ERROR, e->error);
  if (e->fate == PH_POOL_SAVED || e->fate == PH_POOL_KEPT)
    note_episode(r, e);
  else if (e->fate == PH_POOL_DISCARDED)
    record_report(r, EXIT_FINDING, "env %d episode %" PRId64 ": discarded, it has no step: %s: %s",
                  e->env_id, e->episode, ph_end_name(e->end), e->detail);
  pthread_mutex_lock(&r->lock);
  r->unsuccessful += e->fate == PH_POOL_UNSUCCESSFUL;
  pthread_mutex_unlock(&r->lock);
}

/* --- progress --- */

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

static void show_progress(struct record *r) {
  ph_pool_progress p;
  char line[300], bytes[32], success[32] = "";
  struct winsize window = {0};
  if (!isatty(STDERR_FILENO))
    return;
  ph_pool_progress_of(r->pool, &p);
  pthread_mutex_lock(&r->lock);
  bytes_text(bytes, sizeof bytes, r->bytes);
  size_t errors = json_array_size(r->errors);
  pthread_mutex_unlock(&r->lock);
  if (ph_task_info_of(r->task)->has_success && p.ended > 0)
    snprintf(success, sizeof success, ", %.0f%% success",
             100.0 * (double)p.successes / (double)p.ended);
  snprintf(line, sizeof line,
           "record: %" PRId64 " of %" PRId64 " episodes, %.0f steps/s, %" PRId64 "..%" PRId64
           " per env%s, %s, %zu %s",
           p.ended, p.wanted, rate_of(r, p.steps), p.fewest, p.most, success, bytes, errors,
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
    while (!r->ended && waited == 0 && r->told == json_array_size(r->errors))
      waited = pthread_cond_timedwait(&r->news, &r->lock, &until);
    ended = r->ended;
    pthread_mutex_unlock(&r->lock);
    record_tell(r);
    if (!ended)
      show_progress(r);
  }
  cli_progress_end();
}

/* --- the end --- */

/* The path for people, on one line. */
static void print_path(const char *path) {
  for (const char *c = path; *c; c++)
    putchar((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
}

static void print_tally(const struct record *r, const ph_tally *t) {
  print_path(r->path);
  printf(": %" PRId64 " %s started, %" PRId64 " saved, %" PRId64 " discarded", t->resets,
         t->resets == 1 ? "episode" : "episodes", t->commits, t->discards);
  if (r->opt->only_success)
    printf(" (%" PRId64 " without success)", r->unsuccessful);
  printf("; %" PRId64 " steps", t->steps);
  for (int end = 0; end < PH_END_COUNT; end++)
    if (t->by_end[end])
      printf(", %" PRId64 " %s", t->by_end[end], ph_end_name((ph_end)end));
  if (t->failed)
    printf(", %" PRId64 " NOT WRITTEN", t->failed);
  printf("\n");
  if (t->commits == 0)
    return;
  printf("open it: playhead view ");
  record_print_word(stdout, r->path);
  printf("\n");
}

/* Lists what close has written after all: a file with its final name is whole. */
static void list_late(struct record *r) {
  for (size_t i = 0; i < json_array_size(r->unwritten); i++) {
    json_t *episode = json_array_get(r->unwritten, i);
    char file[4200];
    file_of(file, sizeof file, r->path, episode);
    if (access(file, F_OK) == 0)
      json_array_append(r->episodes, episode);
  }
}

static int64_t number(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

static int by_episode(const void *a, const void *b) {
  const json_t *const *x = a, *const *y = b;
  int64_t n = number(*x, "episode"), m = number(*y, "episode");
  if (n == m) {
    n = number(*x, "env_id");
    m = number(*y, "env_id");
  }
  return (n > m) - (n < m);
}

/* By (episode, env), whatever ended first; the key that orders is no field of the report. */
static json_t *sorted(json_t *episodes) {
  size_t n = json_array_size(episodes);
  json_t **all = calloc(n + 1, sizeof(json_t *)), *list = json_array();
  if (!all || !list) {
    free(all);
    json_decref(list);
    return NULL;
  }
  for (size_t i = 0; i < n; i++)
    all[i] = json_array_get(episodes, i);
  qsort(all, n, sizeof(json_t *), by_episode);
  for (size_t i = 0; i < n; i++) {
    json_object_del(all[i], "episode");
    json_array_append(list, all[i]);
  }
  free(all);
  return list;
}

int record_print(struct record *r, const char *run_id, const ph_tally *tally) {
  ph_pool_progress p;
  if (!r->opt->json) {
    print_tally(r, tally);
    return r->status;
  }
  list_late(r);
  ph_pool_progress_of(r->pool, &p);
  json_t *root =
      json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:O, s:I, s:i}", "run_id", run_id, "path", r->path,
                "episodes", sorted(r->episodes), "resets", (json_int_t)tally->resets, "commits",
                (json_int_t)tally->commits, "discards", (json_int_t)tally->discards, "errors",
                r->errors, "unsuccessful", (json_int_t)r->unsuccessful, "jobs", p.jobs);
  return ph_json_write(root, stdout) == PH_OK ? r->status : cli_error();
}
