#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look.h"

int verb_screen(const struct options *opt) {
  char *text = NULL;
  struct view_options view = cli_view_options(opt);
  const char *mono = getenv("NO_COLOR");
  bool color = opt->color && !(mono && *mono);
  int exit_status = cli_step(opt, true, &view.step);
  if (exit_status != EXIT_FINE)
    return exit_status;
  ph_status status = screen_render(&text, &view, (int)opt->rows, (int)opt->cols, opt->keys, color);
  if (status != PH_OK)
    return cli_fail(status == PH_EINVAL ? EXIT_USAGE : EXIT_ERROR, "%s", screen_error());
  size_t n = strlen(text);
  printf("%s%s", text, n > 0 && text[n - 1] != '\n' ? "\n" : "");
  free(text);
  return cli_flush(screen_refused() ? EXIT_FINDING : EXIT_FINE);
}
