#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../tui/clock.h"

static char shown(char c) {
  return (char)((unsigned char)c < 0x20 || c == 0x7f ? '?' : c);
}

void cli_print_text(const char *text) {
  while (*text)
    putchar(shown(*text++));
}

int cli_fail(enum exit_status status, const char *fmt, ...) {
  char line[1400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  for (char *c = line; *c; c++)
    *c = shown(*c);
  cli_progress_end();
  fprintf(stderr, "playhead: %s\n", line);
  return status;
}

static bool output_failed; /* and it was said */

int cli_error(void) {
  output_failed |= strncmp(ph_error(), "output: ", 8) == 0;
  return cli_fail(EXIT_ERROR, "%s", ph_error());
}

int cli_flush(int status) {
  if (output_failed)
    return EXIT_ERROR;
  if (fflush(stdout) != 0 || ferror(stdout))
    return cli_fail(EXIT_ERROR, "output: %s", strerror(errno));
  return status;
}

ph_store_options cli_store_options(const struct options *opt) {
  bool drop = opt->missing && strcmp(opt->missing, "drop") == 0;
  return (ph_store_options){
      .model = {.assets = opt->assets, .nassets = opt->nassets, .drop_missing = drop},
      .model_path = opt->model};
}

ph_status cli_task(ph_task **out, const char *path, const char *success) {
  ph_task *own = NULL;
  *out = NULL;
  ph_status status = path ? ph_task_open(&own, path) : PH_OK;
  if (status == PH_OK && success)
    status = ph_task_with_success(out, own, success);
  else if (status == PH_OK && own)
    *out = ph_task_ref(own);
  ph_task_unref(own);
  return status;
}

int cli_no_episode(const struct options *opt) {
  return cli_fail(EXIT_ERROR, "%s: %s: no such episode", opt->paths[0],
                  opt->episode ? opt->episode : "0");
}

/* --- signals --- */

const int cli_endings[CLI_ENDINGS] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

void cli_catch(const struct sigaction *action, size_t n) {
  struct sigaction old;
  for (size_t i = 0; i < n; i++)
    if (sigaction(cli_endings[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(cli_endings[i], action, NULL);
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

void cli_catch_interrupt(void) {
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  cli_catch(&action, CLI_ENDINGS - 1); /* a closed pipe ends it */
}

bool cli_interrupted(void) {
  return interrupted != 0;
}

/* --- groups --- */

/* "train, valid" into out; "" where there is none. */
static const char *list_groups(const ph_store *store, char *out, size_t size) {
  size_t n = 0;
  out[0] = 0;
  for (size_t i = 0; i < ph_store_groups(store) && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", ph_store_group(store, i));
  return out;
}

int cli_group(const struct options *opt, const ph_store *store, size_t *group) {
  char list[600];
  *group = opt->group ? ph_store_find_group(store, opt->group) : SIZE_MAX;
  if (!opt->group || *group < ph_store_groups(store))
    return EXIT_FINE;
  list_groups(store, list, sizeof list);
  return cli_fail(EXIT_ERROR, "%s: --group %s: no such group: %s%s", opt->paths[0], opt->group,
                  list[0] ? "it has " : "the file names none", list);
}

bool cli_in_group(const ph_store *store, size_t group, size_t i) {
  return group == SIZE_MAX || ph_store_in_group(store, group, i);
}

int cli_episode(const struct options *opt, const ph_store *store, size_t *i) {
  size_t group, n = ph_store_count(store);
  int status = cli_group(opt, store, &group);
  if (status != EXIT_FINE)
    return status;
  *i = opt->episode ? ph_store_find(store, opt->episode) : 0;
  while (!opt->episode && *i < n && !cli_in_group(store, group, *i))
    ++*i;
  if (*i >= n && opt->group && !opt->episode)
    return cli_fail(EXIT_ERROR, "%s: --group %s: it has no episode", opt->paths[0], opt->group);
  if (*i >= n)
    return cli_no_episode(opt);
  if (!cli_in_group(store, group, *i))
    return cli_fail(EXIT_ERROR, "%s: %s: it is not in the group %s", opt->paths[0], opt->episode,
                    opt->group);
  return EXIT_FINE;
}

int cli_places(const struct options *opt, const ph_store *store, size_t **places, size_t *n) {
  size_t all = ph_store_count(store), first = 0, group;
  int status = opt->episode ? cli_episode(opt, store, &first) : EXIT_FINE;
  if (status == EXIT_FINE)
    status = cli_group(opt, store, &group);
  if (status != EXIT_FINE)
    return status;
  *places = calloc(all + 1, sizeof **places);
  if (!*places)
    return cli_fail(EXIT_ERROR, "%s: no memory", opt->verb);
  for (size_t i = first; i < (opt->episode ? first + 1 : all); i++)
    if (cli_in_group(store, group, i))
      (*places)[(*n)++] = i;
  return EXIT_FINE;
}

/* --- steps --- */

/* What --at is measured by: how many states there are, and the step of a time where a rate is
 * known.
 */
struct ruler {
  int64_t states;
  bool timed;
  double step; /* that the time asked for means */
};

static int measure(const struct options *opt, double seconds, struct ruler *ruler) {
  ph_store *store = NULL;
  ph_episode *episode = NULL;
  ph_store_options so = cli_store_options(opt);
  int status = EXIT_FINE;
  if (ph_store_open(&store, opt->paths, opt->npaths, &so) != PH_OK)
    return cli_error();
  size_t i;
  status = cli_episode(opt, store, &i);
  if (status == EXIT_FINE && ph_store_episode(&episode, store, i) == PH_OK) {
    const ph_episode_meta *meta = ph_episode_meta_of(episode);
    struct clock clock;
    clock_read(&clock, episode);
    ruler->states = meta->states;
    ruler->timed = clock_dt(&clock, meta) > 0;
    ruler->step = ruler->timed ? clock_step(&clock, meta, seconds) : 0;
  } else if (status == EXIT_FINE) { /* the screen says why */
    ruler->states = ph_store_entry(store, i)->states;
  }
  ph_episode_free(episode);
  ph_store_free(store);
  return status;
}

/* Digits with at most one point, then a unit: 0, 's' or '%'. */
static bool parse_place(const char *text, double *value, char *unit) {
  char *end;
  size_t n = strspn(text, "0123456789.");
  if (n == 0 || n > 18 || *text == '.' || strlen(text + n) > 1)
    return false;
  *value = strtod(text, &end);
  *unit = text[n];
  return end == text + n && (*unit ? *unit == 's' || *unit == '%' : !strchr(text, '.'));
}

int cli_step(const struct options *opt, bool look, int64_t *step) {
  struct ruler ruler = {0};
  double value = 0;
  char unit = 0;
  *step = -1;
  if (!opt->at)
    return EXIT_FINE;
  bool middle = strcmp(opt->at, "middle") == 0, last = strcmp(opt->at, "last") == 0;
  if (!middle && !last && !parse_place(opt->at, &value, &unit))
    return cli_fail(EXIT_USAGE, "%s: --at %s: not a step: 213, 4.2s, 90%%, middle or last",
                    opt->verb, opt->at);
  int status = middle || last || unit || look ? measure(opt, value, &ruler) : EXIT_FINE;
  if (status != EXIT_FINE)
    return status;
  if (unit == 's' && !ruler.timed)
    return cli_fail(EXIT_ERROR, "%s: --at %s: how long a step takes is not known", opt->paths[0],
                    opt->at);
  double end = ruler.states > 0 ? (double)ruler.states - 1 : 0;
  double to = middle        ? floor((double)ruler.states / 2)
              : last        ? end
              : unit == 's' ? fmax(ruler.step, 0)
              : unit == '%' ? rint(value / 100 * end)
                            : value;
  if (ruler.states > 0 && to > end) {
    cli_fail(EXIT_FINE, "%s: --at %s: the last step is %.0f", opt->verb, opt->at, end);
    to = end;
  }
  *step = (int64_t)fmin(to, 1e18);
  return EXIT_FINE;
}

/* --- progress --- */

static bool progress_shown;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress(const char *fmt, ...) {
  static double next;
  if (!isatty(STDERR_FILENO) || now() < next)
    return;
  next = now() + 0.1;
  va_list args;
  va_start(args, fmt);
  fputs("\r\033[K", stderr);
  vfprintf(stderr, fmt, args);
  va_end(args);
  fflush(stderr);
  progress_shown = true;
}

void cli_progress_end(void) {
  if (progress_shown)
    fputs("\r\033[K", stderr);
  progress_shown = false;
}
