#include "info_follow.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "report.h"

enum {
  PAUSE_MS = 500, /* without news from the system */
  REST_MS = 30,   /* after news: a record comes behind its file */
};

int follow_check(const struct follow *follow) {
  for (size_t i = 0; i < follow->opt->npaths; i++)
    if (ph_store_activity(follow->store, i) == PH_NO_RUN)
      return cli_fail(EXIT_ERROR,
                      "%s: --follow: it is no folder of a run: only a recording adds episodes",
                      follow->opt->paths[i]);
  return EXIT_FINE;
}

/* -1: the system gives no news, or not of all folders; then only time passes. */
static int watch(const struct options *opt) {
  int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  for (size_t i = 0; fd >= 0 && i < opt->npaths; i++)
    inotify_add_watch(fd, opt->paths[i], IN_MOVED_TO | IN_CREATE | IN_ONLYDIR);
  return fd;
}

static void wait_for_news(int fd) {
  char events[4096];
  struct pollfd news = {.fd = fd, .events = POLLIN};
  if (cli_interrupted() || poll(&news, fd >= 0, PAUSE_MS) <= 0)
    return;
  poll(NULL, 0, REST_MS);
  while (read(fd, events, sizeof events) > 0) {
  }
}

/* Whether no recorder has any of the runs open. */
static bool is_over(const struct follow *follow) {
  for (size_t i = 0; i < follow->opt->npaths; i++)
    if (ph_store_activity(follow->store, i) != PH_IDLE)
      return false;
  return true;
}

static int show_new(const struct follow *follow, size_t added) {
  size_t n = ph_store_count(follow->store);
  for (size_t i = n - added; i < n; i++)
    if (!follow->show(follow->arg, i) || fflush(stdout) != 0)
      return cli_fail(EXIT_ERROR, "output: %s", strerror(errno));
  return EXIT_FINE;
}

/* recorded: a recorder was seen before. */
static int say_over(const struct follow *follow, size_t came, bool recorded) {
  size_t n = ph_store_count(follow->store);
  if (follow->opt->json)
    return ph_json_write(json_pack("{s:b, s:I, s:I}", "recording", 0, "episodes", (json_int_t)n,
                                   "added", (json_int_t)came),
                         stdout) == PH_OK
               ? EXIT_FINE
               : cli_error();
  printf("%s: %zu %s, %zu of them came meanwhile\n",
         recorded ? "the recorder is done" : "no recorder has it open", n,
         n == 1 ? "episode" : "episodes", came);
  return EXIT_FINE;
}

int follow_run(const struct follow *follow) {
  int fd = watch(follow->opt), status = cli_flush(EXIT_FINE);
  size_t came = 0;
  bool recorded = !is_over(follow);
  cli_catch_interrupt();
  if (status == EXIT_FINE && !follow->opt->json && recorded) {
    printf(ph_store_count(follow->store) ? "\nwaiting for more\n" : "\nno episode yet; waiting\n");
    fflush(stdout);
  }
  while (status == EXIT_FINE && !cli_interrupted()) {
    size_t added = 0;
    bool over = is_over(follow); /* before the last look */
    recorded = recorded || !over;
    if (ph_store_refresh(follow->store, &added) != PH_OK)
      status = cli_error();
    else
      status = show_new(follow, added);
    came += added;
    if (status == EXIT_FINE && over && added == 0) {
      status = say_over(follow, came, recorded);
      break;
    }
    if (added == 0)
      wait_for_news(fd);
  }
  if (fd >= 0)
    close(fd);
  return status;
}
