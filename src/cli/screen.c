#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look.h"

int cli_print_screen(const struct options *opt, const struct view_options *view) {
  char *text = NULL;
  const char *mono = getenv("NO_COLOR");
  bool color = opt->color && !(mono && *mono);
  ph_status status = screen_render(&text, view, (int)opt->rows, (int)opt->cols, opt->keys, color);
  if (status != PH_OK)
    return cli_fail(status == PH_EINVAL ? EXIT_USAGE : EXIT_ERROR, "%s", screen_error());
  size_t n = strlen(text);
  printf("%s%s", text, n > 0 && text[n - 1] != '\n' ? "\n" : "");
  free(text);
  return cli_flush(screen_refused() ? EXIT_FINDING : EXIT_FINE);
}

int verb_screen(const struct options *opt) {
  struct view_options view = cli_view_options(opt);
  cli_hold(opt, &view.hold);
  int status = cli_round(opt, &view.envs);
  if (status == EXIT_FINE)
    status = cli_step(opt, true, &view.step);
  return status == EXIT_FINE ? cli_print_screen(opt, &view) : status;
}
