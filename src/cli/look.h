/* Command line to view options, for view, screen and preview. */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include "../../tui/loop.h"
#include "cli.h"

/* All but the step; borrowed from opt. */
struct view_options cli_view_options(const struct options *opt);
/* --hold into *out, which stays where it is not given. */
void cli_hold(const struct options *opt, struct hold_wish *out);
/* --envs into *out: 0 where it is not given. An exit status: a line is said. */
int cli_round(const struct options *opt, int *out);
/* Prints the picture that --size, --keys and --color ask for. Returns the exit status. */
int cli_print_screen(const struct options *opt, const struct view_options *view);

#endif
