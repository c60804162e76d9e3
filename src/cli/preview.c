#include "cli.h"

#include <langinfo.h>
#include <string.h>
#include <unistd.h>

#include "look.h"

/* Keys ask for a picture: they would be played to nobody. */
int verb_preview(const struct options *opt) {
  struct view_options view = cli_view_options(opt);
  view.session.live = true;
  view.session.hold = opt->hold;
  view.session.policy = opt->policy;
  view.session.policy_timeout = opt->policy_timeout;
  view.session.model = opt->model;
  view.seed = opt->seed;
  view.step = -1;
  if (opt->keys)
    return cli_print_screen(opt, &view);
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return cli_fail(EXIT_USAGE, "preview: not a terminal: --keys \"n n\" prints what they lead to");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
    view.term.ascii = true;
  return loop_run(&view);
}
