#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int cli_fail(enum exit_status status, const char *fmt, ...) {
  char line[1400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = '?';
  cli_progress_end();
  fprintf(stderr, "playhead: %s\n", line);
  return status;
}

int cli_error(void) {
  return cli_fail(EXIT_ERROR, "%s", ph_error());
}

int cli_flush(int status) {
  if (fflush(stdout) != 0 || ferror(stdout))
    return cli_fail(EXIT_ERROR, "output: %s", strerror(errno));
  return status;
}

ph_store_options cli_store_options(const struct options *opt) {
  return (ph_store_options){.model = {.assets = opt->assets, .nassets = opt->nassets},
                            .model_path = opt->model};
}

/* States of the episode that was asked for. */
static int count_states(const struct options *opt, int64_t *states) {
  ph_store *store = NULL;
  ph_store_options so = cli_store_options(opt);
  int status = EXIT_FINE;
  if (ph_store_open(&store, opt->paths, opt->npaths, &so) != PH_OK)
    return cli_error();
  size_t i = opt->episode ? ph_store_find(store, opt->episode) : 0;
  if (i < ph_store_count(store))
    *states = ph_store_entry(store, i)->states;
  else
    status = cli_no_episode(opt);
  ph_store_free(store);
  return status;
}

int cli_no_episode(const struct options *opt) {
  return cli_fail(EXIT_ERROR, "%s: %s: no such episode", opt->paths[0],
                  opt->episode ? opt->episode : "0");
}

int cli_step(const struct options *opt, int64_t *step) {
  int64_t states = 0;
  *step = -1;
  if (!opt->at)
    return EXIT_FINE;
  bool middle = strcmp(opt->at, "middle") == 0, last = strcmp(opt->at, "last") == 0;
  if (middle || last) {
    int status = count_states(opt, &states);
    *step = middle ? states / 2 : states - 1;
    return status;
  }
  size_t digits = strspn(opt->at, "0123456789");
  if (digits == 0 || opt->at[digits] || digits > 18)
    return cli_fail(EXIT_USAGE, "%s: --at %s: not a step: a number, middle or last", opt->verb,
                    opt->at);
  *step = strtoll(opt->at, NULL, 10);
  return EXIT_FINE;
}

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
