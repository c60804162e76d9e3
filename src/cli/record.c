/* Records a task in N envs, one control step of every env a turn.
 *
 * An error of one env (its script's or the engine's) stops the run, in order: the turn's rows are
 * recorded, episodes that ended in this turn end as they did, the env's own episode is saved as
 * aborted with the error as its end_detail, the others as aborted too, nothing begins any more, the
 * exit status is 3. A task with a bug is mended and recorded anew; a run that went on would give
 * fewer episodes than were asked for, by chance of the seed. Numbers that are not finite are no
 * error: that episode ends as nan. Nor is a disk that fails: the recorder keeps the rows and tries
 * again. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

/* One env and its place in the recording. */
struct slot {
  ph_env *env;
  int64_t quota, episode; /* episodes to record, and the one that runs */
  int64_t actions;        /* rows recorded of it */
  bool active;
  double *action;
  ph_outcome outcome;
  char detail[200]; /* of an episode that its policy or an error ended */
};

struct record {
  const struct options *opt;
  ph_task *task;
  ph_model *model;
  ph_recorder *recorder;
  struct slot *slots;
  int n;
  /* arguments of ph_recorder_rows, room for all envs */
  int *ids;
  const double **actions;
  double *rewards;
  uint8_t *flags;
  ph_row *rows;
  json_t *episodes, *errors;
  json_t *unwritten; /* episodes that close tries again */
  int64_t ended;
  int failed;  /* the env whose error stops the run; -1 none */
  bool stop;   /* no episode begins any more */
  int finding; /* EXIT_FINDING once an episode was discarded */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int signal) {
  (void)signal;
  interrupted = 1;
}

/* The first signal ends the recording in order, a second one the program. What is ignored stays so:
 * nohup, and what a shell starts in the background. */
static void catch_signals(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART}, old;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
}

/* --- the folder --- */

/* What a recorder that was killed before its first episode has left. Whether the run.h5 may go is
 * for ph_recorder_open to say. */
static bool is_leftover(const char *name) {
  size_t n = strlen(name);
  return strcmp(name, "run.h5") == 0 ||
         (strncmp(name, ".run.h5.", 8) == 0 && strcmp(name + n - 5, ".part") == 0) ||
         (strncmp(name, ".env", 4) == 0 && n > 9 && strcmp(name + n - 5, ".part") == 0);
}

/* 0: the path is free, or a folder without anything of worth in it. EEXIST: it is another thing.
 * Else the errno that says why nobody can tell. */
static int look_at_folder(const char *path) {
  DIR *dir = opendir(path);
  struct stat st;
  int error = dir || errno == ENOENT ? 0 : errno;
  if (!dir)
    return error == ENOTDIR && lstat(path, &st) == 0 ? EEXIST : error;
  const struct dirent *entry;
  bool empty = true;
  while (empty && (entry = readdir(dir)))
    empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            is_leftover(entry->d_name);
  closedir(dir);
  return empty ? 0 : EEXIST;
}

static bool default_path(char *path, size_t size, const char *run_id) {
  const char *root = getenv("PLAYHEAD_DATA_ROOT"), *data = getenv("XDG_DATA_HOME"),
             *home = getenv("HOME");
  int n = -1;
  if (root && *root)
    n = snprintf(path, size, "%s/trajectories/%s", root, run_id);
  else if (data && *data == '/')
    n = snprintf(path, size, "%s/playhead/trajectories/%s", data, run_id);
  else if (home && *home)
    n = snprintf(path, size, "%s/.local/share/playhead/trajectories/%s", home, run_id);
  return n > 0 && (size_t)n < size;
}

/* The folder that was asked for, without slashes at its end. */
static bool given_path(char *path, size_t size, const char *out) {
  size_t n = strlen(out);
  while (n > 1 && out[n - 1] == '/')
    n--;
  return snprintf(path, size, "%.*s", (int)n, out) < (int)size;
}

static int open_recorder(struct record *r) {
  char path[4096], run_id[64];
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  ph_recorder_make_run_id(run_id, sizeof run_id);
  bool ok = r->opt->out ? given_path(path, sizeof path, r->opt->out)
                        : default_path(path, sizeof path, run_id);
  if (!ok)
    return cli_fail(EXIT_ERROR, "record: no folder for the run: give one with --out");
  opt.task = r->task;
  opt.hold_seconds = r->opt->hold;
  opt.run_id = run_id;
  opt.action_state = ph_env_dims(r->slots[0].env)->action_state;
  opt.action_dim = ph_env_dims(r->slots[0].env)->action_dim;
  int error = look_at_folder(path);
  if (error)
    return cli_fail(EXIT_ERROR, "%s: %s", path,
                    error == EEXIST ? "exists already: a run needs a new or an empty folder"
                                    : strerror(error));
  if (ph_recorder_open(&r->recorder, path, r->model, &opt) != PH_OK)
    return cli_error();
  return EXIT_FINE;
}

/* --- the loop --- */

/* One line on stderr and in errors[]. */
__attribute__((format(printf, 3, 4))) static int report(struct record *r, int status,
                                                        const char *fmt, ...) {
  char line[1400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  json_array_append_new(r->errors, ph_json_text(line));
  return cli_fail(status, "%s", line);
}

/* An error of the recorder; the episode of the env is named in it. */
static int warn(struct record *r) {
  return report(r, EXIT_ERROR, "%s", ph_error());
}

/* An error of one env stops the run. */
static int fail(struct record *r, int i) {
  struct slot *slot = &r->slots[i];
  snprintf(slot->detail, sizeof slot->detail, "%s", ph_error());
  slot->outcome = (ph_outcome){0};
  r->failed = i;
  r->stop = true;
  return report(r, EXIT_ERROR, "env %d episode %" PRId64 ": %s", i, slot->episode, ph_error());
}

/* Episodes that all envs record together. */
static int64_t wanted(const struct record *r) {
  return r->opt->episodes ? r->opt->episodes : r->opt->envs;
}

static int begin(struct record *r, int i) {
  struct slot *slot = &r->slots[i];
  uint64_t seed = ph_env_seed(r->opt->seed, i, slot->episode);
  ph_row row0;
  size_t nedits = 0;
  slot->active = false;
  if (slot->episode >= slot->quota || interrupted || r->stop)
    return EXIT_FINE;
  slot->outcome = (ph_outcome){0};
  if (ph_env_reset(slot->env, seed, &row0) != PH_OK)
    return fail(r, i);
  const ph_edit *edits = ph_env_edits(slot->env, &nedits);
  if (ph_recorder_begin(r->recorder, i, seed, edits, nedits, &row0) != PH_OK)
    return fail(r, i);
  slot->active = true;
  slot->actions = 0;
  return EXIT_FINE;
}

static void list(struct record *r, json_t *where, int i, ph_end end, int success) {
  const struct slot *slot = &r->slots[i];
  char id[64], seed[24];
  if (!r->opt->json)
    return;
  snprintf(id, sizeof id, "env%03d_ep%06" PRId64, i, slot->episode);
  snprintf(seed, sizeof seed, "%" PRIu64, ph_env_seed(r->opt->seed, i, slot->episode));
  json_array_append_new(where,
                        json_pack("{s:s, s:i, s:I, s:s, s:s, s:o}", "id", id, "env_id", i,
                                  "actions", (json_int_t)slot->actions, "seed", seed, "end_reason",
                                  ph_end_name(end), "success", report_success(success)));
}

static int end(struct record *r, int i, ph_end reason, const char *detail) {
  bool judged = ph_task_info_of(r->task)->has_success;
  int success = judged ? reason == PH_END_SUCCESS : -1;
  int64_t discards = ph_recorder_tally(r->recorder)->discards;
  bool written = ph_recorder_end(r->recorder, i, reason, success, detail) == PH_OK;
  if (!written)
    warn(r);
  if (ph_recorder_tally(r->recorder)->discards == discards)
    list(r, written ? r->episodes : r->unwritten, i, reason, success);
  else
    r->finding =
        report(r, EXIT_FINDING, "env %d episode %" PRId64 ": discarded, it has no step: %s: %s", i,
               r->slots[i].episode, ph_end_name(reason), detail);
  r->slots[i].episode++;
  r->ended++;
  return begin(r, i);
}

/* Asks the policy and steps. *row: the outcome is a row to record. */
static ph_status step(struct slot *slot, bool *row) {
  ph_status status = ph_env_policy(slot->env, slot->action);
  *row = false;
  if (status == PH_EINVAL) { /* a non-finite action ends the episode, not the run */
    snprintf(slot->detail, sizeof slot->detail, "%s", ph_error());
    slot->outcome = (ph_outcome){.done = true, .end = PH_END_NAN, .detail = slot->detail};
    return PH_OK;
  }
  if (status == PH_OK)
    status = ph_env_step(slot->env, slot->action, &slot->outcome);
  *row = status == PH_OK && !(slot->outcome.done && slot->outcome.end == PH_END_NAN);
  return status;
}

/* Steps every env that runs, up to the first with an error; *n rows to record. */
static int step_all(struct record *r, size_t *n) {
  int status = EXIT_FINE;
  for (int i = 0; i < r->n && status == EXIT_FINE; i++) {
    struct slot *slot = &r->slots[i];
    bool row = false;
    if (slot->active && step(slot, &row) != PH_OK)
      status = fail(r, i);
    if (!row)
      continue;
    r->ids[*n] = i;
    r->actions[*n] = slot->action;
    r->rewards[*n] = slot->outcome.reward;
    r->flags[*n] = slot->outcome.flags;
    r->rows[(*n)++] = slot->outcome.row;
  }
  return status;
}

/* One control step of every env that runs. What was stepped is recorded, and what has ended ends,
 * whatever happens to the others. */
static int turn(struct record *r) {
  size_t n = 0;
  int status = step_all(r, &n);
  if (n && ph_recorder_rows(r->recorder, r->ids, n, r->actions, NULL, r->rewards, r->flags,
                            r->rows) != PH_OK) {
    r->stop = true;
    return warn(r);
  }
  for (size_t k = 0; k < n; k++)
    r->slots[r->ids[k]].actions++;
  for (int i = 0; i < r->n; i++) {
    const struct slot *slot = &r->slots[i];
    if (slot->active && slot->outcome.done &&
        end(r, i, slot->outcome.end, slot->outcome.detail) != EXIT_FINE)
      status = EXIT_ERROR;
  }
  return status;
}

static int run(struct record *r) {
  int status = EXIT_FINE;
  bool active = true;
  for (int i = 0; i < r->n && status == EXIT_FINE; i++)
    status = begin(r, i);
  while (active && status == EXIT_FINE && !interrupted) {
    status = turn(r);
    active = false;
    for (int i = 0; i < r->n; i++)
      active = active || r->slots[i].active;
    cli_progress("record: %" PRId64 " of %" PRId64 " episodes, %" PRId64 " steps", r->ended,
                 wanted(r), ph_recorder_tally(r->recorder)->steps);
  }
  cli_progress_end();
  return status;
}

/* Unfinished episodes become `aborted`; with no row at all they are discarded. */
static void abort_all(struct record *r) {
  char why[80] = "the run ended with an error";
  r->stop = true;
  if (r->failed >= 0)
    snprintf(why, sizeof why, "the run ended with an error of env %d", r->failed);
  else if (interrupted)
    snprintf(why, sizeof why, "interrupted");
  for (int i = 0; i < r->n; i++)
    if (r->slots[i].active)
      end(r, i, PH_END_ABORTED, i == r->failed ? r->slots[i].detail : why);
}

/* --- before and after --- */

static int open_task(struct record *r) {
  ph_model_options opt = {.assets = r->opt->assets, .nassets = r->opt->nassets};
  if (ph_task_open(&r->task, r->opt->paths[0]) != PH_OK)
    return cli_error();
  if (!ph_task_info_of(r->task)->has_policy)
    return cli_fail(EXIT_ERROR, "%s: no policy: record needs one to choose actions",
                    r->opt->paths[0]);
  return ph_task_model(&r->model, r->task, &opt) == PH_OK ? EXIT_FINE : cli_error();
}

static bool allocate(struct record *r, size_t n) {
  r->slots = calloc(n, sizeof *r->slots);
  r->ids = calloc(n, sizeof *r->ids);
  r->actions = calloc(n, sizeof *r->actions);
  r->rewards = calloc(n, sizeof *r->rewards);
  r->flags = calloc(n, sizeof *r->flags);
  r->rows = calloc(n, sizeof *r->rows);
  r->episodes = json_array();
  r->errors = json_array();
  r->unwritten = json_array();
  return r->slots && r->ids && r->actions && r->rewards && r->flags && r->rows && r->episodes &&
         r->errors && r->unwritten;
}

static int create_envs(struct record *r) {
  ph_env_options opt = PH_ENV_OPTIONS_INIT;
  opt.hold_seconds = r->opt->hold;
  int64_t m = wanted(r), n = r->opt->envs < m ? r->opt->envs : m; /* none is idle */
  if (!allocate(r, (size_t)n))
    return cli_fail(EXIT_ERROR, "record: out of memory");
  for (r->n = 0; r->n < n; r->n++) {
    struct slot *slot = &r->slots[r->n];
    if (ph_env_create(&slot->env, r->task, r->model, &opt) != PH_OK)
      return cli_error();
    slot->quota = (m - r->n + n - 1) / n;
    slot->action = calloc((size_t)ph_env_dims(slot->env)->action_dim + 1, sizeof *slot->action);
    if (!slot->action) {
      ph_env_free(slot->env);
      return cli_fail(EXIT_ERROR, "record: out of memory");
    }
  }
  return EXIT_FINE;
}

static bool is_control(char c) {
  return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool has_control(const char *text) {
  while (*text && !is_control(*text))
    text++;
  return *text != 0;
}

/* The path for people, on one line. */
static void print_path(const char *path) {
  for (const char *c = path; *c; c++)
    putchar(is_control(*c) ? '?' : *c);
}

/* The path as one word of a shell. */
static void print_word(const char *path) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
  bool control = has_control(path);
  const char *quote = path[strspn(path, plain)] ? "'" : "";
  printf("%s%s%s", *path == '-' ? "./" : "", control ? "$" : "", quote);
  for (const char *c = path; *c; c++)
    if (control && (is_control(*c) || *c == '\\' || *c == '\''))
      printf("\\%03o", (unsigned)*c);
    else if (*c == '\'')
      printf("'\\''");
    else
      putchar(*c);
  printf("%s", quote);
}

static void print_tally(const ph_tally *t, const char *path) {
  print_path(path);
  printf(": %" PRId64 " %s started, %" PRId64 " saved, %" PRId64 " discarded; %" PRId64 " steps",
         t->resets, t->resets == 1 ? "episode" : "episodes", t->commits, t->discards, t->steps);
  for (int end = 0; end < PH_END_COUNT; end++)
    if (t->by_end[end])
      printf(", %" PRId64 " %s", t->by_end[end], ph_end_name((ph_end)end));
  if (t->failed)
    printf(", %" PRId64 " NOT WRITTEN", t->failed);
  printf("\n");
  if (t->commits == 0)
    return;
  printf("open it: playhead view ");
  print_word(path);
  printf("\n");
}

/* Lists what close has written after all: a file with its final name is whole. */
static void list_late(struct record *r, const char *path) {
  for (size_t i = 0; i < json_array_size(r->unwritten); i++) {
    json_t *episode = json_array_get(r->unwritten, i);
    char file[4200];
    snprintf(file, sizeof file, "%s/%s_%" JSON_INTEGER_FORMAT ".h5", path,
             json_string_value(json_object_get(episode, "id")),
             json_integer_value(json_object_get(episode, "actions")));
    if (access(file, F_OK) == 0)
      json_array_append(r->episodes, episode);
  }
}

/* Closes the recorder and reports. */
static int finish(struct record *r, int status) {
  ph_tally tally = {0};
  char path[4096], run_id[64];
  snprintf(path, sizeof path, "%s", ph_recorder_path(r->recorder));
  snprintf(run_id, sizeof run_id, "%s", ph_recorder_run_id(r->recorder));
  if (ph_recorder_close(r->recorder, &tally) != PH_OK) {
    warn(r);
    status = EXIT_ERROR;
  }
  r->recorder = NULL;
  list_late(r, path);
  if (tally.failed)
    status = EXIT_ERROR;
  if (!r->opt->json) {
    print_tally(&tally, path);
    return status;
  }
  json_t *root = json_pack("{s:s, s:s, s:O, s:I, s:I, s:I, s:O}", "run_id", run_id, "path", path,
                           "episodes", r->episodes, "resets", (json_int_t)tally.resets, "commits",
                           (json_int_t)tally.commits, "discards", (json_int_t)tally.discards,
                           "errors", r->errors);
  return ph_json_write(root, stdout) == PH_OK ? status : cli_error();
}

static void clear(struct record *r) {
  for (int i = 0; i < r->n; i++) {
    ph_env_free(r->slots[i].env);
    free(r->slots[i].action);
  }
  free(r->slots);
  free(r->ids);
  free(r->actions);
  free(r->rewards);
  free(r->flags);
  free(r->rows);
  json_decref(r->episodes);
  json_decref(r->errors);
  json_decref(r->unwritten);
  ph_model_unref(r->model);
  ph_task_unref(r->task);
}

int verb_record(const struct options *opt) {
  struct record r = {.opt = opt, .failed = -1};
  int status = open_task(&r);
  if (status == EXIT_FINE)
    status = create_envs(&r);
  if (status == EXIT_FINE)
    status = open_recorder(&r);
  if (status == EXIT_FINE) {
    catch_signals();
    status = run(&r);
    abort_all(&r);
    if (status == EXIT_FINE)
      status = interrupted ? EXIT_FINDING : r.finding;
    status = finish(&r, status);
  }
  clear(&r);
  return cli_flush(status);
}
