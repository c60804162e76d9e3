/* Records a task in N envs, on a pool of threads.
 *
 * An error of one env (its script's or the engine's) stops the run, in order: the others finish
 * their step, episodes that end with it end as they did, the env's own episode is saved as aborted
 * with the error as its end_detail, the others as aborted too, nothing begins any more, the exit
 * status is 3. A task with a bug is mended and recorded anew; a run that went on would give fewer
 * episodes than were asked for, by chance of the seed. Numbers that are not finite are no error:
 * that episode ends as nan. Nor is a disk that fails: the recorder keeps the rows and tries again.
 *
 * The main thread takes the signals and tells what happens; another one runs the pool. */
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- signals --- */

/* What the handler needs, all set before it is installed. */
static ph_pool *to_stop;
static char last_words[9000];
static size_t last_words_size;
static _Atomic int interrupted;
static struct timespec first_at;

/* Whether a signal that is not the first asks to end at once. A pipe that we write to says each
 * time that nobody reads, the system says twice that a terminal hung up, and timeout(1) sends its
 * signal to the program and to its group: none of these is somebody's impatience. */
static bool is_another(int number, const siginfo_t *info) {
  struct timespec now;
  if ((number == SIGPIPE && info->si_pid == getpid()) ||
      (number == SIGHUP && info->si_code == SI_KERNEL))
    return false;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - first_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - first_at.tv_nsec) >
         0.05;
}

/* Dies of the signal, as if nobody had caught it. */
static void end_at_once(int number) {
  sigset_t set;
  if (write(STDERR_FILENO, last_words, last_words_size) < 0)
    errno = 0; /* nobody listens */
  signal(number, SIG_DFL);
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  _exit(128 + number);
}

/* The first signal ends the recording in order, a second one the program. */
static void on_signal(int number, siginfo_t *info, void *context) {
  int error = errno;
  (void)context;
  if (!atomic_load(&interrupted)) {
    clock_gettime(CLOCK_MONOTONIC, &first_at);
    atomic_store(&interrupted, 1);
    ph_pool_stop(to_stop);
  } else if (is_another(number, info)) {
    end_at_once(number);
  }
  errno = error;
}

static void prepare_last_words(const char *path) {
  FILE *out = fmemopen(last_words, sizeof last_words - 1, "w");
  if (!out)
    return;
  fprintf(out, "\nplayhead: ended at once: what is unfinished is given back by: playhead salvage ");
  record_print_word(out, path);
  fputc('\n', out);
  fclose(out);
  last_words_size = strlen(last_words);
}

static void catch_signals(const struct record *r) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  to_stop = r->pool;
  prepare_last_words(r->path);
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < CLI_ENDINGS; i++)
    sigaddset(&action.sa_mask, cli_endings[i]);
  cli_catch(&action, CLI_ENDINGS);
}

/* Everything is saved: from here on a signal does what it does to any program. */
static void release_signals(void) {
  struct sigaction old;
  for (size_t i = 0; i < CLI_ENDINGS; i++)
    if (sigaction(cli_endings[i], NULL, &old) == 0 && (old.sa_flags & SA_SIGINFO) != 0 &&
        old.sa_sigaction == on_signal)
      signal(cli_endings[i], SIG_DFL);
}

/* --- before --- */

static int check_options(const struct options *opt) {
  if ((opt->append || opt->overwrite) && !opt->out)
    return cli_fail(EXIT_USAGE, "record: %s: which run is meant is for --out to say",
                    opt->append ? "--append" : "--overwrite");
  return EXIT_FINE;
}

static int limit_task(struct record *r) {
  ph_task *task = NULL;
  if (r->opt->max_steps == 0)
    return EXIT_FINE;
  if (ph_task_with_max_steps(&task, r->task, r->opt->max_steps) != PH_OK)
    return cli_error();
  ph_task_unref(r->task);
  r->task = task;
  return EXIT_FINE;
}

static int open_model(struct record *r) {
  const struct options *opt = r->opt;
  ph_model_options mo = {.assets = opt->assets, .nassets = opt->nassets};
  if (!opt->model && !ph_task_info_of(r->task)->model[0])
    return cli_fail(EXIT_ERROR, "%s: the task names no model: --model M.xml gives one",
                    opt->paths[0]);
  ph_status status = opt->model ? ph_model_open(&r->model, opt->model, &mo)
                                : ph_task_model(&r->model, r->task, &mo);
  return status == PH_OK ? EXIT_FINE : cli_error();
}

static int open_task(struct record *r) {
  const struct options *opt = r->opt;
  if (cli_task(&r->task, opt->paths[0], opt->success) != PH_OK)
    return cli_error();
  int status = limit_task(r);
  if (status != EXIT_FINE)
    return status;
  if (!ph_task_info_of(r->task)->has_policy && !opt->policy)
    return cli_fail(EXIT_ERROR, "%s: no policy: record needs one to choose actions", opt->paths[0]);
  if (opt->only_success && !ph_task_info_of(r->task)->has_success)
    return cli_fail(EXIT_ERROR, "%s: --only-success: the task has no success condition",
                    opt->paths[0]);
  return open_model(r);
}

/* A journal is open for each env, and some files beside. What is not allowed costs a line later. */
static void ask_for_descriptors(rlim_t envs) {
  struct rlimit limit;
  rlim_t wanted = envs + 256;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
    return;
  limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* A policy that comes to nothing would run for ever, and nobody would know why. */
static void say_endless(struct record *r) {
  const ph_task_info *info = ph_task_info_of(r->task);
  char line[160];
  if (info->max_steps > 0)
    return;
  snprintf(line, sizeof line, "the task has no max_steps: %s an episode; --max-steps N limits it",
           info->has_success && info->has_failure ? "only success or failure end"
           : info->has_failure                    ? "only failure ends"
           : info->has_success                    ? "nothing but success ends"
                                                  : "nothing ends");
  record_notice(r, line);
}

static bool is_interrupted(void *user) {
  (void)user;
  return atomic_load(&interrupted) != 0;
}

static ph_status ask_policy(void *user, int env_id, int64_t episode, ph_env *env, double *action) {
  struct record *r = user;
  uint64_t seed = ph_env_seed(r->opt->seed, env_id, episode);
  return ph_policy_ask(r->policy, env_id, episode, seed, env, action);
}

static int open_policy(struct record *r) {
  const ph_policy_options po = {.timeout = r->opt->policy_timeout, .cancel = is_interrupted};
  if (!r->opt->policy)
    return EXIT_FINE;
  if (ph_policy_open(&r->policy, r->opt->policy, &po) != PH_OK)
    return cli_error();
  record_notice(r,
                "the policy is a command: what is recorded is the same again, whatever --jobs is, "
                "only if each answer depends on nothing but the lines of its own env and episode");
  return EXIT_FINE;
}

static int create_pool(struct record *r) {
  ph_pool_options po = PH_POOL_OPTIONS_INIT;
  po.envs = (int)r->opt->envs;
  ask_for_descriptors((rlim_t)po.envs);
  po.episodes = r->opt->episodes;
  po.seed = r->opt->seed;
  po.jobs = (int)r->opt->jobs;
  po.hold_seconds = r->opt->hold;
  po.only_success = r->opt->only_success;
  po.ended = record_ended;
  po.user = r;
  po.policy = r->opt->policy ? ask_policy : NULL;
  po.policy_user = r;
  r->episodes = json_array();
  r->errors = json_array();
  r->notices = json_array();
  r->lines = json_array();
  r->unwritten = json_array();
  if (!r->episodes || !r->errors || !r->notices || !r->lines || !r->unwritten)
    return cli_fail(EXIT_ERROR, "record: out of memory");
  return ph_pool_create(&r->pool, r->task, r->model, &po) == PH_OK ? EXIT_FINE : cli_error();
}

static int open_recorder(struct record *r) {
  char run_id[64];
  ph_recorder_options opt = PH_RECORDER_OPTIONS_INIT;
  ph_recorder_make_run_id(run_id, sizeof run_id);
  int status = record_folder(r, run_id);
  if (status != EXIT_FINE)
    return status;
  opt.task = r->task;
  opt.hold_seconds = r->opt->hold;
  opt.run_id = run_id;
  opt.action_state = ph_pool_dims(r->pool)->action_state;
  opt.action_dim = ph_pool_dims(r->pool)->action_dim;
  opt.compress = r->opt->compress;
  opt.behind = true;
  opt.existing = r->opt->append      ? PH_EXISTING_APPEND
                 : r->opt->overwrite ? PH_EXISTING_OVERWRITE
                                     : PH_EXISTING_REFUSE;
  opt.warn = record_warn;
  opt.relief = record_notice;
  opt.user = r;
  opt.unverified = r->opt->verify ? record_unverified : NULL;
  opt.policy = r->opt->policy ? "command" : "task";
  opt.policy_command = r->opt->policy;
  bool opened = ph_recorder_open(&r->recorder, r->path, r->model, &opt) == PH_OK;
  if (!opened)
    record_tell(r); /* what was taken away all the same */
  return opened ? EXIT_FINE : cli_error();
}

/* --- the run and after --- */

static void *run(void *arg) {
  struct record *r = arg;
  if (ph_pool_run(r->pool, r->recorder) != PH_OK)
    record_error(r, EXIT_ERROR, ph_error());
  pthread_mutex_lock(&r->lock);
  r->ended = true;
  pthread_cond_signal(&r->news);
  pthread_mutex_unlock(&r->lock);
  return NULL;
}

/* The pool's threads take no signals: those are for the thread that waits. */
static void record_all(struct record *r) {
  pthread_t thread;
  sigset_t all, old;
  sigemptyset(&all);
  for (size_t i = 0; i < CLI_ENDINGS; i++)
    sigaddset(&all, cli_endings[i]);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  int error = pthread_create(&thread, NULL, run, r);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (error) {
    record_report(r, EXIT_ERROR, "record: no thread: %s", strerror(error));
    return;
  }
  record_watch(r);
  pthread_join(thread, NULL);
}

/* Closes the recorder and reports. */
static int finish(struct record *r) {
  ph_tally tally = {0};
  char run_id[64];
  snprintf(run_id, sizeof run_id, "%s", ph_recorder_run_id(r->recorder));
  ph_status closed = ph_recorder_close(r->recorder, &tally);
  if (closed != PH_OK) { /* a warning may have said it already */
    record_error(r, EXIT_ERROR, ph_error());
    r->status = EXIT_ERROR;
  }
  r->recorder = NULL;
  release_signals();
  if (closed == PH_OK && tally.resets != tally.commits + tally.discards)
    record_report(r, EXIT_ERROR,
                  "%s: of %" PRId64 " episodes started %" PRId64 " were saved and %" PRId64
                  " discarded",
                  r->path, tally.resets, tally.commits, tally.discards);
  record_tell(r);
  return record_print(r, run_id, &tally);
}

static void init(struct record *r) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&r->news, &attr);
  pthread_condattr_destroy(&attr);
  pthread_mutex_init(&r->lock, NULL);
}

static void clear(struct record *r) {
  ph_policy_close(r->policy);
  ph_pool_free(r->pool);
  json_decref(r->episodes);
  json_decref(r->errors);
  json_decref(r->notices);
  json_decref(r->lines);
  json_decref(r->unwritten);
  ph_model_unref(r->model);
  ph_task_unref(r->task);
  pthread_cond_destroy(&r->news);
  pthread_mutex_destroy(&r->lock);
}

int verb_record(const struct options *opt) {
  struct record r = {.opt = opt};
  init(&r);
  int status = check_options(opt);
  if (status == EXIT_FINE)
    status = open_task(&r);
  if (status == EXIT_FINE)
    status = create_pool(&r);
  if (status == EXIT_FINE)
    status = open_policy(&r);
  if (status == EXIT_FINE)
    status = open_recorder(&r);
  if (status == EXIT_FINE) {
    say_endless(&r);
    catch_signals(&r);
    record_all(&r);
    if (r.status == EXIT_FINE && atomic_load(&interrupted))
      r.status = EXIT_FINDING;
    status = finish(&r);
  }
  clear(&r);
  return cli_flush(status);
}
