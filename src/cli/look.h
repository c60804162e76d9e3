/* Command line to view options, for view and screen. */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include "../../tui/loop.h"
#include "cli.h"

/* All but the step; borrowed from opt. */
struct view_options cli_view_options(const struct options *opt);

#endif
