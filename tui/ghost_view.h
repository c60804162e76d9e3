/* Another episode beside the one on show, as panels see it. Nothing here asks the engine. */
#ifndef TUI_GHOST_VIEW_H
#define TUI_GHOST_VIEW_H

#include "app.h"
#include "strip.h"

/* Whether one is asked for beside the episode on show. */
bool ghost_wanted(const struct app *app);
/* What is known of it; NULL: nothing yet. */
const struct ghost_answer *app_ghost(const struct app *app);
/* Whether the state panel compares with it: among recorded states it does. */
bool ghost_in_state(const struct app *app);
int ghost_lines(const struct app *app);
int ghost_signal(const struct app *app, int line); /* -1 past the last */
void ghost_title(char *buf, size_t size, const struct app *app);
void ghost_draw(struct surface *s, struct rect r, const struct app *app);

/* Pieces of the header: on a line of their own, or the verdict alone. */
void ghost_verdict(struct strip *strip, const struct app *app, bool whole);

/* The lane: how far the episode on show is from it. */
bool ghost_has_lane(const struct app *app);
const struct lanes *ghost_lanes(const struct app *app); /* NULL: none yet */
void ghost_lane_note(char *out, size_t size, const struct app *app);

#endif
