/* The hold as panels and commands see it. Nothing here asks the engine. */
#ifndef TUI_HELD_VIEW_H
#define TUI_HELD_VIEW_H

#include "app.h"
#include "strip.h"

/* What is known of the hold of the episode on show; NULL: nothing. */
const struct held_answer *app_held(const struct app *app);
/* Whether it is another hold than the file's. */
bool held_unsaved(const struct app *app);
/* "0.48" [s]; "24 steps" where a step has no length. */
void held_seconds(char *out, size_t size, double dt, int64_t steps);
/* "hold 0.48 s not saved, file 0.5 s", for the header. */
void held_header(struct strip *strip, const struct app *app);

/* Pieces of the status line: a cut under way, how many episodes are counted. */
void held_status(struct strip *strip, const struct app *app);

/* Lines of the success panel under its conditions: the whole list, sources, intervals. */
int held_lines(const struct app *app);
/* Whether the first of them counts the list, and nobody has asked. */
bool held_unasked(const struct app *app);
void held_row(struct surface *s, struct rect r, int y, const struct app *app, int line);
/* The step that such a line stands for; -1: none. */
int64_t held_step(const struct app *app, int line);

#endif
