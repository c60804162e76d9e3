/* Command line to view options, for view, screen and preview. */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include "../../tui/loop.h"
#include "cli.h"

/* All but the step; borrowed from opt. */
struct view_options cli_view_options(const struct options *opt);
/* Prints the picture that --size, --keys and --color ask for. Returns the exit status. */
int cli_print_screen(const struct options *opt, const struct view_options *view);

#endif
