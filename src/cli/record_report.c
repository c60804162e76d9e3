#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"

/* --- lines --- */

static void say(struct record *r, json_t *list, int status, const char *line) {
  json_t *text = ph_json_text(line);
  pthread_mutex_lock(&r->lock);
  json_array_append(list, text);
  json_array_append(r->lines, text);
  r->status = status > r->status ? status : r->status;
  pthread_cond_signal(&r->news);
  pthread_mutex_unlock(&r->lock);
  json_decref(text);
}

void record_report(struct record *r, int status, const char *fmt, ...) {
  char line[1400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  say(r, r->errors, status, line);
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

void record_notice(void *user, const char *line) {
  struct record *r = user;
  say(r, r->notices, EXIT_FINE, line);
}

/* The lock is free while a line is written: a terminal may hold it up. */
void record_tell(struct record *r) {
  char line[1400];
  pthread_mutex_lock(&r->lock);
  while (r->told < json_array_size(r->lines)) {
    const char *text = json_string_value(json_array_get(r->lines, r->told++));
    snprintf(line, sizeof line, "%s", text ? text : "");
    pthread_mutex_unlock(&r->lock);
    cli_fail(EXIT_ERROR, "%s", line);
    pthread_mutex_lock(&r->lock);
  }
  pthread_mutex_unlock(&r->lock);
}

/* --- episodes --- */

static json_t *episode_json(const ph_pool_episode *e) {
  char seed[24];
  snprintf(seed, sizeof seed, "%" PRIu64, e->seed);
  return json_pack("{s:s, s:i, s:I, s:s, s:s, s:o}", "id", e->id, "env_id", e->env_id, "actions",
                   (json_int_t)e->actions, "seed", seed, "end_reason", ph_end_name(e->end),
                   "success", report_success(e->success));
}

/* Keeps its place for the list, and the name of its file. */
static void note_episode(struct record *r, const ph_pool_episode *e) {
  json_t *episode = r->opt->json ? episode_json(e) : NULL;
  if (!episode)
    return;
  json_object_set_new(episode, "episode", json_integer(e->episode));
  json_object_set_new(episode, "file", json_string(e->file));
  pthread_mutex_lock(&r->lock);
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

void record_unverified(void *user, const char *line) {
  record_report(user, EXIT_FINDING, "%s", line);
}

/* --- the end --- */

static void print_tally(const struct record *r, const ph_tally *t) {
  cli_print_text(r->path);
  printf(": %" PRId64 " %s started, %" PRId64 " saved, %" PRId64 " discarded", t->resets,
         t->resets == 1 ? "episode" : "episodes", t->commits, t->discards);
  if (r->opt->only_success)
    printf(" (%" PRId64 " without success)", r->unsuccessful);
  printf("; %" PRId64 " %s", t->saved_steps, report_steps(t->saved_steps));
  if (t->saved_steps != t->steps)
    printf(" saved of %" PRId64, t->steps);
  for (int end = 0; end < PH_END_COUNT; end++)
    if (t->by_end[end])
      printf(", %" PRId64 " %s", t->by_end[end], ph_end_name((ph_end)end));
  if (t->failed)
    printf(", %" PRId64 " NOT WRITTEN", t->failed);
  if (t->missing)
    printf(", %" PRId64 " NOT IN THE FOLDER", t->missing);
  printf("\n");
  if (t->commits == 0)
    return;
  if (r->opt->verify)
    printf("physics run again: %" PRId64 " bitwise, %" PRId64 " tol, %" PRId64 " fails, %" PRId64
           " unchecked\n",
           t->bitwise, t->within, t->failing, t->unchecked);
  printf("open it: playhead view ");
  record_print_word(stdout, r->path);
  printf("\n");
}

/* Lists what close has written after all: a file with its final name is whole. */
static void list_late(struct record *r) {
  for (size_t i = 0; i < json_array_size(r->unwritten); i++) {
    json_t *episode = json_array_get(r->unwritten, i);
    char file[4200];
    snprintf(file, sizeof file, "%s/%s", r->path,
             json_string_value(json_object_get(episode, "file")));
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

/* By (episode, env), whatever ended first; number and file are no fields of the report. */
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
    json_object_del(all[i], "file");
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
  json_t *root = json_pack(
      "{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:O, s:O, s:I, s:I, s:i}", "run_id", run_id, "path",
      r->path, "episodes", sorted(r->episodes), "resets", (json_int_t)tally->resets, "commits",
      (json_int_t)tally->commits, "discards", (json_int_t)tally->discards, "steps",
      (json_int_t)tally->steps, "steps_saved", (json_int_t)tally->saved_steps, "errors", r->errors,
      "notices", r->notices, "unsuccessful", (json_int_t)r->unsuccessful, "missing",
      (json_int_t)tally->missing, "jobs", p.jobs);
  if (r->opt->verify)
    json_object_set_new(root, "determinism",
                        json_pack("{s:I, s:I, s:I, s:I}", "bitwise", (json_int_t)tally->bitwise,
                                  "tol", (json_int_t)tally->within, "fails",
                                  (json_int_t)tally->failing, "unchecked",
                                  (json_int_t)tally->unchecked));
  return ph_json_write(root, stdout) == PH_OK ? r->status : cli_error();
}
