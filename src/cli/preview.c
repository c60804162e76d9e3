#include "cli.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "look.h"

static int print_screen(const struct options *opt, const struct view_options *view) {
  char *text = NULL;
  const char *mono = getenv("NO_COLOR");
  bool color = opt->color && !(mono && *mono);
  ph_status status = screen_render(&text, view, (int)opt->rows, (int)opt->cols, opt->keys, color);
  if (status != PH_OK)
    return cli_fail(status == PH_EINVAL && opt->keys ? EXIT_USAGE : EXIT_ERROR, "%s",
                    screen_error());
  size_t n = strlen(text);
  printf("%s%s", text, n > 0 && text[n - 1] != '\n' ? "\n" : "");
  free(text);
  return cli_flush(screen_refused() ? EXIT_FINDING : EXIT_FINE);
}

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
    return print_screen(opt, &view);
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return cli_fail(EXIT_USAGE, "preview: not a terminal: --keys \"n n\" prints what they lead to");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
    view.term.ascii = true;
  return loop_run(&view);
}
