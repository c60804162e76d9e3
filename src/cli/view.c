#include "cli.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "look.h"

struct view_options cli_view_options(const struct options *opt) {
  enum scheme scheme = SCHEME_DARK;
  const char *mono = getenv("NO_COLOR");
  if (opt->scheme)
    scheme = strcmp(opt->scheme, "mono") == 0    ? SCHEME_MONO
             : strcmp(opt->scheme, "light") == 0 ? SCHEME_LIGHT
                                                 : SCHEME_DARK;
  enum tui_mode mode = MODE_KINEMATIC;
  if (opt->mode)
    mode_from_name(opt->mode, &mode);
  return (struct view_options){
      .session = {.paths = opt->paths,
                  .npaths = opt->npaths,
                  .store = cli_store_options(opt),
                  .task_path = opt->task,
                  .success = opt->success,
                  .predicate = opt->predicate,
                  .group = opt->group},
      .episode = opt->episode,
      .follow = opt->follow,
      .mode = mode,
      .ghost = opt->ghost,
      .term = {.ascii = opt->ascii, .scheme = mono && *mono ? SCHEME_MONO : scheme}};
}

void cli_hold(const struct options *opt, struct hold_wish *out) {
  if (opt->hold >= 0)
    *out = (struct hold_wish){.on = true, .seconds = opt->hold, .count = true};
}

int cli_round(const struct options *opt, int *out) {
  char *end = NULL;
  *out = 0;
  if (!opt->round)
    return EXIT_FINE;
  bool all = strcmp(opt->round, "all") == 0, digit = *opt->round >= '0' && *opt->round <= '9';
  long n = all ? PH_ENSEMBLE_MAX : digit ? strtol(opt->round, &end, 10) : 0;
  if (n < 1 || n > PH_ENSEMBLE_MAX || (end && *end))
    return cli_fail(EXIT_USAGE, "%s: --envs %s: not a whole number from 1 to %d, or all", opt->verb,
                    opt->round, PH_ENSEMBLE_MAX);
  *out = (int)n;
  return EXIT_FINE;
}

int verb_view(const struct options *opt) {
  struct view_options view = cli_view_options(opt);
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return cli_fail(EXIT_USAGE, "view: not a terminal: playhead screen prints the same as text");
  cli_hold(opt, &view.hold);
  int status = cli_round(opt, &view.envs);
  if (status == EXIT_FINE)
    status = cli_step(opt, false, &view.step);
  if (status != EXIT_FINE)
    return status;
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
    view.term.ascii = true;
  return loop_run(&view);
}
